"""The timer of the three MaxStax games (MX-05): a round and its times, from ready to the end (MX-10 … MX-24).

Functions over a frozen `Round`; each game stores and scores its own rounds. Times are integer microseconds of table
time and come in through events; nothing here looks at a clock. `play` applies events to a round.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.events import Due
from companion.game.options import OptionChoice
from companion.game.parts.rules import Family
from companion.games.maxstax.events import TimeRanOut
from companion.games.maxstax.pauses import NO_PAUSES, Pauses
from companion.games.seats import check_seats
from companion.words import N_, _

FAMILY = Family("MaxStax", blocks=True)
FEWEST_PLAYERS, MOST_PLAYERS = 2, 4  # MX-01
STACKING_US = 120_000_000  # MX-10
COUNTDOWN_US = 3_000_000  # our reading of MX-13: all hear the same 3-2-1 before the timer starts
MOST_TIE_MS = 100


class Bump(StrEnum):
    """The consequence when somebody else or the table made a stack fall (MX-24)."""

    CONTINUES = "round continues"
    REPLAY = "replay round"


BUMP_CHOICES = (
    OptionChoice(Bump.CONTINUES, N_("Rebuild in the time left")),
    OptionChoice(Bump.REPLAY, N_("Replay the round")),
)


@dataclass(frozen=True)
class Round:
    """One run of the timer.

    builders        the players in it: all; in a stack-off those tied; in SAMESTAX the Creator, then the others
    limit_us        stacking time; None for no limit
    first_wins      True: it ends with the first complete stack (MX-31)
    shout_required  True: a stack is complete at its shout; False: a shout means "done", and the table judges (MX-20)
    ready           players whose blocks lie ready
    go_us           when the timer starts, None before the countdown
    pauses          (from, to) of every pause; `to` is None while it lasts
    shouts          player → time of the shout that counts
    rejections      (player, time of the rejection or NOW_US) for each shout over a stack that was not exact
    false_starts    a player for each press before the go
    collapses       a player for each fall of an own stack, for the record
    judged          player → whether the table found the stack complete (without `shout_required`)
    witnessed       players whose stack stands and matches in the shout's picture, as the table agrees
    ran_out         True: the stacking time ended
    gave_up         player → when they stopped building; their stacks are not complete
    resting         players who left for a while: nobody waits for them, and their stacks are not complete
    """

    builders: tuple[str, ...]
    limit_us: int | None = STACKING_US
    first_wins: bool = False
    shout_required: bool = True
    ready: frozenset[str] = frozenset()
    go_us: int | None = None
    pauses: Pauses = NO_PAUSES
    shouts: Mapping[str, int] = field(default_factory=dict)
    rejections: tuple[tuple[str, int], ...] = ()
    false_starts: tuple[str, ...] = ()
    collapses: tuple[str, ...] = ()
    judged: Mapping[str, bool] = field(default_factory=dict)
    witnessed: frozenset[str] = frozenset()
    ran_out: bool = False
    gave_up: Mapping[str, int] = field(default_factory=dict)
    resting: frozenset[str] = frozenset()


class Stage(StrEnum):
    """The stages of a round; OVER is that of a game."""

    WAITING = "waiting"
    RUNNING = "running"  # It includes the countdown, since only the time tells them apart.
    PAUSED = "paused"
    FINISHED = "finished"
    OVER = "over"


def stage(current: Round) -> Stage:
    """The stage of a round."""
    if current.go_us is None:
        return Stage.WAITING
    if not current.pauses.is_over:
        return Stage.PAUSED
    return Stage.FINISHED if is_finished(current) else Stage.RUNNING


def is_finished(current: Round) -> bool:
    """Whether time is up, all stacks are complete (MX-14, MX-16), or somebody has won the stack-off (MX-31)."""
    if current.first_wins and current.shouts:
        return True
    return current.ran_out or set(current.shouts) | out(current) >= set(current.builders)


def out(current: Round) -> frozenset[str]:
    """The builders who complete no stack in this round any more: who gave up, and for whom it does not wait."""
    return away(current) | frozenset(current.gave_up)


def away(current: Round) -> frozenset[str]:
    """The builders for whom the round does not wait: who rests, unless nobody else is in it.

    A Creator and those tied in a stack-off are waited for, since without them there is nothing to play.
    """
    resting = current.resting & frozenset(current.builders)
    return resting if len(resting) < len(current.builders) else frozenset()


def completed(current: Round) -> frozenset[str]:
    """The players with a complete stack (MX-20)."""
    if current.shout_required:
        return frozenset(current.shouts)
    return frozenset(player for player, complete in current.judged.items() if complete)


def unjudged(current: Round) -> tuple[str, ...]:
    """The players whose stack the table still has to judge."""
    if current.shout_required or stage(current) is not Stage.FINISHED:
        return ()
    return tuple(player for player in current.builders if player not in current.judged and player not in out(current))


def awaiting(current: Round) -> frozenset[str]:
    """The players who are not ready before the round, still build during it, or have to be judged after it."""
    match stage(current):
        case Stage.WAITING:
            return frozenset(current.builders) - current.ready - away(current)
        case Stage.RUNNING:
            return frozenset(current.builders) - frozenset(current.shouts) - out(current)
        case Stage.FINISHED:
            return frozenset(unjudged(current))
    return frozenset()


def deadline_us(current: Round) -> int | None:
    """The last instant that is in time (MX-15), moved by pauses (MX-17); None before the start or without a limit."""
    if current.go_us is None or current.limit_us is None:
        return None
    return current.go_us + current.limit_us + current.pauses.total_us


def over_us(current: Round) -> int | None:
    """The instant at which a round ended: its deadline, or when the last one was done or gave up (MX-14); None while it
    is not over.
    """
    if stage(current) is not Stage.FINISHED:
        return None
    if current.ran_out:
        return deadline_us(current)
    return max((*current.shouts.values(), *current.gave_up.values()), default=current.go_us)


def left_us(current: Round) -> int | None:
    """The time left while a round is paused or has not started, or None without a limit."""
    if current.limit_us is None:
        return None
    if current.go_us is None or not current.pauses:
        return current.limit_us
    return max(0, current.limit_us - elapsed_us(current, current.pauses[-1][0]))


def elapsed_us(current: Round, at_us: int) -> int:
    """The stacking time passed at an instant, without pauses."""
    assert current.go_us is not None
    return at_us - current.go_us - current.pauses.before_us(at_us)


def latest_us(rounds: Iterable[Round]) -> int:
    """The newest instant in the rounds, 0 for none."""
    stamps = [
        stamp
        for timed in rounds
        for stamp in (timed.go_us, *timed.shouts.values(), *timed.gave_up.values(), timed.pauses.newest_us)
        if stamp is not None
    ]
    return max(stamps, default=0)


def due(current: Round) -> Due[TimeRanOut] | None:
    """The end of the stacking time, while the round runs (MX-10)."""
    deadline = deadline_us(current)
    if stage(current) is not Stage.RUNNING or deadline is None:
        return None
    return Due(deadline, TimeRanOut(deadline))


def places(current: Round, tie_ms: int) -> dict[str, int]:
    """Player → number of players who finished strictly earlier (SPD-04); less than `tie_ms` apart is not earlier."""
    times = current.shouts
    return {
        player: sum(other < at_us and at_us - other >= tie_ms * 1_000 for other in times.values())
        for player, at_us in times.items()
    }


def check_table(players: tuple[str, ...], title: str, tie_ms: int) -> None:
    """Raises IllegalEvent unless the table suits a MaxStax game."""
    check_seats(title, players, FEWEST_PLAYERS, MOST_PLAYERS)  # MX-01
    if not 0 <= tie_ms <= MOST_TIE_MS:
        raise IllegalEvent(
            _(
                "Ties are within 0 to {most_tie_ms} milliseconds. Choose a number in that range.",
                most_tie_ms=MOST_TIE_MS,
            )
        )
