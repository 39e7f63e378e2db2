"""Moves of Stack seen from above: the move that leads from the known stacks to those of a reading.

A reading with unsure heights is compared by its tops alone. If that explains nothing, unsure tops and heights may be
anything that fits; such a move is always asked.
"""

from collections.abc import Iterator
from dataclasses import replace

from companion.errors import IllegalEvent
from companion.game.readings import StacksReading
from companion.game.seeing import Proposed, Remark
from companion.games.stack_dice import falls, rules, stacks
from companion.games.stack_dice.events import Event, Rolled, Stacked
from companion.games.stack_dice.piles import (
    Change,
    Comparison,
    Pile,
    Piles,
    may_be,
    pile_of,
    piles_in,
    piles_of,
    split_by_doubt,
    unsure,
)
from companion.games.stack_dice.stacks import FACES, FULL_STACK, DieId
from companion.games.stack_dice.state import State, colour, targets
from companion.games.stack_dice.wording import die_name
from companion.words import _, _n

Move = Stacked | Rolled

MOST_DOUBTED = 4  # With more unsure tops, a hand covers the table, and too much looks like a move.
MOST_INSTEAD = 4  # With more moves that look alike, players use the page.


def propose(state: State, reading: StacksReading) -> Proposed[Event] | Remark | None:
    """The move of the player whose turn it is, or the reason why it is illegal; fallen stacks; otherwise None."""
    if not reading.stacks:
        return None
    by_height = all(stack.height_accepted for stack in reading.stacks)
    if piles_of(state, state.layout, by_height).matches(piles_in(reading, by_height)):
        return None
    as_read = moves_to(state, reading, heights=True)
    possible = as_read if by_height else [*as_read, *moves_to(state, reading, heights=False)]
    if not any(rules.allows(state, move) for move in possible) and is_in_hand(state, reading, by_height):
        return None
    if possible:
        return judged(state, possible, reading, sure_first=bool(as_read))
    if may_be(piles_of(state, state.layout, heights=True), split_by_doubt(reading)):
        return None  # As far as the reading is sure, nothing has changed.
    return despite_doubt(state, reading) or falls.propose(state, reading) or unexplained(state, reading)


def is_in_hand(state: State, reading: StacksReading, heights: bool) -> bool:
    """Whether the only change is a missing die that the player whose turn it is may hold (ST-34)."""
    lying, reading_piles = piles_of(state, state.layout, heights), piles_in(reading, heights)
    singles = {pile_of(state, state.layout, (die,), heights) for die in movable(state, state.turn)}
    comparison = Comparison(lying, reading_piles)
    return any(comparison.matches(Change((single,), ())) for single in singles)


def moves_to(state: State, reading: StacksReading, heights: bool) -> list[Move]:
    """The moves that lead to the reading, compared by tops and heights or by the tops alone."""
    comparison = Comparison(piles_of(state, state.layout, heights), piles_in(reading, heights))
    return [move for move, change in changes(state, state.turn, heights) if comparison.matches(change)]


def judged(state: State, possible: list[Move], reading: StacksReading, sure_first: bool) -> Proposed[Event] | Remark:
    """The move that the rules allow, or a remark why they allow none.

    Compared by tops alone, moves onto piles of different heights look alike. Heights that are sure decide before the
    rules do, so that an illegal move is not taken for another that nobody made.

    sure_first  True: the first is likelier than the others
    """
    refusal, allowed, split = "", [], split_by_doubt(reading)
    for move in [move for move in possible if may_be(piles_after(state, move), split)] or possible:
        try:
            rules.apply(state, move)
        except IllegalEvent as illegal:
            refusal = refusal or illegal.sentence
        else:
            allowed.append(move)
    if not allowed:
        return Remark(_("{refusal} Take the die back, or report the mistake.", refusal=refusal))
    first, *others = distinct(state, allowed)
    return Proposed(
        first,
        confirm=bool(others),
        instead=tuple((move_label(state, move), move) for move in others[:MOST_INSTEAD]),
        which=bool(others) and not sure_first,
        agree=move_label(state, first),
    )


def distinct(state: State, possible: list[Move]) -> list[Move]:
    """The first of the moves that lead to the same table, as far as it can be seen."""
    by_table: dict[tuple[frozenset[tuple[Pile, int]], ...], Move] = {}
    for move in possible:
        by_table.setdefault(tuple(frozenset(piles.items()) for piles in piles_after(state, move)), move)
    return list(by_table.values())


def despite_doubt(state: State, reading: StacksReading) -> Proposed[Event] | None:
    """The question for a move that explains all sure parts of the reading, whatever the unsure parts are."""
    doubted = len(reading.unread) + sum(not stack.top.accepted for stack in reading.stacks)
    if doubted > MOST_DOUBTED or state.turn is None:
        return None
    allowed, split = frozenset(rules.legal(state, state.turn)), split_by_doubt(reading)
    before = piles_of(state, state.layout, heights=True)
    tables = ((move, before.changed(change)) for move, change in changes(state, state.turn, True) if move in allowed)
    fitting = [(move, difference(after, reading)) for move, after in tables if may_be(after, split)]
    if not fitting or len(fitting) > MOST_INSTEAD + 1:
        return None
    first, *others = [move for move, _difference in sorted(fitting, key=lambda pair: pair[1])]
    note = _n(
        "The camera isn't sure of {n} die. Was it this?",
        "The camera isn't sure of {n} dice. Was it this?",
        len(unsure(reading)) + len(reading.unread),
    )
    instead = tuple((move_label(state, move), move) for move in others)
    return Proposed(first, confirm=True, note=note, instead=instead, which=bool(others), agree=move_label(state, first))


def difference(lying: Piles, reading: StacksReading) -> int:
    """The number of piles in the reading that differ from the table."""
    return (piles_in(reading, heights=True) - lying.must).total()


def move_label(state: State, move: Move) -> str:
    """A move in words short enough for a button."""
    die = die_name(state, move.die)
    if isinstance(move, Stacked):
        return _("The {die} onto the {onto}", die=die, onto=die_name(state, move.onto))
    return _("The {die} rolled a {number}", die=die, number=move.value)


def unexplained(state: State, reading: StacksReading) -> Proposed[Event] | Remark | None:
    """The answer to a sure reading that no single move of the current player explains.

    It may be a die rolled and put down at once, another player's move, or more than one move. None while a die was just
    rolled (it may be misread), while an owner chooses a number (the die may show either, ST-54), or with a die of no
    player's colour.
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
    reading_piles = piles_in(reading, heights=True)
    for rolled, lying, puts in rolled_and_stacked(state, state.turn):
        comparison = Comparison(lying, reading_piles)
        if stacked := next((stacked for stacked, change in puts if comparison.matches(change)), None):
            note = _("Was it then put onto the {onto}? Tap that next.", onto=die_name(state, stacked.onto))
            return Proposed(rolled, confirm=True, note=note, agree=move_label(state, rolled))
    comparison = Comparison(piles_of(state, state.layout, heights=True), reading_piles)
    for player in state.players:
        if player != state.turn and any(
            comparison.matches(change) for _move, change in changes(state, player, heights=True)
        ):
            return Remark(  # ST-56
                _(
                    "A {colour} die was moved, but it's {turn}'s turn. Put it back, or report the mistake.",
                    colour=_(colour(state, player)),
                    turn=_(colour(state, state.turn)),
                )
            )
    return Remark(_("No single move leads to this. Tap what was done, or put the dice back."))


def moves(state: State, player: str | None) -> Iterator[Move]:
    """Every move a player can make with one die, legal or not, once for equal dice; none without a player.

    A die that was rolled is not rolled again: a new number is a misread one.
    """
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
    """The dice that a player may play: the one in hand, otherwise all unstacked ones (ST-30, ST-34)."""
    if player is None:
        return ()
    return (state.hand.die,) if state.hand else stacks.unstacked(state.layout, player)


def rolled_and_stacked(state: State, player: str) -> Iterator[tuple[Rolled, Piles, list[tuple[Stacked, Change]]]]:
    """(roll, piles after it, legal moves of the rolled die with their changes) for every possible roll (ST-36)."""
    before = piles_of(state, state.layout, heights=True)
    places = {face: targets(state, player, face) for face in FACES}
    for rolled, change in changes(state, player, heights=True):
        if isinstance(rolled, Rolled):
            turned = replace(state, layout=stacks.turned(state.layout, rolled.die, rolled.value))
            stackings = (Stacked(player, rolled.die, target[-1]) for target in places[rolled.value])
            puts = ((stacked, change_by(turned, stacked, heights=True)) for stacked in stackings)
            yield rolled, before.changed(change), [(stacked, put) for stacked, put in puts if put is not None]


def changes(state: State, player: str | None, heights: bool) -> Iterator[tuple[Move, Change]]:
    """(move, its change) for every move that is physically possible."""
    for move in moves(state, player):
        if (change := change_by(state, move, heights)) is not None:
            yield move, change


def piles_after(state: State, move: Move) -> Piles:
    """The piles after a move that is physically possible."""
    change = change_by(state, move, heights=True)
    assert change is not None
    return piles_of(state, state.layout, heights=True).changed(change)


def change_by(state: State, move: Move, heights: bool) -> Change | None:
    """The change of a move, None when nothing can be put there."""
    layout = state.layout
    single = pile_of(state, layout, (move.die,), heights)
    body, face, high = single
    match move:
        case Stacked(_player, _die, onto):
            under = stacks.stack_under(layout, onto)
            if under is None or len(under) >= FULL_STACK:
                return None
            removed = (single, pile_of(state, layout, under, heights))
            added = ((body, face, len(under) + 1 if heights else 0),)
            return Change(removed, (), added) if len(under) + 1 == FULL_STACK else Change(removed, added)
        case Rolled(_player, _die, value):
            return Change((single,), ((body, value, high),))
