"""The vision process: owns the camera, watches it, and sends what came to rest. Started by `companion.supervisor`."""

import contextlib
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable, CompanionError
from companion.supervisor import ClockOffset, Heartbeat, Status, Stop
from companion.virtual_table import VirtualTable
from vision.camera import Camera, open_camera
from vision.isolation import leave_network
from vision.virtual import HEIGHT_PX, WIDTH_PX, VirtualCamera
from vision.watch import ReadDice, Watch

HEARTBEAT_US = 1_000_000
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 10.0  # between attempts to open a camera that is gone; doubles each time


class Stopped(Exception):
    """The service asked this process to end."""


class Line:
    """This process's end of the pipe: sends, and takes commands in while it waits."""

    def __init__(self, connection: Connection, offset_us: int) -> None:
        self.offset_us = offset_us
        self.table: VirtualTable | None = None
        self._connection = connection
        self._beat_us = 0

    def send(self, message: Any) -> None:
        """Sends a plain value to the service."""
        self._connection.send(message)

    def wait(self, seconds: float) -> None:
        """Lets time pass; returns early when a command came in, which then has been taken in."""
        if self._connection.poll(seconds):
            self.take_in()

    def take_in(self) -> None:
        """Takes in every command that is here."""
        while self._connection.poll():
            match self._connection.recv():
                case ClockOffset(offset_us):
                    self.offset_us = offset_us
                case VirtualTable() as table:
                    self.table = table
                case Stop():
                    raise Stopped

    def beat(self) -> None:
        """Says that there is progress, once a second."""
        now_us = monotonic_us()
        if now_us - self._beat_us >= HEARTBEAT_US:
            self._beat_us = now_us
            self.send(Heartbeat())


def watch_without_network(connection: Connection, spec: str, offset_us: int = 0) -> None:
    """What runs in a process of its own: the camera's pictures cannot leave it but by the pipe."""
    leave_network()
    watch_forever(connection, spec, offset_us)


def watch_forever(
    connection: Connection,
    spec: str,
    offset_us: int = 0,
    scene_path: Path | None = None,
    load_reader: Callable[[Path | None], ReadDice] | None = None,
) -> None:
    """Watches the camera `spec` until told to stop; a camera that cannot be had is tried again and again.

    offset_us   see ClockOffset
    scene_path  the scene file that calibration wrote, None for a table that nobody has described
    load_reader makes the reader; the dice reader unless a test hands in another
    """
    line = Line(connection, offset_us)
    try:
        read = (load_reader or dice_reader)(scene_path)
        line.beat()
        watch_camera(line, spec, read)
    except Stopped:
        return
    except CompanionError as error:  # nothing that trying again would mend
        line.send(Status("down", str(error)))
        with contextlib.suppress(Stopped):
            idle(line)


def watch_camera(line: Line, spec: str, read: ReadDice) -> NoReturn:
    """Opens the camera and sends what comes to rest; opens it anew each time it is gone."""
    watch: Watch | None = None
    retry_s = FIRST_RETRY_S
    while True:
        try:
            camera = open_camera(spec, wait=line.wait, tell=lambda sentence: line.send(Status("ok", sentence)))
            watch = watch or Watch(read, live=camera.live)
            for _ in watched(camera, watch, line):
                retry_s = FIRST_RETRY_S
            line.send(Status("off", "The recording is over: start again to see it once more."))
            idle(line)
        except CameraUnavailable as error:
            line.send(Status("down", str(error)))
            rest(line, retry_s)
            retry_s = min(2 * retry_s, LONGEST_RETRY_S)


def watched(camera: Camera, watch: Watch, line: Line) -> Iterator[None]:
    """Feeds the watch with every frame and sends what it finds; yields after each frame."""
    with camera:
        obey(line, camera, watch)
        for number, frame in enumerate(camera.frames()):
            if number == 0:
                line.send(Status("ok", "The camera sees the table."))
            settled = watch.feed(frame, camera.full)
            if settled is not None:
                line.send(settled)
            line.beat()
            yield
            obey(line, camera, watch)


def obey(line: Line, camera: Camera, watch: Watch) -> None:
    """Does what the commands say that have come in by now."""
    line.take_in()
    watch.offset_us = line.offset_us
    if isinstance(camera, VirtualCamera):
        camera.offset_us = line.offset_us
        camera.show(line.table or camera.table)


def rest(line: Line, seconds: float) -> None:
    """Waits that long, taking in commands and giving signs of life."""
    until_us = monotonic_us() + round(seconds * 1_000_000)
    while (left_us := until_us - monotonic_us()) > 0:
        line.wait(min(left_us, HEARTBEAT_US) / 1_000_000)
        line.beat()


def idle(line: Line) -> NoReturn:
    """There is nothing left to watch; stays until told to stop."""
    while True:
        rest(line, 1.0)


def dice_reader(scene_path: Path | None) -> ReadDice:
    """The dice reader, loaded and warm; raises CompanionError with a sentence where that cannot be."""
    from vision.dice import DiceReader
    from vision.scene import load_scene

    scene = None if scene_path is None else load_scene(scene_path)
    try:
        reader = DiceReader()
        reader.read(
            np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.uint8), scene
        )  # the first reading plans memory for all others
    except (OSError, cv2.error) as error:
        raise CompanionError("The dice reader's networks cannot be loaded: install the companion again.") from error
    return lambda frame_bgr: reader.read(frame_bgr, scene)
