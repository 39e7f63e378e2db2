"""Losses, the bonus, and the end of Pack & Stack (PS-50 … PS-57)."""

from collections.abc import Iterable, Mapping

from companion.games import rulings
from companion.games.pack_and_stack import loads
from companion.games.pack_and_stack.loads import volume
from companion.games.pack_and_stack.options import Options, trucks
from companion.games.pack_and_stack.state import Round, State
from companion.words import _

BONUS = 10  # PS-53


def losses(options: Options, played: Round, vouchers: bool = True) -> dict[str, int]:
    """Player → loss in a round, for players who have loaded (PS-52); `vouchers` False ignores vouchers (PS-64)."""
    return {
        player: loads.loss(
            trucks(options)[played.trucks[player] - 1],
            played.dice[player],
            unloaded,
            vouchers and player in played.vouchers,
        )
        for player, unloaded in played.unloaded.items()
    }


def smallest(lost: Mapping[str, int]) -> tuple[str, ...]:
    """The players with the smallest loss of a round (PS-53)."""
    return tuple(player for player, points in lost.items() if points == min(lost.values()))


def points_after(before: int, lost: int, bonus: bool, floor_at_zero: bool) -> int:
    """The points after a round: less the loss, plus the bonus (PS-55), then the floor (PS-54, our reading of when)."""
    return floored(before - lost + (BONUS if bonus else 0), floor_at_zero)


def floored(points: int, floor_at_zero: bool) -> int:
    """The points, or 0 if they are negative and the table plays with that floor (PS-54)."""
    return max(0, points) if floor_at_zero else points


Line = tuple[str, int, str]  # A line of an explanation has a text, points and a rule id.


def explain(state: State, player: str) -> tuple[Line, ...]:
    """The lines of a player's points: the start, then rounds and rulings in their order, with the current round so far.

    A ruling comes after the rounds that the player had loaded before it, and the floor at zero applies to it too.
    """
    lines: list[Line] = [(_("Points at the start"), state.options.start_points, "PS-10")]
    counted = 0
    for number, played in enumerate((*state.past, state.current), start=1):
        if player not in played.unloaded:
            continue
        before = played.rulings_before[player]
        lines += ruling_lines(state, player, total(lines), counted, before)
        lines += round_lines(state, player, total(lines), number)
        counted = before
    return (*lines, *ruling_lines(state, player, total(lines), counted, len(state.rulings)))


def total(lines: Iterable[Line]) -> int:
    """The sum of an explanation's lines."""
    return sum(points for _words, points, _rule in lines)


def round_lines(state: State, player: str, points: int, number: int) -> list[Line]:
    """The lines of a round in which the player has loaded; `points` are those before it."""
    closed = number <= len(state.past)
    played = state.past[number - 1] if closed else state.current
    lost = played.losses if closed else losses(state.options, played)
    bonus = (closed or len(lost) == len(state.players)) and player in smallest(lost)
    words = _("Round {number}: {loss_words}", number=number, loss_words=loss_words(state.options, played, player))
    lines = [(words, -lost[player], "PS-52")]
    if bonus:
        lines.append((_("Round {number}: smallest loss", number=number), BONUS, "PS-53"))
    below = points_after(points, lost[player], bonus, state.options.floor_at_zero) - points - total(lines)
    if below:
        lines.append((_("Round {number}: never below zero", number=number), below, "PS-54"))
    return lines


def ruling_lines(state: State, player: str, points: int, first: int, end: int) -> list[Line]:
    """The lines of the player's rulings `first` … `end` − 1; `points` are those before them."""
    lines: list[Line] = []
    for line in rulings.lines(state.rulings[first:end], player):
        after = points + line[1]
        points = floored(after, state.options.floor_at_zero)
        lines.append(line)
        if points != after:
            lines.append((_("Ruling: never below zero"), points - after, "PS-54"))
    return lines


def loss_words(options: Options, played: Round, player: str) -> str:
    """The parts of a loss: "5 empty, left over 4"."""
    truck = trucks(options)[played.trucks[player] - 1]
    rest = played.unloaded[player]
    empty = loads.empty(truck, loads.less(played.dice[player], rest))
    if not volume(rest):
        return _("{empty} empty", empty=empty)
    if player in played.vouchers:
        return _("{empty} empty, {volume} left over with voucher", empty=empty, volume=volume(rest))
    return _("{empty} empty, {volume} left over", empty=empty, volume=volume(rest))


def score(state: State) -> dict[str, int]:
    """Player → points if the game ended now."""
    return {player: total(explain(state, player)) for player in state.players}


def ends(points: Mapping[str, int]) -> bool:
    """Whether somebody has 0 or fewer points after a round (PS-56)."""
    return any(left <= 0 for left in points.values())


def is_over(state: State) -> bool:
    """Whether the game is over; only rulings may follow."""
    return state.ended


def highest(points: Mapping[str, int]) -> tuple[str, ...]:
    """The players with the most points, who share the victory (PS-57)."""
    return tuple(player for player, own in points.items() if own == max(points.values()))


def winners(state: State) -> tuple[str, ...]:
    """The winners; empty until the game is over."""
    return highest(score(state)) if state.ended else ()
