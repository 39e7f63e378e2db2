"""The vision process: owns the camera, watches it, and sends the reading of each rest.

Started by `companion.app.service.supervisor`.
"""

import contextlib
import math
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from companion.cameras.in_network import is_address
from companion.cameras.names import PHONE
from companion.clock import monotonic_us
from companion.demo.things import VirtualTable
from companion.errors import BadInput, CameraUnavailable, CompanionError
from companion.game.readings import (
    EncodePhoto,
    Glance,
    Glanced,
    Kind,
    Photo,
    Photograph,
    ReadPhoto,
    Stirred,
    Strictness,
    Watching,
)
from companion.game.readings.deck import LookAtCard, UseDeck
from companion.game.readings.mat import LookAtMat, UseScene
from companion.periodic import begin
from companion.sensing.process_messages import ClockOffset, Heartbeat, KeepClips, PicturePiece, Status, Stop
from companion.words import _
from vision.cameras.camera import Camera, CameraLost, Frame
from vision.cameras.fetcher import Fetcher, FetcherGone
from vision.cameras.health import Health
from vision.cameras.network import NetworkCamera
from vision.cameras.pictures import as_jpeg, reduced
from vision.open_camera import open_camera
from vision.process.focus_keeper import FocusKeeper
from vision.process.isolation import leave_network
from vision.process.pace import time_limit_s
from vision.process.phone_line import PhoneLine
from vision.process.set_up_watch import SetUpWatch
from vision.virtual.camera import VirtualCamera
from vision.watch.known_table import KnownTable, load_table
from vision.watch.lookout import Load, Lookout, is_bought, needs_colours, reader_for
from vision.watch.watch import Read

PULSE_S = 0.5  # Signs of life are so far apart.
SLOW_S = 2.0  # After this people are told that the camera takes its time to open.
OPEN_S = 20.0  # A camera is open and gives its first picture within this: OpenCV itself waits 10 s for one.
FRAME_S = 2.0  # The next frame of a live camera comes within this.
NETWORK_S = 8.0  # In the network it may take longer: the fetcher itself says after 3 s that nothing comes.
FILE_S = 20.0  # The next frame of a recording may be a large photograph, on the smallest Pi or from a slow share.
READ_S = 20.0  # The smallest Pi reads one frame within this.
LATEST_GLANCE_US = 1_000_000  # A glance waits so long for a frame taken after the press; then any frame will do.
LOAD_S = 60.0  # Networks are loaded within this.
SLOW = _("The camera is taking a long time to open. You can play on by tapping.")
SEES = Status("ok", _("The camera sees the table."))
# The time between attempts to open a missing camera doubles from the first to the second.
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 10.0

T = TypeVar("T")


class Stopped(Exception):
    """The service asked this process to end."""


class ServicePipe:
    """This process's end of the pipe: sends messages, and receives commands while it waits.

    A thread gives signs of life as long as the loop's next step takes no longer than `expect` allows; time in `wait`
    does not count. A hanging camera hangs within OpenCV, and a recording on a network share within the kernel. Only the
    end of the process helps then, and the service starts another.
    """

    def __init__(self, connection: Connection, offset_us: int, give_up: Callable[[int], object] = os._exit) -> None:
        self.give_up = give_up
        self.came_us = monotonic_us()  # A command last came in then.
        self._connection = connection
        # The commands are by kind; what came last stands last.
        self._newest: dict[type, Any] = {ClockOffset: ClockOffset(offset_us)}
        self._errands: list[tuple[Any, int]] = []  # They are not yet taken, and stand with the time since when.
        self._lock = threading.Lock()  # A pipe takes one sender at a time.
        self._last_status: Status | None = None
        self._until_us: int | None = None
        self._sentence = ""
        self._slow_us: int | None = None
        self._ended = threading.Event()
        begin("pulse", self._pulse)

    def close(self) -> None:
        """Stops the signs of life."""
        self._ended.set()

    def send(self, message: Any) -> None:
        """Sends a plain value to the service."""
        with self._lock:
            if isinstance(message, Status):
                self._last_status = message
            self._connection.send(message)

    def report(self, status: Status) -> None:
        """Sends the camera's status if it is new."""
        if status != self._last_status:
            self.send(status)

    def expect(self, seconds: float | None, sentence: str = "", *, is_opening: bool = False) -> None:
        """Limits the next step to so many seconds, None for no limit; later `sentence` is sent and the process ends.

        is_opening  whether people are told after SLOW_S that it takes long
        """
        self._slow_us = monotonic_us() + round(SLOW_S * 1_000_000) if is_opening else None
        self._sentence = sentence
        self._until_us = None if seconds is None else monotonic_us() + round(seconds * 1_000_000)

    def wait(self, seconds: float) -> None:
        """Waits for so many seconds, or until a command comes, which is received."""
        until_us, since_us = self._until_us, monotonic_us()
        self._until_us = None
        is_command = self._connection.poll(seconds)
        if until_us is not None:
            self._until_us = until_us + monotonic_us() - since_us
        if is_command:
            self.receive()

    def receive(self) -> None:
        """Receives every command that has come; raises Stopped for Stop."""
        while self._connection.poll():
            self.came_us = monotonic_us()
            match self._connection.recv():
                case Stop():
                    raise Stopped
                case Glance() | PicturePiece() | ReadPhoto() | EncodePhoto() as errand:
                    self._errands.append((errand, self.came_us))
                case Photograph() | UseDeck() | UseScene() as errand:  # Only the newest counts.
                    self.take(type(errand))
                    self._errands.append((errand, self.came_us))
                case command:
                    self._newest.pop(type(command), None)
                    self._newest[type(command)] = command

    def newest(self, kind: Any, default: T) -> T:
        """The newest command of this kind, or of one of these kinds."""
        return next((command for command in reversed(self._newest.values()) if isinstance(command, kind)), default)

    def take(self, kind: type[T], is_due: Callable[[int], bool] = lambda _since_us: True) -> list[T]:
        """Takes the errands of this kind that are due, by when they came."""

        def is_wanted(errand: tuple[Any, int]) -> bool:
            return isinstance(errand[0], kind) and is_due(errand[1])

        commands = [command for command, _since_us in filter(is_wanted, self._errands)]
        self._errands = [errand for errand in self._errands if not is_wanted(errand)]
        return commands

    def awaits(self, kind: type) -> bool:
        """Whether an errand of this kind is left to do."""
        return any(isinstance(errand, kind) for errand, _since_us in self._errands)

    @property
    def watching(self) -> Watching:
        """What the service wants to be read."""
        return self.newest(Watching, Watching(Kind.DICE))

    @property
    def offset_us(self) -> int:
        """See ClockOffset."""
        return self.newest(ClockOffset, ClockOffset(0)).offset_us

    def _until_next_s(self) -> float:
        """The time to the next sign of life, or to when something is to be said if that comes first."""
        due_us = [at_us for at_us in (self._slow_us, self._until_us) if at_us is not None]
        left_us = min(due_us) - monotonic_us() + 1 if due_us else math.inf
        return max(0.0, min(PULSE_S, left_us / 1_000_000))

    def _pulse(self) -> None:
        with contextlib.suppress(OSError):  # The service has gone, and this process ends with it.
            while not self._ended.wait(self._until_next_s()):
                until_us, slow_us = self._until_us, self._slow_us
                if slow_us is not None and monotonic_us() > slow_us:
                    self._slow_us = None
                    self.send(Status("down", SLOW))
                if until_us is not None and monotonic_us() > until_us:
                    self.send(Status("down", self._sentence))
                    self.give_up(1)
                    return
                self.send(Heartbeat())


def watch_without_network(
    connection: Connection, spec: str, offset_us: int = 0, scene_path: Path | None = None
) -> None:
    """Runs in a process of its own: the camera's pictures can leave it only through the pipe.

    A camera in the network is read by a further process, which knows nothing of the table.
    """
    fetcher = Fetcher() if is_address(spec) else None
    leave_network()
    watch_forever(connection, spec, offset_us, scene_path, fetcher=fetcher)


def watch_forever(
    connection: Connection,
    spec: str,
    offset_us: int = 0,
    scene_path: Path | None = None,
    load_reader: Callable[[KnownTable, Watching], Read] = reader_for,
    fetcher: Fetcher | None = None,
) -> None:
    """Watches the camera `spec` until told to stop; a camera that cannot be opened is tried again and again.

    offset_us   see ClockOffset
    scene_path  the scene file; None or a missing file for a table that nobody has described
    load_reader makes the readers
    fetcher     reads a camera in the network
    """
    pipe = ServicePipe(connection, offset_us)
    try:
        pipe.expect(time_limit_s(LOAD_S), _("The dice reader won't start."))
        table = load_table(scene_path)
        pipe.receive()  # By now the wanted kind has mostly come, so no other reader takes memory.
        with contextlib.suppress(BadInput):  # A table not yet described is reported when it is watched.
            load_reader(table, pipe.watching)  # Networks are loaded before the camera opens.
        if fetcher is not None:
            pipe.expect(None)  # It has a limit of its own, and started meanwhile.
            fetcher.wait_ready()
        watch_camera(pipe, spec, table, partial(load_reader, table), fetcher)
    except Stopped:
        return
    except (FetcherGone, CameraLost) as error:  # Only another process can go on: this one has no network.
        pipe.send(Status("down", error.sentence))
        if isinstance(error, CameraLost):
            pipe.give_up(1)  # It ends at once, as a camera that is gone may not even be closed.
    except CompanionError as error:  # Trying again would not help.
        pipe.send(Status("down", error.sentence))
        with contextlib.suppress(Stopped):
            wait_for_stop(pipe)
    finally:
        pipe.close()


def watch_camera(
    pipe: ServicePipe, spec: str, table: KnownTable, load: Load, fetcher: Fetcher | None = None
) -> NoReturn:
    """Opens the camera and sends the reading of each rest; opens it again each time it is gone."""
    lookout: Lookout | None = None
    health, phone, tell = Health(), PhoneLine(pipe), partial(report_omission, pipe)
    retry_s = FIRST_RETRY_S
    while True:
        try:
            pipe.expect(OPEN_S, _("The camera won't open."), is_opening=True)
            camera = open_camera(spec, wait=pipe.wait, tell=tell, fetcher=fetcher, phone=phone)
            if isinstance(camera, VirtualCamera):
                table.use_drawn(camera.scene())
            lookout = lookout or Lookout(load, table, live=camera.live)
            for _frame in watch_frames(camera, lookout, pipe, health, table):
                retry_s = FIRST_RETRY_S
            pipe.send(Status("off", _("The recording is over. Restart to see it again.")))
            wait_for_stop(pipe)
        except (FetcherGone, CameraLost):
            raise
        except CameraUnavailable as error:
            pipe.send(Status("down", error.sentence))
            wait_for(pipe, retry_s)
            if spec != PHONE:  # A phone's wait is that for a picture.
                retry_s = min(2 * retry_s, LONGEST_RETRY_S)


def watch_frames(
    camera: Camera, lookout: Lookout, pipe: ServicePipe, health: Health, table: KnownTable
) -> Iterator[None]:
    """Watches every readable frame and sends what is found; yields after each frame."""
    set_up, focus = SetUpWatch(camera), FocusKeeper(camera)
    with camera:
        health.opened()
        apply_commands(pipe, camera, lookout, table, set_up)
        pipe.expect(OPEN_S, _("The camera won't open."), is_opening=True)
        for frame in camera.frames():
            pipe.expect(time_limit_s(READ_S), _("A picture couldn't be read in time."))
            apply_scene(pipe, camera, lookout, table)  # It may have come while waiting for the camera.
            trouble = health.trouble(frame) if camera.live else ""
            now_us = monotonic_us() + pipe.offset_us
            is_read = health.sees_colours or not needs_colours(pipe.watching)
            if is_read and not trouble and not health.is_blind and not set_up.is_on(now_us):
                send_findings(camera, lookout, pipe, frame)
            focus.follow(lookout.sharpness, sets_up=set_up.is_on(now_us), is_set_up=table.is_set_up)
            flaw = health.cast or lookout.disturbance
            missing = flaw or table.defect or table.trouble or lookout.lack or lookout.hint
            sees = Status("note", lookout.note) if lookout.note else SEES
            pipe.report(Status("down", trouble) if trouble else Status("warn", missing) if missing else sees)
            if set_up.is_due(now_us):
                pipe.send(set_up.look(camera.full(frame).bgr, table, now_us))
            if not pipe.awaits(Glance) and not set_up.is_on(now_us) and (clip := lookout.clips.make()):
                pipe.send(clip)
            if pipe.take(Photograph):
                pipe.send(Photo(as_jpeg(reduced(table.only_mat(camera.full(frame).bgr)))))
            yield
            del frame  # Its memory is free before the next one.
            apply_commands(pipe, camera, lookout, table, set_up)
            pipe.expect(frame_s(camera), _("The camera has stopped sending pictures."))


def frame_s(camera: Camera) -> float:
    """The time limit for a camera's next frame."""
    return NETWORK_S if isinstance(camera, NetworkCamera) else FRAME_S if camera.live else FILE_S


def report_omission(pipe: ServicePipe, sentence: str) -> None:
    """Reports a photo that a recording leaves out; the next one has its own time limit."""
    pipe.send(Status("ok", sentence))
    pipe.expect(FILE_S, _("The camera has stopped sending pictures."))


def send_findings(camera: Camera, lookout: Lookout, pipe: ServicePipe, frame: Frame) -> None:
    """Sends what a frame shows: glances asked for, a table that has come to rest, or one that moves again."""
    now_us = monotonic_us()

    def is_due(since_us: int) -> bool:
        return not camera.live or frame.at_us >= since_us or now_us - since_us > LATEST_GLANCE_US

    for glance in pipe.take(Glance, is_due):
        settled = lookout.glance(frame, camera.full)
        if settled is not None:
            pipe.send(Glanced(glance.token, settled))
    was_at_rest = lookout.is_at_rest
    settled = lookout.feed(frame, camera.full)
    if was_at_rest and not lookout.is_at_rest:
        pipe.send(Stirred())
    if settled is not None:
        pipe.send(settled)


def apply_commands(pipe: ServicePipe, camera: Camera, lookout: Lookout, table: KnownTable, set_up: SetUpWatch) -> None:
    """Applies the commands that have come."""
    pipe.receive()
    set_up.want(pipe.newest(LookAtMat | LookAtCard, None))
    table.strictness = pipe.newest(Strictness, Strictness()).times
    lookout.clips.keep(pipe.newest(KeepClips, KeepClips()).wanted)
    apply_scene(pipe, camera, lookout, table)
    apply_deck(pipe, lookout, table)
    pipe.expect(time_limit_s(LOAD_S), _("The reader won't start."))
    lookout.want(pipe.watching, pipe.offset_us)
    if isinstance(camera, VirtualCamera):
        camera.offset_us, camera.asked_us = pipe.offset_us, pipe.came_us
        before, camera.table = camera.table, pipe.newest(VirtualTable, camera.table)
        if camera.scene_key(before) != camera.scene_key(camera.table):
            table.use_drawn(camera.scene())
            lookout.restart()


def apply_scene(pipe: ServicePipe, camera: Camera, lookout: Lookout, table: KnownTable) -> None:
    """Applies a new scene, so only what is on its mat leaves this process.

    A damaged scene is reported, and the next good one replaces it.
    """
    for scene in pipe.take(UseScene)[-1:]:
        try:
            table.use(scene.scene)
        except BadInput:  # The last scene stays in use.
            return
        if isinstance(camera, VirtualCamera):
            table.use_drawn(camera.scene())
        lookout.restart(report=scene.anew)


def apply_deck(pipe: ServicePipe, lookout: Lookout, table: KnownTable) -> None:
    """Applies new cards of the bought deck, and reads the card that lies there again.

    Other watches go on: dice that were reported would be reported again.
    """
    for deck in pipe.take(UseDeck)[-1:]:
        table.use_deck(deck.cards)
        if is_bought(pipe.watching):
            lookout.restart(report=True)


def wait_for(pipe: ServicePipe, seconds: float) -> None:
    """Waits for so many seconds, receiving commands."""
    pipe.expect(None)
    until_us = monotonic_us() + round(seconds * 1_000_000)
    while (left_us := until_us - monotonic_us()) > 0:
        pipe.wait(left_us / 1_000_000)


def wait_for_stop(pipe: ServicePipe) -> NoReturn:
    """Waits until told to stop."""
    while True:
        wait_for(pipe, 1.0)
