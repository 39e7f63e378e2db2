"""Writes videos with a stamp for each picture, as phones do: Matroska of JPEGs, by its specification (RFC 9559)."""

import struct

import cv2

MATROSKA, SEGMENT, INFO, TRACKS, CLUSTER = 0x1A45DFA3, 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675
DOC_TYPE, TIMESTAMP_SCALE, TRACK, VIDEO = 0x4282, 0x2AD7B1, 0xAE, 0xE0
NUMBER, UID, KIND, CODEC, WIDTH, HEIGHT, TIMESTAMP, BLOCK = 0xD7, 0x73C5, 0x83, 0x86, 0xB0, 0xBA, 0xE7, 0xA3
MILLISECOND_NS = 1_000_000


def element(name, content):
    """One element of EBML: its id, its size in eight bytes, its content."""
    if isinstance(content, int):
        content = content.to_bytes(8, "big")
    head = name.to_bytes((name.bit_length() + 7) // 8, "big")
    return head + (len(content) | 1 << 56).to_bytes(8, "big") + content


def write_video(path, pictures, stamps_ms):
    """A file with these pictures (h, w, 3) at these milliseconds."""
    height, width = pictures[0].shape[:2]
    track = element(NUMBER, 1) + element(UID, 1) + element(KIND, 1) + element(CODEC, b"V_MJPEG")
    track += element(VIDEO, element(WIDTH, width) + element(HEIGHT, height))
    clusters = b"".join(
        element(
            CLUSTER,
            element(TIMESTAMP, stamp_ms)
            + element(BLOCK, b"\x81" + struct.pack(">hB", 0, 0x80) + cv2.imencode(".jpg", picture)[1].tobytes()),
        )
        for picture, stamp_ms in zip(pictures, stamps_ms, strict=True)
    )
    segment = (
        element(INFO, element(TIMESTAMP_SCALE, MILLISECOND_NS)) + element(TRACKS, element(TRACK, track)) + clusters
    )
    path.write_bytes(element(MATROSKA, element(DOC_TYPE, b"matroska")) + element(SEGMENT, segment))
