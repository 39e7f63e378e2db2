"""The host: every session of this house, and the readings and presses for the active game."""

import contextlib
import sqlite3
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial

from companion.access.access import Access
from companion.cameras.sleep import Sleep
from companion.clock import Clock, wall_us
from companion.errors import BadInput, NotFound
from companion.foreign import read_json
from companion.game.events import Due
from companion.game.game import Options
from companion.game.options import Preset
from companion.game.players import PlayerId
from companion.game.readings import Settled
from companion.house.active_game import ActiveGame
from companion.house.box_test import Trial
from companion.house.deleting.deletion import Deletion
from companion.house.games_list import SessionSummary, UnreadableGame, games_list
from companion.house.hall.staff import HallStaff
from companion.house.outcomes import Outcomes
from companion.house.outside import Outside
from companion.house.people import People, take_seats
from companion.house.photos import Photos
from companion.house.pictures import Pictures
from companion.house.presses import Presses
from companion.house.referees import Referees, note_maker
from companion.house.symbols import Mark, marks_at_table
from companion.house.tables import Tables
from companion.house.transfer import Transfer
from companion.journal.events import Entry, Origin
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Player, Session, new_id
from companion.journal.settings import SILENT
from companion.journal.store import GONE, Journal
from companion.letters.offer import Offer
from companion.logs import only_logged
from companion.names import check_names
from companion.sensing.answers import enter_answer
from companion.sensing.asking import Asking
from companion.sensing.feedback import Learner
from companion.sensing.follow_up import FollowUp
from companion.sensing.looks import Looks
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.remarks import Remarks
from companion.sensing.snapshots import Snapshots
from companion.shelf import GAMES, PACKAGES
from companion.table.due_events import Timers
from companion.table.presets import check_seats, chosen_options
from companion.table.receipts import Receipt
from companion.table.table import Table
from companion.words import _


class Host:
    """Opens tables, keeps proposals, and routes readings and presses to the active game."""

    def __init__(self, journal: Journal, outside: Outside | None = None) -> None:
        """outside     None for a table without camera, box and demo"""
        self.journal = journal
        self.outside = outside = outside or Outside.nothing(Clock.resume(journal.instant()))
        self.clock, self.live, self.status = outside.clock, outside.live, outside.status
        self.offered: Offer | None = None  # The hub repeats its offer after a restart.
        self.staff = HallStaff(self.status, outside.chime)
        self.photo: bytes | None = None  # The camera's last picture for the wizard is never on disk.
        self.trial = Trial(self.status)
        self.tables = Tables(journal, self.clock, self.live, self._go_on)
        self.access = Access(journal)
        self.people = People(journal)
        self.referees = Referees(journal)
        self.pictures = Pictures(journal, outside.keep_clips)
        self.outcomes = Outcomes(journal, self.tables.open, self.tables.if_open)
        self.transfer = Transfer(journal, self.tables, self.clock)
        self.learner = Learner(journal, journal.path.parent)
        self.learner.on_change = outside.be_strict
        self.deletion = Deletion(journal, self.learner)
        self.remarks = Remarks(self.live)
        self.questions = OpenQuestions(self.clock, self.live)
        self.asking = Asking(journal, self.clock, self.questions, self.learner)
        self.looks = Looks(self.asking, self.questions, self.remarks, self.live)
        self.snapshots = Snapshots(self.asking, self.questions, self.remarks, self.live)
        self.photos = Photos(self.looks, self.snapshots, outside.read_photo, self.clock)
        self.follow_up = FollowUp(self.questions, self.looks, self.snapshots, self.remarks, self.live)
        self.sleep = Sleep(journal, self._sleep)
        self.active = ActiveGame(
            journal, self.tables, self.questions, outside, self.trial, self._go_on, lambda: self.sleep.is_on
        )
        self.presses = Presses(
            self.tables, self.active, self.questions, self.follow_up, self.remarks, self.trial, self.clock, self.sleep
        )
        self.timers = Timers(self.clock, self.tables.all_open, self._fire)

    def close(self) -> None:
        """Stops the clock's thread, ends every stream and closes the journal."""
        self.timers.stop()
        self.live.close()
        self.journal.close()

    def delete_pictures(self) -> None:
        """Deletes every picture, in memory too, and those that the camera learns from; every game stays whole."""
        self.photo = None
        self.looks.forget_pictures()
        self.photos.forget_pictures()
        self.pictures.forget_seen()
        self.journal.delete_pictures()
        self.learner.delete_all()

    def erase_person(self, profile: str) -> tuple[str, ...]:
        """Deletes everything about a person; returns the names of copies that could not be changed."""
        players = set(self.people.seats(profile))
        games = map(read_json, self.journal.headers())
        theirs = {game["session"] for game in games if players & set(game["players"])}
        self.photo = None  # Nobody knows who is in it.
        self.looks.forget_pictures(theirs)
        self.photos.forget_pictures(theirs)
        self.learner.forget_games(theirs)
        refused = self.people.erase(profile)
        self.tables.update_names()
        return refused

    def delete_game(self, session_id: str) -> tuple[str, ...]:
        """Deletes a game for good, with its pictures; returns the names of files that could not be changed.

        Raises NotFound if there is no such game.
        """
        with self.tables.lock_of(session_id):  # Nobody opens it meanwhile.
            self.tables.header(session_id)
            refused = self.deletion.delete(session_id)
            self.pictures.forget_seen()
            self.tables.forget(session_id)
        self.active.let_go(session_id)
        self.photo = None  # It may show this game.
        self.looks.forget_pictures({session_id})
        self.photos.forget_pictures({session_id})
        self.questions.change(lambda questions: questions.without(session_id))
        self.remarks.forget(session_id)
        self.live.publish(f"session:{session_id}")
        return refused

    def sessions(self, newest: int | None = None) -> tuple[SessionSummary, ...]:
        """The `games` that can be read."""
        return tuple(game for game in self.games(newest) if isinstance(game, SessionSummary))

    def games(self, newest: int | None = None) -> tuple[SessionSummary | UnreadableGame, ...]:
        """Every game of this house, or only the `newest` ones, newest first. A game with a stored outcome is not
        folded.
        """
        return games_list(self.journal, self.people, self.outcomes.newest(newest))

    def games_named(self, sessions: Iterable[str]) -> tuple[SessionSummary | UnreadableGame, ...]:
        """The games with these ids, newest first."""
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
        ids: Sequence[PlayerId] = (),
    ) -> Table:
        """Begins a new session and makes it the active game; raises BadInput or IllegalEvent, or NotFound for the id of
        a deleted game.

        session_id  made by the sender, so that a repeated request makes only one session
        preset      name of the preset that `options` changes; a locked one allows no change
        remember    names of players who become people of the house, unless they are already
        maker       the device that begins the game, "" for none; it is appointed the referee of a locked game
        ids         of the players, from whoever knows them by these; else new ones
        """
        game = GAMES.get(game_name)
        if game is None:
            raise BadInput(_("There's no such game. Choose one of {names}.", names=", ".join(GAMES)))
        check_seats(game, len(names))
        ids = tuple(ids) or tuple(new_id() for _name in names)
        players = tuple(Player(id_, name) for id_, name in zip(ids, check_names(names), strict=True))
        full_options, set_up = chosen_options(game, options, preset)
        game.rules.start(full_options, ids)
        new = session_id or new_id()
        session = Session(
            new,
            game_name,
            full_options,
            ids,
            wall_us(),
            set_up.name,
            set_up.locked,
            rules_digest(game_name),
            PACKAGES.get(game_name, ""),
        )

        def beside(db: sqlite3.Connection) -> None:
            note_maker(db, session, maker)
            take_seats(db, {player.id: player.name for player in players}, remember, session.created_wall_us)

        with self.tables.lock_of(session.id):
            if self.journal.is_deleted(session.id):
                raise NotFound(_(GONE))
            if session_id is not None and self.journal.header(session_id) is not None:
                return self._repeat_start(session_id, game_name, full_options, set_up, names)
            self.journal.add_session(session, players, beside)
        table = self.table(session.id)
        self.active.hold(session.id)
        return table

    def _repeat_start(
        self, session_id: str, game_name: str, options: Options, preset: Preset, names: list[str]
    ) -> Table:
        """The game that a repeated request made; raises BadInput if the id belongs to another game."""
        table = self.table(session_id)
        session, names = table.session, list(check_names(names))
        present_names = [table.names.get(player, name) for player, name in zip(session.players, names, strict=False)]
        request = (game_name, options, preset.name, len(names), names)
        if request != (session.game, session.options, session.preset, len(session.players), present_names):
            raise BadInput(_("This session id was used for another game. Make a new one for each game."))
        return table

    def marks(self, table: Table) -> Mapping[PlayerId, Mark]:
        players = table.session.players
        own = self.people.own_marks(dict.fromkeys(players, table.session.created_wall_us))
        return marks_at_table(players, own, table.game.rules.colours(table.state), self.people.faces(players))

    def rename_player(self, table: Table, player: PlayerId, name: str) -> None:
        """Gives a player of one game another name; see `People.rename`. Everybody keeps their mark.

        Raises NotFound for somebody who does not sit there.
        """
        if player not in table.session.players:
            raise NotFound(_("That player isn't at this table. Choose one of the session's players."))
        self.people.rename(self.marks(table), player, name)
        self.tables.update_names()

    def table(self, session_id: str) -> Table:
        return self.tables.open(session_id)

    def on_reading(self, settled: Settled) -> None:
        """Takes a look at rest for the active game: an event if the camera is sure and the house wants that, else a
        question.
        """
        session_id = self.active.session  # It is read once, as another thread may let the game go.
        if session_id is not None:
            self.pictures.see(session_id, settled.frame_jpeg)
            self.looks.take(self.table(session_id), settled)

    def on_glance(self, token: str, settled: Settled) -> None:
        """Takes a look of the camera at table height that an event asked for.

        token   "<session>:<entry>", as `ActiveGame.refresh_eyes` sent it
        """
        session_id, _colon, seq = token.rpartition(":")
        if session_id == self.active.session:
            self.snapshots.take(self.table(session_id), int(seq), settled)

    def _fire(self, table: Table, due: Due[object]) -> bool:
        # An id for each instant and state lets a due event be recorded once.
        event_id = f"due-{due.at_us}-{table.seq}"

        def record() -> None:
            table.submit(due.event, Origin(event_id, source="clock"))

        return self.remarks.attempt(table.session.id, record, "clock")

    def _go_on(self, table: Table, entry: Entry | None = None) -> None:
        """Updates questions, pages, timers, box and cameras after a new entry.

        A failure is only logged: the entry counts, so its sender is told nothing.

        entry   None when nothing is new, but the game becomes the active one
        """
        session_id = table.session.id
        self.sleep.stir()
        with only_logged("asking on"):  # It comes first: pages that hear of the change also fetch the questions.
            self.follow_up.hear(table, entry)
        self.live.publish(f"session:{session_id}")
        self.timers.again()
        with only_logged("learning"):
            self.learner.hear(table, entry)
        if session_id == self.active.session:
            self.live.publish("active")
            with only_logged("telling the box"):
                self.active.refresh_look()
            with only_logged("telling the cameras"):
                self.active.refresh_eyes(table)

    def confirm(
        self,
        proposal_id: str,
        corrections: Mapping[str, int],
        origin: Origin,
        instead: int | None = None,
    ) -> Receipt:
        """Makes a proposal an event; see `enter_answer`. Raises NotFound when it was answered already."""
        proposal = self.questions.find(proposal_id)
        return enter_answer(self.table(proposal.session), proposal, corrections, instead, origin)

    def count_due(self) -> None:
        """Enters the questions that count by themselves because nobody has answered in time."""

        def count(question: str) -> None:
            with contextlib.suppress(NotFound):  # Somebody may have answered it just now.
                self.confirm(question, {}, Origin(source="camera"))

        for proposal in self.questions.take_due():
            if proposal.session == self.active.session:  # Nobody can see the table of another game any more.
                self.remarks.attempt(proposal.session, partial(count, proposal.id), "camera")

    def dismiss(self, session_id: str, proposal_id: str) -> None:
        self.follow_up.dismiss(self.table(session_id), proposal_id)

    @property
    def silent(self) -> bool:
        return SILENT.of(self.journal)

    def set_silent(self, silent: bool) -> None:
        """Sets whether the box plays no tones; a restart keeps it."""
        SILENT.put(self.journal, silent)
        self.outside.hush(silent)

    def _sleep(self, is_on: bool) -> None:
        """Closes the cameras and puts out the lights, or brings both back."""
        self.outside.sleep(is_on)
        if is_on:
            self.status.set("sleep", "note", _("Nobody plays, so the cameras are off. Tap to go on."))
        else:
            self.status.clear("sleep")
        self.active.refresh_look()

    def metrics(self) -> dict[str, float]:
        tables = self.tables.all_open()
        return {
            "companion_sessions": self.journal.count_sessions(),
            "companion_open_tables": len(tables),
            "companion_entries_open_tables": sum(table.seq for table in tables),
            "companion_readings_total": self.looks.count + self.snapshots.count,
            "companion_proposals_open": len(self.questions),
            "companion_camera_up": float(self.status.is_up("camera")),
            "companion_box_up": float(self.status.lines["box"].state == "ok"),
        }
