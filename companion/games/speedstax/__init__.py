"""SPEEDSTAX: copy the card with your blocks and slap your button first.

`rules` is the rulebook, `interface` holds pages, cameras, buttons and lights, `how_to` teaches the game;
all MaxStax games share `games.maxstax`. A stage, a time or a shout that another MaxStax game has too belongs there,
not here.
"""

from companion.game.game import Game
from companion.games.maxstax.timer import FAMILY, FEWEST_PLAYERS, MOST_PLAYERS
from companion.games.speedstax import interface, rules
from companion.games.speedstax.how_to import deal_due, how_to
from companion.games.speedstax.rules import EVENTS, Event, Options, State
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    name="speedstax",
    title="SPEEDSTAX",
    tagline=N_("Copy the card with your blocks and slap your button first."),
    seats=(FEWEST_PLAYERS, MOST_PLAYERS),
    options=Options,
    events=EVENTS,
    start=rules.start,
    why_seats_stay=N_(  # SPD-02, SPD-03
        "The points of a round depend on how many players race, and a newcomer has missed some rounds."
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
    glanced=interface.glanced,
    eyes=interface.eyes,
    due=rules.due,
    presets=interface.PRESETS,
    family=FAMILY,
    needs_blocks=True,
    resting=lambda state: state.resting,
)
