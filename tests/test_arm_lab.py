"""What of `make test-arm` can be tried without its emulated machine; the whole takes most of an hour, outside CI."""

import base64
import json
import os
import re
import shutil
import subprocess
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from companion.journal.store import Journal
from tests.arm import __main__ as arm
from tests.arm import disk, guest, machine, power, reckoned, system, upgrade
from tests.torture.test_write_log import FLUSH, entry, log_of

ROOT = Path(__file__).parents[1]


def find_program(name: str) -> str | None:
    """A program of root's."""
    return shutil.which(name, path=system.WITH_SBIN["PATH"])


def program(path: Path, script: str) -> Path:
    """A program that stands for another one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_each_part_that_is_offered_runs_in_the_machine() -> None:
    assert tuple(guest.PARTS) == arm.PARTS


def test_each_part_that_a_document_names_is_there() -> None:
    documents = [
        ROOT / "Makefile",
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "hardware").glob("*.md"),
    ]
    named = {
        part
        for document in documents
        for parts in re.findall(r'make test-arm PARTS="?([a-z0-9_ ]+)', document.read_text())
        for part in parts.split()
    }
    assert named, "no document says how to try one part alone"
    assert named <= {*arm.PARTS, arm.AFTERWARDS}


def test_a_kind_that_cannot_be_read_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin" / "companion", '[ "$2" = dice ] && echo "[]" || { echo "No scene." >&2; exit 3; }')
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "words.json").write_text(json.dumps({"dice": ["a.jpg"], "card": ["b.png"]}))
    monkeypatch.setattr(guest, "VENV", tmp_path / "bin")
    monkeypatch.setattr(guest, "CHECKS", tmp_path)
    monkeypatch.setattr(guest, "REPORT", tmp_path)
    found = guest.readings()
    assert not found["ok"]
    assert found["status"] == {"card": 3}
    assert (tmp_path / "readings.log").read_text() == "No scene.\n"


@pytest.mark.parametrize("broken", ["/run/report", "/checks"])
def test_a_folder_that_cannot_be_mounted_ends_the_checks_and_is_named(tmp_path: Path, broken: str) -> None:
    program(tmp_path / "mkdir", "exit 0")
    program(tmp_path / "mount", f'case "$*" in *" {broken}") exit 32 ;; esac')
    path = f"{tmp_path}:{os.environ['PATH']}"
    script = machine.HERE / "arm-tests.sh"
    done = subprocess.run(["bash", script], env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "cannot be mounted, so nothing was checked." in done.stdout
    assert "began" not in done.stdout


def test_the_machine_goes_off_however_its_checks_ended() -> None:
    unit = (machine.HERE / "arm-tests.service").read_text()
    assert {"SuccessAction=poweroff-immediate", "FailureAction=poweroff-immediate"} <= set(unit.splitlines())
    # A unit that waits for a mount never begins where the mount fails, and never ends either: the script mounts.
    assert "Requires" not in unit


def test_a_part_that_did_not_report_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert not arm.told("install", None)
    assert capsys.readouterr().out == "  install     did not report\n"


def test_the_consoles_last_lines_are_told_without_its_colours(tmp_path: Path) -> None:
    console = tmp_path / "console.log"
    lines = [f"\x1b[[0;32m  OK  \x1b[0m Started part {number}.\r" for number in range(50)]
    console.write_text("\n".join(["\x1b[!p\x1b]104\x07\x1b[?7h", *lines, "", "  "]))
    said = arm.last_lines(console)
    assert len(said) == arm.LAST_LINES
    assert said[-1].endswith("Started part 49.")
    assert not any("\x1b" in line for line in said)
    assert arm.last_lines(tmp_path / "none") == []


DIE = {"value": 1, "conf": 0.98, "angle_deg": -0.3, "alternatives": [[1, 0.9835]], "ms": 90.0}


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"angle_deg": -0.4, "alternatives": [[1, 0.9828], [5, 0.0011]], "ms": 4000.0}, []),
        ({"value": 2}, ["dice[0].value: 1 here, 2 there"]),
        ({"conf": 0.95}, ["dice[0].conf: 0.98 here, 0.95 there"]),
        ({"angle_deg": 1.0}, ["dice[0].angle_deg: -0.3 here, 1.0 there"]),
        ({"alternatives": [[1, 0.95]]}, ["dice[0].alternatives 1: 0.9835 here, 0.95 there"]),
        ({"alternatives": [[1, 0.9835], [5, 0.03]]}, ["dice[0].alternatives 5: 0.0 here, 0.03 there"]),
    ],
)
def test_readings_are_the_same_where_values_are_and_chances_close(there: dict[str, object], told: list[str]) -> None:
    assert list(arm.differences([DIE], [DIE | there], "dice")) == told


def test_a_block_may_be_told_by_either_of_its_sides() -> None:
    block = {"w": 83.4, "h": 277.4, "angle_deg": -83.8, "x": 300.0}
    same = block | {"w": 277.4, "h": 83.4, "angle_deg": 6.2}
    assert list(arm.differences(block, same, "tower")) == []
    assert list(arm.differences(block, same | {"w": 270.0}, "tower")) == ["tower.w: 277.4 here, 270.0 there"]


@pytest.mark.skipif(not find_program("mke2fs"), reason="this machine makes no ext4 file systems")
def test_a_disk_that_was_switched_off_at_once_is_put_in_order(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "file").write_text("here")
    image = tmp_path / "disk.img"
    system.image(tmp_path / "root", image, 8)
    damage = [find_program("debugfs"), "-w", "-R", "clri file", str(image)]
    subprocess.run(damage, capture_output=True, check=True)
    wrong = [find_program("e2fsck"), "-f", "-n", str(image)]
    assert subprocess.run(wrong, capture_output=True).returncode != 0
    system.mend(image)
    assert subprocess.run(wrong, capture_output=True).returncode == 0
    image.write_bytes(bytes(8 << 20))
    with pytest.raises(system.CannotBeHadError):
        system.mend(image)


def test_a_disk_is_rebuilt_as_the_power_left_it(tmp_path: Path) -> None:
    disk, log = tmp_path / "disk.img", tmp_path / "writes.log"
    disk.write_bytes(b"-" * 512 * 40)
    entries = [entry(0, 1, 0, b"a" * 512), entry(0, 0, FLUSH), *(entry(n, 1, 0, b"b" * 512) for n in range(1, 40))]
    log.write_bytes(log_of(*entries))
    found = [(at, image.read_bytes()[::512]) for at, image in power.after(disk, log, [1, 2, 39, 40], Random(1))]
    assert found[0] == (1, b"a" + b"-" * 39)  # all that was written
    assert found[1] == (2, b"a" + b"-" * 39)
    assert found[2] == (39, b"a" + b"b" * 37 + b"--")
    assert found[3][1][:1] == b"a"  # it was flushed, the rest was not
    assert 0 < found[3][1].count(b"b") < 38
    assert disk.read_bytes() == b"-" * 512 * 40


def test_what_the_service_has_acknowledged_stands_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade, "MARKS", tmp_path / "marks")
    upgrade.mark("upgraded-0-r")
    upgrade.mark("upgraded-0-u")
    assert power.marks_in(power.Write(0, (tmp_path / "marks").read_bytes().ljust(4096, b"\0"))) == [
        "upgraded-0-r",
        "upgraded-0-u",
    ]


def installed(root: Path) -> Path:
    """A version in slot a, in use; the folder of its packages."""
    slot = root / power.HOME / "a"
    packages = slot / "venv/lib/python3.13/site-packages"
    (packages / "table_companion-0.1.0.dist-info").mkdir(parents=True)
    (packages / "companion.py").write_text("print()")
    stated = base64.urlsafe_b64encode(sha256(b"print()").digest()).rstrip(b"=").decode()
    record = f"companion.py,sha256={stated},7\ntable_companion-0.1.0.dist-info/RECORD,,\n"
    (packages / "table_companion-0.1.0.dist-info" / "RECORD").write_text(record)
    (slot / "complete").touch()
    for unit in power.UNITS:
        for folder in (slot / "systemd", root / "etc/systemd/system"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / unit).write_text("[Service]")
    (root / power.HOME / "current").symlink_to("a")
    return packages


def test_a_version_in_use_is_whole_or_told(tmp_path: Path) -> None:
    assert list(power.wrong_version(tmp_path)) == []  # nothing is installed yet
    packages = installed(tmp_path)
    assert list(power.wrong_version(tmp_path)) == []
    (packages / "companion.py").write_bytes(b"print\0\0")
    assert list(power.wrong_version(tmp_path)) == ["companion.py is damaged"]
    (packages / "companion.py").unlink()
    (tmp_path / power.HOME / "a" / "complete").unlink()
    (tmp_path / "etc/systemd/system" / power.UNITS[0]).write_text("[Ser")
    assert list(power.wrong_version(tmp_path)) == [
        "slot a is in use and not complete",
        "companion.py is missing",
        "table-companion.service is none of the installed versions'",
    ]


def test_games_that_were_acknowledged_are_there_or_told(tmp_path: Path) -> None:
    assert list(power.wrong_games(tmp_path, set())) == []
    assert list(power.wrong_games(tmp_path, {"upgraded"})) == ["there are no games"]
    journal = tmp_path / power.DATA / power.JOURNAL
    journal.parent.mkdir(parents=True)
    Journal(journal).close()
    assert list(power.wrong_games(tmp_path, set())) == []
    assert list(power.wrong_games(tmp_path, {"upgraded"})) == [
        "1 acknowledged entries are lost, such as upgraded",
    ]
    journal.write_bytes(b"no journal" * 1000)
    assert "cannot be opened" in next(power.wrong_games(tmp_path, set()))


class Forgetful(BaseHTTPRequestHandler):
    """A service that is not there at the first request, and has lost the newest entry at the end."""

    kept: ClassVar[list[str]] = []
    asked = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["Authorization"] == "Bearer ticket"
        type(self).asked += 1
        self.send_response(503 if self.asked == 1 else 200)
        self.end_headers()
        if self.asked > 1:
            self.kept.append(body.get("event_id", "game"))

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write("\n".join(json.dumps({"id": name}) for name in self.kept[:-1]).encode())

    def log_message(self, *_: object) -> None:
        """Nobody needs it."""


def test_players_ask_until_they_are_answered_and_count_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "runuser", "echo ticket")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(upgrade, "MARKS", tmp_path / "marks")
    with HTTPServer(("127.0.0.1", 0), Forgetful) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(upgrade, "URL", f"http://127.0.0.1:{server.server_port}")
        players = upgrade.Players("game")
        players.begin()
        assert players.acknowledged == ["game", "game-0-r", "game-0-u"]
        assert (tmp_path / "marks").read_text() == "MARK game\nMARK game-0-r\nMARK game-0-u\n"
        assert players.lost() == 1
        server.shutdown()


@pytest.mark.parametrize("fails", ["", "install", "install.sh", "answer"])
def test_a_bundle_over_itself_is_right_when_it_and_the_way_back_are_and_the_service_answers(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "journal.sqlite3").touch()
    monkeypatch.setattr(guest, "GAMES", tmp_path)
    monkeypatch.setattr(guest, "answers", lambda: {"ok": fails != "answer"})
    monkeypatch.setattr(guest, "run", lambda _name, words, _limit_s: {"ok": words[0].name != fails, "took_s": 1.0})
    assert guest.again()["ok"] is (not fails)


def test_a_pi_takes_as_long_as_its_rating_says() -> None:
    as_here = reckoned.Pi("as the emulated machine", reckoned.RATED_HERE)
    twice = reckoned.Pi("twice as quick", 2 * reckoned.RATED_HERE)
    assert (as_here.ms(40), twice.ms(40)) == (40, 20)


@pytest.mark.parametrize(
    ("throw", "ready_ms"),
    [([(20, 5), (50, 40), (80, 5)], 95), ([(20, 5), (50, 5), (80, 30)], 110)],
    ids=["a picture waits for the one before", "a picture comes when it comes"],
)
def test_a_throw_is_read_when_its_pictures_are_there_and_done(
    throw: list[tuple[float, float]], ready_ms: float
) -> None:
    assert reckoned.ready_ms(reckoned.Pi("as the emulated machine", reckoned.RATED_HERE), throw) == ready_ms


def test_what_is_counted_is_told_for_every_pi() -> None:
    throws = [[(20.0, 5.0), (50.0, 60.0)]]
    pictures = {camera: {"still": 2.0, "rolling": 4.0, "throws": throws} for camera in reckoned.CAMERAS}
    parts = {"costs": {"entry_millions": 12.0}, "install": {"took_s": 300.0}}
    head, _rule, *lines = reckoned.table(pictures, [{"name": "idle", "group": "no page", "value": 1.5}], parts)
    assert all(line.count("|") == head.count("|") for line in lines)
    assert all(pi.name in head for pi in reckoned.PIS)


def test_without_an_installation_the_rest_is_told() -> None:
    pictures = {camera: {"still": 2.0, "rolling": 4.0, "throws": [[(20.0, 5.0)]]} for camera in reckoned.CAMERAS}
    assert not any("installation" in line for line in reckoned.table(pictures, [], {"costs": {"entry_millions": 1.0}}))


def test_costs_are_counted_where_each_instruction_is_a_nanosecond(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin" / "qemu-system-aarch64", f'echo "$@" >{tmp_path}/words')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(machine, "pack_first_files", lambda _built: tmp_path / "initrd.gz")
    assert machine.boot(tmp_path / "report", 60, [], kind=machine.SMALLEST)
    assert "-icount shift=0,sleep=off -smp 1 -m 512" in (tmp_path / "words").read_text()


def test_modules_come_after_those_that_they_need_and_an_unknown_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "modules.dep").write_text("k/sdhci-iproc.ko.xz: k/pltfm.ko.xz k/sdhci.ko.xz\nk/sdhci.ko.xz:\n")
    (tmp_path / "modules.builtin").write_text("kernel/fs/ext4/ext4.ko\n")
    found = [path.name for path in disk.needed(tmp_path, ("sdhci-iproc", "ext4"))]
    assert found == ["sdhci.ko.xz", "pltfm.ko.xz", "sdhci-iproc.ko.xz"]
    with pytest.raises(ValueError, match="sdhci_iproc"):
        list(disk.needed(tmp_path, ("sdhci_iproc",)))
