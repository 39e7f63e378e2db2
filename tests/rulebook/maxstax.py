"""Worked cases of the three MaxStax games."""

from typing import Any

from companion.errors import IllegalEvent
from companion.games.speedstax import rules as speed
from tests.rulebook.cases import Case, Kinds, options_of, plain


def speed_round(case: Case) -> dict[str, Any]:
    players = tuple(case["times"])
    if len(players) != case["players"]:
        raise ValueError("the times do not fit the number of players")
    state = speed.start(options_of(case, "speedstax"), players)
    for player in players:
        state = speed.apply(state, speed.Readied(player))
    state = speed.apply(state, speed.Started(0))
    for player, seconds in case["times"].items():
        if plain(seconds) is None:
            continue
        try:
            state = speed.apply(state, speed.Shouted(player, speed.COUNTDOWN_US + round(seconds * 1_000_000)))
        except IllegalEvent:
            continue  # too late: an incomplete stack
    return {"points": speed.score(state)}


KINDS: Kinds = {"speed_round": ({"players", "times"}, speed_round)}
