"""A table in a hall: it rings what its own hub has it ring, and calls the staff."""

import html
import json

import msgspec
import pytest

from companion.app.service.uploader import Uploader
from companion.app.service.whole_table import WholeTable
from companion.house.hall.staff import SENTENCE_S, HallStaff
from companion.journal.devices import Role
from companion.letters.errand import Question, answer
from companion.letters.keys import Key
from companion.letters.offer import COMES, UNKNOWN_CHIME, Chime, Errand
from companion.letters.outbox import Outbox
from tests.hall.letters import NOON_US
from web.app import create_app

HUB, OTHER_HUB = Key(bytes(range(2, 34))), Key(bytes(range(3, 35)))


class Asking(Uploader):
    """A table whose hub has this for it, signed by a key."""

    def __init__(self, host, outbox, key, has):
        super().__init__(host, outbox)
        self._hub_key, self._has = key, has

    def _greet(self):
        return ""

    def _fetch(self, method, path, body=None):
        said = answer(self._hub_key, msgspec.json.decode(body, type=Question), self._has)
        return 200, msgspec.json.encode(said)


@pytest.fixture
def outbox(host):
    outbox = Outbox(host.journal)
    outbox.remember("http://hub.example:8100", "CODE1")
    outbox.set_enrolled()
    outbox.set_pin(HUB.id)
    return outbox


@pytest.fixture
def rung(host):
    """How often the box rang."""
    rung = []
    host.staff = HallStaff(host.status, lambda: rung.append(True), lambda: rung_s[0])
    return rung


rung_s = [0.0]


@pytest.fixture(autouse=True)
def from_the_beginning():
    rung_s[0] = 0.0


def hear(host, outbox, what, id_="c1", key=HUB):
    Asking(host, outbox, key, Errand(chime=Chime(id=id_, what=what))).go_round()


def line(host):
    said = host.status.lines.get("staff")
    return said and said.text


def test_a_table_rings_once_and_says_the_sentence_for_a_minute(host, outbox, rung, client):
    for _round in range(3):
        hear(host, outbox, "five minutes")
    assert (len(rung), line(host)) == (1, "Five minutes left.")
    assert 'data-chime="c1"' in client.get("/").text
    rung_s[0] = SENTENCE_S
    hear(host, outbox, "five minutes")
    assert (len(rung), line(host)) == (1, None)
    assert "data-chime" not in client.get("/").text


def test_the_same_sentence_again_rings_again(host, outbox, rung):
    hear(host, outbox, "begins")
    hear(host, outbox, "begins", "c2")
    assert (len(rung), host.staff.chime.id) == (2, "c2")


def test_a_table_obeys_its_own_hub_alone(host, outbox, rung):
    hear(host, outbox, "begins", key=OTHER_HUB)
    assert (rung, line(host)) == ([], None)
    assert "Another hub answers" in host.status.lines["hub"].text


def test_a_newer_hub_may_have_more_sentences(host, outbox, rung):
    hear(host, outbox, "lunch")
    assert (len(rung), line(host)) == (1, UNKNOWN_CHIME)


def shown_live(host):
    host.status.set("hub", "ok", "The hub has every finished game.")
    host.status.set("hall", "ok", "The hall's board shows this table.")


def told(host):
    return WholeTable(host, lambda _table, player: player).now(NOON_US).get("calls", "")


def test_a_table_calls_until_somebody_comes(host, outbox, rung, client):
    assert "Call a referee" not in client.get("/").text
    assert client.post("/hall/call").status_code == 400  # nobody would hear it
    shown_live(host)
    assert "Call a referee" in client.get("/").text
    assert (told(host), client.post("/hall/call").status_code) == ("", 303)
    since = told(host)
    assert since
    assert client.post("/hall/call").status_code == 303
    assert told(host) == since  # a second tap is the same call
    assert "This table has called the staff at" in client.get("/").text
    hear(host, outbox, COMES)
    assert (told(host), line(host), len(rung)) == ("", "Somebody of the staff is coming.", 1)


def test_a_call_is_taken_back(host, client):
    shown_live(host)
    client.post("/hall/call")
    assert client.post("/hall/call-off").status_code == 303
    assert told(host) == ""


@pytest.mark.parametrize("down", ["hub", "hall"])
def test_where_the_hall_hears_nothing_it_is_said(host, client, down):
    shown_live(host)
    host.status.set(down, "down", "The hub doesn't answer.")
    answer = client.post("/hall/call")
    assert (answer.status_code, "Go to its staff" in html.unescape(answer.text)) == (400, True)
    assert host.staff.called_us == 0


@pytest.mark.parametrize(("role", "status"), [(Role.WATCHER, 403), (Role.PLAYER, 303), (None, 403)])
def test_who_may_call(host, role, status):
    shown_live(host)
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    if role:
        device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(role)}"
    assert ("Call a referee" in device.get("/").text) == (status == 303)
    assert device.post("/hall/call").status_code == status


def test_a_running_game_says_when_it_was_begun(host, sack):
    whole = WholeTable(host, lambda _table, player: player).now(NOON_US)
    assert json.dumps(whole)
    assert whole["began"].endswith("+00:00")
