"""Each bench runs, at a size at which its speed says nothing: the rows that it promises are there, with figures."""

import json
import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from click.testing import CliRunner

from companion.app.bench.command import NAMES, bench
from companion.app.bench.dice import OWN_SCENES
from companion.app.bench.rules import IN_PIECES, PAGES
from companion.games.pack_and_stack.bench import LARGER
from companion.shelf import GAMES
from tests.benches.__main__ import BENCHES
from tests.benches.__main__ import bench as bench_of_a_checkout
from tests.processes.test_mqtt import MOSQUITTO
from vision.training.filmed.by_hand import GROUNDS

NOWHERE = Path("no photographs are beside this checkout")
MAY_BE_NONE = (
    "late",
    "processor for each event",
    "processor of the hub for a game",
)  # in ticks of frames or the kernel
ONE_GAME = dict(islice(GAMES.items(), 1))


@dataclass(frozen=True)
class Small:
    """A bench at its smallest.

    module      where its sizes stand
    sizes       the names of these, and what they are here
    values      the rows that it promises with a value, by their names up to a comma
    counts      those with a count → of how many, None where that depends on what is drawn
    labels      whether it reads pictures of dice that have to be named
    """

    module: str
    sizes: Mapping[str, Any]
    values: frozenset[str]
    counts: Mapping[str, int | None]
    labels: bool = False


def small(module: str, values: str, counts: Mapping[str, int | None], labels: bool = False, **sizes: Any) -> Small:
    return Small(module, sizes, frozenset(filter(None, values.split("|"))), counts, labels)


DICE_COUNTS = {
    "photos entirely right": 2, "silent errors": 2, "dice found with the right value": 54, "silent": 54, "asked": 54,
    "dice missed": 54, "dice with a wrong value": 54, "body colour right": 48, "colour right among the photo's": 48,
}  # fmt: skip
DICE = small(
    "companion.app.bench.dice",
    "photographs of|silent errors|silent|false dice|dice left out: ignored|time a photo|model files of the dice|"
    "model files together|multiply-adds a read|peak memory of this process",
    {**DICE_COUNTS, "right of the dice stated at": None},
    labels=True,
)
OF_FOUND = {**DICE_COUNTS, "body colour right": None, "colour right among the photo's": None}
FRAME = "time a frame"
MATCHED = {"same or different right": 4, "verdict wrong and not asked": 4, "verdict asked": 4}
SMALL = {
    "dice": DICE,
    "scenes": DICE,
    "idle": small(
        "companion.app.bench.idle",
        "idle: the service|idle: its camera's process|idle: both|idle: wakeups a second|idle: memory (Pss)", {},
        SETTLE_S=0.5, MEASURED_S=1.0,
    ),
    "loads": small(
        "companion.games.pack_and_stack.bench",
        "best load", {"proven within 2 s": 1}, ROLLS=1, LARGER_ROLLS=1, LARGER=LARGER[:1],
    ),
    "phone": small(
        "companion.app.bench.phone",
        "pictures taken a second|rest to tablet", {}, RATE_S=1.0, THROWS=1, EMPTY_S=2.0,
    ),
    "photo": small(
        "companion.app.bench.photo",
        "photo to entry|photo to question|memory of the reader", {},
        MEGAPIXELS=(1.2,), TIMES=1, ASKED_MEGAPIXELS=(1.2,),
    ),
    "rules": small(
        "companion.app.bench.rules",
        "|".join((
            "legal() for everybody|view()|fold 20 entries|fold 40 entries",
            *(f"{what} of {length} entries" for what in ("history told", *PAGES) for length in (20, 40)),
            *(f"memory for {what} of {length} entries" for what in IN_PIECES for length in (20, 40)),
            *(f"one event {what} at 20 entries" for what in ("applied and on disk", "shown", "undone")),
        )),
        {}, GAMES=ONE_GAME, LENGTHS=(20, 40), NOT_FULL=(20,), GROWN=(20, 40), LONGEST_GAME=20, TRIES=2,
    ),
    "sandpile": small(
        "companion.games.sandpile_panic.bench",
        "all outcomes|growth with one topple more|distinct outcomes|play from tops|page|legal events|"
        "legal events and one of them",
        {"all outcomes within the bound": 1}, SIZES=(5,), MOST_TOPPLES=2, BOARDS=1, REPEATS=1, RANDOM_BOARDS=300,
    ),
    "web": small(
        "companion.app.bench.web",
        "until all are open|table's own screen asks|tap until told|tap until shown|processor for each event|"
        "memory for the streams|threads of the service|memory of the service|file handles more at the end",
        {}, EVENTS=2, EVENTS_FETCHED=2, FETCHED_PAUSE_S=0.2, LOADS=(2,), TABLETS=2, WATCHERS=3, GAMES=2, GAME_EVENTS=2,
        WARM_GAMES=1, RECONNECTS=4,
    ),
    "board": small(
        "tests.benches.readers",
        FRAME,
        {"cells right": 81, "silent errors": 81, "asked": 81, "boards right": 1, "boards accepted": 1,
         "heights right": None},
        SHARED=NOWHERE, DRAWN={"board": 1},
    ),
    "building": small("tests.benches.tower", FRAME, MATCHED, FILMS=2),
    "card": small(
        "tests.benches.readers",
        FRAME, {"cards right": 1, "silent errors": 1, "asked": 1, "unknown cards not taken for known": 1},
        DRAWN={"card": 1},
    ),
    "held": small(
        "tests.benches.watch",
        "watching a picture",
        {"throws told": 2, "told while a die moved": 2, "same dice told twice": 2, "nudged die told": 1,
         "dice read rightly": None, "accepted wrong value": None, "accepted die where none lies": None,
         "asked about": None},
        HELD_SIZES_PX=((320, 576),), CLIPS=1, GROUNDS={"wood": GROUNDS["wood"]},
    ),
    "hub": small(
        "tests.benches.hub",
        "memory of the hub|a change is on the board|processor of the hub meanwhile|looks at the board meanwhile|"
        "games taken a second|processor of the hub for a game|games taken in a second of the hub's own processor|"
        "processor of the simulated tables meanwhile|a game is taken|the board's part that changes|"
        "memory of its Mosquitto|/ with 2 tournaments that ended / with none|"
        "/v1/live with 2 tournaments that ended / with none",
        {"changes that the board has shown": 4, "games refused": 4},
        SCALES=(2,), LIVE_S=2.0, GAMES_SENT=4, READS=3, EACH_S=1.0, ENDED=2,
    ),
    "load": small(
        "tests.benches.readers",
        FRAME,
        {"left-overs exactly right": 1, "silent errors": None, "left-overs asked": 1, "squares right": 15, "asked": 15,
         "told the roll: left-overs exactly right": 1, "told the roll: silent errors": 1,
         "told the roll: left-overs asked": 1},
        SHARED=NOWHERE, DRAWN={"load": 1},
    ),
    "mat": small(
        "tests.benches.mat",
        "off on the table|direction off|time",
        {"place found": 3, "off by more than 2 mm and no warning": 3, "right mat told": 3},
        SHARED=NOWHERE, DRAWN=3,
    ),
    "stacks": small(
        "tests.benches.readers",
        f"{FRAME}|stacks read where none is",
        dict.fromkeys(
            ("found", "top value right", "top colour right", "height right", "height asked", "silent height errors",
             "silent value errors")
        ),
        SHARED=NOWHERE, DRAWN={"stacks": 1},
    ),
    "thrown": small(
        "tests.benches.thrown",
        "photographs of", {"throws told": 2, "dice read": None, "no dice": None}, labels=True,
    ),
    "tower": small(
        "tests.benches.tower",
        "minutes without a fall|false alarms in them|late|time a frame",
        {"falls seen": 1, "falls with a false alarm before them": 1, "falls seen within 200 ms": 1},
        SHARED=NOWHERE, MINUTES=0.1, FALLS=1, PLAYS=1,
    ),
    "tutorial": small("tests.benches.tutorial", "silent errors|silent|false dice", OF_FOUND, labels=True),
    "watch": small(
        "tests.benches.watch",
        "ready after the last die rests|idle at 15 frames a second",
        {"throws told": 1, "ready later than 250 ms": 1, "told while a die moved": 1, "told with a hand in view": 3,
         "the same": 3, "hand taking dice told as a roll": 1, "same dice told twice": 3, "nudged die told": 1},
        SIZES_PX=((640, 480),), ROUNDS=1, GROWTH=(1,), THROWS=1,
    ),
}  # fmt: skip


@pytest.fixture
def scenes(tmp_path):
    """A folder with two of our own scenes and their labels."""
    folder = tmp_path / "scenes"
    folder.mkdir()
    entries = [each for each in json.loads((OWN_SCENES / "labels.json").read_text()) if each["dice"]][:2]
    for entry in entries:
        copy(OWN_SCENES / entry["image"], folder)
    (folder / "labels.json").write_text(json.dumps(entries))
    return folder


@pytest.mark.parametrize("name", sorted({*NAMES, *BENCHES}))
def test_a_bench_has_the_rows_that_it_promises(monkeypatch, tmp_path, scenes, name):
    if name == "hub":
        pytest.importorskip("paho.mqtt.client", reason="requirements-hub.lock is not installed")
    if name == "hub" and MOSQUITTO is None:
        pytest.skip("no Mosquitto here, so that a hall can be measured stays unshown: make broker")
    one = SMALL[name]
    for size, value in one.sizes.items():
        monkeypatch.setattr(f"{one.module}.{size}", value)
    labels = ("--labels", str(scenes)) if one.labels else ()
    command = bench_of_a_checkout if name in BENCHES else bench
    arguments = [name, "--json", "--out", str(tmp_path / "out"), *labels]
    with ThreadPoolExecutor(1) as apart:  # Playwright begins once in a thread, and other tests of this process have it
        said = apart.submit(CliRunner().invoke, command, arguments, catch_exceptions=False).result()
    assert said.exit_code == 0, said.output
    rows = [row | {"name": row["name"].partition(",")[0]} for row in json.loads(said.stdout)["benches"][name]]
    counted, valued = ([row for row in rows if key in row] for key in ("total", "value"))
    assert {row["name"] for row in valued} == one.values
    assert {row["name"] for row in counted} == one.counts.keys()
    assert [row for row in valued if not math.isfinite(row["value"])] == []
    assert [
        row for row in valued if row["unit"] in ("ms", "s") and row["name"] not in MAY_BE_NONE and row["value"] <= 0
    ] == []
    assert [row for row in counted if not 0 <= row["count"] <= row["total"]] == []
    assert [row for row in counted if one.counts[row["name"]] not in (None, row["total"])] == []
    if name == "hub":  # one that refuses games, or a board that misses changes, would be measured as a quick one
        exact = {row["name"]: row["count"] for row in counted}
        assert exact == {"changes that the board has shown": 4, "games refused": 0}
