"""The colours of dice as people teach them in the middle of a game: the colours of the scene file follow.

Pure functions from one scene's fields to the next. Beside each colour the scene keeps the colour before any lesson and
the bodies of the dice in each lesson, so that every lesson can be taken back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from companion.sensing.strictness import RGB, colour_of
from companion.shapes import worked_out

COLOURS = "colour_rgb"  # fields of a scene file
SAID = "colours_said"
MOST_DICE = 15  # the newest dice that count for one colour: a change of lamp is followed


class Said(msgspec.Struct, frozen=True):
    """The lessons of people about one colour.

    known       the colour before any lesson, None for a colour that nobody had described
    lessons     the bodies of the dice named in each lesson, oldest first
    """

    known: RGB | None = None
    lessons: tuple[tuple[RGB, ...], ...] = ()

    @property
    def dice(self) -> tuple[RGB, ...]:
        """The bodies of the dice that count."""
        return tuple(body for lesson in self.lessons for body in lesson)[-MOST_DICE:]


def said_of(scene: Mapping[str, Any], colour: str) -> Said:
    """The lessons about a colour in a scene; none if there were none, or if the field is damaged."""
    try:
        return msgspec.convert(scene.get(SAID, {}).get(colour, {}), worked_out(Said))
    except (msgspec.ValidationError, AttributeError):
        return Said()


def taught(scene: Mapping[str, Any], colour: str, bodies: Sequence[RGB]) -> dict[str, Any]:
    """The scene after a lesson that dice with these bodies have this colour."""
    before = said_of(scene, colour)
    known = before.known if before.lessons else scene.get(COLOURS, {}).get(colour)
    return with_said(scene, colour, Said(known, (*before.lessons, tuple(bodies))[-MOST_DICE:]))


def taken_back(
    scene: Mapping[str, Any], colour: str, newest: int = 1, instead: Sequence[Sequence[RGB]] = ()
) -> dict[str, Any]:
    """The scene without the `newest` lessons about a colour, with `instead` in their place."""
    before = said_of(scene, colour)
    lessons = (*before.lessons[:-newest], *map(tuple, instead))
    return with_said(scene, colour, Said(before.known, lessons)) if before.lessons else dict(scene)


def with_said(scene: Mapping[str, Any], colour: str, said: Said) -> dict[str, Any]:
    """The scene with these lessons about a colour, and the colour that follows from them."""
    colours = {name: rgb for name, rgb in scene.get(COLOURS, {}).items() if name != colour}
    lessons = {name: each for name, each in scene.get(SAID, {}).items() if name != colour}
    if said.lessons:
        colours[colour] = list(colour_of(said.dice, said.known))
        lessons[colour] = msgspec.to_builtins(said)
    elif said.known is not None:
        colours[colour] = list(said.known)
    return {**scene, COLOURS: colours, SAID: lessons}
