"""Whole tables of every game under random play: posting, refusing, undoing, redoing, striking, amending, reopening.

The model beside the table is a plain list of the events that count. Whatever happens, the table's state is the fold of
that list, its history tells what a freshly opened table tells, and what was undone gives back the earlier state.
"""

import contextlib
import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.errors import BadInput, IllegalEvent
from companion.game.players import Viewer
from companion.games.rulings import Ruling
from companion.house.host import Host
from companion.journal import codec
from companion.journal.events import Origin
from companion.journal.export import read_game_file, replayed, steps_of, write_game_file
from companion.journal.store import Journal
from companion.shelf import GAMES
from tests.games.test_every_game import EVERY, events_of

MACHINE = settings(max_examples=settings.default.max_examples // 2, suppress_health_check=list(HealthCheck))
MOST_SEATS = 4


class AnyTable(RuleBasedStateMachine):
    """One session of `game` in a journal of its own."""

    game = None

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.host = Host(Journal(self.folder / "journal.sqlite"))
        self.sent = 0

    def teardown(self):
        self.host.journal.close()
        self.host.live.close()
        shutil.rmtree(self.folder)

    @initialize(seats=st.integers(1, MOST_SEATS))
    def open(self, seats):
        fewest, most = self.game.rules.seats
        names = ["Ann", "Bob", "Cleo", "Dora"][: max(fewest, min(seats, most))]
        self.table = self.host.create(self.game.rules.name, names, {})
        self.counting = []  # (number of the entry, event, whether the table said so): these count.
        self.done = []  # what can be undone, newest last: the model before it
        self.undone = []  # what can be redone, the next one last: the undo's number and the model before it

    # what the model knows

    def fold(self, steps):
        state = self.game.rules.start(self.table.session.options, self.table.session.players)
        for _, event, ruled in steps:
            state = self.game.rules.apply(state, event, ruled=ruled)
        return state

    def id(self):
        self.sent += 1
        return f"tap-{self.sent}"

    def legal(self, state):
        return [event for player in self.table.session.players for event in events_of(self.game, state, player)]

    def post(self, event):
        """Posts an event as a tablet does; the table may have put its time into it."""
        receipt = self.table.submit(event, Origin(self.id(), seen_seq=self.table.seq))
        assert receipt.seq == self.table.seq
        self.changed([*self.counting, (receipt.seq, self.table.newest.body.event, False)])

    def changed(self, model):
        self.done.append(self.counting)
        self.counting, self.undone = model, []

    # what may happen

    @rule(data=st.data())
    def something_legal_happens(self, data):
        choices = self.legal(self.table.state)
        if choices:
            event = data.draw(st.sampled_from(choices))
            assert codec.event_from_json(self.game, json.loads(json.dumps(codec.event_to_json(event)))) == event
            self.post(event)

    @rule(data=st.data(), points=st.integers(-20, 20))
    def the_referee_rules(self, data, points):
        player = data.draw(st.sampled_from(self.table.session.players))
        with contextlib.suppress(IllegalEvent):  # a game that counts no points has none to give
            self.post(Ruling(player, points, "A glass fell over"))

    @rule(data=st.data())
    def something_from_another_moment_is_tried(self, data):
        """What was legal before may be legal no longer; then it is refused with a sentence and changes nothing."""
        moment = data.draw(st.integers(0, len(self.counting)))
        choices = self.legal(self.fold(self.counting[:moment]))
        if not choices:
            return
        event, state, seq = data.draw(st.sampled_from(choices)), self.table.state, self.table.seq
        refusal = None
        try:
            self.post(event)
        except (IllegalEvent, BadInput) as why:
            refusal = str(why)
        if refusal is not None:
            assert refusal.endswith(".")
            assert self.table.state == state
            assert self.table.seq == seq

    @precondition(lambda self: self.done)
    @rule()
    def undo(self):
        self.table.undo(Origin(self.id(), seen_seq=self.table.seq))
        self.undone.append((self.table.seq, self.counting))
        self.counting = self.done.pop()

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self):
        seq, model = self.undone.pop()
        assert self.table.redo.seq == seq
        self.table.undo(Origin(self.id(), seen_seq=self.table.seq), seq=seq)
        self.done.append(self.counting)
        self.counting = model
        assert (self.table.redo is None) == (not self.undone)

    @precondition(lambda self: self.counting)
    @rule(data=st.data(), strike=st.booleans(), rule_it=st.booleans())
    def correct(self, data, strike, rule_it):
        at = data.draw(st.integers(0, len(self.counting) - 1))
        seq, old, _ = self.counting[at]
        event = None
        if not strike:
            event = data.draw(st.sampled_from(self.legal(self.fold(self.counting[:at])) or [old]))
        also, ruled = set(), set()
        while misfits := self.table.preview(seq, event, tuple(also), tuple(ruled)).misfits:
            first = misfits[0].seq
            if rule_it and first not in ruled:
                ruled.add(first)
            else:
                ruled.discard(first)
                also.add(first)
        words = {"also": tuple(also), "ruled": tuple(ruled), "origin": Origin(self.id(), self.table.seq)}
        foreseen = self.table.preview(seq, event, tuple(also), tuple(ruled))
        if strike:
            self.table.strike(seq, **words)
        else:
            self.table.amend(seq, event, **words)
            event = self.table.newest.body.event
        model = [
            (number, event if number == seq else kept, was or number in ruled)
            for number, kept, was in self.counting
            if number not in also and not (strike and number == seq)
        ]
        self.changed(model)
        if not hasattr(event, "at_us"):  # the table's time goes on between asking and agreeing
            assert self.game.rules.score(self.table.state) == foreseen.after

    @rule()
    def the_service_starts_again(self):
        told = self.table.history.lines()
        self.host.tables._tables.clear()
        self.table = self.host.table(self.table.session.id)
        assert self.table.history.lines() == told

    @rule()
    def the_game_is_taken_elsewhere(self):
        rows = self.host.journal.rows(self.table.session.id)
        reasons = self.host.journal.reasons(self.table.session.id)
        header = self.host.journal.header(self.table.session.id)
        elsewhere = read_game_file("".join(write_game_file(header, self.table.names, [rows], {}, reasons)))
        assert elsewhere.broken_at is None
        assert replayed(elsewhere, steps_of(elsewhere)) == self.table.state

    # what always holds

    @invariant()
    def the_state_is_the_fold_of_what_counts(self):
        assert self.table.state == self.fold(self.counting)

    @invariant()
    def everybody_can_look(self):
        names = self.table.names
        for player in (None, *self.table.session.players):
            assert self.game.pages.view(self.table.state, Viewer(player, names))
        counting = {line.seq for line in self.table.history.lines() if line.event is not None}
        assert counting == {seq for seq, _, _ in self.counting}


@EVERY
def test_a_table_of_every_game(game, monkeypatch):
    monkeypatch.setitem(GAMES, game.rules.name, game)
    machine = type(f"TableOf_{game.rules.name}", (AnyTable,), {"game": game})
    run_state_machine_as_test(machine, settings=MACHINE)
