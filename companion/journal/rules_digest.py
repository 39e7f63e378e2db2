"""A digest of the rules that a game is played by: whoever reads the game later sees whether theirs are the same."""

import ast
import gc
import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import Lock

import companion
from companion import equipment, games
from companion import game as contract
from companion.game.game import AnyGame
from companion.shelf import GAMES

HOME = Path(companion.__file__).parent
ROOMS = (games.__name__, equipment.__name__)  # They decide about points; words and the contract do not.
CONTRACT = f"{contract.__name__}."  # What it makes of the rules is not the game's own.
DATA = ".toml"  # Printed tables lie beside the module that reads them.
_ONE_AT_A_TIME = Lock()  # Threads of Python 3.11 cannot parse at once: "recursion depth mismatch".


@cache
def rules_digest(game: str) -> str:
    """SHA-256, in hex, of the rules of the game with this name: of the files of `rules_files`, each with its name."""
    with _ONE_AT_A_TIME:
        return digest_of(HOME, GAMES[game])


def digest_of(home: Path, game: AnyGame) -> str:
    """The same for the package `companion` in the folder `home`."""
    total = hashlib.sha256()
    for name, path in rules_files(home, game).items():
        content = path.read_bytes().replace(b"\r\n", b"\n")  # A checkout on another system has the same rules.
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def rules_files(home: Path, game: AnyGame) -> dict[str, Path]:
    """The files that the game's rules stand in, sorted by name: modules, what they import, and the printed tables they
    name.

    Pages, cameras and advice are left out, as they change no point of a game that was played.
    """
    rules = game.rules
    ruling = (rules.start, rules.awaiting, rules.legal, rules.apply, rules.score, rules.is_over, rules.winners)
    says = (*ruling, rules.ranked, *rules.events, rules.options)
    waiting = [rule.__module__ for rule in says if not rule.__module__.startswith(CONTRACT)]
    rooms = (*ROOMS, *{module.partition(".")[0] for module in waiting} - {companion.__name__})
    files: dict[str, Path] = {}
    while waiting:
        module = waiting.pop()
        path = _path(home, module)
        name = _name(home, module, path)
        if name in files or not path.is_file():  # A name that is imported from a package may be no module.
            continue
        source = path.read_bytes()
        files[name] = path
        tables = (table for table in path.parent.glob(f"*{DATA}") if table.name.encode() in source)
        files |= {_name(home, module, table): table for table in tables}
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        waiting += (used for used in _imported(source, package) if any(_is_in(used, room) for room in rooms))
    return dict(sorted(files.items(), key=lambda file: file[1]))


def _path(home: Path, module: str) -> Path:
    """Where a module stands, of this program or of a package that brings a game; a folder where there is none."""
    top, *rest = module.split(".")
    if top == companion.__name__:
        return home.joinpath(*rest).with_suffix(".py")
    return Path(getattr(sys.modules.get(module), "__file__", None) or home)


def _name(home: Path, module: str, path: Path) -> str:
    """The name of a file in the digest, which is the same wherever the program and the package are installed."""
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else f"{module}/{path.name}"


def _is_in(module: str, room: str) -> bool:
    """Whether it is a part of the room; a package that brings a game may be one module."""
    return module.startswith(f"{room}.") or (module == room and room not in ROOMS)


def _imported(source: bytes, package: str) -> Iterator[str]:
    """The modules that a module of a package imports, and names that may be some."""
    for node in ast.walk(_parsed(source)):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                above = package.split(".")[: 1 - level or None] if level else []
                origin = ".".join((*above, *([origin] if origin else [])))
                yield from (origin, *(f"{origin}.{alias.name}" for alias in names))


def _parsed(source: bytes) -> ast.Module:
    """The tree of a module. Other threads parse, too, such as one that logs a traceback: none comes in meanwhile.

    While Python 3.11 parses, another thread can come in only as memory is tidied.
    """
    was_tidied = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if was_tidied:
            gc.enable()
