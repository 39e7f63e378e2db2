"""The pages of Sandpile Panic on a tablet: the board and the next step.

The draft field `pile` is the space of the pile to topple next; `entry` has further fields.
"""

from collections.abc import Callable
from dataclasses import replace

from companion.game.players import Viewer
from companion.game.widgets import Choice, Consult, Headline, Notice, Tap, Tone, Variant, Variants, Widget
from companion.games.sandpile_panic import advice, rules
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.advice import Outcome
from companion.games.sandpile_panic.answers import REBUILD
from companion.games.sandpile_panic.board import PINK, SIDE_NAMES, SIDES, Side
from companion.games.sandpile_panic.drawing import acting, around_grid, board_grid, pieces_words, read_aloud
from companion.games.sandpile_panic.entry import EMPTY, board_to_tap, chosen
from companion.games.sandpile_panic.events import Event, Left, Placed, TakenOver, Toppled
from companion.games.sandpile_panic.options import TALL
from companion.games.sandpile_panic.outcomes.search import Firings, firings
from companion.games.sandpile_panic.standings import result, scores
from companion.games.sandpile_panic.state import Stage, State, on_turn, stage
from companion.games.sandpile_panic.turns import not_in_hand, too_early
from companion.games.sandpile_panic.wording import opening_words
from companion.words import _, _n, either, listed

FEW_POSITIONS = 60  # So many may be looked at while a page is drawn; advice may look at more.


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The board and the next step, with taps on the current player's page and that of the whole table."""
    match stage(state):
        case Stage.OVER:
            return (result(state, viewer), *_notices(state, viewer), board_grid(state), *scores(state, viewer))
        case Stage.PIE:
            return (*_pie(state, viewer), *scores(state, viewer))
        case Stage.TOPPLING:
            return (*_toppling(state, viewer), *scores(state, viewer))
    return (*_placing(state, viewer), *scores(state, viewer))


def _notices(state: State, viewer: Viewer) -> tuple[Notice, ...]:
    """Notices for all: skipped players, a very high pile, spilled pieces."""
    notices = []
    if state.skipped:
        text = _n(
            "{names} couldn't place a piece and was skipped.",
            "{names} couldn't place a piece and were skipped.",
            len(state.skipped),
            names=listed(map(viewer.name, state.skipped)),
        )
        notices.append(Notice(text, Tone.WARN))
    if state.highest > TALL:
        notices.append(
            Notice(
                _("A pile was {highest} high, more than the manual expects. That's allowed.", highest=state.highest),
                Tone.WARN,
            )
        )
    if state.ended and not state.spilled:
        notices.append(Notice(_("Nobody can place a piece any more: the game ends as it stands."), Tone.WARN))
    if state.spilled:
        pieces = pieces_words(state.spilled)
        text = (
            _("{pieces} fell off. Game over!", pieces=pieces)
            if state.ended
            else _("{pieces} fell off. The game ends with this turn.", pieces=pieces)
        )
        notices.append(Notice(text, Tone.WARN))
    return tuple(notices)


def _placing(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    player = on_turn(state)
    colour, number = boards.in_words(state.colours[player]), state.turns + 1
    title = _("{name} places {colour}", name=viewer.name(player), colour=colour)
    if acting(state, viewer) is None:
        turn = _("Turn {number}.", number=number)
        return (
            Headline(title, f"{turn} {_next(state, viewer)}".rstrip()),
            *_notices(state, viewer),
            board_grid(state),
            *_opening(state, viewer),
        )
    if "seen" in viewer.draft:
        return board_to_tap(state, viewer, player)
    pink, play = chosen(state, viewer)
    where = (
        _("Turn {number}. On an empty space, or where {colour} or pink is on top.", number=number, colour=colour)
        if PINK in boards.tops(state.board).values()
        else _("Turn {number}. On an empty space, or where {colour} is on top.", number=number, colour=colour)
    )
    return (
        Headline(title, f"{where} {_next(state, viewer)}".rstrip(), Tone.PRIMARY),
        *_notices(state, viewer),
        _confirm(state, play),
        board_grid(state, _place_taps(state, player, pink, play), play),
        *_opening(state, viewer),
        *_which_piece(state, player, pink),
        *_other_ways(state, play is not None and bool(_follows(state, play).topples)),
    )


def _opening(state: State, viewer: Viewer) -> tuple[Notice, ...]:
    """What the opening brings, after the board: the board keeps its place when this goes away."""
    return tuple(Notice(text) for text in opening_words(state, viewer))


def _next(state: State, viewer: Viewer) -> str:
    """Who comes next, the second turn in a row included (SP-13, SP-14); "" before the answer to the opening, which may
    change it (SP-12).
    """
    after = replace(state, turns=state.turns + 1)
    if stage(after) is Stage.PIE:
        return ""
    name = viewer.name(on_turn(after))
    if on_turn(after) == on_turn(state):  # A notice would push the board down.
        return _("Next: {name} again.", name=name)
    return _("Next: {name}.", name=name)


def _follows(state: State, play: Placed) -> Firings:
    """The topples that follow a placement, whatever is chosen then."""
    return firings(advice.begun(state, play).state.board)


def _confirm(state: State, play: Placed | None) -> Choice[Event]:
    """The tap that posts the placement, with its topples. Always there, so that nothing moves under a finger."""
    if play is None:
        return Choice("", (Tap(_("Choose a space"), tone=Tone.PRIMARY, refused=_("Tap a space on the board first.")),))
    fired = _follows(state, play)
    at, topples = boards.spot(play.at), sum(fired.topples.values())
    words = (
        _("Place pink on {at}", at=at) if play.pink else _("Place on {at}", at=at),
        _n("{n} topple", "{n} topples", topples) if topples else "",
        _("{spilled} spilled, the game ends", spilled=fired.spilled) if fired.spilled else "",
    )
    return Choice("", (Tap(" · ".join(filter(None, words)), event=play, tone=Tone.PRIMARY),))


def _place_taps(state: State, player: str, pink: bool, play: Placed | None) -> Callable[[str], Tap[Event] | None]:
    places = {event.at for event in rules.legal(state, player) if isinstance(event, Placed) and event.pink is pink}

    def tap(at: str) -> Tap[Event] | None:
        if at not in places:
            return None
        return Tap(read_aloud(at, state.board[at]), draft={"at": at}, chosen=play is not None and play.at == at)

    return tap


def _which_piece(state: State, player: str, pink: bool) -> tuple[Widget[Event], ...]:
    """The choice between an own piece and the pink one, which is placed once in a game (SP-51)."""
    if not_in_hand(state, player, pink=True):
        return ()
    own = not_in_hand(state, player, pink=False)
    colour = boards.in_words(state.colours[player])
    return (
        Choice(
            _("Which piece?"),
            (
                Tap(colour.capitalize(), draft={"pink": ""}, chosen=not pink, refused=own),
                Tap(_("Hot pink"), draft={"pink": "1"}, chosen=pink, refused=too_early(state, pink=True)),
            ),
        ),
    )


def _other_ways(state: State, topples: bool) -> tuple[Widget[Event], ...]:
    """The ways to enter a turn already played on the board, to see all outcomes, and to rebuild a bumped board."""
    tops = "".join(boards.top(pile) or EMPTY for pile in state.board.values())
    done: Choice[Event] = Choice("", (Tap(_("I already moved the pieces"), draft={"seen": tops}, tone=Tone.DIM),))
    ways: list[Widget[Event]] = [done]
    if topples:
        ways.append(Consult(_("All outcomes"), "outcomes"))
    if boards.highest(state.board):
        ways.append(Consult(_(REBUILD.label), REBUILD.name))
    return tuple(ways)


def _pie(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The second player's answer to the opening (SP-12), after the board, which keeps its place."""
    answering = state.order[1]
    first, second = (boards.in_words(state.colours[player]) for player in state.order)
    headline = Headline(
        _("{name}, switch sides?", name=viewer.name(answering)),
        _("You'd play {first} and own this piece. Either way, {second} is next.", first=first, second=second),
        Tone.PRIMARY,
    )
    if acting(state, viewer) is None:
        return (replace(headline, tone=Tone.PLAIN), board_grid(state))
    return (
        headline,
        board_grid(state),
        Choice(
            "",
            (
                Tap(_("Switch and play {colour}", colour=first), event=TakenOver(answering)),
                Tap(_("Stay {colour}", colour=second), event=Left(answering)),
            ),
        ),
    )


def _toppling(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    mover, piles, fired = acting(state, viewer), boards.ready(state.board), firings(state.board)
    topples, headline = sum(fired.topples.values()), _toppling_headline(state, viewer, piles, fired)
    if mover is None:
        return (headline, *_notices(state, viewer), board_grid(state, marked=piles))
    if "seen" in viewer.draft:
        return board_to_tap(state, viewer, mover)
    pile = viewer.draft.get("pile", "")
    pile = pile if pile in piles else piles[0]

    def tap(at: str) -> Tap[Event] | None:
        if at not in piles:
            return None
        return Tap(_("Topple {at}", at=boards.spot(at)), draft={"pile": at}, chosen=at == pile)

    same = advice.only_outcome(state, FEW_POSITIONS)
    return (
        headline,
        *_notices(state, viewer),
        *(() if same is None else (_only_outcome(same, topples),)),
        board_grid(state, tap),
        *(() if same is not None and topples == 1 else (_sides(state, mover, pile),)),
        *_other_ways(state, topples=same is None),
    )


def _toppling_headline(state: State, viewer: Viewer, piles: tuple[str, ...], fired: Firings) -> Headline:
    title = (
        _("Topple {pile}", pile=boards.spot(piles[0]))
        if len(piles) == 1
        else _("{n} piles have to topple", n=len(piles))
    )
    topples, name = sum(fired.topples.values()), viewer.name(state.mover or "")
    detail = (
        _n(
            "{n} pile has to topple, {spilled} spilled. {name}, choose.",
            "{n} piles have to topple, {spilled} spilled. {name}, choose.",
            topples,
            name=name,
            spilled=fired.spilled,
        )
        if fired.spilled
        else _n(
            "{n} pile has to topple. {name}, choose.", "{n} piles have to topple. {name}, choose.", topples, name=name
        )
    )
    return Headline(title, detail, Tone.WARN)


def _only_outcome(outcome: Outcome, topples: int) -> Choice[Event]:
    """The single tap for all topples when no choice matters."""
    what = _("Topple it (direction doesn't matter)") if topples == 1 else _("Topple everything (order doesn't matter)")
    return Choice("", (Tap(what, event=outcome.event, tone=Tone.PRIMARY),))


def _sides(state: State, mover: str, at: str) -> Variants[Event]:
    """The different starting sides for a topple, each with the spaces around the pile afterwards (SP-33)."""
    sides_to: dict[tuple[str, ...], list[Side]] = {}
    around = [near for near in boards.beside(at) if near in state.board]
    for side in SIDES:
        after, _spilled = boards.toppled(state.board, at, side)
        sides_to.setdefault(tuple(after[near] for near in around), []).append(side)
    variants = []
    for sides in sides_to.values():
        after, spilled = boards.toppled(state.board, at, sides[0])
        landing = boards.landing(state.board[at][-boards.BLOCK :], sides[0])
        many = _("any side") if len(sides) == len(SIDES) else either(_(SIDE_NAMES[side]) for side in sides)
        lines = (_("Spills {pieces}", pieces=pieces_words(spilled)),) if spilled else ()
        tap = Tap(_("Begin {many}", many=many), event=Toppled(mover, at, sides[0]))
        variants.append(
            Variant("", around_grid(after, at, dict(zip(boards.beside(at), landing, strict=True))), lines, tap)
        )
    return Variants(_("The bottom piece of the block from {at} goes …", at=boards.spot(at)), tuple(variants))
