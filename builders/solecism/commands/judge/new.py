"""Make a study from pairs: design, lists, texts and the page.

NAMES: configs as `solecism score` takes them (clams/he, blimp/transitive). A study of suites shows
pairs of conditions. The folder has study.toml (read it before you collect), texts/ and page/.
"""

from pathlib import Path
from typing import Any

import click

from solecism.commands.cli import JSON, NEW_FOLDER, echo, print_json
from solecism.errors import fail
from solecism.judge.creation import StudyOptions, create_study, pairs_of_config
from solecism.judge.design import DELIVERIES, AnswerDelivery, Study
from solecism.judge.page import has_texts
from solecism.judge.schema import DESIGNS

_COUNT = click.IntRange(1, 100_000)


@click.command(help=__doc__)
@click.argument("names", nargs=-1, required=True)
@click.option("--out", type=NEW_FOLDER, required=True, help="Folder of the study.")
@click.option("--design", type=click.Choice(DESIGNS), default="choice", show_default=True,
              help="The better of two, a rating from 1 to 7, or an expert's reading.")  # fmt: skip
@click.option("--pairs", type=_COUNT, default=5, show_default=True, help="Pairs of each paradigm.")
@click.option("--judges", type=_COUNT, help="People for each pair (default: 20; experts: 3).")
@click.option("--lists", type=_COUNT, help="Lists (default: of at most 50 trials).")
@click.option("--seed", type=int, default=0, help="Another seed draws other pairs.")
@click.option("--practice", type=click.IntRange(0, 100), default=4, show_default=True,
              help="Practice trials.")  # fmt: skip
@click.option("--catch", type=click.IntRange(0, 100), default=4, show_default=True,
              help="Trials of words in disorder, which show who reads.")  # fmt: skip
@click.option("--conditions", default="", metavar="GOOD:BAD",
              help="The conditions of suites to compare (default: those of the predictions).")  # fmt: skip
@click.option("--title", default="", help="The title of the page (default: its question).")
@click.option("--institution", default="", help="Who runs the study.")
@click.option("--contact", default="", help="Where people write to.")
@click.option("--hourly", type=click.FloatRange(0), default=15.0, show_default=True,
              help="Pay of an hour.")  # fmt: skip
@click.option("--currency", default="EUR", show_default=True, help="Its currency.")
@click.option("--to", "to", type=click.Choice(DELIVERIES), default="download", show_default=True,
              help="How answers come home.")  # fmt: skip
@click.option("--datapipe", default="", metavar="ID", help="The experiment's id at DataPipe.")
@JSON
def command(
    names: tuple[str, ...], out: Path, conditions: str, to: str, datapipe: str, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    home = AnswerDelivery("datapipe" if datapipe else to, datapipe=datapipe)
    if home.to == "datapipe" and not datapipe:
        raise fail("name the experiment at DataPipe: --datapipe ID")
    read = [pairs_of_config(name, conditions) for name in names]
    pairs, data = [pair for some, _ in read for pair in some], [source for _, source in read]
    study = create_study(pairs, data, StudyOptions(**options, home=home), out)
    total = round(study.amount * study.participants, 2)
    items = sum(item["kind"] == "item" for item in study.items.values())
    facts = {
        "study": study.id, "folder": str(study.folder), "design": study.design,
        "language": study.language, "items": items, "lists": len(study.lists),
        "trials": max(study.totals), "minutes": study.minutes, "participants": study.participants,
        "pay": study.amount, "total": total, "currency": study.pay.currency,
        "texts": study.language if has_texts(study.language) else "en",
    }  # fmt: skip
    if as_json:
        print_json(facts)
    else:
        _say(study, facts)


def _say(study: Study, facts: dict[str, object]) -> None:
    currency = study.pay.currency
    echo(f"study {study.id}: {facts['items']} items in {facts['lists']} lists, "
         f"{facts['trials']} trials each, about {study.minutes} minutes")  # fmt: skip
    echo(f"{study.participants} participants, {study.amount:.2f} {currency} each, "
         f"{facts['total']:.2f} in all")  # fmt: skip
    echo(f"read {study.folder}/study.toml and texts/ before you collect; "
         f"see the page: {study.folder}/page/index.html")  # fmt: skip
    again = f"then run `solecism judge export {study.folder} --to page`"
    if not has_texts(study.language):
        echo(f"there are no texts in {study.language!r}, so the page is in English: "
             f"translate {study.folder}/texts/, {again}")  # fmt: skip
    for name in ("institution", "contact"):
        if not getattr(study, name):
            echo(f"{name} is empty: fill it in, {again}")
