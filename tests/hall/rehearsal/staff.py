"""Somebody of the staff with a phone: opens pages, finds what is written on a button, and taps. Each tap is counted.

A link, a fold, a field, a tick and a button are a tap each, a choice from a list is two. A page that follows by itself
costs none.
"""

import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urljoin

from tests.hall.processes.test_hub import until
from tests.hall.rehearsal.markup import Element, read

PATIENCE_S = 30
LIST_TAPS = 2  # One opens it, one chooses.


@dataclass
class Account:
    """What the staff did about one thing that happened.

    steps   what was tapped, in words; `typed`, how many letters
    """

    what: str
    taps: int = 0
    typed: int = 0
    steps: list[str] = field(default_factory=list)


class Refused(AssertionError):
    """The page that comes back says why not."""


class Phone:
    """A phone of the staff.

    account     what its taps are counted for
    """

    def __init__(self, hub_url: str, account: Account) -> None:
        self.hub_url, self.account = hub_url, account
        self.cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.url, self.page = hub_url, Element("page", {})
        self._unfolded: set[str] = set()

    @property
    def text(self) -> str:
        return self.page.text

    def follow(self, path: str) -> None:
        """Opens a page that a tap leads to, unless it is open already."""
        if urljoin(self.hub_url, path) != self.url:
            self._count(f"opens /{path.split('/')[1]}", 1)
            self._unfolded.clear()
        self._load(urljoin(self.hub_url, path))

    def look(self) -> str:
        """What the open page says now: it follows by itself."""
        self._load(self.url)
        return self.text

    def see(self, sentence: str) -> None:
        """Looks until the open page says this."""
        self._until(lambda: sentence in self.look(), f"doesn't say “{sentence}”")

    def see_no_more(self, sentence: str) -> None:
        self._until(lambda: sentence not in self.look(), f"still says “{sentence}”")

    def _until(self, ask: Callable[[], bool], why: str) -> None:
        try:
            until(ask)
        except AssertionError as error:
            raise AssertionError(f"{self.url} {why}: {self.text}") from error

    def tap_link(self, text: str) -> None:
        """Taps the link with this text."""
        link = next(one for one in self.page.all("a") if text in one.text)
        self._count(f"“{text}”", 1)
        self._unfolded.clear()
        self._load(urljoin(self.url, link.attributes["href"]))

    def tap(self, button: str, near: str = "", chosen: Mapping[str, str] = MappingProxyType({})) -> None:
        """Fills a form in and taps its button; raises Refused with what the page says.

        near    text of the line, fold or section in which the form is, or what keeps it apart, where there are several
        chosen  what stands before a field → what is chosen there or typed
        """
        self.send(*self.fill(button, near, chosen))

    def fill(self, button: str, near: str, chosen: Mapping[str, str]) -> tuple[str, bytes]:
        """Fills a form in up to its last tap; gives what `send` needs."""
        form, pressed = self._find(button, near)
        self._unfold(form)
        fields = {
            name: value for one in form_fields(form) if (name := one.attributes.get("name")) for value in usual(one)
        }
        for label, wanted in chosen.items():
            name, value = self._choose(form, label, wanted)
            fields[name] = value
        if "name" in pressed.attributes:
            fields[pressed.attributes["name"]] = pressed.attributes.get("value", "")
        self._count(f"“{button}”", 1)
        return urljoin(self.url, form.attributes["action"]), urllib.parse.urlencode(fields).encode()

    def send(self, url: str, data: bytes) -> None:
        """Sends a form; raises Refused."""
        try:
            self._load(url, data)
        except urllib.error.HTTPError as refusal:
            with refusal:
                self.page = read(refusal.read().decode())
            self._unfolded.clear()
            raise Refused(
                next((one.text for one in self.page.all("p") if "alert" in one.attributes.get("role", "")), self.text)
            ) from refusal

    def _find(self, button: str, near: str) -> tuple[Element, Element]:
        """The form with that button which stands closest about `near`."""
        found = [
            (len(around.text), form, one)
            for form in self.page.all("form")
            for one in form.all("button")
            if one.text == button
            for around in places(form)
            if near in around.text or near == around.attributes.get("data-keep")
        ]
        assert found, f"nobody finds “{button}” near “{near}” on {self.url}: {self.text}"
        _size, form, pressed = min(found, key=lambda one: one[0])
        return form, pressed

    def _unfold(self, form: Element) -> None:
        for fold in reversed(list(form.above("details"))):
            head = next(fold.all("summary")).text
            if "open" not in fold.attributes and head not in self._unfolded:
                self._unfolded.add(head)
                self._count(f"unfolds “{head}”", 1)

    def _choose(self, form: Element, label: str, wanted: str) -> tuple[str, str]:
        """The name of a field, and the value of what is chosen or typed there."""
        field_ = next(one for one in form_fields(form) if label in labels(one) and fits(one, wanted))
        name = field_.attributes["name"]
        if field_.tag == "select":
            option = next((option for option in field_.all("option") if wanted in option.text), None)
            assert option, f"{wanted} is not in the list: {field_.text}"
            self._count(f"chooses “{option.text}”", LIST_TAPS)
            return name, option.attributes.get("value", option.text)
        if field_.attributes.get("type") == "radio":
            self._count(f"chooses “{wanted}”", 1)
            return name, field_.attributes["value"]
        is_pasted = field_.tag == "textarea"
        self._count("pastes a list" if is_pasted else f"types “{wanted}”", 1)
        self.account.typed += 0 if is_pasted else len(wanted)
        return name, wanted

    def _count(self, step: str, taps: int) -> None:
        self.account.taps += taps
        self.account.steps.append(step)

    def _load(self, url: str, data: bytes | None = None) -> None:
        request = urllib.request.Request(url, data, {"Accept": "text/html", "User-Agent": "a phone"})
        with self._opener.open(request, timeout=PATIENCE_S) as answer:
            self.url, self.page = answer.url, read(answer.read().decode())


def form_fields(form: Element) -> list[Element]:
    return [one for tag in ("input", "select", "textarea") for one in form.all(tag)]


def usual(field_: Element) -> list[str]:
    """What a field sends that nobody touches; [] for nothing."""
    if field_.tag == "textarea":
        return ["".join(part for part in field_.content if isinstance(part, str))]
    if field_.tag == "select":
        options = list(field_.all("option"))
        chosen = next((one for one in options if "selected" in one.attributes), options[0])
        return [chosen.attributes.get("value", chosen.text)]
    kind = field_.attributes.get("type", "text")
    if kind == "file" or (kind in ("radio", "checkbox") and "checked" not in field_.attributes):
        return []
    return [field_.attributes.get("value", "")]


def labels(field_: Element) -> list[str]:
    """What stands before a field, and over the fields with which it stands together."""
    before = [next(label.all("span")).text for label in field_.above("label") if any(label.all("span"))]
    return before + [one.text for group in field_.above("fieldset") for one in group.all("legend")]


def fits(field_: Element, wanted: str) -> bool:
    """Whether this can be what is wanted: of ticks that belong together each is a field."""
    return field_.attributes.get("type") != "radio" or wanted in next(field_.above("label")).text


def places(form: Element) -> list[Element]:
    """What stands about a form: its line of a list, its fold, its section."""
    return [*form.above("li"), *form.above("details"), *form.above("section"), form]
