"""Checks of templates. The docstring of a check is its message and, below, what to do about it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

from jinja2 import nodes

from solecism.errors import Problem, candidates
from solecism.grammar.expression import Uses, merge_uses
from solecism.grammar.paradigm import LARGEST, Paradigm
from solecism.grammar.template import Template, TemplateLine
from solecism.grammar.words import FEATS, ROW, WHOLE
from solecism.lexicon.features import Feats
from solecism.lexicon.table import read_lines


@dataclass(frozen=True)
class UnboundTemplate:
    """A template as written, with what is around it.

    ``sources`` are the keys of references.bib (None: there is no such file), ``siblings`` the
    templates of the same name in other languages of the data set.
    """

    template: Template
    sources: frozenset[str] | None = None
    siblings: tuple[Template, ...] = ()

    def problem(self, detail: str, key: str = "") -> Problem:
        """Return a problem at the line of a front matter key."""
        return Problem(detail, self.template.path, self.template.lines.get(key, 1))


def unknown_source(draft: UnboundTemplate) -> Iterator[Problem]:
    """The source is not in references.bib.

    Correct the key, or add the paper to references.bib. A paradigm of your own needs no `source`:
    remove the line.
    """
    if draft.sources is None:
        return
    for key in filter(None, re.split(r"[,\s]+", draft.template.source)):
        if key not in draft.sources:
            near = candidates("keys", sorted(draft.sources), key)
            yield draft.problem(f"{key!r} {near}", "source")


def nothing_said(draft: UnboundTemplate) -> Iterator[Problem]:
    """The front matter does not say what is tested.

    Give `phenomenon` (results are grouped by it) and `about` (one sentence; the card prints it).
    """
    for key in ("phenomenon", "about"):
        if not getattr(draft.template, key):
            yield draft.problem(f"there is no `{key}`")


def differs_from_siblings(draft: UnboundTemplate) -> Iterator[Problem]:
    """A paradigm is described differently in other languages.

    `phenomenon`, `field` and `construction` are columns that results are grouped by: paradigms of
    the same name must agree in them. Correct the odd one out.
    """
    for key in ("phenomenon", "field", "construction"):
        mine = getattr(draft.template, key)
        counts = Counter(getattr(t, key) for t in (draft.template, *draft.siblings))
        usual = max(counts, key=lambda value: (counts[value], value))
        if mine != usual:
            detail = f"{key} is {mine!r}, elsewhere {usual!r}"
            yield draft.problem(detail, key)


def attractors_without_controller(draft: UnboundTemplate) -> Iterator[Problem]:
    """There are attractors and no controller.

    Name the slot that the target agrees with as `controller`; otherwise no feature of agreement is
    computed.
    """
    if draft.template.attractors and not draft.template.controller:
        yield draft.problem(", ".join(draft.template.attractors), "attractors")


def idle_slot(paradigm: Paradigm) -> Iterator[Problem]:
    """A slot changes no sentence.

    No line prints the slot, agrees with it or asks for a property of it (perhaps a macro does not
    use its argument), so every pair is repeated for each of its words. Remove the slot.
    """
    asked = _asked(paradigm, paradigm.template.conditions)
    for slot in paradigm.template.slots:
        if not asked.get(slot.name):
            yield Problem(repr(slot.name), paradigm.template.path, slot.line)


def _asked(paradigm: Paradigm, conditions: Iterable[TemplateLine]) -> Uses:
    return merge_uses(
        paradigm.phrases.uses(source)
        for condition in conditions
        for source in condition.expressions
    )


def unprinted_slot(paradigm: Paradigm) -> Iterator[Problem]:
    """The controller or an attractor is not printed in the good line.

    Name slots that are in the good sentence: distance, match and the controller's number are
    computed from them.
    """
    template = paradigm.template
    asked = _asked(paradigm, template.conditions[:1])
    for key in ("controller", "attractors"):
        value = getattr(template, key)
        for name in filter(None, (value,) if isinstance(value, str) else value):
            if not asked.get(name, frozenset()) & {WHOLE, ROW}:
                yield Problem(f"{key}: {name!r}", template.path, template.lines[key])


def too_large(paradigm: Paradigm) -> Iterator[Problem]:
    """The template makes more than ten million minimal sets.

    Say with `draw: 10000` how many to sample, or narrow the slots. Such a template is not drawn
    when it is checked.
    """
    size = paradigm.template.draw
    if size is None:
        size = prod(len(domain) for domain in paradigm.plan.domains)
        size = paradigm.plan.size() if size > LARGEST else size
    if size > LARGEST:
        shown = f"{size:,} minimal sets".replace(",", " ")
        yield Problem(shown, paradigm.template.path, paradigm.template.lines.get("draw", 1))


def long_list(draft: UnboundTemplate) -> Iterator[Problem]:
    """A template lists more than eight lemmas.

    Say what the words have in common: a column of the table, a class, a group of
    `typical/groups.tsv` (`under: [GROUP]`), or what a verb is used with (`x is typical(v.Object)`).
    """
    text = "\n".join(read_lines(Path(draft.template.path)))
    for match in _LEMMAS.finditer(text.partition("\n---")[0]):
        lemmas = match[1].strip(" ,\n").split(",")
        if len(lemmas) > MOST_LEMMAS:
            line = text.count("\n", 0, match.start()) + 1
            shown = ", ".join(lemma.strip(" \"'") for lemma in lemmas[:3])
            yield Problem(f"{len(lemmas)} lemmas: {shown}, ...", draft.template.path, line)


_LEMMAS = re.compile(r"\blemma\s*(?::|==|!=|(?:not\s+)?in\b)\s*[\[{]([^\]}]*)[\]}]")

MOST_LEMMAS = 8
"""A longer list belongs into the lexicon."""


EXAMPLE = "# An example to replace, line by line; then delete this line."
"""The first line of what `solecism new` writes."""


def still_the_example(draft: UnboundTemplate) -> Iterator[Problem]:
    """A template is still the example that `solecism new` wrote.

    Write the slots and lines of your paradigm, then delete the line that begins with `# An example
    to replace`.
    """
    lines = read_lines(Path(draft.template.path))
    if EXAMPLE in lines:
        yield Problem(draft.template.id, draft.template.path, lines.index(EXAMPLE) + 1)


def free_feature(paradigm: Paradigm) -> Iterator[Problem]:
    """A slot varies in a feature that nothing asks for.

    The lines print each form of the word (*I know*, but *my know* too). Ask for one value in the
    slot (`Case: Nom`), or let the word agree. Number, gender and person may vary of nouns, pronouns
    and words with which others agree.
    """
    template = paradigm.template
    uses = merge_uses(map(paradigm.phrases.uses, (*template.line_expressions, *template.tests)))
    for slot, domain in zip(template.slots, paradigm.plan.domains, strict=True):
        asked = uses.get(slot.name, frozenset())
        values: dict[tuple[int, str], set[frozenset[str]]] = {}
        for word in domain.words:
            for name, value in (word.cell or Feats()).items():
                values.setdefault((id(word.row), name), set()).add(value)
        nominal = domain.words[0].row.upos in ("NOUN", "PROPN", "PRON", "NUM")
        free = {"Number", "Gender", "Person", "Animacy", "Definite"}
        known = {*asked, *(free if nominal or FEATS in asked else ())}
        varies = sorted({name for (_, name), found in values.items() if len(found) > 1} - known)
        plain = slot.name in template.line_expressions
        if varies and (plain or (nominal and WHOLE in asked)):
            yield Problem(f"{slot.name!r} in {', '.join(varies)}", template.path, slot.line)


def idle_clause(paradigm: Paradigm) -> Iterator[Problem]:
    """A `where` clause has no effect.

    All words of the slots pass it: probably it asks for the wrong property, or for one that no word
    of the slot has. Correct or remove it.
    """
    return (problem for problem, selects in _idle_clauses(paradigm) if not selects)


def idle_selection(paradigm: Paradigm) -> Iterator[Problem]:
    """A `where` clause is true of all words at present.

    The words select (`author is under(likes.Object)`), but all of them go together. Nothing needs
    to be done: the clause will matter when words are added.
    """
    return (problem for problem, selects in _idle_clauses(paradigm) if selects)


def _idle_clauses(paradigm: Paradigm) -> Iterator[tuple[Problem, bool]]:
    """Yield the clauses that all words pass, each with whether its words select by something.

    They do in an `under` of properties that have values.
    """
    template, plan = paradigm.template, paradigm.plan
    # Clauses of kinds of slots come after those of the template, and are not reported here.
    for text, clause in zip(template.where, plan.clauses, strict=False):
        if clause.table.all():
            tests = nodes.Output([paradigm.phrases.tree(text)]).find_all(nodes.Test)
            selects = any(test.name == "under" for test in tests) and all(
                any(word.lookup(column) for word in plan.domains[paradigm.slot_number(slot)].words)
                for slot, asked in paradigm.phrases.uses(text).items()
                for column in asked - {WHOLE, FEATS, ROW}
            )
            yield Problem(text, template.path, template.lines["where"]), selects


DRAFT_CHECKS = {
    "T005": ("error", unknown_source),
    "T006": ("warning", nothing_said),
    "T007": ("warning", differs_from_siblings),
    "T008": ("warning", attractors_without_controller),
    "T015": ("warning", long_list),
    "T016": ("warning", still_the_example),
}
"""The checks of a template as written: level and function by code."""

BOUND_CHECKS = {
    "T009": ("error", idle_slot),
    "T010": ("error", unprinted_slot),
    "T011": ("warning", too_large),
    "T012": ("warning", idle_clause),
    "T013": ("note", idle_selection),
    "T017": ("warning", free_feature),
}
"""The checks of a template that is bound to its lexicon."""
