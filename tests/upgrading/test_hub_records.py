"""The records of older hubs: this one reads them, counts what they have, and takes more.

An older hub runs in this environment, as its commit locked no packages of a hub. What it has been sent is a game of its
own commit's playthroughs, whose winners were worked out by hand.
"""

import os
import subprocess
import sys

import pytest

from companion.hub.record import Answer, HubRecord
from tests.hall.letters import KEY, QUICK, chain_of, ranks_of
from tests.hall.test_record import take
from tests.played import read
from tests.upgrading.checkouts import check_out

SENT = """\
import sys
from pathlib import Path
from companion.hub.record import HubRecord
from tests.companion.hub.letters import QUICK, chain_of, ranks_of
from tests.companion.hub.test_record import enrol, take

record = HubRecord(Path(sys.argv[1]))
enrol(record)
chain = chain_of(QUICK)
take(record, chain, ranks_of(chain, QUICK))
record.close()
print(QUICK)
"""


@pytest.mark.parametrize("commit", ["372dcba3", "32b7f72b"])
def test_the_record_of_an_older_hub_goes_on(commit, tmp_path):
    check_out(commit, tmp_path / "checkout")
    command = [sys.executable, "-c", SENT, str(tmp_path / "hub")]
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "checkout")}
    sent = subprocess.run(command, cwd=tmp_path / "checkout", env=env, capture_output=True, text=True, timeout=120)
    assert sent.returncode == 0, sent.stderr
    played = read(tmp_path / "checkout" / sent.stdout.strip())
    record = HubRecord(tmp_path / "hub")
    try:
        assert [(table["id"], table["name"]) for table in record.tables()] == [(KEY.id, "Table 1")]
        (game,) = record.games()
        assert (game["game"], game["entries"], game["standing"]) == (played.game, len(played.steps), "counts")
        won = {f"p{played.players.index(winner)}" for winner in played.winners}
        assert set(game["ranks"][0]) == won
        chain = chain_of(QUICK)
        assert take(record, chain, ranks_of(chain, QUICK)) in (Answer.KNOWN, Answer.FORK)  # The same game counts once.
        assert len(record.games()) == 1
    finally:
        record.close()
