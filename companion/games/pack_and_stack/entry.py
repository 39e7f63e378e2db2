"""The entry of moves in Pack & Stack: the player, dice, the number of a card, boxes left over.

Draft fields: `who` (the player, on the page of the whole table), `d1` … `d5` (dice), `l1` … `l5` (boxes left over).
"""

from collections.abc import Callable, Iterable

from companion.errors import IllegalEvent
from companion.game.dice import Throw
from companion.game.players import Viewer
from companion.game.widgets import Cell, Choice, Grid, PictureChoice, Tap, Tone, Widget
from companion.games.pack_and_stack import options, rewards
from companion.games.pack_and_stack.drawing import actor, colour_of, truck_picture, truck_taps
from companion.games.pack_and_stack.events import Event, OrderRenewed, Reward, Rolled
from companion.games.pack_and_stack.loads import SIZES, Counts, as_counts, volume
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.state import State, Step, check_unseen, step
from companion.words import _

MOST_ROWS, MOST_COLUMNS = 3, 5  # A small phone has room for two tables of pairs of this size.
BETWEEN = " · "


def who_taps(state: State, viewer: Viewer, prompt: str) -> tuple[Widget[Event], ...]:
    """The choice of the player whose move is entered, on the page of the whole table.

    Players who have finished keep their places, so that nothing moves under a finger.
    """
    if viewer.player is not None:
        return ()
    chosen, waiting = actor(state, viewer), awaiting(state)
    cleared = {"place": "", **{f"{letter}{size}": "" for letter in "dl" for size in SIZES}}
    taps: Iterable[Tap[Event]] = (
        Tap(
            viewer.name(player),
            draft={**cleared, "who": player},
            chosen=player == chosen,
            refused=""
            if player in waiting
            else _("{name} has already done this. If it's wrong, correct the entry.", name=viewer.name(player)),
        )
        for player in state.players
    )
    return (Choice(prompt, tuple(taps)),)


def dice_entry(state: State, viewer: Viewer, event: Callable[[Counts], Event]) -> tuple[Widget[Event], ...]:
    """A row of digits for one die, a table of pairs for two. The last of them enters the roll."""
    typed, dice_faces = _typed(state, viewer), state.options.dice_faces

    def tap(sizes: tuple[int, ...], faces: tuple[int, ...]) -> Tap[Event]:
        words = _("blank") if faces == (0,) else BETWEEN.join(map(str, faces))
        were = tuple(typed[SIZES.index(size)] for size in sizes)
        draft = {f"d{size}": str(face) for size, face in zip(sizes, faces, strict=True)}
        return Tap(words, draft=draft, chosen=faces == were)

    def choice(sizes: tuple[int, ...]) -> Choice[Event]:
        names = (_("Size {size}, {colour}", size=size, colour=_(state.options.box_colours[size - 1])) for size in sizes)
        prompt = BETWEEN.join(names)
        columns, *rows = (sorted({*dice_faces[size - 1]}) for size in sizes)
        if not rows:
            return Choice(prompt, tuple(tap(sizes, (face,)) for face in columns))
        pairs = tuple(tap(sizes, (first, second)) for second in rows[0] for first in columns)
        return Choice(prompt, pairs, columns=len(columns))

    rows = tuple(choice(sizes) for sizes in _rows(dice_faces))
    if None in typed:
        return rows
    dice = as_counts(value or 0 for value in typed)
    label = _("Use this roll ({volume} units)", volume=volume(dice))
    return (Choice("", (Tap(label, event=event(dice), tone=Tone.PRIMARY, at_once=True),)), *rows)


def _rows(faces: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The sizes whose dice are tapped together: two each, but for the smallest, if they show few pairs."""
    alone, *others = SIZES
    rows: list[tuple[int, ...]] = [(alone,)]
    for pair in zip(others[:2], others[2:], strict=True):
        columns, lines = (len({*faces[size - 1]}) for size in pair)
        rows += [pair] if columns <= MOST_COLUMNS and lines <= MOST_ROWS else [(size,) for size in pair]
    return tuple(rows)


def throw(state: State, viewer: Viewer) -> Throw[Event] | None:
    """The five special dice of the player for whom this page acts, while that player has to roll (PS-20, PS-62).

    A New Order is rolled once its card was tapped on this page, which the draft's `card` says.
    """
    owner = state.held.get(Reward.NEW_ORDER)
    is_chosen = viewer.draft.get("card") == Reward.NEW_ORDER and rewards.usable(state, Reward.NEW_ORDER)
    if owner is not None and is_chosen and viewer.player in (None, owner):
        return Throw(state.options.dice_faces, lambda dice: OrderRenewed(owner, as_counts(dice)))
    player = actor(state, viewer)
    if step(state) is not Step.ROLLING or player is None:
        return None
    return Throw(state.options.dice_faces, lambda dice: Rolled(player, as_counts(dice)))


def _typed(state: State, viewer: Viewer) -> list[int | None]:
    """The dice tapped so far; a value that a die cannot show counts as not tapped."""
    faces = zip(SIZES, state.options.dice_faces, strict=True)
    return [_whole(viewer.draft.get(f"d{size}", ""), die) for size, die in faces]


def _whole(text: str, allowed: Iterable[int]) -> int | None:
    return {str(number): number for number in allowed}.get(text)


def card_choice(state: State, event: Callable[[int], Event]) -> PictureChoice[Event]:
    """All trucks, with taps on those that may lie face down."""

    def refused(card: int) -> str:
        try:
            check_unseen(state, card)
        except IllegalEvent as why:
            return str(why)
        return ""

    cards = range(1, len(options.trucks(state.options)) + 1)
    return truck_taps(
        _("Number on the card"), ((truck_picture(state, card), event(card), refused(card)) for card in cards)
    )


def left_beside(state: State, viewer: Viewer, dice: Counts) -> Counts:
    """The left-overs tapped so far; more than was rolled counts as not tapped."""
    return as_counts(
        _whole(viewer.draft.get(f"l{size}", ""), range(number + 1)) or 0
        for size, number in zip(SIZES, dice, strict=True)
    )


def left_over(state: State, viewer: Viewer, dice: Counts) -> Grid[Event]:
    """A row for each size that was rolled, with a tap for each number of boxes that may lie beside the truck."""
    rest, most = left_beside(state, viewer, dice), max(dice)

    def cell(size: int, rolled: int, left: int, number: int) -> Cell[Event]:
        if number > rolled:
            return Cell()
        words = _("Size {size}: {left} of {number}", size=size, left=number, number=rolled)
        tap: Tap[Event] = Tap(words, draft={f"l{size}": str(number)}, chosen=number == left)
        is_chosen = number == left
        return Cell(str(number), colour_of(state, size) if is_chosen else "", "group" if is_chosen else "", tap)

    sizes = [(size, rolled, left) for size, rolled, left in zip(SIZES, dice, rest, strict=True) if rolled]
    rows = tuple(tuple(cell(*of_size, number) for number in range(most + 1)) for of_size in sizes)
    heads = tuple(str(size) for size, _rolled, _left in sizes)
    return Grid(_("How many of each size didn't fit?"), rows, row_heads=heads)
