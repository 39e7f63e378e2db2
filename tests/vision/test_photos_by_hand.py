"""Photos that people take by hand: read as a camera's picture, with the mat in them where it is seen."""

import cv2
import numpy as np
import pytest

from companion.demo.stacks import EMPTY, TableStack, design
from companion.demo.things import TablePiece, VirtualTable
from companion.errors import BadInput, CornersWanted
from companion.game.readings import Kind, ReadPhoto, Watching
from tests.photographs import board_without_mat, dice_table, jpeg, noisy, photo_of
from vision import MOST_PIXELS
from vision.process.board_again import board_again
from vision.process.photos import MOST_READ_PIXELS, answer, no_larger, read_photo
from vision.virtual.camera import virtual_scene
from vision.virtual.front import FrontPainter
from vision.watch.known_table import OUTSIDE_BGR, KnownTable

AT_US = 7_000_000


def settled(content, kind=Kind.DICE, saved=None, **knows):
    return read_photo(ReadPhoto("t", content, Watching(kind, knows), AT_US), KnownTable(saved))


def test_dice_are_read_with_a_picture_of_each():
    look = settled(photo_of(dice_table(3, 5)))
    assert sorted(die.value for die in look.reading.dice) == [3, 5]
    assert look.reading.accepted
    assert look.surely_new
    assert look.rested_us == AT_US
    assert len(look.crops_jpeg) == 2


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_however_the_phone_was_held(turns):
    frame = cv2.imdecode(np.frombuffer(photo_of(dice_table(2, 6)), np.uint8), cv2.IMREAD_COLOR)
    look = settled(jpeg(np.rot90(frame, turns).copy()))
    assert sorted(die.value for die in look.reading.dice) == [2, 6]


def test_only_the_mat_leaves_the_process():
    frame = cv2.imdecode(np.frombuffer(photo_of(dice_table(1)), np.uint8), cv2.IMREAD_COLOR)
    _height, width = frame.shape[:2]
    wide = cv2.copyMakeBorder(frame, 0, 0, width // 2, width // 2, cv2.BORDER_CONSTANT, value=(0, 0, 255))
    shown = cv2.imdecode(np.frombuffer(settled(jpeg(wide)).frame_jpeg, np.uint8), cv2.IMREAD_COLOR)
    beside = shown[:, : shown.shape[1] // 8]
    assert np.abs(beside.astype(int) - OUTSIDE_BGR).max() < 12  # JPEG


def test_a_board_is_read_by_its_mat():
    pieces = (TablePiece(0, 0, "black"), TablePiece(2, 3, "white"))
    table = VirtualTable(mat="board", board_n=5, pieces=pieces)
    colours = {"colour_rgb": virtual_scene("board", 5)["colour_rgb"]}
    reading = settled(photo_of(table), Kind.BOARD, colours, board_n=5).reading
    seen = {
        (row, column): cell.colour
        for row, line in enumerate(reading.cells)
        for column, cell in enumerate(line)
        if cell.colour is not None
    }
    assert seen == {(0, 0): "black", (2, 3): "white"}


PIECES = (TablePiece(0, 0, "black"), TablePiece(2, 3, "white"), TablePiece(4, 4, "white"))
PLAYED = {(piece.row, piece.column): piece.colour for piece in PIECES}
KNOWS = {"board_n": 5, "colours": ["white", "black"]}


def tops(reading):
    """(row, column) → (colour, whether the reader is sure), of every space with a piece."""
    return {
        (row, column): (cell.colour, cell.accepted)
        for row, line in enumerate(reading.cells)
        for column, cell in enumerate(line)
        if cell.colour is not None
    }


def test_pieces_whose_colours_nobody_has_shown_are_named_by_their_usual_look_and_asked_about():
    reading = settled(photo_of(VirtualTable(mat="board", board_n=5, pieces=PIECES)), Kind.BOARD, **KNOWS).reading
    assert tops(reading) == {place: (colour, False) for place, colour in PLAYED.items()}


@pytest.mark.parametrize("off", [0.0, 0.015])
def test_a_board_without_a_mat_is_read_by_the_corners_that_somebody_tapped(off):
    photo, corners = board_without_mat(PIECES)
    tapped = tuple((x + off, y - off) if number % 2 else (x, y) for number, (x, y) in enumerate(corners))
    look = settled(photo, Kind.BOARD, **KNOWS, tapped_corners=tapped)
    assert tops(look.reading) == {place: (colour, False) for place, colour in PLAYED.items()}


def test_the_first_corner_says_which_way_the_board_lies():
    photo, corners = board_without_mat(PIECES)
    turned = (*corners[1:], corners[0])  # whoever sits on the right has row 1 before the left hand
    reading = settled(photo, Kind.BOARD, **KNOWS, tapped_corners=turned).reading
    assert tops(reading) == {(4 - column, row): (colour, False) for (row, column), colour in PLAYED.items()}


def held_otherwise(photo, corners, seed, turns=0):
    """The photo and its corners as a hand holds the phone for the next one: nearer, aslant, with a lamp at a side."""
    random = np.random.default_rng(seed)
    frame = cv2.imdecode(np.frombuffer(photo, np.uint8), cv2.IMREAD_COLOR)
    around = np.array(corners) * frame.shape[1::-1]
    width, height = 1200, 1600
    angle = np.radians(random.uniform(-15, 15) + 90 * turns)
    target = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 420 * (1 + random.uniform(-0.08, 0.08, (4, 2)))
    target = target @ [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]] + (width / 2, height / 2)
    motion = cv2.getPerspectiveTransform(around.astype(np.float32), target.astype(np.float32))
    seen = cv2.warpPerspective(frame, motion, (width, height), borderValue=(70, 90, 110)).astype(float)
    seen *= random.uniform(0.8, 1.1) * np.linspace(1, random.uniform(0.8, 1.2), width)[None, :, None]
    return jpeg(noisy(seen, random)), target / (width, height)


@pytest.mark.parametrize("seed", range(6))
def test_corners_that_were_tapped_hold_for_the_next_photo_or_are_asked_for_again(seed):
    photo, corners = board_without_mat(PIECES)
    later, there = held_otherwise(*board_without_mat((*PIECES, TablePiece(1, 1, "black"))), seed, turns=seed % 4)
    before, now = (cv2.imdecode(np.frombuffer(photo_jpeg, np.uint8), cv2.IMREAD_COLOR) for photo_jpeg in (photo, later))
    corners_now = board_again(now, before, np.array(corners))
    if corners_now is None:
        with pytest.raises(CornersWanted):
            settled(later, Kind.BOARD, **KNOWS, board_before=(photo, corners))
        return
    assert np.abs(corners_now - there).max() < 0.02
    reading = settled(later, Kind.BOARD, **KNOWS, board_before=(photo, corners)).reading
    assert {place: colour for place, (colour, _sure) in tops(reading).items()} == {**PLAYED, (1, 1): "black"}


def test_most_photos_of_a_board_need_no_second_tap():
    photo, corners = board_without_mat(PIECES)
    before = cv2.imdecode(np.frombuffer(photo, np.uint8), cv2.IMREAD_COLOR)
    held = [held_otherwise(photo, corners, seed)[0] for seed in range(6)]
    again = [cv2.imdecode(np.frombuffer(photo_jpeg, np.uint8), cv2.IMREAD_COLOR) for photo_jpeg in held]
    assert sum(board_again(now, before, np.array(corners)) is not None for now in again) >= 4


def test_another_board_is_not_taken_for_the_one_that_was_tapped():
    photo, corners = board_without_mat(PIECES)
    for other in (board_without_mat(PIECES, 8)[0], photo_of(dice_table(3, 5))):
        with pytest.raises(CornersWanted):
            settled(other, Kind.BOARD, **KNOWS, board_before=(photo, corners))


def test_a_board_without_mat_and_corners_asks_for_them(tmp_path):
    photo, _corners = board_without_mat(PIECES)
    told = answer(ReadPhoto("t", photo, Watching(Kind.BOARD, KNOWS), AT_US), tmp_path / "none.json")
    assert told.settled is None
    assert told.wants_corners
    assert "four corners" in told.sentence


@pytest.mark.parametrize(
    "corners",
    [
        ((0.2, 0.2), (0.2, 0.8), (0.8, 0.8), (0.8, 0.2)),  # the wrong way round
        ((0.2, 0.2), (0.8, 0.8), (0.8, 0.2), (0.2, 0.8)),  # crosswise
        ((0.5, 0.5), (0.52, 0.5), (0.52, 0.52), (0.5, 0.52)),  # hardly larger than a point
        ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
    ],
)
def test_corners_between_which_no_board_lies_are_one_sentence(corners):
    photo, _corners = board_without_mat(PIECES)
    with pytest.raises(BadInput, match="A board can't lie like that"):
        settled(photo, Kind.BOARD, **KNOWS, tapped_corners=corners)


def test_a_photo_with_the_front_mat_names_what_stands_and_what_matches():
    """Each stack is compared with the card that its player builds, as its game says."""
    stack = TableStack(design({"card": 3}, []))
    frame_bgr = FrontPainter().picture(VirtualTable(stacks=(stack, stack, EMPTY, EMPTY)), 0)
    references = {"1": {"card": 3}, "2": {"card": 12}}
    look = settled(jpeg(frame_bgr), Kind.TOWER, references=references)
    built = {space.space: space for space in look.reading.spaces}
    assert [built[number].status.value for number in (1, 2, 3)] == ["standing", "standing", "empty"]
    assert built[1].match.same
    assert not built[2].match.same


def test_stacks_without_a_mat_are_one_sentence():
    blank = jpeg(np.full((600, 800, 3), 120, np.uint8))
    with pytest.raises(BadInput, match="The photo doesn't show the printed mat"):
        settled(blank, Kind.STACKS)


def test_a_photo_that_shows_nothing_is_no_empty_table():
    look = settled(jpeg(np.zeros((600, 800, 3), np.uint8)))
    assert not look.reading.accepted


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"GIF89a", "isn't a photo"),
        (b"\xff\xd8\xff\xe0junk", "is damaged or too large"),
        (photo_of(dice_table(4))[:-20_000], "is damaged or too large"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x02\0\0\0", "megapixels"),
    ],
)
def test_what_is_no_photo_is_one_sentence(content, said, tmp_path):
    told = answer(ReadPhoto("t", content, Watching(Kind.DICE), AT_US), tmp_path / "none.json")
    assert told.settled is None
    assert said in told.sentence
    assert "\n" not in told.sentence


def test_a_huge_photo_is_read_smaller():
    assert MOST_PIXELS > MOST_READ_PIXELS
    height, width = no_larger(np.zeros((6000, 8000, 3), np.uint8), MOST_READ_PIXELS).shape[:2]
    assert 0.98 * MOST_READ_PIXELS < height * width <= 1.01 * MOST_READ_PIXELS
    assert height / width == pytest.approx(6 / 8, abs=0.01)
