"""``solecism.load``: exactly the rows of a version: online, offline and with the hub down."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import constants

import solecism
from fake_hub import Blob, FakeHub, User
from hubs import REPO
from solecism.datasets.lock import LOCK, record
from solecism.datasets.manifest import contents_of, read_manifest
from solecism.hashing import file_digest
from solecism.hub.push import push
from solecism.scoring.items import open_items, rows_of_result

VERSIONS = ("1.0.0", "1.0.1", "2.0.0")


def _cache() -> Path:
    return Path(constants.HF_HUB_CACHE)


@pytest.fixture
def full(hub: FakeHub, releases: dict[str, Path]) -> FakeHub:
    """A hub with three versions, and an empty cache."""
    for version in VERSIONS:
        push(releases[version], REPO)
    hub.log.clear()
    shutil.rmtree(_cache(), ignore_errors=True)
    return hub


def ids(release: Path, config: str) -> list[str]:
    table = pq.read_table(release / config / "test-00000-of-00001.parquet", columns=["id"])
    return sorted(table["id"].to_pylist())


def load(config: str, version: str | None = None) -> list[str]:
    return sorted(solecism.load("tiny", config, version=version, repo=REPO)["id"])


def refused(config: str, version: str | None = None) -> str:
    with pytest.raises(solecism.InputError) as caught:
        load(config, version)
    return str(caught.value)


def test_each_version_gives_its_own_rows(full: FakeHub, releases: dict[str, Path]) -> None:
    for version in (*VERSIONS, *VERSIONS):
        assert load("he", version) == ids(releases[version], "he")
    assert load("fr", "1.0.0") == ids(releases["1.0.0"], "fr")
    assert ids(releases["1.0.0"], "he") != ids(releases["2.0.0"], "he")
    assert load("he") == ids(releases["2.0.0"], "he")


def test_only_the_config_is_downloaded_and_only_once(full: FakeHub) -> None:
    load("he", "1.0.0")
    assert not full.requests("/fr/test")
    assert len([one for one in full.requests("/he/test") if one.startswith("GET")]) == 1
    full.log.clear()
    load("he", "v1.0.0")
    assert full.log == []


@pytest.mark.parametrize("way", ["offline", "down", "busy"])
def test_cached_versions_are_read_without_the_hub(
    full: FakeHub, releases: dict[str, Path], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("2.0.0", "1.0.0"):
        load("he", version)
    if way == "busy":
        full.broken = "."
    elif way == "offline":
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    else:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    for version in ("1.0.0", "2.0.0"):
        assert load("he", version) == ids(releases[version], "he")
    with pytest.warns(UserWarning, match=r"the newest version in the cache is taken, 2\.0\.0"):
        assert load("he") == ids(releases["2.0.0"], "he")
    missing = refused("he", "1.0.1")
    assert "version 1.0.1 is not in the cache" in missing
    assert "(did you mean '1.0.0'? versions of 'he' in the cache: 2.0.0, 1.0.0)" in missing
    french = refused("fr", "1.0.0")
    assert "version 1.0.0 is not in the cache (versions of 'fr' in the cache: none)" in french


def test_unknown_version_and_config(full: FakeHub) -> None:
    told = refused("he", "1.0.2")
    assert "has no version 1.0.2 (did you mean '1.0.1'? versions: 2.0.0, 1.0.1, 1.0.0)" in told
    assert "version 'one' is not of the form '1.0.0'" in refused("he", "one")
    assert "data set 'tiny' 2.0.0 has no config 'fr' (configs: he)" in refused("fr", "2.0.0")


def test_unknown_and_hidden_data_sets(
    full: FakeHub, releases: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    full.users["hf_stranger"] = User("stranger")
    full.repos[REPO].private = True
    assert load("he", "1.0.0") == ids(releases["1.0.0"], "he")
    monkeypatch.setenv("HF_TOKEN", "hf_stranger")
    assert "has no such data set or version, or hides it from you" in refused("he", "1.0.1")


def test_versions_that_are_not_what_they_say(full: FakeHub, releases: dict[str, Path]) -> None:
    repo, file = full.repos[REPO], "he/test-00000-of-00001.parquet"
    repo.tags["v10.0.0"] = repo.tags["v2.0.0"]
    assert "v10.0.0 holds version 2.0.0: somebody has moved the tag" in refused("he")
    one, two = (repo.commits[repo.tags[f"v{version}"]] for version in ("1.0.0", "2.0.0"))
    assert load("he", "1.0.0") == ids(releases["1.0.0"], "he")
    repo.tags["v1.0.0"] = repo.tags["v2.0.0"]
    assert load("he", "1.0.0") == ids(releases["1.0.0"], "he")  # it was read before
    repo.tags["v1.0.1"] = repo.commit({**two.files, file: one.files[file]}, "swap").oid
    assert "v1.0.1 holds version 2.0.0" in refused("he", "1.0.1")
    repo.tags["v2.0.0"] = repo.tags["v1.0.1"]
    assert "the files of 'he' in v2.0.0 are not as released" in refused("he", "2.0.0")
    repo.tags["v3.0.0"] = repo.commit({"README.md": Blob(b"---\n---\n")}, "stray").oid
    assert "is no data set folder: it has no manifest.json" in refused("he", "3.0.0")
    repo.tags = {"main-backup": repo.main}
    assert "has no versions yet" in refused("he")


def test_a_damaged_cache_is_mended(full: FakeHub, releases: dict[str, Path]) -> None:
    load("he", "1.0.0")
    (commit,) = _cache().glob("datasets--org--tiny/refs/v1.0.0")
    file = commit.parents[1] / "snapshots" / commit.read_text() / "he/test-00000-of-00001.parquet"
    blob = file.resolve()
    whole = blob.read_bytes()
    blob.write_bytes(whole[: len(whole) // 2] + b"\0" + whole[len(whole) // 2 + 1 :])
    assert load("he", "1.0.0") == ids(releases["1.0.0"], "he")
    assert blob.read_bytes() == whole
    manifest = (file.parents[1] / "manifest.json").resolve()
    whole = manifest.read_bytes()
    for damaged in (b"[" + whole[1:], whole.replace(b"1.0.0", b"1.0.4")):
        manifest.write_bytes(damaged)
        assert load("he", "1.0.0") == ids(releases["1.0.0"], "he")
        assert manifest.read_bytes() == whole
    manifest.write_bytes(b"{")
    assert open_items(f"{REPO}/he", "v1.0.0").rows == len(ids(releases["1.0.0"], "he"))


@pytest.mark.parametrize("config", ["org/tiny/he", "a/b/c/d", "../tiny/he", "he/x", "", "\0", "*"])
def test_results_of_others_ask_no_hub(
    hub: FakeHub, releases: dict[str, Path], monkeypatch: pytest.MonkeyPatch, config: str
) -> None:
    monkeypatch.setenv("SOLECISM_DATA", str(releases["1.0.0"].parent))
    digest = read_manifest(releases["1.0.0"]).config("he").content.sha256[:16]
    run = {"data": "tiny", "config": "he", "digest": digest}
    assert rows_of_result(run, [], ["UID"]) == ({}, "tiny/he")
    assert rows_of_result(run | {"config": config}, [], ["UID"]) == ({}, "")
    assert hub.log == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, "is not a Parquet file that can be read"),
        (
            pa.table({"id": pa.array([b"\xff"]).view(pa.string())}),
            "column 'id', row 1: Invalid UTF8",
        ),
        (pa.table([["a"], ["b"]], names=["id", "id"]), "column 'id' is there twice"),
        (
            pa.table({"id": ["a"]}).replace_schema_metadata(
                {"huggingface": '{"info": {"features": {"id": {"_type": "Nope"}}}}'}
            ),
            "`datasets` cannot read it",
        ),
    ],
)
def test_broken_files_with_the_right_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: pa.Table | None, message: str
) -> None:
    file = tmp_path / "tiny" / "he" / "test-00000-of-00001.parquet"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no Parquet") if table is None else pq.write_table(table, file)
    files = {"he/" + file.name: {"sha256": file_digest(file), "bytes": file.stat().st_size}}
    he = {"rows": 1, "content_sha256": "0" * 64, "files": files}
    manifest = {"dataset": "tiny", "version": "1.0.0", "configs": {"he": he}}
    (tmp_path / "tiny" / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setenv("SOLECISM_DATA", str(tmp_path))
    with pytest.raises(solecism.InputError, match=f"{file.name}: {message}"):
        solecism.load("tiny", "he")


def test_a_built_folder(
    releases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setenv("SOLECISM_DATA", str(releases["1.0.0"].parent))
    rows = solecism.load("tiny", "he", version="1.0.0")
    assert sorted(rows["id"]) == ids(releases["1.0.0"], "he")
    told = (rows.info.config_name, str(rows.info.version), str(rows.split))
    assert told == ("he", "1.0.0", "test")
    shutil.copytree(releases["2.0.0"], tmp_path / "other")
    for name, options, message in (
        ("tiny", {"version": "2.0.0"}, r"is version 1\.0\.0, not 2\.0\.0"),
        ("tiny", {"split": "train"}, r"has no split 'train' \(splits: test\)"),
        ("tinny", {}, "there is no data set folder"),
    ):
        with pytest.raises(solecism.InputError, match=message):
            solecism.load(name, "he", **options)
    monkeypatch.setenv("SOLECISM_DATA", str(tmp_path))
    with pytest.raises(solecism.InputError, match="is the data set 'tiny', not 'other'"):
        solecism.load("other", "he")


def test_a_folder_built_here(
    releases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default that of the current folder, as `solecism build` makes it."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    folder = shutil.copytree(releases["1.0.0"], tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOLECISM_DATA", raising=False)
    assert sorted(solecism.load("tiny", "fr")["id"]) == ids(releases["1.0.0"], "fr")
    for here, data in ((tmp_path, f"../{tmp_path.name}"), (folder, str(tmp_path))):
        monkeypatch.chdir(here)
        monkeypatch.setenv("SOLECISM_DATA", data)
        assert sorted(solecism.load("tiny", "fr")["id"]) == ids(releases["1.0.0"], "fr")
    assert open_items("tiny/fr").rows == len(ids(releases["1.0.0"], "fr"))  # for `score`
    (folder / "README.md").write_text("---\nconfigs: [", encoding="utf-8")  # it is not needed
    assert sorted(solecism.load("tiny", "he")["id"]) == ids(releases["1.0.0"], "he")
    (folder / "he" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(solecism.InputError, match="the files of 'he' are not as built: build"):
        solecism.load("tiny", "he")


def test_rows_that_the_lock_of_the_package_does_not_know(
    full: FakeHub, releases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything under the tag fits its manifest, but it is not what was released."""
    with monkeypatch.context() as patch:
        patch.setattr("solecism.hub.load.BUILT_IN", tmp_path / "catalogue.toml")
        manifest = read_manifest(releases["1.0.1"])
        record(tmp_path / LOCK, "tiny", "1.0.1", contents_of(manifest))
        assert load("he", "1.0.1") == ids(releases["1.0.1"], "he")
    repo = full.repos[REPO]
    files = repo.commits[repo.tags["v1.0.0"]].files
    told = json.loads(files["manifest.json"].data) | {"dataset": "clams"}
    made = {**files, "manifest.json": Blob(json.dumps(told).encode())}
    repo.tags["v1.0.0"] = repo.commit(made, "other rows").oid
    with pytest.raises(solecism.InputError, match=r"is not the clams 1\.0\.0 that was released"):
        solecism.load(REPO, "he", version="1.0.0")
