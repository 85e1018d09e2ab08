"""Load configs of a built data set with ``datasets`` and print five pairs of each.

Usage: python scripts/show_dataset.py FOLDER CONFIG...
"""

import sys

from datasets import load_dataset


def main(folder: str, configs: list[str]) -> None:
    """Print the first pair of five paradigms (or as many as there are) of each config."""
    for config in configs:
        pairs = load_dataset(folder, config, split="test")
        print(f'\nload_dataset("{folder}", "{config}"): {len(pairs):,} pairs')
        step = max(1, len(pairs) // 5)
        for row in pairs.select(range(0, 5 * step, step)):
            print(f"  {row['UID']}")
            print(f"     {row['sentence_good']}")
            print(f"    *{row['sentence_bad']}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
