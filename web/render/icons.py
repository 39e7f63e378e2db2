"""The program's icon as PNG, for home screens, in several sizes: the die of static/icon.svg.

python -m web.render.icons     writes them anew into web/static
"""

import struct
import zlib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "static"
RED, CREAM = (200, 71, 46), (255, 246, 232)  # icon.svg has the same.
PIPS = ((30, 30), (50, 50), (70, 70))
PIP_RADIUS = 10
SAMPLES = 3  # Each side of a pixel has so many, against jagged edges.
# (name, pixels a side, shape): launchers cut a maskable icon round.
SIZES = (
    ("icon-180.png", 180, "full"),
    ("icon-192.png", 192, "die"),
    ("icon-512.png", 512, "die"),
    ("icon-maskable-512.png", 512, "full"),
)


def png(pixels: int, shape: str) -> bytes:
    """The icon as PNG: "die" with round corners on a transparent ground, or "full" to the edge, with smaller pips."""
    scale = 100 / pixels
    rows = []
    for y in range(pixels):
        row = bytearray([0])  # The row has no filter.
        for x in range(pixels):
            row += _mixed([_sample((x + dx) * scale, (y + dy) * scale, shape) for dx in _OFFSETS for dy in _OFFSETS])
        rows.append(bytes(row))
    header = struct.pack(">IIBBBBB", pixels, pixels, 8, 6, 0, 0, 0)  # 8 bits each of red, green, blue, opacity
    body = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


_OFFSETS = tuple((step + 0.5) / SAMPLES for step in range(SAMPLES))


def _sample(x: float, y: float, shape: str) -> tuple[int, int, int] | None:
    """The colour at a point of a square of 100, None where it is transparent."""
    shrink = 0.8 if shape == "full" else 1.0
    for pip_x, pip_y in PIPS:
        dx, dy = x - 50 - (pip_x - 50) * shrink, y - 50 - (pip_y - 50) * shrink
        if dx * dx + dy * dy <= (PIP_RADIUS * shrink) ** 2:
            return CREAM
    if shape == "full" or _in_rounded(abs(x - 50), abs(y - 50), 46, 26):
        return RED
    return None


def _in_rounded(x: float, y: float, half: float, radius: float) -> bool:
    """Whether a point, measured from the middle, lies in a square with round corners."""
    dx, dy = max(0.0, x - half + radius), max(0.0, y - half + radius)
    return dx * dx + dy * dy <= radius * radius and max(x, y) <= half


def _mixed(samples: list[tuple[int, int, int] | None]) -> bytes:
    """The RGBA bytes of a pixel from its samples."""
    inside = [sample for sample in samples if sample is not None]
    if not inside:
        return bytes(4)
    colour = [round(sum(sample[part] for sample in inside) / len(inside)) for part in range(3)]
    return bytes([*colour, round(255 * len(inside) / len(samples))])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    for name, pixels, shape in SIZES:
        (FOLDER / name).write_bytes(png(pixels, shape))
