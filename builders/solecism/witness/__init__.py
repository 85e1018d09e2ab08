"""Sources that know nothing of a lexicon, and what they say of its forms."""
