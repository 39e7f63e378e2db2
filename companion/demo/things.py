"""The demo's physical table: dice that lie somewhere, stacks that stand, a throw on its way. Plain values only.

It stands for wood and plastic. The page `/table` moves it, the virtual camera draws it; the companion itself never
looks at it and learns the dice from the camera's pictures alone.
"""

from dataclasses import dataclass, replace

from companion.demo.stacks import TableStack

WIDTH_MM = 400.0
HEIGHT_MM = 300.0
DIE_MM = 16.0
MAT = "dice"  # that lies in the table's middle while nothing else is needed, as `companion.equipment.mat` knows it
BOARD_N = 6
PIECE_SHARE, PIECE_THICK_MM = 0.72, 6.0  # of a board's square; how thick
PIECE_COLOURS = ("white", "black", "red", "blue", "yellow", "green", "orange", "purple", "pink")
UNIT_MM = 13.0  # side of the smallest box
CARD_MM = 0.3  # how thick a truck card is
THROW_US = 450_000  # long enough to look like a throw, short enough that nobody waits


@dataclass(frozen=True)
class TableDie:
    """A die on the demo's table: centre in millimetres from the table's upper left corner, turn in degrees.

    `key` names the die for as long as it lies on the table; `level` dice lie below it, at the same place.
    """

    key: str
    value: int
    x_mm: float
    y_mm: float
    angle_deg: float
    colour: str = "white"
    level: int = 0


@dataclass(frozen=True)
class Throw:
    """Dice on their way: from where they were to where they will lie, between two moments of table time."""

    started_us: int
    rests_us: int
    origin: tuple[TableDie, ...]


@dataclass(frozen=True)
class TablePiece:
    """A round piece on a square of the board, counted from the far left; those of one square lie on each other."""

    row: int
    column: int
    colour: str


@dataclass(frozen=True)
class TableBox:
    """A box of size × 1 × 1 units, lying along x ("x") or away from the viewer ("y"), or upright ("z").

    x_mm, y_mm  its middle, on the table; z_mm what is below it
    """

    size: int
    along: str
    x_mm: float
    y_mm: float
    z_mm: float = 0.0


@dataclass(frozen=True)
class TruckCard:
    """A truck card: the squares of its loading area, where its middle lies, the number that is printed on it, and
    whether its player has finished loading."""

    area: tuple[tuple[bool, ...], ...]
    x_mm: float
    y_mm: float
    number: int | None = None
    finished: bool = False


@dataclass(frozen=True)
class VirtualTable:
    """Everything on the demo's table; `throw` is the last throw, over or not.

    mat         the printed mat that lies there, with a board of `board_n` squares along a side where it has one
    pieces      on the board, those lower in a pile first
    stacks      of each space before the camera at table height
    card        on the mat's card spot; its number. Of our own deck, or with `bought_deck` of one without markers
    colours     of the players' own dice, where the game has such; else all dice are white
    """

    dice: tuple[TableDie, ...] = ()
    throw: Throw | None = None
    mat: str = MAT
    board_n: int = BOARD_N
    pieces: tuple[TablePiece, ...] = ()
    trucks: tuple[TruckCard, ...] = ()
    boxes: tuple[TableBox, ...] = ()
    stacks: tuple[TableStack, ...] = ()
    card: int | None = None
    colours: tuple[str, ...] = ()
    bought_deck: bool = False


def thrown(table: VirtualTable, landed: tuple[TableDie, ...], now_us: int) -> VirtualTable:
    """`table` with its dice on their way to `landed`."""
    return replace(table, dice=landed, throw=Throw(now_us, now_us + THROW_US, table.dice))


def moved(table: VirtualTable, key: str, x_mm: float, y_mm: float) -> VirtualTable:
    """`table` with one die, or the stack that it belongs to, pushed elsewhere, kept on the table."""
    x_mm, y_mm = kept_on(x_mm, y_mm)
    pushed = stack_of(table, key)
    dice = tuple(replace(die, x_mm=x_mm, y_mm=y_mm) if die in pushed else die for die in table.dice)
    return replace(table, dice=dice, throw=None)


def kept_on(x_mm: float, y_mm: float) -> tuple[float, float]:
    """The place nearest to this one where a die lies on the table as a whole."""
    margin = DIE_MM * 0.75
    return min(max(x_mm, margin), WIDTH_MM - margin), min(max(y_mm, margin), HEIGHT_MM - margin)


def stack_of(table: VirtualTable, key: str) -> tuple[TableDie, ...]:
    """The dice that stand on each other where the die of that name lies, the lowest first."""
    place = next((die.x_mm, die.y_mm) for die in table.dice if die.key == key)
    return tuple(sorted((die for die in table.dice if (die.x_mm, die.y_mm) == place), key=lambda die: die.level))


def cleared(table: VirtualTable) -> VirtualTable:
    """The table with its dice taken away."""
    return replace(table, dice=(), throw=None)
