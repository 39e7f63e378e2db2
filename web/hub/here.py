"""What this application serves, and who sends the request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from flask import current_app, request

from companion.changes import Live
from companion.errors import NotAllowed
from companion.hub.hall import Hall
from companion.hub.presence import Presence, clock_sentences
from companion.hub.record import HubRecord
from companion.words import _
from web.access import gate


@dataclass(frozen=True)
class Hub:
    """One hub.

    live        is told of each change of the hall
    is_public   whether anybody in the network may read
    mqtt        address and port of the broker as tables reach it, ("", 0) for none
    trouble     why no table is shown live, "" if they are
    is_blind    whether it was started with --no-mqtt: that no table is shown live is no trouble then
    hidden      what else is wrong that only the staff should read
    """

    record: HubRecord
    hall: Hall
    live: Live
    is_public: bool = False
    mqtt: tuple[str, int] = ("", 0)
    trouble: Callable[[], str] = lambda: ""
    hidden: Callable[[], Sequence[str]] = lambda: ()
    is_blind: bool = False

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


def is_staff() -> bool:
    """Whether the request comes from the hub's own machine."""
    return gate.is_own_machine()


def may_read() -> bool:
    """Whether the visitor may read: on the hub's own machine, or anywhere in the network if the hub is public."""
    return is_staff() or hub().is_public


def check_reader() -> None:
    """Raises NotAllowed unless the visitor may read."""
    if not may_read():
        raise NotAllowed(_("Only the hub's own computer may read this. Open it there, or start the hub with --public."))
    if not is_staff():
        gate.check_address()


def readers_only(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view for those who may read."""

    @wraps(view)
    def checked(**named: str) -> Any:
        check_reader()
        return view(**named)

    return checked


def staff_only(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view for the hub's own machine alone."""

    @wraps(view)
    def checked(**named: str) -> Any:
        if not is_staff():
            raise NotAllowed(_("Only the hub's own computer may do this. Do it there."))
        return view(**named)

    return checked
