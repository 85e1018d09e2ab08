"""The site: static pages of data sets, their items, and results on them."""
