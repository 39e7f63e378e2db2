"""What comes from outside is read here alone: JSON and addresses. `make lint` forbids their readers elsewhere.

Whatever a text holds, reading JSON ends in a value or in Unreadable, and reading an address in its parts or NO_ADDRESS.
JSON that is nested more deeply than DEEPEST is refused before it is decoded, so code that calls itself can write,
compare and walk through what was read.

msgspec works a class out when it meets it first. Two threads that do so at the same moment crash the whole program with
a segmentation fault (msgspec 0.22: a hub whose first two letters came together). So each class is worked out once,
under a lock.
"""

import re
import threading
from collections.abc import Callable
from typing import Any, TypeVar, overload
from urllib.parse import SplitResult, urljoin, urlsplit

import msgspec

from companion.errors import BadInput
from companion.words import _

DEEPEST = 64  # No message, game or file of ours has more than ten levels.
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)  # One without an end goes to the end: each byte is read once.
SQUARE = bytes.maketrans(b"{}", b"[]")
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
LABEL = "[A-Za-z0-9_-]{1,63}"
HOST = re.compile(rf"({LABEL}(\.{LABEL})*\.?|\[[0-9A-Fa-f:.]+\])(:[0-9]{{1,5}})?")  # as a request names it
NO_ADDRESS = SplitResult("", "", "", "", "")

Kind = TypeVar("Kind")

_lock = threading.Lock()
_worked_out: set[Any] = set()


class Unreadable(BadInput):
    """A foreign text or value is not what was asked for. Its cause is for logs; most callers have a better sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(_("This can't be understood: {error}.", error=why))
        self.why = why


@overload
def read_json(text: bytes | str) -> Any: ...


@overload
def read_json(text: bytes | str, kind: type[Kind]) -> Kind: ...


def read_json(text: bytes | str, kind: Any = Any) -> Any:
    """The value of a JSON text, checked against a type that msgspec knows; raises Unreadable."""
    return _decoded(text, lambda content: msgspec.json.decode(content, type=worked_out(kind)), is_deep)


def read_json_lines(text: str, kind: type[Kind], number: Callable[[str], float]) -> list[Kind]:
    """The values of lines of JSON; `number` makes each of their fractions. Raises Unreadable."""
    decoder = msgspec.json.Decoder(worked_out(kind), float_hook=number)
    return _decoded(text, decoder.decode_lines, lambda content: any(map(is_deep, content.split(b"\n"))))


def _decoded(text: bytes | str, decode: Callable[[bytes], Kind], is_too_deep: Callable[[bytes], bool]) -> Kind:
    try:
        content = text.encode() if isinstance(text, str) else bytes(text)
        if not is_too_deep(content):
            return decode(content)
    except Exception as error:  # Whatever a decoder raises, its callers have to expect nothing else.
        raise Unreadable(str(error)) from error
    raise Unreadable(f"it is nested more than {DEEPEST} levels deep, or ends too early")


def is_deep(content: bytes) -> bool:
    """Whether a JSON text is nested more deeply than DEEPEST, or has a bracket without its other half."""
    if content.count(b"[") + content.count(b"{") <= DEEPEST:
        return False
    brackets = STRING.sub(b"", content).translate(SQUARE, NO_BRACKETS)
    for _level in range(DEEPEST):
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def read_value(value: object, kind: type[Kind]) -> Kind:
    """A value that was read, checked against a type that msgspec knows; raises Unreadable."""
    try:
        return msgspec.convert(value, worked_out(kind))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def worked_out(kind: type[Kind]) -> type[Kind]:
    """The class itself, once msgspec has worked it out with all that it is made of."""
    if kind not in _worked_out:
        with _lock:
            msgspec.json.Decoder(kind)
            _worked_out.add(kind)
    return kind


def read_address(text: str, base: str = "") -> SplitResult:
    """The parts of an address (a URL), which may be relative to another one; NO_ADDRESS for a text that is none."""
    try:
        parts = urlsplit(urljoin(base, text))
        _port = parts.port  # It raises only when it is asked for.
    except ValueError:  # Its port is no number, or its brackets do not close or hold no address.
        return NO_ADDRESS
    return parts if text.isprintable() else NO_ADDRESS
