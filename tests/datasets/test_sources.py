"""Sources: where templates and lexicons are found, and what is told of names that there are not."""

from pathlib import Path

import pytest

from drawing import make_root, template
from release import CHECKOUT
from solecism import root as sources
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import find_paradigm, load_paradigms, templates_of_language
from solecism.errors import InputError
from solecism.root import Root, find_root, own_root

TABLES = {"noun": "lemma  Number=Sing  Number=Plur\ncat  cat  cats"}
LINES = "good: {{ cat }} one\nbad: one {{ cat }}"
FRONT = "slots:\n  cat: {from: noun}"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """Two data sets, one of them in two languages."""
    texts = {uid: template(uid, FRONT, LINES) for uid in ("second", "first")}
    for dataset, language in (("tiny", "xx"), ("tiny", "yy"), ("other", "xx")):
        made = make_root(tmp_path, TABLES, texts, "{# none #}", dataset, language)
    (tmp_path / "templates" / "_draft").mkdir()
    (tmp_path / "templates" / ".git").mkdir()
    (tmp_path / "lexicons" / "README.md").write_text("words")
    return made


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder without data."""
    folder = tmp_path / "nowhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SOLECISM_ROOT", raising=False)
    return folder


def test_the_environment_can_name_the_folder(
    root: Root, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLECISM_ROOT", str(root.path))
    assert find_root() == own_root() == root
    assert find_root(root.path).path == root.path


@pytest.mark.parametrize("missing", ["templates", "lexicons", "all"])
def test_a_folder_without_data_is_refused(tmp_path: Path, missing: str) -> None:
    for name in {"templates", "lexicons"} - {missing} if missing != "all" else ():
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="has no `templates` and `lexicons` folders"):
        find_root(tmp_path)


def test_data_that_are_nowhere_are_told(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_HERE", nowhere / "a" / "b" / "c")
    with pytest.raises(InputError, match="nowhere: has no `templates`"):
        find_root()


def test_data_sets_configs_and_templates_are_the_folders_and_files_that_there_are(
    root: Root,
) -> None:
    assert root.datasets == ["other", "tiny"]
    assert root.languages == ["xx", "yy"]
    assert root.configs("tiny") == ["xx", "yy"]
    assert [path.name for path in root.templates("tiny", "xx")] == ["first.jinja", "second.jinja"]
    found = load_paradigms(root, templates_of_language(root, "tiny", "yy")).values()
    assert [paradigm.template.name for paradigm in found] == ["tiny/yy/first", "tiny/yy/second"]
    assert find_paradigm(root, "tiny", "yy", "first").template.id == "first"


def test_unknown_names_are_told_with_the_candidates(root: Root) -> None:
    for call, message in (
        (lambda: root.configs("tinny"), r"no data set 'tinny' \(did you mean 'tiny'\?"),
        (lambda: root.folder("tiny", "zz"), r"'tiny' has no config 'zz' \(configs: xx, yy\)"),
        (lambda: root.lexicon("zz"), r"there is no lexicon 'zz' \(languages: xx, yy\)"),
        (
            lambda: find_paradigm(root, "tiny", "xx", "frist"),
            r"no paradigm 'frist' .*mean 'first'\?",
        ),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_old_uids_name_the_new_ones() -> None:
    lines = (CHECKOUT / "templates" / "renamed.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    assert len(rows) == 14
    for dataset, old, new in rows:
        with pytest.raises(InputError, match=rf"did you mean '{new}'"):
            find_paradigm(Root(CHECKOUT), dataset, dataset.removeprefix("blimp-"), old)
        with pytest.raises(InputError, match=rf"did you mean '{new}'"):
            choose(dataset, [new, "all"], [old])
