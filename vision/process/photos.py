"""The process that reads photos which people take by hand: it has no camera, and reads one photo at a time. It also
encodes anew what is kept of photos in which it reads nothing: faces of people, and final tables.

A photo is read as a camera's picture is. Where it shows a printed mat, that says where the phone was, and only the mat
leaves this process; dice and cards are read without one, too.
"""

import contextlib
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.cameras.dice_colours import COLOURS
from companion.cameras.set_up import BLOCK_MM, KEPT_FIELDS
from companion.equipment.mat import DICTIONARY, Mat, mat_with
from companion.errors import BadInput, CompanionError, CornersWanted
from companion.game.readings import (
    BOARD_BEFORE,
    OF_FRONT,
    TAPPED_CORNERS,
    EncodePhoto,
    Kind,
    PhotoEncoded,
    PhotoRead,
    PhotoUse,
    ReadPhoto,
    Settled,
    Watching,
)
from companion.game.readings.mat import LookAtMat
from companion.words import _
from vision.calibration.look_at_mat import measured_fields
from vision.cameras.camera import Frame
from vision.cameras.health import shows_nothing
from vision.cameras.photos import decode_photo
from vision.colour.bodies import NOMINAL_RGB
from vision.process.board_again import board_again
from vision.process.isolation import leave_network
from vision.process.service_pipe import ServicePipe, Stopped
from vision.readers.kinds import READERS
from vision.scene.by_corners import board_fields
from vision.scene.fields import markers_of, scene_fields
from vision.scene.file import BOARD_SIDES, whole
from vision.scene.lenses import Lens, usual_camera
from vision.scene.pose import Pose, detect_markers, pose_from_corners
from vision.scene.scene import SceneCamera
from vision.watch.known_table import KnownTable, load_table
from vision.watch.lookout import reader_for
from vision.watch.watch import Watch

PHOTO_S = 40.0  # The smallest Pi reads one photo within this, networks included.
IDLE_S = 60.0  # One wait for the next photo takes this; waiting may go on for ever.
MOST_READ_PIXELS = 12_600_000  # A photo of 12 megapixels is read as it is; more shows the readers nothing new.
# Phones have these focal lengths as shares of the picture's longer side: wide, usual, twice and three times as long.
# A phone's data name its lens, but an app that made the photo smaller has mostly dropped them.
FOCALS = (0.5, 0.75, 1.45, 2.2)
FACE_PX = 192  # A face has some 8 kB, and is sharp on a podium across the room.
TABLE_PIXELS = 3_000_000  # A final table has some 700 kB. Pages send no more, as FINAL_PIXELS of result.js says.
QUALITY = 82
WITHOUT_MAT = frozenset({Kind.DICE, Kind.CARD})
USUAL_DIE_MM = 16.0
# No piece has this colour: all are named by their usual looks then, and asked about.
USUAL_ONLY = {"grey": list(NOMINAL_RGB["grey"])}


def read_photos_without_network(connection: Connection, scene_path: Path, front_path: Path) -> None:
    """Runs in a process of its own: what people's photos show can leave it only through the pipe.

    scene_path, front_path  scene files of the two cameras, which may be missing; dice colours, pieces and boxes that
                            were taught there hold for photos, too
    """
    leave_network()
    read_photos(connection, scene_path, front_path)


def read_photos(connection: Connection, scene_path: Path, front_path: Path) -> None:
    """Answers each `ReadPhoto` with a `PhotoRead`, and each `EncodePhoto` with a `PhotoEncoded`, until told to stop."""
    pipe = ServicePipe(connection, 0)
    try:
        while True:
            pipe.expect(None)
            pipe.wait(IDLE_S)
            for photo in pipe.take(ReadPhoto):
                pipe.expect(PHOTO_S, _("The photo takes too long to read. Take it from closer, or tap."))
                pipe.send(answer(photo, front_path if photo.watching.kind in OF_FRONT else scene_path))
            for kept in pipe.take(EncodePhoto):
                pipe.expect(PHOTO_S, _("The photo takes too long to read. Take it from closer, or tap."))
                pipe.send(encode(kept))
    except Stopped:
        return
    finally:
        pipe.close()


def answer(photo: ReadPhoto, scene_path: Path) -> PhotoRead:
    """The reading of a photo, or the sentence on why there is none."""
    try:
        return PhotoRead(photo.token, read_photo(photo, load_table(scene_path)))
    except CompanionError as why:
        return PhotoRead(photo.token, None, why.sentence, isinstance(why, CornersWanted))


def encode(asked: EncodePhoto) -> PhotoEncoded:
    """A photo upright, small and encoded anew, so that nothing of its data about place and time stays."""
    try:
        frame_bgr = decode_photo(asked.content, _("This file"))
    except CompanionError as why:
        return PhotoEncoded(asked.token, b"", why.sentence)
    small_bgr = face_of(frame_bgr) if asked.use is PhotoUse.FACE else no_larger(frame_bgr, TABLE_PIXELS)
    _is_done, jpeg = cv2.imencode(".jpg", small_bgr, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))
    return PhotoEncoded(asked.token, jpeg.tobytes())


def face_of(frame_bgr: np.ndarray) -> np.ndarray:
    """The middle square of a photo, small."""
    height, width = frame_bgr.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square_bgr = frame_bgr[top : top + side, left : left + side]
    return cv2.resize(square_bgr, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)


def read_photo(photo: ReadPhoto, saved: KnownTable) -> Settled:
    """The reading of a photo as if the table had come to rest in it; raises BadInput with a sentence."""
    kind = photo.watching.kind or Kind.DICE
    frame_bgr = no_larger(decode_photo(photo.content, _("This file")), MOST_READ_PIXELS)
    table = table_in(frame_bgr, photo.watching, saved)
    reader, unseen = reader_for(table, photo.watching), READERS[kind].unseen

    def read_here(bgr: np.ndarray) -> Any:
        return unseen(reader(bgr)) if shows_nothing(bgr) else reader(bgr)

    watch = Watch(read_here, live=False, kind=kind, show=table.only_mat)
    return watch.glance(Frame(frame_bgr, photo.taken_us, 0))


def no_larger(frame_bgr: np.ndarray, most_pixels: int) -> np.ndarray:
    """The picture with at most so many pixels."""
    height, width = frame_bgr.shape[:2]
    if width * height <= most_pixels:
        return frame_bgr
    share = (most_pixels / (width * height)) ** 0.5
    return cv2.resize(frame_bgr, (round(width * share), round(height * share)), interpolation=cv2.INTER_AREA)


def table_in(frame_bgr: np.ndarray, watching: Watching, saved: KnownTable) -> KnownTable:
    """The table as the photo's own mat describes it, or a board's corners; raises BadInput if the reader needs one.

    saved   gives what a mat does not say: the colours of dice, measured pieces and boxes
    """
    own, is_front = saved.saved_fields(KEPT_FIELDS), watching.kind in OF_FRONT
    is_tapped = TAPPED_CORNERS in watching.knows
    view = None if is_tapped else mat_in(frame_bgr, is_front=is_front)
    if watching.kind is Kind.BOARD:
        own.setdefault(COLOURS, USUAL_ONLY)
        if view is None or view[0].grid is None:
            own.pop("piece", None)  # They are in millimetres of a mat's board.
            return KnownTable({**board_in(frame_bgr, watching), **own})
    if view is not None:
        printed, camera, pose = view
        measured = measured_fields(printed, LookAtMat(0, block_mm=BLOCK_MM if is_front else None))
        return KnownTable({**scene_fields(camera, printed, pose, USUAL_DIE_MM), **measured, **own})
    if watching.kind in WITHOUT_MAT:
        return KnownTable(own)
    raise BadInput(_("The photo doesn't show the printed mat. Take one that shows the whole mat, or tap what's there."))


def board_in(frame_bgr: np.ndarray, watching: Watching) -> dict[str, Any]:
    """The fields of a scene file for a board without a mat; raises CornersWanted where nobody has tapped its corners.

    Corners that were tapped in an earlier photo hold as long as the board is surely found by them.
    """
    height, width = frame_bgr.shape[:2]
    corners = watching.knows.get(TAPPED_CORNERS)
    if corners is None and BOARD_BEFORE in watching.knows:
        before_jpeg, before = watching.knows[BOARD_BEFORE]
        corners = board_again(frame_bgr, decode_photo(before_jpeg, _("This file")), np.array(before))
    if corners is None:
        raise CornersWanted(_("Tap the board's four corners in the photo, or take one that shows the whole mat."))
    n = whole("board_n", watching.knows.get("board_n"), BOARD_SIDES[1], BOARD_SIDES[0])
    return board_fields(np.array(corners) * (width, height) - 0.5, width, height, n, FOCALS)


def mat_in(frame_bgr: np.ndarray, *, is_front: bool) -> tuple[Mat, SceneCamera, Pose] | None:
    """The mat in a photo of an unknown phone, and the camera and pose that explain its markers best; or None."""
    corners_px = detect_markers(frame_bgr, DICTIONARY)
    printed = mat_with(frozenset(corners_px))
    if printed is None or bool(printed.row) is not is_front:
        return None
    height, width = frame_bgr.shape[:2]
    markers = [marker for marker in markers_of(printed) if marker.id in corners_px]
    best: tuple[float, SceneCamera, Pose] | None = None
    for focal in FOCALS:
        camera = usual_camera(Lens("phone", "", focal * max(width, height) / width), width, height)
        with contextlib.suppress(BadInput):  # There are too few markers, or a lens like this sees them so from nowhere.
            pose = pose_from_corners(corners_px, markers_of(printed), *camera.lens(width))
            off_px = [
                np.linalg.norm(pose.project(np.array(marker.corners_mm)) - corners_px[marker.id]) for marker in markers
            ]
            if best is None or np.median(off_px) < best[0]:
                best = float(np.median(off_px)), camera, pose
    return None if best is None else (printed, best[1], best[2])
