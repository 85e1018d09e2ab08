"""The presets of the paper: golden counts, and item for item against a plain reading with
``conllu``."""

from pathlib import Path

import conllu
import pyarrow as pa
import pytest
from test_mine_filters import find, pairs

from mine_reference import RELATIONS, mine_plainly, reading
from release import SHARED, TREEBANKS
from solecism.schema import CLOZE
from solecism.treebank.conllu import files_of
from solecism.treebank.languages import find_language, languages
from solecism.treebank.mining import MiningCounts, Settings, mine_files

FOLDER = TREEBANKS
LETTER, MEANT = "paper-program", "paper"


_FEATURES = ("Number", "Gender", "Case", "Person")


def ours(paths: list[Path], language: str, preset: str) -> list[dict]:
    """Our items in the words of the reference, both ends masked."""
    masks = ("controller", "target")
    settings = Settings(find_language(language), preset, masks)
    items = pa.concat_tables(
        [*mine_files(paths, settings, MiningCounts()), CLOZE.empty_table()]
    ).to_pylist()
    kept = ("relation", "masked", "answer", "feats", "agrees_in", "distance", "distractors")
    return [
        {
            **{name: item[name] for name in kept},
            "sent_id": item["sent_id"] or None,
            "intervening_noun": item["intervening_noun"],
            "target": item["target"]["index"],
            "controller": item["controller"]["index"],
            "attractors": [word["index"] for word in item["attractors"]],
        }
        for item in items
    ]


def plainly(sentences: list[conllu.TokenList], language: str, preset: str) -> list[dict]:
    """The items of the reference."""
    relations = RELATIONS[language]
    items = mine_plainly(sentences, relations, preset == LETTER, ["controller", "target"])
    return [{name: value for name, value in item.items() if name != "context"} for item in items]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.conllu")), ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "fr", "he"])
@pytest.mark.parametrize("preset", [LETTER, MEANT])
def test_own_sentences_as_the_reference_reads_them(path: Path, language: str, preset: str) -> None:
    assert ours([path], language, preset) == plainly(list(reading([path])), language, preset)


@pytest.mark.skipif(not (SHARED / "ud").is_dir(), reason="no ../shared/ud beside the checkout")
@pytest.mark.parametrize(
    "name",
    ["English-EWT", "Finnish-TDT", "French-GSD", "German-GSD", "Hebrew-HTB", "Hebrew-IAHLTwiki",
     "Italian-ISDT", "Polish-PDB", "Russian-GSD", "Russian-Taiga", "Spanish-GSD"],
)  # fmt: skip
def test_treebanks_as_the_reference_reads_them(name: str) -> None:
    paths = list((SHARED / "ud" / f"UD_{name}").glob("*dev.conllu"))
    language, sentences = paths[0].name[:2], list(reading(paths))
    for preset in (LETTER, MEANT):
        found = ours(paths, language, preset)
        assert len(found) > 500
        assert found == plainly(sentences, language, preset)


@pytest.mark.skipif(
    not (SHARED / "ud-r2.4").is_dir(), reason="no ../shared/ud-r2.4 beside the checkout"
)
@pytest.mark.parametrize(
    ("name", "language", "count"),
    [
        ("Afrikaans-AfriBooms", "af", 2304),
        ("Armenian-ArmTDP", "hy", 1434),
        ("Tamil-TTB", "ta", 909),
        ("Breton-KEB", "br", 263),
        ("Hungarian-Szeged", "hu", 193),
    ],
)
def test_golden_counts(name: str, language: str, count: int) -> None:
    paths = files_of([SHARED / "ud-r2.4" / f"UD_{name}"])
    tally = MiningCounts()
    items = list(mine_files(paths, Settings(find_language(language), LETTER), tally))
    assert tally.items == sum(map(len, items)) == count


def test_relations_of_the_paper_are_those_of_its_list() -> None:
    for code, relations in RELATIONS.items():
        assert list(languages()[code].paper) == relations


VALUES = """\
1\tx\tx\tDET\t_\t{0}\t2\tdet\t_\t_
2\ty\ty\tNOUN\t_\t{1}\t0\troot\t_\t_

"""


@pytest.mark.parametrize(
    ("target", "controller", "kept", "shared"),
    [
        ("Number=Sing", "Number=Sing", [True, True], "Number"),
        ("Number=Sing", "Number=Plur", None, ""),
        ("Number=Dual", "Number=Plur", [True, False], ""),
        ("_", "Number=Plur", [True, False], ""),
        ("Case=Nom", "Number=Plur", [True, True], ""),
        ("Case=Dat", "Case=Gen", None, ""),
        ("Gender=Com", "Gender=Neut", [True, False], ""),
        ("Gender=Fem,Masc", "Gender=Masc", [True, True], "Gender"),
        ("Gender=Com,Neut", "Gender=Neut", [True, True], "Gender"),
        ("Gender=Fem,Masc", "Gender=Neut", None, ""),
        ("Person=1,2,3", "Person=3", [True, True], "Person"),
        ("Number[psor]=Sing", "Number[psor]=Plur", None, ""),
        ("PronType=Art", "Foreign=Yes", None, ""),
    ],
)
def test_values_that_count(
    target: str, controller: str, kept: list[bool] | None, shared: str
) -> None:
    _, found, _ = find(VALUES.format(target, controller).encode(), "fr", preset=MEANT)
    if kept is None:
        assert not found.kept.any()
    else:
        assert found.kept[:, 0].tolist() == kept
        assert [
            n for n, s in zip(_FEATURES, found.shared[:, 0], strict=True) if s
        ] == shared.split()


def test_only_one_subject_is_taken_for_an_auxiliary() -> None:
    rows = [
        "1\ta\ta\tPROPN\t_\tNumber=Sing\t4\tnsubj\t_\t_",
        "2\tb\tb\tNOUN\t_\tNumber=Sing\t4\tnsubj\t_\t_",
        "3\tc\tc\tNOUN\t_\tNumber=Sing\t4\tnsubj\t_\t_",
        "4\td\td\tVERB\t_\t_\t0\troot\t_\t_",
        "5\te\te\tAUX\t_\tNumber=Sing\t4\taux\t_\t_",
    ]
    text = ("\n".join(rows) + "\n\n").encode()
    assert pairs(*find(text, "en", preset=MEANT)[:2]) == ["d b", "d c", "e b"]
    assert pairs(*find(text, "en", preset=LETTER)[:2]) == ["d b", "d c"]


def test_a_subject_below_the_auxiliary_is_the_letters() -> None:
    rows = [
        "1\tb\tb\tNOUN\t_\tNumber=Sing\t2\tnsubj\t_\t_",
        "2\te\te\tAUX\t_\tNumber=Sing\t3\taux\t_\t_",
        "3\td\td\tVERB\t_\t_\t0\troot\t_\t_",
    ]
    text = ("\n".join(rows) + "\n\n").encode()
    assert pairs(*find(text, "en", preset=LETTER)[:2]) == ["e b"]
    assert pairs(*find(text, "en", preset=MEANT)[:2]) == []
