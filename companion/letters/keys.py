"""The Ed25519 keys of tables and hubs. The package `cryptography` does it, which only a table with a hub needs."""

from collections.abc import Callable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from companion.errors import NotAllowed
from companion.journal.record import digest_bytes
from companion.words import _

KEY_BYTES, SIGNATURE_BYTES = 32, 64  # RFC 8032 gives both.

PublicOf = Callable[[str], bytes | None]
"""Id of a key → its public part (32 bytes), None for a key that nobody enrolled or that was revoked."""


def key_id(public: bytes) -> str:
    """The name of a key: SHA-256 of its public part, in hex."""
    return digest_bytes(public)


class Key:
    """The key that one table or one hub signs with; `secret` is all of it (32 bytes) and never leaves its machine."""

    def __init__(self, secret: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(secret)
        self.public = self._private.public_key().public_bytes_raw()
        self.id = key_id(self.public)

    def sign(self, data: bytes) -> bytes:
        return self._private.sign(data)


def check_signature(public: bytes, signature: bytes, data: bytes) -> None:
    """Raises NotAllowed unless the key with this public part signed the data."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError) as error:
        raise NotAllowed(_("The signature isn't this table's. Let the table send the game again.")) from error


def check_table(public_of: PublicOf, key: str, signature: bytes, data: bytes) -> None:
    """Raises NotAllowed unless an enrolled table, with the key of this id, signed the data."""
    public = public_of(key)
    if public is None:
        raise NotAllowed(_("This hub doesn't know the table's key. Enrol the table again with a new code."))
    check_signature(public, signature, data)
