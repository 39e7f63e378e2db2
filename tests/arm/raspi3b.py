"""The card in an emulated Raspberry Pi 3B: its lights and its buzzer, read in the Pi's own GPIO controller.

The service is started by its unit, as it was installed; QEMU's test socket reads the controller from outside. Presses
cannot be tried here: QEMU's controller takes a level from outside but tells the kernel of no edge. The kernel's GPIO
simulator stands for them in the other machine (`hardware`).
"""

import contextlib
import queue
import re
import shutil
import socket
import subprocess
import threading
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import IO

from tests.arm import disk, machine, system

REPORT = machine.BUILT / "raspi3b"
EXAMPLE = machine.ROOT / "firmware" / "table.example.toml"
TREE = machine.BUILT / machine.TREE_3B
SERIAL = "/soc/serial@7e201000"
MODULES = ("bcm2835", "sdhci-iproc", "crc32c_generic", "ext4")  # what finds the card; the rest is on it
LIMIT_S = 3600  # a limit, never a pause
CALLS_S = 60.0  # until QEMU calls at its test socket; one that does not start never would
LOOK_S = 120.0  # until a light is as it should be
STILL_S = 10.0  # for so long nothing moves that is steady
GPIO = 0x3F200000
SET_0, LEVEL_0 = GPIO + 0x1C, GPIO + 0x34
# What the box shows, as hardware/README.md and firmware/signs.toml have it, at each moment that `machine/raspi3b.py`
# names: what is lit, and what blinks. Everything else is dark.
LOOKS: dict[str, tuple[set[str], set[str]]] = {
    "started": ({"blue"}, set()),
    "one is ready": ({"blue", "seat 1"}, {"seat 2"}),
    "running": ({"green"}, set()),
    "stopped": (set(), set()),
}
COUNTDOWN = {"red", "green", "seat 1", "seat 2", "buzzer"}  # what moves between "one is ready" and "running"


def outputs() -> dict[str, int]:
    """The pins of lights and buzzer, from the example that hardware/README.md draws."""
    table = tomllib.loads(EXAMPLE.read_text())
    seats = {f"seat {number}": seat["led"] for number, seat in enumerate(table["seat"], start=1)}
    return seats | table["status_light"] | {"buzzer": table["buzzer"]["pin"]}


def card(system_disk: Path) -> Path:
    """A copy of the disk, which keeps what is installed on it."""
    command = ["cp", "--sparse=always", system_disk, machine.BUILT / "card.img"]
    subprocess.run(command, check=True)
    return machine.BUILT / "card.img"


def prepare() -> None:
    """The Pi's device tree, with the number that its own firmware would add, and the first files that find the card."""
    system.install_tools(("device-tree-compiler",))
    root, first = machine.BUILT / "kernel", machine.BUILT / "first-3b"
    shutil.rmtree(root, ignore_errors=True)
    release = (machine.BUILT / "release").read_text().strip()
    system.dpkg_deb("-x", next((machine.BUILT / "apt").glob(f"linux-image-{release}_*.deb")), root)
    shutil.copy(next(root.rglob(machine.TREE_3B)), TREE)
    machine.be_a_pi_3b(TREE)
    # With it the kernel's Bluetooth takes the serial line, and nobody hears that the Pi may go on.
    subprocess.run(["fdtput", "-r", TREE, f"{SERIAL}/bluetooth"], check=True)
    busybox = machine.BUILT / "first" / "bin" / "busybox"
    disk.gather_first_files(root, release, busybox, first, MODULES)
    for name in ("raspi3b.py", "raspi3b.service"):
        shutil.copy(machine.HERE / name, first)
    shutil.copy(machine.HERE / "init-raspi3b", first / "init").chmod(0o755)
    machine.pack(first, machine.BUILT / "initrd-3b.gz")
    shutil.rmtree(root)


class Controller:
    """The Pi's GPIO controller over QEMU's test socket; `edges` counts how often an output came to (pin, level)."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._answers = line, line.makefile("r")
        self.edges: Counter[tuple[int, int]] = Counter()
        self._ask("irq_intercept_out /machine/soc/peripherals/gpio")

    def _ask(self, words: str) -> str:
        self._line.sendall(f"{words}\n".encode())
        while True:
            answer = self._answers.readline().split()
            if not answer:
                raise ConnectionError("the emulated Pi has ended")
            if answer[0] != "IRQ":
                return answer[-1]
            self.edges[int(answer[2]), int(answer[1] == "raise")] += 1

    def levels(self) -> int:
        """The levels of the first 32 pins, a bit each."""
        return int(self._ask(f"readl {LEVEL_0:#x}"), 16)

    def rest(self) -> None:
        """The buttons' pins are high, as a Pi's resistors make them; QEMU has none."""
        table = tomllib.loads(EXAMPLE.read_text())
        pins = [*(seat["button"] for seat in table["seat"]), *table["buttons"].values()]
        self._ask(f"writel {SET_0:#x} {sum(1 << pin for pin in pins):#x}")


def wrong(look: tuple[set[str], set[str]], controller: Controller) -> str:
    """What is otherwise than the look has it; "" as soon as all is so, and stays while those blink that should."""
    lit, blinks = look
    pins, trouble = outputs(), ""
    until_s = time.monotonic() + LOOK_S
    while time.monotonic() < until_s:
        began_s, before, trouble = time.monotonic(), controller.edges.copy(), ""
        while not trouble and time.monotonic() < until_s:
            time.sleep(0.02)
            levels, moved = controller.levels(), controller.edges - before
            for name in pins.keys() - blinks:
                is_high = bool(levels >> pins[name] & 1)
                if is_high != (name in lit) or moved[pins[name], 0] or moved[pins[name], 1]:
                    trouble = f"{name} is {'high' if is_high else 'low'}, or moves"
            times = min((moved[pins[name], level] for name in blinks for level in (0, 1)), default=2)
            if not trouble and times >= 2 and time.monotonic() - began_s > STILL_S:
                return ""
    return trouble or f"{' and '.join(sorted(blinks))} did not blink"


def watch(said: "queue.Queue[str]", keys: IO[bytes], controller: Controller) -> bool:
    """Prints what the controller shows at each moment that the Pi names, and lets it go on; whether all is right."""
    pins, right = outputs(), True
    controller.rest()
    for moment, look in LOOKS.items():
        before = controller.edges.copy()
        while (line := heard(said, controller)) != moment:
            if line in ("", "failed"):
                print(f"    {moment}: never came")
                return False
        if moment == "running":
            since = controller.edges - before
            moved = {name: since[pin, 0] + since[pin, 1] for name, pin in pins.items()}
            still = sorted(name for name in COUNTDOWN if moved[name] < 2)
            print(f"    countdown: edges {moved}" + (f"; WRONG: {', '.join(still)} did not move" if still else ""))
            right = right and not still
        trouble = wrong(look, controller)
        high = [f"{name} (GPIO {pin})" for name, pin in pins.items() if controller.levels() >> pin & 1]
        print(f"    {moment}: high {', '.join(high) or 'none'}" + (f"; WRONG: {trouble}" if trouble else ""))
        right = right and not trouble
        keys.write(b"\n")
        keys.flush()
    return right


def heard(said: "queue.Queue[str]", controller: Controller) -> str:
    """The next thing that the Pi says; meanwhile the edges are counted, as QEMU waits for somebody to take them."""
    while True:
        controller.levels()
        with contextlib.suppress(queue.Empty):
            return said.get(timeout=0.2)


def listen(serial: IO[bytes], said: "queue.Queue[str]") -> None:
    """Keeps the serial line's log, and passes on the moments; "" when it has ended."""
    with (REPORT / "console.log").open("wb") as log:
        for line in serial:
            log.write(line)
            log.flush()
            if moment := re.search(rb"raspi3b: ([a-z ]+)", line):
                said.put(moment[1].decode())
    said.put("")


def told(card: Path) -> bool:
    """Starts the Pi from its card and prints what its controller shows; whether all of it is right."""
    prepare()
    shutil.rmtree(REPORT, ignore_errors=True)
    REPORT.mkdir()
    test = REPORT / "qtest"
    command = ["timeout", str(LIMIT_S), "qemu-system-aarch64", "-M", "raspi3b", "-dtb", TREE]
    command += ["-kernel", machine.BUILT / "vmlinuz", "-initrd", machine.BUILT / "initrd-3b.gz"]
    command += ["-append", "console=ttyAMA0 panic=-1 rdinit=/init systemd.getty_auto=no", "-no-reboot"]
    command += ["-icount", "shift=1"]  # its clock counts instructions: beside other work no limit of systemd's runs out
    command += ["-drive", f"file={card},format=raw,if=sd,snapshot=on", "-display", "none", "-monitor", "none"]
    command += ["-serial", "stdio", "-qtest", f"unix:{test}", "-qtest-log", "none"]
    began_s = time.monotonic()
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(test))
    door.listen()
    door.settimeout(CALLS_S)
    words, pipe = [*map(str, command)], subprocess.PIPE
    with door, subprocess.Popen(words, stdin=pipe, stdout=pipe) as running:
        assert running.stdin
        assert running.stdout
        said: queue.Queue[str] = queue.Queue()
        listener = threading.Thread(target=listen, args=(running.stdout, said))
        listener.start()
        try:
            right = watch(said, running.stdin, Controller(door.accept()[0]))
        except OSError as error:
            print(f"    the emulated Pi 3B did not come to its end: {error}")
            right = False
        finally:
            running.terminate()
            listener.join()
    print(f"  raspi3b     {'ok' if right else 'FAILED'}  in {time.monotonic() - began_s:.0f} s. Log: {REPORT}")
    return right
