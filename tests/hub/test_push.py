"""Pushing releases to a hub: one commit, one tag, and what is refused."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fake_hub import TOKEN, Blob, FakeHub, Repo, Request, User
from hubs import REPO, sums
from solecism.commands import main


def push(release: Path, *more: str, code: int = 0) -> str:
    """Push a release, and return what is printed."""
    done = CliRunner().invoke(main, ["push", str(release), "--to", REPO, *more])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done.stdout if code == 0 else done.output


def files_at(hub: FakeHub, tag: str) -> dict[str, str]:
    repo = hub.repos[REPO]
    files = repo.commits[repo.tags[tag]].files
    return {path: blob.sha256 for path, blob in files.items() if path != ".gitattributes"}


def interfere(hub: FakeHub, part: str, action: Callable[[Repo], object]) -> None:
    """Do something to the repository before the first request with a part is carried out."""
    done: list[object] = []

    def before(request: Request) -> None:
        if part in request.path and not done:
            done.append(action(hub.repos[REPO]))

    hub.before = before


def test_push_makes_one_commit_and_a_tag(hub: FakeHub, releases: dict[str, Path]) -> None:
    assert "pushed v1.0.0: one commit" in push(releases["1.0.0"])
    repo = hub.repos[REPO]
    assert files_at(hub, "v1.0.0") == sums(releases["1.0.0"])
    assert repo.history == ["tiny 1.0.0", "initial commit"]
    assert repo.tags == {"v1.0.0": repo.main}
    assert len(hub.requests("/commit/")) == 1
    hub.log.clear()
    assert "released before, with the same bytes" in push(releases["1.0.0"])
    assert not hub.requests("POST /api/datasets/org/tiny/commit")
    assert not hub.requests("PUT")


def test_a_tag_that_was_not_made_is_made_without_a_commit(
    hub: FakeHub, releases: dict[str, Path]
) -> None:
    hub.broken = "/tag/"
    assert "no good answer from" in push(releases["1.0.0"], code=2)
    assert hub.repos[REPO].tags == {}
    hub.broken = "$nothing"
    assert "tagged v1.0.0: the commit was there already" in push(releases["1.0.0"])
    assert hub.repos[REPO].history == ["tiny 1.0.0", "initial commit"]


def test_next_version_deletes_what_is_gone_and_keeps_the_old_tag(
    hub: FakeHub, releases: dict[str, Path]
) -> None:
    versions = ("1.0.0", "1.0.1", "2.0.0")
    for version in versions:
        push(releases[version])
    for version in versions:
        assert files_at(hub, f"v{version}") == sums(releases[version])
    assert not any(path.startswith("fr/") for path in files_at(hub, "v2.0.0"))
    titles = [f"tiny {version}" for version in reversed(versions)]
    assert hub.repos[REPO].history == [*titles, "initial commit"]
    del hub.repos[REPO].tags["v1.0.1"]
    assert "1.0.1 is older than 2.0.0" in push(releases["1.0.1"], code=2)


def test_dry_run_says_what_would_be_done(hub: FakeHub, releases: dict[str, Path]) -> None:
    assert "the first version" in push(releases["1.0.0"], "--dry-run")
    assert hub.repos == {}
    push(releases["1.0.0"])
    hub.log.clear()
    second = push(releases["2.0.0"], "--dry-run")
    assert "- fr/test-00000-of-00001.parquet" in second
    assert "~ he/test-00000-of-00001.parquet" in second
    assert "since v1.0.0: needs 2.0.0 or above (major)" in second
    assert "config fr removed (1,000 items)" in second
    assert re.search(r"he: ([\d,]+) items added .*\n +he: \1 items removed ", second)
    assert not hub.requests("POST")


@pytest.mark.parametrize("offline", [True, False])
def test_dry_run_without_a_network(
    hub: FakeHub, releases: dict[str, Path], monkeypatch: pytest.MonkeyPatch, offline: bool
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", offline)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    said = push(releases["1.0.0"], "--dry-run")
    assert "+ he/test-00000-of-00001.parquet" in said
    assert "whether the version fits, is not known" in said
    assert "nothing was pushed (--dry-run)" in said
    push(releases["1.0.0"], code=2)
    assert hub.log == []


def test_json_for_programs(hub: FakeHub, releases: dict[str, Path]) -> None:
    ways = (["--dry-run", "--json"], ["--json"], ["--json"])
    planned, pushed, again = (json.loads(push(releases["1.0.0"], *more)) for more in ways)
    assert planned["tag"] == "v1.0.0"
    assert {o["kind"] for o in planned["operations"]} == {"add"}
    assert (pushed["committed"], again["committed"]) == (True, False)
    assert pushed["commit"] == again["released"] == hub.repos[REPO].tags["v1.0.0"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("changed", "v1.0.0 is released with other bytes"),
        ("too small", "1.1.0 is too small: what changed since 1.0.0 needs a major version, 2.0.0"),
    ],
)
def test_version_must_fit_the_change(
    hub: FakeHub, releases: dict[str, Path], name: str, message: str
) -> None:
    push(releases["1.0.0"])
    hub.log.clear()
    for more in ([], ["--dry-run"]):
        assert message in push(releases[name], *more, code=2)
    assert not hub.requests("POST")


def test_private_repositories(hub: FakeHub, releases: dict[str, Path]) -> None:
    push(releases["1.0.0"], "--private")
    assert hub.repos[REPO].private
    hub.repos[REPO].private = False
    assert "is public already" in push(releases["1.0.1"], "--private", code=2)
    assert list(hub.repos[REPO].tags) == ["v1.0.0"]


def test_no_secret_is_printed(hub: FakeHub, releases: dict[str, Path], tmp_path: Path) -> None:
    hub.broken = "_lfs"
    said = push(releases["1.0.0"], code=2)
    assert "no good answer from" in said
    for secret in (TOKEN, "secret-signature"):
        assert secret not in said
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in path.read_bytes() for path in kept)
    assert hub.repos[REPO].tags == {}


def test_somebody_else_pushes_in_the_meantime(hub: FakeHub, releases: dict[str, Path]) -> None:
    interfere(hub, "/commit/", lambda repo: repo.commit({"notes.md": Blob(b"mine")}, "an edit"))
    assert "someone else pushed in the meantime" in push(releases["1.0.0"], code=2)
    assert hub.repos[REPO].tags == {}
    push(releases["1.0.0"])
    assert files_at(hub, "v1.0.0") == sums(releases["1.0.0"])
    assert hub.repos[REPO].history[:2] == ["tiny 1.0.0", "an edit"]


HE = {
    "rows": 1, "content_sha256": "0" * 64, "files": {"he/x": {"sha256": "0" * 64, "bytes": 1}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": [{"treebank": "UD_Arabic-NYUAD", "licence": "LDC", "redistributable": False}]},
         "sources that may not be passed on: UD_Arabic-NYUAD (LDC)"),
        ({"sources": [{"treebank": "UD_French-GSD", "missing": ["train.conllu"]}]},
         "not whole: UD_French-GSD (missing: train.conllu): fetch them"),
        ({"sources": [{"treebank": "UD_French-GSD", "changed": ["train.conllu"]}]},
         "not whole: UD_French-GSD (changed: train.conllu): fetch them"),
        ({"documents": {}}, "does not list README.md: build the data set again"),
        *(({"documents": {name: {"sha256": "0", "bytes": 1}}}, "is no manifest of a build")
          for name in ("../diary.txt", "/etc/hostname", "he/../x", ".git/config", "a\x1b")),
        ({"documents": {"a" * 300: {"sha256": "0" * 64, "bytes": 1}}}, "is too long"),
        ({"version": "0.0.0"}, "'tiny' has no version"),
        *(({"configs": {"he": HE | some}}, "is no manifest of a build")
          for some in ({"language_tags": ["heb]\nmetadata: ["]}, {"languages": ["../.."]},
                       {"content_sha256": ""}, {"files": {}})),
        ({"configs": {"he/../x": HE}}, "config 'he/../x' is no name"),
        ({"configs": {"he\"\nx: 1": HE}}, "characters that nobody sees"),
        ({"dataset": "../tiny"}, "dataset '../tiny' is no name"),
    ],
)  # fmt: skip
def test_manifests_that_are_not_published(
    hub: FakeHub, releases: dict[str, Path], tmp_path: Path, change: Any, message: str
) -> None:
    path = Path(shutil.copytree(releases["1.0.0"], tmp_path / "tiny")) / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change))
    assert message in push(tmp_path / "tiny", code=2)
    assert hub.log == []


def test_only_what_was_built_is_pushed(
    hub: FakeHub, releases: dict[str, Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    data = next((folder / "he").glob("*.parquet"))
    data.write_bytes(data.read_bytes()[:-1])
    (folder / "README.md").write_text("mine", encoding="utf-8")
    wrong = "README.md, he/test-00000-of-00001.parquet: not as the build made it"
    assert wrong in push(folder, code=2)
    (folder / "manifest.json").unlink()
    assert "is no data set folder" in push(folder, code=2)
    assert hub.log == []


def test_what_the_manifest_does_not_list_stays_at_home(
    hub: FakeHub, releases: dict[str, Path], tmp_path: Path
) -> None:
    """Notes, results, what links lead to, hidden files."""
    (tmp_path / "diary.txt").write_text("private")
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    for name in ("notes.md", "results/a.json", "he/more.parquet", ".secret", "fr/\x1b[31m"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine")
    (folder / "diary.txt").symlink_to(tmp_path / "diary.txt")
    (folder / "all").symlink_to(tmp_path, target_is_directory=True)
    push(folder)
    assert files_at(hub, "v1.0.0") == sums(releases["1.0.0"])


def test_repository_must_be_named_whole(hub: FakeHub, releases: dict[str, Path]) -> None:
    told = push(releases["1.0.0"], "--to", "tiny", code=2)
    assert "'tiny' is no repository of a hub: it must be of the form ORG/NAME" in told


def test_who_may_not_push(
    hub: FakeHub, releases: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    push(releases["1.0.0"])
    hub.users |= {"hf_stranger": User("stranger"), "hf_reader": User("tester", ("org",), False)}
    rights = r"your token may not do this .*You don't have the rights to write to org/tiny"
    for token, told in {"hf_stranger": rights, "hf_reader": rights, "hf_secret": "log in"}.items():
        monkeypatch.setenv("HF_TOKEN", token)
        said = push(releases["1.0.1"], code=2)
        assert re.search(told, said)
        assert token not in said
    assert hub.repos[REPO].history == ["tiny 1.0.0", "initial commit"]


def test_a_tag_is_never_moved(hub: FakeHub, releases: dict[str, Path]) -> None:
    first = lambda repo: repo.tags.update({"v1.0.0": next(iter(repo.commits))})  # noqa: E731
    interfere(hub, "/commit/", first)
    assert "tags are never moved" in push(releases["1.0.0"], code=2)
    assert "v1.0.0 is released with other bytes" in push(releases["1.0.0"], code=2)
    assert not hub.requests("DELETE")


def test_files_that_the_hub_changed_get_no_tag(hub: FakeHub, releases: dict[str, Path]) -> None:
    def spoil(request: Request) -> None:
        if "/tree/" in request.path and len(hub.repos[REPO].commits) > 1:
            repo = hub.repos[REPO]
            repo.commits[repo.main].files["README.md"] = Blob(b"spoilt")  # type: ignore[index]

    hub.before = spoil
    assert "the hub lists other files at" in push(releases["1.0.0"], code=2)
    assert hub.repos[REPO].tags == {}
