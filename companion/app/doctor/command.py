"""`companion doctor`: does everything work here, and what to do where it does not."""

import math
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click

from companion import machine
from companion.app.as_json import echo_json
from companion.app.cli.options import data_option, mains_option, table_option
from companion.app.doctor.checks import Check, Light, Part, Table, front_scene, is_there
from companion.app.doctor.host_checks import check_host
from companion.app.doctor.in_turn import run_in_turn
from companion.app.doctor.installed import check_bundle, check_fast, check_games, check_paper, check_solver
from companion.app.doctor.mat_checks import check_front_mat, check_mat
from companion.app.doctor.service_checks import ask_parts, check_buttons, check_power, check_running
from companion.cameras.devices import device_lines
from companion.cameras.in_network import hide_in_process_list, without_secrets
from companion.cameras.mains import choose as choose_mains
from companion.cameras.names import ABOVE, FRONT, NO_CAMERA, VIRTUAL, VIRTUAL_FRONT, refuse_one_twice
from companion.clock import Clock, is_wall_sure
from companion.errors import CameraUnavailable, HardwareUnavailable
from companion.journal.disk_use import used_by
from companion.journal.files import room_wanted
from companion.network.addresses import in_url, own_address
from companion.network.certificate import RENEWAL_DAYS, HouseCertificate, now

JOURNAL = "journal.sqlite3"
SPACE_MB = 200  # A thousand games with their pictures take it.
FIRST_YEAR = 2026  # A wall clock that says less has never been set.
FIRST_PICTURE_S = 10.0
MOST_HEALTH_BYTES = 10_000
FOCUS_US = 4_000_000  # A focus that hunts more slowly is reported while the table runs.
LIMITS = {
    "knows_mains": " It can't be told the mains frequency: if a lamp makes stripes in its picture, use another lamp.",
    "knows_time": " Its pictures carry no time of their own: each counts from the moment at which it comes.",
}
# No program can find out: from here a network that keeps devices apart looks like any other.
ISOLATED = (
    "If tablets cannot open this address, their Wi-Fi keeps devices apart: let the Pi make its own network "
    "(hardware/README.md, Install)."
)
UNREACHABLE = (
    "No tablet can reach it, as this machine has no address in a network: plug in its network cable, join a Wi-Fi, or "
    "let the Pi make its own network (hardware/README.md, Install)."
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@data_option()
@click.option(
    "--camera",
    default=None,
    envvar="COMPANION_CAMERA",
    help="As for run: 0, /dev/video0, picamera, rtsp://…, http://…, FOLDER, VIDEO, virtual or none.",
)
@click.option(
    "--front",
    default=None,
    envvar="COMPANION_FRONT",
    help="As for run: the camera at table height, such as 1 or picamera1.",
)
@mains_option
@table_option
@click.option(
    "--patience",
    default=1.0,
    show_default=True,
    type=click.FloatRange(min=1, max=1000),
    help="Times the time limit of every part, for a machine that is slow or busy.",
)
@click.option(
    "--build-test", type=click.Path(path_type=Path), help="Then walks you through each part of the box: .svg or .pdf."
)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Of the scoreboard.")
@click.pass_context
def doctor(
    context: click.Context,
    as_json: bool,
    data: Path,
    camera: str | None,
    front: str | None,
    mains: str,
    table_toml: Path | None,
    patience: float,
    port: int,
    build_test: Path | None,
) -> None:
    """Tests cameras, reader, pins, storage, clock and network. Exit 1 when something that is needed fails.

    Each part has a time limit; without a camera the last line comes within half a minute.

    --json gives {"ok": …, "checks": [{"name": …, "light": "green" | "red" | "off", "text": …}]}.
    """
    hide_in_process_list(camera, front)
    choose_mains(mains)
    table = Table(data, camera, table_toml, port, front)
    checks = []
    for check in run_in_turn(parts_for(table), table, patience, begins=lambda part: show_progress(f"{part.name} …")):
        show_progress("")
        checks.append(check)
        if not as_json:
            say(check)
    ok = all(check.light is not Light.RED for check in checks)
    if build_test is not None and not as_json:
        from companion.app.doctor.build_test import walk

        ok = walk(table, build_test) and ok
    if as_json:
        echo_json({"ok": ok, "checks": [asdict(check) for check in checks]})
    if not ok:
        context.exit(1)


def say(check: Check) -> None:
    """Prints the line of one check at once, so that a slow machine is seen to work."""
    colours = {Light.GREEN: "green", Light.RED: "red", Light.OFF: None}
    click.echo(f"{click.style(f'{check.light:<6}', fg=colours[check.light])} {check.name:<9} {check.text}")
    sys.stdout.flush()


def show_progress(text: str) -> None:
    """Shows at a terminal what is being tested, in a line that the next one overwrites; "" takes it away."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{text}", nl=False, err=True)


def parts_for(table: Table) -> tuple[Part, ...]:
    """The parts of the self-test, in the order in which a picture becomes a score."""
    has_front, camera_s = is_there(table.front), FIRST_PICTURE_S + FOCUS_US / 1_000_000
    cable = "check the camera's cable, or use another USB socket"
    disk = "the disk or card is slow or fails, so try another"
    busy = "this machine is slow or busy, so end other programs, or add --patience 5"
    driver = "a driver hangs, so start the machine anew"
    return (
        Part("camera", check_camera, camera_s, cable, is_there(table.camera)),
        Part("mat", check_mat, 5, disk),
        *([Part("front", check_front, camera_s, cable, True)] if has_front else []),
        *([Part("front mat", check_front_mat, 5, disk)] if has_front or os.path.exists(front_scene(table)) else []),
        Part("reader", check_reader, 12, busy),
        Part("pins", check_pins, 5, driver),
        Part("table", check_running, 5, busy),
        Part("power", check_power, 5, driver),
        Part("storage", check_storage, 5, disk),
        Part("clock", check_clock, 5, busy),
        Part("network", check_network, 5, busy),
        Part("host", check_host, 5, busy),
        Part("certificate", check_certificate, 5, disk),
        Part("paper", check_paper, 5, disk),
        Part("games", check_games, 5, busy),
        Part("fast", check_fast, 5, busy),
        Part("solver", check_solver, 5, busy),
        Part("bundle", check_bundle, 5, disk),
    )


def check_camera(table: Table) -> tuple[Light, str]:
    if not is_there(table.camera):
        if (running := ask_parts(table.port)).has(ABOVE):
            return running.verdict(ABOVE, FRONT)
        devices = device_lines()
        listed = f"this machine shows {', '.join(devices)}" if devices else "this machine shows none"
        return (
            Light.OFF,
            f"No camera was named, {listed}: add --camera 0, --camera picamera or --camera rtsp://… to test one.",
        )
    try:
        return look_through(table.camera)
    except CameraUnavailable:
        if (running := ask_parts(table.port)).has(ABOVE):  # The table that runs has it.
            return running.verdict(ABOVE, FRONT)
        raise


def check_front(table: Table) -> tuple[Light, str]:
    """Checks that the camera at table height is another one and gives a picture."""
    assert table.front is not None
    refuse_one_twice(table.camera or NO_CAMERA, table.front)
    return look_through(VIRTUAL_FRONT if table.front == VIRTUAL else table.front)


def look_through(name: str) -> tuple[Light, str]:
    """Checks that a camera opens in time and gives a picture that is whole."""
    from vision.cameras.health import broken, cast
    from vision.open_camera import open_camera
    from vision.watch.lookout import HUNTS

    began_s = time.monotonic()
    with open_camera(name) as camera:
        frames = camera.frames()
        frame = next(frames, None)
        took_s = time.monotonic() - began_s
        focus = focus_note(camera, frames) if frame is not None else ""
    if frame is None:
        return Light.RED, f"The camera {without_secrets(name)} gave no picture: check its cable, or name another."
    height, width = frame.bgr.shape[:2]
    if took_s > FIRST_PICTURE_S:
        return Light.RED, f"The first picture took {took_s:.0f} s: check the cable, or use another USB socket."
    if frame.bgr.max() < 16:
        return Light.RED, "The picture is black: take the cap off, or switch on a light."
    if camera.live and (trouble := broken(frame.bgr) or cast(frame.bgr)):
        return Light.RED, trouble
    if focus == HUNTS:
        return Light.RED, focus
    camera_sentence = f"The camera {without_secrets(name)} gives pictures of {width} × {height} pixels."
    return Light.GREEN, camera_sentence + limits_of(camera) + focus


def focus_note(camera: object, frames: Iterator[Any]) -> str:
    """What is to be said of a camera's focus, after its frames were watched for some seconds: a sentence, or ""."""
    from vision.cameras.camera import Autofocus
    from vision.watch.lookout import HUNTS
    from vision.watch.sharpness import Sharpness

    if not isinstance(camera, Autofocus):
        return ""
    sharpness, until_us = Sharpness(), math.inf
    for frame in frames:
        sharpness.feed(frame.bgr, frame.at_us)
        if sharpness.is_hunting:
            return HUNTS
        until_us = min(until_us, frame.at_us + FOCUS_US)
        if frame.at_us >= until_us:
            break
    if not camera.focuses_itself():
        return ""
    return " It focuses by itself; the companion holds its focus once you have set it up, or when it goes in and out."


def limits_of(camera: object) -> str:
    """The sentences on what a camera cannot do: be told the frequency of the mains, or say when a picture was taken."""
    return "".join(sentence for ability, sentence in LIMITS.items() if not getattr(camera, ability, True))


def check_reader(table: Table) -> tuple[Light, str]:
    """Checks that the dice reader loads, and measures its time."""
    import numpy as np

    from companion.game.readings import Kind, Watching
    from vision.watch.known_table import KnownTable
    from vision.watch.lookout import reader_for

    read = reader_for(KnownTable(), Watching(Kind.DICE))
    began_s = time.monotonic()
    read(np.full((960, 1280, 3), 90, np.uint8))
    return (
        Light.GREEN,
        f"The dice reader is ready; an empty table takes it {(time.monotonic() - began_s) * 1000:.0f} ms.",
    )


def check_pins(table: Table) -> tuple[Light, str]:
    """Checks that the pins in table.toml can be used and no button is stuck."""
    from firmware.box import open_box
    from firmware.plan import overlay_warning, read_plan

    running, toml = ask_parts(table.port), table.table_toml or table.data / "table.toml"
    is_named = table.table_toml is not None or toml.exists()
    if running.has("box") and not (is_named and running.is_demo):
        light, said = check_buttons(running)
        return light, f"{said} {overlay_warning(read_plan(toml)) if is_named else ''}".strip()
    if not is_named:
        return Light.OFF, f"No table.toml names a button box; run --demo has a simulated one. {running.silence}".strip()
    shared = overlay_warning(read_plan(toml))
    try:
        box = open_box(toml, False, Clock(), lambda _signal: None)
    except HardwareUnavailable:
        if running.silence:
            return Light.OFF, f"The pins are taken, so nothing could be seen of them. {running.silence}"
        raise
    with box:
        if stuck_buttons := box.pressed_buttons():
            stuck = f"{' and '.join(stuck_buttons)} {'is' if len(stuck_buttons) == 1 else 'are'} down"
            return Light.RED, f"With nobody touching them, {stuck}: look for a stuck button, a short circuit or pull."
        if box.trouble:
            return Light.RED, box.trouble
        pins = len(tuple(box.plan.pins()))
    usable = f"All {pins} pins of {len(box.plan.seats)} seats can be used, and no button is stuck."
    return Light.GREEN, f"{usable} {shared}".strip()


def check_storage(table: Table) -> tuple[Light, str]:
    """Checks that the journal opens, that there is room, and that the disk keeps what is written."""
    from companion.journal.data_folder import version_of
    from companion.journal.store import Journal

    folder, journal_file = nearest_folder(table.data), table.data / JOURNAL
    if not folder.is_dir():
        return Light.RED, f"{folder} is no folder: start with another --data."
    if not os.access(folder, os.W_OK):
        return Light.RED, f"The folder {folder} may not be written: change its owner, or start with another --data."
    if journal_file.exists():
        if not os.access(journal_file, os.W_OK):
            return Light.RED, f"The journal {journal_file} may not be written: change its owner."
        # It only reads: the companion that writes the journal may be running, and be an older one.
        version_of(journal_file)
    before = machine.look(folder)
    with tempfile.TemporaryDirectory(dir=folder, prefix="doctor-") as scratch:
        journal = Journal(Path(scratch) / JOURNAL)
        journal.set_setting("doctor", "was here")
        journal.close()
        journal = Journal(Path(scratch) / JOURNAL)
        survived = journal.setting("doctor", "") == "was here"
        journal.close()
    if not survived:
        return Light.RED, f"What is written in {folder} is gone when it is read again: choose another disk."
    if "card" in (now := machine.look(folder, before)).troubles:
        return Light.RED, now.told()
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < SPACE_MB:
        return Light.RED, f"Only {free_mb} MB are free in {folder}: make room for {SPACE_MB} MB."
    if journal_file.exists() and (wanted_mb := room_wanted(journal_file)):
        return Light.RED, f"Only {free_mb} MB are free in {folder}: make room for {wanted_mb} MB, three journals."
    used = used_by(journal_file)
    return Light.GREEN, (
        f"The journal in {table.data} can be written; it takes {megabytes(used.journal)}, of that pictures "
        f"{megabytes(used.pictures)}, its tail {megabytes(used.tail)}, copies {megabytes(used.copies)}; "
        f"{free_mb // 1000} GB are free."
    )


def megabytes(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB"


def nearest_folder(path: Path) -> Path:
    """`path`, or the nearest folder above it that exists."""
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())


def check_clock(_table: Table) -> tuple[Light, str]:
    """Checks that monotonic time goes forward and the wall clock has been set."""
    stamps = [time.monotonic_ns() for _ in range(1000)]
    if stamps != sorted(stamps) or not time.get_clock_info("monotonic").monotonic:
        return Light.RED, "The monotonic clock goes backwards: rounds cannot be timed on this machine."
    year = time.localtime().tm_year
    if year < FIRST_YEAR:
        return Light.RED, f"The wall clock says {year}: connect to a network once, or set it with timedatectl."
    if not is_wall_sure():
        return (
            Light.GREEN,
            "Time goes forward; the time of day is not sure until a network has set it: no clock chip was found.",
        )
    return Light.GREEN, f"Time goes forward, and the wall clock says {time.strftime('%Y-%m-%d %H:%M')}."


def check_network(table: Table) -> tuple[Light, str]:
    """Checks that the scoreboard's port is free or in use by the scoreboard, and that the machine has an address."""
    address = own_address()
    where = f"http://{in_url(address or 'localhost')}:{table.port}"
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("0.0.0.0", table.port))
        except OSError as error:
            if answers(table.port):
                light, advice = (Light.GREEN, ISOLATED) if address else (Light.RED, UNREACHABLE)
                return light, f"The companion is running at {where}. {advice}"
            return (
                Light.RED,
                f"Port {table.port} cannot be used ({error.strerror}): stop the other program, or choose another.",
            )
    if address is None:
        return Light.RED, f"Port {table.port} is free. {UNREACHABLE}"
    return Light.GREEN, f"Port {table.port} is free; tablets will find the scoreboard at {where}. {ISOLATED}"


def check_certificate(table: Table) -> tuple[Light, str]:
    """Checks that the table's certificate, if there is one, is valid and was renewed in time."""
    house = HouseCertificate(table.data)
    if not house.exists():
        return Light.OFF, "None: http serves everything that is essential. companion cert makes one."
    ends, left = house.ends(), house.ends() - now()
    if left.days < 0:
        return Light.RED, f"It ended on {ends:%Y-%m-%d}: type companion cert, and start the table anew."
    if left.days < RENEWAL_DAYS - 2:  # A running table should have renewed it by now.
        return Light.RED, f"It ends on {ends:%Y-%m-%d} and was not renewed: start the table anew and read its log."
    return Light.GREEN, f"https until {ends:%Y-%m-%d}; a running table renews it {RENEWAL_DAYS} days before."


def answers(port: int) -> bool:
    """Whether a companion runs at this port."""
    from companion.network.outgoing import ask

    try:
        health = ask("GET", f"http://127.0.0.1:{port}/healthz", within_s=2, most_bytes=MOST_HEALTH_BYTES)
        return health.status in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
    except OSError:
        return False
