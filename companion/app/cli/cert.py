"""`companion cert`: a certificate of the house, so that devices may use what browsers keep for https."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.app.cli.options import HUB_DATA, HUB_HTTPS_PORT, HUB_PORT, data_option, written_into
from companion.journal.data_folder import HUB_RECORD

if TYPE_CHECKING:
    from companion.network.certificate import HouseCertificate


@click.command()
@data_option()
def cert(data: Path) -> None:
    """Makes an authority of this house and a certificate for table.local and this machine's addresses.

    Made once; `companion run`, or `companion hub` in its own folder, serves https from then on and renews the
    certificate by itself.
    """
    from companion.network.addresses import own_addresses
    from companion.network.certificate import HouseCertificate

    house, addresses = HouseCertificate(data), own_addresses()
    with written_into(data):
        house.make(addresses)
    for sentence in said_of_a_hub(house, addresses) if is_of_a_hub(data) else said_of_a_table(house):
        click.echo(sentence)
    click.echo(f"Compare there: {house.fingerprint()}")


def is_of_a_hub(data: Path) -> bool:
    """Whether a hub keeps its record in a folder, or will if it is given no other."""
    return (data / HUB_RECORD).is_file() or data.resolve() == HUB_DATA.resolve()


def said_of_a_table(house: "HouseCertificate") -> tuple[str, ...]:
    return (
        f"The table's certificate holds until {house.ends():%Y-%m-%d}, and is renewed by itself before.",
        "Start the table anew. It then also serves https://table.local:8443.",
        "On each tablet, once: open /cert on the table's page, download the authority, and let the tablet trust it. "
        "The page says where.",
    )


def said_of_a_hub(house: "HouseCertificate", addresses: Sequence[str]) -> tuple[str, ...]:
    """The same of a hub, which no name in the network leads to; at its usual ports."""
    from companion.network.addresses import in_url

    host = in_url(next(iter(addresses), "localhost"))
    return (
        f"The hub's certificate holds until {house.ends():%Y-%m-%d}, and is renewed by itself before.",
        f"Start the hub anew. It then also serves https://{host}:{HUB_HTTPS_PORT}.",
        f"On each device of the staff, once: open http://{host}:{HUB_PORT}/cert, download the authority, and let the "
        "device trust it. The page says where.",
    )
