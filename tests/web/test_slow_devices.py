"""Nobody who is slow holds up anybody: not with a byte at a time, from however many addresses."""

from statistics import median

from tests.web.slow_devices import ADDRESSES, OF_EACH, STREAMS

SOON_S = 1.0


def test_slow_devices_without_a_ticket_hold_up_nobody_beside_300_pages(play_in_own_network):
    """Ten households, each with ten tablets behind one address, which show three pages each."""
    found = play_in_own_network("tests.web.slow_devices")
    assert found["streams"] == [STREAMS, STREAMS]
    limit_s = max(SOON_S, 5 * max(found["alone"]))  # the second where the machine itself is out of breath
    late = {name: [took_s for took_s in found[name] if took_s > limit_s] for name in ("health", "page")}
    assert late == {"health": [], "page": []}
    assert len(found["page"]) >= 20
    assert median(found["open"]) >= 0.8 * len(ADDRESSES) * OF_EACH  # the others were closed and come back
