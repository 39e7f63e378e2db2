"""A language in which every message stands in brackets, so that what was never marked as one shows."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog

from companion.languages.messages import extract, forms, write_for_the_program
from companion.words import DOMAIN, TABLET

CODE = "eo"
OPEN, CLOSED = "⟦", "⟧"
SPOKEN = ("aria-label", "title", "alt", "placeholder")  # attributes that people read or hear
SILENT = ("script", "style", "code", "textarea")
IN_BRACKETS = re.compile(f"{OPEN}[^{OPEN}{CLOSED}]*{CLOSED}")


def write_pseudo(folder: Path, growth: float = 0.0) -> None:
    """Its catalogues, made from the code, with messages longer by `growth` of their length: 0.4 is 40 percent."""
    for domain in (DOMAIN, TABLET):
        catalogue = Catalog(locale=CODE, domain=domain)
        for message in extract(domain):
            if message.id:
                bracketed = tuple(f"{OPEN}{text}{filling(text, growth)}{CLOSED}" for text in forms(message.id))
                catalogue.add(message.id, bracketed if len(bracketed) > 1 else bracketed[0], context=message.context)
        path = folder / CODE / "LC_MESSAGES" / f"{domain}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_for_the_program(catalogue, path)


def filling(text: str, growth: float) -> str:
    """Words of five letters that make up the growth of a text; a word without a space grows as one."""
    letters = round(len(text) * growth)
    return "".join("o" if " " not in text or number % 6 else " " for number in range(letters))


class Reader(HTMLParser):
    """Collects what a person reads or hears of a page: its text, one piece after the other, and its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.attributes: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT
        self.attributes += [value for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.text.append(data)


def unmarked(html: str) -> Iterator[str]:
    """What stands outside every message; messages within messages are taken out from the inside."""
    reader = Reader()
    reader.feed(html)
    for text in ("\n".join(reader.text), *reader.attributes):  # a message may hold tags, and then is in several pieces
        left = text
        while (shorter := IN_BRACKETS.sub("", left)) != left:
            left = shorter
        yield left
