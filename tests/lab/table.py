"""The real service with a camera of the lab, as a test drives it. It waits for what the service's own stream tells."""

import contextlib
import html
import itertools
import json
import os
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.cameras.set_up import SCENE
from companion.clock import monotonic_us
from tests.lab.__main__ import TOLD
from tests.lab.faults import Fault
from tests.lab.pi import wide_scene
from tests.lab.scenery import GOOD, Order, Orders
from tests.service import Service
from vision.virtual.camera import virtual_scene

FIRST_S = 180.0  # a limit, never a pause: until the first picture, on a machine that does much else
SOON_S = 60.0  # likewise, once everything runs
NOTICED_S = 3.0  # within which the tablet is told, from the first picture that has the fault
PI = "picamera"
SEES = "The camera sees the table."
THROWS = ((3, 5), (2, 6), (4, 1), (6, 2), (1, 3), (5, 4))  # more than are remembered: what comes again is asked about
BY_ID = Path("v4l") / "by-id" / "usb-Lab_Camera-video-index0"


class LabTable:
    """The service, the game that is played there, and the camera's orders. Closed by `close`."""

    def __init__(self, place: Path, camera: str | None = None) -> None:
        """camera    a Pi's own by its name; a USB camera by its lasting name if None"""
        folder, data = place / "lab", place / "data"
        self.dev = folder / "dev"
        (self.dev / BY_ID).parent.mkdir(parents=True)
        data.mkdir()
        (data / SCENE).write_text(json.dumps(virtual_scene() if camera is None else wide_scene()))  # set up on its mat
        self.orders = Orders(folder)
        self.order = Order()
        self.orders.give(self.order)
        self.plug_in(0)
        self.camera = camera or str(self.dev / BY_ID)
        self.service = Service(data, "--camera", self.camera, program=("tests.lab.__main__:main", str(folder)))
        self.game = ""
        self._games = 0
        self._throws = itertools.cycle(THROWS)
        self._news: Any = None
        try:
            self.begin_a_game()
            self.throw(1, 1)  # asked about if the camera has not seen the empty table at rest before
            self.waits_until(lambda: self.entered() or self.asked())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._news is not None:
            self._news.close()
        self.service.stop()

    # what happens at the table

    def plug_in(self, number: int) -> None:
        """The USB camera answers as /dev/video`number`."""
        (self.dev / f"video{number}").touch()
        link = self.dev / BY_ID
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(self.dev / f"video{number}", link.parent))

    def unplug(self) -> int:
        """Pulls the USB camera out; returns when."""
        device = (self.dev / BY_ID).resolve()
        (self.dev / BY_ID).unlink()
        device.unlink()
        return monotonic_us()

    def make(self, fault: str) -> None:
        """The camera has this fault from now on."""
        self.order = Order(fault, self.order.dice, self.order.thrown_us)
        self.orders.give(self.order)

    def shows(self, fault: Fault) -> None:
        """In a game that waits for a roll, the camera has a fault: it is said in time, and enters nothing wrong."""
        self.begin_a_game()
        device = self.dev / "video0"
        program = Path("/proc/self/comm").read_text().strip()
        sentence = (fault.pi if self.camera == PI else fault.usb).format(device=device, program=program)
        with device.open() if fault.name == "busy" else contextlib.nullcontext():
            self.make(fault.name)
            if sentence:
                self.waits_until(lambda: sentence in self.page())
                assert self.seconds_until(sentence, fault.name) < NOTICED_S
        if fault.is_read:
            self.throws_and_is_read()
        self.sees_again()
        if not fault.is_read:
            self.throws_and_is_read()

    def throws_and_is_read(self) -> None:
        """Somebody throws, and just that is the first roll of the game: nothing else was entered, and nothing asked."""
        values = next(self._throws)
        self.throw(*values)
        self.waits_until(lambda: self.is_roll(*values))

    def throws_and_is_read_or_asked(self) -> None:
        """As `throws_and_is_read`, before a process that has just begun: what it has not seen coming it asks about."""
        values = next(self._throws)
        self.throw(*values)
        self.waits_until(lambda: self.entered() or self.asked())
        found = self.entered() or [question["event"]["dice"] for question in self.asked()]
        assert [sorted(dice) for dice in found] == [sorted(values)]

    def throw(self, *values: int) -> None:
        """Somebody takes the dice that lie there, and throws these."""
        self.order = Order(self.order.fault, values, monotonic_us())
        self.orders.give(self.order)

    def begin_a_game(self) -> None:
        """The camera sees the table, and Ann and Bob begin Sack Stackers: it waits for a roll of two dice."""
        self._games += 1
        self.game = f"camera-lab-{self._games}"
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": self.game}
        assert self.service.call("/api/sessions", body, SOON_S)[0] == 201
        if self._news is not None:
            self._news.close()
        self._news = urllib.request.urlopen(f"{self.service.url}/api/sessions/{self.game}/stream", timeout=SOON_S)
        self.make(GOOD)
        self.waits_until(lambda: SEES in self.page(), FIRST_S if self._games == 1 else SOON_S)

    # what the tablet says and the game has

    def page(self) -> str:
        """The page of the game, as a tablet shows it."""
        with urllib.request.urlopen(f"{self.service.url}/s/{self.game}", timeout=SOON_S) as answer:
            return html.unescape(answer.read().decode())

    def waits_until(self, is_so: Callable[[], object], limit_s: float = SOON_S) -> None:
        """Asks at each word of the service's stream whether it is so; it has a word every other second."""
        until_s = time.monotonic() + limit_s
        while not is_so():
            assert time.monotonic() < until_s, f"it did not happen; the table's line: {self.says()}"
            while not (line := self._news.readline()).startswith(b"data:"):
                assert line, "the stream ended"

    def says(self) -> list[str]:
        """The lines about the camera on the page."""
        return [line.strip() for line in self.page().splitlines() if 'class="status-' in line]

    def seconds_until(self, sentence: str, fault: str = "", *, since_us: int = -1) -> float:
        """How long after the fault's first picture, or a moment, open pages were told this, by the service's stamp.

        A page that is asked late may no longer say it: a lens that hunts is soon held.
        """

        def began_us() -> int:
            return since_us if since_us >= 0 else self.orders.began_us(fault)

        self.waits_until(lambda: began_us() >= 0 and self.told_us(sentence, began_us()) is not None)
        return ((self.told_us(sentence, began_us()) or 0) - began_us()) / 1_000_000

    def told_us(self, sentence: str, since_us: int) -> int | None:
        """When open pages were first told this after a moment; None if they were not."""
        lines = (self.orders.folder / TOLD).read_text(encoding="utf-8").splitlines(keepends=True)
        told = (json.loads(line) for line in lines if line.endswith("\n"))
        return next((at_us for at_us, said in told if at_us >= since_us and sentence in " ".join(said)), None)

    def sees_again(self) -> None:
        """Ends the fault, and waits until the page says that the camera sees the table."""
        self.sees_again_with(GOOD)

    def sees_again_with(self, fault: str) -> None:
        """As `sees_again`, with another fault that is none to see with."""
        self.make(fault)
        self.waits_until(lambda: SEES in self.page())

    def entered(self) -> list[list[int]]:
        """The rolls that stand in the game."""
        lines = self.service.call(f"/api/sessions/{self.game}/history", timeout_s=SOON_S)[1]
        return [line["event"]["dice"] for line in lines if line["event"]["kind"] == "Rolled"]

    def asked(self) -> list[Any]:
        """What the camera asks."""
        return self.service.call(f"/api/sessions/{self.game}/proposals", timeout_s=SOON_S)[1]

    def is_roll(self, *values: int) -> bool:
        """Whether these dice are the first that were rolled; fails if anything else was entered, or was asked."""
        found = self.entered()
        assert found in ([], [list(values)], [list(values)[::-1]]), found
        assert (asked := self.asked()) == [], asked
        return bool(found)
