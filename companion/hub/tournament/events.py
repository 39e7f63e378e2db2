"""What happens in a tournament, as its journal keeps it."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.ids import Id
from companion.letters.envelope import Hash

MOST_ENTRANTS = 500
MOST_SEATS = 8
MOST_ROUNDS = 100
MOST_PAIRINGS = MOST_ENTRANTS // 2

Round = Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
Number = Annotated[int, Meta(ge=1, le=MOST_PAIRINGS)]
Seats = Annotated[int, Meta(ge=2, le=MOST_SEATS)]
MOST_MINUTES = 600
PLAIN = "plain"  # In place of a table's key: a table without a companion, of which a hall may have any number.
KeyOrNone = Annotated[str, Meta(pattern=rf"\A([0-9a-f]{{64}}|{PLAIN})?\Z", max_length=64)]
Minutes = Annotated[int, Meta(ge=0, le=MOST_MINUTES)]
Ranks = Annotated[tuple[tuple[Id, ...], ...], Meta(max_length=MOST_SEATS)]


class Form(StrEnum):
    """How a tournament goes from round to round."""

    ROUNDS = "rounds"  # Everybody plays each round, against rivals of the same strength.
    GROUP = "group"  # Everybody meets everybody.
    KNOCK_OUT = "knock-out"  # The best of each table go on.


class Happened(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="what"):
    """Base of all of them."""


class Begun(Happened, frozen=True, kw_only=True, tag="begun"):
    """A tournament was begun.

    game, preset    what is played, by its own presets
    least, most     players at a table
    rounds          how many are played, 0 for as many as the form needs
    through         how many of a table go on in a knock-out
    minutes         a round has, 0 for as long as it takes
    """

    game: Annotated[str, Meta(max_length=64)]
    preset: Annotated[str, Meta(max_length=64)]
    form: Form
    least: Seats
    most: Seats
    rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)]
    through: Annotated[int, Meta(ge=1, le=MOST_SEATS)]
    minutes: Minutes = 0


class Entered(Happened, frozen=True, kw_only=True, tag="entered"):
    """These came in, the strongest first as far as anybody knows."""

    entrants: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=MOST_ENTRANTS)]


class Withdrawn(Happened, frozen=True, kw_only=True, tag="withdrawn"):
    """This one is seated no more from the next round on."""

    entrant: Id


class CameBack(Happened, frozen=True, kw_only=True, tag="came back"):
    """This one, who had withdrawn, is seated again from the next round on."""

    entrant: Id


STORED = {"pairings": "boards"}  # Journals keep the older name.


class Pairing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One game of a round: who meets whom, and where.

    table       key of the table where it is played, PLAIN for one without a companion, "" while it waits for one
    session     id that the game has there: the result is known by it
    seats       entrants; the first sits at seat 1
    """

    number: Number
    table: KeyOrNone
    session: Id
    seats: Annotated[tuple[Id, ...], Meta(min_length=2, max_length=MOST_SEATS)]


class RoundPaired(Happened, frozen=True, kw_only=True, tag="round paired", rename=STORED):
    """A round was seated; who has a bye plays none of its games."""

    round: Round
    pairings: Annotated[tuple[Pairing, ...], Meta(min_length=1, max_length=MOST_PAIRINGS)]
    byes: Annotated[tuple[Id, ...], Meta(max_length=MOST_ENTRANTS)]


class Called(Happened, frozen=True, kw_only=True, tag="called"):
    """A game of the newest round was given to a table, as a new game there; older journals do not say by whom.

    by_hand     whether the staff gave it, and not the hub as the table got free
    """

    number: Number
    table: KeyOrNone
    session: Id
    by_hand: bool = False


class Swapped(Happened, frozen=True, kw_only=True, tag="swapped"):
    """Two entrants changed seats in the newest round. `sessions`: number of the game → id of the new one there."""

    first: Id
    second: Id
    sessions: Annotated[tuple[tuple[Number, Id], ...], Meta(min_length=1, max_length=2)]


class ResultTaken(Happened, frozen=True, kw_only=True, tag="result taken"):
    """A table sent the game; no ranks: it was corrected, and goes on."""

    session: Id
    head: Hash
    ranks: Ranks


class Accepted(Happened, frozen=True, kw_only=True, tag="accepted"):
    """The staff took a result that a table had signed in place of whatever a game had: its game is that one now."""

    round: Round
    number: Number
    table: KeyOrNone
    session: Id
    head: Hash
    ranks: Annotated[tuple[tuple[Id, ...], ...], Meta(min_length=1, max_length=MOST_SEATS)]


class ResultLeft(Happened, frozen=True, kw_only=True, tag="result left"):
    """The staff left a result that a table had signed: it counts nowhere.

    round, number   of its game; 0 where the tournament does not know that it was seated
    counted         whether its letter had counted until then, as a game of no tournament
    """

    round: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)]
    number: Annotated[int, Meta(ge=0, le=MOST_PAIRINGS)]
    table: KeyOrNone
    session: Id
    head: Hash
    counted: bool = False


class Ruled(Happened, frozen=True, kw_only=True, tag="ruled"):
    """The staff decided a game; no ranks: they took that back. Round 0 is the newest one: older journals name none."""

    number: Number
    ranks: Ranks
    round: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] = 0


class Suggested(Happened, frozen=True, kw_only=True, tag="suggested"):
    """A player of an open game without a table of ours said how it ended; it is over once all of them say the same."""

    session: Id
    by: Id
    ranks: Annotated[tuple[tuple[Id, ...], ...], Meta(min_length=1, max_length=MOST_SEATS)]


class Timed(Happened, frozen=True, kw_only=True, tag="timed"):
    """The clock of the newest round begins now, with so many minutes; 0 for no end."""

    round: Round
    minutes: Minutes


class Reseated(Happened, frozen=True, kw_only=True, tag="reseated"):
    """The newest round was seated by hand.

    pairings    games that are new, or have other players now; each with a session of its own
    dissolved   numbers of games that are no more
    byes        everybody who has a bye now
    """

    pairings: Annotated[tuple[Pairing, ...], Meta(max_length=MOST_PAIRINGS)]
    dissolved: Annotated[tuple[Number, ...], Meta(max_length=MOST_PAIRINGS)]
    byes: Annotated[tuple[Id, ...], Meta(max_length=MOST_ENTRANTS)]


class Opened(Happened, frozen=True, kw_only=True, tag="opened"):
    """A game of the newest round that was done is to be played again, as a new game that waits for a table."""

    number: Number
    session: Id


class Ended(Happened, frozen=True, kw_only=True, tag="ended"):
    """The tournament is over."""


class TakenBack(Happened, frozen=True, kw_only=True, tag="taken back"):
    """The entries with these numbers count no more. If this one is taken back itself, they count again."""

    seqs: Annotated[tuple[Annotated[int, Meta(ge=2)], ...], Meta(min_length=1)]


Event = (
    Begun
    | Entered
    | Withdrawn
    | CameBack
    | RoundPaired
    | Called
    | Swapped
    | ResultTaken
    | Accepted
    | ResultLeft
    | Ruled
    | Suggested
    | Timed
    | Reseated
    | Opened
    | Ended
    | TakenBack
)
