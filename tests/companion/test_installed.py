"""What the self-test says of the installation."""

import json
import sys

from companion.app.doctor import installed
from companion.app.doctor.checks import Light
from companion.app.doctor.in_turn import run_check
from companion.app.doctor.installed import check_bundle, check_fast, check_games, check_solver, of_slot
from companion.packages import FAST, SOLVER, install_command
from companion.shelf import GAMES, Refused
from vision.models import network


def version(folder, number=None):
    """A version that was installed, from the bundle of that number or from none."""
    folder.mkdir()
    (folder / "complete").touch()
    if number:
        described = {"version": number, "commit": "0123abcd", "made": "2026-11-27", "pythons": ["3.13"]}
        (folder / "bundle.json").write_text(json.dumps(described))
    return folder


def test_a_companion_from_elsewhere_says_so(tmp_path):
    assert of_slot(version(tmp_path / "a")) == (Light.OFF, "This companion was not installed from a bundle.")


def test_the_bundle_is_named_and_so_is_the_one_before(tmp_path):
    slot = version(tmp_path / "b", "0.2.0")
    first = "The bundle 0.2.0 of 2026-11-27 (0123abcd) is installed"
    assert of_slot(slot) == (Light.GREEN, f"{first}; no version before it is kept.")
    other = version(tmp_path / "a", "0.1.0")
    (tmp_path / "current").symlink_to("b")
    assert of_slot(slot)[1] == f"{first}; the version before it is kept: 0.1.0 of 2026-11-27 (0123abcd)."
    (other / "bundle.json").unlink()
    assert of_slot(slot)[1] == f"{first}; the version before it is kept: one that came from no bundle."
    (other / "complete").unlink()  # half a version is none
    assert of_slot(slot)[1] == f"{first}; no version before it is kept."


def test_a_damaged_description_is_a_red_line(tmp_path, monkeypatch):
    slot = version(tmp_path / "a", "0.1.0")
    (slot / "bundle.json").write_text("{")
    monkeypatch.setattr(sys, "prefix", str(slot / "venv"))
    assert run_check("bundle", check_bundle, None).light is Light.RED


def test_games_that_cannot_be_played_are_a_red_line(monkeypatch):
    assert check_games(None) == (Light.GREEN, f"{len(GAMES)} games can be played.")
    monkeypatch.setattr(installed, "REFUSED", (Refused("farkle", "farkle", "Update it."),))
    assert check_games(None) == (Light.RED, "The game of the package farkle can't be played. Update it.")


def test_what_reads_faster_or_packs_better_is_named_with_its_command_where_it_is_missing(monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda _name: None)
    monkeypatch.setattr(network, "runtime_here", lambda: None)
    for check, extra, weaker in (
        (check_fast, FAST, "a third to a half longer"),
        (check_solver, SOLVER, "less well"),
    ):
        light, said = check(None)
        assert light is Light.OFF
        assert weaker in said.partition(". Install ")[0]
        assert said.endswith(f" with {install_command(extra)}")
    monkeypatch.setenv(network.WITHOUT_RUNTIME, "1")
    assert "Install" not in check_fast(None)[1]  # It is there, and not wanted.


def test_an_extra_that_is_there_is_a_green_line(monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda _name: object())
    monkeypatch.setattr(network, "runtime_here", lambda: object())
    monkeypatch.setattr(network, "engine", lambda: "ONNX Runtime 1.31.1")
    assert check_fast(None) == (Light.GREEN, "Pictures are read by ONNX Runtime 1.31.1, the fastest way.")
    assert check_solver(None)[0] is Light.GREEN
