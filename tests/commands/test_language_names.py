"""Every command takes a language by its code, ISO 639-3, script or English name."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import solecism
from release import CHECKOUT, TREEBANKS, small_root
from solecism.commands import main
from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.from_templates import tags_of_config, templates_of_configs
from solecism.datasets.manifest import read_manifest
from solecism.language_tags import iso_of, language_name, tags_of
from solecism.root import Root
from solecism.works.catalogue import origin_languages


def run(root: Root, *arguments: object, code: int = 0) -> str:
    asked = CliRunner(env={"SOLECISM_ROOT": str(root.path)}).invoke(main, list(map(str, arguments)))
    assert asked.exit_code == code, asked.output
    return asked.output


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """A root with a French paradigm; below it, ``built/clams`` is built."""
    root = small_root(tmp_path_factory.mktemp("root"), "fr")
    run(root, "build", "clams", "fra_Latn", "--out", root.path / "built" / "clams")
    return root


def test_the_manifest_and_the_card_have_the_tags(root: Root) -> None:
    built = root.path / "built" / "clams"
    config = read_manifest(built).raw["configs"]["fr"]
    assert (config["iso639_3"], config["language_tags"]) == (["fra"], ["fra_Latn"])
    assert "language_details: fra_Latn\n" in (built / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["fra", "fra_Latn", "French"])
@pytest.mark.parametrize(
    "words",
    [
        "list clams/{}", "check clams/{}/simple_agrmt", "check clams/{}", "check lexicons/{}",
        "show clams/{}/simple_agrmt", "show built/clams/{}", "convert built/clams/{} out.csv",
        "convert built/clams/{}/simple_agrmt out.csv", "judge new built/clams/{} --out study",
        "audit built/clams/{} --language {}", "audit built/clams/{}/simple_agrmt --language fr",
        "new own/{}/x --like clams/{}/simple_agrmt", "mine T/relations.conllu --language {}",
        "mine T/relations.conllu --profile --language {}",
    ],
)  # fmt: skip
def test_a_command_with_a_name(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, name: str
) -> None:
    (tmp_path / "built").symlink_to(root.path / "built")
    (tmp_path / "T").symlink_to(TREEBANKS)
    monkeypatch.chdir(tmp_path)
    shown = run(root, *(word.format(name) for word in words.split()))
    assert not re.search(r"\bfra\b|fra_Latn", shown) or words.startswith("show built")


def test_names_in_python(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLECISM_DATA", str(root.path / "built"))
    assert len(solecism.load("clams", "fra_Latn")) == len(solecism.load("clams", "fr"))


def test_an_unknown_name_gets_candidates(root: Root) -> None:
    told = run(root, "build", "clams", "fra_Cyrl", code=2)
    assert "data set 'clams' has no config 'fra_Cyrl'" in told
    assert "configs: fr" in told
    told = run(root, "list", "agreement/deu_Latm", code=2)
    assert "has no config 'deu_Latm' (did you mean 'deu latn'?" in told


def test_every_language_has_tags() -> None:
    checkout = Root(CHECKOUT)
    for code in (*origin_languages(), *checkout.languages):
        assert re.fullmatch("[a-z]{3}", iso_of(code) or "")
        assert language_name(code) != code
        assert all(re.fullmatch("[a-z]{3}_[A-Z][a-z]{3}", tag) for tag in tags_of([code])) > 0
    entry = catalogue_entry(checkout, "mandarin")
    configs = templates_of_configs(checkout, entry)
    tags = {name: tags_of_config(entry, name, some) for name, some in configs.items()}
    assert {name for name, some in tags.items() if some == ("zho_Hant",)} == {
        "traditional", "pairs_traditional",
    }  # fmt: skip
    assert {*tags.values()} == {("zho_Hans",), ("zho_Hant",)}


def test_the_table_of_the_documentation_has_them() -> None:
    lines = (CHECKOUT / "docs" / "languages.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t")[:4] for line in lines[1:]]
    assert rows == [
        [code, iso_of(code), " ".join(tags_of([code])), language_name(code)] for code, *_ in rows
    ]
