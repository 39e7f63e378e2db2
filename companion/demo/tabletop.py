"""The holder of the demo's table: what lies there now, under one lock, and who hears of a change."""

import threading
from collections.abc import Callable
from random import Random

from companion.changes import Live
from companion.clock import Clock
from companion.demo.things import VirtualTable


class Tabletop:
    """What the objects of the demo's table share.

    lock        held by whoever changes what lies there; `change` is called with it
    table       as it is now
    on_change   hears of every change of it; those who listen to the topic "table" hear of the stacks out of sight, too
    """

    def __init__(self, clock: Clock, live: Live | None, random: Random) -> None:
        self.clock = clock
        self.random = random
        self.lock = threading.RLock()
        self.table = VirtualTable()
        self.on_change: Callable[[VirtualTable], None] = lambda _table: None
        self._live = live

    def change(self, table: VirtualTable) -> None:
        """The table is like this from now on."""
        self.table = table
        self.on_change(table)
        self.publish()

    def publish(self) -> None:
        """The pages look again."""
        if self._live is not None:
            self._live.publish("table")
