"""What one camera is looked through for: the reading that the service wants now, with what is known of the table."""

from collections.abc import Callable
from dataclasses import replace
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
from vision.card.reader import ShownCard, read_card
from vision.dice.reader import default_reader
from vision.readers.kinds import READERS
from vision.scene.scene import Scene
from vision.watch.known_table import KnownTable
from vision.watch.stack_watch import StackWatch
from vision.watch.watch import Full, Read, Show, Watch, nothing, whole

Load = Callable[[Watching], Read]
Hint = Callable[[Watching], str]


def says_nothing(_watching: Watching) -> str:
    return ""


class Lookout:
    """Watches for one kind of reading at a time.

    load    makes the reader; raises BadInput when the table is not described well enough for it
    show    what may be seen of a picture outside this process
    advise  what a kind of reading can do without, but not well
    explain what people have to know of what is looked for where
    lack    why nothing can be read now, "" when it can
    hint    why more is asked now than needed, "" when nothing is
    told    what `explain` says of what is wanted now, "" when nothing
    """

    def __init__(
        self, load: Load, *, live: bool, show: Show = whole, advise: Hint = says_nothing, explain: Hint = says_nothing
    ) -> None:
        self.lack, self.hint, self.told = "", "", ""
        self._advise, self._explain = advise, explain
        self._show = show
        self._load = load
        self._live = live
        self._just_begun = live  # no rest was seen yet
        self._tell = False  # what lies there when the next watch begins
        self._watching = Watching()
        self._watch: Watch | StackWatch | None = None
        self._offset_us = 0

    def want(self, watching: Watching, offset_us: int) -> None:
        """What is to be read from now on; what lies there when that changes is not told."""
        self._offset_us = offset_us
        if watching != self._watching:
            self._watching = watching
            self._forget()
        if self._watch is None and watching.kind is not None and not self.lack:
            self._watch = self._able(lambda: self._new_watch(watching, watching.kind or Kind.DICE))
        if self._watch is not None:
            self._watch.offset_us = offset_us

    def again(self, *, tell: bool = False) -> None:
        """The table is described anew: begins afresh, and tells what lies there now where that is wanted."""
        self._tell = tell and self._watch is not None  # a process that has just begun knows of nothing to tell again
        self._forget()

    def _forget(self) -> None:
        self._watch, self.lack, self.hint, self.told = None, "", "", ""

    def feed(self, frame: Frame, full: Full) -> Settled | None:
        """A reading when the table has just come to rest as it was not before."""
        watch = self._watch
        settled: Settled | None = None if watch is None else self._able(lambda: watch.feed(frame, full))
        if watch is not None and watch.is_at_rest and self._just_begun:
            self._just_begun = False
            return settled and replace(settled, surely_new=False)  # nobody saw it come: it may have lain there
        return settled

    @property
    def is_at_rest(self) -> bool:
        """Something is watched, and nothing moved in the last frames."""
        return self._watch is not None and self._watch.is_at_rest

    def glance(self, frame: Frame, full: Full) -> Settled | None:
        """What this one picture says; None when nothing can be read now."""
        watch = self._watch
        return None if watch is None else self._able(lambda: watch.glance(frame, full))

    def _new_watch(self, watching: Watching, kind: Kind) -> Watch | StackWatch:
        self.hint, self.told = self._advise(watching), self._explain(watching)
        live, self._tell = self._live and not self._tell, False
        return watch_for(self._load(watching), kind, live=live, show=self._show)

    def _able(self, act: Callable[[], Any]) -> Any:
        """Does it, or keeps the sentence that says what the scene lacks until something else is wanted."""
        try:
            return act()
        except BadInput as lack:
            self.lack, self._watch = lack.sentence, None
            return None


def watch_for(read: Read, kind: Kind, *, live: bool, show: Show = whole) -> Watch | StackWatch:
    """What watches for readings of a kind that `read` makes: of stacks it tells each fall, too."""
    if kind is Kind.TOWER:
        return StackWatch(read, live=live, show=show)
    on_rest = read.remember if isinstance(read, BoardSince) else nothing
    return Watch(read, kind=kind, live=live, show=show, on_rest=on_rest)


def reader_for(table: KnownTable, watching: Watching) -> Read:
    """The reader of a kind, warm, for the table as calibration wrote it and the game knows it.

    Raises BadInput for a scene that does not fit, CompanionError where the reader cannot be had at all.
    """
    table.scene(watching.knows)  # what does not fit is said now
    if watching.kind in (Kind.DICE, Kind.STACKS):
        warm_up()
    read = READERS[watching.kind or Kind.DICE].read
    if is_bought(watching):
        deck = cards_in_play(table, watching)
        read = partial(read_card, deck=deck, whole=len(deck) == len(watching.knows["cards_in_play"]))

    def scene_in(frame_bgr: np.ndarray) -> Scene:
        if watching.kind is not Kind.DICE:  # dice lie anywhere: for them the mat is looked for afterwards
            table.find(frame_bgr)
        return table.scene(watching.knows)

    def spaces_here(frame_bgr: np.ndarray) -> tuple[Spaces, Scene]:
        scene = scene_in(frame_bgr)
        return read_spaces(frame_bgr, scene), scene

    def read_here(frame_bgr: np.ndarray) -> Any:
        return read(frame_bgr, scene_in(frame_bgr))

    return BoardSince(spaces_here) if watching.kind is Kind.BOARD else read_here


def is_bought(watching: Watching) -> bool:
    """Whether a card is looked for that is none of our own deck."""
    return watching.kind is Kind.CARD and watching.knows.get("deck") == Deck.BOUGHT


def cards_in_play(table: KnownTable, watching: Watching) -> tuple[ShownCard, ...]:
    """What the cards of a bought deck are told by that may come now; raises BadInput while none of them was shown, or
    for one that has to be shown again."""
    deck = tuple(card for card in table.shown_cards() if card.number in watching.knows["cards_in_play"])
    if not deck:
        raise BadInput(_("The camera does not know your cards: show it each once, from the page of the house, or tap."))
    return deck


def hint_for(table: KnownTable, watching: Watching) -> str:
    """What the scene lacks and a reader can do without, at the price of questions; raises BadInput as `reader_for`.

    A board of another size than the game's can be read, too, but tells the game nothing.
    """
    if is_bought(watching):
        known, all_cards = len(cards_in_play(table, watching)), len(watching.knows["cards_in_play"])
        if known == all_cards:
            return ""
        return _(
            "The camera knows {known} of {all_cards} cards: it asks about each until all of them were shown.",
            known=known,
            all_cards=all_cards,
        )
    if watching.kind is not Kind.BOARD:
        return ""
    scene = table.scene(watching.knows)
    other = board_size_hint(scene, watching.knows["board_n"]) if "board_n" in watching.knows else ""
    return other or board_hint(scene)


def told_for(table: KnownTable, watching: Watching) -> str:
    """What people have to know of what is looked for where; raises BadInput as `reader_for`."""
    return table.told(watching.knows) if watching.kind is Kind.LOAD else ""


def warm_up() -> None:
    """Loads the dice reader's networks; the first reading plans memory for all others."""
    try:
        default_reader().read(np.zeros((960, 1280, 3), np.uint8), None)
    except (OSError, cv2.error) as error:
        raise CompanionError("The dice reader's networks cannot be loaded: install the companion again.") from error
