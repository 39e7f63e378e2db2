"""The games on the shelf: packages bring them, each by an entry point of the group `table_companion.games`.

The games of this program come by the same door. What cannot be taken is named with its reason, and all other
games are played.
"""

import logging
import re
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from companion import words
from companion.game.game import CONTRACT, AnyGame, Game
from companion.words import _

GROUP = "table_companion.games"
OURS = "table-companion"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")  # It stands in addresses and in the journal.
LANGUAGES = "languages"  # A package's folder with its sentences in other languages.

log = logging.getLogger(__name__)


class Refused(NamedTuple):
    """An entry point whose game is not played, and why, in one sentence."""

    package: str
    entry: str
    why: str


class Shelf(NamedTuple):
    """The games that are played, by name, and what could not be taken.

    packages    name of a game that others bring → their package and its version: "farkle 1.2"
    """

    games: Mapping[str, AnyGame]
    packages: Mapping[str, str]
    refused: tuple[Refused, ...]


def fill(points: Iterable[EntryPoint]) -> Shelf:
    """The games of these entry points: ours first, so that nobody takes their names, then by package."""
    games: dict[str, AnyGame] = {}
    packages: dict[str, str] = {}
    refused: list[Refused] = []
    for point in sorted(points, key=lambda point: (package_of(point) != OURS, package_of(point), point.name)):
        try:
            game = point.load()
            why = why_not(game, games)
            if not why and package_of(point) != OURS:
                words.add_catalogues(folder_of(point) / LANGUAGES)
        except (Exception, SystemExit) as error:  # Whatever a package does as it is opened, the others are played.
            log.warning("the game %s of the package %s cannot be opened", point.name, package_of(point), exc_info=True)
            reason = f"{type(error).__name__}: {error}"
            why = _("It can't be opened ({error}). Tell its author.", error=reason)
        if why:
            refused.append(Refused(package_of(point), point.name, why))
            continue
        games[game.rules.name] = game
        if package_of(point) != OURS:
            packages[game.rules.name] = f"{package_of(point)} {point.dist.version if point.dist else ''}".strip()
    order = sorted(games, key=lambda name: shelf_place(games[name]))
    return Shelf({name: games[name] for name in order}, packages, tuple(refused))


def why_not(game: Any, games: Mapping[str, AnyGame]) -> str:
    """Why what an entry point names is not played, "" if it is."""
    if not isinstance(game, Game):
        return _("Its entry point names no game. Tell its author.")
    if game.contract != CONTRACT:
        return _(
            "It was written for contract {theirs} of games, and this program has {ours}. Update the older of the two.",
            theirs=game.contract,
            ours=CONTRACT,
        )
    if not NAME.fullmatch(game.rules.name):
        return _("Its name needs to be of small letters, digits and “_”. Tell its author.")
    if game.rules.name in games:
        return _("Another package brings a game with the same name. Remove one of the two.")
    return ""


def shelf_place(game: AnyGame) -> tuple[str, str]:
    """Where a game stands in lists: by title, and families together at the end."""
    return (game.rules.family.name if game.rules.family else "", game.pages.title.casefold())


def package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist else ""


def folder_of(point: EntryPoint) -> Path:
    """The folder of the module that an entry point names; it has been imported."""
    return Path(sys.modules[point.module].__file__ or "").parent


GAMES, PACKAGES, REFUSED = fill(entry_points(group=GROUP))


def title_of(name: str) -> str:
    """The title of a game, or its name when nobody brings that game."""
    game = GAMES.get(name)
    return game.pages.title if game else name
