"""A tiny data set in a language ``xx`` that is much like English; tests break it in one place
each."""

from collections.abc import Iterable
from pathlib import Path

from solecism.check.registry import Finding

FILES = {
    "references.bib": """\
@inproceedings{mueller-etal-2020-cross,
  title = {Cross-Linguistic Syntactic Evaluation of Word Prediction Models},
}
""",
    "lexicons/xx/noun.tsv": """\
lemma	Number=Sing	Number=Plur	Animacy	Class	Set
# a comment
author	author	authors	Anim	human	1
pilot	pilot	pilots	Anim	human	1
guard	guard	guards	Anim	human	2
chef	chef	chefs	Anim	human	2
book	book	books	Inan	artwork	3
""",
    "lexicons/xx/verb.tsv": """\
lemma	Number=Sing|Person=3|Tense=Pres	Number=Plur|Tense=Pres	Subject	Object	Frame
like	likes	like	human	human,artwork	transitive
praise	praises	praise	human	human	transitive
laugh	laughs	laugh	human		intransitive
sell	sells	sell	artwork		intransitive
""",
    "lexicons/xx/det.tsv": """\
lemma	Number=Sing	Number=Plur	Definite	PronType
the	the	the	Def	Art
a	a		Ind	Art
""",
    "lexicons/xx/classes.tsv": "class\tparent\nanimate\t\nhuman\tanimate\nartwork\t\n",
    "lexicons/xx/orthography.tsv": """\
rule	left	right	result
article	a	[aeiou].*	an =
capital			yes
stop			.
space			yes
""",
    "templates/demo/xx/_phrases.jinja": """\
{% macro the(n) %}{{ word("det", "the") | agree(n) }} {{ n }}{% endmacro %}
""",
    "templates/demo/xx/simple.jinja": """\
---
id: simple
phenomenon: subject_verb_agreement
about: The verb agrees with its subject.
source: mueller-etal-2020-cross
slots:
  author: {from: noun}
  laughs: {from: verb, Frame: intransitive}
where: author is under(laughs.Subject)
controller: author
---
good: {{ the(author) }} {{ laughs | agree(author) }}
bad:  {{ the(author) }} {{ laughs | clash(author, "Number") }}
""",
    "templates/demo/xx/across.jinja": """\
---
id: across
phenomenon: subject_verb_agreement
about: The verb agrees with its subject across an object relative clause.
source: mueller-etal-2020-cross
slots:
  author: {from: noun, Set: [1, 3]}
  guard: {from: noun, Set: 2}
  likes: {from: verb, Frame: transitive}
  laughs: {from: verb, Frame: intransitive}
where:
  - author is under(likes.Object)
  - author is under(laughs.Subject)
controller: author
attractors: [guard]
---
good: {{ the(author) }} that {{ the(guard) }} {{ likes | agree(guard) }} {{ laughs | agree(author) }}
bad:  {{ the(author) }} that {{ the(guard) }} {{ likes | agree(guard) }}
      {{ laughs | clash(author, "Number") }}
""",
}
"""The files of the data root, by path."""


def make_root(tmp_path: Path) -> Path:
    """Write the tiny data set below ``tmp_path`` (``lexicons/``, ``templates/``,
    references.bib)."""
    for name, text in FILES.items():
        rewrite(tmp_path / name, text)
    return tmp_path


def rewrite(path: Path, text: str) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def edit(path: Path, old: str, new: str) -> Path:
    """Replace the first ``old``, which must be there, in a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    return rewrite(path, text.replace(old, new, 1))


def codes(findings: Iterable[Finding]) -> list[str]:
    """The codes of findings, notes left aside."""
    return [f.code for f in findings if f.level != "note"]
