"""The vision process: owns the camera, watches it, and sends the reading of each rest.

Started by `companion.app.service.supervisor`.
"""

import contextlib
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from companion.cameras.in_network import is_address
from companion.cameras.names import PHONE
from companion.clock import monotonic_us
from companion.errors import BadInput, CameraUnavailable, CompanionError
from companion.game.readings import (
    Watching,
)
from companion.sensing.process_messages import Status
from companion.words import _
from vision.cameras.camera import CameraLost
from vision.cameras.fetcher import Fetcher, FetcherGone
from vision.cameras.health import Health
from vision.open_camera import open_camera
from vision.process.isolation import leave_network
from vision.process.observer import LOAD_S, OPEN_S, Observer, report_omission, sleeps
from vision.process.pace import time_limit_s
from vision.process.phone_line import PhoneLine
from vision.process.service_pipe import ServicePipe, Stopped
from vision.virtual.camera import VirtualCamera
from vision.watch.known_table import KnownTable, load_table
from vision.watch.lookout import Load, Lookout, reader_for
from vision.watch.watch import Read

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
            for _frame in Observer(camera, lookout, pipe, health, table).frames():
                retry_s = FIRST_RETRY_S
            if camera.live and sleeps(pipe):
                sleep(pipe)
                continue
            pipe.send(Status("off", _("The recording is over. Restart to see it again.")))
            wait_for_stop(pipe)
        except (FetcherGone, CameraLost):
            raise
        except CameraUnavailable as error:
            pipe.send(Status("down", error.sentence))
            wait_for(pipe, retry_s)
            if spec != PHONE:  # A phone's wait is that for a picture.
                retry_s = min(2 * retry_s, LONGEST_RETRY_S)


def sleep(pipe: ServicePipe) -> None:
    """Waits without a camera until somebody plays again."""
    pipe.report(Status("off", _("The camera is off while nobody plays.")))
    while sleeps(pipe):
        wait_for(pipe, 1.0)


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
