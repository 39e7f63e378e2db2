"""Which game of which tournament a session is: also of one that was given away since, or whose seating was lost.

The journal alone says what counts. This is what finds the journal of a letter, however many tournaments there are.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from companion.foreign import read_json
from companion.hub.database import LETTERS, SESSIONS, Standing
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import Accepted, Event, Ranks, ResultLeft
from companion.hub.tournament.play import Play
from companion.hub.tournament.state import State, first_act, taken_back
from companion.journal.session import digest
from companion.letters.offer import Offer, Player

PLAYER_LENGTH = 24
FIND = sa.select(SESSIONS).where(SESSIONS.c.session == sa.bindparam("of"))


@dataclass(frozen=True)
class Given:
    """A game as a tournament has given it to a table.

    round, number   of the game; 0 where the tournament does not know that it was seated
    table           key of the table, whose result comes by itself; "" for a game that waited for one
    seats           entrants by seat
    """

    session: str
    tournament: str
    round: int
    number: int
    table: str
    seats: tuple[str, ...]


def player_of(session: str, entrant: str) -> str:
    """The id of an entrant as a player of that one game: nobody can tell from it who that is elsewhere."""
    return digest(f"{session}/{entrant}")[:PLAYER_LENGTH]


def find_given(db: sa.Connection, session: str) -> Given | None:
    """The game that this session is, None for one of no tournament."""
    row = db.execute(FIND, {"of": session}).first()
    if row is None:
        return None
    seats = tuple(read_json(row.seats, list[str]))
    return Given(row.session, row.tournament, row.round, row.number, row.table_id, seats)


def remember_given(db: sa.Connection, given: Given) -> None:
    """Writes which game a session is; a table that it has now takes the place of the one before."""
    values = {
        "tournament": given.tournament,
        "round": given.round,
        "number": given.number,
        "table_id": given.table,
        "seats": json.dumps(given.seats),
    }
    here = sa.update(SESSIONS).where(SESSIONS.c.session == given.session)
    if db.execute(here.values(values)).rowcount == 0:
        db.execute(sa.insert(SESSIONS).values({"session": given.session, **values}))


def remember_sessions(db: sa.Connection, tournament: str, before: State | None, after: State) -> None:
    """Writes the games that an event of a tournament has given to tables."""
    known = {id(round_) for round_ in before.rounds} if before else set()
    old = before.sessions() if before else {}
    for round_ in after.rounds:
        for play in round_.plays if id(round_) not in known else ():
            pairing = play.pairing
            earlier = old.get(pairing.session)
            if earlier is None or earlier[1].pairing != pairing:
                given = Given(
                    pairing.session, tournament, round_.number, pairing.number, pairing.table, tuple(pairing.seats)
                )
                remember_given(db, given)


def settle_letters(db: sa.Connection, journal: Sequence[Event], before: State, after: State) -> None:
    """Has letters count as the tournament does, after the newest entry of its journal took something back.

    Where that is a result which the staff had taken, it waits for them again, and what its game had before counts
    again; where they take even that back, it counts once more. One that they had left waits for them again, too, or
    counts as it did. Nothing else changes a letter.
    """
    seq = first_act(journal, len(journal))
    event = journal[seq - 1]
    if isinstance(event, ResultLeft):
        settle_left(db, event, after, is_left=seq not in taken_back(journal))
    if not isinstance(event, Accepted):
        return
    lost = Standing.WAITS if seq in taken_back(journal) else Standing.SET_ASIDE
    had, has = (find_numbered(state, event.round, event.number) for state in (before, after))
    if had and has and (had.pairing.session, had.head) != (has.pairing.session, has.head):
        put_standing(db, had, lost, Standing.COUNTS)
        put_standing(db, has, Standing.COUNTS, Standing.WAITS, Standing.SET_ASIDE)


def settle_left(db: sa.Connection, left: ResultLeft, state: State, *, is_left: bool) -> None:
    """Has a letter that the staff left count nowhere, or as it did before; a game that has a result gets no second."""
    _number, play = state.sessions().get(left.session, (0, None))
    if play and play.head == left.head:  # It was taken since.
        return
    this = (left.session, left.head, left.table)
    if is_left:
        put_letter(db, *this, Standing.SET_ASIDE, Standing.WAITS, Standing.COUNTS)
        return
    counting = sa.select(LETTERS.c.number).where(LETTERS.c.standing == Standing.COUNTS.value)
    is_taken = db.execute(counting.where(LETTERS.c.session == left.session)).first() is not None
    put_letter(db, *this, Standing.COUNTS if left.counted and not is_taken else Standing.WAITS, Standing.SET_ASIDE)


def put_standing(db: sa.Connection, play: Play, standing: Standing, *before: Standing) -> None:
    """Gives the letter of a game's result this standing, if it has one of those."""
    put_letter(db, play.pairing.session, play.head, play.pairing.table, standing, *before)


def put_letter(db: sa.Connection, session: str, head: str, table: str, standing: Standing, *before: Standing) -> None:
    """The same of a letter that a table has sent."""
    mine = (LETTERS.c.session == session) & (LETTERS.c.head == head)
    of_table = (LETTERS.c.table_id == table) & LETTERS.c.standing.in_([one.value for one in before])
    db.execute(sa.update(LETTERS).where(mine, of_table).values(standing=standing.value))


def find_numbered(state: State, round_: int, number: int) -> Play | None:
    """The game of that round and number, None for none."""
    plays = (play for one in state.rounds if one.number == round_ for play in one.plays)
    return next((play for play in plays if play.pairing.number == number), None)


def play_at(state: State, given: Given) -> Play | None:
    """The game of that round and number as it is now, if the same people sit there; None if they do not."""
    for round_ in state.rounds:
        for play in round_.plays:
            if (round_.number, play.pairing.number) == (given.round, given.number):
                return play if set(play.pairing.seats) == set(given.seats) else None
    return None


def recognise(tournament: str, state: State, session: str, players: Collection[str]) -> Given | None:
    """The game that these players have, if all of them are entrants under a session that the tournament has lost."""
    entrants = {player_of(session, entrant): entrant for entrant in state.entrants}
    if not players or not set(players) <= entrants.keys():
        return None
    seats = tuple(entrants[player] for player in players)
    for round_ in reversed(state.rounds):
        for play in round_.plays:
            if set(play.pairing.seats) == set(seats):
                return Given(session, tournament, round_.number, play.pairing.number, "", seats)
    return Given(session, tournament, 0, 0, "", seats)


def placed_entrants(session: str, seats: Sequence[str], ranks: Iterable[Iterable[str]]) -> Ranks | None:
    """Entrants by place, from the players of a letter; () while its game goes on, None if others played."""
    entrants = {player_of(session, entrant): entrant for entrant in seats}
    placed = tuple(tuple(entrants.get(player, "") for player in group) for group in ranks)
    seated = sorted(entrant for group in placed for entrant in group)
    return placed if not placed or seated == sorted(seats) else None


def offer_of(tournament: Tournament, play: Play) -> Offer:
    """A game of a tournament as its table is told of it."""
    plan, pairing = tournament.state.plan, play.pairing
    return Offer(
        session=pairing.session,
        title=tournament.title,
        round=len(tournament.state.rounds),
        number=pairing.number,
        game=plan.game,
        preset=plan.preset,
        players=tuple(
            Player(id=player_of(pairing.session, entrant), name=tournament.name_of(entrant))
            for entrant in pairing.seats
        ),
    )
