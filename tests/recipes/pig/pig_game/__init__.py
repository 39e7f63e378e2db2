"""Pig: roll as often as you dare. A 1 takes all points of your turn. The first at a hundred wins.

`rules` is the game, `pages` what its players see and read, `camera` what a picture means.
"""

from companion.game.game import Dice, Game, Pages, Sight
from companion.words import N_
from pig_game import camera, pages, rules

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=rules.rules(Dice(thrown=camera.thrown, throw=camera.throw)),
    pages=Pages(
        title="Pig",
        tagline=N_("Roll as often as you dare. A 1 takes all points of your turn."),
        view=pages.view,
        describe=pages.describe,
        how_to=pages.how_to,
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose),
    contract=1,
)
