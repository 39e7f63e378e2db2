"""A game that another version wrote, or that a rule of today forbids: it stops nothing, and it is not lost."""

import json
from html import unescape

import pytest

from companion.errors import GameUnreadable
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.events import Origin
from tests.web.conftest import client_of
from web.app import create_app

ODD = {
    "an unknown switch": ("sessions", "header", '"options":{', '"options":{"from_tomorrow":1,'),
    "an unknown game": ("sessions", "header", '"game":"sack_stackers"', '"game":"from_tomorrow"'),
    "an unknown event": ("entries", "content", '"kind":"Rolled"', '"kind":"FromTomorrow"'),
    "a roll that the rules forbid": ("entries", "content", '"dice":[3,5]', '"dice":[3,5,5]'),
}


@pytest.fixture(params=ODD)
def odd(request, host, sack):
    """A game of Ann and Bob that cannot be read after the next start; it holds camera and box."""
    host.people.add("Ann")
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    table, column, old, new = ODD[request.param]
    with host.journal.changing() as db:
        changed = db.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (old, new))
        assert changed.rowcount == 1
        db.execute("DELETE FROM outcomes")
    return sack.session.id


@pytest.fixture
def again(host):
    """The same house after a start."""
    house = Host(host.journal)
    yield house
    house.live.close()


def test_it_gives_back_camera_and_box_when_the_table_starts_and_everybody_reads_why(odd, again):
    again.active.resume()
    assert again.active.session is None
    assert again.status.lines["game"].text.startswith(
        "No game is using the camera and buttons now. This game can't be opened here"
    )
    again.active.refresh_look()
    again.create("sack_stackers", ["Cy"], {})
    assert "game" not in again.status.lines


def test_a_holder_that_is_not_there_gives_them_back_too(host, sack):
    host.journal.set_setting("holder", "from-another-journal")
    again = Host(host.journal)
    again.active.resume()
    assert (again.active.session, again.journal.setting("holder", "")) == (None, "")
    assert "no such game" in again.status.lines["game"].text
    again.live.close()


def test_it_is_a_line_of_every_list_that_says_why(odd, again):
    client = client_of(create_app(again))
    other = again.create("sack_stackers", ["Cy"], {})
    home = client.get("/").text
    assert "Ann, Bob<br>This game can't be opened here, and is kept as it is: " in unescape(home)
    assert "Cy" in home
    newest, line = client.get("/api/sessions").json
    assert (newest["id"], newest["unreadable"]) == (other.session.id, "")
    assert (line["id"], [one["name"] for one in line["players"]], line["seq"]) == (odd, ["Ann", "Bob"], 1)
    assert line["unreadable"].startswith("This game can't be opened here")
    assert set(line) == set(newest)
    assert "1 can't be read here and doesn't count." in unescape(client.get("/season").text)
    assert client.get(f"/s/{other.session.id}/dice").status_code == 200
    assert client.get("/season.csv").status_code == 200


def test_who_played_it_has_it_among_their_games(odd, again):
    client = client_of(create_app(again))
    (ann,) = again.people.everybody()
    assert "can't be read here" in unescape(client.get(f"/people/{ann.id}").text)
    (game,) = client.get(f"/api/people/{ann.id}/games").json
    assert (game["session"], game["over"], game["points"], game["place"]) == (odd, False, 0, None)
    assert game["unreadable"].startswith("This game can't be opened here")
    (told,) = json.loads(client.get(f"/people/{ann.id}.json").text)["games"]
    assert told["unreadable"] == game["unreadable"]


def test_its_own_pages_say_why_and_it_can_be_taken_to_a_version_that_reads_it(odd, again, host):
    client = client_of(create_app(again))
    for address in (f"/s/{odd}", f"/api/sessions/{odd}"):
        answer = client.get(address)
        assert answer.status_code == 503
        assert "This game can't be opened here" in unescape(answer.text)
    lines = client.get(f"/api/sessions/{odd}/export").text.splitlines()
    assert [json.loads(line)["hash"] for line in lines[2:]] == [row.hash for row in host.journal.rows(odd)]
    assert sorted(json.loads(lines[1])["names"].values()) == ["Ann", "Bob"]


def test_what_nobody_expected_in_a_game_is_said_of_that_game_alone(host, sack, again, monkeypatch, caplog):
    def fails(*_arguments):
        raise ZeroDivisionError

    monkeypatch.setattr("companion.house.tables.session_of", fails)
    for _ in range(2):
        with pytest.raises(GameUnreadable, match="look into the companion's log"):
            again.table(sack.session.id)
    assert len(caplog.records) == 1
