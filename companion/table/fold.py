"""The fold of the events that count: the state after all of them, and every state before that."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from companion.errors import NotFound
from companion.game.game import AnyGame, Event, State
from companion.game.rounds import Round, by_turns, rounds_played
from companion.journal.events import Step
from companion.journal.session import Session
from companion.words import _

Course = tuple[tuple[int, ...], ...]  # Each state has everybody's points in the order of the seats.

AFTER_ALL = 2**53  # No entry has a higher number.
CHECKPOINT_EVERY = 64  # Fewer steps between two stored states make a correction quicker and take more memory.


class Fold:
    """A game's steps and its state after the last one. `add` appends a step; a correction makes a new fold."""

    def __init__(self, game: AnyGame, session: Session) -> None:
        self._game = game
        self._session = session
        self._steps: list[Step] = []
        self.state: State = game.rules.start(session.options, session.players)
        self._checkpoints = [self.state]  # Those before step 0, CHECKPOINT_EVERY, 2 * CHECKPOINT_EVERY and so on stay.
        self._scored: Course = ()  # The course goes on only when somebody asks for it.
        self._rounds: tuple[int | None, ...] = ()  # the round that each scored state is in, as the rules say it

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

        No state is scored twice: a score goes through the whole state, and a long game would take seconds each time.
        """
        return self._scored_states()[0]

    def rounds(self) -> tuple[Round, ...]:
        """The rounds played so far. What happens after the end belongs to the last one."""
        course, rounds = self._scored_states()
        steps = len(course) - 1
        named = [number for number in rounds[:steps] if number is not None]
        return rounds_played(named if len(named) == steps else by_turns(self.events[:steps]), course)

    def _scored_states(self) -> tuple[Course, tuple[int | None, ...]]:
        """Everybody's points in each state, and the round that it is in."""
        rules, players = self._game.rules, self._session.players
        scored, rounds = self._scored, self._rounds  # Two threads may both score the new states; either may stay.
        count = min(len(scored), len(rounds))
        course, numbers = list(scored[:count]), list(rounds[:count])
        for state in self._states(count):
            score = rules.score(state)
            course.append(tuple(map(score.__getitem__, players)))
            numbers.append(numbers[-1] if numbers and rules.is_over(state) else rules.round_of(state))
        self._scored, self._rounds = tuple(course), tuple(numbers)
        return self._scored, self._rounds

    def _states(self, first: int) -> Iterator[State]:
        """The state after the first `first` steps, then the state after each later step; empty if there are fewer
        steps.
        """
        steps = self.steps
        if first <= len(steps):
            state = self._state_after(first)
            yield state
            for step in steps[first:]:
                state = self._game.rules.apply(state, step.event, ruled=step.ruled)
                yield state

    def after(self, event: Event) -> State:
        """The state after one more event; raises IllegalEvent when the rules forbid it. The fold stays as it is."""
        return self._game.rules.apply(self.state, event)

    def add(self, step: Step, state: State) -> None:
        """Appends a step and the state after it."""
        if (len(self._steps) + 1) % CHECKPOINT_EVERY == 0:
            self._checkpoints.append(state)  # It comes before the step, as `course` may run meanwhile.
        self._steps.append(step)
        self.state = state

    def with_steps(self, steps: Iterable[Step]) -> "Fold":
        """A fold of other steps, worked out from near the first that differs; raises IllegalEvent if one fails."""
        fresh = Fold.__new__(Fold)
        fresh._game, fresh._session = self._game, self._session
        wanted = list(steps)
        checkpoint = common_length(self._steps, wanted) // CHECKPOINT_EVERY
        fresh._steps = wanted[: checkpoint * CHECKPOINT_EVERY]
        fresh._checkpoints = self._checkpoints[: checkpoint + 1]
        fresh._scored = self._scored[: checkpoint * CHECKPOINT_EVERY + 1]
        fresh._rounds = self._rounds[: checkpoint * CHECKPOINT_EVERY + 1]
        fresh.state = fresh._checkpoints[-1]
        for step in wanted[checkpoint * CHECKPOINT_EVERY :]:
            fresh.add(step, self._game.rules.apply(fresh.state, step.event, ruled=step.ruled))
        return fresh

    def first_difference(self, other: "Fold") -> int:
        """The number of the first entry that counts differently in the two folds, or AFTER_ALL."""
        same = common_length(self._steps, other._steps)
        return min((steps[same].seq for steps in (self._steps, other._steps) if same < len(steps)), default=AFTER_ALL)

    def position(self, seq: int) -> int:
        """The number of steps before entry `seq`."""
        return bisect_left(self._steps, seq, key=lambda step: step.seq)

    def step(self, seq: int) -> Step:
        """The step of entry `seq`; raises NotFound when it does not count."""
        step = self.counting(seq)
        if step is None:
            raise NotFound(_("Entry {seq} doesn't count any more. Look at the history.", seq=seq))
        return step

    def counting(self, seq: int) -> Step | None:
        """The step of entry `seq`, or None when it does not count."""
        index = self.position(seq)
        step = self._steps[index] if index < len(self._steps) else None
        return step if step and step.seq == seq else None

    def since(self, seq: int) -> tuple[Step, ...]:
        """The steps from entry `seq` on."""
        return tuple(self._steps[self.position(seq) :])

    def state_before(self, seq: int) -> State:
        """The state just before entry `seq`, whether or not that entry counts."""
        index = self.position(seq)
        return self.state if index == len(self._steps) else self._state_after(index)

    def _state_after(self, count: int) -> State:
        """The state after the first `count` steps."""
        checkpoint = count // CHECKPOINT_EVERY
        state = self._checkpoints[checkpoint]
        for step in self._steps[checkpoint * CHECKPOINT_EVERY : count]:
            state = self._game.rules.apply(state, step.event, ruled=step.ruled)
        return state


def common_length(steps: Sequence[Step], other: Sequence[Step]) -> int:
    """The number of steps at the start that are the same in both."""
    for index, (mine, theirs) in enumerate(zip(steps, other, strict=False)):
        if mine != theirs:
            return index
    return min(len(steps), len(other))
