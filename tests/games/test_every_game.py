"""What holds for every registered game, without knowing any of them."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion import codec
from companion.contract import Ask, Viewer, option_infos
from companion.errors import BadInput, IllegalEvent
from companion.games import GAMES

EVERY = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
QUICK = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def events_of(game, state, player):
    """Legal events, with a number in the place of each question."""
    for event in game.legal(state, player):
        if isinstance(event, Ask):
            data = {"kind": event.kind, event.field: event.low}
            event = codec.event_from_json(game, data)
            try:
                game.apply(state, event)
            except IllegalEvent:
                continue  # the lowest number may be taken; an Ask promises a range, not each number
        yield event


def players_of(game, data):
    fewest, most = game.seats
    return tuple("ABCDEFGH"[: data.draw(st.integers(fewest, min(most, 4)))])


def walk(game, data, steps):
    """A random game: every event that was legal, with the state before it."""
    players = players_of(game, data)
    state = game.start(game.options(), players)
    for _ in range(steps):
        choices = [event for player in players for event in events_of(game, state, player)]
        if not choices:
            return
        event = data.draw(st.sampled_from(choices))
        yield state, event
        state = game.apply(state, event)


@EVERY
@QUICK
@given(data=st.data())
def test_what_is_legal_is_accepted_and_goes_through_json(game, data):
    for state, event in walk(game, data, 12):
        assert codec.event_from_json(game, json.loads(json.dumps(codec.event_to_json(event)))) == event
        after = game.apply(state, event)
        assert set(game.score(after)) == set(after.players)


@EVERY
@QUICK
@given(data=st.data())
def test_replay_gives_the_same_state_and_the_rules_change_nothing_in_place(game, data):
    path = list(walk(game, data, 12))
    if not path:
        return
    replayed = path[0][0]
    for state, event in path:
        assert state == replayed
        replayed = game.apply(replayed, event)


@EVERY
@QUICK
@given(data=st.data())
def test_every_state_can_be_seen_told_and_lit(game, data):
    for state, event in walk(game, data, 12):
        names = {player: f"Player {player}" for player in state.players}
        for player in (None, *state.players):
            assert game.view(state, Viewer(player, names))
        assert game.describe(state, event, Viewer(None, names)).endswith(".")
        assert len(game.look(state, 0).lights) == len(state.players)
        for player in state.players:
            assert sum(points for _, points, _ in game.explain(state, player)) == game.score(state)[player]


@EVERY
@QUICK
@given(
    data=st.data(), draft=st.dictionaries(st.sampled_from(["first", "box", "gift", "coal", "alter1", "x"]), st.text())
)
def test_a_draft_of_nonsense_never_breaks_a_page(game, data, draft):
    for state, _event in walk(game, data, 3):
        assert game.view(state, Viewer(state.players[0], {}, draft))


@EVERY
def test_random_play_ends_and_somebody_wins(game):
    import random

    chance = random.Random(7)
    players = tuple("AB")
    state = game.start(game.options(), players)
    for _ in range(3000):
        if game.is_over(state):
            break
        choices = [event for player in players for event in events_of(game, state, player)]
        kinds = sorted({type(event).__name__ for event in choices})
        kind = chance.choice(kinds)
        state = game.apply(state, chance.choice([event for event in choices if type(event).__name__ == kind]))
    assert game.is_over(state)
    assert game.winners(state)


@EVERY
def test_every_option_says_what_it_does(game):
    for info in option_infos(game.options):
        assert info.label
        assert info.help.endswith(".")
        assert "-" in info.rule
        assert codec.options_from_json(game, codec.options_to_json(game.options())) == game.options()


@EVERY
@pytest.mark.parametrize("data", [None, [], "Rolled", {}, {"kind": 3}, {"kind": "Hacked"}])
def test_an_event_that_is_none_is_refused_with_a_sentence(game, data):
    with pytest.raises(BadInput, match=r": "):
        codec.event_from_json(game, data)


@EVERY
def test_unknown_missing_and_wrong_fields_are_refused(game):
    for kind in game.events:
        with pytest.raises(BadInput, match="no field"):
            codec.event_from_json(game, {"kind": kind.__name__, "surprise": 1})
    with pytest.raises(BadInput):
        codec.options_from_json(game, {"surprise": 1})
