"""The score pad: points of any game, written by everybody; the rule sheet is docs/games/score_pad.md (PAD-…).

Points are counted in units: whole points, or half points where the pad has halves (PAD-13).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, get_args

from companion.errors import IllegalEvent
from companion.game.dice import D6
from companion.game.players import PlayerId, Ranking
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.score_pad.options import FEWEST_PLAYERS, MOST_PLAYERS, MOST_POINTS, WHY_SEATS_STAY, Kind, Options
from companion.games.score_pad.rows import Bonus, DiceRule, Row, made_points, points_of, possible, rows_of
from companion.games.seats import check_player
from companion.words import N_, _, _n
from companion.words import number as in_words

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "score", "start", "winners"]

WHY_NO_REST = N_("Nobody waits for a turn here. Write your points when you are back.")  # PAD-10


@dataclass(frozen=True)
class Wrote:
    """A player's points in a round or a row, from 1, in units (PAD-11, PAD-20, PAD-38)."""

    player: str
    row: int
    points: int


@dataclass(frozen=True)
class Added:
    """A player got points where they are added as they come, in units (PAD-14)."""

    player: str
    points: int


@dataclass(frozen=True)
class Rolled:
    """The dice that lie there for a player after a roll, kept ones among them (PAD-40)."""

    throw: ClassVar = True
    player: str
    dice: tuple[int, ...]


@dataclass(frozen=True)
class Took:
    """A player wrote the points of the dice that lie there into a row (PAD-41)."""

    player: str
    row: int


@dataclass(frozen=True)
class Closed:
    """The table closed the pad: nothing more is written (PAD-22)."""


Event = Wrote | Added | Rolled | Took | Closed | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


@dataclass(frozen=True)
class State:
    """The state of a pad.

    cells   player → number of the round or row → its points in units; where points come as they come, each in order
    dice    player → the dice that lie there for them, until they are written
    rolls   player → how often they have rolled for this row
    """

    options: Options
    players: tuple[str, ...]
    cells: Mapping[PlayerId, Mapping[int, int]]
    dice: Mapping[PlayerId, tuple[int, ...]] = field(default_factory=dict)
    rolls: Mapping[PlayerId, int] = field(default_factory=dict)
    closed: bool = False
    rulings: tuple[Ruling, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of a pad that has them."""
        return rows_of(self.options.rows) if self.options.kind is Kind.ROWS else ()


def start(options: Options, players: tuple[str, ...]) -> State:
    """An empty pad; raises IllegalEvent for options that cannot be played (PAD-01 … PAD-03)."""
    options.check(players)
    return State(options, players, {player: {} for player in players})


def dice_rule(state: State, number: int) -> DiceRule | None:
    """The rule by which dice decide a row; None for any other row."""
    rule = state.rows[number - 1].rule if 1 <= number <= len(state.rows) else None
    return rule if isinstance(rule, DiceRule) else None


def free_rows(state: State, player: str) -> tuple[int, ...]:
    """The rows that a player has not filled (PAD-30); those of made points are nobody's to write."""
    return tuple(
        number
        for number, row in enumerate(state.rows, start=1)
        if not row.is_made and number not in state.cells[player]
    )


def current_round(state: State) -> int:
    """The first round that not everybody has written, or the last one (PAD-20)."""
    last = state.options.last_round
    return next((n for n in range(1, last) if any(n not in cells for cells in state.cells.values())), last)


def rows_for_dice(state: State, player: str) -> tuple[int, ...]:
    """The rows of a player that dice may still fill."""
    return tuple(number for number in free_rows(state, player) if dice_rule(state, number) is not None)


def next_to_roll(state: State) -> PlayerId | None:
    """Whose dice lie on the table: the player with the fewest filled rows, clockwise (PAD-43). None: nobody's."""
    rolling = () if is_over(state) else [player for player in state.players if rows_for_dice(state, player)]
    return min(rolling, key=lambda player: len(state.cells[player]), default=None)


def dealer(state: State) -> PlayerId | None:
    """Who deals this round, clockwise from the first seat; None where nobody does (PAD-24)."""
    if not state.options.dealer or state.options.kind is not Kind.ROUNDS or is_over(state):
        return None
    return state.players[(current_round(state) - 1) % len(state.players)]


def round_of(state: State) -> int:
    """The number of the round that is played: where there are none, everybody has an entry in each."""
    return current_round(state) if state.options.kind is Kind.ROUNDS else 1 + min(map(len, state.cells.values()))


def awaiting(state: State) -> frozenset[PlayerId]:
    """Who may write now: whoever has a free row, or has not written this round; all where points come as they come."""
    if is_over(state):
        return frozenset()
    match state.options.kind:
        case Kind.ROUNDS:
            now = current_round(state)
            return frozenset(player for player in state.players if now not in state.cells[player])
        case Kind.ROWS:
            return frozenset(player for player in state.players if free_rows(state, player))
    return frozenset(state.players)


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now. It takes any number that is typed, too (PAD-11), and Closed at any time."""
    if player not in awaiting(state):
        return ()
    options = state.options
    steps = [step * options.unit for step in options.steps]
    typed = sorted({0, *steps, *([-step for step in steps] if options.negative else [])})
    events: list[Event] = [Closed()] if {0} != {*map(len, state.cells.values())} == {len(state.cells[player])} else []
    match options.kind:
        case Kind.ROUNDS:
            events += (Wrote(player, current_round(state), points) for points in typed)
        case Kind.RUNNING:
            events += (Added(player, points) for points in typed if points)
    for number in free_rows(state, player):
        rule = dice_rule(state, number)
        choices = typed if rule is None else [points * options.unit for points in possible(rule, options.dice)]
        events += (Wrote(player, number, points) for points in choices)
        if rule is not None and player in state.dice:
            events.append(Took(player, number))
    return tuple(events)


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the sheet forbids it.

    ruled   the table insists: a filled row is written over, a closed pad is written on, any points count
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    if is_over(state) and not ruled:
        raise IllegalEvent(_("The pad is closed. Take that back in the history, or begin a new one."))
    if isinstance(event, Closed):
        return replace(state, closed=True)
    check_player(state.players, event.player)
    match event:
        case Added(player, points):  # PAD-14
            if state.options.kind is not Kind.RUNNING:
                raise IllegalEvent(_("This pad has rounds or rows. Write the points into one."))
            check_points(state, points)
            return filled(state, player, len(state.cells[player]) + 1, points)
        case Wrote(player, row, points):
            return wrote(state, player, row, points, ruled)
        case Rolled():
            return rolled(state, event, ruled)
        case Took(player, row):
            return took(state, player, row, ruled)
    raise IllegalEvent(_("That can't happen on a score pad. Reload the page."))


def wrote(state: State, player: str, row: int, points: int, ruled: bool) -> State:
    """PAD-11, PAD-41: points that somebody typed."""
    check_free(state, player, row, ruled)
    check_points(state, points)
    rule, unit = dice_rule(state, row), state.options.unit
    if rule is not None and not ruled and points not in [each * unit for each in possible(rule, state.options.dice)]:
        name, dice = state.rows[row - 1].word, state.options.dice
        raise IllegalEvent(_("{row}: no {dice} dice give so many points. Choose others.", row=name, dice=dice))
    return filled(state, player, row, points)


def rolled(state: State, event: Rolled, ruled: bool) -> State:
    """PAD-40, PAD-42: the dice after a roll."""
    options, rolls = state.options, state.rolls.get(event.player, 0)
    if not rows_for_dice(state, event.player):
        raise IllegalEvent(_("This player has no row for dice. Type the points."))
    if len(event.dice) != options.dice or not {*event.dice} <= {*D6}:
        raise IllegalEvent(_("Rows here take {dice} dice, each from 1 to 6. Enter those.", dice=options.dice))
    if options.rolls and rolls >= options.rolls and not ruled:
        raise IllegalEvent(_("This player has no roll left. Choose a row now."))
    dice = {**state.dice, event.player: event.dice}
    return replace(state, dice=dice, rolls={**state.rolls, event.player: rolls + 1})


def took(state: State, player: str, row: int, ruled: bool) -> State:
    """PAD-41: a row takes what lies there."""
    check_free(state, player, row, ruled)
    rule, dice = dice_rule(state, row), state.dice.get(player)
    if rule is None:
        raise IllegalEvent(_("No dice decide this row. Type its points."))
    if dice is None:
        raise IllegalEvent(_("No dice lie there for this player. Roll first, or type the points."))
    return filled(state, player, row, points_of(rule, dice) * state.options.unit)


def check_free(state: State, player: str, row: int, ruled: bool) -> None:
    """Raises IllegalEvent for a row that is none, made from others, or filled by the player (PAD-20, PAD-30)."""
    if state.options.kind is Kind.RUNNING:
        raise IllegalEvent(_("This pad adds points as they come. It has no rows."))
    is_row = row <= len(state.rows) if state.rows else row <= state.options.last_round
    if row < 1 or not is_row:
        raise IllegalEvent(_("The pad has no such row. Choose one of those shown."))
    if state.rows and state.rows[row - 1].is_made:
        raise IllegalEvent(_("The pad works this row out itself. Choose another one."))
    if row in state.cells[player] and not ruled:
        raise IllegalEvent(_("Points stand there already. Correct them in the history, or choose another row."))


def check_points(state: State, points: int) -> None:
    """Raises IllegalEvent for points that the pad cannot have (PAD-11, PAD-12)."""
    if abs(points) > MOST_POINTS * state.options.unit:
        raise IllegalEvent(_("The pad counts up to {most} points. Write fewer.", most=in_words(MOST_POINTS)))
    if points < 0 and not state.options.negative:
        raise IllegalEvent(_("This pad has no points below zero. Write 0 or more."))


def filled(state: State, player: str, row: int, points: int) -> State:
    """The state with one more cell; the player's dice are written, and the next row begins with a new roll."""
    dice = {each: lying for each, lying in state.dice.items() if each != player}
    rolls = {each: count for each, count in state.rolls.items() if each != player}
    cells = {**state.cells, player: {**state.cells[player], row: points}}
    return replace(state, cells=cells, dice=dice, rolls=rolls)


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of a player's points in units: all that was written, the bonuses, the rulings (PAD-16, PAD-36)."""
    rows, cells, unit = state.rows, state.cells[player], state.options.unit
    bonuses = [(row, points) for row, points in made_points(rows, cells, unit) if isinstance(rows[row - 1].rule, Bonus)]
    return (
        (_n("{n} time written", "{n} times written", len(cells)), sum(cells.values()), "PAD-16"),
        *((rows[row - 1].word, points, "PAD-36") for row, points in bonuses if points),
        *((text, points * unit, rule) for text, points, rule in rulings.lines(state.rulings, player)),
    )


def score(state: State) -> dict[PlayerId, int]:
    """Player → points in units (PAD-13)."""
    return {player: sum(points for _text, points, _rule in explain(state, player)) for player in state.players}


def is_over(state: State) -> bool:
    """Whether the pad is closed by the table, is full, or somebody has reached the target (PAD-20 … PAD-22)."""
    if state.closed:
        return True
    options = state.options
    match options.kind:
        case Kind.ROWS:
            return not any(free_rows(state, player) for player in state.players)
        case Kind.ROUNDS:
            written = {frozenset(cells) for cells in state.cells.values()}
            if len(written) > 1 or not (rounds := next(iter(written))) or len(rounds) < max(rounds):
                return False  # Everybody finishes the round first.
            return len(rounds) == state.options.last_round or _is_reached(state)
    return _is_reached(state)


def _is_reached(state: State) -> bool:
    target = state.options.target * state.options.unit
    return bool(target) and max(score(state).values()) >= target


def winners(state: State) -> tuple[PlayerId, ...]:
    """Whoever has the best points; equals share the win (PAD-23). Empty until the pad is closed."""
    return ranked(state)[0] if is_over(state) else ()


def ranked(state: State) -> Ranking:
    """The players by their points, equals together, the best first (PAD-23)."""
    points = score(state)
    best_first = sorted({*points.values()}, reverse=not state.options.lowest)
    return tuple(tuple(player for player in state.players if points[player] == each) for each in best_first)
