"""The button box as a game sees it: signals of its buttons, its phase and its lights."""

from dataclasses import dataclass
from enum import StrEnum

from companion.words import N_, _


class Device(StrEnum):
    """The purpose of a button."""

    SEAT = "seat"
    START = "start"
    UNDO = "undo"
    CONFIRM = "confirm"


LABELS = {Device.START: N_("Start"), Device.UNDO: N_("Undo"), Device.CONFIRM: N_("Confirm")}


def label_of(device: Device, seat: int | None) -> str:
    """The name of a button: "Seat 2", "Undo"."""
    return _("Seat {seat}", seat=seat) if device is Device.SEAT else _(LABELS[device])


@dataclass(frozen=True)
class Signal:
    """A button was pressed or released.

    pressed     True for a press, False for a release
    seat        1, 2, … for a seat's button, otherwise None
    at_us       table time of the kernel's edge stamp
    trace       (contact closed, table time) of each raw edge around it, chatter included; stored as evidence
    """

    device: Device
    pressed: bool
    at_us: int
    seat: int | None = None
    trace: tuple[tuple[bool, int], ...] = ()


class Light(StrEnum):
    """A state of a seat's LED: SLOW blinks once a second (your move), FAST four times (hurry, or answer)."""

    OFF = "off"
    ON = "on"
    SLOW = "slow"
    FAST = "fast"


class Phase(StrEnum):
    """A state of play that the box shows; its sounds and the status light are data in firmware/signs.toml."""

    WAITING = "waiting"
    COUNTDOWN = "countdown"
    RUNNING = "running"
    LAST_SECONDS = "last_seconds"
    PAUSED = "paused"
    FINISHED = "finished"
    WRONG = "wrong"
    ASK = "ask"
    LAST_TURN = "last_turn"
    OVER = "over"
    ASLEEP = "asleep"

    @property
    def in_round(self) -> bool:
        """Whether time counts, so that a hand may rest on its button."""
        return self in (Phase.COUNTDOWN, Phase.RUNNING, Phase.LAST_SECONDS)


@dataclass(frozen=True)
class BoxLook:
    """The box's appearance: the phase, and one light for each seat in seat order."""

    phase: Phase
    lights: tuple[Light, ...]
