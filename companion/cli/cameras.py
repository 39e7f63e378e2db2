"""`companion cameras`: the cameras in a process of their own, for a service without access to them."""

from pathlib import Path

import click

from companion.service.camera_process import serve_cameras
from companion.service.systemd import take_over


@click.command()
@click.argument("socket_path", metavar="SOCKET", type=click.Path(path_type=Path))
def cameras(socket_path: Path) -> None:
    """Has the cameras for a table that runs with --cameras-from SOCKET."""
    serve_cameras(socket_path, take_over())
