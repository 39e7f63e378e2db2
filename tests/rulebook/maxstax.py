"""Worked cases of the three MaxStax games."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from companion.equipment import deck
from companion.errors import IllegalEvent
from companion.games.maxstax import timer
from companion.games.maxstax.events import Judged, Readied, RoundClosed, Shouted, Started, TimeRanOut
from companion.games.maxstax.timer import COUNTDOWN_US, Round
from companion.games.samestax import rules as same
from companion.games.speedstax import rules as speed
from companion.games.swapstax import rules as swap
from companion.games.swapstax.state import (
    Drew,
    Passed,
    ShufflerNamed,
    State,
    SwappedWithDeck,
    SwappedWithPlayer,
    swapping,
)
from tests.rulebook.cases import Case, Kinds, listed, only_keys, options_of


def speed_round(case: Case) -> dict[str, Any]:
    players = tuple(case["times"])
    if len(players) != case["players"]:
        raise ValueError("the times do not fit the number of players")
    state = speed.start(options_of(case, "speedstax"), players)
    for player in players:
        state = speed.apply(state, Readied(player))
    state = speed.apply(state, Started(0))
    for player, seconds in case["times"].items():
        if seconds is None:
            continue
        try:
            state = speed.apply(state, Shouted(player, COUNTDOWN_US + round(seconds * 1_000_000)))
        except IllegalEvent:
            continue  # It is too late: the stack stays incomplete.
    return {"points": speed.score(state)}


def finished(current: Round, done: Iterable[str]) -> list[Any]:
    """What happens when the builders of a round get ready and those of `done` complete their stacks."""
    done = list(done)
    if unknown := set(done) - set(current.builders):
        raise ValueError(f"{sorted(unknown)} do not build in this round")
    go_us = 10 * timer.STACKING_US  # It is long after everything before.
    end = go_us + COUNTDOWN_US + (current.limit_us or 0)
    started: list[Any] = [*(Readied(player) for player in current.builders), Started(go_us)]
    if current.shout_required:
        shouts = [Shouted(player, go_us + COUNTDOWN_US + number) for number, player in enumerate(done, start=1)]
        return [*started, *shouts, *([] if len(done) == len(current.builders) else [TimeRanOut(end)])]
    return [*started, TimeRanOut(end), *(Judged(player, player in done) for player in current.builders)]


def same_round(case: Case) -> dict[str, Any]:
    players = tuple(case["players"])
    state = same.start(options_of(case, "samestax"), players)
    state = same.apply(state, same.CreatorChosen(case["creator"]))
    state = same.apply(state, Started(0))
    state = same.apply(state, Shouted(case["creator"], COUNTDOWN_US + 1))
    assert state.current
    assert state.current.replication
    for event in finished(state.current.replication, listed(case["success"])):
        state = same.apply(state, event)
    if not case["creator_stack_stood"]:
        state = same.apply(state, same.CreatorStackFell(case["creator"]))
    return {"points": same.score(same.apply(state, RoundClosed()))}


def swap_round(case: Case) -> dict[str, Any]:
    """The stars are those of the case, so the cards are drawn from a deck that is not ours.

    A round asks for no more cards than it draws: how many a game needs (MX-06) is another question.
    """
    options = options_of(case, "swapstax", deck="bought")
    deck.check_subset(options.deck_subset, 0, "A round")
    options = replace(options, deck_subset=())
    players = tuple(case["stars"])
    state = swap.apply(swap.start(options, players), ShufflerNamed(players[0]))
    for player, stars in case["stars"].items():
        state = swap.apply(state, Drew(player, stars=stars))
    for exchange in listed(case.get("swaps")):
        state = swapped(state, exchange)
    while (asked := swapping(state)) is not None:
        state = swap.apply(state, Passed(asked))
    for event in finished(state.current, listed(case["completed"])):
        state = swap.apply(state, event)
    return {
        "stars_after": {player: state.hands[player].stars for player in players},
        "swaps_left": dict(state.swaps_left),
        "points": swap.score(state),
    }


def swapped(state: State, exchange: Case) -> State:
    """The swap, after the players whose turn it was before have passed (SWP-13)."""
    only_keys(exchange, {"by", "with", "top_card_stars"})
    player, other = exchange["by"], exchange["with"]
    while state.swaps_left.get(player) and (asked := swapping(state)) not in (player, None):
        state = swap.apply(state, Passed(asked))
    if other == "deck":
        return swap.apply(state, SwappedWithDeck(player, stars=exchange["top_card_stars"]))
    if exchange.get("top_card_stars") is not None:
        raise ValueError("only a swap with the deck has a top card")
    return swap.apply(state, SwappedWithPlayer(player, other))


KINDS: Kinds = {
    "speed_round": ({"players", "times"}, speed_round),
    "same_round": ({"players", "creator", "success", "creator_stack_stood"}, same_round),
    "swap_round": ({"stars", "swaps", "completed"}, swap_round),
}
