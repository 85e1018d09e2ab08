"""Generation: templates and attribute-varying grammars become items."""
