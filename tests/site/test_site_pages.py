"""The pages of a site: what they say, where they lead, and that texts of strangers stay texts."""

import json
import re
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from html_pages import ParsedPage
from release import bytes_of
from scored import make_pairs, make_scores, write_result
from sites import (
    HARMFUL,
    built_folder,
    stranger_folder,
    suite_folder,
    write_folder,
    write_site_results,
)
from solecism.commands import main
from solecism.errors import InputError
from solecism.hashing import file_digest
from solecism.judge.schema import JUDGMENTS, VERDICTS
from solecism.root import Root
from solecism.site.build import LIST, build_site
from solecism.site.folders import open_folders, place_of


def open_pairs(home: Path) -> pa.Table:
    """Return all pairs of the small data set."""
    return pq.read_table(next((home / "clams" / "he").glob("*.parquet")))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data sets, results on them, judgments, and a site of all of that."""
    folder = tmp_path_factory.mktemp("home")
    root = built_folder(folder)
    suite_folder(folder / "suites")
    (folder / "people.csv").write_text("UID,accuracy,n\nsimple_agrmt,0.96,500\n", encoding="utf-8")
    data, results = [folder / "clams", folder / "suites"], [write_site_results(folder)]
    build_site(folder / "site", data, results=results, judgments=[folder / "people.csv"], root=root)
    return folder


def page(home: Path, name: str) -> str:
    return (home / "site" / name).read_text(encoding="utf-8")


def test_every_link_leads_to_a_file(home: Path) -> None:
    site = home / "site"
    style = (site / "style.css").read_text("utf-8")
    texts = {file: file.read_text("utf-8") for file in site.rglob("*.html")}
    pages = {file: ParsedPage(text) for file, text in texts.items()}
    for file, parsed in pages.items():
        elsewhere = r"""(src|@import|url\()\s*=?\s*["']?(https?:)?//"""
        assert not re.search(elsewhere, texts[file] + style)
        assert "default-src 'none'; style-src 'self'; script-src 'self'" in texts[file]
        names = {name for _, given in parsed.tags for name in given}
        assert not [name for name in names if name == "style" or name.startswith("on")]
        for link in parsed.links:
            path, _, anchor = link.partition("#")
            if not link.startswith("https://"):
                target = (file.parent / unquote(path)).resolve() if path else file
                assert target.is_file(), f"{file}: {link}"
                if anchor and "=" not in anchor:
                    assert anchor in pages[target].values("id"), f"{file}: {link}"


def test_a_paradigm_says_what_is_known(home: Path) -> None:
    text = page(home, "clams/he/simple_agrmt.html")
    assert "agrees in number with the subject" in text
    assert "Mueller et al. (2020)" in text
    assert text.count('<li class="item">') == 10
    assert text.count('class="star" aria-hidden="true">*</span>') == 10
    assert len(re.findall(r'<p class="text( starred)?" dir="rtl">', text)) == 20
    assert 'lang="he"' in text
    assert re.search(r'class="glossed" title="\w+: NOUN, \w+, [^"]*Number=', text)
    assert re.search(
        r'<mark>[^<]+</mark><i lang="en" dir="ltr">\w[\w.]*\.PRS\.PTCP\.[SP][GL]', text
    )
    assert '<span class="nt">slots</span>' in text  # highlighted
    starred = re.findall(r'<span class="glossed" title="([^"]*)"><mark>[^<]*</mark><i', text)
    numbers = [re.search(r"Number=(\w+)", note) for note in starred]
    assert len(numbers) == 20
    assert all(numbers)
    assert all(a[1] != b[1] for a, b in zip(numbers[::2], numbers[1::2], strict=True) if a and b)
    assert "solecism score clams/he/simple_agrmt --model MODEL" in text
    assert "--tasks solecism_clams_he --include_path" in text
    assert '<th scope="row">One word differs</th><td>500</td>' in text


def test_models_and_people_are_rows_with_intervals(home: Path) -> None:
    text = page(home, "clams/he/simple_agrmt.html")
    cell = r'<td class="heat h\d+">[\d.]+ <small>[\d.]+–[\d.]+</small>'
    for name in ("tiny", "large", "people"):
        assert re.search(f'<th scope="row">{name}</th>{cell}', text)
        minimal = re.search(f'<th scope="row">{name}</th>{cell} <small>r -?[01][.]', text)
        assert bool(minimal) == (name != "people")
    assert ">96.0 <small>" in text
    assert '<th scope="row">people' not in page(home, "clams/he/simple_agrmt_gender.html")


def test_results_are_a_report_with_links_to_items(home: Path) -> None:
    text = page(home, "results/index.html")
    assert text.count("<code>acc|data:clams@") == 2
    assert "Correlations between models" in text
    assert " <small>r " in text
    assert "../clams/he/browse.html#id=" in text


def test_a_phenomenon_has_a_page_over_all_data_sets(home: Path, tmp_path: Path) -> None:
    text = page(home, "phenomena/subject_verb_agreement.html")
    assert "<h1>Subject-verb agreement</h1>" in text
    assert '<a href="../clams/he/simple_agrmt.html">' in text
    assert text.count('class="star" aria-hidden="true">*</span>') == 2
    assert re.search(
        r'class="level0">simple_(<wbr>)?agrmt <small>clams/(<wbr>)?he</small></th>\s*<td class="heat',
        text,
    )
    assert "phenomena/subject_verb_agreement.html" in page(home, "clams/he/simple_agrmt.html")
    assert "phenomena/subject_verb_agreement.html" in page(home, "clams/index.html")
    facts = {"p": {"phenomenon": "government"}, "q": {"phenomenon": "of_ones_own"}}
    facts["r"] = {"phenomenon": "npi_licensing"}
    data = [
        write_folder(tmp_path / name, name, {name: (make_pairs(8), facts)}) for name in ("xx", "yy")
    ]
    build_site(tmp_path / "site", data)
    for name, title in (
        ("case", "Case and government"),
        ("of_ones_own", "of ones own"),
        ("npi_licensing", "NPI licensing"),
    ):
        text = (tmp_path / "site" / "phenomena" / f"{name}.html").read_text("utf-8")
        assert f"<h1>{title}</h1>" in text
        assert text.count('<section class="paradigm">') == 2


def test_results_with_older_names_are_shown(tmp_path: Path) -> None:
    table = make_pairs(40)
    old = {"simple_agrmt": "deren_dessen"}
    uids = pa.array([old.get(uid, uid) for uid in table["UID"].to_pylist()])
    table = table.set_column(table.column_names.index("UID"), "UID", uids)
    facts = {"all": (table, {"deren_dessen": {"pairs": 10}, "prep_anim": {"pairs": 10}})}
    folder = write_folder(tmp_path / "blimp-de", "blimp-de", facts)
    digest = "0" * 16
    result = write_result(
        tmp_path / "a", make_scores(table), "m", "all", data="blimp-de", digest=digest
    )
    build_site(tmp_path / "site", [folder], results=[result])
    text = (tmp_path / "site" / "blimp-de" / "all" / "deren_dessen.html").read_text("utf-8")
    assert re.search(r'scope="row">m</th><td class="heat', text)


def test_pairs_are_spread_and_the_same_each_time(home: Path) -> None:
    root = Root(home / "root")
    build_site(home / "again", [home / "clams", home / "suites"], root=root)
    build_site(home / "third", [home / "clams", home / "suites"], root=root)
    assert bytes_of(home / "again") == bytes_of(home / "third")
    text = (home / "again" / "clams" / "he" / "simple_agrmt_gender.html").read_text("utf-8")
    for values in (("Sing", "Plur"), ("Masc", "Fem")):
        for value in values:
            assert re.search(rf"<b>controller_\w+</b> <bdi>{value}</bdi>", text)


def test_suites_have_conditions_and_predictions(home: Path) -> None:
    text = page(home, "suites/zh/index.html")
    assert "bad.word &gt; good.word" in text
    assert '<span class="name">good</span>' in text
    assert '<mark><span class="word" title="region word">曾经</span></mark>' in text


def test_a_template_that_has_changed_is_not_shown(home: Path, tmp_path: Path) -> None:
    root = built_folder(tmp_path, ("simple_agrmt",))
    path = root.path / "templates" / "clams" / "he" / "simple_agrmt.jinja"
    path.write_text(path.read_text("utf-8").replace("draw: ", "draw: 1"), encoding="utf-8")
    build_site(tmp_path / "site", [tmp_path / "clams"], root=root)
    text = (tmp_path / "site" / "clams" / "he" / "index.html").read_text("utf-8")
    assert "drawn from this template" not in text
    assert "10 of " in text


def test_texts_of_strangers_stay_texts(tmp_path: Path) -> None:
    folder = stranger_folder(tmp_path / "data")
    out = tmp_path / "site"
    built = build_site(out, [folder])
    assert built.items == 24
    assert {p.name for p in tmp_path.iterdir()} == {"data", "site"}
    pages = list(out.rglob("*.html"))
    assert len(pages) == built.pages >= 9
    for file in pages:
        text = file.read_text(encoding="utf-8")
        assert "<script>" not in text
        assert "<img" not in text
        assert {tag for tag, _ in ParsedPage(text).tags} >= {"html", "main"}
    names = [p.relative_to(out).as_posix() for p in out.rglob("*")]
    assert [name for name in names if not re.fullmatch(r"[\w./-]+", name)] == []


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "CON:", "x" * 300, "index", "é", "a.", HARMFUL]
)
def test_places_are_plain_names(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}", place_of(name))
    assert place_of(name) != name
    assert place_of(name) != place_of(name + "!")


def test_a_file_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = suite_folder(tmp_path / "data")
    outside = tmp_path / "outside.parquet"
    (folder / "0" / "test-00000-of-00001.parquet").rename(outside)
    (folder / "0" / "test-00000-of-00001.parquet").symlink_to(outside)
    with pytest.raises(InputError, match="is not in its folder"):
        open_folders([folder], Root(tmp_path))


@pytest.mark.parametrize(
    ("change", "said"),
    [({"languages": "zh"}, "languages"), ({"paradigms": {"aspect": {"sets": "many"}}}, "sets")],
)
def test_broken_manifests_are_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    folder = suite_folder(tmp_path / "data")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["configs"]["zh"].update(change)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        build_site(tmp_path / "site", [folder])
    assert not (tmp_path / "site").exists()


PAIRS = make_pairs(8)
TOLD = r"test-00000-of-00001\.parquet: is not a Parquet"
ODD = [
    (PAIRS.drop(["id"]).append_column("id", pa.array([["a"]] * 8)), TOLD),
    (PAIRS.drop(["sentence_good"]).append_column("sentence_good", pa.array([b"\xff"] * 8)), TOLD),
    (PAIRS.drop(["slots"]).append_column("slots", pa.array([1] * 8)), TOLD),
    (PAIRS.drop(["features"]).append_column("features", pa.array([["a"]] * 8)), ""),
    (PAIRS.append_column("id", PAIRS["id"]), "column 'id' is there twice"),
    *(
        (
            PAIRS.drop([name]).append_column(name, pa.array(["a"] * 3 + [None] * 5)),
            f"column '{name}', row 4: has no value",
        )
        for name in ("sentence_good", "sentence_bad")
    ),
    (PAIRS.drop(["tokens_good"]).append_column("tokens_good", pa.nulls(8, pa.string())), ""),
    (PAIRS.drop(["sentence_bad"]), "has no items that pages can show"),
]


@pytest.mark.parametrize(("table", "message"), ODD)
def test_odd_tables_are_read_or_told(tmp_path: Path, table: pa.Table, message: str) -> None:
    facts = {"simple_agrmt": {"pairs": 2}}
    folder = write_folder(tmp_path / "data", "demo", {"xx": (table, facts)})
    with pytest.raises(InputError, match=message) if message else nullcontext():
        build_site(tmp_path / "site", [folder])
    assert (tmp_path / "site").exists() == (not message)


@pytest.mark.parametrize("name", ["javascript:alert(1)", "//evil.org"])
def test_a_name_is_no_address(tmp_path: Path, name: str) -> None:
    facts = {name: {"phenomenon": name, "pairs": 2}, "simple_agrmt": {"phenomenon": name}}
    table = make_pairs(8)
    plain = name.strip("/")
    folder = write_folder(tmp_path / "data", plain, {plain: (table, facts), "xx": (table, facts)})
    build_site(tmp_path / "site", [folder])
    for file in (tmp_path / "site").rglob("*.html"):
        links = ParsedPage(file.read_text("utf-8")).links
        assert not [link for link in links if ":" in link.partition("#")[0] or link.startswith("/")]


def test_judgments_beside_the_data_are_found(tmp_path: Path) -> None:
    table = make_pairs(40)
    rows = [
        {"id": row["id"], "UID": row["UID"], "n": 8, "accuracy": 0.75, "verdict": VERDICTS[n % 3 == 0]}
        for n, row in enumerate(table.to_pylist())
    ]  # fmt: skip
    judged = pa.Table.from_pylist(rows, JUDGMENTS)
    judged = judged.append_column("language", pa.array(["xx"] * len(judged)))
    facts = {uid: {"pairs": 10} for uid in ("simple_agrmt", "prep_anim")}
    configs = {"xx": (table, facts), "xx-judgments": (judged, {})}
    build_site(tmp_path / "site", [write_folder(tmp_path / "data", "demo", configs)])
    text = (tmp_path / "site" / "demo" / "xx" / "simple_agrmt.html").read_text("utf-8")
    people = ">people</th><td class=.heat h7.>75.0 <small>.*</small></td><td>80</td>"
    assert re.search(people, text)
    assert "<b>verdict</b> <bdi>drop</bdi>" not in text
    assert "<b>verdict</b> <bdi>keep</bdi>" in text
    index = (tmp_path / "site" / "demo" / "xx" / "items" / "index.js").read_text("ascii")
    assert '{"name":"verdict","values":["drop","keep"],"counts":[0,14,26]}' in index
    assert not (tmp_path / "site" / "demo" / "xx-judgments").exists()


def test_results_on_a_part_are_in_the_browser_of_the_whole(tmp_path: Path) -> None:
    pairs = make_pairs(80)
    part = pairs.filter(pc.equal(pairs["UID"], "prep_anim"))
    known = {uid: {"pairs": 20, "example": [uid]} for uid in ("prep_anim", "simple_agrmt")}
    configs = {"all": (pairs, known), "prep_anim": (part, {"prep_anim": known["prep_anim"]})}
    folder = write_folder(tmp_path / "data", "demo", configs)
    facts = {"config": "prep_anim", "digest": "0" * 16}
    write_result(tmp_path / "results" / "one", make_scores(part), **facts)
    build_site(tmp_path / "site", [folder], results=[tmp_path / "results"])
    demo = tmp_path / "site" / "demo"
    assert '"models":["tiny"]' in (demo / "all" / "items" / "index.js").read_text("ascii")
    assert not (demo / "prep_anim" / "items").exists()
    page = (demo / "prep_anim" / "index.html").read_text("utf-8")
    assert "../../demo/all/browse.html#UID=prep_anim" in page
    assert '<th scope="row">tiny</th>' in page
    assert not (demo / "all" / "prep_anim.html").exists()


def test_a_site_replaces_a_site_and_nothing_else(tmp_path: Path) -> None:
    folder, out = suite_folder(tmp_path / "data"), tmp_path / "site"
    build_site(out, [folder])
    (out / "CNAME").write_text("example.org", encoding="utf-8")
    build_site(out, [folder])
    assert (out / "CNAME").read_text("utf-8") == "example.org"
    (out / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not as it was built"):
        build_site(out, [folder])
    assert (out / "index.html").read_text("utf-8") == "mine"
    assert LIST in {path.name for path in out.iterdir()}


def test_checkpoints_are_curves(home: Path, tmp_path: Path) -> None:
    pairs = open_pairs(home).slice(0, 200)
    for number, step in enumerate(("step10", "step100")):
        facts = {"data": "clams", "version": "1.0.0", "digest": "", "options": {"checkpoint": step}}
        scores = make_scores(pairs, number)
        write_result(tmp_path / "results" / step, scores, "org/tiny", "he", **facts)
    build_site(tmp_path / "site", [home / "clams"], results=[tmp_path / "results"])
    text = (tmp_path / "site" / "results" / "index.html").read_text("utf-8")
    assert "tiny on clams/he: accuracy by phenomenon over checkpoints" in text
    assert "checkpoint:step100" in text


def test_results_of_other_data_are_left_out(home: Path, tmp_path: Path) -> None:
    scores = make_scores(open_pairs(home).slice(0, 50))
    facts = {"data": "clams", "version": "0.9.0"}
    write_result(tmp_path / "results" / "old", scores, "org/tiny", "he", **facts)
    out = tmp_path / "site"
    built = build_site(out, [home / "clams"], results=[tmp_path / "results"])
    assert len(built.others) == 1
    assert "Left out" in (out / "results" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    "listed", ['{"tool": "solecism 1", "files": {"\\u0000": "a", "/etc/x": "b"}}', "[]", "\0", "{"]
)
def test_a_strange_list_of_files_is_not_believed(tmp_path: Path, listed: str) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / LIST).write_text(listed)
    (tmp_path / "site" / "index.html").write_text("mine")
    with pytest.raises(InputError, match="not as it was built"):
        build_site(tmp_path / "site", [suite_folder(tmp_path / "data")])
    assert bytes_of(tmp_path / "site") == {LIST: listed.encode(), "index.html": b"mine"}


@pytest.mark.parametrize(
    "name", ["thesis.tex", ".nojekyll", "notes/x.md", "clams/he/items/data.csv"]
)
def test_only_files_that_a_site_has_are_replaced(tmp_path: Path, name: str) -> None:
    out = tmp_path / "site"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine")
    files = {name: file_digest(out / name)}
    (out / LIST).write_text(json.dumps({"tool": "solecism 1", "files": files}))
    build_site(out, [suite_folder(tmp_path / "data")])
    assert (out / name).read_text() == "mine"


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = suite_folder(tmp_path / "data")
    done = CliRunner().invoke(main, ["site", str(folder)])
    assert done.exit_code == 0, done.output
    assert "12 items to browse" in done.output
    assert f"open {Path('site') / 'index.html'}" in done.output
    for arguments, told in (
        ([str(tmp_path)], "is no data set folder"),
        (["data", "--out", "data"], "is a data set (it has a manifest.json)"),
        (["data", "--out", "/"], "cannot be replaced"),
    ):
        done = CliRunner().invoke(main, ["site", *arguments])
        assert done.exit_code == 2
        assert told in done.output
