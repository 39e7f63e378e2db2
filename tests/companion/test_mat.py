"""The printed mat: everything is on it, nothing overlaps, and what is printed is where calibration believes it."""

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from companion.app.cli.print_ import print_
from companion.equipment.deck import OWN_DECK
from companion.equipment.mat import DEPTH_MM, NO_BOARD_ID, SIZE_IDS, SIZES, USUAL_BOARD, Kind, mat, mat_with, mats
from companion.errors import BadInput
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import rules
from companion.games.sandpile_panic.options import Options
from companion.printing.mat_pages import printed
from companion.printing.paper import A4, LETTER

SVG = "{http://www.w3.org/2000/svg}"
QUIET_MODULES = 1  # of white paper around a marker, or OpenCV does not find its edge


def reaches(place, margin_mm=0.0):
    left, far = place.left_mm - margin_mm, place.far_mm + margin_mm
    return left, far - place.depth_mm - 2 * margin_mm, left + place.width_mm + 2 * margin_mm, far


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("name", mats())
def test_nothing_overlaps_and_every_marker_has_white_around_it(name):
    found = mat(name)
    markers = [reaches(each.place, QUIET_MODULES * each.place.width_mm / 6) for each in found.fiducials]
    zones = [reaches(zone.place) for zone in found.zones]
    assert all(apart(*pair) for pair in combinations([*markers, *zones], 2))
    for left, near, right, far in (*zones, *(reaches(each.place) for each in found.fiducials)):
        assert -found.width_mm / 2 <= left < right <= found.width_mm / 2
        assert -found.depth_mm / 2 <= near < far <= found.depth_mm / 2


def test_the_usual_mat_has_a_place_for_everything():
    everything = mat("all")
    assert {zone.kind for zone in everything.zones} == set(Kind) - {Kind.BOXES}
    assert len(everything.zones_of(Kind.SPACE)) == 4
    assert everything.grid.n == 6


def test_the_corners_bear_0_to_3_clockwise_from_the_far_left():
    corners = [each.place.middle_mm for each in mat("all").fiducials[:4]]
    assert [each.id for each in mat("all").fiducials[:4]] == [0, 1, 2, 3]
    assert [(x > 0, y > 0) for x, y in corners] == [(False, True), (True, True), (True, False), (False, False)]


def test_any_marker_of_the_strips_tells_which_mat_it_is_and_none_is_a_card():
    own = [number for each in mats().values() for number in each.ids]
    everything = [*range(4), *own, NO_BOARD_ID, *SIZE_IDS.values()]
    assert len(everything) == len(set(everything))
    assert max(everything) < 50  # the dictionary has as many
    assert not {card.marker for card in OWN_DECK.cards.values()} & set(everything)
    for name, each in mats().items():
        assert all(mat_with(frozenset({0, number})).name == name for number in each.ids)
    assert mat_with(frozenset({0, 1, 2, 3})) is None
    assert mat_with(frozenset({10, SIZE_IDS[9]})).grid.n == 9


@pytest.mark.parametrize("n", SIZES)
def test_a_board_fits_with_squares_for_pieces_of_20_mm(n):
    grid = mat("board", n).grid
    assert grid.cell_mm >= 24  # as boards have: ../shared/data/boards-rendered
    assert grid.place.width_mm == grid.place.depth_mm == n * grid.cell_mm


def test_squares_that_do_not_fit_are_refused():
    with pytest.raises(BadInput, match=r"9 × 9 squares of 40 mm don't fit on this mat"):
        mat("board", 9, 40)
    with pytest.raises(BadInput, match="4 to 10"):
        mat("board", 3)
    with pytest.raises(BadInput, match="no mat called lawn"):
        mat("lawn")


def printed_markers(page):
    """Left and upper edge and side of each black square, in millimetres of the page."""
    root = ElementTree.fromstring(page)
    group = root.find(f"{SVG}g")  # the mat; a ruler that stands upright follows in one of its own
    shift = [float(part) for part in re.findall(r"-?[\d.]+", group.get("transform"))]
    return [
        (float(square.get("x")) + shift[0], float(square.get("y")) + shift[1], float(square.get("width")))
        for square in group.iter(f"{SVG}rect")
        if square.get("fill") == "#000000"
    ]


def test_markers_are_printed_where_calibration_believes_them():
    found = mat("board", 8)
    (page,), _ = printed(found, tiled=False)
    assert 'width="420mm" height="297mm"' in page
    assert 'viewBox="0 0 420 297"' in page
    assert "100 mm" in page
    placed = printed_markers(page)
    assert len(placed) == 8
    for (left, top, side), each in zip(placed, found.fiducials, strict=True):
        assert left - 210 == pytest.approx(each.place.left_mm)
        assert 10 + DEPTH_MM / 2 - top == pytest.approx(each.place.far_mm)
        assert side == each.place.width_mm


def test_two_pages_of_a4_overlap_by_a_centimetre_between_their_dashed_lines():
    pages, _ = printed(mat("all"), tiled=True)
    left, right = (printed_markers(page) for page in pages)
    assert {one[0] - other[0] for one, other in zip(left, right, strict=True)} == {180}
    for page in pages:
        assert 'width="210mm" height="297mm"' in page
        assert "100 mm" in page


def test_before_the_front_camera_the_widest_card_has_room_and_no_marker_lies_across_a_seam():
    widest_mm = max(card.width_mm for card in OWN_DECK.cards.values())
    for name, count in (("front", 4), ("front-2", 2)):
        found = mat(name)
        middles = [space.middle_mm for space in found.zones_of(Kind.SPACE)]
        assert len(middles) == count
        assert all(right[0] - left[0] > widest_mm for left, right in pairwise(middles))
        # markers nearer to the camera than every stack
        assert max(each.place.far_mm for each in found.row) < min(y for _, y in middles) - widest_mm / 4
    pages, _ = printed(mat("front"), tiled=False)
    assert all('width="297mm" height="210mm"' in page and "100 mm" in page for page in pages)
    left, right = (printed_markers(page) for page in pages)
    assert {one[0] - other[0] for one, other in zip(left, right, strict=True)} == {267}
    for page in (left, right):
        whole = [edge >= 10 and edge + side <= 287 for edge, _, side in page]
        assert sum(whole) == 3
        assert all(edge >= 287 or edge + side <= 10 for (edge, _, side), on in zip(page, whole, strict=True) if not on)
    assert len(printed(mat("front-2"), tiled=False)[0]) == 1


@pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda paper: paper.name)
@pytest.mark.parametrize("tiled", [True, False])
@pytest.mark.parametrize("name", mats())
def test_the_pages_of_a_mat_meet_and_no_marker_is_cut(name, tiled, paper):
    found = mat(name)
    pages, page_mm = printed(found, tiled=tiled, paper=paper)
    lefts = [printed_markers(page)[0][0] for page in pages]
    first_mm = found.fiducials[0].place.left_mm + found.width_mm / 2  # of the first marker, from the mat's left edge
    shown = []  # of each page: the part of the mat, in mm from its left edge, between the page's white sides
    for page, left in zip(pages, lefts, strict=True):
        white = [
            (float(side.get("x")), float(side.get("x")) + float(side.get("width")))
            for side in ElementTree.fromstring(page).findall(f"{SVG}rect")
        ]
        begin, end = (white[0][1], white[1][0]) if white else (left - first_mm, left - first_mm + found.width_mm)
        assert begin >= paper.margin_mm - 1e-6
        assert end <= page_mm[0] - paper.margin_mm + 1e-6
        shown.append((begin - left + first_mm, end - left + first_mm))
    assert shown[0][0] == pytest.approx(0)
    assert shown[-1][1] == pytest.approx(found.width_mm)
    for (_, end), (begin, _) in pairwise(shown):
        assert end - begin == pytest.approx(10)
        for each in found.fiducials:
            x = each.place.left_mm + found.width_mm / 2
            assert x >= end - 1e-6 or x + each.place.width_mm <= begin + 1e-6


@pytest.mark.parametrize("ending", ["svg", "pdf"])
@pytest.mark.parametrize(
    "wish", [[], ["--layout", "towers"], ["--board", "10"], ["--tiled", "--board", "6", "--cell", "25"]]
)
def test_every_mat_can_be_printed(wish, ending, tmp_path):
    file = tmp_path / f"mat.{ending}"
    result = CliRunner().invoke(print_, ["mat", *wish, "-o", str(file)], catch_exceptions=False)
    assert result.exit_code == 0
    written = result.output.split()
    assert len(written) == (2 if "--tiled" in wish and ending == "svg" else 1)
    if ending == "pdf":
        boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file.read_bytes())
        wide, deep = (float(side) / 72 * 25.4 for side in boxes[0])
        assert (round(wide), round(deep)) == ((210, 297) if "--tiled" in wish else (420, 297))


def test_the_help_says_which_board_the_mat_has_and_which_the_game():
    told = " ".join(CliRunner().invoke(print_, ["mat", "--help"]).output.split())
    assert f"Squares along one side of the board, {USUAL_BOARD} without this." in told
    starts = {players: rules.start(Options(), tuple("ABCDEFGH"[:players])) for players in range(2, 9)}
    sizes = {players: len(boards.rows(state.board)) for players, state in starts.items()}
    assert sizes == {2: 5, 3: 5, 4: 7, 5: 8, 6: 8, 7: 8, 8: 8}  # as the help says


def test_a_mat_without_a_board_takes_no_size():
    result = CliRunner().invoke(print_, ["mat", "--layout", "dice", "--board", "6"])
    assert isinstance(result.exception, BadInput)


def test_a_code_leads_to_the_table(tmp_path):
    file = tmp_path / "qr.svg"
    wish = ["qr", "--address", "http://table.local:8000", "-o", str(file)]
    assert CliRunner().invoke(print_, wish, catch_exceptions=False).exit_code == 0
    assert "http://table.local:8000/" in file.read_text()
    refused = CliRunner().invoke(print_, [*wish, "--role", "player", "--data", str(tmp_path)])
    assert isinstance(refused.exception, BadInput)
