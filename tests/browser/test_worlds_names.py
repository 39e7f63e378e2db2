"""Names of the whole world, as long as a name may be: no page scrolls sideways, and none covers or cuts a name."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from companion.house.host import Host
from companion.house.symbols import FACES
from companion.journal.store import Journal
from companion.names import NAME_LENGTH, letters_of
from companion.shelf import GAMES
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
CUT = Path(__file__).with_name("names.js").read_text(encoding="utf-8")


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
    for person, face in zip(host.people.everybody(), FACES, strict=False):
        host.people.choose_face(person.id, face)
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
    for viewport, letters in ((NARROW, "100%"), (PHONE, "100%"), (PHONE, "200%"), (TABLET, "100%"), (TABLET, "200%")):
        page.evaluate("size => { document.documentElement.style.fontSize = size; }", letters)
        resize(page, viewport)
        seen = f"{viewport['width']} px, {letters}: "
        found += sideways(page.evaluate(MEASURE, LEAST_PX), seen)
        found += [seen + each for each in page.evaluate(CUT, list(WORLD))]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_a_game(page, world, game):
    found = {}
    for path in (
        world.at(f"midway/{game}"),
        f"{world.at(f'midway/{game}')}/history",
        f"{world.at(f'midway/{game}')}/players",
        f"{world.at(f'midway/{game}')}/correct/2",
        f"{world.at(f'end/{game}')}/result",
        f"{world.at(f'end/{game}')}",
    ):
        if wrong := wrong_with(page, path):
            found[path.split("/", 3)[-1]] = "\n".join(wrong)
    assert not found, "\n".join(found.values())


@pytest.mark.parametrize("path", ["/", "/people", "/season", "/house", "/new?game=stack_dice", "/board", "/overlay"])
def test_pages_of_the_house(page, world, path):
    assert not (wrong := wrong_with(page, path)), "\n".join(wrong)


def test_pages_of_a_person(page, world):
    for person in world.host.people.everybody():
        for path in (f"/people/{person.id}", f"/people/{person.id}/face"):
            assert not (wrong := wrong_with(page, path)), "\n".join(wrong)


def test_the_letters_of_the_picture_are_those_of_the_pages(page, world):
    """The picture is drawn as an image, as it is to be shared: what would be loaded then is missing."""
    page.goto(f"{world.at('end/speedstax')}/result")
    drawn = page.evaluate(
        """async address => {
            await document.fonts.load("800 44px 'Bricolage Grotesque'");
            const image = new Image();
            image.src = address;
            await image.decode();
            const canvas = document.createElement("canvas");
            canvas.width = image.naturalWidth;
            canvas.height = image.naturalHeight;
            const pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            const [left, top, width, height] = [186, 96, 700, 42]; // around the name of the game
            const shown = pen.getImageData(left, top, width, height).data;
            let end = 0;
            for (let at = 0; at < shown.length; at += 4) {
                if (shown[at] < 128) end = Math.max(end, left + (at / 4) % width);
            }
            const ends = font => {
                pen.font = `800 44px ${font}`;
                return 190 + pen.measureText("SPEEDSTAX").actualBoundingBoxRight;
            };
            return [end, ends("'Bricolage Grotesque'"), ends("sans-serif")];
        }""",
        f"{world.at('end/speedstax')}/result.svg",
    )
    end, own, other = drawn
    assert abs(end - own) < 3 < abs(own - other)


def test_each_name_fits_its_place_in_the_picture_to_share(page, world):
    """The points stand to the right of the names, from x = 984 leftwards; below them a line is drawn."""
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


def test_the_podium_of_large_letters_on_a_phone_stands_one_place_below_the_other_in_their_order(page, world):
    page.goto(world.at("end/speedstax"))
    resize(page, PHONE)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    podium, places = page.locator(".podium").bounding_box(), page.locator(".podium-place").all()
    boxes = {int(place.locator(".podium-step b").inner_text().split()[-1]): place.bounding_box() for place in places}
    assert len(boxes) > 1
    assert [place for place, _box in sorted(boxes.items(), key=lambda pair: pair[1]["y"])] == sorted(boxes)
    assert all(box["width"] > 0.9 * podium["width"] for box in boxes.values())
