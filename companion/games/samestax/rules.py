"""SAMESTAX by Rotree Corp.: the rulebook, with the ids of the rule sheet (MX-… shared, SAM-… its own).

One player creates a stack and the others copy it. In each round the Creator holds one point of every other player, and
those who succeed reclaim theirs. All MaxStax games share the timer (MX-10 … MX-24) in `companion.games.maxstax`.
"""

from dataclasses import dataclass, replace
from typing import get_args

from companion.errors import IllegalEvent
from companion.game.events import Due
from companion.game.options import option
from companion.games import resting, rulings
from companion.games.maxstax import options as shared
from companion.games.maxstax import play, timer
from companion.games.maxstax.events import Bumped, GaveUp, Judged, RoundClosed, TimerEvent
from companion.games.maxstax.timer import Bump, Round, Stage
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.games.seats import clockwise
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = timer.FEWEST_PLAYERS, timer.MOST_PLAYERS
WHY_SEATS_STAY = N_(  # SAM-01, SAM-02
    "Everybody is Creator twice, clockwise, and the points of a round depend on how many play."
)
TIMES_CREATOR = 2  # SAM-01: every player is Creator twice
CREATION_US = 120_000_000  # MX-11
REPLICATION_US = 60_000_000  # MX-11
BLOCKS = (1, 12)  # SAM-03: fewest and most in the Creator's stack


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    shout_required: bool = shared.shout_required(
        N_("Without the shout, a copy counts if it stands and matches when time is up. The table decides.")
    )
    bump_rule: Bump = shared.bump_rule()
    tie_ms: int = shared.tie_ms(
        N_("Presses closer together than this are shown as a tie. The order gives no points here.")
    )
    to_the_mm: bool = shared.to_the_mm()
    restack: bool = option(
        True,
        N_("Build again in the time left"),
        N_("A stack that falls before the others begin can be built again in the time that is left to build."),
        "SAM-03",
    )


@dataclass(frozen=True)
class CreatorChosen:
    """The group chose the first Creator (SAM-01)."""

    creator: str


@dataclass(frozen=True)
class CreatorStackFell:
    """The Creator's stack fell, or did not stand at the end of the creation (SAM-06, SAM-07)."""

    player: str


@dataclass(frozen=True)
class Restacked:
    """The finished stack fell before the others began, and its Creator builds again in the time left (SAM-03)."""

    player: str
    at_us: int


Event = CreatorChosen | TimerEvent | Judged | CreatorStackFell | Restacked | RoundClosed | Rested | Returned | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


@dataclass(frozen=True)
class Turn:
    """One round of the game.

    creation        the Creator's round; the Creator's shout ends it (MX-16)
    replication     the other players' round, None until the creation is over
    faulty          the Creator's stack did not stand (SAM-06, SAM-07)
    """

    creator: str
    creation: Round
    replication: Round | None = None
    faulty: bool = False

    @property
    def running(self) -> Round:
        """The round of the timer that is on now."""
        return self.replication or self.creation


@dataclass(frozen=True)
class State:
    """The state of a game; `current` is None until the first Creator is chosen, and when all rounds are played.

    resting     players who left for a while: no copying waits for them, only the rounds in which they are Creator
    """

    options: Options
    players: tuple[str, ...]
    current: Turn | None = None
    past: tuple[Turn, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    resting: frozenset[str] = frozenset()


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state before the first Creator is chosen (SAM-01); raises IllegalEvent for options that cannot be played."""
    timer.check_table(players, "SAMESTAX", options.tie_ms)
    return State(options, players)


def turn_of(creator: str) -> Turn:
    """A round before its start. The Creator starts the timer, so nobody else has to be ready (MX-12)."""
    return Turn(creator, Round((creator,), CREATION_US, ready=frozenset({creator})))


def rounds(state: State) -> int:
    """The number of rounds in the game: 4, 6 or 8 (SAM-01)."""
    return TIMES_CREATOR * len(state.players)


def creators(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The Creator of each round, clockwise from the first (SAM-01)."""
    return clockwise(players, players.index(first)) * TIMES_CREATOR


def stage(state: State) -> Stage:
    """The stage of the creation or, after it, of the replication."""
    if is_over(state):
        return Stage.OVER
    if state.current is None:
        return Stage.WAITING
    return Stage.FINISHED if state.current.faulty else timer.stage(state.current.running)


def is_over(state: State) -> bool:
    """Whether all rounds are played (MX-33)."""
    return len(state.past) == rounds(state)


def awaiting(state: State) -> frozenset[str]:
    """The players who have to get ready, start, build or be judged; all while the first Creator is chosen."""
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
    """The end of the creation or the replication (MX-11)."""
    return timer.due(state.current.running) if state.current and not state.current.faulty else None


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: a late start, shout or end is accepted
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    if is_over(state):
        raise IllegalEvent(_("The game is over. Start a new one."))
    if isinstance(event, Rested | Returned):
        return rested(state, event)
    if isinstance(event, CreatorChosen):
        return creator_chosen(state, event.creator)
    current = state.current
    if current is None:
        raise IllegalEvent(_("There's no Creator yet. Choose the first one."))
    match event:
        case RoundClosed():
            return round_closed(state, current, ruled)
        case CreatorStackFell(player):
            return replace(state, current=creator_stack_fell(current, player))
        case Restacked(player, at_us):
            return replace(state, current=restacked(state, current, player, at_us))
        case Bumped(player) if player == current.creator and current.replication:
            return replace(state, current=model_bumped(state, current))
    if current.faulty:
        raise IllegalEvent(_("The Creator's stack fell. Close the round."))  # SAM-06
    if isinstance(event, GaveUp) and current.replication is None:
        raise IllegalEvent(_("The Creator builds any stack they like. Finish with the blocks that stand."))  # SAM-03
    rule = state.options.bump_rule
    if current.replication is None:
        return replace(state, current=created(state, current, play.apply(current.creation, event, rule, ruled)))
    return replace(state, current=replace(current, replication=play.apply(current.replication, event, rule, ruled)))


def rested(state: State, event: resting.Event) -> State:
    """Our reading of SAM-05 for a player who left for a while: a copy that is not built has failed. The round of a
    Creator who rests waits, since every player is Creator twice (SAM-01).
    """
    who, current = resting.changed(state.resting, event, state.players), state.current
    if current and current.replication and not current.faulty:
        current = replace(current, replication=play.rested(current.replication, who))
    return replace(state, resting=who, current=current)


def creator_chosen(state: State, creator: str) -> State:
    """SAM-01: the group chooses the first Creator before the first round begins."""
    if creator not in state.players:
        raise IllegalEvent(_("The Creator must be one of the players. Choose one."))
    if state.past or (state.current and state.current.creation.go_us is not None):
        raise IllegalEvent(_("The game has begun, and the Creator's role goes clockwise. You can't choose now."))
    return replace(state, current=turn_of(creator))


def created(state: State, current: Turn, creation: Round) -> Turn:
    """SAM-03: a stack that falls within the time is rebuilt; MX-16: the Creator's shout or the time ends the creation.

    Then the others get ready. A creation to be replayed (MX-24) starts again.
    """
    if creation.go_us is None:
        return turn_of(current.creator)
    if timer.stage(creation) is not Stage.FINISHED:
        return replace(current, creation=creation)
    others = tuple(player for player in state.players if player != current.creator)
    replication = Round(others, REPLICATION_US, shout_required=state.options.shout_required, resting=state.resting)
    return replace(current, creation=creation, replication=replication)


def creator_stack_fell(current: Turn, player: str) -> Turn:
    """SAM-06, SAM-07: the stack must stand from the end of the creation until the end of the replication; if it falls,
    all others reclaim their points at once."""
    if player != current.creator:
        raise IllegalEvent(_("This player is copying. Only the Creator's stack must stand the whole time."))
    if current.replication is None:
        raise IllegalEvent(
            _("The Creator can still rebuild in time. Say it again when the time to build is over.")
        )  # SAM-03
    if current.faulty:
        raise IllegalEvent(_("The Creator's stack has already fallen. Close the round."))
    return replace(current, faulty=True)


def may_restack(state: State) -> bool:
    """Whether a fall of the Creator's stack now is no end of the round: the others have not begun, and time is left."""
    current = state.current
    if current is None or current.faulty or current.replication is None or current.replication.go_us is not None:
        return False
    finished_us = current.creation.shouts.get(current.creator)
    in_time = finished_us is not None and timer.elapsed_us(current.creation, finished_us) < CREATION_US
    return state.options.restack and in_time


def restacked(state: State, current: Turn, player: str, at_us: int) -> Turn:
    """Our reading of SAM-03: the Creator who finished early goes on with the time left, as after a pause (MX-17)."""
    if player != current.creator:
        raise IllegalEvent(_("This player is copying. Only the Creator's stack must stand the whole time."))
    if not may_restack(state):
        raise IllegalEvent(
            _("The Creator can build again only before the others begin, and only if time to build is left.")
        )
    finished_us = current.creation.shouts[player]
    if at_us < finished_us:
        raise IllegalEvent(_("A stack can't be built again before it was finished."))
    creation = replace(
        current.creation,
        shouts={},
        pauses=current.creation.pauses.begun(finished_us).ended(at_us),
        collapses=(*current.creation.collapses, player),
    )
    return replace(current, creation=creation, replication=None)


def model_bumped(state: State, current: Turn) -> Turn:
    """Our reading of MX-24 for the stack that is copied: its Creator sets it up again, or the whole round is replayed.

    For a copy that is knocked over, `play.bumped` applies: its player rebuilds, or the replication is replayed.
    """
    if current.faulty or timer.stage(current.running) not in (Stage.WAITING, Stage.RUNNING, Stage.PAUSED):
        raise IllegalEvent(_("The copying is over. The Creator's stack doesn't have to stand any more."))
    return turn_of(current.creator) if state.options.bump_rule is Bump.REPLAY else current


def round_closed(state: State, current: Turn, ruled: bool) -> State:
    """The next round, with the next Creator clockwise (SAM-01), or the end."""
    if not current.faulty:
        if current.replication is None:
            raise IllegalEvent(_("The Creator is still building. The others have to copy the stack first."))
        current = replace(current, replication=play.closed(current.replication, ruled))
    past = (*state.past, current)
    order = creators(state.players, past[0].creator)
    return replace(state, past=past, current=turn_of(order[len(past)]) if len(past) < len(order) else None)


def begun(state: State) -> tuple[Turn, ...]:
    """The rounds that give points: the closed ones, and the current one once its creation was started."""
    running = (state.current,) if state.current and state.current.creation.go_us is not None else ()
    return (*state.past, *running)


def reclaimed(turn: Turn, players: tuple[str, ...]) -> frozenset[str]:
    """The players who have their point back: who succeeded (SAM-04), or all if the Creator's stack fell (SAM-06)."""
    if turn.faulty:
        return frozenset(players) - {turn.creator}
    return timer.completed(turn.replication) if turn.replication else frozenset()


def points(turn: Turn, players: tuple[str, ...]) -> dict[str, int]:
    """Player → points of a round: the Creator keeps one point for each player (SAM-02) who has not reclaimed it
    (SAM-05); a player who has gets it (MX-30)."""
    back = reclaimed(turn, players)
    return {
        player: len(players) - 1 - len(back) if player == turn.creator else int(player in back) for player in players
    }


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """A line for each round that has begun."""
    lines = [
        (_("Round {number}, {what}", number=number, what=what), points(turn, state.players)[player], rule)
        for number, turn in enumerate(begun(state), start=1)
        for what, rule in [_outcome(turn, player, state.players)]
    ]
    return (*lines, *rulings.lines(state.rulings, player))


def _outcome(turn: Turn, player: str, players: tuple[str, ...]) -> tuple[str, str]:
    """(the player's outcome of a round in words, rule id)."""
    if player == turn.creator:
        return (_("Creator, stack fell"), "SAM-06") if turn.faulty else (_("Creator, held"), "SAM-05")
    if turn.faulty:
        return _("Creator's stack fell"), "SAM-06"
    return (_("copied"), "SAM-04") if player in reclaimed(turn, players) else (_("not copied"), "SAM-05")


def score(state: State) -> dict[str, int]:
    """Player → sum of all rounds and rulings."""
    return {player: sum(gained for _, gained, _ in explain(state, player)) for player in state.players}


def check_sum(state: State) -> tuple[int, int]:
    """(points given so far, points of the whole game): players − 1 for each round (SAM-08)."""
    points_a_round = len(state.players) - 1
    return points_a_round * len(begun(state)), points_a_round * rounds(state)


def winners(state: State) -> tuple[str, ...]:
    """The players with the highest sum, who share the victory without a stack-off (SAM-09, MX-33)."""
    if not is_over(state):
        return ()
    totals = score(state)
    return tuple(player for player in state.players if totals[player] == max(totals.values()))


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The events that apply() accepts now from this player, at the earliest possible instants."""
    current = state.current
    if is_over(state):
        return ()
    if current is None:
        return (CreatorChosen(player),)
    chosen = (CreatorChosen(player),) if not begun(state) else ()
    if current.faulty:
        return (RoundClosed(),)
    running = current.running
    timed = [part for turn in (*state.past, current) for part in (turn.creation, turn.replication) if part]
    events = play.legal(running, player, timer.latest_us(timed))
    if current.replication is None:
        return (*chosen, *(event for event in events if not isinstance(event, GaveUp)))
    model: tuple[Event, ...] = (CreatorStackFell(player),) if player == current.creator else ()
    if player == current.creator and may_restack(state):
        model = (Restacked(player, timer.latest_us(timed)), *model)
    if timer.stage(running) is Stage.FINISHED:
        close = () if timer.unjudged(running) else (RoundClosed(),)
        return (*events, *play.verdicts(running, player), *model, *close)
    bumped = (Bumped(player),) if player == current.creator else ()
    return (*events, *model, *bumped)
