"""Classes that JSON is checked against, each worked out once.

msgspec works a class out when it meets it first. Two threads that do so at the same moment crash the whole program with
a segmentation fault (msgspec 0.22: a hub whose first two letters came together). So whatever more than one thread may
read first goes through `worked_out`.
"""

import threading
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

_lock = threading.Lock()
_worked_out: set[Any] = set()


def worked_out(kind: type[Kind]) -> type[Kind]:
    """The class itself, once msgspec has worked it out with all that it is made of."""
    if kind not in _worked_out:
        with _lock:
            msgspec.json.Decoder(kind)
            _worked_out.add(kind)
    return kind
