"""Fronts of spaces, and the build found from maps that are drawn from known blocks: geometry alone, no network."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.equipment.deck import OWN_DECK
from vision.scene.pose import Pose
from vision.tower.crop import FINER, front_of
from vision.tower.evidence import EDGE_WEIGHT, SURE, Evidence
from vision.tower.fit import Build, Placed, best_build, heights_of, ways_of
from vision.tower.maps import Maps
from vision.tower.match import (
    ACCEPT_MATCH,
    BY_SHIFT,
    HOLLOW,
    LEFT_OVER,
    MEASURED_MM,
    Side,
    card_build,
    compare,
    moved_odds,
)
from vision.training.drawn.tower_designs import Kit, Part
from vision.training.drawn.towers import build_stack
from vision.training.nets.tower_net import truth_of

BLOCK_MM, ROUND_MM = (45.0, 30.0, 15.0), (30.0, 30.0)
WAYS = ways_of(BLOCK_MM, ROUND_MM)
ODDS = 3.0  # of a map that is sure


def camera(x_mm: float = 90.0, z_mm: float = 220.0) -> Pose:
    """80 cm before the space, aimed a hand's breadth above the table."""
    eye, aim = np.array([x_mm, -800.0, z_mm]), np.array([0.0, 0, 120])
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    intrinsics = np.array([[1900.0, 0, 639.5], [0, 1900, 479.5], [0, 0, 1]])
    return Pose(intrinsics, np.zeros(5), rotation, -rotation @ eye)


def seen(design: str, pose: Pose, seed: int = 1) -> Side:
    """What an errorless network would see of a design such as "up_x 0, flat_x 8", built by hand."""
    kit = Kit(BLOCK_MM, ROUND_MM, "pine", np.array([0.5, 0.6, 0.7]))
    levels = tuple(
        tuple(Part(way, float(x)) for way, x in (part.split() for part in level.split("+")))
        for level in design.split(",")
    )
    stack = build_stack(np.random.default_rng(seed), kit, levels, 1, (0.0, 0.0))
    front = front_of(pose, (0.0, 0.0), BLOCK_MM[1])
    planes = [
        cv2.GaussianBlur(plane.astype(np.float32), (3, 3), 0.7) * 2 * ODDS - ODDS
        for plane in truth_of(front, stack.solids)
    ]
    maps = Maps(*planes, np.array([1.0, 0, 0]))
    return Side(best_build(maps, front, WAYS), front, maps)


def exact(design: str) -> Side:
    """A side of pieces in exact places, as if its build were read without an error."""
    by_name = {way.name: way for way in WAYS}
    pieces, foot_mm = [], 0.0
    for number, level in enumerate(design.split(",")):
        parts = [part.split() for part in level.split("+")]
        pieces += [Placed(by_name[way], float(x), foot_mm, number) for way, x in parts]
        foot_mm += by_name[parts[0][0]].upright_mm
    return Side(Build(tuple(pieces), 0.0, 1.0))


def ways(build: Build) -> list[list[str]]:
    return [[piece.way.name for piece in level] for level in build.levels]


def test_the_front_keeps_millimetres_where_they_are():
    pose = camera()
    front = front_of(pose, (20.0, 0.0), 30.0)
    behind = np.array([[20 + 12.0, -7.5, 45.0]])
    column, row = front.columns(np.array(12.0), -7.5), front.rows(np.array(45.0), -7.5)
    under = pose.project(front.points_mm()[[round(row - 0.5)], [round(column - 0.5)]])
    assert np.abs(under - pose.project(behind)).max() < 2


def test_the_crop_shows_what_the_frame_shows():
    pose = camera()
    frame = np.zeros((960, 1280, 3), np.uint8)
    x, y = pose.project(np.array([[10.0, 0.0, 100.0]]))[0]
    cv2.circle(frame, (round(x), round(y)), 6, (255, 255, 255), -1)
    front = front_of(pose, (0.0, 0.0), 30.0)
    rows, columns = np.nonzero(front.cut(frame)[..., 0] > 128)
    assert abs((columns.mean() + 0.5) / FINER - front.columns(np.array(10.0), 0.0)) < 0.7
    assert abs((rows.mean() + 0.5) / FINER - front.rows(np.array(100.0), 0.0)) < 0.7


@pytest.mark.parametrize(
    "design",
    ["up_x 0, edge_x 8, edge_x 8, cylinder 0", "edge_x 0, flat_y 0, cylinder 0", "up_y -15+up_y 15, flat_x 0, up_x 8"],
)
@pytest.mark.parametrize("x_mm", [-150.0, 120.0])
def test_a_design_is_found_level_by_level(design: str, x_mm: float):
    ways_seen = ways(seen(design, camera(x_mm)).build)
    assert ways_seen == [[part.split()[0] for part in level.split("+")] for level in design.split(",")]


def test_planks_longer_than_a_crop_is_wide_stand_upright_at_least():
    maps = seen("up_x 0, edge_x 0", camera()).maps
    assert maps is not None
    planks = ways_of((120.0, 20.0, 8.0), None)
    assert best_build(maps, front_of(camera(), (0.0, 0.0), 20.0), planks).left_over >= 0


@pytest.mark.parametrize("edge_mm", [1650.0, 2000.0, 1e6])
def test_pieces_that_reach_to_the_camera_and_behind_it_are_in_no_build(edge_mm):
    maps = seen("up_x 0, edge_x 0", camera()).maps
    assert maps is not None
    front = front_of(camera(), (0.0, 0.0), BLOCK_MM[1])
    build = best_build(maps, front, ways_of((edge_mm, *BLOCK_MM[1:]), (edge_mm, 40.0)))
    assert all(piece.way.away_mm < edge_mm for piece in build.pieces)
    none = best_build(maps, front, ways_of((edge_mm,) * 3, None))
    assert (none.pieces, none.left_over) == ((), 1.0)


def test_levels_begin_at_every_sum_of_edges():
    assert heights_of(WAYS, 60.0).tolist() == [0, 15, 30, 45, 60]


def test_the_same_design_from_another_place_is_the_same():
    design = "flat_y 0, edge_y -8, edge_x -8, flat_x 0"
    match = compare(seen(design, camera(-120), 3), seen(design, camera(140, 160), 4))
    assert match.same
    assert match.differences == ()


@pytest.mark.parametrize(
    "other",
    [
        "flat_y 0, edge_y -8, edge_x -8",  # one missing
        "flat_y 0, edge_y -8, edge_x -8, flat_x 0, flat_x 0",  # one added
        "flat_y 0, edge_y -8, edge_x -8, flat_y 0",  # a quarter turn
        "flat_y 0, edge_y -8, edge_x -8, flat_x 18",  # moved by more than a third of edge_x
    ],
)
def test_one_block_of_another_kind_or_place_is_another_stack(other: str):
    match = compare(seen(other, camera(-60), 3), seen("flat_y 0, edge_y -8, edge_x -8, flat_x 0", camera(40), 4))
    assert not match.same
    assert len(match.differences) >= 1


def test_a_card_is_a_reference():
    card = OWN_DECK.cards[3]  # Hammer: up_x, edge_x, flat_y in a column
    assert compare(seen("up_x 0, edge_x 0, flat_y 0", camera()), Side(card_build(card, WAYS))).same
    assert not compare(seen("up_x 0, edge_x 0, flat_x 0", camera()), Side(card_build(card, WAYS))).same


@pytest.mark.parametrize(
    ("number", "design"),
    [
        (20, "up_y -37.5+up_x 0+up_y 37.5, flat_x -22.5+flat_x 22.5, flat_y 0, edge_y 0"),  # Two arches
        (32, "up_y -45+up_y -15+up_y 15+up_y 45, flat_x -30+flat_x 30, flat_x 0, edge_y 0, flat_y 0"),  # Aqueduct
    ],
)
def test_a_card_with_up_to_four_blocks_side_by_side_is_a_reference(number: int, design: str):
    card = Side(card_build(OWN_DECK.cards[number], WAYS))
    assert compare(seen(design, camera()), card).same
    assert not compare(seen(design.replace("edge_y 0", "edge_x 0"), camera()), card).same
    other = compare(seen("flat_x 0, edge_x 0", camera()), card)
    assert not other.same
    assert other.accepted


def test_a_card_with_unequal_blocks_on_a_level_is_never_surely_the_same():
    """What stands on Throne and Stairway is read without these levels, so it may leave their picture by mistake."""
    built = seen("flat_x 0, edge_x 0", camera())
    for number in (24, 39):
        card = card_build(OWN_DECK.cards[number], WAYS)
        assert not compare(built, Side(card)).same
        assert not compare(replace(built, build=card), Side(card)).accepted
    assert compare(built, Side(card_build(OWN_DECK.cards[3], WAYS))).accepted  # Hammer: one upon the other


LIKE = "flat_x 0, edge_y 0, flat_x 0, up_y -15+up_y 15, flat_x 0"


@pytest.mark.parametrize(
    ("build", "differences"),
    [
        ("flat_x 0, edge_y 8, flat_x 8, up_y -7+up_y 23, flat_x 8", ()),  # edge_y by 8 of 45 mm, all else on it
        ("flat_x 0, edge_y 20, flat_x 20, up_y 5+up_y 35, flat_x 20", ("level 2 is 20 mm too far right",)),
        ("flat_x 0, edge_y 0, flat_x -8, up_y -23+up_y 7, flat_x -8", ("level 3 is 8 mm too far left",)),  # of 15 mm
        ("flat_x 0, edge_y 0, flat_x 0, up_y -15+up_y -1, flat_x 0", ("block 2 of level 4 is 16 mm too far left",)),
        ("flat_x 0, edge_y 0, flat_x 0, up_y -15+up_y 15, flat_x 9", ()),  # of two times 15 mm
        ("flat_x 0, edge_y 0, flat_x 0, up_y -15+up_y 15, flat_x 13", ("level 5 is 13 mm too far right",)),
    ],
)
def test_an_offset_counts_from_a_third_of_what_carries_the_block(build: str, differences: tuple[str, ...]):
    """Worked by hand with blocks of 45 × 30 × 15 mm; each block is named for its own offset, not for that below it."""
    match = compare(exact(build), exact(LIKE))
    assert match.same == (not differences)
    assert match.differences == differences


def test_to_the_millimetre_eight_count_wherever_they_are():
    aside = "flat_x 0, edge_y 0, flat_x 0, up_y -15+up_y 15, flat_x 9"
    assert compare(exact(aside), exact(LIKE)).same
    match = compare(exact(aside), exact(LIKE), 3.0)
    assert not match.same
    assert match.differences == ("level 5 is 9 mm too far right",)


def test_a_stack_is_named_different_by_a_whole_mirror():
    assert not compare(exact("flat_x 0, up_y 15, cylinder 15"), exact("flat_x 0, up_y -15, cylinder -15")).same


@pytest.mark.parametrize("count", [2, 3, 4])
def test_blocks_side_by_side_are_a_level(count: int):
    level = "+".join(f"up_y {20 * number - 10 * count + 10}" for number in range(count))
    side = seen(f"{level}, flat_x 0", camera())
    assert ways(side.build) == [["up_y"] * count, ["flat_x"]]
    assert side.build.left_over < LEFT_OVER
    assert side.build.hollow < HOLLOW
    assert compare(side, side).accepted


@pytest.mark.parametrize(
    "design",
    [
        "up_y -24+edge_y 0+up_y 24, flat_x 0",
        "up_x -20+edge_y 20, flat_x -10",
        "up_y -40+up_y -20+up_y 0+up_y 20+up_y 40, flat_x 0",
    ],
)
def test_what_no_build_explains_is_asked(design: str):
    """A block lower than its neighbours, or a fifth one."""
    side = seen(design, camera())
    assert side.build.left_over > LEFT_OVER or side.build.hollow > HOLLOW
    assert not compare(side, side).accepted


def test_evidence_is_what_lies_inside_and_along_the_border():
    """Whole pixels: sums of areas against the pixels themselves, summed up."""
    rng = np.random.default_rng(4)
    front, level, side = rng.normal(0, 2, (3, 384, 160)).clip(-SURE, SURE).astype(np.float32)
    maps = Maps(front, front, level, side, np.array([1.0, 0, 0]))
    high, low, left, right = 100, 130, 40, 62
    inside = front[high:low, left:right].sum()
    seams = level[high - 1 : high + 1, left:right].sum() + level[low - 1 : low + 1, left:right].sum()
    ends = side[high:low, left - 1 : left + 1].sum() + side[high:low, right - 1 : right + 1].sum()
    evidence = Evidence(maps)
    assert evidence.of(*np.array([high, low, left, right])) == pytest.approx(inside + EDGE_WEIGHT * (seams + ends))
    along = evidence.along(np.array([[high]]), np.array([[low]]), np.array([(right - left) / 2]))
    assert along[0, 0, (left + right) // 2] == pytest.approx(inside + EDGE_WEIGHT * (seams + ends))


def likelihood(slips_mm: np.ndarray, expected_mm: np.ndarray, each_mm: float) -> float:
    """The log density of places that miss the expected ones by `each_mm` each and by far more all together."""
    spread = each_mm**2 * np.eye(len(slips_mm)) + 1000.0**2
    off = slips_mm - expected_mm
    return float(-off @ np.linalg.solve(spread, off) / 2 - np.linalg.slogdet(spread)[1] / 2)


@pytest.mark.parametrize("slips_mm", [[0.4, -1.2, 2.0, 0.1, -0.3], [1.0, 9.1, 0.2], [0.0, -14.0, 1.0], [3.0, -3.0]])
@pytest.mark.parametrize("hands", [1, 2])
def test_the_odds_of_a_moved_piece_are_those_of_all_places_together(slips_mm: list[float], hands: int):
    """Against the densities themselves: one piece, whichever, meant to be moved by one or two steps, or none."""
    slips = np.array(slips_mm)
    each_mm = float(np.sqrt(hands * (1.5**2 + MEASURED_MM**2)))
    moved = [
        np.log(share / len(slips)) + likelihood(slips, meant * (np.arange(len(slips)) == piece), each_mm)
        for piece in range(len(slips))
        for meant, share in {8: 1 / 3, -8: 1 / 3, 16: 1 / 6, -16: 1 / 6}.items()
    ]
    unmoved = likelihood(slips, np.zeros(len(slips)), each_mm)
    assert moved_odds(slips_mm, hands, 3.0) == pytest.approx(np.logaddexp.reduce(moved) - unmoved, abs=1e-3)


def test_a_stack_that_stands_elsewhere_is_not_moved_within():
    assert moved_odds([5.5, 4.5, 5.0, 5.0], 2, 3.0) == pytest.approx(moved_odds([0.5, -0.5, 0, 0], 2, 3.0))
    assert moved_odds([5.0], 2, 3.0) == pytest.approx(0)  # one piece alone says nothing


def test_what_hands_may_miss_is_surely_the_same_where_all_else_stands_exactly():
    surely = float(np.log(ACCEPT_MATCH / (1 - ACCEPT_MATCH)))
    three, five, sixteen = (BY_SHIFT[0] + BY_SHIFT[1] * moved_odds([*[0.0] * 5, far], 2, 3.0) for far in (3, 5, 16))
    assert three < -surely < five < surely < sixteen


def test_careless_hands_are_allowed_more():
    assert moved_odds([0, 0, 0, 8.0], 2, 6.0) < 0 < moved_odds([0, 0, 0, 8.0], 2, 3.0)
    assert moved_odds([0, 0, 0, 16.0], 2, 6.0) > 0
