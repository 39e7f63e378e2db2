"""Every outcome of a placement, and the plays that explain the colours seen afterwards.

`search` tries the orders and sides; this module applies its results to a turn.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from companion.errors import IllegalEvent
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import rules, turns
from companion.games.sandpile_panic.board import Tops, UnsureTops
from companion.games.sandpile_panic.events import Placed, ToppledRest, Turned
from companion.games.sandpile_panic.outcomes.ranking import Ranking, Worth
from companion.games.sandpile_panic.outcomes.search import Code, End, Ends, Field, Firings, Lazy, ends, firings
from companion.games.sandpile_panic.state import State, on_turn, open_tops
from companion.games.sandpile_panic.turns import not_there
from companion.words import _, _n, joined

MOST_POSITIONS = 60_000  # Six topples have needed up to 33,225 on the boards of `companion bench sandpile` (SP-38).
FEW_POSITIONS = 2_000  # The sentence about a board that nothing explains has these when all others are used up.
MOST_SPACES = 4  # A sentence names no more spaces.
MOST_PLAYS = 40  # More explanations of one placement help nobody.


@dataclass(frozen=True)
class Outcome:
    """One way in which a turn may end: its event, and the state when the last pile has toppled.

    Other orders and sides may lead to the same board; the event has one of them. In `state`, board, spilled pieces and
    the end of the game are right; the highest pile on the way (SP-39) and the next turn are not computed.
    """

    event: Turned | ToppledRest
    state: State


class Beginning(NamedTuple):
    """A turn before its topples: the event without them, and the state with the piece placed."""

    event: Turned | ToppledRest
    state: State


class Endings(Lazy[Outcome]):
    """The outcomes of a search, each computed when it is accessed."""

    def __init__(self, beginning: Beginning, ends: Ends) -> None:
        super().__init__(ends.codes, lambda code: outcome_of(beginning, ends.field, ends.way_to(code)))
        self.beginning = beginning
        self.ends = ends


@dataclass(frozen=True)
class Outcomes:
    """The distinct outcomes; with `complete` False the search gave up, and there may be many more."""

    endings: Endings
    complete: bool


@dataclass(frozen=True)
class Explained:
    """The plays that explain a seen board, or a sentence about it if none does; `complete` as in `Outcomes`."""

    plays: tuple[Outcome, ...]
    complete: bool
    why: str = ""


def outcomes(state: State, play: Placed | None = None, bound: int = MOST_POSITIONS) -> Outcomes:
    """The distinct outcomes of the turn after `play`, or, without it, of the turn whose piles are toppling.

    bound       number of positions that may be looked at

    Raises IllegalEvent for a play that is not allowed.
    """
    beginning = current_turn(state) if play is None else begun(state, play)
    search = ends(Field(beginning.state.board, firings(beginning.state.board)), bound)
    return Outcomes(Endings(beginning, search), search.complete)


def only_outcome(state: State, bound: int) -> Outcome | None:
    """The outcome of the current turn if no choice matters; None if one does, or more than `bound` positions would
    have to be looked at."""
    beginning, fired = current_turn(state), firings(state.board)
    if sum(fired.topples.values()) >= bound:
        return None  # Even a single way looks at a position for each topple.
    field = Field(state.board, fired)
    search = ends(field, bound, most=2)
    return outcome_of(beginning, field, search.ends[0]) if search.complete and len(search.ends) == 1 else None


def begun(state: State, play: Placed) -> Beginning:
    """The turn that begins with a placement; raises IllegalEvent for one that is not allowed."""
    return Beginning(Turned(play.player, play.at, play.pink), turns.placed(state, play, ruled=False))


def current_turn(state: State) -> Beginning:
    """The turn of the player who topples now; raises IllegalEvent when nobody does."""
    if state.mover is None:
        raise IllegalEvent(_("Nothing topples now. Choose a space first."))
    return Beginning(ToppledRest(state.mover, ()), state)


def outcome_of(beginning: Beginning, field: Field, end: End) -> Outcome:
    """The outcome of a turn whose topples are known; missing pieces have spilled (SP-37)."""
    state = beginning.state
    missing = "".join((Counter("".join(field.start)) - Counter("".join(end.position))).elements())
    spilled = state.spilled + missing
    over = replace(
        state, board=field.board(state.board, end.position), spilled=spilled, mover=None, ended=bool(spilled)
    )
    return Outcome(replace(beginning.event, topples=end.topples), over)


def ranked(endings: Endings, player: str) -> Lazy[Outcome]:
    """The outcomes, best for a player first: a won game, then the lead over the best rival."""
    field, state = endings.ends.field, endings.beginning.state
    ended = bool(field.spilled or state.spilled)
    ranking = Ranking(state, player, field.spaces, ended=ended)
    worth: dict[Code, Worth] = {}  # Many boards look the same from above, so their top pieces are the key.
    for code in endings.codes:
        look = code & field.tops
        if look not in worth:
            worth[look] = ranking.worth(field.top_colours(code))
    return Lazy(sorted(endings.codes, key=lambda code: worth[code & field.tops], reverse=True), endings.make)


def tops_of_grid(state: State, rows: Sequence[Sequence[str | None]]) -> Tops:
    """The tops of this board from a camera's grid of colour names, None for an empty space.

    Raises IllegalEvent for another size of board, and for a colour that is not in the game.
    """
    letters = {name: letter for letter, name in boards.NAMES.items()}
    names = boards.rows(state.board)
    if [len(row) for row in rows] != [len(row) for row in names]:
        raise IllegalEvent(
            _(
                "I see a board of {seen} × {seen} squares, but this game needs {n} × {n}. Use the mat that "
                "“companion print mat --board {n}” prints, and set the camera up on it.",
                seen=len(rows),
                n=len(names),
            )
        )
    unknown = {colour for row in rows for colour in row if colour is not None and colour not in letters}
    if unknown:
        raise IllegalEvent(_("No piece in this game is {min}. Use the game's own names for colours.", min=min(unknown)))
    return {
        at: letters[colour] if colour else ""
        for line, row in zip(names, rows, strict=True)
        for at, colour in zip(line, row, strict=True)
    }


def explanations(
    state: State,
    tops: UnsureTops,
    at: str | None = None,
    heights: Mapping[str, int] | None = None,
    bound: int = MOST_POSITIONS,
) -> Explained:
    """The plays after which the board may have these tops (SP-38), one for each distinct board.

    at          the space of the placement, None if unknown
    heights     space → height of its pile now, as far as known; they rule out most placements
    bound       number of positions that may be looked at for all placements, those with the fewest topples first

    If a piece was spilled, the game is over and only the tops count, so one play is enough.
    """
    tried = sorted(
        (
            Attempt(beginning, fired, unreachable(beginning, fired, tops, heights or {}))
            for beginning in beginnings(state)
            if at is None or not isinstance(beginning.event, Turned) or beginning.event.at == at
            for fired in [firings(beginning.state.board)]
        ),
        key=lambda attempt: (len(attempt.wrong), sum(attempt.fired.topples.values())),
    )
    if not tried:
        return Explained((), True, _("That piece can't be placed now. Look again, or carry on with the turn."))
    plays: list[Outcome] = []
    complete = True
    for beginning, fired, wrong in tried:
        if wrong:
            break
        field = Field(beginning.state.board, fired, tops)
        over = bool(fired.spilled or state.spilled)
        search = ends(field, bound, most=1 if over else MOST_PLAYS + 1)
        bound -= search.looked_at
        plays += (outcome_of(beginning, field, end) for end in search.ends[:MOST_PLAYS])
        complete = complete and (search.complete or bool(over and search.ends))
    if plays:
        return Explained(tuple(plays), complete)
    if not complete:
        return Explained((), False, _("Too many piles toppled to try every way. Enter the topples."))
    return Explained((), True, why_none(state, tops, tried[0], bound))


class Attempt(NamedTuple):
    """A beginning of a turn, the topples that follow, and the spaces that it cannot explain."""

    beginning: Beginning
    fired: Firings
    wrong: tuple[str, ...]


def beginnings(state: State) -> Iterator[Beginning]:
    """Every possible beginning of the current turn."""
    if state.mover is not None:
        yield current_turn(state)
        return
    for play in rules.legal(state, on_turn(state)):
        if isinstance(play, Placed):  # An answer to the opening is no placement.
            yield begun(state, play)


def unreachable(beginning: Beginning, fired: Firings, look: UnsureTops, heights: Mapping[str, int]) -> tuple[str, ...]:
    """The spaces that a beginning cannot explain, however its piles topple."""
    tops, touched = boards.tops(beginning.state.board), fired.touched
    return tuple(
        at
        for at in tops
        if (look[at] == "" if at in touched else look[at] not in (None, tops[at]))
        or heights.get(at, fired.heights[at]) != fired.heights[at]
    )


def why_none(state: State, tops: UnsureTops, nearest: Attempt, bound: int) -> str:
    """The sentence about a board that no play explains, from the play that comes nearest."""
    (event, placed), fired, wrong = nearest
    before = boards.tops(state.board)
    changed = [at for at in tops if tops[at] not in (None, before[at])]
    own = [at for at in changed if tops[at] == state.colours[event.player]]
    if len(changed) == len(own) == 1 and before[own[0]] not in open_tops(state, event.player):
        refused = not_there(state, event.player, own[0], pink=False)
        return _("{refused} Take this piece back.", refused=refused)  # SP-22
    times = sum(fired.topples.values())
    if len(changed) == 1 and not times and tops[changed[0]] in other_colours(state, event.player):
        return _(
            "The top piece of {at} is {colour} now, but it's {own}'s turn. Take this piece back.",
            at=boards.spot(changed[0]),
            colour=boards.in_words(str(tops[changed[0]])),
            own=boards.in_words(state.colours[event.player]),
        )  # SP-20, SP-21
    play = _("a piece on {at}", at=boards.spot(event.at)) if isinstance(event, Turned) else _("what is placed")
    if times:
        play = _n("{play} and {n} topple", "{play} and {n} topples", times, play=play)
    if wrong:
        more = (_("and more"),) if len(wrong) > MOST_SPACES else ()
        spaces = joined((*map(boards.spot, wrong[:MOST_SPACES]), *more))
        return _(
            "No move leads to this board. The closest is {play}, but not with {spaces}. Look there again.",
            play=play,
            spaces=spaces,
        )
    field = Field(placed.board, fired)
    search = ends(field, max(bound, FEW_POSITIONS))
    differing = min((differences(field, end, tops) for end in search.ends), key=len, default=())
    if not search.complete or not differing:
        return _("No move leads to this board: {play} reaches these spaces, but never with these colours.", play=play)
    spaces = joined(joined((boards.spot(at), boards.in_words(colour)), " ") for at, colour in differing[:MOST_SPACES])
    return _(
        "No move leads to this board. The closest is {play}, with {spaces}. Look there again.", play=play, spaces=spaces
    )


def other_colours(state: State, player: str) -> tuple[str, ...]:
    """The letters of the other players' pieces."""
    return tuple(letter for other, letter in state.colours.items() if other != player)


def differences(field: Field, end: End, tops: UnsureTops) -> tuple[tuple[str, str], ...]:
    """(space, colour on top at the end) for each space where an end differs from the seen board."""
    return tuple(
        (at, boards.top(pile))
        for at, pile in zip(field.spaces, end.position, strict=True)
        if tops[at] not in (None, boards.top(pile))
    )
