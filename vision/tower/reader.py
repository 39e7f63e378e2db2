"""Reads stacks of wooden blocks from the front: the status and blocks of each space, and whether it equals the
reference.

All is done in millimetres. Each space is cut out straight from the front (`vision.tower.crop`), a small network finds
fronts of blocks and their edges (`vision.tower.maps`), and the build that explains these best is searched
(`vision.tower.fit`). Builds are compared, not pictures (`vision.tower.match`), as the reference may have been taken
from another place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.equipment.deck import OWN_DECK, Card
from companion.errors import BadInput
from companion.game.readings import BlockReading, MatchReading, SpaceReading, Status, TowerReading
from companion.words import _
from vision.cameras.health import shows_nothing
from vision.scene.scene import Scene, StackReference
from vision.tower.blocks import Solid
from vision.tower.crop import Front, front_of
from vision.tower.fit import CYLINDER, Build, Placed, best_build, ways_of
from vision.tower.maps import STATUSES, Maps, look_at
from vision.tower.match import Side, card_build, compare

ACCEPT_STATUS = 0.98  # Below that, a person is asked what stands there.
LEAST_BLOCK_PX = 60  # Smaller spots of a heap are noise.
# A build is believed against the network if at most this share of the visible fronts is left over and at most this
# share of any block's front is missing; heaps leave more. Up to DOUBTFUL_LEFT_OVER left over, a person is asked.
MOST_LEFT_OVER, MOST_HOLLOW, DOUBTFUL_LEFT_OVER = 0.06, 0.14, 0.26
LEAST_AWAY_MM = 50.0  # No space is nearer to the camera.
LIFTS_PX = (-9, -6, -3, 0, 3, 6, 9)  # A reference whose camera is known only roughly may be so far off in height.


@dataclass(frozen=True, eq=False)
class SpaceLook:
    """One space as seen in a picture.

    in_view       False: the picture does not show all that may stand there
    is_doubtful   the network sees no stack, yet standing blocks would explain most of what is seen
    """

    front: Front
    maps: Maps
    status: Status
    build: Build
    in_view: bool
    is_doubtful: bool = False


def read_tower(
    frame_bgr: np.ndarray,
    scene: Scene | None,
    reference_bgr: np.ndarray | None = None,
    reference_scene: Scene | None = None,
    card: Card | None = None,
) -> TowerReading:
    """All stacking spaces of a frame (h, w, 3) uint8; BadInput says what a scene lacks.

    reference_bgr    a picture whose first stack is the one to compare with
    reference_scene  scene of that picture; without it the camera stood in roughly the same place
    card             the card to compare with if there is no picture

    Without both, each stack is compared with the scene's reference for its space.
    """
    if reference_bgr is not None:
        return read_beside(frame_bgr, scene, reference_side(reference_bgr, scene, reference_scene))
    if card is not None and scene is not None and scene.block_mm is not None:
        return read_beside(frame_bgr, scene, Side(card_build(card, ways_of(scene.block_mm, scene.cylinder_mm))))
    return read_tower_like(frame_bgr, scene, {} if scene is None else scene.references)


def read_beside(frame_bgr: np.ndarray, scene: Scene | None, reference: Side) -> TowerReading:
    """All stacking spaces of a frame; each stack is compared with the reference."""
    spaces = find_stacks(frame_bgr, scene)
    return reading_of(frame_bgr, scene, spaces, dict.fromkeys(range(1, len(spaces) + 1), reference))


def read_tower_like(
    frame_bgr: np.ndarray, scene: Scene | None, references: Mapping[int, StackReference]
) -> TowerReading:
    """All stacking spaces of a frame; each stack is compared with the one in `references` for its space.

    An unknown card and an empty space are no reference.
    """
    spaces = find_stacks(frame_bgr, scene)
    sides: dict[int, Side] = {}
    for space, reference in references.items():
        card = None if reference.card is None else OWN_DECK.cards.get(reference.card)
        if card is not None and scene is not None and scene.block_mm is not None:
            ways = ways_of(scene.block_mm, scene.cylinder_mm)
            sides[space] = Side(card_build(card, ways))
        elif reference.space is not None and 1 <= reference.space <= len(spaces):
            model = spaces[reference.space - 1]
            if model.build.pieces:
                sides[space] = side_of(model)
    return reading_of(frame_bgr, scene, spaces, sides)


def reading_of(
    frame_bgr: np.ndarray, scene: Scene | None, looks: Sequence[SpaceLook], sides: Mapping[int, Side]
) -> TowerReading:
    """The reading of the spaces in a frame; `sides` are the references by space."""
    height, width = frame_bgr.shape[:2]
    misplaced_mm = (scene or Scene()).misplaced_mm
    numbered = enumerate(looks, start=1)
    spaces = tuple(space_reading(number, space, sides.get(number), misplaced_mm) for number, space in numbered)
    return TowerReading(width, height, spaces)


def find_stacks(frame_bgr: np.ndarray, scene: Scene | None, lifts_px: Sequence[int] = (0,)) -> list[SpaceLook]:
    """The stack or its absence in each space of the table; BadInput says what the scene lacks.

    lifts_px    shifts in height that are tried, in pixels of the crop
    """
    scene = scene or Scene()
    if scene.block_mm is None:
        raise BadInput(_("The scene has no block_mm_long_mid_short. Measure a block and write its three edges there."))
    if not scene.spaces_mm:
        raise BadInput(_("The scene has no space_centres_mm. Calibrate the table, and the page writes it."))
    if min(frame_bgr.shape[:2]) < 2:
        raise BadInput(_("The picture is too small. Take it with the calibrated camera."))
    pose = scene.pose(frame_bgr)
    ways = ways_of(scene.block_mm, scene.cylinder_mm)
    fronts = [front_of(pose, centre, sorted(scene.block_mm)[1]) for centre in scene.spaces_mm]
    if min(front.away_mm for front in fronts) < LEAST_AWAY_MM:
        raise BadInput(_("The scene says the camera isn't in front of the stacking spaces. Calibrate it again."))
    places = np.array([front.centre_mm[0] for front in fronts])
    gaps_mm = np.diff(np.sort(places))
    reach_mm = float(gaps_mm.min()) / 2 if len(gaps_mm) else np.inf
    blind = shows_nothing(frame_bgr)
    looks = []
    for front, maps in zip(fronts, look_at([front.cut(frame_bgr) for front in fronts]), strict=True):
        lifted = [raise_maps(maps, lift) for lift in lifts_px]
        builds = [best_build(candidate, front, ways, reach_mm) for candidate in lifted]
        best = max(range(len(builds)), key=lambda i: builds[i].evidence)
        in_view = not blind and is_in_view(front, builds[best], scene, frame_bgr)
        looks.append(space_look(front, lifted[best], builds[best], in_view))
    return looks


def space_look(front: Front, maps: Maps, build: Build, in_view: bool) -> SpaceLook:
    """A space with the status that the network gives, unless standing blocks explain all that is seen.

    Low, wide and half-built stacks, and those beside the middle, are rare among the pictures that taught the network.
    """
    status = STATUSES[int(maps.status.argmax())]
    if status is Status.STANDING:
        return SpaceLook(front, maps, status, build, in_view)
    is_doubtful = bool(build.pieces) and (status is Status.EMPTY or build.left_over <= DOUBTFUL_LEFT_OVER)
    explained = build.left_over <= MOST_LEFT_OVER and build.hollow <= MOST_HOLLOW
    if is_doubtful and (status is Status.EMPTY or explained):  # No empty space shows the front of a block.
        return SpaceLook(front, maps, Status.STANDING, build, in_view, is_doubtful)
    return SpaceLook(front, maps, status, Build((), 0.0, 0.0), in_view, is_doubtful)


def is_in_view(front: Front, build: Build, scene: Scene, frame_bgr: np.ndarray) -> bool:
    """Whether a frame shows a whole space, to one block above what stands there."""
    assert scene.block_mm is not None
    half_mm, high_mm = max(scene.block_mm) / 2, max(scene.block_mm)
    for piece in build.pieces:
        half_mm = max(half_mm, abs(piece.x_mm) + piece.way.across_mm / 2)
        high_mm = max(high_mm, piece.bottom_mm + piece.way.upright_mm)
    return front.sees(half_mm, high_mm + min(scene.block_mm), frame_bgr.shape[1::-1])


def raise_maps(maps: Maps, lift_px: int) -> Maps:
    """The maps as if everything stood so many pixels of the crop higher."""
    if not lift_px:
        return maps
    planes = (maps.front, maps.block, maps.level, maps.side)
    front, block, level, side = (np.roll(plane, -lift_px, axis=0) for plane in planes)
    return Maps(front, block, level, side, maps.status)


def reference_side(frame_bgr: np.ndarray, scene: Scene | None, reference_scene: Scene | None) -> Side:
    """The first stack of a reference picture; BadInput if none stands there."""
    lifts = LIFTS_PX if reference_scene is None else (0,)
    looks = find_stacks(frame_bgr, reference_scene or scene, lifts)
    standing = [space for space in looks if space.build.pieces]
    if not standing:
        raise BadInput(_("There's no stack in the reference picture. Take it again with the stack in view."))
    return side_of(standing[0])


def side_of(look: SpaceLook) -> Side:
    """The stack of a space, to be compared."""
    return Side(look.build, look.front, look.maps, look.in_view)


def space_reading(number: int, look: SpaceLook, reference: Side | None, misplaced_mm: float | None) -> SpaceReading:
    """The reading of one space, compared with the reference if there is one."""
    status = look.status
    chance = float(look.maps.status[STATUSES.index(status)])
    accepted = chance >= ACCEPT_STATUS and not look.is_doubtful
    if not look.in_view or (status is Status.STANDING and not look.build.pieces):
        accepted = False  # The space is cut off, or no block fits into the stack.
    match: MatchReading | None = None
    if reference is not None and status is Status.STANDING:
        match = compare(side_of(look), reference, misplaced_mm)
        match = replace(match, accepted=match.accepted and look.in_view and reference.in_view)
    return SpaceReading(number, status, chance, accepted, blocks_of(look), match)


def blocks_of(look: SpaceLook) -> tuple[BlockReading, ...]:
    """The outlines of a stack's blocks, from the bottom up, or of the parts of a heap."""
    if look.status is Status.COLLAPSED:
        return heap_blocks(look)
    pieces = [piece for level in look.build.levels for piece in level]
    return tuple(upright_box(look.front.pose.project(solid_of(piece, look).corners_mm())) for piece in pieces)


def solid_of(piece: Placed, look: SpaceLook) -> Solid:
    """A piece of a build as a solid in the world."""
    way, (x, y) = piece.way, look.front.centre_mm
    centre = np.array([x + piece.x_mm, y + look.build.depth_mm, piece.bottom_mm + way.upright_mm / 2])
    half = np.array([way.across_mm, way.away_mm, way.upright_mm]) / 2
    return Solid(centre, np.eye(3), half, way.name == CYLINDER)


def upright_box(pixels: np.ndarray) -> BlockReading:
    """The upright box around points (n, 2) in px."""
    (left, top), (right, bottom) = pixels.min(axis=0), pixels.max(axis=0)
    width, height = float(right - left), float(bottom - top)
    return BlockReading(float(left) + width / 2, float(top) + height / 2, width, height, 0.0)


def heap_blocks(look: SpaceLook) -> tuple[BlockReading, ...]:
    """The connected parts between the edges seen in a heap."""
    edge = np.maximum(look.maps.level, look.maps.side) > 0
    inside = ((look.maps.block > 0) & ~edge).astype(np.uint8)
    count, spots, sizes, _centres = cv2.connectedComponentsWithStats(inside, connectivity=4)
    parts = []
    for spot in range(1, count):
        if sizes[spot, cv2.CC_STAT_AREA] < LEAST_BLOCK_PX:
            continue
        outline = np.argwhere(spots == spot)[:, ::-1]
        grown = cv2.boxPoints(cv2.minAreaRect(outline.astype(np.float32)))
        points = crop_to_world(look.front, grown)
        (cx, cy), (w, h), angle = cv2.minAreaRect(look.front.pose.project(points).astype(np.float32))
        if angle > 45:
            w, h, angle = h, w, angle - 90
        parts.append(BlockReading(float(cx), float(cy), float(w), float(h), float(angle)))
    return tuple(parts)


def crop_to_world(front: Front, pixels: np.ndarray) -> np.ndarray:
    """(n, 3) points of the front plane under pixels (n, 2) of the crop."""
    corner = front.points_mm(np.array([0.5]), np.array([0.5]))[0, 0]
    steps = (pixels - 0.5) * front.mm_per_px
    return np.stack([corner[0] + steps[:, 0], np.full(len(pixels), corner[1]), corner[2] - steps[:, 1]], axis=1)
