"""The circuit of a box: its parts, and the nets that join their pins. Made from the plan that the firmware reads.

All that protects a pin is on one board beside the Pi, so that a pinched cable meets a resistor first; no cable has 5 V:

GPIO ── driver, from 5 V ── 330 Ω ── cable ── LED ── ground
GPIO ─┬─ 1 kΩ ─┬─ cable ── button ── ground
    10 kΩ     TVS
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from companion.app.cli.wiring.header import HEADER, Supply
from firmware.plan import BoxPlan, Pull

HIGH, LOW, GROUND, RETURN = "5V", "3V3", "GND", "RTN"
SUPPLY_NETS = {Supply.LOW_VOLTS: LOW, Supply.HIGH_VOLTS: HIGH, Supply.GROUND: GROUND}
CHANNELS = 8  # A driver has so many, and a resistor network.
BOARD, TABLE_BOX, PI = "board", "the table's box", "the Pi"


class Kind(StrEnum):
    """What a part is, with its value: the name by which a list of parts asks for it."""

    PI = "Raspberry Pi"
    DRIVER = "TBD62783APG"
    LED_RESISTOR = "330 ohm"
    KILOHM = "1 kohm"
    BUZZER_RESISTOR = "68 ohm"
    RETURN_RESISTOR = "220 ohm"
    PULL_NETWORK = "8 x 10 kohm"
    TVS = "P6KE6.8CA"
    SEAT_PLUG = "seat plug"
    TABLE_PLUG = "table plug"
    LED = "LED"
    STATUS_LED = "RGB LED"
    SEAT_BUTTON = "seat button"
    OTHER_BUTTON = "other button"
    BUZZER = "buzzer"


OHMS = {
    Kind.LED_RESISTOR: 330,
    Kind.KILOHM: 1_000,
    Kind.BUZZER_RESISTOR: 68,
    Kind.RETURN_RESISTOR: 220,
    Kind.PULL_NETWORK: 10_000,
}


@dataclass(frozen=True)
class Part:
    """One part: `pins` names the net of each pin, `at` where it is."""

    ref: str
    kind: Kind
    pins: Mapping[str, str]
    at: str = BOARD


@dataclass(frozen=True)
class Line:
    """What hangs on one GPIO pin: `net` is its cable's."""

    gpio: int
    net: str
    at: str
    is_button: bool

    @property
    def pin_net(self) -> str:
        return f"GPIO{self.gpio}"


def lines(plan: BoxPlan) -> tuple[Line, ...]:
    """Every line that leaves the board: buttons, then lights, then the buzzer."""
    seats = list(enumerate(plan.seats, start=1))
    buttons = [Line(pins.button, f"SEAT{seat}_BUTTON", f"seat {seat}", True) for seat, pins in seats]
    buttons += [Line(pin, device.upper(), TABLE_BOX, True) for device, pin in plan.buttons]
    outputs = [Line(pins.led, f"SEAT{seat}_LED", f"seat {seat}", False) for seat, pins in seats]
    if plan.status is not None:
        outputs += [Line(pin, name.upper(), TABLE_BOX, False) for name, pin in vars(plan.status).items()]
    if plan.buzzer is not None:
        outputs.append(Line(plan.buzzer.pin, "BUZZER", TABLE_BOX, False))
    return (*buttons, *outputs)


def circuit(plan: BoxPlan) -> tuple[Part, ...]:
    """All parts of the box of this plan, in the order in which they are soldered."""
    every = lines(plan)
    buttons = [line for line in every if line.is_button]
    outputs = [line for line in every if not line.is_button]
    at_rest = LOW if plan.pull is Pull.UP else GROUND
    numbers = count(1)
    parts = [Part("J1", Kind.PI, header_pins(every), PI)]
    if plan.pull is Pull.DOWN:  # A cable that is pinched must not short the Pi's 3.3 V.
        parts.append(Part(f"R{next(numbers)}", Kind.RETURN_RESISTOR, {"1": LOW, "2": RETURN}))
    for number, channel in enumerate(eights(outputs), start=1):
        parts.append(Part(f"U{number}", Kind.DRIVER, driver_pins(channel)))
    for number, group in enumerate(eights(buttons), start=1):
        pulled = {str(pin): line.pin_net for pin, line in enumerate(group, start=2)}
        parts.append(Part(f"RN{number}", Kind.PULL_NETWORK, {"1": at_rest} | pulled))
    for number, line in enumerate(buttons, start=1):
        parts.append(Part(f"R{next(numbers)}", Kind.KILOHM, {"1": line.pin_net, "2": line.net}))
        parts.append(Part(f"D{number}", Kind.TVS, {"1": line.net, "2": GROUND}))
    for line in outputs:
        kind = Kind.BUZZER_RESISTOR if line.net == "BUZZER" else Kind.LED_RESISTOR
        parts.append(Part(f"R{next(numbers)}", kind, {"1": f"{line.net}_OUT", "2": line.net}))
    if plan.buzzer is not None:  # It lets a piezo's charge go.
        parts.append(Part(f"R{next(numbers)}", Kind.KILOHM, {"1": "BUZZER", "2": GROUND}))
    return (*parts, *plugs(plan, every), *devices(plan))


def header_pins(every: tuple[Line, ...]) -> Mapping[str, str]:
    """Position on the Pi's header → net, of the positions that are used."""
    used = {line.gpio: line.pin_net for line in every}
    nets = ((at, used.get(what) if isinstance(what, int) else SUPPLY_NETS.get(what)) for at, what in HEADER.items())
    return {str(position): net for position, net in nets if net is not None}


def eights(every: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """As many lines as a driver or a network has, again and again."""
    yield from (every[first : first + CHANNELS] for first in range(0, len(every), CHANNELS))


def driver_pins(channel: Sequence[Line]) -> Mapping[str, str]:
    """The pins of a TBD62783APG: inputs 1 to 8, outputs 18 to 11, supply 9, ground 10."""
    inputs = {str(pin): line.pin_net for pin, line in enumerate(channel, start=1)}
    outputs = {str(19 - pin): f"{line.net}_OUT" for pin, line in enumerate(channel, start=1)}
    return inputs | {"9": HIGH, "10": GROUND} | outputs


def plugs(plan: BoxPlan, every: tuple[Line, ...]) -> Iterator[Part]:
    """The plugs of the cables: light, button, ground for each seat; the table's box has one, too."""
    places = dict.fromkeys(line.at for line in every if line.at != TABLE_BOX)
    named = [(at, Kind.SEAT_PLUG, f"J{number}") for number, at in enumerate(places, start=3)]
    if any(line.at == TABLE_BOX for line in every):
        named.append((TABLE_BOX, Kind.TABLE_PLUG, "J2"))
    for at, kind, ref in named:
        here = sorted((line for line in every if line.at == at), key=lambda line: line.is_button)
        contacts = dict.fromkeys((*(line.net for line in here), GROUND, back(plan)))
        yield Part(ref, kind, {str(pin): net for pin, net in enumerate(contacts, start=1)})


def devices(plan: BoxPlan) -> Iterator[Part]:
    """What people press, see and hear, in its boxes."""
    for seat in range(1, len(plan.seats) + 1):
        yield Part(f"S{seat}", Kind.SEAT_BUTTON, {"1": f"SEAT{seat}_BUTTON", "2": back(plan)}, f"seat {seat}")
        yield Part(f"LED{seat}", Kind.LED, {"A": f"SEAT{seat}_LED", "K": GROUND}, f"seat {seat}")
    for number, (device, _pin) in enumerate(plan.buttons, start=len(plan.seats) + 1):
        yield Part(f"S{number}", Kind.OTHER_BUTTON, {"1": device.upper(), "2": back(plan)}, TABLE_BOX)
    if plan.status is not None:
        legs = {"R": "RED", "G": "GREEN", "B": "BLUE", "K": GROUND}
        yield Part("LED0", Kind.STATUS_LED, legs, TABLE_BOX)
    if plan.buzzer is not None:
        yield Part("BZ1", Kind.BUZZER, {"+": "BUZZER", "-": GROUND}, TABLE_BOX)


def back(plan: BoxPlan) -> str:
    """The net to which a button connects its line."""
    return GROUND if plan.pull is Pull.UP else RETURN


def nets(parts: tuple[Part, ...]) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Net → its (part, pin) pairs."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part in parts:
        for pin, net in part.pins.items():
            found.setdefault(net, []).append((part.ref, pin))
    return {net: tuple(pins) for net, pins in found.items()}


def netlist(parts: tuple[Part, ...]) -> str:
    """The circuit as a netlist in the form of KiCad's, without footprints."""
    components = "\n".join(f'    (comp (ref "{part.ref}") (value "{part.kind}"))' for part in parts)
    joined = "\n".join(
        f'    (net (code "{code}") (name "{net}")'
        + "".join(f'\n      (node (ref "{ref}") (pin "{pin}"))' for ref, pin in pins)
        + ")"
        for code, (net, pins) in enumerate(nets(parts).items(), start=1)
    )
    return f'(export (version "E")\n  (components\n{components})\n  (nets\n{joined}))\n'
