"""What a table says of itself at this moment, as it travels over MQTT: one JSON object, signed once it is enrolled.

It is shown and never kept, so it may be forged or old without harm to any game. What an enrolled table's key did not
sign is shown as that.
"""

import datetime
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json, read_value
from companion.ids import Id
from companion.journal import codec
from companion.journal.session import canonical_json
from companion.letters.keys import SIGNATURE_BYTES, Key, PublicOf, check_table
from companion.words import _

MOST_BYTES = 20_000  # 100 seats fill a quarter of it.
YEARS = range(1970, 2200)  # A board without a battery begins at the first of them.
PURPOSE = b"table-companion-live/1\n"  # It is signed, too, so that no signature of anything else counts here.

Short = Annotated[str, Meta(max_length=200)]
Count = Annotated[int, Meta(ge=0, le=codec.LARGEST)]
Points = Annotated[int, Meta(ge=-codec.LARGEST, le=codec.LARGEST)]


class Seat(msgspec.Struct, frozen=True):
    """Somebody at the table: "seat 1", or a name if the table's host lets names go out."""

    player: Short
    points: Points
    turn: bool = False


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one table. Newer tables may say more.

    session, game   None while no game is active; the session is veiled (`offer.veil_session`), but for older tables
    over            whether its rules or its players ended the game
    until           until when this holds, by the table's clock (ISO 8601 with an offset)
    at              when it was said, likewise; "" from older tables
    sure            whether the table's clock can be believed
    clock           when the running clock shows zero, likewise; None while none runs
    asks            how many questions of the camera wait for a person
    began           when the game was begun, likewise; "" for no game, and from older tables
    calls           since when the table calls the hall's staff, likewise; "" if it does not
    left            whether the table ends now, or leaves this hub
    key, signature  "" for a table that is not enrolled
    """

    session: Id | None
    game: Short | None
    entry: Count
    over: bool
    seats: Annotated[tuple[Seat, ...], Meta(max_length=100)]
    until: Annotated[str, Meta(max_length=40)]
    at: Annotated[str, Meta(max_length=40)] = ""
    sure: bool = True
    clock: Annotated[str, Meta(max_length=40)] | None = None
    asks: Count = 0
    began: Annotated[str, Meta(max_length=40)] = ""
    calls: Annotated[str, Meta(max_length=40)] = ""
    left: bool = False
    waiting: Count = 0
    refused: Count = 0
    name: Short = ""
    key: Annotated[str, Meta(pattern=r"\A([0-9a-f]{64})?\Z", max_length=64)] = ""
    signature: Annotated[str, Meta(max_length=2 * SIGNATURE_BYTES)] = ""


def sign_report(key: Key, state: Mapping[str, Any]) -> dict[str, Any]:
    """A state with the table's key and its signature."""
    with_key = {**state, "key": key.id}
    return {**with_key, "signature": key.sign(signed_bytes(with_key)).hex()}


def signed_bytes(state: Mapping[str, Any]) -> bytes:
    """What the signature of a state covers: all of it but the signature."""
    unsigned = {name: value for name, value in state.items() if name != "signature"}
    return PURPOSE + canonical_json(unsigned).encode()


def read_report(data: bytes, public_of: PublicOf) -> Report:
    """The state in a message; raises BadInput for anything else, and NotAllowed where its signature does not hold."""
    if len(data) > MOST_BYTES:
        raise BadInput(_("A table's message is too long. Update its companion."))
    try:
        state = read_json(data)
        report = read_value(state, Report)
        for moment in filter(None, (report.until, report.at, report.clock, report.began, report.calls)):
            wall_us_of(moment)
        signature = bytes.fromhex(report.signature)
    except (Unreadable, ValueError, OverflowError) as error:
        raise BadInput(_("A table's message can't be understood. Update its companion.")) from error
    if report.key or report.signature:
        check_table(public_of, report.key, signature, signed_bytes(state))
    return report


def wall_us_of(moment: str) -> int:
    """The wall time of a moment in ISO 8601 with an offset; raises ValueError, also for one that no clock shows."""
    when = datetime.datetime.fromisoformat(moment)
    if when.tzinfo is None or when.year not in YEARS:
        raise ValueError("no moment of a game")
    return round(when.timestamp() * 1_000_000)
