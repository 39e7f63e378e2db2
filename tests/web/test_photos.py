"""A photo that somebody takes: whose it may be, what becomes of it, and what is refused."""

import io
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import Context

import pytest

from companion.demo.things import TablePiece
from companion.errors import BadInput, CameraUnavailable, NotAllowed, TooManyTries
from companion.game.readings import DiceReading, DieReading, Kind, ReadPhoto, Settled
from companion.games.maxstax.events import Readied, Shouted, Started
from companion.games.speedstax.rules import CardTurned
from companion.house.photos import Places
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.sensing.asking import ShownBy
from tests.parts import connect
from tests.photographs import board_without_mat, dice_table, photo_of
from tests.web.test_streams import until
from vision.process.photos import answer, read_photo
from vision.watch.known_table import KnownTable
from web.app import create_app

TWO = photo_of(dice_table(3, 5))


@pytest.fixture
def house(host):
    """A house without a camera, which reads photos in the test's own process."""

    def read(content, watching, taken_us):
        return read_photo(ReadPhoto("t", content, watching, taken_us), KnownTable())

    connect(host, read_photo=read)
    host.photos._read = read
    return host


@pytest.fixture
def table(house):
    return house.create("sack_stackers", ["Ann", "Bob"], {})


@pytest.fixture
def device(host):
    """A device with a ticket for one seat, for the whole table, or to look on."""
    app = create_app(host)

    def device_of(role, table=None, player=None):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        ticket = host.access.tickets.issue(role, session=table.session.id if table else None, player=player)
        found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
        return found

    return device_of


def sent(device, table, photo=TWO, event_id="photo1", **query):
    query = {"event_id": event_id, "seen_seq": table.seq, **query}
    return device.post(
        f"/api/sessions/{table.session.id}/photo", query_string=query, data=photo, content_type="image/jpeg"
    )


def test_a_photo_of_two_dice_is_the_roll(house, table, device):
    answer = sent(device(Role.PLAYER), table)
    assert answer.json == {"entered": 1}
    entry = table.entries[0]
    assert sorted(entry.body.event.dice) == [3, 5]
    assert entry.source == "camera"
    assert entry.reading["accepted"]
    assert house.journal.picture(entry.reading["picture"])


def test_the_same_request_is_answered_alike_and_counts_once(table, device):
    first, again = (sent(device(Role.PLAYER), table) for _ in range(2))
    assert first.json == again.json == {"entered": 1}
    assert table.seq == 1


def test_a_question_that_is_sent_twice_is_one_question(house, table, device):
    house.asking.set_accepts(Kind.DICE, False)
    first, again = (sent(device(Role.PLAYER), table) for _ in range(2))
    assert first.json == again.json
    assert [one.id for one in house.questions.of(table.session.id)] == [first.json["proposal"]]


PIECE = (TablePiece(2, 1, "white"),)


@pytest.fixture
def board(house):
    return house.create("sandpile_panic", ["Ann", "Bob"], {})


def test_a_board_without_a_mat_asks_for_its_corners_and_then_what_the_camera_sees(house, board, device):
    photo, corners = board_without_mat(PIECE)
    phone = device(Role.PLAYER)
    first = sent(phone, board, photo)
    assert first.status_code == 200
    assert first.json["wants"] == "corners"
    assert "four corners" in first.json["remark"]
    assert house.questions.of(board.session.id) == ()
    text = ",".join(f"{share:.4f}" for corner in corners for share in corner)
    second = sent(phone, board, photo, "photo2", corners=text)
    (asked,) = house.questions.of(board.session.id)
    assert second.json == {"proposal": asked.id}
    assert asked.event.at == "r3c2"
    assert board.seq == 0  # nobody has shown the camera these pieces: it asks


def test_corners_hold_for_the_next_photo_until_one_no_longer_fits_the_game(house, board, device):
    photo, corners = board_without_mat(PIECE)
    text = ",".join(f"{share:.4f}" for corner in corners for share in corner)
    phone = device(Role.PLAYER)
    assert "proposal" in sent(phone, board, photo, "tapped", corners=text).json
    again = sent(phone, board, photo, "again").json
    assert "proposal" in again
    strange = board_without_mat((*PIECE, TablePiece(0, 0, "black"), TablePiece(4, 4, "black")))[0]
    assert "wants" not in sent(phone, board, strange, "strange").json  # found, but no move leads there
    assert sent(phone, board, photo, "anew").json["wants"] == "corners"


def test_deleted_pictures_take_the_boards_corners_with_them(house, board, device):
    photo, corners = board_without_mat(PIECE)
    text = ",".join(f"{share:.4f}" for corner in corners for share in corner)
    sent(device(Role.PLAYER), board, photo, "tapped", corners=text)
    house.delete_pictures()
    assert sent(device(Role.PLAYER), board, photo, "anew").json["wants"] == "corners"


@pytest.mark.parametrize("corners", ["0.1", "0,0,1,0,1,1,0", "0,0,1,0,1,1,0,2", "0,0,1,0,1,1,0,x", "nan,0,1,0,1,1,0,1"])
def test_other_corners_than_four_are_one_sentence(board, device, corners):
    answer = sent(device(Role.PLAYER), board, board_without_mat(PIECE)[0], corners=corners)
    assert answer.status_code == 400
    assert "eight numbers" in answer.json["error"]


def test_too_many_dice_are_a_remark_on_every_page(house, table, device):
    answer = sent(device(Role.PLAYER), table, photo_of(dice_table(1, 2, 3)))
    assert "3 dice" in answer.json["remark"]
    assert house.remarks.of(table.session.id).text == answer.json["remark"]
    assert table.seq == 0


def test_who_looks_on_reads_what_the_camera_asks_and_has_nothing_to_answer_with(house, table, device):
    sure, doubt = ((True, ((3, 1.0),)), (False, ((5, 0.6), (6, 0.4))))
    dice = tuple(
        DieReading(ways[0][0], 50, 50, 40, 40, 0, "white", 0.99, *(is_sure, ways)) for is_sure, ways in (sure, doubt)
    )
    house.on_reading(Settled(DiceReading(640, 480, dice), 1, 2, b"frame", (b"first", b"second")))
    watching, playing = (device(role).get(f"/s/{table.session.id}").text for role in (Role.WATCHER, Role.PLAYER))
    for mark, is_for_both in (("The camera asks", True), ("data-value", False), ("data-post", False)):
        question = [
            page.partition('<section class="question"')[2].partition("</section>")[0] for page in (watching, playing)
        ]
        assert [mark in text for text in question] == [is_for_both, True], mark


def test_who_looks_on_shows_no_photo(table, device):
    assert sent(device(Role.WATCHER), table).status_code == 403
    assert table.seq == 0


def test_a_seat_shows_photos_for_its_own_turn_alone(house, device):
    table = house.create("sandpile_panic", ["Ann", "Bob"], {})
    (next_one,) = table.game.rules.awaiting(table.state)
    (other,) = set(table.session.players) - {next_one}
    refused = sent(device(Role.PLAYER, table, other), table)
    assert refused.status_code == 403
    assert "another seat" in refused.json["error"]
    assert sent(device(Role.PLAYER, table, next_one), table).json["wants"] == "corners"
    pages = [
        device(Role.PLAYER, table, seat).get(f"/s/{table.session.id}?player={seat}").text for seat in (other, next_one)
    ]
    pages.append(device(Role.WATCHER).get(f"/s/{table.session.id}").text)
    assert ["data-photo" in page for page in pages] == [False, True, False]
    elsewhere = house.create("sack_stackers", ["Ann", "Bob"], {})
    assert sent(device(Role.PLAYER, table, next_one), elsewhere).status_code == 403


def test_an_old_page_enters_nothing(table, device):
    phone = device(Role.PLAYER)
    assert sent(phone, table).json == {"entered": 1}
    late = sent(phone, table, photo_of(dice_table(2, 2)), "photo2", seen_seq=0)
    assert "entered" not in late.json
    assert table.seq == 1


@pytest.mark.parametrize(
    ("query", "photo", "status", "said"),
    [
        ({}, b"", 400, "The photo is empty. Take it again."),
        ({}, b"GIF89a", 400, "isn't a photo"),
        ({"event_id": "a b"}, TWO, 400, "An event id has 1 to 64 letters, digits, '-' or '_'. Make a new one."),
        ({"kind": "cat"}, TWO, 400, "A photo shows one of dice, "),
        ({"kind": "board"}, TWO, 422, "The game needs a different photo now. Take one of the dice."),
        ({"seen_seq": "x"}, TWO, 400, "seen_seq"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_and_changes_nothing(table, device, query, photo, status, said):
    answer = sent(device(Role.PLAYER), table, photo, **query)
    assert (answer.status_code, answer.json["error"].count("\n")) == (status, 0)
    assert answer.json["error"].endswith(".")
    assert said in answer.json["error"]
    assert table.seq == 0


@pytest.mark.parametrize(
    ("photo", "said"),
    [
        (b"GIF89a", "Diese Datei ist kein Foto"),
        (photo_of(dice_table(4))[:-20_000], "Diese Datei ist beschädigt"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x02\0\0\0", "65535 × 65535 Pixel"),
        (b"\0\0\0\x18ftypheic" + bytes(40), "Diese Datei ist beschädigt"),
    ],
)
def test_what_the_reader_refuses_is_said_in_the_language_of_who_sent_it(host, device, photo, said, tmp_path):
    """The reader is a process of its own, which knows no visitor's language: what it says comes through a pipe."""

    def read(content, watching, taken_us):
        asked = ReadPhoto("t", content, watching, taken_us)
        told = pickle.loads(pickle.dumps(Context().run(answer, asked, tmp_path / "none.json")))
        raise BadInput(told.sentence)

    host.photos._read = read
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    german = device(Role.PLAYER)
    german.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"
    assert said in sent(german, table, photo).json["error"]


def test_a_photo_has_a_largest_size(table, device):
    assert sent(device(Role.PLAYER), table, b"\xff\xd8\xff" + bytes(25_000_001)).status_code == 413


class Unread(io.BytesIO):
    """A body of which nothing may be read."""

    def readinto(self, buffer):
        raise AssertionError("the photo was received")

    read = readall = readinto


class Timed(io.BytesIO):
    """A body whose time is over unless it begins anew after the wait for a place."""

    is_over = True

    def begin(self):
        self.is_over = False

    def read(self, *size):
        assert not self.is_over, "the time that it waited was counted"
        return super().read(*size)


def test_the_wait_for_a_place_is_not_counted_as_the_phones(house, table, device):
    phone = device(Role.PLAYER)
    answer = phone.post(
        f"/api/sessions/{table.session.id}/photo",
        query_string={"event_id": "photo1", "seen_seq": 0},
        input_stream=Timed(TWO),
        content_type="image/jpeg",
    )
    assert answer.json == {"entered": 1}


def test_photos_wait_for_their_place_before_they_are_received(house, table, device, monkeypatch):
    monkeypatch.setattr("companion.house.photos.PATIENCE_S", 0.0)
    phone = device(Role.PLAYER)
    with ExitStack() as others:
        for name in "abcd":
            others.enter_context(house.photos.places.place(name, name))
        refused = phone.post(
            f"/api/sessions/{table.session.id}/photo",
            query_string={"event_id": "photo1", "seen_seq": 0},
            input_stream=Unread(TWO),
            content_type="image/jpeg",
        )
        assert (refused.status_code, table.seq) == (429, 0)
        assert sent(device(Role.HOST), table).json == {"entered": 1}  # There is a place more for the host.


def test_who_keeps_sending_comes_after_whoever_waits():
    places, order = Places(), []

    def send(name):
        with places.place(name, name):
            order.append(name)

    with ExitStack() as four, ThreadPoolExecutor(2) as others:
        for name in "bcd":
            four.enter_context(places.place(name, name))
        with places.place("a", "a"):
            waits = others.submit(send, "e")
            until(lambda: places.waiting)
        again = others.submit(send, "a")
        waits.result(timeout=20)
        again.result(timeout=20)
    assert order == ["e", "a"]


def test_a_device_with_many_tickets_comes_after_one_that_has_none_here():
    places, order = Places(), []

    def send(name, share):
        with places.place(name, share):
            order.append(name)

    with ExitStack() as four, ThreadPoolExecutor(2) as others:
        for name in "bcd":
            four.enter_context(places.place(name, "many"))
        with places.place("a", "other"):
            waits = [others.submit(send, "f", "many")]
            until(lambda: "f" in places.waiting)
            waits.append(others.submit(send, "e", "own"))
            until(lambda: "e" in places.waiting)
        for each in waits:
            each.result(timeout=20)
    assert order == ["e", "f"]


def test_a_photo_that_takes_too_long_leaves_its_place_to_those_who_wait(monkeypatch):
    monkeypatch.setattr("companion.house.photos.SLOW_S", 0.0)
    places = Places()
    with ExitStack() as four, ThreadPoolExecutor(1) as others:
        stays = [four.enter_context(places.place(name, name)) for name in "abcd"]
        stays[0]()  # Nobody waits yet.
        waits = others.submit(lambda: places.place("e", "e").__enter__())
        until(lambda: places.waiting)
        with pytest.raises(TooManyTries, match="others are waiting"):
            stays[0]()
        four.close()
        waits.result(timeout=20)


def test_the_photo_of_another_seat_is_not_even_received(house, device):
    table = house.create("sandpile_panic", ["Ann", "Bob"], {})
    (next_one,) = table.game.rules.awaiting(table.state)
    (other,) = set(table.session.players) - {next_one}
    refused = device(Role.PLAYER, table, other).post(
        f"/api/sessions/{table.session.id}/photo",
        query_string={"event_id": "photo1", "seen_seq": 0},
        input_stream=Unread(TWO),
        content_type="image/jpeg",
    )
    assert refused.status_code == 403


def test_a_device_has_one_photo_here_at_a_time(house):
    with house.photos.places.place("a", "a"):
        with pytest.raises(TooManyTries), house.photos.places.place("a", "a"):
            pass
        with house.photos.places.place("b", "b"):
            pass
    with house.photos.places.place("a", "a"):
        pass


def test_who_may_not_enter_what_a_photo_shows_changes_nothing(house, table):
    def refuse(_event):
        raise NotAllowed("It is another seat's turn.")

    before = house.questions.now
    with pytest.raises(NotAllowed):
        house.photos.take(table, TWO, None, ShownBy(Origin("photo1", 0, "camera"), refuse))
    assert (table.seq, house.remarks.of(table.session.id), house.questions.now) == (0, None, before)


def test_a_reader_that_fails_is_said(house, table, device):
    def fails(*_what):
        raise CameraUnavailable("The photo couldn't be read in time. Try again, or tap.")

    house.photos._read = fails
    answer = sent(device(Role.PLAYER), table)
    assert (answer.status_code, table.seq) == (503, 0)
    assert "Try again" in answer.json["error"]


def test_a_page_without_scripts_posts_a_form(table, device):
    phone = device(Role.PLAYER)
    page = phone.get(f"/s/{table.session.id}").text
    assert "Take a photo of the dice" in page
    assert 'enctype="multipart/form-data"' in page
    form = {"photo": (io.BytesIO(TWO), "IMG_1.JPG")}
    answer = phone.post(f"/s/{table.session.id}/photo?kind=dice&seen_seq=0", data=form)
    assert (answer.status_code, table.seq) == (303, 1)
    assert phone.post(f"/s/{table.session.id}/photo", data={}).status_code == 400


def test_where_a_camera_sees_the_dice_nobody_is_asked_for_a_photo(house, table, device):
    house.status.set("camera", "ok", "The camera sees the table.")
    assert "Take a photo" not in device(Role.PLAYER).get(f"/s/{table.session.id}").text
    house.status.set("camera", "down", "The camera is unplugged.")
    assert "Take a photo" in device(Role.PLAYER).get(f"/s/{table.session.id}").text


def test_stacks_are_photographed_once_nobody_builds_any_more(house, device):
    table = house.create("speedstax", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    go_us = house.clock.now_us() - 100_000_000
    begun = (CardTurned(7), Readied(ann), Readied(bob), Started(go_us - 3_000_000), Shouted(ann, go_us + 20_000_000))
    for event in begun:
        table.submit(event, Origin(f"e{table.seq}", source="button"))
    page = lambda: device(Role.PLAYER).get(f"/s/{table.session.id}").text  # noqa: E731
    assert "Take a photo of the stacks of blocks" not in page()
    table.submit(Shouted(bob, go_us + 30_000_000), Origin("last", source="button"))
    assert "Take a photo of the stacks of blocks" in page()
    house.status.set("front camera", "ok", "The camera sees the stacks.")
    assert "Take a photo" not in page()
