"""What the whole table seen from above means to Stack: which move leads from the stacks that stood to those that stand.

A reading whose heights are unsure is compared by its tops alone. Where that explains nothing, what the camera doubts
may be anything that fits; such a move is always asked.
"""

from collections import Counter
from collections.abc import Iterator

from companion.contract import Proposed, Remark
from companion.errors import IllegalEvent
from companion.games.stack_dice import falls_seen, rules, stacks
from companion.games.stack_dice.drawing import colour, die_name
from companion.games.stack_dice.events import Rolled, Stacked
from companion.games.stack_dice.piles import Pile, captured, matches, may_be, piles, piles_seen, unsure
from companion.games.stack_dice.stacks import FACES, FULL_STACK, Layout
from companion.games.stack_dice.state import State
from companion.readings import StacksReading
from companion.words import _, _n

Move = Stacked | Rolled

MOST_DOUBTED = 4  # tops without a sure number; of more a hand covers part of the table, and too much looks like a move
MOST_INSTEAD = 4  # of several moves that look alike; more are for the page


def propose(state: State, reading: StacksReading) -> Proposed | Remark | None:
    """The move of the player whose turn it is, with what the rules say of it; stacks that fell; else None."""
    if not reading.stacks:
        return None
    by_height = all(stack.height_accepted for stack in reading.stacks)
    seen = piles_seen(reading, by_height)
    if matches(piles(state, state.layout, by_height), captured(state, state.layout, by_height), seen):
        return None
    as_read = found_by(state, reading, heights=True)
    if found := as_read if by_height else [*as_read, *found_by(state, reading, heights=False)]:
        return judged(state, found, reading, sure_first=bool(as_read))
    return despite_doubt(state, reading) or falls_seen.propose(state, reading) or unexplained(state, reading)


def found_by(state: State, reading: StacksReading, heights: bool) -> list[Move]:
    """The moves that lead to what is read, by tops and heights or by the tops alone."""
    seen = piles_seen(reading, heights)
    return [move for move in moves(state, state.turn) if leads_to(state, move, seen, heights)]


def judged(state: State, found: list[Move], reading: StacksReading, sure_first: bool) -> Proposed | Remark:
    """The move that the rules allow; where they allow none, what they say against it.

    By its tops alone several may look alike that end on piles of other heights: those that are surely seen decide.

    sure_first  the first is likelier than the others
    """
    refusal, allowed = "", []
    for move in found:
        try:
            rules.apply(state, move)
        except IllegalEvent as against:
            refusal = refusal or against.sentence
        else:
            allowed.append(move)
    if not allowed:
        return Remark(_("{refusal} Take the die back, or report the mistake.", refusal=refusal))
    first, *others = apart(state, [move for move in allowed if fits(state, move, reading)] or allowed)
    return Proposed(
        first,
        confirm=bool(others),
        instead=tuple((move_told(state, move), move) for move in others[:MOST_INSTEAD]),
        which=bool(others) and not sure_first,
    )


def apart(state: State, found: list[Move]) -> list[Move]:
    """The first of the moves to each table, as far as it can be seen."""
    by_table: dict[frozenset[tuple[Pile, int]], Move] = {}
    for move in found:
        by_table.setdefault(frozenset(piles(state, must(after(state, move)), heights=True).items()), move)
    return list(by_table.values())


def fits(state: State, move: Move, reading: StacksReading) -> bool:
    """Whether a move leads to all that is surely seen."""
    layout = after(state, move)
    return layout is not None and may_be(state, layout, reading)


def despite_doubt(state: State, reading: StacksReading) -> Proposed | None:
    """The move that explains all that is surely seen, whatever the tops and heights are that the camera doubts."""
    doubted = len(reading.unread) + sum(not stack.top.accepted for stack in reading.stacks)
    if doubted > MOST_DOUBTED or may_be(state, state.layout, reading):
        return None
    found = [move for move in moves(state, state.turn) if rules.allows(state, move) and fits(state, move, reading)]
    if not found or len(found) > MOST_INSTEAD + 1:
        return None
    first, *others = sorted(found, key=lambda move: unlike(state, move, reading))
    note = _n(
        "The camera is not sure of {n} die: was it this?",
        "The camera is not sure of {n} dice: was it this?",
        len(unsure(reading)) + len(reading.unread),
    )
    instead = tuple((move_told(state, move), move) for move in others)
    return Proposed(first, confirm=True, note=note, instead=instead, which=bool(others))


def unlike(state: State, move: Move, reading: StacksReading) -> int:
    """How many piles are read otherwise than a move would leave them."""
    return (piles_seen(reading, heights=True) - piles(state, must(after(state, move)), heights=True)).total()


def move_told(state: State, move: Move) -> str:
    """A move, short enough for a button."""
    die = die_name(state, move.die)
    if isinstance(move, Stacked):
        return _("The {die} onto the {onto}", die=die, onto=die_name(state, move.onto))
    return _("The {die} rolled a {number}", die=die, number=move.value)


def unexplained(state: State, reading: StacksReading) -> Remark | None:
    """What is surely seen and no move of the player whose turn it is leads to: another's move, or more than one.

    A die of nobody's colour is no move, and one that was just rolled may only be misread.
    """
    bodies = {colour(state, player) for player in state.players}
    if (
        not reading.accepted
        or state.turn is None
        or state.hand
        or {stack.top.colour for stack in reading.stacks} - bodies
    ):
        return None
    seen = piles_seen(reading, heights=True)
    for player in state.players:
        if player != state.turn and any(leads_to(state, move, seen, heights=True) for move in moves(state, player)):
            return Remark(  # ST-56
                _(
                    "A {colour} die was moved, and it is the turn of {turn}: put it back, or report the mistake.",
                    colour=_(colour(state, player)),
                    turn=_(colour(state, state.turn)),
                )
            )
    return Remark(_("No single move leads to what lies there: tap what was done, or put the dice back."))


# moves


def moves(state: State, player: str | None) -> Iterator[Move]:
    """Everything a player can have done with one die, allowed or not, once for dice that look alike; nothing for
    nobody, after the last turn. A die that was rolled is not rolled again: a new number is a misread one."""
    layout = state.layout
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


def must(layout: Layout | None) -> Layout:
    """A layout that is known to be one."""
    assert layout is not None
    return layout


def after(state: State, move: Move) -> Layout | None:
    """What lies where after a move, None where nothing can be put there."""
    match move:
        case Stacked(_player, die, onto):
            under = stacks.stack_under(state.layout, onto)
            return None if under is None or len(under) >= FULL_STACK else stacks.put(state.layout, die, onto)
        case Rolled(_player, die, face):
            return stacks.turned(state.layout, die, face)
