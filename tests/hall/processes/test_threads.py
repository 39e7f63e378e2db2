"""Each thread of a running hub, and its broker, is ended in turn: it is told of, and lives again."""

import json
import os
import signal
import urllib.request

import pytest

from tests.hall.processes.test_hall import brokers
from tests.hall.processes.test_hub import Hub
from tests.processes.mortal import outlives, until
from tests.service import begin

MORTAL = "tests.processes.mortal:main"


class MortalHub(Hub):
    def start(self, *arguments):
        where = ("--port", str(self.port), "--host", "127.0.0.1", "--data", str(self.folder))
        self.process = begin(MORTAL, str(self.folder.with_name("mortal")), "hub", *where, *arguments)
        assert self.process.stdout.readline().startswith("Ready at ")


@pytest.fixture
def hub(tmp_path):
    hub = MortalHub(tmp_path / "hub")
    hub.start("--demo")
    yield hub
    hub.stop()


def health(hub):
    with urllib.request.urlopen(f"{hub.url}/healthz", timeout=10) as answer:
        return {life["name"]: life for life in json.load(answer)["threads"]}


def test_each_thread_of_a_hub_lives_again(hub, tmp_path):
    names = outlives(tmp_path / "mortal", lambda: health(hub))
    of_the_demo = {"simulated tables", "line of the simulated tables"}
    assert names - of_the_demo == {"broker", "ear of the hall", "pages", "requests", "streams"}
    (old,) = brokers(hub)
    restarts = health(hub)["broker"]["restarts"]
    os.kill(old, signal.SIGKILL)
    until(lambda: health(hub)["broker"]["restarts"] > restarts)
    assert health(hub)["broker"]["trouble"] == "ChildProcessError"
    until(lambda: brokers(hub) not in ([], [old]))

    def seats():
        return [line["seats"] for line in hub.ask("/v1/live") if line["state"] == "plays"]

    before = until(seats)
    until(lambda: seats() not in ([], before))  # The hub's ear hears.
