"""``solecism.load``: exactly the rows of a version: online, offline, with the hub down or
half-hearted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import solecism
from fake_hub import Blob, Fault, User
from hubs import LOAD, REPO, Place, a_place
from solecism.datasets.lock import LOCK, record
from solecism.datasets.manifest import contents_of, read_manifest
from solecism.hub.load import _refuse_tampered
from solecism.scoring.items import open_items

VERSIONS = ("1.0.0", "1.0.1", "2.0.0")


@pytest.fixture(scope="module")
def shared_place(
    tmp_path_factory: pytest.TempPathFactory, releases: dict[str, Path]
) -> Iterator[Place]:
    with a_place(tmp_path_factory.mktemp("hub")) as place:
        for version in VERSIONS:
            assert place.push(releases[version]).code == 0
        yield place


@pytest.fixture
def place(shared_place: Place) -> Iterator[Place]:
    repo = shared_place.hub.repos[REPO]
    tags, branches = dict(repo.tags), dict(repo.branches)
    shared_place.hub.log.clear()
    shared_place.hub.watch = lambda hub: None
    yield shared_place
    repo.tags, repo.branches, repo.private = tags, branches, False
    shared_place.hub.faults = []


def ids(release: Path, config: str) -> list[str]:
    table = pq.read_table(release / config / "test-00000-of-00001.parquet", columns=["id"])
    return sorted(table["id"].to_pylist())


def test_each_version_gives_its_own_rows(place: Place, releases: dict[str, Path]) -> None:
    home = place.home()
    for version in (*VERSIONS, *VERSIONS):
        assert place.load("he", home, version)["ids"] == ids(releases[version], "he")
    assert place.load("fr", home, "1.0.0")["ids"] == ids(releases["1.0.0"], "fr")
    assert ids(releases["1.0.0"], "he") != ids(releases["2.0.0"], "he")


def test_only_the_config_is_downloaded_and_only_once(place: Place) -> None:
    home = place.home()
    place.load("he", home, "1.0.0")
    assert not place.requests(part="/fr/test")
    assert len(place.requests("GET", "/he/test")) == 1
    place.hub.log.clear()
    place.load("he", home, "v1.0.0")
    assert place.hub.log == []


def test_without_a_version_the_newest_is_taken(place: Place, releases: dict[str, Path]) -> None:
    home = place.home()
    told = place.load("he", home)
    assert told["ids"] == ids(releases["2.0.0"], "he")
    assert told["warnings"] == []


def test_versions_are_ordered_by_number(place: Place, releases: dict[str, Path]) -> None:
    repo = place.hub.repos[REPO]
    repo.tags = {
        "v10.0.0": repo.tags["v2.0.0"],
        "v9.0.0": repo.tags["v1.0.0"],
        "latest": repo.head.oid,
    }
    told = place.load("he", place.home())
    assert "v10.0.0 holds version 2.0.0: somebody has moved the tag" in told["error"]


@pytest.mark.parametrize("way", ["offline", "down", "busy"])
def test_cached_versions_are_read_without_the_hub(
    place: Place, releases: dict[str, Path], way: str
) -> None:
    home = place.home()
    for version in ("2.0.0", "1.0.0"):
        place.load("he", home, version)
    env = {"HF_HUB_OFFLINE": "1"} if way == "offline" else {}
    kind = "drop" if way == "down" else "status"
    place.hub.faults = [Fault(kind, at=None, times=10_000)] if way != "offline" else []  # type: ignore[arg-type]
    place.hub.log.clear()
    for version in ("1.0.0", "2.0.0"):
        assert place.load("he", home, version, **env)["ids"] == ids(releases[version], "he")
    newest = place.load("he", home, **env)
    assert newest["ids"] == ids(releases["2.0.0"], "he")
    (warning,) = newest["warnings"]
    assert "the newest version in the cache is taken, 2.0.0" in warning
    missing = place.load("he", home, "1.0.1", **env)["error"]
    assert "version 1.0.1 is not in the cache" in missing
    assert "(did you mean '1.0.0'? versions of 'he' in the cache: 2.0.0, 1.0.0)" in missing
    french = place.load("fr", home, "1.0.0", **env)["error"]
    assert "version 1.0.0 is not in the cache (versions of 'fr' in the cache: none)" in french
    assert (place.hub.log == []) == (way == "offline")


def test_a_process_that_is_started_offline(place: Place, releases: dict[str, Path]) -> None:
    """HF_HUB_OFFLINE from the beginning, in a process that shares nothing with this one."""
    home = place.home()
    for version in ("2.0.0", "1.0.0"):
        place.load("he", home, version)
    place.hub.log.clear()
    dead = {
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_CACHE": str(home / "datasets"),
    }
    for version in ("1.0.0", "2.0.0"):
        done = subprocess.run(
            [sys.executable, "-c", LOAD, "he", version, REPO],
            env={**os.environ, **place.hub.env(home), **dead}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert json.loads(done.stdout)["ids"] == ids(releases[version], "he")
    assert place.hub.log == []


def test_unknown_version_config_and_split(place: Place) -> None:
    home = place.home()
    told = place.load("he", home, "1.0.2")["error"]
    assert "has no version 1.0.2 (did you mean '1.0.1'? versions: 2.0.0, 1.0.1, 1.0.0)" in told
    assert "version 'one' is not of the form '1.0.0'" in place.load("he", home, "one")["error"]
    told = place.load("fr", home, "2.0.0")["error"]
    assert "data set 'tiny' 2.0.0 has no config 'fr' (configs: he)" in told


def test_unknown_data_set_and_hidden_data_set(place: Place, releases: dict[str, Path]) -> None:
    place.hub.users["hf_stranger"] = User("stranger")
    place.hub.repos[REPO].private = True
    told = place.load("he", place.home(), "1.0.0", HF_TOKEN="hf_stranger")["error"]
    assert "has no such data set or version, or hides it from you" in told
    assert place.load("he", place.home(), "1.0.0")["ids"] == ids(releases["1.0.0"], "he")


def test_a_repository_without_versions(place: Place) -> None:
    place.hub.repos[REPO].tags = {"main-backup": place.hub.repos[REPO].head.oid}
    assert "has no versions yet" in place.load("he", place.home())["error"]


@pytest.mark.parametrize("kind", ["cut", "drop", "lost", "status"])
def test_a_download_that_fails_is_repeated(
    place: Place, releases: dict[str, Path], kind: str
) -> None:
    for path in (r"resolve/.*he/test", r"resolve/.*manifest", "/refs", "/revision/"):
        place.hub.faults = [Fault(kind, match=path, method="GET")]  # type: ignore[arg-type]
        told = place.load("he", place.home(), "1.0.0")
        assert told.get("ids") == ids(releases["1.0.0"], "he"), (path, told)


def test_a_damaged_cache_is_found_out(place: Place, releases: dict[str, Path]) -> None:
    home = place.home()
    place.load("he", home, "1.0.0")
    (file,) = home.glob("hub/datasets--org--tiny/snapshots/*/he/test*.parquet")
    blob = file.resolve()
    whole = blob.read_bytes()
    blob.write_bytes(whole[: len(whole) // 2] + b"\0" + whole[len(whole) // 2 + 1 :])
    offline = place.load("he", home, "1.0.0", HF_HUB_OFFLINE="1")
    assert "version 1.0.0 is not in the cache" in offline["error"]
    assert place.load("he", home, "1.0.0")["ids"] == ids(releases["1.0.0"], "he")
    assert blob.read_bytes() == whole


def test_other_bytes_than_released_are_refused(place: Place) -> None:
    """The file under the tag is not what the manifest under the same tag says."""
    repo = place.hub.repos[REPO]
    commit = repo.commits[repo.tags["v1.0.0"]]
    swapped = repo.commits[repo.tags["v2.0.0"]].files["he/test-00000-of-00001.parquet"]
    made = repo.commit({**commit.files, "he/test-00000-of-00001.parquet": swapped}, "swap")
    repo.tags["v1.0.0"] = made.oid
    told = place.load("he", place.home(), "1.0.0")["error"]
    assert "the files of 'he' in v1.0.0 are not as released" in told


def test_a_moved_tag_is_refused_and_does_not_reach_who_has_read_it(
    place: Place, releases: dict[str, Path]
) -> None:
    home = place.home()
    place.load("he", home, "1.0.0")
    repo = place.hub.repos[REPO]
    repo.tags["v1.0.0"] = repo.tags["v2.0.0"]
    assert place.load("he", home, "1.0.0")["ids"] == ids(releases["1.0.0"], "he")
    told = place.load("he", place.home(), "1.0.0")["error"]
    assert "v1.0.0 holds version 2.0.0: somebody has moved the tag" in told


def test_a_repository_that_is_no_data_set_of_ours(place: Place) -> None:
    repo = place.hub.repos[REPO]
    repo.tags["v3.0.0"] = repo.commit({"README.md": Blob(b"---\n---\n")}, "stray").oid
    told = place.load("he", place.home(), "3.0.0")["error"]
    assert "is no data set folder: it has no manifest.json" in told


def test_a_built_folder(
    releases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setenv("SOLECISM_DATA", str(releases["1.0.0"].parent))
    rows = solecism.load("tiny", "he", version="1.0.0")
    assert sorted(rows["id"]) == ids(releases["1.0.0"], "he")
    assert (rows.info.config_name, str(rows.info.version), str(rows.split)) == (
        "he",
        "1.0.0",
        "test",
    )
    with pytest.raises(solecism.InputError, match=r"is version 1\.0\.0, not 2\.0\.0"):
        solecism.load("tiny", "he", version="2.0.0")
    with pytest.raises(solecism.InputError, match=r"has no split 'train' \(splits: test\)"):
        solecism.load("tiny", "he", split="train")
    with pytest.raises(solecism.InputError, match="there is no data set folder"):
        solecism.load("tinny", "he")
    shutil.copytree(releases["2.0.0"], tmp_path / "other")
    monkeypatch.setenv("SOLECISM_DATA", str(tmp_path))
    with pytest.raises(solecism.InputError, match="is the data set 'tiny', not 'other'"):
        solecism.load("other", "he")


def test_a_folder_built_here(
    releases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default that of the current folder, as `solecism build` makes it; its card is not
    needed."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.delenv("SOLECISM_DATA", raising=False)
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    assert sorted(solecism.load("tiny", "fr")["id"]) == ids(releases["1.0.0"], "fr")
    monkeypatch.setenv("SOLECISM_DATA", "../" + tmp_path.name)
    assert sorted(solecism.load("tiny", "fr")["id"]) == ids(releases["1.0.0"], "fr")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("SOLECISM_DATA", str(tmp_path))
    assert open_items("tiny/fr").rows == len(ids(releases["1.0.0"], "fr"))  # for `score`
    (folder / "README.md").write_text("---\nconfigs: [", encoding="utf-8")
    assert sorted(solecism.load("tiny", "he")["id"]) == ids(releases["1.0.0"], "he")
    (folder / "he" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(solecism.InputError, match="the files of 'he' are not as built: build"):
        solecism.load("tiny", "he")


def test_rows_that_the_lock_of_the_package_does_not_know(place: Place) -> None:
    """Everything under the tag fits its manifest, but it is not what was released."""
    repo = place.hub.repos[REPO]
    files = repo.commits[repo.tags["v1.0.0"]].files
    told = json.loads(files["manifest.json"].data) | {"dataset": "clams"}
    made = {**files, "manifest.json": Blob(json.dumps(told).encode())}
    repo.tags["v1.0.0"] = repo.commit(made, "other rows").oid
    done = place.warm.run(
        [], place.home(), code=f"import solecism; solecism.load({REPO!r}, 'he', version='1.0.0')"
    )
    error = next(line for line in done.err.splitlines() if "InputError" in line)
    assert "is not the clams 1.0.0 that was released: 'he' holds 1,000 rows, content" in error


def test_rows_that_the_lock_of_the_package_knows(
    releases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solecism.hub.load.BUILT_IN", tmp_path / "catalogue.toml")
    manifest = read_manifest(releases["1.0.0"])
    record(tmp_path / LOCK, "tiny", "1.0.0", contents_of(manifest))
    _refuse_tampered("org/tiny", manifest, "he")
    lock = tmp_path / LOCK
    lock.write_text(lock.read_text(encoding="utf-8").replace('"rows": 1000', '"rows": 999'))
    with pytest.raises(solecism.InputError, match=r"is not the tiny 1\.0\.0 that was released"):
        _refuse_tampered("org/tiny", manifest, "he")


def test_import_of_the_package_stays_light() -> None:
    heavy = ("datasets", "huggingface_hub", "pyarrow")
    code = f"import sys, solecism; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
