"""Who sits where: checks and the order around the table, the same in every game."""

from collections.abc import Collection

from companion.errors import IllegalEvent
from companion.words import _


def check_seats(title: str, players: Collection[str], fewest: int, most: int) -> None:
    """Raises IllegalEvent unless a game is for so many players."""
    if not fewest <= len(players) <= most:
        raise IllegalEvent(
            _(
                "{title} is for {fewest_players} to {most_players} players. Change the number of players.",
                title=title,
                fewest_players=fewest,
                most_players=most,
            )
        )


def check_player(players: Collection[str], player: str) -> None:
    """Raises IllegalEvent for somebody who is not in the game."""
    if player not in players:
        raise IllegalEvent(_("That player isn't in this game. Choose one who is."))


def clockwise(players: tuple[str, ...], first: int) -> tuple[str, ...]:
    """All players clockwise from the seat `first`, counted from 0."""
    return (*players[first:], *players[:first])
