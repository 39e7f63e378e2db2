"""Dice as the camera believes they lie: single dice and stacks of dice."""

from dataclasses import dataclass

from companion.game.readings.places import Box

# fields for learning, and for finding changes since the last rest: neither published nor stored
INNER = ("needs", "body_rgb", "changed")


@dataclass(frozen=True)
class DieReading:
    """One die as the camera believes it lies.

    value           1..6, the likeliest face, also when it is not accepted
    cx, cy, w, h    pixels: centre and upright box of the top face
    angle_deg       turn of the face, -45..45
    colour          name of the body colour, None for an unknown one
    confidence      0..1, calibrated: of a hundred dice at 0.99 one is wrong
    accepted        False: ask a person
    alternatives    (value, probability), likeliest first
    needs           confidence at which such a die is accepted before anything is learnt about the table; None for
                    one that is asked whatever its confidence (two looks at it differ, say)
    body_rgb        red, green, blue of its body without the pips, 0..255
    """

    value: int
    cx: float
    cy: float
    w: float
    h: float
    angle_deg: float
    colour: str | None
    confidence: float
    accepted: bool
    alternatives: tuple[tuple[int, float], ...]
    needs: float | None = None
    body_rgb: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class DiceReading:
    """All dice in one frame; `unread` are dice-like things that could not be read."""

    width: int
    height: int
    dice: tuple[DieReading, ...]
    unread: tuple[Box, ...] = ()

    @property
    def accepted(self) -> bool:
        """True when nobody has to be asked about a die; an empty table is accepted."""
        return not self.unread and all(die.accepted for die in self.dice)


@dataclass(frozen=True)
class StackReading:
    """One stack: its top die, its height in dice, and where it stands.

    chances  probability of heights 1, 2, 3, 4
    """

    top: DieReading
    height: int
    height_accepted: bool
    chances: tuple[float, ...]
    x_mm: float
    y_mm: float


@dataclass(frozen=True)
class StacksReading:
    """All stacks in one frame; `unread` are dice-like things that could not be read."""

    width: int
    height: int
    stacks: tuple[StackReading, ...]
    unread: tuple[Box, ...] = ()

    @property
    def accepted(self) -> bool:
        """True when nobody has to be asked about a top die or a height."""
        return not self.unread and all(stack.top.accepted and stack.height_accepted for stack in self.stacks)
