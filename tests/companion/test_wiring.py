"""What starts together: silence, and what systemd is told."""

import socket
import threading
import time
from datetime import date, timedelta
from operator import attrgetter
from types import SimpleNamespace

import pytest

from companion import periodic
from companion.app.service import assembly as wiring
from companion.app.service.assembly import Running
from companion.app.service.plan import Plan
from companion.app.service.systemd import Systemd
from companion.app.service.whole_table import WholeTable
from companion.cameras.phone import Phone
from companion.clock import monotonic_us, wall_us
from companion.demo.things import VirtualTable
from companion.game.box import BoxLook, Phase
from companion.game.readings import Glance, Kind, Strictness, Watching
from companion.game.readings.mat import MatSeen
from companion.game.seeing import Eyes
from companion.house.active_game import ActiveGame
from companion.house.pictures import DAY_US
from companion.house.status import NEWS_S, StatusLine
from companion.journal.settings import PHONE_CAMERA
from companion.machine import SENTENCES
from companion.sensing.process_messages import Clip, KeepClips, PictureWanted
from firmware.panel import panel_factory
from firmware.plan import usual_plan
from tests.parts import Kernel

SOON_S = 20.0


@pytest.fixture
def start(tmp_path):
    """Starts the demo without a camera, with these changes; all is closed at the end."""
    started = []

    def start(systemd=None, **changes):
        plan = Plan(**{"demo": True, "camera": "none", "data": tmp_path, "table_toml": None} | changes)
        started.append(Running(plan, systemd))
        return started[-1]

    yield start
    for running in started:
        running.close()


def wrong_tone(running):
    """What the simulated buzzer plays when something is wrong."""
    until_s, pause = time.monotonic() + 0.3, threading.Event()
    running._box.show(BoxLook(Phase.WRONG, ()))
    while time.monotonic() < until_s:
        if tone := running._box.panel.state().tone_hz:
            return tone
        pause.wait(0.01)
    return None


def test_the_box_plays_unless_the_house_is_silent(start):
    running = start()
    assert wrong_tone(running)
    running.host.set_silent(True)
    running.close()
    assert wrong_tone(start()) is None  # also after a restart


def test_silence_can_be_asked_for_at_the_start_and_ended_later(start):
    running = start(silent=True)
    assert wrong_tone(running) is None
    running.host.set_silent(False)
    running._box.show(BoxLook(Phase.WAITING, ()))
    assert wrong_tone(running)


def test_a_table_may_be_wired_silent(start, tmp_path):
    seats = "".join(f"[[seat]]\nbutton = {pins.button}\nled = {pins.led}\n" for pins in usual_plan(2).seats)
    (tmp_path / "table.toml").write_text(f"[box]\nsilent = true\n{seats}[buzzer]\npin = 18\n")
    assert wrong_tone(start(table_toml=tmp_path / "table.toml")) is None


def test_a_box_that_cannot_be_had_is_said_on_the_terminal_too(start, tmp_path, caplog):
    (tmp_path / "table.toml").write_text("[[seat]")
    running = start(table_toml=tmp_path / "table.toml", demo=False)
    assert running.host.status.lines["box"].state == "down"
    assert caplog.messages == [f"box: {running.host.status.lines['box'].text}"]


def test_stamps_that_tell_no_time_are_no_box_that_works(start, tmp_path, monkeypatch):
    (tmp_path / "table.toml").write_text("[[seat]]\nbutton = 17\nled = 23\n[[seat]]\nbutton = 27\nled = 24\n")
    monkeypatch.setattr("firmware.box.pi_factory", panel_factory)
    monkeypatch.setattr("firmware.box.platform.release", lambda: "5.4.83-v8+")
    running = start(table_toml=tmp_path / "table.toml", demo=False)
    assert running.host.status.lines["box"].state == "warn"


def test_systemd_hears_again_and_again_that_all_parts_are_alive(start, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(SOON_S)
        running = start(Systemd(str(tmp_path / "notify"), 100_000))
        running.start()
        assert [manager.recv(100), manager.recv(100)] == [b"WATCHDOG=1"] * 2


@pytest.mark.parametrize("part", ["_box._consumer", "_looks", "host.timers"])
def test_a_part_that_does_nothing_any_more_keeps_systemd_waiting(start, tmp_path, part):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(0.3)
        running = start(Systemd(str(tmp_path / "notify"), 20_000))
        ill = attrgetter(part)(running)
        ill.is_alive = lambda: False
        running.start()
        with pytest.raises(TimeoutError):
            manager.recv(100)
        ill.is_alive = lambda: True
        manager.settimeout(SOON_S)
        assert manager.recv(100) == b"WATCHDOG=1"


def test_a_game_that_cannot_say_how_it_looks_does_not_end_the_looks(start, monkeypatch, caplog):
    running = start()
    tried = threading.Semaphore(0)

    def fail():
        tried.release()
        raise ValueError("nobody expected this")

    monkeypatch.setattr(running.host.active, "refresh_look", fail)
    running.start()
    assert tried.acquire(timeout=SOON_S)
    assert tried.acquire(timeout=SOON_S)
    assert "nobody expected this" in caplog.text


def test_the_copy_of_the_day_is_made_when_the_table_is_up(start, tmp_path, monkeypatch):
    monkeypatch.setattr(wiring, "FIRST_WORK_S", 0.0)
    start().start()
    until_s, pause = time.monotonic() + SOON_S, threading.Event()
    copy = tmp_path / "backups" / f"journal-{date.today()}.sqlite3"
    while not copy.exists() and time.monotonic() < until_s:
        pause.wait(0.01)
    assert copy.exists()


def test_old_pictures_go_when_the_table_is_up_and_each_day_though_no_camera_looks(start, monkeypatch):
    monkeypatch.setattr(wiring, "FIRST_WORK_S", 0.0)
    running = start()
    journal, old_us = running.host.journal, wall_us() - 31 * DAY_US
    kept, gone = journal.add_picture(b"yesterday", wall_us() - DAY_US), journal.add_picture(b"last month", old_us)
    running.start()
    until_s, pause = time.monotonic() + SOON_S, threading.Event()
    while journal.picture(gone) and time.monotonic() < until_s:
        pause.wait(0.01)
    assert (journal.picture(gone), journal.picture(kept)) == (None, b"yesterday")
    running._work.stop()
    later = journal.add_picture(b"another of last month", old_us)
    tomorrow = date.today() + timedelta(days=1)
    monkeypatch.setattr(wiring, "date", SimpleNamespace(today=lambda: tomorrow))
    monkeypatch.setattr(wiring.os, "setpriority", lambda *_: None)  # of this thread, which has more to do
    running._do_daily_work()
    assert journal.picture(later) is None


def test_a_part_that_cannot_be_opened_costs_nothing_but_itself(start, monkeypatch):
    def fails(*_arguments):
        raise ZeroDivisionError

    monkeypatch.setattr("firmware.box.open_box", fails)
    monkeypatch.setattr(ActiveGame, "resume", fails)
    running = start()
    running.start()
    assert running.host.status.lines["box"].state == "down"
    assert periodic.is_well()


def test_lights_and_questions_wait_no_longer_than_a_moment_after_any_fault(start):
    looks = start()._looks
    assert max(looks._failed(ZeroDivisionError()) for _ in range(9)) <= periodic.PAUSE_S * (1 + periodic.SPREAD)


class StandInSupervisor:
    """Looks after a process that is not there."""

    made: list["StandInSupervisor"]

    def __init__(self, target, arguments, on_message, on_status, *, name, start, is_needed):
        self.name, self.arguments, self.sent, self.errands = name, arguments, [], []
        self.starts = self.stops = 0
        self.made.append(self)

    def start(self):
        self.starts += 1

    def stop(self):
        self.stops += 1

    def is_alive(self):
        return True

    def send(self, command):
        self.sent.append(command)

    def send_each(self, errand):
        self.errands.append(errand)


@pytest.fixture
def cameras(monkeypatch):
    """The cameras' processes as they were begun."""
    StandInSupervisor.made = []
    monkeypatch.setattr("companion.app.service.cameras.Supervisor", StandInSupervisor)
    return StandInSupervisor.made


def test_the_demo_has_a_front_camera_from_the_first_game_on_that_looks_through_it(start, cameras, tmp_path):
    running = start(front="virtual")
    running.start()
    running.host.outside.watch(Eyes(above=Kind.BOARD))
    assert cameras == []
    knows = {"references": {"1": {"card": 7}}}
    running.host.outside.watch(Eyes(above=None, front=Kind.TOWER, knows=knows))
    running.host.outside.watch(Eyes())
    (front,) = cameras
    assert (front.name, front.arguments[0], front.arguments[2], front.starts) == (
        "front camera",
        "virtual-front",
        tmp_path / "virtual-scene-front.json",
        1,
    )
    assert isinstance(front.sent[0], VirtualTable)
    assert Watching(Kind.TOWER, knows) in front.sent
    assert KeepClips(True) in front.sent
    running.host.outside.demo.blocks.finish(1)
    assert front.sent[-1].stacks[0] == running.host.outside.demo.blocks.stack(1)


def test_beside_a_camera_that_has_stopped_stands_what_the_power_did_then(start, cameras, tmp_path, monkeypatch, caplog):
    kernel = Kernel(tmp_path, monkeypatch)
    kernel.alarm(False)
    running = start(demo=False, camera="0")
    lines, stopped = running.host.status.lines, "The camera has stopped sending pictures."
    running._cameras._hear_status("camera", "down", stopped)
    assert running.host.status.lines["camera"].text == stopped
    kernel.alarm(True)
    running._machine._look_again()  # It is seen a moment later.
    lines = running.host.status.lines
    assert lines["camera"].text == f"{stopped} {SENTENCES['low']}"
    assert lines["power"] == StatusLine("warn", SENTENCES["low"])
    running._cameras._hear_status("camera", "ok", "The camera works.")
    assert running.host.status.lines["camera"].text == "The camera works."
    running._cameras._hear_status("camera", "down", stopped)
    assert running.host.status.lines["camera"].text == f"{stopped} {SENTENCES['low']}"
    assert f"{stopped} {SENTENCES['low']}" in caplog.text


def test_a_humming_button_is_in_the_status_line_within_fifteen_seconds_and_counts_for_no_game(start, monkeypatch):
    running = start()
    running.start()
    heard, pause = [], threading.Event()
    monkeypatch.setattr(running.host.presses, "hear", heard.append)
    until_s = time.monotonic() + 15
    while "button seat-1" not in running.host.status.lines and time.monotonic() < until_s:
        for move in (running._box.panel.press, running._box.panel.release):
            move("seat-1")
            pause.wait(0.01)
    line = running.host.status.lines["button seat-1"]
    assert (line.state, "no hand makes" in line.text) == ("warn", True)
    assert (heard, running.host.status.troubles()) == ([], (line.text,))
    running._hear_fault("button seat-1", "It is back.", False)
    assert running.host.status.lines["button seat-1"] == StatusLine("note", "It is back.")
    later_s = time.monotonic() + NEWS_S
    monkeypatch.setattr("companion.house.status.time.monotonic", lambda: later_s)
    until_s = time.perf_counter() + SOON_S
    while "button seat-1" in running.host.status.lines and time.perf_counter() < until_s:
        pause.wait(0.01)
    assert "button seat-1" not in running.host.status.lines


def test_a_real_front_camera_has_a_scene_of_its_own(start, cameras, tmp_path):
    running = start(demo=False, camera="0", front="1")
    running.start()
    assert [(each.arguments[0], each.arguments[2], each.starts) for each in cameras] == [
        ("0", tmp_path / "scene.json", 1),
        ("1", tmp_path / "scene-front.json", 1),
    ]
    assert Watching(None) in cameras[1].sent  # until a game says what: a camera by itself reads dice


def test_every_shout_asks_the_front_camera_for_a_look_of_its_own(start, cameras):
    running = start(demo=False, camera="0", front="1")
    running.start()
    for token in ("game:7", "game:8"):
        running.host.outside.glance(token)
    assert [each.errands for each in cameras] == [[], [Glance("game:7"), Glance("game:8")]]


def test_the_clock_ends_before_the_cameras_that_it_speaks_to(start, cameras):
    running, runs = start(demo=False, camera="0"), []
    running.start()
    cameras[0].stop = lambda: runs.append(running.host.timers.is_alive())
    running.close()
    assert runs == [False]


def test_without_a_front_camera_nothing_looks_at_once(start, cameras):
    running = start(demo=False, camera="0")
    running.start()
    running.host.outside.glance("game:7")
    assert [each.errands for each in cameras] == [[]]


def test_who_sets_the_front_camera_up_begins_it_and_hears_only_of_it(start, cameras):
    running = start(front="virtual", camera="virtual")
    running.start()
    above, front = running.host.outside.camera_set_up, running.host.outside.front_set_up
    front.watch(block_mm=(60.0, 40.0, 20.0))
    (_, begun) = cameras
    assert begun.starts == 1
    assert begun.sent[-1].block_mm == (60.0, 40.0, 20.0)
    assert "watched" in running.host.status.lines
    running._cameras._hear("front camera", MatSeen(b"", "webcam", ()))
    assert (front.newest() is None, above.newest() is None) == (False, True)
    front.watch()
    assert len(cameras) == 2  # it is begun once


def test_without_a_front_camera_there_is_none_to_set_up(start, cameras):
    assert start(camera="virtual").host.outside.front_set_up is None


PHONE = Phone("a-device", "Ann's phone")


def switched(running, name, phone=PHONE):
    """The running table after the host has allowed this phone, or stopped the one that is that camera."""
    if phone:
        running.host.outside.phones[name].allow(phone)
    else:
        running.host.outside.phones[name].refuse(running.host.outside.phones[name].allowed.device)


def test_one_tap_makes_a_phone_the_camera_of_a_running_table_and_one_gives_the_place_back(start, cameras, tmp_path):
    running = start(demo=False)
    running.start()
    running.host.outside.watch(Eyes(above=Kind.DICE))
    running.host.outside.be_strict(3.0)
    assert (cameras, running.host.outside.camera_set_up) == ([], None)
    switched(running, "camera")
    (above,) = cameras
    assert (above.arguments[0], above.arguments[2], above.starts) == ("phone", tmp_path / "scene.json", 1)
    assert Watching(Kind.DICE) in above.sent
    assert Strictness(3.0) in above.sent
    assert KeepClips(True) in above.sent
    assert running.host.outside.camera_set_up.path == tmp_path / "scene.json"
    assert running.host.outside.shown_deck is not None
    running._cameras._hear("camera", PictureWanted(1, full=False))
    running.host.outside.phones["camera"].show("a-device", b"a picture", monotonic_us(), full=False)
    assert above.errands[-1].content == b"a picture"
    switched(running, "camera", None)
    assert (len(cameras), above.stops) == (1, 1)
    assert running.host.outside.camera_set_up is None
    assert running.host.status.lines["camera"] == StatusLine("off", "No camera. Tap in your dice.")


def test_a_real_camera_keeps_its_set_up_while_a_phone_has_its_place(start, cameras, tmp_path):
    running = start(demo=False, camera="0")
    running.start()
    switched(running, "camera")
    switched(running, "camera", None)
    assert [(each.arguments[0], each.arguments[2].name, each.stops) for each in cameras] == [
        ("0", "scene.json", 1),
        ("phone", "phone-scene.json", 1),
        ("0", "scene.json", 0),
    ]


def test_two_cameras_are_never_open_in_one_place(start, cameras):
    running, open_then = start(demo=False, camera="0"), []
    running.start()
    cameras[0].stop = lambda: open_then.append(len(cameras))
    switched(running, "camera")
    assert open_then == [1]


def test_a_phone_goes_on_being_the_camera_after_a_restart(start, cameras):
    running = start()
    running.start()
    switched(running, "camera")
    switched(running, "front camera")
    running.close()
    again = start()
    assert [each.arguments[0] for each in cameras] == ["phone"] * 4
    assert again.host.outside.phones["camera"].allowed == Phone(PHONE.device)
    assert "Ann" not in PHONE_CAMERA.for_key("camera").of(again.host.journal)
    switched(again, "camera", None)
    again.close()
    start()
    assert [(each.name, each.arguments[0]) for each in cameras[4:]] == [("front camera", "phone")]


def test_the_demo_has_its_drawn_cameras_again_after_a_phone(start, cameras):
    running = start(camera="virtual", front="virtual")
    running.start()
    running.host.outside.watch(Eyes(above=None, front=Kind.TOWER))
    for name in ("camera", "front camera"):
        switched(running, name)
        switched(running, name, None)
    assert [(each.arguments[0], each.starts, each.stops) for each in cameras] == [
        ("virtual", 1, 1),
        ("virtual-front", 1, 1),
        ("phone", 1, 1),
        ("virtual", 1, 0),
        ("phone", 1, 1),
        ("virtual-front", 1, 0),
    ]
    assert [VirtualTable in map(type, cameras[number].sent) for number in (3, 5)] == [True, True]


def test_after_the_end_no_phone_opens_a_camera(start, cameras):
    running = start(demo=False)
    running.start()
    phones = running.host.outside.phones
    running._cameras.stop()
    phones["camera"].allow(PHONE)
    assert cameras == []


def test_nobody_counts_as_looking_through_a_camera_that_is_gone(start, cameras):
    running = start(demo=False, camera="0")
    running.start()
    running.host.outside.camera_set_up.watch()
    assert "watched" in running.host.status.lines
    switched(running, "camera")
    assert "watched" not in running.host.status.lines


def test_the_cameras_hear_whether_the_house_wants_clips_and_what_comes_is_kept_beside_its_picture(start, cameras):
    running = start(demo=False, camera="0", front="1")
    running.start()
    assert [each.sent.count(KeepClips(True)) for each in cameras] == [1, 1]
    game = running.host.create("sack_stackers", ["Ann", "Bob"], {})
    picture = running.host.journal.add_picture(b"a look", 1, game.session.id)
    running._hear("camera", Clip(picture, 4, 1900, b"a strip"))
    assert running.host.pictures.strip(picture) == b"a strip"
    running.host.pictures.set_keeps_clips(False)
    assert [each.sent[-1] for each in cameras] == [KeepClips(False)] * 2
    running.close()
    again = start(demo=False, camera="0")
    assert KeepClips(False) in cameras[-1].sent
    assert not again.host.pictures.keeps_clips


def test_who_does_not_live_stands_on_the_status_line_and_in_what_mqtt_tells(start, monkeypatch):
    running = start()
    told = WholeTable(running.host, lambda _table, player: player)
    monkeypatch.setattr(periodic, "untold", lambda: ["looks", "timers"])
    running._tell_of_threads()
    assert running.host.status.lines["threads"].text.startswith("A part of the table has failed")
    assert told.now(0)["health"]["threads"] == "warn"
    monkeypatch.undo()
    running._tell_of_threads()
    assert "threads" not in told.now(0)["health"]
