"""SAMESTAX by Rotree Corp.: the rulebook. Ids are those of the rule sheet (MX-… shared, SAM-… its own).

One player creates a stack, the others copy it; every round the Creator holds a point of each of them, which those who
succeed reclaim. The timer (MX-10 … MX-24) is that of all MaxStax games, in `companion.games.maxstax`.
"""

from dataclasses import dataclass, replace
from typing import get_args

from companion.errors import IllegalEvent
from companion.game.events import Due
from companion.games import rulings
from companion.games.maxstax import options as shared
from companion.games.maxstax import play, timer
from companion.games.maxstax.events import (
    Bumped,
    Judged,
    RoundClosed,
    TimerEvent,
)
from companion.games.maxstax.timer import Bump, Round, Stage
from companion.games.rulings import Ruling
from companion.words import N_, _

TIMES_CREATOR = 2  # SAM-01: every player is Creator twice
CREATION_US = 120_000_000  # MX-11
REPLICATION_US = 60_000_000  # MX-11
BLOCKS = (1, 12)  # SAM-03: fewest and most in the Creator's stack


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet."""

    shout_required: bool = shared.shout_required(
        N_("Without it a copy that stands and matches when the time is up counts, and the table says which do.")
    )
    bump_rule: Bump = shared.bump_rule()
    tie_ms: int = shared.tie_ms(
        N_("Presses closer together than this are shown as a tie; the order brings no points here.")
    )


# what may happen


@dataclass(frozen=True)
class CreatorChosen:
    """The group chose the first Creator (SAM-01)."""

    creator: str


@dataclass(frozen=True)
class CreatorStackFell:
    """No stack of the Creator stands any more, or none stood at the end of the creation (SAM-06, SAM-07)."""

    player: str


Event = CreatorChosen | TimerEvent | Judged | CreatorStackFell | RoundClosed | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


# what is on the table


@dataclass(frozen=True)
class Turn:
    """One round. In the creation the Creator's shout is the word that the stack is finished (MX-16).

    replication     the other players' round, None until the creation is over
    faulty          the Creator's stack did not stand (SAM-06, SAM-07)
    """

    creator: str
    creation: Round
    replication: Round | None = None
    faulty: bool = False

    @property
    def running(self) -> Round:
        """The round of the timer that counts now."""
        return self.replication or self.creation


@dataclass(frozen=True)
class State:
    """`current` is None until the first Creator is chosen, and when all rounds are played."""

    options: Options
    players: tuple[str, ...]
    current: Turn | None = None
    past: tuple[Turn, ...] = ()
    rulings: tuple[Ruling, ...] = ()


def start(options: Options, players: tuple[str, ...]) -> State:
    """No cards; the group chooses who creates first (SAM-01)."""
    timer.check_table(players, "SAMESTAX", options.tie_ms)
    return State(options, players)


def turn_of(creator: str) -> Turn:
    """A round before it begins. The Creator starts the timer, so nobody else has to be ready (MX-12)."""
    return Turn(creator, Round((creator,), CREATION_US, ready=frozenset({creator})))


def rounds(state: State) -> int:
    """SAM-01: 4, 6 or 8."""
    return TIMES_CREATOR * len(state.players)


def creators(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """Who creates in each round: clockwise from the first (SAM-01)."""
    at = players.index(first)
    return (*players[at:], *players[:at]) * TIMES_CREATOR


# where the game stands


def stage(state: State) -> Stage:
    """What is awaited now; in the replication of the others, once the creation is over."""
    if is_over(state):
        return Stage.OVER
    if state.current is None:
        return Stage.WAITING
    return Stage.FINISHED if state.current.faulty else timer.stage(state.current.running)


def is_over(state: State) -> bool:
    """After the last round (MX-33)."""
    return len(state.past) == rounds(state)


def awaiting(state: State) -> frozenset[str]:
    """Who has to get ready, start, build or be judged; everybody while the first Creator is chosen."""
    current = state.current
    if is_over(state):
        return frozenset()
    if current is None:
        return frozenset(state.players)
    if current.faulty:
        return frozenset()
    waiting = timer.awaiting(current.running)
    starts = stage(state) is Stage.WAITING and not waiting
    return frozenset({current.creator}) if starts else waiting  # MX-12: the Creator starts both timers


def due(state: State) -> Due[Event] | None:
    """The clock brings the end of creation and replication (MX-11)."""
    return timer.due(state.current.running) if state.current and not state.current.faulty else None


# what a round allows


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: a late start, shout or end is taken as said
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    if is_over(state):
        raise IllegalEvent(_("The game is over: start a new one."))
    if isinstance(event, CreatorChosen):
        return creator_chosen(state, event.creator)
    current = state.current
    if current is None:
        raise IllegalEvent(_("Nobody creates yet: choose the first Creator."))
    match event:
        case RoundClosed():
            return round_closed(state, current, ruled)
        case CreatorStackFell(player):
            return replace(state, current=creator_stack_fell(current, player))
        case Bumped(player) if player == current.creator and current.replication:
            return replace(state, current=model_bumped(state, current))
    if current.faulty:
        raise IllegalEvent(_("The Creator's stack did not stand: close the round."))  # SAM-06
    rule = state.options.bump_rule
    if current.replication is None:
        return replace(state, current=created(state, current, play.apply(current.creation, event, rule, ruled)))
    return replace(state, current=replace(current, replication=play.apply(current.replication, event, rule, ruled)))


def creator_chosen(state: State, creator: str) -> State:
    """SAM-01: the group chooses, before the first round begins."""
    if creator not in state.players:
        raise IllegalEvent(_("The Creator is one of the players: choose one."))
    if state.past or (state.current and state.current.creation.go_us is not None):
        raise IllegalEvent(_("The role goes clockwise from the first Creator: the game has begun."))
    return replace(state, current=turn_of(creator))


def created(state: State, current: Turn, creation: Round) -> Turn:
    """SAM-03: what falls within the time is rebuilt; MX-16: the Creator's word ends it, or the time.

    Then the others get ready. A creation that is replayed (MX-24) begins anew.
    """
    if creation.go_us is None:
        return turn_of(current.creator)
    if timer.stage(creation) is not Stage.FINISHED:
        return replace(current, creation=creation)
    others = tuple(player for player in state.players if player != current.creator)
    replication = Round(others, REPLICATION_US, shout_required=state.options.shout_required)
    return replace(current, creation=creation, replication=replication)


def creator_stack_fell(current: Turn, player: str) -> Turn:
    """SAM-06: it must stand for the whole replication; SAM-07: and at the end of the creation. All reclaim at once."""
    if player != current.creator:
        raise IllegalEvent(_("This player copies: only the Creator's stack must stand for the whole time."))
    if current.replication is None:
        raise IllegalEvent(
            _("The Creator may rebuild within the time: say so again when the creation is over.")
        )  # SAM-03
    if current.faulty:
        raise IllegalEvent(_("The Creator's stack has fallen already: close the round."))
    return replace(current, faulty=True)


def model_bumped(state: State, current: Turn) -> Turn:
    """MX-24 for the stack that is copied, our reading: its Creator sets it up again, or the whole round is replayed.

    A copy that is knocked over is the timer's matter: its player rebuilds, or the replication is replayed.
    """
    if current.faulty or timer.stage(current.running) not in (Stage.WAITING, Stage.RUNNING, Stage.PAUSED):
        raise IllegalEvent(_("The replication is over: the Creator's stack need not stand any more."))
    return turn_of(current.creator) if state.options.bump_rule is Bump.REPLAY else current


def round_closed(state: State, current: Turn, ruled: bool) -> State:
    """The blocks are laid out again; the role goes clockwise (SAM-01)."""
    if not current.faulty:
        if current.replication is None:
            raise IllegalEvent(_("The creation is still on: the others have to copy the stack first."))
        current = replace(current, replication=play.closed(current.replication, ruled))
    past = (*state.past, current)
    order = creators(state.players, past[0].creator)
    return replace(state, past=past, current=turn_of(order[len(past)]) if len(past) < len(order) else None)


# points


def begun(state: State) -> tuple[Turn, ...]:
    """The rounds that hand out points: the closed ones, and the one whose creation was started."""
    running = (state.current,) if state.current and state.current.creation.go_us is not None else ()
    return (*state.past, *running)


def reclaimed(turn: Turn, players: tuple[str, ...]) -> frozenset[str]:
    """Who has the own point back: who succeeded (SAM-04), or everybody when the Creator's stack fell (SAM-06)."""
    if turn.faulty:
        return frozenset(players) - {turn.creator}
    return timer.completed(turn.replication) if turn.replication else frozenset()


def points(turn: Turn, players: tuple[str, ...]) -> dict[str, int]:
    """MX-30: the Creator holds a point of every other player (SAM-02), and keeps those not reclaimed (SAM-05)."""
    back = reclaimed(turn, players)
    return {
        player: len(players) - 1 - len(back) if player == turn.creator else int(player in back) for player in players
    }


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """A line for each round that has begun."""
    lines = [
        (_("Round {number}, {what}", number=number, what=what), points(turn, state.players)[player], rule)
        for number, turn in enumerate(begun(state), start=1)
        for what, rule in [_told(turn, player, state.players)]
    ]
    return (*lines, *rulings.lines(state.rulings, player))


def _told(turn: Turn, player: str, players: tuple[str, ...]) -> tuple[str, str]:
    if player == turn.creator:
        return (_("Creator, stack fell"), "SAM-06") if turn.faulty else (_("Creator, held"), "SAM-05")
    if turn.faulty:
        return _("Creator's stack fell"), "SAM-06"
    return (_("copied"), "SAM-04") if player in reclaimed(turn, players) else (_("not copied"), "SAM-05")


def score(state: State) -> dict[str, int]:
    """Sums over the rounds."""
    return {player: sum(gained for _, gained, _ in explain(state, player)) for player in state.players}


def check_sum(state: State) -> tuple[int, int]:
    """SAM-08: the points given out so far, players − 1 a round, and those of the whole game."""
    each = len(state.players) - 1
    return each * len(begun(state)), each * rounds(state)


def winners(state: State) -> tuple[str, ...]:
    """Highest sum; equal sums share the victory, without a stack-off (SAM-09, MX-33)."""
    if not is_over(state):
        return ()
    totals = score(state)
    return tuple(player for player in state.players if totals[player] == max(totals.values()))


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now from this player; instants are the earliest possible."""
    current = state.current
    if is_over(state):
        return ()
    if current is None:
        return (CreatorChosen(player),)
    chosen = (CreatorChosen(player),) if not begun(state) else ()
    if current.faulty:
        return (RoundClosed(),)
    running = current.running
    known = [each for turn in (*state.past, current) for each in (turn.creation, turn.replication) if each]
    events = play.legal(running, player, timer.latest_us(known))
    if current.replication is None:
        return (*chosen, *events)
    model = (CreatorStackFell(player),) if player == current.creator else ()
    if timer.stage(running) is Stage.FINISHED:
        close = () if timer.unjudged(running) else (RoundClosed(),)
        return (*events, *play.verdicts(running, player), *model, *close)
    bumped = (Bumped(player),) if player == current.creator else ()
    return (*events, *model, *bumped)
