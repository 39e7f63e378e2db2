"""Names of people on pages: no browser translates them, and no keyboard corrects them."""

import re
from html.parser import HTMLParser

import pytest

from companion.shelf import GAMES
from tests.browser.furnished import LONGEST, played_so_far, post

NAMES = ("Hope", "Rose", "Will", "Mark", "Joy", "Dawn")  # each of them is an English word, too
FOR_NAMES = {"autocomplete": "off", "autocorrect": "off", "autocapitalize": "words", "spellcheck": "false"}
VOID = frozenset(("area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"))
SCREENS = ("/board", "/board/sheet", "/overlay", "/overlay/sheet")
NO_TEXT = frozenset(("title", "script", "style", "option", "textarea"))


class Page(HTMLParser):
    """Collects the texts that a browser would translate, and the fields."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.translated: list[str] = []
        self.fields: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in ("input", "textarea"):
            self.fields.append(attributes)
        if tag not in VOID:
            self.open.append((tag, attributes.get("translate") == "no"))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(tag in NO_TEXT or kept for tag, kept in self.open):
            self.translated.append(data)


@pytest.mark.parametrize("game", GAMES)
def test_no_name_of_a_player_is_translated(client, host, game):
    table = played_so_far(host, LONGEST[game], 0.6, NAMES)
    first = table.session.players[0]
    post(table, {"kind": "Ruling", "player": first, "points": 1, "why": f"{NAMES[0]} was right"}, "button")
    address = f"/s/{table.session.id}"
    mine = f"{address}?player={first}"
    pages = (
        address,
        mine,
        f"{address}/history",
        f"{address}/result",
        f"{address}/referee",
        f"{address}/players",
        "/",
        *SCREENS,
    )
    for page in pages:
        answer = client.get(page, follow_redirects=True)
        assert answer.status_code == 200, page
        shown = Page(answer.data.decode())
        found = [text for text in shown.translated if set(re.findall(r"\w+", text)) & set(table.names.values())]
        assert not found, page
        assert not [words for words in buttons(answer.data.decode()) if is_torn(words)], page


def buttons(html: str) -> list[str]:
    return re.findall(r"<button\b[^>]*>(.*?)</button>", html, re.DOTALL)


def is_torn(words: str) -> bool:
    """Whether a name and the words around it are several parts of a button, which stand apart from each other."""
    loose = re.sub(r"<span\b.*?</span>", "", words, flags=re.DOTALL)
    return "<bdi" in loose and bool(re.sub(r"<bdi\b.*?</bdi>|<[^>]*>", "", loose).strip())


@pytest.mark.parametrize("page", ["/new?game=sack_stackers", "/people", "/players", "/wizard", "/house", "/entrants"])
def test_what_is_typed_as_a_name_is_not_corrected(client, host, page):
    table = host.create("sack_stackers", ["Hope", "Rose"], {})
    address = f"/s/{table.session.id}/players" if page == "/players" else page
    answer = client.get(address, follow_redirects=True)
    assert answer.status_code == 200, address
    fields = [field for field in Page(answer.text).fields if is_of_a_name(field)]
    assert fields, "no field for a name"
    for field in fields:
        assert FOR_NAMES.items() <= field.items(), field


def is_of_a_name(field: dict[str, str | None]) -> bool:
    typed = field.get("type", "text") == "text"
    return typed and field.get("name") in ("player", "name", "who", "label", "text", "names")
