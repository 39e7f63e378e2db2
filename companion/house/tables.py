"""The open tables: each session is folded from the journal once, for all its pages."""

import gc
import logging
import threading
from collections import deque
from collections.abc import Callable
from weakref import WeakValueDictionary

from companion.changes import Live
from companion.clock import Clock
from companion.errors import CompanionError, GameUnreadable, JournalUnusable, NotFound
from companion.journal.events import Entry
from companion.journal.export import session_of
from companion.journal.record import MOST_LENGTH
from companion.journal.settings import AHEAD_US
from companion.journal.store import GONE, Journal
from companion.shelf import GAMES
from companion.table.table import Table
from companion.words import _, retold

MOST_FOLDED = 64  # With fewer, a game of the same day is folded again when somebody goes back to it.
MOST_FOLDED_LENGTH = 6_000_000  # Some 70 usual games have this length.

log = logging.getLogger(__name__)


class Tables:
    """Opens tables and keeps the newest ones folded. Thread-safe.

    on_entry    called with each new entry of any table
    """

    def __init__(self, journal: Journal, clock: Clock, live: Live, on_entry: Callable[[Table, Entry], None]) -> None:
        self._journal = journal
        self._clock = clock
        self._live = live
        self._on_entry = on_entry
        self._lock = threading.Lock()  # It guards the fields below, and only for a moment, as every page needs it.
        self._locks: WeakValueDictionary[str, threading.RLock] = WeakValueDictionary()
        # A table in use is here once. Of the others only the most recent stay folded, so memory does not grow.
        self._tables: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._recent: deque[Table] = deque()
        self._length_since_collection = 0
        self._renamings = 0
        self._unreadable: dict[str, str] = {}  # session → why it cannot be read

    def open(self, session_id: str) -> Table:
        """The table of a session, folded from the journal if it is not open yet.

        Raises NotFound if there is no such game, and GameUnreadable if this version cannot fold it.
        """
        if table := self.if_open(session_id):
            return table
        with self.lock_of(session_id):
            if table := self.if_open(session_id):
                return table
            renamings = self._renamings
            table = self._fold(session_id)
            with self._lock:
                self._tables[session_id] = table
                self._recent.append(table)
                is_outdated = renamings != self._renamings
            self._make_room()
            if is_outdated:  # A player was renamed while this table was folded.
                self._rename(table)
            return table

    def forget(self, session_id: str) -> None:
        """Lets a table go whose game was deleted."""
        with self._lock:
            self._tables.pop(session_id, None)
            self._recent = deque(table for table in self._recent if table.session.id != session_id)
            self._unreadable.pop(session_id, None)

    def _make_room(self) -> None:
        """Lets the oldest tables go until the others are few and short enough."""
        with self._lock:
            self._length_since_collection += release_oldest(self._recent)
            length = self._length_since_collection
            self._length_since_collection %= MOST_LENGTH
        if length >= MOST_LENGTH:
            gc.collect()  # A table and its history refer to each other, so only this frees their memory.

    def _on_new_entry(self, table: Table, entry: Entry) -> None:
        self._make_room()
        self._on_entry(table, entry)

    def if_open(self, session_id: str) -> Table | None:
        with self._lock:
            return self._tables.get(session_id)

    def lock_of(self, session_id: str) -> threading.RLock:
        """The lock to hold while this game is begun, imported or folded; other games go on meanwhile."""
        with self._lock:
            return self._locks.setdefault(session_id, threading.RLock())

    def _fold(self, session_id: str) -> Table:
        header = self.header(session_id)
        if why := self._unreadable.get(session_id):
            raise GameUnreadable(retold(why))
        try:
            session = session_of(header)
            return Table(
                self._journal,
                session,
                GAMES[session.game],
                self._clock,
                self._on_new_entry,
                AHEAD_US.for_key(session.id).of(self._journal),
            )
        except JournalUnusable:  # The fault is the disk's, not the game's.
            raise
        except Exception as error:
            log.warning("game %s cannot be read", session_id, exc_info=not isinstance(error, CompanionError))
            why_ = error if isinstance(error, CompanionError) else _("look into the companion's log.")
            unreadable = GameUnreadable(_("This game can't be opened here, and is kept as it is: {why}", why=why_))
            self._unreadable[session_id] = unreadable.sentence
            raise unreadable from error

    def header(self, session_id: str) -> str:
        """The header of a session as it is stored; raises NotFound if there is none, or none any more."""
        header = self._journal.header(session_id)
        if header is None and self._journal.is_deleted(session_id):
            raise NotFound(_(GONE))
        if header is None:
            raise NotFound(_("There's no such game here. Choose one from the list."))
        return header

    def all_open(self) -> tuple[Table, ...]:
        """Every table that is in use or still folded."""
        with self._lock:
            return tuple(self._tables.values())

    def update_names(self) -> None:
        """Gives every open table the players' names anew, after a player was renamed or erased.

        It forgets the reasons that were deleted, too.
        """
        with self._lock:
            self._renamings += 1
        for table in self.all_open():
            self._rename(table)

    def _rename(self, table: Table) -> None:
        table.forget_reasons()
        players = self._journal.players(table.session.players)
        table.history.rename({player.id: player.name for player in players})
        self._live.publish(f"session:{table.session.id}")


def release_oldest(recent: deque[Table]) -> int:
    """Removes the oldest tables until MOST_FOLDED and MOST_FOLDED_LENGTH hold; the newest stays, however long it is.

    Returns the length of the removed ones.
    """
    freed = 0
    while len(recent) > MOST_FOLDED or (len(recent) > 1 and sum(table.length for table in recent) > MOST_FOLDED_LENGTH):
        freed += recent.popleft().length
    return freed
