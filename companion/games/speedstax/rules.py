"""SPEEDSTAX by Rotree Corp.: the rulebook. Ids are those of the rule sheet (MX-… shared, SPD-… its own).

Times are integer microseconds of table time and come in through events; nothing here looks at a clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.contract import Ask, Choice, Due, option
from companion.errors import IllegalEvent

FEWEST_PLAYERS, MOST_PLAYERS = 2, 4  # MX-01
ROUNDS = 5  # SPD-02
CARDS = 45  # MX-03
STACKING_US = 120_000_000  # MX-10: two minutes
COUNTDOWN_US = 3_000_000  # our reading of MX-13: all hear the same 3-2-1 before the timer starts


class Bump(StrEnum):
    """What follows when somebody else or the table made a stack fall (MX-24)."""

    CONTINUES = "round continues"
    REPLAY = "replay round"


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet."""

    deck_subset: tuple[int, ...] = option(
        (), "Cards in play", "Numbers of the cards you play with; leave empty for all 45.", "MX-06"
    )
    stack_off_limit: int | None = option(
        120,
        "Stack-off",
        "How long a Speed-Stack-Off may last before the next card is turned up.",
        "MX-32",
        (Choice(120, "2:00, then the next card"), Choice(None, "No limit")),
    )
    bump_rule: Bump = option(
        Bump.CONTINUES,
        "A stack knocked over by somebody else",
        "What happens when a stack falls through somebody else or the table.",
        "MX-24",
        (Choice(Bump.CONTINUES, "Rebuild in the time left"), Choice(Bump.REPLAY, "Replay the round")),
    )
    tie_ms: int = option(
        1, "Ties within (ms)", "Presses closer together than this are a tie, from 0 to 100 milliseconds.", "SPD-04"
    )


# what may happen


@dataclass(frozen=True)
class CardTurned:
    """The Shuffler turned up a card for all (SPD-02); its number where the table wants it noted."""

    card: int


@dataclass(frozen=True)
class Readied:
    """A player's blocks lie ready (MX-12)."""

    player: str


@dataclass(frozen=True)
class Started:
    """The Shuffler set off the countdown (MX-12); the timer starts COUNTDOWN_US later, for all at once (MX-13)."""

    at_us: int


@dataclass(frozen=True)
class Shouted:
    """A player slapped the button: "MAX STAX" (MX-21)."""

    player: str
    at_us: int


@dataclass(frozen=True)
class ShoutRejected:
    """The stack was not exact when its player shouted; the player goes on (MX-23)."""

    player: str


@dataclass(frozen=True)
class Collapsed:
    """A stack fell by its builder's hand before the shout (MX-22)."""

    player: str


@dataclass(frozen=True)
class Bumped:
    """Somebody else or the table made a player's stack fall (MX-24)."""

    player: str


@dataclass(frozen=True)
class Paused:
    """The round stands still, by agreement (MX-17)."""

    at_us: int


@dataclass(frozen=True)
class Resumed:
    """The round goes on with the time that was left (MX-17)."""

    at_us: int


@dataclass(frozen=True)
class TimeRanOut:
    """The stacking time is over (MX-10)."""

    at_us: int


@dataclass(frozen=True)
class RoundClosed:
    """The table has looked at the stacks and agrees with the places."""


Event = (
    CardTurned
    | Readied
    | Started
    | Shouted
    | ShoutRejected
    | Collapsed
    | Bumped
    | Paused
    | Resumed
    | TimeRanOut
    | RoundClosed
)
EVENTS = (
    CardTurned,
    Readied,
    Started,
    Shouted,
    ShoutRejected,
    Collapsed,
    Bumped,
    Paused,
    Resumed,
    TimeRanOut,
    RoundClosed,
)


# what is on the table


@dataclass(frozen=True)
class Round:
    """One round, or one stack-off.

    builders    who takes part: everybody, in a stack-off those tied
    limit_us    stacking time; None without limit
    go_us       when the timer starts, None before the countdown
    pauses      (from, to) of every pause; `to` is None while it lasts
    shouts      when each player's stack was complete
    collapses   how often each builder's own hand brought the stack down, for the record
    """

    builders: tuple[str, ...]
    limit_us: int | None = STACKING_US
    card: int | None = None
    ready: frozenset[str] = frozenset()
    go_us: int | None = None
    pauses: tuple[tuple[int, int | None], ...] = ()
    shouts: Mapping[str, int] = field(default_factory=dict)
    collapses: tuple[str, ...] = ()
    ran_out: bool = False


@dataclass(frozen=True)
class State:
    """`past` are the closed rounds, stack-offs after the fifth; `used` the cards that were turned up."""

    options: Options
    players: tuple[str, ...]
    current: Round
    past: tuple[Round, ...] = ()
    used: tuple[int, ...] = ()
    ended: bool = False


class Stage(StrEnum):
    """Where a round stands."""

    WAITING = "waiting"
    RUNNING = "running"  # the countdown included: which of the two is a question of the time
    PAUSED = "paused"
    FINISHED = "finished"
    OVER = "over"


def start(options: Options, players: tuple[str, ...]) -> State:
    """Five rounds lie ahead (SPD-02)."""
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise IllegalEvent(f"SPEEDSTAX is for {FEWEST_PLAYERS} to {MOST_PLAYERS} players: choose as many.")  # MX-01
    if not 0 <= options.tie_ms <= 100:
        raise IllegalEvent("Ties within 0 to 100 milliseconds: choose a number of that range.")
    if options.stack_off_limit is not None and not 1 <= options.stack_off_limit <= 3600:
        raise IllegalEvent("A stack-off lasts 1 to 3600 seconds or has no limit: choose one of those.")
    chosen = options.deck_subset
    if len(set(chosen)) != len(chosen) or not all(1 <= card <= CARDS for card in chosen):
        raise IllegalEvent(f"Cards are numbered 1 to {CARDS}: name each card in play once.")
    if chosen and len(chosen) < ROUNDS:
        raise IllegalEvent(f"SPEEDSTAX needs at least {ROUNDS} cards: choose more.")  # MX-06
    return State(options, players, Round(players))


# where a round stands


def stage(state: State) -> Stage:
    """What is awaited now."""
    current = state.current
    if state.ended:
        return Stage.OVER
    if current.go_us is None:
        return Stage.WAITING
    if current.pauses and current.pauses[-1][1] is None:
        return Stage.PAUSED
    return Stage.FINISHED if is_finished(state) else Stage.RUNNING


def is_finished(state: State) -> bool:
    """Time is up, all stacks are complete (MX-14), or somebody has won the stack-off (MX-31)."""
    current = state.current
    complete = bool(current.shouts) if in_stack_off(state) else set(current.shouts) == set(current.builders)
    return current.ran_out or complete


def in_stack_off(state: State) -> bool:
    """The five rounds are played and a tie is being decided (MX-31)."""
    return len(state.past) >= ROUNDS


def deadline_us(current: Round) -> int | None:
    """Last instant that is in time (MX-15), moved by pauses (MX-17). None before the start or without limit."""
    if current.go_us is None or current.limit_us is None:
        return None
    return current.go_us + current.limit_us + paused_us(current)


def paused_us(current: Round) -> int:
    """Total length of the pauses that are over."""
    return sum(until - since for since, until in current.pauses if until is not None)


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


# what a round allows


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it. Nothing here depends on `ruled`."""
    if state.ended:
        raise IllegalEvent("The game is over: start a new one.")
    match event:
        case CardTurned(card):
            return card_turned(state, card)
        case Readied(player):
            return readied(state, player)
        case Started(at_us):
            return started(state, at_us)
        case Shouted(player, at_us):
            return shouted(state, player, at_us)
        case ShoutRejected(player):
            return shout_rejected(state, player)
        case Collapsed(player):
            return collapsed(state, player)
        case Bumped(player):
            return bumped(state, player)
        case Paused(at_us):
            return paused(state, at_us)
        case Resumed(at_us):
            return resumed(state, at_us)
        case TimeRanOut(at_us):
            return time_ran_out(state, at_us)
        case RoundClosed():
            return round_closed(state)
    raise IllegalEvent("SPEEDSTAX knows no such event.")


def card_turned(state: State, card: int) -> State:
    """SPD-02: the top card is turned up for all before the round; no card comes twice."""
    require(state, Stage.WAITING, "A card is turned up before the round starts: finish this round first.")
    if card not in (state.options.deck_subset or range(1, CARDS + 1)):
        raise IllegalEvent(f"Card {card} is not in play: enter the number on the card.")
    if card in state.used:
        raise IllegalEvent(f"Card {card} was turned up before: enter the number on the card.")
    used = tuple(each for each in state.used if each != state.current.card)
    return replace(state, current=replace(state.current, card=card), used=(*used, card))


def readied(state: State, player: str) -> State:
    """MX-12: the timer starts when all are ready."""
    require(state, Stage.WAITING, "The round has already started.")
    require_builder(state, player)
    if player in state.current.ready:
        raise IllegalEvent("This player is ready already: wait for the others.")
    return replace(state, current=replace(state.current, ready=state.current.ready | {player}))


def started(state: State, at_us: int) -> State:
    """MX-12, MX-13: all ready, then one start for everybody, after the countdown."""
    require(state, Stage.WAITING, "The round has already started.")
    waiting = set(state.current.builders) - state.current.ready
    if waiting:
        raise IllegalEvent(f"{len(waiting)} of the players are not ready: each presses the own button first.")
    return replace(state, current=replace(state.current, go_us=at_us + COUNTDOWN_US))


def shouted(state: State, player: str, at_us: int) -> State:
    """MX-20, MX-21: the press is the shout, judged by its time stamp, however late the message of it comes."""
    current = state.current
    require_builder(state, player)
    if current.go_us is None:
        raise IllegalEvent("The round has not started: wait for the go.")
    if at_us < current.go_us:
        raise IllegalEvent("Pressed before the go: release the button and press again when your stack stands.")
    if any(since < at_us and (until is None or at_us < until) for since, until in current.pauses):
        raise IllegalEvent("The round is paused: press again when it goes on.")
    if player in current.shouts:
        raise IllegalEvent("This player's stack is complete already.")
    if current.limit_us is not None and elapsed_us(current, at_us) > current.limit_us:
        raise IllegalEvent("Time was up before the shout: this stack is not complete.")  # MX-15
    return replace(state, current=replace(current, shouts={**current.shouts, player: at_us}))


def shout_rejected(state: State, player: str) -> State:
    """MX-23: a shout over a stack that is not exact does not count."""
    shouts = dict(state.current.shouts)
    if shouts.pop(player, None) is None:
        raise IllegalEvent("This player has not shouted: there is nothing to reject.")
    return replace(state, current=replace(state.current, shouts=shouts))


def collapsed(state: State, player: str) -> State:
    """MX-22: fallen before the shout it is incomplete, unless rebuilt in time; after it, it stays complete (MX-21)."""
    require_building(state, player)
    return replace(state, current=replace(state.current, collapses=(*state.current.collapses, player)))


def bumped(state: State, player: str) -> State:
    """MX-24: the player may rebuild in the remaining time, or the round is replayed (`bump_rule`)."""
    require_building(state, player)
    if state.options.bump_rule is Bump.CONTINUES:
        return state
    current = state.current
    return replace(state, current=Round(current.builders, current.limit_us, current.card))


def paused(state: State, at_us: int) -> State:
    """MX-17: by agreement only; the remaining time is kept."""
    require(state, Stage.RUNNING, "No round is running: there is nothing to pause.")
    current = state.current
    deadline = deadline_us(current)
    assert current.go_us is not None
    if at_us < current.go_us or (deadline is not None and at_us > deadline):
        raise IllegalEvent("A round can be paused only while its clock runs.")
    if current.pauses and at_us < (current.pauses[-1][1] or 0):
        raise IllegalEvent("A pause cannot begin before the last one ended.")
    return replace(state, current=replace(current, pauses=(*current.pauses, (at_us, None))))


def resumed(state: State, at_us: int) -> State:
    """MX-17: the paused round goes on."""
    require(state, Stage.PAUSED, "The round is not paused.")
    *before, (since, _) = state.current.pauses
    if at_us < since:
        raise IllegalEvent("A pause cannot end before it began.")
    return replace(state, current=replace(state.current, pauses=(*before, (since, at_us))))


def time_ran_out(state: State, at_us: int) -> State:
    """MX-10: two minutes have passed. A press with an earlier stamp still counts when its message comes later."""
    require(state, Stage.RUNNING, "No round is running.")
    deadline = deadline_us(state.current)
    if deadline is None or at_us < deadline:
        raise IllegalEvent("The time is not up yet.")
    return replace(state, current=replace(state.current, ran_out=True))


def round_closed(state: State) -> State:
    """Lay the blocks out again: the next round, a stack-off, or the end (MX-31, MX-32)."""
    require(state, Stage.FINISHED, "The round is still running: close it when it is over.")
    after = replace(state, past=(*state.past, state.current), current=Round(state.players))
    if len(after.past) < ROUNDS:
        return after
    tied = contenders(after)
    if len(tied) == 1:
        return replace(after, ended=True)
    limit_s = state.options.stack_off_limit
    return replace(after, current=Round(tied, None if limit_s is None else limit_s * 1_000_000))


def require(state: State, wanted: Stage, sentence: str) -> None:
    """Raises IllegalEvent with `sentence` unless the round stands there."""
    if stage(state) is not wanted:
        raise IllegalEvent(sentence)


def require_builder(state: State, player: str) -> None:
    """Only who takes part in the round: in a stack-off those tied (MX-32)."""
    if player not in state.current.builders:
        raise IllegalEvent("This player does not take part in this round.")


def require_building(state: State, player: str) -> None:
    """Who has shouted has finished: what happens to that stack no longer matters (MX-21)."""
    require_builder(state, player)
    if stage(state) not in (Stage.RUNNING, Stage.PAUSED):
        raise IllegalEvent("No stack is being built now.")
    if player in state.current.shouts:
        raise IllegalEvent("This stack was complete before it fell: it stays complete.")


# points


def places(current: Round, tie_ms: int) -> dict[str, int]:
    """How many finished strictly earlier than each who finished (SPD-04); closer than `tie_ms` is not earlier."""
    times = current.shouts
    return {
        player: sum(other < at_us and at_us - other >= tie_ms * 1_000 for other in times.values())
        for player, at_us in times.items()
    }


def points(players: tuple[str, ...], current: Round, tie_ms: int) -> dict[str, int]:
    """SPD-03, SPD-04: n minus the number who finished strictly earlier; an incomplete stack 0."""
    earlier = places(current, tie_ms)
    return {player: len(players) - earlier[player] if player in earlier else 0 for player in players}


def scoring_rounds(state: State) -> tuple[Round, ...]:
    """The rounds that bring points: the five, the running one included; a stack-off brings none (reading 11)."""
    return (*state.past, state.current)[:ROUNDS]


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """A line for each round that has a result or is running."""
    return tuple(
        (f"Round {number}", points(state.players, each, state.options.tie_ms)[player], "SPD-03")
        for number, each in enumerate(scoring_rounds(state), start=1)
        if each.go_us is not None
    )


def score(state: State) -> dict[str, int]:
    """Sums over the rounds (SPD-05)."""
    return {player: sum(gained for _, gained, _ in explain(state, player)) for player in state.players}


def contenders(state: State) -> tuple[str, ...]:
    """Who can still win after the rounds and stack-offs played: one, or those tied (MX-31, MX-32)."""
    sums = score(state)
    tied = tuple(player for player in state.players if sums[player] == max(sums.values()))
    for stack_off in state.past[ROUNDS:]:
        first = tuple(player for player, earlier in places(stack_off, state.options.tie_ms).items() if earlier == 0)
        tied = tuple(player for player in tied if player in first) or tied
    return tied


def winners(state: State) -> tuple[str, ...]:
    """Highest sum after round 5, a tie decided by the stack-off (SPD-05, MX-31)."""
    return contenders(state) if state.ended else ()


def is_over(state: State) -> bool:
    """Nothing more can happen."""
    return state.ended


def awaiting(state: State) -> frozenset[str]:
    """Before the round who is not ready, while it runs who still builds."""
    match stage(state):
        case Stage.WAITING:
            return frozenset(state.current.builders) - state.current.ready
        case Stage.RUNNING:
            return frozenset(state.current.builders) - frozenset(state.current.shouts)
    return frozenset()


def due(state: State) -> Due | None:
    """The clock brings the end of the stacking time."""
    deadline = deadline_us(state.current)
    if stage(state) is not Stage.RUNNING or deadline is None:
        return None
    return Due(deadline, TimeRanOut(deadline))


def legal(state: State, player: str) -> tuple[Event | Ask, ...]:
    """Events that apply() accepts now from this player; instants are the earliest possible."""
    current = state.current
    match stage(state):
        case Stage.WAITING:
            ready = (Readied(player),) if player in awaiting(state) else ()
            go = (Started(latest_us(state)),) if not awaiting(state) else ()
            return (*ready, *go, Ask("CardTurned", "card", 1, CARDS, "Which card was turned up?"))
        case Stage.RUNNING:
            now_us = latest_us(state)
            building = (Shouted(player, now_us), Collapsed(player), Bumped(player)) if player in awaiting(state) else ()
            rejected = (ShoutRejected(player),) if player in current.shouts else ()
            return (*building, *rejected, Paused(now_us))
        case Stage.PAUSED:
            return (Resumed(latest_us(state)),)
        case Stage.FINISHED:
            rejected = (ShoutRejected(player),) if player in current.shouts else ()
            return (*rejected, RoundClosed())
    return ()


def latest_us(state: State) -> int:
    """The newest instant that the current round, or the last one, knows of."""
    rounds = (*state.past, state.current)
    stamps = [
        stamp
        for each in rounds
        for stamp in (each.go_us, *each.shouts.values(), *(edge for pause in each.pauses for edge in pause))
        if stamp is not None
    ]
    return max(stamps, default=0)
