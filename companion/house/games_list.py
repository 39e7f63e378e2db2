"""The list of games: one line each, also for games that cannot be read here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion.foreign import read_json
from companion.game.players import PlayerId
from companion.house.outcomes import Header, StoredGame, StoredOutcome
from companion.house.people import People
from companion.house.symbols import Mark, marks_at_table
from companion.journal.export import session_of
from companion.journal.session import Session
from companion.journal.store import Journal
from companion.shelf import GAMES, title_of
from companion.words import _


@dataclass(frozen=True)
class SessionSummary:
    """One line in the list of games.

    known_names     the players' names; deleted players are left out
    """

    session: Session
    title: str
    known_names: Mapping[PlayerId, str]
    marks: tuple[Mark, ...]
    score: Mapping[str, int]
    over: bool
    seq: int
    ended_early: bool = False

    @property
    def id(self) -> str:
        return self.session.id

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each player, in the order of the seats."""
        return tuple(self.known_names.get(player) or _("somebody") for player in self.session.players)


@dataclass(frozen=True)
class UnreadableGame:
    """The line in the list of a game that cannot be opened here, and why it cannot."""

    header: Header
    title: str
    names: Mapping[PlayerId, str]
    seq: int
    why: str

    @property
    def id(self) -> str:
        return self.header.session


def games_list(
    journal: Journal, people: People, games: Iterable[StoredGame]
) -> tuple[SessionSummary | UnreadableGame, ...]:
    """The lines of these games, with the present names and marks of their players."""
    headed = [(read_json(game.header, Header), game) for game in games]
    players = tuple(player for header, _game in headed for player in header.players)
    names = {player.id: player.name for player in journal.players(players)}
    own = people.own_marks({player: header.created_wall_us for header, _game in headed for player in header.players})
    faces = people.faces(players)
    return tuple(
        summary(session_of(game.header), game.seq, game.stored, names, own, faces)
        if game.stored
        else unreadable(header, game, names)
        for header, game in headed
    )


def summary(
    session: Session,
    seq: int,
    stored: StoredOutcome,
    names: Mapping[PlayerId, str],
    own: Mapping[PlayerId, Mark],
    faces: Mapping[PlayerId, str],
) -> SessionSummary:
    """The line of a game that can be read.

    names, own, faces   names, own marks and faces of all players of the list
    """
    marks = marks_at_table(session.players, own, stored.colours, faces)
    return SessionSummary(
        session,
        GAMES[session.game].pages.title,
        {player: names[player] for player in session.players if player in names},
        tuple(marks[player] for player in session.players),
        stored.outcome.score,
        stored.outcome.over,
        seq,
        stored.ended_early,
    )


def unreadable(header: Header, game: StoredGame, names: Mapping[PlayerId, str]) -> UnreadableGame:
    """The line of a game that cannot be opened here."""
    present_names = {player: names[player] for player in header.players if player in names}
    return UnreadableGame(header, title_of(header.game), present_names, game.seq, game.unreadable)
