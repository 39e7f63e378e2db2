"""What counts of a draft of Sack Stackers: legal circles, a box that the dice reach, coal that is due and fits."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games.sack_stackers.coal import coal_for_circles, drop, dropped
from companion.games.sack_stackers.dice import altered, check_marks, uses_of
from companion.games.sack_stackers.entry import Draft
from companion.games.sack_stackers.events import Mark, Placed, Unplaced, When
from companion.games.sack_stackers.options import COLUMNS, ROWS
from companion.games.sack_stackers.state import Sheet, State
from companion.games.sack_stackers.turns import may_leave_unplaced
from companion.words import _


def with_legal_circles(state: State, sheet: Sheet, draft: Draft) -> tuple[Draft, str]:
    """(the draft without circles that may not be marked, the sentence that refuses the one tapped last)."""
    legal: tuple[Mark, ...] = ()
    refusal = ""
    for mark in draft.marks:
        try:
            check_marks(sheet, (*legal, mark))
            altered(state, (*legal, mark))
        except IllegalEvent as why:
            refusal = str(why)
        else:
            legal, refusal = (*legal, mark), ""
    return replace(draft, marks=legal), refusal


def with_fitting_coal(state: State, player: str, draft: Draft, dice: tuple[int, int]) -> tuple[Draft, str]:
    """(the draft without coal that is not due or finds no room, the sentence that refuses the piece tapped last)."""
    due, refusal = coal_due(state, event_of(player, draft, dice)), ""
    fitting = replace(draft, coal=(), numbers=())
    for number, piece in zip(draft.numbers, draft.coal, strict=True):
        more = replace(fitting, coal=(*fitting.coal, piece), numbers=(*fitting.numbers, number))
        try:
            first = dropped(state.sheets[player].sack, more.coal, When.BEFORE)
            sack_after(first, event_of(player, more, dice))
        except IllegalEvent as why:
            refusal = str(why)
            continue
        if len(more.coal) > due:
            refusal = _("No more coal drops this turn.")
        else:
            fitting, refusal = more, ""
    return fitting, refusal


def without_unreachable_box(draft: Draft, dice: tuple[int, int]) -> Draft:
    """The draft, without its box if these dice do not reach it; a correction may begin with such a box."""
    if draft.box and not any(section == draft.box[0] and 1 <= column <= COLUMNS for section, column in uses_of(dice)):
        return replace(draft, box=None, gift=None)
    return draft


def event_of(player: str, draft: Draft, dice: tuple[int, int]) -> Placed | Unplaced:
    """The event that the draft stands for: a placed gift once box and gift are chosen, otherwise none placed."""
    if draft.box and draft.gift:
        section, box = draft.box
        for gift_die, (use_section, column) in enumerate(uses_of(dice), start=1):
            if use_section == section and 1 <= column <= COLUMNS:
                return Placed(player, gift_die, section, box, draft.gift, column, draft.marks, draft.coal)
    return Unplaced(player, draft.marks, draft.coal)


def sack_after(first: tuple[str, ...], event: Placed | Unplaced) -> tuple[str, ...]:
    """The sack after the move; `first` is the sack after the coal that falls before the gift."""
    if isinstance(event, Placed) and len(first[event.column - 1]) < ROWS:
        first = drop(first, event.column, event.gift)
    return dropped(first, event.coal, When.AFTER)


def coal_due(state: State, event: Placed | Unplaced) -> int:
    """The coal due for this move: for circles, and for placing no gift."""
    return coal_for_circles(state.sheets[event.player], event.marks) + leaves_unplaced(state, event)


def leaves_unplaced(state: State, event: Placed | Unplaced) -> bool:
    """Whether a move places no gift, and may."""
    return isinstance(event, Unplaced) and may_leave_unplaced(state, event)
