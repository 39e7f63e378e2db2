"""Showing the look: every output follows it in step with table time, on one thread."""

import logging
import math
import threading
from collections.abc import Sequence

from companion.clock import Clock
from companion.game.box import BoxLook, Phase
from companion.periodic import PeriodicThread
from companion.words import N_, _
from firmware.judge import OnFault
from firmware.output import Moment, Output
from firmware.signs import Signs

RETRY_US = 1_000_000
PAUSE_S = 1.0
ASIDES = (Phase.WRONG, Phase.ASK)  # After a short phase the earlier one goes on instead of beginning again.

PARTS = {  # class of an output → its part of the status line, and how it is
    "SeatLights": (
        "lights",
        N_("The lights at the seats can't be set. Check their wires."),
        N_("The lights work again."),
    ),
    "StatusLight": (
        "status light",
        N_("The status light can't be set. Check its wires."),
        N_("The status light works again."),
    ),
    "Buzzer": ("buzzer", N_("The buzzer can't be set. Check its wires."), N_("The buzzer works again.")),
}

log = logging.getLogger(__name__)


class Show(PeriodicThread):
    """Shows the look from `start` to `stop`.

    `set_look` may be called on any thread. It waits at most until the outputs of the moment are set.
    """

    def __init__(
        self,
        signs: Signs,
        outputs: Sequence[Output],
        clock: Clock,
        *,
        silent: bool,
        on_fault: OnFault = lambda _part, _sentence, _is_fault: None,
    ) -> None:
        super().__init__("lights and buzzer", self._go_on, longest_s=PAUSE_S)
        self._signs = signs
        self._outputs = outputs
        self._clock = clock
        self._silent = silent
        self._on_fault = on_fault
        self._failing: set[str] = set()
        self._look = BoxLook(Phase.WAITING, ())
        self._entered_us = clock.now_us()
        self._rung_us: int | None = None
        self._interrupted: tuple[Phase, int] | None = None  # (phase before an aside, when it was entered)
        self._changing = threading.Lock()

    @property
    def look(self) -> BoxLook:
        return self._look

    def set_look(self, look: BoxLook) -> None:
        """Sets the look; another phase begins with its tune."""
        with self._changing:
            if look == self._look:
                return
            if look.phase is not self._look.phase:
                self._enter(look.phase)
            self._look = look
        self.again()

    def _enter(self, phase: Phase) -> None:
        before, began_us = self._look.phase, self._entered_us
        self._entered_us = self._clock.now_us()
        if phase in ASIDES:
            if before not in ASIDES:
                self._interrupted = before, began_us
            return
        if self._interrupted and self._interrupted[0] is phase:
            self._entered_us = self._interrupted[1]
        self._interrupted = None

    def set_silent(self, silent: bool) -> None:
        with self._changing:
            self._silent = silent
        self.again()

    def chime(self) -> None:
        """Rings once for the hall's staff; afterwards the phase's tune goes on where it is by then."""
        with self._changing:
            self._rung_us = self._clock.now_us()
        self.again()

    def _go_on(self) -> float:
        """One round. The outputs stay as they are when the thread ends; their owner closes them."""
        with self._changing:
            next_us = self.perform(self._clock.now_us())
        return math.inf if next_us is None else max(0, next_us - self._clock.now_us()) / 1_000_000

    def perform(self, now_us: int) -> int | None:
        """Sets every output for table time `now_us`; returns when one changes next, or None for never."""
        moment = Moment(self._signs, self._look, self._entered_us, now_us, self._silent, self._rung_us)
        changes_us = [self._show(output, moment) for output in self._outputs]
        return min((at_us for at_us in changes_us if at_us is not None), default=None)

    def _show(self, output: Output, moment: Moment) -> int | None:
        name = type(output).__name__
        try:
            next_us = output.show(moment)
        except Exception:  # A pin that fails must not stop the others.
            log.exception("%s cannot be set", name)
            self._tell(name, is_fault=True)
            return moment.now_us + RETRY_US
        self._tell(name, is_fault=False)
        return next_us

    def _tell(self, name: str, *, is_fault: bool) -> None:
        if is_fault == (name in self._failing) or name not in PARTS:
            return
        (self._failing.add if is_fault else self._failing.discard)(name)
        part, fails, works = PARTS[name]
        self._on_fault(part, _(fails if is_fault else works), is_fault)
