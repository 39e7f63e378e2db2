"""From the game to what is learnt: which dice of a roll people answered or corrected, as the journal says now.

A roll that the camera read stays in memory for a while with the pictures of its dice. Whenever a correction changes the
game, what the entry says now is compared with what was read; so undoing a correction unlearns it, and redoing it learns
it again. An event that is only added costs nothing here: it changes nothing that was said.
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

ROLLS = 40  # in memory, some 2 MB; a correction of an older one is not learnt from

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReadDie:
    """One die of a roll as the camera saw it, with where its value stands in the event; `said` is what it read."""

    seen: SaidDie
    accepted: bool
    answered: bool = False


@dataclass(frozen=True)
class Roll:
    """A reading that is, or may become, entry `seq` of a game."""

    session: str
    seq: int
    dice: tuple[ReadDie, ...]


class Learner:
    """Safe from several threads. What cannot be kept is logged: no game waits for it.

    on_change   hears the new strictness when it changes
    """

    def __init__(self, journal: Journal, folder: Path) -> None:
        self.lessons = Lessons(folder / FILE)
        self.on_change: Callable[[float], None] = lambda _strictness: None
        self._journal = journal
        self._lock = threading.RLock()
        self._asked: dict[str, Roll] = {}  # question → the roll that it may become
        self._rolls: dict[tuple[str, int], Roll] = {}  # (session, entry) → the newest rolls, oldest first
        self._learnt: dict[tuple[str, int], Lesson | None] = {}  # what was last made of each of them
        self._compared: dict[str, int] = {}  # session → how many of its entries were looked through for corrections
        self._strictness: float | None = None

    @property
    def keeps(self) -> bool:
        """Whether the house wants that corrections are kept."""
        return KEEP_CORRECTIONS.of(self._journal)

    def set_keeps(self, wanted: bool) -> None:
        """How it is from now on; what was kept stays until it is deleted."""
        KEEP_CORRECTIONS.put(self._journal, wanted)

    @property
    def kept(self) -> int | None:
        """How many pictures of dice are kept, None when that cannot be told: the file is damaged."""
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

    # what the camera brings

    def ask(self, question: str, table: Table, paths: tuple[str, ...], settled: Settled) -> None:
        """A reading waits for an answer."""
        if self.keeps and isinstance(settled.reading, DiceReading):
            with self._lock:
                self._asked[question] = Roll(table.session.id, 0, read_dice(settled, paths))
                while len(self._asked) > ROLLS:
                    del self._asked[next(iter(self._asked))]

    def answer(self, question: str, table: Table, seq: int, answered: Collection[str]) -> None:
        """The question became entry `seq`; people tapped the values at `answered` themselves."""
        with self._lock:
            roll = self._asked.pop(question, None)
        if roll is not None:
            dice = tuple(replace(die, answered=die.seen.path in answered) for die in roll.dice)
            self._follow(table, replace(roll, seq=seq, dice=dice))

    def enter(self, table: Table, seq: int, paths: tuple[str, ...], settled: Settled) -> None:
        """A reading became entry `seq` by itself."""
        if self.keeps and isinstance(settled.reading, DiceReading):
            self._follow(table, Roll(table.session.id, seq, read_dice(settled, paths)))

    def _follow(self, table: Table, roll: Roll) -> None:
        with self._lock:
            self._rolls[roll.session, roll.seq] = roll
            while len(self._rolls) > ROLLS:
                oldest = next(iter(self._rolls))
                del self._rolls[oldest]
                self._learnt.pop(oldest, None)
            self._compare(table)

    # what the game says of it

    def hear(self, table: Table, entry: Entry | None) -> None:
        """Something was entered: the answer to a reading, or a correction of what was learnt from.

        entry   None where nothing is new, and the game takes the table
        """
        answer = entry and answer_in(entry)
        if entry and answer and answer.tapped is not None:
            self.answer(answer.question, table, entry.seq, answer.tapped)
        self.look_again(table)

    def look_again(self, table: Table) -> None:
        """Learns what the entries of a game say now, where something was corrected since."""
        session = table.session.id
        with self._lock:
            known = self._compared.get(session, 0)
            fresh = table.entries_since(known)
            if all(isinstance(entry.body, Posted) for entry in fresh) or self._compare(table):
                self._compared[session] = known + len(fresh)

    def _compare(self, table: Table) -> bool:
        """Compares every roll of a game with its entry; whether what was learnt could be written down."""
        session = table.session.id
        try:
            for key, roll in self._rolls.items():
                if roll.session == session:
                    self._keep(key, roll, event_now(table, roll.seq))
            for seq, said in self.lessons.said(session).items():
                event = event_now(table, seq)
                if (session, seq) not in self._rolls and any(part_at(event, path) != said[path] for path in said):
                    self.lessons.forget(session, seq)  # corrected since: its other dice are not known any more
        except JournalUnusable as trouble:
            log.warning("nothing is learnt: %s", trouble)
            return False
        self._tell()
        return True

    def _keep(self, key: tuple[str, int], roll: Roll, event: Mapping[str, Any] | None) -> None:
        learnt = None if event is None else lesson(roll, event)
        if learnt == self._learnt.get(key):
            return
        if learnt is None or not self.keeps:  # what was said is taken back even where nothing more is to be kept
            self.lessons.forget(*key)
        else:
            self.lessons.keep(*key, learnt, wall_us())
        self._learnt[key] = learnt

    # deleting it

    def delete_all(self) -> None:
        """Nothing is kept any more, and the camera is as strict as usual; raises JournalUnusable as `Lessons` does."""
        with self._lock:
            self._rolls.clear()
            self._asked.clear()
            self._learnt.clear()
            try:
                self.lessons.delete_all()
            finally:
                self._tell()

    def forget_games(self, sessions: Collection[str]) -> None:
        """Nothing of these games is kept any more."""
        with self._lock:
            self._rolls = {key: roll for key, roll in self._rolls.items() if roll.session not in sessions}
            self._asked = {asked: roll for asked, roll in self._asked.items() if roll.session not in sessions}
            self._learnt = {key: learnt for key, learnt in self._learnt.items() if key in self._rolls}
            for session in sessions:
                self.lessons.forget(session)
            self._tell()

    def _tell(self) -> None:
        before, self._strictness = self._strictness, None
        if self.strictness != before:
            self.on_change(self.strictness)


def read_dice(settled: Settled, paths: tuple[str, ...]) -> tuple[ReadDie, ...]:
    """The dice of a reading, then what could not be read, each with its picture and where its value stands."""
    dice, crops = settled.reading.dice, settled.crops_jpeg
    found = []
    for index, path in enumerate(paths[: len(crops)]):
        if not path:
            continue  # no part of the event
        die = dice[index] if index < len(dice) else None
        value, colour, doubt, needs = (
            (die.value, die.colour, 1 - die.confidence, die.needs) if die else (0, None, 1.0, None)
        )
        seen = SaidDie(path, crops[index], value or None, value, colour, doubt, None if needs is None else 1 - needs)
        found.append(ReadDie(seen, accepted=bool(die and die.accepted)))
    return tuple(found)


def lesson(roll: Roll, event: Mapping[str, Any]) -> Lesson | None:
    """What people said of a roll, as its entry says now.

    None when the entry says nothing of these dice any more: it is of another kind, or another roll altogether.
    """
    now = {die.seen.path: part_at(event, die.seen.path) for die in roll.dice}
    if not all(isinstance(value, int) and 1 <= value <= 6 for value in now.values()):
        return None
    unasked = [die for die in roll.dice if not die.answered]
    changed = [die for die in unasked if now[die.seen.path] != die.seen.read]
    if Counter(die.seen.read for die in unasked) == Counter(now[die.seen.path] for die in unasked):
        changed = []  # the same dice in another order
    elif len(changed) == len(unasked) > 1:
        return None  # nothing of what was read is left: it was another roll
    said = tuple(replace(die.seen, said=now[die.seen.path]) for die in roll.dice if die.answered or die in changed)
    stand = [die for die in unasked if die.accepted and die not in changed]
    return Lesson(said, len(stand), round(sum(die.seen.doubt for die in stand), 6))


def event_now(table: Table, seq: int) -> Mapping[str, Any] | None:
    """The event of an entry as it counts now, as JSON; None when it does not count."""
    event = table.event(seq)
    return None if event is None else event_to_json(event)


def part_at(value: Any, path: str) -> Any:
    """The part of an event at a dotted path, None where it has none."""
    for key in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list | tuple) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
