"""SAMESTAX: one creates a stack, the others have a minute to copy it.

`rules` is the rulebook, `interface` holds pages, cameras, buttons and lights, `how_to` teaches the game;
all MaxStax games share `games.maxstax`. A stage, a time or a shout that another MaxStax game has too belongs there,
not here.
"""

from companion.game.game import Box, Family, Game, Pages, Rules, Sight
from companion.games.maxstax.timer import FAMILY, FEWEST_PLAYERS, MOST_PLAYERS
from companion.games.samestax import interface, rules
from companion.games.samestax.how_to import deal_due, how_to
from companion.games.samestax.rules import EVENTS, Event, Options, State
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="samestax",
        seats=(FEWEST_PLAYERS, MOST_PLAYERS),
        options=Options,
        events=EVENTS,
        start=rules.start,
        awaiting=rules.awaiting,
        legal=rules.legal,
        apply=rules.apply,
        score=rules.score,
        explain=rules.explain,
        is_over=rules.is_over,
        winners=rules.winners,
        due=rules.due,
        begins=lambda state: state.current.creator if state.current else None,
        family=Family(FAMILY, blocks=True),
        why_seats_stay=N_(  # SAM-01, SAM-02
            "Everybody is Creator twice, clockwise, and the points of a round depend on how many play."
        ),
    ),
    pages=Pages(
        title="SAMESTAX",
        tagline=N_("One creates a stack, the others have a minute to copy it."),
        view=interface.view,
        describe=interface.describe,
        how_to=how_to,
        deal_due=deal_due,
        presets=interface.PRESETS,
    ),
    sight=Sight(eyes=interface.eyes, propose=interface.propose, glanced=interface.glanced),
    box=Box(bind=interface.bind, look=interface.look),
)
