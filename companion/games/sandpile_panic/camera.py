"""The meaning of a board reading to Sandpile Panic: the play that explains it, or a remark about a wrong piece."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.errors import IllegalEvent
from companion.game.readings import BoardReading, Kind, Reading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.sandpile_panic import advice, rules
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.advice import Explained
from companion.games.sandpile_panic.board import Tops, UnsureTops
from companion.games.sandpile_panic.events import Event, Placed, Toppled
from companion.games.sandpile_panic.state import Stage, State, awaiting, letters, stage
from companion.games.sandpile_panic.wording import play_label
from companion.words import _, joined

MOST_INSTEAD = 4  # With more plays that look alike, players use the page "How does it lie now?".
MOST_DOUBTED = 8  # With more unsure spaces, a hand covers part of the board, and too much would look like a play.
MOST_STEPS = 400  # So many steps of an unfinished turn take about 50 ms on a laptop.
SOON_POSITIONS = 15_000  # Players wait while these are looked at: it takes a fifth of a second on a laptop.


def eyes(state: State) -> Eyes:
    """The request to read the board, with the colours in play; no reading once the game is over."""
    colours = [boards.NAMES[letter] for letter in letters(state)]
    over = stage(state) is Stage.OVER
    return Eyes(None if over else Kind.BOARD, knows={"colours": colours, "board_n": len(boards.rows(state.board))})


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The play that leads from the known board to the seen tops (SP-38)."""
    if not isinstance(reading, BoardReading):
        return None
    try:
        tops = advice.tops_of_grid(state, [[cell.colour for cell in row] for row in reading.cells])
    except IllegalEvent as refusal:
        return Remark(refusal.sentence)
    cells = {
        at: cell
        for line, row in zip(boards.rows(state.board), reading.cells, strict=True)
        for at, cell in zip(line, row, strict=True)
    }
    if tops == boards.tops(state.board):
        names = boards.rows(state.board)
        return same_top(
            state,
            tops,
            {at: cell.height for at, cell in cells.items()},
            [names[row][column] for row, column in reading.changed],
        )
    before = boards.tops(state.board)
    changed_first = sorted(cells, key=lambda at: tops[at] == before[at])
    unsure = tuple(at for at in changed_first if not cells[at].accepted)
    explained = advice.explanations(state, tops, bound=SOON_POSITIONS)
    proposed = whole_turn(explained, unsure)
    if proposed and not proposed.confirm and not unsure:
        return or_unfinished(proposed, state, tops)
    proposed = proposed or unfinished_turn(state, tops, explained.complete)
    proposed = proposed or (None if unsure else after_unseen(state, tops))
    return proposed or (despite_doubt(state, tops, unsure) if unsure else Remark(explained.why))


def same_top(
    state: State, tops: Tops, heights: Mapping[str, int | None], changed: Sequence[str]
) -> Proposed[Event] | None:
    """The question about a piece on a pile with the same top, when a height or a change in the picture shows it.

    Such a pile has the player's own top, or a pink one under another pink piece (SP-52).

    heights     space → height in the picture, None if not visible
    changed     spaces that look different from the last rest
    """
    higher = [at for at, pile in state.board.items() if heights[at] is not None and heights[at] != len(pile)]
    if len(higher) == 1 and heights[higher[0]] != len(state.board[higher[0]]) + 1:
        return None
    spaces = higher if len(higher) == 1 else changed
    if len(spaces) != 1:
        return None
    plays = [play for play in unseen_plays(state) if play.at == spaces[0]]
    if not plays or boards.tops(state.board) != tops:
        return None
    note = to_topple(rules.apply(state, plays[0])) or _("The pile on {at} looks higher.", at=boards.spot(spaces[0]))
    return Proposed(plays[0], confirm=True, note=note, agree=play_label(plays[0]))


def after_unseen(state: State, tops: UnsureTops) -> Proposed[Event] | None:
    """The question about a piece that changed no top and was not entered, if the next play explains the board then."""
    possible = [
        (play, after) for play in unseen_plays(state) if not boards.ready((after := rules.apply(state, play)).board)
    ]
    bound = SOON_POSITIONS // max(1, len(possible))
    plays = [play for play, after in possible if advice.explanations(after, tops, bound=bound).plays]
    if not plays:
        return None
    first, *others = plays
    return Proposed(
        first,
        confirm=True,
        note=_("Then the next move would explain the board. Was this piece put there?"),
        instead=tuple((play_label(other), other) for other in others[:MOST_INSTEAD]),
        which=bool(others),
        goes_on=True,
        agree=play_label(first),
    )


def unseen_plays(state: State) -> list[Placed]:
    """The legal placements that change no top: a piece on its own colour (SP-21, SP-52)."""
    return [
        event
        for event in single_steps(state)
        if isinstance(event, Placed) and boards.tops(rules.apply(state, event).board) == boards.tops(state.board)
    ]


def whole_turn(explained: Explained, unsure: tuple[str, ...]) -> Proposed[Event] | None:
    """The turn that explains the board; a question for several of them, or if the search gave up."""
    if not explained.plays:
        return None
    first, *others = explained.plays
    open_question = bool(others) or not explained.complete
    return Proposed(
        first.event,
        confirm=open_question,
        note=doubt_note(explained, unsure),
        instead=tuple((play_label(play.event), play.event) for play in others[:MOST_INSTEAD]),
        which=open_question,
        agree=play_label(first.event),
    )


def doubt_note(explained: Explained, unsure: tuple[str, ...]) -> str:
    """The reason to look before confirming a turn, "" when there is no doubt."""
    if len(explained.plays) > 1 and not explained.complete:
        return _("Several moves look like this, and not every way could be tried. Which was it?")
    if len(explained.plays) > 1:
        return _("Several moves look like this. Which was it?")
    if not explained.complete:
        return _("Not every way could be tried. Was it played just like this?")
    return _("Not sure: {spaces}.", spaces=joined(map(boards.spot, unsure[: advice.MOST_SPACES]))) if unsure else ""


def despite_doubt(state: State, tops: Tops, unsure: tuple[str, ...]) -> Proposed[Event] | Remark:
    """The question about a play that explains all sure spaces, whatever lies on the unsure ones.

    A remark if none does: about the wrong space, or about the unsure spaces if no sure one has changed.
    """
    sure = {at: None if at in unsure else top for at, top in tops.items()}
    if len(unsure) > MOST_DOUBTED or boards.agrees(sure, boards.tops(state.board)):
        spaces = joined(map(boards.spot, unsure[: advice.MOST_SPACES]))
        return Remark(_("The camera isn't sure of {spaces}. Take your hand away, or tap the move.", spaces=spaces))
    explained = advice.explanations(state, sure, bound=SOON_POSITIONS)
    nearest = sorted(explained.plays, key=lambda play: difference(tops, boards.tops(play.state.board)))
    proposed = whole_turn(replace(explained, plays=tuple(nearest)), unsure)
    proposed = proposed or unfinished_turn(state, sure, explained.complete) or after_unseen(state, sure)
    return replace(proposed, confirm=True) if proposed else Remark(explained.why)


def difference(tops: Tops, others: Tops) -> int:
    """The number of spaces where two boards differ."""
    return sum(top != others[at] for at, top in tops.items())


def or_unfinished(proposed: Proposed[Event], state: State, tops: UnsureTops) -> Proposed[Event]:
    """The turn; as a question if the board may also look like this while more has to topple (SP-30)."""
    partial_turns, complete = steps(state)
    firsts = [part.first for part in partial_turns if boards.ready(part.after.board) and part.matches(tops)]
    if firsts:
        instead = tuple(
            (_("{begun}; more has to topple", begun=play_label(first)), first) for first in dict.fromkeys(firsts)
        )
        note = _("Is the turn over, or does more have to topple?")
        return replace(proposed, confirm=True, note=note, instead=instead[:MOST_INSTEAD], which=True)
    if not complete:
        return replace(proposed, confirm=True, note=_("Not every way could be tried. Was it played just like this?"))
    return proposed


def unfinished_turn(state: State, tops: UnsureTops, complete: bool) -> Proposed[Event] | None:
    """The first step of an unfinished turn: a piece placed or a pile toppled; the next look shows the steps after it.

    complete    True: every way was tried, and no whole turn looks like this
    """
    partial_turns, all_tried = steps(state)
    matching = [part for part in partial_turns if part.matches(tops)]
    if not matching:
        return None
    first, after, single = matching[0]
    others = [other for other in dict.fromkeys(part.first for part in matching) if other != first]
    return Proposed(
        first,
        confirm=not (complete and all_tried and single) or bool(others),
        note=to_topple(after),
        instead=tuple((play_label(other), other) for other in others[:MOST_INSTEAD]),
        which=bool(others),
        agree=play_label(first),
    )


def to_topple(state: State) -> str:
    """A sentence that lists the piles to topple now, "" for none."""
    ready = boards.ready(state.board)
    return _("Now these have to topple: {spaces}.", spaces=joined(map(boards.spot, ready))) if ready else ""


class PartialTurn(NamedTuple):
    """A turn up to one of its steps: the first step, the state now, and whether it has only this step."""

    first: Placed | Toppled
    after: State
    single: bool

    def matches(self, tops: UnsureTops) -> bool:
        """Whether the board may have these tops now."""
        return boards.agrees(tops, boards.tops(self.after.board))


def steps(state: State) -> tuple[tuple[PartialTurn, ...], bool]:
    """(every board that a turn may pass through, earliest first; whether all fit into MOST_STEPS)."""
    waiting: deque[tuple[Placed | Toppled | None, State, Placed | Toppled]] = deque()
    waiting += ((None, state, event) for event in single_steps(state))
    turns: dict[tuple[str, ...], PartialTurn] = {}
    for _step in range(MOST_STEPS):
        if not waiting:
            break
        first, before, event = waiting.popleft()
        after = rules.apply(before, event)
        board = tuple(after.board.values())
        if board in turns:
            continue
        turns[board] = PartialTurn(first or event, after, first is None)
        if boards.ready(after.board):
            waiting += ((first or event, after, next_) for next_ in single_steps(after))
    return tuple(turns.values()), not waiting


def single_steps(state: State) -> Iterator[Placed | Toppled]:
    """The legal next steps on the board."""
    for player in awaiting(state):
        yield from (event for event in rules.legal(state, player) if isinstance(event, Placed | Toppled))
