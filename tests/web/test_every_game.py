"""Every game, without knowing any of them: begun and played through the API, exported, and imported elsewhere."""

import re
from html import escape

import pytest

from companion.game.players import Viewer
from companion.game.widgets import Headline
from companion.house.host import Host
from companion.journal import codec
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.shelf import GAMES
from tests.played import FILES, named, read
from web.app import create_app


def shortest(game):
    """The shortest playthrough of a game that comes to its end."""
    ended = [played for played in map(read, FILES) if played.game == game and played.winners is not None]
    return min(ended, key=lambda played: len(played.steps))


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_offered_played_to_its_end_and_taken_over_by_another_house(client, tmp_path, name):
    played = shortest(name)
    assert escape(GAMES[name].pages.title) in client.get("/new").text
    body = {"game": name, "players": list(played.players), "options": played.options}
    begun = client.post("/api/sessions", json=body).json
    session, url = begun["id"], f"/api/sessions/{begun['id']}"
    ids = {player["name"]: player["id"] for player in begun["players"]}
    for number, step in enumerate(played.steps):
        seen = client.get(url).json["seq"]
        body = {"event_id": f"tap-{number}", "seen_seq": seen, "event": named(step.event, ids)}
        posted = client.post(f"{url}/events", json=body)
        assert posted.status_code == 200, (step.line, posted.text)
        assert client.get(url).json["score"] == {ids[player]: points for player, points in step.score.items()}
    ended = client.get(url).json
    assert (ended["over"], ended["winners"]) == (True, [ids[player] for player in played.winners])
    assert client.get(f"/s/{session}/result").status_code == 200

    text = client.get(f"{url}/export").data
    other = Host(Journal(tmp_path / "other.sqlite3"))
    there = create_app(other).test_client()
    assert there.post("/api/import", data=text).status_code == 201
    assert there.get(url).json["score"] == ended["score"]
    assert there.get(f"{url}/export").data == text
    other.close()
    other.journal.close()


@pytest.mark.parametrize("name", GAMES)
def test_the_headline_of_a_television_asks_nobody_to_tap(host, name):
    played = max((played for played in map(read, FILES) if played.game == name), key=lambda one: len(one.steps))
    table = host.create(name, list(played.players), played.options)
    ids = {letter: player for player, letter in table.names.items()}
    viewer, heads = Viewer(None, table.names, looks_on=True), []
    for number, step in enumerate(played.steps):
        heads += [part for part in table.game.pages.view(table.state, viewer) if isinstance(part, Headline)]
        table.submit(codec.event_from_json(table.game, named(step.event, ids)), Origin(f"tap-{number}"))
    assert heads
    assert [head for head in heads if re.search(r"\btap\b", f"{head.title} {head.detail}", re.IGNORECASE)] == []
