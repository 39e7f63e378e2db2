"""What keeps a page and its forms apart from other sites: the headers of every answer, and the origin of every post."""

from flask import request

from companion.foreign import read_address

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_of_another_site() -> bool:
    """Whether the request changes something and comes from another site's page."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return False
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    if site == "same-origin":  # the browser says so, and no page can: also where a proxy has changed name or scheme
        return False
    return site not in (None, "none") or not (origin is None or is_from_here(origin))


def is_from_here(address: str) -> bool:
    """Whether an address that a browser names is one of the host that it asks."""
    return read_address(address).netloc == request.host != ""
