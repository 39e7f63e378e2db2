"""The table: one running game, and the one door through which every event enters it."""

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from companion.clock import Clock, is_wall_sure, wall_us
from companion.errors import BadInput, CompanionError, IllegalEvent, StaleEvent
from companion.game.events import NOW_US, SOURCES, affects, is_beside_play, relies_on
from companion.game.game import AnyGame, Event, State
from companion.game.players import PlayerId
from companion.journal.events import (
    Amended,
    Body,
    Entry,
    Posted,
    Sender,
    Step,
    Struck,
    Undone,
    earliest_told,
    meant,
    newest_undo_target,
    redo_target,
    timeline,
    undo_target,
)
from companion.journal.record import body_to_json, chained, header_json, read_rows
from companion.journal.session import Session, canonical_json, digest
from companion.journal.store import Journal
from companion.table.corrections import Corrected, Preview, Way, preview_of, ways_of
from companion.table.fold import Course, Fold
from companion.table.history import History, HistoryLine
from companion.words import _, _n, language, retold

ID_LENGTH = 64
UNDO, NEWEST = "undo", 0  # the fingerprint of an undo, and the entry of one that names none
REMEMBERED_REFUSALS = 256  # a tablet repeats within seconds, so a few hundred answers are plenty


@dataclass(frozen=True)
class Receipt:
    """What was acknowledged: the event's own id and its place in the journal."""

    event_id: str
    seq: int


class Table:
    """One session's journal, folded. Every change goes through `_commit`, under one lock."""

    def __init__(
        self,
        journal: Journal,
        session: Session,
        game: AnyGame,
        clock: Clock,
        on_entry: Callable[["Table", Entry], None] = lambda _table, _entry: None,
        ahead_us: int = 0,
    ) -> None:
        """on_entry    hears of each new entry once it counts
        ahead_us    by how much this game's time is ahead of the house's: a game from elsewhere keeps its own"""
        self.session = session
        self.game = game
        self._journal = journal
        self._clock = clock
        self._ahead_us = ahead_us
        self._on_entry = on_entry
        self._lock = threading.RLock()
        self._entries = list(read_rows(game, journal.rows(session.id)))
        self._receipts = {entry.id: Receipt(entry.id, entry.seq) for entry in self._entries}
        self._asked = {entry.id: _fingerprint(entry.body) for entry in self._entries}
        self._refusals: dict[str, tuple[str, CompanionError]] = {}
        # the header's own text: another version may have written it, with fewer options than there are now
        self._genesis = digest(journal.header(session.id) or canonical_json(header_json(session)))
        self._fold = Fold(game, session).with_steps(timeline(self._entries))
        self.names = {player.id: player.name for player in journal.players(session.players)}
        self._senders = journal.senders(session.id)
        self._evidence = journal.evidence(session.id)
        self._histories: dict[str, History] = {}  # one for each language it was read in

    # its time

    def now_us(self) -> int:
        """Now, in the time of this game: that of its events and entries."""
        return self.game_us(self._clock.now_us())

    def game_us(self, table_us: int) -> int:
        """A moment of the house's table time in the time of this game."""
        return table_us + self._ahead_us

    def table_us(self, game_us: int) -> int:
        """A moment of this game in the house's table time."""
        return game_us - self._ahead_us

    # what it is now

    @property
    def seq(self) -> int:
        """Number of the newest entry, 0 before the first."""
        return len(self._entries)

    @property
    def state(self) -> State:
        """The game's state: always the fold of the journal."""
        return self._fold.state

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole journal of this session."""
        return tuple(self._entries)

    @property
    def newest(self) -> Entry | None:
        """The newest entry, None before the first."""
        return self._entries[-1] if self._entries else None

    @property
    def can_undo(self) -> bool:
        """Whether "undo" would take anything back now."""
        return undo_target(self._entries) is not None

    @property
    def redo(self) -> Undone | None:
        """What takes back the newest undo that still stands, None when something else has happened since."""
        return redo_target(self._entries)

    @property
    def newest_undo(self) -> tuple[HistoryLine | None, bool] | None:
        """The line of what the newest undo is about, None for a correction, and whether the undo brought that back.

        None when it is not the newest thing that happened: what the clock has said since counts only where nothing is
        left to redo.
        """
        with self._lock:
            redo = self.redo
            for entry in reversed(self._entries):
                if isinstance(entry.body, Undone):
                    about, again = meant(self._entries, entry)
                    return self.line(about.seq), again
                if redo is None or entry.source != "clock":
                    return None
            return None

    @property
    def fingerprint(self) -> str:
        """The hash that covers the whole game so far."""
        return self._entries[-1].hash if self._entries else self._genesis

    def answered(self, event_id: str, answer: Mapping[str, Any]) -> Receipt | None:
        """What was acknowledged under this id to somebody who answered a question so, None when nothing was.

        answer  as `companion.sensing.answers` keeps it; raises BadInput when another one was given under this id
        """
        receipt = self._receipts.get(event_id)
        kept = {} if receipt is None else self._entries[receipt.seq - 1].reading or {}
        if "said" not in kept:
            return None
        if any(kept.get(key, value) != value for key, value in answer.items()):  # older entries name no question
            raise another_event()
        return receipt

    def entries_since(self, seq: int) -> tuple[Entry, ...]:
        """Every entry after number `seq`."""
        return tuple(self._entries[max(0, seq) :])

    def touched_since(
        self, seen_seq: int, *, clock_until_us: float = math.inf, in_play: bool = False
    ) -> frozenset[str]:
        """What the entries after number `seen_seq` have changed, as `game.events.affects` names it.

        clock_until_us  what the clock brought after this table time does not count
        in_play         nor does what lies beside the play
        """
        touched: set[str] = set()
        for entry in self.entries_since(self._checked_seq(seen_seq)):
            if entry.source == "clock" and entry.at_us > clock_until_us:
                continue
            if in_play and self._is_beside_play(entry):
                continue
            for event in self._concerned(entry):
                touched |= affects(event)
        return frozenset(touched)

    def said_since(self, at_us: int, event: Event) -> bool:
        """Whether the like of `event`, of one of its players, was entered after this table time, however it was."""
        with self._lock:
            younger = takewhile(lambda entry: entry.at_us > at_us, reversed(self._entries))
            return any(
                type(entered) is type(event) and affects(entered) & affects(event)
                for entry in younger
                for entered in self._concerned(entry)
            )

    def entered_since(self, at_us: int, event: Event) -> bool:
        """Whether a person or a button has entered after this table time what `event` may say once more: something
        like it, be it another player's, or something it relies on. Nothing is said twice by what lies beside the play.
        """
        with self._lock:  # an entry that is being written counts
            younger = takewhile(lambda entry: entry.at_us > at_us, reversed(self._entries))
            return any(
                type(entered) is type(event) or affects(entered) & relies_on(event)
                for entry in younger
                if entry.source in ("tablet", "button") and not self._is_beside_play(entry)
                for entered in self._concerned(entry)
            )

    def _concerned(self, entry: Entry) -> tuple[Event | None, ...]:
        """The events that an entry posts, changes or takes out; None, which affects the table, for other entries."""
        match entry.body:
            case Posted(event):
                return (event,)
            case Struck(seq, also) | Amended(seq, _, also) | Undone(seq, also):
                old = [self._entries[target - 1].body for target in (seq, *also)]  # numbered from 1 without gaps
                return tuple(body.event if isinstance(body, Posted) else None for body in old)

    def _is_beside_play(self, entry: Entry) -> bool:
        """Whether all that an entry posts, changes, takes out or brings back lies beside the play."""
        about, _again = meant(self._entries, entry)  # the undo of an undo is about what that took back
        return all(is_beside_play(event) for event in self._concerned(about))

    def event(self, seq: int) -> Event | None:
        """The event of entry `seq` as it counts now, None when it does not count."""
        step = self._fold.counting(seq)
        return step.event if step else None

    def state_before(self, seq: int) -> State:
        """The state in which the event of entry `seq` happened; raises NotFound where no event stands."""
        with self._lock:
            self._fold.step(seq)
            return self._fold.state_before(seq)

    def course(self) -> Course:
        """Everybody's points, in the order of the seats, before the first event that counts and after each of them."""
        with self._lock:
            fold = self._fold
        return fold.course()  # without the lock: nobody's tap waits for a long game

    def told(self) -> tuple[tuple[HistoryLine, ...], Course]:
        """The history, oldest first, and the points before and after each of its events that count: of one moment, as
        others play on."""
        with self._lock:
            lines, fold, steps = self.history(), self._fold, len(self._fold.steps)
        return lines[::-1], fold.course()[: steps + 1]

    def rename(self, names: Mapping[PlayerId, str]) -> None:
        """The players are called that from now on, in what was told before too; who is not named is nobody's name.

        What the journal no longer says of their devices is forgotten.
        """
        with self._lock:
            self.names = dict(names)
            self._senders = self._journal.senders(self.session.id)
            self._histories.clear()

    def history(self) -> tuple[HistoryLine, ...]:
        """Every event ever posted, newest first, each as it counts now."""
        with self._lock:
            return tuple(reversed(self._history().lines(self._entries, self._fold)))

    def line(self, seq: int) -> HistoryLine | None:
        """The history's line for entry `seq`, None when that is no event."""
        with self._lock:
            return self._history().line(seq, self._entries, self._fold)

    def keep_evidence(self, seq: int, jpeg: bytes) -> None:
        """Keeps the picture that entry `seq` asked for beside it: the entry was on disk before the camera looked."""
        picture = self._journal.add_picture(jpeg, wall_us(), self.session.id, seq)
        with self._lock:
            self._evidence[seq] = picture
            for history in self._histories.values():
                history.forget_from(seq)

    # changing it

    def submit(
        self,
        event: Event,
        *,
        event_id: str,
        seen_seq: int | None,
        source: str,
        reading: dict[str, Any] | None = None,
        sender: Sender | None = None,
    ) -> Receipt:
        """Records an event. The same id gives the same answer however often it is sent.

        seen_seq    newest entry the sender knew of, None for a sensor that judges by time stamps
        reading     what the camera read, where the event came from a reading
        sender      the device it came from, None for a sensor

        Raises StaleEvent when something that the event relies on has changed since `seen_seq`, IllegalEvent when the
        rules forbid it; then nothing has changed.
        """
        arrived_us = self.now_us()  # before anything waits for the disk: a shout is judged by this

        def post() -> Body:
            # while this waited, the clock may have gone on; an event with a time is judged by its own
            until_us = arrived_us if hasattr(event, "at_us") else math.inf
            if seen_seq is not None and relies_on(event) & self.touched_since(seen_seq, clock_until_us=until_us):
                raise StaleEvent(_("The table has moved on since this page was drawn: look again, then tap."))
            return Posted(self._stamped(event, arrived_us))

        return self._commit(Posted(event), post, event_id, source, sender, reading)

    def undo(
        self,
        *,
        event_id: str,
        seen_seq: int | None,
        source: str,
        seq: int | None = None,
        sender: Sender | None = None,
    ) -> Receipt:
        """Takes back the newest entry that counts; with `seq` exactly that one, or an undo: the newest, or of `redo`.

        Raises IllegalEvent when there is nothing to take back, StaleEvent when the newest is another than was seen.
        """

        def take_back() -> Body:
            target = undo_target(self._entries)
            if seq is not None and (target is None or target.seq != seq):
                return self._redoable(seq)
            if target is None:
                raise IllegalEvent(_("There is nothing to undo: the game has just begun."))
            if seen_seq is not None and undo_target(self._entries[: self._checked_seq(seen_seq)]) != target:
                raise StaleEvent(_("Something else happened meanwhile: look again before you undo it."))
            return target

        return self._commit(Undone(seq or NEWEST), take_back, event_id, source, sender)

    def strike(
        self,
        seq: int,
        *,
        also: tuple[int, ...] = (),
        ruled: tuple[int, ...] = (),
        event_id: str,
        seen_seq: int | None,
        source: str,
        sender: Sender | None = None,
    ) -> Receipt:
        """Takes an earlier event out. Later ones that no longer fit must be named in `also` or `ruled`."""
        body, arrived_us = Struck(seq, tuple(sorted(also)), tuple(sorted(ruled))), self.now_us()
        return self._commit(body, lambda: self._correction(body, seen_seq, arrived_us), event_id, source, sender)

    def amend(
        self,
        seq: int,
        event: Event,
        *,
        also: tuple[int, ...] = (),
        ruled: tuple[int, ...] = (),
        event_id: str,
        seen_seq: int | None,
        source: str,
        sender: Sender | None = None,
    ) -> Receipt:
        """Puts `event` in the place of an earlier one. Later ones that no longer fit: as in `strike`."""
        body, arrived_us = Amended(seq, event, tuple(sorted(also)), tuple(sorted(ruled))), self.now_us()
        return self._commit(body, lambda: self._correction(body, seen_seq, arrived_us), event_id, source, sender)

    def preview(
        self, seq: int, event: Event | None, also: tuple[int, ...] = (), ruled: tuple[int, ...] = ()
    ) -> Preview:
        """What amending entry `seq` to `event` (None: striking it) would change; raises IllegalEvent as that would."""
        return preview_of(self.game, self._corrected(seq, event), frozenset(also), frozenset(ruled), self.names)

    def ways(self, seq: int, event: Event | None) -> tuple[Way, ...]:
        """How a correction can be agreed to; see `corrections.ways_of`."""
        return ways_of(self.game, self._corrected(seq, event))

    # inside

    def _history(self) -> History:
        return self._histories.setdefault(language(), History(self.game, self.names, self._senders, self._evidence))

    def _commit(
        self,
        request: Body,
        body_of: Callable[[], Body],
        event_id: str,
        source: str,
        sender: Sender | None,
        reading: dict[str, Any] | None = None,
    ) -> Receipt:
        """The one door: checks, folds, writes to disk, then tells everybody."""
        _check_id(event_id)
        if source not in SOURCES:
            raise BadInput(
                _("No event comes from {source!r}: use one of {names}.", source=source, names=", ".join(SOURCES))
            )
        asked = _fingerprint(request)
        with self._lock:
            known = self._known(event_id, asked)
            if known:
                return known
            try:
                body = body_of()
                take = self._after(body)
            except (IllegalEvent, StaleEvent) as refusal:
                self._remember_refusal(event_id, asked, refusal)
                raise
            entry = self._sealed(body, event_id, source, reading)
            self._journal.append(self.session, entry, self._clock.instant(), sender)
            if sender is not None:
                self._senders[entry.seq] = sender
            take(entry)  # the state first: who reads the number of entries and then the state never has an older one
            self._entries.append(entry)
            receipt = self._receipts[event_id] = Receipt(event_id, entry.seq)
            self._asked[event_id] = _fingerprint(body)
        self._on_entry(self, entry)
        return receipt

    def _known(self, event_id: str, asked: str) -> Receipt | None:
        """The answer that was given to this id before; raises the refusal again if it was one."""
        if event_id in self._receipts:
            if not is_repeated(asked, self._asked[event_id]):
                raise another_event()
            return self._receipts[event_id]
        if event_id in self._refusals:
            before, refusal = self._refusals[event_id]
            if before != asked:
                raise another_event()
            raise same(refusal)
        return None

    def _stamped(self, event: Event, arrived_us: int) -> Event:
        """The event with the time it arrived where its sender left that open; raises BadInput for a time to come."""
        at_us = getattr(event, "at_us", 0)
        if at_us == NOW_US:
            return replace(event, at_us=arrived_us)
        if not 0 <= at_us <= self.now_us():
            raise BadInput(_("The time of this event has not come yet: leave it to the table, or look at its clock."))
        return event

    def _stamped_as(self, old: Step, event: Event | None, arrived_us: int) -> Event | None:
        """A correction happened when the event it replaces did, unless it says otherwise."""
        if event is None:
            return None
        if getattr(event, "at_us", None) == NOW_US:  # what has no time of its own happened when it was recorded
            return replace(event, at_us=getattr(old.event, "at_us", self._entries[old.seq - 1].at_us))
        return self._stamped(event, arrived_us)

    def _remember_refusal(self, event_id: str, asked: str, refusal: CompanionError) -> None:
        self._refusals[event_id] = (asked, same(refusal))
        while len(self._refusals) > REMEMBERED_REFUSALS:
            del self._refusals[next(iter(self._refusals))]

    def _after(self, body: Body) -> Callable[[Entry], None]:
        """What to do once `body` is on disk; raises IllegalEvent when it may not count."""
        if isinstance(body, Posted):
            event = body.event
            state = self._fold.after(event)
            return lambda entry: self._fold.add(Step(entry.seq, event), state)
        preliminary = Entry(self.seq + 1, "", body, 0, 0, "tablet", "")
        fold = self._fold.with_steps(timeline((*self._entries, preliminary)))
        told = earliest_told(self._entries, body)

        def turn_over(_entry: Entry) -> None:
            for history in self._histories.values():
                history.forget_from(min(told, self._fold.first_difference(fold)))
            self._fold = fold

        return turn_over

    def _sealed(self, body: Body, event_id: str, source: str, reading: dict[str, Any] | None) -> Entry:
        unsealed = Entry(
            seq=self.seq + 1,
            id=event_id,
            body=body,
            at_us=self.now_us(),
            wall_us=wall_us(),
            wall_sure=is_wall_sure(),
            source=source,
            hash="",
            reading=reading,
        )
        sealed_hash = chained(self.fingerprint, self.session.id, unsealed)
        return replace(unsealed, hash=sealed_hash)

    def _correction(self, body: Struck | Amended, seen_seq: int | None, arrived_us: int) -> Body:
        old = self._fold.step(body.seq)
        if isinstance(body, Amended):
            body = replace(body, event=self._stamped_as(old, body.event, arrived_us))
        if seen_seq is not None and any(
            not isinstance(entry.body, Posted) for entry in self.entries_since(self._checked_seq(seen_seq))
        ):
            raise StaleEvent(_("Somebody corrected the game meanwhile: look again, then correct."))
        later = {step.seq for step in self._fold.since(body.seq + 1)}
        if not later.issuperset((*body.also, *body.ruled)):
            raise BadInput(_("A correction can only name later entries that count now: look at the history."))
        event = body.event if isinstance(body, Amended) else None
        preview = self.preview(body.seq, event, body.also, body.ruled)
        if preview.misfits:
            first = preview.misfits[0]
            raise IllegalEvent(
                _n(
                    "{n} later entry no longer fits, number {seq} ({why}) Strike it too, or say that the table "
                    "says so.",
                    "{n} later entries no longer fit, first number {seq} ({why}) Strike them too, or say that the "
                    "table says so.",
                    len(preview.misfits),
                    seq=first.seq,
                    why=first.why,
                )
            )
        return body

    def _corrected(self, seq: int, event: Event | None) -> Corrected:
        """What follows from there takes no lock: nobody's tap waits for a preview of a long game."""
        with self._lock:
            old = self._fold.step(seq)
            event = self._stamped_as(old, event, self.now_us())
            fold, later, before = self._fold, self._fold.since(seq + 1), self.state
        state = fold.state_before(seq)  # a fold only grows, and is replaced by a correction
        if event is not None:  # what stands because the table said so is corrected as what the table says
            state = self.game.apply(state, event, ruled=old.ruled)
        return Corrected(seq, event, self.game.score(before), state, later)

    def _redoable(self, seq: int) -> Undone:
        """What takes entry `seq` back, if it is the undo that is next to be redone, or the newest undo or redo."""
        for target in (self.redo, newest_undo_target(self._entries)):
            if target is not None and target.seq == seq:
                return target
        raise IllegalEvent(_("Only the newest entry can be undone: correct or strike an earlier one in the history."))

    def _checked_seq(self, seen_seq: int) -> int:
        if not 0 <= seen_seq <= self.seq:
            raise BadInput(
                _("This game has {seq} entries, not {seen_seq}: reload the page.", seq=self.seq, seen_seq=seen_seq)
            )
        return seen_seq


def another_event() -> BadInput:
    """Why a request is refused whose id was used for another one."""
    return BadInput(_("This event id was used for another event: make a new one for each tap."))


def same(refusal: CompanionError) -> CompanionError:
    """The refusal, without the traceback that would keep the whole request of its sender in memory."""
    return type(refusal)(*map(retold, refusal.args))


def _check_id(event_id: str) -> None:
    if not 1 <= len(event_id) <= ID_LENGTH or not all(char.isalnum() or char in "-_." for char in event_id):
        raise BadInput(
            _("An event id has 1 to {id_length} letters, digits, '-', '_' or '.': make a new one.", id_length=ID_LENGTH)
        )


def is_repeated(asked: str, before: str) -> bool:
    """Whether a request was made before, by their fingerprints; an undo may leave open which entry it is about."""
    return asked == before or (asked == f"{UNDO} {NEWEST}" and before.startswith(UNDO))


def _fingerprint(request: Body) -> str:
    """What tells two requests under one id apart; the time that the table gave an event is a part of the answer."""
    if isinstance(request, Undone):
        return f"{UNDO} {request.seq}"
    body = body_to_json(request)
    for part in body.values():
        if isinstance(part, dict):
            part.pop("at_us", None)
    return canonical_json(body)
