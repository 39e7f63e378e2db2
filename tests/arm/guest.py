"""In the emulated ARM machine: makes it a Pi as far as the service can tell, then installs, tries and measures.

CHECKS holds the bundle, this checkout, the tests' own packages and the pictures; REPORT gets `parts.jsonl`, a line for
each part as it ends, and a log of each. Nothing but Python's own library is used: the companion is what is tried.
"""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.arm.radios import first_start
from tests.arm.reckoned import CAMERAS
from tests.arm.upgrade import Players, commit, mark

CHECKS, REPORT = Path("/checks"), Path("/run/report")  # where `machine/arm-tests.sh` mounts them
CHECKOUT = CHECKS / "checkout"
GAMES = Path("/var/lib/table-companion")
VENV = Path("/opt/table-companion/current/venv/bin")
UNITS = ("table-companion", "table-camera")
SIMULATED = Path("/sys/kernel/config/gpio-sim")
SECOND = Path("/sys/devices/system/cpu/cpu1/online")
PI_4B = "c03115"
SOON_S = 600.0  # a limit, never a pause: an emulated machine takes its time
# A hardened unit has a /proc of its own; one that does not become ready tells what it was doing.
HERE_ONLY = """\
[Service]
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
Environment=PYTHONFAULTHANDLER=1
TimeoutStartFailureMode=abort
"""
TURNS = 10  # whose cost is counted; each is two entries
DOCTOR_S = 30.0  # in this machine, too, which is slower than any Pi
AGAIN_S = 90.0  # until dice that nobody has read are thrown again
FAST = ("tests/games", "tests/test_old_games.py", "tests/test_playthroughs.py", "tests/test_rulebook.py")
FAST += ("tests/companion", "tests/firmware")
# The camera's process under its filter of system calls, the service as a person starts it, copies and restoring.
SERVICE = ("tests/vision/test_isolation.py", "tests/processes/test_starting.py", "tests/processes/test_service.py")
SERVICE += ("tests/companion/test_backup.py",)
BEGINS, ENDED = "upgrade-begins", "upgrade-ended"  # marks
NOT_NEEDED = ("cacheprovider", "schemathesis", "anyio", "pytest_cov")  # of pytest's plug-ins
DEMO = "http://127.0.0.1:8123"


def run(name: str, command: list[str | Path], limit_s: float, **more: Any) -> dict[str, Any]:
    """Runs a command with its output in `NAME.log`: its exit status and the seconds it took."""
    began_s = time.monotonic()
    with (REPORT / f"{name}.log").open("a") as log:
        try:
            done = subprocess.run([*map(str, command)], stdout=log, stderr=subprocess.STDOUT, timeout=limit_s, **more)
        except subprocess.TimeoutExpired:
            return {"ok": False, "why": f"not ended after {limit_s:.0f} s", "took_s": round(limit_s)}
    took_s = round(time.monotonic() - began_s, 1)
    return {"ok": done.returncode == 0, "took_s": took_s} | ({"status": done.returncode} if done.returncode else {})


def chip(label: str, lines: int) -> None:
    """A simulated chip; a Pi has more than one, and the header's is not always the first."""
    bank = SIMULATED / label / "bank0"
    bank.mkdir(parents=True)
    (bank / "label").write_text(label)
    (bank / "num_lines").write_text(str(lines))
    (bank.parent / "live").write_text("1")


def make_a_pi() -> dict[str, Any]:
    """The header's pins, a camera, and a processor that says it is a Pi's."""
    subprocess.run(["modprobe", "gpio-sim"], check=True)
    chip("raspberrypi-exp-gpio", 8)
    chip("pinctrl-bcm2711", 58)
    subprocess.run(["modprobe", "vivid", "n_devs=1", "node_types=0x1"], check=True)
    processors = Path("/proc/cpuinfo").read_text()  # first, as ONNX Runtime counts them
    model = "Raspberry Pi 4 Model B, emulated"
    Path("/run/cpuinfo").write_text(f"{processors}Hardware\t: BCM2835\nRevision\t: {PI_4B}\nModel\t\t: {model}\n")
    subprocess.run(["mount", "--bind", "/run/cpuinfo", "/proc/cpuinfo"], check=True)
    for unit in UNITS:
        folder = Path(f"/run/systemd/system/{unit}.service.d")
        folder.mkdir(parents=True)
        (folder / "machine.conf").write_text(HERE_ONLY)
    subprocess.run(["systemctl", "daemon-reload"], check=True)
    return {"ok": True, "machine": os.uname().machine, "kernel": os.uname().release, "processors": os.cpu_count()}


def install() -> dict[str, Any]:
    """The bundle, as its owner would, without any network."""
    found = run("install", [CHECKS / "bundle" / "install"], 3 * SOON_S)
    return found | answers() if found["ok"] else found


def upgrade() -> dict[str, Any]:
    """The version before is installed and played on while this one takes its place; then the way back, and forth."""
    first = run("upgrade", [CHECKS / "before" / "install"], 3 * SOON_S)
    if not first["ok"]:
        return first
    players, was = Players("upgraded"), commit()
    players.begin()
    mark(BEGINS)
    with players:
        found = run("upgrade", [CHECKS / "bundle" / "install"], 3 * SOON_S)
    mark(ENDED)
    commits, took_s, lost = [was, commit()], [first["took_s"], found["took_s"]], [players.lost()]
    for _way in ("back", "forth"):
        turned = run("upgrade", [CHECKOUT / "hardware" / "install.sh", "--back"], SOON_S)
        players.play()
        commits, took_s, lost = [*commits, commit()], [*took_s, turned["took_s"]], [*lost, players.lost()]
    is_right = found["ok"] and commits == [was, commits[1], was, commits[1]] and was != commits[1] and not any(lost)
    is_right = is_right and not players.trouble
    counts = {"entries": len(players.acknowledged), "lost": lost, "trouble": players.trouble}
    return answers() | {"ok": is_right, "commits": commits, "install_upgrade_back_forth_s": took_s} | counts


def answers(url: str = "http://localhost") -> dict[str, Any]:
    """Whether the service answers; what systemd has started, unless another is named."""
    until_s = time.monotonic() + SOON_S
    while time.monotonic() < until_s:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=30) as answer:
                return {"ok": answer.status == 200, "answers": json.load(answer)}
        except (OSError, urllib.error.URLError):
            time.sleep(1)
    return {"ok": False, "why": "the service did not answer"}


def demo() -> dict[str, Any]:
    """`companion run --demo`, to a throw that its camera has read and the game has entered or asks about."""
    data = Path("/root/demo")
    command = [VENV / "companion", "run", "--demo", "--port", "8123", "--host", "127.0.0.1", "--data", data]
    with (REPORT / "demo.log").open("w") as log, subprocess.Popen([*map(str, command)], stdout=log, stderr=log) as run:
        try:
            found = answers(DEMO)
            return (found if not found["ok"] else thrown()) | memory(run.pid)
        finally:
            run.terminate()


def family(pid: int) -> list[int]:
    """A process and all that it has started."""
    children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")).split()
    return [pid, *(each for child in children for each in family(int(child)))]


def memory(pid: int) -> dict[str, Any]:
    """The most memory, in MB, that a process and each that it started had at once, and what the machine has left."""
    peaks = [status_mb(Path(f"/proc/{each}/status"), "VmHWM") for each in family(pid)]
    return {"peaks_mb": peaks, "available_mb": status_mb(Path("/proc/meminfo"), "MemAvailable")}


def status_mb(path: Path, name: str) -> int:
    return int(re.findall(rf"^{name}:\s+(\d+) kB", path.read_text(), re.MULTILINE)[0]) >> 10


def call(path: str, body: Any = None) -> Any:
    """The demo's answer to a request; raises HTTPError when it refuses."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(DEMO + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def thrown() -> dict[str, Any]:
    """Two dice are thrown on the virtual table; what became of them.

    What lies there when the camera begins to look for this game is no throw, and nothing tells when it does: as hands
    would, it throws again where nobody has seen anything for a while.
    """
    game = call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})["id"]
    seq, throws = call(f"/api/sessions/{game}")["seq"], 0
    began_s = time.monotonic()
    while time.monotonic() - began_s < SOON_S:
        if time.monotonic() - began_s >= throws * AGAIN_S:
            call("/table/roll", {"count": 2})
            throws, thrown_s = throws + 1, time.monotonic()
        now, asked = call(f"/api/sessions/{game}")["seq"], call(f"/api/sessions/{game}/proposals")
        if now > seq or asked:
            seen_s = round(time.monotonic() - thrown_s, 1)
            return {"ok": True, "seen_after_s": seen_s, "throws": throws, "asked": len(asked)}
        time.sleep(0.5)
    return {"ok": False, "why": "the throw was not seen"}


def again() -> dict[str, Any]:
    """The same bundle over itself, the way back, and the games still there."""
    before = sorted(path.name for path in GAMES.iterdir())
    found = run("again", [CHECKS / "bundle" / "install"], 3 * SOON_S)
    back = run("again", [CHECKOUT / "hardware" / "install.sh", "--back"], SOON_S)
    after = {path.name for path in GAMES.iterdir()}
    now = answers()
    is_right = found["ok"] and back["ok"] and now["ok"] and after >= set(before)
    return found | now | {"ok": is_right, "back_s": back["took_s"]}


def versions() -> dict[str, Any]:
    """What reads the pictures here."""
    code = "import cv2, numpy, onnxruntime as o; print(cv2.__version__, numpy.__version__, o.__version__)"
    done = subprocess.run([VENV / "python", "-c", code], capture_output=True, text=True, cwd="/")
    return {"ok": done.returncode == 0, "versions": done.stdout.strip() or done.stderr[-300:]}


def doctor() -> dict[str, Any]:
    """Whether doctor ends soon enough for a person; what it finds wrong is its own affair."""
    command = ["runuser", "-u", "table-companion", "--", VENV / "companion", "doctor"]
    found = run("doctor", [*command, "--data", GAMES, "--port", "80"], SOON_S)
    return found | {"ok": "why" not in found and found["took_s"] <= DOCTOR_S}


def readings() -> dict[str, Any]:
    """`companion read` of every kind; what it says goes into `KIND.json`, and what it complains of into a log."""
    took_s, failed = {}, {}
    for kind, words in json.loads((CHECKS / "pictures" / "words.json").read_text()).items():
        began_s = time.monotonic()
        command = [VENV / "companion", "read", kind, "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=CHECKS / "pictures", timeout=2 * SOON_S)
        took_s[kind] = round(time.monotonic() - began_s, 1)
        (REPORT / f"{kind}.json").write_text(done.stdout)
        with (REPORT / "readings.log").open("a") as log:
            log.write(done.stderr)
        if done.returncode:
            failed[kind] = done.returncode
    return {"ok": not failed, "took_s": took_s} | ({"status": failed} if failed else {})


def tests(name: str, files: tuple[str, ...], limit_s: float, **environment: str) -> dict[str, Any]:
    """Tests of the checkout with pytest, with its own settings; the counts come from pytest's own report.

    The processors would take minutes for each of its plug-ins, so those that no test here needs are left out, and what
    Python has compiled once is kept.
    """
    settings = {"PYTHONPATH": f"{CHECKOUT}:{CHECKS / 'packages'}", "LG_WD": "/run"}
    command = [
        VENV / "python",
        "-m",
        "pytest",
        *files,
        "--tb=short",
        "--durations=12",
        f"--junitxml={REPORT / name}.xml",
    ]
    command += ["-o", "junit_family=xunit1", *(word for plug_in in NOT_NEEDED for word in ("-p", f"no:{plug_in}"))]
    command += [] if "COMPANION_PINS" in environment else ["-n", "2", "--dist", "loadfile"]
    return run(name, command, limit_s, cwd=CHECKOUT, env=os.environ | settings | environment)


@contextmanager
def one_processor() -> Iterator[None]:
    """One processor alone, as `make test-gpio` has it.

    The kernel tells an edge in two steps: the interrupt stamps it, and a thread of its own reads the level. Where the
    other processor stands still, because the emulator's machine does something else, that thread waits there while the
    finger goes on here: two edges become one, which no contact of a real Pi does.
    """
    SECOND.write_text("0")
    try:
        yield
    finally:
        SECOND.write_text("1")


def hardware() -> dict[str, Any]:
    """The box, the camera and the units on the kernel's own devices: what `make test-gpio` shows on x86-64."""
    with one_processor():
        return tests("hardware", ("tests/hardware",), 3 * SOON_S, COMPANION_PINS=str(SIMULATED / "pinctrl-bcm2711"))


def service() -> dict[str, Any]:
    """The camera's process under its filter, the service as a person starts it, copies and restoring."""
    return tests("service", SERVICE, 3 * SOON_S)


def wifi() -> dict[str, Any]:
    """A phone chooses the house's Wi-Fi on the table's own page."""
    return first_start()


def fast() -> dict[str, Any]:
    """The rules, the core and the box."""
    return tests("fast", FAST, 18 * SOON_S)


def costs() -> dict[str, Any]:
    """What the companion's work costs, where the clock counts instructions: a thousand million of them are a second.

    Pictures go to `CAMERA.json`, what a demo does while nobody plays to `idle.json`; an entry's cost is that of the
    service, its answer included.
    """
    players, pid = Players("what-it-costs"), main_pid(UNITS[0])
    players.begin()
    began_ns = spent_ns(pid)
    for _turn in range(TURNS):
        players.play()
    an_entry = (spent_ns(pid) - began_ns) / TURNS / 2
    at_the_table = {unit: memory(main_pid(unit)) for unit in UNITS}
    subprocess.run(["systemctl", "stop", *UNITS], check=True, timeout=SOON_S)
    python, environment = VENV / "python", os.environ | {"PYTHONPATH": str(CHECKOUT)}
    command = [python, "-m", "tests.arm.counted"]
    ended = [counted(camera, [*command, *sizes], env=environment) for camera, sizes in CAMERAS.items()]
    ended.append(counted("idle", [VENV / "companion", "bench", "idle", "--json"]))
    return {"ok": all(ended), "entry_millions": round(an_entry / 1e6, 1), "memory": at_the_table}


def counted(name: str, command: list[str | Path], **more: Any) -> bool:
    """Whether a command that prints JSON has printed it into `NAME.json`."""
    with (REPORT / f"{name}.json").open("w") as out, (REPORT / f"{name}.log").open("a") as log:
        return subprocess.run([*map(str, command)], stdout=out, stderr=log, cwd="/", **more).returncode == 0


def main_pid(unit: str) -> int:
    shown = subprocess.run(["systemctl", "show", "--property=MainPID", "--value", unit], capture_output=True, text=True)
    return int(shown.stdout)


def spent_ns(pid: int) -> int:
    """The processor time that a process's threads have had."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    part.__name__: part
    for part in (
        *(make_a_pi, upgrade, install, versions, readings, doctor),
        *(demo, again, hardware, service, wifi, fast, costs),
    )
}
ALONE = ("readings", "demo", "hardware", "service", "fast")  # they need pins or camera, or all of the processors


def make_room(name: str) -> None:
    """The service that was installed lets go of pins, cameras and processors for a part that is tried ALONE."""
    if VENV.exists():
        subprocess.run(["systemctl", "stop" if name in ALONE else "start", *UNITS], check=True, timeout=SOON_S)


def main() -> None:
    wanted = (CHECKS / "parts").read_text().split()
    for name in wanted:
        began_s = time.monotonic()
        try:
            make_room(name)
            found = PARTS[name]()
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            found = {"ok": False, "why": f"{type(error).__name__}: {error}"}
        found = {"part": name, "took_s": round(time.monotonic() - began_s, 1)} | found
        with (REPORT / "parts.jsonl").open("a") as out:
            out.write(json.dumps(found) + "\n")
        print(found, flush=True)
    for unit in UNITS:
        run("service-log", ["journalctl", "--no-pager", "-u", unit, "-n", "200"], 60)
    shutil.copy("/proc/uptime", REPORT / "uptime")
    os.sync()


if __name__ == "__main__":
    main()
