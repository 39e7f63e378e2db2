"""A running game as it stands now: its journal, the fold of it, and the changes since an earlier moment."""

import math
import threading
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from companion.clock import Clock
from companion.errors import BadInput
from companion.game.box import BoxLook, Phase
from companion.game.events import DRAWN, Due, affects, is_beside_play, is_sealed, is_throw, relies_on
from companion.game.game import AnyGame, Event, State
from companion.game.players import PlayerId
from companion.game.readings import ALWAYS_US
from companion.journal.events import (
    Amended,
    EndedEarly,
    Entry,
    Posted,
    StoodIn,
    Struck,
    Undone,
    early_end,
    meant,
    redo_target,
    stand_ins,
    timeline,
    undo_target,
)
from companion.journal.record import header_json, length_of_game, read_rows
from companion.journal.session import Session, canonical_json, digest
from companion.journal.store import Journal
from companion.table.fold import Course, Fold
from companion.words import _


class Standing:
    """The queries about a running game. Thread-safe. Nothing here changes the game; `Table` does.

    lock    held by whoever changes the game, until its newest entry is on disk
    fold    of the entries that count; it only grows, and is replaced by a correction
    length  of all entries, as `journal.record.length_of` counts
    """

    def __init__(self, journal: Journal, session: Session, game: AnyGame, clock: Clock, ahead_us: int) -> None:
        """ahead_us    this game's time less the house's: an imported game keeps its own time"""
        self.session = session
        self.game = game
        self._clock = clock
        self._ahead_us = ahead_us
        self.lock = threading.RLock()
        rows, reasons = journal.rows(session.id), journal.reasons(session.id)
        self._entries = list(read_rows(game, rows, reasons))
        self._may_have_ended = any(isinstance(entry.body, EndedEarly) for entry in self._entries)
        self._may_have_stand_ins = any(isinstance(entry.body, StoodIn) for entry in self._entries)
        self.length = length_of_game(rows, reasons)
        # The stored text counts: another version may have written it, with fewer options than there are now.
        self._genesis = digest(journal.header(session.id) or canonical_json(header_json(session)))
        self.fold = Fold(game, session).with_steps(timeline(self._entries))

    def now_us(self) -> int:
        """Now, in the time of this game, which its events and entries use."""
        return self.game_us(self._clock.now_us())

    def game_us(self, table_us: int) -> int:
        """A moment in the house's table time, converted to the time of this game."""
        return table_us + self._ahead_us

    def table_us(self, game_us: int) -> int:
        """A moment in the time of this game, converted to the house's table time."""
        return game_us - self._ahead_us

    @property
    def seq(self) -> int:
        """The number of the newest entry, 0 before the first."""
        return len(self._entries)

    @property
    def state(self) -> State:
        """The game's state: always the fold of the journal."""
        return self.fold.state

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole journal of this session."""
        return tuple(self._entries)

    @property
    def newest(self) -> Entry | None:
        """The newest entry, or None before the first."""
        return self._entries[-1] if self._entries else None

    @property
    def can_undo(self) -> bool:
        """Whether "undo" would take anything back now."""
        return undo_target(self._entries) is not None

    @property
    def redo(self) -> Undone | None:
        """The undo of the newest undo that still counts, or None when something else has happened since."""
        return redo_target(self._entries)

    @property
    def ended_early(self) -> bool:
        """Whether the players stopped before the rules ended the game. It can go on; see `Table.go_on`."""
        if not self._may_have_ended:  # Each tap asks this, and the search below grows with the game.
            return False
        return early_end(self._entries) is not None and not self.game.rules.is_over(self.state)

    @property
    def stand_ins(self) -> Mapping[PlayerId, str]:
        """Player → who plays for them now, "" if that name was deleted."""
        if not self._may_have_stand_ins:
            return {}
        return {player: "" if is_sealed(who) else who for player, who in stand_ins(self._entries).items()}

    @property
    def is_played(self) -> bool:
        """Whether the game goes on: the rules have not ended it, nor the players."""
        return not self.game.rules.is_over(self.state) and not self.ended_early

    @property
    def awaiting(self) -> Collection[PlayerId]:
        """The players whose turn it is."""
        return () if self.ended_early else self.game.rules.awaiting(self.state)

    @property
    def due(self) -> Due[Event] | None:
        """The next event that the clock brings, in the game's own time."""
        return None if self.ended_early else self.game.rules.due(self.state)

    def look(self, now_us: int) -> BoxLook:
        """The box's appearance at a moment of the game's own time."""
        return BoxLook(Phase.WAITING, ()) if self.ended_early else self.game.box.look(self.state, now_us)

    @property
    def fingerprint(self) -> str:
        """The hash that covers the whole game so far."""
        return self._entries[-1].hash if self._entries else self._genesis

    def event(self, seq: int) -> Event | None:
        """The event of entry `seq` as it counts now, or None when it does not count."""
        step = self.fold.counting(seq)
        return step.event if step else None

    def state_before(self, seq: int) -> State:
        """The state in which the event of entry `seq` happened; raises NotFound when that entry does not count."""
        with self.lock:
            self.fold.step(seq)
            return self.fold.state_before(seq)

    def course(self) -> Course:
        """Everybody's points, in the order of the seats, before the first event that counts and after each of them."""
        with self.lock:
            fold = self.fold
        return fold.course()  # It needs no lock, so nobody's tap waits for a long game.

    def entries_since(self, seq: int) -> tuple[Entry, ...]:
        """Every entry after number `seq`."""
        return tuple(self._entries[max(0, seq) :])

    def touched_since(
        self, seen_seq: int, *, clock_until_us: float = math.inf, in_play: bool = False
    ) -> frozenset[str]:
        """The subjects that entries after number `seen_seq` have changed, as `game.events.affects` names them.

        clock_until_us  entries of the clock after this game time are ignored
        in_play         ignore events beside the play, too
        """
        touched: set[str] = set()
        for entry in self.entries_since(self.checked_seq(seen_seq)):
            if entry.source == "clock" and entry.at_us > clock_until_us:
                continue
            if in_play and is_all_beside_play(self._entries, entry):
                continue
            for event in concerned(self._entries, entry):
                touched |= affects(event)
        return frozenset(touched)

    def was_entered_since(self, at_us: int, event: Event) -> bool:
        """Whether an event of this kind about one of the same players was entered after this time, from any source."""
        with self.lock:
            younger = takewhile(lambda entry: entry.at_us > at_us, reversed(self._entries))
            return any(
                type(entered) is type(event) and affects(entered) & affects(event)
                for entry in younger
                for entered in concerned(self._entries, entry)
            )

    def entered_since(self, at_us: int, event: Event) -> bool:
        """Whether a person or a button has entered, after this time, an event that `event` may repeat.

        That is one of the same kind, of any player, or one that changes what `event` relies on. Entries beside the play
        never count.
        """
        with self.lock:  # It waits for an entry that is being written.
            younger = takewhile(lambda entry: entry.at_us > at_us, reversed(self._entries))
            return any(
                type(entered) is type(event) or affects(entered) & relies_on(event)
                for entry in younger
                if entry.source in ("tablet", "button", DRAWN) and not is_all_beside_play(self._entries, entry)
                for entered in concerned(self._entries, entry)
            )

    def checked_seq(self, seen_seq: int) -> int:
        """`seen_seq`; raises BadInput if this game has no such entry."""
        if not 0 <= seen_seq <= self.seq:
            raise BadInput(
                _("This game has {seq} entries, not {seen_seq}. Reload the page.", seq=self.seq, seen_seq=seen_seq)
            )
        return seen_seq


def resting(standing: Standing) -> tuple[PlayerId, ...]:
    """The players who left for a while, in the order of the seats; the game does not wait for them."""
    away = standing.game.rules.resting(standing.state)
    return tuple(player for player in standing.session.players if player in away)


def concerned(entries: Sequence[Entry], entry: Entry) -> tuple[Event | None, ...]:
    """The events that an entry posts, changes or takes out; None for a target that is no event: it affects all."""
    match entry.body:
        case Posted(event):
            return (event,)
        case EndedEarly():
            return (None,)
        case StoodIn():
            return ()
        case Struck(seq, also) | Amended(seq, _, also) | Undone(seq, also):
            old = [entries[target - 1].body for target in (seq, *also)]  # They are numbered from 1 without gaps.
            return tuple(body.event if isinstance(body, Posted) else None for body in old)


def is_all_beside_play(entries: Sequence[Entry], entry: Entry) -> bool:
    """Whether every event that an entry posts, changes, takes out or brings back lies beside the play."""
    about, _again = meant(entries, entry)  # An undo of an undo is about the entry that was taken back.
    return all(is_beside_play(event) for event in concerned(entries, about))


def thrown_us(standing: Standing, until_us: int) -> int:
    """The game time of the newest entry, up to then, that counts and says what dice on the table show; ALWAYS_US before
    the first. A throw drawn by the program left the dice where they lay.
    """
    with standing.lock:  # It waits for an entry that is being written.
        return next(
            (
                entry.at_us
                for entry in reversed(standing.entries)
                if entry.at_us <= until_us
                and entry.source != DRAWN
                and isinstance(entry.body, Posted)
                and is_throw(standing.event(entry.seq))
            ),
            ALWAYS_US,
        )
