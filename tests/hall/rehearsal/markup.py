"""A page as a tree, as far as whoever taps it needs it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"input", "br", "img", "link", "meta", "hr", "source", "use", "path", "rect", "circle", "col"}


@dataclass
class Element:
    """An element with its attributes and what is in it."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = None
    content: list["Element | str"] = field(default_factory=list)

    def all(self, tag: str) -> Iterator["Element"]:
        """Every element of that tag in it, in the order of the page."""
        for part in self.content:
            if isinstance(part, Element):
                if part.tag == tag:
                    yield part
                yield from part.all(tag)

    @property
    def text(self) -> str:
        """All its text, with single spaces."""
        return " ".join(" ".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.content:
            if isinstance(part, str):
                yield part
            elif part.tag not in ("script", "style", "svg", "template"):
                yield from part._texts()

    def above(self, tag: str) -> Iterator["Element"]:
        """The elements of that tag in which it is, from the inside."""
        here = self.parent
        while here:
            if here.tag == tag:
                yield here
            here = here.parent


class Reader(HTMLParser):
    """Makes a tree of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.root = self._here = Element("page", {})
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self._here)
        self._here.content.append(element)
        if tag not in VOID:
            self._here = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._here.content.append(Element(tag, {name: value or "" for name, value in attrs}, self._here))

    def handle_endtag(self, tag: str) -> None:
        here: Element | None = self._here
        while here and here.tag != tag:
            here = here.parent
        if here and here.parent:
            self._here = here.parent

    def handle_data(self, data: str) -> None:
        self._here.content.append(data)


def read(page: str) -> Element:
    return Reader(page).root
