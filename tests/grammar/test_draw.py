"""Whole draws: the engine gives exactly what a slow, obvious reference gives."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import CASES, Case
from drawing import drawn
from reference import reference_pairs
from solecism.errors import InputError

COLUMNS = ("sentence_good", "sentence_bad", "tokens_good", "tokens_bad")


def both(case: Case, folder: Path) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Draw a case by engine and by reference."""
    try:
        table = drawn(case.write(folder))
        found = list(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))
    except InputError as error:
        found = [] if "no words" in str(error) else [(str(error),)]
    return found, reference_pairs(folder, "tiny", "xx", "p")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_draws_what_the_reference_draws(case: Case, tmp_path: Path) -> None:
    found, wanted = both(case, tmp_path)
    assert len(wanted) > 1
    assert found == wanted


FORMS = ["a", "b", "ab", "ba", "c", "de", "le", "a b", "b.", "x"]
RULES = st.tuples(
    st.sampled_from(["a", "b", "[ab].*", ".*a", "de", "le|ab", ".", "x"]),
    st.sampled_from(["b", "c", ".*b", "[ae].*", "le", "x|y"]),
    st.sampled_from(["=+=", "= =", "de", "c", "b =", "=+x", "x+=", "le ab"]),
)
SETTINGS = st.sampled_from([("capital", "yes"), ("stop", "."), ("space", "no")])
PIECES = [
    "{{ n }}", "{{ the(n) }}", "{{ m }}", "de {{ m }}", "{{ v | agree(n) }}", "le", ", {{ m }}",
    "{{ maybe(n) }}", "so {{ maybe(m) }}", "{{ maybe(m) }}{{ n }}", "{{ v.Extra }}",
    "({{ n }})", "[r: {{ v | agree(m) }}]",
    '{{ "a" if n.Set == m.Set else "b" }}', "{{ v | agree(n) }}{{ v.Extra }}.",
]  # fmt: skip
CLAUSES = {"n.Set == m.Set": "nm", 'v.Extra != "a"': "v", "n.Number == u.Extra or 1": "nu"}
PHRASES = """
    {% macro the(n) %}{{ word("det", "le") | agree(n) }} {{ n }}{% endmacro %}
    {% macro maybe(n) %}{% if n.Set == "1" %}{{ n }}{% endif %}{% endmacro %}
"""


@st.composite
def tables(draw: st.DrawFn, lemmas: str, column: str, values: str) -> str:
    """Draw a table of a few words with few forms, some lacking, many alike."""
    form = st.sampled_from([*FORMS, "-"])
    lines = [f"lemma  Number=Sing  Number=Plur  {column}"]
    for number, lemma in enumerate(lemmas[: draw(st.integers(1, len(lemmas)))]):
        forms = draw(st.tuples(form, form).filter(lambda pair: pair != ("-", "-")))
        value = draw(st.sampled_from(values)) if number else values[0]
        lines.append("  ".join([lemma, *forms, value]))
    return "\n".join(lines)


@st.composite
def spellings(draw: st.DrawFn) -> str:
    """Draw spelling rules and settings."""
    rules = [f"r{n}  {'  '.join(r)}" for n, r in enumerate(draw(st.lists(RULES, max_size=4)))]
    settings = [f"{name}  -  -  {value}" for name, value in sorted(draw(st.sets(SETTINGS)))]
    return "\n".join(["rule  left  right  result", *rules, *settings])


@st.composite
def little_cases(draw: st.DrawFn) -> Case:
    """Draw a lexicon, spelling rules and a template of a few pieces."""
    lexicon = {
        "noun": draw(tables("klm", "Set", "12")),
        "verb": draw(tables("rst", "Extra", "ab-")),
        "det": "lemma  Number=Sing  Number=Plur\nle  le  les",
        "orthography": draw(spellings()),
    }
    pieces = draw(st.lists(st.sampled_from(PIECES), max_size=4))
    place, model = draw(st.integers(0, len(pieces))), draw(st.sampled_from("nm"))
    glue = draw(st.sampled_from([" ", " ", ""]))
    lines = []
    for name, how in (("good", f"agree({model})"), ("bad", f'clash({model}, "Number")')):
        parts = [*pieces[:place], f"{{{{ u | {how} }}}}", *pieces[place:]]
        lines.append(f"{name}: {glue.join(parts)}")
    used = set(re.findall(r"\b[nmuv]\b", lines[0]))
    slots = [f"  {n}: {{from: {'noun' if n in 'nm' else 'verb'}}}" for n in sorted(used)]
    where = [c for c, needs in CLAUSES.items() if set(needs) <= used and draw(st.booleans())]
    front = ["slots:", *slots, *(["where:", *(f"  - {c}" for c in where)] if where else [])]
    return Case("little", lexicon, "\n".join(front), "\n".join(lines), PHRASES)


@given(little_cases())
@settings(max_examples=60, deadline=None)
def test_little_lexicons_are_drawn_as_the_reference_draws_them(case: Case) -> None:
    with TemporaryDirectory() as folder:
        found, wanted = both(case, Path(folder))
    assert found == wanted
