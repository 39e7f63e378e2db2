"""The short form of `make torture-hub`, and proof that its judge would notice."""

import contextlib

from companion.hub.record import HubRecord
from tests.hall.letters import QUICK, chain_of, ranks_of
from tests.hall.test_record import enrol, take
from tests.torture.hub_kills import Ledger, judged, torture


def test_a_few_kills_lose_no_game_and_count_none_twice(tmp_path, each_database):
    found, ledger = torture(tmp_path, kills=5, seed=7, database=each_database(tmp_path))
    assert (ledger.wrong, found["lost"], found["twice"]) == ([], 0, 0)
    assert found["games"] > 0
    assert found["letters"] > found["games"]  # there were corrections


def test_the_judge_finds_what_is_lost_and_what_counts_twice(tmp_path):
    chain = chain_of(QUICK)
    with contextlib.closing(HubRecord(tmp_path)) as record:
        enrol(record)
        take(record, chain, ranks_of(chain, QUICK))
        ledger = Ledger(taken={("game-1", chain.head): 201})
        assert (judged(record, ledger, ["game-1"])["lost"], judged(record, ledger, ["game-1"])["twice"]) == (0, 0)
        ledger.taken["game-1", "0" * 64] = 201  # said to be taken, and not there
        assert judged(record, ledger, ["game-1", "game-2"])["lost"] == 1 + 1
        with record._database.changing() as db:
            db.exec_driver_sql("CREATE TEMPORARY TABLE again AS SELECT * FROM letters")
            db.exec_driver_sql("UPDATE again SET number = number + 1, head = 'another'")
            db.exec_driver_sql("INSERT INTO letters SELECT * FROM again")
        assert judged(record, ledger, ["game-1"])["twice"] == 2  # as a letter, and in the season
