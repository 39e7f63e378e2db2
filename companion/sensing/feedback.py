"""Learning from the game: which dice of a roll people answered or corrected, by the journal as it counts now.

A roll that the camera read stays in memory for a while with the pictures of its dice. Whenever a correction changes the
game, the entry as it counts now is compared with the reading; so undoing a correction unlearns it, and redoing it
learns it again. A new event costs nothing here: it changes no earlier one.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.clock import wall_us
from companion.errors import JournalUnusable
from companion.game.readings import DiceReading, Settled
from companion.journal.codec import event_to_json
from companion.journal.events import Entry, Posted
from companion.journal.settings import KEEP_CORRECTIONS
from companion.journal.store import Journal
from companion.sensing.answers import answer_in
from companion.sensing.lessons import FILE, Lesson, Lessons, SaidDie
from companion.sensing.strictness import strictness
from companion.table.table import Table

MOST_ROLLS = 40  # They take some 2 MB; nothing is learnt from a correction of an older roll.

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReadDie:
    """One die of a roll as the camera saw it. `view.said` is the value that it read."""

    view: SaidDie
    accepted: bool
    answered: bool = False


@dataclass(frozen=True)
class Roll:
    """A reading that is, or may become, entry `seq` of a game."""

    session: str
    seq: int
    dice: tuple[ReadDie, ...]


class Learner:
    """Learns from people's answers and corrections. Thread-safe. Failures are logged: no game waits for this.

    on_change   called with the new strictness when it changes
    """

    def __init__(self, journal: Journal, folder: Path) -> None:
        self.lessons = Lessons(folder / FILE)
        self.on_change: Callable[[float], None] = lambda _strictness: None
        self._journal = journal
        self._lock = threading.RLock()
        self._waiting: dict[str, Roll] = {}  # question → the roll that it may become
        self._rolls: dict[tuple[str, int], Roll] = {}  # (session, entry) → the newest rolls, oldest first
        self._lessons_kept: dict[tuple[str, int], Lesson | None] = {}  # (session, entry) → the lesson last kept
        self._compared: dict[str, int] = {}  # session → number of entries searched for corrections
        self._strictness: float | None = None

    @property
    def keeps(self) -> bool:
        return KEEP_CORRECTIONS.of(self._journal)

    def set_keeps(self, wanted: bool) -> None:
        """Sets whether corrections are kept; earlier ones stay until they are deleted."""
        KEEP_CORRECTIONS.put(self._journal, wanted)

    @property
    def pictures_kept(self) -> int | None:
        """The number of pictures of dice that are kept, or None when the file is damaged."""
        try:
            return len(self.lessons)
        except JournalUnusable:
            return None

    @property
    def strictness(self) -> float:
        """How much stricter than usual the camera is to be; see `companion.sensing.strictness`."""
        with self._lock:
            if self._strictness is None:
                try:
                    self._strictness = round(strictness(self.lessons.games()), 2)
                except JournalUnusable as trouble:
                    log.warning("the camera is as strict as usual: %s", trouble)
                    self._strictness = 1.0
            return self._strictness

    def ask(self, question: str, table: Table, paths: tuple[str, ...], settled: Settled) -> None:
        """Remembers a reading that waits for an answer."""
        if self.keeps and isinstance(settled.reading, DiceReading):
            with self._lock:
                self._waiting[question] = Roll(table.session.id, 0, read_dice(settled, paths))
                while len(self._waiting) > MOST_ROLLS:
                    del self._waiting[next(iter(self._waiting))]

    def answer(self, question: str, table: Table, seq: int, answered: Collection[str]) -> None:
        """The question became entry `seq`; people tapped the values at `answered` themselves."""
        with self._lock:
            roll = self._waiting.pop(question, None)
        if roll is not None:
            dice = tuple(replace(die, answered=die.view.path in answered) for die in roll.dice)
            self._follow(table, replace(roll, seq=seq, dice=dice))

    def enter(self, table: Table, seq: int, paths: tuple[str, ...], settled: Settled) -> None:
        """A reading became entry `seq` by itself."""
        if self.keeps and isinstance(settled.reading, DiceReading):
            self._follow(table, Roll(table.session.id, seq, read_dice(settled, paths)))

    def _follow(self, table: Table, roll: Roll) -> None:
        with self._lock:
            self._rolls[roll.session, roll.seq] = roll
            while len(self._rolls) > MOST_ROLLS:
                oldest = next(iter(self._rolls))
                del self._rolls[oldest]
                self._lessons_kept.pop(oldest, None)
            self._compare(table)

    def hear(self, table: Table, entry: Entry | None) -> None:
        """Learns from a new entry: the answer to a reading, or a correction.

        entry   None when nothing is new, but the game becomes the active one
        """
        answer = entry and answer_in(entry)
        if entry and answer and answer.tapped is not None:
            self.answer(answer.question, table, entry.seq, answer.tapped)
        self.look_again(table)

    def look_again(self, table: Table) -> None:
        """Compares a game's entries with the readings again if anything was corrected since."""
        session = table.session.id
        with self._lock:
            compared = self._compared.get(session, 0)
            entries = table.entries_since(compared)
            if all(isinstance(entry.body, Posted) for entry in entries) or self._compare(table):
                self._compared[session] = compared + len(entries)

    def _compare(self, table: Table) -> bool:
        """Compares every roll of a game with its entry; returns whether the lessons could be stored."""
        session = table.session.id
        try:
            for key, roll in self._rolls.items():
                if roll.session == session:
                    self._keep(key, roll, event_now(table, roll.seq))
            for seq, values in self.lessons.said_values(session).items():
                event = event_now(table, seq)
                if (session, seq) not in self._rolls and any(part_at(event, path) != values[path] for path in values):
                    self.lessons.forget(session, seq)  # It was corrected, and its other dice are unknown by now.
        except JournalUnusable as trouble:
            log.warning("nothing is learnt: %s", trouble)
            return False
        self._tell()
        return True

    def _keep(self, key: tuple[str, int], roll: Roll, event: Mapping[str, Any] | None) -> None:
        new_lesson = None if event is None else lesson(roll, event)
        if new_lesson == self._lessons_kept.get(key):
            return
        if new_lesson is None or not self.keeps:  # Lessons are taken back even when no new ones are kept.
            self.lessons.forget(*key)
        else:
            self.lessons.keep(*key, new_lesson, wall_us())
        self._lessons_kept[key] = new_lesson

    def delete_all(self) -> None:
        """Deletes all lessons, so that the camera is as strict as usual; raises JournalUnusable as `Lessons` does."""
        with self._lock:
            self._rolls.clear()
            self._waiting.clear()
            self._lessons_kept.clear()
            try:
                self.lessons.delete_all()
            finally:
                self._tell()

    def forget_games(self, sessions: Collection[str]) -> None:
        with self._lock:
            self._rolls = {key: roll for key, roll in self._rolls.items() if roll.session not in sessions}
            self._waiting = {question: roll for question, roll in self._waiting.items() if roll.session not in sessions}
            self._lessons_kept = {key: lesson_ for key, lesson_ in self._lessons_kept.items() if key in self._rolls}
            for session in sessions:
                self.lessons.forget(session)
            self._tell()

    def _tell(self) -> None:
        before, self._strictness = self._strictness, None
        if self.strictness != before:
            self.on_change(self.strictness)


def read_dice(settled: Settled, paths: tuple[str, ...]) -> tuple[ReadDie, ...]:
    """The dice of a reading, then the unread ones, each with its picture and the path of its value in the event."""
    dice, crops = settled.reading.dice, settled.crops_jpeg
    dice_read = []
    for index, path in enumerate(paths[: len(crops)]):
        if not path:
            continue  # The die is no part of the event.
        die = dice[index] if index < len(dice) else None
        value, colour, doubt, needs = (
            (die.value, die.colour, 1 - die.confidence, die.needs) if die else (0, None, 1.0, None)
        )
        said_die = SaidDie(
            path, crops[index], value or None, value, colour, doubt, None if needs is None else 1 - needs
        )
        dice_read.append(ReadDie(said_die, accepted=bool(die and die.accepted)))
    return tuple(dice_read)


def lesson(roll: Roll, event: Mapping[str, Any]) -> Lesson | None:
    """The lesson of a roll, by its entry as it counts now.

    None when the entry is no longer about these dice: it is of another kind, or of another roll.
    """
    values = {die.view.path: part_at(event, die.view.path) for die in roll.dice}
    if not all(isinstance(value, int) and 1 <= value <= 6 for value in values.values()):
        return None
    unanswered = [die for die in roll.dice if not die.answered]
    changed = [die for die in unanswered if values[die.view.path] != die.view.read]
    if Counter(die.view.read for die in unanswered) == Counter(values[die.view.path] for die in unanswered):
        changed = []  # They are the same dice in another order.
    elif len(changed) == len(unanswered) > 1:
        return None  # Nothing of what was read is left: it was another roll.
    said_dice = tuple(
        replace(die.view, said=values[die.view.path]) for die in roll.dice if die.answered or die in changed
    )
    confirmed = [die for die in unanswered if die.accepted and die not in changed]
    return Lesson(said_dice, len(confirmed), round(sum(die.view.doubt for die in confirmed), 6))


def event_now(table: Table, seq: int) -> Mapping[str, Any] | None:
    """The event of an entry as it counts now, as JSON; None when it does not count."""
    event = table.event(seq)
    return None if event is None else event_to_json(event)


def part_at(value: Any, path: str) -> Any:
    """The part of an event at a dotted path, or None."""
    for key in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list | tuple) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
