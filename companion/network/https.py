"""The TLS context of the house's https port, with a certificate that is renewed while the table runs."""

import logging
import ssl
from collections.abc import Callable, Iterable

from companion.errors import BadInput
from companion.network.certificate import HouseCertificate
from companion.periodic import PeriodicThread

LOOK_S = 6 * 60 * 60.0  # Within this time, or at the next start, the certificate names a new address.

log = logging.getLogger(__name__)


class Https(PeriodicThread):
    """Keeps `context`, which encrypts connections, supplied with the table's newest certificate.

    certificate   of the house; it must exist
    addresses     returns the machine's own addresses; called at each look
    """

    def __init__(self, certificate: HouseCertificate, addresses: Callable[[], Iterable[str]]) -> None:
        self._certificate, self._addresses = certificate, addresses
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        super().__init__("certificate", self._look, first_s=LOOK_S, longest_s=LOOK_S)
        self._renew()
        try:
            self.context.load_cert_chain(certificate.table)
        except OSError as error:  # SSLError is one, too.
            raise BadInput(
                f"{certificate.table} is no certificate with its key: delete {certificate.folder}, and make a new one "
                "with companion cert, or serve http alone."
            ) from error

    def _look(self) -> float:
        self._renew()
        self.context.load_cert_chain(self._certificate.table)  # It is used for every new connection.
        return LOOK_S

    def _renew(self) -> None:
        try:
            self._certificate.renew(self._addresses())
        except (BadInput, OSError) as why:  # The old one stays in use; companion doctor says when it ends.
            log.warning("The certificate cannot be renewed: %s", why)
