"""`companion cert`: a certificate of the house, so that tablets may use what browsers keep for https."""

from pathlib import Path

import click

from companion.app.cli.options import data_option
from companion.errors import BadInput


@click.command()
@data_option()
def cert(data: Path) -> None:
    """Makes an authority of this house and a certificate for table.local and this machine's addresses.

    Made once; `companion run` serves https from then on and renews the table's certificate by itself.
    """
    from companion.network.addresses import own_addresses
    from companion.network.certificate import HouseCertificate

    house = HouseCertificate(data)
    try:
        house.make(own_addresses())
    except OSError as error:
        raise BadInput(f"The folder {data} cannot be used ({error.strerror}): choose another.") from error
    click.echo(f"The table's certificate holds until {house.ends():%Y-%m-%d}, and is renewed by itself before.")
    click.echo("Start the table anew. It then also serves https://table.local:8443.")
    click.echo(
        "On each tablet, once: open /cert on the table's page, download the authority, and let the tablet trust it. "
        "The page says where."
    )
    click.echo(f"Compare there: {house.fingerprint()}")
