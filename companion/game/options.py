"""The switches of a game, and what the set-up page says about them."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_type_hints

from companion.words import N_, _


@dataclass(frozen=True)
class OptionChoice:
    """One value an option may take, and what to call it."""

    value: Any
    label: str


@dataclass(frozen=True)
class OptionInfo:
    """One switch of a game, for the set-up page: `help` is one sentence, `rule` the id in the rule sheet."""

    name: str
    default: Any
    kind: Any
    label: str
    help: str
    rule: str
    choices: tuple[OptionChoice, ...]
    low: int | None
    high: int | None
    editor: str


def option(
    default: Any,
    label: str,
    help: str,
    rule: str,
    choices: tuple[OptionChoice, ...] = (),
    low: int | None = None,
    high: int | None = None,
    editor: str = "",
) -> Any:
    """A field of a game's `Options`, with what the set-up page says about it.

    choices     empty for a switch between yes and no, a number or a text; the field's type decides
    low, high   smallest and largest number allowed, where it is one; start() still checks for itself
    editor      name of a script that makes typing easier, "" for none ("grid": cards of squares, one a line)
    """
    metadata = {"label": label, "help": help, "rule": rule, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata={**metadata, "editor": editor})


def option_infos(options: type[Any]) -> tuple[OptionInfo, ...]:
    """The switches of a game in the order of its `Options`, in the current language."""
    kinds = get_type_hints(options)
    return tuple(
        OptionInfo(f.name, None if f.default is MISSING else f.default, kinds[f.name], **told(f.metadata))
        for f in fields(options)
    )


def told(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The set-up page's text about an option, in the current language."""
    choices = tuple(OptionChoice(choice.value, _(choice.label)) for choice in metadata["choices"])
    label, help_line = metadata["label"], metadata["help"]
    return {**metadata, "label": _(label), "help": _(help_line), "choices": choices}


@dataclass(frozen=True)
class Preset:
    """A set of switches with a name, for the set-up page: every option it does not name has its default.

    locked      the options stay as they are, a referee decides what the rules leave open
    """

    name: str
    label: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    locked: bool = False


AS_PRINTED = Preset("printed", N_("As printed"), N_("Every switch as in the rulebook."))
