"""A thread that goes on: after a failure, when it is called, until it is stopped."""

import threading
import time

from companion import periodic as rounds
from companion.periodic import PeriodicThread

SOON_S = 20.0


class Acts:
    """What the rounds do, one after the other: a wait in seconds, None for the end, or what is raised."""

    def __init__(self, *each):
        self._each = list(each)
        self.count = threading.Semaphore(0)

    def __call__(self):
        act = self._each.pop(0)
        self.count.release()
        if isinstance(act, Exception):
            raise act
        return act

    def came(self, times):
        return all(self.count.acquire(timeout=SOON_S) for _ in range(times))


def test_a_round_that_fails_is_logged_and_the_next_one_comes(caplog):
    acts = Acts(ZeroDivisionError(), 0.0, ValueError(), SOON_S)
    turns = PeriodicThread("turns", acts, pause_s=0.0)
    turns.start()
    assert acts.came(4)
    assert turns.is_alive()
    turns.stop()
    assert not turns.is_alive()
    assert caplog.text.count("turns: a round failed") == 2


def test_a_round_comes_at_once_when_it_is_called():
    acts = Acts(SOON_S * 9, SOON_S * 9)
    turns = PeriodicThread("turns", acts, first_s=SOON_S * 9)
    turns.start()
    for _ in range(2):
        turns.again()
        assert acts.came(1)
    turns.stop()


def test_what_was_called_for_during_a_round_comes_after_it():
    asked, done = threading.Event(), threading.Event()

    def act():
        if asked.is_set():
            done.set()
            return None
        asked.set()
        turns.again()
        return SOON_S * 9

    turns = PeriodicThread("turns", act)
    turns.start()
    assert done.wait(SOON_S)
    turns.stop()


def test_there_may_be_an_end():
    acts = Acts(0.0, None)
    turns = PeriodicThread("turns", acts)
    turns.start()
    turns._thread.join(SOON_S)
    assert not turns.is_alive()


def test_one_that_hangs_is_not_alive():
    here, go_on = threading.Event(), threading.Event()
    turns = PeriodicThread("turns", lambda: here.set() or (go_on.wait(SOON_S) and None), hung_s=0.0)
    turns.start()
    assert here.wait(SOON_S)
    assert not turns.is_alive()
    go_on.set()
    turns.stop()


def test_rounds_that_never_began_can_be_stopped():
    PeriodicThread("turns", Acts()).stop()


def test_what_fails_again_and_again_waits_longer_each_time_and_no_wait_is_like_another(monkeypatch):
    waits = []
    turns = PeriodicThread("turns", Acts(), pause_s=1.0, longest_s=5.0)
    monkeypatch.setattr(rounds, "spread", lambda wait_s: waits.append(wait_s) or wait_s)
    for _ in range(5):
        turns._failed(ValueError())
    assert waits == [1.0, 2.0, 4.0, 5.0, 5.0]
    monkeypatch.undo()
    assert len({turns._failed(ValueError()) for _ in range(9)}) > 1


def test_what_ends_other_threads_ends_none_of_these_and_is_told():
    turns = PeriodicThread("turns", raising(SystemExit), pause_s=SOON_S * 9, longest_s=SOON_S * 9)
    turns.start()
    until(lambda: not turns.life.lives)
    assert turns.life == rounds.Life("turns", False, 1, "SystemExit")
    assert "turns" in rounds.untold()
    assert (rounds.health().status, turns.is_alive()) == ("trouble", True)
    turns.stop()
    assert "turns" not in rounds.untold()


def test_one_that_ended_all_the_same_is_begun_again(monkeypatch):
    acts = Acts(0.0, SOON_S)
    turns = PeriodicThread("turns", acts, first_s=SOON_S * 9, pause_s=0.0, is_needed=True)
    monkeypatch.setattr(turns, "_go_round", raising(ZeroDivisionError))
    monkeypatch.setattr(turns, "_failed", raising(ZeroDivisionError))  # What catches it fails, too.
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    turns.start()
    until(lambda: not turns.is_alive())
    assert not rounds.is_well()
    monkeypatch.undo()
    rounds.look_after()
    assert acts.came(2)
    assert rounds.is_well()
    assert (turns.life.restarts, turns.life.trouble) == (1, "ended")
    turns.stop()


def test_one_that_cannot_be_begun_again_keeps_none_of_the_others_from_it(monkeypatch, caplog):
    broken, acts = PeriodicThread("broken", Acts()), Acts(SOON_S)
    whole = PeriodicThread("turns", acts, pause_s=0.0)
    monkeypatch.setattr(broken, "on_failure", raising(ZeroDivisionError))
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    for each in (broken, whole):
        with monkeypatch.context() as patched:
            patched.setattr(each, "_run", raising(ZeroDivisionError))
            each._thread = each._thread_from(0.0)
            each.start()
            each.join(SOON_S)
    rounds.look_after()
    assert acts.came(1)
    assert "broken cannot be begun again" in caplog.text
    for each in (broken, whole):
        each.stop()


def test_a_needed_one_whose_every_round_fails_counts_as_dead_until_one_is_good():
    goes_on = threading.Event()
    acts = Acts(*[ZeroDivisionError()] * (rounds.MOST_FAILED - 1))

    def act():
        if acts._each:
            acts()
        return SOON_S * 9 if goes_on.is_set() else raising(ZeroDivisionError)()

    turns = PeriodicThread("turns", act, pause_s=0.01, longest_s=0.01, is_needed=True)
    turns._failed(ZeroDivisionError())
    assert rounds.is_well()
    turns.start()
    until(lambda: turns.in_a_row >= rounds.MOST_FAILED)
    assert (rounds.is_well(), turns.life.lives) == (False, False)
    goes_on.set()
    until(rounds.is_well)
    until(lambda: turns.life.lives)
    turns.stop()


def test_why_one_failed_is_told_to_those_alone_who_may_know():
    turns = PeriodicThread("turns", raising(ZeroDivisionError), pause_s=SOON_S * 9, longest_s=SOON_S * 9)
    turns.start()
    until(lambda: not turns.life.lives)
    lives = [
        next(life for life in rounds.health(says_why=why).threads if life.name == "turns") for why in (True, False)
    ]
    assert [(life.restarts, life.trouble) for life in lives] == [(1, "ZeroDivisionError"), (1, "")]
    turns.stop()


def test_one_that_is_stopped_or_came_to_its_end_is_not_begun_again():
    ended, stopped = PeriodicThread("turns", Acts(None)), PeriodicThread("turns", Acts(SOON_S))
    for each in (ended, stopped):
        each.start()
    ended.join(SOON_S)
    stopped.stop()
    rounds.look_after()
    assert (ended.is_alive(), stopped.is_alive()) == (False, False)
    assert "turns" not in [life.name for life in rounds.health().threads]


def test_what_is_done_once_is_logged_if_it_fails(caplog):
    rounds.begin("once", raising(ZeroDivisionError))
    until(lambda: "once failed" in caplog.text)


def raising(kind):
    def fails(*_arguments):
        raise kind

    return fails


def until(condition):
    end_s, pause = time.monotonic() + SOON_S, threading.Event()
    while not condition():
        assert time.monotonic() < end_s
        pause.wait(0.01)
