"""The stripboard connects what the circuit joins and nothing else; followed over copper, cuts and links."""

from dataclasses import replace
from itertools import pairwise

import pytest

from companion.app.cli.wiring.circuit import Kind, circuit
from companion.errors import BadInput
from firmware.plan import Pull, plan_from, usual_plan
from hardware.tools.stripboard import COLUMNS, layout, strips, troubles

FOUR = usual_plan(4)
TWO = plan_from({"seat": [{"button": 17, "led": 23}, {"button": 27, "led": 24}]})


@pytest.mark.parametrize("plan", [FOUR, usual_plan(3), usual_plan(2), TWO], ids=["four", "three", "two", "seats alone"])
def test_the_board_is_the_circuit(plan):
    assert troubles(layout(plan), circuit(plan)) == []


@pytest.mark.parametrize("number", range(len(layout(FOUR).cuts)))
def test_each_cut_is_needed(number):
    board = layout(FOUR)
    board.cuts.remove(sorted(board.cuts)[number])
    assert any("are connected" in trouble for trouble in troubles(board, circuit(FOUR)))


@pytest.mark.parametrize("number", range(len(layout(FOUR).links)))
def test_each_link_is_needed(number):
    board = layout(FOUR)
    del board.links[number]
    assert any("is in two pieces" in trouble for trouble in troubles(board, circuit(FOUR)))


def test_a_link_to_a_wrong_strip_is_told_of():
    board = layout(FOUR)
    (begin, _end), (_other, end) = board.links[:2]
    board.links[:2] = [(begin, end)]
    assert any("are connected" in trouble for trouble in troubles(board, circuit(FOUR)))


def test_a_part_that_was_forgotten_is_told_of():
    board = layout(FOUR)
    board.leads = {hole: lead for hole, lead in board.leads.items() if lead[0] not in ("D3", "J1")}
    found = troubles(board, circuit(FOUR))
    assert "D3 1 is not on the board." in found
    assert "5V has no wire to the Pi." in found


def test_parts_have_the_holes_that_they_need():
    # DIP-18: rows 7.62 mm apart, three holes; SIP: one row of holes; a resistor of 0.25 W lies on four holes or more
    board, parts = layout(FOUR), {part.ref: part for part in circuit(FOUR)}
    at = {lead: hole for hole, lead in board.leads.items()}
    for pin in range(1, 9):
        (row, column), (other_row, other_column) = at["U1", str(pin)], at["U1", str(19 - pin)]
        assert (row, column + 3) == (other_row, other_column)
        assert row == at["U1", "1"][0] + pin - 1
    assert [at["RN1", str(pin)][0] for pin in range(1, 9)] == list(range(9, 17))
    for plug in (part for part in parts.values() if part.kind in (Kind.SEAT_PLUG, Kind.TABLE_PLUG)):
        rows = [at[plug.ref, pin][0] for pin in plug.pins]
        assert rows == list(range(rows[0], rows[0] + len(rows)))
    firsts = sorted(hole[0] for (ref, pin), hole in at.items() if ref.startswith("J") and ref != "J1" and pin == "1")
    # JST XH: a housing of n contacts is 2.5 n + 2.4 mm long
    assert all(2.54 * (later - first) >= 2.5 * 3 + 2.4 for first, later in pairwise(firsts))


def test_it_fits_a_board_of_ten_centimetres():
    board = layout(FOUR)
    assert board.rows * 2.54 <= 100
    assert COLUMNS * 2.54 <= 100
    assert sum(len(strip) for strip in strips(board)) == board.rows * COLUMNS - len(board.cuts)


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [(usual_plan(5), "room for eight lights"), (replace(FOUR, pull=Pull.DOWN), "buttons that connect to ground")],
)
def test_what_it_is_not_for_is_one_sentence(plan, sentence):
    with pytest.raises(BadInput, match=sentence):
        layout(plan)
