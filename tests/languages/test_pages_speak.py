"""Every page and every game's states in a language of brackets: nothing that people read stands outside them."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask

from companion import words
from companion.game.players import Viewer
from companion.journal import codec
from companion.network.wifi.values import NAME
from companion.shelf import GAMES
from tests.browser.furnished import LONG_NAMES, NAMES, Furnished, furnished
from tests.browser.test_every_page import AROUND, HOUSE, SET_UPS, SHEETS
from tests.browser.test_every_page import GAMES as GAME_NAMES
from tests.languages.pseudo import CODE, unmarked
from tests.played import FILES, read
from tests.wifi_helper import PASSWORD, helper_of
from web.app import create_app
from web.render.widgets import draw

FOR_THOSE_WHO_BUILD = ("/gallery", "/api/docs")  # stay English
PAGES = [path for path in (*HOUSE, *SET_UPS) if path not in FOR_THOSE_WHO_BUILD]
TITLES = [game.pages.title for game in GAMES.values()]
TYPED = ("Phone", NAME, PASSWORD, "Cards", "All")  # what somebody typed in a playthrough; of the table's own Wi-Fi
NO_WORDS = re.compile(
    "|".join(
        (
            *map(re.escape, sorted({*TITLES, *NAMES, *LONG_NAMES, *TYPED}, key=len, reverse=True)),
            r"\b[A-Z]{2,4}-[A-Z]?\d+\b",  # the id of a rule
            r"\br\d+c\d+\b|\b[rc]\d+\b",  # a space of the board
            r"https?://\S+",
            r"\b[0-9a-f]{16,}\b",  # a hash
            r"\b(ms|mm|MB|Hz)\b",
            r"Deutsch|English|Esperanto|Français · \d+ %",
        )
    )
)


@pytest.fixture(scope="module")
def house(pseudo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    with furnished(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture(scope="module")
def app(house: Furnished) -> Flask:
    app = create_app(house.host)
    app.extensions["wifi"] = helper_of(NAMES)
    return app


def words_left(html: str) -> set[str]:
    """Words of two letters and more that are no message, no name and no number."""
    return {word for text in unmarked(html) for word in re.findall(r"[^\W\d_]{2,}", NO_WORDS.sub(" ", text))}


def got(app: Flask, address: str) -> str:
    client = app.test_client()
    client.set_cookie("language", CODE)
    return client.get(address).text


@pytest.mark.parametrize("path", PAGES)
def test_pages_of_the_house(app, path):
    html = got(app, path)
    assert f'lang="{CODE}"' in html
    assert words_left(html) == set()


@pytest.mark.parametrize("moment", SHEETS)
def test_sheets(app, house, moment):
    assert words_left(got(app, house.at(moment))) == set()


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_other_pages_of_a_game(app, house, game, around):
    assert words_left(got(app, f"{house.at(f'late/{game}')}/{around}")) == set()


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_playthroughs(app, path):
    """Every state by every viewer's page in turn, and the sentence of every event."""
    played = read(path)
    game, names = GAMES[played.game], dict(zip(played.players, NAMES, strict=False))
    left: set[str] = set()
    with app.test_request_context("/"):
        app.preprocess_request()
        words.speak(CODE)
        state = game.rules.start(codec.options_from_json(game, played.options), played.players)
        for number, step in enumerate(played.steps):
            viewers = (None, *played.players)
            viewer = Viewer(viewers[number % len(viewers)], names)
            event = codec.event_from_json(game, step.event)
            html = "".join(draw(widget, {}) for widget in game.pages.view(state, viewer))
            left |= words_left(html + f"<p>{game.pages.describe(state, event, viewer)}</p>")
            state = game.rules.apply(state, event)
    assert left == set()
