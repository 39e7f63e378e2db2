"""The pictures that entries were read from, and how long the house keeps them."""

from collections.abc import Iterable

from companion.errors import NotFound
from companion.journal.calendar import date_us
from companion.journal.settings import PICTURE_DAYS
from companion.journal.store import Journal
from companion.table.history import HistoryLine
from companion.words import _

DAY_US = 24 * 60 * 60 * 1_000_000


class Pictures:
    """The pictures in one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @property
    def days(self) -> int:
        """How many days pictures are kept."""
        return PICTURE_DAYS.of(self._journal)

    def keep_for(self, days: int) -> None:
        """Sets how many days pictures are kept, and deletes older ones at once."""
        PICTURE_DAYS.put(self._journal, days)
        self.tidy()

    def tidy(self) -> None:
        """Deletes the pictures that are older than that."""
        self._journal.delete_pictures(date_us(self._journal) - self.days * DAY_US)

    def jpeg(self, name: str, session: str | None = None) -> bytes:
        """The JPEG of a picture; raises NotFound if it is no longer kept, or not of this session if one is given."""
        jpeg = self._journal.picture(name)
        if jpeg is None or not (session is None or self._is_of(name, session)):
            raise NotFound(_("This picture isn't kept here any more."))
        return jpeg

    def _is_of(self, name: str, session: str) -> bool:
        """Whether a picture was taken in that game; in an older journal, whether an entry of the game names it."""
        found = self._journal.select(
            "SELECT 1 FROM taken_in WHERE picture = ?1 AND session = ?2"
            " UNION SELECT 1 FROM entries WHERE session = ?2 AND instr(content, ?1)",
            (name, session),
        )
        return bool(found)

    def of(self, lines: Iterable[HistoryLine]) -> frozenset[str]:
        """The hashes of these lines' pictures that are still kept."""
        return self._journal.kept_pictures(line.picture for line in lines if line.picture)
