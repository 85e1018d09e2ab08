"""A small world of valid files, all sentences our own: the sources of two data sets, what is built
of them, and files of every other kind that a verb reads."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from solecism.commands import main

__all__ = ["make_world"]


def make_world(folder: Path) -> dict[str, bytes]:
    """Write the files into an empty folder; return all of them by their path in it."""
    for name, text in SOURCES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    (folder / "model.arpa.gz").write_bytes(gzip.compress(SOURCES["model.arpa"].encode(), mtime=0))
    with chdir(folder):
        for command in MADE:
            outcome = CliRunner().invoke(main, command.split())
            if outcome.exit_code:
                raise RuntimeError(f"{command}: {outcome.output}") from outcome.exception
        _rename_results(folder / "results")
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _rename_results(folder: Path) -> None:
    """Rename the two results to short names."""
    for name, path in zip(("one", "two"), sorted(folder.glob("*.json")), strict=True):
        path.with_suffix(".parquet").rename(folder / f"{name}.parquet")
        path.rename(folder / f"{name}.json")


MADE = (
    "build demo --root . --out demo",
    "build demo --root . --out old",
    "build suites --root . --out suites",
    "lock demo --root .",
    "convert suites/zh suite",
    "convert suites/zh items.parquet",
    "score demo/en --model model.arpa --out results",
    "score demo/en --model ngram --out results",
)


def _by_item(table: str) -> str:
    """Put the second item of :data:`SURPRISALS` first: in a data set, items go by their ids."""
    header, *lines = table.strip().splitlines()
    moved = [(str((int(line[0]) + 1) % 4 + 1), line) for line in lines]
    return "\n".join([header, *(new + line[1:] for new, line in sorted(moved, key=lambda m: m[0]))])


def _tabs(text: str) -> str:
    """A table whose cells stand between spaces; ``-`` is an empty one."""
    lines = [line for line in text.split("\n") if line.strip()]
    rows = (["" if cell == "-" else cell for cell in line.split()] for line in lines)
    return "\n".join("\t".join(row) for row in rows) + "\n"


NOUN = """
lemma    Number=Sing  Number=Plur  Animacy  Class   Set  Freq
painter  painter      painters     Anim     human   1    4.5
cousin   cousin       cousins      Anim     human   2    3.9
otter    otter        otters       Anim     animal  2    2.5
lamp     lamp         lamps        Inan     thing   1    4.1
goose    goose        geese        Anim     animal  1    -
"""
VERB = """
lemma  Number=Sing|Person=3  Number=Plur|Person=3  Frame         Subject  Object   Freq
see    sees                  see                   transitive    animate  -        3
sleep  sleeps                sleep                 intransitive  animate  -        1
shine  shines                shine                 intransitive  thing    -        1
draw   draws                 draw                  transitive    human    animate  2
"""
CLASSES = """
class    parent
animate  -
human    animate
animal   animate
thing    -
"""
ORTHOGRAPHY = """
rule         left   right      result
article      a      [aeiou].*  an+=
contraction  to     the        to_the
capital      -      -          yes
stop         -      -          .
"""
PHRASES = """{# Phrases that the paradigms share. #}
{% macro the(n) %}the {{ n }}{% endmacro %}
{% macro predicate(p, s) -%}
  {% if p.Frame == "transitive" %}{{ p | agree(s, Person="3") }} {{ word("adv", "here") }}
  {%- else %}{{ p | agree(s, Person="3") }}{% endif %}
{%- endmacro %}
"""
AGREEMENT = """---
id: agreement
phenomenon: subject_verb_agreement
construction: across an object
about: The verb agrees with its subject.
source: pan-2020-otters
slots:
  author: {from: noun, Animacy: Anim, Set: 1}
  guard: {from: noun, under: [human, animal], Set: 2, Freq: [">=2", "<6"]}
  sees: {from: verb, Frame: transitive}
  will: {oneof: [now, "then"]}
where:
  - author is under(sees.Subject)
  - author.lemma != guard.lemma
controller: author
attractors: [guard]
draw: 12
balance: [author.Number, guard.lemma]
features:
  time: will
  long: $length
---
# A comment.
good: {{ the(author) }} {{ sees | agree(author, Person="3") }} a {{ guard }} {{ will }}
bad:  {{ the(author) }} {{ sees | clash(author, "Number", Person="3") }} a
  {{ guard }} {{ will }}
"""
SIMPLE = """---
id: simple
phenomenon: subject_verb_agreement
slots:
  author: {from: noun}
  sleeps: {from: verb, Frame: [intransitive, transitive]}
where: author is under(sleeps.Subject)
may_repeat: []
draw: all
---
good: {{ the(author) }} {{ predicate(sleeps, author) }}
bad: {{ the(author) }} {{ sleeps | clash(author, "Number", Person="3") }}
  {{ word("adv", "here") if sleeps.Frame == "transitive" else "" }}
"""
LIKE = """---
id: like
like: agreement
about: The verb agrees with its subject, before what people see.
slots:
  guard: {kind: object of sees, Set: 2, not: {lemma: [lamp]}}
  sees: {from: verb, Frame: transitive, weight: Freq}
  will: "~"
where: guard is typical(sees.Object)
balance: author.Number
features:
  time: "~"
---
good: {{ the(author) }} {{ sees | agree(author, Person="3") }} a {{ guard }}
bad:  {{ the(author) }} {{ sees | clash(author, "Number", Person="3") }} a {{ guard }}
"""
KINDS = """# Kinds of slots.
person: {from: noun, under: human, where: 'it.Animacy == "Anim"'}
object of v: {from: noun, not: {under: [rest]}, where: it is typical(v.Object)}
"""
TYPICAL = """
lemma  Subject               Object
see    *animate,-goose       *seen,lamp
draw   *human                *seen
"""
GROUPS = """
group  words
seen   *animal,cousin,-goose
rest   painter
"""
UNWANTED = """
words     with    reason
sleep     lamp    odd
see,draw  +*rest  odd
"""
CLASSIFIER = """---
id: cls_none
phenomenon: classifier
field: syntax_semantics
construction: none
about: A noun follows its classifier.
slots:
  thing: {from: item}
draw: all
predictions:
  - mismatch.noun > match.noun
  - mismatch.* > match.noun + 1.5 & (2;%match%) < mismatch.2
---
match:    {{ thing.Agent }} [verb: 画了] 一 {{ thing.Clf1 }} [noun: {{ thing }} 。]
mismatch: {{ thing.Agent }} [verb: 画了] 一 {{ thing.Clf2 }} [noun: {{ thing }} 。]
"""
ITEM = """
lemma  UPOS  Agent  Clf1  Clf2
船     NOUN  姐姐   条    本
信     NOUN  老人   封    条
"""
CATALOGUE = """# The data sets of this folder.
[demo]
version = "1.0.0"
pretty_name = "Demo"
summary = "Otters and painters"
license = "cc-by-4.0"
paper = "https://example.org/otters"
sources = ["pan-2020-otters"]
tags = ["otters"]
seed = 1
configs = "languages"
date = 2026-01-02
hub = "org/demo"
annotations_creators = ["machine-generated"]

[suites]
version = "0.1.0"
pretty_name = "Suites"
"""
BIBLIOGRAPHY = """@article{pan-2020-otters,
  author = {Pan, Ada and Lund, Bo},
  title = {On {Otters} and Painters},
  journal = {Journal of Otters},
  volume = {3},
  pages = {1--12},
  year = {2020},
  doi = {10.1000/otters},
}

@inproceedings{lund-2021-lamps,
  author = "Lund, Bo",
  title = "Lamps That Shine",
  booktitle = "Proceedings of Lamps",
  year = "2021",
}
"""
CARD = """# {{ entry.pretty_name }} {{ entry.version }}

{{ entry.summary }}.

| config | items | kind |
|---|---:|---|
{% for config in built %}
| `{{ config.name }}` | {{ "{:,}".format(config.rows) }} | {{ config.kind }} |
{% endfor %}
{% if skipped %}
Skipped: {% for reason, count in skipped.items() %}{{ reason }} ({{ count }}) {% endfor %}

{% endif %}

{% for row in checks %}{{ row.code }} {{ row.findings }}{{ ", " if not loop.last }}{% endfor %}

```bibtex
{{ citation }}
{% for reference in references %}{{ reference.text }}{% endfor %}
```
"""
CHANGELOG = """# Changelog of `demo`

## 1.0.0

Our notes.

<!-- made by `solecism diff`: write notes above this line -->

* new config `en` (12 items)

## 0.9.0

The first.
"""
GRAMMAR = """# Agreement in a grammar that varies attributes.
vary: V[]; N[]
S[] the N[s] V[s]
S[] the N[p] V[p]
S[] a N[s] of the D[p] V[s] here
N[s] otter | painter
N[p] otters | painters
V[s] sleeps | swims
V[p] sleep | swim
"""
COMMON = """D[s] lamp | boat
D[p] lamps | boats
"""
TREEBANK = """
1  The     the    DET   DT  Definite=Def                                           2  det    _  _
2  otters  otter  NOUN  NN  Number=Plur                                            3  nsubj  _  _
3  swim    swim   VERB  VB  Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin  0  root   _  SpaceAfter=No
4  .       .      PUNCT .   _                                                      3  punct  _  _
|
1    A        a        DET   DT  Definite=Ind                                           2  det    _  _
2    painter  painter  NOUN  NN  Number=Sing                                            5  nsubj  _  _
3-4  don't    _        _     _   _                                                      _  _      _  _
3    do       do       AUX   VB  Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin  5  aux    _  _
4    n't      not      PART  RB  Polarity=Neg                                           5  advmod _  _
5    sleeps   sleep    VERB  VB  Mood=Ind|Number=Sing|Tense=Pres|VerbForm=Fin  0  root   _  _
5.1  gone     go       VERB  VB  _  _  _  5:dep  _
6    here     here     ADV   RB  _  5  advmod _  SpaceAfter=No
7    .        .        PUNCT .   _                                                      5  punct  _  _
|
1  Lamps    lamp   NOUN  NN  Number=Plur                                            3  nsubj  _  _
2  never    never  ADV   RB  _                                                      3  advmod _  _
3  shine    shine  VERB  VB  Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin  0  root   _  _
4  .        .      PUNCT .   _                                                      3  punct  _  _
"""
SURPRISALS = """
sentence_id  token_id  token  surprisal
1  1  老人  5
1  2  画了  4.25
1  3  一    0.5
1  4  封    3.5
1  5  信    2.0
1  6  。    0.25
2  1  老人  5
2  2  画了  4.25
2  3  一    0.5
2  4  条    3.0
2  5  信    9.0
2  6  。    0.25
3  1  姐姐  3.5
3  2  画了  4.25
3  3  一    0.5
3  4  条    1e-1
3  5  船    7
3  6  。    0.25
4  1  姐姐  3.5
4  2  画了  4.25
4  3  一    0.5
4  4  本    2.0
4  5  船    11.5
4  6  。    0.75
"""
TEXT = """姐姐 画 了 一 条 船 。
姐姐 画 了 一 本 船 。
老人 写 了 一 本 书 。
老人 写 了 一 条 书 。
"""
SYNTAXGYM = {
    "meta": {"name": "number", "metric": "sum", "author": "us"},
    "region_meta": {"1": "subject", "2": "verb", "3": "rest"},
    "predictions": [
        {"type": "formula", "formula": "(2;%mismatch%) > (2;%match%)"},
        {"type": "formula", "formula": "((*;%mismatch%) - (1;%match%)) > 0.5 & (3;%match%) = (3;%mismatch%)"},
    ],
    "items": [
        {
            "item_number": number,
            "conditions": [
                {
                    "condition_name": name,
                    "regions": [
                        {"region_number": 1, "content": f"The old {noun}"},
                        {"region_number": 2, "content": verb},
                        {"region_number": 3, "content": "in here."},
                    ],
                }
                for name, verb in (("match", "sleeps"), ("mismatch", "sleep"))
            ],
        }
        for number, noun in ((1, "otter"), (2, "painter"))
    ],
}  # fmt: skip
ARPA = """\\data\\
ngram 1=9
ngram 2=4

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.3
-0.9\t</s>
-0.7\tthe\t-0.25
-1.1\ta\t-0.1
-1.4\tpainter\t-0.2
-1.6\tsees\t-0.2
-1.9\tsee
-2.0\totter

\\2-grams:
-0.3\t<s> the
-0.8\tthe painter
-0.4\tpainter sees
-0.9\tsees a

\\end\\
"""
INDEX = {
    "name": "UD_Greek-GDT", "language": "Greek", "tag": "r2.17", "tag_commit": "0" * 40,
    "releases": {"first": "2.0", "last": "2.18"}, "iso": "el", "license": "CC BY-NC-SA 3.0",
    "files": [{"path": "el_gdt-ud-test.conllu", "blob_sha1": "1" * 40, "size": 99}],
    "license_file": [{"first_lines": ["CC BY-NC-SA 3.0"]}], "renamed_to": None,
}  # fmt: skip
NGRAM = {"model_type": "solecism-ngram", "order": 2, "lower": True, "marks": True}


def _treebank() -> str:
    sentences = TREEBANK.strip().split("|\n")
    tables = (_tabs(text) for text in sentences)
    texts = ("The otters swim.", "A painter don't sleeps here.", "Lamps never shine .")
    rows = zip(range(1, 9), texts, tables, strict=False)
    return "".join(f"# sent_id = s{n}\n# text = {text}\n{table}\n" for n, text, table in rows)


STUDY = """\
[study]
design = "choice"
title = "Otters"
language = "en"
seed = 0
pairs = 1
judges = 2
practice = 0
catch = 0

[[data]]
config = "demo/en"

[rules]
completed = 0.5
flags = ["rejected"]

[columns]
participant = "worker"
"""
"""A study that others have made: only its design is here."""

ANSWERS = """\
worker,good,bad,UID,shown,answer,time,list,flags
w1,The otter swims.,The otter swim.,simple,good,good,900,1,
w1,The otters swim.,The otters swims.,simple,bad,first,1100,1,resumed hidden
w2,The otter swims.,The otter swim.,simple,bad,second,870.5,2,
"""

TRIALS = [
    {"trial_type": "preload", "rt": None},
    {
        "trial_type": "html-button-response", "worker": "w1", "good": "The otter swims.",
        "bad": "The otter swim.", "shown": "bad", "response": 1, "rt": 812.4, "trial_index": 1,
    },
]  # fmt: skip

TASKS = [
    {
        "data": {"good": "The otter swims.", "bad": "The otter swim.", "shown": "good", "worker": "w1"},
        "annotations": [
            {
                "completed_by": {"id": 3}, "lead_time": 2.5, "was_cancelled": False,
                "result": [{"from_name": "answer", "value": {"choices": ["first"]}}],
            }
        ],
    }
]  # fmt: skip

EVENTS = """\
# Results on Monday
# 1. Results reception time.
# 2. MD5 hash of participant's IP address.
# 3. Parameter.
# 4. Value.
# 5. EventTime.
# 6. item.
# 7. good.
# 8. bad.
# 9. shown.
# 10. worker.
1795262400,abc,_Trial_,Start,1000,i1,The otter swims.,The otter swim.,good,w1
1795262400,abc,Selection,first,2250,i1,The otter swims.,The otter swim.,good,w1
"""

PEOPLE = "UID,linguistics_term,accuracy,n\nsimple,agreement,0.9,20\nagreement,agreement,0.8,20\n"

SOURCES: Mapping[str, str] = {
    "people/study.toml": STUDY,
    "people/answers.csv": ANSWERS,
    "people/trials.json": json.dumps(TRIALS, indent=1),
    "people/tasks.json": json.dumps(TASKS, indent=1),
    "people/events.csv": EVENTS,
    "people.csv": PEOPLE,
    "templates/demo/en/_phrases.jinja": PHRASES,
    "templates/demo/en/agreement.jinja": AGREEMENT,
    "templates/demo/en/simple.jinja": SIMPLE,
    "templates/demo/en/like.jinja": LIKE,
    "templates/demo/en/_slots.yaml": KINDS,
    "templates/suites/zh/cls_none.jinja": CLASSIFIER,
    "lexicons/en/noun.tsv": _tabs(NOUN),
    "lexicons/en/verb.tsv": _tabs(VERB),
    "lexicons/en/adv.tsv": "lemma\nhere\nthere\n",
    "lexicons/en/typical/verb.tsv": _tabs(TYPICAL),
    "lexicons/en/typical/groups.tsv": _tabs(GROUPS),
    "lexicons/en/unwanted.tsv": _tabs(UNWANTED),
    "lexicons/en/classes.tsv": _tabs(CLASSES),
    "lexicons/en/orthography.tsv": _tabs(ORTHOGRAPHY).replace("to_the", "to the"),
    "lexicons/zh/item.tsv": _tabs(ITEM),
    "lexicons/zh/orthography.tsv": _tabs("rule left right result\nspace - - no\nstop - - 。"),
    "catalogue.toml": CATALOGUE,
    "references.bib": BIBLIOGRAPHY,
    "dataset_cards/demo.md": CARD,
    "dataset_cards/demo.changelog.md": CHANGELOG,
    "grammars/simple.avg": GRAMMAR,
    "grammars/common.avg": COMMON,
    "en_demo-ud-test.conllu": _treebank(),
    "study/lstm/seed-1/surprisals_cls_none.tsv": _tabs(SURPRISALS),
    "read/surprisals_zh.tsv": _tabs(_by_item(SURPRISALS)),
    "cls_none_txt.txt": TEXT,
    "gym.json": json.dumps(SYNTAXGYM, ensure_ascii=False, indent=1),
    "model.arpa": ARPA,
    "ngram/model.arpa": ARPA,
    "ngram/config.json": json.dumps(NGRAM),
    "ud-index.jsonl": json.dumps(INDEX) + "\n",
    "mirror/UD_Greek-GDT/el_gdt-ud-test.conllu": _treebank(),
}
"""What is written by hand."""
