"""Judging the buttons of a box all the time: presses that no hand has made do not count, and a fault is told."""

from collections.abc import Callable, Iterable, Mapping

from companion.game.box import Device, label_of
from companion.words import N_, _
from firmware import conduct
from firmware.conduct import Fault
from firmware.debounce import Change

Decided = tuple[str, Change]
OnFault = Callable[[str, str, bool], None]
"""Hears of a part of the box, how it is in one sentence, and whether that is a fault."""

SENTENCES = {
    Fault.STUCK: N_("The button “{button}” is down all the time. Free it, or look for a short circuit."),
    Fault.HUMS: N_("The button “{button}” gets pulses that no hand makes. Lead its cable away from mains and radios."),
    Fault.LOOSE: N_("The button “{button}” breaks off while it's held. Check its plug and its solder joints."),
    Fault.UNREADABLE: N_("The button “{button}” can't be read. Check its pin in table.toml, then restart the table."),
}
LEFT_OUT = N_("{trouble} Until it has been at rest, its presses don't count: tap on the tablet.")
BACK = N_("The button “{button}” is all right again, and its presses count.")


class Judge:
    """Judges each button, by its edges' stamps. Used on the box's thread alone.

    faults  what is wrong with which button now
    """

    def __init__(self, buttons: Mapping[str, tuple[Device, int | None]], on_fault: OnFault) -> None:
        self._buttons = buttons
        self._on_fault = on_fault
        self._conducts: dict[str, conduct.Conduct] = {}
        self._waiting: list[Decided] = []
        self._ignored: set[str] = set()  # The newest press of these did not count, so neither does its release.
        self._down: set[str] = set()

    def begin(self, name: str, closed: bool, now_us: int) -> None:
        self._conducts[name] = conduct.begun(closed, now_us)

    def hear(self, name: str, closed: bool, at_us: int) -> None:
        """Takes a raw edge."""
        self._conducts[name] = conduct.moved(self._conducts[name], closed, at_us)

    @property
    def due_us(self) -> int | None:
        """When a doubtful press is decided, unless more edges come; None where there is none."""
        if not self._waiting:
            return None
        return self._conducts[self._waiting[0][0]].edge_us + conduct.QUIET_US

    def sift(
        self, decided: Iterable[Decided], until_us: int, in_round: bool, unreadable: Iterable[str] = ()
    ) -> list[Decided]:
        """The changes that count by now, in the order of their stamps. After a doubtful one the others wait for it.

        until_us    probably every edge up to then was heard
        """
        counting = self._judge(until_us, in_round, frozenset(unreadable))
        self._waiting = sorted((*self._waiting, *decided), key=lambda pair: pair[1].at_us)
        while self._waiting:
            name, change = self._waiting[0]
            behaviour = self._conducts[name]
            if not behaviour.is_left_out and change.pressed and conduct.is_doubtful(behaviour, change.at_us, until_us):
                break
            del self._waiting[0]
            if change.pressed:
                is_hand = not behaviour.is_left_out and not conduct.is_noise(behaviour, change.at_us)
                (self._ignored.discard if is_hand else self._ignored.add)(name)
            if name not in self._ignored:
                (self._down.add if change.pressed else self._down.discard)(name)
                counting.append((name, change))
        return counting

    def _judge(self, now_us: int, in_round: bool, unreadable: frozenset[str]) -> list[Decided]:
        """Judges all buttons; returns the releases of those that are left out from now on."""
        released = []
        for name, before in self._conducts.items():
            after = conduct.judged(before, now_us, in_round, name in unreadable)
            self._conducts[name] = after
            if after.fault is before.fault:
                continue
            button = label_of(*self._buttons[name])
            if after.fault is None:
                self._on_fault(f"button {name}", _(BACK, button=button), False)
                continue
            trouble = _(SENTENCES[after.fault], button=button)
            if not after.is_left_out:
                self._on_fault(f"button {name}", trouble, True)
                continue
            self._on_fault(f"button {name}", _(LEFT_OUT, trouble=trouble), True)
            self._ignored.add(name)
            if name in self._down:
                self._down.discard(name)
                released.append((name, Change(False, now_us)))
        return released
