"""Paper of the United States and everybody else's: whose it is, and that what is printed lies within its margins.

The PDF itself is judged: its boxes say how large a page is, and its drawing is painted here, operator by operator
(ISO 32000-2, 8.4 to 9.4), on a raster that shows where ink comes to lie.
"""

import re
import zlib

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from fpdf import FPDF

from companion.app.cli import paper as module
from companion.app.cli.print_ import DECKS, SHEETS, print_
from companion.app.cli.wiring.command import wiring
from companion.app.doctor.checks import Light, Table
from companion.app.doctor.installed import check_paper
from companion.equipment.mat import mats
from companion.journal.data_folder import JOURNAL
from companion.journal.settings import PAPER
from companion.journal.store import Journal
from companion.printing.paper import A4, LETTER, PAPERS, paper_named, system_paper

PX_PER_MM = 8
POINT_MM = 25.4 / 72
PRINTED = (
    *(("mat", "--layout", name) for name in mats()),
    ("mat", "--tiled"),
    ("mat", "--board", "10", "--tiled"),
    *(("cards", "--deck", deck) for deck in DECKS),
    *(("sheets", "--deck", deck) for deck in SHEETS),
    ("qr", "--address", "http://table.local:8000"),
    ("wiring", "--test-sheet"),
)
TOKEN = re.compile(rb"\((?:\\.|[^\\()])*\)|/\w+|\[[^\]]*\]|[^\s\[\]()]+")


def printed(tmp_path, wish, *more):
    """(size in mm, ink) of each page of a PDF: ink as (height, width) bool, PX_PER_MM to a millimetre."""
    file = tmp_path / "page.pdf"
    command = (wiring, wish[1:]) if wish[0] == "wiring" else (print_, wish)
    result = CliRunner().invoke(command[0], [*command[1], *more, "-o", str(file)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    content = file.read_bytes()
    assert b"/CropBox" not in content  # so the media box is what is printed
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert len(set(boxes)) == 1
    wide, high = (float(side) * POINT_MM for side in boxes[0])
    # a stream's own last byte may look like the line's end, so it is left to zlib where the stream ends
    cut = re.findall(rb"stream\r?\n(x.*?)endstream", content, re.DOTALL)
    streams = [zlib.decompressobj().decompress(one) for one in cut]
    return [((wide, high), painted(stream, wide, high)) for stream in streams if stream.startswith(b"2 J")]


def painted(stream, wide_mm, high_mm):
    """Where a page has ink, painted in the order of its operators; white takes ink away, as on a page."""
    ink = np.zeros((round(high_mm * PX_PER_MM), round(wide_mm * PX_PER_MM)), np.uint8)
    fonts = FPDF(unit="pt")
    fonts.set_font("helvetica", "B", 1000)  # the widest that pages use
    matrix, fill, stack, shapes, size = np.eye(3), 0.0, [], [], 0.0
    placed, numbers = np.eye(3), []

    def on_raster(points, here):
        found = np.array([(*point, 1) for point in points]) @ here
        x, y = found[:, 0] * POINT_MM, high_mm - found[:, 1] * POINT_MM  # a PDF's y runs upwards
        return np.round(np.stack([x, y], 1) * PX_PER_MM).astype(np.int32)

    def made(values):
        a, b, c, d, e, f = values
        return np.array([[a, b, 0], [c, d, 0], [e, f, 1]])

    for token in TOKEN.findall(stream):
        match token:
            case b"q":
                stack.append((matrix, fill))
            case b"Q":
                matrix, fill = stack.pop()
            case b"cm":
                matrix = made(numbers[-6:]) @ matrix
            case b"rg" | b"g":
                fill = min(numbers[-3:] if token == b"rg" else numbers[-1:])
            case b"m":
                shapes.append([tuple(numbers[-2:])])
            case b"l":
                shapes[-1].append(tuple(numbers[-2:]))
            case b"c":
                shapes[-1] += zip(numbers[-6::2], numbers[-5::2], strict=True)
            case b"re":
                x, y, w, h = numbers[-4:]
                shapes.append([(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)])
            case b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"S" | b"s" | b"n":
                drawn = [on_raster(shape, matrix) for shape in shapes if len(shape) > 1]
                if token not in (b"S", b"s", b"n"):
                    cv2.fillPoly(ink, drawn, 0 if fill > 0.999 else 255)
                if token not in (b"f", b"F", b"f*", b"n"):
                    cv2.polylines(ink, drawn, False, 255)
                shapes = []
            case b"Tf":
                size = numbers[-1]
            case b"Tm":
                placed = made(numbers[-6:])
            case _ if token.startswith(b"("):
                words = re.sub(rb"\\(.)", rb"\1", token[1:-1]).decode("cp1252")
                width = fonts.get_string_width(words) * size / 1000
                corners = ((0, -0.2 * size), (width, -0.2 * size), (width, 0.7 * size), (0, 0.7 * size))
                cv2.fillPoly(ink, [on_raster(corners, placed @ matrix)], 255)
            case _:
                try:
                    numbers.append(float(token))
                except ValueError:
                    continue
    return ink > 0


def ink_box(ink):
    """Left, upper, right and lower edge of the ink, in mm."""
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    return tuple(float(each) / PX_PER_MM for each in (columns[0], rows[0], columns[-1], rows[-1]))


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
@pytest.mark.parametrize("wish", PRINTED, ids=" ".join)
def test_everything_lies_within_the_margins_of_its_paper(tmp_path, wish, paper):
    pages = printed(tmp_path, wish, "--paper", paper.name)
    assert pages
    sizes = {paper.page_mm, paper.lying_mm, paper.large_mm}
    for (wide, high), ink in pages:
        assert any(abs(wide - w) < 0.01 and abs(high - h) < 0.01 for w, h in sizes), (wide, high)
        left, upper, right, lower = ink_box(ink)
        margin = paper.margin_mm - 0.3  # a line's own width, and the raster
        assert left >= margin, left
        assert upper >= margin, upper
        assert right <= wide - margin, (right, wide)
        assert lower <= high - margin, (lower, high)


@pytest.mark.parametrize(
    ("wish", "a4", "letter"),
    [
        (("mat",), (420, 297, 1), (431.8, 279.4, 1)),
        (("mat", "--tiled"), (210, 297, 2), (215.9, 279.4, 2)),
        (("mat", "--layout", "front"), (297, 210, 2), (279.4, 215.9, 3)),
        (("cards", "--deck", "manual-36"), (210, 297, 5), (215.9, 279.4, 5)),
    ],
)
def test_pages_have_the_size_of_their_paper(tmp_path, wish, a4, letter):
    for paper, (wide, high, count) in ((A4, a4), (LETTER, letter)):
        pages = printed(tmp_path, wish, "--paper", paper.name)
        assert len(pages) == count
        assert pages[0][0] == pytest.approx((wide, high), abs=0.01)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_the_mat_is_as_large_on_either_paper(tmp_path, paper):
    ((_, ink),) = printed(tmp_path, ("mat", "--layout", "dice"), "--paper", paper.name)
    black = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, np.ones((33, 33), np.uint8))  # no words, no lines
    left, upper, right, lower = ink_box(black > 0)
    assert (right - left, lower - upper) == pytest.approx((370, 263), abs=0.3)


# whose paper it is


@pytest.mark.parametrize(
    ("environ", "file", "paper"),
    [
        ({}, "", A4),
        ({"LANG": "C.UTF-8"}, "", A4),
        ({"LANG": "en_US.UTF-8"}, "", LETTER),
        ({"LANG": "es_MX.UTF-8"}, "", LETTER),
        ({"LANG": "fr_CA@euro"}, "", LETTER),
        ({"LANG": "en_GB.UTF-8"}, "", A4),
        ({"LANG": "en_US.UTF-8", "LC_PAPER": "de_DE.UTF-8"}, "", A4),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "en_US.UTF-8"}, "", LETTER),
        ({"LANG": "en_US.UTF-8"}, "# for printers\na4\n", A4),
        ({"LANG": "de_DE.UTF-8"}, "letter\n", LETTER),
        ({"PAPERSIZE": "a4"}, "letter\n", A4),
        ({"PAPERCONF": "Letter"}, "", LETTER),
    ],
)
def test_without_a_setting_the_system_says_which_paper(tmp_path, environ, file, paper):
    if file:
        (tmp_path / "papersize").write_text(file)
    assert system_paper(environ, tmp_path / "papersize") is paper


def test_a_name_that_no_paper_has_is_the_systems(monkeypatch):
    monkeypatch.setattr("companion.printing.paper.system_paper", lambda: LETTER)
    assert [paper_named(name) for name in ("a4", "letter", "", "papyrus")] == [A4, LETTER, LETTER, LETTER]


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A data folder whose system has A4, and that commands take for theirs."""
    monkeypatch.setattr("companion.printing.paper.system_paper", lambda: A4)
    monkeypatch.setattr(module.paper_of, "__defaults__", (tmp_path,))
    return tmp_path


def set_paper(house, name):
    journal = Journal(house / JOURNAL)
    PAPER.put(journal, name)
    journal.close()


def test_a_command_takes_the_houses_paper_and_its_option_is_stronger(house, tmp_path):
    wish = ("sheets",)
    assert printed(tmp_path, wish)[0][0] == pytest.approx(A4.page_mm, abs=0.01)  # no journal yet
    set_paper(house, "letter")
    assert printed(tmp_path, wish)[0][0] == pytest.approx(LETTER.page_mm, abs=0.01)
    assert printed(tmp_path, wish, "--paper", "a4")[0][0] == pytest.approx(A4.page_mm, abs=0.01)


def test_doctor_says_which_paper_is_set_and_by_whom(house):
    table = Table(house, None, None, 8000)
    assert check_paper(table) == (
        Light.GREEN,
        "Pages are for A4, large mats for A3: as this system is set; /house can set another.",
    )
    set_paper(house, "letter")
    assert check_paper(table) == (Light.GREEN, "Pages are for US Letter, large mats for Tabloid: as set on /house.")


def test_another_paper_is_wrong_usage(tmp_path):
    result = CliRunner().invoke(print_, ["mat", "--paper", "papyrus", "-o", str(tmp_path / "mat.pdf")])
    assert result.exit_code == 2
    assert "'a4', 'letter', 'a3', 'tabloid'" in result.output


@pytest.mark.parametrize(("large", "paper"), [("a3", A4), ("tabloid", LETTER), ("Tabloid", LETTER)])
@pytest.mark.parametrize(
    ("wish", "is_large"),
    [(("mat",), True), (("sheets",), False), (("qr", "--address", "http://table.local:8000"), False)],
)
def test_the_large_sheets_name_is_its_papers_name_too(tmp_path, wish, is_large, large, paper):
    size = paper.large_mm if is_large else paper.page_mm
    assert printed(tmp_path, wish, "--paper", large)[0][0] == pytest.approx(size, abs=0.01)


def test_the_help_names_the_large_sheets(tmp_path):
    for command in print_.commands.values():
        assert "[a4|letter|a3|tabloid]" in CliRunner().invoke(command, ["--help"]).output
    assert list(tmp_path.iterdir()) == []
