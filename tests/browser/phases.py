"""Every game at each thing that its headline asks for, with all that a page may say beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from companion.house.host import Host
from companion.table.table import Table
from tests.browser.conftest import deliberate_tap
from tests.browser.furnished import NAMES, post
from tests.played import named

EVEN = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6]  # the faces of one player's dice in Stack
LOAD = [2, 1, 1, 0, 1]
US_AGO = 20_000_000  # a race began so long ago
MAIN = "#main-tap button"


@dataclass(frozen=True)
class Phase:
    """What is to be done at a table.

    events  what happened before, with seat numbers as players; their at_us counts from US_AGO before now
    task    what the headline asks for, as selectors of what has to be seen
    seat    whose page it is, None for the page of the whole table
    taps    what is chosen on the page first
    """

    game: str
    events: tuple[Mapping[str, object], ...]
    task: str
    seat: int | None = 0
    taps: tuple[str, ...] = ()
    players: int = 3
    options: Mapping[str, object] | None = None

    def begin(self, host: Host) -> Table:
        """A table of its own in this phase."""
        table = host.create(self.game, list(NAMES[: self.players]), dict(self.options or {}))
        ids = {str(seat): player for seat, player in enumerate(table.session.players)}
        for event in self.events:
            stamps = {name: host.clock.now_us() - US_AGO + at for name, at in event.items() if name == "at_us"}
            post(table, named({**event, **stamps}, ids))
        return table

    def open(self, page: Page, host: Host, table: Table) -> None:
        """Its page, once it listens, with what is chosen."""
        player = "" if self.seat is None else table.session.players[self.seat]
        page.goto(f"/s/{table.session.id}?player={player}")
        page.locator("body[data-line=open]").wait_for()
        page.wait_for_function("document.fonts.status === 'loaded'")
        for each in self.taps:
            tap = page.locator(each).first
            words = tap.get_attribute("aria-label")
            deliberate_tap(tap)
            expect(page.locator(f'#live [aria-pressed=true][aria-label="{words}"]').first).to_be_attached()


def event(kind: str, **fields: object) -> Mapping[str, object]:
    return {"kind": kind, **fields}


def round_of(box: str) -> tuple[Mapping[str, object], ...]:
    """Both players of Sack Stackers take that box of the first section into the first column."""
    gift = {"gift_die": 1, "section": 1, "box": box, "gift": "I" if box == "?" else box, "column": 1}
    return (event("Rolled", dice=[1, 1]), *(event("Placed", player=seat, **gift) for seat in ("0", "1")))


ROLLS = tuple(event("Rolled", player=str(seat), dice=LOAD) for seat in range(3))
GRABS = tuple(
    event("Taken", player=str(seat), card=card, owner=owner) for seat, card, owner in ((0, 3, "1"), (1, 4, "0"))
)
READY = tuple(event("Readied", player=str(seat)) for seat in range(3))
DREW = tuple(event("Drew", player=str(seat), card=seat + 1) for seat in range(3))
PASSED = tuple(event("Passed", player=str(seat)) for seat in range(3))
STARTED = event("Started", at_us=0)
START_ROLL = event("StartRolled", rolls=[["0", 4], ["1", 3]])
DROPPED = event("AllDropped", dice=[["0", EVEN], ["1", EVEN]])
FULL = (*(each for box in "IOTLS?" for each in round_of(box)), event("Rolled", dice=[1, 1]))  # no gift fits
TRAY_ROLL = event("Rolled", player="0", dice=[{"value": face} for face in (6, 6, 3, 2, 1)])
TRAY_KEEPS = {"dice": 5, "rolls": 3, "counts": "alike"}
PAD_ROWS = ["Sixes: sum of 6", "Full house: 3+2 alike = 25", "Chance: all dice"]
CARDS = ".picture-tap, .find-number input"
GIFT = ".grid-widget .cell.m-target .cell-tap"

CREATED = (
    event("CreatorChosen", creator="2"),
    event("Started", at_us=-200_000_000),
    event("Shouted", player="2", at_us=-190_000_000),
)
NO_SHOUT = {"shout_required": False}
TIME_OVER = (event("Started", at_us=-150_000_000), event("TimeRanOut", at_us=0))
COPIED = (*CREATED, *READY[:2], *TIME_OVER)
SWAPPED = (event("ShufflerNamed", shuffler="0"), *DREW, *PASSED, *READY)
VERDICTS = ".seat-card .tap"
ALL_SHOUTED = (
    *READY,
    event("Readied", player="3"),
    event("Started", at_us=-150_000_000),
    *(event("Shouted", player=str(seat), at_us=-140_000_000 + seat * 6_500_000) for seat in range(4)),
)

PHASES: dict[str, Phase] = {
    "sack: roll": Phase("sack_stackers", (), ".choice-pairs .tap", players=2),
    "sack: gift": Phase("sack_stackers", (event("Rolled", dice=[2, 5]),), ".cell.m-target", players=2),
    "sack: gift, shared": Phase("sack_stackers", (event("Rolled", dice=[2, 5]),), ".cell.m-target", None, players=4),
    "sack: drop": Phase(
        "sack_stackers", (event("Rolled", dice=[2, 5]),), f".cell:has([aria-pressed=true]), {MAIN}", 0, (GIFT,), 2
    ),
    "sack: coal": Phase("sack_stackers", FULL, ".asked .cell-tap", players=2),
    "stack: start": Phase("stack_dice", (), ".choice-faces .tap", None, players=2),
    "stack: drop": Phase("stack_dice", (START_ROLL,), ".cell-tap", 0, players=2),
    "stack: drop, shared": Phase("stack_dice", (START_ROLL,), ".cell-tap", None, players=2),
    "stack: die": Phase("stack_dice", (START_ROLL, DROPPED), ".die-place button, .stack-tap", 0, players=2),
    "stack: onto": Phase(
        "stack_dice",
        (START_ROLL, DROPPED),
        ".die-place button, .stack-tap, .choice-faces .tap",
        0,
        (".die-place button",),
        2,
    ),
    "sandpile: place": Phase("sandpile_panic", (), f".large .cell, {MAIN}", 0, players=2),
    "sandpile: sides": Phase(
        "sandpile_panic",
        (event("Placed", player="0", at="r3c3", pink=False),),
        ".large .cell, .choice .tap",
        1,
        players=2,
    ),
    "pack: youngest": Phase("pack_and_stack", (), ".choice .tap", None),
    "pack: roll": Phase("pack_and_stack", (event("StarterNamed", starter="0"),), ".choice[role=group] .tap", None),
    "pack: grab": Phase("pack_and_stack", (event("StarterNamed", starter="0"), *ROLLS), ".choice .tap", None),
    "pack: draw": Phase("pack_and_stack", (event("StarterNamed", starter="0"), *ROLLS, *GRABS), CARDS, None),
    "pack: load": Phase(
        "pack_and_stack",
        (event("StarterNamed", starter="0"), *ROLLS, *GRABS, event("Taken", player="2", card=5, owner=None)),
        f".grid-widget .cell-tap, {MAIN}",
        0,
    ),
    "speedstax: ready": Phase("speedstax", (), MAIN, 0, players=4),
    "speedstax: race": Phase("speedstax", (*READY, STARTED), f"[data-clock], {MAIN}", 0),
    "speedstax: race, shared": Phase("speedstax", (*READY, STARTED), "[data-clock], .seat-card .t-primary", None),
    "speedstax: finished, shared": Phase("speedstax", ALL_SHOUTED, VERDICTS, None, players=4),
    "speedstax: paused, shared": Phase("speedstax", (*READY, STARTED, event("Paused", at_us=9_000_000)), MAIN, None),
    "samestax: creator": Phase("samestax", (), ".choice .tap", None),
    "samestax: create": Phase("samestax", (event("CreatorChosen", creator="0"), STARTED), f"[data-clock], {MAIN}", 0),
    "samestax: ready": Phase("samestax", CREATED, MAIN, 0),
    "samestax: finished": Phase("samestax", COPIED, VERDICTS, 0, options=NO_SHOUT),
    "samestax: finished, shared": Phase("samestax", COPIED, VERDICTS, None, options=NO_SHOUT),
    "pad: round": Phase("score_pad", (), ".choice .tap", 0),
    "pad: round, shared": Phase("score_pad", (), ".choice .tap", None),
    "pad: points": Phase("score_pad", (), ".seat-card .tap", None, options={"kind": "running"}),
    "pad: dice": Phase("score_pad", (), ".choice-faces .tap", 0, options={"kind": "rows", "rows": PAD_ROWS}),
    "pad: row": Phase(
        "score_pad",
        (event("Rolled", player="0", dice=[6, 6, 6, 2, 1]),),
        ".cell.m-target",
        0,
        options={"kind": "rows", "rows": PAD_ROWS},
    ),
    "tray: roll": Phase("dice_tray", (), ".choice-faces .tap", 0),
    "tray: roll, shared": Phase("dice_tray", (), ".choice-faces .tap", None),
    "tray: keep": Phase("dice_tray", (TRAY_ROLL,), f".die-place button, {MAIN}", 0, options=TRAY_KEEPS),
    "tray: roll on": Phase(
        "dice_tray",
        (TRAY_ROLL,),
        ".die-place button, .choice-faces .tap",
        0,
        (".die-place button",),
        options=TRAY_KEEPS,
    ),
    "tray: sixes": Phase(
        "dice_tray",
        (event("Rolled", player="0", dice=[{"value": 6}, {"value": 2}]),),
        f".choice-faces .tap, {MAIN}",
        0,
        options={"again": True},
    ),
    "clock: start": Phase("turn_clock", (), ".clock.field", 0),
    "clock: turn": Phase("turn_clock", (STARTED,), ".clock.field", 0),
    "clock: turn, shared": Phase("turn_clock", (STARTED,), ".seat-card.field", None, players=4),
    "swapstax: shuffler": Phase("swapstax", (), ".choice .tap", None),
    "swapstax: draw": Phase("swapstax", (event("ShufflerNamed", shuffler="0"),), CARDS, None),
    "swapstax: swap": Phase(
        "swapstax", (event("ShufflerNamed", shuffler="0"), *DREW), f".choice .tap:not(.t-dim), {MAIN}", 0
    ),
    "swapstax: race": Phase("swapstax", (*SWAPPED, STARTED), f"[data-clock], {MAIN}", 0),
    "swapstax: finished": Phase("swapstax", (*SWAPPED, *TIME_OVER), VERDICTS, 0, options=NO_SHOUT),
    "swapstax: finished, shared": Phase("swapstax", (*SWAPPED, *TIME_OVER), VERDICTS, None, options=NO_SHOUT),
}
