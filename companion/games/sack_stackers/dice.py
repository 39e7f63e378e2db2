"""The two dice of a turn: the circles that alter them, the sections and columns (SS-13, SS-20 … SS-25)."""

from companion.errors import IllegalEvent
from companion.games.sack_stackers.events import Mark
from companion.games.sack_stackers.options import BOXES, CIRCLES, COLUMNS, ROWS, SECTIONS, Range
from companion.games.sack_stackers.state import Sheet, State, rolled_dice
from companion.words import _, _n


def altered(state: State, marks: tuple[Mark, ...]) -> tuple[int, int]:
    """The dice after a player's circles (SS-20); the table's option decides about 0, 7 and beyond (SS-24)."""
    dice = list(rolled_dice(state))
    for circle in marks:
        dice[circle.die - 1] += circle.step
    match state.options.altered_range:
        case Range.STRICT:
            for die in dice:
                if not 1 <= die <= 6:
                    raise IllegalEvent(
                        _("At this table a die can't be changed to {die}. Stay between 1 and 6.", die=die)
                    )
        case Range.WRAP:
            dice = [(die - 1) % 6 + 1 for die in dice]
    return dice[0], dice[1]


def uses_of(dice: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """(section, column) if the first die names the section, and if the second does (SS-13)."""
    return (dice[0], dice[1]), (dice[1], dice[0])


def placeable(sheet: Sheet, dice: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The uses of `dice` that place a gift: an unmarked box in the section, an empty square in the column (SS-32)."""
    return tuple(
        (section, column)
        for section, column in dict.fromkeys(uses_of(dice))
        if 1 <= section <= SECTIONS
        and 1 <= column <= COLUMNS
        and any((section, box) not in sheet.boxes for box in BOXES)
        and len(sheet.sack[column - 1]) < ROWS
    )


def check_marks(sheet: Sheet, marks: tuple[Mark, ...]) -> None:
    """Raises IllegalEvent for circles that cannot be marked (SS-20 … SS-22).

    A turn may have any number of them, also without a net effect (SS-25); a game has ten.
    """
    if any(circle.die not in (1, 2) or circle.step not in (1, -1) for circle in marks):
        raise IllegalEvent(_("A circle adds or subtracts 1 on one die. Choose the first or the second."))
    if sheet.circles + len(marks) > CIRCLES:
        raise IllegalEvent(
            _n("Only {n} circle left. Change less.", "Only {n} circles left. Change less.", CIRCLES - sheet.circles)
        )  # SS-22
