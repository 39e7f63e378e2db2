"""The open tables: each session is folded from the journal once, for everybody who uses it."""

import gc
import logging
import threading
from collections import deque
from collections.abc import Callable
from weakref import WeakValueDictionary

from companion.changes import Live
from companion.clock import Clock
from companion.errors import CompanionError, GameUnreadable, JournalUnusable, NotFound
from companion.games import GAMES
from companion.journal.events import Entry
from companion.journal.export import session_of
from companion.journal.record import MOST_LENGTH
from companion.journal.settings import AHEAD_US
from companion.journal.store import Journal
from companion.table.table import Table
from companion.words import _, retold

FOLDED_TABLES = 64  # fewer and a game of this evening is folded again when somebody goes back to it
FOLDED_LENGTH = 6_000_000  # of all of them: some 70 games of an evening

log = logging.getLogger(__name__)


class Tables:
    """Safe from several threads.

    on_entry    hears of each new entry of any table
    """

    def __init__(self, journal: Journal, clock: Clock, live: Live, on_entry: Callable[[Table, Entry], None]) -> None:
        self._journal = journal
        self._clock = clock
        self._live = live
        self._on_entry = on_entry
        self._lock = threading.Lock()  # of what is below, for a moment: every page looks a table up
        self._turns: WeakValueDictionary[str, threading.RLock] = WeakValueDictionary()
        # A game that somebody uses is there once; of the others the newest few stay folded, so memory does not grow.
        self._tables: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._recent: deque[Table] = deque()
        self._gone = 0  # length of those that went since their memory was last freed
        self._renamings = 0  # how often somebody had another name from then on, or none
        self._unreadable: dict[str, str] = {}  # session → why, once it was tried: nothing here changes such a game

    def open(self, session_id: str) -> Table:
        """The table of a session, folded from the journal the first time.

        Raises NotFound where there is no such game, GameUnreadable where another version wrote what this one cannot
        fold.
        """
        if known := self.if_open(session_id):
            return known
        with self.turn_at(session_id):
            if known := self.if_open(session_id):
                return known
            renamings = self._renamings
            table = self._folded(session_id)
            with self._lock:
                self._tables[session_id] = table
                self._recent.append(table)
                called_otherwise = renamings != self._renamings
            self._make_room()
            if called_otherwise:  # by whoever did not see this table yet
                self._call_by_name(table)
            return table

    def _make_room(self) -> None:
        """Lets tables go that nobody looks at and for which there is no room."""
        with self._lock:
            self._gone += let_go(self._recent)
            is_much, self._gone = self._gone >= MOST_LENGTH, self._gone % MOST_LENGTH
        if is_much:
            gc.collect()  # a table and its history know each other: until this their memory is not free

    def _on_growth(self, table: Table, entry: Entry) -> None:
        self._make_room()
        self._on_entry(table, entry)

    def if_open(self, session_id: str) -> Table | None:
        """The table of a session if it is open already."""
        with self._lock:
            return self._tables.get(session_id)

    def turn_at(self, session_id: str) -> threading.RLock:
        """Whose turn it is to begin, import or fold this game: others who ask for it wait, nobody who plays another."""
        with self._lock:
            return self._turns.setdefault(session_id, threading.RLock())

    def _folded(self, session_id: str) -> Table:
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
                self._on_growth,
                AHEAD_US.each(session.id).of(self._journal),
            )
        except JournalUnusable:  # the disk, and not this game
            raise
        except Exception as error:
            log.warning("game %s cannot be read", session_id, exc_info=not isinstance(error, CompanionError))
            found = error if isinstance(error, CompanionError) else _("look into the companion's log.")
            unreadable = GameUnreadable(_("This game cannot be read here, and is kept as it is: {why}", why=found))
            self._unreadable[session_id] = unreadable.sentence
            raise unreadable from error

    def header(self, session_id: str) -> str:
        """The header of a session as it is stored; raises NotFound."""
        header = self._journal.header(session_id)
        if header is None:
            raise NotFound(_("There is no such game here: choose one from the list."))
        return header

    def all_open(self) -> tuple[Table, ...]:
        """Every table that somebody uses, or used lately."""
        with self._lock:
            return tuple(self._tables.values())

    def call_by_name(self) -> None:
        """Somebody has another name, or none any more: every open table calls them so."""
        with self._lock:
            self._renamings += 1
        for table in self.all_open():
            self._call_by_name(table)

    def _call_by_name(self, table: Table) -> None:
        players = self._journal.players(table.session.players)
        table.history.rename({player.id: player.name for player in players})
        self._live.publish(f"session:{table.session.id}")


def let_go(recent: deque[Table]) -> int:
    """Lets the oldest go until few enough tables and little enough text are left; the newest stays however long.

    The length of those that went.
    """
    gone = 0
    while len(recent) > FOLDED_TABLES or (len(recent) > 1 and sum(table.length for table in recent) > FOLDED_LENGTH):
        gone += recent.popleft().length
    return gone
