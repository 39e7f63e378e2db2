"""A tournament with a real hub and a real table: a game is offered, begun by one tap, played, its result comes back."""

import html
import json
import re
import urllib.parse
import urllib.request

from tests.hall.processes.test_hub import Hub, first_page, table, until
from tests.played import FILES, named, read

PLAIN = urllib.request.build_opener()
PRINTED = next(path for path in FILES if path.name == "taken-over.txt")  # a game of two by the printed rules


def post(url, opener=PLAIN, **fields):
    """The page after a form was sent; `opener` has a ticket of the staff, for the hub."""
    data = urllib.parse.urlencode(fields).encode()
    with opener.open(urllib.request.Request(url, data), timeout=30) as answer:
        return answer.url, html.unescape(answer.read().decode())


def begun(hub, names):
    """The address of a tournament whose first round is seated."""
    staff = hub.come_in()
    cup, _page = post(f"{hub.url}/tournaments", staff, title="Autumn Cup", game="sandpile_panic", preset="printed",
                      form="rounds", seats="2", names="\n".join(names), sure="1")  # fmt: skip
    post(f"{cup}/pair", staff, round="1")
    return cup


def play_offered(service):
    """Begins the game that the table's first page offers, and plays it to its end by hand."""
    session = begin_offered(service)
    finish(service, session)
    return session


def begin_offered(service):
    page = until(lambda: "Begin this game" in first_page(service) and first_page(service))
    session = re.search(r'action="/offered/([^"]+)"', page)[1]
    assert session in post(f"{service.url}/offered/{session}")[0]
    return session


def finish(service, session):
    """Plays a game that was begun to its end."""
    status, said = service.call(f"/api/sessions/{session}")
    assert status == 200, said
    file = read(PRINTED)
    seats = dict(zip(file.players, (player["id"] for player in said["players"]), strict=True))
    for number, step in enumerate(file.steps):
        event = {"event": named(step.event, seats), "event_id": f"e{number}", "seen_seq": number}
        status, answer = service.call(f"/api/sessions/{session}/events", event)
        assert status == 200, answer


def correct(hub, session):
    """The staff take a point from somebody in a game that the table has sent."""
    (game,) = hub.ask("/v1/games")
    post(
        f"{hub.url}/staff/tables/{game['table']}/games/{session}/rule",
        hub.come_in(),
        player=game["players"][0],
        points="-1",
        why="late",
    )


def page_of(url, opener=PLAIN):
    with opener.open(url, timeout=10) as answer:
        return html.unescape(answer.read().decode())


def test_a_round_is_played_by_tap_and_closes_by_itself(tmp_path):
    hub = Hub(tmp_path / "hub", "--no-mqtt")
    hub.start()
    try:
        with table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()) as service:
            until(lambda: hub.ask("/v1/tables"))
            cup = begun(hub, ["Ann", "Ben"])
            hub.kill()  # right after the tap: the round is there
            hub.start()
            assert "game 1 is missing" in page_of(cup)
            session = play_offered(service)
            until(lambda: "Round 1 is closed." in page_of(cup))
            assert [game["id"] for game in hub.ask("/v1/games")] == [session]
            events = [entry["event"]["what"] for entry in json.loads(page_of(cup.replace("/tourn", "/v1/tourn")))]
            assert events == ["begun", "entered", "round paired", "result taken"]
            until(lambda: "Begin this game" not in first_page(service))
            correct(hub, session)
            until(lambda: len(hub.ask(f"/v1/games/{session}")) == 2)
            said = page_of(f"{service.url}/s/{session}/history")
            assert "Staff of the hall" in said
            staff, address = hub.come_in(), f"{hub.url}/tables/{hub.ask('/v1/tables')[0]['id']}"
            until(lambda: "has entered a ruling" in page_of(address, staff))
    finally:
        hub.stop()


def test_a_table_takes_no_game_from_another_hub(tmp_path):
    """Another hub at the same address, even with the table's code in its hands, offers nothing."""
    hub, other = Hub(tmp_path / "hub", "--no-mqtt"), Hub(tmp_path / "other", "--no-mqtt")
    hub.start()
    other.port, other.url = hub.port, hub.url
    try:
        with table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()) as service:
            until(lambda: hub.ask("/v1/tables"))
            hub.kill()
            other.start()
            begun(other, ["Eve", "Mallory"])
            until(lambda: "Another hub answers" in first_page(service))
            assert "Begin this game" not in first_page(service)
    finally:
        other.stop()
