"""`companion wifi`: the helper that may tell NetworkManager what to do, and its card."""

import contextlib
from pathlib import Path

import click

from companion.app.cli.groups import Sentences
from companion.app.cli.options import A_PATH
from companion.app.service.ending import Ending
from companion.app.service.systemd import READY, take_over
from companion.network.wifi.door import Do, Door, Wifi
from companion.network.wifi.keeper import Keeper
from companion.network.wifi.nmcli import ManagerSilent, NetworkManager
from companion.network.wifi.profiles import OWN_UUID, Folders, lead_nobody
from companion.periodic import PeriodicThread

SOCKET = Path("/run/table-wifi/socket")
HUNG_S = 300.0  # NetworkManager may take its time for each of several steps.


@click.group(cls=Sentences)
def wifi() -> None:
    """The table's own Wi-Fi, by which a phone chooses the house's."""


@wifi.command()
@click.argument("socket_path", metavar="SOCKET", type=A_PATH)
@click.option("--state", required=True, type=A_PATH, help="The folder where its password is kept.")
@click.option("--issue", default=None, type=A_PATH, help="Writes its card there, for the screen before a login.")
@click.option("--nmcli", default="nmcli", show_default=True, help="NetworkManager's command.")
@click.option("--etc", default=Path("/etc/NetworkManager"), show_default=True, type=A_PATH, help="Its folder.")
@click.option("--run", default=Path("/run/NetworkManager"), show_default=True, type=A_PATH, help="Its passing one.")
def serve(socket_path: Path, state: Path, issue: Path | None, nmcli: str, etc: Path, run: Path) -> None:
    """Looks after the Wi-Fi for a table that runs with --wifi-from SOCKET, until a signal ends it."""
    from companion.network.wifi.card import issue_text, password_in

    systemd = take_over()
    folders = Folders(etc / "system-connections", run / "system-connections", etc / "dnsmasq-shared.d")
    manager, password = NetworkManager(nmcli), password_in(state)
    if issue is not None:
        issue.write_text(issue_text(password), encoding="utf-8")
    lead_nobody(folders)
    with contextlib.suppress(ManagerSilent):  # A helper that was killed may have left it open.
        manager.leave(OWN_UUID)
    keeper = Keeper(manager, folders, password)
    door, rounds = Door(socket_path, keeper), PeriodicThread("wifi", keeper.look, hung_s=HUNG_S, is_needed=True)
    keeper.wake = rounds.again
    with Ending() as ending:
        rounds.start()
        door.start()
        systemd.tell(READY)
        ending.wait(systemd)
    door.stop()
    rounds.stop()
    keeper.end()


@wifi.command()
@click.argument("socket_path", metavar="SOCKET", default=SOCKET, type=A_PATH)
def card(socket_path: Path) -> None:
    """Prints name, password and code of the table's own Wi-Fi: stick it on the box."""
    from companion.network.wifi.card import card_text

    click.echo(card_text(Wifi(socket_path).ask(Do.TELL).password))


@wifi.command("open")
@click.argument("socket_path", metavar="SOCKET", default=SOCKET, type=A_PATH)
def open_(socket_path: Path) -> None:
    """Opens the table's own Wi-Fi now, at its own keyboard: the Wi-Fi that the table is in ends."""
    Wifi(socket_path).ask(Do.OPEN)
    click.echo("The table's own Wi-Fi opens.")
    click.echo("Where the table knows another network, it closes after ten minutes with nobody on its page.")
