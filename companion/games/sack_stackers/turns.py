"""A turn of Sack Stackers: the effect of each event (SS-10 … SS-15, SS-32, SS-50, SS-51)."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games import resting
from companion.games.sack_stackers import groups
from companion.games.sack_stackers.coal import check_coal, coal_for_circles, drop, dropped
from companion.games.sack_stackers.dice import altered, check_marks, placeable, uses_of
from companion.games.sack_stackers.events import Mark, Placed, Rolled, Unplaced, When, YoungestNamed
from companion.games.sack_stackers.options import COLUMNS, ROWS, SECTIONS, WILD
from companion.games.sack_stackers.scoring import leaders, tie_to_break
from companion.games.sack_stackers.state import Sheet, State, rolled_dice
from companion.games.seats import check_player
from companion.words import _


def rolled(state: State, event: Rolled, ruled: bool) -> State:
    """SS-10: a turn has one roll and no re-roll."""
    if state.ended:
        raise IllegalEvent(_("The game is over. Start a new one."))
    if not all(1 <= die <= 6 for die in event.dice):
        raise IllegalEvent(_("A die shows 1 to 6. Enter what the two dice show."))
    if state.dice is None:
        return replace(state, dice=event.dice)
    if ruled:
        return replace(state, dice=event.dice, done=frozenset(), turn=state.turn + 1)
    raise IllegalEvent(_("The dice were already rolled this turn. Finish the turn, or correct the roll."))  # SS-10


def placed(state: State, event: Placed, ruled: bool) -> State:
    """SS-11, SS-12: a box is marked and the gift falls; coal falls before or after it (SS-33)."""
    sheet = acting_sheet(state, event.player, ruled)
    if event.gift_die not in (1, 2):
        raise IllegalEvent(_("Which die is for the gift, the first or the second? Choose one."))
    if event.gift not in groups.TYPES:
        raise IllegalEvent(_("A gift is one of the five types. Choose one."))
    if event.box not in (event.gift, WILD):
        raise IllegalEvent(_("Only the wild box takes any type. Mark the box of the gift's own type."))  # SS-15
    if not 1 <= event.section <= SECTIONS or not 1 <= event.column <= COLUMNS:
        raise IllegalEvent(_("There's no such section or column. Both are numbered 1 to 6."))  # SS-24
    check_marks(sheet, event.marks)
    if not ruled:
        dice = altered(state, event.marks)
        for die in dice:
            if not 1 <= die <= 6:  # SS-24
                raise IllegalEvent(
                    _("There's no section or column {die}. Change the die to 1 to 6, or place no gift.", die=die)
                )
        section, column = uses_of(dice)[event.gift_die - 1]
        if (section, column) != (event.section, event.column):
            raise IllegalEvent(
                _(
                    "With that gift die, you get section {section} and column {column}. Choose those, or change a die.",
                    section=section,
                    column=column,
                )
            )
    if (event.section, event.box) in sheet.boxes:
        raise IllegalEvent(_("That box is already marked. Choose another one in the section."))  # SS-14
    sack = dropped(sheet.sack, event.coal, When.BEFORE)
    if len(sack[event.column - 1]) >= ROWS:
        raise IllegalEvent(_("Column {column} is full. Use the dice another way.", column=event.column))  # SS-12, SS-34
    sack = dropped(drop(sack, event.column, event.gift), event.coal, When.AFTER)
    if not ruled:
        check_coal(coal_for_circles(sheet, event.marks), event.coal, sack)
    return finished(state, event.player, mark(replace(sheet, sack=sack), event.section, event.box, event.marks))


def unplaced(state: State, event: Unplaced, ruled: bool) -> State:
    """SS-32: a coal falls when no gift can be placed; SS-24: a die altered out of range places none."""
    sheet = acting_sheet(state, event.player, ruled)
    check_marks(sheet, event.marks)
    if not ruled and not may_leave_unplaced(state, event):
        raise IllegalEvent(
            _("You can place a gift with these dice, so place one. Coal is only for players who can't.")
        )  # SS-32
    sack = dropped(dropped(sheet.sack, event.coal, When.BEFORE), event.coal, When.AFTER)
    if not ruled:
        check_coal(coal_for_circles(sheet, event.marks) + 1, event.coal, sack)
    return finished(state, event.player, replace(sheet, sack=sack, circles=sheet.circles + len(event.marks)))


def may_leave_unplaced(state: State, event: Unplaced) -> bool:
    """Whether a player may end the turn without a gift."""
    sheet, dice = state.sheets[event.player], altered(state, event.marks)
    due_before = coal_for_circles(sheet, event.marks)  # The coal for placing nothing cannot justify itself.
    first = tuple(coal for coal in event.coal if coal.when is When.BEFORE)[:due_before]
    filled = replace(sheet, sack=dropped(sheet.sack, first, When.BEFORE))
    return (
        state.options.voluntary_coal
        or not placeable(sheet, rolled_dice(state))  # SS-32
        or any(not 1 <= die <= 6 for die in dice)  # SS-24
        or bool(placeable(sheet, dice) and not placeable(filled, dice))  # SS-34: the coal took the gift's place
    )


def youngest_named(state: State, event: YoungestNamed) -> State:
    """SS-51: a tie goes to the youngest; twins share it."""
    if not tie_to_break(state):
        raise IllegalEvent(_("There's no tie. The highest total wins."))
    tied = leaders(state)
    if not event.players or not set(event.players) <= set(tied):
        raise IllegalEvent(_("Choose one of the players tied for the highest total."))
    return replace(state, youngest=tuple(player for player in tied if player in event.players), tied=tied)


def acting_sheet(state: State, player: str, ruled: bool) -> Sheet:
    """The sheet of a player who may act now; raises IllegalEvent for any other player."""
    check_player(state.players, player)
    if state.dice is None and not ruled:
        raise IllegalEvent(
            _("The game is over.") if state.ended else _("The dice haven't been rolled. Roll both first.")
        )
    if not ruled:
        resting.check_plays(state.resting, player)
    if player in state.done:
        raise IllegalEvent(_("This player has finished this turn. Wait for the next roll, or correct the entry."))
    return state.sheets[player]


def mark(sheet: Sheet, section: int, box: str, marks: tuple[Mark, ...]) -> Sheet:
    """The sheet with one more marked box and more marked circles, all used up (SS-14)."""
    return replace(sheet, boxes=sheet.boxes | {(section, box)}, circles=sheet.circles + len(marks))


def finished(state: State, player: str, sheet: Sheet) -> State:
    """The state after a player's turn; when all have finished, the next turn begins or the game ends (SS-50)."""
    return at_end_of_turn(replace(state, sheets={**state.sheets, player: sheet}, done=state.done | {player}))


def at_end_of_turn(state: State) -> State:
    """The next turn or the end, once all who do not rest have finished this one (SS-50); else the state as it is."""
    if not state.done | state.resting >= frozenset(state.players):
        return state
    ended = any(sheet.full for sheet in state.sheets.values())
    turn = state.turn if ended else state.turn + 1
    return replace(state, done=frozenset(), dice=None, turn=turn, ended=ended)


def rested(state: State, event: resting.Event) -> State:
    """Our reading of SS-50 for a player who left for a while: everybody has a sheet of their own, so the others finish
    the turn and roll again. A turn that was missed marks no box and drops no coal.
    """
    if state.ended:
        raise IllegalEvent(_("The game is over. Start a new one."))
    return at_end_of_turn(replace(state, resting=resting.changed(state.resting, event, state.players)))
