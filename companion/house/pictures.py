"""The pictures that entries were read from: for how long the house keeps them, and which there are."""

from collections.abc import Iterable

from companion.errors import NotFound
from companion.journal.calendar import date_us
from companion.journal.settings import PICTURE_DAYS
from companion.journal.store import Journal
from companion.table.history import HistoryLine
from companion.words import _

DAY_US = 24 * 60 * 60 * 1_000_000


class Pictures:
    """Those of the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @property
    def days(self) -> int:
        """How long pictures are kept."""
        return PICTURE_DAYS.of(self._journal)

    def keep_for(self, days: int) -> None:
        """They are kept for so many days from now on; older ones go at once."""
        PICTURE_DAYS.put(self._journal, days)
        self.tidy()

    def tidy(self) -> None:
        """Deletes those that are older than the house keeps them."""
        self._journal.delete_pictures(date_us(self._journal) - self.days * DAY_US)

    def jpeg(self, name: str, session: str | None = None) -> bytes:
        """One of them; raises NotFound where it is not kept any more, or not of the only game that is asked for."""
        jpeg = self._journal.picture(name)
        if jpeg is None or not (session is None or self._is_of(name, session)):
            raise NotFound(_("This picture is not kept here any more."))
        return jpeg

    def _is_of(self, name: str, session: str) -> bool:
        """Whether it was taken in that game; of an older journal, whether the game speaks of it."""
        found = self._journal.select(
            "SELECT 1 FROM taken_in WHERE picture = ?1 AND session = ?2"
            " UNION SELECT 1 FROM entries WHERE session = ?2 AND instr(content, ?1)",
            (name, session),
        )
        return bool(found)

    def of(self, lines: Iterable[HistoryLine]) -> frozenset[str]:
        """Those that these lines were read from, as far as they are kept, by their hashes."""
        return self._journal.kept_pictures(line.picture for line in lines if line.picture)
