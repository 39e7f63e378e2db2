"""A hub over HTTP: who may do what, and with which status it answers."""

import html
import ipaddress
import json

import pytest
import sqlalchemy as sa

from companion import periodic
from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.network import addresses
from companion.network.links import Interface
from companion.periodic import PeriodicThread
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY, QUICK, chain_of, ranks_of
from tests.hall.test_record import letter_of
from web.hub import app, letters
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

LISTS = ("/v1/games", "/v1/tables", "/v1/kinds")
GUEST = {"REMOTE_ADDR": "192.168.1.7"}


class Seconds:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path)
    yield record
    record.close()


def hub_of(record, **more):
    live = Live()
    return Hub(record, Hall(record.public_of, live, on_sign=record.hear), live, **more)


@pytest.fixture
def client(record, seconds):
    return create_hub(hub_of(record), now_s=seconds).test_client()


def enrolment(code, key=KEY):
    signature = key.sign(code.encode()).hex()
    return json.dumps({"code": code, "public": key.public.hex(), "signature": signature, "name": "Table 1"})


def put(client, chain, ranks, key=KEY, **more):
    envelope, data = letter_of(chain, ranks, key)
    return client.put(f"/v1/games/{envelope.session}/{envelope.head}", data=data, **more)


@pytest.fixture
def enrolled(client, record):
    assert client.post("/v1/tables", data=enrolment(record.new_code()), environ_base=GUEST).status_code == 201
    return client


def test_new_known_unjudged_and_broken_have_their_own_status(enrolled):
    chain = chain_of(QUICK)
    ranks = ranks_of(chain, QUICK)
    assert put(enrolled, chain, ranks, environ_base=GUEST).status_code == 201
    assert put(enrolled, chain, ranks, environ_base=GUEST).status_code == 200
    refused = put(enrolled, chain_of(QUICK, cut=-1), ranks, environ_base=GUEST)
    assert (refused.status_code, "ranking isn't the one" in refused.json["error"]) == (422, True)


def test_other_rules_are_202(enrolled):
    chain = chain_of(QUICK, rules="ab" * 32)
    assert put(enrolled, chain, ranks_of(chain, QUICK), environ_base=GUEST).status_code == 202


def test_a_game_of_another_table_is_409(enrolled, record):
    code = record.new_code()
    enrolled.post("/v1/tables", data=enrolment(code, OTHER_KEY))
    whole = chain_of(QUICK)
    put(enrolled, chain_of(QUICK, cut=-1), ())
    answer = put(enrolled, whole, ranks_of(whole, QUICK), OTHER_KEY)
    assert (answer.status_code, answer.json["error"]) == (409, letters.FORKED)


def test_a_stranger_is_403(client):
    chain = chain_of(QUICK)
    assert put(client, chain, ranks_of(chain, QUICK)).status_code == 403


@pytest.mark.parametrize("path", LISTS)
def test_lists_are_lists_with_an_id_on_the_hubs_own_machine_alone(enrolled, path):
    chain = chain_of(QUICK)
    put(enrolled, chain, ranks_of(chain, QUICK))
    rows = enrolled.get(path).json
    assert rows
    assert all(isinstance(row["id"], str) for row in rows)
    assert enrolled.get(path, environ_base=GUEST).status_code == 403
    assert enrolled.get(path, headers={"X-Forwarded-For": "192.168.1.7"}).status_code == 403
    assert enrolled.get(path, headers={"Host": "evil.example"}).status_code == 403


def test_one_game_is_a_list_of_its_letters(enrolled):
    chain = chain_of(QUICK)
    put(enrolled, chain, ranks_of(chain, QUICK))
    assert [row["id"] for row in enrolled.get("/v1/games/game-1").json] == [chain.head]
    assert enrolled.get("/v1/games/nothing").status_code == 404


def test_healthz_answers_everybody(client):
    assert client.get("/healthz", environ_base=GUEST).json["status"] == "ok"


def test_what_a_thread_failed_with_only_the_staff_are_told(client, monkeypatch):
    failed = PeriodicThread("broker", lambda: None, is_needed=True)
    failed._failed(ValueError())
    monkeypatch.setattr(periodic, "_begun", {failed: None})
    answers = [client.get("/healthz", environ_base=who) for who in ({}, GUEST)]
    assert {answer.status_code for answer in answers} == {503}
    told = [answer.json["threads"] for answer in answers]
    assert [(life["restarts"], life["trouble"]) for (life,) in told] == [(1, "ValueError"), (1, "")]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"code": 1}', b"\xff", b'{"code":"A","public":"zz","signature":"00"}', b"[" * 9999],
)
def test_nonsense_enrols_nobody(client, record, body):
    answer = client.post("/v1/tables", data=body)
    assert (answer.status_code, list(answer.json)) == (422, ["error"])
    assert record.tables() == []


def test_who_guesses_codes_has_to_wait(client, record, seconds):
    code = record.new_code()
    for _guess in range(app.MOST_ENROLMENTS):
        assert client.post("/v1/tables", data=enrolment("WRONG"), environ_base=GUEST).status_code == 403
    assert client.post("/v1/tables", data=enrolment(code), environ_base=GUEST).status_code == 429
    assert (
        client.post("/v1/tables", data=enrolment(code), environ_base={"REMOTE_ADDR": "192.168.1.8"}).status_code == 201
    )
    seconds.now += app.ENROLMENTS_S + 1
    again = enrolment(record.new_code(), OTHER_KEY)
    assert client.post("/v1/tables", data=again, environ_base=GUEST).status_code == 201


def test_who_sends_nonsense_has_to_wait(client, seconds):
    for _number in range(app.MOST_REFUSALS):
        assert client.put("/v1/games/a/b", data=b"x", environ_base=GUEST).status_code == 422
    assert client.put("/v1/games/a/b", data=b"x", environ_base=GUEST).status_code == 429
    seconds.now += app.REFUSALS_S + 1
    assert client.put("/v1/games/a/b", data=b"x", environ_base=GUEST).status_code == 422


def test_what_is_too_large_is_not_read(client):
    assert client.put("/v1/games/a/b", data=bytes(app.MOST_BYTES + 1)).status_code == 413


def test_other_addresses_are_one_sentence(client):
    for answer in (client.get("/v1/nothing"), client.post("/v1/games"), client.get("/nothing")):
        assert (answer.status_code in (404, 405), list(answer.json)) == (True, ["error"])


def test_a_fault_of_the_hub_shows_no_more_than_a_sentence(client, record, monkeypatch):
    monkeypatch.setattr(HubRecord, "games", lambda _self: 1 / 0)
    answer = client.get("/v1/games")
    assert (answer.status_code, answer.json) == (500, {"error": app.UNEXPECTED})


def test_a_full_disk_keeps_nothing_and_says_so_and_the_letter_comes_again(enrolled, record):
    """As SQLite says it: no page more. A server of PostgreSQL that is full refuses by an error likewise."""
    engine = record._database.engine
    if engine.dialect.name != "sqlite":
        pytest.skip("whoever runs PostgreSQL gives it its disk: a full one is shown on SQLite")
    assert put(enrolled, chain_of(QUICK, cut=1, rules="ab" * 32), ()).status_code == 202
    with engine.connect() as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar()

    def full(db, _record, _proxy):
        db.execute(f"PRAGMA max_page_count={pages}")

    whole = chain_of(QUICK)
    long = chain_of(QUICK, rules="ab" * 32)
    sa.event.listen(engine, "checkout", full)
    refused = None
    for cut in range(2, 50):  # what is free in the last page is filled first
        answer = put(enrolled, chain_of(QUICK, cut=cut, rules="ab" * 32), ())
        if answer.status_code == 503:
            refused = answer
            break
    assert refused is not None
    assert ("Nothing is lost" in refused.json["error"], "/" in refused.json["error"]) == (
        True,
        False,
    )  # players read it
    health = enrolled.get("/healthz")
    assert (health.status_code, health.json["status"]) == (503, "trouble")
    shown = html.unescape(enrolled.get("/staff").text)
    assert "(the disk is full). Make room" in shown
    assert "Nothing is lost: tables keep their results, and send them once the hub can take them." in shown
    assert enrolled.get("/healthz", environ_base=GUEST).json["troubles"] == []
    before = record.letters("game-1")
    assert put(enrolled, long, ranks_of(whole, QUICK)).status_code == 503
    assert record.letters("game-1") == before
    sa.event.remove(engine, "checkout", full)
    engine.dispose()
    assert put(enrolled, long, ranks_of(whole, QUICK)).status_code == 202


@pytest.mark.parametrize(
    ("visitor", "is_in"),
    [
        ("2a02:1::77", True),  # in the hub's own network
        ("fd12::7", True),
        ("fe80::7", True),
        ("192.168.1.7", True),
        ("9.9.9.9", True),  # somebody let it through the router on purpose
        ("2a02:1:0:1::7", False),
        ("2a02:2::7", False),
        ("2002:cb00:7109::7", False),
    ],
)
@pytest.mark.parametrize("address", ["/", "/v1/hub?challenge=ab", "/v1/games"])
def test_a_hub_is_reached_by_ipv6_from_its_own_network_alone(record, monkeypatch, visitor, is_in, address):
    own = Interface(1, "eth0", addresses=(ipaddress.ip_interface("2a02:1::5/32"),))
    monkeypatch.setattr(addresses, "interfaces", lambda: (own,))
    client = create_hub(hub_of(record, is_public=True)).test_client()
    answer = client.get(address, environ_base={"REMOTE_ADDR": visitor})
    assert (answer.status_code == 200) == is_in
    assert ("only for its own network" in answer.text) == (not is_in)
