"""The house sleeps: cameras and lights are off once nobody has played for half an hour, and back with the first tap."""

import pytest

from companion.cameras import sleep
from companion.game.box import BoxLook, Device, Phase, Signal
from companion.journal.events import Origin
from tests.parts import connect

PEOPLE = {"Accept": "text/html,*/*;q=0.8"}  # What a browser says that opens a page.


@pytest.fixture
def asleep(host, monkeypatch):
    """Moves the clock on; what the cameras were told and the box was shown since."""
    clock, told, shown = [0.0], [], []
    monkeypatch.setattr(sleep.time, "monotonic", lambda: clock[0])
    connect(host, sleep=told.append, show=shown.append)
    host.sleep.stir()

    def after(seconds):
        clock[0] += seconds
        host.sleep.look()
        return told, shown

    return after


def test_half_an_hour_without_a_tap_closes_cameras_and_puts_out_the_lights(host, asleep):
    assert asleep(1799) == ([], [])
    told, shown = asleep(2)
    assert told == [True]
    assert shown == [BoxLook(Phase.ASLEEP, ())]
    assert "Tap to go on" in str(host.status.lines["sleep"].text)
    assert asleep(10_000)[0] == [True]


@pytest.mark.parametrize(
    "wake",
    [
        lambda _host, client: client.get("/", headers=PEOPLE),
        lambda _host, client: client.post("/api/sessions", json={"game": "sack_stackers", "players": ["Ann", "Bob"]}),
        lambda host, _client: host.presses.hear(Signal(Device.SEAT, True, host.clock.now_us(), 1)),
    ],
    ids=["a page", "a tap", "a press"],
)
def test_whoever_comes_wakes_it_at_once(host, client, asleep, wake):
    told, shown = asleep(1801)
    wake(host, client)
    assert told == [True, False]
    assert shown[-1].phase is Phase.WAITING
    assert "sleep" not in host.status.lines
    asleep(1799)
    assert told == [True, False]


def test_what_pages_and_programs_ask_by_themselves_wakes_nobody(client, asleep):
    told, _shown = asleep(1801)
    for address in ("/healthz", "/api/clock", "/api/parts", "/static/app.css"):
        client.get(address)
    assert told == [True]


def test_a_roll_that_a_camera_enters_keeps_the_house_awake(host, client, asleep):
    session = client.post("/api/sessions", json={"game": "stack_dice", "players": ["Ann", "Bob"]}).json["id"]
    asleep(1700)
    table = host.table(session)
    player = min(table.game.rules.awaiting(table.state))
    table.submit(table.game.rules.legal(table.state, player)[0], Origin(source="camera"))
    assert asleep(1700)[0] == []
    assert asleep(200)[0] == [True]


def test_the_house_page_switches_it_off(client, asleep):
    page = client.get("/house").text
    assert 'name="sleeps" checked' in page
    client.post("/house/rules", data={"corrections": "players", "language": "en", "picture_days": "30"})
    assert 'name="sleeps" checked' not in client.get("/house").text
    told, _shown = asleep(4000)
    asleep(4000)
    assert told == []
