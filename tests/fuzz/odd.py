"""Odd inputs, the same in every run: texts that burst, half ones, ones of another encoding, and one odd part each."""

import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from hypothesis import settings

ROUNDS = max(settings.default.max_examples // 15, 1)  # make test-long has many.
DEPTHS = (10, 65, 300, 1_000, 100_000)
NUMBERS = [
    "1" * 30,
    "9" * 5_000,
    "-" + "9" * 25,
    "1e400",
    "-1e400",
    "1e308",
    "NaN",
    "-Infinity",
    "9007199254740993",
    "-0",
]
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037", "utf-7")
TEXTS = [
    "", " ", "\x00", "a" * 5_000, "../../etc/passwd", "<script>", "１", "%", "%zz", "'\"", "\u202e", "e\u0301", "🎲",
    "☃" * 300, "((<a@b.c>(\"", "-1", "0", "9" * 40, "1e9", "nobody", "null", "[]", "{}",
]  # fmt: skip
NESTED = ["(" * 1_000, '"' * 1_001, "<a@b.c>(" + "[" * 3_000]  # For readers that call themselves.
ADDRESSES = [
    "", "null", "http://", "http://[", "http://]", "http://[127.0.0.1]", "http://[::1", "http://[::1]]:1", "http://[v1.a]",
    "http://localhost:", "http://localhost:99999", "http://localhost:-1", "http://localhost:a", "http://localhost:１",
    "http://a:b:c", "http://@", "http://a@b@c", "//", "///", "://", ":", "@", "?", "#", "\\", "http:\\\\localhost",
    "http://%", "http://%00", "http://a\tb", "http://a\nb", "http://\u2100", "http://\uff0f", "http://a\u2044b", "http://①",
    "http://xn--a", "http://" + "a" * 70, "http://" + "a." * 5_000, "javascript:alert(1)", "data:,", "rtsp://[",
    "rtsp://a:b@[c", "mqtt://[", "mqtts://a:99999", "http://[fe80::1%eth0]", "http://1.2.3.4.5", "http://0x7f.1",
    "a" * 10_000, "http://é", "1", "[", "]", "[]", "[a]", "[::1", "::1]", "localhost:", "localhost:a",
    "localhost:99999999", "localhost:-1", " localhost",
]  # fmt: skip


def is_a_sentence(text: str) -> bool:
    return bool(text) and text.rstrip().endswith((".", "!", "?")) and "\n" not in text and "Traceback" not in text


@cache
def nested(depth: int, *, whole: bool = True) -> bytes:
    """Arrays and objects in each other, so many levels deep."""
    random = Random(depth)
    kinds = [random.random() < 0.5 for _level in range(depth)]
    opened = "".join('{"a":' if kind else "[" for kind in kinds)
    return (opened + "1" + "".join("}" if kind else "]" for kind in reversed(kinds)) * whole).encode()


def bodies(right: Any, seed: int) -> Iterator[bytes]:
    """Bodies that are nearly what is right, and some that are far from it."""
    random, text = Random(seed), json.dumps(right)
    yield b""
    for depth in DEPTHS:
        yield nested(depth, whole=random.random() < 0.5)
    for number in random.sample(NUMBERS, 4):
        yield b"[" + number.encode() + b"]"
    for encoding in random.sample(ENCODINGS, 3):
        yield text.encode(encoding)
    yield text[: random.randrange(len(text))].encode()
    yield text.encode() + text.encode()
    for _time in range(ROUNDS):
        yield random.randbytes(random.randrange(300))
        damaged = bytearray(text.encode())
        damaged[random.randrange(len(damaged))] = random.randrange(256)
        yield bytes(damaged)
    for _round in range(ROUNDS):
        yield from with_an_odd_part(right, random)


def with_an_odd_part(right: Any, random: Random) -> Iterator[bytes]:
    """What is right, with each of its parts replaced, left out and said twice in turn."""
    if not isinstance(right, dict):
        return
    for name in right:
        rest = json.dumps({key: value for key, value in right.items() if key != name})[1:-1]
        yield f"{{{rest}}}".encode()
        for odd in (odd_value(random), nested(random.choice(DEPTHS[:4]))):
            yield b"{" + ", ".join(filter(None, (rest, f'"{name}": '))).encode() + odd + b"}"
        yield f'{{{rest}{", " if rest else ""}"{name}": 1, "{name}": {json.dumps(right[name])}}}'.encode()


def odd_value(random: Random) -> bytes:
    """An odd value as JSON, which may be none that JSON knows."""
    return random.choice(
        (
            lambda: random.choice(NUMBERS).encode(),
            lambda: json.dumps(random.choice(TEXTS + ADDRESSES)).encode(),
            lambda: random.choice(
                (b'"\\ud800"', b'"\xff"', b'"\xed\xa0\x80"', b"null", b"true", b"[]", b"{}", b'{"": 1}')
            ),
        )
    )()
