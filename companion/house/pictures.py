"""The pictures that entries were read from, the clips beside them, and how long the house keeps both."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import msgspec

from companion.errors import BadInput, NotFound
from companion.journal.calendar import date_us
from companion.journal.settings import CLIPS, PICTURE_DAYS
from companion.journal.store import Journal
from companion.sensing.process_messages import Clip
from companion.table.history import HistoryLine
from companion.words import _

DAY_US = 24 * 60 * 60 * 1_000_000


@dataclass(frozen=True)
class ClipSize:
    """The number of pictures in a clip's strip, and the time from the first to the last."""

    frames: int
    span_ms: int


class Pictures:
    """The pictures in one journal.

    tell_cameras    called with whether cameras make clips, when that changes
    """

    def __init__(self, journal: Journal, tell_cameras: Callable[[bool], None]) -> None:
        self._journal = journal
        self._tell_cameras = tell_cameras
        self._seen: tuple[str, bytes] | None = None  # the game that the camera saw last, and its picture

    @property
    def days(self) -> int:
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
        rows = self._journal.select(
            "SELECT 1 FROM taken_in WHERE picture = ?1 AND session = ?2"
            " UNION SELECT 1 FROM entries WHERE session = ?2 AND instr(content, ?1)",
            (name, session),
        )
        return bool(rows)

    def of(self, lines: Iterable[HistoryLine]) -> frozenset[str]:
        """The hashes of these lines' pictures that are still kept."""
        return self._journal.kept_pictures(line.picture for line in lines if line.picture)

    def see(self, session: str, jpeg: bytes) -> None:
        """Remembers what the camera saw last of a game, until it sees something else."""
        self._seen = session, jpeg

    def forget_seen(self) -> None:
        self._seen = None

    def has_seen(self, session: str) -> bool:
        """Whether the newest picture of the camera is of this game."""
        return self._seen is not None and self._seen[0] == session

    def final(self, session: str) -> str | None:
        """The hash of the photo of the table after the game's end, None where there is none."""
        return self._journal.final_picture(session)

    def keep_final(self, session: str, jpeg: bytes | None) -> None:
        """Keeps a picture of the table after the game's end in place of an earlier one; None: what the camera saw last.

        Raises BadInput if the camera has seen nothing of this game.
        """
        if jpeg is None:
            if self._seen is None or self._seen[0] != session:
                raise BadInput(_("The camera hasn't seen this table lately. Take a photo with a phone."))
            jpeg = self._seen[1]
        self._journal.put_final_picture(jpeg, date_us(self._journal), session)

    @property
    def keeps_clips(self) -> bool:
        return CLIPS.of(self._journal)

    def set_keeps_clips(self, wanted: bool) -> None:
        """Sets whether clips are made and kept; those that were kept go at once if not."""
        with self._journal.changing() as db:
            CLIPS.insert(db, wanted)
            if not wanted:
                db.execute("DELETE FROM clips")
        self._tell_cameras(wanted)

    def add_clip(self, clip: Clip) -> tuple[str, ...]:
        """Keeps a clip beside its picture; returns the sessions that the picture was taken in.

        Nothing is kept without that picture, or where the house wants no clips.
        """
        if not self.keeps_clips:
            return ()
        with self._journal.changing() as db:
            db.execute(
                "INSERT OR IGNORE INTO clips SELECT hash, ?, ?, ? FROM pictures WHERE hash = ?",
                (clip.frames, clip.span_ms, clip.strip, clip.picture),
            )
        taken_in = self._journal.select("SELECT session FROM taken_in WHERE picture = ?", (clip.picture,))
        return tuple(session for (session,) in taken_in)

    def clips(self, pictures: Iterable[str | None]) -> Mapping[str, ClipSize]:
        """Picture → its clip, for those among these that have one."""
        hashes = msgspec.json.encode([picture for picture in pictures if picture]).decode()
        rows = self._journal.select(
            "SELECT picture, frames, span_ms FROM clips WHERE picture IN (SELECT value FROM json_each(?))", (hashes,)
        )
        return {picture: ClipSize(frames, span_ms) for picture, frames, span_ms in rows}

    def strip(self, name: str, session: str | None = None) -> bytes:
        """The strip of a picture's clip, as JPEG; raises NotFound as `jpeg` does."""
        self.jpeg(name, session)
        rows = self._journal.select("SELECT strip FROM clips WHERE picture = ?", (name,))
        if not rows:
            raise NotFound(_("No clip of this is kept. Look at its picture."))
        strip: bytes = rows[0][0]
        return strip
