"""The host's PIN: whoever types it becomes the host, and wrong guesses lead to ever longer waits."""

import json
import secrets
import threading
from collections.abc import Callable

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from companion.access.tickets import Tickets
from companion.errors import NotAllowed, TooManyTries
from companion.journal.devices import BY_PIN, Role
from companion.journal.settings import PIN, RIGHT_PINS, WRONG_PINS
from companion.journal.store import Journal
from companion.network.addresses import network_of
from companion.words import _

PIN_DIGITS = 8
# argon2id for a board with 512 MB: the smallest setting of the usual recommendations (19 MiB, two passes)
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
FREE_TRIES = 5  # wrong PINs of one address before it has to wait
MOST_TRIES = 40  # wrong PINs of everybody together before everybody has to wait
FIRST_WAIT_US = 30_000_000
LONGEST_WAIT_US = 3_600_000_000
EVERYBODY = "*"
MOST_ADDRESSES = 500  # remembered for their wrong PINs
MOST_HOSTS = 20  # addresses remembered for the right one


class HostPin:
    """The PIN of one house. Thread-safe."""

    def __init__(self, journal: Journal, tickets: Tickets, now_us: Callable[[], int] | None = None) -> None:
        self._journal = journal
        self._tickets = tickets
        self._now_us = now_us or tickets.now_us
        self._lock = threading.Lock()

    def renew(self) -> str:
        """Makes a new PIN and returns it, to be shown once; only its hash is stored."""
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
        PIN.put(self._journal, HASHER.hash(pin))
        return pin

    def is_set(self) -> bool:
        """Whether a PIN was ever made here."""
        return bool(PIN.of(self._journal))

    def enter(self, pin: str, address: str) -> str:
        """The host's token for the right PIN.

        Raises TooManyTries while this address, or everybody, has to wait, and NotAllowed for a wrong PIN. A wrong PIN
        costs its address a wait that doubles each time; a guess made while waiting is not even looked at. An address
        where the right PIN was typed before waits for its own wrong ones alone, so nobody can keep the host out.
        """
        address = network_of(address)
        with self._lock:
            self._check_wait(address)
            right = is_pin(PIN.of(self._journal), pin)
            if right:
                WRONG_PINS.put(self._journal, WRONG_PINS.usual)
                hosts = [each for each in self._hosts() if each != address]
                RIGHT_PINS.put(self._journal, json.dumps([*hosts, address][-MOST_HOSTS:]))
            else:
                self._remember_wrong(address)
        if not right:
            raise NotAllowed(_("Wrong PIN. Check the table's screen, or make a new PIN there."))
        return self._tickets.issue(Role.HOST, label=BY_PIN)

    def _check_wait(self, address: str) -> None:
        wrong = self._wrong()
        for who in (address,) if address in self._hosts() else (address, EVERYBODY):
            _count, free_us = wrong.get(who, (0, 0))
            left_us = min(free_us - self._now_us(), LONGEST_WAIT_US)  # a clock set back locks nobody out
            if left_us > 0:
                seconds = -(-left_us // 1_000_000)
                raise TooManyTries(_("Too many wrong PINs. Try again in {seconds} seconds.", seconds=seconds))

    def _hosts(self) -> list[str]:
        """The addresses where the right PIN was typed, newest last."""
        return list(json.loads(RIGHT_PINS.of(self._journal)))

    def _wrong(self) -> dict[str, tuple[int, int]]:
        """Address → (wrong PINs so far, when it may try again), from the journal, so that a restart forgets nothing."""
        return {who: (count, free_us) for who, (count, free_us) in json.loads(WRONG_PINS.of(self._journal)).items()}

    def _remember_wrong(self, address: str) -> None:
        wrong = self._wrong()
        for who in (address, EVERYBODY):
            count = wrong.pop(who, (0, 0))[0] + 1
            over = count - (MOST_TRIES if who == EVERYBODY else FREE_TRIES)
            wait_us = 0 if over < 0 else min(FIRST_WAIT_US << min(over, 20), LONGEST_WAIT_US)
            wrong[who] = (count, self._now_us() + wait_us)
        WRONG_PINS.put(self._journal, json.dumps(dict(list(wrong.items())[-MOST_ADDRESSES:])))


def is_pin(pin_hash: str, pin: str) -> bool:
    """Whether `pin` has this hash; False while no PIN was made ("")."""
    try:
        return HASHER.verify(pin_hash, pin)
    except (VerificationError, InvalidHashError):
        return False
