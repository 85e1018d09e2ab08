"""Profiles: what agrees with what, from counts of our own."""

import json
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from release import SHARED
from solecism.commands import main
from solecism.errors import InputError
from solecism.treebank.candidates import find_candidates
from solecism.treebank.conllu import tokens_of
from solecism.treebank.forms import CountedForms, WordForm, read_forms
from solecism.treebank.languages import Language, Rule, read_stanza
from solecism.treebank.profile import Evidence, Profile, profile_of
from solecism.treebank.relations import KINDS
from solecism.treebank.strict import find_strictly
from treebank import conllu

FIN = "Mood=Ind|VerbForm=Fin"
SING, PLUR = "Sing", "Plur"


def clause(noun: str, verb: str, *more: str, order: str = "SV", of: str = "NOUN") -> str:
    """A subject and a verb with FEATS (``_``: none) in an order, and further lines."""
    places = (1, 2) if order == "SV" else (2, 1)
    subject = f"n n {of} {noun} {places[1]} nsubj"
    lines = {places[0]: subject, places[1]: f"v v VERB {FIN}|{verb} 0 root"}
    return "\n".join([lines[1], lines[2], *more])


def profile(*sentences: str) -> Profile:
    evidence = Evidence()
    evidence.add(tokens_of(conllu(*sentences).encode()))
    return profile_of(evidence, "qq")


def rules(found: Profile, kind: str = "verb") -> list[str]:
    return [str(rule) for rule in found.language.agrees.get(kind, ())]


def numbers(good: int, bad: int, order: str = "SV", of: str = "NOUN") -> list[str]:
    """Clauses that agree in number, both values in turn, and others that do not."""
    values = [(SING, PLUR)[n % 2] for n in range(good + bad)]
    other = {SING: PLUR, PLUR: SING}
    verbs = [v if n < good else other[v] for n, v in enumerate(values)]
    return [
        clause(f"Number={noun}", f"Number={verb}", order=order, of=of)
        for noun, verb in zip(values, verbs, strict=True)
    ]


@pytest.mark.parametrize(
    ("good", "bad", "reason"),
    [
        (14, 0, ""), (13, 0, "too small"), (40, 4, ""), (40, 5, "too few agree"),
        (30, 3, "too small")
    ],
)  # fmt: skip
def test_nine_in_ten_must_agree_and_a_test_say_so(good: int, bad: int, reason: str) -> None:
    found = profile(*numbers(good, bad))
    assert rules(found) == ([] if reason else ["Number"])
    rows = found.rows
    assert {row.value for row in rows} == {SING, PLUR}
    assert (sum(row.both for row in rows), sum(row.agree for row in rows)) == (good + bad, good)
    assert {row.reason for row in rows} == {reason}
    assert {row.of for row in rows} == {"NOUN"}


def test_a_value_that_all_have_is_no_agreement() -> None:
    found = profile(*[clause("Number=Sing", "Number=Sing")] * 60)
    assert (rules(found), found.rows[0].reason) == ([], "does not vary")
    assert found.reason == "the features of agreement do not vary"


def test_what_agrees_by_chance_is_no_agreement() -> None:
    """Of a hundred nouns and of a hundred verbs five are plural."""
    values = [(SING, SING)] * 181 + [(PLUR, SING)] * 9 + [(SING, PLUR)] * 9 + [(PLUR, PLUR)] * 1
    found = profile(*(clause(f"Number={n}", f"Number={v}") for n, v in values))
    assert (rules(found), found.rows[1].reason) == ([], "by chance")


def test_a_side_that_does_not_agree_is_left_out() -> None:
    """As in Arabic: number only after the subject."""
    found = profile(*numbers(60, 0), *numbers(30, 30, order="VS"))
    assert rules(found) == ["Number before"]
    assert {row.reason for row in found.rows if row.side == "after"} == {"too few agree"}


def test_a_value_agrees_whatever_the_others_do() -> None:
    """As in Turkish: verbs of plural subjects may be singular, those of singular ones must be."""
    plural = [clause("Number=Plur", f"Number={value}") for value in (SING, SING, PLUR)]
    found = profile(*[clause("Number=Sing", "Number=Sing")] * 40, *plural * 8)
    assert rules(found) == ["Number=Sing"]
    assert [row.reason for row in found.rows] == ["too few agree", ""]


@pytest.mark.parametrize(("alone", "found"), [("3", []), ("1", ["Person=3"])])
def test_third_persons_are_compared_with_verbs_without_a_subject(
    alone: str, found: list[str]
) -> None:
    """As in Wolof and Breton, where pronouns of other persons are hardly subjects."""
    third = [clause("_", "Person=3")] * 40
    others = [clause("Person=1", "Person=3", of="PRON")] * 10
    free = [f"v v VERB {FIN}|Person={alone} 0 root"] * 20
    assert rules(profile(*third, *others, *free)) == found


def test_a_rule_of_a_value_is_for_its_controllers_and_for_masked_targets_alone() -> None:
    """Welsh verbs are singular before any noun: they do not tell its number."""
    text = conllu(*numbers(8, 0)).encode()
    for rule, masked in (("Number", ([4, 4], [4, 4])), ("Number=Sing", ([0, 0], [4, 0]))):
        language = Language("qq", "qq", (), {"verb": (Rule.read(rule),)})
        found, _ = find_strictly(
            tokens_of(text), language, None, frozenset({"unfinished", "cut", "paradigm"})
        )
        singular = found.bits[0, found.pairs.controller] == 1
        for kept, counts in zip(found.kept, masked, strict=True):
            assert [int((kept & singular).sum()), int((kept & ~singular).sum())] == counts


def test_nouns_and_pronouns_are_told_apart() -> None:
    found = profile(*numbers(60, 0, of="PRON"), *numbers(30, 30))
    assert rules(found) == ["Number PRON"]


def test_nouns_are_third_person_where_the_verbs_say_so() -> None:
    third = [clause("_", "Person=3")] * 40
    others = [clause(f"Person={n}", f"Person={n}", of="PRON") for n in (1, 2, 3)] * 10
    assert rules(profile(*third, *others)) == ["Person"]
    assert profile(*third, *others).language.third
    assert not profile(*[clause("_", "Person=1")] * 40, *others).language.third


def test_layers_are_found_by_what_they_agree_with() -> None:
    """As in Basque: the subject in [erg], or where there is none in [abs]; the object in [abs]."""
    sentences = []
    for subject, other in product((SING, PLUR), (SING, PLUR)):
        verb = f"Number[erg]={subject}|Number[abs]={other}"
        thing = f"o o NOUN Number={other} 2 obj"
        sentences += [clause(f"Number={subject}", verb, thing)] * 12
        sentences += [clause(f"Number={subject}", f"Number[abs]={subject}")] * 8
    found = profile(*sentences)
    assert rules(found) == ["Number[erg]", "Number[abs]"]
    assert rules(found, "object") == ["Number[abs]"]
    assert found.language.layers == ("", "erg", "abs")


def test_possessors_agree_with_what_is_theirs() -> None:
    nouns = [
        f"m m PRON Person={person} 2 nmod:poss\nh h NOUN Number=Sing|Person[psor]={person} 0 root"
        for person in (1, 2, 3)
    ]
    assert rules(profile(*nouns * 10), "possessor") == ["Person[psor]"]


def test_adpositions_agree_with_their_noun() -> None:
    """Abkhaz *rҿy* is near them; adpositions without a person are not looked at."""
    words = [
        f"m m PRON Person={person} 0 root\nh h ADP Person[psor]={person} 1 case\na a ADP _ 1 case"
        for person in (1, 2, 3)
    ]
    found = profile(*words * 10)
    assert rules(found, "adposition") == ["Person[psor]"]
    assert {row.both for row in found.rows if row.kind == "adposition"} == {10}


def test_owners_are_in_the_genitive_where_a_language_has_one() -> None:
    """Turkish *bağ evi* is a compound, and *bağ evim* is right."""
    nouns = [
        f"m m NOUN Case={case} 2 nmod:poss\nh h NOUN Person[psor]={person} 0 root"
        for case, person in (("Gen", 3), ("Nom", 3))
    ]
    language = profile(*nouns * 12).language
    assert language.owners == ("Gen",)
    candidates = find_candidates(tokens_of(conllu(*nouns).encode()), language)
    assert len(candidates) == 1
    assert len(find_candidates(candidates.tokens, profile(nouns[1]).language)) == 2


def test_nothing_annotated_is_said() -> None:
    assert profile("n n NOUN _ 2 nsubj\nv v VERB _ 0 root").reason == (
        "no features of agreement are annotated"
    )
    assert profile(*numbers(9, 0)).reason == "too small: too few pairs to tell"
    assert profile(*numbers(30, 30)).reason == "no agreement found"
    few = ["d d DET Gender=Fem 2 det\nn n NOUN Gender=Fem 0 root"] * 5
    assert profile(*numbers(30, 30), *few).reason == "no agreement found"  # that of most pairs


@pytest.mark.parametrize(("plural", "shown"), [("hestar", True), ("menn", False)])
def test_without_lemmas_forms_of_one_stem_belong_together(
    plural: str, shown: bool, tmp_path: Path
) -> None:
    """Where all lemmas are ``_``, words would else have none, or all the same."""
    clauses = [
        f"{noun} _ NOUN Number={value} 2 nsubj\n{verb} _ VERB {FIN}|Number={value} 0 root"
        for noun, verb, value in (("hestur", "sefur", SING), (plural, "sofa", PLUR))
    ]
    path = tmp_path / "is_own-ud-test.conllu"
    path.write_text(conllu(*clauses), encoding="utf-8")
    forms = read_forms("is", [("own", path)], lambda _: None)
    words = [word for word in forms.counts["own"] if word.upos == "NOUN"]
    assert ("Number" in forms.contrasts(words[0])) == shown
    found = [cell.form for cell in forms.paradigms.others(words[0], {"Number"})]
    assert found == ([plural] if shown else [])


@pytest.mark.parametrize(("exception", "shown"), [(False, True), (True, False)])
def test_an_ending_shows_what_it_shows_in_all_lemmas_that_have_both_values(
    exception: bool, shown: bool
) -> None:
    """Lemmas whose forms contrast in another feature alone say nothing of number."""
    known = [("Number=Plur|Person=3", "ek"), ("Number=Sing|Person=1", "en")]
    words = [
        WordForm(f"{stem}{end}", stem, "VERB", feats)
        for number, other in enumerate(known)
        for stem in (f"{letter * 3}{number}" for letter in "abcde")
        for feats, end in (other, ("Number=Sing|Person=3", "at"))
    ]
    if exception:
        words += [WordForm("zzat", "zz", "VERB", f"Number={n}|Person=3") for n in (SING, PLUR)]
    forms = CountedForms(dict.fromkeys(words, 1), analogous=frozenset({"VERB"}))
    new = WordForm("xxxat", "xxx", "VERB", "Number=Sing|Person=3")
    assert ("Number" in forms.contrasts(new)) == shown


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sq_own-ud-test.conllu"
    path.write_text(conllu(*numbers(40, 0)), encoding="utf-8")
    return path


def test_the_stanza_of_a_profile_can_be_given_back(file: Path, tmp_path: Path) -> None:
    stanza = tmp_path / "own.toml"
    shown = run("mine", str(file), "--profile", "--out", str(stanza))
    assert shown.exit_code == 0, shown.output
    language = read_stanza(stanza, "sq")
    assert language.agrees == {"verb": (Rule("Number"),)}
    with pytest.raises(InputError, match=r"there is no stanza \[fr\]"):
        read_stanza(stanza, "fr")
    by_profile, by_stanza = (
        json.loads(run("mine", str(file), "--json", *more).output)
        for more in ((), ("--stanza", str(stanza)))
    )
    assert by_profile == by_stanza
    stanza.write_text(stanza.read_text().replace("Number", "Nummer"), encoding="utf-8")
    wrong = run("mine", str(file), "--stanza", str(stanza))
    assert wrong.exit_code == 2
    assert "no rule of agreement: 'Nummer'" in wrong.output


def test_a_profile_is_shown(file: Path) -> None:
    text = run("mine", "--profile", str(file)).output
    assert "yes" in text
    assert max(map(len, text.splitlines())) <= 80
    told = json.loads(run("mine", "--profile", str(file), "--json").output)
    assert told["agrees"] == {"verb": ["Number"]}
    assert [(row["value"], row["both"]) for row in told["rows"]] == [(PLUR, 20), (SING, 20)]


@pytest.mark.skipif(not (SHARED / "ud-r2.4").is_dir(), reason="the treebanks are not here")
def test_real_treebanks_agree_as_their_grammars_say() -> None:
    folder = SHARED / "ud"
    for code, kinds in (
        ("fr", {"determiner": ["Number", "Gender"], "verb": ["Number", "Person"]}),
        ("en", {"determiner": ["Number"], "verb": ["Number", "Person"]}),
    ):
        files = [str(path) for path in sorted(folder.glob(f"*/{code}_*.conllu"))]
        told = json.loads(run("mine", "--profile", *files, "--json").output)
        assert all(set(rules) <= {*told["agrees"][kind]} for kind, rules in kinds.items())


def test_a_stanza_may_have_any_kind_of_target(tmp_path: Path) -> None:
    stanza = tmp_path / "own.toml"
    lines = [f'{kind} = ["Number[abs]"]' for kind in KINDS]
    stanza.write_text("\n".join(["[ab]", 'name = "Abkhaz"', "paper = []", *lines]), "utf-8")
    assert read_stanza(stanza, "ab").agrees.keys() == KINDS.keys()
