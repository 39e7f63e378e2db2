"""Load for a service: tablets that tap and retry, presses, and dice under the camera; and a ledger of the answers.

Nothing here knows a game: what may be tapped comes from the API.
"""

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.torture.house import GONE, House

GAMES = ("sack_stackers", "speedstax", "stack_dice", "pack_and_stack", "samestax", "sandpile_panic", "swapstax")
LONG_GAME = 120  # entries; then another game is begun, so that every game is played and none becomes slow
SERVER_ERROR = 500
UNUSABLE = 503
TABLES = 3  # games at the same time
BUTTONS = ("seat-1", "seat-2", "seat-3", "start", "confirm", "undo")
DICE_SEEN_S = 1.1  # a throw, its coming to rest, and the reading of it
HELD_S = 0.06  # a press lasts longer than the contacts chatter
PATIENCE_S = 0.02  # of a tablet before it tries again


@dataclass
class Ledger:
    """The answers of the service. `lock` guards the fields; each answer is recorded before the next request is sent.

    acknowledged    event id → (session, seq)
    refused         event ids that were refused for good
    seen            (session, seq) → hash, from an exported game
    counts          among others how often dice were thrown and buttons moved, each of which brings one entry at most
    wrong           sentences about what must not happen
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    sessions: list[str] = field(default_factory=list)
    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    seen: dict[tuple[str, int], str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def acknowledge(self, event_id: str, session: str, seq: int) -> None:
        """Records that an event was acknowledged; the second time it must be in the same place."""
        with self.lock:
            before = self.acknowledged.setdefault(event_id, (session, seq))
            if before != (session, seq):
                self.wrong.append(f"twice: {event_id} was acknowledged as {before} and as {(session, seq)}")
            self.counts["acknowledged"] += 1

    def report(self, wrong: str) -> None:
        """Records something that must not happen."""
        with self.lock:
            self.wrong.append(wrong)


class Crowd:
    """Threads that use one house until the context ends. While the service is gone, they wait for it."""

    def __init__(
        self, house: House, ledger: Ledger, random: Random, *, tablets: int, buttons: bool, dice: bool
    ) -> None:
        self._house = house
        self._ledger = ledger
        self._stopping = threading.Event()
        self._changed = threading.Condition()
        self._open, self._running = True, 0
        self._tables: dict[str, list[str]] = {}  # session → players
        members = [(self._tap, Random(random.random())) for _ in range(tablets)]
        members += [(self._press, Random(random.random()))] * buttons + [(self._throw, Random(random.random()))] * dice
        self._threads = [threading.Thread(target=member, args=(chance,), daemon=True) for member, chance in members]

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(30)
            if thread.is_alive():
                self._ledger.report("hung: a request was never answered")

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Lets no request run in this context; those that were running have been answered."""
        with self._changed:
            self._open = False
            self._changed.wait_for(lambda: self._running == 0, 30)
        try:
            yield
        finally:
            with self._changed:
                self._open = True
                self._changed.notify_all()

    def sessions(self) -> list[str]:
        """The games being played."""
        with self._ledger.lock:
            return list(self._tables)

    def _call(self, path: str, body: Any = None) -> tuple[int, Any]:
        with self._request_running():
            return self._house.call(path, body)

    @contextlib.contextmanager
    def _request_running(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._stopping.is_set(), 60)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    # tablets

    def _tap(self, random: Random) -> None:
        while not self._stopping.is_set():
            try:
                session = self._table(random)
                request = self._choose_request(session, random)
            except GONE:
                self._stopping.wait(PATIENCE_S)
                continue
            if request:
                self._send_until_answered(session, *request, random)

    def _table(self, random: Random) -> str:
        """A session to play; begins new ones first where there are fewer than TABLES."""
        while len(self.sessions()) < TABLES:
            self._begin(random)
        return random.choice(self.sessions() or [""])  # "" gives 404, and the next call begins new ones

    def _begin(self, random: Random) -> None:
        session_id = f"torture-{random.getrandbits(60):x}"
        game = random.choice(GAMES)
        names = ["Ann", "Bob", "Cy"][: 3 if game == "pack_and_stack" else random.choice((2, 3))]
        body = {"game": game, "players": names, "session_id": session_id}
        status, answer = self._call("/api/sessions", body)
        if status in (200, 201):
            with self._ledger.lock:
                self._ledger.sessions.append(session_id)
                self._tables[session_id] = [player["id"] for player in answer["players"]]
        else:
            self._check_refusal("/api/sessions", status, answer)

    def _choose_request(self, session: str, random: Random) -> tuple[str, dict[str, Any]] | None:
        """(path, body) of a request that a tablet might send now, None if there is none."""
        status, info = self._call(f"/api/sessions/{session}")
        if status != 200:
            self._check_refusal(session, status, info)
            return None
        if info["over"] or info["seq"] >= LONG_GAME:
            with self._ledger.lock:
                self._tables.pop(session, None)
            return None
        event_id = f"tap-{random.getrandbits(60):x}"
        if info["seq"] and random.random() < 0.08:
            return "undo", {"event_id": event_id, "seen_seq": info["seq"]}
        if info["seq"] and random.random() < 0.03:
            return "strike", {"event_id": event_id, "seen_seq": info["seq"], "seq": info["seq"]}
        player = random.choice([one["id"] for one in info["players"]])
        status, legal = self._call(f"/api/sessions/{session}/legal?player={player}")
        if status != 200:
            self._check_refusal(session, status, legal)
            return None
        choices = legal["events"] + [
            {"kind": ask["kind"], ask["field"]: random.randint(ask["low"], ask["high"])} for ask in legal["numbers"]
        ]
        if not choices:
            return "undo", {"event_id": event_id, "seen_seq": info["seq"]}
        return "events", {"event_id": event_id, "seen_seq": info["seq"], "event": random.choice(choices)}

    def _send_until_answered(self, session: str, what: str, body: dict[str, Any], random: Random) -> None:
        """Sends one request until it is answered; sometimes sends it again after it was acknowledged."""
        path, event_id = f"/api/sessions/{session}/{what}", body["event_id"]
        while True:
            try:
                status, answer = self._call(path, body)
            except GONE:
                with self._ledger.lock:
                    self._ledger.counts["retried"] += 1
                if self._stopping.wait(PATIENCE_S):
                    return
                continue
            if status == 200:
                self._ledger.acknowledge(event_id, session, answer["seq"])
                if random.random() < 0.1 and not self._stopping.is_set():
                    continue
                return
            self._check_refusal(path, status, answer)
            if status == UNUSABLE:
                if self._stopping.wait(PATIENCE_S):
                    return
                continue
            with self._ledger.lock:
                self._ledger.refused.add(event_id)
            return

    def _check_refusal(self, what: str, status: int, answer: Any) -> None:
        sentence = answer.get("error", "") if isinstance(answer, dict) else ""
        with self._ledger.lock:
            self._ledger.counts[f"refused {status}"] += 1
            if status == SERVER_ERROR or not sentence or "\n" in sentence or "Traceback" in sentence:
                self._ledger.wrong.append(f"no sentence: {what} was answered {status} {sentence!r}")

    # camera and buttons

    def _press(self, random: Random) -> None:
        """Presses the demo's buttons, for games that use them."""
        while not self._stopping.wait(random.uniform(0.02, 0.15)):
            try:
                if random.random() < 0.05:
                    self._hold(random)
                button = random.choice(BUTTONS)
                for move in ("press", "release"):
                    with self._ledger.lock:
                        self._ledger.counts["pressed"] += 1
                    self._call(f"/table/{move}", {"button": button})
                    self._stopping.wait(HELD_S)
            except GONE:
                self._stopping.wait(PATIENCE_S)

    def _throw(self, random: Random) -> None:
        """Throws two dice under the camera again and again, for a game that waits for them."""
        session = ""
        while not self._stopping.wait(random.uniform(0.1, 0.4)):
            try:
                if not session or self._call(f"/api/sessions/{session}")[1].get("seq", LONG_GAME) >= LONG_GAME:
                    session = self._begin_with_dice(random)
                self._call(f"/api/sessions/{session}/hold", {})
                with self._ledger.lock:
                    self._ledger.counts["thrown"] += 1
                self._call("/table/roll", {"count": 2})
                self._stopping.wait(DICE_SEEN_S)
                self._agree(session, random)
            except GONE:
                self._stopping.wait(PATIENCE_S)

    def _begin_with_dice(self, random: Random) -> str:
        """Begins a game whose rolls come from the camera alone; returns its session."""
        session = f"torture-dice-{random.getrandbits(60):x}"
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": session}
        if self._call("/api/sessions", body)[0] in (200, 201):
            with self._ledger.lock:
                self._ledger.sessions.append(session)
        return session

    def _agree(self, session: str, random: Random) -> None:
        """Confirms the camera's questions, records the entries seen, and undoes the roll for the next throw."""
        for proposal in self._call(f"/api/sessions/{session}/proposals")[1]:
            corrections = {doubt["path"]: doubt["alternatives"][0] for doubt in proposal["doubts"]}
            body = {"event_id": f"yes-{random.getrandbits(60):x}", "corrections": corrections}
            self._send_until_answered(session, f"proposals/{proposal['id']}/confirm", body, random)
        with self._request_running():
            _, text = self._house.text(f"/api/sessions/{session}/export")
        entries = [json.loads(line) for line in text.splitlines()[2:]]
        with self._ledger.lock:
            self._ledger.seen.update({(session, entry["seq"]): entry["hash"] for entry in entries})
        if entries and "posted" in entries[-1]["body"]:
            undo = {"event_id": f"back-{random.getrandbits(60):x}", "seen_seq": entries[-1]["seq"]}
            self._send_until_answered(session, "undo", undo, random)

    def _hold(self, random: Random) -> None:
        if sessions := self.sessions():
            self._call(f"/api/sessions/{random.choice(sessions)}/hold", {})
