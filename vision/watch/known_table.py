"""The known facts about the table under one camera: the saved scene, with the mat found anew in every picture read."""

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.cameras.dice_colours import COLOURS
from companion.errors import BadInput
from companion.game.readings.deck import DeckCard
from companion.words import _
from vision.card.reader import LearnedCard
from vision.card.shown import learn_deck
from vision.scene.fields import pose_fields
from vision.scene.file import scene_fields, scene_of
from vision.scene.pose import FAR_PX, detect_markers, pose_from_corners
from vision.scene.scene import Scene
from vision.scene.trucks import truck_words, with_trucks

MARGIN_MM = 40.0  # Saved pictures show so much around the mat, as dice roll over its edge and faces are further away.
OUTSIDE_BGR = (90, 90, 90)
DRAWN_FIELDS = ("piece", "unit_mm")  # A drawing knows these fields better than any measurement.


class KnownTable:
    """The scene of one camera.

    trouble     one sentence while the mat cannot be found, "" otherwise
    defect      what is wrong with the newest description, "" if it is in use
    strictness  as in `Scene`; the table learns it, and no scene file has it
    """

    def __init__(self, fields: Mapping[str, Any] | None = None) -> None:
        self.trouble = self.defect = ""
        self.strictness = 1.0
        self._saved: dict[str, Any] = {}
        self._fields: dict[str, Any] = {}
        self._scene = Scene()
        self._found_in: weakref.ref[np.ndarray] | None = None  # It is weak, so that no picture is kept alive.
        self._deck: Sequence[DeckCard] = ()
        self._learned: tuple[LearnedCard, ...] | None = ()  # It is None until the deck is learned.
        self.use(fields or {})

    @classmethod
    def at(cls, path: Path | None) -> "KnownTable":
        """The table as saved at `path`, None for a table that nobody has described; raises BadInput."""
        return cls(None if path is None else scene_fields(path))

    @property
    def is_set_up(self) -> bool:
        """Whether somebody has described this table."""
        return bool(self._saved)

    def use(self, fields: Mapping[str, Any]) -> None:
        """Describes the table by these fields; raises BadInput for no scene, and keeps the last description then."""
        try:
            self._describe(fields)
        except BadInput as why:
            self.defect = why.sentence
            raise
        self._saved, self.defect = dict(fields), ""

    def saved_fields(self, names: Iterable[str]) -> dict[str, Any]:
        """These fields of the description in use, as far as it has them."""
        return {name: self._saved[name] for name in names if name in self._saved}

    def use_drawn(self, fields: Mapping[str, Any]) -> None:
        """Describes a drawn table.

        Saved fields of the same mat come first, but the drawing knows its own pieces and boxes best; of another mat's
        fields only the colours are taken.
        """
        colours = {**(self._saved.get(COLOURS) or {}), **fields.get(COLOURS, {})}
        is_other = "mat" in fields and mat_identity(self._saved) != mat_identity(fields)
        own = {name: fields[name] for name in DRAWN_FIELDS if name in fields} | ({COLOURS: colours} if colours else {})
        self._describe({**fields, **({} if is_other else self._saved), **own})

    def _describe(self, fields: Mapping[str, Any]) -> None:
        scene = scene_of(dict(fields))
        self._fields, self._scene, self._found_in, self.trouble = dict(fields), scene, None, ""

    def use_deck(self, cards: Sequence[DeckCard]) -> None:
        """Takes these cards for the bought deck; they are learned when first needed."""
        self._deck, self._learned = cards, None

    def learned_cards(self) -> tuple[LearnedCard, ...]:
        """The learned cards of the bought deck; BadInput names a card to show again."""
        if self._learned is None:
            self._learned = learn_deck(self._deck)
        return self._learned

    def truck_note(self, knows: Mapping[str, Any]) -> str:
        """The sentence that says which truck belongs where, or ""; raises BadInput as `scene`."""
        return truck_words({**self._fields, **knows})

    def scene(self, knows: Mapping[str, Any]) -> Scene:
        """The present scene; what a game knows comes before what was saved. Raises BadInput."""
        scene = scene_of(with_trucks({**self._fields, **knows})) if knows else self._scene
        return scene if self.strictness == 1 else replace(scene, strictness=self.strictness)

    def find(self, frame_bgr: np.ndarray) -> None:
        """Finds the camera's place in this picture anew, so a bump corrects itself; a missing mat becomes `trouble`."""
        camera = self._scene.camera
        if camera is None or not self._scene.markers or (self._found_in and self._found_in() is frame_bgr):
            return
        self._found_in = weakref.ref(frame_bgr)
        corners_px = detect_markers(frame_bgr, self._scene.markers[0].dictionary)
        try:
            pose = pose_from_corners(corners_px, self._scene.markers, *camera.lens(frame_bgr.shape[1]))
            fields = {**self._fields, "camera": {**self._fields["camera"], **pose_fields(pose)}}
            scene = scene_of(fields)
        except BadInput:  # There are too few markers, or the place is impossible.
            self.trouble = _("I can't see the whole mat. Uncover its markers, or set the camera up again.")
            return
        self._fields, self._scene, self.trouble = fields, scene, ""

    def only_mat(self, frame_bgr: np.ndarray) -> np.ndarray:
        """The picture with only the mat, what stands on it, and a margin; all of it while no mat is known.

        The rest turns grey rather than being cut off, so that pixels keep their places.
        """
        self.find(frame_bgr)
        return leave_only(frame_bgr, self.mat_mask(frame_bgr))

    def mat_mask(self, frame_bgr: np.ndarray) -> np.ndarray | None:
        """(h, w) uint8: 255 for the last mat, what stands on it, and a margin; None while no mat is known."""
        outline_mm = self._scene.outline_mm
        if not outline_mm or self._scene.camera is None:
            return None
        middle = np.mean(outline_mm, axis=0)
        wider = [corner + np.sign(corner - middle) * (MARGIN_MM, MARGIN_MM, 0) for corner in np.array(outline_mm)]
        wider += [corner + np.array([0, 0, self._scene.tall_mm]) for corner in wider]
        try:
            corners_px = self._scene.pose(frame_bgr).project(np.array(wider))
        except BadInput:  # The picture has another shape, so it is not from the camera that was calibrated.
            return None
        mat_mask = np.zeros(frame_bgr.shape[:2], np.uint8)
        hull = cv2.convexHull(np.rint(np.clip(corners_px, -FAR_PX, FAR_PX)).astype(np.int32))
        cv2.fillConvexPoly(mat_mask, hull, 255)
        return mat_mask


def leave_only(bgr: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The picture, grey where the mask leaves something out; None leaves out nothing."""
    return bgr if mask is None else cv2.copyTo(bgr, mask, np.full_like(bgr, OUTSIDE_BGR))


def mat_identity(fields: Mapping[str, Any]) -> tuple[object, object]:
    """The name of a scene's mat and the number of squares along a side of its board."""
    return (fields.get("mat") or {}).get("name"), (fields.get("board") or {}).get("n")


def load_table(scene_path: Path | None) -> KnownTable:
    """The table as saved; a damaged file becomes `refused` and costs no camera, as saving again repairs it."""
    try:
        return KnownTable.at(scene_path if scene_path is not None and scene_path.exists() else None)
    except BadInput as error:
        table = KnownTable()
        table.defect = error.sentence
        return table
