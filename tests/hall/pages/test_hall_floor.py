"""The staff while tables play: who calls them, what they have tables ring, games that wait, people held elsewhere."""

import contextlib
import html
import json
from secrets import token_bytes

import pytest

from companion.changes import Live
from companion.clock import wall_us
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from companion.letters.errand import ask, read_errand
from companion.letters.keys import Key
from companion.letters.offer import COMES, Doing
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY
from tests.hall.test_live import iso, said
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import send
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

CHALLENGE = "ab" * 16
THIRD_KEY = Key(token_bytes(32))
MINUTE_US = 60_000_000


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path)
    for number, key in enumerate((KEY, OTHER_KEY, THIRD_KEY), start=1):
        enrol(record, key, f"Table {number}")
    yield record
    record.close()


@pytest.fixture
def hall(record):
    return Hall(record.public_of, Live(), on_sign=record.hear)


@pytest.fixture
def client(record, hall):
    return create_hub(Hub(record, hall, Live())).test_client()


def says(hall, key=KEY, **more):
    hall.hear(key.id[:8], json.dumps(said(wall_us(), key=key, **more)).encode(), is_retained=False)


def page(client, path="/staff"):
    return " ".join(html.unescape(client.get(path).text).split())


def free(client):
    """What the staff's page has under “Free tables”."""
    return page(client, "/staff/floor").partition("Free tables")[2].partition("</section>")[0]


def chime_of(client, record, key=KEY):
    """What a table that asks now is told to ring."""
    answer = client.post("/v1/errands", data=ask(key, CHALLENGE), environ_base={"REMOTE_ADDR": "192.168.1.7"})
    chime = read_errand(answer.data, key.id, CHALLENGE, record.key.id).chime
    return chime and chime.what


def test_all_tables_ring_by_one_tap(client, record):
    assert client.post("/staff/chime", data={"what": "begins", "all": "yes"}).status_code == 303
    assert [chime_of(client, record, key) for key in (KEY, OTHER_KEY, THIRD_KEY)] == ["begins"] * 3
    assert page(client).count("The round begins.") == 1 + 3  # to choose, and what each was told


def test_some_tables_ring(client, record):
    data = {"what": "five minutes", "table": [OTHER_KEY.id, THIRD_KEY.id]}
    assert client.post("/staff/chime", data=data).status_code == 303
    told = [chime_of(client, record, key) for key in (KEY, OTHER_KEY, THIRD_KEY)]
    assert told == [None, "five minutes", "five minutes"]


@pytest.mark.parametrize("data", [{}, {"what": "begins"}, {"all": "yes"}, {"what": "begins", "table": "x"}])
def test_what_is_not_chosen_is_one_sentence(client, record, data):
    answer = client.post("/staff/chime", data=data)
    assert (answer.status_code, list(answer.json)) == (422, ["error"])
    assert record.chimes.newest() == {}


def test_a_table_that_calls_is_told_that_somebody_comes(client, record, hall):
    assert "calls a referee" not in page(client)
    says(hall, calls=iso(wall_us() - MINUTE_US))
    assert "Table 1 calls a referee" in page(client)
    assert "Calls a referee" in page(client, "/")
    assert client.post(f"/staff/tables/{KEY.id}/come").status_code == 303
    assert chime_of(client, record) == COMES
    assert "It was told that somebody is coming." in page(client, "/staff/floor")
    says(hall)  # the table has heard it
    assert "calls a referee" not in page(client)
    says(hall, calls=iso(wall_us() + MINUTE_US))  # and calls anew
    assert "Say that somebody is coming" in page(client)


def test_only_a_signed_call_is_shown(client, hall):
    hall.hear("a1", json.dumps(said(wall_us(), key=None, calls=iso(wall_us()))).encode(), is_retained=False)
    assert "alls a referee" not in page(client) + page(client, "/")


def test_a_table_that_fell_silent_calls_no_more(client, hall):
    says(hall, calls=iso(wall_us()))
    says(hall, calls=iso(wall_us()), left=True)
    assert "alls a referee" not in page(client) + page(client, "/")


def cup(record, title, names, seats=2):
    """A tournament whose first round is seated."""
    one = record.desk.begin(title, "stack_dice", "printed", Form.ROUNDS, seats, 0, names)
    record.desk.pair(one.id)
    return record.desk.find(one.id)


def test_games_that_wait_and_free_tables_are_shown(client, record, hall):
    cup(record, "Cup", [f"Name {number}" for number in range(8)])
    shown = page(client, "/staff/floor")
    assert shown.count("Called. It can begin.") == 3
    assert shown.count("Waits for a free table.") == 1
    assert "No table is free now." in shown


def test_a_table_that_plays_for_fun_is_not_called_free(client, hall):
    assert "Table 1" in free(client)
    says(hall)
    assert "Table 1" not in free(client)
    says(hall, over=True)
    assert "Table 1" in free(client)


def test_somebody_who_still_sits_at_another_table_is_named(client, record, hall):
    """The staff rule a game that its table goes on with, and seat the next round."""
    one = cup(record, "Cup", ["Anna", "Ben", "Cleo", "Dora"])
    ruled = next(play for play in one.state.newest.plays if play.pairing.table == KEY.id)
    began_us = wall_us() - 20 * MINUTE_US
    says(hall, session=ruled.pairing.session, began=iso(began_us))
    for play in one.state.newest.open:
        record.desk.rule(one.id, play.pairing.number, tuple((seat,) for seat in play.pairing.seats))
    record.desk.pair(one.id)
    anna = one.name_of(ruled.pairing.seats[0])
    shown = page(client, "/staff/floor")
    assert f"Waits for {anna}: still at Table 1, game began " in shown
    assert shown.count("still at Table 1") == 2  # both who sat there
    says(hall, session=ruled.pairing.session, over=True)
    assert "still at" not in page(client, "/staff/floor")


def test_a_game_waits_while_a_player_has_another_one(client, record, hall):
    """In two tournaments at once: the second one's game gets a table in peace once the first one's is done."""
    first = cup(record, "First", ["Anna", "Ben"])
    second = cup(record, "Second", ["ANNA", "Cleo"])
    assert [play.pairing.table for play in first.state.newest.plays] == [KEY.id]
    assert [play.pairing.table for play in second.state.newest.plays] == [""]
    says(hall, session=first.state.newest.plays[0].pairing.session)
    assert "Waits for ANNA: still at Table 1." in page(client, "/staff/floor")
    (play,) = first.state.newest.plays
    record.desk.rule(first.id, play.pairing.number, tuple((seat,) for seat in play.pairing.seats))
    assert [play.pairing.table for play in record.desk.find(second.id).state.newest.plays] == [OTHER_KEY.id]


def test_a_free_table_gets_a_game_of_another_tournament(record):
    first = cup(record, "First", ["Anna", "Ben", "Cleo", "Dora", "Emil", "Fay"])
    second = cup(record, "Second", ["Gus", "Hal"])
    assert [play.pairing.table for play in second.state.newest.plays] == [""]
    play = first.state.newest.plays[1]
    record.desk.rule(first.id, play.pairing.number, tuple((seat,) for seat in play.pairing.seats))
    assert [play.pairing.table for play in record.desk.find(second.id).state.newest.plays] == [play.pairing.table]


def test_a_result_that_was_not_asked_for_has_a_line_with_two_buttons(client, record):
    one = cup(record, "Cup", ["Anna", "Ben", "Cleo"], 3)
    lost = record.desk.offer_for(KEY.id)
    record.desk.call(one.id, 1, OTHER_KEY.id, frozenset())
    envelope = send(record, lost)
    shown = page(client, "/staff/floor")
    assert "Table 1 has sent a result of game 1. Take it?" in shown
    assert "The game was given to Table 2, which has sent no result." in shown
    assert "put back from its copy" not in shown
    assert (page(client).count("Take this result"), page(client).count("Leave it")) == (1, 1)
    decided = f"/staff/results/{lost.session}/{envelope.head}"
    assert client.post(f"{decided}/leave").status_code == 303
    shown = page(client, "/staff/floor")
    assert ("Take it?" in shown, "Take this one instead" in shown) == (False, True)
    assert record.desk.find(one.id).state.newest.open
    assert "The result that a table sent of game 1, round 1, was left." in page(client, f"/tournaments/{one.id}")
    left = record.desk.acts(one.id)[0].seq
    assert client.post(f"/tournaments/{one.id}/acts/{left}/back").status_code == 303
    assert "Table 1 has sent a result of game 1. Take it?" in page(client, "/staff/floor")
    assert client.post(f"{decided}/take").status_code == 303
    assert record.desk.find(one.id).state.newest.is_closed
    assert "Results that don't count" not in page(client, "/staff/floor")


def test_a_game_that_was_given_to_another_table_is_listed_by_both_names_and_taken_back(client, record, hall):
    one = cup(record, "Cup", ["Anna", "Ben"])
    (before,) = record.desk.find(one.id).state.newest.plays
    here = f"/tournaments/{one.id}"
    assert "was given to" not in page(client, here)
    client.post(f"{here}/games/1/call", data={"table": OTHER_KEY.id})
    assert "Game 1 was given to Table 2." in page(client, here)
    given, back = record.desk.acts(one.id)[0].seq, f"{here}/acts/{{}}/back"
    says(hall, OTHER_KEY, session=record.desk.offer_for(OTHER_KEY.id).session)
    refused = client.post(back.format(given))
    assert (refused.status_code, "Game 1 is being played already" in refused.text) == (422, True)
    says(hall, OTHER_KEY, session=None)
    assert client.post(back.format(given)).status_code == 303
    assert record.desk.find(one.id).state.newest.plays == (before,)
    assert "Taken back: Game 1 was given to Table 2." in page(client, here)


def test_of_two_results_the_staff_see_both(client, record):
    one = cup(record, "Cup", ["Anna", "Ben", "Cleo"], 3)
    lost = record.desk.offer_for(KEY.id)
    record.desk.call(one.id, 1, OTHER_KEY.id, frozenset())
    send(record, record.desk.offer_for(OTHER_KEY.id), OTHER_KEY)
    send(record, lost)
    (play,) = record.desk.find(one.id).state.newest.plays
    first = one.name_of(play.ranks[0][0])
    assert f"Now this counts: 1. {first}" in page(client, "/staff/floor")


def test_a_game_of_a_silent_table_cannot_begin(client, record, hall):
    cup(record, "Cup", ["Anna", "Ben"])
    assert "Called. It can begin." in page(client, "/staff/floor")
    says(hall, session=None)
    says(hall, session=None, at=iso(wall_us() + MINUTE_US), left=True)
    shown = page(client, "/staff/floor")
    assert "Called. It can begin." not in shown
    assert "wait: the result comes by itself. Else tap “Decide game 1” in the tournament" in shown
    assert "Table 1" not in free(client)


def test_a_game_waits_while_its_table_has_another(client, record, hall):
    one = cup(record, "Cup", ["Anna", "Ben"])
    goes_on = "Another game still goes on at Table 1."
    phone = f"/me/{record.links.of(one.id)[one.state.entrants[0]]}"
    pages = {"/staff/floor": "Called. It can begin.", phone: "It can begin now."}
    course = [({}, True), ({"over": True}, False), ({}, True), ({"session": None}, False)]
    for minute, (more, waits) in enumerate(course):
        says(hall, at=iso(wall_us() + minute * MINUTE_US), **more)
        for path, begins in pages.items():
            shown = page(client, path)
            assert (goes_on in shown, begins in shown) == (waits, not waits), (path, more)


def test_a_game_of_a_table_whose_key_was_taken_away_is_said_to_have_none(client, record):
    cup(record, "Cup", ["Anna", "Ben"])
    assert client.post(f"/staff/tables/{KEY.id}/revoke").status_code == 303
    shown = page(client, "/staff/floor")
    assert ("Called. It can begin." in shown, "Waits for a free table." in shown) == (False, False)
    assert "The key of Table 1 was taken away. Give its game to another table." in shown


def test_after_a_restart_nobody_is_told_at_once_to_give_a_game_away(client, record, hall, tmp_path):
    one = cup(record, "Cup", ["Anna", "Ben"])
    long_ago_us = wall_us() - 60 * MINUTE_US
    with contextlib.closing(HubRecord(tmp_path, lambda: long_ago_us)) as before:
        before.hear(KEY.id, Doing(wall_us=long_ago_us))
    with contextlib.closing(HubRecord(tmp_path)) as again:
        client = create_hub(Hub(again, Hall(again.public_of, Live()), Live())).test_client()
        assert again.desk.find(one.id).state.newest.plays[0].pairing.table == KEY.id
        assert "Called. It can begin." in page(client, "/staff/floor")
        assert "Table 1" not in free(client)


def test_a_clock_that_is_wrong_is_said_to_the_staff_first(client, hall):
    says(hall)
    assert "clock" not in page(client, "/staff/floor")
    behind_us = wall_us() - 120 * MINUTE_US
    data = json.dumps(said(behind_us, key=OTHER_KEY)).encode()
    hall.hear("b", data, is_retained=False)
    sentence = "The clock of Table 2 is 2 hours behind the hub's. Set it right."
    assert sentence in page(client, "/staff/floor")
    health = client.get("/healthz").json
    assert (health["status"], health["troubles"]) == ("trouble", [sentence])
