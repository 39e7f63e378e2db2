"""`companion cameras`: lists the cameras, or has them in a process of its own for a service without access to them."""

from pathlib import Path

import click

from companion.cameras.devices import device_lines
from companion.service.camera_process import serve_cameras
from companion.service.systemd import take_over


@click.command()
@click.argument("socket_path", metavar="SOCKET", required=False, type=click.Path(path_type=Path))
def cameras(socket_path: Path | None) -> None:
    """Has the cameras for a table that runs with --cameras-from SOCKET; without SOCKET lists this machine's devices.

    Cameras in the network are not searched for: run takes their address (rtsp://…, http://…).
    """
    if socket_path is None:
        for line in device_lines() or (
            "This machine shows no video device: plug a camera in, or give the address of one in the network.",
        ):
            click.echo(line)
        return
    serve_cameras(socket_path, take_over())
