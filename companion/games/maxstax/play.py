"""The effect of each event on a timed round, and the events it allows (MX-10 … MX-24), in all MaxStax games."""

from collections.abc import Mapping
from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games import resting
from companion.games.maxstax.events import (
    Bumped,
    Collapsed,
    FalseStarted,
    GaveUp,
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
from companion.games.maxstax.timer import (
    COUNTDOWN_US,
    Bump,
    Round,
    Stage,
    awaiting,
    away,
    deadline_us,
    elapsed_us,
    latest_us,
    stage,
    unjudged,
)
from companion.words import _, _n


def apply(current: Round, event: TimerEvent | Judged, bump_rule: Bump, ruled: bool = False) -> Round:
    """The round after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: a late start, shout or end is accepted
    """
    match event:
        case Readied(player):
            return readied(current, player, ruled)
        case Started(at_us, everyone):
            return started(current, at_us, everyone, ruled)
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
        case GaveUp(player, at_us):
            return gave_up(current, player, at_us)
        case Paused(at_us):
            return paused(current, at_us)
        case Resumed(at_us):
            return resumed(current, at_us)
        case TimeRanOut(at_us):
            return time_ran_out(current, at_us, ruled)
        case Judged(player, complete):
            return judged(current, player, complete, ruled)
    raise IllegalEvent(_("That can't happen in this game. Reload the page."))


def readied(current: Round, player: str, ruled: bool) -> Round:
    """MX-12: the timer starts when all are ready."""
    require(current, Stage.WAITING, _("The round has already started."))
    require_builder(current, player)
    if not ruled:
        resting.check_plays(away(current), player)
    if player in current.ready:
        raise IllegalEvent(_("This player is ready. Wait for the others."))
    return replace(current, ready=current.ready | {player})


def started(current: Round, at_us: int, everyone: bool, ruled: bool) -> Round:
    """MX-12, MX-13: all ready, then one start for everybody, after the countdown."""
    require(current, Stage.WAITING, _("The round has already started."))
    if everyone:
        current = replace(current, ready=frozenset(current.builders))
    waiting = set(current.builders) - current.ready - away(current)
    if waiting and not ruled:
        raise IllegalEvent(
            _n(
                "Still waiting for {n} player to press Ready.",
                "Still waiting for {n} players to press Ready.",
                len(waiting),
            )
        )
    return replace(current, go_us=at_us + COUNTDOWN_US)


def false_started(current: Round, player: str, at_us: int) -> Round:
    """MX-13: all start at the same moment, so a press during the countdown is not a shout."""
    require_builder(current, player)
    if current.go_us is None or at_us >= current.go_us:
        raise IllegalEvent(_("A false start is a press between Start and go. This one isn't."))
    return replace(current, false_starts=(*current.false_starts, player))


def shouted(current: Round, player: str, at_us: int, ruled: bool) -> Round:
    """MX-20, MX-21: the press is the shout; its time stamp decides, however late the event arrives."""
    require_builder(current, player)
    if not ruled:
        resting.check_plays(away(current), player)
    if current.go_us is None:
        raise IllegalEvent(_("The round hasn't started. Wait for go."))
    if at_us < current.go_us:
        raise IllegalEvent(_("That was before go. Let go of the button, and press again when your stack is done."))
    if not ruled and current.pauses.has(at_us):
        raise IllegalEvent(_("The round is paused. Press again when it resumes."))
    if player in current.shouts:
        raise IllegalEvent(_("This player's stack is already complete."))
    if player in current.gave_up and not ruled:
        raise IllegalEvent(_("This player has given up this round. Take that back first."))
    if not ruled and current.limit_us is not None and elapsed_us(current, at_us) > current.limit_us:
        raise IllegalEvent(_("Time ran out before the shout, so this stack isn't complete."))  # MX-15
    return replace(current, shouts={**current.shouts, player: at_us}, gave_up=without(current.gave_up, player))


def shout_rejected(current: Round, player: str, at_us: int) -> Round:
    """MX-23: a shout for a stack that is not exact does not count."""
    if player not in current.shouts:
        raise IllegalEvent(_("This player hasn't shouted, so there's nothing to reject."))
    rejections = (*current.rejections, (player, at_us))
    others = current.witnessed - {player}
    return replace(current, shouts=without(current.shouts, player), rejections=rejections, judged={}, witnessed=others)


def witnessed(current: Round, player: str) -> Round:
    """MX-20: the shout's picture shows a stack that stands and matches; the shout goes on counting."""
    if player not in current.shouts:
        raise IllegalEvent(_("This player hasn't shouted, so there's no stack to check."))
    if player in current.witnessed:
        raise IllegalEvent(_("This stack has been checked already."))
    return replace(current, witnessed=current.witnessed | {player})


def collapsed(current: Round, player: str) -> Round:
    """MX-22: a stack that falls before the shout must be rebuilt; after the shout it stays complete (MX-21).

    A shout that is not required does not protect the stack.
    """
    require_building(current, player)
    return replace(current, shouts=without(current.shouts, player), collapses=(*current.collapses, player))


def bumped(current: Round, player: str, bump_rule: Bump) -> Round:
    """MX-24: the player may rebuild in the remaining time, or the round is replayed (`bump_rule`)."""
    require_building(current, player)
    if bump_rule is Bump.CONTINUES:
        return replace(current, shouts=without(current.shouts, player))
    return unstarted(current)


def gave_up(current: Round, player: str, at_us: int) -> Round:
    """Our reading of MX-14: whoever stops building is waited for no longer, and has no complete stack."""
    require_building(current, player)
    assert current.go_us is not None
    if at_us < current.go_us:
        raise IllegalEvent(_("The round hasn't started. Wait for go."))
    if player in current.shouts:
        raise IllegalEvent(_("This player's stack is already complete."))
    return replace(current, gave_up={**current.gave_up, player: at_us})


def unstarted(current: Round) -> Round:
    """The same round before its start."""
    fresh = Round(current.builders, current.limit_us, current.first_wins, current.shout_required)
    return replace(fresh, resting=current.resting)


def rested(current: Round, who: frozenset[str]) -> Round:
    """The round once the players `who` rest and no others; one that is over stays as it was played."""
    return current if stage(current) is Stage.FINISHED else replace(current, resting=who)


def paused(current: Round, at_us: int) -> Round:
    """MX-17: a pause needs agreement; the remaining time stays."""
    require(current, Stage.RUNNING, _("No round is running, so there's nothing to pause."))
    deadline = deadline_us(current)
    assert current.go_us is not None
    if at_us < current.go_us or (deadline is not None and at_us > deadline):
        raise IllegalEvent(_("You can pause only while the clock is running."))
    if current.pauses and at_us < (current.pauses[-1][1] or 0):
        raise IllegalEvent(_("A pause can't begin before the last one ended."))
    return replace(current, pauses=current.pauses.begun(at_us))


def resumed(current: Round, at_us: int) -> Round:
    """MX-17: the paused round goes on."""
    require(current, Stage.PAUSED, _("The round isn't paused."))
    if at_us < current.pauses[-1][0]:
        raise IllegalEvent(_("A pause can't end before it began."))
    return replace(current, pauses=current.pauses.ended(at_us))


def time_ran_out(current: Round, at_us: int, ruled: bool) -> Round:
    """MX-10: the time is up. A press with an earlier stamp still counts when its event arrives later."""
    require(current, Stage.RUNNING, _("No round is running."))
    deadline = deadline_us(current)
    if not ruled and (deadline is None or at_us < deadline):
        raise IllegalEvent(_("Time isn't up yet."))
    return replace(current, ran_out=True)


def judged(current: Round, player: str, complete: bool, ruled: bool) -> Round:
    """MX-20: without `shout_required`, a stack that stands and matches when the time is up counts."""
    if current.shout_required:
        raise IllegalEvent(_("At this table, the shout says a stack is complete. Reject the shout instead."))
    if not ruled or stage(current) is Stage.WAITING:
        require(current, Stage.FINISHED, _("The round is still running. Check the stacks when it's over."))
    require_builder(current, player)
    return replace(current, judged={**current.judged, player: complete})


def require(current: Round, wanted: Stage, sentence: str) -> None:
    """Raises IllegalEvent with `sentence` unless the round is in the stage `wanted`."""
    if stage(current) is not wanted:
        raise IllegalEvent(sentence)


def require_builder(current: Round, player: str) -> None:
    """Raises IllegalEvent unless the player takes part in the round; in a stack-off only the tied do (MX-32)."""
    if player not in current.builders:
        raise IllegalEvent(_("This player isn't in this round."))


def require_building(current: Round, player: str) -> None:
    """Raises IllegalEvent unless the player is still building; a required shout ends that (MX-21)."""
    require_builder(current, player)
    if stage(current) not in (Stage.RUNNING, Stage.PAUSED):
        raise IllegalEvent(_("Nobody is building a stack now."))
    if current.shout_required and player in current.shouts:
        raise IllegalEvent(_("This stack was complete before it fell, so it still counts."))
    if player in current.gave_up:
        raise IllegalEvent(_("This player has given up this round. Take that back first."))


def closed(current: Round, ruled: bool = False) -> Round:
    """The round as it is scored; raises IllegalEvent while it runs or a stack is not judged.

    ruled       the table insists that it was over: the time is up, and stacks that nobody judged are incomplete
    """
    if ruled and stage(current) in (Stage.RUNNING, Stage.PAUSED):
        return replace(current, ran_out=True)  # the shout that ended it was taken back (MX-14)
    require(current, Stage.FINISHED, _("The round is still running. Close it when it's over."))
    if unjudged(current) and not ruled:
        raise IllegalEvent(_("Some stacks haven't been checked. Say for each whether it stands and matches."))
    return current


def without(times: Mapping[str, int], player: str) -> Mapping[str, int]:
    """The times of all other players."""
    return {other: at_us for other, at_us in times.items() if other != player}


def legal(current: Round, player: str, now_us: int) -> tuple[TimerEvent, ...]:
    """The events that apply() accepts from this player.

    now_us      the earliest possible start; a round that has begun uses its own newest instant
    """
    match stage(current):
        case Stage.WAITING:
            waiting = awaiting(current)
            return ((Readied(player),) if player in waiting else ()) + (() if waiting else (Started(now_us),))
        case Stage.RUNNING:
            latest, deadline = latest_us((current,)), deadline_us(current)
            at_us = latest if deadline is None else min(latest, deadline)
            building = (Shouted(player, at_us), GaveUp(player, at_us)) if player in awaiting(current) else ()
            return (*building, *_falls(current, player), *_rejection(current, player, at_us), Paused(at_us))
        case Stage.PAUSED:
            return (*_falls(current, player), Resumed(latest_us((current,))))
        case Stage.FINISHED:
            return _rejection(current, player, latest_us((current,)))
    return ()


def verdicts(current: Round, player: str) -> tuple[Judged, ...]:
    """The judgements that the table may make of a player's stack when no shout is required."""
    return (Judged(player, True), Judged(player, False)) if player in unjudged(current) else ()


def _falls(current: Round, player: str) -> tuple[TimerEvent, ...]:
    is_done = player in current.gave_up or (current.shout_required and player in current.shouts)
    building = player in current.builders and not is_done
    return (Collapsed(player), Bumped(player)) if building else ()


def _rejection(current: Round, player: str, now_us: int) -> tuple[TimerEvent, ...]:
    if player not in current.shouts:
        return ()
    return (ShoutRejected(player, now_us), *(() if player in current.witnessed else (Witnessed(player),)))
