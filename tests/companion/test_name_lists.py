"""What is understood of lists of names, whoever wrote them."""

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.name_lists.cells import decode
from companion.name_lists.reader import Columns, read_list
from tests.companion.lists_of_names import LISTS


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_is_read_as_a_person_reads_it(kind: str):
    written, understood = LISTS[kind]
    for text in {written if isinstance(written, str) else decode(written), decode(_as_file(written))}:
        assert list(read_list(text).names) == understood


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04\0\0", b"\xff\xfe\x00", b"%PDF-1.7\n\x00\x01\x80", b"\x81\x8d\x90 Ann", b"\0\0\0\0", b"Ann\x07Ben"],
)
def test_what_is_no_text_is_one_sentence(content: bytes):
    with pytest.raises(BadInput, match="isn't a list of names"):
        decode(content)


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (Columns((2, 1), 0), ["Zyxa Wuvo", "Quort Blim"]),
        (Columns((1, 2), 0), ["Wuvo Zyxa", "Blim Quort"]),
        (Columns((1,), 1), ["Blim"]),
        (Columns((9,), 0), []),
        (Columns((0,), 9), []),
    ],
)
def test_a_person_chooses_the_columns(columns: Columns, names: list[str]):
    assert list(read_list("Zug;Wuvo;Zyxa\nQip;Blim;Quort\n", columns).names) == names


SCRAPS = ["Ann", "Lee", "Name", "Vorname", "1", "2.", "-", "•", ",", ";", "\t", "|", " ", "  ", "\n", "\r\n", '"', "'",
          "=", "@", "<a@b.c>", "sep=;", "🐙", "שם", "\u200f", "\0", "(", ")", ":", "Total", "é", "名"]  # fmt: skip


@given(st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join) | st.text(max_size=60))
def test_whatever_somebody_pastes_there_are_names_or_one_sentence(text: str):
    with suppress(BadInput):
        read = read_list(text)
        assert all(name.strip() for name in read.names)
        assert read_list(text, read.columns).names == read.names


def test_a_large_list_is_read_at_once():
    rows = "".join(f"{number};Ann{number};Lee{number};SK North;{1000 + number}\n" for number in range(1_900))
    begin = time.monotonic()
    assert len(read_list("Nr;First name;Last name;Club;Rating\n" + rows).names) == 1_900
    assert time.monotonic() - begin < 10


def _as_file(written: str | bytes) -> bytes:
    return written.encode() if isinstance(written, str) else written
