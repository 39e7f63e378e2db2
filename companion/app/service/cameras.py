"""The table's cameras: each has a process of its own, which is told what to read and asked for pictures."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from companion.app.service.camera_process import CAMERA_TARGET, start_here
from companion.app.service.plan import Plan
from companion.app.service.supervisor import Supervisor
from companion.cameras.bought_deck import FOLDER, ShownDeck
from companion.cameras.in_network import is_address
from companion.cameras.names import ABOVE, FRONT, NO_CAMERA, PHONE, VIRTUAL, VIRTUAL_FRONT
from companion.cameras.phone import PhoneCamera
from companion.cameras.set_up import FRONT_SCENE, SCENE, CameraSetUp
from companion.clock import Clock
from companion.demo.table import DemoTable
from companion.demo.things import VirtualTable
from companion.game.readings import Glance, Kind, Photograph, Stirred, Strictness, Watching
from companion.game.readings.deck import CardSeen
from companion.game.readings.mat import MatSeen
from companion.game.seeing import Eyes
from companion.house.status import Status
from companion.journal.devices import device_name
from companion.sensing.process_messages import KeepClips, PictureWanted, Sleep
from companion.words import _, joined

log = logging.getLogger(__name__)

DECK = "deck"  # This watcher shows cards to the camera above.


@dataclass
class Place:
    """One of the table's two places for a camera, and what is there now.

    scene       the scene file of a real camera
    planned     the camera that the command line names
    phone       takes that camera's place once the host allows it, until it is stopped
    reads       what a camera here shall read
    said        the state and the sentence that its camera told last
    """

    name: str
    scene: Path
    planned: str
    phone: PhoneCamera
    reads: Callable[[Eyes], Kind | None]
    spec: str = NO_CAMERA
    camera: Supervisor | None = None
    said: tuple[str, str] = ("", "")
    set_up: CameraSetUp | None = None

    @property
    def wanted(self) -> str:
        """The camera that shall be here now."""
        return PHONE if self.phone.allowed else self.planned

    @property
    def scene_path(self) -> Path:
        """The path of the scene file. A virtual camera has its own, and a phone in the place of a real one."""
        instead = self.spec == PHONE and self.planned not in (NO_CAMERA, PHONE, VIRTUAL)
        kind = "virtual-" if self.spec == VIRTUAL else "phone-" if instead else ""
        return self.scene.with_name(f"{kind}{self.scene.name}")

    @property
    def is_late(self) -> bool:
        """Whether the camera only opens when it is first needed: the demo's front one costs a process of its own."""
        return (self.name, self.spec) == (FRONT, VIRTUAL)

    def watching(self, eyes: Eyes) -> Watching:
        return Watching(self.reads(eyes), eyes.knows)

    def send(self, command: object) -> None:
        if self.camera:
            self.camera.send(command)


class Cameras:
    """The camera above the table and the one at table height, each of them optional.

    demo        the demo's table, which virtual cameras look at
    hear        called with (name of the camera, message), except for messages about setting a camera up
    stirred     called when something may have moved on the table since the camera above saw it
    remember    called with (name of the camera, phone) at the start; see `PhoneCamera.remember`
    on_switch   called after another camera has taken a place
    cause       tells why a camera may have stopped, such as too little voltage, or ""
    """

    def __init__(
        self,
        plan: Plan,
        clock: Clock,
        status: Status,
        demo: DemoTable | None,
        hear: Callable[[str, object], None],
        stirred: Callable[[], None],
        remember: Callable[[str, PhoneCamera], None],
        cause: Callable[[], str] = str,
    ) -> None:
        self._plan = plan
        self._clock = clock
        self._status = status
        self._demo = demo
        self._hear_reading = hear
        self._stirred = stirred
        self._cause = cause
        self.on_switch: Callable[[], None] = lambda: None
        self._stopping = threading.Event()
        self._opening = threading.Lock()
        self._switching = threading.Lock()  # It is taken before `_opening`, and held while a process ends.
        self._watchers: set[str] = set()  # Some page has a live view of these cameras.
        self._eyes = Eyes()
        self._strictness = Strictness()
        self._clips = KeepClips()
        self._asleep = Sleep()
        self.phones = {
            name: PhoneCamera(partial(self._send_to_phone, name), partial(self._hear_of_phones, name))
            for name in (ABOVE, FRONT)
        }
        self.above = Place(ABOVE, plan.data / SCENE, plan.camera, self.phones[ABOVE], lambda eyes: eyes.above)
        self.front = Place(FRONT, plan.data / FRONT_SCENE, plan.front, self.phones[FRONT], lambda eyes: eyes.front)
        self._places = {ABOVE: self.above, FRONT: self.front}
        self.shown_deck: ShownDeck | None = None
        for name, phone in self.phones.items():
            remember(name, phone)
        if demo:
            demo.top.on_change = self._show
        for place in self._places.values():
            place.spec = place.wanted
            self._take_up(place)
        self._first = self.all_open()  # A camera that is opened later is started at once.

    def all_open(self) -> tuple[Supervisor, ...]:
        """The supervisors of the cameras that are open now."""
        return tuple(place.camera for place in self._places.values() if place.camera)

    def start(self) -> None:
        for camera in self._first:
            camera.start()

    def stop(self) -> None:
        """Stops all cameras for good."""
        with self._switching, self._opening:
            self._stopping.set()
        for camera in self.all_open():
            camera.stop()

    def watch(self, eyes: Eyes) -> None:
        """Tells the cameras what to read from now on."""
        changed, self._eyes = eyes != self._eyes, eyes
        if changed and eyes.front:
            self._open_late(self.front)
        if self._demo:
            self._demo.prepare(eyes)  # Another game may need a fresh table even if nothing changed.
        if changed:
            for place in self._places.values():
                place.send(place.watching(eyes))

    def glance(self, token: str) -> None:
        """Tells the camera at table height to look at once, for the event of that token."""
        if self.front.camera:
            self.front.camera.send_each(Glance(token))  # Each of several shouts needs its own glance.

    def photograph(self) -> None:
        self.above.send(Photograph())

    def be_strict(self, times: float) -> None:
        """Tells the camera above how many times surer of the dice than usual it must be."""
        self._strictness = Strictness(times)
        self.above.send(self._strictness)

    def keep_clips(self, wanted: bool) -> None:
        self._clips = KeepClips(wanted)
        for camera in self.all_open():
            camera.send(self._clips)

    def sleep(self, wanted: bool) -> None:
        """Closes the cameras until somebody plays again, or opens them."""
        self._asleep = Sleep(wanted)
        for camera in self.all_open():
            camera.send(self._asleep)

    def end_if_unwatched(self) -> None:
        """Ends live views that no page asks for any more."""
        for looking in (self.above.set_up, self.front.set_up, self.shown_deck):
            if looking:
                looking.end_if_unwatched()

    def _switch(self, place: Place) -> None:
        """Gives a place to another camera, if another shall have it now. The one before has ended by then."""
        with self._switching:
            if self._stopping.is_set() or (spec := place.wanted) == place.spec:
                return
            with self._opening:  # Nothing else opens the camera of this place meanwhile.
                place.spec, before, place.camera = PHONE, place.camera, None
            if before:
                before.stop()
            place.spec, place.said = spec, ("", "")
            self._tell_of_a_watcher(place.name, False)
            self._take_up(place)
            if place is self.above:
                self._tell_of_a_watcher(DECK, False)
                self._stirred()  # Between the two nobody saw what moved.
            if not place.is_late and place.camera:
                place.camera.start()
            elif place.reads(self._eyes):
                self._open_late(place)
            self.on_switch()

    def _take_up(self, place: Place) -> None:
        """Opens a place's camera, unless it is the demo's at table height, with its set-up and the deck shown to it."""
        if not place.is_late:
            self._open(place)
        is_there, send, tell = place.spec != NO_CAMERA, partial(self._send, place), self._tell_of_a_watcher
        place.set_up = CameraSetUp(place.scene_path, send, self._clock, partial(tell, place.name)) if is_there else None
        if place is self.above:
            folder = self._plan.data / (f"virtual-{FOLDER}" if place.spec == VIRTUAL else FOLDER)
            self.shown_deck = ShownDeck(folder, send, self._clock, partial(tell, DECK)) if is_there else None

    def _open(self, place: Place) -> None:
        """Opens a place's camera, which is told all that it needs to know."""
        spec, name = place.spec, place.name
        if spec == NO_CAMERA:
            if place is self.above:
                self._status.set(name, "off", _("No camera. Tap in your dice."))
            else:
                self._status.clear(name)
            return
        self._status.set(name, "down", _("The camera is starting."))
        camera = Supervisor(
            CAMERA_TARGET,
            (VIRTUAL_FRONT if place.is_late else spec, self._clock.offset_us, place.scene_path),
            partial(self._hear, name),
            self._hear_status,
            name=name,
            is_needed=True,
            # The process that may open the machine's own cameras has no network.
            start=self._plan.cameras.start if self._plan.cameras and not is_address(spec) else start_here,
        )
        strict_commands = (self._strictness,) if place is self.above else ()
        place.camera = camera  # It is told what changes from here on.
        demo_commands = (self._demo.snapshot(),) if self._demo else ()
        for command in (*demo_commands, *strict_commands, place.watching(self._eyes), self._clips, self._asleep):
            camera.send(command)

    def _open_late(self, place: Place) -> None:
        """Opens and starts a camera that opens late, unless it is open or `stop` was called."""
        with self._opening:
            if place.camera is None and place.is_late and not self._stopping.is_set():
                self._open(place)
                if place.camera:
                    place.camera.start()

    def _tell_of_a_watcher(self, name: str, watched: bool) -> None:
        """Shows in the status line whether somebody looks through a camera."""
        (self._watchers.add if watched else self._watchers.discard)(name)
        if watched and name != FRONT:
            self._stirred()  # Nothing is read meanwhile.
        if self._watchers:
            self._status.set("watched", "warn", _("Someone is setting up the camera."))
        else:
            self._status.clear("watched")

    def _hear_of_phones(self, name: str) -> None:
        """Shows in the status line who asks to be a camera, and gives the place to whom the host has allowed."""
        place = self._places[name]
        part, asking = f"phone as {name}", place.phone.asking
        if asking:
            label = device_name(asking[0].label)
            self._status.set(part, "warn", _("{label} wants to be the camera. The host allows it.", label=label))
        else:
            self._status.clear(part)
        self._switch(place)

    def _send_to_phone(self, name: str, errand: object) -> None:
        """Sends an errand to the process that watches a phone."""
        if camera := self._places[name].camera:
            camera.send_each(errand)

    def _show(self, table: VirtualTable) -> None:
        for camera in self.all_open():
            camera.send(table)

    def _send(self, place: Place, command: object) -> None:
        """Sends a command to a place's camera, which is started if necessary."""
        self._open_late(place)
        place.send(command)

    def _hear(self, name: str, message: object) -> None:
        place = self._places[name]
        match message:
            case MatSeen() if place.set_up:
                place.set_up.hear(message)
            case PictureWanted():
                place.phone.hear(message)
            case CardSeen() if self.shown_deck:
                self.shown_deck.hear(message)
            case Stirred() if place is self.above:
                self._stirred()
            case _:
                self._hear_reading(name, message)

    def _hear_status(self, name: str, state: str, text: str) -> None:
        """Takes the status of a camera. While the camera above is down, hands may move things unseen."""
        if state == "down" and name == ABOVE:
            self._stirred()
        self._places[name].said = state, text
        self._tell(name)

    def tell_cause(self) -> None:
        """Names the cause beside each camera that is down."""
        for name, place in self._places.items():
            if place.said[0] == "down":
                self._tell(name)

    def _tell(self, name: str) -> None:
        state, text = self._places[name].said
        if state == "down" and (cause := self._cause()):
            log.warning("the %s: %s %s", name, text, cause)
            text = joined((text, cause), " ")
        self._status.set(name, state, text)
