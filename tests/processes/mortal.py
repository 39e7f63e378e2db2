"""A program whose threads a test can end: the exception that ends threads is raised wherever the thread is.

mortal.main SOCKET ARGUMENTS…
"""

import contextlib
import ctypes
import socket
import sys
import threading
import time

from companion import periodic
from companion.__main__ import main as companion


def strike(name):
    """Raises SystemExit in each thread of that name; returns how many there are."""
    struck = [thread for thread in threading.enumerate() if thread.name == name]
    for thread in struck:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
    for each in tuple(periodic._begun):
        if each.thread_name == name:
            each.again()
    return len(struck)


def listen(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            line, _address = listener.accept()
            with line:
                line.sendall(str(strike(line.recv(1_000).decode())).encode())


def main() -> None:
    """Runs the command of the companion."""
    threading.Thread(target=listen, args=(sys.argv.pop(1),), daemon=True).start()
    companion()


def struck(path, name):
    """How many threads of that name were struck."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path))
        line.sendall(name.encode())
        return int(line.recv(100))


def until(look, within_s=40):
    """Waits until `look` returns something, which is returned."""
    end_s = time.monotonic() + within_s
    while True:
        with contextlib.suppress(OSError):
            if found := look():
                return found
        assert time.monotonic() < end_s, "it never came to be"
        time.sleep(0.02)


def outlives(path, health):
    """Ends each thread in turn, and sees each told of and living again; returns their names.

    health      returns how the program's threads are, by name
    """
    names = [name for name, life in until(health).items() if life["lives"]]
    for name in names:
        before = until(health)[name]["restarts"]
        assert struck(path, name), name
        until(lambda name=name, before=before: health()[name]["restarts"] > before)
        until(lambda name=name: health()[name]["lives"])
        assert until(health)[name]["trouble"]
    return set(names)
