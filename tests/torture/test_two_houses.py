"""A game begun in one house goes on in another: exported, verified and continued by two real services."""

import subprocess
import urllib.request

import pytest

from companion.journal.export import read_game_file
from tests.torture.house import House
from tests.torture.judge import judge_states
from tests.torture.load import Ledger


@pytest.fixture
def houses(tmp_path):
    two = [House(tmp_path / name, "--camera", "none") for name in ("here", "there")]
    for house in two:
        house.start()
    yield two
    for house in two:
        house.stop()


def test_a_game_goes_on_in_another_house(houses, tmp_path):
    here, there = houses
    assert all(house.wait_until_ready() for house in houses)
    status, begun = here.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
    assert status == 201
    path = f"/api/sessions/{begun['id']}"
    roll = {"kind": "Rolled", "dice": [1, 4]}
    assert here.call(f"{path}/events", {"event_id": "r1", "seen_seq": 0, "event": roll})[0] == 200
    assert here.call(f"{path}/undo", {"event_id": "u1", "seen_seq": 1})[0] == 200
    _, text = here.text(f"{path}/export")

    changed = urllib.request.Request(f"{there.url}/api/import", text.replace("[1,4]", "[4,1]").encode())
    with pytest.raises(urllib.error.HTTPError, match="400") as refusal:
        urllib.request.urlopen(changed, timeout=10)
    with refusal.value:
        assert "changed after it was played" in refusal.value.read().decode()

    with urllib.request.urlopen(urllib.request.Request(f"{there.url}/api/import", text.encode()), timeout=10) as taken:
        assert taken.status == 201
    assert there.call(path)[1]["state"] == here.call(path)[1]["state"]
    assert there.call(f"{path}/events", {"event_id": "r1", "seen_seq": 0, "event": roll})[1]["seq"] == 1  # not twice
    assert there.call(f"{path}/events", {"event_id": "r2", "seen_seq": 2, "event": roll})[1]["seq"] == 3
    ledger = Ledger()
    assert judge_states(there, [begun["id"]], ledger) == 0
    assert ledger.wrong == []
    _, longer = there.text(f"{path}/export")
    assert longer.startswith(text)  # the same chain, and one entry more
    assert read_game_file(longer).broken_at is None
    (tmp_path / "game.jsonl").write_text(longer)
    replay = (there.python, "-m", "companion", "replay", str(tmp_path / "game.jsonl"))
    replayed = subprocess.run(replay, capture_output=True, text=True, check=False)
    assert replayed.returncode == 0
    assert "The hash chain holds." in replayed.stdout
