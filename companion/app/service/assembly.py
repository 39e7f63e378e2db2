"""Assembles what runs beside the pages: journal, box, cameras, clock, and MQTT."""

import contextlib
import logging
import math
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from random import Random
from typing import Any

from companion import periodic
from companion.app.service.cameras import Cameras
from companion.app.service.machine_watch import MachineWatch
from companion.app.service.mqtt import MqttPublisher
from companion.app.service.on_board import OnBoard
from companion.app.service.photo_reader import PhotoReader
from companion.app.service.plan import Plan
from companion.app.service.systemd import Systemd
from companion.cameras.phone import Phone, PhoneCamera
from companion.clock import Clock
from companion.demo.table import DemoTable
from companion.errors import CompanionError
from companion.game.box import Signal
from companion.game.readings import Glanced, Photo, Settled
from companion.house.host import Host
from companion.house.outside import Outside
from companion.journal.backup import DailyCopies
from companion.journal.calendar import save_date
from companion.journal.data_folder import JOURNAL
from companion.journal.settings import PHONE_CAMERA
from companion.journal.store import Journal
from companion.letters.outbox import Outbox
from companion.logs import only_logged
from companion.network.mdns import Announcer
from companion.packages import OF_A_TABLE, check_packages
from companion.periodic import PeriodicThread, spread
from companion.sensing.process_messages import Clip
from companion.words import N_, _

LOOK_S = 0.02  # The look changes by the clock alone (a countdown, the last seconds), in step with the tones.
IDLE_S = 0.25  # Nothing changes by the clock alone; each new entry shows the box's look by itself.
FIRST_WORK_S, WORK_S = 5.0, 600.0
LONGEST_WORK_S = 3_600.0  # A slow card takes its time for a copy.

FAILED = N_(
    "A part of the table has failed and is started again. You can play on. If this line stays, restart the table."
)

log = logging.getLogger(__name__)


def remember_phone(journal: Journal, name: str, phone: PhoneCamera) -> None:
    """Lets the phone that was this camera go on being it, and keeps who will be it."""
    setting = PHONE_CAMERA.for_key(name)
    device = setting.of(journal)
    phone.remember(
        Phone(device) if device else None, lambda phone_: setting.put(journal, phone_.device if phone_ else "")
    )


class Running:
    """All parts with a lifetime, from start to close, in the process that serves the pages."""

    def __init__(self, plan: Plan, systemd: Systemd | None = None) -> None:
        """Opens the journal, the box and the cameras; raises JournalUnusable. Other failures go to the status line."""
        self.plan = plan
        self._systemd = systemd or Systemd()
        journal = Journal(plan.data / JOURNAL)
        outside = Outside.nothing(Clock.resume(journal.instant()))
        self._status = outside.status
        journal.on_trouble = self._tell_of_the_journal
        self._is_assembled = threading.Event()
        self._machine = MachineWatch(plan.data, outside.status, lambda: self._cameras.tell_cause())
        self._box = self._open_part("box", partial(self._open_box, outside))
        panel = self._box.panel if self._box else None
        seed = os.environ.get("COMPANION_SEED")  # Tests want the same throws in every run.
        random = Random(seed) if seed else None
        demo = DemoTable(outside.clock, outside.live, panel, random) if plan.demo else None
        self._cameras = Cameras(
            plan,
            outside.clock,
            outside.status,
            demo,
            self._hear,
            lambda: self.host.questions.wait_after_move(),
            partial(remember_phone, journal),
            self._machine.cause,
        )
        self._photos = PhotoReader(plan)
        self.host = Host(journal, self._connect(outside, demo))
        self._is_assembled.set()
        self._cameras.on_switch = self._use_other_cameras
        self._cameras.be_strict(self.host.learner.strictness)
        self._cameras.keep_clips(self.host.pictures.keeps_clips)
        self._quieten()
        self._copies = DailyCopies(journal, partial(self._status.set, "backups"))
        self._looks = PeriodicThread("looks", self._look, longest_s=periodic.PAUSE_S, is_needed=True)
        self._looks.most_failed = math.inf  # A service that is started again has the same game.
        self._tidied: date | None = None
        """The day on which old pictures were last deleted."""
        self._work = PeriodicThread(
            "daily work", self._do_daily_work, first_s=FIRST_WORK_S, longest_s=WORK_S, hung_s=LONGEST_WORK_S
        )
        self._watchdog = PeriodicThread("watchdog", self._tell_of_threads, longest_s=periodic.PAUSE_S)
        self._announcer: Announcer | None = None
        self._mqtt = self._open_part("mqtt", self._open_mqtt)
        self._on_board: OnBoard | None = None
        self._hub = self._open_part("hub", self._open_hub)

    def _connect(self, outside: Outside, demo: DemoTable | None) -> Outside:
        """The outside of the house with the parts that are here."""
        cameras = self._cameras
        connected = replace(
            self._with_cameras(outside),
            demo=demo,
            watch=cameras.watch,
            glance=cameras.glance,
            photograph=cameras.photograph,
            read_photo=self._photos.read,
            encode_photo=self._photos.encode,
            be_strict=cameras.be_strict,
            keep_clips=cameras.keep_clips,
            sleep=cameras.sleep,
            phones=cameras.phones,
        )
        if self._box is None:
            return connected
        buttons = tuple((device, seat) for _name, device, seat, _pin in self._box.plan.named_buttons())
        return replace(
            connected, show=self._box.show, hush=self._box.set_silent, chime=self._box.chime, buttons=buttons
        )

    def _with_cameras(self, outside: Outside) -> Outside:
        """The outside with what belongs to the cameras that are here now."""
        cameras = self._cameras
        return replace(
            outside,
            camera_set_up=cameras.above.set_up,
            front_set_up=cameras.front.set_up,
            shown_deck=cameras.shown_deck,
        )

    def _use_other_cameras(self) -> None:
        """Gives the pages what belongs to the cameras that are here now; what the one before has shown is forgotten."""
        self.host.photo = None
        self.host.outside = self._with_cameras(self.host.outside)
        self.host.live.publish("status")

    def start(self) -> None:
        with only_logged("keeping the date"):  # It comes first: no clock may leap before anything is believed.
            save_date(self.host.journal)
        with only_logged("deleting what a kill left of a deleted game"):
            self.host.deletion.finish()
        with only_logged("going on with the game that has the table"):
            self.host.active.resume()
        self.host.timers.start()
        self._cameras.start()
        self._machine.start()
        self._looks.start()
        self._work.start()
        for part in (self._mqtt, self._hub):
            if part:
                part.start()
        self._watchdog.start()

    def announce(self, port: int) -> None:
        """Claims a name in the network, such as table.local."""
        self._announcer = Announcer(port, self.host.status.set_addresses)
        self._announcer.start()

    def close(self) -> None:
        for part in (self._announcer, self._mqtt, self._hub, self._on_board):
            if part:
                part.stop()
        # These use the cameras.
        for thread in (self._watchdog, self._machine, self._looks, self._work, self.host.timers):
            thread.stop()
        self._cameras.stop()
        self._photos.stop()
        if self._box:
            self._box.close()
        self.host.close()

    def _open_part(self, part: str, open_it: Callable[[], Any]) -> Any:
        """A part that the table can do without, or None if it cannot be opened; the status line then says why."""
        try:
            return open_it()
        except CompanionError as why:
            log.warning("%s: %s", part, why.sentence)
            self._status.set(part, "down", why.sentence)
        except Exception:
            log.exception("%s cannot be opened", part)
            self._status.set(part, "down", _("Something unexpected stops this part from starting. See the log."))
        return None

    def _open_mqtt(self) -> MqttPublisher | None:
        broker, names = self.plan.broker, self.plan.broker_hears_names
        return MqttPublisher(self.host, broker, names=names, sign=self._sign) if broker else None

    def _open_hub(self) -> PeriodicThread | None:
        """What sends finished games to the hub, or None without one."""
        outbox = Outbox(self.host.journal)
        outbox.remember(self.plan.hub, self.plan.hub_code)
        if not outbox.hub:
            return None
        check_packages(*OF_A_TABLE)
        from companion.app.service.uploader import Uploader

        if self.plan.broker:  # Whoever names a broker shows the table there.
            return Uploader(self.host, outbox)
        self._on_board = OnBoard(self.host, partial(self._open_part, "hall"), self._sign, self.plan.broker_hears_names)
        return Uploader(self.host, outbox, on_broker=self._on_board.follow, spread=spread)

    def _sign(self, state: dict[str, Any]) -> dict[str, Any]:
        """What the table says of itself, signed if a hub knows the table."""
        outbox = Outbox(self.host.journal)
        if not outbox.is_enrolled:
            return state
        from companion.letters.keys import Key
        from companion.letters.live import sign_report

        return sign_report(Key(outbox.secret), state)

    def _open_box(self, outside: Outside) -> Any:
        """The button box, in a demo a simulated one on mock pins; None if there is none."""
        if not self.plan.demo and self.plan.table_toml is None:
            return None
        from firmware.box import open_box

        box = open_box(
            self.plan.table_toml,
            self.plan.demo,
            outside.clock,
            self._hear_press,
            lambda: outside.live.publish("box"),
            self._hear_fault,
        )
        answers = _("The virtual button box works.") if self.plan.demo else _("The button box works.")
        outside.status.set("box", "warn" if box.trouble else "ok", box.trouble or answers)
        return box

    def _quieten(self) -> None:
        """Silences the box if the house, its plan or the command line wants that."""
        if self._box is None:
            return
        if self.plan.silent:
            with only_logged("keeping the box silent after this start"):
                self.host.set_silent(True)
        self._box.set_silent(self.plan.silent or self.host.silent or self._box.plan.silent)

    def _tell_of_the_journal(self, trouble: str) -> None:
        self._status.set("journal", "down" if trouble else "ok", trouble or _("Games can be saved again."))

    def _hear_press(self, signal: Signal) -> None:
        """Takes a press; one that comes while the house is still being assembled waits."""
        self._is_assembled.wait()
        self.host.presses.hear(signal)

    def _hear_fault(self, part: str, sentence: str, is_fault: bool) -> None:
        """Takes how a part of the box is: a fault until it is over, which is told for a minute."""
        log.warning("%s: %s", part, sentence)
        if is_fault:
            self._status.set(part, "warn", sentence)
        else:
            self._status.news(part, sentence)

    def _hear(self, name: str, message: object) -> None:
        match message:
            case Settled():
                self.host.on_reading(message)
            case Glanced(token, settled):
                self.host.on_glance(token, settled)
            case Photo(jpeg):
                self.host.photo = jpeg
            case Clip():
                for session in self.host.pictures.add_clip(message):
                    self.host.live.publish(f"session:{session}")

    def _look(self) -> float:
        """One round of all that changes by the clock alone: the box's look, due questions, live views, sleep."""
        self._cameras.end_if_unwatched()
        self._status.forget_old()
        self.host.count_due()
        self.host.sleep.look()
        self.host.active.refresh_look()
        return LOOK_S if self.host.active.is_lively() else IDLE_S

    def _do_daily_work(self) -> float:
        # The table comes first: on Linux a single thread can have the lowest priority.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        self._copies.look()
        with only_logged("keeping the date"):
            save_date(self.host.journal)
        if (today := date.today()) != self._tidied:
            with only_logged("deleting old pictures"):
                self.host.pictures.tidy()
                self._tidied = today
        return WORK_S

    def _tell_of_threads(self) -> float:
        """Tells systemd that all is alive that has to be, and people what is not; returns the seconds until then."""
        wait_s = self._systemd.tell_alive()
        if periodic.untold():
            self._status.set("threads", "warn", _(FAILED))
        else:
            self._status.clear("threads")
        return wait_s
