"""What flows in the circuit, by ngspice: each colour of light, each buzzer, and what goes wrong with plugs and cables.

`make simulate` runs every case of CASES on the circuit of the example and writes the table in schematic/README.md. The
parts are models by their makers' figures; no real part was measured.
"""

import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from companion.app.cli.wiring.circuit import BOARD, HIGH, LOW, OHMS, PI, Kind, Part, circuit, lines
from firmware.plan import BoxPlan, read_plan
from hardware.tools.bill import EXAMPLE
from hardware.tools.documents import between
from hardware.tools.rules import ALL_PINS_MA, DRIVER_MA, LED_MA, LED_V, PIN_MA, PULLED_UP_AT_START, SUPPLY_V

PAGE = Path(__file__).parents[1] / "schematic/README.md"
LONG_MS, STEP_US = 6, 5
DARK_MA = 0.01  # A light that has less cannot be seen to shine.
CABLE = {"ohm": 0.45, "henry": 3.5e-6, "farad": 500e-12}  # 5 m of network cable, one wire: lengths.py wants no more
PIN_OHM = 40  # an output of the Pi
PULL_OHM = 50_000  # the Pi's own, from power-on
MODELS = """
.model clamp D(Is=1e-14 Rs=20)
.model tvs D(Is=1e-12 BV=6.8 Rs=0.05 Cjo=2n)
.model kick D(Is=1e-12 Rs=1)
.model on SW(Ron=5 Roff=1e7 Vt=1.3 Vh=0.1)
"""
DRIVER = """
.subckt channel in out ground rail
R1 in ground 20k
S1 rail out in ground on
D1 ground out kick
.ends
"""


@dataclass(frozen=True)
class Case:
    """One state of the box.

    supply_v    at the Pi's 5 V
    led_v       forward voltage at 5 mA, of the seats' LEDs and of the status light's red, green, blue
    lit         whether the service has every light on; None: it does not run, and each pin rests at its own pull
    buzzer_ohm  of its coil while it plays 2 kHz; 0: a piezo of 20 nF; None: it is silent
    shorts      pairs of contacts of seat 1's cable that touch
    raw         whether 5 V itself touches the line of that button
    bounces     whether the button of seat 1 is being pressed, and bounces
    dark        how many lights cannot shine, as their line is shorted
    static_v    to which a finger is charged that touches the line of that button
    """

    name: str
    supply_v: float = 5.0
    led_v: tuple[float, float, float, float] = (2.0, 2.0, 3.0, 3.0)
    lit: bool | None = True
    buzzer_ohm: float | None = None
    shorts: tuple[tuple[int, int], ...] = ()
    raw: bool = False
    bounces: bool = False
    dark: int = 0
    static_v: float = 0.0


def colours() -> Iterator[Case]:
    """Each colour at its seat, from its dimmest corner to its brightest."""
    for name, (least, most) in LED_V.items():
        yield Case(f"{name} light, dimmest", SUPPLY_V[0], (most,) * 4)
        yield Case(f"{name} light, brightest", SUPPLY_V[1], (least,) * 4)


CONTACTS = ("light", "button", "ground")
CASES = (
    *colours(),
    *(Case(f"buzzer of {ohm} Ω, all lights on", buzzer_ohm=ohm) for ohm in (16, 42)),
    Case("piezo buzzer, all lights on", buzzer_ohm=0),
    *(
        Case(
            f"{CONTACTS[one]} touches {CONTACTS[other]} ({why})",
            SUPPLY_V[1],
            shorts=((one, other),),
            dark=int((one, other) == (0, 2)),
        )
        for one, other in combinations(range(3), 2)
        for why in ("plug half in" if other == one + 1 else "cable pinched",)
    ),
    Case("all three contacts touch", SUPPLY_V[1], shorts=((0, 1), (1, 2)), dark=1),
    Case("5 V of the header touches the button's line", SUPPLY_V[1], raw=True),
    Case("5 m of cable, the button bounces", bounces=True),
    Case("power-on, the service does not run yet", SUPPLY_V[1], lit=None),
    Case("a finger charged to 8 kV touches the button's line", static_v=8000),
)


def deck(parts: tuple[Part, ...], plan: BoxPlan, case: Case) -> tuple[str, dict[str, list[str]]]:
    """The case for ngspice; and the names of the currents to ask for: of "pins", "lights" and "drivers"."""
    text = [f"* {case.name}", MODELS, DRIVER, f"V5 5V 0 {case.supply_v}", "V33 3V3 0 3.3"]
    asked: dict[str, list[str]] = {"pins": [], "lights": [], "drivers": []}
    for line in lines(plan):
        text += pin(line.pin_net, line.gpio, drive(case, line.net, line.is_button))
        asked["pins"].append(f"V{line.pin_net}")
    leds = iter(range(100))
    for part in parts:
        places = dict(part.pins)
        if part.at not in (BOARD, PI):
            places = {leg: f"{net}@{part.at[-1]}" for leg, net in part.pins.items()}
        two = list(places.values())
        match part.kind:
            case Kind.DRIVER:
                for leg in range(1, 9):
                    if str(leg) in places:
                        sense = f"VO{part.ref}{leg}"
                        text.append(f"X{part.ref}{leg} {places[str(leg)]} o{part.ref}{leg} GND {HIGH} channel")
                        text.append(f"{sense} {places[str(19 - leg)]} o{part.ref}{leg} 0")
                        asked["drivers"].append(sense)
            case Kind.PULL_NETWORK:
                pulled = [(leg, net) for leg, net in places.items() if leg != "1"]
                text += [f"R{part.ref}{leg} {places['1']} {net} {OHMS[part.kind]}" for leg, net in pulled]
            case kind if kind in OHMS:
                text.append(f"{part.ref} {two[0]} {two[1]} {OHMS[kind]}")
            case Kind.TVS:
                text += [f"D{part.ref}a m{part.ref} {two[0]} tvs", f"D{part.ref}b m{part.ref} {two[1]} tvs"]
            case Kind.SEAT_PLUG | Kind.TABLE_PLUG:
                for net in part.pins.values():
                    far = f"{net}@{place_of(part, parts)}"
                    text.append(f"R{part.ref}{net} {net} w{far} {CABLE['ohm']}")
                    text.append(f"L{part.ref}{net} w{far} {far} {CABLE['henry']}")
                    text.append(f"C{part.ref}{net} {far} GND {CABLE['farad']}")
            case Kind.LED | Kind.STATUS_LED:
                for leg, net in list(places.items())[:-1]:
                    number, volts = next(leds), case.led_v["ARGB".index(leg)]
                    text.append(led(number, net, places["K"], volts))
                    asked["lights"].append(f"VL{number}")
            case Kind.SEAT_BUTTON | Kind.OTHER_BUTTON:
                bounces = case.bounces and part.ref == "S1"
                text += bounce(part.ref, *two) if bounces else [f"R{part.ref} {two[0]} {two[1]} 1e9"]
            case Kind.BUZZER:
                inside = f"{case.buzzer_ohm or 42}" if case.buzzer_ohm != 0 else ""
                text += (
                    [f"RBZ {two[0]} zz {inside}", f"LBZ zz {two[1]} 1m"] if inside else [f"CBZ {two[0]} {two[1]} 20n"]
                )
    contacts = list(next(part for part in parts if part.kind is Kind.SEAT_PLUG).pins.values())
    text += [f"Rshort{a}{b} {contacts[a]}@1 {contacts[b]}@1 0.05" for a, b in case.shorts]
    if case.raw:
        text.append(f"Rraw {HIGH} SEAT1_BUTTON@1 0.05")
    if case.static_v:
        text += [
            f"Cfinger ff GND 150p IC={case.static_v:g}",
            "Sfinger ff fg tt 0 touch",
            "Rfinger fg SEAT1_BUTTON 330",
        ]
        text += ["Vtouch tt 0 PULSE(0 1 1m 1n 1n 10m 20m)", ".model touch SW(Ron=0.1 Roff=1e12 Vt=0.5)"]
    return "\n".join(text), asked


def place_of(plug: Part, parts: tuple[Part, ...]) -> str:
    """The end of the cable of a plug: that of the device on its second contact."""
    return next(part.at[-1] for part in parts if part.at not in (BOARD, PI) and plug.pins["1"] in part.pins.values())


def drive(case: Case, net: str, is_button: bool) -> str | None:
    """What a pin is made to do: a level or a wave, None for an input."""
    if is_button or case.lit is None:
        return None
    if net == "BUZZER":
        return "PULSE(0 3.3 0 100n 100n 250u 500u)" if case.buzzer_ohm is not None else "0"
    return "3.3" if case.lit else "0"


def pin(net: str, gpio: int, driven: str | None) -> list[str]:
    """A pin of the Pi with its clamps, and its pull or what it drives."""
    inside = f"p{gpio}"
    text = [f"V{net} {net} {inside} 0", f"DU{gpio} {inside} {LOW} clamp", f"DD{gpio} 0 {inside} clamp"]
    if driven is None:
        return [*text, f"RP{gpio} {inside} {LOW if gpio in PULLED_UP_AT_START else 0} {PULL_OHM}"]
    return [*text, f"VD{gpio} q{gpio} 0 {driven}", f"RD{gpio} q{gpio} {inside} {PIN_OHM}"]


def led(number: int, anode: str, cathode: str, volts: float) -> str:
    """An LED with this forward voltage at 5 mA."""
    saturation = 5e-3 / math.exp((volts - 0.05) / (3 * 0.02585))
    model = f".model led{number} D(Is={saturation:.4g} N=3 Rs=10)"
    return f"{model}\nVL{number} {anode} a{number} 0\nDL{number} a{number} {cathode} led{number}"


def bounce(ref: str, one: str, other: str) -> list[str]:
    """A contact that opens and closes every 100 µs for a millisecond and then stays closed."""
    wave = " ".join(f"{1e-3 + step * 1e-4 + rise:.7f} {step % 2}" for step in range(11) for rise in (-1e-8, 1e-8)[1:])
    return [
        f"V{ref}c {ref}c 0 PWL(0 0 {wave} 6e-3 0)",
        f"S{ref} {one} {other} {ref}c 0 contact",
        ".model contact SW(Ron=0.05 Roff=1e9 Vt=0.5)",
    ]


@dataclass(frozen=True)
class Figures:
    """Currents in mA: the greatest of any pin, of all pins and pulls at 3.3 V, the lights' at the end, a driver's."""

    pin_ma: float
    all_ma: float
    lights_ma: tuple[float, float] = field(default=(0.0, 0.0))
    driver_ma: float = 0.0


def run(text: str, asked: Mapping[str, list[str]], dark: int = 0) -> Figures:
    """Simulates a deck; `dark` lights are left out of the least."""
    currents = [name.lower() for names in asked.values() for name in names]
    let = [f"print vecmax(abs(i({name}))) i({name})[length(i({name}))-1]" for name in currents]
    together = "+".join(f"abs(i({name.lower()}))" for name in asked["pins"]) + "+abs(i(v33))"
    commands = [f"tran {STEP_US}u {LONG_MS}m uic", *let, f"print vecmax({together})", "quit"]
    source = "\n".join((text, ".options method=gear reltol=1e-3", ".control", *commands, ".endc", ".end", ""))
    done = subprocess.run(
        ["ngspice", "-b", "/dev/stdin"], input=source, capture_output=True, text=True, timeout=120, check=False
    )
    values = [float(found) for found in re.findall(r"^(?:vecmax|i)\(.*= ([-+.\deE]+)\s*$", done.stdout, re.MULTILINE)]
    if len(values) != 2 * len(currents) + 1:
        raise RuntimeError(f"ngspice gave {len(values)} figures: {done.stdout[-600:]} {done.stderr[-600:]}")
    most = {name: abs(value) * 1000 for name, value in zip(currents, values[0:-1:2], strict=True)}
    last = {name: value * 1000 for name, value in zip(currents, values[1:-1:2], strict=True)}
    pins, lights, drivers = ([name.lower() for name in asked[key]] for key in ("pins", "lights", "drivers"))
    return Figures(
        pin_ma=max(most[name] for name in pins),
        all_ma=values[-1] * 1000,
        lights_ma=(sorted(last[name] for name in lights)[dark], max(last[name] for name in lights)),
        driver_ma=max((most[name] for name in drivers), default=0.0),
    )


def straight(volts: float) -> tuple[str, dict[str, list[str]]]:
    """A light between a pin of 3.3 V and ground, as it is not built."""
    text = ["* straight", MODELS, "V33 3V3 0 3.3", *pin("GPIO17", 17, "3.3"), f"R1 GPIO17 l {OHMS[Kind.LED_RESISTOR]}"]
    return "\n".join((*text, led(0, "l", "0", volts))), {"pins": ["VGPIO17"], "lights": ["VL0"], "drivers": []}


def troubles(case: Case, figures: Figures) -> list[str]:
    """A sentence for each limit that a case breaks."""
    least, most = figures.lights_ma
    found = []
    if figures.pin_ma > PIN_MA:
        found.append(f"{case.name}: a pin has {figures.pin_ma:.1f} mA.")
    if figures.all_ma > ALL_PINS_MA:
        found.append(f"{case.name}: all pins have {figures.all_ma:.1f} mA.")
    if figures.driver_ma > DRIVER_MA:
        found.append(f"{case.name}: a driver has {figures.driver_ma:.0f} mA.")
    if most > LED_MA[1] or (case.lit and least < LED_MA[0]):
        found.append(f"{case.name}: a light has {least:.1f} to {most:.1f} mA.")
    if case.lit is None and most > DARK_MA:
        found.append(f"{case.name}: a light glows at {most:.2f} mA.")
    return found


def simulated() -> dict[str, Figures]:
    """Name of each case → what flows in it."""
    plan = read_plan(EXAMPLE)
    parts = circuit(plan)
    figures = {case.name: run(*deck(parts, plan, case), case.dark) for case in CASES}
    for name, (_least, most) in LED_V.items():
        figures[f"{name} light straight at a pin of 3.3 V, dimmest (not built)"] = run(*straight(most))
    return figures


def table(figures: Mapping[str, Figures]) -> str:
    """The cases for schematic/README.md."""
    limits = f"| **limit** | {PIN_MA:g} | {ALL_PINS_MA:g} | {LED_MA[0]:g} to {LED_MA[1]:g} | {DRIVER_MA:g} |"
    lines_ = ["| case | a pin | all pins | a light | a driver |", "| --- | --- | --- | --- | --- |", limits]
    for name, each in figures.items():
        least, most = each.lights_ma
        light = "dark" if most < DARK_MA else f"{least:.1f} to {most:.1f}"
        lines_.append(f"| {name} | {each.pin_ma:.1f} | {each.all_ma:.1f} | {light} | {each.driver_ma:.0f} |")
    return "\n".join(lines_) + "\n"


def main() -> None:
    if shutil.which("ngspice") is None:
        sys.exit("ngspice is missing: sudo apt-get install ngspice")
    figures = simulated()
    PAGE.write_text(between("cases", PAGE.read_text(), table(figures)))
    if found := [trouble for case in CASES for trouble in troubles(case, figures[case.name])]:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
