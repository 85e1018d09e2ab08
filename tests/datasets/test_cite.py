"""Citing a data set: BibTeX, and the bibliography that it comes from."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from expecting import problems_of
from release import CHECKOUT
from solecism import __version__
from solecism.commands import main
from solecism.datasets.catalogue import (
    CatalogueEntry,
    bibtex,
    cite,
    read_bibliography,
    read_catalogue,
    references_of,
)
from solecism.root import Root

TINY = CatalogueEntry("tiny", "1.2.0", "Tiny", date=date(2026, 11, 21), hub="org/tiny")
BIB = """@inproceedings{who-2020-what,
  author = {Who, Anna and van der What, Bo and Cher},
  title = {The {BLiMP} of {E}nglish},
  booktitle = {Proceedings},
  year = {2020},
  pages = {12--34},
  url = {https://example.org/1},
}

@article{they-2021-where,
  author = {They, C.},
  title = {Where},
  journal = {Journal of Places},
  volume = {8},
  year = {2021},
  doi = {10.1/2},
}
"""


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "references.bib").write_text(BIB, encoding="utf-8")
    return Root(tmp_path)


def test_a_version_has_its_own_entry() -> None:
    assert bibtex(TINY) == (
        "@misc{solecism-tiny,\n"
        "  author = {{The authors of Tiny}},\n"
        "  title = {Tiny, version 1.2.0},\n"
        "  year = {2026},\n"
        "  url = {https://huggingface.co/datasets/org/tiny},\n"
        "}"
    )
    assert "year" not in bibtex(replace(TINY, date=None))
    assert "url" not in bibtex(replace(TINY, hub=""))
    odd = bibtex(replace(TINY, name="a}, x={", pretty_name="{T}}, note = {\\input{x}\n@misc{y"))
    assert odd.startswith("@misc{solecism-a-x-,\n")
    assert "  title = {T, note = inputx miscy, version 1.2.0},\n" in odd
    people = bibtex(replace(TINY, authors=("Who, Anna", "The Group")))
    assert "  author = {Who, Anna and {The Group}},\n" in people


def test_an_unknown_source_is_told_with_candidates(root: Root) -> None:
    entry = replace(TINY, sources=("who-2020-wat", "nobody"))
    told = problems_of(lambda: references_of(root, entry), root.path)
    assert len(told) == 2
    assert told[0].startswith("references.bib: [tiny] has source 'who-2020-wat' (did you mean")
    assert "they-2021-where" in told[1]


def test_cite_prints_the_data_set_the_tool_and_the_sources() -> None:
    told = CliRunner().invoke(main, ["list", "clams", "--cite", "--root", str(CHECKOUT)])
    assert told.exit_code == 0
    assert told.output == cite(Root(CHECKOUT), "clams") + "\n"
    keys = [line for line in told.output.splitlines() if line.startswith("@")]
    assert keys == [
        "@misc{solecism-clams,",
        "@software{solecism,",
        "@inproceedings{mueller-etal-2020-cross,",
        "@inproceedings{marvin-linzen-2018-targeted,",
    ]
    assert f"version = {{{__version__}}}" in told.output
    assert told.output.count("{") == told.output.count("}")


def test_every_source_of_the_catalogue_stands_in_the_bibliography() -> None:
    root = Root(CHECKOUT)
    path = CHECKOUT / "builders" / "solecism" / "datasets" / "catalogue.toml"
    for entry in read_catalogue(path).values():
        assert len(references_of(root, entry)) == len(entry.sources)


def test_fields_of_several_lines_without_quotes_and_in_capitals_are_read(tmp_path: Path) -> None:
    path = tmp_path / "references.bib"
    path.write_text(
        '@Article(a,\n  AUTHOR = "Roe, J. and {The Group}", title = {Much\n    ado {A}},\n'
        "  year = 2020, url = {u} }\n@misc{b, title={B}}\n".replace("(a", "{a"),
        encoding="utf-8",
    )
    found = read_bibliography(path)
    assert list(found) == ["a", "b"]
    assert found["a"].fields == {
        "author": "Roe, J. and {The Group}", "title": "Much ado {A}", "year": "2020", "url": "u",
    }  # fmt: skip
    assert found["a"].authors == ["Roe, J.", "{The Group}"]
    assert found["a"].text.startswith("@Article{a,")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("@misc{a,\n  title = {A},\n", "1: BibTeX: '@misc{a, title = {A},': it needs a key"),
        ("\n@misc{a, title={A}}\n@misc{a, title={B}}", "3: BibTeX: '@misc{a, title={B}}': the key is"),
        ("% x\n@book{a,\n title = {x,\n}\n@misc{b, title={B}}", "2: BibTeX: '@book{a, title = {x, }'"),
        ("@book{a\n title = {x}\n}", "1: BibTeX: '@book{a title = {x} }': it needs a key"),
        ("@book{a,\n title {x}\n}", "1: BibTeX: '@book{a, title {x} }': 'title {x}' is not of"),
    ],
)  # fmt: skip
def test_broken_entries_are_named_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "references.bib"
    path.write_text(text, encoding="utf-8")
    problems = problems_of(lambda: read_bibliography(path), tmp_path)
    assert problems[0].startswith(f"references.bib:{told}"), problems
