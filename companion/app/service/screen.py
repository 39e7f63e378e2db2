"""This machine's own screen: a browser that shows the scoreboard and nothing else, begun again whenever it ends."""

import contextlib
import logging
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from companion.errors import BadInput
from companion.periodic import PeriodicThread

BROWSERS = ("chromium", "chromium-browser", "cog")
# The installed screen (hardware/systemd/table-kiosk.service) starts Chromium with the same ones.
CHROMIUM = (
    "--kiosk", "--ozone-platform=wayland", "--no-first-run", "--disable-translate", "--disable-features=Translate",
    "--disable-pinch", "--overscroll-history-navigation=0", "--password-store=basic",
)  # fmt: skip
LOOK_S, END_S = 1.0, 3.0
AGAIN_S, LONGEST_S = 3.0, 60.0  # One that ends at once is begun again after twice as long each time.
STEADY_S = 60.0  # One that ran so long is begun again soon.

log = logging.getLogger(__name__)


def command_for(data: Path) -> tuple[str, ...]:
    """What shows a page on this machine's screen; the page's address comes last. Raises BadInput if nothing can.

    data    the data folder, where the browser keeps what it remembers
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise BadInput("No browser for this machine's screen is installed: sudo apt install chromium cage.")
    kept = f"--user-data-dir={(data / 'screen').absolute()}"
    program = (browser,) if Path(browser).name == "cog" else (browser, *CHROMIUM, kept)
    if os.environ.get("WAYLAND_DISPLAY"):
        return program
    if os.environ.get("DISPLAY"):
        return tuple(part for part in program if part != "--ozone-platform=wayland")
    if compositor := shutil.which("cage"):
        return (compositor, "-d", "--", *program)
    raise BadInput(
        "Without a desktop nothing can show the scoreboard on this machine's screen: sudo apt install cage, or leave "
        "--kiosk away."
    )


class Screen:
    """The browser, from start to stop.

    command     see `command_for`
    address     the page
    """

    def __init__(self, command: tuple[str, ...], address: str) -> None:
        self._command = (*command, address)
        self._process: subprocess.Popen[bytes] | None = None
        self._began_s, self._wait_s = 0.0, AGAIN_S
        self._thread = PeriodicThread("screen", self._look)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Closes the browser."""
        self._thread.stop()
        if self._process is None or self._process.poll() is not None:
            return
        for way in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, way)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
                return

    def _look(self) -> float:
        """Begins the browser if it does not run; one that has just ended waits a moment."""
        if self._process is None:
            quiet, self._began_s = subprocess.DEVNULL, time.monotonic()
            self._process = subprocess.Popen(
                with_parent(self._command), stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
            )
        elif (code := self._process.poll()) is not None:
            wait_s = AGAIN_S if time.monotonic() - self._began_s > STEADY_S else self._wait_s
            log.warning("the browser on this machine's screen ended with %d, the next begins in %d s", code, wait_s)
            self._process, self._wait_s = None, min(2 * wait_s, LONGEST_S)
            return wait_s
        return LOOK_S


def with_parent(command: tuple[str, ...]) -> tuple[str, ...]:
    """A command whose program ends with the service, even with one that is killed: it would keep the screen."""
    return (setpriv, "--pdeathsig", "TERM", *command) if (setpriv := shutil.which("setpriv")) else command
