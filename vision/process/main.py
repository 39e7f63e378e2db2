"""The vision process: owns the camera, watches it, and sends what came to rest.

Started by `companion.service.supervisor`.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from companion.clock import monotonic_us
from companion.demo.things import VirtualTable
from companion.errors import BadInput, CameraUnavailable, CompanionError
from companion.game.readings import Glance, Glanced, Kind, Photo, Photograph, Stirred, Strictness, Watching
from companion.game.readings.deck import LookAtCard, UseDeck
from companion.game.readings.mat import LookAtMat, UseScene
from companion.sensing.process_messages import ClockOffset, Heartbeat, Status, Stop
from companion.words import _
from vision.cameras.camera import Camera, Frame
from vision.cameras.health import Health
from vision.cameras.pictures import as_jpeg, reduced
from vision.open_camera import open_camera
from vision.process.isolation import leave_network
from vision.process.set_up_watch import SetUpWatch
from vision.virtual.camera import VirtualCamera
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Load, Lookout, hint_for, is_bought, reader_for, told_for
from vision.watch.watch import Read

PULSE_S = 0.5  # between signs of life
OPEN_S = 20.0  # to open a camera and see its first picture: OpenCV itself waits 10 s for one
FRAME_S = 2.0  # for the next frame of a live camera
FILE_S = 20.0  # for the next frame of a recording: a large photograph, on the smallest Pi or from a slow share
READ_S = 20.0  # to read one frame, on the smallest Pi
LATEST_GLANCE_US = 1_000_000  # so long a glance waits for a frame that is younger than the press; then any will do
LOAD_S = 60.0  # for the networks
SEES = Status("ok", _("The camera sees the table."))
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 10.0  # between attempts to open a camera that is gone; doubles each time


class Stopped(Exception):
    """The service asked this process to end."""


class Line:
    """This process's end of the pipe: sends, and takes commands in while it waits.

    A thread of its own gives signs of life for as long as what the loop does next, as it has said by `expect`, does not
    take longer than expected; the time that `wait` lets pass does not count. A camera that hangs hangs within OpenCV,
    and a recording on a network share within the kernel, where nothing but the end of the process helps: the service
    then starts another.
    """

    def __init__(self, connection: Connection, offset_us: int, give_up: Callable[[int], object] = os._exit) -> None:
        self.offset_us = offset_us
        self.came_us = monotonic_us()  # when a command last came in
        self.table: VirtualTable | None = None
        self.photo_wanted = False
        self.watching = Watching(Kind.DICE)
        self.glances: list[tuple[str, int]] = []  # tokens of those asked for and not yet given, and since when
        self.set_up_wish: LookAtMat | LookAtCard | None = None
        self.scene: UseScene | None = None  # that came and was not yet taken up
        self.deck: UseDeck | None = None  # as that
        self.strictness = 1.0
        self._connection = connection
        self._give_up = give_up
        self._lock = threading.Lock()  # a pipe takes one sender at a time
        self._told: Status | None = None
        self._until_us: int | None = None
        self._sentence = ""
        self._ended = threading.Event()
        threading.Thread(target=self._pulse, name="pulse", daemon=True).start()

    def close(self) -> None:
        """Gives no more signs of life."""
        self._ended.set()

    def send(self, message: Any) -> None:
        """Sends a plain value to the service."""
        with self._lock:
            if isinstance(message, Status):
                self._told = message
            self._connection.send(message)

    def tell(self, status: Status) -> None:
        """Says how the camera is, when that is new."""
        if status != self._told:
            self.send(status)

    def expect(self, seconds: float | None, sentence: str = "") -> None:
        """What comes next takes no longer than that, None for any time; else `sentence` is said and all ends."""
        self._sentence = sentence
        self._until_us = None if seconds is None else monotonic_us() + round(seconds * 1_000_000)

    def wait(self, seconds: float) -> None:
        """Lets time pass; returns early when a command came in, which then has been taken in."""
        until_us, since_us = self._until_us, monotonic_us()
        self._until_us = None
        came = self._connection.poll(seconds)
        if until_us is not None:
            self._until_us = until_us + monotonic_us() - since_us
        if came:
            self.take_in()

    def take_in(self) -> None:
        """Takes in every command that is here."""
        while self._connection.poll():
            self.came_us = monotonic_us()
            match self._connection.recv():
                case ClockOffset(offset_us):
                    self.offset_us = offset_us
                case VirtualTable() as table:
                    self.table = table
                case Photograph():
                    self.photo_wanted = True
                case Watching() as watching:
                    self.watching = watching
                case Glance(token):
                    self.glances.append((token, monotonic_us()))
                case Strictness(times):
                    self.strictness = times
                case LookAtMat() | LookAtCard() as wish:
                    self.set_up_wish = wish
                case UseScene() as scene:
                    self.scene = scene
                case UseDeck() as deck:
                    self.deck = deck
                case Stop():
                    raise Stopped

    def _pulse(self) -> None:
        with contextlib.suppress(OSError):  # the service has gone, and this process goes with it
            while not self._ended.wait(PULSE_S):
                until_us = self._until_us
                if until_us is not None and monotonic_us() > until_us:
                    self.send(Status("down", self._sentence))
                    self._give_up(1)
                    return
                self.send(Heartbeat())


def watch_without_network(
    connection: Connection, spec: str, offset_us: int = 0, scene_path: Path | None = None
) -> None:
    """What runs in a process of its own: the camera's pictures cannot leave it but by the pipe."""
    leave_network()
    watch_forever(connection, spec, offset_us, scene_path)


def watch_forever(
    connection: Connection,
    spec: str,
    offset_us: int = 0,
    scene_path: Path | None = None,
    load_reader: Callable[[KnownTable, Watching], Read] = reader_for,
) -> None:
    """Watches the camera `spec` until told to stop; a camera that cannot be had is tried again and again.

    offset_us   see ClockOffset
    scene_path  the scene file that calibration wrote; None, or no file there, for a table that nobody has described
    load_reader makes the readers; a test hands in another
    """
    line = Line(connection, offset_us)
    try:
        line.expect(LOAD_S, _("The dice reader does not start."))
        table = known_table(scene_path)
        line.take_in()  # what is wanted has mostly been said by now: no other reader costs memory
        with contextlib.suppress(BadInput):  # a table not yet described: said when it is looked at
            load_reader(table, line.watching)  # warm before the camera opens
        watch_camera(line, spec, table, partial(load_reader, table))
    except Stopped:
        return
    except CompanionError as error:  # nothing that trying again would mend
        line.send(Status("down", error.sentence))
        with contextlib.suppress(Stopped):
            idle(line)
    finally:
        line.close()


def known_table(scene_path: Path | None) -> KnownTable:
    """The table as calibration wrote it. A damaged file is said and costs no camera: saving again mends it."""
    try:
        return KnownTable.at(scene_path if scene_path is not None and scene_path.exists() else None)
    except BadInput as error:
        table = KnownTable()
        table.refused = error.sentence
        return table


def watch_camera(line: Line, spec: str, table: KnownTable, load: Load) -> NoReturn:
    """Opens the camera and sends what comes to rest; opens it anew each time it is gone."""
    lookout: Lookout | None = None
    health = Health()
    retry_s = FIRST_RETRY_S
    while True:
        try:
            line.expect(OPEN_S, _("The camera does not open."))
            camera = open_camera(spec, wait=line.wait, tell=partial(left_out, line))
            if isinstance(camera, VirtualCamera):
                table.use_drawn(camera.scene())
            lookout = lookout or Lookout(
                load,
                live=camera.live,
                show=table.only_mat,
                advise=partial(hint_for, table),
                explain=partial(told_for, table),
            )
            for _frame in watched(camera, lookout, line, health, table):
                retry_s = FIRST_RETRY_S
            line.send(Status("off", _("The recording is over: start again to see it once more.")))
            idle(line)
        except CameraUnavailable as error:
            line.send(Status("down", error.sentence))
            rest(line, retry_s)
            retry_s = min(2 * retry_s, LONGEST_RETRY_S)


def watched(camera: Camera, lookout: Lookout, line: Line, health: Health, table: KnownTable) -> Iterator[None]:
    """Looks at every frame that is fit to be read and sends what is found; yields after each frame."""
    set_up = SetUpWatch(camera)
    with camera:
        health.opened()
        obey(line, camera, lookout, table, set_up)
        line.expect(OPEN_S, _("The camera does not open."))
        for frame in camera.frames():
            line.expect(READ_S, _("A picture could not be read in time."))
            take_up_scene(line, camera, lookout, table)  # it may have come with a wish while the camera was waited for
            trouble = health.trouble(frame) if camera.live else ""
            now_us = monotonic_us() + line.offset_us
            if not trouble and not health.is_blind and not set_up.is_on(now_us):
                look(camera, lookout, line, frame)
            missing = table.refused or table.trouble or lookout.lack or lookout.hint
            sees = Status("note", lookout.told) if lookout.told else SEES
            line.tell(Status("down", trouble) if trouble else Status("warn", missing) if missing else sees)
            if set_up.is_due(now_us):
                line.send(set_up.look(camera.full(frame).bgr, table, now_us))
            if line.photo_wanted:
                line.photo_wanted = False
                line.send(Photo(as_jpeg(reduced(table.only_mat(camera.full(frame).bgr)))))
            yield
            del frame  # the next one need not be had beside it
            obey(line, camera, lookout, table, set_up)
            line.expect(FRAME_S if camera.live else FILE_S, _("The camera gives no picture any more."))


def left_out(line: Line, sentence: str) -> None:
    """Says that a photo of a recording is left out; the next one has its own time to be read."""
    line.send(Status("ok", sentence))
    line.expect(FILE_S, _("The camera gives no picture any more."))


def look(camera: Camera, lookout: Lookout, line: Line, frame: Frame) -> None:
    """Sends what a frame says: glances that were asked for, a table that has come to rest, or moves again."""
    now_us = monotonic_us()
    due = [
        (token, since_us)
        for token, since_us in line.glances
        if not camera.live or frame.at_us >= since_us or now_us - since_us > LATEST_GLANCE_US
    ]
    line.glances = [glance for glance in line.glances if glance not in due]
    for token, _since_us in due:
        seen = lookout.glance(frame, camera.full)
        if seen is not None:
            line.send(Glanced(token, seen))
    was_at_rest = lookout.is_at_rest
    settled = lookout.feed(frame, camera.full)
    if was_at_rest and not lookout.is_at_rest:
        line.send(Stirred())
    if settled is not None:
        line.send(settled)


def obey(line: Line, camera: Camera, lookout: Lookout, table: KnownTable, set_up: SetUpWatch) -> None:
    """Does what the commands say that have come in by now."""
    line.take_in()
    set_up.want(line.set_up_wish)
    table.strictness = line.strictness
    take_up_scene(line, camera, lookout, table)
    take_up_deck(line, lookout, table)
    line.expect(LOAD_S, _("The reader does not start."))
    lookout.want(line.watching, line.offset_us)
    if isinstance(camera, VirtualCamera):
        camera.offset_us, camera.asked_us = line.offset_us, line.came_us
        shown = line.table or camera.table
        is_other = camera.laid(shown) != camera.laid(camera.table)
        camera.show(shown)
        if is_other:
            table.use_drawn(camera.scene())
            lookout.again()


def take_up_scene(line: Line, camera: Camera, lookout: Lookout, table: KnownTable) -> None:
    """From now on only what is on the mat leaves this process. A damaged scene is said; the next good one mends it."""
    if line.scene is not None:
        scene, line.scene = line.scene, None
        try:
            table.use(scene.scene)
        except BadInput:  # the camera goes on as it was
            return
        if isinstance(camera, VirtualCamera):
            table.use_drawn(camera.scene())
        lookout.again(tell=scene.anew)


def take_up_deck(line: Line, lookout: Lookout, table: KnownTable) -> None:
    """From now on these are the cards of the bought deck; one that lies there is told by them. Whatever else is watched
    goes on: dice that were told would be told again."""
    if line.deck is not None:
        deck, line.deck = line.deck, None
        table.use_deck(deck.cards)
        if is_bought(line.watching):
            lookout.again(tell=True)


def rest(line: Line, seconds: float) -> None:
    """Waits that long, taking in commands."""
    line.expect(None)
    until_us = monotonic_us() + round(seconds * 1_000_000)
    while (left_us := until_us - monotonic_us()) > 0:
        line.wait(left_us / 1_000_000)


def idle(line: Line) -> NoReturn:
    """There is nothing left to watch; stays until told to stop."""
    while True:
        rest(line, 1.0)
