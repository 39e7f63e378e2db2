"""Takes the network away from this process: the process with the camera sends nothing anywhere.

A seccomp filter on all its threads refuses to make sockets of the Internet families. Sockets of the machine itself
(UNIX, netlink) stay, as the camera's services need them, and so do all other system calls except ways around the
filter. Nothing can remove the filter.
"""

import ctypes
import errno
import platform
import socket
import struct
from dataclasses import dataclass

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2  # They are from linux/prctl.h and linux/seccomp.h.
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC = 1, 1
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
LOAD_WORD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF calls them ld [k], jeq #k, jge #k and ret #k.
# struct seccomp_data has them there on little-endian machines.
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
IO_URING_SETUP = 425  # It has this number on every machine, and io_uring makes sockets without the system call.
X32 = 0x40000000  # From this number on x86-64 has its calls a second time; no machine has others there.


@dataclass(frozen=True)
class Calls:
    """The kernel's numbers for a program: its audit architecture and two system calls."""

    architecture: int
    socket: int
    seccomp: int


ARM_32 = Calls(0x40000028, 281, 383)
CALLS = {  # By machine and bytes of a pointer, as a 32-bit program under a 64-bit kernel has another architecture.
    ("x86_64", 8): Calls(0xC000003E, 41, 317),
    ("aarch64", 8): Calls(0xC00000B7, 198, 277),
    ("aarch64", 4): ARM_32,
    ("armv7l", 4): ARM_32,
    ("armv6l", 4): ARM_32,
}


def leave_network() -> bool:
    """Refuses Internet sockets to every thread of this process from now on; returns whether it could.

    Before Linux 3.17 the kernel filters only the calling thread and the threads it starts later; then it returns False.
    """
    calls = CALLS.get((platform.machine(), struct.calcsize("P")))
    if calls is None or platform.system() != "Linux":
        return False
    program = b"".join(struct.pack("<HBBI", *step) for step in filter_steps(calls))
    steps = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    # Libraries have already started threads, which prctl alone would leave the network.
    if libc.syscall(calls.seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter_program) == 0:
        return True
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_program, 0, 0)
    return False


def filter_steps(calls: Calls) -> tuple[tuple[int, int, int, int], ...]:
    """The steps of the filter: (code, jump if true, jump if false, value)."""
    return (
        (LOAD_WORD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 0, 8, calls.architecture),  # Another architecture has other numbers, so its socket() would pass.
        (LOAD_WORD, 0, 0, NUMBER_AT),
        (AT_LEAST, 6, 0, X32),
        (EQUAL, 5, 0, IO_URING_SETUP),
        (EQUAL, 0, 3, calls.socket),
        (LOAD_WORD, 0, 0, FIRST_ARGUMENT_AT),
        (EQUAL, 2, 0, int(socket.AF_INET)),
        (EQUAL, 1, 0, int(socket.AF_INET6)),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    )
