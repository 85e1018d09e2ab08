"""The page of the architecture tells the truth: its paths exist, every room is on it, imports run
one way."""

import ast
import re
from graphlib import TopologicalSorter

import pytest

from release import CHECKOUT

PACKAGE = CHECKOUT / "builders" / "solecism"
PAGE, GUIDE = (
    (CHECKOUT / page).read_text(encoding="utf-8")
    for page in ("docs/architecture.md", "CONTRIBUTING.md")
)
TO_ADD = GUIDE.split("### To add X, touch Y\n")[1].split("\n### ")[0]
PATHS = sorted(
    {path for path in re.findall(r"`([\w./<>-]+)`", PAGE + TO_ADD) if "/" in path or ".py" in path}
)


@pytest.mark.parametrize("path", [path for path in PATHS if "<" not in path])
def test_every_path_exists(path: str) -> None:
    assert (PACKAGE / path).exists() or (CHECKOUT / path).exists()


def test_every_room_is_on_the_page() -> None:
    rooms = [p.parent.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("__init__.py")]
    assert [room for room in rooms if room != "." and f"{room}/" not in PATHS] == []


def imports_of() -> dict[str, set[str]]:
    """For each module the modules of ours that it imports when it is imported."""
    modules = {
        "solecism." + p.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): p
        for p in PACKAGE.rglob("*.py")
        if p.name != "__init__.py"
    }
    found: dict[str, set[str]] = {}
    for name, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        asked = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
        names = {f"{node.module}.{a.name}" for node in asked for a in node.names}
        found[name] = {m for m in modules if m in names or m in {str(n.module) for n in asked}}
    return found


def test_imports_have_no_circle() -> None:
    assert list(TopologicalSorter(imports_of()).static_order())


def test_nothing_imports_commands_but_commands() -> None:
    above = ("solecism.commands.",)
    wrong = {
        (name, other)
        for name, others in imports_of().items()
        for other in others
        if other.startswith(above) and not name.startswith((*above, "solecism.__main__"))
    }
    assert wrong == set()


def test_rooms_are_on_floors() -> None:
    """No two rooms import each other, however many rooms are between; modules beside them import
    none."""
    rooms: dict[str, set[str]] = {}
    for name, others in imports_of().items():
        here, imported = _room(name), set(map(_room, others))
        rooms.setdefault(here, set()).update(imported - {here, ""})
    assert rooms.pop("", set()) <= {"commands"}  # of __main__
    assert list(TopologicalSorter(rooms).static_order())


def _room(module: str) -> str:
    """Return the folder of a module; of a module that is in none, the empty text."""
    return module.split(".")[1] if module.count(".") > 1 else ""
