"""The fall of gifts and coal into a sack, and the coal that is due (SS-12, SS-23, SS-30 … SS-35)."""

from companion.errors import IllegalEvent
from companion.games.sack_stackers.events import Coal, Mark, When
from companion.games.sack_stackers.options import CIRCLES_PER_COAL, COAL, COLUMNS, ROWS
from companion.games.sack_stackers.state import Sheet
from companion.words import _, _n


def coal_for_circles(sheet: Sheet, marks: tuple[Mark, ...]) -> int:
    """The coal due for new circles: one for every second circle of the game, over all turns (SS-23)."""
    return (sheet.circles + len(marks)) // CIRCLES_PER_COAL - sheet.circles // CIRCLES_PER_COAL


def check_coal(due: int, coal: tuple[Coal, ...], sack_after: tuple[str, ...]) -> None:
    """Raises IllegalEvent unless exactly the coal due has fallen, for circles and for placing nothing (SS-30).

    Coal that does not fit into a full sack is forfeited (SS-35).
    """
    full = all(len(column) >= ROWS for column in sack_after)
    if len(coal) > due or (len(coal) < due and not full):
        raise IllegalEvent(
            _n(
                "Drop {n} coal this turn, not {chosen}. Choose the columns.",
                "Drop {n} coal this turn, not {chosen}. Choose the columns.",
                due,
                chosen=len(coal),
            )
        )


def dropped(sack: tuple[str, ...], coal: tuple[Coal, ...], when: When) -> tuple[str, ...]:
    """The sack after the coal of one moment has fallen, piece by piece (SS-31, SS-33); raises IllegalEvent."""
    for piece in coal:
        if piece.when is when:
            if not 1 <= piece.column <= COLUMNS:
                raise IllegalEvent(_("There's no such column. They are numbered 1 to 6."))
            if len(sack[piece.column - 1]) >= ROWS:
                raise IllegalEvent(_("Column {column} is full. Drop the coal somewhere else.", column=piece.column))
            sack = drop(sack, piece.column, COAL)
    return sack


def drop(sack: tuple[str, ...], column: int, thing: str) -> tuple[str, ...]:
    """The sack after a gift or coal fell to the lowest empty square of a column, from 1 (SS-12, SS-31)."""
    return tuple(squares + thing if number == column else squares for number, squares in enumerate(sack, start=1))


def leftmost(sack: tuple[str, ...], pieces: int) -> tuple[Coal, ...]:
    """Up to `pieces` coal, each in the leftmost column with room."""
    coal: tuple[Coal, ...] = ()
    for _piece in range(pieces):
        column = next((number for number, squares in enumerate(sack, start=1) if len(squares) < ROWS), None)
        if column is None:
            break  # SS-35: the rest is forfeited
        sack = drop(sack, column, COAL)
        coal += (Coal(column),)
    return coal
