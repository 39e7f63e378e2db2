"""How to play Sack Stackers, for newcomers."""

from companion.game.how_to import Hint, HowTo, Topic
from companion.game.widgets import Cell, DiceRow, Face, Variant, Variants
from companion.games.sack_stackers.drawing import COLOURS, patterns
from companion.games.sack_stackers.events import Event
from companion.games.sack_stackers.options import CIRCLES, CIRCLES_PER_COAL, COAL, COLUMNS, SECTIONS, Options, Range
from companion.games.sack_stackers.options import Overlap as Groups
from companion.games.sack_stackers.scoring import CIRCLE_POINTS, COAL_POINTS, GROUP_POINTS, is_over, isolated_coal
from companion.games.sack_stackers.state import State
from companion.words import _, _n, signed

SECTION, COLUMN = 4, 2  # The dice that are drawn show these.
COALS = (("C", ""), ("CC", ""), ("C", "-C"))  # Each small sack has a string a column, from the bottom; "-" is empty.


def how_to(options: Options) -> HowTo:
    """How to play Sack Stackers."""
    return HowTo(_goal(options), _turn(options), _scoring(options), _set_up(), _end())


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    if is_over(state):
        return None
    if state.dice is None:
        return Hint("roll", _("Roll both dice, then tap what they show."))
    return Hint("choose", _("Tap a gift. The big button then drops it into your sack."))


def _goal(options: Options) -> Topic:
    return Topic(
        (
            _("Drop gifts into your sack so that four gifts of one kind lie in their shape."),
            _("The most points make you the Head Elf."),
        ),
        (patterns(options),),
    )


def _turn(options: Options) -> Topic:
    nothing = {
        Range.OUT_OF_RANGE: _("If you change a die to 0 or 7, no gift drops and you take one coal."),  # SS-24
        Range.STRICT: _("A die must stay between 1 and 6."),
        Range.WRAP: _("One less than 1 is 6, and one more than 6 is 1."),
    }
    sentences = [
        _("One player rolls both dice. Everyone plays with this roll, at the same time."),  # SS-10
        # SS-11, SS-15
        _(
            "Pick one die for your gift: mark a free box in that section, 1 to {sections}. A box with a ? is any gift "
            "you like.",
            sections=SECTIONS,
        ),
        # SS-12
        _("The other die is your column, 1 to {columns}. The gift drops to the lowest empty square.", columns=COLUMNS),
        # SS-20 … SS-23
        _(
            "Each circle you mark adds 1 to a die or takes 1 away. You have {circles} circles. After every {number} of "
            "them, drop a coal into any column.",
            circles=CIRCLES,
            number=CIRCLES_PER_COAL,
        ),
        nothing[options.altered_range],
        _("No gift fits? Then drop one coal into any column."),  # SS-30 … SS-32
    ]
    if options.voluntary_coal:
        sentences.append(_("You may also take a coal when a gift would fit."))
    dice = DiceRow[Event](
        _("One roll, two jobs"),
        (
            Face(SECTION, note=_("gift from section {number}", number=SECTION)),
            Face(COLUMN, note=_("into column {number}", number=COLUMN)),
        ),
    )
    return Topic(tuple(sentences), (dice,))


def _scoring(options: Options) -> Topic:
    sentences = [
        # SS-40, SS-41
        _("{points} points for each shape of four gifts of one kind. You may turn and flip it.", points=GROUP_POINTS)
        if options.mirror
        else _("{points} points for each shape of four gifts of one kind. You may turn it.", points=GROUP_POINTS),
        # SS-42
        _("Each gift counts in one shape only.")
        if options.overlap is Groups.DISJOINT
        else _("One gift may count in several shapes."),
        # SS-44
        _("{points} points for each coal with no other coal next to it. Corners may touch.", points=COAL_POINTS),
        _n(
            "{n} point for each circle you did not mark.", "{n} points for each circle you did not mark.", CIRCLE_POINTS
        ),  # SS-45
    ]
    if options.exact_groups:
        sentences.insert(1, _("A fifth gift of that kind touching the shape spoils it."))  # SS-43
    return Topic(tuple(sentences), (_coals(),))


def _coals() -> Variants[Event]:
    """Small sacks with coals, each with the points that it brings."""

    def cell(column: str, row: int) -> Cell[Event]:
        is_coal = column[row : row + 1] == COAL
        return Cell("●", COLOURS[COAL]) if is_coal else Cell()

    return Variants(
        _("What coals bring"),
        tuple(
            Variant(
                signed(points) if (points := isolated_coal(sack) * COAL_POINTS) else "0",
                tuple(tuple(cell(column, row) for column in sack) for row in (1, 0)),
            )
            for sack in COALS
        ),
    )


def _set_up() -> tuple[str, ...]:
    return (
        _("Lay two dice where everyone can see them."),  # SS-02
        _("The tablet is everyone's sheet. Paper works, too: give everyone a sheet and a pen."),
        _("Five wrappings belong to five shapes. On a printed sheet, see which is which."),  # SS-03
        _("Every sack is empty. Anyone may roll first."),  # SS-05, reading 9
    )


def _end() -> tuple[str, ...]:
    return (
        _("When somebody's sack is full, everyone else finishes this turn. Then the game is over."),  # SS-50
        _("The most points win. In a tie, the youngest of those players wins."),  # SS-51
    )
