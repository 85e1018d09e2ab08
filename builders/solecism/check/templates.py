"""Checks of templates. The docstring of a check is its message and, below, what to do about it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jinja2 import nodes

from solecism.errors import Problem, candidates
from solecism.grammar.copies import is_constant
from solecism.grammar.front_matter import Entry
from solecism.grammar.inherit import DEFAULTS, read_yaml
from solecism.grammar.paradigm import LARGEST, Paradigm
from solecism.grammar.template import Template, TemplateLine
from solecism.grammar.uses import Uses, merge_uses
from solecism.grammar.words import FEATS, ROW, WHOLE
from solecism.inputs import read_lines
from solecism.lexicon.features import Feats
from solecism.lexicon.table import main_name
from solecism.phenomena import phenomena, phenomenon_named


@dataclass(frozen=True)
class UnboundTemplate:
    """A template that is not yet bound to a lexicon, with what its checks compare it with.

    ``sources`` are the keys of references.bib (None: there is no such file), ``siblings`` the
    templates of the same name in other languages of the data set.
    """

    template: Template
    sources: frozenset[str] | None = None
    siblings: tuple[Template, ...] = ()

    def problem(self, detail: str, key: str = "") -> Problem:
        """Return a problem at the line of a front matter key (line 1 if the key is missing)."""
        return Problem(detail, self.template.path, self.template.lines.get(key, 1))


def unknown_source(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A source is not in references.bib.

    Correct the key, or add the paper to references.bib. A paradigm of your own needs no `source`:
    remove the line.
    """
    if unbound.sources is None:
        return
    for key in filter(None, re.split(r"[,\s]+", unbound.template.source)):
        if key not in unbound.sources:
            near = candidates("keys", sorted(unbound.sources), key)
            yield unbound.problem(f"{key!r} {near}", "source")


def nothing_said(unbound: UnboundTemplate) -> Iterator[Problem]:
    """The front matter does not say what is tested.

    Write `phenomenon` (results are grouped by it) and `about` (one sentence, which the card shows).
    """
    for key in ("phenomenon", "about"):
        if not getattr(unbound.template, key):
            yield unbound.problem(f"there is no `{key}`")


def differs_from_siblings(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A paradigm is described differently in other languages.

    `phenomenon`, `field` and `construction` are columns that results are grouped by: paradigms of
    the same name must agree in them. Correct the odd one out.
    """
    for key in ("phenomenon", "field", "construction"):
        mine = getattr(unbound.template, key)
        counts = Counter(getattr(t, key) for t in (unbound.template, *unbound.siblings))
        usual = max(counts, key=lambda value: (counts[value], value))
        if mine != usual:
            yield unbound.problem(f"{key} is {mine!r}, elsewhere {usual!r}", key)


def attractors_without_controller(unbound: UnboundTemplate) -> Iterator[Problem]:
    """There are attractors but no controller.

    Name the slot that the target agrees with as `controller`; otherwise no feature of agreement is
    computed.
    """
    if unbound.template.attractors and not unbound.template.controller:
        yield unbound.problem(", ".join(unbound.template.attractors), "attractors")


def idle_slot(paradigm: Paradigm) -> Iterator[Problem]:
    """A slot changes no sentence.

    No line prints the slot, agrees with it or asks for a property of it (perhaps a macro does not
    use its argument). So every pair is repeated for each word of the slot. Remove the slot.
    """
    asked = _asked(paradigm, paradigm.template.conditions)
    for slot in paradigm.template.slots:
        if not asked.get(slot.name):
            yield Problem(repr(slot.name), paradigm.template.path, slot.line)


def _asked(paradigm: Paradigm, conditions: Iterable[TemplateLine]) -> Uses:
    """Return what the expressions of some lines ask of each slot."""
    sources = [source for condition in conditions for source in condition.expressions]
    return merge_uses(map(paradigm.phrases.uses, sources))


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
            # WHOLE: the word itself is printed; ROW: another form of it. A line that asks for
            # properties or features alone does not print the word.
            if not asked.get(name, frozenset()) & {WHOLE, ROW}:
                yield Problem(f"{key}: {name!r}", template.path, template.lines[key])


def too_large(paradigm: Paradigm) -> Iterator[Problem]:
    """The template makes more than ten million minimal sets.

    Say with `draw: 10000` how many to sample, or narrow the slots. `solecism check` does not draw
    the items of such a template.
    """
    size = paradigm.template.draw or paradigm.plan.bound
    if size > LARGEST:
        shown = f"{size:,} minimal sets".replace(",", " ")
        yield Problem(shown, paradigm.template.path, paradigm.template.lines.get("draw", 1))


def long_list(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A template lists more than eight lemmas.

    Say what the words have in common: a column of the table, a class, a group of
    `typical/groups.tsv` (`under: [GROUP]`), or what a verb is used with (`x is typical(v.Object)`).
    """
    text = "\n".join(read_lines(Path(unbound.template.path)))
    for match in _LEMMAS.finditer(text.partition("\n---")[0]):
        lemmas = match[1].strip(" ,\n").split(",")
        if len(lemmas) > MOST_LEMMAS:
            line = text.count("\n", 0, match.start()) + 1
            shown = ", ".join(lemma.strip(" \"'") for lemma in lemmas[:3])
            yield Problem(f"{len(lemmas)} lemmas: {shown}, ...", unbound.template.path, line)


def lemmas_in_test(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A test lists four or more lemmas of nouns, verbs, adjectives, adverbs or names.

    What they have in common is knowledge of words: write it into the lexicon, as a group of
    `typical/groups.tsv` or a column.
    """
    template = unbound.template
    tables = {slot.name: {main_name(table) for table in slot.tables} for slot in template.slots}
    for text in template.where:
        for name, lemmas in re.findall(r"(\w+)\.lemma (?:not )?in \[([^\]]*)\]", text):
            if lemmas.count(",") >= 3 and tables.get(name, set()) & _OPEN:
                yield unbound.problem(text, "where")


_OPEN = {"noun", "verb", "adj", "adv", "propn"}

_LEMMAS = re.compile(r"\blemma\s*(?::|==|!=|(?:not\s+)?in\b)\s*[\[{]([^\]}]*)[\]}]")

MOST_LEMMAS = 8
"""A longer list of lemmas belongs in the lexicon."""


EXAMPLE = "# An example to replace, line by line; then delete this line."
"""A line that `solecism new` writes into its templates."""


def still_the_example(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A template is still the example that `solecism new` wrote.

    Write the slots and lines of your paradigm, then delete the line that begins with `# An example
    to replace`.
    """
    lines = read_lines(Path(unbound.template.path))
    if EXAMPLE in lines:
        yield Problem(unbound.template.id, unbound.template.path, lines.index(EXAMPLE) + 1)


def free_feature(paradigm: Paradigm) -> Iterator[Problem]:
    """A slot varies in a feature, and nothing asks for one value (`Case: Nom`).

    The lines print each form of the word (*I know*, but *my know* too). Ask for one value in the
    slot (`Case: Nom`), or let the word agree. Nouns, pronouns and numerals, and words with which
    others agree, may vary in number, gender, person, animacy and definiteness.
    """
    template = paradigm.template
    uses = merge_uses(map(paradigm.phrases.uses, (*template.line_expressions, *template.tests)))
    for slot, domain in zip(template.slots, paradigm.plan.domains, strict=True):
        asked = uses.get(slot.name, frozenset())
        values: dict[tuple[int, str], set[frozenset[str]]] = {}
        for word in domain.words:
            for name, value in (word.cell or Feats()).items():
                values.setdefault((id(word.row), name), set()).add(value)
        # A word varies in a feature if the slot takes several of its forms, with different values.
        # That is meant if an expression asks for the feature, or the word is one to agree with.
        nominal = domain.words[0].row.upos in ("NOUN", "PROPN", "PRON", "NUM")
        free = {"Number", "Gender", "Person", "Animacy", "Definite"}
        known = {*asked, *(free if nominal or FEATS in asked else ())}
        varies = sorted({name for (_, name), found in values.items() if len(found) > 1} - known)
        # A verb or adjective that an expression takes as a whole may be inflected there; a noun
        # is printed as it is.
        bare = slot.name in template.line_expressions  # {{ slot }} alone
        if varies and (bare or (nominal and WHOLE in asked)):
            yield Problem(f"{slot.name!r} in {', '.join(varies)}", template.path, slot.line)


def excluded_lemma(paradigm: Paradigm) -> Iterator[Problem]:
    """A slot lists a lemma that something else in it, or in its kind, excludes.

    The word is never drawn. Take it out of the list, or ask less beside it (`Strict: [yes, ""]`).
    """
    for domain in paradigm.plan.domains:
        slot = domain.slot
        # A list with numbers is a kind's as a rule, and templates take some of its words.
        if "lemma" in slot.wants and "lemma" not in slot.weights:
            lemmas = dict.fromkeys(slot.wants["lemma"])
            for word in domain.words:
                lemmas.pop(word.row.lemma, None)
            if lemmas:
                found = f"{slot.name!r}: {', '.join(lemmas)}"
                yield Problem(found, paradigm.template.path, slot.line)


def idle_clause(paradigm: Paradigm) -> Iterator[Problem]:
    """A `where` clause has no effect.

    All combinations of words pass it: probably it asks for the wrong property, or for one that no
    word of the slot has. Correct or remove it.
    """
    return (problem for problem, selects in _idle_clauses(paradigm) if not selects)


def idle_selection(paradigm: Paradigm) -> Iterator[Problem]:
    """A `where` clause is true of all words at present.

    It asks whether words fit (`author is under(likes.Object)`), and all words of the slots do.
    Nothing needs to be done: the clause will matter when words are added.
    """
    return (problem for problem, selects in _idle_clauses(paradigm) if selects)


def _idle_clauses(paradigm: Paradigm) -> Iterator[tuple[Problem, bool]]:
    """Yield a problem for each clause that all combinations of words pass, and a flag.

    The flag is true if the clause has a test `under`, and if each property that it asks for has a
    value in some word: then it is right, but excludes nothing yet.
    """
    template, plan = paradigm.template, paradigm.plan
    words = {domain.slot.name: domain.words for domain in plan.domains}
    # Clauses that come from `_slots.yaml` are after those of the template, and not reported here.
    for text, clause in zip(template.where, plan.clauses, strict=False):
        if clause.table.all():
            tests = nodes.Output([paradigm.phrases.tree(text)]).find_all(nodes.Test)
            selects = any(test.name == "under" for test in tests) and all(
                any(word.lookup(column) for word in words[slot])
                for slot, asked in paradigm.phrases.uses(text).items()
                for column in asked - {WHOLE, FEATS, ROW}
            )
            yield Problem(text, template.path, template.lines["where"]), selects


def without_gloss(paradigm: Paradigm) -> Iterator[Problem]:
    """A word that templates print has no gloss.

    Add it: to the column Gloss of its table, or, if it stands in templates as it is printed, to
    words.tsv (`docs/glossing.md`). Lexicons without words.tsv need no glosses.
    """
    yield from paradigm.phrases.lexicon.glosses.missing


def unknown_phenomenon(unbound: UnboundTemplate) -> Iterator[Problem]:
    """The phenomenon of a template is not in the list that all data sets share.

    Take one of templates/phenomena.toml, so that reports lay languages side by side; a name of your
    own is accepted with ``allow: T020``.
    """
    name = unbound.template.phenomenon
    if name and not phenomenon_named(name):
        near = candidates("phenomena", [*phenomena()], name)
        yield unbound.problem(f"{name!r} {near}", "phenomenon")


def choice_in_line(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A line chooses between two expressions.

    A line is an example sentence: give the choice a name (`names: {she: anna if who == "anna" else
    I}`) and write the name.
    """
    template = unbound.template
    for line in (*template.conditions, *template.also):
        for source in re.findall(r"\{\{(.*?)\}\}", line.source):
            if re.search(r"\bif\b.*\belse\b", source):
                yield Problem(source.strip(), template.path, line.line)


def unspoken_reading(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A bad sentence may be good in another reading, and no line `also` says so.

    Where the order of words is free, *Lena ähnelt ihre Großmutter* may have its object first. Write
    the sentence that it would be as a line `also`; where there is none, write `allow: T025`.
    """
    template = unbound.template
    known = phenomenon_named(template.phenomenon)
    if known and template.folder.name in known.reading_in and not template.also:
        yield Problem(known.reading, template.path, template.conditions[0].line)


def constant_feature(unbound: UnboundTemplate) -> Iterator[Problem]:
    """A feature in `_defaults.yaml` says the same of the sentences of every template.

    A default is true of the folder, a feature of a sentence: each template says it itself, from a
    column where there is one (`audible: vert.Audible`). Computed features (`$length`) may stay.
    """
    folder = unbound.template.folder
    for place in (folder, folder.parent):
        features = read_yaml(place / DEFAULTS).fields.get("features", Entry()).fields
        for name, entry in features.items():
            if is_constant(entry, unbound.template.slot_names):
                yield Problem(f"{name}: {entry.text}", entry.path, entry.line)
