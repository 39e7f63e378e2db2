"""The colours of dice as people teach them in the middle of a game: the colours of the scene file follow.

Pure functions from one scene's fields to the next. Beside each colour the scene keeps the colour before any lesson and
the bodies of the dice in each lesson, so that every lesson can be taken back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from companion.foreign import Unreadable, read_value
from companion.sensing.strictness import RGB, colour_of

COLOURS, LESSONS = "colour_rgb", "colours_said"
MOST_DICE = 15  # Only the newest dice count for a colour, so that it follows a change of lamp.


class ColourLessons(msgspec.Struct, frozen=True):
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


def lessons_of(scene: Mapping[str, Any], colour: str) -> ColourLessons:
    """The lessons about a colour in a scene; none if there were none, or if the field is damaged."""
    try:
        return read_value(scene.get(LESSONS, {}).get(colour, {}), ColourLessons)
    except (Unreadable, AttributeError):
        return ColourLessons()


def teach(scene: Mapping[str, Any], colour: str, bodies: Sequence[RGB]) -> dict[str, Any]:
    """The scene after a lesson that dice with these bodies have this colour."""
    before = lessons_of(scene, colour)
    colour_before = before.known if before.lessons else scene.get(COLOURS, {}).get(colour)
    return with_lessons(scene, colour, ColourLessons(colour_before, (*before.lessons, tuple(bodies))[-MOST_DICE:]))


def take_back(
    scene: Mapping[str, Any], colour: str, newest: int = 1, instead: Sequence[Sequence[RGB]] = ()
) -> dict[str, Any]:
    """The scene without the `newest` lessons about a colour, with `instead` in their place."""
    before = lessons_of(scene, colour)
    lessons = (*before.lessons[:-newest], *map(tuple, instead))
    return with_lessons(scene, colour, ColourLessons(before.known, lessons)) if before.lessons else dict(scene)


def with_lessons(scene: Mapping[str, Any], colour: str, colour_lessons: ColourLessons) -> dict[str, Any]:
    """The scene with these lessons about a colour, and the colour that follows from them."""
    colours = {name: rgb for name, rgb in scene.get(COLOURS, {}).items() if name != colour}
    lessons = {name: lesson for name, lesson in scene.get(LESSONS, {}).items() if name != colour}
    if colour_lessons.lessons:
        colours[colour] = list(colour_of(colour_lessons.dice, colour_lessons.known))
        lessons[colour] = msgspec.to_builtins(colour_lessons)
    elif colour_lessons.known is not None:
        colours[colour] = list(colour_lessons.known)
    return {**scene, COLOURS: colours, LESSONS: lessons}
