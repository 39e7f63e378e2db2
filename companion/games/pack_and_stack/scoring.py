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
    """PS-52: what each player who has loaded loses in a round; `vouchers` as they were used (PS-64)."""
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
    """PS-53: everybody with the smallest loss of the round."""
    return tuple(player for player, points in lost.items() if points == min(lost.values()))


def settled(before: int, lost: int, bonus: bool, floor_at_zero: bool) -> int:
    """PS-55: the loss, then the bonus; then, as a house rule, never below zero (PS-54, our reading of when)."""
    return floored(before - lost + (BONUS if bonus else 0), floor_at_zero)


def floored(points: int, floor_at_zero: bool) -> int:
    """PS-54: points may go below zero, unless the table plays that they do not."""
    return max(0, points) if floor_at_zero else points


Line = tuple[str, int, str]  # of an explanation: the words, the points, the rule


def explain(state: State, player: str) -> tuple[Line, ...]:
    """The points to begin with, then rounds and rulings in their order; the running round as far as it is known.

    A ruling counts after the rounds that the player had loaded before it, and never takes anybody below zero either
    where the table plays so: what is shown is what it changes.
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
    """The lines of a round that a player with so many points has loaded in."""
    closed = number <= len(state.past)
    played = state.past[number - 1] if closed else state.current
    lost = played.losses if closed else losses(state.options, played)
    bonus = (closed or len(lost) == len(state.players)) and player in smallest(lost)
    words = _("Round {number}: {loss_words}", number=number, loss_words=loss_words(state.options, played, player))
    lines = [(words, -lost[player], "PS-52")]
    if bonus:
        lines.append((_("Round {number}: smallest loss", number=number), BONUS, "PS-53"))
    below = settled(points, lost[player], bonus, state.options.floor_at_zero) - points - total(lines)
    if below:
        lines.append((_("Round {number}: never below zero", number=number), below, "PS-54"))
    return lines


def ruling_lines(state: State, player: str, points: int, first: int, end: int) -> list[Line]:
    """The lines of the rulings with these numbers for a player with so many points."""
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
    """Everybody's points, if it ended now."""
    return {player: total(explain(state, player)) for player in state.players}


def ends(points: Mapping[str, int]) -> bool:
    """PS-56: somebody has 0 or fewer points after a round."""
    return any(each <= 0 for each in points.values())


def is_over(state: State) -> bool:
    """Nothing more can happen but rulings."""
    return state.ended


def highest(points: Mapping[str, int]) -> tuple[str, ...]:
    """PS-57: the most points; equal ones share the victory."""
    return tuple(player for player, each in points.items() if each == max(points.values()))


def winners(state: State) -> tuple[str, ...]:
    """Nobody until it is over."""
    return highest(score(state)) if state.ended else ()
