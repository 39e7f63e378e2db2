"""Reads dice in stacks: read the tops → cut out each stack → tell its height → drop side faces → accept or ask.

A camera that is not straight above sees a stack lean away from it: below the top face, towards the foot, lie as many
side faces as there are levels. The pose tells the direction and the amount, so every stack is cut out upright at one
scale, and a small network looks at it. A second network tells the height from that and from what all stacks of the
picture have in common, as the size of a face tells more beside the others. The spacing of the pips of each top face is
measured, too, and all heights of a picture are weighed together. People are asked about what stays in doubt.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from companion.errors import BadInput
from companion.game.readings import Box, DieReading, StackReading, StacksReading
from companion.words import _
from vision.dice.reader import default_reader
from vision.models.network import Network, load_network, softmax
from vision.scene.pose import Pose
from vision.scene.scene import Scene
from vision.stacks.heights import log_growths_of, weigh_heights
from vision.stacks.pip_spacing import spacing_of

MOST_LEVELS = 4  # ST-33: the fourth die captures the stack.
HEIGHTS = range(1, MOST_LEVELS + 1)
WIDE_PX, TALL_PX = 80, 144  # A crop has this size; as trained.
# A top face two levels up has this side; as trained. A level makes it 1.4 to 3.4 % larger, which must show.
FACE_PX = 32
TOP_Y_PX = 36  # The middle of the top face lies there in the crop; as trained.
SHIFTS_PX = ((0.0, 0.0), (1.2, -1.0), (-1.2, 1.0))  # Cuts with these shifts vote; every second one is mirrored.
OWN_FEATURES, SHARED_FEATURES = 64, 48  # A stack has so many, and all stacks of a picture share so many; as trained.
LEAN_SCALE, NEARER_SCALE = 2.0, 40.0  # A lean and a nearer top come to about one by these; as trained.
LEVEL_PX = 20  # Each level below the top face is so tall; as trained.
EDGE_PX = 14  # Farther out from the middle the near edges of a top face may be steep.
MARK_PX = 5  # The mark about the middle of another top face has this radius; as trained.
LEAST_LEAN = 0.02  # Rows are stretched by no smaller lean, in sides a level; as trained.
LEAST_EYE = 2 * MOST_LEVELS  # Nearer, in sides of a die, a level is no small step.
SEEN_SIZE = (0.9, 1.2)  # The reader of dice sees top faces about 1.07 times as large as die_size_mm.
ACCEPT_HEIGHT = 0.95  # A higher mean probability of a height asks more and errs less.
HIDDEN_REACH = 0.75  # A face closer, in sides, to the line from a top to its foot belongs to a lower die.
APART = 0.9  # The middles of two stacks are hardly nearer than that, in sides.
BOTH_STAND = 0.6  # Where one face lies on the sides below the other, both stand with at least this probability.


@dataclass(frozen=True, eq=False)
class Cut:
    """The way a stack is cut out of a picture.

    matrix    (2, 3) from the picture to the upright stack under a top face
    lean      shift from one level to the next, in sides
    nearer    how much larger a face one level higher looks, as a share
    turn_deg  turn of the top face once the stack is upright
    """

    matrix: np.ndarray
    lean: float
    nearer: float
    turn_deg: float


@cache
def height_networks() -> tuple[Network, Network]:
    """The network that looks at each stack, and the one that tells its height beside the others."""
    return load_network("stack-reader"), load_network("stack-heights")


def read_stacks(frame_bgr: np.ndarray, scene: Scene | None) -> StacksReading:
    """All stacks of a frame (h, w, 3) uint8; BadInput says what the scene lacks."""
    scene = scene or Scene()
    if scene.die_size_mm is None:
        raise BadInput(_("The scene has no die_size_mm. Measure the side of a die and write it there."))
    pose = scene.pose(frame_bgr)
    reading = default_reader().read(frame_bgr, scene)
    looked = height_chances(frame_bgr, pose, scene.die_size_mm, reading.dice)
    chances_in_all = with_spacings(looked, frame_bgr, pose, scene.die_size_mm, reading.dice)
    ratio = size_ratio(pose, scene.die_size_mm, reading.dice, chances_in_all.argmax(axis=1) + 1)
    size_fits = SEEN_SIZE[0] < ratio < SEEN_SIZE[1]
    stacks = [
        stack_of(die, pose, scene.die_size_mm, chances, size_fits=size_fits)
        for die, chances in zip(reading.dice, chances_in_all, strict=True)
    ]
    tops = tuple(stack for stack in stacks if not any(is_under(stack, other, pose, scene) for other in stacks))
    unread = tuple(box for box in reading.unread if not any(covers(stack, box, pose, scene) for stack in tops))
    return StacksReading(reading.width, reading.height, tops, unread)


def size_ratio(pose: Pose, side_mm: float, dice: tuple[DieReading, ...], levels: np.ndarray) -> float:
    """The median size of the top faces, as seen, over the size expected on stacks with those levels (n,)."""
    ratios = []
    for die, high in zip(dice, levels, strict=True):
        top = pose.on_plane(np.array([die.cx, die.cy]), float(high) * side_mm)
        middle, right, far = pose.project(top + np.array([[0, 0, 0], [side_mm, 0, 0], [0, side_mm, 0]]))
        area_px = abs(float(np.linalg.det(np.stack([right - middle, far - middle]))))
        turn = np.radians(die.angle_deg)
        # The square lies in its upright box.
        side_px = np.sqrt(die.w * die.h) / (abs(np.cos(turn)) + abs(np.sin(turn)))
        ratios.append(side_px / max(np.sqrt(area_px), 1e-6))
    return float(np.median(ratios)) if ratios else 1.0


def height_chances(frame_bgr: np.ndarray, pose: Pose, side_mm: float, dice: tuple[DieReading, ...]) -> np.ndarray:
    """(n, 4) probabilities of the heights 1 to 4 under each top face: the mean over slightly different cuts."""
    total = np.zeros((len(dice), MOST_LEVELS))
    if not dice:
        return total
    reader, height_network = height_networks()
    middles = np.array([[die.cx, die.cy] for die in dice])
    others = [np.delete(middles, i, axis=0) for i in range(len(dice))]
    for number, shift_px in enumerate(SHIFTS_PX):
        cuts = [cut_of(pose, side_mm, np.array([die.cx, die.cy]) + shift_px, die.angle_deg) for die in dice]
        crops = np.stack([cut_stack(frame_bgr, cut) for cut in cuts])
        marks = np.stack([marks_of(cut, beside) for cut, beside in zip(cuts, others, strict=True)])
        if number % 2:  # A stack in the mirror leans the same way.
            crops, marks = crops[:, :, ::-1], marks[:, :, ::-1]
        features = reader.run(network_input(crops, marks, cuts))[0]
        features[:, OWN_FEATURES:] = features[:, OWN_FEATURES:].mean(axis=0)
        total += [softmax(scores) for scores in height_network.run(features)[0].reshape(len(dice), MOST_LEVELS)]
    return total / len(SHIFTS_PX)


def with_spacings(
    chances: np.ndarray, frame_bgr: np.ndarray, pose: Pose, side_mm: float, dice: tuple[DieReading, ...]
) -> np.ndarray:
    """The probabilities (n, 4), weighed with the spacings of the pips of all top faces."""
    eye_mm = float(pose.eye_mm[2])
    if eye_mm < LEAST_EYE * side_mm:
        return chances
    spacings = [spacing_of(frame_bgr, pose, side_mm, die) for die in dice]
    kinds = [(die.colour, die.value) for die in dice]
    return weigh_heights(chances, spacings, kinds, log_growths_of(eye_mm, side_mm, HEIGHTS))


def cut_of(pose: Pose, side_mm: float, top_px: np.ndarray, turn_deg: float) -> Cut:
    """The cut of the stack under a top face with that turn in the picture, as if it were two levels high."""
    top = pose.on_plane(top_px, 2 * side_mm)
    corners = np.array([[0, 0, 0], [0, 0, -1], [0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0], [0, -0.5, 0]]) * side_mm
    here, below, right, left, far, near = pose.project(top + corners)
    side_px = float(np.sqrt(np.linalg.norm(right - left) * np.linalg.norm(far - near)))
    down = below - here
    scale = FACE_PX / side_px
    angle = np.arctan2(down[0], down[1])
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shift = np.array([WIDE_PX / 2, TOP_Y_PX]) - turn @ np.asarray(top_px, np.float64)
    away_mm = float(pose.rotation[2] @ top + pose.shift_mm[2])
    nearer = -float(pose.rotation[2, 2]) * side_mm / away_mm
    lean = float(np.linalg.norm(down) / side_px)
    return Cut(np.hstack([turn, shift[:, None]]), lean, nearer, turn_deg + float(np.degrees(angle)))


def cut_stack(picture_bgr: np.ndarray, cut: Cut) -> np.ndarray:
    """The crop (144, 80, 3), upright, every level LEVEL_PX tall; large dice are reduced first, against aliasing."""
    back = cv2.invertAffineTransform(cut.matrix).astype(np.float32)
    rows, columns = level_rows(cut), np.arange(WIDE_PX, dtype=np.float32)
    at_x, at_y = (columns * line[0] + rows * line[1] + line[2] for line in back)
    reduced = float(np.hypot(cut.matrix[0, 0], cut.matrix[0, 1]))
    if reduced < 0.6:
        blur_px = int(0.6 / reduced) + 1
        height, width = picture_bgr.shape[:2]
        left, right = np.clip([at_x.min() - blur_px, at_x.max() + blur_px + 2], 0, width - 1).astype(int).tolist()
        top, bottom = np.clip([at_y.min() - blur_px, at_y.max() + blur_px + 2], 0, height - 1).astype(int).tolist()
        picture_bgr = cv2.blur(picture_bgr[top : bottom + 1, left : right + 1], (blur_px, blur_px))
        at_x, at_y = at_x - left, at_y - top
    return cv2.remap(picture_bgr, at_x, at_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def level_rows(cut: Cut) -> np.ndarray:
    """(144, 80) float32: the row of the upright stack that each pixel of the crop shows.

    Below the near edges of the top face, levels lie one under the other with edges of the same shape. They are
    stretched to LEVEL_PX, however little the stack leans.
    """
    near = near_edges(cut, np.arange(WIDE_PX))
    below = np.arange(TALL_PX)[:, None] - near
    rows: np.ndarray = near + below * np.where(below > 0, 1 / stretch_of(cut), 1)
    return rows.astype(np.float32)


def near_edges(cut: Cut, columns: np.ndarray) -> np.ndarray:
    """The rows of the top face's near edges in these columns."""
    flat = (1 + cut.lean**2) ** -0.25  # A face seen aslant is less tall than wide.
    beside = np.clip(columns - WIDE_PX / 2, -EDGE_PX, EDGE_PX)
    angles = np.radians(cut.turn_deg + 90 * np.arange(4))
    facing = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    edges = [(FACE_PX / 2 - x * flat * beside) / y for x, y in facing if y > 1e-6]
    near: np.ndarray = TOP_Y_PX + flat * np.min(edges, axis=0)
    return near


def stretch_of(cut: Cut) -> float:
    """The factor by which rows below the near edges are taller in the crop."""
    return LEVEL_PX / (FACE_PX * max(cut.lean, LEAST_LEAN))


def marks_of(cut: Cut, others_px: np.ndarray) -> np.ndarray:
    """(144, 80) uint8, 1 in the crop around the middles (n, 2) of other top faces, as their sides are their own."""
    marks = np.zeros((TALL_PX, WIDE_PX), np.uint8)
    upright = np.asarray(others_px, np.float64).reshape(-1, 2) @ cut.matrix[:, :2].T + cut.matrix[:, 2]
    below = upright[:, 1] - near_edges(cut, upright[:, 0])
    rows = upright[:, 1] + np.where(below > 0, below * (stretch_of(cut) - 1), 0)
    for column, row in zip(upright[:, 0], rows, strict=True):
        if abs(column - WIDE_PX / 2) < WIDE_PX and abs(row) < 2 * TALL_PX:
            cv2.circle(marks, (round(column), round(row)), MARK_PX, 1, cv2.FILLED)
    return marks


def network_input(crops: np.ndarray, marks: np.ndarray, cuts: list[Cut]) -> np.ndarray:
    """(n, 6, 144, 80) float: colours of mean 0 and deviation 1, lean, nearer, marks.

    crops   (n, 144, 80, 3) uint8
    marks   (n, 144, 80), see `marks_of`
    """
    planes = crops.astype(np.float32).transpose(0, 3, 1, 2)
    middle = planes.mean(axis=(1, 2, 3), keepdims=True)
    spread = planes.std(axis=(1, 2, 3), keepdims=True) + 4
    constants = np.array([[LEAN_SCALE * cut.lean, NEARER_SCALE * cut.nearer] for cut in cuts], np.float32)
    flat = np.broadcast_to(constants[:, :, None, None], (len(crops), 2, TALL_PX, WIDE_PX))
    return np.concatenate([(planes - middle) / spread, flat, marks[:, None].astype(np.float32)], axis=1)


def stack_of(
    die: DieReading, pose: Pose, side_mm: float, chances: np.ndarray, *, size_fits: bool = True
) -> StackReading:
    height = int(chances.argmax()) + 1
    x_mm, y_mm, _ = pose.on_plane(np.array([die.cx, die.cy]), height * side_mm)
    return StackReading(
        top=die,
        height=height,
        height_accepted=size_fits and bool(chances.max() >= ACCEPT_HEIGHT),
        chances=tuple(round(float(chance), 4) for chance in chances),
        x_mm=float(x_mm),
        y_mm=float(y_mm),
    )


def body_px(stack: StackReading, pose: Pose, scene: Scene) -> tuple[np.ndarray, np.ndarray, float]:
    """The middle of a stack's top face and of its foot in px, and the side of a die there in px."""
    side = scene.die_size_mm or 0.0
    top = np.array([stack.x_mm, stack.y_mm, stack.height * side])
    head, foot, beside = pose.project(np.array([top, [stack.x_mm, stack.y_mm, 0], top + np.array([side, 0, 0])]))
    return head, foot, float(np.linalg.norm(beside - head))


def covers(stack: StackReading, place: Box, pose: Pose, scene: Scene) -> bool:
    """Whether a place lies on the sides of a stack, below its top face."""
    head, foot, side_px = body_px(stack, pose, scene)
    along = foot - head
    length = float(np.linalg.norm(along))
    at = np.array([place.cx, place.cy]) - head
    share = float(np.clip(at @ along / max(length, 1e-6) ** 2, 0, 1))
    return (
        float(np.linalg.norm(at - share * along)) < HIDDEN_REACH * side_px and float(np.linalg.norm(at)) > 0.2 * side_px
    )


def is_under(stack: StackReading, other: StackReading, pose: Pose, scene: Scene) -> bool:
    """Whether what looks like a top face is a side or a lower die of another stack, and no stack in front of it."""
    if stack is other:
        return False
    box = Box(stack.top.cx, stack.top.cy, stack.top.w, stack.top.h)
    reverse = Box(other.top.cx, other.top.cy, other.top.w, other.top.h)
    below = covers(other, box, pose, scene) and not covers(stack, reverse, pose, scene)
    return below and both_stand(stack, other, pose, scene.die_size_mm or 0.0) < BOTH_STAND


def both_stand(stack: StackReading, other: StackReading, pose: Pose, side_mm: float) -> float:
    """The probability that two top faces are so high that both stacks have room side by side."""
    mine, its = (
        np.array([pose.on_plane(np.array([stack_here.top.cx, stack_here.top.cy]), up * side_mm)[:2] for up in HEIGHTS])
        for stack_here in (stack, other)
    )
    apart = np.linalg.norm(mine[:, None] - its[None], axis=-1) > APART * side_mm
    return float(np.array(stack.chances) @ apart @ np.array(other.chances))
