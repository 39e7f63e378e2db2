"""What the whole table seen from above means to Stack: which move leads from the stacks that stood to those that stand.

Dice of one colour and number cannot be told apart, so a table is counted: how many tops of which colour, number and
height. A reading whose heights are unsure is compared by its tops alone.
"""

from collections import Counter
from collections.abc import Iterator

from companion.contract import Proposed, Remark
from companion.errors import IllegalEvent
from companion.games.stack_dice import reports, rules, stacks
from companion.games.stack_dice.drawing import colour
from companion.games.stack_dice.events import Event, KnockedOver, Rolled, Stacked
from companion.games.stack_dice.stacks import FACES, FULL_STACK, Layout
from companion.games.stack_dice.state import State
from companion.readings import StacksReading
from companion.words import _, _n, joined

Pile = tuple[str, int, int]  # colour and number of the top, height; height 0 where it is not looked at
Move = Stacked | Rolled

LOST = 2  # stacks less than stood: a move makes none vanish, a hand or a die that knocks over does


def propose(state: State, reading: StacksReading) -> Proposed | Remark | None:
    """The move of the player whose turn it is, with what the rules say of it; stacks that fell; else None."""
    if not reading.stacks:
        return None
    by_height = all(stack.height_accepted for stack in reading.stacks)
    seen = piles_seen(reading, by_height)
    if matches(piles(state, state.layout, by_height), captured(state, state.layout, by_height), seen):
        return None
    for heights in (True, False) if not by_height else (True,):
        seen = piles_seen(reading, heights)
        found = [move for move in moves(state) if leads_to(state, move, seen, heights)]
        if found:
            return judged(state, found)
    return fallen(state, reading)


def judged(state: State, found: list[Move]) -> Proposed | Remark:
    """The first move that the rules allow; where they allow none, what they say against it."""
    refusal = ""
    for move in found:
        try:
            rules.apply(state, move)
        except IllegalEvent as against:
            refusal = refusal or against.sentence
        else:
            return Proposed(move)
    return Remark(_("{refusal} Take the die back, or report the mistake.", refusal=refusal))


def fallen(state: State, reading: StacksReading) -> Proposed | None:
    """ST-50: stacks stood that stand no more; the picture shows what is left, the note what is to be rebuilt.

    It was a die of this turn, or the one without a place that ended the turn before (ST-36): then it is asked whose.
    After the last turn the stacks may have been taken apart to be counted, so a bare yes is no answer there either.
    """
    stood = [pile for pile in state.layout.stacks if len(pile) < FULL_STACK]
    standing = sum(1 < stack.height < FULL_STACK for stack in reading.stacks)
    if len(stood) - standing < min(LOST, len(stood)) or not stood:
        return None
    rollers = [player for player in reports.rollers(state) if is_allowed(state, KnockedOver(player, rebuilt=True))]
    if not rollers:
        return None
    first, *others = [KnockedOver(player, rebuilt) for player in rollers for rebuilt in (True, False)]
    several = len(rollers) > 1
    stood_there = joined(
        _n("{colour} {number} on {n} die", "{colour} {number} on {n} dice", height - 1, colour=_(body), number=face)
        for body, face, height in sorted(piles(state, Layout(state.layout.faces, tuple(stood)), True).elements())
        if height > 1
    )
    note = _("Stacks have fallen? There stood: {stacks}.", stacks=stood_there)
    return Proposed(
        first,
        confirm=True,
        note=joined((note, _("Whose rolled die was it?")), " ") if several else note,
        instead=tuple((told(state, event, several), event) for event in others),
        which=several or state.turn is None,
    )


def is_allowed(state: State, event: Event) -> bool:
    """Whether the rules allow it now."""
    try:
        rules.apply(state, event)
    except IllegalEvent:
        return False
    return True


def told(state: State, event: KnockedOver, whose: bool) -> str:
    """What a rolled die knocked over, short enough for a button.

    whose       it may have been another player's die as well
    """
    if not whose:
        return _("They cannot all be rebuilt")
    body = _(colour(state, event.player))
    if event.rebuilt:
        return _("A {colour} die: all can be rebuilt", colour=body)
    return _("A {colour} die: they cannot all be rebuilt", colour=body)


# moves


def moves(state: State) -> Iterator[Move]:
    """Everything the player whose turn it is can have done with one die, allowed or not, once for dice that look
    alike; after the last turn nothing. A die that was rolled is not rolled again: a new number is a misread one."""
    layout, player = state.layout, state.turn
    if player is None:
        return
    dice = (state.hand.die,) if state.hand else stacks.unstacked(layout, player)
    one_of_each = {layout.faces[die]: die for die in reversed(dice)}.values()
    tops = {(stacks.owner(pile[-1]), layout.faces[pile[-1]], len(pile)): pile[-1] for pile in stacks.tops(layout)}
    rolled = state.hand is not None and state.hand.was is not None
    for die in one_of_each:
        yield from (Stacked(player, die, onto) for onto in tops.values() if onto != die)
        if not rolled:
            yield from (Rolled(player, die, face) for face in FACES if face != layout.faces[die])


def leads_to(state: State, move: Move, seen: Counter[Pile], heights: bool) -> bool:
    """Whether the table looks so after a move."""
    match move:
        case Stacked(_player, die, onto):
            under = stacks.stack_under(state.layout, onto)
            if under is None or len(under) >= FULL_STACK:
                return False
            after = stacks.put(state.layout, die, onto)
        case Rolled(_player, die, face):
            after = stacks.turned(state.layout, die, face)
    return matches(piles(state, after, heights), captured(state, after, heights), seen)


def matches(standing: Counter[Pile], full: Counter[Pile], seen: Counter[Pile]) -> bool:
    """Whether just these piles are seen; full stacks stand there or have been taken off the table (ST-35)."""
    return standing <= seen and seen - standing <= full


def piles(state: State, layout: Layout, heights: bool) -> Counter[Pile]:
    """Every pile that must be on the table: those that are captured may be gone."""
    return counted(state, layout, (pile for pile in stacks.tops(layout) if len(pile) < FULL_STACK), heights)


def captured(state: State, layout: Layout, heights: bool) -> Counter[Pile]:
    """The full stacks (ST-35)."""
    return counted(state, layout, (pile for pile in stacks.tops(layout) if len(pile) == FULL_STACK), heights)


def counted(state: State, layout: Layout, found: Iterator[stacks.Stack], heights: bool) -> Counter[Pile]:
    return Counter(
        (colour(state, stacks.owner(pile[-1])), layout.faces[pile[-1]], len(pile) if heights else 0) for pile in found
    )


def piles_seen(reading: StacksReading, heights: bool) -> Counter[Pile]:
    """The piles of a reading, as likely as they are."""
    return Counter((str(stack.top.colour), stack.top.value, stack.height if heights else 0) for stack in reading.stacks)
