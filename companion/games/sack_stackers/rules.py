"""Sack Stackers by Chris Kingsnorth: the rulebook. Ids are those of the rule sheet (SS-…).

A gift type is named by the letter of its shape: I, O, T, L, S. A column is a string from the bottom upwards.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import product
from typing import get_args

from companion.errors import IllegalEvent
from companion.game.options import Choice, option
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.sack_stackers import groups
from companion.words import N_, _, _n

COLUMNS = SECTIONS = ROWS = 6  # SS-04, SS-05: six sections; six columns, six squares high
CIRCLES = 10  # SS-06, SS-22
CIRCLES_PER_COAL = 2  # SS-23
COAL = "C"
WILD = "?"  # SS-15
BOXES = (*groups.TYPES, WILD)  # SS-04: every section has one box of every type and one wild
GROUP_POINTS = 10  # SS-40
COAL_POINTS = 2  # SS-44
CIRCLE_POINTS = 1  # SS-45
MOST_PLAYERS = 100  # SS-01
WRAPPING_LENGTH = 40


class Range(StrEnum):
    """What happens to a die altered out of 1–6 (SS-24)."""

    OUT_OF_RANGE = "out_of_range"
    STRICT = "strict"
    WRAP = "wrap"


class Overlap(StrEnum):
    """How many groups one gift may belong to (SS-42)."""

    DISJOINT = "disjoint"
    SHARED = "shared"


# SS-03: only the stripes are published; the other four are named here by nobody's sheet until the table says so
WRAPPINGS = (
    (N_("horizontal stripes"), "I"),
    (N_("wrapping 2"), "O"),
    (N_("wrapping 3"), "T"),
    (N_("wrapping 4"), "L"),
    (N_("wrapping 5"), "S"),
)


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet."""

    pattern_map: tuple[tuple[str, str], ...] = option(
        WRAPPINGS,
        N_("Wrappings"),
        N_("Which wrapping on your sheet belongs to which shape; the stripes are the straight line."),
        "SS-03",
    )
    mirror: bool = option(True, N_("Mirror images"), N_("A shape also counts turned over."), "SS-41")
    overlap: Overlap = option(
        Overlap.DISJOINT,
        N_("Groups that overlap"),
        N_("Whether one gift may count in several groups."),
        "SS-42",
        (Choice(Overlap.DISJOINT, N_("Each gift in one group")), Choice(Overlap.SHARED, N_("Gifts may be shared"))),
    )
    exact_groups: bool = option(
        False, N_("Exact groups"), N_("Further gifts of the same type touching a group spoil it."), "SS-43"
    )
    altered_range: Range = option(
        Range.OUT_OF_RANGE,
        N_("A die altered to 0 or 7"),
        N_("What it means to alter a die beyond 1 to 6."),
        "SS-24",
        (
            Choice(Range.OUT_OF_RANGE, N_("Nothing is placed, one coal")),
            Choice(Range.STRICT, N_("Not allowed")),
            Choice(Range.WRAP, N_("0 is 6 and 7 is 1")),
        ),
    )
    voluntary_coal: bool = option(
        False, N_("Coal by choice"), N_("A player who could place a gift may take a coal instead."), "SS-32"
    )


# what may happen


@dataclass(frozen=True)
class Rolled:
    """Both dice were rolled, once, for everybody (SS-10)."""

    dice: tuple[int, int]


@dataclass(frozen=True)
class Mark:
    """A circle was marked: `step` +1 or −1 on die 1 or 2 (SS-20)."""

    die: int
    step: int


class When(StrEnum):
    """Before or after the gift (SS-33)."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class Coal:
    """One coal dropped into a column (SS-31)."""

    column: int
    when: When = When.AFTER


@dataclass(frozen=True)
class Placed:
    """A player marked the box `box` of `section` and dropped `gift` into `column` (SS-11, SS-12).

    gift_die    1 or 2: the die that names the section; the other names the column (SS-13)
    box         the gift's type, or "?" for the wild box (SS-15)
    """

    player: str
    gift_die: int
    section: int
    box: str
    gift: str
    column: int
    marks: tuple[Mark, ...] = ()
    coal: tuple[Coal, ...] = ()


@dataclass(frozen=True)
class Unplaced:
    """A player placed no gift and took the coal for it (SS-32, SS-24), besides any for circles."""

    player: str
    marks: tuple[Mark, ...] = ()
    coal: tuple[Coal, ...] = ()


@dataclass(frozen=True)
class YoungestNamed:
    """The table said who is youngest of those tied for the win; several share it (SS-51)."""

    players: tuple[str, ...]


Event = Rolled | Placed | Unplaced | YoungestNamed | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


# what is on the table


@dataclass(frozen=True)
class Sheet:
    """One player's sheet: the sack's columns bottom-up, the boxes marked, the circles marked."""

    sack: tuple[str, ...] = ("",) * COLUMNS
    boxes: frozenset[tuple[int, str]] = frozenset()
    circles: int = 0

    @property
    def full(self) -> bool:
        """No empty square is left."""
        return all(len(column) >= ROWS for column in self.sack)


@dataclass(frozen=True)
class State:
    """Everything on the table.

    dice        None while the next roll is awaited
    done        the players who finished this turn
    youngest    who was named youngest of `tied`, the players who were tied then (SS-51)
    """

    options: Options
    players: tuple[str, ...]
    sheets: Mapping[str, Sheet]
    turn: int = 1
    dice: tuple[int, int] | None = None
    done: frozenset[str] = frozenset()
    ended: bool = False
    youngest: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    rulings: tuple[Ruling, ...] = ()


def start(options: Options, players: tuple[str, ...]) -> State:
    """Empty sheets for everybody (SS-02, SS-05)."""
    if sorted(shape for _, shape in options.pattern_map) != sorted(groups.TYPES):
        raise IllegalEvent(_("Each of the shapes I, O, T, L, S belongs to one wrapping: give every shape once."))
    if any(not 1 <= len(wrapping) <= WRAPPING_LENGTH for wrapping, _ in options.pattern_map):
        raise IllegalEvent(
            _(
                "The name of a wrapping has 1 to {wrapping_length} characters: shorten it.",
                wrapping_length=WRAPPING_LENGTH,
            )
        )
    if len({wrapping for wrapping, _ in options.pattern_map}) != len(groups.TYPES):
        raise IllegalEvent(_("Two wrappings have the same name: call them differently."))
    if not 1 <= len(players) <= MOST_PLAYERS:
        raise IllegalEvent(
            _("Sack Stackers is for 1 to {most_players} players: choose as many.", most_players=MOST_PLAYERS)
        )
    return State(options, players, {player: Sheet() for player in players})


# a turn


def awaiting(state: State) -> frozenset[str]:
    """Everybody who has not finished the turn (all play at the same time); nobody while the dice are to be rolled."""
    if state.ended or state.dice is None:
        return frozenset()
    return frozenset(state.players) - state.done


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: what the dice allowed and how much coal was due is not asked, only what fits on the
                sheet; a roll begins the next turn, whoever has not finished this one
    """
    match event:
        case Rolled():
            return rolled(state, event, ruled)
        case Placed():
            return placed(state, event, ruled)
        case Unplaced():
            return unplaced(state, event, ruled)
        case YoungestNamed():
            return youngest_named(state, event)
        case Ruling():
            return replace(state, rulings=(*state.rulings, rulings.checked(event, state.players)))
    raise IllegalEvent(_("Sack Stackers knows no such event."))


def rolled(state: State, event: Rolled, ruled: bool) -> State:
    """SS-10: one roll a turn, no re-roll."""
    if state.ended:
        raise IllegalEvent(_("The game is over: start a new one."))
    if not all(1 <= die <= 6 for die in event.dice):
        raise IllegalEvent(_("A die shows 1 to 6: enter what the two dice show."))
    if state.dice is None:
        return replace(state, dice=event.dice)
    if ruled:
        return replace(state, dice=event.dice, done=frozenset(), turn=state.turn + 1)
    raise IllegalEvent(_("The dice are already rolled this turn: finish it, or correct the roll."))  # SS-10


def placed(state: State, event: Placed, ruled: bool) -> State:
    """SS-11, SS-12: a box is marked and the gift falls; coal falls before or after it (SS-33)."""
    sheet = acting_sheet(state, event.player, ruled)
    if event.gift_die not in (1, 2):
        raise IllegalEvent(_("The gift die is the first or the second die: choose one."))
    if event.gift not in groups.TYPES:
        raise IllegalEvent(_("A gift is one of the five types: choose one."))
    if event.box not in (event.gift, WILD):
        raise IllegalEvent(_("Another type needs the wild box: mark the box of the gift's own type."))  # SS-15
    if not 1 <= event.section <= SECTIONS or not 1 <= event.column <= COLUMNS:
        raise IllegalEvent(_("There is no such section or column: both are numbered 1 to 6."))  # SS-24
    check_marks(sheet, event.marks)
    if not ruled:
        dice = altered(state, event.marks)
        for die in dice:
            if not 1 <= die <= 6:  # SS-24
                raise IllegalEvent(
                    _(
                        "A die altered to {die} names no section and no column: alter it to 1 to 6, or place no gift.",
                        die=die,
                    )
                )
        section, column = uses(dice)[event.gift_die - 1]
        if (section, column) != (event.section, event.column):
            raise IllegalEvent(
                _(
                    "With that die for the gift the dice give section {section} and column {column}: choose "
                    "those, or alter a die.",
                    section=section,
                    column=column,
                )
            )
    if (event.section, event.box) in sheet.boxes:
        raise IllegalEvent(_("That box is already marked: choose another in the section."))  # SS-14
    sack = dropped(sheet.sack, event.coal, When.BEFORE)
    if len(sack[event.column - 1]) >= ROWS:
        raise IllegalEvent(
            _("Column {column} is full: choose another use of the dice.", column=event.column)
        )  # SS-12, SS-34
    sack = dropped(drop(sack, event.column, event.gift), event.coal, When.AFTER)
    if not ruled:
        check_coal(coal_for_circles(sheet, event.marks), event.coal, sack)
    return finished(state, event.player, mark(replace(sheet, sack=sack), event.section, event.box, event.marks))


def unplaced(state: State, event: Unplaced, ruled: bool) -> State:
    """SS-32: no gift can be placed, so one coal falls; SS-24: a die altered out of range places nothing."""
    sheet = acting_sheet(state, event.player, ruled)
    check_marks(sheet, event.marks)
    if not ruled and not may_leave_unplaced(state, event):
        raise IllegalEvent(
            _("A gift can be placed with these dice: place one, coal is only for those who cannot.")
        )  # SS-32
    sack = dropped(dropped(sheet.sack, event.coal, When.BEFORE), event.coal, When.AFTER)
    if not ruled:
        check_coal(coal_for_circles(sheet, event.marks) + 1, event.coal, sack)
    return finished(state, event.player, replace(sheet, sack=sack, circles=sheet.circles + len(event.marks)))


def may_leave_unplaced(state: State, event: Unplaced) -> bool:
    """Whether a player may end the turn without a gift."""
    sheet, dice = state.sheets[event.player], altered(state, event.marks)
    due_before = coal_for_circles(sheet, event.marks)  # the coal for being unable cannot be what makes one unable
    first = tuple(coal for coal in event.coal if coal.when is When.BEFORE)[:due_before]
    filled = replace(sheet, sack=dropped(sheet.sack, first, When.BEFORE))
    return (
        state.options.voluntary_coal
        or not placeable(sheet, rolled_dice(state))  # SS-32
        or any(not 1 <= die <= 6 for die in dice)  # SS-24
        or bool(placeable(sheet, dice) and not placeable(filled, dice))  # SS-34: that coal itself took the place
    )


def youngest_named(state: State, event: YoungestNamed) -> State:
    """SS-51: a tie goes to the youngest; twins share it."""
    if not tie_to_break(state):
        raise IllegalEvent(_("No tie has to be broken: the highest total wins."))
    tied = leaders(state)
    if not event.players or not set(event.players) <= set(tied):
        raise IllegalEvent(_("Only players tied for the highest total can be named: choose among them."))
    return replace(state, youngest=tuple(player for player in tied if player in event.players), tied=tied)


# dice


def rolled_dice(state: State) -> tuple[int, int]:
    """The roll of this turn; raises IllegalEvent before it."""
    if state.dice is None:
        raise IllegalEvent(_("The dice have not been rolled: roll both first."))
    return state.dice


def altered(state: State, marks: tuple[Mark, ...]) -> tuple[int, int]:
    """The dice after a player's circles (SS-20); 0 or 7 and beyond as the table plays it (SS-24)."""
    dice = list(rolled_dice(state))
    for circle in marks:
        dice[circle.die - 1] += circle.step
    match state.options.altered_range:
        case Range.STRICT:
            for die in dice:
                if not 1 <= die <= 6:
                    raise IllegalEvent(_("This table does not alter a die to {die}: stay between 1 and 6.", die=die))
        case Range.WRAP:
            dice = [(die - 1) % 6 + 1 for die in dice]
    return dice[0], dice[1]


def uses(dice: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """(section, column) with the first die for the gift, and with the second (SS-13)."""
    return (dice[0], dice[1]), (dice[1], dice[0])


def placeable(sheet: Sheet, dice: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The uses of `dice` that place a gift: an unmarked box in the section, an empty square in the column (SS-32)."""
    return tuple(
        (section, column)
        for section, column in dict.fromkeys(uses(dice))
        if 1 <= section <= SECTIONS
        and 1 <= column <= COLUMNS
        and any((section, box) not in sheet.boxes for box in BOXES)
        and len(sheet.sack[column - 1]) < ROWS
    )


def check_marks(sheet: Sheet, marks: tuple[Mark, ...]) -> None:
    """SS-20 … SS-22, SS-25: any number of circles on either die, ten in a game; a net effect of zero is allowed."""
    if any(circle.die not in (1, 2) or circle.step not in (1, -1) for circle in marks):
        raise IllegalEvent(_("A circle adds or subtracts 1 on the first or the second die: choose which."))
    if sheet.circles + len(marks) > CIRCLES:
        raise IllegalEvent(
            _n(
                "Only {n} circle is left: alter less.",
                "Only {n} circles are left: alter less.",
                CIRCLES - sheet.circles,
            )
        )  # SS-22


# coal


def coal_for_circles(sheet: Sheet, marks: tuple[Mark, ...]) -> int:
    """SS-23: one for every second circle of the game, counted over all turns."""
    return (sheet.circles + len(marks)) // CIRCLES_PER_COAL - sheet.circles // CIRCLES_PER_COAL


def check_coal(due: int, coal: tuple[Coal, ...], sack_after: tuple[str, ...]) -> None:
    """Exactly the coal due has fallen, for circles and for placing nothing (SS-30).

    What no longer fits into a full sack is forfeited (SS-35).
    """
    full = all(len(column) >= ROWS for column in sack_after)
    if len(coal) > due or (len(coal) < due and not full):
        raise IllegalEvent(
            _n(
                "{n} coal is due this turn, not {chosen}: choose the columns.",
                "{n} coal are due this turn, not {chosen}: choose the columns.",
                due,
                chosen=len(coal),
            )
        )


def dropped(sack: tuple[str, ...], coal: tuple[Coal, ...], when: When) -> tuple[str, ...]:
    """The sack after the coal of that moment has fallen, one after the other (SS-31, SS-33)."""
    for piece in coal:
        if piece.when is when:
            if not 1 <= piece.column <= COLUMNS:
                raise IllegalEvent(_("There is no such column for the coal: they are numbered 1 to 6."))
            if len(sack[piece.column - 1]) >= ROWS:
                raise IllegalEvent(_("Column {column} is full: drop the coal elsewhere.", column=piece.column))
            sack = drop(sack, piece.column, COAL)
    return sack


def drop(sack: tuple[str, ...], column: int, thing: str) -> tuple[str, ...]:
    """A gift or coal falls to the lowest empty square of a column (SS-12, SS-31)."""
    return tuple(squares + thing if number == column else squares for number, squares in enumerate(sack, start=1))


# the end of a turn


def acting_sheet(state: State, player: str, ruled: bool) -> Sheet:
    """The sheet of a player who may act now."""
    if player not in state.sheets:
        raise IllegalEvent(_("That player is not in this game: choose one who is."))
    if state.dice is None and not ruled:
        raise IllegalEvent(
            _("The game is over.") if state.ended else _("The dice have not been rolled: roll both first.")
        )
    if player in state.done:
        raise IllegalEvent(_("This player has finished the turn: wait for the next roll, or correct the entry."))
    return state.sheets[player]


def mark(sheet: Sheet, section: int, box: str, marks: tuple[Mark, ...]) -> Sheet:
    """SS-14: a marked box, like a marked circle, is used up."""
    return replace(sheet, boxes=sheet.boxes | {(section, box)}, circles=sheet.circles + len(marks))


def finished(state: State, player: str, sheet: Sheet) -> State:
    """The player's turn is over; when everybody's is, the next begins or the game ends (SS-50)."""
    sheets = {**state.sheets, player: sheet}
    done = state.done | {player}
    if done != frozenset(state.players):
        return replace(state, sheets=sheets, done=done)
    ended = any(each.full for each in sheets.values())
    turn = state.turn if ended else state.turn + 1
    return replace(state, sheets=sheets, done=frozenset(), dice=None, turn=turn, ended=ended)


# what is allowed


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now from this player.

    Every use of the dice with the fewest circles that reach it; due coal is shown after the gift in the leftmost column
    with room, though any column and moment may be chosen (SS-31, SS-33).
    """
    if state.ended:
        return tuple(YoungestNamed((tied,)) for tied in leaders(state)) if tie_to_break(state) else ()
    if state.dice is None:
        return tuple(Rolled((first, second)) for first, second in product(range(1, 7), repeat=2))
    if player not in awaiting(state):
        return ()
    sheet = state.sheets[player]
    found: list[Placed] = []
    reached: set[tuple[int, int]] = set()  # by fewer circles
    for marks in markings(CIRCLES - sheet.circles):
        try:
            dice = altered(state, marks)
        except IllegalEvent:
            continue  # a strict table: these circles lead out of 1–6
        due = coal_for_circles(sheet, marks)
        for gift_die, (section, column) in enumerate(uses(dice), start=1):
            if (section, column) in reached or (section, column) not in placeable(sheet, dice):
                continue
            reached.add((section, column))
            coal = leftmost(drop(sheet.sack, column, groups.TYPES[0]), due)
            found += (
                Placed(player, gift_die, section, box, gift, column, marks, coal)
                for box in BOXES
                if (section, box) not in sheet.boxes
                for gift in (groups.TYPES if box == WILD else (box,))
            )
    return (*found, *unplaced_events(state, player))


@cache
def markings(left: int) -> tuple[tuple[Mark, ...], ...]:
    """Ways to alter the dice, fewest circles first, each change of the sums once; up to 7 away is as far as matters."""
    steps = sorted(product(range(-7, 8), repeat=2), key=lambda change: (abs(change[0]) + abs(change[1]), change))
    return tuple(
        tuple(
            Mark(die, 1 if change > 0 else -1) for die, change in enumerate(pair, start=1) for _ in range(abs(change))
        )
        for pair in steps
        if abs(pair[0]) + abs(pair[1]) <= left
    )


def unplaced_events(state: State, player: str) -> tuple[Unplaced, ...]:
    """Ways to end the turn without a gift: unaltered where that is allowed, and one step out of range (SS-24)."""
    sheet = state.sheets[player]
    out = tuple(
        tuple(Mark(die, step) for _ in range(away))
        for die, value in enumerate(rolled_dice(state), start=1)
        for step, away in ((-1, value), (1, 7 - value))
        if state.options.altered_range is Range.OUT_OF_RANGE and away <= CIRCLES - sheet.circles
    )
    candidates = (
        Unplaced(player, marks, leftmost(sheet.sack, coal_for_circles(sheet, marks) + 1)) for marks in ((), *out)
    )
    return tuple(event for event in candidates if may_leave_unplaced(state, event))


def leftmost(sack: tuple[str, ...], pieces: int) -> tuple[Coal, ...]:
    """Up to `pieces` coal, each in the leftmost column that still has room."""
    coal: tuple[Coal, ...] = ()
    for _piece in range(pieces):
        column = next((number for number, squares in enumerate(sack, start=1) if len(squares) < ROWS), None)
        if column is None:
            break  # SS-35: forfeited
        sack = drop(sack, column, COAL)
        coal += (Coal(column),)
    return coal


# scoring


def found_groups(state: State, player: str) -> Mapping[str, tuple[groups.Group, ...]]:
    """The groups that count on a player's sheet, by type (SS-40 … SS-43)."""
    return groups.count(
        state.sheets[player].sack,
        mirror=state.options.mirror,
        shared=state.options.overlap is Overlap.SHARED,
        exact=state.options.exact_groups,
    )


def isolated_coal(sack: tuple[str, ...]) -> int:
    """Coals without another directly above, below, left or right (SS-44)."""
    squares = {(column, row) for column, held in enumerate(sack) for row, thing in enumerate(held) if thing == COAL}
    return sum(squares.isdisjoint(groups.neighbours(square)) for square in squares)


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of the scoring box (SS-07)."""
    sheet = state.sheets[player]
    number = sum(len(found) for found in found_groups(state, player).values())
    coal, unused = isolated_coal(sheet.sack), CIRCLES - sheet.circles
    return (
        (_n("{n} group", "{n} groups", number), number * GROUP_POINTS, "SS-40"),
        (_n("{n} coal alone", "{n} coals alone", coal), coal * COAL_POINTS, "SS-44"),
        (_n("{n} circle left", "{n} circles left", unused), unused * CIRCLE_POINTS, "SS-45"),
        *rulings.lines(state.rulings, player),
    )


def score(state: State) -> dict[str, int]:
    """Everybody's total if the game ended now (SS-46)."""
    return {player: total(state, player) for player in state.players}


def total(state: State, player: str) -> int:
    """One player's total if the game ended now (SS-46)."""
    return sum(points for _, points, _ in explain(state, player))


def worth(state: State, player: str, gift: str, column: int) -> int:
    """What a gift that falls into a column with room adds to the points."""
    sheet = state.sheets[player]
    after = replace(state, sheets={**state.sheets, player: replace(sheet, sack=drop(sheet.sack, column, gift))})
    return total(after, player) - total(state, player)


def leaders(state: State) -> tuple[str, ...]:
    """The players with the highest total."""
    totals = score(state)
    best = max(totals.values())
    return tuple(player for player in state.players if totals[player] == best)


def tie_to_break(state: State) -> bool:
    """The game is over and the table has to say who is youngest (SS-51)."""
    tied = set(leaders(state))
    if not state.ended or len(tied) == 1:
        return False
    # who has come into the tie since may be younger; who has left it changes nothing while one named is in it
    return not tied <= set(state.tied) or tied.isdisjoint(state.youngest)


def winners(state: State) -> tuple[str, ...]:
    """The Head Elf (SS-51); nobody until the game is over and a tie is broken."""
    if not state.ended or tie_to_break(state):
        return ()
    best = leaders(state)
    return best if len(best) == 1 else tuple(player for player in best if player in state.youngest)


def is_over(state: State) -> bool:
    """Nothing more can happen."""
    return state.ended and not tie_to_break(state)
