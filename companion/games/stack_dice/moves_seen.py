"""What the whole table seen from above means to Stack: which move leads from the stacks that stood to those that stand.

A reading whose heights are unsure is compared by its tops alone. Where that explains nothing, what the camera doubts
may be anything that fits; such a move is always asked.
"""

from collections.abc import Iterator
from dataclasses import replace

from companion.errors import IllegalEvent
from companion.game.readings import StacksReading
from companion.game.seeing import Proposed, Remark
from companion.games.stack_dice import falls_seen, rules, stacks
from companion.games.stack_dice.events import Event, Rolled, Stacked
from companion.games.stack_dice.piles import (
    Beside,
    Change,
    Pile,
    Piles,
    looked,
    may_be,
    pile_of,
    piles_of,
    piles_seen,
    unsure,
)
from companion.games.stack_dice.stacks import FACES, FULL_STACK, DieId
from companion.games.stack_dice.state import State, colour, targets
from companion.games.stack_dice.telling import die_name
from companion.words import _, _n

Move = Stacked | Rolled

MOST_DOUBTED = 4  # tops without a sure number; of more a hand covers part of the table, and too much looks like a move
MOST_INSTEAD = 4  # of several moves that look alike; more are for the page


def propose(state: State, reading: StacksReading) -> Proposed[Event] | Remark | None:
    """The move of the player whose turn it is, with what the rules say of it; stacks that fell; else None."""
    if not reading.stacks:
        return None
    by_height = all(stack.height_accepted for stack in reading.stacks)
    if piles_of(state, state.layout, by_height).looks(piles_seen(reading, by_height)):
        return None
    as_read = found_by(state, reading, heights=True)
    found = as_read if by_height else [*as_read, *found_by(state, reading, heights=False)]
    if not any(rules.allows(state, move) for move in found) and is_in_hand(state, reading, by_height):
        return None
    if found:
        return judged(state, found, reading, sure_first=bool(as_read))
    if may_be(piles_of(state, state.layout, heights=True), looked(reading)):
        return None  # as it stood, as far as is sure
    return despite_doubt(state, reading) or falls_seen.propose(state, reading) or unexplained(state, reading)


def is_in_hand(state: State, reading: StacksReading, heights: bool) -> bool:
    """Whether all that is missing is a die that the player whose turn it is may hold (ST-34)."""
    lying, seen = piles_of(state, state.layout, heights), piles_seen(reading, heights)
    singles = {pile_of(state, state.layout, (die,), heights) for die in movable(state, state.turn)}
    beside = Beside(lying, seen)
    return any(beside.looks(Change((single,), ())) for single in singles)


def found_by(state: State, reading: StacksReading, heights: bool) -> list[Move]:
    """The moves that lead to what is read, by tops and heights or by the tops alone."""
    beside = Beside(piles_of(state, state.layout, heights), piles_seen(reading, heights))
    return [move for move, change in ways(state, state.turn, heights) if beside.looks(change)]


def judged(state: State, found: list[Move], reading: StacksReading, sure_first: bool) -> Proposed[Event] | Remark:
    """The move that the rules allow; where they allow none, what they say against it.

    By its tops alone several may look alike that end on piles of other heights: those that are surely seen decide,
    before the rules do, so that a forbidden move is not told as another that nobody made.

    sure_first  the first is likelier than the others
    """
    refusal, allowed, seen = "", [], looked(reading)
    for move in [move for move in found if may_be(after(state, move), seen)] or found:
        try:
            rules.apply(state, move)
        except IllegalEvent as against:
            refusal = refusal or against.sentence
        else:
            allowed.append(move)
    if not allowed:
        return Remark(_("{refusal} Take the die back, or report the mistake.", refusal=refusal))
    first, *others = apart(state, allowed)
    return Proposed(
        first,
        confirm=bool(others),
        instead=tuple((move_told(state, move), move) for move in others[:MOST_INSTEAD]),
        which=bool(others) and not sure_first,
    )


def apart(state: State, found: list[Move]) -> list[Move]:
    """The first of the moves to each table, as far as it can be seen."""
    by_table: dict[tuple[frozenset[tuple[Pile, int]], ...], Move] = {}
    for move in found:
        by_table.setdefault(tuple(frozenset(piles.items()) for piles in after(state, move)), move)
    return list(by_table.values())


def despite_doubt(state: State, reading: StacksReading) -> Proposed[Event] | None:
    """The move that explains all that is surely seen, whatever the tops and heights are that the camera doubts."""
    doubted = len(reading.unread) + sum(not stack.top.accepted for stack in reading.stacks)
    if doubted > MOST_DOUBTED or state.turn is None:
        return None
    allowed, seen = frozenset(rules.legal(state, state.turn)), looked(reading)
    before = piles_of(state, state.layout, heights=True)
    tables = ((move, before.changed(change)) for move, change in ways(state, state.turn, True) if move in allowed)
    found = [(move, unlike(after, reading)) for move, after in tables if may_be(after, seen)]
    if not found or len(found) > MOST_INSTEAD + 1:
        return None
    first, *others = [move for move, _unlike in sorted(found, key=lambda each: each[1])]
    note = _n(
        "The camera is not sure of {n} die: was it this?",
        "The camera is not sure of {n} dice: was it this?",
        len(unsure(reading)) + len(reading.unread),
    )
    instead = tuple((move_told(state, move), move) for move in others)
    return Proposed(first, confirm=True, note=note, instead=instead, which=bool(others))


def unlike(lying: Piles, reading: StacksReading) -> int:
    """How many piles are read otherwise than they would lie."""
    return (piles_seen(reading, heights=True) - lying.must).total()


def move_told(state: State, move: Move) -> str:
    """A move, short enough for a button."""
    die = die_name(state, move.die)
    if isinstance(move, Stacked):
        return _("The {die} onto the {onto}", die=die, onto=die_name(state, move.onto))
    return _("The {die} rolled a {number}", die=die, number=move.value)


def unexplained(state: State, reading: StacksReading) -> Proposed[Event] | Remark | None:
    """What is surely seen and no move of the player whose turn it is leads to: a die rolled and put down at once,
    another's move, or more than one.

    A die of nobody's colour is no move, one that was just rolled may only be misread, and one whose owner still chooses
    its number may show either (ST-54).
    """
    bodies = {colour(state, player) for player in state.players}
    if (
        not reading.accepted
        or state.turn is None
        or state.hand
        or state.decision
        or {stack.top.colour for stack in reading.stacks} - bodies
    ):
        return None
    seen = piles_seen(reading, heights=True)
    for rolled, lying, puts in rolled_and_stacked(state, state.turn):
        beside = Beside(lying, seen)
        if stacked := next((stacked for stacked, change in puts if beside.looks(change)), None):
            note = _("Was it put onto the {onto} then? Tap that next.", onto=die_name(state, stacked.onto))
            return Proposed(rolled, confirm=True, note=note)
    beside = Beside(piles_of(state, state.layout, heights=True), seen)
    for player in state.players:
        if player != state.turn and any(beside.looks(change) for _move, change in ways(state, player, heights=True)):
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
    one_of_each = {layout.faces[die]: die for die in reversed(movable(state, player))}.values()
    tops = {(stacks.owner(pile[-1]), layout.faces[pile[-1]], len(pile)): pile[-1] for pile in stacks.tops(layout)}
    rolled = state.hand is not None and state.hand.was is not None
    for die in one_of_each:
        yield from (Stacked(player, die, onto) for onto in tops.values() if onto != die)
        if not rolled:
            yield from (Rolled(player, die, face) for face in FACES if face != layout.faces[die])


def movable(state: State, player: str | None) -> tuple[DieId, ...]:
    """The dice that a player may play: the one in hand, else all that are unstacked (ST-30, ST-34)."""
    if player is None:
        return ()
    return (state.hand.die,) if state.hand else stacks.unstacked(state.layout, player)


def rolled_and_stacked(state: State, player: str) -> Iterator[tuple[Rolled, Piles, list[tuple[Stacked, Change]]]]:
    """Every die that may have been rolled, the piles then, and where it may have been put down before the table came to
    rest (ST-36)."""
    before = piles_of(state, state.layout, heights=True)
    places = {face: targets(state, player, face) for face in FACES}
    for rolled, change in ways(state, player, heights=True):
        if isinstance(rolled, Rolled):
            turned = replace(state, layout=stacks.turned(state.layout, rolled.die, rolled.value))
            puts = (Stacked(player, rolled.die, target[-1]) for target in places[rolled.value])
            changes = ((stacked, change_by(turned, stacked, heights=True)) for stacked in puts)
            yield rolled, before.changed(change), [(stacked, put) for stacked, put in changes if put is not None]


def ways(state: State, player: str | None, heights: bool) -> Iterator[tuple[Move, Change]]:
    """Every such move that can be done, and what it changes."""
    for move in moves(state, player):
        if (found := change_by(state, move, heights)) is not None:
            yield move, found


def after(state: State, move: Move) -> Piles:
    """The piles after a move that can be done."""
    change = change_by(state, move, heights=True)
    assert change is not None
    return piles_of(state, state.layout, heights=True).changed(change)


def change_by(state: State, move: Move, heights: bool) -> Change | None:
    """What a move changes, None where nothing can be put there."""
    layout = state.layout
    single = pile_of(state, layout, (move.die,), heights)
    body, face, high = single
    match move:
        case Stacked(_player, _die, onto):
            under = stacks.stack_under(layout, onto)
            if under is None or len(under) >= FULL_STACK:
                return None
            gone = (single, pile_of(state, layout, under, heights))
            come = ((body, face, len(under) + 1 if heights else 0),)
            return Change(gone, (), come) if len(under) + 1 == FULL_STACK else Change(gone, come)
        case Rolled(_player, _die, value):
            return Change((single,), ((body, value, high),))
