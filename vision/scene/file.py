"""Reads a `Scene` from SCENE.json, which calibration writes, or from the similar label files of pictures."""

from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json
from vision.scene.pose import FARTHEST_MM, Marker, knows_dictionary
from vision.scene.scene import RGB, Board, Piece, PointMm, Scene, SceneCamera, StackReference, Truck

BOARD_SIDES = (4, 19)  # Boards that are read have so many squares along a side, from the smallest mat to a Go board.
MOST_SPACES = 20  # No game needs more along one side of a truck.
MOST_TRUCKS = 20  # Each truck on a table takes time.
MOST_CARDS = 999  # No deck of trucks has more.
MOST_STACKS = 4  # No mat has more, and no game has more players.
LEAST_MM2 = 1.0  # Two sides of a board, truck or mat span more; 0 means that corners coincide or lie in a line.
BOX_SIZES = range(1, 6)
MOST_ROLLED = 15  # No game has more boxes of a size, and every count of every size is weighed.
# The longer the longest edge of a block and the shorter the shortest, the more ways there are to stack them.
EDGE_MM = (1, 500)
SMALLEST, LARGEST = 0.1, 1_000_000  # No table has such lengths; readers divide by them and square them.
DISTORTIONS = (4, 5, 8, 12, 14)  # OpenCV takes so many coefficients.
ROTATION_OFF = 0.01  # People round numbers by hand.
# Over the picture's longer side no lens over a table has less (157 degrees) or more (half a degree).
FOCAL = (0.1, 100)
CENTRE = 10  # The middle lies no farther out, in longer sides: the picture may be a part of a larger one.
LENS_PLACES = 5  # A picture's directions are checked in so many places along each side.
WIDEST_TANGENT = 30.0  # No lens sees further than 88 degrees from the middle.
BENT = 0.5  # A pixel undistorted and distorted again is off by no more, as a share of the longer side.
CAMERA = ("width", "height", "fx", "fy", "cx", "cy")  # A camera must have these fields.
GRID, AREA = "grid_corners_mm_tl_tr_br_bl", "area_corners_mm_tl_tr_br_bl"
OUTLINE, CORNERS = "outline_mm_tl_tr_br_bl", "corners_mm_tl_tr_br_bl"
USUAL_DICTIONARY = "DICT_4X4_50"


def load_scene(path: Path) -> Scene:
    """The scene written at `path`; raises BadInput with a sentence about the file."""
    fields = scene_fields(path)
    try:
        return scene_of(fields)
    except BadInput as error:
        raise BadInput(f"The scene {path} does not fit: {error}") from error


def scene_fields(path: Path) -> dict[str, Any]:
    """The decoded fields in the file at `path`, not yet checked; raises BadInput with a sentence about the file."""
    try:
        fields = read_json(path.read_bytes().removeprefix(BOM_UTF8))
    except OSError as error:
        raise BadInput(f"The scene {path} cannot be read: {error.strerror}.") from error
    except Unreadable as error:
        raise BadInput(f"The scene {path} is no JSON: write it again with the calibration page.") from error
    if not isinstance(fields, dict):
        raise BadInput(f"The scene {path} does not fit: it must be an object with fields such as colour_rgb.")
    return fields


def scene_of(fields: object) -> Scene:
    """The scene of decoded JSON, without unknown keys; raises BadInput."""
    if not isinstance(fields, dict):
        raise BadInput("it must be an object with fields such as colour_rgb.")
    colours = fields.get("colour_rgb") or {}
    if not isinstance(colours, dict):
        raise BadInput('colour_rgb must name colours, like {"red": [185, 20, 34]}.')
    mat = None if fields.get("mat") is None else objects("mat", [fields["mat"]])[0]
    return Scene(
        colour_rgb=MappingProxyType({name: rgb_of(name, value) for name, value in colours.items()}),
        camera=None if fields.get("camera") is None else camera_of(fields["camera"]),
        markers=markers_of(fields.get("markers") or []),
        die_size_mm=number(fields, "die_size_mm"),
        colours=names("colours", fields.get("colours") or fields.get("players_colours") or []),
        board=None if fields.get("board") is None else board_of(fields["board"]),
        piece=None if fields.get("piece") is None else piece_of(fields["piece"]),
        trucks=tuple(map(truck_of, objects("trucks", fields.get("trucks") or [], MOST_TRUCKS))),
        colour_by_length=MappingProxyType(lengths_of(fields.get("colour_by_length") or {})),
        unit_mm=number(fields, "unit_mm"),
        rolls=tuple(map(roll_of, objects("rolls", fields.get("rolls") or [], MOST_TRUCKS))),
        spaces_mm=tuple(
            point("space_centres_mm", centre, 2)[:2] for centre in listed(fields, "space_centres_mm", MOST_STACKS)
        ),
        block_mm=block_of(fields),
        cylinder_mm=edges(fields, "cylinder_mm_diameter_height", 2),
        misplaced_mm=number(fields, "misplaced_mm"),
        outline_mm=() if mat is None else rim_of("the mat's outline", mat, OUTLINE),
        tall_mm=0.0 if mat is None else number(mat, "tall_mm") or 0.0,
        references=MappingProxyType(references_of(fields.get("references") or {})),
    )


def board_of(value: object) -> Board:
    """A grid board; its corners may be above the table."""
    (board,) = objects("board", [value])
    n = whole("board.n", board.get("n"), BOARD_SIDES[1], BOARD_SIDES[0])
    return Board(n, positive("board.cell_mm", board.get("cell_mm")), rim_of("board.grid_corners_mm", board, GRID))


def piece_of(value: object) -> Piece:
    (piece,) = objects("piece", [value])
    return Piece(
        positive("piece.diameter_mm", piece.get("diameter_mm")),
        positive("piece.thickness_mm", piece.get("thickness_mm")),
    )


def truck_of(truck: Mapping[str, object]) -> Truck:
    columns = whole("the columns of a truck", truck.get("columns"), MOST_SPACES)
    rows = whole("the rows of a truck", truck.get("rows"), MOST_SPACES)
    area = truck.get("loading_area_row_col") or [[1] * columns] * rows
    if (
        not isinstance(area, list)
        or len(area) != rows
        or not all(isinstance(row, list) and len(row) == columns for row in area)
    ):
        raise BadInput(
            f"loading_area_row_col of a truck must be {rows} rows of {columns} numbers, 1 where boxes stand."
        )
    return Truck(
        columns,
        rows,
        whole("the levels of a truck", truck.get("levels"), MOST_SPACES),
        tuple(tuple(square == 1 for square in row) for row in area),
        positive("cell_mm of a truck", truck.get("cell_mm")),
        rim_of("area_corners_mm of a truck", truck, AREA),
        None if truck.get("number") is None else whole("the number of a truck", truck["number"], MOST_CARDS),
    )


def roll_of(roll: Mapping[str, object]) -> Mapping[int, int]:
    """Size in units → how many boxes of it a player rolled."""
    sizes = {str(size) for size in BOX_SIZES}
    counts = {
        size: count
        for size, count in roll.items()
        if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_ROLLED
    }
    if not roll.keys() <= sizes or counts.keys() != roll.keys():
        raise BadInput(
            f"rolls must say how many boxes of each size from {BOX_SIZES[0]} to {BOX_SIZES[-1]} each player rolled, "
            f'up to {MOST_ROLLED}, like [{{"1": 2, "4": 1}}].'
        )
    return MappingProxyType({int(size): count for size, count in counts.items()})


def corners_of(what: str, fields: Mapping[str, object], key: str) -> tuple[PointMm, ...]:
    """Four corners in mm, tl, tr, br, bl; a corner of two numbers lies on the table."""
    corners = fields.get(key)
    if not isinstance(corners, list) or len(corners) != 4:
        raise BadInput(f"{what} must be four corners in mm.")
    return tuple(point(what, corner, 3) for corner in corners)


def rim_of(what: str, fields: Mapping[str, object], key: str) -> tuple[PointMm, ...]:
    """Four corners in mm, checked to go round clockwise as seen from above."""
    corners = corners_of(what, fields, key)
    places = np.array(corners)[:, :2]
    (x, y), (next_x, next_y) = (places - np.roll(places, 1, axis=0)).T, (np.roll(places, -1, axis=0) - places).T
    if (x * next_y - y * next_x).max() > -LEAST_MM2:
        raise BadInput(f"{what} must go round a square or nearly: far left, far right, near right, near left.")
    return corners


def point(what: str, value: object, most: int) -> Any:
    """Two or three millimetres as three; a missing height is 0."""
    coordinates = numbers(what, value, None)
    if not 2 <= len(coordinates) <= 3:
        raise BadInput(f"a point of {what} must be two or {most} numbers.")
    return (*coordinates, 0.0)[:3]


def lengths_of(value: object) -> dict[int, str]:
    """Size in units → the colour of its boxes."""
    if not isinstance(value, dict) or not all(
        key.isdecimal() and len(key) < 3 and isinstance(colour, str) for key, colour in value.items()
    ):
        raise BadInput('colour_by_length must name a colour for each size, like {"1": "white", "2": "grey"}.')
    return {int(key): colour for key, colour in value.items()}


def references_of(value: object) -> dict[int, StackReference]:
    """Space → the card or the space that its stack is compared with."""

    def is_reference(what: object) -> bool:
        return isinstance(what, dict) and len(what) == 1 and what.keys() <= {"card", "space"}

    if not isinstance(value, dict) or not all(
        key.isdecimal() and len(key) < 3 and is_reference(what) for key, what in value.items()
    ):
        raise BadInput('references must say for each space what it is like, as {"1": {"card": 7}, "2": {"space": 1}}.')
    return {
        int(space): StackReference(**{kind: whole("the number in references", number, 999)})
        for space, what in value.items()
        for kind, number in what.items()
    }


def block_of(fields: Mapping[str, object]) -> Any:
    """The edges of the blocks, longest first."""
    edges_mm = edges(fields, "block_mm_long_mid_short", 3)
    if edges_mm and not edges_mm[0] >= edges_mm[1] >= edges_mm[2]:
        raise BadInput("block_mm_long_mid_short must begin with the longest edge and end with the shortest.")
    return edges_mm


def edges(fields: Mapping[str, object], key: str, count: int) -> Any:
    """`count` edges of a block or cylinder in mm, or None if the scene lacks them."""
    if fields.get(key) is None:
        return None
    edges_mm = numbers(key, fields[key], count)
    if not EDGE_MM[0] <= min(edges_mm) <= max(edges_mm) <= EDGE_MM[1]:
        raise BadInput(f"{key} must be lengths of {EDGE_MM[0]} to {EDGE_MM[1]} mm.")
    return tuple(edges_mm)


def number(fields: Mapping[str, object], key: str) -> float | None:
    """A length in mm, or None if the scene lacks it."""
    return None if fields.get(key) is None else positive(key, fields[key])


def positive(what: str, value: object) -> float:
    (length,) = numbers(what, [value], 1)
    if length < SMALLEST:
        raise BadInput(f"{what} must be at least {SMALLEST}.")
    return length


def whole(what: str, value: object, most: int, least: int = 1) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInput(f"{what} must be a whole number from {least} to {most}.")
    return value


def listed(fields: Mapping[str, object], key: str, most: int) -> list[Any]:
    """A list with at most `most` members, empty if the scene lacks it."""
    value = fields.get(key) or []
    if not isinstance(value, list):
        raise BadInput(f"{key} must be a list.")
    if len(value) > most:
        raise BadInput(f"{key} must be at most {most}.")
    return value


def objects(what: str, value: object, most: int | None = None) -> list[dict[str, object]]:
    """A list of objects, `most` at most."""
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise BadInput(f"{what} must be a list of objects.")
    if most is not None and len(value) > most:
        raise BadInput(f"{what} must be at most {most}.")
    return value


def names(what: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise BadInput(f"{what} must be a list of names.")
    return tuple(value)


def camera_of(value: object) -> SceneCamera:
    if not isinstance(value, dict):
        raise BadInput("camera must be an object with width, height, fx, fy, cx and cy.")
    lacking = [key for key in CAMERA if value.get(key) is None]
    if lacking:
        raise BadInput(f"camera lacks {', '.join(lacking)}: write it there, or leave the whole camera out.")
    width, height, fx, fy, cx, cy = numbers("camera", [value[key] for key in CAMERA], len(CAMERA))
    if min(width, height, fx, fy) < 1:
        raise BadInput("the camera's width, height, fx and fy must be at least 1 pixel.")
    distortion = numbers("camera.dist", value.get("dist") or [0, 0, 0, 0, 0], None)
    if len(distortion) not in DISTORTIONS:
        raise BadInput(f"camera.dist must be {', '.join(map(str, DISTORTIONS))} numbers or none.")
    rotation, shift = value.get("R_world_to_cam"), value.get("t_mm")
    camera = SceneCamera(
        int(width),
        int(height),
        (fx, fy),
        (cx, cy),
        tuple(distortion),
        None if rotation is None else rotation_of(rotation),
        None if shift is None else tuple(numbers("camera.t_mm", flattened(shift), 3)),
    )
    check_place(camera, check_lens(camera))
    return camera


def check_lens(camera: SceneCamera) -> np.ndarray:
    """Directions (n, 3) of places all over the picture; raises BadInput if the numbers fit no lens.

    Readers cut pictures by these directions: absurd ones would make them cut millions of pixels or divide by zero.
    """
    longer = max(camera.width, camera.height)
    if not FOCAL[0] * longer <= min(camera.focal) <= max(camera.focal) <= FOCAL[1] * longer:
        raise BadInput(f"camera.fx and camera.fy must be {FOCAL[0]} to {FOCAL[1]} times the longer side of a picture.")
    if max(map(abs, camera.centre)) > CENTRE * longer:
        raise BadInput(f"camera.cx and camera.cy must be within {CENTRE} times the longer side of a picture.")
    matrix, bend = camera.lens(camera.width)
    columns, rows = np.meshgrid(
        np.linspace(0, camera.width - 1, LENS_PLACES), np.linspace(0, camera.height - 1, LENS_PLACES)
    )
    places = np.stack([columns, rows], axis=2).reshape(-1, 1, 2)
    rays = cv2.convertPointsToHomogeneous(cv2.undistortPoints(places, matrix, bend))
    again = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, bend)[0]
    # NaN fails, too
    if not (np.abs(rays) < WIDEST_TANGENT).all() or not (np.abs(again - places) < BENT * longer).all():
        raise BadInput("camera.dist must be of a lens: this one bends the picture until nothing is left of it.")
    return np.asarray(rays).reshape(-1, 3)


def check_place(camera: SceneCamera, rays: np.ndarray) -> None:
    """Raises BadInput for a camera that cannot see the table."""
    pose = camera.pose(camera.width)
    if pose is not None and (not pose.is_over_table or not (rays @ pose.rotation)[:, 2].min() < 0):
        raise BadInput(
            "camera.R_world_to_cam and camera.t_mm must be of a camera above the table that looks at it, "
            f"at most {FARTHEST_MM / 1000:.0f} m away."
        )


def rotation_of(value: object) -> tuple[float, ...]:
    """Nine numbers, row by row, checked to be a rotation."""
    parts = numbers("camera.R_world_to_cam", flattened(value), 9)
    rows = np.array(parts).reshape(3, 3)
    if np.abs(rows @ rows.T - np.eye(3)).max() > ROTATION_OFF or np.linalg.det(rows) < 0:
        raise BadInput(
            "camera.R_world_to_cam must be a rotation: three rows of length 1, at right angles, and no mirror image."
        )
    return tuple(parts)


def markers_of(value: object) -> tuple[Marker, ...]:
    return tuple(
        Marker(
            dictionary_of(marker),
            int(numbers("the id of a marker", [marker.get("id")], 1)[0]),
            corners_of("the corners of a marker", marker, CORNERS if marker.get(CORNERS) else "corners_mm"),
        )
        for marker in objects("markers", value)
    )


def dictionary_of(marker: Mapping[str, object]) -> str:
    name = marker.get("dictionary", USUAL_DICTIONARY)
    if not isinstance(name, str) or not knows_dictionary(name):
        raise BadInput(f"the dictionary of a marker must be one that OpenCV knows, such as {USUAL_DICTIONARY}.")
    return name


def flattened(value: object) -> list[object]:
    """A list of lists as one list; anything else as a list of one."""
    if not isinstance(value, list):
        return [value]
    return [part for row in value for part in (row if isinstance(row, list) else [row])]


def numbers(what: str, value: object, count: int | None) -> list[float]:
    """`count` numbers within limits, or any number of them for None."""
    if (
        not isinstance(value, list)
        or (count is not None and len(value) != count)
        or not all(is_number(part) and -LARGEST <= part <= LARGEST for part in value)  # NaN fails, too
    ):
        words = {None: "numbers", 1: "a number"}.get(count, f"{count} numbers")
        raise BadInput(f"{what} must be {words} between -{LARGEST} and {LARGEST}.")
    return [float(part) for part in value]


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def rgb_of(name: str, value: object) -> RGB:
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(is_number(part) and 0 <= part <= 255 for part in value)
    ):
        raise BadInput(f"colour_rgb of {name} must be three numbers from 0 to 255.")
    red, green, blue = value
    return float(red), float(green), float(blue)
