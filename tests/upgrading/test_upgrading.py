"""From older checkouts with games in the middle: they go on here, and the older program has its way back.

Each older program runs from its own files, in an environment of its own locks. What is played comes from its own
playthroughs, whose points were worked out by hand.
"""

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from companion.house.host import Host
from companion.journal.backup import written_by
from companion.journal.schema import VERSION
from companion.journal.store import Journal
from tests.browser.furnished import post
from tests.played import named, read
from tests.upgrading.checkouts import check_out

ROOT = Path(__file__).parents[2]
COMMITS = ("04e3daa", "372dcba3", "32b7f72b")
TIMED = ("speedstax", "samestax", "swapstax")  # Their clocks run while nobody plays.
JOURNAL = "journal.sqlite3"
HOURS_US = 10**11  # The stamps of a playthrough have to lie in the past, however short this machine has been up.
# Plays in the older program's own code: where its service ran, its clock would end each round at once.
PLAY = """\
import json, sys
from pathlib import Path
try:
    from companion.house.host import Host
    from companion.journal import codec
    from companion.journal.store import Journal
except ImportError:  # as 04e3daa has them
    from companion import codec
    from companion.host import Host
    from companion.journal import Journal
from companion.games import GAMES

told = json.loads(sys.argv[2])
host = Host(Journal(Path(sys.argv[1])))
if not host.sessions():
    host.clock.offset_us += told["hours_us"]
table = host.create(told["game"], told["names"], told["options"])
seats = dict(zip(told["players"], table.session.players))
for number, text in enumerate(told["events"]):
    for player in told["players"]:
        text = text.replace(json.dumps(player), json.dumps(seats[player]))
    event = codec.event_from_json(GAMES[table.session.game], json.loads(text))
    table.submit(event, event_id=f"event-{number}", seen_seq=None, source="tablet")
host.close()
print(json.dumps([table.session.id, seats]))
"""
NAMES = ("Ann", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hal")


class Program:
    """A companion of some version: the Python and the folder that it runs from."""

    def __init__(self, python, folder):
        self.python, self.folder = python, folder

    def run(self, *words):
        """A command that ends."""
        return subprocess.run(self.command(*words), **self.place(), capture_output=True, text=True, timeout=120)

    def command(self, *words):
        return [str(self.python), "-m", "companion", *map(str, words)]

    def play(self, data, played, steps):
        """A game of these steps, entered by the program's own code: its id, and player → seat."""
        told = {"game": played.game, "names": NAMES[: len(played.players)], "options": played.options}
        told |= {"players": played.players, "events": [json.dumps(step.event) for step in steps], "hours_us": HOURS_US}
        command = [str(self.python), "-c", PLAY, str(data / JOURNAL), json.dumps(told)]
        done = subprocess.run(command, **self.place(), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def place(self):
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {"cwd": self.folder, "env": {**env, "PYTHONPATH": str(self.folder)}}

    @contextlib.contextmanager
    def serving(self, data):
        """(a function that calls its API, what it said before it was ready)."""
        words = ("run", "--camera", "none", "--host", "127.0.0.1", "--port", 0, "--data", data)
        process = subprocess.Popen(
            self.command(*words), **self.place(), stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            said = []
            for line in process.stdout:
                said.append(line.strip())
                if line.startswith("Ready at "):
                    break
            assert said, "it ended before it was ready"
            assert said[-1].startswith("Ready at "), said
            yield functools.partial(call, said[-1].removeprefix("Ready at ")), said
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)
            process.stdout.close()


def call(address, path, body=None):
    """The JSON of an answer; an assertion with its sentence where it is a refusal."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refusal:
        raise AssertionError(f"{path}: {refusal.code} {refusal.read().decode()}") from refusal


@pytest.fixture(scope="module", params=COMMITS)
def older(request, tmp_path_factory):
    """The program of an older commit."""
    commit = request.param
    folder = tmp_path_factory.mktemp(commit)
    check_out(commit, folder / "checkout")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    for lock in ("run", "vision"):
        locked = folder / f"checkout/requirements-{lock}.lock"
        if subprocess.run([*pip, "-r", locked], capture_output=True).returncode:
            pytest.skip(f"the packages of {commit} can't be had here")
    return Program(python, folder / "checkout")


@pytest.fixture(scope="module")
def newer():
    return Program(sys.executable, ROOT)


def playthroughs(checkout):
    """One whole game of each kind, by its own commit's playthroughs: the longest that ends."""
    files = sorted((checkout / "tests/playthroughs").glob("*/*.txt"))
    ended = [played for path in files if (played := read(path)).winners is not None]
    return list({played.game: played for played in sorted(ended, key=lambda played: len(played.steps))}.values())


def middle(played):
    """How many events are played by the older program; of a timed game up to the end of a round, when no clock runs."""
    half = len(played.steps) // 2
    kinds = [step.event["kind"] for step in played.steps]
    return kinds.index("RoundClosed", half) + 1 if played.game in TIMED else half


def play(ask, session, played, seats, steps):
    """Enters some of the events of a playthrough."""
    for number in steps:
        event = named(played.steps[number].event, seats)
        ask(f"/api/sessions/{session}/events", {"event": event, "event_id": f"event-{number}", "seen_seq": number})


def points(ask, session, played, seats):
    """The points that a table tells, by the playthrough's own names."""
    told = ask(f"/api/sessions/{session}")["score"]
    return {player: told[seat] for player, seat in seats.items()}


def enter(ask, session, *events):
    """Enters events that are played now."""
    for event in events:
        newest = ask(f"/api/sessions/{session}")["seq"]
        body = {"event": event, "event_id": f"played-{newest}", "seen_seq": newest}
        ask(f"/api/sessions/{session}/events", body)


@pytest.fixture(scope="module")
def house(older, tmp_path_factory):
    """A house that the older program kept, with games in the middle and a race: its folder, the games, the race."""
    data, games = tmp_path_factory.mktemp("house"), {}
    for played in playthroughs(older.folder):
        if played.game in TIMED:
            session, seats = older.play(data, played, played.steps[: middle(played)])
            games[session] = (played, seats, middle(played))
    with older.serving(data) as (ask, _said):
        for session, (played, seats, half) in games.items():
            assert points(ask, session, played, seats) == played.steps[half - 1].score, played.game
        for played in playthroughs(older.folder):
            if played.game in TIMED:
                continue
            body = {"game": played.game, "players": list(NAMES[: len(played.players)]), "options": played.options}
            begun = ask("/api/sessions", body)
            seats = dict(zip(played.players, (player["id"] for player in begun["players"]), strict=True))
            half = middle(played)
            play(ask, begun["id"], played, seats, range(half))
            assert points(ask, begun["id"], played, seats) == played.steps[half - 1].score
            games[begun["id"]] = (played, seats, half)
        race = ask("/api/sessions", {"game": "speedstax", "players": ["Ann", "Ben"]})
        runners = [player["id"] for player in race["players"]]
        enter(ask, race["id"], *({"kind": "Readied", "player": runner} for runner in runners))
        enter(ask, race["id"], {"kind": "Started", "at_us": -1})
    assert len(games) == 7
    return data, games, race["id"]


@pytest.fixture
def kept(house, tmp_path):
    """A copy of that house, its games and its race."""
    return Path(shutil.copytree(house[0], tmp_path / "house")), *house[1:]


def test_games_in_the_middle_go_on_to_the_points_worked_out_by_hand(newer, kept):
    data, games, race = kept
    before = written_by(data / JOURNAL)
    with newer.serving(data) as (ask, said):
        assert [game for game in ask("/api/sessions") if game["unreadable"]] == []
        ask(f"/api/sessions/{race}/undo", {"event_id": "undone", "seen_seq": ask(f"/api/sessions/{race}")["seq"]})
        enter(ask, race, {"kind": "Started", "at_us": -1})
        for session, (played, seats, half) in games.items():
            assert points(ask, session, played, seats) == played.steps[half - 1].score, played.game
            if played.game in TIMED:
                continue
            play(ask, session, played, seats, range(half, len(played.steps)))
            assert points(ask, session, played, seats) == played.steps[-1].score, played.game
            assert ask(f"/api/sessions/{session}")["over"], played.game
    with contextlib.closing(Host(Journal(data / JOURNAL))) as host:
        for session, (played, seats, half) in games.items():
            table = host.table(session)
            for step in played.steps[half:] if played.game in TIMED else ():
                post(table, named(step.event, seats))
                score = table.game.rules.score(table.state)
                assert {player: score[seat] for player, seat in seats.items()} == step.score, (played.game, step.line)
            won = table.game.rules.winners(table.state)
            assert {player for player, seat in seats.items() if seat in won} == set(played.winners), played.game
    copies = list(data.glob("backups/before-*.sqlite3"))
    assert written_by(data / JOURNAL) == VERSION
    assert len(copies) == (before < VERSION)
    for copy in copies:  # It was told before the table was ready.
        assert any(str(copy) in sentence for sentence in said[:-1])


def test_the_older_program_goes_on_or_says_why_not_and_has_a_copy_to_go_back_to(older, newer, kept):
    data, games, _race = kept
    before = written_by(data / JOURNAL)
    with newer.serving(data):
        pass
    if before < VERSION:
        journal = (data / JOURNAL).read_bytes()
        refused = older.run("run", "--camera", "none", "--port", "0", "--data", data)
        assert refused.returncode == 1
        assert "newer" in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
        assert (data / JOURNAL).read_bytes() == journal
        (copy,) = data.glob("backups/before-*.sqlite3")
        data = data.with_name("gone back")
        back = older.run("restore", copy, "--data", data)
        assert back.returncode == 0, back.stderr
    with older.serving(data) as (ask, _said):
        for session, (played, seats, half) in games.items():
            assert points(ask, session, played, seats) == played.steps[half - 1].score, played.game
            if played.game in TIMED:
                continue
            play(ask, session, played, seats, range(half, half + 1))
            assert points(ask, session, played, seats) == played.steps[half].score, played.game
