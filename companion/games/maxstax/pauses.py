"""The pauses of a timed round (MX-17). A game may have thousands, and each event asks about them."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

Pause = tuple[int, int | None]  # It lasts from the first instant to the second, which is None while it goes on.


class Pauses(Sequence[Pause]):
    """The pauses in the order of their entries. A value: `begun` and `ended` return others, and only the last may last.

    Each one hangs on those before it, with sums up to here, so that neither another pause nor a question about them
    takes longer where there are many. A leap leads back over many at once, such that any is reached in few steps (a
    skew-binary list, Myers 1983). A pause may be dated before an earlier one's end, as a Creator's second start may be;
    then all since the instant in question are looked at.

    total_us    the time of all pauses that are over
    newest_us   the newest instant at which one began or ended, 0 without any
    """

    def __init__(self) -> None:
        """No pauses."""
        self._before = self._leap = self
        self._last: Pause = (0, 0)
        self._count = self.total_us = self.newest_us = 0
        self._end_us: float = -math.inf  # the latest end of all
        self._in_order = True

    @property
    def is_over(self) -> bool:
        """Whether no pause lasts."""
        return self._last[1] is not None

    def begun(self, at_us: int) -> "Pauses":
        """With one more, which lasts."""
        return self._with((at_us, None))

    def ended(self, at_us: int) -> "Pauses":
        """With an end of the one that lasts."""
        return self._before._with((self._last[0], at_us))

    def has(self, at_us: int) -> bool:
        """Whether an instant lies in a pause, not at its beginning or end."""
        _over_us, later = self._until(at_us)
        return any(until_us is None or at_us < until_us for _, until_us in later)

    def before_us(self, at_us: int) -> int:
        """The time of pauses before an instant."""
        over_us, later = self._until(at_us)
        return over_us + sum((at_us if end is None else min(end, at_us)) - since for since, end in later)

    def _until(self, at_us: int) -> tuple[int, list[Pause]]:
        """The time of the first pauses, all over by an instant, and those of the others that had begun before it."""
        if self._end_us <= at_us:
            return self.total_us, []
        first = self
        while first._before._end_us > at_us:
            first = first._leap if first._leap._end_us > at_us else first._before
        # Where all are in order, the next one begins after the end of `first`.
        others = (first,) if self._in_order else self._back_to(first)
        return first._before.total_us, [pauses._last for pauses in others if pauses._last[0] < at_us]

    def _back_to(self, first: "Pauses") -> Iterator["Pauses"]:
        pauses = self
        while pauses is not first:
            yield pauses
            pauses = pauses._before
        yield first

    def _with(self, last: Pause) -> "Pauses":
        made = Pauses()
        made._before, made._last, made._count = self, last, self._count + 1
        since_us, until_us = last
        made.total_us = self.total_us + (0 if until_us is None else until_us - since_us)
        made.newest_us = max(self.newest_us, since_us, until_us or 0)
        made._end_us = math.inf if until_us is None else max(self._end_us, until_us)
        made._in_order = self._in_order and since_us >= self._end_us
        is_even = self._count - self._leap._count == self._leap._count - self._leap._leap._count
        made._leap = self._leap._leap if is_even else self
        return made

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Pause]:
        return reversed([pauses._last for pauses in self._back_to(NO_PAUSES)][:-1])

    def __getitem__(self, index: Any) -> Any:
        return self._last if index == -1 and self._count else tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pauses) and (self is other or tuple(self) == tuple(other))

    def __hash__(self) -> int:
        return hash((self._count, self.total_us, self.newest_us))

    def __repr__(self) -> str:
        return f"Pauses{tuple(self)}"


NO_PAUSES = Pauses()
