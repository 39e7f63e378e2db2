"""The table's place on the hall's board: it follows the broker that the hub names."""

from collections.abc import Callable
from typing import Any

from companion.app.service.mqtt import Broker, HallPublisher
from companion.house.host import Host

State = dict[str, Any]


class OnBoard:
    """Publishes to the broker that the hub has named last, until `stop`. Both are called by the hub's thread alone.

    opened  opens a part, or says in the status line why it cannot be opened
    """

    def __init__(
        self,
        host: Host,
        open_part: Callable[[Callable[[], HallPublisher]], HallPublisher | None],
        sign: Callable[[State], State],
        names: bool,
    ) -> None:
        self._host, self._open_part, self._sign, self._names = host, open_part, sign, names
        self._broker: Broker | None = None
        self._publisher: HallPublisher | None = None

    def follow(self, address: str, port: int, is_owners: bool) -> None:
        """The hub's broker is there; port 0 means that there is none. `is_owners` as for `Broker`."""
        broker = Broker(address, port, secure=False, is_owners=is_owners) if port else None
        if broker == self._broker:
            return
        self.stop()
        self._broker = broker
        if broker is None:
            self._host.status.clear(HallPublisher.PART)
            return
        self._publisher = self._open_part(lambda: HallPublisher(self._host, broker, names=self._names, sign=self._sign))
        if self._publisher:
            self._publisher.start()

    def stop(self) -> None:
        if self._publisher:
            self._publisher.stop()
            self._publisher = None
