"""Forms by analogy: made as other lemmas change their endings, never of an irregular lemma."""

import pytest

from solecism.treebank.forms import Paradigms, WordForm

SING, PLUR = "Number=Sing|Person=3", "Number=Plur|Person=3"


def verb(form: str, lemma: str, feats: str) -> WordForm:
    return WordForm(form, lemma, "VERB", feats)


def both(stem: str, plural: str = "an") -> list[WordForm]:
    """A verb with both numbers."""
    return [verb(f"{stem}a", f"{stem}ar", SING), verb(f"{stem}{plural}", f"{stem}ar", PLUR)]


def made(*words: WordForm, asked: str = "mira") -> list[tuple[str, str, str]]:
    """The forms that are made of a verb of which one form alone is known."""
    known = dict.fromkeys([*words, verb(asked, "mirar", SING)], 3)
    cells = Paradigms(known).by_analogy(verb(asked, "mirar", SING), {"Number"})
    return [(cell.form, cell.feats, cell.source) for cell in cells]


def regular(stems: tuple[str, ...]) -> list[WordForm]:
    return [word for stem in stems for word in both(stem)]


@pytest.mark.parametrize("asked", ["tra", "Tra"])
def test_an_ending_is_changed_as_five_lemmas_change_it(asked: str) -> None:
    stems = tuple(f"{letter}tr" for letter in "abcde")
    assert made(*regular((*stems, "ftr")), asked=asked) == [("tran", PLUR, "analogy")]


def test_fewer_lemmas_tell_nothing() -> None:
    stems = tuple(f"{letter}r" for letter in "abcd")
    assert made(*regular(stems)) == []


def test_lemmas_that_differ_tell_nothing() -> None:
    """One in six has another plural: the forms of all are made right too seldom."""
    stems = tuple(f"{letter}r" for letter in "abcdefgh")
    assert made(*regular(stems)) == [("miran", PLUR, "analogy")]
    assert made(*regular(stems), *both("ir", "unt"), *both("jr", "unt")) == []


def test_none_is_made_of_an_irregular_lemma() -> None:
    stems = tuple(f"{letter}r" for letter in "abcdefghijklmnopqrstuvwxyz")
    stems += tuple(f"x{stem}" for stem in stems)
    second, third = "Number=Sing|Person=2", "Number=Plur|Person=2"
    more = [verb(f"{s}as", f"{s}ar", second) for s in stems]
    more += [verb(f"{s}asen", f"{s}ar", third) for s in stems]
    odd = [verb("miras", "mirar", second), verb("mirus", "mirar", third)]
    assert made(*regular(stems), *more) == [("miran", PLUR, "analogy")]
    assert made(*regular(stems), *more, *odd) == []


def test_nouns_and_words_of_closed_classes_are_not_made() -> None:
    word = WordForm("mira", "mira", "NOUN", SING)
    assert Paradigms({word: 3}).by_analogy(word, {"Number"}) == []
