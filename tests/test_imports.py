"""Who may import whom: each contract in pyproject.toml fails when it is broken; and what no contract can say."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from companion.shelf import GAMES

ROOT = Path(__file__).parents[1]
ROOMS = ("companion", "vision", "firmware", "web")
ONLY_ON_A_PI = {"picamera2", "lgpio", "libcamera", "RPi"}

# contract → files, and in each an import that breaks it
BENT = {
    "The rooms of the house, from the roof down to what everybody may use": [
        ("firmware/box.py", "import vision.scene.scene"),
        ("web/app.py", "import firmware.plan"),
        ("vision/process/main.py", "import companion.app.service.supervisor"),
        ("companion/house/host.py", "import web.app"),
        ("companion/journal/codec.py", "import companion.table.table"),
        ("companion/game/game.py", "import companion.app"),
    ],
    "The rooms of vision, from processes down to cameras, scenes, colours and models": [
        ("vision/card/reader.py", "import vision.dice.reader"),
    ],
    "What is installed does without the laboratory": [
        ("companion/app/bench/dice.py", "import vision.training.drawn.mats"),
    ],
    "The rooms of web, from pages down to drawing": [
        ("web/access/gate.py", "import web.api.routes"),
    ],
    "No circle in any package": [
        ("companion/table/fold.py", "def late():\n    import companion.table.table"),
    ],
    "A game knows the contract, what games share, words and errors": [
        ("companion/games/sandpile_panic/rules.py", "import companion.clock"),
        ("companion/games/rulings.py", "import companion.journal.codec"),
    ],
    "Games do not know each other": [
        ("companion/games/speedstax/rules.py", "import companion.games.stack_dice.rules"),
        ("companion/games/maxstax/events.py", "import companion.games.swapstax.rules"),
        ("companion/games/stack_dice/rules.py", "import companion.games.maxstax.events"),  # parts of three games alone
    ],
    "Nobody else knows a game": [
        ("companion/house/host.py", "from companion.games import speedstax"),
        ("web/app.py", "import companion.games.maxstax.events"),
    ],
    "What cameras mean is said without pages": [
        ("companion/games/stack_dice/camera.py", "import companion.game.game"),
    ],
    "The hall stands behind one door": [
        ("companion/app/service/uploader.py", "import companion.hub.record"),
        ("web/pages/devices.py", "import web.hub.here"),
    ],
    "What a hub is handed is checked without a network": [
        ("companion/letters/envelope.py", "import companion.network.addresses"),
    ],
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of what is checked, to be bent."""
    copy = tmp_path_factory.mktemp("bent")
    for path in [ROOT / "pyproject.toml", *(path for room in ROOMS for path in files(room))]:
        to = copy / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    return copy


def broken(folder):
    """The names of the contracts that do not hold there."""
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command, "--no-cache", "--no-logo"], cwd=folder, capture_output=True, text=True)
    assert "\nContracts: " in done.stdout, done.stdout + done.stderr
    found = set(re.findall(r"^(.+) BROKEN", done.stdout, re.MULTILINE))
    assert done.returncode == (1 if found else 0)
    return found


def test_the_contracts_hold(copied):
    assert broken(copied) == set()


@pytest.mark.parametrize(("name", "path", "line"), [(name, *bend) for name, bends in BENT.items() for bend in bends])
def test_a_contract_fails_when_it_is_broken(copied, name, path, line):
    file = copied / path
    was = file.read_text(encoding="utf-8") if file.exists() else None
    if was is None:
        file.parent.mkdir()
        (file.parent / "__init__.py").touch()
    file.write_text(f"{was or ''}\n{line}\n", encoding="utf-8")
    try:
        assert name in broken(copied)
    finally:
        shutil.rmtree(file.parent) if was is None else file.write_text(was, encoding="utf-8")


def contracts():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def test_every_contract_has_been_broken():
    assert [contract["name"] for contract in contracts()] == list(BENT)


def test_every_room_has_a_floor():
    """import-linter asks for this only inside one package; the house has four."""
    floors = {room for layer in contracts()[0]["layers"] for room in layer.split(" | ")}
    rooms = {
        path.stem for path in (ROOT / "companion").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert floors == {"web", "vision", "firmware", *(f"companion.{room}" for room in rooms - {"__init__"})}


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


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_that_is_installed_needs_its_tests(room):
    needy = {path.name for path in files(room) for module, _ in imports(path) if module.split(".")[0] == "tests"}
    assert needy == set()


def test_games_need_the_standard_library_alone():
    for path in files("companion/games"):
        for module, _ in imports(path):
            top = module.split(".")[0]
            allowed = top == "companion" or top in sys.stdlib_module_names
            assert allowed or (path.name == "cp_sat.py" and top == "ortools"), f"{path.name} imports {module}"


def said(path):
    """The texts that a module holds, without its docstrings; the whole of a file that is no Python."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [text]
    nodes = list(ast.walk(ast.parse(text)))
    places = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = [node for node in nodes if isinstance(node, places) and ast.get_docstring(node, clean=False)]
    docstrings = {id(node.body[0].value) for node in documented}
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


def test_nobody_outside_names_a_game():
    """Neither by its name in the program nor by its title."""
    called = {path.parent.name for path in (ROOT / "companion/games").glob("*/__init__.py")}
    called |= {name.replace("_", "-") for name in called} | {game.pages.title for game in GAMES.values()}
    called.remove("Stack")  # an ordinary word, too
    by_name = re.compile(rf"\b({'|'.join(map(re.escape, called))})\b", re.IGNORECASE)
    pages = [path for suffix in ("js", "css", "html", "svg") for path in (ROOT / "web").rglob(f"*.{suffix}")]
    programs = [path for room in ROOMS for path in files(room) if ROOT / "companion/games" not in path.parents]
    found = {(path.name, name) for path in [*programs, *pages] for text in said(path) for name in by_name.findall(text)}
    assert found == {("print_.py", "maxstax")}  # a deck's name


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


@pytest.mark.parametrize("room", ROOMS)
def test_what_exists_only_on_a_pi_is_imported_only_where_it_is_opened(room):
    for path in files(room):
        for module, at_the_top in imports(path):
            assert not (at_the_top and module.split(".")[0] in ONLY_ON_A_PI), f"{path.name} imports {module}"


BEGINNINGS = {"loop_start", "Process", "Popen", "start_new_thread", "fork", "forkpty"}
LOOKED_AFTER = {
    "companion/app/bench/apart.py": "a bench ends it",
    "companion/app/doctor/in_turn.py": "the program that was forked for each command: it is waited for",
    "companion/app/hall/mosquitto.py": "OwnBroker",
    "companion/app/service/camera_process.py": "Supervisor, SecondJudge",
    "companion/app/service/screen.py": "Screen",
    "vision/cameras/fetcher.py": "the process that watches the camera, which ends with it",
}


def test_each_process_is_begun_where_somebody_looks_after_it():
    begins = set()
    for room in ("companion", "firmware", "vision", "web"):
        for path in (ROOT / room).rglob("*.py"):
            called = {call.func.attr for call in ast.walk(ast.parse(path.read_text())) if is_method(call)}
            if called & BEGINNINGS and not path.is_relative_to(ROOT / "vision/training"):
                begins.add(str(path.relative_to(ROOT)))
    assert begins == LOOKED_AFTER.keys()


def is_method(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
