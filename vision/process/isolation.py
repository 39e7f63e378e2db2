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

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2  # linux/prctl.h, linux/seccomp.h
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC = 1, 1
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
LOAD_WORD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF: ld [k], jeq #k, jge #k, ret #k
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # struct seccomp_data, little-endian machines
IO_URING_SETUP = 425  # on every machine; io_uring makes sockets without the system call
X32 = 0x40000000  # x86-64 has its calls a second time from this number on; no machine has others there


@dataclass(frozen=True)
class Calls:
    """The kernel's numbers for a program: its audit architecture and two system calls."""

    architecture: int
    socket: int
    seccomp: int


ARM_32 = Calls(0x40000028, 281, 383)
CALLS = {  # (machine, bytes of a pointer): a 32-bit program under a 64-bit kernel has another architecture
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
    known = CALLS.get((platform.machine(), struct.calcsize("P")))
    if known is None or platform.system() != "Linux":
        return False
    program = b"".join(struct.pack("<HBBI", *step) for step in filter_steps(known))
    held = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    # libraries have already started threads, which prctl alone would leave the network
    if libc.syscall(known.seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter_program) == 0:
        return True
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_program, 0, 0)
    return False


def filter_steps(known: Calls) -> tuple[tuple[int, int, int, int], ...]:
    """The steps of the filter: (code, jump if true, jump if false, value)."""
    return (
        (LOAD_WORD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 0, 8, known.architecture),  # another architecture has other numbers: its socket() would pass
        (LOAD_WORD, 0, 0, NUMBER_AT),
        (AT_LEAST, 6, 0, X32),
        (EQUAL, 5, 0, IO_URING_SETUP),
        (EQUAL, 0, 3, known.socket),
        (LOAD_WORD, 0, 0, FIRST_ARGUMENT_AT),
        (EQUAL, 2, 0, int(socket.AF_INET)),
        (EQUAL, 1, 0, int(socket.AF_INET6)),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    )
