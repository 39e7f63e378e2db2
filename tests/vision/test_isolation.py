"""The process that has the camera has no network: asked of the kernel, in a process of its own, and of the filter."""

import platform
import socket
import subprocess
import sys

import pytest

from vision.process import isolation

ASK = """
import ctypes
import errno
import platform
import queue
import socket
import subprocess
import sys
import threading
from vision.process.isolation import leave_network

def tried(family):
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
        return "open"
    except PermissionError:
        return "refused"

begin, seen = queue.SimpleQueue(), queue.SimpleQueue()
def older():
    seen.put(tried(begin.get()))
threading.Thread(target=older, daemon=True).start()
if not leave_network():
    print("cannot")
    raise SystemExit
print(tried(socket.AF_INET), tried(socket.AF_INET6), tried(socket.AF_UNIX))
begin.put(socket.AF_INET)
print("older thread", seen.get())
print("child", subprocess.run([sys.executable, "-c", "import socket; socket.socket()"], capture_output=True).returncode)
libc = ctypes.CDLL(None, use_errno=True)
def refused(*call):
    return libc.syscall(*call) == -1 and ctypes.get_errno() == errno.EACCES
print("ring", refused(425, 1, None))
if platform.machine() == "x86_64":
    print("x32", refused(0x40000000 | 41, int(socket.AF_INET), int(socket.SOCK_STREAM), 0))
open("/dev/null").close()
print("files stay")
"""


def test_internet_sockets_are_refused_to_every_thread_and_everything_else_stays():
    answer = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, timeout=60, check=True)
    if answer.stdout.strip() == "cannot":
        pytest.skip("this kernel takes no seccomp filter: that the camera's process has no network stays unshown")
    x32 = ["x32 True"] if platform.machine() == "x86_64" else []
    said = ["refused refused open", "older thread refused", "child 1", "ring True", *x32, "files stay"]
    assert answer.stdout.splitlines() == said


X86_64, I386, AARCH64, ARM_32 = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028  # linux/audit.h


@pytest.mark.parametrize("known", isolation.CALLS.values())
def test_a_call_of_another_architecture_is_refused_whatever_it_is(known):
    for architecture in {X86_64, I386, AARCH64, ARM_32} - {known.architecture}:
        assert verdict(known, architecture, known.socket, socket.AF_UNIX) == isolation.REFUSE
        assert verdict(known, architecture, 1, 0) == isolation.REFUSE


@pytest.mark.parametrize("known", isolation.CALLS.values())
def test_of_its_own_calls_internet_sockets_and_ways_round_are_refused(known):
    families = {family: verdict(known, known.architecture, known.socket, family) for family in socket.AddressFamily}
    refused = {family for family, told in families.items() if told == isolation.REFUSE}
    assert refused == {socket.AF_INET, socket.AF_INET6}
    assert verdict(known, known.architecture, isolation.X32 | known.socket, socket.AF_INET) == isolation.REFUSE
    assert verdict(known, known.architecture, isolation.IO_URING_SETUP, 1) == isolation.REFUSE
    assert verdict(known, known.architecture, known.socket + 1, socket.AF_INET) == isolation.ALLOW


def verdict(known, architecture, number, first_argument):
    """What the filter says of a system call: its steps, taken one by one as the kernel does."""
    data = {
        isolation.NUMBER_AT: number,
        isolation.ARCHITECTURE_AT: architecture,
        isolation.FIRST_ARGUMENT_AT: first_argument,
    }
    at, loaded, program = 0, 0, isolation.filter_steps(known)
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == isolation.RETURN:
            return value
        if code == isolation.LOAD_WORD:
            loaded = data[value]
        else:
            holds = loaded == value if code == isolation.EQUAL else loaded >= value
            at += if_true if holds else if_false
