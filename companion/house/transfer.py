"""Games that go to another table, and those that come from one."""

import sqlite3
import threading
from collections.abc import Callable

import msgspec

from companion.clock import Clock
from companion.errors import BadInput, IllegalEvent, TooManyTries
from companion.games import GAMES, rulings
from companion.house.outcomes import Header
from companion.house.referees import note_maker
from companion.house.tables import Tables
from companion.journal import codec
from companion.journal.export import read_game_file, replayed, steps_of, write_game_file
from companion.journal.files import room_wanted
from companion.journal.record import MOST_LENGTH, length_of, read_rows, text_length
from companion.journal.session import Player
from companion.journal.settings import AHEAD_US
from companion.journal.store import Journal
from companion.table.presets import check_seats
from companion.table.table import Table
from companion.words import _, _n

MOST_BROUGHT, MOST_ALTOGETHER = 10, 40  # games that one device, and all of them, may bring within PERIOD_US
HOUR_US = 60 * 60 * 1_000_000
PERIOD_US = 24 * HOUR_US
LONGEST_FILE = MOST_LENGTH + 1_000_000  # the entries of the longest game, its header and its players' names
LATEST_US = codec.LARGEST // 2  # of an imported game: no table comes so far, and there is room for what happens next


class Brought:
    """How many games devices have brought lately, taken over or refused. Safe from several threads.

    Each costs the table seconds, and room on its disk for good. A restart forgets them: no device can make one.
    """

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._lock = threading.Lock()
        self._recent: list[tuple[int, str]] = []  # when, and by which device

    def count(self, device: str) -> None:
        """One more; raises TooManyTries where this device, or all of them, have to wait."""
        with self._lock:
            now_us = self._now_us()
            self._recent = [one for one in self._recent if one[0] > now_us - PERIOD_US]
            own = [at_us for at_us, who in self._recent if who == device]
            for times, most in ((own, MOST_BROUGHT), ([at_us for at_us, _who in self._recent], MOST_ALTOGETHER)):
                if len(times) >= most:
                    hours = -(-(times[0] + PERIOD_US - now_us) // HOUR_US)
                    raise TooManyTries(
                        _n(
                            "Too many games were brought here since yesterday: try again in {n} hour or ask the host.",
                            "Too many games were brought here since yesterday: try again in {n} hours or ask the host.",
                            hours,
                        )
                    )
            self._recent.append((now_us, device))


class Transfer:
    """Export and import of whole games.

    brought     asked before a game is taken from any device but the host's
    """

    def __init__(self, journal: Journal, tables: Tables, clock: Clock) -> None:
        self._journal = journal
        self._tables = tables
        self._clock = clock
        self._taking = threading.Lock()  # one at a time: each may take many times the memory of its text
        self.brought = Brought(clock.now_us)

    def export(self, session_id: str) -> str:
        """The game as JSON lines: header, names, then every entry with its hash; one that cannot be read here, too."""
        header = self._tables.header(session_id)
        players = self._journal.players(tuple(msgspec.json.decode(header, type=Header).players))
        names = {player.id: player.name for player in players}
        evidence = self._journal.evidence(session_id)
        return write_game_file(header, names, self._journal.rows(session_id), evidence)

    def take(self, text: str, maker: str = "") -> Table:
        """A game that another table exported; raises BadInput when it is damaged, was changed or finds no room here.

        maker       as in `Host.create`
        """
        with self._taking:
            return self._taken(text, maker)

    def _taken(self, text: str, maker: str) -> Table:
        if wanted := room_wanted(self._journal.path, len(text)):
            raise BadInput(_("The disk of this table has no room for more games: free {number} MB.", number=wanted))
        too_long = BadInput(_("This game is too long to be taken over: look at it at the table where it was played."))
        if text_length(text) > LONGEST_FILE:  # before it is read, which takes many times the memory
            raise too_long
        game_file = read_game_file(text)
        if sum(length_of(row.content) for row in game_file.rows) > MOST_LENGTH:
            raise too_long
        check_seats(GAMES[game_file.session.game], len(game_file.session.players))
        if game_file.broken_at is not None:
            raise BadInput(
                _(
                    "The game was changed after it was played (entry {broken_at}): export it again.",
                    broken_at=game_file.broken_at,
                )
            )
        session = game_file.session
        players = tuple(Player(player, name) for player, name in game_file.names.items())

        def beside(db: sqlite3.Connection) -> None:
            note_maker(db, session, maker)
            for newest in read_rows(GAMES[session.game], game_file.rows[-1:]):  # it goes on from there, in its own time
                AHEAD_US.each(session.id).insert(db, min(newest.at_us, LATEST_US) - self._clock.now_us())

        with self._tables.turn_at(session.id):
            if self._journal.header(session.id) is not None:
                raise IllegalEvent(_("This game is here already: open it from the list."))
            steps = steps_of(game_file)
            rulings.check_number((), (step.event for step in steps))
            replayed(game_file, steps)
            self._journal.import_session(
                session,
                players,
                game_file.rows,
                game_file.header,
                self._clock.instant(),
                evidence=game_file.evidence,
                beside=beside,
            )
        return self._tables.open(session.id)
