"""SPEEDSTAX against its rule sheet; the ids stand beside each test."""

from pathlib import Path

import pytest

from companion.errors import IllegalEvent
from companion.game.box import Device, Light, Phase, Signal
from companion.game.charts import PhotoFinish, Pictures
from companion.game.events import NOW_US
from companion.game.players import Viewer
from companion.game.widgets import Choice, Headline, PictureChoice, Seats, Standings, Tone
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
from companion.games.speedstax import interface
from companion.games.speedstax.rules import (
    ROUNDS,
    CardTurned,
    Options,
    ShufflerNamed,
    apply,
    awaiting,
    due,
    explain,
    legal,
    score,
    stage,
    start,
    winners,
)
from companion.journal.export import read_game_file, replayed, steps_of
from companion.shelf import GAMES

S = 1_000_000
GO = COUNTDOWN_US


def play(state, *events):
    for event in events:
        state = apply(state, event)
    return state


def running(*players: str, **options):
    """A round whose clock starts at GO."""
    players = players or ("A", "B", "C", "D")
    return play(start(Options(**options), players), *map(Readied, players), Started(0))


def shout(player: str, seconds: float) -> Shouted:
    return Shouted(player, GO + round(seconds * S))


def whole_game(*times, players=("A", "B")):
    """Rounds one after the other; each a mapping player → seconds of who finished."""
    state = start(Options(), players)
    for number, finished in enumerate(times):
        at = number * 1000 * S
        state = play(state, *map(Readied, state.current.builders), Started(at))
        for player, seconds in finished.items():
            state = apply(state, Shouted(player, at + GO + round(seconds * S)))
        if stage(state) is Stage.RUNNING:
            state = apply(state, TimeRanOut(due(state).at_us))
        state = apply(state, RoundClosed())
    return state


def test_the_timer_starts_when_all_are_ready():  # MX-12
    with pytest.raises(IllegalEvent, match="Still waiting for 1 player to press Ready"):
        play(start(Options(), ("A", "B")), Readied("A"), Started(0))


def test_one_tap_on_the_tablet_that_all_share_says_that_all_are_ready():  # MX-12
    state = play(start(Options(), ("A", "B")), Readied("A"), Started(0, everyone=True))
    assert due(state).at_us == GO + 120 * S
    assert state.current.ready == {"A", "B"}


def test_two_minutes_from_the_same_moment_for_all():  # MX-05, MX-10, MX-13
    assert due(running()).at_us == GO + 120 * S


def test_exactly_on_time_counts():  # MX-15
    state = apply(running("A", "B"), shout("A", 120.0))
    assert score(state) == {"A": 2, "B": 0}
    with pytest.raises(IllegalEvent, match="Time ran out"):
        apply(state, Shouted("B", GO + 120 * S + 1))


def test_a_press_in_time_counts_although_its_message_comes_after_the_end():  # MX-15, SPD-04
    state = apply(running("A", "B"), TimeRanOut(GO + 120 * S))
    assert score(apply(state, shout("A", 119.999999))) == {"A": 2, "B": 0}


def test_the_order_of_the_stamps_decides_not_of_the_messages():  # SPD-04
    assert score(play(running("A", "B"), shout("B", 31.002), shout("A", 31.0))) == {"A": 2, "B": 1}


def test_a_round_ends_early_when_all_stacks_are_complete():  # MX-14
    state = play(running("A", "B"), shout("A", 10), shout("B", 11))
    assert stage(state) is Stage.FINISHED
    assert due(state) is None


def test_points_by_place():  # MX-30, SPD-03
    times = zip("ABCD", (10, 20, 30, 40), strict=True)
    assert score(play(running(), *(shout(*each) for each in times))) == {"A": 4, "B": 3, "C": 2, "D": 1}


@pytest.mark.parametrize(("tie_ms", "points"), [(1, {"A": 2, "B": 2}), (0, {"A": 2, "B": 1})])
def test_presses_closer_than_tie_ms_are_a_tie(tie_ms, points):  # SPD-04
    state = running("A", "B", tie_ms=tie_ms)
    assert score(play(state, Shouted("A", GO + 500), Shouted("B", GO + 1_499))) == points


def test_a_press_exactly_tie_ms_later_is_second():  # SPD-04
    assert score(play(running("A", "B"), Shouted("A", GO), Shouted("B", GO + 1_000))) == {"A": 2, "B": 1}


def test_a_false_start_counts_for_nothing():  # MX-13
    state = running("A", "B")
    early = interface.bind(state, Signal(Device.SEAT, True, GO - 1, 1))
    assert early == FalseStarted("A", GO - 1)
    assert score(apply(state, early)) == {"A": 0, "B": 0}
    assert awaiting(apply(state, early)) == {"A", "B"}
    with pytest.raises(IllegalEvent, match="That was before go"):
        apply(state, Shouted("A", GO - 1))


def test_fallen_rebuilt_and_rejected_stacks():  # MX-20 … MX-23, MX-E07
    state = play(running("A", "B", "C"), Collapsed("A"), shout("B", 50))
    with pytest.raises(IllegalEvent, match="This stack was complete before it fell"):
        apply(state, Collapsed("B"))
    state = play(state, shout("C", 60), ShoutRejected("C"), shout("A", 75), shout("C", 110))
    assert score(state) == {"A": 2, "B": 3, "C": 1}


def test_a_rejected_shout_after_all_were_complete_lets_the_clock_go_on():  # MX-14, MX-23
    state = play(running("A", "B"), shout("A", 10), shout("B", 11), ShoutRejected("B"))
    assert stage(state) is Stage.RUNNING
    assert awaiting(state) == {"B"}


def test_a_stack_knocked_over_by_somebody_else():  # MX-24
    assert stage(apply(running("A", "B"), Bumped("A"))) is Stage.RUNNING
    replayed = apply(running("A", "B", bump_rule=Bump.REPLAY), Bumped("A"))
    assert stage(replayed) is Stage.WAITING
    assert score(replayed) == {"A": 0, "B": 0}


def test_a_paused_round_keeps_its_remaining_time():  # MX-17
    state = play(running("A", "B"), Paused(GO + 50 * S))
    assert due(state) is None
    with pytest.raises(IllegalEvent, match="paused"):
        apply(state, Shouted("A", GO + 60 * S))
    state = apply(state, Resumed(GO + 350 * S))
    assert due(state).at_us == GO + 420 * S
    assert score(play(state, Shouted("A", GO + 420 * S))) == {"A": 2, "B": 0}


def test_a_pause_counts_neither_beside_the_name_nor_in_the_photo_finish():  # MX-17
    state = play(running("A", "B"), shout("A", 10), Paused(GO + 12 * S), Resumed(GO + 42 * S), shout("B", 50))
    page = interface.view(state, Viewer(None, {}))
    (finish,) = (widget for widget in page if isinstance(widget, PhotoFinish))
    assert [(press.player, after_us) for press, _, after_us in finish.finish] == [("A", 0), ("B", 10 * S)]
    (seats,) = (widget for widget in page if isinstance(widget, Seats))
    assert seats.cards[1].detail == "20.0\u00a0s, 10.0\u00a0s behind"


def test_time_cannot_run_out_early():  # MX-10
    with pytest.raises(IllegalEvent, match="Time isn't up yet"):
        apply(running(), TimeRanOut(GO + 120 * S - 1))


def test_no_card_comes_twice_and_only_cards_in_play():  # SPD-02, MX-06
    state = play(start(Options(deck_subset=(1, 2, 3, 4, 5)), ("A", "B")), CardTurned(3))
    with pytest.raises(IllegalEvent, match="already turned up"):
        apply(state, CardTurned(3))
    with pytest.raises(IllegalEvent, match="isn't in play"):
        apply(state, CardTurned(9))
    with pytest.raises(IllegalEvent, match="at least 5"):
        start(Options(deck_subset=(1, 2)), ("A", "B"))


def test_the_highest_sum_after_five_rounds_wins():  # SPD-02, SPD-05
    state = whole_game(*[{"A": 10, "B": 20}] * ROUNDS)
    assert (stage(state), score(state), winners(state)) == (Stage.OVER, {"A": 10, "B": 5}, ("A",))


def test_equal_highest_sums_go_to_a_stack_off_of_those_tied():  # MX-31, MX-32, MX-E08
    even = {"A": 10, "B": 10, "C": 20}
    state = whole_game(*[even] * ROUNDS, players=("A", "B", "C"))
    assert winners(state) == ()
    assert state.current.builders == ("A", "B")
    with pytest.raises(IllegalEvent, match="This player isn't in this round"):
        apply(state, Readied("C"))


def test_the_first_to_complete_wins_the_stack_off_and_its_card_brings_no_points():  # MX-31, reading 11
    state = whole_game(*[{"A": 10, "B": 10}] * ROUNDS, {"B": 70})
    assert (score(state), winners(state)) == ({"A": 10, "B": 10}, ("B",))


def test_a_stack_off_without_a_winner_is_repeated():  # MX-32
    state = whole_game(*[{"A": 10, "B": 10}] * ROUNDS, {}, {"A": 5})
    assert winners(state) == ("A",)


def test_without_a_limit_a_stack_off_has_no_deadline():  # MX-32
    state = start(Options(stack_off_limit=None), ("A", "B"))
    for number in range(ROUNDS):
        at = number * 1000 * S
        state = play(state, Readied("A"), Readied("B"), Started(at), Shouted("A", at + GO), Shouted("B", at + GO))
        state = apply(state, RoundClosed())
    state = play(state, Readied("A"), Readied("B"), Started(9000 * S))
    assert due(state) is None
    assert stage(apply(state, Shouted("A", 99_999 * S))) is Stage.FINISHED


def test_the_buttons():  # MX-12, MX-21
    state = start(Options(), ("A", "B"))
    assert interface.bind(state, Signal(Device.SEAT, True, 5, 2)) == Readied("B")
    assert interface.bind(state, Signal(Device.SEAT, False, 5, 2)) is None
    assert interface.bind(state, Signal(Device.SEAT, True, 5, 3)) is None
    assert interface.bind(state, Signal(Device.START, True, 5)) == Started(5)
    assert interface.bind(running("A", "B"), Signal(Device.SEAT, True, GO + 7, 1)) == Shouted("A", GO + 7)


def test_the_lights():
    state = apply(start(Options(), ("A", "B")), Readied("A"))
    assert interface.look(state, 0).lights == (Light.ON, Light.SLOW)
    assert interface.look(running("A", "B"), GO - 1).phase is Phase.COUNTDOWN
    assert interface.look(running("A", "B"), GO + 111 * S).phase is Phase.LAST_SECONDS


def test_a_legal_start_needs_everybody():  # MX-12
    assert Started(0) not in legal(start(Options(), ("A", "B")), "A")


def test_fourteen_and_fourteen_go_to_a_stack_off_of_two():  # MX-31, MX-E08
    orders = ("ABCD", "ABDC", "ADBC", "CDBA", "BCDA")
    rounds = [{player: 10 * number for number, player in enumerate(order, start=1)} for order in orders]
    state = whole_game(*rounds, players=("A", "B", "C", "D"))
    assert score(state) == {"A": 14, "B": 14, "C": 11, "D": 11}
    assert (state.current.builders, winners(state)) == (("A", "B"), ())


def test_a_volunteer_shuffles_for_the_whole_game():  # SPD-01
    state = play(start(Options(), ("A", "B")), ShufflerNamed("A"), ShufflerNamed("B"))
    assert state.shuffler == "B"
    assert headline(state).title == "Bob, turn up a card"
    for too_late in (running("A", "B"), whole_game({"A": 10, "B": 20})):
        with pytest.raises(IllegalEvent, match="This game has begun"):
            apply(too_late, ShufflerNamed("A"))
    with pytest.raises(IllegalEvent, match="one of the players"):
        apply(state, ShufflerNamed("Z"))


def test_the_headline_says_what_to_do():
    begun = start(Options(), ("A", "B"))
    titles = [
        headline(state).title
        for state in (
            begun,
            play(begun, CardTurned(7)),
            play(begun, Readied("A"), Readied("B")),
            running("A", "B"),
        )
    ]
    assert titles == ["Turn up a card", "Who's ready?", "Everyone's ready", "Build what the card shows"]


def test_the_used_up_deck_is_shuffled_again():  # MX-06, our reading
    state = start(Options(deck_subset=(1, 2, 3, 4, 5)), ("A", "B"))
    for number in range(ROUNDS):
        at = number * 1000 * S
        ready = (CardTurned(number + 1), Readied("A"), Readied("B"), Started(at))
        state = play(state, *ready, TimeRanOut(at + GO + 120 * S), RoundClosed())
    assert apply(state, CardTurned(2)).card == 2  # It is the card of a stack-off.


def test_a_card_of_an_earlier_round_does_not_come_again():  # SPD-02
    ready = (CardTurned(3), Readied("A"), Readied("B"), Started(0), TimeRanOut(GO + 120 * S), RoundClosed())
    state = play(start(Options(), ("A", "B")), *ready)
    with pytest.raises(IllegalEvent, match="already turned up"):
        apply(state, CardTurned(3))
    assert apply(state, CardTurned(4)).used == (3, 4)
    assert play(state, CardTurned(4), CardTurned(5)).used == (3, 5)  # corrected before the round starts


def test_a_card_may_be_noted_late_but_the_card_stays_the_rounds():  # SPD-02, our reading
    state = play(start(Options(), ("A", "B")), Readied("A"), Readied("B"), Started(0))
    assert widgets(state, PictureChoice)
    noted = apply(state, CardTurned(3))
    assert (noted.card, noted.used, widgets(noted, PictureChoice)) == (3, (3,), [])
    with pytest.raises(IllegalEvent, match="before the round starts"):
        apply(noted, CardTurned(4))
    ended = play(state, TimeRanOut(GO + 120 * S))
    assert apply(ended, CardTurned(3)).card == 3


def test_a_round_that_was_closed_stays_closed_when_the_table_says_so():  # MX-14, MX-23
    state = play(running("A", "B"), Shouted("A", GO + 10 * S))  # B's shout, which had ended the round, was taken back
    with pytest.raises(IllegalEvent, match="still running"):
        apply(state, RoundClosed())
    closed = apply(state, RoundClosed(), ruled=True)
    assert score(closed) == {"A": 2, "B": 0}
    assert stage(closed) is Stage.WAITING
    with pytest.raises(IllegalEvent, match="still running"):
        apply(start(Options(), ("A", "B")), RoundClosed(), ruled=True)  # one that never began is none


def test_a_late_shout_counts_when_the_table_says_so():  # MX-15
    late = Shouted("A", GO + 121 * S)
    assert score(apply(running("A", "B"), late, ruled=True)) == {"A": 2, "B": 0}


@pytest.mark.parametrize(
    "event",
    [
        Readied("Z"),
        Shouted("Z", GO + 1),
        Shouted("A", -1),
        ShoutRejected("Z"),
        Collapsed("Z"),
        Bumped(""),
        FalseStarted("Z", 0),
        Paused(-(10**15)),
        Resumed(10**15),
        TimeRanOut(-1),
        Judged("A", True),
        CardTurned(-1),
        CardTurned(10**12),
        Ruling("Z", 1, "why"),
        Ruling("A", 10**9, "why"),
        Ruling("A", 1, " "),
        "Shouted",
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(event):
    with pytest.raises(IllegalEvent, match=r"[.]$"):
        apply(running("A", "B"), event)


# rulings


def test_a_ruling_counts_and_is_told():
    state = apply(running("A", "B"), Ruling("B", 3, "helped with the blocks"))
    assert score(state) == {"A": 0, "B": 3}
    assert explain(state, "B")[-1] == ("Ruling: helped with the blocks", 3, "ruling")


def test_a_ruling_after_the_end_can_make_a_tie_and_break_it():  # MX-31
    state = apply(whole_game(*[{"A": 10, "B": 20}] * ROUNDS), Ruling("B", 5, "counted again"))
    assert (stage(state), state.current.builders, winners(state)) == (Stage.WAITING, ("A", "B"), ())
    assert winners(apply(state, Ruling("A", 1, "and again"))) == ("A",)


def test_who_comes_into_the_tie_after_a_stack_off_takes_part_in_the_next():  # MX-31, MX-32
    state = whole_game(*[{"A": 10, "B": 10, "C": 20}] * ROUNDS, {"A": 70}, players=("A", "B", "C"))
    assert winners(state) == ("A",)
    state = apply(state, Ruling("C", score(state)["A"] - score(state)["C"], "counted again"))
    assert (stage(state), state.current.builders, winners(state)) == (Stage.WAITING, ("A", "B", "C"), ())


# pages


def widgets(state, kind):
    seen = interface.view(state, Viewer(None, {"A": "Ann", "B": "Bob", "C": "Cy", "D": "Di"}))
    return [widget for widget in seen if isinstance(widget, kind)]


def headline(state):
    return widgets(state, Headline)[0]


def details(state):
    return {card.name: (card.state, card.detail) for card in widgets(state, Seats)[0].cards}


def test_places_and_margins_are_shown():  # SPD-04
    state = play(running("A", "B", "C"), shout("A", 31.204), shout("B", 31.208), shout("C", 40))
    assert details(state) == {
        "Ann": ("1st", "31.2\u00a0s, 4.0\u00a0ms ahead"),
        "Bob": ("2nd", "31.2\u00a0s, 4.0\u00a0ms behind"),
        "Cy": ("3rd", "40.0\u00a0s, 8.8\u00a0s behind"),
    }


def test_a_tie_is_shown():  # SPD-04
    state = play(running("A", "B"), shout("A", 31.204), shout("B", 31.2044))
    assert details(state) == {"Ann": ("1st", "31.2\u00a0s, a tie"), "Bob": ("1st", "31.2\u00a0s, a tie")}
    assert explain(state, "A") == (("Round 1, tie", 2, "SPD-03"),)


def test_mishaps_are_shown():  # MX-13, MX-22, MX-23
    early = FalseStarted("A", GO - 1)
    state = play(running("A", "B"), early, Collapsed("A"), Collapsed("A"), shout("A", 9), ShoutRejected("A"))
    assert details(state)["Ann"] == ("Building", "false start, fell twice, 1 wrong shout")


def test_the_picture_of_a_noted_card_is_shown():  # SPD-02
    assert widgets(start(Options(), ("A", "B")), Pictures) == []
    (shown,) = widgets(apply(start(Options(), ("A", "B")), CardTurned(17)), Pictures)
    assert [picture.label for picture in shown.pictures] == ["Card 17, Scales ★★"]


def test_the_box_says_for_a_moment_that_a_shout_was_rejected():  # MX-23
    state = play(running("A", "B"), shout("A", 9), ShoutRejected("A", GO + 10 * S))
    assert interface.look(state, GO + 10 * S + 1).phase is Phase.WRONG
    assert interface.look(state, GO + 12 * S).phase is Phase.RUNNING
    unknown = play(running("A", "B"), shout("A", 9), ShoutRejected("A"))
    assert interface.look(unknown, GO + 10 * S).phase is Phase.RUNNING


def test_the_winner_is_told_by_name():  # SPD-05
    (result,) = widgets(whole_game(*[{"A": 10, "B": 20}] * ROUNDS), Standings)
    assert result.title == "Ann wins"


# games of earlier versions


def test_a_game_of_the_version_before_rulings_is_whole_and_replays():
    game_file = read_game_file(Path(__file__).with_name("recorded-speedstax.jsonl").read_text(encoding="utf-8"))
    assert game_file.broken_at is None
    state = replayed(game_file, steps_of(game_file))
    names = {game_file.names[player]: points for player, points in score(state).items()}
    assert names == {"Ann": 11, "Bob": 11, "Cy": 7}
    assert [game_file.names[player] for player in winners(state)] == ["Bob"]  # A stack-off decided it.


@pytest.mark.parametrize("name", ["speedstax", "samestax", "swapstax"])
@pytest.mark.parametrize("preset", ["quick", "tournament"])
@pytest.mark.parametrize("players", ["AB", "ABC", "ABCD"])
def test_every_preset_makes_a_game_for_every_number_of_players(name, preset, players):  # MX-06
    game = GAMES[name]
    (chosen,) = (each for each in game.pages.presets if each.name == preset)
    assert game.rules.start(game.rules.options(**chosen.options), tuple(players))


def test_in_a_stack_off_the_others_watch():  # MX-32
    even = {"A": 20, "B": 10, "C": 10}
    state = whole_game(*[even] * ROUNDS, players=("A", "B", "C"))
    assert {name: state for name, (state, _) in details(state).items()} == {
        "Ann": "Watching",
        "Bob": "Not ready",
        "Cy": "Not ready",
    }


@pytest.mark.parametrize(
    ("state", "viewer", "large"),
    [
        (start(Options(), ("A", "B")), "A", [Readied("A")]),
        (start(Options(), ("A", "B")), None, [Started(NOW_US, everyone=True)]),
        (running("A", "B"), "B", [Shouted("B", NOW_US)]),
        (apply(running("A", "B"), shout("B", 9)), "B", []),
    ],
)
def test_a_players_own_sheet_has_one_large_button(state, viewer, large):  # MX-21
    choices = [each for each in interface.view(state, Viewer(viewer, {})) if isinstance(each, Choice)]
    taps = [tap.event for choice in choices for tap in choice.taps if tap.tone is Tone.PRIMARY and not tap.refused]
    assert taps == large
