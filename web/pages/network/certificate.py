"""The page on which a tablet gets the certificate of the house, to trust it."""

import ssl

from flask import Blueprint, Response, current_app, render_template, request

from companion.errors import NotFound
from companion.network.certificate import HouseCertificate
from companion.words import _

certificate = Blueprint("certificate", __name__)


def of_the_house() -> HouseCertificate | None:
    """The certificate of this house, or None if none was made."""
    house_certificate: HouseCertificate | None = current_app.extensions.get("certificate")
    return house_certificate if house_certificate and house_certificate.exists() else None


@certificate.get("/cert")
def page() -> str:
    """The page: what the certificate is for, how to trust it on a tablet, and how to check that it is the right one."""
    house = of_the_house()
    return render_template(
        "certificate.html",
        fingerprint=house.fingerprint() if house else "",
        ends=house.ends() if house else None,
        is_secure=request.is_secure,
    )


@certificate.get("/cert/authority.crt")
def authority() -> Response:
    """The authority's certificate as DER, which every system opens; it is no secret."""
    house = of_the_house()
    if house is None:
        raise NotFound(_("This house has no certificate. The host can make one with companion cert."))
    der = ssl.PEM_cert_to_DER_cert(house.authority.read_text())
    headers = {"Content-Disposition": 'attachment; filename="table-companion.crt"'}
    return Response(der, mimetype="application/x-x509-ca-cert", headers=headers)
