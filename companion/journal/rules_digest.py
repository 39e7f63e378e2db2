"""A digest of the rules that a game is played by: whoever reads the game later sees whether theirs are the same."""

import ast
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
from companion.games import GAMES

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
    for path in rules_files(home, game):
        content = path.read_bytes().replace(b"\r\n", b"\n")  # A checkout on another system has the same rules.
        name = path.relative_to(home).as_posix() if path.is_relative_to(home) else path.name
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def rules_files(home: Path, game: AnyGame) -> tuple[Path, ...]:
    """The files that the game's rules stand in, sorted: modules, what they import, and the printed tables they name.

    Pages, cameras and advice are left out, as they change no point of a game that was played.
    """
    rules = game.rules
    ruling = (rules.start, rules.awaiting, rules.legal, rules.apply, rules.score, rules.is_over, rules.winners)
    says = (*ruling, rules.ranked, *rules.events, rules.options)
    waiting = [rule.__module__ for rule in says if not rule.__module__.startswith(CONTRACT)]
    sources: dict[Path, bytes] = {}
    while waiting:
        path = _path(home, waiting.pop())
        if path in sources or not path.is_file():  # A name that is imported from a package may be no module.
            continue
        sources[path] = path.read_bytes()
        waiting += _imported(sources[path])
    data = {
        table
        for path, source in sources.items()
        for table in path.parent.glob(f"*{DATA}")
        if table.name.encode() in source
    }
    return tuple(sorted(sources.keys() | data))


def _path(home: Path, module: str) -> Path:
    """Where a module stands, of this program or of a game that was added to it."""
    top, *rest = module.split(".")
    return (
        home.joinpath(*rest).with_suffix(".py")
        if top == companion.__name__
        else Path(sys.modules[module].__file__ or "")
    )


def _imported(source: bytes) -> Iterator[str]:
    """The modules of ROOMS that a module imports, and names that may be some."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names):
                named = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), names=names, level=0):
                named = [module, *(f"{module}.{alias.name}" for alias in names)]
            case _:
                continue
        yield from (name for name in named if name.startswith(tuple(f"{room}." for room in ROOMS)))
