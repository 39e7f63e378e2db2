"""Tells a camera the frequency of the mains, so that it exposes for whole waves of the lamps' light: without stripes.

A camera that cannot be told stays as it is; `companion doctor` says so.
"""

from typing import Any

from companion.cameras.mains import wanted_hz
from vision.cameras.v4l2 import POWER_LINE, set_control

KERNEL_WORDS = {0: 0, 50: 1, 60: 2}  # The kernel's control takes these values.
# libcamera's mode is 0 for off and 1 for by the period.
FLICKER_MODE, FLICKER_PERIOD = "AeFlickerMode", "AeFlickerPeriod"


def tell_device(number: int) -> bool:
    """Sets the frequency on /dev/videoN; whether the camera took it, or nothing was to be set."""
    hz = wanted_hz()
    return hz is None or set_control(number, POWER_LINE, KERNEL_WORDS[hz])


def pi_controls(advertised: Any) -> dict[str, int] | None:
    """The controls that tell the Pi's camera, none where nothing is to be set; None if it does not know them."""
    hz = wanted_hz()
    if hz is None:
        return {}
    if FLICKER_MODE not in advertised or (hz and FLICKER_PERIOD not in advertised):
        return None
    return {FLICKER_MODE: 1, FLICKER_PERIOD: 1_000_000 // (2 * hz)} if hz else {FLICKER_MODE: 0}
