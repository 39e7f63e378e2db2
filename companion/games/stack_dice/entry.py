"""The pages before the turns: the start roll (ST-10) and the drop (ST-20), for tables without a camera.

Its draft fields are `start1`, `start2`, … (the roll of each seat), `drop1.3`, … (how many of a seat's dice show a 3:
a number, and "more" for each further tap on the last column), `drop1`, … (the numbers that a correction begins with,
"2 3 . 4 . ." while some are not counted), and `seat` (whose dice the page of the whole table counts).
"""

from collections.abc import Mapping, Sequence

from companion.game.players import Viewer
from companion.game.widgets import Cell, Choice, DiceRow, Face, Grid, Headline, Tap, Tone, Widget
from companion.games.stack_dice.drawing import faces
from companion.games.stack_dice.events import AllDropped, Dropped, Event, StartRolled
from companion.games.stack_dice.stacks import DICE, FACES
from companion.games.stack_dice.state import State, colour, yet_to_drop, yet_to_roll
from companion.words import _, _n, listed

MOST_BY_ONE_TAP = 5  # Six equal dice of fourteen are rare: the last column counts on from here.
MORE = "more"

Counts = Sequence[int | None]  # Each face has a number of dice, None while it is not counted.


def start_roll(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page of the start roll: a player's own page enters one roll, that of the whole table all of them."""
    again = len(state.contenders) < len(state.players)
    title = _("Roll again for the start") if again else _("Roll for the start")
    names = ", ".join(viewer.name(player) for player in yet_to_roll(state))
    detail = _("{names}: one die each. Highest roll starts. A 1 beats everything.", names=names)
    return (
        Headline(title, detail, Tone.PRIMARY),
        *_start_rolls(state, viewer),
        *_start_entry(state, viewer),
    )


def _start_rolls(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The values rolled so far."""
    rolled: tuple[Face[Event], ...] = tuple(
        Face(state.rolls.get(player), colour(state, player), viewer.name(player)) for player in state.contenders
    )
    return (DiceRow("", rolled),) if state.rolls else ()


def _start_entry(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    waiting = yet_to_roll(state)
    if viewer.player in waiting:
        own = viewer.player
        return (faces(_("What did you roll?"), lambda face: Tap(str(face), event=StartRolled(((own, face),)))),)
    if viewer.player in state.players:
        return ()
    chosen = {player: _face(viewer.draft.get(_key("start", state, player), "")) for player in waiting}
    entries = tuple(_start_faces(state, viewer, player, chosen[player]) for player in waiting)
    rolls = tuple((player, face) for player, face in chosen.items() if face)
    if not rolls:
        return entries
    complete = len(rolls) == len(waiting)
    words = _("Enter the roll") if complete else _("Enter what is tapped")
    return (*entries, Choice("", (Tap(words, event=StartRolled(rolls), tone=Tone.PRIMARY, at_once=complete),)))


def _start_faces(state: State, viewer: Viewer, player: str, chosen: int | None) -> Choice[Event]:
    key = _key("start", state, player)
    prompt = f"{viewer.name(player)} ({_(colour(state, player))})"
    return faces(prompt, lambda face: Tap(str(face), draft={key: str(face)}, chosen=face == chosen))


def drop(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page of the drop: a player's own page counts that player's dice, that of the whole table all players'."""
    assert state.starter is not None
    waiting = yet_to_drop(state)
    awaited = _("Waiting for {names}", names=listed(map(viewer.name, waiting)))
    how = _(
        "{name} begins. Move touching dice apart and pull far ones in. Every die must lie flat.",
        name=viewer.name(state.starter),
    )
    if viewer.player in state.players and viewer.player not in waiting:
        return (Headline(awaited, how),)
    detail = how if len(waiting) == len(state.players) and not viewer.looks_on else awaited
    headline = Headline(_("Drop all {dice} dice", dice=DICE), detail, Tone.PRIMARY)
    if viewer.player in waiting:
        return (headline, *_own_drop(state, viewer, viewer.player))
    return (headline, *_whole_drop(state, viewer, waiting))


def _own_drop(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    counts = completed(_counted(state, viewer, player))
    event = Dropped(player, values_of(counts))
    done = Tap(_("These are my dice"), event=event, tone=Tone.PRIMARY, at_once=True)
    return (_counting(state, viewer, player), *(() if _missing(counts) else (Choice("", (done,)),)))


def _whole_drop(state: State, viewer: Viewer, waiting: tuple[str, ...]) -> tuple[Widget[Event], ...]:
    """The dice of one player after the other: with the last die of one the next comes up by itself, and the last die of
    all enters all drops."""
    counted = {player: completed(_counted(state, viewer, player)) for player in waiting}
    open_ones = [player for player in waiting if _missing(counted[player])]
    seat = viewer.draft.get("seat", "")
    first = open_ones[0] if open_ones else waiting[0]
    counting = next((player for player in waiting if _seat(state, player) == seat), first)
    tabs: tuple[Tap[Event], ...] = tuple(
        Tap(
            f"{viewer.name(player)}{'' if player in open_ones else ' ✓'}",
            draft={"seat": _seat(state, player)},
            chosen=player == counting,
        )
        for player in waiting
    )
    following = _next_tap(state, viewer, counting, counted, open_ones)
    return (
        Choice(_("Whose dice?"), tabs),
        _counting(state, viewer, counting),
        *((Choice("", following),) if following else ()),
    )


def _next_tap(
    state: State, viewer: Viewer, counting: str, counted: Mapping[str, Counts], open_ones: Sequence[str]
) -> tuple[Tap[Event], ...]:
    if not open_ones:
        dice = tuple((player, values_of(counts)) for player, counts in counted.items())
        return (Tap(_("All dice are entered"), event=AllDropped(dice), tone=Tone.PRIMARY, at_once=True),)
    if counting in open_ones:
        return ()
    following = open_ones[0]
    name = _("Next: {name}", name=viewer.name(following))
    return (Tap(name, draft={"seat": _seat(state, following)}, tone=Tone.PRIMARY),)


def _counted(state: State, viewer: Viewer, player: str) -> Counts:
    key = _key("drop", state, player)
    begun = counts_in(viewer.draft.get(key, ""))
    return [_count_in(viewer.draft.get(f"{key}.{face}", ""), before) for face, before in zip(FACES, begun, strict=True)]


def _count_in(taps: str, before: int | None) -> int | None:
    """The number of dice after these taps on a face's row, the last one decides; `before` stood there before them."""
    count = before
    for tap in taps.split(","):
        if tap == MORE:
            count = count + 1 if count is not None and count > MOST_BY_ONE_TAP else MOST_BY_ONE_TAP + 1
        elif tap.isascii() and tap.isdigit() and len(tap) < 3:
            count = int(tap)
    return None if count is None else min(count, DICE)


def _counting(state: State, viewer: Viewer, player: str) -> Grid[Event]:
    """The grid that counts a player's dice: one tap for each face, and the last follows from the others."""
    key, body = _key("drop", state, player), colour(state, player)
    counts = completed(_counted(state, viewer, player))

    def cell(face: int, number: int) -> Cell[Event]:
        count = counts[face - 1]
        over = number > MOST_BY_ONE_TAP
        here = count is not None and (count == number or (over and count > MOST_BY_ONE_TAP))
        text = str(count if over and here else number) + ("+" if over and not here else "")
        field = f"{key}.{face}"
        if over:  # Another tap on the last column counts one more.
            number = count + 1 if here and count is not None and count < DICE else number
        words = _n("{n} die shows {face}", "{n} dice show {face}", number, face=face)
        tap: Tap[Event] = (
            Tap(words, adds={field: MORE}, chosen=here) if over else Tap(words, draft={field: str(number)}, chosen=here)
        )
        return Cell(text, body if here else "", "group" if here else "", tap)

    left = DICE - sum(count or 0 for count in counts)
    title = _("{name} ({colour}): how many of each?", name=viewer.name(player), colour=_(body))
    columns = range(MOST_BY_ONE_TAP + 2)
    rows = tuple(tuple(cell(face, number) for number in columns) for face in FACES)
    heads = tuple(_("{face}s", face=face) for face in FACES)
    return Grid(f"{title} {_left(left)}", rows, row_heads=heads)


def _left(left: int) -> str:
    if left > 0:
        return _("{n} to go.", n=left)
    return _("{n} too many.", n=-left) if left else _("All counted.")


def drafted(state: State, event: Event) -> dict[str, str]:
    """The draft that would post this event; a correction begins with it and changes single dice."""
    match event:
        case StartRolled(rolls):
            return {_key("start", state, player): str(value) for player, value in rolls}
        case Dropped(player, values):
            return {_key("drop", state, player): _counts_text(values)}
        case AllDropped(dice):
            return {_key("drop", state, player): _counts_text(values) for player, values in dice}
    return {}


def _counts_text(values: Sequence[int]) -> str:
    return text_of([values.count(face) for face in FACES])


# Values in the draft that cannot be read (an old link) count as not chosen.


def counts_in(text: str) -> Counts:
    """The counts in a draft's text."""
    parts = text.split(" ")[: len(FACES)]
    counts = [int(part) if part.isascii() and part.isdigit() and len(part) < 3 else None for part in parts]
    counts = [count if count is None or count <= DICE else None for count in counts]
    return [*counts, *[None] * (len(FACES) - len(counts))]


def text_of(counts: Counts) -> str:
    """The draft's text for counts."""
    return " ".join("." if count is None else str(count) for count in counts)


def completed(counts: Counts) -> Counts:
    """The counts, with faces filled in that follow from the others: the last one, or all once no die is left."""
    left = DICE - sum(count or 0 for count in counts)
    unknown = counts.count(None)
    if left < 0 or (unknown != 1 and left > 0):
        return counts
    return [left if count is None and unknown == 1 else count or 0 for count in counts]


def values_of(counts: Counts) -> tuple[int, ...]:
    """The faces of the dice, in order."""
    return tuple(face for face, count in zip(FACES, counts, strict=True) for _ in range(count or 0))


def _missing(counts: Counts) -> str:
    """The sentence that refuses the counts, "" once they are a drop."""
    number = len(values_of(counts))
    return (
        "" if number == DICE else _("You counted {number} of {dice} dice. Count the others.", number=number, dice=DICE)
    )


def _face(text: str) -> int | None:
    return int(text) if text in {str(face) for face in FACES} else None


def _seat(state: State, player: str) -> str:
    return str(state.players.index(player) + 1)


def _key(what: str, state: State, player: str) -> str:
    return what + _seat(state, player)
