"""Export of games to other tables, and import from them."""

import sqlite3
import threading
from collections.abc import Callable, Iterator

from companion.clock import Clock
from companion.errors import BadInput, IllegalEvent, TooManyTries
from companion.foreign import read_json
from companion.games import rulings
from companion.house.outcomes import Header
from companion.house.referees import note_maker
from companion.house.tables import Tables
from companion.journal import codec
from companion.journal.export import read_game_file, replayed, steps_of, write_game_file
from companion.journal.files import room_wanted
from companion.journal.record import MOST_LENGTH, length_of_game, read_rows, text_length
from companion.journal.session import Player
from companion.journal.settings import AHEAD_US
from companion.journal.store import Journal
from companion.network.addresses import network_of
from companion.shelf import GAMES
from companion.table.presets import check_seats
from companion.table.table import Table
from companion.words import _, _n

MOST_IMPORTS, MOST_OF_ALL = 10, 40
"""The imports that one device, and all devices, may make within PERIOD_US."""
HOUR_US = 60 * 60 * 1_000_000
PERIOD_US = 24 * HOUR_US
LONGEST_FILE = MOST_LENGTH + 1_000_000  # The header and the players' names come to the entries of the longest game.
LATEST_US = codec.LARGEST // 2  # No table comes so far, and later events of an imported game still fit.


class ImportLimit:
    """Counts the imports of each device, accepted or refused. Thread-safe.

    An import takes seconds of the table's time, and its game room on the disk for good. A restart begins the count
    anew, but no device can cause one.
    """

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._lock = threading.Lock()
        self._recent: list[tuple[int, str, str]] = []  # (table time, device, address) of each import

    def count(self, device: str, address: str) -> None:
        """Counts an import of this device; raises TooManyTries if the device, its address, or all of them, must wait.

        A device gets a new ticket with each scan of the wall's code, so an address has at most half of what the others
        leave of the imports of a day.
        """
        address = network_of(address)
        with self._lock:
            now_us = self._now_us()
            self._recent = [import_ for import_ in self._recent if import_[0] > now_us - PERIOD_US]
            all_times = [at_us for at_us, _by, _at in self._recent]
            own_times = [at_us for at_us, by, _at in self._recent if by == device]
            address_times = [at_us for at_us, _by, at in self._recent if at == address]
            half = (MOST_OF_ALL - (len(all_times) - len(address_times))) // 2
            for times, most in ((own_times, MOST_IMPORTS), (address_times, half), (all_times, MOST_OF_ALL)):
                if len(times) >= most:
                    hours = -(-((times or all_times)[0] + PERIOD_US - now_us) // HOUR_US)
                    raise TooManyTries(
                        _n(
                            "Too many games were brought here since yesterday. Try again in {n} hour, or ask the host.",
                            "Too many games were brought here since yesterday. Try again in {n} hours, or ask "
                            "the host.",
                            hours,
                        )
                    )
            self._recent.append((now_us, device, address))


class Transfer:
    """Exports and imports whole games.

    import_limit    for every device but the host's; its user calls it before `take`
    """

    def __init__(self, journal: Journal, tables: Tables, clock: Clock) -> None:
        self._journal = journal
        self._tables = tables
        self._clock = clock
        self._importing = threading.Lock()  # An import may need many times the memory of its text.
        self.import_limit = ImportLimit(clock.now_us)

    def export(self, session_id: str) -> str:
        """The game as JSON lines; also of a game that this version cannot fold."""
        return "".join(self.export_in_pieces(session_id))

    def export_in_pieces(self, session_id: str) -> Iterator[str]:
        """The same in pieces (`write_game_file`), of the entries that are there when the first one is asked for.

        However long the game is, no more than a piece of it is in memory. Raises NotFound when it is deleted meanwhile.
        """
        header = self._tables.header(session_id)
        players = self._journal.players(tuple(read_json(header, Header).players))
        names = {player.id: player.name for player in players}
        evidence = self._journal.evidence(session_id)
        rows, reasons = self._journal.rows_in_pieces(session_id), self._journal.reasons(session_id)
        yield from write_game_file(header, names, rows, evidence, reasons)

    def take(self, text: str, maker: str = "") -> Table:
        """Imports a game that another table exported, and opens it.

        Raises BadInput if it is damaged, was changed or finds no room here; IllegalEvent if it is here already.

        maker       as in `Host.create`
        """
        with self._importing:
            return self._take(text, maker)

    def _take(self, text: str, maker: str) -> Table:
        if missing_mb := room_wanted(self._journal.path, len(text)):
            raise BadInput(_("This table's disk has no room for more games. Free up {number} MB.", number=missing_mb))
        too_long = BadInput(_("This game is too long to be moved here. Look at it at the table where it was played."))
        if text_length(text) > LONGEST_FILE:  # It is checked first, as reading takes many times the memory.
            raise too_long
        game_file = read_game_file(text)
        if length_of_game(game_file.rows, game_file.reasons) > MOST_LENGTH:
            raise too_long
        check_seats(GAMES[game_file.session.game], len(game_file.session.players))
        if game_file.broken_at is not None:
            raise BadInput(
                _(
                    "The game was changed after it was played (entry {broken_at}). Export it again.",
                    broken_at=game_file.broken_at,
                )
            )
        session = game_file.session
        players = tuple(Player(player, name) for player, name in game_file.names.items())

        def beside(db: sqlite3.Connection) -> None:
            note_maker(db, session, maker)
            for newest in read_rows(GAMES[session.game], game_file.rows[-1:]):  # Table time goes on from there.
                AHEAD_US.for_key(session.id).insert(db, min(newest.at_us, LATEST_US) - self._clock.now_us())

        with self._tables.lock_of(session.id):
            if self._journal.header(session.id) is not None:
                raise IllegalEvent(_("This game is already here. Open it from the list."))
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
                reasons=game_file.reasons,
            )
        return self._tables.open(session.id)
