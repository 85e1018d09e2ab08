"""Let people judge pairs: make a study, collect answers, report what people found."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solecism.commands import cli
from solecism.errors import fail
from solecism.files import write_text
from solecism.judge import importing
from solecism.judge.creation import StudyOptions, create_study, pairs_of_config
from solecism.judge.design import DELIVERIES, AnswerDelivery, Study, read_study
from solecism.judge.page import has_texts, write_page
from solecism.judge.schema import DESIGNS
from solecism.terminal import counted

if TYPE_CHECKING:
    from rich.table import Table

    from solecism.judge.outcome import Outcome
    from solecism.scoring.summary import Interval

_COUNT = click.IntRange(1, 100_000)
_LEVELS = ("paradigm", "phenomenon", "config")
_STATES = ("list", "people", "finished", "wanted", "answers", "trials")


@click.group(
    cls=cli.VerbGroup, groups={"Verbs": ("new", "export", "serve", "import", "report", "accept")},
    help=__doc__,
)  # fmt: skip
def command() -> None:
    pass


@command.command("new")
@click.argument("names", nargs=-1, required=True)
@cli.option("--out", type=cli.NEW_FOLDER, required=True, help="Folder of the study.")
@cli.option("--design", type=click.Choice(DESIGNS), default="choice",
              help="The better of two, a rating from 1 to 7, or an expert's reading.")  # fmt: skip
@cli.option("--pairs", type=_COUNT, default=5, help="Pairs of each paradigm.")
@cli.option("--judges", type=_COUNT, help="People for each pair (default: 20; experts: 3).")
@cli.option("--lists", type=_COUNT, help="Lists (default: of at most 50 trials).")
@cli.option("--seed", type=int, default=0, help="Another seed draws other pairs.")
@cli.option("--practice", type=click.IntRange(0, 100), default=4, help="Practice trials.")
@cli.option("--catch", type=click.IntRange(0, 100), default=4,
              help="Trials of words in disorder, which show who reads.")  # fmt: skip
@cli.option("--conditions", default="", metavar="GOOD:BAD",
              help="The conditions of suites to compare (default: those of the predictions).")  # fmt: skip
@cli.option("--title", default="", help="The title of the page (default: its question).")
@cli.option("--institution", default="", help="Who runs the study.")
@cli.option("--contact", default="", help="Where people write to.")
@cli.option("--hourly", type=click.FloatRange(0), default=15.0, help="Pay of an hour.")
@cli.option("--currency", default="EUR", help="Its currency.")
@cli.option("--to", "to", type=click.Choice(DELIVERIES), default="download",
              help="How answers come home.")  # fmt: skip
@cli.option("--datapipe", default="", metavar="ID", help="The experiment's id at DataPipe.")
@cli.sides
@cli.JSON
def new(
    names: tuple[str, ...], out: Path, conditions: str, to: str, datapipe: str, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Make a study from pairs: design, lists, texts and the page.

    NAMES: configs as `solecism score` takes them (clams/he, blimp/transitive). A study of suites
    shows pairs of conditions. The folder has study.toml (read it before you collect), texts/ and
    page/.
    """
    home = AnswerDelivery("datapipe" if datapipe else to, datapipe=datapipe)
    if home.to == "datapipe" and not datapipe:
        raise fail("name the experiment at DataPipe: --datapipe ID")
    read = [pairs_of_config(name, conditions) for name in names]
    pairs, data = [pair for some, _ in read for pair in some], [source for _, source in read]
    study = create_study(pairs, data, StudyOptions(**options, home=home), out)
    total = round(study.amount * study.participants, 2)
    items = sum(item["kind"] == "item" for item in study.items.values())
    facts: dict[str, Any] = {
        "study": study.id, "folder": str(study.folder), "design": study.design,
        "language": study.language, "items": items, "lists": len(study.lists),
        "trials": max(study.totals), "minutes": study.minutes, "participants": study.participants,
        "pay": study.amount, "total": total, "currency": study.pay.currency,
        "texts": study.language if has_texts(study.language) else "en",
    }  # fmt: skip
    if as_json:
        cli.print_json(facts)
    else:
        _say(study, facts)


def _say(study: Study, facts: dict[str, Any]) -> None:
    currency = study.pay.currency
    items, lists, trials, minutes = (
        counted(facts[f"{name}s"], name) for name in ("item", "list", "trial", "minute")
    )
    cli.echo(f"study {study.id}: {items} in {lists}, {trials} each, about {minutes}")
    cli.echo(f"{study.participants} participants, {study.amount:.2f} {currency} each, "
         f"{facts['total']:.2f} in all")  # fmt: skip
    cli.echo(f"read {study.folder}/study.toml and texts/ before you collect; "
         f"see the page: {study.folder}/page/index.html")  # fmt: skip
    again = f"then run `solecism judge export {study.folder} --to page`"
    if not has_texts(study.language):
        cli.echo(f"there are no texts in {study.language!r}, so the page is in English: "
             f"translate {study.folder}/texts/, {again}")  # fmt: skip
    for name in ("institution", "contact"):
        if not getattr(study, name):
            cli.echo(f"{name} is empty: fill it in, {again}")


@command.command("export")
@click.argument("study", type=cli.FOLDER)
@cli.option("--to", "target", required=True, metavar="[page|jatos|sheet]")
@cli.option("--out", type=cli.NEW_FOLDER, help="Folder to write (of the page: in the study).")
def export(study: Path, target: str, out: Path | None) -> None:
    """Write the page of a study again, or the same study for another program.

    page: our page, after a change of study.toml or of its texts; jatos: a study archive with our
    page; sheet: a table that experts fill in. `solecism judge import` reads what they give back.
    """
    from solecism.judge.exporting import export_study

    if target not in ("page", "jatos", "sheet"):
        hint = "how answers come home is said before, by `solecism judge new --to`"
        raise click.UsageError(f"--to: {target!r} is not one of page, jatos, sheet ({hint})")
    if target == "page" and out is None:
        found = read_study(study)
        cli.echo(f"study {found.id}: {write_page(found)}/index.html")
        return
    if out is None:
        raise click.UsageError("name a folder to write: --out")
    for path in export_study(read_study(study), target, out):
        cli.echo(f"wrote {path}")


@command.command("serve")
@click.argument("study", type=cli.FOLDER)
@cli.option("--host", default="127.0.0.1", help="The address to listen at.")
@cli.option("--port", type=click.IntRange(0, 65535), default=8080)
@cli.option("--status", is_flag=True, help="Show how far each list is, and serve nothing.")
@cli.option("--watch", is_flag=True, help="With --status: again every two seconds, until Ctrl-C.")
@cli.option("--remove", "code", help="Remove the answers of the person with this code.")
@cli.JSON
def serve(
    study: Path, host: str, port: int, status: bool, watch: bool, code: str | None, as_json: bool
) -> None:
    """Serve a study: its page, its lists, and a place for answers

    The address is for people on this machine; others reach it through a proxy that speaks HTTPS.
    What was confirmed is on the disk, in `answers.sqlite` beside the study. Results need the token
    in `token.txt`: `curl -H "Authorization: Bearer $(cat study/token.txt)"
    http://127.0.0.1:8080/api/answers`.

    A person who asks for it, with the code that the page has shown at the end (or the name that the
    platform gives), is removed by --remove; remove files that were imported yourself.
    """
    if status:
        _show_status(study, watch, as_json)
        return
    if code is not None:
        removed = importing.remove_person(read_study(study, foreign=True), code)
        if not removed:
            raise fail(f"nobody has the code {code!r}", study)
        cli.echo(f"{removed:,} answers of {code} are removed")
        return
    from solecism.judge import server

    app = server.make_app(read_study(study))
    with server.open_socket(host, port) as socket:
        address, found = socket.getsockname()[:2]
        cli.echo(f"the study is at http://{f'[{address}]' if ':' in address else address}:{found}/")
        server.serve(app, socket)


def _show_status(study: Path, watch: bool, as_json: bool) -> None:
    """Print a table of the lists of a study; ``watch``: again every two seconds."""
    from rich.live import Live

    found = read_study(study, foreign=True)
    if as_json:
        cli.print_json([dict(zip(_STATES, row, strict=True)) for row in _rows(found)])
        return
    if not watch:
        cli.console().print(_table(found))
        return
    with Live(_table(found), console=cli.console(), auto_refresh=False) as live:
        while True:
            time.sleep(2)
            live.update(_table(found), refresh=True)


def _rows(study: Study) -> list[tuple[int, int, int, int, int, int]]:
    found, rows = importing.states_of_lists(study), []
    for number in sorted({*found, *range(1, len(study.lists) + 1)}):
        people, finished, answers = found.get(number, (0, 0, 0))
        trials = study.totals[number - 1] if 0 < number <= len(study.lists) else 0
        rows.append((number, people, finished, study.judges, answers, trials))
    return rows


def _table(study: Study) -> Table:
    rows = _rows(study)
    people, finished, answers = (sum(row[n] for row in rows) for n in (1, 2, 4))
    shown = [(str(number or "none"), *rest) for number, *rest in rows]
    last = ("all", people, finished, str(study.participants), answers, "")
    return cli.plain_table([*shown, last], (), _STATES)


@command.command("import")
@click.argument("study", type=cli.FOLDER)
@click.argument("files", nargs=-1, type=cli.PLACE)
@cli.option("--format", "name", default="", metavar="NAME",
              help="own, jspsych, pcibex, label-studio, mturk, table (default: what fits).")  # fmt: skip
@cli.option("--data", default="", metavar="CONFIG",
              help="The pairs that answers are about (blimp/all), known by their sentences.")  # fmt: skip
@cli.JSON
def import_(study: Path, files: tuple[Path, ...], name: str, data: str, as_json: bool) -> None:
    """Bring answers into one table, from the server and from files of any program.

    STUDY is a folder that `solecism judge new` made; of a study that others have made it needs only
    study.toml. Without FILES the answers are those of `solecism judge serve`. The table is
    STUDY/answers.parquet, in place of an earlier one.
    """
    found = read_study(study, foreign=True)
    pairs = importing.known_trials({p["id"]: p for p in pairs_of_config(data)[0]}) if data else None
    inside = [sorted(filter(Path.is_file, f.iterdir())) if f.is_dir() else [f] for f in files]
    paths = [path for some in inside for path in some]
    table, twice = importing.import_answers(found, paths, name, pairs)
    path = importing.save_answers(found, table)
    kinds = Counter(table["kind"].to_pylist())
    people = len(table["participant"].unique())
    if as_json:
        told = {"table": str(path), "answers": len(table), "twice": twice, "participants": people}
        cli.print_json({**told, "kinds": dict(kinds)})
        return
    of_kinds = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())
    cli.echo(f"{path}: {len(table):,} answers of {people} people ({of_kinds})")
    if twice:
        cli.echo(f"{twice:,} answers are there twice and count once")


@command.command("report")
@click.argument("study", type=cli.FOLDER)
@cli.option("--by", type=click.Choice(_LEVELS), default="paradigm",
              help="What the table's rows are.")  # fmt: skip
@cli.option("--out", type=cli.NEW_FOLDER, help="Folder for the page, the tables and the script.")
@cli.JSON
def report(study: Path, by: str, out: Path | None, as_json: bool) -> None:
    """Show what people found: accuracy, agreement, exclusions, what they reject.

    With --out, a folder gets report.html, groups.csv, pairs.csv, judges.csv, answers.csv (those
    that count) and analysis.R, a script of mixed models for R.
    """
    from solecism.judge.outcome import answers_csv, outcome_of, r_script
    from solecism.reports.judged import judged_csv, judged_json, judged_page

    found = read_study(study, foreign=True)
    table = importing.read_answer_table(found)
    outcome, everyone = outcome_of(found, table), outcome_of(found, table, exclude=False)
    if out is not None:
        texts = {
            **judged_csv(outcome), "answers.csv": answers_csv(outcome), "analysis.R": r_script(),
            "report.html": judged_page(outcome, everyone),
        }  # fmt: skip
        for name, text in texts.items():
            write_text(out / name, text)
    if as_json:
        cli.print_json(judged_json(outcome, everyone))
        return
    _show(outcome, everyone, by)
    if out is not None:
        cli.echo(f"wrote {out}/report.html (with the pairs that people reject), tables, analysis.R")


def _show(outcome: Outcome, everyone: Outcome, by: str) -> None:
    from solecism.reports.judged import notes

    likert = outcome.study.design == "likert"
    rows = []
    for group in [*(group for group in outcome.levels[by] if group.name), outcome.overall]:
        gap = [f"{group.gap.value:.2f}" if group.gap else ""] if likert else []
        seconds = "" if group.time is None else f"{group.time / 1000:.1f}"
        agreement = ("" if x != x else f"{x:.2f}" for x in (group.alpha, group.ac1))
        confirmed = f"{group.kept}/{group.pairs}"
        row = (group.name, _share(group.individual), confirmed, group.answers)
        rows.append((*row, *agreement, *gap, seconds))
    more = ("alpha", "AC2", "gap") if likert else ("alpha", "AC1")
    heads = ("individual", "confirmed", "answers", *more, "s")
    cli.console().print(cli.plain_table(rows, [by], heads))
    out = len(outcome.excluded)
    cli.echo(f"{len(outcome.judges) - out} judges count, {out} are left out by the rules")
    for name, found in (("counting", outcome), ("all", everyone)):
        whole = found.overall
        shares = f"individual {_share(whole.individual)}, majority {_share(whole.majority)}"
        cli.echo(f"{name} answers: {shares}")
    cli.echo(f"{len(outcome.rejected)} of {len(outcome.pairs)} pairs are rejected by people")
    below = [group.name for group in outcome.failed]
    share = 100 * outcome.study.rules.paradigm
    named = ", ".join(below[:20]) + (f" and {len(below) - 20} more" if len(below) > 20 else "")
    cli.echo(f"fewer than {share:.0f} % of pairs are confirmed: {named or 'in no paradigm'}")
    for note in notes(outcome):
        cli.echo(f"note: {note}")


def _share(found: Interval) -> str:
    low, high = 100 * found.low, 100 * found.high
    return "" if found.value != found.value else f"{100 * found.value:.1f} ({low:.1f}–{high:.1f})"


@command.command("accept")
@click.argument("study", type=cli.FOLDER)
@click.argument("data", type=cli.FOLDER)
@cli.option("--judges", default="", metavar="TEXT",
              help='Who they were, for the card ("students of the University of X").')  # fmt: skip
def accept(study: Path, data: Path, judges: str) -> None:
    """Make what people found a part of a data set.

    DATA is the folder of a data set that `solecism build` made. It gets the config
    CONFIG-judgments with a verdict on each pair, a section in its card, and excluded/CONFIG.jsonl
    with the pairs that people reject. A build makes the folder anew: accept the study again after
    it.
    """
    from solecism.judge import accepting
    from solecism.judge.outcome import outcome_of

    found = read_study(study, foreign=True)
    outcome = outcome_of(found, importing.read_answer_table(found))
    for config in accepting.accept(outcome, data, judges):
        cli.echo(f"{data}/{config.name}: {config.rows:,} pairs")
    cli.echo(f"{len(outcome.rejected)} of them are to be dropped: {data}/excluded/")
