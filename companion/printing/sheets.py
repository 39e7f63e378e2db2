"""Pages true to scale, as SVG in millimetres or as PDF, and cards laid out on pages of A4.

A drawing is an SVG fragment in millimetres with its corner at (0, 0). It uses only shapes, plain text and
`<g transform>`, so that the PDF library draws it the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from companion.errors import BadInput

PAGE_MM = (210.0, 297.0)  # A4
A3_MM = (420.0, 297.0)  # landscape
LYING_MM = (297.0, 210.0)  # A4, landscape
MARGIN_MM = 10.0  # most printers leave this white
FOOT_MM = 14.0  # room for the ruler
GAP_MM = 3.0  # between two cards, for the scissors
LAST_PDF_LETTER = 0xFF  # the standard fonts of PDF only have Latin-1
RULER_MM = 100
INCHES, INCH_MM = 4, 25.4


@dataclass(frozen=True)
class Drawing:
    """One card or sheet: an SVG fragment of width × height millimetres, and its title for messages."""

    title: str
    svg: str
    width_mm: float
    height_mm: float


def text(x_mm: float, y_mm: float, words: str, size_mm: float, anchor: str = "start", bold: bool = False) -> str:
    """A line of text with its baseline at y."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x_mm:.2f}" y="{y_mm:.2f}" font-family="Helvetica, Arial, sans-serif" font-size="{size_mm:.2f}"'
        f'{weight} text-anchor="{anchor}" fill="#231d18">{escape(words)}</text>'
    )


def rectangle(
    x_mm: float, y_mm: float, width_mm: float, height_mm: float, fill: str = "none", stroke: str = "#231d18"
) -> str:
    """A rectangle with a thin outline."""
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
    """Pages of A4 with the drawings in rows, each page a whole SVG document.

    ruler   whether to print a ruler at the foot, to check the scale

    Raises BadInput when a drawing is larger than a page.
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
    """One page as a whole SVG document, maybe with a ruler at its foot."""
    width, height = page_mm
    content += _ruler(height) if ruler else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
        f' viewBox="0 0 {width:g} {height:g}">{content}</svg>'
    )


def _ruler(page_height_mm: float) -> str:
    """Ten centimetres and four inches, to check with any ruler that the printer has not shrunk the page."""
    x, y = MARGIN_MM, page_height_mm - MARGIN_MM - 2
    ticks = "".join(
        line(x + mm, y, x + mm, y - (4 if mm % 50 == 0 else 2.5 if mm % 10 == 0 else 1.2))
        for mm in range(0, RULER_MM + 1, 5)
    )
    words = f"{RULER_MM} mm: if your ruler says otherwise, print again at 100 %"
    inches = "".join(line(x + INCH_MM * inch, y, x + INCH_MM * inch, y + 2) for inch in range(INCHES + 1))
    inches += line(x, y + 2, x + INCHES * INCH_MM, y + 2)
    inches += text(x + INCHES * INCH_MM + 2, y + 2.2, f"{INCHES} in", 2.4)
    return line(x, y, x + RULER_MM, y) + ticks + inches + text(x + RULER_MM + 4, y, words, 3.2)


def save(drawings: Sequence[Drawing], path: Path, ruler: bool = True) -> list[Path]:
    """Writes the drawings on pages of A4; see `write`."""
    return write(pages(drawings, ruler), path)


def write(documents: Sequence[str], path: Path, page_mm: tuple[float, float] = PAGE_MM) -> list[Path]:
    """Writes whole pages and returns the files; several SVG pages get numbered files.

    Raises BadInput for a name that ends neither in .svg nor in .pdf, and for a path that cannot be written.
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
    from fpdf import FPDF  # slow to import, and only needed here
    from fpdf.prefs import ViewerPreferences

    pdf = FPDF(unit="mm", format=page_mm)
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")  # else a viewer shrinks the page to its margins
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    for page in documents:
        pdf.add_page()
        pdf.image(BytesIO(page.encode()), x=0, y=0, w=page_mm[0], h=page_mm[1])
    return bytes(pdf.output())
