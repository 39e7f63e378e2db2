"""What the table that runs on this machine was started with, as the kernel lists its command line."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.cli.run import run
from companion.network import peers

NOT_RUNNING: Mapping[str, Any] = MappingProxyType({})


def started_with(port: int) -> Mapping[str, Any]:
    """The options of the table at a port, by the names of `run`; NOT_RUNNING if none is seen."""
    for words in command_lines():
        names = [Path(word).name for word in words]
        for at in range(1, len(names)):
            if names[at - 1 : at + 1] == ["companion", "run"]:
                options = run.make_context("run", words[at + 1 :], resilient_parsing=True).params
                if options["port"] == port:
                    return options
    return NOT_RUNNING


def command_lines() -> Iterator[list[str]]:
    """The command lines of all programs that this user may look at."""
    for path in peers.PROC.glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().decode(errors="replace").split("\0")[:-1]
        except OSError:  # it has ended
            continue
