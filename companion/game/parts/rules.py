"""The rules of a game: all that it has to say, and what the table, the journal and the API need to know of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol

from companion.game.dice import Throw, Thrown
from companion.game.events import Ask, Due, check_traits
from companion.game.parts.derived import EventT, EventT_contra, OptionsT, StateT, completed, derived, nothing
from companion.game.players import PlayerId, Ranking, Viewer, Writers
from companion.words import _


class Apply(Protocol[StateT, EventT_contra]):
    """(state, event, ruled) → the state after the event."""

    def __call__(self, state: StateT, event: EventT_contra, /, ruled: bool = False) -> StateT: ...


@dataclass(frozen=True)
class NoOptions:
    """For games without switches."""


@dataclass(frozen=True)
class Family:
    """Games that the same players switch between; `blocks`: they are played with wooden blocks."""

    name: str
    blocks: bool = False


@dataclass(frozen=True)
class Dice(Generic[StateT, EventT, OptionsT]):
    """The dice of a game.

    thrown  (event, options) → the dice that were rolled in it, for the statistics
    throw   (state, viewer) → the dice that are to be thrown now and that this page may enter, or None
    """

    thrown: Callable[[EventT, OptionsT], tuple[Thrown, ...]]
    throw: Callable[[StateT, Viewer], Throw[EventT] | None] = nothing


NO_DICE: Dice[Any, Any, Any] = Dice(thrown=lambda _event, _options: ())


def by_points(score: Mapping[PlayerId, int], winners: Sequence[PlayerId]) -> Ranking:
    """The winners, who are equal whatever decided the game, then all others by their points."""
    others = {player: points for player, points in score.items() if player not in winners}
    sums = sorted({*others.values()}, reverse=True)
    groups = (tuple(player for player, own in others.items() if own == points) for points in sums)
    return tuple(filter(None, (tuple(winners), *groups)))


def most_points(rules: "AnyRules", state: Any) -> tuple[PlayerId, ...]:
    """The players with the most points once the game is over."""
    points = rules.score(state)
    return tuple(player for player in points if rules.is_over(state) and points[player] == max(points.values()))


@dataclass(frozen=True)
class Rules(Generic[StateT, EventT, OptionsT]):
    """The rules of a game, each function pure. The first seven fields are enough for a game to be played.

    name            folder name, in addresses and in the journal
    seats           fewest and most players
    events          every event class of the game; class attributes beside the fields are TRAITS
    start           (options, players clockwise) → state; raises IllegalEvent for options that cannot be played
    legal           (state, player) → events (or Asks) that apply() accepts now
    apply           (state, event, ruled) → state; raises IllegalEvent. `ruled`: whatever is physically possible counts
    score           points of every player in seat order, summed from facts in the state
    options         the frozen dataclass of its switches
    awaiting        players who may act now, else those with a legal event; empty once over, or while the table rolls
    is_over         whether it is over, else whether nobody has anything left to do
    winners         empty until it is over, else those with the most points
    explain         (state, player) → lines (text, points, rule id) that add up to score(), else the points in one line
    ranked          the ranking of a finished game; empty where the rules have another one played; else `by_points`
    due             (state) → the next event that the clock brings
    begins          (state) → the player with the first turn of the round, None while nobody has it
    round_of        (state) → the number of the round that is played in it, from 1; None: see `companion.game.rounds`
    dice            the dice that are thrown in it
    first_seat      name of the option that says which seat, from 1, begins (None: the first); "" where the rules decide
    family          the family of games that it belongs to, or None
    colours         (state) → player → the colour class of the player's pieces
    why_no_rest     why nobody can leave for a while, one sentence; "" where `resting` of its state says who has left
    writers         (state) → who may enter an event and correct one; else a seat's device what is that seat's
    why_seats_stay  why nobody joins or changes seats while it runs, by its sheet; "" for no reason of its own
    """

    name: str
    seats: tuple[int, int]
    events: tuple[type[EventT], ...]
    start: Callable[[OptionsT, tuple[PlayerId, ...]], StateT]
    legal: Callable[[StateT, PlayerId], tuple[EventT | Ask, ...]]
    apply: Apply[StateT, EventT]
    score: Callable[[StateT], Mapping[PlayerId, int]]
    options: type[OptionsT] = NoOptions  # type: ignore[assignment]
    awaiting: Callable[[StateT], frozenset[PlayerId]] = derived(
        lambda rules: lambda state: frozenset(player for player in rules.score(state) if rules.legal(state, player))
    )
    is_over: Callable[[StateT], bool] = derived(
        lambda rules: lambda state: not any(rules.legal(state, player) for player in rules.score(state))
    )
    winners: Callable[[StateT], tuple[PlayerId, ...]] = derived(lambda rules: lambda state: most_points(rules, state))
    explain: Callable[[StateT, PlayerId], tuple[tuple[str, int, str], ...]] = derived(
        lambda rules: lambda state, player: ((_("Points"), rules.score(state)[player], ""),)
    )
    ranked: Callable[[StateT], Ranking] = derived(
        lambda rules: lambda state: by_points(rules.score(state), rules.winners(state))
    )
    due: Callable[[StateT], Due[EventT] | None] = nothing
    begins: Callable[[StateT], PlayerId | None] = nothing
    round_of: Callable[[StateT], int | None] = nothing
    dice: Dice[StateT, EventT, OptionsT] = NO_DICE
    first_seat: str = ""
    family: Family | None = None
    colours: Callable[[StateT], Mapping[PlayerId, str]] = lambda _state: {}
    why_no_rest: str = ""
    writers: Callable[[StateT], Writers] = lambda _state: Writers.OWN
    why_seats_stay: str = ""

    def __post_init__(self) -> None:
        for event in self.events:
            check_traits(event)
        for name, value in completed(self, self).items():
            object.__setattr__(self, name, value)

    def ranking(self, state: StateT) -> Ranking:
        """The ranking of a game; empty while it goes on, and for one that counts nothing."""
        return self.ranked(state) if self.is_over(state) else ()

    def resting(self, state: StateT) -> frozenset[PlayerId]:
        """The players who left for a while, for whom the game does not wait."""
        players: frozenset[PlayerId] = getattr(state, "resting", frozenset())
        return players


class Rulebook(Protocol[StateT, EventT, OptionsT]):
    """A module that holds the rules of a game, each under the name that `Rules` has for it.

    It is a game's module `rules`, in the folder that has the game's name.
    """

    __name__: str
    FEWEST_PLAYERS: int
    MOST_PLAYERS: int
    WHY_SEATS_STAY: str

    @property
    def EVENTS(self) -> tuple[type[EventT], ...]: ...
    @property
    def Options(self) -> type[OptionsT]: ...

    def start(self, options: OptionsT, players: tuple[PlayerId, ...], /) -> StateT: ...
    def awaiting(self, state: StateT, /) -> frozenset[PlayerId]: ...
    def legal(self, state: StateT, player: PlayerId, /) -> tuple[EventT | Ask, ...]: ...
    def apply(self, state: StateT, event: EventT, /, ruled: bool = False) -> StateT: ...
    def score(self, state: StateT, /) -> Mapping[PlayerId, int]: ...
    def explain(self, state: StateT, player: PlayerId, /) -> tuple[tuple[str, int, str], ...]: ...
    def is_over(self, state: StateT, /) -> bool: ...
    def winners(self, state: StateT, /) -> tuple[PlayerId, ...]: ...


def rules_of(book: Rulebook[StateT, EventT, OptionsT]) -> Rules[StateT, EventT, OptionsT]:
    """The rules that a module holds."""
    return Rules(
        name=book.__name__.split(".")[-2],
        seats=(book.FEWEST_PLAYERS, book.MOST_PLAYERS),
        events=book.EVENTS,
        start=book.start,
        legal=book.legal,
        apply=book.apply,
        score=book.score,
        options=book.Options,
        awaiting=book.awaiting,
        is_over=book.is_over,
        winners=book.winners,
        explain=book.explain,
        why_seats_stay=book.WHY_SEATS_STAY,
    )


AnyRules = Rules[Any, Any, Any]
