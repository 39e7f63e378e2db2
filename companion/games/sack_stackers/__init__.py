"""Sack Stackers: two dice for all players, gifts and coal fall into sacks.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `dice`, `coal`, `turns`, `groups`, `scoring`.
The pages: `pages`, `entry` (the draft and the roll), `drawing`, `standings`, `wording`. `camera` interprets a roll that
it sees, `interface` has lights and presets, `how_to` teaches the game.
No rule is decided on a page, and no rule reads the clock or draws at random: a roll comes in as an event.
"""

from companion.game.game import Box, Dice, Game, Pages, Rules, Sight
from companion.game.seeing import Eyes
from companion.games.sack_stackers import interface, rules
from companion.games.sack_stackers.camera import propose
from companion.games.sack_stackers.entry import drafted, throw
from companion.games.sack_stackers.events import EVENTS, Event
from companion.games.sack_stackers.how_to import how_to
from companion.games.sack_stackers.options import MOST_PLAYERS, Options
from companion.games.sack_stackers.pages import view
from companion.games.sack_stackers.scoring import explain, is_over, score, winners
from companion.games.sack_stackers.state import State, awaiting
from companion.games.sack_stackers.wording import describe
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="sack_stackers",
        seats=(1, MOST_PLAYERS),
        options=Options,
        events=EVENTS,
        start=rules.start,
        awaiting=awaiting,
        legal=rules.legal,
        apply=rules.apply,
        score=score,
        explain=explain,
        is_over=is_over,
        winners=winners,
        dice=Dice(thrown=interface.thrown, throw=throw),
        why_seats_stay=N_(  # SS-10, SS-50
            "Everybody fills a sack from the same rolls, and a newcomer has missed some. Nobody waits for a "
            "turn, so you may swap chairs as you like."
        ),
    ),
    pages=Pages(
        title="Sack Stackers",
        tagline=N_("Two dice for everyone. Gifts drop into Santa's sack."),
        view=view,
        describe=describe,
        drafted=drafted,
        how_to=how_to,
        presets=interface.PRESETS,
        sheet=interface.SHEET,
    ),
    sight=Sight(eyes=lambda _state: Eyes(), propose=propose),
    box=Box(look=interface.look),
)
