"""https beside http, in the one process that owns the state: a second socket, whose connections are encrypted."""

import logging
import ssl
from collections.abc import Callable, Iterable

from companion.errors import BadInput
from companion.network.certificate import HouseCertificate
from companion.periodic import PeriodicThread

LOOK_S = 6 * 60 * 60.0  # an address that is new is covered within so long, or at the next start

log = logging.getLogger(__name__)


class Https(PeriodicThread):
    """The table's certificate in use, renewed without a new start: `context` encrypts connections.

    certificate   of the house; it must exist
    addresses     the machine's own, asked anew at each look
    """

    def __init__(self, certificate: HouseCertificate, addresses: Callable[[], Iterable[str]]) -> None:
        self._certificate, self._addresses = certificate, addresses
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        super().__init__("certificate", self._look, first_s=LOOK_S, pause_s=LOOK_S)
        self._renew()
        try:
            self.context.load_cert_chain(certificate.table)
        except OSError as error:  # ssl's are of this kind
            raise BadInput(
                f"{certificate.table} is no certificate with its key: delete {certificate.folder}, and make a new one "
                "with companion cert, or serve http alone."
            ) from error

    def _look(self) -> float:
        self._renew()
        self.context.load_cert_chain(self._certificate.table)  # for every connection from now on
        return LOOK_S

    def _renew(self) -> None:
        try:
            self._certificate.renew(self._addresses())
        except (BadInput, OSError) as why:  # the old one serves on; companion doctor says when it ends
            log.warning("The certificate cannot be renewed: %s", why)
