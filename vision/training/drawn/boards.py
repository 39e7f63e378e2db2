"""Draws pictures of round pieces in piles on grid boards, with labels; `board_net` learns from them.

    python -m vision.training.drawn.boards render FOLDER COUNT SEED   COUNT pictures and labels.json
    python -m vision.training.drawn.boards stones FOLDER COUNT SEED   domed stones on crossings, nearly touching

The labels have the fields of ../shared/data/boards-rendered.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose
from vision.training.drawn.tables import wood
from vision.training.drawn.tabletop import Canvas, lay_markers, linear, random_camera, random_light
from vision.training.labelled import Rng, write_labelled

PAINTS = {
    "red": (186, 26, 43), "green": (24, 125, 62), "blue": (36, 89, 177), "orange": (223, 98, 28),
    "yellow": (235, 195, 50), "white": (232, 230, 222), "black": (34, 33, 35), "purple": (98, 46, 130),
    "pink": (240, 90, 160), "natural": (205, 165, 115), "brown": (105, 65, 42), "grey": (130, 132, 135),
    "turquoise": (40, 160, 165),
}  # fmt: skip
MOST_SPARE = 6  # pieces beside the board
ROUND = 28  # corners of a drawn piece
UP = np.array([0, 0, 1.0])
AROUND = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
CIRCLE = np.stack([np.cos(AROUND), np.sin(AROUND), np.zeros(ROUND)], axis=1)
MOST_HIGH = 6
BLOCK = 4  # pieces that leave a toppling pile


def pieces_of(rng: Rng) -> dict[str, tuple[float, ...]]:
    """Two to four paints by name, all clearly different."""
    count = int(rng.integers(2, 5))
    chosen: dict[str, tuple[float, ...]] = {}
    for name in rng.permutation(list(PAINTS)):
        paint = tuple(float(c) for c in np.clip(np.array(PAINTS[name]) + rng.normal(0, 8, 3), 5, 250).round())
        if all(np.abs(np.array(paint) - other).max() > 55 for other in chosen.values()):
            chosen[str(name)] = paint
        if len(chosen) == count:
            break
    return chosen


def draw_piece(
    canvas: Canvas, foot_mm: np.ndarray, radius: float, thick: float, paint: np.ndarray, look: dict[str, Any],
    shade: float,
) -> None:  # fmt: skip
    """Draws a round piece on its foot (3,): its side, then its top with a rim."""
    middle = foot_mm + UP * thick
    top, low = middle + radius * CIRCLE, foot_mm + radius * CIRCLE
    to_eye = canvas.eye - foot_mm
    facing = CIRCLE @ to_eye > 0
    mean = canvas.light.on(middle, to_eye / np.linalg.norm(to_eye), shade)
    hull = cv2.convexHull(canvas.pose.project(np.vstack([top, low])).astype(np.float32)).reshape(-1, 2)
    canvas.fill(hull, paint * mean * np.float32(0.8))
    for i in np.flatnonzero(facing | np.roll(facing, -1)):
        after = (i + 1) % ROUND
        lit = canvas.light.on(middle, (CIRCLE[i] + CIRCLE[after]) / 2, shade) * np.float32(look["side"])
        canvas.shape(np.array([top[i], top[after], low[after], low[i]]), paint * lit)
    lit = paint * canvas.light.on(middle, UP, shade) + look["gloss"] * canvas.glare_at(middle, middle[2])
    canvas.shape(top, (lit * np.float32(look["rim"])).astype(np.float32))
    canvas.shape(middle + radius * look["inner"] * CIRCLE, lit.astype(np.float32), look["grain"])
    if look.get("dome"):
        draw_dome(canvas, middle, radius, lit.astype(np.float32), look)
    if look["dish"]:
        canvas.shape(middle + radius * (look["inner"] - 0.1) * CIRCLE, (lit * np.float32(look["dish"])), look["grain"])


def draw_dome(canvas: Canvas, middle: np.ndarray, radius: float, lit: np.ndarray, look: dict[str, Any]) -> None:
    """Draws the upper side of a stone: brighter towards the light, with a shining spot."""
    towards = canvas.light.direction(middle)
    aside = towards * [1, 1, 0]
    for share in (0.85, 0.7, 0.55, 0.4):
        ring = middle + radius * ((0.85 - share) * 0.5 * aside + share * CIRCLE)
        canvas.shape(ring, lit * np.float32(1 + look["dome"] * (0.85 - share)), look["grain"])
    spot = middle + radius * (0.45 * aside + look["spot"] * CIRCLE)
    canvas.shape(spot, lit + np.float32(look["shine"]) * canvas.light.on(middle, UP, 0.0))


def draw_board(canvas: Canvas, corners: np.ndarray, n: int, crossings: bool = False) -> np.ndarray:
    """Draws the board and returns its corners (4, 3); `corners` (4, 3) are those of its grid.

    It is of paper, card or wood with lines and a sign in each space. With `crossings` the lines cross in the middles of
    the spaces.
    """
    rng = canvas.rng
    lit = canvas.light.on(corners.mean(axis=0), UP)
    middle = corners.mean(axis=0)
    margin = 1 + rng.uniform(0.05, 0.3) * 2 / n
    edge = middle + margin * (corners - middle)
    dark = rng.random() < 0.4
    tone = rng.uniform(12, 80) if dark else rng.uniform(130, 245)
    ground = np.clip(tone + rng.normal(0, 18 if rng.random() < 0.7 else 50, 3), 5, 250)
    kind = str(rng.choice(["print", "wood", "checks"], p=[0.6, 0.25, 0.15]))
    size = 600
    art = np.full((size, size, 3), ground, np.uint8)
    inside = size / margin
    at = (size - inside) / 2 + inside * np.arange(n + 1) / n
    if kind == "wood":
        art = np.ascontiguousarray(wood(rng, size, inside / n * rng.uniform(0.3, 1.5))[:, :, ::-1])
    if kind == "checks":
        other = np.clip(ground + rng.normal(0, 45, 3), 5, 250)
        for row, column in np.ndindex(n, n):
            if (row + column) % 2:
                art[int(at[row]) : int(at[row + 1]), int(at[column]) : int(at[column + 1])] = other
    line = np.clip((rng.uniform(120, 230) if dark else rng.uniform(10, 110)) + rng.normal(0, 12, 3), 0, 255)
    pen = tuple(float(c) for c in line)
    wide = max(1, int(size / n * rng.uniform(0.015, 0.06)))
    if crossings:
        for a in (at[:-1] + at[1:]) / 2:
            ends = (int((at[0] + at[1]) / 2), int((at[-2] + at[-1]) / 2))
            cv2.line(art, (ends[0], int(a)), (ends[1], int(a)), pen, wide, cv2.LINE_AA)
            cv2.line(art, (int(a), ends[0]), (int(a), ends[1]), pen, wide, cv2.LINE_AA)
    elif rng.random() < 0.9:
        for a in at:
            ends = (int(at[0]), int(at[-1]))
            cv2.line(art, (ends[0], int(a)), (ends[1], int(a)), pen, wide, cv2.LINE_AA)
            cv2.line(art, (int(a), ends[0]), (int(a), ends[1]), pen, wide, cv2.LINE_AA)
    sign = int(rng.integers(7))
    share = rng.uniform(0.06, 0.42)
    for row, column in np.ndindex(n, n):
        spot = (int((at[column] + at[column + 1]) / 2), int((at[row] + at[row + 1]) / 2))
        if sign in (1, 2):
            cv2.circle(art, spot, max(2, int(share * inside / n)), pen, wide if sign == 1 else -1, cv2.LINE_AA)
        elif sign == 3:
            cv2.drawMarker(art, spot, pen, cv2.MARKER_CROSS, int(share * inside / n), wide)
        elif sign == 4:
            cv2.putText(art, str(row * n + column), spot, 0, inside / n / 90, pen, wide, cv2.LINE_AA)
    thick = np.array([0, 0, corners[0, 2]])
    for i in range(4):
        side = np.array([edge[i], edge[(i + 1) % 4], edge[(i + 1) % 4] - thick, edge[i] - thick])
        canvas.shape(side, (linear(ground) * lit * np.float32(0.6)))
    shadow = canvas.shadow([canvas.thrown(edge - thick, float(thick[2]))], canvas.direct_share(), 3)
    canvas.picture *= 1 - shadow[..., None]
    pixels = canvas.pose.project(edge).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32), pixels)
    shown = cv2.warpPerspective(linear(art), matrix, canvas.picture.shape[1::-1])
    mask = cv2.warpPerspective(np.ones((size, size), np.float32), matrix, canvas.picture.shape[1::-1])[..., None]
    lit_over = canvas.light.ambient + canvas.light.direct * canvas.light.direction(middle)[2] * canvas.fall[..., None]
    face = shown * lit_over + canvas.glare(rng.uniform(0, 0.5), float(corners[0, 2]))
    canvas.picture += mask * (face - canvas.picture)
    return np.asarray(edge)


def shade_level(
    canvas: Canvas, piles: list[dict[str, Any]], level: int, thick: float, radius: float, base_mm: float
) -> np.ndarray:
    """(h, w) the amount of shadow on everything that is `level` pieces high."""
    outlines = []
    for pile in piles:
        rest = len(pile["colours"]) - level
        if rest > 0:
            foot = np.array([*pile["spots"][min(level, len(pile["spots"]) - 1)], base_mm + level * thick])
            outlines.append(canvas.thrown(foot + 0.98 * radius * CIRCLE, rest * thick))
    px_mm = canvas.pose.intrinsics[0, 0] / float(canvas.eye[2])
    return canvas.shadow(outlines, canvas.direct_share(), 2 * thick * canvas.light.softness * px_mm + 0.8)


def random_piles(rng: Rng, n: int, names: list[str], corners: np.ndarray, free_mm: float) -> list[dict[str, Any]]:
    """The piles of a position: each with its space, its colours from below and the middles of its pieces."""
    across = (corners[1] - corners[0])[:2] / n
    down = (corners[3] - corners[0])[:2] / n
    full = rng.uniform(0.15, 0.85)
    sloppy = rng.uniform(0.1, 1.0) * free_mm
    piles = []
    shares = np.array([0.32, 0.2, 0.16, 0.14, 0.1, 0.08])
    for row, column in np.ndindex(n, n):
        if rng.random() > full:
            continue
        high = 1 + int(rng.choice(MOST_HIGH, p=shares))
        one = rng.random() < 0.35
        colours = [str(c) for c in rng.choice(names, high)]
        if one:
            colours = [colours[0]] * high
        spot = corners[0, :2] + (column + 0.5) * across + (row + 0.5) * down + rng.uniform(-sloppy, sloppy, 2)
        spots = [spot + rng.normal(0, 0.45, 2) for _ in range(high)]
        piles.append({"cell": [row, column], "colours": colours, "spots": spots})
    return piles


def draw_piles(
    canvas: Canvas, piles: list[dict[str, Any]], paints: dict[str, np.ndarray], look: dict[str, Any],
    radius: float, thick: float, base_mm: float,
) -> None:  # fmt: skip
    """Draws all piles, far ones first, with their shadows on the board and on each other."""
    shades = [shade_level(canvas, piles, level, thick, radius, base_mm) for level in range(MOST_HIGH + 1)]
    canvas.picture *= 1 - shades[0][..., None]
    feet = [np.array([*pile["spots"][0], base_mm]) + 1.04 * radius * CIRCLE for pile in piles]
    canvas.picture *= 1 - canvas.shadow(feet, canvas.rng.uniform(0.2, 0.6), canvas.rng.uniform(2, 7))[..., None]
    for pile in sorted(piles, key=lambda p: -float(np.linalg.norm(p["spots"][0] - canvas.eye[:2]))):
        for level, (name, spot) in enumerate(zip(pile["colours"], pile["spots"], strict=True)):
            foot = np.array([*spot, base_mm + level * thick])
            seen = canvas.pose.project(foot[None] + UP * thick)[0].astype(int).clip(0, [1279, 959])
            shade = float(shades[min(level + 1, MOST_HIGH)][seen[1], seen[0]]) / max(canvas.direct_share(), 1e-6)
            worn = (1 + canvas.rng.normal(0, 0.02, 3)).astype(np.float32)
            draw_piece(canvas, foot, radius, thick, paints[name] * worn, look, min(shade, 1.0))


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything in one picture; its board is already drawn on its canvas.

    edge_mm     (4, 3) corners of the board
    spare       pieces beside it, as piles without a space
    paints      by name, linear
    look        properties shared by all pieces
    rngs        for painting and for the lens
    """

    canvas: Canvas
    pose: Pose
    edge_mm: np.ndarray
    piles: list[dict[str, Any]]
    spare: list[dict[str, Any]]
    paints: dict[str, np.ndarray]
    look: dict[str, Any]
    radius_mm: float
    thick_mm: float
    rngs: tuple[Rng, Rng]
    labels: dict[str, Any]


def plan_board(
    rng: Rng,
    canvas_of: Callable[[Pose, float, float], Canvas],
    play: Callable[[list[dict[str, Any]]], None] | None = None,
    stones: bool = False,
) -> Plan:
    """A random position, of stones if `stones`.

    canvas_of   makes a canvas from a pose, the table's width and a piece's size in mm
    play        changes the piles before they are labelled
    """
    paint_rng, lens_rng = rng.spawn(2)
    n = int(rng.integers(4, 11))
    cell = float(rng.uniform(24, 33)) * min(1.0, 8 / n)
    diameter = float(min(cell * rng.uniform(0.62, 0.86), 26))
    if stones:
        diameter = cell * float(rng.uniform(0.84, 1.0))
    thick = float(rng.uniform(4, 7.5)) * min(1.0, 8 / n)
    colour_rgb = pieces_of(rng)
    yaw = rng.normal(0, 0.05) + (0 if rng.random() < 0.9 else rng.uniform(-0.4, 0.4))
    square = n * cell / 2 * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
    square = square @ np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    base_mm = float(rng.choice([0.3, 2.0, 3.0, 5.0]))
    corners = np.hstack([square, np.full((4, 1), base_mm)])
    pose, camera = random_camera(rng, 25, n * cell * rng.uniform(1.55, 2.3))
    canvas = canvas_of(pose, 2.6 * n * cell + 150, diameter)
    markers = []
    if rng.random() < 0.5:
        aside = n * cell / 2 + 45
        markers = lay_markers(canvas, (aside, n * cell / 2 + 15), 26.0)
    edge = draw_board(canvas, corners, n, crossings=stones and rng.random() < 0.8)
    free_mm = 0.12 * cell if stones else max(0.3, (cell - diameter) / 2 - 0.5)
    piles = random_piles(rng, n, list(colour_rgb), corners, free_mm)
    if stones:
        for pile in piles if rng.random() < 0.7 else ():
            pile["colours"], pile["spots"] = pile["colours"][:1], pile["spots"][:1]
    if play is not None:
        play(piles)
    look = {
        "side": rng.uniform(0.7, 1.0), "rim": rng.uniform(0.75, 1.15), "inner": rng.uniform(0.8, 0.97),
        "dish": rng.choice([0, rng.uniform(0.85, 1.1)]), "grain": rng.choice([0, rng.uniform(0.03, 0.15)]),
        "gloss": rng.uniform(0.2, 1.0),
    }  # fmt: skip
    if stones:
        look |= {"dome": rng.uniform(0.05, 0.5), "spot": rng.uniform(0.08, 0.25), "shine": rng.uniform(0.02, 0.4)}
    paints = {name: linear(rgb) for name, rgb in colour_rgb.items()}
    spare: list[dict[str, Any]] = [
        {"cell": None, "colours": [str(rng.choice(list(paints)))], "spots": [rng.uniform(-1, 1, 2) * n * cell]}
        for _ in range(rng.integers(0, MOST_SPARE + 1))
    ]
    spare = [pile for pile in spare if np.abs(pile["spots"][0]).max() > n * cell * 0.72]
    heights = np.zeros((n, n), int)
    tops: list[list[str | None]] = [[None] * n for _ in range(n)]
    labelled = []
    for pile in piles:
        row, column = pile["cell"]
        heights[row, column], tops[row][column] = len(pile["colours"]), pile["colours"][-1]
        top = np.array([*pile["spots"][-1], base_mm + len(pile["colours"]) * thick])
        labelled.append({
            "cell": pile["cell"], "height": len(pile["colours"]), "top_colour": pile["colours"][-1],
            "colours_bottom_up": pile["colours"], "top_centre_mm": top.round(2).tolist(),
            "top_centre_px": pose.project(top[None])[0].round(1).tolist(),
        })  # fmt: skip
    return Plan(canvas, pose, edge, piles, spare, paints, look, diameter / 2, thick, (paint_rng, lens_rng), {
        "camera": camera, "markers": markers,
        "colour_rgb": {name: list(rgb) for name, rgb in colour_rgb.items()}, "colours": list(colour_rgb),
        "board": {"n": n, "cell_mm": cell, "grid_corners_mm_tl_tr_br_bl": corners.tolist()},
        "piece": {"diameter_mm": diameter, "thickness_mm": thick},
        "heights": heights.tolist(), "top_colours": tops, "piles": labelled,
    })  # fmt: skip


def render_board(
    rng: Rng, play: Callable[[list[dict[str, Any]]], None] | None = None, stones: bool = False
) -> tuple[np.ndarray, dict[str, Any]]:
    """One picture and its labels; `play` changes the piles of the same table first."""
    plan = plan_board(rng, lambda pose, table, piece: Canvas(rng, pose, random_light(rng), table, piece), play, stones)
    canvas, base_mm = plan.canvas, float(plan.edge_mm[0, 2])
    canvas.rng = plan.rngs[0]
    draw_piles(canvas, plan.spare, plan.paints, plan.look, plan.radius_mm, plan.thick_mm, 0.0)
    draw_piles(canvas, plan.piles, plan.paints, plan.look, plan.radius_mm, plan.thick_mm, base_mm)
    canvas.rng = plan.rngs[1]
    return canvas.done(), plan.labels


def random_play(rng: Rng, labels: dict[str, Any]) -> tuple[dict[str, Any], Callable[[list[dict[str, Any]]], None]]:
    """A random play on a position: its label, and the function that changes the piles."""
    board, n = labels["board"], labels["board"]["n"]
    corners = np.array(board["grid_corners_mm_tl_tr_br_bl"])[:, :2]
    across, down = (corners[1] - corners[0]) / n, (corners[3] - corners[0]) / n

    def put(piles: list[dict[str, Any]], cell: tuple[int, int], colour: str) -> None:
        middle = corners[0] + (cell[1] + 0.5) * across + (cell[0] + 0.5) * down
        pile = next((pile for pile in piles if pile["cell"] == list(cell)), None)
        if pile is None:
            piles.append({"cell": list(cell), "colours": [colour], "spots": [middle + rng.normal(0, 0.8, 2)]})
        else:
            pile["colours"].append(colour)
            pile["spots"].append(pile["spots"][0] + rng.normal(0, 0.6, 2))

    high = [pile for pile in labels["piles"] if pile["height"] > BLOCK]
    if high and rng.random() < 0.6:
        pile = high[int(rng.integers(len(high)))]
        row, column = pile["cell"]
        sides = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
        falling = [str(c) for c in rng.permutation(pile["colours_bottom_up"][-BLOCK:])]
        pieces: list[dict[str, Any]] = [
            {"to": list(side), "colour": colour}
            for side, colour in zip(sides, falling, strict=True)
            if min(side) >= 0 and max(side) < n
        ]

        def topple(piles: list[dict[str, Any]]) -> None:
            mine = next(each for each in piles if each["cell"] == pile["cell"])
            mine["colours"], mine["spots"] = mine["colours"][:-BLOCK], mine["spots"][:-BLOCK]
            for piece in pieces:
                put(piles, (piece["to"][0], piece["to"][1]), piece["colour"])

        return {"type": "topple", "cell": pile["cell"], "pieces": pieces}, topple
    free = [cell for cell in np.ndindex(n, n) if labels["heights"][cell[0]][cell[1]] < MOST_HIGH]
    cell = free[int(rng.integers(len(free)))]
    colour = str(rng.choice(labels["colours"]))
    return {"type": "place", "cell": list(cell), "colour": colour}, lambda piles: put(piles, cell, colour)


def render_play(seed: list[int]) -> tuple[np.ndarray, np.ndarray, dict[str, Any], dict[str, Any]]:
    """The pictures before and after one play, the labels before it, and the play's label."""
    before, labels = render_board(np.random.default_rng(seed))
    move, play = random_play(np.random.default_rng([*seed, 1]), labels)
    after, _labels = render_board(np.random.default_rng(seed), play)
    return before, after, labels, move


if __name__ == "__main__":
    cv2.setNumThreads(1)
    if sys.argv[1] not in ("render", "stones"):
        raise SystemExit(__doc__)
    made = partial(render_board, stones=sys.argv[1] == "stones")
    write_labelled(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), "board", made)
