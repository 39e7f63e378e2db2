"""The history of a session as people read it, in each language: one line for each event ever posted, and for each entry
about who stands in or an early end.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from companion.game.game import AnyGame, Event
from companion.game.players import PlayerId, Viewer
from companion.journal.calendar import date_us
from companion.journal.devices import device_name
from companion.journal.events import (
    Amended,
    EndedEarly,
    Entry,
    Posted,
    Sender,
    StoodIn,
    Struck,
    Undone,
    cancelled,
    meant,
)
from companion.journal.store import Journal
from companion.table.fold import Course, Fold
from companion.table.standing import Standing
from companion.table.wording import Beside, sentence_of
from companion.words import N_, language


@dataclass(frozen=True)
class Change:
    """The entry that took an event back or corrected it.

    wall_us     its wall time in microseconds
    device      name of the device it was tapped on, "" if unknown
    """

    seq: int
    wall_us: int
    source: str
    device: str


STATUS_WORDS = {"undone": N_("undone"), "struck": N_("deleted"), "corrected": N_("corrected")}


@dataclass(frozen=True)
class HistoryLine:
    """One event of the history, as people read it; or an entry beside the play, which no correction replaces.

    status      "" when it counts as posted, else "undone", "struck" or "corrected"
    event       the event as it counts now, None when it no longer counts
    picture     hash of the picture that it was read from or that was taken at its request
    wall_sure   whether the wall clock could be believed then
    was         its sentence as posted, "" unless it was corrected
    changed     the newest change to it, None while it counts as posted
    device      as in `Change`
    beside      the entry beside the play that this line is of, None for an event
    """

    seq: int
    sentence: str
    source: str
    wall_us: int
    status: str
    event: Event | None
    player: PlayerId | None
    picture: str | None
    wall_sure: bool = True
    was: str = ""
    changed: Change | None = None
    device: str = ""
    beside: Beside | None = None

    @property
    def status_words(self) -> str:
        """The status as people read it, shown as `_(status_words)`."""
        return STATUS_WORDS.get(self.status, "")


class Lines:
    """The lines in one language, oldest first. A new event adds one; a correction rewrites the later ones."""

    def __init__(
        self,
        game: AnyGame,
        names: Mapping[PlayerId, str],
        senders: Mapping[int, Sender],
        evidence: Mapping[int, str],
    ) -> None:
        self._game = game
        self._senders = senders
        self._evidence = evidence
        self._viewer = Viewer(None, names)
        self._lines: list[HistoryLine] = []
        self._by_seq: dict[int, int] = {}
        self._entries_covered = 0

    def lines(self, entries: Sequence[Entry], fold: Fold) -> Sequence[HistoryLine]:
        """Every line, oldest first."""
        self._catch_up(entries, fold)
        return self._lines

    def line(self, seq: int, entries: Sequence[Entry], fold: Fold) -> HistoryLine | None:
        """The line of entry `seq`, or None when that entry has none."""
        self._catch_up(entries, fold)
        return self._lines[self._by_seq[seq]] if seq in self._by_seq else None

    def forget_from(self, seq: int) -> None:
        """Drops the lines from entry `seq` on, so that they are written again."""
        while self._lines and self._lines[-1].seq >= seq:
            del self._by_seq[self._lines.pop().seq]
        self._entries_covered = min(self._entries_covered, seq - 1)

    def _catch_up(self, entries: Sequence[Entry], fold: Fold) -> None:
        if self._entries_covered == len(entries):
            return
        fresh = entries[self._entries_covered :]
        gone = cancelled(fresh)  # An undo of a fresh entry is fresh itself.
        changed = {seq: self._change(entry) for seq, entry in last_changes(fresh, gone).items()}
        corrections = (entry.body for entry in fresh if entry.seq not in gone)
        corrected = {body.seq: body.event for body in corrections if isinstance(body, Amended)}
        state = fold.state_before(fresh[0].seq)
        for entry in fresh:
            if isinstance(entry.body, EndedEarly | StoodIn):
                self._add(self._beside(entry, entry.body, changed.get(entry.seq) if entry.seq in gone else None))
            if not isinstance(entry.body, Posted):
                continue
            step = fold.counting(entry.seq)
            event = step.event if step else corrected.get(entry.seq, entry.body.event)  # It is as it stood last.
            sentence = self._game.pages.describe(state, event, self._viewer)
            is_other = step is not None and event != entry.body.event
            was = self._game.pages.describe(state, entry.body.event, self._viewer) if is_other else ""
            if step:
                state = self._game.rules.apply(state, step.event, ruled=step.ruled)
            if entry.seq in gone:
                status = "undone"
            elif step is None:
                status = "struck"
            else:
                status = "corrected" if is_other else ""
            self._add(
                HistoryLine(
                    seq=entry.seq,
                    sentence=sentence,
                    source=entry.source,
                    wall_us=entry.wall_us,
                    status=status,
                    event=step.event if step else None,
                    player=getattr(event, "player", None),
                    picture=(entry.reading or {}).get("picture") or self._evidence.get(entry.seq),
                    wall_sure=entry.wall_sure,
                    was=was,
                    changed=changed.get(entry.seq) if status else None,
                    device=self._device(entry.seq),
                )
            )
        self._entries_covered = len(entries)

    def _add(self, line: HistoryLine) -> None:
        self._by_seq[line.seq] = len(self._lines)
        self._lines.append(line)

    def _beside(self, entry: Entry, body: Beside, undone: Change | None) -> HistoryLine:
        """The line of an entry beside the play; `undone` is the change that took it back."""
        return HistoryLine(
            seq=entry.seq,
            sentence=sentence_of(body, self._viewer.names),
            source=entry.source,
            wall_us=entry.wall_us,
            status="undone" if undone else "",
            event=None,
            player=getattr(body, "player", None),
            picture=None,
            wall_sure=entry.wall_sure,
            changed=undone,
            device=self._device(entry.seq),
            beside=body,
        )

    def _change(self, entry: Entry) -> Change:
        return Change(entry.seq, entry.wall_us, entry.source, self._device(entry.seq))

    def _device(self, seq: int) -> str:
        """The player's name for a device that acts for one seat, else the device's own name."""
        sender = self._senders.get(seq)
        if sender is None:
            return ""
        return self._viewer.names.get(sender.player or "") or device_name(sender.label)


class History:
    """The history of one game, kept in each language in which it was read. Thread-safe.

    names       the players' names now; a deleted player has none
    """

    def __init__(self, standing: Standing, journal: Journal) -> None:
        self._standing = standing
        self._journal = journal
        session = standing.session
        self.names: Mapping[PlayerId, str] = {player.id: player.name for player in journal.players(session.players)}
        self._senders = journal.senders(session.id)
        self._evidence = journal.evidence(session.id)
        self._by_language: dict[str, Lines] = {}

    def lines(self) -> tuple[HistoryLine, ...]:
        """Every event ever posted and entry beside the play, newest first, each as it counts now."""
        with self._standing.lock:
            return tuple(reversed(self._in_language().lines(self._standing.entries, self._standing.fold)))

    def line(self, seq: int) -> HistoryLine | None:
        """The line of entry `seq`, or None when that entry has none, as a correction."""
        with self._standing.lock:
            return self._in_language().line(seq, self._standing.entries, self._standing.fold)

    def with_course(self) -> tuple[tuple[HistoryLine, ...], Course]:
        """The lines, oldest first, and the points before and after each event that counts.

        Both are of the same moment, though others may play on meanwhile.
        """
        with self._standing.lock:
            lines, fold, steps = self.lines(), self._standing.fold, len(self._standing.fold.steps)
        return lines[::-1], fold.course()[: steps + 1]

    def newest_undo(self) -> tuple[int, HistoryLine | None, bool] | None:
        """(the newest undo, the line that it is about or None for a correction, whether the undo brought it back).

        None when something else has happened since. Entries of the clock count as that only when nothing can be redone.
        """
        with self._standing.lock:
            redo, entries = self._standing.redo, self._standing.entries
            for entry in reversed(entries):
                if isinstance(entry.body, Undone):
                    about, again = meant(entries, entry)
                    return entry.seq, self.line(about.seq), again
                if redo is None or entry.source != "clock":
                    return None
            return None

    def rename(self, names: Mapping[PlayerId, str]) -> None:
        """Sets the players' names, in earlier lines too; a player who is missing in `names` has no name any more.

        Devices that the journal no longer knows are forgotten.
        """
        with self._standing.lock:
            self.names = dict(names)
            self._senders = self._journal.senders(self._standing.session.id)
            self._by_language.clear()

    def keep_evidence(self, seq: int, jpeg: bytes) -> None:
        """Stores the picture that entry `seq` asked for, outside the chain: the entry was there first.

        Of several the first one stays with it, as it is the nearest to that moment.
        """
        picture = self._journal.add_picture(jpeg, date_us(self._journal), self._standing.session.id, seq)
        with self._standing.lock:
            self._evidence.setdefault(seq, picture)
            self.forget_from(seq)

    def add_sender(self, seq: int, sender: Sender) -> None:
        """Remembers the device that entry `seq` came from."""
        self._senders[seq] = sender

    def forget_from(self, seq: int) -> None:
        """Drops the lines from entry `seq` on in every language, so that they are written again."""
        for lines in self._by_language.values():
            lines.forget_from(seq)

    def _in_language(self) -> Lines:
        """The lines in the reader's language."""
        fresh = Lines(self._standing.game, self.names, self._senders, self._evidence)
        return self._by_language.setdefault(language(), fresh)


def last_changes(entries: Sequence[Entry], gone: Set[int]) -> Mapping[int, Entry]:
    """Entry → the last undo, strike or amendment of it that counts."""
    changes: dict[int, Entry] = {}
    for entry in entries:
        if entry.seq not in gone and isinstance(entry.body, Amended | Struck | Undone):
            for seq in (entry.body.seq, *entry.body.also):
                changes[seq] = entry
    return changes
