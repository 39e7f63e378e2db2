"""One drawing for all who see the same: kept while nothing changes, never shown to those who may see otherwise."""

import contextlib
import gzip
import re
import threading

import pytest

from companion.game.box import Device, Signal
from companion.game.readings import DiceReading, DieReading, Kind, Settled
from companion.games.maxstax.events import Shouted
from companion.games.resting import Rested
from companion.games.sack_stackers.events import Rolled
from companion.games.swapstax.state import ShufflerNamed
from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.settings import CORRECTIONS
from companion.journal.store import Journal
from tests.companion.test_looks import copying, tower_at
from tests.parts import connect
from tests.web.conftest import client_of
from web.app import create_app
from web.render.fragments import MOST, Fragments

MOST_BYTES = 20_000  # for a deck's pictures on a page, compressed


def test_many_who_ask_at_once_get_one_drawing():
    fragments, drawings, inside = Fragments(), [], threading.Event()

    def draw():
        inside.wait(5)
        drawings.append("drawn")
        return "drawn"

    askers = [threading.Thread(target=fragments.get, args=("key", draw)) for _ in range(8)]
    for asker in askers:
        asker.start()
    inside.set()
    for asker in askers:
        asker.join()
    assert drawings == ["drawn"]


def test_only_the_newest_are_kept():
    fragments = Fragments()
    for number in range(MOST + 1):
        fragments.get(number, lambda: "old")
    assert fragments.get(0, lambda: "new") == "new"
    assert fragments.get(MOST, lambda: "new") == "old"


def test_a_drawing_that_fails_is_tried_again():
    fragments = Fragments()
    with pytest.raises(ZeroDivisionError):
        fragments.get("key", lambda: str(1 / 0))
    assert fragments.get("key", lambda: "drawn") == "drawn"


def sheet(client, session, query=""):
    return client.get(f"/s/{session}/sheet{query}").text


def test_every_change_is_on_the_next_sheet(client, host, sack):
    session, (ann, _bob) = sack.session.id, sack.session.players
    before = sheet(client, session)
    assert sheet(client, session) == before
    die = DieReading(5, 9, 9, 9, 9, 0, "white", 0.6, False, ((5, 0.6), (6, 0.4)))
    host.on_reading(Settled(DiceReading(640, 480, (die, die)), 1, 2, b"frame", (b"a", b"b")))
    asked = sheet(client, session)
    assert "data-proposal" in asked
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    rolled = sheet(client, session)
    assert "data-proposal" not in rolled
    assert len({before, asked, rolled, sheet(client, session, f"?player={ann}")}) == 4
    host.status.set("camera", "down", "The camera is gone.")
    assert "The camera is gone." in sheet(client, session)


@pytest.mark.parametrize("doubt", [True, False])
def test_a_question_says_what_the_buttons_of_the_box_mean_to_it(client, host, sack, doubt):
    host.asking.set_accepts(Kind.DICE, False)
    die = DieReading(5, 9, 9, 9, 9, 0, "white", 0.6, not doubt, ((5, 0.6), (6, 0.4)))
    host.on_reading(Settled(DiceReading(640, 480, (die, die)), 1, 2, b"frame", (b"a", b"b")))
    assert "Or press Confirm on the box for yes" not in sheet(client, sack.session.id)  # which has none of them
    connect(host, buttons=((Device.CONFIRM, None), (Device.UNDO, None)))
    host.status.set("box", "ok", "The box is here.")
    asked = sheet(client, sack.session.id)
    assert "Press Undo on the box to dismiss." in asked
    assert ("Or press Confirm on the box for yes." in asked) is not doubt


def test_of_two_questions_the_one_that_the_buttons_of_the_box_are_about_is_shown(client, host):
    table, go_us = copying(host)
    connect(host, buttons=((Device.CONFIRM, None), (Device.UNDO, None)))
    host.on_reading(tower_at(go_us + 1_000_000, False, True, True))  # the Creator's stack has fallen
    bob, shouted_us = table.session.players[1], go_us + 2_000_000
    table.submit(Shouted(bob, shouted_us), Origin("shout", source="button"))
    host.on_glance(f"{table.session.id}:{table.seq}", tower_at(shouted_us, False, True, True))
    fallen, _shout = host.questions.of(table.session.id)
    _before, of_fallen = sheet(client, table.session.id).split("data-proposal=")  # the other waits while the clock runs
    assert of_fallen.startswith(f'"{fallen.id}"')
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + 1_000_000))
    assert fallen not in host.questions.of(table.session.id)
    assert table.state.current.faulty


def test_another_language_is_another_drawing(client, sack):
    english = sheet(client, sack.session.id)
    client.set_cookie("language", "de")
    german = sheet(client, sack.session.id)
    assert english != german
    client.delete_cookie("language")
    assert sheet(client, sack.session.id) == english


@pytest.fixture
def device(client, host):
    """A device in the network with a player's ticket, for one game or for all."""

    def let_in(**more):
        found = client_of(client.application)
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.PLAYER, **more)}"
        return found

    return let_in


@pytest.mark.parametrize("first", ["guest", "tablet"])
def test_a_guest_of_one_game_and_a_tablet_of_all_get_drawings_of_their_own(device, host, sack, first):
    other = host.create("sack_stackers", ["Cy", "Di"], {})  # which has the camera
    host.status.set("camera", "ok", "The camera sees the table.")
    asked = {"guest": device(session=sack.session.id), "tablet": device()}
    for who in sorted(asked, key=lambda who: who != first):
        leads_on = f'href="/s/{other.session.id}"' in sheet(asked[who], sack.session.id)
        assert leads_on == (who == "tablet"), who


@pytest.mark.parametrize("first", ["Ann", "Bob"])
def test_each_seat_gets_a_drawing_of_its_own(device, host, sack, first):
    ann, bob = sack.session.players
    sack.submit(Rolled((3, 5)), Origin("roll"))
    sack.submit(Rested(ann), Origin("rest"))
    asked = {name: device(session=sack.session.id, player=id) for name, id in (("Ann", ann), ("Bob", bob))}
    for who in sorted(asked, key=lambda who: who != first):
        assert ("Ann is back" in sheet(asked[who], sack.session.id)) == (who == "Ann"), who


def test_what_only_the_host_corrects_from_now_on_is_another_drawing(client, device, host, sack, monkeypatch):
    monkeypatch.setattr("web.pages.game.has_own_dice", lambda _table: True)
    host.create("sack_stackers", ["Ann", "Bob"], {}, "locked", "tournament")
    die = DieReading(5, 9, 9, 9, 9, 0, "white", 0.6, False, ((5, 0.6), (6, 0.4)))
    host.on_reading(Settled(DiceReading(640, 480, (die, die)), 1, 2, b"frame", (b"a", b"b")))
    player = device()
    assert "/s/locked/colours" in sheet(player, "locked")
    CORRECTIONS.put(host.journal, "host")
    assert "/s/locked/colours" not in sheet(player, "locked")


def test_two_houses_share_addresses_and_templates_and_no_drawing(host, tmp_path):
    same, pages = "a" * 24, []
    with contextlib.closing(Host(Journal(tmp_path / "other.sqlite3"))) as other:
        for house, name in ((host, "Ann"), (other, "Cleo")):
            house.create("sack_stackers", [name, "Bob"], {}, same)
            pages.append(create_app(house))
        shown = [sheet(app.test_client(), same) for app in pages]
    assert [("Ann" in text, "Cleo" in text) for text in shown] == [(True, False), (False, True)]
    assert pages[0].url_map is pages[1].url_map
    assert pages[0].jinja_env is pages[1].jinja_env


def test_the_pictures_of_a_whole_deck_are_light(client, host):
    """A sheet with all cards to choose from costs a slow line little more than one with their numbers did."""
    table = host.create("swapstax", ["Ann", "Bob"], {})
    table.submit(ShufflerNamed(table.session.players[0]), Origin("named"))
    drawn = sheet(client, table.session.id)
    undrawn, count = re.subn(r"<svg class=\"c-.*?</svg>", "", drawn, flags=re.DOTALL)
    assert count == 45
    assert len(gzip.compress(drawn.encode())) - len(gzip.compress(undrawn.encode())) <= MOST_BYTES
