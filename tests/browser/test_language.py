"""The language switched on one tablet in the middle of a game; the other tablet stays as it is."""

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import DEMO_WITHOUT_CAMERAS, WITHOUT_WORKER, open_menu

SERVICE = DEMO_WITHOUT_CAMERAS


def begun(service) -> str:
    """SPEEDSTAX with its clock running; the address of its sheet."""
    status, session = service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})
    assert status == 201
    for number, player in enumerate(session["players"], start=1):
        post(service, session["id"], {"kind": "Readied", "player": player["id"]}, number - 1)
    post(service, session["id"], {"kind": "Started", "at_us": -1}, 2)
    return f"/s/{session['id']}"


def post(service, session: str, event: dict, seen_seq: int) -> None:
    body = {"event": event, "event_id": f"event-{seen_seq}", "seen_seq": seen_seq}
    assert service.call(f"/api/sessions/{session}/events", body)[0] in (200, 201)


def switch(page: Page, language: str) -> None:
    more = page.get_by_role("button", name=re.compile("^(More|Mehr|Game|Spiel)$"))
    if more.is_visible():
        more.click()
    page.locator("[data-languages]").select_option(label=language)


def test_switched_in_the_middle_of_a_game(device, service):
    address = begun(service)
    mine, other = device(), device()
    for page in (mine, other):
        page.goto(address)
        expect(page.get_by_role("timer", name="Time left")).to_be_visible()

    switch(mine, "Deutsch")
    expect(mine.locator("html")).to_have_attribute("lang", "de")
    expect(mine.get_by_role("timer", name="Restzeit")).to_be_visible()
    expect(mine.locator("#live")).to_contain_text("Hau auf deinen Taster")
    expect(mine.locator(".last")).to_contain_text("Runde 1 von 5 hat begonnen.")

    mine.get_by_role("button", name="Umgefallen").first.click()  # while the countdown runs, too: the table records it
    expect(mine.locator(".last")).to_contain_text("Der Stapel von Ann ist gefallen.")
    expect(other.locator(".last")).to_contain_text("Ann's stack fell.")
    expect(other.get_by_role("timer", name="Time left")).to_be_visible()

    mine.goto(f"{address}/history")
    expect(mine.locator(".history")).to_contain_text("Der Stapel von Ann ist gefallen.")
    expect(mine.locator(".history")).to_contain_text("Ann ist bereit.")

    mine.goto("/table")
    expect(mine.get_by_role("heading", name="Der Tisch")).to_be_visible()
    mine.goto(address)
    switch(mine, "English")
    expect(mine.get_by_role("timer", name="Time left")).to_be_visible()


def test_a_tap_on_a_page_whose_scripts_are_still_on_their_way_counts_once(device, service):
    address = begun(service)
    page, posted = device(**WITHOUT_WORKER), []
    page.on("request", lambda request: posted.append(request.url) if request.url.endswith("/events") else None)
    late: list[Route] = []
    page.route("**/live.js", lambda route: late.append(route))
    with page.expect_request("**/live.js"):
        page.goto(address, wait_until="commit")
    fell = page.get_by_role("button", name="It fell").first
    fell.click()
    fell.click()
    assert posted == []
    late[0].continue_()
    expect(page.locator(".last")).to_contain_text("Ann's stack fell.")
    assert len(posted) == 1


def test_a_toast_speaks_the_browsers_language(device, service):
    address = begun(service)
    page = device(locale="de-DE", **WITHOUT_WORKER)  # the browser asks for it: nothing has to be chosen
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.route("**/events", lambda route: route.abort())
    page.get_by_role("button", name="Umgefallen").first.click()
    expect(page.locator("#toast")).to_contain_text("Der Tisch hat noch nicht geantwortet")
    page.unroute("**/events")
    expect(page.locator(".last")).to_contain_text("ist gefallen.")


def counted(page: Page) -> list[str]:
    """What was tapped of how many dice show which face."""
    return [tap.get_attribute("aria-label") or "" for tap in page.locator(".cell-tap[aria-pressed=true]").all()]


def dropping(service) -> tuple[str, list[str]]:
    """Stack with the dice to be dropped; its session and its players."""
    status, session = service.call("/api/sessions", {"game": "stack_dice", "players": ["Ann", "Bob"]})
    assert status == 201
    players = [player["id"] for player in session["players"]]
    post(service, session["id"], {"kind": "StartRolled", "rolls": list(zip(players, (4, 3), strict=True))}, 0)
    return session["id"], players


def test_what_was_tapped_and_not_yet_entered_outlives_another_language_a_reload_and_a_look_at_the_history(
    device, service
):
    session, (first, second) = dropping(service)
    page = device()
    page.goto(f"/s/{session}?player={first}")
    page.wait_for_load_state()
    for label in ("2 dice show 1", "3 dice show 4"):
        page.get_by_role("button", name=label).click()
        expect(page.get_by_role("button", name=label)).to_have_attribute("aria-pressed", "true")
    chosen = page.locator(".cell-tap[aria-pressed=true]")
    switch(page, "Deutsch")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(chosen).to_have_count(2)
    switch(page, "English")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.reload()
    expect(chosen).to_have_count(2)
    open_menu(page)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".history")).to_be_visible()
    post(service, session, {"kind": "Dropped", "player": second, "values": [6] * 14}, 1)  # it changes nothing for Ann
    page.go_back()
    expect(chosen).to_have_count(2)
    assert counted(page) == ["2 dice show 1", "3 dice show 4"]
    page.goto(f"/s/{session}?player={second}")  # another seat has nothing of it
    expect(page.locator("body[data-line=open]")).to_be_visible()
    expect(chosen).to_have_count(0)


def test_what_was_tapped_is_forgotten_once_the_table_has_moved_on(device, service):
    session, (first, _second) = dropping(service)
    page = device()
    page.goto(f"/s/{session}?player={first}")
    page.wait_for_load_state()
    page.get_by_role("button", name="2 dice show 1").click()
    chosen = page.locator(".cell-tap[aria-pressed=true]")
    expect(chosen).to_have_count(1)
    page.goto(f"/s/{session}/history")
    for seq, body in enumerate(({}, {"seq": 2})):  # undone, and brought back: the same page, another state
        status, _answer = service.call(
            f"/api/sessions/{session}/undo", {**body, "event_id": f"undo-{seq}", "seen_seq": 1 + seq}
        )
        assert status in (200, 201)
    page.goto(f"/s/{session}?player={first}")
    expect(page.locator("body[data-line=open]")).to_be_visible()
    expect(page.get_by_role("button", name="2 dice show 1")).to_have_attribute("aria-pressed", "false")
    page.wait_for_function("() => Object.keys(sessionStorage).every((name) => !name.startsWith('draft'))")
    expect(chosen).to_have_count(0)


def test_typed_names_outlive_another_language_until_the_game_begins(device, service):
    service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})
    page = device()
    page.goto("/new?game=sack_stackers")
    names = page.locator("input[name=player]")
    names.nth(0).fill("Zoe")
    names.nth(1).fill("")
    names.nth(3).fill("Yann")
    page.get_by_role("button", name="Another player").click()
    names.nth(4).fill("Xaver")
    page.get_by_role("radio", name=re.compile("^Tournament")).check(force=True)
    switch(page, "Deutsch")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(names).to_have_count(5)
    assert [place.input_value() for place in names.all()] == ["Zoe", "", "", "Yann", "Xaver"]
    expect(page.locator("input[name=preset][value=tournament]")).to_be_checked()
    page.get_by_role("button", name=re.compile("starten$")).click()
    expect(page.locator("body.on-session")).to_be_visible()
    page.goto("/new?game=sack_stackers")
    assert [place.input_value() for place in names.all()] == ["Zoe", "Yann", "Xaver", ""]


def test_names_that_one_group_typed_are_not_offered_to_the_next(device, service):
    page = device()
    page.goto("/new?game=speedstax")
    names = page.locator("input[name=player]")
    names.nth(0).fill("Quentin")
    page.reload()
    expect(names.nth(0)).to_have_value("Quentin")
    status, _session = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Nina", "Otto"]})
    assert status == 201
    page.goto("/new?game=speedstax")
    expect(names.nth(0)).to_have_value("Nina")
    assert page.evaluate("Object.values(sessionStorage).every((kept) => !kept.includes('Quentin'))")


def test_names_of_a_game_that_was_refused_outlive_another_language(device, service):
    page = device()
    page.goto("/new?game=sack_stackers")
    names = page.locator("input[name=player]")
    names.nth(0).fill("Zoe")
    names.nth(1).fill("zoe")
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.wait_for_function(
        "() => Object.values(sessionStorage).some((kept) => kept.includes('zoe'))"
    )  # its script has run
    page.goto("/new?game=sack_stackers")
    expect(names.nth(0)).to_have_value("Zoe")
    expect(names.nth(1)).to_have_value("zoe")


def test_a_correction_begun_on_what_somebody_else_has_corrected_since_is_begun_anew(device, service):
    status, session = service.call("/api/sessions", {"game": "stack_dice", "players": ["Ann", "Bob"]})
    assert status == 201
    (ann, bob), path = [player["id"] for player in session["players"]], f"/s/{session['id']}/correct/1"
    post(service, session["id"], {"kind": "StartRolled", "rolls": [[ann, 4], [bob, 3]]}, 0)
    page = device()
    page.goto(path)
    expect(page.locator("body[data-line=open]")).to_be_visible()
    mine = page.get_by_role("group", name="Ann").get_by_role("button", name="5", exact=True)
    mine.click()
    expect(mine).to_have_attribute("aria-pressed", "true")
    with page.expect_response("**/correct/1/*"):  # the page hears of it and is drawn anew
        amended = {"kind": "StartRolled", "rolls": [[ann, 4], [bob, 6]]}
        status, _answer = service.call(
            f"/api/sessions/{session['id']}/amend", {"seq": 1, "event": amended, "event_id": "theirs", "seen_seq": 1}
        )
        assert status in (200, 201)
    page.reload()
    for name, value in (("Ann", "4"), ("Bob", "6")):
        group = page.get_by_role("group", name=name)
        expect(group.get_by_role("button", name=value, exact=True)).to_have_attribute("aria-pressed", "true")
    expect(mine).to_have_attribute("aria-pressed", "false")
