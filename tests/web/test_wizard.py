"""Setting up the table: its name, what is pressed, what the camera sees."""

import pytest

from companion.game.box import Device, Light, Phase, Signal
from companion.house.box_test import TRIAL_US
from companion.journal.events import Origin
from tests.parts import connect

BUTTONS = ((Device.SEAT, 1), (Device.SEAT, 2), (Device.UNDO, None))


@pytest.fixture
def looks(host):
    """A box with two seats and an undo button; what it was told to show."""
    connect(host, buttons=BUTTONS)
    shown = []
    connect(host, show=shown.append)
    return shown


def press(host, device=Device.SEAT, seat=None, pressed=True):
    host.presses.hear(Signal(device, pressed, host.clock.now_us(), seat))


def test_the_first_page_leads_here_until_it_is_done(client):
    assert "/wizard" in client.get("/").text
    assert client.post("/wizard/done").status_code == 303
    assert "/wizard" not in client.get("/").text


def test_the_name_stands_on_every_page(client):
    client.post("/wizard/name", data={"name": "  The   <Attic> "})
    for address in ("/", "/new", "/wizard"):
        assert "The &lt;Attic&gt;" in client.get(address).text
    client.post("/wizard/name", data={"name": ""})
    assert "Table companion" in client.get("/").text


def test_a_name_too_long_is_cut(client, host):
    client.post("/wizard/name", data={"name": "x" * 1000})
    assert len(host.journal.setting("table_name", "")) < 100


def test_each_press_is_shown_and_lights_its_own_led(client, host, looks):
    assert "press it" in client.get("/wizard").text
    press(host, seat=2)
    assert looks[-1].lights[:2] == (Light.OFF, Light.ON)
    assert "pressed now" in client.get("/wizard/parts").text
    press(host, seat=2, pressed=False)
    assert looks[-1].lights[:2] == (Light.OFF, Light.OFF)
    page = client.get("/wizard/parts").text
    assert "pressed once" in page
    assert "Every button works" not in page


def test_when_every_button_was_pressed_it_says_so(client, host, looks):
    client.get("/wizard")
    for device, seat in BUTTONS:
        press(host, device, seat)
        press(host, device, seat, pressed=False)
    assert "Every button works." in client.get("/wizard/parts").text


def test_the_check_asks_for_each_button_and_says_which_are_swapped(client, host, looks):
    assert "Press “Seat 1” now." in client.get("/wizard").text
    press(host, seat=2)
    assert "“Seat 2” came. Press “Seat 1” once more" in client.get("/wizard/parts").text
    for seat in (2, 1, 1):
        press(host, seat=seat)
    told = "“Seat 1” and “Seat 2” are swapped"
    assert told in client.get("/wizard/parts").text
    assert told in client.get("/").text
    assert told in client.get("/house").text


def test_a_button_that_is_left_out_is_named_where_it_is_tried(client, host, looks):
    host.status.set("button seat-2", "warn", "The button “Seat 2” is down all the time.")
    assert "The button “Seat 2” is down all the time." in client.get("/wizard").text


def test_the_status_light_and_the_buzzer_are_tried_by_the_other_buttons(client, host, looks):
    client.get("/wizard")
    press(host, Device.UNDO)
    assert looks[-1].phase is Phase.WRONG


def test_no_press_reaches_a_game_while_somebody_looks(client, host, looks, sack):
    from companion.games.sack_stackers.events import Rolled

    sack.submit(Rolled((1, 4)), Origin("roll", 0))
    client.get("/wizard")
    press(host, Device.UNDO)
    assert sack.seq == 1
    host.clock.offset_us += TRIAL_US
    press(host, Device.UNDO)
    assert sack.seq == 2


def test_done_gives_the_box_back_to_the_game_at_once(client, host, looks, sack):
    client.get("/wizard")
    press(host, seat=1)
    client.post("/wizard/done")
    host.active.refresh_look()
    assert looks[-1] == sack.game.box.look(sack.state, host.clock.now_us())


def test_without_a_game_the_box_rests_afterwards(client, host, looks):
    client.get("/wizard")
    press(host, seat=1)
    client.post("/wizard/done")
    host.active.refresh_look()
    assert (looks[-1].phase, looks[-1].lights) == (Phase.WAITING, ())


def test_without_a_box_and_a_camera_the_page_says_what_there_is(client):
    page = client.get("/wizard").text
    assert "No button box" in page
    assert "No camera" in page
    assert "data-photo" not in page


def test_the_camera_is_asked_for_a_photo_and_it_is_shown(client, host):
    asked = []
    connect(host, photograph=lambda: asked.append("photo"))
    host.status.set("camera", "ok", "The camera sees the table.")
    assert client.get("/wizard/photo.jpg").status_code == 404
    assert client.post("/wizard/photo").status_code == 303
    assert asked == ["photo"]
    assert "photo.jpg" not in client.get("/wizard/parts").text
    host.photo = b"\xff\xd8 a picture"
    assert "photo.jpg" in client.get("/wizard/parts").text
    shown = client.get("/wizard/photo.jpg")
    assert (shown.mimetype, shown.data) == ("image/jpeg", host.photo)


def test_a_camera_that_is_down_says_why(client, host):
    host.status.set("camera", "down", "No camera answers: check the cable.")
    refused = client.post("/wizard/photo", headers={"X-Requested-With": "companion"})
    assert (refused.status_code, refused.json["error"]) == (503, "No camera answers: check the cable.")


def test_guests_do_not_set_up_the_table(client, host):
    from companion.journal.devices import Role

    token = host.access.tickets.issue(Role.PLAYER)
    guest = client.application.test_client()
    guest.environ_base |= {"REMOTE_ADDR": "192.168.1.20", "HTTP_AUTHORIZATION": f"Bearer {token}"}
    for address in ("/wizard", "/wizard/parts", "/wizard/photo.jpg"):
        assert guest.get(address).status_code == 403
    assert "/wizard" not in guest.get("/").text


def test_the_host_sees_where_others_find_the_table(client, host):
    assert "Type http" not in client.get("/").text
    host.status.set_addresses(("http://table-2.local", "http://192.168.1.20", "http://10.42.0.1"))
    page = client.get("/").text
    assert "Type http://table-2.local or http://192.168.1.20 into its browser, then a code or the PIN." in page


def test_a_code_for_a_guest_carries_the_settled_name(client, host):
    host.status.set_addresses(("http://table-2.local", "http://192.168.1.20"))
    page = client.post("/house/link", data={"role": "player"}, headers={"Host": "localhost"}).text
    assert "http://table-2.local/join/" in page
