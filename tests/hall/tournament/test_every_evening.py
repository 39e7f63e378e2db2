"""Whatever the staff do in a tournament of any form, size and game: it can end, and each act can be taken back."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.errors import CompanionError
from companion.hub.presence import SILENT_S
from companion.hub.record import HubRecord
from companion.hub.tournament import hands
from companion.hub.tournament.events import MOST_SEATS, PLAIN, Form, Suggested
from companion.hub.tournament.pairing import field_of, is_final
from companion.hub.tournament.standings import find_remaining, lines
from companion.hub.tournament.state import new_play
from companion.hub.tournament.taking_back import is_act
from companion.letters.offer import veil_session
from companion.shelf import GAMES
from tests.hall.letters import NOON_US
from tests.hall.tournament.stand_in import StandIn, believes

NUMBERS = st.integers(0, 10_000)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # To shrink a whole evening takes minutes.


def in_order(entrants):
    return tuple((entrant,) for entrant in entrants)


def settled(state):
    """The state but for what settles by itself: which table a game has that no table has sent, and its session."""

    def settled_play(play):
        if play.head:
            return play
        given = new_play(play, session="", table=PLAIN if play.pairing.table == PLAIN else "")
        return replace(given, ruled=play.ruled, sayings=play.sayings)

    rounds = [replace(round_, plays=tuple(map(settled_play, round_.plays))) for round_ in state.rounds]
    return replace(state, rounds=tuple(rounds))


class Evening(RuleBasedStateMachine):
    """A tournament at tables that come and go, and staff who tap whatever a page offers."""

    def __init__(self):
        super().__init__()
        self.folder, self.uptime_s = Path(tempfile.mkdtemp()), 1000.0
        self.record = HubRecord(self.folder, lambda: NOON_US, judge=believes, now_s=lambda: self.uptime_s)
        self.desk, self.late, self.tables = self.record.desk, 0, []

    @initialize(
        form=st.sampled_from(Form),
        game=st.sampled_from(sorted(GAMES)),
        size=st.integers(2, 40),
        pick=NUMBERS,
        tables=st.integers(0, 3),
    )
    def begin(self, form, game, size, pick, tables):
        self.tables = [StandIn(self.record, number) for number in range(1, tables + 1)]
        least, most = GAMES[game].rules.seats
        least, most = max(2, least), min(MOST_SEATS, most)
        seats = least + pick % (most - least + 1)
        names = [f"N{number}" for number in range(size)]
        self.cup = self.desk.begin("Cup", game, "printed", form, seats, 0, names).id
        if pick % 3 and size >= least:  # Most of what the staff do needs a round.
            self.desk.pair(self.cup)

    @property
    def state(self):
        return self.desk.find(self.cup).state

    def newest_seq(self):
        return self.desk.find(self.cup).seq

    def act(self, do):
        """An act; if it counts, it is taken back, and then made again by taking that back.

        Without tables the state is then the very same; with some, free ones have been given what waits.
        """
        before, first = self.state, self.newest_seq() + 1
        try:
            do()
        except CompanionError:
            assert self.state == before
            return
        same = settled if self.tables else lambda state: state
        after, last = self.state, self.newest_seq()
        self.take_back_from(first, last)
        assert same(self.state) == same(before)
        self.take_back_from(last + 1, self.newest_seq())
        assert same(self.state) == same(after)

    def take_back_from(self, first, last):
        """Takes back what was done from the entry `first` to `last`, the newest first; what the hub does is no act."""
        for entry in reversed(self.desk.entries(self.cup)[first - 1 : last]):
            if is_act(entry.event) or isinstance(entry.event, Suggested):
                self.desk.take_back(self.cup, entry.seq)

    @invariant()
    def every_game_can_be_played(self):
        if hasattr(self, "cup"):
            plan = self.state.plan
            sizes = {len(play.pairing.seats) for round_ in self.state.rounds for play in round_.plays}
            assert all(plan.least <= size <= plan.most for size in sizes)

    @invariant()
    def no_table_has_two_games(self):
        given = [play.pairing.table for one in self.desk.going_on() for play in one.state.open if play.is_at_ours]
        assert len(set(given)) == len(given)

    @invariant()
    def what_a_table_has_sent_counts_once(self):
        if hasattr(self, "cup"):
            sent = {(play.pairing.session, play.head) for _number, play in self.state.sessions().values() if play.head}
            counts = [(game["id"], game["head"]) for game in self.record.games()]
            assert sent <= set(counts)
            assert len({session for session, _head in counts}) == len(counts)

    def anybody(self, pick):
        entrants = self.state.entrants or ("nobody",)
        return entrants[pick % len(entrants)]

    def place(self, pick):
        places = hands.places_in(self.state)
        return places[pick % len(places)].number

    @rule()
    def seat_round(self):
        self.act(lambda: self.desk.pair(self.cup))

    @precondition(lambda self: self.state.rounds)
    @rule(every=st.booleans())
    def decide(self, every):
        for play in self.state.open[: None if every else 1]:
            ranks = in_order(sorted(play.pairing.seats))
            self.act(lambda play=play, ranks=ranks: self.desk.rule(self.cup, play.pairing.number, ranks))

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS, other=NUMBERS)
    def decide_anew(self, pick, other):
        """A ruling in any round, with a tie; or one that is taken back."""
        round_ = self.state.rounds[pick % len(self.state.rounds)]
        play = round_.plays[other % len(round_.plays)]
        ranks = () if play.ruled else (play.pairing.seats,)
        self.act(lambda: self.desk.rule(self.cup, play.pairing.number, ranks, round_.number))

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS)
    def play_again(self, pick):
        plays = self.state.newest.plays
        self.act(lambda: self.desk.open_again(self.cup, plays[pick % len(plays)].pairing.number))

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS, agree=st.booleans(), tie=st.booleans())
    def suggest(self, pick, agree, tie):
        """One player of an open game says how it ended, or all of them do."""
        plays = self.state.open
        if plays:
            play = plays[pick % len(plays)]
            ranks = (play.pairing.seats,) if tie else in_order(play.pairing.seats)
            game = veil_session(play.pairing.session)
            for player in play.pairing.seats if agree else play.pairing.seats[:1]:
                self.act(lambda player=player: self.desk.suggest(self.cup, player, game, ranks))

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS, every=st.booleans())
    def play_at_a_plain_table(self, pick, every):
        plays = self.state.newest.plays
        number = plays[pick % len(plays)].pairing.number
        if every:
            self.act(lambda: self.desk.call_plain(self.cup))
        else:
            self.act(lambda: self.desk.call(self.cup, number, PLAIN, self.desk.playing()))

    @precondition(lambda self: self.tables and self.state.rounds)
    @rule(pick=NUMBERS, to=NUMBERS)
    def give(self, pick, to):
        plays, table = self.state.newest.plays, self.tables[to % len(self.tables)].key.id
        number = plays[pick % len(plays)].pairing.number
        seq = self.newest_seq()
        self.act(lambda: self.desk.call(self.cup, number, table, self.desk.playing()))
        if self.newest_seq() > seq:
            assert is_act(self.desk.entries(self.cup)[seq].event)

    @precondition(lambda self: self.tables and self.state.rounds)
    @rule(pick=NUMBERS, ends=st.booleans())
    def play_at_a_table(self, pick, ends):
        """A table begins what it is offered, and maybe plays it to its end."""
        table = self.tables[pick % len(self.tables)]
        table.begin()
        if ends and table.begun:
            table.send(next(reversed(table.begun)), in_order)
            table.say(over=True)

    @precondition(lambda self: any(table.begun for table in self.tables))
    @rule(pick=NUMBERS, which=NUMBERS, over=st.booleans())
    def send_again(self, pick, which, over):
        """A table sends any of its games, whatever has become of it: corrected to a tie, or to one that goes on."""
        tables = [table for table in self.tables if table.begun]
        table = tables[pick % len(tables)]
        table.send(list(table.begun)[which % len(table.begun)], lambda ids: (ids,) if over else ())
        table.say(over=over)

    @precondition(lambda self: self.tables)
    @rule(pick=NUMBERS)
    def fall_silent(self, pick):
        """One table is heard no more."""
        self.uptime_s += SILENT_S + 1
        for table in self.tables:
            if table is not self.tables[pick % len(self.tables)]:
                table.say()

    @precondition(lambda self: self.record.results.all())
    @rule(pick=NUMBERS, take=st.booleans())
    def decide_about_a_result(self, pick, take):
        results = self.record.results.all()
        result = results[pick % len(results)]
        decide = self.record.results.take if take else self.record.results.leave
        self.act(lambda: decide(result.session, result.head))

    @precondition(lambda self: self.state.rounds)
    @rule(minutes=st.integers(0, 700))
    def start_the_clock(self, minutes):
        self.act(lambda: self.desk.set_clock(self.cup, minutes))

    @rule(size=st.integers(0, 5), into=st.booleans())
    def join(self, size, into):
        """Joined with one that a second tap began: either goes, the other takes in who is new, and it comes back."""
        plan, before, first = self.state.plan, self.state, self.newest_seq() + 1
        names = [f"N{number}" for number in range(max(0, size - 2))] + [f"J{number}" for number in range(size)]
        other = self.desk.begin("Cup", plan.game, "printed", plan.form, plan.most, 0, names).id
        one, two = (self.cup, other) if into else (other, self.cup)
        try:
            stays = self.desk.join(one, two, self.desk.playing())
        except CompanionError:
            assert self.state == before
        else:
            gone = other if stays == self.cup else self.cup
            for seq in range(self.desk.find(stays).seq, (first if stays == self.cup else 3) - 1, -1):
                self.desk.take_back(stays, seq)
            self.desk.restore(gone)
            assert self.state == before
        self.desk.delete(other)

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS)
    def stay_away(self, pick):
        self.act(lambda: self.desk.stay_away(self.cup, self.anybody(pick), self.desk.playing()))

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS, to=NUMBERS)
    def move(self, pick, to):
        self.act(lambda: self.desk.move(self.cup, self.anybody(pick), self.place(to), self.desk.playing()))

    @precondition(lambda self: self.state.rounds)
    @rule(to=NUMBERS)
    def come_late(self, to):
        self.late += 1
        self.act(lambda: self.desk.seat_late(self.cup, f"Late {self.late}", self.place(to), self.desk.playing()))

    @precondition(lambda self: self.state.rounds)
    @rule(first=NUMBERS, second=NUMBERS)
    def swap(self, first, second):
        self.act(lambda: self.desk.swap(self.cup, self.anybody(first), self.anybody(second), self.desk.playing()))

    @rule()
    def enter(self):
        self.late += 1
        self.act(lambda: self.desk.enter(self.cup, [f"Late {self.late}"]))

    @rule(pick=NUMBERS)
    def withdraw(self, pick):
        self.act(lambda: self.desk.withdraw(self.cup, self.anybody(pick)))

    @rule(pick=NUMBERS)
    def come_back(self, pick):
        self.act(lambda: self.desk.bring_back(self.cup, self.anybody(pick)))

    @rule()
    def end(self):
        self.act(lambda: self.desk.end(self.cup))

    @rule(pick=NUMBERS)
    def take_back(self, pick):
        acts = self.desk.acts(self.cup)
        if acts:
            seq, before = acts[pick % len(acts)].seq, len(self.state.rounds)
            kept = {play.pairing.session: play.pairing.table for play in self.state.open}
            playing = self.desk.playing() & kept.keys()
            self.act(lambda: self.desk.take_back(self.cup, seq, playing))
            sessions, rounds = self.state.sessions(), self.state.rounds
            if len(rounds) == before:
                assert all(sessions[one][1].pairing.table == kept[one] for one in playing)

    def teardown(self):
        if hasattr(self, "cup"):
            self.finish()
        self.record.close()
        shutil.rmtree(self.folder)

    def finish(self):
        """Plays to the end from here; nobody is entered, and nothing taken back."""
        for _round in range(60):
            if self.state.is_ended:
                return
            self.decide_all()
            is_over = self.state.plan.form is not Form.KNOCK_OUT and len(self.state.rounds) >= 2
            over = is_over or len(find_remaining(self.state)) < 2 or is_final(self.state)
            if over or len(field_of(self.state)) < self.state.plan.least:
                break
            self.desk.pair(self.cup)
        self.desk.end(self.cup)
        state = self.state
        assert not state.entrants or lines(state)[0].place == 1
        if state.plan.form is Form.KNOCK_OUT and state.rounds and len(state.present) >= state.plan.least:
            assert is_final(state) or len(find_remaining(state)) < 2
            assert [line.place for line in lines(state)].count(1) == 1

    def decide_all(self):
        for play in self.state.rounds[-1].plays if self.state.rounds else ():
            if not play.is_done or len(play.outcome) < len(play.pairing.seats):
                self.desk.rule(self.cup, play.pairing.number, in_order(sorted(play.pairing.seats)))


def test_a_winner_can_be_reached_from_everywhere_and_each_act_taken_back():
    run_state_machine_as_test(Evening, settings=settings(phases=PHASES, stateful_step_count=15))


@pytest.mark.parametrize("size", range(3, 41))
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_knock_out_of_three_or_more_at_a_table_has_one_winner(size, seats):
    """Pack & Stack needs three at a table: for every field the rounds lead to a final of three or more."""
    from tests.hall.tournament.fields import begun, paired, played
    from tests.hall.tournament.test_pairing import plain

    state = begun(size, seats, Form.KNOCK_OUT, least=3, through=seats // 2)
    for _round in range(size):
        state, seating = paired(state, plain)
        assert all(3 <= len(table) <= seats for table in seating.tables)
        state = played(state)
        if is_final(state):
            break
    assert is_final(state)
    assert (lines(state)[0].place, lines(state)[0].entrant) == (1, "e0")
    assert [line.place for line in lines(state)].count(1) == 1
