"""SAMESTAX against its rule sheet; the ids stand beside each test."""

import pytest

from companion.errors import IllegalEvent
from companion.game.box import Device, Light, Phase, Signal
from companion.game.events import NOW_US
from companion.game.players import Viewer
from companion.game.widgets import Choice, Headline, Seats, Track, after_taps
from companion.games.maxstax.events import (
    Bumped,
    Collapsed,
    FalseStarted,
    Judged,
    Paused,
    Readied,
    Resumed,
    RoundClosed,
    Shouted,
    ShoutRejected,
    Started,
    TimeRanOut,
)
from companion.games.maxstax.timer import COUNTDOWN_US, Bump, Stage
from companion.games.rulings import Ruling
from companion.games.samestax import interface
from companion.games.samestax.rules import (
    CreatorChosen,
    CreatorStackFell,
    Options,
    Restacked,
    apply,
    awaiting,
    check_sum,
    creators,
    due,
    explain,
    is_over,
    legal,
    score,
    stage,
    start,
    winners,
)

S = 1_000_000
GO = COUNTDOWN_US  # the creation begins
COPY = 500 * S + COUNTDOWN_US  # the replication begins


def play(state, *events):
    for event in events:
        state = apply(state, event)
    return state


def chosen(*players, first="A", **options):
    """A game whose first Creator is chosen."""
    return apply(start(Options(**options), players or ("A", "B", "C", "D")), CreatorChosen(first))


def creating(*players, **options):
    return apply(chosen(*players, **options), Started(0))


def created(*players, **options):
    """The Creator has finished after 40 s; the others get ready."""
    state = creating(*players, **options)
    return apply(state, Shouted(state.current.creator, GO + 40 * S))


def copying(*players, **options):
    """The minute to copy runs from COPY on."""
    state = created(*players, **options)
    return play(state, *map(Readied, state.current.replication.builders), Started(500 * S))


def shout(player, seconds):
    return Shouted(player, COPY + round(seconds * S))


TIME_IS_UP = TimeRanOut(COPY + 60 * S)


def round_won_by(state, *players):
    """One whole round, from the start of the creation on, in which these reclaim their points."""
    creator = state.current.creator
    at = 1000 * S * len(state.past)
    state = play(state, Started(at), Shouted(creator, at + GO))
    others = state.current.replication.builders
    state = play(state, *map(Readied, others), Started(at + 200 * S))
    for player in players:
        state = apply(state, Shouted(player, at + 200 * S + GO + 1))
    if set(players) != set(others):
        state = apply(state, TimeRanOut(at + 200 * S + GO + 60 * S))
    return apply(state, RoundClosed())


def test_the_group_chooses_the_first_creator():  # SAM-01
    state = start(Options(), ("A", "B", "C"))
    assert awaiting(state) == {"A", "B", "C"}
    with pytest.raises(IllegalEvent, match="Choose the first one"):
        apply(state, Started(0))
    assert play(state, CreatorChosen("C"), CreatorChosen("B")).current.creator == "B"
    with pytest.raises(IllegalEvent, match="one of the players"):
        apply(state, CreatorChosen("Z"))
    with pytest.raises(IllegalEvent, match="has begun"):
        apply(creating(), CreatorChosen("B"))


def test_the_role_goes_clockwise_until_everybody_was_creator_twice():  # SAM-01, SAM-08, MX-E12
    assert creators(("A", "B", "C"), "B") == ("B", "C", "A", "B", "C", "A")
    state = chosen("A", "B", "C", first="B")
    seen = []
    while not is_over(state):
        seen.append(state.current.creator)
        state = round_won_by(state)
    assert seen == ["B", "C", "A", "B", "C", "A"]
    assert check_sum(state) == (12, 12)
    assert sum(score(state).values()) == 12


def test_the_creator_holds_a_point_of_every_other_player():  # SAM-02
    assert score(chosen()) == {"A": 0, "B": 0, "C": 0, "D": 0}
    assert score(creating()) == {"A": 3, "B": 0, "C": 0, "D": 0}


def test_the_creator_starts_the_creation_and_nobody_has_to_be_ready():  # MX-12
    state = chosen()
    assert awaiting(state) == {"A"}
    assert stage(apply(state, Started(0))) is Stage.RUNNING


def test_two_minutes_to_create_one_to_copy():  # MX-11
    assert due(creating()).at_us == GO + 120 * S
    assert due(copying()).at_us == COPY + 60 * S


def test_what_falls_in_the_creation_is_rebuilt():  # SAM-03
    state = apply(creating(), Collapsed("A"))
    assert stage(state) is Stage.RUNNING
    assert apply(state, Shouted("A", GO + 90 * S)).current.replication
    with pytest.raises(IllegalEvent, match="The Creator can still rebuild in time"):
        apply(state, CreatorStackFell("A"))


def test_the_creation_ends_by_the_creators_word_or_with_the_time():  # MX-16
    assert created().current.replication.builders == ("B", "C", "D")
    assert apply(creating(), TimeRanOut(GO + 120 * S)).current.replication.builders == ("B", "C", "D")
    with pytest.raises(IllegalEvent, match="This player isn't in this round"):
        apply(creating(), Shouted("B", GO + 40 * S))


def test_the_second_timer_starts_when_all_stackers_are_ready():  # MX-12, MX-13
    state = play(created(), Readied("B"), Readied("C"))
    with pytest.raises(IllegalEvent, match="Still waiting for 1 player to press Ready"):
        apply(state, Started(500 * S))
    assert awaiting(state) == {"D"}
    state = apply(state, Readied("D"))
    assert awaiting(state) == {"A"}
    assert stage(apply(state, Started(500 * S))) is Stage.RUNNING


def test_who_succeeds_reclaims_the_own_point_at_once():  # SAM-04
    state = apply(copying(), shout("C", 20))
    assert score(state) == {"A": 2, "B": 0, "C": 1, "D": 0}


def test_the_creator_keeps_the_points_of_those_who_fail():  # MX-30, SAM-05
    state = play(copying(), shout("B", 20), TIME_IS_UP, RoundClosed())
    assert score(state) == {"A": 2, "B": 1, "C": 0, "D": 0}
    assert explain(state, "A") == (("Round 1, Creator, held", 2, "SAM-05"),)
    assert explain(state, "B") == (("Round 1, copied", 1, "SAM-04"),)


def test_what_was_judged_stays_judged_when_the_table_says_so():  # the last word, which ended the round, was taken back
    state = play(copying("A", "B", "C", shout_required=False), shout("B", 20))
    with pytest.raises(IllegalEvent, match="still running"):
        apply(state, Judged("B", True))
    said = apply(apply(state, Judged("B", True), ruled=True), RoundClosed(), ruled=True)
    assert score(said) == score(play(copying("A", "B", "C"), shout("B", 20)))


def test_exactly_a_minute_is_in_time():  # MX-15
    assert score(apply(copying(), shout("B", 60)))["B"] == 1
    with pytest.raises(IllegalEvent, match="Time ran out"):
        apply(copying(), Shouted("B", COPY + 60 * S + 1))


def test_the_replication_ends_early_when_everybody_has_succeeded():  # MX-16, reading 6
    state = play(copying(), shout("B", 20), shout("C", 21), shout("D", 22))
    assert stage(state) is Stage.FINISHED
    assert due(state) is None
    assert score(state) == {"A": 0, "B": 1, "C": 1, "D": 1}


def test_a_shout_over_a_copy_that_is_not_exact_does_not_count():  # MX-23
    state = play(copying(), shout("B", 20), ShoutRejected("B"))
    assert score(state)["B"] == 0
    assert score(apply(state, shout("B", 30)))["B"] == 1


def test_a_copy_that_falls_is_rebuilt_and_after_the_shout_stays_complete():  # MX-21, MX-22
    state = play(copying(), Collapsed("B"), shout("B", 30))
    with pytest.raises(IllegalEvent, match="This stack was complete before it fell"):
        apply(state, Collapsed("B"))
    assert score(state)["B"] == 1


def test_when_the_creators_stack_falls_everybody_reclaims_at_once():  # SAM-06, reading 5
    state = play(copying(), shout("B", 20), CreatorStackFell("A"))
    assert (stage(state), due(state)) == (Stage.FINISHED, None)
    assert score(state) == {"A": 0, "B": 1, "C": 1, "D": 1}
    assert explain(state, "A") == (("Round 1, Creator, stack fell", 0, "SAM-06"),)
    with pytest.raises(IllegalEvent, match="Close the round"):
        apply(state, shout("C", 30))
    with pytest.raises(IllegalEvent, match="The Creator's stack has already fallen"):
        apply(state, CreatorStackFell("A"))
    assert score(apply(state, RoundClosed())) == {"A": 0, "B": 1, "C": 1, "D": 1}


def test_that_the_creators_stack_fell_may_be_said_when_the_table_looks():  # SAM-06
    assert score(play(copying(), TIME_IS_UP, CreatorStackFell("A"))) == {"A": 0, "B": 1, "C": 1, "D": 1}


def test_only_the_creators_stack_must_stand():  # SAM-06
    with pytest.raises(IllegalEvent, match="Only the Creator's stack must stand the whole time"):
        apply(copying(), CreatorStackFell("B"))


def test_who_finished_early_builds_again_in_the_time_left():  # SAM-03
    fallen = play(created(), Readied("B"), Restacked("A", GO + 55 * S))  # B finished after 40 s of 120.
    assert (stage(fallen), fallen.current.replication, fallen.current.faulty) == (Stage.RUNNING, None, False)
    assert score(fallen) == score(creating())  # nobody has a point back
    assert due(fallen).at_us == GO + 135 * S  # 80 s are left
    again = play(fallen, Shouted("A", GO + 60 * S))
    assert awaiting(again) == {"B", "C", "D"}  # the others have to say anew that they are ready
    assert score(apply(again, CreatorStackFell("A"))) == {"A": 0, "B": 1, "C": 1, "D": 1}  # who stops has no stack
    late = play(fallen, TimeRanOut(GO + 135 * S))
    for ended in (late, play(creating(), TimeRanOut(GO + 120 * S)), play(creating(), Shouted("A", GO + 120 * S))):
        with pytest.raises(IllegalEvent, match="and only if time to build is left"):
            apply(ended, Restacked("A", GO + 140 * S))


def test_once_the_others_have_begun_nothing_is_built_again():  # SAM-06
    with pytest.raises(IllegalEvent, match="before the others begin"):
        apply(copying(), Restacked("A", COPY + S))
    with pytest.raises(IllegalEvent, match="before the others begin"):
        apply(creating(), Restacked("A", GO + S))  # not finished: "It fell" says so
    with pytest.raises(IllegalEvent, match="Only the Creator's stack must stand the whole time"):
        apply(created(), Restacked("B", GO + 50 * S))
    with pytest.raises(IllegalEvent, match="before it was finished"):
        apply(created(), Restacked("A", GO + 39 * S))


def test_building_again_is_a_switch():  # SAM-03, SAM-06
    with pytest.raises(IllegalEvent, match="and only if time to build is left"):
        apply(created(restack=False), Restacked("A", GO + 50 * S))
    assert [tap.label for tap in taps_of(created(restack=False))] == ["It fell", "Someone hit it"]
    assert [tap.label for tap in taps_of(created())] == [
        "It fell: build again",
        "It fell and stays down",
        "Someone hit it",
    ]


def test_a_fall_counts_within_the_minute_alone_and_the_button_says_so():  # SAM-06
    assert [tap.label for tap in taps_of(copying())] == ["It fell", "Someone hit it"]
    assert [tap.label for tap in taps_of(play(copying(), TIME_IS_UP))] == ["It fell before time was up"]


def taps_of(state):
    """The taps of the Creator's card."""
    (seats,) = widgets(state, Seats)
    return seats.cards[0].taps


def test_without_a_stack_at_the_end_of_the_creation_there_is_no_replication():  # SAM-07
    state = play(creating(), TimeRanOut(GO + 120 * S), CreatorStackFell("A"))
    assert score(state) == {"A": 0, "B": 1, "C": 1, "D": 1}
    with pytest.raises(IllegalEvent, match="Close the round"):
        apply(state, Readied("B"))
    assert apply(state, RoundClosed()).current.creator == "B"


@pytest.mark.parametrize(("players", "whole"), [(("A", "B"), 4), (("A", "B", "C"), 12), (("A", "B", "C", "D"), 24)])
def test_every_round_gives_out_players_less_one(players, whole):  # SAM-08
    state = chosen(*players)
    each = len(players) - 1
    while not is_over(state):
        given = sum(score(state).values())
        state = round_won_by(state, "B" if state.current.creator == "A" else "A")
        assert sum(score(state).values()) == given + each == check_sum(state)[0]
    assert check_sum(state) == (whole, whole)


def test_nobody_can_reach_more_than_four_times_players_less_one():  # SAM-08
    state = chosen("A", "B", "C")
    while not is_over(state):
        state = round_won_by(state, *(() if state.current.creator == "A" else ("A",)))
    assert score(state)["A"] == 4 * 2


def test_equal_highest_sums_share_the_victory():  # SAM-09, MX-33, MX-E13
    state = chosen()
    # D never copies and always is copied by all; A and B keep 2 and 3 as Creators, C keeps 1 and 1
    for copied in (["C"], ["C"], ["A", "B"], ["A", "B", "C"], [], [], ["A", "B"], ["A", "B", "C"]):
        state = round_won_by(state, *copied)
    assert score(state) == {"A": 9, "B": 9, "C": 6, "D": 0}
    assert check_sum(state) == (24, 24)
    assert winners(state) == ("A", "B")
    assert (stage(state), awaiting(state), due(state), legal(state, "A")) == (Stage.OVER, frozenset(), None, ())
    with pytest.raises(IllegalEvent, match="over"):
        apply(state, Started(0))


def test_a_ruling_counts_also_after_the_end():
    state = chosen("A", "B")
    while not is_over(state):
        state = round_won_by(state, "A" if state.current.creator == "B" else "B")
    assert (score(state), winners(state)) == ({"A": 2, "B": 2}, ("A", "B"))
    assert winners(apply(state, Ruling("B", 1, "counted again"))) == ("B",)


# without the shout


def test_without_the_shout_what_stands_when_time_is_up_counts():  # MX-20
    state = play(copying(shout_required=False), shout("B", 20), Collapsed("B"), TIME_IS_UP)
    assert awaiting(state) == {"B", "C", "D"}
    with pytest.raises(IllegalEvent, match="Some stacks haven't been checked"):
        apply(state, RoundClosed())
    state = play(state, Judged("B", False), Judged("C", True), Judged("D", False))
    assert score(apply(state, RoundClosed())) == {"A": 2, "B": 0, "C": 1, "D": 0}


def test_without_the_shout_the_round_ends_early_when_all_say_that_they_are_done():  # MX-16
    state = play(copying("A", "B", "C", shout_required=False), shout("B", 20), shout("C", 30))
    assert stage(state) is Stage.FINISHED
    assert score(state) == {"A": 2, "B": 0, "C": 0}  # the table has not looked yet


def test_without_the_shout_who_is_done_can_still_be_knocked_over():  # MX-20, MX-24
    done = apply(copying("A", "B", "C", shout_required=False), shout("B", 20))
    assert awaiting(done) == {"C"}
    for fallen in (Bumped("B"), Collapsed("B")):
        assert awaiting(apply(done, fallen)) == {"B", "C"}


def test_without_the_shout_a_rejection_lets_the_clock_go_on_and_all_are_judged_at_its_end():  # MX-23
    state = play(copying("A", "B", "C", shout_required=False), shout("B", 20), shout("C", 30), Judged("B", True))
    state = apply(state, ShoutRejected("C"))
    assert (stage(state), score(state)["B"]) == (Stage.RUNNING, 0)
    assert awaiting(apply(state, TIME_IS_UP)) == {"B", "C"}


def test_with_the_shout_nobody_is_judged():  # MX-20
    with pytest.raises(IllegalEvent, match="Reject the shout instead"):
        apply(apply(copying(), TIME_IS_UP), Judged("B", True))


# pauses and bumps


def test_creation_and_replication_keep_their_time_through_a_pause():  # MX-17
    state = play(creating(), Paused(GO + 20 * S), Resumed(GO + 100 * S))
    assert due(state).at_us == GO + 200 * S
    state = play(copying(), Paused(COPY + 20 * S), Resumed(COPY + 30 * S))
    assert due(state).at_us == COPY + 70 * S


def test_a_bumped_copy_is_rebuilt_or_the_replication_replayed():  # MX-24
    assert stage(apply(copying(), Bumped("B"))) is Stage.RUNNING
    state = apply(copying(bump_rule=Bump.REPLAY), Bumped("B"))
    assert (stage(state), awaiting(state), state.current.creator) == (Stage.WAITING, {"B", "C", "D"}, "A")


def test_a_bumped_creators_stack_is_set_up_again_or_the_round_replayed():  # MX-24
    assert score(apply(copying(), Bumped("A"))) == {"A": 3, "B": 0, "C": 0, "D": 0}
    state = apply(copying(bump_rule=Bump.REPLAY), Bumped("A"))
    assert (state.current.replication, awaiting(state)) == (None, {"A"})
    replayed = apply(creating(bump_rule=Bump.REPLAY), Bumped("A"))
    assert awaiting(replayed) == {"A"}
    assert stage(apply(replayed, Started(0))) is Stage.RUNNING
    with pytest.raises(IllegalEvent, match="The Creator's stack doesn't have to stand any more"):
        apply(apply(copying(), TIME_IS_UP), Bumped("A"))


# buttons, lights, pages


def press(seat, at_us=7):
    return Signal(Device.SEAT, True, at_us, seat)


def test_the_creators_button_starts_and_ends_the_creation():  # MX-12, MX-16
    assert interface.bind(chosen(), press(1)) == Started(7)
    assert interface.bind(chosen(), press(2)) is None
    assert interface.bind(creating(), press(1, GO + 1)) == Shouted("A", GO + 1)
    assert interface.bind(creating(), press(1, GO - 1)) == FalseStarted("A", GO - 1)
    assert interface.bind(creating(), press(2, GO + 1)) is None


def test_the_others_buttons_say_ready_and_then_shout():  # MX-12, MX-21
    assert interface.bind(created(), press(3)) == Readied("C")
    assert interface.bind(copying(), press(3, COPY + 1)) == Shouted("C", COPY + 1)
    assert interface.bind(copying(), press(1, COPY + 1)) is None
    assert interface.bind(apply(copying(), TIME_IS_UP), Signal(Device.CONFIRM, True, 7)) == RoundClosed()
    assert interface.bind(apply(copying(), CreatorStackFell("A")), Signal(Device.CONFIRM, True, 7)) == RoundClosed()
    assert interface.bind(start(Options(), ("A", "B")), press(1)) is None


def test_the_lights():
    assert interface.look(start(Options(), ("A", "B")), 0).lights == (Light.SLOW, Light.SLOW)
    assert interface.look(chosen("A", "B"), 0).lights == (Light.SLOW, Light.OFF)
    assert interface.look(created("A", "B"), 0).lights == (Light.OFF, Light.SLOW)
    running = apply(copying("A", "B", "C"), shout("B", 20))
    assert interface.look(running, COPY + 30 * S).lights == (Light.ON, Light.ON, Light.OFF)
    assert interface.look(running, COPY + 55 * S).phase is Phase.LAST_SECONDS
    assert interface.look(apply(running, CreatorStackFell("A")), 0).phase is Phase.FINISHED


def widgets(state, kind):
    names = {"A": "Ann", "B": "Bob", "C": "Cy", "D": "Di"}
    return [widget for widget in interface.view(state, Viewer(None, names)) if isinstance(widget, kind)]


def test_the_page_shows_what_the_creator_holds():  # SAM-02, SAM-04
    (track,) = widgets(play(copying(), shout("C", 20)), Track)
    assert (track.title, track.total, track.used) == ("Ann still has", 3, 1)


def test_the_page_asks_whether_the_creators_stack_stands():  # SAM-07
    (headline,) = widgets(created(), Headline)
    assert headline.title == "Who's ready?"
    (seats,) = widgets(created(), Seats)
    assert CreatorStackFell("A") in [tap.event for tap in seats.cards[0].taps]


def test_the_page_of_a_judged_round_asks_for_every_copy():  # MX-20
    state = apply(copying("A", "B", shout_required=False), TIME_IS_UP)
    (seats,) = widgets(state, Seats)
    assert [tap.event for tap in seats.cards[1].taps] == [Judged("B", True), Judged("B", False)]
    (close,) = (tap for choice in widgets(state, Choice) for tap in choice.taps)
    assert close.refused


def test_the_creator_ends_the_creation_with_one_tap():  # MX-16
    (seats,) = widgets(creating(), Seats)
    assert seats.cards[0].taps[0].event == Shouted("A", NOW_US)
    assert not any(card.taps for card in seats.cards[1:])


def test_a_page_counts_the_creators_twelve_blocks_by_tap():  # SAM-03
    state, draft = creating("A", "B"), {}

    def counter():
        choices = [each for each in interface.view(state, Viewer(None, {}, draft)) if isinstance(each, Choice)]
        (found,) = (each for each in choices if each.prompt.startswith("Blocks used"))
        return found

    assert counter().taps[1].refused
    for _block in range(12):
        draft = after_taps(draft, counter().taps[0])
    assert counter().prompt == "Blocks used: 12 of 12"
    assert counter().taps[0].refused
    draft = after_taps(draft, counter().taps[1])
    assert counter().prompt == "Blocks used: 11 of 12"
    draft = {"blocks": "²"}  # Old links have it.
    assert counter().prompt == "Blocks used: 0 of 12"
    state = created("A", "B")
    assert not [each for each in interface.view(state, Viewer(None, {})) if getattr(each, "prompt", "")[:6] == "Blocks"]
