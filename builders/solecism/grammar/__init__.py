"""Grammar: templates and lexicons become minimal pairs and suites."""
