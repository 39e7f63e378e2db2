"""Who sends a request, and whether they may: every request passes here before its route.

Each endpoint is listed below with the rights it needs; one that is not listed is the host's only. The machine itself is
the host's; any other device shows a ticket, in a cookie or in the Authorization header. A screen in a frame of another
site's page gets no cookie along: it shows a ticket of its own in its address.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from flask import current_app, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import Ticket
from companion.errors import NotAllowed, NotFound
from companion.foreign import read_address
from companion.journal.devices import Role
from companion.journal.events import Sender
from companion.journal.settings import CORRECTIONS
from companion.network.addresses import device_of, is_in_own_network
from companion.network.peers import Grounds
from companion.words import _
from web.access import cookie, setting_up
from web.house import host

COOKIE = "ticket"


class Need(StrEnum):
    """The rights that a route needs."""

    NOTHING = "nothing"
    READ = "read"
    PLAY = "play"
    CORRECT = "correct"
    WIFI = "wifi"
    HOST = "host"


OPEN = (
    "static", "pages.home", "devices.join", "devices.pin_page", "devices.enter_pin", "api.healthz", "api.document",
    "api.docs", "api.seen",
    "install.manifest", "install.worker", "certificate.page", "certificate.authority",
)  # fmt: skip
READ = (
    "pages.sheet_page", "pages.sheet_fragment", "pages.advice", "pages.history", "pages.history_fragment",
    "pages.gallery", "results.result_page", "results.dice_page", "results.picture", "results.entries_csv",
    "people.people_page", "people.person_page", "seasons.season_page", "seasons.season_csv", "seasons.old_address",
    "people.face", "how_to.game_page", "how_to.session_page", "who.page", "who.choose",
    "api.clock", "api.games", "api.sessions", "api.show", "api.export", "api.legal", "api.history", "api.proposals",
    "api.picture", "api.clip", "api.metrics", "api.parts", "api.everybody", "api.person", "api.person_games",
    "api.who", "api.choose_who", "stream.session_stream", "stream.rolls_stream",
    "screen.big_screen_page", "screen.big_screen_fragment", "screen.overlay_page", "screen.overlay_fragment",
)  # fmt: skip
PLAY = (
    "set_up.new", "set_up.begin", "set_up.begin_offered", "set_up.import_page", "set_up.import_game",
    "hall_staff.call", "hall_staff.call_off",
    "api.import_session", "next_game.again", "next_game.go_on", "people.add", "people.change", "people.remember",
    "people.face_page", "people.choose_face", "rest.change", "api.rest", "api.come_back",
    "api.roll", "camera.page", "camera.ask", "camera.leave", "camera.show",
    "api.create", "api.post_event", "api.take_photo", "photos.take", "photos.keep_final", "api.hold", "api.confirm",
    "api.correct", "api.dismiss", "results.referee_page", "results.rule",
    "demo.table_page", "demo.table_stream", "demo.roll", "demo.move", "demo.clear", "demo.press", "demo.release",
    "demo.stack", "demo.put_block", "demo.die", "demo.put_onto", "demo.put_down", "demo.rebuild", "demo.put",
    "demo.take", "demo.tip", "demo.deal", "demo.load", "demo.unload", "demo.card",
)  # fmt: skip
CORRECT = (
    "endings.end", "endings.go_on", "people.players_page", "people.rename", "api.rename_player",
    "stand_in.change", "line_up.page", "line_up.begin", "line_up.reorder", "api.stand_in", "api.end_early",
    "api.go_on", "api.line_up",
    "pages.correct_page", "pages.correct_fragment", "pages.advice_before", "pages.preview", "api.undo", "api.strike",
    "api.amend", "lessons.colours_page", "lessons.die_picture", "lessons.teach", "lessons.take_back",
)  # fmt: skip
WIFI = ("wifi.page", "wifi.join", "wifi.listen")  # the host's, and whoever is in the table's own Wi-Fi
NEEDS: Mapping[str, Need] = {
    endpoint: need
    for need, endpoints in (
        (Need.NOTHING, OPEN), (Need.READ, READ), (Need.PLAY, PLAY), (Need.CORRECT, CORRECT), (Need.WIFI, WIFI)
    )
    for endpoint in endpoints
}  # fmt: skip
# Endpoints that a ticket for one session may use although their address names no session.
WITHOUT_SESSION = (
    "api.clock", "api.games", "api.picture", "api.clip", "pages.gallery", "how_to.game_page", "who.page", "who.choose",
    "people.face", "people.face_page", "people.choose_face", "camera.page", "camera.ask", "camera.leave", "camera.show",
    "hall_staff.call", "hall_staff.call_off",
)  # fmt: skip
# Screens that the sites of --allow-frame may show in a frame, and what these ask for, by a ticket in their addresses.
FRAMED = ("screen.big_screen_page", "screen.overlay_page")
IN_FRAMES = (
    *FRAMED, "screen.big_screen_fragment", "screen.overlay_fragment", "stream.session_stream", "api.clock",
)  # fmt: skip
# A device for one seat that opens one of these pages of another game is redirected to its own game.
PAGES_OF_A_GAME = (
    "pages.sheet_page", "pages.sheet_fragment", "pages.history", "pages.history_fragment", "pages.correct_page",
    "pages.correct_fragment", "results.result_page", "results.dice_page", "lessons.colours_page", "how_to.session_page",
)  # fmt: skip
PREFIXES = ("x-forwarded-prefix", "x-ingress-path", "x-script-name")
# What proxies and tunnels add to a request: these headers, and all that begin so.
FORWARDED = (
    "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "fly-client-ip",
    *PREFIXES,
)  # fmt: skip
FORWARDED_BEGIN = ("x-forwarded-", "x-original-", "x-envoy-", "cf-", "tailscale-")
PEER = "companion.peer"  # in a request's environment: tells who holds the other end of a connection over loopback
PASSED_ON = "companion.passed_on"  # likewise: the address of the named proxy that passed the request on
CONTRADICTED = "companion.contradicted"  # likewise: and its headers name two visitors
HOST_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,252}")  # what may be one, without its port
STRANGERS_BYTES = 16_384  # of a body: all that a device without a ticket has to send is a code or the host's PIN
OWN_MACHINE = "machine"  # in place of a ticket's id; no ticket has this id


@dataclass(frozen=True)
class Visitor:
    """Whoever sends the request.

    role        None for a stranger
    session     the only session that the ticket is for, None for all; `player` likewise the only seat
    label       the house's name for the device
    device      the ticket's id, or OWN_MACHINE; "" for a stranger
    """

    role: Role | None
    session: str | None = None
    player: str | None = None
    label: str = ""
    device: str = ""


THE_MACHINE = Visitor(Role.HOST, label=Role.HOST, device=OWN_MACHINE)


def check() -> AnyResponse | None:
    """Lets a request through, leads a device for one seat to its own game, or raises NotAllowed."""
    if request.endpoint is None:
        return None  # an unknown address: the answer is the same for everybody
    check_address()
    g.visitor = visitor()
    if g.visitor.role is None:
        request.max_content_length = STRANGERS_BYTES
    need = NEEDS.get(request.endpoint, Need.HOST)
    only, named = g.visitor.session, (request.view_args or {}).get("session")
    is_other_game = only not in (None, named) and need is not Need.NOTHING and request.endpoint not in WITHOUT_SESSION
    if (is_other_game or not may(need)) and is_own_machine():  # Its ticket gave it less.
        g.visitor, is_other_game = THE_MACHINE, False
    if not may(need):
        raise NotAllowed(refusal(need))
    if is_other_game:
        if g.visitor.player and request.endpoint in PAGES_OF_A_GAME:  # Most likely the page is of the game before.
            return redirect(url_for("pages.sheet_page", session=only, player=g.visitor.player), 303)
        raise NotAllowed(_("This device can see only one game. Scan the table's code to see others."))
    return None


def refusal(need: Need) -> str:
    """The sentence for a request that is refused: why, and what to do."""
    if g.visitor.role is None and shown_token():
        return _("The host removed this device, or its code has expired. Scan the code at the table again.")
    if g.visitor.role is None:
        return _("This device hasn't joined the table. Scan the code at the table, or type one at its address.")
    if need in (Need.HOST, Need.WIFI):
        return _("Only the host can do this. Use the table's own screen, or type the host's PIN.")
    if need is Need.CORRECT and g.visitor.role is Role.PLAYER:
        return _("Only the host can correct. Ask the host.")
    return _("This device can only watch. Ask the host for a player's code.")


def visitor() -> Visitor:
    """The visitor who sends the request. Whoever shows a ticket has its rights, and the kernel is not asked."""
    token = shown_token()
    ticket = ticket_for_frame() or (host().access.tickets.ticket(token) if token else None)
    if ticket is None or ticket.once:
        return THE_MACHINE if is_own_machine() else Visitor(None)
    host().access.codes.mark_used(ticket)
    return Visitor(ticket.role, ticket.session, ticket.player, ticket.label or ticket.role, ticket.id)


def ticket_for_frame() -> Ticket | None:
    """The ticket in the address of a screen that other sites may frame, None where there is none that counts."""
    if not current_app.config["FRAMES"] or request.endpoint not in IN_FRAMES:
        return None
    token = request.args.get("ticket", "")
    return host().access.tickets.ticket_for_frame(token) if token else None


def shown_token(name: str = COOKIE) -> str:
    """The token of the ticket that a request shows, in its Authorization or the cookie of that name; "" for none."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else cookie.value_of(name)


def shown_ticket() -> Ticket | None:
    """The ticket that a request shows, None for the machine itself and for a stranger."""
    return None if device() == OWN_MACHINE else host().access.tickets.ticket(shown_token())


def staying() -> Callable[[], bool]:
    """A function that tells, also after this request, whether the visitor is still let in with the same rights."""
    tickets, device_id = host().access.tickets, device()
    if device_id == OWN_MACHINE:
        return lambda: True
    as_now = (g.visitor.role, g.visitor.session, g.visitor.player)

    def is_still_in() -> bool:
        ticket = tickets.of(device_id)
        return ticket is not None and (ticket.role, ticket.session, ticket.player) == as_now

    return is_still_in


def is_own_machine() -> bool:
    """Whether the request comes from the machine that serves it, and not through a tunnel or proxy that runs there."""
    return grounds().are_own


def grounds() -> Grounds:
    """Why the request counts as this machine's own, or why not; the kernel is asked who holds its connection."""
    shown = shown_grounds()
    peer: Callable[[], Grounds] | None = request.environ.get(PEER)  # a test's own server has no such connections
    return peer() if shown is Grounds.OWN and peer is not None else shown


def shown_grounds() -> Grounds:
    """The same by what the request shows, where a proxy that adds no header looks like us. Only under a sure name: if a
    guest had claimed the machine's name, a page of theirs could send requests from here."""
    names = [name.lower() for name in request.headers.keys()]  # noqa: SIM118  # a list of pairs, not a mapping
    if PASSED_ON in request.environ:
        return Grounds.NAMED_PROXY
    if any(name in FORWARDED or name.startswith(FORWARDED_BEGIN) for name in names):
        return Grounds.HEADERS
    if not client_address().is_loopback:
        return Grounds.ADDRESS
    return Grounds.OWN if is_sure_name(name_of(request.host)) else Grounds.NAME


def client_address() -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The address that the request comes from; whose headers about it are believed, `web/access/proxies.py` says."""
    address = ipaddress.ip_address(request.remote_addr or "0.0.0.0")
    return getattr(address, "ipv4_mapped", None) or address


def is_setting_up() -> bool:
    """Whether the request comes from within the table's own Wi-Fi while that is open, and through no proxy."""
    return grounds() is Grounds.ADDRESS and setting_up.is_open_to(client_address())


def sender() -> Sender:
    """The device that sends the request, as the sender of an entry."""
    return Sender(g.visitor.label, g.visitor.player)


def device() -> str:
    """An id of the device that sends the request, the same for each of its requests."""
    return str(g.visitor.device)


def share(*, of_network: bool = True) -> str:
    """Under what the visitor is counted where each has its share of what there is; "" for the machine itself.

    It is its address, as a device may have many tickets; its ticket where many devices come from this machine's.

    of_network  of IPv6 the network of the address, as a device may have many of these; a whole house may share it
    """
    if device() == OWN_MACHINE:
        return ""
    address = str(client_address())
    counted = device_of(address)
    return (counted if of_network else address) if counted else device()


def role() -> Role | None:
    """The visitor's role, None for a stranger."""
    return getattr(g, "visitor", Visitor(None)).role


def only_session() -> str | None:
    """The only game that the visitor was let in for, None for the whole house."""
    return getattr(g, "visitor", Visitor(None)).session


def only_player() -> str | None:
    """The only seat that the visitor was let in for, None for all."""
    return getattr(g, "visitor", Visitor(None)).player


def is_of_the_house() -> bool:
    """Whether the visitor was let in for the whole house, and not for one game only."""
    return only_session() is None


def may(need: Need) -> bool:
    """Whether the visitor has these rights."""
    who = role()
    match need:
        case Need.NOTHING:
            return True
        case Need.READ:
            return who is not None
        case Need.PLAY:
            return who is not None and who.rank >= Role.PLAYER.rank
        case Need.CORRECT:
            host_only = CORRECTIONS.of(host().journal) == "host"
            return who is not None and who.rank >= (Role.HOST if host_only else Role.PLAYER).rank
        case Need.WIFI:
            return who is Role.HOST or is_setting_up()
    return who is Role.HOST


def has_better(ticket: Ticket) -> bool:
    """Whether the visitor already has all rights of a ticket, so that taking it could only lose some."""
    role, session, player = g.visitor.role, g.visitor.session, g.visitor.player
    if role is None or role.rank < ticket.role.rank or session not in (None, ticket.session or session):
        return False
    return role.rank > ticket.role.rank or (session, player) in ((None, None), (ticket.session, ticket.player))


def let_in(answer: AnyResponse, token: str) -> None:
    """Gives the device that gets this answer a new ticket in place of its present one."""
    present = cookie.value_of(COOKIE)
    if present not in ("", token):
        host().access.codes.discard(present)
    # "Strict" would not be sent after a tap on a link in a messenger; posts of other sites are refused anyway
    cookie.put(answer, COOKIE, token, "Lax")


# the address and the name of a request


def check_address() -> None:
    """Refuses clients of public networks, and names that are not ours.

    Another site can make its own name lead to this table's address (DNS rebinding); then only the name tells its
    requests from ours.
    """
    address = client_address()
    if CONTRADICTED in request.environ:
        raise NotAllowed(
            _("The proxy names two visitors. Let it pass on only its own Forwarded or X-Forwarded-For, not both.")
        )
    if is_public(address) and not current_app.config["ALLOW_PUBLIC"] and not is_in_own_network(address):
        raise NotAllowed(_("This table is only for its own network. You can't join from the Internet."))
    if not is_own_name(request.host):
        raise NotFound(unknown_name(name_of(request.host)))


def unknown_name(name: str) -> str:
    """The sentence on a name that is not ours; it says how to allow one that can be a name, as Tailscale's."""
    if not HOST_NAME.fullmatch(name):
        return _("There's no table with this name here. Open it by its address.")
    return _(
        "There's no table with this name here. Open it by its address, or start the table with --allow-host {name}.",
        name=name,
    )


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether anybody in the Internet may have that address; a network like Tailscale's is private."""
    if isinstance(address, ipaddress.IPv6Address) and (address.sixtofour or address.teredo):
        return True  # These contain a public IPv4 address.
    return address.is_global


def is_own_name(host_header: str) -> bool:
    """Whether this table answers to that name: a sure one, or the machine's name in its network."""
    name = name_of(host_header)
    return is_sure_name(name) or name == f"{machine_name()}.local"


def is_sure_name(name: str) -> bool:
    """Whether nobody in the network can make that name lead elsewhere first and here later.

    Such names are an address, localhost, the machine's plain name, allowed hosts, and the name that it has claimed.
    """
    try:
        ipaddress.ip_address(name)
    except ValueError:
        allowed = {name.casefold() for name in current_app.config["ALLOWED_HOSTS"]}
        claimed = {name_in(url) for url in current_app.extensions["addresses"]()}
        return name in {"localhost", machine_name(), *allowed, *claimed}
    return True


def name_of(host_header: str) -> str:
    """The name that a request is for, without its port."""
    name = host_header.rsplit(":", 1)[0] if not host_header.endswith("]") else host_header
    return name.strip("[]").rstrip(".").casefold()


def name_in(url: str) -> str:
    """The name or address in a URL."""
    return read_address(url).hostname or ""


def machine_name() -> str:
    """The machine's own name, in small letters."""
    return socket.gethostname().casefold()
