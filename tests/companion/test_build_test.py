"""`companion doctor --build-test`: each part is asked for, and the answers stand on a sheet to keep."""

import re
import xml.etree.ElementTree as ET
from datetime import date

import pytest
from click.testing import CliRunner

from companion.app.cli.wiring.test_sheet import CAMERA, steps
from companion.app.doctor import command
from companion.errors import BadInput, CompanionError
from firmware.plan import read_plan

SVG = "{http://www.w3.org/2000/svg}"
TOML = (
    "[[seat]]\nbutton = 17\nled = 23\n[[seat]]\nbutton = 27\nled = 24\n"
    "[buttons]\nstart = 6\n[buzzer]\npin = 18\n[status_light]\nred = 16\ngreen = 20\nblue = 21\n"
)


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A data folder with pins for two; the self-test before the walk is left out."""
    (tmp_path / "table.toml").write_text(TOML)
    monkeypatch.setattr(command, "run_in_turn", lambda *_arguments, **_more: iter(()))
    return tmp_path


def walk(house, replies, *more):
    arguments = ["--data", str(house), "--port", "9", "--build-test", str(house / "sheet.svg"), *more]
    return CliRunner().invoke(command.doctor, arguments, input="\n".join(replies) + "\n")


def ticks(house):
    """How many steps stand on the sheet with each mark: a tick has one stroke, a cross has two."""
    marks = [path.get("d") for path in ET.parse(house / "sheet.svg").iter(f"{SVG}path")]
    return sum("m" not in mark for mark in marks if mark), sum("m" in mark for mark in marks if mark)


def test_each_part_is_asked_for_and_the_sheet_has_the_answers_and_the_day(house):
    wanted = list(steps(read_plan(house / "table.toml")))
    result = walk(house, ["y"] * (len(wanted) - 2) + ["n", "s"])
    assert [int(number) for number in re.findall(r"^(\d+)\. ", result.output, re.M)] == list(range(1, len(wanted) + 1))
    for part in ("Hold the button of seat 1", "The LED of seat 2 and no other", "a high tone", "status light is green"):
        assert part in result.output
    assert f"Not so: step {len(wanted) - 1}." in result.output
    assert result.exit_code == 1
    assert ticks(house) == (len(wanted) - 2, 1)
    assert f"{date.today():%Y-%m-%d}" in (house / "sheet.svg").read_text()


def test_all_well_ends_with_zero_and_a_wrong_reply_is_asked_again(house):
    wanted = list(steps(read_plan(house / "table.toml")))
    result = walk(house, ["perhaps", *["y"] * len(wanted)])
    assert result.exit_code == 0, result.output
    assert ticks(house) == (len(wanted), 0)


def test_who_stops_in_the_middle_keeps_what_was_answered(house):
    result = CliRunner().invoke(
        command.doctor, ["--data", str(house), "--port", "9", "--build-test", str(house / "sheet.svg")], input="y\ny\n"
    )
    assert "The test ends here." in result.output
    assert ticks(house) == (2, 0)


def test_a_camera_is_looked_through_where_there_is_one(house):
    result = walk(house, ["s"] * 30, "--camera", "0")
    assert CAMERA.act in result.output
    assert CAMERA.act not in walk(house, ["s"] * 30).output


def test_without_pins_one_sentence_says_what_to_do(house):
    (house / "table.toml").unlink()
    result = walk(house, ["y"])
    assert isinstance(result.exception, BadInput)
    assert "companion init" in str(result.exception)


def test_a_sheet_of_another_kind_is_one_sentence(house):
    result = CliRunner().invoke(
        command.doctor, ["--data", str(house), "--build-test", str(house / "a.doc")], input="y\n"
    )
    assert isinstance(result.exception, CompanionError)
    assert "neither .svg nor .pdf" in str(result.exception)
    assert "Is it so?" not in result.output
