"""Models behind a completions server: the numbers of the model, and servers that misbehave."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import solecism
from causal_models import save_model
from completions import Answer, Completions, serving
from masked_models import pairs
from solecism.commands import main
from solecism.errors import InputError
from solecism.scoring.engines import server

OK = b"HTTP/1.0 200 OK\r\n\r\n"
JSON = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
ROWS = [
    ("The author near the pilots laughs.", "The author near the pilots laugh."),
    ("Les gérants rient fort.", "Les gérants rit fort."),
    ("הסופרים צוחקים היום.", "הסופרים צוחק היום."),
    ("他养了一只白猫。", "他养了一条白猫。"),
    ("Кто-то живёт в городе.", "Кто-то живут в городе."),
    ("The author near the pilots laughs.", "The authors near the pilots laughs."),
]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``some.parquet``, and the model ``tiny``."""
    folder = tmp_path_factory.mktemp("server")
    save_model(folder / "tiny", [text for row in ROWS[:2] for text in row], positions=512)
    prefixes = ["The author near the pilots ", "Les gérants ", "הסופרים ", None, None, None]
    words = [("laughs", "laugh"), ("rient", "rit"), ("צוחקים", "צוחק"), *[(None, None)] * 3]
    rows = [(*row, start, *two) for row, start, two in zip(ROWS, prefixes, words, strict=True)]
    pq.write_table(pairs(rows), folder / "some.parquet")
    return folder


@pytest.fixture(autouse=True)
def quick(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    monkeypatch.setattr(server, "RETRIES", 0)
    for name in server.KEYS:
        monkeypatch.delenv(name, raising=False)


@contextmanager
def reading(state: Completions) -> Iterator[server.ServerReader]:
    with serving(state) as name:
        yield server.open_server(name)


def margins(result: Any) -> list[float | None]:
    found: list[float | None] = result.table["margin"].to_pylist()
    return found


@pytest.mark.parametrize("bos", ["auto", "never"])
@pytest.mark.parametrize("method", ["sentence", "one_prefix"])
@pytest.mark.parametrize("state", [{}, {"smallest": 1}, {"style": "vllm"}])
def test_the_numbers_are_those_of_the_model(
    tmp_path: Path, bos: str, method: str, state: dict[str, Any]
) -> None:
    options = {"method": method, "out": tmp_path}
    wanted = solecism.score("some.parquet", "tiny", bos=bos, **options)
    with serving(Completions(Path("tiny"), bos=bos == "auto", **state)) as name:
        found = solecism.score("some.parquet", name, **options)
    assert margins(found) == pytest.approx(margins(wanted), abs=1e-5)
    ours, theirs = (result.table["logp_good"].to_pylist() for result in (found, wanted))
    assert ours == pytest.approx(theirs, abs=1e-5)
    columns = ["tokens_good", "tokens_bad", "skipped"]
    assert found.read(columns).equals(wanted.read(columns))
    begins = "server" if bos == "auto" else "server-none"
    assert f"|bos:{begins}|model:tiny|dtype:server|" in found.signature
    assert found.summary["environment"]["device"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize("method", ["in_template", "yes_no", "both"])
def test_a_server_is_asked_with_prompts(tmp_path: Path, method: str) -> None:
    options = {"method": method, "out": tmp_path, "prompt": "en/"}
    wanted = solecism.score("some.parquet", "tiny", **options)
    with serving(Completions(Path("tiny"))) as name:
        found = solecism.score("some.parquet", name, **options)
    assert margins(found) == pytest.approx(margins(wanted), abs=1e-4)


def change(column: str, to: Any, later: bool = False) -> Any:
    """Change a column of all choices, or (``later``) of those that are no probes."""

    def fault(state: Completions, answer: Answer) -> Answer:
        for choice in answer["choices"]:
            if choice.get("logprobs") and not (later and state.asked[-1] in server.PROBES):
                choice["logprobs"][column] = to(choice["logprobs"][column])
        return answer

    return fault


def changed(to: Any) -> Any:
    """Change all choices of answers that are no probes."""

    def fault(state: Completions, answer: Answer) -> Answer:
        probed = state.asked[-1] in server.PROBES
        return answer if probed else {**answer, "choices": to(answer["choices"])}

    return fault


LATER = [
    (change("token_logprobs", lambda v: [0.0] * len(v)), "returns 0.0 for every token"),
    (change("token_logprobs", lambda v: v[:-1]), "returns no log probabilities"),
    (change("token_logprobs", lambda v: [None] * len(v)), "returns null"),
    (change("token_logprobs", lambda v: [*v[:-1], 0.5], later=True), "above 0"),
    (change("token_logprobs", lambda v: [*v[:-1], -math.inf], later=True), "not finite"),
    (change("token_logprobs", lambda v: [*v[:-2], -1e308, -1e308], later=True), "not finite"),
    (change("tokens", lambda v: [*v[:1], "a", *v[3:], "b"], later=True), "are not the text"),
    (change("tokens", lambda v: ["\ufffd"] * len(v), later=True), "are not the text"),
    (changed(lambda cs: [{k: v for k, v in c.items() if k != "index"} for c in cs]), "not give one answer"),
    (changed(lambda cs: cs * 2), "not give one answer to each of 5 prompts"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "message"),
    [
        *(({"fault": fault}, message) for fault, message in LATER),
        ({"style": "none"}, "returns no log probabilities of the prompt: it cannot score"),
        ({"fault": lambda _, answer: [1]}, "not give one answer to each"),
        ({"raw": OK + b"<html>hello"}, "not give one answer to each of 3 prompts ('<html>hello')"),
        ({"raw": JSON + b"[" * 200_000}, "does not answer (RecursionError)"),
        ({"raw": b""}, "does not answer (APIConnectionError)"),
        ({"statuses": [(500, {})] * 400}, "answers 500: 'not now'"),
    ],
)
def test_servers_that_cannot_score_are_told(
    tmp_path: Path, state: dict[str, Any], message: str
) -> None:
    arguments = ["score", "some.parquet", "--out", str(tmp_path / "out"), "--model"]
    with serving(Completions(Path("tiny"), **state)) as name:
        done = CliRunner().invoke(main, [*arguments, name])
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_the_same_for_all_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    same = change("token_logprobs", lambda v: [None] + [-1.0] * (len(v) - 1))
    monkeypatch.setattr(server, "PROBES", ("Aab.", "Bba.", "Cca."))
    state = Completions(None, fault=same, bos=False)
    with pytest.raises(InputError, match="same log probabilities for different"), reading(state):
        pass


@pytest.mark.parametrize(
    ("raw", "drip"),
    [
        (OK + b" " * (1 << 16), 0),
        (OK + b" " * 1000, 0.05),
        (OK.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n"), 0),
    ],
    ids=["large", "slow", "packed"],
)
def test_an_answer_has_to_end(monkeypatch: pytest.MonkeyPatch, raw: bytes, drip: float) -> None:
    monkeypatch.setattr(server, "LARGEST", 1 << 15)
    monkeypatch.setattr(server, "SECONDS", 0.5 if drip else 5)
    state = Completions(None, raw=raw, drip=drip)
    with pytest.raises(InputError, match="does not answer"), reading(state):
        pass
    assert len(state.asked) <= 1


def test_a_silent_server_is_not_asked_in_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SECONDS", 0.1)
    state = Completions(None, latency=0.5)
    with pytest.raises(InputError, match=r"does not answer \(APITimeout"), reading(state):
        pass
    assert len(state.asked) <= 1


def test_what_passes_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "RETRIES", 3)
    state = Completions(None, statuses=[(500, {}), (429, {"Retry-After": "0.01"}), (503, {})])
    with reading(state) as reader:
        assert len(reader.encode(["One two.", "Three."])) == 2


def test_keys_are_sent_and_appear_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = Completions(Path("tiny"), key="s3cr3t-key")
    with serving(state) as name:
        with pytest.raises(InputError, match=r"wants a key \(\$SOLECISM_API_KEY\)"):
            server.open_server(name)
        monkeypatch.setenv("OPENAI_API_KEY", "other-key")
        with pytest.raises(InputError, match="refuses the key") as refused:
            server.open_server(name)
        assert "other-key" not in str(refused.value)
        monkeypatch.setenv("SOLECISM_API_KEY", "s3cr3t-key")
        found = solecism.score("some.parquet", name, out=tmp_path)
    assert state.headers["Authorization"] == "Bearer s3cr3t-key"
    assert "s3cr3t" not in found.path.read_text() + repr(found)


@pytest.mark.parametrize(
    "state",
    [
        {"models": ["sk-0123456789", "b"]},
        {"statuses": [(418, {})] * 40, "said": "no sk-0123456789 here"},
        {"fault": change("tokens", lambda v: ["sk-0123456789"] * len(v))},
        {"raw": OK + b"sk-0123456789"},
    ],
)
def test_a_key_is_not_shown_where_a_server_says_it(
    monkeypatch: pytest.MonkeyPatch, state: dict[str, Any]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    with serving(Completions(Path("tiny"), **state)) as name, pytest.raises(InputError) as refused:
        server.open_server(name.partition("#")[0])
    assert "sk-0" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("localhost", "is not of the form openai:http://HOST:PORT/v1#NAME"),
        ("http://host:99999/v1#a", "is not of the form"),
        ("http://[::1]:9/v1#a", "does not answer"),
        ("http://me:secret@host/v1#a", "a key does not belong into the name"),
        ("http://host/v1?api_key=secret#a", "a key does not belong into the name"),
        ("http://host/secret/v1#a", "a key does not belong into the name"),
    ],
)
def test_names_that_are_none(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with pytest.raises(InputError, match=message) as refused:
        server.open_server(f"openai:{name}")
    assert "secret" not in str(refused.value)


def test_the_name_of_the_model() -> None:
    with serving(Completions(None)) as name:
        assert server.open_server(name.partition("#")[0]).name == "tiny"
        with pytest.raises(InputError, match=r"has no model 'tny' \(did you mean 'tiny'"):
            server.open_server(name.replace("#tiny", "#tny"))


def test_a_server_has_no_ngram_model(tmp_path: Path) -> None:
    with (
        serving(Completions(Path("tiny"))) as name,
        pytest.raises(InputError, match="is no n-gram model"),
    ):
        solecism.score("some.parquet", name, method="ngram", out=tmp_path)


def test_what_a_server_decides_cannot_be_chosen() -> None:
    for option in ({"bos": "never"}, {"eos": True}, {"dtype": "bfloat16"}, {"revision": "main"}):
        with pytest.raises(InputError, match="is what a server decides"):
            solecism.score("some.parquet", "openai:http://127.0.0.1:9/v1#x", **option)
    for method, name in (("both", "chat"), ("one_prefix", "word_correction")):
        with pytest.raises(InputError, match=f"{name} is what a server decides, or does not tell"):
            solecism.score(
                "some.parquet", "openai:http://127.0.0.1:9/v1#x", method=method, **{name: True}
            )


@pytest.mark.parametrize(
    ("text", "pieces", "places"),
    [
        ("他养。", ["\ufffd", "\ufffd", "养", "。", "more"], [(0, 1), (0, 1), (1, 2), (2, 3)]),
        ("הס", ["\ufffd"] * 4, [(0, 1), (0, 1), (1, 2), (1, 2)]),
        ("הס", ["\ufffd"] * 3, [(0, 2)] * 3),
        ("It is.", [" It", " is", "."], [(0, 2), (2, 5), (5, 6)]),
    ],
)
def test_pieces_of_characters_have_places(
    text: str, pieces: list[str], places: list[tuple[int, int]]
) -> None:
    with reading(Completions(Path("tiny"))) as reader:
        found = reader.place(text, [("<s>", None), *((piece, -1.0) for piece in pieces)])
    assert [place[:2] for place in found] == places
