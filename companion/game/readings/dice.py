"""Dice as the camera believes they lie: single dice and stacks of dice."""

from dataclasses import dataclass, replace

from companion.game.readings.places import Box

# These fields are for learning, and for finding what is new: they are neither published nor stored as they are.
INNER = ("needs", "body_rgb", "changed", "since_us", "old")

ALWAYS_US = -1  # It is before every moment.


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
    """All dice in one frame; `unread` are dice-like things that could not be read.

    since_us    for each die, then for each unread thing: the time since when its place looks as it does now, ALWAYS_US
                where it lay there when the camera began to look; empty for a photo, which knows no earlier picture
    old         dice that lay there before, and so are no part of a throw; see `new_since`
    """

    width: int
    height: int
    dice: tuple[DieReading, ...]
    unread: tuple[Box, ...] = ()
    since_us: tuple[int, ...] = ()
    old: tuple[DieReading, ...] = ()

    @property
    def accepted(self) -> bool:
        """True when nobody has to be asked about a die; an empty table is accepted."""
        return not self.unread and all(die.accepted for die in self.dice)

    def later(self, by_us: int) -> "DiceReading":
        """The reading with its times in those of a clock that is so much ahead."""
        since_us = tuple(at_us if at_us == ALWAYS_US else at_us + by_us for at_us in self.since_us)
        return replace(self, since_us=since_us)

    def is_new(self, since_us: int) -> tuple[bool, ...]:
        """For each die, then for each unread thing: whether its place has changed after this time."""
        return tuple(at_us > since_us for at_us in self.since_us) or (True,) * (len(self.dice) + len(self.unread))

    def new_since(self, since_us: int) -> "DiceReading":
        """What was thrown after this time: what has lain there since before is neither counted nor asked about."""
        is_new = self.is_new(since_us)
        dice = tuple(die for die, new in zip(self.dice, is_new, strict=False) if new)
        old = tuple(die for die, new in zip(self.dice, is_new, strict=False) if not new)
        unread = tuple(box for box, new in zip(self.unread, is_new[len(self.dice) :], strict=True) if new)
        at_us = tuple(at_us for at_us in self.since_us if at_us > since_us)
        return replace(self, dice=dice, unread=unread, since_us=at_us, old=(*self.old, *old))


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
