"""`companion hub`: gathers the games of many tables, and shows the hall."""

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import periodic
from companion.app.cli.groups import Sentences
from companion.app.cli.options import A_PATH, HUB_DATA, HUB_HTTPS_PORT, HUB_PORT, data_option, serving_options
from companion.errors import BadInput
from companion.logs import prepare as prepare_logs
from companion.words import N_, _, time_of_day

if TYPE_CHECKING:
    from companion.hub.copies import Copies
    from companion.hub.record import HubRecord

HERE = "localhost"
A_NAME = re.compile(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?")
OWN_DEVICE = "Hub"  # Whose ticket it is that the hub's own link gives, in the list of the staff.
# Python lets a thread that computes go on for 5 ms. One that writes a game would wait so long after each statement, and
# all others would wait for it.
TURN_S = 0.0005
COPY_S = 60.0
NO_COPY = N_(
    "Nothing is copied. Start the hub with --copies FOLDER, best on a stick: then an evening outlives its disk."
)
ON_OWN_DISK = N_("The copies lie on the hub's own disk. On a stick they outlive it.")
FAILED = N_("A part of the hub has failed and is started again. If this line stays, restart the hub.")


@click.group(cls=Sentences, invoke_without_command=True)
@serving_options(
    "hub",
    HUB_PORT,
    "A broker that runs already shows the tables live, as mqtt://HOST. Without it the hub starts Mosquitto.",
)
@click.option(
    "--https-port",
    default=HUB_HTTPS_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Also serves https there, once companion cert has made a certificate in the folder of --data.",
)
@click.option("--data", default=None, type=A_PATH, help=f"Where games are kept.  [default: {HUB_DATA}]")
@click.option("--no-mqtt", is_flag=True, help="No table is shown live.")
@click.option(
    "--database",
    default="",
    envvar="COMPANION_DATABASE",
    metavar="URL",
    help="Keeps the record in PostgreSQL, as postgresql://HOST/NAME, where two hubs may share it.",
)
@click.option(
    "--copies",
    "--copy",  # as docs/history.md has it
    "copies",
    default=None,
    type=A_PATH,
    metavar="FOLDER",
    help="Copies its record there each minute.",
)
@click.option("--demo", is_flag=True, help="Five simulated tables play; without --data nothing is kept.")
@click.option("--public", is_flag=True, help="Anybody in the network may read the board and the lists.")
@click.pass_context
def hub(
    context: click.Context,
    port: int,
    address: str,
    https_port: int,
    data: Path | None,
    mqtt: str,
    no_mqtt: bool,
    database: str,
    copies: Path | None,
    demo: bool,
    public: bool,
    names: tuple[str, ...],
    log_json: bool,
) -> None:
    """Starts a hub: tables that were enrolled send their finished games here, and show themselves on its board."""
    if context.invoked_subcommand:
        return
    from companion.app.cli.run import listen
    from companion.app.service.ending import Ending
    from companion.app.service.server import ENDED_S, allow_handles, by_ipv6, say, share_memory
    from companion.app.service.systemd import READY, take_over
    from companion.journal.data_folder import claim
    from companion.packages import OF_A_HUB, check_packages

    check_packages(*OF_A_HUB)
    prepare_logs(log_json)
    if mqtt and no_mqtt:
        raise BadInput("--mqtt and --no-mqtt contradict each other: leave one out.")
    if copies and database:
        raise BadInput("PostgreSQL makes its own copies (pg_dump): leave out --copies.")
    from companion.app.service.mqtt import broker_of
    from companion.hub.database import check_url

    broker, database = broker_of(mqtt) if mqtt else None, check_url(database) if database else ""
    with contextlib.ExitStack() as folders, Ending() as ending, contextlib.closing(listen(address, port)) as listener:
        if data is None and demo:
            data = Path(folders.enter_context(tempfile.TemporaryDirectory(prefix="companion-hall-")))
        data = data or HUB_DATA
        folders.enter_context(claim(data))
        from companion.app.hall.live_hall import show_live
        from companion.app.hall.second_judge import SecondJudge
        from companion.changes import Live
        from companion.hub.hall import Hall
        from companion.hub.record import HubRecord
        from companion.network.addresses import own_addresses
        from companion.network.certificate import HouseCertificate
        from companion.network.https import Https
        from web.hub.app import create_hub
        from web.hub.here import Hub
        from web.live.streams import Streams
        from web.serving.connections import Connections
        from web.serving.front import Front
        from web.serving.server import PageServer

        systemd = take_over()
        allow_handles()
        share_memory()
        sys.setswitchinterval(TURN_S)
        second = folders.enter_context(contextlib.closing(SecondJudge()))
        with contextlib.closing(HubRecord(data, database=database, judge=second.judge)) as record:
            copy = folders.enter_context(copied_to(copies, data)) if copies else None
            live = Live()
            hall = Hall(record.public_of, live, on_sign=record.hear)
            with show_live(hall, data, address, broker, no_mqtt) as (mqtt_at, trouble):
                listener.listen()
                streams = Streams(live)
                streams.start()
                sockets, connections = [listener, *map(folders.enter_context, by_ipv6(listener))], Connections()
                if (certificate := HouseCertificate(data)).exists():
                    secure = folders.enter_context(contextlib.closing(listen(address, https_port, "--https-port")))
                    secure.listen()
                    https_port = secure.getsockname()[1]
                    https = Https(certificate, own_addresses)
                    https.start()
                    folders.callback(https.stop)
                    sockets.append(secure)
                    connections = Connections(secure.getsockname()[1], https.context)
                hub = Hub(
                    *(record, hall, live, public, mqtt_at, lambda: trouble() or failed(), missed(copy), no_mqtt),
                    *(certificate, https_port, copy_hint(copy, bool(database) or demo)),
                )
                app = create_hub(hub, names)
                pages = PageServer(Front(app, streams), connections, sockets, ending.pages_have_ended)
                pages.start()
                here, port = listener.getsockname()
                hosts = hosts_of(here)
                served = https_port if certificate.exists() else None
                say_ready(hosts, port, served)
                say_links(record, hosts, port, served)
                for why in filter(None, (trouble(), *hub.hidden(), hub.advice)):
                    say(why)
                with simulated(record, port, mqtt_at) if demo else contextlib.nullcontext():
                    systemd.tell(READY)
                    ending.wait(systemd)
                live.close()
                streams.join(ENDED_S)
                streams.stop()
                pages.stop()


def hosts_of(address: str = "0.0.0.0") -> tuple[str, ...]:
    """What leads to a hub that listens there, as in a URL: HERE on its own computer, then what others use if they can.

    A hub that listens on one address of the network has that alone, and so has one that has a name there.
    """
    import ipaddress

    from companion.network.addresses import LOCAL_NAMES, in_url, own_address

    try:
        ip = ipaddress.ip_address("127.0.0.1" if address in LOCAL_NAMES else address)
    except ValueError:
        if not A_NAME.fullmatch(address):
            raise BadInput(f"{address} is no address: write --host 192.168.1.5, or the name of the hub.") from None
        return (address,)
    if not (ip.is_unspecified or ip.is_loopback):  # It listens nowhere else, not even on localhost.
        return (in_url(address),)
    reached = own_address() if ip.is_unspecified else None
    return (HERE, in_url(reached)) if reached else (HERE,)


def say_ready(hosts: Sequence[str], port: int, https_port: int | None) -> None:
    """Prints where the hub answers; `https_port` is None without a certificate."""
    from companion.app.service.server import say

    say(f"Ready at http://{hosts[0]}:{port}")
    for host in hosts if https_port is not None else ():
        say(f"Encrypted at https://{host}:{https_port}")
    for host in hosts[1:]:
        say(f"Tables and others in the network reach it at http://{host}:{port}")


def say_links(record: "HubRecord", hosts: Sequence[str], port: int, https_port: int | None = None) -> None:
    """Prints a link for the hub's own computer and one for another device, with a code to scan, where a terminal is.

    https_port  None without a certificate
    """
    from companion.app.service.server import say
    from companion.app.service.terminal_code import draw_code

    if not sys.stdout or not sys.stdout.isatty():  # A log would keep the links for others to read.
        say("Come in as staff by the link that this prints: companion hub link")
        return
    for host in hosts:
        link = link_at(host, port, https_port, new_link(record))
        where = "here" if host == HERE else "on another device"
        say(f"Come in as staff {where}, once, within 30 minutes: {link}")
        if host != HERE and (code := draw_code(link, sys.stdout)):
            say(code)
        if host != HERE and https_port:
            say(trust_first(host, port))
    if hosts[-1] == HERE:
        say("No other device can reach it now.")


def new_link(record: "HubRecord") -> str:
    """The token of a link by which one device comes in as an organiser."""
    from companion.hub.staff_tickets import StaffRole

    return record.staff.link(StaffRole.ORGANISER, OWN_DEVICE)


def link_at(host: str, port: int, https_port: int | None, token: str) -> str:
    """A way in; encrypted for another device where the hub has a certificate."""
    if https_port is not None and host != HERE:
        return f"https://{host}:{https_port}/join/{token}"
    return f"http://{host}:{port}/join/{token}"


def trust_first(host: str, port: int) -> str:
    """What a device does once, before it opens a link that is encrypted."""
    return f"A device that warns of the hub's certificate opens http://{host}:{port}/cert first."


@contextlib.contextmanager
def copied_to(folder: Path, data: Path) -> Iterator["Copies"]:
    """Copies of the record in `data`, each minute and at the end; raises BadInput for a folder that can't be used."""
    from companion.hub.copies import Copies
    from companion.journal.data_folder import HUB_RECORD
    from companion.periodic import PeriodicThread

    copies = Copies(data / HUB_RECORD, folder)
    copies.copy()

    def copy() -> float:
        copies.copy()
        return COPY_S

    thread = PeriodicThread("copies", copy, first_s=COPY_S)
    thread.start()
    yield copies
    thread.stop()
    copies.close()


def missed(copies: "Copies | None") -> Callable[[], tuple[str, ...]]:
    """Says why there is no copy of this minute, where copies are wanted."""
    return lambda: (copies.trouble(),) if copies else ()


def copy_hint(copies: "Copies | None", is_safe: bool) -> str:
    """What the staff can do, so that an evening outlives the hub's disk; "" for nothing."""
    if copies:
        return _(ON_OWN_DISK) if copies.is_on_own_disk else ""
    return "" if is_safe else _(NO_COPY)


def failed() -> str:
    """A sentence on the threads that do not live, "" where all do."""
    return _(FAILED) if periodic.untold() else ""


@contextlib.contextmanager
def simulated(record: "HubRecord", port: int, mqtt: tuple[str, int]) -> Iterator[None]:
    """Five simulated tables, which play meanwhile."""
    from companion.app.hall.simulated import SimulatedHall

    tables = SimulatedHall(record, port, mqtt, os.environ.get("COMPANION_SEED"))
    tables.start()
    yield
    tables.stop()


@hub.command()
@data_option(usual=HUB_DATA)
@click.option("--database", default="", envvar="COMPANION_DATABASE", metavar="URL", help="As the hub was started with.")
def code(data: Path, database: str) -> None:
    """Prints a code that enrols one table, once, within a day."""
    from companion.packages import OF_A_HUB, check_packages

    check_packages(*OF_A_HUB)
    from companion.hub.database import check_url
    from companion.hub.record import HubRecord

    with contextlib.closing(HubRecord(data, database=check_url(database) if database else "")) as record:
        click.echo(record.new_code())


@hub.command()
@data_option(usual=HUB_DATA)
@click.option("--database", default="", envvar="COMPANION_DATABASE", metavar="URL", help="As the hub was started with.")
@click.option("--port", default=HUB_PORT, show_default=True, help="As the hub was started with.")
@click.option("--https-port", default=HUB_HTTPS_PORT, show_default=True, help="As the hub was started with.")
@click.option(
    "--host", "address", default="0.0.0.0", show_default=True, help="As the hub was started with, or a name it has."
)
def link(data: Path, database: str, port: int, https_port: int, address: str) -> None:
    """Prints a link by which one device comes in as an organiser, once, within 30 minutes.

    It has a line for the hub's own computer, and one for other devices: whichever is opened first counts. The latter
    is encrypted once companion cert has made a certificate in the folder of --data.
    """
    from companion.packages import OF_A_HUB, check_packages

    check_packages(*OF_A_HUB)
    from companion.hub.database import check_url
    from companion.hub.record import HubRecord
    from companion.network.certificate import HouseCertificate

    hosts, served = hosts_of(address), https_port if HouseCertificate(data).exists() else None
    with contextlib.closing(HubRecord(data, database=check_url(database) if database else "")) as record:
        token = new_link(record)
        for host in hosts:
            click.echo(link_at(host, port, served, token))
            if host != HERE and served is not None:
                click.echo(trust_first(host, port), err=True)


@hub.command()
@click.argument("folder", type=A_PATH)
@data_option(usual=HUB_DATA)
def restore(folder: Path, data: Path) -> None:
    """Puts back the copy in FOLDER, which --copies had, as the record of a hub that has none."""
    from companion.journal.data_folder import claim
    from companion.packages import OF_A_HUB, check_packages

    check_packages(*OF_A_HUB)
    from companion.hub.copies import put_back
    from companion.hub.record import HubRecord

    with claim(data):
        found = put_back(folder, data)
        HubRecord(data).close()
    click.echo(f"{data}: tournaments: {found.tournaments}, games: {found.games}, tables: {found.tables}.")
    click.echo(f"The copy is of {time_of_day(found.made_us)[:5]}. What staff did after that is to be done again.")
    click.echo(f"Start it with companion hub --copies {folder}. Tables that find it send again what it does not have.")
    click.echo("Has it another address? Then start each table once with --hub and the new address, without a code.")
