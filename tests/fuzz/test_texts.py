"""Scene files, exported games and API bodies made of nonsense: each is taken or refused with one sentence, in time."""

import json
import subprocess
import sys
import time
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import CompanionError
from companion.games.sack_stackers.events import Placed, Rolled
from companion.house.host import Host
from companion.house.transfer import LONGEST_FILE
from companion.journal.events import Origin
from companion.journal.session import canonical_json, digest
from companion.journal.store import Journal
from vision.scene.file import load_scene, scene_of
from web.app import create_app

LONGEST_S, MOST_MB = 5.0, 500
ONE_FOLDER = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])

NUMBERS = st.one_of(
    st.integers(), st.floats(), st.sampled_from([0, -1, 2**31, 2**53 + 1, 10**400, -(10**400), 1e308, float("nan")])
)
WORDS = st.one_of(
    st.text(max_size=20), st.sampled_from(["", "\x00", "\ud800", "../../etc/passwd", "<script>", "a" * 5_000, "１"])
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
DEEP = "[" * 100_000 + "]" * 100_000


def is_a_sentence(text):
    return bool(text) and text.rstrip().endswith((".", "!", "?")) and "\n" not in text and "Traceback" not in text


def refused_or_taken(act):
    """Whether it was taken; a refusal must be a sentence, and either must come in time."""
    began_s = time.process_time()
    try:
        act()
        said = "Taken."
    except CompanionError as refusal:
        said = str(refusal)
    assert is_a_sentence(said)
    assert time.process_time() - began_s < LONGEST_S
    return said == "Taken."


# scene files

SCENE_KEYS = ("colour_rgb", "camera", "markers", "die_size_mm", "name", "board", "dice")
CAMERA_KEYS = ("width", "height", "fx", "fy", "cx", "cy", "dist", "R_world_to_cam", "t_mm")
SCENES = st.dictionaries(
    st.sampled_from(SCENE_KEYS),
    JSON
    | st.dictionaries(st.sampled_from(CAMERA_KEYS), JSON)
    | st.lists(st.dictionaries(st.sampled_from(("id", "dictionary", "corners_mm")), JSON), max_size=2),
)


@ONE_FOLDER
@given(fields=SCENES)
def test_a_scene_of_nonsense_is_a_sentence(fields):
    refused_or_taken(lambda: scene_of(fields))


@ONE_FOLDER
@given(content=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode("utf-8", "replace")))
def test_any_scene_file_is_a_scene_or_a_sentence(tmp_path, content):
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    refused_or_taken(lambda: load_scene(path))


@pytest.mark.parametrize("text", [DEEP, '{"a":' * 50_000, "1" * 100_000, "[" + "9" * 5_000 + "]", "NaN", "\ufeff{}"])
def test_a_scene_file_that_bursts_is_a_sentence(tmp_path, text):
    path = tmp_path / "scene.json"
    path.write_text(text)
    refused_or_taken(lambda: load_scene(path))


# exported games


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A game as another house exported it, and a house to take it over."""
    folder = tmp_path_factory.mktemp("games")
    house = Host(Journal(folder / "here.sqlite3"))
    table = house.create("sack_stackers", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    events = (Rolled((1, 4)), Placed(ann, 1, 1, "I", "I", 4), Placed(bob, 1, 1, "I", "I", 4), Rolled((2, 2)))
    for number, event in enumerate(events):
        table.submit(event, Origin(f"e{number}"))
    table.undo(Origin("u"))
    other = Host(Journal(folder / "there.sqlite3"))
    yield house.transfer.export(table.session.id), other
    house.journal.close()
    other.journal.close()


@ONE_FOLDER
@given(seed=st.integers(0, 10**9))
def test_a_game_file_with_damaged_bytes_is_a_sentence(exported, seed):
    text, other = exported
    random, damaged = Random(seed), bytearray(text.encode())
    for _ in range(random.choice((1, 2, 20))):
        at = random.randrange(len(damaged))
        match random.randrange(3):
            case 0:
                damaged[at] = random.randrange(256)
            case 1:
                del damaged[at : at + random.randrange(200)]
            case 2:
                damaged[at:at] = damaged[: random.randrange(200)]
    refused_or_taken(lambda: other.transfer.take(damaged.decode("utf-8", "replace")))


@ONE_FOLDER
@given(data=st.data())
def test_a_game_file_forged_with_a_fitting_chain_is_a_sentence(exported, data):
    """Anybody can make the hashes fit; what then is nonsense must still be found."""
    text, other = exported
    lines = [json.loads(line) for line in text.splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.sampled_from(lines))
        key = data.draw(st.sampled_from(sorted(where)))
        if isinstance(where[key], dict) and where[key] and data.draw(st.booleans()):
            where, key = where[key], data.draw(st.sampled_from(sorted(where[key])))
        where[key] = data.draw(JSON)
    refused_or_taken(lambda: other.transfer.take(chained_anew(lines)))


def chained_anew(lines):
    try:
        header, names, *entries = lines
        previous = digest(canonical_json(header))
        for entry in entries:
            entry.pop("hash", None)
            previous = digest(previous + canonical_json(entry))
            entry["hash"] = previous
        return "".join(canonical_json(line) + "\n" for line in (header, names, *entries))
    except (ValueError, OverflowError):  # what has no canonical form: NaN, a lone surrogate
        return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize("text", [DEEP, "\n" * 500_000, "{}\n" * 200_001, "\x00" * 100_000, '{"names":' * 50_000])
def test_a_game_file_that_bursts_is_a_sentence(exported, text):
    header, names, *_ = exported[0].splitlines()
    deep_options = header.replace('"options":{', '"options":{"mirror":' + DEEP + ",")
    for before in ("", header, f"{header}\n{names}", deep_options):
        assert not refused_or_taken(lambda before=before: exported[1].transfer.take(f"{before}\n{text}"))
    assert not refused_or_taken(lambda: exported[1].transfer.take(text))


MEMORY = """
import sys
from companion.errors import CompanionError
from companion.journal.export import read_game_file
piece, most_bytes = sys.argv[1].encode().decode("unicode_escape"), int(sys.argv[2])
try:
    read_game_file((sys.stdin.readline() + piece * (most_bytes // len(piece)))[:most_bytes])
except CompanionError:
    pass
from tests.fuzz.memory import peak_mb
print(peak_mb())
"""


@pytest.mark.parametrize("piece", ["{}\\n", "\\r", "\\n", "[", '{"a":', '"a",'])
def test_the_largest_game_file_of_nonsense_takes_little_memory(exported, piece):
    header = exported[0].partition("\n")[0] + "\n"
    command = [sys.executable, "-c", MEMORY, piece, str(LONGEST_FILE)]
    done = subprocess.run(command, input=header, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) < MOST_MB


def test_a_game_with_ten_thousand_corrections_is_taken_or_refused_in_time(exported):
    """Undo and redo without end: the longest game that a file of some megabytes can hold must not hold up the table."""
    text, other = exported
    lines = [json.loads(line) for line in text.splitlines()]
    header, names, first, *_ = lines
    header["session"] = "ten-thousand-corrections"
    entries = [first | {"session": header["session"]}]
    for seq in range(2, 10_001):
        entries.append(entries[0] | {"seq": seq, "id": f"u{seq}", "body": {"undone": seq - 1, "also": []}})
    refused_or_taken(lambda: other.transfer.take(chained_anew([header, names, *entries])))


# API bodies


@pytest.fixture
def client(host):
    return create_app(host).test_client()


POSTS = ("events", "undo", "strike", "amend", "hold", "proposals/none/confirm", "proposals/none/correct")
BODY_KEYS = (
    "event_id",
    "seen_seq",
    "event",
    "seq",
    "also",
    "ruled",
    "preview",
    "corrections",
    "kind",
    "dice",
    "player",
)
BODIES = JSON | st.dictionaries(st.sampled_from(BODY_KEYS), JSON)


def answered(client, path, content):
    began_s = time.process_time()
    answer = client.post(path, data=content, content_type="application/json")
    assert time.process_time() - began_s < LONGEST_S
    assert answer.status_code < 500
    if answer.status_code >= 400:
        assert is_a_sentence(answer.get_json()["error"]), answer.get_json()


@ONE_FOLDER
@given(what=st.sampled_from(POSTS), body=BODIES)
def test_an_api_body_of_nonsense_is_a_sentence(client, sack, what, body):
    answered(client, f"/api/sessions/{sack.session.id}/{what}", json.dumps(body).encode("utf-8", "replace"))


@ONE_FOLDER
@given(data=st.data())
def test_an_event_of_nonsense_is_a_sentence(client, sack, data):
    kind = data.draw(st.sampled_from([one.__name__ for one in sack.game.rules.events]))
    fields = data.draw(st.dictionaries(st.sampled_from(("dice", "player", "first", "second", "why", "points")), JSON))
    body = {"event_id": "e", "seen_seq": sack.seq, "event": {"kind": kind, **fields}}
    answered(client, f"/api/sessions/{sack.session.id}/events", json.dumps(body).encode("utf-8", "replace"))


@ONE_FOLDER
@given(body=st.dictionaries(st.sampled_from(("game", "players", "options", "preset", "session_id")), JSON))
def test_a_session_of_nonsense_is_a_sentence(client, body):
    game = body if "game" in body else {"game": "stack_dice", **body}
    answered(client, "/api/sessions", json.dumps(game).encode("utf-8", "replace"))


@ONE_FOLDER
@given(content=st.binary(max_size=300))
def test_bytes_of_nonsense_are_a_sentence(client, sack, content):
    for path in ("/api/sessions", "/api/import", f"/api/sessions/{sack.session.id}/events"):
        answered(client, path, content)


@pytest.mark.parametrize("text", [DEEP, '{"event_id":' * 50_000, "[" + "9" * 900_000 + "]", '"' + "a" * 900_000 + '"'])
def test_a_body_that_bursts_is_a_sentence(client, sack, text):
    for path in ("/api/sessions", f"/api/sessions/{sack.session.id}/events"):
        answered(client, path, text.encode())
