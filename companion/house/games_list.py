"""The list of games: a line each, also for those that cannot be read here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from companion.game.players import PlayerId
from companion.games import GAMES, title_of
from companion.house.outcomes import Header, Listed, StoredOutcome
from companion.house.people import People
from companion.house.symbols import Mark, marks_at_table
from companion.journal.export import session_of
from companion.journal.session import Session
from companion.journal.store import Journal
from companion.words import _


@dataclass(frozen=True)
class SessionSummary:
    """One line in the list of games.

    known   what the players are called; who has been deleted is left out
    """

    session: Session
    title: str
    known: Mapping[PlayerId, str]
    marks: tuple[Mark, ...]
    score: Mapping[str, int]
    over: bool
    seq: int

    @property
    def id(self) -> str:
        """Which game it is."""
        return self.session.id

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each player, in their order."""
        return tuple(self.known.get(player) or _("somebody") for player in self.session.players)


@dataclass(frozen=True)
class UnreadableGame:
    """One line in the list of games for one that cannot be opened here: what is known of it, and why."""

    header: Header
    title: str
    names: Mapping[PlayerId, str]
    seq: int
    why: str

    @property
    def id(self) -> str:
        """Which game it is."""
        return self.header.session


def games_list(
    journal: Journal, people: People, listed: Iterable[Listed]
) -> tuple[SessionSummary | UnreadableGame, ...]:
    """The lines of these games, with the names and marks that their players have now."""
    found = [(msgspec.json.decode(one.header, type=Header), one) for one in listed]
    players = tuple(player for header, _one in found for player in header.players)
    names = {player.id: player.name for player in journal.players(players)}
    own = people.own_marks(players)
    return tuple(
        summary(session_of(one.header), one.seq, one.kept, names, own) if one.kept else unreadable(header, one, names)
        for header, one in found
    )


def summary(
    session: Session, seq: int, kept: StoredOutcome, names: Mapping[PlayerId, str], own: Mapping[PlayerId, Mark]
) -> SessionSummary:
    """A line in the list of games; `names` and `own` marks are those of all players of the list."""
    marks = marks_at_table(session.players, own, kept.colours)
    return SessionSummary(
        session,
        GAMES[session.game].title,
        {player: names[player] for player in session.players if player in names},
        tuple(marks[player] for player in session.players),
        kept.outcome.score,
        kept.outcome.over,
        seq,
    )


def unreadable(header: Header, one: Listed, names: Mapping[PlayerId, str]) -> UnreadableGame:
    """A line for a game that cannot be opened here."""
    known = {player: names[player] for player in header.players if player in names}
    return UnreadableGame(header, title_of(header.game), known, one.seq, one.unreadable)
