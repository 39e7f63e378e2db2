"""A hub's second process for judging: it confirms real games, refuses nothing by itself, and may end at any time."""

import contextlib
import os
import signal
import threading

import pytest

from companion.app.hall import second_judge
from companion.app.hall.second_judge import SecondJudge
from companion.app.service.camera_process import start_here
from companion.errors import BadInput
from companion.hub.judging import judge
from companion.letters.envelope import make_envelope, open_letter, seal
from tests.hall.letters import KEY, NOON_US, QUICK, chain_of, public_of, ranks_of
from tests.service import halt

START_S = 60.0  # most that a fresh interpreter may take on a busy machine


def letter_with(ranks):
    chain = chain_of(QUICK)
    data = seal(KEY, make_envelope(KEY, chain, None, ranks, {}, NOON_US, wall_sure=True), chain)
    return open_letter(data, public_of), data


RIGHT = letter_with(ranks_of(chain_of(QUICK), QUICK))
WRONG = letter_with(ranks_of(chain_of(QUICK), QUICK)[::-1])


class Here:
    """Judges in the test's own process, counts that, and can be held up."""

    def __init__(self):
        self.judged, self.may_go, self.began = 0, threading.Event(), threading.Event()
        self.may_go.set()

    def judge(self, letter):
        self.judged += 1
        self.began.set()
        assert self.may_go.wait(START_S)
        judge(letter)


@pytest.fixture
def here(monkeypatch):
    here = Here()
    monkeypatch.setattr(second_judge, "judge", here.judge)
    return here


@pytest.fixture
def started():
    return []


@pytest.fixture
def second(started):
    def start(*arguments):
        started.append(start_here(*arguments))
        return started[-1]

    with contextlib.closing(SecondJudge(start, processors=2)) as second:
        yield second


def two_at_once(second, here):
    """Judges one game while another one is being judged."""
    here.began.clear()
    here.may_go.clear()
    first = threading.Thread(target=second.judge, args=RIGHT)
    first.start()
    assert here.began.wait(START_S)
    other = threading.Thread(target=second.judge, args=RIGHT)
    other.start()
    here.may_go.set()
    first.join(START_S)
    other.join(START_S)


@pytest.fixture
def running(second, here, started):
    """The second process, once it is there."""
    two_at_once(second, here)
    line, helper = started[0]
    assert line.poll(START_S)
    here.judged = 0
    return helper


def test_games_that_come_one_by_one_start_nothing(second, here, started):
    for _game in range(3):
        second.judge(*RIGHT)
    assert (here.judged, started) == (3, [])


def test_with_one_processor_it_never_starts(here):
    with contextlib.closing(SecondJudge(lambda *_: pytest.fail("started"), processors=1)) as second:
        two_at_once(second, here)
    assert here.judged == 2


def test_once_two_came_at_once_it_confirms_by_the_same_rules(second, here, running):
    second.judge(*RIGHT)
    assert here.judged == 0


def test_what_it_does_not_confirm_the_hub_refuses_itself(second, here, running):
    with pytest.raises(BadInput, match="ranking isn't"):
        second.judge(*WRONG)
    assert here.judged == 1
    second.judge(*RIGHT)
    assert here.judged == 1


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSTOP])
def test_while_it_is_gone_or_hangs_the_hub_judges(second, here, running, started, monkeypatch, ending):
    monkeypatch.setattr(second_judge, "PATIENCE_S", 0.2)
    halt(running.pid, ending)
    second.judge(*RIGHT)
    with pytest.raises(BadInput):
        second.judge(*WRONG)
    assert here.judged == 2
    two_at_once(second, here)
    assert len(started) == 1  # none is begun anew at once
    monkeypatch.setattr(second, "_not_before_s", 0.0)
    two_at_once(second, here)
    assert len(started) == 2


def test_it_ends_with_the_hub(second, running):
    pid = running.pid
    second.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_where_no_process_can_be_started_the_hub_judges(here):
    def start(*_arguments):
        raise BlockingIOError(11, "no more processes")

    with contextlib.closing(SecondJudge(start, processors=2)) as second:
        two_at_once(second, here)
    assert here.judged == 2
