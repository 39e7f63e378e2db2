"""The frequency of the mains, by which lamps flicker: from the command line, or from where the machine is.

The commands hand `--mains` on to the process with the camera by the environment.
"""

import os
import zoneinfo
from pathlib import Path

SETTING = "COMPANION_MAINS"
CHOICES = ("auto", "50", "60", "off")
HELP = "Hz of the mains, so that lamps make no stripes: 50, 60 or off; auto goes by the time zone."
LOCALTIME = Path("/etc/localtime")
# These countries have 60 Hz; Japan has both.
SIXTY = (
    "AG AI AS AW BB BM BR BS BZ CA CO CR CU DO EC FM GT GU GY HN HT KN KR KY LR MH MP MS MX NI PA PE PH PR PW SA SR SV "
    "TC TT TW US VE VG VI"
)
EITHER = "JP"


def choose(mains: str) -> None:
    """Has cameras that are opened from now on be told what was chosen, one of CHOICES."""
    os.environ[SETTING] = mains


def wanted_hz() -> int | None:
    """50 or 60; 0 for none, None for whatever a camera does by itself."""
    match os.environ.get(SETTING, "auto"):
        case "50":
            return 50
        case "60":
            return 60
        case "off":
            return 0
        case _:
            return hz_of(zone_name())


def hz_of(zone: str) -> int | None:
    """The frequency where a time zone is, the usual one if nobody knows; None for a country that has both."""
    country = countries().get(zone, "")
    if country == EITHER:
        return None
    return 60 if country in SIXTY.split() else 50


def zone_name() -> str:
    """This machine's time zone, such as Europe/Berlin; "" if it names none."""
    if name := os.environ.get("TZ", "").removeprefix(":"):
        return name
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
