"""How Sandpile Panic looks on a tablet.

What was tapped and not yet posted stands in the viewer's draft: `at` (the space chosen for a piece), `pink` ("1" for
the pink piece), `pile` (which pile topples next), `seen` (the colours on top as they lie on the real board, a letter or
"." for each space, row by row) and `brush` (the colour that a tap on that board sets).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from companion.contract import Advice, Light, Look, Phase, Preset, Signal, Viewer
from companion.games import rulings as referee
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import advice, islands, rules
from companion.games.sandpile_panic import board as sand
from companion.games.sandpile_panic.advice import Outcome
from companion.games.sandpile_panic.board import NAMES, PINK, SIDE_NAMES, SIDES, Board, Side
from companion.games.sandpile_panic.camera import REBUILD, eyes, in_order, letters, propose
from companion.games.sandpile_panic.islands import Scoring
from companion.games.sandpile_panic.rules import (
    Left,
    Placed,
    Stage,
    State,
    TakenOver,
    Topple,
    Toppled,
    ToppledRest,
    Turned,
)
from companion.games.sandpile_panic.search import Firings, firings
from companion.games.scores import score_lines
from companion.widgets import (
    Bar,
    Bars,
    Cell,
    Choice,
    Consult,
    Figures,
    Grid,
    Headline,
    Notice,
    ScoreLine,
    ScoreTable,
    Standings,
    Tap,
    Tone,
    Variant,
    Variants,
    Widget,
)
from companion.words import N_, _, _n, either, listed, number

__all__ = ["ADVICE", "PRESETS", "bind", "charts", "colours", "describe", "eyes", "look", "propose", "view"]

FEW_POSITIONS = 60  # what may be looked at while a page is drawn; more is worked out when asked for
SHOWN = 12  # outcomes on a page, the best first
EMPTY = "."  # a space without a piece, in the draft

PRESETS = (
    Preset(
        "quick", N_("Quick"), N_("The smallest board, 4×4: over within minutes, for two or three."), {"board_size": 4}
    ),
    Preset(
        "tournament",
        N_("Tournament"),
        N_("Landgrab scoring, which ranks everybody; the options stay as they are."),
        {"scoring": Scoring.LANDGRAB},
        locked=True,
    ),
)


# pages


def view(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The board and what is to be done; taps for the player it waits for, and for the tablet of the whole table."""
    match rules.stage(state):
        case Stage.OVER:
            return (_result(state, viewer), *_notices(state, viewer), _board(state), *_scores(state, viewer))
        case Stage.PIE:
            return (*_pie(state, viewer), _board(state), *_scores(state, viewer))
        case Stage.TOPPLING:
            return (*_toppling(state, viewer), *_scores(state, viewer))
    return (*_placing(state, viewer), *_scores(state, viewer))


def _acting(state: State, viewer: Viewer) -> str | None:
    """The player whose move is tapped on this page, None when it is somebody else's page."""
    return next((player for player in rules.awaiting(state) if viewer.player in (None, player)), None)


def _notices(state: State, viewer: Viewer) -> tuple[Notice, ...]:
    """What everybody should hear: who was skipped, a pile that grew very high, what was spilled."""
    found = []
    if state.skipped:
        told = _n(
            "{names} could not place a piece and was skipped (SP-15).",
            "{names} could not place a piece and were skipped (SP-15).",
            len(state.skipped),
            names=listed(map(viewer.name, state.skipped)),
        )
        found.append(Notice(told, Tone.WARN))
    if state.highest > rules.TALL:
        found.append(
            Notice(
                _(
                    "A pile has been {highest} high, more than the manual expects: allowed (SP-39).",
                    highest=state.highest,
                ),
                Tone.WARN,
            )
        )
    if state.spilled:
        pieces = _pieces(state.spilled)
        told = (
            _("Spilled: {pieces}; the game is over (SP-37).", pieces=pieces)
            if state.ended
            else _("Spilled: {pieces}; the game ends with this turn (SP-37).", pieces=pieces)
        )
        found.append(Notice(told, Tone.WARN))
    return tuple(found)


def _pieces(letters: str) -> str:
    """ "2 white and 1 black"."""
    return listed(f"{letters.count(letter)} {sand.in_words(letter)}" for letter in dict.fromkeys(letters))


# placing a piece


def _placing(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    player = rules.on_turn(state)
    colour, number = sand.in_words(state.colours[player]), state.turns + 1
    title = _("{name} places {colour}", name=viewer.name(player), colour=colour)
    if _acting(state, viewer) is None:
        return (
            Headline(title, _("Turn {number}. The tablet waits for them.", number=number)),
            *_notices(state, viewer),
            _board(state),
        )
    if "seen" in viewer.draft:
        return _seen(state, viewer, player)
    pink, play = _chosen(state, viewer)
    where = (
        _("Turn {number}. Tap an empty space, {colour} on top or pink on top.", number=number, colour=colour)
        if _has_pink(state)
        else _("Turn {number}. Tap an empty space or {colour} on top.", number=number, colour=colour)
    )
    return (
        Headline(title, where, Tone.PRIMARY),
        *_notices(state, viewer),
        _confirm(state, play),
        _board(state, _place_taps(state, player, pink, play), play),
        *_which_piece(state, player, pink),
        *_other_ways(state, play is not None and bool(_follows(state, play).topples)),
    )


def _chosen(state: State, viewer: Viewer) -> tuple[bool, Placed | None]:
    """(the pink piece is chosen, the placement in the draft if it is legal now)."""
    player = rules.on_turn(state)
    pink = viewer.draft.get("pink") == "1" and not rules.not_in_hand(state, player, pink=True)
    play = Placed(player, viewer.draft.get("at", ""), pink)
    return pink, play if play in rules.legal(state, player) else None


def _has_pink(state: State) -> bool:
    return PINK in sand.tops(state.board).values()


def _follows(state: State, play: Placed) -> Firings:
    """What a placement brings about, whatever is chosen then."""
    return firings(advice.begun(state, play).state.board)


def _confirm(state: State, play: Placed | None) -> Choice:
    """The tap that posts the placement, with what must follow. Always there, so that nothing moves under a finger."""
    if play is None:
        return Choice("", (Tap(_("Choose a space"), tone=Tone.PRIMARY, refused=_("Tap a space of the board first.")),))
    fired = _follows(state, play)
    topples = sum(fired.topples.values())
    words = (
        _("Place pink on {at}", at=play.at) if play.pink else _("Place on {at}", at=play.at),
        _n("{n} topple", "{n} topples", topples) if topples else "",
        _("{spilled} spilled, the game ends", spilled=fired.spilled) if fired.spilled else "",
    )
    return Choice("", (Tap(" · ".join(filter(None, words)), event=play, tone=Tone.PRIMARY),))


def _place_taps(state: State, player: str, pink: bool, play: Placed | None) -> Callable[[str], Tap | None]:
    places = {event.at for event in rules.legal(state, player) if isinstance(event, Placed) and event.pink is pink}

    def tap(at: str) -> Tap | None:
        if at not in places:
            return None
        return Tap(_read(at, state.board[at]), draft={"at": at}, chosen=play is not None and play.at == at)

    return tap


def _which_piece(state: State, player: str, pink: bool) -> tuple[Widget, ...]:
    """SP-51: once in a game the pink piece instead of an own one."""
    if rules.not_in_hand(state, player, pink=True):
        return ()
    own = rules.not_in_hand(state, player, pink=False)
    colour = sand.in_words(state.colours[player])
    return (
        Choice(
            _("Which piece?"),
            (
                Tap(colour.capitalize(), draft={"pink": ""}, chosen=not pink, refused=own),
                Tap(_("Hot pink"), draft={"pink": "1"}, chosen=pink),
            ),
        ),
    )


def _other_ways(state: State, topples: bool) -> tuple[Widget, ...]:
    """To have all outcomes worked out, to enter a turn already played on the board, and to set up a bumped board."""
    seen = "".join(sand.top(pile) or EMPTY for pile in state.board.values())
    done = Choice("", (Tap(_("I did it on the board already"), draft={"seen": seen}, tone=Tone.DIM),))
    found: list[Widget] = [done]
    if topples:
        found.append(Consult(_("All outcomes"), "outcomes"))
    if sand.highest(state.board):
        found.append(Consult(_(REBUILD.label), REBUILD.name))
    return tuple(found)


# the pie rule


def _pie(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """SP-12: player two answers the opening."""
    white, black = state.order
    headline = Headline(
        _("{name}: take the opening over?", name=viewer.name(black)),
        _("Who takes it over plays white and owns the piece; black has the next turn."),
        Tone.PRIMARY,
    )
    if _acting(state, viewer) is None:
        return (replace(headline, tone=Tone.PLAIN),)
    return (
        headline,
        Choice(
            "",
            (
                Tap(_("Take it over and play white"), event=TakenOver(black)),
                Tap(_("Leave it to {name} and play black", name=viewer.name(white)), event=Left(black)),
            ),
        ),
    )


# toppling


def _toppling(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    mover = _acting(state, viewer)
    piles = sand.ready(state.board)
    fired = firings(state.board)
    title = _("Topple {pile}", pile=piles[0]) if len(piles) == 1 else _("{n} piles must topple", n=len(piles))
    topples = sum(fired.topples.values())
    name = viewer.name(state.mover or "")
    detail = (
        _n(
            "{name} chooses: {n} topple to come, {spilled} spilled.",
            "{name} chooses: {n} topples to come, {spilled} spilled.",
            topples,
            name=name,
            spilled=fired.spilled,
        )
        if fired.spilled
        else _n("{name} chooses: {n} topple to come.", "{name} chooses: {n} topples to come.", topples, name=name)
    )
    headline = Headline(title, detail, Tone.WARN)
    if mover is None:
        return (headline, *_notices(state, viewer), _board(state, marked=piles))
    if "seen" in viewer.draft:
        return _seen(state, viewer, mover)
    pile = viewer.draft.get("pile", "")
    pile = pile if pile in piles else piles[0]

    def tap(at: str) -> Tap | None:
        return Tap(_("Topple {at}", at=at), draft={"pile": at}, chosen=at == pile) if at in piles else None

    same = advice.only_outcome(state, FEW_POSITIONS)
    return (
        headline,
        *_notices(state, viewer),
        *(() if same is None else (_the_same(same, topples),)),
        _board(state, tap),
        *(() if same is not None and topples == 1 else (_sides(state, mover, pile),)),
        *_other_ways(state, topples=same is None),
    )


def _the_same(outcome: Outcome, topples: int) -> Choice:
    """Where no choice changes anything, one tap does it all."""
    what = (
        _("Topple it: every side gives the same") if topples == 1 else _("Topple everything: every way ends the same")
    )
    return Choice("", (Tap(what, event=outcome.event, tone=Tone.PRIMARY),))


def _sides(state: State, mover: str, at: str) -> Variants:
    """SP-33: the starting sides that make a difference, each with what it gives around the pile."""
    found: dict[tuple[str, ...], list[Side]] = {}
    around = [near for near in sand.beside(at) if near in state.board]
    for side in SIDES:
        after, _spilled = sand.toppled(state.board, at, side)
        found.setdefault(tuple(after[near] for near in around), []).append(side)
    variants = []
    for sides in found.values():
        after, spilled = sand.toppled(state.board, at, sides[0])
        landing = sand.landing(state.board[at][-sand.BLOCK :], sides[0])
        many = _("any side") if len(sides) == len(SIDES) else either(_(SIDE_NAMES[side]) for side in sides)
        lines = (_("Spills {pieces}", pieces=_pieces(spilled)),) if spilled else ()
        tap = Tap(_("Begin {many}", many=many), event=Toppled(mover, at, sides[0]))
        variants.append(Variant("", _around(after, at, dict(zip(sand.beside(at), landing, strict=True))), lines, tap))
    return Variants(_("{at}: the bottom piece of the block goes …", at=at), tuple(variants))


def _around(board: Board, at: str, landing: Mapping[str, str]) -> tuple[tuple[Cell, ...], ...]:
    """The three by three spaces around a pile; off the board stands the letter of what is spilled there."""

    def cell(near: str) -> Cell:
        return _cell(board[near], "") if near in board else Cell(landing.get(near, ""), "", "crossed")

    north, _, south, _ = sand.beside(at)
    lines = []
    for middle in (north, at, south):
        _, east, _, west = sand.beside(middle)
        lines.append((cell(west), cell(middle), cell(east)))
    return tuple(lines)


# the board


def _board(
    state: State,
    tap: Callable[[str], Tap | None] = lambda at: None,
    play: Placed | None = None,
    marked: Iterable[str] = (),
) -> Grid:
    """The board, with the chosen piece already on it."""
    board = state.board
    if play is not None:
        board = sand.placed(board, play.at, PINK if play.pink else state.colours[play.player])

    def cell(at: str) -> Cell:
        touch = tap(at)
        mark = "target" if touch or at in marked else "new" if at in state.changed else ""
        return _cell(board[at], mark, touch)

    return _grid(_("Board"), board, cell)


def _grid(title: str, board: Board, cell: Callable[[str], Cell]) -> Grid:
    """Squares in rows, named like the spaces: a column c1, c2, … and a row r1, r2, …"""
    names = sand.rows(board)
    return Grid(
        title,
        tuple(tuple(map(cell, line)) for line in names),
        tuple(f"c{column}" for column in range(1, len(names[0]) + 1)),
        tuple(f"r{row}" for row in range(1, len(names) + 1)),
        large=True,
    )


def _cell(pile: str, mark: str, tap: Tap | None = None) -> Cell:
    """A pile: its layers, and the letter of the top colour with the height, for those who see colours differently."""
    if not pile:
        return Cell("", "", mark, tap)
    layers = tuple(NAMES.get(piece, piece) for piece in pile)
    return Cell(f"{pile[-1]}{len(pile)}", layers[-1], mark, tap, layers)


def _read(at: str, pile: str) -> str:
    """A space as it is read aloud."""
    if not pile:
        return _("{at}, empty", at=at)
    return _("{at}, {colour} on top, {height} high", at=at, colour=sand.in_words(pile[-1]), height=len(pile))


# a turn that was played on the board first


def _seen(state: State, viewer: Viewer, player: str) -> tuple[Widget, ...]:
    """The players tap the colours on top as they lie now; then the play that explains them is looked for."""
    seen, before = _seen_tops(state, viewer), sand.tops(state.board)
    offered = letters(state)
    brush = viewer.draft.get("brush", "")
    brush = brush if brush in (*offered, EMPTY) else state.colours[player]

    def cell(at: str) -> Cell:
        colour = "" if brush == EMPTY else brush
        touched = {**seen, at: before[at] if seen[at] == colour else colour}  # a second tap takes it back
        tap = Tap(
            f"{at}, {sand.in_words(seen[at])}" if seen[at] else _("{at}, empty", at=at),
            draft={"seen": "".join(letter or EMPTY for letter in touched.values())},
        )
        mark = "new" if seen[at] != before[at] else ""
        return Cell(seen[at], NAMES.get(seen[at], seen[at]), mark, tap)

    brushes = tuple(
        Tap(
            f"{letter} {sand.in_words(letter)}" if letter != EMPTY else _("Empty"),
            draft={"brush": letter},
            chosen=letter == brush,
        )
        for letter in (*offered, EMPTY)
    )
    changed = sum(seen[at] != before[at] for at in seen)
    return (
        Headline(
            _("How does it lie now?"),
            _("Choose a colour, tap the spaces it tops: {changed} changed.", changed=changed),
            Tone.PRIMARY,
        ),
        Choice(_("Colour on top"), brushes),
        _grid(_("Seen from above"), state.board, cell),
        Choice("", (Tap(_("Back to the turn"), draft={"seen": "", "brush": ""}, tone=Tone.DIM),)),
        Consult(_("Find the play"), "play"),
    )


def _seen_tops(state: State, viewer: Viewer) -> sand.Tops:
    """What the draft says lies on top; the board as it stood where the draft makes no sense."""
    seen = viewer.draft.get("seen", "")
    if len(seen) != len(state.board) or not set(seen) <= {*letters(state), EMPTY}:
        return sand.tops(state.board)
    return {at: "" if letter == EMPTY else letter for at, letter in zip(state.board, seen, strict=True)}


# what is worked out when asked for


def all_outcomes(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """Every way in which the turn may end, the best for its player first; a tap plays it."""
    player = _acting(state, viewer)
    play = _chosen(state, viewer)[1] if rules.stage(state) is Stage.PLACING and player else None
    if player is None or (play is None and state.mover is None):
        return (Notice(_("Choose a space of your own turn first."), Tone.WARN),)
    worked_out = advice.outcomes(state, play)
    best = advice.ranked(worked_out.found, player)
    many = _n("{n} outcome", "{n} outcomes", len(best))
    if not worked_out.complete:
        many = _n(
            "More than {n} outcome: too many to work out, here are some",
            "More than {n} outcomes: too many to work out, here are some",
            len(best),
        )
    title = _("{many}, the best for {name} first", many=many, name=viewer.name(player)) if len(best) > 1 else many
    return (Variants(title, tuple(_variant(state, outcome, viewer) for outcome in best[:SHOWN])),)


def find_play(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The plays after which the board looks as the draft says."""
    if _acting(state, viewer) is None:
        return (Notice(_("Only the player whose turn it is enters it: choose their page."), Tone.WARN),)
    explained = advice.explanations(state, _seen_tops(state, viewer))
    if not explained.plays:
        return (Notice(explained.why, Tone.WARN),)
    many = len(explained.plays)
    title = _("This is the play") if many == 1 else _("{many} plays look like that: which was it?", many=many)
    if not explained.complete:
        title = (
            _("This is the play (not every way could be tried)")
            if many == 1
            else _("{many} plays look like that (not every way could be tried)", many=many)
        )
    return (Variants(title, tuple(_variant(state, outcome, viewer) for outcome in explained.plays[:SHOWN])),)


ADVICE = (
    Advice("outcomes", N_("All outcomes"), all_outcomes),
    Advice("play", N_("Find the play"), find_play),
    REBUILD,
)


def _variant(state: State, outcome: Outcome, viewer: Viewer) -> Variant:
    """An outcome as a small board, with the islands under all three scorings and the tap that plays it."""
    before, after = sand.tops(state.board), outcome.state

    def cell(at: str) -> Cell:
        return _cell(after.board[at], "group" if sand.top(after.board[at]) != before[at] else "")

    lines = []
    if after.spilled:
        won = rules.winners(after)
        pieces = _pieces(after.spilled)
        lines.append(
            _("Spills {pieces}: the game ends, {name} wins", pieces=pieces, name=viewer.name(won[0]))
            if won
            else _("Spills {pieces}: the game ends, nobody wins", pieces=pieces)
        )
    for player in _mover_and_rival(after, outcome.event.player):
        regular, landgrab, no_small = _three(after, player)
        lines.append(
            _(
                "{name}: {regular} · landgrab {landgrab} · no small islands {no_small}",
                name=viewer.name(player),
                regular=regular,
                landgrab=landgrab,
                no_small=no_small,
            )
        )
    topples = outcome.event.topples
    title = _path(topples) if topples else ""
    if isinstance(outcome.event, Turned):
        at = _("{at} pink", at=outcome.event.at) if outcome.event.pink else outcome.event.at
        title = ", ".join(filter(None, (at, title)))
    rows = _grid("", after.board, cell).rows
    return Variant(title, rows, tuple(lines), Tap(_("Play this"), event=outcome.event))


def _mover_and_rival(state: State, mover: str) -> tuple[str, str]:
    """Whose islands are told: the mover's and those of the best of the others."""
    return mover, next(player for group in rules.ranking(state) for player in group if player != mover)


def _path(topples: tuple[Topple, ...]) -> str:
    """The topples in order: "r3c3 north, r3c4 east"; of a long chain the beginning."""
    told = in_order(topples[:6])
    more = len(topples) - 6
    return _("{path} and {more} more", path=told, more=more) if more > 0 else told


# scores


def _scores(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The points as the board stands, and the islands under all three scorings."""
    now = () if state.ended else (ScoreTable(_("If it ended now"), _lines(state, viewer)),)
    rows = tuple((viewer.name(player), *_three(state, player)) for player in state.players)
    return (*now, Figures(_("Under every scoring"), ("", _("Islands"), _("Landgrab"), _("No small islands")), rows))


def _three(state: State, player: str) -> tuple[str, str, str]:
    """A player's islands as regular scoring compares them, and the points of the two other scorings."""
    found, special = rules.player_islands(state, player), state.options.special_piece
    regular, landgrab, no_small = (islands.counted(found, special, scoring) for scoring in Scoring)
    return (
        ", ".join(map(str, regular)) or _("none"),
        number(islands.points(landgrab, Scoring.LANDGRAB)),
        number(islands.points(no_small, Scoring.NO_SMALL_ISLANDS)),
    )


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    return score_lines(
        state.players,
        viewer,
        lambda player: rules.explain(state, player),
        rules.awaiting(state),
        rules.winners(state),
        lambda player: f"{state.colours[player]} {sand.in_words(state.colours[player])}",
    )


def _result(state: State, viewer: Viewer) -> Standings:
    """Who won; after a complete tie nobody (SP-42). The list is the ranking, of which regular scoring means the top."""
    winners = rules.winners(state)
    places = [player for group in rules.ranking(state) for player in group]
    lines = sorted(_lines(state, viewer), key=lambda line: places.index(line.player))
    won = _("{name} wins", name=viewer.name(winners[0])) if winners else ""
    title = won or _("A complete tie: nobody wins, play another game")
    return Standings(title, tuple(lines))


def colours(state: State) -> Mapping[str, str]:
    """The colour of each player's pieces."""
    return {player: rules.colour_name(state, player) for player in state.players}


def charts(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """How large everybody's islands are, the largest first."""
    sizes = {
        player: sorted((island.size for island in rules.player_islands(state, player)), reverse=True)
        for player in state.players
    }
    bars = (
        Bar(
            _("{name}: {number} of {all}", name=viewer.name(player), number=number, all=len(sizes[player])),
            size,
            player=player,
        )
        for player in state.players
        for number, size in enumerate(sizes[player], start=1)
    )
    return (Bars(_("Islands, by their spaces"), tuple(bars)),)


# words, sensors, lights


def describe(state: State, event: rules.Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    name = viewer.name(event.player)
    match event:
        case Placed(player, at, pink):
            return _("{name} placed {piece} on {at}.", name=name, piece=_piece(state, player, pink), at=at)
        case Toppled(at=at, start=start):
            return _("{name} toppled {at}, beginning {side}.", name=name, at=at, side=_(SIDE_NAMES[start]))
        case ToppledRest(topples=topples):
            return _("{name} toppled {path}.", name=name, path=_path(topples) or _("nothing"))
        case Turned(player, at, pink, topples):
            piece = _piece(state, player, pink)
            if not topples:
                return _("{name} placed {piece} on {at}.", name=name, piece=piece, at=at)
            path = _path(topples)
            return _("{name} placed {piece} on {at} and toppled {path}.", name=name, piece=piece, at=at, path=path)
        case TakenOver():
            return _("{name} took the opening over and plays white.", name=name)
        case Left():
            return _("{name} left the opening to white and plays black.", name=name)
        case Ruling():
            return referee.described(event, name)
    raise TypeError(event)


def _piece(state: State, player: str, pink: bool) -> str:
    """What was placed: its colour, as far as that is known yet (SP-12)."""
    if not pink and player not in state.colours:
        return _("a piece")
    return sand.in_words(PINK if pink else state.colours[player])


def bind(state: State, signal: Signal) -> rules.Event | None:
    """Sandpile Panic has no buttons: a move needs the board."""
    return None


def look(state: State, now_us: int) -> Look:
    """The light of the one who is to move blinks, fast while piles must topple; a spilled piece is the last turn."""
    waiting, stage = rules.awaiting(state), rules.stage(state)
    busy = Light.FAST if stage is Stage.TOPPLING else Light.SLOW
    lights = tuple(busy if player in waiting else Light.OFF for player in state.players)
    if stage is Stage.OVER:
        return Look(Phase.OVER, lights)
    return Look(Phase.LAST_TURN if state.spilled else Phase.WAITING, lights)
