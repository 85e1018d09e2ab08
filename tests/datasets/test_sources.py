"""Sources: where templates and lexicons are found, and what is told of names that there are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from drawing import make_root, template
from expecting import problems_of
from solecism import root as sources
from solecism.datasets.from_templates import find_paradigm, load_paradigms
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


def test_the_folder_that_is_given_comes_first(root: Root, nowhere: Path) -> None:
    assert find_root(root.path) == root


def test_the_environment_can_name_the_folder(
    root: Root, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLECISM_ROOT", str(root.path))
    assert find_root() == own_root() == root
    assert find_root(root.path).path == root.path


def test_the_current_folder_comes_before_the_installed_data(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOLECISM_ROOT", raising=False)
    monkeypatch.chdir(root.path)
    assert find_root().datasets == ["other", "tiny"]


def test_elsewhere_the_data_of_the_house_are_found(nowhere: Path) -> None:
    found = find_root()
    assert "clams" in found.datasets
    assert found.bibliography.is_file()
    assert found.card("clams").is_file()


@pytest.mark.parametrize("missing", ["templates", "lexicons", "all"])
def test_a_folder_without_data_is_refused(tmp_path: Path, missing: str) -> None:
    for name in {"templates", "lexicons"} - {missing} if missing != "all" else ():
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="holds no `templates` and `lexicons` folders"):
        find_root(tmp_path)


def test_data_that_are_nowhere_are_told(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_HERE", nowhere / "a" / "b" / "c")
    with pytest.raises(InputError, match="nowhere: holds no `templates`"):
        find_root()


def test_authors_write_in_the_current_folder_unless_they_say_otherwise(
    nowhere: Path, tmp_path: Path
) -> None:
    assert own_root().path == nowhere
    assert own_root(tmp_path).path == tmp_path


def test_data_sets_configs_and_templates_are_the_folders_and_files_that_there_are(
    root: Root,
) -> None:
    assert root.datasets == ["other", "tiny"]
    assert root.languages == ["xx", "yy"]
    assert root.configs("tiny") == ["xx", "yy"]
    assert [path.name for path in root.templates("tiny", "xx")] == ["first.jinja", "second.jinja"]
    found = load_paradigms(root, "tiny", root.templates("tiny", "yy")).values()
    assert [paradigm.name for paradigm in found] == ["tiny/yy/first", "tiny/yy/second"]
    assert find_paradigm(root, "tiny", "yy", "first").template.id == "first"


def test_a_lexicon_is_read_once(root: Root) -> None:
    paths = [path for code in ("xx", "yy") for path in root.templates("tiny", code)]
    found = load_paradigms(root, "tiny", paths).values()
    one, other, *others = (paradigm.phrases.lexicon for paradigm in found)
    assert one is other
    assert all(one is not lexicon for lexicon in others)
    assert one.folder == root.lexicon("xx")


def test_a_root_without_folders_has_nothing(tmp_path: Path) -> None:
    assert Root(tmp_path / "x").datasets == Root(tmp_path / "x").languages == []


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


OUTWARD = [
    "templates/tiny/xx/link.jinja", "templates/tiny/link.jinja", "templates/tiny/zz", "templates/new",
    "lexicons/xx/verb.tsv", "lexicons/zz", "dataset_cards/tiny.md", "dataset_cards/tiny.changelog.md",
    "references.bib", "catalogue.toml",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTWARD)
@pytest.mark.parametrize("folder", [False, True])
def test_links_that_leave_the_root_are_refused(
    root: Root, tmp_path_factory: pytest.TempPathFactory, name: str, folder: bool
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret"
    if folder:
        outside.mkdir()
    else:
        outside.write_text("secret")
    (root.path / name).parent.mkdir(exist_ok=True)
    (root.path / name).symlink_to(outside)
    for find in (find_root, own_root):
        (told,) = problems_of(lambda find=find: find(root.path), root.path)
        assert told == f"{name}: leads out of the root {root.path}, to {outside.resolve()}"


def test_links_out_of_a_linked_folder_are_refused(root: Root) -> None:
    (root.path / "more").mkdir()
    (root.path / "more" / "a.jinja").symlink_to("/etc/passwd")
    (root.path / "templates" / "linked").symlink_to(root.path / "more")
    (told,) = problems_of(lambda: find_root(root.path), root.path)
    assert told.startswith("templates/linked/a.jinja: leads out of the root")


def test_links_within_the_root_and_linked_roots_are_fine(root: Root, tmp_path: Path) -> None:
    folder = root.path / "templates" / "tiny" / "xx"
    (folder / "third.jinja").symlink_to("first.jinja")
    (root.path / "lexicons" / "zz").symlink_to("xx")
    (root.path / "lexicons" / "loop").symlink_to("..")
    (root.path / "dataset_cards").mkdir()
    (root.path / "dataset_cards" / "gone.md").symlink_to("nothing.md")
    linked = tmp_path.parent / f"{tmp_path.name}-linked"
    linked.symlink_to(root.path)
    assert "third" in {path.stem for path in find_root(linked).templates("tiny", "xx")}


def test_what_is_no_plain_file_is_refused(root: Root) -> None:
    os.mkfifo(root.path / "templates" / "tiny" / "xx" / "pipe.jinja")
    (told,) = problems_of(lambda: find_root(root.path), root.path)
    assert told == "templates/tiny/xx/pipe.jinja: is no plain file"
