"""The bought deck: its cards are shown to the camera once, on a page, and kept as one picture each.

A picture's name holds what people said of its card: `07-3.jpg` is card 7, which has three stars, `12.jpg` card 12.
Nothing here looks at pictures: the vision process cuts them out, and gets them back as the deck.
"""

import contextlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from companion.cameras.live_view import LiveView
from companion.clock import Clock
from companion.equipment.deck import CARDS, STARS
from companion.errors import BadInput, NotFound
from companion.game.readings.deck import CardSeen, DeckCard, LookAtCard, UseDeck
from companion.journal.files import make_folder, not_written, write_whole
from companion.words import _

FOLDER = "deck"
PICTURE_NAME = re.compile(r"(\d{1,2})(?:-(\d{1,3}))?")
MOST_CUTS = 16  # The camera goes on looking while a person looks at one of the last cards.


def number_and_stars(stem: str) -> tuple[int, int | None] | None:
    """The card's number and stars by its picture's name without ending; None for any other name."""
    parts = PICTURE_NAME.fullmatch(stem)
    if parts is None or not 1 <= int(parts[1]) <= CARDS:
        return None
    return int(parts[1]), None if parts[2] is None else int(parts[2])


def name_of(jpeg: bytes) -> str:
    """The name of a picture while it is shown on the page: each picture has another."""
    return f"{crc32(jpeg):08x}"


class ShownDeck(LiveView[LookAtCard, CardSeen]):
    """The cards that were shown so far, and the camera while somebody shows another. Thread-safe.

    folder      of the pictures
    send        takes commands for the vision process
    on_watched  called with whether somebody looks through the camera
    """

    def __init__(
        self, folder: Path, send: Callable[[object], None], clock: Clock, on_watched: Callable[[bool], None]
    ) -> None:
        super().__init__(send, clock, on_watched)
        self.folder = folder
        self._lock = threading.Lock()
        self._cuts: OrderedDict[str, CardSeen] = OrderedDict()
        self._cards: Mapping[int, DeckCard] = self._on_disk()
        self._tell()

    def watch(self) -> CardSeen | None:
        """See `LiveView.ask`."""
        return self.ask(lambda until_us, before: LookAtCard(until_us, before.tap if before else None))

    def hear(self, card: CardSeen) -> None:
        """Takes what the vision process has seen."""
        super().hear(card)
        if card.card_jpeg:
            with self._lock:
                self._cuts[name_of(card.card_jpeg)] = card
                while len(self._cuts) > MOST_CUTS:
                    self._cuts.popitem(last=False)

    def tap(self, x: float, y: float) -> None:
        """Says where the card lies, as parts of the picture's width and height."""
        self.change(lambda wish: replace(wish, tap=(x, y)))

    def cut(self, cut: str) -> bytes:
        """The picture of a card that was seen lately; raises NotFound for one that is gone."""
        return self._seen_cut(cut).card_jpeg

    def _seen_cut(self, cut: str) -> CardSeen:
        with self._lock:
            if cut not in self._cuts:
                raise NotFound(_("That photo of the card is gone. Look at the newest one and keep that."))
            return self._cuts[cut]

    @property
    def cards(self) -> Mapping[int, DeckCard]:
        """Number → card, in order."""
        with self._lock:
            return self._cards

    def keep(self, number: int, stars: int | None, cut: str, *, alike: bool = False) -> None:
        """Keeps the card of that picture under its number, in place of an earlier one.

        alike   accept it though it looks like a card of another number

        Raises BadInput, and changes nothing, for a number or stars that no card has, and for a card of two numbers.
        """
        if not 1 <= number <= CARDS:
            raise BadInput(_("Cards are numbered 1 to {cards}. Type this card's number.", cards=CARDS))
        if stars is not None and not STARS[0] <= stars <= STARS[1]:
            words = _(
                "A card has {least} to {most} stars. Type the number from the scoring card.",
                least=STARS[0],
                most=STARS[1],
            )
            raise BadInput(words)
        card = self._seen_cut(cut)
        if card.known not in (None, number) and card.known in self.cards and not alike:
            raise BadInput(
                _("This looks like card {n}. Give it that number, or say that it's a different card.", n=card.known)
            )
        with self._lock:
            path = self._path(number, stars)
            try:
                make_folder(self.folder)
                write_whole(path, card.card_jpeg)
                self._delete(number, but=path)
            except OSError as error:
                raise not_written(path, error) from error
            self._update()
        self.change(lambda wish: replace(wish, tap=None))  # The next card may lie elsewhere.

    def forget(self, number: int) -> None:
        """Forgets a card, as if it had never been shown."""
        with self._lock:
            if number not in self._cards:
                raise NotFound(_("Card {number} hasn't been shown yet.", number=number))
            try:
                self._delete(number)
            except OSError as error:
                raise not_written(self.folder, error) from error
            self._update()

    def _path(self, number: int, stars: int | None) -> Path:
        return self.folder / (f"{number:02}.jpg" if stars is None else f"{number:02}-{stars}.jpg")

    def _delete(self, number: int, but: Path | None = None) -> None:
        for path in self._pictures():
            parts = number_and_stars(path.stem)
            if parts is not None and parts[0] == number and path != but:
                path.unlink(missing_ok=True)

    def _pictures(self) -> list[Path]:
        """The pictures, oldest first: if a power cut left two of one card, the newer one counts."""
        return sorted(self.folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)

    def _on_disk(self) -> Mapping[int, DeckCard]:
        cards = {}
        with contextlib.suppress(OSError):  # An unreadable folder counts as empty.
            for path in self._pictures():
                parts = number_and_stars(path.stem)
                if parts is not None:
                    cards[parts[0]] = DeckCard(*parts, path.read_bytes())
        return dict(sorted(cards.items()))

    def _update(self) -> None:
        self._cards = self._on_disk()
        self._tell()

    def _tell(self) -> None:
        self._send(UseDeck(tuple(self._cards.values())))
