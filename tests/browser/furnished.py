"""A house in which every game has been played for a while, served in this process, for tests of its pages."""

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from werkzeug.serving import make_server

from companion.cameras.dice_colours import teach
from companion.cameras.set_up import CameraSetUp
from companion.demo.table import DemoTable
from companion.game.readings import Box, DiceReading, DieReading, Settled
from companion.house.host import Host
from companion.journal import codec
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.shelf import GAMES
from companion.table.table import Table
from tests.parts import connect
from tests.played import FILES, Playthrough, named, read
from tests.wifi_helper import helper_of
from web.app import create_app

NAMES = ("Ann", "Bartholomew", "Cy", "Dorothea", "Eve")  # short and long ones, as at a table
LONG_NAMES = (
    "Maximiliana-Theodora von Hohenstaufen-Ho",
    "Bartholomäus-Maximilian Oberhuber-Grafen",
    "Wilhelmine-Charlotte von Wittelsbach-Wit",
)
MOMENTS = {"begun": 0.0, "midway": 0.55, "late": 0.85, "end": 1.0}
PICTURE = (Path(__file__).parents[1] / "vision/fixtures/dice/scene_00.jpg").read_bytes()
RED = (190.0, 30.0, 40.0)  # the colour of dice that the camera took for orange
HOURS_US = 10**11  # the table time at the start, so that the stamps of a playthrough lie in the past


def fullness(played: Playthrough) -> int:
    """A measure of how full a playthrough's sheets are: its events times its players."""
    return len(played.steps) * len(played.players)


ENDED = sorted((played for played in map(read, FILES) if played.winners is not None), key=fullness)
LONGEST = {played.game: played for played in ENDED}  # game → its fullest playthrough, which comes last


@dataclass(frozen=True)
class Furnished:
    """The house, the address of its pages, and its games: "midway/sack_stackers" → table."""

    host: Host
    url: str
    games: dict[str, Table]

    def at(self, moment: str) -> str:
        """The address of the sheet of a game at a moment."""
        return f"/s/{self.games[moment].session.id}"


@contextlib.contextmanager
def furnished(folder: Path) -> Iterator[Furnished]:
    """Makes and serves a house with every game at four moments of a playthrough, and some games in special states."""
    host = Host(Journal(folder / "journal.sqlite3"))
    host.clock.offset_us += HOURS_US
    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    games = {
        f"{moment}/{game}": played_so_far(host, played, share)
        for game, played in LONGEST.items()
        for moment, share in MOMENTS.items()
    }
    games["widest/sandpile_panic"] = host.create("sandpile_panic", list(NAMES[:2]), {"board_size": 10})
    games["dropping/stack_dice"] = dropping(host)
    games["raced/speedstax"] = raced(host)
    games["running/speedstax"] = running(host)
    games["drawing/swapstax"] = drawing(host)
    games["swapping/swapstax"] = swapping(host)
    games["asking/sack_stackers"] = asking(host)
    games["lying/stack_dice"] = lying(host, folder / "scene.json")
    names = games["end/stack_dice"].names  # the house remembers these people
    host.people.seat(names, set(names.values()) - {NAMES[2]})
    drawn, photographed, *_others = host.people.everybody()
    host.people.choose_face(drawn.id, "fox")
    host.people.keep_face_photo(photographed.id, PICTURE)
    with served(host) as url:
        yield Furnished(host, url, games)


@contextlib.contextmanager
def served(host: Host) -> Iterator[str]:
    """Serves the pages of a house on this machine; yields their address."""
    app = create_app(host)
    app.extensions["wifi"] = helper_of(NAMES)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        host.close()  # ends the streams first: a browser may wait for them when it is closed
        server.shutdown()
        server.server_close()
        thread.join()


def played_so_far(host: Host, played: Playthrough, share: float, names: Sequence[str] = NAMES) -> Table:
    """A playthrough's game, played up to that share of its events."""
    table = host.create(played.game, list(names[: len(played.players)]), played.options)
    ids = dict(zip(played.players, table.session.players, strict=True))
    for step in played.steps[: round(share * len(played.steps))]:
        post(table, named(step.event, ids))
    return table


def post(table: Table, event: dict[str, object], source: str = "tablet") -> None:
    """Posts an event, from an up-to-date tablet or from the box."""
    count = len(table.entries)
    table.submit(codec.event_from_json(GAMES[table.session.game], event), Origin(f"e{count}", source=source))


def dropping(host: Host) -> Table:
    """Stack, with the dice to be dropped: the page with the most to tap."""
    table = host.create("stack_dice", list(NAMES[:2]), {})
    first, second = table.session.players
    post(table, {"kind": "StartRolled", "rolls": [[first, 4], [second, 3]]})
    return table


def raced(host: Host) -> Table:
    """SPEEDSTAX, with presses at the box whose stamps are as long as after a day of table time."""
    table = host.create("speedstax", list(LONG_NAMES), {})
    for player in table.session.players:
        post(table, {"kind": "Readied", "player": player})
    at_us = host.clock.now_us() - 60_000_000
    post(table, {"kind": "Started", "at_us": at_us}, "button")
    for number, player in enumerate(table.session.players, start=1):
        post(table, {"kind": "Shouted", "player": player, "at_us": at_us + 9_710_151 * number}, "button")
    return table


def running(host: Host) -> Table:
    """SPEEDSTAX with the clock counting."""
    table = host.create("speedstax", list(NAMES[:4]), {})
    for player in table.session.players:
        post(table, {"kind": "Readied", "player": player})
    post(table, {"kind": "Started", "at_us": -1})
    return table


def drawing(host: Host) -> Table:
    """SWAPSTAX, with all cards to choose from but one."""
    table = host.create("swapstax", list(NAMES[:3]), {})
    first, *_others = table.session.players
    post(table, {"kind": "ShufflerNamed", "shuffler": first})
    post(table, {"kind": "Drew", "player": first, "card": 17})
    return table


def swapping(host: Host) -> Table:
    """SWAPSTAX, with cards to be swapped among three players with the longest names allowed."""
    table = host.create("swapstax", list(LONG_NAMES), {})
    first, second, third = table.session.players
    post(table, {"kind": "ShufflerNamed", "shuffler": first})
    for card, player in enumerate((first, second, third), start=1):
        post(table, {"kind": "Drew", "player": player, "card": card})
    return table


def asking(host: Host) -> Table:
    """Sack Stackers, with a die the camera doubts and one it could not read."""
    table = host.create("sack_stackers", list(NAMES[:3]), {})
    doubt(host)
    return table


def doubt(host: Host) -> None:
    """Has the camera doubt one die and not read another."""
    doubtful = DieReading(5, 50, 50, 40, 40, 0, "white", 0.6, False, ((5, 0.6), (6, 0.39), (2, 0.001)))
    host.on_reading(Settled(DiceReading(640, 480, (doubtful,), (Box(9, 9, 40, 40),)), 1, 2, PICTURE, (PICTURE,) * 2))


def lying(host: Host, scene: Path) -> Table:
    """Stack, under a camera that has seen dice, and was shown before what red looks like."""
    table = host.create("stack_dice", list(NAMES[:2]), {})
    scene.write_text(json.dumps(teach({}, "red", [RED])))
    connect(host, camera_set_up=CameraSetUp(scene, lambda _command: None, host.clock, lambda _watched: None))
    die = DieReading(5, 50, 50, 40, 40, 0, "orange", 0.99, True, ((5, 0.99),), 0.97, RED)
    host.looks.take(table, Settled(DiceReading(640, 480, (die,) * 3), 1, 2, PICTURE, (PICTURE,) * 3))
    return table
