"""``scripts/index_treebanks.py``: an index from clones, and the catalogue from that index."""

import hashlib
import json
import lzma
import subprocess
from pathlib import Path

import index_treebanks as script
from make_catalogue import pin_treebanks, read_index

README = """# Summary
An otter treebank, since renamed.

=== Machine-readable metadata (DO NOT REMOVE!) ===
Data available since: UD v2.16
License: CC BY-NC-SA 4.0
Includes text: yes
Genre: news fiction
Lemmas: manual native
Features: converted from manual
"""
LICENCE = "\nCreative Commons Attribution-ShareAlike 4.0\n\nsee elsewhere\n"
NAME = "ott_own-ud-test.conllu"


def git(clone: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    command = ["git", "-C", str(clone), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def clone_of(folder: Path) -> Path:
    """Make a repository with two releases and a commit after them."""
    clone = folder / "UD_Otter-Own"
    (clone / "not-to-release").mkdir(parents=True)
    git(clone, "init", "-q")
    files = {"README.md": README, "LICENSE.txt": LICENCE, NAME: "one\n"}
    files["stats.xml"] = "<treebank><sentences>2</sentences><words>9</words></treebank>"
    files["not-to-release/x.conllu"] = "x\n"
    for name, text in files.items():
        (clone / name).write_text(text, encoding="utf-8")
    for text, tag in (("one\n", "r2.9"), ("two\n", "r2.10"), ("three\n", "")):
        (clone / NAME).write_text(text, encoding="utf-8")
        git(clone, "add", "-A")
        git(clone, "commit", "-q", "-m", text)
        if tag:
            git(clone, "tag", tag)
    return clone


def test_an_index_of_clones(tmp_path: Path) -> None:
    clone = clone_of(tmp_path)
    out = tmp_path / "index.jsonl.xz"
    script.main([str(tmp_path), "--out", str(out)])
    (line,) = map(json.loads, lzma.decompress(out.read_bytes()).splitlines())
    assert (line["tag"], line["tag_commit"]) == ("r2.10", git(clone, "rev-parse", "r2.10"))
    assert line["releases"] == {"first": "2.9", "last": "2.10"}
    blob = hashlib.sha1(b"blob 4\0two\n").hexdigest()
    assert line["files"] == [{"path": NAME, "blob_sha1": blob, "size": 4}]
    assert line["license_file"][0]["first_lines"] == [
        "Creative Commons Attribution-ShareAlike 4.0", "see elsewhere"
    ]  # fmt: skip
    assert (line["license"], line["genre"]) == ("CC BY-NC-SA 4.0", "news fiction")
    assert line["stats_xml"] == {"sentences": 2, "words": 9}
    assert line["renamed_to"] is None


def test_an_earlier_release_and_a_checkout_of_it(tmp_path: Path) -> None:
    clone = clone_of(tmp_path)
    git(clone, "checkout", "-q", "r2.9")
    line = script.index_of(clone, "2.9")
    assert line["tag"] == "r2.9"
    assert line["files"][0]["sha256"] == hashlib.sha256(b"one\n").hexdigest()


def test_the_catalogue_can_be_made_of_it(tmp_path: Path) -> None:
    clone_of(tmp_path)
    out = tmp_path / "index.jsonl"
    script.main([str(tmp_path), "--out", str(out)])
    (line,) = pin_treebanks(read_index(out), "2.10").lines.values()
    assert (line["code"], line["licence"], line["words"]) == ("ott", "CC-BY-NC-SA-4.0", 9)
    assert not line["commercial"]


def test_a_renamed_treebank_names_its_heir(tmp_path: Path) -> None:
    clone = clone_of(tmp_path)
    text = "This treebank was renamed to UD_Sea_Otter-Own.\n"
    (clone / "README.md").write_text(text, encoding="utf-8")
    git(clone, "commit", "-qam", "renamed")
    assert script.index_of(clone)["renamed_to"] == "UD_Sea_Otter-Own"


def test_a_clone_without_a_release(tmp_path: Path) -> None:
    clone = tmp_path / "UD_Otter-New"
    clone.mkdir()
    git(clone, "init", "-q")
    line = script.index_of(clone)
    assert (line["tag"], line["status"], line["files"]) == (None, "unreleased", [])
