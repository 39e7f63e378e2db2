"""Choosing the table's Wi-Fi on a page: who may, what it says, and how a phone is led there."""

import html
import re
from dataclasses import replace

import pytest

from companion.journal.devices import Role
from companion.network.wifi.door import Do
from companion.network.wifi.values import Attempt, Mode, Network, Result, Security
from tests.wifi_helper import PASSWORD, Helper
from web.app import create_app

PHONE, GUEST = "10.42.77.23", "192.168.1.20"  # in the table's own Wi-Fi, and in the house's
OWN = {"Host": "10.42.77.1"}
HOME = "Home & Söhne"
HEARD = (
    Network(HOME.encode(), 80, Security.PASSWORD),
    Network(b"Cafe", 50, Security.OPEN),
    Network(b"Firm", 40, Security.OTHER),
    Network(b"Far\xff", 10, Security.PASSWORD_3),
)


@pytest.fixture
def helper():
    return Helper(HEARD)


@pytest.fixture
def app(host, helper):
    app = create_app(host)
    app.extensions["wifi"] = helper
    return app


@pytest.fixture
def device(app, host):
    """A device at an address, with the ticket of a role."""

    def at(address, role=None):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = address
        if role is not None:
            found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(role)}"
        return found

    return at


def text_of(answer):
    return html.unescape(re.sub(r"<[^>]+>", " ", answer.text))


def join(client, **form):
    return client.post("/wifi/join", data=form, headers=OWN)


# who may


@pytest.mark.parametrize("mode", Mode)
def test_whoever_is_in_the_tables_own_wifi_may_while_it_is_open(device, helper, mode):
    helper.state = replace(helper.state, mode=mode)
    answers = [
        device(PHONE).get("/wifi", headers=OWN).status_code,
        join(device(PHONE), ssid=b"Cafe".hex()).status_code,
        device(PHONE).post("/wifi/listen", headers=OWN).status_code,
    ]
    assert answers == ([200] * 3 if mode is Mode.SETUP else [403] * 3)
    assert len(helper.asked) == (2 if mode is Mode.SETUP else 0)


@pytest.mark.parametrize("role", [None, Role.WATCHER, Role.PLAYER])
def test_nobody_else_may_but_the_host(device, helper, role):
    for path in ("/wifi", "/wifi?other=1", f"/wifi?ssid={b'Cafe'.hex()}"):
        assert device(GUEST, role).get(path).status_code == 403
        assert device(GUEST, Role.HOST).get(path).status_code == 200
    for path in ("/wifi/join", "/wifi/listen", "/wifi/close"):
        assert device(GUEST, role).post(path, data={"ssid": b"Cafe".hex()}).status_code == 403
    assert helper.asked == []
    for path in ("/wifi/join", "/wifi/listen", "/wifi/close"):
        assert device(GUEST, Role.HOST).post(path, data={"ssid": b"Cafe".hex()}).status_code == 200
    assert [do for do, *_ in helper.asked] == [Do.JOIN, Do.OPEN, Do.CLOSE]


def test_the_own_wifi_opens_this_page_and_nothing_else(device, app):
    phone = device(PHONE)
    for path in ("/house", "/new", "/people", "/wizard"):
        assert phone.get(path, headers=OWN).status_code == 403
    assert phone.post("/wifi/close", headers=OWN).status_code == 403
    page = phone.get("/wifi", headers=OWN).text
    assert PASSWORD not in page  # the card is the host's


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-Ip"])
def test_nobody_is_in_the_own_wifi_through_a_proxy(device, header):
    assert device(PHONE).get("/wifi", headers={**OWN, header: PHONE}).status_code == 403
    assert device(GUEST).get("/wifi", headers={header: PHONE}).status_code == 403


def test_another_site_joins_nothing(device, helper):
    answer = device(PHONE).post("/wifi/join", data={"ssid": b"Cafe".hex()}, headers={**OWN, "Origin": "http://evil"})
    assert (answer.status_code, helper.asked) == (403, [])


def test_where_nobody_looks_after_the_wifi_it_says_so(host, device, helper):
    helper.is_there = False  # the helper that was named does not run: there is no NetworkManager
    for client in (create_app(host).test_client(), device(GUEST, Role.HOST)):
        answer = client.get("/wifi")
        assert answer.status_code == 404
        assert "in its own settings" in text_of(answer)
        assert "/wifi" not in client.get("/house").text


def test_a_helper_that_does_not_answer_is_one_sentence_and_lets_nobody_in(device, helper):
    helper.answers = False
    assert device(PHONE).get("/wifi", headers=OWN).status_code == 403
    answer = device(GUEST, Role.HOST).get("/wifi")
    assert answer.status_code == 503
    assert "doesn't answer" in text_of(answer)


# how a phone comes there


@pytest.mark.parametrize(
    "address", ["http://connectivitycheck.gstatic.com/generate_204", "http://captive.apple.com/hotspot-detect.html"]
)
def test_a_phone_that_looks_for_the_internet_is_led_to_the_page(device, address):
    """What Android and iOS ask for: any redirect tells them that a page wants to be seen first."""
    answer = device(PHONE).get(address)
    assert (answer.status_code, answer.headers["Location"]) == (302, "http://10.42.77.1/wifi")


def test_it_is_led_there_from_the_own_wifi_alone(device, helper):
    foreign = "http://connectivitycheck.gstatic.com/generate_204"
    assert device(GUEST).get(foreign).status_code == 404
    assert device(PHONE).post(foreign).status_code in (403, 404, 405)
    helper.state = replace(helper.state, mode=Mode.ONLINE)
    assert device(PHONE).get(foreign).status_code == 404


def test_the_first_page_leads_there_too(device, helper):
    assert "/wifi" in device(PHONE).get("/", headers=OWN).text
    assert "/wifi" not in device(GUEST).get("/").text
    assert "/wifi" in device(GUEST, Role.HOST).get("/house").text


# choosing


def test_each_network_is_one_tap_the_strongest_first(device):
    page = device(PHONE).get("/wifi", headers=OWN)
    shown = text_of(page)
    assert [shown.index(name) for name in (HOME, "Cafe", "Firm", "Far\ufffd")] == sorted(
        shown.index(name) for name in (HOME, "Cafe", "Firm", "Far\ufffd")
    )
    for words in ("strong", "fair · no password", "wants more than a password", "weak"):
        assert words in re.sub(r"\s+", " ", shown)
    addresses = re.findall(r'href="(/wifi\?ssid=[0-9a-f]+)"', page.text)
    assert len(addresses) == 3  # none for the firm's
    form = device(PHONE).get(addresses[0], headers=OWN).text
    assert f'name="ssid" value="{HOME.encode().hex()}"' in form
    assert 'name="password"' in form
    assert 'name="password"' not in device(PHONE).get(addresses[1], headers=OWN).text


def test_a_password_joins_and_the_page_says_what_comes_next(device, helper):
    answer = join(device(PHONE), ssid=HOME.encode().hex(), password=" with spaces ")
    assert helper.asked == [(Do.JOIN, HOME.encode(), " with spaces ")]
    said = text_of(answer)
    for words in (f"now tries {HOME}", f"into {HOME}, too", "http://table.local", "table-setup comes back"):
        assert words in said


def test_a_name_may_be_typed(device, helper):
    join(device(PHONE), name=" Hidden ☕ ", password="long enough")
    join(device(PHONE), name="Open", password="")
    assert helper.asked == [(Do.JOIN, "Hidden ☕".encode(), "long enough"), (Do.JOIN, b"Open", "")]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"ssid": HOME.encode().hex(), "password": "short"}, "8 to 63 letters"),
        ({"ssid": HOME.encode().hex(), "password": ""}, "8 to 63 letters"),
        ({"ssid": HOME.encode().hex(), "password": "mit Ümlaut"}, "no accents"),
        ({"ssid": b"Firm".hex(), "password": "long enough"}, "more than a password"),
        ({"name": "", "password": "long enough"}, "1 to 32 letters"),
        ({"name": "ä" * 17, "password": "long enough"}, "1 to 32 letters"),
    ],
)
def test_what_cannot_be_is_one_sentence_above_the_form(device, helper, form, words):
    answer = join(device(PHONE), **form)
    assert answer.status_code == 400
    assert words in text_of(answer)
    assert "<form" in answer.text
    assert helper.asked == []


@pytest.mark.parametrize(("ssid", "status"), [("zz", 400), (b"Gone".hex(), 404)])
def test_a_network_that_is_none_or_gone_is_one_sentence(device, helper, ssid, status):
    assert device(PHONE).get(f"/wifi?ssid={ssid}", headers=OWN).status_code == status
    assert join(device(PHONE), ssid=ssid, password="long enough").status_code == status
    assert helper.asked == []


# afterwards


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result.WRONG_PASSWORD, f"{HOME} didn't take that password."),
        (Result.OUT_OF_REACH, f"The table can't reach {HOME} from here."),
        (Result.NO_ADDRESS, f"{HOME} let the table in but gave it no address."),
        (Result.FAILED, f"The table couldn't join {HOME}."),
    ],
)
def test_a_try_that_failed_says_why(device, helper, result, words):
    helper.state = replace(helper.state, tried=Attempt(HOME.encode(), result))
    assert words in text_of(device(PHONE).get("/wifi", headers=OWN))


def test_the_host_sees_where_the_table_is_and_the_card(device, helper):
    helper.state = replace(
        helper.state, mode=Mode.ONLINE, joined=HOME.encode(), tried=Attempt(HOME.encode(), Result.JOINED)
    )
    page = device(GUEST, Role.HOST).get("/wifi")
    said = text_of(page)
    for words in (f"The table is in {HOME}.", PASSWORD, "table-setup", "http://10.42.77.1/wifi"):
        assert words in said
    assert "<svg" in page.text
    helper.state = replace(helper.state, mode=Mode.NO_RADIO, joined=b"")
    assert "set your country" in text_of(device(GUEST, Role.HOST).get("/wifi"))


def test_names_from_the_air_are_shown_as_text(device, helper):
    helper.state = replace(helper.state, networks=(Network(b"<b>x\x1b\n", 50, Security.PASSWORD),))
    page = device(PHONE).get("/wifi", headers=OWN).text
    assert "&lt;b&gt;x" in page
    assert "<b>x" not in page
    assert "\x1b" not in page
