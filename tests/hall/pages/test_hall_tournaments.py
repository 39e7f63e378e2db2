"""The pages of a tournament: what the staff tap, what everybody reads, and a refusal on the page that was tapped."""

import html
import io
import itertools
import json
import random
import re

import pytest

from companion.changes import Live
from companion.clock import wall_us
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from tests.hall.databases import on_both
from tests.hall.letters import KEY
from tests.hall.test_live import said
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import ruled_all, send
from tests.shown_forms import fields_of
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

GUEST = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}
ASKED = {"title": "Autumn Cup", "game": "stack_dice", "preset": "printed", "form": "rounds", "seats": "3",
         "rounds": "", "names": "Ann\nBen\nCleo\nDan\nEve\nFlo", "sure": "1"}  # fmt: skip


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path)
    yield record
    record.close()


@pytest.fixture
def hall(record):
    return Hall(record.public_of, Live(), on_sign=record.hear)


@pytest.fixture
def client(record, hall):
    return create_hub(Hub(record, hall, Live(), is_public=True)).test_client()


@pytest.fixture
def cup(client):
    """The page of a tournament of six."""
    answer = client.post("/tournaments", data=ASKED)
    assert answer.status_code == 303
    return answer.location


def text_of(answer):
    return html.unescape(re.sub(r"\s+", " ", answer.text))


def names_of(record, cup):
    one = record.desk.find(cup.rpartition("/")[2])
    return {one.name_of(entrant): entrant for entrant in one.state.entrants}


def test_a_tournament_is_begun_from_a_pasted_list(client, cup, record):
    page = text_of(client.get(cup))
    assert "6 entrants. No round yet." in page
    assert "Seat round 1" in page
    assert list(names_of(record, cup)) == ASKED["names"].splitlines()
    assert "Autumn Cup" in text_of(client.get("/tournaments", **GUEST))


@pytest.mark.parametrize(("form", "goes_on"), [("rounds", True), ("group", True), ("knock-out", False)])
def test_after_a_round_at_one_table_the_next_one_can_be_seated_but_in_a_knock_out(client, record, form, goes_on):
    answer = client.post("/tournaments", data=ASKED | {"form": form, "names": "Ann\nBen\nCleo"})
    client.post(f"{answer.location}/pair", data={"round": "1"})
    ruled_all(record, answer.location.rpartition("/")[2])
    assert ("Seat round 2" in text_of(client.get(answer.location))) is goes_on


def test_a_tournament_is_begun_from_a_csv_file(client, record):
    file = (io.BytesIO("\ufeffNr;Name, Vorname\n1;Öberg, Åsa\n2;Ek, Björn\n".encode()), "list.csv")
    asked = {name: text for name, text in ASKED.items() if name not in ("names", "sure")} | {"seats": "2"}
    shown = client.post("/tournaments", data={**asked, "names": "", "file": file})
    assert (shown.status_code, "2 names were understood." in text_of(shown)) == (200, True)
    assert record.desk.all() == []
    sent = fields_of(shown.text)
    assert {name: sent[name] for name in asked} == asked
    answer = client.post("/tournaments", data=sent | {"sure": "1"})
    assert list(names_of(record, answer.location)) == ["Åsa Öberg", "Björn Ek"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"title": " "}, "Type a name."),
        ({"seats": "x"}, "A number is missing"),
        ({"seats": "9"}, "is played by"),
        ({"form": "chess"}, "Choose how the tournament goes"),
        ({"names": "Ann\nann"}, "Two players are called"),
        ({"names": "Ann\nann", "sure": None}, "Two players are called"),
        ({"rounds": "200"}, "100 rounds at most"),
        ({"file": b"\xff\xfe\x00"}, "isn't a list of names"),
    ],
)
def test_what_cannot_be_begun_is_said_over_the_form_as_it_was_typed(client, record, change, sentence):
    if "file" in change:
        change = {"file": (io.BytesIO(change["file"]), "list.csv"), "sure": None}
    answer = client.post(
        "/tournaments", data={name: sent for name, sent in (ASKED | change).items() if sent is not None}
    )
    assert (answer.status_code, sentence in text_of(answer)) == (422, True)
    assert "Autumn Cup" in text_of(answer) or "title" in change
    assert record.desk.all() == []


def test_a_round_is_seated_played_and_closed(client, cup, record, hall):
    enrol(record)
    assert client.post(f"{cup}/pair", data={"round": "1"}).status_code == 303
    page = text_of(client.get(cup))
    assert "Round 1: games 1 and 2 are missing." in page
    assert ("waits for a free table" in page, "called" in page) == (True, True)
    offer = record.desk.offer_for(KEY.id)
    hall.hear("a1", json.dumps(said(wall_us(), session=offer.session)).encode(), is_retained=False)
    assert "is played" in text_of(client.get(cup))
    send(record, offer)
    assert "Round 1: game 2 is missing." in text_of(client.get(cup))
    refused = client.post(f"{cup}/pair", data={"round": "2"})
    assert refused.status_code == 422
    assert re.search(r"Round 1 isn't closed yet\. Missing: game 2 \(\w+, \w+, \w+\)\.", text_of(refused))


def test_a_game_whose_table_still_plays_another_says_so_on_every_page(client, cup, record, hall):
    """The players' page, the tournament's, the seating's and the staff's say the same words."""
    enrol(record, name="Window")
    client.post(f"{cup}/pair", data={"round": "1"})
    play = next(play for play in state_of(record, cup).newest.plays if play.is_at_ours)
    sentence = "Another game still goes on at Window."
    pages = (cup, f"{cup}/seating/tables", f"{cup}/entrants/{play.pairing.seats[0]}", "/staff/floor")
    assert [path for path in pages if sentence in text_of(client.get(path))] == []
    hall.hear("a1", json.dumps(said(wall_us(), session="another")).encode(), is_retained=False)
    assert [path for path in pages if sentence not in text_of(client.get(path))] == []


def test_the_seating_says_who_sits_where(client, cup, record):
    enrol(record, name="Window")
    client.post(f"{cup}/pair", data={"round": "1"})
    for path in (f"{cup}/seating", f"{cup}/seating/tables"):
        page = text_of(client.get(path, **GUEST))
        assert "Window" in page
        assert "Wait for a free table" in page
        for name in names_of(record, cup):
            assert page.count(name) == 2  # at a table, and in the list for paper


def state_of(record, cup):
    return record.desk.find(cup.rpartition("/")[2]).state


def test_the_staff_rule_and_take_it_back(client, cup, record):
    client.post(f"{cup}/pair", data={"round": "1"})
    play = state_of(record, cup).newest.plays[0]
    places = dict(zip(play.pairing.seats, ("2", "1", "2"), strict=True))
    seen = fields_of(client.get(cup).text, "games/1/rule")["seen"]
    game = f"{cup}/rounds/1/games/1"
    assert client.post(f"{game}/rule", data={**places, "seen": seen}).status_code == 303
    ranks = state_of(record, cup).newest.plays[0].ruled
    assert ranks == ((play.pairing.seats[1],), (play.pairing.seats[0], play.pairing.seats[2]))
    assert "ruled" in text_of(client.get(cup))
    stale = client.post(f"{game}/rule", data={**places, "seen": seen})
    assert (stale.status_code, "This game has a new result" in text_of(stale)) == (422, True)
    assert client.post(f"{game}/unrule").status_code == 303
    assert "games 1 and 2 are missing" in text_of(client.get(cup))
    assert client.post(f"{game}/rule", data={"seen": seen}).status_code == 422
    assert client.post(f"{cup}/rounds/1/games/9/rule", data={"seen": ""}).status_code == 422
    assert client.post(f"{cup}/rounds/7/games/1/rule", data={"seen": ""}).status_code == 422


def test_a_result_elsewhere_refuses_no_ruling(client, cup, record):
    """The lock of a ruling is its own game's: what happens at other tables does not matter."""
    client.post(f"{cup}/pair", data={"round": "1"})
    seen = fields_of(client.get(cup).text, "games/1/rule")["seen"]
    one, other = state_of(record, cup).newest.plays
    record.desk.rule(cup.rpartition("/")[2], other.pairing.number, tuple((each,) for each in other.pairing.seats))
    places = dict(zip(one.pairing.seats, ("1", "2", "3"), strict=True))
    assert client.post(f"{cup}/rounds/1/games/1/rule", data={**places, "seen": seen}).status_code == 303


def test_a_ruling_in_an_earlier_round_shows_first_what_follows(client, cup, record):
    client.post(f"{cup}/pair", data={"round": "1"})
    ruled_all(record, cup.rpartition("/")[2])
    client.post(f"{cup}/pair", data={"round": "2"})
    seats = state_of(record, cup).rounds[0].plays[0].pairing.seats
    before, second = state_of(record, cup), state_of(record, cup).newest
    asked = dict(zip(seats, ("3", "2", "1"), strict=True)) | {"seen": before.rounds[0].plays[0].stamp}
    shown = client.post(f"{cup}/rounds/1/games/1/rule", data=asked)
    assert shown.status_code == 200
    assert "Nobody's seat changes by itself." in text_of(shown)
    assert state_of(record, cup) == before
    assert client.post(f"{cup}/rounds/1/games/1/rule", data=fields_of(shown.text) | {"sure": "1"}).status_code == 303
    after = state_of(record, cup)
    assert after.rounds[0].plays[0].ruled == tuple((one,) for one in seats[::-1])
    assert after.newest == second


def rows_of(page):
    """The tables of a page: (headings after the name, name → its cells, then the mark beside the name)."""
    found = {}
    for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL):
        marked = re.sub(r"\s*<span class=.small.>(.*?)</span>", r"|\1", row)
        cells = [
            " ".join(html.unescape(re.sub(r"<[^>]+>", "", cell)).split())
            for cell in re.findall(r"<t[dh](?: [^>]*)?>.*?</t[dh]>", marked, re.DOTALL)
        ]
        at = 1 if row.partition(">")[2].startswith("<td") else 0
        name, _bar, mark = cells[at].partition("|")
        found[name] = [*cells[:at], *cells[at + 1 :], mark]
    return found.pop("Name")[at:-1], found


@pytest.mark.parametrize("form", ["rounds", "group", "knock-out"])
@pytest.mark.parametrize("seats", ["2", "3", "4"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_decides_a_place_has_a_column_wherever_standings_stand(client, record, form, seats, seed):
    """Two of different places never look alike but for the place; a ruling shows what these columns have before and
    after it."""
    dice = random.Random(seed)
    names = "\n".join(f"Name {number}" for number in range(11))
    cup = client.post("/tournaments", data=ASKED | {"form": form, "seats": seats, "names": names}).location
    id_ = cup.rpartition("/")[2]
    for number in (1, 2):
        assert client.post(f"{cup}/pair", data={"round": f"{number}"}).status_code == 303
        for play in record.desk.find(id_).state.open:
            ranks = [(one,) for one in dice.sample(play.pairing.seats, len(play.pairing.seats))]
            # A tie that leaves open who goes on from the first round of a knock-out would keep back the second.
            first = state_of(record, cup).plan.through if form == "knock-out" and number == 1 else 0
            if first + 2 <= len(ranks) and dice.random() < 0.5:
                ranks[first : first + 2] = [ranks[first] + ranks[first + 1]]
            record.desk.rule(id_, play.pairing.number, tuple(ranks))
    headings, projected = rows_of(client.get(f"{cup}/standings/lines").text)
    assert len(projected) == 11
    for (place, *shown), (next_place, *next_shown) in itertools.pairwise(projected.values()):
        assert (place == next_place) == (shown == next_shown), (shown, next_shown)

    def standings():
        """Name → place and what decides it, on the tournament's page."""
        own, rows = rows_of(client.get(cup).text)
        return {name: [row[0], *(row[1 + own.index(heading)] for heading in headings)] for name, row in rows.items()}

    before = standings()
    assert before == {name: [row[0].rstrip("."), *row[1:-1]] for name, row in projected.items()}
    play = state_of(record, cup).rounds[0].plays[0]
    places = {
        one: f"{place}" for place, one in enumerate(reversed([x for group in play.outcome for x in group]), start=1)
    }
    asked = places | {"seen": play.stamp}
    shown = client.post(f"{cup}/rounds/1/games/1/rule", data=asked).text
    _headings, changes = rows_of(shown)
    assert client.post(f"{cup}/rounds/1/games/1/rule", data=fields_of(shown) | {"sure": "1"}).status_code == 303
    after = standings()
    assert changes.keys() == {name for name in after if after[name] != before[name]}
    for name, row in changes.items():
        told = [cell.split(" → ") for cell in row[:-1]]
        assert ([cell[0] for cell in told], [cell[-1] for cell in told]) == (before[name], after[name])


def test_a_ruling_in_a_knock_out_names_who_would_be_out(client, record):
    asked = ASKED | {"form": "knock-out", "seats": "2", "names": "Ann\nBen\nCleo\nDan"}
    cup = client.post("/tournaments", data=asked).location
    client.post(f"{cup}/pair", data={"round": "1"})
    ruled_all(record, cup.rpartition("/")[2])
    client.post(f"{cup}/pair", data={"round": "2"})
    play = state_of(record, cup).rounds[0].plays[0]
    first, second = play.pairing.seats
    shown = client.post(f"{cup}/rounds/1/games/1/rule", data={first: "2", second: "1", "seen": play.stamp})
    names = {entrant: name for name, entrant in names_of(record, cup).items()}
    page = re.sub(r"<[^>]+>", "", shown.text)
    assert f"{names[second]} would have gone on." in page
    assert f"{names[first]} would be out." in page
    assert "&lt;" not in page


def test_seats_change_late_entries_and_withdrawals(client, cup, record):
    client.post(f"{cup}/pair", data={"round": "1"})
    names = names_of(record, cup)
    one, other = state_of(record, cup).newest.plays
    first, second = one.pairing.seats[0], other.pairing.seats[0]
    swap = {"first": f"{first} {one.pairing.session}", "second": f"{second} {other.pairing.session}"}
    assert client.post(f"{cup}/swap", data=swap).status_code == 303
    again = client.post(f"{cup}/swap", data=swap)  # A second tap changes nothing back.
    assert (again.status_code, "They sit elsewhere now" in text_of(again)) == (422, True)
    assert second in state_of(record, cup).newest.plays[0].pairing.seats
    shown = client.post(f"{cup}/enter", data={"names": "Holm, Gus"})
    assert (shown.status_code, "Gus Holm" in names_of(record, cup)) == (200, False)
    assert client.post(f"{cup}/enter", data=fields_of(shown.text) | {"sure": "1"}).status_code == 303
    entrant = names_of(record, cup)["Gus Holm"]
    assert client.post(f"{cup}/rename", data={"entrant": entrant, "name": " Gus "}).status_code == 303
    assert client.post(f"{cup}/withdraw", data={"entrant": names["Ben"]}).status_code == 303
    assert "withdrawn" in text_of(client.get(cup))
    assert client.post(f"{cup}/back", data={"entrant": names["Ben"]}).status_code == 303
    assert client.post(f"{cup}/back", data={"entrant": names["Ben"]}).status_code == 422
    assert client.post(f"{cup}/forget", data={"entrant": names["Ben"]}).status_code == 303
    page = text_of(client.get(cup))
    assert ("Entrant 2" in page, "Ben" in page, "Gus" in page) == (True, False, True)


def test_a_late_comer_a_no_show_and_a_move_change_the_seated_round(client, cup, record):
    client.post(f"{cup}/pair", data={"round": "1"})
    ann, ben = (names_of(record, cup)[name] for name in ("Ann", "Ben"))
    assert client.post(f"{cup}/away", data={"entrant": ann}).status_code == 303
    assert ann not in seated(record, cup)
    assert "Not in this round: Ann" in text_of(client.get(cup))
    number = next(play.pairing.number for play in state_of(record, cup).newest.plays if len(play.pairing.seats) == 2)
    assert client.post(f"{cup}/late", data={"name": "Gus", "to": str(number)}).status_code == 303
    gus = names_of(record, cup)["Gus"]
    assert gus in seated(record, cup)
    full = client.post(f"{cup}/move", data={"entrant": ann, "to": str(number)})
    assert (full.status_code, "No chair is free" in text_of(full)) == (422, True)
    assert client.post(f"{cup}/move", data={"entrant": ben, "to": "0"}).status_code == 303
    assert state_of(record, cup).newest.byes == (ben,)


def seated(record, cup):
    return [one for play in state_of(record, cup).newest.plays for one in play.pairing.seats]


def test_what_was_done_is_listed_and_taken_back(client, cup, record):
    client.post(f"{cup}/pair", data={"round": "1"})
    before = state_of(record, cup)
    ann = names_of(record, cup)["Ann"]
    client.post(f"{cup}/withdraw", data={"entrant": ann})
    page = text_of(client.get(cup))
    assert ("Ann withdrew." in page, "Round 1 was seated." in page) == (True, True)
    assert client.post(f"{cup}/acts/4/back").status_code == 303
    assert state_of(record, cup) == before
    assert client.post(f"{cup}/acts/3/back").status_code == 303
    assert state_of(record, cup).rounds == ()
    assert "Taken back: Round 1 was seated." in text_of(client.get(cup))
    assert client.post(f"{cup}/acts/3/back").status_code == 422
    assert client.post(f"{cup}/acts/1/back").status_code == 422


def test_two_taps_on_begin_make_one_tournament(client, record):
    shown = fields_of(client.get("/tournaments").text, "/tournaments")
    assert client.post("/tournaments", data=ASKED | {"id": shown["id"]}).status_code == 303
    assert client.post("/tournaments", data=ASKED | {"id": shown["id"]}).status_code == 303
    assert len(record.desk.all()) == 1
    assert client.post("/tournaments", data=ASKED | {"id": "../x"}).status_code == 422


def test_the_form_offers_a_game_for_two_and_later_the_game_of_the_newest_tournament(client):
    first = fields_of(client.get("/tournaments").text, "/tournaments")["game"]
    assert first == "sandpile_panic"  # the first by title that begins with two
    for game in ("stack_dice", "sandpile_panic"):
        assert client.post("/tournaments", data=ASKED | {"game": game}).status_code == 303
        assert fields_of(client.get("/tournaments").text, "/tournaments")["game"] == game
    refused = client.post("/tournaments", data=ASKED | {"game": "speedstax", "title": ""})
    assert fields_of(refused.text, "/tournaments")["game"] == "speedstax"


def test_a_tournament_is_renamed_deleted_and_brought_back(client, cup, record):
    enrol(record)
    client.post(f"{cup}/pair", data={"round": "1"})
    assert client.post(f"{cup}/title", data={"title": "Spring Cup"}).status_code == 303
    assert "Spring Cup" in text_of(client.get(cup))
    assert client.post(f"{cup}/title", data={"title": " "}).status_code == 422
    assert client.post(f"{cup}/delete").status_code == 303
    assert client.get(cup).status_code == 404
    assert (record.desk.all(), record.desk.offer_for(KEY.id)) == ([], None)
    assert "Spring Cup" in text_of(client.get("/tournaments"))
    assert "Spring Cup" not in text_of(client.get("/tournaments", **GUEST))
    assert client.post(f"{cup}/restore").status_code == 303
    assert record.desk.offer_for(KEY.id).number == 1


OTHERS = {  # What the other tournament is like -> what refuses joining the two, "" for nothing.
    "new": "",
    "seated": "",
    "has results": "Both have results already",
    "another game": "They play different games",
    "over": "This tournament is over",
    "is played": "is being played already",
    "a knock-out after its first round": "A knock-out that has begun takes people into a chair",
}


@pytest.mark.parametrize(("other", "sentence"), OTHERS.items(), ids=OTHERS)
def test_only_what_can_be_joined_is_offered_and_a_refusal_keeps_the_choice(client, cup, record, hall, other, sentence):
    """The page that was open before something happened offers too much: its tap is refused, and says with what."""
    changed = {"title": "Other Cup", "names": "Ann\nGus\nHal"}
    changed |= {"game": "sandpile_panic"} if other == "another game" else {}
    changed |= {"form": "knock-out", "seats": "2"} if other.startswith("a knock-out") else {}
    second = client.post("/tournaments", data=ASKED | changed).location
    id_ = second.rpartition("/")[2]
    if other == "is played":
        enrol(record)
    if other not in ("new", "another game", "over"):
        client.post(f"{second}/pair", data={"round": "1"})
    if other == "is played":
        session = record.desk.offer_for(KEY.id).session
        hall.hear("a1", json.dumps(said(wall_us(), session=session)).encode(), is_retained=False)
    if other in ("has results", "a knock-out after its first round"):
        ruled_all(record, id_)
    if other in ("has results", "is played"):
        client.post(f"{cup}/pair", data={"round": "1"})
        ruled_all(record, cup.rpartition("/")[2])
    if other == "over":
        assert client.post(f"{second}/end").status_code == 303
    assert (f'<option value="{id_}"' in client.get(cup).text) == (not sentence)
    answer = client.post(f"{cup}/join", data={"other": id_})
    assert answer.status_code == (422 if sentence else 303)
    if sentence:
        assert sentence in text_of(answer)
        assert f'<option value="{id_}" selected>' in answer.text
        assert re.search(r'<details data-keep="join" open>', answer.text)


def test_points_that_differ_look_different_and_decide_with_their_columns(client, record):
    """Three at a table, a win, a second and a last place: 1, ½ and 0; whole places of ties are thirds at four."""
    asked = ASKED | {"seats": "4", "names": "Ann\nBen\nCleo\nDan"}
    cup = client.post("/tournaments", data=asked).location
    client.post(f"{cup}/pair", data={"round": "1"})
    ruled_all(record, cup.rpartition("/")[2])
    page = client.get(cup).text
    assert re.findall(r'<td class="number"><b>([^<]+)</b>', page) == ["1", "⅔", "⅓", "0"]
    assert "Rivals' points" in text_of(client.get(cup))


def test_a_name_leads_to_the_games_of_that_entrant(client, cup, record):
    enrol(record, name="Window")
    client.post(f"{cup}/pair", data={"round": "1"})
    play = state_of(record, cup).newest.plays[0]
    one, *rivals = play.pairing.seats
    name_of = record.desk.find(cup.rpartition("/")[2]).name_of
    assert f'href="{cup}/entrants/{one}"' in client.get(cup, **GUEST).text
    page = text_of(client.get(f"{cup}/entrants/{one}", **GUEST))
    assert "Now: game 1 at Window." in page
    for rival in rivals:
        assert name_of(rival) in page
    ruled_all(record, cup.rpartition("/")[2])
    page = text_of(client.get(f"{cup}/entrants/{one}/now", **GUEST))
    assert ("Now:" in page, "ruled" in page) == (False, True)
    assert client.get(f"{cup}/entrants/nobody").status_code == 404


def test_the_projector_has_standings_and_a_code_that_guests_can_reach(client, record, monkeypatch, cup):
    """Opened as localhost, the page leads phones to the address of the network."""
    monkeypatch.setattr("web.hub.guests.own_address", lambda: "192.168.1.5")
    enrol(record)
    client.post(f"{cup}/pair", data={"round": "1"})
    page = text_of(client.get(f"{cup}/standings/lines", headers={"Host": "localhost:8100"}, **GUEST))
    assert all(name in page for name in names_of(record, cup))
    assert f"http://192.168.1.5:8100{cup}" in page
    for path in (f"{cup}/seating/tables", "/board/tables"):
        page = text_of(client.get(path, headers={"Host": "localhost:8100"}, **GUEST))
        assert ("http://192.168.1.5:8100/" in page, "localhost" in page) == (True, False)
    assert "minutes ago" in text_of(client.get(f"{cup}/seating/tables"))


def test_a_page_that_follows_hears_only_whether_it_was_done(client, cup):
    asks = {"headers": {"Accept": "application/json"}}
    assert client.post(f"{cup}/pair", data={"round": "1"}, **asks).status_code == 204
    refused = client.post(f"{cup}/pair", data={"round": "1"}, **asks)
    assert (refused.status_code, refused.json) == (422, {"error": "This round is seated already. Look again."})


def test_a_group_says_how_many_rounds_it_takes(client):
    asked = ASKED | {"form": "group", "seats": "2", "names": "Ann\nBen\nCleo\nDan\nEve"}
    assert "Everybody meets everybody in 5 rounds." in text_of(
        client.get(client.post("/tournaments", data=asked).location)
    )


def test_a_tournament_ends(client, cup, record):
    client.post(f"{cup}/pair", data={"round": "1"})
    assert client.post(f"{cup}/end").status_code == 422
    ruled_all(record, cup.rpartition("/")[2])
    assert client.post(f"{cup}/end").status_code == 303
    page = text_of(client.get(cup))
    assert "The tournament is over." in page
    assert "Seat round" not in page
    assert client.post(f"{cup}/enter", data={"names": "Gus", "sure": "1"}).status_code == 422


def test_a_guest_reads_and_is_offered_no_tap_of_the_staff(client, cup):
    client.post(f"{cup}/pair", data={"round": "1"})
    for path in ("/tournaments", cup, f"{cup}/seating"):
        answer = client.get(path, **GUEST)
        assert answer.status_code == 200
        assert "<form" not in answer.text


def test_programs_read_the_journal(client, cup):
    client.post(f"{cup}/pair", data={"round": "1"})
    (row,) = client.get("/v1/tournaments", **GUEST).json
    assert (row["title"], row["entrants"], row["round"], row["open"]) == ("Autumn Cup", 6, 1, 2)
    entries = client.get(f"/v1{cup}", **GUEST).json
    assert [(entry["id"], entry["event"]["what"]) for entry in entries] == [
        ("1", "begun"),
        ("2", "entered"),
        ("3", "round paired"),
    ]


def test_a_guest_learns_no_id_of_a_game_that_is_open(client, cup, record):
    """Whoever has it could send a result under it."""
    enrol(record)
    client.post(f"{cup}/pair", data={"round": "1"})
    plays = record.desk.all()[0].state.newest.plays
    first, second = (f"{play.pairing.seats[0]} {play.pairing.session}" for play in plays)
    client.post(f"{cup}/swap", data={"first": first, "second": second})
    client.post(f"{cup}/games/2/call", data={"table": KEY.id})
    sessions = {play.pairing.session for play in (*plays, *record.desk.all()[0].state.newest.plays)}
    for path in (f"/v1{cup}", cup, f"{cup}/seating", "/v1/live", "/"):
        said = client.get(path, **GUEST).text
        assert not [session for session in sessions if session in said]
    assert all(session in client.get(f"/v1{cup}").text for session in sessions)
    (call,) = [entry for entry in client.get(f"/v1{cup}", **GUEST).json if entry["event"]["what"] == "swapped"]
    assert [number for number, _veiled in call["event"]["sessions"]] == [1, 2]


def test_a_tournament_that_is_not_there_is_not_found(client):
    for path in ("/tournaments/x", "/tournaments/x/seating", "/v1/tournaments/x"):
        assert client.get(path).status_code == 404
    assert client.post("/tournaments/x/pair", data={"seen": "1"}).status_code == 404
