"""The process that has the camera has no network: asked of the kernel, in a process of its own."""

import subprocess
import sys

import pytest

ASK = """
import socket
from vision.isolation import leave_network
if not leave_network():
    print("cannot")
    raise SystemExit
for family in (socket.AF_INET, socket.AF_INET6):
    try:
        socket.socket(family, socket.SOCK_STREAM)
        print("open")
    except PermissionError:
        print("refused")
socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close()
import subprocess
import sys
child = "import socket; socket.socket()"
refused = subprocess.run([sys.executable, "-c", child], capture_output=True).returncode
print("child refused" if refused else "child open")
open("/dev/null").close()
print("files stay")
"""


def test_internet_sockets_are_refused_and_everything_else_stays():
    answer = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, timeout=60, check=True)
    if answer.stdout.strip() == "cannot":
        pytest.skip("this kernel takes no seccomp filter: that the camera's process has no network stays unshown")
    assert answer.stdout.split("\n")[:5] == ["refused", "refused", "child refused", "files stay", ""]
