"""How to play SPEEDSTAX, for newcomers."""

from dataclasses import replace

from companion.game.charts import Figures
from companion.game.how_to import Hint, HowTo, Topic
from companion.games.maxstax import how_to as shared
from companion.games.maxstax import timer
from companion.games.maxstax.round_view import place
from companion.games.maxstax.timer import FEWEST_PLAYERS, MOST_PLAYERS, STACKING_US, Round, Stage
from companion.games.speedstax.rules import ROUNDS, Options, State, points
from companion.words import _

CARD = 5  # This one of our own deck is drawn.
APART_US = 1_000_000  # The shouts behind the table of points are so far from a tie.


def how_to(options: Options) -> HowTo:
    """How to play SPEEDSTAX."""
    goal = _(
        "Build what the card shows faster than the others. The most points after {rounds} rounds win.", rounds=ROUNDS
    )
    turn = (
        _("One card is turned up for everyone."),  # SPD-02
        shared.ready_sentence(),
        _("Copy the picture with your blocks.") + f" {shared.time_sentence(STACKING_US)}",  # MX-10
        shared.done_sentence(shout_required=True),
        shared.bump_sentence(options.bump_rule),
    )
    scoring = (
        _("The faster you are done, the more points you get. A stack that isn't complete scores 0."),  # SPD-03
        _("Done at the same moment? Both get the points of the better place."),  # SPD-04
    )
    return HowTo(
        Topic((goal,), shared.cards(_("A card"), (CARD, ""))),
        Topic(turn, shared.copies()),
        Topic(scoring, (_points_by_place(),)),
        (
            shared.blocks_step(),
            _(
                "One of you is the Shuffler: shuffle the cards and put them face down. The Shuffler plays too."
            ),  # SPD-01
        ),
        (
            _("After round {rounds}, the most points win.", rounds=ROUNDS),  # SPD-05
            shared.stack_off_sentence(options.stack_off_limit),
        ),
        (_("The Shuffler turns up the top card."), shared.again_step()),
    )


def deal_due(state: State) -> bool:
    """Whether what a round needs has to be dealt or laid out now."""
    return not state.ended and timer.stage(state.current) is Stage.WAITING


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    if state.card is None and timer.stage(state.current) is Stage.WAITING:
        return None  # The headline asks for the card.
    return None if state.ended else shared.hint(timer.stage(state.current), state.current)


def _points_by_place() -> Figures:
    """The points of each place, for every number of players (SPD-03)."""
    rows = []
    for count in range(FEWEST_PLAYERS, MOST_PLAYERS + 1):
        players = tuple(map(str, range(count)))
        run = replace(Round(players), go_us=0, shouts={player: APART_US * (1 + int(player)) for player in players})
        points_of = points(players, run, tie_ms=0)
        rows.append((str(count), *(str(points_of[player]) for player in players), *[""] * (MOST_PLAYERS - count)))
    return Figures(_("Points"), (_("players"), *map(place, range(1, MOST_PLAYERS + 1))), tuple(rows))
