"""The pages of Sack Stackers on a tablet: the roll, and the sheet of whoever chooses."""

from dataclasses import replace

from companion.contract import Viewer
from companion.errors import IllegalEvent
from companion.games.sack_stackers import rules
from companion.games.sack_stackers.drawing import COLOURS, all_sacks, sack_grid, standing_sack
from companion.games.sack_stackers.entry import Draft, coal_text, draft_of, marks_text, roll_entry
from companion.games.sack_stackers.groups import TYPES
from companion.games.sack_stackers.rules import Coal, Mark, Placed, State, Unplaced, When, YoungestNamed
from companion.games.sack_stackers.standings import result, scores
from companion.widgets import Cell, Choice, DiceRow, Face, Grid, Headline, Notice, Tap, Tone, Track, Widget
from companion.words import _, either, signed


def view(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The player's sheet, or the whole table when nobody's is chosen."""
    if rules.is_over(state):
        return (result(state, viewer), *all_sacks(state, viewer))
    if rules.tie_to_break(state):
        return (_youngest(state, viewer), scores(state, viewer))
    if state.dice is None:
        return (*roll_entry(state, viewer), *_own_sheet(state, viewer), scores(state, viewer))
    if viewer.player in rules.awaiting(state):
        return (*_move(state, viewer, viewer.player), scores(state, viewer))
    return (_waiting(state, viewer), _dice_row(state, Draft()), *_own_sheet(state, viewer), scores(state, viewer))


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
        return all_sacks(state, viewer)
    sheet = state.sheets[viewer.player]
    return (
        standing_sack(state, viewer.player),
        _boxes(state, viewer.player, (), Draft()),
        Track(_("Circles"), rules.CIRCLES, sheet.circles),
    )


def _youngest(state: State, viewer: Viewer) -> Choice:
    """SS-51: the program does not know ages, so it asks."""
    tied = rules.leaders(state)
    taps = [Tap(viewer.name(player), event=YoungestNamed((player,))) for player in tied]
    return Choice(
        _("A tie for the highest total: who is the youngest?"),
        (*taps, Tap(_("Nobody knows: they share it"), event=YoungestNamed(tied))),
    )


def _dice_row(state: State, draft: Draft) -> DiceRow:
    """The roll, with what the circles make of it."""
    assert state.dice is not None
    faces = []
    for die, (value, change) in enumerate(zip(state.dice, draft.changes, strict=True), start=1):
        circled = any(mark.die == die for mark in draft.marks)
        note = _("altered to {number}", number=value + change) if circled else ""
        faces.append(Face(value, note=note))
    return DiceRow(_("Rolled for everybody"), tuple(faces))


# a move


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
    """SS-20, SS-25: each tap marks a circle, also one that undoes what another did."""
    left = rules.CIRCLES - state.sheets[player].circles - len(draft.marks)
    anew = {"box": "", "gift": "", "coal": ""}
    taps = []
    for die in (1, 2):
        for step in (-1, 1):
            marks = (*draft.marks, Mark(die, step))
            sign = "+" if step > 0 else "−"
            label = _("First {sign} 1", sign=sign) if die == 1 else _("Second {sign} 1", sign=sign)
            refused = _("No circle is left.") if left <= 0 else _altering_refused(state, marks)
            taps.append(Tap(label, draft={"marks": marks_text(marks), **anew}, refused=refused))
    none = "" if draft.marks else _("No circle is marked this turn.")
    taps.append(Tap(_("Take the circles back"), draft={"marks": "", **anew}, tone=Tone.DIM, refused=none))
    return Choice(_("Alter a die: each tap marks a circle ({left} left)", left=left), tuple(taps))


def _altering_refused(state: State, marks: tuple[Mark, ...]) -> str:
    """Why these circles cannot be marked at a strict table (SS-24), "" when they can."""
    try:
        rules.altered(state, marks)
    except IllegalEvent as why:
        return str(why)
    return ""


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
        taps.append(Tap(label, draft={"coal": coal_text(coal)}))
    return Choice(_("Coal"), (*taps, Tap(_("Other columns"), draft={"coal": ""}), _again()))


# the sheet


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
            draft={"marks": marks_text(draft.marks), "box": f"{section}:{box}", "gift": "", "coal": ""},
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
        return Tap(_("Coal into column {number}", number=column + 1), draft={"coal": coal_text(coal)})

    return sack_grid(state, player, sack, sheet.sack, tap)


def _moment(draft: Draft, event: Placed | Unplaced) -> When:
    """When the next coal falls: after the gift unless "before" was tapped; that stays in the coal already chosen."""
    return (
        When.BEFORE if draft.coal and draft.coal[-1].when is When.BEFORE and isinstance(event, Placed) else When.AFTER
    )
