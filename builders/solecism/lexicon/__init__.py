"""Lexicons: UD features, tables of words, word classes, spelling rules."""
