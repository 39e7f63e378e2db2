"""Sandpile Panic: piles of five topple, and islands count when sand leaves the board.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `board` (piles and topples), `turns`, `islands`,
`scoring`. The outcomes of a turn: `advice`, with `outcomes`; `bench` times them. The pages: `pages`,
`entry` (drafts), `answers` (pages of advice), `drawing`, `standings`, `wording`. `camera` finds the play that explains
a reading, `interface` has lights and presets, `how_to` teaches the game.
No rule is decided on a page or by a reading: both only offer events that `rules` accepts.
"""

from companion.game.game import Box, Game, Pages, Rules, Sight
from companion.games.sandpile_panic import bench, interface, rules
from companion.games.sandpile_panic.answers import ADVICE
from companion.games.sandpile_panic.camera import eyes, propose
from companion.games.sandpile_panic.events import EVENTS, Event
from companion.games.sandpile_panic.how_to import how_to
from companion.games.sandpile_panic.options import FEWEST_PLAYERS, MOST_PLAYERS, Options
from companion.games.sandpile_panic.pages import view
from companion.games.sandpile_panic.scoring import explain, is_over, ranked, score, winners
from companion.games.sandpile_panic.standings import charts
from companion.games.sandpile_panic.state import State, awaiting
from companion.games.sandpile_panic.wording import describe
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    rules=Rules(
        name="sandpile_panic",
        seats=(FEWEST_PLAYERS, MOST_PLAYERS),
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
        ranked=ranked,
        begins=lambda state: state.order[0],
        first_seat="first_seat",
        colours=interface.colours,
        why_no_rest=N_("Nobody passes in Sandpile Panic: everybody places a piece on each of their turns."),  # SP-15
        why_seats_stay=N_(  # SP-03, SP-14
            "The number of players decides the size of the board and the order of the turns."
        ),
    ),
    pages=Pages(
        title="Sandpile Panic",
        tagline=N_("Piles of five topple. Own the largest island when sand spills."),
        view=view,
        describe=describe,
        how_to=how_to,
        presets=interface.PRESETS,
        advice=ADVICE,
        charts=charts,
        benches={"sandpile": bench.figures},
    ),
    sight=Sight(eyes=eyes, propose=propose),
    box=Box(look=interface.look),
)
