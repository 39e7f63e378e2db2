"""What was asked for on the command line, when the service starts."""

from dataclasses import dataclass
from pathlib import Path

from companion.service.camera_process import CamerasElsewhere
from companion.service.mqtt import Broker


@dataclass(frozen=True)
class Plan:
    """What was asked for on the command line.

    camera      above the table: "virtual", "none", "picamera", "picamera1", a number, a folder or a video
    table_toml  the box's pins, None for no box (in a demo a simulated one)
    names       names the table answers to besides its own
    public      whether clients from public addresses are let in
    silent      whether the box is to play no tones; otherwise it is as the house last set it
    front       the camera at table height, like `camera`; a virtual one begins when a game first looks through it
    broker      of MQTT, None to tell nobody; it hears the players' names only with `broker_hears_names`
    cameras     the process that has the cameras, None where this one starts what watches them
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
