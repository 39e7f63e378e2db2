"""Finds four-sided outlines of a card's shape on a table, exact to a pixel."""

from collections.abc import Iterator
from itertools import islice

import cv2
import numpy as np

SEEN_PX = 640  # Outlines are searched in a frame with this longer side.
LEVELS = (35, 55, 70, 82, 93)  # One of these percentiles of brightness separates a card from its table.
SHARE = (0.004, 0.5)  # A card takes at least and at most so much of the frame's area.
MOST_LONG = 2.2  # Cards are up to 1.6 times as long as wide, and a little more seen from the side.
FULL = 0.8  # An outline fills at least this share of its rectangle and of its hull.
MOST_PIECES, MOST_OUTLINES = 40, 60  # A chequered cloth has hundreds of pieces in a mask, and of outlines.
# Two outlines of one thing are no further apart, in sides, and differ no more in area.
SAME_PLACE, SAME_SIZE = 0.015, 0.03
SAMPLES = 20  # The edge of a side is looked for in so many places.
FAR, NEAR = 9, 4  # An edge may be so many px off, the first and the second time.
BATCH = 40  # The edges of so many outlines are searched together.
# So large a share of a clear side is no further from its line, with such contrast.
STRAIGHT_PX, CLEAR, CLEAR_SHARE = 2.0, 25.0, 0.8


def card_outlines(frame_bgr: np.ndarray) -> list[np.ndarray]:
    """Corners (4, 2) in px of what may be cards in a frame (h, w, 3) uint8, clockwise, largest first."""
    zoom = min(1.0, SEEN_PX / max(frame_bgr.shape[:2]))
    if min(frame_bgr.shape[:2]) * zoom < 32:
        return []
    small = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    outlines = np.zeros((0, 4, 2), np.float32)
    masks = region_masks(cv2.GaussianBlur(small, (0, 0), 0.8))
    rough = (corners for mask in masks for corners in four_sided(mask))
    while len(outlines) < MOST_OUTLINES and (batch := list(islice(rough, BATCH))):
        moved = snap_to_edges((np.stack(batch) + 0.5) / zoom - 0.5, frame_bgr)
        outlines = drop_duplicates(np.concatenate([outlines, moved]))[:MOST_OUTLINES]
    return sorted(outlines, key=lambda corners: -cv2.contourArea(corners))


def snap_to_edges(rough: np.ndarray, frame_bgr: np.ndarray) -> np.ndarray:
    """(n, 4, 2) corners moved to the edges near them; outlines without such edges are left out."""
    near, good = on_edges(rough, frame_bgr, FAR)
    near, good = on_edges(near[good], frame_bgr, NEAR)
    return near[good]


def drop_duplicates(outlines: np.ndarray) -> np.ndarray:
    """The outlines (n, 4, 2), only the first of each thing."""
    middles = outlines.mean(axis=1)
    areas = np.array([cv2.contourArea(corners) for corners in outlines])
    distinct: list[int] = []
    for i, area in enumerate(areas):
        apart = np.hypot(*(middles[distinct] - middles[i]).T)
        if not ((apart < SAME_PLACE * area**0.5) & (np.abs(areas[distinct] - area) < SAME_SIZE * area)).any():
            distinct.append(i)
    return outlines[distinct]


def region_masks(small_bgr: np.ndarray) -> Iterator[np.ndarray]:
    """Masks (h, w) uint8: the regions that edges enclose, then what is lighter than each level."""
    edges = np.max([cv2.Canny(plane, 40, 110) for plane in cv2.split(small_bgr)], axis=0)
    yield 255 - edges  # Thin edges keep print near a card's edge apart from the edge.
    yield 255 - cv2.dilate(edges, np.ones((3, 3), np.uint8))  # Thick edges close gaps.
    grey = cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY)
    for level in np.percentile(grey[::4, ::4], LEVELS):
        yield cv2.compare(grey, float(level), cv2.CMP_GT)  # type: ignore[call-overload]  # its types know no number


def four_sided(mask: np.ndarray) -> Iterator[np.ndarray]:
    """Rough corners (4, 2) of the mask's pieces that have a card's shape."""
    _, labels, pieces, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    x, y, wide, tall, pixels = pieces.T
    box = wide * tall
    least, most = SHARE[0] * mask.size, SHARE[1] * mask.size
    # A card turned by 45° fills half of its upright box, and the stack printed on it may be a piece of its own.
    likely = (box > least) & (box < 1.2 * most) & (pixels > 0.3 * box)
    likely &= np.maximum(wide, tall) < 2.6 * np.minimum(wide, tall)
    for i in np.flatnonzero(likely[1:])[:MOST_PIECES] + 1:
        piece = (labels[y[i] : y[i] + tall[i], x[i] : x[i] + wide[i]] == i).view(np.uint8)
        corner = int(x[i]), int(y[i])
        outlines = cv2.findContours(piece, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=corner)[0]
        outline = max(outlines, key=cv2.contourArea)
        hull = cv2.convexHull(outline)
        area = cv2.contourArea(hull)
        rectangle = cv2.minAreaRect(hull)
        short, long = sorted(rectangle[1])
        if not least < area < most or long > MOST_LONG * short:
            continue
        if area < FULL * short * long or cv2.contourArea(outline) < FULL * area:
            continue
        corners = cv2.approxPolyDP(hull, 0.035 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float32)
        yield clockwise(corners if len(corners) == 4 else cv2.boxPoints(rectangle))


def clockwise(corners: np.ndarray) -> np.ndarray:
    return corners if cv2.contourArea(corners, oriented=True) > 0 else corners[::-1].copy()


def on_edges(corners: np.ndarray, frame_bgr: np.ndarray, reach_px: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 4, 2) moved to where straight edges within `reach_px` cross, and (n,) whether they make an
    outline."""
    edges_px, _ = edges_near(corners, frame_bgr, reach_px)
    fitted = [cv2.fitLine(side, cv2.DIST_HUBER, 0, 0.01, 0.01) for side in edges_px.reshape(-1, SAMPLES, 2)]
    dx, dy, x, y = np.array(fitted, np.float32).reshape(-1, 4).T
    a, b, c = np.stack([-dy, dx, dy * x - dx * y]).reshape(3, -1, 4)  # The lines are ax + by + c = 0.
    a0, b0, c0 = (np.roll(part, 1, axis=1) for part in (a, b, c))  # They are of the sides before.
    across = a0 * b - b0 * a
    good = np.abs(across).min(axis=1) >= 1e-6
    meet = np.where(good[:, None], across, 1)[..., None]
    moved = (np.stack([b0 * c - c0 * b, c0 * a - a0 * c], axis=-1) / meet).astype(np.float32)
    good &= np.abs(moved - corners).max(axis=(1, 2)) < 3 * reach_px
    good &= np.array([cv2.isContourConvex(outline) for outline in moved], bool)
    return moved, good


def is_clear(corners: np.ndarray, frame_bgr: np.ndarray) -> bool:
    """Whether a sharp straight edge follows each side, as on a card but not on a lamp's light or a coin."""
    height, width = frame_bgr.shape[:2]
    if corners.min() < 1 or (corners >= (width - 1, height - 1)).any():
        return False
    (edges_px,), (change,) = edges_near(corners[None], frame_bgr, NEAR)
    across = (edges_px - corners[:, None]) @ np.array([[0, 1], [-1, 0]]) @ unit_along(corners)[:, :, None]
    return bool(((np.abs(across[..., 0]) < STRAIGHT_PX) & (change > CLEAR)).mean(axis=1).min() >= CLEAR_SHARE)


def edges_near(corners: np.ndarray, frame_bgr: np.ndarray, reach_px: int) -> tuple[np.ndarray, np.ndarray]:
    """The places (n, 4, SAMPLES, 2) in px across each side where the frame changes most, and the change there.

    The change (n, 4, SAMPLES) is summed over the three channels.

    corners     (n, 4, 2) of the outlines
    reach_px    how far from the side to look
    """
    along = np.roll(corners, -1, axis=1) - corners
    across = unit_along(corners) @ np.array([[0, 1], [-1, 0]])
    base = corners[:, :, None] + along[:, :, None] * np.linspace(0.1, 0.9, SAMPLES)[:, None]
    steps = np.arange(-reach_px, reach_px + 1, dtype=np.float32)
    places = (base[..., None, :] + across[:, :, None, None] * steps[:, None]).astype(np.float32)
    places = places.reshape(-1, len(steps), 2)
    if not len(places):
        return places.reshape(0, 4, SAMPLES, 2), np.zeros((0, 4, SAMPLES), np.float32)
    pixels: np.ndarray = cv2.remap(  # type: ignore[call-overload]  # its types demand a second map
        frame_bgr, places, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    change = cv2.absdiff(pixels[:, 2:], pixels[:, :-2]).astype(np.float32) @ np.ones(3, np.float32)
    change *= 1 - 0.35 * np.abs(steps[1:-1]) / reach_px
    edges_px = np.take_along_axis(places, change.argmax(axis=1)[:, None, None] + 1, axis=1)
    return edges_px.reshape(-1, 4, SAMPLES, 2), change.max(axis=1).reshape(-1, 4, SAMPLES)


def unit_along(corners: np.ndarray) -> np.ndarray:
    """(…, 4, 2) vectors of length one, from each corner to the next."""
    along = np.roll(corners, -1, axis=-2) - corners
    return along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-6)
