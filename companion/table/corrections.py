"""The effect of correcting an earlier entry, and the ways to deal with later entries that then no longer fit.

Pure functions on the game's states.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.errors import IllegalEvent
from companion.game.game import AnyGame, Event, State
from companion.game.players import PlayerId, Viewer
from companion.journal.events import Step


@dataclass(frozen=True)
class Misfit:
    """A later entry that no longer fits after a correction: its sentence, and the reason."""

    seq: int
    sentence: str
    why: str


@dataclass(frozen=True)
class Preview:
    """The effect of a correction. `event` is the correction as it would be recorded, or None for a strike."""

    seq: int
    event: Event | None
    before: Mapping[PlayerId, int]
    after: Mapping[PlayerId, int]
    misfits: tuple[Misfit, ...]


@dataclass(frozen=True)
class Way:
    """A way to deal with the later entries that no longer fit after a correction, and the score it leads to.

    also, ruled     entries to strike too, and entries to keep because the table says so
    """

    also: tuple[int, ...]
    ruled: tuple[int, ...]
    after: Mapping[PlayerId, int]


@dataclass(frozen=True)
class Corrected:
    """A corrected entry and the events after it.

    before  everybody's points without the correction
    state   after the corrected entry
    later   the steps after it that count now
    """

    seq: int
    event: Event | None
    before: Mapping[PlayerId, int]
    state: State
    later: tuple[Step, ...]


def preview_of(
    game: AnyGame,
    corrected: Corrected,
    also: frozenset[int],
    ruled: frozenset[int],
    names: Mapping[PlayerId, str],
) -> Preview:
    """The points after a correction, and the later entries that then no longer fit.

    also, ruled     as in `Way`
    names           the players' names, for the sentences of the misfits
    """
    viewer, state, misfits = Viewer(None, names), corrected.state, []
    for step in corrected.later:
        if step.seq in also:
            continue
        try:
            state = game.rules.apply(state, step.event, ruled=step.ruled or step.seq in ruled)
        except IllegalEvent as why:
            misfits.append(Misfit(step.seq, game.pages.describe(state, step.event, viewer), str(why)))
    return Preview(corrected.seq, corrected.event, corrected.before, game.rules.score(state), tuple(misfits))


def ways_of(game: AnyGame, corrected: Corrected) -> tuple[Way, ...]:
    """The ways to accept a correction: strike every entry that no longer fits, or keep all that can be kept.

    Only the first way when every entry fits, or when no misfit can be kept.
    """
    strike, keep = (way_of(game, corrected, keep=keep) for keep in (False, True))
    return (strike, keep) if keep.ruled else (strike,)


def way_of(game: AnyGame, corrected: Corrected, *, keep: bool) -> Way:
    """One of the `ways_of`, found in one pass: a decision about a misfit changes no state before it."""
    also: list[int] = []
    ruled: list[int] = []
    state = corrected.state
    for step in corrected.later:
        if (fitting := applied(game, state, step, ruled=step.ruled)) is not None:
            state = fitting
        elif keep and (ruled_state := applied(game, state, step, ruled=True)) is not None:
            state = ruled_state
            ruled.append(step.seq)
        else:
            also.append(step.seq)
    return Way(tuple(also), tuple(ruled), game.rules.score(state))


def applied(game: AnyGame, state: State, step: Step, *, ruled: bool) -> State | None:
    """The state after a step, or None if the step does not fit."""
    try:
        return game.rules.apply(state, step.event, ruled=ruled)
    except IllegalEvent:
        return None
