"""`companion wiring`: files, and one sentence where there can be none."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.app.cli.init import init
from companion.app.cli.wiring.command import wiring
from companion.errors import BadInput, CompanionError
from firmware.plan import read_plan

EXAMPLE = Path(__file__).parents[2] / "firmware" / "table.example.toml"


def run(*arguments):
    return CliRunner().invoke(wiring, [str(argument) for argument in arguments])


def test_it_draws_the_table_it_is_given(tmp_path):
    svg = tmp_path / "own.svg"
    assert run("--table", EXAMPLE, "-o", svg).output == f"{svg}\n"
    assert 'data-device="seat 4: LED"' in svg.read_text()


def test_it_finds_the_tables_own_file(tmp_path):
    (tmp_path / "table.toml").write_text("[[seat]]\nbutton = 2\nled = 3\n[[seat]]\nbutton = 14\nled = 15\n")
    svg = tmp_path / "own.svg"
    run("--data", tmp_path, "-o", svg)
    assert svg.read_text().count("data-gpio") == 4


def test_the_test_sheet_is_a_second_page(tmp_path):
    said = run("--data", tmp_path, "-o", tmp_path / "box.svg", "--test-sheet").output
    assert said == f"{tmp_path}/box-1.svg\n{tmp_path}/box-2.svg\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--table", "missing.toml"), "is no file"),
        (("-o", "wiring.doc"), "neither .svg nor .pdf"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(tmp_path, arguments, sentence):
    result = run("--data", tmp_path, *arguments)
    assert isinstance(result.exception, CompanionError)
    assert sentence in str(result.exception)


def test_a_table_toml_is_written_once_and_can_be_drawn(tmp_path):
    data = ["--data", str(tmp_path / "house")]
    done = CliRunner().invoke(init, data)
    assert done.exit_code == 0, done.output
    assert read_plan(tmp_path / "house" / "table.toml") == read_plan(EXAMPLE)
    (tmp_path / "house" / "table.toml").write_text("mine")
    assert isinstance(CliRunner().invoke(init, data).exception, BadInput)
    assert (tmp_path / "house" / "table.toml").read_text() == "mine"
