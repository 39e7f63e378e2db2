"""The button box of one table: opens its devices, reports presses with their times, and shows a game's look.

pin changes ─ queue ─► debounce ─► judge ─► on_signal, in the order of the stamps
show(look) ─► lights and buzzer on their own thread
"""

import contextlib
import logging
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from gpiozero.pins import Factory
from gpiozero.pins.mock import MockFactory

from companion.clock import Clock
from companion.errors import HardwareUnavailable
from companion.game.box import BoxLook, Signal
from companion.periodic import PeriodicThread
from companion.words import _
from firmware import debounce
from firmware.buttons import Edge, TableButton
from firmware.buzzer import Buzzer
from firmware.debounce import Change, Contact
from firmware.judge import Judge, OnFault
from firmware.lights import SeatLights, StatusLight
from firmware.output import Output
from firmware.panel import Panel, panel_factory
from firmware.pi import pi_factory, stamp_trouble
from firmware.plan import BoxPlan, read_plan, usual_plan
from firmware.show import Show
from firmware.signs import load_signs

SIMULATED_SEATS = 4  # The stacking games seat as many.
SANE_AGE_US = 60_000_000  # A stamp further from now is another clock's; on a busy machine edges come seconds late.
QUIET_US = 30_000  # After so long without a message none is under way.
PULSE_S = 1.0  # The thread that takes edges gives a sign of life at least this often.
PAUSE_S = 0.01  # After an edge that could not be used.
LATE_S = 5.0  # Without a sign of life for so long the thread counts as dead.
AGAIN_US = 1_000_000  # Trying an unreadable pin again at once would take the whole processor.

OnSignal = Callable[[Signal], None]

log = logging.getLogger(__name__)


class Box:
    """Opened with `with`. `on_signal` is called on one thread of the box, in the order in which things happened.

    on_fault    called when a part of the box fails, or works again
    """

    def __init__(
        self,
        plan: BoxPlan,
        factory: Factory,
        on_signal: OnSignal,
        clock: Clock,
        *,
        on_change: Callable[[], None] = lambda: None,
        on_fault: OnFault = lambda _part, _sentence, _is_fault: None,
    ) -> None:
        self.plan = plan
        self.panel = Panel(plan, factory, self.is_blinking, on_change) if isinstance(factory, MockFactory) else None
        self._factory = factory
        self._on_signal = on_signal
        self._clock = clock
        self._on_change = on_change
        self._signs = load_signs()
        self._edges: SimpleQueue[Edge | None] = SimpleQueue()
        self._devices = {name: (device, seat) for name, device, seat, _ in plan.named_buttons()}
        self._buttons: dict[str, TableButton] = {}
        self._contacts: dict[str, Contact] = {}
        self._judge = Judge(self._devices, on_fault)
        self._on_fault = on_fault
        self._unreadable: dict[str, int] = {}  # button → when its unreadable pin is tried again
        self._undelivered: list[tuple[str, Change]] = []
        self._came_us = self._came_late_us = 0
        """When the message of the newest edge came, and how late it was."""
        self._show: Show | None = None
        self._open = ExitStack()
        self.trouble = ""
        """A sentence on what is wrong with the pins although they can be used."""
        self._warned = False
        self._pulse_s = time.monotonic()
        self._consumer = PeriodicThread(
            "buttons", self._consume, pause_s=PAUSE_S, longest_s=PULSE_S, works=self._gives_signs, is_needed=True
        )

    def __enter__(self) -> Self:
        return self.open()

    def open(self) -> Self:
        """Takes the pins, with all outputs off; raises HardwareUnavailable. Does nothing if it was opened before."""
        try:
            if self._show is None:
                self._open_devices()
        except Exception as error:  # lgpio's own error is a plain Exception.
            self.close()
            raise HardwareUnavailable(
                _(
                    "The button box can't be opened ({error}). Stop other programs that use pins, and check "
                    "table.toml.",
                    error=error,
                )
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_devices(self) -> None:
        self._open.callback(self._factory.close)
        outputs = []
        for output in self._open_outputs():
            self._open.callback(output.close)
            outputs.append(output)
        for name, _device, _seat, pin in self.plan.named_buttons():
            button = TableButton(name, pin, self.plan.pull, self._factory, self._edges)
            self._open.callback(button.close)
            self._buttons[name] = button
            self._contacts[name] = debounce.at_rest(button.is_pressed())
            self._judge.begin(name, self._contacts[name].level, self._clock.now_us())
        self._show = Show(self._signs, outputs, self._clock, silent=self.plan.silent, on_fault=self._on_fault)
        self._show.start()
        self._open.callback(self._show.stop)
        self._pulse_s = time.monotonic()
        self._consumer.start()
        self._open.callback(self._consumer.join)
        self._open.callback(self._edges.put, None)

    def _open_outputs(self) -> Iterator[Output]:
        """The outputs of the box, opened one after the other."""
        yield SeatLights([pins.led for pins in self.plan.seats], self._factory)
        if self.plan.status is not None:
            yield StatusLight(self.plan.status, self._factory)
        if self.plan.buzzer is not None:
            yield Buzzer(self.plan.buzzer, self._factory, self._on_change)

    def close(self) -> None:
        """Switches lights and buzzer off and releases the pins."""
        self._open.close()

    def show(self, look: BoxLook) -> None:
        """Sets the look of the box; see `Show`."""
        if self._show is not None and look != self._show.look:
            self._show.set_look(look)
            self._on_change()

    def set_silent(self, silent: bool) -> None:
        if self._show is not None:
            self._show.set_silent(silent)

    def chime(self) -> None:
        """Rings once for the staff of the hall; see `Show`."""
        if self._show is not None:
            self._show.chime()

    def is_blinking(self, led: str) -> bool:
        """Whether the LED of that name blinks now; "seat-1", …, or a colour of the status light."""
        look = self._show.look if self._show is not None else None
        if look is None:
            return False
        sign = self._signs.phases[look.phase]
        if led.startswith("status-"):
            colour = ("status-red", "status-green", "status-blue").index(led)
            return sign.status[colour] and not self._signs.lights[sign.light].is_steady
        seat = int(led.removeprefix("seat-"))
        return seat <= len(look.lights) and not self._signs.lights[look.lights[seat - 1]].is_steady

    def pressed_buttons(self) -> tuple[str, ...]:
        """The names of the buttons that are down right now. If nobody touches them, they are stuck or wired wrongly."""
        return tuple(name for name, button in self._buttons.items() if button.is_pressed())

    def is_alive(self) -> bool:
        """Whether presses are being taken. If not, the service must be started again."""
        return self._consumer.is_alive()

    def _gives_signs(self) -> bool:
        return time.monotonic() - self._pulse_s < LATE_S

    def _consume(self) -> float | None:
        """One round of taking edges; an error with one never stops the next."""
        if not self._take_edges():
            return None
        self._report(self._due_changes())
        if not self._unreadable:
            self._pulse_s = time.monotonic()
        return 0.0

    def _take_edges(self) -> bool:
        """Waits for edges, or until something is due, and takes all that have come; returns False at the end."""
        with contextlib.suppress(Empty):
            edge = self._edges.get(timeout=self._wait_s())
            while edge is not None:
                self._take(edge)
                edge = self._edges.get_nowait()
            return False
        return True

    def _wait_s(self) -> float:
        dues_us = (*map(self._due_us, self._contacts), self._judge.due_us)
        due_us = min((at_us for at_us in dues_us if at_us is not None), default=None)
        if due_us is None:
            return PULSE_S
        now_us = self._clock.now_us()
        late_us = self._late_us(now_us)
        wait_us = min(due_us + late_us - now_us, QUIET_US) if late_us else due_us - now_us
        return min(PULSE_S, max(0, wait_us) / 1_000_000)

    def _take(self, edge: Edge) -> None:
        at_us, self._came_us = self._table_us(edge.stamp_s), self._clock.now_us()
        self._came_late_us = self._came_us - at_us
        self._judge.hear(edge.name, edge.pressed, at_us)
        contact, changes = debounce.edge(self._contacts[edge.name], edge.pressed, at_us)
        self._contacts[edge.name] = contact
        self._undelivered += [(edge.name, change) for change in changes]

    def _late_us(self, now_us: int) -> int:
        """How old an edge may be whose message is still under way: as the newest edge was, until all is quiet."""
        return 0 if now_us - self._came_us >= QUIET_US else max(0, self._came_late_us)

    def _due_changes(self) -> list[tuple[str, Change]]:
        """The changes that count by now, ordered by stamp. All are decided equally late, so their order is true."""
        now_us = self._clock.now_us()
        until_us = now_us - self._late_us(now_us)
        for name, contact in self._contacts.items():
            due_us = self._due_us(name)
            pressed = None if due_us is None or due_us > until_us else self._read(name, now_us)
            if pressed is not None:
                self._contacts[name], changes = debounce.look(contact, pressed, now_us, until_us)
                self._undelivered += [(name, change) for change in changes]
        newly_decided, self._undelivered = self._undelivered, []
        in_round = self._show is not None and self._show.look.phase.in_round
        return self._judge.sift(newly_decided, until_us, in_round, self._unreadable)

    def _due_us(self, name: str) -> int | None:
        """When to read a button next, or None to wait for an edge."""
        due_us = self._contacts[name].due_us
        return None if due_us is None else max(due_us, self._unreadable.get(name, due_us))

    def _read(self, name: str, now_us: int) -> bool | None:
        """Whether the button is down, or None if its pin cannot be read, which does not stop the other buttons."""
        try:
            pressed = self._buttons[name].is_pressed()
        except Exception:  # lgpio's own error is a plain Exception.
            if name not in self._unreadable:
                log.exception("the pin of %s cannot be read, it is tried again each second", name)
            self._unreadable[name] = now_us + AGAIN_US
            return None
        self._unreadable.pop(name, None)
        return pressed

    def _table_us(self, stamp_s: float) -> int:
        """Table time of a stamp, or of its arrival if the kernel stamps with another clock."""
        at_us, now_us = self._clock.from_kernel(stamp_s), self._clock.now_us()
        if abs(now_us - at_us) < SANE_AGE_US:
            return at_us
        if not self._warned:
            self._warned = True
            log.warning(
                "button stamps are not of the monotonic clock; presses are timed by their arrival: update the kernel"
            )
        return now_us

    def _report(self, decided: list[tuple[str, Change]]) -> None:
        for name, change in decided:
            device, seat = self._devices[name]
            try:
                self._on_signal(Signal(device, change.pressed, change.at_us, seat, change.trace))
            except Exception:  # An error in a game must never stop the buttons.
                log.exception("the press of %s could not be used", name)


def open_box(
    table_toml: Path | None,
    simulate: bool,
    clock: Clock,
    on_signal: OnSignal,
    on_change: Callable[[], None] = lambda: None,
    on_fault: OnFault = lambda _part, _sentence, _is_fault: None,
) -> Box:
    """The table's open box: on the Pi's pins, or simulated on mock pins, with a `panel`.

    table_toml  file with its pins; None, only if simulated: the usual wiring for SIMULATED_SEATS

    Raises HardwareUnavailable when the file is missing or the pins cannot be used.
    """
    if table_toml is None and not simulate:
        raise HardwareUnavailable(_("No table.toml says which pins the box uses. Write one with companion init."))
    plan = usual_plan(SIMULATED_SEATS) if table_toml is None else read_plan(table_toml)
    factory = panel_factory() if simulate else pi_factory()
    box = Box(plan, factory, on_signal, clock, on_change=on_change, on_fault=on_fault).open()
    if not simulate:
        box.trouble = stamp_trouble(platform.release(), factory)
    return box
