"""A phone as the camera, end to end: a browser that films a drawn throw, the host's tap, a cut network."""

import json
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from companion.cameras.set_up import SCENE
from companion.demo.things import THROW_US, VirtualTable
from tests.browser.conftest import CHROMIUM, open_notices
from tests.photographs import dice_table, jpeg, noisy, thrown
from tests.service import running
from vision.virtual.camera import VirtualCamera, virtual_scene

PHONE = {"width": 390, "height": 844}
FPS = 30  # which Chromium takes a file of JPEG pictures for
SIZE = (960, 720)  # a larger film keeps a small machine busy with decoding it
NOISES = 101  # different pictures of a table at rest: more than the table remembers
EMPTY_S, REST_S = 12, 12
SEES = "The camera sees the table."
GONE = "The phone sends no pictures."
ELSEWHERE = {"Via": "1.1 a test"}  # what comes through a proxy is not the table's own machine
SOON_MS = 90_000  # a limit, never a pause


def film_of_a_throw(path: Path, *values: int) -> Path:
    """A film of an empty table on which dice are thrown; Chromium shows it again and again."""
    rest = dice_table(*values)
    painter = VirtualCamera().new_painter()

    def drawn(table: VirtualTable, at_us: int) -> np.ndarray:
        return cv2.resize(painter.picture(table, at_us), SIZE, interpolation=cv2.INTER_AREA)

    with path.open("wb") as film:
        film.write(still(drawn(VirtualTable(), 0), EMPTY_S))
        for at_us in range(0, THROW_US, 1_000_000 // FPS):
            film.write(jpeg(drawn(thrown(rest), at_us)))
        film.write(still(drawn(rest, THROW_US), REST_S))
    return path


def still(bgr: np.ndarray, seconds: int) -> bytes:
    """A film in which nothing moves."""
    random = np.random.default_rng(1)
    pictures = [jpeg(noisy(bgr, random)) for _ in range(NOISES)]
    return b"".join(pictures[number % NOISES] for number in range(seconds * FPS))


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A table whose camera was set up on its mat."""
    data = tmp_path_factory.mktemp("house")
    (data / SCENE).write_text(json.dumps(virtual_scene()))
    with running(data, "--camera", "phone") as found:
        yield found


@pytest.fixture(scope="module")
def films(browser, tmp_path_factory):
    """A browser that films a throw of 3 and 5."""
    film = film_of_a_throw(tmp_path_factory.mktemp("film") / "throw.mjpeg", 3, 5)
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    found = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", *fake, f"--use-file-for-fake-video-capture={film}"]
    )
    yield found
    found.close()


@pytest.fixture
def phone(films, service):
    """A player's phone, which is not the table's own machine."""
    context = films.new_context(base_url=service.url, viewport=PHONE, extra_http_headers=ELSEWHERE)
    page = context.new_page()
    page.goto(f"/join/{service.new_token('player')}")
    button = page.get_by_role("button")
    if page.url.count("/join/"):
        button.first.click()
    yield page
    context.close()


def test_a_throw_that_a_phone_films_is_the_roll(device, service, phone):
    _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
    sheet = device()
    sheet.goto(f"/s/{game['id']}")
    expect(sheet.locator(".status").get_by_text("No phone is the camera yet.")).to_be_visible(timeout=SOON_MS)
    phone.goto("/camera")
    phone.get_by_role("button", name="Use this phone above the table").click()
    expect(phone.get_by_text("The host has to allow this phone.")).to_be_visible()
    asks = sheet.locator(".phone-camera")
    expect(asks).to_contain_text("a test")
    open_notices(sheet)
    asks.get_by_role("button", name="Allow").click()
    expect(phone.get_by_text("This phone is the camera.")).to_be_visible(timeout=SOON_MS)
    expect(sheet.locator(".phone-camera")).to_contain_text("a test is the camera above the table.")
    expect(sheet.locator(".last")).to_contain_text("3", timeout=SOON_MS)
    expect(sheet.locator(".last")).to_contain_text("5")

    phone.context.set_offline(True)
    cut = time.monotonic()
    expect(sheet.locator(".status").get_by_text(GONE)).to_be_visible()
    assert time.monotonic() - cut < 4.0, "the phone is missed within three seconds, and a page hears it within one"
    expect(phone.get_by_text("The table doesn't answer.")).to_be_visible()
    phone.context.set_offline(False)
    expect(sheet.locator(".status").get_by_text(GONE)).to_have_count(0, timeout=SOON_MS)
    expect(phone.get_by_text("This phone is the camera.")).to_be_visible(timeout=SOON_MS)

    stop = sheet.get_by_role("button", name="Stop this camera")
    if not stop.is_visible():  # another notice has come first since
        open_notices(sheet)
    stop.click()
    expect(phone.get_by_text("The host hasn't allowed this phone")).to_be_visible()
    expect(phone.get_by_role("button", name="Use this phone above the table")).to_be_visible()
