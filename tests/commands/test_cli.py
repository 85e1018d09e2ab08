"""The command line for authors: list, show, new, and what it says of bad input."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import solecism
from drawing import make_root, template
from release import CHECKOUT
from scored import make_pairs
from solecism.check.templates import EXAMPLE
from solecism.commands import VERBS, main
from solecism.commands.show import mark_difference
from solecism.grammar.template import read_template
from solecism.root import Root

NOUN = """
lemma   Number=Sing  Number=Plur  Animacy  Set
author  author       authors      Anim     1
cook    cook         cooks        Anim     2
"""
VERB = """
lemma  Number=Sing  Number=Plur  Frame
sleep  sleeps       sleep        intransitive
"""
SPELLING = "rule  left  right  result\ncapital  -  -  yes\nstop  -  -  ."
FRONT = """
slots:
  author: {from: noun}
  cook: {from: noun}
  sleeps: {from: verb}
controller: author
attractors: [cook]
"""
LINES = """
good: the {{ author }} near the {{ cook }} {{ sleeps | agree(author) }}
bad: the {{ author }} near the {{ cook }} {{ sleeps | clash(author, "Number") }}
"""
SUITE_LINES = """
one: the {{ author }} [verb: {{ sleeps | agree(author) }}]
two: the {{ author }} [verb: {{ sleeps | clash(author, "Number") }}]
"""
SUITE = "slots:\n  author: {from: noun}\n  sleeps: {from: verb}\npredictions: two.verb > one.verb"
HEBREW = "lemma  Number=Sing  Number=Plur\nמלצר  מלצר  מלצרים"
HEBREW_LINES = "good: {{ m }} אחד\nbad: {{ m }} אחת"

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    monkeypatch.delenv("SOLECISM_SOURCES", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tables = {"noun": NOUN, "verb": VERB, "orthography": SPELLING}
    texts = {
        "across": template("across", FRONT, LINES),
        "some": template("some", f"{FRONT.strip()}\ndraw: 3", LINES.replace("near", "beside")),
        "suite": template("suite", SUITE, SUITE_LINES),
    }
    made = make_root(tmp_path, tables, texts)
    hebrew = {"one": template("one", "slots:\n  m: {from: noun}", HEBREW_LINES)}
    make_root(tmp_path, {"noun": HEBREW, "orthography": SPELLING}, hebrew, "", "tiny", "he")
    return made


@pytest.fixture
def pairs(root: Root) -> Root:
    """The root without its suite: a config has items of one kind."""
    (root.path / "templates" / "tiny" / "xx" / "suite.jinja").unlink()
    return root


def run(root: Root | None, *arguments: str, code: int = 0) -> Result:
    """Run the command line; bad input must give lines, not a traceback."""
    where = [] if root is None else ["--root", str(root.path)]
    result = CliRunner().invoke(main, [*arguments, *where])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def lines(result: Result) -> list[str]:
    return [line.rstrip() for line in result.stdout.splitlines()]


def items(result: Result) -> list[dict[str, Any]]:
    """What is printed as JSON, a line each."""
    return [json.loads(line) for line in result.stdout.splitlines()]


# list


def test_list_gives_a_line_for_each_config(root: Root) -> None:
    rows = [line.split() for line in lines(run(root, "list"))]
    assert rows == [
        ["name", "version", "paradigms", "items"],
        ["tiny/he", "0.0.0", "1", "up", "to", "2", "sets"],
        ["tiny/xx", "0.0.0", "3", "up", "to", "15", "sets"],
        ["agreement", "1.0.0", "288", "mined,", "0", "of", "288", "treebanks", "here"],
        ["cases", "1.0.0", "288", "mined,", "0", "of", "288", "treebanks", "here"],
    ]
    del rows[-2:]
    assert [line.split() for line in lines(run(root, "list", "tiny"))] == rows
    first, *found = items(run(root, "list", "--json", "tiny/he", "tiny", "tiny/xx"))
    assert first == {
        "name": "tiny/he/one", "version": "0.0.0", "paradigms": 1, "sets": 2, "here": None,
        "items": None, "problems": [],
        "iso639_3": ["heb"], "language_tags": ["heb_Hebr"],
    }  # fmt: skip
    assert {row["name"]: row["sets"] for row in found} == {
        "tiny/he": 2, "tiny/xx": 15, "tiny/xx/across": 8, "tiny/xx/some": 3, "tiny/xx/suite": 4,
    }  # fmt: skip


def test_list_says_how_many_items_were_locked(pairs: Root, tmp_path: Path) -> None:
    """Only a build knows: *sheep sees* is left out where its plural is the same."""
    noun = pairs.path / "lexicons/xx/noun.tsv"
    noun.write_text(noun.read_text().replace("\tcooks\t", "\tcook\t"))
    (pairs.path / "templates/tiny/xx/some.jinja").unlink()
    said = "good: {{ cook }} {{ sleeps }}\nbad: {{ cook | form(Number='Sing') }} {{ sleeps }}"
    slots = "slots:\n  cook: {from: noun, Number: Plur}\n  sleeps: {from: verb, Number: Plur}"
    across = pairs.path / "templates/tiny/xx/across.jinja"
    across.write_text(template("across", slots, said), encoding="utf-8")
    assert lines(run(pairs, "list"))[2].split()[2:] == ["1", "up", "to", "2", "sets"]
    (pairs.path / "catalogue.toml").write_text('[tiny]\nversion = "1.0.0"\n')
    run(pairs, "build", "tiny", "--out", str(tmp_path / "tiny"))
    run(pairs, "lock", str(tmp_path / "tiny"))
    assert lines(run(pairs, "list"))[2].split()[1:] == ["1.0.0", "1", "1"]
    assert lines(run(pairs, "list", "tiny/xx"))[1].split()[2:] == ["1", "up", "to", "2", "sets"]


def test_a_broken_template_is_a_row_of_list(root: Root) -> None:
    make_root(root.path, {}, {"bad": template("bad", "draw: many\n" + FRONT, LINES)}, "", "worse")
    told = run(root, "list", code=2)
    first = [line.split()[0] for line in lines(told)[1:] if line[0] != " "]
    assert first == ["tiny/he", "tiny/xx", "worse", "agreement", "cases"]
    assert "broken:" in told.stdout
    assert "'many'" in told.stderr
    *_, broken, _, _ = items(run(root, "list", "--json", code=2))
    assert (broken["name"], "'many'" in broken["problems"][0]["message"]) == ("worse", True)


def test_list_tells_the_languages_of_a_mined_data_set(root: Root) -> None:
    rows = [line.split() for line in lines(run(root, "list", "agreement"))][1:]
    hebrew = ["agreement/he", "Hebrew", "0", "of", "3"]
    assert hebrew in [row[:5] for row in rows]
    assert ["agreement/sq", "Albanian"] in [row[:2] for row in rows]
    assert len(rows) >= 180
    assert lines(run(root, "list", "agreement/he"))[1].split()[0] == "agreement/he"
    told = run(root, "list", "agreement/xx", code=2).stderr
    assert "data set 'agreement' has no config 'xx'" in told
    (size,) = items(run(root, "list", "--json", "agreement/albanian"))
    assert (size["name"], size["language"]) == ("agreement/sq", "Albanian")
    assert (size["iso639_3"], size["language_tags"]) == (["sqi"], ["sqi_Latn"])
    assert {work["licence"] for work in size["treebanks"]} == set(size["licences"])


# show


def test_show_reads_a_built_folder(pairs: Root, tmp_path: Path) -> None:
    out = tmp_path / "built" / "tiny"
    run(pairs, "build", "tiny", "--out", str(out))
    shown = lines(run(pairs, "show", f"{out}/he", "-n", "1"))
    assert shown[0] == f"{out}/he: 2 items, 1 shown"
    assert "good" in shown[1]
    told = run(pairs, "show", f"{out}/yy", code=2).stderr
    assert "has no config 'yy' (configs: he, xx)" in told


def test_show_says_how_to_get_what_is_mined(root: Root) -> None:
    told = run(root, "show", "agreement/he", code=2).stderr
    names = "UD_Hebrew-IAHLTknesset, UD_Hebrew-IAHLTwiki, UD_Hebrew-HTB"
    assert f"there are no treebanks of 'he' ({names}) in the cache" in told
    assert "run `solecism mine agreement he --fetch`, or set SOLECISM_SOURCES" in told
    assert "as agreement/he" in run(root, "show", "agreement", code=2).stderr


# build


@pytest.mark.parametrize(
    "names", [["tiny/he", "tiny/xx"], ["tiny/he", "xx"], ["tiny/", "he", "xx/"], ["tiny"]]
)
def test_build_takes_names_with_their_data_set(
    pairs: Root, tmp_path: Path, names: list[str]
) -> None:
    out = tmp_path / "out"
    run(pairs, "build", *names, "--out", str(out), "--json")
    assert sorted(path.parent.name for path in out.rglob("*.parquet")) == ["he", "xx"]


# show, the rest


def test_show_puts_brackets_around_the_words_that_differ(root: Root) -> None:
    shown = lines(run(root, "show", "tiny/xx/across", "-n", "1"))
    assert shown[0] == "tiny/xx/across: 8 items, 1 shown"
    assert shown.pop(1) == "A test."
    good = re.fullmatch(r"  1 good  The (\w+) near the (\w+) \[(sleeps?)\]\.", shown[1])
    bad = re.fullmatch(r"    bad  \*The (\w+) near the (\w+) \[(sleeps?)\]\.", shown[2])
    assert good is not None
    assert bad is not None
    assert good.groups()[:2] == bad.groups()[:2]
    assert {good[3], bad[3]} == {"sleep", "sleeps"}
    features = " ".join(" ".join(shown[3:]).split())
    assert re.search(r"^controller \w+ \w+ 3; attractor \w+ \w+; match \w+; inter", features)
    assert re.search(r"intervenes True; distance 4; target sleep; id [0-9a-f]{16}$", features)


def test_show_puts_glosses_below_their_words(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")  # lines of words and of glosses are wrapped together
    shown = lines(run(root, "show", "tiny/xx/across", "--gloss", "-n", "1"))
    assert max(map(len, shown)) <= 40
    shown.remove("A test.")
    blank = shown.index("")
    sides = shown[1:blank], shown[blank + 1 : shown.index("", blank + 1)]
    for side, star in zip(sides, " *", strict=True):
        assert side[0][9] == star
        words, glosses = ([line[10:] for line in side[n::2]] for n in (0, 1))
        assert len(words) == len(glosses) == 2
        for above, below in zip(words, glosses, strict=True):
            starts = [[m.start() for m in re.finditer(r"\S+", text)] for text in (above, below)]
            assert starts[0] == starts[1]
        assert " ".join("".join(glosses).split()).startswith("the ")
    assert re.search(r"\[sleeps?\]\.", sides[0][2])
    assert "sleep.SG" in sides[0][3] + sides[1][3]
    hebrew = lines(run(root, "show", "tiny/he/one", "--gloss", "-n", "1"))[1:]
    assert re.match(r"  1 good  \u2067מלצר(ים)?\u2069 +\u2067\[אחד\]\.\u2069$", hebrew[1])
    assert re.match(r" {10}מלצר\.(SG|PL)  אחד$", hebrew[2])
    suite = lines(run(root, "show", "tiny/xx/suite", "--gloss", "-n", "1"))[1:]
    assert re.match(r"  1 one The  (author|cook)s? +sleeps?\.$", suite[1])


def test_glosses_of_a_built_folder_are_drawn_again(pairs: Root, tmp_path: Path) -> None:
    out = tmp_path / "built" / "tiny"
    run(pairs, "build", "tiny", "--out", str(out))
    drawn = items(run(pairs, "show", "tiny/xx/across", "-n", "9", "--gloss", "--json"))
    built = items(run(pairs, "show", f"{out}/xx", "-n", "99", "--gloss", "--json"))
    known = {item["id"]: item["glosses"] for item in built}
    assert len(known) == 11
    assert all(known[item["id"]] == item["glosses"] for item in drawn)
    assert all(len(item["glosses"][1].split()) == 6 for item in built)
    (pairs.path / "templates/tiny/xx/across.jinja").unlink()
    rest = items(run(pairs, "show", f"{out}/xx", "-n", "99", "--gloss", "--json"))
    assert {item["UID"] for item in rest if not item["glosses"]} == {"across"}
    told = run(pairs, "show", f"{out}/xx", "-n", "99", "--gloss").stdout
    assert "lemma and features: authors author.PL" in " ".join(told.split())


def test_show_has_one_item_of_each_paradigm_of_a_data_set(root: Root) -> None:
    heads = [line for line in lines(run(root, "show", "tiny")) if line.startswith("tiny/")]
    names = ["tiny/he/one", "tiny/xx/across", "tiny/xx/some", "tiny/xx/suite"]
    assert [head.partition(":")[0] for head in heads] == names
    assert all(head.endswith(" 1 shown") for head in heads)
    assert run(root, "show", "tiny/xx").stdout.count("A test.") == 3
    assert run(root, "show", "tiny", "-n", "2", "--gloss").stdout.count("A test.") == 2
    assert len(items(run(root, "show", "tiny", "--json"))) == 4
    told = run(Root(CHECKOUT), "show", "mandarin/traditional", code=2).stderr
    assert "'mandarin/traditional' is converted by a build: build it, then show FOLDER/" in told


def test_show_gives_json_for_programs(root: Root) -> None:
    found = items(run(root, "show", "tiny/xx/across", "--json"))
    assert len(found) == 5
    assert all(item["UID"] == "across" and item["slots"] for item in found)
    hebrew = run(root, "show", "tiny/he/one", "--json").stdout
    assert "מלצר" in hebrew
    shown = run(root, "show", "tiny/he/one", "-n", "1").stdout  # from right to left
    assert "\u2067מלצר [אחד].\u2069" in shown or "\u2067מלצרים [אחד].\u2069" in shown
    assert "*\u2067" in shown
    assert "\u2067" not in hebrew + run(root, "show", "tiny/xx/across").stdout


def test_show_chooses_pairs_by_their_features(root: Root) -> None:
    arguments = ["show", "tiny/xx/across", "--json", "-n", "9", "--where"]
    found = run(root, *arguments, "match=mismatch", "--where", "controller_number=Sing")
    told = [(i["features"]["match"], i["features"]["controller_number"]) for i in items(found)]
    assert told == [("mismatch", "Sing")] * 2
    assert len(lines(run(root, *arguments, "intervenes=true"))) == 8
    assert len(lines(run(root, *arguments, "distance=4"))) == 8


def test_show_shows_the_conditions_of_a_suite(root: Root) -> None:
    shown = run(root, "show", "tiny/xx/suite", "-n", "1").stdout
    assert "one" in shown
    assert "two.verb > one.verb" in shown
    item = json.loads(run(root, "show", "tiny/xx/suite", "-n", "1", "--json").stdout)
    assert [made["name"] for made in item["conditions"]] == ["one", "two"]


def test_show_samples_a_space_too_large_to_be_drawn_whole(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solecism.datasets.samples.SEEN", 10)
    shown = run(root, "show", "tiny/xx/across").stdout
    assert re.search(r"1 items \(a sample of up to \d\d+\), 1 shown", shown)


@pytest.mark.parametrize(
    ("good", "bad", "marked"),
    [
        ("The cat sleeps.", "The cat sleep.", ("The cat [sleeps].", "The cat [sleep].")),
        ("A b b c.", "A b c.", ("A b [b] c.", "A b [] c.")),
        ("一幅画。", "一首画。", ("一[幅]画。", "一[首]画。")),
        ("Yes.", "No!", ("[Yes].", "[No]!")),
    ],
)  # fmt: skip
def test_differing_words_are_marked(good: str, bad: str, marked: tuple[str, str]) -> None:
    assert mark_difference(good, bad) == marked


# new


def test_new_writes_a_template_and_the_tables_that_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the current folder, and never in the installed data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOLECISM_ROOT", raising=False)
    written = lines(run(None, "new", "clams/nl/simple_agrmt"))
    files = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*"))
    tables = ("classes", "det", "noun", "orthography", "verb")
    assert files == [
        *(f"lexicons/nl/{name}.tsv" for name in tables),
        *(f"templates/{name}.jinja" for name in ("clams/nl/simple_agrmt", "phrases/nl")),
    ]
    assert sorted(line.removeprefix(f"wrote {tmp_path}/") for line in written) == files


def test_what_new_writes_passes_check_in_an_empty_folder(tmp_path: Path) -> None:
    run(Root(tmp_path), "new", "mine/nl/simple")
    told = run(Root(tmp_path), "check").stdout
    path = tmp_path / "templates/mine/nl/simple.jinja"
    assert f"{path.relative_to(tmp_path)}:2: warning T016: A template is still the example" in told
    assert "1 lexicon, 1 paradigm, 8 pairs checked: 0 errors, 1 warning, 0 notes\n" in told
    path.write_text(path.read_text().replace(f"{EXAMPLE}\n", ""))
    assert "0 errors, 0 warnings" in run(Root(tmp_path), "check").stdout
    assert "# source:" in path.read_text()


@pytest.mark.parametrize("language", ["de", "en", "fr", "he", "ru", "zh"])
@pytest.mark.parametrize("dataset", ["mine", "clams"])
def test_what_new_writes_passes_check_with_our_lexicons(
    dataset: str, language: str, tmp_path: Path
) -> None:
    for name in (f"lexicons/{language}", "templates/clams", "templates/phrases"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    shutil.copy(CHECKOUT / "lexicons/classes.tsv", tmp_path / "lexicons")
    run(Root(tmp_path), "new", f"{dataset}/{language}/first")
    told = run(Root(tmp_path), "check", f"{dataset}/{language}/first").stdout
    assert "0 errors, 1 warning, " in told
    assert "T016" in told
    shown = run(Root(tmp_path), "show", f"{dataset}/{language}/first", "-n", "3").stdout
    assert ("8 items" if language == "zh" else "1000 items") in shown


def test_check_says_what_it_checked(root: Root) -> None:
    everything = r"2 lexicons, 4 paradigms, \d+ pairs, \d+ items checked: \d+ errors, .*notes\n"
    assert re.search(everything, run(root, "check").output)
    one = run(root, "check", "tiny/xx/some").stdout
    assert "\n1 paradigm, 3 pairs checked: 0 errors, " in f"\n{one}"
    assert "\n1 lexicon checked: 0 errors, " in "\n" + run(root, "check", "lexicons/xx").stdout
    found = json.loads(run(root, "check", "tiny/xx", "--json").stdout)
    assert found["checked"]["paradigms"] >= 1
    assert len(found["findings"]) == sum(found[f"{n}s"] for n in ("error", "warning", "note"))


def test_new_copies_the_installed_lexicon_unless_own_words_are_wanted(tmp_path: Path) -> None:
    run(Root(tmp_path), "new", "mine/de/first")
    noun = "lexicons/de/noun.tsv"
    assert (tmp_path / noun).read_bytes() == (CHECKOUT / noun).read_bytes()
    for name in (
        "templates/phrases/de.jinja",
        "templates/phrases/kinds.yaml",
        "lexicons/classes.tsv",
    ):
        assert (tmp_path / name).read_bytes() == (CHECKOUT / name).read_bytes()
    run(Root(tmp_path / "own"), "new", "mine/de/first", "--own-words")
    assert "author\tauthor\tauthors" in (tmp_path / "own" / noun).read_text()


def test_new_starts_from_a_paradigm_that_exists(tmp_path: Path) -> None:
    run(Root(tmp_path), "new", "mine/fr/near", "--like", "clams/fr/prep_anim")
    made = read_template(tmp_path / "templates/mine/fr/near.jinja")
    assert (made.id, made.attractors) == ("near", ("guard",))
    assert "0 errors, 1 warning, " in run(Root(tmp_path), "check", "mine").stdout


def test_a_copy_says_itself_what_its_folder_said(tmp_path: Path) -> None:
    """But nothing of its sentences, which will be others."""
    made = tmp_path / "templates/mine/fr/plural.jinja"
    run(Root(tmp_path), "new", "mine/fr/plural", "--like", "blimp-fr/fr/tout_agreement")
    text, template = made.read_text(encoding="utf-8"), read_template(made)
    assert "\n# from blimp-fr/_defaults.yaml\ndraw: 1000\n# Left out: audible. Say " in text
    assert (template.draw, template.features) == (1000, {})
    assert not made.with_name("_defaults.yaml").exists()
    told = lines(
        run(Root(tmp_path), "new", "mine/fr/more", "--like", "blimp-fr/fr/adjective_gender")
    )
    assert told == [f"wrote {made.with_name('more.jinja')}"]
    assert read_template(made.with_name("more.jinja")).features == {"audible": "vert.Audible"}
    run(Root(tmp_path), "new", "mine/en/ever", "--like", "blimp/en/npi_present_2")
    ever = read_template(tmp_path / "templates/mine/en/ever.jinja")
    assert {"rarest", "length_in_words", "auxiliary"} <= ever.features.keys()
    assert (ever.source, ever.draw) == ("warstadt-etal-2020-blimp", 1000)
    assert "0 errors, 3 warnings" in run(Root(tmp_path), "check", "mine").stdout


@pytest.mark.parametrize(
    ("language", "missing"),
    [
        ("nl", "table adv, no macro np"),
        ("ru", "column Place of adj, no macro np_adj, no macro perfect"),
        ("de", "macro perfect"),
    ],
)
def test_a_copy_for_another_language_is_refused(
    tmp_path: Path, language: str, missing: str
) -> None:
    like = "blimp-fr/fr/adjective_gender"
    told = run(Root(tmp_path), "new", f"mine/{language}/x", "--like", like, code=2).stderr
    assert f"--like: a paradigm of 'fr'; {language!r} has no " in told
    assert missing in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine/elvish/x"], "'elvish' is not the code of a language of ISO 639 (as 'it' for Italian"),
        (["mine/fr/x", "--like", "clams/fr/prep_ani"], "(did you mean 'clams/fr/prep_anim'?"),
        (["mine/en/x", "--like", "blimp/en/irregular_plural_subject_verb_agreement_1"], "is itself like"),
        *(([name], "is not of the form dataset/language/UID")
          for name in ("one", "tiny/xx/a/b", "tiny/xx/1a", "../xx/a", "tiny/xx/a b", "")),
    ],
)  # fmt: skip
def test_new_says_what_could_be_meant(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in run(Root(tmp_path), "new", *arguments, code=2).stderr
    assert not list(tmp_path.iterdir())


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "tinny"], "'tinny' (did you mean 'tiny'? data sets: agreement, cases, tiny)"),
        (["list", "tiny/xx/some"], "'tiny/xx/some': name a data set or a config"),
        (["show", "across"], "'across' is not of the form dataset/language/UID"),
        (["show", "tiny/xx/acros"], "has no paradigm 'acros' (did you mean 'across'?"),
        (["show", "tiny/xx/across", "--where", "mach=x"], "there is no feature 'mach' (did you mean 'match'?"),
        (["show", "tiny/xx/across", "--where", "match=x"], "no pair has match 'x' (values: match, mismatch)"),
        (["show", "tiny/xx/across", "--where", "match"], "no pair has match ''"),
        (["show", "tiny/xx/suite", "--where", "match=match"], "tiny/xx/suite is a suite"),
        (["check", "nothing"], "nothing"),
        (["build", "tiny", "yy"], "has no config 'yy'"),
        (["build"], "name a data set, as `solecism build clams`"),
    ],
)  # fmt: skip
def test_bad_arguments_are_told_in_a_line(root: Root, arguments: list[str], message: str) -> None:
    result = run(root, *arguments, code=2)
    assert message in result.output
    assert len(result.stderr.splitlines()) <= 4


@pytest.mark.parametrize("verb", ["list", "show tiny/xx/across", "check", "build tiny --out OUT"])
@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("templates/tiny/xx/across.jinja", "agree(author)", "agre(author)", "across.jinja:1[0-9]: .*'agre'"),
        ("templates/tiny/xx/across.jinja", "from: verb", "from: vreb", "across.jinja:[0-9]+: .*'vreb'"),
        ("templates/tiny/xx/across.jinja", "---", "", r"across.jinja:1: .*front matter"),
        ("lexicons/xx/noun.tsv", "cook\t", "author\t", "noun.tsv:3: .*lemma 'author' stands already"),
        ("lexicons/xx/noun.tsv", "cook", "c\udcffk", "noun.tsv:?3?: .*UTF-8"),
    ],
)  # fmt: skip
def test_bad_files_are_told_with_their_place_by_every_verb(
    root: Root, verb: str, path: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    file = root.path / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1), errors="surrogateescape")
    result = run(root, *verb.replace("OUT", str(tmp_path / "out")).split(), code=2)

    assert re.search(message, result.output)
    assert not (tmp_path / "out").exists()


def test_check_reports_a_bad_catalogue(root: Root) -> None:
    (root.path / "catalogue.toml").write_text('[tiny]\nverson = "1.0.0"\n')
    told = run(root, "check", "tiny/xx/some", code=2).output
    assert re.search(r"catalogue.toml: unknown key 'tiny.verson' .did you mean 'version'", told)


@pytest.mark.parametrize("verb", ["show clams/fr/simple_agrmt", "list clams", "build clams fr"])
def test_own_templates_that_hide_the_installed_ones_are_named(root: Root, verb: str) -> None:
    told = run(root, *verb.split(), code=2).stderr
    assert "'clams' is installed, but own templates hide those that are: name them, --root " in told


@pytest.mark.parametrize("path", ["audit", "mine", "report"])
def test_a_path_with_a_nul_is_told(path: str) -> None:
    done = CliRunner().invoke(main, [path, "clams/fr\0"])
    assert done.exit_code == 2
    assert "holds the character U+0000" in done.output


def test_a_folder_without_data_is_told(tmp_path: Path) -> None:
    told = run(Root(tmp_path), "list", code=2).stderr
    assert told == f"{tmp_path}: has no `templates` and `lexicons` folders\n"


# Starting.

HEAVY = ("torch", "transformers", "datasets", "lm_eval", "spacy", "pandas", "scipy", "matplotlib")
"""What the help of a verb must not load. How long it takes is no test: these machines are noisy."""
OTHERS = ("numpy", "pyarrow", "jinja2", "yaml", "rich")
"""What ``import solecism`` and ``solecism --help`` must not load either."""
LOADED = """
import sys
sys.argv = {arguments!r}
try:
    {code}
except SystemExit:
    pass
print("@", [name for name in {heavy!r} if name in sys.modules])
"""


@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_config_becomes_a_table_with_all_columns(
    pairs: Root, tmp_path: Path, ending: str, delimiter: str
) -> None:
    run(pairs, "build", "tiny", "--out", str(tmp_path / "tiny"))
    run(None, "convert", f"{tmp_path}/tiny/he", str(tmp_path / f"pairs.{ending}"))
    (data,) = (tmp_path / "tiny" / "he").glob("*.parquet")
    table = pq.read_table(data)
    with (tmp_path / f"pairs.{ending}").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    assert list(rows[0]) == table.flatten().column_names
    assert [row["sentence_good"] for row in rows] == table["sentence_good"].to_pylist()
    assert json.loads(rows[0]["slots"]) == table["slots"][0].as_py()
    run(None, "convert", f"{tmp_path}/tiny/xx/some", str(tmp_path / "some.csv"))
    with (tmp_path / "some.csv").open(encoding="utf-8", newline="") as file:
        assert {row["UID"] for row in csv.DictReader(file)} == {"some"}


@pytest.mark.parametrize(
    ("code", "arguments", "unwanted"),
    [
        ("import solecism", [""], (*HEAVY, *OTHERS)),
        ("from solecism.commands import main; main()", ["solecism", "--help"], (*HEAVY, *OTHERS)),
        *(
            ("from solecism.commands import main; main()", ["solecism", verb, "--help"], HEAVY)
            for verb in VERBS
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_starting_loads_nothing_heavy(
    code: str, arguments: list[str], unwanted: Sequence[str]
) -> None:
    program = LOADED.format(code=code, arguments=arguments, heavy=unwanted)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean
    )
    assert done.stdout.rsplit("@", 1)[1].strip() == "[]"


def test_python_m_solecism_is_the_command_line(root: Root) -> None:
    arguments = [sys.executable, "-m", "solecism", "list", "nope", "--root", str(root.path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("there is no data set 'nope'")


def test_public_names_are_loaded_when_they_are_asked_for() -> None:
    names = {"build", "draw_pairs", "find_root", "load_paradigm", "__version__"}
    assert names <= set(dir(solecism))
    for name in set(dir(solecism)) - {"__version__"}:
        assert getattr(solecism, name).__module__.startswith("solecism.")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        solecism.nothing  # noqa: B018


def test_a_verb_whose_packages_are_not_installed_names_the_extra(tmp_path: Path) -> None:
    pq.write_table(make_pairs(2), tmp_path / "items.parquet")
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from solecism.commands import main; main(['score', 'items.parquet', '--model', 'm'])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'solecism[score]'" in done.stderr


@pytest.mark.parametrize("asked", ["--phenomenon negation", "negation"])
def test_paradigms_are_found_by_phenomenon_and_text(asked: str) -> None:
    done = CliRunner().invoke(main, ["list", *asked.split(), "--json", "--root", str(CHECKOUT)])
    names = {json.loads(line)["name"] for line in done.output.splitlines()}
    assert {"blimp-he/he/negative_concord_time", "blimp-fr/fr/ne_que_position"} <= names
    shown = CliRunner().invoke(main, ["list", *asked.split(), "--root", str(CHECKOUT)])
    assert "blimp-ru/ru/negative_concord" in shown.output


def test_an_unknown_phenomenon_is_told() -> None:
    done = CliRunner().invoke(main, ["list", "--phenomenon", "negatoin", "--root", str(CHECKOUT)])
    assert (done.exit_code, "did you mean 'negation'?" in done.output) == (2, True)
