"""What the verbs of the command line do, and how they print it."""
