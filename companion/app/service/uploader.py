"""Sends finished games to the hub, and each later correction, as long as it takes."""

import http.client
import json
import logging
import math
import time
from collections.abc import Callable

from companion.app.service.introductions import Introductions
from companion.app.service.staff_orders import enter_order
from companion.clock import is_wall_sure, wall_us
from companion.errors import CompanionError, GameUnreadable, NotFound
from companion.foreign import Unreadable, read_address, read_json
from companion.house import next_game
from companion.house.host import Host
from companion.journal.settings import TABLE_NAME
from companion.letters.chain import pack, unpack
from companion.letters.counting import LEAP
from companion.letters.envelope import Envelope, make_envelope, seal
from companion.letters.errand import answer_order, ask, read_errand
from companion.letters.greeting import new_challenge, read_greeting
from companion.letters.keys import Key
from companion.letters.offer import Doing
from companion.letters.outbox import Changed, Outbox, State, Waiting
from companion.network import outgoing
from companion.periodic import PeriodicThread
from companion.words import N_, _

ROUND_S = 5.0
GREETED_S = 60.0  # A hub that answered says again after so long who it is: it may have been started anew.
INTRODUCED_S = 20.0  # After so long somebody may have been renamed, deleted or allowed to be known.
LONGEST_WAIT_S = 60.0  # A hub that comes back hears each table before it calls one silent.
PATIENCE_S, LEAST_BYTES_PER_S = 15.0, 200_000  # For an answer, and for what is sent.
TAKEN, REFUSED = (200, 201, 202), (409, 413, 422)  # Any other answer may be another one later.
# A hub that was started anew holds more for asked than was; to a card's image of long ago, all that was asked since.
LEAPS = (0, *(LEAP << times for times in range(12)))  # They reach over two months within a round.
NO_ERRANDS = (404, 405)  # An older hub has no tournaments.
MOST_ANSWER_BYTES = 100_000

FAILED = N_("Something went wrong with the hub. You can play on without it, and the table tries again.")
BROKEN = N_("A finished game can't be sent to the hub. It is safe here. The table's log says why.")
AWAY = N_("The hub doesn't answer. You can play on without it.")

log = logging.getLogger(__name__)


class Uploader(PeriodicThread):
    """Puts letters into the outbox and sends them, from `start` to `stop`."""

    def __init__(
        self,
        host: Host,
        outbox: Outbox,
        now_s: Callable[[], float] = time.monotonic,
        on_broker: Callable[[str, int, bool], None] = lambda _host, _port, _is_owners: None,
        spread: Callable[[float], float] = lambda wait_s: wait_s,
    ) -> None:
        """
        now_s       gives a time in seconds that never goes back
        on_broker   called with host and port of the broker by which the hub shows tables live; the port is 0 for none;
                    and whether this table's owner has named its host, or the hub alone
        spread      makes a wait a little longer or shorter
        """
        super().__init__("hub", self.go_round, hung_s=math.inf)  # Each request has a time of its own.
        self._on_broker, self._greet_s, self._spread = on_broker, -math.inf, spread
        self._introductions, self._introduce_s = Introductions(host.journal, outbox), -math.inf
        self._host, self._outbox, self._now_s = host, outbox, now_s
        self._unfinished: dict[str, str] = {}  # session → its head when it was last seen not to be over
        self._hub_hears = False  # An older hub refuses a question that says what the table does.
        self._sent_again: set[int] = set()
        self._broken: dict[str, str] = {}  # likewise, when it could not be made ready for the hub
        self._wait_s, self._next_s = ROUND_S, 0.0

    def go_round(self) -> float:
        """One round: what has ended goes into the outbox, then what waits is sent. Returns seconds until the next."""
        self._host.staff.forget_old()
        if self._outbox.secret:
            self._pack_all()
        if self._now_s() >= self._next_s:
            self._send()
        return ROUND_S

    def _pack_all(self) -> None:
        """Puts each game that is over into the outbox; one that cannot be keeps no other back."""
        broken = {}
        for changed in self._outbox.changed():
            try:
                self._pack(changed)
            except Exception as error:  # Whatever is wrong with a game, the others are sent.
                broken[changed.session] = changed.head
                if self._broken.get(changed.session) != changed.head:
                    log.error("game %s can't be made ready for the hub", changed.session, exc_info=error)
        self._broken = broken

    def _pack(self, changed: Changed) -> None:
        """Puts a game into the outbox if it is over, or was there before."""
        if self._unfinished.get(changed.session) == changed.head:
            return
        try:
            table = self._host.table(changed.session)
        except NotFound:  # It was deleted just now.
            return
        except GameUnreadable:  # Only another version can say how it ended.
            self._unfinished[changed.session] = changed.head
            return
        journal = self._host.journal
        with table.lock:
            is_over = table.game.rules.is_over(table.state)
            if not is_over and not changed.was_sent:
                self._unfinished[changed.session] = table.fingerprint
                return
            ranks = table.game.rules.ranking(table.state) if is_over else ()
            header, rows = journal.header(changed.session), journal.rows(changed.session)
            evidence = journal.evidence(changed.session)
        if header is None:  # It was deleted just now.
            return
        chain, key, newest = unpack(pack(header, rows)), Key(self._outbox.secret), self._outbox.newest()
        before = read_json(newest.partition(b"\n")[0], Envelope) if newest else None
        envelope = make_envelope(key, chain, before, ranks, evidence, wall_us(), wall_sure=is_wall_sure())
        self._outbox.add(Waiting(envelope.n, changed.session, chain.head, seal(key, envelope, chain)))

    def _send(self) -> None:
        """Exchanges what waits; after any failure the next try is later, up to LONGEST_WAIT_S."""
        trouble = _(FAILED)
        try:
            trouble = self._exchange()
        finally:
            self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S) if trouble else ROUND_S
            self._next_s = self._now_s() + (self._spread(self._wait_s) if trouble else 0.0)
            if not self.is_stopping:  # The journal is being closed then.
                self._tell(trouble)

    def _exchange(self) -> str:
        """Sends what waits, oldest first, and asks for errands, until something fails; returns what is wrong, or ""."""
        trouble = self._greet()
        if not trouble and not self._outbox.is_enrolled:
            trouble = self._enrol()
        while not trouble and not self.is_stopping and (letter := self._outbox.first_waiting()):
            status, sentence = self._ask("PUT", f"/v1/games/{letter.session}/{letter.head}", letter.letter)
            if self.is_stopping:  # The journal is being closed: the letter is sent again, and the hub knows it then.
                return ""
            if status in TAKEN:
                self._introduce_s = -math.inf  # Its players may be people whom the hub knows.
                self._outbox.mark(letter.n, State.UPLOADED)
            elif status in REFUSED:
                log.warning("the hub refused game %s: %s", letter.session, sentence)
                self._outbox.mark(letter.n, State.REFUSED, str(sentence))
            else:
                trouble = sentence
        if not trouble and self._now_s() >= self._introduce_s:
            trouble = self._introductions.send(self._ask)
            self._introduce_s = self._now_s() + INTRODUCED_S
        return trouble or self._ask_errand()

    def _greet(self) -> str:
        """Has the hub say who it is, always before something goes to it; returns what is wrong, or ""."""
        if self._now_s() < self._greet_s and self._outbox.is_enrolled and not self._outbox.first_waiting():
            return ""
        challenge = new_challenge()
        status, answer = self._fetch("GET", f"/v1/hub?challenge={challenge}")
        self._greet_s = -math.inf
        if status != http.client.OK:
            return sentence_of(answer) if status else _(AWAY)
        try:
            greeting = read_greeting(answer, challenge, self._outbox.pin)
        except CompanionError as refusal:
            return refusal.sentence
        if not self._outbox.pin:
            self._outbox.set_pin(greeting.id)
        self._greet_s = self._now_s() + GREETED_S
        hub = read_address(self._outbox.hub).hostname or ""
        broker = greeting.mqtt_host or hub
        # A hub that is on this machine by its owner's word may have its broker there, too.
        self._on_broker(broker, greeting.mqtt_port, broker == hub or outgoing.is_here(hub))
        return ""

    def _ask_errand(self) -> str:
        """Asks what the hub has for this table, a game, corrections, a chime; returns what is wrong, or ""."""
        key = Key(self._outbox.secret)
        for number, leap in enumerate(LEAPS):
            challenge = self._outbox.next_challenge(leap)
            doing = self._doing() if self._hub_hears else None
            status, answer = self._fetch("POST", "/v1/errands", ask(key, challenge, doing))
            # An older hub does not say why it refuses, so the first leap is one on trial.
            if status != http.client.FORBIDDEN or self.is_stopping or (number and not was_asked_before(answer)):
                break
        self._hub_hears = self._hub_hears and status != http.client.UNPROCESSABLE_ENTITY
        if status in NO_ERRANDS:
            return ""
        if status != http.client.OK:
            self._greet_s = -math.inf  # Another hub may have taken the address.
            return (self._greet() or sentence_of(answer)) if status else _(AWAY)
        try:
            errand_ = read_errand(answer, key.id, challenge, self._outbox.pin)
            self._host.offered = errand_.offer
            self._hub_hears = errand_.hears
            self._outbox.send_again(set(errand_.again) - self._sent_again)
            self._sent_again = set(errand_.again)  # What it does not take is sent again once.
            self._host.staff.hear(errand_.chime)
            for order in errand_.orders:
                reply = answer_order(key, order.id, enter_order(self._host, order))
                status, sentence = self._ask("PUT", f"/v1/orders/{order.id}", reply)
                if status != http.client.OK:
                    return sentence
        except CompanionError as refusal:
            return refusal.sentence
        return ""

    def _doing(self) -> Doing:
        """What this table does now."""
        active = self._host.active.session
        is_over = active is not None and not self._host.table(active).is_played
        sure = is_wall_sure()
        return Doing(session=active, over=is_over, wall_us=wall_us(), wall_sure=sure, sent=self._outbox.count())

    def _enrol(self) -> str:
        """Enrols the table; returns what is wrong, or ""."""
        code, secret = self._outbox.code, self._outbox.secret
        if not (code and secret):
            return _("This table isn't enrolled at the hub. Start it with --hub and --enrol.")
        key = Key(secret)
        body = {
            "code": code,
            "public": key.public.hex(),
            "signature": key.sign(code.encode()).hex(),
            "name": TABLE_NAME.of(self._host.journal),
        }
        status, sentence = self._ask("POST", "/v1/tables", json.dumps(body).encode())
        if status != http.client.CREATED:
            return sentence
        self._outbox.set_enrolled()
        return ""

    def _ask(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        """The hub's status and sentence; 0 if it does not answer."""
        status, answer = self._fetch(method, path, body)
        return status, sentence_of(answer) if status else _(AWAY)

    def _fetch(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """The hub's status and answer; 0 if it does not answer."""
        kind = {"Content-Type": "application/octet-stream"}
        within_s = PATIENCE_S + len(body) / LEAST_BYTES_PER_S
        try:
            url = self._outbox.hub + path
            reply = outgoing.ask(method, url, body, kind, within_s=within_s, most_bytes=MOST_ANSWER_BYTES)
        except OSError as error:
            log.debug("the hub does not answer: %s", error)
            return 0, b""
        return reply.status, reply.body

    def _tell(self, trouble: str) -> None:
        summary = self._outbox.summary()
        if trouble:
            self._host.status.set("hub", "down", trouble)
        elif next_game.open_offer(self._host):
            self._host.status.set("hub", "note", _("The hall has a game for this table. Begin it on the first page."))
        elif self._broken:
            self._host.status.set("hub", "note", _(BROKEN))
        elif summary.refused:
            self._host.status.set("hub", "note", _("The hub didn't take a game. Look at the page of the house."))
        else:
            self._host.status.set("hub", "ok", _("The hub has every finished game."))


def sentence_of(answer: bytes) -> str:
    """The sentence in a hub's answer, which pages can tell in another language, or one of ours if it has none."""
    sentence = told_in(answer).get("error")
    return (
        _(sentence)
        if isinstance(sentence, str)
        else _("The hub gave an answer that nobody can read. Check its address.")
    )


def was_asked_before(answer: bytes) -> bool:
    """Whether a hub refuses a question because it holds it for asked; another one that is far ahead may be answered."""
    return told_in(answer).get("asked_before") is True


def told_in(answer: bytes) -> dict[str, object]:
    try:
        return read_json(answer, dict[str, object])
    except Unreadable:
        return {}
