"""What is understood of lists of names, whoever wrote them."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from companion.name_lists import cells
from companion.name_lists.files import decode
from companion.name_lists.reader import Columns, read_list
from companion.names import MOST_CHARACTERS
from tests.companion.lists_from_elsewhere import KINDS, OWN, WHATSAPP
from tests.companion.lists_of_names import LISTS as OLDER
from tests.companion.lists_of_sign_ups import SIGN_UPS

LISTS = OLDER | OWN | KINDS | SIGN_UPS


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_is_read_as_a_person_reads_it(kind: str):
    written, understood = LISTS[kind]
    for text in {written if isinstance(written, str) else decode(written), decode(_as_file(written))}:
        assert list(read_list(text).names) == understood


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04\0\0",
        b"\xff\xfe\x00",
        b"%PDF-1.7\n\x00\x01\x80",
        b"\x81\x8d\x90\x01",
        b"\0\0\0\0",
        b"Ann\x07Ben",
    ],
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
          "=", "@", "<a@b.c>", "<br>", "BEGIN:VCARD\n", "FN:", "END:VCARD", "[18.09.25, 18:01] Ann: in", "?", "Group B",
          "[Ann](", "❌", "Team: ", "\xa0", "sep=;", "🐙", "שם", "\u200f", "\0", "(", ")", ":", "Total",
          "é", "名"]  # fmt: skip


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


LINES = ["Ann", "Nick", "Ben Fox", "Name", "Total", "Sum", "Group B", "Who is coming?", "Teilnehmer:", "Ort", "Club",
         "12", "2 players", "Gesamt: 2", "Mark", "Cup", "Zoë <3", "Team: Adler", "(", "Name Vorname"]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_each_line_is_a_name_or_told_to_be_left_out(lines: list[str]):
    read = read_list("\n".join(lines))
    understood = " ".join((*read.names, *read.left_out)).split()
    assert {word for line in lines for word in line.split() if any(map(str.isalnum, word))} <= set(understood)


WORDS = ["Ann", "Ben Fox", "Cleo", "Zyxa", "Wuvo Quort", "SK North", "Dr. Day", "Eva M.", "ida", "LEE", "12"]
SHAPES = ["{0}", "{0}{s}{1}", "{0}{a}{1}", "{0}{s}{1}{a}{2}", "{0}{s}{1}{s}{2}", "{0}{a}{1}{s}{2}", "- {0}{s}{1}",
          "{0}{s}{1}{s}{2}{a}{0}", "1. {0}{a}{1}", "{0} ({1}{s}{2})"]  # fmt: skip
SEPARATORS = [", ", ",", "; ", ";", "\t", " | ", " / ", " - ", "  ", "、"]
JOINING = [" and ", " und ", " & ", "&", " et ", " y ", " e ", " og ", " + ", " Und ", " i "]


@st.composite
def headless(draw: st.DrawFn) -> str:
    """A list without a heading in one shape, or in several."""
    separator, joining = draw(st.sampled_from(SEPARATORS)), draw(st.sampled_from(JOINING))
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=2))
    words = st.lists(st.sampled_from(WORDS), min_size=3, max_size=3)
    lines = draw(st.lists(st.tuples(st.sampled_from(shapes), words), min_size=1, max_size=5))
    return "\n".join(shape.format(*cells, s=separator, a=joining) for shape, cells in lines)


@given(headless())
@example("Ann, Ann and Ann\nAnn, Ann and 12\nAnn, Ben Fox and 12")  # The first line looks like a heading of figures.
@settings(max_examples=500)
def test_each_cell_of_a_list_without_a_heading_is_in_a_name_or_told(text: str):
    read = read_list(text)
    understood = re.findall(r"[^\W\d_]+", " ".join((*read.names, *read.left_out)))
    assert {word for word in re.findall(r"[^\W\d_]+", text) if word.casefold() not in AND_WORDS} <= set(understood)


AND_WORDS = {joining.strip().casefold() for joining in JOINING}


@pytest.mark.parametrize("word", ["x", "x@", "(", "<x@y", "[x](", "a "])
def test_no_pattern_sees_more_of_a_cell_than_a_name_can_have(word: str, monkeypatch: pytest.MonkeyPatch):
    lengths = []
    monkeypatch.setattr(cells, "MAIL", Recorder(lengths))
    with suppress(BadInput):
        read_list(f"Ann;{word * 20_000}\nBen;Fox\n")
    assert max(lengths) <= MOST_CHARACTERS + 1


class Recorder:
    """In place of a pattern: it notes how long the texts are."""

    def __init__(self, lengths: list[int]) -> None:
        self.lengths = lengths

    def sub(self, _put: str, text: str) -> str:
        self.lengths.append(len(text))
        return text


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("Name\nAnn Lee\nBen Fox\n", ["Name"]),
        ("Who is coming?\nAnn\nBen\n", ["Who is coming?"]),
        ("Gruppe A\nAnn\nBen\nGruppe B\nCleo\n", ["Gruppe A", "Gruppe B"]),
        ("Name;Points\nAnn;3\nBen;4\nTotal;7\n", ["Name Points", "Total"]),
        ("Red;Anna;Ben\nBlue;Carla;David\n", ["Red", "Blue"]),
        ("Ann Lee\nBen Fox\nCleo Day\nQuestions to <o@example.org>\n", ["Questions to <o@example.org>"]),
        ("1. Ann ✅\n2. Ben ❌\n3. Cleo ✅\n", ["Ben"]),
        (WHATSAPP, ["Anna"]),
        ("Who\u0020is" + "x" * 90_000 + "?\nAnn\nBen\n", ["Who is" + "x" * (MOST_CHARACTERS - 6)]),
        ("Nick\nMark\nSum\n", []),
        ("Ann Lee;NO\nBen Fox;DE\n", ["NO", "DE"]),
        ("1;Ann Lee;SK North\n2;Ben Fox;SK South\n", ["SK North", "SK South"]),
        ("Ann Lee (SK North)\nBen Fox (SK North)\n", ["SK North"]),
        ("❌ Ann\nBen ✖️\nCleo\n", ["Ann", "Ben"]),
        ("[x] Ann\n[ ] Ben\n", ["Ben"]),
        ("☑️ Ann\n☐ Ben\n⬜ Cleo\n", ["Ben", "Cleo"]),
        ("Ann;ja\nBen;nein\n", ["ja", "Ben", "nein"]),
        ("Nein, Ann\nBen\nCleo\n", ["Ann"]),
    ],
)
def test_what_is_left_out_is_told(text: str, left_out: list[str]):
    assert list(read_list(text).left_out) == left_out


@pytest.mark.parametrize(
    ("written", "page"),
    [
        ("Łukasz Wójcik\nPaweł Kowalski\n", "iso8859-2"),
        ("Иванова Анна\nПетров Борис\n", "koi8-r"),
        ("Ayşe Yıldız\nİbrahim Çağ\n", "cp1254"),
        ("אנה לוי\nבן כהן\n", "cp1255"),
        ("ليلى حسن\nعمر علي\n", "cp1256"),
        ("陳大文\n林美麗\n黃小明\n", "big5"),
        ("山田 花子\n佐藤 健\n", "cp932"),
        ("김철수\n이영희\n", "euc_kr"),
        ("Jörg\n", "cp1252"),
    ],
)
def test_a_file_in_a_code_page_is_read_by_its_likeliest_letters(written: str, page: str):
    assert decode(written.encode(page)) == written


def test_letters_that_make_no_words_are_refused_and_shown():
    with pytest.raises(BadInput, match=r"it looks like “J.rg M.ller Anna Wei.”. Save it as UTF-8"):
        decode("Jörg Müller\nAnna Weiß\n".encode("cp850"))


def _as_file(written: str | bytes) -> bytes:
    return written.encode() if isinstance(written, str) else written
