"""SWAPSTAX: swap for the card you can build; its stars are your points.

The rules: `rules` (start, apply, scoring, legal), `state` (with options and events), `swaps`. `pages` and `wording`
show it, `camera` interprets readings, `interface` has buttons, lights and presets, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Game, Pages, Sight, rules_of
from companion.games.maxstax import round_view
from companion.games.maxstax.timer import FAMILY
from companion.games.swapstax import camera, how_to, interface, pages, rules, wording
from companion.games.swapstax.state import ROUNDS
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        due=rules.due,
        begins=lambda state: state.order[0] if state.order else None,
        round_of=lambda state: len(state.past) + len(state.stack_offs) + 1,
        family=FAMILY,
    ),
    pages=Pages(
        title="SWAPSTAX",
        tagline=N_("Swap for the card you can build; its stars are your points."),
        view=pages.view,
        describe=wording.describe,
        how_to=how_to.how_to,
        hint=how_to.hint,
        deal_due=how_to.deal_due,
        presets=interface.PRESETS,
        round_name=lambda number: round_view.round_name(number, ROUNDS),
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose, glanced=camera.glanced),
    box=Box(bind=interface.bind, look=interface.look),
)
