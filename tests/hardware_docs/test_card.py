"""A bundle on a Raspberry Pi's card: what is written there, what of its owner's stays, and what the first start does.

A folder stands for the card's boot partition, with the files that Raspberry Pi OS and its Imager put there. The machine
that is installed into is the one of `small_bundles`.
"""

import random
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from hardware.tools import bundle
from tests.hardware_docs.small_bundles import CAN_BE_MADE, ROOT, Machine, make_bundle, make_key

pytestmark = CAN_BE_MADE

CMDLINE = "console=serial0,115200 console=tty1 root=PARTUUID=0a1b2c3d-02 rootfstype=ext4 fsck.repair=yes rootwait"
OURS = (
    " systemd.run=/boot/firmware/table-companion/first-start systemd.run_success_action=reboot"
    " systemd.unit=kernel-command-line.target"
)
IMAGERS = CMDLINE + (
    " systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target"
)
FIRSTRUN = "#!/bin/sh\n\nset +e\necho table >/etc/hostname\nrm -f /boot/firstrun.sh\nexit 0\n"
OF_TRIXIE = {
    "meta-data": "dsmode: local\ninstance_id: rpios-image\n",
    "user-data": "#cloud-config\nhostname: table\nruncmd:\n- [ rfkill, unblock, wifi ]\n",
    "network-config": "network:\n  version: 2\n",
}
KILLS = 6


def card(folder, cmdline=CMDLINE + "\n", **files):
    """A boot partition."""
    folder.mkdir()
    for name, text in ({"cmdline.txt": cmdline, "config.txt": "arm_64bit=1\n"} | files).items():
        (folder / name.replace("_", ".")).write_text(text, newline="")
    return folder


def trixie(folder, **files):
    return card(folder, CMDLINE + " resize ds=nocloud;i=rpi-imager-1\n", **(OF_TRIXIE | files))


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two versions of a bundle by one maker: their files, the newer one unpacked, and the maker's public key."""
    folder = tmp_path_factory.mktemp("made")
    key = make_key(folder, "maker")
    for version in ("1.0", "2.0"):
        bundle.pack(make_bundle(folder, key, version), folder / f"table-companion-{version}.tar", 0)
    return folder


def put(made, where, version="2.0", *options, **environment):
    """Runs put-on-card as a person does, out of the unpacked bundle."""
    command = ["sh", made / "table-companion-2.0/put-on-card", made / f"table-companion-{version}.tar", where, *options]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, **environment)


def puts(made, where, *words):
    result = put(made, where, *words)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


# what is written


def test_on_a_card_of_trixie_cloud_init_calls_it_and_every_file_stays_as_it_was(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    before = tree(boot)
    assert "table-companion/read-me.txt" in puts(made, boot)
    after = tree(boot)
    assert before.items() <= after.items()
    assert after.keys() - before.keys() == {
        "vendor-data",
        "table-companion/first-start",
        "table-companion/table-companion-2.0.tar",
    }
    assert after["table-companion/table-companion-2.0.tar"] == (made / "table-companion-2.0.tar").read_bytes()
    assert b"/boot/firmware/table-companion/first-start" in after["vendor-data"]
    puts(made, boot)
    assert tree(boot) == after


def test_a_newer_bundle_takes_the_older_ones_place(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "1.0", "--key", made / "table-companion-1.0/maker.pem")
    assert (boot / "table-companion/maker.pem").exists()
    puts(made, boot)
    assert [path.name for path in (boot / "table-companion").glob("*.tar")] == ["table-companion-2.0.tar"]
    assert not (boot / "table-companion/maker.pem").exists()  # it was the older one's


@pytest.mark.parametrize("end", ["\n", "", "\r\n", " \n"])
def test_on_a_card_of_bookworm_its_one_line_gets_longer(made, tmp_path, end):
    boot = card(tmp_path / "bootfs", CMDLINE + end)
    before = tree(boot)
    puts(made, boot)
    puts(made, boot)
    assert (boot / "cmdline.txt").read_text().rstrip("\n") == CMDLINE + OURS
    assert tree(boot).keys() - before.keys() == {
        "table-companion/first-start",
        "table-companion/table-companion-2.0.tar",
    }


def test_what_the_imager_does_at_the_first_start_is_done_as_well(made, tmp_path):
    boot = card(tmp_path / "bootfs", IMAGERS + "\n", firstrun_sh=FIRSTRUN)
    puts(made, boot)
    puts(made, boot)
    lines = (boot / "firstrun.sh").read_text().splitlines()
    (ours,) = [line for line in lines if "table-companion" in line]
    assert lines.index(ours) == 1
    assert "\n".join(line for line in lines if line != ours) + "\n" == FIRSTRUN
    assert (boot / "cmdline.txt").read_text() == IMAGERS + "\n"


@pytest.mark.parametrize(
    "files", [{"vendor-data": "#cloud-config\n"}, {"user-data": "#cloud-config\nvendor_data: {enabled: false}\n"}]
)
def test_where_cloud_init_would_not_call_it_the_kernels_line_does(made, tmp_path, files):
    boot = trixie(tmp_path / "bootfs", **files)
    before = tree(boot)
    puts(made, boot)
    assert (boot / "cmdline.txt").read_text().rstrip().endswith(OURS)
    assert {name: text for name, text in before.items() if name != "cmdline.txt"}.items() <= tree(boot).items()


# what is refused


def refused(made, where, *words, **environment):
    """The one sentence; nothing was changed."""
    before = tree(where)
    result = put(made, where, *words, **environment)
    assert (result.returncode, result.stderr.count("\n"), result.stdout) == (1, 1, "")
    assert tree(where) == before
    return result.stderr


def test_a_folder_that_is_no_boot_partition_is_refused(made, tmp_path):
    assert "no Raspberry Pi's boot partition" in refused(made, tmp_path)
    boot = card(tmp_path / "stub", "DO NOT EDIT THIS FILE\n")  # as the system's own partition has it
    assert "no Raspberry Pi's boot partition" in refused(made, boot)


def test_a_file_that_is_no_bundle_is_refused(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    (made / "table-companion-letter.tar").write_text("Dear all")
    assert "is no bundle" in refused(made, boot, "letter")
    assert "There is no file" in refused(made, boot, "3.0")
    assert "There is no file" in refused(made, boot, "2.0", "--key", "no.pem")


def test_a_card_without_room_is_refused(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    (tmp_path / "df").write_text("#!/bin/sh\necho Filesystem; echo '/dev/sda1 522230 521206 1024 100% /media/bootfs'\n")
    (tmp_path / "df").chmod(0o755)
    said = refused(made, boot, env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert re.search(r"has 1 MB left, and the bundle needs \d", said)


def test_a_first_start_that_is_somebody_elses_is_refused(made, tmp_path):
    boot = card(tmp_path / "bootfs", CMDLINE + " systemd.run=/boot/firmware/theirs\n")
    assert "already somebody else's" in refused(made, boot)


# the first start


class Pi(Machine):
    """A machine that starts with a card."""

    def __init__(self, folder, boot, started_by=CMDLINE):
        super().__init__(folder)
        self.boot, self.ours = boot, boot / "table-companion"
        self.unit = self.root / "etc/systemd/system/table-first-start.service"
        (self.root / "proc").mkdir()
        (self.root / "proc/cmdline").write_text(started_by)

    def starts_first(self):
        """What calls it first; it has made a unit then, and nothing else."""
        self.installs("sh", self.ours / "first-start")
        assert not self.opt.exists()
        return self.systemctl()

    def runs_the_unit(self, **more):
        """What systemd then does."""
        (command,) = re.findall(r"^ExecStart=(.*)$", self.unit.read_text(), re.M)
        return self.run(*command.split(), **more)

    def said(self):
        return (self.ours / "read-me.txt").read_text()


def test_the_first_start_installs_it_and_tells_the_pin_on_the_card(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    before = tree(boot)
    puts(made, boot, "2.0", "--key", made / "table-companion-2.0/maker.pem")
    pi = Pi(tmp_path, boot)
    wanted = ["--quiet enable table-first-start", "daemon-reload", "start --no-block table-first-start"]
    assert pi.starts_first() == wanted
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"
    assert "apt-get" not in pi.calls.read_text()
    assert "The table companion is installed." in pi.said()
    assert "shown this once: 4711" in pi.said()
    left = {"table-companion/read-me.txt": pi.said().encode(), "table-companion/installed": b""}
    assert tree(boot) == before | left  # the bundle has made room
    assert not pi.unit.exists()
    assert "--quiet disable table-first-start" in pi.systemctl()
    assert not list((pi.root / "var").rglob("*first-start*"))  # nor does the PIN stay anywhere else


def test_a_newer_bundle_is_installed_from_a_card_for_which_cloud_init_has_done_its_part(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "1.0")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit().returncode == 0
    with_pin = pi.said()
    said = puts(made, boot)
    assert "update.txt" in said
    assert "read-me.txt" not in said
    assert not (boot / "vendor-data").exists()
    assert (boot / "cmdline.txt").read_text().rstrip().endswith(OURS)
    pi.installs("sh", pi.ours / "first-start")
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"
    assert "4711" in with_pin
    assert pi.said() == with_pin  # it is told once, and nobody can log in to every card
    assert (pi.ours / "update.txt").read_text().startswith("The table companion is up to date.")


def test_where_cloud_init_calls_it_a_card_that_was_started_already_is_spoken_of(made, tmp_path):
    assert "already started" in puts(made, trixie(tmp_path / "trixie"))
    assert "already started" not in puts(made, card(tmp_path / "bookworm"))


PINS = "[[seat]]\nbutton = 17\nled = 23\n"


def with_pins(made, tmp_path):
    """A machine that starts with a card on which its owner has named the pins, and where the table looks for them."""
    (tmp_path / "my pins.toml").write_text(PINS)
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "2.0", "--table", tmp_path / "my pins.toml")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    return pi, pi.games / "table.toml"


def test_the_pins_on_a_card_are_the_tables(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    assert pi.runs_the_unit().returncode == 0
    assert pins.read_text() == PINS
    assert stat.S_IMODE(pins.stat().st_mode) == 0o644
    assert pi.systemctl().count("restart table-companion") == 2  # once as it was installed, once with its pins
    assert not (pi.ours / "table.toml").exists()


def test_the_pins_that_a_table_has_stay(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    pins.write_text("# mine\n")
    assert pi.runs_the_unit().returncode == 0
    assert pins.read_text() == "# mine\n"


def test_with_pins_that_do_not_work_the_table_goes_without_and_says_so(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    (pi.tools / "systemctl").write_text(
        f'#!/bin/sh\necho "systemctl $*" >>"$CALLS"\n[ "$*" != "restart table-companion" ] || [ ! -e "{pins}" ]\n'
    )
    assert pi.runs_the_unit().returncode == 0
    assert not pins.exists()
    assert pi.systemctl()[-2:] == ["restart table-companion", "--quiet disable table-first-start"]
    assert "does not start with this card's table.toml" in pi.said()
    assert "4711" in pi.said()


def test_a_start_that_the_kernels_line_made_a_call_of_it_is_the_only_one(made, tmp_path):
    boot = card(tmp_path / "bootfs")
    before = tree(boot)
    puts(made, boot)
    pi = Pi(tmp_path, boot, (boot / "cmdline.txt").read_text())
    assert pi.starts_first() == ["--quiet enable table-first-start"]  # this start ends at once
    assert tree(boot)["cmdline.txt"] == before["cmdline.txt"]
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"


def killed(pi, at):
    """Switches the machine off before command number `at` of the unit; whether it came so far."""
    cutting = pi.root / "cutting.sh"  # its installer is no part of what is counted, and is killed with it
    cutting.write_text(
        "unset BASH_ENV\nset -T\ntrap 'COUNT=$((COUNT + 1)); [ $COUNT != $KILL_AT ] || kill -9 0' DEBUG\n"
    )
    script = pi.ours / "first-start"
    return pi.run("bash", script, "--install", BASH_ENV=cutting, KILL_AT=at).returncode != 0


def test_where_the_power_goes_the_next_start_goes_on(made, tmp_path):
    moments = random.Random(1).sample(range(25, 60), KILLS)
    cut = []
    for at in moments:
        folder = tmp_path / str(at)
        folder.mkdir()
        boot = trixie(folder / "bootfs")
        puts(made, boot)
        pi = Pi(folder, boot)
        pi.starts_first()
        cut.append(killed(pi, at))
        if pi.unit.exists() and (pi.ours / "first-start").exists():
            assert pi.runs_the_unit().returncode == 0, at
        assert pi.version() == "2.0", at
        assert "4711" in pi.said(), at
        shutil.rmtree(folder)
    assert any(cut)


def test_what_cannot_be_installed_is_told_and_tried_again(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    other = make_key(tmp_path, "other")
    bundle.openssl("pkey", "-in", other, "-pubout", "-out", tmp_path / "other-public.pem")
    puts(made, boot, "2.0", "--key", tmp_path / "other-public.pem")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit().returncode == 1
    assert "could not be installed" in pi.said()
    assert "is not signed by the key" in pi.said()
    assert pi.unit.exists()
    assert not pi.opt.exists()
    (boot / "table-companion/maker.pem").unlink()
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"
    assert "could not" not in pi.said().splitlines()[0]


def test_what_was_taken_off_does_not_install_itself_at_the_next_start(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot)
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit(TABLE_COMPANION_PYTHON="/bin/false").returncode == 1
    (pi.root / "var/tmp/table-first-start/unpacked").mkdir(parents=True)  # as where the power went
    pi.installs(ROOT / "hardware/uninstall.sh")
    assert not pi.unit.exists()
    assert [line for line in pi.systemctl() if "first-start" in line][-2:] == [
        "--quiet disable table-first-start",
        "stop table-first-start",
    ]
    assert not list((pi.root / "var").rglob("*first-start*"))


def test_without_a_bundle_it_says_so(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot)
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    next(pi.ours.glob("*.tar")).unlink()
    assert pi.runs_the_unit().returncode == 1
    assert "There has to be one bundle" in pi.said()


def test_what_lies_on_the_card_is_plain_sh():
    scripts = ("put-on-card", "card/vendor-data", "card/table-companion/first-start")
    for script in scripts:
        assert (ROOT / "hardware" / script).read_bytes().startswith(b"#!/bin/sh\n")
        subprocess.run(["sh", "-n", str(Path(ROOT, "hardware", script))], check=True)
