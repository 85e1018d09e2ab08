"""Each named filter of ``strict``: sentences that it removes, and sentences alike that it must
keep.

``tests/treebanks/<filter>.conllu`` holds the sentences: our own, with the pair that is meant, as
``# pair = target controller``, and whether it is removed or kept in ``# sent_id``.
"""

from collections import Counter
from dataclasses import replace

import pytest

from release import CHECKOUT, TREEBANKS
from solecism.datasets.catalogue import read_bibliography
from solecism.treebank.candidates import AgreeingPairs
from solecism.treebank.conllu import Tokens, tokens_of
from solecism.treebank.filters import FILTERS, FLAWS, capitals_by, count_habits, marks_by
from solecism.treebank.forms import LanguageForms, count_words
from solecism.treebank.languages import find_language, languages
from solecism.treebank.mining import Settings
from solecism.treebank.strict import SWITCHES, TESTS
from treebank import conllu

FOLDER = TREEBANKS
BY_TREE = [*FILTERS, "disagree", "elsewhere", *FLAWS, "neutralised"]


def sentences(name: str) -> list[tuple[str, str, str, bytes]]:
    """The sentences of a file: (sent_id, language, pair, text)."""
    found = []
    for text in (FOLDER / f"{name}.conllu").read_text(encoding="utf-8").strip().split("\n\n"):
        comments = dict(c[2:].split(" = ", 1) for c in text.splitlines() if c.startswith("# "))
        found.append(
            (comments["sent_id"], comments["lang"], comments["pair"], f"{text}\n\n".encode())
        )
    return found


CASES = [
    pytest.param(name, *sentence, id=f"{name}-{sentence[0]}")
    for name in BY_TREE
    for sentence in sentences(name)
]


def find(
    text: bytes, language: str, **settings: object
) -> tuple[Tokens, AgreeingPairs, Counter[str]]:
    """What ``strict`` finds in one sentence; nouns agree in no person, so that filters show."""
    tokens = tokens_of(text)
    known = replace(find_language(language), third=False)
    given = Settings(known, **settings)  # type: ignore[arg-type]
    return (tokens, *given.find(tokens))


def pairs(tokens: Tokens, found: AgreeingPairs) -> list[str]:
    """The pairs as texts, target first."""
    forms = tokens.forms.texts()
    rows = zip(found.pairs.target.tolist(), found.pairs.controller.tolist(), strict=True)
    return [f"{forms[target]} {forms[controller]}" for target, controller in rows]


@pytest.mark.parametrize(("name", "sent_id", "language", "pair", "text"), CASES)
def test_filter_removes_and_keeps(
    name: str, sent_id: str, language: str, pair: str, text: bytes
) -> None:
    tokens, found, dropped = find(text, language)
    open_tokens, open_found, _ = find(text, language, without=frozenset({name}))
    if sent_id.startswith("kept"):
        assert pair in pairs(tokens, found)
        assert not dropped[name]
    else:
        assert pair not in pairs(tokens, found)
        assert dropped[name] >= 1
        assert pair in pairs(open_tokens, open_found)


def test_every_filter_is_documented() -> None:
    page = (CHECKOUT / "docs" / "mining.md").read_text(encoding="utf-8")
    assert [name for name in (*FILTERS, *TESTS) if f"`{name}`" not in page] == []
    assert set(BY_TREE) | set(TESTS) == {*SWITCHES, "unshared"}


@pytest.mark.parametrize("sentence", sentences("unshared"), ids=lambda s: s[0])
def test_a_value_must_be_annotated_on_both_ends(sentence: tuple[str, str, str, bytes]) -> None:
    sent_id, language, pair, text = sentence
    tokens, found, dropped = find(text, language)
    assert (pair in pairs(tokens, found)) == sent_id.startswith("kept")
    assert dropped["unshared"] == sent_id.startswith("removed")


@pytest.mark.parametrize("name", ["uniform", "syncretic"])
def test_forms_of_the_file_decide_what_is_overt(name: str) -> None:
    counts: Counter = Counter()
    for *_, text in sentences(name):
        count_words(tokens_of(text), counts)
    given = {"forms": LanguageForms("", {"": counts}), "without": frozenset({"neutralised"})}
    for sent_id, language, pair, text in sentences(name):
        tokens, found, dropped = find(text, language, **given)
        assert (pair in pairs(tokens, found)) == (not sent_id.startswith("removed")), sent_id
        assert bool(dropped[name]) == sent_id.startswith("removed"), sent_id
        believed = find(text, language, without=frozenset({"neutralised"}))
        assert pair in pairs(*believed[:2]), sent_id


@pytest.mark.parametrize(("name", "end"), [("paradigm", 0), ("multiword", 1)])
def test_words_that_are_not_masked(name: str, end: int) -> None:
    """A controller without other forms, a target that is a part of a multiword token."""
    for sent_id, language, pair, text in sentences(name):
        tokens, found, dropped = find(text, language)
        kept = found.kept[:, pairs(tokens, found).index(pair)].tolist()
        assert kept.pop(end) == sent_id.startswith("kept"), sent_id
        assert kept == [True], sent_id
        assert dropped[name] == sent_id.startswith("removed"), sent_id
        _, found, _ = find(text, language, without=frozenset({name}))
        assert found.kept.all()


def chunk(*sentences: str) -> Tokens:
    """Sentences of nouns and marks, parted by blanks."""
    lines = [
        "\n".join(
            f"{word} _ {'NOUN' if word[0].isalpha() else 'PUNCT'} _ {n} dep"
            for n, word in enumerate(text.split())
        )
        for text in sentences
    ]
    return tokens_of(conllu(*lines).encode())


@pytest.mark.parametrize(
    ("sentences", "marks", "capitals"),
    [
        (("The cats .", "The dogs !", "three birds"), True, "start"),
        (("Die Katzen .", "Die Hunde “ ."), True, "nouns"),
        (("der man", "diu frouwe ,", "Der hof ."), False, "none"),
        (("Մարդ կատու :", "Մարդ ։"), True, "start"),
        (("Cats dogs :", "Dogs ;"), False, "start"),
        (("人 猫 。", "人 。"), True, "start"),
    ],
)
def test_how_a_treebank_writes_its_sentences(
    sentences: tuple[str, ...], marks: bool, capitals: str
) -> None:
    habits = count_habits(chunk(*sentences))
    assert (marks_by(habits), capitals_by(habits)) == (marks, capitals)


def test_verse_and_fragments_are_kept_where_a_language_has_no_marks() -> None:
    for name in ("unfinished", "cut", "verse"):
        (_, language, _, text), *_ = sentences(name)
        known = replace(find_language(language), third=False, marks=False, capitals="none")
        _, dropped = Settings(known).find(tokens_of(text))
        assert not dropped[name]


def test_every_language_has_a_grammar_in_the_bibliography() -> None:
    known = read_bibliography(CHECKOUT / "references.bib")
    assert [code for code, language in languages().items() if language.grammar not in known] == []


def test_strict_has_no_relation_that_the_grammar_denies() -> None:
    assert "predicated" not in languages()["de"].agrees
    assert "modifying" not in languages()["en"].agrees
    assert not any("verb" in languages()[code].agrees for code in ("da", "sv", "nn", "af"))
