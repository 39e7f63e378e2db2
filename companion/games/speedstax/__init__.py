"""SPEEDSTAX: copy the card with your blocks and slap your button first.

`rules` is the rulebook, `interface` holds pages, cameras, buttons and lights, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Game, Pages, Sight, rules_of
from companion.games.maxstax import round_view
from companion.games.maxstax.timer import FAMILY
from companion.games.speedstax import how_to, interface, rules
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(rules_of(rules), due=rules.due, round_of=lambda state: len(state.past) + 1, family=FAMILY),
    pages=Pages(
        title="SPEEDSTAX",
        tagline=N_("Copy the card with your blocks and slap your button first."),
        view=interface.view,
        describe=interface.describe,
        how_to=how_to.how_to,
        hint=how_to.hint,
        deal_due=how_to.deal_due,
        presets=interface.PRESETS,
        round_name=lambda number: round_view.round_name(number, rules.ROUNDS),
    ),
    sight=Sight(eyes=interface.eyes, propose=interface.propose, glanced=interface.glanced),
    box=Box(bind=interface.bind, look=interface.look),
)
