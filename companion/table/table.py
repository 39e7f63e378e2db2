"""The table: one running game, and the one door through which every event enters it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from companion.clock import Clock, is_wall_sure, wall_us
from companion.errors import BadInput, IllegalEvent, StaleEvent
from companion.game.events import NOW_US, SOURCES, relies_on, typed_field
from companion.game.game import AnyGame, Event
from companion.game.players import PlayerId
from companion.games import rulings
from companion.journal.events import (
    Amended,
    Body,
    EndedEarly,
    Entry,
    Origin,
    Posted,
    Step,
    StoodIn,
    Struck,
    Undone,
    earliest_line,
    early_end,
    newest_undo_target,
    stand_ins,
    timeline,
    undo_target,
)
from companion.journal.record import chained, event_of, read_rows
from companion.journal.session import Session, new_salt
from companion.journal.store import Journal
from companion.names import check_name
from companion.table.corrections import Corrected, Preview, Way, preview_of, ways_of
from companion.table.history import History
from companion.table.lengths import length_with
from companion.table.receipts import NEWEST, Receipt, Receipts, another_event
from companion.table.standing import Standing
from companion.words import _, _n


class Table(Standing):
    """A running game. Every change goes through `_commit`, under one lock."""

    def __init__(
        self,
        journal: Journal,
        session: Session,
        game: AnyGame,
        clock: Clock,
        on_entry: Callable[["Table", Entry], None] = lambda _table, _entry: None,
        ahead_us: int = 0,
    ) -> None:
        """on_entry    called with each new entry once it counts, without the lock
        ahead_us    as in `Standing`"""
        super().__init__(journal, session, game, clock, ahead_us)
        self.history = History(self, journal)
        self._journal = journal
        self._on_entry = on_entry
        self._receipts = Receipts(self._entries)

    @property
    def names(self) -> Mapping[PlayerId, str]:
        """The players' names; a deleted player has none."""
        return self.history.names

    def receipt_of(self, event_id: str) -> Receipt | None:
        """The receipt for what was sent under this id before, or None."""
        return self._receipts.of(event_id)

    def answered(self, event_id: str, answer: Mapping[str, Any]) -> Receipt | None:
        """The receipt for an answer to a question that was sent under this id before, or None.

        answer  as `companion.sensing.answers` keeps it

        Raises BadInput when another answer was given under this id.
        """
        receipt = self._receipts.of(event_id)
        reading = {} if receipt is None else self._entries[receipt.seq - 1].reading or {}
        if "said" not in reading:
            return None
        if any(reading.get(key, value) != value for key, value in answer.items()):  # Older entries have no question.
            raise another_event()
        return receipt

    def submit(self, event: Event, origin: Origin, reading: dict[str, Any] | None = None) -> Receipt:
        """Records an event.

        reading     the camera's reading that the event came from, if any

        Raises StaleEvent when something that the event relies on has changed since `origin.seen_seq`, IllegalEvent when
        the rules forbid it; then nothing changes.
        """
        arrived_us = self.now_us()  # A shout is judged by this, not by the wait for the lock and the disk.

        def post() -> Body:
            if self.ended_early and not isinstance(event, rulings.Ruling):
                raise IllegalEvent(_("This game was ended early. Resume it first, then play."))
            # The clock may have gone on while this waited; an event with a time is judged by its own time.
            until_us = arrived_us if hasattr(event, "at_us") else math.inf
            seen_seq = origin.seen_seq
            if seen_seq is not None and relies_on(event) & self.touched_since(seen_seq, clock_until_us=until_us):
                raise StaleEvent(_("The game has moved on. Look again, then tap."))
            return Posted(self._stamped(event, arrived_us))

        return self._commit(Posted(event), post, origin, reading)

    def undo(self, origin: Origin, seq: int | None = None) -> Receipt:
        """Takes back the newest entry that counts, or the entry `seq`.

        seq     must be the newest entry that counts, the undo that `redo` takes back, or the newest undo

        Raises IllegalEvent when nothing can be taken back, StaleEvent when the sender has not seen the newest entry.
        """

        def take_back() -> Body:
            target = undo_target(self._entries)
            if seq is not None and (target is None or target.seq != seq):
                return self._redoable(seq)
            if target is None:
                raise IllegalEvent(_("There's nothing to undo yet."))
            if undo_target(self._entries[: self._newest_seen(origin)]) != target:
                raise StaleEvent(_("Something else happened in between. Look again before you undo."))
            return target

        return self._commit(Undone(seq or NEWEST), take_back, origin)

    def end_early(self, origin: Origin) -> Receipt:
        """Ends the game before its rules do: nothing is played until `go_on`. Raises IllegalEvent when it has ended."""

        def end() -> Body:
            self._newest_seen(origin)
            if not self.is_played:
                raise IllegalEvent(_("This game has already ended. Look at its result."))
            return EndedEarly()

        return self._commit(EndedEarly(), end, origin)

    def go_on(self, origin: Origin) -> Receipt:
        """Takes the early end back; raises IllegalEvent when there is none."""

        def take_back() -> Body:
            self._newest_seen(origin)
            ended = early_end(self._entries)
            if ended is None:
                raise IllegalEvent(_("This game is already going on. Open its page and play."))
            return Undone(ended)

        return self._commit(Undone(NEWEST), take_back, origin)

    def stand_in(self, player: PlayerId, who: str, origin: Origin) -> Receipt:
        """Lets somebody play for a player until this is called with `who` "", or until it is undone.

        Nothing of the game changes. Raises BadInput for a name that cannot be used, IllegalEvent if it is so already,
        StaleEvent if somebody else has come or gone at that seat since `origin.seen_seq`.
        """
        body = StoodIn(player, check_name(who) if who else "")

        def stand() -> Body:
            entries = self._entries[: self._newest_seen(origin)]
            if stand_ins(entries).get(player) != stand_ins(self._entries).get(player):
                raise StaleEvent(_("The game has moved on. Look again, then tap."))
            if player not in self.session.players or self.stand_ins.get(player, "") == body.who:
                raise IllegalEvent(_("It is so already. Look at the players of this game."))
            return body

        return self._commit(body, stand, origin)

    def strike(self, seq: int, origin: Origin, *, also: tuple[int, ...] = (), ruled: tuple[int, ...] = ()) -> Receipt:
        """Strikes an earlier event. Later events that no longer fit must be named in `also` or `ruled`."""
        body, arrived_us = Struck(seq, tuple(sorted(also)), tuple(sorted(ruled))), self.now_us()
        return self._commit(body, lambda: self._correction(body, origin, arrived_us), origin)

    def amend(
        self, seq: int, event: Event, origin: Origin, *, also: tuple[int, ...] = (), ruled: tuple[int, ...] = ()
    ) -> Receipt:
        """Replaces an earlier event by `event`. For later events that no longer fit see `strike`."""
        body, arrived_us = Amended(seq, event, tuple(sorted(also)), tuple(sorted(ruled))), self.now_us()
        return self._commit(body, lambda: self._correction(body, origin, arrived_us), origin)

    def preview(
        self, seq: int, event: Event | None, also: tuple[int, ...] = (), ruled: tuple[int, ...] = ()
    ) -> Preview:
        """The effect of amending entry `seq` to `event` (None: striking it); raises IllegalEvent as the amendment
        would.
        """
        return preview_of(self.game, self._corrected(seq, event), frozenset(also), frozenset(ruled), self.history.names)

    def ways(self, seq: int, event: Event | None) -> tuple[Way, ...]:
        """The ways to accept a correction; see `corrections.ways_of`."""
        return ways_of(self.game, self._corrected(seq, event))

    def forget_reasons(self) -> None:
        """Forgets the reasons that the journal no longer has; nothing else about the game changes."""
        with self.lock:
            reasons = self._journal.reasons(self.session.id)
            if all(entry.seq in reasons for entry in self._entries if entry.salt):
                return
            self._entries[:] = read_rows(self.game, self._journal.rows(self.session.id), reasons)
            self.fold = self.fold.with_steps(timeline(self._entries))
            self.history.forget_from(1)

    def _commit(
        self,
        request: Body,
        body_of: Callable[[], Body],
        origin: Origin,
        reading: dict[str, Any] | None = None,
    ) -> Receipt:
        """The one door: checks, folds, writes to disk, then calls `on_entry`."""
        if origin.source not in SOURCES:
            names = ", ".join(SOURCES)
            raise BadInput(
                _("Events can't come from {source!r}. Use one of {names}.", source=origin.source, names=names)
            )
        with self.lock:
            if earlier := self._receipts.earlier(origin.id, request):
                return earlier
            try:
                body = body_of()
                update_state = self._after(body)
                entry = self._sealed(body, origin, reading)
                length = length_with(self.length, self.session.id, entry)
            except (IllegalEvent, StaleEvent) as refusal:
                self._receipts.refuse(origin.id, request, refusal)
                raise
            self._journal.append(self.session, entry, self._clock.instant(), origin.sender)
            if origin.sender is not None:
                self.history.add_sender(entry.seq, origin.sender)
            update_state(entry)  # It comes before the entry: who reads `seq`, then the state, gets no older state.
            self._may_have_ended = self._may_have_ended or isinstance(body, EndedEarly)
            self._may_have_stand_ins = self._may_have_stand_ins or isinstance(body, StoodIn)
            self._entries.append(entry)
            self.length = length
            receipt = self._receipts.give(entry)
        self._on_entry(self, entry)
        return receipt

    def _stamped(self, event: Event, arrived_us: int) -> Event:
        """The event with its time of arrival if its sender left the time open; raises BadInput for a time in the
        future.
        """
        at_us = getattr(event, "at_us", 0)
        if at_us == NOW_US:
            return replace(event, at_us=arrived_us)
        if not 0 <= at_us <= self.now_us():
            raise BadInput(_("This event's time is still to come. Leave the time to the table, or check its clock."))
        return event

    def _stamped_as(self, old: Step, event: Event | None, arrived_us: int) -> Event | None:
        """The event of a correction with the time of the event it replaces, unless it has a time of its own."""
        if event is None:
            return None
        if getattr(event, "at_us", None) == NOW_US:  # An event without a time happened when it was recorded.
            return replace(event, at_us=getattr(old.event, "at_us", self._entries[old.seq - 1].at_us))
        return self._stamped(event, arrived_us)

    def _after(self, body: Body) -> Callable[[Entry], None]:
        """A function that updates the state once `body` is on disk; raises IllegalEvent when the rules forbid it."""
        if isinstance(body, Posted):
            event = body.event
            state = self.fold.after(event)
            if isinstance(event, rulings.Ruling):
                rulings.check_number(self.fold.events, (*self.fold.events, event))
            return lambda entry: self.fold.add(Step(entry.seq, event), state)
        if isinstance(body, EndedEarly | StoodIn):
            return lambda _entry: None
        preliminary = Entry(self.seq + 1, "", body, 0, 0, "tablet", "")
        fold = self.fold.with_steps(timeline((*self._entries, preliminary)))
        rulings.check_number(self.fold.events, fold.events)
        first_line = earliest_line(self._entries, body)

        def replace_fold(_entry: Entry) -> None:
            self.history.forget_from(min(first_line, self.fold.first_difference(fold)))
            self.fold = fold

        return replace_fold

    def _sealed(self, body: Body, origin: Origin, reading: dict[str, Any] | None) -> Entry:
        field = typed_field(event_of(body))
        typed = field and getattr(event_of(body), field)
        unsealed = Entry(
            seq=self.seq + 1,
            id=origin.id,
            body=body,
            at_us=self.now_us(),
            wall_us=wall_us(),
            wall_sure=is_wall_sure(),
            source=origin.source,
            hash="",
            reading=reading,
            salt=new_salt() if typed else "",
        )
        sealed_hash = chained(self.fingerprint, self.session.id, unsealed)
        return replace(unsealed, hash=sealed_hash)

    def _newest_seen(self, origin: Origin) -> int:
        """The newest entry that the sender knew of; raises BadInput if this game has no such entry."""
        return self.seq if origin.seen_seq is None else self.checked_seq(origin.seen_seq)

    def _correction(self, body: Struck | Amended, origin: Origin, arrived_us: int) -> Body:
        old = self.fold.step(body.seq)
        if isinstance(body, Amended):
            body = replace(body, event=self._stamped_as(old, body.event, arrived_us))
        if any(not isinstance(entry.body, Posted) for entry in self.entries_since(self._newest_seen(origin))):
            raise StaleEvent(_("Someone else corrected the game in between. Look again, then correct."))
        later = {step.seq for step in self.fold.since(body.seq + 1)}
        if not later.issuperset((*body.also, *body.ruled)):
            raise BadInput(_("A correction can only name later entries that count now. Look at the history."))
        event = body.event if isinstance(body, Amended) else None
        preview = self.preview(body.seq, event, body.also, body.ruled)
        if preview.misfits:
            first = preview.misfits[0]
            raise IllegalEvent(
                _n(
                    "{n} later entry no longer fits, number {seq} ({why}) Delete it too, or keep it anyway.",
                    "{n} later entries no longer fit, first number {seq} ({why}) Delete them too, or keep them anyway.",
                    len(preview.misfits),
                    seq=first.seq,
                    why=first.why,
                )
            )
        return body

    def _corrected(self, seq: int, event: Event | None) -> Corrected:
        """The correction of entry `seq`, for a preview. It releases the lock early: no tap waits for a long game."""
        with self.lock:
            old = self.fold.step(seq)
            event = self._stamped_as(old, event, self.now_us())
            fold, later, before = self.fold, self.fold.since(seq + 1), self.state
        state = fold.state_before(seq)  # This is safe: a fold only grows; a correction makes a new one.
        if event is not None:  # An event that stands because the table said so keeps that standing.
            state = self.game.rules.apply(state, event, ruled=old.ruled)
        return Corrected(seq, event, self.game.rules.score(before), state, later)

    def _redoable(self, seq: int) -> Undone:
        """The undo of entry `seq`, which must be the undo that `redo` takes back, or the newest undo or redo."""
        for target in (self.redo, newest_undo_target(self._entries)):
            if target is not None and target.seq == seq:
                return target
        raise IllegalEvent(_("You can only undo the newest entry. Correct or delete an earlier one in the history."))
