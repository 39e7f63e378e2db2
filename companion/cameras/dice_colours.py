"""Whose dice are which, as people say it in the middle of a game: the colours of the scene file follow the dice said.

Pure functions from one scene's fields to the next. Beside each colour the scene keeps what it was taken for before and
the bodies of the dice that are said to have it, so that every lesson can be taken back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from companion.sensing.strictness import RGB, colour_of

COLOURS = "colour_rgb"  # fields of a scene file
SAID = "colours_said"
MOST_DICE = 15  # that count for one colour, the newest: a lamp that was changed is followed


class Said(msgspec.Struct, frozen=True):
    """What people said of one colour.

    known       what it was taken for before anybody said anything, None for a colour that nobody had described
    lessons     the bodies of the dice named in each lesson, oldest first
    """

    known: RGB | None = None
    lessons: tuple[tuple[RGB, ...], ...] = ()

    @property
    def dice(self) -> tuple[RGB, ...]:
        """The bodies that count."""
        return tuple(body for lesson in self.lessons for body in lesson)[-MOST_DICE:]


def said_of(scene: Mapping[str, Any], colour: str) -> Said:
    """What a scene holds of a colour; nothing where it was never said, or somebody has damaged it by hand."""
    try:
        return msgspec.convert(scene.get(SAID, {}).get(colour, {}), Said)
    except (msgspec.ValidationError, AttributeError):
        return Said()


def taught(scene: Mapping[str, Any], colour: str, bodies: Sequence[RGB]) -> dict[str, Any]:
    """The scene once somebody said that dice of these bodies are of this colour."""
    before = said_of(scene, colour)
    known = before.known if before.lessons else scene.get(COLOURS, {}).get(colour)
    return with_said(scene, colour, Said(known, (*before.lessons, tuple(bodies))[-MOST_DICE:]))


def taken_back(
    scene: Mapping[str, Any], colour: str, newest: int = 1, instead: Sequence[Sequence[RGB]] = ()
) -> dict[str, Any]:
    """The scene without the `newest` so many lessons about a colour, or with others in their place."""
    before = said_of(scene, colour)
    lessons = (*before.lessons[:-newest], *map(tuple, instead))
    return with_said(scene, colour, Said(before.known, lessons)) if before.lessons else dict(scene)


def with_said(scene: Mapping[str, Any], colour: str, said: Said) -> dict[str, Any]:
    """The scene with a colour as what was said of it has it."""
    colours = {name: rgb for name, rgb in scene.get(COLOURS, {}).items() if name != colour}
    lessons = {name: each for name, each in scene.get(SAID, {}).items() if name != colour}
    if said.lessons:
        colours[colour] = list(colour_of(said.dice, said.known))
        lessons[colour] = msgspec.to_builtins(said)
    elif said.known is not None:
        colours[colour] = list(said.known)
    return {**scene, COLOURS: colours, SAID: lessons}
