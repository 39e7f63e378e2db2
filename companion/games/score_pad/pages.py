"""The pages of the score pad: a keypad or the rows, the pad itself, and everybody's points."""

from dataclasses import replace

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.players import PlayerId, Viewer
from companion.game.scores import score_lines
from companion.game.widgets import (
    Cell,
    Choice,
    DiceRow,
    Face,
    Grid,
    Headline,
    ScoreLine,
    ScoreTable,
    SeatCard,
    Seats,
    Standings,
    Tap,
    Tone,
    Widget,
)
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.score_pad import draft, rules
from companion.games.score_pad.options import Kind, Options
from companion.games.score_pad.rows import made_points, points_of, possible
from companion.games.score_pad.rules import Added, Closed, Event, Rolled, State, Took, Wrote, dice_rule
from companion.words import MINUS as MINUS_SIGN
from companion.words import _, _n, joined, listed, number

Widgets = tuple[Widget[Event], ...]

MOST_COLUMNS_ON_A_PHONE = 2


def view(state: State, viewer: Viewer) -> Widgets:
    """The pad of the whole table, or a player's own page."""
    if rules.is_over(state):
        return (_result(state, viewer), *_board(state, viewer, None))
    viewer = draft.counted(state, viewer)
    player = draft.whose(state, viewer)
    points = _("Half points") if state.options.halves else _("Points")
    is_on_cards = state.options.kind is Kind.RUNNING and len(draft.may_be_written(state, viewer)) > 1
    closing = Choice[Event](_("Close the pad"), (Tap(_("Nothing more is written"), event=Closed()),), folded=True)
    return (
        _headline(state, viewer, player),
        *(_entry(state, viewer, player) if player is not None else ()),
        *_board(state, viewer, player),
        *(() if is_on_cards else (ScoreTable(points, _lines(state, viewer)),)),
        *(() if viewer.looks_on else (closing,)),
    )


def points_text(options: Options, units: int, sign: str = "") -> str:
    """Points in units as people write them: "3½", "−12"; `sign` stands before those above zero."""
    whole, half = divmod(abs(units), options.unit)
    before = MINUS_SIGN if units < 0 else sign if units else ""
    if not before and not half:
        return number(whole)  # Most of a pad's cells are, and there are hundreds.
    return joined((before, number(whole) if whole or not half else "", "½" if half else ""), "")


def _row_name(state: State, row: int) -> str:
    if state.options.kind is Kind.ROUNDS:
        return _("round {number}", number=row)
    return state.rows[row - 1].word if 1 <= row <= len(state.rows) else _("row {number}", number=row)


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    options = state.options
    match event:
        case Wrote(player, row, points):
            words = {"name": viewer.name(player), "points": points_text(options, points), "row": _row_name(state, row)}
            return _("{name} wrote {points} in {row}.", **words)
        case Took(player, row):
            rule, dice = dice_rule(state, row), state.dice.get(player)
            if rule is None or dice is None:
                return _("{name} wrote the dice in {row}.", name=viewer.name(player), row=_row_name(state, row))
            return describe(state, Wrote(player, row, points_of(rule, dice) * options.unit), viewer)
        case Added(player, points):
            return _("{name}: {points}.", name=viewer.name(player), points=points_text(options, points, "+"))
        case Rolled(player, dice):
            return _("{name} rolled {dice}.", name=viewer.name(player), dice=listed(map(str, dice)))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    return _("The pad was closed.")


def _headline(state: State, viewer: Viewer, player: PlayerId | None) -> Headline:
    options, tone = state.options, Tone.PRIMARY if player is not None else Tone.PLAIN
    if options.kind is Kind.ROWS:
        return Headline(*_roll_words(state, viewer, player or rules.next_to_roll(state)), tone)
    if options.kind is Kind.RUNNING:
        goal = _("Over at {points}.", points=number(options.target)) if options.target else ""
        return Headline(options.title or _("Points as they come"), goal, tone)
    now, deals = rules.current_round(state), rules.dealer(state)
    of_all = _("Round {number} of {rounds}", number=now, rounds=options.rounds)
    missing = [each for each in state.players if each in rules.awaiting(state)]
    is_told = viewer.player is not None and viewer.player not in missing  # The headline of who waits names them.
    is_told = is_told or len(missing) == len(state.players)
    names = "" if is_told else _("Missing: {names}", names=listed(map(viewer.name, missing)))
    parts = (_("{name} deals.", name=viewer.name(deals)) if deals else "", names)
    title = of_all if options.rounds else _("Round {number}", number=now)
    return Headline(title, joined(filter(None, parts), " "), tone)


def _roll_words(state: State, viewer: Viewer, player: PlayerId | None) -> tuple[str, str]:
    """What the player does next on a pad with rows, and how often they may roll on."""
    if player is None or not rules.rows_for_dice(state, player):
        return _("Fill a row"), ""
    name, left = viewer.name(player), state.options.rolls - state.rolls.get(player, 0)
    if player not in state.dice:
        rolls = viewer.name(rules.next_to_roll(state) or player)  # A page may write for one whose turn it isn't.
        return _("{name} rolls", name=rolls), "" if viewer.looks_on else _("Or tap a row and its points.")
    again = _n("{n} roll left.", "{n} rolls left.", left) if state.options.rolls else _("Or roll on.")
    return _("{name}: choose a row", name=name), again if left else _("No roll left.")


def _entry(state: State, viewer: Viewer, player: PlayerId) -> Widgets:
    """What is tapped now for a player's points."""
    who, row = _choice_of_player(state, viewer, player), draft.row_of(state, viewer, player)
    if state.options.kind is Kind.RUNNING:
        steps: Widgets = _cards(state, viewer) if who else _steps(state, player)
        return (*steps, *(replace(each, folded=True) for each in who), *_keypad(state, viewer, player, 0))
    if row is None:
        return (*who, *_dice(state, viewer, player))
    rule = dice_rule(state, row)
    if rule is None:
        return (*who, *_keypad(state, viewer, player, row))
    choices = (points * state.options.unit for points in possible(rule, state.options.dice))
    taps = tuple(Tap[Event](points_text(state.options, each), event=Wrote(player, row, each)) for each in choices)
    prompt = _("How many points in {row}?", row=_row_name(state, row))
    return (*who, Choice(prompt, taps, columns=0), *_dice(state, viewer, player))


def _choice_of_player(state: State, viewer: Viewer, player: PlayerId) -> tuple[Choice[Event], ...]:
    players = draft.may_be_written(state, viewer)
    if len(players) < 2:
        return ()
    taps = tuple(
        Tap[Event](viewer.name(each), draft={**draft.EMPTY, "who": each}, chosen=each == player) for each in players
    )
    return (Choice(_("Whose points?"), taps),)


def _cards(state: State, viewer: Viewer) -> Widgets:
    """A card with the points of each player, and the steps up: a keypad below takes points away."""
    points = rules.score(state)
    cards = (
        SeatCard(each, viewer.name(each), points_text(state.options, points[each]), taps=_step_taps(state, each, True))
        for each in state.players
    )
    return (Seats(tuple(cards)),)


def _steps(state: State, player: PlayerId) -> Widgets:
    taps = _step_taps(state, player)
    return (Choice(_("Add"), taps, columns=len(state.options.steps)),) if taps else ()


def _step_taps(state: State, player: PlayerId, only_up: bool = False) -> tuple[Tap[Event], ...]:
    """A tap for each step, up and down (PAD-15)."""
    options = state.options
    ups = [step * options.unit for step in options.steps]
    steps = (*ups, *((-step for step in ups) if options.negative and not only_up else ()))
    return tuple(Tap(points_text(options, step, "+"), event=Added(player, step)) for step in steps)


def _keypad(state: State, viewer: Viewer, player: PlayerId, row: int) -> Widgets:
    """The keys, and the tap that writes what they say (PAD-11); `row` is 0 where points come as they come."""
    options, points = state.options, draft.typed(state, viewer)
    is_full = len(draft.digits_of(viewer)) >= draft.MOST_DIGITS
    full = _("There is room for {digits} digits.", digits=draft.MOST_DIGITS) if is_full else ""
    fixed = {"who": player, **({"row": str(row)} if row else {})}

    def key(label: str, word: str, refused: str = "") -> Tap[Event]:
        return Tap(label, draft=fixed, adds={"keys": word}, refused=refused)

    *digits, zero = (key(digit, digit, full) for digit in draft.DIGITS)
    last = (
        *((key(MINUS_SIGN, draft.MINUS),) if options.negative else ()),
        zero,
        *((key("½", draft.HALF),) if options.halves else ()),
        Tap[Event](_("Clear it"), draft={**fixed, "keys": ""}),
    )
    event: Event = Added(player, points or 0) if not row else Wrote(player, row, points or 0)
    if points is None and not row:
        return (Choice(_("Another number"), (*digits, *last), columns=3, folded=True),)  # A tap of a step is enough.
    if points is None:
        write = Tap[Event](_("Write the points"), tone=Tone.PRIMARY, refused=_("Type the points first."))
    else:
        what = _("Write {points} for {name}", points=points_text(options, points), name=viewer.name(player))
        write = Tap(what, event=event, tone=Tone.PRIMARY)
    prompt = _("{name}, {row}", name=viewer.name(player), row=_row_name(state, row)) if row else _("Another number")
    return (Choice("", (write,)), Choice(prompt, (*digits, *last), columns=3, folded=not row))


def _dice(state: State, viewer: Viewer, player: PlayerId) -> Widgets:
    """The dice that lie there, and the faces to tap without a camera (PAD-40)."""
    lying, tapped, options = state.dice.get(player), draft.dice_of(state, viewer), state.options
    shown = tapped or lying
    drawn: Widgets = ()
    if shown:
        left = [None] * (options.dice - len(shown))
        drawn = (DiceRow(_("{name} rolled", name=viewer.name(player)), tuple(map(Face[Event], (*shown, *left)))),)
    if not rules.rows_for_dice(state, player) or (options.rolls and state.rolls.get(player, 0) >= options.rolls):
        return drawn
    if len(tapped) == options.dice:
        enter = Tap[Event](_("Enter the roll"), event=Rolled(player, tapped), tone=Tone.PRIMARY, at_once=True)
        return (*drawn, Choice("", (enter, Tap(_("Clear it"), draft={"who": player, "dice": ""}))))
    faces = tuple(Tap[Event](str(face), draft={"who": player}, adds={"dice": str(face)}) for face in range(1, 7))
    prompt = _n("What does the die show?", "What do the {n} dice show?", options.dice)
    return (*drawn, Choice(prompt, faces, faces=True, folded=bool(lying) and not tapped))


def _board(state: State, viewer: Viewer, player: PlayerId | None) -> Widgets:
    """The pad: a column for each player, and at the foot the sums; on a phone among many only its own column."""
    options = state.options
    if options.kind is Kind.RUNNING:
        return ()
    is_narrow = viewer.player is not None and len(state.players) > MOST_COLUMNS_ON_A_PHONE
    columns, totals = (player or viewer.player,) if is_narrow else state.players, rules.score(state)
    if state.rows:
        heads = [row.word for row in state.rows]
    else:
        last = max([rules.current_round(state), *(row for cells in state.cells.values() for row in cells)])
        heads = [str(row) for row in range(1, last + 1)]
    cells = [_column(state, each, len(heads), totals[each], each == player) for each in columns if each is not None]
    names = tuple(viewer.name(each) for each in columns if each is not None)
    rows, heads = tuple(zip(*cells, strict=True)), [*heads, _("Sum")]
    return (Grid(options.title or _("The pad"), rows, names, tuple(heads), written=True),)


def _column(state: State, player: PlayerId, last: int, total: int, may_tap: bool) -> list[Cell[Event]]:
    options, written = state.options, state.cells[player]
    made = dict(made_points(state.rows, written, options.unit))
    free = frozenset(rules.free_rows(state, player)) if may_tap else frozenset()
    now = rules.current_round(state) if options.kind is Kind.ROUNDS and may_tap else 0
    column: list[Cell[Event]] = []
    for row in range(1, last + 1):
        points = made.get(row, written.get(row))
        if points is not None:
            column.append(Cell(points_text(options, points)))
        elif row in free:
            column.append(_free_cell(state, player, row))
        else:
            column.append(Cell(mark="target" if row == now else ""))
    return [*column, Cell(points_text(options, total))]


def _free_cell(state: State, player: PlayerId, row: int) -> Cell[Event]:
    """A row to choose: with the points of the dice that lie there, else to type them (PAD-41)."""
    rule, dice, name = dice_rule(state, row), state.dice.get(player), _row_name(state, row)
    if rule is None or dice is None:
        return Cell(tap=Tap(name, draft={**draft.EMPTY, "who": player, "row": str(row)}))
    points = points_text(state.options, points_of(rule, dice) * state.options.unit)
    return Cell(points, mark="target", tap=Tap(_("{row}: {points}", row=name, points=points), event=Took(player, row)))


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: rules.explain(state, player) for player in state.players}
    return score_lines(explained, viewer, rules.winners(state), rules.awaiting(state))


def _result(state: State, viewer: Viewer) -> Standings:
    names = [viewer.name(player) for player in rules.winners(state)]
    title = _n("{names} wins", "{names} win", len(names), names=listed(names))
    lines = {line.player: line for line in _lines(state, viewer)}
    ranking = rules.ranked(state)
    if state.options.halves:
        title = _("{winners} (counted in half points)", winners=title)
    return Standings(title, tuple(lines[player] for group in ranking for player in group), ranking)


def bind(state: State, signal: Signal) -> Event | None:
    """Where points come as they come, a seat's button adds the first step (PAD-15)."""
    if not signal.pressed or signal.device is not Device.SEAT or signal.seat is None or rules.is_over(state):
        return None
    options = state.options
    if options.kind is not Kind.RUNNING or not options.steps or signal.seat > len(state.players):
        return None
    return Added(state.players[signal.seat - 1], options.steps[0] * options.unit)


def look(state: State, _now_us: int) -> BoxLook:
    """A seat's light blinks while its player rolls, or has not written this round."""
    rolls = rules.next_to_roll(state)
    waiting = {rolls} if rolls else rules.awaiting(state) if state.options.kind is not Kind.RUNNING else frozenset()
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    return BoxLook(Phase.OVER if rules.is_over(state) else Phase.WAITING, lights)
