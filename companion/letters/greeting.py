"""How a hub says who it is, and where its live view listens: signed anew for each table that asks."""

import secrets
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.errors import BadInput, NotAllowed
from companion.foreign import Unreadable, read_json
from companion.journal.session import canonical_json
from companion.letters.keys import Key, check_signature, key_id
from companion.words import _

PURPOSE = b"table-companion-hub/1\n"  # It is signed, too, so that no signature of anything else counts here.
LONGEST_CHALLENGE = 64

Hex = Annotated[str, Meta(pattern=r"\A([0-9a-f]{2})*\Z", max_length=128)]


class Greeting(msgspec.Struct, frozen=True):
    """What a hub answers to a table's challenge.

    id          of the hub's key; `public` is its public part, in hex
    mqtt_host   of the broker that shows the tables live, "" for the hub's own address
    mqtt_port   0 if there is none
    signature   by that key, of the challenge and the broker, in hex
    """

    id: str
    public: Hex
    mqtt_host: Annotated[str, Meta(max_length=253)]
    mqtt_port: Annotated[int, Meta(ge=0, le=65535)]
    signature: Hex


def new_challenge() -> str:
    """What a table asks a hub to sign: never the same twice."""
    return secrets.token_hex(16)


def greet(key: Key, challenge: str, mqtt_host: str, mqtt_port: int) -> Greeting:
    """The hub's answer to a challenge; raises BadInput for one that no table sends."""
    if len(challenge) > LONGEST_CHALLENGE or not challenge.isascii():
        raise BadInput(_("This isn't a table's question. See docs/hall.md."))
    signature = key.sign(signed_bytes(challenge, mqtt_host, mqtt_port))
    return Greeting(key.id, key.public.hex(), mqtt_host, mqtt_port, signature.hex())


def read_greeting(answer: bytes, challenge: str, pinned: str) -> Greeting:
    """The greeting in a hub's answer to this challenge; raises BadInput, or NotAllowed if it is not the pinned hub.

    pinned      id of the key of the hub at which this table was enrolled, "" for none yet
    """
    unreadable = BadInput(_("The hub gave an answer that nobody can read. Check its address."))
    try:
        (greeting,) = read_json(answer, tuple[Greeting])
        public = bytes.fromhex(greeting.public)
    except (Unreadable, ValueError) as error:
        raise unreadable from error
    if key_id(public) != greeting.id:
        raise unreadable
    if pinned and greeting.id != pinned:
        raise NotAllowed(
            _("Another hub answers at this address, and gets nothing. Check the address, or enrol the table there.")
        )
    check_signature(
        public,
        bytes.fromhex(greeting.signature),
        signed_bytes(challenge, greeting.mqtt_host, greeting.mqtt_port),
    )
    return greeting


def signed_bytes(challenge: str, mqtt_host: str, mqtt_port: int) -> bytes:
    """What the hub's signature covers."""
    return PURPOSE + canonical_json([challenge, mqtt_host, mqtt_port]).encode()
