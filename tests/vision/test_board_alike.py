"""Spaces of a board weighed against each other: what looks as the empty ones, and what as the pieces."""

from dataclasses import replace
from itertools import chain
from typing import Any

import cv2
import numpy as np
import pytest

from vision.board import reader
from vision.board.alike import Looks, hiding_piles, looks_empty
from vision.board.reader import read_board, space_middles
from vision.board.tops import Tops
from vision.scene.pose import Pose
from vision.scene.scene import Board, Piece, Scene, SceneCamera

N = 8
WHITE_LAMP = np.ones(3)
GREEN, BLACK = np.array([42.0, 106, 62]), np.array([48.0, 56, 62])  # cloth, and a black disc that shines
ODD = np.add.outer(np.arange(N), np.arange(N)).ravel() % 2


def noisy(levels: np.ndarray) -> np.ndarray:
    return levels + np.random.default_rng(3).normal(0, 2, levels.shape)


def gain_of(feet_rgb: np.ndarray, empty: np.ndarray, lamp: np.ndarray = WHITE_LAMP) -> np.ndarray:
    return looks_empty(Looks(feet_rgb, feet_rgb, lamp), empty, np.zeros(len(feet_rgb), bool))


@pytest.fixture
def cloth() -> np.ndarray:
    """(64, 3) colours in the middles of a board's spaces, all empty."""
    return noisy(np.tile(GREEN, (N * N, 1)))


def test_a_disc_that_the_network_takes_for_empty_looks_as_the_other_discs(cloth):
    taken = np.arange(20, 34)
    cloth[taken] = noisy(np.tile(BLACK, (len(taken), 1)))
    empty = np.full(N * N, 0.98)
    empty[taken] = 0.7
    empty[taken[:3]] = 0.1  # only these were told for pieces
    gain = gain_of(cloth, empty)
    assert (gain[taken] < -3).all()
    assert (np.delete(gain, taken) > 0).all()


def test_what_looks_like_nothing_else_here_is_less_surely_empty(cloth):
    cloth[27] = (150, 40, 45)
    gain = gain_of(cloth, np.full(N * N, 0.99))
    assert gain[27] < 0 < np.delete(gain, 27).min()


@pytest.mark.parametrize("shade", [0.5, 0.7, 0.85])
def test_a_shadow_on_an_empty_space_is_no_piece(cloth, shade):
    cloth[27] *= shade
    cloth[5:9] = (235, 232, 225)
    empty = np.full(N * N, 0.98)
    empty[5:9] = 0.02
    assert gain_of(cloth, empty)[27] > 0


@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.25, 1.0, 1.0)])
def test_a_lamp_mirrored_in_an_empty_space_is_no_piece_that_looks_otherwise(cloth, lamp):
    cloth *= np.array(lamp) ** (1 / 2.2)
    light = (cloth[27] / 255) ** 2.2 + 0.2 * np.array(lamp)
    cloth[27] = 255 * light ** (1 / 2.2)
    assert gain_of(cloth, np.full(N * N, 0.98), np.array(lamp))[27] > -0.5  # the network decides


def test_empty_spaces_far_from_the_lamp_are_empty_too():
    rows, columns = np.divmod(np.arange(N * N), N)
    light = 1 - 0.05 * rows - 0.03 * columns
    feet = noisy(np.where(ODD[:, None] == 1, (200.0, 180, 140), (90.0, 60, 40)) * light[:, None])
    assert (gain_of(feet, np.full(N * N, 0.95)) > 0).all()


def test_a_full_board_says_nothing(cloth):
    assert (gain_of(cloth, np.full(N * N, 0.1)) == 0).all()


def slanted(tilt_deg: float) -> Pose:
    """A camera 600 mm from the middle of the board, on its near side."""
    tilt = np.deg2rad(tilt_deg)
    turn = np.array([[1, 0, 0], [0, -np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), -np.cos(tilt)]])
    return Pose(np.array([[1500.0, 0, 640], [0, 1500, 480], [0, 0, 1]]), np.zeros(5), turn, np.array([0, 0, 600.0]))


@pytest.mark.parametrize(("tilt_deg", "high", "hides"), [(0, 5, False), (45, 1, False), (45, 4, True), (53, 3, True)])
def test_only_a_tall_pile_seen_aslant_hides_the_space_behind_it(tilt_deg, high, hides):
    corners = tuple((x * 80.0, y * 80.0, 0.0) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1)))
    middles = space_middles(Board(N, 20.0, corners))
    heights = np.zeros((N * N, 7))
    heights[:, 0] = 1
    heights[4 * N + 3] = np.eye(7)[high]
    hiding = hiding_piles(slanted(tilt_deg), Piece(15.0, 4.0), middles, heights)
    assert hiding[3 * N + 3, 4 * N + 3] == hides
    assert not np.delete(hiding, 4 * N + 3, axis=1).any()
    assert not hiding[4 * N :].any()


SPACE_PX = 60


def othello() -> tuple[np.ndarray, Scene, list[list[str | None]]]:
    """Black and white discs on green cloth, each black one with a lamp mirrored in it; from straight above."""
    rng = np.random.default_rng(8)
    side = (N + 2) * SPACE_PX
    picture = np.full((side, side, 3), 205, np.uint8)
    cv2.rectangle(picture, (SPACE_PX, SPACE_PX), (side - SPACE_PX, side - SPACE_PX), (62, 106, 42), -1)
    for at in range(1, N + 2):
        for ends in (((at, 1), (at, N + 1)), ((1, at), (N + 1, at))):
            start, end = ((x * SPACE_PX, y * SPACE_PX) for x, y in ends)
            cv2.line(picture, start, end, (40, 80, 28), 2, cv2.LINE_AA)
    truth: list[list[str | None]] = [[None] * N for _ in range(N)]
    for row, column in np.ndindex(N, N):
        if rng.random() < 0.45:
            continue
        name = str(rng.choice(["black", "white"]))
        truth[row][column] = name
        x, y = (np.array([column + 1.5, row + 1.5]) * SPACE_PX).astype(int).tolist()
        tone = 30 if name == "black" else 225
        cv2.circle(picture, (x, y), 25, (tone, tone, tone), -1, cv2.LINE_AA)
        if name == "black":
            lit = np.exp(-(np.add.outer((np.arange(50) - 25.0) ** 2, (np.arange(50) - 25.0) ** 2)) / 2 / 9**2)
            disc = picture[y - 25 : y + 25, x - 25 : x + 25]
            disc[:] = np.clip(disc + 255 * 0.2 * lit[..., None], 0, 255)
    picture = np.clip(cv2.GaussianBlur(picture, (0, 0), 1.0) + rng.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
    reach = N * 10.0
    corners = tuple((x * reach, y * reach, 0.0) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1)))
    above = tuple(np.diag([1.0, -1.0, -1.0]).ravel())
    camera = SceneCamera(
        side, side, (6000.0, 6000.0), (side / 2, side / 2), (), above, (0.0, 0.0, 6000 * 20 / SPACE_PX)
    )
    paints = {"black": (30.0, 30.0, 32.0), "white": (235.0, 232.0, 225.0)}
    scene = Scene(colour_rgb=paints, camera=camera, board=Board(N, 20.0, corners), piece=Piece(17.0, 4.5))
    return picture, scene, truth


def doubted(tops: Tops, black: np.ndarray) -> Tops:
    """What the network says, but all black discs (n,) seem empty, more or less."""
    shares = np.linspace(0.2, 0.85, int(black.sum()))[:, None]
    heights = tops.heights.copy()
    heights[black] = np.hstack([shares, 1 - shares, np.zeros((len(shares), 5))])
    return tops._replace(heights=heights)


def test_black_discs_that_the_network_doubts_are_read_by_their_looks(monkeypatch):
    picture, scene, truth = othello()
    right = list(chain(*truth))
    black = np.array([colour == "black" for colour in right])
    find = reader.look_for_tops

    def look(*given: Any) -> tuple[list[np.ndarray], Tops]:
        matrices, tops = find(*given)
        return matrices, doubted(tops, black)

    monkeypatch.setattr(reader, "look_for_tops", look)
    cells = list(chain(*read_board(picture, scene).cells))
    assert [cell.colour for cell in cells] == right
    assert np.mean([not cell.accepted for cell in cells]) <= 0.08


def test_what_seems_empty_and_looks_otherwise_than_the_empty_ones_is_asked(monkeypatch):
    """Every piece here seems empty to the network, quite surely."""
    picture, scene, truth = othello()
    taken = np.array([colour is not None for colour in chain(*truth)])
    find = reader.look_for_tops

    def look(*given: Any) -> tuple[list[np.ndarray], Tops]:
        matrices, tops = find(*given)
        tops.heights[taken] = [0.985, 0.015, 0, 0, 0, 0, 0]
        return matrices, tops._replace(views=np.full_like(tops.views, 0.985))

    monkeypatch.setattr(reader, "look_for_tops", look)
    cells = chain(*read_board(picture, scene).cells)
    assert not any(cell.accepted for cell, there in zip(cells, taken.tolist(), strict=True) if there)


def test_a_board_whose_pieces_nobody_measured_has_no_silent_error():
    picture, scene, truth = othello()
    cells = chain(*read_board(picture, replace(scene, piece=None)).cells)
    assert all(cell.colour == colour for cell, colour in zip(cells, chain(*truth), strict=True) if cell.accepted)
