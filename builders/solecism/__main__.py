"""``python -m solecism``: the command line."""

from solecism.commands import main

if __name__ == "__main__":
    main()
