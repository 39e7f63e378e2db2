"""The hub's ear at the broker: everything that tables say of themselves goes to the hall."""

import logging
import threading
from typing import Any

from companion.app.service.mqtt import PREFIX, Broker, Line, client_of
from companion.hub.hall import Hall

TABLE = "table"  # What tables say of `availability` nobody signs, so the hub does not hear it.

log = logging.getLogger(__name__)


class HallListener:
    """Listens to one broker from `start` to `stop`, on a thread of its own.

    is_connected    whether the broker answers
    """

    def __init__(self, hall: Hall, broker: Broker) -> None:
        """Raises BadInput if the client library is not installed."""
        self._hall = hall
        self._client = client_of(broker)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._hear
        self._line = Line("ear of the hall", self._client, broker)
        self._up = threading.Event()

    @property
    def is_connected(self) -> bool:
        return self._up.is_set()

    def start(self) -> None:
        """Connects, in the background."""
        self._line.start()

    def await_broker(self, seconds: float) -> None:
        """Waits until the broker answers, for so long at most."""
        self._up.wait(seconds)

    def stop(self) -> None:
        self._line.stop()

    def _on_connect(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if not reason.is_failure:
            client.subscribe([(f"{PREFIX}/+/{TABLE}", 1)])
            self._up.set()

    def _on_disconnect(self, *_about: Any) -> None:
        self._up.clear()

    def _hear(self, _client: Any, _data: Any, message: Any) -> None:
        """Takes in a message. Whatever it holds, the next one is heard, too."""
        try:
            self._take_in(message)
        except Exception as error:
            log.error("What a table says of itself failed (%s).", type(error).__name__)

    def _take_in(self, message: Any) -> None:
        _prefix, topic, _part = message.topic.split("/")
        if message.payload:
            self._hall.hear(topic, bytes(message.payload), is_retained=message.retain)
