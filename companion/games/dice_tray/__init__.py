"""Dice tray: any dice that lie on the table, who rolls next, and what counts.

The rules: `rules` (start, apply, legal), `options`, `lying` (what dice make). `pages` has pages and history, `draft`
what is chosen there, `camera` what dice on the table mean, `how_to` teaches it.
"""

from dataclasses import replace

from companion.game.game import Box, Dice, Game, Pages, Sight, rules_of
from companion.games.dice_tray import camera, draft, how_to, pages, rules
from companion.games.dice_tray.options import PRESETS
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        round_of=rules.round_of,
        dice=Dice(thrown=camera.thrown, throw=camera.throw),
    ),
    pages=Pages(
        tagline=N_("Roll any dice. The table reads them, adds them up and says who is next."),
        view=pages.view,
        describe=pages.describe,
        drafted=draft.drafted,
        how_to=how_to.how_to,
        hint=how_to.hint,
        presets=PRESETS,
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose),
    box=Box(bind=pages.bind),
)
