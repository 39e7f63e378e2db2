"""SWAPSTAX: swap for the card you can build; its stars are your points.

The rules: `rules` (start, apply, scoring, legal), `state` (with options and events), `swaps`. `pages` and `wording`
show it, `camera` interprets readings, `interface` has buttons, lights and presets, `how_to` teaches the game; all
MaxStax games share `games.maxstax`. A stage, a time or a shout that another MaxStax game has too belongs there, not
here.
"""

from companion.game.game import Box, Family, Game, Pages, Rules, Sight
from companion.games.maxstax.timer import FAMILY, FEWEST_PLAYERS, MOST_PLAYERS
from companion.games.swapstax import interface, rules
from companion.games.swapstax.camera import eyes, glanced, propose
from companion.games.swapstax.how_to import deal_due, how_to
from companion.games.swapstax.pages import view
from companion.games.swapstax.state import EVENTS, Event, Options, State, awaiting
from companion.games.swapstax.wording import describe
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="swapstax",
        seats=(FEWEST_PLAYERS, MOST_PLAYERS),
        options=Options,
        events=EVENTS,
        start=rules.start,
        awaiting=awaiting,
        legal=rules.legal,
        apply=rules.apply,
        score=rules.score,
        explain=rules.explain,
        is_over=rules.is_over,
        winners=rules.winners,
        due=rules.due,
        begins=lambda state: state.order[0] if state.order else None,
        family=Family(FAMILY, blocks=True),
        why_seats_stay=N_(  # SWP-01, SWP-02
            "Everybody draws their SWAP cards for the whole game, cards are drawn clockwise, and a newcomer "
            "has missed some rounds."
        ),
    ),
    pages=Pages(
        title="SWAPSTAX",
        tagline=N_("Swap for the card you can build; its stars are your points."),
        view=view,
        describe=describe,
        how_to=how_to,
        deal_due=deal_due,
        presets=interface.PRESETS,
    ),
    sight=Sight(eyes=eyes, propose=propose, glanced=glanced),
    box=Box(bind=interface.bind, look=interface.look),
)
