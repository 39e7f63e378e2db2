"""Sessions and entries as JSON: the text that is hashed, stored and exported, and reading it back."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json, read_value
from companion.game.events import typed_field
from companion.game.game import AnyGame, Event
from companion.journal import codec
from companion.journal.events import Amended, Body, EndedEarly, Entry, Posted, Reason, StoodIn, Struck, Undone
from companion.journal.session import Session, agrees, canonical_json, digest, named_in
from companion.words import _

FORMAT = "table-companion-game/1"
# The greatest length of a game, as `length_of` counts it: some three times that of a game of a hundred players, and
# small enough to be folded on a board with 512 MB. Play ends a little before, so that what is wrong at the end of a
# full game can still be taken back, corrected and ruled about. No game is longer, so each can be imported elsewhere.
MOST_PLAYED, MOST_LENGTH = 4_000_000, 4_400_000
BESIDE_CONTENT = 160  # An entry's line has so many characters beside its content: its hash, and that of a picture.
BESIDE_REASON = 12  # The number of the entry of a typed text has so many characters.
LIST_OR_OBJECT = 30  # Each counts for so many characters in addition: "[]" takes 64 bytes of memory.

MOST_STAND_IN_CHARACTERS = 100  # A digest is shorter, and so is a name.

StoredId = Annotated[str, Meta(max_length=64)]  # It is laxer than `ids`: older tables let more in, which can be read.
WallUs = Annotated[int, Meta(ge=0, le=codec.LARGEST)]  # It ends in the year 2255, later than Linux sets its clock to.


@dataclass(frozen=True)
class Row:
    """An entry as it is stored: the exact text that its hash covers, and the hash."""

    seq: int
    id: str
    content: str
    hash: str


class StoredHeader(msgspec.Struct, forbid_unknown_fields=True):
    """A session's header as it is stored and exported."""

    format: str
    session: StoredId
    game: str
    options: dict[str, Any]
    players: Annotated[list[StoredId], Meta(min_length=1, max_length=1000)]
    created_wall_us: WallUs
    preset: Annotated[str, Meta(max_length=40)] = ""
    locked: bool = False
    rules: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$", max_length=64)] = ""
    package: Annotated[str, Meta(max_length=100)] = ""


class StoredEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as it is stored and exported, without its hash. `wall_sure` is written only when it is false."""

    session: StoredId
    seq: Annotated[int, Meta(ge=1, le=codec.LARGEST)]
    id: StoredId
    at_us: Annotated[int, Meta(ge=0, le=codec.LARGEST)]
    wall_us: WallUs
    source: Literal["tablet", "camera", "button", "clock", "drawn by the program"]
    reading: dict[str, Any] | None
    body: dict[str, Any]
    wall_sure: bool = True


def header_json(session: Session) -> dict[str, Any]:
    """A session's header, with which the chain begins. What an older version's header lacks, it still lacks."""
    preset = {"preset": session.preset, "locked": session.locked} if session.preset else {}
    rules = {"rules": session.rules} if session.rules else {}
    package = {"package": session.package} if session.package else {}
    return {
        **preset,
        **rules,
        **package,
        "format": FORMAT,
        "session": session.id,
        "game": session.game,
        "options": codec.options_to_json(session.options),
        "players": list(session.players),
        "created_wall_us": session.created_wall_us,
    }


def entry_json(session_id: str, entry: Entry) -> dict[str, Any]:
    """An entry as it is hashed and exported, without its own hash. `wall_sure` is there only when it is false."""
    return {
        "session": session_id,
        "seq": entry.seq,
        "id": entry.id,
        "at_us": entry.at_us,
        "wall_us": entry.wall_us,
        "source": entry.source,
        "reading": entry.reading,
        "body": body_to_json(entry.body, entry.salt),
        **({} if entry.wall_sure else {"wall_sure": False}),
    }


def content_of(session_id: str, entry: Entry) -> str:
    """The text of an entry that is stored and hashed."""
    return canonical_json(entry_json(session_id, entry))


def length_of(content: str) -> int:
    """The length that an entry with this content adds to its game."""
    return text_length(content) + BESIDE_CONTENT


def text_length(text: str) -> int:
    """The length of a JSON text: its characters, and more for each list and object, as they take more memory."""
    return len(text) + LIST_OR_OBJECT * (text.count("[") + text.count("{"))


def chained(previous_hash: str, session_id: str, entry: Entry) -> str:
    """The hash of an entry that follows one with `previous_hash`."""
    return digest(previous_hash + content_of(session_id, entry))


def body_to_json(body: Body, salt: str = "") -> dict[str, Any]:
    """A journal entry's body as JSON-ready values; with a salt it has the digest of what was typed, not the text."""
    match body:
        case Posted(event):
            return {"posted": _sealed(event, salt)}
        case Undone(seq, also):
            return {"undone": seq, "also": list(also)}
        case Struck(seq, also, ruled):
            return {"struck": seq, "also": list(also), "ruled": list(ruled)}
        case Amended(seq, event, also, ruled):
            return {"amended": seq, "event": _sealed(event, salt), "also": list(also), "ruled": list(ruled)}
        case EndedEarly():
            return {"ended": "early"}
        case StoodIn(player, who):
            return {"stood_in": seal(Reason(salt, who)) if salt else who, "player": player}


def _sealed(event: Event, salt: str) -> dict[str, Any]:
    data = codec.event_to_json(event)
    if salt:
        field = typed_field(event)
        data[field] = seal(Reason(salt, data[field]))
    return data


def seal(reason: Reason) -> str:
    """What the chain has in place of a typed text."""
    return f"sha256:{digest(reason.salt + reason.text)}"


def event_of(body: Body) -> Event | None:
    """The event in a body, or None. The body itself says what was typed for a stand-in."""
    return body.event if isinstance(body, Posted | Amended) else body if isinstance(body, StoodIn) else None


def reason_of(entry: Entry) -> Reason | None:
    """What was typed for an entry and lies beside the chain, or None."""
    event = event_of(entry.body)
    return Reason(entry.salt, getattr(event, typed_field(event))) if entry.salt else None


def in_words(body: Body, reason: Reason) -> Body | None:
    """The body with the text in place of its digest; None if this is not the text that was typed then."""
    if isinstance(body, StoodIn):
        return replace(body, who=reason.text) if body.who == seal(reason) else None
    if not isinstance(body, Posted | Amended) or not (field := typed_field(body.event)):
        return None
    if getattr(body.event, field) != seal(reason):
        return None
    worded: Body = replace(body, event=replace(body.event, **{field: reason.text}))
    return worded


def length_of_game(rows: tuple[Row, ...], reasons: Mapping[int, Reason]) -> int:
    """The length of a whole game."""
    return sum(length_of(row.content) for row in rows) + sum(map(length_of_reason, reasons.values()))


def length_of_reason(reason: Reason) -> int:
    """The length that a typed text adds to its game, as `length_of` counts."""
    return text_length(canonical_json({"salt": reason.salt, "text": reason.text})) + BESIDE_REASON


def _seqs(values: list[Any]) -> tuple[int, ...]:
    return read_value(values, tuple[Annotated[int, Meta(ge=1, le=codec.LARGEST)], ...])


def body_from_json(game: AnyGame, data: dict[str, Any]) -> Body:
    """The inverse of `body_to_json`; raises BadInput for anything that it never writes."""
    match data:
        case {"posted": event}:
            return Posted(codec.event_from_json(game, event))
        case {"undone": int(seq), "also": list(also)}:
            return Undone(_seqs([seq])[0], _seqs(also))
        case {"struck": int(seq), "also": list(also), "ruled": list(ruled)}:
            return Struck(_seqs([seq])[0], _seqs(also), _seqs(ruled))
        case {"amended": int(seq), "event": event, "also": list(also), "ruled": list(ruled)}:
            return Amended(_seqs([seq])[0], codec.event_from_json(game, event), _seqs(also), _seqs(ruled))
        case {"ended": "early"}:
            return EndedEarly()
        case {"stood_in": str(who), "player": str(player)} if len(who) <= MOST_STAND_IN_CHARACTERS:
            return StoodIn(player, who)
    raise BadInput(_("The game has an entry that this companion never writes. The file may be from a newer one."))


def read_rows(
    game: AnyGame, rows: tuple[Row, ...], reasons: Mapping[int, Reason] = MappingProxyType({})
) -> tuple[Entry, ...]:
    """Stored rows as entries; raises BadInput for a row that cannot be understood.

    reasons     entry → what was typed for it; a text that does not fit the chain is left out
    """
    return tuple(_worded(_entry(game, row, _stored(row)), reasons.get(row.seq)) for row in rows)


def entries_of(game: AnyGame, rows: tuple[Row, ...], stored: tuple[StoredEntry, ...]) -> tuple[Entry, ...]:
    """As `read_rows`, for rows whose content was decoded already (`stored`, one for each)."""
    return tuple(_entry(game, row, content) for row, content in zip(rows, stored, strict=True))


def _worded(entry: Entry, reason: Reason | None) -> Entry:
    worded = in_words(entry.body, reason) if reason else None
    return entry if worded is None or reason is None else replace(entry, body=worded, salt=reason.salt)


def _stored(row: Row) -> StoredEntry:
    try:
        return read_json(row.content, StoredEntry)
    except Unreadable as error:
        raise _not_understood(row) from error


def _entry(game: AnyGame, row: Row, stored: StoredEntry) -> Entry:
    try:
        if stored.reading and not isinstance(stored.reading.get("picture"), str | None):
            raise _not_understood(row)
        return Entry(
            seq=row.seq,
            id=row.id,
            body=body_from_json(game, stored.body),
            at_us=stored.at_us,
            wall_us=stored.wall_us,
            source=stored.source,
            hash=row.hash,
            reading=stored.reading,
            wall_sure=stored.wall_sure,
        )
    except Unreadable as error:
        raise _not_understood(row) from error


def _not_understood(row: Row) -> BadInput:
    return BadInput(_("Entry {seq} of the game can't be understood. The file is damaged.", seq=row.seq))


def broken_link(header: str, rows: tuple[Row, ...]) -> int | None:
    """The first sequence number at which the hash chain does not hold, or None when all of it does.

    It does not hold, either, where an entry's id is not the one that its content names.
    """
    session, previous = named_in(header), digest(header)
    for expected, row in enumerate(rows, start=1):
        if row.seq != expected or digest(previous + row.content) != row.hash:
            return expected
        if not agrees(row.content, session, row.seq, row.id):
            return expected
        previous = row.hash
    return None


def digest_bytes(data: bytes) -> str:
    """SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()
