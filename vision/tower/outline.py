"""Where a block stands that has just come: its edges are in the picture now, and were not in the one before.

Edges of what stood there before, of the wall and of print on the table are in both pictures, so they say nothing. The
block's size, its way of standing and the height of its foot are known; its place and its turn are searched.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.tower.crop import FINER, Front
from vision.tower.fit import CYLINDER, SizedWay

ALONG_MM, APART_MM = np.arange(-4.0, 4.1, 0.25), np.arange(-6.0, 6.1, 2.0)  # places tried, along and across the view
TURNS = np.radians(np.arange(-6.0, 6.1, 1.0))
TURN_SIGMA, APART_SIGMA_MM = np.radians(2.2), 3.0  # of hands
SAMPLES = 24  # along an edge
SOFT_PX = 0.8  # of the pictures, before edges are looked for
FAINT = 2.0  # levels a pixel; an edge much fainter than this is noise
WEIGHT = 30.0  # log odds for an edge of a clear block in place of none, of all edges together
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
EDGES = [(i, j) for i in range(8) for j in range(i + 1, 8) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1]
NORMALS = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]])


@dataclass(frozen=True)
class Spot:
    """Where a block's middle is, from the space's middle, with the standard deviation of x, and its turn.

    clear  how clearly its edges are seen: 0 for none
    """

    x_mm: float
    y_mm: float
    turn: float
    sigma_mm: float
    clear: float


def new_edges(before: np.ndarray, now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How strongly upright and level edges came, each (h, w) float32, from two crops (h, w, 3) float32."""
    now = cv2.GaussianBlur(now, (0, 0), SOFT_PX)
    came = now - cv2.GaussianBlur(before, (0, 0), SOFT_PX)
    found = []
    for dx, dy in ((1, 0), (0, 1)):
        both = cv2.Scharr(now, cv2.CV_32F, dx, dy, scale=1 / 32) * cv2.Scharr(came, cv2.CV_32F, dx, dy, scale=1 / 32)
        strength = np.sqrt(np.maximum(both, 0).sum(axis=2))
        found.append(np.log1p(strength / FAINT).astype(np.float32))
    return found[0], found[1]


def find_spot(
    edges: tuple[np.ndarray, np.ndarray], front: Front, way: SizedWay, bottom_mm: float, x_mm: float, depth_mm: float
) -> Spot:
    """The place of the block that has come, near `x_mm` and `depth_mm`, by the edges from `new_edges`."""
    turns = TURNS if way.name != CYLINDER else np.zeros(1)
    x, y, turn = (each.ravel() for each in np.meshgrid(x_mm + ALONG_MM, depth_mm + APART_MM, turns, indexing="ij"))
    seen = (
        round_score(edges, front, way, bottom_mm, x, y)
        if way.name == CYLINDER
        else box_score(edges, front, way, bottom_mm, x, y, turn)
    )
    odds = WEIGHT * seen - (turn / TURN_SIGMA) ** 2 / 2 - ((y - depth_mm) / APART_SIGMA_MM) ** 2 / 2
    weight = np.exp(odds - odds.max())
    weight /= weight.sum()
    middle = float(weight @ x)
    sigma = float(np.sqrt(weight @ (x - middle) ** 2))
    return Spot(middle, float(weight @ y), float(weight @ turn), sigma, float(seen.max()))


def box_score(
    edges: tuple[np.ndarray, np.ndarray],
    front: Front,
    way: SizedWay,
    bottom_mm: float,
    x: np.ndarray,
    y: np.ndarray,
    turn: np.ndarray,
) -> np.ndarray:
    """(n,) mean of the edges along the visible edges of a block at n places."""
    size = np.array([way.across_mm, way.away_mm, way.upright_mm])
    cos, sin = np.cos(turn), np.sin(turn)
    own = CORNERS * size
    px = x[:, None] + cos[:, None] * own[:, 0] - sin[:, None] * own[:, 1]  # (n, 8)
    py = y[:, None] + sin[:, None] * own[:, 0] + cos[:, None] * own[:, 1]
    pz = np.broadcast_to(bottom_mm + way.upright_mm / 2 + own[:, 2], px.shape)
    columns, rows = front.columns(px, py) * FINER - 0.5, front.rows(pz, py) * FINER - 0.5
    eye = front.eye_mm - np.array([*front.centre_mm, 0.0])
    to_eye = np.stack([eye[0] - x, eye[1] - y, np.full(len(x), eye[2] - bottom_mm - way.upright_mm / 2)], axis=1)
    turned = np.stack(
        [cos * to_eye[:, 0] + sin * to_eye[:, 1], cos * to_eye[:, 1] - sin * to_eye[:, 0], to_eye[:, 2]], axis=1
    )
    shown = turned @ NORMALS.T > np.abs(NORMALS) @ size / 2  # (n, 6) faces
    total, weights = np.zeros(len(x)), np.zeros(len(x))
    for i, j in EDGES:
        axis = int(np.abs(CORNERS[i] - CORNERS[j]).argmax())
        faces = [f for f, normal in enumerate(NORMALS) if normal @ CORNERS[i] == normal @ CORNERS[j] == 0.5]
        visible = shown[:, faces].any(axis=1)
        strength = along(edges[0 if axis == 2 else 1], columns[:, [i, j]], rows[:, [i, j]])
        weight = visible * np.hypot(columns[:, i] - columns[:, j], rows[:, i] - rows[:, j])
        total += weight * strength
        weights += weight
    return np.asarray(total / np.maximum(weights, 1e-9))


def round_score(
    edges: tuple[np.ndarray, np.ndarray], front: Front, way: SizedWay, bottom_mm: float, x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """(n,) mean of the edges along both sides of an upright cylinder at n places."""
    eye = front.eye_mm - np.array([*front.centre_mm, 0.0])
    far = np.hypot(x - eye[0], y - eye[1])
    aside = np.arcsin(np.minimum(way.across_mm / 2 / far, 0.99))
    found = np.zeros(len(x))
    for side in (-1, 1):
        angle = np.arctan2(x - eye[0], y - eye[1]) + side * aside
        reach = far * np.cos(aside)
        ex, ey = eye[0] + reach * np.sin(angle), eye[1] + reach * np.cos(angle)
        columns = front.columns(ex, ey) * FINER - 0.5
        rows = (
            np.stack([front.rows(np.full_like(ey, bottom_mm + up), ey) for up in (0.0, way.upright_mm)], axis=1) * FINER
            - 0.5
        )
        found += along(edges[0], np.stack([columns, columns], axis=1), rows) / 2
    return found


def along(plane: np.ndarray, columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(n,) mean of a plane along n lines between two points each, given by columns and rows (n, 2)."""
    way = (np.arange(SAMPLES) + 0.5) / SAMPLES
    xs = columns[:, :1] + (columns[:, 1:] - columns[:, :1]) * way
    ys = rows[:, :1] + (rows[:, 1:] - rows[:, :1]) * way
    return np.asarray(cv2.remap(plane, xs.astype(np.float32), ys.astype(np.float32), cv2.INTER_LINEAR).mean(axis=1))
