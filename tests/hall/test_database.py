"""The database itself: what only SQLite has, what only PostgreSQL has, and two hubs that share one record."""

import subprocess
import sys
import threading
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from companion.errors import BadInput, JournalUnusable, NotAllowed
from companion.hub import database
from companion.hub.database import DRIVER, Database, check_url
from companion.hub.migrations import upgrade
from companion.hub.record import HubRecord
from companion.hub.tournament.events import PLAIN, Form
from companion.journal.data_folder import HUB_RECORD
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, ranks_of
from tests.hall.test_record import enrol, letter_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub")
    yield record
    record.close()


def test_a_code_is_kept_as_a_digest_alone(record, tmp_path):
    code = record.new_code()
    assert all(code.encode() not in path.read_bytes() for path in (tmp_path / "hub").iterdir())


def test_the_file_waits_for_the_disk(record):
    with record._database.engine.begin() as db:
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_who_waits_for_a_turn_to_write_waits_before_the_database(record):
    """Eight threads write at once, one in its turn: the others hold no connection, and each has its turn."""
    kept, held = record._database, []

    def write():
        with kept.changing():
            held.append(kept.engine.pool.checkedout())

    threads = [threading.Thread(target=write) for _number in range(8)]
    with kept.changing():
        for thread in threads:
            thread.start()
        assert not held
    for thread in threads:
        thread.join()
    assert held == [1] * len(threads)


def test_a_turn_that_never_comes_is_one_sentence(record, monkeypatch):
    monkeypatch.setattr(database, "BUSY_S", 0.05)
    with (
        record._database.changing(),
        pytest.raises(JournalUnusable, match="too many requests at once"),
        record._database.changing(),
    ):
        pass


def test_a_file_that_is_no_database_is_one_sentence(tmp_path):
    (tmp_path / HUB_RECORD).write_bytes(b"nonsense" * 1000)
    with pytest.raises(JournalUnusable, match="The hub's record"):
        HubRecord(tmp_path)


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://host/hub", "postgresql://host", "postgresql://host:port/hub"])
def test_what_is_no_address_of_a_database_is_one_sentence(url):
    with pytest.raises(BadInput, match="looks like postgresql://"):
        check_url(url)


def test_an_address_of_a_database_is_taken_as_people_write_it():
    pytest.importorskip("psycopg", reason="the extra `postgresql` is not installed: see docs/hall.md")
    for scheme in ("postgresql", "postgres", DRIVER):
        assert check_url(f"{scheme}://ann:secret@host/hub") == f"{DRIVER}://ann:secret@host/hub"


def test_without_the_library_of_postgresql_itself_one_sentence_has_the_command(tmp_path, monkeypatch):
    (tmp_path / "psycopg.py").write_text('raise ImportError("no pq wrapper available")')  # as psycopg 3 says it
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "psycopg", raising=False)
    with pytest.raises(BadInput, match=r"own library\. Install it with sudo apt-get install libpq5$"):
        check_url("postgresql://ann@host/hub")


def test_a_database_that_does_not_answer_is_one_sentence_without_its_password(tmp_path):
    pytest.importorskip("psycopg", reason="the extra `postgresql` is not installed: see docs/hall.md")
    with pytest.raises(JournalUnusable, match="The hub's record") as refusal:
        HubRecord(tmp_path, database=f"{DRIVER}://ann:secret@/hub?host={tmp_path}")
    assert "secret" not in refusal.value.sentence
    assert "\n" not in refusal.value.sentence


def test_what_postgresql_has_written_is_on_the_disk(tmp_path, postgres_server):
    database = Database(tmp_path, postgres_server.url_of(tmp_path))
    with database.changing() as db:
        assert db.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    with database.reading() as db:
        assert db.exec_driver_sql("SHOW transaction_isolation").scalar() == "repeatable read"
    database.close()


SHARING = """
import sys
from pathlib import Path
from companion.hub.migrations import upgrade
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, ranks_of
from tests.hall.test_record import letter_of
record = HubRecord(Path(sys.argv[1]), database=sys.argv[2])
lengths, counts = eval(sys.argv[3]), []
sys.stdin.readline()
for cut in lengths:
    chain = chain_of(QUICK, cut=cut)
    envelope, data = letter_of(chain, ranks_of(chain, QUICK) if cut is None else ())
    counts.append(record.take(envelope.session, envelope.head, data).value)
print(record.key.id, *counts, flush=True)
record.close()
"""


def test_two_hubs_share_one_record(tmp_path, postgres_server):
    """Both take the same letters of one game at once: each is there once, and the longest one counts."""
    url = postgres_server.url_of(tmp_path)
    record = HubRecord(tmp_path, database=url)
    enrol(record)
    whole = chain_of(QUICK)
    lengths = [*range(1, len(whole.rows)), None]
    command = [sys.executable, "-c", SHARING, str(tmp_path), url]
    orders = (lengths, lengths[::-1])
    hubs = [
        subprocess.Popen([*command, repr(order)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for order in orders
    ]
    for hub in hubs:  # both are there by now, so neither begins long before the other
        hub.stdin.write("go\n")
        hub.stdin.flush()
    said = [hub.communicate()[0].split() for hub in hubs]
    assert [hub.returncode for hub in hubs] == [0, 0]
    assert {key for key, *_answers in said} == {record.key.id}
    answers = [answer for _key, *answers in said for answer in answers]
    assert (answers.count("new"), answers.count("known")) == (len(lengths), len(lengths))
    letters = record.letters("game-1")
    assert [letter["head"] for letter in letters if letter["standing"] == "counts"] == [whole.head]
    assert len(letters) == len({letter["head"] for letter in letters}) == len(lengths)
    record.close()


def test_a_server_that_was_started_anew_is_used_again(tmp_path, postgres_server):
    record = HubRecord(tmp_path, database=postgres_server.url_of(tmp_path))
    enrol(record)
    postgres_server.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'hub_%'")
    chain = chain_of(QUICK)
    envelope, data = letter_of(chain, ranks_of(chain, QUICK), KEY)
    assert record.take(envelope.session, envelope.head, data).value == "new"
    record.close()


def test_ten_thousand_bad_letters_leave_nothing_and_end_nothing(record):
    """Cut, and with some bytes changed: each is refused by one sentence, and a good one is taken afterwards."""
    enrol(record)
    chain = chain_of(QUICK)
    envelope, good = letter_of(chain, ranks_of(chain, QUICK), KEY)
    chance, refused = Random(1), 0
    for _number in range(10_000):
        bad = bytearray(good[: chance.choice((len(good), chance.randrange(len(good))))])
        for _change in range(chance.randrange(1, 4)):
            if bad:
                bad[chance.randrange(len(bad))] ^= chance.randrange(1, 256)
        if bad != good:
            with pytest.raises((BadInput, NotAllowed)):
                record.take(envelope.session, envelope.head, bytes(bad))
            refused += 1
    assert refused > 9_990
    assert record.games() == []
    assert record.take(envelope.session, envelope.head, good).value == "new"


def test_a_record_of_the_version_before_knows_which_games_its_tournaments_gave_to_which_tables(tmp_path):
    """The journals of a hub of now, in a file as the version before made it."""
    now = HubRecord(tmp_path / "now", lambda: NOON_US)
    for key in (KEY, OTHER_KEY):
        enrol(now, key)
    names = ["Ann", "Ben", "Cleo", "Dan", "Eve", "Flo"]
    cup = now.desk.begin("Cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, names).id
    now.desk.pair(cup)
    plays = now.desk.find(cup).state.newest.plays
    now.desk.swap(cup, plays[0].pairing.seats[0], plays[1].pairing.seats[0], frozenset())
    now.desk.call(cup, 2, PLAIN, frozenset())
    for number in (1, 2):
        seats = now.desk.find(cup).state.newest.plays[number - 1].pairing.seats
        now.desk.rule(cup, number, tuple((one,) for one in seats))
    now.desk.pair(cup)
    over = now.desk.begin("Over", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Gus", "Hal", "Ida"]).id
    now.desk.end(over)
    kept = rows_of(now._database, ("tables", "tournaments", "happened"))
    expected = rows_of(now._database, ("sessions",))["sessions"]
    now.close()

    before = sa.create_engine(f"sqlite:///{tmp_path / HUB_RECORD}")
    with before.begin() as db:
        upgrade(db, "0009")
        for table, rows in kept.items():
            known = {column["name"] for column in sa.inspect(db).get_columns(table)}
            for row in rows:
                columns = {name: value for name, value in row.items() if name in known}
                db.execute(sa.insert(sa.table(table, *map(sa.column, columns))).values(columns))
    before.dispose()
    record = HubRecord(tmp_path)
    found = rows_of(record._database, ("sessions", "tournaments"))
    assert sorted(found["sessions"], key=str) == sorted(expected, key=str)
    assert {row["id"]: bool(row["is_ended"]) for row in found["tournaments"]} == {cup: False, over: True}
    assert len(expected) == 2 + 2 + 1 + 2  # two rounds, a swap of two games, and a call
    record.close()


def rows_of(database, tables):
    with database.reading() as db:
        found = {table: db.execute(sa.text(f"SELECT * FROM {table}")).mappings() for table in tables}
        return {table: [dict(row) for row in rows] for table, rows in found.items()}
