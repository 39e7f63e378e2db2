"""The end of a game: its places, its best moment, what is folded away, and the link for BG Stats."""

import json
import re
import struct
from datetime import UTC, datetime
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import cv2
import numpy as np
import pytest

from companion.game.readings import DiceReading, Settled
from companion.game.widgets import ScoreLine, Standings
from companion.games.rulings import Ruling
from companion.house.outside import no_encoder
from companion.journal import codec
from companion.journal.events import Origin
from companion.shelf import GAMES
from tests.parts import connect
from tests.photographs import encode_photo
from tests.played import FILES, named, read
from tests.web.test_every_game import shortest
from web.render.finish import best_moment, curves, rounds_table

PICTURES = Path(__file__).parents[1] / "vision/fixtures/dice"
PICTURE, OTHER = ((PICTURES / name).read_bytes() for name in ("scene_00.jpg", "scene_01.jpg"))


def ended(host, played):
    """The table of a playthrough, played to its end; its players' names are its letters."""
    table = host.create(played.game, list(played.players), played.options)
    ids = {name: player for player, name in table.names.items()}
    for number, step in enumerate(played.steps):
        event = codec.event_from_json(table.game, named(step.event, ids))
        table.submit(event, Origin(f"tap-{number}"))
    return table


def playthrough(name):
    return read(next(path for path in FILES if f"{path.parent.name}/{path.stem}" == name))


def podium(client, table, page=""):
    """(place, names) of each step, as the page tells them to a screen reader."""
    text = client.get(f"/s/{table.session.id}{page}").text
    steps = re.findall(r'<li class="podium-place place-(\d)">(.*?)</p>', text, re.DOTALL)
    return [(int(place), re.findall(r"<span>(.*?)</span></li>", step)) for place, step in steps]


def line(player, points, *, winner=False):
    return ScoreLine(player, player, points, winner=winner)


def steps(standings):
    return [(place, "".join(line.player for line in lines)) for place, lines in standings.steps]


def test_equal_points_share_a_step_and_the_next_place_is_left_out():
    lines = (line("A", 9, winner=True), line("B", 7), line("C", 7), line("D", 3))
    assert steps(Standings("", lines)) == [(1, "A"), (2, "BC"), (4, "D")]


def test_shared_winners_stand_on_one_step_and_whoever_lost_the_stack_off_below():  # SAM-09, MX-31
    shared = (line("A", 7, winner=True), line("B", 7, winner=True), line("C", 2))
    assert steps(Standings("", shared)) == [(1, "AB"), (3, "C")]
    decided = (line("A", 7), line("B", 7, winner=True))
    assert steps(Standings("", decided)) == [(1, "B"), (2, "A")]


@pytest.mark.parametrize("page", ["", "/result"])
def test_where_the_sheet_places_the_winner_alone_there_is_no_podium_of_one_block(client, host, page):  # SP-43
    table = ended(host, playthrough("sandpile_panic/second-island-decides"))
    (winner,) = table.game.rules.winners(table.state)
    assert podium(client, table, page) == []
    assert f"{table.names[winner]} wins" in client.get(f"/s/{table.session.id}{page}").text


@pytest.mark.parametrize("page", ["", "/result"])
def test_a_complete_tie_has_a_headline_and_no_podium(client, host, page):  # SP-42
    table = ended(host, playthrough("sandpile_panic/complete-tie"))
    assert podium(client, table, page) == []
    text = client.get(f"/s/{table.session.id}{page}").text
    assert re.search(r"<h2[^>]*>[^<]*complete tie[^<]*</h2>", text)


def test_an_end_of_two_boards_shows_the_standings_once_and_names_both(client, host, monkeypatch):
    table = ended(host, playthrough("stack_dice/going-out"))
    monkeypatch.setattr("web.pages.game.grids_side_by_side", lambda _widgets: True)
    text = client.get(f"/s/{table.session.id}").text
    assert text.count('<section class="standings') == 1
    assert "workshop" not in text  # A phone hides the titles of boards there.


def test_partners_share_a_step(client, host):  # ST-70
    table = ended(host, playthrough("stack_dice/teams"))
    (first, winners), (second, others) = podium(client, table)
    assert (first, second) == (1, 2)
    won = {table.names[player] for player in table.game.rules.winners(table.state)}
    assert len(winners) == len(others) == 1
    assert all(name in winners[0] for name in won)
    assert not any(re.search(rf"\b{name}\b", others[0].split(":")[1]) for name in won)


def test_play_again_and_share_are_the_main_buttons_of_an_end_screen(client, host):
    table = ended(host, shortest("pack_and_stack"))
    for page in ("", "/result"):
        text = client.get(f"/s/{table.session.id}{page}").text
        assert re.findall(r'class="tap big [^"]*"[^>]*>.*?</svg> ?(?:<span>)?([^<]+)<', text) == ["Play again", "Share"]


def test_the_best_moment_is_the_event_that_brought_most(host):
    """The points beside the lines of the playthrough say which."""
    played = playthrough("stack_dice/two-rounds")
    moment = best_moment(ended(host, played))
    before, gains = dict.fromkeys(played.players, 0), []
    for step in played.steps:
        gains += [(points - before[player], player) for player, points in step.score.items()]
        before = step.score
    assert (moment.gain, moment.name) == max(gains, key=lambda gain: gain[0])


def test_a_ruling_is_no_best_moment(client, host):
    table = ended(host, shortest("sandpile_panic"))
    before = best_moment(table)
    table.submit(Ruling(table.session.players[0], 90, "Found a die"), Origin("r"))
    assert best_moment(table) == before
    assert f"Best moment: {before.name}, +{before.gain}" in client.get(f"/s/{table.session.id}").text


def test_hash_files_and_presses_are_folded_away(client, host):
    table = ended(host, shortest("speedstax"))
    text = client.get(f"/s/{table.session.id}/result").text
    folded = re.search(r'<details class="result-details">(.*?)</details>\s*<footer', text, re.DOTALL)[1]
    for words in (table.fingerprint, "/export", "/result.csv"):
        assert words in folded
        assert words not in text.replace(folded, "")


def test_result_and_history_count_the_same_entries(client, host):
    table = ended(host, shortest("sack_stackers"))
    table.undo(Origin("u", seen_seq=table.seq))  # an entry that is no event
    table.undo(Origin("back", seen_seq=table.seq), seq=table.seq)
    counted = [
        re.search(r"(\d+) entries", client.get(f"/s/{table.session.id}/{page}").text)[1]
        for page in ("history", "result")
    ]
    assert counted[0] == counted[1]


# BG Stats


def sent(client, table):
    """What the link on the result page hands to the app, None without a link."""
    text = client.get(f"/s/{table.session.id}/result").text
    found = re.search(r'<a class="[^"]*" href="(https://[^"]*)"([^>]*)>', text)
    if found is None:
        return None
    assert "noreferrer" in found[2]  # the app's site does not hear from where
    address = urlsplit(unescape(found[1]))
    assert (address.netloc, address.path) == ("app.bgstatsapp.com", "/createPlay.html")
    return json.loads(parse_qs(address.query)["data"][0])


@pytest.mark.parametrize("name", GAMES)
def test_bg_stats_gets_every_game_with_its_winners(client, host, name):
    played = shortest(name)
    table = ended(host, played)
    found = sent(client, table)
    began = datetime.fromtimestamp(table.session.created_wall_us / 1e6, UTC)
    assert found["playDate"] == f"{began:%Y-%m-%d %H:%M:%S}"
    assert found["durationMin"] >= 1
    assert found["sourcePlayId"] == table.session.id
    assert (found["game"]["name"], found["game"]["highestWins"]) == (GAMES[name].pages.title, True)
    by_name = {one["name"]: one for one in found["players"]}
    assert {player for player, one in by_name.items() if one["winner"]} == set(played.winners)
    assert list(by_name) == [table.names[player] for player in table.session.players]
    if not found["game"]["noPoints"]:
        assert {player: one["score"] for player, one in by_name.items()} == played.steps[-1].score
        assert {player for player, one in by_name.items() if one["rank"] == 1} == set(played.winners)


def test_bg_stats_hears_of_no_points_where_the_sheet_names_a_winner_only(client, host):  # SP-43
    found = sent(client, ended(host, playthrough("sandpile_panic/second-island-decides")))
    assert found["game"]["noPoints"] is True
    assert not any("score" in one for one in found["players"])
    assert [one["rank"] for one in found["players"] if one["winner"]] == [1]
    assert not any("rank" in one for one in found["players"] if not one["winner"])


def test_the_second_of_two_teams_is_second_in_bg_stats(client, host):  # ST-70
    found = sent(client, ended(host, playthrough("stack_dice/teams")))
    assert {(one["winner"], one["rank"]) for one in found["players"]} == {(True, 1), (False, 2)}


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("sandpile_panic/taken-over", "A"),  # SP-10: whoever places the first piece
        ("stack_dice/two-rounds", "R"),  # ST-10: a 1 beats everything
        ("samestax/three-players-clockwise-from-b", "B"),  # SAM-01: the first Creator
        ("swapstax/swapped-and-swapped-back", "B"),  # SWP-02: draws begin with the Shuffler
        ("pack_and_stack/never-below-zero", "A"),  # PS-10: the starter who was named
        ("speedstax/five-rounds", None),  # all build at the same moment
    ],
)
def test_bg_stats_hears_who_began(client, host, file, first):
    found = sent(client, ended(host, playthrough(file)))
    began = {one["name"] for one in found["players"] if one.get("startPlayer")}
    assert began == ({first} if first else set())
    assert all(("startPlayer" in one) == (first is not None) for one in found["players"])


def test_a_game_that_goes_on_is_offered_to_nobody(client, host):
    assert sent(client, host.create("sack_stackers", ["Ann", "Bob"], {})) is None


def test_of_equal_gains_the_quickest_is_the_best_moment(host):
    """A has two points in rounds 1, 3 and 4, B in 2 and 5. Rounds 4 and 5 took seven seconds, and 4 was first."""
    table = ended(host, playthrough("speedstax/two-players-straight"))
    moment = best_moment(table)
    assert (moment.name, moment.gain, moment.sentence) == ("A", 2, "A: MAX STAX after 7.0\u00a0s.")


def test_points_that_a_creator_has_at_the_start_are_no_best_moment(host):
    """MX-32: the Creator's points, more than anybody gains at once, are there for the others to win."""
    moment = best_moment(ended(host, playthrough("samestax/four-players-share")))
    assert (moment.name, moment.gain, moment.sentence) == ("C", 1, "C: MAX STAX after 7.0\u00a0s.")


def test_the_rounds_stand_in_a_table_on_result_and_history(client, host):
    """By hand in tests/playthroughs/pack_and_stack/two-rounds.txt."""
    table = ended(host, playthrough("pack_and_stack/two-rounds"))
    for page in ("result", "history"):
        text = client.get(f"/s/{table.session.id}/{page}").text
        rounds = re.search(r'<details class="rounds".*?</table>', text, re.DOTALL)[0]
        rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', rounds)
        assert [(name, *re.findall("<td>(.*?)</td>", cells)) for name, cells in rows] == [
            ("Start", "75", "75", "75"),
            ("1", "+2", "−10", "−21"),
            ("2", "+10", "−12", "−14"),
            ("Total", "87", "53", "40"),
        ]


def test_the_chart_has_a_step_for_each_round(host):
    table = ended(host, playthrough("speedstax/two-players-straight"))
    assert [curve.points for curve in curves(table).curves] == [(0, 2, 3, 5, 7, 8), (0, 1, 3, 3, 4, 6)]


def test_a_stack_off_has_its_name_in_the_table(host):
    table = ended(host, playthrough("swapstax/stack-off"))
    assert [row[0] for row in rounds_table(table).rows][4:] == ["5", "Speed-Stack-Off 1", "Speed-Stack-Off 2", "Total"]


# the photo of the final table


@pytest.fixture(autouse=True)
def encoder(host):
    """Photos are encoded as the real process does it."""
    connect(host, encode_photo=encode_photo)


def after_keeping(client, host, photo):
    """What is kept of a photo of a final table."""
    table = ended(host, shortest("speedstax"))
    assert final(client, table, photo=(BytesIO(photo), "table.jpg")).status_code == 303
    return host.pictures.jpeg(host.pictures.final(table.session.id))


def final(client, table, **form):
    return client.post(f"/s/{table.session.id}/final-photo", data=form, content_type="multipart/form-data")


def test_a_photo_of_the_final_table_is_kept_shown_and_deleted_with_the_game(client, host):
    table = ended(host, shortest("speedstax"))
    page = f"/s/{table.session.id}/result"
    assert "Take a photo of the final table" in client.get(page).text
    assert final(client, table, photo=(BytesIO(PICTURE), "table.jpg")).status_code == 303
    kept = host.pictures.final(table.session.id)
    for shown in (page, f"/s/{table.session.id}"):
        assert f'<figure class="final-table"><a href="/api/pictures/{kept}.jpg"' in client.get(shown).text
    assert 'href="data:image/jpeg;base64,' in client.get(f"{page}.svg").text
    final(client, table, photo=(BytesIO(OTHER), "table.jpg"))
    assert host.pictures.final(table.session.id) != kept
    kept = host.pictures.final(table.session.id)
    host.delete_game(table.session.id)
    assert client.get(f"/api/pictures/{kept}.jpg").status_code == 404


def test_the_cameras_last_picture_is_kept_if_it_is_of_this_game(client, host):
    table = ended(host, shortest("speedstax"))
    assert "Keep what the camera sees" not in client.get(f"/s/{table.session.id}/result").text
    assert final(client, table, camera="1").status_code == 400
    host.active.hold(table.session.id)
    host.on_reading(Settled(DiceReading(640, 480, ()), 1, 2, PICTURE, ()))
    assert "Keep what the camera sees" in client.get(f"/s/{table.session.id}/result").text
    assert final(client, table, camera="1").status_code == 303
    assert host.pictures.jpeg(host.pictures.final(table.session.id)) == PICTURE


def test_no_photo_of_a_game_that_goes_on_and_none_that_is_no_jpeg(client, host):
    playing, over = host.create("speedstax", ["A", "B"], {}), ended(host, shortest("speedstax"))
    assert final(client, playing, photo=(BytesIO(PICTURE), "table.jpg")).status_code == 400
    for wrong in (b"<svg/>", PICTURE[:30], b""):
        assert final(client, over, photo=(BytesIO(wrong), "table.jpg")).status_code == 400
    assert host.pictures.final(over.session.id) is None


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("turned", [1, 3, 6])
def test_a_kept_photo_is_upright_and_tells_no_place(client, host, order, turned):
    place = b"48.137 N 11.575 E"
    tags = struct.pack(f"{order}HHHIHH", 1, 0x0112, 3, 1, turned, 0)
    tiff = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", 42, 8) + tags + bytes(4) + place
    exif = b"Exif\0\0" + tiff
    kept = after_keeping(client, host, PICTURE[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2) + exif + PICTURE[2:])
    assert place not in kept
    assert b"Exif" not in kept
    shown, plain = (cv2.imdecode(np.frombuffer(each, np.uint8), cv2.IMREAD_COLOR) for each in (kept, PICTURE))
    straight = {1: None, 3: cv2.ROTATE_180, 6: cv2.ROTATE_90_CLOCKWISE}[turned]
    expected = plain if straight is None else cv2.rotate(plain, straight)
    assert shown.shape == expected.shape
    assert np.abs(shown.astype(int) - expected).mean() < 4  # encoded anew: the same picture, not the same bytes


def test_a_photo_of_many_megapixels_is_kept_small(client, host):
    large = cv2.imencode(".jpg", np.full((3000, 4000, 3), 99, np.uint8))[1].tobytes()
    height, width = cv2.imdecode(np.frombuffer(after_keeping(client, host, large), np.uint8), 1).shape[:2]
    assert (width, height) == (2000, 1500)


def test_where_no_photo_can_be_opened_none_is_kept(client, host):
    connect(host, encode_photo=no_encoder)
    table = ended(host, shortest("speedstax"))
    refused = final(client, table, photo=(BytesIO(PICTURE), "table.jpg"))
    assert refused.status_code == 503
    assert "Keep what the camera sees." in refused.text
    assert host.pictures.final(table.session.id) is None
