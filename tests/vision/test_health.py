"""Frozen, black and misshapen pictures, told from a table where nothing moves."""

import contextlib

import cv2
import numpy as np
import pytest

from companion.errors import CameraUnavailable
from companion.game.readings import Kind
from vision.cameras.camera import Frame
from vision.cameras.health import (
    BLACK,
    BLIND_AGAIN_US,
    BLIND_US,
    BURNT,
    EMPTY,
    FROZEN_US,
    GREEN,
    HALF,
    NO_COLOURS,
    OLD,
    PURPLE,
    Health,
    broken,
    shows_nothing,
)
from vision.readers.kinds import READERS
from vision.scene.file import scene_of
from vision.virtual.camera import VirtualCamera

SHAPE = (96, 128, 3)


class Clock:
    """Moves when it is told to."""

    now_us = 10**9

    def __call__(self):
        return self.now_us


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def health(clock):
    health = Health(clock)
    health.opened()
    return health


def noisy(seed, level=90, shape=SHAPE):
    """A still table as a sensor sees it: the same scene, other noise each time."""
    noise = np.random.default_rng(seed).normal(0, 2.5, shape)
    return Frame(np.clip(level + noise, 0, 255).astype(np.uint8), 0, seed)


def test_a_still_table_is_no_frozen_picture(health, clock):
    for number in range(100):
        assert health.trouble(noisy(number)) == ""
        clock.now_us += 100_000


def test_the_virtual_camera_is_never_taken_for_frozen(health, clock):
    with VirtualCamera(wait=lambda _seconds: None, now_us=clock) as camera:
        for _, frame in zip(range(40), camera.frames(), strict=False):
            assert health.trouble(frame) == ""
            clock.now_us += 100_000


def test_a_frozen_picture_is_noticed_in_two_seconds_and_stays_noticed_until_it_moves(health, clock):
    for number in range(3):
        health.trouble(noisy(number))
    began_us = clock.now_us
    with contextlib.suppress(CameraUnavailable):
        while True:
            health.trouble(noisy(2))
            clock.now_us += 33_000
    assert FROZEN_US <= clock.now_us - began_us <= FROZEN_US + 100_000
    health.opened()  # anew, and the first pictures are the old one again
    assert health.trouble(noisy(2)) == OLD
    clock.now_us += FROZEN_US
    with pytest.raises(CameraUnavailable, match="one old picture"):
        health.trouble(noisy(2))
    health.opened()
    assert health.trouble(noisy(3)) == ""


def test_a_camera_that_begins_with_old_pictures_is_read_once_a_new_one_comes(health, clock):
    """Some drivers hand out what their buffers held before."""
    for number in range(5):
        health.trouble(noisy(number))
    clock.now_us += 10 * FROZEN_US
    health.opened()
    for number in range(5):
        clock.now_us += 33_000
        assert health.trouble(noisy(number)) == OLD
    assert health.trouble(noisy(5)) == ""


def test_a_camera_that_never_shows_noise_is_believed(health, clock):
    for _ in range(100):
        assert health.trouble(noisy(1)) == ""
        clock.now_us += 100_000


@pytest.mark.parametrize(("level", "sentence"), [(1, BLACK), (270, BURNT)])
def test_a_picture_of_nothing_is_said_in_less_than_two_seconds_and_over_with_the_first_other(
    health, clock, level, sentence
):
    said = []
    for number in range(30):
        said.append(health.trouble(noisy(number, level)))
        clock.now_us += 100_000
    assert said == [""] * (BLIND_US // 100_000) + [sentence] * (30 - BLIND_US // 100_000)
    assert health.trouble(noisy(31)) == ""


@pytest.mark.parametrize("nothing", [0, 270])
def test_a_picture_of_nothing_is_not_to_be_read_from_the_first_on(health, nothing):
    seen = []
    for number, level in enumerate((120, nothing, nothing, 120)):
        assert health.trouble(noisy(number, level=level)) == ""
        seen.append(health.is_blind)
    assert seen == [False, True, True, False]


@pytest.mark.parametrize("nothing", [0, 270])
def test_a_camera_that_goes_on_showing_nothing_is_opened_anew(health, clock, nothing):
    health.trouble(noisy(1, nothing))
    clock.now_us += BLIND_AGAIN_US + 1
    with pytest.raises(CameraUnavailable):
        health.trouble(noisy(2, nothing))
    health.opened()
    assert health.trouble(noisy(3, nothing)) == ""


def test_a_bright_table_with_dice_on_it_is_not_burnt_out(health, clock):
    white = noisy(1, level=270)
    white.bgr[40:60, 50:70] = 60
    for _ in range(30):
        assert health.trouble(white) == ""
        clock.now_us += 100_000


def test_a_dim_room_is_not_black(health, clock):
    for number in range(30):
        assert health.trouble(noisy(number, level=9)) == ""
        clock.now_us += 100_000


def test_another_size_opens_the_camera_anew_and_is_then_taken_as_it_is(health):
    health.trouble(noisy(1))
    other = noisy(2, shape=(72, 128, 3))
    with pytest.raises(CameraUnavailable, match="The camera's picture changed from 128 × 96 pixels to 128 × 72"):
        health.trouble(other)
    health.opened()
    assert health.trouble(other) == ""


@pytest.mark.parametrize("bgr", [np.zeros((96, 128), np.uint8), np.zeros((2, 2, 3), np.uint8), np.zeros(SHAPE)])
def test_what_is_no_picture_is_said(health, bgr):
    with pytest.raises(CameraUnavailable, match="broken pictures"):
        health.trouble(Frame(bgr, 0, 0))


def table_bgr(seed):
    """Wood in lamplight with a white sheet on it, with a sensor's noise."""
    scene = np.full((480, 640, 3), (70, 110, 150), np.float32)
    scene[100:250, 200:420] = (205, 212, 218)
    noise = np.random.default_rng(seed).normal(0, 2.5, scene.shape)
    return np.clip(scene + noise, 0, 255).astype(np.uint8)


def as_received(bgr):
    """A picture as a USB camera sends it: as JPEG."""
    return cv2.imdecode(cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, 90))[1], cv2.IMREAD_COLOR)


def without_rows(bgr, colour, first, last):
    """A picture of which these rows never arrived."""
    part = bgr.copy()
    part[first:last] = colour
    return part


def no_picture(rows=480):
    """What OpenCV makes of memory without a picture: zeros as YUYV, the usual format of uncompressed USB video."""
    return cv2.cvtColor(np.zeros((rows, 640, 2), np.uint8), cv2.COLOR_YUV2BGR_YUYV)


@pytest.mark.parametrize("jpeg", [False, True])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [("green", GREEN), ("half green", GREEN), ("half grey", HALF), ("a tenth grey", HALF), ("upside down", HALF)],
)
def test_what_did_not_arrive_is_said_and_never_read(health, clock, name, sentence, jpeg):
    said = []
    for number in range(30):
        bgr = table_bgr(number)
        bad = {
            "green": no_picture(),
            "half green": np.vstack([bgr[:240], no_picture(240)]),
            "half grey": without_rows(bgr, 128, 240, 480),
            "a tenth grey": without_rows(bgr, 128, 432, 480),
            "upside down": without_rows(bgr, 128, 0, 240),
        }[name]
        said.append(health.trouble(Frame(as_received(bad) if jpeg else bad, 0, number)))
        assert health.is_blind
        clock.now_us += 100_000
    assert said == [""] * (BLIND_US // 100_000) + [sentence] * (30 - BLIND_US // 100_000)
    assert health.trouble(Frame(table_bgr(31), 0, 31)) == ""
    assert not health.is_blind


def test_a_dark_room_behind_the_table_and_a_lamp_at_the_edge_are_whole_pictures():
    for part in (slice(0, 200), slice(300, 480)):
        for level in (0, 255):
            bgr = table_bgr(1)
            bgr[part] = level
            assert broken(bgr) == ""


def test_a_bar_with_the_time_of_day_is_part_of_a_whole_picture():
    assert broken(without_rows(table_bgr(1), 128, 456, 480)) == ""


def cast_of(health, clock, picture):
    for number in range(30):
        assert health.trouble(Frame(picture(number), 0, number)) == ""
        clock.now_us += 100_000
    return health.cast, health.sees_colours


def purple(seed):
    return (table_bgr(seed) * (1.0, 0.35, 0.8)).astype(np.uint8)


def grey(seed):
    return cv2.cvtColor(cv2.cvtColor(table_bgr(seed), cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)


def on_purple_cloth(seed):
    bgr = np.full((480, 640, 3), (150, 40, 120), np.uint8)
    bgr[100:250, 200:420] = table_bgr(seed)[100:250, 200:420]
    return bgr


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (purple, (PURPLE, False)),
        (lambda seed: as_received(grey(seed)), (NO_COLOURS, False)),
        (table_bgr, ("", True)),
        (on_purple_cloth, ("", True)),
    ],
)
def test_colours_that_cannot_be_believed_are_said(health, clock, picture, said):
    assert cast_of(health, clock, picture) == said
    health.trouble(Frame(table_bgr(100), 0, 100))
    assert (health.cast, health.sees_colours) == ("", True)


def repeated(bgr, first, last, axis=0):
    """A picture of which one line comes again and again."""
    part = bgr.copy()
    lines = part if axis == 0 else part.transpose(1, 0, 2)
    lines[first:last] = lines[first]
    return part


def without_columns(bgr, colour, first, last):
    part = bgr.copy()
    part[:, first:last] = colour
    return part


def green_with_noise(seed, spread=4):
    noise = np.random.default_rng(seed).normal(0, spread, (480, 640, 3))
    return np.clip(no_picture() + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("jpeg", [False, True])
@pytest.mark.parametrize(
    ("lost", "sentence"),
    [
        (lambda bgr: without_rows(bgr, 0, 240, 480), HALF),
        (lambda bgr: without_rows(bgr, 255, 240, 480), HALF),
        (lambda bgr: without_rows(bgr, 0, 0, 240), HALF),
        (lambda bgr: without_columns(bgr, 128, 320, 640), HALF),
        (lambda bgr: without_columns(bgr, 0, 0, 320), HALF),
        (lambda bgr: without_columns(bgr, (0, 135, 0), 320, 640), GREEN),
        (lambda bgr: without_rows(without_rows(bgr, 128, 0, 80), 128, 400, 480), HALF),
        (lambda bgr: without_rows(bgr, 128, 160, 320), HALF),
        (lambda bgr: repeated(bgr, 240, 480), HALF),
        (lambda bgr: repeated(bgr, 160, 480), HALF),
        (lambda bgr: repeated(bgr, 320, 640, axis=1), HALF),
        (lambda _bgr: green_with_noise(1), GREEN),
    ],
)
def test_a_large_part_without_a_picture_is_said_wherever_it_lies(lost, sentence, jpeg):
    bad = lost(table_bgr(1))
    assert broken(as_received(bad) if jpeg else bad) == sentence


def dark_table(seed, spread=1.0):
    """A dim room: a sheet that can just be seen on a table that is nearly black."""
    scene = np.full((480, 640, 3), 6, np.float32)
    scene[100:250, 200:420] = 30
    return np.clip(scene + np.random.default_rng(seed).normal(0, spread, scene.shape), 0, 255).astype(np.uint8)


def lamp_spot(seed):
    bgr = table_bgr(seed)
    cv2.ellipse(bgr, (320, 300), (300, 170), 0, 0, 360, (255, 255, 255), -1)
    return bgr


def boxed(seed, wide, high):
    """A camera of another shape: its picture (wide, high) in the middle, black beside it."""
    whole = np.zeros((480, 640, 3), np.uint8)
    left, top = (640 - wide) // 2, (480 - high) // 2
    whole[top : top + high, left : left + wide] = cv2.resize(table_bgr(seed), (wide, high))
    return whole


def drawn(_seed):
    """A table as a program draws it, without noise: what stands on it in two places."""
    bgr = np.full((480, 640, 3), (70, 110, 150), np.uint8)
    cv2.rectangle(bgr, (60, 300), (400, 420), (200, 210, 220), -1)
    for x in (120, 200, 280):
        cv2.circle(bgr, (x, 360), 20, (20, 20, 180), -1)
    return bgr


def drawn_board(_seed):
    bgr = np.full((480, 640, 3), (70, 110, 150), np.uint8)
    for place in range(7):
        cv2.line(bgr, (140 + 60 * place, 60), (140 + 60 * place, 420), (30, 30, 30), 3)
        cv2.line(bgr, (140, 60 + 60 * place), (500, 60 + 60 * place), (30, 30, 30), 3)
    return bgr


@pytest.mark.parametrize("jpeg", [False, True])
@pytest.mark.parametrize(
    "picture",
    [
        table_bgr,
        dark_table,
        lambda seed: dark_table(seed, 0.6),
        lambda seed: bare_table(20 + seed),
        lambda seed: bare_table(235 + seed),
        lamp_spot,
        lambda seed: boxed(seed, 480, 480),
        lambda seed: boxed(seed, 270, 480),  # a phone held upright
        lambda seed: boxed(seed, 640, 360),
        lambda seed: boxed(seed, 640, 260),
        drawn,
        drawn_board,
        on_purple_cloth,
    ],
)
def test_what_a_table_can_look_like_is_a_whole_picture(picture, jpeg):
    for seed in range(3):
        whole = picture(seed)
        assert broken(as_received(whole) if jpeg else whole) == ""


@pytest.mark.parametrize("level", [40, 128, 200])
def test_one_grey_all_over_is_never_said_to_be_read(health, clock, level):
    assert cast_of(health, clock, lambda _seed: one_colour(level)) == (EMPTY, False)


@pytest.mark.parametrize("buffers", [2, 4, 32])
def test_a_few_old_pictures_that_come_again_and_again_are_never_read_and_said_in_two_seconds(health, clock, buffers):
    ring = [noisy(number) for number in range(buffers)]
    for frame in ring:
        assert health.trouble(frame) == ""
    began_us = clock.now_us
    with contextlib.suppress(CameraUnavailable):
        for number in range(1000):
            health.trouble(ring[number % buffers])
            assert health.is_blind or number < 2
            clock.now_us += 33_000
    assert FROZEN_US <= clock.now_us - began_us <= FROZEN_US + 100_000


def test_a_camera_that_gives_each_picture_twice_is_read(health, clock):
    for number in range(200):
        assert health.trouble(noisy(number // 2)) == ""
        assert not health.is_blind
        clock.now_us += 33_000


LENS = {"width": 640, "height": 480, "fx": 750, "fy": 750, "cx": 320, "cy": 240}
SQUARE = [[-90, 90, 0], [90, 90, 0], [90, -90, 0], [-90, -90, 0]]
TABLE = {  # 80 cm below the camera
    "camera": LENS | {"R_world_to_cam": [[1, 0, 0], [0, -1, 0], [0, 0, -1]], "t_mm": [0, 0, 800]},
    "die_size_mm": 16,
    "colour_rgb": {"red": [200, 20, 20]},
    "board": {"n": 6, "cell_mm": 30, "grid_corners_mm_tl_tr_br_bl": SQUARE},
    "unit_mm": 60,
    "trucks": [{"columns": 3, "rows": 3, "levels": 1, "cell_mm": 60, "area_corners_mm_tl_tr_br_bl": SQUARE}],
}
FRONT = {  # 70 cm before the camera, which is 20 cm high
    "camera": LENS | {"R_world_to_cam": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "t_mm": [0, 200, 700]},
    "block_mm_long_mid_short": [60, 40, 20],
    "space_centres_mm": [[-100, 0], [100, 0]],
}


def photo_of(kind, frame_bgr):
    return READERS[kind].read_photo(frame_bgr, scene_of(FRONT if kind is Kind.TOWER else TABLE))


def one_colour(bgr):
    return np.full((480, 640, 3), bgr, np.uint8)


def bare_table(levels):
    """A plain table as a camera gives it: it makes noise, and the light falls off towards the corners."""
    y, x = np.mgrid[-1:1:480j, -1:1:640j]
    lit = levels * (1 - 0.05 * (x**2 + y**2))
    noise = np.random.default_rng(levels).normal(0, 1, (480, 640, 3))
    return np.clip(lit[..., None] + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("bgr", [0, 3, 90, (40, 120, 60), 254, 255])
@pytest.mark.parametrize("kind", Kind)
def test_a_photograph_of_nothing_is_asked_by_every_reader(kind, bgr):
    assert not photo_of(kind, one_colour(bgr)).accepted


def test_all_that_a_photograph_of_nothing_would_hold_is_asked():
    nothing = {kind: photo_of(kind, one_colour(90)) for kind in Kind}
    for kind in (Kind.DICE, Kind.STACKS):
        assert [(box.w, box.h) for box in nothing[kind].unread] == [(640, 480)]
    squares = [square for truck in nothing[Kind.LOAD].trucks for row in truck.cells for square in row]
    for things in (squares, sum(nothing[Kind.BOARD].cells, ()), nothing[Kind.TOWER].spaces):
        assert things
        assert not any(thing.accepted for thing in things)


@pytest.mark.parametrize("levels", [20, 90, 235])
@pytest.mark.parametrize("kind", [Kind.DICE, Kind.STACKS, Kind.CARD, Kind.TOWER])
def test_a_bare_table_is_empty(kind, levels):
    """Not so of boards and loads: a table without any board or truck is none of theirs."""
    assert photo_of(kind, bare_table(levels)).accepted


def test_a_jpeg_of_one_colour_is_of_one_and_a_dim_table_is_not():
    assert shows_nothing(cv2.imdecode(cv2.imencode(".jpg", one_colour((40, 120, 61)))[1], cv2.IMREAD_COLOR))
    assert not shows_nothing(bare_table(12))


@pytest.mark.parametrize("levels", [0, 255])
def test_two_dice_on_a_black_or_a_burnt_out_table_are_something(levels):
    table = np.full((960, 1280, 3), levels, np.uint8)
    assert shows_nothing(table)
    die = np.full((56, 56, 3), (40, 40, 190), np.uint8)
    table[300:356, 400:456] = die
    assert not shows_nothing(table)
