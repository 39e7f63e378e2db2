"""Buttons are judged from the stamps of their edges: what no hand makes does not count, and is told."""

from random import Random

import pytest

from companion.game.box import Device
from firmware import debounce
from firmware.conduct import REST_US, STUCK_IN_ROUND_US, STUCK_US, Fault
from firmware.debounce import SETTLE_US
from firmware.judge import Judge

STEP_US = 2_000
TOLD_US = 15_000_000


class Buttons:
    """Two buttons, driven by the table time of their edges; nothing here waits for a clock."""

    def __init__(self):
        self.told, self.counted, self.now_us, self.in_round = [], [], 0, False
        self.judge = Judge({"seat-1": (Device.SEAT, 1), "seat-2": (Device.SEAT, 2)}, self._hear)
        self.contacts = {}
        for name in ("seat-1", "seat-2"):
            self.contacts[name] = debounce.at_rest(False)
            self.judge.begin(name, False, 0)

    def _hear(self, part, sentence, is_fault):
        self.told.append((self.now_us, part, sentence, is_fault))

    def go_on(self, until_us, edges=()):
        """Lets time pass with these edges, (name, closed, at)."""
        edges = sorted(edges, key=lambda edge: edge[2])
        while self.now_us < until_us:
            self.now_us = min(self.now_us + STEP_US, until_us)
            decided = []
            while edges and edges[0][2] <= self.now_us:
                name, closed, at_us = edges.pop(0)
                self.judge.hear(name, closed, at_us)
                self.contacts[name], changes = debounce.edge(self.contacts[name], closed, at_us)
                decided += [(name, change) for change in changes]
            for name, contact in self.contacts.items():
                self.contacts[name], changes = debounce.settle(contact, self.now_us)
                decided += [(name, change) for change in changes]
            self.counted += self.judge.sift(decided, self.now_us, self.in_round)

    def presses(self, name="seat-1"):
        return [change.at_us for button, change in self.counted if button == name and change.pressed]

    def faults(self):
        return [sentence for _at, _part, sentence, is_fault in self.told if is_fault]


@pytest.fixture
def buttons():
    return Buttons()


def pulses(spans, name="seat-1", from_us=0):
    """Edges of pulses, (closed, open) each."""
    edges, at_us = [], from_us
    for closed_us, open_us in spans:
        edges += [(name, True, at_us), (name, False, at_us + closed_us)]
        at_us += closed_us + open_us
    return edges


def even(hertz, for_us, share=0.5):
    pace_us = round(1e6 / hertz)
    return [(round(share * pace_us), pace_us - round(share * pace_us))] * round(for_us / pace_us)


def hand(count, closed_us, open_us, seed=1):
    chance = Random(seed)
    return [tuple(round(chance.gauss(span_us, span_us / 8)) for span_us in (closed_us, open_us)) for _ in range(count)]


def bursts(count, apart_us, longest_us=3_000, seed=1):
    chance, spans = Random(seed), []
    for _ in range(count):
        spans += [(chance.randint(200, longest_us), chance.randint(200, 4_000)) for _ in range(20)]
        spans[-1] = (spans[-1][0], round(apart_us * chance.uniform(0.7, 1.3)))
    return spans


@pytest.mark.parametrize("hertz", [30, 50, 60, 100, 120, 217, 1000])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_hum_counts_as_no_press_and_is_told_at_once(buttons, hertz, share):
    buttons.go_on(2_000_000, pulses(even(hertz, 1_500_000, share)))
    assert "The button “Seat 1” gets pulses that no hand makes." in buttons.faults()[0]
    assert len(buttons.faults()) == 1
    assert len(buttons.presses()) <= (8 if hertz < 40 else 0)


@pytest.mark.parametrize("apart_us", [10_000, 20_000, 30_000])
def test_spikes_on_a_long_wire_are_no_presses_and_do_no_harm(buttons, apart_us):
    buttons.go_on(3_000_000, pulses([(100, apart_us - 100)] * (2_000_000 // apart_us)))
    assert (buttons.presses(), buttons.faults()) == ([], [])


def test_a_hum_that_is_too_short_to_be_judged_is_no_press_either(buttons):
    buttons.go_on(500_000, pulses(even(50, 60_000)))
    assert (buttons.presses(), buttons.faults()) == ([], [])


def test_slower_pulses_are_told_by_their_equal_length(buttons):
    buttons.go_on(3_000_000, pulses(even(10, 2_500_000)))
    assert "no hand makes" in buttons.faults()[0]


@pytest.mark.parametrize("apart_us", [300_000, 1_000_000, 4_000_000])
@pytest.mark.parametrize("seed", range(3))
def test_bursts_of_a_radio_are_no_presses_and_are_told(buttons, apart_us, seed):
    buttons.go_on(TOLD_US, pulses(bursts(4, apart_us, seed=seed)))
    assert buttons.presses() == []
    assert "no hand makes" in buttons.faults()[0]


@pytest.mark.parametrize("break_us", [1_000, 10_000, 25_000])
def test_a_loose_button_is_told(buttons, break_us):
    chance = Random(1)
    spans = [(chance.randint(120_000, 700_000), chance.randint(break_us // 2, break_us)) for _ in range(8)]
    buttons.go_on(8_000_000, pulses(spans))
    assert "The button “Seat 1” breaks off while it's held." in buttons.faults()[0]


def noise(for_us, seed=1):
    chance, spans, lasted_us = Random(seed), [], 0
    while lasted_us < for_us:
        spans.append((chance.randint(1_000, 14_000), chance.randint(1_000, 14_000)))
        lasted_us += sum(spans[-1])
    return spans


@pytest.mark.parametrize(("held_us", "said"), [(0, "no hand makes"), (400_000, "breaks off while it's held")])
@pytest.mark.parametrize("seed", range(3))
def test_noise_without_an_end_comes_from_outside_or_from_a_contact_under_a_finger(buttons, held_us, said, seed):
    spans = [(held_us, 2_000)] * bool(held_us) + noise(2_000_000, seed)
    buttons.go_on(3_000_000, pulses(spans))
    assert [said in sentence for sentence in buttons.faults()] == [True]


def test_a_worn_contact_that_chatters_before_it_holds_counts(buttons):
    spans = ([(2_000, 7_000)] * 3 + [(120_000, 400_000)]) * 6
    buttons.go_on(4_000_000, pulses(spans))
    assert (len(buttons.presses()), buttons.faults()) == (6, [])


def test_a_worn_contact_that_chatters_after_it_was_held_counts(buttons):
    spans = [(120_000, 5_000), (4_000, 5_000), (4_000, 400_000)] * 6
    buttons.go_on(4_500_000, pulses(spans))
    assert (len(buttons.presses()), buttons.faults()) == (6, [])


def test_quick_taps_of_a_contact_that_chatters_are_a_hands(buttons):
    spans = [(4_000, 5_000), (4_000, 5_000), (40_000, 5_000), (4_000, 5_000), (4_000, 40_000)] * 5
    buttons.go_on(1_000_000, pulses(spans))
    assert (len(buttons.presses()), buttons.faults()) == (5, [])


@pytest.mark.parametrize(("in_round", "told_us"), [(False, STUCK_US), (True, STUCK_IN_ROUND_US)])
def test_a_stuck_button_is_told_and_let_go_of_for_the_game(buttons, in_round, told_us):
    buttons.in_round = in_round
    edges = [("seat-1", True, 0)]
    buttons.go_on(told_us - STEP_US, edges)
    assert buttons.faults() == []
    buttons.go_on(told_us + STEP_US)
    assert "The button “Seat 1” is down all the time. Free it" in buttons.faults()[0]
    assert [change.pressed for _name, change in buttons.counted] == [True, False]
    assert STUCK_US < TOLD_US


def test_a_button_is_left_out_until_it_has_been_at_rest_and_then_said_to_be_back(buttons):
    buttons.go_on(1_000_000, pulses(even(50, 500_000)))
    edges = pulses(hand(3, 100_000, 300_000), from_us=1_500_000)
    buttons.go_on(3_000_000, edges)
    assert buttons.presses() == []
    rested_us = edges[-1][2] + REST_US[Fault.HUMS]
    buttons.go_on(rested_us - STEP_US)
    assert [is_fault for _at, _part, _sentence, is_fault in buttons.told] == [True]
    buttons.go_on(rested_us + STEP_US)
    assert buttons.told[-1][1:] == (
        "button seat-1",
        "The button “Seat 1” is all right again, and its presses count.",
        False,
    )
    buttons.go_on(rested_us + 1_000_000, pulses(hand(1, 100_000, 300_000), from_us=rested_us + 100_000))
    assert buttons.presses() == [rested_us + 100_000]


@pytest.mark.parametrize("spans", [even(50, 5_000_000), bursts(5, 500_000), [(30_000_000, 1)]])
def test_presses_of_others_count_as_before_with_their_own_stamps(buttons, spans):
    theirs = pulses(hand(10, 90_000, 400_000), "seat-2", 7_000)
    buttons.go_on(6_000_000, pulses(spans) + theirs)
    assert buttons.presses("seat-2") == [at_us for _name, closed, at_us in theirs if closed]


def test_presses_of_one_moment_are_told_in_the_order_of_their_stamps(buttons):
    buttons.go_on(500_000, [*pulses([(80_000, 1)], "seat-1", 1_500), *pulses([(80_000, 1)], "seat-2", 1_000)])
    assert [name for name, change in buttons.counted if change.pressed] == ["seat-2", "seat-1"]


def test_presses_are_told_in_order_while_a_doubtful_one_waits(buttons):
    edges = [*pulses([(9_000, 300_000)]), *pulses([(80_000, 300_000)], "seat-2", 5_000)]
    buttons.go_on(500_000, edges)
    assert [name for name, change in buttons.counted if change.pressed] == ["seat-1", "seat-2"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("closed_us", "open_us"), [(120_000, 300_000), (60_000, 60_000), (33_000, 34_000), (10_000, 200_000)]
)
def test_a_hand_counts_however_fast_it_is(buttons, closed_us, open_us, seed):
    edges = pulses(hand(40, closed_us, open_us, seed), from_us=1_000)
    buttons.go_on(edges[-1][2] + 1_000_000, edges)
    assert (len(buttons.presses()), buttons.faults()) == (40, [])


@pytest.mark.parametrize("seed", range(5))
def test_bounce_and_a_finger_that_trembles_are_a_hands(buttons, seed):
    chance, edges, at_us = Random(seed), [], 0
    for _ in range(30):
        begin_us, end_us = at_us, at_us + chance.randint(60_000, 200_000)
        for from_us, last in ((begin_us, True), (end_us, False)):
            for bounce in range(4):
                edges.append(("seat-1", last == (bounce % 2 == 0), from_us + bounce * chance.randint(200, 1_500)))
            edges.append(("seat-1", last, from_us + 6_200))
        at_us = end_us + chance.randint(150_000, 500_000)
    edges.sort(key=lambda edge: edge[2])
    buttons.go_on(at_us + SETTLE_US, edges)
    assert (len(buttons.presses()), buttons.faults()) == (30, [])
