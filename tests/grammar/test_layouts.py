"""Data sets with a config for each paradigm, of suites and pairs, in both scripts, and of any
source."""

from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from datasets import get_dataset_config_names, load_dataset

from drawing import make_root, template
from solecism.commands import main
from solecism.datasets.build import build
from solecism.datasets.configs import FILE, BuiltConfig
from solecism.errors import InputError
from solecism.root import Root

TABLES = {
    "item": """
        lemma  UPOS  Verb    Noun    Good  Bad  Note
        i1     X     听到    歌曲    首    张   song
        i2     X     养      猫      只    条   cat
        i3     X     回到    房间后  间    只   room
    """,
    "orthography": """
        rule     left  right  result
        capital  -     -      no
        space    -     -      no
        stop     -     -      。
    """,
}
SUITE_LINES = """
good: 他 {{ row.Verb }} 了 一 {{ row.Good }} [noun: {{ row.Noun }} 。]
bad: 他 {{ row.Verb }} 了 一 {{ row.Bad }} [noun: {{ row.Noun }} 。]
"""
ADJECTIVE_LINES = SUITE_LINES.replace("[noun:", "很 好 的 [noun:")
PAIR_LINES = """
good: 他 {{ row.Verb }} 了 一 {{ row.Good }} {{ row.Noun }}
bad: 他 {{ row.Verb }} 了 一 {{ row.Bad }} {{ row.Noun }}
"""
SLOTS = "slots:\n  row: {from: item}\n"
PREDICTIONS = f"{SLOTS}predictions: bad.noun > good.noun\n"
CATALOGUE = '[tiny]\nversion = "1.2.3"\nconfigs = "paradigms"\n'


def mixed_root(folder: Path, more: str = 'traditional = "s2t"\n') -> Root:
    """Two suites and a paradigm of pairs, in Chinese."""
    templates = {
        "plain": template("plain", PREDICTIONS, SUITE_LINES),
        "adjective": template("adjective", PREDICTIONS, ADJECTIVE_LINES),
        "minimal": template("minimal", f"{SLOTS}features:\n  note: row.Note\n", PAIR_LINES),
    }
    root = make_root(folder, TABLES, templates, language="zh")
    (folder / "catalogue.toml").write_text(CATALOGUE + more, encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "hf-cache")


def by_name(built: list[BuiltConfig]) -> dict[str, BuiltConfig]:
    return {config.name: config for config in built}


def rows(folder: Path, config: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / config / FILE).to_pylist()  # type: ignore[no-any-return]


def test_each_paradigm_is_a_config_and_some_collect_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = by_name(build("tiny", out=tmp_path / "tiny", root=mixed_root(tmp_path, "")))
    assert {n: (c.kind, c.rows, c.default) for n, c in built.items()} == {
        "all": ("suite", 6, True),
        "pairs": ("pair", 3, False),
        "adjective": ("suite", 3, False),
        "minimal": ("pair", 3, False),
        "plain": ("suite", 3, False),
    }
    assert {config.languages for config in built.values()} == {("zh",)}
    folder = tmp_path / "tiny"
    suites = [*rows(folder, "adjective"), *rows(folder, "plain")]
    by_id = itemgetter("id")
    assert sorted(rows(folder, "all"), key=by_id) == sorted(suites, key=by_id)
    assert rows(folder, "pairs") == rows(folder, "minimal")
    monkeypatch.chdir(tmp_path)
    assert set(get_dataset_config_names("tiny")) == set(built)
    assert len(load_dataset("tiny", split="test")) == 6
    plain = load_dataset("tiny", "plain", split="test")
    assert "他听到了一首歌曲。" in {row["conditions"][0]["text"] for row in plain}
    notes = {row["features"]["note"] for row in load_dataset("tiny", "minimal", split="test")}
    assert "song" in notes


def test_traditional_configs(tmp_path: Path) -> None:
    pytest.importorskip("opencc", reason="needs the extra `zh`")
    built = by_name(build("tiny", out=tmp_path / "tiny", root=mixed_root(tmp_path)))
    folder = tmp_path / "tiny"
    assert built["traditional"].rows == built["all"].rows == 6
    simple, other = rows(folder, "all"), rows(folder, "traditional")
    assert [r["id"] for r in simple] == [r["id"] for r in other]
    assert {r["language"] for r in other} == {"zh-Hant"}
    texts = [[c["text"] for c in r["conditions"]] for r in other if r["modifier"] == "plain"]
    assert sorted(texts) == [
        ["他回到了一間房間後。", "他回到了一隻房間後。"],
        ["他聽到了一首歌曲。", "他聽到了一張歌曲。"],
        ["他養了一隻貓。", "他養了一條貓。"],
    ]
    for row in other:
        for made in row["conditions"]:
            assert made["tokens"].replace(" ", "") == made["text"]
            for region in made["regions"]:
                assert made["text"][region["start"] : region["end"]] == region["text"]
    pairs = {row["sentence_good"]: row for row in rows(folder, "pairs_traditional")}
    pair = pairs["他養了一隻貓。"]
    assert pair["sentence_bad"] == "他養了一條貓。"
    assert pair["tokens_good"] == "他 養 了 一 隻 貓"
    assert (pair["one_prefix_prefix"], pair["one_prefix_word_good"]) == ("他養了一", "隻")
    assert pair["one_prefix_word_bad"] == "條"


def test_a_conversion_that_is_not_known_is_told(tmp_path: Path) -> None:
    pytest.importorskip("opencc", reason="needs the extra `zh`")
    with pytest.raises(InputError, match="OpenCC has no conversion 's2klingon'"):
        build(
            "tiny", out=tmp_path / "tiny", root=mixed_root(tmp_path, 'traditional = "s2klingon"\n')
        )
    assert not (tmp_path / "tiny").exists()


def test_suites_among_pairs_need_the_other_layout(tmp_path: Path) -> None:
    root = mixed_root(tmp_path)
    (tmp_path / "catalogue.toml").unlink()
    with pytest.raises(InputError, match=r"plain.jinja:10: is a suite among the minimal pairs"):
        build("tiny", out=tmp_path / "tiny", root=root)


@pytest.mark.parametrize("name", ["all", "pairs"])
def test_names_that_are_taken(tmp_path: Path, name: str) -> None:
    root = make_root(tmp_path, TABLES, {name: template(name, SLOTS, PAIR_LINES)}, language="zh")
    (tmp_path / "catalogue.toml").write_text(CATALOGUE, encoding="utf-8")
    with pytest.raises(InputError, match=f"{name}.jinja: '{name}' is the name of a config"):
        build("tiny", out=tmp_path / "tiny", root=root)


def test_a_template_of_two_languages_has_no_config_of_its_own(tmp_path: Path) -> None:
    for language in ("zh", "yy"):
        root = make_root(
            tmp_path, TABLES, {"p": template("p", SLOTS, PAIR_LINES)}, language=language
        )
    (tmp_path / "catalogue.toml").write_text(CATALOGUE, encoding="utf-8")
    with pytest.raises(InputError, match="two templates are called 'p'"):
        build("tiny", out=tmp_path / "tiny", root=root)


def test_commands_name_a_paradigm_by_its_config(tmp_path: Path) -> None:
    mixed_root(tmp_path, "")

    def lines(*arguments: str) -> list[list[str]]:
        result = CliRunner().invoke(main, [*arguments, "--root", str(tmp_path)])
        assert result.exit_code == 0, result.output
        return [line.split() for line in result.stdout.splitlines()]

    listed = [line[:1] + line[2:] for line in lines("list")[1:] if line[0][:4] == "tiny"]
    assert listed == [["tiny/all", "2", "up", "to", "6", "sets"]]
    assert [line[0] for line in lines("list", "tiny")[1:]] == [
        "tiny/all", "tiny/pairs", "tiny/adjective", "tiny/minimal", "tiny/plain",
    ]  # fmt: skip
    assert [line[0] for line in lines("list", "tiny/all")[1:]] == [
        "tiny/zh/adjective", "tiny/zh/plain",
    ]  # fmt: skip
    assert lines("show", "tiny/plain", "-n", "1")[0][0] == "tiny/zh/plain:"
    assert lines("check", "tiny/plain")[-1] == lines("check", "tiny/zh/plain")[-1]
