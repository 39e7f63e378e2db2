"""How a button behaves, from its raw edges and their stamps: stuck, humming or loose. Pure functions.

Edges within BOUNCE_US are one *move* of the contact. A hand makes two a tap, and no more than FASTEST in FAST_US. What
is faster, or as even as a machine, comes from the mains, a radio or a wire that touches something.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from statistics import median

from firmware.debounce import BOUNCE_US, LEAST_CLOSED_US

STUCK_US = 10_000_000  # Nobody leans on a button for so long between rounds.
STUCK_IN_ROUND_US = 60_000_000  # In a round a hand may wait on its button.
FASTEST, FAST_US = 16, 300_000  # These are 26 taps a second; two hands on one button reach 20.
BURST_MOVES, BURST_US, BURST_APART_US = 3, 30_000, 100_000  # Down, up and down again takes a hand longer.
BURSTS, BURSTS_US = 3, 15_000_000
EVEN_PULSES, EVEN_SHARE, EVEN_US = 12, 0.03, 1_000  # A hand's taps differ by a tenth of their length.
SLOWEST_EVEN_US = 160_000  # Slower ones may be somebody who keeps time.
REGULAR_SHARE, REGULAR_US = 0.1, 1_000  # A hum keeps its pace, and is stamped when it happens.
BREAK_US, HOLD_US = 35_000, 60_000  # No finger comes back so soon that has held so long.
BREAKS, BREAKS_US = 5, 10_000_000
QUIET_US = 30_000  # After so long without an edge a press that was doubtful is decided,
DOUBT_US = 300_000  # and after so long in any case.


class Fault(StrEnum):
    """What is wrong with a button."""

    STUCK = "stuck"
    HUMS = "hums"
    LOOSE = "loose"
    UNREADABLE = "unreadable"


REST_US = {Fault.STUCK: 3_000_000, Fault.HUMS: 10_000_000, Fault.LOOSE: 3_000_000}


@dataclass(frozen=True)
class Conduct:
    """The behaviour of one button.

    closed          whether the contact is closed since its newest edge, at `edge_us`
    down_us         since when it is down, breaks included
    closed_us       since when it is closed without a break
    moves           when its newest moves began
    pulses          (begin, length) of its newest pulses
    bursts          when bursts began that no hand makes
    breaks          when it broke while it was held; what came less than BREAK_US before its release was bounce
    """

    closed: bool
    edge_us: int
    down_us: int
    closed_us: int
    moves: tuple[int, ...] = ()
    pulses: tuple[tuple[int, int], ...] = ()
    bursts: tuple[int, ...] = ()
    breaks: tuple[int, ...] = ()
    fault: Fault | None = None

    @property
    def is_left_out(self) -> bool:
        return self.fault in REST_US


def begun(closed: bool, now_us: int) -> Conduct:
    """A button when its box is opened."""
    return Conduct(closed, now_us, now_us, now_us)


def moved(conduct: Conduct, closed: bool, at_us: int) -> Conduct:
    """The behaviour after an edge."""
    since_us = at_us - conduct.edge_us
    moves, pulses, breaks, bursts = conduct.moves, conduct.pulses, conduct.breaks, conduct.bursts
    if closed and since_us > BOUNCE_US and pulses and pulses[-1][1] < LEAST_CLOSED_US and moves[-1] == pulses[-1][0]:
        moves, pulses = moves[:-1], pulses[:-1]  # A spike by itself is never a press.
    if not moves or at_us - moves[-1] > BOUNCE_US:
        moves = (*moves[1 - FASTEST :], at_us)
        is_burst = len(moves) >= BURST_MOVES and moves[-1] - moves[-BURST_MOVES] <= BURST_US
        if is_burst and not _is_held(moves, conduct.down_us, BURST_US):  # Letting go may chatter.
            ended = not bursts or at_us - bursts[-1] > BURST_APART_US
            bursts = (*bursts[1 - BURSTS :], at_us) if ended else (*bursts[:-1], at_us)
    down_us, closed_us = conduct.down_us, conduct.closed_us
    if closed and not conduct.closed:
        if since_us > BREAK_US:
            down_us = at_us
            breaks = tuple(broke_us for broke_us in breaks if conduct.edge_us - broke_us >= BREAK_US)
        elif conduct.edge_us - closed_us >= HOLD_US:
            breaks = (*breaks[1 - BREAKS :], at_us)
        closed_us = at_us
    elif conduct.closed and not closed:
        if bursts and since_us >= QUIET_US and conduct.edge_us - bursts[-1] <= BURST_US:
            bursts = bursts[:-1]  # A finger was behind it.
        pulses = (*pulses[1 - EVEN_PULSES :], (closed_us, at_us - closed_us))
    return replace(
        conduct,
        closed=closed,
        edge_us=at_us,
        down_us=down_us,
        closed_us=closed_us,
        moves=moves,
        pulses=pulses,
        bursts=bursts,
        breaks=breaks,
    )


def judged(conduct: Conduct, now_us: int, in_round: bool, unreadable: bool = False) -> Conduct:
    """The behaviour with the fault that it shows by now, or without the one that has been at rest."""
    if unreadable or conduct.fault is Fault.UNREADABLE:
        return replace(conduct, fault=Fault.UNREADABLE if unreadable else None)
    if conduct.fault is None:
        return replace(conduct, fault=_fault(conduct, now_us, in_round))
    rests_us = 0 if conduct.closed else now_us - conduct.edge_us
    if rests_us >= REST_US[conduct.fault]:
        return begun(False, now_us)
    return conduct


def is_doubtful(conduct: Conduct, press_us: int, now_us: int) -> bool:
    """Whether a press may still turn out not to be a hand's: its contact has moved again, or may do so soon."""
    again = not conduct.closed or sum(at_us >= press_us for at_us in conduct.moves) > 1
    return again and now_us - conduct.edge_us < QUIET_US and now_us - press_us < DOUBT_US


def is_noise(conduct: Conduct, press_us: int) -> bool:
    """Whether a press was a burst that no hand makes, and is over."""
    return not conduct.closed and any(abs(at_us - press_us) <= DOUBT_US for at_us in conduct.bursts)


def _fault(conduct: Conduct, now_us: int, in_round: bool) -> Fault | None:
    moves, bursts, breaks = conduct.moves, conduct.bursts, conduct.breaks
    is_fast = len(moves) == FASTEST and moves[-1] - moves[0] <= FAST_US
    is_fast = is_fast and all(later - earlier <= BREAK_US for earlier, later in pairwise(moves))
    if is_fast or (len(bursts) == BURSTS and bursts[-1] - bursts[0] <= BURSTS_US):
        return (
            Fault.LOOSE if _is_held(moves, conduct.down_us, BURST_APART_US) and not _is_regular(moves) else Fault.HUMS
        )
    if _is_even(conduct.pulses):
        return Fault.HUMS
    held_us = (now_us if conduct.closed else conduct.edge_us) - breaks[-1] if breaks else 0
    if len(breaks) == BREAKS and breaks[-1] - breaks[0] <= BREAKS_US and held_us >= BREAK_US:
        return Fault.LOOSE
    if conduct.closed and now_us - conduct.down_us >= (STUCK_IN_ROUND_US if in_round else STUCK_US):
        return Fault.STUCK
    return None


def _is_held(moves: tuple[int, ...], down_us: int, apart_us: int) -> bool:
    """Whether a finger was on it before the newest moves began, which are not that far apart."""
    begin_us = moves[-1]
    for at_us in reversed(moves):
        if begin_us - at_us > apart_us:
            break
        begin_us = at_us
    return begin_us - down_us > BREAK_US


def _is_regular(moves: tuple[int, ...]) -> bool:
    """Whether the moves come at one pace; every other one, as closing and opening need not last equally long."""
    paces = [later - earlier for earlier, later in zip(moves, moves[2:], strict=False)]
    return _are_alike(paces, REGULAR_SHARE, REGULAR_US)


def _is_even(pulses: tuple[tuple[int, int], ...]) -> bool:
    """Whether the pulses are of one length and come at one pace."""
    if len(pulses) < EVEN_PULSES:
        return False
    paces = [later - earlier for (earlier, _length), (later, _other) in pairwise(pulses)]
    pace_us = median(paces)
    slack_us = EVEN_SHARE * pace_us + EVEN_US
    lengths = [length for _begin, length in pulses]
    return pace_us <= SLOWEST_EVEN_US and _are_alike(paces, 0, slack_us) and _are_alike(lengths, 0, slack_us)


def _are_alike(spans_us: list[int], share: float, slack_us: float) -> bool:
    middle_us = median(spans_us)
    return all(abs(span_us - middle_us) <= share * middle_us + slack_us for span_us in spans_us)
