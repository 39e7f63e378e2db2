"""The games this companion knows: one line each."""

from collections.abc import Mapping

from companion.game.game import AnyGame
from companion.games import pack_and_stack, sack_stackers, samestax, sandpile_panic, speedstax, stack_dice, swapstax

GAMES: Mapping[str, AnyGame] = {
    game.name: game
    for game in (
        sack_stackers.GAME,
        stack_dice.GAME,
        sandpile_panic.GAME,
        pack_and_stack.GAME,
        speedstax.GAME,
        samestax.GAME,
        swapstax.GAME,
    )
}


def title_of(name: str) -> str:
    """The title of a game; one that only another version knows, by its name."""
    game = GAMES.get(name)
    return game.title if game else name
