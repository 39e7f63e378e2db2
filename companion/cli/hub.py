"""`companion hub`: gathers the games of many tables."""

import contextlib
from pathlib import Path

import click

from companion.logs import prepare as prepare_logs

DATA = Path("instance/hub")


@click.group(invoke_without_command=True)
@click.option("--port", default=8100, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free port.")
@click.option("--host", "address", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option("--data", default=DATA, show_default=True, type=click.Path(path_type=Path), help="Where games are kept.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="A name this hub answers to, too.")
@click.option("--log-json", is_flag=True, help="Writes its log as JSON lines.")
@click.pass_context
def hub(context: click.Context, port: int, address: str, data: Path, names: tuple[str, ...], log_json: bool) -> None:
    """Starts a hub: tables that were enrolled send their finished games here."""
    if context.invoked_subcommand:
        return
    from companion.cli.run import listen
    from companion.hub.packages import OF_A_HUB, check_packages
    from companion.journal.data_folder import claim
    from companion.service.server import Ending, allow_handles, say

    check_packages(*OF_A_HUB)
    prepare_logs(log_json)
    with claim(data), Ending() as ending, contextlib.closing(listen(address, port)) as listener:
        from companion.changes import Live
        from companion.hub.record import HubRecord
        from web.hub import create_hub
        from web.live.streams import Streams
        from web.serving.connections import Connections
        from web.serving.front import Front
        from web.serving.server import PageServer

        allow_handles()
        with contextlib.closing(HubRecord(data)) as record:
            listener.listen()
            front = Front(create_hub(record, names), Streams(Live()))
            pages = PageServer(front, Connections(), [listener], ending.pages_have_ended)
            pages.start()
            say(f"Ready at http://localhost:{listener.getsockname()[1]}")
            ending.wait()
            pages.stop()


@hub.command()
@click.option("--data", default=DATA, show_default=True, type=click.Path(path_type=Path), help="Where games are kept.")
def code(data: Path) -> None:
    """Prints a code that enrols one table, once, within a day."""
    from companion.hub.packages import OF_A_HUB, check_packages

    check_packages(*OF_A_HUB)
    from companion.hub.record import HubRecord

    with contextlib.closing(HubRecord(data)) as record:
        click.echo(record.new_code())
