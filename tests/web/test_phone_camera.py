"""The page and the posts of a phone that is a camera: who may, and what is refused."""

import html

import pytest

from companion.cameras.phone import PhoneCamera
from companion.demo.table import DemoTable
from companion.journal.devices import Role
from companion.sensing.process_messages import PictureWanted
from tests.parts import connect
from web.app import create_app

ELSEWHERE = {"Via": "1.1 a test"}
JPEG = b"\xff\xd8 a picture"


@pytest.fixture
def sent():
    return []


@pytest.fixture
def table(host, sent):
    connect(host, phones={"camera": PhoneCamera(sent.append, lambda: None, taken_s=0.0)})
    return host


def client_of(table, role):
    """A device of that role in the network; None for a stranger."""
    client = create_app(table).test_client()
    client.environ_base["HTTP_VIA"] = ELSEWHERE["Via"]
    if role:
        token = table.access.tickets.issue(Role(role), label="a phone")
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def allowed(table):
    phone = table.outside.phones["camera"].allowed
    return phone.label if phone else None


def test_a_player_asks_and_the_host_allows_with_one_tap(table, sent):
    player, own = client_of(table, "player"), create_app(table).test_client()
    assert player.post("/camera/above/picture", data=JPEG).status_code == 403
    assert player.post("/camera/above/ask").json == {"allowed": False}
    assert "a phone wants to be the camera above the table." in own.get("/").text
    device = table.outside.phones["camera"].asking[0].device
    assert player.post("/camera/above/answer", data={"device": device, "answer": "allow"}).status_code == 403
    answer = own.post("/camera/above/answer", data={"device": device, "answer": "allow"})
    assert (answer.status_code, allowed(table)) == (303, "a phone")
    assert "a phone is the camera above the table." in own.get("/").text
    table.outside.phones["camera"].hear(PictureWanted(1, full=False))
    assert player.post("/camera/above/picture", data=JPEG).json == {"full": False}
    assert sent[0].content == JPEG
    assert player.post("/camera/above/leave").json == {}
    assert allowed(table) is None


def test_the_hosts_own_phone_need_not_ask(table):
    assert client_of(table, "host").post("/camera/above/ask").json == {"allowed": True}
    assert allowed(table) == "a phone"


def test_a_player_with_a_seat_of_their_own_may_ask_and_the_host_sees_whose_phone_it_is(table, sent):
    game = table.create("sack_stackers", ["Ann", "Bob"], {})
    token = table.access.tickets.issue(Role.PLAYER, session=game.session.id, player=game.session.players[0])
    phone, own = create_app(table).test_client(), create_app(table).test_client()
    phone.environ_base |= {"HTTP_VIA": ELSEWHERE["Via"], "HTTP_AUTHORIZATION": f"Bearer {token}"}
    assert "data-begin" in phone.get("/camera", base_url="https://192.168.1.2").text
    assert phone.post("/camera/above/ask").json == {"allowed": False}
    assert "Ann's phone wants to be the camera above the table." in html.unescape(own.get("/").text)
    own.post("/camera/above/answer", data={"device": table.access.tickets.id_of(token), "answer": "allow"})
    assert "Ann's phone is the camera above the table." in html.unescape(own.get("/").text)
    table.outside.phones["camera"].hear(PictureWanted(1, full=False))
    assert phone.post("/camera/above/picture", data=JPEG).json == {"full": False}
    assert sent[0].content == JPEG
    table.rename_player(game, game.session.players[0], "Anna")
    assert "Anna's phone is the camera" in html.unescape(own.get("/").text)


def test_two_phones_are_two_cameras_each_with_pictures_of_its_own(table, sent):
    front = []
    both = {**table.outside.phones, "front camera": PhoneCamera(front.append, lambda: None, taken_s=0.0)}
    connect(table, phones=both)
    above, before_blocks = client_of(table, "host"), client_of(table, "host")
    assert above.post("/camera/above/ask").json == before_blocks.post("/camera/front/ask").json == {"allowed": True}
    for phone in both.values():
        phone.hear(PictureWanted(1, full=False))
    before_blocks.post("/camera/front/picture", data=JPEG + b"blocks")
    above.post("/camera/above/picture", data=JPEG + b"dice")
    assert ([each.content for each in sent], [each.content for each in front]) == ([JPEG + b"dice"], [JPEG + b"blocks"])
    assert above.post("/camera/front/picture", data=JPEG).status_code == 403
    seen = page(table, "/")
    assert "a phone is the camera above the table." in seen
    assert "a phone is the front camera." in seen


@pytest.mark.parametrize("role", ["watcher", None])
def test_who_only_watches_is_no_camera(table, role):
    assert client_of(table, role).post("/camera/above/ask").status_code == 403


def test_what_is_no_picture_is_one_sentence(table):
    phone = client_of(table, "host")
    phone.post("/camera/above/ask")
    refused = phone.post("/camera/above/picture", data=b"GIF89a", headers={"X-Requested-With": "companion"})
    assert (refused.status_code, "isn't a JPEG" in refused.json["error"]) == (400, True)
    assert phone.post("/camera/above/picture", data=JPEG + bytes(8_000_000)).status_code == 413


def test_a_picture_of_another_phone_is_refused_before_it_is_received(table):
    refused = client_of(table, "player").post("/camera/above/picture", data=JPEG + bytes(8_000_000))
    assert refused.status_code == 403


def test_a_place_without_a_phone_says_how_to_start_with_one(table):
    refused = client_of(table, "host").post("/camera/front/ask", headers={"X-Requested-With": "companion"})
    assert (refused.status_code, "--camera phone" in refused.json["error"]) == (503, True)


def test_a_request_of_nobody_is_refused(table):
    own = create_app(table).test_client()
    assert own.post("/camera/above/answer", data={"device": "x", "answer": "allow"}).status_code == 404


def test_plain_http_says_why_there_is_no_camera_and_what_to_do(table):
    by_address = create_app(table).test_client().get("/camera", base_url="http://192.168.1.2:8000")
    assert by_address.status_code in (200, 403)
    phone = client_of(table, "player")
    plain, secure = (phone.get("/camera", base_url=f"{scheme}://192.168.1.2") for scheme in ("http", "https"))
    assert "Browsers give their camera to https pages only" in plain.text
    assert "data-begin" not in plain.text
    assert "data-begin" in secure.text
    assert "Browsers give their camera" not in secure.text


OFFER = "No camera looks at your table. A phone can read the dice instead."

DRAWN = "This demo uses a simulated camera. A phone can read your own dice."


def page(table, path, **settings):
    return html.unescape(create_app(table).test_client().get(path, **settings).text)


@pytest.mark.parametrize("path", ["/", "/wizard", "/wizard/parts"])
def test_where_no_camera_is_found_a_phone_is_offered_until_it_is_the_camera(table, path):
    assert OFFER in page(table, path)
    assert "Take photos with a phone" in page(table, path)
    assert "Use a phone as the camera" in page(table, path)
    table.status.set("camera", "ok", "The camera sees the table.")
    assert OFFER not in page(table, path)


@pytest.mark.parametrize(
    ("parts", "lead"),
    [
        (("camera", "box"), "The camera reads the dice, buttons stop the clock, and every tablet keeps the score."),
        (("camera",), "The camera reads the dice, and every tablet keeps the score."),
        (("box",), "Roll and tap in your dice. Buttons stop the clock, and every tablet keeps the score."),
        ((), "Roll and tap in your dice. Every tablet keeps the score."),
    ],
)
def test_the_first_page_promises_only_what_is_there(table, parts, lead):
    for part in parts:
        table.status.set(part, "ok", "It works.")
    assert f'<p class="lead">{lead}</p>' in page(table, "/")


def test_the_first_page_offers_no_phone_once_the_table_is_set_up(table):
    create_app(table).test_client().post("/wizard/done")
    assert OFFER not in page(table, "/")


def test_the_demos_drawn_camera_looks_at_no_real_table(table):
    table.status.set("camera", "ok", "The camera sees the table.")
    connect(table, demo=DemoTable(table.clock, table.live, None))
    assert DRAWN in page(table, "/")
    game = table.create("sack_stackers", ["Ann", "Bob"], {}).session.id
    assert "Take a photo of the dice" in page(table, f"/s/{game}")
    create_app(table).test_client().post("/wizard/done")
    client_of(table, "host").post("/camera/above/ask")
    assert DRAWN not in page(table, "/wizard")
    assert "Take a photo of the dice" not in page(table, f"/s/{game}")


def test_the_page_shows_the_host_a_code_that_leads_a_phone_back_to_it(table):
    seen = page(table, "/camera", base_url="http://192.168.1.2:8000", headers=bearer(table, "host"))
    link = seen.split('class="house-link" href="')[1].split('"')[0]
    assert link.startswith("http://192.168.1.2:8000/join/")
    assert link.endswith("?to=camera")
    scanned = create_app(table).test_client().get(link, headers=ELSEWHERE)
    assert (scanned.status_code, scanned.location) == (303, "/camera")
    assert "house-link" not in page(table, "/camera", headers=bearer(table, "player"))


def test_plain_http_leads_to_the_encrypted_page_if_there_is_one(table):
    app = create_app(table)
    plain = {"base_url": "http://192.168.1.2:8000", "headers": bearer(table, "player")}
    assert "Run “companion cert”" in html.unescape(app.test_client().get("/camera", **plain).text)
    app.extensions["secure_port"] = 8443
    assert 'href="https://192.168.1.2:8443/camera"' in app.test_client().get("/camera", **plain).text
    plain["base_url"] = "http://[fd00::2]:8000"
    assert 'href="https://[fd00::2]:8443/camera"' in app.test_client().get("/camera", **plain).text


def bearer(table, role):
    """The headers of a device of that role in the network."""
    return {**ELSEWHERE, "Authorization": f"Bearer {table.access.tickets.issue(Role(role), label='a phone')}"}
