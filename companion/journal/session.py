"""A session: one game at one table, from set-up to the result. Its header is the first thing the hash chain covers."""

import hashlib
import json
import secrets
import unicodedata
from dataclasses import dataclass

from companion.errors import BadInput
from companion.game.game import Options
from companion.game.players import PlayerId
from companion.words import _

NAME_LENGTH = 40  # longer does not fit beside a score that is read from two metres


@dataclass(frozen=True)
class Player:
    """A person at the table. The journal knows only the id; deleting the name breaks no chain."""

    id: PlayerId
    name: str
    birth_year: int | None = None


@dataclass(frozen=True)
class Session:
    """One game at the table: which game, with which options, by whom (clockwise; the first sits at seat 1).

    preset      name of the preset it was begun with, "" for options of its own
    locked      the options stay, and only the referee corrects and rules
    """

    id: str
    game: str
    options: Options
    players: tuple[PlayerId, ...]
    created_wall_us: int
    preset: str = ""
    locked: bool = False


def new_id() -> str:
    """A new globally unique id without any meaning: 96 random bits in hex."""
    return secrets.token_hex(12)


def tidy_name(name: str) -> str:
    """A name as it is stored: in Unicode's NFC, since keyboards send "ë" as one character or as two."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def alike(name: str) -> str:
    """A key that two names share if they look the same but for upper and lower case."""
    return unicodedata.normalize("NFC", name.casefold())


def checked_names(names: list[str]) -> tuple[str, ...]:
    """Names as they will be stored; raises BadInput for one that cannot be used."""
    return shown_names([tidy_name(name) for name in names])


def shown_names(names: list[str]) -> tuple[str, ...]:
    """The same for the names of an imported game, which are not brought into NFC."""
    checked: list[str] = []
    for number, name in enumerate(names, start=1):
        tidy = " ".join(name.split())
        if not tidy:
            raise BadInput(_("Player {number} has no name: type one.", number=number))
        if len(tidy) > NAME_LENGTH:
            raise BadInput(
                _(
                    "The name of player {number} has {n} characters: use at most {name_length}.",
                    number=number,
                    n=len(tidy),
                    name_length=NAME_LENGTH,
                )
            )
        if not tidy.isprintable():
            raise BadInput(
                _("The name of player {number} has characters that cannot be shown: type it again.", number=number)
            )
        if tidy.casefold() in (earlier.casefold() for earlier in checked):
            raise BadInput(_("Two players are called {tidy}: add a letter to one of them.", tidy=tidy))
        checked.append(tidy)
    return tuple(checked)


def canonical_json(value: object) -> str:
    """The canonical text of a JSON value, for hashing: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()
