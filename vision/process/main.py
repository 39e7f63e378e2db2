"""The vision process: owns the camera, watches it, and sends the reading of each rest.

Started by `companion.app.service.supervisor`.
"""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from companion.cameras.in_network import is_address
from companion.cameras.names import PHONE
from companion.clock import monotonic_us
from companion.demo.things import VirtualTable
from companion.errors import BadInput, CameraUnavailable, CompanionError
from companion.game.readings import (
    Glance,
    Glanced,
    Photo,
    Photograph,
    Stirred,
    Strictness,
    Watching,
)
from companion.game.readings.deck import LookAtCard, UseDeck
from companion.game.readings.mat import LookAtMat, UseScene
from companion.sensing.process_messages import KeepClips, Status
from companion.words import _
from vision.cameras.camera import Camera, CameraLost, Frame
from vision.cameras.fetcher import Fetcher, FetcherGone
from vision.cameras.health import Health
from vision.cameras.network import NetworkCamera
from vision.cameras.pictures import as_jpeg, reduced
from vision.open_camera import open_camera
from vision.process.doze import Doze
from vision.process.focus_keeper import FocusKeeper
from vision.process.isolation import leave_network
from vision.process.pace import time_limit_s
from vision.process.phone_line import PhoneLine
from vision.process.service_pipe import ServicePipe, Stopped
from vision.process.set_up_watch import SetUpWatch
from vision.virtual.camera import VirtualCamera
from vision.watch.known_table import KnownTable, load_table
from vision.watch.lookout import Load, Lookout, is_bought, needs_colours, reader_for
from vision.watch.watch import Read

OPEN_S = 20.0  # A camera is open and gives its first picture within this: OpenCV itself waits 10 s for one.
FRAME_S = 2.0  # The next frame of a live camera comes within this.
NETWORK_S = 8.0  # In the network it may take longer: the fetcher itself says after 3 s that nothing comes.
FILE_S = 20.0  # The next frame of a recording may be a large photograph, on the smallest Pi or from a slow share.
READ_S = 20.0  # The smallest Pi reads one frame within this.
LATEST_GLANCE_US = 1_000_000  # A glance waits so long for a frame taken after the press; then any frame will do.
LOAD_S = 60.0  # Networks are loaded within this.
MOST_BROKEN = 20  # A few pictures in a row that cannot be decoded are a weak Wi-Fi or a bad cable.
SEES = Status("ok", _("The camera sees the table."))
# The time between attempts to open a missing camera doubles from the first to the second.
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 10.0


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
    """Watches every readable frame and sends what is found; yields after each frame, also one that is dozed over."""
    set_up, focus, doze = SetUpWatch(camera), FocusKeeper(camera), Doze()
    broken, is_well = 0, False
    with camera:
        health.opened()
        apply_commands(pipe, camera, lookout, table, set_up)
        pipe.expect(OPEN_S, _("The camera won't open."), is_opening=True)
        for newest in camera.frames():
            pipe.expect(time_limit_s(READ_S), _("A picture couldn't be read in time."))
            is_quiet = camera.live and is_well and lookout.is_quiet and not pipe.has_errands
            due = doze.due(newest, is_quiet=is_quiet and not set_up.is_on(monotonic_us() + pipe.offset_us))
            camera.doze(doze.is_on)
            del newest
            while due:
                broken = 0 if due[0].is_whole else broken + 1
                if broken == MOST_BROKEN:
                    raise CameraUnavailable(camera.broken)
                is_well = not broken and watch_frame(due[0], camera, lookout, pipe, health, table, set_up, focus)
                del due[0]  # Its memory is free before the next one.
            yield
            apply_commands(pipe, camera, lookout, table, set_up)
            pipe.expect(frame_s(camera), _("The camera has stopped sending pictures."))


def watch_frame(
    frame: Frame,
    camera: Camera,
    lookout: Lookout,
    pipe: ServicePipe,
    health: Health,
    table: KnownTable,
    set_up: SetUpWatch,
    focus: FocusKeeper,
) -> bool:
    """Watches one frame and sends what is found; returns whether it is a sound picture."""
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
    return not (trouble or health.is_blind or health.cast)


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
