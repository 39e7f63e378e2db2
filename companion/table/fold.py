"""The events that count, folded: the state after them, and any state on the way there."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from companion.errors import NotFound
from companion.game.game import AnyGame, Event, State
from companion.journal.events import Step
from companion.journal.session import Session
from companion.words import _

Course = tuple[tuple[int, ...], ...]  # everybody's points in the order of the seats, state after state

LAST = 2**53  # after every entry
KEPT_EVERY = 64  # steps between two states that are kept: fewer make a correction quicker and take more memory


class Fold:
    """A game's steps and its state after the last one. Grows by `add`; a correction makes a new one by `with_steps`."""

    def __init__(self, game: AnyGame, session: Session) -> None:
        self._game = game
        self._session = session
        self._steps: list[Step] = []
        self.state: State = game.start(session.options, session.players)
        self._kept = [self.state]  # the state before step 0, KEPT_EVERY, 2 * KEPT_EVERY, …
        self._scored: Course = ()  # the course as far as somebody has asked for it

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step, in order."""
        return tuple(self._steps)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of all steps."""
        return tuple(step.event for step in self._steps)

    def course(self) -> Course:
        """Everybody's points before the first step, and after each of them.

        A score goes through the whole state, so no state is scored twice: each look at a long game took seconds.
        """
        known = self._scored  # of two that ask at once both work out what is new, and either's is kept
        fresh = (self._game.score(state) for state in self._states(len(known)))
        found = self._scored = (*known, *(tuple(score[player] for player in self._session.players) for score in fresh))
        return found

    def _states(self, first: int) -> Iterator[State]:
        """The state after so many steps, and after each that follows; none where there are fewer."""
        steps = self.steps
        if first <= len(steps):
            state = self._state_after(first)
            yield state
            for step in steps[first:]:
                state = self._game.apply(state, step.event, ruled=step.ruled)
                yield state

    def after(self, event: Event) -> State:
        """The state after one more event; raises IllegalEvent when the rules forbid it. Nothing changes yet."""
        return self._game.apply(self.state, event)

    def add(self, step: Step, state: State) -> None:
        """One more step, and the state after it."""
        if (len(self._steps) + 1) % KEPT_EVERY == 0:
            self._kept.append(state)  # first: who asks for the course meanwhile finds the state of every step
        self._steps.append(step)
        self.state = state

    def with_steps(self, steps: Iterable[Step]) -> "Fold":
        """Another sequence of steps, folded afresh from the first that differs; raises IllegalEvent where one fails."""
        fresh = Fold.__new__(Fold)
        fresh._game, fresh._session = self._game, self._session
        wanted = list(steps)
        kept = common(self._steps, wanted) // KEPT_EVERY
        fresh._steps = wanted[: kept * KEPT_EVERY]
        fresh._kept = self._kept[: kept + 1]
        fresh._scored = self._scored[: kept * KEPT_EVERY + 1]
        fresh.state = fresh._kept[-1]
        for step in wanted[kept * KEPT_EVERY :]:
            fresh.add(step, self._game.apply(fresh.state, step.event, ruled=step.ruled))
        return fresh

    def first_difference(self, other: "Fold") -> int:
        """Number of the first entry that does not count alike in both."""
        same = common(self._steps, other._steps)
        return min((steps[same].seq for steps in (self._steps, other._steps) if same < len(steps)), default=LAST)

    def position(self, seq: int) -> int:
        """How many steps come before entry `seq`."""
        return bisect_left(self._steps, seq, key=lambda step: step.seq)

    def step(self, seq: int) -> Step:
        """The step of entry `seq`; raises NotFound when it does not count."""
        found = self.counting(seq)
        if found is None:
            raise NotFound(_("Entry {seq} is no event that counts now: look at the history.", seq=seq))
        return found

    def counting(self, seq: int) -> Step | None:
        """The step of entry `seq`, None when it does not count."""
        index = self.position(seq)
        found = self._steps[index] if index < len(self._steps) else None
        return found if found and found.seq == seq else None

    def since(self, seq: int) -> tuple[Step, ...]:
        """The steps from entry `seq` on."""
        return tuple(self._steps[self.position(seq) :])

    def state_before(self, seq: int) -> State:
        """The state just before entry `seq`, whether that counts or not."""
        index = self.position(seq)
        return self.state if index == len(self._steps) else self._state_after(index)

    def _state_after(self, count: int) -> State:
        """The state after the first so many steps."""
        kept = count // KEPT_EVERY
        state = self._kept[kept]
        for step in self._steps[kept * KEPT_EVERY : count]:
            state = self._game.apply(state, step.event, ruled=step.ruled)
        return state


def common(one: Sequence[Step], other: Sequence[Step]) -> int:
    """How many steps both begin with."""
    for index, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return index
    return min(len(one), len(other))
