"""Named proxies: whose word counts for a visitor's address, scheme, host and path, and what goes by them then."""

import html
import ipaddress
import re

import pytest

from companion.access.host_pin import FREE_TRIES
from companion.errors import BadInput
from companion.journal.devices import Role
from companion.network.addresses import parse_proxies
from companion.network.peers import Grounds
from web.access import gate
from web.access.proxies import believe
from web.app import create_app

PROXY, OUTER, GUEST, OTHER = "172.17.0.2", "172.17.0.3", "192.168.1.20", "192.168.1.21"
NAMED = (parse_proxies("172.17.0.0/16"), parse_proxies("::1"))
REFUSED = 403


def passed_on(peer=PROXY, named=NAMED, **headers):
    """The environment of a request that `peer` passes on with these headers."""
    environ = {"REMOTE_ADDR": peer, "wsgi.url_scheme": "http", "HTTP_HOST": "10.0.0.1:8000", "SCRIPT_NAME": ""}
    environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    believe(environ, named)
    return environ


def whose(**headers):
    return passed_on(**headers)["REMOTE_ADDR"]


# who is believed, and what


def test_nobody_is_believed_unless_named():
    environ = passed_on(
        OTHER, x_forwarded_for=GUEST, x_forwarded_proto="https", x_forwarded_host="evil.example",
        x_forwarded_prefix="/table", forwarded="for=10.0.0.9",
    )  # fmt: skip
    assert environ["REMOTE_ADDR"] == OTHER
    assert (environ["wsgi.url_scheme"], environ["HTTP_HOST"], environ["SCRIPT_NAME"]) == ("http", "10.0.0.1:8000", "")


def test_a_named_proxy_is_believed():
    environ = passed_on(
        x_forwarded_for=GUEST, x_forwarded_proto="https", x_forwarded_host="games.example:8443",
        x_forwarded_prefix="/table/",
    )  # fmt: skip
    assert environ["REMOTE_ADDR"] == GUEST
    assert environ["wsgi.url_scheme"] == "https"
    assert environ["HTTP_HOST"] == "games.example:8443"
    assert environ["SCRIPT_NAME"] == "/table"


@pytest.mark.parametrize(
    ("hops", "visitor"),
    [
        (GUEST, GUEST),
        (f"8.8.8.8, {GUEST}", GUEST),  # what the visitor sent itself lies on the left
        (f"{GUEST}, {OUTER}", GUEST),  # a named proxy before the named proxy
        (f"8.8.8.8, {GUEST}, {OUTER}", GUEST),
        (f"{GUEST}:51234", GUEST),
        ("[2001:db8::7]:80", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("::ffff:192.168.1.20", GUEST),
        (OUTER, OUTER),  # a named proxy itself asks
        ("unknown", PROXY),  # a hop that hides: only who hides it is known
        (f"unknown, {OUTER}", OUTER),
        (f"{GUEST}, unknown", PROXY),
    ],
)
def test_the_visitor_is_the_rightmost_hop_that_no_named_proxy_is(hops, visitor):
    assert whose(x_forwarded_for=hops) == visitor


@pytest.mark.parametrize(
    ("forwarded", "told"),
    [
        # the examples of RFC 7239, sections 4 and 6.3, with addresses of ours
        ("for=192.168.1.20;proto=https;by=203.0.113.43", (GUEST, "https", "10.0.0.1:8000")),
        ('For="[2001:db8:cafe::17]:4711"', ("2001:db8:cafe::17", "http", "10.0.0.1:8000")),
        ("for=192.0.2.43, for=192.168.1.20;host=games.example", (GUEST, "http", "games.example")),
        (f"for=192.168.1.20;proto=https;host=a.example, for={OUTER};proto=http;host=b", (GUEST, "https", "a.example")),
        ('for="_gazonk"', (PROXY, "http", "10.0.0.1:8000")),
    ],
)
def test_the_standards_header_is_believed_too(forwarded, told):
    environ = passed_on(forwarded=forwarded)
    assert (environ["REMOTE_ADDR"], environ["wsgi.url_scheme"], environ["HTTP_HOST"]) == told


@pytest.mark.parametrize(
    ("scheme", "hops", "believed"),
    [
        ("https", GUEST, "https"),
        ("https, http", GUEST, "http"),  # the visitor wrote the first one
        ("https, http", f"{GUEST}, {OUTER}", "https"),  # the outer proxy did
        ("https", f"{GUEST}, {OUTER}", "https"),
        ("gopher", GUEST, "http"),
    ],
)
def test_the_scheme_is_that_of_the_proxy_that_heard_the_visitor(scheme, hops, believed):
    assert passed_on(x_forwarded_for=hops, x_forwarded_proto=scheme)["wsgi.url_scheme"] == believed


@pytest.mark.parametrize("prefix", ["//evil.example", "table", '/"><script>', "/../x", "/a b", "/", "/a\\b"])
def test_a_path_that_could_lead_elsewhere_is_not_believed(prefix):
    assert passed_on(x_forwarded_prefix=prefix)["SCRIPT_NAME"] == ""


@pytest.mark.parametrize("header", ["x_forwarded_prefix", "x_ingress_path", "x_script_name"])
def test_a_path_comes_in_each_of_three_headers(header):
    assert passed_on(**{header: "/api/hassio_ingress/a-b_c"})["SCRIPT_NAME"] == "/api/hassio_ingress/a-b_c"


@pytest.mark.parametrize("address", ["", "proxy.local", "1.2.3", "192.168.1.5:80", "10.0.0.0/33"])
def test_a_proxy_is_an_address_or_a_network(address):
    with pytest.raises(BadInput, match="no address of a proxy"):
        parse_proxies(address)


@pytest.mark.parametrize("address", ["0.0.0.0/0", "::/0"])
def test_not_everybody_is_a_proxy(address):
    with pytest.raises(BadInput, match="every machine"):
        parse_proxies(address)


def test_one_address_is_a_network_of_one():
    assert parse_proxies("192.168.1.5") == ipaddress.ip_network("192.168.1.5/32")


# what goes by it


@pytest.fixture
def app(host):
    found = create_app(host)
    pages = found.wsgi_app

    def behind_proxies(environ, start):
        believe(environ, (*NAMED, parse_proxies("127.0.0.1")))
        return pages(environ, start)

    found.wsgi_app = behind_proxies
    return found


@pytest.fixture
def through(app):
    """A device that asks through a proxy."""

    def device(address=GUEST, peer=PROXY, **headers):
        found = app.test_client()
        found.environ_base |= {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": address}
        found.environ_base |= {f"HTTP_X_FORWARDED_{name.upper()}": value for name, value in headers.items()}
        return found

    return device


def test_a_named_proxys_visitor_is_never_the_host_by_loopback(through):
    assert through("127.0.0.1", "127.0.0.1").get("/house").status_code == REFUSED
    assert through("127.0.0.1").get("/house").status_code == REFUSED
    assert through("::1", "::1").get("/house").status_code == REFUSED


def test_beside_a_named_proxy_the_machine_itself_is_the_host(app):
    assert app.test_client().get("/house").status_code == 200


def test_waits_for_a_pin_go_by_the_visitors_address(host, through):
    pin = host.access.pin.renew()
    guesser, owner = through(), through(OTHER)
    for _ in range(FREE_TRIES + 1):
        last = guesser.post("/pin", data={"pin": "wrong"})
    assert last.status_code == 429
    assert owner.post("/pin", data={"pin": pin}).status_code == 303


def test_a_public_address_is_refused_through_a_proxy_too(through):
    assert through("8.8.8.8").get("/").status_code == REFUSED


def test_a_proxy_that_names_two_visitors_is_refused_in_one_sentence(through):
    answer = through().get("/", headers={"Forwarded": f"for={OTHER}"})
    assert answer.status_code == REFUSED
    assert "Let it pass on only its own Forwarded or X-Forwarded-For" in answer.text
    assert through().get("/", headers={"Forwarded": f"for={GUEST}"}).status_code == 200


def test_a_name_that_a_proxy_serves_must_be_allowed(app, through):
    games = through(host="games.example")
    assert games.get("/").status_code == 404
    app.config["ALLOWED_HOSTS"] = ("games.example",)
    assert games.get("/").status_code == 200


def test_another_site_is_refused_through_a_proxy_too(app, through, host):
    app.config["ALLOWED_HOSTS"] = ("games.example",)
    pin = host.access.pin.renew()
    device = through(host="games.example", proto="https")
    evil = device.post("/pin", data={"pin": pin}, headers={"Origin": "https://evil.example"})
    assert evil.status_code == REFUSED
    assert device.post("/pin", data={"pin": pin}, headers={"Origin": "https://games.example"}).status_code == 303


@pytest.mark.parametrize(("proto", "name"), [("http", "ticket"), ("https", "__Secure-ticket")])
def test_cookies_redirects_and_links_lie_below_the_path(host, through, proto, name):
    device = through(prefix="/table", proto=proto, host="192.168.1.9")
    device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.HOST)}"
    made = device.post("/house/link", data={"role": "player"}).text
    link = re.search(rf"{proto}://192\.168\.1\.9(/table/join/[^\s<>\x22]+)", made)
    assert link  # as text and in the QR code's title
    guest = through(OTHER, prefix="/table", proto=proto, host="192.168.1.9")
    taken = guest.get(link[1].removeprefix("/table"))
    assert (taken.status_code, taken.headers["Location"]) == (303, "/table/")
    cookie = taken.headers["Set-Cookie"]
    assert cookie.startswith(f"{name}=")
    assert "Path=/table/" in cookie
    assert ("Secure;" in cookie) == (proto == "https")


def test_every_address_of_a_page_lies_below_the_path(host, through):
    device = through(prefix="/table")
    device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.HOST)}"
    for page in ("/", "/house", "/people", "/new/sack_stackers"):
        text = device.get(page).text
        found = re.findall(r'(?:href|src|action|formaction|data-\w+)="(/[^"]*)"', text)
        assert found
        assert [one for one in found if not one.startswith("/table/")] == []
    manifest = device.get("/app.webmanifest").json
    assert (manifest["start_url"], manifest["scope"]) == ("/table/", "/table/")
    assert all(icon["src"].startswith("/table/static/") for icon in manifest["icons"])


def test_a_sheet_that_was_drawn_for_one_way_is_not_shown_on_the_other(host, app, through, sack):
    shown = {"HTTP_AUTHORIZATION": f"Bearer {host.access.tickets.issue(Role.PLAYER)}"}
    sheet, direct, below = f"/s/{sack.session.id}/sheet", app.test_client(), through(prefix="/table")
    direct.environ_base |= shown | {"REMOTE_ADDR": OTHER}
    below.environ_base |= shown
    assert re.search(r'"/(s|api)/', direct.get(sheet).text)
    assert not re.search(r'"/(s|api)/', below.get(sheet).text)
    assert re.search(r'"/table/(s|api)/', below.get(sheet).text)


def test_an_unnamed_proxy_below_a_path_is_told_how_to_be_named(app):
    device = app.test_client()
    device.environ_base |= {"REMOTE_ADDR": "192.168.1.77", "HTTP_X_FORWARDED_PREFIX": "/table"}
    assert "--proxy 192.168.1.77" in device.get("/").text
    assert "--proxy" not in app.test_client().get("/").text


BARE = "If this page looks bare"


@pytest.mark.parametrize(
    ("peer", "more", "address"),
    [
        ("192.168.1.77", {"SERVER_PROTOCOL": "HTTP/1.0"}, "192.168.1.77"),  # nginx of another machine
        ("192.168.1.77", {"HTTP_CONNECTION": "close"}, "192.168.1.77"),  # told to speak HTTP/1.1
        ("127.0.0.1", {gate.PEER: lambda: Grounds.OTHER_USER}, "127.0.0.1"),  # of this machine, as www-data
        (PROXY, {"HTTP_X_FORWARDED_FOR": GUEST}, PROXY),  # named, and says no path
    ],
)
def test_what_may_be_a_proxy_that_hides_a_path_is_told_the_line_it_lacks(app, peer, more, address):
    device = app.test_client()
    device.environ_base["REMOTE_ADDR"] = peer
    said = html.unescape(device.get("/", environ_overrides=more).text)
    assert BARE in said
    assert "proxy_set_header X-Forwarded-Prefix /table;" in said
    assert f"--proxy {address}." in said


@pytest.mark.parametrize(
    "more",
    [
        {"REMOTE_ADDR": OTHER},  # a browser in the house
        {gate.PEER: lambda: Grounds.OWN},
        {"REMOTE_ADDR": PROXY, "HTTP_X_FORWARDED_FOR": GUEST, "HTTP_X_FORWARDED_PREFIX": "/table"},
        {"REMOTE_ADDR": OTHER, "HTTP_X_FORWARDED_PREFIX": "/table"},  # is told to be named, above
    ],
)
def test_nobody_else_is_told_so(app, more):
    assert BARE not in app.test_client().get("/", environ_overrides=more).text
