"""Showing a bought deck to the camera on its page."""

import pytest

from companion.cameras.bought_deck import ShownDeck, name_of
from companion.game.readings.deck import CardSeen, LookAtCard
from tests.parts import connect

HEADERS = {"X-Requested-With": "companion"}


@pytest.fixture
def sent(host, tmp_path):
    """Commands to the vision process, of a house that has a camera."""
    commands = []
    connect(host, shown_deck=ShownDeck(tmp_path / "deck", commands.append, host.clock, lambda _watched: None))
    return commands


def keep(client, number, stars="", cut=b"seven"):
    form = {"number": number, "stars": stars, "cut": name_of(cut) if cut else ""}
    return client.post("/calibrate/deck/keep", data=form, headers=HEADERS)


def test_a_house_without_a_camera_says_so(client):
    assert "No camera" in client.get("/calibrate/deck").text
    assert keep(client, 7).status_code == 503


def test_a_card_is_looked_for_kept_and_shown(client, host, sent):
    assert "Put one card flat under the camera" in client.get("/calibrate/deck/parts").text
    assert isinstance(sent[-1], LookAtCard)
    host.outside.shown_deck.hear(CardSeen(b"frame", b"seven"))
    parts = client.get("/calibrate/deck/parts").text
    assert f'data-cut="{name_of(b"seven")}"' in parts
    assert client.get(f"/calibrate/deck/seen/{name_of(b'seven')}.jpg").data == b"seven"
    assert client.get("/calibrate/deck/picture.jpg").data == b"frame"
    kept = keep(client, 7, "3")
    assert (kept.status_code, kept.location) == (303, "/calibrate/deck?after=7")
    page = client.get(kept.location).text
    assert "Shown so far: 1 of 45" in page
    assert 'name="number" type="number" inputmode="numeric" min="1" max="45" required value="8"' in page
    assert client.get("/calibrate/deck/7.jpg").data == b"seven"
    assert client.post("/calibrate/deck/forget", data={"number": "7"}).status_code == 303
    assert client.get("/calibrate/deck/7.jpg").status_code == 404


def test_the_next_card_is_the_first_that_was_not_shown(client, host, sent):
    for number in (1, 2, 45):
        host.outside.shown_deck.hear(CardSeen(b"frame", b"%d" % number))
        keep(client, number, cut=b"%d" % number)
    for asked, offered in (("", 3), ("?after=45", 3), ("?after=3", 4), ("?number=2", 2), ("?number=nine", 3)):
        assert f'required value="{offered}"' in client.get(f"/calibrate/deck{asked}").text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"number": "46"}, "1 to 45"),
        ({"number": ""}, "whole number"),
        ({"number": "seven"}, "whole number"),
        ({"number": "²"}, "whole number"),
        ({"number": "7", "stars": "many"}, "whole number"),
        ({"number": "7", "stars": "101"}, "0 to 100"),
        ({"number": "7", "cut": ""}, "I can&#39;t see a card yet"),
        ({"number": "7", "cut": "0badcafe"}, "is gone"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence(client, host, sent, form, words):
    host.outside.shown_deck.hear(CardSeen(b"frame", b"seven"))
    refused = client.post("/calibrate/deck/keep", data={"cut": name_of(b"seven"), **form}, headers=HEADERS)
    assert refused.status_code == 400
    assert words in refused.text
    assert f'required value="{form["number"]}"' in refused.text  # as it was typed
    assert not host.outside.shown_deck.cards


def test_a_touch_reaches_the_camera(client, sent):
    client.get("/calibrate/deck/parts")
    assert client.post("/calibrate/deck/tap", json={"x": 0.25, "y": 0.5}).status_code == 200
    assert sent[-1].tap == (0.25, 0.5)
    assert client.post("/calibrate/deck/tap", json={"x": 2, "y": 0.5}, headers=HEADERS).status_code == 400


def test_the_demo_lays_a_mat_with_a_card_spot_unless_a_game_has_the_table(demo_client, host, sent):
    demo_client.get("/calibrate/deck")
    assert host.outside.demo.snapshot().bought_deck
    demo_client.post("/table/card", json={"number": 7})
    assert host.outside.demo.snapshot().card == 7
    host.outside.demo.put_away()
    host.create("sandpile_panic", ["Ann", "Bob"], {})
    before = host.outside.demo.snapshot()
    demo_client.get("/calibrate/deck")
    assert host.outside.demo.snapshot() == before
