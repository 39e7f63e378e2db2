"""What a hub has for one table: the game of a tournament that it plays now. Plain values, which need no package."""

from typing import Annotated

import msgspec
from msgspec import Meta

from companion.ids import Id

MOST_PLAYERS = 8

Short = Annotated[str, Meta(max_length=400)]


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody at a seat of the game; the id is of this game alone."""

    id: Id
    name: Short


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """The game that the table has to play.

    session         id that the game is to have
    title, round    of the tournament
    number          of the game in its round
    players         by seat
    """

    session: Id
    title: Short
    round: int
    number: int
    game: Annotated[str, Meta(max_length=64)]
    preset: Annotated[str, Meta(max_length=64)]
    players: Annotated[tuple[Player, ...], Meta(min_length=2, max_length=MOST_PLAYERS)]


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """All that a hub has for a table; nothing is the usual answer."""

    offer: Offer | None = None
