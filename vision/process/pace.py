"""How fast this machine reckons, so that a slow one is given the time that it needs."""

import time
from functools import cache

SMALLEST_PI_S = 10.0  # The smallest Pi's processor takes this to load the camera's process; a PC takes half a second.
MOST_TIMES = 6.0  # No machine gets more: there is an end to waiting for a step that hangs.


@cache
def times_slower() -> float:
    """How many times longer than the smallest Pi it takes, at least 1; from what this process's own start has taken.

    Called first when all is loaded. It counts time of the processor, so a slow disk makes no machine slow.
    """
    return min(max(1.0, time.process_time() / SMALLEST_PI_S), MOST_TIMES)


def time_limit_s(seconds: float) -> float:
    """The limit for work of the processor that is `seconds` on the smallest Pi."""
    return seconds * times_slower()
