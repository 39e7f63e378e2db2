"""The meaning of the board seen from above to Sandpile Panic: which play explains it, or what was put down wrongly."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.errors import IllegalEvent
from companion.game.readings import BoardReading, Kind, Reading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.sandpile_panic import advice, rules
from companion.games.sandpile_panic import board as sand
from companion.games.sandpile_panic.advice import Explained
from companion.games.sandpile_panic.board import Seen, Tops
from companion.games.sandpile_panic.events import Event, Placed, Toppled
from companion.games.sandpile_panic.state import Stage, State, awaiting, letters, stage
from companion.games.sandpile_panic.telling import told
from companion.words import _

MOST_INSTEAD = 4  # of several plays that look alike; more are for the page "How does it lie now?"
MOST_DOUBTED = 8  # spaces; of more a hand covers part of the board, and too much would look like a play
MOST_STEPS = 400  # placed pieces and topples looked at for a turn that is not finished, about 50 ms on a laptop
SOON_POSITIONS = 15_000  # looked at for a play, about a fifth of a second on a laptop: the players are waiting


def eyes(state: State) -> Eyes:
    """The board, in the colours of the pieces that are played; nothing once it is over."""
    colours = [sand.NAMES[letter] for letter in letters(state)]
    over = stage(state) is Stage.OVER
    return Eyes(None if over else Kind.BOARD, knows={"colours": colours, "board_n": len(sand.rows(state.board))})


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The play that leads from the board as it stood to the tops that are seen (SP-38)."""
    if not isinstance(reading, BoardReading):
        return None
    try:
        seen = advice.seen_tops(state, [[cell.colour for cell in row] for row in reading.cells])
    except IllegalEvent as refusal:
        return Remark(refusal.sentence)
    cells = {
        at: cell
        for line, row in zip(sand.rows(state.board), reading.cells, strict=True)
        for at, cell in zip(line, row, strict=True)
    }
    if seen == sand.tops(state.board):
        names = sand.rows(state.board)
        return grown(
            state,
            seen,
            {at: cell.height for at, cell in cells.items()},
            [names[row][column] for row, column in reading.changed],
        )
    before = sand.tops(state.board)
    changed_first = sorted(cells, key=lambda at: seen[at] == before[at])
    unsure = tuple(at for at in changed_first if not cells[at].accepted)
    explained = advice.explanations(state, seen, bound=SOON_POSITIONS)
    proposed = turn(explained, unsure)
    if proposed and not proposed.confirm and not unsure:
        return or_unfinished(proposed, state, seen)
    proposed = proposed or step(state, seen, explained.complete) or (None if unsure else after_unseen(state, seen))
    return proposed or (despite_doubt(state, seen, unsure) if unsure else Remark(explained.why))


def grown(
    state: State, seen: Tops, heights: Mapping[str, int | None], changed: Sequence[str]
) -> Proposed[Event] | None:
    """A piece on a pile with the same top changes no top. It shows where the picture tells heights, or does not look as
    it did when the table last rested, and is asked.

    Such a pile is the player's own, or pink under another pink piece (SP-52).
    """
    higher = [at for at, pile in state.board.items() if heights[at] is not None and heights[at] != len(pile)]
    if len(higher) == 1 and heights[higher[0]] != len(state.board[higher[0]]) + 1:
        return None
    where = higher if len(higher) == 1 else changed
    if len(where) != 1:
        return None
    alike = [play for play in unseen_plays(state) if play.at == where[0]]
    if not alike or sand.tops(state.board) != seen:
        return None
    note = to_topple(rules.apply(state, alike[0])) or _("The pile on {at} looks higher.", at=where[0])
    return Proposed(alike[0], confirm=True, note=note)


def after_unseen(state: State, seen: Seen) -> Proposed[Event] | None:
    """A piece on a top of its own colour, where nobody said that it was put there and the next play explains the board
    only after it; always a question."""
    grew = [(play, after) for play in unseen_plays(state) if not sand.ready((after := rules.apply(state, play)).board)]
    bound = SOON_POSITIONS // max(1, len(grew))
    alike = [play for play, after in grew if advice.explanations(after, seen, bound=bound).plays]
    if not alike:
        return None
    first, *others = alike
    return Proposed(
        first,
        confirm=True,
        note=_("Then the next play would explain the board: was this piece put there?"),
        instead=tuple((told(other), other) for other in others[:MOST_INSTEAD]),
        which=bool(others),
        goes_on=True,
    )


def unseen_plays(state: State) -> list[Placed]:
    """A piece on a top of its own colour, which changes no top (SP-21, SP-52)."""
    return [
        event
        for event in single_steps(state)
        if isinstance(event, Placed) and sand.tops(rules.apply(state, event).board) == sand.tops(state.board)
    ]


def turn(explained: Explained, unsure: tuple[str, ...]) -> Proposed[Event] | None:
    """A turn played to its end. A search that gave up says nothing of the ways it did not try: then it is asked."""
    if not explained.plays:
        return None
    first, *others = explained.plays
    open_question = bool(others) or not explained.complete
    return Proposed(
        first.event,
        confirm=open_question,
        note=doubt(explained, unsure),
        instead=tuple((told(play.event), play.event) for play in others[:MOST_INSTEAD]),
        which=open_question,
    )


def doubt(explained: Explained, unsure: tuple[str, ...]) -> str:
    """What a person has to know before saying yes to a turn; "" when nothing is open."""
    if len(explained.plays) > 1 and not explained.complete:
        return _("Several plays look like this, and not every way could be tried: which was it?")
    if len(explained.plays) > 1:
        return _("Several plays look like this: which was it?")
    if not explained.complete:
        return _("Not every way could be tried: was it played just so?")
    return _("Not sure: {spaces}.", spaces=", ".join(unsure[: advice.FEW])) if unsure else ""


def despite_doubt(state: State, seen: Tops, unsure: tuple[str, ...]) -> Proposed[Event] | Remark:
    """The play that explains all that is surely seen, whatever lies where the camera is not sure; always a question.

    Where none does, what is surely wrong; where nothing is surely otherwise, what the camera is not sure of.
    """
    sure = {at: None if at in unsure else top for at, top in seen.items()}
    if len(unsure) > MOST_DOUBTED or sand.agrees(sure, sand.tops(state.board)):
        spaces = ", ".join(unsure[: advice.FEW])
        return Remark(_("The camera is not sure of {spaces}: take your hand away, or tap the move.", spaces=spaces))
    explained = advice.explanations(state, sure, bound=SOON_POSITIONS)
    nearest = sorted(explained.plays, key=lambda play: unlike(seen, sand.tops(play.state.board)))
    proposed = turn(replace(explained, plays=tuple(nearest)), unsure) or step(state, sure, explained.complete)
    proposed = proposed or after_unseen(state, sure)
    return replace(proposed, confirm=True) if proposed else Remark(explained.why)


def unlike(seen: Tops, shown: Tops) -> int:
    """On how many spaces two boards differ."""
    return sum(top != shown[at] for at, top in seen.items())


def or_unfinished(proposed: Proposed[Event], state: State, seen: Seen) -> Proposed[Event]:
    """The turn, asked about where the board may look like this while more has to topple (SP-30): how, nobody knows."""
    begun, complete = steps(state)
    alike = [each.first for each in begun if sand.ready(each.after.board) and each.looks(seen)]
    if alike:
        instead = tuple((_("{begun}; more has to topple", begun=told(first)), first) for first in dict.fromkeys(alike))
        note = _("Is the turn over, or does more have to topple?")
        return replace(proposed, confirm=True, note=note, instead=instead[:MOST_INSTEAD], which=True)
    if not complete:
        return replace(proposed, confirm=True, note=_("Not every way could be tried: was it played just so?"))
    return proposed


def step(state: State, seen: Seen, complete: bool) -> Proposed[Event] | None:
    """A piece put down, or one pile toppled, where more has to topple (SP-30); what was done after it is seen again.

    complete    no whole turn looks like this, and every way was tried
    """
    begun, all_begun = steps(state)
    alike = [each for each in begun if each.looks(seen)]
    if not alike:
        return None
    first, after, single = alike[0]
    others = [other for other in dict.fromkeys(each.first for each in alike) if other != first]
    return Proposed(
        first,
        confirm=not (complete and all_begun and single) or bool(others),
        note=to_topple(after),
        instead=tuple((told(other), other) for other in others[:MOST_INSTEAD]),
        which=bool(others),
    )


def to_topple(state: State) -> str:
    """Which piles have to topple now, "" when none has."""
    ready = sand.ready(state.board)
    return _("Now these have to topple: {spaces}.", spaces=", ".join(ready)) if ready else ""


class Begun(NamedTuple):
    """A turn that has begun: the first thing done, the board now, and whether no more was done than that."""

    first: Placed | Toppled
    after: State
    single: bool

    def looks(self, seen: Seen) -> bool:
        """Whether the board may look so."""
        return sand.agrees(seen, sand.tops(self.after.board))


def steps(state: State) -> tuple[tuple[Begun, ...], bool]:
    """Every board that a turn passes through, the soonest first, and whether that is all: no more than MOST_STEPS are
    looked at."""
    waiting: deque[tuple[Placed | Toppled | None, State, Placed | Toppled]] = deque()
    waiting += ((None, state, event) for event in single_steps(state))
    found: dict[tuple[str, ...], Begun] = {}
    for _looked in range(MOST_STEPS):
        if not waiting:
            break
        first, before, event = waiting.popleft()
        after = rules.apply(before, event)
        board = tuple(after.board.values())
        if board in found:
            continue
        found[board] = Begun(first or event, after, first is None)
        if sand.ready(after.board):
            waiting += ((first or event, after, next_) for next_ in single_steps(after))
    return tuple(found.values()), not waiting


def single_steps(state: State) -> Iterator[Placed | Toppled]:
    """What may be done next to the board."""
    for player in awaiting(state):
        yield from (event for event in rules.legal(state, player) if isinstance(event, Placed | Toppled))


# the board, to be set up again
