"""The signed envelope of a game that a table hands to a hub, and the letter that both travel in.

A letter is three parts, divided by line ends: the envelope as canonical JSON, its signature in hex, the packed chain.
A hub passes it on unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json
from companion.game.players import Ranking
from companion.ids import Id
from companion.journal import codec
from companion.journal.record import StoredId, WallUs
from companion.journal.session import canonical_json, digest
from companion.letters.chain import MOST_ENTRIES, Chain, pack, unpack
from companion.letters.keys import SIGNATURE_BYTES, Key, PublicOf, check_table
from companion.words import _

MOST_LETTERS = 10_000_000  # Nobody plays so many games at one table; the hub counts those that are missing.
LONGEST_ENVELOPE = 1_000_000  # In bytes; an envelope has a picture's hash for each entry of a long game.

Hash = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z", max_length=64)]
HashOrNone = Annotated[str, Meta(pattern=r"\A([0-9a-f]{64})?\Z", max_length=64)]


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the table says about a game, and signs.

    key         id of the table's key
    n           how many envelopes this table has made with this key, this one among them: a gap is a game withheld
    previous    SHA-256 of the text of the envelope before, "" for the first
    head        the newest hash of the game's chain, which thereby is signed whole
    entries     how many the chain has
    rules       `rules_digest` of the rules the game was begun with, "" for a game of an older version
    ranks       the ranking that the table claims: groups of player ids placed alike, best first
    pictures    entry, as text → SHA-256 of the picture that it asked for; the pictures stay at home
    wall_us     when the envelope was made
    wall_sure   whether the table's clock can be believed
    """

    key: Hash
    n: Annotated[int, Meta(ge=1, le=codec.LARGEST)]
    previous: HashOrNone
    session: Id
    head: Hash
    entries: Annotated[int, Meta(ge=0, le=MOST_ENTRIES)]
    rules: HashOrNone
    ranks: Annotated[tuple[tuple[StoredId, ...], ...], Meta(max_length=1000)]
    pictures: Mapping[Annotated[str, Meta(pattern=r"\A[1-9][0-9]{0,6}\Z")], Hash]
    wall_us: WallUs
    wall_sure: bool
    format: Literal["table-companion-envelope/1"] = "table-companion-envelope/1"

    @property
    def text(self) -> str:
        """The text that the signature and the next envelope's `previous` cover."""
        return canonical_json(msgspec.to_builtins(self))


@dataclass(frozen=True)
class Letter:
    """A letter as it was read: its envelope, the signature's bytes, and the game."""

    envelope: Envelope
    signature: bytes
    chain: Chain


def make_envelope(
    key: Key,
    chain: Chain,
    before: Envelope | None,
    ranks: Ranking,
    pictures: Mapping[int, str],
    wall_us: int,
    *,
    wall_sure: bool,
) -> Envelope:
    """The envelope of a game, made after the envelope `before` of the same table; `pictures` as `Journal.evidence`."""
    return Envelope(
        key=key.id,
        n=before.n + 1 if before else 1,
        previous=digest(before.text) if before else "",
        session=chain.stored.session,
        head=chain.head,
        entries=len(chain.rows),
        rules=chain.stored.rules,
        ranks=ranks,
        pictures={str(seq): pictures[seq] for seq in sorted(pictures)},
        wall_us=wall_us,
        wall_sure=wall_sure,
    )


def seal(key: Key, envelope: Envelope, chain: Chain) -> bytes:
    signature = key.sign(envelope.text.encode())
    return b"\n".join((envelope.text.encode(), signature.hex().encode(), pack(chain.header, chain.rows)))


def open_letter(letter: bytes, public_of: PublicOf) -> Letter:
    """The letter that these bytes are, once everything in it holds.

    Raises NotAllowed if no known table signed it, and only then looks at the game; BadInput if the letter is damaged,
    or if envelope and game do not belong together.
    """
    end = letter.find(b"\n", 0, LONGEST_ENVELOPE)
    sign_end = end + 1 + 2 * SIGNATURE_BYTES
    if end < 0 or letter[sign_end : sign_end + 1] != b"\n":
        raise _damaged()
    try:
        envelope = read_json(letter[:end], Envelope)
        signature = bytes.fromhex(letter[end + 1 : sign_end].decode("ascii"))
    except (Unreadable, ValueError) as error:
        raise _damaged() from error
    check_table(public_of, envelope.key, signature, letter[:end])
    if envelope.text.encode() != letter[:end]:
        raise _damaged()
    if envelope.n > MOST_LETTERS:
        raise BadInput(_("No table has sent so many games as this letter says. Enrol the table again with a new code."))
    chain = unpack(letter[sign_end + 1 :])
    _check_belongs(envelope, chain)
    return Letter(envelope, signature, chain)


def _check_belongs(envelope: Envelope, chain: Chain) -> None:
    """Raises BadInput unless the envelope is about this game."""
    claims = (envelope.session, envelope.head, envelope.entries, envelope.rules)
    if claims != (chain.stored.session, chain.head, len(chain.rows), chain.stored.rules):
        raise BadInput(_("The game was changed after it was signed. Let the table send it again."))
    ranked = [player for group in envelope.ranks for player in group]
    if len(set(ranked)) != len(ranked) or not set(ranked) <= set(chain.stored.players):
        raise BadInput(_("The ranking names somebody who didn't play. Let the table send the game again."))
    if any(int(seq) > envelope.entries for seq in envelope.pictures):
        raise BadInput(_("A picture belongs to an entry that isn't there. Let the table send the game again."))


def _damaged() -> BadInput:
    return BadInput(_("The game didn't arrive whole. Let the table send it again."))
