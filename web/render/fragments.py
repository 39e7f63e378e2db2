"""A cache of drawn sheets: two hundred pages may ask for the same sheet at once, and it is drawn only once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST = 64  # A drawing has some 20 kB. This is enough for each player's sheet of a few games in two languages.


class Fragments:
    """Drawings by all that they depend on. Thread-safe: a request for a drawing in progress waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: OrderedDict[Hashable, str] = OrderedDict()
        self._drawing: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, draw: Callable[[], str]) -> str:
        """The drawing for `key`, drawn now unless it is cached. The key must hold all that the drawing depends on."""
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
