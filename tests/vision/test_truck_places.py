"""The truck cards a game knows, placed on the mat's zones."""

import pytest

from companion.equipment.mat import Kind, mat, mats
from companion.equipment.truck_places import cards_in_places
from companion.errors import BadInput
from vision.scene.trucks import truck_words, with_trucks
from vision.watch.known_table import KnownTable

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


def numbered(*finished):
    """Cards 1, 2 …: a number says as which of them it was finished, None that it is still loaded."""
    done = [
        {"rolled": {"1": number}} if each is None else {"finished": each} for number, each in enumerate(finished, 1)
    ]
    return [{**CARD, "number": number, **more} for number, more in enumerate(done, 1)]


@pytest.mark.parametrize(
    ("finished", "lying"),
    [
        ((None, None, None), [1, 2]),
        ((1, None, None), [3, 2]),  # the third waited, and who still loads stays
        ((None, 1, None), [1, 3]),
        ((None, None, 1), [1, 2]),  # by hand, away from the mat
        ((2, 1, None), [1, 3]),  # nobody waits for the first one's
        ((1, 2, None, None), [3, 4]),
        ((1, None, 2, None), [4, 2]),
        ((2, 3, 1), [1, 2]),
    ],
)
def test_a_place_stays_one_players_until_somebody_without_one_needs_that_of_who_has_finished(finished, lying):
    assert [card["number"] for card in cards_in_places(numbered(*finished), 2)] == lying


def test_where_all_have_places_nobody_moves():
    assert [card["number"] for card in cards_in_places(numbered(2, None, 1), 3)] == [1, 2, 3]


def test_a_roll_goes_with_its_truck():
    fields = with_trucks({"zones": [ZONE, {**ZONE}], "truck_cards": numbered(None, 1, None)})
    assert [truck["number"] for truck in fields["trucks"]] == [1, 3]
    assert fields["rolls"] == [{"1": 1}, {"1": 3}]
    fields = with_trucks({"zones": [ZONE, {**ZONE}], "truck_cards": numbered(1, None)})
    assert [truck["number"] for truck in fields["trucks"]] == [2, 1]  # a finished one has no roll any more
    assert fields["rolls"] == [{"1": 2}]
    fields = with_trucks({"zones": [ZONE], "truck_cards": numbered(None, None)})
    assert fields["rolls"] == [{"1": 1}, {"1": 2}]  # one that waits is loaded somewhere else


def test_people_are_told_which_truck_is_looked_for_where():
    two = {"zones": [ZONE, {**ZONE}]}
    told = "The camera sees the table. Put trucks 1 and 2 on the mat, left to right."
    assert truck_words({**two, "truck_cards": numbered(None, None, None)}) == told
    assert truck_words({**two, "truck_cards": numbered(1, None, None)}).endswith(
        " Put trucks 3 and 2 on the mat, left to right."
    )
    assert truck_words({"zones": [ZONE], "truck_cards": numbered(None, None)}).endswith("Put truck 1 on the mat.")
    assert truck_words({}) == ""


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
    scene = KnownTable({"zones": zones}).scene({"truck_cards": [{**CARD, "number": 1}] * 6})
    assert len(scene.trucks) == len(zones)
    assert [truck.number for truck in scene.trucks] == [1] * len(zones)
    assert scene.trucks[0].area == ((True, True, True), (True, False, False))
    assert scene.unit_mm == 12
