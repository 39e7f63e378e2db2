"""Whatever the staff do in a tournament of any form, size and game: it can end, and each act can be taken back."""

import shutil
import tempfile
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
from companion.hub.record import HubRecord
from companion.hub.tournament import hands
from companion.hub.tournament.events import MOST_SEATS, PLAIN, Form
from companion.hub.tournament.pairing import field_of, is_final
from companion.hub.tournament.standings import find_remaining, lines
from companion.letters.offer import veil_session
from companion.shelf import GAMES
from tests.hall.letters import NOON_US

NUMBERS = st.integers(0, 10_000)
NOBODY = frozenset()
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # To shrink a whole evening takes minutes.


def in_order(entrants):
    return tuple((entrant,) for entrant in entrants)


class Evening(RuleBasedStateMachine):
    """A tournament, and staff who tap whatever a page offers."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.record = HubRecord(self.folder, lambda: NOON_US)
        self.desk, self.late = self.record.desk, 0

    @initialize(form=st.sampled_from(Form), game=st.sampled_from(sorted(GAMES)), size=st.integers(2, 40), pick=NUMBERS)
    def begin(self, form, game, size, pick):
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
        """An act; if it counts, it is taken back, and then made again by taking that back."""
        before, first = self.state, self.newest_seq() + 1
        try:
            do()
        except CompanionError:
            assert self.state == before
            return
        after, last = self.state, self.newest_seq()
        for seq in range(last, first - 1, -1):
            self.desk.take_back(self.cup, seq)
        assert self.state == before
        for seq in range(self.newest_seq(), last, -1):
            self.desk.take_back(self.cup, seq)
        assert self.state == after

    @invariant()
    def every_game_can_be_played(self):
        if hasattr(self, "cup"):
            plan = self.state.plan
            sizes = {len(play.pairing.seats) for round_ in self.state.rounds for play in round_.plays}
            assert all(plan.least <= size <= plan.most for size in sizes)

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
            self.act(lambda: self.desk.call(self.cup, number, PLAIN, NOBODY))

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
            stays = self.desk.join(one, two, NOBODY)
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
        self.act(lambda: self.desk.stay_away(self.cup, self.anybody(pick), NOBODY))

    @precondition(lambda self: self.state.rounds)
    @rule(pick=NUMBERS, to=NUMBERS)
    def move(self, pick, to):
        self.act(lambda: self.desk.move(self.cup, self.anybody(pick), self.place(to), NOBODY))

    @precondition(lambda self: self.state.rounds)
    @rule(to=NUMBERS)
    def come_late(self, to):
        self.late += 1
        self.act(lambda: self.desk.seat_late(self.cup, f"Late {self.late}", self.place(to), NOBODY))

    @precondition(lambda self: self.state.rounds)
    @rule(first=NUMBERS, second=NUMBERS)
    def swap(self, first, second):
        self.act(lambda: self.desk.swap(self.cup, self.anybody(first), self.anybody(second), NOBODY))

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
            self.act(lambda: self.desk.take_back(self.cup, acts[pick % len(acts)].seq))

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
