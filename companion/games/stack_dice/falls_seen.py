"""Stacks that stood and stand no more, seen from above: what a rolled die knocked over in Stack."""

from companion.game.readings import StacksReading
from companion.game.seeing import Proposed
from companion.games.stack_dice import rules, stacks
from companion.games.stack_dice.events import Event, KnockedOver
from companion.games.stack_dice.piles import piles_of
from companion.games.stack_dice.stacks import FULL_STACK, Layout
from companion.games.stack_dice.state import State, colour, rollers
from companion.words import _, _n, joined

LOST = 2  # stacks less than stood: a move makes none vanish, a die that knocks over does; one may be a misread height


def propose(state: State, reading: StacksReading) -> Proposed[Event] | None:
    """ST-50: stacks stood that stand no more; the pictures show what stood and what is left, the note what is to be
    rebuilt.

    It was a die of this turn, or the one without a place that ended the turn before (ST-36): then it is asked whose.
    After the last turn the stacks may have been taken apart to be counted, so a bare yes is no answer there either.
    """
    stood = [pile for pile in state.layout.stacks if len(pile) < FULL_STACK]
    standing = sum(1 < stack.height < FULL_STACK for stack in reading.stacks)
    sure_tops = not reading.unread and all(stack.top.accepted for stack in reading.stacks)  # heights may be doubted
    apart_now = sure_tops and len(reading.stacks) > sum(1 for _pile in stacks.tops(state.layout))
    if len(stood) - standing < (1 if apart_now else min(LOST, len(stood))) or not stood:
        return None
    able = [player for player in rollers(state) if rules.allows(state, KnockedOver(player, rebuilt=True))]
    if not able:
        return None
    first, *others = [KnockedOver(player, rebuilt) for player in able for rebuilt in (True, False)]
    several = len(able) > 1
    stood_so = piles_of(state, Layout(state.layout.faces, tuple(stood)), heights=True).must
    stood_there = joined(
        _n("{colour} {number} on {n} die", "{colour} {number} on {n} dice", height - 1, colour=_(body), number=face)
        for body, face, height in sorted(stood_so.elements())
        if height > 1
    )
    note = _("Stacks have fallen? There stood: {stacks}.", stacks=stood_there)
    return Proposed(
        first,
        confirm=True,
        note=joined((note, _("Whose rolled die was it?")), " ") if several else note,
        instead=tuple((told(state, event, several), event) for event in others),
        which=several or state.turn is None,
        of_before=True,
    )


def told(state: State, event: KnockedOver, whose: bool) -> str:
    """The stacks that a rolled die knocked over, short enough for a button.

    whose       it may have been another player's die as well
    """
    if not whose:
        return _("They cannot all be rebuilt")
    body = _(colour(state, event.player))
    if event.rebuilt:
        return _("A {colour} die: all can be rebuilt", colour=body)
    return _("A {colour} die: they cannot all be rebuilt", colour=body)
