"""The log of `dm-log-writes`, as the kernel's documentation describes it, is read and replayed."""

import struct
from random import Random

import pytest

from tests.torture.write_log import Flag, Replay, Write, writes

FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


def entry(sector, sectors, flags=0, data=b"", mark=b""):
    return (struct.pack("<QQQQ", sector, sectors, flags, len(mark)) + mark).ljust(512, b"\0") + data


def log_of(*entries):
    head = struct.pack("<QQQI", 0x6A736677736872, 1, len(entries), 512)
    return head.ljust(512, b"\0") + b"".join(entries)


def test_writes_flushes_and_marks_come_in_their_order(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(
        log_of(
            entry(3, 2, 0, b"a" * 1024),
            entry(0, 0, FLUSH),
            entry(0, 0, MARK, mark=b"said"),
            entry(3, 1, DISCARD),
            entry(1, 1, FLUSH | FUA, b"b" * 512),
        )
    )
    assert list(writes(log)) == [
        Write(1536, b"a" * 1024),
        Write(0, b"", Flag.FLUSH),
        Write(0, b"", Flag.MARK, "said"),
        Write(1536, bytes(512), Flag.DISCARD),
        Write(512, b"b" * 512, Flag.FLUSH | Flag.FUA),
    ]


def test_what_is_no_log_is_said(tmp_path):
    (tmp_path / "log").write_bytes(bytes(4096))
    with pytest.raises(ValueError, match="no log"):
        list(writes(tmp_path / "log"))


def test_what_was_flushed_is_on_the_disk_and_of_the_rest_what_chance_leaves():
    log = [Write(0, b"a"), Write(1, b"b", Flag.FLUSH), *(Write(place, b"c") for place in range(2, 30))]
    disk = Replay(32, log).after(len(log), Random(1))
    assert disk[:2] == b"ab"
    assert 0 < disk.count(b"c") < 28
    assert Replay(32, log).after(len(log)) == b"ab" + b"c" * 28 + bytes(2)


def test_a_write_that_is_on_the_disk_by_itself_stays_there():
    log = [Write(place, b"d", Flag.FUA) for place in range(8)]
    assert Replay(8, log).after(8, Random(1)) == b"d" * 8


def test_a_disk_is_the_same_however_often_it_was_looked_at():
    log = [Write(number % 7, bytes([number]), Flag(number % 3 == 0)) for number in range(20)]
    often = Replay(8, log)
    assert [often.after(number) for number in range(21)] == [Replay(8, log).after(number) for number in range(21)]
