"""What the program brings to the house from outside: clock, cameras, button box, the demo's table."""

from collections.abc import Callable
from dataclasses import dataclass

from companion.cameras.bought_deck import ShownDeck
from companion.cameras.set_up import CameraSetUp
from companion.changes import Live
from companion.clock import Clock
from companion.demo.table import DemoTable
from companion.game.box import BoxLook
from companion.game.seeing import Eyes
from companion.house.box_test import Button
from companion.house.status import Status


def to_nobody(_told: object = None) -> None:
    """Where there is no such part."""


@dataclass(frozen=True)
class Outside:
    """The parts of one table. Where one is missing nobody hears what it would be told.

    status          how the parts are
    buttons         that the box has
    show, hush      the box: how it looks now, and whether it plays no tones
    watch           the cameras: what they read now
    glance          the camera at table height: look at once, for the event of that token
    photograph      the camera above: take a photo for the wizard
    be_strict       the camera above: how sure of the dice it must be, as a factor of what is usual
    camera_set_up   where there is a camera over the table; `front_set_up` where there is one at table height
    shown_deck      where there is a camera over the table: the cards of a bought deck that it was shown
    demo            the demo's table
    """

    clock: Clock
    live: Live
    status: Status
    buttons: tuple[Button, ...] = ()
    show: Callable[[BoxLook], None] = to_nobody
    hush: Callable[[bool], None] = to_nobody
    watch: Callable[[Eyes], None] = to_nobody
    glance: Callable[[str], None] = to_nobody
    photograph: Callable[[], None] = to_nobody
    be_strict: Callable[[float], None] = to_nobody
    camera_set_up: CameraSetUp | None = None
    front_set_up: CameraSetUp | None = None
    shown_deck: ShownDeck | None = None
    demo: DemoTable | None = None

    @classmethod
    def nothing(cls, clock: Clock) -> "Outside":
        """Of a table without any of these parts."""
        live = Live()
        return cls(clock, live, Status(live))
