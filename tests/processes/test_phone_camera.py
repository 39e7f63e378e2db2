"""A phone's pictures on the real program: a throw that they show is the roll; none for 2.5 s, and the table says so.

A running table without a camera takes one for its camera, and lets it go again.
"""

import json
import time
import urllib.request

import numpy as np
import pytest

from companion.cameras.set_up import SCENE
from companion.demo.things import THROW_US, VirtualTable
from tests.photographs import dice_table, jpeg, noisy, thrown
from tests.service import running
from vision.virtual.camera import VirtualCamera, virtual_scene

PICTURE_S = 0.1
LONG = 30  # pictures, until the table counts as at rest
MISSED_S = 3.5  # 2.5 s without a picture, the home page twice
SOON_S = 60.0  # a limit, never a pause


class Filming:
    """A phone that shows a table to the service, picture by picture, as the page does."""

    def __init__(self, service):
        self.service = service
        self.fulls = self.number = 0
        self._painter = VirtualCamera().new_painter()
        self._random = np.random.default_rng(1)
        self._is_full = False

    def throw(self, table):
        """Shows how the dice of this table are thrown."""
        for at_us in range(0, THROW_US, 90_000):
            self.show(self._painter.picture(thrown(table), at_us))

    def show(self, bgr):
        """Sends one picture: of full size if the table has asked for that, else every second pixel of it."""
        full = self._is_full
        self.fulls, self.number = self.fulls + full, self.number + 1
        seen = noisy(bgr, self._random)
        body = jpeg(seen if full else np.ascontiguousarray(seen[::2, ::2]))
        request = urllib.request.Request(
            f"{self.service.url}/camera/above/picture{'?full=1' if full else ''}", body, {"Content-Type": "image/jpeg"}
        )
        began_s = time.monotonic()
        with urllib.request.urlopen(request, timeout=30) as answer:
            self._is_full = json.loads(answer.read())["full"]
        time.sleep(max(0.0, PICTURE_S - (time.monotonic() - began_s)))

    def show_until(self, table, is_so):
        """Shows a table at rest until this is so."""
        bgr, until_s = self._painter.picture(table, THROW_US), time.monotonic() + SOON_S
        while not is_so():
            assert time.monotonic() < until_s
            self.show(bgr)


@pytest.fixture
def service(tmp_path):
    (tmp_path / SCENE).write_text(json.dumps(virtual_scene()))  # it is set up on its mat
    with running(tmp_path, "--camera", "phone") as found:
        yield found


def status(service):
    """What the page of the first game says about its parts."""
    with urllib.request.urlopen(f"{service.url}/", timeout=30) as answer:
        return answer.read().decode()


def test_a_throw_that_a_phone_shows_is_the_roll_and_a_phone_that_is_gone_is_missed(service):
    _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
    phone = Filming(service)
    assert service.call("/camera/above/ask", {})[1] == {"allowed": True}
    phone.show_until(VirtualTable(), lambda: phone.fulls and "The camera sees the table." in status(service))
    seen = phone.number
    phone.show_until(VirtualTable(), lambda: phone.number > seen + LONG)  # what comes now was not there before
    phone.throw(dice_table(3, 5))
    phone.show_until(dice_table(3, 5), lambda: service.call(f"/api/sessions/{game['id']}")[1]["seq"] > 0)
    entries = json.dumps(service.call(f"/api/sessions/{game['id']}/history")[1])
    assert "3" in entries
    assert "5" in entries

    gone_s = time.monotonic()
    while "The phone sends no pictures." not in status(service):
        assert time.monotonic() - gone_s < SOON_S
    assert time.monotonic() - gone_s < MISSED_S
    phone.show_until(dice_table(3, 5), lambda: "The camera sees the table." in status(service))


def test_a_running_table_without_a_camera_takes_a_phone_for_it_and_lets_it_go_again(tmp_path):
    with running(tmp_path, "--camera", "none") as service:
        assert "No camera. Tap in your dice." in status(service)
        phone = Filming(service)
        assert service.call("/camera/above/ask", {})[1] == {"allowed": True}
        service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
        phone.show_until(VirtualTable(), lambda: "The camera sees the table." in status(service))
    with running(tmp_path, "--camera", "none") as service:
        phone = Filming(service)
        phone.show_until(VirtualTable(), lambda: "The camera sees the table." in status(service))
        assert service.call("/camera/above/leave", {})[1] == {}
        assert "No camera. Tap in your dice." in status(service)
