"""Cameras in the network, as servers of the tests' own: http, and RTSP with JPEG in it (RFC 2326, RFC 2435)."""

import base64
import contextlib
import hashlib
import re
import socket
import socketserver
import struct
import threading
import time

import cv2
import numpy as np

NAME, PASSWORD = "table", "s3cret-word"
SIZE = (320, 240)
BOUNDARY = "frame"


def picture(level: int) -> bytes:
    """A JPEG whose mean level tells which picture it is; it has some colour, as a picture without is warned about."""
    tint = min(12, level, 255 - level)
    is_encoded, content = cv2.imencode(
        ".jpg",
        np.full((SIZE[1], SIZE[0], 3), (level + tint, level, level - tint), np.uint8),
        (cv2.IMWRITE_JPEG_QUALITY, 80, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420),
    )
    assert is_encoded
    return content.tobytes()


def head(line: socket.socket) -> str:
    """The next request on a connection, to its blank line; "" at the end."""
    came = b""
    while b"\r\n\r\n" not in came:
        # what FFmpeg sends between two requests on the same connection is none
        while came[:1] == b"$" and len(came) >= 4 and len(came) >= 4 + int.from_bytes(came[2:4], "big"):
            came = came[4 + int.from_bytes(came[2:4], "big") :]
        chunk = line.recv(4096)
        if not chunk:
            return ""
        came += chunk
    return came.decode()


class Server:
    """Answers each connection on a thread with `answer(line, request, server)`.

    line        its socket
    request     what `reads(line)` gave
    """

    def __init__(self, answer, reads=head):
        outer = self
        self.requests = []
        self.ended = threading.Event()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError):
                    request = reads(self.request)
                    outer.requests.append(request)
                    answer(self.request, request, outer)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = False

        self._server = Listener(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


def answered(line, status="200 OK", kind="image/jpeg", content=b"", **fields):
    """Sends a whole http answer."""
    extra = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    line.sendall(
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{extra}\r\n".encode() + content
    )


def begun(line, boundary=BOUNDARY):
    """Sends the head of a stream."""
    line.sendall(f"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary={boundary}\r\n\r\n".encode())


def part(content, boundary=BOUNDARY, length=True, kind="image/jpeg"):
    """One picture of a stream."""
    told = f"Content-Length: {len(content)}\r\n" if length else ""
    return f"--{boundary}\r\nContent-Type: {kind}\r\n{told}\r\n".encode() + content + b"\r\n"


def streams(levels, every_s=0.02, boundary=BOUNDARY, length=True):
    """An `answer` that streams pictures of these levels."""

    def answer(line, _request, server):
        begun(line, boundary)
        for level in levels:
            line.sendall(part(picture(level), boundary, length))
            if server.ended.wait(every_s):
                return

    return answer


def may_enter(request: str, method: str, scheme: str) -> bool:
    """Whether a request carries the right name and password, by RFC 7617 and RFC 2617."""
    sent = re.search(r"^Authorization: (.*)$", request, re.MULTILINE | re.IGNORECASE)
    if sent is None:
        return False
    if scheme == "Basic":
        return sent[1].strip() == "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
    told = dict(re.findall(r'(\w+)="?([^",\r]*)"?', sent[1]))
    ha1, ha2 = md5(f"{NAME}:cam:{PASSWORD}"), md5(f"{method}:{told['uri']}")
    middle = f"{told['nonce']}:{told['nc']}:{told['cnonce']}:{told['qop']}" if "qop" in told else told["nonce"]
    return told["nonce"] == "n0nce" and told["response"] == md5(f"{ha1}:{middle}:{ha2}")


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


CHALLENGES = {"Basic": 'Basic realm="cam"', "Digest": 'Digest realm="cam", nonce="n0nce", qop="auth"'}


def guarded(answer, scheme):
    """`answer` for whoever signs in."""

    def guard(line, request, server):
        if may_enter(request, "GET", scheme):
            answer(line, request, server)
        else:
            answered(line, "401 Unauthorized", "text/html", b"no", WWW_Authenticate=CHALLENGES[scheme])

    return guard


def rtsp(levels, every_s=0.04, path="/stream", stall_after=None):
    """An `answer` of an RTSP camera that wants Digest and sends JPEG pictures over the same connection."""
    challenge = 'Digest realm="cam", nonce="n0nce"'

    def answer(line, request, server):
        while request:
            method, target = request.split()[:2]
            number = re.search(r"CSeq: *(\d+)", request, re.IGNORECASE)[1]
            reply = lambda status, fields="", body="", number=number: line.sendall(  # noqa: E731
                f"RTSP/1.0 {status}\r\nCSeq: {number}\r\n{fields}\r\n{body}".encode()
            )
            if method != "OPTIONS" and not may_enter(request, method, "Digest"):
                reply("401 Unauthorized", f"WWW-Authenticate: {challenge}\r\n")
            elif method == "OPTIONS":
                reply("200 OK", "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n")
            elif path not in target:
                reply("404 Not Found")
            elif method == "DESCRIBE":
                body = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=t\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:video\r\n"
                fields = f"Content-Base: {target}/\r\nContent-Type: application/sdp\r\nContent-Length: {len(body)}\r\n"
                reply("200 OK", fields, body)
            elif method == "SETUP":
                reply("200 OK", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 7\r\n")
            elif method == "PLAY":
                reply("200 OK", "Session: 7\r\n")
                play(line, levels, every_s, stall_after, server)
                return
            else:
                reply("200 OK", "Session: 7\r\n")
            request = head(line)
            server.requests.append(request)

    return answer


def play(line, levels, every_s, stall_after, server):
    """Sends pictures as RTP within the connection."""
    sequence, began_s = 0, time.monotonic()
    for count, level in enumerate(levels):
        if count == stall_after:
            server.ended.wait()
            return
        stamp = round((time.monotonic() - began_s) * 90_000)
        scan = scan_of(picture(level))
        for at in range(0, len(scan), 1_400):
            piece = scan[at : at + 1_400]
            last = at + 1_400 >= len(scan)
            # RFC 2435: offset, type 1 (4:2:0), the quality of libjpeg's own tables, size in blocks of 8
            jpeg = struct.pack(">I4B", at, 1, 80, SIZE[0] // 8, SIZE[1] // 8)
            rtp = struct.pack(">BBHII", 0x80, 26 | (0x80 if last else 0), sequence & 0xFFFF, stamp, 1) + jpeg + piece
            line.sendall(struct.pack(">cBH", b"$", 0, len(rtp)) + rtp)
            sequence += 1
        if server.ended.wait(every_s):
            return


def scan_of(content: bytes) -> bytes:
    """What follows the headers of a JPEG, which RFC 2435 leaves out."""
    at = 2
    while content[at + 1] != 0xDA:
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return content[at + 2 + int.from_bytes(content[at + 2 : at + 4], "big") : -2]
