"""The pins of a real Raspberry Pi: gpiozero on lgpio, on the header's chip, whatever its number."""

import os
import re
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from gpiozero.pins import Factory

from companion.errors import HardwareUnavailable
from companion.packages import PI, install_command
from companion.words import _

# The header's chip has these labels on a Pi 5, Pi 4, Pi 3 and Zero 2, and a newer name.
HEADER_CHIPS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835", "pinctrl-bcm2837")
DEVICES = Path("/dev")
MONOTONIC_SINCE = (5, 7)  # This is the first kernel that stamps edges with the monotonic clock.
SAME_CLOCK_S = 1.0


def pi_factory() -> Factory:
    """gpiozero's pins on the header's chip; raises HardwareUnavailable."""
    give_lgpio_a_folder()
    try:
        lgpio = import_module("lgpio")
        pins = import_module("gpiozero.pins.lgpio")
        chip = header_chip(lgpio, chip_numbers(DEVICES))
        factory: Factory = pins.LGPIOFactory(chip=chip)
    except ImportError as error:
        raise HardwareUnavailable(
            _(
                "Buttons and lights need lgpio. Start with --demo, or install it with {command}",
                command=install_command(PI),
            )
        ) from error
    except (AttributeError, OSError) as error:  # PyPI's empty stand-in for lgpio raises AttributeError.
        raise HardwareUnavailable(
            _(
                "lgpio doesn't work here ({error}). Install another one with {command}",
                error=error,
                command=install_command(PI),
            )
        ) from error
    return factory


def give_lgpio_a_folder() -> None:
    """Sets a working folder for lgpio, which writes a pipe there when imported: the current folder may be read-only."""
    if "LG_WD" not in os.environ:
        os.environ["LG_WD"] = os.environ.get("RUNTIME_DIRECTORY") or tempfile.mkdtemp(prefix="companion-lgpio-")


def chip_numbers(devices: Path) -> tuple[int, ...]:
    """The numbers of the kernel's GPIO chips."""
    names = (path.name.removeprefix("gpiochip") for path in devices.glob("gpiochip*"))
    return tuple(sorted(int(name) for name in names if name.isdecimal()))


def header_chip(lgpio: Any, numbers: tuple[int, ...]) -> int:
    """The number of the header's chip, found by its label, since numbers change with the kernel.

    Raises HardwareUnavailable if there is none or it may not be opened.
    """
    if not numbers:
        raise HardwareUnavailable(_("This computer has no GPIO pins. Use a Raspberry Pi, or start with --demo."))
    refused = False
    for number in numbers:
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error:
            refused = True
            continue
        try:
            label = lgpio.gpio_get_chip_info(handle)[3]
        finally:
            lgpio.gpiochip_close(handle)
        if label in HEADER_CHIPS:
            return number
    if refused:
        raise HardwareUnavailable(
            _("You're not allowed to use the GPIO pins. Add your user to the group gpio, log in again and restart.")
        )
    raise HardwareUnavailable(_("None of this computer's GPIO chips is a Raspberry Pi's header. Start with --demo."))


def stamp_trouble(release: str, factory: Factory) -> str:
    """A sentence if this kernel does not stamp edges with the monotonic clock, else "".

    release     of the kernel, such as "6.12.25+rpt-rpi-v8"
    """
    version = re.match(r"(\d+)\.(\d+)", release)
    if version and (int(version[1]), int(version[2])) < MONOTONIC_SINCE:
        return _(
            "The kernel {release} times presses with a clock that jumps, so they count as they arrive. Update it.",
            release=release,
        )
    if abs(factory.ticks() - time.monotonic()) > SAME_CLOCK_S:
        return _("The pins use a different clock from this program, so presses count as they arrive. Update both.")
    return ""
