"""Takes the network away from this process: the one that has the camera sends nothing anywhere.

A seccomp filter lets every system call through but one: making a socket of the Internet families is refused. Sockets of
the machine itself (UNIX, netlink) stay, for the camera's own services need them. Nothing can take the filter off again.
"""

import ctypes
import errno
import platform
import socket
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2  # linux/prctl.h, linux/seccomp.h
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
LOAD_WORD, EQUAL, GIVE = 0x20, 0x15, 0x06  # BPF: ld [k], jeq #k, ret #k
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # struct seccomp_data, little-endian machines
SOCKET_CALL = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # machine → (audit architecture, socket)


def leave_network() -> bool:
    """Refuses Internet sockets to this process from now on; False where the kernel or the machine cannot do that."""
    known = SOCKET_CALL.get(platform.machine())
    if known is None or platform.system() != "Linux":
        return False
    program = b"".join(struct.pack("<HBBI", *step) for step in steps(*known))
    held = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("@HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_program, 0, 0) == 0)


def steps(architecture: int, socket_number: int) -> tuple[tuple[int, int, int, int], ...]:
    """The filter: (code, jump if true, jump if false, value) for each step."""
    return (
        (LOAD_WORD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 0, 5, architecture),
        (LOAD_WORD, 0, 0, NUMBER_AT),
        (EQUAL, 0, 3, socket_number),
        (LOAD_WORD, 0, 0, FIRST_ARGUMENT_AT),
        (EQUAL, 2, 0, int(socket.AF_INET)),
        (EQUAL, 1, 0, int(socket.AF_INET6)),
        (GIVE, 0, 0, ALLOW),
        (GIVE, 0, 0, REFUSE),
    )
