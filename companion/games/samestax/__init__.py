"""SAMESTAX: one creates a stack, the others have a minute to copy it.

`rules` is the rulebook, `interface` holds pages, cameras, buttons and lights, `how_to` teaches the game;
all MaxStax games share `games.maxstax`. A stage, a time or a shout that another MaxStax game has too belongs there,
not here.
"""

from companion.game.game import Game
from companion.games.maxstax.timer import FAMILY, FEWEST_PLAYERS, MOST_PLAYERS
from companion.games.samestax import interface, rules
from companion.games.samestax.how_to import deal_due, how_to
from companion.games.samestax.rules import EVENTS, Event, Options, State
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    name="samestax",
    title="SAMESTAX",
    tagline=N_("One creates a stack, the others have a minute to copy it."),
    seats=(FEWEST_PLAYERS, MOST_PLAYERS),
    options=Options,
    events=EVENTS,
    start=rules.start,
    why_seats_stay=N_(  # SAM-01, SAM-02
        "Everybody is Creator twice, clockwise, and the points of a round depend on how many play."
    ),
    awaiting=rules.awaiting,
    legal=rules.legal,
    apply=rules.apply,
    score=rules.score,
    explain=rules.explain,
    is_over=rules.is_over,
    winners=rules.winners,
    describe=interface.describe,
    view=interface.view,
    how_to=how_to,
    deal_due=deal_due,
    look=interface.look,
    propose=interface.propose,
    bind=interface.bind,
    late=interface.late,
    glanced=interface.glanced,
    eyes=interface.eyes,
    due=rules.due,
    presets=interface.PRESETS,
    begins=lambda state: state.current.creator if state.current else None,
    family=FAMILY,
    needs_blocks=True,
    resting=lambda state: state.resting,
)
