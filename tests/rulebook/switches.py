"""Options as the sheets' table of switches writes them, turned into what the games take."""

from collections.abc import Callable
from typing import Any

from companion.games.pack_and_stack.options import BOX_COLOURS, DICE_FACES
from companion.games.sack_stackers.groups import TYPES
from companion.games.sack_stackers.options import WRAPPINGS

WITHOUT_LIMIT = ("unlimited", "no limit")
WHOLE_DECK = ("all", "all 45", "all cards", "all 45 cards")
BLANK = (None, "none", "blank")


def read(name: str, value: Any) -> dict[str, Any]:
    """The options that an option of a case stands for: itself, in the game's own form."""
    if name == "truck_deck" and isinstance(value, list):
        return {"truck_deck": "own", "own_trucks": [truck(card) for card in value]}
    reader = READERS.get(name)
    return {name: reader(value) if reader else value}


def limit(value: Any) -> Any:
    """A number, or None for no limit."""
    return None if value in WITHOUT_LIMIT else value


def part_of_deck(value: Any) -> Any:
    """The cards in play; an empty list are all of them (MX-06)."""
    return [] if value in WHOLE_DECK else value


def pattern_map(value: Any) -> Any:
    """SS-03: wrapping → shape, shape → wrapping, pairs, or shapes in the order of the sheet's wrappings."""
    if isinstance(value, dict):
        pairs = [[key, part] for key, part in value.items()]
    elif all(isinstance(each, str) for each in value):
        pairs = [[wrapping, shape] for (wrapping, _), shape in zip(WRAPPINGS, value, strict=True)]
    else:
        pairs = value
    if all(key in TYPES for key, _ in pairs):
        pairs = [[part, key] for key, part in pairs]
    named = {shape for _, shape in pairs}
    return [*pairs, *([f"wrapping of {shape}", shape] for shape in TYPES if shape not in named)]


def dice_faces(value: Any) -> Any:
    """PS-05: five lists, or size → faces; a blank is 0."""
    return [[0 if face in BLANK else face for face in die] for die in by_size(value, DICE_FACES)]


def by_size(value: Any, otherwise: tuple[Any, ...]) -> list[Any]:
    """A list for the five sizes, or what is named of it by size, the rest as printed."""
    if not isinstance(value, dict):
        return list(value)
    named = {int(size): part for size, part in value.items()}
    if len(named) < len(value) or not set(named) <= set(range(1, len(otherwise) + 1)):
        raise ValueError(f"the sizes are 1 to {len(otherwise)}, each once: {value}")
    return [named.get(size, part) for size, part in enumerate(otherwise, start=1)]


def star_points(value: Any) -> Any:
    """SWP-40: points for one star, two stars and so on, or stars → points; stars not named count one each."""
    if not isinstance(value, dict):
        return value
    named = {int(stars): points for stars, points in value.items()}
    if len(named) < len(value):
        raise ValueError(f"a number of stars stands twice: {value}")
    return [named.get(stars, stars) for stars in range(1, min(max(named, default=0), 100) + 1)]


def penalties(value: Any) -> Any:
    """ST-85: pairs, mappings with a name and points, or name → points."""
    if isinstance(value, dict):
        return [[name, points] for name, points in value.items()]
    return [penalty(each) for each in value]


def penalty(each: Any) -> Any:
    """One penalty as a pair."""
    if not isinstance(each, dict):
        return each
    if set(each) != {"name", "points"}:
        raise ValueError(f"a penalty has a name and points, not {sorted(map(str, each))}")
    return [each["name"], each["points"]]


def truck(card: Any) -> Any:
    """PS-04: a card such as "2 ###/##.", or its footprint and height."""
    if not isinstance(card, dict):
        return card
    if set(card) != {"footprint", "height"}:
        raise ValueError(f"a truck has a footprint and a height, not {sorted(map(str, card))}")
    return f"{card['height']} {'/'.join(card['footprint'])}"


READERS: dict[str, Callable[[Any], Any]] = {
    "piece_supply": limit,
    "stack_off_limit": limit,
    "deck_subset": part_of_deck,
    "pattern_map": pattern_map,
    "dice_faces": dice_faces,
    "box_colours": lambda value: by_size(value, BOX_COLOURS),
    "star_points": star_points,
    "custom_penalties": penalties,
}
