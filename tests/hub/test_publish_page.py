"""The tutorial docs/publish.md works as written, against a hub."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from hubs import a_place
from release import CHECKOUT

_BLOCK = re.compile(r"^```(sh|file)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_tutorial_works_as_written(tmp_path: Path) -> None:
    work, text = tmp_path / "work", (CHECKOUT / "docs/publish.md").read_text(encoding="utf-8")
    (tmp_path / "place").mkdir()
    with a_place(tmp_path / "place") as place:
        place.hub.watch = lambda hub: None
        printed = []
        for kind, name, body in _BLOCK.findall(text):
            if kind == "file":
                (work / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).write_text(body, encoding="utf-8")
                continue
            for command in body.splitlines():
                program, *arguments = shlex.split(command.replace("$ORG", "org"))
                assert program == "solecism"
                done = place.warm.run(arguments, place.home(), cwd=work)
                assert done.code == 0, f"{command}\n{done.out}\n{done.err}"
                printed.append(done.out)
    assert "0 errors, 0 warnings" in printed[0]
    assert "The cat [sleeps]" in printed[1] or "The fox [" in printed[1] or "The dog" in printed[1]
    assert set(place.hub.repos["org/naps"].tags) == {"v1.0.0"}
