"""The present state of the demo's table, under one lock, and notification of changes."""

import threading
from collections.abc import Callable
from random import Random

from companion.changes import Live
from companion.clock import Clock
from companion.demo.things import VirtualTable


class Tabletop:
    """The state that the objects of the demo's table share.

    lock        held by whoever changes the table; `change` is called with it held
    table       the table now
    on_change   called with the table after each change; stacks out of the camera's sight are only published
    """

    def __init__(self, clock: Clock, live: Live | None, random: Random) -> None:
        self.clock = clock
        self.random = random
        self.lock = threading.RLock()
        self.table = VirtualTable()
        self.on_change: Callable[[VirtualTable], None] = lambda _table: None
        self._live = live

    def change(self, table: VirtualTable) -> None:
        """Replaces the table, and tells everybody."""
        self.table = table
        self.on_change(table)
        self.publish()

    def publish(self) -> None:
        """Publishes the topic "table", so that the pages look again."""
        if self._live is not None:
            self._live.publish("table")
