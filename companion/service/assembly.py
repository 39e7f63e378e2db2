"""Puts together what runs beside the pages: journal, box, cameras, clock, and whoever hears of the table."""

import contextlib
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol

from companion.demo.table import DemoTable
from companion.demo.things import VirtualTable
from companion.errors import CompanionError
from companion.game.readings import Glance, Glanced, Photo, Photograph, Settled, Stirred, Strictness, Watching
from companion.game.readings.deck import CardSeen
from companion.game.readings.mat import MatSeen
from companion.game.seeing import Eyes
from companion.house.host import Host
from companion.journal.backup import DailyCopies
from companion.journal.data_folder import JOURNAL
from companion.journal.store import Journal
from companion.logs import only_logged
from companion.network.mdns import Announcer
from companion.periodic import Rounds
from companion.sensing.bought_deck import FOLDER, ShownDeck
from companion.sensing.camera_names import VIRTUAL_FRONT
from companion.sensing.camera_set_up import FRONT_SCENE, SCENE, CameraSetUp
from companion.service.camera_process import CAMERA_TARGET, CamerasElsewhere, start_here
from companion.service.mqtt import Broker, Teller
from companion.service.supervisor import Supervisor
from companion.service.systemd import ALIVE, Systemd
from companion.words import _

LOOK_S = 0.02  # the countdown, the go and the last seconds begin by themselves, and in step with the tones before
FIRST_WORK_S, WORK_S = 5.0, 600.0  # until it is asked whether there is daily work: when the table is up, then again
UNSURE_S = 0.5  # until it is asked again whether all parts are alive, when one was not
ABOVE, FRONT = "camera", "front camera"  # the names of the camera over the table and of the one at table height
DECK = "deck"  # who looks through the first of them to show it cards

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """What was asked for on the command line.

    camera      above the table: "virtual", "none", "picamera", "picamera1", a number, a folder or a video
    table_toml  the box's pins, None for no box (in a demo a simulated one)
    names       names the table answers to besides its own
    public      whether clients from public addresses are let in
    silent      whether the box is to play no tones; otherwise it is as the house last set it
    front       the camera at table height, like `camera`; a virtual one begins when a game first looks through it
    broker      of MQTT, None to tell nobody; it hears the players' names only with `broker_hears_names`
    cameras     the process that has the cameras, None where this one starts what watches them
    """

    demo: bool
    camera: str
    data: Path
    table_toml: Path | None
    names: tuple[str, ...] = ()
    public: bool = False
    silent: bool = False
    front: str = "none"
    broker: Broker | None = None
    broker_hears_names: bool = False
    cameras: CamerasElsewhere | None = None


class Lively(Protocol):
    """What can be asked whether it still does its work."""

    def is_alive(self) -> bool: ...


class Running:
    """Everything that has a lifetime, from start to close, in the process that serves the pages."""

    def __init__(self, plan: Plan, systemd: Systemd | None = None) -> None:
        """Opens the journal and the box; raises one sentence when either cannot be used."""
        self.plan = plan
        self._systemd = systemd or Systemd()
        self.host = Host(Journal(plan.data / JOURNAL))
        self.host.journal.on_trouble = self._tell_of_the_journal
        self._copies = DailyCopies(self.host.journal, lambda *said: self.host.set_status("backups", *said))
        self._stopping = threading.Event()
        self._box = self._opened("box", self._open_box)
        if plan.demo:
            panel = self._box.panel if self._box else None
            seed = os.environ.get("COMPANION_SEED")  # tests want the same throws in every run
            self.host.demo = DemoTable(self.host.clock, self.host.live, panel, Random(seed) if seed else None)
        self._above = self._open_camera(plan.camera, ABOVE)
        # the demo's front camera costs a process of its own: it begins when it is first looked through
        self._beginning = threading.Lock()
        self._watchers: set[str] = set()  # the cameras that somebody looks through to set them up
        self._front = None if plan.front == "virtual" else self._open_camera(plan.front, FRONT)
        self._eyes = Eyes()  # as the cameras were last told
        self._connect_cameras()
        self._looks = Rounds("looks", self._look)
        self._tidied: date | None = None  # the day on which old pictures were last deleted
        self._work = Rounds("daily work", self._do_daily_work, first_s=FIRST_WORK_S, pause_s=WORK_S)
        self._watchdog = Rounds("watchdog", self._tell_systemd)
        self.beside: list[Lively] = []  # what the service cannot do without either, and this does not begin itself
        self._announcer: Announcer | None = None
        self._teller = self._opened("mqtt", self._open_teller)

    def start(self) -> None:
        """Lets everything run."""
        cameras = self._cameras()  # one that a game needs begins by itself
        with only_logged("going on with the game that has the table"):
            self.host.resume()
        self.host.timers.start()
        for camera in cameras:
            camera.start()
        self._looks.start()
        self._work.start()
        if self._teller:
            self._teller.start()
        self._watchdog.start()

    def announce(self, port: int) -> None:
        """Takes a name in the network, such as table.local."""
        self._announcer = Announcer(port, self.host.set_addresses)
        self._announcer.start()

    def close(self) -> None:
        """Lights out, camera off, journal closed."""
        self._stopping.set()
        if self._announcer:
            self._announcer.stop()
        if self._teller:
            self._teller.stop()
        for rounds in (self._watchdog, self._looks, self._work, self.host.timers):  # all that speaks to the cameras
            rounds.stop()
        for camera in self._cameras():
            camera.stop()
        if self._box:
            self._box.close()
        self.host.close()

    def _opened(self, part: str, open_it: Callable[[], Any]) -> Any:
        """A part that the table can do without; None, and why is said, when it cannot be had."""
        try:
            return open_it()
        except CompanionError as why:
            log.warning("%s: %s", part, why.sentence)  # whoever has just started it looks at the terminal
            self.host.set_status(part, "down", why.sentence)
        except Exception:
            log.exception("%s cannot be opened", part)
            self.host.set_status(part, "down", _("Something unexpected keeps this part from starting: see the log."))
        return None

    def _open_teller(self) -> Teller | None:
        """What tells the house's own automation, where there is any."""
        broker, names = self.plan.broker, self.plan.broker_hears_names
        return Teller(self.host, broker, names=names) if broker else None

    def _open_box(self) -> Any:
        """The box of buttons, lights and buzzer; in a demo a simulated one on mock pins."""
        if not self.plan.demo and self.plan.table_toml is None:
            return None
        from firmware.box import open_box

        box = open_box(
            self.plan.table_toml,
            self.plan.demo,
            self.host.clock,
            self.host.on_signal,
            lambda: self.host.live.publish("box"),
        )
        answers = _("The simulated box answers.") if self.plan.demo else _("The box answers.")
        self.host.set_status("box", "ok", box.trouble or answers)
        self.host.show, self.host.hush = box.show, box.set_silent
        self.host.buttons = tuple((device, seat) for _, device, seat, _ in box.plan.named_buttons())
        if self.plan.silent:
            with only_logged("keeping the box silent after this start"):
                self.host.set_silent(True)
        box.set_silent(self.plan.silent or self.host.silent or box.plan.silent)
        return box

    def _open_camera(self, spec: str, name: str) -> Supervisor | None:
        if spec == "none":
            return None
        self.host.set_status(name, "down", _("The camera is starting."))
        is_drawn_front = (spec, name) == ("virtual", FRONT)
        return Supervisor(
            CAMERA_TARGET,
            (VIRTUAL_FRONT if is_drawn_front else spec, self.host.clock.offset_us, self._scene_of(name)),
            partial(self._hear, name),
            self._hear_status,
            name=name,
            start=self.plan.cameras.start if self.plan.cameras else start_here,
        )

    def _connect_cameras(self) -> None:
        """What the house asks of its cameras reaches them."""
        if self.host.demo:
            self.host.demo.on_change = self._show_table
        if self._above:
            self.host.photograph = lambda: self._send(self._above, Photograph())
            self.host.learner.on_change = lambda times: self._send(self._above, Strictness(times))
            self._send(self._above, Strictness(self.host.learner.strictness))
            send_above = partial(self._send, self._above)
            self.host.camera_set_up = self._set_up_of(ABOVE, send_above)
            folder = self.plan.data / (f"virtual-{FOLDER}" if self.plan.camera == "virtual" else FOLDER)
            told = partial(self._tell_of_a_watcher, DECK)
            self.host.shown_deck = ShownDeck(folder, send_above, self.host.clock, told)
        if self.plan.front != "none":
            self._send(self._front, Watching(self._eyes.front))  # a camera reads dice unless it is told otherwise
            self.host.front_set_up = self._set_up_of(FRONT, self._send_front)
        self.host.watch = self._watch
        self.host.glance = self._glance

    def _set_up_of(self, name: str, send: Callable[[object], None]) -> CameraSetUp:
        return CameraSetUp(self._scene_of(name), send, self.host.clock, partial(self._tell_of_a_watcher, name))

    def _scene_of(self, name: str) -> Path:
        """Where calibration keeps what it found; a drawn table leaves the real one's alone."""
        spec, scene = (self.plan.front, FRONT_SCENE) if name == FRONT else (self.plan.camera, SCENE)
        return self.plan.data / (f"virtual-{scene}" if spec == "virtual" else scene)

    def _tell_of_a_watcher(self, name: str, watched: bool) -> None:
        """Everybody sees while somebody looks through a camera."""
        (self._watchers.add if watched else self._watchers.discard)(name)
        if watched and name != FRONT:
            self.host.senses.stirred()  # nothing is read meanwhile
        if self._watchers:
            self.host.set_status("watched", "warn", _("Somebody looks through the camera to set it up."))
        else:
            self.host.clear_status("watched")

    def _show_table(self, table: VirtualTable) -> None:
        for camera in self._cameras():
            camera.send(table)

    def _cameras(self) -> tuple[Supervisor, ...]:
        return tuple(camera for camera in (self._above, self._front) if camera)

    def _send_front(self, command: object) -> None:
        """For the camera at table height, which begins now where it has not yet."""
        self._begin_front()
        self._send(self._front, command)

    def _begin_front(self) -> None:
        """Opens the demo's front camera, unless it is open or all is over."""
        with self._beginning:
            if self._front is not None or self._stopping.is_set():
                return
            front = self._open_camera(self.plan.front, FRONT)
            if front and self.host.demo:
                front.send(self.host.demo.snapshot())
                front.send(Watching(self._eyes.front, self._eyes.knows))
                front.start()
            self._front = front

    def _watch(self, eyes: Eyes) -> None:
        changed, self._eyes = eyes != self._eyes, eyes
        if changed and eyes.front:
            self._begin_front()
        if self.host.demo:
            self.host.demo.prepare(eyes)  # another game may look for the same as the one before
        if changed:
            self._send(self._above, Watching(eyes.above, eyes.knows))
            self._send(self._front, Watching(eyes.front, eyes.knows))

    def _send(self, camera: Supervisor | None, command: object) -> None:
        if camera:
            camera.send(command)

    def _glance(self, token: str) -> None:
        """Each shout has its own: of two at once neither may take the other's place."""
        if self._front:
            self._front.send_each(Glance(token))

    def _tell_of_the_journal(self, trouble: str) -> None:
        self.host.set_status("journal", "down" if trouble else "ok", trouble or _("The journal can be written again."))

    def _hear(self, name: str, message: object) -> None:
        """What the vision process of the camera with that name says."""
        set_up = self.host.front_set_up if name == FRONT else self.host.camera_set_up
        match message:
            case Settled():
                self.host.on_reading(message)
            case Glanced(token, settled):
                self.host.on_glance(token, settled)
            case Photo(jpeg):
                self.host.photo = jpeg
            case Stirred() if name == ABOVE:
                self.host.senses.stirred()
            case MatSeen() if set_up:
                set_up.hear(message)
            case CardSeen() if self.host.shown_deck:
                self.host.shown_deck.hear(message)

    def _hear_status(self, name: str, state: str, text: str) -> None:
        """How a camera is; one that does not see sees no hand either."""
        if state == "down" and name == ABOVE:
            self.host.senses.stirred()
        self.host.set_status(name, state, text)

    def _look(self) -> float:
        """The box's look depends on the time as well as on the state."""
        for looking in (self.host.camera_set_up, self.host.front_set_up, self.host.shown_deck):
            if looking:
                looking.end_if_unwatched()
        self.host.count_due()
        self.host.refresh_look()
        return LOOK_S

    def _do_daily_work(self) -> float:
        # the table comes first: Linux lets a thread of its own be the least urgent
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        self._copies.look()
        if (today := date.today()) != self._tidied:
            with only_logged("deleting old pictures"):
                self.host.pictures.tidy()
                self._tidied = today
        return WORK_S

    def _tell_systemd(self) -> float | None:
        """That all parts are alive; nothing where it does not want to hear that."""
        alive_s = self._systemd.alive_s
        if alive_s is None:
            return None
        if not self.is_alive():
            return min(alive_s, UNSURE_S)
        self._systemd.tell(ALIVE)
        return alive_s

    def is_alive(self) -> bool:
        """Whether presses are taken, the clock runs, cameras and open pages are looked after: when not, the service
        must be started again."""
        parts = (self._box, *self._cameras(), self.host.timers, self._looks, *self.beside)
        return all(part.is_alive() for part in parts if part)
