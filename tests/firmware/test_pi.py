"""Finding the header's pins on a Pi, with a stand-in for lgpio: chips change their numbers from kernel to kernel."""

import os
import sys
from types import SimpleNamespace

import pytest

from companion.errors import HardwareUnavailable
from companion.packages import PI, install_command
from firmware.panel import panel_factory
from firmware.pi import chip_numbers, give_lgpio_a_folder, header_chip, pi_factory, stamp_trouble


class StandInLgpio:
    """lgpio with chips: number → label, or None for one that may not be opened."""

    class error(Exception):  # lgpio calls it so
        pass

    def __init__(self, chips):
        self._chips = chips
        self.opened = []

    def gpiochip_open(self, number):
        if self._chips[number] is None:
            raise self.error("can not open gpiochip")
        self.opened.append(number)
        return number

    def gpiochip_close(self, number):
        self.opened.remove(number)

    def gpio_get_chip_info(self, number):
        return 0, 54, f"gpiochip{number}", self._chips[number]


@pytest.mark.parametrize(
    ("chips", "number"),
    [
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),
        ({0: "gpio-brcmstb@107d508500", 4: "pinctrl-rp1"}, 4),
        ({0: "pinctrl-rp1", 10: "gpio-brcmstb@107d508500"}, 0),
        ({0: None, 3: "pinctrl-bcm2835"}, 3),
    ],
)
def test_the_header_is_found_by_its_label(chips, number):
    lgpio = StandInLgpio(chips)
    assert header_chip(lgpio, tuple(chips)) == number
    assert lgpio.opened == []


@pytest.mark.parametrize(
    ("chips", "sentence"),
    [
        ({}, "no GPIO pins"),
        ({0: None}, "group gpio"),
        ({0: "INT3450:00"}, "None of this computer's GPIO chips is a Raspberry Pi's header"),
    ],
)
def test_where_there_is_no_header_one_sentence_says_so(chips, sentence):
    with pytest.raises(HardwareUnavailable, match=sentence):
        header_chip(StandInLgpio(chips), tuple(chips))


def test_chips_are_counted_from_the_device_folder(tmp_path):
    for name in ("gpiochip10", "gpiochip0", "gpiomem", "gpiochipX"):
        (tmp_path / name).touch()
    assert chip_numbers(tmp_path) == (0, 10)


def test_lgpio_gets_a_folder_it_may_write(monkeypatch, tmp_path):
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    give_lgpio_a_folder()
    assert os.environ["LG_WD"] == str(tmp_path)
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/elsewhere")
    give_lgpio_a_folder()
    assert os.environ["LG_WD"] == str(tmp_path)
    monkeypatch.delenv("LG_WD")


@pytest.mark.parametrize(
    ("release", "sentence"),
    [
        ("6.12.25+rpt-rpi-v8", ""),
        ("5.10.17-v7l+", ""),
        ("5.7.0", ""),
        ("strange", ""),
        ("5.4.83-v8+", "The kernel 5.4.83-v8+ times presses with a clock that jumps"),
        ("4.19.66-v7+", "Update it"),
    ],
)
def test_the_clock_of_the_stamps_is_checked(release, sentence):
    trouble = stamp_trouble(release, panel_factory())
    assert (sentence in trouble, trouble == "") == (True, sentence == "")


def test_pins_that_count_with_another_clock_are_noticed():
    factory = panel_factory()
    factory.ticks = lambda: 1_790_000_000.0
    assert "count as they arrive" in stamp_trouble("6.12.0", factory)


@pytest.mark.parametrize(
    ("lgpio", "said"),
    [(None, "Buttons and lights need lgpio"), (SimpleNamespace(), "lgpio doesn't work here")],  # PyPI's empty stand-in
)
def test_without_lgpio_one_sentence_has_the_command(lgpio, said, monkeypatch, tmp_path):
    monkeypatch.setattr("firmware.pi.DEVICES", tmp_path)
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", SimpleNamespace())
    with pytest.raises(HardwareUnavailable) as refused:
        pi_factory()
    assert refused.value.sentence.startswith(said)
    assert refused.value.sentence.endswith(f" with {install_command(PI)}")
