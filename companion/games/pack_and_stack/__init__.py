"""Pack & Stack: roll a load, grab a truck, pack it without a gap.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `loads` (boxes in trucks), `rounds`, `rewards`,
`scoring`. The best load: `advice`, and `cp_sat` if OR-tools is installed; `bench` times it. The pages: `pages`, `entry`
(drafts), `answers` (pages of advice), `drawing`, `standings`, `wording`. `camera` interprets boxes beside the trucks,
`interface` has buttons, lights, presets and the score sheet, `how_to` teaches the game.
No rule is decided on a page, and no rule reads the clock or draws at random: `answers` and `camera` only suggest.
"""

from companion.game.game import Box, Dice, Game, Pages, Rules, Sight
from companion.games.pack_and_stack import bench, interface, rules, scoring
from companion.games.pack_and_stack.answers import ADVICE
from companion.games.pack_and_stack.camera import eyes, propose
from companion.games.pack_and_stack.entry import throw
from companion.games.pack_and_stack.events import EVENTS, Event
from companion.games.pack_and_stack.how_to import deal_due, how_to
from companion.games.pack_and_stack.options import FEWEST_PLAYERS, MOST_PLAYERS, Options
from companion.games.pack_and_stack.pages import view
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.state import State
from companion.games.pack_and_stack.wording import describe
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="pack_and_stack",
        seats=(FEWEST_PLAYERS, MOST_PLAYERS),
        options=Options,
        events=EVENTS,
        start=rules.start,
        awaiting=awaiting,
        legal=rules.legal,
        apply=rules.apply,
        score=scoring.score,
        explain=scoring.explain,
        is_over=scoring.is_over,
        winners=scoring.winners,
        begins=lambda state: state.current.starter,
        dice=Dice(thrown=interface.thrown, throw=throw),
        why_no_rest=N_("Everybody packs in each round: who sits one out would lose no points in it."),  # PS-20, PS-52
        why_seats_stay=N_(  # PS-10, PS-13
            "Everybody starts with the same points and loses some in each round: a newcomer would be ahead."
        ),
    ),
    pages=Pages(
        title="Pack & Stack",
        tagline=N_("Roll a load, grab a truck, pack it without a gap."),
        view=view,
        describe=describe,
        how_to=how_to,
        deal_due=deal_due,
        presets=interface.PRESETS,
        advice=ADVICE,
        sheet=interface.SHEET,
        benches={"loads": bench.figures},
    ),
    sight=Sight(eyes=eyes, propose=propose),
    box=Box(bind=interface.bind, look=interface.look),
)
