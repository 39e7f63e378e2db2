"""Photos that people take with a phone where no camera hangs: each is read as if the table had come to rest in it."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from companion.clock import Clock
from companion.errors import BadInput, IllegalEvent, TooManyTries
from companion.game.readings import BOARD_BEFORE, OF_FRONT, TAPPED_CORNERS, Kind, Settled, Watching
from companion.game.seeing import Remark
from companion.sensing.asking import ShownBy
from companion.sensing.looks import Looks, Reply
from companion.sensing.snapshots import Snapshots
from companion.table.receipts import check_id
from companion.table.table import Table
from companion.words import N_, _

Corners = tuple[tuple[float, float], ...]

MOST_AT_ONCE = 4  # Each photo takes some 25 MB of memory while it is received or read.
PATIENCE_S = 20.0  # A phone waits so long for a place: a photo is received and read in a few seconds.
SLOW_S = 15.0  # A photo that has not come by then leaves its place to those who wait.
MOST_BOARDS = 4  # The corners of a board are kept with a photo of some 150 kB.
MOST_ANSWERS = 64  # A repeated request gets its answer again; a phone on a slow line repeats within seconds.
WORDS: dict[Kind, str] = {
    Kind.DICE: N_("the dice"),
    Kind.STACKS: N_("the stacks of dice"),
    Kind.BOARD: N_("the board"),
    Kind.LOAD: N_("the boxes and trucks"),
    Kind.TOWER: N_("the stacks of blocks"),
    Kind.CARD: N_("the card"),
}


class Places:
    """Room for photos, from before each is received until it has been read. Thread-safe.

    Each device has one photo here at a time. Next comes one whose share has fewest here, and of these the one that has
    waited longest: devices that keep sending take turns with all others. The host never waits for them.

    waiting     device that waits for a place → its share; the first one has waited longest
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held: dict[str, tuple[str, float]] = {}  # device → its share, and since when in monotonic seconds
        self.waiting: dict[str, str] = {}

    @contextmanager
    def place(self, device: str, share: str, *, is_hosts: bool = False) -> Iterator[Callable[[], None]]:
        """A place, waited for; while the photo is received, the function raises TooManyTries where it takes too long.

        share       of several devices, for which nobody is refused
        is_hosts    there is a place more for the host

        Raises TooManyTries while the device has another photo here, or if no place is free within PATIENCE_S.
        """
        with self._changed:
            if device in self._held or device in self.waiting:
                raise too_many()
            self.waiting[device] = share
            try:
                if not self._changed.wait_for(lambda: self._is_next(device, is_hosts), PATIENCE_S):
                    raise too_many()
            finally:
                del self.waiting[device]
            self._held[device] = share, time.monotonic()
            self._changed.notify_all()
        try:
            yield lambda: self._stay(device)
        finally:
            with self._changed:
                del self._held[device]
                self._changed.notify_all()

    def _is_next(self, device: str, is_hosts: bool) -> bool:
        if is_hosts:
            return len(self._held) <= MOST_AT_ONCE
        here = Counter(share for share, _since_s in self._held.values())
        return len(self._held) < MOST_AT_ONCE and min(self.waiting, key=lambda each: here[self.waiting[each]]) == device

    def _stay(self, device: str) -> None:
        if self.waiting and time.monotonic() - self._held[device][1] > SLOW_S:
            raise TooManyTries(_("Your photo arrives too slowly, and others are waiting. Move closer to the Wi-Fi."))


def too_many() -> TooManyTries:
    return TooManyTries(_("Many photos are being read right now. Try again in a few seconds."))


class Photos:
    """Takes photos for games. Thread-safe.

    places  which they take first
    read    reads a photo: content of the file, what to read, table time at which it arrived; see `Outside.read_photo`
    """

    def __init__(
        self, looks: Looks, snapshots: Snapshots, read: Callable[[bytes, Watching, int], Settled], clock: Clock
    ) -> None:
        self.places = Places()
        self._looks = looks
        self._snapshots = snapshots
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._boards: OrderedDict[str, tuple[bytes, Corners]] = OrderedDict()  # game → value of BOARD_BEFORE
        self._answers: OrderedDict[tuple[str, str], Reply] = OrderedDict()  # (game, event id) → reply

    def take(
        self, table: Table, content: bytes, kind: Kind | None, shown_by: ShownBy, corners: Corners | None = None
    ) -> Reply:
        """What a photo leads to. The same event id gets the same answer.

        kind        what it shows, None for the first that the game waits for
        corners     of a board, as `TAPPED_CORNERS` describes them; None if nobody tapped any

        Raises BadInput for what is no photo or cannot be read, IllegalEvent where the game waits for no such thing, and
        as `Outside.read_photo`.
        """
        check_id(shown_by.origin.id)
        if (receipt := table.receipt_of(shown_by.origin.id)) is not None:
            return Reply(receipt)
        with self._lock:
            reply = self._answers.get((table.session.id, shown_by.origin.id))
        if reply is not None:
            return reply
        taken_us, kinds = self._clock.now_us(), wanted_kinds(table)
        if not kinds:
            raise IllegalEvent(_("No photo is needed now. Carry on with a tap."))
        if kind is not None and kind not in kinds:
            raise IllegalEvent(
                _("The game needs a different photo now. Take one of {shown}.", shown=", ".join(map(words_for, kinds)))
            )
        if not content:
            raise BadInput(_("The photo is empty. Take it again."))
        knows = {**table.game.sight.eyes(table.state).knows, **self._board_facts(table, corners)}
        shown_kind = kind or kinds[0]
        settled = self._read(content, Watching(shown_kind, knows), taken_us)
        question = self._snapshots.take_by_hand(table, settled, shown_by) if shown_kind in OF_FRONT else None
        reply = Reply(question=question) if question else self._looks.take(table, settled, shown_by)
        if reply == Reply():
            reply = Reply(remark=Remark(_("The photo shows nothing new for this game. Carry on, or take it again.")))
        if shown_kind is Kind.BOARD:
            self._keep_board(table, settled, corners, fits=reply.remark is None)
        with self._lock:
            self._answers[table.session.id, shown_by.origin.id] = reply
            while len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)
        return reply

    def _board_facts(self, table: Table, corners: Corners | None) -> dict[str, object]:
        """The corners of a board, or the photo in which they were tapped: facts for the reader."""
        if corners is not None:
            return {TAPPED_CORNERS: corners}
        with self._lock:
            photo = self._boards.get(table.session.id)
        return {} if photo is None else {BOARD_BEFORE: photo}

    def _keep_board(self, table: Table, settled: Settled, corners: Corners | None, *, fits: bool) -> None:
        """Keeps the photo in which a board's corners were tapped, until a photo no longer fits the game."""
        with self._lock:
            if not fits:
                self._boards.pop(table.session.id, None)
            elif corners is not None:
                self._boards[table.session.id] = settled.frame_jpeg, corners
                self._boards.move_to_end(table.session.id)
                while len(self._boards) > MOST_BOARDS:
                    self._boards.popitem(last=False)

    def forget_pictures(self, sessions: Collection[str] | None = None) -> None:
        """Forgets the photos of these games' boards, or of all."""
        with self._lock:
            for session in [game for game in self._boards if sessions is None or game in sessions]:
                del self._boards[session]


def wanted_kinds(table: Table) -> tuple[Kind, ...]:
    """What a game wants to see now, by a camera or in a photo: first from above, then from the front."""
    if not table.is_played:
        return ()
    eyes = table.game.sight.eyes(table.state)
    return tuple(kind for kind in (eyes.above, eyes.front) if kind is not None)


def words_for(kind: Kind) -> str:
    """What a photo of this kind shows, in the reader's language."""
    return _(WORDS[kind])
