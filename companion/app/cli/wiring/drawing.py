"""The wiring of one table as a drawing in millimetres, made from the plan that the firmware reads, so the two agree.

The header stands in the middle as one looks at it. Each device is drawn at the height of its pin: odd positions to the
left, even ones to the right, so that every wire is one straight line.
"""

from html import escape

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
    """The header with everything that is connected to it, and the buzzer's stage where there is a buzzer."""
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
    if plan.buzzer is not None:
        parts.append(f'<g transform="translate(0 {TOP_MM + 20 * ROW_MM + 18:.2f})">{buzzer_stage()}</g>')
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
        label = f"{label}: leave free" if what in (Supply.HIGH_VOLTS, Supply.RESERVED) else label
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
    match circuit:
        case Circuit.LED:
            return (
                resistor(side * begin, side * (begin + 8), "330R")
                + line(side * (begin + 8), 0, side * (begin + 10), 0)
                + led(side * (begin + 10), side)
                + line(side * (begin + 14), 0, side * end, 0)
                + ground(side * end, side)
            )
        case Circuit.BUTTON_TO_GROUND:
            return button(side * begin, side * end) + ground(side * end, side)
        case Circuit.BUTTON_TO_SUPPLY:
            return button(side * begin, side * end) + supply(side * end, side)
        case Circuit.BUZZER:
            x_mm = min(side * begin, side * end)
            return (
                f'<rect x="{x_mm:.2f}" y="-3" width="{end - begin:.2f}" height="6" rx="1" fill="#ffffff" stroke="{INK}"'
                ' stroke-width="0.4"/>' + words(side * (begin + end) / 2, 1.1, "stage below", 2.9, INK, "middle")
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
    """3.3 V at the end of a wire that leads to `side`."""
    return f'<circle cx="{x + side:.2f}" cy="0" r="1" fill="{INKS[Colour.SUPPLY]}"/>' + words(
        x + side * 1, -1.8, "3.3 V", 2.3, INK, "middle"
    )


def legend(pull: Pull) -> str:
    rest = "3.3 V" if pull is Pull.UP else "ground"
    lines = (
        "Ground (the three bars): any black position. Join all grounds of a box to one wire and lead that to the Pi.",
        "330R: a resistor of 330 ohm; up to 1k will do, and is dimmer. The LED's long leg goes to it, the short one to",
        "ground; the status light is three LEDs with one ground leg. Where a button's wire is longer than 30 cm, add a",
        f"resistor of 1k to 4.7k from its pin to {rest}.",
    )
    return "".join(words(0, TOP_MM + 19 * ROW_MM + 12 + 4.3 * row, text, 3.2) for row, text in enumerate(lines))


def buzzer_stage() -> str:
    """The transistor that carries the buzzer's current: an NPN type, such as a BC547 or 2N3904."""
    x, rail, floor = 80.0, 5.0, 45.0
    collector, base, emitter = 24.0, 30.0, 36.0
    knot = x - 2
    return "".join(
        (
            words(0, 9, "Buzzer stage", 4.2, weight="bold"),
            *(
                words(0, 15 + 4.4 * row, text, 3)
                for row, text in enumerate(
                    (
                        "Passive and active buzzers alike.",
                        "The 1k beside the buzzer lets",
                        "a piezo's charge go; the diode",
                        "(1N4148, ring to 3.3 V) takes a",
                        "coil's kick. The 10k keeps it",
                        "silent while the Pi starts.",
                    )
                )
            ),
            # The 1 kΩ leads from the pin to the base.
            line(x - 20, base, x - 12, base, INKS[Colour.BUZZER], 1.1),
            f'<g transform="translate(0 {base})">{resistor(x - 12, x - 4, "1k")}</g>',
            words(x - 13, base - 2.2, "from the pin", 2.7, INK, "end"),
            line(x - 4, base, x + 4, base),
            # The 10 kΩ leads from the base to ground.
            line(knot, base, knot, 33),
            upright_resistor(knot, 33, 41, "10k", "end"),
            line(knot, 41, knot, floor),
            # This is the transistor.
            f'<circle cx="{x + 6:.2f}" cy="{base:.2f}" r="5.2" fill="none" stroke="{INK}" stroke-width="0.4"/>',
            line(x + 4, base - 3, x + 4, base + 3, INK, 0.9),
            line(x + 4, base - 1.5, x + 8, collector),
            line(x + 4, base + 1.5, x + 8, emitter),
            polygon((x + 7.6, emitter - 0.5), (x + 5.5, emitter - 1.6), (x + 7, emitter - 3.4)),
            line(x + 8, emitter, x + 8, floor),
            words(x + 12.5, base + 1, "NPN, such as BC547", 2.7),
            line(x + 8, collector, x + 8, 20),
            # Buzzer, resistor and diode lie side by side between collector and 3.3 V.
            line(x + 8, 20, x + 40, 20),
            line(x + 8, rail, x + 46, rail, INKS[Colour.SUPPLY], 0.9),
            line(x + 8, rail, x + 8, 9),
            f'<circle cx="{x + 8:.2f}" cy="12.5" r="3.5" fill="#ffffff" stroke="{INK}" stroke-width="0.4"/>',
            words(x + 8, 11.4, "+", 3, INK, "middle"),
            words(x + 3.2, 13.4, "buzzer", 2.7, INK, "end"),
            line(x + 8, 16, x + 8, 20),
            line(x + 24, rail, x + 24, 8.5),
            upright_resistor(x + 24, 8.5, 16.5, "1k"),
            line(x + 24, 16.5, x + 24, 20),
            line(x + 40, rail, x + 40, 20),
            f'<polygon points="{x + 38:.2f},14.5 {x + 42:.2f},14.5 {x + 40:.2f},10.5" fill="#ffffff" stroke="{INK}"'
            ' stroke-width="0.4"/>',
            line(x + 38, 10.5, x + 42, 10.5, INK, 0.5),
            words(x + 43.5, 13.4, "1N4148", 2.7),
            words(x + 47.5, rail + 1, "3.3 V (position 1 or 17)", 2.7),
            # Ground runs below all of them.
            line(x - 6, floor, x + 24, floor, INK, 0.9),
            words(x + 26, floor + 1, "ground", 2.7),
            *(
                f'<circle cx="{cx:.2f}" cy="{cy:.2f}" r="0.8" fill="{INK}"/>'
                for cx, cy in ((knot, base), (x + 8, 20), (x + 24, 20), (knot, floor), (x + 8, floor))
            ),
        )
    )


def upright_resistor(x: float, y1: float, y2: float, value: str, anchor: str = "start") -> str:
    """A resistor that stands, with its value beside it."""
    return (
        f'<rect x="{x - 1.3:.2f}" y="{y1:.2f}" width="2.6" height="{y2 - y1:.2f}" fill="#ffffff" stroke="{INK}"'
        ' stroke-width="0.4"/>'
        + words(x + (2.4 if anchor == "start" else -2.4), (y1 + y2) / 2 + 1, value, 2.7, INK, anchor)
    )


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
