"""How much memory the service takes with the worst games that a ticket may bring, at the start and while it runs."""

import json
import urllib.request

from companion.games import GAMES
from companion.games.sack_stackers.events import Rolled
from companion.house.transfer import MOST_IMPORTS
from companion.journal.events import Entry, Posted, Undone
from companion.journal.record import MOST_LENGTH, chained, content_of, entry_json, header_json, length_of
from companion.journal.session import Session, canonical_json, digest
from tests.fuzz.memory import peak_mb
from tests.service import running
from tests.torture.house import children

MOST_MB = 350  # of each process: a board of 512 MB holds the service, and the system beside it
PATIENCE_S = 120  # a limit, never a pause
# what fills an entry beside its event; the texts and numbers take most memory for their length
READINGS = (None, {"a": ["ab"] * 7_000}, {"a": [999] * 7_000}, {"a": [[[[]]]] * 300})


def longest(session_id, reading):
    """The file of a game as long as it may be, of entries with that reading."""
    game = GAMES["sack_stackers"]
    session = Session(session_id, game.name, game.options(), ("ann", "bob"), 1)
    header = canonical_json(header_json(session))
    lines, before, length = [header, canonical_json({"names": {}})], digest(header), 0
    while True:
        seq = len(lines) - 1
        body = Posted(Rolled((1, 4))) if seq % 2 else Undone(seq - 1)
        entry = Entry(seq, f"e{seq}", body, 1, 1, "tablet", "", reading)
        length += length_of(content_of(session_id, entry))
        if length > MOST_LENGTH:
            return "".join(f"{line}\n" for line in lines).encode()
        before = chained(before, session_id, entry)
        lines.append(canonical_json({**entry_json(session_id, entry), "hash": before}))


def asked(address, data=None):
    with urllib.request.urlopen(urllib.request.Request(address, data), timeout=PATIENCE_S) as answer:
        return answer.read()


def peaks(pid):
    """The peak of each process of the service, in MB."""
    return [peak_mb(pid), *(peak for child in children(pid) for peak in peaks(child))]


def test_ten_of_the_largest_games_fit_into_a_small_board(tmp_path):
    names = [f"longest-{number}" for number in range(MOST_IMPORTS)]
    with running(tmp_path) as service:
        for number, name in enumerate(names):
            taken = asked(f"{service.url}/api/import", longest(name, READINGS[number % len(READINGS)]))
            assert json.loads(taken)["id"] == name
        brought = peaks(service.process.pid)
    with running(tmp_path) as service:
        started = peaks(service.process.pid)
        asked(f"{service.url}/")
        for name in names:
            for page in ("", "/history", "/result", "/result.csv"):
                asked(f"{service.url}/s/{name}{page}")
            asked(f"{service.url}/api/sessions/{name}/export")
            asked(f"{service.url}/api/sessions/{name}/history")
        played = peaks(service.process.pid)
    print(f"MB of each process: brought {brought}, started {started}, looked at {played}")
    assert max(*brought, *started, *played) <= MOST_MB
