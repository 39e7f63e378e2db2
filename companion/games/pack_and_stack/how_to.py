"""How to play Pack & Stack, for newcomers."""

from companion.equipment.trucks import Truck
from companion.game.charts import Figures
from companion.game.how_to import Hint, HowTo, Topic
from companion.game.widgets import Cell, Variant, Variants
from companion.games.pack_and_stack import loads
from companion.games.pack_and_stack.drawing import DRAWABLE
from companion.games.pack_and_stack.events import Event, Reward
from companion.games.pack_and_stack.loads import SIZES, Counts
from companion.games.pack_and_stack.options import (
    BOX_COLOURS,
    BOXES,
    CARDS_FOR_FEW,
    CARDS_FOR_MANY,
    FEW_PLAYERS,
    Options,
)
from companion.games.pack_and_stack.scoring import BONUS
from companion.games.pack_and_stack.state import State, Step, step
from companion.words import _, _n, signed

# This round is drawn; the box left over is longer than the truck.
TRUCK = Truck(("####", "##.#", ".###"), 2)
ROLLED: Counts = (3, 2, 1, 1, 1)
LEFT_OVER: Counts = (0, 0, 0, 0, 1)


def how_to(options: Options) -> HowTo:
    """How to play Pack & Stack."""
    return HowTo(_goal(), _turn(options), _scoring(options), _set_up(options), _end(), _deal())


def deal_due(state: State) -> bool:
    """Whether what a round needs has to be dealt or laid out now."""
    return step(state) in (Step.NAMING, Step.ROLLING)


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    sentences = {
        Step.ROLLING: _("Tap what each of the five dice shows."),
        Step.TAKING: _("Tap in front of whom your truck lay."),
        Step.LOADING: _("Tap the boxes that found no room, or that everything is in."),
    }
    now = step(state)
    return Hint(now, sentences[now]) if now in sentences else None


def _goal() -> Topic:
    return Topic(
        (
            _("Fill your truck with boxes. Empty spaces and boxes left over cost points."),
            _("When somebody has no points left, the player with the most points wins."),  # PS-56, PS-57
        ),
        (_truck(),),
    )


def _truck() -> Variants[Event]:
    rows, columns = range(1, len(TRUCK.rows) + 1), range(1, len(TRUCK.rows[0]) + 1)
    squares = tuple(
        tuple(
            Cell[Event](str(TRUCK.height), "white") if (row, column) in TRUCK.squares else Cell() for column in columns
        )
        for row in rows
    )
    lines = (  # PS-02, PS-41, PS-42
        _(
            "Load on the squares with a number. The {height} says: up to {height} small boxes high.",
            height=TRUCK.height,
        ),
        _("The other squares are gaps. No box may lie there."),
    )
    return Variants(
        _("A truck card"),
        (Variant("", squares, lines),),
    )


def _turn(options: Options) -> Topic:
    sentences = [
        _("Roll the five dice, all at once with your own set. They show how many boxes of each size you take.")
        if options.roll_together
        else _("One after the other, roll the five dice. They show how many boxes of each size you take."),  # PS-20
        # PS-31, PS-32
        _(
            "Turn all truck cards up together. Be quick: grab one from another player, or the top one of the pile. "
            "You can't take your own."
        ),
        _("The last player takes the top card of the pile."),  # PS-33
        # PS-40 … PS-44
        _(
            "Load your truck, and take your time. Boxes may stand upright. No box hangs in the air: each lies flat on "
            "the truck or on other boxes."
        ),
    ]
    if options.reward_cards:
        rewards = {
            Reward.NEW_ORDER: _("New Order: before you take a truck, roll all your dice again."),  # PS-62
            Reward.REPLACING: _("Replacing a Truck: before you load, swap your truck for the top card."),  # PS-63
            Reward.VOUCHER: _("Voucher: your boxes left over cost only their size this round."),  # PS-64
        }
        sentences += [rewards[reward] for reward in Reward]
    rolled = tuple(Cell[Event](str(count), _colour(options, size)) for size, count in zip(SIZES, ROLLED, strict=True))
    sizes = tuple(Cell[Event](str(size)) for size in SIZES)
    drawn = Variants(_("A roll"), (Variant("", (sizes, rolled), (_("Above the size, below how many you take."),)),))
    return Topic(tuple(sentences), (drawn,))


def _colour(options: Options, size: int) -> str:
    chosen = options.box_colours[size - 1].strip().lower()
    return chosen if chosen in DRAWABLE else BOX_COLOURS[size - 1]


def _scoring(options: Options) -> Topic:
    sentences = [
        _("Your truck has room for its squares times its height. Each empty space costs 1 point."),  # PS-50
        _("Each box left over costs twice its size."),  # PS-51
        _("Whoever lost the least gets {points} points back. In a tie, each gets them.", points=BONUS),  # PS-53
    ]
    if options.floor_at_zero:
        sentences.append(_("Nobody goes below 0 points."))  # PS-54
    else:
        sentences.append(_("You can go below 0 points."))  # PS-54
    if options.reward_cards:
        sentences.append(_("If only one player lost nothing, that player draws a reward card."))  # PS-61
    empty = loads.empty(TRUCK, loads.less(ROLLED, LEFT_OVER))
    lost = loads.loss(TRUCK, ROLLED, LEFT_OVER)
    rows = (
        (_n("{n} empty space", "{n} empty spaces", empty), signed(-empty)),
        (_("1 box of size {size} left over", size=1 + LEFT_OVER.index(1)), signed(empty - lost)),
        (_("lost this round"), signed(-lost)),
    )
    return Topic(tuple(sentences), (Figures(_("What a load costs"), ("", _("Points")), rows),))


def _set_up(options: Options) -> tuple[str, ...]:
    steps = [
        _("Sort the {boxes} boxes by size.", boxes=sum(BOXES)),  # PS-06, PS-10
        _("Shuffle the truck cards into a pile, face down."),  # PS-10
        _("Everyone starts with {points} points.", points=options.start_points),  # PS-10
        _("The youngest player starts."),  # PS-11
    ]
    if options.reward_cards:
        steps.insert(
            2, _("Shuffle the {cards} reward cards and put them face down beside the trucks.", cards=len(Reward))
        )  # PS-60
    return tuple(steps)


def _deal() -> tuple[str, ...]:
    return (
        _(
            "Everyone draws {few} truck cards; with more than {players} players, only {many}.",
            few=CARDS_FOR_FEW,
            players=FEW_PLAYERS,
            many=CARDS_FOR_MANY,
        ),  # PS-30
        _("Put them face down in front of you, with the arrow towards you. Don't look."),  # PS-30
        # PS-13, PS-35
        _("After a round, put the boxes back and discard the trucks. The next player clockwise starts."),
    )


def _end() -> tuple[str, ...]:
    return (
        _("The game is over after a round in which somebody has 0 points or fewer."),  # PS-56
        _("The most points win. Equal players share the win."),  # PS-57
    )
