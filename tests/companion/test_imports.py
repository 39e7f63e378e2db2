"""The arrows of the design: who may import whom."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("companion", "vision", "firmware", "web")
KNOW_EVERYBODY = (
    "companion/__main__.py",
    "companion/service/server.py",
    "companion/service/assembly.py",
    "companion/cli/",
)
ONLY_ON_A_PI = {"picamera2", "lgpio", "libcamera", "RPi"}


def imports(path):
    """(module, at the top of the file) of every import in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            yield name, node in tree.body


def files(room):
    return sorted((ROOT / room).rglob("*.py"))


def needed(path, known):
    """The modules among `known` that a file imports, wherever in it, for more than their types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for block in (node for node in ast.walk(tree) if isinstance(node, ast.If)):
        if isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
            block.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            parts = {f"{node.module}.{alias.name}" for alias in node.names} & known
            yield from parts or {node.module} & known


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_point_one_way(room):
    allowed = {room, "companion"}
    for path in files(room):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(KNOW_EVERYBODY):
            continue
        for module, _ in imports(path):
            top = module.split(".")[0]
            assert top not in ROOMS or top in allowed, f"{name} imports {module}"


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_needs_itself_through_others(room):
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files(room)
    }
    TopologicalSorter({name: set(needed(path, modules.keys())) - {name} for name, path in modules.items()}).prepare()


@pytest.mark.parametrize("top", ["companion", "vision", "web"])
def test_no_room_needs_itself_through_others(top):
    """A room is a package directly in one of these; all rooms may use the modules beside them."""
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in files(top)}
    rooms = {name.removesuffix(".__init__"): room_of(name) for name in paths if room_of(name)}
    arrows = {room: set() for room in rooms.values()}
    for name, path in paths.items():
        if room := room_of(name):
            arrows[room] |= {rooms[other] for other in needed(path, rooms.keys())} - {room}
    assert len(arrows) >= 5
    TopologicalSorter(arrows).prepare()


def room_of(name):
    """The package directly below the top one, None for a module beside the rooms."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 else None


GAMES_KNOW = re.compile(r"companion\.(game|games|equipment|words|errors)(\.|$)")


def test_games_know_the_standard_library_and_what_they_are_given_alone():
    for path in files("companion/games"):
        for module, _ in imports(path):
            top = module.split(".")[0]
            allowed = GAMES_KNOW.match(module) or top in sys.stdlib_module_names
            assert allowed or (path.name == "cp_sat.py" and top == "ortools"), f"{path.name} imports {module}"


def test_nobody_outside_knows_a_game_by_name():
    names = "|".join(path.parent.name for path in (ROOT / "companion/games").glob("*/__init__.py"))
    by_name = re.compile(rf"companion\.games\.({names})\b|[\"']({names})[\"']")
    others = [path for room in ROOMS for path in files(room) if ROOT / "companion/games" not in path.parents]
    found = {path.name for path in others if by_name.search(path.read_text(encoding="utf-8"))}
    assert found == {"print_.py"}  # "maxstax" is the name of a deck there


def test_every_module_of_every_game_can_be_the_first_that_is_imported():
    """A package builds its game while its own modules are being imported. Python imports `companion.games` before any
    module in it, so the order is one and the same, whichever module is asked for first."""
    paths = [path.relative_to(ROOT).with_suffix("") for path in files("companion/games")]
    names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
    for first in {name for name in names if name.count(".") == 2}:
        subprocess.run([sys.executable, "-c", f"import {first}"], cwd=ROOT, check=True)
    imports_all = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    subprocess.run([sys.executable, "-c", imports_all, *reversed(names)], cwd=ROOT, check=True)


def test_rules_know_no_clock_no_chance_and_no_files():
    beside = {"bench.py": {"time", "random"}, "answers.py": {"time"}}  # a search knows how long it may take
    for path in files("companion/games"):
        used = {module.split(".")[0] for module, _ in imports(path)} - beside.get(path.name, set())
        assert not used & {"time", "datetime", "random", "secrets", "os", "pathlib", "io"}, path


def test_what_cameras_mean_is_said_without_pages():
    pages = {"companion.game.widgets", "companion.game.charts"}
    for folder in (path.parent for path in files("companion/games") if path.name == "camera.py"):
        known = {f"companion.games.{folder.name}.{path.stem}": path for path in folder.glob("*.py")}
        reached, waiting = set(), [f"companion.games.{folder.name}.camera"]
        while waiting:
            name = waiting.pop()
            reached.add(name)
            assert not pages & {module for module, _ in imports(known[name])}, f"{name} draws"
            waiting += set(needed(known[name], known.keys())) - reached


@pytest.mark.parametrize("room", ROOMS)
def test_what_exists_only_on_a_pi_is_imported_only_where_it_is_opened(room):
    for path in files(room):
        for module, at_the_top in imports(path):
            assert not (at_the_top and module.split(".")[0] in ONLY_ON_A_PI), f"{path.name} imports {module}"
