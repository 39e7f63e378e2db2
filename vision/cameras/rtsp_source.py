"""Pictures of a camera that speaks RTSP, by OpenCV's FFmpeg over TCP.

FFmpeg does not say why it cannot open a stream, so the camera is first asked to describe it.
"""

import os
import socket
import time
from collections.abc import Generator

import cv2
import numpy as np

from companion.cameras.in_network import parts_of, port_of
from companion.network.addresses import in_url
from companion.network.outgoing import left, line_to
from vision.cameras.sources import CONNECT_S, STALL_S, NoSource, Trouble, sign_in, trouble_of_status

OPEN_S = 8.0  # A camera may send a whole picture only every few seconds, which FFmpeg needs to know the stream.
OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"  # FFmpeg has no other place for these.
# Over UDP pictures lose parts unnoticed. There is no buffer, as an old picture is of no use.
AT_ONCE = "rtsp_transport;tcp|fflags;nobuffer|flags;low_delay"
MOST_BYTES = 65_536  # No description has a longer head.


def rtsp_pictures(address: str) -> Generator[np.ndarray, None, None]:
    """The camera's pictures (h, w, 3) uint8 BGR as they come; raises NoSource or OSError."""
    address = described(address)
    limits = (cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_S * 1000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, STALL_S * 1000)
    os.environ[OPTIONS] = AT_ONCE
    try:
        capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, [round(limit) for limit in limits])
    finally:
        del os.environ[OPTIONS]  # They would give the pictures of a video file the wrong times.
    try:
        if not capture.isOpened():
            raise NoSource(Trouble.NO_PICTURE)
        while True:
            is_picture, bgr = capture.read()
            if not is_picture:
                raise NoSource(Trouble.STALLED)
            yield bgr
    finally:
        capture.release()


def described(address: str) -> str:
    """Asks the camera to describe its stream, as RFC 2326 says; raises NoSource or OSError if it refuses.

    Returns the address by number: FFmpeg would go wherever the name leads by then.
    """
    parts = parts_of(address)
    target = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    until_s = time.monotonic() + CONNECT_S
    with line_to(parts.hostname or "", port_of(parts), CONNECT_S) as line:
        where = in_url(line.getpeername()[0])
        status, challenge = describe(line, until_s, target, 1, "")
        if status == 401 and challenge:
            status, _challenge = describe(line, until_s, target, 2, sign_in(challenge, "DESCRIBE", target, parts))
    if (trouble := trouble_of_status(status)) is not None:
        raise NoSource(trouble)
    who, at, _host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{who}{at}{where}:{port_of(parts)}").geturl()


def describe(line: socket.socket, until_s: float, target: str, number: int, authorization: str) -> tuple[int, str]:
    """(status, challenge) of the answer to one DESCRIBE; a Digest challenge rather than a Basic one."""
    request = [f"DESCRIBE {target} RTSP/1.0", f"CSeq: {number}", "Accept: application/sdp"]
    request += [f"Authorization: {authorization}"] if authorization else []
    line.settimeout(left(until_s))
    line.sendall("\r\n".join((*request, "", "")).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        line.settimeout(left(until_s))
        chunk = line.recv(4096)
        if not chunk or len(answer) > MOST_BYTES:
            raise NoSource(Trouble.NO_PICTURE)
        answer += chunk
    head = answer.partition(b"\r\n\r\n")[0].decode("utf-8", "replace").split("\r\n")
    words = head[0].split()
    if len(words) < 2 or not words[0].startswith("RTSP/") or not words[1].isdecimal():
        raise NoSource(Trouble.NO_PICTURE)
    fields = [field.partition(":") for field in head[1:]]
    challenges = [value.strip() for name, _colon, value in fields if name.strip().lower() == "www-authenticate"]
    return int(words[1]), max(challenges, key=lambda challenge: challenge.lower().startswith("digest"), default="")
