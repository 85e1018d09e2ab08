"""``solecism fetch``: downloads from a server on this machine, local mirrors, and the pinned
sources."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from release import SHARED
from solecism.commands import main
from solecism.errors import InputError
from solecism.treebank import sources
from solecism.treebank.languages import languages
from solecism.treebank.sources import Origin, fetch, read_lock, treebanks_of
from treebank import conllu, write_mirror

PAPER = "af hy eu ca hr da nl en fi fr el he hi ga it la nn fa pl pt ro ru sv tr uk ur"
TEXT = conllu("Ja ja INTJ _ 0 root") * 2000
FILE = "de_own-ud-test.conllu"
TREEBANK = Origin(
    "UD_German-Own", "de", "UniversalDependencies/UD_German-Own", "r9.9", "CC0-1.0", (FILE,)
)
ADDRESS = f"/UniversalDependencies/UD_German-Own/r9.9/{FILE}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Server:
    """Files by address; ``breaks``: how many answers break off half-way; ``asked``: addresses and
    ranges."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    breaks: int = 0
    ranges: bool = True
    asked: list[tuple[str, str]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            told.asked.append((self.path, wanted))
            body = told.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            start = int(wanted[len("bytes=") : -1]) if wanted and told.ranges else 0
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            rest = body[start:]
            if told.breaks:
                told.breaks -= 1
                rest = rest[: len(rest) // 2]
            self.wfile.write(rest)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.address = f"http://127.0.0.1:{running.server_port}"
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield told
    running.shutdown()
    running.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a catalogue of this test alone: one German treebank."""
    monkeypatch.delenv("SOLECISM_SOURCES", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "solecism" / "sources"


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only one treebank, with a lock that can be written; returns the lock."""
    monkeypatch.setattr(sources, "_treebanks", lambda: (TREEBANK,))
    monkeypatch.setattr(sources, "_lexicons", dict)
    monkeypatch.setattr(sources, "_HERE", tmp_path)
    return tmp_path / sources.LOCK


def pin(lock: Path, text: str) -> None:
    lock.write_text(json.dumps({TREEBANK.key: {FILE: digest(text)}}), encoding="utf-8")


@pytest.mark.usefixtures("one")
def test_a_file_is_downloaded_once(server: Server, cache: Path) -> None:
    server.files[ADDRESS] = TEXT.encode()
    shown: list[tuple[str, int, int]] = []
    (first,) = fetch("de", lambda *told: shown.append(told), server.address)
    (path,) = first.found.files
    assert path == cache / "r9.9" / "UD_German-Own" / FILE
    assert path.read_text(encoding="utf-8") == TEXT
    assert shown[-1] == (FILE, len(TEXT.encode()), len(TEXT.encode()))
    fetch("de", None, server.address)
    assert len(server.asked) == 1
    assert [found.origin for found in sources.treebanks("de")] == [TREEBANK]


@pytest.mark.usefixtures("one")
def test_the_first_download_is_trusted_and_remembered(server: Server, cache: Path) -> None:
    server.files[ADDRESS] = TEXT.encode()
    (first,) = fetch("de", None, server.address)
    assert first.trusted == (FILE,)
    assert read_lock(cache / "sources.lock.json") == {TREEBANK.key: {FILE: digest(TEXT)}}
    (again,) = fetch("de", None, server.address)
    assert again.trusted == ()
    first.found.files[0].unlink()
    server.files[ADDRESS] = b"other"
    with pytest.raises(InputError, match=f"SHA-256 should be {digest(TEXT)}"):
        fetch("de", None, server.address)
    assert not first.found.files[0].exists()


def test_a_pinned_file_must_be_what_it_was(one: Path, server: Server, cache: Path) -> None:
    pin(one, TEXT)
    server.files[ADDRESS] = (TEXT + "#").encode()
    with pytest.raises(InputError, match="SHA-256 should be"):
        fetch("de", None, server.address)
    assert not list(cache.rglob("*.conllu"))
    server.files[ADDRESS] = TEXT.encode()
    (right,) = fetch("de", None, server.address)
    assert right.trusted == ()
    assert right.found.facts()["trusted"] == []


def test_a_damaged_file_of_the_cache_is_fetched_anew(one: Path, server: Server) -> None:
    pin(one, TEXT)
    server.files[ADDRESS] = TEXT.encode()
    (first,) = fetch("de", None, server.address)
    first.found.files[0].write_text("damaged", encoding="utf-8")
    (again,) = fetch("de", None, server.address)
    assert again.found.files[0].read_text(encoding="utf-8") == TEXT


def test_a_download_that_breaks_off_is_resumed(one: Path, server: Server) -> None:
    pin(one, TEXT)
    server.files[ADDRESS], server.breaks = TEXT.encode(), 2
    (first,) = fetch("de", None, server.address)
    assert first.found.files[0].read_text(encoding="utf-8") == TEXT
    starts = [int(wanted[len("bytes=") : -1] or 0) for _, wanted in server.asked if wanted]
    size = len(TEXT.encode())
    assert starts == [size // 2, size // 2 + (size - size // 2) // 2]


def test_it_is_resumed_by_a_later_run_too(one: Path, server: Server, cache: Path) -> None:
    pin(one, TEXT)
    server.files[ADDRESS], server.breaks = TEXT.encode(), sources.TRIES
    with pytest.raises(InputError, match="cannot be downloaded from"):
        fetch("de", None, server.address)
    assert not list(cache.rglob("*.conllu"))
    fetch("de", None, server.address)
    assert server.asked[-1][1].startswith("bytes=")
    assert len(server.asked) == sources.TRIES + 1


def test_a_server_that_knows_no_ranges_sends_the_whole(one: Path, server: Server) -> None:
    pin(one, TEXT)
    server.files[ADDRESS], server.breaks, server.ranges = TEXT.encode(), 1, False
    (first,) = fetch("de", None, server.address)
    assert first.found.files[0].read_text(encoding="utf-8") == TEXT


def test_what_is_not_checked_is_not_put_together_from_two_runs(one: Path, server: Server) -> None:
    assert not one.exists()
    server.files[ADDRESS], server.breaks = TEXT.encode(), sources.TRIES
    with pytest.raises(InputError):
        fetch("de", None, server.address)
    fetch("de", None, server.address)
    assert server.asked[-1][1] == ""


@pytest.mark.usefixtures("one")
def test_a_file_that_is_not_there_is_named(server: Server) -> None:
    with pytest.raises(
        InputError, match=f"{FILE}: cannot be downloaded from {server.address}.*404"
    ):
        fetch("de", None, server.address)


@pytest.mark.usefixtures("one")
def test_a_unimorph_list_that_is_not_there_is_only_told(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Origin("UniMorph deu", "de", "unimorph/deu", "master", "CC-BY-SA-3.0", ("deu",))
    monkeypatch.setattr(sources, "_lexicons", lambda: {"de": listed})
    server.files[ADDRESS] = TEXT.encode()
    treebank, lost = fetch("de", None, server.address)
    assert treebank.lost == ""
    assert "404" in lost.lost
    monkeypatch.setenv("SOLECISM_SOURCES_URL", server.address)
    done = CliRunner().invoke(main, ["fetch", "agreement", "de"])
    assert done.exit_code == 0
    assert "UniMorph deu: cannot be had, data are made without it" in done.output
    server.files["/unimorph/deu/master/deu"] = b"gehen\tgeht\tV;IND;PRS;3;SG\n"
    fetch("de", None, server.address)
    found = sources.lexicon("de")
    assert found is not None
    assert found.files[0].name == "deu"


@pytest.mark.usefixtures("one")
def test_a_mirror_is_used_and_nothing_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = write_mirror(tmp_path / "mirror", "UD_German-Own", FILE, TEXT)
    monkeypatch.setenv("SOLECISM_SOURCES", str(mirror))
    monkeypatch.setattr(requests, "get", lambda *_, **__: pytest.fail("the network was touched"))
    (found,) = fetch("de", None, "http://nowhere")
    assert found.found.files == (mirror / "UD_German-Own" / FILE,)


def test_a_mirror_with_other_bytes_is_told(
    one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin(one, TEXT)
    mirror = write_mirror(tmp_path / "mirror" / "ud", "UD_German-Own", FILE, TEXT + "#")
    monkeypatch.setenv("SOLECISM_SOURCES", str(mirror.parent))
    (found,) = fetch("de")
    assert found.found.facts()["changed"] == [FILE]
    done = CliRunner().invoke(main, ["fetch", "agreement", "de"])
    assert done.exit_code == 0
    assert f"UD_German-Own: other bytes than the project pins: {FILE}" in done.output


@pytest.mark.usefixtures("one")
def test_a_mirror_without_the_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLECISM_SOURCES", str(tmp_path))
    with pytest.raises(InputError, match=r"no treebanks of 'de' \(UD_German-Own\) in .*SOLECISM"):
        fetch("de")
    monkeypatch.setenv("SOLECISM_SOURCES", str(tmp_path / "absent"))
    with pytest.raises(InputError, match="names a folder that is not there"):
        fetch("de")


def test_unimorph_stands_in_the_mirror_or_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = write_mirror(tmp_path / "ud", "UD_French-GSD", "fr_gsd-ud-test.conllu", TEXT)
    monkeypatch.setenv("SOLECISM_SOURCES", str(mirror))
    assert sources.lexicon("fr") is None
    (tmp_path / "unimorph").mkdir()
    (tmp_path / "unimorph" / "fra").write_text("être\test\tV;IND;PRS;3;SG\n", encoding="utf-8")
    found = sources.lexicon("fr")
    assert found is not None
    assert found.facts()["treebank"] == "UniMorph fra"
    assert found.files == (tmp_path / "unimorph" / "fra",)


def test_the_command_line(one: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.files[ADDRESS] = TEXT.encode()
    monkeypatch.setenv("SOLECISM_SOURCES_URL", server.address)
    done = CliRunner().invoke(main, ["fetch", "agreement", "de"])
    assert done.exit_code == 0, done.output
    assert "no checksum is known: trusted" in done.output
    assert max(map(len, done.output.splitlines())) <= 80 or "UD_German-Own:" in done.output
    told = json.loads(CliRunner().invoke(main, ["fetch", "agreement", "de", "--json"]).output)
    assert [entry["treebank"] for entry in told] == ["UD_German-Own"]
    assert told[0]["files"] == {FILE: digest(TEXT)}
    assert not one.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agreement", "xx"], "there is no language 'xx' with treebanks"),
        (["clams"], "made from templates: there is nothing to fetch"),
        (["agrement"], "did you mean"),
    ],
)
def test_bad_requests(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(main, ["fetch", *arguments])
    assert done.exit_code == 2
    assert message in done.output


def test_every_language_of_the_paper_and_the_four_it_lost_have_treebanks() -> None:
    for code in [*PAPER.split(), "de", "cs", "es", "ar"]:
        assert code in languages()
        assert any(origin.redistributable for origin in treebanks_of(code)), code


def test_origins_are_told_in_full() -> None:
    for code in sources.origin_languages():
        for origin in treebanks_of(code):
            assert origin.ref.startswith("r2.") or len(origin.ref) == 40
            assert origin.licence
            assert all(name.endswith(".conllu") for name in origin.files)
            assert origin.repository == f"UniversalDependencies/{origin.name}"


def test_the_lock_is_of_files_in_the_catalogue() -> None:
    known = {o.key: o for c in sources.origin_languages() for o in treebanks_of(c)}
    lock = read_lock(Path(sources.__file__).with_name(sources.LOCK))
    assert len(lock) >= 16
    for key, files in lock.items():
        assert set(files) <= set(known[key].files)
        assert all(len(value) == 64 for value in files.values())


def test_treebanks_without_text_may_not_be_passed_on() -> None:
    closed = [
        o.name for c in sources.origin_languages() for o in treebanks_of(c) if not o.redistributable
    ]
    assert closed == ["UD_Arabic-NYUAD", "UD_English-ESL", "UD_French-FTB"]


@pytest.mark.skipif(not (SHARED / "ud").is_dir(), reason="no ../shared/ud")
def test_the_shared_treebanks_are_those_that_are_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLECISM_SOURCES", f"{SHARED / 'ud'}:{SHARED / 'ud-r2.4'}")
    codes = sources.found_languages()
    assert {
        "en",
        "fr",
        "de",
        "he",
        "ru",
        "es",
        "it",
        "fi",
        "pl",
        "af",
        "hy",
        "br",
        "hu",
        "ta",
    } <= set(codes)
    for code in ("he", "af"):
        for found in sources.treebanks(code):
            assert found.departures == []
            assert found.facts()["trusted"] == []
