"""The standings of a hall and the page of one table: the rules of a house's season, and who may look."""

import html
import re

import pytest

from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.league import LATE_US
from companion.hub.record import HubRecord
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, ranks_of
from tests.hall.test_people import ann, seal_person, tell
from tests.hall.test_record import Now, enrol, take
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

GUEST = {"REMOTE_ADDR": "192.168.1.7"}
DAY = "2026-09-21"  # of NOON_US


@pytest.fixture
def now():
    return Now()


@pytest.fixture
def record(tmp_path, now):
    record = HubRecord(tmp_path, now)
    enrol(record)
    yield record
    record.close()


@pytest.fixture
def client(record):
    live = Live()
    return create_hub(Hub(record, Hall(record.public_of, live, on_sign=record.hear), live)).test_client()


def play(record):
    """The game of three that was worked out by hand; returns its players in the order of their places."""
    chain = chain_of(QUICK)
    ranks = ranks_of(chain, QUICK)
    take(record, chain, ranks)
    return [player for group in ranks for player in group]


def test_a_rival_beaten_is_a_point_and_guests_are_rivals_too(client, record):
    first, _second, last = play(record)
    tell(record, ann(players=(first,)))
    tell(record, ann(person="bo-1", name="Bo", players=(last,)))
    rows = client.get("/v1/standings").json
    assert [(row["id"], row["name"], row["points"], row["games"], row["wins"]) for row in rows] == [
        (f"{KEY.id}/ann-1", "Ann", 2.0, 1, 1),
        (f"{KEY.id}/bo-1", "Bo", 0.5, 1, 0),  # the two others are placed alike
    ]
    page = html.unescape(client.get("/standings").text)
    assert page.index(">Ann<") < page.index(">Bo<")
    assert "1 game counts." in page


def test_a_name_in_the_standings_leads_to_that_persons_games_of_the_season(client, record):
    first, _second, last = play(record)
    tell(record, ann(players=(first,)))
    tell(record, ann(person="bo-1", name="Bo", players=(last,)))
    for query, count in (("", 1), (f"?from={DAY}", 1), ("?table=x&_external=1&to=2026-09-21", 1)):
        page = html.unescape(client.get(f"/standings{query}").text)
        address = re.search(r'href="([^"]+)">(?:<[^>]+>)?Ann<', page)[1]
        games = html.unescape(client.get(address).text)
        assert (games.count("<strong>Stack</strong>"), "Table 1" in games, bool(re.search(r"\bBo\b", games))) == (
            count,
            True,
            True,
        )
    address = f"/standings/{KEY.id}/ann-1"
    assert "no game that counts" in html.unescape(client.get(f"{address}?from=2026-09-22").text)
    for nobody in (f"/standings/{KEY.id}/nobody", f"/standings/{OTHER_KEY.id}/ann-1"):
        assert client.get(nobody).status_code == 404


def test_the_people_of_a_table_stay_when_its_key_is_taken_away(client, record):
    tell(record, ann(players=(play(record)[0],)))
    record.revoke(KEY.id)
    for path in ("/standings", f"/standings/{KEY.id}/ann-1"):
        page = client.get(path)
        assert (page.status_code, "Ann" in page.text, "Table 1" in page.text) == (200, True, True), path


def test_nobody_is_listed_whom_no_table_made_known(client, record):
    play(record)
    assert client.get("/v1/standings").json == []
    assert "Nobody is here yet" in html.unescape(client.get("/standings").text)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 1), ("?game=stack_dice", 1), ("?game=sack_stackers", 0), (f"?from={DAY}", 1), (f"?to={DAY}", 1),
        ("?from=2026-09-22", 0), ("?to=2026-09-20", 0),
    ],
)  # fmt: skip
def test_a_season_has_days_and_a_game(client, record, query, count):
    tell(record, ann(players=(play(record)[0],)))
    assert len(client.get(f"/v1/standings{query}").json) == count


def test_a_game_that_comes_weeks_after_its_season_does_not_count_for_it(client, record, now):
    now.us = NOON_US + LATE_US - 1
    first = play(record)[0]
    tell(record, ann(players=(first,)))
    assert len(client.get(f"/v1/standings?to={DAY}").json) == 1
    with record._database.changing() as db:
        db.exec_driver_sql(f"UPDATE letters SET received_us = {NOON_US + LATE_US + 86_400_000_000}")
    assert client.get(f"/v1/standings?to={DAY}").json == []
    assert len(client.get("/v1/standings").json) == 1


@pytest.mark.parametrize(
    "query", ["game=chess", "from=soon", "from=2026-02-31", "to=0001-01-01", "from=2026-02-02&to=2026-02-01"]
)
def test_a_season_that_cannot_be_is_one_sentence(client, query):
    for path in ("/v1/standings", "/standings"):
        answer = client.get(f"{path}?{query}")
        assert (answer.status_code, list(answer.json)) == (422, ["error"])


def test_a_fork_and_what_cannot_be_judged_count_nothing(client, record):
    chain = chain_of(QUICK, rules="ab" * 32)
    take(record, chain, ranks_of(chain, QUICK))
    tell(record, ann())
    assert client.get("/v1/standings").json == []


def test_the_page_of_a_table_has_its_games(client, record):
    first = play(record)[0]
    tell(record, ann(players=(first,)))
    page = html.unescape(client.get(f"/tables/{KEY.id}").text)
    assert all(part in page for part in ("Table 1", "No game yet", "1 letter came", "Stack", "Ann"))
    assert client.get("/tables/nothing").status_code == 404
    assert client.get(f"/tables/{OTHER_KEY.id}").status_code == 404


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize(
    "path", ["/standings", "/v1/standings", "/v1/kinds", f"/tables/{KEY.id}", f"/standings/{KEY.id}/ann-1"]
)
def test_who_may_look(record, path, public):
    tell(record, ann(players=(play(record)[0],)))
    live = Live()
    client = create_hub(
        Hub(record, Hall(record.public_of, live, on_sign=record.hear), live, is_public=public)
    ).test_client()
    assert client.get(path).status_code == 200
    assert client.get(path, environ_base=GUEST).status_code == (200 if public else 403)


def test_a_person_is_told_by_the_table_and_nobody_else(client, record):
    first = play(record)[0]
    person = ann(players=(first,))
    assert client.put("/v1/people/ann-1", data=seal_person(KEY, person), environ_base=GUEST).status_code == 200
    assert client.put("/v1/people/ann-1", data=seal_person(OTHER_KEY, person), environ_base=GUEST).status_code == 403
    assert client.put("/v1/people/bo-1", data=seal_person(KEY, person), environ_base=GUEST).status_code == 422
    assert client.put("/v1/people/ann-1", data=b"x", environ_base=GUEST).status_code == 422
