"""What is printed is true to scale, on pages of A4, and a command never ends in a traceback."""

import errno
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.app.cli.print_ import DECKS, MOST_ADDRESS, SHEETS, print_
from companion.equipment.trucks import printed_decks
from companion.errors import BadInput
from companion.journal.data_folder import JOURNAL
from companion.journal.store import Journal
from companion.printing.paper import A4
from companion.printing.sheets import GAP_MM, Drawing, not_written, pages, rectangle, save
from companion.printing.truck_cards import card, classic_30, manual_36

SVG = "{http://www.w3.org/2000/svg}"
MARGIN_MM, PAGE_MM = A4.margin_mm, A4.page_mm


def test_a_page_is_a_sheet_of_a4_in_millimetres_with_a_ruler_of_ten_centimetres():
    (page,) = pages([Drawing("One", rectangle(0, 0, 50, 30), 50, 30)])
    root = ElementTree.fromstring(page)
    assert (root.get("width"), root.get("height")) == ("210mm", "297mm")
    assert root.get("viewBox") == "0 0 210 297"  # so a unit of the drawing is a millimetre
    lengths = [float(line.get("x2")) - float(line.get("x1")) for line in root.iter(f"{SVG}line")]
    assert max(lengths) == pytest.approx(101.6)  # four inches
    assert 100 in lengths
    ruler = [line for line in root.iter(f"{SVG}line") if float(line.get("x2")) - float(line.get("x1")) > 50]
    assert {line.get("x1") for line in ruler} == {f"{MARGIN_MM:.2f}"}
    assert all(float(line.get("y1")) <= PAGE_MM[1] - MARGIN_MM for line in ruler)
    assert "100 mm" in "".join(root.itertext())


def test_a_viewer_that_prints_a_pdf_of_ours_does_not_shrink_it(tmp_path):
    (path,) = save([Drawing("One", rectangle(0, 0, 50, 30), 50, 30)], tmp_path / "one.pdf")
    assert re.search(rb"/ViewerPreferences\s*<<[^>]*/PrintScaling\s*/None", path.read_bytes())  # ISO 32000-2, 12.2


def test_cards_never_overlap_nor_leave_the_page():
    drawings = [Drawing(str(number), "", 72, 54) for number in range(9)]
    found = pages(drawings)
    assert len(found) == 2
    for page in found:
        places = [tuple(map(float, pair)) for pair in re.findall(r"translate\(([\d.]+) ([\d.]+)\)", page)]
        for index, (x, y) in enumerate(places):
            assert MARGIN_MM <= x <= PAGE_MM[0] - MARGIN_MM - 72
            assert MARGIN_MM <= y <= PAGE_MM[1] - MARGIN_MM - 54
            for other_x, other_y in places[:index]:
                assert abs(x - other_x) >= 72 + GAP_MM or abs(y - other_y) >= 54 + GAP_MM


def test_the_squares_of_a_truck_are_as_large_as_a_box():
    truck = printed_decks()["manual-36"][0]
    drawing = card(1, truck, unit_mm=15)
    sizes = re.findall(r'width="15.00" height="15.00"', drawing.svg)
    assert len(sizes) == len(truck.squares)
    assert ">1<" in drawing.svg
    assert ">1 high<" in drawing.svg


def test_every_card_of_both_decks_is_there():
    assert [drawing.title for drawing in manual_36(12)] == [f"Truck {number}" for number in range(1, 37)]
    assert len(classic_30(12)) == 30
    assert {(drawing.width_mm, drawing.height_mm) for drawing in (*manual_36(12), *classic_30(12))} == {(72, 54)}


def test_what_is_too_large_for_a_page_is_refused():
    with pytest.raises(BadInput, match="choose a smaller unit"):
        pages(manual_36(40))


@pytest.mark.parametrize(("what", "names"), [("cards", DECKS), ("sheets", SHEETS)])
def test_everything_can_be_printed_as_svg_and_pdf(what, names, tmp_path):
    for deck in names:
        for ending in ("svg", "pdf"):
            file = tmp_path / f"{deck}.{ending}"
            result = CliRunner().invoke(print_, [what, "--deck", deck, "-o", str(file)], catch_exceptions=False)
            assert result.exit_code == 0
            written = result.output.split()
            assert written
            assert all((tmp_path / path).stat().st_size > 500 for path in written)


def test_the_sheet_of_sack_stackers_is_there_for_two_players_with_all_that_is_crossed_out():  # SS-02, SS-04
    (page,) = pages(SHEETS["sack-stackers"](12))
    root = ElementTree.fromstring(page)
    words = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert words.count("Name") == 2
    for box in "IOTLS?":  # in six sections for each; and five letters name the shapes
        assert words.count(box) == 2 * (6 + (box != "?"))
    assert len(list(root.iter(f"{SVG}circle"))) == 2 * 10
    squares = [each for each in root.iter(f"{SVG}rect") if each.get("width") == "12.00"]
    assert len(squares) == 2 * (36 + 36)


def test_a_pdf_has_a_page_for_each_sheet(tmp_path):
    (file,) = save(manual_36(12), tmp_path / "trucks.pdf")
    content = file.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", content)) == len(pages(manual_36(12)))


def test_another_ending_and_a_place_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"neither \.svg nor \.pdf"):
        save(manual_36(12), tmp_path / "trucks.png")
    with pytest.raises(BadInput, match=r"There is no folder .*missing: make it first, or name another with -o\."):
        save(manual_36(12), tmp_path / "missing" / "trucks.pdf")
    (tmp_path / "trucks.pdf").mkdir()
    with pytest.raises(BadInput, match=r"trucks\.pdf is a folder: name a file in it with -o\."):
        save(manual_36(12), tmp_path / "trucks.pdf")


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_what_cannot_be_written_is_one_sentence_with_what_to_do(number):
    told = not_written(Path("/here/page.pdf"), OSError(number, os.strerror(number)))
    assert told.endswith(" with -o.")
    assert ": " in told
    assert "Errno" not in told


@pytest.mark.parametrize("length", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("wish", [["mat", "--cell"], ["cards", "--unit-mm"], ["sheets", "--unit-mm"]])
def test_a_length_that_is_none_is_wrong_usage(wish, length, tmp_path):
    result = CliRunner().invoke(print_, [*wish, length, "-o", str(tmp_path / "page.pdf")])
    assert result.exit_code == 2
    assert f"Invalid value for '{wish[1]}'" in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["http://" + "a" * 5_000, "http://table\udcff", "http://a\nb"])
def test_an_address_that_no_code_can_hold_is_refused(address, tmp_path):
    with pytest.raises(BadInput, match="at most 500 printable letters"):
        CliRunner().invoke(print_, ["qr", "--address", address, "-o", str(tmp_path / "q.pdf")], catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address",
    [
        *("foo", "", "table.local", "table.local:8000", "ftp://table.local", "javascript:1"),
        *("http://", "http://:80", "http:table.local", "http://a:port", "http://a:99999", "http://[::1"),
        *("http://a b", "http://a/?x", "http://a/#x"),
    ],
)
def test_a_code_that_would_lead_nowhere_is_refused(address, tmp_path):
    with pytest.raises(BadInput, match=r"is no address of the web: .*http://table\.local:8000"):
        CliRunner().invoke(print_, ["qr", "--address", address, "-o", str(tmp_path / "q.pdf")], catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST.:8000", "table.localhost", "127.0.0.1:8000", "127.1", "0x7f.1", "2130706433"),
        *("[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.1.2", "[fe80::1]"),
    ],
)
def test_a_code_that_leads_no_other_device_here_is_refused(host, tmp_path):
    wish = ["qr", "--address", f"http://{host}", "-o", str(tmp_path / "q.pdf")]
    with pytest.raises(BadInput, match=r"^No other device reaches http://.*: write the table's own, .*\.$"):
        CliRunner().invoke(print_, wish, catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address", ["http://raspberrypi", "https://table.local/", "HTTP://10.0.0.7:8000/x", "http://[2001:db8::1]:8"]
)
def test_an_address_of_the_web_is_printed(address, tmp_path):
    wish = ["qr", "--address", address, "-o", str(tmp_path / "q.pdf")]
    assert CliRunner().invoke(print_, wish, catch_exceptions=False).exit_code == 0


def test_a_letter_that_a_pdf_lacks_is_named_and_an_svg_has_it(tmp_path):
    wish = ["qr", "--address", "http://タ.local:8000", "-o"]
    with pytest.raises(BadInput, match=r"no letter タ: .*\.svg"):
        CliRunner().invoke(print_, [*wish, str(tmp_path / "q.pdf")], catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []
    assert CliRunner().invoke(print_, [*wish, str(tmp_path / "q.svg")], catch_exceptions=False).exit_code == 0
    assert "タ.local" in (tmp_path / "q.svg").read_text(encoding="utf-8")


def test_the_longest_address_fits_its_code_with_a_way_in(tmp_path):
    Journal(tmp_path / JOURNAL).close()
    address, file = "http://".ljust(MOST_ADDRESS, "\U00020000"), tmp_path / "q.svg"  # four bytes a letter
    wish = ["qr", "--address", address, "--role", "player", "--data", str(tmp_path), "-o", str(file)]
    assert CliRunner().invoke(print_, wish, catch_exceptions=False).exit_code == 0
    assert file.stat().st_size > 500


@pytest.mark.parametrize(
    ("address", "links"),
    [
        (None, ["http://192.168.1.5:8000/", "http://table.local:8000/"]),
        ("https://Table.local:8443/x/", ["https://Table.local:8443/x/", "https://192.168.1.5:8443/x/"]),
        ("http://192.168.1.9", ["http://192.168.1.9/"]),
        ("https://games.example", ["https://games.example/"]),
    ],
)
def test_a_card_has_a_second_code_for_phones_that_know_no_local_names(address, links, tmp_path, monkeypatch):
    monkeypatch.setattr("companion.app.cli.print_.own_address", lambda: "192.168.1.5")
    file = tmp_path / "q.svg"
    wish = ["qr", "-o", str(file), *(["--address", address] if address else [])]
    assert CliRunner().invoke(print_, wish, catch_exceptions=False).exit_code == 0
    codes = [each.get("d") for each in ElementTree.fromstring(file.read_text()).iter(f"{SVG}path")]
    assert [cv2.QRCodeDetectorAruco().detectAndDecode(picture_of(code))[0] for code in codes] == links
    assert ("Doesn't open? Scan this" in file.read_text()) == (len(links) == 2)


def picture_of(squares: str) -> np.ndarray:
    """The black squares of a path, drawn with 10 px per mm."""
    grey = np.full((2_000, 1_000), 255, np.uint8)
    for left, top, side in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", squares):
        x, y, wide = (round(10 * float(each)) for each in (left, top, side))
        grey[y : y + wide + 1, x : x + wide + 1] = 0
    return grey
