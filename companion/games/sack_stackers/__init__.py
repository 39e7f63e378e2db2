"""Sack Stackers: two dice for all players, gifts and coal fall into sacks.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `dice`, `coal`, `turns`, `groups`, `scoring`.
The pages: `pages`, `entry` (the draft and the roll), `choices` (what counts of a draft), `drawing`, `standings`,
`wording`. `camera` interprets a roll that it sees, `interface` has lights and presets, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Dice, Game, Pages, Sight, rules_of
from companion.game.seeing import Eyes
from companion.games.sack_stackers import camera, entry, how_to, interface, pages, rules, wording
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        round_of=lambda state: state.turn,
        dice=Dice(thrown=interface.thrown, throw=entry.throw),
    ),
    pages=Pages(
        tagline=N_("Two dice for everyone. Gifts drop into Santa's sack."),
        view=pages.view,
        describe=wording.describe,
        drafted=entry.drafted,
        how_to=how_to.how_to,
        hint=how_to.hint,
        presets=interface.PRESETS,
        round_word=N_("Turns"),
        sheet=interface.SHEET,
    ),
    sight=Sight(eyes=lambda _state: Eyes(), propose=camera.propose),
    box=Box(look=interface.look),
)
