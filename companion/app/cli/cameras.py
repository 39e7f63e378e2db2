"""`companion cameras`: lists the cameras, or has them in a process of its own for a service without access to them."""

from pathlib import Path

import click

from companion.app.cli.options import A_PATH, mains_option
from companion.app.service.camera_process import serve_cameras
from companion.app.service.systemd import take_over
from companion.cameras.devices import device_lines
from companion.cameras.mains import choose as choose_mains


@click.command()
@click.argument("socket_path", metavar="SOCKET", required=False, type=A_PATH)
@mains_option
def cameras(socket_path: Path | None, mains: str) -> None:
    """Has the cameras for a table that runs with --cameras-from SOCKET; without SOCKET lists this machine's devices.

    Cameras in the network are not searched for: run takes their address (rtsp://…, http://…).
    """
    if socket_path is None:
        for line in device_lines() or (
            "This machine shows no video device: plug a camera in, or give the address of one in the network.",
        ):
            click.echo(line)
        return
    choose_mains(mains)
    serve_cameras(socket_path, take_over())
