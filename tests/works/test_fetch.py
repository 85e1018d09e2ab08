"""``solecism mine --fetch``: downloads from a server on this machine, local mirrors, and the pinned
sources."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from solecism.commands import main
from solecism.errors import InputError
from solecism.treebank.forms import read_inventory
from solecism.treebank.languages import languages
from solecism.treebank.mining import mine
from solecism.works import catalogue, sources
from solecism.works.catalogue import Origin, Pin, lists, treebanks_of
from solecism.works.sources import fetch
from treebank import conllu, write_mirror

PAPER = "af hy eu ca hr da nl en fi fr el he hi ga it la nn fa pl pt ro ru sv tr uk ur"
TEXT = conllu("Ja ja INTJ _ 0 root") * 2000
FILE = "de_own-ud-test.conllu"
REF = "0123456789" * 4
ADDRESS = f"/UniversalDependencies/UD_German-Own/{REF}/{FILE}"


def pin(path: str, text: str, sha256: str | None = None) -> Pin:
    data = text.encode()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    return Pin(path, blob, len(data), sha256)


TREEBANK = Origin(
    "UD_German-Own", "de", "UniversalDependencies/UD_German-Own", REF, "CC0-1.0",
    (pin(FILE, TEXT),), also=("UD_German-Old",),
)  # fmt: skip


@dataclass
class Server:
    """Files by address; ``breaks``: how many answers break off half-way; ``length``: what they
    say of their length (empty: the truth)."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    breaks: int = 0
    length: str = ""
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append(self.path)
            body = told.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", told.length or str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if told.breaks else body)
            told.breaks = max(0, told.breaks - 1)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.address = f"http://127.0.0.1:{running.server_port}"
    monkeypatch.setenv("SOLECISM_SOURCES_URL", told.address)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield told
    running.shutdown()
    running.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test alone; no pauses between tries."""
    monkeypatch.delenv("SOLECISM_SOURCES", raising=False)
    monkeypatch.setattr(sources, "cached_assets_path", lambda *_, **__: tmp_path / "cache")
    monkeypatch.setattr(sources.time, "sleep", lambda _: None)
    return tmp_path / "cache"


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one treebank, and no word list."""
    monkeypatch.setattr(catalogue, "treebank_origins", lambda: (TREEBANK,))
    monkeypatch.setattr(catalogue, "lists", dict)


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes a file into a mirror, which is then used, and returns its path."""

    def write(folder: str = TREEBANK.name, name: str = FILE, text: str = TEXT) -> Path:
        monkeypatch.setenv("SOLECISM_SOURCES", str(tmp_path / "mirror"))
        return write_mirror(tmp_path / "mirror", folder, name, text) / folder / name

    return write


def run(*arguments: str, code: int = 0) -> Result:
    """Fetch from the command line."""
    done = CliRunner().invoke(main, ["mine", "--fetch", *arguments])
    assert done.exit_code == code, done.output
    return done


@pytest.mark.usefixtures("one")
def test_a_file_is_downloaded_once_and_again_if_it_is_damaged(server: Server, cache: Path) -> None:
    server.files[ADDRESS] = TEXT.encode()
    shown: list[tuple[str, int, int]] = []
    (first,) = fetch("de", lambda *told: shown.append(told))
    (path,) = first.files
    assert path == cache / REF / "UD_German-Own" / FILE
    assert path.read_text(encoding="utf-8") == TEXT
    assert shown[-1] == (FILE, len(TEXT.encode()), len(TEXT.encode()))
    fetch("de")
    assert len(server.asked) == 1
    assert [found.origin for found in sources.treebanks("de")] == [TREEBANK]
    path.write_text("damaged", encoding="utf-8")
    fetch("de")
    assert path.read_text(encoding="utf-8") == TEXT


@pytest.mark.usefixtures("one")
def test_a_pinned_file_must_be_what_it_was(server: Server, cache: Path) -> None:
    server.files[ADDRESS] = (TEXT + "#").encode()
    with pytest.raises(InputError, match=f"its blob hash should be {TREEBANK.pins[0].blob}"):
        fetch("de")
    assert not list(cache.rglob("*.conllu"))
    server.files[ADDRESS] = TEXT.encode()
    (right,) = fetch("de")
    assert right.facts()["changed"] == []
    assert pin(FILE, TEXT, hashlib.sha256(TEXT.encode()).hexdigest()).fits(right.files[0])
    assert not pin(FILE, TEXT, "0" * 64).fits(right.files[0])


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize("breaks", [2, sources.TRIES])
def test_a_download_that_breaks_off(server: Server, cache: Path, breaks: int) -> None:
    """It is tried again; after the last try nothing is left behind."""
    server.files[ADDRESS], server.breaks = TEXT.encode(), breaks
    if breaks == sources.TRIES:
        with pytest.raises(InputError, match="cannot be downloaded from"):
            fetch("de")
        assert not [path for path in cache.rglob("*") if path.is_file()]
    (first,) = fetch("de")
    assert first.files[0].read_text(encoding="utf-8") == TEXT


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize("length", ["abc", "-1"])
def test_a_length_that_is_no_number(server: Server, length: str) -> None:
    server.files[ADDRESS], server.length = TEXT.encode(), length
    assert [path.name for source in fetch("de") for path in source.files] == [FILE]


@pytest.mark.usefixtures("one")
def test_an_answer_without_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.files[ADDRESS] = TEXT.encode()
    monkeypatch.setattr(sources, "MOST", len(TEXT) // 2)
    with pytest.raises(InputError, match=f"{FILE}: is larger than any pinned file"):
        fetch("de")
    assert len(server.asked) == 1


@pytest.mark.usefixtures("one")
def test_a_unimorph_list_that_is_not_there_is_only_told(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "gehen\tgeht\tV;IND;PRS;3;SG\n"
    pins = (pin("deu", text),)
    listed = Origin("UniMorph deu", "deu", "unimorph/deu", REF, "CC-BY-SA-3.0", pins)
    monkeypatch.setattr(catalogue, "lists", lambda: {"deu": listed})
    with pytest.raises(
        InputError, match=f"{FILE}: cannot be downloaded from {server.address}.*404"
    ):
        fetch("de")
    server.files[ADDRESS] = TEXT.encode()
    treebank, lost = fetch("de")
    assert treebank.lost == ""
    assert "404" in lost.lost
    told = "UniMorph deu: could not be downloaded, building without it"
    assert told in run("agreement", "de").output
    server.files[f"/unimorph/deu/{REF}/deu"] = text.encode()
    fetch("de")
    found = sources.lexicon("de")
    assert found is not None
    assert found.files[0].name == "deu"


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize("folder", ["UD_German-Own", "UD_German-Old"])
def test_a_mirror_is_used_and_nothing_is_downloaded(
    mirror: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Old names of treebanks are known."""
    path = mirror(folder)
    monkeypatch.setattr(sources, "urlopen", lambda *_, **__: pytest.fail("the network was touched"))
    (found,) = fetch("de")
    assert (found.origin, found.files, found.departures) == (TREEBANK, (path,), [])
    assert sources.found_languages() == ["de"]


@pytest.mark.usefixtures("one")
def test_a_mirror_with_other_bytes_is_told(mirror: Callable[..., Path]) -> None:
    mirror(f"ud/{TREEBANK.name}", text=TEXT + "#")
    (found,) = fetch("de")
    assert found.facts()["changed"] == [FILE]
    told = f"UD_German-Own: does not match the pinned checksum: {FILE}"
    assert told in run("agreement", "de").output


@pytest.mark.usefixtures("one")
def test_a_mirror_without_the_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLECISM_SOURCES", str(tmp_path))
    with pytest.raises(InputError, match=r"no treebanks of 'de' \(UD_German-Own\) in .*SOLECISM"):
        fetch("de")
    monkeypatch.setenv("SOLECISM_SOURCES", str(tmp_path / "absent"))
    with pytest.raises(InputError, match="names a folder that is not there"):
        fetch("de")


@pytest.mark.usefixtures("one")
def test_the_command_line(server: Server) -> None:
    server.files[ADDRESS] = TEXT.encode()
    shown = run("agreement", "de").output
    assert "right" in shown
    assert max(map(len, shown.splitlines())) <= 80 or "UD_German-Own:" in shown
    (told,) = json.loads(run("agreement", "de", "--json").output)
    assert told["treebank"] == "UD_German-Own"
    assert told["files"] == {FILE: hashlib.sha256(TEXT.encode()).hexdigest()}
    assert (told["ref"], told["commercial"]) == (REF, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agreement", "xx"], "there is no language 'xx' with treebanks"),
        (["clams"], "made from templates: there is nothing to fetch"),
        (["agrement"], "did you mean"),
    ],
)
def test_bad_requests(arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2).output


def test_every_language_of_the_paper_and_the_four_it_lost_have_treebanks() -> None:
    for code in [*PAPER.split(), "de", "cs", "es", "ar"]:
        assert code in languages()
        assert any(origin.redistributable for origin in treebanks_of(code)), code


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


@pytest.mark.usefixtures("one")
def test_a_pointer_of_git_lfs_is_told(
    mirror: Callable[..., Path], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    pointed = replace(TREEBANK, pins=(pin(FILE, POINTER),))
    monkeypatch.setattr(catalogue, "treebank_origins", lambda: (pointed,))
    server.files[ADDRESS] = POINTER.encode()
    with pytest.raises(InputError, match="the repository has a pointer of Git LFS there"):
        fetch("de")
    path = mirror(text=POINTER)
    with pytest.raises(InputError, match=r"test.conllu: is a pointer of Git LFS and not the file"):
        mine(path, language="de")


@pytest.mark.parametrize("names", [("unimorph/fin.1", "unimorph/fin.2"), ("../unimorph/fin",)])
def test_lists_are_in_the_mirror_or_beside_it_whole_or_in_parts(
    mirror: Callable[..., Path], names: tuple[str, ...]
) -> None:
    mirror("UD_Finnish-TDT", "fi_tdt-ud-test.conllu")
    assert sources.lexicon("finnish") is None
    for number, name in enumerate(names):
        text = f"# a comment\r\ntalo\ttalo{number}\tN;NOM;SG\r\nx\tx\tNO;SUCH;TAG\r\n"
        mirror(*name.rsplit("/", 1), text)
    found = sources.lexicon("finnish")
    assert found is not None
    assert found.facts()["treebank"] == "UniMorph fin"
    assert [path.name for path in found.files] == [Path(name).name for name in names]
    words = read_inventory("fi", [], found).unimorph
    assert words is not None
    assert [word.form for word in words] == [f"talo{n}" for n in range(len(names))]


def test_every_list_is_found_by_the_code_of_its_language() -> None:
    found = {code: catalogue.list_of(code) for code in catalogue.origin_languages()}
    names = {code: origin.name for code, origin in found.items() if origin}
    assert sources.lexicon(next(code for code in found if code not in names)) is None
    assert len(names) > 80
    assert [names[code].removeprefix("UniMorph ") for code in ("hr", "sr", "qpm", "no", "sq")] == [
        "hbs", "hbs", "poma", "nob", "sqi",
    ]  # fmt: skip
    assert {o.name for o in lists().values()} >= {"UniMorph vep", "UniMorph olo"}


def test_commercial_leaves_out_what_is_nc(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = replace(TREEBANK, name="UD_German-AAA", licence="CC-BY-NC-4.0", commercial=False)
    monkeypatch.setattr(catalogue, "treebank_origins", lambda: (closed, TREEBANK))
    monkeypatch.setattr(catalogue, "lists", dict)
    assert [o.name for o in treebanks_of("de")] == ["UD_German-Own", "UD_German-AAA"]
    server.files[ADDRESS] = TEXT.encode()
    assert "UD_German-AAA" not in run("agreement", "german", "--commercial").output
