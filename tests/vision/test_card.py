"""Cards by marker and by picture, on cards drawn here."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.equipment.deck import OWN_DECK
from companion.errors import BadInput
from vision.card.outlines import card_outlines, is_clear
from vision.card.picture import card_picture
from vision.card.reader import learn_card, load_deck, read_card
from vision.training.drawn.cards import lay_card

NUMBERS = (1, 8, 17, 30, 45)


def laid(number: int, seed: int, *, marker: bool = True, foreign: bool = False) -> np.ndarray:
    return lay_card(np.random.default_rng([71, seed]), card_picture(number, marker, foreign))


def test_our_cards_are_known_by_their_marker():
    for seed, number in enumerate(NUMBERS):
        reading = read_card(laid(number, seed))
        assert (reading.card, reading.name, reading.accepted) == (number, OWN_DECK.cards[number].name, True)


def test_two_cards_are_asked():
    frame = np.hstack([laid(3, 1), laid(4, 2)])
    assert not read_card(frame).accepted


@pytest.mark.parametrize("size", [(480, 640), (3, 4), (2000, 1500)])
def test_no_card_is_no_card(size):
    reading = read_card(np.full((*size, 3), 90, np.uint8))
    assert (reading.card, reading.name, reading.accepted) == (None, "", True)


def test_a_bought_deck_is_known_once_shown():
    deck = tuple(learn_card(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    readings = [read_card(laid(number, seed, marker=False), None, deck) for seed, number in enumerate(NUMBERS)]
    assert [reading.card for reading in readings] == list(NUMBERS)
    assert sum(reading.accepted for reading in readings) >= 4


def test_a_card_whose_edge_is_covered_is_known_by_its_features():
    deck = tuple(learn_card(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    frame_bgr = laid(30, 3, marker=False)
    whole = read_card(frame_bgr, None, deck)
    (left, top), (right, _), *_ = whole.corners_px
    cv2.circle(frame_bgr, (int((left + right) / 2), int(top)), 30, (30, 90, 160), -1)
    covered = read_card(frame_bgr, None, deck)
    assert (whole.card, covered.card) == (30, 30)


def test_two_cards_of_a_bought_deck_are_asked():
    deck = tuple(learn_card(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    one, other = laid(8, 1, marker=False), laid(30, 3, marker=False)
    assert read_card(one, None, deck).accepted
    assert not read_card(np.hstack([one, other]), None, deck).accepted


def test_a_half_covered_card_beside_a_whole_one_of_another_deck_is_asked():
    deck = tuple(learn_card(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    covered, other = laid(30, 3, marker=False), laid(8, 1, marker=False, foreign=True)
    (left, top), (right, _), *_ = read_card(covered, None, deck).corners_px
    cv2.circle(covered, (int((left + right) / 2), int(top)), 30, (30, 90, 160), -1)
    assert not read_card(np.hstack([covered, other]), None, deck).accepted


def test_the_only_card_of_a_deck_is_no_guess():
    deck = (learn_card(17, "card 17", card_picture(17, marker=False)),)
    assert read_card(laid(17, 4, marker=False), None, deck).card == 17
    assert not read_card(laid(17, 4, marker=False, foreign=True), None, deck).accepted


def test_outlines_lie_on_the_edges_of_a_card():
    drawn = np.array([[402.0, 300.0], [640.0, 342.0], [590.0, 668.0], [352.0, 626.0]], np.float32)
    frame_bgr = np.full((960, 1280, 3), (70, 120, 60), np.uint8)
    cv2.fillConvexPoly(frame_bgr, drawn.astype(np.int32), (240, 245, 248), cv2.LINE_AA)
    frame_bgr = cv2.GaussianBlur(frame_bgr, (0, 0), 1.2)
    (outline,) = card_outlines(frame_bgr)
    turned = min(range(4), key=lambda turn: np.abs(np.roll(outline, turn, axis=0) - drawn).max())
    assert np.abs(np.roll(outline, turned, axis=0) - drawn).max() < 1.5
    assert is_clear(outline, frame_bgr)


def test_a_round_coin_and_a_patch_of_light_have_no_clear_outline():
    frame_bgr = np.full((960, 1280, 3), (70, 120, 60), np.uint8)
    cv2.circle(frame_bgr, (900, 300), 90, (200, 210, 220), -1, cv2.LINE_AA)
    lamp = np.zeros((960, 1280), np.float32)
    cv2.rectangle(lamp, (200, 500), (420, 800), 60, -1)
    lit = np.clip(frame_bgr + cv2.GaussianBlur(lamp, (0, 0), 25)[..., None], 0, 255).astype(np.uint8)
    assert not any(is_clear(outline, lit) for outline in card_outlines(lit))


def test_a_card_of_another_deck_is_never_taken_for_one_of_ours():
    deck = tuple(learn_card(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    for seed, number in enumerate(NUMBERS):
        reading = read_card(laid(number, seed, marker=False, foreign=True), None, deck)
        assert reading.card is None or not reading.accepted


def test_a_deck_without_pictures_says_so(tmp_path: Path):
    with pytest.raises(BadInput, match="no pictures"):
        load_deck(tmp_path)
    with pytest.raises(BadInput, match="isn't a folder"):
        load_deck(tmp_path / "missing")


def test_the_command_knows_a_deck(tmp_path: Path):
    deck = tmp_path / "deck"
    deck.mkdir()
    for number in NUMBERS:
        cv2.imwrite(str(deck / f"{number:02}.png"), card_picture(number, marker=False))
    cv2.imwrite(str(tmp_path / "card.png"), laid(8, 1))
    said = CliRunner().invoke(cli, ["read", "card", str(tmp_path / "card.png"), "--json"], catch_exceptions=False)
    assert said.exit_code == 0
    (element,) = json.loads(said.stdout)
    assert (element["card"], element["name"]) == (8, OWN_DECK.cards[8].name)
    said = CliRunner().invoke(
        cli, ["read", "card", str(tmp_path / "card.png"), "--deck", str(deck), "--json"], catch_exceptions=False
    )
    assert said.exit_code == 0
    assert json.loads(said.stdout)[0]["image"].endswith("card.png")


def test_a_strip_in_the_folder_of_a_deck_shows_too_little():
    strip = np.random.default_rng(1).integers(0, 255, (1, 3000, 3), np.uint8)
    with pytest.raises(BadInput, match="shows too little"):
        learn_card(1, "strip", strip)
