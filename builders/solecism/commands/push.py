"""Publish a built data set as an immutable version.

FOLDER: what `solecism build` has made.
"""

from collections import Counter
from logging import ERROR
from pathlib import Path

import click
from huggingface_hub.utils.logging import set_verbosity

from solecism.commands.cli import FOLDER, JSON, option, print_json, print_lines
from solecism.hub.compare import lines_of
from solecism.hub.push import PushPlan, plan_push, push

_DONE = {"add": "added", "change": "changed", "delete": "deleted"}
_SIGNS = {"add": "+", "change": "~", "delete": "-", "keep": "="}


@click.command(help=__doc__)
@click.argument("folder", type=FOLDER)
@option("--to", "repo", required=True, metavar="ORG/NAME", help="The hub's repository.")
@option("--private", is_flag=True, help="Make a private repository; refuse a public one.")
@option("--dry-run", is_flag=True, help="Print what would be done, and what changed.")
@JSON
def command(folder: Path, repo: str, private: bool, dry_run: bool, as_json: bool) -> None:
    set_verbosity(ERROR)  # warnings print addresses that are signed
    plan = (plan_push if dry_run else push)(folder, repo, private)
    if as_json:
        print_json(_facts(plan, repo))
    elif dry_run:
        print_lines(*_plan_lines(plan), "nothing was pushed (--dry-run)")
    else:
        print_lines(*_pushed_lines(plan, repo))


def _plan_lines(plan: PushPlan) -> list[str]:
    if plan.released:
        return [f"{plan.tag} is released already, with the same bytes ({plan.released[:12]})"]
    lines = [f"{_SIGNS[c.kind]} {c.path} ({c.size:,} bytes)" for c in plan.changes]
    if plan.unasked:
        note = "what changed since the last release, and whether the version fits, is not known"
        return [*lines, f"note: {note}: {plan.unasked}"]
    if found := plan.difference:
        lines.append(f"since {plan.last}: needs {found.smallest} or above ({found.needs})")
        lines += [f"  {line.replace('`', '')}" for line in lines_of(found)]
    else:
        lines.append("the first version")
    commit = "no commit: the head has these files" if plan.unchanged else "one commit"
    return [*lines, f"{commit}, then the tag {plan.tag}"]


def _pushed_lines(plan: PushPlan, repo: str) -> list[str]:
    if plan.released:
        done = f"{plan.tag} was released before, with the same bytes: nothing to push"
    elif plan.unchanged:
        done = f"tagged {plan.tag}: the commit was there already"
    else:
        kinds, names = Counter(change.kind for change in plan.changes), _DONE.items()
        counted = ", ".join(f"{kinds[kind]} {name}" for kind, name in names if kinds[kind])
        done = f"pushed {plan.tag}: one commit, {counted}"
    manifest = plan.manifest
    rows = sum(config.content.rows for config in manifest.configs.values())
    return [
        done, f"commit {plan.commit}", f"{len(manifest.configs)} configs, {rows:,} rows",
        f'solecism.load("{manifest.dataset}", CONFIG, version="{manifest.version}", repo="{repo}")',
    ]  # fmt: skip


def _facts(plan: PushPlan, repo: str) -> dict[str, object]:
    tagged = not plan.released
    done = {"commit": plan.commit, "committed": tagged and not plan.unchanged, "tagged": tagged}
    return {
        "repo": repo, "tag": plan.tag, "released": plan.released or None, "last": plan.last or None,
        "unasked": plan.unasked or None,
        "operations": [vars(change) for change in plan.changes],
        "difference": plan.difference.to_json() if plan.difference else None,
        **(done if plan.commit else {}),
    }  # fmt: skip
