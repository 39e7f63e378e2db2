"""The dice tray, by cases worked out by hand from docs/games/dice_tray.md; each test carries the rule's id."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent
from companion.game.box import Device, Signal
from companion.game.charts import Figures
from companion.game.dice import D6, Thrown
from companion.game.players import Viewer
from companion.game.readings import Box, DiceReading, DieReading, Kind
from companion.game.seeing import Proposed, Remark
from companion.game.widgets import Choice, DiceRow, Tap, after_taps
from companion.games.dice_tray import GAME
from companion.games.dice_tray.lying import Die, Stayed, after_roll, alike, points, run
from companion.games.dice_tray.options import PRESETS, Counts, Options
from companion.games.dice_tray.rules import Closed, Counted, Rolled, RolledAgain
from companion.games.resting import Rested, Returned
from companion.journal import codec

RULES = GAME.rules
NAMES = {"A": "Ann", "B": "Bob", "C": "Cleo"}
VALUES = st.lists(st.integers(1, 6), min_size=1, max_size=8)


def tray(*events, players="AB", **options):
    """The tray after these events; options as the set-up page and the API give them."""
    state = RULES.start(codec.options_from_json(GAME, options), tuple(players))
    for event in events:
        state = RULES.apply(state, event)
    return state


def dice(*values, colour=""):
    return tuple(Die(value, colour) for value in values)


def rolled(player, *values, kept=()):
    return Rolled(player, dice(*values), tuple(Stayed(place) for place in kept))


def refused(state, event, says):
    with pytest.raises(IllegalEvent, match=says):
        RULES.apply(state, event)


@pytest.mark.parametrize("count", [0, 13])
def test_a_tray_is_for_one_to_twelve(count):  # TR-01
    with pytest.raises(IllegalEvent, match="1 to 12"):
        RULES.start(Options(), tuple(map(str, range(count))))


@pytest.mark.parametrize(
    "options", [{"dice": 21}, {"dice": -1}, {"best": 0}, {"face": 7}, {"rolls": 10}, {"rounds": 100}]
)
def test_numbers_that_no_tray_has_are_refused(options):  # TR-02
    with pytest.raises(IllegalEvent, match="choose a number from"):
        tray(**options)


def test_a_roll_has_as_many_dice_as_the_table_said_or_as_many_as_lie_there():  # TR-02
    refused(tray(dice=3), rolled("A", 1, 2), "has 3 dice")
    assert tray(rolled("A", 1, 2)).turns[0].dice == dice(1, 2)
    assert len(tray(rolled("A", *[1] * 20)).turns[0].dice) == 20
    refused(tray(), rolled("A", *[1] * 21), "holds 20 dice")
    refused(tray(), rolled("A"), "one die or more")


@pytest.mark.parametrize("die", [Die(0), Die(7), Die(3, "plaid")])
def test_a_die_shows_one_to_six_in_a_colour_of_the_camera(die):  # TR-03
    refused(tray(), Rolled("A", (die,)), "shows 1 to 6")


def test_turns_go_clockwise_and_the_last_seat_ends_the_round():  # TR-10
    state = tray(players="ABC")
    seen = []
    for _ in range(4):
        seen.append((state.turn, state.round))
        state = RULES.apply(state, rolled(state.turn, 5))
    assert seen == [("A", 1), ("B", 1), ("C", 1), ("A", 2)]
    refused(state, rolled("A", 5), "somebody else's roll")
    assert tray(rolled("A", 5), players="A").round == 2


def test_a_roll_that_the_table_insists_on_is_that_player_s_turn():  # TR-10
    state = RULES.apply(tray(players="ABC"), rolled("B", 4), ruled=True)
    assert (state.turn, RULES.score(state)) == ("C", {"A": 0, "B": 4, "C": 0})


def test_the_first_roll_of_a_turn_keeps_nothing():  # TR-11
    refused(tray(rolls=2, dice=2), rolled("A", 3, kept=(1,)), "doesn't lie there")


def test_dice_that_stay_keep_their_place_and_the_others_are_rolled():  # TR-12
    first = Rolled("A", (Die(6, "red"), Die(1, "red"), Die(2, "blue")))
    state = tray(first, Rolled("A", dice(5, 4), (Stayed(3, "blue"),)), dice=3, rolls=0)
    assert state.dice == (Die(5), Die(4), Die(2, "blue"))
    refused(tray(first, dice=3, rolls=0), Rolled("A", dice(5, 4), (Stayed(3, "red"),)), "doesn't lie there")
    refused(tray(first, dice=3, rolls=0), Rolled("A", dice(5), (Stayed(1, "red"), Stayed(1, "red"))), "doesn't lie")
    refused(tray(first, dice=3, rolls=0), Rolled("A", dice(5), (Stayed(1, "red"),)), "has 3 dice")
    assert RULES.apply(tray(first, rolls=0), Rolled("A", dice(5), (Stayed(2, "red"),))).dice == (Die(5), Die(1, "red"))


@given(VALUES, st.sets(st.integers(1, 8)), VALUES)
def test_a_roll_loses_no_die_and_moves_none_that_stays(before, places, thrown):  # TR-12
    """Where as many are rolled as were picked up; kept dice are found where they lay."""
    lie, kept = dice(*before), {place for place in places if place <= len(before)}
    thrown = (thrown * 8)[: len(before) - len(kept)]
    after = after_roll(lie, kept, dice(*thrown))
    assert all(after[place - 1] == lie[place - 1] for place in kept)
    assert Counter(after) == Counter(dice(*thrown)) + Counter(lie[place - 1] for place in kept)


def test_dice_count_after_the_last_roll_or_once_the_player_says_so():  # TR-13
    assert RULES.score(tray(rolled("A", 3, 3), rolls=2)) == {"A": 0, "B": 0}
    assert RULES.score(tray(rolled("A", 3, 3), Counted("A"), rolls=2)) == {"A": 6, "B": 0}
    assert RULES.score(tray(rolled("A", 3, 3), rolled("A", 1, kept=(1,)), rolls=2)) == {"A": 4, "B": 0}
    refused(tray(), Counted("A"), "Roll first")


@pytest.mark.parametrize(
    ("seat", "is_down", "event"), [(1, True, Counted("A")), (2, True, None), (1, False, None), (7, True, None)]
)
def test_the_button_of_who_rolls_lets_the_dice_count(seat, is_down, event):  # TR-13
    signal = Signal(Device.SEAT, is_down, 0, seat)
    assert GAME.box.bind(tray(rolled("A", 3), rolls=0), signal) == event
    assert GAME.box.bind(tray(rolls=0), signal) is None


def test_sixes_roll_again_as_long_as_there_are_any():  # TR-14
    state = tray(rolled("A", 6, 6, 2), again=True)
    refused(state, rolled("A", 1, 1), "Roll its sixes again")
    refused(state, RolledAgain("A", dice(1)), "2 sixes")
    assert RULES.apply(state, RolledAgain("A", dice(6, 1))).fresh == 1
    assert RULES.score(RULES.apply(state, RolledAgain("A", dice(5, 1)))) == {"A": 20, "B": 0}
    assert RULES.score(RULES.apply(state, Counted("A"))) == {"A": 14, "B": 0}
    refused(tray(), RolledAgain("A", dice(1)), "No six")
    with pytest.raises(IllegalEvent, match="only where a turn is one roll"):
        tray(again=True, rolls=2)


def test_no_more_sixes_roll_than_the_tray_holds():  # TR-14, TR-02
    assert tray(rolled("A", *[6] * 19), again=True).fresh == 1
    assert RULES.score(tray(rolled("A", *[6] * 20), again=True)) == {"A": 120, "B": 0}


def test_who_takes_a_break_is_passed_over():  # TR-15
    state = tray(rolled("A", 4), Rested("B"), players="ABC")
    assert state.turn == "C"
    state = RULES.apply(RULES.apply(state, rolled("C", 1)), rolled("A", 1))
    assert (state.turn, state.round) == ("C", 2)
    refused(state, rolled("B", 1), "on a break")
    state = RULES.apply(RULES.apply(RULES.apply(state, Returned("B")), rolled("C", 1)), rolled("A", 1))
    assert (state.turn, state.round) == ("B", 3)
    assert tray(Rested("A")).turn == "B"
    assert tray(rolled("A", 4), Rested("B"), Rested("C"), players="ABC").round == 2  # The round ends without them.


@pytest.mark.parametrize(
    ("options", "values", "worth"),
    [
        ({"counts": "sum"}, (6, 5, 1), 12),  # TR-20
        ({"counts": "best", "best": 2}, (6, 5, 1), 11),  # TR-21
        ({"counts": "best", "best": 4}, (6, 5, 1), 12),
        ({"counts": "face", "face": 1}, (1, 1, 6), 2),  # TR-22
        ({"counts": "pool", "face": 4}, (4, 3, 6), 2),  # TR-23
        ({"counts": "alike"}, (2, 5, 2, 5, 5), 3),  # TR-24
        ({"counts": "alike"}, (1, 2, 3), 0),
        ({"counts": "run"}, (6, 1, 3, 2, 5, 2), 3),  # TR-25
        ({"counts": "run"}, (1, 3, 5), 0),
    ],
)
def test_what_counts(options, values, worth):  # TR-20 … TR-25
    assert points(codec.options_from_json(GAME, options), dice(*values)) == worth


@given(VALUES)
def test_what_dice_make_holds_for_all_dice(values):
    """The longest row and the groups by their definition, with every row and every value tried."""
    lie = dice(*values)
    rows = [range(low, high + 1) for low in D6 for high in range(low + 1, 7) if {*range(low, high + 1)} <= {*values}]
    assert len(run(lie)) == max(map(len, rows), default=0)
    assert dict(alike(lie)) == {value: values.count(value) for value in D6 if values.count(value) > 1}
    assert points(Options(counts=Counts.BEST, best=8), lie) == points(Options(), lie) == sum(values)


def test_points_are_those_of_all_turns():  # TR-26
    assert RULES.explain(tray(rolled("A", 4), rolled("B", 1), rolled("A", 2)), "A") == (("2 turns", 6, "TR-26"),)


def test_the_game_is_over_after_its_rounds():  # TR-30
    state = tray(rolled("A", 4), rolled("B", 1), rounds=1)
    assert RULES.is_over(state)
    assert RULES.round_of(state) == 1
    assert RULES.awaiting(state) == frozenset()
    refused(state, rolled("A", 1), "is over")


def test_the_table_ends_it_and_an_unfinished_turn_counts_nothing():  # TR-31
    state = tray(rolled("A", 4), Closed(), rolls=0)
    assert RULES.is_over(state)
    assert RULES.score(state) == {"A": 0, "B": 0}


def test_most_points_win_and_equals_share():  # TR-32
    assert RULES.winners(tray(rolled("A", 4), rolled("B", 1))) == ()
    assert RULES.winners(tray(rolled("A", 4), rolled("B", 1), Closed())) == ("A",)
    assert RULES.winners(tray(rolled("A", 4), rolled("B", 4), Closed())) == ("A", "B")


# the camera


def seen(*values, colour="red", old=(), unread=0):
    """A reading of new dice, and of old ones: (value, colour)."""

    def die(value, name):
        return DieReading(value, 9, 9, 9, 9, 0, name, 0.99, True, ((value, 0.99),))

    boxes = (Box(9, 9, 40, 40),) * unread
    still = tuple(die(*each) for each in old)
    return DiceReading(640, 480, tuple(die(value, colour) for value in values), boxes, old=still)


def test_new_dice_are_the_roll_of_whoever_is_next():  # TR-40
    meant = GAME.sight.propose(tray(rolled("A", 4)), seen(5, 2, unread=1))
    assert meant == Proposed(
        Rolled("B", (Die(5, "red"), Die(2, "red"), Die(1))), ("dice.0.value", "dice.1.value", "dice.2.value")
    )
    assert GAME.sight.propose(tray(), seen(5, colour="mauve")).event.dice == dice(5)
    assert GAME.sight.eyes(tray()).above is Kind.DICE
    over = tray(rolled("A", 4), Closed())
    assert GAME.sight.eyes(over).above is None
    assert GAME.sight.propose(over, seen(5)) is None
    assert GAME.sight.propose(tray(), seen()) is None


def test_dice_that_did_not_move_were_kept():  # TR-40
    state = tray(Rolled("A", (Die(4, "red"), Die(4, "blue"), Die(2, "red"))), dice=3, rolls=0)
    blue_4 = GAME.sight.propose(state, seen(1, 6, old=((4, "blue"),)))
    assert blue_4.event == Rolled("A", (Die(1, "red"), Die(6, "red")), (Stayed(2, "blue"),))
    strange = GAME.sight.propose(state, seen(1, 6, old=((5, "blue"),)))  # That one lay beside the tray all the time.
    assert isinstance(strange, Remark)
    nameless = GAME.sight.propose(state, seen(1, 6, old=((2, None),)))
    assert nameless.event.kept == (Stayed(3, "red"),)


def test_another_number_of_dice_is_a_remark():  # TR-40
    assert "has 3 dice, and I see 2" in GAME.sight.propose(tray(dice=3), seen(1, 2)).text
    assert "holds 20" in GAME.sight.propose(tray(), seen(*[1] * 21)).text


def test_the_camera_asks_whether_sixes_rolled_again():  # TR-40, TR-14
    state = tray(rolled("A", 6, 1), again=True)
    meant = GAME.sight.propose(state, seen(3, old=((1, "red"),)))
    assert meant.event == RolledAgain("A", dice(3, colour="red"))
    assert meant.confirm
    assert isinstance(GAME.sight.propose(state, seen(3, 2)), Remark)


def test_statistics_count_each_die_by_its_colour():  # TR-41
    event = Rolled("A", (Die(4, "red"), Die(2)))
    assert RULES.dice.thrown(event, Options()) == (Thrown("red", D6, 4), Thrown("die", D6, 2))
    assert RULES.dice.thrown(RolledAgain("A", dice(3, colour="blue")), Options()) == (Thrown("blue", D6, 3),)
    assert RULES.dice.thrown(Counted("A"), Options()) == ()


def test_the_program_rolls_where_the_number_is_known():
    throw = RULES.dice.throw(tray(dice=2), Viewer("A", NAMES))
    assert throw.dice == (D6, D6)
    assert throw.event((5, 3)) == rolled("A", 5, 3)
    assert RULES.dice.throw(tray(), Viewer("A", NAMES)) is None
    assert RULES.dice.throw(tray(dice=2), Viewer("B", NAMES)) is None
    assert RULES.dice.throw(tray(rolled("A", 5, 3), dice=2, rolls=2), Viewer("A", NAMES)) is None


# pages


def taps(state, draft, player="A"):
    """label → tap of everything on a page."""
    found = {}
    for widget in GAME.pages.view(state, Viewer(player, NAMES, draft)):
        if isinstance(widget, Choice):
            found |= {tap.label: tap for tap in widget.taps}
        if isinstance(widget, DiceRow):
            found |= {face.tap.label: face.tap for face in widget.dice if face.tap}
    return found


def tapped(state, *labels, player="A"):
    """The tap that the last of these labels is, after the others."""
    draft = {}
    for label in labels[:-1]:
        draft = after_taps(draft, taps(state, draft, player)[label])
    return taps(state, draft, player)[labels[-1]]


def test_faces_are_tapped_in_the_colour_that_was_chosen():
    event = tapped(tray(), "5", "red", "3", "Enter the roll").event
    assert event == Rolled("A", (Die(5), Die(3, "red")))


def test_kept_dice_are_tapped_and_a_second_tap_takes_it_back():
    state = tray(Rolled("A", (Die(6, "red"), Die(2))), dice=2, rolls=3)
    event = tapped(state, "Keep 2", "Keep 6 (red)", "Keep 2", "4", "Enter the roll").event
    assert event == Rolled("A", dice(4), (Stayed(1, "red"),))
    assert tapped(state, "Let it count: 8 points").event == Counted("A")
    assert "Enter the roll" not in taps(state, {"keep": "1,2"})


@pytest.mark.parametrize(
    ("before", "event"),
    [
        (tray(), rolled("A", 5, 3)),
        (tray(Rolled("A", (Die(6, "red"), Die(2))), rolls=0), Rolled("A", dice(4), (Stayed(1, "red"),))),
        (tray(rolled("A", 6, 3), again=True), RolledAgain("A", dice(4, colour="blue"))),
    ],
)
def test_a_correction_begins_with_what_was_entered(before, event):
    draft = GAME.pages.drafted(before, event)
    assert taps(before, draft)["Enter the roll"].event == event


def test_nobody_else_and_no_television_rolls():
    for viewer in (Viewer("B", NAMES), Viewer(None, NAMES, looks_on=True)):
        page = GAME.pages.view(tray(dice=2), viewer)
        assert not any(isinstance(tap, Tap) and tap.adds for part in page for tap in getattr(part, "taps", ()))


def test_the_page_says_what_dice_make_and_counts_them_by_number_and_colour():
    lying = (Die(6, "red"), Die(6), Die(3, "blue"), Die(2, "red"), Die(1))
    page = GAME.pages.view(tray(Rolled("A", lying)), Viewer("B", NAMES))
    made, counts, _last = (part for part in page if isinstance(part, Figures))
    assert [text.replace("\u2060", "").replace("\u00a0", " ") for text in made.rows[0]] == [
        "18",
        "6",
        "1",
        "2 × 6",
        "1–3",
    ]
    by_hand = [["All dice", "1 1 1 – – 2"], ["2 × red", "– 1 – – – 1"], ["1 × blue", "– – 1 – – –"]]
    assert [[row[0].replace("\u00a0", " "), " ".join(row[1:])] for row in counts.rows] == by_hand


@pytest.mark.parametrize(
    ("roll", "words"),
    [
        ((Die(6, "red"), Die(2)), "Ann rolled 6 (red) and 2."),
        ((Die(6, "red"),) * 7, "Ann rolled 6, 6, 6, 6, 6, 6 and 6."),  # a line of a phone holds no seven colours
    ],
)
def test_the_history_names_the_colours_of_a_few_dice(roll, words):
    assert GAME.pages.describe(tray(), Rolled("A", roll), Viewer(None, NAMES)) == words


def test_the_last_round_is_one_in_which_somebody_rolled():
    played = (rolled("A", 6), rolled("B", 5))
    assert RULES.round_of(tray(*played)) == 2
    assert RULES.round_of(tray(*played, Closed())) == 1
    assert RULES.round_of(tray(*played, rounds=1)) == 1
    assert RULES.round_of(tray(Closed())) == 1


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_each_preset_can_be_played_and_taught(preset):
    options = codec.options_from_json(GAME, codec.options_to_json(Options(**preset.options)))
    state = RULES.start(options, ("A", "B"))
    for _ in range(40):
        legal = RULES.legal(state, state.turn)
        state = RULES.apply(state, legal[min(3, len(legal) - 1)])
        if RULES.is_over(state):
            break
    assert state.turns
    assert GAME.pages.how_to(options).turn.sentences
