"""The self-test: green, red with what to do, or off; never a traceback."""

import json
import re
import socket
import subprocess
import sys
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.app.cli import cameras
from companion.app.doctor import command as module
from companion.app.doctor import installed, service_checks
from companion.app.doctor.command import Light, Table, parts_for
from companion.app.doctor.host_checks import check_host
from companion.app.doctor.in_turn import run_check
from companion.app.doctor.service_checks import check_power, check_running
from companion.journal.backup import backup
from companion.journal.store import Journal
from companion.network import peers
from companion.packages import PI, install_command
from firmware.lights import Led
from firmware.panel import panel_factory
from tests.parts import Kernel
from vision.models import network

TWO_SEATS = "[[seat]]\nbutton = 17\nled = 23\n[[seat]]\nbutton = 27\nled = 24\n"


def examine(table):
    return tuple(run_check(part.name, part.check, table) for part in parts_for(table))


@pytest.fixture
def port():
    """A port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def table(tmp_path, port):
    return Table(tmp_path / "instance", None, None, port)


def changed(table, **changes):
    return Table(**(vars(table) | changes))


def verdict(table, name):
    check = run_check(name, getattr(module, f"check_{name}"), table)
    assert "\n" not in check.text
    return check


def test_a_device_that_is_not_there_is_red_and_those_that_are_there_are_listed(table, monkeypatch):
    (line,) = [verdict(changed(table, camera="/dev/video99"), "camera")]
    assert (line.light, line.text.startswith("There's no camera at /dev/video99")) == (Light.RED, True)
    monkeypatch.setattr(module, "device_lines", lambda: ("/dev/video0 (HD Camera)", "/dev/video2"))
    assert "/dev/video0 (HD Camera), /dev/video2" in verdict(table, "camera").text


def test_companion_cameras_lists_the_devices(monkeypatch):
    monkeypatch.setattr(cameras, "device_lines", lambda: ("/dev/video0 (HD Camera)",))
    assert CliRunner().invoke(cameras.cameras).output == "/dev/video0 (HD Camera)\n"
    monkeypatch.setattr(cameras, "device_lines", lambda: ())
    assert "no video device" in CliRunner().invoke(cameras.cameras).output


def test_where_nothing_is_named_nothing_is_red(table, tmp_path, monkeypatch):
    Kernel(tmp_path, monkeypatch)
    monkeypatch.setattr(network, "runtime_here", lambda: None)
    monkeypatch.setattr(installed, "find_spec", lambda _name: None)
    lights = {check.name: check.light for check in examine(table)}
    assert lights == {
        "camera": Light.OFF,
        "mat": Light.OFF,
        "reader": Light.GREEN,
        "pins": Light.OFF,
        "table": Light.OFF,
        "power": Light.OFF,
        "storage": Light.GREEN,
        "clock": Light.GREEN,
        "network": Light.GREEN,
        "host": Light.GREEN,
        "certificate": Light.OFF,
        "paper": Light.GREEN,
        "games": Light.GREEN,
        "fast": Light.OFF,
        "solver": Light.OFF,
        "bundle": Light.OFF,
    }


def test_looking_leaves_nothing_behind(table, tmp_path):
    examine(table)
    assert list(tmp_path.iterdir()) == []


def test_a_camera_that_gives_pictures_is_green(table, tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), np.full((48, 64, 3), 90, np.uint8))
    check = verdict(changed(table, camera=str(tmp_path)), "camera")
    assert (check.light, "64 × 48" in check.text) == (Light.GREEN, True)


def test_a_camera_with_its_cap_on_is_red(table, tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((48, 64, 3), np.uint8))
    check = verdict(changed(table, camera=str(tmp_path)), "camera")
    assert (check.light, "take the cap off" in check.text) == (Light.RED, True)


@pytest.mark.parametrize("camera", ["99", "nonsense", "picamera"])
def test_a_camera_that_is_not_there_is_red(table, camera):
    check = verdict(changed(table, camera=camera), "camera")
    assert check.light is Light.RED
    assert re.search(r"[:.] \w", check.text)  # what is wrong, and what to do


def with_pins(table, text=TWO_SEATS):
    """The table, with that table.toml of its own."""
    table.data.mkdir()
    (table.data / "table.toml").write_text(text)
    return table


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            "[buzzer]\npin = 17\n",
            "GPIO 17 is used for the button of seat 1 and for the buzzer. Give one of them another pin.",
        ),
        ("[buttons]\nstart = 42\n", "GPIO 42 for the start button isn't a free pin of the Pi. Choose 2 to 27."),
        ('[buzzer]\nkind = "active"\n', "pin in [buzzer] is missing. Give the number of a GPIO pin, such as 17."),
        ("[[seat]]\nbutton = 5\n", "led in [[seat]] number 3 is missing. Give the number of a GPIO pin, such as 17."),
        ('[buzzer]\npin = 18\nkind = "loud"\n', 'kind in table.toml is \'loud\'. Write "passive" or "active".'),
    ],
)
def test_pins_are_judged_by_table_toml(table, more, sentence):
    check = verdict(with_pins(table, TWO_SEATS + more), "pins")
    assert (check.light, check.text) == (Light.RED, sentence)


def test_another_table_toml_can_be_named(table, tmp_path):
    toml = tmp_path / "other.toml"
    toml.write_text(TWO_SEATS + "[buzzer]\npin = 17\n")
    assert "GPIO 17 is used for" in verdict(changed(with_pins(table), table_toml=toml), "pins").text


def refusing(number):
    raise OSError("can not open gpiochip")


@pytest.mark.parametrize(
    ("chips", "lgpio", "sentence"),
    [
        ((), SimpleNamespace(error=OSError), "This computer has no GPIO pins"),
        ((0,), SimpleNamespace(error=OSError, gpiochip_open=refusing), "Add your user to the group gpio"),
        ((0,), SimpleNamespace(), "lgpio doesn't work here"),
    ],
)
def test_why_pins_cannot_be_used_is_one_sentence(table, monkeypatch, chips, lgpio, sentence):
    monkeypatch.setattr("firmware.pi.chip_numbers", lambda _devices: chips)
    monkeypatch.setattr("firmware.pi.import_module", lambda _name: lgpio)
    check = verdict(with_pins(table), "pins")
    assert (check.light, sentence in check.text) == (Light.RED, True)


def test_without_lgpio_one_sentence_says_what_to_install(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "lgpio", None)
    assert f"or install it with {install_command(PI)}" in verdict(with_pins(table), "pins").text


@pytest.fixture
def panel(monkeypatch):
    """Simulated pins in the place of the Pi's."""
    factory = panel_factory()
    monkeypatch.setattr("firmware.box.pi_factory", lambda: factory)
    return factory


def test_pins_that_answer_are_green(table, panel):
    check = verdict(with_pins(table), "pins")
    assert (check.light, check.text) == (Light.GREEN, "All 4 pins of 2 seats can be used, and no button is stuck.")


def test_pins_that_an_overlay_would_take_are_green_with_its_name(table, panel):
    text = "[[seat]]\nbutton = 7\nled = 10\n[[seat]]\nbutton = 17\nled = 23\n"
    check = verdict(with_pins(table, text), "pins")
    assert check.light is Light.GREEN
    assert check.text.endswith("dtparam=spi=on would take GPIO 7 and 10: leave that out, or choose other pins.")


def test_a_button_that_is_stuck_is_red(table, panel):
    pin = panel.pin(17)
    pin._set_pull = lambda value: None  # whatever holds it down is stronger than the pull-up
    pin._state = False
    check = verdict(with_pins(table), "pins")
    assert (check.light, "seat-1 is down: look for a stuck button" in check.text) == (Light.RED, True)


def test_a_kernel_with_another_clock_is_red(table, panel, monkeypatch):
    monkeypatch.setattr("firmware.box.platform.release", lambda: "5.4.83-v8+")
    check = verdict(with_pins(table), "pins")
    assert (check.light, "times presses with a clock that jumps" in check.text) == (Light.RED, True)


@pytest.fixture
def running(monkeypatch):
    """What the table at the port answers: a status and a text; it does not exist before it is set."""

    def answer(status, text):
        def ask(_method, url, **_limits):
            assert url.endswith("/api/parts")
            return SimpleNamespace(status=status, body=text.encode())

        monkeypatch.setattr(service_checks.outgoing, "ask", ask)

    return answer


def parts(**states):
    return json.dumps(
        [{"part": part.replace("_", " "), "state": state, "text": text} for part, (state, text) in states.items()]
    )


WORKS, STUCK = ("ok", "The button box works."), ("warn", "“Seat 1” is down all the time. Free the button.")


def test_of_pins_that_the_running_companion_has_it_is_asked(table, panel, running):
    other_program = Led(17, panel)
    running(200, parts(box=WORKS))
    check = verdict(with_pins(table), "pins")
    assert (check.light, WORKS[1] in check.text, "Only you can tell" in check.text) == (Light.GREEN, True, True)
    running(200, parts(box=WORKS, **{"button seat-1": STUCK}))
    check = verdict(table, "pins")
    assert (check.light, STUCK[1] in check.text) == (Light.RED, True)
    assert other_program is not None


def test_a_running_demo_does_not_hide_what_is_wrong_with_the_pins(table, panel, running, monkeypatch):
    monkeypatch.setattr(service_checks, "options_of_running", lambda _port: {"demo": True})
    running(200, parts(box=("ok", "The virtual button box works.")))
    assert "The virtual button box works." in verdict(table, "pins").text
    panel.pin(17)._state = False
    panel.pin(17)._set_pull = lambda _value: None  # a finger is stronger than a pull-up
    check = verdict(with_pins(table), "pins")
    assert (check.light, "seat-1 is down" in check.text) == (Light.RED, True)


@pytest.mark.parametrize("status", [401, 403, 404, 500])
@pytest.mark.parametrize("text", ["", "{}", "[]", "[" * 2000, '[{"part": 1}]'])
def test_what_a_running_companion_does_not_say_is_not_green(table, panel, running, status, text):
    other_program = Led(17, panel)
    running(status, text)
    check = verdict(with_pins(table), "pins")
    assert (check.light, "nothing could be seen" in check.text) == (Light.OFF, True)
    assert run_check("table", check_running, table).light is Light.OFF
    assert other_program is not None
    running(200, text)
    assert verdict(table, "pins").light is Light.OFF


def test_the_camera_of_the_running_companion_is_asked_after(table, running):
    running(200, parts(camera=("ok", "The camera gives pictures."), front_camera=("off", "")))
    assert verdict(table, "camera").light is Light.GREEN
    running(200, parts(camera=("down", "The camera has stopped.")))
    for named in (table, changed(table, camera="99")):
        check = verdict(named, "camera")
        assert (check.light, "The camera has stopped." in check.text) == (Light.RED, True)


def test_every_part_of_the_running_companion_is_asked_after(table, running):
    assert run_check("table", check_running, table).light is Light.OFF
    running(200, parts(box=("off", ""), watched=("warn", "Someone is setting up the camera.")))
    check = run_check("table", check_running, table)
    assert (check.light, "Not there: box." in check.text) == (Light.GREEN, True)
    running(200, parts(box=WORKS, buttons=("warn", "“Seat 1” and “Seat 2” are swapped.")))
    check = run_check("table", check_running, table)
    assert (check.light, "are swapped" in check.text) == (Light.RED, True)


def test_power_is_asked_of_the_kernel_and_of_the_running_companion(table, running, tmp_path, monkeypatch):
    kernel = Kernel(tmp_path, monkeypatch)
    check = run_check("power", check_power, table)
    told = "The kernel does not tell its voltage, its heat and the times of its disk."
    assert (check.light, check.text) == (Light.OFF, told)
    kernel.heat(60)
    check = run_check("power", check_power, table)
    assert (check.light, "60 °C" in check.text, "does not tell its voltage" in check.text) == (Light.GREEN, True, True)
    running(200, parts(power=("note", "The machine had too little voltage earlier.")))
    assert run_check("power", check_power, table).light is Light.RED
    running(404, "")
    kernel.firmware("50005")
    check = run_check("power", check_power, table)
    assert (check.light, check.text.count("too little voltage")) == (Light.RED, 1)


def test_a_card_that_slows_is_red(table, tmp_path, monkeypatch):
    kernel, looked = Kernel(tmp_path, monkeypatch), module.machine.look
    table.data.mkdir()

    def look(folder, before=None):
        kernel.disk(2, 2_000 if before else 0, 0, 0) if before else kernel.disk(1, 0, 0, 0)
        return looked(folder, before)

    monkeypatch.setattr(module.machine, "look", look)
    check = verdict(table, "storage")
    assert (check.light, "slow or about to fail" in check.text) == (Light.RED, True)


def test_a_damaged_journal_is_red(table):
    table.data.mkdir()
    (table.data / module.JOURNAL).write_bytes(b"SQLite format 3\0" + b"damage" * 1_000)
    check = verdict(table, "storage")
    assert (check.light, "damaged" in check.text) == (Light.RED, True)


def test_a_good_journal_is_green_and_stays_as_it_is(table):
    journal = Journal(table.data / module.JOURNAL)
    journal.set_setting("auto_accept", "yes")
    journal.close()
    assert verdict(table, "storage").light is Light.GREEN
    journal = Journal(table.data / module.JOURNAL)
    assert (journal.setting("auto_accept", ""), journal.setting("doctor", "")) == ("yes", "")
    journal.close()


def test_what_the_house_takes_of_its_disk_is_said(table):
    journal = Journal(table.data / module.JOURNAL)
    journal.add_picture(b"j" * 3_000_000, 0)
    (table.data / "backups").mkdir()
    backup(journal.path, table.data / "backups" / "journal-2026-01-01.sqlite3", pictures=False)
    journal.close()
    (table.data / "journal.tail").write_bytes(b"e" * 1_500_000)
    said = verdict(table, "storage").text
    assert "it takes 3.1 MB, of that pictures 3.0 MB, its tail 1.5 MB, copies 0.1 MB" in said


def test_a_disk_without_room_for_the_next_copies_is_red(table, monkeypatch):
    journal = Journal(table.data / module.JOURNAL)
    journal.close()
    monkeypatch.setattr("companion.journal.files.LEAST_FREE", 10**15)
    check = verdict(table, "storage")
    assert (check.light, "three journals" in check.text) == (Light.RED, True)


def test_a_folder_that_may_not_be_written_is_red(table, monkeypatch):
    monkeypatch.setattr(module.os, "access", lambda folder, mode: False)
    check = verdict(table, "storage")
    assert (check.light, "may not be written" in check.text) == (Light.RED, True)


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_file_in_the_place_of_the_folder_is_red(table, below):
    table.data.write_text("a letter")
    check = verdict(changed(table, data=table.data / below), "storage")
    assert (check.light, f"{table.data} is no folder" in check.text) == (Light.RED, True)


def test_a_folder_that_cannot_be_reached_is_red_and_no_reason_to_break_off(table):
    checks = {check.name: check for check in examine(changed(table, data=table.data / ("a" * 5000)))}
    for name in ("mat", "pins", "storage", "certificate"):
        assert (checks[name].light, "cannot be reached" in checks[name].text) == (Light.RED, True)


def test_a_full_disk_is_red(table, monkeypatch):
    monkeypatch.setattr(module.shutil, "disk_usage", lambda folder: SimpleNamespace(free=5_000_000))
    assert "Only 5 MB are free" in verdict(table, "storage").text


def test_a_wall_clock_that_was_never_set_is_red(table, monkeypatch):
    monkeypatch.setattr(module.time, "localtime", lambda: SimpleNamespace(tm_year=1970))
    check = verdict(table, "clock")
    assert (check.light, "1970" in check.text) == (Light.RED, True)


def test_a_time_of_day_that_nothing_has_set_is_said(table, monkeypatch):
    monkeypatch.setattr(module, "is_wall_sure", lambda: False)
    check = verdict(table, "clock")
    assert (check.light, "not sure until a network has set it" in check.text) == (Light.GREEN, True)


def test_a_port_in_use_is_red(table):
    with socket.socket() as other:
        other.bind(("0.0.0.0", table.port))
        other.listen()
        check = verdict(table, "network")
    assert (check.light, f"Port {table.port} cannot be used" in check.text) == (Light.RED, True)


def test_a_companion_that_is_running_is_green(table, monkeypatch):
    monkeypatch.setattr(module, "answers", lambda port: True)
    with socket.socket() as other:
        other.bind(("0.0.0.0", table.port))
        other.listen()
        assert "is running at" in verdict(table, "network").text


def test_it_says_what_to_do_where_the_wifi_keeps_devices_apart(table, monkeypatch):
    monkeypatch.setattr(module, "own_address", lambda: "192.168.1.5")
    assert "keeps devices apart: let the Pi make its own network" in verdict(table, "network").text


@pytest.mark.parametrize("is_running", [True, False])
def test_without_an_address_it_is_not_green_and_says_what_to_do(table, monkeypatch, is_running):
    monkeypatch.setattr(module, "own_address", lambda: None)
    monkeypatch.setattr(module, "answers", lambda port: True)
    with socket.socket() as other:
        if is_running:
            other.bind(("0.0.0.0", table.port))
            other.listen()
        check = verdict(table, "network")
    assert (check.light, "plug in its network cable" in check.text) == (Light.RED, True)
    assert ("is running" in check.text) == is_running


def test_a_check_that_breaks_is_a_red_line_and_no_traceback(table):
    def broken(_table):
        raise ZeroDivisionError("nobody expected this")

    check = run_check("camera", broken, table)
    assert (check.light, "ZeroDivisionError" in check.text) == (Light.RED, True)


def command(table, *options):
    """`companion doctor` as people start it, with patience enough for a machine that does other things as well."""
    words = [sys.executable, "-m", "companion", "doctor", "--patience", "60", "--data", str(table.data)]
    words += ["--port", str(table.port), *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=600)


def test_the_command_says_every_line_and_ends_well(table):
    result = command(table)
    assert (result.returncode, result.stderr) == (0, "")  # no progress where there is no terminal
    assert [line.split()[1] for line in result.stdout.splitlines()] == [
        "camera",
        "mat",
        "reader",
        "pins",
        "table",
        "power",
        "storage",
        "clock",
        "network",
        "host",
        "certificate",
        "paper",
        "games",
        "fast",
        "solver",
        "bundle",
    ]


def test_the_command_ends_with_1_when_something_needed_is_red(table):
    for option, name in (("--camera", "camera"), ("--front", "front")):
        result = command(table, "--json", option, "nonsense")
        said = json.loads(result.stdout)
        assert (result.returncode, said["ok"]) == (1, False)
        assert {check["name"]: check["light"] for check in said["checks"]}[name] == "red"


def test_a_camera_that_was_set_up_says_how_well_and_a_damaged_scene_is_red(table):
    table.data.mkdir(parents=True)
    scene = table.data / "scene.json"
    scene.write_text('{"quality": {"markers": 8.0, "die_px": 43.2, "tilt_deg": 12.1, "off_mm": 0.12}}')
    check = verdict(table, "mat")
    assert (check.light, "8 markers, off by 0.1 mm; a die is 43 pixels wide" in check.text) == (Light.GREEN, True)
    scene.write_text("{")
    assert verdict(table, "mat").light is Light.RED


FRONT_QUALITY = {"markers": 4, "block_px": 61.0, "aside_deg": 3.2, "high_deg": 14.0, "off_mm": 0.31}


def test_colours_alone_are_no_camera_that_was_set_up(table):
    table.data.mkdir(parents=True)
    for name, check in (("scene.json", "mat"), ("scene-front.json", "front_mat")):
        (table.data / name).write_text('{"colour_rgb": {"red": [185, 20, 34]}}')
        assert (verdict(table, check).light, "was not set up yet" in verdict(table, check).text) == (Light.OFF, True)


def test_a_front_camera_that_was_set_up_says_how_well_and_a_damaged_scene_is_red(table):
    table.data.mkdir(parents=True)
    scene = table.data / "scene-front.json"
    scene.write_text(json.dumps({"quality": FRONT_QUALITY}))
    said = {check.name: check for check in examine(table)}
    assert said["front mat"].light is Light.GREEN
    assert "4 markers, off by 0.3 mm; a block's middle edge is 61 pixels wide" in said["front mat"].text
    assert "front" not in said  # no camera was named to be opened
    scene.write_text('{"unit_mm": 12}')
    assert "says nothing of how well" in verdict(table, "front_mat").text
    scene.write_text('{"unit_mm": "twelve"}')
    assert verdict(table, "front_mat").light is Light.RED


def test_a_front_camera_that_is_named_is_opened_and_its_mat_asked_for(table, tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), np.full((48, 64, 3), 90, np.uint8))
    said = {check.name: check for check in examine(changed(table, front=str(tmp_path)))}
    assert (said["front"].light, "64 × 48" in said["front"].text) == (Light.GREEN, True)
    assert (said["front mat"].light, "/calibrate/front" in said["front mat"].text) == (Light.OFF, True)


def test_one_camera_in_two_places_is_red(table):
    check = verdict(changed(table, camera="picamera", front="picamera0"), "front")
    assert (check.light, "are one camera" in check.text) == (Light.RED, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "No proxy is named."),
        (("--proxy", "192.168.1.5", "--proxy=10.0.0.0/8"), "Proxies named: 192.168.1.5, 10.0.0.0/8."),
    ],
)
def test_it_says_who_is_taken_for_the_host_and_which_proxies_are_named(table, tmp_path, monkeypatch, arguments, said):
    line = ("python3", "/opt/venv/bin/companion", "run", "--port", "8123", "--screen-user", "kiosk", *arguments)
    (tmp_path / "77").mkdir()
    (tmp_path / "77/cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in line))
    (tmp_path / "net").mkdir()
    (tmp_path / "net/tcp").touch()
    monkeypatch.setattr(peers, "PROC", tmp_path)
    light, text = check_host(changed(table, port=8123))
    assert light is Light.GREEN
    assert "the screen of kiosk" in text
    assert text.endswith(said)
    assert "No table runs at port 8124" in check_host(changed(table, port=8124))[1]
