"""SPEEDSTAX: copy the card with your blocks and slap your button first.

`rules` is the rulebook, `interface` holds pages, cameras, buttons and lights, `how_to` teaches the game;
all MaxStax games share `games.maxstax`. A stage, a time or a shout that another MaxStax game has too belongs there,
not here.
"""

from companion.game.game import Box, Family, Game, Pages, Rules, Sight
from companion.games.maxstax.timer import FAMILY, FEWEST_PLAYERS, MOST_PLAYERS
from companion.games.speedstax import interface, rules
from companion.games.speedstax.how_to import deal_due, how_to
from companion.games.speedstax.rules import EVENTS, Event, Options, State
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="speedstax",
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
        family=Family(FAMILY, blocks=True),
        why_seats_stay=N_(  # SPD-02, SPD-03
            "The points of a round depend on how many players race, and a newcomer has missed some rounds."
        ),
    ),
    pages=Pages(
        title="SPEEDSTAX",
        tagline=N_("Copy the card with your blocks and slap your button first."),
        view=interface.view,
        describe=interface.describe,
        how_to=how_to,
        deal_due=deal_due,
        presets=interface.PRESETS,
    ),
    sight=Sight(eyes=interface.eyes, propose=interface.propose, glanced=interface.glanced),
    box=Box(bind=interface.bind, look=interface.look),
)
