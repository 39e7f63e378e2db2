"""A phone that is the camera while nothing moves: it sends few pictures, and its screen stays on."""

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CHROMIUM, WITHOUT_CAMERA
from tests.browser.sound import SMALL_PHONE
from tests.photographs import jpeg

SERVICE = WITHOUT_CAMERA
LIVELY_MS, STILL_MS = 6000, 500  # as in phone_camera.js
MOST_PICTURES = 200  # a limit: until nothing has moved for LIVELY_MS
SOON_MS = 90_000


@pytest.fixture
def phone(browser, service, tmp_path):
    """The host's own phone, before which nothing moves."""
    film = tmp_path / "still.mjpeg"
    film.write_bytes(jpeg(np.full((360, 640, 3), 90, np.uint8)) * 60)
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    films = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", *fake, f"--use-file-for-fake-video-capture={film}"]
    )
    context = films.new_context(base_url=service.url, viewport=SMALL_PHONE)
    context.add_init_script("delete Navigator.prototype.wakeLock")  # a browser without a window refuses it
    yield context.new_page()
    films.close()


def test_while_nothing_moves_few_pictures_are_sent_and_the_screen_stays_on(phone):
    phone.goto("/camera")
    phone.get_by_role("button", name="Use this phone above the table").click()
    expect(phone.get_by_text("This phone is the camera.")).to_be_visible(timeout=SOON_MS)
    expect(phone.locator("body")).to_have_attribute("data-awake", "video")
    sent_ms = []
    for _ in range(MOST_PICTURES):
        with phone.expect_request_finished(lambda request: request.url.count("/picture"), timeout=SOON_MS) as found:
            pass
        sent_ms.append(found.value.timing["startTime"])
        if sent_ms[-1] - sent_ms[0] > LIVELY_MS + 6 * STILL_MS:
            break
    still_ms = [at for at in sent_ms if at - sent_ms[0] > LIVELY_MS + STILL_MS]
    assert len(still_ms) > 2
    assert min(np.diff(still_ms)) > 0.9 * STILL_MS
    phone.get_by_role("button", name="Stop the camera").click()
    expect(phone.locator("body")).not_to_have_attribute("data-awake", "video")
