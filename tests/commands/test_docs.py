"""The pages: what they say to do works as written, and their links lead somewhere."""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from itertools import combinations, groupby
from pathlib import Path

import click
import pyarrow.parquet as pq
import pytest

from causal_models import save_model
from release import CHECKOUT
from solecism.commands import main
from solecism.datasets.from_templates import find_paradigm
from solecism.datasets.lock import lock_path, read_lock
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.template import read_templates
from solecism.lexicon.table import main_name
from solecism.root import Root

_BLOCK = re.compile(r"^```(sh|file|python)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:^|[\n`] *)(?:\.venv/bin/)?(solecism (?!result)[a-z](?:\\\n|[^`\n])*)")
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in CHECKOUT.glob("docs/*.md"))]
MACROS = "templates/phrases/en.jinja"
_ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def walk(page: str, folder: Path) -> str:
    """Do what a page says: write its files, run its commands and its Python; return what they
    print."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    printed, code = [], ""
    for (kind, name), blocks in groupby(_BLOCK.findall(text), lambda block: block[:2]):
        body = "".join(block[2] for block in blocks)
        if kind == "file":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body, encoding="utf-8")
            continue
        code += body * (kind == "python")  # a block needs those before it
        for command in [code] if kind == "python" else body.splitlines():
            shell = [sys.executable, "-c"] if kind == "python" else ["bash", "-c"]
            done = subprocess.run(
                [*shell, command], cwd=folder, env=_ENVIRONMENT, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            printed.append(f"$ {command}\n{done.stdout}{done.stderr}")
    return "".join(printed)


def test_the_page_on_vocabularies_draws_from_its_own_text(tmp_path: Path) -> None:
    printed = walk("docs/vocabulary.md", tmp_path)
    page = (CHECKOUT / "docs/vocabulary.md").read_text(encoding="utf-8")
    shown = [line.strip() for line in page.splitlines() if line.startswith("    fr/")]
    assert len(shown) == 2
    assert all(line in printed for line in shown)
    assert "clams-child/fr: 30 items, 2 shown" in printed


def test_the_tutorial_adds_a_paradigm(tmp_path: Path) -> None:
    """With a tiny random model in a folder of the name that the page uses."""
    save_model(tmp_path / "gpt2", ["Each of the cleaners is angry.", "All of the cleaners are."])
    printed = walk("docs/add-a-paradigm.md", tmp_path)
    assert "wrote templates/mine/en/each_of.jinja" in printed.replace(f"{tmp_path}/", "")
    assert "{% macro predicate(" in (tmp_path / MACROS).read_text(encoding="utf-8")
    assert printed.count("0 errors, 0 warnings") == 1
    assert printed.count("warning T016") == 1
    assert "1 paradigm, 1,000 pairs checked: 0 errors, 0 warnings, 1 note\n" in printed
    assert "of the" in printed
    assert "mismatch" in printed
    paradigm = (tmp_path / "pages/mine/en/index.html").read_text(encoding="utf-8")
    assert '<span class="nv">wrong</span>' in paradigm
    assert "<dt>After</dt>" not in paradigm
    card = (tmp_path / "mine/README.md").read_text(encoding="utf-8")
    assert "author = {{The authors of mine}}" in card


def test_catalan_goes_from_nothing_to_the_twelve_paradigms(tmp_path: Path) -> None:
    """On the words, the sentences and the forms that are made up for the page."""
    shutil.copytree(CHECKOUT / "docs" / "catalan", tmp_path / "catalan")
    printed = walk("docs/add-a-language.md", tmp_path)
    page = (CHECKOUT / "docs/add-a-language.md").read_text(encoding="utf-8")
    shown = [line[4:] for line in page.splitlines() if line.startswith("    ") and "\t" not in line]
    assert len(shown) == 6
    assert set(shown) <= set(printed.splitlines())
    assert "10 paradigms, 10,048 pairs checked: 0 errors" in printed
    assert re.findall(r"(?:error|warning) [A-Z]\d+", printed) == []
    words = [line.split("\t") for line in (tmp_path / "catalan/words.txt").read_text().splitlines()]
    written = (tmp_path / "lexicons/ca/words.txt").read_text()
    for line in (
        line[4:] for line in page.splitlines() if line.startswith("    ") and "\t" in line
    ):
        assert f"{line}\n" in written
    assert len(words) == 57
    assert (tmp_path / "catalan/sentences.conllu").read_text().count("# text") == 30
    (built,) = (tmp_path / "catalan-pairs" / "ca").glob("*.parquet")
    sentences = " ".join(pq.read_table(built)["sentence_good"].to_pylist())
    assert {"dels", "del", "de l'amiga"} <= set(re.findall(r"\bd(?:els?\b|e l'amiga\b)", sentences))
    assert "d'el" not in sentences


_CELLS = r" +\d+\.\d \d+\.\d–\d+\.\d +\S+ +"
FIGURES = [
    r"(?m)^ *construction +gpt2 +r pairs ties skipped$",
    rf"(?m)^ *within an object relative clause{_CELLS}\d+ +\d+ +\d+$",
    rf"(?m)^ *all pairs{_CELLS}\d+ +\d+ +\d+$",
    r"(?m)^ *mean of rows +\d+\.\d +\d+ +\d+ +\d+$",
]
"""Lines of the table of ``solecism score``."""

WORKED = [
    ("docs/start.md", ["clams/he/subj_rel"], {"clams/manifest.json": "clams"}),
    ("docs/score-a-model.md", ["mismatch", "Sing", *FIGURES], {"report.html": "<html"}),
    ("docs/formats.md", ["1 paradigm, 1,000 pairs checked: 0 errors"], {}),
    ("docs/mine-a-treebank.md", [r"(?m)^items +4$", "too small"], {"items.parquet": ""}),
    ("docs/query.md",
     [r"(?m)^2 matches$", r"(?m)^Erg +Nom +1 +50\.0%$", r"ergative_subject +1 +1 +0 +1", r"\[კაცი\] ძაღლი"],
     {"pairs.parquet": "", "items.parquet": ""}),
    ("docs/python.md", ["did you mean 'clams'\\?"], {"report.html": "<html"}),
    ("docs/commands.md", [], {"solecism-complete.bash": "_SOLECISM_COMPLETE=bash_complete"}),
    ("docs/avg.md", ["wrote"], {}),
    ("docs/add-a-family.md",
     ["templates/meine/de/dank.jinja", "0 errors, 0 warnings"], {"meine/README.md": "solecism-meine"}),
    ("docs/suites.md",
     ["0 errors, 1 warning, ", "I107", "all predictions of an item hold: 50.0 % of 2 items",
      r"number_prep +(0|100)\.0 "],
     {"number_txt.txt": "\nThe author near the pilots sing .\n"}),
    ("docs/site.md", ["items to browse"], {"pages/clams/he/browse.html": ""}),
    ("docs/judging.md",
     ["60 items in 2 lists, 38 trials each, about 7 minutes", "6 answers of 2 people",
      "individual 66.7", "he-judgments: 3 pairs"],
     {"study/page/index.html": "", "clams/README.md": "two colleagues"}),
]  # fmt: skip
"""Pages, patterns of what they print, and files that they write with a text in them."""


@pytest.mark.parametrize(("page", "printed", "files"), WORKED, ids=[page for page, *_ in WORKED])
def test_pages_work_as_written(
    tmp_path: Path, page: str, printed: list[str], files: dict[str, str]
) -> None:
    """In an empty folder, but for a tiny random model of the name that a page uses."""
    if page in ("docs/score-a-model.md", "docs/suites.md"):
        texts = ["Les auteurs sont grands.", "Le voisin que le garde aime rit."]
        save_model(tmp_path / "gpt2", texts)
    found = walk(page, tmp_path)
    for pattern in printed:
        assert re.search(pattern, found), pattern
    for name, text in files.items():
        assert text.encode() in (tmp_path / name).read_bytes()


def test_the_table_of_figures_is_as_the_page_shows_it() -> None:
    """The same patterns fit the page and what it prints (:data:`WORKED`)."""
    page = (CHECKOUT / "docs/score-a-model.md").read_text(encoding="utf-8")
    for pattern in FIGURES:
        assert re.search(pattern, page.replace("stories260k", "gpt2"))


def test_glosses_are_as_the_page_shows_them(tmp_path: Path) -> None:
    found = re.sub("[\u2066-\u2069]", "", walk("docs/glossing.md", tmp_path))
    printed = {line[9:].rstrip() for line in found.splitlines()}
    text = (CHECKOUT / "docs/glossing.md").read_text(encoding="utf-8")
    examples = re.findall(r"^ {4}(.+)$", text, re.MULTILINE)
    assert len(examples) == 10
    assert set(examples) <= printed
    with (tmp_path / "examples/examples.csv").open(encoding="utf-8") as file:
        assert sum(row["Primary_Text"].startswith("*") for row in csv.DictReader(file)) == 1000


@pytest.mark.parametrize("page", sorted(CHECKOUT.glob("docs/*.ipynb")), ids=lambda p: p.name)
def test_notebooks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("nbclient", reason="needs the extra `dev`")
    nbformat = pytest.importorskip("nbformat", reason="needs the extra `dev`")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    notebook = nbformat.read(page, 4)
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    client.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    ran = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    kinds = [{each.output_type for each in outputs} - {"stream"} for outputs in ran]
    assert kinds == [{each.output_type for each in outputs} - {"stream"} for outputs in shown]
    assert (tmp_path / "report.html").is_file()


def test_the_number_of_pairs_is_that_of_the_lock() -> None:
    (*_, newest) = read_lock(lock_path(Root(CHECKOUT), "clams"))["clams"].values()
    rows = sum(content.rows for content in newest.configs.values())
    for page in ("README.md", "docs/datasets.md"):
        text = (CHECKOUT / page).read_text(encoding="utf-8")
        assert f"{rows:,} minimal pairs of agreement" in text


@pytest.mark.parametrize("page", PAGES)
def test_blocks_that_can_be_run_are_run(page: str) -> None:
    """By a test that names the page; what cannot be run here is indented instead."""
    if _BLOCK.search((CHECKOUT / page).read_text(encoding="utf-8")) and page != "README.md":
        name = Path(page).name
        tests = [path.read_text(encoding="utf-8") for path in CHECKOUT.glob("tests/**/*.py")]
        assert any(re.search(rf"docs(/|\" / \"){re.escape(name)}", text) for text in tests)


@pytest.mark.parametrize("page", PAGES)
def test_commands_on_pages_have_the_options_that_there_are(page: str) -> None:
    """Of all commands, also of those that cannot be run here."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    for match in _COMMAND.finditer(text):
        plain = re.sub(r"'[^']*'", "TEXT", match[1].replace("\\\n", " "))
        line = re.split(r"\S*⇥|[|;>]|\.\.\.|\s#\s", plain)[0]
        parse(shlex.split(line.replace("[", "").replace("]", ""))[1:])


def parse(words: list[str]) -> None:
    """Parse the arguments of a command, without running it."""
    command: click.Command = main
    ctx = click.Context(main, info_name="solecism")
    while isinstance(command, click.Group) and words:
        found = command.get_command(ctx, words.pop(0))
        assert found is not None
        command, ctx = found, click.Context(found, ctx, info_name=found.name)
    with suppress(click.BadOptionUsage):  # an option that is named without a value
        command.make_parser(ctx).parse_args(list(words))


@pytest.mark.parametrize("page", PAGES)
def test_links_inside_the_checkout_are_not_broken(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((CHECKOUT / page).parent / target).exists(), target


def test_pairs_of_the_readme_are_ours() -> None:
    """All but the Greek one, which is a sentence of these pages."""
    text = re.sub(r"\*\*|&rlm;", "", (CHECKOUT / "README.md").read_text(encoding="utf-8"))
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.count(" | ") == 2]
    pairs = {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}
    for language, name in {
        "English": "clams/en/obj_rel_across_anim", "Russian": "clams/ru/prep_anim",
        "Hebrew": "clams/he/prep_anim", "Chinese": "mandarin/zh/comparative_bi_pair",
    }.items():  # fmt: skip
        paradigm = find_paradigm(Root(CHECKOUT), *name.split("/"))
        tables = [t.select(["sentence_good", "sentence_bad"]) for t in draw_pairs(paradigm)]
        drawn = {tuple(row.values()) for table in tables for row in table.to_pylist()}
        assert pairs[language] in drawn, name


def test_the_table_of_macros_is_true() -> None:
    text = (CHECKOUT / "docs/formats.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+\(.*?) \| .*? \| ([a-z ,]+) \|$", text, re.MULTILINE)
    told = {}
    for macros, languages in rows:
        names, each = re.findall(r"`(\w+)", macros), languages.split(", ")
        told |= dict(zip(names, map(str.split, each), strict=True))
    assert len(told) > 15
    for name, languages in told.items():
        files = sorted((CHECKOUT / "templates/phrases").glob("*.jinja"))
        own = [p.stem for p in files if f"macro {name}(" in p.read_text(encoding="utf-8")]
        assert sorted(languages) == own, name


def test_may_repeat_names_slots_of_one_table() -> None:
    for path in sorted((CHECKOUT / "templates").glob("*/*/[!_]*.jinja")):
        for template in read_templates(path):
            tables = {s.name: {*map(main_name, s.tables)} for s in template.slots}
            pairs = combinations(template.may_repeat, 2)
            useful = {name for pair in pairs if tables[pair[0]] & tables[pair[1]] for name in pair}
            assert useful == {*template.may_repeat}, template.name
