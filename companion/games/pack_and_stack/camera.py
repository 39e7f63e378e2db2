"""The meaning of a load reading to Pack & Stack: the boxes left over beside a truck, and their cost."""

from collections.abc import Iterator
from enum import IntEnum

from companion.errors import IllegalEvent
from companion.game.readings import Kind, LoadReading, Reading, TruckReading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.pack_and_stack import rules
from companion.games.pack_and_stack.events import Event, Loaded
from companion.games.pack_and_stack.loads import SIZES, Counts, as_counts, less, volume
from companion.games.pack_and_stack.scoring import loss_words, losses
from companion.games.pack_and_stack.state import State, Step, order, step, truck_taken
from companion.words import N_, _, _n, joined

PATIENCE_S = 20  # A player who thinks about the next box may touch nothing for this long, and can still undo.
NOTHING = Eyes(above=None)  # The special dice show digits and blanks, which the dice reader cannot read.


def eyes(state: State) -> Eyes:
    """The request to read the loads, with all trucks in the order in which they get places on the mat."""
    if step(state) is not Step.LOADING:
        return NOTHING
    return Eyes(above=Kind.LOAD, knows={"truck_cards": [truck_card(state, player) for player in order(state)]})


def loading(state: State) -> tuple[str, ...]:
    """The players who have not finished loading, clockwise from the starting player."""
    return tuple(player for player in order(state) if player not in state.current.unloaded)


def truck_card(state: State, player: str) -> dict[str, object]:
    """A player's truck in the fields of a scene file, with the player's roll, or the position at which the player
    finished loading. Its place follows from these (`companion.equipment.truck_places`)."""
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
    """A player's roll in the fields of a scene file: size → number of boxes."""
    return {str(size): count for size, count in zip(SIZES, state.current.dice[player], strict=True)}


def rows_of(rows: tuple[str, ...]) -> range:
    """The numbers of some rows, from 1."""
    return range(1, len(rows) + 1)


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The question whether a player has finished loading; other players whom the left-overs fit are alternatives.

    It is always a question: only the player knows when the load is finished, since there is no hurry (PS-40), and
    trucks need not lie in their own places. If the house wants that, one that the camera is sure of counts by itself
    after a while.
    """
    if not isinstance(reading, LoadReading) or step(state) is not Step.LOADING:
        return None
    strange = sorted(set(reading.outside) - set(SIZES))
    if strange:
        return Remark(_("No box here is {size} long. Take away what doesn't belong.", size=strange[-1]))
    left = as_counts(reading.outside.get(size, 0) for size in SIZES)
    fitting: list[tuple[Place, str]] = []
    refusal = ""
    if any(left) and left in (state.current.dice[player] for player in loading(state)) and is_bare(state, reading):
        return None  # A load was only just taken from the box.
    for player in loading(state):
        try:
            rules.apply(state, Loaded(player, left))
            fitting.append((place_of(state, player, left, reading.trucks), player))
        except IllegalEvent as illegal:
            refusal = refusal or illegal.sentence
    if not fitting:
        return Remark(refusal)
    # A truck in view decides; others count only if none in view fits.
    fitting = [(place, player) for place, player in fitting if place is not Place.UNSEEN] or fitting
    (place, first), *rest = sorted(fitting, key=lambda pair: pair[0])
    others = [player for _place, player in rest]
    is_sure = reading.outside_accepted and not reading.hidden and place is Place.OWN
    return Proposed(
        Loaded(first, left),
        confirm=True,
        note=joined((cost_note(state, first, left), *hidden_note(reading.hidden)), " "),
        instead=(
            *((_("Truck {card}", card=state.current.trucks[player]), Loaded(player, left)) for player in others),
            *(() if reading.outside_accepted else one_off(state, first, left, reading.trucks)),
        ),
        which=bool(others),
        patience_s=PATIENCE_S if is_sure and not others else 0,
        agree=_("Truck {card}", card=state.current.trucks[first]) if others else _("Count it like this"),
    )


def one_off(state: State, player: str, left: Counts, trucks: tuple[TruckReading, ...]) -> Iterator[tuple[str, Loaded]]:
    """(label, event) with one box more or fewer: a box may be hidden, or another thing may look like one."""
    for change, words in ((1, N_("One more of size {size}")), (-1, N_("One fewer of size {size}"))):
        for index, size in enumerate(SIZES):
            counts = as_counts(count + change * (index == at) for at, count in enumerate(left))
            try:
                rules.apply(state, Loaded(player, counts))
                place_of(state, player, counts, trucks)
            except IllegalEvent:
                continue  # It was not rolled, or is more than the truck can hold.
            yield _(words, size=size), Loaded(player, counts)


def is_bare(state: State, reading: LoadReading) -> bool:
    """Whether no box lies in the places of trucks whose players still load."""
    finished = {state.current.trucks[player] for player in state.current.unloaded}
    trucks = [truck for truck in reading.trucks if truck.number not in finished]
    return not any(square.filled for truck in trucks for row in truck.cells for square in row)


class Place(IntEnum):
    """The places where a player's truck may lie, likeliest first: the player's own on the mat (see `eyes`), another
    player's, or none in view.
    """

    OWN = 0
    OTHER = 1
    UNSEEN = 2


def place_of(state: State, player: str, left: Counts, trucks: tuple[TruckReading, ...]) -> Place:
    """The place of a truck that may hold the player's other boxes; raises IllegalEvent if none in view may."""
    own, refusal = state.current.trucks[player], None
    for truck in sorted(trucks, key=lambda truck: truck.number != own):
        if truck.number != own and not is_shape(state, player, truck):
            continue
        try:
            check_covered(state, player, left, truck)
        except IllegalEvent as illegal:
            refusal = refusal or illegal
        else:
            return Place.OWN if truck.number == own else Place.OTHER
    if refusal:
        raise refusal
    return Place.UNSEEN


def check_covered(state: State, player: str, left: Counts, truck: TruckReading) -> None:
    """Raises IllegalEvent unless the loaded boxes can lie on the covered squares, within the truck's height (PS-42)."""
    inside = volume(less(state.current.dice[player], left))
    covered = sum(square.filled for row in truck.cells for square in row)
    if not covered <= inside <= covered * truck_taken(state, player).height:
        raise IllegalEvent(
            _n(
                "{n} square is covered, but {inside} units should be there. Look for a hidden box.",
                "{n} squares are covered, but {inside} units should be there. Look for a hidden box.",
                covered,
                inside=inside,
            )
        )


def is_shape(state: State, player: str, truck: TruckReading) -> bool:
    """Whether a place is read with as many rows and columns as the player's truck has, which may lie there."""
    rows = truck_taken(state, player).rows
    return len(truck.cells) == len(rows) and all(len(row) == max(map(len, rows)) for row in truck.cells)


def hidden_note(hidden: int) -> tuple[str, ...]:
    """The sentence about left-over boxes that are not visible, if there are any."""
    sentence = _n(
        "I can't see {n} of them. Look behind the others.", "I can't see {n} of them. Look behind the others.", hidden
    )
    return (sentence,) if hidden else ()


def cost_note(state: State, player: str, left: Counts) -> str:
    """A sentence about the cost of the left-overs (PS-52)."""
    after = rules.apply(state, Loaded(player, left))
    return _(
        "Truck {card}: {boxes} left over, loss {loss} ({words}).",
        card=state.current.trucks[player],
        boxes=_n("{n} box", "{n} boxes", sum(left)),
        loss=losses(state.options, after.current)[player],
        words=loss_words(state.options, after.current, player),
    )
