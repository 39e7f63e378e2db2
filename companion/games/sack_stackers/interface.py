"""How Sack Stackers looks on a tablet, and what dice and buttons mean to it.

What a player has tapped and not yet confirmed stands in the viewer's draft: `first` and `second` (the dice, typed),
`alter1` and `alter2` (sums of circles), `box` ("section:box"), `gift` (for the wild box), `coal` ("before 3,after 5").
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from companion.contract import D6, Light, Look, Phase, Preset, Proposed, Remark, Signal, Thrown, Viewer
from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.sack_stackers import rules
from companion.games.sack_stackers.groups import TYPES
from companion.games.sack_stackers.rules import Coal, Mark, Placed, Rolled, State, Unplaced, When, YoungestNamed
from companion.games.scores import best_first, score_lines
from companion.readings import DiceReading
from companion.widgets import (
    Cell,
    Choice,
    DiceRow,
    Face,
    Grid,
    Headline,
    Notice,
    ScoreLine,
    ScoreTable,
    Standings,
    Tap,
    Tone,
    Track,
    Widget,
)
from companion.words import N_, _, _n, either, listed, signed

DICE = 2  # SS-02
PRESETS = (
    Preset(
        "quick",
        N_("Quick"),
        N_("Fewer choices a turn: no die is altered beyond 1 to 6, and groups may share gifts."),
        {"altered_range": rules.Range.STRICT, "overlap": rules.Overlap.SHARED},
    ),
    Preset("tournament", N_("Tournament"), N_("As printed, locked, with a referee."), locked=True),
)
COLOURS: Mapping[str, str] = {
    "I": "red",
    "O": "yellow",
    "T": "purple",
    "L": "orange",
    "S": "green",
    "C": "black",
    "?": "grey",
}


# what was chosen and not yet confirmed


@dataclass(frozen=True)
class Draft:
    """A move in the making. `box` is (section, box) or None, `gift` None until the wild box's type is chosen."""

    marks: tuple[Mark, ...] = ()
    box: tuple[int, str] | None = None
    gift: str | None = None
    coal: tuple[Coal, ...] = ()

    @property
    def changes(self) -> tuple[int, int]:
        """What the circles add to each die."""
        first, second = (sum(mark.step for mark in self.marks if mark.die == die) for die in (1, 2))
        return first, second


def draft_of(fields: Mapping[str, str]) -> Draft:
    """The draft in a viewer's fields; what cannot be understood (an old link) counts as not chosen."""
    marks = tuple(
        Mark(die, 1 if change > 0 else -1)
        for die in (1, 2)
        for change in [_whole(fields.get(f"alter{die}", ""), -rules.CIRCLES, rules.CIRCLES) or 0]
        for _ in range(abs(change))
    )
    section, _, box = fields.get("box", "").partition(":")
    chosen = _whole(section, 1, rules.SECTIONS)
    gift = fields.get("gift") if box == rules.WILD else box
    coal = []
    for piece in filter(None, fields.get("coal", "").split(",")):
        when, _, column = piece.partition(" ")
        number = _whole(column, 1, rules.COLUMNS)
        if number and when in set(When):
            coal.append(Coal(number, When(when)))
    return Draft(
        marks,
        (chosen, box) if chosen and box in rules.BOXES else None,
        gift if gift in TYPES else None,
        tuple(coal),
    )


def _whole(text: str, low: int, high: int) -> int | None:
    try:
        number = int(text)
    except ValueError:
        return None
    return number if low <= number <= high else None


def _coal_text(coal: tuple[Coal, ...]) -> str:
    return ",".join(f"{piece.when} {piece.column}" for piece in coal)


# pages


def view(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The player's sheet, or the whole table when nobody's is chosen."""
    if rules.is_over(state):
        return (_result(state, viewer), *_all_sheets(state, viewer))
    if rules.tie_to_break(state):
        return (_youngest(state, viewer), _scores(state, viewer))
    if state.dice is None:
        return (*_roll_entry(state, viewer), *_own_sheet(state, viewer), _scores(state, viewer))
    if viewer.player in rules.awaiting(state):
        return (*_move(state, viewer, viewer.player), _scores(state, viewer))
    return (_waiting(state, viewer), _dice_row(state, Draft()), *_own_sheet(state, viewer), _scores(state, viewer))


def _roll_entry(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The dice are to be rolled; who has no camera taps what they show."""
    typed = [_whole(viewer.draft.get(key, ""), 1, 6) for key in ("first", "second")]
    entry = tuple(
        Choice(
            prompt,
            tuple(Tap(str(face), draft={key: str(face)}, chosen=chosen == face) for face in range(1, 7)),
            faces=True,
        )
        for key, prompt, chosen in zip(("first", "second"), (_("First die"), _("Second die")), typed, strict=True)
    )
    first, second = typed
    done = (
        (
            Choice(
                "",
                (
                    Tap(
                        _("We rolled {first} and {second}", first=first, second=second),
                        event=Rolled((first, second)),
                        tone=Tone.PRIMARY,
                    ),
                ),
            ),
        )
        if first and second
        else ()
    )
    title = _("Roll both dice")
    return (
        Headline(title, _("Turn {turn}. The same roll counts for everybody.", turn=state.turn), Tone.PRIMARY),
        *entry,
        *done,
    )


def _move(state: State, viewer: Viewer, player: str) -> tuple[Widget, ...]:
    """The sheet of a player who chooses."""
    sheet, draft = state.sheets[player], draft_of(viewer.draft)
    try:
        rules.check_marks(sheet, draft.marks)
        dice = rules.altered(state, draft.marks)
    except IllegalEvent as why:
        return (Notice(str(why), Tone.WARN), *_move(state, replace(viewer, draft={}), player))
    uses = rules.placeable(sheet, dice)
    event = _event(state, player, draft, dice)
    return (
        _prompt(state, player, draft, uses, event),
        _confirm(state, player, draft, event),
        _dice_row(state, draft),
        _beside_dice(state, player, draft, event),
        _boxes(state, player, uses, draft),
        _sack(state, player, draft, event),
        Track(_("Circles"), rules.CIRCLES, sheet.circles, len(draft.marks)),
    )


def _event(state: State, player: str, draft: Draft, dice: tuple[int, int]) -> Placed | Unplaced:
    """What the draft amounts to: a placed gift once a box is chosen, otherwise none."""
    if draft.box and draft.gift:
        section, box = draft.box
        for gift_die, (use_section, column) in enumerate(rules.uses(dice), start=1):
            if use_section == section and 1 <= column <= rules.COLUMNS:
                return Placed(player, gift_die, section, box, draft.gift, column, draft.marks, draft.coal)
    return Unplaced(player, draft.marks, draft.coal)


def _coal_due(state: State, player: str, event: Placed | Unplaced) -> int:
    """Coal of this move, for circles and for a gift that cannot be placed."""
    return rules.coal_for_circles(state.sheets[player], event.marks) + isinstance(event, Unplaced)


def _allowed(state: State, event: Placed | Unplaced) -> str:
    """ "" when the event is legal, otherwise the sentence why not."""
    try:
        rules.apply(state, event)
    except IllegalEvent as why:
        return str(why)
    return ""


def _without_gift(state: State, event: Placed | Unplaced) -> bool:
    return isinstance(event, Unplaced) and rules.may_leave_unplaced(state, event)


def _prompt(
    state: State, player: str, draft: Draft, uses: tuple[tuple[int, int], ...], event: Placed | Unplaced
) -> Headline:
    placing = isinstance(event, Placed)
    missing = _coal_due(state, player, event) - len(draft.coal)
    if placing and missing > 0:
        return Headline(_("Drop the coal"), _("{n} due: tap a column of your sack.", n=missing), Tone.WARN)
    if placing:
        return Headline(_("Confirm"), _("Or choose another box."), Tone.PRIMARY)
    if draft.box:
        return Headline(_("Choose the gift"), _("The wild box takes any type."), Tone.PRIMARY)
    if _without_gift(state, event) and not uses:
        return Headline(
            _("Nothing fits"),
            _("{missing} coal: tap a column of your sack, or alter a die.", missing=missing),
            Tone.WARN,
        )
    ways = [_("section {section} into column {column}", section=section, column=column) for section, column in uses]
    return Headline(_("Choose a gift"), _("Possible: {ways}.", ways=either(ways)), Tone.PRIMARY)


def _dice_row(state: State, draft: Draft) -> DiceRow:
    """The roll, with what the circles make of it."""
    assert state.dice is not None
    faces = []
    for value, change in zip(state.dice, draft.changes, strict=True):
        note = _("altered to {number}", number=value + change) if change else ""
        faces.append(Face(value, note=note))
    return DiceRow(_("Rolled for everybody"), tuple(faces))


def _beside_dice(state: State, player: str, draft: Draft, event: Placed | Unplaced) -> Choice:
    """What can be chosen at this step besides squares: how to alter, then the wild gift, then when the coal falls."""
    if draft.coal:
        return _coal_moment(draft, event)
    if draft.box and draft.box[1] == rules.WILD:
        return _wild(draft)
    return _alter(state, player, draft)


def _again() -> Tap:
    return Tap(_("Start again"), draft={"box": "", "gift": "", "coal": ""}, tone=Tone.DIM)


def _alter(state: State, player: str, draft: Draft) -> Choice:
    """SS-20: one circle adds or subtracts one."""
    left = rules.CIRCLES - state.sheets[player].circles
    taps = []
    for die in (1, 2):
        for step in (-1, 1):
            change = draft.changes[die - 1] + step
            spent = abs(change) + abs(draft.changes[2 - die])
            refused = "" if spent <= left else _("No circle is left.")
            sign = "+" if step > 0 else "−"
            label = _("First {sign} 1", sign=sign) if die == 1 else _("Second {sign} 1", sign=sign)
            taps.append(
                Tap(label, draft={f"alter{die}": str(change), "box": "", "gift": "", "coal": ""}, refused=refused)
            )
    prompt = _n("Alter a die ({n} circle left)", "Alter a die ({n} circles left)", left - len(draft.marks))
    return Choice(prompt, tuple(taps))


def _wild(draft: Draft) -> Choice:
    """SS-15: the wild box takes any type."""
    taps = tuple(Tap(gift, draft={"gift": gift}, chosen=draft.gift == gift) for gift in TYPES)
    return Choice(_("Which gift?"), (*taps, _again()))


def _coal_moment(draft: Draft, event: Placed | Unplaced) -> Choice:
    """SS-33: each coal falls before or after the gift; and a way to choose the columns again."""
    taps = []
    for index, piece in enumerate(draft.coal):
        if not isinstance(event, Placed):
            break
        other = When.BEFORE if piece.when is When.AFTER else When.AFTER
        coal = (*draft.coal[:index], replace(piece, when=other), *draft.coal[index + 1 :])
        label = (
            _("Column {column}: before the gift", column=piece.column)
            if other is When.BEFORE
            else _("Column {column}: after the gift", column=piece.column)
        )
        taps.append(Tap(label, draft={"coal": _coal_text(coal)}))
    return Choice(_("Coal"), (*taps, Tap(_("Other columns"), draft={"coal": ""}), _again()))


def _boxes(state: State, player: str, uses: tuple[tuple[int, int], ...], draft: Draft) -> Grid:
    """The gift area: a column for each section, a row for each type; what the dice allow can be tapped.

    A box says what its gift would add to the points where it falls, coal and circles left aside.
    """
    sheet = state.sheets[player]
    open_sections = dict(uses)
    worth = {
        (column, gift): rules.worth(state, player, gift, column) for column in open_sections.values() for gift in TYPES
    }

    def adds(section: int, box: str) -> str:
        column = open_sections[section]
        points = worth[column, box] if box != rules.WILD else max(worth[column, gift] for gift in TYPES)
        return f" {signed(points)}" if points else ""

    def cell(section: int, box: str) -> Cell:
        if (section, box) in sheet.boxes:
            return Cell(box, COLOURS[box], "crossed")
        if section not in open_sections:
            return Cell(box, COLOURS[box])
        points = adds(section, box)
        named = _("Section {section}, {box}", section=section, box=_("wild") if box == rules.WILD else box)
        tap = Tap(
            ", ".join(filter(None, (named, points and _("{points} points", points=points.strip())))),
            draft={"box": f"{section}:{box}", "gift": "", "coal": ""},
            chosen=draft.box == (section, box),
        )
        return Cell(f"{box}{points}", COLOURS[box], "target", tap)

    sections = range(1, rules.SECTIONS + 1)
    return Grid(
        _("Gifts"),
        tuple(tuple(cell(section, box) for section in sections) for box in rules.BOXES),
        tuple(str(section) for section in sections),
    )


def _sack(state: State, player: str, draft: Draft, event: Placed | Unplaced) -> Grid:
    """The sack as it would be, with the columns to tap while coal is due."""
    sheet = state.sheets[player]
    sack, kept = sheet.sack, draft.coal
    try:
        sack = rules.dropped(sack, draft.coal, When.BEFORE)
        if isinstance(event, Placed) and len(sack[event.column - 1]) < rules.ROWS:
            sack = rules.drop(sack, event.column, event.gift)
        sack = rules.dropped(sack, draft.coal, When.AFTER)
    except IllegalEvent:
        sack, kept = sheet.sack, ()
    choosing = isinstance(event, Placed) or _without_gift(state, event)
    missing = _coal_due(state, player, event) - len(kept) if choosing else 0
    when = _moment(draft, event)

    def tap(column: int) -> Tap | None:
        if missing <= 0 or len(sack[column]) == rules.ROWS:
            return None
        coal = (*kept, Coal(column + 1, when))
        return Tap(_("Coal into column {number}", number=column + 1), draft={"coal": _coal_text(coal)})

    return _sack_grid(state, player, sack, sheet.sack, tap)


def _moment(draft: Draft, event: Placed | Unplaced) -> When:
    """When the next coal falls: after the gift unless "before" was tapped; that stays in the coal already chosen."""
    return (
        When.BEFORE if draft.coal and draft.coal[-1].when is When.BEFORE and isinstance(event, Placed) else When.AFTER
    )


def _standing_sack(state: State, player: str, title: str = "") -> Grid:
    """A sack as it stands, with nothing to tap."""
    sack = state.sheets[player].sack
    drawn = _sack_grid(state, player, sack, sack, lambda _column: None)
    return replace(drawn, title=title) if title else drawn


def _sack_grid(
    state: State, player: str, sack: tuple[str, ...], before: tuple[str, ...], tap: Callable[[int], Tap | None]
) -> Grid:
    grouped = {square for found in rules.found_groups(state, player).values() for group in found for square in group}

    def cell(column: int, row: int) -> Cell:
        squares = sack[column]
        if row >= len(squares):
            lowest = row == len(squares)
            return Cell("", "", "target" if tap(column) and lowest else "", tap(column) if lowest else None)
        new = row >= len(before[column]) or before[column] != squares[: len(before[column])]
        mark = "new" if new else "group" if (column, row) in grouped else ""
        return Cell("●" if squares[row] == rules.COAL else squares[row], COLOURS[squares[row]], mark)

    rows = tuple(tuple(cell(column, row) for column in range(rules.COLUMNS)) for row in reversed(range(rules.ROWS)))
    return Grid(_("Sack"), rows, tuple(str(column) for column in range(1, rules.COLUMNS + 1)))


def _confirm(state: State, player: str, draft: Draft, event: Placed | Unplaced) -> Choice:
    """The one tap that posts the move, with what it is worth. Always there, so that nothing moves under a finger."""
    chosen = isinstance(event, Placed) or (not draft.box and _without_gift(state, event))
    missing = _coal_due(state, player, event) - len(draft.coal)
    refused = _allowed(state, event) if chosen else _("Tap a box of the gifts first.")
    if refused:
        what = (
            _("Choose a box")
            if not chosen
            else _("{missing} coal to drop", missing=missing)
            if missing > 0
            else _("Not like this")
        )
        return Choice("", (Tap(what, tone=Tone.PRIMARY, refused=refused),))
    now, then = rules.score(state)[player], rules.score(rules.apply(state, event))[player]
    what = (
        _("{gift} into column {column}", gift=event.gift, column=event.column)
        if isinstance(event, Placed)
        else _("Take the coal")
    )
    label = _("{what} · {now} → {then} points", what=what, now=now, then=then)
    return Choice("", (Tap(label, event=event, tone=Tone.PRIMARY),))


def _waiting(state: State, viewer: Viewer) -> Headline:
    names = ", ".join(viewer.name(player) for player in state.players if player in rules.awaiting(state))
    detail = (
        _("Turn {turn}. Tap a name above to place; the next roll comes when everybody is done.", turn=state.turn)
        if viewer.player is None
        else _("Turn {turn}. The next roll comes when everybody is done.", turn=state.turn)
    )
    return Headline(_("{names} still to place", names=names), detail)


def _own_sheet(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The viewer's sheet as it stands; the whole table shows everybody's sack."""
    if viewer.player is None or viewer.player not in state.sheets:
        return _all_sheets(state, viewer)
    sheet = state.sheets[viewer.player]
    return (
        _standing_sack(state, viewer.player),
        _boxes(state, viewer.player, (), Draft()),
        Track(_("Circles"), rules.CIRCLES, sheet.circles),
    )


def _all_sheets(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    return tuple(_standing_sack(state, player, viewer.name(player)) for player in state.players)


def _scores(state: State, viewer: Viewer) -> ScoreTable:
    return ScoreTable(_("If it ended now"), _lines(state, viewer))


def _result(state: State, viewer: Viewer) -> Standings:
    lines = best_first(_lines(state, viewer))
    names = listed(line.name for line in lines if line.winner)
    return Standings(_("Head Elf: {names}", names=names), lines)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    waiting = rules.awaiting(state)

    def seat(player: str) -> str:
        return _("places") if player in waiting else _("done") if player in state.done else ""

    return score_lines(
        state.players, viewer, lambda player: rules.explain(state, player), waiting, rules.winners(state), seat
    )


def _youngest(state: State, viewer: Viewer) -> Choice:
    """SS-51: the program does not know ages, so it asks."""
    tied = rules.leaders(state)
    taps = [Tap(viewer.name(player), event=YoungestNamed((player,))) for player in tied]
    return Choice(
        _("A tie for the highest total: who is the youngest?"),
        (*taps, Tap(_("Nobody knows: they share it"), event=YoungestNamed(tied))),
    )


def describe(state: State, event: rules.Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    match event:
        case Rolled((first, second)):
            return _("Both dice were rolled: {first} and {second}.", first=first, second=second)
        case Placed(player, marks=marks, coal=coal):
            return _with_extras(_placed_words(event, viewer.name(player)), marks, coal)
        case Unplaced(player, marks, coal):
            return _with_extras(_("{name} placed no gift", name=viewer.name(player)), marks, coal)
        case YoungestNamed(players):
            return _("Youngest of those tied: {names}.", names=listed(map(viewer.name, players)))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    raise TypeError(event)


def _placed_words(event: Placed, name: str) -> str:
    told = {"name": name, "gift": event.gift, "section": event.section, "column": event.column}
    if event.box == rules.WILD:
        return _("{name} took {gift} from section {section} (wild box) into column {column}", **told)
    return _("{name} took {gift} from section {section} into column {column}", **told)


def _with_extras(sentence: str, marks: tuple[Mark, ...], coal: tuple[Coal, ...]) -> str:
    """The sentence, then the circles that were spent and where coal fell."""
    columns = listed(str(piece.column) for piece in coal)
    extras = (
        _n("{n} circle", "{n} circles", len(marks)) if marks else "",
        _("coal into column {columns}", columns=columns) if coal else "",
    )
    return f"{', '.join(filter(None, (sentence, *extras)))}."


def drafted(_state: State, event: rules.Event) -> Mapping[str, str]:
    """What was rolled or placed, as the page's choices, for a correction to begin with."""
    match event:
        case Rolled((first, second)):
            return {"first": str(first), "second": str(second)}
        case Placed(section=section, box=box, gift=gift):
            return {**_altered(event), "box": f"{section}:{box}", "gift": gift if box == rules.WILD else ""}
        case Unplaced():
            return _altered(event)
    return {}


def _altered(event: Placed | Unplaced) -> dict[str, str]:
    steps = {die: sum(mark.step for mark in event.marks if mark.die == die) for die in (1, 2)}
    return {"alter1": str(steps[1]), "alter2": str(steps[2]), "coal": _coal_text(event.coal)}


def thrown(event: rules.Event, _options: rules.Options) -> tuple[Thrown, ...]:
    """The two dice of a roll."""
    if not isinstance(event, Rolled):
        return ()
    names = (N_("First die"), N_("Second die"))
    return tuple(Thrown(name, D6, value) for name, value in zip(names, event.dice, strict=True))


# dice, buttons, lights


def propose(state: State, reading: DiceReading) -> Proposed | Remark | None:
    """Two dice at rest are the roll; in the middle of a turn they may be the next one, and a person must say so."""
    seen = len(reading.dice) + len(reading.unread)
    if not seen or state.ended:
        return None
    if seen != DICE:
        return Remark(
            _n(
                "{n} die lies on the table, the roll has {dice}: take away what does not belong, or tap the roll in.",
                "{n} dice lie on the table, the roll has {dice}: take away what does not belong, or tap the roll in.",
                seen,
                dice=DICE,
            )
        )
    read = [die.value for die in reading.dice]
    if state.dice is None:
        first, second = (*read, *[1] * len(reading.unread))  # what stands in an event for a die that is asked
        return Proposed(Rolled((first, second)), ("dice.0", "dice.1"))
    if sorted(state.dice) == sorted(read):
        return None  # the dice of this turn, nudged
    unread = _("one that cannot be read")
    return Remark(
        _(
            "The dice now show {seen}, but this turn's roll is {rolled}: roll again when everybody has placed, "
            "or correct the roll.",
            seen=listed([*map(str, read), *[unread] * len(reading.unread)]),
            rolled=listed(map(str, state.dice)),
        )
    )


def bind(state: State, signal: Signal) -> rules.Event | None:
    """Sack Stackers has no buttons: a move needs the sheet."""
    return None


def look(state: State, now_us: int) -> Look:
    """A seat's light blinks while its player still has to place."""
    waiting = rules.awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    if rules.is_over(state):
        return Look(Phase.OVER, lights)
    last = any(sheet.full for sheet in state.sheets.values())
    return Look(Phase.LAST_TURN if last else Phase.WAITING, lights)
