"""``python -m solecism``: the command line."""

from solecism.cli import main

if __name__ == "__main__":
    main()
