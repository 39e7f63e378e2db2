"""`make hardware`: writes every page and drawing that follows from data, so that none can disagree with it."""

from collections.abc import Mapping
from pathlib import Path

from companion.app.cli.wiring import drawing as wiring_drawing
from companion.app.cli.wiring import test_sheet as trial_sheet
from companion.app.cli.wiring.circuit import Kind, circuit, lines, netlist
from companion.app.cli.wiring.header import wires
from companion.errors import BadInput
from companion.printing.sheets import pages
from firmware.plan import BoxPlan, read_plan
from hardware.tools import bill, camera_table, lengths, rules, stripboard

HARDWARE = Path(__file__).parents[1]
SCHEMATIC = HARDWARE / "schematic"


def documents() -> Mapping[Path, str]:
    """Each file with what it must contain."""
    plan = read_plan(bill.EXAMPLE)
    parts = circuit(plan)
    found = rules.troubles(parts, plan) + [f"{cable} is too short." for cable in lengths.too_short()]
    try:
        found += stripboard.troubles(stripboard.layout(plan), parts)
    except BadInput as why:
        found.append(why.sentence)
    if found:
        raise SystemExit("\n".join(found))
    readme, schematic = HARDWARE / "README.md", SCHEMATIC / "README.md"
    return {
        HARDWARE / "pictures" / "wiring.svg": wiring_drawing.document(plan, "Wiring of the example"),
        HARDWARE / "pictures" / "test-sheet.svg": pages([trial_sheet.drawing(plan)], ruler=False)[0] + "\n",
        HARDWARE / "pictures" / "stripboard.svg": stripboard.drawing(plan),
        HARDWARE / "pictures" / "camera.svg": camera_table.drawing(),
        HARDWARE / "bill-of-materials.md": bill.markdown(),
        SCHEMATIC / "box.net": netlist(parts),
        schematic: between("pins", schematic.read_text(), pin_map(plan)),
        readme: between(
            "lengths",
            between("camera table", readme.read_text(), camera_table.markdown()),
            lengths.markdown(),
        ),
    }


def pin_map(plan: BoxPlan) -> str:
    """Each pin in use: what hangs on it, and on which contact of which plug."""
    parts = circuit(plan)
    contacts = {
        net: f"{part.ref}, contact {contact}"
        for part in parts
        if part.kind in (Kind.SEAT_PLUG, Kind.TABLE_PLUG)
        for contact, net in part.pins.items()
    }
    plug_net = {line.gpio: line.net for line in lines(plan)}
    rows = ["| pin | position | device | plug |", "| --- | --- | --- | --- |"]
    for wire in wires(plan):
        rows.append(f"| GPIO {wire.gpio} | {wire.position} | {wire.device} | {contacts[plug_net[wire.gpio]]} |")
    return "\n".join(rows) + "\n"


def between(name: str, text: str, table: str) -> str:
    """`text` with the table between the two marks of this name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{table}{end}{after}"


def main() -> None:
    for path, content in documents().items():
        if not path.exists() or path.read_text() != content:
            path.write_text(content)
            print(path.relative_to(HARDWARE.parent))


if __name__ == "__main__":
    main()
