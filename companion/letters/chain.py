"""A game's chain as it travels: the header and the entries, compressed, without names and without hashes.

The hashes are most of a game's length once it is compressed, since nothing compresses them. Whoever receives it
computes them again: the chain is whole if the last one is the head that the envelope names.
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json, read_json_lines
from companion.ids import is_id
from companion.journal.record import BESIDE_CONTENT, FORMAT, MOST_LENGTH, Row, StoredEntry, StoredHeader, length_of
from companion.journal.session import canonical_json, digest
from companion.words import _

MOST_ENTRIES = 200_000  # A game file has at most as many lines.
MOST_UNPACKED = MOST_LENGTH + 1_000_000  # A game that fills more bytes was not played at a table.
SORTED = msgspec.json.Encoder(order="sorted")
ZLIB_LEVEL = 9  # A game is packed once, on a table that has nothing else to do.


@dataclass(frozen=True)
class Chain:
    """A game as the hash chain covers it.

    header      the text that the chain begins with
    stored      the same, read
    entries     the content of the rows, read
    """

    header: str
    stored: StoredHeader
    rows: tuple[Row, ...]
    entries: tuple[StoredEntry, ...]

    @property
    def hashes(self) -> tuple[str, ...]:
        """The header's hash, then that of each entry: every head that this game once had."""
        return (digest(self.header), *(row.hash for row in self.rows))

    @property
    def head(self) -> str:
        return self.hashes[-1]


class Relation(StrEnum):
    """How a chain that arrives relates to the one that the hub has of the same game."""

    SAME = "same"
    LONGER = "longer"  # The game went on, or was corrected: the new chain takes the place of the old one.
    OLDER = "older"  # The new chain arrives late: the old one goes on from it.
    FORK = "fork"  # They part somewhere: people have to decide.


def relation(old: Sequence[str], new: Sequence[str]) -> Relation:
    """The relation by the hashes of both (`Chain.hashes`)."""
    if old[-1] == new[-1]:
        return Relation.SAME
    if old[-1] in new:
        return Relation.LONGER
    return Relation.OLDER if new[-1] in old else Relation.FORK


def pack(header: str, rows: Iterable[Row]) -> bytes:
    """The header and the entries of a game, compressed. Names, hashes and pictures are not among them."""
    lines = "\n".join((header, *(row.content for row in rows)))
    return zlib.compress(lines.encode(), ZLIB_LEVEL)


def unpack(data: bytes) -> Chain:
    """The inverse of `packed`, with the hashes computed anew; raises BadInput for anything that it never makes."""
    text = _text(data)
    header, *contents = text.split("\n", MOST_ENTRIES + 1)
    lines = text[len(header) + 1 :]
    if len(contents) > MOST_ENTRIES or length_of_lines(lines, len(contents)) > MOST_LENGTH:
        raise _too_long()
    damaged = BadInput(_("A line of the game can't be understood. Let the table send it again."))
    try:
        stored = read_json(header, StoredHeader)
        entries, canonical = read_lines(lines)
        canonical = is_canonical(header) and (canonical or all(map(is_canonical, contents)))
    except Unreadable as error:
        raise damaged from error
    if stored.format != FORMAT:
        raise BadInput(_("This game was saved by a newer companion. Update this one."))
    if not canonical or not all(
        map(is_id, (stored.session, stored.game, *stored.players, *(entry.id for entry in entries)))
    ):
        raise damaged
    if any(entry.session != stored.session for entry in entries) or len({entry.id for entry in entries}) != len(
        entries
    ):
        raise damaged
    if [entry.seq for entry in entries] != list(range(1, len(entries) + 1)):
        raise damaged
    rows, previous = [], digest(header)
    for entry, content in zip(entries, contents, strict=True):
        previous = digest(previous + content)
        rows.append(Row(entry.seq, entry.id, content, previous))
    return Chain(header, stored, tuple(rows), tuple(entries))


def length_of_lines(lines: str, count: int) -> int:
    """The length (`length_of`) of so many entries, given the text that they fill together, a line for each."""
    return length_of(lines) + (count - 1) * (BESIDE_CONTENT - 1) if count else 0  # There is one line end fewer.


def is_canonical(line: str) -> bool:
    """Whether a line of JSON is its canonical text: other companions export it so, and its hash must be the same."""
    return canonical_json(read_json(line)) == line


def read_lines(lines: str) -> tuple[list[StoredEntry], bool]:
    """The entries in ASCII lines, and whether all lines are canonical, as far as one quick look says: no may be wrong.

    msgspec writes what it read as `canonical_json` does, in a twentieth of the time, but for escapes, DEL and some
    broken numbers. Raises Unreadable.
    """
    odd = "\\" in lines or "\x7f" in lines

    def number(text: str) -> float:
        nonlocal odd
        value = float(text)
        odd = odd or repr(value) != text
        return value

    entries = read_json_lines(lines, StoredEntry, number)
    return entries, not odd and SORTED.encode_lines(entries) == lines.encode() + b"\n"


def _text(data: bytes) -> str:
    """The text of compressed data, of which never more than the longest game is unpacked."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, MOST_UNPACKED + 1)
        if len(text) > MOST_UNPACKED:
            raise _too_long()
        if not stream.eof or stream.unused_data:
            raise BadInput(_("The game didn't arrive whole. Let the table send it again."))
        return text.decode("ascii")
    except (zlib.error, UnicodeDecodeError) as error:
        raise BadInput(_("The game didn't arrive whole. Let the table send it again.")) from error


def _too_long() -> BadInput:
    return BadInput(_("This game is too long to be moved here. Look at it at the table where it was played."))
