"""What falls into a sack, and how much coal is due (SS-12, SS-23, SS-30 … SS-35)."""

from companion.errors import IllegalEvent
from companion.games.sack_stackers.events import Coal, Mark, When
from companion.games.sack_stackers.options import CIRCLES_PER_COAL, COAL, COLUMNS, ROWS
from companion.games.sack_stackers.state import Sheet
from companion.words import _, _n


def coal_for_circles(sheet: Sheet, marks: tuple[Mark, ...]) -> int:
    """SS-23: one for every second circle of the game, counted over all turns."""
    return (sheet.circles + len(marks)) // CIRCLES_PER_COAL - sheet.circles // CIRCLES_PER_COAL


def check_coal(due: int, coal: tuple[Coal, ...], sack_after: tuple[str, ...]) -> None:
    """Exactly the coal due has fallen, for circles and for placing nothing (SS-30).

    What no longer fits into a full sack is forfeited (SS-35).
    """
    full = all(len(column) >= ROWS for column in sack_after)
    if len(coal) > due or (len(coal) < due and not full):
        raise IllegalEvent(
            _n(
                "{n} coal is due this turn, not {chosen}: choose the columns.",
                "{n} coal are due this turn, not {chosen}: choose the columns.",
                due,
                chosen=len(coal),
            )
        )


def dropped(sack: tuple[str, ...], coal: tuple[Coal, ...], when: When) -> tuple[str, ...]:
    """The sack after the coal of that moment has fallen, one after the other (SS-31, SS-33)."""
    for piece in coal:
        if piece.when is when:
            if not 1 <= piece.column <= COLUMNS:
                raise IllegalEvent(_("There is no such column for the coal: they are numbered 1 to 6."))
            if len(sack[piece.column - 1]) >= ROWS:
                raise IllegalEvent(_("Column {column} is full: drop the coal elsewhere.", column=piece.column))
            sack = drop(sack, piece.column, COAL)
    return sack


def drop(sack: tuple[str, ...], column: int, thing: str) -> tuple[str, ...]:
    """A gift or coal falls to the lowest empty square of a column (SS-12, SS-31)."""
    return tuple(squares + thing if number == column else squares for number, squares in enumerate(sack, start=1))


def leftmost(sack: tuple[str, ...], pieces: int) -> tuple[Coal, ...]:
    """Up to `pieces` coal, each in the leftmost column that still has room."""
    coal: tuple[Coal, ...] = ()
    for _piece in range(pieces):
        column = next((number for number, squares in enumerate(sack, start=1) if len(squares) < ROWS), None)
        if column is None:
            break  # SS-35: forfeited
        sack = drop(sack, column, COAL)
        coal += (Coal(column),)
    return coal
