"""What cameras ask and say, in every game: whole sentences without the number of a rule."""

import re

import pytest

from companion.errors import IllegalEvent
from companion.game.parts.sight import Sight
from companion.game.players import Viewer
from companion.game.readings import (
    Box,
    CardReading,
    DiceReading,
    DieReading,
    LoadReading,
    MatchReading,
    SpaceReading,
    Status,
    TowerReading,
)
from companion.game.seeing import Proposed, Remark
from companion.journal import codec
from companion.shelf import GAMES
from tests.games import test_sandpile_camera as sandpile
from tests.games import test_stack_dice_camera as stack
from tests.games.test_rules_coverage import ID
from tests.played import FILES, read

NOW_US, SOON_US = 10**10, 100_000
# in the other games what their own cameras see is an event, a question or nothing
WITH_REMARKS = ("sack_stackers", "stack_dice", "sandpile_panic", "pack_and_stack", "swapstax", "score_pad", "dice_tray")
OTHER = "The block at the top is another one."


def dice(*values, doubtful=False):
    found = tuple(
        DieReading(value, 50, 50, 40, 40, 0, "white", 0.6 if doubtful else 0.99, not doubtful, ((value, 0.9),))
        for value in values
    )
    return DiceReading(640, 480, found, (Box(9, 9, 40, 40),) if doubtful else ())


def towers(count):
    """Each status in every space, and stacks that stand and match, differ, or cannot be judged."""
    matches = (
        MatchReading(True, 0.99, True),
        MatchReading(False, 0.99, True, (OTHER,)),
        MatchReading(False, 0.5, False),
    )
    kinds = [*((status, None) for status in Status), *((Status.STANDING, match) for match in matches)]
    for status, match in kinds:
        spaces = tuple(SpaceReading(n, status, 0.99, True, match=match) for n in range(1, count + 1))
        yield TowerReading(640, 480, spaces)


def readings(name, state, after, event):
    """What a camera may have read of a table between two events of a game, true and false."""
    yield from (dice(), dice(3), dice(2, 5), dice(1, 2, 3), dice(1, 2, 3, 4, 4), dice(4, 4, doubtful=True))
    yield from (CardReading(640, 480, number, f"Card {number}", 0.99, number != 8) for number in (1, 8, 45))
    yield from towers(len(state.players))
    left = getattr(event, "unloaded", (0, 0, 0, 0, 0))
    for outside in (dict(enumerate(left, start=1)), {1: 9}, {9: 1}, dict.fromkeys(range(1, 6), 0)):
        yield LoadReading(640, 480, outside, 0.99, True, (), hidden=outside.get(1, 0) and 1)
    if name == "stack_dice":
        for each in (state, after):
            yield from (stack.seen(each), stack.seen(each, unsure_heights=True), stack.fallen(each))
    if name == "sandpile_panic":
        for each in (state, after):
            first = next(iter(each.board))
            yield sandpile.seen(each.board)
            yield from (sandpile.seen(each.board, (first, colour)) for colour in "WBP")
            yield sandpile.seen(each.board, (first, "B"), unsure=(first,))


def sentences(game, state, meant):
    if isinstance(meant, Remark):
        yield meant.text
    elif isinstance(meant, Proposed):
        viewer = Viewer(None, {player: f"<{player}>" for player in state.players})
        yield meant.note
        yield from (label for label, _event in meant.instead)
        for event in (meant.event, *(event for _label, event in meant.instead)):
            try:
                yield game.pages.describe(state, event, viewer)
            except IllegalEvent as refused:
                yield refused.sentence


def meanings(game, played):
    """(state, what a reading means there) all through a playthrough."""
    state = game.rules.start(codec.options_from_json(game, played.options), played.players)
    for step in played.steps:
        event = codec.event_from_json(game, step.event)
        after = game.rules.apply(state, event)
        for reading in readings(played.game, state, after, event):
            yield state, game.sight.propose(state, reading)
            yield state, game.sight.glanced(state, None, reading, NOW_US)
            yield after, game.sight.glanced(after, event, reading, getattr(event, "at_us", NOW_US) + SOON_US)
        state = after


@pytest.mark.parametrize("name", GAMES)
def test_no_question_and_no_remark_of_a_camera_names_a_rule(name):
    game = GAMES[name]
    asked, said = set(), set()
    for played in map(read, FILES):
        if played.game != name:
            continue
        for state, meant in meanings(game, played):
            if meant is not None:
                (said if isinstance(meant, Remark) else asked).update(sentences(game, state, meant))
    assert asked or game.sight == Sight()  # A game for which no camera looks asks nothing.
    assert said or name not in WITH_REMARKS
    assert not [words for words in asked | said if re.search(rf"\b{ID}\b", words)]
