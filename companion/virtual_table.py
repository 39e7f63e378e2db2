"""The demo's physical table: dice that lie somewhere, stacks that stand, a throw on its way. Plain values only.

It stands for wood and plastic. The page `/table` moves it, the virtual camera draws it; the companion itself never
looks at it and learns the dice from the camera's pictures alone.
"""

from dataclasses import dataclass, replace

WIDTH_MM = 400.0
HEIGHT_MM = 300.0
DIE_MM = 16.0
MAT = "dice"  # that lies in the table's middle, as `companion.mat` knows it
THROW_US = 450_000  # long enough to look like a throw, short enough that nobody waits


@dataclass(frozen=True)
class TableDie:
    """A die on the demo's table: centre in millimetres from the table's upper left corner, turn in degrees.

    `key` names the die for as long as it lies on the table.
    """

    key: str
    value: int
    x_mm: float
    y_mm: float
    angle_deg: float
    colour: str = "white"


@dataclass(frozen=True)
class Throw:
    """Dice on their way: from where they were to where they will lie, between two moments of table time."""

    started_us: int
    rests_us: int
    origin: tuple[TableDie, ...]


@dataclass(frozen=True)
class VirtualTable:
    """Everything on the demo's table; `throw` is the last throw, over or not."""

    dice: tuple[TableDie, ...] = ()
    throw: Throw | None = None


def thrown(table: VirtualTable, landed: tuple[TableDie, ...], now_us: int) -> VirtualTable:
    """`table` with its dice on their way to `landed`."""
    return VirtualTable(landed, Throw(now_us, now_us + THROW_US, table.dice))


def moved(table: VirtualTable, key: str, x_mm: float, y_mm: float) -> VirtualTable:
    """`table` with one die pushed elsewhere, kept on the table."""
    margin = DIE_MM * 0.75
    x_mm = min(max(x_mm, margin), WIDTH_MM - margin)
    y_mm = min(max(y_mm, margin), HEIGHT_MM - margin)
    dice = tuple(replace(die, x_mm=x_mm, y_mm=y_mm) if die.key == key else die for die in table.dice)
    return replace(table, dice=dice, throw=None)


def cleared(table: VirtualTable) -> VirtualTable:
    """The table with its dice taken away."""
    return replace(table, dice=(), throw=None)
