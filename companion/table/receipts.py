"""What was answered to which id: the same request gets the same answer, however often it is sent."""

from collections.abc import Iterable
from dataclasses import dataclass

from companion.errors import BadInput, CompanionError
from companion.ids import is_id
from companion.journal.events import Body, Entry, Undone
from companion.journal.record import body_to_json
from companion.journal.session import canonical_json
from companion.words import _, retold

UNDO, NEWEST = "undo", 0  # the fingerprint of an undo, and the entry of one that names none
REMEMBERED_REFUSALS = 256  # a tablet repeats within seconds, so a few hundred answers are plenty


@dataclass(frozen=True)
class Receipt:
    """What was acknowledged: the event's own id and its place in the journal."""

    event_id: str
    seq: int


class Receipts:
    """The answers of one game: those of its entries for good, the newest refusals in memory alone."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._given: dict[str, Receipt] = {}
        self._asked: dict[str, str] = {}
        self._refusals: dict[str, tuple[str, CompanionError]] = {}
        for entry in entries:
            self.give(entry)

    def of(self, event_id: str) -> Receipt | None:
        """What was acknowledged under this id, None when nothing was."""
        return self._given.get(event_id)

    def known(self, event_id: str, request: Body) -> Receipt | None:
        """The answer that was given to this request before; raises the refusal again if it was one.

        Raises BadInput when the id was used for another request, or is none.
        """
        check_id(event_id)
        asked = fingerprint(request)
        if event_id in self._given:
            if not is_repeated(asked, self._asked[event_id]):
                raise another_event()
            return self._given[event_id]
        if event_id in self._refusals:
            before, refusal = self._refusals[event_id]
            if before != asked:
                raise another_event()
            raise same(refusal)
        return None

    def give(self, entry: Entry) -> Receipt:
        """The receipt for an entry that is on disk."""
        receipt = self._given[entry.id] = Receipt(entry.id, entry.seq)
        self._asked[entry.id] = fingerprint(entry.body)
        return receipt

    def refuse(self, event_id: str, request: Body, refusal: CompanionError) -> None:
        """Remembers what this request was refused with."""
        self._refusals[event_id] = (fingerprint(request), same(refusal))
        while len(self._refusals) > REMEMBERED_REFUSALS:
            del self._refusals[next(iter(self._refusals))]


def another_event() -> BadInput:
    """Why a request is refused whose id was used for another one."""
    return BadInput(_("This event id was used for another event: make a new one for each tap."))


def same(refusal: CompanionError) -> CompanionError:
    """The refusal, without the traceback that would keep the whole request of its sender in memory."""
    return type(refusal)(*map(retold, refusal.args))


def check_id(event_id: str) -> None:
    """Raises BadInput for what is no id of an event."""
    if not is_id(event_id):
        raise BadInput(_("An event id has 1 to 64 letters, digits, '-' or '_': make a new one."))


def is_repeated(asked: str, before: str) -> bool:
    """Whether a request was made before, by their fingerprints; an undo may leave open which entry it is about."""
    return asked == before or (asked == f"{UNDO} {NEWEST}" and before.startswith(UNDO))


def fingerprint(request: Body) -> str:
    """What tells two requests under one id apart; the time that the table gave an event is a part of the answer."""
    if isinstance(request, Undone):
        return f"{UNDO} {request.seq}"
    body = body_to_json(request)
    for part in body.values():
        if isinstance(part, dict):
            part.pop("at_us", None)
    return canonical_json(body)
