"""Pages true to scale, as SVG in millimetres or as PDF, and cards laid out on pages of a kind of paper.

A drawing is an SVG fragment in millimetres with its corner at (0, 0). It uses only shapes, plain text and
`<g transform>`, so that the PDF library draws it the same.
"""

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from companion.errors import BadInput
from companion.printing.paper import A4, Paper

FOOT_MM = 14.0  # The ruler needs so much room.
GAP_MM = 3.0  # Scissors need so much between two cards.
LAST_PDF_LETTER = 0xFF  # The standard fonts of PDF only have Latin-1.
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


def pages(drawings: Sequence[Drawing], ruler: bool = True, paper: Paper = A4) -> list[str]:
    """Upright pages with the drawings in rows, each page a whole SVG document.

    ruler   whether to print a ruler at the foot, to check the scale

    Raises BadInput when a drawing is larger than a page.
    """
    margin = paper.margin_mm
    width = paper.page_mm[0] - 2 * margin
    height = paper.page_mm[1] - 2 * margin - (FOOT_MM if ruler else 0)
    sheets: list[list[str]] = []
    x = y = row_height = 0.0
    for drawing in drawings:
        if drawing.width_mm > width or drawing.height_mm > height:
            raise BadInput(f"{drawing.title} does not fit on a page of {paper.title}: choose a smaller unit.")
        if x + drawing.width_mm > width:
            x, y, row_height = 0.0, y + row_height + GAP_MM, 0.0
        if not sheets or y + drawing.height_mm > height:
            sheets.append([])
            x = y = row_height = 0.0
        place = f"translate({margin + x:.2f} {margin + y:.2f})"
        sheets[-1].append(f'<g transform="{place}">{drawing.svg}</g>')
        x += drawing.width_mm + GAP_MM
        row_height = max(row_height, drawing.height_mm)
    foot = ruler_at(margin, paper.page_mm[1] - margin - 2, paper) if ruler else ""
    return [document("".join(parts) + foot, paper.page_mm) for parts in sheets]


def document(content: str, page_mm: tuple[float, float]) -> str:
    """One page as a whole SVG document."""
    width, height = page_mm
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
        f' viewBox="0 0 {width:g} {height:g}">{content}</svg>'
    )


def ruler_at(x_mm: float, y_mm: float, paper: Paper) -> str:
    """Ten centimetres and four inches, to check with any ruler that the printer has not shrunk the page.

    x_mm, y_mm  left end of its line; it reaches 4 mm above that and 2 mm below
    """
    x, y = x_mm, y_mm
    ticks = "".join(
        line(x + mm, y, x + mm, y - (4 if mm % 50 == 0 else 2.5 if mm % 10 == 0 else 1.2))
        for mm in range(0, RULER_MM + 1, 5)
    )
    words = f"{RULER_MM} mm on {paper.title}. If yours says otherwise, print at 100 %."
    inches = "".join(line(x + INCH_MM * inch, y, x + INCH_MM * inch, y + 2) for inch in range(INCHES + 1))
    inches += line(x, y + 2, x + INCHES * INCH_MM, y + 2)
    inches += text(x + INCHES * INCH_MM + 2, y + 1.5, f"{INCHES} in", 2.4)
    return line(x, y, x + RULER_MM, y) + ticks + inches + text(x + RULER_MM + 4, y - 1, words, 2.8)


def save(drawings: Sequence[Drawing], path: Path, ruler: bool = True, paper: Paper = A4) -> list[Path]:
    """Writes the drawings on upright pages; see `write`."""
    return write(pages(drawings, ruler, paper), path, paper.page_mm)


def write(documents: Sequence[str], path: Path, page_mm: tuple[float, float]) -> list[Path]:
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
    for file, content in files.items():
        try:
            file.write_bytes(content)
        except OSError as error:
            raise BadInput(not_written(file, error)) from error
    return list(files)


def not_written(path: Path, error: OSError) -> str:
    """One sentence on why a file could not be written, and what to do."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return f"There is no folder {path.parent}: make it first, or name another with -o."
        case errno.EISDIR:
            return f"{path} is a folder: name a file in it with -o."
        case errno.ENOSPC | errno.EDQUOT:
            return f"The disk is full, so {path} was not written: free some space, or name another disk with -o."
        case errno.EROFS:
            return f"The disk of {path} can only be read: name a place on another one with -o."
        case errno.EACCES | errno.EPERM:
            return f"You may not write {path}: name a place of your own with -o."
        case errno.ENAMETOOLONG:
            return f"The name {path.name[:20]}… is too long: name a shorter one with -o."
    return f"{path} was not written ({error.strerror}): name another place with -o."


def _pdf(documents: Sequence[str], page_mm: tuple[float, float]) -> bytes:
    strange = sorted({letter for page in documents for letter in page if ord(letter) > LAST_PDF_LETTER})
    if strange:
        raise BadInput(
            f"A PDF of ours has no letter {strange[0]}: choose a name that ends in .svg, which has them all."
        )
    from fpdf import FPDF  # It is slow to import, and only needed here.
    from fpdf.prefs import ViewerPreferences

    pdf = FPDF(unit="mm", format=page_mm)
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")  # Else viewers make the page fit its margins.
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    for page in documents:
        pdf.add_page()
        pdf.image(BytesIO(page.encode()), x=0, y=0, w=page_mm[0], h=page_mm[1])
    return bytes(pdf.output())
