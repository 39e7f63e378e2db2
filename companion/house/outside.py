"""The parts outside the house that the program hands in: clock, cameras, button box, the demo's table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from companion.cameras.bought_deck import ShownDeck
from companion.cameras.phone import PhoneCamera
from companion.cameras.set_up import CameraSetUp
from companion.changes import Live
from companion.clock import Clock
from companion.demo.table import DemoTable
from companion.errors import CameraUnavailable
from companion.game.box import BoxLook
from companion.game.readings import PhotoUse, Settled, Watching
from companion.game.seeing import Eyes
from companion.house.box_test import Button
from companion.house.status import Status
from companion.words import _


def no_photo_reader(_content: bytes, _watching: Watching, _taken_us: int) -> Settled:
    """Reads no photo, where nothing is there to read it."""
    raise CameraUnavailable(_("Photos can't be read here. Tap what's on the table."))


def no_encoder(_content: bytes, use: PhotoUse) -> bytes:
    """Encodes no photo, where nothing is there to open it."""
    if use is PhotoUse.FACE:
        raise CameraUnavailable(_("Photos can't be opened here. Choose a drawn face."))
    raise CameraUnavailable(_("Photos can't be opened here. Keep what the camera sees."))


def ignore(_value: object = None) -> None:
    """Does nothing, in place of a part that is not there."""


@dataclass(frozen=True)
class Outside:
    """The parts of one table. A missing part ignores what it is told.

    status          the state of the parts
    buttons         the buttons that the box has
    show, hush      tell the box how it looks now, and whether it plays no tones
    chime           has the box ring for the hall's staff
    watch           tells the cameras what to read now
    glance          tells the camera at table height to look at once, for the event of that token
    photograph      tells the camera above to take a photo for the wizard
    read_photo      reads a photo that somebody took by hand; see `companion.app.service.photo_reader`
    encode_photo    makes the JPEG that is kept of a photo: small, and with none of its data on time and place
    be_strict       tells the camera above how much surer of the dice than usual it must be, as a factor
    keep_clips      tells the cameras whether to make clips of what comes before a rest
    sleep           tells the cameras whether they are closed until somebody plays again
    camera_set_up   the set-up of the camera above, `front_set_up` that of the camera at table height
    shown_deck      the cards of a bought deck that the camera above was shown
    phones          the cameras that are phones, by their parts of the status line
    demo            the demo's table, None elsewhere
    """

    clock: Clock
    live: Live
    status: Status
    buttons: tuple[Button, ...] = ()
    show: Callable[[BoxLook], None] = ignore
    hush: Callable[[bool], None] = ignore
    chime: Callable[[], None] = ignore
    watch: Callable[[Eyes], None] = ignore
    glance: Callable[[str], None] = ignore
    photograph: Callable[[], None] = ignore
    read_photo: Callable[[bytes, Watching, int], Settled] = no_photo_reader
    encode_photo: Callable[[bytes, PhotoUse], bytes] = no_encoder
    be_strict: Callable[[float], None] = ignore
    keep_clips: Callable[[bool], None] = ignore
    sleep: Callable[[bool], None] = ignore
    camera_set_up: CameraSetUp | None = None
    front_set_up: CameraSetUp | None = None
    shown_deck: ShownDeck | None = None
    phones: Mapping[str, PhoneCamera] = field(default_factory=dict)
    demo: DemoTable | None = None

    @classmethod
    def nothing(cls, clock: Clock) -> "Outside":
        """The outside of a table without any of these parts."""
        live = Live()
        return cls(clock, live, Status(live))
