"""The options of a game, and their texts on the set-up page."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_type_hints

from companion.words import N_, _


@dataclass(frozen=True)
class OptionChoice:
    """One value an option may take, and its label."""

    value: Any
    label: str


@dataclass(frozen=True)
class OptionInfo:
    """One option of a game, for the set-up page: `help` is one sentence, `rule` the id in the rule sheet."""

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
    examples: tuple[Any, ...]


def option(
    default: Any,
    label: str,
    help: str,
    rule: str,
    choices: tuple[OptionChoice, ...] = (),
    low: int | None = None,
    high: int | None = None,
    editor: str = "",
    examples: tuple[Any, ...] = (),
) -> Any:
    """A field of a game's `Options`, with its texts for the set-up page.

    choices     empty for yes or no, a number or a text; the field's type decides which
    low, high   smallest and largest number allowed; start() still checks for itself
    editor      name of a script that helps with typing, "" for none ("grid": cards of squares, one a line)
    examples    values that a person might type, where no choice lists them: `companion check-game` plays them
    """
    metadata = {"label": label, "help": help, "rule": rule, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata={**metadata, "editor": editor, "examples": examples})


def option_infos(options: type[Any]) -> tuple[OptionInfo, ...]:
    """The options of a game in the order of its `Options`, in the current language."""
    kinds = get_type_hints(options)
    return tuple(
        OptionInfo(
            field.name, None if field.default is MISSING else field.default, kinds[field.name], **_texts(field.metadata)
        )
        for field in fields(options)
    )


def _texts(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of an option with its texts in the current language."""
    choices = tuple(OptionChoice(choice.value, _(choice.label)) for choice in metadata["choices"])
    label, help_line = metadata["label"], metadata["help"]
    return {**metadata, "label": _(label), "help": _(help_line), "choices": choices}


@dataclass(frozen=True)
class Preset:
    """A named set of options, for the set-up page; the options that it leaves out have their defaults.

    locked      True: the options cannot be changed, and a referee decides what the rules leave open
    """

    name: str
    label: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    locked: bool = False


AS_PRINTED = Preset("printed", N_("As printed"), N_("Exactly as in the rulebook."))
