"""Whole games worked out by hand: one event a line, the score after it beside it."""

from pathlib import Path

import pytest
import yaml

from companion import codec
from companion.games import GAMES

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted(FOLDER.glob("*/*.txt"))


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_playthrough(path):
    game = GAMES[path.parent.name]
    state, options = None, game.options()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.split("#")[0].strip()
        first, _, rest = text.partition(" ")
        if first == "options":
            options = codec.options_from_json(game, yaml.safe_load(rest))
        elif first == "players":
            state = game.start(options, tuple(rest.split()))
        elif first == "winners":
            assert game.winners(state) == tuple(rest.split())
        elif text:
            event, _, score = rest.partition("|")
            state = game.apply(state, codec.event_from_json(game, {"kind": first, **yaml.safe_load(event)}))
            words = score.split()
            expected = dict(zip(words[::2], map(int, words[1::2]), strict=True))
            assert game.score(state) == expected, f"line {number}: {line}"


def test_every_game_has_five():
    for name in GAMES:
        assert sum(path.parent.name == name for path in FILES) >= 5, name
