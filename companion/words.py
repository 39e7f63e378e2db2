"""Sentences for people in their language: messages from catalogues, numbers and dates in that language's form.

English is in the code; every other language is a folder of `companion/languages` with its gettext catalogues. `tablet`
holds the messages of the pages' scripts, `companion` all others. Placeholders are named, in braces.
"""

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import bidirectional

ENGLISH = "en"
FOLDER = Path(__file__).parent / "languages"
TRANSLATED = "translated.json"  # How far each language is; `make messages` counts.
DOMAIN, TABLET = "companion", "tablet"

BEFORE_UNIT = re.compile(r"(?<=}) (?=(?:ms|s|min|h)\b)")  # No line ends between a number and its unit.

_brought: dict[str, list[NullTranslations]] = {}  # Language → the sentences of games that packages bring.
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


class Recipe(NamedTuple):
    """The parts that a sentence is made from, in any language.

    context        distinguishes two meanings of one word, "" for none
    many, number  the plural message and the number; "" for a message without a plural
    """

    message: str
    values: Mapping[str, Any]
    context: str = ""
    many: str = ""
    number: int = 0


class Translation(NamedTuple):
    """How far a language is: what it lacks is said in English, sentence by sentence.

    percent      of all messages, rounded down
    is_reviewed  whether somebody who speaks the language has read it
    """

    percent: int = 100
    is_reviewed: bool = True


WHOLE = Translation()


class Sentence(str):
    """A sentence in the language it was made in, which `retold` tells in another when it is shown later."""

    recipe: Recipe

    @classmethod
    def by(cls, recipe: Recipe) -> "Sentence":
        """The sentence in the current language."""
        catalogue = _catalogue(DOMAIN, _language.get())
        if recipe.many:
            text = catalogue.ngettext(recipe.message, recipe.many, recipe.number)
        elif recipe.context:
            text = catalogue.pgettext(recipe.context, recipe.message)
        else:
            text = catalogue.gettext(recipe.message)
        if recipe.values:
            spoken = _language.set(ENGLISH if _is_lacking(recipe, text) else _language.get())
            text = BEFORE_UNIT.sub("\u00a0", text)
            try:
                text = text.format_map({name: _legible(retold(value)) for name, value in recipe.values.items()})
            finally:
                _language.reset(spoken)
        sentence = cls(text)
        sentence.recipe = recipe
        return sentence


def _is_lacking(recipe: Recipe, text: str) -> bool:
    """Whether a half-done language has no words for a message: then all parts of it are told in English."""
    if translated(_language.get()).percent == 100 or text not in (recipe.message, recipe.many):
        return False
    return re.search(r"[a-z]{2}", re.sub(r"{.*?}", "", text)) is not None  # What is only marks is in no catalogue.


def _(message: str, /, **values: Any) -> str:
    """`message` in the current language, with `values` in place of its "{name}"s."""
    if not message:
        return ""  # For it gettext would return the catalogue's header.
    return Sentence.by(Recipe(message, _lasting(values)))


def _n(one: str, many: str, n: int, /, **values: Any) -> str:
    """The message for `n` things, with "{n}" among its values."""
    return Sentence.by(Recipe(one, _lasting({"n": n, **values}), many=many, number=n))


def _p(context: str, message: str, /, **values: Any) -> str:
    """`message` in the meaning of `context`: one English word may be two in another language."""
    return Sentence.by(Recipe(message, _lasting(values), context))


def _lasting(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values with errors replaced by their text: a stored error would keep its whole traceback in memory."""
    return {
        name: (value.args[0] if value.args and isinstance(value.args[0], Sentence) else str(value))
        if isinstance(value, Exception)
        else value
        for name, value in values.items()
    }


def N_(message: str) -> str:
    """Marks a message in a constant for translation; whoever shows it calls `_(…)`."""
    return message


def retold(value: Any) -> Any:
    """A `Sentence` sentence in the current language; anything else as it is."""
    return Sentence.by(value.recipe) if isinstance(value, Sentence) else value


def plain(value: Any) -> str:
    """A `Sentence` sentence as a plain str, for an encoder that knows no subclasses; raises NotImplementedError."""
    if isinstance(value, Sentence):
        return str(value)
    raise NotImplementedError(f"no JSON for {type(value).__name__}")


def speak(language: str) -> None:
    """Sets the language of this thread (or request); English if there is no catalogue for it."""
    _language.set(language if language in languages() else ENGLISH)


def language() -> str:
    """The current language: "en", "de", …"""
    return _language.get()


@lru_cache
def languages() -> tuple[str, ...]:
    """Every language with a catalogue, English first."""
    return (ENGLISH, *sorted(path.parent.parent.name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")))


def own_name(code: str) -> str:
    """A language's own name."""
    return _catalogue(DOMAIN, code).pgettext("the name of this language, in itself", "English")


def menu_name(code: str) -> str:
    """A language's own name, with its share where it is half done: "Français · 34 %"."""
    percent = translated(code).percent
    return own_name(code) if percent == 100 else f"{own_name(code)} · {percent} %"


def translated(code: str) -> Translation:
    """How far a language is."""
    return _translations().get(code, WHOLE)


@lru_cache
def _translations() -> Mapping[str, Translation]:
    counted = json.loads((FOLDER / TRANSLATED).read_text(encoding="utf-8"))
    return {code: Translation(**counts) for code, counts in counted.items()}


def tablet_words() -> Mapping[str, str | list[str]]:
    """The messages of the pages' scripts in the current language: message → translation, or its plural forms."""
    return _tablet_words(_language.get())


@lru_cache
def _tablet_words(code: str) -> Mapping[str, str | list[str]]:
    if code == ENGLISH:
        return {}
    path = FOLDER / code / "LC_MESSAGES" / f"{TABLET}.json"
    words: Mapping[str, str | list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return words


class _Brought(NullTranslations):
    """The sentences of a game that a package brings, in one language: message → translation, or its plural forms."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._words: Mapping[str, str | list[str]] = json.loads(path.read_text(encoding="utf-8"))

    def gettext(self, message: str) -> str:
        text = self._words.get(message, message)
        return text if isinstance(text, str) else text[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        text = self._words.get(msgid1, [msgid1, msgid2])
        return text if isinstance(text, str) else text[n != 1]


def add_catalogues(folder: Path) -> None:
    """Lets a folder's files, one JSON object for each language, say what our catalogues do not: "de.json"."""
    for path in sorted(folder.glob("*.json")):
        _brought.setdefault(path.stem, []).append(_Brought(path))
    _catalogue.cache_clear()


@lru_cache
def _catalogue(domain: str, code: str) -> NullTranslations:
    catalogue: NullTranslations = translation(domain, FOLDER, [code], fallback=True)
    for brought in _brought.get(code, ()):
        catalogue.add_fallback(brought)
    return catalogue


ISOLATE, ISOLATED = "\u2068", "\u2069"  # Without them "علی: 3" would read "3 :علی".
MINUS = "−"  # Unlike a hyphen it is as wide as a plus, never ends a line, and is read aloud.


class _Number:
    """A number in a sentence, written with the language's marks in any format that the message asks for."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        marks = {",": _p("between thousands", ","), ".": _p("decimal mark", "."), "-": MINUS}
        return "".join(marks.get(char, char) for char in format(self._value, spec))

    def __repr__(self) -> str:
        return repr(self._value)


def _legible(value: Any) -> Any:
    """A number with the language's marks; a name or other words of people kept from turning round what is beside it."""
    if isinstance(value, str) and not isinstance(value, Sentence):  # A finished sentence has its own marks.
        from_the_right = not value.isascii() and any(bidirectional(letter) in ("R", "AL") for letter in value)
        return f"{ISOLATE}{value}{ISOLATED}" if from_the_right else value
    return _Number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def number(value: float, digits: int = 0) -> str:
    """A number with `digits` digits after the decimal mark: "12,345.6", "−3"."""
    return Sentence.by(Recipe(f"{{value:,.{digits}f}}", {"value": value}))  # No catalogue has it, as in `joined`.


def signed(value: int) -> str:
    """A number with its sign: "+5", "−5"."""
    return f"{_legible(value):+d}"


def seconds(span_us: int) -> str:
    """A duration as people say it: "10.5 s", from a minute on "1:27.9"."""
    tenths = round(span_us / 100_000)
    if tenths < 600:
        return _("{seconds} s", seconds=number(tenths / 10, 1))
    minutes, rest = divmod(tenths, 600)
    zero = "0" if rest < 100 else ""
    return _("{minutes}:{zero}{seconds}", minutes=minutes, zero=zero, seconds=number(rest / 10, 1))


def clock_face(left_us: int) -> str:
    """Time left, rounded up to whole seconds: "2:00"."""
    whole = max(0, -(-left_us // 1_000_000))
    return f"{whole // 60}:{whole % 60:02d}"


def day(wall_us: int) -> str:
    """A wall time as people write it: "Sat 21 Nov, 14:05"."""
    when = _local(wall_us)
    return _(
        "{weekday} {day} {month}, {time}",
        weekday=_(WEEKDAYS[when.weekday()]),
        day=when.day,
        month=_(MONTHS[when.month - 1]),
        time=f"{when:%H:%M}",
    )


def date(wall_us: int) -> str:
    """The date of a wall time: "21 Nov 2026"."""
    when = _local(wall_us)
    return _("{day} {month} {year}", day=when.day, month=_(MONTHS[when.month - 1]), year=when.year)


def time_of_day(wall_us: int) -> str:
    """The time of day: "14:05:09"."""
    return f"{_local(wall_us):%H:%M:%S}"


def joined(parts: Iterable[str], between: str = ", ") -> str:
    """The parts joined by `between`; unlike with `str.join`, the result can be `retold` in another language."""
    values = {f"part_{number}": part for number, part in enumerate(parts)}
    if not values:
        return ""
    # No catalogue has this message, so gettext returns it unchanged.
    return Sentence.by(Recipe(between.join(f"{{{name}}}" for name in values), values))


def listed(parts: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return _joined(tuple(parts), N_("{most} and {last}"))


def either(parts: Iterable[str]) -> str:
    """ "a", "a or b", "a, b or c"."""
    return _joined(tuple(parts), N_("{most} or {last}"))


def _joined(parts: tuple[str, ...], message: str) -> str:
    if len(parts) < 2:
        return joined(parts)
    return _(message, most=joined(parts[:-1]), last=parts[-1])


# Dice and pieces have these colours, shown as `_(colour)`.
COLOURS = (
    N_("white"), N_("grey"), N_("black"), N_("red"), N_("orange"), N_("yellow"), N_("green"), N_("turquoise"),
    N_("blue"), N_("purple"), N_("pink"), N_("brown"),
)  # fmt: skip
WEEKDAYS = (N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun"))
MONTHS = (
    N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun"),
    N_("Jul"), N_("Aug"), N_("Sep"), N_("Oct"), N_("Nov"), N_("Dec"),
)  # fmt: skip


def _local(wall_us: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(wall_us / 1e6).astimezone()
