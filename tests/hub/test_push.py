"""Pushing releases to a hub over HTTP: one commit, one tag, the same end after every fault."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_hub import Blob, Fault, User
from fake_hub.server import TOKEN
from hubs import REPO, Place, a_place, sums
from solecism.hub.compare import compare


@pytest.fixture(scope="module")
def shared_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with a_place(tmp_path_factory.mktemp("hub")) as place:
        yield place


@pytest.fixture
def place(shared_place: Place) -> Iterator[Place]:
    shared_place.fresh()
    yield shared_place
    assert shared_place.violations == []


@contextmanager
def changed_manifest(release: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """Copy a release into a folder, and write its manifest with the changes that are made to it."""
    path = Path(shutil.copytree(release, folder)) / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    yield manifest
    path.write_text(json.dumps(manifest), encoding="utf-8")


def files_at(place: Place, tag: str) -> dict[str, str]:
    repo = place.hub.repos[REPO]
    files = repo.commits[repo.tags[tag]].files
    return {path: blob.sha256 for path, blob in files.items() if path != ".gitattributes"}


def he_rows(release: Path) -> int:
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    return int(manifest["configs"]["he"]["rows"])


def test_push_makes_one_commit_and_a_tag(any_place: Place, releases: dict[str, Path]) -> None:
    any_place.fresh()
    done = any_place.push(releases["1.0.0"])
    assert (done.code, done.err.strip()) == (0, "")
    assert "pushed v1.0.0: one commit" in done.out
    assert re.search(r"read back: 2 configs, [12],\d{3} rows, content as built", done.out)
    repo = any_place.hub.repos[REPO]
    assert files_at(any_place, "v1.0.0") == sums(releases["1.0.0"])
    assert repo.state()["history"] == ["tiny 1.0.0", "initial commit"]
    assert repo.tags == {"v1.0.0": repo.head.oid}
    assert len(any_place.requests("POST", "/commit/")) == 1
    large = {path: blob.xet for path, blob in repo.head.files.items() if blob.lfs}
    assert set(large) == {p for p in sums(releases["1.0.0"]) if p.endswith(".parquet")}
    assert all(xet is not None for xet in large.values()) == (any_place.hub.xet_dir is not None)
    assert any_place.violations == []


def test_push_again_makes_no_commit(any_place: Place, releases: dict[str, Path]) -> None:
    any_place.fresh()
    any_place.push(releases["1.0.0"])
    before = any_place.hub.repos[REPO].state()
    any_place.hub.log.clear()
    done = any_place.push(releases["1.0.0"])
    assert done.code == 0
    assert "released before, with the same bytes" in done.out
    assert any_place.hub.repos[REPO].state() == before
    assert not any_place.requests("POST")
    assert not any_place.requests("PUT")


def test_next_version_deletes_what_is_gone_and_keeps_the_old_tag(
    any_place: Place, releases: dict[str, Path]
) -> None:
    any_place.fresh()
    for version in ("1.0.0", "1.0.1", "2.0.0"):
        assert any_place.push(releases[version]).code == 0
    for version in ("1.0.0", "1.0.1", "2.0.0"):
        assert files_at(any_place, f"v{version}") == sums(releases[version])
    assert not any(path.startswith("fr/") for path in files_at(any_place, "v2.0.0"))
    history = any_place.hub.repos[REPO].state()["history"]
    assert history == ["tiny 2.0.0", "tiny 1.0.1", "tiny 1.0.0", "initial commit"]
    assert any_place.violations == []


def test_dry_run_says_what_would_be_done(place: Place, releases: dict[str, Path]) -> None:
    first = place.push(releases["1.0.0"], "--dry-run")
    assert first.code == 0
    assert "the first version" in first.out
    assert place.hub.repos == {}
    place.push(releases["1.0.0"])
    place.hub.log.clear()
    second = place.push(releases["2.0.0"], "--dry-run")
    assert "- fr/test-00000-of-00001.parquet" in second.out
    assert "~ he/test-00000-of-00001.parquet" in second.out
    assert "since v1.0.0: needs 2.0.0 or above (major)" in second.out
    assert "config fr: gone" in second.out
    assert re.search(r"config he: (\d+) items added, \1 removed, 0 changed", second.out)
    assert not place.requests("POST")
    assert not place.requests("PUT")


def test_json_for_programs(place: Place, releases: dict[str, Path]) -> None:
    planned = json.loads(place.push(releases["1.0.0"], "--dry-run", "--json").out)
    assert planned["tag"] == "v1.0.0"
    assert {o["kind"] for o in planned["operations"]} == {"add"}
    pushed = json.loads(place.push(releases["1.0.0"], "--json").out)
    assert pushed["committed"]
    assert pushed["commit"] == place.hub.repos[REPO].tags["v1.0.0"]
    again = json.loads(place.push(releases["1.0.0"], "--json").out)
    assert not again["committed"]
    assert again["released"] == pushed["commit"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("changed", "v1.0.0 is released with other bytes"),
        (
            "too small",
            "1.1.0 is too small: what changed since 1.0.0 needs a major version, 2.0.0 or above",
        ),
    ],
)
def test_version_must_fit_the_change(
    place: Place, releases: dict[str, Path], name: str, message: str
) -> None:
    place.push(releases["1.0.0"])
    before = place.hub.repos[REPO].state()
    place.hub.log.clear()
    for more in ([], ["--dry-run"]):
        done = place.push(releases[name], *more)
        assert done.code == 2
        assert message in done.err
        assert "Traceback" not in done.err
    assert place.hub.repos[REPO].state() == before
    assert not place.requests("POST")


def test_an_older_version_is_refused(place: Place, releases: dict[str, Path]) -> None:
    place.push(releases["2.0.0"])
    done = place.push(releases["1.0.1"])
    assert done.code == 2
    assert "1.0.1 is older than 2.0.0, which is released" in done.err


def test_private_repositories(place: Place, releases: dict[str, Path]) -> None:
    assert place.push(releases["1.0.0"], "--private").code == 0
    assert place.hub.repos[REPO].private
    place.fresh()
    place.push(releases["1.0.0"])
    done = place.push(releases["1.0.1"], "--private")
    assert done.code == 2
    assert "is public already" in done.err
    assert list(place.hub.repos[REPO].tags) == ["v1.0.0"]


def test_wrong_token(place: Place, releases: dict[str, Path]) -> None:
    for exists in (False, True):
        if exists:
            place.push(releases["1.0.0"])
        before = {name: repo.state() for name, repo in place.hub.repos.items()}
        done = place.push(releases["1.0.1"], HF_TOKEN="hf_wrong_secret")
        assert done.code == 2
        assert "does not accept your token" in done.err
        assert "hf_wrong_secret" not in done.out + done.err
        assert {name: repo.state() for name, repo in place.hub.repos.items()} == before


def test_no_permission(place: Place, releases: dict[str, Path]) -> None:
    place.hub.users["hf_stranger"] = User("stranger")
    place.hub.users["hf_reader"] = User("tester", ("org",), writes=False)
    place.push(releases["1.0.0"])
    before = place.hub.repos[REPO].state()
    for token in ("hf_stranger", "hf_reader"):
        done = place.push(releases["1.0.1"], HF_TOKEN=token)
        assert done.code == 2
        assert "your token may not do this" in done.err
        assert "You don't have the rights to write to org/tiny" in done.err
    assert place.hub.repos[REPO].state() == before


def test_no_secret_is_printed_or_stored(place: Place, releases: dict[str, Path]) -> None:
    home = place.home()
    place.hub.faults = [Fault(match="_lfs", times=100, at=None)]
    done = place.push(releases["1.0.0"], home=home)
    assert done.code == 2
    assert "503 injected fault" in done.err
    stored = [
        path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    assert stored == []
    for secret in (TOKEN, "secret-signature"):
        assert secret not in done.out + done.err
    assert REPO in place.hub.repos
    assert place.hub.repos[REPO].tags == {}


def test_somebody_else_pushes_in_the_meantime(place: Place, releases: dict[str, Path]) -> None:
    def intrude() -> None:
        repo = place.hub.repos[REPO]
        repo.commit({**repo.head.files, "notes.md": Blob(b"mine\n")}, "an edit")

    place.hub.faults = [Fault("call", match="/commit/", action=intrude)]
    done = place.push(releases["1.0.0"])
    assert done.code == 2
    assert "someone else pushed in the meantime" in done.err
    assert " 412" in place.requests("POST", "/commit/")[0]
    assert place.hub.repos[REPO].tags == {}
    assert place.push(releases["1.0.0"]).code == 0
    assert files_at(place, "v1.0.0") == sums(releases["1.0.0"])
    assert place.hub.repos[REPO].state()["history"][:2] == ["tiny 1.0.0", "an edit"]


def test_a_tag_is_never_moved(place: Place, releases: dict[str, Path]) -> None:
    def intrude() -> None:
        repo = place.hub.repos[REPO]
        initial = next(iter(repo.commits))
        repo.tags["v1.0.0"] = initial

    place.hub.watch = lambda hub: None
    place.hub.faults = [Fault("call", match="/tag/", action=intrude)]
    done = place.push(releases["1.0.0"])
    assert done.code == 2
    assert "tags are never moved" in done.err
    again = place.push(releases["1.0.0"])
    assert again.code == 2
    assert "v1.0.0 is released with other bytes" in again.err
    repo = place.hub.repos[REPO]
    assert repo.tags == {"v1.0.0": next(iter(repo.commits))}
    assert not place.requests("DELETE")


def test_files_that_the_hub_changed_get_no_tag(place: Place, releases: dict[str, Path]) -> None:
    def spoil() -> None:
        repo = place.hub.repos[REPO]
        files = {**repo.head.files, "README.md": Blob(b"spoilt\n")}
        repo.commits[repo.head.oid] = replace(repo.head, files=files)

    place.hub.faults = [Fault("after", match="/commit/", action=spoil)]
    done = place.push(releases["1.0.0"])
    assert done.code == 2
    assert "the hub lists other files at" in done.err
    assert place.hub.repos[REPO].tags == {}


def test_two_pushers_of_the_same_release(place: Place, releases: dict[str, Path]) -> None:
    arguments = ["push", str(releases["1.0.0"]), "--to", REPO]
    both = [place.warm.start(arguments, place.home()) for _ in range(2)]
    done = [running.wait() for running in both]
    assert [d.code for d in done] == [0, 0], [d.err for d in done]
    assert place.hub.repos[REPO].state()["history"] == ["tiny 1.0.0", "initial commit"]
    assert files_at(place, "v1.0.0") == sums(releases["1.0.0"])


def test_two_pushers_of_different_bytes(place: Place, releases: dict[str, Path]) -> None:
    names = ("1.0.0", "changed")
    both = [
        place.warm.start(["push", str(releases[name]), "--to", REPO], place.home())
        for name in names
    ]
    done = [running.wait() for running in both]
    assert sorted(d.code for d in done) == [0, 2], [d.err for d in done]
    winner = names[[d.code for d in done].index(0)]
    assert files_at(place, "v1.0.0") == sums(releases[winner])


def test_sources_that_may_not_be_passed_on(
    place: Place, releases: dict[str, Path], tmp_path: Path
) -> None:
    with changed_manifest(releases["1.0.0"], tmp_path / "tiny") as manifest:
        closed = {"treebank": "UD_Arabic-NYUAD", "licence": "LDC", "redistributable": False}
        manifest["sources"] = [closed, {"treebank": "UD_French-GSD", "redistributable": True}]
    done = place.push(tmp_path / "tiny")
    assert done.code == 2
    assert "sources that may not be passed on: UD_Arabic-NYUAD (LDC)" in done.err
    assert place.hub.log == []


@pytest.mark.parametrize("what", ["missing", "changed"])
def test_sources_that_are_not_whole(
    place: Place, releases: dict[str, Path], tmp_path: Path, what: str
) -> None:
    with changed_manifest(releases["1.0.0"], tmp_path / "tiny") as manifest:
        manifest["sources"] = [{"treebank": "UD_French-GSD", what: ["train.conllu"]}]
    done = place.push(tmp_path / "tiny")
    assert done.code == 2
    assert f"not whole: UD_French-GSD ({what}: train.conllu): fetch them" in done.err
    assert place.hub.log == []


def test_only_what_was_built_is_pushed(
    place: Place, releases: dict[str, Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    data = next((folder / "he").glob("*.parquet"))
    data.write_bytes(data.read_bytes()[:-1])
    (folder / "README.md").write_text("mine", encoding="utf-8")
    done = place.push(folder)
    assert done.code == 2
    wrong = "README.md, he/test-00000-of-00001.parquet: not as the build made it"
    assert wrong in done.err
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    assert (
        "manifest.json: is no manifest of a build: it lacks dataset, version, configs"
        in place.push(folder).err
    )
    (folder / "manifest.json").unlink()
    assert "is no data set folder" in place.push(folder).err
    assert place.hub.log == []


def test_what_the_manifest_does_not_list_stays_at_home(
    place: Place, releases: dict[str, Path], tmp_path: Path
) -> None:
    """Notes, results, what links lead to, hidden files: not sent, not touched, the visible ones
    named."""
    (tmp_path / "diary.txt").write_text("private")
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    others = "notes.md", "results/a.json", "he/more.parquet", ".secret", ".cache/y", "fr/\x1b[31m"
    for name in others:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine")
    (folder / "diary.txt").symlink_to(tmp_path / "diary.txt")
    (folder / "all").symlink_to(tmp_path, target_is_directory=True)
    before = sums(folder)
    told = "left alone, as the manifest does not list it: all, diary.txt, 'fr/\\x1b[31m', "
    for more in (["--dry-run"], []):
        done = place.push(folder, *more)
        assert (done.code, done.err.strip()) == (0, "")
        assert f"note: {told}he/more.parquet, notes.md, results" in done.out
    assert files_at(place, "v1.0.0") == sums(releases["1.0.0"])
    assert set(place.hub.repos[REPO].head.files) - set(sums(releases["1.0.0"])) == {
        ".gitattributes"
    }
    assert sums(folder) == before
    again = json.loads(place.push(folder, "--json", "--dry-run").out)
    assert again["released"]
    assert "notes.md" in again["left_alone"]


def test_strays_are_no_change_of_a_release(
    place: Place, releases: dict[str, Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    (folder / "notes.md").write_text("mine")
    assert compare(releases["1.0.0"], folder).needs == "none"


@pytest.mark.parametrize("name", ["README.md", "he"])
def test_links_are_not_followed(
    place: Place, releases: dict[str, Path], tmp_path: Path, name: str
) -> None:
    """Even to the very bytes that the manifest lists."""
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    done = place.push(folder)
    assert done.code == 2
    assert "not as the build made it" in done.err
    assert place.hub.log == []


@pytest.mark.parametrize(
    "name", ["../diary.txt", "/etc/hostname", "he/../x", ".git/config", "a\x1b"]
)
def test_a_manifest_that_lists_what_is_not_of_the_folder(
    place: Place, releases: dict[str, Path], tmp_path: Path, name: str
) -> None:
    with changed_manifest(releases["1.0.0"], tmp_path / "tiny") as manifest:
        manifest["documents"][name] = manifest["documents"]["README.md"]
    done = place.push(tmp_path / "tiny")
    assert done.code == 2
    assert f"is no manifest of a build: {name!r} is no" in done.err
    assert place.hub.log == []


def test_a_manifest_of_an_older_version(
    place: Place, releases: dict[str, Path], tmp_path: Path
) -> None:
    with changed_manifest(releases["1.0.0"], tmp_path / "tiny") as manifest:
        del manifest["documents"]
    done = place.push(tmp_path / "tiny")
    assert done.code == 2
    assert "manifest.json: does not list README.md: build the data set again" in done.err
    assert place.hub.log == []


def test_repository_must_be_named_whole(place: Place, releases: dict[str, Path]) -> None:
    done = place.warm.run(["push", str(releases["1.0.0"]), "--to", "tiny"], place.home())
    assert done.code == 2
    assert "'tiny' is no repository of a hub: it must be of the form ORG/NAME" in done.err


def test_a_hub_that_is_down(place: Place, releases: dict[str, Path]) -> None:
    place.hub.faults = [Fault("drop", at=None, times=10_000)]
    done = place.push(releases["1.0.0"])
    assert done.code == 2
    assert f"no good answer from {place.hub.url}" in done.err
    offline = place.push(releases["1.0.0"], HF_HUB_OFFLINE="1")
    assert offline.code == 2
    assert "Traceback" not in done.err + offline.err
