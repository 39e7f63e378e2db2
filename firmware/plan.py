"""The devices of a table and their pins, read from `table.toml`. Pins have GPIO numbers, 2 to 27."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from companion.errors import HardwareUnavailable
from companion.game.box import Device
from companion.words import N_, _, listed

HEADER_PINS = range(2, 28)  # GPIO 0 and 1 identify add-on boards.
PULLED_UP_PINS = (2, 3)  # The board itself has their resistors.
SEATS = range(2, 9)
Word = TypeVar("Word", bound=StrEnum)
OTHER_BUTTONS = {
    Device.START: N_("the start button"),
    Device.UNDO: N_("the undo button"),
    Device.CONFIRM: N_("the confirm button"),
}


class Pull(StrEnum):
    """The resting level of a button's pin: "up" for buttons that connect it to ground, "down" for those to 3.3 V."""

    UP = "up"
    DOWN = "down"


class BuzzerKind(StrEnum):
    """A passive buzzer plays any pitch, an active one only its own tone."""

    PASSIVE = "passive"
    ACTIVE = "active"


@dataclass(frozen=True)
class SeatPins:
    """A seat's button and LED."""

    button: int
    led: int


@dataclass(frozen=True)
class BuzzerPin:
    """The buzzer's pin and what kind it is."""

    pin: int
    kind: BuzzerKind = BuzzerKind.PASSIVE


@dataclass(frozen=True)
class StatusPins:
    """The three LEDs of the status light."""

    red: int
    green: int
    blue: int


@dataclass(frozen=True)
class BoxPlan:
    """The devices of one table; seat 1 is the first of `seats`."""

    seats: tuple[SeatPins, ...]
    buttons: tuple[tuple[Device, int], ...] = ()
    buzzer: BuzzerPin | None = None
    status: StatusPins | None = None
    pull: Pull = Pull.UP
    silent: bool = False

    def named_buttons(self) -> Iterator[tuple[str, Device, int | None, int]]:
        """(name, device, seat, pin) of every button."""
        for seat, pins in enumerate(self.seats, start=1):
            yield f"seat-{seat}", Device.SEAT, seat, pins.button
        for device, pin in self.buttons:
            yield str(device), device, None, pin

    def pins(self) -> Iterator[tuple[str, int]]:
        """(use, pin) of every pin, in words for the person who wires it."""
        for seat, pins in enumerate(self.seats, start=1):
            yield _("the button of seat {seat}", seat=seat), pins.button
            yield _("the LED of seat {seat}", seat=seat), pins.led
        for device, pin in self.buttons:
            yield _(OTHER_BUTTONS[device]), pin
        if self.buzzer is not None:
            yield _("the buzzer"), self.buzzer.pin
        if self.status is not None:
            yield _("the status light's red"), self.status.red
            yield _("the status light's green"), self.status.green
            yield _("the status light's blue"), self.status.blue


# What each overlay takes, by the line of config.txt that switches it on. Sixteen pins are nobody else's.
OVERLAYS = {
    "dtparam=spi=on": (7, 8, 9, 10, 11),
    "dtparam=i2c_arm=on": (2, 3),
    "dtoverlay=w1-gpio": (4,),
    "enable_uart=1": (14, 15),
}
# Up to four seats, with all else, need none of those pins; the fifth to the seventh need SPI's, the eighth the serial
# line's. Each LED is on a pin that rests low from power-on: GPIO 2 to 8 are pulled up, and it would glow.
SEAT_PINS = (
    SeatPins(17, 23),
    SeatPins(27, 24),
    SeatPins(22, 25),
    SeatPins(5, 12),
    SeatPins(26, 10),
    SeatPins(8, 9),
    SeatPins(7, 11),
    SeatPins(15, 14),
)


def usual_plan(seats: int) -> BoxPlan:
    """The wiring that `hardware/` describes, for this many seats; the simulated box has it too."""
    return BoxPlan(
        seats=SEAT_PINS[:seats],
        buttons=((Device.START, 6), (Device.UNDO, 13), (Device.CONFIRM, 19)),
        buzzer=BuzzerPin(18),
        status=StatusPins(16, 20, 21),
    )


def overlay_warning(plan: BoxPlan) -> str:
    """A sentence that names the overlays that would take pins of the plan, "" where none would."""
    used = {pin for _use, pin in plan.pins()}
    shared = [
        _("{line} would take GPIO {pins}", line=line, pins=listed(str(pin) for pin in pins if pin in used))
        for line, pins in OVERLAYS.items()
        if used.intersection(pins)
    ]
    if not shared:
        return ""
    return _("In the Pi's config.txt {overlays}: leave that out, or choose other pins.", overlays=listed(shared))


def read_plan(path: Path) -> BoxPlan:
    """The plan in a `table.toml`; raises HardwareUnavailable if it cannot be read or built."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Some editors on Windows begin files with a mark.
    except OSError as error:
        reason = error.strerror or error
        raise HardwareUnavailable(
            _("{name} can't be read ({reason}). Check the path and its permissions.", name=path.name, reason=reason)
        ) from error
    except (ValueError, RecursionError) as error:
        raise HardwareUnavailable(
            _("{name} isn't valid TOML ({error}). Correct that line.", name=path.name, error=error)
        ) from error
    return check_plan(plan_from(data))


def plan_from(data: dict[str, Any]) -> BoxPlan:
    """The plan in the tables of a `table.toml`; raises HardwareUnavailable."""
    check_keys(data, ("box", "seat", "buttons", "buzzer", "status_light"), "table.toml")
    box = table_of(data, "box", ("pull", "silent"))
    seats = data.get("seat", [])
    if not isinstance(seats, list) or not all(isinstance(seat, dict) for seat in seats):
        raise HardwareUnavailable(_("A seat in table.toml isn't written as [[seat]]. Use two brackets on each side."))
    for number, seat in enumerate(seats, start=1):
        check_keys(seat, ("button", "led"), seat_table(number))
    buttons = table_of(data, "buttons", tuple(map(str, OTHER_BUTTONS)))
    buzzer = table_of(data, "buzzer", ("pin", "kind"))
    status = table_of(data, "status_light", ("red", "green", "blue"))
    silent = box.get("silent", False)
    if not isinstance(silent, bool):
        raise HardwareUnavailable(_("silent in [box] must be true or false. Write one of them."))
    return BoxPlan(
        seats=tuple(
            SeatPins(pin_in(seat, "button", seat_table(number)), pin_in(seat, "led", seat_table(number)))
            for number, seat in enumerate(seats, start=1)
        ),
        buttons=tuple((device, pin_in(buttons, device, "[buttons]")) for device in OTHER_BUTTONS if device in buttons),
        buzzer=BuzzerPin(pin_in(buzzer, "pin", "[buzzer]"), word_in(buzzer, "kind", BuzzerKind.PASSIVE))
        if buzzer
        else None,
        status=StatusPins(*(pin_in(status, key, "[status_light]") for key in ("red", "green", "blue")))
        if status
        else None,
        pull=word_in(box, "pull", Pull.UP),
        silent=silent,
    )


def seat_table(number: int) -> str:
    """The name of one seat's table, for a sentence."""
    return _("[[seat]] number {number}", number=number)


def check_plan(plan: BoxPlan) -> BoxPlan:
    """`plan`; raises HardwareUnavailable if it cannot be wired."""
    if len(plan.seats) not in SEATS:
        raise HardwareUnavailable(
            _(
                "table.toml has {n} seats. Give it {first} to {last}, each as a [[seat]].",
                n=len(plan.seats),
                first=SEATS[0],
                last=SEATS[-1],
            )
        )
    users: dict[int, str] = {}
    for user, pin in plan.pins():
        if pin not in HEADER_PINS:
            raise HardwareUnavailable(
                _(
                    "GPIO {pin} for {user} isn't a free pin of the Pi. Choose {first} to {last}.",
                    pin=pin,
                    user=user,
                    first=HEADER_PINS[0],
                    last=HEADER_PINS[-1],
                )
            )
        if pin in users:
            raise HardwareUnavailable(
                _(
                    "GPIO {pin} is used for {user} and for {other}. Give one of them another pin.",
                    pin=pin,
                    user=users[pin],
                    other=user,
                )
            )
        users[pin] = user
    if plan.pull is Pull.DOWN:
        for name, _device, _seat, pin in plan.named_buttons():
            if pin in PULLED_UP_PINS:
                raise HardwareUnavailable(
                    _(
                        'The Pi itself pulls up GPIO {pin} of the button {name}. Use another pin, or pull = "up".',
                        pin=pin,
                        name=name,
                    )
                )
    return plan


def check_keys(table: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    """Raises HardwareUnavailable for an unknown key."""
    for key in table:
        if key not in keys:
            raise HardwareUnavailable(
                _(
                    "{where} has an unknown key {key!r}. Use {names}.",
                    where=where,
                    key=key,
                    names=", ".join(keys),
                )
            )


def table_of(data: dict[str, Any], name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """One table of the file, empty if it is missing; raises HardwareUnavailable."""
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise HardwareUnavailable(_("{name} in table.toml isn't a table. Write it as [{name}].", name=name))
    check_keys(table, keys, f"[{name}]")
    return table


def pin_in(table: dict[str, Any], key: str, where: str) -> int:
    """The number of a pin; raises HardwareUnavailable if it is missing or no number."""
    pin = table.get(key)
    if isinstance(pin, bool) or not isinstance(pin, int):
        trouble = _("is missing") if pin is None else _("is {pin!r}", pin=pin)
        raise HardwareUnavailable(
            _("{key} in {where} {said}. Give the number of a GPIO pin, such as 17.", key=key, where=where, said=trouble)
        )
    return pin


def word_in(table: dict[str, Any], key: str, usual: Word) -> Word:
    """A word of the type of `usual`, which is the default; raises HardwareUnavailable for another word."""
    kind = type(usual)
    try:
        return kind(table.get(key, usual))
    except ValueError:
        words = " or ".join(f'"{word}"' for word in kind)
        raise HardwareUnavailable(
            _("{key} in table.toml is {table!r}. Write {words}.", key=key, table=table[key], words=words)
        ) from None
