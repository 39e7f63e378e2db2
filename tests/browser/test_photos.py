"""A photo that a phone takes, in a browser: chosen with the camera's button, read, and shown on every page."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WITHOUT_CAMERA
from tests.photographs import dice_table, photo_of

SERVICE = WITHOUT_CAMERA
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def game(service):
    return service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]


def choose(page, photo):
    file = {"name": "IMG_0001.JPG", "mimeType": "image/jpeg", "buffer": photo}
    page.get_by_label("Take a photo of the dice").set_input_files(file)


@pytest.mark.parametrize("larger", [1.0, 4.5])  # the larger one is made smaller in the browser first
def test_a_photo_is_the_roll_on_every_screen(device, game, larger):
    phone, tablet = device(viewport=PHONE), device()
    for page in (phone, tablet):
        page.goto(f"/s/{game}")
    sent = []
    phone.on("request", lambda request: sent.append(request) if request.url.count("/photo?") else None)
    choose(phone, photo_of(dice_table(3, 5), larger=larger))
    for page in (phone, tablet):
        expect(page.locator(".last")).to_contain_text("3")
        expect(page.locator(".last")).to_contain_text("5")
    assert len(sent) == 1
    sizes = [int(request.all_headers()["content-length"]) for request in sent]
    assert 10_000 < sizes[0] < len(photo_of(dice_table(3, 5), larger=larger)) * 1.1


def test_what_is_wrong_with_a_photo_is_said_to_whoever_took_it(device, game):
    phone = device(viewport=PHONE)
    phone.goto(f"/s/{game}")
    choose(phone, photo_of(dice_table(1, 2, 3)))
    expect(phone.locator("#toast")).to_contain_text("3 dice")
    choose(phone, b"no photo")
    expect(phone.locator("#toast")).to_contain_text("isn't a photo")
    choose(phone, photo_of(dice_table(2, 2)))
    expect(phone.locator(".last")).to_contain_text("2")


def test_a_photo_that_was_lost_on_its_way_is_sent_again_and_counts_once(device, service, game):
    phone = device(viewport=PHONE, service_workers="block")
    phone.goto(f"/s/{game}")
    tries = []

    def lose_the_first_answer(route):
        tries.append(route.request.url)
        if len(tries) == 1:
            route.fetch()  # the table hears it, and the phone hears nothing
            route.abort()
        else:
            route.continue_()

    phone.route("**/photo?*", lose_the_first_answer)
    choose(phone, photo_of(dice_table(6, 4)))
    expect(phone.locator("#toast")).to_contain_text("Photo read")
    assert len(set(tries)) == 1
    assert len(tries) == 2
    assert service.call(f"/api/sessions/{game}")[1]["seq"] == 1
