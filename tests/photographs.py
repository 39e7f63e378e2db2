"""Photos that a test takes of the demo's table, as a phone's JPEG."""

from dataclasses import replace

import cv2
import numpy as np

from companion.demo.things import THROW_US, TableDie, TablePiece, Throw, VirtualTable
from companion.errors import BadInput
from companion.game.readings import EncodePhoto
from vision.process.photos import encode
from vision.scene.file import scene_of
from vision.virtual.camera import VirtualCamera, virtual_scene

PLACES_MM = ((110.0, 90.0), (200.0, 120.0), (150.0, 60.0), (240.0, 70.0), (120.0, 140.0))


def dice_table(*values: int) -> VirtualTable:
    """The table with dice that show these values, far from one another."""
    dice = [TableDie(f"d{n}", value, *PLACES_MM[n], 20.0 * n) for n, value in enumerate(values)]
    return VirtualTable(dice=tuple(dice))


def thrown(table: VirtualTable) -> VirtualTable:
    """The table while its dice are thrown, from time 0 to THROW_US."""
    origin = tuple(replace(die, x_mm=-60.0, angle_deg=die.angle_deg - 200.0) for die in table.dice)
    return replace(table, throw=Throw(0, THROW_US, origin))


def photo_of(table: VirtualTable, *, larger: float = 1.0) -> bytes:
    """A JPEG of the table from above."""
    with VirtualCamera(table, wait=lambda _seconds: None) as camera:
        frame_bgr = camera.full(next(iter(camera.frames()))).bgr
    return jpeg(cv2.resize(frame_bgr, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC))


def noisy(frame_bgr: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A picture with a sensor's noise: pictures of a camera that are the same again and again are taken for a fault."""
    return np.clip(frame_bgr + random.normal(0, 1, frame_bgr.shape), 0, 255).astype(np.uint8)


def jpeg(frame_bgr: np.ndarray) -> bytes:
    """A picture as JPEG."""
    return cv2.imencode(".jpg", frame_bgr, (cv2.IMWRITE_JPEG_QUALITY, 92))[1].tobytes()


def board_without_mat(pieces: tuple[TablePiece, ...], n: int = 5) -> tuple[bytes, tuple[tuple[float, float], ...]]:
    """A JPEG of a board alone, and its corners as shares of width and height, from row 1, column 1 clockwise."""
    photo = photo_of(VirtualTable(mat="board", board_n=n, pieces=pieces))
    frame_bgr = cv2.imdecode(np.frombuffer(photo, np.uint8), cv2.IMREAD_COLOR)
    scene = scene_of(virtual_scene("board", n))
    assert scene.board is not None
    corners_px = scene.pose(frame_bgr).project(np.array(scene.board.corners_mm))
    (left, top), (right, bottom) = corners_px.min(axis=0).astype(int) - 12, corners_px.max(axis=0).astype(int) + 12
    cut = cv2.resize(frame_bgr[top:bottom, left:right], None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    shares = (corners_px - (left, top) + 0.5) / (right - left, bottom - top)
    return jpeg(cut), tuple((float(x), float(y)) for x, y in shares)


def encode_photo(content, use):
    """Encodes a photo as the process for photos does."""
    done = encode(EncodePhoto("t", content, use))
    if not done.jpeg:
        raise BadInput(done.sentence)
    return done.jpeg
