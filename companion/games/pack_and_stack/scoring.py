"""Losses, the bonus, and the end of Pack & Stack (PS-50 … PS-57)."""

from collections.abc import Mapping

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
    after = before - lost + (BONUS if bonus else 0)
    return max(0, after) if floor_at_zero else after


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The points to begin with, then each round; the running one as far as it is known."""
    points = state.options.start_points
    lines = [(_("Points at the start"), points, "PS-10")]
    for number, played in enumerate((*state.past, state.current), start=1):
        closed = number <= len(state.past)
        lost = played.losses if closed else losses(state.options, played)
        if player not in lost:
            continue
        complete = closed or len(lost) == len(state.players)
        bonus = complete and player in smallest(lost)
        lines.append(
            (
                _("Round {number}: {loss_words}", number=number, loss_words=loss_words(state.options, played, player)),
                -lost[player],
                "PS-52",
            )
        )
        if bonus:
            lines.append((_("Round {number}: smallest loss", number=number), BONUS, "PS-53"))
        after = settled(points, lost[player], bonus, state.options.floor_at_zero)
        below = after - (points - lost[player] + (BONUS if bonus else 0))
        if below:
            lines.append((_("Round {number}: never below zero", number=number), below, "PS-54"))
        points = after
    return (*lines, *rulings.lines(state.rulings, player))


def loss_words(options: Options, played: Round, player: str) -> str:
    """What a loss is made of: "5 empty, left over 4"."""
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
    return {player: sum(points for _, points, _ in explain(state, player)) for player in state.players}


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
