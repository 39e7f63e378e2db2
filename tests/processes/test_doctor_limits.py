"""What `companion doctor` does with a part that hangs, crashes or leaves something behind.

Each case is a program of its own: the parts run in a child of it, and nothing of pytest is in that child.
"""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.app.doctor.checks import Light, Part, Table
from companion.app.doctor.command import parts_for
from companion.app.doctor.in_turn import LEAST_S, LEAVE_S, TOGETHER_S, Allowance

PARTS = """
import os, signal, sys, tempfile, threading, time
from pathlib import Path
from companion.app.doctor.checks import Light, Part, Table
from companion.app.doctor.in_turn import run_in_turn

def good(table):
    return Light.GREEN, "All is well."

def hangs(table):
    with tempfile.TemporaryDirectory(dir=table.data):
        threading.Event().wait()

def hangs_and_is_deaf(table):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (table.data / "deaf").write_text(str(os.getpid()))
    threading.Event().wait()

def crashes(table):
    os.kill(os.getpid(), signal.SIGSEGV)

def leaves_a_thread(table):
    threading.Thread(target=threading.Event().wait).start()
    return Light.GREEN, "A thread is left."

def run(*checks):
    parts = [Part(check.__name__, check, 1 if "hangs" in check.__name__ else 600, "try again") for check in checks]
    for check in run_in_turn(parts, Table(Path(sys.argv[1]), None, None, 8000), 1, begins=lambda part: None):
        print(check.name, check.light, check.text, flush=True)
"""


def run(folder, *checks):
    """The lines of these checks; fails when the program does not end by itself."""
    program = f"{PARTS}\nrun({', '.join(checks)})\n"
    result = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, timeout=300, check=True
    )
    assert result.stderr == ""
    return result.stdout.splitlines()


def test_a_part_that_hangs_is_given_up_and_the_next_ones_are_tested(tmp_path):
    assert run(tmp_path, "good", "hangs", "good", "hangs", "good") == [
        "good green All is well.",
        "hangs red This took longer than 1 s and was given up: try again.",
        "good green All is well.",
        "hangs red This took longer than 1 s and was given up: try again.",
        "good green All is well.",
    ]
    assert list(tmp_path.iterdir()) == []  # what it had made is put away


def test_a_part_that_hears_no_signal_is_ended(tmp_path):
    assert run(tmp_path, "hangs_and_is_deaf", "good")[1] == "good green All is well."
    assert not Path("/proc", (tmp_path / "deaf").read_text()).exists()


def test_a_part_that_crashes_is_a_red_line_and_the_next_ones_are_tested(tmp_path):
    assert run(tmp_path, "good", "crashes", "good") == [
        "good green All is well.",
        "crashes red The test itself crashed: please report this sentence.",
        "good green All is well.",
    ]


def test_a_thread_that_is_left_keeps_nobody(tmp_path):
    assert run(tmp_path, "leaves_a_thread") == ["leaves_a_thread green A thread is left."]


def part(limit_s, waits_for_a_camera=False):
    return Part("one", lambda _table: (Light.OFF, ""), limit_s, "wait", waits_for_a_camera)


def longest_s(parts, patience=1.0):
    """Seconds until the last line when every part hangs."""
    allowance, whole_s = Allowance(patience), 0.0
    for each in parts:
        took_s = allowance.of(each)
        allowance.take(each, took_s)
        whole_s += took_s + LEAVE_S
    return whole_s


def test_whatever_hangs_the_last_line_comes_within_half_a_minute(tmp_path):
    parts = parts_for(Table(tmp_path, None, None, 8000))
    assert longest_s(parts) <= 30 + LEAVE_S * len(parts)
    assert longest_s(parts, patience=3) <= 90 + LEAVE_S * len(parts)


def test_a_camera_takes_nothing_from_the_others():
    allowance = Allowance(1)
    allowance.take(part(10, waits_for_a_camera=True), 10)
    assert allowance.of(part(TOGETHER_S)) == TOGETHER_S
    allowance.take(part(TOGETHER_S), TOGETHER_S)
    assert (allowance.of(part(5)), allowance.of(part(10, waits_for_a_camera=True))) == (LEAST_S, 10)


@pytest.mark.skipif(not hasattr(pty, "openpty"), reason="this system has no terminals")
def test_a_terminal_shows_what_is_being_tested(tmp_path):
    terminal, end = pty.openpty()
    words = [sys.executable, "-m", "companion", "doctor", "--patience", "60", "--data", str(tmp_path / "instance")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=end, text=True) as process:
        os.close(end)
        lines, _nothing = process.communicate(timeout=600)
    shown = os.read(terminal, 65536).decode()
    os.close(terminal)
    names = [line.split()[1] for line in lines.splitlines()]
    assert re.findall(r"\r\x1b\[K(\w+) …\r\x1b\[K", shown) == names
    assert shown.endswith("\r\x1b[K")  # nothing of it is left
