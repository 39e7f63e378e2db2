"""Finds the pile on each space of a board: cut it out, leaning upwards → network → how high, and where its top is.

How thick a piece is says how far a pile leans. Nobody measures that well, and a lens-shaped stone has no side at all.
So the network is told one usual lean, another nearly flat one, and the one of the scene's thickness: what it says of a
space counts where the views agree.
"""

from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from companion.errors import BadInput
from companion.words import _
from vision.colour.bodies import median
from vision.models.network import Network, load_network, softmax
from vision.scene.pose import Pose
from vision.scene.scene import Piece

HIGHEST = 6  # The network's last class means this height or more.
WIDE_PX, TALL_PX = 56, 70  # The cut of a space has this size; as trained.
PIECE_PX = 22  # A piece on the table has this diameter in a cut; as trained.
FOOT_PX = np.array([27.5, 44.0])  # The middle of the space lies there in its cut, at the board's own height.
FINE_PX = 1.5 * PIECE_PX  # The frame is reduced to pieces of this size before cutting, against aliasing.
# A plain board has no more contrast, of 255, within a space; on a pattern the fall of light is hard to tell.
PLAIN = 10.0
LEAST_LIT, LIT_ALIKE = 12, 0.01  # Six unknowns take so many empty spaces, whose brightness may differ by this share.
SURE_TAKEN = 0.99  # An empty or taken space surer than this is not read again in the mirror.
BATCH = 16  # More spaces at once take more memory and no less time.
MOST_EMPTY = 9  # So many empty spaces, of the light and of the dark ones each, tell the look of an empty one.
NONE_EMPTY = 3  # So many are used where none seems empty: one alone would equal itself and so seem empty.
LEAN_SHARE, FLAT_SHARE = 0.13, 0.05  # The network is told this thickness over diameter; more takes stones for empty.
THICK_SHARE = 0.28  # One view knows a pile on the space in front, which leans over this one.
AGREED_TAKEN, AGREED_EMPTY = 0.5, 0.9  # The other views agree with at least this; higher asks more and errs less.
LEAST_COMMON = 0.01  # Where the view of the scene's thickness sees no height, it says nothing of heights.
SIZES = (0.45, 0.56, 0.72, 0.9)  # These diameters over a space's side are tried.
NEARLY_AS_SURE, DOUBT = 2.0, 0.02  # A size counts if its doubt is at most so many times the least and that more.
LEAN_PLANE = 3  # The network's input has the lean there.
LEAST_TAKEN = 1e-6  # No probability that is weighed is smaller.
LEVEL_PX = 0.2  # Smaller leans are no leans, and one view is enough.


@cache
def space_network() -> Network:
    return load_network("space-reader")


class Tops(NamedTuple):
    """Answers for n spaces.

    heights    (n, 7) probabilities of the heights 0 to 6
    middles_px (n, 2) the tops' middles
    others_px  (n, 2) the same if the pieces are thicker: a top of one colour has that colour at both
    views      (3, n) probabilities that each is empty if the pieces are nearly flat, thick, or as the scene says;
               (0, n) where nothing leans
    """

    heights: np.ndarray
    middles_px: np.ndarray
    others_px: np.ndarray
    views: np.ndarray

    def with_looks(self, gain: np.ndarray) -> "Tops":
        """The same where what the spaces look like, `gain` (n,), makes each so much sooner empty, as a logarithm."""
        empty = likelier(self.heights[:, 0], gain)
        rest_share = (1 - empty) / np.maximum(1 - self.heights[:, 0], LEAST_TAKEN)
        heights = np.hstack([empty[:, None], self.heights[:, 1:] * rest_share[:, None]])
        return self._replace(heights=heights, views=likelier(self.views, gain))

    def agreed(self) -> np.ndarray:
        """(n,) whether each is a pile, or none, however thick the pieces are."""
        empty = self.views.min(axis=0, initial=1.0) >= AGREED_EMPTY
        return np.where(self.heights[:, 0] > 0.5, empty, self.views[:2].max(axis=0, initial=0.0) <= 1 - AGREED_TAKEN)


def likelier(chances: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Probabilities (…, n) with the logarithm `gain` (n,) added to their log odds."""
    limited = np.clip(chances, LEAST_TAKEN, 1 - LEAST_TAKEN)
    return np.asarray(limited / (limited + (1 - limited) * np.exp(-gain)))


def cut_matrices(pose: Pose, piece: Piece, middles_mm: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """The (2, 3) matrix from the frame to the cut of each space (n, 3) mm, and the lean of a piece there in px.

    The cut is turned so that piles lean upwards.
    """
    steps = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float64)
    here, right, far, up = np.moveaxis(pose.project(middles_mm[:, None] + steps).reshape(-1, 4, 2), 1, 0)
    flat = np.stack([right - here, far - here], axis=2)  # They are pixels for each mm along x and y.
    if np.abs(np.linalg.det(flat)).min() < 1e-9:
        raise BadInput(_("The camera sees only the edge of the board. The scene's camera and board don't go together."))
    back = np.linalg.inv(flat) * PIECE_PX / piece.diameter_mm
    lean = (back @ (up - here)[..., None])[..., 0] * piece.thickness_mm
    angles = np.arctan2(lean[:, 1], lean[:, 0])
    sine, cosine = np.sin(angles), np.cos(angles)
    # The lean points up then. The cut's y runs down while the world's runs away, hence the mirror.
    turn = np.stack([np.stack([sine, -cosine], axis=1), np.stack([-cosine, -sine], axis=1)], axis=1)
    matrices = turn @ back
    shifts = FOOT_PX[:, None] - matrices @ here[..., None]
    return list(zip(np.concatenate([matrices, shifts], axis=2), np.linalg.norm(lean, axis=1).tolist(), strict=True))


def find_tops(crops: np.ndarray, cuts: list[tuple[np.ndarray, float]], piece: Piece) -> Tops:
    """The pile on each space.

    Each space is read by itself first, then beside the look of an empty space here. Where that is not sure, the mean
    over the cut and its mirror image counts, which leans the same way.
    """
    leans = np.array([lean for _matrix, lean in cuts], np.float32)
    shares = np.array([LEAN_SHARE, FLAT_SHARE, THICK_SHARE], np.float32) * piece.diameter_mm / piece.thickness_mm
    usual, flat, thick = shares[:, None] * leans
    first = network_scores(space_input(crops, usual))
    planes = space_input(crops, usual, empty_looks(crops, softmax(first[:, :-2])[:, 0]))
    straight = network_scores(planes)
    heights, shift = softmax(straight[:, :-2]), straight[:, -2:]
    unsure = np.flatnonzero(np.abs(heights[:, 0] - 0.5) < SURE_TAKEN - 0.5)
    if len(unsure):
        mirrored = network_scores(planes[unsure, :, :, ::-1])
        heights[unsure] = (heights[unsure] + softmax(mirrored[:, :-2])) / 2
        shift[unsure] = (shift[unsure] + mirrored[:, -2:] * [-1, 1]) / 2
    if max(leans.max(), thick.max()) <= LEVEL_PX:
        middles_px = in_frame(cuts, shift)
        return Tops(heights, middles_px, middles_px, np.empty((0, len(crops))))
    by_flat, by_thick, by_scene = (network_scores(lean_input(planes, view)) for view in (flat, thick, leans))
    views = np.array([softmax(view[:, :-2])[:, 0] for view in (by_flat, by_thick, by_scene)])
    common = softmax(by_scene[:, :-2])[:, 1:] + LEAST_COMMON
    heights[:, 1:] = (1 - heights[:, :1]) * common / common.sum(axis=1, keepdims=True)
    return Tops(heights, in_frame(cuts, shift), in_frame(cuts, by_thick[:, -2:]), views)


def in_frame(cuts: list[tuple[np.ndarray, float]], shifts: np.ndarray) -> np.ndarray:
    """(n, 2) the frame's pixels for shifts (n, 2) from the middles of spaces, in pieces' diameters."""
    places = FOOT_PX + PIECE_PX * shifts
    return np.array(
        [cv2.invertAffineTransform(matrix) @ [*at, 1] for (matrix, _lean), at in zip(cuts, places, strict=True)]
    )


def lean_input(planes: np.ndarray, leans: np.ndarray) -> np.ndarray:
    """The network's input (n, 9, 70, 56) with other leans (n,) in px."""
    leaned = planes.copy()
    leaned[:, LEAN_PLANE] = leans[:, None, None] / 2
    return leaned


def network_scores(planes: np.ndarray) -> np.ndarray:
    """(n, 9) scores of the network for its input (n, 9, 70, 56)."""
    batches = (np.ascontiguousarray(planes[start : start + BATCH]) for start in range(0, len(planes), BATCH))
    return np.concatenate([space_network().run(part)[0].reshape(len(part), -1) for part in batches])


def look_for_tops(
    frame_bgr: np.ndarray, pose: Pose, middles_mm: np.ndarray, piece: Piece
) -> tuple[list[np.ndarray], Tops]:
    """The matrices (2, 3) from a frame (h, w, 3) uint8 to the cuts of its spaces (n, 3) mm, and the piles there."""
    cuts = cut_matrices(pose, piece, middles_mm)
    matrices = [matrix for matrix, _lean in cuts]
    return matrices, find_tops(cut_spaces(frame_bgr, matrices), cuts, piece)


def look_for_size(
    frame_bgr: np.ndarray, pose: Pose, middles_mm: np.ndarray, cell_mm: float
) -> tuple[Piece, list[np.ndarray], Tops]:
    """The size of the pieces that nobody measured, and what `look_for_tops` gives for it.

    Of all sizes that leave hardly more doubt than the least it is the one that shows most pieces: beside a wrong size
    pieces seem to be print.
    """
    pieces = [Piece(share * cell_mm, THICK_SHARE * share * cell_mm) for share in SIZES]
    looks = [(piece, *look_for_tops(frame_bgr, pose, middles_mm, piece)) for piece in pieces]
    empty = np.array([tops.heights[:, 0] for _piece, _matrices, tops in looks])
    doubts = -np.log(np.maximum(empty, 1 - empty)).mean(axis=1)
    sure = np.flatnonzero(doubts <= NEARLY_AS_SURE * doubts.min() + DOUBT)
    return looks[sure[empty[sure].sum(axis=1).argmin()]]


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
        emptiest = mine[np.argsort(-empty[mine], kind="stable")[:count]]
        even = crops[emptiest] / light[emptiest, None, None, None]
        look = median(even)
        looks[mine] = np.clip(look * light[mine, None, None, None], 0, 255)
        sure[mine] = empty[emptiest].mean()
        apart[mine] = np.abs(even - look).mean(axis=(0, 3))
    return EmptyLook(looks, apart, sure)


def light_falloff(crops: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """(n,) brightness of each space of a plain board against the others, as lamp and lens darken it evenly.

    It is fitted to spaces that seem empty, `empty` (n,); with few of them, or on a pattern, it is 1.
    """
    n = round(len(crops) ** 0.5)
    rows, columns = (line - (n - 1) / 2 for line in np.divmod(np.arange(len(crops)), n))
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
        solution = np.linalg.lstsq(sides[fitted], levels[fitted], rcond=None)[0]
        off = np.abs(levels - sides @ solution)
        fitted = (empty > 0.5) & (off <= 2.5 * max(LIT_ALIKE, float(np.median(off[empty > 0.5]))))
    return np.asarray(np.exp(sides[:, 2:] @ solution[2:]))


def cut_spaces(
    frame_bgr: np.ndarray, matrices: list[np.ndarray], size_px: tuple[int, int] = (WIDE_PX, TALL_PX)
) -> np.ndarray:
    """(n, 70, 56, 3) cuts of the frame, which is reduced first, against aliasing."""
    stacked = np.stack(matrices)
    flats = stacked[:, :, :2]
    piece_px = PIECE_PX / float(np.sqrt(abs(np.median(np.linalg.det(flats)))))
    zoom = min(1.0, max(FINE_PX / piece_px, 8 / min(frame_bgr.shape[:2])))
    small = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else frame_bgr
    real = np.array([small.shape[1] / frame_bgr.shape[1], small.shape[0] / frame_bgr.shape[0]])
    shifts = stacked[:, :, 2:] + flats @ (0.5 / real - 0.5)[:, None]
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
    made[:, LEAN_PLANE] = leans[:, None, None] / 2
    if usual is not None:
        made[:, 4:7] = (planes - usual.looks.transpose(0, 3, 1, 2)) / spread
        made[:, 7] = usual.apart / spread[:, 0]
        made[:, 8] = usual.sure[:, None, None]
    return made
