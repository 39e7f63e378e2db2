"""The table's cameras: each has a process of its own, which is told what to read and asked for pictures."""

import threading
from collections.abc import Callable
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
from companion.game.readings import Glance, Photograph, Stirred, Strictness, Watching
from companion.game.readings.deck import CardSeen
from companion.game.readings.mat import MatSeen
from companion.game.seeing import Eyes
from companion.house.status import Status
from companion.journal.devices import device_name
from companion.sensing.process_messages import KeepClips, PictureWanted
from companion.words import _

DECK = "deck"  # the watcher who shows cards to the camera above


class Cameras:
    """The camera above the table and the one at table height, each of them optional.

    demo        the demo's table, which virtual cameras look at
    hear        called with (name of the camera, message), except for messages about setting a camera up
    stirred     called when something may have moved on the table since the camera above saw it
    remember    called with (name of the camera, phone) at the start; see `PhoneCamera.remember`

    A phone that the host allows takes the place of the camera that the command line names, until it is stopped.

    on_switch   called after another camera has taken a place
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
    ) -> None:
        self._plan = plan
        self._clock = clock
        self._status = status
        self._demo = demo
        self._hear_reading = hear
        self._stirred = stirred
        self.on_switch: Callable[[], None] = lambda: None
        self._stopping = threading.Event()
        # the demo's front camera costs a process of its own, so it only starts when it is first needed
        self._opening = threading.Lock()
        self._switching = threading.Lock()  # taken before `_opening`, and held while a process ends
        self._watchers: set[str] = set()  # the cameras with a live view on some page
        self._eyes = Eyes()  # what the cameras were last told to read
        self._strictness = Strictness()
        self._clips = KeepClips()
        self.phones = {  # by the camera that they are or ask to be
            name: PhoneCamera(partial(self._send_to_phone, name), partial(self._hear_of_phones, name))
            for name in (ABOVE, FRONT)
        }
        for name, phone in self.phones.items():
            remember(name, phone)
        self._planned = {ABOVE: plan.camera, FRONT: plan.front}
        self._specs = {name: self._wanted(name) for name in self.phones}  # what each place has
        self._above: Supervisor | None = None
        self._front: Supervisor | None = None
        self.camera_set_up: CameraSetUp | None = None
        self.front_set_up: CameraSetUp | None = None
        self.shown_deck: ShownDeck | None = None
        if demo:
            demo.top.on_change = self._show
        self._take_up_above()
        self._take_up_front()
        self._first = self.opened()  # a camera that is opened later is started at once

    def opened(self) -> tuple[Supervisor, ...]:
        """The supervisors of the cameras that are open now."""
        return tuple(camera for camera in (self._above, self._front) if camera)

    def start(self) -> None:
        """Starts the cameras of the plan."""
        for camera in self._first:
            camera.start()

    def stop(self) -> None:
        """Stops all cameras for good."""
        with self._switching, self._opening:
            self._stopping.set()
        for camera in self.opened():
            camera.stop()

    # commands of the house

    def watch(self, eyes: Eyes) -> None:
        """Tells the cameras what to read from now on."""
        changed, self._eyes = eyes != self._eyes, eyes
        if changed and eyes.front:
            self._open_front()
        if self._demo:
            self._demo.prepare(eyes)  # even if unchanged: another game may need a fresh table
        if changed:
            self._send(self._above, Watching(eyes.above, eyes.knows))
            self._send(self._front, Watching(eyes.front, eyes.knows))

    def glance(self, token: str) -> None:
        """Tells the camera at table height to look at once, for the event of that token."""
        if self._front:
            self._front.send_each(Glance(token))  # each of several shouts needs its own glance

    def photograph(self) -> None:
        """Tells the camera above to take a photo."""
        self._send(self._above, Photograph())

    def be_strict(self, times: float) -> None:
        """Tells the camera above how many times surer of the dice than usual it must be."""
        self._strictness = Strictness(times)
        self._send(self._above, self._strictness)

    def keep_clips(self, wanted: bool) -> None:
        """Tells the cameras whether to make clips."""
        self._clips = KeepClips(wanted)
        for camera in self.opened():
            camera.send(self._clips)

    def end_if_unwatched(self) -> None:
        """Ends live views that no page asks for any more."""
        for looking in (self.camera_set_up, self.front_set_up, self.shown_deck):
            if looking:
                looking.end_if_unwatched()

    # which camera has a place

    def _wanted(self, name: str) -> str:
        """The camera that shall have a place now: a phone that is allowed, else that of the command line."""
        return PHONE if self.phones[name].allowed else self._planned[name]

    def _switch(self, name: str) -> None:
        """Gives a place to another camera, if another shall have it now. The one before has ended by then."""
        with self._switching:
            if self._stopping.is_set() or (spec := self._wanted(name)) == self._specs[name]:
                return
            with self._opening:  # nothing else opens the camera of this place meanwhile
                self._specs[name] = PHONE
                before = self._front if name == FRONT else self._above
                if name == FRONT:
                    self._front = None
                else:
                    self._above = None
            if before:
                before.stop()
            self._specs[name] = spec
            for looking in (FRONT,) if name == FRONT else (ABOVE, DECK):
                self._tell_of_a_watcher(looking, False)
            if name == FRONT:
                self._take_up_front()
                opened = self._front
                if self._eyes.front:
                    self._open_front()
            else:
                self._take_up_above()
                opened = self._above
                self._send(opened, self._strictness)
                self._send(opened, Watching(self._eyes.above, self._eyes.knows))
                self._stirred()  # between the two nobody saw what moved
            if opened:
                if self._demo:
                    opened.send(self._demo.snapshot())
                opened.send(self._clips)
                opened.start()
            self.on_switch()

    def _take_up_above(self) -> None:
        """Opens the camera above, with its set-up and its deck."""
        spec = self._specs[ABOVE]
        self._above = self._open(spec, ABOVE)
        self.camera_set_up = self.shown_deck = None
        if self._above:
            send_above = partial(self._send, self._above)
            told = partial(self._tell_of_a_watcher, ABOVE)
            self.camera_set_up = CameraSetUp(self._scene_of(ABOVE), send_above, self._clock, told)
            folder = self._plan.data / (f"virtual-{FOLDER}" if spec == VIRTUAL else FOLDER)
            self.shown_deck = ShownDeck(folder, send_above, self._clock, partial(self._tell_of_a_watcher, DECK))

    def _take_up_front(self) -> None:
        """Opens the camera at table height, unless it is drawn, with its set-up."""
        spec = self._specs[FRONT]
        self._front = None if spec == VIRTUAL else self._open(spec, FRONT)
        self.front_set_up = None
        if spec != NO_CAMERA:
            # a camera reads dice unless it is told otherwise
            self._send(self._front, Watching(self._eyes.front, self._eyes.knows))
            told = partial(self._tell_of_a_watcher, FRONT)
            self.front_set_up = CameraSetUp(self._scene_of(FRONT), self._send_front, self._clock, told)

    # inside

    def _open(self, spec: str, name: str) -> Supervisor | None:
        if spec == NO_CAMERA:
            if name == ABOVE:
                self._status.set(name, "off", _("No camera. Tap in your dice."))
            else:
                self._status.clear(name)
            return None
        self._status.set(name, "down", _("The camera is starting."))
        is_drawn_front = (spec, name) == ("virtual", FRONT)
        return Supervisor(
            CAMERA_TARGET,
            (VIRTUAL_FRONT if is_drawn_front else spec, self._clock.offset_us, self._scene_of(name)),
            partial(self._hear, name),
            self._hear_status,
            name=name,
            # the process that may open the machine's own cameras has no network
            start=self._plan.cameras.start if self._plan.cameras and not is_address(spec) else start_here,
        )

    def _open_front(self) -> None:
        """Opens and starts the demo's front camera, unless it is open, has no place or `stop` was called."""
        with self._opening:
            if self._front is not None or self._specs[FRONT] != VIRTUAL or self._stopping.is_set():
                return
            front = self._open(VIRTUAL, FRONT)
            if front and self._demo:
                front.send(self._demo.snapshot())
                front.send(Watching(self._eyes.front, self._eyes.knows))
                front.send(self._clips)
                front.start()
            self._front = front

    def _scene_of(self, name: str) -> Path:
        """The path of a camera's scene file. A virtual camera has its own, and a phone in the place of a real one."""
        spec, planned = self._specs[name], self._planned[name]
        instead = spec == PHONE and planned not in (NO_CAMERA, PHONE, VIRTUAL)
        kind = "virtual-" if spec == VIRTUAL else "phone-" if instead else ""
        return self._plan.data / f"{kind}{FRONT_SCENE if name == FRONT else SCENE}"

    def _tell_of_a_watcher(self, name: str, watched: bool) -> None:
        """Shows in the status line whether somebody looks through a camera."""
        (self._watchers.add if watched else self._watchers.discard)(name)
        if watched and name != FRONT:
            self._stirred()  # nothing is read meanwhile
        if self._watchers:
            self._status.set("watched", "warn", _("Someone is setting up the camera."))
        else:
            self._status.clear("watched")

    def _hear_of_phones(self, name: str) -> None:
        """Shows in the status line who asks to be a camera, and gives the place to whom the host has allowed."""
        part, asking = f"phone as {name}", self.phones[name].asking
        if asking:
            label = device_name(asking[0].label)
            self._status.set(part, "warn", _("{label} wants to be the camera. The host allows it.", label=label))
        else:
            self._status.clear(part)
        self._switch(name)

    def _send_to_phone(self, name: str, errand: object) -> None:
        """Sends an errand to the process that watches a phone."""
        camera = self._front if name == FRONT else self._above
        if camera:
            camera.send_each(errand)

    def _show(self, table: VirtualTable) -> None:
        for camera in self.opened():
            camera.send(table)

    def _send_front(self, command: object) -> None:
        """Sends a command to the camera at table height, which is started if necessary."""
        self._open_front()
        self._send(self._front, command)

    def _send(self, camera: Supervisor | None, command: object) -> None:
        if camera:
            camera.send(command)

    def _hear(self, name: str, message: object) -> None:
        """Takes a message of the camera with that name."""
        set_up = self.front_set_up if name == FRONT else self.camera_set_up
        match message:
            case MatSeen() if set_up:
                set_up.hear(message)
            case PictureWanted():
                self.phones[name].hear(message)
            case CardSeen() if self.shown_deck:
                self.shown_deck.hear(message)
            case Stirred() if name == ABOVE:
                self._stirred()
            case _:
                self._hear_reading(name, message)

    def _hear_status(self, name: str, state: str, text: str) -> None:
        """Takes the status of a camera. While the camera above is down, hands may move things unseen."""
        if state == "down" and name == ABOVE:
            self._stirred()
        self._status.set(name, state, text)
