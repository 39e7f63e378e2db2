"""Four players, each with a phone of their own: they place at once, with two taps a turn, and nobody is refused."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.store import Journal
from companion.table.table import Table
from tests.browser.furnished import HOURS_US, NAMES, post, served
from tests.browser.sound import PHONE

ELSEWHERE = {"X-Forwarded-For": "192.168.1.20"}  # not the table's own machine: a device that needs a ticket
HUMS = "window.hums = []; Navigator.prototype.vibrate = (pattern) => { window.hums.push(pattern); return true; };"
ROLLS = ([3, 5], [2, 4])


@dataclass
class Phone:
    """A player's phone; it remembers what the table refused."""

    page: Page
    refused: list[int] = field(default_factory=list)
    taps: int = 0

    def hear(self, answer: Response) -> None:
        if answer.status >= 400:
            self.refused.append(answer.status)

    def tap(self, selector: str) -> None:
        self.page.locator(selector).first.tap()
        self.taps += 1


@pytest.fixture
def table_and_phones(browser: Browser, tmp_path: Path) -> Iterator[tuple[Table, list[Phone]]]:
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    host.clock.offset_us += HOURS_US
    table, phones = host.create("sack_stackers", list(NAMES[:4]), {}), []
    with served(host) as url:
        for player in table.session.players:
            ticket = host.access.tickets.issue(Role.PLAYER, session=table.session.id, player=player)
            headers = ELSEWHERE | {"Authorization": f"Bearer {ticket}"}
            context = browser.new_context(base_url=url, viewport=PHONE, has_touch=True, extra_http_headers=headers)
            context.add_init_script(HUMS)
            phone = Phone(context.new_page())
            phone.page.on("response", phone.hear)
            phone.page.goto(f"/s/{table.session.id}?player={player}")
            phones.append(phone)
        yield table, phones
        for phone in phones:
            phone.page.context.close()


def test_four_phones_play_two_turns_at_once(table_and_phones):
    table, phones = table_and_phones
    still = phones[-1].page
    still.get_by_role("button", name="Game").click()
    still.get_by_role("button", name="Sounds and screen on this device").click()
    expect(still.get_by_label("Vibration")).to_be_checked()  # as on every phone, until somebody says otherwise
    still.get_by_label("Vibration").click(force=True)  # the box lies below what is drawn of it
    still.get_by_role("button", name="Done").click()
    for turn, dice in enumerate(ROLLS, start=1):
        for phone in phones:
            expect(phone.page.locator("body[data-line=open]")).to_be_visible()
            phone.taps = 0
        post(table, {"kind": "Rolled", "dice": dice})
        for phone in phones:
            expect(phone.page.locator(".headline h2")).to_have_text("Choose a gift")
            phone.tap("[aria-label=Gifts] [data-draft]")
        for phone in phones:  # while the others' entries arrive
            phone.tap("#main-tap button")
        for phone in phones:
            expect(phone.page.locator(".headline h2")).to_have_text("Roll both dice")
            assert phone.taps <= 2
        assert table.state.turn == turn + 1
    assert [phone.refused for phone in phones] == [[]] * 4
    hums = [len(phone.page.evaluate("window.hums")) for phone in phones]
    assert min(hums[:-1]) >= 2 * len(ROLLS)  # a gift, the confirmation; and that it is the own turn
    assert hums[-1] == 0  # its switch is off
    assert [phone.page.evaluate("localStorage.getItem('device-sound')") for phone in phones] == [None] * 4


def test_who_has_placed_sees_whom_the_game_waits_for_and_nothing_to_tap(table_and_phones):
    table, (ann, *others) = table_and_phones
    post(table, {"kind": "Rolled", "dice": [3, 5]})
    expect(ann.page).to_have_title("● Sack Stackers · Ann")  # so a window behind others says that it is her turn
    ann.tap("[aria-label=Gifts] [data-draft]")
    ann.tap("#main-tap button")
    expect(ann.page.locator(".headline h2")).to_have_text("Waiting for Bartholomew, Cy and Dorothea")
    expect(ann.page).to_have_title("Sack Stackers · Ann")
    expect(ann.page.locator("#live .sheet button")).to_have_count(0)
    expect(ann.page.get_by_role("region", name="Score so far")).to_contain_text("Ann")
    expect(ann.page.locator(".last-now")).to_contain_text("Ann took")
    expect(ann.page.locator("#live.fresh")).to_have_count(0)  # Undo was there for a while
    expect(ann.page.locator(".last-now")).to_be_in_viewport()
    for phone in others:
        expect(phone.page.locator(".headline h2")).to_have_text("Choose a gift")
