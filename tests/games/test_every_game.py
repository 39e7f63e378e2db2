"""What holds for every registered game, without knowing any of them."""

import contextlib
import json
from dataclasses import fields, is_dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput, IllegalEvent
from companion.game import readings
from companion.game.events import Ask
from companion.game.options import option_infos
from companion.game.players import Viewer
from companion.game.seeing import Proposed, Remark
from companion.game.widgets import NumberEntry, Tap, TextEntry, after_taps
from companion.journal import codec
from companion.shelf import GAMES
from tests.recipes.ten_steps import GAME as TEN_STEPS

# with a game that has nothing but its rules
EVERY = pytest.mark.parametrize("game", [*GAMES.values(), TEN_STEPS], ids=(*GAMES, TEN_STEPS.rules.name))


A_DIE = readings.DieReading(5, 9, 9, 9, 9, 0, "red", 0.99, True, ((5, 0.99),))
A_SQUARE = readings.SquareReading(True, "red", True)
READINGS = (
    readings.DiceReading(640, 480, (A_DIE, A_DIE)),
    readings.StacksReading(640, 480, (readings.StackReading(A_DIE, 2, True, (0.0, 1.0), 1.0, 1.0),)),
    readings.BoardReading(640, 480, ((readings.CellReading("white", 1, 0.99, True),),)),
    readings.LoadReading(640, 480, {1: 1, 9: 2}, 0.99, True, (readings.TruckReading(((A_SQUARE,),)),) * 3),
    readings.CardReading(640, 480, 7, "7", 0.99, True),
    readings.TowerReading(
        640, 480, tuple(readings.SpaceReading(1 + n, status, 0.99, True) for n, status in enumerate(readings.Status))
    ),
)


def events_of(game, state, player):
    """Legal events, with a number in the place of each question."""
    for event in game.rules.legal(state, player):
        if isinstance(event, Ask):
            data = {"kind": event.kind, event.field: event.low}
            event = codec.event_from_json(game, data)
            try:
                game.rules.apply(state, event)
            except IllegalEvent:
                continue  # the lowest number may be taken; an Ask promises a range, not each number
        yield event


def players_of(game, data):
    fewest, most = game.rules.seats
    return tuple("ABCDEFGH"[: data.draw(st.integers(fewest, min(most, 4)))])


def walk(game, data, steps):
    """A random game: every event that was legal, with the state before it."""
    players = players_of(game, data)
    state = game.rules.start(game.rules.options(), players)
    for _ in range(steps):
        choices = [event for player in players for event in events_of(game, state, player)]
        if not choices:
            return
        event = data.draw(st.sampled_from(choices))
        yield state, event
        state = game.rules.apply(state, event)


@EVERY
@given(data=st.data())
def test_what_is_legal_is_accepted_and_goes_through_json(game, data):
    for state, event in walk(game, data, 12):
        assert codec.event_from_json(game, json.loads(json.dumps(codec.event_to_json(event)))) == event
        after = game.rules.apply(state, event)
        assert set(game.rules.score(after)) == set(after.players)


@EVERY
@given(data=st.data())
def test_replay_gives_the_same_state_and_the_rules_change_nothing_in_place(game, data):
    path = list(walk(game, data, 12))
    if not path:
        return
    replayed = path[0][0]
    for state, event in path:
        assert state == replayed
        replayed = game.rules.apply(replayed, event)


@EVERY
@given(data=st.data())
def test_every_state_can_be_seen_told_and_lit(game, data):
    for state, event in walk(game, data, 12):
        names = {player: f"Player {player}" for player in state.players}
        for player in (None, *state.players):
            assert game.pages.view(state, Viewer(player, names))
        assert game.pages.describe(state, event, Viewer(None, names)).endswith(".")
        assert len(game.box.look(state, 0).lights) == len(state.players)
        for player in state.players:
            assert sum(points for _, points, _ in game.rules.explain(state, player)) == game.rules.score(state)[player]


def parts(value):
    """Everything that a widget is made of, itself included."""
    yield value
    if isinstance(value, tuple):
        for part in value:
            yield from parts(part)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from parts(getattr(value, each.name))


def on_page(game, state, viewer):
    """What can be tapped or typed on a page: the taps that change the draft, then the events."""
    drafts, events = [], []
    for part in parts(game.pages.view(state, viewer)):
        match part:
            case Tap(refused="", event=None):
                drafts.append(part)
            case Tap(refused="", event=event):
                events.append(event)
            case NumberEntry(event=event, field=field, low=low, high=high):
                events += [replace(event, **{field: number}) for number in (low, high)]
            case TextEntry(event=event, field=field):
                events.append(replace(event, **{field: "A text"}))
    return drafts, events


@EVERY
@given(data=st.data())
def test_every_tap_of_every_page_does_what_it_says(game, data):
    """Pages offer only what the rules accept; what depends on the moment of the tap may come too early or too late."""
    players = players_of(game, data)
    names = {player: f"Player {player}" for player in players}
    state, draft, now_us = game.rules.start(game.rules.options(), players), {}, 0
    for _ in range(40):
        player = data.draw(st.sampled_from((None, *players)))
        drafts, events = on_page(game, state, Viewer(player, names, draft))
        if events and data.draw(st.booleans()):
            event = data.draw(st.sampled_from(events))
            now_us += 10_000_000
            timed = hasattr(event, "at_us")
            if timed:
                event = replace(event, at_us=now_us)
            if timed or isinstance(event, tuple(typed_events(game, state, player, names, draft))):
                with contextlib.suppress(IllegalEvent):
                    state, draft = game.rules.apply(state, event), {}
            else:
                state, draft = game.rules.apply(state, event), {}
        elif drafts:
            draft = after_taps(draft, *data.draw(st.lists(st.sampled_from(drafts), min_size=1, max_size=3)))
            assert len(draft) <= 64
            assert all(len(name) + len(value) <= 400 for name, value in draft.items())


def typed_events(game, state, player, names, draft):
    """Kinds of event whose number or text is typed: a range is promised there, not each number in it."""
    for part in parts(game.pages.view(state, Viewer(player, names, draft))):
        if isinstance(part, NumberEntry | TextEntry):
            yield type(part.event)


@EVERY
@given(data=st.data())
def test_whatever_a_camera_read_for_another_game_means_something_or_nothing(game, data):
    assert {type(reading) for reading in READINGS} == set(readings.KINDS)
    for state, event in walk(game, data, 12):
        for reading in READINGS:
            for meant in (
                game.sight.propose(state, reading),
                game.sight.glanced(state, None, reading, 10**9),
                game.sight.glanced(state, event, reading, 10**9),
            ):
                assert meant is None or isinstance(meant, Proposed | Remark)


@EVERY
@given(data=st.data())
def test_a_draft_of_nonsense_never_breaks_a_page(game, data):
    """Every field that any page of the game keeps, with values of other fields, of other pages, and of nobody."""
    known = {}
    for state, _event in walk(game, data, 4):
        for player in (None, *state.players):
            for tap in on_page(game, state, Viewer(player, {}, known))[0]:
                known |= after_taps({}, tap)
    values = st.text(max_size=60) | st.sampled_from(sorted({*known.values(), "", "-1", "0", "1e9", "r99c99", "None"}))
    draft = data.draw(st.dictionaries(st.sampled_from(sorted({*known, "x"})), values))
    for state, _event in walk(game, data, 4):
        for player in (None, *state.players):
            assert game.pages.view(state, Viewer(player, {}, draft))
            for advice in game.pages.advice:
                assert isinstance(advice.answer(state, Viewer(player, {}, draft)), tuple)


SEATS = {
    "sack_stackers": (1, 100),
    "stack_dice": (2, 8),
    "sandpile_panic": (2, 8),
    "pack_and_stack": (3, 6),
    "speedstax": (2, 4),
    "samestax": (2, 4),
    "swapstax": (2, 4),
    "score_pad": (1, 12),
    "dice_tray": (1, 12),
    "turn_clock": (1, 8),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_for_as_many_as_its_sheet_says(name):  # SS-01, ST-02, SP-01, PS-01, MX-01, TC-01, TR-01
    rules, (fewest, most) = GAMES[name].rules, SEATS[name]
    players = tuple(f"player-{number}" for number in range(most + 1))
    for wrong in ((), players[: fewest - 1], players):
        with pytest.raises(IllegalEvent, match=f"{fewest} to {most}"):
            rules.start(rules.options(), wrong)
    for count in range(fewest, most + 1):
        assert rules.start(rules.options(), players[:count]).players == players[:count]


@EVERY
def test_random_play_ends_and_somebody_wins(game):
    import random

    chance = random.Random(7)
    players = tuple("ABCDEFGH"[: max(2, game.rules.seats[0])])
    state = game.rules.start(game.rules.options(), players)
    for _ in range(3000):
        if game.rules.is_over(state):
            break
        choices = [event for player in players for event in events_of(game, state, player)]
        kinds = sorted({type(event).__name__ for event in choices})
        kind = chance.choice(kinds)
        state = game.rules.apply(state, chance.choice([event for event in choices if type(event).__name__ == kind]))
    assert game.rules.is_over(state)
    assert game.rules.winners(state)


@EVERY
def test_every_option_says_what_it_does(game):
    for info in option_infos(game.rules.options):
        assert info.label
        assert info.help.endswith(".")
        assert "-" in info.rule
        assert codec.options_from_json(game, codec.options_to_json(game.rules.options())) == game.rules.options()


@EVERY
@pytest.mark.parametrize("data", [None, [], "Rolled", {}, {"kind": 3}, {"kind": "Hacked"}])
def test_an_event_that_is_none_is_refused_with_a_sentence(game, data):
    with pytest.raises(BadInput, match=r"[:.] \w"):
        codec.event_from_json(game, data)


@EVERY
def test_unknown_missing_and_wrong_fields_are_refused(game):
    for kind in game.rules.events:
        with pytest.raises(BadInput, match="no field"):
            codec.event_from_json(game, {"kind": kind.__name__, "surprise": 1})
    with pytest.raises(BadInput):
        codec.options_from_json(game, {"surprise": 1})


@EVERY
@given(data=st.data())
def test_a_correction_begins_with_a_draft_that_its_page_can_show(game, data):
    for state, event in walk(game, data, 12):
        draft = game.pages.drafted(state, event)
        assert all(isinstance(part, str) and len(part) <= 200 for pair in draft.items() for part in pair)
        player = getattr(event, "player", None)
        assert game.pages.view(state, Viewer(player, {}, draft))
