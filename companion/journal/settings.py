"""Settings of the house: the name of each setting in the journal, its meaning and its default."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from companion.journal.mending import DELETED as DELETED_NAME
from companion.journal.mending import HOUSE as HOUSE_NAME
from companion.journal.store import Journal, insert_setting
from companion.words import ENGLISH

T = TypeVar("T")


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One setting, stored as text.

    usual           the value until somebody sets it
    parse, write    convert from the stored text and to it
    """

    name: str
    usual: T
    parse: Callable[[str], T]
    write: Callable[[T], str]

    def of(self, journal: Journal) -> T:
        """The value now."""
        return self.parse(journal.setting(self.name, self.write(self.usual)))

    def put(self, journal: Journal, value: T) -> None:
        """Sets the value for good: a restart keeps it."""
        journal.set_setting(self.name, self.write(value))

    def insert(self, db: sqlite3.Connection, value: T) -> None:
        """The same, as a part of a transaction."""
        insert_setting(db, self.name, self.write(value))

    def for_key(self, key: str) -> "Setting[T]":
        """The same setting for one game, one kind of reading or one door."""
        return replace(self, name=f"{self.name}:{key}")


def text(name: str, usual: str = "") -> Setting[str]:
    """A setting that is a text."""
    return Setting(name, usual, str, str)


def number(name: str, usual: int = 0) -> Setting[int]:
    """A setting that is a whole number."""
    return Setting(name, usual, int, str)


def switch(name: str, *, usual: bool = False) -> Setting[bool]:
    """A setting that is on or off."""
    return Setting(name, usual, lambda stored: stored == "yes", lambda wanted: "yes" if wanted else "no")


# the house

HOUSE = text(HOUSE_NAME)  # It is made once, and tells this house's copies from those of others.

LANGUAGE = text("language", ENGLISH)  # Devices that ask for no language we have get this one.
TABLE_NAME = text("table_name")
SET_UP = switch("set_up")  # Somebody has gone through the first set-up.
SILENT = switch("silent")  # The box plays no tones.
CORRECTIONS = text("corrections", "players")  # "players" or "host" may correct.
PICTURE_DAYS = number("picture_days", 30)  # Pictures stay so long that people can settle who was right last week.
SLEEPS = switch("sleeps", usual=True)  # Cameras and lights go off while nobody plays.
CLIPS = switch("clips", usual=True)  # A picture has a clip of what comes before its rest.
KEEP_CORRECTIONS = switch("keep_corrections")  # The camera may learn from them.
REMEMBER = switch("remember")  # New names become people of the house, as the form was last sent.
ENTRANTS = text("entrants")  # A tournament has one name a line.
OWN_RULES = text("own_rules")  # A line each: what the address of a set-up with these rules says, "#", their name.
CLEARED_WALL_US = number("cleared_wall_us")  # The table was last cleared then.
CALENDAR = text("calendar")  # This date was believed last (see companion.journal.calendar).
PAPER = text("paper")  # It is a name of companion.printing.paper, "" for the system's.
CODES_BY_ADDRESS = switch("codes_by_address")  # The last guest came by plain address, not by name.
PHONE_CAMERA = text("phone_camera")  # Each camera that is a phone has the ticket of the device that the host allowed.
HUB = text("hub")  # Finished games go there, "" for nowhere.
HUB_SINCE_US = number("hub_since")  # This table has known the hub since this wall time: older games stay at home.
HUB_SINCE_TABLE_US = number("hub_since_table")  # Likewise by table time, which nobody sets; 0: unknown.
HUB_ENROLLED = switch("hub_enrolled")
HUB_PEOPLE = switch("hub_people")  # The hub may know the people of the house, and who they were in its games.
HUB_PERSON = text("hub_person")  # Each person has the digest of what the hub was told last.
HUB_ASKED = number("hub_asked")  # This table has asked its hub fewer questions than this.
HUB_PIN = text("hub_pin")  # The hub's key had this id when this table first met it.
MQTT_ID = text("mqtt_id")  # It tells this house from others at the same broker.

# games

HOLDER = text("holder")  # This game has camera and box.
DELETED = text(DELETED_NAME)  # A deleted game has "here" while something beside the journal may have it, then "all".
AHEAD_US = number("ahead")  # Each imported game has its time less the house's.
KEPT_MARK = text("kept_mark")  # A player has the symbol and colour that they keep to the end of their game.
FACE = text("face")  # Each person who has a face has the name of a drawing, or the digest of their photo.
FACE_PHOTO = text("face_photo")  # Each of these photos is a JPEG in base64.
MAKER = text("maker")  # Each locked game has the device that began it.
REFEREE = text("referee", "none")  # Each locked game has the digest of its referee's key.

# credentials

SECRET = text("secret")  # Tickets are signed with it.
PIN = text("pin")  # It is the hash of the PIN.
WRONG_PINS = text("wrong_pins", "{}")  # Each address has how many were typed there, and when the next try is allowed.
RIGHT_PINS = text("right_pins", "[]")  # The right PIN was typed at these addresses, the newest comes last.
HUB_KEY = text("hub_key")  # This table signs with it; it is in hex.
HUB_CODE = text("hub_code")  # The hub gave it last.
SECRETS = frozenset(setting.name for setting in (SECRET, PIN, WRONG_PINS, RIGHT_PINS, HUB_KEY, HUB_CODE))
HANDED_OVER = text("handed_over")  # The last link that hands the house over and its giver's ticket have these ids.
LAST_SCANNED = number("last_scanned")  # The device that scanned last has this number.
CODE = text("code")  # Each door has the token of its code on the wall.

# cameras

ACCEPT_DICE = switch("auto_accept", usual=True)  # Dice that the camera is sure of are entered without a tap.
ACCEPT = switch("auto_accept")  # Each other kind of reading has its own.
