"""What dice on the table mean to the tray: the roll of whoever's turn it is, with the dice that stayed (TR-40)."""

from companion.game.dice import D6, Throw, Thrown
from companion.game.players import Viewer
from companion.game.readings import DiceReading, DieReading, Kind, Reading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.dice_tray.lying import COLOURS, NO_COLOUR, Die, Stayed
from companion.games.dice_tray.options import MOST_DICE, Options
from companion.games.dice_tray.rules import Event, Rolled, RolledAgain, State, is_over, left_to_roll
from companion.words import N_, _

A_DIE = N_("die")


def eyes(state: State) -> Eyes:
    """Dice, until the game is over."""
    return Eyes(above=None if is_over(state) else Kind.DICE)


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The roll: what was thrown since the last one, and of the dice that did not move those that lay there (TR-40)."""
    if is_over(state) or not isinstance(reading, DiceReading) or not (reading.dice or reading.unread):
        return None
    dice = (*map(_die, reading.dice), *[Die(1)] * len(reading.unread))  # 1 stands for what a person is asked about.
    paths = tuple(f"dice.{place}.value" for place in range(len(dice)))
    kept = () if state.fresh else stayed(state, reading.old)
    wanted = left_to_roll(state, len(kept))
    if state.fresh and wanted == len(dice):
        return Proposed(RolledAgain(state.turn, dice), paths, confirm=True, note=_("Did the sixes roll again?"))
    if state.fresh:
        return Remark(_("Roll the sixes again, or let this roll count."))  # TR-14
    if wanted is not None and wanted != len(dice):
        all_, seen = state.options.dice, len(dice) + len(kept)
        text = _("A roll has {all} dice, and I see {n}. Add or remove some, or tap them.", all=all_, n=seen)
        return Remark(text)
    if len(dice) + len(kept) > MOST_DICE:
        return Remark(_("The tray holds {most} dice. Roll fewer.", most=MOST_DICE))
    return Proposed(Rolled(state.turn, dice, kept), paths)


def _die(read: DieReading) -> Die:
    return Die(read.value, read.colour if read.colour in COLOURS else NO_COLOUR)


def stayed(state: State, old: tuple[DieReading, ...]) -> tuple[Stayed, ...]:
    """The dice of this turn's roll that still lie there, each known by value and colour (TR-12, TR-40)."""
    free = dict(enumerate(state.dice, start=1))
    found: list[Stayed] = []
    for read in old:
        fits = [place for place, die in free.items() if die.value == read.value]
        same = [place for place in fits if free[place].colour == _die(read).colour]
        unnamed = [place for place in fits if NO_COLOUR in (free[place].colour, _die(read).colour)]
        for place in (*same, *unnamed)[:1]:
            found.append(Stayed(place, free.pop(place).colour))
    return tuple(sorted(found, key=lambda each: each.place))


def throw(state: State, viewer: Viewer) -> Throw[Event] | None:
    """All dice of a first roll, where their number is known; whoever keeps some rolls them by hand."""
    count, player = state.options.dice, state.turn
    if is_over(state) or state.dice or not count or viewer.player not in (None, player):
        return None
    return Throw((D6,) * count, lambda values: Rolled(player, tuple(map(Die, values))))


def thrown(event: Event, _options: Options) -> tuple[Thrown, ...]:
    """The dice of a roll by their colour, for the statistics (TR-41)."""
    if not isinstance(event, Rolled | RolledAgain):
        return ()
    return tuple(Thrown(die.colour or A_DIE, D6, die.value) for die in event.dice)
