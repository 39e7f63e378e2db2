"""The Pi's 40-pin header, and the wires that a plan needs on it. The drawings and the test sheet are made from this."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from firmware.plan import BoxPlan, Pull


class Supply(StrEnum):
    """A position of the header that is no GPIO pin."""

    LOW_VOLTS = "3.3 V"
    HIGH_VOLTS = "5 V"
    GROUND = "ground"
    RESERVED = "reserved"  # GPIO 0 and 1 identify add-on boards.


_V3, _V5, _GND, _ID = Supply.LOW_VOLTS, Supply.HIGH_VOLTS, Supply.GROUND, Supply.RESERVED

# Two a row, as one looks at the board with the header in the upper right corner: odd positions left, even ones right.
# Every Raspberry Pi since the Model B+ has it.
ROWS: tuple[tuple[Supply | int, Supply | int], ...] = (
    (_V3, _V5),
    (2, _V5),
    (3, _GND),
    (4, 14),
    (_GND, 15),
    (17, 18),
    (27, _GND),
    (22, 23),
    (_V3, 24),
    (10, _GND),
    (9, 25),
    (11, 8),
    (_GND, 7),
    (_ID, _ID),
    (5, _GND),
    (6, 12),
    (13, _GND),
    (19, 16),
    (26, 20),
    (_GND, 21),
)

HEADER: Mapping[int, Supply | int] = dict(enumerate((what for row in ROWS for what in row), start=1))
"""Position, 1 to 40, → the number of a GPIO pin, or a supply."""
POSITION_OF: Mapping[int, int] = {what: position for position, what in HEADER.items() if isinstance(what, int)}


class Circuit(StrEnum):
    """The parts between a pin and the other end of its wire; `circuit.py` has each of them."""

    BUTTON_TO_GROUND = "1 kohm, button to ground"
    BUTTON_TO_SUPPLY = "1 kohm, button to 3.3 V"
    LED = "driver, 330 ohm, LED, ground"
    BUZZER = "driver, 68 ohm, buzzer, ground"


class Colour(StrEnum):
    """The colour of a wire: one for each purpose, so that a mistake is seen."""

    SEAT_BUTTON = "yellow"
    SEAT_LED = "orange"
    BUTTON = "white"
    BUZZER = "violet"
    RED_LED = "pink"
    GREEN_LED = "green"
    BLUE_LED = "blue"
    GROUND = "black"
    SUPPLY = "red"


@dataclass(frozen=True)
class Wire:
    """One wire from the header to a device."""

    device: str
    gpio: int
    circuit: Circuit
    colour: Colour

    @property
    def position(self) -> int:
        """The position of its pin on the header, 1 to 40."""
        return POSITION_OF[self.gpio]


def wires(plan: BoxPlan) -> Iterator[Wire]:
    """The wires of a plan, in the order in which one would connect them."""
    button = Circuit.BUTTON_TO_GROUND if plan.pull is Pull.UP else Circuit.BUTTON_TO_SUPPLY
    for seat, pins in enumerate(plan.seats, start=1):
        yield Wire(f"seat {seat}: button", pins.button, button, Colour.SEAT_BUTTON)
        yield Wire(f"seat {seat}: LED", pins.led, Circuit.LED, Colour.SEAT_LED)
    for device, pin in plan.buttons:
        yield Wire(f"{device} button", pin, button, Colour.BUTTON)
    if plan.buzzer is not None:
        yield Wire(f"{plan.buzzer.kind} buzzer", plan.buzzer.pin, Circuit.BUZZER, Colour.BUZZER)
    if plan.status is not None:
        yield Wire("status light: red", plan.status.red, Circuit.LED, Colour.RED_LED)
        yield Wire("status light: green", plan.status.green, Circuit.LED, Colour.GREEN_LED)
        yield Wire("status light: blue", plan.status.blue, Circuit.LED, Colour.BLUE_LED)
