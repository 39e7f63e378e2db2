"""A session: one game at one table, from set-up to the result. Its header is the first thing the hash chain covers."""

import hashlib
import json
import secrets
from dataclasses import dataclass

import msgspec

from companion.foreign import Unreadable, read_json
from companion.game.game import Options
from companion.game.players import PlayerId


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
    rules       `rules_digest` of the rules it was begun with, "" for a game of an older version
    package     the package that brought its game, with its version; "" for a game of this program
    """

    id: str
    game: str
    options: Options
    players: tuple[PlayerId, ...]
    created_wall_us: int
    preset: str = ""
    locked: bool = False
    rules: str = ""
    package: str = ""


def new_id() -> str:
    """A new globally unique id without any meaning: 96 random bits in hex."""
    return secrets.token_hex(12)


def new_salt() -> str:
    """A new salt: 128 random bits in hex."""
    return secrets.token_hex(16)


def canonical_json(value: object) -> str:
    """The canonical text of a JSON value, for hashing: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


class Address(msgspec.Struct):
    """What the content of an entry says of the entry itself; None where it says nothing."""

    session: str | None = None
    seq: int | None = None
    id: str | None = None


def agrees(content: str, session: str, seq: int, id_: str) -> bool:
    """Whether an entry's content says what stands beside it: the hash covers the content alone."""
    try:
        address = read_json(content, Address)
    except Unreadable:
        return False
    return all(
        part in (None, stands) for part, stands in ((address.session, session), (address.seq, seq), (address.id, id_))
    )


def named_in(header: str) -> str:
    """The id of the session that a header names, or ""."""
    try:
        return str(read_json(header)["session"])
    except (Unreadable, KeyError, TypeError):
        return ""
