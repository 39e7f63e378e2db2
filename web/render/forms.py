"""The options of a game as a form: a field for each kind of value, and the values from the typed form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

import msgspec

from companion.errors import BadInput
from companion.game.options import OptionInfo
from companion.words import _

LONGEST = 4000  # characters of one field; a deck of trucks is the longest thing anybody types
DIGITS = 9
WHOLE = re.compile("(?P<sign>[-−+]?)(?P<digits>[0-9]+)")


@dataclass(frozen=True)
class Field:
    """One option as a field of the form.

    form    "choices", "switch", "number", "line" (numbers), "lines" (one thing a line), "pairs",
            "menus" (one of the choices for each seat) or "text"
    text    its content; for a switch "on" or ""
    pairs   name → text of each part, for "pairs"; number → choice, for "menus"
    """

    info: OptionInfo
    form: str
    text: str
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The field's name in the form."""
        return f"option.{self.info.name}"

    @property
    def empty_allowed(self) -> bool:
        """Whether an empty field means None."""
        return NoneType in get_args(self.info.kind)


def form_of(info: OptionInfo) -> str:
    """The form of an option's field; see `Field.form`."""
    kind = bare(info.kind)
    if info.choices:
        return "menus" if get_origin(kind) is tuple else "choices"
    if kind is bool:
        return "switch"
    if kind is int:
        return "number"
    if get_origin(kind) is tuple:
        part = get_args(kind)[0]
        if part is int:
            return "line"
        return "pairs" if get_origin(part) is tuple and get_args(part) == (str, str) else "lines"
    return "text"


def bare(kind: Any) -> Any:
    """The type without "| None"."""
    if isinstance(kind, UnionType):
        (kind,) = (part for part in get_args(kind) if part is not NoneType)
    return kind


def field_of(info: OptionInfo, value: Any) -> Field:
    """The field of an option with this value."""
    form = form_of(info)
    match form:
        case "switch":
            text = "on" if value else ""
        case "line":
            text = " ".join(map(str, value))
        case "lines":
            text = "\n".join(line_of(part) for part in value)
        case "pairs":
            return Field(info, form, "", tuple(value))
        case "menus":
            return Field(
                info, form, "", tuple((str(number), str(option)) for number, option in enumerate(value, start=1))
            )
        case _:
            text = "" if value is None and not info.choices else str(value)
    return Field(info, form, text)


def line_of(part: Any) -> str:
    """One line of a list: a text, numbers, or "name: number"."""
    if isinstance(part, tuple):
        if part and isinstance(part[0], str):
            return ": ".join(map(str, part))
        return " ".join(map(str, part))
    return str(part)


def typed(info: OptionInfo, form: Mapping[str, str]) -> Field:
    """The field of an option as typed, or with the printed rules' value if the form lacks it."""
    printed = field_of(info, info.default)
    name = printed.name
    match printed.form:
        case "switch":
            there = f"{name}.there" in form
            return Field(info, "switch", ("on" if form.get(name) == "on" else "") if there else printed.text)
        case "pairs":
            named = ((form.get(f"{name}.{key}.is", "").strip() or key, key, value) for key, value in printed.pairs)
            return Field(info, "pairs", "", tuple((own, form.get(f"{name}.{key}", value)) for own, key, value in named))
        case "menus":
            return Field(
                info, "menus", "", tuple((key, form.get(f"{name}.{key}", usual)) for key, usual in printed.pairs)
            )
    return Field(info, printed.form, form.get(name, printed.text)[: LONGEST + 1])


def sent(field: Field) -> dict[str, str]:
    """The field as a form sends it: name → text."""
    if field.form == "pairs":
        printed = [key for key, _value in field_of(field.info, field.info.default).pairs]
        named = zip(printed, field.pairs, strict=True)
        return {name: text for key, (own, value) in named for name, text in _pair(f"{field.name}.{key}", own, value)}
    if field.form == "menus":
        return {f"{field.name}.{key}": text for key, text in field.pairs}
    return {field.name: field.text, **({f"{field.name}.there": "1"} if field.form == "switch" else {})}


def _pair(name: str, own: str, value: str) -> tuple[tuple[str, str], ...]:
    return (f"{name}.is", own), (name, value)


def value_of(field: Field) -> Any:
    """The value of a field, ready for the codec; raises BadInput."""
    info, text = field.info, field.text.strip()
    if len(text) > LONGEST:
        raise BadInput(
            _("{label}: this is too long. Use at most {longest} characters.", label=info.label, longest=LONGEST)
        )
    match field.form:
        case "choices":
            return chosen(info, text)
        case "switch":
            return text == "on"
        case "number":
            return None if field.empty_allowed and not text else within(info, whole(info, text))
        case "line":
            return numbers(info, text)
        case "lines":
            part = get_args(bare(info.kind))[0]
            return [part_of(info, part, line.strip()) for line in text.splitlines() if line.strip()]
        case "pairs":
            return [list(pair) for pair in field.pairs]
        case "menus":
            return [chosen(info, text) for _number, text in field.pairs]
    return text


def chosen(info: OptionInfo, text: str) -> Any:
    """The value of the choice with this text; raises BadInput."""
    for choice in info.choices:
        if str(choice.value) == text:
            return msgspec.to_builtins(choice.value)
    raise BadInput(_("{label}: choose one of the values shown.", label=info.label))


def part_of(info: OptionInfo, part: Any, line: str) -> Any:
    """One line of a list as a value."""
    if part is str:
        return line
    if get_args(part)[0] is int:
        return numbers(info, line)
    name, colon, number = line.rpartition(":")
    if not colon:
        raise BadInput(_("{label}: write a name, a colon and a number on each line.", label=info.label))
    return [name.strip(), whole(info, number)]


def numbers(info: OptionInfo, text: str) -> list[int]:
    """Whole numbers, separated by spaces or commas; raises BadInput."""
    return [whole(info, part) for part in text.replace(",", " ").split()]


def whole(info: OptionInfo, text: str) -> int:
    """A whole number, maybe with a sign; raises BadInput."""
    number = whole_number(text, DIGITS)
    if number is None:
        raise BadInput(_("{label}: type a whole number.", label=info.label))
    return number


def whole_number(text: str, digits: int) -> int | None:
    """The whole number in a text, or None if it is none or has more than `digits` digits."""
    match = WHOLE.fullmatch(text.strip())
    if match is None or len(match["digits"]) > digits:
        return None
    return int(match["sign"].replace("−", "-") + match["digits"])


def within(info: OptionInfo, number: int) -> int:
    """`number`; raises BadInput when it is out of the option's range."""
    low, high = info.low, info.high
    if (low is not None and number < low) or (high is not None and number > high):
        raise BadInput(refused_range(info.label, low, high))
    return number


def refused_range(label: str, low: int | None, high: int | None) -> str:
    """The sentence for a number out of range."""
    if low is None:
        return _("{label}: type a whole number up to {high}.", label=label, high=high)
    if high is None:
        return _("{label}: type a whole number, {low} or more.", label=label, low=low)
    return _("{label}: type a whole number from {low} to {high}.", label=label, low=low, high=high)
