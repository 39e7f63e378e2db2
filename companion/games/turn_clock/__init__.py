"""Turn Clock: a clock for any game, with a button for each seat.

The rules: `rules` (start, apply, legal), `turns` (the effect of each event), `state`, `events`, `options`. The pages:
`pages`, `wording`. `lights` has the buttons and lights, `how_to` teaches the clock.
"""

from dataclasses import replace

from companion.game.game import Box, Game, Pages, rules_of
from companion.games.turn_clock import how_to, lights, options, pages, rules, wording
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(rules_of(rules), due=rules.due, first_seat="first_seat", why_no_rest=rules.WHY_NO_REST),
    pages=Pages(
        tagline=N_("A clock for any game, with a button for each seat."),
        view=pages.view,
        describe=wording.describe,
        how_to=how_to.how_to,
        hint=how_to.hint,
        presets=options.PRESETS,
        charts=lambda state, viewer: (pages.times(state, viewer),),
    ),
    box=Box(bind=lights.bind, look=lights.look),
)
