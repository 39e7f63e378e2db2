"""Pack & Stack: roll a load, grab a truck, pack it without a gap.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `loads` (boxes in trucks), `rounds`, `rewards`,
`scoring`. The best load: `advice`, and `cp_sat` if OR-tools is installed; `bench` times it. The pages: `pages`, `entry`
(drafts), `answers` (pages of advice), `drawing`, `standings`, `wording`. `camera` interprets boxes beside the trucks,
`interface` has buttons, lights, presets and the score sheet, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Dice, Game, Pages, Sight, rules_of
from companion.games.pack_and_stack import answers, bench, camera, entry, how_to, interface, pages, rules, wording
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        begins=lambda state: state.current.starter,
        round_of=lambda state: len(state.past) + 1,
        dice=Dice(thrown=interface.thrown, throw=entry.throw),
        why_no_rest=N_("Everybody packs in each round: who sits one out would lose no points in it."),  # PS-20, PS-52
    ),
    pages=Pages(
        title="Pack & Stack",
        tagline=N_("Roll a load, grab a truck, pack it without a gap."),
        view=pages.view,
        describe=wording.describe,
        how_to=how_to.how_to,
        hint=how_to.hint,
        deal_due=how_to.deal_due,
        presets=interface.PRESETS,
        advice=answers.ADVICE,
        sheet=interface.SHEET,
        benches={"loads": bench.figures},
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose),
    box=Box(bind=interface.bind, look=interface.look),
)
