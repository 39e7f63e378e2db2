"""Puts together what runs beside the pages: journal, box, cameras, clock, and whoever hears of the table."""

import contextlib
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from random import Random
from typing import Any, Protocol

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
from companion.journal.store import Journal
from companion.logs import only_logged
from companion.network.mdns import Announcer
from companion.periodic import PeriodicThread
from companion.service.cameras import Cameras
from companion.service.mqtt import Teller
from companion.service.plan import Plan
from companion.service.systemd import ALIVE, Systemd
from companion.words import _

LOOK_S = 0.02  # the countdown, the go and the last seconds begin by themselves, and in step with the tones before
FIRST_WORK_S, WORK_S = 5.0, 600.0  # until it is asked whether there is daily work: when the table is up, then again
UNSURE_S = 0.5  # until it is asked again whether all parts are alive, when one was not

log = logging.getLogger(__name__)


class Lively(Protocol):
    """What can be asked whether it still does its work."""

    def is_alive(self) -> bool: ...


class Running:
    """Everything that has a lifetime, from start to close, in the process that serves the pages."""

    def __init__(self, plan: Plan, systemd: Systemd | None = None) -> None:
        """Opens the journal and the box; raises one sentence when either cannot be used."""
        self.plan = plan
        self._systemd = systemd or Systemd()
        journal = Journal(plan.data / JOURNAL)
        outside = Outside.nothing(Clock.resumed(journal.instant()))
        self._status = outside.status
        journal.on_trouble = self._tell_of_the_journal
        self._whole = threading.Event()  # set when there is a house to hear what box and cameras say
        self._box = self._opened("box", partial(self._open_box, outside))
        panel = self._box.panel if self._box else None
        seed = os.environ.get("COMPANION_SEED")  # tests want the same throws in every run
        random = Random(seed) if seed else None
        demo = DemoTable(outside.clock, outside.live, panel, random) if plan.demo else None
        self._cameras = Cameras(plan, outside.clock, outside.status, demo, self._hear, self._hear_stirring)
        self.host = Host(journal, self._connected(outside, demo))
        self._whole.set()
        self._cameras.be_strict(self.host.learner.strictness)
        self._quieten()
        self._copies = DailyCopies(journal, partial(self._status.set, "backups"))
        self._looks = PeriodicThread("looks", self._look)
        self._tidied: date | None = None  # the day on which old pictures were last deleted
        self._work = PeriodicThread("daily work", self._do_daily_work, first_s=FIRST_WORK_S, pause_s=WORK_S)
        self._watchdog = PeriodicThread("watchdog", self._tell_systemd)
        self.beside: list[Lively] = []  # what the service cannot do without either, and this does not begin itself
        self._announcer: Announcer | None = None
        self._teller = self._opened("mqtt", self._open_teller)

    def _connected(self, outside: Outside, demo: DemoTable | None) -> Outside:
        """The parts that are here."""
        cameras = self._cameras
        seen = replace(
            outside,
            demo=demo,
            watch=cameras.watch,
            glance=cameras.glance,
            photograph=cameras.photograph,
            be_strict=cameras.be_strict,
            camera_set_up=cameras.camera_set_up,
            front_set_up=cameras.front_set_up,
            shown_deck=cameras.shown_deck,
        )
        if self._box is None:
            return seen
        buttons = tuple((device, seat) for _name, device, seat, _pin in self._box.plan.named_buttons())
        return replace(seen, show=self._box.show, hush=self._box.set_silent, buttons=buttons)

    def start(self) -> None:
        """Lets everything run."""
        with only_logged("going on with the game that has the table"):
            self.host.active.resume()
        self.host.timers.start()
        self._cameras.start()
        self._looks.start()
        self._work.start()
        if self._teller:
            self._teller.start()
        self._watchdog.start()

    def announce(self, port: int) -> None:
        """Takes a name in the network, such as table.local."""
        self._announcer = Announcer(port, self.host.status.set_addresses)
        self._announcer.start()

    def close(self) -> None:
        """Lights out, camera off, journal closed."""
        if self._announcer:
            self._announcer.stop()
        if self._teller:
            self._teller.stop()
        for rounds in (self._watchdog, self._looks, self._work, self.host.timers):  # all that speaks to the cameras
            rounds.stop()
        self._cameras.stop()
        if self._box:
            self._box.close()
        self.host.close()

    def _opened(self, part: str, open_it: Callable[[], Any]) -> Any:
        """A part that the table can do without; None, and why is said, when it cannot be had."""
        try:
            return open_it()
        except CompanionError as why:
            log.warning("%s: %s", part, why.sentence)  # whoever has just started it looks at the terminal
            self._status.set(part, "down", why.sentence)
        except Exception:
            log.exception("%s cannot be opened", part)
            self._status.set(part, "down", _("Something unexpected keeps this part from starting: see the log."))
        return None

    def _open_teller(self) -> Teller | None:
        """What tells the house's own automation, where there is any."""
        broker, names = self.plan.broker, self.plan.broker_hears_names
        return Teller(self.host, broker, names=names) if broker else None

    def _open_box(self, outside: Outside) -> Any:
        """The box of buttons, lights and buzzer; in a demo a simulated one on mock pins."""
        if not self.plan.demo and self.plan.table_toml is None:
            return None
        from firmware.box import open_box

        box = open_box(
            self.plan.table_toml,
            self.plan.demo,
            outside.clock,
            self._hear_press,
            lambda: outside.live.publish("box"),
        )
        answers = _("The simulated box answers.") if self.plan.demo else _("The box answers.")
        outside.status.set("box", "ok", box.trouble or answers)
        return box

    def _quieten(self) -> None:
        """The box plays tones unless the house, its plan or this start says no."""
        if self._box is None:
            return
        if self.plan.silent:
            with only_logged("keeping the box silent after this start"):
                self.host.set_silent(True)
        self._box.set_silent(self.plan.silent or self.host.silent or self._box.plan.silent)

    def _tell_of_the_journal(self, trouble: str) -> None:
        self._status.set("journal", "down" if trouble else "ok", trouble or _("The journal can be written again."))

    def _hear_press(self, signal: Signal) -> None:
        """One that comes while the house is still put together waits for it."""
        self._whole.wait()
        self.host.presses.hear(signal)

    def _hear_stirring(self) -> None:
        self.host.questions.stirred()

    def _hear(self, name: str, message: object) -> None:
        """What the camera with that name has seen."""
        match message:
            case Settled():
                self.host.on_reading(message)
            case Glanced(token, settled):
                self.host.on_glance(token, settled)
            case Photo(jpeg):
                self.host.photo = jpeg

    def _look(self) -> float:
        """The box's look depends on the time as well as on the state."""
        self._cameras.end_if_unwatched()
        self.host.count_due()
        self.host.active.refresh_look()
        return LOOK_S

    def _do_daily_work(self) -> float:
        # the table comes first: Linux lets a thread of its own be the least urgent
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
        parts = (self._box, *self._cameras.opened(), self.host.timers, self._looks, *self.beside)
        return all(part.is_alive() for part in parts if part)
