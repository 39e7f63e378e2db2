"""The header and the wires on it, compared with gpiozero's own description of the board."""

from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from companion.app.cli.wiring.header import HEADER, POSITION_OF, Circuit, Colour, Supply, wires
from firmware.plan import Pull, plan_from, read_plan, usual_plan

EXAMPLE = Path(__file__).parents[2] / "firmware" / "table.example.toml"
REVISIONS = {"3B": "a02082", "4B": "c03115", "5B": "d04171", "Zero2W": "902120"}
NAMES = {"3V3": Supply.LOW_VOLTS, "5V": Supply.HIGH_VOLTS, "GND": Supply.GROUND}


@pytest.mark.parametrize("model", REVISIONS)
def test_the_header_is_that_of_the_board(model):
    board = MockFactory(revision=REVISIONS[model]).board_info
    assert board.model == model
    pins = board.headers["J8"].pins
    for position, what in HEADER.items():
        name = pins[position].name
        if what is Supply.RESERVED:
            assert name in ("GPIO0", "GPIO1")
        else:
            assert what == NAMES.get(name, int(name.removeprefix("GPIO")) if name.startswith("GPIO") else None)


def test_every_pin_that_a_plan_may_name_is_on_the_header():
    assert set(POSITION_OF) == set(range(2, 28))


@pytest.mark.parametrize("seats", range(2, 9))
def test_each_pin_of_the_plan_has_one_wire(seats):
    plan = usual_plan(seats)
    assert [wire.gpio for wire in wires(plan)] == [pin for _, pin in plan.pins()]


def test_the_example_in_words():
    drawn = {wire.gpio: wire for wire in wires(read_plan(EXAMPLE))}
    assert (drawn[17].device, drawn[17].position, drawn[17].circuit) == (
        "seat 1: button",
        11,
        Circuit.BUTTON_TO_GROUND,
    )
    assert (drawn[12].device, drawn[12].position, drawn[12].circuit) == ("seat 4: LED", 32, Circuit.LED)
    assert (drawn[18].device, drawn[18].position, drawn[18].circuit) == ("passive buzzer", 12, Circuit.BUZZER)
    assert (drawn[21].device, drawn[21].colour) == ("status light: blue", Colour.BLUE_LED)


def test_buttons_lead_where_the_pull_says():
    seats = [{"button": 17, "led": 23}, {"button": 27, "led": 24}]
    down = plan_from({"box": {"pull": "down"}, "seat": seats})
    assert down.pull is Pull.DOWN
    assert {wire.circuit for wire in wires(down)} == {Circuit.BUTTON_TO_SUPPLY, Circuit.LED}
