"""Setting up the table with fingers: buttons that light up on the page, and a photo."""

from playwright.sync_api import expect


def test_pressing_every_button_and_looking_through_the_camera(device, service):
    page = device()
    page.goto("/")
    page.get_by_role("link", name="Set up the table").click()
    page.get_by_label("Shown at the top").fill("Attic")
    page.get_by_role("button", name="Save").click()
    buttons = page.locator(".try-button")
    expect(buttons).to_have_count(7)
    for number, name in enumerate(("seat-1", "seat-2", "seat-3", "seat-4", "start", "undo", "confirm")):
        service.call("/table/press", {"button": name})
        expect(buttons.nth(number)).to_contain_text("pressed now")
        service.call("/table/release", {"button": name})
        expect(buttons.nth(number)).to_contain_text("pressed once")
    expect(page.get_by_text("Every button works.")).to_be_visible()
    expect(page.get_by_text("The camera sees the table.")).to_be_visible()
    page.get_by_role("button", name="Show what it sees").click()
    photo = page.get_by_alt_text("What the camera sees")
    expect(photo).to_be_visible()
    assert photo.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 300
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Attic")).to_be_visible()
    expect(page.get_by_role("link", name="Set up the table")).to_have_count(0)
