"""``solecism push``: publish a data set, or say what would be published."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn

from solecism.hub.client import Change
from solecism.hub.push import Plan, Pushed, plan_push, push
from solecism.terminal import progress

__all__ = ["push_and_report"]

SHOWN = 10
"""How many other files are named."""

_SIGNS = {"add": "+", "change": "~", "delete": "-", "keep": "="}


def push_and_report(
    folder: Path, repo: str, private: bool, dry_run: bool, as_json: bool, console: Console
) -> None:
    """Push with a progress bar on standard error and print what was done (or with ``dry_run`` would be)."""
    if dry_run:
        plan = plan_push(folder, repo, private)
        facts, lines = (
            _plan_facts(plan, repo),
            [*_plan_lines(plan), "nothing was pushed (--dry-run)"],
        )
    else:
        pushed = _with_bar(lambda progress: push(folder, repo, private, progress))
        facts, lines = _pushed_facts(pushed, repo), _pushed_lines(pushed, repo)
    if as_json:
        console.print_json(json.dumps(facts))
        return
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def _with_bar(call: Callable[[Callable[[str, int, int], None]], Pushed]) -> Pushed:
    with progress(MofNCompleteColumn()) as bar:
        task = bar.add_task("reading")

        def show(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total)

        return call(show)


def _plan_lines(plan: Plan) -> list[str]:
    if plan.released:
        done = f"{plan.tag} is released already, with the same bytes ({plan.released[:12]})"
        return [done, *_stray_lines(plan)]
    lines = [_change_line(change) for change in plan.changes]
    lines += [*_stray_lines(plan), *_difference_lines(plan)]
    commit = "no commit: the head has these files" if plan.unchanged else "one commit"
    return [*lines, f"{commit}, then the tag {plan.tag}"]


def _change_line(change: Change) -> str:
    return f"{_SIGNS[change.kind]} {change.path} ({change.size:,} bytes)"


def _stray_lines(plan: Plan) -> list[str]:
    names = [name if name.isprintable() else ascii(name) for name in plan.strays]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    told = ", ".join(names[:SHOWN]) + more
    return [f"note: left alone, as the manifest does not list it: {told}"] if names else []


def _difference_lines(plan: Plan) -> list[str]:
    found = plan.difference
    if found is None:
        return ["the first version"]
    lines = [f"since {plan.last}: needs {found.smallest} or above ({found.needs})"]
    lines += [f"  config {name}: new, {rows:,} rows" for name, rows in found.added_configs.items()]
    lines += [f"  config {name}: gone" for name in found.removed_configs]
    for config in found.configs:
        counts = (config.added.count, config.removed.count, config.changed.count)
        told = "{:,} items added, {:,} removed, {:,} changed".format(*counts)
        lines.append(f"  config {config.name}: {told}")
    return lines


def _pushed_lines(pushed: Pushed, repo: str) -> list[str]:
    plan = pushed.plan
    if not pushed.tagged:
        done = f"{plan.tag} was released before, with the same bytes: nothing to push"
    elif not pushed.committed:
        done = f"tagged {plan.tag}: the commit was there already"
    else:
        done = f"pushed {plan.tag}: one commit, {_counted(plan)}"
    configs = len(plan.manifest.configs)
    rows = sum(config.rows for config in plan.manifest.configs.values())
    return [
        done,
        *_stray_lines(plan),
        f"commit {pushed.commit}",
        f"read back: {configs} configs, {rows:,} rows, content as built",
        f'solecism.load("{plan.manifest.dataset}", CONFIG, version="{plan.manifest.version}", repo="{repo}")',
    ]


def _counted(plan: Plan) -> str:
    names = {"add": "added", "change": "changed", "delete": "deleted"}
    kinds = [change.kind for change in plan.changes]
    return ", ".join(f"{kinds.count(k)} {name}" for k, name in names.items() if k in kinds)


def _plan_facts(plan: Plan, repo: str) -> dict[str, Any]:
    return {
        "repo": repo,
        "tag": plan.tag,
        "released": plan.released or None,
        "last": plan.last or None,
        "left_alone": list(plan.strays),
        "operations": [vars(change) for change in plan.changes],
        "difference": plan.difference.to_json() if plan.difference else None,
    }


def _pushed_facts(pushed: Pushed, repo: str) -> dict[str, Any]:
    done = {"commit": pushed.commit, "committed": pushed.committed, "tagged": pushed.tagged}
    return {**_plan_facts(pushed.plan, repo), **done}
