"""How the lights of the emulated Pi 3B are judged, without that Pi: a line stands for QEMU's test socket.

Pins are those of firmware/table.example.toml: the status light's blue is GPIO 21, the second seat's light GPIO 24.
"""

import os
import socket
import threading
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.arm import raspi3b

BLUE, SECOND = 21, 24
STARTED, ONE_IS_READY = raspi3b.LOOKS["started"], raspi3b.LOOKS["one is ready"]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has to be watched for long."""
    monkeypatch.setattr(raspi3b, "STILL_S", 0.1)
    monkeypatch.setattr(raspi3b, "LOOK_S", 0.6)


@contextmanager
def controller(high: Set[int], blinks: Set[int]) -> Iterator[raspi3b.Controller]:
    """A controller with these pins high, while others go up and down at each question."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        with theirs, theirs.makefile("rw") as line:
            for question in line:
                for pin in blinks:
                    line.write(f"IRQ raise {pin}\nIRQ lower {pin}\n")
                levels = sum(1 << pin for pin in high)
                line.write(f"OK {levels:#x}\n" if question.startswith("readl") else "OK\n")
                line.flush()

    answering = threading.Thread(target=answer)
    answering.start()
    with ours:
        try:
            yield raspi3b.Controller(ours)
        finally:
            ours.shutdown(socket.SHUT_RDWR)
            answering.join()


def judged(look: tuple[set[str], set[str]], high: Set[int], blinks: Set[int]) -> str:
    with controller(high, blinks) as pins:
        return raspi3b.wrong(look, pins)


def test_a_look_is_right_when_what_should_be_lit_is_and_nothing_else() -> None:
    assert judged(STARTED, {BLUE}, set()) == ""


def test_a_light_that_stays_dark_is_named() -> None:
    assert judged(STARTED, set(), set()).startswith("blue is low")


def test_a_light_that_should_be_dark_is_named() -> None:
    assert judged(STARTED, {BLUE, SECOND}, set()).startswith("seat 2 is high")


def test_a_light_that_moves_and_should_not_is_named() -> None:
    assert judged(STARTED, {BLUE}, {SECOND}).startswith("seat 2")


def test_a_seat_that_has_to_blink_does_or_is_named() -> None:
    first = raspi3b.outputs()["seat 1"]
    assert judged(ONE_IS_READY, {BLUE, first}, {SECOND}) == ""
    assert judged(ONE_IS_READY, {BLUE, first}, set()) == "seat 2 did not blink"


def test_a_pi_that_has_ended_is_said_and_not_waited_for() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours, pytest.raises((ConnectionError, BrokenPipeError)):
        raspi3b.Controller(ours)


def test_an_emulator_that_does_not_start_is_said_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    qemu = tmp_path / "qemu-system-aarch64"
    qemu.write_text("#!/bin/sh\nexit 1\n")
    qemu.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(raspi3b, "prepare", lambda: None)
    monkeypatch.setattr(raspi3b, "REPORT", tmp_path / "report")
    monkeypatch.setattr(raspi3b, "CALLS_S", 0.5)
    assert not raspi3b.told(tmp_path / "card.img")
    assert "did not come to its end" in capsys.readouterr().out
