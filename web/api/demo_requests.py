"""Bodies of requests that move what lies on the demo's table."""

from typing import Annotated

from msgspec import Meta

from web.api.requests import Body


class Roll(Body):
    """Dice to throw on the demo's table: those named, so many, so many of each player's, or all that lie there."""

    keys: Annotated[list[Annotated[str, Meta(max_length=64)]], Meta(max_length=100)] | None = None
    count: Annotated[int, Meta(ge=1, le=100)] | None = None
    each: Annotated[int, Meta(ge=1, le=100)] | None = None


class OneDie(Body):
    """A die of the demo's table to which something is done."""

    key: Annotated[str, Meta(max_length=64)]


class PutOnto(Body):
    """A die of the demo's table, put onto another one."""

    key: Annotated[str, Meta(max_length=64)]
    onto: Annotated[str, Meta(max_length=64)]


class Move(Body):
    """A die pushed elsewhere on the demo's table."""

    key: Annotated[str, Meta(max_length=64)]
    x_mm: Annotated[float, Meta(ge=-1000, le=1000)]
    y_mm: Annotated[float, Meta(ge=-1000, le=1000)]


Square = Annotated[int, Meta(ge=0, le=99)]


class Put(Body):
    """A piece put on a square of the demo's board."""

    row: Square
    column: Square
    colour: Annotated[str, Meta(max_length=20)]


class Take(Body):
    """The top piece of a square, taken away."""

    row: Square
    column: Square


class Tip(Body):
    """A pile tipped over: the side its lowest moving piece goes to, 0 is far, then clockwise."""

    row: Square
    column: Square
    first: Annotated[int, Meta(ge=0, le=3)]


class Deal(Body):
    """How many boxes of each size lie beside the trucks, smallest first."""

    counts: Annotated[list[Annotated[int, Meta(ge=0, le=30)]], Meta(min_length=5, max_length=5)]


class Load(Body):
    """A box put onto a truck: its far left unit on that square, along the rows, away from the viewer, or upright."""

    size: Annotated[int, Meta(ge=1, le=5)]
    truck: Square
    row: Square
    column: Square
    along: Annotated[str, Meta(max_length=1)]


class Unload(Body):
    """The upper box of a truck's square, taken back."""

    truck: Square
    row: Square
    column: Square


class PutBlock(Body):
    """A block put on a stack: how it lies, and its middle right of the space's."""

    way: Annotated[str, Meta(max_length=20)]
    x_mm: Annotated[float, Meta(ge=-1000, le=1000)]


class Card(Body):
    """The number of the card that lies on the demo's card spot; none lies there without one."""

    number: Annotated[int, Meta(ge=1, le=99)] | None = None


class Finger(Body):
    """A button of the demo's box."""

    button: Annotated[str, Meta(max_length=64)]
