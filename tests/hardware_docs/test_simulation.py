"""What flows in the circuit of the example: as the page says it, and within the limits of pins and lights."""

import re
import shutil
from dataclasses import replace

import pytest

from companion.app.cli.wiring import circuit as schematic
from companion.app.cli.wiring.circuit import Kind, circuit
from firmware.plan import read_plan
from hardware.tools.bill import EXAMPLE
from hardware.tools.simulate import CASES, PAGE, Figures, deck, run, simulated, table, troubles

needs_ngspice = pytest.mark.skipif(
    shutil.which("ngspice") is None,
    reason="ngspice is missing (make simulate installs it): whether the currents in hardware/schematic are still true",
)


def rows(text):
    """Name of each case → its figures as they stand in the table."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| [^-]", line)]
    return {
        name: [float(number) for cell in cells for number in re.findall(r"\d+\.?\d*", cell)] for name, *cells in lines
    }


def shown():
    return rows(PAGE.read_text().partition("<!-- cases: begin -->")[2].partition("<!-- cases: end -->")[0])


def test_the_page_has_every_case_within_its_limits():
    # Raspberry Pi documentation: 16 mA a pin, 50 mA in all; a light of 2 to 20 mA
    said = shown()
    assert said["**limit**"] == [16, 50, 2, 20, 500]
    for case in CASES:
        pin_ma, all_ma, *lights_ma, driver_ma = said[case.name]
        assert pin_ma <= 16
        assert all_ma <= 50
        assert driver_ma <= 500
        assert all(2 <= ma <= 20 for ma in lights_ma)
        assert len(lights_ma) == (0 if case.lit is None else 2)


@needs_ngspice
def test_ngspice_says_what_the_page_says():
    again, said = rows(table(simulated())), shown()
    assert list(again) == list(said)
    for name, figures in again.items():
        assert figures == pytest.approx(said[name], rel=0.05, abs=0.11), name  # another version rounds otherwise


@needs_ngspice
def test_a_light_straight_at_33_volts_would_be_too_dark():
    figures = run(
        *deck(circuit(read_plan(EXAMPLE)), read_plan(EXAMPLE), replace(CASES[0], supply_v=3.3, led_v=(3.3,) * 4))
    )
    assert figures.lights_ma[0] < 2


@needs_ngspice
@pytest.mark.parametrize(
    ("kind", "ohms", "case", "sentence"),
    [
        (Kind.LED_RESISTOR, 100, "red light, brightest", "a light has"),
        (Kind.LED_RESISTOR, 1000, "blue light, dimmest", "a light has"),
        (Kind.KILOHM, 47, "5 V of the header touches the button's line", "a pin has"),
    ],
)
def test_a_wrong_value_breaks_a_limit(monkeypatch, kind, ohms, case, sentence):
    monkeypatch.setitem(schematic.OHMS, kind, ohms)
    plan, (tried,) = read_plan(EXAMPLE), [each for each in CASES if each.name == case]
    (trouble, *_more) = troubles(tried, run(*deck(circuit(plan), plan, tried)))
    assert sentence in trouble


def test_a_light_that_glows_before_the_service_runs_is_told_of():
    (before,) = [case for case in CASES if case.lit is None]
    assert troubles(before, Figures(0, 0, (0.0, 0.05))) == [f"{before.name}: a light glows at 0.05 mA."]


def test_a_driver_and_pins_that_carry_too_much_are_told_of():
    name = CASES[0].name
    assert troubles(CASES[0], Figures(1, 51, (5, 5), 501)) == [
        f"{name}: all pins have 51.0 mA.",
        f"{name}: a driver has 501 mA.",
    ]
