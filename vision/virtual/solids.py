"""Pieces, truck cards and boxes as the virtual camera sees them: shadows, sides, tops, far ones first."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from companion.demo.boxes import middle_of
from companion.demo.squares import board_square
from companion.demo.things import CARD_MM, PIECE_SHARE, PIECE_THICK_MM, UNIT_MM, TableBox, TruckCard, VirtualTable
from companion.equipment.mat import mat
from vision.virtual.view import TO_LIGHT, brightness_of, eye_mm, project

PAINT_RGB = {  # companion.demo.things.PIECE_COLOURS are painted so.
    "white": (236, 234, 226),
    "black": (44, 42, 42),
    "red": (188, 36, 38),
    "blue": (34, 84, 168),
    "yellow": (238, 198, 44),
    "green": (44, 130, 62),
    "orange": (226, 112, 34),
    "purple": (106, 50, 128),
    "pink": (232, 128, 170),
}
BOX_RGB = {1: (232, 228, 214), 2: (142, 142, 140), 3: (124, 82, 48), 4: (52, 164, 164), 5: (112, 56, 134)}
CARD_RGB, AREA_RGB, LINE_RGB = (198, 190, 172), (240, 238, 232), (150, 146, 136)
CARD_EDGE_MM = 9.0  # A truck card's margin around its loading area is so wide.
ROUND = 28  # A circle is drawn with so many sides.
SHADOW = 0.72  # This share of the light falls into a shadow.
SHADOW_BLUR_PX = 5
RIM = 0.88  # The rim of a piece and the edge of a box reflect this share of the light.
INNER = 0.86  # This share of a top is flat.


@dataclass(frozen=True, eq=False)
class Prism:
    """An upright prism; its foot (n, 2) mm is convex and counter-clockwise as seen from above."""

    foot_mm: np.ndarray
    low_mm: float
    high_mm: float
    rgb: tuple[int, int, int]

    @property
    def middle_mm(self) -> np.ndarray:
        """(3,) the middle of its foot."""
        return np.array([*self.foot_mm.mean(axis=0), self.low_mm])

    def ring(self, z_mm: float, share: float = 1.0) -> np.ndarray:
        """(n, 3) its outline at a height, scaled by `share`."""
        middle = self.foot_mm.mean(axis=0)
        return np.column_stack([middle + share * (self.foot_mm - middle), np.full(len(self.foot_mm), z_mm)])


def draw_things(frame_bgr: np.ndarray, table: VirtualTable) -> None:
    """Draws everything on the table except dice into the picture of the bare table."""
    for card in table.trucks:
        draw_card(frame_bgr, card)
    prisms = list(prisms_of(table))
    if not prisms:
        return
    shade = np.zeros(frame_bgr.shape[:2], np.uint8)
    for prism in prisms:
        high = prism.ring(prism.high_mm)
        thrown = high - TO_LIGHT * (high[:, 2:] / TO_LIGHT[2])
        outline = np.vstack([prism.ring(0.0), thrown])
        cv2.fillConvexPoly(shade, cv2.convexHull(np.rint(project(outline)).astype(np.int32)), 255)
    soft = cv2.GaussianBlur(shade, (0, 0), SHADOW_BLUR_PX).astype(np.float32)[..., None] / 255
    frame_bgr[:] = (frame_bgr * (1 - (1 - SHADOW) * soft)).astype(np.uint8)
    for prism in far_and_low_first(prisms):
        draw_prism(frame_bgr, prism)


def far_and_low_first(prisms: list[Prism]) -> list[Prism]:
    """The prisms, far ones first, and those in one place from the bottom up."""
    return sorted(prisms, key=lambda prism: (round(float(prism.foot_mm[:, 1].mean()), 1) * -1, prism.low_mm))


def prisms_of(table: VirtualTable) -> Iterator[Prism]:
    """The pieces and boxes of a table as prisms."""
    grid = mat(table.mat, table.board_n).grid
    if grid is not None:
        levels: dict[tuple[int, int], int] = {}
        for piece in table.pieces:
            at = (piece.row, piece.column)
            low = levels.get(at, 0) * PIECE_THICK_MM
            levels[at] = levels.get(at, 0) + 1
            circle = np.column_stack([np.cos(CIRCLE_RAD), np.sin(CIRCLE_RAD)]) * grid.cell_mm * PIECE_SHARE / 2
            x_mm, y_mm = board_square(table, *at)
            yield Prism(circle + np.array([x_mm, -y_mm]), low, low + PIECE_THICK_MM, PAINT_RGB[piece.colour])
    for box in table.boxes:
        yield box_prism(box)


CIRCLE_RAD = np.arange(ROUND) * 2 * np.pi / ROUND


def box_prism(box: TableBox) -> Prism:
    """A box as a prism, lying or standing."""
    across = UNIT_MM * (box.size if box.along == "x" else 1) / 2
    away = UNIT_MM * (box.size if box.along == "y" else 1) / 2
    foot = np.array([[-across, -away], [across, -away], [across, away], [-across, away]]) * 0.985
    high = box.z_mm + UNIT_MM * (box.size if box.along == "z" else 1)
    return Prism(foot + np.array([box.x_mm, -box.y_mm]), box.z_mm, high, BOX_RGB[box.size])


def draw_prism(frame_bgr: np.ndarray, prism: Prism) -> None:
    """Draws the sides that face the camera, then the top with its edge."""
    low, high = prism.ring(prism.low_mm), prism.ring(prism.high_mm)
    for i in range(len(low)):
        after = (i + 1) % len(low)
        edge = low[after] - low[i]
        normal = np.array([edge[1], -edge[0], 0.0]) / max(float(np.linalg.norm(edge)), 1e-9)
        if normal @ (eye_mm() - low[i]) > 0:
            fill(frame_bgr, np.array([low[i], low[after], high[after], high[i]]), prism.rgb, brightness_of(normal))
    up = brightness_of(np.array([0.0, 0.0, 1.0]))
    fill(frame_bgr, high, prism.rgb, up * RIM)
    fill(frame_bgr, prism.ring(prism.high_mm, INNER), prism.rgb, up)


def draw_card(frame_bgr: np.ndarray, card: TruckCard) -> None:
    """Draws a truck card with the squares of its loading area."""
    rows, columns = len(card.area), max(map(len, card.area))
    middle = np.array([card.x_mm, -card.y_mm])
    half = np.array([columns, rows]) * UNIT_MM / 2 + CARD_EDGE_MM
    up = brightness_of(np.array([0.0, 0.0, 1.0]))
    fill(frame_bgr, rectangle(middle, half), CARD_RGB, up)
    for row, squares in enumerate(card.area):
        for column, is_open in enumerate(squares):
            if is_open:
                x, y = middle_of(card, (row, column))
                place = np.array([x, -y])
                fill(frame_bgr, rectangle(place, np.full(2, UNIT_MM / 2)), LINE_RGB, up)
                fill(frame_bgr, rectangle(place, np.full(2, UNIT_MM / 2 - 0.3)), AREA_RGB, up)


def rectangle(middle_mm: np.ndarray, half_mm: np.ndarray) -> np.ndarray:
    """(4, 3) corners in mm on a card."""
    corners = middle_mm + half_mm * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
    return np.column_stack([corners, np.full(4, CARD_MM)])


def fill(frame_bgr: np.ndarray, corners_mm: np.ndarray, rgb: tuple[int, int, int], bright: float) -> None:
    """Fills a convex face with one colour."""
    paint = tuple(min(255.0, part * bright) for part in reversed(rgb))
    corners_px = np.rint(project(corners_mm) * 16).astype(np.int32)
    cv2.fillConvexPoly(frame_bgr, corners_px, paint, cv2.LINE_AA, shift=4)
