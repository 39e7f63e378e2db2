"""The history of a session as people read it, in each language: one line for every event that was ever posted."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from companion.game.game import AnyGame, Event
from companion.game.players import PlayerId, Viewer
from companion.journal.calendar import date_us
from companion.journal.devices import device_name
from companion.journal.events import Amended, Entry, Posted, Sender, Struck, Undone, cancelled, meant
from companion.journal.store import Journal
from companion.table.fold import Course, Fold
from companion.table.standing import Standing
from companion.words import N_, language


@dataclass(frozen=True)
class Change:
    """What took an event back or corrected it: the entry, its time for people, and where it came from.

    device      what the device it was tapped on is called, "" where nobody knows
    """

    seq: int
    wall_us: int
    source: str
    device: str


@dataclass(frozen=True)
class HistoryLine:
    """One event of the history, as people read it.

    status      "" when it counts as posted, else "undone", "struck" or "corrected"; shown as `_(status)`
    event       what it stands for now, None when it no longer counts
    picture     hash of the picture it was read from, or that was taken because it asked for one
    wall_sure   whether the wall clock could be believed then
    was         what it said when it was posted, "" unless it was corrected
    changed     what took it back or corrected it last, None while it counts as posted
    device      as in `Change`
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


class Lines:
    """The lines, oldest first. A new event adds one; a correction has the lines told again from where it reaches."""

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
        self._told = 0  # entries that the lines tell of

    def lines(self, entries: Sequence[Entry], fold: Fold) -> Sequence[HistoryLine]:
        """Every line, oldest first."""
        self._catch_up(entries, fold)
        return self._lines

    def line(self, seq: int, entries: Sequence[Entry], fold: Fold) -> HistoryLine | None:
        """The line of entry `seq`, None when that is no event."""
        self._catch_up(entries, fold)
        return self._lines[self._by_seq[seq]] if seq in self._by_seq else None

    def forget_from(self, seq: int) -> None:
        """A correction reached back to entry `seq`: what was told from there on is told again."""
        while self._lines and self._lines[-1].seq >= seq:
            del self._by_seq[self._lines.pop().seq]
        self._told = min(self._told, seq - 1)

    def _catch_up(self, entries: Sequence[Entry], fold: Fold) -> None:
        if self._told == len(entries):
            return
        fresh = entries[self._told :]
        gone = cancelled(fresh)  # what takes a fresh entry back comes after it
        changed = {seq: self._change(entry) for seq, entry in last_changes(fresh, gone).items()}
        corrections = (entry.body for entry in fresh if entry.seq not in gone)
        corrected = {body.seq: body.event for body in corrections if isinstance(body, Amended)}
        state = fold.state_before(fresh[0].seq)
        for entry in fresh:
            if not isinstance(entry.body, Posted):
                continue
            step = fold.counting(entry.seq)
            event = step.event if step else corrected.get(entry.seq, entry.body.event)  # as it stood last
            sentence = self._game.describe(state, event, self._viewer)
            is_other = step is not None and event != entry.body.event
            was = self._game.describe(state, entry.body.event, self._viewer) if is_other else ""
            if step:
                state = self._game.apply(state, step.event, ruled=step.ruled)
            if entry.seq in gone:
                status = N_("undone")
            elif step is None:
                status = N_("struck")
            else:
                status = N_("corrected") if is_other else ""
            self._by_seq[entry.seq] = len(self._lines)
            self._lines.append(
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
        self._told = len(entries)

    def _change(self, entry: Entry) -> Change:
        return Change(entry.seq, entry.wall_us, entry.source, self._device(entry.seq))

    def _device(self, seq: int) -> str:
        """The seat's name for a device that acts for one seat, else what the house calls it."""
        sender = self._senders.get(seq)
        if sender is None:
            return ""
        return self._viewer.names.get(sender.player or "") or device_name(sender.label)


class History:
    """The history of one game, kept in each language in which it was read. Safe from several threads.

    names       what the players are called now; who has no name here is nobody's
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
        """Every event ever posted, newest first, each as it counts now."""
        with self._standing.lock:
            return tuple(reversed(self._here().lines(self._standing.entries, self._standing.fold)))

    def line(self, seq: int) -> HistoryLine | None:
        """The line for entry `seq`, None when that is no event."""
        with self._standing.lock:
            return self._here().line(seq, self._standing.entries, self._standing.fold)

    def with_course(self) -> tuple[tuple[HistoryLine, ...], Course]:
        """The lines, oldest first, and the points before and after each event that counts: of one moment, as others
        play on."""
        with self._standing.lock:
            lines, fold, steps = self.lines(), self._standing.fold, len(self._standing.fold.steps)
        return lines[::-1], fold.course()[: steps + 1]

    def newest_undo(self) -> tuple[HistoryLine | None, bool] | None:
        """The line of what the newest undo is about, None for a correction, and whether the undo brought that back.

        None when it is not the newest thing that happened: what the clock has said since counts only where nothing is
        left to redo.
        """
        with self._standing.lock:
            redo, entries = self._standing.redo, self._standing.entries
            for entry in reversed(entries):
                if isinstance(entry.body, Undone):
                    about, again = meant(entries, entry)
                    return self.line(about.seq), again
                if redo is None or entry.source != "clock":
                    return None
            return None

    def rename(self, names: Mapping[PlayerId, str]) -> None:
        """The players are called that from now on, in earlier lines too; who is not named is nobody's name.

        What the journal no longer says of their devices is forgotten.
        """
        with self._standing.lock:
            self.names = dict(names)
            self._senders = self._journal.senders(self._standing.session.id)
            self._by_language.clear()

    def keep_evidence(self, seq: int, jpeg: bytes) -> None:
        """Keeps the picture that entry `seq` asked for beside it: the entry was on disk before the camera looked."""
        picture = self._journal.add_picture(jpeg, date_us(self._journal), self._standing.session.id, seq)
        with self._standing.lock:
            self._evidence[seq] = picture
            self.forget_from(seq)

    def came_from(self, seq: int, sender: Sender) -> None:
        """Entry `seq` was sent by this device."""
        self._senders[seq] = sender

    def forget_from(self, seq: int) -> None:
        """What was told from entry `seq` on is told again."""
        for lines in self._by_language.values():
            lines.forget_from(seq)

    def _here(self) -> Lines:
        """The lines in the reader's language."""
        fresh = Lines(self._standing.game, self.names, self._senders, self._evidence)
        return self._by_language.setdefault(language(), fresh)


def last_changes(entries: Sequence[Entry], gone: Set[int]) -> Mapping[int, Entry]:
    """Entry → the last of those that took it back or corrected it and have not been taken back themselves."""
    found: dict[int, Entry] = {}
    for entry in entries:
        if entry.seq not in gone and isinstance(entry.body, Amended | Struck | Undone):
            for seq in (entry.body.seq, *entry.body.also):
                found[seq] = entry
    return found
