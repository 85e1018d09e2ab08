"""Publish a built data set as an immutable version.

FOLDER: what `solecism build` has made.
"""

from collections import Counter
from logging import ERROR
from pathlib import Path

import click
from huggingface_hub.utils.logging import set_verbosity

from solecism.commands.cli import FOLDER, JSON, print_json, print_lines
from solecism.hub.push import Pushed, PushPlan, plan_push, push

SHOWN = 10
"""The number of stray files that are named."""

_DONE = {"add": "added", "change": "changed", "delete": "deleted"}
_SIGNS = {"add": "+", "change": "~", "delete": "-", "keep": "="}


@click.command(help=__doc__)
@click.argument("folder", type=FOLDER)
@click.option("--to", "repo", required=True, metavar="ORG/NAME", help="The hub's repository.")
@click.option("--private", is_flag=True, help="Make a private repository; refuse a public one.")
@click.option("--dry-run", is_flag=True, help="Print what would be done, and what changed.")
@JSON
def command(folder: Path, repo: str, private: bool, dry_run: bool, as_json: bool) -> None:
    set_verbosity(ERROR)  # warnings print addresses that are signed
    if dry_run:
        plan = plan_push(folder, repo, private)
        facts = _facts(plan, repo)
        lines = [*_plan_lines(plan), "nothing was pushed (--dry-run)"]
    else:
        pushed = push(folder, repo, private)
        facts, lines = _facts(pushed.plan, repo, pushed), _pushed_lines(pushed, repo)
    if as_json:
        print_json(facts)
    else:
        print_lines(*lines)


def _plan_lines(plan: PushPlan) -> list[str]:
    if plan.released:
        done = f"{plan.tag} is released already, with the same bytes ({plan.released[:12]})"
        return [done, *_stray_lines(plan)]
    lines = [f"{_SIGNS[c.kind]} {c.path} ({c.size:,} bytes)" for c in plan.changes]
    lines += _stray_lines(plan)
    if plan.unasked:
        note = "what changed since the last release, and whether the version fits, is not known"
        return [*lines, f"note: {note}: {plan.unasked}"]
    lines += _difference_lines(plan)
    commit = "no commit: the head has these files" if plan.unchanged else "one commit"
    return [*lines, f"{commit}, then the tag {plan.tag}"]


def _stray_lines(plan: PushPlan) -> list[str]:
    names = [name if name.isprintable() else ascii(name) for name in plan.strays]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    listed = ", ".join(names[:SHOWN]) + more
    return [f"note: left alone, as the manifest does not list it: {listed}"] if names else []


def _difference_lines(plan: PushPlan) -> list[str]:
    found = plan.difference
    if found is None:
        return ["the first version"]
    lines = [f"since {plan.last}: needs {found.smallest} or above ({found.needs})"]
    lines += [f"  config {name}: new, {rows:,} rows" for name, rows in found.added_configs.items()]
    lines += [f"  config {name}: gone" for name in found.removed_configs]
    for config in found.configs:
        counts = (config.added.count, config.removed.count, config.changed.count)
        text = "{:,} items added, {:,} removed, {:,} changed".format(*counts)
        lines.append(f"  config {config.name}: {text}")
    return lines


def _pushed_lines(pushed: Pushed, repo: str) -> list[str]:
    plan = pushed.plan
    if not pushed.tagged:
        done = f"{plan.tag} was released before, with the same bytes: nothing to push"
    elif not pushed.committed:
        done = f"tagged {plan.tag}: the commit was there already"
    else:
        kinds, names = Counter(change.kind for change in plan.changes), _DONE.items()
        counted = ", ".join(f"{kinds[kind]} {name}" for kind, name in names if kinds[kind])
        done = f"pushed {plan.tag}: one commit, {counted}"
    manifest = plan.manifest
    rows = sum(config.content.rows for config in manifest.configs.values())
    return [
        done, *_stray_lines(plan), f"commit {pushed.commit}",
        f"{len(manifest.configs)} configs, {rows:,} rows",
        f'solecism.load("{manifest.dataset}", CONFIG, version="{manifest.version}", repo="{repo}")',
    ]  # fmt: skip


def _facts(plan: PushPlan, repo: str, pushed: Pushed | None = None) -> dict[str, object]:
    facts: dict[str, object] = {
        "repo": repo, "tag": plan.tag, "released": plan.released or None, "last": plan.last or None,
        "left_alone": list(plan.strays), "unasked": plan.unasked or None,
        "operations": [vars(change) for change in plan.changes],
        "difference": plan.difference.to_json() if plan.difference else None,
    }  # fmt: skip
    if pushed is not None:
        facts |= {"commit": pushed.commit, "committed": pushed.committed, "tagged": pushed.tagged}
    return facts
