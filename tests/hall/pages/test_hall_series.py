"""The pages of a series and of what joins tournaments; what a refused form keeps where no scripts run."""

import csv
import html
import io
import re
from fractions import Fraction

import pytest

from companion.changes import Live
from companion.clock import wall_us
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from companion.letters.keys import Key
from companion.letters.offer import Doing
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import ruled_all
from tests.shown_forms import fields_of
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

GUEST = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}
CLUB = {"id": "cd" * 8, "title": "Autumn League", "best": "2", "worth": "places"}
CUP = {"title": "First evening", "game": "stack_dice", "preset": "printed", "form": "rounds", "seats": "4",
       "rounds": "", "minutes": "", "names": "Ann\nBen\nCleo\nDan", "sure": "1", "series": CLUB["id"]}  # fmt: skip


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path)
    yield record
    record.close()


@pytest.fixture
def client(record):
    hall = Hall(record.public_of, Live(), on_sign=record.hear)
    return create_hub(Hub(record, hall, Live(), is_public=True)).test_client()


@pytest.fixture
def club(client):
    answer = client.post("/series", data=CLUB)
    assert answer.status_code == 303
    return answer.location


def text_of(answer):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text)))


def evening(client, record, names, **more):
    """A tournament of one round in the series, decided in the order of the seats; who won first."""
    cup = client.post("/tournaments", data=CUP | {"names": "\n".join(names), **more}).location
    client.post(f"{cup}/pair", data={"round": "1"})
    id_ = cup.rpartition("/")[2]
    ruled_all(record, id_)
    one = record.desk.find(id_)
    return cup, [one.name_of(entrant) for entrant in one.state.newest.plays[0].pairing.seats]


def test_a_series_is_begun_from_the_list_and_a_second_tap_begins_none(client, record, club):
    assert client.post("/series", data=CLUB).status_code == 303
    assert [one.title for one in record.series.all()] == ["Autumn League"]
    assert 'value="places" checked' in client.get("/tournaments").text
    assert "Autumn League" in text_of(client.get("/tournaments", **GUEST))
    assert "<form" not in client.get(club, **GUEST).text


def test_a_name_leads_to_the_newest_games_and_points_to_those_of_their_evening(client, record, club):
    first, _order = evening(client, record, ["Ann", "Ben", "Cleo"])
    second, _order = evening(client, record, ["Ben", "Cleo", "Dan"])
    page = client.get(f"{club}/now", **GUEST).text
    for name, evenings in (("Ann", [first]), ("Ben", [first, second]), ("Dan", [second])):
        row = next(row for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if name in row)
        by_name, *by_points = re.findall(r'href="([^"]+)"', row)
        for address, cup in zip((by_name, *by_points), (evenings[-1], *evenings), strict=True):
            assert address.startswith(f"{cup}/entrants/")
            assert re.search(rf"<h1>[^<]*(<[^>]+>)?{name}", client.get(address, **GUEST).text)


@pytest.mark.parametrize("wrong", [{"title": " "}, {"best": "x"}, {"best": "101"}, {"worth": "goals"}, {"id": "../x"}])
def test_what_is_no_series_is_refused_over_the_form_as_it_was_typed(client, record, club, wrong):
    made = client.post("/series", data=CLUB | {"id": "ef" * 8} | wrong)
    assert (made.status_code, 'role="alert"' in made.text) == (422, True)
    if "id" not in wrong:
        changed = client.post(f"{club}/change", data=CLUB | wrong)
        assert (changed.status_code, 'role="alert"' in changed.text) == (422, True)
        for page in (made, changed):
            for name, value in wrong.items():
                assert name == "worth" or f'name="{name}" value="{value}"' in re.sub(
                    r' (min|max|type|inputmode|class|maxlength)="[^"]*"', "", page.text
                )
    assert [(one.title, one.best) for one in record.series.all()] == [("Autumn League", 2)]


def test_the_table_the_csv_and_the_json_say_the_same(client, record, club):
    orders = [evening(client, record, names)[1] for names in (["Ann", "Ben", "Cleo"], ["Ann", "Cleo"], ["Cleo", "Ann"])]
    expected = {}
    for order in orders:
        for place, name in enumerate(order):
            expected.setdefault(name, []).append(len(order) - 1 - place)
    totals = {name: sum(sorted(points)[-2:]) for name, points in expected.items()}
    lines = client.get(f"/v1{club}", **GUEST).json
    assert {line["name"]: Fraction(line["points"]) for line in lines} == totals
    assert sum(not each["counts"] for line in lines for each in line["evenings"] if each["points"]) == 2
    rows = list(csv.reader(io.StringIO(client.get(f"{club}.csv", **GUEST).data.decode("utf-8-sig"))))
    assert {row[1]: float(row[2]) for row in rows[1:]} == totals
    page = client.get(club, **GUEST)
    assert page.text.count("<s>") == 2
    assert "Points after each evening" in text_of(page)
    assert client.get("/v1/series", **GUEST).json == [
        {"id": CLUB["id"], "title": "Autumn League", "counts": "places", "best": 2}
    ]


def test_a_tournament_joins_a_series_later_and_the_next_evening_begins_with_its_regulars(client, record, club):
    cup, order = evening(client, record, ["Ann", "Ben", "Cleo"], series="")
    assert "No evening has a result yet." in text_of(client.get(club))
    assert client.post(f"{cup}/series", data={"series": CLUB["id"]}).status_code == 303
    assert "Series: Autumn League" in text_of(client.get(cup))
    form = fields_of(client.get(f"/tournaments?series={CLUB['id']}").text, "/tournaments")
    assert (form["names"].split("\n"), form["series"], form["game"]) == (order, CLUB["id"], "stack_dice")
    assert client.post(f"{cup}/series", data={"series": "nowhere"}).status_code == 422
    assert client.post(f"{cup}/series", data={"series": ""}).status_code == 303
    assert "No evening has a result yet." in text_of(client.get(club))
    assert client.post("/tournaments", data=CUP | {"series": "nowhere"}).status_code == 422


def test_a_series_is_renamed_deleted_and_brought_back(client, record, club):
    evening(client, record, ["Ann", "Ben"])
    assert client.post(f"{club}/change", data=CLUB | {"title": "Spring League", "best": ""}).status_code == 303
    assert "Every evening counts." in text_of(client.get(club))
    assert client.post(f"{club}/delete").status_code == 303
    assert client.get(club).status_code == 404
    assert "Spring League" in text_of(client.get("/tournaments"))
    assert "Spring League" not in text_of(client.get("/tournaments", **GUEST))
    assert client.post(f"{club}/restore").status_code == 303
    assert len(client.get(f"/v1{club}").json) == 2
    for tap in ("change", "delete", "restore"):
        assert client.post(f"/series/x/{tap}", data=CLUB).status_code == 404


def test_two_tournaments_of_two_taps_become_one(client, record):
    first, second = (client.post("/tournaments", data=CUP | {"series": ""}).location for _tap in range(2))
    client.post(f"{second}/enter", data={"names": "Eve", "sure": "1"})
    other = second.rpartition("/")[2]
    assert f'<option value="{other}">' in client.get(first).text
    joined = client.post(f"{second}/join", data={"other": first.rpartition("/")[2]})
    assert (joined.status_code, joined.location) == (303, first)
    (one,) = record.desk.all()
    assert [one.name_of(entrant) for entrant in one.state.entrants] == ["Ann", "Ben", "Cleo", "Dan", "Eve"]
    client.post(f"/tournaments/{other}/restore")
    client.post(f"{first}/acts/{record.desk.acts(one.id)[0].seq}/back")
    assert [len(each.state.entrants) for each in record.desk.all()] == [5, 4]


def test_the_one_with_results_stays_and_two_with_results_are_not_joined(client, record):
    cups = [client.post("/tournaments", data=CUP | {"series": ""}).location for _tap in range(3)]
    for cup in cups[:2]:
        client.post(f"{cup}/pair", data={"round": "1"})
        ruled_all(record, cup.rpartition("/")[2])
    one, two, empty = (cup.rpartition("/")[2] for cup in cups)
    refused = client.post(f"{cups[0]}/join", data={"other": two})
    assert (refused.status_code, "Both have results already" in text_of(refused)) == (422, True)
    assert client.post(f"{cups[0]}/join", data={"other": one}).status_code == 422
    assert client.post(f"{cups[0]}/join", data={"other": "nowhere"}).status_code == 422
    assert client.post(f"{cups[0]}/join", data={"other": empty}).location == cups[0]
    assert {each.id for each in record.desk.all()} == {one, two}
    other_game = client.post("/tournaments", data=CUP | {"series": "", "game": "sack_stackers"}).location
    refused = client.post(f"{other_game}/join", data={"other": one})
    assert "They play different games" in text_of(refused)


def test_a_knock_out_that_has_begun_takes_in_nobody_of_the_other(client, record):
    """They would be entered, and never seated."""
    asked = CUP | {"series": "", "form": "knock-out", "seats": "2"}
    begun, other = (client.post("/tournaments", data=asked | more).location for more in ({}, {"names": "Ann\nEve"}))
    client.post(f"{begun}/pair", data={"round": "1"})
    before = record.desk.all()
    refused = client.post(f"{other}/join", data={"other": begun.rpartition("/")[2]})
    assert (refused.status_code, "a chair of its first round alone" in text_of(refused)) == (422, True)
    assert record.desk.all() == before


def test_too_few_for_a_round_is_said_before_the_tournament_begins(client, record):
    asked = {name: value for name, value in CUP.items() if name != "sure"} | {"series": "", "game": "pack_and_stack"}
    shown = client.post("/tournaments", data=asked | {"names": "Ann\nBen"})
    assert "A round needs 3 entrants at least." in text_of(shown)
    assert "A round needs" not in text_of(client.post("/tournaments", data=asked | {"names": "Ann\nBen\nCleo"}))


def test_a_game_is_offered_to_the_tables_that_can_take_it(client, record):
    """A table that was never heard of is silent."""
    cup = client.post("/tournaments", data=CUP | {"series": "", "seats": "2"}).location
    client.post(f"{cup}/pair", data={"round": "1"})
    enrol(record)
    record.presences._signs.clear()  # as after a restart
    enrol(record, OTHER_KEY, "Table 2")
    assert client.post(f"{cup}/plain").status_code == 303
    page = client.get(cup).text
    assert (f'<option value="{KEY.id}"' in page, f'<option value="{OTHER_KEY.id}"' in page) == (False, True)
    assert ('<option value="plain">' in page, "A table without a companion" in page) == (True, True)


def offered_by(client, cup, tap):
    """Field → what may be chosen there, of the form behind one of the staff's taps; {} where there is none."""
    forms = re.findall(rf'<form[^>]*action="{cup}/{tap}".*?</form>', client.get(cup).text, re.DOTALL)
    selects = (re.findall(r'<select name="(\w+)"(.*?)</select>', form, re.DOTALL) for form in forms)
    return {name: re.findall(r'value="([^"]+)"', options) for each in selects for name, options in each}


class Accepted(BaseException):
    """All that was asked for has been entered; it is undone, so that the next one finds the same."""


def test_whatever_is_offered_is_accepted(client, record, monkeypatch):
    """While games are called, played, played unheard, decided: each choice of each form."""
    keys = [Key(bytes([number]) * 32) for number in range(1, 7)]
    for number, key in enumerate(keys, start=1):
        enrol(record, key, f"Table {number}")
    never = [key.id for key in keys].index(keys[5].id)
    names = "\n".join(f"Name {number}" for number in range(10))
    cup = client.post("/tournaments", data=CUP | {"series": "", "seats": "3", "names": names}).location
    client.post(f"{cup}/pair", data={"round": "1"})
    id_ = cup.rpartition("/")[2]

    def state():
        return record.desk.find(id_).state

    record.hear(keys[never].id, has_left=True)  # so it is free, and silent
    small, threes = ([play for play in state().open if len(play.pairing.seats) == size] for size in (2, 3))
    plays, unheard, (called, decided) = *small, threes
    for play, has_left in ((plays, False), (unheard, True)):
        record.hear(play.pairing.table, Doing(session=play.pairing.session, wall_us=wall_us()), has_left=has_left)
    for play in (called, decided):
        assert client.post(f"{cup}/move", data={"entrant": play.pairing.seats[0], "to": "0"}).status_code == 303
    seats = state().newest.plays[decided.pairing.number - 1].pairing.seats
    record.desk.rule(id_, decided.pairing.number, (seats,))

    def is_accepted(tap, data):
        try:
            assert client.post(f"{cup}/{tap}", data=data).status_code == 422
        except Accepted:
            return True
        return False

    def accept():
        raise Accepted

    monkeypatch.setattr(record.desk, "_settle", lambda _db: accept())
    late = offered_by(client, cup, "late")["to"]
    assert late == [str(called.pairing.number), "501", "0"]  # one free chair that nobody plays at
    assert all(is_accepted("late", {"name": "Zoe", "to": to}) for to in late)
    moves = offered_by(client, cup, "move")
    assert (len(moves["entrant"]), moves["to"]) == (6, late)  # two and two at open games, two with a bye
    for entrant in moves["entrant"]:
        here = next((str(play.pairing.number) for play in state().open if entrant in play.pairing.seats), "0")
        accepted = [to for to in moves["to"] if is_accepted("move", {"entrant": entrant, "to": to})]
        assert accepted == [to for to in moves["to"] if to != here]
    for entrant in offered_by(client, cup, "away")["entrant"]:
        assert is_accepted("away", {"entrant": entrant})
    swap = offered_by(client, cup, "swap")
    assert len(swap["first"]) == 4
    for first, second in zip(swap["first"], swap["second"][1:] + swap["second"][:1], strict=True):
        assert is_accepted("swap", {"first": first, "second": second})
    for play in (called, unheard):
        tables = offered_by(client, cup, f"games/{play.pairing.number}/call")["table"]
        assert (len(tables), keys[never].id in tables) == (3, False)  # two that are free, and a plain one
        for table in tables:
            assert is_accepted(f"games/{play.pairing.number}/call", {"table": table})
    assert offered_by(client, cup, f"games/{plays.pairing.number}/call") == {}


def test_a_knock_out_offers_to_take_people_in_only_where_it_does(client, record):
    asked = CUP | {"series": "", "seats": "2", "form": "knock-out", "names": "Ann\nBen\nCleo\nDan\nEve"}
    cup = client.post("/tournaments", data=asked).location
    client.post(f"{cup}/pair", data={"round": "1"})
    id_ = cup.rpartition("/")[2]
    bye = record.desk.find(id_).state.newest.byes[0]
    assert client.post(f"{cup}/withdraw", data={"entrant": bye}).status_code == 303
    page = client.get(cup).text
    for tap, is_offered in (("late", True), ("enter", False), ("back", False)):
        assert (f'action="{cup}/{tap}"' in page) is is_offered
    assert client.post(f"{cup}/late", data={"name": "Zoe", "to": "0"}).status_code == 303
    ruled_all(record, id_)
    client.post(f"{cup}/pair", data={"round": "2"})
    page = client.get(cup).text
    assert "Round 2" in page
    for tap in ("late", "enter", "back"):
        assert f'action="{cup}/{tap}"' not in page
    assert client.post(f"{cup}/late", data={"name": "Yan", "to": "0"}).status_code == 422


@pytest.mark.parametrize(
    ("tap", "typed"),
    [
        ("late", {"name": "ann", "to": "0"}),
        ("move", {"entrant": "ENTRANT", "to": "0"}),
        ("rename", {"entrant": "ENTRANT", "name": "Ben"}),
        ("enter", {"names": "ann", "sure": "1"}),
        ("title", {"title": "x" * 50}),
        ("clock", {"minutes": "601"}),
        ("rounds/1/games/1/rule", {"ENTRANT": "2", "seen": "another"}),
    ],
)
def test_a_page_without_scripts_keeps_what_was_typed(client, record, tap, typed):
    cup = client.post("/tournaments", data=CUP | {"series": ""}).location
    client.post(f"{cup}/pair", data={"round": "1"})
    state = record.desk.find(cup.rpartition("/")[2]).state
    entrant = state.newest.plays[0].pairing.seats[0]
    if tap == "move":
        ruled_all(record, cup.rpartition("/")[2])
    if tap.endswith("rule"):
        typed = dict.fromkeys(state.newest.plays[0].pairing.seats, "2") | typed
    sent = {name.replace("ENTRANT", entrant): text.replace("ENTRANT", entrant) for name, text in typed.items()}
    refused = client.post(f"{cup}/{tap}", data=sent)
    assert refused.status_code == 422
    assert "<details" in refused.text
    form = next(form for form in re.findall(r"<form.*?</form>", refused.text, re.DOTALL) if f'{cup}/{tap}"' in form)
    shown = re.sub(r' (maxlength|required|type|inputmode|class|min|max|autocomplete)(="[^"]*")?', "", form)
    for name, text in sent.items():
        if name not in ("sure", "seen"):
            fields = re.split(r"(?=<input|<select|<textarea)", shown)
            field = next(field for field in fields if f'name="{name}"' in field)
            assert f'value="{text}"' in field or f">{text}</textarea>" in field, field
            assert "<select" not in field or f'value="{text}" selected' in field, field
    before = refused.text[: refused.text.index(form)]
    assert re.search(r"<details[^>]* open[^>]*>", before[before.rindex("<details") :])
    assert record.desk.find(cup.rpartition("/")[2]).state.present[:1] == state.entrants[:1]


def test_a_knock_out_and_a_series_of_points_do_not_go_together(client, record):
    club = client.post("/series", data=CLUB | {"worth": "points"}).location
    refused = client.post("/tournaments", data=CUP | {"form": Form.KNOCK_OUT.value})
    assert (refused.status_code, "A knock-out gives no points" in text_of(refused)) == (422, True)
    assert record.desk.all() == []
    cup, order = evening(client, record, ["Ann", "Ben", "Cleo", "Dan"])
    shown = re.findall(r'<td class="number"><b>([^<]+)</b>', client.get(club).text)
    assert (shown, order[0] in client.get(club).text, cup[:1]) == (["1", "⅔", "⅓", "0"], True, "/")
