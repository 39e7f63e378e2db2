"""Stack: fourteen dice each, stacked on the rivals' numbers, captured at four.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `stacks` (dice on dice), `turns`, `mistakes`,
`scoring`. The pages: `pages`, `entry` (start roll and drop), `reports` (mistakes), `drawing`, `standings`, `wording`.
The meaning of readings: `camera`, with `piles`, `moves` and `falls`. `interface` has buttons, lights and
presets, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Dice, Game, Pages, Sight, rules_of
from companion.games.stack_dice import camera, entry, how_to, interface, pages, rules, wording
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        ranked=rules.ranked,
        begins=lambda state: state.starter,
        round_of=lambda state: len(state.past) + 1,
        dice=Dice(thrown=interface.thrown, throw=interface.throw),
        colours=interface.colours,
        why_no_rest=N_("Nobody passes in Stack: everybody plays a die on each of their turns."),  # ST-38
    ),
    pages=Pages(
        title="Stack",
        tagline=N_("Fourteen dice each: stack on your rivals' numbers, capture at four."),
        view=pages.view,
        describe=wording.describe,
        drafted=entry.drafted,
        how_to=how_to.how_to,
        hint=how_to.hint,
        deal_due=how_to.deal_due,
        presets=interface.PRESETS,
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose),
    box=Box(bind=interface.bind, look=interface.look),
)
