"""Pictures of the demo's table as a camera above it would take them: mat, paper, things and dice, then noise."""

from dataclasses import replace

import cv2
import numpy as np

from companion.demo.things import BOARD_N, HEIGHT_MM, MAT, WIDTH_MM, VirtualTable
from companion.equipment.mat import Kind, Mat, mat
from vision.cameras.memory import free_memory
from vision.card.picture import CARD_MM, card_picture
from vision.virtual.dice import DiePose, cast_shadow, draw_die, far_and_low_first, poses_in_flight, resting_pose
from vision.virtual.mat_picture import mat_picture, paper_corners_mm
from vision.virtual.solids import draw_things
from vision.virtual.view import HEIGHT_PX, WIDTH_PX, project

NOISE_LEVELS = 2.5  # A webcam in a lit room has this standard deviation.
NOISE_FLOOR = 12  # The noise picture adds it, so it is taken from the still one first.
STRIP_PX = 64  # So many rows of noise are made at once.
MAT_MIDDLE_MM = np.array([WIDTH_MM / 2, -HEIGHT_MM / 2, 0.0])
MAT_PX_PER_MM, MAT_BLUR_PX = 5.0, 0.8  # The mat is twice as fine as the picture, and blurred so that no edge flickers.
PAPER_LIGHT = 0.8  # Paper reflects less than white dice do.


class Painter:
    """Draws tables; remembers the bare table, the last still picture and a stock of noise."""

    def __init__(self, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        self._bare_of = ("", 0)  # The bare table has this mat with a board of so many squares.
        self._bare_bgr = np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.uint8)
        self._floor = np.full_like(self._bare_bgr, NOISE_FLOOR)
        self._noise = noise(self._random, HEIGHT_PX + 64, WIDTH_PX + 64)
        self._still: tuple[VirtualTable, np.ndarray] | None = None

    def picture(self, table: VirtualTable, now_us: int) -> np.ndarray:
        """The table as the sensor gives it at table time `now_us`: (HEIGHT_PX, WIDTH_PX, 3) uint8."""
        down, right = self._random.integers(0, 64, 2)
        return cv2.add(
            self.without_noise(table, now_us), self._noise[down : down + HEIGHT_PX, right : right + WIDTH_PX]
        )

    def without_noise(self, table: VirtualTable, now_us: int) -> np.ndarray:
        """The picture without noise, darker by NOISE_FLOOR; not to be drawn into."""
        table = self.in_view(table)
        if table.throw is not None and now_us < table.throw.rests_us:
            return self._paint(table, poses_in_flight(table, now_us))
        at_rest = replace(table, throw=None)
        if self._still is None or self._still[0] != at_rest:
            self._still = (at_rest, self._paint(table, [resting_pose(die) for die in table.dice]))
        return self._still[1]

    def in_view(self, table: VirtualTable) -> VirtualTable:
        """The part of the table that is seen from above: the stacks stand beside it."""
        return replace(table, stacks=())

    def _paint(self, table: VirtualTable, poses: list[DiePose]) -> np.ndarray:
        if self._bare_of != (table.mat, table.board_n):
            self._bare_of = (table.mat, table.board_n)
            self._bare_bgr = bare_table(np.random.default_rng(7), table.mat, table.board_n)
            free_memory()  # The table is drawn once a game, and the memory would stay with this process.
        frame_bgr = self._bare_bgr.copy()
        if table.card is not None:
            lay_card(frame_bgr, mat(table.mat), table.card, marker=not table.bought_deck)
        draw_things(frame_bgr, table)
        for pose in poses:
            cast_shadow(frame_bgr, pose)
        for pose in sorted(poses, key=far_and_low_first):
            draw_die(frame_bgr, pose)
        return cv2.subtract(frame_bgr, self._floor)


# The class stands in quotes, as naming it loads numpy.random: 6 MB of every vision process.
def bare_table(random: "np.random.Generator", mat_name: str = MAT, board_n: int = BOARD_N) -> np.ndarray:
    """The empty table with its mat: wooden planks on a dark floor, lit by a lamp at the upper left."""
    height_mm, width_mm = int(HEIGHT_MM), int(WIDTH_MM)
    size = (width_mm * 3, height_mm * 3)
    fibre = cv2.resize(random.normal(0, 1, (height_mm * 3, 24)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    cloud = cv2.resize(random.normal(0, 1, (6, 4)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    rows = np.arange(size[1], dtype=np.float32)[:, None]
    ring = np.sin((rows / 9.0 + 2.5 * cloud) * 1.3)
    tone = 1.0 + 0.035 * cv2.GaussianBlur(fibre, (0, 0), 1.0) + 0.035 * ring + 0.03 * cloud
    plank = (rows // (size[1] / 4)).astype(int).ravel()
    tone *= np.array([1.0, 0.95, 1.03, 0.97], dtype=np.float32)[plank][:, None]
    wood = in_light(np.broadcast_to(np.array([86, 124, 164], np.uint8), (*tone.shape, 3)), tone)
    edges_mm = np.array([[0, 0, 0], [WIDTH_MM, 0, 0], [WIDTH_MM, -HEIGHT_MM, 0], [0, -HEIGHT_MM, 0]])
    corners_px = project(edges_mm).astype(np.float32)
    source = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], dtype=np.float32)
    frame_bgr = np.full((HEIGHT_PX, WIDTH_PX, 3), (52, 48, 46), np.uint8)
    cv2.warpPerspective(
        wood,
        cv2.getPerspectiveTransform(source, corners_px),
        (WIDTH_PX, HEIGHT_PX),
        dst=frame_bgr,
        flags=cv2.INTER_AREA,
        borderMode=cv2.BORDER_TRANSPARENT,
    )
    printed = mat(mat_name, board_n)
    lay_paper(frame_bgr, mat_picture(printed, MAT_PX_PER_MM), paper_corners_mm(printed))
    down, right = np.ogrid[0:HEIGHT_PX, 0:WIDTH_PX]
    down, right = down.astype(np.float32), right.astype(np.float32)
    lamp = 1.08 - 0.32 * np.hypot((right - 0.36 * WIDTH_PX) / WIDTH_PX, (down - 0.34 * HEIGHT_PX) / HEIGHT_PX) ** 1.5
    return in_light(frame_bgr, lamp)


def in_light(picture_bgr: np.ndarray, light: np.ndarray) -> np.ndarray:
    """A picture (h, w, 3) uint8 times the light (h, w) float32; by channel, as all at once take 12 bytes a pixel."""
    product = np.empty(picture_bgr.shape, np.uint8)
    for channel in range(3):
        product[..., channel] = np.clip(picture_bgr[..., channel] * light, 0, 255)
    return product


def noise(random: "np.random.Generator", tall_px: int, wide_px: int) -> np.ndarray:
    """(tall_px, wide_px, 3) uint8 around NOISE_FLOOR; in strips, as random numbers take eight times the bytes."""
    levels = np.empty((tall_px, wide_px, 3), np.uint8)
    for top in range(0, tall_px, STRIP_PX):
        strip = levels[top : top + STRIP_PX]
        strip[:] = np.clip(np.rint(random.normal(NOISE_FLOOR, NOISE_LEVELS, strip.shape)), 0, 255)
    return levels


def lay_card(frame_bgr: np.ndarray, printed: Mat, number: int, *, marker: bool) -> None:
    """Draws a card in the middle of the mat's card spot; without a marker it is of a bought deck."""
    x_mm, y_mm = printed.zones_of(Kind.CARD)[0].middle_mm
    half = np.array(CARD_MM) / 2
    corners_mm = np.array([x_mm, y_mm]) + half * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
    lay_paper(frame_bgr, card_picture(number, marker), np.column_stack([corners_mm, np.zeros(4)]))


def lay_paper(frame_bgr: np.ndarray, picture: np.ndarray, corners_mm: np.ndarray) -> None:
    """Draws a printed picture (h, w, 3); corners (4, 3) in mm from the mat's middle, upper left first."""
    paper = cv2.GaussianBlur(picture, (0, 0), MAT_BLUR_PX)
    tall, wide = paper.shape[:2]
    source = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], dtype=np.float32) - 0.5
    corners_px = project(corners_mm + MAT_MIDDLE_MM).astype(np.float32)
    to_frame = cv2.getPerspectiveTransform(source, corners_px)
    size = (WIDTH_PX, HEIGHT_PX)
    shade = cv2.LUT(paper, (np.arange(256) * PAPER_LIGHT).astype(np.uint8))
    cv2.warpPerspective(shade, to_frame, size, dst=frame_bgr, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT)
