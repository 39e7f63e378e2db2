"""The things on the demo's physical table: dice, stacks, pieces, boxes, cards, a throw in progress. Plain values only.

They stand for wood and plastic. The page `/table` moves them, the virtual camera draws them; the companion itself never
looks at them and knows only the camera's pictures.
"""

from dataclasses import dataclass, replace

from companion.demo.stacks import TableStack

WIDTH_MM = 400.0
HEIGHT_MM = 300.0
DIE_MM = 16.0
MAT = "dice"  # `companion.equipment.mat` has it; it lies there while no other is needed.
BOARD_N = 6
PIECE_SHARE, PIECE_THICK_MM = 0.72, 6.0  # A piece takes this share of the side of its square.
PIECE_COLOURS = ("white", "black", "red", "blue", "yellow", "green", "orange", "purple", "pink")
UNIT_MM = 13.0  # The smallest box is a cube with this side.
CARD_MM = 0.3  # A truck card is so thick.
THROW_US = 450_000  # It is long enough to look like a throw, and short enough that nobody waits.


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
    """A throw in progress: from where the dice were to where they will lie, between two moments of table time."""

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
    """A truck card: the squares of its loading area, its middle on the table, the number printed on it, and whether its
    player has finished loading."""

    area: tuple[tuple[bool, ...], ...]
    x_mm: float
    y_mm: float
    number: int | None = None
    finished: bool = False


@dataclass(frozen=True)
class VirtualTable:
    """Everything on the demo's table; `throw` is the last throw, over or not.

    mat         the printed mat; if it has a board, this has `board_n` squares along a side
    pieces      on the board, lower ones first
    stacks      of each space in the view of the camera at table height
    card        number of the card on the card spot, of our own deck, or with `bought_deck` of one without markers
    colours     of the players' own dice, if the game has such; else all dice are white
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
    """The table with a throw in progress, whose dice will lie as in `landed`."""
    return replace(table, dice=landed, throw=Throw(now_us, now_us + THROW_US, table.dice))


def moved(table: VirtualTable, key: str, x_mm: float, y_mm: float) -> VirtualTable:
    """The table with a die, or the stack that it belongs to, pushed to another place on the table."""
    x_mm, y_mm = clamped(x_mm, y_mm)
    pushed = stack_of(table, key)
    dice = tuple(replace(die, x_mm=x_mm, y_mm=y_mm) if die in pushed else die for die in table.dice)
    return replace(table, dice=dice, throw=None)


def clamped(x_mm: float, y_mm: float) -> tuple[float, float]:
    """The nearest place at which a die lies wholly on the table."""
    margin = DIE_MM * 0.75
    return min(max(x_mm, margin), WIDTH_MM - margin), min(max(y_mm, margin), HEIGHT_MM - margin)


def stack_of(table: VirtualTable, key: str) -> tuple[TableDie, ...]:
    """The dice of the stack that a die belongs to, lowest first."""
    place = next((die.x_mm, die.y_mm) for die in table.dice if die.key == key)
    return tuple(sorted((die for die in table.dice if (die.x_mm, die.y_mm) == place), key=lambda die: die.level))


def cleared(table: VirtualTable) -> VirtualTable:
    """The table without dice."""
    return replace(table, dice=(), throw=None)
