"""SAMESTAX: one creates a stack, the others have a minute to copy it.

`rules` is the rulebook, `interface` holds pages, cameras, buttons and lights, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Game, Pages, Sight, rules_of
from companion.games.maxstax.timer import FAMILY
from companion.games.samestax import how_to, interface, rules
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        due=rules.due,
        begins=lambda state: state.current.creator if state.current else None,
        round_of=lambda state: len(state.past) + 1,
        family=FAMILY,
    ),
    pages=Pages(
        title="SAMESTAX",
        tagline=N_("One builds a stack, the others have a minute to copy it."),
        view=interface.view,
        describe=interface.describe,
        how_to=how_to.how_to,
        hint=how_to.hint,
        deal_due=how_to.deal_due,
        presets=interface.PRESETS,
    ),
    sight=Sight(eyes=interface.eyes, propose=interface.propose, glanced=interface.glanced),
    box=Box(bind=interface.bind, look=interface.look),
)
