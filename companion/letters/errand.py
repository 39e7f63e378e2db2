"""What a hub has for one table: the game that it plays now, corrections, a chime. Asked and answered with signatures.

The table signs its question, so nobody else learns who plays where; the hub signs its answer, with the table and the
question in it, so nobody else tells a table what to play, and no answer counts twice.
"""

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from companion.errors import BadInput, NotAllowed
from companion.foreign import Unreadable, read_json
from companion.ids import Id
from companion.journal.session import canonical_json
from companion.letters.envelope import Hash
from companion.letters.keys import Key, PublicOf, check_signature, check_table, key_id
from companion.letters.offer import Doing, Errand
from companion.words import _

# These come before what is signed, so that no signature of anything else counts here.
PURPOSE_ASK = b"table-companion-errand-asked/1\n"
PURPOSE_ANSWER = b"table-companion-errand/1\n"
PURPOSE_ORDER = b"table-companion-entered/1\n"
MOST_BYTES = 10_000

Hex = Annotated[str, Meta(pattern=r"\A([0-9a-f]{2})+\Z", max_length=128)]
Challenge = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]

Message = TypeVar("Message", "Question", "OrderAnswer")


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What a table asks its hub; `signature` is of the challenge and of `doing` by the table's key.

    doing   a `Doing` as JSON, "" for a hub that does not hear it
    """

    key: Hash
    challenge: Challenge
    signature: Hex
    doing: Annotated[str, Meta(max_length=1_000)] = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An errand as it travels: its text, and the hub's key and signature."""

    errand: Annotated[str, Meta(max_length=100_000)]
    public: Hex
    signature: Hex


class OrderAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a table says of a correction: that it is entered, or why it is refused (`said`)."""

    key: Hash
    order: Id
    said: Annotated[str, Meta(max_length=2_000)]
    signature: Hex


def ask(key: Key, challenge: str, doing: Doing | None = None) -> bytes:
    """A table's question, with what it does now for a hub that hears it."""
    text = canonical_json(msgspec.to_builtins(doing)) if doing else ""
    signature = key.sign(asked_bytes(challenge, text)).hex()
    return msgspec.json.encode(Question(key=key.id, challenge=challenge, signature=signature, doing=text))


def asked_bytes(challenge: str, doing: str) -> bytes:
    """What a table's signature covers."""
    return PURPOSE_ASK + "\n".join(filter(None, (challenge, doing))).encode()


def doing_of(question: Question) -> Doing | None:
    """What the table that asks does now, None if it does not say; raises BadInput."""
    if not question.doing:
        return None
    try:
        return read_json(question.doing, Doing)
    except Unreadable as error:
        raise BadInput(_("This isn't a table's question. See docs/hall.md.")) from error


def read_question(data: bytes, public_of: PublicOf) -> Question:
    """The question in a message; raises BadInput, or NotAllowed if no enrolled table signed it."""
    question = decode(data, Question)
    check_table(
        public_of, question.key, bytes.fromhex(question.signature), asked_bytes(question.challenge, question.doing)
    )
    return question


def answer_order(key: Key, order: str, said: str) -> bytes:
    """What a table says of a correction."""
    signature = key.sign(PURPOSE_ORDER + canonical_json([order, said]).encode()).hex()
    return msgspec.json.encode(OrderAnswer(key=key.id, order=order, said=said, signature=signature))


def read_order_answer(data: bytes, public_of: PublicOf) -> OrderAnswer:
    """What a table says of a correction, read; raises as `read_question`."""
    answer = decode(data, OrderAnswer)
    content = PURPOSE_ORDER + canonical_json([answer.order, answer.said]).encode()
    check_table(public_of, answer.key, bytes.fromhex(answer.signature), content)
    return answer


def decode(data: bytes, kind: type[Message]) -> Message:
    """What a table says, whoever it is; raises BadInput."""
    unreadable = BadInput(_("This isn't a table's question. See docs/hall.md."))
    if len(data) > MOST_BYTES:
        raise unreadable
    try:
        return read_json(data, kind)
    except Unreadable as error:
        raise unreadable from error


def answer(key: Key, question: Question, errand: Errand) -> Answer:
    """The hub's answer to a question."""
    text = canonical_json(msgspec.to_builtins(errand))
    signature = key.sign(signed_bytes(question.key, question.challenge, text)).hex()
    return Answer(errand=text, public=key.public.hex(), signature=signature)


def read_errand(data: bytes, table: str, challenge: str, pinned: str) -> Errand:
    """What a hub has for a table, from its answer; raises BadInput, or NotAllowed if another hub signed it.

    table       id of the table's key
    challenge   that it had sent
    pinned      id of the hub's key
    """
    unreadable = BadInput(_("The hub gave an answer that nobody can read. Check its address."))
    try:
        answer = read_json(data, Answer)
        public, signature = bytes.fromhex(answer.public), bytes.fromhex(answer.signature)
        errand = read_json(answer.errand, Errand)
    except Unreadable as error:
        raise unreadable from error
    if not pinned or key_id(public) != pinned:
        raise NotAllowed(
            _("Another hub answers at this address, and gets nothing. Check the address, or enrol the table there.")
        )
    check_signature(public, signature, signed_bytes(table, challenge, answer.errand))
    return errand


def signed_bytes(table: str, challenge: str, text: str) -> bytes:
    """What the hub's signature covers."""
    return PURPOSE_ANSWER + canonical_json([table, challenge, text]).encode()
