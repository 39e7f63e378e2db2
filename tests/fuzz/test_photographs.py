"""Photographs of every bad kind, made here and read by a process of its own: each a frame or one sentence, in time."""

import functools
import io
import json
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image

LONGEST_S, MOST_MB = 5.0, 500

# Each line of the answer: [file, seconds of the processor, sentence or size]; the last: the most memory in MB.
CHILD = """
import json, resource, sys, time
from pathlib import Path
from companion.errors import CompanionError
from vision.open_camera import quiet_opencv
from vision.cameras.photos import load_photo
from tests.fuzz.memory import peak_mb
from vision.dice.reader import read_dice
quiet_opencv()
for name in sys.argv[1:]:
    began_s = time.process_time()
    try:
        frame = load_photo(Path(name))
        read_dice(frame)
        said = list(frame.shape)
        del frame
    except CompanionError as refusal:
        said = str(refusal)
    print(json.dumps([Path(name).name, time.process_time() - began_s, said]))
print(json.dumps(peak_mb()))
"""


def picture(width=320, height=240, mode="RGB"):
    noise = np.random.default_rng(5).integers(0, 255, (height // 8, width // 8, 3), dtype=np.uint8)
    return Image.fromarray(noise).resize((width, height)).convert(mode)


def encoded(image, kind, **options):
    memory = io.BytesIO()
    image.save(memory, kind, **options)
    return memory.getvalue()


def turned(kind, orientation, *size):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(picture(*size), kind, exif=exif)


def png(width, height, data=b"", depth=8):
    """A PNG that states a size and holds whatever data."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def black_png(width, height):
    """A picture of many pixels in a small file."""
    packer = zlib.compressobj(9)
    row = bytes(1 + 3 * width)
    return png(width, height, b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()]))


def jpeg_of_size(width, height):
    """A JPEG whose header states another size than its data has."""
    content = bytearray(encoded(picture(), "JPEG"))
    at = content.index(b"\xff\xc0")
    content[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(content)


@functools.cache
def corpus():
    """name → (content, the size that must come of it; None where a sentence must; ... where either may)."""
    jpeg, whole_png, webp = encoded(picture(), "JPEG"), encoded(picture(), "PNG"), encoded(picture(), "WEBP")
    bmp = encoded(picture(), "BMP")
    frames = [picture(), picture().rotate(90)]
    sixteen = Image.fromarray(np.random.default_rng(1).integers(0, 65535, (240, 320), dtype=np.uint16))
    upright, lying = [240, 320, 3], [320, 240, 3]
    found = {
        "sound.jpg": (jpeg, upright),
        "a-jpeg-called.png": (jpeg, upright),
        "a-png-called.jpg": (whole_png, upright),
        "a-webp-called.jpg": (webp, upright),
        "cmyk.jpg": (encoded(picture(mode="CMYK"), "JPEG"), upright),
        "grey.jpg": (encoded(picture(mode="L"), "JPEG"), upright),
        "progressive.jpg": (encoded(picture(), "JPEG", progressive=True), upright),
        "16-bit.png": (encoded(sixteen, "PNG"), upright),
        "see-through.png": (encoded(picture(mode="RGBA"), "PNG"), upright),
        "palette.png": (encoded(picture(mode="P"), "PNG"), upright),
        "one-bit.png": (encoded(picture(mode="1"), "PNG"), upright),
        "animated.png": (encoded(frames[0], "PNG", save_all=True, append_images=frames[1:]), upright),
        "animated.webp": (encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:]), upright),
        "animated.gif": (encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]), None),
        "pages.tiff": (encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:]), None),
        "nothing.jpg": (b"", None),
        "text.jpg": (b"dear diary, " * 100, None),
        "zip.png": (b"PK\x03\x04" + bytes(1000), None),
        "svg.png": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        "only-a-header.jpg": (jpeg[:300], None),
        "only-a-header.png": (whole_png[:40], None),
        "huge.png": (png(2**31 - 1, 2**31 - 1), None),
        "huge-16-bit.png": (png(30_000, 30_000, depth=16), None),
        "no-pixels.png": (png(0, 0), None),
        "one-line.png": (png(60_000_000, 1), None),
        "huge.jpg": (jpeg_of_size(65_500, 65_500), None),
        "no-pixels.jpg": (jpeg_of_size(0, 0), None),
        "larger-than-its-data.jpg": (jpeg_of_size(6_000, 4_000), ...),
        "huge.bmp": (bmp[:18] + struct.pack("<ii", 60_000, 60_000) + bmp[26:], None),
        "upside-down.bmp": (bmp[:22] + struct.pack("<i", -240) + bmp[26:], upright),
        "least-height.bmp": (bmp[:22] + struct.pack("<i", -(2**31)) + bmp[26:], None),
        "huge.webp": (webp[:26] + struct.pack("<HH", 0x3FFF, 0x3FFF) + webp[30:], None),
        "one-pixel.png": (encoded(Image.new("RGB", (1, 1)), "PNG"), [1, 1, 3]),
        "a-needle.png": (encoded(Image.new("RGB", (1, 5_000)), "PNG"), [5_000, 1, 3]),
        "black-bomb.png": (black_png(7_000, 7_000), [7_000, 7_000, 3]),
        "black-bomb-too-large.png": (black_png(12_000, 5_000), None),
        "48-megapixels-turned.jpg": (turned("JPEG", 6, 8_000, 6_000), [8_000, 6_000, 3]),
    }
    for orientation in range(1, 9):
        size = upright if orientation < 5 else lying
        found[f"turned-{orientation}.jpg"] = (turned("JPEG", orientation), size)
    found["turned-absurdly.jpg"] = (turned("JPEG", 77), upright)
    random = Random(3)
    for name, content in (("jpg", jpeg), ("png", whole_png), ("webp", webp), ("bmp", bmp)):
        for number in range(12):
            damaged = bytearray(content)
            for _ in range(random.choice((1, 3, 30))):
                damaged[random.randrange(len(damaged))] = random.randrange(256)
            length = random.choice((len(damaged), random.randrange(len(damaged))))
            found[f"damaged-{number}.{name}"] = (bytes(damaged[:length]), ...)
    return found


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """(what each photograph came to, the greatest memory of the process in MB)."""
    folder = tmp_path_factory.mktemp("photographs")
    for name, (content, _) in corpus().items():
        (folder / name).write_bytes(content)
    names = [str(folder / name) for name in corpus()]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *names], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, memory_mb = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: (seconds, said) for name, seconds, said in lines}, memory_mb


def test_every_photograph_becomes_a_frame_or_one_sentence(answers):
    wrong = {}
    for name, (_, expected) in corpus().items():
        _, said = answers[0][name]
        is_sentence = (
            isinstance(said, str)
            and said.endswith(".")
            and re.search(r"[:.] \w", said) is not None
            and "\n" not in said
        )
        right = is_sentence if expected is None else (said == expected or (expected is ... and (is_sentence or said)))
        if not right:
            wrong[name] = said
    assert wrong == {}


def test_no_photograph_takes_longer_than_a_table_waits(answers):
    slow = {name: seconds for name, (seconds, _) in answers[0].items() if seconds > LONGEST_S}
    assert slow == {}


def test_no_photograph_takes_more_memory_than_a_small_pi_has(answers):
    assert answers[1] < MOST_MB


@pytest.mark.parametrize("name", ["huge.png", "cmyk.jpg", "text.jpg"])
def test_the_command_says_one_sentence_or_reads(tmp_path, name):
    photo = tmp_path / name
    content, expected = corpus()[name]
    photo.write_bytes(content)
    command = [sys.executable, "-m", "companion", "read", "dice", "--json", str(photo)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == (1 if expected is None else 0)
    assert done.stderr.count("\n") == done.returncode
    assert "Traceback" not in done.stderr
    (element,) = json.loads(done.stdout)
    assert ("error" in element) == (expected is None)


def test_a_folder_and_a_file_that_may_not_be_read_are_sentences(tmp_path):
    command = [sys.executable, "-m", "companion", "read", "dice", str(tmp_path), str(Path("/proc/self/mem"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 2)
