"""The pictures of cards, trucks and gifts: each is what the equipment's data say, on paper and on a page alike."""

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest

from companion.equipment.deck import OWN_DECK, TONES, Way
from companion.equipment.pictures import PICTURE_MM, WOOD
from companion.equipment.trucks import printed_decks
from companion.game.charts import Picture
from companion.game.players import Viewer
from companion.game.widgets import PictureChoice
from companion.games import pack_and_stack, sack_stackers, speedstax, swapstax
from companion.games.maxstax import round_view
from companion.games.pack_and_stack.drawing import truck_shape_words
from companion.games.pack_and_stack.events import Rolled, StarterNamed, Taken
from companion.games.pack_and_stack.options import Deck, Options
from companion.games.sack_stackers.drawing import COLOURS, gift_picture
from companion.games.sack_stackers.groups import TYPES
from companion.printing import stacker_cards, truck_cards
from web.render.drawings import paths

DATA = {
    name: tomllib.loads(resources.files("companion.equipment").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    for name in ("deck", "trucks")
}
UPRIGHT = {"flat": 2, "edge": 1, "up": 0}  # which of the long, middle, short edge stands upright, by deck.toml
ACROSS = {"flat_x": 0, "flat_y": 1, "edge_x": 0, "edge_y": 2, "up_x": 1, "up_y": 2}
RECTANGLE = r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="(#\w{6})"'
CARDS = pytest.mark.parametrize("entry", DATA["deck"]["cards"], ids=lambda entry: entry["name"])
DECKS = pytest.mark.parametrize("deck", DATA["trucks"])
GIFTS = {"I": ["####"], "O": ["##", "##"], "T": [".#.", "###"], "L": ["#.", "#.", "##"], "S": [".##", "##."]}  # SS-03


def built(stack: str) -> list[tuple[float, float, float, float]]:
    """The blocks of a design in millimetres (left, foot, width, height), each put down upon those it lies over."""
    edges, blocks = DATA["deck"]["block_mm"], []
    for part in stack.split(", "):
        way, middle = part.split()
        width, height = edges[ACROSS[way]], edges[UPRIGHT[way.split("_")[0]]]
        left = float(middle) - width / 2
        below = [foot + high for x, foot, wide, high in blocks if x < left + width and left < x + wide]
        blocks.append((left, max(below, default=0.0), width, height))
    return blocks


def tones(stack: str) -> list[int]:
    """The tones of a design's blocks."""
    return [TONES[Way(part.split()[0])] for part in stack.split(", ")]


def is_centred(picture: Picture) -> bool:
    left, right = min(each.left for each in picture.shapes), max(each.left + each.width for each in picture.shapes)
    top, foot = min(each.top for each in picture.shapes), max(each.top + each.height for each in picture.shapes)
    return (left, top) == (picture.width - right, picture.height - foot)


def outline(rectangles, scale=1.0):
    """Rectangles (left, top, width, height) from the lower left corner of all of them, in any order, to half a unit:
    sides of blocks and squares are whole or half ones.
    """
    found = list(rectangles)
    left, bottom = min(x for x, *_ in found), max(y + height for _, y, _, height in found)
    return sorted(
        tuple(round(2 * each / scale) / 2 for each in (x - left, bottom - y - height, width, height))
        for x, y, width, height in found
    )


def of_picture(picture: Picture):
    return outline((each.left, each.top, each.width, each.height) for each in picture.shapes)


def on_page(picture: Picture):
    """The rectangles of the paths that a page draws."""
    drawn = [path for _tone, path in paths(picture.shapes)]
    parts = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-\3z", "".join(drawn))
    assert "".join(drawn).count("M") == len(parts)
    return outline(tuple(map(float, part)) for part in parts)


def squares(rows):
    """The unit squares of rows of # as rectangles."""
    return outline((x, y, 1, 1) for y, row in enumerate(rows) for x, square in enumerate(row) if square == "#")


def choice_of(game, state, player=None, **draft) -> PictureChoice:
    (found,) = (
        each for each in game.GAME.pages.view(state, Viewer(player, {}, draft)) if isinstance(each, PictureChoice)
    )
    return found


@CARDS
def test_a_stacker_card_is_drawn_as_it_is_built(entry):  # MX-03
    blocks = built(entry["stack"])
    expected = outline((left, -foot - height, width, height) for left, foot, width, height in blocks)
    (choice,) = [round_view.card_choice("", lambda number: number, lambda _number: "")]
    (shown,) = [each for each in choice.pictures if each.picture.number == str(entry["number"])]
    picture = shown.picture
    assert [each.tone for each in picture.shapes] == tones(entry["stack"])  # one for each block
    assert of_picture(picture) == on_page(picture) == expected
    assert (picture.mark, shown.tap.event) == ("★" * entry["stars"], entry["number"])
    assert min(each.left for each in picture.shapes) >= -0.01
    assert min(each.top for each in picture.shapes) >= -0.01
    assert max(each.top + each.height for each in picture.shapes) == pytest.approx(picture.height)  # on the ground
    for words in (f"Card {entry['number']}:", entry["name"], f"{len(blocks)} blocks", f"{entry['stars']} star"):
        assert words in shown.tap.label


@CARDS
def test_the_printed_card_has_the_same_drawing(entry):
    card = OWN_DECK.cards[entry["number"]]
    parts = re.findall(RECTANGLE, stacker_cards.drawn(card).svg)
    wooden = [(tuple(map(float, place)), colour) for *place, colour in parts if colour in WOOD]
    expected = outline((left, -foot - height, width, height) for left, foot, width, height in built(entry["stack"]))
    tops, feet = [y for (_, y, *_), _ in wooden], [y + height for (_, y, _, height), _ in wooden]
    scale = (max(feet) - min(tops)) / max(foot + height for _, foot, _, height in expected)
    assert len(wooden) == len(expected)
    assert outline((place for place, _ in wooden), scale) == expected
    assert [colour for _, colour in wooden] == [WOOD[tone - 1] for tone in tones(entry["stack"])]
    x = [place[0] for place, _ in wooden] + [place[0] + place[2] for place, _ in wooden]
    assert max(x) - min(x) <= PICTURE_MM[0] + 0.01


def test_wood_has_the_colours_of_the_printed_cards_on_pages():
    style = Path(__file__).parents[2].joinpath("web/static/foundation.css").read_text(encoding="utf-8")
    assert re.findall(r"\.part-[123] \{ fill: (#\w{6}); \}", style) == list(WOOD)


@DECKS
def test_a_truck_is_drawn_as_its_loading_area(deck):  # PS-02
    state = pack_and_stack.GAME.rules.start(Options(truck_deck=Deck(deck)), ("A", "B", "C"))
    for event in (StarterNamed("A"), *(Rolled(player, (2, 2, 2, 0, 2)) for player in "ABC")):
        state = pack_and_stack.GAME.rules.apply(state, event)
    shown = choice_of(pack_and_stack, state, "A", place="pile").pictures
    printed = truck_cards.cards(deck, 12.0)
    assert len(shown) == len(printed) == len(DATA["trucks"][deck]) == len(printed_decks()[deck])
    for number, (text, each, drawing) in enumerate(zip(DATA["trucks"][deck], shown, printed, strict=True), start=1):
        height, rows = text.split()
        expected = squares(rows.split("/"))
        assert of_picture(each.picture) == on_page(each.picture) == expected
        assert is_centred(each.picture)
        parts = re.findall(RECTANGLE, drawing.svg)
        on_paper = [tuple(map(float, place)) for *place, fill in parts if fill == truck_cards.AREA_FILL]
        assert outline(on_paper, 12.0) == expected
        assert (each.picture.number, each.picture.mark) == (str(number), f"{height} high")
        assert each.tap.event == Taken("A", number)
        assert f"Truck {number}: {len(expected)} squares, {height} high, " in each.tap.label


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "2 gaps on the left and 2 gaps on the right"),  # ..### .###. ###..
        (4, "a gap in the middle and a gap on the right"),  # ##.## ##### #....
        (5, "a gap on the left, a gap in the middle and 2 gaps on the right"),  # #.### ####. .###.
        (12, "no gaps"),
    ],
)
def test_the_words_of_a_truck_say_where_its_gaps_are(number, words):
    state = pack_and_stack.GAME.rules.start(Options(), ("A", "B", "C"))
    assert truck_shape_words(state, number).endswith(f"1 high, 3 rows, {words}")


def test_a_row_that_was_entered_short_ends_in_a_gap():  # PS-04
    own = Options(truck_deck=Deck.OWN, own_trucks=("2 ###/##", *DATA["trucks"]["manual-36"]))
    state = pack_and_stack.GAME.rules.start(own, ("A", "B", "C"))
    assert truck_shape_words(state, 1) == "Truck 1: 5 squares, 2 high, 2 rows, a gap on the right"


@pytest.mark.parametrize("gift", TYPES)
def test_a_gift_is_drawn_in_its_shape_and_colour(gift):  # SS-03
    picture = gift_picture(gift, gift)
    assert of_picture(picture) == on_page(picture) == squares(GIFTS[gift])
    assert is_centred(picture)
    assert (picture.label, picture.colour) == (gift, COLOURS[gift])
    assert len({COLOURS[each] for each in TYPES}) == len(TYPES)


def test_a_card_that_cannot_be_on_top_says_why():  # MX-06, SPD-02
    state = speedstax.GAME.rules.start(speedstax.rules.Options(deck_subset=(3, 4, 5, 6, 7, 8, 9, 10)), ("A", "B"))
    choice = choice_of(speedstax, state)
    assert choice.is_optional
    refused = {each.picture.number: each.tap.refused for each in choice.pictures}
    assert {number for number, why in refused.items() if not why} == set("3456789") | {"10"}
    assert refused["11"].startswith("Card 11 isn't in play.")


def test_a_card_that_was_drawn_says_so():  # SWP-02
    state = swapstax.GAME.rules.start(swapstax.rules.Options(), ("A", "B"))
    for event in (swapstax.state.ShufflerNamed("A"), swapstax.state.Drew("A", 7)):
        state = swapstax.GAME.rules.apply(state, event)
    refused = {each.picture.number: each.tap.refused for each in choice_of(swapstax, state).pictures}
    assert {number for number, why in refused.items() if why} == {"7"}
    assert refused["7"].startswith("Card 7 was already drawn.")


def test_the_gifts_of_the_wild_box_are_chosen_by_picture():  # SS-15
    state = sack_stackers.GAME.rules.start(sack_stackers.options.Options(), ("A",))
    state = sack_stackers.GAME.rules.apply(state, sack_stackers.events.Rolled((4, 2)))
    choice = choice_of(sack_stackers, state, "A", box="4:?")
    assert [each.picture for each in choice.pictures] == [gift_picture(gift, gift) for gift in TYPES]
    assert [each.tap.draft for each in choice.pictures] == [{"gift": gift} for gift in TYPES]
    assert not choice.has_field
