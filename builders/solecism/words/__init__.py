"""Words: UD features, lexicon tables, spelling rules, readers of word lists."""
