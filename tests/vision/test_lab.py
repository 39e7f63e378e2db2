"""The cameras of the lab: a picture has one fault, also where the order changes while the camera takes it.

Else a test would see a fault that has not begun, or one that has ended.
"""

import cv2
import pytest

from tests.lab.pi import Picamera2
from tests.lab.scenery import GOOD, OLD_US, Order, Orders, Scenery
from tests.lab.usb import Capture
from vision.cameras.pi_streams import FULL_PX

SIZES = {"main": {"size": FULL_PX}, "lores": {"size": (640, 360)}}


class Changing(Scenery):
    """A scenery whose order changes to `then` while each picture is taken."""

    then = GOOD

    def picture(self):
        try:
            return super().picture()
        finally:
            self._orders.give(Order(self.then))


def scenery(folder, first: str, then: str) -> Changing:
    orders = Orders(folder)
    orders.give(Order(first))
    found = Changing(orders)
    found.then = then
    return found


def pi_picture(monkeypatch, looked_at: Changing):
    """The shape of the small picture of the Pi's camera, and its stamp."""
    monkeypatch.setattr(Picamera2, "orders", looked_at._orders, raising=False)
    monkeypatch.setattr(Picamera2, "scenery", looked_at, raising=False)
    camera = Picamera2()
    camera.configure(camera.create_video_configuration(**SIZES))
    with camera.captured_request() as request:
        picture = request.make_array("main")
        return picture.shape[1::-1], request.get_metadata()["SensorTimestamp"]


@pytest.mark.parametrize(
    ("first", "then", "size"),
    [(GOOD, "changed size", FULL_PX), ("changed size", GOOD, (FULL_PX[0] // 2, FULL_PX[1] // 2))],
)
def test_a_pis_picture_has_the_size_of_its_own_order(monkeypatch, tmp_path, first, then, size):
    assert pi_picture(monkeypatch, scenery(tmp_path, first, then))[0] == size


def test_a_pis_picture_has_the_stamp_of_its_own_order(monkeypatch, tmp_path):
    fresh_ns = pi_picture(monkeypatch, scenery(tmp_path, GOOD, "old"))[1]
    old_ns = pi_picture(monkeypatch, scenery(tmp_path, "old", GOOD))[1]
    assert fresh_ns - old_ns > OLD_US * 1_000 / 2


def test_a_usb_cameras_picture_has_the_stamp_of_its_own_order(monkeypatch, tmp_path):
    monkeypatch.setattr(Capture, "orders", Orders(tmp_path), raising=False)
    stamps_ms = []
    for first, then in ((GOOD, "old"), ("old", GOOD)):
        monkeypatch.setattr(Capture, "scenery", scenery(tmp_path, first, then), raising=False)
        camera = Capture(0)
        Capture.scenery.picture()
        stamps_ms.append(camera.get(cv2.CAP_PROP_POS_MSEC))
    assert stamps_ms[0] - stamps_ms[1] > OLD_US / 1_000 / 2
