"""The command `companion`."""

import sys

import click

from companion.cli.backup import backup, restore
from companion.cli.bench import bench
from companion.cli.cert import cert
from companion.cli.doctor import doctor
from companion.cli.print_ import print_
from companion.cli.read import read
from companion.cli.replay import replay
from companion.cli.run import run
from companion.cli.token import token
from companion.cli.watch import watch
from companion.cli.wiring import wiring
from companion.errors import CompanionError
from companion.logs import prepare as prepare_logs


@click.group()
def cli() -> None:
    """Reads real dice, runs the timers and keeps the score of physical table games."""


for command in (run, read, watch, replay, doctor, wiring, bench, print_, token, backup, restore, cert):
    cli.add_command(command)


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
