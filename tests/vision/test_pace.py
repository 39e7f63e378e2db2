"""A slow machine is given the time that it needs, and no machine has for ever."""

import pytest

from vision.process import pace


@pytest.fixture
def started_in(monkeypatch):
    """Sets how many seconds of the processor this process's start has taken."""

    def start(seconds: float) -> None:
        pace.times_slower.cache_clear()
        monkeypatch.setattr(pace.time, "process_time", lambda: seconds)

    yield start
    pace.times_slower.cache_clear()


@pytest.mark.parametrize(("started_s", "limit_s"), [(0.5, 20.0), (10.0, 20.0), (25.0, 50.0), (1_000.0, 120.0)])
def test_a_limit_grows_with_what_the_start_took_and_has_an_end(started_in, started_s, limit_s):
    started_in(started_s)
    assert pace.time_limit_s(20.0) == limit_s


def test_it_is_measured_once(started_in, monkeypatch):
    started_in(25.0)
    assert pace.times_slower() == 2.5
    monkeypatch.setattr(pace.time, "process_time", lambda: 500.0)  # of reading, not of starting
    assert pace.times_slower() == 2.5
