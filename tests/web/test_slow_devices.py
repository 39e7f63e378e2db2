"""Nobody who is slow holds up anybody: not with a byte at a time, from however many addresses."""

import json
import shutil
import subprocess
import sys
from statistics import median

import pytest

from tests.web.slow_devices import ADDRESSES, NETWORK, OF_EACH

SOON_S = 1.0
OWN_NETWORK = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c")
ALL_OURS = f"ip link set lo up && ip route add local {NETWORK}.0/24 dev lo"


@pytest.fixture
def own_network():
    """The beginning of a command that runs in a network of its own."""
    has_both = shutil.which("unshare") and shutil.which("ip")
    if not has_both or subprocess.run((*OWN_NETWORK, ALL_OURS), capture_output=True).returncode:
        pytest.skip("no network of its own can be had here: it is not shown that slow devices hold up nobody")
    return OWN_NETWORK


def test_slow_devices_without_a_ticket_hold_up_nobody(tmp_path, own_network):
    play = f"{ALL_OURS} && exec {sys.executable} -m tests.web.slow_devices {tmp_path}"
    done = subprocess.run((*own_network, play), capture_output=True, text=True, timeout=90)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    limit_s = max(SOON_S, 5 * max(found["alone"]))  # the second where the machine itself is out of breath
    late = {name: [took_s for took_s in found[name] if took_s > limit_s] for name in ("health", "page")}
    assert late == {"health": [], "page": []}
    assert len(found["page"]) >= 20
    assert median(found["open"]) >= 0.8 * len(ADDRESSES) * OF_EACH  # the others were closed and come back
