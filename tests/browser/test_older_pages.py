"""A browser as old as Chrome 88 and Safari 14.1 opens every page that a person can open.

What was taken away from it: test_older_browsers.py. It plays a turn of every game: test_few_taps.py.
"""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, ConsoleMessage, ViewportSize, expect

from companion.hub.series import Worth
from companion.hub.tournament.events import Form
from companion.journal.devices import Role
from companion.shelf import GAMES
from tests.browser.conftest import TABLET
from tests.browser.furnished import Furnished
from tests.browser.test_every_page import AROUND_GAMES, HOUSE, SET_UPS, SHEETS
from tests.browser.test_older_browsers import AS_OLD
from tests.hall.browser.test_hall import Running
from tests.hall.conftest import staff_token
from tests.hall.letters import KEY, QUICK, chain_of, ranks_of
from tests.hall.test_people import ann, tell
from tests.hall.test_record import enrol, take
from web.app import create_app

# What answers GET and is no page: parts of pages, pictures, files, and what scripts and programs ask for.
NO_PAGES = {
    "pages.sheet_fragment", "pages.advice", "pages.advice_before", "pages.history_fragment", "pages.correct_fragment",
    "screen.big_screen_fragment", "screen.overlay_fragment", "wizard.parts_fragment", "calibrate.parts_fragment",
    "deck.parts_fragment", "results.picture", "results.entries_csv", "people.everything", "seasons.season_csv",
    "seasons.old_address", "lessons.die_picture", "lessons.export", "install.manifest", "install.worker",
    "certificate.authority", "wizard.photo", "calibrate.picture", "deck.picture", "deck.cut_out", "deck.card",
    "people.face", "demo.table_stream", "stream.session_stream", "stream.rolls_stream", "static",
}  # fmt: skip
NO_PAGES_OF_A_HUB = {
    "board.live", "board.fragment", "board.stream", "staff.fragment", "standings.rows", "staff.forks",
    "tournaments.rows", "tournaments.journal", "tournaments.seating_tables", "tournaments.fragment",
    "entrants.fragment", "entrants.own_fragment", "entrants.own_stream", "tournaments.list_fragment",
    "series.rows", "series.lines", "series.fragment", "series.as_csv",
    "tournaments.standings_lines", "tables.fragment", "ways_in.people_fragment", "ways_in.authority", "static",
}  # fmt: skip


class Device:
    """A browser on a house; it remembers what its console complained of."""

    def __init__(self, browser: Browser, url: str, viewport: ViewportSize) -> None:
        self.complaints: list[str] = []
        self.context = browser.new_context(base_url=url, viewport=viewport, has_touch=True, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._record)

    def _record(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith("Failed to load resource"):  # a refusal
            self.complaints.append(message.text)


class Old(Device):
    """An old tablet."""

    def __init__(self, browser: Browser, url: str) -> None:
        super().__init__(browser, url, TABLET)
        self.context.add_init_script(AS_OLD)

    def opens(self, path: str) -> None:
        """Opens a page; its scripts run, and it says nothing else."""
        self.page.goto(path)
        expect(self.page.locator("html[data-ready]")).to_be_attached()
        expect(self.page.locator(".unready")).to_be_hidden()
        assert self.complaints == [], path


@pytest.fixture(scope="module")
def old(browser: Browser, house: Furnished) -> Iterator[Old]:
    found = Old(browser, house.url)
    yield found
    found.context.close()


def paths_of(house: Furnished) -> dict[str, str]:
    """Every page of a house: a name for its test, and its address."""
    person, lying = house.host.people.everybody()[0].id, house.at("lying/stack_dice")
    link = f"/join/{house.host.access.tickets.issue(Role.WATCHER, once=True)}"
    sack = house.at("late/sack_stackers")
    ours = {path: path for path in (*HOUSE, *SET_UPS, "/who", *(f"/how/{game}" for game in GAMES))}
    ours |= {sheet: house.at(sheet) for sheet in SHEETS if not sheet.startswith(("begun/", "midway/"))}
    ours |= {f"{around} of {game}": f"{house.at(f'late/{game}')}/{around}" for around, game in AROUND_GAMES}
    return ours | {
        "a person": f"/people/{person}", "a face": f"/people/{person}/face",
        "whose dice": f"{lying}/colours", "a link": link, "how to play": f"{sack}/how",
    }  # fmt: skip


def page_endpoints(app: Flask, no_pages: set[str], no_prefixes: tuple[str, ...]) -> set[str]:
    """The endpoints of all pages that a person can open."""
    return {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and rule.endpoint not in no_pages
        and not (rule.endpoint.startswith(no_prefixes) and rule.endpoint != "api.docs")
    }  # fmt: skip


def endpoints_at(app: Flask, paths: list[str]) -> set[str]:
    """The endpoints that answer at these addresses."""
    found = app.url_map.bind("localhost")
    known = [path.partition("?")[0] for path in paths if path != "/lost"]
    return {found.match(path)[0] for path in known}


def test_every_page_of_a_house_opens(old, house):
    """One test, as each page has its sentence: the addresses are known once the house is furnished."""
    paths = paths_of(house)
    app = create_app(house.host)
    assert page_endpoints(app, NO_PAGES, ("api.",)) - endpoints_at(app, list(paths.values())) == set()
    for path in paths.values():
        old.opens(path)


def test_every_page_of_a_hub_opens(browser, tmp_path):
    hub = Running(tmp_path)
    enrol(hub.record)
    hub.say()
    desk = hub.record.desk
    cup = desk.begin("Autumn Cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Ann", "Ben", "Cleo"]).id
    desk.pair(cup)
    entrant = desk.find(cup).state.entrants[0]
    tournaments = [
        "/tournaments",
        *(f"/tournaments/{cup}{path}" for path in ("", "/seating", "/standings", f"/entrants/{entrant}")),
    ]
    hub.record.series.make("ab" * 8, "Club", Worth.PLACES, 2)
    hub.record.series.put(desk.find(cup), "ab" * 8)
    phones = [f"/me/{hub.record.links.of(cup)[entrant]}", f"/tournaments/{cup}/links"]
    ways_in = ["/join", "/join/x", "/staff/people", "/cert"]
    chain = chain_of(QUICK)
    ranks = ranks_of(chain, QUICK)
    take(hub.record, chain, ranks)
    tell(hub.record, ann(players=ranks[0]))
    standings = ["/standings", f"/standings/{KEY.id}/ann-1"]
    pages = ["/", f"/tables/{KEY.id}", *standings, "/staff", f"/series/{'ab' * 8}"]
    paths = [*pages, *tournaments, *phones, *ways_in, "/nowhere"]
    old = Old(browser, hub.url)
    old.context.add_cookies([{"name": "staff", "value": staff_token(hub.record), "url": hub.url}])
    try:
        assert page_endpoints(hub.app, NO_PAGES_OF_A_HUB, ("letters.",)) == endpoints_at(hub.app, paths[:-1])
        for path in paths:
            old.opens(path)
    finally:
        old.context.close()
        hub.stop()
        hub.record.close()
