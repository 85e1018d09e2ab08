"""The presets of the paper: golden counts, and item for item against a plain reading with
``conllu``."""

from itertools import compress
from pathlib import Path

import conllu
import pyarrow as pa
import pytest
from test_mine_filters import find, pairs

from mine_reference import RELATIONS, mine_plainly, reading
from release import SHARED, TREEBANKS
from solecism.treebank.conllu import files_of
from solecism.treebank.languages import find_language, languages
from solecism.treebank.mining import MiningCounts, Settings, mine_files
from treebank import conllu as words

FOLDER = TREEBANKS
LETTER, MEANT = "paper-program", "paper"


_FEATURES = ("Number", "Gender", "Case", "Person")


def ours(paths: list[Path], language: str, preset: str) -> list[dict]:
    """Our items in the words of the reference, both ends masked."""
    settings = Settings(find_language(language), preset, ("controller", "target"))
    tables = mine_files(paths, settings, MiningCounts())
    kept = (
        "relation", "masked", "answer", "feats", "agrees_in", "distance", "distractors",
        "intervening_noun",
    )  # fmt: skip
    return [
        {
            **{name: item[name] for name in kept},
            "sent_id": item["sent_id"] or None,
            "target": item["target"]["index"],
            "controller": item["controller"]["index"],
            "attractors": [word["index"] for word in item["attractors"]],
        }
        for item in pa.concat_tables(tables).to_pylist()
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
        ("Afrikaans-AfriBooms", "af", 2304), ("Armenian-ArmTDP", "hy", 1434),
        ("Tamil-TTB", "ta", 909), ("Breton-KEB", "br", 263), ("Hungarian-Szeged", "hu", 193),
    ],
)  # fmt: skip
def test_golden_counts(name: str, language: str, count: int) -> None:
    paths = files_of([SHARED / "ud-r2.4" / f"UD_{name}"])
    tally = MiningCounts()
    items = list(mine_files(paths, Settings(find_language(language), LETTER), tally))
    assert tally.items == sum(map(len, items)) == count


def test_relations_of_the_paper_are_those_of_its_list() -> None:
    for code, relations in RELATIONS.items():
        assert list(languages()[code].paper) == relations


@pytest.mark.parametrize(
    ("target", "controller", "kept", "shared"),
    [
        ("Number=Sing", "Number=Sing", [True, True], "Number"),
        ("Number=Sing", "Number=Plur", None, ""),
        ("Number=Dual", "Number=Plur", [True, False], ""),
        ("Case=Nom", "Number=Plur", [True, True], ""),
        ("Gender=Fem,Masc", "Gender=Masc", [True, True], "Gender"),
        ("Gender=Fem,Masc", "Gender=Neut", None, ""),
        ("Number[psor]=Sing", "Number[psor]=Plur", None, ""),
    ],
)
def test_values_that_count(
    target: str, controller: str, kept: list[bool] | None, shared: str
) -> None:
    text = words(f"x x DET {target} 2 det\ny y NOUN {controller} 0 root").encode()
    _, found, _ = find(text, "fr", preset=MEANT)
    if kept is None:
        assert not found.kept.any()
    else:
        assert found.kept[:, 0].tolist() == kept
        assert [*compress(_FEATURES, found.shared[:, 0])] == shared.split()


def test_the_subject_of_an_auxiliary() -> None:
    """One only; by the letter of the program, one that depends on the auxiliary itself."""
    several = """
        a a PROPN Number=Sing 4 nsubj
        b b NOUN Number=Sing 4 nsubj
        c c NOUN Number=Sing 4 nsubj
        d d VERB _ 0 root
        e e AUX Number=Sing 4 aux
    """
    below = "b b NOUN Number=Sing 2 nsubj\ne e AUX Number=Sing 3 aux\nd d VERB _ 0 root"
    for sentence, meant, by_letter in (
        (several, ["d b", "d c", "e b"], ["d b", "d c"]), (below, [], ["e b"]),
    ):  # fmt: skip
        text = words(sentence).encode()
        assert pairs(*find(text, "en", preset=MEANT)[:2]) == meant
        assert pairs(*find(text, "en", preset=LETTER)[:2]) == by_letter
