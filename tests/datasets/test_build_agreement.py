"""``solecism build agreement``: a data set folder from a mirror of treebanks."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from datasets import load_dataset

from solecism.commands import main
from solecism.datasets import from_treebanks
from solecism.datasets.from_treebanks import mined_configs
from solecism.errors import InputError
from solecism.hub.push import plan_push
from solecism.schema import CLOZE, FORMS
from solecism.treebank.minimal_pairs import SCHEMA
from solecism.works import catalogue
from solecism.works.catalogue import NOT_STATED, Origin, lists
from solecism.works.sources import LocalSource
from treebank import conllu, write_mirror

FIN = "Mood=Ind|Number={}|Person=3|Tense=Pres|VerbForm=Fin"
BARK = f"""
    Strange strange ADJ Degree=Pos 2 amod
    dogs dog NOUN Number=Plur 3 nsubj
    bark+ bark VERB {FIN.format("Plur")} 0 root
    . . PUNCT _ 3 punct
"""
BARKS = f"""
    That that DET Number=Sing|PronType=Dem 2 det
    dog dog NOUN Number=Sing 3 nsubj
    barks+ bark VERB {FIN.format("Sing")} 0 root
    . . PUNCT _ 3 punct
"""
THOSE = f"""
    Those that DET Number=Plur|PronType=Dem 2 det
    dogs dog NOUN Number=Plur 3 nsubj
    sleep+ sleep VERB {FIN.format("Plur")} 0 root
    . . PUNCT _ 3 punct
"""
BROKEN = "1\tThis\tthis\tDET\n\n"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror of two English treebanks, which share a sentence."""
    folder = tmp_path / "mirror"
    write_mirror(folder, "UD_English-EWT", "en_ewt-ud-test.conllu", conllu(BARK, BARKS))
    write_mirror(folder, "UD_English-GUM", "en_gum-ud-test.conllu", conllu(BARKS, THOSE))
    monkeypatch.setenv("SOLECISM_SOURCES", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(from_treebanks, "LEAST", 1)
    monkeypatch.chdir(tmp_path)
    return folder


def test_languages_with_nothing_are_left_out_with_the_reason(mirror: Path) -> None:
    plain = conllu("a a X _ 0 root")
    write_mirror(mirror, "UD_Yoruba-YTB", "yo_ytb-ud-test.conllu", plain)
    result = build()
    assert result.exit_code == 0, result.output
    assert "left out, no features of agreement are annotated: yo" in result.output
    manifest = json.loads(Path("agreement/manifest.json").read_text(encoding="utf-8"))
    assert manifest["left_out"]["yo"] == "no features of agreement are annotated"
    assert not Path("agreement/yo").exists()
    assert not Path("agreement/yo-forms").exists()
    assert (
        "| `yo` | no features of agreement are annotated |"
        in Path("agreement/README.md").read_text()
    )
    alone = build("yo", "--out", "alone")
    assert (alone.exit_code, Path("alone").exists()) == (2, False)
    assert "yo: no features of agreement are annotated" in alone.output


def build(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["build", "agreement", *arguments])


def built(*arguments: str) -> dict[str, Any]:
    done = build(*arguments)
    assert done.exit_code == 0, done.output
    out = arguments[arguments.index("--out") + 1] if "--out" in arguments else "agreement"
    manifest: dict[str, Any] = json.loads((Path(out) / "manifest.json").read_text(encoding="utf-8"))
    return manifest


@pytest.mark.usefixtures("mirror")
def test_a_folder_that_load_dataset_opens() -> None:
    manifest = built("en")
    assert list(manifest["configs"]) == ["en", "en-forms", "en-pairs", "en-pairs-wide"]
    assert [facts["kind"] for facts in manifest["configs"].values()] == [
        "cloze", "forms", "pair", "pair",
    ]  # fmt: skip
    items = load_dataset("agreement", "en", split="test")
    assert set(items["masked"]) == {"controller", "target"}
    assert set(items["treebank"]) == {"UD_English-EWT", "UD_English-GUM"}
    licences = {(row["treebank"], row["licence"]) for row in items}
    assert licences == {
        ("UD_English-EWT", "CC-BY-SA-4.0"),
        ("UD_English-GUM", "CC-BY-NC-SA-4.0"),
    }
    assert all(row["left"] + row["answer"] + row["right"] == row["text"] for row in items)
    for name, schema in (("en", CLOZE), ("en-forms", FORMS), ("en-pairs", SCHEMA)):
        path = Path("agreement") / name / "test-00000-of-00001.parquet"
        assert pq.read_schema(path).equals(schema)


@pytest.mark.usefixtures("mirror")
def test_duplicates_are_dropped_over_all_treebanks() -> None:
    told = built("en")["configs"]["en"]["paradigms"]
    assert list(told) == ["UD_English-EWT", "UD_English-GUM"]
    assert told["UD_English-EWT"]["duplicates"] == 0
    assert told["UD_English-GUM"]["duplicates"] == 4  # two relations, either end masked
    items = load_dataset("agreement", "en", split="test")
    assert len(set(items["id"])) == len(items)
    assert len(items) == sum(facts["sets"] for facts in told.values())


@pytest.mark.usefixtures("mirror")
def test_the_manifest_names_sources_filters_and_caps() -> None:
    manifest = built("en")
    sources = {source["treebank"]: source for source in manifest["sources"]}
    ewt = sources["UD_English-EWT"]
    assert ewt["repository"] == "https://github.com/UniversalDependencies/UD_English-EWT"
    assert ewt["missing"] == ["en_ewt-ud-train.conllu", "en_ewt-ud-dev.conllu"]
    assert ewt["changed"] == ["en_ewt-ud-test.conllu"]  # it is not the real one
    assert sources["UD_English-GUM"]["changed"] == ["en_gum-ud-test.conllu"]
    assert [source["commercial"] for source in sources.values()] == [True, False]
    assert all(source["redistributable"] for source in sources.values())
    assert manifest["inputs"].keys() <= {
        "dataset_cards/agreement.md",
        "dataset_cards/agreement.changelog.md",
        "references.bib",
    }
    facts = manifest["configs"]["en"]["paradigms"]["UD_English-EWT"]
    assert (facts["preset"], facts["sentences"]) == ("strict", 2)
    assert facts["relations"] == {"determiner": 1, "verb": 2}  # one of a sentence
    pairs = manifest["configs"]["en-pairs"]["paradigms"]["en-pairs"]
    assert pairs["caps"]["lemma"] == 10
    assert pairs["made"]["verb_number"] == 2


def test_what_may_not_be_passed_on_is_mined_and_not_pushed(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wordless = Origin("UD_English-ESL", "en", "UD/UD_English-ESL", "0", "CC-BY-4.0", (), text=False)
    monkeypatch.setattr(catalogue, "treebank_origins", lambda: (wordless,))
    write_mirror(mirror, "UD_English-ESL", "en_esl-ud-test.conllu", conllu(BARK, BARKS))
    done = build("en")
    assert done.exit_code == 0
    assert "UD_English-ESL: what is made of it may not be passed on" in done.output
    assert "(not to be passed on)" in Path("agreement/README.md").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"may not be passed on: UD_English-ESL"):
        plan_push(Path("agreement"), "someone/agreement")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fr", "there are no treebanks of 'fr' (UD_French-GSD"),
        ("xx", "has no language 'xx'"),
        ("en-forms", "has no language 'en-forms'"),
    ],
)
@pytest.mark.usefixtures("mirror")
def test_languages_that_are_not_there(name: str, message: str) -> None:
    done = build("en", name)
    assert done.exit_code == 2
    assert message in done.output
    assert not Path("agreement").exists()


def test_a_broken_treebank_leaves_nothing_behind(mirror: Path) -> None:
    path = mirror / "UD_English-GUM" / "en_gum-ud-test.conllu"
    path.write_text(BROKEN, encoding="utf-8")
    done = build("en")
    assert done.exit_code == 2
    assert f"{path}:1" in done.output
    assert not list(Path().glob("*agreement*"))


def told(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.usefixtures("mirror")
def test_show_mines_what_is_not_built() -> None:
    shown = told("show", "agreement/en", "-n", "9")
    assert "[" in shown.splitlines()[1]
    assert "verb, masked: " in shown
    chosen = told("show", "agreement/en", "--where", "masked=target", "--json").splitlines()
    assert {json.loads(line)["masked"] for line in chosen} == {"target"}
    assert "lemma dog" in told("show", "agreement/en-forms", "-n", "99")
    assert "agreement/en-pairs" in told("show", "agreement/en-pairs").splitlines()[0]
    for name in ("en", "en-pairs"):  # of mined items the treebank says lemma and features
        glossed = " ".join(told("show", f"agreement/{name}", "-n", "9", "--gloss").split())
        assert "lemma and features: " in glossed
        assert "dogs dog.PL" in glossed
    before = told("show", "agreement/en", "-n", "9")
    built("en")
    assert before.startswith(told("show", "agreement/en", "-n", "9"))
    assert "UD_English-EWT     yes" in before


def test_commercial_leaves_out_nc(mirror: Path) -> None:
    write_mirror(mirror, "UD_Hebrew-HTB", "he_htb-ud-test.conllu", conllu(BARK))
    done = build("--commercial")
    assert "note: left out, no treebank allows commercial use: he" in done.output
    manifest = json.loads(Path("agreement/manifest.json").read_text(encoding="utf-8"))
    assert list(manifest["configs"]["en"]["paradigms"]) == ["UD_English-EWT"]
    assert "he" not in manifest["configs"]


def test_a_language_that_has_only_nc_says_so(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mirror(mirror, "UD_Hebrew-HTB", "he_htb-ud-test.conllu", conllu(BARK))
    closed = [replace(o, commercial=False) for o in catalogue.treebanks_of("he")]
    monkeypatch.setattr(catalogue, "treebank_origins", lambda: tuple(closed))
    done = build("he", "--commercial")
    assert done.exit_code == 2
    assert "no treebank of 'he' allows commercial use (CC-BY" in done.output
    assert "without --commercial only" in done.output


@pytest.mark.usefixtures("mirror")
def test_a_word_list_without_a_licence_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    (mined,) = [c for c in mined_configs("agreement", ["en"]) if c.name == "en-forms"]
    listed = LocalSource(replace(lists()["eng"], licence=NOT_STATED), ())
    monkeypatch.setattr(from_treebanks, "lexicon", lambda code: listed)
    assert from_treebanks._MinedLanguage("en", ()).lexicon is None
    free = LocalSource(lists()["eng"], ())
    monkeypatch.setattr(from_treebanks, "lexicon", lambda code: free)
    assert from_treebanks._MinedLanguage("en", (), commercial=True).lexicon is free
    assert mined.kind == "forms"
