"""A phone as a camera: whom the host allows, and that only the newest picture is on its way, one piece at a time."""

import select
import threading
from multiprocessing import Pipe

import pytest

from companion.cameras.phone import MOST_ASKING, PIECE_BYTES, Phone, PhoneCamera
from companion.errors import NotAllowed, TooManyTries
from companion.sensing.process_messages import PicturePiece, PictureWanted

ANN, BOB = Phone("a", "Ann's phone"), Phone("b", "Bob's phone")


class Line:
    """A phone camera with a clock of its own; keeps what it sends, tells and has to remember."""

    def __init__(self, taken_s=0.0, wish_s=0.0):
        self.sent, self.told, self.kept, self.now_us = [], [], [], 5_000_000
        self.phone = PhoneCamera(
            self.sent.append,
            lambda: self.told.append(True),
            now_us=lambda: self.now_us,
            taken_s=taken_s,
            wish_s=wish_s,
        )
        self.phone.remember(None, self.kept.append)

    def show(self, content, *, device="a", full=False):
        return self.phone.show(device, content, self.now_us, full=full)


@pytest.fixture
def line():
    made = Line()
    made.phone.allow(ANN)
    return made


def test_a_phone_asks_until_the_host_answers():
    line = Line()
    assert not line.phone.ask(ANN, "ann")
    assert not line.phone.ask(ANN, "ann")
    assert (line.phone.asking, len(line.told)) == ((ANN,), 1)
    with pytest.raises(NotAllowed):
        line.show(b"a picture")
    line.phone.allow(ANN)
    assert line.phone.ask(ANN, "ann")
    assert (line.phone.asking, line.phone.allowed, line.kept) == ((), ANN, [ANN])


def test_another_phone_takes_the_place_and_a_refused_one_sends_nothing_more(line):
    line.phone.allow(BOB)
    with pytest.raises(NotAllowed, match="Ask again"):
        line.show(b"of Ann")
    line.phone.refuse("a")
    assert line.phone.allowed == BOB
    line.phone.refuse("b")
    assert (line.phone.allowed, line.kept[-1]) == (None, None)


def test_what_cannot_be_kept_changes_nothing(line):
    def full_disk(_phone):
        raise OSError("no space")

    line.phone.remember(ANN, full_disk)
    with pytest.raises(OSError, match="no space"):
        line.phone.allow(BOB)
    assert line.phone.allowed == ANN


def test_too_many_phones_cannot_ask_at_once():
    line = Line()
    for number in range(MOST_ASKING):
        line.phone.ask(Phone(f"p{number}", "a phone"), f"{number}")
    with pytest.raises(TooManyTries):
        line.phone.ask(ANN, "ann")


def test_a_device_that_asks_with_many_tickets_keeps_no_other_out():
    line = Line()
    for number in range(MOST_ASKING):
        line.phone.ask(Phone(f"p{number}", "a phone"), "192.168.1.20")
    with pytest.raises(TooManyTries):
        line.phone.ask(Phone("one more", "a phone"), "192.168.1.20")
    assert not line.phone.ask(ANN, "ann")
    assert not line.phone.ask(BOB, "ann")  # Two phones behind one router ask side by side.
    assert [phone.device for phone in line.phone.asking] == [
        *(f"p{number}" for number in range(2, MOST_ASKING)),
        *(phone.device for phone in (ANN, BOB)),
    ]


def test_only_the_newest_picture_is_sent_and_each_only_once(line):
    line.show(b"first")
    line.show(b"second")
    line.phone.hear(PictureWanted(1, full=False))
    assert line.sent == [PicturePiece(1, 5_000_000, 6, 0, b"second")]
    line.phone.hear(PictureWanted(2, full=False))
    assert len(line.sent) == 1
    line.show(b"third")
    assert line.sent[1].content == b"third"


def test_a_picture_of_before_is_not_sent(line):
    line.show(b"old")
    line.now_us += 1_000_001
    line.phone.hear(PictureWanted(1, full=False))
    assert line.sent == []


def test_a_large_picture_goes_piece_by_piece_as_it_is_asked_for(line):
    content = bytes(range(256)) * 500
    line.show(content)
    line.phone.hear(PictureWanted(1, full=False))
    line.show(b"newer")
    while (got := sum(len(piece.content) for piece in line.sent)) < len(content):
        assert len(line.sent) == -(-got // PIECE_BYTES)
        line.phone.hear(PictureWanted(1, full=False, at=got))
    assert b"".join(piece.content for piece in line.sent) == content
    line.phone.hear(PictureWanted(99, full=False, at=10))  # of a process that has ended
    assert len(line.sent) == 3


def test_a_full_picture_is_asked_of_the_phone_and_only_then_taken(line):
    assert not line.show(b"small")
    line.phone.hear(PictureWanted(1, full=False))
    line.phone.hear(PictureWanted(2, full=True))
    assert line.show(b"small again")
    assert not line.show(b"large", full=True)
    assert [piece.content for piece in line.sent] == [b"small", b"large"]
    line.show(b"too late", full=True)
    line.phone.hear(PictureWanted(3, full=False))
    assert len(line.sent) == 2


def test_a_phone_waits_until_its_picture_is_taken():
    line = Line(taken_s=30.0)
    line.phone.allow(ANN)
    answered = threading.Thread(target=line.show, args=(b"a picture",))
    answered.start()
    line.phone.hear(PictureWanted(1, full=False))
    answered.join(10)
    assert not answered.is_alive()
    assert [piece.content for piece in line.sent] == [b"a picture"]


@pytest.mark.parametrize("full", [False, True])
def test_the_answer_to_a_picture_says_already_in_which_size_the_next_one_is_wanted(full):
    line = Line(taken_s=30.0, wish_s=30.0)
    line.phone.allow(ANN)
    line.phone.hear(PictureWanted(1, full=False))
    answers = []
    answered = threading.Thread(target=lambda: answers.append(line.show(b"a picture")))
    answered.start()
    while not line.sent:  # taken: the process looks at it, and then wants the next one
        answered.join(0.01)
    line.phone.hear(PictureWanted(2, full=full))
    answered.join(10)
    assert answers == [full]


def test_a_process_that_is_busy_holds_a_phone_up_for_a_moment_only(line):
    line.phone.hear(PictureWanted(1, full=False))
    assert not line.show(b"a picture")


def test_a_piece_never_waits_for_a_process_that_reads_nothing():
    ours, theirs = Pipe()
    sent = 0

    def fill():
        nonlocal sent
        while select.select([], [ours], [], 0)[1]:
            ours.send(PicturePiece(1, 0, PIECE_BYTES, 0, b"\xff" * PIECE_BYTES))
            sent += 1

    filling = threading.Thread(target=fill, daemon=True)
    filling.start()
    filling.join(10)
    stuck = filling.is_alive()
    theirs.close()
    assert (stuck, sent > 0) == (False, True)
