"""A real table and a real hub: finished games arrive by themselves; neither a kill nor a hub that is away loses one."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.hall.letters import QUICK, session_of
from tests.played import named, read
from tests.service import COMPANION, Service, begin, running

PATIENCE_S = 60


class Hub:
    """`companion hub` on a port that stays the same when it is started again; `program` as for `Service`."""

    def __init__(self, folder, *arguments, program=COMPANION):
        self.folder, self.arguments, self.program = folder, arguments, program
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self, *arguments):
        where = ("--port", str(self.port), "--host", "127.0.0.1", "--data", str(self.folder))
        self.process = begin(self.program, "hub", *where, *(arguments or self.arguments))
        assert self.process.stdout.readline().startswith("Ready at ")

    def code(self):
        command = [sys.executable, "-m", "companion", "hub", "code", "--data", str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def link(self):
        command = [sys.executable, "-m", "companion", "hub", "link", "--data", str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def come_in(self):
        """An opener of addresses with an organiser's ticket, by a link that `companion hub link` prints."""
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(f"{self.url}/join/{self.link().rpartition('/')[2]}", b"", timeout=10).close()
        return opener

    def ask(self, path):
        with urllib.request.urlopen(f"{self.url}{path}", timeout=10) as answer:
            return json.load(answer)

    def stop(self):
        if self.process:
            self.process.terminate()
            assert self.process.wait(timeout=PATIENCE_S) == 0
            self.process.stdout.close()
            self.process = None

    close = stop

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=PATIENCE_S)
        self.process.stdout.close()
        self.process = None


def starts(hub, *arguments):
    """(exit status, what is said on standard error) of a start that is refused."""
    command = [sys.executable, "-m", "companion", "hub", "--port", "0", "--data", str(hub.folder), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    return ended.returncode, ended.stderr


@pytest.fixture
def hub(tmp_path):
    hub = Hub(tmp_path / "hub", "--no-mqtt")  # tests/hall/processes/test_hall.py has the tables live
    hub.start()
    yield hub
    hub.stop()


def table(folder, *arguments):
    return running(folder, "--camera", "none", *arguments, program=("tests.processes.often:main",))


def until(ask, seconds=PATIENCE_S):
    """Asks until the answer is true, and returns it."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, "nothing came in time"
        time.sleep(0.1)
    return answer


def play(service: Service):
    """Plays a game that was worked out by hand, and returns its id."""
    _session, ids = session_of(QUICK)
    file = read(QUICK)
    players = [f"Name {number}" for number in range(len(ids))]
    asked = {"game": file.game, "players": players, "options": named(file.options, ids)}
    status, begun = service.call("/api/sessions", asked)
    assert status == 201, begun
    seats = dict(zip(ids, [player["id"] for player in begun["players"]], strict=True))
    for number, step in enumerate(file.steps):
        event = named(step.event, seats)
        status, said = service.call(
            f"/api/sessions/{begun['id']}/events",
            {"event": event, "event_id": f"e{number}", "seen_seq": number},
        )
        assert status == 200, said
    return begun["id"]


def house_says(service):
    with urllib.request.urlopen(f"{service.url}/house", timeout=10) as answer:
        found = re.search(r'id="hub"><h3>[^<]*</h3>\s*<p>([^<]*)', answer.read().decode())
    return found[1] if found else ""


def heads(hub):
    return {game["id"]: game["head"] for game in hub.ask("/v1/games")}


def head_at(service, session):
    with urllib.request.urlopen(f"{service.url}/api/sessions/{session}/export", timeout=10) as answer:
        return json.loads(answer.read().decode().splitlines()[-1])["hash"]


def test_a_finished_game_and_its_correction_arrive_by_themselves(hub, tmp_path):
    with table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()) as service:
        session = play(service)
        until(lambda: session in heads(hub))
        assert heads(hub)[session] == head_at(service, session)
        assert until(lambda: house_says(service).startswith("1 of 1 ") and house_says(service)).endswith(f"{hub.url}.")
        newest = len(read(QUICK).steps)
        status, said = service.call(f"/api/sessions/{session}/undo", {"event_id": "undo", "seen_seq": newest})
        assert status == 200, said
        until(lambda: heads(hub)[session] == head_at(service, session))
        assert [one["standing"] for one in hub.ask(f"/v1/games/{session}")] == ["replaced", "counts"]
        assert [(one["sent"], one["missing"]) for one in hub.ask("/v1/tables")] == [(2, 0)]


def test_a_letter_that_is_too_large_is_one_sentence(hub):
    request = urllib.request.Request(f"{hub.url}/v1/games/game-1/{'0' * 64}", 12_000_000 * b"x", method="PUT")
    with pytest.raises(urllib.error.HTTPError) as refusal, urllib.request.urlopen(request, timeout=PATIENCE_S):
        pass
    with refusal.value as answer:
        assert (answer.code, json.loads(answer.read())) == (413, {"error": "This is too big. Send less at once."})


def test_a_table_that_is_killed_sends_what_its_hub_missed(hub, tmp_path):
    """The hub is away, the table is killed with the letter in its outbox, and both come back."""
    with table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()) as service:
        until(lambda: hub.ask("/v1/tables"))
        hub.kill()
        session = play(service)
        until(lambda: house_says(service).startswith("0 of 1 "))
        service.kill()
    hub.start()
    with table(tmp_path / "table") as service:  # it remembers the hub
        until(lambda: session in heads(hub))
        assert heads(hub) == {session: head_at(service, session)}
        until(lambda: house_says(service).startswith("1 of 1 "))
    assert [(one["sent"], one["missing"]) for one in hub.ask("/v1/tables")] == [(1, 0)]


def test_a_code_that_was_used_is_said_on_the_page(hub, tmp_path):
    code = hub.code()
    with table(tmp_path / "one", "--hub", hub.url, "--enrol", code):
        until(lambda: hub.ask("/v1/tables"))
    with table(tmp_path / "two", "--hub", hub.url, "--enrol", code) as service:

        def said():
            with urllib.request.urlopen(service.url, timeout=10) as answer:
                return "or was used already" in answer.read().decode()

        until(said)
        assert len(hub.ask("/v1/tables")) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--enrol", "ABC"), "--enrol needs the hub's address"),
        (("--hub", "somewhere"), "A hub's address looks like"),
        (("--hub", "http://a:b@c"), "A hub's address looks like"),
        (("--hub", "http://a:99999999"), "A hub's address looks like"),
    ],
)
def test_a_wrong_address_is_one_sentence(tmp_path, arguments, said):
    command = [sys.executable, "-m", "companion", "run", "--camera", "none", "--data", str(tmp_path), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stderr.count("\n"), said in ended.stderr) == (1, 1, True)


def test_two_hubs_do_not_share_a_folder(hub):
    status, said = starts(hub)
    assert (status, "already uses" in said) == (1, True)
    with contextlib.closing(urllib.request.urlopen(f"{hub.url}/healthz", timeout=10)) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mqtt", "mqtt://127.0.0.1", "--no-mqtt"), "contradict each other"),
        (("--mqtt", "127.0.0.1"), "The broker's address starts with mqtt://"),
    ],
)
def test_a_broker_that_cannot_be_is_one_sentence(tmp_path, arguments, said):
    status, sentence = starts(Hub(tmp_path / "hub"), *arguments)
    assert (status, sentence.count("\n"), said in sentence) == (1, 1, True)


def test_a_table_sends_nothing_to_another_hub(hub, tmp_path):
    """Another hub has taken the address: the table plays on, says so, and its game goes to the right one later."""
    other = Hub(tmp_path / "other", "--no-mqtt")
    other.port, other.url = hub.port, hub.url
    with (
        contextlib.closing(other),
        table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()) as service,
    ):
        until(lambda: hub.ask("/v1/tables"))
        hub.kill()
        other.start()
        session = play(service)
        until(lambda: "Another hub answers" in first_page(service))
        assert other.ask("/v1/games") == []
        other.stop()
        hub.start()
        until(lambda: session in heads(hub))


def first_page(service):
    with urllib.request.urlopen(service.url, timeout=10) as answer:
        return answer.read().decode()
