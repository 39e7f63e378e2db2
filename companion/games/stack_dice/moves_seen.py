"""What the whole table seen from above means to Stack: which move leads from the stacks that stood to those that stand.

A reading whose heights are unsure is compared by its tops alone. Where that explains nothing, what the camera doubts
may be anything that fits; such a move is always asked.
"""

from collections import Counter
from collections.abc import Iterator

from companion.contract import Proposed, Remark
from companion.errors import IllegalEvent
from companion.games.stack_dice import reports, rules, stacks
from companion.games.stack_dice.drawing import colour, die_name
from companion.games.stack_dice.events import Event, KnockedOver, Rolled, Stacked
from companion.games.stack_dice.piles import Pile, captured, matches, may_be, piles, piles_seen, unsure
from companion.games.stack_dice.stacks import FACES, FULL_STACK, Layout
from companion.games.stack_dice.state import State
from companion.readings import StacksReading
from companion.words import _, _n, joined

Move = Stacked | Rolled

MOST_DOUBTED = 4  # tops without a sure number; of more a hand covers part of the table, and too much looks like a move
MOST_INSTEAD = 4  # of several moves that look alike; more are for the page
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
    return despite_doubt(state, reading) or fallen(state, reading)


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


def despite_doubt(state: State, reading: StacksReading) -> Proposed | None:
    """The move that explains all that is surely seen, whatever the tops and heights are that the camera doubts."""
    doubted = len(reading.unread) + sum(not stack.top.accepted for stack in reading.stacks)
    if doubted > MOST_DOUBTED or may_be(state, state.layout, reading):
        return None
    found = [
        (move, layout)
        for move in moves(state)
        if is_allowed(state, move) and (layout := after(state, move)) and may_be(state, layout, reading)
    ]
    if not found or len(found) > MOST_INSTEAD + 1:
        return None
    seen = piles_seen(reading, heights=True)
    found.sort(key=lambda way: (seen - piles(state, way[1], heights=True)).total())
    first, *others = (move for move, _layout in found)
    note = _n("The camera is not sure of {n} die: was it this?", "The camera is not sure of {n} dice: was it this?",
              len(unsure(reading)) + len(reading.unread))  # fmt: skip
    return Proposed(
        first, confirm=True, note=note, instead=tuple((move_told(state, move), move) for move in others),
        which=bool(others),
    )  # fmt: skip


def move_told(state: State, move: Move) -> str:
    """A move, short enough for a button."""
    die = die_name(state, move.die)
    if isinstance(move, Stacked):
        return _("The {die} onto the {onto}", die=die, onto=die_name(state, move.onto))
    return _("The {die} rolled a {number}", die=die, number=move.value)


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
    layout = after(state, move)
    return layout is not None and matches(piles(state, layout, heights), captured(state, layout, heights), seen)


def after(state: State, move: Move) -> Layout | None:
    """What lies where after a move, None where nothing can be put there."""
    match move:
        case Stacked(_player, die, onto):
            under = stacks.stack_under(state.layout, onto)
            return None if under is None or len(under) >= FULL_STACK else stacks.put(state.layout, die, onto)
        case Rolled(_player, die, face):
            return stacks.turned(state.layout, die, face)
