"""The links for screens: they look on, and come to what they are to show."""

import re
from urllib.parse import urlsplit

import pytest

from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from web.app import create_app


@pytest.mark.parametrize("screen", ["board", "overlay"])
def test_a_screens_link_lets_it_look_on_and_nothing_more(host, client, sack, screen):
    made = client.post("/house/link", data={"role": "host", "seat": f"/{screen}", "label": "Television"})
    link = re.search(rf'href="([^"]+to={screen})"', made.text)[1]
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.50"
    address = urlsplit(link)
    came = device.get(f"{address.path}?{address.query}")
    assert came.headers["Location"] == f"/{screen}"
    shown = device.get(f"/{screen}")
    assert "Ann" in shown.text
    assert "data-event" not in shown.text
    assert device.get("/house").status_code == 403
    assert (
        device.post(f"/api/sessions/{sack.session.id}/undo", json={"event_id": "x", "seen_seq": 0}).status_code == 403
    )


def test_a_link_leads_to_no_other_place(host, client):
    token = host.access.tickets.issue(Role.WATCHER)
    for elsewhere in ("//evil.example", "house", "screen.big_screen_page"):
        assert client.get(f"/join/{token}?to={elsewhere}").headers["Location"] == "/"


def test_a_screen_without_a_game_looks_again_by_itself(client):
    for page in ("/board", "/overlay"):
        assert '<meta http-equiv="refresh"' in client.get(page).text


@pytest.mark.parametrize(
    ("game", "words"),
    [("sack_stackers", "We roll again when everyone is done"), ("sandpile_panic", "On an empty space")],
)
def test_nobody_is_told_to_tap_on_a_screen_that_nobody_touches(host, client, game, words):
    table = host.create(game, ["Ann", "Bob"], {"opening": "none"} if game == "sandpile_panic" else {})
    if game == "sack_stackers":
        table.submit(Rolled((3, 5)), event_id="roll", seen_seq=None, source="tablet")
    for screen in ("board", "overlay"):
        shown = client.get(f"/{screen}/sheet").text
        assert words in shown
        assert not re.search(r"\btap\b", shown, re.IGNORECASE)
