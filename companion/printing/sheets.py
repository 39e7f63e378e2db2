"""Pages true to scale, as SVG in millimetres or as PDF, and cards laid out on pages of A4.

A drawing is an SVG fragment in millimetres, its own corner at (0, 0). Shapes, plain text and `<g transform>` are all
that is wanted of SVG, so that the PDF library draws the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from companion.errors import BadInput

PAGE_MM = (210.0, 297.0)  # A4
A3_MM = (420.0, 297.0)  # lying
LYING_MM = (297.0, 210.0)  # A4
MARGIN_MM = 10.0  # what most printers leave white
FOOT_MM = 14.0  # room for the ruler
GAP_MM = 3.0  # between two cards, for the scissors
LAST_PDF_LETTER = 0xFF  # the fonts that every PDF reader brings along write Latin-1
RULER_MM = 100


@dataclass(frozen=True)
class Drawing:
    """One card or sheet: an SVG fragment of width × height millimetres, and what to call it."""

    title: str
    svg: str
    width_mm: float
    height_mm: float


def text(x_mm: float, y_mm: float, words: str, size_mm: float, anchor: str = "start", bold: bool = False) -> str:
    """A line of text with its base line at y."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x_mm:.2f}" y="{y_mm:.2f}" font-family="Helvetica, Arial, sans-serif" font-size="{size_mm:.2f}"'
        f'{weight} text-anchor="{anchor}" fill="#231d18">{escape(words)}</text>'
    )


def rectangle(
    x_mm: float, y_mm: float, width_mm: float, height_mm: float, fill: str = "none", stroke: str = "#231d18"
) -> str:
    """A rectangle with a thin line round it."""
    return (
        f'<rect x="{x_mm:.2f}" y="{y_mm:.2f}" width="{width_mm:.2f}" height="{height_mm:.2f}"'
        f' fill="{fill}" stroke="{stroke}" stroke-width="0.25"/>'
    )


def line(x1_mm: float, y1_mm: float, x2_mm: float, y2_mm: float) -> str:
    """A thin line."""
    return (
        f'<line x1="{x1_mm:.2f}" y1="{y1_mm:.2f}" x2="{x2_mm:.2f}" y2="{y2_mm:.2f}"'
        ' stroke="#231d18" stroke-width="0.25"/>'
    )


def pages(drawings: Sequence[Drawing], ruler: bool = True) -> list[str]:
    """The drawings in rows on as few pages as that takes, each page a whole SVG document.

    ruler   at the foot of each page, where the scale matters

    Raises BadInput when one is larger than a page.
    """
    width, height = PAGE_MM[0] - 2 * MARGIN_MM, PAGE_MM[1] - 2 * MARGIN_MM - FOOT_MM
    found: list[list[str]] = []
    x = y = row_height = 0.0
    for drawing in drawings:
        if drawing.width_mm > width or drawing.height_mm > height:
            raise BadInput(f"{drawing.title} does not fit on a page of A4: choose a smaller unit.")
        if x + drawing.width_mm > width:
            x, y, row_height = 0.0, y + row_height + GAP_MM, 0.0
        if not found or y + drawing.height_mm > height:
            found.append([])
            x = y = row_height = 0.0
        place = f"translate({MARGIN_MM + x:.2f} {MARGIN_MM + y:.2f})"
        found[-1].append(f'<g transform="{place}">{drawing.svg}</g>')
        x += drawing.width_mm + GAP_MM
        row_height = max(row_height, drawing.height_mm)
    return [document("".join(parts), ruler=ruler) for parts in found]


def document(content: str, page_mm: tuple[float, float] = PAGE_MM, ruler: bool = True) -> str:
    """One page as a whole SVG document, with the ruler at its foot where the scale matters."""
    width, height = page_mm
    content += _ruler(height) if ruler else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
        f' viewBox="0 0 {width:g} {height:g}">{content}</svg>'
    )


def _ruler(page_height_mm: float) -> str:
    """Ten centimetres to lay a ruler against: printers like to shrink a page."""
    x, y = MARGIN_MM, page_height_mm - MARGIN_MM - 2
    ticks = "".join(
        line(x + mm, y, x + mm, y - (4 if mm % 50 == 0 else 2.5 if mm % 10 == 0 else 1.2))
        for mm in range(0, RULER_MM + 1, 5)
    )
    words = f"{RULER_MM} mm: if your ruler says otherwise, print again at 100 %"
    return line(x, y, x + RULER_MM, y) + ticks + text(x + RULER_MM + 4, y, words, 3.2)


def save(drawings: Sequence[Drawing], path: Path, ruler: bool = True) -> list[Path]:
    """Writes the drawings on pages of A4; see `write`."""
    return write(pages(drawings, ruler), path)


def write(documents: Sequence[str], path: Path, page_mm: tuple[float, float] = PAGE_MM) -> list[Path]:
    """Writes whole pages; an SVG file holds one, so further ones are numbered. Gives the files written.

    Raises BadInput for a name that is neither .svg nor .pdf, and for a place that cannot be written.
    """
    match path.suffix.lower():
        case ".svg" if len(documents) == 1:
            files = {path: documents[0].encode()}
        case ".svg":
            numbered = enumerate(documents, start=1)
            files = {path.with_stem(f"{path.stem}-{number}"): page.encode() for number, page in numbered}
        case ".pdf":
            files = {path: _pdf(documents, page_mm)}
        case _:
            raise BadInput(f"{path.name} is neither .svg nor .pdf: name the file with one of these endings.")
    try:
        for file, content in files.items():
            file.write_bytes(content)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error
    return list(files)


def _pdf(documents: Sequence[str], page_mm: tuple[float, float]) -> bytes:
    strange = sorted({letter for page in documents for letter in page if ord(letter) > LAST_PDF_LETTER})
    if strange:
        raise BadInput(
            f"A PDF of ours has no letter {strange[0]}: choose a name that ends in .svg, which has them all."
        )
    from fpdf import FPDF  # only who prints pays for the import

    pdf = FPDF(unit="mm", format=page_mm)
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    for page in documents:
        pdf.add_page()
        pdf.image(BytesIO(page.encode()), x=0, y=0, w=page_mm[0], h=page_mm[1])
    return bytes(pdf.output())
