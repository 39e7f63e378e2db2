"""An entrant's own phone: what it shows of the next game, and what it may say of how one ended."""

import html
import re

import pytest

from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY
from tests.hall.test_presence import Hub as TimedHub
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import ruled_all
from tests.shown_forms import fields_of
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

GUEST = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path)
    yield record
    record.close()


@pytest.fixture
def client(record):
    hall = Hall(record.public_of, Live(), on_sign=record.hear)
    return create_hub(Hub(record, hall, Live())).test_client()


def begun(record, names=("Ann", "Ben", "Cleo"), seats=3, form=Form.ROUNDS):
    cup = record.desk.begin("Cup", "stack_dice", "printed", form, seats, 0, list(names)).id
    record.desk.pair(cup)
    return cup


def phone_of(record, cup, name):
    """The address of somebody's own page."""
    one = record.desk.find(cup)
    return f"/me/{record.links.of(cup)[next(each for each in one.state.entrants if one.name_of(each) == name)]}"


def text_of(answer):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", lambda tag: " " * (tag[0] == "</p>"), answer.text)))


def places_of(record, cup, *names):
    """What a form sends where these names have the places 1, 2, …"""
    one = record.desk.find(cup)
    ids = {one.name_of(entrant): entrant for entrant in one.state.entrants}
    return {ids[name]: str(place) for place, name in enumerate(names, start=1)}


def game_in(client, phone):
    return fields_of(client.get(phone, **GUEST).text, "suggest")["game"]


def test_the_players_agree_by_a_tap_each(client, record):
    """In a hall that is not public: the link alone lets a phone in."""
    cup = begun(record)
    ann, ben, cleo = (phone_of(record, cup, name) for name in ("Ann", "Ben", "Cleo"))
    sent = {"game": game_in(client, ann), **places_of(record, cup, "Ben", "Ann", "Cleo")}
    assert client.post(f"{ann}/suggest", data=sent, **GUEST).status_code == 303
    assert "1. Ben, 2. Ann, 3. Cleo said by Ann You say so, too." in text_of(client.get(ann, **GUEST))
    for phone in (ben, cleo):
        page = client.get(phone, **GUEST)
        assert "Yes, that's right" in text_of(page)
        assert client.post(f"{phone}/suggest", data=fields_of(page.text, "suggest"), **GUEST).status_code == 303
    state = record.desk.find(cup).state
    names = [[record.desk.find(cup).name_of(one) for one in group] for group in state.newest.plays[0].outcome]
    assert names == [["Ben"], ["Ann"], ["Cleo"]]
    assert "Round 1 is closed." in text_of(client.get(ann, **GUEST))


def test_a_contradiction_is_told_to_players_and_staff_and_taken_by_one_tap(client, record):
    cup = begun(record)
    ann, ben = phone_of(record, cup, "Ann"), phone_of(record, cup, "Ben")
    for phone, order in ((ann, ("Ann", "Ben", "Cleo")), (ben, ("Ben", "Ann", "Cleo"))):
        sent = {"game": game_in(client, phone), **places_of(record, cup, *order)}
        assert client.post(f"{phone}/suggest", data=sent, **GUEST).status_code == 303
    assert "You don't agree." in text_of(client.get(ann, **GUEST))
    for path in ("/staff", f"/tournaments/{cup}"):
        page = client.get(path)
        assert "The players of game 1 don't agree" in text_of(page)
        assert ("said by Ann" in text_of(page), "said by Ben" in text_of(page)) == (True, True)
    before = record.desk.find(cup).state
    taken = fields_of(client.get("/staff").text, "games/1/rule")
    client.post(f"/tournaments/{cup}/rounds/1/games/1/rule", data=taken)
    assert record.desk.find(cup).state.newest.plays[0].ruled == tuple((one,) for one in before.entrants)
    assert "don't agree" not in text_of(client.get("/staff"))
    page = text_of(client.get(f"/tournaments/{cup}"))
    assert "Ann said: 1. Ann, 2. Ben, 3. Cleo" in page
    said = next(entry.seq for entry in record.desk.acts(cup) if "Suggested" in type(entry.event).__name__)
    client.post(f"/tournaments/{cup}/acts/{record.desk.acts(cup)[0].seq}/back")
    assert client.post(f"/tournaments/{cup}/acts/{said}/back").status_code == 303
    assert len(record.desk.find(cup).state.newest.plays[0].said) == 1


def test_nobody_says_anything_of_another_game_or_of_an_old_one(client, record):
    cup = begun(record, ("Ann", "Ben", "Cleo", "Dan"), seats=2)
    one = record.desk.find(cup)
    first, other = one.state.newest.plays
    mine, *_rest = (phone_of(record, cup, one.name_of(seat)) for seat in first.pairing.seats)
    theirs = phone_of(record, cup, one.name_of(other.pairing.seats[0]))
    places = {seat: str(place) for place, seat in enumerate(first.pairing.seats, start=1)}
    before = one.state
    for data in (
        {"game": game_in(client, theirs), **places},
        {"game": game_in(client, mine), **dict.fromkeys(other.pairing.seats, "1")},
        {"game": game_in(client, mine), **dict.fromkeys(first.pairing.seats, "2nd")},
        {"game": "", **places},
        {},
    ):
        refused = client.post(f"{mine}/suggest", data=data, **GUEST)
        assert (refused.status_code, 'id="said" class="notice t-warn hall-said" role="alert">' in refused.text) == (
            422,
            True,
        )
        follows = client.post(f"{mine}/suggest", data=data, headers={"Accept": "application/json"}, **GUEST)
        assert (follows.status_code, list(follows.json)) == (422, ["error"])
    assert record.desk.find(cup).state == before
    stale = game_in(client, mine)
    ruled_all(record, cup)
    assert client.post(f"{mine}/suggest", data={"game": stale, **places}, **GUEST).status_code == 422


def test_a_refusal_keeps_what_was_chosen(client, record):
    cup = begun(record)
    ann = phone_of(record, cup, "Ann")
    first, second, third = record.desk.find(cup).state.newest.plays[0].pairing.seats
    sent = {"game": game_in(client, ann), first: "3", second: "1", third: ""}
    refused = client.post(f"{ann}/suggest", data=sent, **GUEST)
    chosen = fields_of(refused.text.replace(" required", ""), "suggest")
    assert {seat: chosen[seat] for seat in (first, second)} == {first: "3", second: "1"}


def test_a_link_that_does_not_count_is_refused_and_guesses_have_an_end(client, record):
    cup = begun(record)
    ann = phone_of(record, cup, "Ann")
    entrant = record.desk.find(cup).state.entrants[0]
    assert client.post(f"/tournaments/{cup}/entrants/{entrant}/link").status_code == 303
    for path in (ann, f"{ann}/now", f"{ann}/stream"):
        assert client.get(path, **GUEST).status_code == 404
    statuses = [client.get(f"/me/guess{number}", **GUEST).status_code for number in range(12)]
    assert (statuses[0], statuses[-1]) == (404, 429)


def test_the_page_says_table_seat_company_and_what_is_missing(client, record):
    """Two tables of ours, three games: one waits for a player who still plays in another tournament."""
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    one = begun(record, ("Ann", "Ben"), seats=2)
    two = begun(record, ("Ann", "Dora"), seats=2)
    other = begun(record, ("Eve", "Flo"), seats=2)
    for play in record.desk.find(one).state.open:
        record.hear(play.pairing.table, doing(play))
    page = text_of(client.get(phone_of(record, one, "Ben"), **GUEST))
    assert ("Now: game 1 at Table 1." in page, "It is being played." in page) == (True, True)
    assert re.search(r"Ben sits at seat [12], with Ann\.", page)
    page = text_of(client.get(phone_of(record, two, "Dora"), **GUEST))
    assert "Now: game 1. It waits for a free table." in page
    assert "Waits for Ann: still at Table 1." in page
    page = text_of(client.get(phone_of(record, other, "Eve"), **GUEST))
    assert ("Now: game 1 at Table 2." in page, "It can begin now." in page, "with Flo." in page) == (True, True, True)
    assert "How did game 1 end?" not in page  # Its table sends the result.


@pytest.mark.parametrize("has_begun", [True, False])
def test_a_game_of_a_silent_table_is_neither_called_nor_said_to_begin(tmp_path, has_begun):
    """Phone, tournament page and projector: its table is silent, whether it plays on unheard or never began."""
    timed = TimedHub(tmp_path / "hub")
    record = timed.record
    enrol(record)
    cup = begun(record)
    session = record.desk.find(cup).state.open[0].pairing.session
    timed.hear(session=session if has_begun else None)
    client = create_hub(Hub(record, Hall(record.public_of, Live()), Live(), is_public=True)).test_client()
    pages = (phone_of(record, cup, "Ann"), f"/tournaments/{cup}", f"/tournaments/{cup}/seating")

    def shown():
        return [text_of(client.get(path)) for path in pages]

    state = ("It is being played.", "is played", "is played") if has_begun else ("It can begin now.", "called", "")
    assert [sentence in page for sentence, page in zip(state, shown(), strict=True)] == [True] * 3
    timed.passes(91)
    phone, cups, seating = shown()
    assert (
        "Table 1 isn't heard now. If you play there, play on: the result comes by itself. Else ask the staff." in phone
    )
    assert ("It can begin now." in phone, "It is being played." in phone) == (False, False)
    assert ("its table is silent" in cups, "its table is silent" in seating, "called" in cups) == (True, True, False)
    offered = client.get(f"/tournaments/{cup}").text  # What staff may do with a game that was not begun.
    for tap in ("games/1/call", "swap", "away"):
        assert f'action="/tournaments/{cup}/{tap}"' in offered
        form = offered.partition(f'action="/tournaments/{cup}/{tap}"')[2].partition("</form>")[0]
        assert tap == "games/1/call" or "Game 1" in form
    timed.hear(session=session)
    assert ["is played" in page or "It is being played." in page for page in shown()] == [True] * 3
    record.revoke(KEY.id)
    assert "This table doesn't count any more. The staff give your game to another one." in shown()[0]
    record.close()


def doing(play):
    from companion.clock import wall_us
    from companion.letters.offer import Doing

    return Doing(session=play.pairing.session, wall_us=wall_us())


def test_between_games_the_page_says_what_comes(client, record):
    cup = begun(record, ("Ann", "Ben", "Cleo"), seats=2, form=Form.KNOCK_OUT)
    one = record.desk.find(cup)
    (bye,) = one.state.newest.byes
    assert f"{one.name_of(bye)} has a bye this round. Round 1: game 1 is missing." in text_of(
        client.get(phone_of(record, cup, one.name_of(bye)), **GUEST)
    )
    ruled_all(record, cup)
    record.desk.pair(cup)
    finalists = record.desk.find(cup).state.newest.plays[0].pairing.seats
    loser = next(each for each in one.state.entrants if each not in finalists)
    phone, name = phone_of(record, cup, one.name_of(loser)), one.name_of(loser)
    assert f"{name} is out of this knock-out." in text_of(client.get(phone, **GUEST))
    ruled_all(record, cup)
    record.desk.end(cup)
    assert "The tournament is over." in text_of(client.get(phone, **GUEST))


def test_a_phone_that_may_not_read_gets_no_links_into_the_hall(client, record):
    cup = begun(record)
    page = client.get(phone_of(record, cup, "Ann"), **GUEST).text
    assert f"/tournaments/{cup}" not in page
    assert client.get(f"/tournaments/{cup}", **GUEST).status_code == 403


def test_slips_and_the_organisers_page_have_each_link(client, record):
    cup = begun(record)
    slips = client.get(f"/tournaments/{cup}/links").text
    for entrant, link in record.links.of(cup).items():
        assert slips.count(f"/me/{link}</a>") == 1
        page = client.get(f"/tournaments/{cup}/entrants/{entrant}")
        assert (f"/me/{link}" in page.text, "&lt;" in page.text) == (True, False)
    assert KEY.id not in slips


def test_a_round_with_minutes_counts_down_everywhere(client, record):
    cup = record.desk.begin("Cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Ann", "Ben", "Cleo"], minutes=40).id
    record.desk.pair(cup)
    paths = ("/board/tables", f"/tournaments/{cup}/seating/tables", f"/tournaments/{cup}/standings/lines")
    paths += (f"/tournaments/{cup}/now", f"{phone_of(record, cup, 'Ann')}/now")
    for path in paths:
        (left,) = re.findall(r'data-left="(\d+)"', client.get(path).text)
        assert 39 * 60e6 < int(left) <= 40 * 60e6
    assert client.post(f"/tournaments/{cup}/clock", data={"minutes": "5"}).status_code == 303
    (left,) = re.findall(r'data-left="(\d+)"', client.get("/board/tables").text)
    assert 4 * 60e6 < int(left) <= 5 * 60e6
    assert client.post(f"/tournaments/{cup}/clock", data={"minutes": "601"}).status_code == 422
    assert client.post(f"/tournaments/{cup}/clock", data={"minutes": ""}).status_code == 303
    assert "data-left" not in client.get("/board/tables").text
    assert "minutes ago" in text_of(client.get(f"/tournaments/{cup}/seating/tables"))
    record.desk.take_back(cup, record.desk.acts(cup)[0].seq)
    ruled_all(record, cup)
    assert "data-left" not in client.get("/board/tables").text
