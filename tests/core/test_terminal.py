"""Progress is told where standard error is no terminal, too."""

from itertools import count

import pytest

from solecism import terminal


def test_piped_progress_is_a_line_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = count()  # a second goes by at each look
    monkeypatch.setattr(terminal, "monotonic", lambda: float(next(clock)))
    with terminal.progress_bar() as show:
        for done in range(1, 41):
            show("scoring", 10 * done, 400)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 8
    assert lines[0] == "scoring: 50 of 400, about 42 seconds left"
