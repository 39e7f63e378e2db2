"""Names of the whole world, as long as a name may be: no page scrolls sideways, and none covers or cuts a name."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from companion.games import GAMES
from companion.house.host import Host
from companion.journal.store import Journal
from companion.names import NAME_LENGTH, letters_of
from tests.browser.furnished import HOURS_US, LONGEST, Furnished, played_so_far, served
from tests.browser.sound import LEAST_PX, MEASURE, NARROW, PHONE, TABLET, resize, sideways

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"  # one emoji of four, joined
WORLD = tuple(
    "".join(letters_of(name)[:NAME_LENGTH]).strip()
    for name in (
        "Donaudampfschifffahrtsgesellschaftskapitän",  # without a place to break
        "عبد الرحمن بن محمد بن عبد العزيز الأنصاري",
        "พระบาทสมเด็จพระปรมินทรมหาภูมิพลอดุลยเดชฯ",
        "Nguyễn Phước Bửu Lộc Ưỡng Ặ Ậ Ẫ Ữ Ợ Ệ Ỗ",
        "W" * NAME_LENGTH,
        FAMILY * NAME_LENGTH,
    )
)
# A name that leaves its box without its dots, or lies under the next thing of the page that is no part of it.
CUT = """names => {
    const cut = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
        if (!names.some(name => text.data.includes(name.slice(0, 8)))) continue;
        const owner = text.parentElement;
        if (!owner.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if (owner.closest("title, option, select, .unseen, [data-scrolls], .seats-nav")) continue;
        const letters = document.createRange();
        letters.selectNodeContents(text);
        for (const box of letters.getClientRects()) {
            if (box.width < 2 || box.height < 2) continue;
            for (let up = owner; up && up !== document.body; up = up.parentElement) {
                const look = getComputedStyle(up);
                const clips = look.overflowX !== "visible" && look.display !== "inline";
                const outer = up.getBoundingClientRect();
                if (!clips || outer.width < 2 || up.scrollWidth > up.clientWidth && look.overflowX === "auto") continue;
                const whole = box.right <= outer.right + 2 && box.left >= outer.left - 2;
                const words = text.data.trim().slice(0, 20);
                if (!whole && look.textOverflow !== "ellipsis") cut.push(`${up.tagName}.${up.className} cuts ${words}`);
                break;
            }
            const leaves = box.right > innerWidth + 1 || box.left < -1;
            if (leaves) cut.push(`${owner.tagName}.${owner.className} leaves the page`);
        }
    }
    return [...new Set(cut)];
}"""


@pytest.fixture(scope="module")
def world(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    """A house of people with these names, and each game in its middle and at its end."""
    host = Host(Journal(tmp_path_factory.mktemp("world") / "journal.sqlite3"))
    host.clock.offset_us += HOURS_US
    games = {}
    for number, game in enumerate(GAMES):
        names = (*WORLD[number % len(WORLD) :], *WORLD[: number % len(WORLD)])  # each name sits at each seat
        for moment, share in (("midway", 0.55), ("end", 1.0)):
            games[f"{moment}/{game}"] = played_so_far(host, LONGEST[game], share, names)
    names = games["end/stack_dice"].names
    for table in games.values():
        host.people.seat(table.names, set(table.names.values()))
    assert names
    with served(host) as url:
        yield Furnished(host, url, games)


@pytest.fixture(scope="module")
def page(browser: Browser, world: Furnished) -> Iterator[Page]:
    with browser.new_context(base_url=world.url, locale="de-DE", reduced_motion="reduce") as context:
        yield context.new_page()


def wrong_with(page: Page, path: str) -> list[str]:
    page.goto(path)
    found = []
    for viewport in (NARROW, PHONE, TABLET):
        resize(page, viewport)
        seen = f"{viewport['width']} px: "
        found += sideways(page.evaluate(MEASURE, LEAST_PX), seen)
        found += [seen + each for each in page.evaluate(CUT, list(WORLD))]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_a_game(page, world, game):
    found = {}
    for path in (
        world.at(f"midway/{game}"),
        f"{world.at(f'midway/{game}')}/history",
        f"{world.at(f'end/{game}')}/result",
        f"{world.at(f'end/{game}')}",
    ):
        if wrong := wrong_with(page, path):
            found[path.split("/", 3)[-1]] = wrong
    assert found == {}


@pytest.mark.parametrize("path", ["/", "/people", "/season", "/house", "/new?game=stack_dice", "/board"])
def test_pages_of_the_house(page, world, path):
    assert wrong_with(page, path) == []


def test_each_name_fits_its_line_in_the_picture_to_share(page, world):
    """The points stand to the right of the names, from x = 984 leftwards."""
    for game in GAMES:
        page.goto(f"{world.at(f'end/{game}')}/result.svg")
        ends = page.evaluate(
            """() => [...document.querySelectorAll("text")].map(each => {
                const { x, width } = each.getBBox();
                return [each.textContent, x + width];
            })"""
        )
        names = set(world.games[f"end/{game}"].names.values())
        assert {name for name, _ in ends} >= names
        for name, end in ends:
            assert end <= (860 if name in names else 1032), (game, name, end)
