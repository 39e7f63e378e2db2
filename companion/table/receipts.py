"""The answer given to each event id: the same request gets the same answer, however often it is sent."""

from collections.abc import Iterable
from dataclasses import dataclass

from companion.errors import BadInput, CompanionError
from companion.ids import is_id
from companion.journal.events import Body, Entry, Undone
from companion.journal.record import body_to_json
from companion.journal.session import canonical_json
from companion.words import _, retold

UNDO, NEWEST = "undo", 0  # An undo's fingerprint begins so; an undo that names no target has this one.
REMEMBERED_REFUSALS = 256  # A tablet repeats within seconds, so a few hundred answers are plenty.


@dataclass(frozen=True)
class Receipt:
    """The acknowledgement of an entry: the event's id and the entry's number in the journal."""

    event_id: str
    seq: int


class Receipts:
    """The answers of one game: receipts for all its entries, and the newest refusals, which no restart survives."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._receipts: dict[str, Receipt] = {}
        self._requests: dict[str, str] = {}
        self._refusals: dict[str, tuple[str, CompanionError]] = {}
        for entry in entries:
            self.give(entry)

    def of(self, event_id: str) -> Receipt | None:
        """The receipt for this id, or None."""
        return self._receipts.get(event_id)

    def earlier(self, event_id: str, request: Body) -> Receipt | None:
        """The earlier receipt for this request, or None if it is new; raises the earlier refusal again.

        Raises BadInput when the id was used for another request or is malformed.
        """
        check_id(event_id)
        request_text = fingerprint(request)
        if event_id in self._receipts:
            if not is_repeated(request_text, self._requests[event_id]):
                raise another_event()
            return self._receipts[event_id]
        if event_id in self._refusals:
            before, refusal = self._refusals[event_id]
            if before != request_text:
                raise another_event()
            raise without_traceback(refusal)
        return None

    def give(self, entry: Entry) -> Receipt:
        """Makes the receipt for an entry that is on disk."""
        receipt = self._receipts[entry.id] = Receipt(entry.id, entry.seq)
        self._requests[entry.id] = fingerprint(entry.body)
        return receipt

    def refuse(self, event_id: str, request: Body, refusal: CompanionError) -> None:
        """Remembers the refusal of this request."""
        self._refusals[event_id] = (fingerprint(request), without_traceback(refusal))
        while len(self._refusals) > REMEMBERED_REFUSALS:
            del self._refusals[next(iter(self._refusals))]


def another_event() -> BadInput:
    """The refusal of a request whose id was used for another one."""
    return BadInput(_("This event id was used for another event. Make a new one for each tap."))


def without_traceback(refusal: CompanionError) -> CompanionError:
    """A copy of the refusal without its traceback, which would keep the sender's whole request in memory."""
    return type(refusal)(*map(retold, refusal.args))


def check_id(event_id: str) -> None:
    """Raises BadInput for a malformed event id."""
    if not is_id(event_id):
        raise BadInput(_("An event id has 1 to 64 letters, digits, '-' or '_'. Make a new one."))


def is_repeated(request: str, before: str) -> bool:
    """Whether two fingerprints stand for the same request; an undo may leave its target open."""
    return request == before or (request == f"{UNDO} {NEWEST}" and before.startswith(UNDO))


def fingerprint(request: Body) -> str:
    """A text that is equal for equal requests. It leaves out the event's time, which the table may have set."""
    if isinstance(request, Undone):
        return f"{UNDO} {request.seq}"
    body = body_to_json(request)
    for part in body.values():
        if isinstance(part, dict):
            part.pop("at_us", None)
    return canonical_json(body)
