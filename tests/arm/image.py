"""`make image KEY=maker-private.pem`: a whole card for a Pi whose camera is one on USB, from Debian's packages.

    python -m tests.arm.image KEY [--start MACHINE]

A partition table, a boot partition with the Pi's firmware, Debian's kernel and the device trees, and a root with Debian
13, configured in the emulated machine as that of `make test-arm` is. The bundle lies on the boot partition, where
`put-on-card` puts it: the card's first start installs it, so that no two cards share a PIN or a key. `--start` starts
the card in an emulated machine, until the service answers and the PIN stands on the card.
"""

import argparse
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.arm import bundles, card, machine, system

STARTS_S = 3600.0
MACHINES = ("virt", "raspi3b")  # the second is a Raspberry Pi 3B, and takes several times as long
QUESTIONS_S = 5.0
READ_ME = "::/table-companion/read-me.txt"  # what `hardware/card/table-companion/first-start` writes there
PIN, NOT_INSTALLED = "The host's PIN", "could not be installed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("key", type=Path, help="the maker's private key")
    parser.add_argument("--start", choices=MACHINES, help="also starts the card in that emulated machine")
    arguments = parser.parse_args()
    if missing := system.what_is_missing():
        sys.exit(f"A card cannot be made here: {missing}.")
    try:
        bundle = bundles.made(card.ROOT, arguments.key.resolve(), card.ROOT / "dist")  # first: it may refuse the key
        card.build_system()
    except subprocess.CalledProcessError:
        sys.exit("No card was made: see above.")
    except system.CannotBeHadError as error:
        sys.exit(f"A card cannot be made here: {error}.")
    made = card.make_card(bundle, bundle.with_suffix(".img"))
    print(f"{made}: {made.stat().st_blocks * card.SECTOR // card.MEGABYTE} MB of {card.CARD_MB}", flush=True)
    if arguments.start:
        start(made, arguments.start)


def start(made: Path, on: str) -> None:
    """Starts a card in an emulated machine until the service answers and the card tells the PIN; prints when.

    on          "raspi3b" or "virt"

    The Pi's own firmware, which reads the boot partition, is not emulated: QEMU is given what it would have read. A
    card that restarts is started again, as its boot partition then says. What is written stays on a copy.
    """
    copy, log = card.BUILT / "started.img", card.BUILT / "serial.log"
    card.run("cp", "--sparse=always", made, copy)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    began_s = time.monotonic()
    log.write_bytes(b"")
    answered = False
    while time.monotonic() - began_s < STARTS_S:
        command = emulated(copy, port, on)
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while running.poll() is None and time.monotonic() - began_s < STARTS_S:
                if not answered and answers(port):
                    answered = True
                    print(f"The service answered {time.monotonic() - began_s:.0f} s after the power came.", flush=True)
                told = read_me(copy)
                if NOT_INSTALLED in told:
                    sys.exit(f"After {time.monotonic() - began_s:.0f} s the card said: {told}")
                if answered and PIN in told:
                    print(f"The PIN stood on the card after {time.monotonic() - began_s:.0f} s.")
                    return
                time.sleep(QUESTIONS_S)
        finally:
            running.terminate()
            running.wait()
    missing = "The card does not tell the PIN" if answered else "The service did not answer"
    sys.exit(f"{missing} after {STARTS_S:.0f} s; what the card said: {log}")


def emulated(made: Path, port: int, on: str) -> list[str]:
    """QEMU's words for a machine with that card, and a network by which this machine reaches it and nothing else."""
    read = card.BUILT / "read"
    shutil.rmtree(read, ignore_errors=True)
    read.mkdir()
    boot = ["-i", f"{made}@@{card.BOOT_AT_MB}M"]
    card.run("mcopy", *boot, "::/vmlinuz-*", "::/initrd.img-*", f"::/{machine.TREE_3B}", "::/cmdline.txt", read)
    words = (read / "cmdline.txt").read_text().strip()
    command = ["qemu-system-aarch64", "-M", on, "-display", "none", "-no-reboot", "-monitor", "none"]
    command += ["-kernel", next(read.glob("vmlinuz-*")), "-initrd", next(read.glob("initrd.img-*"))]
    command += ["-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:80"]
    command += ["-chardev", f"file,id=log,path={card.BUILT / 'serial.log'},append=on"]
    if on == "raspi3b":
        tree = read / machine.TREE_3B
        machine.be_a_pi_3b(tree)
        command += ["-append", words, "-dtb", tree, "-drive", f"file={made},if=sd,format=raw"]
        command += ["-device", "usb-net,netdev=net", "-serial", "null", "-serial", "chardev:log"]
    else:
        command += ["-append", f"{words} console=ttyAMA0", "-drive", f"file={made},if=virtio,format=raw"]
        command += ["-cpu", "cortex-a72", "-icount", "shift=1,sleep=off", "-smp", "1", "-m", "2048"]
        command += ["-device", "virtio-net-pci,netdev=net", "-serial", "chardev:log"]
    return [str(word) for word in command]


def answers(port: int) -> bool:
    """Whether the service answers that it is well."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def read_me(made: Path) -> str:
    """What the installer, once it has ended, tells on the boot partition of a card that is in use; "" before."""
    command = ["mtype", "-i", f"{made}@@{card.BOOT_AT_MB}M", READ_ME]
    return subprocess.run(command, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
