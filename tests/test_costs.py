"""What a test costs is measured with all that it starts."""

import subprocess
import sys
import threading

import pytest

from tests.costs import Costs

TAKES_S = 0.3
WORKS = f"import time\nwhile time.process_time() < {TAKES_S}: pass"


@pytest.fixture
def costs():
    costs = Costs()
    yield costs
    costs.end()


@pytest.mark.parametrize("how", ["waited for", "below another"])
def test_a_process_that_has_ended_counts(costs, how):
    before, _ = costs.so_far()
    below = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WORKS!r}], check=True)"
    subprocess.run([sys.executable, "-c", WORKS if how == "waited for" else below], check=True)
    after, _ = costs.so_far()
    assert after - before >= 0.9 * TAKES_S  # the kernel counts in hundredths


def test_a_process_that_runs_counts(costs):
    before, _ = costs.so_far()
    works = subprocess.Popen([sys.executable, "-c", f"{WORKS}\nprint(flush=True)\ninput()"], stdin=-1, stdout=-1)
    assert works.stdout.readline()
    after, _ = costs.so_far()
    works.communicate(b"\n")
    assert after - before >= 0.9 * TAKES_S


def test_time_in_which_nothing_wants_a_processor_is_waited(costs):
    pause = threading.Event()
    while costs.so_far()[1] == 0:  # as often as it takes until it was looked at in a pause
        pause.wait(0.2)
