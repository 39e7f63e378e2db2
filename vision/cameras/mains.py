"""Tells a camera the frequency of the mains, so that it exposes for whole waves of the lamps' light and shows no stripes.

The commands pass `--mains` on to the process with the camera by the environment.
"""

import fcntl
import os
import struct
import zoneinfo
from pathlib import Path
from typing import Any

from companion.cameras import devices

SETTING = "COMPANION_MAINS"  # 50, 60, off or auto
AUTO, OFF = "auto", "off"
S_CTRL, POWER_LINE = 0xC008561C, 0x00980918  # VIDIOC_S_CTRL and V4L2_CID_POWER_LINE_FREQUENCY of linux/videodev2.h
KERNEL_WORDS = {0: 0, 50: 1, 60: 2}  # the values of that control
FLICKER_MODE, FLICKER_PERIOD = "AeFlickerMode", "AeFlickerPeriod"  # libcamera's controls: 0 off, 1 by the period
LOCALTIME = Path("/etc/localtime")
# countries with 60 Hz; Japan has both
SIXTY = frozenset(
    "AG AI AS AW BB BM BR BS BZ CA CO CR CU DO EC FM GT GU GY HN HT KN KR KY LR MH MP MS MX NI PA PE PH PR PW SA SR SV "
    "TC TT TW US VE VG VI".split()
)
EITHER = frozenset({"JP"})


def wanted_hz() -> int | None:
    """50 or 60; 0 for none, None for whatever the camera does by itself."""
    match os.environ.get(SETTING, AUTO):
        case "50":
            return 50
        case "60":
            return 60
        case "off":
            return 0
        case _:
            return hz_of(zone_name())


def hz_of(zone: str) -> int | None:
    """The frequency where a time zone is, None if that cannot be told."""
    country = countries().get(zone)
    if country is None or country in EITHER:
        return None
    return 60 if country in SIXTY else 50


def zone_name() -> str:
    """This machine's time zone, such as Europe/Berlin; "" if it names none."""
    if named := os.environ.get("TZ", "").removeprefix(":"):
        return named
    return os.path.realpath(LOCALTIME).partition("zoneinfo/")[2]


def countries() -> dict[str, str]:
    """The country code of each time zone, empty on a machine without that list."""
    for folder in zoneinfo.TZPATH:
        try:
            lines = (Path(folder) / "zone.tab").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        rows = (line.split("\t") for line in lines if not line.startswith("#"))
        return {row[2]: row[0] for row in rows if len(row) > 2}
    return {}


def tell_device(number: int) -> None:
    """Sets the frequency on /dev/videoN; a camera without that control stays as it is."""
    hz = wanted_hz()
    if hz is None:
        return
    try:
        handle = os.open(devices.DEV / f"video{number}", os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return
    try:
        fcntl.ioctl(handle, S_CTRL, struct.pack("=Ii", POWER_LINE, KERNEL_WORDS[hz]))
    except OSError:
        return
    finally:
        os.close(handle)


def pi_controls(advertised: Any) -> dict[str, int]:
    """The controls that tell the Pi's camera; empty where it does not know them."""
    hz = wanted_hz()
    if hz is None or FLICKER_MODE not in advertised or (hz and FLICKER_PERIOD not in advertised):
        return {}
    return {FLICKER_MODE: 1, FLICKER_PERIOD: 1_000_000 // (2 * hz)} if hz else {FLICKER_MODE: 0}
