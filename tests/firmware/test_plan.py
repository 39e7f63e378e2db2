"""table.toml: what can be built, and one sentence for what cannot."""

from pathlib import Path

import pytest

from companion.errors import HardwareUnavailable
from companion.game.box import Device
from firmware.plan import (
    BuzzerKind,
    BuzzerPin,
    Pull,
    SeatPins,
    StatusPins,
    check_plan,
    overlay_warning,
    plan_from,
    read_plan,
    usual_plan,
)

EXAMPLE = Path(__file__).parents[2] / "firmware" / "table.example.toml"
TWO_SEATS = "[[seat]]\nbutton = 17\nled = 23\n[[seat]]\nbutton = 27\nled = 24\n"


def plan_of(tmp_path, text):
    (tmp_path / "table.toml").write_text(text)
    return read_plan(tmp_path / "table.toml")


def test_the_example_is_the_usual_wiring_of_four_seats():
    assert read_plan(EXAMPLE) == usual_plan(4)


def test_two_seats_are_enough(tmp_path):
    plan = plan_of(tmp_path, TWO_SEATS)
    assert plan.seats == (SeatPins(17, 23), SeatPins(27, 24))
    assert (plan.buttons, plan.buzzer, plan.status, plan.pull, plan.silent) == ((), None, None, Pull.UP, False)


def test_a_mark_of_its_encoding_before_the_file_is_passed_over(tmp_path):
    (tmp_path / "table.toml").write_text("# für zwei\n" + TWO_SEATS, encoding="utf-8-sig")
    assert read_plan(tmp_path / "table.toml") == plan_of(tmp_path, TWO_SEATS)


def test_everything_that_can_be_named(tmp_path):
    plan = plan_of(
        tmp_path,
        TWO_SEATS + '[box]\npull = "down"\nsilent = true\n[buttons]\nstart = 10\nconfirm = 11\n'
        '[buzzer]\npin = 18\nkind = "active"\n[status_light]\nred = 8\ngreen = 7\nblue = 4\n',
    )
    assert plan.buttons == ((Device.START, 10), (Device.CONFIRM, 11))
    assert plan.buzzer == BuzzerPin(18, BuzzerKind.ACTIVE)
    assert plan.status == StatusPins(8, 7, 4)
    assert (plan.pull, plan.silent) == (Pull.DOWN, True)


@pytest.mark.parametrize("seats", range(2, 9))
def test_the_usual_wiring_fits_for_every_number_of_seats(seats):
    assert check_plan(usual_plan(seats)).seats == usual_plan(8).seats[:seats]


# raspberrypi/firmware, boot/overlays/README: SPI0 is on 7 to 11, I2C on 2 and 3, w1-gpio on 4, the UART on 14 and 15


def pins_of(plan):
    return {pin for _use, pin in plan.pins()}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_usual_box_of_up_to_four_seats_leaves_every_bus_to_hats(seats):
    plan = usual_plan(seats)
    assert pins_of(plan).isdisjoint({2, 3, 4, 7, 8, 9, 10, 11, 14, 15})
    assert overlay_warning(plan) == ""


@pytest.mark.parametrize("seats", range(2, 9))
def test_no_light_of_the_usual_box_glows_before_the_service_runs(seats):
    plan = usual_plan(seats)
    outputs = {pins.led for pins in plan.seats} | {plan.buzzer.pin, *vars(plan.status).values()}
    assert not outputs & set(range(2, 9))  # BCM2711 peripherals, table 94: these are pulled up from power-on


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (
            usual_plan(7),
            "In the Pi's config.txt dtparam=spi=on would take GPIO 7, 8, 9, 10 and 11: leave that out, or choose "
            "other pins.",
        ),
        (
            plan_from({"seat": [{"button": 2, "led": 23}, {"button": 27, "led": 4}]}),
            "In the Pi's config.txt dtparam=i2c_arm=on would take GPIO 2 and dtoverlay=w1-gpio would take GPIO 4: "
            "leave that out, or choose other pins.",
        ),
    ],
)
def test_one_sentence_names_the_overlays_that_would_take_pins(plan, sentence):
    assert check_plan(plan) == plan
    assert overlay_warning(plan) == sentence


def test_the_eighth_seat_is_on_the_serial_line():
    assert "enable_uart=1 would take GPIO 14 and 15" in overlay_warning(usual_plan(8))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TWO_SEATS + "[buttons]\nstart = 23\n", "GPIO 23 is used for the LED of seat 1 and for the start button"),
        (TWO_SEATS + "[buzzer]\npin = 42\n", "GPIO 42 for the buzzer isn't a free pin"),
        (TWO_SEATS + "[buzzer]\npin = 0\n", "GPIO 0 for the buzzer isn't a free pin"),
        (TWO_SEATS + '[buzzer]\npin = "18"\n', "pin in .buzzer. is '18'"),
        (TWO_SEATS + "[buzzer]\npin = true\n", "pin in .buzzer. is True"),
        (TWO_SEATS + '[buzzer]\npin = 18\nkind = "loud"\n', '\'loud\'. Write "passive" or "active"'),
        (TWO_SEATS + "[buttons]\nstart = 10\nstop = 9\n", "unknown key 'stop'. Use start, undo, confirm"),
        (TWO_SEATS + "[lamp]\npin = 4\n", "has an unknown key 'lamp'"),
        (TWO_SEATS + "[status_light]\nred = 8\n", "green in .status_light. is missing"),
        (TWO_SEATS + "[box]\nsilent = 1\n", "silent in .box. must be true or false"),
        (
            '[box]\npull = "down"\n' + TWO_SEATS + "[buttons]\nstart = 2\n",
            "The Pi itself pulls up GPIO 2 of the button start",
        ),
        ("[[seat]]\nbutton = 17\nled = 23\n", "table.toml has 1 seats"),
        ("[seat]\nbutton = 17\n", "two brackets"),
        ("buzzer = 18\n" + TWO_SEATS, "buzzer in table.toml isn't a table"),
        ("[[seat]]\nbutton = \n", "isn't valid TOML"),
        (f"seat = {'[' * 20_000}{']' * 20_000}", "isn't valid TOML"),
    ],
)
def test_what_cannot_be_built_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(HardwareUnavailable, match=sentence) as refusal:
        plan_of(tmp_path, text)
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(HardwareUnavailable, match=r"table\.toml can't be read"):
        read_plan(tmp_path / "table.toml")


def test_bytes_that_are_no_text_are_one_sentence(tmp_path):
    (tmp_path / "table.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(HardwareUnavailable, match="isn't valid TOML"):
        read_plan(tmp_path / "table.toml")
