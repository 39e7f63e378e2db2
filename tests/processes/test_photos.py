"""Photos by hand against the real service: a process reads them, dies and comes back, and nothing is entered twice."""

import json
import os
import re
import signal
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from tests.photographs import dice_table, photo_of
from tests.service import running


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with running(tmp_path_factory.mktemp("photos"), "--camera", "none") as found:
        yield found


@pytest.fixture
def game(service):
    return service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]


def shown(service, game, photo, event_id):
    address = f"{service.url}/api/sessions/{game}/photo?event_id={event_id}&seen_seq=0"
    request = urllib.request.Request(address, photo, {"Content-Type": "image/jpeg"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


@pytest.mark.parametrize("photo", [26_000_000 * b"x", 26 * [1_000_000 * b"x"]])
def test_a_photo_that_is_too_large_is_one_sentence(service, game, photo):
    """With its length at its head, and in pieces."""
    assert shown(service, game, photo, "large") == (413, {"error": "This is too big. Send less at once."})


def readers_of(service):
    """The process ids of the service's children that read photos, their own helpers left out."""
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
    pids = [int(pid) for task in children.parents[1].iterdir() for pid in (task / "children").read_text().split()]
    return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_photo_becomes_the_roll(service, game):
    assert shown(service, game, photo_of(dice_table(6, 2), larger=3.0), "first") == (200, {"entered": 1})
    state = service.call(f"/api/sessions/{game}")[1]
    assert state["seq"] == 1


def test_the_same_process_cuts_a_face(service):
    add = urllib.parse.urlencode({"name": "Cleo"}).encode()
    with urllib.request.urlopen(f"{service.url}/people", add, timeout=60) as page:
        person = page.url  # where the answer leads
    head = b'--a\r\nContent-Disposition: form-data; name="photo"; filename="me.jpg"\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=a"}
    sent = urllib.request.Request(f"{person}/face", head + photo_of(dice_table(6, 2)) + b"\r\n--a--\r\n", form)
    with urllib.request.urlopen(sent, timeout=60) as page:
        (address,) = set(re.findall(r'<img src="([^"]+/face/[^"]+)"', page.read().decode()))
    with urllib.request.urlopen(service.url + address, timeout=60) as answer:
        assert answer.headers["Content-Type"] == "image/jpeg"
        assert answer.read().startswith(b"\xff\xd8")


def test_a_reader_that_is_killed_costs_one_photo_at_most(service, game):
    photo = photo_of(dice_table(4, 1))
    assert shown(service, game, b"\xff\xd8\xff\xe0", "begun")[0] == 400
    for pid in readers_of(service):
        os.kill(pid, signal.SIGKILL)
    answers = [shown(service, game, photo, "killed") for _ in range(3)]
    assert answers[-1] == (200, {"entered": 1})
    assert all(answer[0] == 503 or answer == (200, {"entered": 1}) for answer in answers)
    assert service.call(f"/api/sessions/{game}")[1]["seq"] == 1
