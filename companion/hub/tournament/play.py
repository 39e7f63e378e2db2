"""One game of a round, and a round, as they stand after some events."""

from collections.abc import Collection
from dataclasses import dataclass

from companion.errors import IllegalEvent
from companion.hub.tournament.events import PLAIN, Pairing, Ranks
from companion.journal.session import digest
from companion.words import _

STAMP_LENGTH = 16


@dataclass(frozen=True)
class Play:
    """One game of a round, and how it stands.

    head, ranks     what the table sent last, "" and () for nothing
    ruled           what the staff decided, () for nothing: it comes before what the table sends
    sayings         (player, places) in order: how the players say that it ended, where no table of ours does
    """

    pairing: Pairing
    head: str = ""
    ranks: Ranks = ()
    ruled: Ranks = ()
    sayings: tuple[tuple[str, Ranks], ...] = ()

    @property
    def outcome(self) -> Ranks:
        """Entrants in groups placed alike, best first; () while it is open."""
        return self.ruled or self.ranks or self.agreed

    @property
    def said(self) -> dict[str, Ranks]:
        """Player → what this one says now."""
        return dict(self.sayings)

    @property
    def suggestions(self) -> dict[Ranks, list[str]]:
        """Places → who says so, what was said first comes first. More than one is a contradiction."""
        found: dict[Ranks, list[str]] = {}
        for player, ranks in self.said.items():
            found.setdefault(ranks, []).append(player)
        return found

    @property
    def agreed(self) -> Ranks:
        """What all players say, () while they do not."""
        for ranks, players in self.suggestions.items():
            if len(players) == len(self.pairing.seats):
                return ranks
        return ()

    @property
    def is_at_ours(self) -> bool:
        """Whether a table with a companion has it, which sends its result."""
        return self.pairing.table not in ("", PLAIN)

    @property
    def is_done(self) -> bool:
        """Whether it is over or ruled."""
        return bool(self.outcome)

    @property
    def stamp(self) -> str:
        """Changes with whatever is known of the game: who decides it says what was seen."""
        return digest(f"{self.pairing.session} {self.head} {self.ranks} {self.ruled} {self.sayings}")[:STAMP_LENGTH]


@dataclass(frozen=True)
class Round:
    """A round as it was seated."""

    number: int
    plays: tuple[Play, ...]
    byes: tuple[str, ...]

    @property
    def open(self) -> tuple[Play, ...]:
        """The games that are neither over nor ruled."""
        return tuple(play for play in self.plays if not play.is_done)

    @property
    def is_closed(self) -> bool:
        """Whether each table is done or ruled."""
        return not self.open


def check_idle(play: Play, playing: Collection[str]) -> None:
    """Raises IllegalEvent if a game has begun at its table."""
    if play.pairing.session in playing:
        raise IllegalEvent(
            _("Game {number} is being played already. Let it finish, or rule its places.", number=play.pairing.number)
        )
