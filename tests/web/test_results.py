"""The result sheet, the dice, and who may rule and correct in a locked game."""

import html
import json
import re
from itertools import cycle, islice

import pytest

from companion.errors import NotAllowed
from companion.game.box import Device, Signal
from companion.game.dice import D6
from companion.games.maxstax.events import Paused, Resumed
from companion.games.rulings import MOST_RULINGS, Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal import codec
from companion.journal.devices import Role
from companion.journal.events import Entry, Origin, Posted
from companion.journal.export import read_game_file
from companion.journal.record import chained, entry_json
from companion.journal.session import Player, canonical_json, digest
from companion.journal.store import Journal
from companion.shelf import GAMES
from companion.table.fold import Fold
from companion.table.table import Table
from web.access.referee import HEADER
from web.app import create_app
from web.pages.game import GAMES_LISTED

ROLL = {"kind": "Rolled", "dice": [3, 5]}


@pytest.fixture
def locked(client):
    """A tournament game, begun by `client`, who is its referee."""
    answer = client.post(
        "/api/sessions", json={"game": "sack_stackers", "players": ["Ann", "Bob"], "preset": "tournament"}
    )
    assert answer.status_code == 201
    return answer.json["id"]


@pytest.fixture
def player(client):
    """Another device at the same table."""
    return client.application.test_client()


def posted(device, session, event, number=1, **more):
    body = {"event": event, "event_id": f"{event['kind']}-{number}", "seen_seq": 0, **more}
    return device.post(f"/api/sessions/{session}/events", json=body)


def ruling(host, session, points=-5):
    player = host.table(session).session.players[0]
    return {"kind": "Ruling", "player": player, "points": points, "why": "Looked at the dice too long"}


def test_a_player_plays_but_neither_corrects_nor_rules_in_a_tournament(host, client, player, locked):
    assert posted(player, locked, ROLL).status_code == 200
    base = f"/api/sessions/{locked}"
    words = {"event_id": "no", "seen_seq": 1}
    refused = (
        posted(player, locked, ruling(host, locked)),
        player.post(f"{base}/undo", json=words),
        player.post(f"{base}/strike", json={"seq": 1, **words}),
        player.post(f"{base}/amend", json={"seq": 1, "event": ROLL, **words}),
        player.post(f"/s/{locked}/referee", data={"points": "1", "why": "because"}),
    )
    for answer in refused:
        assert answer.status_code == 403
        assert "Call the referee" in answer.text
    assert host.table(locked).seq == 1


def test_the_referee_rules_and_corrects(host, client, locked):
    posted(client, locked, ROLL)
    assert posted(client, locked, ruling(host, locked), seen_seq=1).status_code == 200
    table = host.table(locked)
    ann = table.session.players[0]
    assert table.game.rules.score(table.state)[ann] == 10 - 5  # ten circles left, five points taken
    assert client.post(f"/api/sessions/{locked}/undo", json={"event_id": "u", "seen_seq": 2}).status_code == 200
    assert table.game.rules.score(table.state)[ann] == 10


def test_a_player_sees_no_taps_that_only_the_referee_has(client, player, locked):
    posted(client, locked, ROLL)
    assert "data-undo" in client.get(f"/s/{locked}").text
    assert "data-undo" not in player.get(f"/s/{locked}").text
    assert "data-preview" not in player.get(f"/s/{locked}/history").text
    assert "Only the referee can rule and correct" in player.get(f"/s/{locked}/referee").text


def test_the_referees_link_makes_another_device_the_referees(client, player, locked):
    page = client.get(f"/s/{locked}/referee").text
    link = page.split('class="referee-link" href="')[1].split('"')[0]
    assert player.get(f"/s/{locked}/referee?key=guess").status_code == 403
    assert player.get(link[link.index("/s/") :]).status_code == 303
    assert posted(player, locked, ROLL).status_code == 200
    assert player.post(f"/api/sessions/{locked}/undo", json={"event_id": "u", "seen_seq": 1}).status_code == 200


def test_a_script_rules_with_the_key_in_a_header(host, player, locked):
    key = host.referees.new_key(locked)
    player.environ_base["HTTP_" + HEADER.upper().replace("-", "_")] = key
    assert posted(player, locked, ruling(host, locked)).status_code == 200


def phone(host, client):
    """A player's phone, which has a ticket of its own."""
    found = client.application.test_client()
    found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    found.set_cookie("ticket", host.access.tickets.issue(Role.PLAYER), domain="localhost")
    return found


def begin(device, session="the-cup-final"):
    names = {"game": "sack_stackers", "players": ["Ann", "Bob"], "preset": "tournament", "session_id": session}
    answer = device.post("/api/sessions", json=names)
    assert (answer.status_code, answer.json["id"]) == (201, session)
    return answer.headers.get(HEADER, "")


@pytest.mark.parametrize("entries", [0, 1])
def test_only_a_new_game_makes_a_referee(host, client, entries):
    key, thief = begin(client), phone(host, client)
    for _ in range(entries):
        posted(client, "the-cup-final", ROLL)
    answers = (
        thief.post("/api/sessions", json={"game": "speedstax", "players": ["X", "Y"], "session_id": "the-cup-final"}),
        thief.post("/s/the-cup-final/again", data={"game": "sack_stackers", "fresh": "the-cup-final"}),
        thief.post("/api/import", data=thief.get("/api/sessions/the-cup-final/export").data),
    )
    assert begin(thief) == ""
    for answer in answers:
        assert HEADER not in answer.headers
        assert "the-cup-final:" not in answer.headers.get("Set-Cookie", "")
    assert posted(thief, "the-cup-final", ruling(host, "the-cup-final"), seen_seq=entries).status_code == 403
    assert host.referees.is_key("the-cup-final", key)


def test_a_repeated_request_confirms_the_key_that_it_shows(host, client):
    key = begin(client)
    assert begin(client) == key
    posted(client, "the-cup-final", ROLL)
    assert begin(client) == key


def test_whose_first_answer_was_lost_gets_a_key_until_the_game_has_an_entry(host, client):
    maker = phone(host, client)
    lost = begin(maker)
    maker.delete_cookie("referee")
    key = begin(maker)
    assert host.referees.is_key("the-cup-final", key)
    assert not host.referees.is_key("the-cup-final", lost)
    posted(maker, "the-cup-final", ROLL)
    maker.delete_cookie("referee")
    assert begin(maker) == ""
    assert host.referees.is_key("the-cup-final", key)


def test_who_begins_on_the_page_is_the_referee_too(host, client):
    maker = phone(host, client)
    form = {"game": "sack_stackers", "preset": "tournament", "player": ["Ann", "Bob"]}
    session = maker.post("/new", data=form).location.rpartition("/")[2]
    posted(maker, session, ROLL)
    assert maker.post(f"/api/sessions/{session}/undo", json={"event_id": "u", "seen_seq": 1}).status_code == 200
    assert begin(client, session) == ""


def test_who_imports_a_tournament_game_is_its_referee_there(host, client, tmp_path):
    begin(client)
    posted(client, "the-cup-final", ROLL)
    text = client.get("/api/sessions/the-cup-final/export").data
    other = Host(Journal(tmp_path / "other.sqlite3"))
    there = create_app(other).test_client()
    key = there.post("/api/import", data=text).headers[HEADER]
    assert other.referees.is_key("the-cup-final", key)
    there.delete_cookie("referee")
    assert begin(there) == ""  # it has an entry
    other.close()


def test_the_undo_button_of_the_box_calls_the_referee_in_a_tournament(host, client, locked):
    posted(client, locked, ROLL)
    host.presses.hear(Signal(Device.UNDO, True, host.clock.now_us()))
    assert host.table(locked).seq == 1
    assert "Call the referee" in host.remarks.of(locked).text
    with pytest.raises(NotAllowed):
        host.presses._press(host.table(locked), Signal(Device.UNDO, True, host.clock.now_us()))


def test_an_imported_tournament_game_stays_locked_for_whoever_imports_it(host, client, locked, tmp_path):
    text = client.get(f"/api/sessions/{locked}/export").text
    assert '"locked":true' in text
    assert '"preset":"tournament"' in text


def test_in_an_ordinary_game_anybody_rules_with_a_reason(host, client, sack):
    ann = sack.session.players[0]
    form = {"player": ann, "points": "-3", "why": "Turned a die over", "event_id": "ruling-1"}
    for _ in range(2):  # the form sent twice is one ruling
        assert client.post(f"/s/{sack.session.id}/referee", data=form).status_code == 303
    assert [line.sentence for line in sack.history.lines()] == ["Ruling for Ann, −3 points: Turned a die over."]
    for wrong, says in (
        ({"why": " "}, "A ruling needs a reason of 1 to"),
        ({"points": "much"}, "whole number"),
        ({"points": "-+3"}, "whole number"),
        ({"player": "x"}, "at this"),
    ):
        refused = client.post(f"/s/{sack.session.id}/referee", data={**form, "event_id": "other", **wrong})
        assert refused.status_code == 400
        assert says in refused.text
    assert sack.seq == 1


def test_a_ruling_is_chosen_anew_where_it_is_corrected(client, sack):
    ann, bob = sack.session.players
    sack.submit(Ruling(ann, -3, "Turned a die over"), Origin("ruling"))
    page = client.get(f"/s/{sack.session.id}/correct/1").text
    assert f"&#34;player&#34;:&#34;{bob}&#34;" in page
    assert 'data-field="points"' in page
    assert 'data-field="why"' in page


def test_the_result_sheet_carries_points_rulings_switches_and_the_hash(host, client):
    table = host.create("sack_stackers", ["Ann", "Bob"], {"mirror": False})
    ann, _ = table.session.players
    table.submit(Rolled((3, 5)), Origin("roll"))
    table.submit(Ruling(ann, 7, "Found the lost die"), Origin("ruling"))
    page = client.get(f"/s/{table.session.id}/result").text
    for words in ("Found the lost die", "Mirror images: no", table.entries[-1].hash, "10 circles left", "<b>17</b>"):
        assert words in page, words


def test_the_result_sheet_lists_presses_by_their_stamps(host, client):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for number, seat in enumerate((1, 2)):
        host.presses.hear(Signal(Device.SEAT, True, 1_000_000 * number, seat))
    host.presses.hear(Signal(Device.START, True, 2_000_000))
    host.presses.hear(Signal(Device.SEAT, True, 15_000_000, 2))
    host.presses.hear(Signal(Device.SEAT, True, 15_004_250, 1))
    page = client.get(f"/s/{table.session.id}/result").text
    assert "15004250" in page
    assert "4.250&nbsp;ms" in page


def test_a_result_of_very_many_presses_is_read_page_by_page(host, client, monkeypatch):
    monkeypatch.setattr("web.pages.results.NEWEST", 2)
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for seat in (1, 2):
        host.presses.hear(Signal(Device.SEAT, True, 1_000_000, seat))
    stamps = [7_000_000 + number for number in range(5)]
    for number, stamp_us in enumerate(stamps):
        event = Resumed(stamp_us) if number % 2 else Paused(stamp_us)
        if not number:
            host.presses.hear(Signal(Device.START, True, 2_000_000))
        table.submit(event, Origin(f"press-{number}", source="button"))
    address, seen = f"/s/{table.session.id}/result", []
    while address:
        page = client.get(address).text
        seen += [sorted(int(stamp) for stamp in re.findall(r">(7\d{6})<", page))]
        (address, *_none) = (*re.findall(r'href="([^"]*before=\d+)"', page), "")
    assert seen[:3] == [stamps[3:], stamps[1:3], stamps[:1]]


def test_the_dice_page_counts_what_was_thrown_and_still_counts(host, client, sack):
    empty = client.get(f"/s/{sack.session.id}/dice").text
    assert "No dice were thrown" in empty
    sack.submit(Rolled((3, 5)), Origin("roll"))
    assert re.search(r"<th scope=.row.>3</th><td>1</td>", client.get(f"/s/{sack.session.id}/dice").text)
    sack.undo(Origin("undo"))
    assert not re.search(r"<th scope=.row.>3</th><td>1</td>", client.get(f"/s/{sack.session.id}/dice").text)


def test_a_tray_s_dice_are_told_by_colour_and_by_player_with_intervals_and_what_chance_says(host, client):
    table = host.create("dice_tray", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    red, plain = [{"value": face, "colour": "red"} for face in D6], [{"value": face} for face in D6]
    base = f"/s/{table.session.id}"
    for number, (player, dice) in enumerate([(ann, red * 3), (bob, plain * 2)]):
        assert (
            "throws so far" not in client.get(f"{base}/result").text
        )  # 30 throws of a die with six faces say something
        event = codec.event_from_json(table.game, {"kind": "Rolled", "player": player, "dice": dice})
        table.submit(event, Origin(f"roll-{number}"))
    assert "30 throws so far; chance alone explains this (p = 1.000)." in client.get(f"{base}/result").text
    page = html.unescape(re.sub("<[^>]+>", "", client.get(f"{base}/dice").text))
    charts = ["red: 18 throws, mean 3.50", "die: 12 throws, mean 3.50", "Ann: 18 throws, mean 3.50", "Bob: 12 throws"]
    assert [text for text in charts if text not in page] == []
    # Wilson, by hand: 3 of 18 are 5.8 % to 39.2 %, in throws 1.05 to 7.06
    assert "133.01.1 to 7.1" in page


@pytest.mark.parametrize("games", [1, 10, 100])
@pytest.mark.parametrize("page", ["/api/sessions", "/s/{newest}/dice", "/", "/season"])
def test_a_house_folds_its_old_games_once_however_often_they_are_listed(host, games, page, monkeypatch):
    for number in range(games):
        newest = host.create("sack_stackers", ["Ann", "Bob"], {})
        newest.submit(Rolled((3, 5)), Origin(f"roll-{number}"))
    asked, folded = page.format(newest=newest.session.id), []
    monkeypatch.setattr("companion.house.tables.Table", lambda *given: folded.append(given[1].id) or Table(*given))

    def folds(house):
        folded.clear()
        with create_app(house).test_client().get(asked) as answer:
            assert answer.status_code == 200
        return len(folded)

    house, own = Host(host.journal), int("newest" in page)  # the game whose page it is
    assert folds(house) == (min(games, GAMES_LISTED) if page == "/" else games)
    assert folds(house) <= own
    assert folds(Host(host.journal)) == own


def test_the_dice_of_the_house_are_those_of_all_its_games(host, client, sack):
    rolled = host.create("sack_stackers", ["Cy", "Di"], {})
    rolled.submit(Rolled((3, 5)), Origin("roll"))
    sack.submit(Rolled((3, 6)), Origin("roll"))
    for house in (Host(host.journal), Host(host.journal), host):  # folded, as kept, and folded already
        page = create_app(house).test_client().get(f"/s/{sack.session.id}/dice").text
        assert re.findall(r"<th scope=.row.>3</th><td>(\d)</td>", page) == ["1", "0", "2", "0"]  # white, red


def test_a_saved_game_goes_on_from_the_page_where_it_is_chosen(host, client, sack, tmp_path):
    from io import BytesIO

    from companion.house.host import Host
    from companion.journal.store import Journal
    from web.app import create_app

    sack.submit(Rolled((3, 5)), Origin("roll"))
    saved = client.get(f"/api/sessions/{sack.session.id}/export").data
    elsewhere = Host(Journal(tmp_path / "elsewhere.sqlite3"))
    other = create_app(elsewhere).test_client()
    assert "/import" in other.get("/new").text
    for wrong, says in (
        (b"", "This isn&#39;t a saved game"),
        (b"\xff\xfe", "It isn&#39;t UTF-8 text"),
        (saved[:-20], "damaged"),
    ):
        refused = other.post("/import", data={"file": (BytesIO(wrong), "game.jsonl")})
        assert refused.status_code == 400
        assert says in refused.text
    assert other.post("/import").status_code == 400
    taken = other.post("/import", data={"file": (BytesIO(saved), "game.jsonl")})
    assert taken.status_code == 303
    assert elsewhere.table(sack.session.id).state == sack.state
    elsewhere.journal.close()
    elsewhere.live.close()


def test_the_result_sheet_of_a_team_game_has_the_teams(host, client):
    table = host.create("stack_dice", ["Ann", "Bob", "Cleo", "Dora"], {"teams": 2})
    page = client.get(f"/s/{table.session.id}/result").text
    assert "Ann and Cleo" in page or "Ann, Cleo" in page or "Ann &amp; Cleo" in page


def test_the_result_sheets_code_lets_watchers_see_this_game_only(host, client, sack):
    import re

    page = client.get(f"/s/{sack.session.id}/result").text
    link = re.search(r'class="house-link" href="[^"]*(/join/[^"]+)"', page)[1]
    guest = client.application.test_client()
    guest.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    assert guest.get(link).status_code == 303
    assert guest.get(f"/s/{sack.session.id}/result").status_code == 200
    assert posted(guest, sack.session.id, ROLL).status_code == 403
    other = host.create("sack_stackers", ["Cleo"], {})
    assert guest.get(f"/s/{other.session.id}").status_code == 403


def test_the_spreadsheet_is_of_one_moment_while_others_play_on(client, host, sack, monkeypatch):
    sack.submit(Rolled((1, 2)), Origin("r0"))
    course = Fold.course

    def later(fold):  # somebody strikes the roll while the points are worked out
        if sack.seq == 1:
            sack.strike(1, Origin("no", 1))
        return course(fold)

    monkeypatch.setattr(Fold, "course", later)
    answer = client.get(f"/s/{sack.session.id}/result.csv")
    assert answer.status_code == 200
    assert answer.text.count("\n") == 3  # the heading, the start, the roll


def forged(host, table, count):
    """The file of a game of so many rulings, as whoever knows the format makes one."""
    header = canonical_json({**json.loads(host.journal.header(table.session.id)), "session": "forged"})
    lines, before = [header, canonical_json({"names": {}})], digest(header)
    for seq, player in enumerate(islice(cycle(table.session.players), count), start=1):
        entry = Entry(seq, f"ruling-{seq}", Posted(Ruling(player, -1, f"Reason {seq}")), 1, 1, "tablet", "")
        before = chained(before, "forged", entry)
        lines.append(canonical_json({**entry_json("forged", entry), "hash": before}))
    return "".join(f"{line}\n" for line in lines)


def test_a_game_of_thousands_of_rulings_is_not_imported(client, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    refused = client.post("/api/import", data=forged(host, table, 5_000))
    assert refused.status_code == 422
    assert f"{MOST_RULINGS} rulings at most" in refused.json["error"]
    assert client.get("/s/forged/result").status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_result_with_as_many_rulings_as_it_may_have(client, host, game):
    table = host.create(game, ["Ann", "Bob", "Cleo"], {})
    assert client.post("/api/import", data=forged(host, table, MOST_RULINGS + 1)).status_code == 422
    assert client.post("/api/import", data=forged(host, table, MOST_RULINGS)).status_code == 201
    page = client.get("/s/forged/result").text
    assert all(f"Reason {seq}" in page for seq in range(1, MOST_RULINGS + 1))


def stored(host, table, count):
    """The same game in the journal, past every door."""
    game_file = read_game_file(forged(host, table, count))
    players = tuple(Player(player, player) for player in game_file.session.players)
    host.journal.import_session(game_file.session, players, game_file.rows, game_file.header)


def test_a_stored_game_opens_with_more_rulings_than_it_may_get(client, host):
    stored(host, host.create("sack_stackers", ["Ann", "Bob"], {}), MOST_RULINGS + 2)
    page = client.get("/s/forged/result").text
    assert all(f"Reason {seq}" in page for seq in range(1, MOST_RULINGS + 3))
    assert client.get("/api/sessions/forged/export").text.count("Reason") == MOST_RULINGS + 2
    refused = posted(client, "forged", ruling(host, "forged"), seen_seq=MOST_RULINGS + 2)
    assert (refused.status_code, "Take one back" in refused.json["error"]) == (422, True)
    strike = {"seq": 1, "event_id": "strike", "seen_seq": MOST_RULINGS + 2}
    assert client.post("/api/sessions/forged/strike", json=strike).status_code == 200


def test_a_correction_is_no_way_to_one_ruling_more(client, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    assert client.post("/api/import", data=forged(host, table, MOST_RULINGS)).status_code == 201
    assert posted(client, "forged", ROLL, seen_seq=MOST_RULINGS).status_code == 200
    seq = MOST_RULINGS + 1
    amend = {"seq": seq, "event": ruling(host, "forged"), "event_id": "amend", "seen_seq": seq}
    refused = client.post("/api/sessions/forged/amend", json=amend)
    assert (refused.status_code, "Take one back" in refused.json["error"]) == (422, True)


def test_a_ruling_taken_back_gives_room_for_another(client, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    assert client.post("/api/import", data=forged(host, table, MOST_RULINGS)).status_code == 201
    one_more = ruling(host, "forged")
    refused = posted(client, "forged", one_more, seen_seq=MOST_RULINGS)
    assert (refused.status_code, "Take one back" in refused.json["error"]) == (422, True)
    undo = {"event_id": "undo", "seen_seq": MOST_RULINGS}
    assert client.post("/api/sessions/forged/undo", json=undo).status_code == 200
    assert posted(client, "forged", one_more, 2, seen_seq=MOST_RULINGS + 1).status_code == 200
