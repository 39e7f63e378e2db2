"""The games of this companion, one line each, and what they share: `rulings`, `resting`, `seats`, `own_colours`.

A game knows no other game, no table, camera, page or button box. Its `rules` read no clock and draw nothing at random,
and no rule is decided on a page or by a reading: both only offer events that `rules` accepts.
"""

from collections.abc import Mapping

from companion.game.game import AnyGame
from companion.games import pack_and_stack, sack_stackers, samestax, sandpile_panic, speedstax, stack_dice, swapstax

GAMES: Mapping[str, AnyGame] = {
    game.rules.name: game
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
    """The title of a game, or its name when this version does not have that game."""
    game = GAMES.get(name)
    return game.pages.title if game else name
