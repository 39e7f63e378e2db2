"""How Stack looks, and what dice and buttons mean to it."""

from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent, StaleEvent
from companion.game.box import Device, Light, Phase, Signal
from companion.game.dice import D6, Thrown
from companion.game.players import Viewer
from companion.game.readings import Box, DiceReading, DieReading
from companion.game.seeing import Proposed, Remark
from companion.game.widgets import Grid, Headline, Notice, ScoreTable, Stack, Stacks, Standings, Tap, after_taps
from companion.games.rulings import Ruling
from companion.games.stack_dice import GAME, interface
from companion.games.stack_dice.entry import completed, counts_in, values_of
from companion.games.stack_dice.events import (
    AllDropped,
    Dropped,
    FellOffTable,
    KnockedOver,
    NumberChosen,
    Penalised,
    PenaltyRolled,
    PickedUp,
    PickedUpWrong,
    PlayedOutOfTurn,
    Rolled,
    RolledWrong,
    RoundCounted,
    Stacked,
    StartRolled,
    Swore,
)
from companion.games.stack_dice.options import Options
from companion.games.stack_dice.rules import apply, legal
from companion.games.stack_dice.stacks import DICE, unstacked
from companion.journal.events import Origin
from companion.shelf import GAMES
from tests.games.test_stack_dice import DROP, counted, fresh, play, table

NAMES = {"R": "Ann", "B": "Bob", "G": "Cleo", "V": "Dora"}


def page(state, player=None, **draft):
    return GAME.pages.view(state, Viewer(player, NAMES, draft))


def widgets(state, kind, player=None, **draft):
    return [widget for widget in page(state, player, **draft) if isinstance(widget, kind)]


def taps(value):
    """Every tap on a page."""
    if isinstance(value, Tap):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from taps(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from taps(getattr(value, field.name))


def events(state, player=None, **draft):
    return [tap.event for tap in taps(page(state, player, **draft)) if tap.event is not None and not tap.refused]


# before the turns


def test_a_player_enters_the_own_start_roll_with_one_tap():
    assert events(fresh(), "R") == [StartRolled((("R", face),)) for face in range(1, 7)]


def test_the_page_of_the_table_enters_all_start_rolls():
    assert events(fresh(), start1="3", start2="5") == [StartRolled((("R", 3), ("B", 5)))]
    assert events(fresh(), start2="5") == [StartRolled((("B", 5),))]
    assert events(fresh()) == []


def dropping():
    return apply(fresh(), StartRolled((("R", 2), ("B", 3))))


def dropping_with(options):
    return apply(fresh(**options), StartRolled((("R", 2), ("B", 3))))


def test_five_taps_count_fourteen_dice():
    assert values_of(completed(counts_in("2 3 2 2 2 ."))) == DROP
    assert events(dropping(), "R", drop1="2 3 2 2 2 .") == [Dropped("R", DROP)]
    assert events(dropping(), "R", drop1="14") == [Dropped("R", (1,) * DICE)]
    assert events(dropping(), "R", drop1="2 3 2 . 2 .") == []


@pytest.mark.parametrize("text", ["", "x", "9 9 9 9 9 9", "-1 3", "15", "1 2 3 4 5 6 7 8", "².", "999999999999 1"])
def test_a_draft_that_counts_no_drop_posts_none(text):
    assert events(dropping(), "R", drop1=text) == []


def test_a_tap_on_the_last_column_counts_on():
    (last,) = [tap for tap in taps(page(dropping(), "R")) if tap.label == "6 dice show 1"]
    for times, shown in ((1, "6"), (2, "7"), (3, "8")):  # also before the page is drawn anew
        (grid,) = widgets(dropping(), Grid, "R", **after_taps({"drop1.1": "2"}, *[last] * times))
        assert grid.rows[0][-1].text == shown


def test_one_die_is_not_called_dice():
    labels = [tap.label for tap in taps(page(dropping(), "R")) if tap.label.endswith(" 3")]
    assert labels[:3] == ["0 dice show 3", "1 die shows 3", "2 dice show 3"]


def test_the_page_of_the_table_drops_everybodys_dice_at_once():
    draft = {"drop1": "2 3 2 2 2 .", "drop2": "14", "seat": "2"}
    assert events(dropping(), **draft) == [AllDropped((("R", DROP), ("B", (1,) * DICE)))]
    one = apply(dropping(), Dropped("R", DROP))
    assert events(one, drop2="14") == [AllDropped((("B", (1,) * DICE),))]
    assert events(one, "R") == []


def test_with_the_last_die_of_one_player_the_next_ones_dice_come_up_by_themselves():
    def counted_now(**draft):
        return [grid.title for grid in widgets(dropping(), Grid, **draft)]

    assert counted_now(drop1="2 3 2 2 . .") == ["Ann (red): how many of each? 5 to go."]
    assert counted_now(drop1="2 3 2 2 2 .") == ["Bob (blue): how many of each? 14 to go."]
    assert counted_now(drop1="2 3 2 2 2 .", seat="1") == ["Ann (red): how many of each? All counted."]


# a turn


def turn(**known):
    return table("6:R", "6:R", "5:R", "6:B", "6:B", "6:RG", "2:B", "2:G", "4:BR", **known)


def test_equal_dice_and_equal_places_are_shown_once():
    state = turn()
    chosen = [tap for tap in taps(page(state)) if "die" in tap.draft]
    assert [(tap.label, tap.draft["die"]) for tap in chosen] == [
        ("red 5, no place", "R-3"),
        ("red 6, 3 places", "R-1"),
    ]
    (where, *_) = widgets(state, Stacks, die="R-1")
    assert [(stack.layers, stack.note) for stack in where.stacks] == [
        (("red", "green"), "+6 points · Cleo −6 points"),
        (("blue",), "2 of these · +6 points"),
    ]
    assert [stack.tap.event for stack in where.stacks] == [Stacked("R", "R-1", "G-1"), Stacked("R", "R-1", "B-1")]


def test_a_move_needs_two_taps_and_a_roll_two():
    found = events(turn(), "R", die="R-1")
    assert Stacked("R", "R-1", "B-1") in found
    assert [event for event in found if isinstance(event, Rolled)] == [Rolled("R", "R-1", face) for face in range(1, 7)]
    assert PickedUp("R", "R-1") in found


def test_what_the_page_offers_is_what_the_rules_allow():
    state = turn()
    for die in unstacked(state.layout, "R"):
        offered = events(state, "R", die=die)
        assert offered
        assert set(offered) <= set(legal(state, "R"))


def test_another_player_sees_the_table_and_moves_nothing():
    assert events(turn(), "B") == []
    assert widgets(turn(), Headline, "B")[0].title == "Ann's turn"


def test_a_rolled_die_is_stacked_and_nothing_else():
    state = apply(turn(), Rolled("R", "R-1", 2))
    assert set(events(state, "R", die="R-3")) == set(legal(state, "R"))


def test_last_dice_are_announced():  # ST-40, ST-41
    state = table("6:R", "6:B", "5:G", "4:G")
    said = [notice.text for notice in widgets(state, Notice)]
    assert any("Ann's last unstacked die" in text for text in said)
    assert any("The blue 6 is Bob's last" in text for text in said)
    (where, *_) = widgets(state, Stacks, die="R-1")
    assert where.stacks[0].note == "+6 points · ends the round"


def test_the_headline_says_who_still_has_a_last_turn():  # ST-40
    state = table("5:G", "5:B", "4:B", "3:R", "3:V", players="RBGV", turn="G")
    state = apply(state, Stacked("G", "G-1", "B-1"))
    assert "Cleo is out. Last turns: Dora, then Ann, then Bob." in widgets(state, Headline)[0].detail
    assert "out" in widgets(state, ScoreTable)[-1].lines[2].state
    state = apply(apply(state, PlayedOutOfTurn("R")), Rolled("V", "V-1", 1))
    assert "Ann lost a turn." in widgets(state, Headline)[0].detail


def test_a_stack_is_drawn_layer_by_layer_for_rebuilding():  # ST-50
    state = table("6:RBGR", "5:BG", "5:BG", "4:R")
    assert widgets(state, Stacks, report="knocked")[0].stacks == (
        Stack(5, ("blue", "green"), "×2"),
        Stack(6, ("red", "blue", "green", "red"), "captured", "full"),
    )


def test_a_counted_round_says_what_each_stack_is_worth():  # ST-58
    state = table("6:RB", "6:RB", "1:BR", "5:G", turn=None, last_turns=())
    notes = [[stack.note for stack in counted.stacks] for counted in widgets(state, Stacks)]
    assert notes == [["10 points"], ["2 of these, 6 points each"]]


def test_every_mistake_can_be_reported():
    options = {"hr_swearing": True, "hr_die_off_table": True, "custom_penalties": (("Phone", 3),)}
    state = turn(options=options)
    found = [
        *events(state, report="knocked"),
        *events(state, report="wrong", wrong="B-1"),
        *events(state, report="turn"),
        *events(state, report="house"),
    ]
    assert {KnockedOver("R", True), KnockedOver("R", False), PickedUpWrong("R", "B-1")} <= set(found)
    assert {RolledWrong("R", "B-1", 4), PlayedOutOfTurn("B"), Penalised("G", "Phone")} <= set(found)
    for event in found:
        apply(state, event)
    assert events(turn(), report="house") == []


def test_a_stack_that_fell_when_the_turn_was_over_already_can_be_reported():  # ST-50, ST-36
    state = apply(table("6:R", "4:R", "5:BG", "3:B", "3:G"), Rolled("R", "R-1", 2))
    assert events(state, report="knocked") == [
        KnockedOver("R", True), KnockedOver("R", False), KnockedOver("B", True), KnockedOver("B", False),
    ]  # fmt: skip
    last = table("6:GB", "4:B", "3:R", players="RBG", turn="B", out=("G",), last_turns=("B",))
    over = apply(last, Rolled("B", "B-2", 1))
    assert events(over, report="knocked") == [KnockedOver("B", True), KnockedOver("B", False)]


def test_what_follows_a_mistake_is_asked_of_the_right_player():
    knocked = apply(turn(), KnockedOver("R", True))
    assert events(knocked, "R") == [PenaltyRolled("R", face) for face in range(1, 7)]
    assert events(knocked, "B") == []
    wrong = events(knocked, "R", report="wrong", wrong="B-1")
    assert PickedUpWrong("R", "B-1") not in wrong  # the penalty roll comes first
    assert RolledWrong("R", "B-1", 4) in wrong
    for event in wrong:
        apply(knocked, event)
    rolled = apply(turn(), RolledWrong("R", "B-1", 2))
    assert events(rolled, "B") == [NumberChosen("B", 6), NumberChosen("B", 2)]
    assert events(rolled, "R") == []


def test_the_end_of_a_round_shows_what_counts_and_one_tap_counts_it():
    state = table("6:RB", "6:RB", "1:BR", "5:G", turn=None, last_turns=())
    assert events(state) == [RoundCounted()]
    assert [stacks.title for stacks in widgets(state, Stacks)] == ["Ann's stacks: 10 points", "Bob's stacks: 12 points"]


def test_the_result_names_the_winner_or_the_team():
    assert widgets(counted(R=201), Standings)[0].title == "Ann wins"
    team = widgets(counted(players="RBGV", teams=2, R=201), Standings)[0]
    assert team.title == "Ann and Cleo win"
    assert [line.points for line in team.lines] == [201, 0]


def test_the_points_of_a_page_add_up():
    for state in (turn(), turn(options={"hr_double_four_high": True}), counted(R=201), counted(R=12, B=5)):
        for scores in widgets(state, ScoreTable):
            assert all(line.points == sum(part[1] for part in line.parts) for line in scores.lines)


def test_every_kind_of_entry_can_be_chosen_anew_where_it_is_corrected():
    options = {"hr_swearing": True, "hr_die_off_table": True, "custom_penalties": (("Phone", 3),)}
    over = table("6:RB", "5:R", turn=None, last_turns=())
    before = {
        StartRolled: (fresh(), None, {"start1": "3"}),
        Dropped: (dropping(), "R", {"drop1": "14"}),
        AllDropped: (dropping(), None, {"drop1": "14", "drop2": "14"}),
        PickedUp: (turn(), "R", {"die": "R-1"}),
        Stacked: (turn(), "R", {"die": "R-1"}),
        Rolled: (apply(turn(), PickedUp("R", "R-3")), "R", {}),
        KnockedOver: (apply(turn(), Rolled("R", "R-1", 2)), "R", {"report": "knocked"}),
        PenaltyRolled: (apply(turn(), KnockedOver("R", True)), "R", {}),
        PickedUpWrong: (turn(), "R", {"report": "wrong", "wrong": "B-1"}),
        RolledWrong: (turn(), "R", {"report": "wrong", "wrong": "B-1"}),
        NumberChosen: (apply(turn(), RolledWrong("R", "B-1", 2)), "B", {}),
        PlayedOutOfTurn: (turn(), "B", {"report": "turn"}),
        FellOffTable: (turn(options=options), "B", {"report": "house"}),
        Swore: (dropping_with(options), "B", {"report": "house"}),
        Penalised: (turn(options=options), "B", {"report": "house"}),
        RoundCounted: (over, None, {}),
    }
    assert set(before) == set(GAMES["stack_dice"].rules.events) - {Ruling}  # rulings have a page of their own
    for kind, (state, player, draft) in before.items():
        assert kind in {type(event) for event in events(state, player, **draft)}, kind


WORDS = st.one_of(st.text(max_size=12), st.sampled_from(["R-1", "B-1", "1", "-3", "knocked", "wrong", "turn", "house"]))
KEYS = st.sampled_from(["die", "start1", "drop1", "drop2", "seat", "report", "wrong"])


@given(draft=st.dictionaries(KEYS, WORDS), player=st.sampled_from([None, "R", "B"]))
def test_a_draft_of_nonsense_breaks_no_page(draft, player):
    knocked = apply(turn(), KnockedOver("R", True))
    for state in (fresh(), dropping(), turn(), knocked, counted(R=12), counted(R=201)):
        for event in events(state, player, **draft):
            try:
                apply(state, event)
            except IllegalEvent:
                pytest.fail(f"offered and refused: {event}")


def test_every_event_has_a_sentence_also_where_it_no_longer_fits():
    viewer = Viewer(None, NAMES)
    for state in (fresh(), turn(), counted(R=201)):
        for event in (
            Stacked("R", "R-1", "B-1"),
            Stacked("R", "R-9", "X-1"),
            Rolled("X", "", 3),
            PickedUp("R", "R-1"),
            PickedUpWrong("R", "B-1"),
            RolledWrong("R", "B-1", 3),
            AllDropped((("R", DROP),)),
        ):
            assert GAME.pages.describe(state, event, viewer).endswith(".")
    assert GAME.pages.describe(turn(), Stacked("R", "R-1", "G-1"), viewer) == (
        "Ann put the red 6 on a stack of 2, green 6 on top."
    )


# dice, buttons, lights


def die(value, colour="red", accepted=True, cx=0.0):
    return DieReading(value, cx, 0, 40, 40, 0, colour, 0.99, accepted, ((value, 0.99), (1, 0.01)))


def seen(*dice, unread=()):
    return DiceReading(1280, 960, dice, unread)


def test_a_die_of_each_colour_is_the_start_roll():  # ST-10
    state = fresh("RBG")
    assert GAME.sight.propose(state, seen(die(3, "blue"), die(5, "red"))) == Proposed(
        StartRolled((("B", 3), ("R", 5))), ("rolls.0.1", "rolls.1.1")
    )
    assert isinstance(GAME.sight.propose(state, seen(die(3, "blue"), die(5, "blue"))), Remark)
    assert isinstance(GAME.sight.propose(state, seen(die(3, "purple"))), Remark)
    assert GAME.sight.propose(state, seen()) is None


def test_borrowed_dice_are_the_start_roll_by_number():  # ST-10
    state = fresh()
    assert GAME.sight.propose(state, seen(die(4, "white"))) == Proposed(StartRolled((("R", 4),)), ("rolls.0.1",))
    nameless = GAME.sight.propose(state, seen(die(4, None)))  # it may as well be blue: asked
    assert nameless == Proposed(StartRolled((("R", 4),)), ("rolls.0.1",), True)
    both = GAME.sight.propose(state, seen(die(4, "white", cx=900), die(2, None, cx=100)))
    assert both == Proposed(
        StartRolled((("R", 2), ("B", 4))), ("rolls.1.1", "rolls.0.1"), True, "From left to right: red, blue."
    )


def test_all_dice_of_all_players_are_the_drop():  # ST-20
    dice = tuple(die(value, colour) for pair in zip(DROP, DROP[::-1], strict=True) for value, colour in
                 zip(pair, ("red", "blue"), strict=True))  # fmt: skip
    proposed = GAME.sight.propose(dropping(), seen(*dice))
    assert proposed.event == AllDropped((("R", DROP), ("B", DROP[::-1])))
    assert proposed.paths[:3] == ("dice.0.1.0", "dice.1.1.0", "dice.0.1.1")
    assert len(proposed.paths) == 2 * DICE
    missing = GAME.sight.propose(dropping(), seen(*dice[1:], unread=(Box(1, 1, 40, 40),)))
    assert missing.event == AllDropped((("R", (*DROP[1:], 1)), ("B", DROP[::-1])))
    assert missing.paths[-1] == "dice.0.1.13"
    assert "13 red, 14 blue" in GAME.sight.propose(dropping(), seen(*dice[1:])).text
    assert isinstance(GAME.sight.propose(dropping(), seen(*dice, die(3, "green"))), Remark)
    assert GAME.sight.propose(dropping(), seen(die(3), die(4, "blue"))) is None  # the start roll still lies there


def test_one_die_is_the_roll_of_the_die_in_hand():  # ST-36
    state = apply(turn(), PickedUp("R", "R-3"))
    assert GAME.sight.propose(state, seen(die(4))) == Proposed(Rolled("R", "R-3", 4), ("value",))
    assert GAME.sight.propose(state, seen(die(4, "white"))).event == Rolled("R", "R-3", 4)
    assert GAME.sight.propose(state, seen(unread=(Box(1, 1, 9, 9),))).paths == ("value",)
    assert isinstance(GAME.sight.propose(state, seen(die(4, "blue"))), Remark)
    assert GAME.sight.propose(turn(), seen(die(4))) is None  # nobody said that it is rolled


def test_the_roll_is_found_among_all_dice_of_the_table():
    state = apply(turn(), PickedUp("R", "R-3"))
    others = (die(6), die(6), die(4), die(6, "blue"), die(6, "green"))  # two red 6s lie, a red 4 tops a stack
    assert GAME.sight.propose(state, seen(die(2), *others)) == Proposed(Rolled("R", "R-3", 2), ())
    assert GAME.sight.propose(state, seen(die(5), *others)).confirm  # unchanged: another die may have been touched
    assert isinstance(GAME.sight.propose(state, seen(die(2, accepted=False), *others)), Remark)
    assert GAME.sight.propose(state, seen(*others)) is None  # it is in the hand still
    assert GAME.sight.propose(state, seen(die(6), die(6, "blue"))) is None  # and so it is beside a 6 that lies there
    assert GAME.sight.propose(state, seen(die(2), die(3), *others)) is None


def test_a_captured_stack_may_be_off_the_table():  # ST-35
    state = apply(table("6:R", "5:R", "1:RBGR", "2:B", "2:G"), PickedUp("R", "R-1"))
    for there in ((die(5),), (die(5), die(1))):
        assert GAME.sight.propose(state, seen(die(3), *there)).event == Rolled("R", "R-1", 3)
    assert GAME.sight.propose(state, seen(die(5), die(1))) is None  # no roll: the die is in the hand
    two = apply(table("6:R", "5:R", "1:RBGR", "4:RGBR", "2:B", "2:G"), PickedUp("R", "R-1"))
    asked = GAME.sight.propose(
        two, seen(die(5), die(1))
    )  # one of the two was taken off: its like was rolled, or is it?
    assert (asked.event, asked.confirm) == (Rolled("R", "R-1", 1), True)


def test_one_die_is_the_penalty_roll():  # ST-50
    state = apply(turn(), KnockedOver("R", True))
    assert GAME.sight.propose(state, seen(die(6, "white"))) == Proposed(PenaltyRolled("R", 6), ("value",))
    assert GAME.sight.propose(state, seen(die(6), die(6, "blue"))) is None


def test_dice_are_told_for_the_statistics():
    assert interface.thrown(Dropped("R", DROP), Options()) == tuple(Thrown("die", D6, value) for value in DROP)
    assert len(interface.thrown(AllDropped((("R", DROP), ("B", DROP))), Options())) == 2 * DICE
    for event in (StartRolled((("R", 4),)), Rolled("R", "R-1", 4), PenaltyRolled("R", 4), RolledWrong("R", "B-1", 4)):
        assert interface.thrown(event, Options()) == (Thrown("die", D6, 4),)
    assert interface.thrown(RoundCounted(), Options()) == ()


def test_the_box_tells_whose_turn_it_is_and_of_the_last_turns():
    assert interface.look(turn(), 0).lights == (Light.SLOW, Light.OFF, Light.OFF)
    assert interface.look(turn(), 0).phase is Phase.WAITING
    assert interface.look(turn(out=("B",), last_turns=("R", "G")), 0).phase is Phase.LAST_TURN
    assert interface.look(counted(R=201), 0).phase is Phase.OVER


def test_the_confirm_button_counts_a_round_that_is_over():
    over = table("6:RB", "5:R", turn=None, last_turns=())
    assert interface.bind(over, Signal(Device.CONFIRM, True, 0)) == RoundCounted()
    assert interface.bind(over, Signal(Device.SEAT, True, 0, 1)) is None
    assert interface.bind(turn(), Signal(Device.CONFIRM, True, 0)) is None


def test_the_presets_make_games():
    game = GAMES["stack_dice"]
    for preset in game.pages.presets:
        play(game.rules.start(game.rules.options(**preset.options), ("R", "B")), StartRolled((("R", 1), ("B", 2))))
    assert [preset.name for preset in game.pages.presets] == ["printed", "quick", "tournament"]


def test_a_drop_that_is_corrected_begins_with_what_was_entered():
    draft = GAME.pages.drafted(dropping(), Dropped("R", DROP))
    assert events(dropping(), "R", **draft) == [Dropped("R", DROP)]
    both = GAME.pages.drafted(dropping(), AllDropped((("R", DROP), ("B", DROP))))
    assert events(dropping(), **both) == [AllDropped((("R", DROP), ("B", DROP)))]


def test_two_players_enter_their_rolls_for_the_start_at_once(host):  # ST-10
    table = host.create("stack_dice", ["Ann", "Bob", "Cy"], {})
    ann, bob, cy = table.session.players
    table.submit(StartRolled(((ann, 3),)), Origin("ann", 0))
    table.submit(StartRolled(((bob, 3),)), Origin("bob", 0))
    with pytest.raises(StaleEvent):  # her own has been entered already, whatever this page knows
        table.submit(StartRolled(((ann, 5),)), Origin("again", 0))
    table.submit(StartRolled(((cy, 2),)), Origin("cy", 0))
    assert table.state.contenders == (ann, bob)
    with pytest.raises(StaleEvent):  # and is no roll of those who are tied, which it was not meant for (ST-11)
        table.submit(StartRolled(((bob, 6),)), Origin("late", 0))
