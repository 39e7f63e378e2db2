"""The truck cards a game knows, placed on the mat's zones."""

import pytest

from companion.errors import BadInput
from companion.mat import Kind, mat, mats
from vision.known_table import KnownTable
from vision.truck_places import with_trucks

CARD = {"columns": 3, "rows": 2, "levels": 4, "loading_area_row_col": [[1, 1, 1], [1, 0, 0]]}
ZONE = {"kind": "truck", "corners_mm_tl_tr_br_bl": [[0, 80, 0], [100, 80, 0], [100, 0, 0], [0, 0, 0]]}


def test_a_card_lies_in_the_middle_of_its_zone_with_squares_of_a_box():
    (truck,) = with_trucks({"zones": [ZONE], "unit_mm": 10, "truck_cards": [CARD]})["trucks"]
    corners = [corner[:2] for corner in truck["area_corners_mm_tl_tr_br_bl"]]
    assert corners == [[35, 50], [65, 50], [65, 30], [35, 30]]  # 3 × 10 by 2 × 10 around (50, 40)


def test_a_card_without_a_zone_is_not_looked_at_and_a_mat_without_any_is_said():
    fields = with_trucks({"zones": [ZONE], "truck_cards": [CARD, CARD]})
    assert len(fields["trucks"]) == 1
    with pytest.raises(BadInput, match="no place for trucks"):
        with_trucks({"zones": [], "truck_cards": [CARD]})


@pytest.mark.parametrize("zones", [5, [5], [{**ZONE, "corners_mm_tl_tr_br_bl": 5}], [{"kind": "truck"}]])
def test_zones_that_are_none_are_refused(zones):
    with pytest.raises(BadInput, match="zone"):
        with_trucks({"zones": zones, "truck_cards": [CARD]})


def test_a_table_without_trucks_is_as_it_was():
    assert with_trucks({"unit_mm": 10}) == {"unit_mm": 10}


def test_a_mat_for_loads_has_room_for_the_trucks_of_a_game():
    name = next(name for name in mats() if mat(name).zones_of(Kind.TRUCK))
    zones = [
        {"kind": "truck", "corners_mm_tl_tr_br_bl": [list(corner) for corner in place.corners_mm]}
        for place in mat(name).zones_of(Kind.TRUCK)
    ]
    scene = KnownTable({"zones": zones}).scene({"truck_cards": [CARD] * 6})
    assert len(scene.trucks) == len(zones)
    assert scene.trucks[0].area == ((True, True, True), (True, False, False))
    assert scene.unit_mm == 12
