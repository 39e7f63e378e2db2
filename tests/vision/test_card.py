"""Cards by marker and by picture, on cards drawn here."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.errors import BadInput
from companion.games.maxstax.deck import OWN_DECK
from vision.card import learned, load_deck, read_card
from vision.training.cards import card_picture, lay_card

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
    deck = tuple(learned(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    readings = [read_card(laid(number, seed, marker=False), None, deck) for seed, number in enumerate(NUMBERS)]
    assert all(reading.card == number for reading, number in zip(readings, NUMBERS, strict=True) if reading.accepted)
    assert sum(reading.card == number for reading, number in zip(readings, NUMBERS, strict=True)) >= 4


def test_a_card_of_another_deck_is_never_taken_for_one_of_ours():
    deck = tuple(learned(number, f"card {number}", card_picture(number, marker=False)) for number in NUMBERS)
    for seed, number in enumerate(NUMBERS):
        reading = read_card(laid(number, seed, marker=False, foreign=True), None, deck)
        assert reading.card is None or not reading.accepted


def test_a_deck_without_pictures_says_so(tmp_path: Path):
    with pytest.raises(BadInput, match="no pictures"):
        load_deck(tmp_path)
    with pytest.raises(BadInput, match="no folder"):
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
