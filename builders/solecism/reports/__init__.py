"""Reports: results as figures, text, web pages and charts."""
