"""What correcting an earlier entry would change, and how the entries after it can go on: pure, on the game's states."""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.errors import IllegalEvent
from companion.game.game import AnyGame, Event, State
from companion.game.players import PlayerId, Viewer
from companion.journal.events import Step


@dataclass(frozen=True)
class Misfit:
    """A later entry that a correction would leave without a place: what it says, and why it no longer fits."""

    seq: int
    sentence: str
    why: str


@dataclass(frozen=True)
class Preview:
    """What a correction would change. `event` is the correction as it would be recorded, None for a strike."""

    seq: int
    event: Event | None
    before: Mapping[PlayerId, int]
    after: Mapping[PlayerId, int]
    misfits: tuple[Misfit, ...]


@dataclass(frozen=True)
class Way:
    """A way on with a correction that leaves later entries without a place, and the score it leads to.

    also, ruled     entries to be struck too, and entries to keep because the table says so
    """

    also: tuple[int, ...]
    ruled: tuple[int, ...]
    after: Mapping[PlayerId, int]


@dataclass(frozen=True)
class Corrected:
    """A corrected entry and how the game goes on from it.

    before  everybody's points as it is now
    state   after the corrected entry
    later   the events that count after it
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
    """What the points become, and which later entries then fit no longer.

    also, ruled     as in `Way`
    names           the players', for what the misfits say
    """
    viewer, state, misfits = Viewer(None, names), corrected.state, []
    for step in corrected.later:
        if step.seq in also:
            continue
        try:
            state = game.apply(state, step.event, ruled=step.ruled or step.seq in ruled)
        except IllegalEvent as why:
            misfits.append(Misfit(step.seq, game.describe(state, step.event, viewer), str(why)))
    return Preview(corrected.seq, corrected.event, corrected.before, game.score(state), tuple(misfits))


def ways_of(game: AnyGame, corrected: Corrected) -> tuple[Way, ...]:
    """How a correction can be agreed to: strike all that no longer fits, or keep all that is physically possible.

    One way when everything fits, or when nothing that does not fit could be kept.
    """
    strike, keep = (way_of(game, corrected, keep=keep) for keep in (False, True))
    return (strike, keep) if keep.ruled else (strike,)


def way_of(game: AnyGame, corrected: Corrected, *, keep: bool) -> Way:
    """In one pass: what is decided of one that does not fit changes nothing before it."""
    also: list[int] = []
    ruled: list[int] = []
    state = corrected.state
    for step in corrected.later:
        if (fitting := applied(game, state, step, ruled=step.ruled)) is not None:
            state = fitting
        elif keep and (kept := applied(game, state, step, ruled=True)) is not None:
            state = kept
            ruled.append(step.seq)
        else:
            also.append(step.seq)
    return Way(tuple(also), tuple(ruled), game.score(state))


def applied(game: AnyGame, state: State, step: Step, *, ruled: bool) -> State | None:
    """The state after a step, None where it does not fit."""
    try:
        return game.apply(state, step.event, ruled=ruled)
    except IllegalEvent:
        return None
