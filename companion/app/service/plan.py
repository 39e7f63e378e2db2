"""The service's settings from the command line."""

from dataclasses import dataclass
from pathlib import Path

from companion.app.service.camera_process import CamerasElsewhere
from companion.app.service.mqtt import Broker
from companion.network.addresses import Network


@dataclass(frozen=True)
class Plan:
    """The service's settings from the command line.

    camera      above the table: "virtual", "none", "picamera", "picamera1", a number, a folder, a video or an
                address. It may hold a password: show only `companion.cameras.in_network.without_secrets` of it
    table_toml  the box's pins, None for no box (in a demo a simulated one)
    names       host names that the table answers to besides its own
    frames      origins whose pages may show the screens in a frame
    screen_user the id of the user whose programs are the table's own screen, None for nobody besides the service's user
    proxies     whose word counts for a visitor's address, scheme, host and sub-path
    public      whether clients from public addresses are let in
    silent      whether to silence the box; False leaves it as the house last set it
    front       the camera at table height, like `camera`; a virtual one starts when it is first needed
    broker      of MQTT, None for none; it gets the players' names only with `broker_hears_names`
    hub         where finished games are sent, "" for the one that is remembered, "none" to forget it
    hub_code    the one-time code that enrols this table there, "" if it is enrolled
    cameras     the cameras' process, None if this process starts the helpers itself
    kiosk       what shows the page on this machine's own screen, () for nothing; see `screen.command_for`
    wifi        the socket of the helper that looks after the Wi-Fi, None where there is none
    """

    demo: bool
    camera: str
    data: Path
    table_toml: Path | None
    names: tuple[str, ...] = ()
    public: bool = False
    silent: bool = False
    front: str = "none"
    broker: Broker | None = None
    broker_hears_names: bool = False
    cameras: CamerasElsewhere | None = None
    frames: tuple[str, ...] = ()
    screen_user: int | None = None
    proxies: tuple[Network, ...] = ()
    hub: str = ""
    hub_code: str = ""
    wifi: Path | None = None
    kiosk: tuple[str, ...] = ()
