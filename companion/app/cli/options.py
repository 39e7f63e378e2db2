"""The options that several commands share."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from companion.cameras.mains import CHOICES, HELP, SETTING
from companion.errors import BadInput

DATA, HUB_DATA = Path("instance"), Path("instance/hub")
HUB_PORT, HUB_HTTPS_PORT = 8100, 8543
A_PATH = click.Path(path_type=Path)

Command = TypeVar("Command", bound=Callable[..., Any])


mains_option = click.option(
    "--mains", default="auto", show_default=True, envvar=SETTING, type=click.Choice(CHOICES), help=HELP
)
table_option = click.option("--table", "table_toml", default=None, type=A_PATH, help="Pins of this table's box.")


@contextlib.contextmanager
def written_into(folder: Path) -> Iterator[None]:
    """Raises BadInput where what is done within cannot be written into the folder."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"The folder {folder} cannot be used ({error.strerror}): choose another.") from error


def data_option(help: str = "Where games are kept.", usual: Path = DATA) -> Callable[[Command], Command]:
    """The option --data, whose value is `data`."""
    return click.option("--data", default=usual, show_default=True, type=A_PATH, help=help)


def output_option(usual: str) -> Callable[[Command], Command]:
    """The option --output of a command that draws pages, whose value is `output`."""
    type_ = click.Path(path_type=Path, dir_okay=False)
    return click.option(
        "-o", "--output", default=Path(usual), show_default=True, type=type_, help="FILE.svg or FILE.pdf."
    )


def serving_options(what: str, port: int, mqtt: str) -> Callable[[Command], Command]:
    """The options of a service that listens: `port`, `address`, `names`, `mqtt` and `log_json`.

    what    "table" or "hub"
    mqtt    what the broker is for
    """
    options: tuple[Callable[[Any], Any], ...] = (
        click.option(
            "--port", default=port, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free port."
        ),
        click.option("--host", "address", default="0.0.0.0", show_default=True, help="Address to listen on."),
        click.option(
            "--allow-host", "names", multiple=True, metavar="NAME", help=f"A name this {what} answers to, too."
        ),
        click.option("--mqtt", default="", envvar="COMPANION_MQTT", metavar="URL", help=mqtt),
        click.option("--log-json", is_flag=True, help="Writes its log as JSON lines."),
    )

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
