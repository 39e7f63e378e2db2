"""What an event's class may say of it: a misspelled mark would mark nothing, and nobody would hear of it."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from companion.game.events import TRAITS, check_traits
from companion.games.maxstax.events import Shouted
from companion.games.stack_dice.events import StartRolled
from companion.shelf import GAMES


@dataclass(frozen=True)
class Glimpsed(Shouted):
    """A shout that the camera shall look at."""

    glimpse: ClassVar = True


@dataclass(frozen=True)
class Together:
    """Several players rolled."""

    players: tuple[str, ...]

    @property
    def concern(self) -> tuple[str, ...]:
        """Whose parts it changes."""
        return self.players


@dataclass(frozen=True)
class Kept:
    """A mark that would go into the journal as a field."""

    whole_table: bool = True


@dataclass(frozen=True)
class Perhaps:
    """A mark that is a word."""

    beside_play: ClassVar = "no"


@dataclass(frozen=True)
class Somewhere:
    """A part of the table without a name."""

    part: ClassVar = True


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (Glimpsed, "'glimpse'"),
        (Together, "'concern'"),
        (Kept, "'whole_table'"),
        (Perhaps, "'beside_play'"),
        (Somewhere, "'part'"),
    ],
)
def test_a_game_with_a_mark_that_marks_nothing_is_no_game(event, says):
    sack = GAMES["sack_stackers"]
    with pytest.raises(TypeError, match=says):
        replace(sack.rules, events=(*sack.rules.events, event))


def test_marks_of_an_event_may_be_inherited_and_worked_out():
    check_traits(Shouted)
    check_traits(StartRolled)


def test_every_mark_is_some_events():
    events = [event for game in GAMES.values() for event in game.rules.events]
    assert {mark for mark in TRAITS if any(hasattr(event, mark) for event in events)} == set(TRAITS)
