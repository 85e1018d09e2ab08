"""The tutorial docs/publish.md works as written, against a hub."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from fake_hub import FakeHub
from release import CHECKOUT
from solecism.commands import main

_BLOCK = re.compile(r"^```(sh|file)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_tutorial_works_as_written(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, text = tmp_path / "work", (CHECKOUT / "docs/publish.md").read_text(encoding="utf-8")
    work.mkdir()
    monkeypatch.chdir(work)
    printed = []
    for kind, name, body in _BLOCK.findall(text):
        if kind == "file":
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(body, encoding="utf-8")
            continue
        for command in body.splitlines():
            program, *arguments = shlex.split(command.replace("$ORG", "org"))
            assert program == "solecism"
            done = CliRunner().invoke(main, arguments)
            assert done.exit_code == 0, f"{command}\n{done.output}"
            printed.append(done.stdout)
    assert "0 errors, 0 warnings" in printed[0]
    assert "The cat [sleeps]" in printed[1] or "The fox [" in printed[1] or "The dog" in printed[1]
    assert set(hub.repos["org/naps"].tags) == {"v1.0.0"}
