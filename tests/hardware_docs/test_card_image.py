"""What of `make image` can be tried without its emulated machines: how a card is put together and started."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.tools import bundle
from tests.arm import card as cards
from tests.arm import image, machine, system
from tests.hardware_docs.small_bundles import CAN_BE_MADE, make_bundle, make_key

NEEDED = ("mkfs.vfat", "mcopy", "mtype", "sfdisk", "mke2fs", "debugfs", "dtc", "fdtput")
MISSING = [name for name in NEEDED if not shutil.which(name, path=system.WITH_SBIN["PATH"])]
pytestmark = [
    *CAN_BE_MADE,
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} cannot be had: no card is put together"),
]
CMDLINE = "console=ttyS1,115200 root=LABEL=table rw rootwait"
# What stands for QEMU: the first time the card restarts, the second time the service answers and the installer ends.
QEMU = f"""\
#!{sys.executable}
import http.server, re, subprocess, sys
with open("{{count}}", "a+") as count:
    count.write(sys.argv[sys.argv.index("-append") + 1] + "\\n")
    count.seek(0)
    times = len(count.readlines())
if times == 1:
    sys.exit(0)
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()
        card = re.search(r"file=([^,]*),if=", " ".join(sys.argv))[1] + "@@4M"
        read_me = "::/table-companion/read-me.txt"
        subprocess.run(["mcopy", "-o", "-i", card, "{{tells}}", read_me], check=True)
port = int(re.search(r"hostfwd=tcp:127.0.0.1:(\\d+)-:80", " ".join(sys.argv))[1])
http.server.HTTPServer(("127.0.0.1", port), Answer).serve_forever()
"""


def run(*words: str | Path) -> str:
    command = [*map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=system.WITH_SBIN).stdout


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A card of a system of three files, with a small bundle."""
    built = tmp_path / "built"
    built.mkdir()
    monkeypatch.setattr(cards, "BUILT", built)
    monkeypatch.setattr(cards, "ROOT_MB", 8)
    monkeypatch.setattr(cards, "BOOT_MB", 64)
    monkeypatch.setattr(cards, "CARD_MB", 128)
    boot, root = tmp_path / "boot", tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    (root / "etc/hostname").write_text("table\n")
    (boot / "overlays").mkdir(parents=True)
    for name, text in {
        "cmdline.txt": CMDLINE + "\n",
        "config.txt": "arm_64bit=1\n",
        "vmlinuz-6.12": "a kernel",
        "initrd.img-6.12": "its first files",
        "overlays/README": "none",
    }.items():
        (boot / name).write_text(text)
    (tmp_path / "tree.dts").write_text('/dts-v1/;\n/ { model = "Raspberry Pi 3 Model B"; };\n')
    run("dtc", "-q", "-o", boot / "bcm2837-rpi-3-b.dtb", tmp_path / "tree.dts")
    cards.make_fat(built / "boot.img")
    run("mcopy", "-s", "-i", built / "boot.img", *boot.iterdir(), "::/")
    system.image(root, built / "root.img", cards.ROOT_MB)
    packed = tmp_path / "table-companion-1.0.tar"
    bundle.pack(make_bundle(tmp_path, make_key(tmp_path, "maker"), "1.0"), packed, 0)
    return cards.make_card(packed, tmp_path / "card.img")


def test_a_card_has_two_partitions_where_a_pi_looks_for_them(card: Path) -> None:
    table = json.loads(run("sfdisk", "--json", card))["partitiontable"]
    boot, root = table["partitions"]
    assert table["label"] == "dos"
    assert (boot["type"], boot["bootable"], boot["start"], boot["size"]) == ("c", True, 4 * 2048, 64 * 2048)
    assert (root["type"], root["start"]) == ("83", 68 * 2048)
    assert card.stat().st_size == 128 << 20


def test_its_first_start_installs_the_bundle_that_lies_on_it(card: Path, tmp_path: Path) -> None:
    boot = f"{card}@@4M"
    run("mcopy", "-s", "-i", boot, "::*", tmp_path)
    line = (tmp_path / "cmdline.txt").read_text()
    assert line.startswith(f"{CMDLINE} systemd.run=/boot/firmware/table-companion/first-start ")
    packed = (tmp_path / "table-companion/table-companion-1.0.tar").read_bytes()
    assert packed == (tmp_path / "table-companion-1.0.tar").read_bytes()
    assert (tmp_path / "overlays/README").read_text() == "none"
    assert "first-start --install" in (tmp_path / "table-companion/first-start").read_text()


def test_its_root_is_the_system_that_was_built(card: Path, tmp_path: Path) -> None:
    part = tmp_path / "part.img"
    with card.open("rb") as file:
        file.seek(68 << 20)
        part.write_bytes(file.read())
    assert run("debugfs", "-R", "cat /etc/hostname", part) == "table\n"


def test_an_emulated_3b_gets_what_a_pis_firmware_would_read(card: Path) -> None:
    words = image.emulated(card, 8123, "raspi3b")
    after = {word: words[words.index(word) + 1] for word in ("-M", "-append", "-kernel", "-initrd", "-dtb", "-netdev")}
    assert after["-M"] == "raspi3b"
    assert after["-append"].startswith(CMDLINE)
    assert Path(after["-kernel"]).read_text() == "a kernel"
    assert Path(after["-initrd"]).read_text() == "its first files"
    assert run("fdtget", "-t", "x", after["-dtb"], "/system", "linux,revision") == "a02082\n"
    assert "restrict=on" in after["-netdev"]  # the card is to be without the Internet


@pytest.fixture
def qemu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for QEMU; beside it, `count` has a line for each start, and `said` is what the installer tells."""
    (tmp_path / "bin").mkdir()
    program, said = tmp_path / "bin/qemu-system-aarch64", tmp_path / "bin/said"
    program.write_text(QEMU.replace("{count}", str(tmp_path / "bin/count")).replace("{tells}", str(said)))
    program.chmod(0o755)
    said.write_text("The table companion is installed. Write down …\n\nThe host's PIN, shown this once: 4711\n")
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setattr(image, "QUESTIONS_S", 0.1)
    monkeypatch.setattr(image, "STARTS_S", 60.0)  # a limit for a test that fails
    return program


def test_a_card_that_restarts_is_started_again_until_it_answers_and_tells_the_pin(
    card: Path, qemu: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = card.read_bytes()
    image.start(card, "virt")
    answered, told = capsys.readouterr().out.splitlines()
    assert answered.startswith("The service answered ")
    assert told.startswith("The PIN stood on the card after ")
    assert "4711" not in told
    assert len(qemu.with_name("count").read_text().splitlines()) == 2
    assert card.read_bytes() == before  # what is written lies on a copy


def test_a_card_whose_installer_fails_ends_with_what_it_says(card: Path, qemu: Path) -> None:
    qemu.with_name("said").write_text("The table companion could not be installed. It is tried again …\nNo room.\n")
    with pytest.raises(SystemExit, match=r"(?s)could not be installed.*No room"):
        image.start(card, "virt")


def test_a_key_that_is_not_there_is_said_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system, "what_is_missing", lambda: "")
    monkeypatch.setattr(cards, "build_system", lambda: pytest.fail("half an hour went by first"))
    monkeypatch.setattr(sys, "argv", ["image", str(tmp_path / "none.pem")])
    with pytest.raises(SystemExit, match="No card was made"):
        image.main()
    assert "There is no key" in capfd.readouterr().err


def test_what_configures_a_card_is_plain_bash() -> None:
    run("bash", "-n", machine.HERE / "configure-card.sh")
