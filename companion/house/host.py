"""The host: every session of this house, and what camera and box mean to the one that holds them."""

import contextlib
import logging
import secrets
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakValueDictionary

import msgspec

from companion.changes import Live
from companion.clock import Clock, wall_us
from companion.demo.table import DemoTable
from companion.errors import (
    BadInput,
    CompanionError,
    GameUnreadable,
    IllegalEvent,
    JournalUnusable,
    NotAllowed,
    NotFound,
)
from companion.game.box import BoxLook, Device, Phase, Signal
from companion.game.events import Due, wants_glance
from companion.game.game import Options
from companion.game.options import Preset
from companion.game.players import PlayerId
from companion.game.readings import Settled
from companion.game.seeing import Eyes, Remark
from companion.games import GAMES
from companion.house.access import Access
from companion.house.box_test import MOST_SEATS, Button, Trial
from companion.house.games_list import SessionSummary, UnreadableGame, games_list
from companion.house.outcomes import Header, Outcomes
from companion.house.people import People, take_seats
from companion.house.pictures import Pictures
from companion.house.referees import Referees, note_maker
from companion.house.symbols import Mark, marks_at_table
from companion.journal import codec
from companion.journal.events import Posted, Sender
from companion.journal.export import read_game_file, replayed, session_of, write_game_file
from companion.journal.record import read_rows
from companion.journal.session import Player, Session, checked_names, new_id
from companion.journal.settings import AHEAD_US, HOLDER, SILENT
from companion.journal.store import Journal
from companion.logs import only_logged
from companion.sensing.bought_deck import ShownDeck
from companion.sensing.camera_set_up import CameraSetUp
from companion.sensing.feedback import Learner
from companion.sensing.proposals import Proposal
from companion.sensing.senses import Senses
from companion.table.due_events import Timers
from companion.table.presets import chosen_options
from companion.table.table import Receipt, Table
from companion.words import _, retold

FOLDED_TABLES = 64  # some 10 MB; fewer and a game of this evening is folded again when somebody goes back to it
SEEN_US = 500_000  # a question that came later before a press has not been read by who pressed
LATEST_US = codec.LARGEST // 2  # of an imported game: no table comes so far, and there is room for what happens next

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StatusLine:
    """How a part of the table is, and one sentence (of `words`: whoever shows it retells it).

    state  "ok"; "note" where the sentence is to be read all the same; "warn", "off" or "down"
    """

    state: str
    text: str


class Host:
    """Opens tables, keeps proposals, and routes readings and signals to the session that holds camera and box."""

    def __init__(self, journal: Journal, demo: DemoTable | None = None) -> None:
        self.journal = journal
        self.access = Access(journal)
        self.people = People(journal)
        self.referees = Referees(journal)
        self.pictures = Pictures(journal)
        self.outcomes = Outcomes(journal, self.table, self._open_table)
        self.clock = Clock.resumed(journal.instant())
        self.live = Live()
        self.demo = demo
        self.status: dict[str, StatusLine] = {
            "camera": StatusLine("off", _("No camera: tap the dice in.")),
            "box": StatusLine("off", _("No button box: tap on the tablet.")),
        }
        self.show: Callable[[BoxLook], None] = lambda look: None  # the wiring puts the box here
        self.watch: Callable[[Eyes], None] = lambda eyes: None  # and the cameras here
        self.glance: Callable[[str], None] = lambda token: None  # asks the camera at table height for a look at once
        self.hush: Callable[[bool], None] = lambda silent: None  # and here
        self.photograph: Callable[[], None] = lambda: None  # asks the camera for a photo; the wiring, too
        self.camera_set_up: CameraSetUp | None = None  # where there is a camera over the table
        self.front_set_up: CameraSetUp | None = None  # and where there is one at table height
        self.shown_deck: ShownDeck | None = None  # where there is a camera over the table
        self.photo: bytes | None = None  # what the camera saw when it was last asked; never written to disk
        self.buttons: tuple[Button, ...] = ()  # that the box has
        self.trial = Trial()
        self.addresses: tuple[str, ...] = ()  # of the pages, as guests type them; the first is the table's name
        self._lock = threading.Lock()  # of what is below, for a moment: every page looks a table up
        self._turns: WeakValueDictionary[str, threading.RLock] = WeakValueDictionary()
        # A game that somebody uses is there once; of the others the newest few stay folded, so memory does not grow.
        self._tables: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._recent: deque[Table] = deque(maxlen=FOLDED_TABLES)
        self._renamings = 0  # how often somebody had another name from then on, or none
        self._unreadable: dict[str, str] = {}  # session → why, once it was tried: nothing here changes such a game
        self.learner = Learner(journal, journal.path.parent)
        self.senses = Senses(journal, self.clock, self.live, self.learner)
        self._eyes_lock = threading.RLock()  # so that the cameras hear of the newest state last
        self._answered_us = 0  # when a button of the box last answered a question: the next one is theirs from then on
        self._considered = ("", 0)  # session and its newest entry for which a glance was considered
        self.holder: str | None = HOLDER.of(journal) or None
        self.timers = Timers(self.clock, self._held_tables, self._fire)

    def close(self) -> None:
        """Stops the clock's thread, ends every stream and closes the journal."""
        self.timers.stop()
        self.live.close()
        self.journal.close()

    # what is forgotten

    def delete_pictures(self) -> None:
        """Every picture goes, in memory too and those that the camera learns from; every game stays whole."""
        self.photo = None
        self.senses.forget_pictures()
        self.journal.delete_pictures()
        self.learner.delete_all()

    def erase_person(self, profile: str) -> tuple[str, ...]:
        """Deletes everything of a person; the names of copies that still hold something."""
        players = set(self.people.seats(profile))
        games = map(msgspec.json.decode, self.journal.headers())
        theirs = {game["session"] for game in games if players & set(game["players"])}
        self.photo = None  # nobody knows who was in it
        self.senses.forget_pictures(theirs)
        self.learner.forget_games(theirs)
        refused = self.people.erase(profile)
        self.call_by_name()
        return refused

    # sessions

    def sessions(self, newest: int | None = None) -> tuple[SessionSummary, ...]:
        """Those of `games` that can be read."""
        return tuple(game for game in self.games(newest) if isinstance(game, SessionSummary))

    def games(self, newest: int | None = None) -> tuple[SessionSummary | UnreadableGame, ...]:
        """Every game of this house, or the `newest` so many, newest first; none is folded whose outcome is kept."""
        return games_list(self.journal, self.people, self.outcomes.newest(newest))

    def games_named(self, sessions: Iterable[str]) -> tuple[SessionSummary | UnreadableGame, ...]:
        """These of the games, newest first: nobody who needs one of them waits for all."""
        return games_list(self.journal, self.people, self.outcomes.of(sessions))

    def create(
        self,
        game_name: str,
        names: list[str],
        options: Mapping[str, object],
        session_id: str | None = None,
        preset: str = "",
        remember: Container[str] = (),
        maker: str = "",
    ) -> Table:
        """A new session, which takes camera and box; raises BadInput or IllegalEvent with a sentence.

        session_id  made by the sender, so that a repeated request makes one session
        remember    names of players who become people of the house, where they are none yet
        preset      name of a set of switches that `options` changes; a locked one allows no change
        maker       the device that begins it, "" for none: who may be `appointed` the referee of a locked one
        """
        game = GAMES.get(game_name)
        if game is None:
            raise BadInput(_("There is no such game: choose one of {names}.", names=", ".join(GAMES)))
        fewest, most = game.seats
        if not fewest <= len(names) <= most:
            raise BadInput(
                _(
                    "{title} is for {fewest} to {most} players, not {n}: change the players.",
                    title=game.title,
                    fewest=fewest,
                    most=most,
                    n=len(names),
                )
            )
        players = tuple(Player(new_id(), name) for name in checked_names(names))
        chosen, set_up = chosen_options(game, options, preset)
        ids = tuple(player.id for player in players)
        game.start(chosen, ids)
        session = Session(session_id or new_id(), game_name, chosen, ids, wall_us(), set_up.name, set_up.locked)

        def beside(db: sqlite3.Connection) -> None:
            note_maker(db, session, maker)
            take_seats(db, {player.id: player.name for player in players}, remember)

        with self._turn_at(session.id):
            if session_id is not None and self.journal.header(session_id) is not None:
                return self._begun_before(session_id, game_name, chosen, set_up, names)
            self.journal.add_session(session, players, beside)
        table = self.table(session.id)
        self.hold(session.id)
        return table

    def _begun_before(
        self, session_id: str, game_name: str, options: Options, preset: Preset, names: list[str]
    ) -> Table:
        """The game that a repeated request made; raises BadInput where that was another one."""
        table = self.table(session_id)
        made, names = table.session, list(checked_names(names))
        called = [table.names.get(player, name) for player, name in zip(made.players, names, strict=False)]
        asked = (game_name, options, preset.name, len(names), names)
        if asked != (made.game, made.options, made.preset, len(made.players), called):
            raise BadInput(_("This session id was used for another game: make a new one for each game."))
        return table

    # tables

    def table(self, session_id: str) -> Table:
        """The table of a session, folded from the journal the first time.

        Raises NotFound where there is no such game, GameUnreadable where another version wrote what this one cannot
        fold.
        """
        if known := self._open_table(session_id):
            return known
        with self._turn_at(session_id):
            if known := self._open_table(session_id):
                return known
            renamings = self._renamings
            table = self._folded(session_id)
            with self._lock:
                self._tables[session_id] = table
                self._recent.append(table)
                called_otherwise = renamings != self._renamings
            if called_otherwise:  # by whoever did not see this table yet
                self._call_by_name(table)
            return table

    def _open_table(self, session_id: str) -> Table | None:
        with self._lock:
            return self._tables.get(session_id)

    def _turn_at(self, session_id: str) -> threading.RLock:
        """Whose turn it is to begin, import or fold this game: others who ask for it wait, nobody who plays another."""
        with self._lock:
            return self._turns.setdefault(session_id, threading.RLock())

    def _folded(self, session_id: str) -> Table:
        header = self._header(session_id)
        if why := self._unreadable.get(session_id):
            raise GameUnreadable(retold(why))
        try:
            session = session_of(header)
            return Table(
                self.journal,
                session,
                GAMES[session.game],
                self.clock,
                lambda: self._table_changed(session.id),
                AHEAD_US.each(session.id).of(self.journal),
            )
        except JournalUnusable:  # the disk, and not this game
            raise
        except Exception as error:
            log.warning("game %s cannot be read", session_id, exc_info=not isinstance(error, CompanionError))
            found = error if isinstance(error, CompanionError) else _("look into the companion's log.")
            unreadable = GameUnreadable(_("This game cannot be read here, and is kept as it is: {why}", why=found))
            self._unreadable[session_id] = unreadable.sentence
            raise unreadable from error

    def _header(self, session_id: str) -> str:
        header = self.journal.header(session_id)
        if header is None:
            raise NotFound(_("There is no such game here: choose one from the list."))
        return header

    def hold(self, session_id: str) -> None:
        """This session has the table's camera and box from now on."""
        table = self.table(session_id)
        with self._eyes_lock:  # of two at once the later has box and cameras, not one of them each
            HOLDER.put(self.journal, session_id)  # first: where that is refused, all stays as it was
            if self.holder != session_id:
                self._let_pass(table)
                if self.demo:
                    self.demo.put_away()
            self.holder = session_id
        self.clear_status("game")
        self.live.publish("status")
        self._table_changed(session_id)

    def release(self) -> None:
        """No session has the table's camera and box from now on."""
        with self._eyes_lock:
            HOLDER.put(self.journal, "")  # first: where that is refused, all stays as it was
            self.holder = None
        self.live.publish("status")
        self.refresh_look()

    def resume(self) -> None:
        """Opens the game that holds camera and box: its clock goes on before anybody looks, the cameras read for it.

        One that cannot be opened has them no more.
        """
        if self.holder is not None:
            try:
                table = self.table(self.holder)
            except (NotFound, GameUnreadable) as why:
                self.set_status("game", "warn", _("No game has camera and box any more. {why}", why=why))
                self.release()
                return
            self._let_pass(table)
            self._refresh_eyes(table)

    def refresh_look(self) -> None:
        """Shows the box how the game that holds it looks at this moment; while it is tried out, what is pressed."""
        if self.trial.is_on(self.clock.now_us()):
            self.show(self.trial.look(MOST_SEATS))
        elif self.holder is None:
            self.show(BoxLook(Phase.WAITING, ()))
        else:
            table = self.table(self.holder)
            look = table.game.look(table.state, table.now_us())
            self.show(replace(look, phase=Phase.ASK) if self.proposals(self.holder) else look)

    def _held_tables(self) -> tuple[Table, ...]:
        with self._lock:
            return tuple(self._tables.values())

    def marks(self, table: Table) -> Mapping[PlayerId, Mark]:
        """How the players at a table are drawn."""
        players = table.session.players
        return marks_at_table(players, self.people.own_marks(players), table.game.colours(table.state))

    def call_by_name(self) -> None:
        """Somebody has another name, or none any more: every open table calls them so."""
        with self._lock:
            self._renamings += 1
        for table in self._held_tables():
            self._call_by_name(table)

    def _call_by_name(self, table: Table) -> None:
        players = self.journal.players(table.session.players)
        table.rename({player.id: player.name for player in players})
        self.live.publish(f"session:{table.session.id}")

    # export and import

    def export(self, session_id: str) -> str:
        """The game as JSON lines: header, names, then every entry with its hash; one that cannot be read here, too."""
        header = self._header(session_id)
        players = self.journal.players(tuple(msgspec.json.decode(header, type=Header).players))
        names = {player.id: player.name for player in players}
        evidence = self.journal.evidence(session_id)
        return write_game_file(header, names, self.journal.rows(session_id), evidence)

    def import_game(self, text: str, maker: str = "") -> Table:
        """A game that another table exported; raises BadInput when it is damaged or was changed.

        maker       as in `create`
        """
        game_file = read_game_file(text)
        if game_file.broken_at is not None:
            raise BadInput(
                _(
                    "The game was changed after it was played (entry {broken_at}): export it again.",
                    broken_at=game_file.broken_at,
                )
            )
        session = game_file.session
        players = tuple(Player(player, name) for player, name in game_file.names.items())

        def beside(db: sqlite3.Connection) -> None:
            note_maker(db, session, maker)
            for newest in read_rows(GAMES[session.game], game_file.rows[-1:]):  # it goes on from there, in its own time
                AHEAD_US.each(session.id).insert(db, min(newest.at_us, LATEST_US) - self.clock.now_us())

        with self._turn_at(session.id):
            if self.journal.header(session.id) is not None:
                raise IllegalEvent(_("This game is here already: open it from the list."))
            replayed(game_file)
            self.journal.import_session(
                session,
                players,
                game_file.rows,
                game_file.header,
                self.clock.instant(),
                evidence=game_file.evidence,
                beside=beside,
            )
        return self.table(session.id)

    # what camera and box bring

    def on_reading(self, settled: Settled) -> None:
        """The table has come to rest: an event when the camera is sure and the house wants that, else a question."""
        if self.holder is not None:
            self.senses.take(self.table(self.holder), settled)

    def on_glance(self, token: str, settled: Settled) -> None:
        """The camera at table height has looked at once, because the event of that token asked for it."""
        session_id, _colon, seq = token.rpartition(":")
        if session_id == self.holder:
            self.senses.keep_glance(self.table(session_id), int(seq), settled)

    def on_signal(self, signal: Signal) -> None:
        """A button was pressed or released: an answer where something is asked, or undo; the rest is the game's.

        While the box is tried out no press reaches a game.
        """
        if self.trial.is_on(self.clock.now_us()):
            self.trial.hear(signal)
            self.refresh_look()
            return
        holder = self.holder
        if holder is None:
            return
        self.senses.telling(holder, lambda: self._press(self.table(holder), signal), "button")

    def _press(self, table: Table, signal: Signal) -> None:
        if signal.pressed and self._answers(table, signal):
            return
        if signal.device is Device.UNDO and signal.pressed:
            if table.session.locked:
                raise NotAllowed(_("In a tournament only the referee takes something back: call the referee."))
            table.undo(event_id=secrets.token_hex(16), seen_seq=None, source="button")
            return
        heard = in_game_time(table, signal)
        if event := table.game.bind(table.state, heard):
            table.submit(event, event_id=secrets.token_hex(16), seen_seq=None, source="button", reading=evidence(heard))

    def _answers(self, table: Table, signal: Signal) -> bool:
        """Whether a press was about an open question: Confirm says yes where that is an answer, Undo sends it away.

        It is about nothing else even where the question has only just come: what else Confirm and Undo mean, the end of
        a round say, would take away the question unread.
        """
        asked = self.asked_at_box(table.session.id)
        if asked is None or signal.device not in (Device.CONFIRM, Device.UNDO):
            return False
        if signal.device is Device.CONFIRM and not asked.takes_yes:
            return False
        if signal.at_us < max(asked.created_us, self._answered_us) + SEEN_US:
            raise NotAllowed(_("The question had only just come: look at it, then press again."))
        if signal.device is Device.CONFIRM:
            self.confirm(asked.id, {}, event_id=secrets.token_hex(16), source="button")
        else:
            self.dismiss(table.session.id, asked.id)
        self._answered_us = self.clock.now_us()
        return True

    def _fire(self, table: Table, due: Due[object]) -> bool:
        # one id for each instant and state, so that a due event is recorded once
        event_id = f"due-{due.at_us}-{table.seq}"

        def record() -> None:
            table.submit(due.event, event_id=event_id, seen_seq=None, source="clock")

        return self.senses.telling(table.session.id, record, "clock")

    def _table_changed(self, session_id: str) -> None:
        """The house goes by what was just recorded. Nothing that fails here is told to whoever sent it: it counts."""
        table = self.table(session_id)
        with only_logged("asking on"):  # first: who hears of the change then looks at the questions too
            self.senses.table_changed(table)
        self.live.publish(f"session:{session_id}")
        self.timers.again()
        with only_logged("learning"):
            self.learner.look_again(table)
        if session_id == self.holder:
            with only_logged("telling the box"):
                self.refresh_look()
            with only_logged("telling the cameras"):
                self._refresh_eyes(table)

    def _refresh_eyes(self, table: Table) -> None:
        """The cameras read what this game needs now, and look at once for each new event that wants that: of two that
        came at once neither is passed over."""
        with self._eyes_lock:
            session_id, seq = self._considered
            if session_id != table.session.id:
                return  # another game has the cameras by now
            self.watch(table.game.eyes(table.state))
            fresh = table.entries_since(seq)
            self._considered = (session_id, seq + len(fresh))
            for entry in fresh:
                if isinstance(entry.body, Posted) and wants_glance(entry.body.event):
                    self.glance(f"{session_id}:{entry.seq}")

    def _let_pass(self, table: Table) -> None:
        """The moment of what was entered so far has passed: no camera looks for it."""
        with self._eyes_lock:
            self._considered = (table.session.id, table.seq)

    # proposals

    def proposals(self, session_id: str) -> tuple[Proposal, ...]:
        """What waits for a tap."""
        return self.senses.proposals(session_id)

    def asked_at_box(self, session_id: str) -> Proposal | None:
        """The one of several questions that Confirm and Undo are about: the first that takes a yes, else the first."""
        waiting = self.proposals(session_id)
        return next((each for each in waiting if each.takes_yes), next(iter(waiting), None))

    def remark(self, session_id: str) -> Remark | None:
        """What camera or box last brought that is no event now."""
        return self.senses.remark(session_id)

    def confirm(
        self,
        proposal_id: str,
        corrections: Mapping[str, int],
        *,
        event_id: str,
        instead: int | None = None,
        source: str = "tablet",
        sender: Sender | None = None,
    ) -> Receipt:
        """Makes a proposal an event, with the values the players tapped or another event that it might be as well."""
        proposal = self.senses.proposal(proposal_id)
        return self.senses.confirm(
            self.table(proposal.session),
            proposal,
            corrections,
            instead,
            event_id=event_id,
            source=source,
            sender=sender,
        )

    def count_due(self) -> None:
        """Questions that the house lets count by themselves count, once nobody has answered them in their time."""

        def count(question: str) -> None:
            with contextlib.suppress(NotFound):  # somebody has answered it just now
                self.confirm(question, {}, event_id=secrets.token_hex(16), source="camera")

        for proposal in self.senses.take_due():
            if proposal.session == self.holder:  # else nobody sees any more how things lie there
                self.senses.telling(proposal.session, partial(count, proposal.id))

    def dismiss(self, session_id: str, proposal_id: str) -> None:
        """What the camera asked is of no interest."""
        self.senses.dismiss(self.table(session_id), proposal_id)

    # settings, state of the parts

    @property
    def silent(self) -> bool:
        """Whether the box plays no tones."""
        return SILENT.of(self.journal)

    def set_silent(self, silent: bool) -> None:
        """Whether the box plays no tones from now on, also after a restart."""
        SILENT.put(self.journal, silent)
        self.hush(silent)

    def set_status(self, part: str, state: str, text: str) -> None:
        """How a part of the table is from now on; every tablet hears of a change."""
        line = StatusLine(state, text)
        if self.status.get(part) != line:
            self.status = {**self.status, part: line}
            self.live.publish("status")

    def clear_status(self, part: str) -> None:
        """There is nothing to say of a part any more."""
        if part in self.status:
            self.status = {name: line for name, line in self.status.items() if name != part}
            self.live.publish("status")

    def set_addresses(self, addresses: tuple[str, ...]) -> None:
        """Under which addresses guests reach the pages from now on."""
        if self.addresses != addresses:
            self.addresses = addresses
            self.live.publish("status")

    def metrics(self) -> dict[str, float]:
        """Numbers for `/metrics`."""
        tables = self._held_tables()
        return {
            "companion_sessions": self.journal.count_sessions(),
            "companion_open_tables": len(tables),
            "companion_entries_open_tables": sum(table.seq for table in tables),
            "companion_readings_total": self.senses.taken,
            "companion_proposals_open": len(self.senses),
            "companion_camera_up": float(self.status["camera"].state in ("ok", "note")),
            "companion_box_up": float(self.status["box"].state == "ok"),
        }


def in_game_time(table: Table, signal: Signal) -> Signal:
    """The signal as a game hears it, stamped in its own time."""
    trace = tuple((closed, table.game_us(at_us)) for closed, at_us in signal.trace)
    return replace(signal, at_us=table.game_us(signal.at_us), trace=trace)


def evidence(signal: Signal) -> dict[str, object]:
    """What the journal keeps of a press: the button, and the raw edges around it as [contact closed, table time]."""
    name = str(signal.device) if signal.seat is None else f"{signal.device}-{signal.seat}"
    return {"button": name, "trace": [[int(closed), at_us] for closed, at_us in signal.trace]}
