"""Two phones on the real program: one above the table, one in front of the blocks, each of a device of its own."""

import contextlib
import json
import threading
import urllib.parse
import urllib.request

import numpy as np
import pytest

from companion.cameras.set_up import FRONT_SCENE, SCENE
from companion.demo.stacks import EMPTY, TableStack, design
from companion.demo.things import THROW_US, VirtualTable
from tests.photographs import dice_table, jpeg, noisy, thrown
from tests.processes.test_stacks_in_play import CARD, Round
from tests.service import running
from vision.virtual.camera import VirtualCamera, virtual_scene
from vision.virtual.front import VirtualFront, front_scene

EMPTY_PICTURES = 30  # of a table on which nothing lies, before a throw: what comes then was not there before
BUILT = VirtualTable(stacks=(TableStack(design({"card": CARD}, [])), EMPTY, EMPTY, EMPTY))


class Phone(threading.Thread):
    """A device of its own that shows a table to the service, picture after picture, as the page does.

    table   what it sees at rest; `shown` counts its pictures of that
    """

    def __init__(self, service, place, painter, table):
        super().__init__(daemon=True)
        self.service, self.place, self.table, self.shown = service, place, table, 0
        self._token = service.new_token("player")
        self._painter, self._random = painter, np.random.default_rng(1)
        self._is_full, self._ended, self._throw = False, threading.Event(), None

    def run(self):
        while not self._ended.is_set():
            if self._throw is not None:
                for at_us in range(0, THROW_US, 90_000):
                    self._show(self._painter.picture(thrown(self._throw), at_us))
                self.table, self._throw, self.shown = self._throw, None, 0
            table = self.table
            self._show(self._painter.picture(table, THROW_US))
            self.shown += table is self.table

    def throw(self, table):
        """Shows how the dice of this table are thrown, then the table."""
        self._throw = table

    def look_at(self, table):
        """Shows this table from now on."""
        self.table, self.shown = table, 0

    def ask(self):
        """Asks to be the camera; the host, who is the machine itself, sees it and allows it."""
        assert self._sent("ask", b"{}", "application/json") == {"allowed": False}
        form = urllib.parse.urlencode({"device": self._token.rpartition(".")[0], "answer": "allow"}).encode()
        urllib.request.urlopen(f"{self.service.url}/camera/{self.place}/answer", form, timeout=60).close()
        assert self._sent("ask", b"{}", "application/json") == {"allowed": True}

    def end(self):
        self._ended.set()
        self.join(60)

    def _show(self, bgr):
        seen, full = noisy(bgr, self._random), self._is_full
        body = jpeg(seen if full else np.ascontiguousarray(seen[::2, ::2]))
        self._is_full = self._sent("picture" + ("?full=1" if full else ""), body, "image/jpeg")["full"]

    def _sent(self, what, body, kind):
        headers = {"Content-Type": kind, "Via": "1.1 a test", "Authorization": f"Bearer {self._token}"}
        request = urllib.request.Request(f"{self.service.url}/camera/{self.place}/{what}", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())


@pytest.fixture
def service(tmp_path):
    """The demo, for its buttons; its cameras' scenes are those of the phones that take their places."""
    (tmp_path / SCENE).write_text(json.dumps(virtual_scene()))
    (tmp_path / FRONT_SCENE).write_text(json.dumps(front_scene()))
    with running(tmp_path, "--demo", "--silent") as found:
        yield found


@contextlib.contextmanager
def phones(service):
    above = Phone(service, "above", VirtualCamera().new_painter(), VirtualTable())
    front = Phone(service, "front", VirtualFront().new_painter(), VirtualTable())
    for phone in (above, front):
        phone.ask()
        phone.start()
    try:
        yield above, front
    finally:
        above.end()
        front.end()


def test_one_phone_reads_the_dice_while_another_judges_the_stacks(service):
    with phones(service) as (above, front):
        game = Round(service)
        front.look_at(BUILT)
        game.wait(lambda: front.shown > EMPTY_PICTURES)
        game.press("seat-1")
        verdict = game.asked("space 1 stands and matches")
        assert verdict["event"]["kind"] == "Witnessed"
        assert game.confirm(verdict)[0] in (200, 201)

        _, dice = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
        above.look_at(VirtualTable())
        game.wait(lambda: above.shown > EMPTY_PICTURES)
        above.throw(dice_table(3, 5))
        game.wait(lambda: service.call(f"/api/sessions/{dice['id']}")[1]["seq"] > 0)
        (entry,) = service.call(f"/api/sessions/{dice['id']}/history")[1]
        assert "3" in json.dumps(entry)
        assert "5" in json.dumps(entry)
        assert front.is_alive()
