"""Settings of the house: the name of each setting in the journal, its meaning and its default."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from companion.journal.mending import DELETED as DELETED_NAME
from companion.journal.store import Journal, insert_setting
from companion.words import ENGLISH

T = TypeVar("T")


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One setting, stored as text.

    usual       the value until somebody sets it
    read, write convert from the stored text and to it
    """

    name: str
    usual: T
    read: Callable[[str], T]
    write: Callable[[T], str]

    def of(self, journal: Journal) -> T:
        """The value now."""
        return self.read(journal.setting(self.name, self.write(self.usual)))

    def put(self, journal: Journal, value: T) -> None:
        """Sets the value for good: a restart keeps it."""
        journal.set_setting(self.name, self.write(value))

    def insert(self, db: sqlite3.Connection, value: T) -> None:
        """The same, as a part of a transaction."""
        insert_setting(db, self.name, self.write(value))

    def each(self, key: str) -> "Setting[T]":
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
    return Setting(name, usual, lambda kept: kept == "yes", lambda wanted: "yes" if wanted else "no")


# the house

LANGUAGE = text("language", ENGLISH)  # for devices that ask for no language we have
TABLE_NAME = text("table_name")
SET_UP = switch("set_up")  # somebody has gone through the first set-up
SILENT = switch("silent")  # the box plays no tones
CORRECTIONS = text("corrections", "players")  # who may correct: "players" or "host"
PICTURE_DAYS = number("picture_days", 30)  # how long they are kept: enough to settle who was right last week
CLIPS = switch("clips", usual=True)  # a clip of what comes before a rest is kept beside its picture
KEEP_CORRECTIONS = switch("keep_corrections")  # the camera learns from them
REMEMBER = switch("remember")  # new names become people of the house, as the form was last sent
ENTRANTS = text("entrants")  # of a tournament, one name a line
CLEARED_WALL_US = number("cleared_wall_us")  # when the table was last cleared
CALENDAR = text("calendar")  # the date that was last believed (see companion.journal.calendar)
PAPER = text("paper")  # a name of companion.printing.paper; "" for the system's
CODES_BY_ADDRESS = switch("codes_by_address")  # how the last guest came in: by plain address, or by name
PHONE_CAMERA = text("phone_camera")  # of each camera that is a phone: the ticket of the device that the host allowed
HUB = text("hub")  # where finished games are sent, "" for nowhere
HUB_SINCE_US = number("hub_since")  # wall time at which this table was told of the hub: older games stay at home
HUB_ENROLLED = switch("hub_enrolled")
HUB_PEOPLE = switch("hub_people")  # the hub may know the people of the house, and who they were in its games
HUB_PERSON = text("hub_person")  # of each person: the digest of what the hub was told last
HUB_PIN = text("hub_pin")  # id of the hub's key when this table first met it
MQTT_ID = text("mqtt_id")  # distinguishes this house from others at the same broker

# games

HOLDER = text("holder")  # the game that has camera and box
DELETED = text(DELETED_NAME)  # of each deleted game: "here" while something beside the journal may have it, then "all"
AHEAD_US = number("ahead")  # of each imported game: its time less the house's
KEPT_MARK = text("kept_mark")  # of a player: the symbol and colour that they keep to the end of their game
MAKER = text("maker")  # of each locked game: the device that began it
REFEREE = text("referee", "none")  # of each locked game: the digest of its referee's key

# credentials

SECRET = text("secret")  # signs tickets
PIN = text("pin")  # its hash
WRONG_PINS = text("wrong_pins", "{}")  # address → how many were typed there, and when the next try is allowed
RIGHT_PINS = text("right_pins", "[]")  # addresses where the right PIN was typed, newest last
HUB_KEY = text("hub_key")  # what this table signs with, in hex
HUB_CODE = text("hub_code")  # the last code that it was given
SECRETS = frozenset(each.name for each in (SECRET, PIN, WRONG_PINS, RIGHT_PINS, HUB_KEY, HUB_CODE))
HANDED_OVER = text("handed_over")  # ids of the last link that hands the house over, and of its giver's ticket
LAST_SCANNED = number("last_scanned")  # number of the device that scanned last
CODE = text("code")  # of each door: the token of its code on the wall

# cameras

ACCEPT_DICE = switch("auto_accept", usual=True)  # dice that the camera is sure of are entered without a tap
ACCEPT = switch("auto_accept")  # of each other kind of reading
