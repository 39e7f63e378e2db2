"""Reads playthroughs: events line by line, with the score worked out by hand beside each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "playthroughs"
FILES = tuple(sorted(FOLDER.glob("*/*.txt")))


@dataclass(frozen=True)
class Step:
    """One event as JSON, the score after it, and its line in the file."""

    event: dict[str, Any]
    score: dict[str, int]
    line: int


@dataclass(frozen=True)
class Playthrough:
    """One game worked out by hand; `winners` is None where the file does not play to the end."""

    game: str
    options: dict[str, Any]
    players: tuple[str, ...]
    steps: tuple[Step, ...]
    winners: tuple[str, ...] | None


def read(path: Path) -> Playthrough:
    """The playthrough in a file; its folder names the game."""
    options: dict[str, Any] = {}
    players: tuple[str, ...] = ()
    winners: tuple[str, ...] | None = None
    steps = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.split("#")[0].strip()
        first, _, rest = text.partition(" ")
        if first == "options":
            options = yaml.safe_load(rest)
        elif first == "players":
            players = tuple(rest.split())
        elif first == "winners":
            winners = tuple(rest.split())
        elif text:
            event, _, score = rest.partition("|")
            words = score.split()
            points = dict(zip(words[::2], map(int, words[1::2]), strict=True))
            steps.append(Step({"kind": first, **yaml.safe_load(event)}, points, number))
    return Playthrough(path.parent.name, options, players, tuple(steps), winners)


def named(event: Any, players: dict[str, str]) -> Any:
    """The event with other ids for its players, also before a hyphen, as in the die "A-6n"."""
    match event:
        case dict():
            return {key: named(value, players) for key, value in event.items()}
        case list():
            return [named(value, players) for value in event]
        case str():
            player, hyphen, rest = event.partition("-")
            return players.get(player, player) + hyphen + rest
    return event
