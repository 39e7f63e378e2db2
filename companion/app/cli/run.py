"""`companion run`: the service."""

import contextlib
import errno
import re
import socket
from pathlib import Path

import click

from companion.app.cli.options import A_PATH, data_option, mains_option, serving_options, table_option
from companion.app.service.camera_process import CamerasElsewhere
from companion.cameras.devices import is_device
from companion.cameras.in_network import hide_in_process_list, is_address, parts_of
from companion.cameras.mains import choose as choose_mains
from companion.cameras.names import NO_CAMERA, PHONE, VIRTUAL, camera_here, is_a_pi, pi_camera, refuse_one_twice
from companion.errors import BadInput
from companion.logs import prepare as prepare_logs
from companion.network.addresses import parse_proxies
from companion.network.peers import user_id

OPEN_PORTS = range(1024, 65536)  # Lower ports belong to the machine's own services.
TRIED_PORTS = 100
# An origin goes into a header, so nothing else may be in it.
ORIGIN = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:]+\])(:(?P<port>[0-9]{1,5}))?")


@click.command()
@click.option("--demo", is_flag=True, help="A virtual table on the page /table; no hardware needed.")
@click.option(
    "--camera",
    default=None,
    envvar="COMPANION_CAMERA",
    help="0, /dev/video0, /dev/v4l/by-id/…, picamera (its second: picamera1), rtsp://…, http://…, phone (its "
    "page: /camera), FOLDER, VIDEO, virtual or none. Without it the first camera found; the demo without a box too. "
    "Also from the environment, as COMPANION_CAMERA, where it holds a password.",
)
@click.option(
    "--front",
    default=None,
    envvar="COMPANION_FRONT",
    help="The camera at table height, for stacks; like --camera, also as COMPANION_FRONT. Without it none, in the demo "
    "a virtual one.",
)
@click.option(
    "--cameras-from",
    "socket_path",
    default=None,
    metavar="SOCKET",
    type=A_PATH,
    help="Another process has the cameras: companion cameras SOCKET.",
)
@click.option(
    "--wifi-from",
    "wifi_path",
    default=None,
    metavar="SOCKET",
    type=A_PATH,
    help="A helper looks after this machine's Wi-Fi, chosen on /wifi: companion wifi serve SOCKET.",
)
@serving_options(
    "table",
    8000,
    "Tells a broker how the table is: mqtt://USER:PASSWORD@HOST. Also from the environment, as COMPANION_MQTT.",
)
@click.option(
    "--https-port",
    default=8443,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Also serves https there, once companion cert has made a certificate.",
)
@data_option()
@table_option
@click.option(
    "--allow-frame",
    "frames",
    multiple=True,
    metavar="ORIGIN",
    help="A site that may show /board and /overlay in a frame, as http://homeassistant.local:8123, linked on /house.",
)
@click.option(
    "--screen-user",
    default=None,
    metavar="NAME",
    help="Who runs the table's own screen, if it is another user of this machine than the service's.",
)
@click.option("--kiosk", is_flag=True, help="Shows the scoreboard on this machine's own screen, and nothing else.")
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy, or a network of them, whose word counts for a visitor's address, scheme, host and sub-path.",
)
@click.option("--public", is_flag=True, help="Lets clients from public addresses in, with a ticket as everybody.")
@click.option("--silent", is_flag=True, help="The box plays no tones until somebody switches them on again.")
@click.option("--mqtt-names", is_flag=True, help="The broker hears the players' names instead of their seats.")
@click.option(
    "--hub",
    default="",
    metavar="URL",
    help="Sends finished games to a hub, as http://192.168.1.5:8100; later starts remember it. none: no longer.",
)
@click.option("--enrol", default="", metavar="CODE", help="The hub's one-time code: companion hub code prints it.")
@mains_option
def run(
    demo: bool,
    camera: str | None,
    front: str | None,
    socket_path: Path | None,
    wifi_path: Path | None,
    port: int,
    https_port: int,
    address: str,
    data: Path,
    table_toml: Path | None,
    names: tuple[str, ...],
    frames: tuple[str, ...],
    screen_user: str | None,
    kiosk: bool,
    proxies: tuple[str, ...],
    public: bool,
    silent: bool,
    mqtt: str,
    mqtt_names: bool,
    hub: str,
    enrol: str,
    mains: str,
    log_json: bool,
) -> None:
    """Starts the table: camera, buttons and scoreboard."""
    from companion.app.service.mqtt import broker_of
    from companion.app.service.plan import Plan
    from companion.app.service.screen import command_for
    from companion.app.service.server import serve
    from companion.network.certificate import HouseCertificate
    from firmware.plan import read_plan

    prepare_logs(log_json)
    hide_in_process_list(camera, front, mqtt)
    choose_mains(mains)
    if table_toml is not None and not table_toml.is_file():
        raise BadInput(f"{table_toml} is no file: write one with companion init and set your pins.")
    if table_toml is not None:
        read_plan(table_toml)  # An error in a named file stops the start; one in the table's own file does not.
    elif not demo and (own := data / "table.toml").is_file():  # A demo simulates its box.
        table_toml = own
    frames = tuple(map(origin_named, frames))
    trusted_proxies = tuple(parse_proxies(address_) for address_ in proxies)
    screen = _id_of(screen_user) if screen_user else None
    shows = command_for(data) if kiosk else ()
    cameras = CamerasElsewhere(socket_path) if socket_path else None
    is_fallback = False
    if camera is None:
        camera = "virtual" if demo else _camera_there(cameras)
        if camera is None and table_toml:
            camera = "none"  # A box alone is a table, too: the timer.
        if camera is None:
            is_fallback, demo, camera = True, True, "virtual"
    front = front or ("virtual" if demo else "none")
    if "virtual" in (camera, front) and not demo:
        raise BadInput("The virtual camera shows the demo's table: add --demo, or choose another camera.")
    for option, name in (("--camera", camera), ("--front", front)):
        if not _may_be_camera(name):
            raise BadInput(f"There is no camera, folder or video {name}: name one, or start with {option} none.")
    refuse_one_twice(camera, front)
    broker = broker_of(mqtt) if mqtt else None
    if enrol and not hub:
        raise BadInput("--enrol needs the hub's address, too: add --hub http://HOST:PORT.")
    if hub:
        from companion.letters.outbox import check_hub
        from companion.packages import OF_A_TABLE, check_packages

        hub = check_hub(hub)
        check_packages(*OF_A_TABLE)
    has_https = HouseCertificate(data).exists()
    listener = listen(address, port, "--port", reserved=https_port if has_https else None)
    secure = listen(address, https_port, "--https-port", reserved=listener.getsockname()[1]) if has_https else None
    if is_fallback:  # A start that is refused says why, and nothing else.
        click.echo("No camera was found, so this is the demo: the table is on the page /table.")
    plan = Plan(
        demo, camera, data, table_toml, names, public, silent, front, broker, mqtt_names, cameras, frames, screen,
        trusted_proxies, hub, enrol, wifi_path, shows,
    )  # fmt: skip
    serve(plan, listener, secure)


def _id_of(user: str) -> int | None:
    """The id of the user who runs the screen; None, and says so, if there is none yet: a screen may come later."""
    try:
        return user_id(user)
    except KeyError:
        click.echo(f"This machine knows no user {user}, so nobody else's screen is the host's.")
        return None


def _may_be_camera(name: str) -> bool:
    """Whether a name may be that of a camera, a folder or a video. Opening it shows whether it works."""
    if is_address(name):
        parts_of(name)  # It raises BadInput for an address that can be none.
        return True
    return (
        name.isdecimal()
        or is_device(name)  # It may be plugged in later.
        or name in (VIRTUAL, NO_CAMERA, PHONE)
        or pi_camera(name) is not None
        or Path(name).exists()
    )


def _camera_there(cameras: CamerasElsewhere | None) -> str | None:
    """The camera of this machine, or None.

    If the cameras' process does not answer yet, the machine's usual camera is assumed: the table says so and goes on
    without it until that process is there.
    """
    if cameras is None:
        return camera_here()
    try:
        return cameras.look()
    except OSError:
        click.echo(
            f"Nobody answers at {cameras.path}: start companion cameras {cameras.path}. Until then it goes by tap."
        )
        return "picamera" if is_a_pi() else "0"


def origin_named(address: str) -> str:
    """The origin of a site, also where a browser's bar shows it with a slash at its end; raises BadInput."""
    origin = address.removesuffix("/")
    match = ORIGIN.fullmatch(origin)
    if match is None or not 0 < int(match["port"] or 80) < 65_536:
        raise BadInput(f"{address} is no origin of a site: write it as http://homeassistant.local:8123.")
    return origin


def listen(address: str, port: int, option: str = "--port", reserved: int | None = None) -> socket.socket:
    """A socket bound to the port; raises BadInput when the port is taken.

    option      the command line's option for this port, for the sentence
    reserved    a port that this start uses for something else
    """
    try:
        return _bound(address, port)
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise BadInput(f"{address} is no address of this machine: leave --host away to listen on all.") from error
        raise BadInput(
            f"Port {port} cannot be used ({error.strerror}): stop the other program, or start with {option} "
            f"{_free_port(address, port, reserved)}."
        ) from error


def _bound(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
    except OSError:
        listener.close()
        raise
    return listener


def _free_port(address: str, port: int, reserved: int | None) -> int:
    """The first free port above this one that needs no privileges; 0, for any, if all of them are taken."""
    first = max(port + 1, OPEN_PORTS.start)
    for candidate in range(first, min(first + TRIED_PORTS, OPEN_PORTS.stop)):
        if candidate != reserved:
            with contextlib.suppress(OSError), _bound(address, candidate):
                return candidate
    return 0
