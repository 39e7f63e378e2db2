"""What all kinds of worked cases share: how a case is read, and when an answer is the expected one."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from companion.errors import BadInput
from companion.journal import codec
from companion.shelf import GAMES
from tests.rulebook import switches

Case = Mapping[str, Any]
Answer = Callable[[Case], Mapping[str, Any]]
Kinds = Mapping[str, tuple[set[str], Answer]]  # kind → (the keys it is given, what the rules answer)

NOTHING: tuple[Any, ...] = (None, "", [], 0)  # what a player or a colour has that is not named


class AnyOrder(list[Any]):
    """An answer whose order does not matter; one of them may stand without a list, none of them as nothing."""


class Letters(AnyOrder):
    """Pieces whose order does not matter, written as one word or as a list."""


def plain(value: Any) -> Any:
    """`value` with None for `none`, which is nobody or nothing wherever it stands."""
    if value == "none":
        return None
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


def listed(value: Any) -> list[Any]:
    """A list as it stands; nothing is an empty one, a single member stands for a list of one."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def numbered(value: Any) -> dict[int, Any]:
    """A mapping whose keys are numbers, also where they are quoted; raises ValueError for others."""
    found = {int(key): part for key, part in (value or {}).items()}
    if len(found) < len(value or {}):
        raise ValueError(f"a number stands twice in {value}")
    return found


def only_keys(data: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raises ValueError for what is no mapping, or has a key that the format does not know."""
    if not isinstance(data, dict):
        raise ValueError(f"{data!r} has no keys")
    if unknown := set(data) - set(known):
        raise ValueError(f"unknown keys {sorted(map(str, unknown))}")


# options


def options_of(case: Case, game: str, **default: Any) -> Any:
    """The options of a case; raises ValueError or BadInput for one that the game does not know."""
    given = case.get("options")
    given = {} if given in (None, "none") else given
    if not isinstance(given, dict):
        raise ValueError("the options are no mapping")
    chosen = dict(default)
    for name, value in given.items():
        if value in (None, "none"):
            chosen[name] = nothing_as(game, name, value)
        else:
            chosen |= switches.read(name, value)
    return codec.options_from_json(GAMES[game], chosen)


def nothing_as(game: str, name: str, value: str | None) -> Any:
    """How an option says `none`: with a value of that name, by being empty, or by a list of nothing."""
    candidates: tuple[Any, ...] = (value, None, "none", [])
    for candidate in candidates:
        try:
            codec.options_from_json(GAMES[game], {name: candidate})
        except BadInput:
            continue
        return candidate
    return value  # an unknown option, or one that cannot be nothing: refused with all the others


# comparing


def matches(got: Any, wanted: Any) -> bool:
    """Whether the rules' answer is the expected one.

    All examples of the sheets with points by player or colour name everybody, so who is not named has nothing.
    """
    wanted = plain(wanted)
    if isinstance(got, AnyOrder):
        members = list(wanted) if isinstance(got, Letters) and isinstance(wanted, str) else listed(wanted)
        return sorted(map(written, got)) == sorted(map(written, members))
    if isinstance(got, list):
        members = listed(wanted)
        return len(got) == len(members) and all(map(matches, got, members))
    if isinstance(got, Mapping):
        if not isinstance(wanted, dict | None):
            return False
        sides = by_name(got), by_name(wanted or {})
        both = sides[0].keys() & sides[1].keys()
        rest = [side[name] for side in sides for name in side.keys() - both]
        return all(matches(sides[0][name], sides[1][name]) for name in both) and all(map(is_nothing, rest))
    return written(got) == written(wanted)


def by_name(values: Mapping[Any, Any]) -> dict[str, Any]:
    """The same with every key as a string: `1` and `"1"` are one key."""
    return {str(key): part for key, part in values.items()}


def is_nothing(value: Any) -> bool:
    """Whether a value says no more than that it is not there; False is an answer."""
    return not isinstance(value, bool) and value in NOTHING


def written(value: Any) -> str:
    """A value as text that is the same for equal values: keys in any order, 2.0 as 2, yet true is not 1."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{key}: {written(part)}' for key, part in value.items()))}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return repr(str(value) if isinstance(value, str) else value)
