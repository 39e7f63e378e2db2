"""Stack: fourteen dice each, stacked on the rivals' numbers, captured at four.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `stacks` (dice on dice), `turns`, `mistakes`,
`scoring`. The pages: `pages`, `entry` (start roll and drop), `reports` (mistakes), `drawing`, `standings`, `wording`.
The meaning of readings: `camera`, with `piles`, `moves_seen` and `falls_seen`. `interface` has buttons, lights and
presets, `how_to` teaches the game.
No rule is decided on a page or by a reading: both only offer events that `rules` accepts.
"""

from companion.game.game import Box, Dice, Game, Pages, Rules, Sight
from companion.games.stack_dice import interface, rules, scoring
from companion.games.stack_dice.camera import eyes, propose
from companion.games.stack_dice.entry import drafted
from companion.games.stack_dice.events import EVENTS, Event
from companion.games.stack_dice.how_to import deal_due, how_to
from companion.games.stack_dice.options import FEWEST_PLAYERS, MOST_PLAYERS, Options
from companion.games.stack_dice.pages import view
from companion.games.stack_dice.state import State, awaiting
from companion.games.stack_dice.wording import describe
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="stack_dice",
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
        ranked=scoring.ranked,
        begins=lambda state: state.starter,
        dice=Dice(thrown=interface.thrown, throw=interface.throw),
        colours=interface.colours,
        why_no_rest=N_("Nobody passes in Stack: everybody plays a die on each of their turns."),  # ST-38
        why_seats_stay=N_(  # ST-12, ST-20, ST-60
            "Everybody drops their dice together, turns go clockwise, and the points of all rounds add up."
        ),
    ),
    pages=Pages(
        title="Stack",
        tagline=N_("Fourteen dice each: stack on your rivals' numbers, capture at four."),
        view=view,
        describe=describe,
        drafted=drafted,
        how_to=how_to,
        deal_due=deal_due,
        presets=interface.PRESETS,
    ),
    sight=Sight(eyes=eyes, propose=propose),
    box=Box(bind=interface.bind, look=interface.look),
)
