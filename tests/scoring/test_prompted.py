"""Tuned models asked with prompts: methods against a plain loop, prompts, what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import solecism
from causal_models import by_hand, save_model
from masked_models import loaded as masked
from solecism.commands import main
from solecism.inputs import read_toml
from solecism.scoring.methods import prompted
from solecism.scoring.models import Loaded, load_model
from solecism.scoring.results import Result

PROMPTS = sorted(Path(prompted.__file__).parents[1].glob("prompts/*.toml"))
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}{% endfor %}"
    "{% if add_generation_prompt %}[model]{% endif %}"
)
TEXTS = [
    "Le chat dort ici.", "Le chat dorment ici.", "Les chats dorment.", "Les chats dort.", "Ja", "Oui",
]  # fmt: skip
PAIRS = [
    {"sentence_good": good, "sentence_bad": bad, "language": "fr"}
    for good, bad in zip(TEXTS[:4:2], TEXTS[1:4:2], strict=True)
]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """A tiny model with a chat template, and positions enough for prompts."""
    folder = tmp_path_factory.mktemp("prompted") / "tiny"
    save_model(folder, TEXTS, positions=512)
    model = load_model(str(folder))
    model.tokenizer.chat_template = TEMPLATE
    model.tokenizer.save_pretrained(folder)
    return load_model(str(folder))


def scored(loaded: Loaded, method: str, pairs: Any = PAIRS, **options: Any) -> Result:
    return solecism.score(pairs, loaded.name, method=method, again=True, **options)


def french() -> dict[str, Any]:
    return read_toml(next(path for path in PROMPTS if path.stem == "fr"))


def answer(loaded: Loaded, before: str, prefix: list[int]) -> float:
    yes, no = (by_hand(loaded, before + text, prefix) for text in french()["answers"])
    return yes - no


@pytest.mark.parametrize("chat", [False, True])
@pytest.mark.parametrize("engine", ["tree", "plain", "loop"])
def test_in_template_is_log_p_after_a_text(loaded: Loaded, chat: bool, engine: str) -> None:
    text = french()["in_template"]["acceptable"]
    before, prefix = (f"<s>[user]{text}[model]", []) if chat else (f"{text}\n\n", [0])
    rows = scored(loaded, "in_template", chat=chat, engine=engine).table.to_pylist()
    for row, pair in zip(rows, PAIRS, strict=True):
        for side in ("good", "bad"):
            whole = by_hand(loaded, before + pair[f"sentence_{side}"], prefix)
            wanted = whole - by_hand(loaded, before, prefix)
            assert row[f"logp_{side}"] == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("chat", [False, True])
def test_yes_no_is_log_p_of_one_answer_less_that_of_the_other(loaded: Loaded, chat: bool) -> None:
    """French answers are several tokens here: these are added."""
    texts = french()
    rows = scored(loaded, "yes_no", chat=chat).table.to_pylist()
    for row, pair in zip(rows, PAIRS, strict=True):
        for side in ("good", "bad"):
            said = f"{texts['yes_no']['acceptable']}\n\n{pair[f'sentence_{side}']}"
            before, prefix = (said + texts["cue"], [0])
            if chat:
                before, prefix = f"<s>[user]{said}[model]", []
            wanted = answer(loaded, before, prefix)
            assert row[f"logp_{side}"] == pytest.approx(wanted, abs=1e-3)


def test_both_lets_all_prompts_vote(loaded: Loaded, tmp_path: Path) -> None:
    texts = french()
    names = [(kind, name) for kind in ("in_template", "yes_no") for name in texts[kind]]
    found = [scored(loaded, k, PAIRS, prompt=n, out=tmp_path / k / n).table for k, n in names]
    wanted = sum(table["decision"].to_numpy() for table in found)
    table = scored(loaded, "both").table
    assert table["logp_good"].to_pylist() == wanted.tolist()
    assert np.allclose(table["margin"].to_numpy(), 2 * wanted - len(names))
    assert table["decision"].to_pylist() == (wanted > len(names) / 2).tolist()
    two = scored(loaded, "both", prompt="acceptable")
    votes = [found[names.index((kind, "acceptable"))] for kind in ("in_template", "yes_no")]
    halves = [sum(v) / 2 for v in zip(*(t["decision"].to_pylist() for t in votes), strict=True)]
    assert two.table["decision"].to_pylist() == halves  # a half where they disagree


def test_signatures_name_the_prompt_and_its_digest(loaded: Loaded) -> None:
    plain, chat, english = (
        scored(loaded, "yes_no", **given).run["options"]
        for given in ({}, {"chat": True}, {"prompt": "en/native"})
    )
    assert re.fullmatch(r"fr/acceptable#[0-9a-f]{8}", plain["prompt"])
    assert chat["chat"] == "yes"
    assert chat["prompt"] != plain["prompt"]
    assert english["prompt"].startswith("en/native#")
    assert scored(loaded, "both").run["options"]["prompt"].startswith("fr/all#")
    result = scored(loaded, "yes_no")
    assert "normalised" not in result.summary  # no sums over the tokens of sentences


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_prompts_of_a_language(path: Path) -> None:
    texts, english = (read_toml(p, prompted._SHAPE) for p in (path, path.with_name("en.toml")))
    for kind in ("in_template", "yes_no"):
        assert list(texts[kind]) == list(english[kind])
    assert all(word in text for text in texts["yes_no"].values() for word in texts["answers"])
    assert len(set(texts["answers"])) == 2


def test_what_has_no_prompts_is_refused(
    loaded: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in one line, with exit code 2 and without a result."""
    save_model(tmp_path / "plain", TEXTS, positions=512)
    for name, language in (("fr", "fr"), ("xx", "xx"), ("none", "")):
        pair = {**PAIRS[0], "language": language}
        (tmp_path / f"{name}.json").write_text(json.dumps([pair]), encoding="utf-8")
    two = [{**PAIRS[0], "language": language, "id": language} for language in ("fr", "en")]
    (tmp_path / "two.json").write_text(json.dumps(two), encoding="utf-8")
    cases = [
        ("two.json", loaded.name, [], "pairs in 'fr' and 'en'"),
        (
            "fr.json",
            loaded.name,
            ["--prompt", "acceptabel"],
            "has no prompt 'acceptabel' .*acceptable",
        ),
        ("xx.json", loaded.name, [], "no prompts in the language 'xx'"),
        ("none.json", loaded.name, [], "no prompts in the language ''"),
        ("fr.json", str(tmp_path / "plain"), ["--chat"], "has no chat template"),
        ("fr.json", masked("bert").name, [], "is not for masked models"),
    ]
    monkeypatch.chdir(tmp_path)
    for data, model, more, message in cases:
        arguments = ["score", data, "--model", model, "--method", "yes_no", *more]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 2, result.output
        assert re.search(message, " ".join(result.output.split())), result.output
        assert not list(tmp_path.glob("results/*"))
    named = scored(loaded, "yes_no", "none.json", prompt="en/")
    assert named.run["options"]["prompt"].startswith("en/acceptable#")


@pytest.mark.parametrize("template", ["{{ raise_exception('no') }}", "{{ 1 / 0 }}", "[user]"])
def test_a_chat_template_that_fails_is_told(loaded: Loaded, template: str) -> None:
    model = load_model(loaded.name)
    model.tokenizer.chat_template = template
    with pytest.raises(solecism.InputError, match="the chat template of model"):
        solecism.score(PAIRS, model.model, tokenizer=model.tokenizer, method="both", chat=True)
