"""The pages on publishing work as written, against a hub; the workflows name what there is."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from fake_hub import FakeHub
from release import CHECKOUT, small_root
from solecism.commands import main
from solecism.datasets.lock import LOCK, read_lock

PAGE = CHECKOUT / "docs" / "releasing.md"
_BLOCK = re.compile(r"^( *)```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
CATALOGUE = '[clams]\nversion = "1.0.0"\npretty_name = "Small"\n'


def commands(title: str) -> list[str]:
    """The shell commands below a heading of the page."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    lines = [line.strip() for _, body in _BLOCK.findall(text) for line in body.splitlines()]
    return [line for line in lines if line]


def run(command: str) -> str:
    """Run a command line as a maintainer would."""
    name, *arguments = shlex.split(command.replace("$ORG", "org"))
    assert name == "solecism"
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, f"{command}\n{done.output}"
    return done.stdout


def test_the_checklist_works_as_written(
    tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small_root(tmp_path)
    shutil.rmtree(tmp_path / "dataset_cards")
    (tmp_path / "dataset_cards").mkdir()
    catalogue = tmp_path / "catalogue.toml"
    catalogue.write_text(CATALOGUE)
    for command in commands("The first release"):
        run(command)
    first = hub.repos["org/clams"].tags["v1.0.0"]
    assert read_lock(tmp_path / LOCK)["clams"]["1.0.0"].commit == first

    small_root(tmp_path, uids=("simple_agrmt", "prep_inanim"))
    build, diff, *rest = commands("Every further release")
    run(build)
    assert run(diff).splitlines()[-1] == "needs minor: 1.1.0 or above"
    catalogue.write_text(CATALOGUE.replace("1.0.0", "1.1.0"))
    for command in rest:
        run(command)

    repo = hub.repos["org/clams"]
    assert set(repo.tags) == {"v1.0.0", "v1.1.0"}
    assert repo.tags["v1.0.0"] == first
    assert read_lock(tmp_path / LOCK)["clams"]["1.1.0"].commit == repo.tags["v1.1.0"]
    told = run('solecism diff "$ORG/clams@v1.1.0" "$ORG/clams@v1.0.0"')
    assert told.startswith("1.1.0 -> 1.0.0\n")
    assert told.endswith("needs major: 2.0.0 or above\n")
    files = repo.commits[repo.tags["v1.1.0"]].files
    changelog = files["CHANGELOG.md"].data.decode()
    assert re.search(
        r"## 1\.1\.0\n.*\* `he`: [\d,]+ items added \(`prep_inanim`", changelog, re.DOTALL
    )


_FILE = re.compile(r"^```(sh|file)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_tutorial_works_as_written(hub: FakeHub, tmp_path: Path) -> None:
    """docs/publish.md, in an empty folder."""
    printed = []
    for kind, name, body in _FILE.findall((CHECKOUT / "docs/publish.md").read_text("utf-8")):
        if kind == "file":
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(body, encoding="utf-8")
        else:
            printed += map(run, body.splitlines())
    assert "0 errors, 0 warnings" in printed[0]
    assert "The cat [sleeps]" in printed[1] or "The fox [" in printed[1] or "The dog" in printed[1]
    assert set(hub.repos["org/naps"].tags) == {"v1.0.0"}


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_workflows_run_commands_that_there_are(name: str) -> None:
    text = (CHECKOUT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"].values()
    for script in (step["run"] for job in jobs for step in job["steps"] if "run" in step):
        subprocess.run(["bash", "-n", "-c", script], check=True)
        for verb, options in re.findall(r"solecism ([a-z-]+)((?: .*)?)$", script, re.MULTILINE):
            text = CliRunner().invoke(main, [verb, "--help"]).output
            for option in re.findall(r" (--[a-z-]+)", options):
                assert option in text, f"{verb} {option}"
