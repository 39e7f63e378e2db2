"""Whole games worked out by hand: one event a line, the score after it beside it."""

import pytest

from companion.game.players import Viewer
from companion.journal import codec
from companion.shelf import GAMES
from tests.played import FILES, read

EVERY_FILE = pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])


@EVERY_FILE
def test_playthrough(path):
    played = read(path)
    game = GAMES[played.game]
    state = game.rules.start(codec.options_from_json(game, played.options), played.players)
    for step in played.steps:
        state = game.rules.apply(state, codec.event_from_json(game, step.event))
        assert game.rules.score(state) == step.score, f"line {step.line} of {path.name}"
    if played.winners is not None:
        assert game.rules.winners(state) == played.winners


@EVERY_FILE
def test_each_event_has_a_sentence_at_every_moment(path):
    """The history tells events that were taken back or struck, too, in states that they never fitted."""
    played = read(path)
    game = GAMES[played.game]
    events = [codec.event_from_json(game, step.event) for step in played.steps]
    states = [game.rules.start(codec.options_from_json(game, played.options), played.players)]
    for event in events:
        states.append(game.rules.apply(states[-1], event))
    viewer = Viewer(None, {player: player for player in played.players})
    for state in states:
        for event in events:
            assert game.pages.describe(state, event, viewer)


def test_every_game_has_five():
    for name in GAMES:
        assert sum(path.parent.name == name for path in FILES) >= 5, name
