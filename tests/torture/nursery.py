"""Hubs that begin at once: a process that has loaded all of it, and forks a hub for each line that it reads.

    python -m tests.torture.nursery FOLDER PORT DATABASE

It answers each line with the hub's process id; the hub says "ready" once it takes requests. DATABASE is "" for SQLite.
"""

import faulthandler
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from web.hub.app import create_hub
from web.hub.here import Hub
from web.live.streams import Streams
from web.serving.connections import Connections
from web.serving.front import Front
from web.serving.server import PageServer


def serve(folder, port, database):
    """One hub, until it is killed."""
    record, live = HubRecord(folder, database=database), Live()
    streams = Streams(live)
    streams.start()
    app = create_hub(Hub(record, Hall(record.public_of, live), live))
    ended = threading.Event()
    PageServer(Front(app, streams), Connections(), [socket.create_server(("127.0.0.1", port))], ended.set).start()
    print("ready", flush=True)
    ended.wait()


def main():
    folder, port, database = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for _line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            serve(folder, port, database)
            os._exit(1)
        print(pid, flush=True)
        _pid, status = os.waitpid(pid, 0)
        print("gone", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main()
