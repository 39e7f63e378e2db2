"""The pages of people and seasons, what leaves the house as a file, and what a result leaves to share."""

import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from datetime import date, timedelta
from pathlib import Path

import pytest

import web
from companion.game.box import Device, Signal
from companion.game.charts import Curve, Curves
from companion.game.readings import DiceReading, DieReading, Settled
from companion.games.sack_stackers.events import Rolled
from companion.games.sandpile_panic.events import Placed
from companion.house.host import Host
from companion.house.symbols import COLOURS, SYMBOLS
from companion.journal.codec import event_from_json
from companion.journal.events import Origin
from companion.journal.export import read_game_file
from companion.journal.store import Journal
from tests.played import FOLDER, named, read
from web.app import create_app
from web.render.charts import COLUMNS, ROWS, apart, line_chart, nice, rows_that_differ, telling, thinned
from web.render.csv import harmless
from web.render.result_picture import PIECES
from web.render.traces import trace_of
from web.render.widgets import SHAPES


@pytest.fixture
def ann(host):
    return host.people.add("Ann")


def finished(host, *names, path="sandpile_panic/second-island-decides.txt"):
    """A game to its end, as worked out by hand; where nothing is said, the second of two wins by the second island."""
    played = read(FOLDER / path)
    table = host.create(played.game, list(names), played.options)
    ids = dict(zip(played.players, table.session.players, strict=True))
    for number, step in enumerate(played.steps):
        event = event_from_json(table.game, named(step.event, ids))
        table.submit(event, Origin(f"e{number}"))
    return table


def rows(answer):
    return list(csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig"))))


def test_somebody_is_remembered_by_one_tap_after_the_game(client, host, sack):
    result = f"/s/{sack.session.id}/result"
    assert "Ann and Bob aren&#39;t remembered" in client.get(result).text
    assert client.post(f"/s/{sack.session.id}/remember").status_code == 303
    assert "t remembered" not in client.get(result).text
    page = client.get("/people").text
    assert page.count("person-card") == 2


@pytest.mark.parametrize("what", ["", ".json"])
def test_a_person_of_many_games_asks_the_journal_no_more_often(client, host, ann, monkeypatch, what):
    rows, asked = host.journal.select, []
    monkeypatch.setattr(host.journal, "select", lambda sql, *values: asked.append(sql) or rows(sql, *values))
    counted = []
    for rival in ("Bob", "Cy", "Di"):
        host.create("sack_stackers", ["Ann", rival, "Eve"], {})
        asked.clear()
        page = client.get(f"/people/{ann.id}{what}").text
        assert f"<td>{rival}, Eve</td>" in page or what
        counted.append(len(asked))
    assert len(set(counted)) == 1


def test_names_of_seats_are_nobody(client, host):
    session = host.create("sack_stackers", ["Player 1", "Player 2"], {}).session.id
    client.post(f"/s/{session}/remember")
    assert host.people.everybody() == ()
    assert "Player 1" not in client.get("/people").text


def test_names_of_seats_are_nobody_in_any_language(client, host):
    german = {"Accept-Language": "de"}
    client.post("/new", data={"game": "sack_stackers", "player": ["Spieler 1", "Spieler 2"]}, headers=german)
    form = client.get("/new?game=sack_stackers", headers={"Accept-Language": "en"}).text
    assert re.findall(r'name="player" value="([^"]+)"', form)[:2] == ["Player 1", "Player 2"]
    data = {"game": "sack_stackers", "player": ["Spieler 1", "Ann"], "remember": "on"}
    client.post("/new", data=data, headers={"Accept-Language": "en"})
    assert [one.name for one in host.people.everybody()] == ["Ann"]
    assert "Spieler" not in client.get("/people").text


def test_games_that_came_from_elsewhere_become_those_of_the_person_of_that_name(client, host, tmp_path):
    ann = host.people.add("Ann")
    other = Host(Journal(tmp_path / "other.sqlite3"))
    there = other.create("sack_stackers", ["Ann", "Bob"], {}).session.id
    exported = create_app(other).test_client().get(f"/api/sessions/{there}/export").data
    other.close()
    assert client.post("/api/import", data=exported).status_code == 201
    page = client.get("/people").text
    assert 'name="played"' in page
    assert client.post("/people", data={"name": "Ann"}).status_code == 400  # typed: another Ann
    assert client.post("/people", data={"name": "Ann", "played": "yes"}).status_code == 303
    assert len(host.people.seats(ann.id)) == 1
    assert [one.name for one in host.people.strangers()] == ["Bob"]


def test_a_claimed_name_is_taken_as_it_stands_in_the_game(client, host):
    host.create("sack_stackers", ["JÖRG", "Bob"], {})
    jorg = host.people.add("Jörg")
    assert client.post("/people", data={"name": "JÖRG", "played": "yes"}).status_code == 303
    assert len(host.people.seats(jorg.id)) == 1


ONE, TWO = "Zo\u00eb", "Zoe\u0308"  # "ë" as one character, and as an e with a diaeresis: they look the same


def test_a_name_is_the_same_person_however_a_keyboard_writes_its_accents(client, host):
    client.post("/new", data={"game": "sack_stackers", "player": [TWO, "Bob"], "remember": "on"})
    zoe = next(one for one in host.people.everybody() if one.name == ONE)
    assert len(host.people.seats(zoe.id)) == 1
    assert client.post("/people", data={"name": TWO}).status_code == 400  # somebody is called so already
    host.create("sack_stackers", [TWO, "Di"], {})
    assert len(host.people.seats(zoe.id)) == 2


def test_a_game_from_elsewhere_keeps_its_names_as_they_are_written_there(client, host, tmp_path):
    other = Host(Journal(tmp_path / "other.sqlite3"))  # from before names were kept in one way
    there = other.create("sack_stackers", ["Ann", "Bob"], {}).session
    with other.journal.changing() as db:
        db.executemany("UPDATE players SET name = ? WHERE id = ?", zip((ONE, TWO), there.players, strict=True))
    exported = other.transfer.export(there.id)
    other.close()
    table = host.transfer.take(exported)
    assert [table.names[player] for player in there.players] == [ONE, TWO]
    assert host.transfer.export(there.id) == exported
    assert read_game_file(exported).broken_at is None


def test_who_played_elsewhere_under_the_same_accents_is_one_person(client, host, sack):
    with host.journal.changing() as db:
        db.execute("UPDATE players SET name = ? WHERE id = ?", (TWO, sack.session.players[0]))
    assert client.post("/people", data={"name": TWO, "played": "yes"}).status_code == 303
    assert [(one.name, len(host.people.seats(one.id))) for one in host.people.everybody()] == [(ONE, 1)]


def test_of_two_at_one_table_whose_names_look_the_same_one_is_the_person_however_often_it_is_said(host, sack):
    """A game from before names were kept in one way, whose players are remembered together."""
    names = dict(zip(sack.session.players, (ONE, TWO), strict=False))
    for _ in range(2):
        host.people.seat(names, set(names.values()))
        assert [(one.name, host.people.seats(one.id)) for one in host.people.everybody()] == [
            (ONE, (sack.session.players[0],))
        ]


@pytest.mark.parametrize("ticked", [True, False])
def test_new_names_are_remembered_where_the_form_says_so(client, host, ticked):
    fields = {"remember": "on"} if ticked else {}
    client.post("/new", data={"game": "sack_stackers", "player": ["Ann", "Player 2"], **fields})
    assert [one.name for one in host.people.everybody()] == (["Ann"] if ticked else [])
    form = client.get("/new?game=sack_stackers").text
    assert bool(re.search(r'name="remember" checked', form)) is ticked


def test_a_person_changes_name_and_symbol_and_every_next_table_shows_both(client, host, ann, sack):
    anna = {"name": "Anna", "symbol": "moon", "colour": "pink"}
    assert client.post(f"/people/{ann.id}", data=anna).status_code == 303
    page = client.get(f"/s/{sack.session.id}").text
    assert "Anna" in page
    assert SHAPES["moon"] not in page  # a running game keeps its marks
    following = host.create("sack_stackers", ["Anna", "Bob"], {})
    assert SHAPES["moon"] in client.get(f"/s/{following.session.id}").text
    refused = client.post(f"/people/{ann.id}", data={**anna, "symbol": "anchor"})
    assert refused.status_code == 400
    assert "one of the symbols" in refused.text


def test_whoever_is_remembered_in_the_middle_of_a_game_keeps_its_colours(client, host, sack):
    before = host.marks(sack)
    host.people.add("Cy")
    ann = host.people.add("Ann")  # with the next free symbol: Cy has the first
    assert host.people.seats(ann.id)
    assert host.marks(sack) == before
    assert host.games()[0].marks == tuple(before[player] for player in sack.session.players)
    again = host.create("sack_stackers", ["Bob", "Ann"], {})
    assert host.marks(again)[again.session.players[1]].symbol == ann.symbol == "triangle"


def test_everything_of_a_person_can_be_had_and_then_deleted(client, host, sack, ann):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    told = client.get(f"/people/{ann.id}.json")
    known = json.loads(told.data)
    assert "attachment" in told.headers["Content-Disposition"]
    assert known["name"] == "Ann"
    assert [(one["game"], one["finished"], one["place"]) for one in known["games"]] == [("Sack Stackers", False, None)]
    assert client.post(f"/people/{ann.id}/delete").status_code == 303
    assert client.get(f"/people/{ann.id}").status_code == 404
    for page in (
        f"/s/{sack.session.id}",
        f"/s/{sack.session.id}/result",
        f"/s/{sack.session.id}/history",
        "/",
        "/people",
    ):
        assert not re.search(r"\bAnn\b", client.get(page).text), page
    assert "Ann" not in client.get(f"/api/sessions/{sack.session.id}/export").text


@pytest.mark.parametrize("address", ["/people/{ann}/delete", "/house/pictures/delete"])
def test_the_dice_of_the_last_look_go_with_the_pictures(client, host, sack, ann, address):
    die = DieReading(3, 50, 50, 40, 40, 0, "red", 0.5, False, ((3, 0.5), (4, 0.5)), 0.97, (190.0, 30.0, 40.0))
    host.on_reading(Settled(DiceReading(640, 480, (die, die)), 1, 2, b"frame", (b"\xff\xd8", b"\xff\xd8")))
    host.photo = b"\xff\xd8"
    shown = (f"/s/{sack.session.id}/colours/1.jpg", "/wizard/photo.jpg")
    assert [client.get(path).status_code for path in shown] == [200, 200]
    assert client.post(address.format(ann=ann.id)).status_code == 303
    assert [client.get(path).status_code for path in shown] == [404, 404]
    assert "/api/pictures/" not in client.get(f"/s/{sack.session.id}/sheet").text  # the question stays, without them


# seasons


def test_a_season_shows_who_finished_games_and_says_how_it_counts(client, host, ann):
    host.people.add("Bob")
    finished(host, "Ann", "Bob")
    host.create("sack_stackers", ["Ann", "Bob"], {})
    page = client.get("/season").text
    assert "one point for each rival you beat and half a point for each you tie with" in page
    assert "1 game counts." in page
    assert "1 isn&#39;t finished and doesn&#39;t count." in page
    table = rows(client.get("/season.csv"))
    assert table[0] == ["Place", "Name", "Points", "Games", "Wins", "Average place"]
    assert [line[1:] for line in table[1:]] == [["Bob", "1.0", "1", "1", "1.0"], ["Ann", "0.0", "1", "0", "2.0"]]


def test_a_complete_tie_counts_nothing_and_the_page_says_so(client, host, ann):  # SP-42
    tied = host.create("sandpile_panic", ["Ann", "Bob"], {"board_size": 4, "opening": "none", "piece_supply": 1})
    for number, (player, space) in enumerate(zip(tied.session.players, ("r1c1", "r3c3"), strict=True)):
        tied.submit(Placed(player, space), Origin(f"tie-{number}"))
    assert tied.game.rules.is_over(tied.state)
    assert tied.game.rules.winners(tied.state) == ()
    page = client.get("/season").text
    assert "0 games count." in page
    assert "1 ended in a complete tie and doesn&#39;t count. Play another game." in page
    assert "played alone" not in page
    assert len(rows(client.get("/season.csv"))) == 1
    (game,) = client.get(f"/api/people/{ann.id}/games").json
    assert (game["over"], game["won"], game["place"]) == (True, False, None)


def test_a_season_takes_the_days_and_the_game_it_was_asked_for(client, host, ann):
    played = finished(host, "Ann", "Bob")
    today = date.today()
    for address, lines in (
        (f"from={today}&to={today}", 1),
        (f"to={today - timedelta(days=1)}", 0),
        (f"from={today + timedelta(days=1)}", 0),
        (f"game={played.game.rules.name}", 1),
        ("game=speedstax", 0),
    ):
        assert len(rows(client.get(f"/season.csv?{address}"))) == 1 + lines, address
    assert rows(client.get(f"/season.csv?game={played.game.rules.name}"))[0][-1] == "Best"
    for wrong in ("game=chess", "from=yesterday", f"from={today}&to=2020-01-01"):
        assert client.get(f"/season?{wrong}").status_code == 400


def test_the_address_of_before_leads_to_the_season(client):
    answer = client.get("/seasons?game=speedstax")
    assert (answer.status_code, answer.headers["Location"]) == (308, "/season?game=speedstax&from=&to=")


def test_a_cell_that_looks_like_a_formula_is_none():
    assert [harmless(cell) for cell in ("=1+1", "@x", "Ann", -5)] == ["'=1+1", "'@x", "Ann", -5]
    assert [harmless(cell) for cell in ("A;=1+1", "A\t+1", 'A; "-1', " =1", "A\n＝1", "\tx", "Ann-Marie; Bob, -5")] == [
        "A;'=1+1", "A\t'+1", "A; \"'-1", " '=1", "A\n'＝1", "'\tx", "Ann-Marie; Bob, -5"
    ]  # fmt: skip


def test_a_name_is_no_formula_in_a_spreadsheet_that_parts_cells_at_semicolons(client, host):
    for name in ("A;=1+1", "Bob; @x"):
        host.people.add(name)
    finished(host, "A;=1+1", "Bob; @x")
    text = client.get("/season.csv").text
    cells = [cell for line in text.splitlines() for cell in next(csv.reader([line], delimiter=";"))]
    assert any("=1+1" in cell for cell in cells)
    assert not any(part.lstrip(' "').startswith(tuple("=+-@")) for cell in cells for part in cell.split("\t"))


# for other programs


def test_people_their_bests_and_their_games_for_programs(client, host, ann):
    bob = host.people.add("Bob")
    played = finished(host, "Ann", "Bob")
    open_game = host.create("sack_stackers", ["Ann", "Cid"], {})
    listed = client.get("/api/people").json
    assert [(one["name"], one["games"]) for one in listed] == [("Ann", 2), ("Bob", 1)]
    assert listed[0] == {"id": ann.id, "name": "Ann", "symbol": ann.symbol, "colour": ann.colour, "games": 2}
    winner = client.get(f"/api/people/{bob.id}").json
    points = played.game.rules.score(played.state)[played.session.players[1]]
    best = {"game": "sandpile_panic", "points": points, "session": played.session.id}
    assert (winner["games"], winner["finished"], winner["won"], winner["bests"]) == (1, 1, 1, [best])
    assert client.get(f"/api/people/{ann.id}").json["won"] == 0
    newest, first = client.get(f"/api/people/{ann.id}/games").json
    assert (newest["session"], newest["over"], newest["place"]) == (open_game.session.id, False, None)
    assert (first["session"], first["over"], first["won"], first["place"]) == (played.session.id, True, False, 2)
    assert (newest["others"], first["others"]) == (["Cid"], ["Bob"])
    for address in ("/api/people/nobody", "/api/people/nobody/games"):
        assert client.get(address).status_code == 404


def test_a_clock_that_was_lost_is_nobodys_best(client, host):
    people = {name: host.people.add(name) for name in ("Ann", "Bob", "Cleo")}
    finished(host, *people, path="turn_clock/thirty-seconds-a-turn.txt")  # The third one wins.
    shown = {name: "Personal bests" in client.get(f"/people/{one.id}").text for name, one in people.items()}
    assert shown == {"Ann": False, "Bob": False, "Cleo": True}


# what a result leaves


def test_a_game_as_csv_has_every_entry_with_the_points_after_it(client, host, sack):
    sack.submit(Rolled((3, 5)), Origin("one"))
    sack.undo(Origin("two"))
    sack.submit(Rolled((1, 4)), Origin("three"))
    table = rows(client.get(f"/s/{sack.session.id}/result.csv"))
    assert table[0][-2:] == ["Ann", "Bob"]
    assert [line[0] for line in table[1:]] == ["0", "1", "3"]
    assert table[2][5] == "undone"
    score = sack.game.rules.score(sack.state)
    assert table[-1][-2:] == [str(score[player]) for player in sack.session.players]


def test_the_picture_of_a_result_is_one_drawing_without_anything_from_elsewhere(client, host):
    played = finished(host, "Ann <b>", "B" * 40)
    answer = client.get(f"/s/{played.session.id}/result.svg")
    assert answer.mimetype == "image/svg+xml"
    drawing = ElementTree.fromstring(answer.text)
    assert (drawing.get("width"), drawing.get("height")) == ("1080", "1350")
    words = " ".join(drawing.itertext())
    assert "Ann <b>" in words
    assert "wins" in words or "tie" in words
    assert not re.search(r"href|script|<image|@import", answer.text)
    assert set(re.findall(r"url\(.{16}", answer.text)) == {'url("data:font/woff2'}
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_colours_of_the_picture_are_those_of_the_pages():
    css = (Path(web.__file__).parent / "static" / "foundation.css").read_text()
    assert dict(re.findall(r"\.c-(\w+) \{ --piece: (#\w+);", css)).items() >= PIECES.items()
    assert set(COLOURS) <= set(PIECES)
    assert set(SHAPES) == set(SYMBOLS)


def test_the_raw_edges_of_a_press_stand_beside_it(client, host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for number, seat in enumerate((1, 2)):
        host.presses.hear(Signal(Device.SEAT, True, 1_000_000 * number, seat))
    host.presses.hear(Signal(Device.START, True, 2_000_000))
    stamp_us = 15_000_000
    trace = ((True, stamp_us), (False, stamp_us + 300), (True, stamp_us + 700))
    host.presses.hear(Signal(Device.SEAT, True, stamp_us, 2, trace))
    page = client.get(f"/s/{table.session.id}/result").text
    assert "3 raw edges of seat-2" in page
    assert "closed 0.000&nbsp;ms, open 0.300&nbsp;ms, closed 0.700&nbsp;ms" in page


@pytest.mark.parametrize(
    "reading",
    [
        None,
        {},
        {"button": "seat-1", "trace": []},
        {"button": 1, "trace": [[1, 2]]},
        {"button": "x", "trace": ["ab"]},
        {"button": "x", "trace": [[1, 10**400]]},
    ],
)
def test_an_entry_without_edges_has_no_drawing(reading):
    assert trace_of(reading, 5) is None


# charts


def test_figures_at_the_edge_are_round_and_enclose_the_points():
    assert nice(0, 0) == [0, 1]
    assert nice(0, 41) == [0, 20, 40, 60]
    assert nice(-12, 7) == [-15, -10, -5, 0, 5, 10]


def test_marks_at_the_end_of_lines_do_not_cover_each_other():
    found = apart([100, 100, 100, 101], 17, 10, 224)
    assert sorted(found)[1:] == pytest.approx([low + 17 for low in sorted(found)[:-1]])
    assert all(10 <= height <= 224 for height in apart([224, 224, 224], 17, 10, 224))


def test_points_keep_their_height_until_they_change():
    chart = Curves("", "", (Curve("a", "Ann", (0, 0, 5)), Curve("b", "Bob", (0, 3, 3))))
    assert [line.last for line in line_chart(chart).lines] == [5, 3]
    assert re.fullmatch(r"M[\d.]+ [\d.]+H[\d.]+H[\d.]+V[\d.]+", line_chart(chart).lines[0].path)
    assert rows_that_differ(chart) == [(0, (0, 0)), (1, (0, 3)), (2, (5, 3))]


def test_a_curve_of_very_many_steps_is_drawn_by_what_can_be_seen():
    points = tuple(math.sin(step / 900) * 50 for step in range(100_000))
    points = (*points[:70_000], 99.0, *points[70_000:])  # the highest, for one step alone
    shown = telling(points)
    assert len(shown) <= 2 * COLUMNS + 2
    assert {0, 70_000, 100_000} <= set(shown)
    chart = Curves("", "", (Curve("a", "Ann", points),))
    assert len(line_chart(chart).lines[0].path) < 20_000
    rows = rows_that_differ(chart)
    assert (len(rows), len(thinned(rows))) == (100_001, ROWS + 1)
    assert thinned(rows)[::ROWS] == [rows[0], rows[-1]]


def test_a_curve_of_an_evening_is_drawn_step_by_step():
    assert telling((0,) * COLUMNS) == list(range(COLUMNS))


def test_a_device_asks_for_a_picture_each_time_so_that_a_deleted_one_is_gone_there_too(client, host):
    picture = host.journal.add_picture(b"a hand", 1)
    seen = client.get(f"/api/pictures/{picture}.jpg")
    assert seen.headers["Cache-Control"] == "private, no-cache"
    again = {"If-None-Match": seen.headers["ETag"]}
    assert client.get(f"/api/pictures/{picture}.jpg", headers=again).status_code == 304
    host.delete_pictures()
    assert client.get(f"/api/pictures/{picture}.jpg", headers=again).status_code == 404
