"""One bad set of pairs for each check, a good one, and that batches do not matter."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from solecism.check.pairs import printed_as, words_apart
from solecism.check.registry import CHECKS, Finding
from solecism.check.run import check_items, check_paths
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm, load_paradigm
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import Orthography, read_orthography
from tiny import codes, edit, make_root, rewrite

Rows = list[dict[str, Any]]

TEMPLATES = "templates/demo/xx"
LEXICON = "lexicons/xx"


@dataclass
class Drawn:
    """A paradigm with all its pairs as rows."""

    paradigm: Paradigm
    table: pa.Table
    counts: Counts

    @property
    def rows(self) -> Rows:
        return self.table.to_pylist()

    def found(self, rows: Rows | None = None) -> list[Finding]:
        table = self.table if rows is None else pa.Table.from_pylist(rows, schema=self.table.schema)
        return check_items(self.paradigm, [table], self.counts)

    def codes(self, rows: Rows | None = None) -> list[str]:
        return codes(self.found(rows))


def draw(root: Path, name: str = "across") -> Drawn:
    lexicon = Lexicon(root / LEXICON)
    paradigm = load_paradigm(root / TEMPLATES / f"{name}.jinja", lexicon)
    counts = Counts()
    return Drawn(paradigm, pa.concat_tables(draw_pairs(paradigm, 0, counts)), counts)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path)


# -- faults of tables: what the engine never does --


def _set(**values: Any) -> Callable[[Rows], None]:
    """Change columns of the third row: to a value, or by a function of the old one."""

    def change(rows: Rows) -> None:
        for name, value in values.items():
            rows[2][name] = value(rows[2][name]) if callable(value) else value

    return change


def _copy(*names: str) -> Callable[[Rows], None]:
    """Give the third row these columns of the second."""

    def change(rows: Rows) -> None:
        rows[2].update({name: rows[1][name] for name in names})

    return change


def _slot(number: int, **values: Any) -> Callable[[Rows], None]:
    """Change a slot of the third row."""

    def change(rows: Rows) -> None:
        rows[2]["slots"][number].update(values)

    return change


def _same(rows: Rows) -> None:
    rows[2]["sentence_bad"] = rows[2]["sentence_good"]


FAULTS: list[tuple[str, Callable[[Rows], None]]] = [
    ("I001", _copy("id")),
    ("I002", _copy("sentence_good", "sentence_bad", "slots")),
    ("I003", _same),
    ("I006", _slot(1, lemma="author", upos="NOUN")),
    ("I007", _slot(0, good_start=None, good_end=None)),
    ("I008", _slot(0, good_start=5, good_end=11)),
    ("I008", _slot(0, form="writer")),
    ("I008", _slot(0, good_end=100)),
    ("I008", _slot(3, bad_end=100)),
    ("I010", _set(sentence_bad=lambda text: text.replace("that", "thát".replace("á", "a\u0301")))),
    ("I011", _set(sentence_good=lambda text: text.replace(" that", "  that"))),
    ("I011", _set(sentence_bad=lambda text: text.replace(".", " ."))),
    ("I012", _set(sentence_bad=lambda text: text[:-1])),
    ("I012", _set(sentence_bad="")),
    ("I013", _set(sentence_bad=lambda text: text[0].lower() + text[1:])),
    ("I014", _set(sentence_good=lambda text: text.replace("that", "thаt"))),
    *(("I019", _set(sentence_bad=lambda text, c=c: text.replace("that", c))) for c in r"\{}|_<>"),
]


@pytest.mark.parametrize(("code", "change"), FAULTS)
def test_each_fault_of_a_table_is_found(
    root: Path, code: str, change: Callable[[Rows], None]
) -> None:
    drawn = draw(root)
    rows = drawn.rows
    change(rows)
    [found] = [f for f in drawn.found(rows) if f.code == code]
    assert found.path == drawn.paradigm.template.path
    assert found.line == drawn.paradigm.template.conditions[0].line
    assert ": 1 of 40 pairs: " in found.message


# -- faults of templates and lexicons --


def test_a_sentence_that_is_good_in_one_pair_and_bad_in_another(root: Path) -> None:
    edit(root / LEXICON / "noun.tsv", "pilot\tpilot\tpilots", "pilot\tpilot\tpilot")
    found = draw(root, "simple").found()
    assert codes(found) == ["I004"]
    assert found[0].message.endswith(
        "2 of 10 pairs: The pilot laugh. / *The pilot laughs.; The pilot laughs. / *The pilot laugh."
    )


def test_more_than_one_word_differs(root: Path) -> None:
    path = edit(
        root / TEMPLATES / "simple.jinja", "bad:  {{ the(author) }}", "bad:  a {{ author }}"
    )
    assert draw(root, "simple").codes() == ["I005"]
    edit(path, "controller: author\n", "")
    assert draw(root, "simple").codes() == []


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("laughs | agree(author)", "speaks | agree(author)"),
        ('laughs | clash(author, "Number")', "laughs | agree(author)"),
    ],
)
def test_the_words_that_differ_are_forms_of_one_word_and_the_good_one_agrees(
    root: Path, good: str, bad: str
) -> None:
    path = root / TEMPLATES / "simple.jinja"
    front = path.read_text(encoding="utf-8").split("good: ")[0]
    lines = f"good: {{{{ the(author) }}}} {{{{ {good} }}}}\nbad: {{{{ the(author) }}}} {{{{ {bad} }}}}\n"
    rewrite(path, front + lines)
    if "speaks" in bad:
        edit(path, "where:", "  speaks: {from: verb, Frame: transitive}\nwhere:")
    assert draw(root, "simple").codes() == ["I018"]
    edit(path, "controller:", "allow: I018\ncontroller:")
    assert draw(root, "simple").codes() == []


def test_pairs_are_compared_over_a_config(root: Path) -> None:
    text = (root / TEMPLATES / "simple.jinja").read_text(encoding="utf-8")
    rewrite(root / TEMPLATES / "same.jinja", text.replace("id: simple", "id: same"))
    (found,) = check_paths(["demo/xx/simple", "demo/xx/same"], root)
    assert (found.code, found.path) == ("I002", f"{TEMPLATES}/same.jinja")
    assert "(also in simple)" in found.message
    front, good, bad = text.replace("controller: author\n", "").rsplit("\n", 3)[:3]
    swapped = f"{front}\n{bad.replace('bad: ', 'good:')}\n{good.replace('good:', 'bad: ')}\n"
    swapped = swapped.replace("id: simple", "id: same").replace('clash(author, "Number")', "form()")
    swapped = swapped.replace("laughs | form()", "'laugh' if author.Number == 'Sing' else 'laughs'")
    rewrite(root / TEMPLATES / "same.jinja", swapped)
    (found,) = [f for f in check_paths(["demo/xx"], root) if f.code == "I004"]
    assert (found.path, found.level) == (f"{TEMPLATES}/simple.jinja", "error")
    assert "(also in same)" in found.message


def test_most_combinations_make_no_pair(root: Path) -> None:
    path = root / LEXICON / "verb.tsv"
    edit(path, "laughs\tlaugh", "laugh\tlaugh")
    [*_, warning, note] = draw(root, "simple").found()
    assert (warning.code, warning.level) == ("I015", "warning")
    assert warning.message.endswith("8 of 10 (8 syncretic)")
    assert (note.code, note.level) == ("I016", "note")
    assert "2 minimal sets, 2 pairs; left out: 8 syncretic" in note.message


def test_a_bad_word_that_is_spelt_like_another_is_noted(root: Path) -> None:
    assert "I020" not in draw(root, "simple").codes()
    words = root / "lexicons/xx/noun.tsv"
    rewrite(words, words.read_text("utf-8") + "laugh\tlaugh\tlaughs\tInan\tartwork\t3\n")
    [found] = [f for f in check_paths(["demo/xx/simple"], root) if f.code == "I020"]
    assert "laugh Number=Sing" in found.message


def test_every_code_of_items_has_a_case() -> None:
    others = {"I002", "I004", "I005", "I010", "I014", "I015", "I016", "I017", "I018", "I020"}
    assert {code for code, _ in FAULTS} | others == {
        code for code in CHECKS if code.startswith("I0")
    }


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("laugh\tauthor\ta test", 2),
        ("the\t+laugh\ta test", 0),
        ("*human\t+laughs\ta test", 8),
        ("laugh, laughs\t*animal\ta test", 0),
    ],
)
def test_unwanted_words_are_found(root: Path, line: str, number: int) -> None:
    rewrite(root / LEXICON / "unwanted.tsv", f"words\twith\treason\n{line}\n")
    found = draw(root, "simple").found()
    assert codes(found) == ["I017"] * (number > 0)
    assert not found or f": {number} of 10 pairs: " in found[0].message


# -- what is normal --


def test_homonyms_are_two_words(root: Path) -> None:
    edit(root / LEXICON / "noun.tsv", "chef\tchef\tchefs", "pilot#2\tpilot\tpilots")
    edit(root / LEXICON / "noun.tsv", "pilot\tpilot\tpilots", "pilot#1\tpilot\tpilots")
    drawn = draw(root)
    rows = [[slot["lemma"] for slot in row["slots"][:2]] for row in drawn.rows]
    assert ["pilot", "pilot"] in rows
    assert drawn.codes() == []


def test_french_writes_a_space_before_some_marks(root: Path) -> None:
    change = _set(sentence_good=lambda text: text.replace(".", " !"))
    (root / "lexicons" / "xx").rename(root / "lexicons" / "fr")
    (root / "templates" / "demo" / "xx").rename(root / "templates" / "demo" / "fr")
    lexicon = Lexicon(root / "lexicons" / "fr")
    paradigm = load_paradigm(root / "templates" / "demo" / "fr" / "across.jinja", lexicon)
    drawn = Drawn(paradigm, pa.concat_tables(draw_pairs(paradigm)), Counts())
    rows = drawn.rows
    change(rows)
    assert drawn.codes(rows) == []


# -- spelling --


@pytest.fixture
def french(tmp_path: Path) -> Orthography:
    rules = (
        "rule\tleft\tright\tresult\n"
        "contraction\tde\tle\tdu\n"
        "elision\tje|le|la|de\t[aeiou].*\tj'+=\n"
        "capital\t\t\tyes\n"
    )
    return read_orthography(rewrite(tmp_path / "orthography.tsv", rules))


@pytest.mark.parametrize(
    ("good", "bad", "number"),
    [
        ("je suis", "j' es", 1), ("du chat", "de la chat", 1), ("un mot", "un mot de plus", 2),
    ],
)  # fmt: skip
def test_words_apart(french: Orthography, good: str, bad: str, number: int) -> None:
    assert words_apart(good.split(), bad.split(), french) == number
    assert words_apart(bad.split(), good.split(), french) == number


@pytest.mark.parametrize(
    ("form", "printed", "first", "same"),
    [
        ("je", "Je", True, True), ("je", "Je", False, False), ("je", "J'", True, True),
        ("près de", "près du", False, True), ("le ami", "j'ami", False, True), ("chat", "chats", False, False),
        ("de", "Du", True, True), ("de amis", "j' amis", False, True),
    ],
)  # fmt: skip
def test_printed_as(french: Orthography, form: str, printed: str, first: bool, same: bool) -> None:
    assert printed_as(form, printed, first, french) is same
