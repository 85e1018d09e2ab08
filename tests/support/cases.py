"""Small lexicons and templates on which the engine is held against the reference."""

# ruff: noqa: E501 (tables are aligned)

from dataclasses import dataclass, field
from pathlib import Path

from drawing import Files, make_root, template
from solecism.datasets.from_templates import find_paradigm
from solecism.grammar.paradigm import Paradigm

FRENCH: Files = {
    "noun": """
        lemma    Number=Sing  Number=Plur  Gender  Animacy  Class     Set
        auteur   auteur       auteurs      Masc    Anim     human     1
        élève    élève        élèves       Fem     Anim     human     1
        garde    garde        gardes       Masc    Anim     human     2
        ourson   ourson       oursons      Masc    Anim     animal    2
        film     film         films        Masc    Inan     artwork   3
        eau      eau          -            Fem     Inan     stuff     3
    """,
    "verb": """
        lemma    Number=Sing|Person=3  Number=Plur|Person=3  Frame         Subject  Object   Complement
        aimer    aime                  aiment                transitive    human    animate  -
        ignorer  ignore                ignorent              transitive    -        -        -
        dormir   dort                  dorment               intransitive  animate  -        -
        oser     ose                   osent                 intransitive  human    -        enfin
        rire     rit                   rit                   intransitive  human    -        -
        gésir    gît                   -                     intransitive  -        -        -
    """,
    "adj": """
        lemma    Number=Sing|Gender=Masc  Number=Sing|Gender=Fem  Number=Plur|Gender=Masc  Number=Plur|Gender=Fem  Frame    Complement
        beau     beau                     belle                   beaux                    belles                  copular  -
        heureux  heureux                  heureuse                heureux                  heureuses               copular  -
    """,
    "aux": """
        lemma  Number=Sing|Person=3  Number=Plur|Person=3
        être   est                   sont
    """,
    "det": """
        lemma  Number=Sing|Gender=Masc  Number=Sing|Gender=Fem  Number=Plur
        le     le                       la                      les
        un     un                       une                     des
    """,
    "adp": """
        lemma
        de
        à
    """,
    "classes": """
        class    parent
        animate  -
        human    animate
        animal   animate
        artwork  -
        stuff    -
    """,
    "orthography": """
        rule         left   right                  result
        partitive    de     des|du                 de
        elision      le|la  [aeiouéêœ].*           l'+=
        elision      de     [aeiouéêœ].*           d'+=
        elision      que    [aeiouéêœ].*           qu'+=
        contraction  de     le                     du
        contraction  de     les                    des
        contraction  à      le                     au
        contraction  à      les                    aux
        capital      -      -                      yes
        stop         -      -                      .
    """,
}  # fmt: skip

FRENCH_PHRASES = """
    {% macro the(n) %}{{ word("det", "le") | agree(n) }} {{ n }}{% endmacro %}
    {% macro predicate(p, s, wrong="") -%}
      {% if p.Frame == "copular" %}{{ word("aux", "être") | agree(s, wrong=wrong) }} {{ p | agree(s) }}
      {%- else %}{{ p | agree(s, wrong=wrong) }} {{ p.Complement }}{% endif %}
    {%- endmacro %}
    {% macro maybe(n) %}{% if n.Set == "1" %}hélas{% endif %}{% endmacro %}
"""

HEBREW: Files = {
    "noun": """
        lemma  Number=Sing  Number=Plur  Gender  Animacy
        מלצר   מלצר         מלצרים       Masc    Anim
        שומרת  שומרת        שומרות       Fem     Anim
        עיר    עיר          ערים         Fem     Inan
    """,
    "verb": """
        lemma  Number=Sing|Gender=Masc  Number=Sing|Gender=Fem  Number=Plur|Gender=Masc  Number=Plur|Gender=Fem  Frame
        אהב    אוהב                     אוהבת                   אוהבים                   אוהבות                  transitive
        רקד    רוקד                     רוקדת                   רוקדים                   רוקדות                  intransitive
        גר     גר                       גרה                     גרים                     גרות                    intransitive
    """,
    "det": """
        lemma
        ה
    """,
    "orthography": """
        rule         left        right  result
        contraction  [בכל]       ה      =
        prefix       [בהוכלמש]   .+     =+=
        stop         -           -      .
    """,
}  # fmt: skip

HEBREW_PHRASES = """
    {% macro the(n) %}{{ word("det", "ה") }} {{ n }}{% endmacro %}
"""

GERMAN: Files = {
    "noun": """
        lemma   Case=Nom|Number=Sing  Case=Dat|Number=Sing  Case=Nom|Number=Plur  Case=Dat|Number=Plur  Gender
        Autor   Autor                 Autor                 Autoren               Autoren               Masc
        Lehrer  Lehrer                Lehrer                Lehrer                Lehrern               Masc
        Frau    Frau                  Frau                  Frauen                Frauen                Fem
        Eltern  -                     -                     Eltern                Eltern                Masc
    """,
    "verb": """
        lemma     VerbForm=Inf  Number=Sing|Person=1  Number=Sing|Person=2  Number=Sing|Person=3  Number=Plur|Person=1,3  Number=Plur|Person=2
        lachen    lachen        lache                 lachst                lacht                 lachen                  lacht
        aufgeben  aufgeben      gebe auf              gibst auf             gibt auf              geben auf               gebt auf
    """,
    "det": """
        lemma  Case=Nom|Number=Sing|Gender=Masc  Case=Nom|Number=Sing|Gender=Fem  Case=Dat|Number=Sing|Gender=Masc  Case=Dat|Number=Sing|Gender=Fem  Case=Nom|Number=Plur  Case=Dat|Number=Plur
        der    der                               die                              dem                               der                              die                   den
    """,
    "pron": """
        lemma  Number=Sing  Number=Plur  Person
        ich    ich          wir          1
        du     du           ihr          2
    """,
}  # fmt: skip

CHINESE: Files = {
    "noun": """
        lemma  Number=Sing  Classifier
        歌     歌           首
        画     画           幅
        书     书           本
    """,
    "orthography": """
        rule   left  right  result
        stop   -     -      。
        space  -     -      no
    """,
}

CASCADE: Files = {
    # Rules that feed one another across words: what one makes is what the next looks for.
    "noun": """
        lemma  Number=Sing  Number=Plur
        a      a            aa
        b      b            bb
        c      c            ca
        e      x y          y
    """,
    "verb": """
        lemma  Number=Sing  Number=Plur
        v      v            w
        u      u            b
    """,
    "orthography": """
        rule     left  right  result
        one      a     b      d
        two      b     c      e =
        three    =?d   c      =+g
        four     y     v|u    z
        five     .*g   .      h z
        six      z|h   .*     =+=
        seven    zz?   zz?    q
        capital  -     -      yes
        stop     -     -      .
    """,
}


@dataclass(frozen=True)
class Case:
    """One paradigm to draw."""

    name: str
    tables: Files
    front: str
    lines: str
    phrases: str = ""
    changes: Files = field(default_factory=dict)

    def write(self, folder: Path) -> Paradigm:
        """Write its root and load it."""
        texts = {"p": template("p", self.front, self.lines)}
        root = make_root(folder, {**self.tables, **self.changes}, texts, self.phrases)
        return find_paradigm(root, "tiny", "xx", "p")


CASES = [
    Case(
        "across_an_object_relative_clause",
        FRENCH,
        """
        slots:
          author: {from: noun, Animacy: Anim}
          guard: {from: noun, Animacy: Anim}
          likes: {from: verb, Frame: transitive}
          speaks: {from: [verb, adj], Frame: [intransitive, copular]}
        where:
          - guard is under(likes.Subject)
          - author is under(likes.Object)
        """,
        """
        good: {{ the(author) }} que {{ the(guard) }} {{ likes | agree(guard) }} {{ predicate(speaks, author) }}
        bad:  {{ the(author) }} que {{ the(guard) }} {{ likes | agree(guard) }} {{ predicate(speaks, author, wrong="Number") }}
        """,
        FRENCH_PHRASES,
    ),
    Case(
        "contraction_between_slots_and_words_that_arise_from_it",
        FRENCH,
        """
        slots:
          author: {from: noun, Set: 1}
          of: {from: adp}
          film: {from: noun, Set: [2, 3]}
          un: {from: det, lemma: un}
          dort: {from: verb, Frame: intransitive}
        """,
        """
        good: {{ un | agree(author) }} {{ author }} {{ of }} {{ un | agree(film) }} {{ film }} {{ dort | agree(author) }}
        bad: {{ un | agree(author) }} {{ author }} {{ of }} {{ un | agree(film) }} {{ film }} {{ dort | clash(author, "Number") }}
        """,
    ),
    Case(
        "the_difference_disappears_in_a_contraction",
        FRENCH,
        """
        slots:
          of: {from: adp}
          film: {from: noun, Set: 3}
          un: {from: det}
        """,
        """
        good: la fin {{ of }} {{ un | agree(film) }} {{ film }}
        bad: la fin {{ of }} {{ un | clash(film, "Number") }} {{ film }}
        bad: la fin {{ of }} {{ un | clash(film, "Gender") }} {{ film }}
        """,
    ),
    Case(
        "macros_whose_output_is_empty",
        FRENCH,
        """
        slots:
          author: {from: noun}
          dort: {from: verb}
        """,
        """
        good: {{ maybe(author) }} {{ the(author) }} {{ maybe(author) }}{{ dort | agree(author) }} {{ maybe(author) }}
        bad: {{ maybe(author) }} {{ the(author) }} {{ maybe(author) }}{{ dort | clash(author, "Number") }} {{ maybe(author) }}
        """,
        FRENCH_PHRASES,
    ),
    Case(
        "several_bad_lines_of_several_words",
        FRENCH,
        """
        slots:
          author: {from: noun, Set: 1}
          beau: {from: adj}
        """,
        """
        # which gender or number is wrong
        good: {{ the(author) }}, {{ beau | agree(author) }}, rit
        bad: {{ the(author) }}, {{ beau | clash(author, "Gender") }}, rit
        bad: {{ the(author) }}, {{ beau | clash(author, "Gender", "Number") }},
          rit
        bad: {{ word("det", "le") | clash(author, "Gender") }} {{ author }}, {{ beau | clash(author, "Number") }}, rit
        """,
        FRENCH_PHRASES,
    ),
    Case(
        "regions_and_glued_words",
        FRENCH,
        """
        slots:
          author: {from: noun}
          dort: {from: verb}
        """,
        r"""
        good: [start: ({{ the(author) }})] \[[verb: {{ dort | agree(author) }}-{{ author.Class }}] ?
        bad: [start: ({{ the(author) }})] \[[verb: {{ dort | clash(author, "Number") }}-{{ author.Class }}] ?
        """,
        FRENCH_PHRASES,
    ),
    Case(
        "may_repeat_and_where_on_three_slots",
        FRENCH,
        """
        slots:
          author: {from: noun, Animacy: Anim}
          guard: {from: noun}
          film: {from: noun, Set: 3}
          likes: {from: verb, Frame: transitive}
        may_repeat: [author, guard]
        where:
          - author.Gender == guard.Gender or film.Gender == "Fem"
          - likes.lemma != "aimer" or author.Number == "Sing"
        """,
        """
        good: {{ the(author) }} {{ likes | agree(author) }} {{ the(guard) }} à {{ the(film) }}
        bad: {{ the(author) }} {{ likes | clash(author, "Number") }} {{ the(guard) }} à {{ the(film) }}
        """,
        FRENCH_PHRASES,
    ),
    Case(
        "hebrew_prefixes_are_written_together",
        HEBREW,
        """
        slots:
          waiter: {from: noun, Animacy: Anim}
          city: {from: noun}
          likes: {from: verb, Frame: transitive}
          dances: {from: verb, Frame: intransitive}
        where: likes.Frame != dances.Frame
        """,
        """
        good: {{ the(waiter) }} ש {{ likes | agree(waiter) }} ב {{ the(city) }} {{ dances | agree(waiter) }}
        bad: {{ the(waiter) }} ש {{ likes | agree(waiter) }} ב {{ the(city) }} {{ dances | clash(waiter, "Number", "Gender") }}
        """,
        HEBREW_PHRASES,
    ),
    Case(
        "the_difference_stands_inside_written_together_words",
        HEBREW,
        """
        slots:
          waiter: {from: noun, Number: Sing}
          likes: {from: verb}
        """,
        """
        good: ו ש{{ likes | agree(waiter) }} {{ the(waiter) }}
        bad: ו ש{{ likes | clash(waiter, "Gender") }} {{ the(waiter) }}
        """,
        HEBREW_PHRASES,
    ),
    Case(
        "a_bad_sentence_that_is_good_in_another_reading",
        GERMAN,
        """
        slots:
          author: {from: noun, Case: Nom, Number: Sing}
          woman: {from: noun, Case: Dat}
          laughs: {from: verb}
        """,
        """
        good: {{ word("det", "der") | agree(author) }} {{ author }} {{ laughs | agree(author) }} {{ word("det", "der") | agree(woman) }} {{ woman }}
        bad: {{ word("det", "der") | agree(author) }} {{ author }} {{ laughs | agree(author) }} {{ word("det", "der") | agree(woman, wrong="Case=Nom") }} {{ woman }}
        also: {{ word("det", "der") | agree(author, Case="Dat") }} {{ author | form(Case="Dat") }} {{ laughs | agree(woman) }} {{ word("det", "der") | agree(woman, Case="Nom") }} {{ woman | form(Case="Nom") }}
        """,
    ),
    Case(
        "case_and_forms_moved_to_another_cell",
        GERMAN,
        """
        slots:
          author: {from: noun, Case: Nom}
          woman: {from: noun, Case: Dat}
          laughs: {from: verb}
        """,
        """
        good: {{ word("det", "der") | agree(author) }} {{ author }} neben {{ word("det", "der") | agree(woman) }} {{ woman }} {{ laughs | agree(author) }}
        bad: {{ word("det", "der") | agree(author) }} {{ author }} neben {{ word("det", "der") | agree(woman) }} {{ woman }} {{ laughs | clash(author, "Number") }}
        bad: {{ word("det", "der") | agree(author) }} {{ author }} neben {{ word("det", "der") | agree(woman, Case="Nom") }} {{ woman | form(Case="Nom") }} {{ laughs | agree(author) }}
        """,
    ),
    Case(
        "persons_and_infinitives",
        GERMAN,
        """
        slots:
          ich: {from: [pron, noun], Case: Nom}
          laughs: {from: verb}
        """,
        """
        good: {{ ich }} {{ laughs | agree(ich) }} und will {{ laughs | agree(ich, VerbForm="Inf") }}
        bad: {{ ich }} {{ laughs | clash(ich, "Number", "Person") }} und will {{ laughs | agree(ich, VerbForm="Inf") }}
        """,
    ),
    Case(
        "without_spaces",
        CHINESE,
        """
        slots:
          song: {from: noun}
          album: {from: noun}
        where: song.Classifier != album.Classifier
        """,
        """
        good: 孩子 听到 了 一 {{ song.Classifier }} [noun: {{ song }} 。]
        bad: 孩子 听到 了 一 {{ album.Classifier }} [noun: {{ song }} 。]
        """,
    ),
    Case(
        "no_slots",
        FRENCH,
        "",
        """
        good: le auteur de le film dort
        bad: le auteur de les film dort
        bad: Les auteurs de le film dort !
        """,
    ),
    Case(
        "rules_that_feed_one_another",
        CASCADE,
        """
        slots:
          x: {from: noun}
          y: {from: noun}
          z: {from: noun}
          v: {from: verb}
        """,
        """
        good: {{ x }} {{ y }} {{ z }} {{ v | agree(x) }}
        bad: {{ x }} {{ y }} {{ z }} {{ v | clash(x, "Number") }}
        """,
    ),
]
