"""What dice on the table mean to the score pad: the roll of whoever's turn it is (PAD-40 … PAD-43)."""

from companion.game.dice import D6, Throw
from companion.game.players import Viewer
from companion.game.readings import DiceReading, Kind, Reading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.score_pad.rules import Event, Rolled, State, next_to_roll
from companion.words import _


def eyes(state: State) -> Eyes:
    """Dice, while somebody has a row for them; no other pad looks."""
    return Eyes(above=Kind.DICE if next_to_roll(state) else None)


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The roll of the next player. Kept dice lie where they lay and count once that player has rolled (PAD-40)."""
    player = next_to_roll(state)
    if player is None or not isinstance(reading, DiceReading) or not (reading.dice or reading.unread):
        return None
    options, rolls = state.options, state.rolls.get(player, 0)
    if options.rolls and rolls >= options.rolls:
        return Remark(_("These dice have been rolled as often as you may. Choose a row for them."))  # PAD-42
    kept = reading.old if player in state.dice else ()
    number = len(reading.dice) + len(reading.unread) + len(kept)
    if number != options.dice:
        text = _("A roll has {all} dice, and I see {n}. Add or remove some, or tap them.", all=options.dice, n=number)
        return Remark(text)
    seen = [die.value for die in reading.dice] + [1] * len(reading.unread)  # 1 stands for what a person is asked about.
    dice = (*seen, *(die.value for die in kept))
    return Proposed(Rolled(player, dice), tuple(f"dice.{place}" for place in range(len(seen))))


def throw(state: State, viewer: Viewer) -> Throw[Event] | None:
    """All dice of the next player's first roll; whoever keeps some rolls them by hand (PAD-40)."""
    player = next_to_roll(state)
    if player is None or player in state.dice or viewer.player not in (None, player):
        return None
    return Throw((D6,) * state.options.dice, lambda values: Rolled(player, values))
