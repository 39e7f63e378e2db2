"""What a hub needs to show its tables live: a broker, and an ear at it."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from companion.app.hall.listener import HallListener
from companion.app.hall.mosquitto import OwnBroker
from companion.app.service.mqtt import Broker
from companion.errors import BadInput
from companion.hub.hall import Hall
from companion.network.outgoing import is_here
from companion.words import _

CONNECT_S = 2.0

LiveHall = tuple[tuple[str, int], Callable[[], str]]


@contextlib.contextmanager
def show_live(hall: Hall, data: Path, address: str, broker: Broker | None, nothing: bool) -> Iterator[LiveHall]:
    """Listens to what tables say of themselves; gives where tables say it, and why they are not heard ("" if they are).

    broker      one that runs already, None to start Mosquitto
    nothing     listen to nobody
    """
    nowhere = ("", 0)
    if nothing:
        why = _("No table is shown live, because the hub was started with --no-mqtt.")
        yield nowhere, lambda: why
        return
    with contextlib.ExitStack() as parts:
        try:
            at = nowhere
            if broker is None:
                own = OwnBroker(data, address)
                own.start()
                parts.callback(own.stop)
                broker, at = own.ear, ("", own.port)
            elif not broker.user and not broker.secure:  # Else tables need a password, and name the broker themselves.
                # They know the hub's own machine by another address.
                at = ("" if is_here(broker.host) else broker.host, broker.port)
            listener = HallListener(hall, broker)
        except BadInput as refusal:
            sentence = refusal.sentence
            yield nowhere, lambda: sentence
            return
        listener.start()
        parts.callback(listener.stop)
        listener.await_broker(CONNECT_S)  # A start says nothing that is no longer true a moment later.
        lost = _("The broker doesn't answer, so no table is shown live. Look whether it runs.")
        yield at, lambda: "" if listener.is_connected else lost
