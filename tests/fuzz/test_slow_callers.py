"""Who calls slowly keeps nobody out: each socket of the list is asked by many a byte at a time, and by one as usual."""

import contextlib
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

from companion.app.service.camera_process import CamerasElsewhere
from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.network.wifi import door as wifi_door
from companion.network.wifi.door import Do, Door, Wifi
from companion.network.wifi.values import Mode, State
from tests.fuzz.entrances import SOCKETS
from web.app import create_app
from web.hub.app import create_hub
from web.hub.here import Hub
from web.live.streams import Streams
from web.serving import connections
from web.serving.connections import Connections
from web.serving.front import Front
from web.serving.server import PageServer

ROOT = Path(__file__).parents[2]
SLOW, PATIENCE_S, SOON_S = 40, 0.6, 20.0


CAMERAS = f"""
import pathlib, sys
from companion.app.service import camera_process
from companion.app.service.systemd import Systemd
camera_process.ANSWER_S = {PATIENCE_S}
camera_process.serve_cameras(pathlib.Path(sys.argv[1]), Systemd())
"""


class Keeper:
    state = State(Mode.SETUP, "abcd-efgh-jkmn")


@contextlib.contextmanager
def wifi_helper(folder, _host):
    door = Door(folder / "door", Keeper())
    door.start()
    yield socket.AF_UNIX, str(folder / "door"), b'{"do":"tell",', lambda: Wifi(folder / "door").ask(Do.TELL)
    door.stop()


@contextlib.contextmanager
def cameras(folder, _host):
    path = folder / "cameras"
    with subprocess.Popen([sys.executable, "-c", CAMERAS, path], cwd=ROOT) as process:
        try:
            CamerasElsewhere(path).look()
            yield socket.AF_UNIX, str(path), b"\0\xff\xff\xff", CamerasElsewhere(path).look
        finally:
            process.kill()


@contextlib.contextmanager
def served(app, live):
    listener, streams = socket.create_server(("127.0.0.1", 0)), Streams(live)
    address = listener.getsockname()
    streams.start()
    server = PageServer(Front(app, streams), Connections(), [listener], lambda: None)
    server.start()

    def ask():
        with urllib.request.urlopen(f"http://127.0.0.1:{address[1]}/healthz", timeout=SOON_S) as answer:
            return answer.read()

    yield socket.AF_INET, address, b"GET / HTTP/1.1\r\n", ask
    live.close()
    server.stop()


def pages(_folder, host):
    return served(create_app(host), Live())


@contextlib.contextmanager
def hub(folder, _host):
    live = Live()
    record = HubRecord(folder)
    with contextlib.closing(record), served(create_hub(Hub(record, Hall(record.public_of, live), live)), live) as found:
        yield found


CALLED = {
    "companion/app/cli/run.py": pages,
    "companion/app/service/server.py": pages,
    "web/serving/server.py": pages,
    "companion/app/hall/command.py": hub,
    "companion/app/service/camera_process.py": cameras,
    "companion/network/wifi/door.py": wifi_helper,
}


def test_each_socket_that_is_listened_at_is_called():
    assert CALLED.keys() == {path for path, what in SOCKETS.items() if what != "looks whether a port is free"}


@pytest.mark.parametrize("called", dict.fromkeys(CALLED.values()))
def test_who_calls_slowly_keeps_nobody_out_and_is_cut_off(called, tmp_path, host, monkeypatch):
    for room, name in ((wifi_door, "PATIENCE_S"), (connections, "WAIT_S")):
        monkeypatch.setattr(room, name, PATIENCE_S)
    with called(tmp_path, host) as (family, address, begun, ask), contextlib.ExitStack() as lines:
        usual_s = took(ask)
        slow = [lines.enter_context(socket.socket(family)) for _number in range(SLOW)]
        for line in slow:
            line.connect(address)
            line.sendall(begun)
        cut_off, over = set(), threading.Event()

        def drip():
            while not over.wait(0.02):
                for line in set(slow) - cut_off:
                    try:
                        line.send(b"x", socket.MSG_DONTWAIT)
                        if not line.recv(1_000, socket.MSG_DONTWAIT):
                            cut_off.add(line)
                    except BlockingIOError:
                        pass
                    except OSError:
                        cut_off.add(line)

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            assert max(took(ask) for _number in range(5)) < usual_s + PATIENCE_S / 2
            until_s = time.monotonic() + SOON_S
            while len(cut_off) < SLOW:
                assert time.monotonic() < until_s, f"{SLOW - len(cut_off)} call on"
                time.sleep(0.02)
        finally:
            over.set()
            dripping.join()


def took(ask):
    began_s = time.monotonic()
    assert ask() is not None or ask.__name__ == "look"
    return time.monotonic() - began_s
