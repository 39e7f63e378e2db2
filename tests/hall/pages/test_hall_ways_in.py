"""How staff come in: a link counts once, letters for ten minutes, a guesser waits, and who is let in no more is out."""

import html
import io
import re
import ssl
from contextlib import closing

import pytest
from click.testing import CliRunner

from companion.app.hall import command as hall
from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from companion.network.certificate import HouseCertificate
from tests.companion.test_terminal_code import Terminal, scanned
from tests.hall.conftest import staff_token
from tests.hall.databases import on_both
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

PHONE = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}
NOON_US = 1_800_000_000_000_000


class Clock:
    us = NOON_US


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def record(tmp_path, clock):
    record = HubRecord(tmp_path, lambda: clock.us)
    yield record
    record.close()


@pytest.fixture
def app(record):
    return create_hub(Hub(record, Hall(record.public_of, Live()), Live()))


def test_a_phone_comes_in_as_staff_by_what_the_hubs_terminal_shows(tmp_path, monkeypatch):
    """A link for the hub's computer, another for a device in the network, and the same from `companion hub link`."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("companion.network.addresses.own_address", lambda: "192.168.1.5")
    data = ["--data", str(tmp_path)]
    with closing(HubRecord(tmp_path)) as record:
        monkeypatch.setattr("sys.stdout", terminal := Terminal())
        hall.say_links(record, hall.hosts_of(), 8100)
        monkeypatch.setattr("sys.stdout", io.StringIO())
        link, (here,) = scanned(terminal.text()), re.findall(r"http://localhost:8100/join/(\S+)", terminal.text())
        assert link.startswith("http://192.168.1.5:8100/join/")
        assert f": {link}\n" in terminal.text()
        for token in (here, link.rpartition("/")[2]):
            assert record.staff.find(record.staff.enter(token)).role == "organiser"
        monkeypatch.setattr("companion.network.addresses.own_address", lambda: "fd00::5")
        lines = CliRunner().invoke(hall.hub, ["link", *data, "--port", "8200"]).output.split()
        token = lines[0].rpartition("/")[2]
        assert lines == [f"http://{host}:8200/join/{token}" for host in ("localhost", "[fd00::5]")]
        assert record.staff.find(record.staff.enter(token)).role == "organiser"
        hall.say_links(record, hall.hosts_of(), 8100)
        assert "/join/" not in hall.sys.stdout.getvalue()
        assert hall.hosts_of("127.0.0.1") == ("localhost",)


def test_a_hub_that_listens_on_one_address_names_no_other(record, monkeypatch):
    """Nothing answers on localhost there: the address stands in each line, and a phone scans it."""
    monkeypatch.setattr("companion.network.addresses.own_address", lambda: "192.168.1.5")
    monkeypatch.setattr("sys.stdout", terminal := Terminal())
    hosts = hall.hosts_of("192.0.2.2")
    hall.say_ready(hosts, 8100, 8543)
    hall.say_links(record, hosts, 8100)
    text = terminal.text()
    assert "Ready at http://192.0.2.2:8100\nEncrypted at https://192.0.2.2:8543\n" in text
    link = scanned(text)
    assert f"Come in as staff on another device, once, within 30 minutes: {link}\n" in text
    assert link.startswith("http://192.0.2.2:8100/join/")
    assert not any(other in text for other in ("localhost", "192.168.1.5", "No other device", "staff here"))


def test_the_link_for_another_device_is_encrypted_where_the_hub_has_a_certificate(tmp_path, monkeypatch):
    monkeypatch.setattr("companion.network.addresses.own_address", lambda: "192.168.1.5")
    HubRecord(tmp_path).close()
    HouseCertificate(tmp_path).make(["192.168.1.5"])

    def printed(*options):
        done = CliRunner().invoke(hall.hub, ["link", "--data", str(tmp_path), *options])
        assert done.exit_code == 0
        return [line.rpartition("/join/")[0] for line in done.stdout.split()], done.stderr

    first = "A device that warns of the hub's certificate opens http://192.168.1.5:8200/cert first.\n"
    assert printed("--port", "8200") == (["http://localhost:8200", "https://192.168.1.5:8543"], first)
    assert printed("--host", "hub.lan", "--https-port", "443")[0] == ["https://hub.lan:443"]
    assert printed("--host", "127.0.0.1") == printed("--host", "localhost") == (["http://localhost:8100"], "")
    refused = CliRunner().invoke(hall.hub, ["link", "--data", str(tmp_path), "--host", "x/y"])
    assert str(refused.exception).startswith("x/y is no address")
    with closing(HubRecord(tmp_path)) as record:
        monkeypatch.setattr("sys.stdout", terminal := Terminal())
        hall.say_links(record, hall.hosts_of(), 8200, 8543)
        assert scanned(terminal.text()).startswith("https://192.168.1.5:8543/join/")
        assert first in terminal.text()


def test_pages_of_the_staff_and_who_comes_in_lead_to_the_certificate_where_there_is_one(record, tmp_path):
    HouseCertificate(tmp_path / "house").make(["192.168.1.5"])
    for folder, leads in (("house", True), ("none", False)):
        house = HouseCertificate(tmp_path / folder)
        of_the_hub = Hub(record, Hall(record.public_of, Live()), Live(), certificate=house)
        client = create_hub(of_the_hub).test_client()
        assert ['href="/cert"' in client.get(path).text for path in ("/staff", "/join", "/join/x")] == [leads] * 3
        assert 'href="/cert"' not in client.get("/join", base_url="https://localhost:8543").text


def test_whoever_is_in_the_network_gets_the_certificate_and_reads_where_to_come_in(record, tmp_path):
    house = HouseCertificate(tmp_path / "house")
    house.make(["192.168.1.5"])
    hall, at_hub = Hall(record.public_of, Live()), {"base_url": "http://192.168.1.5:8100"}
    client = create_hub(Hub(record, hall, Live(), certificate=house, https_port=8543)).test_client()
    page = html.unescape(client.get("/cert", **PHONE, **at_hub).text)
    assert (house.fingerprint() in page, 'href="https://192.168.1.5:8543"' in page) == (True, True)
    sent = client.get("/cert/authority.crt", **PHONE, **at_hub).data
    assert ssl.DER_cert_to_PEM_cert(sent).split() == house.authority.read_text().split()
    assert client.get("/cert", **PHONE, base_url="http://evil.example").status_code == 404
    assert client.get("/cert/authority.crt", **PHONE, base_url="http://evil.example").status_code == 404
    client = create_hub(Hub(record, hall, Live(), certificate=HouseCertificate(tmp_path))).test_client()
    assert "This hub has no certificate." in client.get("/cert", **PHONE).text
    assert client.get("/cert/authority.crt", **PHONE).status_code == 404


def shown_after(app, role):
    """The path of a new link, and its letters, as the organiser's page shows them."""
    page = app.test_client().post("/staff/people", data={"name": "Rita", "role": role})
    assert page.status_code == 200
    text = html.unescape(page.text)
    return re.search(r"http://[^\"]+?(/join/[\w-]+)", text)[1], re.search(r'hall-code">(\w{5})<', text)[1]


def test_a_link_lets_one_device_in_and_looking_at_it_uses_none_up(app):
    path, _letters = shown_after(app, "referee")
    phone, other = app.test_client(), app.test_client()
    assert phone.get(path, **PHONE).status_code == 200
    assert phone.get("/staff", **PHONE).status_code == 403
    assert phone.post(path, **PHONE).status_code == 303
    assert phone.get("/staff", **PHONE).status_code == 200
    assert other.post(path, **PHONE).status_code == 403
    assert other.get("/staff", **PHONE).status_code == 403


def test_letters_stand_for_the_link_in_large_and_small(app):
    path, letters = shown_after(app, "organiser")
    phone = app.test_client()
    assert phone.post("/join", data={"code": letters.lower()}, **PHONE).status_code == 303
    assert phone.get("/staff/people", **PHONE).status_code == 200
    assert phone.post(path, **PHONE).status_code == 403


def test_a_link_ends_after_half_an_hour(app, clock):
    path, _letters = shown_after(app, "referee")
    clock.us += 30 * 60_000_000
    assert app.test_client().post(path, **PHONE).status_code == 403


def test_a_guesser_waits_and_others_do_not(app):
    _path, letters = shown_after(app, "referee")
    phone = app.test_client()
    answers = [phone.post("/join", data={"code": "AAAAA"}, **PHONE).status_code for _guess in range(12)]
    assert answers == [403] * 10 + [429] * 2
    assert phone.post("/join", data={"code": letters}, **PHONE).status_code == 429
    elsewhere = {"environ_base": {"REMOTE_ADDR": "10.0.0.9"}}
    assert app.test_client().post("/join", data={"code": letters}, **elsewhere).status_code == 303


def test_a_referee_rules_and_does_nothing_else(app, record):
    desk = record.desk
    cup = desk.begin("Cup", "stack_dice", "printed", Form.ROUNDS, 2, 0, ["Ann", "Ben"]).id
    desk.pair(cup)
    play = desk.find(cup).state.newest.plays[0]
    referee = {**PHONE, "headers": {"Authorization": f"Bearer {staff_token(record, 'referee')}"}}
    phone = app.test_client()
    page = html.unescape(phone.get(f"/tournaments/{cup}", **referee).text)
    assert ("Decide game 1" in page, "Move somebody" in page, "What was done" in page) == (True, False, False)
    places = dict(zip(play.pairing.seats, ("2", "1"), strict=True))
    assert phone.post(f"/tournaments/{cup}/rounds/1/games/1/rule", data=places, **referee).status_code == 303
    assert desk.find(cup).state.newest.is_closed
    refused = phone.post(f"/tournaments/{cup}/pair", data={"round": "2"}, **referee)
    assert (refused.status_code, "Only organisers may do this" in refused.text) == (403, True)
    staff_page = phone.get("/staff", **referee)
    assert (staff_page.status_code, "Get a code" in staff_page.text) == (200, False)


def test_who_is_let_in_no_more_is_out_at_the_next_request(app, record):
    token = staff_token(record, "organiser")
    (ticket,) = record.staff.all()
    organiser, phone = {**PHONE, "headers": {"Authorization": f"Bearer {token}"}}, app.test_client()
    assert phone.get("/staff/people", **organiser).status_code == 200
    assert app.test_client().post(f"/staff/people/{ticket.id}/revoke").status_code == 303
    assert phone.get("/staff/people", **organiser).status_code == 403


def test_the_record_keeps_no_token(app, record):
    token = staff_token(record)
    with record._database.reading() as db:
        assert token not in str(db.exec_driver_sql("SELECT * FROM staff_tickets").all())


def test_what_was_typed_is_there_again_after_a_refusal(app):
    refused = app.test_client().post("/staff/people", data={"name": "x" * 50, "role": "organiser"})
    assert refused.status_code == 422
    assert f'value="{"x" * 50}"' in refused.text
    assert re.search(r'value="organiser" checked', refused.text)
    wrong = app.test_client().post("/join", data={"code": "ABCDE"}, **PHONE)
    assert (wrong.status_code, 'value="ABCDE"' in wrong.text) == (403, True)
