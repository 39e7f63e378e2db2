"""Setting the camera up: what the vision process sees of the mat while somebody looks, and the scene it leads to.

Nothing here looks at pictures: commands go to the vision process, and its answers come back.
"""

import contextlib
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from companion.cameras.dice_colours import COLOURS, LESSONS, take_back, teach
from companion.cameras.live_view import LiveView
from companion.clock import Clock
from companion.equipment.deck import OWN_DECK
from companion.errors import BadInput
from companion.foreign import Unreadable, read_json, read_value
from companion.game.readings.mat import LookAtMat, MatSeen, Tap, UseScene, Verdict
from companion.journal.files import not_written, write_whole
from companion.sensing.strictness import RGB
from companion.words import _

SCENE, FRONT_SCENE = "scene.json", "scene-front.json"
BLOCK_MM = OWN_DECK.block_mm
# No mat, or not every mat, sets these fields: setting the camera up again leaves them.
KEPT_FIELDS = (COLOURS, LESSONS, "cylinder_mm_diameter_height", "piece", "unit_mm", "colour_by_length")
Level = Annotated[float, Meta(ge=0, le=255)]
Length = Annotated[float, Meta(gt=0)]
READ_HERE: Mapping[str, Any] = {  # The pages themselves read these fields of a scene file.
    COLOURS: dict[str, tuple[Level, Level, Level]],
    "block_mm_long_mid_short": tuple[Length, Length, Length],
}

Send = Callable[[object], None]
Lessons = dict[str, list[dict[int, RGB]]]
"""Colour → the dice that each lesson named: place in the look → body."""


def describes_camera(scene: Mapping[str, Any]) -> bool:
    """Whether a scene says more than the colours of dice, which people also teach without any mat."""
    return bool(scene.keys() - {COLOURS, LESSONS})


def has_right_type(name: str, value: object) -> bool:
    """Whether a field of a scene file has the type that READ_HERE asks for: a person may have edited it."""
    try:
        read_value(value, READ_HERE.get(name, object))
    except Unreadable:
        return False
    return True


class CameraSetUp(LiveView[LookAtMat, MatSeen]):
    """One camera and the scene file of its table. Thread-safe.

    path        of the scene file
    send        takes commands for the vision process
    on_watched  called with whether somebody looks through the camera
    """

    def __init__(self, path: Path, send: Send, clock: Clock, on_watched: Callable[[bool], None]) -> None:
        super().__init__(send, clock, on_watched)
        self.path = path
        self._lock = threading.Lock()
        self._look = ""  # Somebody has said something about this look.
        self._lessons: Lessons = {}

    def watch(self, lens: str = "", **lengths: Any) -> MatSeen | None:
        """See `LiveView.ask`; the lengths are those of `LookAtMat`."""

        def wish(until_us: int, before: LookAtMat | None) -> LookAtMat:
            return LookAtMat(until_us, lens, tap=before.tap if before else None, **lengths)

        return self.ask(wish)

    def tap(self, colour: str, x: float, y: float) -> None:
        """Says the colour of the die at that part of the picture's width and height; see `MatSeen.tapped`."""
        tap_ = Tap(secrets.token_hex(4), colour, x, y)
        self.change(lambda wish: replace(wish, tap=tap_))

    def scene(self) -> Mapping[str, Any]:
        """The fields of the saved scene; empty if nothing was saved or the file is damaged.

        Fields that the pages cannot read are left out, so that the page that makes a new scene always works.
        """
        with contextlib.suppress(OSError, Unreadable):
            fields = read_json(self.path.read_bytes())
            if isinstance(fields, dict):
                return {name: value for name, value in fields.items() if has_right_type(name, value)}
        return {}

    @property
    def is_set_up(self) -> bool:
        """Whether more than the colours of dice was saved."""
        return describes_camera(self.scene())

    def save(self) -> None:
        """Saves what is seen now, which the vision process then uses; raises BadInput while it is not good enough."""
        with self._lock:
            mat = self.newest()
            if mat is None:
                raise BadInput(_("The camera hasn't looked yet. Wait a moment."))
            if not mat.scene:
                trouble = next((check.text for check in mat.checks if check.verdict is Verdict.BAD), "")
                raise BadInput(trouble or _("I can't see the mat yet. Put it under the camera."))
            before = self.scene()
            kept_fields = {name: before[name] for name in KEPT_FIELDS if name in before}
            colours = mat.scene.get(COLOURS, {})
            lessons = {name: lesson for name, lesson in before.get(LESSONS, {}).items() if name not in colours}
            self._write({**kept_fields, **mat.scene, COLOURS: {**before.get(COLOURS, {}), **colours}, LESSONS: lessons})
            self._lessons = {}

    def forget(self) -> None:
        with self._lock:
            try:
                self.path.unlink(missing_ok=True)
            except OSError as error:
                raise not_written(self.path, error) from error
            self._lessons = {}
            self._send(UseScene({}))

    def forget_colours(self) -> None:
        """Goes back to the usual colours of dice."""
        with self._lock:
            self._write({**self.scene(), COLOURS: {}, LESSONS: {}})
            self._lessons = {}

    def teach(self, colour: str, look: str, dice: Mapping[int, RGB], *, anew: bool) -> None:
        """Teaches that dice like these have this colour.

        look    the look in which the dice lie
        dice    place in that look → colour of the body
        anew    read what lies there again

        A die that was named before in the same look counts once; an earlier lesson with another colour was a slip, and
        is taken back.
        """
        with self._lock:
            if look != self._look:
                self._look, self._lessons = look, {}
            scene, lessons_now = self.scene(), dict(self._lessons)
            for other, lessons in self._lessons.items():
                if other != colour and any(dice.keys() & lesson.keys() for lesson in lessons):
                    remaining = [{place: lesson[place] for place in lesson if place not in dice} for lesson in lessons]
                    lessons_now[other] = [lesson for lesson in remaining if lesson]
                    scene = take_back(
                        scene, other, len(lessons), [tuple(lesson.values()) for lesson in lessons_now[other]]
                    )
            before = lessons_now.get(colour, [])
            new = {place: dice[place] for place in sorted(dice.keys() - set().union(*before))}
            if new:
                self._write(teach(scene, colour, tuple(new.values())), anew)
                self._lessons = {**lessons_now, colour: [*before, new]}

    def take_back(self, colour: str) -> None:
        with self._lock:
            self._write(take_back(self.scene(), colour))
            if self._lessons.get(colour):
                self._lessons[colour].pop()

    def _write(self, scene: Mapping[str, Any], anew: bool = False) -> None:
        try:
            write_whole(self.path, json.dumps(scene, indent=1).encode())
        except OSError as error:
            raise not_written(self.path, error) from error
        self._send(UseScene(scene, anew))
