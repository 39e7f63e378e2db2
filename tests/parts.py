"""Stand-ins of a test for the cameras, the box, the demo's table, the functions of a game and the kernel's files."""

import os
from dataclasses import fields, replace

from companion import machine


class Kernel:
    """The kernel's files on power, heat and disks, in a folder; empty at first."""

    def __init__(self, folder, monkeypatch):
        self._folder = folder / "kernel"
        monkeypatch.setattr(machine, "SYS", self._folder / "sys")
        monkeypatch.setattr(machine, "PROC", self._folder / "proc")
        device = os.stat(folder).st_dev
        self._own = os.major(device), os.minor(device)

    def _write(self, path, text):
        path = self._folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    def firmware(self, flags):
        self._write("sys/devices/platform/soc/soc:firmware/get_throttled", flags)

    def alarm(self, is_low, name="rpi_volt"):
        self._write(f"sys/class/hwmon/hwmon-{name}/name", name)
        self._write(f"sys/class/hwmon/hwmon-{name}/in0_lcrit_alarm", int(is_low))

    def heat(self, *degrees, kind="cpu-thermal"):
        for old in self._folder.glob("sys/class/thermal/*/temp"):
            old.unlink()
        for zone, heat_c in enumerate(degrees):
            self._write(f"sys/class/thermal/thermal_zone{zone}/type", kind)
            self._write(f"sys/class/thermal/thermal_zone{zone}/temp", round(heat_c * 1000))

    def disk(self, writes, write_ms, waiting, busy_ms, number=None, name="sda1"):
        """The disk of the tests, or another one."""
        major, minor = number or self._own
        self._write("proc/diskstats", f"{major} {minor} {name} 1 2 3 4 {writes} 6 7 {write_ms} {waiting} {busy_ms} 9")


def connect(host, **parts):
    """Gives a house these parts, named as the fields of `Outside`."""
    host.outside = host.active.outside = replace(host.outside, **parts)


def altered(game, **functions):
    """The game with these functions in place of its own, whichever of its parts has them."""
    for name, function in functions.items():
        part = next(each.name for each in fields(game) if hasattr(getattr(game, each.name), name))
        game = replace(game, **{part: replace(getattr(game, part), **{name: function})})
    return game
