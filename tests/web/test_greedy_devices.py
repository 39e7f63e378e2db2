"""Nobody who sends all they can holds up anybody or fills the memory: not by HTTP's small print, not over https."""

import shutil

import pytest

from tests.web.greedy_devices import ADDRESSES, WAYS

SOON_S = 0.8
MOST_MB = 350  # as in tests/processes/test_memory.py


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
def test_greedy_devices_without_a_ticket_hold_up_nobody(play_in_own_network):
    found = play_in_own_network("tests.web.greedy_devices")
    limit_s = max(SOON_S, 10 * max(found["alone"]))  # more where the machine itself is out of breath
    beside = found["beside"]
    slowest = {way: [round(max(beside[way][name]), 2) for name in ("health", "page")] for way in WAYS}
    peaks = {way: beside[way]["mb"] for way in WAYS}
    print(f"seconds for /healthz and a page: {slowest}; the service's peak, MB: {peaks}; limit {limit_s:.2f} s")
    assert max(map(max, slowest.values())) <= limit_s
    assert max(peaks.values()) <= MOST_MB
    for way, (_first, _then, number, is_secure) in WAYS.items():  # the attack was there; handshakes wait for their turn
        assert beside[way]["connected"] >= (ADDRESSES if is_secure else 0.8 * number), way
