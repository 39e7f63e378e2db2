"""The contract between the rules and the table: the data and functions that every game provides.

A game is a package in `companion/games/` that builds its own `GAME = Game(...)`: pure functions over its own frozen
values, the state, the events and the options. Nothing else in the project knows a game by name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Never, Protocol, TypeVar

from companion.game.box import BoxLook, Signal
from companion.game.dice import Throw, Thrown
from companion.game.events import Ask, Due, EventT_co, check_traits
from companion.game.figures import Measured
from companion.game.how_to import HowTo
from companion.game.options import AS_PRINTED, Preset
from companion.game.players import PlayerId, Ranking, Viewer
from companion.game.readings import Reading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.game.sheets import BoardSheet, ScoreSheet
from companion.game.widgets import Widget

StateT = TypeVar("StateT")  # a game's own frozen dataclass
EventT = TypeVar("EventT")  # the union of its frozen event dataclasses
EventT_contra = TypeVar("EventT_contra", contravariant=True)
OptionsT = TypeVar("OptionsT")  # its frozen dataclass of options


class Apply(Protocol[StateT, EventT_contra]):
    """(state, event, ruled) → the state after the event."""

    def __call__(self, state: StateT, event: EventT_contra, /, ruled: bool = False) -> StateT: ...


@dataclass(frozen=True)
class Advice(Generic[StateT, EventT_co]):
    """A calculation that players may ask for, too slow for every page: `answer` takes up to seconds.

    name        short, part of an address
    """

    name: str
    label: str
    answer: Callable[[StateT, Viewer], tuple[Widget[EventT_co], ...]]


def by_points(score: Mapping[PlayerId, int], winners: Sequence[PlayerId]) -> Ranking:
    """The winners, who are equal whatever decided the game, then all others by their points."""
    others = {player: points for player, points in score.items() if player not in winners}
    groups = (tuple(one for one in others if others[one] == points) for points in sorted({*others.values()})[::-1])
    return tuple(filter(None, (tuple(winners), *groups)))


def no_due(_state: object) -> None:
    """For games without a clock."""


def nothing_seen(_state: object, _event: object, _reading: Reading, _at_us: int) -> None:
    """For games without events that ask for a look."""


def nothing_late(_state: object, _reading: Reading, _at_us: int) -> None:
    """For games in which a look no longer means anything once the game has gone on."""


def only_dice(_state: object) -> Eyes:
    """For games of which a camera reads only the dice."""
    return Eyes()


def no_draft(_state: object, _event: object) -> Mapping[str, str]:
    """For games whose corrections begin with an empty draft."""
    return {}


def no_dice(_event: object, _options: object) -> tuple[Thrown, ...]:
    """For games without dice."""
    return ()


def nothing_to_throw(_state: object, _viewer: Viewer) -> None:
    """For games without dice."""


def no_buttons(_state: object, _signal: Signal) -> None:
    """For games in which no button means anything."""


def nobody_begins(_state: object) -> None:
    """For games in which all begin at the same moment."""


def no_colours(_state: object) -> Mapping[PlayerId, str]:
    """For games whose pieces belong to no player."""
    return {}


def no_deal(_state: object) -> bool:
    """For games in which nothing is dealt or laid out anew."""
    return False


def nobody_rests(_state: object) -> frozenset[PlayerId]:
    """For games whose sheet lets nobody miss a turn."""
    return frozenset()


def no_charts(_state: object, _viewer: Viewer) -> tuple[Widget[Never], ...]:
    """For games whose result is points only."""
    return ()


@dataclass(frozen=True)
class Game(Generic[StateT, EventT, OptionsT]):
    """A game as the rest of the project sees it. Every function is pure.

    name            folder name, in addresses and in the journal
    tagline         a message id, as are the texts of presets and advice: the page translates it by `_(…)`
    seats           fewest and most players
    events          every event class of the game; class attributes beside the fields are TRAITS
    start           (options, players clockwise) → state; raises IllegalEvent for options that cannot be played
    awaiting        players who may act now; empty when it is over, or when the table has to roll
    legal           (state, player) → events (or Asks) that apply() accepts now
    apply           (state, event, ruled) → state; raises IllegalEvent. `ruled`: the table insists, so only what is
                    physically impossible is refused
    score           points of every player, summed from facts in the state
    explain         (state, player) → lines (text, points, rule id) that add up to score()
    winners         empty until it is over
    ranked          the ranking of a finished game; empty where the rules have another game played. None:
                    the winners, then everybody by points
    describe        (state before, event, viewer) → one sentence for the history
    view            (state, viewer) → widgets
    how_to          (options) → what a newcomer has to know, with the numbers of these options
    deal_due        (state) → whether what every round needs has to be dealt or laid out now
    propose         (state, reading) → the proposal or remark it leads to, or None; the reading may be of a kind that
                    `eyes` no longer asks for, since the game goes on while cameras look
    glanced         (state, event, reading, at_us) → the same for the look that an event with `glance = True` asked
                    for; the picture was taken at table time `at_us`, and later pictures do not count
    late            (state, reading, at_us) → the proposal of a picture taken at table time `at_us` if `propose` has
                    none, since the game may have gone on in between
    eyes            (state) → the readings that the cameras are to make
    bind            (state, signal) → event, or None when the button means nothing now
    due             (state) → the next event that the clock brings
    look            (state, now_us) → the box's appearance
    thrown          (event, options) → the dice that were rolled in it, for the statistics
    throw           (state, viewer) → the dice that are to be thrown now and that this page may enter, or None
    drafted         (state before, event) → the draft that would post this event; a correction begins with it
    presets         named sets of options, "as printed" first
    advice          calculations that players may ask for
    first_seat      name of the option that says which seat, from 1, begins (None: the first); "" where the rules decide
    begins          (state) → the player with the first turn of the round, None while nobody has it
    family          name of a family of games that the same players switch between; "" for none
    needs_blocks    True: it is played with wooden blocks
    sheet           the sheet that can be printed: for all players, or one for each
    benches         name for `companion bench` → a measurement, which takes seconds to minutes
    colours         (state) → player → the colour class of the player's pieces
    charts          (state, viewer) → charts for the result page
    resting         (state) → the players who left for a while, for whom the game does not wait
    why_no_rest     why nobody can in this game, one sentence; "" where its events include `Rested`
    why_seats_stay  why nobody joins or changes seats while it runs, by its sheet; "" for no reason of its own
    """

    name: str
    title: str
    tagline: str
    seats: tuple[int, int]
    options: type[OptionsT]
    events: tuple[type[EventT], ...]
    start: Callable[[OptionsT, tuple[PlayerId, ...]], StateT]
    awaiting: Callable[[StateT], frozenset[PlayerId]]
    legal: Callable[[StateT, PlayerId], tuple[EventT | Ask, ...]]
    apply: Apply[StateT, EventT]
    score: Callable[[StateT], Mapping[PlayerId, int]]
    explain: Callable[[StateT, PlayerId], tuple[tuple[str, int, str], ...]]
    is_over: Callable[[StateT], bool]
    winners: Callable[[StateT], tuple[PlayerId, ...]]
    describe: Callable[[StateT, EventT, Viewer], str]
    view: Callable[[StateT, Viewer], tuple[Widget[EventT], ...]]
    how_to: Callable[[OptionsT], HowTo]
    look: Callable[[StateT, int], BoxLook]
    propose: Callable[[StateT, Reading], Proposed[EventT] | Remark | None]
    bind: Callable[[StateT, Signal], EventT | None] = no_buttons
    late: Callable[[StateT, Reading, int], Proposed[EventT] | None] = nothing_late
    glanced: Callable[[StateT, EventT, Reading, int], Proposed[EventT] | Remark | None] = nothing_seen
    eyes: Callable[[StateT], Eyes] = only_dice
    due: Callable[[StateT], Due[EventT] | None] = no_due
    thrown: Callable[[EventT, OptionsT], tuple[Thrown, ...]] = no_dice
    throw: Callable[[StateT, Viewer], Throw[EventT] | None] = nothing_to_throw
    drafted: Callable[[StateT, EventT], Mapping[str, str]] = no_draft
    presets: tuple[Preset, ...] = (AS_PRINTED,)
    advice: tuple[Advice[StateT, EventT], ...] = ()
    first_seat: str = ""
    begins: Callable[[StateT], PlayerId | None] = nobody_begins
    family: str = ""
    needs_blocks: bool = False
    sheet: ScoreSheet | BoardSheet | None = None
    benches: Mapping[str, Callable[[], Sequence[Measured]]] = field(default_factory=dict)
    colours: Callable[[StateT], Mapping[PlayerId, str]] = no_colours
    charts: Callable[[StateT, Viewer], tuple[Widget[EventT], ...]] = no_charts
    deal_due: Callable[[StateT], bool] = no_deal
    ranked: Callable[[StateT], Ranking] | None = None
    resting: Callable[[StateT], frozenset[PlayerId]] = nobody_rests
    why_no_rest: str = ""
    why_seats_stay: str = ""

    def __post_init__(self) -> None:
        for event in self.events:
            check_traits(event)

    def ranking(self, state: StateT) -> Ranking:
        """The ranking of a game; empty while it goes on, and for one that counts nothing."""
        if not self.is_over(state):
            return ()
        return self.ranked(state) if self.ranked else by_points(self.score(state), self.winners(state))


# for code that serves every game: it stores these values and passes them on without looking inside
AnyGame = Game[Any, Any, Any]
State = Any
Event = Any
Options = Any
