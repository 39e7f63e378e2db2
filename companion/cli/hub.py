"""`companion hub`: gathers the games of many tables, and shows the hall."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.errors import BadInput
from companion.logs import prepare as prepare_logs
from companion.words import _

if TYPE_CHECKING:
    from companion.hub.hall import Hall
    from companion.service.mqtt import Broker

DATA = Path("instance/hub")
CONNECT_S = 2.0  # that a start waits for the broker's first answer


@click.group(invoke_without_command=True)
@click.option("--port", default=8100, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free port.")
@click.option("--host", "address", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option("--data", default=DATA, show_default=True, type=click.Path(path_type=Path), help="Where games are kept.")
@click.option(
    "--mqtt",
    default="",
    envvar="COMPANION_MQTT",
    metavar="URL",
    help="A broker that runs already shows the tables live, as mqtt://HOST. Without it the hub starts Mosquitto.",
)
@click.option("--no-mqtt", is_flag=True, help="No table is shown live.")
@click.option("--public", is_flag=True, help="Anybody in the network may read the board and the lists.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="A name this hub answers to, too.")
@click.option("--log-json", is_flag=True, help="Writes its log as JSON lines.")
@click.pass_context
def hub(
    context: click.Context,
    port: int,
    address: str,
    data: Path,
    mqtt: str,
    no_mqtt: bool,
    public: bool,
    names: tuple[str, ...],
    log_json: bool,
) -> None:
    """Starts a hub: tables that were enrolled send their finished games here, and show themselves on its board."""
    if context.invoked_subcommand:
        return
    from companion.cli.run import listen
    from companion.hub.packages import OF_A_HUB, check_packages
    from companion.journal.data_folder import claim
    from companion.service.server import Ending, allow_handles, say

    check_packages(*OF_A_HUB)
    prepare_logs(log_json)
    if mqtt and no_mqtt:
        raise BadInput(_("--mqtt and --no-mqtt contradict each other. Leave one out."))
    broker = broker_named(mqtt) if mqtt else None
    with claim(data), Ending() as ending, contextlib.closing(listen(address, port)) as listener:
        from companion.changes import Live
        from companion.hub.hall import Hall
        from companion.hub.record import HubRecord
        from web.hub.app import create_hub
        from web.hub.here import Hub
        from web.live.streams import Streams
        from web.serving.connections import Connections
        from web.serving.front import Front
        from web.serving.server import PageServer

        allow_handles()
        with contextlib.closing(HubRecord(data)) as record:
            live = Live()
            hall = Hall(record.public_of, live)
            with shown_live(hall, data, address, broker, no_mqtt) as (mqtt_at, trouble):
                listener.listen()
                streams = Streams(live)
                streams.start()
                app = create_hub(Hub(record, hall, live, public, mqtt_at, trouble), names)
                pages = PageServer(Front(app, streams), Connections(), [listener], ending.pages_have_ended)
                pages.start()
                say(f"Ready at http://localhost:{listener.getsockname()[1]}")
                if why := trouble():
                    say(why)
                ending.wait()
                live.close()
                pages.stop()


Shown = tuple[tuple[str, int], Callable[[], str]]


@contextlib.contextmanager
def shown_live(hall: "Hall", data: Path, address: str, broker: "Broker | None", nothing: bool) -> Iterator[Shown]:
    """Listens to what tables say of themselves; gives where tables say it, and why they are not heard ("" if they are).

    broker      one that runs already, None to start Mosquitto
    nothing     listen to nobody
    """
    from companion.service.hall_listener import HallListener
    from companion.service.mosquitto import OwnBroker
    from companion.service.mqtt import Broker

    nowhere = ("", 0)
    if nothing:
        why = _("No table is shown live, because the hub was started with --no-mqtt.")
        yield nowhere, lambda: why
        return
    with contextlib.ExitStack() as parts:
        try:
            at = nowhere
            if broker is None:
                own = OwnBroker(data, address)
                own.start()
                parts.callback(own.stop)
                here = "127.0.0.1" if address == "0.0.0.0" else address
                broker, at = Broker(here, own.port, secure=False), ("", own.port)
            elif not broker.user and not broker.secure:  # else tables need a password, and name the broker themselves
                at = ("" if is_here(broker.host) else broker.host, broker.port)
            listener = HallListener(hall, broker)
        except BadInput as refusal:
            sentence = refusal.sentence
            yield nowhere, lambda: sentence
            return
        listener.start()
        parts.callback(listener.stop)
        listener.await_broker(CONNECT_S)  # so that a start says nothing that is no longer true a moment later
        lost = _("The broker doesn't answer, so no table is shown live. Look whether it runs.")
        yield at, lambda: "" if listener.is_connected else lost


def is_here(host: str) -> bool:
    """Whether a broker's address is the hub's own machine, which tables know by another address."""
    return host == "localhost" or host.startswith("127.") or host == "::1"


def broker_named(url: str) -> "Broker":
    """The broker of a URL; raises BadInput, also if the client library is missing."""
    from companion.service.mqtt import broker_of, paho

    paho()
    return broker_of(url)


@hub.command()
@click.option("--data", default=DATA, show_default=True, type=click.Path(path_type=Path), help="Where games are kept.")
def code(data: Path) -> None:
    """Prints a code that enrols one table, once, within a day."""
    from companion.hub.packages import OF_A_HUB, check_packages

    check_packages(*OF_A_HUB)
    from companion.hub.record import HubRecord

    with contextlib.closing(HubRecord(data)) as record:
        click.echo(record.new_code())
