"""The clip of a throw in a browser: it plays to its last picture, again on a tap, and closes; without scripts it is a
strip."""

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from companion.game.readings import DiceReading, DieReading, Settled
from companion.house.host import Host
from companion.journal.record import digest_bytes
from companion.journal.store import Journal
from companion.sensing.process_messages import Clip
from tests.browser.furnished import PICTURE, served
from tests.browser.sound import SMALL_PHONE

FRAMES = 5
LEVELS = (10, 60, 110, 160, 210)  # of grey, picture by picture
SHOWN = """canvas => canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[0]"""


@pytest.fixture(scope="module")
def game(browser, tmp_path_factory):
    """A game with one roll that the camera saw, and its clip; gives the address of its history."""
    host = Host(Journal(tmp_path_factory.mktemp("house") / "journal.sqlite3"))
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    dice = tuple(DieReading(value, 90.0 * value, 90.0, 44.0, 44.0, 0.0, "white", 0.99, True, ()) for value in (3, 5))
    host.on_reading(Settled(DiceReading(640, 480, dice), host.clock.now_us(), host.clock.now_us(), PICTURE, ()))
    strip = np.vstack([np.full((180, 320, 3), level, np.uint8) for level in LEVELS])
    jpeg = cv2.imencode(".jpg", strip)[1].tobytes()
    assert host.pictures.add_clip(Clip(digest_bytes(PICTURE), FRAMES, 400, jpeg))
    with served(host) as url:
        yield f"{url}/s/{table.session.id}/history"


def test_a_throw_plays_to_its_end_again_on_a_tap_and_closes(browser, game):
    page = browser.new_context(viewport=SMALL_PHONE).new_page()
    page.goto(game)
    link = page.locator("[data-clip]")
    link.click()
    canvas = page.locator(".clip canvas")
    expect(canvas).to_have_attribute("data-ended", "yes")
    assert canvas.get_attribute("data-frame") == str(FRAMES - 1)
    assert abs(canvas.evaluate(SHOWN) - LEVELS[-1]) < 5
    box = page.locator(".clip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SMALL_PHONE["width"]
    page.get_by_role("button", name="Play it again").click()
    expect(canvas).not_to_have_attribute("data-ended", "yes")
    expect(canvas).to_have_attribute("data-ended", "yes")
    page.get_by_role("button", name="Close it").click()
    expect(page.locator(".clip")).to_have_count(0)
    link.click()
    expect(canvas).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".clip")).to_have_count(0)
    page.context.close()


def test_without_scripts_the_strip_itself_opens(browser, game):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(game)
    with page.context.expect_page() as opened:
        page.locator("[data-clip]").click()
    opened.value.wait_for_load_state()
    assert opened.value.url.endswith("/clip.jpg")
    page.context.close()
