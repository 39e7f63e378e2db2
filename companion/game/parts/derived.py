"""Defaults of a part: `nothing`, or something that is made from the rules of the game.

`StateT` and `OptionsT` are a game's own frozen dataclasses, `EventT` is the union of those of its events.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

StateT = TypeVar("StateT")
EventT = TypeVar("EventT")
EventT_contra = TypeVar("EventT_contra", contravariant=True)
OptionsT = TypeVar("OptionsT")
PartT = TypeVar("PartT")


def nothing(*_arguments: object) -> None:
    """For a game in which there is none: no clock, no meaning of a button or a picture."""


@dataclass(frozen=True)
class Derived:
    """A default that `made` makes from the rules."""

    made: Callable[[Any], Any]


def derived(made: Callable[[Any], Any]) -> Any:
    """The default of a field that a game may leave out; typed as whatever the field is."""
    return Derived(made)


def completed(part: Any, rules: Any) -> dict[str, Any]:
    """The fields of a part that the game left out, made from its rules."""
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {name: value.made(rules) for name, value in values.items() if isinstance(value, Derived)}


def with_derived(part: PartT, rules: Any) -> PartT:
    """The part with every field that the game left out made from its rules."""
    complete: PartT = replace(part, **completed(part, rules))  # type: ignore[type-var]
    return complete
