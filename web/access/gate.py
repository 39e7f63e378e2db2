"""Who asks, and whether they may: every request passes here before its route.

Each endpoint is named below with what it needs; one that is not named is the host's alone. The machine itself is the
host's; any other device shows a ticket, as a cookie or in the Authorization header.
"""

import ipaddress
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from flask import current_app, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKET_DAYS, Ticket
from companion.errors import NotAllowed, NotFound
from companion.journal.devices import Role
from companion.journal.events import Sender
from companion.journal.settings import CORRECTIONS
from companion.words import _
from web.house import host

COOKIE = "ticket"
ENCRYPTED_COOKIE = "__Host-ticket"  # over https; one of a name of its own lets the same device in over http, too
COOKIE_AGE_S = TICKET_DAYS * 24 * 60 * 60


class Need(StrEnum):
    """What a route needs of whoever asks."""

    NOTHING = "nothing"
    READ = "read"
    PLAY = "play"
    CORRECT = "correct"
    HOST = "host"


OPEN = (
    "static", "pages.home", "devices.join", "devices.enter_pin", "api.healthz", "api.document",
    "api.docs",
    "install.manifest", "install.worker", "certificate.page", "certificate.authority",
)  # fmt: skip
READ = (
    "pages.sheet_page", "pages.sheet_fragment", "pages.advice", "pages.history", "pages.history_fragment",
    "pages.gallery", "results.result_page", "results.dice_page", "results.picture", "results.entries_csv",
    "people.people_page", "people.person_page", "seasons.season_page", "seasons.season_csv", "seasons.old_address",
    "api.clock", "api.games", "api.sessions", "api.show", "api.export", "api.legal", "api.history", "api.proposals",
    "api.picture", "api.metrics", "api.everybody", "api.person", "api.person_games", "stream.session_stream",
    "screen.big_screen_page", "screen.big_screen_fragment", "screen.overlay_page", "screen.overlay_fragment",
)  # fmt: skip
PLAY = (
    "set_up.new", "set_up.begin", "set_up.import_page", "set_up.import_game", "api.import_session",
    "next_game.again", "next_game.go_on", "people.add", "people.change", "people.remember",
    "api.create", "api.post_event", "api.hold", "api.confirm", "api.correct",
    "api.dismiss", "results.referee_page", "results.rule",
    "demo.table_page", "demo.table_stream", "demo.roll", "demo.move", "demo.clear", "demo.press", "demo.release",
    "demo.stack", "demo.put_block", "demo.die", "demo.put_onto", "demo.put_down", "demo.rebuild", "demo.put",
    "demo.take", "demo.tip", "demo.deal", "demo.load", "demo.unload", "demo.card",
)  # fmt: skip
CORRECT = (
    "pages.correct_page", "pages.correct_fragment", "pages.advice_before", "pages.preview", "api.undo", "api.strike",
    "api.amend", "lessons.colours_page", "lessons.die_picture", "lessons.teach", "lessons.take_back",
)  # fmt: skip
NEEDS: Mapping[str, Need] = {
    endpoint: need
    for need, endpoints in ((Need.NOTHING, OPEN), (Need.READ, READ), (Need.PLAY, PLAY), (Need.CORRECT, CORRECT))
    for endpoint in endpoints
}
# What a ticket for one session opens besides the routes that name a session.
WITHOUT_SESSION = ("api.clock", "api.games", "api.picture", "pages.gallery")
# What a player looks at in a game: a device for one seat is led from another game's to its own.
PAGES_OF_A_GAME = (
    "pages.sheet_page", "pages.sheet_fragment", "pages.history", "pages.history_fragment", "pages.correct_page",
    "pages.correct_fragment", "results.result_page", "results.dice_page", "lessons.colours_page",
)  # fmt: skip
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via", "CF-Connecting-IP")  # somebody speaks for somebody
STRANGERS_BYTES = 16_384  # of a body: all that a device without a ticket has to send is the host's PIN
OWN_MACHINE = "machine"  # what needs no ticket; no ticket has this id


@dataclass(frozen=True)
class Visitor:
    """Whoever asks: role None for a stranger, and the only session and seat a ticket is for.

    label       what the house calls the device
    device      the ticket's id, or OWN_MACHINE; "" for a stranger
    """

    role: Role | None
    session: str | None = None
    player: str | None = None
    label: str = ""
    device: str = ""


def check() -> AnyResponse | None:
    """Lets a request through, leads a device for one seat to its own game, or raises NotAllowed."""
    if request.endpoint is None:
        return None  # an address that leads nowhere: the answer is the same for everybody
    check_address()
    g.visitor = visitor()
    if g.visitor.role is None:
        request.max_content_length = STRANGERS_BYTES
    need = NEEDS.get(request.endpoint, Need.HOST)
    if not may(need):
        raise NotAllowed(refusal(need))
    only, named = g.visitor.session, (request.view_args or {}).get("session")
    if only is not None and need is not Need.NOTHING and named != only and request.endpoint not in WITHOUT_SESSION:
        if g.visitor.player and request.endpoint in PAGES_OF_A_GAME:  # of the game before this one, most likely
            return redirect(url_for("pages.sheet_page", session=only, player=g.visitor.player), 303)
        raise NotAllowed(_("This device was let in for one game only: scan the code of the table to see others."))
    return None


def refusal(need: Need) -> str:
    """Why a request is refused, and what to do."""
    if g.visitor.role is None:
        return _("This device does not belong to the table yet: scan the code at the table, or type the host's PIN.")
    if need is Need.HOST:
        return _("Only the host may do this: use the table's own screen, or type the host's PIN.")
    if need is Need.CORRECT and g.visitor.role is Role.PLAYER:
        return _("The host keeps corrections: ask the host.")
    return _("This device looks on only: ask the host for a player's code.")


def visitor() -> Visitor:
    """Who asks."""
    if is_own_machine():
        return Visitor(Role.HOST, label=Role.HOST, device=OWN_MACHINE)
    token = shown_token()
    ticket = host().access.tickets.ticket(token) if token else None
    if ticket is None or ticket.once:
        return Visitor(None)
    host().access.codes.came(ticket)
    return Visitor(ticket.role, ticket.session, ticket.player, ticket.label or ticket.role, ticket.id)


def shown_token() -> str:
    """The token of the ticket that a request shows, "" for none."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else kept_token()


def kept_token() -> str:
    """The token that a browser keeps, "" for none."""
    encrypted = request.cookies.get(ENCRYPTED_COOKIE, "") if request.is_secure else ""
    return encrypted or request.cookies.get(COOKIE, "")


def staying() -> Callable[[], bool]:
    """Whether whoever asks is still let in as what they are now, to be asked later, when the request is over."""
    if is_own_machine():
        return lambda: True
    tickets, token = host().access.tickets, shown_token()
    as_now = (g.visitor.role, g.visitor.session, g.visitor.player)

    def is_still_in() -> bool:
        ticket = tickets.ticket(token)
        return ticket is not None and (ticket.role, ticket.session, ticket.player) == as_now

    return is_still_in


def is_own_machine() -> bool:
    """Whether the request comes from the machine that serves it, and not through a tunnel or proxy that runs there.

    Under a name that a guest may have claimed before this machine did, a page of theirs may ask in its browser.
    """
    through = any(name in request.headers for name in FORWARDED)
    return client_address().is_loopback and not through and is_sure_name(name_of(request.host))


def client_address() -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Where the connection comes from; what a header says about that is not believed."""
    found = ipaddress.ip_address(request.remote_addr or "0.0.0.0")
    return getattr(found, "ipv4_mapped", None) or found


def sender() -> Sender:
    """The device that asks, for what it changes."""
    return Sender(g.visitor.label, g.visitor.player)


def device() -> str:
    """The device that asks, to be known again when it asks once more."""
    return str(g.visitor.device)


def role() -> Role | None:
    """What whoever asks is in this house, None for a stranger."""
    return getattr(g, "visitor", Visitor(None)).role


def only_session() -> str | None:
    """The only game that whoever asks was let in for, None for the whole house."""
    return getattr(g, "visitor", Visitor(None)).session


def is_of_the_house() -> bool:
    """Whether whoever asks was let in for the whole house, and not for one game only."""
    return only_session() is None


def may(need: Need) -> bool:
    """Whether whoever asks may do what needs this."""
    who = role()
    match need:
        case Need.NOTHING:
            return True
        case Need.READ:
            return who is not None
        case Need.PLAY:
            return who is not None and who.rank >= Role.PLAYER.rank
        case Need.CORRECT:
            kept = CORRECTIONS.of(host().journal) == "host"
            return who is not None and who.rank >= (Role.HOST if kept else Role.PLAYER).rank
    return who is Role.HOST


def has_better(ticket: Ticket) -> bool:
    """Whether whoever asks may already do what a ticket would let them, so that taking it would only take away."""
    role, session, player = g.visitor.role, g.visitor.session, g.visitor.player
    if role is None or role.rank < ticket.role.rank or session not in (None, ticket.session or session):
        return False
    return role.rank > ticket.role.rank or (session, player) in ((None, None), (ticket.session, ticket.player))


def let_in(answer: AnyResponse, token: str) -> None:
    """Gives the device that gets this answer its ticket, in the place of the one that it has."""
    kept = kept_token()
    if kept not in ("", token):
        host().access.codes.left(kept)
    # "Strict" would be kept back on the way on from a link in a messenger; posts of other sites are refused anyway
    name, secure = (ENCRYPTED_COOKIE, True) if request.is_secure else (COOKIE, False)
    answer.set_cookie(name, token, max_age=COOKIE_AGE_S, samesite="Lax", httponly=True, secure=secure)


# where a request may come from, and under which name


def check_address() -> None:
    """Refuses clients of public networks, and names that are not ours.

    A page of another site can make its own name lead to this table's address; then its requests look as if they were
    ours, but for the name they carry.
    """
    address = client_address()
    if not (address.is_loopback or address.is_private or address.is_link_local or current_app.config["ALLOW_PUBLIC"]):
        raise NotAllowed(_("This table is for its own network: nobody from the Internet comes in."))
    if not is_own_name(request.host):
        raise NotFound(_("There is no table of this name here: open it by its address."))


def is_own_name(host_header: str) -> bool:
    """Whether this table answers to that name: one that leads nowhere else, or the machine's in its network."""
    name = name_of(host_header)
    return is_sure_name(name) or name == f"{machine_name()}.local"


def is_sure_name(name: str) -> bool:
    """Whether nobody in the network can make that name lead elsewhere first and here later: an address, localhost, the
    machine's plain name, one it was given, or the one in the network that it has claimed.
    """
    try:
        ipaddress.ip_address(name)
    except ValueError:
        given = {each.casefold() for each in current_app.config["ALLOWED_HOSTS"]}
        claimed = {urlsplit(address).hostname for address in host().status.addresses}
        return name in {"localhost", machine_name(), *given, *claimed}
    return True


def name_of(host_header: str) -> str:
    """The name that a request is for, without its port."""
    name = host_header.rsplit(":", 1)[0] if not host_header.endswith("]") else host_header
    return name.strip("[]").rstrip(".").casefold()


def machine_name() -> str:
    """What the machine calls itself."""
    return socket.gethostname().casefold()
