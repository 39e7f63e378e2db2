"""What keeps a camera in the network from giving pictures, and what of its sign-in http and RTSP have in common."""

import base64
import hashlib
import re
import secrets
import socket
import ssl
from enum import StrEnum
from urllib.parse import SplitResult, unquote

CONNECT_S = 3.0  # A camera in the house's own network answers within this.
STALL_S = 3.0  # The camera counts as gone after so long without a whole picture.
PAIR = re.compile(r'(\w+)=(?:"([^"]*)"|([^\s,]+))')  # A challenge is made of such pairs.


class Trouble(StrEnum):
    """Why there is no picture."""

    UNKNOWN = "unknown"  # No machine has that name.
    GONE = "gone"  # It does not answer.
    REFUSED = "refused"  # It answers, and nobody listens at that port.
    PASSWORD = "password"
    PATH = "path"
    REDIRECT = "redirect"  # It names another machine.
    NO_PICTURE = "no picture"
    STALLED = "stalled"
    ENDED = "ended"
    CERTIFICATE = "certificate"


class NoSource(Exception):
    """There is no picture, because of this trouble."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble)
        self.trouble = trouble


def trouble_of(error: Exception) -> Trouble:
    """What an error of a connection means."""
    match error:
        case NoSource():
            return error.trouble
        case ssl.SSLCertVerificationError():
            return Trouble.CERTIFICATE
        case ssl.SSLError():  # What answers does not speak https.
            return Trouble.NO_PICTURE
        case ConnectionRefusedError():
            return Trouble.REFUSED
        case ConnectionError():
            return Trouble.ENDED
        case socket.gaierror() | UnicodeError():  # UnicodeError: no name in the network looks like this.
            return Trouble.UNKNOWN
        case OSError():
            return Trouble.GONE
    return Trouble.NO_PICTURE


def trouble_of_status(status: int) -> Trouble | None:
    """What an answer's status means, None for a good one; http and RTSP number alike."""
    match status:
        case 200:
            return None
        case 401 | 403:
            return Trouble.PASSWORD
        case 404 | 410:
            return Trouble.PATH
        case _ if 300 <= status < 400:
            return Trouble.REDIRECT
    return Trouble.NO_PICTURE


def sign_in(challenge: str, method: str, target: str, parts: SplitResult) -> str:
    """The Authorization header that answers a challenge (Basic, or Digest with MD5: RFC 7617, RFC 7616)."""
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not challenge.lower().startswith("digest"):
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
    pairs = {key.lower(): quoted or plain for key, quoted, plain in PAIR.findall(challenge)}
    realm, nonce = pairs.get("realm", ""), pairs.get("nonce", "")
    who, what = md5(f"{name}:{realm}:{password}"), md5(f"{method}:{target}")
    fields = f'username="{name}", realm="{realm}", nonce="{nonce}", uri="{target}"'
    if "opaque" in pairs:
        fields += f', opaque="{pairs["opaque"]}"'
    if "auth" not in pairs.get("qop", ""):
        return f'Digest {fields}, response="{md5(f"{who}:{nonce}:{what}")}"'
    own = secrets.token_hex(8)
    answer = md5(f"{who}:{nonce}:00000001:{own}:auth:{what}")
    return f'Digest {fields}, qop=auth, nc=00000001, cnonce="{own}", response="{answer}"'


def md5(text: str) -> str:
    """The digest that RFC 7616 calls for; cameras know no other."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
