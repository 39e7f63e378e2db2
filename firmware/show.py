"""What the box shows: sets lights and buzzer as the look asks, in step with table time, on one thread of its own."""

import logging
import threading
from collections.abc import Callable, Sequence

from companion.clock import Clock
from companion.game.box import BoxLook, Phase
from firmware.buzzer import Buzzer
from firmware.language import Language, is_lit, next_blink_us, tone_at
from firmware.lights import SeatLight, StatusLight

RETRY_US = 1_000_000  # after a pin could not be set
ASIDES = (Phase.WRONG, Phase.ASK)  # they pass, and what they interrupted goes on instead of beginning again

log = logging.getLogger(__name__)


class Show:
    """Runs from `start` to `stop`. `look` may be set from any thread and never waits for a light or a tone."""

    def __init__(
        self,
        language: Language,
        seats: Sequence[SeatLight],
        status: StatusLight | None,
        buzzer: Buzzer | None,
        clock: Clock,
        *,
        silent: bool,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._language = language
        self._seats = seats
        self._status = status
        self._buzzer = buzzer
        self._clock = clock
        self._silent = silent
        self._on_change = on_change
        self._look = BoxLook(Phase.WAITING, ())
        self._entered_us = clock.now_us()
        self._interrupted: tuple[Phase, int] | None = None  # the phase before an aside, and when it was entered
        self._tone_hz: int | None = None
        self._stopping = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="lights and buzzer", daemon=True)

    @property
    def look(self) -> BoxLook:
        """How the box looks."""
        return self._look

    def set_look(self, look: BoxLook) -> None:
        """How the box looks from now on; entering another phase plays its tune."""
        with self._changed:
            if look == self._look:
                return
            if look.phase is not self._look.phase:
                self._enter(look.phase)
            self._look = look
            self._changed.notify()

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
        """No tones while True."""
        with self._changed:
            self._silent = silent
            self._changed.notify()

    def start(self) -> None:
        """Begins to show."""
        self._thread.start()

    def stop(self) -> None:
        """Ends; the devices stay as they are and are closed by their owner."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        with self._changed:
            while not self._stopping:
                now_us = self._clock.now_us()
                try:
                    next_us = self.perform(now_us)
                except Exception:  # a pin that fails must not end the show for the others
                    log.exception("the box's lights cannot be set")
                    next_us = now_us + RETRY_US
                self._changed.wait(None if next_us is None else max(0, next_us - self._clock.now_us()) / 1_000_000)

    def perform(self, now_us: int) -> int | None:
        """Sets everything as it must be at table time `now_us`; gives when something changes next, None for never."""
        look, sign = self._look, self._language.phases[self._look.phase]
        blinks = [self._language.lights[light] for light in look.lights[: len(self._seats)]]
        for seat, blink in zip(self._seats, blinks, strict=False):
            seat.set(is_lit(blink, now_us))
        for seat in self._seats[len(blinks) :]:
            seat.set(False)
        if self._status is not None:
            status = self._language.lights[sign.light]
            blinks.append(status)
            self._status.set(sign.status if is_lit(status, now_us) else (False, False, False))
        changes_us = [next_blink_us(blink, now_us) for blink in blinks]
        if self._buzzer is not None:
            tone_hz, tone_until_us = tone_at(sign, self._entered_us, now_us)
            changes_us.append(tone_until_us)
            self._sound(None if self._silent else tone_hz)
        return min((change_us for change_us in changes_us if change_us is not None), default=None)

    def _sound(self, tone_hz: int | None) -> None:
        assert self._buzzer is not None
        self._buzzer.play(tone_hz)
        if tone_hz != self._tone_hz:
            self._tone_hz = tone_hz
            self._on_change()
