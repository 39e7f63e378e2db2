"""The camera at table height in front of the demo's stacks: draws what the tower reader then has to read.

World: right-handed millimetres, x right from the middle of the four spaces, y away from the camera, z up.
"""

from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.demo.stacks import BLOCK_MM, SPACE_MM, SPACES, TableBlock
from companion.demo.things import VirtualTable
from companion.equipment.mat import Kind, mat
from vision.scene.fields import camera_fields
from vision.scene.pose import Pose, turn_z
from vision.scene.scene import SceneCamera
from vision.tower.blocks import Lighting, Solid, draw_towers
from vision.virtual.camera import VirtualCamera
from vision.virtual.dice import DiePose
from vision.virtual.mat_picture import mat_picture, paper_corners_mm
from vision.virtual.painter import Painter
from vision.virtual.view import HEIGHT_PX, WIDTH_PX

EYE_MM = np.array([0.0, -930.0, 210.0])
AIM_MM = np.array([0.0, 0.0, 125.0])
CAMERA = SceneCamera(WIDTH_PX, HEIGHT_PX, (1750.0, 1750.0), (WIDTH_PX / 2, HEIGHT_PX / 2))
TABLE_ENDS_MM = 330.0  # The table ends so far behind the spaces.
TABLE_BGR, WALL_BGR = (0.27, 0.33, 0.27), (0.22, 0.20, 0.20)  # Blocks stand out from a dark wall.
WALL_FADES = 0.16  # The wall is so much brighter above than at the table.
WOOD_BGR = (0.36, 0.62, 0.78)
TOWARDS = np.array([[-0.50, -0.62, 0.78], [-0.40, -0.70, 0.85], [-0.62, -0.55, 0.75], [-0.50, -0.60, 1.00]])
MAT = "front"
MAT_PX_PER_MM, MAT_BLUR_PX = 4.0, 0.8
PAPER_LIGHT = 0.62  # Wood under this lamp is brighter than half of white.
LAMP = Lighting(TOWARDS / np.linalg.norm(TOWARDS, axis=1, keepdims=True), np.full(4, 0.15), 0.5)


class VirtualFront(VirtualCamera):
    """The camera that sees the demo's stacks from the front."""

    lens = CAMERA

    def new_painter(self) -> Painter:
        """The painter of what this camera sees."""
        return FrontPainter()

    def scene(self) -> dict[str, Any]:
        """The scene fields of the spaces, as measured by a person."""
        return front_scene()

    def scene_key(self, table: VirtualTable) -> object:
        """None, as its scene is always the same."""
        return None


class FrontPainter(Painter):
    """Draws stacks."""

    def in_view(self, table: VirtualTable) -> VirtualTable:
        """The table with nothing but the stacks."""
        return VirtualTable(stacks=table.stacks)

    def _paint(self, table: VirtualTable, poses: list[DiePose]) -> np.ndarray:
        canvas = backdrop().copy()
        stacks = [
            [solid_of(block, centre_mm, seed) for seed, block in enumerate(stack.blocks)]
            for stack, centre_mm in zip(table.stacks, centres_mm(), strict=False)
        ]
        draw_towers(stacks, front_pose(), canvas, LAMP)
        return cv2.subtract((np.clip(canvas, 0, 1) * 255).astype(np.uint8), self._floor)


def centres_mm() -> tuple[tuple[float, float], ...]:
    """The middles of the spaces, from the left."""
    return tuple(((space - (SPACES - 1) / 2) * SPACE_MM, 0.0) for space in range(SPACES))


def solid_of(block: TableBlock, centre_mm: tuple[float, float], seed: int) -> Solid:
    """A block of the demo's table as a solid, its grain along its long edge."""
    size_mm = np.array([block.across_mm, block.away_mm, block.upright_mm])
    longest_first = np.argsort(-size_mm, kind="stable")
    axes = np.eye(3)[:, longest_first]
    axes[:, 0] *= np.linalg.det(axes)
    middle_mm = (centre_mm[0] + block.x_mm, centre_mm[1] + block.y_mm, block.foot_mm + block.upright_mm / 2)
    return Solid(
        np.array(middle_mm),
        turn_z(np.radians(block.turn_deg)) @ axes,
        size_mm[longest_first] / 2,
        paint=WOOD_BGR,
        seed=seed,
    )


@cache
def front_pose() -> Pose:
    """The pose of a camera on a low tripod, 93 cm in front of the spaces."""
    ahead = (AIM_MM - EYE_MM) / np.linalg.norm(AIM_MM - EYE_MM)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    return Pose(*CAMERA.lens(WIDTH_PX), rotation, -rotation @ EYE_MM)


def front_scene() -> dict[str, Any]:
    """The fields of a scene file that a reader of stacks needs."""
    return {
        "camera": camera_fields(CAMERA, front_pose()),
        "space_centres_mm": [list(centre) for centre in centres_mm()],
        "block_mm_long_mid_short": list(BLOCK_MM),
    }


@cache
def backdrop() -> np.ndarray:
    """The table and the wall behind it under the lamp, (HEIGHT_PX, WIDTH_PX, 3) float32 BGR 0..1."""
    ((_x, edge_px),) = front_pose().project(np.array([[0.0, TABLE_ENDS_MM, 0.0]]))
    horizon = round(float(edge_px))
    fade = np.linspace(1 + WALL_FADES, 1, horizon, dtype=np.float32)[:, None, None]
    canvas = np.empty((HEIGHT_PX, WIDTH_PX, 3), np.float32)
    canvas[:horizon] = np.array(WALL_BGR, np.float32) * fade
    canvas[horizon:] = np.array(TABLE_BGR, np.float32)
    weave = np.random.default_rng(5).normal(0, 1, canvas.shape[:2]).astype(np.float32)
    canvas *= 1 + 0.05 * cv2.GaussianBlur(weave, (0, 0), 1.5)[..., None]
    open_sky = float((LAMP.strength * LAMP.towards[:, 2]).sum()) + LAMP.ambient
    canvas *= np.float32(open_sky)
    lay_mat(canvas)
    return canvas


def lay_mat(canvas: np.ndarray) -> None:
    """Draws the printed mat under the stacks, its spaces where they stand."""
    printed = mat(MAT)
    paper = cv2.GaussianBlur(mat_picture(printed, MAT_PX_PER_MM), (0, 0), MAT_BLUR_PX).astype(np.float32) / 255
    tall, wide = paper.shape[:2]
    source = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32) - 0.5
    back_mm = printed.zones_of(Kind.SPACE)[0].middle_mm[1]
    corners_px = front_pose().project(paper_corners_mm(printed) - (0.0, back_mm, 0.0)).astype(np.float32)
    to_frame = cv2.getPerspectiveTransform(source, corners_px)
    size = (2 * WIDTH_PX, 2 * HEIGHT_PX)  # From so low the far lines would flicker if they were not drawn finer.
    twice = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1.0]])
    fine = cv2.warpPerspective(paper * PAPER_LIGHT, twice @ to_frame, size, flags=cv2.INTER_AREA)
    inside = cv2.warpPerspective(np.ones((tall, wide), np.float32), twice @ to_frame, size)
    size = (WIDTH_PX, HEIGHT_PX)
    drawn, share = (cv2.resize(picture, size, interpolation=cv2.INTER_AREA) for picture in (fine, inside))
    canvas += drawn - share[..., None] * canvas
