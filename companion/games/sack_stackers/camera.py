"""The meaning of dice on the table to Sack Stackers: a roll, or a remark about it."""

from companion.game.readings import DiceReading, Reading
from companion.game.seeing import Proposed, Remark
from companion.games.sack_stackers.events import Event, Rolled
from companion.games.sack_stackers.state import State
from companion.words import _, _n, listed

DICE = 2  # SS-02


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The roll of two dice; a remark for another number of dice, or for other values in the middle of a turn."""
    if not isinstance(reading, DiceReading):
        return None
    count = len(reading.dice) + len(reading.unread)
    if not count or state.ended:
        return None
    if count != DICE and reading.old and state.dice is None:
        return Remark(
            _n(
                "I see {n} new die but need {dice}. Roll both dice again, or tap the numbers yourself.",
                "I see {n} new dice but need {dice}. Roll both dice again, or tap the numbers yourself.",
                count,
                dice=DICE,
            )
        )
    if count != DICE:
        return Remark(
            _n(
                "I see {n} die but need {dice}. Add or remove dice, or tap the numbers yourself.",
                "I see {n} dice but need {dice}. Add or remove dice, or tap the numbers yourself.",
                count,
                dice=DICE,
            )
        )
    values = [die.value for die in reading.dice]
    if state.dice is None:
        first, second = (*values, *[1] * len(reading.unread))  # 1 stands for a die that a person is asked about.
        return Proposed(Rolled((first, second)), ("dice.0", "dice.1"))
    if sorted(state.dice) == sorted(values):
        return None  # These are the dice of this turn, moved a little.
    unread = _("one I can't read")
    return Remark(
        _(
            "The dice show {seen} now, but this turn's roll is {rolled}. Roll again when everyone "
            "has placed, or correct the roll.",
            seen=listed([*map(str, values), *[unread] * len(reading.unread)]),
            rolled=listed(map(str, state.dice)),
        )
    )
