"""How much memory the service takes with the worst games that a ticket may bring, at the start and while it runs."""

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from companion.games.sack_stackers.events import Rolled
from companion.house.transfer import MOST_IMPORTS
from companion.journal.events import Entry, Posted, Undone
from companion.journal.record import MOST_LENGTH, chained, content_of, entry_json, header_json, length_of
from companion.journal.session import Session, canonical_json, digest
from companion.shelf import GAMES
from tests.fuzz.memory import peak_mb
from tests.service import REAL, running
from tests.torture.house import children

MOST_MB = 350  # of each process: a board of 512 MB holds the service, and the system beside it
PATIENCE_S = 120  # a limit, never a pause
AT_ONCE, WAIT_S = 60, 500  # large answers, and how long the last of them may take: they come in turns
LARGE = ("/s/{}/result.csv", "/api/sessions/{}/export", "/api/sessions/{}/history", "/s/{}/result")
# what fills an entry beside its event; the texts and numbers take most memory for their length
READINGS = (None, {"a": ["ab"] * 7_000}, {"a": [999] * 7_000}, {"a": [[[[]]]] * 300})


def longest(session_id, reading):
    """The file of a game as long as it may be, of entries with that reading."""
    game = GAMES["sack_stackers"]
    session = Session(session_id, game.rules.name, game.rules.options(), ("ann", "bob"), 1)
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


def length_of_answer(address):
    """The bytes of an answer, which is not kept."""
    with urllib.request.urlopen(address, timeout=WAIT_S) as answer:
        return sum(map(len, iter(lambda: answer.read(65_536), b"")))


def peaks(pid):
    """The peak of each process of the service, in MB."""
    return [peak_mb(pid), *(peak for child in children(pid) for peak in peaks(child))]


def test_ten_of_the_largest_games_fit_into_a_small_board_and_all_that_is_asked_of_them_at_once(tmp_path):
    names = [f"longest-{number}" for number in range(MOST_IMPORTS)]
    with running(tmp_path, program=REAL) as service:
        for number, name in enumerate(names):
            taken = asked(f"{service.url}/api/import", longest(name, READINGS[number % len(READINGS)]))
            assert json.loads(taken)["id"] == name
        brought = peaks(service.process.pid)
    with running(tmp_path, program=REAL) as service:
        started = peaks(service.process.pid)
        asked(f"{service.url}/")
        for name in names:
            for page in ("", "/history"):
                asked(f"{service.url}/s/{name}{page}")
        pages = [page.format(name) for page in LARGE for name in names]
        alone = {page: length_of_answer(service.url + page) for page in pages}
        played = peaks(service.process.pid)
        many = (2 * pages)[:AT_ONCE]
        with ThreadPoolExecutor(AT_ONCE) as devices:  # this machine may ask as much at once as four others
            lengths = list(devices.map(lambda page: length_of_answer(service.url + page), many))
        attacked = peaks(service.process.pid)
    print(f"MB of each process: brought {brought}, started {started}, looked at {played}, all at once {attacked}")
    assert lengths == [alone[page] for page in many]
    assert max(*brought, *started, *played, *attacked) <= MOST_MB
