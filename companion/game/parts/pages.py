"""The pages of a game: what its players read and tap. Whatever it leaves out is made from its rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from companion.game.events import EventT_co
from companion.game.figures import Measured
from companion.game.how_to import Hint, HowTo
from companion.game.options import AS_PRINTED, Preset
from companion.game.parts import made, taught
from companion.game.parts.derived import EventT, OptionsT, StateT, derived
from companion.game.players import Viewer
from companion.game.sheets import BoardSheet, ScoreSheet
from companion.game.widgets import Widget
from companion.words import N_


@dataclass(frozen=True)
class Advice(Generic[StateT, EventT_co]):
    """A calculation that players may ask for, too slow for every page: `answer` takes up to seconds.

    name        short, part of an address
    """

    name: str
    label: str
    answer: Callable[[StateT, Viewer], tuple[Widget[EventT_co], ...]]


@dataclass(frozen=True)
class Pages(Generic[StateT, EventT, OptionsT]):
    """The pages of a game, each function pure. The big screen shows `view` without its taps.

    title       the game's name for people, else `name` in words
    tagline     what it is about, else the rules' first sentence; a message id, as are texts of presets and advice
    view        (state, viewer) → widgets, else whose turn it is, a tap for each legal event, and the points
    describe    (state before, event, viewer) → one sentence for the history, else from the event's class and fields
    drafted     (state before, event) → the draft that would post this event; a correction begins with it
    how_to      (options) → what a newcomer has to know, with the numbers of these options, else the rules' docstrings
    deal_due    (state) → whether what every round needs has to be dealt or laid out now
    hint        (state) → what the buttons of this phase do, None for a phase that needs no hint
    presets     named sets of options, "as printed" first
    advice      calculations that players may ask for
    round_word  what the game calls a round, a message id; round_name: (number) → the name of one
    charts      (state, viewer) → charts for the result page, for a result that is more than points
    sheet       the sheet that can be printed: for all players, or one for each
    benches     name for `companion bench` → a measurement of its advice, which takes seconds to minutes
    """

    title: str = derived(lambda rules: rules.name.replace("_", " ").title())
    tagline: str = derived(taught.tagline)
    view: Callable[[StateT, Viewer], tuple[Widget[EventT], ...]] = derived(made.view)
    describe: Callable[[StateT, EventT, Viewer], str] = derived(lambda _rules: made.describe)
    drafted: Callable[[StateT, EventT], Mapping[str, str]] = lambda _state, _event: {}
    how_to: Callable[[OptionsT], HowTo] = derived(lambda rules: lambda _options: taught.how_to(rules))
    deal_due: Callable[[StateT], bool] = lambda _state: False
    hint: Callable[[StateT], Hint | None] = lambda _state: None
    presets: tuple[Preset, ...] = (AS_PRINTED,)
    advice: tuple[Advice[StateT, EventT], ...] = ()
    round_word: str = N_("Round")
    round_name: Callable[[int], str] = str
    charts: Callable[[StateT, Viewer], tuple[Widget[EventT], ...]] = lambda _state, _viewer: ()
    sheet: ScoreSheet | BoardSheet | None = None
    benches: Mapping[str, Callable[[], Sequence[Measured]]] = field(default_factory=dict)
