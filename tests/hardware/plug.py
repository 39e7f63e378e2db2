"""The plug of the virtual video device."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DRIVER = Path("/sys/bus/platform/drivers/vivid")
DEVICE = "vivid.0"
NODE = Path("/dev/video0")
SOON_S = 20.0


def unplug() -> None:
    """Pulls it out."""
    if (DRIVER / DEVICE).exists():
        (DRIVER / "unbind").write_text(DEVICE)


def plug_in() -> None:
    """Puts it back, with the rights that udev gives it on a Pi."""
    if not (DRIVER / DEVICE).exists():
        (DRIVER / "bind").write_text(DEVICE)
    until_s = time.monotonic() + SOON_S
    while not NODE.exists() and time.monotonic() < until_s:
        time.sleep(0.05)
    shutil.chown(NODE, group="video")
    NODE.chmod(0o660)


@contextmanager
def plugged_in() -> Iterator[None]:
    """Plugged in, whatever comes."""
    plug_in()
    yield
