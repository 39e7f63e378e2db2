"""`make test-arm`: installs this checkout's bundle in an emulated 64-bit ARM machine without a network, and tries it.

    python -m tests.arm [--before COMMIT] [PART…]
    python -m tests.arm --cuts N [--seed N]

Each part is a line, with what it took; what `companion read` says of every picture is compared with what it says here.
Where Debian's packages cannot be had it says in one sentence that it was skipped, and why.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardware.tools import bundle
from hardware.tools.wheels import PLATFORMS, locked
from tests.arm import bundles, disk, machine, pictures, power, raspi3b, reckoned, system

ROOT = Path(__file__).parents[2]
REPORT = machine.BUILT / "report"
PYTHON = "3.13"
PARTS = ("make_a_pi", "upgrade", "install", "versions", "readings", "doctor", "demo")
PARTS += ("again", "hardware", "service", "wifi", "fast", "costs")
COUNTING = ("wifi", "costs")  # in a machine of its own kind, whose clock counts instructions: only where they are named
AFTERWARDS = "raspi3b"  # from the disk on which the others have installed; only where it is named
CUT_IN = ("make_a_pi", "upgrade")  # the parts in which the power is cut
BEFORE = "HEAD~10"  # the version before: what is brought up to date
NOTHING_SHOWN = 77
LIMIT_S = 18000  # `fast` alone may take three hours of it
CHECKS_MB = 2048
LAST_LINES = 40  # of the console, where the machine did not come to the end of its parts
MOST_APART = 0.02  # between a confidence on one processor and on the other
OF_THE_TIME = {"ms", "took_ms"}  # what a reading says of its own time


def main() -> int:
    """0 when every part is as it should be, or when it was skipped; 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts",
        nargs="*",
        help=f"of {', '.join((*PARTS, AFTERWARDS))}; all but {', '.join(COUNTING)} and {AFTERWARDS}, if none is named",
    )
    parser.add_argument("--before", default=BEFORE, help="the commit that is brought up to date (%(default)s)")
    parser.add_argument("--cuts", type=int, default=0, help="cuts the power so often while it is brought up to date")
    parser.add_argument("--seed", type=int, default=1, help="chooses the moments of the cuts (%(default)s)")
    arguments = parser.parse_args()
    wanted = list(CUT_IN) if arguments.cuts else arguments.parts or [name for name in PARTS if name not in COUNTING]
    if unknown := set(wanted) - {*PARTS, AFTERWARDS}:
        sys.exit(f"There is no part {sorted(unknown)[0]}: there are {', '.join(PARTS)} and {AFTERWARDS}.")
    if why := system.what_is_missing():
        return skipped(why)
    began_s = time.monotonic()
    try:
        disk.build()
    except system.CannotBeHadError as error:
        return skipped(str(error))
    built_s = time.monotonic() - began_s
    inside = [name for name in wanted if name != AFTERWARDS]
    checks = write_checks(inside, arguments.before)
    system_disk = machine.BUILT / "system.img"
    card = raspi3b.card(system_disk) if AFTERWARDS in wanted else None
    log = machine.BUILT / "writes.log" if arguments.cuts else None
    kind = machine.SMALLEST if set(COUNTING) & set(wanted) else machine.USUAL
    machine.boot(REPORT, LIMIT_S, [card or system_disk, checks], keep=bool(card), log=log, kind=kind)
    found = {part["part"]: part for part in reported()}
    print(f"On an emulated 64-bit ARM machine with Debian's kernel {(machine.BUILT / 'release').read_text().strip()}:")
    right = [told(name, found.get(name)) for name in inside]
    if found.keys() != set(inside):
        print("The last that its console said:")
        print("\n".join(f"    {line}" for line in last_lines(REPORT / "console.log")))
    if "readings" in found:
        right.append(compared(machine.BUILT / "pictures"))
    if found.get("costs", {}).get("ok"):
        pictures = {camera: printed(camera) for camera in reckoned.CAMERAS}
        print("\n".join(reckoned.table(pictures, printed("idle")["benches"]["idle"], found)))
    if log and found.get("upgrade", {}).get("ok"):
        right.append(power.told(system_disk, log, arguments.cuts, arguments.seed))
    if card:
        right.append(raspi3b.told(card))
    took_s = time.monotonic() - began_s - built_s
    print(f"Disk built in {built_s:.0f} s; made the bundle, booted and tried in {took_s:.0f} s. Logs: {REPORT}")
    return 0 if all(right) else 1


def printed(name: str) -> Any:
    """The JSON that the machine has written under that name."""
    return json.loads((REPORT / f"{name}.json").read_text())


def skipped(why: str) -> int:
    """Not here: that is no failure, and shows nothing."""
    print(f"test-arm was skipped: {why}.")
    return NOTHING_SHOWN


def write_checks(wanted: list[str], before: str) -> Path:
    """The second disk: the bundle of the newest commit, its tests and their packages, the pictures.

    before      the commit whose bundle comes along, where the part that needs it is wanted
    """
    folder = machine.BUILT / "checks"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "parts").write_text("\n".join(wanted) + "\n")
    bundles.unpack(bundles.made(ROOT), folder / "bundle")
    if "upgrade" in wanted:
        bundles.unpack(bundles.made_of(before), folder / "before")
    (folder / "checkout").mkdir()
    bundle.check_out(folder / "checkout")
    install_packages(folder / "packages", ROOT / "requirements-dev.lock")
    (folder / machine.BEGINS).write_text("exec python3 -m tests.arm.guest\n")
    drawn = machine.BUILT / "pictures"
    shutil.rmtree(drawn, ignore_errors=True)
    words = pictures.draw(drawn)
    (drawn / "words.json").write_text(json.dumps(words))
    shutil.copytree(drawn, folder / "pictures")
    system.image(folder, machine.BUILT / "checks.img", CHECKS_MB)
    shutil.rmtree(folder)
    return machine.BUILT / "checks.img"


def install_packages(folder: Path, *locks: Path) -> None:
    """What locks name, for the other processor, with their hashes."""
    wanted = machine.BUILT / "wanted.txt"
    wanted.write_text("\n".join(line for lock in locks for line in locked(lock.read_text(), PYTHON)) + "\n")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--only-binary", ":all:", "--target", str(folder), "--implementation", "cp"]
    command += [
        "--python-version",
        PYTHON,
        *(word for name in PLATFORMS for word in ("--platform", name)),
        "-r",
        str(wanted),
    ]
    subprocess.run(command, check=True)


def reported() -> Iterator[dict[str, Any]]:
    """The parts that the machine has reported."""
    lines = REPORT / "parts.jsonl"
    for line in lines.read_text().splitlines() if lines.exists() else ():
        yield json.loads(line)


def told(name: str, part: dict[str, Any] | None) -> bool:
    """Prints a part's line; whether it is as it should be."""
    if part is None:
        print(f"  {name:<10}  did not report")
        return False
    counts = counted(REPORT / f"{name}.xml")
    more = {key: value for key, value in part.items() if key not in ("part", "ok")}
    print(f"  {name:<10}  {'ok' if part['ok'] else 'FAILED'}  {counts}{json.dumps(more)}")
    return bool(part["ok"])


def last_lines(console: Path) -> list[str]:
    """The console's last lines, without a terminal's colours and other orders."""
    said = console.read_text(errors="replace") if console.exists() else ""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]", "", said)
    return [line.rstrip() for line in plain.splitlines() if line.strip()][-LAST_LINES:]


def counted(path: Path) -> str:
    """The counts of pytest's report, its failures one a line, and what was measured; "" where there is none."""
    if not path.exists():
        return ""
    cases = list(ElementTree.parse(path).iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skips = sum(case.find("skipped") is not None for case in cases)
    lines = [f"{len(cases) - len(failed) - skips} passed, {len(failed)} failed, {skips} skipped"]
    lines += [f"    FAILED {case.get('classname')}::{case.get('name')}" for case in failed]
    lines += [f"    {item.get('name')}: {item.get('value')}" for case in cases for item in case.iter("property")]
    return "\n".join(lines) + "\n    "


def compared(folder: Path) -> bool:
    """Reads the same pictures here; whether the values and what is accepted are the same, and confidences close."""
    same = True
    for kind, words in json.loads((folder / "words.json").read_text()).items():
        command = [sys.executable, "-m", "companion", "read", kind, "--json", *words]
        here = json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)
        try:
            there = json.loads((REPORT / f"{kind}.json").read_text())
        except ValueError:
            print(f"  read {kind}: nothing was read there")
            same = False
            continue
        found = list(differences(here, there, kind))
        print(f"  read {kind}: {len(here)} pictures, " + ("the same" if not found else f"{len(found)} differences"))
        for line in found[:8]:
            print(f"    {line}")
        same = same and not found
    return same


def differences(here: Any, there: Any, where: str) -> Iterator[str]:
    """Where two readings differ: a chance by more than MOST_APART, a place or an angle by more than 1, all else at all.

    A rectangle may be told by either of its sides, as two versions of OpenCV do; what one side alone holds possible, by
    a chance of MOST_APART at most, is no difference.
    """
    if isinstance(here, dict) and isinstance(there, dict) and here.keys() == there.keys():
        here, there = upright(here), upright(there)
        for key in sorted(here.keys() - OF_THE_TIME):
            if key == "alternatives":
                yield from chances(here[key], there[key], f"{where}.{key}")
            elif key.endswith("_deg"):
                yield from apart(here[key], there[key], 1.0, f"{where}.{key}")
            else:
                yield from differences(here[key], there[key], f"{where}.{key}")
    elif isinstance(here, list) and isinstance(there, list) and len(here) == len(there):
        for number, (one, other) in enumerate(zip(here, there, strict=True)):
            yield from differences(one, other, f"{where}[{number}]")
    elif isinstance(here, float) and isinstance(there, int | float):
        yield from apart(here, there, MOST_APART if abs(here) <= 1 and abs(there) <= 1 else 1.0, where)
    elif here != there:
        yield f"{where}: {here} here, {there} there"


def upright(box: dict[str, Any]) -> dict[str, Any]:
    """A rectangle by the side that is turned by at most 45 degrees; anything else as it is."""
    if not {"w", "h", "angle_deg"} <= box.keys():
        return box
    quarters = round(box["angle_deg"] / 90)
    sides = {"w": box["h"], "h": box["w"]} if quarters % 2 else {}
    return box | sides | {"angle_deg": box["angle_deg"] - 90 * quarters}


def chances(here: list[Any], there: list[Any], where: str) -> Iterator[str]:
    """Where the chances of the values that each holds possible differ: [[value, chance], …]."""
    here_by, there_by = ({json.dumps(value): chance for value, chance in pairs} for pairs in (here, there))
    for value in sorted(here_by.keys() | there_by.keys()):
        yield from apart(here_by.get(value, 0.0), there_by.get(value, 0.0), MOST_APART, f"{where} {value}")


def apart(here: float, there: float, most: float, where: str) -> Iterator[str]:
    """Whether two numbers differ by more than `most`."""
    if abs(here - there) > most:
        yield f"{where}: {here} here, {there} there"


if __name__ == "__main__":
    sys.exit(main())
