"""What the camera above the table means to Pack & Stack: the boxes left over beside a truck, and what they cost."""

from collections.abc import Iterator
from enum import IntEnum

from companion.errors import IllegalEvent
from companion.game.readings import Kind, LoadReading, Reading, TruckReading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.pack_and_stack import rules
from companion.games.pack_and_stack.events import Event, Loaded
from companion.games.pack_and_stack.loads import SIZES, Counts, less, volume
from companion.games.pack_and_stack.scoring import loss_words, losses
from companion.games.pack_and_stack.state import State, Step, order, step, truck_taken
from companion.words import N_, _, _n, joined

PATIENCE_S = 20  # a player who thinks about the next box touches nothing for so long at times, and can still undo
NOTHING = Eyes(above=None)  # the special dice show digits and blanks, which no reader of pips reads


def eyes(state: State) -> Eyes:
    """The loads, with everybody's truck in the order in which they get places on the mat, and the rolls of those who
    still load."""
    if step(state) is not Step.LOADING:
        return NOTHING
    return Eyes(above=Kind.LOAD, knows={"truck_cards": [truck_card(state, player) for player in order(state)]})


def loading(state: State) -> tuple[str, ...]:
    """Who has not finished loading, from the starting player clockwise."""
    return tuple(player for player in order(state) if player not in state.current.unloaded)


def truck_card(state: State, player: str) -> dict[str, object]:
    """A player's truck in the words of a scene file, with what was rolled for it or as which of them its player
    finished; where it lies follows from that (`companion.equipment.truck_places`)."""
    truck, finished = truck_taken(state, player), list(state.current.unloaded)
    columns = max(map(len, truck.rows))
    area = [[int((row, column) in truck.squares) for column in range(1, columns + 1)] for row in rows_of(truck.rows)]
    return {
        "number": state.current.trucks[player],
        "columns": columns,
        "rows": len(truck.rows),
        "levels": truck.height,
        "loading_area_row_col": area,
        **({"finished": finished.index(player) + 1} if player in finished else {"rolled": roll(state, player)}),
    }


def roll(state: State, player: str) -> dict[str, int]:
    """What a player rolled in the words of a scene file: no box beside the truck is none of these."""
    return {str(size): count for size, count in zip(SIZES, state.current.dice[player], strict=True)}


def rows_of(rows: tuple[str, ...]) -> range:
    """Their numbers, from 1."""
    return range(1, len(rows) + 1)


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The left-overs are the first player's whose roll and truck they fit; others they fit as well are one tap away.

    A question: nobody but the player knows when it is done, as there is no hurry (PS-40), and nobody makes players lay
    their trucks where they belong, or take one away that was loaded when its place is another's. Where the house wants
    that, one that the camera is sure of counts once nothing was touched for a while.
    """
    if not isinstance(reading, LoadReading) or step(state) is not Step.LOADING:
        return None
    strange = sorted(set(reading.outside) - set(SIZES))
    if strange:
        return Remark(_("No box is {size} long here: take away what does not belong.", size=strange[-1]))
    left: Counts = tuple(reading.outside.get(size, 0) for size in SIZES)  # type: ignore[assignment]  # one each of five sizes
    fitting: list[tuple[Place, str]] = []
    refusal = ""
    if any(left) and left in (state.current.dice[player] for player in loading(state)) and is_bare(state, reading):
        return None  # a load was only just taken from the box
    for player in loading(state):
        try:
            rules.apply(state, Loaded(player, left))
            fitting.append((place_of(state, player, left, reading.trucks), player))
        except IllegalEvent as against:
            refusal = refusal or against.sentence
    if not fitting:
        return Remark(refusal)
    # a truck that is seen decides; one that is not is thought of where nothing else fits
    fitting = [each for each in fitting if each[0] is not Place.UNSEEN] or fitting
    (place, first), *rest = sorted(fitting, key=lambda each: each[0])
    others = [player for _place, player in rest]
    is_sure = reading.outside_accepted and not reading.hidden and place is Place.OWN
    return Proposed(
        Loaded(first, left),
        confirm=True,
        note=joined((cost(state, first, left), *unseen(reading.hidden)), " "),
        instead=(
            *((truck_words(state, player), Loaded(player, left)) for player in others),
            *(() if reading.outside_accepted else one_off(state, first, left, reading.trucks)),
        ),
        which=bool(others),
        patience_s=PATIENCE_S if is_sure and not others else 0,
    )


def one_off(state: State, player: str, left: Counts, trucks: tuple[TruckReading, ...]) -> Iterator[tuple[str, Loaded]]:
    """What a player may have left over where one box was missed, or one is none: mostly one stands behind another."""
    for one, words in ((1, N_("One more of size {size}")), (-1, N_("One fewer of size {size}"))):
        for index, size in enumerate(SIZES):
            counts: Counts = tuple(count + one * (index == at) for at, count in enumerate(left))  # type: ignore[assignment]
            try:
                rules.apply(state, Loaded(player, counts))
                place_of(state, player, counts, trucks)
            except IllegalEvent:
                continue  # neither rolled nor what the truck can hold
            yield _(words, size=size), Loaded(player, counts)


def is_bare(state: State, reading: LoadReading) -> bool:
    """Whether no box lies where trucks of those who still load are looked for."""
    finished = {state.current.trucks[player] for player in state.current.unloaded}
    trucks = [truck for truck in reading.trucks if truck.number not in finished]
    return not any(square.filled for truck in trucks for row in truck.cells for square in row)


class Place(IntEnum):
    """Where a player's truck may lie, the likeliest first."""

    OWN = 0  # where this player's is looked for; see `eyes`
    OTHER = 1  # where another's is looked for: nobody makes players lay their trucks where they belong
    UNSEEN = 2


def place_of(state: State, player: str, left: Counts, trucks: tuple[TruckReading, ...]) -> Place:
    """Where a truck lies that holds what this player has not left over; IllegalEvent where none of those in view
    does."""
    own, refusal = state.current.trucks[player], None
    for truck in sorted(trucks, key=lambda each: each.number != own):
        if truck.number != own and not is_shape(state, player, truck):
            continue
        try:
            check_covered(state, player, left, truck)
        except IllegalEvent as against:
            refusal = refusal or against
        else:
            return Place.OWN if truck.number == own else Place.OTHER
    if refusal:
        raise refusal
    return Place.UNSEEN


def check_covered(state: State, player: str, left: Counts, truck: TruckReading) -> None:
    """PS-42: what is not left over lies on the squares that are covered, no higher than the truck allows."""
    inside = volume(less(state.current.dice[player], left))
    covered = sum(square.filled for row in truck.cells for square in row)
    if not covered <= inside <= covered * truck_taken(state, player).height:
        raise IllegalEvent(
            _n(
                "{n} square is covered, and {inside} units should lie there: look for a box that is hidden.",
                "{n} squares are covered, and {inside} units should lie there: look for a box that is hidden.",
                covered,
                inside=inside,
            )
        )


def is_shape(state: State, player: str, truck: TruckReading) -> bool:
    """Whether a truck is looked for in rows and columns as the player's has, which may lie in its place."""
    rows = truck_taken(state, player).rows
    return len(truck.cells) == len(rows) and all(len(row) == max(map(len, rows)) for row in truck.cells)


def unseen(hidden: int) -> tuple[str, ...]:
    """What to look for where the roll and the truck say that more is left over than is seen."""
    sentence = _n(
        "{n} of them is not seen: look behind the others.", "{n} of them are not seen: look behind the others.", hidden
    )
    return (sentence,) if hidden else ()


def truck_words(state: State, player: str) -> str:
    """A player's truck, short enough for a button."""
    return _("Truck {card}", card=state.current.trucks[player])


def cost(state: State, player: str, left: Counts) -> str:
    """The cost of the left-overs, in a sentence (PS-52)."""
    after = rules.apply(state, Loaded(player, left))
    return _(
        "Truck {card}: {boxes} left over, loss {loss} ({words}).",
        card=state.current.trucks[player],
        boxes=_n("{n} box", "{n} boxes", sum(left)),
        loss=losses(state.options, after.current)[player],
        words=loss_words(state.options, after.current, player),
    )
