"""The wiring of one table as a drawing in millimetres, made from the plan that the firmware reads, so the two agree.

The header stands in the middle as one looks at it. Each device is drawn at the height of its pin: odd positions to the
left, even ones to the right, so that every wire is one straight line.
"""

from html import escape

from companion.app.cli.wiring.circuit import OHMS, Kind, Part, circuit
from companion.app.cli.wiring.header import HEADER, Circuit, Colour, Supply, Wire, wires
from companion.printing.sheets import Drawing
from firmware.plan import BoxPlan, Pull

WIDTH_MM, HEIGHT_MM = 190.0, 262.0
MIDDLE_MM = WIDTH_MM / 2
TOP_MM, ROW_MM = 26.0, 8.4
# These lie so far from the middle of the header.
PAD_MM, HEADER_EDGE_MM, PART_MM, NAME_MM = 5.2, 10.0, (29.0, 47.0), 54.0

INK, FAINT, BOARD = "#231d18", "#8b857c", "#26683f"
INKS = {
    Colour.SEAT_BUTTON: "#e3b208",
    Colour.SEAT_LED: "#ec7a1c",
    Colour.BUTTON: "#ffffff",
    Colour.BUZZER: "#8a4fb5",
    Colour.RED_LED: "#f48fb1",
    Colour.GREEN_LED: "#2f9e57",
    Colour.BLUE_LED: "#2f6fd0",
    Colour.GROUND: "#000000",
    Colour.SUPPLY: "#d02b1f",
}
SUPPLY_INKS = {
    Supply.LOW_VOLTS: INKS[Colour.SUPPLY],
    Supply.HIGH_VOLTS: FAINT,
    Supply.GROUND: INKS[Colour.GROUND],
    Supply.RESERVED: "#ffffff",
}


def drawing(plan: BoxPlan, title: str = "Wiring of this table") -> Drawing:
    """The header with everything that is connected to it, and the drivers of its lights and its buzzer."""
    all_wires = list(wires(plan))
    wire_at = {wire.position: wire for wire in all_wires}
    parts = [
        words(0, 6, title, 6, weight="bold"),
        words(
            0, 12, "The Pi's header seen from above, SD card end up. One colour of wire for each purpose.", 3.4, FAINT
        ),
        f'<rect x="{MIDDLE_MM - HEADER_EDGE_MM:.2f}" y="{TOP_MM - 6:.2f}" width="{2 * HEADER_EDGE_MM:.2f}"'
        f' height="{19 * ROW_MM + 12:.2f}" rx="2" fill="{BOARD}"/>',
        *(draw_wire(wire) for wire in all_wires),
        *(pad(position, wire_at.get(position)) for position in HEADER),
        legend(plan.pull),
    ]
    parts.append(f'<g transform="translate(0 {TOP_MM + 20 * ROW_MM + 20:.2f})">{drivers(circuit(plan))}</g>')
    return Drawing(title, "".join(parts), WIDTH_MM, HEIGHT_MM)


def document(plan: BoxPlan, title: str = "Wiring of this table") -> str:
    """The drawing alone as an SVG document, for a page or a README."""
    margin = 6
    width, height = WIDTH_MM + 2 * margin, HEIGHT_MM + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
        f' viewBox="{-margin} {-margin} {width:g} {height:g}"><rect x="{-margin}" y="{-margin}" width="{width:g}"'
        f' height="{height:g}" fill="#ffffff"/>{drawing(plan, title).svg}</svg>\n'
    )


def place(position: int) -> tuple[int, float]:
    """(-1 for the left column and 1 for the right one, height of the row)."""
    return (-1 if position % 2 else 1), TOP_MM + (position - 1) // 2 * ROW_MM


def pad(position: int, wire: Wire | None) -> str:
    """One pin of the header with its number, in the colour of its wire."""
    side, y_mm = place(position)
    what = HEADER[position]
    fill = SUPPLY_INKS[what] if isinstance(what, Supply) else INKS[wire.colour] if wire else "#ffffff"
    number = "#ffffff" if fill in ("#000000", FAINT, INKS[Colour.SUPPLY], INKS[Colour.BUZZER]) else INK
    x_mm = MIDDLE_MM + side * PAD_MM
    shape = (
        f'<rect x="{x_mm - 2.8:.2f}" y="{y_mm - 2.8:.2f}" width="5.6" height="5.6"'  # Pin 1 has the square pad.
        if position == 1
        else f'<circle cx="{x_mm:.2f}" cy="{y_mm:.2f}" r="2.8"'
    )
    svg = f'{shape} fill="{fill}" stroke="{INK}" stroke-width="0.25"/>' + words(
        x_mm, y_mm + 1, str(position), 2.7, number, "middle"
    )
    if wire is None:
        label = what.value if isinstance(what, Supply) else f"GPIO {what}"
        label += ": to the driver alone" if what is Supply.HIGH_VOLTS else ""
        label += ": leave free" if what is Supply.RESERVED else ""
        svg += words(
            MIDDLE_MM + side * (HEADER_EDGE_MM + 1.5), y_mm + 1, label, 2.7, FAINT, "end" if side < 0 else "start"
        )
    return svg


def draw_wire(wire: Wire) -> str:
    """A wire from its pad through its parts to the name of its device."""
    side, y_mm = place(wire.position)
    begin = MIDDLE_MM + side * PAD_MM
    part = MIDDLE_MM + side * PART_MM[0]
    anchor = "end" if side < 0 else "start"
    label_x = MIDDLE_MM + side * (HEADER_EDGE_MM + 1.5)
    return (
        f'<g data-gpio="{wire.gpio}" data-position="{wire.position}" data-device="{escape(wire.device)}">'
        + line(begin, y_mm, part, y_mm, INK, 1.5)
        + line(begin, y_mm, part, y_mm, INKS[wire.colour], 1.1)
        + words(label_x, y_mm - 1.4, f"GPIO {wire.gpio}", 2.7, INK, anchor)
        + f'<g transform="translate({MIDDLE_MM:g} {y_mm:.2f})">{draw_circuit(wire.circuit, side)}</g>'
        + words(MIDDLE_MM + side * NAME_MM, y_mm + 1.2, wire.device, 3.5, INK, anchor, "bold")
        + "</g>"
    )


def draw_circuit(circuit: Circuit, side: int) -> str:
    """The parts between a wire and its other end, from the middle line outwards to `side`."""
    begin, end = PART_MM
    if circuit in (Circuit.BUTTON_TO_GROUND, Circuit.BUTTON_TO_SUPPLY):
        other = ground if circuit is Circuit.BUTTON_TO_GROUND else supply
        return (
            resistor(side * begin, side * (begin + 6), f"{OHMS[Kind.KILOHM] // 1000}k")
            + button(side * (begin + 6), side * end)
            + other(side * end, side)
        )
    value = OHMS[Kind.LED_RESISTOR if circuit is Circuit.LED else Kind.BUZZER_RESISTOR]
    device = led(side * (begin + 13), side) if circuit is Circuit.LED else buzzer(side * (begin + 15))
    return (
        framed(side * begin, side * (begin + 5), "DRV")
        + line(side * (begin + 5), 0, side * (begin + 6), 0)
        + resistor(side * (begin + 6), side * (begin + 12), f"{value}R")
        + line(side * (begin + 12), 0, side * (begin + 13), 0)
        + device
        + line(side * (begin + 17), 0, side * end, 0)
        + ground(side * end, side)
    )


def framed(x1: float, x2: float, text: str) -> str:
    """A part that is drawn by itself below."""
    left, width = min(x1, x2), abs(x2 - x1)
    return (
        f'<rect x="{left:.2f}" y="-2" width="{width:.2f}" height="4" rx="0.6" fill="#ffffff" stroke="{INK}"'
        ' stroke-width="0.4"/>' + words((x1 + x2) / 2, 0.8, text, 2.2, INK, "middle")
    )


def buzzer(x: float) -> str:
    return f'<circle cx="{x:.2f}" cy="0" r="2" fill="#ffffff" stroke="{INK}" stroke-width="0.4"/>' + words(
        x, 0.8, "BZ", 2, INK, "middle"
    )


def resistor(x1: float, x2: float, value: str) -> str:
    """A resistor between two points of the wire."""
    left, width = min(x1, x2), abs(x2 - x1)
    return (
        f'<rect x="{left:.2f}" y="-1.3" width="{width:.2f}" height="2.6" fill="#ffffff" stroke="{INK}"'
        ' stroke-width="0.4"/>' + words((x1 + x2) / 2, 0.9, value, 2.3, INK, "middle")
    )


def led(x: float, side: int) -> str:
    """An LED that lets current flow outwards, towards `side`."""
    tip = x + side * 4
    arrows = "".join(
        line(x + side * dx, -2.2, x + side * (dx + 1.6), -4, INK, 0.3)
        + polygon((x + side * (dx + 2), -4.4), (x + side * (dx + 0.8), -3.8), (x + side * (dx + 1.8), -3.1))
        for dx in (1.0, 2.8)
    )
    return (
        f'<polygon points="{x:.2f},-2 {x:.2f},2 {tip:.2f},0" fill="#ffffff" stroke="{INK}" stroke-width="0.4"/>'
        + line(tip, -2, tip, 2, INK, 0.5)
        + arrows
    )


def button(x1: float, x2: float) -> str:
    """A push button, normally open."""
    left, right = sorted((x1, x2))
    middle = (left + right) / 2
    return (
        line(left, 0, middle - 4, 0)
        + line(middle + 4, 0, right, 0)
        + f'<circle cx="{middle - 3.5:.2f}" cy="0" r="0.7" fill="#ffffff" stroke="{INK}" stroke-width="0.4"/>'
        + f'<circle cx="{middle + 3.5:.2f}" cy="0" r="0.7" fill="#ffffff" stroke="{INK}" stroke-width="0.4"/>'
        + line(middle - 4.2, -1.5, middle + 4.2, -1.5, INK, 0.5)
        + line(middle, -1.5, middle, -3.4, INK, 0.5)
        + line(middle - 1.4, -3.4, middle + 1.4, -3.4, INK, 0.5)
    )


def ground(x: float, side: int) -> str:
    """The sign for ground at the end of a wire that leads to `side`."""
    return "".join(
        line(x + side * step, -half, x + side * step, half, INK, 0.5) for step, half in ((0, 2), (0.9, 1.3), (1.8, 0.6))
    )


def supply(x: float, side: int) -> str:
    """A supply at the end of a wire that leads to `side`."""
    return f'<circle cx="{x + side:.2f}" cy="0" r="1" fill="{INKS[Colour.SUPPLY]}"/>' + words(
        x + side * 1, -1.8, "3.3 V", 2.3, INK, "middle"
    )


def legend(pull: Pull) -> str:
    rest, other = ("3.3 V", "ground") if pull is Pull.UP else ("ground", "3.3 V through 220R")
    text = (
        "All resistors, the driver (DRV) and the protection are on one board beside the Pi, none in a seat's box.",
        "5 V (position 2) leads to the driver's pin 9 and no further: no cable has 5 V. 330R serves any colour of LED.",
        f"{other[0].upper()}{other[1:]}: one wire to all buttons. Each button's pin has 10k to {rest}; behind its 1k,",
        "a P6KE6.8CA leads static to ground. An LED's long leg goes to the 330R; the status light's longest is ground.",
    )
    return "".join(words(0, TOP_MM + 19 * ROW_MM + 12 + 4.3 * row, line_, 3.2) for row, line_ in enumerate(text))


def drivers(parts: tuple[Part, ...]) -> str:
    """Each driver from above, its notch up, with what its pins lead to."""
    found = [part for part in parts if part.kind is Kind.DRIVER]
    svg = []
    for column, part in enumerate(found):
        x, top, row_mm = 34.0 + column * 96, 6.0, 4.6
        svg += [
            words(x - 34, 3, f"{part.ref}: {part.kind}, seen from above", 3.4, weight="bold"),
            f'<rect x="{x:.2f}" y="{top:.2f}" width="18" height="{9 * row_mm:.2f}" rx="1" fill="#333333"/>',
            f'<circle cx="{x + 9:.2f}" cy="{top:.2f}" r="1.6" fill="#ffffff"/>',
        ]
        for pin in range(1, 19):
            left = pin <= 9
            y = top + (pin - 0.5 if left else 18.5 - pin) * row_mm
            edge, side = (x, -1) if left else (x + 18, 1)
            anchor = "end" if left else "start"
            svg += [
                line(edge, y, edge + side * 3, y, INK, 0.8),
                words(edge - side * 1.4, y + 1, str(pin), 2.5, "#ffffff", "start" if left else "end"),
                words(edge + side * 4, y + 1, part.pins.get(str(pin), "free"), 2.7, INK, anchor),
            ]
    return "".join(svg)


def words(
    x: float, y: float, text: str, size: float, fill: str = INK, anchor: str = "start", weight: str = "normal"
) -> str:
    """A line of text with its base line at y."""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" font-family="Helvetica, Arial, sans-serif" font-size="{size:g}"'
        f' font-weight="{weight}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, ink: str = INK, thick: float = 0.4) -> str:
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{ink}" stroke-width="{thick:g}"'
        ' stroke-linecap="round"/>'
    )


def polygon(*points: tuple[float, float]) -> str:
    """A filled shape."""
    return f'<polygon points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in points)}" fill="{INK}"/>'
