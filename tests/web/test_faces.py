"""Faces: a drawing of the house or a photo, beside the name on every page; and the record of one player."""

import io
import re
from base64 import b64decode
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.clock import wall_us
from companion.game.readings import EncodePhoto, PhotoUse
from companion.house.host import Host
from companion.house.outside import no_encoder
from companion.house.seasons import Outcome, Played
from companion.house.symbols import FACES
from companion.journal.backup import backup
from companion.journal.devices import Role
from companion.journal.restore import restore
from companion.journal.settings import FACE_PHOTO
from companion.journal.store import Journal
from tests.companion.test_people import everywhere as everything_in
from tests.parts import connect
from tests.photographs import encode_photo
from vision.process.photos import FACE_PX, encode
from web.app import create_app
from web.pages.people import FACE_WORDS

STATIC = Path(__file__).parents[2] / "web/static/faces"
GPS = b"Exif\0\0MM\0*\0\0\0\x08 latitude 52.5"  # what a phone writes into a photo of itself


def photo(width=300, height=200, exif=b""):
    """A JPEG that is red in its middle square and blue beside it."""
    picture = np.full((height, width, 3), (255, 0, 0), np.uint8)
    left = (width - height) // 2
    picture[:, left : left + height] = (0, 0, 255)
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    return jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:] if exif else jpeg


@pytest.fixture
def table(host):
    """A game of Ann and Bob, who are people of the house; photos are cut as the real process does it."""

    connect(host, encode_photo=encode_photo)
    return host.create("sack_stackers", ["Ann", "Bob"], {}, remember=("Ann", "Bob"))


@pytest.fixture
def ann(host, table):
    return next(person for person in host.people.everybody() if person.name == "Ann")


@pytest.fixture
def guest(host):
    def device(role, **more):
        made = create_app(host).test_client()
        made.environ_base |= {
            "REMOTE_ADDR": "192.168.1.20",
            "HTTP_AUTHORIZATION": f"Bearer {host.access.tickets.issue(role, **more)}",
        }
        return made

    return device


def choose(client, person, **form):
    return client.post(f"/people/{person.id}/face", data=form)


def send(client, person, content):
    return choose(client, person, photo=(io.BytesIO(content), "me.jpg"))


def shown(page):
    """The addresses of the faces on a page."""
    return re.findall(r'<span class="face [^"]+"><img src="([^"]+)"', page.text)


def test_each_face_has_a_drawing_and_a_word_for_who_cannot_see_it():
    assert set(FACES) == set(FACE_WORDS) == {path.stem for path in STATIC.iterdir()}
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 10_000


def test_a_chosen_face_stands_beside_the_name_on_every_page_and_the_symbol_stays(client, host, table, ann):
    assert choose(client, ann, face="fox").location == f"/people/{ann.id}"
    session = table.session.id
    pages = ("/", "/people", f"/people/{ann.id}", f"/s/{session}", f"/s/{session}/sheet", f"/s/{session}/players",
             f"/s/{session}/result", "/board/sheet")  # fmt: skip
    host.active.hold(session)  # The board shows the active game.
    for page in pages:
        faces = shown(client.get(page))
        assert faces, page
        assert all("faces/fox.svg" in face for face in faces), page
    assert client.get(f"/s/{session}").text.count('class="mark"') >= 2


def test_another_face_takes_its_place_and_none_leaves_the_symbol_alone(client, ann):
    for face in ("fox", "owl", ""):
        choose(client, ann, face=face)
        assert ["owl" in one for one in shown(client.get("/people"))] == ([face == "owl"] if face else [])
    assert choose(client, ann, face="dragon").status_code == 400


def test_a_photo_becomes_a_small_square_without_its_data(client, host, ann):
    content = photo(exif=GPS)
    assert b"latitude" in content
    assert send(client, ann, content).status_code == 303
    (address,) = shown(client.get("/people"))
    answer = client.get(address)
    assert answer.mimetype == "image/jpeg"
    assert set(answer.headers["Cache-Control"].split(", ")) == {"no-cache", "private"}
    assert b"latitude" not in answer.data
    assert b"Exif" not in answer.data
    assert len(answer.data) < 20_000
    picture = cv2.imdecode(np.frombuffer(answer.data, np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (FACE_PX, FACE_PX, 3)
    assert (picture[:, :, 2] > 200).all()  # the red middle, and nothing of the blue sides
    assert client.get(address, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("content", [b"", b"no photo", photo()[:400]])
def test_what_is_no_photo_is_refused_and_changes_nothing(host, ann, content):
    assert encode(EncodePhoto("t", content, PhotoUse.FACE)).jpeg == b""
    assert encode(EncodePhoto("t", content, PhotoUse.FACE)).sentence.endswith(".")
    assert host.people.profile(ann.id).face == ""


def test_where_no_photo_can_be_opened_a_sentence_says_what_to_do(client, host, ann):
    connect(host, encode_photo=no_encoder)
    refused = send(client, ann, photo())
    assert refused.status_code == 503
    assert "Choose a drawn face." in refused.text


def test_a_photo_goes_with_its_person_and_with_the_next_face(client, host, ann, tmp_path):
    send(client, ann, photo())
    (address,) = shown(client.get("/people"))
    choose(client, ann, face="cat")
    assert client.get(address).status_code == 404
    send(client, ann, photo(400))
    (address,) = shown(client.get("/people"))
    copy = tmp_path / "backups" / "journal-2026-01-01.sqlite3"
    copy.parent.mkdir()
    backup(host.journal.path, copy)
    start = FACE_PHOTO.for_key(ann.id).of(host.journal)[:300].encode()
    files = (copy, host.journal.path)
    assert all(start in everything_in(path.parent) for path in files)
    client.post(f"/people/{ann.id}/delete")
    assert client.get(address).status_code == 404
    assert shown(client.get("/")) == []
    assert not any(start in everything_in(path.parent) for path in files)


def test_before_a_person_is_deleted_the_page_says_that_the_face_goes_too(client, ann):
    page = client.get(f"/people/{ann.id}").text
    deletes = page.partition("This deletes ")[2].partition(".")[0]
    assert "face (drawing or photo)" in deletes


def test_a_restored_house_has_its_faces(host, client, ann, tmp_path):
    send(client, ann, photo())
    (address,) = shown(client.get("/people"))
    backup(host.journal.path, tmp_path / "copy.sqlite3")
    (tmp_path / "again").mkdir()
    restore(tmp_path / "copy.sqlite3", tmp_path / "again" / "journal.sqlite3", "old")
    again = Host(Journal(tmp_path / "again" / "journal.sqlite3"))
    assert create_app(again).test_client().get(address).data == client.get(address).data
    again.close()


def test_the_file_of_all_that_is_known_has_the_face(client, ann):
    choose(client, ann, face="owl")
    assert client.get(f"/people/{ann.id}.json").json["face"] == "owl"
    send(client, ann, photo())
    (address,) = shown(client.get("/people"))
    assert b64decode(client.get(f"/people/{ann.id}.json").json["face_photo"]) == client.get(address).data


def test_no_photo_leaves_the_house_by_a_result_picture_an_overlay_or_an_export(client, host, table, ann):
    send(client, ann, photo())
    digest = host.people.profile(ann.id).face
    host.active.hold(table.session.id)
    session = table.session.id
    for page in (
        f"/s/{session}/result.svg",
        "/overlay",
        "/overlay/sheet",
        f"/api/sessions/{session}/export",
        "/api/people",
    ):
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert digest.encode() not in answer.data, page
    assert digest in client.get("/board").text


def test_who_may_choose_a_face(guest, host, table, ann):
    own, other = table.session.players
    session = table.session.id
    elsewhere = host.create("sack_stackers", ["Cy", "Di"], {}).session.id
    expected = [
        (guest(Role.PLAYER, session=session, player=own), 303),  # Ann's own phone
        (guest(Role.PLAYER, session=session), 303),  # the tablet of this table
        (guest(Role.PLAYER), 303),  # the house's tablet
        (guest(Role.HOST), 303),
        (guest(Role.PLAYER, session=session, player=other), 403),
        (guest(Role.PLAYER, session=elsewhere), 403),
        (guest(Role.WATCHER), 403),
    ]
    for number, (device, status) in enumerate(expected):
        assert choose(device, ann, face=FACES[number]).status_code == status, number
        assert (device.get(f"/people/{ann.id}/face").status_code == 200) == (status == 303), number
    assert host.people.profile(ann.id).face == FACES[3]


def test_a_phone_of_one_game_sees_the_photos_of_its_game(guest, client, table, ann):
    send(client, ann, photo())
    phone = guest(Role.WATCHER, session=table.session.id)
    (address,) = shown(phone.get(f"/s/{table.session.id}"))[:1]
    assert phone.get(address).status_code == 200


def test_open_pages_follow_a_new_face(client, host, table, ann):
    before = host.live.counts.get(f"session:{table.session.id}")
    client.get(f"/s/{table.session.id}/sheet")
    choose(client, ann, face="lion")
    assert host.live.counts.get(f"session:{table.session.id}") != before
    assert "lion" in client.get(f"/s/{table.session.id}/sheet").text


# the record


def ended(number, ranking, winners=None, over=True, stood_in=()):
    """A game of Ann (a…), Bob (b…) and Cy (c…), where the ranking says which of them are placed how."""
    players = tuple(player for alike in ranking for player in alike)
    score = {player: 10 - place for place, alike in enumerate(ranking) for player in alike}
    winners = tuple(ranking[0]) if winners is None else winners
    outcome = Outcome(over, score, winners, tuple(tuple(alike) for alike in ranking), stood_in)
    return Played(f"s{number}", "sack_stackers", tuple(sorted(players)), wall_us() + number, outcome)


def test_wins_in_a_row_and_rivals_of_games_worked_out_by_hand(client, host, monkeypatch):
    people = {letter: host.people.add(name) for letter, name in (("a", "Ann"), ("b", "Bob"), ("c", "Cy"))}
    games = [  # in the order in which they were played
        ended(1, [["a1"], ["b1"]]),
        ended(2, [["a2"], ["b2"], ["c2"]]),
        ended(3, [["a3"], ["c3"]]),
        ended(4, [["b4"], ["a4"]]),
        ended(5, [["a5"], ["b5"]], stood_in=("a5",)),  # somebody else won for Ann
        ended(6, [["a6", "b6"], ["c6"]]),  # a team: both won, and neither was ahead
        ended(7, [["a7"]]),  # alone
        ended(8, [["b8"], ["a8"]], over=False),
        ended(9, [["a9"], ["b9"]], stood_in=("b9",)),  # somebody else lost for Bob
    ]
    with host.journal.changing() as db:
        for game in games:
            for player in game.players:
                db.execute("INSERT INTO players VALUES (?, ?, NULL)", (player, people[player[0]].name))
                db.execute("INSERT INTO seats VALUES (?, ?)", (player, people[player[0]].id))
    monkeypatch.setattr(host.outcomes, "all", lambda: tuple(reversed(games)))
    page = client.get(f"/people/{people['a'].id}").text
    figures = dict(re.findall(r"<div><dt>([^<]+)</dt><dd>(\d+)</dd></div>", page))
    # Won: 1, 2, 3, 6, 9; lost: 4. Games 5, 7 and 8 are none of these.
    expected = {"Games": "9", "Finished": "8", "Won": "5", "Won in a row": "2", "Most in a row": "3"}
    assert figures == expected
    against = re.findall(r'<strong>(\w+)</strong><span class="small">(\d+) games, ahead in (\d+)<', page)
    # Bob: 1, 2, 4 and 6, ahead in 1 and 2. Cy: 2, 3 and 6, ahead in all.
    assert against == [("Bob", "4", "2"), ("Cy", "3", "3")]
    host.people.erase(people["b"].id)
    assert "Bob" not in client.get(f"/people/{people['a'].id}").text
