"""A thread that goes on: after a failure, when it is called, until it is stopped."""

import threading

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


def test_one_that_hangs_is_not_alive(monkeypatch):
    monkeypatch.setattr(rounds, "HUNG_S", 0.0)
    here, go_on = threading.Event(), threading.Event()
    turns = PeriodicThread("turns", lambda: here.set() or (go_on.wait(SOON_S) and None))
    turns.start()
    assert here.wait(SOON_S)
    assert not turns.is_alive()
    go_on.set()
    turns.stop()


def test_rounds_that_never_began_can_be_stopped():
    PeriodicThread("turns", Acts()).stop()
