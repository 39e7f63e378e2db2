"""JPEG pictures of a camera that speaks http: a stream (multipart/x-mixed-replace), or one, asked for again."""

import http.client
import re
import time
from collections.abc import Generator, Iterator
from contextlib import closing

from companion.cameras.in_network import parts_of, port_of
from companion.foreign import read_address
from companion.network.outgoing import connect, target_of
from vision.cameras.sources import CONNECT_S, STALL_S, NoSource, Trouble, sign_in, trouble_of_status

POLL_S = 0.1  # A camera that gives one picture at a time is asked again after this.
MOST_BYTES = 16_000_000  # No picture has more.
CHUNK = 65_536
MOST_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)
JPEG, JPEG_ENDS = b"\xff\xd8\xff", b"\xff\xd9"
LENGTH = re.compile(rb"content-length:\s*([0-9]{1,9})", re.IGNORECASE)
BLANK_LINE = re.compile(rb"\r?\n\r?\n")


def http_pictures(address: str) -> Generator[bytes, None, None]:
    """The camera's JPEG pictures as they come; raises NoSource, OSError or HTTPException."""
    while True:
        connection, answer = open_answer(address)
        with closing(connection), answer:
            if answer.headers.get_content_maintype() == "multipart":
                boundary = answer.headers.get_param("boundary")
                if not isinstance(boundary, str) or not boundary.strip("-"):
                    raise NoSource(Trouble.NO_PICTURE)
                yield from parts_in(answer, Parts(boundary))
                raise NoSource(Trouble.ENDED)
            yield read_single(answer)
        time.sleep(POLL_S)


def open_answer(address: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """The camera's answer, signed in where it asks for that, and redirected within its own host and port."""
    challenge = ""
    for _redirect in range(MOST_REDIRECTS + 1):
        connection, answer = request(address, challenge)
        asks = answer.headers.get("WWW-Authenticate", "")
        if answer.status == 401 and asks and not challenge:
            connection.close()
            challenge = asks
            connection, answer = request(address, challenge)
        if answer.status not in REDIRECTS:
            if (trouble := trouble_of_status(answer.status)) is not None:
                connection.close()
                raise NoSource(trouble)
            return connection, answer
        connection.close()
        address, challenge = follow_redirect(address, answer.headers.get("Location", "")), ""
    raise NoSource(Trouble.REDIRECT)


def follow_redirect(address: str, location: str) -> str:
    """The address that a redirect leads to, with the name and password of the first; they go to no other host or port,
    but from http to https, each at its usual port."""
    new, old = read_address(location, address), read_address(address)
    if not location or new.scheme not in ("http", "https") or new.hostname != old.hostname:
        raise NoSource(Trouble.REDIRECT)
    ports = (port_of(old), port_of(new))
    if ports != (80, 443) and (ports[0] != ports[1] or old.scheme != new.scheme):
        raise NoSource(Trouble.REDIRECT)
    who, at, _host = old.netloc.rpartition("@")
    return new._replace(netloc=who + at + new.netloc.rpartition("@")[2]).geturl()


def request(address: str, challenge: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """The answer to one request, which answers `challenge` if that is not empty."""
    parts = parts_of(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", port_of(parts), timeout=CONNECT_S)
    connection.sock = connect(parts, CONNECT_S)  # Its own would go wherever the name leads.
    connection.sock.settimeout(CONNECT_S)
    target = target_of(parts)
    headers = {"Authorization": sign_in(challenge, "GET", target, parts).encode()} if challenge else {}
    try:
        connection.request("GET", target, headers=headers)
        return connection, connection.getresponse()
    except BaseException:
        connection.close()
        raise


def read_single(answer: http.client.HTTPResponse) -> bytes:
    """The one picture of an answer."""
    content, until_s = b"", time.monotonic() + STALL_S
    while chunk := read_chunk(answer):
        content += chunk
        if not content.startswith(JPEG[: len(content)]) or len(content) > MOST_BYTES:
            raise NoSource(Trouble.NO_PICTURE)
        if time.monotonic() > until_s:
            raise NoSource(Trouble.STALLED)
    if not is_jpeg(content):
        raise NoSource(Trouble.NO_PICTURE)
    return content


def parts_in(answer: http.client.HTTPResponse, parts: "Parts") -> Iterator[bytes]:
    """The pictures of a stream as they become whole."""
    until_s = time.monotonic() + STALL_S
    while chunk := read_chunk(answer):
        for picture in parts.feed(chunk):
            if not picture.startswith(JPEG):
                raise NoSource(Trouble.NO_PICTURE)
            until_s = time.monotonic() + STALL_S
            if is_jpeg(picture):  # A picture that was cut off is left out.
                yield picture
        if time.monotonic() > until_s:
            raise NoSource(Trouble.STALLED)


def read_chunk(answer: http.client.HTTPResponse) -> bytes:
    """What has come in, at least a byte; b"" at the end."""
    try:
        return answer.read1(CHUNK)
    except TimeoutError as error:
        raise NoSource(Trouble.STALLED) from error


def is_jpeg(content: bytes) -> bool:
    """Whether this is a whole JPEG picture; some cameras fill up behind its end."""
    return content.startswith(JPEG) and JPEG_ENDS in content[-64:]


class Parts:
    """Finds the parts of a stream, however it was cut into chunks.

    Cameras differ: with or without the part's length, with or without two dashes more before the boundary than was
    announced, with or without a carriage return.
    """

    def __init__(self, boundary: str) -> None:
        self._marker = b"--" + boundary.strip().lstrip("-").encode("latin-1", "replace")
        self._buffer = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The parts that this chunk completes."""
        self._buffer += chunk
        while (part := self._next()) is not None:
            yield part
        if len(self._buffer) > MOST_BYTES:
            raise NoSource(Trouble.NO_PICTURE)

    def _next(self) -> bytes | None:
        begins = self._buffer.find(self._marker)
        blank = BLANK_LINE.search(self._buffer, begins) if begins >= 0 else None
        if blank is None:
            return None
        length = LENGTH.search(self._buffer, begins, blank.start())
        if length is not None:
            ends = blank.end() + int(length[1])
            if ends > len(self._buffer):
                return None
        else:
            ends = self._buffer.find(self._marker, blank.end())
            if ends < 0:
                return None
        part, self._buffer = self._buffer[blank.end() : ends], self._buffer[ends:]
        return part
