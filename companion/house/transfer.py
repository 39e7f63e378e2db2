"""Games that go to another table, and those that come from one."""

import sqlite3

import msgspec

from companion.clock import Clock
from companion.errors import BadInput, IllegalEvent
from companion.games import GAMES, rulings
from companion.house.outcomes import Header
from companion.house.referees import note_maker
from companion.house.tables import Tables
from companion.journal import codec
from companion.journal.export import read_game_file, replayed, steps_of, write_game_file
from companion.journal.record import read_rows
from companion.journal.session import Player
from companion.journal.settings import AHEAD_US
from companion.journal.store import Journal
from companion.table.table import Table
from companion.words import _

LATEST_US = codec.LARGEST // 2  # of an imported game: no table comes so far, and there is room for what happens next


class Transfer:
    """Export and import of whole games."""

    def __init__(self, journal: Journal, tables: Tables, clock: Clock) -> None:
        self._journal = journal
        self._tables = tables
        self._clock = clock

    def export(self, session_id: str) -> str:
        """The game as JSON lines: header, names, then every entry with its hash; one that cannot be read here, too."""
        header = self._tables.header(session_id)
        players = self._journal.players(tuple(msgspec.json.decode(header, type=Header).players))
        names = {player.id: player.name for player in players}
        evidence = self._journal.evidence(session_id)
        return write_game_file(header, names, self._journal.rows(session_id), evidence)

    def take(self, text: str, maker: str = "") -> Table:
        """A game that another table exported; raises BadInput when it is damaged or was changed.

        maker       as in `Host.create`
        """
        game_file = read_game_file(text)
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
