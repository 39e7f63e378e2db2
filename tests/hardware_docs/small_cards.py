"""A Raspberry Pi's card with a small bundle on it, and a machine that starts with it.

A folder stands for the card's boot partition, with the files that Raspberry Pi OS and its Imager put there. The machine
that is installed into is the one of `small_bundles`.
"""

import re
import subprocess

from tests.hardware_docs.small_bundles import Machine

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


def put(made, where, version="2.0", *options, **environment):
    """Runs put-on-card as a person does, out of the unpacked bundle."""
    command = ["sh", made / "table-companion-2.0/put-on-card", made / f"table-companion-{version}.tar", where, *options]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, **environment)


def puts(made, where, *words):
    result = put(made, where, *words)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


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
