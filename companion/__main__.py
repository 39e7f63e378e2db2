"""The command `companion`."""

import sys
from importlib import import_module

import click

from companion.errors import CompanionError
from companion.logs import prepare as prepare_logs

COMMANDS = (
    "run", "cameras", "read", "watch", "replay", "doctor", "wiring", "bench", "print", "token", "backup", "restore",
    "cert",
)  # fmt: skip
ELSEWHERE = {"print": "print_", "restore": "backup"}  # modules that are not named like their command


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
    prepare_logs()
    try:
        cli(prog_name="companion")
    except CompanionError as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
