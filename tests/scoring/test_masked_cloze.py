"""Cloze: right fillers against wrong ones, by the function and by ``solecism score``."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from cloze_items import ITEMS, cloze_item, forms
from folders import write_tables
from masked_models import loaded, log_probs, reader
from solecism.commands import main
from solecism.errors import InputError
from solecism.schema import CLOZE
from solecism.scoring.engines.masked import open_masked
from solecism.scoring.items import open_items
from solecism.scoring.methods.cloze import (
    read_forms,
    score_cloze,
    wrong_sentences,
)
from tiny import edit

SETS = {
    "Sing": (["laughs", "rit", "צוחק", "живёт"], ["laugh", "rient", "צוחקים", "живут"]),
    "nouns": (["pilots", "authors", "near"], ["author"]),
}


def cloze(kind: str, items: list[dict[str, Any]], **options: Any) -> pa.Table:
    table = pa.Table.from_pylist(items, schema=CLOZE)
    return pa.concat_tables(score_cloze([table], forms(), reader(kind), **{"fewest": 1, **options}))


def plain(kind: str, one: dict[str, Any], words: list[str]) -> list[float]:
    """Log P of words at a mask, each the token that it is after a blank; others are left out."""
    model = loaded(kind)
    start = one["text"].index(one["answer"])
    end = start + len(one["answer"])
    text = one["text"][:start] + model.tokenizer.mask_token + one["text"][end:]
    ids = model.tokenizer(text)["input_ids"]
    found = log_probs(model, ids, ids.index(model.tokenizer.mask_token_id))
    before = model.tokenizer("The" if start else "")["input_ids"][:-1]
    tokens = [model.tokenizer(f"The {w}" if start else w)["input_ids"][:-1] for w in words]
    return [found[t[-1]].item() for t in tokens if t[:-1] == before and len(t) == len(before) + 1]


@pytest.mark.parametrize("kind", ["bert", "roberta", "albert", "xlm-roberta"])
@pytest.mark.parametrize("number", [0, 1, 3, 4, 5])
def test_equals_the_plain_loop(kind: str, number: int) -> None:
    scores = cloze(kind, ITEMS).slice(number, 1)
    right, wrong = SETS["nouns" if number == 5 else "Sing"]
    sides = {"good": right, "bad": wrong} if number != 3 else {"good": wrong, "bad": right}
    for side, words in sides.items():
        found = plain(kind, ITEMS[number], words)
        mean = math.log(sum(map(math.exp, found)) / len(found))
        assert scores[f"logp_{side}"][0].as_py() == pytest.approx(mean, abs=1e-4)
        assert scores[f"tokens_{side}"][0].as_py() == len(found)
    assert scores["method"].to_pylist() == ["cloze"]


def test_few_fillers_are_skipped() -> None:
    scores = cloze("bert", ITEMS, fewest=4)
    assert scores["skipped"].to_pylist() == [None, None, "few fillers", None, None, "few fillers"]
    assert set(cloze("bert", ITEMS, fewest=10)["skipped"].to_pylist()) == {"few fillers"}


def test_two_forms() -> None:
    items = [
        ITEMS[0],
        cloze_item("The author ", "laughs", ".", lemma="nothing"),
        cloze_item("The author ", "laughs", ".", lemma="nothing", candidates=0),
        cloze_item("The author ", "extraordinarily", ".", lemma="laugh"),
    ]
    row, *others = cloze("bert", items, two_forms=True).to_pylist()
    right, wrong = plain("bert", ITEMS[0], ["laughs", "laugh"])
    assert row["method"] == "cloze:two_forms"
    assert (row["logp_good"], row["logp_bad"]) == pytest.approx((right, wrong), abs=1e-4)
    reasons = ["no other form", "no candidate", "multi-piece"]
    assert [other["skipped"] for other in others] == reasons


def test_two_forms_need_lemmas() -> None:
    table = pa.Table.from_pylist(ITEMS, schema=CLOZE)
    bare = forms("form", "upos", "feats", "source")
    assert len(list(score_cloze([table], bare, reader("bert")))) == 1
    with pytest.raises(InputError, match="no column 'lemma'"):
        list(score_cloze([table], bare, reader("bert"), two_forms=True))


ABSOLUTIVE = "Number[abs]=Sing|Number[erg]=Plur|Person[abs]=3|Person[erg]=1"


@pytest.mark.parametrize(
    ("relation", "layer", "masked", "upos", "controller", "target", "names", "right", "wrong"),
    [
        ("object", "abs", "target", "VERB", "Case=Abs|Number=Sing", ABSOLUTIVE, ["Number"],
         ABSOLUTIVE, "Number[abs]=Plur|Number[erg]=Plur|Person[abs]=3|Person[erg]=1"),
        ("verb", "erg", "target", "VERB", "Case=Erg|Number=Plur|Person=1|PronType=Prs", ABSOLUTIVE,
         ["Number", "Person"], ABSOLUTIVE,
         "Number[abs]=Sing|Number[erg]=Plur|Person[abs]=3|Person[erg]=2"),
        ("possessor", "psor", "target", "NOUN", "Number=Sing|Person=1|PronType=Prs",
         "Number=Plur|Number[psor]=Sing|Person[psor]=1", ["Number", "Person"],
         "Number=Plur|Number[psor]=Sing|Person[psor]=1", "Number=Plur|Number[psor]=Plur"),
        ("object", "abs", "controller", "NOUN", "Case=Abs|Number=Sing", ABSOLUTIVE, ["Number"],
         "Number=Sing", "Number=Plur"),
        ("verb", "", "target", "VERB", "Number=Sing", "Person=3", ["Person"], "Person=3", "Person=1"),
        ("verb", "", "controller", "NOUN", "Number=Sing", "Number=Sing|Person=3",
         ["Number", "Person"], "Number=Sing", "Number=Plur"),
    ],
)  # fmt: skip
def test_features_are_compared_in_the_layer_of_the_target_and_a_noun_is_third_person(
    relation: str, layer: str, masked: str, upos: str, controller: str, target: str,
    names: list[str], right: str, wrong: str,
) -> None:  # fmt: skip
    ends = {"controller": controller, "target": target}
    item = cloze_item(
        "x ", "good", ".", relation=relation, layer=layer, masked=masked, upos=upos, lemma="be",
        agrees_in=names, feats=right,
        **{end: {"form": "y", "lemma": "y", "feats": feats, "index": 1} for end, feats in ends.items()},
    )  # fmt: skip
    rows = {"form": ["good", "right", "wrong", "silent"], "upos": [upos] * 4, "lemma": ["be"] * 4}
    table = pa.table({**rows, "feats": [right, right, wrong, ""]})
    ((_, found),) = wrong_sentences(pa.Table.from_pylist([item], schema=CLOZE), table)
    assert found == ["x wrong."]


def test_a_wrong_form_differs_in_what_decides_alone() -> None:
    """*Voitures* is compared with *voiture*, not with forms of another case or voice."""
    end = {"form": "y", "lemma": "y", "feats": "Number=Plur", "index": 1}
    more = {"upos": "NOUN", "lemma": "be", "agrees_in": ["Number"], "decides": ["Number"]}
    item = cloze_item("x ", "good", ".", feats="Case=Nom|Number=Plur", controller=end, target=end,
                      **more)  # fmt: skip
    forms = {"wrong": "Case=Nom|Number=Sing", "other": "Case=Gen|Number=Sing",
             "passive": "Case=Nom|Number=Sing|Voice=Pass", "good": "Case=Nom|Number=Plur"}  # fmt: skip
    table = pa.table({"form": [*forms], "upos": ["NOUN"] * 4, "lemma": ["be"] * 4,
                      "feats": [*forms.values()]})  # fmt: skip
    ((_, found),) = wrong_sentences(pa.Table.from_pylist([item], schema=CLOZE), table)
    assert found == ["x wrong."]


def test_a_variant_of_spelling_is_no_wrong_form() -> None:
    end = {"form": "y", "lemma": "y", "feats": "Number=Plur", "index": 1}
    item = cloze_item(
        "x ", "нꙋжныхъ", ".", language="orv", upos="ADJ", lemma="нужныи", agrees_in=["Number"],
        feats="Number=Plur", controller=end, target=end,
    )  # fmt: skip
    forms = ["нꙋжныхъ", "нѹжныхъ", "нꙋжнаго"]
    rows = {"form": forms, "upos": ["ADJ"] * 3, "lemma": ["нужныи"] * 3}
    table = pa.table({**rows, "feats": ["Number=Plur", "Number=Sing", "Number=Sing"]})
    ((_, found),) = wrong_sentences(pa.Table.from_pylist([item], schema=CLOZE), table)
    assert found == ["x нꙋжнаго."]


def test_a_text_without_the_answer_is_refused() -> None:
    with pytest.raises(InputError, match="not left \\+ answer \\+ right"):
        cloze("bert", [cloze_item("The author ", "laughs", ".", text="Something else.")])


def test_features_that_are_misspelt_are_refused() -> None:
    broken = {"form": "a", "lemma": "a", "feats": "Number", "index": 1}
    with pytest.raises(InputError, match="'Number' is not of the form"):
        cloze("bert", [cloze_item("The author ", "laughs", ".", controller=broken)])
    table = pa.table({"form": ["a"], "upos": ["VERB"], "feats": ["Number"]})
    with pytest.raises(InputError, match="form 'a'"):
        read_forms(table)


def test_too_long_for_the_positions() -> None:
    scores = cloze("bert", [cloze_item("The author " * 30, "laughs", ".")])
    assert scores["skipped"].to_pylist() == ["too long"]


def test_logits_that_are_not_numbers_name_the_item() -> None:
    model = loaded("bert")
    weights = model.model.cls.predictions.bias
    kept = weights.detach().clone()
    weights.data[3] = float("nan")
    try:
        table = pa.Table.from_pylist(ITEMS[:1], schema=CLOZE)
        with pytest.raises(InputError, match=r"item 'The author \|laughs'"):
            list(score_cloze([table], forms(), open_masked(replace(model)), fewest=1))
    finally:
        weights.data.copy_(kept)


@pytest.fixture
def mined(tmp_path: Path) -> Path:
    """A data set of items in config ``xx`` and their forms in ``xx-forms``, twelve more of each
    kind."""
    more = [
        {"form": text, "upos": "VERB", "feats": f"Number={n}", "lemma": text, "source": "UD"}
        for n, words in (("Sing", "TheauthorLpilots"), ("Plur", "nearofWhtody"))
        for text in words
    ]
    inventory = pa.concat_tables([forms(), pa.Table.from_pylist(more)], promote_options="default")
    items = pa.Table.from_pylist(ITEMS, schema=CLOZE)
    return write_tables(tmp_path / "agreement", {"xx": items, "xx-forms": inventory})


def score(mined: Path, *options: str) -> Result:
    model = loaded("bert").name
    out = str(mined.parent / "results")
    return CliRunner().invoke(
        main, ["score", f"{mined}/xx", "--model", model, "--out", out, *options]
    )


def table_of(mined: Path, config: str) -> pa.Table:
    return pq.read_table(next((mined / config).glob("*.parquet")))


@pytest.mark.parametrize("method", ["cloze", "cloze:two_forms"])
def test_the_command_gives_what_the_function_gives(mined: Path, method: str) -> None:
    done = score(mined, *(["--json"] if method == "cloze" else ["--method", method]))
    assert done.exit_code == 0, done.output
    [path] = (mined.parent / "results").glob("*.json")
    inventory = table_of(mined, "xx-forms")
    digest = open_items(f"{mined}/xx-forms").digest
    assert f"|score:{method}|forms:{digest[:8]}|" in json.loads(path.read_text())["signature"]
    items = table_of(mined, "xx")
    tables = score_cloze([items], inventory, reader("bert"), two_forms=method != "cloze")
    wanted, found = pa.concat_tables(tables), pq.read_table(path.with_suffix(".parquet"))
    assert found["id"].equals(items["id"])
    assert set(found["method"].to_pylist()) == {method}
    assert found["skipped"].to_pylist() == wanted["skipped"].to_pylist()
    for side in ("logp_good", "logp_bad"):
        assert found[side].to_pylist() == pytest.approx(wanted[side].to_pylist(), nan_ok=True)


def test_items_without_their_forms_are_told(mined: Path) -> None:
    edit(mined / "manifest.json", '"xx-forms": {', '"yy-forms": {')
    done = score(mined)
    assert done.exit_code == 2
    assert "has no config 'xx-forms'" in done.output
