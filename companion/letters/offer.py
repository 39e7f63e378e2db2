"""What a hub has for one table: the game that it plays now, corrections, and what it rings. Plain values, which need no
package.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from companion.ids import Id
from companion.journal import codec
from companion.journal.record import WallUs
from companion.journal.session import digest
from companion.words import N_

MOST_PLAYERS = 8
MOST_ORDERS = 20
MOST_AGAIN = 50
VEIL, VEIL_LENGTH = "table-companion-session/1\n", 32
MOST_POINTS, LONGEST_REASON = 1000, 200  # `companion.games.rulings` has the same.

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


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling of the staff that the table enters into one of its games, as a referee does; `id` is the event's."""

    id: Id
    session: Id
    player: Id
    points: Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]
    why: Annotated[str, Meta(max_length=LONGEST_REASON)]


COMES = "comes"  # A table that has called hears this.
CHIME_SENTENCES = {
    "begins": N_("The round begins."),
    "five minutes": N_("Five minutes left."),
    "one minute": N_("One minute left."),
    "ends": N_("The round is over. Finish your turn."),
    COMES: N_("Somebody of the staff is coming."),
}
UNKNOWN_CHIME = N_("The hall's staff ring. Ask them why.")  # A newer hub may have more sentences.


class Chime(msgspec.Struct, frozen=True, kw_only=True):
    """What the staff have the table ring, once for each `id`; `what` is one of CHIME_SENTENCES, or of a newer hub."""

    id: Id
    what: Annotated[str, Meta(max_length=64)]


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """All that a hub has for a table; nothing is the usual answer.

    again   numbers of letters that the hub does not have: the table sends them again
    hears   whether the hub wants to hear what the table does (`Doing`); an older one refuses to
    """

    offer: Offer | None = None
    orders: Annotated[tuple[Order, ...], Meta(max_length=MOST_ORDERS)] = ()
    chime: Chime | None = None
    again: Annotated[tuple[int, ...], Meta(max_length=MOST_AGAIN)] = ()
    hears: bool = False


class Doing(msgspec.Struct, frozen=True, kw_only=True):
    """What a table says of itself when it asks its hub. Newer tables may say more.

    session     of its active game, None for none; over, whether that is over
    wall_us     by the table's clock, and whether that can be believed
    sent        how many letters it has made with its key
    """

    session: Id | None = None
    over: bool = False
    wall_us: WallUs
    wall_sure: bool = True
    sent: Annotated[int, Meta(ge=0, le=codec.LARGEST)] = 0


def veil_session(session: str) -> str:
    """What a table says of a game's id where others may listen: whoever has the id knows it again, nobody learns it."""
    return digest(VEIL + session)[:VEIL_LENGTH]
