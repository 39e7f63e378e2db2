"""A photo that a phone takes, in a browser: chosen with the camera's button, read, and shown on every page."""

import pytest
from playwright.sync_api import expect

from companion.demo.stacks import EMPTY, TableStack, design
from companion.demo.things import TablePiece, VirtualTable
from tests.browser.conftest import WITHOUT_CAMERA, deliberate_tap
from tests.photographs import board_without_mat, dice_table, jpeg, photo_of
from vision.virtual.front import FrontPainter

SERVICE = WITHOUT_CAMERA
PHONE = {"width": 390, "height": 844}
SIZES = (PHONE, {"width": 844, "height": 390}, {"width": 1024, "height": 768})


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


@pytest.mark.parametrize("viewport", SIZES)
def test_a_board_is_read_once_its_corners_were_tapped(device, service, viewport):
    game = service.call("/api/sessions", {"game": "sandpile_panic", "players": ["Ann", "Bob"]})[1]["id"]
    phone, tablet = device(viewport=viewport), device()
    for page in (phone, tablet):
        page.goto(f"/s/{game}")
    photo, corners = board_without_mat((TablePiece(2, 1, "white"),))
    file = {"name": "IMG_0002.JPG", "mimeType": "image/jpeg", "buffer": photo}
    phone.get_by_label("Take a photo of the board").set_input_files(file)
    dialog = phone.get_by_role("dialog", name="Where is the board?")
    expect(dialog).to_be_visible()
    shown = dialog.locator(".corners-photo").bounding_box()
    for number, (x, y) in enumerate(corners, start=1):
        ring = dialog.get_by_role("button", name=f"Corner {number}").bounding_box()
        phone.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
        phone.mouse.down()
        phone.mouse.move(shown["x"] + x * shown["width"], shown["y"] + y * shown["height"], steps=3)
        phone.mouse.up()
    dialog.get_by_role("button", name="Corner 1").press("ArrowRight")
    dialog.get_by_role("button", name="Read the board").click()
    for page in (phone, tablet):
        expect(page.locator(".question")).to_contain_text("row 3 column 2")
    phone.locator(".question").locator("[data-agree]").click()
    expect(tablet.locator(".last")).to_contain_text("row 3 column 2")


def test_whoever_gives_up_on_the_corners_is_told_what_else_helps(device, service):
    game = service.call("/api/sessions", {"game": "sandpile_panic", "players": ["Ann", "Bob"]})[1]["id"]
    phone = device(viewport=PHONE)
    phone.goto(f"/s/{game}")
    file = {"name": "IMG_0003.JPG", "mimeType": "image/jpeg", "buffer": board_without_mat(())[0]}
    phone.get_by_label("Take a photo of the board").set_input_files(file)
    phone.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(phone.locator("#toast")).to_contain_text("whole mat")
    assert service.call(f"/api/sessions/{game}")[1]["seq"] == 0


def test_stacks_are_judged_by_a_photo_once_the_round_is_over(device, service):
    _status, made = service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})
    game, players = made["id"], made["players"]
    for number, event in enumerate(
        (
            {"kind": "CardTurned", "card": 3},
            *({"kind": "Readied", "player": player["id"]} for player in players),
            {"kind": "Started", "at_us": -1},
        )
    ):
        body = {"event_id": f"begin{number}", "seen_seq": number, "event": event}
        assert service.call(f"/api/sessions/{game}/events", body)[0] == 200
    phone, tablet = device(viewport=PHONE), device()
    for page in (phone, tablet):
        page.goto(f"/s/{game}")
    expect(tablet.locator("[data-clock]")).to_contain_text("1:5")  # before go is too early (MX-13)
    for player in players:
        expect(phone.get_by_label("Take a photo of the stacks of blocks")).to_have_count(0)
        deliberate_tap(tablet.locator(".seat-card", has_text=player["name"]).get_by_role("button", name="MAX STAX"))
    stack = TableStack(design({"card": 3}, []))
    photo = jpeg(FrontPainter().picture(VirtualTable(stacks=(stack, EMPTY, EMPTY, EMPTY)), 0))
    file = {"name": "IMG_0004.JPG", "mimeType": "image/jpeg", "buffer": photo}
    for size in SIZES:
        phone.set_viewport_size(size)
        expect(phone.locator("label", has=phone.get_by_label("Take a photo of the stacks of blocks"))).to_be_visible()
    phone.get_by_label("Take a photo of the stacks of blocks").set_input_files(file)
    for page in (phone, tablet):
        expect(page.locator(".question")).to_contain_text("space 1 stands and matches")
    for size in SIZES:
        phone.set_viewport_size(size)
        expect(phone.locator(".question").locator("[data-agree]")).to_be_visible()
    phone.locator(".question").locator("[data-agree]").click()
