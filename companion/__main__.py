"""The command `companion`."""

import contextlib
import errno
import io
import os
import sys
from importlib import import_module

import click

from companion.errors import CompanionError
from companion.journal.files import out_of_reach
from companion.logs import prepare as prepare_logs

COMMANDS = (
    "run", "cameras", "read", "watch", "replay", "doctor", "wiring", "bench", "print", "token", "backup", "restore",
    "cert",
)  # fmt: skip
ELSEWHERE = {  # modules that are not named like their command
    "bench": "bench.command", "print": "print_", "restore": "backup", "wiring": "wiring.command",
}  # fmt: skip

UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EPIPE)  # what writing ends in


class Commands(click.Group):
    """Each command is loaded when it is asked for: the process that has the cameras knows no game."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, for the help."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"companion.cli.{ELSEWHERE.get(cmd_name, cmd_name)}")
        found: click.Command = getattr(module, "print_" if cmd_name == "print" else cmd_name)
        return found


@click.group(cls=Commands)
def cli() -> None:
    """Reads real dice, runs the timers and keeps the score of physical table games."""


def main() -> None:
    """Runs a command: 0 on success, 1 with one sentence on standard error when refused, 2 on wrong usage."""
    write_any_name()
    prepare_logs()
    try:
        try:
            cli(prog_name="companion")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where it can be caught, and not when Python ends
    except CompanionError as refusal:
        refuse(str(refusal))
    except OSError as error:
        if sentence := out_of_reach(error):
            refuse(sentence)
        if error.errno not in UNWRITTEN or error.filename is not None:  # what has a name is no stream: a camera, a disk
            raise
        drop_output()
        refuse(f"The output cannot be written ({error.strerror}): make room, or send it elsewhere.")


def write_any_name() -> None:
    """Lets both streams write a file's name that is no text in their encoding, as escapes.

    JSON understands those of a name that is no text at all; for all others see `echo_json`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Throws away what still waits to be written, or Python complains of it at exit, with a traceback."""
    if sys.stdout is None:  # closed before the start: nothing waits
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse(sentence: str) -> None:
    """Ends with 1 and the sentence, for whoever still reads standard error."""
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
