"""The room around block stacks: table, mats, wall and things in front of it, light and camera."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.scene.pose import Pose, turn_z
from vision.tower.blocks import Lighting
from vision.training.drawn.tables import TABLES, as_bytes, colour, ink, lay_table, noise, paint
from vision.training.drawn.tower_designs import Kit
from vision.training.labelled import Rng, through_jpeg

WIDTH, HEIGHT = 1280, 960
TABLE_PX, TABLE_MM = 1200, 1500.0


def random_pose(rng: Rng, wide: bool) -> Pose:
    """A camera 64 to 98 cm in front of the spaces and 12 to 30 cm high, aimed a little above the table."""
    far = rng.uniform(820, 980) if wide else rng.uniform(640, 820)
    around = np.radians(np.clip(rng.normal(0, 8), -18, 18))
    eye = np.array([far * np.sin(around), -far * np.cos(around), rng.uniform(120, 305)])
    aim = np.array([rng.normal(0, 8), 0, rng.uniform(110, 165)])
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    rotation = turn_z(rng.normal(0, np.radians(0.7))) @ rotation
    focal = rng.uniform(1750, 2000)
    intrinsics = np.array([[focal, 0, (WIDTH - 1) / 2], [0, focal, (HEIGHT - 1) / 2], [0, 0, 1]])
    distortion = np.array([rng.uniform(-0.03, 0.03), 0, 0, 0, 0])
    return Pose(intrinsics, distortion, rotation, -rotation @ eye)


def nudge_pose(rng: Rng, pose: Pose) -> Pose:
    """The camera, bumped by a few millimetres and half a degree."""
    turn, _ = cv2.Rodrigues(rng.normal(0, np.radians(0.5), 3))
    eye = pose.eye_mm + rng.normal(0, 2, 3)
    rotation = turn @ pose.rotation
    return replace(pose, rotation=rotation, shift_mm=-rotation @ eye)


@dataclass(frozen=True)
class Room:
    """All that pictures of one table share: table top, wall and things in front of it, light, white balance."""

    table: np.ndarray
    wall: np.ndarray
    back_mm: float
    light: Lighting
    cast: np.ndarray
    exposure: float
    gamma: float
    noise: float
    blur_px: float
    far_blur_px: float


def random_room(rng: Rng, kit: Kit, centres: list[tuple[float, float]]) -> Room:
    table = lay_table(rng, TABLE_PX, 16 * TABLE_PX / TABLE_MM) if rng.random() < 0.4 else plain_top(rng)
    if rng.random() < 0.75:
        for number, centre in enumerate(centres):
            lay_mat(rng, table, number + 1, centre)
    back = rng.uniform(200, 520)
    main = np.array([rng.normal(0, 0.7), rng.normal(-0.1, 0.8), rng.uniform(0.5, 1.6)])
    if rng.random() < 0.12:
        main = np.array([rng.normal(0, 0.4), rng.uniform(0.8, 1.6), 0.8])  # against the light
    width = rng.choice([0.02, 0.1, 0.25])
    towards = main / np.linalg.norm(main) + rng.normal(0, width, (4, 3))
    diffuse = rng.uniform(0.25, 0.95)
    light = Lighting(
        towards / np.linalg.norm(towards, axis=1, keepdims=True), np.full(4, diffuse / 4), rng.uniform(0.3, 0.75)
    )
    return Room(
        table=table,
        wall=random_wall(rng, kit),
        back_mm=back,
        light=light,
        cast=np.exp(rng.normal(0, 0.12, 3)),
        exposure=float(np.exp(rng.normal(-0.05, 0.25))),
        gamma=float(np.exp(rng.normal(0, 0.15))),
        noise=rng.uniform(0.003, 0.03),
        blur_px=rng.uniform(0, 1.3),
        far_blur_px=rng.uniform(0, 5),
    )


def plain_top(rng: Rng) -> np.ndarray:
    kind = rng.integers(4)
    return TABLES[(0, 1, 2, 3)[kind]](rng, TABLE_PX, 16 * TABLE_PX / TABLE_MM)


def lay_mat(rng: Rng, table: np.ndarray, number: int, centre: tuple[float, float]) -> None:
    """Draws a sheet of paper with a coloured border and the number of the space."""
    scale = TABLE_PX / TABLE_MM
    half = rng.uniform(52, 66) * scale
    x, y = TABLE_PX / 2 + centre[0] * scale, TABLE_PX * 0.6 - centre[1] * scale
    paper = tuple(float(v) for v in rng.uniform(215, 255) * np.ones(3))
    rim_ink = paint(colour(rng, 0.8))
    outer, inner = (int(x - half), int(y - half)), (int(x + half), int(y + half))
    cv2.rectangle(table, outer, inner, paper, -1)
    rim = int(5 * scale) + 1
    cv2.rectangle(
        table, (outer[0] + rim, outer[1] + rim), (inner[0] - rim, inner[1] - rim), rim_ink, int(3 * scale) + 1
    )
    at = (outer[0] + 2 * rim, inner[1] - 2 * rim)
    cv2.putText(table, str(number), at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (30, 30, 30), 2, cv2.LINE_AA)


def random_wall(rng: Rng, kit: Kit) -> np.ndarray:
    """(900, 1500, 3) uint8, a millimetre a pixel: a wall with books, vases, boxes and frames in front of it."""
    height, width = 900, 1500
    if rng.random() < 0.6:
        base = np.ones((height, width, 3), np.float32) * colour(rng, 0.4)
        base += (noise(rng, height, width, rng.uniform(10, 200)) * rng.uniform(0, 0.08))[..., None]
        wall = as_bytes(base)
    else:
        wall = cv2.resize(TABLES[rng.integers(6)](rng, 750, rng.uniform(20, 60)), (width, height))
    if rng.random() < 0.3:
        for x in np.arange(rng.uniform(0, 150), width, rng.uniform(90, 220)):
            cv2.line(wall, (int(x), 0), (int(x), height), tuple(float(v) for v in wall[0, 0] * 0.8), 2)
    if rng.random() < 0.4:
        x, y, w, h = rng.uniform(0, 1100), rng.uniform(0, 300), rng.uniform(100, 400), rng.uniform(100, 350)
        cv2.rectangle(wall, (int(x), int(y)), (int(x + w), int(y + h)), ink(rng), -1)
        cv2.rectangle(wall, (int(x), int(y)), (int(x + w), int(y + h)), ink(rng), 6)
        for _ in range(rng.integers(0, 7)):
            at = (int(x + w * rng.random()), int(y + h * rng.random()))
            cv2.circle(wall, at, int(rng.uniform(5, 50)), paint(colour(rng, 0.9)), -1, cv2.LINE_AA)
    shelf = int(rng.uniform(0, 25))
    x = rng.uniform(-100, 200)
    while x < width and rng.random() < 0.97:
        stand_thing(rng, wall, x, height - shelf, kit)
        x += rng.uniform(15, 60) if rng.random() < 0.85 else rng.uniform(60, 400)
    strip = kit.paint * 0.8 if rng.random() < 0.4 else colour(rng, 0.3)
    cv2.rectangle(wall, (0, height - shelf), (width, height), paint(strip), -1)
    return wall


def stand_thing(rng: Rng, wall: np.ndarray, x: float, foot: int, kit: Kit) -> None:
    body = colour(rng, 0.6)
    if rng.random() < 0.12:
        body = np.clip(kit.paint * rng.uniform(0.7, 1.1), 0, 1)  # wood behind wood
    front, side = paint(body), paint(body * rng.uniform(0.5, 0.9))
    if rng.random() < 0.06:
        wide, tall = rng.uniform(25, 70), rng.uniform(100, 320)
        cv2.ellipse(wall, (int(x), int(foot - tall / 2)), (int(wide), int(tall / 2)), 0, 0, 360, front, -1, cv2.LINE_AA)
        cv2.ellipse(wall, (int(x - wide / 3), int(foot - tall / 2)), (int(wide / 6), int(tall / 3)), 0, 0, 360,
                    tuple(min(255.0, v + 60) for v in front), -1, cv2.LINE_AA)  # fmt: skip
        return
    wide, tall = rng.uniform(15, 55), rng.uniform(90, 330)
    cv2.rectangle(wall, (int(x), int(foot - tall)), (int(x + wide), foot), front, -1)
    cv2.rectangle(wall, (int(x + wide), int(foot - tall)), (int(x + wide + rng.uniform(2, 30)), foot), side, -1)
    label = paint(colour(rng, 0.2))
    for at in (0.08, 0.88):
        y = int(foot - tall * at)
        cv2.line(wall, (int(x), y), (int(x + wide), y), label, 3)
    cv2.rectangle(wall, (int(x + wide * 0.35), int(foot - tall * 0.7)), (int(x + wide * 0.65), int(foot - tall * 0.3)),
                  label, -1)  # fmt: skip


def draw_room(room: Room, pose: Pose) -> np.ndarray:
    """The table with the wall behind it, (h, w, 3) float32 BGR 0..1."""
    half, front = TABLE_MM / 2, TABLE_PX * 0.6 * TABLE_MM / TABLE_PX
    table_mm = np.array(
        [[-half, front, 0], [half, front, 0], [half, front - TABLE_MM, 0], [-half, front - TABLE_MM, 0]]
    )
    table_mm[2:, 1] = np.maximum(table_mm[2:, 1], pose.eye_mm[1] + 60)
    scale = TABLE_PX / TABLE_MM
    table_px = np.stack([table_mm[:, 0] * scale + TABLE_PX / 2, TABLE_PX * 0.6 - table_mm[:, 1] * scale], axis=1)
    canvas = seen_plane(room.table, table_px, table_mm, pose, cv2.BORDER_REFLECT)
    tall, wide = room.wall.shape[:2]
    foot = -30.0
    wall_mm = np.array(
        [[-wide / 2, room.back_mm, foot + tall], [wide / 2, room.back_mm, foot + tall],
         [wide / 2, room.back_mm, foot], [-wide / 2, room.back_mm, foot]]
    )  # fmt: skip
    wall_px = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], float)
    wall = seen_plane(room.wall, wall_px, wall_mm, pose, cv2.BORDER_REFLECT)
    if room.far_blur_px > 0.3:
        wall = cv2.GaussianBlur(wall, (0, 0), room.far_blur_px)
    behind = np.zeros(canvas.shape[:2], np.float32)
    edge = np.array([[-2000, room.back_mm, 0], [2000, room.back_mm, 0]], float)
    (x0, y0), (x1, y1) = pose.project(edge)
    outline = np.array([[x0, y0], [x1, y1], [x1, -500], [x0, -500]])
    cv2.fillConvexPoly(behind, np.round(outline).astype(np.int32), 1.0, cv2.LINE_AA)
    return (canvas * (1 - behind[..., None]) + wall * behind[..., None]).astype(np.float32) / 255


def seen_plane(art: np.ndarray, art_px: np.ndarray, world_mm: np.ndarray, pose: Pose, border: int) -> np.ndarray:
    straight = replace(pose, distortion=np.zeros(5))  # distortion matters for blocks, not for a backdrop
    matrix = cv2.getPerspectiveTransform(art_px.astype(np.float32), straight.project(world_mm).astype(np.float32))
    return cv2.warpPerspective(art, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=border)


def photograph(rng: Rng, room: Room, canvas: np.ndarray) -> np.ndarray:
    """The picture as a camera takes it, uint8 BGR: white balance, exposure, blur, noise, JPEG."""
    picture: np.ndarray = canvas * room.cast.astype(np.float32) * np.float32(room.exposure)
    if room.blur_px > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), room.blur_px)
    picture = np.clip(picture, 0, 1) ** np.float32(room.gamma)
    picture = picture + np.float32(room.noise) * rng.standard_normal(picture.shape, np.float32)
    done = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    return through_jpeg(done, 88)
