"""What the camera is not sure of, in a browser: the question blinks with the die's picture, one tap answers it."""

import threading
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

from companion.games.sack_stackers.rules import Placed
from companion.host import Host
from companion.readings import Box, DiceReading, DieReading, Settled
from companion.table import Table
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
    context.close()
    host.live.close()
    server.shutdown()
    server.server_close()
    thread.join()


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


def test_a_corrected_roll_takes_along_what_no_longer_fits(page, host, sack):
    host.on_reading(settled(die(1, True), die(4, True)))
    ann = sack.session.players[0]
    sack.submit(Placed(ann, 1, 1, "I", "I", 4), event_id="ann", seen_seq=1, source="tablet")
    page.goto(page.url.split("/s/")[0] + f"/s/{sack.session.id}/correct/1")
    page.get_by_role("group", name="First die").get_by_role("button", name="2").click()
    page.get_by_role("group", name="Second die").get_by_role("button", name="5").click()
    page.get_by_role("button", name="We rolled 2 and 5").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("1 later entry no longer fits")).to_be_visible()
    dialog.get_by_role("button", name="Strike it too").click()
    expect(dialog).to_be_hidden()
    assert sack.state.dice == (2, 5)
    assert sack.state.sheets[ann].sack == ("",) * 6
