"""A bought deck on the disk: what is kept of the cards that were shown, and what the vision process is told."""

import os

import pytest

from companion.cameras.bought_deck import MOST_CUTS, ShownDeck, name_of, number_and_stars
from companion.cameras.live_view import WATCHED_US
from companion.errors import BadInput, NotFound
from companion.game.readings.deck import CardSeen, DeckCard, LookAtCard, UseDeck


@pytest.fixture
def sent():
    return []


@pytest.fixture
def deck(host, tmp_path, sent):
    return ShownDeck(tmp_path / "deck", sent.append, host.clock, lambda _watched: None)


def shown(deck, jpeg, known=None):
    """The camera sees that card; what its picture is called."""
    deck.hear(CardSeen(b"frame", jpeg, known))
    return name_of(jpeg)


def test_a_card_that_was_kept_is_there_after_a_restart_and_the_camera_is_told(host, tmp_path, deck, sent):
    assert sent == [UseDeck()]
    deck.keep(12, None, shown(deck, b"twelve"))
    deck.keep(7, 3, shown(deck, b"seven"))
    cards = (DeckCard(7, 3, b"seven"), DeckCard(12, None, b"twelve"))
    assert sent[-1] == UseDeck(cards)
    again = ShownDeck(tmp_path / "deck", sent.append, host.clock, lambda _watched: None)
    assert tuple(again.cards.values()) == cards
    assert sent[-1] == UseDeck(cards)


def test_a_card_shown_again_takes_its_own_place(tmp_path, deck):
    deck.keep(7, 3, shown(deck, b"seven"))
    deck.keep(7, 5, shown(deck, b"sharper"))
    assert tuple(deck.cards.values()) == (DeckCard(7, 5, b"sharper"),)
    assert [path.name for path in (tmp_path / "deck").iterdir()] == ["07-5.jpg"]
    deck.forget(7)
    assert not deck.cards
    assert list((tmp_path / "deck").iterdir()) == []


@pytest.mark.parametrize(("number", "stars"), [(0, None), (46, None), (7, 101), (7, -1)])
def test_a_number_or_stars_that_no_card_has_change_nothing(deck, number, stars):  # MX-07
    with pytest.raises(BadInput, match=r"1 to 45|0 to 100"):
        deck.keep(number, stars, shown(deck, b"seven"))
    assert not deck.cards


def test_one_card_gets_two_numbers_only_if_it_is_said_to_be_another(deck):
    deck.keep(7, 3, shown(deck, b"seven"))
    with pytest.raises(BadInput, match="looks like card 7"):
        deck.keep(8, 3, shown(deck, b"seven again", known=7))
    assert list(deck.cards) == [7]
    deck.keep(8, 3, name_of(b"seven again"), alike=True)
    assert list(deck.cards) == [7, 8]


def test_a_card_that_was_never_shown_cannot_be_forgotten_and_nobody_hears_of_it(deck, sent):
    with pytest.raises(NotFound, match="Card 7 hasn't been shown yet"):
        deck.forget(7)
    assert sent == [UseDeck()]


def test_what_was_agreed_to_is_kept_though_the_camera_has_seen_more_since(deck):
    agreed = shown(deck, b"seven")
    shown(deck, b"a hand")
    deck.hear(CardSeen(b"nothing lies there"))
    deck.keep(7, None, agreed)
    assert deck.cards[7].jpeg == b"seven"
    for number in range(MOST_CUTS):
        shown(deck, b"later %d" % number)
    with pytest.raises(NotFound, match="is gone"):
        deck.keep(8, None, agreed)


def test_of_two_pictures_that_a_power_cut_left_the_newer_one_counts(host, tmp_path):
    folder = tmp_path / "deck"
    folder.mkdir()
    for age, (name, content) in enumerate((("07-5.jpg", b"new"), ("07-3.jpg", b"old"))):
        (folder / name).write_bytes(content)
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))
    (folder / "holiday.jpg").write_bytes(b"no card")
    (folder / "07.new").write_bytes(b"half")
    deck = ShownDeck(folder, lambda _command: None, host.clock, lambda _watched: None)
    assert tuple(deck.cards.values()) == (DeckCard(7, 5, b"new"),)


def test_a_folder_that_cannot_be_written_is_said_and_changes_nothing(tmp_path, deck):
    (tmp_path / "deck").write_text("a file where the folder would be")
    with pytest.raises(BadInput, match="can't be written"):
        deck.keep(7, 3, shown(deck, b"seven"))
    assert not deck.cards


@pytest.mark.parametrize(
    ("stem", "card"),
    [("07-3", (7, 3)), ("12", (12, None)), ("45-0", (45, 0)), ("00", None), ("46", None), ("7a", None), ("", None)],
)
def test_the_name_of_a_picture_says_which_card_it_is(stem, card):
    assert number_and_stars(stem) == card


def test_somebody_looks_for_as_long_as_the_page_asks(host, tmp_path, sent):
    told = []
    deck = ShownDeck(tmp_path / "deck", sent.append, host.clock, told.append)
    deck.tap(0.5, 0.5)  # nobody looks
    assert deck.watch() is None
    deck.tap(0.25, 0.75)
    deck.hear(CardSeen(b"frame", b"seven"))
    assert deck.watch().card_jpeg == b"seven"
    wishes = [command for command in sent if isinstance(command, LookAtCard)]
    assert [wish.tap for wish in wishes] == [None, (0.25, 0.75), (0.25, 0.75)]
    host.clock.offset_us += WATCHED_US + 1
    deck.end_if_unwatched()
    assert told == [True, True, False]
    assert deck.newest() is None
