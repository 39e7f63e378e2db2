"""How SPEEDSTAX looks on a tablet, and what buttons mean to it."""

from companion.contract import NOW_US, Device, Light, Look, Phase, Proposed, Remark, Signal, Viewer
from companion.games.speedstax import rules
from companion.games.speedstax.rules import (
    Bumped,
    CardTurned,
    Collapsed,
    Paused,
    Readied,
    Resumed,
    RoundClosed,
    Shouted,
    ShoutRejected,
    Stage,
    Started,
    State,
    TimeRanOut,
)
from companion.readings import DiceReading
from companion.widgets import (
    Choice,
    Clock,
    Headline,
    NumberEntry,
    ScoreLine,
    ScoreTable,
    SeatCard,
    Seats,
    Standings,
    Tap,
    Tone,
    Widget,
)

LAST_US = 10_000_000  # the clock warns for the last ten seconds


def view(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The same page for everybody: clock, seats, points."""
    stage = rules.stage(state)
    if stage is Stage.OVER:
        return (_result(state, viewer),)
    return (
        _headline(state, viewer, stage),
        *_clock(state, stage),
        Seats(tuple(_seat(state, viewer, player, stage) for player in state.current.builders)),
        *_table_taps(state, stage),
        *_card(state, stage),
        ScoreTable("Points", _lines(state, viewer)),
    )


def _round_name(state: State) -> str:
    if rules.in_stack_off(state):
        return f"Speed-Stack-Off {len(state.past) - rules.ROUNDS + 1}"
    return f"Round {len(state.past) + 1} of {rules.ROUNDS}"


def _headline(state: State, viewer: Viewer, stage: Stage) -> Headline:
    name = _round_name(state)
    match stage:
        case Stage.WAITING:
            waiting = [viewer.name(player) for player in state.current.builders if player in rules.awaiting(state)]
            if waiting:
                return Headline(
                    name, f"Turn up a card. {', '.join(waiting)}: press your button when your blocks lie ready."
                )
            return Headline(name, "All are ready: press start.", Tone.PRIMARY)
        case Stage.RUNNING:
            return Headline(name, "Slap your button when your stack stands: that is your shout.", Tone.GOOD)
        case Stage.PAUSED:
            return Headline(f"{name}: paused", "The time that is left is kept.", Tone.WARN)
    return Headline(f"{name} is over", "Look at the stacks: is every one of them exact?", Tone.PRIMARY)


def _clock(state: State, stage: Stage) -> tuple[Widget, ...]:
    """The tablet draws it from the deadline; it never counts by itself."""
    current = state.current
    left_us, deadline_us = rules.left_us(current), rules.deadline_us(current)
    if left_us is None:
        return ()
    if stage is Stage.RUNNING and deadline_us is not None:
        assert current.limit_us is not None
        return (Clock("Time left", deadline_us - current.limit_us, deadline_us, left_us),)
    if stage is Stage.FINISHED:
        return ()
    return (Clock("Time left", None, None, left_us, Tone.DIM),)


def _seat(state: State, viewer: Viewer, player: str, stage: Stage) -> SeatCard:
    current, name = state.current, viewer.name(player)
    if stage is Stage.WAITING:
        if player in current.ready:
            return SeatCard(player, name, "Ready", tone=Tone.GOOD)
        return SeatCard(player, name, "Not ready", taps=(Tap("Ready", event=Readied(player)),))
    if player in current.shouts:
        earlier = rules.places(current, state.options.tie_ms)[player]
        taps = (Tap("Not exact", event=ShoutRejected(player), tone=Tone.DIM),)
        return SeatCard(player, name, _place(earlier + 1), _times(state, player), Tone.GOOD, taps)
    fallen = current.collapses.count(player)
    detail = f"fell {'once' if fallen == 1 else f'{fallen} times'}" if fallen else ""
    if stage is not Stage.RUNNING:
        return SeatCard(player, name, "Not complete" if stage is Stage.FINISHED else "Building", detail, Tone.DIM)
    return SeatCard(
        player,
        name,
        "Building",
        detail,
        taps=(
            Tap("MAX STAX", event=Shouted(player, NOW_US), tone=Tone.PRIMARY),
            Tap("It fell", event=Collapsed(player), tone=Tone.DIM),
            Tap("It was bumped", event=Bumped(player), tone=Tone.DIM),
        ),
    )


def _place(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _times(state: State, player: str) -> str:
    """The player's time, and the margin to the one before: "31.204 s, 4.0 ms behind"."""
    current = state.current
    mine_us = rules.elapsed_us(current, current.shouts[player])
    before = [rules.elapsed_us(current, at_us) for at_us in current.shouts.values() if at_us < current.shouts[player]]
    seconds = f"{mine_us / 1e6:.3f} s"
    if not before:
        return seconds
    margin_us = mine_us - max(before)
    margin = f"{margin_us / 1e3:.1f} ms" if margin_us < 100_000 else f"{margin_us / 1e6:.2f} s"
    return f"{seconds}, {margin} behind"


def _table_taps(state: State, stage: Stage) -> tuple[Widget, ...]:
    """What anybody may tap for the whole table."""
    match stage:
        case Stage.WAITING:
            refused = "Everybody presses the own button first." if rules.awaiting(state) else ""
            return (Choice("", (Tap("Start", event=Started(NOW_US), tone=Tone.PRIMARY, refused=refused),)),)
        case Stage.RUNNING:
            return (Choice("", (Tap("Pause, all agree", event=Paused(NOW_US), tone=Tone.DIM),)),)
        case Stage.PAUSED:
            return (Choice("", (Tap("Go on", event=Resumed(NOW_US), tone=Tone.PRIMARY),)),)
        case Stage.FINISHED:
            return (Choice("", (Tap("All exact: next", event=RoundClosed(), tone=Tone.PRIMARY),)),)
    return ()


def _card(state: State, stage: Stage) -> tuple[Widget, ...]:
    if stage is not Stage.WAITING:
        return ()
    noted = f" (noted: {state.current.card})" if state.current.card else ""
    return (
        NumberEntry(f"Number of the card, if you want it noted{noted}", CardTurned(1), "card", 1, rules.CARDS, "Note"),
    )


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    totals, waiting, winners = rules.score(state), rules.awaiting(state), rules.winners(state)
    return tuple(
        ScoreLine(
            player,
            viewer.name(player),
            totals[player],
            rules.explain(state, player),
            active=player in waiting,
            winner=player in winners,
        )
        for player in state.players
    )


def _result(state: State, viewer: Viewer) -> Standings:
    lines = sorted(_lines(state, viewer), key=lambda line: (-line.points, not line.winner))
    return Standings(f"{' and '.join(line.name for line in lines if line.winner)} wins", tuple(lines))


def describe(state: State, event: rules.Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    match event:
        case CardTurned(card):
            return f"Card {card} was turned up."
        case Readied(player):
            return f"{viewer.name(player)} is ready."
        case Started():
            return f"{_round_name(state)} was started."
        case Shouted(player, at_us):
            if state.current.go_us is None:
                return f"{viewer.name(player)}: MAX STAX."
            return f"{viewer.name(player)}: MAX STAX after {rules.elapsed_us(state.current, at_us) / 1e6:.3f} s."
        case ShoutRejected(player):
            return f"{viewer.name(player)}'s stack was not exact: the shout does not count."
        case Collapsed(player):
            return f"{viewer.name(player)}'s stack fell."
        case Bumped(player):
            return f"{viewer.name(player)}'s stack was knocked over by somebody else."
        case Paused():
            return "The round was paused."
        case Resumed():
            return "The round went on."
        case TimeRanOut():
            return "Time was up."
        case RoundClosed():
            return f"{_round_name(state)} was closed."
    raise TypeError(event)


def propose(state: State, reading: DiceReading) -> Proposed | Remark | None:
    """SPEEDSTAX has no dice."""
    return None


def bind(state: State, signal: Signal) -> rules.Event | None:
    """A seat's button says ready, and in the round MAX STAX; start starts, pauses nothing; confirm closes the round.

    Only a fresh press counts: a button already down at the go gives no edge until it is released and pressed again.
    """
    if not signal.pressed:
        return None
    stage, current = rules.stage(state), state.current
    match signal.device:
        case Device.SEAT if signal.seat is not None and signal.seat <= len(state.players):
            player = state.players[signal.seat - 1]
            if stage is Stage.WAITING:
                return Readied(player) if player in rules.awaiting(state) else None
            if current.go_us is None or signal.at_us < current.go_us:
                return None  # before the go: a false start counts for nothing
            return (
                Shouted(player, signal.at_us) if player not in current.shouts and player in current.builders else None
            )
        case Device.START:
            if stage is Stage.PAUSED:
                return Resumed(signal.at_us)
            return Started(signal.at_us) if stage is Stage.WAITING else None
        case Device.CONFIRM:
            return RoundClosed() if stage is Stage.FINISHED else None
    return None


def look(state: State, now_us: int) -> Look:
    """Ready and complete seats shine; who still has to press blinks."""
    stage, current = rules.stage(state), state.current
    done = current.ready if stage is Stage.WAITING else frozenset(current.shouts)
    waiting = rules.awaiting(state)
    counting = stage is Stage.RUNNING and current.go_us is not None and now_us < current.go_us

    def light(player: str) -> Light:
        if player in done and not counting:
            return Light.ON
        if player not in waiting:
            return Light.OFF
        return Light.FAST if counting else Light.SLOW if stage is Stage.WAITING else Light.OFF

    return Look(_phase(state, stage, now_us, counting), tuple(light(player) for player in state.players))


def _phase(state: State, stage: Stage, now_us: int, counting: bool) -> Phase:
    match stage:
        case Stage.WAITING:
            return Phase.WAITING
        case Stage.PAUSED:
            return Phase.PAUSED
        case Stage.FINISHED:
            return Phase.FINISHED
        case Stage.OVER:
            return Phase.OVER
    if counting:
        return Phase.COUNTDOWN
    deadline = rules.deadline_us(state.current)
    last = deadline is not None and deadline - now_us <= LAST_US
    return Phase.LAST_SECONDS if last else Phase.RUNNING
