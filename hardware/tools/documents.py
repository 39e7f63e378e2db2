"""`make hardware`: writes every page and drawing that follows from data, so that none can disagree with it."""

from collections.abc import Mapping
from pathlib import Path

from companion.app.cli.wiring import drawing as wiring_drawing
from companion.app.cli.wiring import test_sheet as trial_sheet
from companion.printing.sheets import pages
from firmware.plan import read_plan
from hardware.tools import bill, camera_table

HARDWARE = Path(__file__).parents[1]
BEGIN, END = "<!-- camera table: begin -->\n", "<!-- camera table: end -->\n"


def documents() -> Mapping[Path, str]:
    """Each file with what it must contain."""
    plan = read_plan(bill.EXAMPLE)
    readme = HARDWARE / "README.md"
    return {
        HARDWARE / "pictures" / "wiring.svg": wiring_drawing.document(plan, "Wiring of the example"),
        HARDWARE / "pictures" / "test-sheet.svg": pages([trial_sheet.drawing(plan)], ruler=False)[0] + "\n",
        HARDWARE / "pictures" / "camera.svg": camera_table.drawing(),
        HARDWARE / "bill-of-materials.md": bill.markdown(),
        readme: between(readme.read_text(), camera_table.markdown()),
    }


def between(text: str, table: str) -> str:
    """`text` with the table between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table}{END}{after}"


def main() -> None:
    for path, content in documents().items():
        if not path.exists() or path.read_text() != content:
            path.write_text(content)
            print(path.relative_to(HARDWARE.parent))


if __name__ == "__main__":
    main()
