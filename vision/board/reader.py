"""Reads piles of round pieces on a board of squares: cut out each space → pile or none → name the colours of the tops.

The pose tells where every space lies and in which direction a pile leans away from the camera. Each space is cut out at
one scale with its lean upright. A small network tells how high the pile is and where the middle of its top lies. The
colours of all tops are then named together, as one lamp lights them (`vision.colour.paints`).
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from companion.errors import BadInput
from companion.game.readings import BoardReading, CellReading
from companion.words import _, listed
from vision.cameras.health import shows_nothing
from vision.colour.bodies import NOMINAL_RGB, median, shows_paints
from vision.colour.paints import name_pieces
from vision.models.network import Network, load_network, softmax
from vision.scene.pose import Pose
from vision.scene.scene import Board, Piece, Scene, usual_piece

HIGHEST = 6  # the network's last class: this height or more
WIDE_PX, TALL_PX = 56, 70  # of the cut of a space; as trained
PIECE_PX = 22  # diameter of a piece on the table in a cut; as trained
FOOT_PX = np.array([27.5, 44.0])  # where the middle of the space lies in its cut, at the board's own height
FINE_PX = 1.5 * PIECE_PX  # the frame is reduced to pieces of this size before cutting, against aliasing
CORE = 0.55  # share of a top's radius whose colour is taken: rims shine, and shadows reach the edge
PLAIN = 10.0  # most contrast, of 255, within a space of a plain board; on a pattern the fall of light is hard to tell
LEAST_LIT, LIT_ALIKE = 12, 0.01  # empty spaces for six unknowns; by which share of brightness they may differ
SURE_TAKEN = 0.99  # an empty or taken space surer than this is not read again in the mirror
BATCH = 16  # spaces the network sees at once: more take more memory and no less time
MOST_EMPTY = 9  # empty spaces, of the light and of the dark ones each, that tell the look of an empty one
NONE_EMPTY = 3  # spaces used where none seems empty: one alone would equal itself and so seem empty
ACCEPT_COLOUR, ACCEPT_TAKEN = 0.95, 0.97  # least probabilities; higher asks more and errs less
IN_VIEW = 0.7  # share of a piece's radius that must be in the picture, on the board and one piece higher
LIKE_PIECE, ACCEPT_LIKE = 10.0, 0.995  # levels, least probability: an empty space may be a piece of its own colour
SURE_HEIGHT = 0.9  # least probability of a height in a reading, where it is only a hint


@cache
def space_network() -> Network:
    return load_network("space-reader")


class Tops(NamedTuple):
    """Answers for n spaces: (n, 7) probabilities of the heights 0 to 6, and the tops' middles (n, 2) in px."""

    heights: np.ndarray
    middles_px: np.ndarray


class Space(NamedTuple):
    """One space: probabilities of the heights 0 to 6 (7,), and of the top's colours (k,) if a pile is there.

    at_px    (2,) the middle of the top if a pile is there
    like     whether it has the colour of a piece elsewhere on the board
    in_view  False: the picture shows too little of it, and its probabilities say nothing
    """

    heights: np.ndarray
    colours: np.ndarray
    at_px: np.ndarray
    like: bool
    in_view: bool


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


def reading_of(read: Spaces, frame_bgr: np.ndarray) -> BoardReading:
    """The reading that the spaces of a frame make."""
    cells = [cell_of(space, read.names, read.paints_guessed) for space in read.spaces]
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
    piece = scene.piece or usual_piece(scene.board.cell_mm)
    names = list(scene.colours or scene.colour_rgb)
    rgb = paints_of(names, scene.colour_rgb)
    pose = scene.pose(frame_bgr)
    middles = space_middles(scene.board)
    cuts = cut_matrices(pose, piece, middles)
    tops = find_tops(cut_spaces(frame_bgr, [matrix for matrix, _lean in cuts]), cuts)
    seen = in_view(pose, middles, piece, frame_bgr.shape[1::-1]) & (not shows_nothing(frame_bgr))
    tops.heights[~seen] = 1 / (HIGHEST + 1)
    taken = 1 - tops.heights[:, 0]
    chances = np.full((len(cuts), len(names)), 1 / len(names))
    bodies = tops_rgb(frame_bgr, [matrix for matrix, _lean in cuts], tops.middles_px)
    shown = np.flatnonzero(seen & (taken > 0.02))
    if len(shown) and shows_paints(frame_bgr, rgb):
        chances[shown] = name_pieces(bodies[shown], rgb, taken[shown])
    like = like_pieces(bodies, bodies[seen & (taken > 0.5)])
    spaces = tuple(
        Space(*each) for each in zip(tops.heights, chances, tops.middles_px, like.tolist(), seen.tolist(), strict=True)
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
    known = {**NOMINAL_RGB, **colour_rgb}
    lacking = next((name for name in names if name not in known), None)
    if lacking is not None:
        raise BadInput(_("The scene's colour_rgb has no {colour}. Write that colour there.", colour=lacking))
    return np.array([known[name] for name in names])


def cell_of(space: Space, names: list[str], paints_guessed: bool) -> CellReading:
    """The reading of one space."""
    taken, at = 1 - float(space.heights[0]), (float(space.at_px[0]), float(space.at_px[1]))
    if not space.in_view:
        return CellReading(None, None, 0.0, False, *at)
    if taken < 0.5:
        return CellReading(None, 0, 1 - taken, 1 - taken >= (ACCEPT_LIKE if space.like else ACCEPT_TAKEN), *at)
    high = 1 + int(space.heights[1:].argmax())
    sure = float(space.heights[high]) >= SURE_HEIGHT and high < HIGHEST
    colour = int(space.colours.argmax())
    chance = float(space.colours[colour])
    accepted = taken >= ACCEPT_TAKEN and chance >= ACCEPT_COLOUR and not paints_guessed
    return CellReading(names[colour], high if sure else None, taken * chance, accepted, *at)


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


def cut_matrices(pose: Pose, piece: Piece, middles_mm: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """The (2, 3) matrix from the frame to the cut of each space (n, 3) mm, and the lean of a piece there in px.

    The cut is turned so that piles lean upwards.
    """
    steps = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float64)
    here, right, far, up = np.moveaxis(pose.project(middles_mm[:, None] + steps).reshape(-1, 4, 2), 1, 0)
    flat = np.stack([right - here, far - here], axis=2)  # pixels for each mm along x and y
    if np.abs(np.linalg.det(flat)).min() < 1e-9:
        raise BadInput(_("The camera sees only the edge of the board. The scene's camera and board don't go together."))
    back = np.linalg.inv(flat) * PIECE_PX / piece.diameter_mm
    lean = (back @ (up - here)[..., None])[..., 0] * piece.thickness_mm
    angles = np.arctan2(lean[:, 1], lean[:, 0])
    sine, cosine = np.sin(angles), np.cos(angles)
    # turned so that the lean points up; the cut's y runs down while the world's runs away, hence the mirror
    turn = np.stack([np.stack([sine, -cosine], axis=1), np.stack([-cosine, -sine], axis=1)], axis=1)
    matrices = turn @ back
    shifts = FOOT_PX[:, None] - matrices @ here[..., None]
    return list(zip(np.concatenate([matrices, shifts], axis=2), np.linalg.norm(lean, axis=1).tolist(), strict=True))


def find_tops(crops: np.ndarray, cuts: list[tuple[np.ndarray, float]]) -> Tops:
    """The pile on each space.

    Each space is read by itself first, then beside the look of an empty space here. Where that is not sure, the mean
    over the cut and its mirror image counts, which leans the same way.
    """
    leans = np.array([lean for _matrix, lean in cuts], np.float32)
    first = network_scores(space_input(crops, leans))
    shown = space_input(crops, leans, empty_looks(crops, softmax(first[:, :-2])[:, 0]))
    straight = network_scores(shown)
    heights, shift = softmax(straight[:, :-2]), straight[:, -2:]
    unsure = np.flatnonzero(np.abs(heights[:, 0] - 0.5) < SURE_TAKEN - 0.5)
    if len(unsure):
        mirrored = network_scores(shown[unsure, :, :, ::-1])
        heights[unsure] = (heights[unsure] + softmax(mirrored[:, :-2])) / 2
        shift[unsure] = (shift[unsure] + mirrored[:, -2:] * [-1, 1]) / 2
    shift = shift * PIECE_PX
    middles = [
        cv2.invertAffineTransform(matrix) @ [*place, 1]
        for (matrix, _lean), place in zip(cuts, FOOT_PX + shift, strict=True)
    ]
    return Tops(heights, np.array(middles))


def network_scores(shown: np.ndarray) -> np.ndarray:
    """(n, 9) scores of the network for its input (n, 9, 70, 56)."""
    some = (np.ascontiguousarray(shown[start : start + BATCH]) for start in range(0, len(shown), BATCH))
    return np.concatenate([space_network().run(part)[0].reshape(len(part), -1) for part in some])


class EmptyLook(NamedTuple):
    """The look of an empty space for each of n spaces, as cuts of any size.

    looks  (n, h, w, 3) uint8
    apart  (n, h, w) how far the spaces taken for empty are from that, in levels: print is alike everywhere
    sure   (n,) how probably they are empty
    """

    looks: np.ndarray
    apart: np.ndarray
    sure: np.ndarray


def empty_looks(crops: np.ndarray, empty: np.ndarray) -> EmptyLook:
    """The look of an empty space for each of `crops` (n, h, w, 3), row by row.

    All spaces of a board are printed alike, or in two ways in turn; so it is the median of those that seem emptiest
    among every second space.

    empty   (n,) probabilities so far that each is empty
    """
    n = round(len(crops) ** 0.5)
    odd = (np.add.outer(np.arange(n), np.arange(n)) % 2).ravel()
    light = light_falloff(crops, empty)
    looks, apart, sure = np.empty_like(crops), np.empty(crops.shape[:3], np.float32), np.empty(len(crops), np.float32)
    for colour in np.unique(odd):
        mine = np.flatnonzero(odd == colour)
        count = min(int((empty[mine] > 0.5).sum()), MOST_EMPTY) or NONE_EMPTY
        chosen = mine[np.argsort(-empty[mine], kind="stable")[:count]]
        even = crops[chosen] / light[chosen, None, None, None]
        look = median(even)
        looks[mine] = np.clip(look * light[mine, None, None, None], 0, 255)
        sure[mine] = empty[chosen].mean()
        apart[mine] = np.abs(even - look).mean(axis=(0, 3))
    return EmptyLook(looks, apart, sure)


def light_falloff(crops: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """(n,) brightness of each space of a plain board against the others, as lamp and lens darken it evenly.

    It is fitted to spaces that seem empty, `empty` (n,); with few of them, or on a pattern, it is 1.
    """
    n = round(len(crops) ** 0.5)
    rows, columns = (each - (n - 1) / 2 for each in np.divmod(np.arange(len(crops)), n))
    odd = (rows + columns) % 2 - 0.5
    sides = np.stack([np.ones(len(crops)), odd, rows, columns, rows**2, columns**2], axis=1)
    fitted = empty > 0.5
    even = np.ones(len(crops))
    if fitted.sum() < LEAST_LIT or np.median([cv2.meanStdDev(crop)[1].mean() for crop in crops[fitted]]) > PLAIN:
        return even
    levels = np.log(crops.reshape(len(crops), -1).mean(axis=1) + 1)
    for _round in range(3):
        if fitted.sum() < LEAST_LIT:
            return even
        found = np.linalg.lstsq(sides[fitted], levels[fitted], rcond=None)[0]
        off = np.abs(levels - sides @ found)
        fitted = (empty > 0.5) & (off <= 2.5 * max(LIT_ALIKE, float(np.median(off[empty > 0.5]))))
    return np.asarray(np.exp(sides[:, 2:] @ found[2:]))


def cut_spaces(
    frame_bgr: np.ndarray, matrices: list[np.ndarray], size_px: tuple[int, int] = (WIDE_PX, TALL_PX)
) -> np.ndarray:
    """(n, 70, 56, 3) cuts of the frame, which is reduced first, against aliasing."""
    placed = np.stack(matrices)
    flats = placed[:, :, :2]
    piece_px = PIECE_PX / float(np.sqrt(abs(np.median(np.linalg.det(flats)))))
    zoom = min(1.0, max(FINE_PX / piece_px, 8 / min(frame_bgr.shape[:2])))
    small = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else frame_bgr
    real = np.array([small.shape[1] / frame_bgr.shape[1], small.shape[0] / frame_bgr.shape[0]])
    shifts = placed[:, :, 2:] + flats @ (0.5 / real - 0.5)[:, None]
    crops = np.empty((len(matrices), size_px[1], size_px[0], 3), np.uint8)
    for crop, fitted in zip(crops, np.concatenate([flats / real, shifts], axis=2), strict=True):
        cv2.warpAffine(small, fitted, size_px, crop, borderMode=cv2.BORDER_REPLICATE)
    return crops


def space_input(crops: np.ndarray, leans: np.ndarray, usual: EmptyLook | None = None) -> np.ndarray:
    """(n, 9, 70, 56) float for the network, from crops (n, 70, 56, 3) uint8 and leans (n,).

    The planes are the cut of mean 0 and deviation 1 (3), the lean, the difference to an empty look (3), how much empty
    spaces differ, and how surely they are empty; the last five are zero without `usual`.
    """
    planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).astype(np.float32)
    middle = planes.mean(axis=(1, 2, 3), keepdims=True)
    spread = planes.std(axis=(1, 2, 3), keepdims=True) + 4
    made = np.zeros((len(crops), 9, *crops.shape[1:3]), np.float32)
    made[:, :3] = (planes - middle) / spread
    made[:, 3] = leans[:, None, None] / 2
    if usual is not None:
        made[:, 4:7] = (planes - usual.looks.transpose(0, 3, 1, 2)) / spread
        made[:, 7] = usual.apart / spread[:, 0]
        made[:, 8] = usual.sure[:, None, None]
    return made


def tops_rgb(frame_bgr: np.ndarray, matrices: list[np.ndarray], middles_px: np.ndarray) -> np.ndarray:
    """(n, 3) median red, green and blue in the middles (n, 2) of tops."""
    size = 2 * round(CORE * PIECE_PX / 2) + 1
    ys, xs = np.mgrid[0:size, 0:size] - (size - 1) / 2
    core = ys**2 + xs**2 <= (CORE * PIECE_PX / 2) ** 2
    flats = np.stack(matrices)[:, :, :2]
    shifts = (size - 1) / 2 - flats @ middles_px[..., None]
    cuts = np.empty((len(matrices), size, size, 3), np.uint8)
    for cut, placed in zip(cuts, np.concatenate([flats, shifts], axis=2), strict=True):
        cv2.warpAffine(frame_bgr, placed, (size, size), cut, borderMode=cv2.BORDER_REPLICATE)
    return np.median(cuts[:, core], axis=1)[:, ::-1]


def like_pieces(bodies_rgb: np.ndarray, pieces_rgb: np.ndarray) -> np.ndarray:
    """(n,) whether bodies (n, 3) have the colour of any of the pieces (m, 3)."""
    apart = np.abs(bodies_rgb[:, None] - pieces_rgb[None]).max(axis=2)
    return np.asarray(apart.min(axis=1, initial=np.inf) < LIKE_PIECE)
