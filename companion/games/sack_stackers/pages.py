"""The pages of Sack Stackers on a tablet: the roll, and the sheet of a player who chooses."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.game.players import Viewer
from companion.game.widgets import (
    Cell,
    Choice,
    DiceRow,
    Face,
    Grid,
    Headline,
    Notice,
    PictureChoice,
    PictureTap,
    Tap,
    Tone,
    Track,
    Widget,
)
from companion.games.sack_stackers import rules, scoring
from companion.games.sack_stackers.choices import (
    coal_due,
    event_of,
    leaves_unplaced,
    sack_after,
    with_fitting_coal,
    with_legal_circles,
    without_unreachable_box,
)
from companion.games.sack_stackers.coal import coal_for_circles, dropped
from companion.games.sack_stackers.dice import altered, placeable
from companion.games.sack_stackers.drawing import COLOURS, all_sacks, gift_picture, sack_grid, standing_sack
from companion.games.sack_stackers.entry import Draft, coal_text, draft_of, mark_text, roll_entry
from companion.games.sack_stackers.events import Coal, Event, Mark, Placed, Unplaced, When, YoungestNamed
from companion.games.sack_stackers.groups import TYPES
from companion.games.sack_stackers.options import BOXES, CIRCLES, ROWS, SECTIONS, WILD
from companion.games.sack_stackers.scoring import is_over, leaders, score, tie_to_break
from companion.games.sack_stackers.standings import below, result, scores
from companion.games.sack_stackers.state import State, awaiting
from companion.words import _, joined, listed, signed

Uses = tuple[tuple[int, int], ...]  # Each gift that the dice allow has (section, column).

MOST_NAMED, MOST_NAMED_AFAR = 8, 3  # Beyond that, a headline gives a number; afar it has one line.


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The viewer's sheet, or the whole table for a page without a player."""
    if is_over(state):
        return (result(state, viewer), *all_sacks(state, viewer))
    if tie_to_break(state):
        return (*_youngest(state, viewer), scores(state, viewer))
    if state.dice is None:
        return (*roll_entry(state), *_own_sheet(state, viewer), *below(state, viewer))
    if viewer.player in awaiting(state):
        return (*_move(state, viewer, viewer.player), *below(state, viewer))
    if viewer.player is None:
        return (*_shared(state, viewer), *below(state, viewer))
    return (_waiting(state, viewer), _dice_row(state, Draft()), *_own_sheet(state, viewer), *below(state, viewer))


def _shared(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page of the whole table after the roll: the sheet of the next player who places, and who else may be first.

    The draft field `who` says whose sheet was opened, and whose choices the other fields are. Once that player has
    placed, they count no more, and the next one's sheet is in front by itself.
    """
    waiting = [player for player in state.players if player in awaiting(state)]
    if viewer.looks_on:
        return (_waiting(state, viewer), _dice_row(state, Draft()), *all_sacks(state, viewer))
    who = viewer.draft.get("who", "")
    player, draft = (who, viewer.draft) if who in waiting else (waiting[0], {})
    empty = {"marks": "", "box": "", "gift": "", "coal": ""}
    names: tuple[Tap[Event], ...] = tuple(
        Tap(viewer.name(other), draft={**empty, "who": other}) for other in waiting if other != player
    )
    sheet = tuple(_of_one(part, viewer, player) for part in _move(state, replace(viewer, draft=draft), player))
    return (*sheet, Choice(_("Or someone else first"), names, folded=True)) if names else sheet


def _of_one(part: Widget[Event], viewer: Viewer, player: str) -> Widget[Event]:
    """A part of the player's sheet on the page of the whole table: it names the player, and its choices are theirs."""
    match part:
        case Headline():
            return replace(part, title=f"{viewer.name(player)}: {part.title}")
        case Choice():
            return replace(part, taps=tuple(_chosen_for(tap, player) for tap in part.taps))
        case PictureChoice():
            taps = ((each, each.tap and _chosen_for(each.tap, player)) for each in part.pictures)
            return replace(part, pictures=tuple(replace(each, tap=tap) for each, tap in taps))
        case Grid():
            return replace(part, rows=tuple(tuple(_cell_for(cell, player) for cell in row) for row in part.rows))
    return part


def _cell_for(cell: Cell[Event], player: str) -> Cell[Event]:
    return replace(cell, tap=_chosen_for(cell.tap, player)) if cell.tap else cell


def _chosen_for(tap: Tap[Event], player: str) -> Tap[Event]:
    return replace(tap, draft={**tap.draft, "who": player}) if tap.draft or tap.adds else tap


def _waiting(state: State, viewer: Viewer) -> Headline:
    waiting = [player for player in state.players if player in awaiting(state)]
    names = listed(map(viewer.name, waiting))
    detail = _("Turn {turn}. We roll again when everyone is done.", turn=state.turn)
    if len(waiting) > (MOST_NAMED_AFAR if viewer.looks_on else MOST_NAMED):
        return Headline(_("Waiting for {n} of {all}", n=len(waiting), all=len(state.players)), detail)
    return Headline(_("Waiting for {names}", names=names), detail)


def _own_sheet(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The viewer's sheet without taps; the page of the whole table shows all sacks."""
    if viewer.player is None or viewer.player not in state.sheets:
        return all_sacks(state, viewer)
    sheet = state.sheets[viewer.player]
    return (
        _boxes(state, viewer.player, (), Draft()),
        standing_sack(state, viewer.player),
        Track(_("Circles"), CIRCLES, sheet.circles),
    )


def _youngest(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The sacks, and the question for the youngest of the tied players, since the program knows no ages (SS-51)."""
    tied = leaders(state)
    taps = [Tap(viewer.name(player), event=YoungestNamed((player,))) for player in tied]
    return (
        Headline(_("It's a tie! The youngest wins. Who is it?"), listed(map(viewer.name, tied)), Tone.PRIMARY),
        Choice("", (*taps, Tap(_("Share the win"), event=YoungestNamed(tied)))),
        *all_sacks(state, viewer),
    )


def _dice_row(state: State, draft: Draft) -> DiceRow[Event]:
    """The roll, with its values after the circles."""
    assert state.dice is not None
    faces: list[Face[Event]] = []
    for die, (value, change) in enumerate(zip(state.dice, draft.changes, strict=True), start=1):
        circled = any(mark.die == die for mark in draft.marks)
        note = _("changed to {number}", number=value + change) if circled else ""
        faces.append(Face(value, note=note))
    return DiceRow(_("Rolled for everyone"), tuple(faces))


def _move(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    """The page of a player who chooses a move."""
    sheet = state.sheets[player]
    draft, not_circled = with_legal_circles(state, sheet, draft_of(viewer.draft))
    dice = altered(state, draft.marks)
    draft, not_dropped = with_fitting_coal(state, player, without_unreachable_box(draft, dice), dice)
    event = event_of(player, draft, dice)
    first = dropped(sheet.sack, draft.coal, When.BEFORE)
    sack = sack_after(first, event)
    uses = placeable(replace(sheet, sack=first), dice)  # SS-34: the coal has left room for these
    left = _coal_left(state, draft, uses, event, sack)
    return (
        _prompt(state, draft, uses, event, left),
        *(Notice(refusal, Tone.WARN) for refusal in (not_circled or not_dropped,) if refusal),
        _confirm(state, draft, uses, event, left),
        _dice_row(state, draft),
        *_beside_dice(state, player, draft, event),
        _boxes(replace(state, sheets={**state.sheets, player: replace(sheet, sack=first)}), player, uses, draft),
        _sack(state, draft, uses, event, sack, left),
        Track(_("Circles"), CIRCLES, sheet.circles, len(draft.marks)),
    )


def _coal_left(state: State, draft: Draft, uses: Uses, event: Placed | Unplaced, sack: tuple[str, ...]) -> int:
    """The number of coal still to drop now, as far as the sack has room (SS-35)."""
    if isinstance(event, Unplaced) and (draft.box or not (uses or leaves_unplaced(state, event))):
        return 0  # The player first has to choose the type of the gift, or other circles.
    room = sum(max(0, ROWS - len(column)) for column in sack)
    return max(0, min(coal_due(state, event) - len(event.coal), room))


def _refusal(state: State, event: Placed | Unplaced) -> str:
    """The sentence that refuses the event, "" when it is legal."""
    try:
        rules.apply(state, event)
    except IllegalEvent as refusal:
        return str(refusal)
    return ""


def _prompt(state: State, draft: Draft, uses: Uses, event: Placed | Unplaced, left: int) -> Headline:
    if isinstance(event, Placed) and left:
        return Headline(_("Drop the coal"), _("Drop {n}. Tap a column of your sack.", n=left), Tone.WARN)
    if draft.box and not draft.gift:
        return Headline(_("Choose the gift"), _("The wild box takes any type."), Tone.PRIMARY)
    if isinstance(event, Placed) or (leaves_unplaced(state, event) and not left):
        return _ready_prompt(state, event)
    if leaves_unplaced(state, event) and not uses:
        return Headline(
            _("Nothing fits"),
            _("Drop {n}. Tap a column of your sack.", n=left)
            if draft.coal
            else _("No gift fits. Drop {missing} coal in a column, or change a die.", missing=left),
            Tone.WARN,
        )
    if not uses:
        return Headline(_("Nothing fits"), _nowhere(), Tone.WARN)
    possible = _ways(uses)
    if left and _moment(state, uses, event) is When.BEFORE:
        possible = joined((possible, _("Or drop coal first: tap a column of your sack.")), " ")
    return Headline(_("Choose a gift"), possible, Tone.PRIMARY)


def _ways(uses: Uses) -> str:
    """Where gifts may be taken, and where each drops."""
    (section, column), *others = dict.fromkeys(uses)
    if not others:
        return _("Take a gift from section {section} and drop it in column {column}.", section=section, column=column)
    return _(
        "Take a gift from section {section} and drop it in column {column}, or the other way round.",
        section=section,
        column=column,
    )


def _nowhere() -> str:
    """The advice for altered dice that fit nowhere while the rolled ones do, so that no coal may be taken (SS-32)."""
    return _("No gift fits the changed dice. Change them again, or play them as we rolled them.")


def _ready_prompt(state: State, event: Placed | Unplaced) -> Headline:
    """The headline once everything is chosen: confirm, or the reason why that is refused."""
    if refused := _refusal(state, event):
        return Headline(_("Not like this"), refused, Tone.WARN)
    if isinstance(event, Unplaced):
        return Headline(_("Drop it here?"), _("No gift this turn."), Tone.PRIMARY)
    if len(event.coal) < coal_due(state, event):  # SS-35
        return Headline(_("Drop it here?"), _("The gift fills the sack, so no more coal drops."), Tone.PRIMARY)
    return Headline(_("Drop it here?"), _("Or pick a different one."), Tone.PRIMARY)


def _confirm(state: State, draft: Draft, uses: Uses, event: Placed | Unplaced, left: int) -> Choice[Event]:
    """The tap that posts the move, with the points it gives. Always there, so that nothing moves under a finger."""
    if isinstance(event, Placed) or (not draft.box and leaves_unplaced(state, event)):
        what = _("Drop {missing} coal", missing=left) if left else _("Not like this")
        refused = _refusal(state, event)
    elif draft.box and not draft.gift:
        what, refused = _("Choose the gift"), _("First tap which gift the wild box is.")
    elif uses:
        what, refused = _("Choose a gift"), _("Tap a gift first.")
    else:
        what, refused = _("Not like this"), _nowhere()
    if refused:
        return Choice("", (Tap(what, tone=Tone.PRIMARY, refused=refused),))
    player = event.player
    points = signed(score(rules.apply(state, event))[player] - score(state)[player])
    label = (
        _("Drop the {gift} in column {column} ({points})", gift=event.gift, column=event.column, points=points)
        if isinstance(event, Placed)
        else _("Take the coal ({points})", points=points)
    )
    return Choice("", (Tap(label, event=event, tone=Tone.PRIMARY),))


def _beside_dice(
    state: State, player: str, draft: Draft, event: Placed | Unplaced
) -> tuple[Choice[Event] | PictureChoice[Event], ...]:
    """The choice beside the squares at this step: circles, then the wild gift, then the moment of the coal."""
    if draft.coal and (draft.gift or not draft.box):
        return (_coal_moment(draft, event),)
    if draft.box and draft.box[1] == WILD:
        return _wild(draft), Choice("", (_again(),))
    return (_alter(state, player, draft),)


def _again() -> Tap[Event]:
    return Tap(_("Pick a different gift"), draft={"box": "", "gift": "", "coal": ""}, tone=Tone.DIM)


def _alter(state: State, player: str, draft: Draft) -> Choice[Event]:
    """The taps that mark circles, also one that undoes the effect of another (SS-20, SS-25)."""
    left = CIRCLES - state.sheets[player].circles - len(draft.marks)
    cleared = {"box": "", "gift": "", "coal": ""}
    taps: list[Tap[Event]] = []
    for die in (1, 2):
        for step in (-1, 1):
            mark = Mark(die, step)
            marks = (*draft.marks, mark)
            sign = "+" if step > 0 else "−"
            label = _("First die {sign}1", sign=sign) if die == 1 else _("Second die {sign}1", sign=sign)
            refused = _("You have no circles left.") if left <= 0 else _altering_refused(state, marks)
            taps.append(Tap(label, draft=cleared, adds={"marks": mark_text(mark)}, refused=refused))
    none = "" if draft.marks else _("You haven't used a circle this turn.")
    taps.append(Tap(_("As we rolled it"), draft={"marks": "", **cleared}, tone=Tone.DIM, refused=none))
    return Choice(_("Change a die"), tuple(taps), folded=True)


def _altering_refused(state: State, marks: tuple[Mark, ...]) -> str:
    """The sentence that refuses these circles at a strict table (SS-24), "" when they are allowed."""
    try:
        altered(state, marks)
    except IllegalEvent as refusal:
        return str(refusal)
    return ""


def _wild(draft: Draft) -> PictureChoice[Event]:
    """The choice of a type for the wild box (SS-15)."""
    return PictureChoice(
        _("Which gift?"),
        tuple(
            PictureTap(
                gift_picture(gift, gift),
                Tap(_("The {gift} gift", gift=gift), draft={"gift": gift}, chosen=draft.gift == gift),
            )
            for gift in TYPES
        ),
    )


def _coal_moment(draft: Draft, event: Placed | Unplaced) -> Choice[Event]:
    """The choice for each coal to fall before or after the gift (SS-33), or to choose the columns again."""
    taps: list[Tap[Event]] = []
    for number, piece in zip(draft.numbers, draft.coal, strict=True):
        if not isinstance(event, Placed):
            break
        other = When.BEFORE if piece.when is When.AFTER else When.AFTER
        label = (
            _("Column {column}: before the gift", column=piece.column)
            if other is When.BEFORE
            else _("Column {column}: after the gift", column=piece.column)
        )
        taps.append(Tap(label, adds={"coal": f"#{number} {other}"}))
    return Choice(_("Coal"), (*taps, Tap(_("Other columns"), draft={"coal": ""}), _again()))


def _boxes(state: State, player: str, uses: Uses, draft: Draft) -> Grid[Event]:
    """The gift area: a column for each section, a row for each type, a tap on each box that the dice allow.

    A box shows the points that its gift would add, apart from circles and later coal.
    """
    sheet = state.sheets[player]
    open_sections = dict(uses)
    worth = {
        (column, gift): scoring.worth(state, player, gift, column)
        for column in open_sections.values()
        for gift in TYPES
    }

    def adds(section: int, box: str) -> str:
        column = open_sections[section]
        points = worth[column, box] if box != WILD else max(worth[column, gift] for gift in TYPES)
        return f" {signed(points)}" if points else ""

    def cell(section: int, box: str) -> Cell[Event]:
        picture = None if box == WILD else gift_picture(box)
        if (section, box) in sheet.boxes:
            return Cell(box, COLOURS[box], "crossed", picture=picture)
        if section not in open_sections:
            return Cell(box, COLOURS[box], picture=picture)
        points = adds(section, box)
        named = _("Section {section}, {box}", section=section, box=_("wild") if box == WILD else box)
        tap: Tap[Event] = Tap(
            ", ".join(filter(None, (named, points and _("{points} points", points=points.strip())))),
            draft={"box": f"{section}:{box}", "gift": ""},
            chosen=draft.box == (section, box),
        )
        return Cell(f"{box}{points}", COLOURS[box], "target", tap, picture=picture)

    sections = range(1, SECTIONS + 1)
    return Grid(
        _("Gifts"),
        tuple(tuple(cell(section, box) for section in sections) for box in BOXES),
        tuple(str(section) for section in sections),
    )


def _sack(
    state: State, draft: Draft, uses: Uses, event: Placed | Unplaced, sack: tuple[str, ...], left: int
) -> Grid[Event]:
    """The sack after the move, with taps on its columns while coal is due."""
    when = _moment(state, uses, event)

    def tap(column: int) -> Tap[Event] | None:
        if not left or len(sack[column]) >= ROWS:
            return None
        piece = coal_text(Coal(column + 1, when))
        return Tap(_("Coal into column {number}", number=column + 1), adds={"coal": piece})

    grid = sack_grid(state, event.player, sack, state.sheets[event.player].sack, tap)
    return replace(grid, asked=bool(left) and (isinstance(event, Placed) or not uses))


def _moment(state: State, uses: Uses, event: Placed | Unplaced) -> When:
    """The moment for the next coal: coal for circles falls first while a gift can still be chosen (SS-33)."""
    for_circles = coal_for_circles(state.sheets[event.player], event.marks)
    first = isinstance(event, Unplaced) and uses and len(event.coal) < for_circles
    return When.BEFORE if first else When.AFTER
