"""`companion token`: tickets for scripts and devices, from the machine itself."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from companion.access.access import Access
from companion.app.cli.groups import Sentences
from companion.app.cli.options import data_option
from companion.errors import HardwareUnavailable, NotFound
from companion.journal.data_folder import journal_in
from companion.journal.devices import SCRIPT, Role
from companion.names import shortened
from companion.network.addresses import in_url, own_address


@click.group(cls=Sentences)
@data_option("The games.")
@click.pass_context
def token(context: click.Context, data: Path) -> None:
    """Makes, lists and revokes tickets; makes a one-time link or a new PIN for the host."""
    context.obj = data


@contextlib.contextmanager
def open_access(data: Path) -> Iterator[Access]:
    """The tickets of the table in a folder, as `journal_in` opens it.

    Opened by each command, after its arguments were understood: help and wrong usage need no table.
    """
    with contextlib.closing(journal_in(data)) as journal:
        yield Access(journal)


@token.command()
@click.argument("role", type=click.Choice([role.value for role in Role]))
@click.option("--label", default=SCRIPT, show_default=True, help="What to know it by.")
@click.pass_obj
def create(data: Path, role: str, label: str) -> None:
    """Prints a token: send it as "Authorization: Bearer TOKEN"."""
    with open_access(data) as access:
        click.echo(access.tickets.issue(Role(role), label=shortened(label)))


@token.command("list")
@click.pass_obj
def list_(data: Path) -> None:
    """Prints every ticket that counts: its id, role, name."""
    with open_access(data) as access:
        for ticket in access.tickets.all():
            click.echo(f"{ticket.id}  {ticket.role:<8}  {ticket.label}")


@token.command()
@click.argument("ticket_id")
@click.pass_obj
def revoke(data: Path, ticket_id: str) -> None:
    """Shows a device or script out."""
    with open_access(data) as access:
        if ticket_id not in (ticket.id for ticket in access.tickets.all()):
            raise NotFound("There is no such ticket: see companion token list.")
        access.tickets.revoke(ticket_id)


@token.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Where the table serves.")
@click.pass_obj
def link(data: Path, port: int) -> None:
    """Prints a link that makes one device the host's, once, within half an hour."""
    address = own_address()
    if not address:
        raise HardwareUnavailable("This machine has no address in a network: connect it to one, or use the PIN.")
    with open_access(data) as access:
        click.echo(f"http://{in_url(address)}:{port}/join/{access.links.start_link()}")


@token.command()
@click.option("--first", is_flag=True, help="Only if there is none yet; prints nothing where there is one.")
@click.pass_obj
def pin(data: Path, first: bool) -> None:
    """Makes a new PIN for the host and prints it, this once."""
    with open_access(data) as access:
        if not (first and access.pin.is_set()):
            click.echo(access.pin.renew())
