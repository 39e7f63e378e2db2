"""Fallen stacks in Stack, seen from above: the stacks that a rolled die knocked over."""

from companion.game.readings import StacksReading
from companion.game.seeing import Proposed
from companion.games.stack_dice import rules, stacks
from companion.games.stack_dice.events import Event, KnockedOver
from companion.games.stack_dice.piles import piles_of
from companion.games.stack_dice.stacks import FULL_STACK, Layout
from companion.games.stack_dice.state import State, colour, rollers
from companion.words import _, _n, joined

LOST = 2  # So many missing stacks mean a fall: a move makes none vanish, and one may be a misread height.


def propose(state: State, reading: StacksReading) -> Proposed[Event] | None:
    """The question whether stacks have fallen (ST-50), None if too few are missing; the note lists what to rebuild.

    A die of this turn knocked them over, or the die without a place that ended the turn before (ST-36); if both are
    possible, the question asks whose. After the last turn the players may have taken the stacks apart to count them, so
    a bare yes is no answer there either.
    """
    stood = [pile for pile in state.layout.stacks if len(pile) < FULL_STACK]
    standing = sum(1 < stack.height < FULL_STACK for stack in reading.stacks)
    sure_tops = not reading.unread and all(stack.top.accepted for stack in reading.stacks)  # Heights may be doubted.
    has_more_tops = sure_tops and len(reading.stacks) > sum(1 for _pile in stacks.tops(state.layout))
    if len(stood) - standing < (1 if has_more_tops else min(LOST, len(stood))) or not stood:
        return None
    suspects = [player for player in rollers(state) if rules.allows(state, KnockedOver(player, rebuilt=True))]
    if not suspects:
        return None
    first, *others = [KnockedOver(player, rebuilt) for player in suspects for rebuilt in (True, False)]
    several = len(suspects) > 1
    piles = piles_of(state, Layout(state.layout.faces, tuple(stood)), heights=True).must
    stood_text = joined(
        _n("{colour} {number} on {n} die", "{colour} {number} on {n} dice", height - 1, colour=_(body), number=face)
        for body, face, height in sorted(piles.elements())
        if height > 1
    )
    note = _("Did stacks fall? These were there: {stacks}.", stacks=stood_text)
    return Proposed(
        first,
        confirm=True,
        note=joined((note, _("Whose die was it?")), " ") if several else note,
        instead=tuple((_label(state, event, several), event) for event in others),
        which=several or state.turn is None,
        of_before=True,
        agree=_label(state, first, several),
    )


def _label(state: State, event: KnockedOver, several: bool) -> str:
    """The event in words short enough for a button.

    several     True: dice of several players come into question
    """
    if not several:
        return _("They fell, and all can be rebuilt") if event.rebuilt else _("They fell, and not all can be rebuilt")
    body = _(colour(state, event.player))
    if event.rebuilt:
        return _("A {colour} die, and all can be rebuilt", colour=body)
    return _("A {colour} die, and not all can be rebuilt", colour=body)
