"""What is drawn agrees with the plan: read back from the SVG, line by line."""

import xml.etree.ElementTree as ET

import pytest

from companion.app.cli.wiring.drawing import INKS, document, drawing, place
from companion.app.cli.wiring.header import HEADER, POSITION_OF
from companion.app.cli.wiring.test_sheet import drawing as sheet
from companion.app.cli.wiring.test_sheet import steps
from companion.printing.sheets import save
from firmware.plan import BuzzerKind, BuzzerPin, plan_from, usual_plan

SVG = "{http://www.w3.org/2000/svg}"
TWO = {"seat": [{"button": 2, "led": 3}, {"button": 14, "led": 21}]}


def drawn(plan):
    return ET.fromstring(document(plan))


@pytest.mark.parametrize(
    "plan", [usual_plan(8), usual_plan(2), plan_from(TWO), plan_from(TWO | {"box": {"pull": "down"}})]
)
def test_each_wire_begins_at_the_pad_of_its_pin(plan):
    svg = drawn(plan)
    pads = {
        text.text: (float(text.get("x")), float(text.get("y")) - 1)
        for text in svg.findall(f"{SVG}text")
        if text.text.isdecimal()
    }
    groups = svg.findall(f"{SVG}g[@data-gpio]")
    assert {int(group.get("data-gpio")) for group in groups} == {pin for _, pin in plan.pins()}
    for group in groups:
        gpio, position = int(group.get("data-gpio")), group.get("data-position")
        assert HEADER[int(position)] == gpio
        wire = group.find(f"{SVG}line")
        assert (float(wire.get("x1")), float(wire.get("y1"))) == pytest.approx(pads[position], abs=0.01)
        assert f"GPIO {gpio}" in [text.text for text in group.findall(f"{SVG}text")]


def test_a_pad_has_the_colour_of_its_wire():
    svg = drawn(usual_plan(4))
    side, y_mm = place(POSITION_OF[18])
    pad = next(
        c for c in svg.findall(f"{SVG}circle") if float(c.get("cy")) == round(y_mm, 2) and float(c.get("cx")) > 95
    )
    assert (side, pad.get("fill")) == (1, INKS["violet"])


def test_no_wire_ends_at_five_volts_or_at_the_reserved_pins():
    for seats in range(2, 9):
        positions = {int(g.get("data-position")) for g in drawn(usual_plan(seats)).findall(f"{SVG}g[@data-gpio]")}
        assert not positions & {2, 4, 27, 28}


def test_a_driver_is_drawn_for_each_eight_lights_with_what_its_pins_lead_to():
    texts = [text.text for text in drawn(usual_plan(8)).iter(f"{SVG}text")]
    assert [text for text in texts if "seen from above" in text and text[0] == "U"] == [
        "U1: TBD62783APG, seen from above",
        "U2: TBD62783APG, seen from above",
    ]
    assert {"GPIO18", "BUZZER_OUT", "SEAT8_LED_OUT"} <= set(texts)
    assert "BUZZER_OUT" not in drawing(plan_from(TWO)).svg


# the test sheet


def expectations(plan):
    return {step.act: step.expect for step in steps(plan)}


def test_the_sheet_asks_for_every_button_of_the_plan():
    acts = expectations(usual_plan(8))
    for seat in range(1, 9):
        assert f"LED of seat {seat} and no other" in acts[f"Hold the button of seat {seat}"]
    assert acts["Hold the start button"] == "The status light is green; a high tone; the page lights start"
    assert acts["Hold the undo button"] == "The status light is red; a low tone; the page lights undo"
    assert acts["Open the page /wizard and do nothing"] == "All seats dark; the status light is blue; silent"


def test_the_sheet_promises_nothing_that_is_not_there():
    acts = expectations(plan_from(TWO | {"buttons": {"undo": 9}}))
    assert acts["Hold the undo button"] == "The page lights undo"
    assert acts["Open the page /wizard and do nothing"] == "All seats dark"
    assert "Hold the start button" not in acts
    silent = plan_from(TWO | {"buttons": {"undo": 9}, "buzzer": {"pin": 18}, "box": {"silent": True}})
    assert "tone" not in expectations(silent)["Hold the undo button"]


def test_an_active_buzzer_beeps():
    plan = plan_from(TWO | {"buttons": {"undo": 9}, "buzzer": {"pin": 18, "kind": "active"}})
    assert plan.buzzer == BuzzerPin(18, BuzzerKind.ACTIVE)
    assert expectations(plan)["Hold the undo button"] == "A beep; the page lights undo"


def test_both_pages_can_be_printed(tmp_path):
    plan = usual_plan(8)
    files = save([drawing(plan), sheet(plan)], tmp_path / "box.svg", ruler=False)
    assert [file.name for file in files] == ["box-1.svg", "box-2.svg"]
    for file in files:
        ET.parse(file)
    (pdf,) = save([drawing(plan), sheet(plan)], tmp_path / "box.pdf", ruler=False)
    assert pdf.read_bytes().startswith(b"%PDF")
