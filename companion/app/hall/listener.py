"""The hub's ear at the broker: everything that tables say of themselves goes to the hall."""

import threading
from typing import Any

from companion.app.service.mqtt import LONGEST_RETRY_S, PREFIX, Broker, paho
from companion.hub.hall import Hall

TABLE, AVAILABILITY = "table", "availability"


class HallListener:
    """Listens to one broker from `start` to `stop`, on a thread of the client's own.

    is_connected    whether the broker answers
    """

    def __init__(self, hall: Hall, broker: Broker) -> None:
        """Raises BadInput if the client library is not installed."""
        self._hall, self._broker = hall, broker
        client = paho()
        self._client = client.Client(client.CallbackAPIVersion.VERSION2)
        if broker.secure:
            self._client.tls_set()
        if broker.user:
            self._client.username_pw_set(broker.user, broker.password)
        self._client.reconnect_delay_set(1, LONGEST_RETRY_S)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._lost
        self._client.on_message = self._heard
        self._up = threading.Event()

    @property
    def is_connected(self) -> bool:
        """Whether the broker answers."""
        return self._up.is_set()

    def start(self) -> None:
        """Connects, in the background."""
        self._client.connect_async(self._broker.host, self._broker.port, keepalive=30)
        self._client.loop_start()

    def await_broker(self, seconds: float) -> None:
        """Waits until the broker answers, for so long at most."""
        self._up.wait(seconds)

    def stop(self) -> None:
        """Disconnects."""
        self._client.disconnect()
        self._client.loop_stop()

    # on the client's own thread

    def _connected(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if not reason.is_failure:
            client.subscribe([(f"{PREFIX}/+/{part}", 1) for part in (TABLE, AVAILABILITY)])
            self._up.set()

    def _lost(self, *_about: Any) -> None:
        self._up.clear()

    def _heard(self, _client: Any, _data: Any, message: Any) -> None:
        _prefix, topic, part = message.topic.split("/")
        if part == TABLE and message.payload:
            self._hall.hear(topic, bytes(message.payload), kept=message.retain)
        elif part == AVAILABILITY and message.payload == b"offline":
            self._hall.leave(topic)
