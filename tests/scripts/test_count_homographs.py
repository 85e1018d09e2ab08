"""Words that the spelling joins are looked up as a whole."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from release import CHECKOUT


def test_a_joined_word_is_found_in_a_list(tmp_path: Path) -> None:
    """*הגינות* is "the gardens" and "decency"; its part *גינות* is not asked for."""
    good, bad = "גינות של דנה ריקות", "הגינות של דנה ריקה"
    row = {
        "UID": "number",
        "sentence_good": f"ה{good}.",
        "tokens_good": f"ה {good}",
        "sentence_bad": f"{bad}.",
        "tokens_bad": f"ה {bad[1:]}",
    }
    (tmp_path / "all").mkdir()
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "all" / "test.parquet")
    words = tmp_path / "words.dic"
    words.write_text("הגינות/a\nגינות/b\nריקות/c\n")
    script = CHECKOUT / "scripts" / "count_homographs.py"
    call = [sys.executable, str(script), str(tmp_path), "he", str(words)]
    found = subprocess.run(call, check=True, capture_output=True, encoding="utf-8").stdout
    assert found == "הגינות\t2\tnumber\tהגינות/a\n"
