"""What all kinds of worked cases share."""

from collections.abc import Callable, Mapping
from typing import Any

from companion import codec
from companion.games import GAMES

Case = Mapping[str, Any]
Answer = Callable[[Case], Mapping[str, Any]]
Kinds = Mapping[str, tuple[set[str], Answer]]  # kind → (the keys it is given, what the rules answer)


def plain(value: Any) -> Any:
    """`none` is nobody or nothing; lists of uses are compared whatever their order."""
    if value == "none":
        return None
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return sorted((plain(part) for part in value), key=repr)
    return value


def options_of(case: Case, game: str) -> Any:
    """The options of a case; raises BadInput for one that the game does not know."""
    return codec.options_from_json(GAMES[game], case.get("options", {}))


def only_keys(data: Mapping[str, Any], known: set[str]) -> None:
    """Raises ValueError for a key that the format does not know."""
    if set(data) - known:
        raise ValueError(f"unknown keys {sorted(set(data) - known)}")
