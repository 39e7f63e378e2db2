"""Two hubs share one record on PostgreSQL: tables send to both, one is killed, and nothing is lost or counts twice."""

import contextlib
import secrets

from companion.hub.record import HubRecord
from companion.letters.keys import Key
from companion.letters.people import Person, seal_person
from tests.benches.hub import game_of
from tests.hall.processes.test_hub import PATIENCE_S, Hub, until
from tests.torture.hub_kills import GAME, TABLES, Ledger, Sender, judged

LETTERS = 2 * TABLES  # until the kill, and after it


def met(record, key, name):
    """Makes everybody who plays at a table known to the hub, so that they have a place in the standings."""
    code = record.new_code()
    record.enrol(code, key.public, key.sign(code.encode()), name)
    players = game_of(GAME, 0).states[0].players
    for player in players:
        person = Person(key=key.id, person=player, name=f"{player} of {name}", players=(player,), at_us=1)
        record.meet(player, seal_person(key, person))
    return len(players)


def test_two_hubs_share_a_hall_and_one_is_killed(tmp_path, postgres_server):
    url = postgres_server.url_of(tmp_path)
    one, other = hubs = [Hub(tmp_path / name, "--no-mqtt", "--database", url) for name in ("one", "other")]
    keys, ledger = [Key(secrets.token_bytes(32)) for _number in range(TABLES)], Ledger()
    with contextlib.closing(one), contextlib.closing(other):
        for hub in hubs:
            hub.start()
        with contextlib.closing(HubRecord(tmp_path / "looker", database=url)) as record:
            seats = {met(record, key, f"Table {number}") for number, key in enumerate(keys)}
            ports = [hub.port for hub in hubs]
            senders = [Sender(key, f"t{number}", ports, ledger) for number, key in enumerate(keys)]
            for sender in senders:
                sender.start()
            until(lambda: len(ledger.taken) >= LETTERS and set(ledger.ports.values()) == set(ports), 4 * PATIENCE_S)
            other.kill()  # in the middle of what tables send
            killed_after = len(ledger.taken)
            until(lambda: len(ledger.taken) >= killed_after + LETTERS, 4 * PATIENCE_S)
            for sender in senders:
                sender.ending.set()
            for sender in senders:
                sender.join()
            sessions = [session for sender in senders for session in sender.sent]
            found = judged(record, ledger, sessions)
        assert (ledger.wrong, found["lost"], found["twice"]) == ([], 0, 0)
        assert ledger.sent_again > 0  # the kill met somebody
        other.start()
        standings = one.ask("/v1/standings")
        assert other.ask("/v1/standings") == standings
        assert sum(person["games"] for person in standings) == len(sessions) * seats.pop()
        assert {game["id"] for game in one.ask("/v1/games")} == set(sessions)
