"""Items: text as written, masks, duplicates, ids, attractors, cues; and the command line."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import solecism
from release import CHECKOUT, TREEBANKS
from solecism.commands import main
from solecism.errors import InputError
from solecism.schema import CLOZE
from solecism.treebank.filters import FLAWS
from solecism.treebank.languages import find_language
from solecism.treebank.mining import FreshItems, MiningCounts, Settings, mine_file, mine_files
from treebank import conllu

FOLDER = TREEBANKS
BOTH = ("controller", "target")


def mine(path: Path, language: str, preset: str = "strict", **settings: object) -> list[dict]:
    """All items of a file, however many a sentence has; the sentences may be fragments."""
    settings = {"without": frozenset(FLAWS), **settings}
    given = Settings(find_language(language), preset, masks=BOTH, **settings)  # type: ignore[arg-type]
    mined = FreshItems(MiningCounts(), False).of(mine_file(path, given, MiningCounts()))
    return pa.concat_tables([*mined, CLOZE.empty_table()]).to_pylist()


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


DU = """\
1 queue queue NOUN _ Number=Sing 0 root _ _
2-3 du _ _ _ _ _ _ _ _
2 de de ADP _ _ 4 case _ _
3 le le DET _ Number=Sing 4 det _ _
4 chat chat NOUN _ Number=Sing 1 nmod _ SpaceAfter=No
5 . . PUNCT _ _ 1 punct _ _

""".replace(" ", "\t")


@pytest.mark.parametrize(
    ("given", "text", "left", "right"),
    [
        ("queue du chat.", "queue du chat.", "queue ", " chat."),
        ("", "queue du chat.", "queue ", " chat."),
        (" queue  du\u00a0chat .", "queue du chat .", "queue ", " chat ."),
        ("queue de le chat.", "queue du chat.", "queue ", " chat."),
        ("quite another text", "queue du chat.", "queue ", " chat."),
    ],
    ids=["same", "not given", "other blanks", "words instead of tokens", "another"],
)
def test_text_is_what_is_written(
    tmp_path: Path, given: str, text: str, left: str, right: str
) -> None:
    path = write(tmp_path / "x.conllu", f"# text = {given}\n{DU}" if given else DU)
    items = {item["masked"]: item for item in mine(path, "fr", "paper")}
    target = items["target"]
    shown = tuple(target[name] for name in ("text", "left", "answer", "right", "multiword"))
    assert shown == (text, left, "du", right, True)
    word = {"form": "le", "lemma": "le", "feats": "Number=Sing", "index": 3}
    assert target["target"] == {**word, "start": len(left), "end": len(left) + len("du")}
    controller = items["controller"]
    assert controller["answer"] == "chat"
    assert controller["left"] + controller["answer"] + controller["right"] == text
    assert not controller["multiword"]


def test_every_text_is_left_answer_right() -> None:
    for path in FOLDER.glob("*.conllu"):
        for item in mine(path, "es", "paper"):
            assert item["left"] + item["answer"] + item["right"] == item["text"]
            assert item["text"] in path.read_text(encoding="utf-8")


def test_duplicates_are_dropped_over_all_files(tmp_path: Path) -> None:
    text = (FOLDER / "relations.conllu").read_text(encoding="utf-8")
    paths = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    for path in paths:
        path.write_text(text, encoding="utf-8")
    settings = Settings(find_language("fr"), "paper", BOTH)
    once, twice = MiningCounts(), MiningCounts()
    single = pa.concat_tables(mine_files(paths[:1], settings, once))
    both = pa.concat_tables(mine_files(paths, settings, twice))
    assert twice.items == once.items == len(single) == len(both)
    assert twice.duplicates == 2 * once.duplicates + once.items
    assert both["id"].to_pylist() == single["id"].to_pylist()
    assert len(set(single["id"].to_pylist())) == len(single)


def test_ids_do_not_depend_on_the_place(tmp_path: Path) -> None:
    sentences = (FOLDER / "relations.conllu").read_text(encoding="utf-8").strip().split("\n\n")
    path = tmp_path / "x.conllu"
    path.write_text("\n\n".join(sentences[::-1]) + "\n\n", encoding="utf-8")

    def ids(path: Path) -> set[tuple[str, str]]:
        return {(item["sent_id"], item["id"]) for item in mine(path, "fr", "paper")}

    assert ids(path) == ids(FOLDER / "relations.conllu")
    assert {i["id"] for i in mine(path, "fr", "paper")}.isdisjoint(
        {i["id"] for i in mine(path, "it", "paper")}
    )


def test_cues_are_what_still_shows_the_value(tmp_path: Path) -> None:
    sentence = """
        these these DET Number=Plur 2 det
        dogs dogs NOUN Number=Plur 3 nsubj
        bark bark VERB Number=Plur|VerbForm=Fin 0 root
        who who PRON PronType=Rel|Number=Plur 5 nsubj
        howl howl VERB Number=Plur|VerbForm=Fin 2 acl:relcl
    """
    path = write(tmp_path / "x.conllu", conllu(sentence))
    told = {(i["target"]["form"], i["controller"]["form"]): i for i in mine(path, "en")}
    assert told["these", "dogs"]["cues"] == ["verb"]
    assert told["bark", "dogs"]["cues"] == ["determiner"]
    assert told["howl", "who"]["cues"] == []
    assert told["howl", "who"]["pron_type"] == "Rel"
    assert told["bark", "dogs"]["pron_type"] is None


def test_treebank_and_licence(tmp_path: Path) -> None:
    folder = tmp_path / "UD_French-Own"
    folder.mkdir()
    path = write(folder / "fr_own-ud-dev.conllu", DU)
    for name in ("UD_French-Own", "fr_own-ud-dev"):
        items = solecism.mine(path, preset="paper", licence="CC0-1.0").items.to_pylist()
        told = [items[0][key] for key in ("treebank", "licence", "language")]
        assert told == [name, "CC0-1.0", "fr"]
        path = path.rename(tmp_path / path.name)


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["mine", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_counts_as_text_and_as_json() -> None:
    """A language has three names."""
    path = FOLDER / "relations.conllu"
    code, out, _ = run(path, "--language", "fr", "--preset", "paper")
    assert code == 0
    assert [line.split() for line in out.splitlines()][4] == ["items", "22"]
    assert all(len(line) <= 80 for line in out.splitlines())
    for name in ("french", "fra", "fr"):
        code, out, _ = run(path, "--language", name, "--preset", "paper", "--json")
        told = json.loads(out)
        assert (code, told["language"], told["items"]) == (0, "fr", 22)
        assert sum(told[name] for name in ("determiner", "modifying", "predicated", "verb")) == 22
        assert told["masked"] == {"controller": 22}
        assert told["sentences"] == 10


@pytest.mark.parametrize("name", ["items.parquet", "items.jsonl"])
def test_items_are_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "new" / name
    arguments = ["--language", "fr", "--mask", "both", "--out", path, "--json"]
    arguments += ["--without", "uniform", "--without", "paradigm"]
    code, out, err = run(FOLDER / "relations.conllu", *arguments)
    assert (code, err) == (0, "")
    if name.endswith("parquet"):
        table = pq.read_table(path)
        assert table.schema.equals(CLOZE)
        items = table.to_pylist()
    else:
        items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(items) == json.loads(out)["items"] > 0
    assert {item["masked"] for item in items} == set(BOTH)
    if name.endswith("parquet"):
        shown = CliRunner().invoke(main, ["show", str(path), "-n", "2"])
        assert f"{len(items)} items, 2 shown" in shown.stdout
    arguments.remove("--json")
    assert f"wrote {path}: show or score it" in run(FOLDER / "relations.conllu", *arguments)[1]
    assert [p.name for p in path.parent.iterdir()] == [name]


def test_the_language_is_told_by_the_files(tmp_path: Path) -> None:
    text = (FOLDER / "relations.conllu").read_bytes()
    (tmp_path / "fr_own-ud-dev.conllu").write_bytes(text)
    code, out, _ = run(tmp_path, "--json")
    assert (code, json.loads(out)["language"]) == (0, "fr")
    (tmp_path / "xx_own-ud-dev.conllu").write_bytes(text)
    code, _, err = run(tmp_path, "--json")
    assert code == 2
    names = "fr, fr_own-ud-dev.conllu, xx, xx_own-ud-dev.conllu"
    told = f"the names of the files do not begin with one language code ({names})"
    assert err == f"{told}: give --language\n"


def test_a_language_without_a_stanza_is_told(tmp_path: Path) -> None:
    """What agrees is then taken from the files, if they are large enough to tell."""
    text = (FOLDER / "relations.conllu").read_bytes()
    (tmp_path / "sq_tsa-ud-test.conllu").write_bytes(text)
    code, out, _ = run(tmp_path, "--json")
    told = json.loads(out)
    assert (code, told["language"], told["items"]) == (0, "sq", 0)
    assert told["reason"] == "too small: too few pairs to tell"
    code, _, err = run(tmp_path, "--preset", "paper")
    assert code == 2
    assert err.startswith("what agrees in 'sq' is not known: languages.toml has no stanza of it")
    assert "; write one and name it with --stanza" in err
    (tmp_path / "sq.toml").write_text('[sq]\nname = "sq"\npaper = ["verb"]\n', encoding="utf-8")
    stanza = ("--stanza", tmp_path / "sq.toml", "--preset", "paper")
    code, out, _ = run(tmp_path, *stanza, "--json")
    assert json.loads(out)["items"] == json.loads(out)["verb"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset", "papers"], "there is no preset 'papers' (did you mean 'paper'? presets: paper-program,"),
        (["--without", "typos"], "there is no filter 'typos' (did you mean 'typo'? filters: typo, foreign,"),
        (["--without", "unshared"], "there is no filter 'unshared'"),
        (["--language", "enx"], "'enx' is not a code of a language of UD (did you mean 'en'?"),
        (["--out", "x.csv"], "x.csv: items are written to .parquet or .jsonl files"),
        (["--preset", "paper", "--pairs", "x"], "pairs are made of items of the preset `strict`")
    ],
)  # fmt: skip
def test_wrong_arguments_are_told_with_candidates(arguments: list[str], message: str) -> None:
    code, _, err = run(FOLDER / "relations.conllu", "--language", "fr", *arguments)
    assert code == 2
    assert err.startswith(message)


def test_broken_files_leave_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "fr_x.conllu"
    good = (FOLDER / "relations.conllu").read_text(encoding="utf-8")
    path.write_text(good + "1\tx\n\n" + good.replace("en-1", "en-2"), encoding="utf-8")
    code, _, err = run(path, "--out", tmp_path / "out.parquet")
    lines = good.count("\n") + 1
    assert (code, err) == (2, f"{path}:{lines}: 2 columns where CoNLL-U has 10: '1\\tx'\n")
    assert [p.name for p in tmp_path.iterdir()] == ["fr_x.conllu"]


# The function


def test_the_function_returns_the_items_that_it_writes_for_others(tmp_path: Path) -> None:
    shown: list[tuple[str, int, int]] = []
    paths, options = [FOLDER], {"language": "fr", "mask": "both", "licence": "CC0-1.0"}
    kept = solecism.mine(paths, **options, progress=lambda *step: shown.append(step))
    written = solecism.mine(FOLDER, **options, out=tmp_path / "items.parquet")
    counted = solecism.mine(str(FOLDER), **options, keep=False)
    assert kept.items.equals(pq.read_table(tmp_path / "items.parquet"))
    assert (written.items, counted.items) == (None, None)
    with pytest.raises(InputError, match="did you mean 'controller'"):
        solecism.mine(paths, language="fr", mask="controler")
    assert kept.facts() == written.facts() == counted.facts()
    assert kept.facts()["items"] == len(kept.items) == kept.counts.items >= 50
    assert {name for name, _, _ in shown} == {path.name for path in FOLDER.glob("*.conllu")}
    assert shown[-1][1] <= shown[-1][2] == sum(p.stat().st_size for p in FOLDER.glob("*.conllu"))


def test_the_documented_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = CHECKOUT / "docs/mining.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(CHECKOUT)
    exec(compile(code, page, "exec"), {})
    counts, items = capsys.readouterr().out.splitlines()
    assert all(int(number) > 0 for number in counts.split())
    assert "'answer': 'This'" in items
