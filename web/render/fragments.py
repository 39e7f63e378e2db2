"""Sheets as they were last drawn: two hundred pages that show the same hear of an event at once and get one drawing."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST = 64  # drawings kept, some 20 kB each: a few games, each as everybody's and as each player's, in two languages


class Fragments:
    """Drawings by what they depend on. Safe from several threads; who asks for one under way waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: OrderedDict[Hashable, str] = OrderedDict()
        self._drawing: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, draw: Callable[[], str]) -> str:
        """The drawing for `key`, drawn now unless it is kept. Everything that the drawing shows must be in the key."""
        with self._lock:
            if key in self._drawn:
                self._drawn.move_to_end(key)
                return self._drawn[key]
            under_way = self._drawing.setdefault(key, threading.Lock())
        with under_way:
            with self._lock:
                if key in self._drawn:
                    return self._drawn[key]
            try:
                drawing = draw()
            finally:
                with self._lock:
                    self._drawing.pop(key, None)
            with self._lock:
                self._drawn[key] = drawing
                while len(self._drawn) > MOST:
                    self._drawn.popitem(last=False)
            return drawing
