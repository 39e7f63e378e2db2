"""`companion bench phone`: how many pictures of a phone a table takes, and how soon a throw that it films is shown.

The real service runs on one core; the phone and the tablet are connections of this process. The phone sends as its page
does: one picture at a time, the next once the table has taken the last.
"""

import http.client
import itertools
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.app.bench.apart import service_apart
from companion.app.bench.figures import Figure, Wanted
from companion.app.bench.photo import call
from companion.app.bench.screens import GAME, PLAYERS, spread
from companion.demo.things import THROW_US, TableDie, Throw, VirtualTable
from companion.errors import BadInput
from companion.foreign import read_json
from vision.virtual.camera import VirtualCamera, virtual_scene

WIDTH_PX, HEIGHT_PX = 1280, 720
FULL_PX = (1920, 1080)
BETWEEN_S = 0.08  # The page sends pictures so often while something moves.
STILL_PICTURES = 6  # Each picture of a table at rest has noise of its own: a real phone need not draw what it sees.
RATE_S = 10.0
THROWS = 20
EMPTY_S = 4.0  # The table is empty before each throw: what comes then was not there before.
PATIENCE_S = 60.0
JPEG_QUALITY = 80
RATE_WANTED, SHOWN_WANTED = Wanted(8.0), Wanted(600.0, at_most=True)


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Pictures a second, and milliseconds from rest to tablet; labels and pictures play no part."""
    with service_apart("--camera", "phone", scene=scene()) as service:
        return measure(service.port, RATE_S, THROWS, EMPTY_S)


def scene() -> dict[str, Any]:
    """The scene of the drawn table in the phone's pictures."""
    drawn = virtual_scene()
    share = HEIGHT_PX / drawn["camera"]["height"]
    lens = {"fx": drawn["camera"]["fx"] * share, "fy": drawn["camera"]["fy"] * share}
    middle = {"width": WIDTH_PX, "height": HEIGHT_PX, "cx": WIDTH_PX / 2, "cy": HEIGHT_PX / 2}
    return {**drawn, "camera": {**drawn["camera"], **lens, **middle}}


def measure(port: int, rate_s: float, throws: int, empty_s: float) -> list[Figure]:
    with closing(Phone(port)) as phone:
        phone.show_for(PATIENCE_S, VirtualTable(), is_enough=lambda: phone.fulls > 0 or phone.pictures > 30)
        new_game(port)
        began, before = time.monotonic(), phone.pictures
        phone.show_for(rate_s, VirtualTable(), between_s=0.0)
        rate = (phone.pictures - before) / (time.monotonic() - began)
        delays_ns = [throw_shown_ns(phone, port, number, empty_s) for number in range(throws)]
    size = f"{WIDTH_PX} × {HEIGHT_PX}"
    median, p95, *_rest = spread("rest to tablet", f"{size}, {throws} throws", delays_ns)
    return [
        Figure("pictures taken a second", size, value=rate, unit="a second", wanted=RATE_WANTED),
        median,
        Figure(p95.name, p95.group, value=p95.value, unit=p95.unit, wanted=SHOWN_WANTED),
    ]


class Phone:
    """The page `/camera` of a phone: it sends pictures of drawn tables.

    taken   pictures that the table has taken, `fulls` of them in full size
    """

    def __init__(self, port: int) -> None:
        self.pictures = self.fulls = 0
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._painter = VirtualCamera().new_painter()
        self._is_full = False
        if not call(port, "/camera/above/ask", {})["allowed"]:
            raise BadInput("The service does not allow this machine's own phone: it runs behind something else.")

    def close(self) -> None:
        self._line.close()

    def draw(self, table: VirtualTable, at_us: int = THROW_US) -> np.ndarray:
        """What the phone sees of a table, (HEIGHT_PX, WIDTH_PX, 3), with a sensor's noise."""
        whole_bgr = self._painter.picture(table, at_us)
        width_px = HEIGHT_PX * whole_bgr.shape[1] // whole_bgr.shape[0]
        whole_bgr = cv2.resize(whole_bgr, (width_px, HEIGHT_PX), interpolation=cv2.INTER_AREA)
        side_px = (WIDTH_PX - width_px) // 2  # The phone sees more of the table on both sides.
        return cv2.copyMakeBorder(whole_bgr, 0, 0, side_px, WIDTH_PX - width_px - side_px, cv2.BORDER_REPLICATE)

    def show(self, bgr: np.ndarray) -> None:
        """Sends one picture and waits for the answer."""
        full = self._is_full
        if full:
            bgr = cv2.resize(bgr, FULL_PX, interpolation=cv2.INTER_CUBIC)
        body = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))[1].tobytes()
        self._line.request(
            "POST", f"/camera/above/picture{'?full=1' if full else ''}", body, {"Content-Type": "image/jpeg"}
        )
        self._is_full = read_json(self._line.getresponse().read())["full"]
        self.pictures, self.fulls = self.pictures + 1, self.fulls + full

    def show_for(
        self,
        seconds: float,
        table: VirtualTable,
        *,
        between_s: float = BETWEEN_S,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """Sends pictures of a table at rest for so long, or until it is enough."""
        self.show_each([self.draw(table) for _number in range(STILL_PICTURES)], seconds, between_s, is_enough)

    def show_each(
        self,
        pictures: list[np.ndarray],
        seconds: float,
        between_s: float = BETWEEN_S,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """Sends these pictures, again and again, for so long, or until it is enough."""
        until_s = time.monotonic() + seconds
        for bgr in itertools.cycle(pictures):
            began_s = time.monotonic()
            if began_s >= until_s or is_enough():
                return
            self.show(bgr)
            if not self._is_full:
                time.sleep(max(0.0, between_s - (time.monotonic() - began_s)))


def new_game(port: int) -> str:
    """The id of a new game that waits for dice."""
    return str(call(port, "/api/sessions", {"game": GAME, "players": PLAYERS})["id"])


def throw_shown_ns(phone: Phone, port: int, number: int, empty_s: float) -> int:
    """Nanoseconds from the first picture of dice at rest until a tablet is told of the roll, in a game of its own."""
    tablet = Tablet(port, new_game(port))
    dice = (
        TableDie("a", 1 + number % 6, 130.0, 100.0, 13.0 * number),
        TableDie("b", 1 + (number * 5 + 2) % 6, 210.0, 120.0, 29.0 * number),
    )
    rest = VirtualTable(dice=dice)
    origin = tuple(TableDie(die.key, die.value, -60.0, die.y_mm, die.angle_deg - 200.0) for die in dice)
    flying = VirtualTable(dice=dice, throw=Throw(0, THROW_US, origin))
    moving = [phone.draw(flying, at_us) for at_us in range(0, THROW_US, round(BETWEEN_S * 1e6))]
    resting = [phone.draw(rest) for _number in range(STILL_PICTURES)]
    phone.show_for(empty_s, VirtualTable())
    for bgr in moving:
        began_s = time.monotonic()
        phone.show(bgr)
        time.sleep(max(0.0, BETWEEN_S - (time.monotonic() - began_s)))
    rested_ns = time.perf_counter_ns()
    phone.show_each(resting, PATIENCE_S, is_enough=tablet.is_told.is_set)
    tablet.close()
    if not tablet.is_told.is_set():
        raise BadInput("A throw was never told: measure again on a quieter machine.")
    return tablet.told_ns - rested_ns


class Tablet:
    """A tablet's stream of one game, and when the first entry came."""

    def __init__(self, port: int, game: str) -> None:
        self.is_told, self.told_ns = threading.Event(), 0
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S * 2)
        self._line.request("GET", f"/api/sessions/{game}/stream?since=0")
        self._answer = self._line.getresponse()
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._answer.close()
        self._line.close()

    def _listen(self) -> None:
        while line := self._answer.readline():
            if line.startswith(b"event: entry"):
                self.told_ns = time.perf_counter_ns()
                self.is_told.set()
                return
