"""Score pad: the points of any game, written by everybody on their own phone.

The rules: `rules` (start, apply, legal), `options`, `rows` (the rows of a category pad), `presets`. `pages` has pages,
history and lights, `draft` what is chosen there, `camera` what dice mean, `how_to` teaches it.
"""

from dataclasses import replace

from companion.game.game import Box, Dice, Game, Pages, Sight, rules_of
from companion.game.parts.rules import NO_DICE
from companion.games.score_pad import camera, draft, how_to, pages, presets, rules
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        ranked=rules.ranked,
        round_of=rules.round_of,
        writers=lambda state: state.options.writers,
        dice=Dice(thrown=NO_DICE.thrown, throw=camera.throw),  # Nobody knows which dice of a roll were kept.
        why_no_rest=rules.WHY_NO_REST,
    ),
    pages=Pages(
        tagline=N_("Write the points of any game. Everybody has a column."),
        view=pages.view,
        describe=pages.describe,
        drafted=draft.drafted,
        how_to=how_to.how_to,
        hint=how_to.hint,
        presets=presets.PRESETS,
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose),
    box=Box(bind=pages.bind, look=pages.look),
)
