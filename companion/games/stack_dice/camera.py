"""The meaning of readings to Stack: a start roll, a drop, a turn's roll, a penalty roll, a move (`moves`)."""

from collections import Counter

from companion.game.readings import DiceReading, Kind, Reading, StacksReading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.stack_dice import moves, stacks
from companion.games.stack_dice.events import AllDropped, Event, PenaltyRolled, Rolled, StartRolled
from companion.games.stack_dice.stacks import DICE, FULL_STACK, DieId
from companion.games.stack_dice.state import Stage, State, colour, stage, yet_to_drop, yet_to_roll
from companion.words import _, joined

ANY_COLOUR = ("white", "grey", None)  # Borrowed dice look so; None is a colour that the reader cannot name.
UNREAD = 1  # It stands in an event for a die that a person is asked about.


def eyes(state: State) -> Eyes:
    """Single dice while a roll is awaited; during the turns the stacks of the whole table.

    Stacks are also read while a rolled die has to be placed (ST-36), and after the last turn while its roll may have
    knocked over a stack (ST-50).
    """
    colours = [colour(state, player) for player in state.players]
    match stage(state):
        case Stage.COUNT if state.no_place:
            return Eyes(above=Kind.STACKS, knows={"players_colours": colours})
        case Stage.OVER | Stage.COUNT:
            return Eyes(above=None)
        case Stage.TURNS if not state.accident and (state.hand is None or state.hand.was is not None):
            return Eyes(above=Kind.STACKS, knows={"players_colours": colours})
    return Eyes(above=Kind.DICE, knows={"players_colours": colours})


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The roll, drop or move that the game waits for, if the reading can be that."""
    match reading:
        case DiceReading():
            return dice(state, reading)
        case StacksReading() if (stage(state) is Stage.TURNS and not state.accident) or state.no_place:
            return moves.propose(state, reading)
    return None


def dice(state: State, reading: DiceReading) -> Proposed[Event] | Remark | None:
    """The meaning of single dice."""
    if not reading.dice and not reading.unread:
        return None
    match stage(state):
        case Stage.START_ROLL:
            return start_roll(state, reading)
        case Stage.DROP:
            return drop(state, reading)
        case Stage.TURNS if state.accident:
            return one_die(state, reading, state.accident.player, PenaltyRolled(state.accident.player, UNREAD))
        case Stage.TURNS if state.hand and state.hand.was is None and state.turn:
            event = Rolled(state.turn, state.hand.die, UNREAD)
            return one_die(state, reading, state.turn, event) or from_the_table(state, reading, state.turn, event)
    return None


def start_roll(state: State, reading: DiceReading) -> Proposed[Event] | Remark:
    """The start roll: one die of each colour that has to roll, or borrowed dice."""
    waiting = yet_to_roll(state)
    by_colour = {colour(state, player): player for player in waiting}
    bodies = [die.colour for die in reading.dice]
    if not reading.unread and all(is_nobodys(state, body) for body in bodies) and len(bodies) in (1, len(waiting)):
        return borrowed(state, reading, waiting)
    if reading.unread or not set(bodies) <= set(by_colour) or len(set(bodies)) != len(bodies):
        return Remark(
            _(
                "To see who starts, roll one die of each of these colours: {colours}. Take the others away, or tap.",
                colours=joined(map(_, by_colour)),
            )
        )
    rolls = tuple((by_colour[str(die.colour)], die.value) for die in reading.dice)
    return Proposed(StartRolled(rolls), tuple(f"rolls.{number}.1" for number in range(len(rolls))))


def borrowed(state: State, reading: DiceReading, waiting: tuple[str, ...]) -> Proposed[Event]:
    """The start roll with dice of no player's colour: one is the next player's, several are in seat order.

    Several dice, or one whose colour the reader cannot name, must be confirmed.
    """
    order = sorted(range(len(reading.dice)), key=lambda index: reading.dice[index].cx)
    rolls = tuple((player, reading.dice[index].value) for player, index in zip(waiting, order, strict=False))
    paths = tuple(f"rolls.{order.index(index)}.1" for index in range(len(order)))
    several = len(order) > 1
    colours = joined(_(colour(state, player)) for player in waiting)
    nameless = any(die.colour is None for die in reading.dice)  # It may have another player's colour.
    note = _("From left to right: {colours}.", colours=colours) if several else ""
    return Proposed(StartRolled(rolls), paths, several or nameless, note)


def is_nobodys(state: State, body: str | None) -> bool:
    """Whether a die of that colour is no player's own, so that any player may have rolled it."""
    return body in ANY_COLOUR and body not in [colour(state, player) for player in state.players]


def drop(state: State, reading: DiceReading) -> Proposed[Event] | Remark | None:
    """The drop of all players who have no dice on the table, by colour (ST-20).

    An unread die belongs to a colour that lacks dice, if only one does. The dice of earlier drops must all be seen, or
    the unread one may be among them.
    """
    waiting = yet_to_drop(state)
    dropped = [colour(state, player) for player in state.players if player not in waiting]
    moved = Counter(die.colour for die in reading.dice if die.colour in dropped)
    still = Counter(die.colour for die in reading.old if die.colour in dropped)
    dropped_before = moved if all(count == DICE for count in (moved + still).values()) else Counter()
    if len(reading.dice) + len(reading.unread) - dropped_before.total() < DICE:
        return None  # These are the dice of the start roll, or a drop that is not complete yet.
    hands: dict[str, list[tuple[int, int]]] = {colour(state, player): [] for player in waiting}
    for index, die in enumerate(reading.dice):
        hands.get(str(die.colour), []).append((index, die.value))
    short = [body for body, hand in hands.items() if len(hand) < DICE]
    if len(short) == 1:
        hands[short[0]] += [(len(reading.dice) + number, UNREAD) for number in range(len(reading.unread))]
    counts = {body: len(hand) for body, hand in hands.items()}
    if set(counts.values()) != {DICE} or sum(counts.values()) + dropped_before.total() != len(reading.dice) + len(
        reading.unread
    ):
        counted = joined(joined((str(number), _(body)), " ") for body, number in counts.items())
        return Remark(
            _(
                "Each player drops {dice} dice, but the camera sees {seen}. Spread them out, or tap them in.",
                dice=DICE,
                seen=counted,
            )
        )
    dice = tuple((player, tuple(value for _, value in hands[colour(state, player)])) for player in waiting)
    places = {
        index: f"dice.{seat}.1.{number}"
        for seat, player in enumerate(waiting)
        for number, (index, _) in enumerate(hands[colour(state, player)])
    }
    return Proposed(
        AllDropped(dice), tuple(places.get(index, "") for index in range(len(reading.dice) + len(reading.unread)))
    )


def one_die(
    state: State, reading: DiceReading, player: str, event: Rolled | PenaltyRolled
) -> Proposed[Event] | Remark | None:
    """The roll of the only die in the picture, None for another number of dice.

    A die that lay there before counts here: a hand that still holds the die may have touched another one.
    """
    if len(reading.dice) + len(reading.unread) != 1 or reading.old:
        return None
    if reading.unread:
        return Proposed(event, ("value",))
    die = reading.dice[0]
    if die.colour != colour(state, player) and not is_nobodys(state, die.colour):
        return Remark(
            _(
                "It's the {colour} player's roll, but the camera sees a {seen} die. Tap what was rolled, or "
                "report the mistake.",
                colour=_(colour(state, player)),
                seen=_(str(die.colour)),
            )
        )
    return Proposed(with_value(event, die.value), ("value",))


def from_the_table(state: State, reading: DiceReading, player: str, event: Rolled) -> Proposed[Event] | Remark | None:
    """The roll among all dice on the table, None when no single die can be the rolled one."""
    roll = rolled_among(state, reading, player, event.die)
    if roll is None:
        return None
    if not reading.accepted or not all(die.accepted for die in reading.old):
        return Remark(_("The camera isn't sure of every die. Tap what the rolled die shows."))
    rolled, sure = roll
    doubted = not sure or rolled == state.layout.faces[event.die]  # Perhaps it was not rolled, but another was touched.
    # It has no paths, as the other dice are no part of the event.
    return Proposed(with_value(event, rolled), (), doubted, _("Was it rolled?") if doubted else "")


def rolled_among(state: State, reading: DiceReading, player: str, die: DieId) -> tuple[int, bool] | None:
    """(face of the player's die in hand, whether it is sure), None unless the others of its colour lie as known.

    A captured stack may stand there or have been taken off the table (ST-35), so its top may pass for the rolled die. A
    roll that looks like a captured stack just taken off goes unnoticed.
    """
    body = colour(state, player)
    values = Counter(top.value for top in (*reading.dice, *reading.old) if top.colour == body)
    own = [pile for pile in stacks.tops(state.layout) if stacks.owner(pile[-1]) == player and pile != (die,)]
    captured = Counter(state.layout.faces[pile[-1]] for pile in own if len(pile) == FULL_STACK)
    others = Counter(state.layout.faces[pile[-1]] for pile in own if len(pile) < FULL_STACK)
    for expected in (others + captured, others):
        left = values - expected
        if values == expected:
            return None  # Only the known dice lie there: the die is still in hand.
        if not expected - values and sum(left.values()) == 1:
            (value,) = left
            return value, expected != others or value not in captured
    return None


def with_value(event: Rolled | PenaltyRolled, value: int) -> Event:
    """The event with the face of its die."""
    match event:
        case Rolled(player, die, _):
            return Rolled(player, die, value)
        case PenaltyRolled(player, _):
            return PenaltyRolled(player, value)
