"""The demo's hall: nobody sits at two tables, and its tournament has a result within two minutes."""

import subprocess
from pathlib import Path

import pytest

from companion.app.hall import simulated
from companion.app.hall.simulated import MOST_FOR_FUN, STEP_S, SimulatedHall
from companion.changes import Live
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.network.outgoing import Reply
from web.hub.app import create_hub
from web.hub.here import Hub

ROOT = Path(__file__).parents[2]
TWO_MINUTES = int(120 / STEP_S)


@pytest.fixture
def hall(tmp_path, monkeypatch):
    """The simulated tables of a hub that they reach without a network."""
    record = HubRecord(tmp_path)
    client = create_hub(Hub(record, Hall(record.public_of, Live(), on_sign=record.hear), Live())).test_client()

    def ask(method, url, body, **_limits):
        answer = client.open(url.partition("8100")[2], method=method, data=body)
        return Reply(answer.status_code, answer.data, "")

    monkeypatch.setattr(simulated.outgoing, "ask", ask)
    yield SimulatedHall(record, 8100, ("", 0), "7")
    record.close()


def test_the_demos_tournament_has_a_result_within_two_minutes_and_nobody_sits_twice(hall):
    for _step in range(TWO_MINUTES):
        hall.go_round()
        seated = [name for table in hall._tables if table.now for name in table.now.names]
        assert len(set(seated)) == len(seated)
        plays = [play for round_ in hall._record.desk.find(hall._cup).state.rounds for play in round_.plays]
        if any(play.ranks for play in plays):
            break
    else:
        pytest.fail("no result in two minutes")
    assert max(len(table.now.names) for table in hall._tables if table.now) == MOST_FOR_FUN
    assert [table["missing"] for table in hall._record.tables()] == [0] * 5
    assert hall._record.results.all() == []


def test_make_run_hub_installs_nothing_but_what_it_needs():
    """Every step that it would ever take, with what it would ask before."""
    said = subprocess.run(["make", "-nB", "run-hub"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for other in ("nginx", "openssh", "postgresql", "chromium", "requirements-dev"):
        assert other not in said
    assert said.index("read -r") < said.index("WANTED=mosquitto") < said.index("companion hub --demo")
