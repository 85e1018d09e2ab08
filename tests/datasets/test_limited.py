"""Data sets drawn within a vocabulary, or where what differs is equally frequent."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from release import CHECKOUT
from solecism.commands import main
from solecism.datasets.build import build
from solecism.datasets.configs import BuiltParadigm, Config, Items, ItemSource
from solecism.datasets.limited import limited_configs
from solecism.errors import InputError
from solecism.grammar.paradigm import Counts
from solecism.lexicon.vocabulary import (
    Limits,
    Vocabulary,
    count_words,
    read_frequencies,
    read_vocabulary,
)
from solecism.root import Root
from solecism.schema import CLOZE
from solecism.treebank.minimal_pairs import SCHEMA

ROOT = Root(CHECKOUT)
UIDS = [
    "clitic_climbing",
    "personne_position",
    "contraction_before_vowel",
    "present_number_attractor",
]


def sentences(folder: Path, config: str) -> list[str]:
    (path,) = (folder / config).glob("*.parquet")
    table = pq.read_table(path, columns=["sentence_good", "sentence_bad"])
    return [text for column in table.columns for text in column.to_pylist()]


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words), "--root", str(CHECKOUT)])


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "blimp-fr"
    build("blimp-fr", UIDS, out=folder, root=ROOT)
    return folder


@pytest.fixture(scope="module")
def frequent(plain: Path) -> list[str]:
    """The most frequent words of the plain data, which are not all."""
    words = Counter(
        word.strip(".,") for uid in UIDS for text in sentences(plain, uid) for word in text.split()
    )
    return [word for word, _ in words.most_common(int(0.7 * len(words)))]


@pytest.mark.parametrize(
    ("words", "text", "first", "known"),
    [
        ("chat dort", "Chat dort.", True, True),
        ("chat dort", "Chat dort.", False, False),
        ("Chat dort", "chat dort", True, False),
        ("l auteur", "l'auteur", False, True),
        ("l' auteur", "l’auteur,", False, True),
        ("l'auteur", "l'auteur", False, True),
        ("auteur", "l'auteur", False, False),
        ("well known", "well-known!", False, True),
        ("known", "well-known", False, False),
        ("au", "(au) — ?!", False, True),
        ("e\u0301tat", "\u00e9tat", False, True),
    ],
)
def test_what_a_vocabulary_knows(words: str, text: str, first: bool, known: bool) -> None:
    assert Vocabulary(words.split()).knows_all(text.split(), first) is known


def test_no_word_is_printed_that_is_outside(
    plain: Path, frequent: list[str], tmp_path: Path
) -> None:
    told: list[str] = []
    limits = Limits(Vocabulary(frequent, "words.txt"))
    built = build(
        "blimp-fr",
        UIDS,
        out=tmp_path / "x",
        root=ROOT,
        limits=limits,
        name="child",
        tell=told.append,
    )
    assert not told
    assert {config.rows for config in built} == {1000}
    assert limits.vocabulary
    for uid in UIDS:
        texts = sentences(tmp_path / "x", uid)
        assert all(limits.vocabulary.knows_all(text.split()) for text in texts)
    assert not all(limits.vocabulary.knows_all(t.split()) for t in sentences(plain, UIDS[0]))
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text())
    assert (manifest["dataset"], manifest["version"]) == ("child", "1.0.0")
    assert manifest["vocabulary"]["sha256"] == limits.digest
    assert manifest["of"].startswith("blimp-fr ")
    card = (tmp_path / "x" / "README.md").read_text()
    assert limits.digest[:16] in card
    assert "whose card says" in card


def test_what_cannot_be_drawn_is_told_before_anything_is_written(
    frequent: list[str], tmp_path: Path
) -> None:
    (names,) = ([w for w in frequent if w[0].isupper() and w.lower() not in frequent],)
    words = [w for w in frequent if w not in names[3:] and w not in ("personne", "l'a")]
    told: dict[str, bool] = {}
    built = build(
        "blimp-fr", UIDS, out=tmp_path / "x", root=ROOT, limits=Limits(Vocabulary(words)),
        tell=lambda line: told.update({line: (tmp_path / "x").exists()}),
    )  # fmt: skip
    assert {config.name for config in built} == {*UIDS} - {"personne_position"}
    assert "personne_position: left out, no words make an item" in told
    assert not any(told.values())


def test_of_clams_a_paradigm_without_words_is_left_out(tmp_path: Path) -> None:
    told: list[str] = []
    words = Vocabulary(
        [
            "la",
            "le",
            "auteur",
            "danseuse",
            "rit",
            "rient",
            "danseuses",
            "auteurs",
            "les",
            "grand",
            "grande",
        ]
    )
    (french,) = build(
        "clams", ["fr"], out=tmp_path / "x", root=ROOT, limits=Limits(words), tell=told.append
    )
    assert [p.uid for p in french.paradigms if p.counts.sets] == ["simple_agrmt"]
    assert "fr/obj_rel_across_anim: left out, no words make an item" in told


def test_suites_are_drawn_within_a_vocabulary_of_a_language_without_spaces(tmp_path: Path) -> None:
    build("mandarin", ["aspect_le"], out=tmp_path / "plain", root=ROOT)
    (path,) = (tmp_path / "plain" / "aspect_le").glob("*.parquet")
    rows = pq.read_table(path).to_pylist()
    items = [" ".join(c["tokens"] for c in row["conditions"]).split() for row in rows]
    words = Vocabulary(items[0] + items[1])
    (some,) = build(
        "mandarin", ["aspect_le"], out=tmp_path / "x", root=ROOT, limits=Limits(words),
        tell=lambda _: None,
    )  # fmt: skip
    inside = [row for row in items if words.knows_all(row)]
    assert 2 <= some.rows == len(inside) < len(items)


def test_what_differs_is_equally_frequent(plain: Path, tmp_path: Path) -> None:
    words = {w.strip(".,").lower() for text in sentences(plain, UIDS[3]) for w in text.split()}
    table = tmp_path / "table.tsv"  # here plurals with an r are rare
    rare = {word for word in words if word.endswith("nt") and "r" in word}
    table.write_text("".join(f"{word}\t{3 if word in rare else 5}\n" for word in words))
    limits = Limits(frequencies=read_frequencies(table), apart=1)
    build("blimp-fr", UIDS[3:], out=tmp_path / "x", root=ROOT, limits=limits, tell=lambda _: None)
    (path,) = (tmp_path / "x" / UIDS[3]).glob("*.parquet")
    rows = [row["features"] for row in pq.read_table(path).to_pylist()]
    pairs = [(float(r["frequency_good"]), float(r["frequency_bad"])) for r in rows]
    assert len(pairs) > 300
    assert all(abs(a - b) <= 1 for a, b in pairs)
    assert all(float(r["frequency"]) <= min(p) for r, p in zip(rows, pairs, strict=True))
    assert not all(
        limits.matched(*two) for two in zip(*halves(sentences(plain, UIDS[3])), strict=True)
    )


def halves(texts: list[str]) -> tuple[list[str], list[str]]:
    return texts[: len(texts) // 2], texts[len(texts) // 2 :]


def test_the_words_of_a_text_and_of_a_list_are_counted(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("L'auteur dort. L’auteur rit !\nle chat-huant dort\n", encoding="utf-8")
    assert count_words(text, 2).words == {"L'auteur", "L", "auteur", "dort"}
    assert "huant" in count_words(text).words
    listed = tmp_path / "list.txt"
    listed.write_text("dort\t7\nrit\t2\n")
    assert read_vocabulary(listed, 3).words == {"dort"}
    assert read_vocabulary(listed).words == {"dort", "rit"}


@pytest.mark.parametrize(
    ("text", "least", "message"),
    [
        ("dort\tseven\n", 0, "list.txt:1: 'seven' is no count of 'dort'"),
        (
            "dort\n",
            2,
            "list.txt:1: 'dort' has no count (word, tab, count), which --min-count asks for",
        ),
        ("\n", 0, "list.txt: has no words"),
        ("dort\t1\n", 2, "list.txt: has no words, 2 times or more"),
    ],
)
def test_a_broken_list_is_an_error(tmp_path: Path, text: str, least: int, message: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_vocabulary(path, least)
    assert message in str(error.value)


def test_frequencies_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("word\tcount\ndort\t90\nrit\t10\n")
    assert read_frequencies(path).values == pytest.approx({"dort": 8.954, "rit": 8.0}, abs=0.001)
    path.write_text("dort\t5.1\n")
    assert read_frequencies(path).of_pair("il dort", "il rit") == (5.1, None)
    assert read_frequencies(path).of_pair("il dort", "dort il") is None
    path.write_text("dort 5.1\n")
    with pytest.raises(InputError, match="is not a word, a tab and a number"):
        read_frequencies(path)


def mined(kind: str, schema: pa.Schema, rows: list[dict[str, object]]) -> Config:
    def tables() -> Items:
        yield pa.Table.from_pylist(rows, schema)
        return BuiltParadigm("he_x", "", "", "", Counts(len(rows), len(rows)), ())

    return Config("he", kind, schema, (ItemSource("he_x", tables),), ("he",))


def taken(config: Config) -> tuple[list[dict[str, object]], Counts]:
    made: list[BuiltParadigm] = []

    def all_tables() -> Items:
        made.append((yield from config.sources[0].tables()))
        return made[0]

    rows = [row for table in all_tables() for row in table.to_pylist()]
    return rows, made[0].counts


def test_mined_items_outside_are_left_out(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("runs\t5\nrun\t5.2\n")
    limits = Limits(Vocabulary(["the", "dog", "runs", "run"]), read_frequencies(table))
    texts = [("The dog runs.", "The dog run."), ("The dog runs.", "The dog ran.")]
    pairs = [{"sentence_good": good, "sentence_bad": bad, "features": {}} for good, bad in texts]
    (config,) = limited_configs([mined("pair", SCHEMA, pairs)], limits, mined=True)
    (row,), counts = taken(config)
    assert (row["sentence_bad"], counts.pairs, counts.skipped.total()) == ("The dog run.", 1, 1)
    features = row["features"]
    assert isinstance(features, dict)
    assert features["frequency"] == "5"
    assert (features["frequency_good"], features["frequency_bad"]) == ("5", "5.2")
    (config,) = limited_configs([mined("pair", SCHEMA, [])], limits, mined=True)
    assert taken(config)[0] == []
    cloze = [{"left": "The ", "answer": word, "right": " runs."} for word in ("dog", "cat")]
    (config,) = limited_configs([mined("cloze", CLOZE, cloze)], limits, mined=True)
    assert [row["answer"] for row in taken(config)[0]] == ["dog"]


def test_the_command_builds_locks_and_shows(frequent: list[str]) -> None:
    Path("words.txt").write_text("\n".join(frequent))
    made = run("build", "blimp-fr", UIDS[0], "--vocabulary", "words.txt", "--json")
    assert made.exit_code == 0, made.output
    folder = Path(json.loads(made.output)["path"])
    assert folder.name == f"blimp-fr-{Vocabulary(frequent).digest[:8]}"
    before = (CHECKOUT / "builders/solecism/datasets/catalogue.lock.json").read_bytes()
    assert run("lock", folder).exit_code == 0
    assert folder.name in Path("catalogue.lock.json").read_text()
    assert before == (CHECKOUT / "builders/solecism/datasets/catalogue.lock.json").read_bytes()
    assert "is as locked" in run("lock", "--check", folder).output
    assert "1000 items" in CliRunner().invoke(main, ["show", f"{folder}/{UIDS[0]}"]).output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vocabulary", "w", "--corpus", "w"], "give --vocabulary or --corpus, not both"),
        (["--min-count", "2"], "--min-count needs --vocabulary or --corpus"),
        (["--match-frequency", "1"], "--match-frequency needs --frequency"),
        (["--name", "x"], "--name needs --vocabulary, --corpus or --frequency"),
        (["--vocabulary", "w", "--name", "clams"], "'clams' is drawn from all words: choose"),
        (["--vocabulary", "w", "--name", "../x"], "--name"),
        (["--vocabulary", "w"], "no words make"),
    ],
)
def test_what_the_command_refuses(words: list[str], message: str) -> None:
    Path("w").write_text("zzz\n")
    found = run("build", "clams", "fr", *words)
    assert (found.exit_code, message in found.output) == (2, True), found.output
    assert [path.name for path in Path.cwd().iterdir()] == ["w"]
