"""The timer of the three MaxStax games (MX-05): ready, countdown, go, shouts, pauses, the end (MX-10 … MX-24).

Functions over a frozen `Round`; each game keeps its own rounds and says what they are worth. Times are integer
microseconds of table time and come in through events; nothing here looks at a clock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.events import Due
from companion.game.options import Choice
from companion.games.maxstax.events import (
    Bumped,
    Collapsed,
    FalseStarted,
    Judged,
    Paused,
    Readied,
    Resumed,
    Shouted,
    ShoutRejected,
    Started,
    TimeRanOut,
    TimerEvent,
    Witnessed,
)
from companion.words import N_, _, _n

FAMILY = "MaxStax"
FEWEST_PLAYERS, MOST_PLAYERS = 2, 4  # MX-01
STACKING_US = 120_000_000  # MX-10: two minutes
COUNTDOWN_US = 3_000_000  # our reading of MX-13: all hear the same 3-2-1 before the timer starts
MOST_TIE_MS = 100


class Bump(StrEnum):
    """What follows when somebody else or the table made a stack fall (MX-24)."""

    CONTINUES = "round continues"
    REPLAY = "replay round"


BUMP_CHOICES = (Choice(Bump.CONTINUES, N_("Rebuild in the time left")), Choice(Bump.REPLAY, N_("Replay the round")))


# a round


@dataclass(frozen=True)
class Round:
    """One run of the timer.

    builders        who takes part: everybody, in a stack-off those tied, in SAMESTAX the Creator and then the others
    limit_us        stacking time; None without limit
    first_wins      over with the first complete stack (MX-31)
    shout_required  a stack is complete at its shout; otherwise a shout only says "done", and the table judges (MX-20)
    go_us           when the timer starts, None before the countdown
    pauses          (from, to) of every pause; `to` is None while it lasts
    shouts          when each player's stack was complete
    rejections      who shouted over a stack that was not exact, and when that was said; NOW_US where it is not known
    collapses       how often each builder's own hand brought the stack down, for the record
    judged          what the table said of each stack, where the shout is not required
    witnessed       whose shout the table has looked at in the picture and found right
    """

    builders: tuple[str, ...]
    limit_us: int | None = STACKING_US
    first_wins: bool = False
    shout_required: bool = True
    ready: frozenset[str] = frozenset()
    go_us: int | None = None
    pauses: tuple[tuple[int, int | None], ...] = ()
    shouts: Mapping[str, int] = field(default_factory=dict)
    rejections: tuple[tuple[str, int], ...] = ()
    false_starts: tuple[str, ...] = ()
    collapses: tuple[str, ...] = ()
    judged: Mapping[str, bool] = field(default_factory=dict)
    witnessed: frozenset[str] = frozenset()
    ran_out: bool = False


class Stage(StrEnum):
    """Where a round stands."""

    WAITING = "waiting"
    RUNNING = "running"  # the countdown included: which of the two is a question of the time
    PAUSED = "paused"
    FINISHED = "finished"
    OVER = "over"  # the whole game


def stage(current: Round) -> Stage:
    """What is awaited now."""
    if current.go_us is None:
        return Stage.WAITING
    if current.pauses and current.pauses[-1][1] is None:
        return Stage.PAUSED
    return Stage.FINISHED if is_finished(current) else Stage.RUNNING


def is_finished(current: Round) -> bool:
    """Time is up, all stacks are complete (MX-14, MX-16), or somebody has won the stack-off (MX-31)."""
    complete = bool(current.shouts) if current.first_wins else set(current.shouts) == set(current.builders)
    return current.ran_out or complete


def completed(current: Round) -> frozenset[str]:
    """Who has a complete stack (MX-20)."""
    if current.shout_required:
        return frozenset(current.shouts)
    return frozenset(player for player, complete in current.judged.items() if complete)


def unjudged(current: Round) -> tuple[str, ...]:
    """Whose stack the table still has to judge."""
    if current.shout_required or stage(current) is not Stage.FINISHED:
        return ()
    return tuple(player for player in current.builders if player not in current.judged)


def awaiting(current: Round) -> frozenset[str]:
    """Before the round who is not ready, while it runs who still builds, then who has to be judged."""
    match stage(current):
        case Stage.WAITING:
            return frozenset(current.builders) - current.ready
        case Stage.RUNNING:
            return frozenset(current.builders) - frozenset(current.shouts)
        case Stage.FINISHED:
            return frozenset(unjudged(current))
    return frozenset()


def deadline_us(current: Round) -> int | None:
    """Last instant that is in time (MX-15), moved by pauses (MX-17). None before the start or without limit."""
    if current.go_us is None or current.limit_us is None:
        return None
    return current.go_us + current.limit_us + sum(until - since for since, until in current.pauses if until is not None)


def over_us(current: Round) -> int | None:
    """When a round was over: at its deadline, or at the shout that ended it (MX-14). None while it is not."""
    if stage(current) is not Stage.FINISHED:
        return None
    return deadline_us(current) if current.ran_out else max(current.shouts.values())


def left_us(current: Round) -> int | None:
    """What is left while a round is paused or has not started, None without limit."""
    if current.limit_us is None:
        return None
    if current.go_us is None or not current.pauses:
        return current.limit_us
    return max(0, current.limit_us - elapsed_us(current, current.pauses[-1][0]))


def elapsed_us(current: Round, at_us: int) -> int:
    """Stacking time that has passed at an instant: pauses before it do not count."""
    assert current.go_us is not None
    stopped = sum(
        min(until if until is not None else at_us, at_us) - since for since, until in current.pauses if since < at_us
    )
    return at_us - current.go_us - stopped


def due(current: Round) -> Due | None:
    """The clock brings the end of the stacking time (MX-10)."""
    deadline = deadline_us(current)
    if stage(current) is not Stage.RUNNING or deadline is None:
        return None
    return Due(deadline, TimeRanOut(deadline))


# what a round allows


def apply(current: Round, event: TimerEvent | Judged, bump_rule: Bump, ruled: bool = False) -> Round:
    """The round after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: a late start, shout or end is taken as said
    """
    match event:
        case Readied(player):
            return readied(current, player)
        case Started(at_us):
            return started(current, at_us, ruled)
        case FalseStarted(player, at_us):
            return false_started(current, player, at_us)
        case Shouted(player, at_us):
            return shouted(current, player, at_us, ruled)
        case ShoutRejected(player, at_us):
            return shout_rejected(current, player, at_us)
        case Witnessed(player):
            return witnessed(current, player)
        case Collapsed(player):
            return collapsed(current, player)
        case Bumped(player):
            return bumped(current, player, bump_rule)
        case Paused(at_us):
            return paused(current, at_us)
        case Resumed(at_us):
            return resumed(current, at_us)
        case TimeRanOut(at_us):
            return time_ran_out(current, at_us, ruled)
        case Judged(player, complete):
            return judged(current, player, complete, ruled)
    raise IllegalEvent(_("This game knows no such event."))


def readied(current: Round, player: str) -> Round:
    """MX-12: the timer starts when all are ready."""
    require(current, Stage.WAITING, _("The round has already started."))
    require_builder(current, player)
    if player in current.ready:
        raise IllegalEvent(_("This player is ready already: wait for the others."))
    return replace(current, ready=current.ready | {player})


def started(current: Round, at_us: int, ruled: bool) -> Round:
    """MX-12, MX-13: all ready, then one start for everybody, after the countdown."""
    require(current, Stage.WAITING, _("The round has already started."))
    waiting = set(current.builders) - current.ready
    if waiting and not ruled:
        raise IllegalEvent(
            _n(
                "{n} of the players is not ready: each presses the own button first.",
                "{n} of the players are not ready: each presses the own button first.",
                len(waiting),
            )
        )
    return replace(current, go_us=at_us + COUNTDOWN_US)


def false_started(current: Round, player: str, at_us: int) -> Round:
    """MX-13: all start at the same moment, so a press in the countdown says nothing about a stack."""
    require_builder(current, player)
    if current.go_us is None or at_us >= current.go_us:
        raise IllegalEvent(_("A false start comes between start and go: this press does not."))
    return replace(current, false_starts=(*current.false_starts, player))


def shouted(current: Round, player: str, at_us: int, ruled: bool) -> Round:
    """MX-20, MX-21: the press is the shout, judged by its time stamp, however late the message of it comes."""
    require_builder(current, player)
    if current.go_us is None:
        raise IllegalEvent(_("The round has not started: wait for the go."))
    if at_us < current.go_us:
        raise IllegalEvent(_("Pressed before the go: release the button and press again when your stack stands."))
    if not ruled and any(since < at_us and (until is None or at_us < until) for since, until in current.pauses):
        raise IllegalEvent(_("The round is paused: press again when it goes on."))
    if player in current.shouts:
        raise IllegalEvent(_("This player's stack is complete already."))
    if not ruled and current.limit_us is not None and elapsed_us(current, at_us) > current.limit_us:
        raise IllegalEvent(_("Time was up before the shout: this stack is not complete."))  # MX-15
    return replace(current, shouts={**current.shouts, player: at_us})


def shout_rejected(current: Round, player: str, at_us: int) -> Round:
    """MX-23: a shout over a stack that is not exact does not count."""
    if player not in current.shouts:
        raise IllegalEvent(_("This player has not shouted: there is nothing to reject."))
    rejections = (*current.rejections, (player, at_us))
    seen = current.witnessed - {player}
    return replace(current, shouts=without(current.shouts, player), rejections=rejections, judged={}, witnessed=seen)


def witnessed(current: Round, player: str) -> Round:
    """MX-20: the picture of a shout shows a stack that stands and matches; it counts as before."""
    if player not in current.shouts:
        raise IllegalEvent(_("This player has not shouted: there is no stack to look at."))
    if player in current.witnessed:
        raise IllegalEvent(_("The table has looked at this stack already."))
    return replace(current, witnessed=current.witnessed | {player})


def collapsed(current: Round, player: str) -> Round:
    """MX-22: fallen before the shout it is incomplete, unless rebuilt in time; after it, it stays complete (MX-21)."""
    require_building(current, player)
    return replace(
        current, shouts=without(current.shouts, player), collapses=(*current.collapses, player)
    )  # a shout that was not required protects nothing


def bumped(current: Round, player: str, bump_rule: Bump) -> Round:
    """MX-24: the player may rebuild in the remaining time, or the round is replayed (`bump_rule`)."""
    require_building(current, player)
    if bump_rule is Bump.CONTINUES:
        return replace(current, shouts=without(current.shouts, player))
    return afresh(current)


def afresh(current: Round) -> Round:
    """The same round before it began."""
    return Round(current.builders, current.limit_us, current.first_wins, current.shout_required)


def paused(current: Round, at_us: int) -> Round:
    """MX-17: by agreement only; the remaining time is kept."""
    require(current, Stage.RUNNING, _("No round is running: there is nothing to pause."))
    deadline = deadline_us(current)
    assert current.go_us is not None
    if at_us < current.go_us or (deadline is not None and at_us > deadline):
        raise IllegalEvent(_("A round can be paused only while its clock runs."))
    if current.pauses and at_us < (current.pauses[-1][1] or 0):
        raise IllegalEvent(_("A pause cannot begin before the last one ended."))
    return replace(current, pauses=(*current.pauses, (at_us, None)))


def resumed(current: Round, at_us: int) -> Round:
    """MX-17: the paused round goes on."""
    require(current, Stage.PAUSED, _("The round is not paused."))
    *before, (since, _open) = current.pauses
    if at_us < since:
        raise IllegalEvent(_("A pause cannot end before it began."))
    return replace(current, pauses=(*before, (since, at_us)))


def time_ran_out(current: Round, at_us: int, ruled: bool) -> Round:
    """MX-10: the time has passed. A press with an earlier stamp still counts when its message comes later."""
    require(current, Stage.RUNNING, _("No round is running."))
    deadline = deadline_us(current)
    if not ruled and (deadline is None or at_us < deadline):
        raise IllegalEvent(_("The time is not up yet."))
    return replace(current, ran_out=True)


def judged(current: Round, player: str, complete: bool, ruled: bool) -> Round:
    """Without `shout_required` a stack that stands and matches when time is up counts."""
    if current.shout_required:
        raise IllegalEvent(
            _("At this table the shout says that a stack is complete: reject the shout instead.")
        )  # MX-20
    if not ruled or stage(current) is Stage.WAITING:
        require(current, Stage.FINISHED, _("The round is still running: judge the stacks when it is over."))
    require_builder(current, player)
    return replace(current, judged={**current.judged, player: complete})


def require(current: Round, wanted: Stage, sentence: str) -> None:
    """Raises IllegalEvent with `sentence` unless the round stands there."""
    if stage(current) is not wanted:
        raise IllegalEvent(sentence)


def require_builder(current: Round, player: str) -> None:
    """Only who takes part in the round: in a stack-off those tied (MX-32)."""
    if player not in current.builders:
        raise IllegalEvent(_("This player does not take part in this round."))


def require_building(current: Round, player: str) -> None:
    """Who has shouted has finished: what happens to that stack no longer matters (MX-21)."""
    require_builder(current, player)
    if stage(current) not in (Stage.RUNNING, Stage.PAUSED):
        raise IllegalEvent(_("No stack is being built now."))
    if current.shout_required and player in current.shouts:
        raise IllegalEvent(_("This stack was complete before it fell: it stays complete."))


def closed(current: Round, ruled: bool = False) -> Round:
    """The round as it goes into the score; raises IllegalEvent while it runs or a stack has to be judged.

    ruled       the table says that it was over: time is taken as up, what nobody judged as incomplete
    """
    if ruled and stage(current) in (Stage.RUNNING, Stage.PAUSED):
        return replace(current, ran_out=True)  # the shout that ended it was taken back (MX-14)
    require(current, Stage.FINISHED, _("The round is still running: close it when it is over."))
    if unjudged(current) and not ruled:
        raise IllegalEvent(_("Some stacks are not judged yet: say of each whether it stands and matches."))
    return current


def without(shouts: Mapping[str, int], player: str) -> Mapping[str, int]:
    """The shouts of all others."""
    return {other: at_us for other, at_us in shouts.items() if other != player}


# what may happen now


def legal(current: Round, player: str, now_us: int) -> tuple[TimerEvent, ...]:
    """Events that apply() accepts from this player.

    now_us      the earliest possible start; within the round the earliest instant that it knows of is taken
    """
    match stage(current):
        case Stage.WAITING:
            waiting = awaiting(current)
            return ((Readied(player),) if player in waiting else ()) + (() if waiting else (Started(now_us),))
        case Stage.RUNNING:
            latest, deadline = latest_us((current,)), deadline_us(current)
            at_us = latest if deadline is None else min(latest, deadline)
            building = (Shouted(player, at_us),) if player in awaiting(current) else ()
            return (*building, *_falls(current, player), *_rejection(current, player, at_us), Paused(at_us))
        case Stage.PAUSED:
            return (*_falls(current, player), Resumed(latest_us((current,))))
        case Stage.FINISHED:
            return _rejection(current, player, latest_us((current,)))
    return ()


def verdicts(current: Round, player: str) -> tuple[Judged, ...]:
    """What the table may say of a player's stack, where no shout is required."""
    return (Judged(player, True), Judged(player, False)) if player in unjudged(current) else ()


def _falls(current: Round, player: str) -> tuple[TimerEvent, ...]:
    building = player in current.builders and not (current.shout_required and player in current.shouts)
    return (Collapsed(player), Bumped(player)) if building else ()


def _rejection(current: Round, player: str, now_us: int) -> tuple[TimerEvent, ...]:
    if player not in current.shouts:
        return ()
    return (ShoutRejected(player, now_us), *(() if player in current.witnessed else (Witnessed(player),)))


def latest_us(rounds: Iterable[Round]) -> int:
    """The newest instant that the rounds know of."""
    stamps = [
        stamp
        for each in rounds
        for stamp in (each.go_us, *each.shouts.values(), *(edge for pause in each.pauses for edge in pause))
        if stamp is not None
    ]
    return max(stamps, default=0)


# order of finishing


def places(current: Round, tie_ms: int) -> dict[str, int]:
    """How many finished strictly earlier than each who finished (SPD-04); closer than `tie_ms` is not earlier."""
    times = current.shouts
    return {
        player: sum(other < at_us and at_us - other >= tie_ms * 1_000 for other in times.values())
        for player, at_us in times.items()
    }


# set-up


def check_table(players: tuple[str, ...], title: str, tie_ms: int) -> None:
    """What every MaxStax game asks at the start; raises IllegalEvent."""
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise IllegalEvent(
            _(
                "{title} is for {fewest_players} to {most_players} players: choose as many.",
                title=title,
                fewest_players=FEWEST_PLAYERS,
                most_players=MOST_PLAYERS,
            )
        )  # MX-01
    if not 0 <= tie_ms <= MOST_TIE_MS:
        raise IllegalEvent(
            _("Ties within 0 to {most_tie_ms} milliseconds: choose a number of that range.", most_tie_ms=MOST_TIE_MS)
        )
