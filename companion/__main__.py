"""The command `companion`."""

import contextlib
import errno
import io
import os
import sys
from importlib import import_module

import click

from companion.app.cli.groups import Sentences
from companion.errors import CompanionError
from companion.journal.files import out_of_reach
from companion.logs import prepare as prepare_logs

COMMANDS = (
    "run", "cameras", "read", "watch", "replay", "doctor", "wiring", "bench", "print", "token", "backup", "restore",
    "cert", "hub", "wifi", "new-game", "check-game", "init", "report",
)  # fmt: skip
MODULES = {  # These commands are in a module of another name, or in another room than `cli`.
    "bench": "bench.command",
    "check-game": "authors.check_game",
    "doctor": "doctor.command",
    "hub": "hall.command",
    "new-game": "authors.new_game",
    "print": "cli.print_",
    "restore": "cli.backup",
    "wiring": "cli.wiring.command",
}

WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EPIPE)


class Commands(Sentences):
    """The commands, each imported only when it is called, so that the cameras' process loads no game."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"companion.app.{MODULES.get(cmd_name, f'cli.{cmd_name}')}")
        command: click.Command = getattr(module, "print_" if cmd_name == "print" else cmd_name.replace("-", "_"))
        return command


@click.group(cls=Commands)
@click.version_option(package_name="table-companion", message="%(prog)s %(version)s")
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
                sys.stdout.flush()  # An error can be caught here, but not when Python ends.
    except CompanionError as refusal:
        refuse(str(refusal))
    except OSError as error:
        if sentence := out_of_reach(error):
            refuse(sentence)
        if error.errno not in WRITE_ERRORS or error.filename is not None:  # It is not about a stream.
            raise
        drop_output()
        refuse(f"The output cannot be written ({error.strerror}): make room, or send it elsewhere.")


def write_any_name() -> None:
    """Lets both streams write file names that their encoding cannot express, as backslash escapes.

    JSON understands the escapes of a name that is no Unicode text at all; for all others see `echo_json`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Discards unwritten output, for which Python would print a traceback at exit."""
    if sys.stdout is None:  # It was closed before the start: nothing waits.
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse(sentence: str) -> None:
    """Prints the sentence on standard error, if that is open, and exits with 1."""
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
