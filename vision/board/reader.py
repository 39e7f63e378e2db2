"""Reads piles of round pieces on a board of squares: cut out each space → pile or none → name the colours of the tops.

The pose tells where every space lies and in which direction a pile leans away from the camera. A small network tells
how high the pile on each is and where the middle of its top lies (`vision.board.tops`). The colours of all tops are
then named together, as one lamp lights them (`vision.colour.paints`).
"""

from collections.abc import Mapping
from typing import NamedTuple

import cv2
import numpy as np

from companion.errors import BadInput
from companion.game.readings import BoardReading, CellReading
from companion.words import _, listed
from vision.board.alike import CORE, Looks, hiding_piles, looks_empty
from vision.board.tops import HIGHEST, PIECE_PX, look_for_size, look_for_tops
from vision.cameras.health import shows_nothing
from vision.colour.bodies import NOMINAL_RGB, shows_paints
from vision.colour.exposure import brightened
from vision.colour.paints import name_pieces, tint_of
from vision.scene.pose import Pose
from vision.scene.scene import Board, Piece, Scene

ACCEPT_COLOUR, ACCEPT_TAKEN = 0.95, 0.97  # Higher asks more and errs less.
IN_VIEW = 0.7  # This share of a piece's radius must be in the picture, on the board and one piece higher.
ONE_TOP = 40.0  # Two places that may be the middle of one top differ by no more levels.
# An empty space within so many levels may be a piece of its own colour, and has to be this sure.
LIKE_PIECE, ACCEPT_LIKE = 10.0, 0.995
# A piece whose looks weigh less may be a shadow of its colour, and has to be this sure.
CLEAR, ACCEPT_SHADED = 2.5, 0.9995
ACCEPT_AGAINST = 0.99  # An empty space that looks otherwise than the empty ones here has to be this sure.
SURE_HEIGHT = 0.9  # A reading gives a height only as a hint, and if it is this sure.


class Space(NamedTuple):
    """One space: probabilities of the heights 0 to 6 (7,), and of the top's colours (k,) if a pile is there.

    at_px    (2,) the middle of the top if a pile is there
    like     whether it looks as the other kind, too: an empty one as a piece elsewhere on the board, or a piece as an
             empty one in a shadow
    in_view  False: the picture shows too little of it, and its probabilities say nothing
    agreed   whether that is so however thick the pieces are
    """

    heights: np.ndarray
    colours: np.ndarray
    at_px: np.ndarray
    like: bool
    in_view: bool
    agreed: bool


class Spaces(NamedTuple):
    """All spaces of a frame row by row, the colours' names, the camera's pose, and the pieces' size.

    paints_guessed  the scene lacks a paint in use and its usual look was taken: any piece may have it, so all are asked
    """

    spaces: tuple[Space, ...]
    names: list[str]
    paints_guessed: bool
    pose: Pose
    piece: Piece


def read_board(frame_bgr: np.ndarray, scene: Scene | None) -> BoardReading:
    """All spaces of a frame (h, w, 3) uint8 as a reading; BadInput says what the scene lacks."""
    return reading_of(read_spaces(frame_bgr, scene), frame_bgr)


def reading_of(spaces: Spaces, frame_bgr: np.ndarray) -> BoardReading:
    """The reading that the spaces of a frame make."""
    cells = [cell_of(space, spaces.names, spaces.paints_guessed) for space in spaces.spaces]
    n = round(len(cells) ** 0.5)
    rows = tuple(tuple(cells[row * n : (row + 1) * n]) for row in range(n))
    return BoardReading(frame_bgr.shape[1], frame_bgr.shape[0], rows)


def read_spaces(frame_bgr: np.ndarray, scene: Scene | None) -> Spaces:
    """The spaces of a frame (h, w, 3) uint8 with their probabilities; BadInput says what the scene lacks."""
    scene = scene or Scene()
    if scene.board is None:
        raise BadInput(_("The scene has no board. Write its n, cell_mm and grid corners there."))
    if not scene.colour_rgb:
        raise BadInput(
            _("The scene has no colour_rgb. Show the camera one piece of each colour on the calibration page.")
        )
    names = list(scene.colours or scene.colour_rgb)
    rgb = paints_of(names, scene.colour_rgb)
    pose = scene.pose(frame_bgr)
    tint, nothing, coloured = tint_of(frame_bgr), shows_nothing(frame_bgr), shows_paints(frame_bgr, rgb)
    frame_bgr = brightened(frame_bgr)
    middles = space_middles(scene.board)
    if scene.piece is None:
        piece, matrices, tops = look_for_size(frame_bgr, pose, middles, scene.board.cell_mm)
    else:
        piece, (matrices, tops) = scene.piece, look_for_tops(frame_bgr, pose, middles, scene.piece)
    feet, bodies, others = (
        tops_rgb(frame_bgr, matrices, at_px) for at_px in (pose.project(middles), tops.middles_px, tops.others_px)
    )
    looks = Looks(feet, bodies, np.exp(tint - tint.max()))
    hiding = hiding_piles(pose, piece, middles, tops.heights)
    gain = looks_empty(looks, tops.heights[:, 0], np.any(hiding, axis=1))
    tops = tops.with_looks(gain)
    visible = in_view(pose, middles, piece, frame_bgr.shape[1::-1]) & (not nothing)
    tops.heights[~visible] = 1 / (HIGHEST + 1)
    occupied = 1 - tops.heights[:, 0]
    chances = np.full((len(matrices), len(names)), 1 / len(names))
    agreed = tops.agreed() & ((occupied < 0.5) | (np.abs(bodies - others).max(axis=1) <= ONE_TOP))
    piled = np.flatnonzero(visible & (occupied > 0.02))
    if len(piled) and coloured:
        chances[piled] = name_pieces(bodies[piled], rgb, occupied[piled], tint)
    colours = chances.argmax(axis=1)
    same = colours[:, None] == colours
    agreed &= (occupied < 0.5) | ~(hiding & same).any(axis=1)  # The top may be that of the pile before it.
    agreed &= (gain >= 0) | (occupied > 0.5) | (1 - occupied >= ACCEPT_AGAINST)
    like = like_pieces(bodies, bodies[visible & (occupied > 0.5)])
    like = np.where(occupied > 0.5, (gain > -CLEAR) & (gain != 0), like)
    spaces = tuple(
        Space(*fields)
        for fields in zip(
            tops.heights, chances, tops.middles_px, like.tolist(), visible.tolist(), agreed.tolist(), strict=True
        )
    )
    return Spaces(spaces, names, bool(unknown_paints(scene)), pose, piece)


def unknown_paints(scene: Scene) -> list[str]:
    """The names of colours in use whose paint the scene lacks."""
    return [name for name in scene.colours if name not in scene.colour_rgb]


def board_hint(scene: Scene) -> str:
    """The sentence that says why every piece is asked, or "" when the scene knows all colours or none."""
    lacking = unknown_paints(scene) if scene.colour_rgb else []
    if not lacking:
        return ""
    return _(
        "The scene has no {colours}, so the camera asks about every piece. Show it such pieces on the "
        "calibration page.",
        colours=listed(map(_, lacking)),
    )


def board_size_hint(scene: Scene, n: int) -> str:
    """The sentence for a mat whose board has not the game's n × n squares, or ""."""
    if scene.board is None or scene.board.n == n:
        return ""
    return _(
        "The mat's board has {seen} × {seen} squares, but this game needs {n} × {n}. Use the mat that "
        "“companion print mat --board {n}” prints, and set the camera up on it.",
        seen=scene.board.n,
        n=n,
    )


def paints_of(names: list[str], colour_rgb: Mapping[str, tuple[float, float, float]]) -> np.ndarray:
    """(k, 3) RGB of each name, from the scene or as it usually looks; BadInput for a name that has neither."""
    paints = {**NOMINAL_RGB, **colour_rgb}
    lacking = next((name for name in names if name not in paints), None)
    if lacking is not None:
        raise BadInput(_("The scene's colour_rgb has no {colour}. Write that colour there.", colour=lacking))
    return np.array([paints[name] for name in names])


def cell_of(space: Space, names: list[str], paints_guessed: bool) -> CellReading:
    """The reading of one space."""
    occupied, at = 1 - float(space.heights[0]), (float(space.at_px[0]), float(space.at_px[1]))
    if not space.in_view:
        return CellReading(None, None, 0.0, False, *at)
    if occupied < 0.5:
        accepted = space.agreed and 1 - occupied >= (ACCEPT_LIKE if space.like else ACCEPT_TAKEN)
        return CellReading(None, 0, 1 - occupied, accepted, *at)
    high = 1 + int(space.heights[1:].argmax())
    sure = float(space.heights[high]) >= SURE_HEIGHT and high < HIGHEST
    colour = int(space.colours.argmax())
    chance = float(space.colours[colour])
    sure_taken = occupied >= (ACCEPT_SHADED if space.like else ACCEPT_TAKEN)
    accepted = space.agreed and sure_taken and chance >= ACCEPT_COLOUR and not paints_guessed
    return CellReading(names[colour], high if sure else None, occupied * chance, accepted, *at)


def space_middles(board: Board) -> np.ndarray:
    """(n·n, 3) middles of the spaces in mm, row by row; the board may be turned and tilted."""
    corners = np.array(board.corners_mm, np.float64)
    shares = (np.arange(board.n) + 0.5) / board.n
    across, down = (share.ravel()[:, None] for share in np.meshgrid(shares, shares))
    far = corners[0] + across * (corners[1] - corners[0])
    near = corners[3] + across * (corners[2] - corners[3])
    return far + down * (near - far)


def in_view(pose: Pose, middles_mm: np.ndarray, piece: Piece, size_px: tuple[int, int]) -> np.ndarray:
    """(n,) whether a piece on each space (n, 3) is within a picture of that width and height."""
    reach = IN_VIEW * piece.diameter_mm / 2
    around = np.array([[x, y, z] for x in (-reach, reach) for y in (-reach, reach) for z in (0, piece.thickness_mm)])
    points = (middles_mm[:, None] + around).reshape(-1, 3)
    return np.asarray(pose.sees(points, size_px).reshape(len(middles_mm), -1).all(axis=1))


def tops_rgb(frame_bgr: np.ndarray, matrices: list[np.ndarray], middles_px: np.ndarray) -> np.ndarray:
    """(n, 3) median red, green and blue in the middles (n, 2) of tops."""
    size = 2 * round(CORE * PIECE_PX / 2) + 1
    ys, xs = np.mgrid[0:size, 0:size] - (size - 1) / 2
    core = ys**2 + xs**2 <= (CORE * PIECE_PX / 2) ** 2
    flats = np.stack(matrices)[:, :, :2]
    shifts = (size - 1) / 2 - flats @ middles_px[..., None]
    cuts = np.empty((len(matrices), size, size, 3), np.uint8)
    for cut, matrix in zip(cuts, np.concatenate([flats, shifts], axis=2), strict=True):
        cv2.warpAffine(frame_bgr, matrix, (size, size), cut, borderMode=cv2.BORDER_REPLICATE)
    return np.median(cuts[:, core], axis=1)[:, ::-1]


def like_pieces(bodies_rgb: np.ndarray, pieces_rgb: np.ndarray) -> np.ndarray:
    """(n,) whether bodies (n, 3) have the colour of any of the pieces (m, 3)."""
    apart = np.abs(bodies_rgb[:, None] - pieces_rgb[None]).max(axis=2)
    return np.asarray(apart.min(axis=1, initial=np.inf) < LIKE_PIECE)
