"""Reads what the service wants from one camera, with what is known of the table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import cv2
import numpy as np

from companion.equipment.deck import Deck
from companion.errors import BadInput, CompanionError
from companion.game.readings import Kind, Settled, Watching
from companion.words import _
from vision.board.changes import BoardSince
from vision.board.reader import Spaces, board_hint, board_size_hint, read_spaces
from vision.cameras.camera import Frame
from vision.card.reader import LearnedCard, read_card
from vision.dice.reader import default_reader
from vision.readers.kinds import READERS
from vision.scene.scene import Scene
from vision.watch.clips import Clips
from vision.watch.known_table import KnownTable
from vision.watch.sharpness import Sharpness
from vision.watch.stack_watch import StackWatch
from vision.watch.stripes import Flicker
from vision.watch.watch import Full, Read, Show, Watch, remember_nothing, whole_picture

HUNTS = _(
    "The camera's focus goes in and out, so it reads only now and then. Give it more light, or switch off its "
    "autofocus. You can play on by tapping."
)
FLICKER = _(
    "A flickering lamp makes stripes in the picture. Use another lamp or daylight, or start with --mains 50 or "
    "--mains 60. You can play on by tapping."
)

Load = Callable[[Watching], Read]


class Lookout:
    """Watches one table for one kind of reading at a time.

    load        makes the reader; raises BadInput if the table is not described well enough for it
    lack        why nothing can be read now, "" when it can
    hint        see `hint_for`
    note        see `note_for`
    clips       clips of the rests that were reported
    sharpness   the sharpness of a live camera's pictures
    """

    def __init__(self, load: Load, table: KnownTable, *, live: bool) -> None:
        self.lack, self.hint, self.note = "", "", ""
        self.clips = Clips(table.mat_mask)
        self._table = table
        self._load = load
        self._live = live
        self._just_begun = live  # No rest has been seen yet.
        self._report_next = False  # The next watch reports what already lies there.
        self._watching = Watching()
        self._watch: Watch | None = None
        self._offset_us = 0
        self._flicker = Flicker()
        self.sharpness = Sharpness()

    def want(self, watching: Watching, offset_us: int) -> None:
        """Reads this from now on; what lies there at the change is not reported."""
        self._offset_us = offset_us
        if watching != self._watching:
            self._watching = watching
            self._forget()
        if self._watch is None and watching.kind is not None and not self.lack:
            self._watch = self._try(lambda: self._new_watch(watching, watching.kind or Kind.DICE))
        if self._watch is not None:
            self._watch.offset_us = offset_us

    def restart(self, *, report: bool = False) -> None:
        """Begins again for a table described anew, and reports what lies there now if `report`."""
        self._report_next = report and self._watch is not None  # A new process has nothing to repeat.
        self._forget()

    def _forget(self) -> None:
        self._watch, self.lack, self.hint, self.note = None, "", "", ""

    def feed(self, frame: Frame, full: Full) -> Settled | None:
        """A reading when the table has just come to rest with something new, else None."""
        if self._live:
            self._flicker.feed(frame.small_bgr, frame.at_us)
            self.sharpness.feed(frame.small_bgr, frame.at_us)
        self.clips.see(frame)
        watch = self._watch
        if watch is None or not self.sharpness.can_be_read:
            return None
        settled: Settled | None = self._try(lambda: watch.feed(frame, full))
        if watch.is_at_rest and self._just_begun:
            self._just_begun = False
            # Nobody saw it arrive: it may have lain there before.
            settled = settled and replace(settled, surely_new=False)
        if settled is not None:
            self.clips.plan(settled, settled.rested_us - self._offset_us, frame)
        return settled

    @property
    def disturbance(self) -> str:
        """The sentence on a lamp whose stripes are too strong to be read through, or a focus that hunts, else ""."""
        return FLICKER if self._flicker.is_strong else HUNTS if self.sharpness.is_hunting else ""

    @property
    def is_at_rest(self) -> bool:
        """Whether something is watched and nothing moved in the last frames."""
        return self._watch is not None and self._watch.is_at_rest

    @property
    def is_quiet(self) -> bool:
        """Whether nothing but a change on the table is waited for."""
        is_clear = self.sharpness.can_be_read and not self.disturbance and not self.clips.is_planned
        if self._watch is None:  # Nothing is to be read or can be; after a restart there is no watch for a moment.
            return is_clear and (self._watching.kind is None or bool(self.lack))
        return is_clear and self._watch.is_quiet

    def glance(self, frame: Frame, full: Full) -> Settled | None:
        """The reading of this one frame, or None if nothing can be read now."""
        watch = self._watch
        return None if watch is None else self._try(lambda: watch.glance(frame, full))

    def _new_watch(self, watching: Watching, kind: Kind) -> Watch:
        self.hint, self.note = hint_for(self._table, watching), note_for(self._table, watching)
        live, self._report_next = self._live and not self._report_next, False
        return watch_for(self._load(watching), kind, live=live, show=self._table.only_mat)

    def _try(self, act: Callable[[], Any]) -> Any:
        """Calls `act`; a BadInput becomes `lack` until something else is wanted."""
        try:
            return act()
        except BadInput as lack:
            self.lack, self._watch = lack.sentence, None
            return None


def needs_colours(watching: Watching) -> bool:
    """Whether what is read is told apart by its colours, so that a picture without true colours would mislead."""
    return watching.kind in (Kind.STACKS, Kind.BOARD, Kind.LOAD, Kind.CARD) or bool(watching.knows.get("colours"))


def watch_for(read: Read, kind: Kind, *, live: bool, show: Show = whole_picture) -> Watch:
    """The watch for readings of a kind made by `read`; for stacks it reports each fall, too."""
    if kind is Kind.TOWER:
        return StackWatch(read, live=live, show=show)
    on_rest = read.remember if isinstance(read, BoardSince) else remember_nothing
    again = read.again if isinstance(read, ReadHere) and READERS[kind].again else None
    return Watch(read, kind=kind, live=live, show=show, on_rest=on_rest, again=again)


@dataclass(frozen=True)
class ReadHere:
    """The reader of a kind at this table.

    scene_in  gives the table as it is known now, for a picture of it
    """

    read: Callable[[np.ndarray, Scene | None], Any]
    scene_in: Callable[[np.ndarray], Scene]
    kind: Kind

    def __call__(self, frame_bgr: np.ndarray) -> Any:
        return self.read(frame_bgr, self.scene_in(frame_bgr))

    def again(self, frame_bgr: np.ndarray, first: Any) -> Any:
        """The reading of another picture of the same rest, for kinds that have a shorter way to it."""
        again = READERS[self.kind].again
        assert again is not None
        return again(frame_bgr, self.scene_in(frame_bgr), first)


def reader_for(table: KnownTable, watching: Watching) -> Read:
    """The reader of a kind, with its networks loaded, for the table as it is known now.

    Raises BadInput for a scene that does not fit, CompanionError if the reader cannot be loaded.
    """
    table.scene(watching.knows)  # This raises BadInput now.
    if watching.kind in (Kind.DICE, Kind.STACKS):
        warm_up()
    read = READERS[watching.kind or Kind.DICE].read
    if is_bought(watching):
        deck = cards_in_play(table, watching)
        read = partial(read_card, deck=deck, whole=len(deck) == len(watching.knows["cards_in_play"]))

    def scene_in(frame_bgr: np.ndarray) -> Scene:
        if watching.kind is not Kind.DICE:  # Dice lie anywhere, so the mat is only needed to show them.
            table.find(frame_bgr)
        return table.scene(watching.knows)

    def spaces_here(frame_bgr: np.ndarray) -> tuple[Spaces, Scene]:
        scene = scene_in(frame_bgr)
        return read_spaces(frame_bgr, scene), scene

    here = ReadHere(read, scene_in, watching.kind or Kind.DICE)
    return BoardSince(spaces_here) if watching.kind is Kind.BOARD else here


def is_bought(watching: Watching) -> bool:
    """Whether a card of a bought deck is wanted."""
    return watching.kind is Kind.CARD and watching.knows.get("deck") == Deck.BOUGHT


def cards_in_play(table: KnownTable, watching: Watching) -> tuple[LearnedCard, ...]:
    """The learned cards of a bought deck that are in play; BadInput if there are none, or for one to show again."""
    deck = tuple(card for card in table.learned_cards() if card.number in watching.knows["cards_in_play"])
    if not deck:
        raise BadInput(_("The camera doesn't know your cards. Show it each card once from the house page, or tap."))
    return deck


def hint_for(table: KnownTable, watching: Watching) -> str:
    """The sentence on what the scene lacks and questions make up for, or ""; raises BadInput as `reader_for`.

    A board of another size than the game's can be read, too, but is of no use to the game.
    """
    if is_bought(watching):
        n, all_cards = len(cards_in_play(table, watching)), len(watching.knows["cards_in_play"])
        if n == all_cards:
            return ""
        return _(
            "The camera knows {known} of {all_cards} cards. It asks about each card until it has seen them all.",
            known=n,
            all_cards=all_cards,
        )
    if watching.kind is not Kind.BOARD:
        return ""
    scene = table.scene(watching.knows)
    size_hint = board_size_hint(scene, watching.knows["board_n"]) if "board_n" in watching.knows else ""
    return size_hint or board_hint(scene)


def note_for(table: KnownTable, watching: Watching) -> str:
    """The sentence on what belongs where on the mat, or ""; raises BadInput as `reader_for`."""
    return table.truck_note(watching.knows) if watching.kind is Kind.LOAD else ""


def warm_up() -> None:
    """Loads the dice reader's networks; the first reading allocates the memory of all others."""
    try:
        default_reader().read(np.zeros((960, 1280, 3), np.uint8), None)
    except (OSError, cv2.error) as error:
        raise CompanionError("The dice reader's networks cannot be loaded: install the companion again.") from error
