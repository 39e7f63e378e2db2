"""What this application serves, and who sends the request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from flask import current_app, g, request

from companion.changes import Live
from companion.errors import NotAllowed
from companion.hub.hall import Hall
from companion.hub.presence import Presence, clock_sentences
from companion.hub.record import HubRecord
from companion.hub.staff_tickets import StaffRole
from companion.network.certificate import HouseCertificate
from companion.network.peers import Grounds
from companion.words import _
from web.access import gate

STAFF_COOKIE = "staff"


@dataclass(frozen=True)
class Hub:
    """One hub.

    live        is told of each change of the hall
    is_public   whether anybody in the network may read
    mqtt        address and port of the broker as tables reach it, ("", 0) for none
    trouble     why no table is shown live, "" if they are
    is_blind    whether it was started with --no-mqtt: that no table is shown live is no trouble then
    hidden      what else is wrong that only the staff should read
    certificate of the house, served at `https_port` if it exists
    advice      what the staff can do though nothing is wrong, "" for nothing
    """

    record: HubRecord
    hall: Hall
    live: Live
    is_public: bool = False
    mqtt: tuple[str, int] = ("", 0)
    trouble: Callable[[], str] = lambda: ""
    hidden: Callable[[], Sequence[str]] = lambda: ()
    is_blind: bool = False
    certificate: HouseCertificate | None = None
    https_port: int = 0
    advice: str = ""

    def troubles(self, names: Mapping[str, str], presences: Mapping[str, Presence]) -> list[str]:
        """All that is wrong, for the staff; `names` of the tables whose clocks are spoken of."""
        sentences = [self.trouble(), *self.record.troubles(), *self.hidden(), *clock_sentences(presences, names)]
        return list(filter(None, sentences))


def hub() -> Hub:
    """The hub that this application serves."""
    return cast(Hub, current_app.extensions["hub"])


def address() -> str:
    """The address that the request comes from."""
    return request.remote_addr or ""


def role() -> StaffRole | None:
    """What the device that sends the request may do as one of the staff, None for nothing; asked once a request."""
    if "staff role" not in g:
        ticket = hub().record.staff.find(gate.shown_token(STAFF_COOKIE))
        setattr(g, "staff role", ticket and ticket.role)
    return cast(StaffRole | None, g.get("staff role"))


def forget_role() -> None:
    """Takes whoever sends this request for nobody of the staff."""
    setattr(g, "staff role", None)


def is_staff() -> bool:
    """Whether the request comes from somebody of the staff."""
    return role() is not None


def may_organise() -> bool:
    """Whether the visitor may do all that the staff do."""
    return role() is StaffRole.ORGANISER


def follows() -> bool:
    """Whether a page that follows sends this: it asks for JSON, and hears only whether it was done, and why not."""
    return request.accept_mimetypes.best == "application/json"


def may_read() -> bool:
    """Whether the visitor may read: staff, the hub's own computer, and anywhere in the network if the hub is public."""
    return is_staff() or hub().is_public or is_here()


def is_here() -> bool:
    """Whether the request comes from the hub's own computer, as far as it shows: this lets nobody change anything."""
    return gate.shown_grounds() is Grounds.OWN


def check_reader() -> None:
    """Raises NotAllowed unless the visitor may read."""
    if not may_read():
        raise NotAllowed(
            _("Only staff and the hub's own computer may read this. Come in as staff, or start the hub with --public.")
        )
    check_name()


def check_name() -> None:
    """Refuses names that are not ours, and public networks, unless the hub's own machine asks."""
    if not is_here():
        gate.check_address()


def readers_only(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view for those who may read."""

    @wraps(view)
    def checked(**named: str) -> Any:
        check_reader()
        return view(**named)

    return checked


def staff_only(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view for organisers."""
    return for_staff(view, StaffRole.ORGANISER)


def referees_too(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view for organisers and referees."""
    return for_staff(view, *StaffRole)


def for_staff(view: Callable[..., Any], *roles: StaffRole) -> Callable[..., Any]:
    """A view for these roles."""

    @wraps(view)
    def checked(**named: Any) -> Any:
        if role() not in roles:
            raise NotAllowed(
                _("Only organisers may do this. Ask one.")
                if is_staff()
                else _("Only the hall's staff may do this. Come in by a link or a code of the organiser.")
            )
        check_name()
        return view(**named)

    return checked
