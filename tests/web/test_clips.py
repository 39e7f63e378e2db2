"""Clips on pages: beside their entry, in its correction and in a question about it; gone with their picture."""

import html

import cv2
import numpy as np
import pytest

from companion.changes import news
from companion.game.readings import DiceReading, Settled
from companion.game.readings.dice import DieReading
from companion.journal.devices import Role
from companion.journal.record import digest_bytes
from companion.sensing.process_messages import Clip
from tests.parts import connect
from web.app import create_app

STRIP = cv2.imencode(".jpg", np.zeros((720, 320, 3), np.uint8))[1].tobytes()


@pytest.fixture
def table(host):
    return host.create("sack_stackers", ["Ann", "Bob"], {})


def throw(host, picture, *, sure=True):
    """Two dice come to rest, and then their clip arrives."""
    dice = tuple(
        DieReading(value, 100.0 * value, 100.0, 44.0, 44.0, 0.0, "white", 0.99, sure, ((value, 0.99),))
        for value in (3, 5)
    )
    host.on_reading(
        Settled(DiceReading(640, 480, dice), host.clock.now_us(), host.clock.now_us(), picture, (b"a", b"b"))
    )
    return host.pictures.add_clip(Clip(digest_bytes(picture), 4, 1900, STRIP))


def page(client, path):
    return html.unescape(client.get(path).text)


def test_a_clip_stands_beside_its_own_entry_alone_and_in_its_correction(host, client, table):
    assert throw(host, b"first") == (table.session.id,)
    host.journal.add_picture(b"of another look", 1, table.session.id)
    shown = page(client, f"/s/{table.session.id}/history")
    first, address = digest_bytes(b"first"), f"/api/pictures/{digest_bytes(b'first')}/clip.jpg"
    assert table.entries[0].reading["picture"] == first
    assert shown.count("data-clip=") == 1
    assert f'href="{address}" target="picture" data-clip="4" data-span-ms="1900"' in shown
    assert address in page(client, f"/s/{table.session.id}/correct/1")
    answer = client.get(address)
    assert (answer.status_code, answer.mimetype, answer.data) == (200, "image/jpeg", STRIP)


def test_a_question_about_a_throw_has_its_clip(host, client, table):
    throw(host, b"doubtful", sure=False)
    assert table.seq == 0
    assert "Watch it again" in page(client, f"/s/{table.session.id}")


def test_a_page_hears_of_a_clip_that_comes_after_its_question(host, table):
    topic, before = f"session:{table.session.id}", host.live.counts
    assert throw(host, b"doubtful", sure=False) == (table.session.id,)
    assert news([topic], before, host.live.counts) == [topic]


def test_a_clip_of_a_look_whose_picture_nobody_kept_is_not_kept(host):
    assert host.pictures.add_clip(Clip(digest_bytes(b"no picture"), 4, 1900, STRIP)) == ()
    assert host.journal.select("SELECT count(*) FROM clips") == [(0,)]


@pytest.mark.parametrize(
    "delete",
    [
        lambda host, _client: host.delete_pictures(),
        lambda _host, client: client.post("/house/pictures/delete"),
        lambda host, _client: host.pictures.keep_for(0),
        lambda host, _client: host.journal.delete_pictures(2**60),
        lambda host, _client: host.pictures.set_keeps_clips(False),
    ],
)
def test_what_deletes_pictures_deletes_clips(host, client, table, delete):
    throw(host, b"first")
    delete(host, client)
    assert host.journal.select("SELECT count(*) FROM clips") == [(0,)]
    assert "data-clip" not in page(client, f"/s/{table.session.id}/history")
    refused = client.get(f"/api/pictures/{digest_bytes(b'first')}/clip.jpg")
    assert (refused.status_code, "kept" in refused.json["error"]) == (404, True)


def test_a_deleted_person_is_in_no_clip(host):
    host.create("sack_stackers", ["Ann", "Bob"], {}, remember={"Ann"})
    throw(host, b"first")
    (ann,) = host.people.everybody()
    assert host.journal.select("SELECT count(*) FROM clips") == [(1,)]
    host.erase_person(ann.id)
    assert host.journal.select("SELECT count(*) FROM clips") == [(0,)]


def test_one_switch_of_the_house_ends_clips_and_the_cameras_hear_of_it(host, client, table):
    told = []
    connect(host, keep_clips=told.append)
    host.pictures._tell_cameras = told.append
    rules = {"corrections": "players", "picture_days": "30"}
    assert 'name="clips" checked' in page(client, "/house")
    client.post("/house/rules", data=rules)
    assert told == [False]
    assert 'name="clips" checked' not in page(client, "/house")
    assert throw(host, b"first") == ()
    assert host.journal.select("SELECT count(*) FROM clips") == [(0,)]
    client.post("/house/rules", data={**rules, "clips": "on"})
    assert told == [False, True]
    assert throw(host, b"second")


def test_a_device_of_another_game_sees_no_clip(host, table):
    throw(host, b"first")
    other = host.create("sack_stackers", ["Cleo", "Dora"], {})
    app = create_app(host)
    answers = []
    for session in (table.session.id, other.session.id):
        token = host.access.tickets.issue(Role.WATCHER, session=session)
        headers = {"Via": "1.1 a test", "Authorization": f"Bearer {token}"}
        answers.append(
            app.test_client().get(f"/api/pictures/{digest_bytes(b'first')}/clip.jpg", headers=headers).status_code
        )
    assert answers == [200, 404]
