"""What the camera is not sure of, in a browser: the question blinks with the die's picture, one tap answers it."""

import threading
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

from companion.game.readings import Box, DiceReading, DieReading, Settled
from companion.house.host import Host
from companion.table.table import Table
from web.app import create_app


@pytest.fixture
def page(browser: Browser, host: Host, sack: Table) -> Iterator[Page]:
    """Ann's sheet, before any roll."""
    server = make_server("127.0.0.1", 0, create_app(host), threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    opened = context.new_page()
    opened.goto(f"http://127.0.0.1:{server.port}/s/{sack.session.id}?player={sack.session.players[0]}")
    expect(opened.get_by_role("heading", name="Roll both dice")).to_be_visible()
    yield opened
    host.live.close()  # ends the page's stream first: a browser may wait for it when it is closed
    server.shutdown()
    server.server_close()
    thread.join()
    context.close()


def die(value, accepted, *alternatives):
    return DieReading(value, 50, 50, 40, 40, 0, "white", 0.6, accepted, alternatives or ((value, 1.0),))


def settled(*dice, unread=()):
    jpeg = cv2.imencode(".jpg", np.full((48, 48, 3), 200, np.uint8))[1].tobytes()
    return Settled(DiceReading(640, 480, dice, unread), 1, 2, jpeg, (jpeg,) * (len(dice) + len(unread)))


def test_a_doubtful_die_blinks_with_its_picture_and_its_likely_values(page, host, sack):
    host.on_reading(settled(die(3, True), die(5, False, (5, 0.6), (6, 0.39), (2, 0.001))))
    question = page.get_by_role("region", name="The camera asks")
    expect(question.get_by_role("heading", name="What does this die show?")).to_be_visible()
    picture = question.locator("img").first
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 48
    assert picture.evaluate("image => getComputedStyle(image.parentElement).animationName") != "none"
    expect(question.get_by_role("button", name="5", exact=True)).to_be_visible()
    expect(question.get_by_role("button", name="2", exact=True)).to_be_hidden()
    assert sack.state.dice is None
    question.get_by_role("button", name="6", exact=True).click()
    expect(page.get_by_role("heading", name="Choose a gift")).to_be_visible()
    assert sack.state.dice == (3, 6)


def test_a_die_that_could_not_be_read_offers_all_six_values(page, host, sack):
    host.on_reading(settled(die(3, True), unread=(Box(9, 9, 40, 40),)))
    question = page.get_by_role("region", name="The camera asks")
    question.get_by_role("button", name="1", exact=True).click()
    expect(page.get_by_role("heading", name="Choose a gift")).to_be_visible()
    assert sack.state.dice == (3, 1)
