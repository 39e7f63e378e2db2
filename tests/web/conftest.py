"""A client that talks to the pages and the API of a house with an empty journal; a network of many devices."""

import json
import re
import shutil
import subprocess
import sys
from random import Random

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.demo.table import DemoTable
from tests.parts import connect
from tests.web.slow_devices import NETWORK
from web.app import create_app

OWN_NETWORK = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c")
ALL_OURS = f"ip link set lo up && ip route add local {NETWORK}.0/24 dev lo"


@pytest.fixture
def play_in_own_network(tmp_path):
    """Runs a module in a network of its own, with a folder; returns what it says as JSON."""
    has_both = shutil.which("unshare") and shutil.which("ip")
    if not has_both or subprocess.run((*OWN_NETWORK, ALL_OURS), capture_output=True).returncode:
        pytest.skip("no network of its own can be had here: it is not shown that slow or greedy devices hold up nobody")

    def played(module):
        play = f"{ALL_OURS} && exec {sys.executable} -m {module} {tmp_path}"
        done = subprocess.run((*OWN_NETWORK, play), capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return played


class Answer(TestResponse):
    """An answer whose `text` has names without their markup, as people read it; `data` is all of it."""

    @property
    def text(self) -> str:
        return re.sub(r'<bdi translate="no">(.*?)</bdi>', r"\1", super().text)


def client_of(app) -> FlaskClient:
    client = app.test_client()
    client.response_wrapper = Answer
    return client


@pytest.fixture
def client(host) -> FlaskClient:
    return client_of(create_app(host))


@pytest.fixture
def demo_client(host) -> FlaskClient:
    """The same with the demo's table, which has no button box here."""
    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    return client_of(create_app(host))
