"""Takes the network away from this process: the one that has the camera sends nothing anywhere.

A seccomp filter of all its threads refuses to make a socket of the Internet families. Sockets of the machine itself
(UNIX, netlink) stay, for the camera's own services need them, and so does every other system call, but for ways around
the filter. Nothing can take it off again.
"""

import ctypes
import errno
import platform
import socket
import struct
from dataclasses import dataclass

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2  # linux/prctl.h, linux/seccomp.h
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC = 1, 1
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
LOAD_WORD, EQUAL, AT_LEAST, GIVE = 0x20, 0x15, 0x35, 0x06  # BPF: ld [k], jeq #k, jge #k, ret #k
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # struct seccomp_data, little-endian machines
IO_URING_SETUP = 425  # on every machine; a ring makes sockets without the system call
X32 = 0x40000000  # x86-64 takes its calls once more under numbers from here on; no machine has others there


@dataclass(frozen=True)
class Calls:
    """How the kernel names what this program may ask for: the audit architecture, and two system calls of it."""

    architecture: int
    socket: int
    seccomp: int


ARM_32 = Calls(0x40000028, 281, 383)
CALLS = {  # (machine, bytes of a pointer): under a 64-bit kernel a 32-bit program is of another architecture
    ("x86_64", 8): Calls(0xC000003E, 41, 317),
    ("aarch64", 8): Calls(0xC00000B7, 198, 277),
    ("aarch64", 4): ARM_32,
    ("armv7l", 4): ARM_32,
    ("armv6l", 4): ARM_32,
}


def leave_network() -> bool:
    """Refuses Internet sockets to every thread of this process from now on.

    False where the kernel or the machine cannot do that. A kernel that filters only the thread that asks (before Linux
    3.17) does at least that: what this thread starts from now on has no network either.
    """
    known = CALLS.get((platform.machine(), struct.calcsize("P")))
    if known is None or platform.system() != "Linux":
        return False
    program = b"".join(struct.pack("<HBBI", *step) for step in steps(known))
    held = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    # the guard and the workers that libraries start are older than this: prctl alone would leave them the network
    if libc.syscall(known.seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter_program) == 0:
        return True
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_program, 0, 0)
    return False


def steps(known: Calls) -> tuple[tuple[int, int, int, int], ...]:
    """The filter: (code, jump if true, jump if false, value) for each step."""
    return (
        (LOAD_WORD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 0, 8, known.architecture),  # another one has other numbers: socket() would pass under its own
        (LOAD_WORD, 0, 0, NUMBER_AT),
        (AT_LEAST, 6, 0, X32),
        (EQUAL, 5, 0, IO_URING_SETUP),
        (EQUAL, 0, 3, known.socket),
        (LOAD_WORD, 0, 0, FIRST_ARGUMENT_AT),
        (EQUAL, 2, 0, int(socket.AF_INET)),
        (EQUAL, 1, 0, int(socket.AF_INET6)),
        (GIVE, 0, 0, ALLOW),
        (GIVE, 0, 0, REFUSE),
    )
