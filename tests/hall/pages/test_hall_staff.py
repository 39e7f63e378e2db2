"""The staff's page of a hub, and who may do what: every route for every visitor."""

import html
import itertools
import json
import re

import pytest

from companion.changes import Live
from companion.clock import wall_us
from companion.hub.hall import Hall
from companion.hub.record import Answer, HubRecord
from companion.hub.series import Worth
from companion.hub.tournament.events import Form
from companion.hub.tournament.sessions import offer_of
from companion.letters.envelope import LONGEST_ENVELOPE
from companion.letters.errand import answer_order, ask
from tests.hall import test_doubles as doubles
from tests.hall import test_stories as stories
from tests.hall.conftest import staff_token
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY, QUICK, chain_of, ranks_of
from tests.hall.test_doubles import GAME, game_of
from tests.hall.test_live import said
from tests.hall.test_people import ann, seal_person, tell
from tests.hall.test_record import enrol, forked, letter_of, take
from tests.hall.tournament.test_tournament_desk import send
from web.access import gate
from web.hub.app import MOST_BYTES, create_hub
from web.hub.here import Hub

pytestmark = on_both

GUEST = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}
CLUB = "cd" * 8
PROXIED = {"headers": {"X-Forwarded-For": "192.168.1.7"}}
REBOUND = {"headers": {"Host": "evil.example"}}
PROGRAM = {"headers": {"Authorization": ""}}  # on the hub's own computer, without a ticket
# Who may change nothing comes first; the staff may be anywhere.
VISITORS = {
    "guest": GUEST,
    "proxied": PROXIED,
    "rebound": REBOUND,
    "program": PROGRAM,
    "referee": None,
    "organiser": {},
}
DATA = {"seats": "3", "title": "Cup", "game": "stack_dice", "preset": "printed", "form": "rounds",
        "names": "Zoe", "name": "Zoe B", "sure": "1", "which": "both"}  # fmt: skip
TOURNAMENT = tuple(
    f"POST /tournaments/CUP/{tap}"
    for tap in (
        *("clock", "series", "entrants/ENTRANT/link"),
        *(
            "swap",
            "games/1/call",
            "away",
            "late",
            "move",
            "rounds/1/games/1/rule",
            "rounds/1/games/1/unrule",
        ),
        *("rounds/1/games/1/rule", "games/1/open", "rounds/1/games/1/rule", "pair", "rounds/2/games/1/rule"),
        *("rounds/2/games/2/rule", "enter"),
        *("withdraw", "back", "rename", "forget", "end", "acts/SEQ/back", "title", "delete", "restore"),
    )
)
READS = ("/", "/board/tables", "/board/stream", "/standings", f"/standings/{KEY.id}/ann-1",
         f"/tables/{KEY.id}", f"/tables/{KEY.id}/now", "/v1/live", "/v1/games",
         "/v1/games/game-1", "/v1/tables", "/v1/standings", "/v1/kinds", "/v1/tournaments", "/v1/tournaments/CUP",
         "/tournaments", "/tournaments/CUP", "/tournaments/CUP/seating", "/tournaments/CUP/seating/tables",
         "/tournaments/now", "/tournaments/CUP/now", "/tournaments/CUP/standings", "/tournaments/CUP/standings/lines",
         "/tournaments/CUP/entrants/ENTRANT",
         "/tournaments/CUP/entrants/ENTRANT/now",
         "/v1/series", "/v1/series/CLUB", "/series/CLUB", "/series/CLUB/now", "/series/CLUB.csv")  # fmt: skip
REFEREES = (
    *("GET /staff", "GET /staff/floor", f"POST /staff/tables/{OTHER_KEY.id}/come"),
    f"POST /staff/tables/{KEY.id}/games/game-1/rule",
    *("POST /tournaments/CUP/rounds/1/games/1/rule", "POST /tournaments/CUP/rounds/1/games/1/unrule"),
    *("POST /tournaments/CUP/rounds/2/games/1/rule", "POST /tournaments/CUP/rounds/2/games/2/rule"),
)
STAFF = (
    *("GET /staff", "GET /v1/forks", "GET /staff/people", "GET /staff/people/now"),
    *("POST /staff/people", "POST /staff/people/TICKET/revoke"),
    *("GET /tournaments/CUP/links", "POST /tournaments/THIRD/plain", "POST /tournaments/THIRD/join"),
    *("POST /series", "POST /series/CLUB/change", "POST /series/CLUB/delete", "POST /series/CLUB/restore"),
    *("POST /staff/code", *TOURNAMENT, "POST /tournaments"),
    f"POST /staff/tables/{KEY.id}/games/game-1/rule",
    *("GET /staff/floor", "POST /staff/chime", f"POST /staff/tables/{OTHER_KEY.id}/come"),
    f"POST /staff/tables/{KEY.id}/stories",
    *(f"POST /staff/tables/{OTHER_KEY.id}/revoke", "POST /staff/games/game-1/HEAD/count"),
    "POST /staff/games/copy/COPY/settle",
    *("POST /staff/results/LOST/LOST-HEAD/leave", "POST /staff/results/LOST/LOST-HEAD/take"),
)
OPEN = ("/healthz", "/v1/hub?challenge=00")
CERTIFICATE = ("/cert", "/cert/authority.crt")
JOIN = ("/join", "/join/LINK", "POST /join", "POST /join/LINK",
        "/me/LINK", "/me/LINK/now", "/me/LINK/stream", "POST /me/LINK/suggest")  # fmt: skip
SHOWN = (
    "GET /staff",
    "GET /v1/forks",
    "GET /staff/people",
    "GET /staff/people/now",
    "POST /staff/people",
    "POST /staff/code",
    "GET /staff/floor",
    "GET /tournaments/CUP/links",
)


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
    return client_of(record, hall)


def client_of(record, hall, **more):
    hours = itertools.count()
    return create_hub(Hub(record, hall, Live(), **more), now_s=lambda: next(hours) * 3600).test_client()


@pytest.fixture
def other(record):
    """The head of the course that does not count."""
    _one, other = forked(record)
    enrol(record, OTHER_KEY, "Table 2")
    return other.head


def copied(record):
    """A game of the first table, and its copy by the second; the head of the copy."""
    copy, ranks = game_of("copy", ("eve", "mal"))
    doubles.take(record, *game_of("first"))
    assert doubles.take(record, copy, ranks, OTHER_KEY) is Answer.HELD
    return copy.head


@pytest.fixture
def filled(record, other):
    """An address of the matrix with what is there: a fork, a copied game, a tournament with a round, a lost result."""
    cup = record.desk.begin("Cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Ann", "Ben", "Cleo"])
    record.desk.pair(cup.id)
    second = record.desk.begin("Second cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Dora", "Emil", "Fay"])
    record.desk.pair(second.id)
    play = record.desk.find(second.id).state.newest.plays[0]
    lost = send(record, offer_of(record.desk.find(second.id), play), OTHER_KEY if play.pairing.table == KEY.id else KEY)
    record.desk.rule(second.id, 1, tuple((entrant,) for entrant in play.pairing.seats))  # Its table is free again.
    third = record.desk.begin("Third cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Ann", "Ben", "Cleo"])
    record.desk.pair(third.id)  # It waits for a table, as its players sit elsewhere.
    record.series.make(CLUB, "Club", Worth.PLACES, 2)
    tell(record, ann())
    ids = {
        "CLUB": CLUB,
        "THIRD": third.id,
        "LOST-HEAD": lost.head,
        "LOST": lost.session,
        "HEAD": other,
        "CUP": cup.id,
        "COPY": copied(record),
    }

    def fill(path):
        is_there = cup.id in [each.id for each in record.desk.all()]
        acts = record.desk.acts(cup.id) if is_there else []
        tickets = record.staff.all()
        more = {
            "SEQ": str(acts[0].seq) if acts else "1",
            "ENTRANT": cup.state.entrants[0],
            "TICKET": next((ticket.id for ticket in tickets if ticket.is_link), "none"),
        }
        for word, id_ in (ids | more).items():
            path = path.replace(word, id_)
        return path

    return fill


def data_of(record, path=""):
    """What the staff send: the places of the game, and on which state they decide."""
    cup = (record.desk.all() or record.desk.deleted())[-1]
    play = cup.state.newest.plays[-1 if "games/2/" in path else 0]
    places = {entrant: str(place) for place, entrant in enumerate(cup.state.entrants, start=1)}
    more = {
        "first": f"{play.pairing.seats[0]} {play.pairing.session}",
        "second": f"{play.pairing.seats[1]} {play.pairing.session}",
        "round": str(len(cup.state.rounds) + 1),
        "to": "0",
        "id": "ab" * 8,
        "worth": "places",
        "series": CLUB,
        "other": cup.id,
        "role": "referee",
        "table": OTHER_KEY.id,
        "entrant": cup.state.entrants[0],
    }
    ruling = {"player": "p1", "points": "-5", "why": "Came late"}
    name = {"name": "Yan"} if path.endswith("rename") else {}
    return {**DATA, **name, **places, **more, **ruling, "seen": play.stamp, "what": "begins"}


def expected(route, visitor, public):
    """The status of a route for a visitor, by docs/hall.md."""
    if route in OPEN:
        return 200
    if route in READS:
        allowed = public or visitor in ("program", "referee", "organiser")
        return (404 if visitor == "rebound" else 200) if allowed else 403
    if visitor == "organiser" or (visitor == "referee" and route in REFEREES):
        return 200 if route in SHOWN else 303
    return 403


@pytest.mark.parametrize("public", [False, True])
def test_every_route_for_every_visitor(record, hall, filled, public):
    before = kept(record)
    referee = {**GUEST, "headers": {"Authorization": f"Bearer {staff_token(record, 'referee')}"}}
    for visitor, more in (VISITORS | {"referee": referee}).items():
        client = client_of(record, hall, is_public=public)
        for route in (*READS, *STAFF, *OPEN):
            if visitor == "referee" and route.startswith("POST") and route in REFEREES:
                continue  # What a referee changes has a test of its own: here each visitor finds the same.
            method, _blank, path = route.rpartition(" ")
            sent = {"data": data_of(record, path)} if method == "POST" else {}
            was = kept(record) if visitor == "organiser" else before  # the organiser's requests change what is kept
            answer = client.open(filled(path), method=method or "GET", **sent, **more)
            assert (visitor, route, answer.status_code) == (visitor, route, expected(route, visitor, public))
            assert answer.status_code < 400 or visitor != "organiser" or kept(record) == was, route
        assert visitor == "organiser" or kept(record) == before, visitor


def kept(record):
    """What a refused request leaves as it is."""
    rung = record.chimes.newest()
    return (
        record.forks(),
        record.enrolled(),
        record.desk.all(),
        record.orders.of_table(KEY.id),
        rung,
        record.doubles.all(),
        record.stories.all(),
        record.results.all(),
        record.series.all(),
        [record.links.of(one.id) for one in record.desk.all()],
    )


def test_every_route_is_in_the_matrix(client):
    """Those that tables send to have tests of their own: a signature says who may. So has the certificate."""
    by_tables = {"/v1/games/<session>/<head>", "/v1/people/<person>", "/v1/errands", "/v1/orders/<order>"}
    named = {path.partition("?")[0].rpartition(" ")[2] for path in (*READS, *STAFF, *OPEN, *JOIN, *CERTIFICATE)}
    for rule in client.application.url_map.iter_rules():
        pattern = re.sub(r"<[^>]+>", "[^/]+", rule.rule)
        known = any(re.fullmatch(pattern, path) for path in named)
        assert known or rule.rule in by_tables or rule.endpoint == "static", rule.rule


def test_no_program_is_looked_at_for_who_may_read(client, record, filled):
    """The kernel is asked neither who holds a connection nor what else that program does."""

    def looks():
        raise AssertionError("the kernel was asked")

    for path in (*READS, "/healthz"):
        answer = client.get(filled(path), environ_overrides={gate.PEER: looks}, **PROGRAM)
        assert (path, answer.status_code) == (path, 200)
        assert client.get(filled(path), environ_overrides={gate.PEER: looks}, **GUEST).status_code in (200, 403)


def test_another_sites_page_does_nothing(client, record, filled):
    before = kept(record)
    for route in STAFF:
        method, path = route.split(" ")
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            if method == "POST":
                answer = client.post(filled(path), data=data_of(record), headers=headers)
                assert (route, answer.status_code) == (route, 403)
    assert kept(record) == before


FORGED = {
    "by a stranger": lambda path, letter: (path, letter.replace(KEY.id.encode(), OTHER_KEY.id.encode(), 1)),
    "with another signature": lambda path, letter: (
        path,
        re.sub(rb"\n[0-9a-f]{128}\n", b"\n" + b"0" * 128 + b"\n", letter),
    ),
    "with other ranks": lambda path, letter: (path, letter.replace(b'"wall_sure":true', b'"wall_sure":false', 1)),
    "for another game": lambda path, letter: (path.replace("game-1", "game-2"), letter),
    "for another head": lambda path, letter: (path[:-64] + "0" * 64, letter),
    "without an end": lambda path, letter: (path, letter[:-9]),
    "with a long envelope": lambda path, letter: (path, b"{" * (LONGEST_ENVELOPE + 1) + letter),
    "too large": lambda path, letter: (path, letter + bytes(MOST_BYTES)),
    "with nothing": lambda path, letter: (path, b""),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_letter_that_is_not_as_it_was_signed_is_refused_with_a_sentence(client, record, how):
    enrol(record)
    chain = chain_of(QUICK)
    envelope, letter = letter_of(chain, ranks_of(chain, QUICK))
    path, data = FORGED[how](f"/v1/games/{envelope.session}/{envelope.head}", letter)
    for visitor in ("program", "guest"):
        answer = client.put(path, data=data, **VISITORS[visitor])
        assert answer.status_code in (403, 413, 422), visitor
        assert list(answer.json) == ["error"]
        assert answer.json["error"].endswith(".")
        assert record.games() == []


def test_a_letter_that_was_recorded_changes_nothing(client, record):
    """Once more, and after the game went on: the longer course stays."""
    enrol(record)
    cut, whole = chain_of(QUICK, cut=-1), chain_of(QUICK)
    envelope, old = letter_of(cut)
    take(record, cut)
    take(record, whole, ranks_of(whole, QUICK), before=envelope)
    for _time in range(2):
        assert client.put(f"/v1/games/{envelope.session}/{envelope.head}", data=old, **GUEST).status_code == 200
    assert [game["head"] for game in record.games()] == [whole.head]


def test_a_table_without_a_key_gets_nothing_in(client, record, hall):
    enrol(record)
    hall.hear("a1", json.dumps(said(wall_us())).encode(), is_retained=False)
    assert client.post(f"/staff/tables/{KEY.id}/revoke").status_code == 303
    assert hall.all() == {}
    chain = chain_of(QUICK)
    envelope, letter = letter_of(chain, ranks_of(chain, QUICK))
    answer = client.put(f"/v1/games/{envelope.session}/{envelope.head}", data=letter, **GUEST)
    assert (answer.status_code, "Enrol the table again" in answer.json["error"]) == (403, True)
    assert client.put("/v1/people/ann-1", data=seal_person(KEY, ann()), **GUEST).status_code == 403
    hall.hear("a1", json.dumps(said(wall_us())).encode(), is_retained=False)
    assert hall.all() == {}
    assert "Key taken away" in html.unescape(client.get("/staff").text)
    assert client.post(f"/staff/tables/{KEY.id}/revoke").status_code == 404


def test_the_page_has_what_has_not_come_and_who_is_silent(client, record, hall):
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    first, _data = letter_of(chain_of(QUICK, cut=1))
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK), before=first)
    hall.hear("a1", json.dumps(said(wall_us(), waiting=2, refused=1)).encode(), is_retained=False)
    page = html.unescape(client.get("/staff").text)
    for words in ("1 letter came", "1 is missing", "2 wait at the table", "1 was refused", "Not heard of yet"):
        assert words in page


def test_a_code_is_shown_once_and_enrols(client, record):
    code = re.search(r'hall-code">([0-9A-Z]{10})<', client.post("/staff/code").text)[1]
    assert code not in client.get("/staff").text
    assert record.enrol(code, KEY.public, KEY.sign(code.encode()), "Table 1").name == "Table 1"


@pytest.mark.parametrize(
    ("before", "leads"),
    [
        (None, ["/staff"]),
        ("/staff", ["/staff"]),
        ("/tournaments/CUP", ["/tournaments/CUP", "/staff"]),
        ("/standings?game=stack_dice&from=", ["/standings?game=stack_dice&from=", "/staff"]),
        ("/tournaments/CUP/rename", ["/staff"]),  # A refusal was shown there: nothing opens at that address.
        ("http://evil.example/tournaments", ["/staff"]),
        ("//evil.example/staff", ["/staff"]),
        ("http://localhost//evil.example/staff", ["/staff"]),
    ],
)
def test_who_is_refused_gets_back_to_where_they_were(client, filled, before, leads):
    """Staff, to the page on which they tapped and to their own."""
    asked = {"Accept": "text/html,*/*;q=0.8", "User-Agent": "Browser"}
    if before:
        asked["Referer"] = filled(before) if "//" in before else f"http://localhost{filled(before)}"
    page = client.post("/staff/chime", data={"what": "nothing"}, headers=asked)
    assert page.status_code == 422
    links = re.findall(r'<a class="tap[^"]*" href="([^"]*)"', page.text)
    assert [html.unescape(link) for link in links] == [filled(path) for path in leads]
    asked.pop("Referer", None)
    page = client.get("/nowhere", headers=asked | {"Authorization": "Bearer none"})  # somebody who only looks
    assert re.findall(r'<a class="tap[^"]*" href="([^"]*)"', page.text) == ["/"]


def test_a_fork_is_shown_and_decided(client, record, other):
    page = html.unescape(client.get("/staff").text)
    assert "two courses of one game" in page
    assert page.count("Let this one count") == 2
    assert client.post(f"/staff/games/game-1/{other}/count").status_code == 303
    assert "two courses" not in client.get("/staff").text
    assert [game["head"] for game in record.games()] == [other]
    assert client.post(f"/staff/games/game-1/{other}/count").status_code == 404


@pytest.mark.usefixtures("other")
def test_a_copied_game_is_shown_and_decided(client, record):
    head = copied(record)
    page = html.unescape(client.get("/staff").text)
    assert "SWAPSTAX: one game looks like another" in page
    assert page.index("came first") < page.index("is held")
    assert record.doubles.all()[0].other == "first"
    assert client.post(f"/staff/games/copy/{head}/settle", data={"which": "neither"}).status_code == 422
    assert client.post(f"/staff/games/copy/{head}/settle", data={"which": "this"}).status_code == 303
    assert "looks like another" not in client.get("/staff").text
    assert [game.session for game in record.league.games(GAME.rules.name)] == ["copy"]
    assert client.post(f"/staff/games/copy/{head}/settle", data={"which": "this"}).status_code == 404


@pytest.mark.usefixtures("other")
def test_the_table_of_a_copied_game_hears_what_it_looks_like(client, record):
    copied(record)
    chain, ranks = game_of("copy", ("eve", "mal"))
    envelope, data = letter_of(chain, ranks, OTHER_KEY)
    answer = client.put(f"/v1/games/copy/{envelope.head}", data=data, **GUEST)
    assert answer.status_code == 409
    assert answer.json["error"].startswith("This game looks like game first of Table 1")


def test_a_tables_page_says_why_a_game_is_dated_by_its_letter(client, record):
    """The letters of these tests were made before the table was enrolled just now."""
    enrol(record)
    doubles.take(record, *game_of("first"))
    page = html.unescape(client.get(f"/tables/{KEY.id}").text)
    assert "by the table's clock it ended before the enrolment" in page


def test_the_staff_have_a_table_correct_its_game(client, record):
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    path = f"/staff/tables/{KEY.id}/games/game-1/rule"
    assert client.post(path, data={"player": "p1", "points": "-5", "why": "Came late"}).status_code == 303
    (order,) = record.orders.waiting(KEY.id)
    assert (order.session, order.player, order.points, order.why) == ("game-1", "p1", -5, "Came late")
    page = html.unescape(client.get(f"/tables/{KEY.id}").text)
    assert "waits for the table" in page
    assert "Came late" not in page
    said = answer_order(KEY, order.id, "This game was ended early. Resume it first, then play.")
    assert client.put(f"/v1/orders/{order.id}", data=answer_order(OTHER_KEY, order.id, ""), **GUEST).status_code == 403
    assert client.put("/v1/orders/other", data=said, **GUEST).status_code == 422
    assert client.put(f"/v1/orders/{order.id}", data=said, **GUEST).status_code == 200
    assert "The table refused a ruling: This game was ended early." in html.unescape(
        client.get(f"/tables/{KEY.id}").text
    )
    for wrong in ({"points": "x"}, {"why": "a\0b"}, {"points": "9999"}, {"why": ""}, {"player": "p9"}):
        data = {"player": "p1", "points": "-5", "why": "Came late"} | wrong
        refused = client.post(path, data=data)
        assert (refused.status_code, 'role="alert"' in refused.text) == (422, True)
        for value in set(data.values()) & {"p1", "-5", "Came late", "x"}:  # What was typed is there again.
            assert f'value="{value}"' in refused.text


def test_a_reader_is_offered_no_correction(record, hall):
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    page = client_of(record, hall, is_public=True).get(f"/tables/{KEY.id}", **GUEST)
    assert (page.status_code, "<form" in page.text) == (200, False)


def test_a_key_that_tells_two_stories_is_told_on_its_pages(client, record):
    enrol(record)
    stories.send(record, stories.letter(1), stories.letter(2))
    page = html.unescape(client.get("/staff").text)
    for words in (
        "Table 1: one key tells two stories",
        "game-1",
        "game-2",
        "came first",
        "set back to an older state",
        "Every game is kept",
    ):
        assert words in page
    assert "two tables use one key" in html.unescape(client.get(f"/tables/{KEY.id}").text)
    assert client.post(f"/staff/tables/{KEY.id}/stories").status_code == 303
    assert "two stories" not in html.unescape(client.get("/staff").text)
    assert "two tables use one key" not in client.get(f"/tables/{KEY.id}").text
    assert client.post(f"/staff/tables/{KEY.id}/stories").status_code == 404
    assert len(record.games()) == 2


def test_a_recorded_question_is_answered_once(client, record):
    enrol(record)
    question = ask(KEY, "ab" * 16)
    assert client.post("/v1/errands", data=question).status_code == 200
    again = client.post("/v1/errands", data=question)
    assert again.status_code == 403
    assert "answered once" in again.get_json()["error"]
    assert again.get_json()["asked_before"] is True
    record.revoke(KEY.id)
    shut_out = client.post("/v1/errands", data=ask(KEY, "cd" * 16))
    assert (shut_out.status_code, "asked_before" in shut_out.get_json()) == (403, False)
