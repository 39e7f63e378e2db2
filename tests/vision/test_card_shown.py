"""Cards of a bought deck, shown once to the demo's camera and known from then on."""

from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion.demo.things import VirtualTable
from companion.equipment.deck import OWN_DECK
from companion.errors import BadInput
from companion.game.readings import Kind, Watching
from companion.game.readings.deck import DeckCard, UseDeck
from vision.cameras.pictures import as_jpeg
from vision.card.picture import CARD_MM, card_picture
from vision.card.reader import COMPARED_PX, load_deck, look_of
from vision.card.shown import card_seen, cut_out
from vision.process.observer import apply_deck
from vision.virtual.camera import virtual_scene
from vision.virtual.painter import Painter
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Lookout, hint_for, reader_for

IN_PLAY = (1, 3, 8, 12, 30, 45)


@pytest.fixture(scope="module")
def painter():
    return Painter()


def lying(painter, number, noise):
    """The demo's mat with a card of a bought deck on it, None for none."""
    return painter.picture(VirtualTable(mat="towers", card=number, bought_deck=True), noise)


def watching(in_play=IN_PLAY):
    return Watching(Kind.CARD, {"deck": "bought", "cards_in_play": list(in_play)})


def shown_to(painter, numbers):
    """A table whose camera was shown these cards, each with a star more than the one before."""
    table = KnownTable(virtual_scene("towers"))
    seen = [card_seen(lying(painter, number, number), None, ()) for number in numbers]
    cards = enumerate(zip(numbers, seen, strict=True))
    table.use_deck([DeckCard(number, stars, card.card_jpeg) for stars, (number, card) in cards])
    return table


@pytest.fixture(scope="module")
def table(painter):
    return shown_to(painter, IN_PLAY)


def test_each_card_that_was_shown_is_known_with_its_stars(painter, table):
    read = reader_for(table, watching())
    assert hint_for(table, watching()) == ""
    for stars, number in enumerate(IN_PLAY):
        reading = read(lying(painter, number, 100 + number))
        assert (reading.card, reading.stars, reading.accepted) == (number, stars, True)
    empty = read(lying(painter, None, 7))
    assert (empty.card, empty.accepted) == (None, True)


def test_until_all_cards_in_play_were_shown_none_is_sure(painter):
    """Card 8 differs from card 3 by little, and would pass for it."""
    table = shown_to(painter, (1, 3, 12))
    read = reader_for(table, watching())
    assert "3 of 6 cards" in hint_for(table, watching())
    for number in (3, 8):
        assert not read(lying(painter, number, 100 + number)).accepted
    assert reader_for(table, watching((1, 3, 12)))(lying(painter, 3, 103)).accepted


def test_a_deck_that_nobody_has_shown_is_said():
    with pytest.raises(BadInput, match="The camera doesn't know your cards"):
        reader_for(KnownTable(virtual_scene("towers")), watching())


def test_a_picture_that_was_damaged_names_its_card():
    table = KnownTable(virtual_scene("towers"))
    table.use_deck([DeckCard(12, None, b"\xff\xd8\xff no picture")])
    with pytest.raises(BadInput, match="The picture of card 12 can't be used"):
        reader_for(table, watching())


@pytest.mark.parametrize("number", [1, 12, 30, 45])
def test_the_card_is_cut_to_its_edge(painter, number):
    seen = card_seen(lying(painter, number, 1), None, ())
    cut = cv2.imdecode(np.frombuffer(seen.card_jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert abs(cut.shape[0] / cut.shape[1] - CARD_MM[1] / CARD_MM[0]) < 0.08
    alike = {other: look(cut) @ look(card_picture(other, marker=False)) for other in OWN_DECK.cards}
    assert max(alike, key=alike.get) == number
    assert alike[number] > 0.8


def look(card_bgr):
    return look_of(cv2.resize(card_bgr, COMPARED_PX, interpolation=cv2.INTER_AREA))


def test_a_card_that_was_shown_before_is_said_and_an_empty_mat_shows_none(painter, table):
    deck = table.learned_cards()
    assert card_seen(lying(painter, 30, 5), None, deck).known == 30
    nothing = card_seen(lying(painter, None, 5), None, deck)
    assert (nothing.card_jpeg, nothing.known) == (b"", None)  # though spaces are printed there


def two_cards():
    frame = np.full((720, 1280, 3), (60, 90, 70), np.uint8)
    for number, left, size in ((3, 150, (244, 340)), (30, 800, (280, 390))):
        card = cv2.resize(card_picture(number, marker=False), size, interpolation=cv2.INTER_AREA)
        frame[150 : 150 + size[1], left : left + size[0]] = card
    return cv2.GaussianBlur(frame, (0, 0), 0.8)


@pytest.mark.parametrize(("tap", "width"), [(None, 280), ((0.2, 0.5), 244), ((0.7, 0.5), 280), ((0.5, 0.05), 280)])
def test_of_several_the_one_that_is_touched_is_meant_else_the_largest(tap, width):
    seen = card_seen(two_cards(), tap, ())
    drawn = cv2.imdecode(np.frombuffer(seen.jpeg, np.uint8), cv2.IMREAD_COLOR).astype(int)
    green = (drawn[..., 1] - drawn[..., 2] > 70).any(axis=0)
    columns = np.flatnonzero(green) * 1280 / drawn.shape[1]
    assert abs(np.ptp(columns) - width) < 12


@pytest.mark.parametrize("turn", range(4))
def test_a_card_is_kept_upright_however_its_corners_are_counted(turn):
    frame = np.zeros((300, 400, 3), np.uint8)
    frame[50:90, 100:200] = 255  # the upper part of a card of 100 by 140
    corners = np.array([[100, 50], [200, 50], [200, 190], [100, 190]], np.float32)
    card = cut_out(frame, np.roll(corners, turn, axis=0))
    assert card.shape[0] > card.shape[1]
    assert card[: card.shape[0] // 5].mean() > 240
    assert card[card.shape[0] // 2 :].mean() < 5


def test_the_folder_of_a_deck_keeps_its_numbers_and_stars_for_the_command(tmp_path, painter):
    for name, number in (("03-4", 3), ("12", 12)):
        (tmp_path / f"{name}.jpg").write_bytes(card_seen(lying(painter, number, 1), None, ()).card_jpeg)
    assert [(card.number, card.stars) for card in load_deck(tmp_path)] == [(3, 4), (12, None)]
    (tmp_path / "owl.jpg").write_bytes(as_jpeg(card_picture(30)))
    assert [card.number for card in load_deck(tmp_path)] == [1, 2, 3]  # in the order of their names


@pytest.mark.parametrize(("kind", "begins_anew"), [(Kind.DICE, False), (Kind.CARD, True)])
def test_a_card_kept_meanwhile_has_only_cards_looked_at_anew(kind, begins_anew):
    """Dice that lie there and were told would else be told again, as the next player's roll."""
    loaded = []
    table = KnownTable(virtual_scene("towers"))
    table.use_deck((DeckCard(3, None, as_jpeg(card_picture(3))),))
    lookout = Lookout(lambda wanted: loaded.append(wanted) or (lambda _frame: None), table, live=True)
    wanted = watching() if kind is Kind.CARD else Watching(kind)
    lookout.want(wanted, 0)
    decks = [UseDeck((DeckCard(12, None, as_jpeg(card_picture(12))),))]
    line = SimpleNamespace(take=lambda kind: [decks.pop()] if kind is UseDeck else [], watching=wanted)
    apply_deck(line, lookout, table)
    lookout.want(wanted, 0)
    assert len(loaded) == 1 + begins_anew
    assert decks == []
    assert [card.number for card in table.learned_cards()] == [12]
