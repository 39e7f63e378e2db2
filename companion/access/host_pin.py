"""The host's PIN: whoever types it becomes the host. Wrong guesses, at it or at a short code, lead to longer waits."""

import contextlib
import json
import secrets
import threading
from collections.abc import Callable, Iterator

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from companion.access.short_codes import CODE_MINUTES
from companion.access.tickets import Tickets
from companion.clock import uptime_us
from companion.errors import NotAllowed, TooManyTries
from companion.foreign import read_json
from companion.ids import EVERY
from companion.journal.calendar import HOUR_US, boot_here, date_us
from companion.journal.devices import BY_PIN, Role
from companion.journal.settings import PIN, RIGHT_PINS, WRONG_PINS
from companion.journal.store import Journal
from companion.network.addresses import network_of
from companion.words import _

PIN_DIGITS = 8
# A board with 512 MB gets the smallest of the usual recommendations for argon2id (19 MiB, two passes).
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
FREE_TRIES = 5  # After so many wrong PINs an address has to wait.
MOST_TRIES = 40  # After so many wrong PINs together everybody has to wait.
FIRST_WAIT_US = 30_000_000
LONGEST_WAIT_US = HOUR_US
FORGOTTEN_DAYS = 2  # Who stops guessing for so long could have tried more often by going on.
EVERYBODY = EVERY
MOST_ADDRESSES = 500
MOST_HOSTS = 20


class Wrong(msgspec.Struct, frozen=True, array_like=True):
    """Wrong PINs of one address: how many, and when it may try again, in microseconds of the uptime of that boot.

    day     of the last one, in days since 1970; 0 where an earlier companion counted it
    """

    count: int
    free_us: int = 0
    boot: str = ""
    day: int = 0


class HostPin:
    """The PIN of one house. Thread-safe."""

    def __init__(
        self,
        journal: Journal,
        tickets: Tickets,
        now_us: Callable[[], int] = uptime_us,
        hasher: PasswordHasher = HASHER,
    ) -> None:
        """now_us      the kernel's uptime: somebody who sets the clock shortens no wait

        hasher      of a new PIN; each hash says how it was made, so that any HostPin can check it
        """
        self._journal = journal
        self._tickets = tickets
        self._now_us = now_us
        self._hasher = hasher
        self._begun_us = now_us()
        self._lock = threading.Lock()

    def renew(self) -> str:
        """Makes a new PIN and returns it, to be shown once; only its hash is stored."""
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
        PIN.put(self._journal, self._hasher.hash(pin))
        return pin

    def is_set(self) -> bool:
        return bool(PIN.of(self._journal))

    @contextlib.contextmanager
    def guess(self, address: str) -> Iterator[None]:
        """One guess from an address, at the PIN or a short code: a NotAllowed within it counts as a wrong one.

        Raises TooManyTries while this address, or everybody, has to wait. A wrong guess costs its address a wait that
        doubles each time; a guess made while waiting is not even looked at. An address where the right PIN was typed
        before waits for its own wrong ones alone, so nobody can keep the host out. A right code forgives nothing:
        whoever has one could go on guessing the PIN.
        """
        address = network_of(address)
        with self._lock:
            self._check_wait(address)
            try:
                yield
            except NotAllowed:
                self._remember_wrong(address)
                raise

    def token_for(self, pin: str, address: str) -> str:
        """The host's token for the right PIN, within a `guess`; raises NotAllowed for anything else."""
        if not is_pin(PIN.of(self._journal), pin):
            raise NotAllowed(
                _(
                    "Wrong PIN or code. A code ends after {minutes} minutes: ask the host for a new one.",
                    minutes=CODE_MINUTES,
                )
            )
        address = network_of(address)
        WRONG_PINS.put(self._journal, WRONG_PINS.usual)
        hosts = [host for host in self._hosts() if host != address]
        RIGHT_PINS.put(self._journal, json.dumps([*hosts, address][-MOST_HOSTS:]))
        return self._tickets.issue(Role.HOST, label=BY_PIN)

    def _check_wait(self, address: str) -> None:
        wrong = self._wrong()
        for who in (address,) if address in self._hosts() else (address, EVERYBODY):
            left_us = self._free_us(who, wrong[who]) - self._now_us() if who in wrong else 0
            if left_us > 0:
                seconds = -(-left_us // 1_000_000)
                raise TooManyTries(_("Too many wrong tries. Try again in {seconds} seconds.", seconds=seconds))

    def _hosts(self) -> list[str]:
        """The addresses where the right PIN was typed, newest last."""
        return list(read_json(RIGHT_PINS.of(self._journal)))

    def _wrong(self) -> dict[str, Wrong]:
        """The wrong PINs of each address, from the journal, so that a restart forgets nothing.

        Some days without any do, once the wait is over: else a family that mistypes a code now and then would wait
        longer from month to month.
        """
        oldest, now_us = self._today() - FORGOTTEN_DAYS, self._now_us()
        return {
            who: wrong
            for who, wrong in read_json(WRONG_PINS.of(self._journal), dict[str, Wrong]).items()
            if (wrong.day or oldest + 1) > oldest or self._free_us(who, wrong) > now_us
        }

    def _today(self) -> int:
        return date_us(self._journal) // (24 * HOUR_US)

    def _free_us(self, who: str, wrong: Wrong) -> int:
        """When an address may try again. In another boot of the kernel its wait begins anew, with this program."""
        return wrong.free_us if wrong.boot == boot_here() else self._begun_us + wait_us(who, wrong.count)

    def _remember_wrong(self, address: str) -> None:
        wrong = self._wrong()
        for who in (address, EVERYBODY):
            count = wrong.pop(who, Wrong(0)).count + 1
            wrong[who] = Wrong(count, self._now_us() + wait_us(who, count), boot_here(), self._today())
        WRONG_PINS.put(self._journal, msgspec.json.encode(dict(list(wrong.items())[-MOST_ADDRESSES:])).decode())


def wait_us(who: str, count: int) -> int:
    """How long an address, or EVERYBODY, waits after so many wrong PINs."""
    over = count - (MOST_TRIES if who == EVERYBODY else FREE_TRIES)
    return 0 if over < 0 else min(FIRST_WAIT_US << min(over, 20), LONGEST_WAIT_US)


def is_pin(pin_hash: str, pin: str) -> bool:
    """Whether `pin` has this hash; False while no PIN was made ("")."""
    try:
        return HASHER.verify(pin_hash, pin)
    except (VerificationError, InvalidHashError):
        return False
