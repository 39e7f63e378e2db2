"""The electrical rules that `make hardware` asks of a circuit, from the makers' figures."""

from collections import Counter
from collections.abc import Iterator

from companion.app.cli.wiring.circuit import HIGH, LOW, OHMS, Kind, Part, lines, nets
from firmware.plan import BoxPlan, Pull

PIN_MA, ALL_PINS_MA = 16.0, 50.0  # Raspberry Pi documentation, GPIO: of a pin, and of all of them at 3.3 V
CLAMP_MA = 2.0  # Nobody publishes what a pin's own clamp may carry; most makers of such inputs name 5 mA and more.
LED_MA = (2.0, 20.0)
DRIVER_MA = 500.0  # TBD62783A, one channel
SUPPLY_V = (4.75, 5.25)
DRIVER_DROP_V = (0.0, 0.15)  # across a channel of TBD62783A that carries 20 mA
DRIVER_INPUT_MA = 0.5  # more than TBD62783A's inputs take at 3.3 V
CLAMPED_V = 3.9  # 3.3 V and the clamp's diode
LED_V = {"red": (1.7, 2.3), "yellow": (1.8, 2.4), "green": (1.9, 3.3), "blue": (2.6, 3.3), "white": (2.6, 3.3)}
"""Forward voltage at a few mA, from the least to the greatest of makers' sheets."""
PULLED_UP_AT_START = range(2, 9)  # BCM2711 peripherals, table 94; RP1 keeps it
COIL_OHM = 16  # the least of a buzzer


def troubles(parts: tuple[Part, ...], plan: BoxPlan) -> list[str]:
    """A sentence for each rule that the circuit breaks."""
    return [*joints(parts), *pins(parts, plan), *currents(plan)]


def joints(parts: tuple[Part, ...]) -> Iterator[str]:
    """What is wrong with how pins are joined."""
    for ref, times in Counter(part.ref for part in parts).items():
        if times > 1:
            yield f"{times} parts are called {ref}."
    outputs = {(part.ref, str(pin)) for part in parts if part.kind is Kind.DRIVER for pin in range(11, 19)}
    for net, pins_of in nets(parts).items():
        if len(pins_of) < 2:
            yield f"The net {net} ends at {' '.join(pins_of[0])} and leads nowhere."
        if len(outputs.intersection(pins_of)) > 1:
            yield f"The net {net} has two outputs."
    for part in parts:
        if part.kind in OHMS and len(set(part.pins.values())) < 2:
            yield f"{part.ref} joins {part.pins['1']} to itself."


def pins(parts: tuple[Part, ...], plan: BoxPlan) -> Iterator[str]:
    """What is wrong at the Pi's pins."""
    at = nets(parts)
    kind_of = {part.ref: part for part in parts}
    for position, net in kind_of["J1"].pins.items():
        supply = {"1": LOW, "17": LOW, "2": HIGH, "4": HIGH}.get(position)
        if (net == HIGH) != (supply == HIGH):
            yield f"Position {position} of the header has {net}."
    for line in lines(plan):
        kinds = {kind_of[ref].kind for ref, _pin in at.get(line.pin_net, ())}
        if line.is_button and Kind.PULL_NETWORK not in kinds:
            yield f"{line.pin_net} of a button is not pulled."
        if line.is_button and Kind.KILOHM not in kinds:
            yield f"{line.pin_net} of a button has nothing between it and the cable."
        if not line.is_button and Kind.DRIVER not in kinds:
            yield f"{line.pin_net} drives nothing."
        if not line.is_button and line.gpio in PULLED_UP_AT_START:
            yield f"{line.pin_net} is pulled up from power-on, so {line.net} is on until the service runs."
        far_kinds = {kind_of[ref].kind for ref, _pin in at.get(line.net, ())}
        if not far_kinds & {Kind.SEAT_PLUG, Kind.TABLE_PLUG}:
            yield f"{line.net} has no plug."
        if line.is_button and Kind.TVS not in far_kinds:
            yield f"{line.net} has nothing against static."


def currents(plan: BoxPlan) -> Iterator[str]:
    """What carries too much, or too little to be seen."""
    every = lines(plan)
    kilohm, led_ohm = OHMS[Kind.KILOHM], OHMS[Kind.LED_RESISTOR]
    through_clamp = (SUPPLY_V[1] - CLAMPED_V) / kilohm * 1000
    if through_clamp > CLAMP_MA:
        yield f"5 V on a button's cable drive {through_clamp:.1f} mA into its pin."
    if (shorted := 3300 / kilohm) > PIN_MA:
        yield f"A button's pin that is made an output carries {shorted:.1f} mA."
    outputs = sum(not line.is_button for line in every)
    all_ma = outputs * DRIVER_INPUT_MA + (len(every) - outputs) * 3300 / OHMS[Kind.PULL_NETWORK]
    all_ma += 3300 / OHMS[Kind.RETURN_RESISTOR] if plan.pull is Pull.DOWN else 0  # its cable pinched
    if all_ma > ALL_PINS_MA:
        yield f"All pins together carry {all_ma:.0f} mA at 3.3 V."
    for colour, (least_v, most_v) in LED_V.items():
        least = (SUPPLY_V[0] - DRIVER_DROP_V[1] - most_v) / led_ohm * 1000
        most = (SUPPLY_V[1] - DRIVER_DROP_V[0] - least_v) / led_ohm * 1000
        if least < LED_MA[0] or most > LED_MA[1]:
            yield f"A {colour} LED has {least:.1f} to {most:.1f} mA."
    if (kick := SUPPLY_V[1] / (OHMS[Kind.BUZZER_RESISTOR] + COIL_OHM) * 1000) > DRIVER_MA:
        yield f"The buzzer's driver carries {kick:.0f} mA."
