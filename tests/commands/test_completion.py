"""The Tab key knows verbs, data sets, configs and paradigms."""

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from release import CHECKOUT
from solecism.commands import main
from solecism.datasets.build import build


def offered(line: str) -> list[str]:
    """What is offered for the last word of a line."""
    *words, typed = line.split(" ")
    shell = ShellComplete(main, {}, "solecism", "_SOLECISM_COMPLETE")
    return [item.value for item in shell.get_completions(words, typed)]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("li", ["list"]),
        (
            "list ",
            [
                "agreement",
                "blimp",
                "blimp-de",
                "blimp-es",
                "blimp-fr",
                "blimp-he",
                "blimp-it",
                "blimp-pl",
                "blimp-pt",
                "blimp-ru",
                "blimp-uk",
                "cases",
                "clams",
                "mandarin",
            ],
        ),
        ("list cl", ["clams/de", "clams/en", "clams/fr", "clams/he", "clams/ru"]),
        ("list clams/h", ["clams/he"]),
        ("show clams/fr/vp", ["clams/fr/vp_coord"]),
        ("show mandarin/zh/aspect_g", ["mandarin/zh/aspect_guo", "mandarin/zh/aspect_guo_pair"]),
        ("show agreement/el-p", ["agreement/el-pairs", "agreement/el-pairs-wide"]),
        ("show nothing/at/all", []),
        ("build clams ", ["de", "en", "fr", "he", "ru"]),
        ("build clams he f", ["fr"]),
        ("build nothing ", []),
    ],
)
def test_names_are_offered(line: str, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    assert offered(line) == names


def test_score_offers_what_is_built_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOLECISM_DATA", raising=False)
    assert offered("score ") == []
    build("mandarin", ["npi_renhe_pair", "aspect_le"], out="zh", root=CHECKOUT)
    (tmp_path / "notes").mkdir()
    assert sorted(offered("score ")) == ["zh/aspect_le", "zh/npi_renhe_pair"]
    assert offered("score zh/n") == ["zh/npi_renhe_pair"]
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setenv("SOLECISM_DATA", str(tmp_path))
    assert offered("score zh/a") == ["zh/aspect_le"]
    (tmp_path / "zh" / "manifest.json").write_text("{")
    assert offered("score zh/") == []
