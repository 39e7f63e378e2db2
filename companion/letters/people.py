"""A person whom a table makes known to its hub: a name, and which players of its games this person was.

That lies outside the chains, so that it can be taken back: a person without players is one that the hub forgets.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json
from companion.ids import Id
from companion.journal.record import StoredId, WallUs
from companion.journal.session import canonical_json
from companion.letters.envelope import Hash
from companion.letters.keys import SIGNATURE_BYTES, Key, PublicOf, check_table
from companion.words import _

PURPOSE = b"table-companion-person/1\n"  # It is signed, too, so that no signature of anything else counts here.
MOST_BYTES = 2_000_000  # A person of some 50,000 games has as many.


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A person of one house.

    key         id of the table's key
    person      id in that house; another house may have the same
    name        "" for one to be forgotten
    players     ids of this person in the table's games, each of one game
    at_us       when this was said; the newest counts
    """

    key: Hash
    person: Id
    name: Annotated[str, Meta(max_length=400)]
    players: Annotated[tuple[StoredId, ...], Meta(max_length=50_000)]
    at_us: WallUs

    @property
    def text(self) -> str:
        """The text that the signature covers."""
        return canonical_json(msgspec.to_builtins(self))


def seal_person(key: Key, person: Person) -> bytes:
    """The message that makes a person known: the text, a line end, and the signature in hex."""
    text = person.text.encode()
    return text + b"\n" + key.sign(PURPOSE + text).hex().encode()


def open_person(data: bytes, public_of: PublicOf) -> Person:
    """The person in a message; raises BadInput, or NotAllowed if no enrolled table signed it."""
    text, _end, signature = data.rpartition(b"\n")
    damaged = BadInput(_("The person did not arrive whole: let the table send it again."))
    if len(data) > MOST_BYTES or len(signature) != 2 * SIGNATURE_BYTES:
        raise damaged
    try:
        person = read_json(text, Person)
        signature_bytes = bytes.fromhex(signature.decode("ascii"))
    except (Unreadable, ValueError) as error:
        raise damaged from error
    check_table(public_of, person.key, signature_bytes, PURPOSE + text)
    if person.text.encode() != text or bool(person.name) != bool(person.players):
        raise damaged
    return person
