"""Whole games worked out by hand: one event a line, the score after it beside it."""

import pytest

from companion import codec
from companion.games import GAMES
from tests.played import FILES, read


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_playthrough(path):
    played = read(path)
    game = GAMES[played.game]
    state = game.start(codec.options_from_json(game, played.options), played.players)
    for step in played.steps:
        state = game.apply(state, codec.event_from_json(game, step.event))
        assert game.score(state) == step.score, f"line {step.line} of {path.name}"
    if played.winners is not None:
        assert game.winners(state) == played.winners


def test_every_game_has_five():
    for name in GAMES:
        assert sum(path.parent.name == name for path in FILES) >= 5, name
