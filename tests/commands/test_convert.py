"""Converting files of others writes only where the user said."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from release import bytes_of
from solecism.commands import main
from solecism.commands.convert import convert
from solecism.errors import InputError
from syntaxgym_suite import AGREEMENT


@pytest.mark.parametrize("name", ["../evil", "..", "", "/evil", "a\0b", "a" * 300])
def test_the_name_of_a_suite_is_no_path(tmp_path: Path, name: str) -> None:
    source = tmp_path / "suite.json"
    source.write_text(json.dumps(AGREEMENT | {"meta": {"name": name, "metric": "sum"}}))
    (tmp_path / "evil.json").write_text(source.read_text())  # a suite, which may be replaced
    before = bytes_of(tmp_path)
    with pytest.raises(InputError, match=r"suite\.json: suite '.*' is "):
        convert(str(source), tmp_path / "out")
    assert bytes_of(tmp_path) == before


@pytest.mark.parametrize("argv", ["audit x\0", "convert x y\0", "push x\0 --to a/b", "site x\0"])
def test_a_path_with_a_null_character_is_told(argv: str) -> None:
    done = CliRunner().invoke(main, argv.split(" "))
    assert (done.exit_code, "holds the character U+0000" in done.output) == (2, True)
