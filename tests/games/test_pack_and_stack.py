"""Pack & Stack against its rule sheet; the ids stand beside each test."""

from dataclasses import replace

import pytest

from companion.equipment import trucks as decks
from companion.equipment.trucks import Truck, truck_of
from companion.errors import IllegalEvent
from companion.game.box import Device, Signal
from companion.game.dice import Thrown
from companion.game.players import Viewer
from companion.game.readings import Box as ReadBox
from companion.game.readings import DiceReading
from companion.game.widgets import Choice, Consult, Grid, Headline, Notice, PictureChoice, Seats, Standings
from companion.games.pack_and_stack import GAME, answers, interface
from companion.games.pack_and_stack.answers import ADVICE
from companion.games.pack_and_stack.events import (
    CardShown,
    Loaded,
    OrderRenewed,
    Reward,
    RewardDrawn,
    Rolled,
    RoundClosed,
    StarterNamed,
    Taken,
    TruckReplaced,
    VoucherUsed,
)
from companion.games.pack_and_stack.loads import NONE, Box, check_packed, loss, volume
from companion.games.pack_and_stack.options import BOXES, DICE_FACES, Deck, Options, trucks
from companion.games.pack_and_stack.rewards import only_perfect, reward_due
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.rules import apply, legal, possible_rolls, start
from companion.games.pack_and_stack.scoring import explain, is_over, losses, points_after, score, winners
from companion.games.pack_and_stack.state import Pile, Round, State, Step, step
from companion.games.rulings import Ruling

# A table's own twelve cards, so that the arithmetic stays small: twelve times 2 × 2 squares, 3 high
SMALL = ("3 ##/##",) * 12
DICE = (2, 2, 2, 0, 2)  # Their volume is 22, as in PS-E04.


def game(*players: str, **options) -> State:
    return start(Options(**options), players or tuple("ABC"))


def play(state: State, *events, ruled: bool = False) -> State:
    for event in events:
        state = apply(state, event, ruled)
    return state


def rolled(*players: str, dice=DICE, **options) -> State:
    """Everybody has rolled the same, A is the starting player."""
    state = play(game(*players, **options), StarterNamed("A"))
    return play(state, *(Rolled(player, dice) for player in state.players))


def with_trucks(*players: str, dice=DICE, **options) -> State:
    """A took truck 1 from B, B truck 2 from C …; the last one drew from the pile."""
    state = rolled(*players, dice=dice, **options)
    for card, player in enumerate(state.players[:-1], start=1):
        state = play(state, Taken(player, card, state.players[card]))
    return play(state, Taken(state.players[-1], len(state.players)))


def scored(*unloaded, points=None, **options) -> State:
    """A, B and C with small trucks have loaded all but this."""
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL, **options)
    return play(state, *(Loaded(player, rest) for player, rest in zip("ABC", unloaded, strict=True)))


def refused(state: State, event, match: str, ruled: bool = False) -> None:
    with pytest.raises(IllegalEvent, match=match):
        apply(state, event, ruled)


# components


def test_a_card_shows_a_loading_area_and_a_height():  # PS-02
    truck = truck_of("2 ###/#.#")
    assert truck == Truck(("###", "#.#"), 2)
    assert truck.squares == {(1, 1), (1, 2), (1, 3), (2, 1), (2, 3)}
    assert truck.capacity == 10


@pytest.mark.parametrize(
    ("name", "heights"),
    [(Deck.MANUAL, {1: 12, 2: 12, 3: 12}), (Deck.CLASSIC, {1: 9, 2: 10, 3: 6, 4: 5})],
)
def test_two_decks_with_the_published_heights(name, heights):  # PS-03
    cards = [truck.height for truck in trucks(Options(truck_deck=name))]
    assert {height: cards.count(height) for height in cards} == heights


def test_a_table_may_enter_its_own_cards():  # PS-03, PS-04
    own = ("1 #####/#####", *SMALL)
    state = game(truck_deck=Deck.OWN, own_trucks=own)
    assert state.pile == Pile(13)
    assert trucks(state.options)[0] == Truck(("#####", "#####"), 1)


@pytest.mark.parametrize("deck", ["manual-36", "classic-30"])
def test_the_footprints_are_within_what_is_known_of_them(deck):  # PS-04
    cards = decks.printed_decks()[deck]
    areas = [truck.squares for truck in cards]
    assert all(max(row for row, _ in area) <= 3 and max(column for _, column in area) <= 5 for area in areas)
    assert min(truck.capacity for truck in cards) == 9
    assert max(len(truck.squares) for truck in cards) == 15
    assert all(len(truck.squares) < 15 for truck in cards if truck.height > 2)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda cards: cards[1:], "heights"),
        (lambda cards: (*cards[:-1], cards[-2]), "equal"),
        (lambda cards: (*cards[:-1], replace(cards[-1], rows=cards[-2].rows[::-1])), "equal"),
        (lambda cards: (*cards[:-1], Truck(("######",), 3)), "fit"),
        (lambda cards: (*cards[:-1], Truck(("##",), 3)), "small"),
        (lambda cards: (*cards[:-1], Truck(("##.##",), 3)), "pieces"),
        (lambda cards: (*cards[:-1], Truck(("#####",) * 3, 3)), "every square"),
    ],
)
def test_a_deck_that_is_not_as_published_is_noticed_when_it_is_loaded(change, wrong):  # PS-03, PS-04
    with pytest.raises(ValueError, match=wrong):
        decks.check_deck("manual-36", change(decks.printed_decks()["manual-36"]))


@pytest.mark.parametrize(
    ("own", "wrong"),
    [
        (("2",), "isn't a truck"),
        (("x ##",), "isn't a truck"),
        (("2 #a#",), "isn't a truck"),
        (("0 ##",), "1 to 8 high"),
        (("9 ##",), "1 to 8 high"),
        (("2 #########",), "at most 8"),
        (("2 " + "/".join("#" * 9),), "at most 8"),
        (("2 #.#",), "one piece"),
        (("2 ...",), "isn't a truck"),
        (SMALL[:8], "9 to 200 truck cards, not 8"),
        (SMALL * 17, "not 204"),
    ],
)
def test_own_cards_that_are_none_are_refused_with_a_sentence(own, wrong):  # PS-03, PS-04
    with pytest.raises(IllegalEvent, match=wrong):
        game(truck_deck=Deck.OWN, own_trucks=own)


def test_own_cards_are_not_silently_left_aside():
    with pytest.raises(IllegalEvent, match="Choose them as the deck"):
        game(own_trucks=SMALL)


def test_the_dice_have_the_published_faces_and_can_be_changed():  # PS-05
    assert [sum(die) for die in DICE_FACES] == [16, 12, 9, 6, 6]
    faces = ((1, 2), (0,), (0, 1), (0, 1), (0, 1))
    state = play(game(dice_faces=faces), StarterNamed("B"))
    refused(state, Rolled("B", (3, 0, 0, 0, 0)), "size 1 die has no 3. Choose one of 1, 2")
    assert play(state, Rolled("B", (2, 0, 1, 0, 1))).current.dice == {"B": (2, 0, 1, 0, 1)}


@pytest.mark.parametrize("faces", [((1,),) * 4, ((1,),) * 4 + ((),), ((1,),) * 4 + ((0,) * 7,)])
def test_five_dice_of_up_to_six_faces(faces):  # PS-05
    with pytest.raises(IllegalEvent, match="Each of the five sizes has one die with 1 to 6 faces"):
        game(dice_faces=faces)


def test_six_players_never_exhaust_the_supply():  # PS-06
    assert tuple(6 * max(die) for die in DICE_FACES) == BOXES
    with pytest.raises(IllegalEvent, match="so with 6 players a face shows 5 at most"):
        game(*"ABCDEF", dice_faces=((6,), *DICE_FACES[1:]))
    with pytest.raises(IllegalEvent, match="10 at most"):
        game(dice_faces=((-1,), *DICE_FACES[1:]))


def test_the_colours_of_the_boxes_are_those_of_the_table():  # PS-06
    colours = ("green", "yellow", "red", "orange", "pink")
    page = GAME.pages.view(with_trucks(box_colours=colours), Viewer("A", {}))
    grid = next(widget for widget in page if isinstance(widget, Grid) and widget.title == "Boxes of each size")
    assert [cell.colour for cell in grid.rows[0]] == ["green", "yellow", "red", "", "purple"]  # pink cannot be drawn
    with pytest.raises(IllegalEvent, match="five colours"):
        game(box_colours=("white",))


def test_points_to_begin_with_are_four_tokens():  # PS-07, PS-10
    assert 50 + 10 + 10 + 5 == 75
    assert score(game()) == {"A": 75, "B": 75, "C": 75}
    assert score(game(start_points=40))["A"] == 40
    assert game().pile == Pile(36)
    assert [score(game(start_points=points))["A"] for points in (0, -5, 1_000_000)] == [0, -5, 1_000_000]
    with pytest.raises(IllegalEvent, match="−1000000 to 1000000"):
        game(start_points=1_000_001)


def test_three_reward_cards_one_of_each():  # PS-08, PS-60
    assert game(reward_cards=True).fresh == {Reward.NEW_ORDER, Reward.REPLACING, Reward.VOUCHER}
    assert game().fresh == frozenset()


def test_a_load_has_at_least_a_box_and_1_to_40_units():  # PS-09
    volumes = [volume(dice) for dice in possible_rolls(DICE_FACES)]
    assert (min(volumes), max(volumes)) == (1, 40)
    expected = sum(size * sum(die) / 6 for size, die in enumerate(DICE_FACES, start=1))
    assert expected == pytest.approx(20.2, abs=0.05)


# the round


def test_the_youngest_starts_and_then_it_goes_round():  # PS-11, PS-13
    state = game()
    assert step(state) is Step.NAMING
    assert set(legal(state, "B")) == {StarterNamed("A"), StarterNamed("B"), StarterNamed("C")}
    refused(state, Rolled("A", DICE), "First say who the youngest player is")
    refused(state, StarterNamed("X"), "must be at this table")
    state = closed_round()
    assert state.current.starter == "B"
    refused(state, StarterNamed("C"), "next player clockwise")


def closed_round(**options) -> State:
    rest = (0, 0, 0, 0, 2)
    return play(scored(rest, rest, rest, **options), RoundClosed())


def test_a_round_has_its_steps_in_their_order():  # PS-12
    state = game()
    refused(state, Taken("A", 1, "B"), "Everyone rolls first")
    state = rolled()
    assert step(state) is Step.TAKING
    refused(state, Loaded("A", NONE), "Everyone takes a truck first")
    state = with_trucks(dice=(1, 0, 0, 0, 0))
    assert step(state) is Step.LOADING
    refused(state, RoundClosed(), "Everyone loads first")
    state = play(state, *(Loaded(player, NONE) for player in "ABC"))
    assert step(state) is Step.SCORING


def test_after_the_round_boxes_and_trucks_are_put_away():  # PS-13
    state = closed_round()
    assert state.current == Round("B")
    assert state.pile.cards + state.pile.discarded == 12
    assert {1, 2, 3} <= state.pile.known
    assert awaiting(state) == {"B"}


def test_everybody_rolls_once_the_starting_player_first_then_clockwise():  # PS-20
    state = play(game(), StarterNamed("B"))
    refused(state, Rolled("A", DICE), "The dice go clockwise from the starting player")
    state = play(state, Rolled("B", DICE))
    assert awaiting(state) == {"C"}
    refused(state, Rolled("B", DICE), "This player has already rolled")
    state = play(state, Rolled("C", DICE), Rolled("A", DICE))
    refused(state, Rolled("A", DICE), "This player has already rolled")


def test_with_more_dice_all_roll_together():  # PS-20
    state = play(game(roll_together=True), StarterNamed("B"))
    assert awaiting(state) == {"A", "B", "C"}
    assert play(state, Rolled("A", DICE)).current.dice == {"A": DICE}


def test_as_many_boxes_of_each_size_as_its_die_shows():  # PS-21, PS-E15
    state = play(game(), StarterNamed("A"), Rolled("A", (3, 2, 1, 0, 2)))
    assert volume(state.current.dice["A"]) == 20
    refused(play(game(), StarterNamed("A")), Rolled("A", (0, 2, 1, 0, 2)), "The size 1 die has no 0")


def test_two_cards_each_for_up_to_four_players_one_for_more():  # PS-30
    assert [36 - rolled(*"ABCDEF"[:number]).pile.cards for number in (3, 4, 5, 6)] == [6, 8, 5, 6]
    state = play(rolled(), CardShown("A", 7), CardShown("A", 8))
    refused(state, CardShown("A", 9), "had 7 and 8 in front")
    state = play(rolled(*"ABCDE"), CardShown("A", 7))
    refused(state, CardShown("A", 8), "had 7 in front")


def test_cards_are_turned_up_when_all_have_rolled_and_no_card_lies_twice():  # PS-31
    refused(game(), CardShown("A", 7), "Everyone rolls first")
    state = play(rolled(), CardShown("A", 7))
    refused(state, CardShown("B", 7), "is already in play or discarded")
    refused(state, CardShown("B", 37), "numbered 1 to 36")
    refused(state, CardShown("B", 0), "numbered 1 to 36")
    refused(state, CardShown("X", 5), "That player isn't in this game")


A1, A2, B1, B2, C1, C2 = range(1, 7)


def faces_up() -> State:
    """PS-E16: three players, each with two cards in front."""
    cards = zip("AABBCC", (A1, A2, B1, B2, C1, C2), strict=True)
    return play(rolled(), *(CardShown(player, card) for player, card in cards))


def test_any_card_of_another_or_from_the_pile_but_never_an_own_one():  # PS-32, PS-E16
    state = play(faces_up(), Taken("A", B1, "B"))
    refused(state, Taken("B", B2, "B"), "in front of you")
    may = {(event.card, event.owner) for event in legal(state, "B") if isinstance(event, Taken) and event.owner}
    assert may == {(A1, "A"), (A2, "A"), (C1, "C"), (C2, "C")}
    from_pile = {event.card for event in legal(state, "B") if isinstance(event, Taken) and event.owner is None}
    assert from_pile == set(range(7, 37))  # unseen, whichever it is (reading 7)
    refused(state, Taken("B", B1, "A"), "is already in play or discarded")
    refused(state, Taken("B", 9, "X"), "Choose a player or the draw pile")
    refused(state, Taken("B", 9, "A"), "had 1 and 2 in front")


def test_the_last_player_takes_the_top_card_of_the_pile():  # PS-33, PS-35, PS-E17
    state = play(faces_up(), Taken("A", B1, "B"), Taken("B", A2, "A"))
    refused(state, Taken("C", A1, "A"), "top card of the draw pile")
    assert {event.owner for event in legal(state, "C") if isinstance(event, Taken)} == {None}
    after = play(state, Taken("C", 20))
    assert after.pile.known == {A1, B2, C1, C2}
    assert after.pile.discarded == 4
    assert after.pile.cards == 36 - 6 - 1


def test_only_own_cards_left_means_the_pile():  # PS-32, PS-33
    state = rolled(*"ABCDE")
    state = play(state, *(CardShown(player, card) for card, player in enumerate("ABCDE", start=1)))
    state = play(state, Taken("A", 2, "B"), Taken("B", 1, "A"), Taken("C", 4, "D"))  # D may choose 3 or 5.
    state = play(state, Taken("D", 3, "C"))
    refused(state, Taken("E", 5, "E"), "in front of you")
    assert {event.owner for event in legal(state, "E") if isinstance(event, Taken)} == {None}


def test_one_truck_each_and_a_choice_is_final():  # PS-34
    state = play(rolled(), Taken("A", 5, "B"))
    refused(state, Taken("A", 6, "C"), "can't swap it")
    refused(state, Taken("B", 5, "A"), "is already in play or discarded")
    assert [event for event in legal(state, "A") if isinstance(event, Taken)] == []


def test_a_truck_nobody_noted_is_known_by_where_it_lay():  # PS-32, PS-35
    state = play(rolled(), Taken("A", 17, "B"), Taken("B", 9, "C"), Taken("C", 30))
    assert state.current.trucks == {"A": 17, "B": 9, "C": 30}
    assert state.pile == Pile(29, 4)  # Nobody looked at four cards.
    state = play(rolled(*"ABCD"), Taken("A", 17, "B"), Taken("C", 9, "B"))
    refused(state, Taken("D", 10, "B"), "had 17 and 9 in front")


def test_deal_the_rest_shuffle_and_deal_on():  # PS-36, PS-E20
    assert Pile(5, 31).drawn(8) == Pile(28, shuffled=True)
    assert Pile(8, 28).drawn(8) == Pile(28, shuffled=True)  # the pile is empty: at once
    assert Pile(9, 27).drawn(8) == Pile(1, 27)


def test_a_shuffled_card_may_come_again_one_on_the_discard_pile_not():  # PS-36
    state = replace(rolled(), pile=Pile(2, 28, frozenset({7})))
    refused(state, Taken("A", 7), "is already in play or discarded")
    state = replace(rolled(), pile=Pile(1, 29, frozenset({7})))
    state = play(state, Taken("A", 8))
    assert state.pile == Pile(29, shuffled=True)
    assert play(state, Taken("B", 7)).current.trucks["B"] == 7


def test_the_first_hand_has_the_card():  # PS-37
    state = play(faces_up(), Taken("B", C1, "C"))
    refused(state, Taken("A", C1, "C"), "is already in play or discarded")
    state = play(faces_up(), Taken("A", C1, "C"))  # The table decides by the order in which it enters.
    refused(state, Taken("B", C1, "C"), "is already in play or discarded")


# loading


def test_all_load_at_the_same_time_and_nothing_counts_who_was_slow():  # PS-40
    one = with_trucks(dice=(1, 0, 0, 0, 0))
    assert awaiting(one) == {"A", "B", "C"}
    there = play(one, Loaded("A", NONE), Loaded("B", NONE), Loaded("C", NONE))
    back = play(one, Loaded("C", NONE), Loaded("B", NONE), Loaded("A", NONE))
    assert score(there) == score(back)
    refused(there, Loaded("A", NONE), "It's not time to load")
    refused(play(one, Loaded("A", NONE)), Loaded("A", NONE), "has already loaded")


L_AREA = Truck(("##", "#."), 2)


def test_boxes_lie_inside_the_loading_area_aligned_to_the_squares():  # PS-41, PS-E07
    with pytest.raises(IllegalEvent, match="Row 2, column 2 is outside"):
        check_packed(L_AREA, [Box(2, ((2, 1, 1), (2, 2, 1)))])
    for cells in (((1, 1, 1), (2, 2, 1)), ((1, 1, 1), (1, 1, 1)), ((1, 1, 1),), ((1, 1, 1), (1, 3, 1))):
        with pytest.raises(IllegalEvent, match="Enter its cells again"):
            check_packed(Truck(("###", "###"), 1), [Box(2, cells)])
    with pytest.raises(IllegalEvent, match="outside"):
        check_packed(L_AREA, [Box(1, ((0, 1, 1),))])


def test_two_boxes_never_fill_one_space():  # PS-41
    with pytest.raises(IllegalEvent, match="Two boxes are in row 1"):
        check_packed(L_AREA, [Box(1, ((1, 1, 1),)), Box(2, ((1, 1, 1), (1, 1, 2)))])


def test_nothing_is_higher_than_the_height_number():  # PS-42, PS-E08
    with pytest.raises(IllegalEvent, match="This truck is only 2 high"):
        check_packed(Truck(("##",), 2), [Box(3, ((1, 1, 1), (1, 1, 2), (1, 1, 3)))])
    with pytest.raises(IllegalEvent, match="no level 0"):
        check_packed(Truck(("##",), 2), [Box(1, ((1, 1, 0),))])


def test_no_gap_under_a_box():  # PS-43, PS-E06
    ends = [Box(1, ((1, 1, 1),)), Box(1, ((1, 3, 1),))]
    bridge = Box(3, ((1, 1, 2), (1, 2, 2), (1, 3, 2)))
    with pytest.raises(IllegalEvent, match="There's a gap under a box at row 1"):
        check_packed(Truck(("###",), 2), [*ends, bridge])
    check_packed(Truck(("###",), 2), [*ends, Box(1, ((1, 2, 1),)), bridge])


def test_boxes_lie_or_stand():  # PS-44, PS-E09
    lying, standing = Box(2, ((1, 1, 1), (1, 2, 1))), Box(2, ((2, 1, 1), (2, 1, 2)))
    check_packed(L_AREA, [lying, standing, Box(2, ((1, 2, 2), (1, 1, 2)))])
    with pytest.raises(IllegalEvent, match="1 to 5 units"):
        check_packed(Truck(("######",), 1), [Box(6, tuple((1, column, 1) for column in range(1, 7)))])


def test_boxes_may_stay_outside_on_purpose():  # PS-45
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL)
    everything = play(state, Loaded("A", DICE))
    assert losses(everything.options, everything.current) == {"A": 12 + 2 * 22}
    refused(state, Loaded("A", (3, 0, 0, 0, 0)), "There are 2 boxes of size 1")
    refused(state, Loaded("A", (-1, 0, 0, 0, 0)), "can't be left over")
    refused(state, Loaded("A", (0, 0, 0, 0, 1)), "but these boxes fill 17")


def test_where_each_box_lies_may_be_noted_and_is_checked():  # PS-41, PS-43, PS-45
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL, dice=(1, 1, 0, 0, 0))
    boxes = (Box(2, ((1, 1, 1), (1, 2, 1))), Box(1, ((1, 1, 2),)))
    assert play(state, Loaded("A", NONE, boxes)).current.packed == {"A": boxes}
    refused(state, Loaded("A", (1, 0, 0, 0, 0), boxes), "Count them again")
    refused(state, Loaded("A", NONE, (boxes[0], Box(1, ((2, 1, 2),)))), "There's a gap under a box at row")


# scoring


def test_each_empty_space_costs_a_point_on_every_level():  # PS-50, PS-E03
    assert loss(Truck(("###",) * 3, 1), (1, 0, 0, 0, 0), NONE) == 8
    assert loss(Truck(("###",) * 3, 3), (1, 0, 0, 0, 0), NONE) == 26


def test_each_box_left_over_costs_twice_its_size():  # PS-51, PS-52, PS-E04
    truck, unloaded = Truck(("##", "##"), 3), (0, 0, 0, 0, 2)
    assert loss(truck, DICE, unloaded) == 20 == 12 + 2 * 22 - 3 * 12


def test_all_with_the_smallest_loss_get_ten_points():  # PS-53
    state = scored((0, 0, 0, 0, 2), (0, 0, 0, 0, 2), (2, 0, 0, 0, 2))
    assert score(state) == {"A": 75 - 20 + 10, "B": 75 - 20 + 10, "C": 75 - 26}


def test_points_may_go_below_zero_unless_the_table_plays_otherwise():  # PS-54
    assert points_after(9, 14, False, floor_at_zero=False) == -5
    assert points_after(9, 14, False, floor_at_zero=True) == 0
    assert points_after(5, 12, True, floor_at_zero=True) == 3  # Our reading: it counts after the bonus.
    state = scored(DICE, (0, 0, 0, 0, 2), DICE, start_points=30, floor_at_zero=True)
    assert score(state) == {"A": 0, "B": 20, "C": 0}
    assert sum(points for _, points, _ in explain(state, "A")) == 0


def test_no_ruling_takes_anybody_below_zero_either():  # PS-54
    state = play(game(start_points=8, floor_at_zero=True), Ruling("A", -10, "Cheated."), Ruling("A", 3, "So did B."))
    assert score(state) == {"A": 3, "B": 8, "C": 8}
    assert explain(state, "A")[1:] == (
        ("Ruling: Cheated.", -10, "ruling"),
        ("Ruling: never below zero", 2, "PS-54"),
        ("Ruling: So did B.", 3, "ruling"),
    )
    assert score(play(game(start_points=8), Ruling("A", -10, "Cheated.")))["A"] == -2


def test_rulings_count_in_their_order_before_the_floor():  # PS-54, PS-55, PS-56
    rests = (1, 2, 2, 0, 2), (1, 0, 0, 0, 2), (2, 0, 0, 0, 2)  # The losses are 53, 23 and 26.
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL, start_points=30, floor_at_zero=True)
    state = play(state, Ruling("A", 20, "The dice were taken away."))
    state = play(state, *map(Loaded, "ABC", rests), RoundClosed())
    assert score(state) == {"A": 0, "B": 17, "C": 4}  # A: 50 - 53
    assert [points for _, points, _ in explain(state, "A")] == [30, 20, -53, 3]
    assert winners(state) == ("B",)


def test_a_ruling_after_a_load_counts_after_it():  # PS-54
    state = scored(DICE, (1, 0, 0, 0, 2), (2, 0, 0, 0, 2), start_points=30, floor_at_zero=True)  # A loses 56
    state = play(state, Ruling("A", 5, "The truck was knocked over."))
    assert score(state) == {"A": 5, "B": 17, "C": 4}
    assert not is_over(play(state, RoundClosed()))


def test_loss_then_bonus_then_the_end():  # PS-55
    state = scored((0, 0, 0, 0, 2), DICE, DICE, start_points=58)  # A: 58 - 20 + 10, the others 58 - 56
    state = play(state, RoundClosed())
    assert score(state) == {"A": 48, "B": 2, "C": 2}
    assert not is_over(state)
    kept = play(scored((0, 0, 0, 0, 2), *[(2, 0, 0, 0, 2)] * 2, start_points=27), RoundClosed())
    assert score(kept) == {"A": 17, "B": 1, "C": 1}
    saved = play(scored((0, 0, 0, 0, 2), (0, 0, 0, 0, 2), (0, 0, 0, 0, 2), start_points=11), RoundClosed())
    assert score(saved) == {"A": 1, "B": 1, "C": 1}  # 11 - 20 + 10: the bonus comes before the end
    assert not is_over(saved)


def test_the_game_ends_after_the_round_in_which_somebody_has_no_points():  # PS-56
    state = scored((0, 0, 0, 0, 2), DICE, DICE, start_points=56)
    assert score(state)["B"] == 0
    assert not is_over(state)  # the round is not closed
    state = play(state, RoundClosed())
    assert is_over(state)
    assert awaiting(state) == frozenset()
    assert legal(state, "A") == ()
    refused(state, RoundClosed(), "over")


def test_the_most_points_win_and_equal_ones_share_it():  # PS-57
    state = scored((0, 0, 0, 0, 2), DICE, DICE, start_points=56)
    assert winners(state) == ()
    assert winners(play(state, RoundClosed())) == ("A",)
    state = scored((0, 0, 0, 0, 2), (0, 0, 0, 0, 2), DICE, start_points=56)
    assert winners(play(state, RoundClosed())) == ("A", "B")


# reward cards


def perfect(rewards: bool = True, held=(), **options) -> State:
    """A fills the truck of 12 without a rest; B and C leave 5 and 10 out."""
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL, reward_cards=rewards, dice=(2, 0, 0, 0, 2), **options)
    return play(state, Loaded("A", NONE), Loaded("B", (0, 0, 0, 0, 1)), Loaded("C", (0, 0, 0, 0, 2)))


def test_the_only_player_without_loss_draws_a_reward_card():  # PS-61, PS-E18
    state = perfect()
    assert losses(state.options, state.current) == {"A": 0, "B": 15, "C": 30}
    assert reward_due(state) == "A"
    assert awaiting(state) == {"A"}
    refused(state, RoundClosed(), "draws a reward card first")
    refused(state, RewardDrawn("B", Reward.VOUCHER), "Only the one player with a loss of 0 draws a reward card")
    after = play(state, RewardDrawn("A", Reward.VOUCHER))
    assert after.held == {Reward.VOUCHER: "A"}
    refused(after, RewardDrawn("A", Reward.NEW_ORDER), "once a round")
    assert legal(after, "A") == (RoundClosed(),)  # reading 9: drawn now, of use later
    assert reward_due(perfect(rewards=False)) is None


def test_two_perfect_loads_draw_nothing_and_share_the_bonus():  # PS-61, PS-E18
    assert only_perfect({"A": 0, "B": 4, "C": 9}) == "A"
    assert only_perfect({"A": 0, "B": 0, "C": 5}) is None
    assert only_perfect({"A": 1, "B": 2, "C": 5}) is None


def test_an_empty_reward_pile_gives_nothing():  # PS-61
    state = replace(perfect(), fresh=frozenset())
    assert reward_due(state) is None
    assert step(play(state, RoundClosed())) is Step.ROLLING


def holding(state: State, reward: Reward, player: str = "B") -> State:
    return replace(state, held={reward: player}, fresh=state.fresh - {reward})


def test_new_order_replaces_the_load_before_a_truck_is_taken():  # PS-62
    state = holding(rolled(reward_cards=True), Reward.NEW_ORDER)
    assert any(isinstance(event, OrderRenewed) for event in legal(state, "B"))
    after = play(state, CardShown("A", 1), OrderRenewed("B", (5, 4, 3, 2, 2)))  # also when they are turned up
    assert after.current.dice["B"] == (5, 4, 3, 2, 2)
    assert after.held == {}
    refused(after, OrderRenewed("B", DICE), "doesn't have the card New Order")
    refused(state, OrderRenewed("A", DICE), "doesn't have the card New Order")
    refused(state, OrderRenewed("B", (6, 0, 0, 0, 0)), "die has no 6")
    late = play(state, Taken("A", 1, "C"))
    refused(late, OrderRenewed("B", DICE), "Use New Order before you take a truck")
    early = holding(play(game(reward_cards=True), StarterNamed("A"), Rolled("A", DICE)), Reward.NEW_ORDER)
    refused(early, OrderRenewed("B", DICE), "Roll first")


def test_a_truck_is_replaced_before_loading():  # PS-63
    state = holding(with_trucks(reward_cards=True, dice=(1, 0, 0, 0, 0)), Reward.REPLACING)
    before = state.pile
    after = play(state, TruckReplaced("B", 30))
    assert after.current.trucks == {"A": 1, "B": 30, "C": 3}
    assert after.pile.cards == before.cards - 1
    assert after.pile.known == before.known | {2}
    refused(after, TruckReplaced("B", 31), "This player doesn't have the card")
    refused(state, TruckReplaced("B", 1), "is already in play or discarded")
    refused(play(state, Loaded("B", NONE)), TruckReplaced("B", 30), "Replace a truck before you load")
    refused(holding(rolled(reward_cards=True), Reward.REPLACING), TruckReplaced("B", 30), "no truck yet")


def test_with_an_empty_draw_pile_the_replaced_truck_is_shuffled_in_too():  # PS-36, PS-63
    state = holding(with_trucks(reward_cards=True), Reward.REPLACING)
    state = replace(state, pile=Pile(0, 0))
    assert play(state, TruckReplaced("B", 2)).current.trucks["B"] == 2  # the same card again, as luck has it


def test_a_voucher_halves_what_is_left_over_and_counts_for_the_bonus():  # PS-64, PS-E04, PS-E19
    assert loss(Truck(("##", "##"), 3), DICE, (0, 0, 0, 0, 2), voucher=True) == 10
    state = holding(scored((0, 0, 0, 0, 2), (1, 0, 0, 0, 2), (2, 0, 0, 0, 2), reward_cards=True), Reward.VOUCHER, "C")
    assert score(state) == {"A": 75 - 20 + 10, "B": 75 - 23, "C": 75 - 26}
    after = play(state, VoucherUsed("C"))  # 2 are empty and 12 left over: the loss is 14.
    assert score(after) == {"A": 75 - 20, "B": 75 - 23, "C": 75 - 14 + 10}
    refused(state, VoucherUsed("A"), "This player doesn't have the card Voucher")
    early = holding(with_trucks(reward_cards=True), Reward.VOUCHER)
    refused(early, VoucherUsed("B"), "when the round is scored")
    drawn = play(holding(perfect(), Reward.VOUCHER), RewardDrawn("A", Reward.NEW_ORDER))
    refused(drawn, VoucherUsed("B"), "Scoring is over")


def test_several_reward_cards_may_be_used_in_one_round():  # PS-65
    state = rolled(reward_cards=True)
    state = replace(state, held=dict.fromkeys(Reward, "A"), fresh=frozenset())
    state = play(state, OrderRenewed("A", (1, 0, 0, 0, 0)), Taken("A", 1, "B"), Taken("B", 2, "C"), Taken("C", 3))
    state = play(state, TruckReplaced("A", 4), *(Loaded(player, NONE) for player in "A"))
    state = play(state, Loaded("B", DICE), Loaded("C", DICE), VoucherUsed("A"))
    assert state.held == {}
    assert score(state)["A"] == 75 - (trucks(state.options)[3].capacity - 1) + 10


def test_used_reward_cards_are_out_of_the_game_or_come_back_under_the_pile():  # PS-66
    for recycle, under in ((False, frozenset()), (True, frozenset({Reward.VOUCHER}))):
        state = holding(perfect(reward_recycle=recycle), Reward.VOUCHER)
        after = play(state, VoucherUsed("B"))
        assert after.under == under
        refused(after, RewardDrawn("A", Reward.VOUCHER), "isn't in the pile")  # the others lie above it
    last = replace(after, fresh=frozenset())
    assert play(last, RewardDrawn("A", Reward.VOUCHER)).held == {Reward.VOUCHER: "A"}


# what the table says


def test_a_ruling_counts_at_any_time():
    state = play(game(), Ruling("B", -5, "Looked at the cards."))
    assert score(state) == {"A": 75, "B": 70, "C": 75}
    assert explain(state, "B")[-1] == ("Ruling: Looked at the cards.", -5, "ruling")
    over = play(scored((0, 0, 0, 0, 2), DICE, DICE, start_points=56), RoundClosed())
    assert winners(play(over, Ruling("A", -100, "Cheated."))) == ("B", "C")


def test_a_ruling_between_two_rounds_decides_the_game_anew():  # PS-56
    closed = play(scored((1, 0, 0, 0, 2), (0, 0, 0, 0, 2), (2, 0, 0, 0, 2), start_points=22), RoundClosed())
    assert score(closed) == {"A": -1, "B": 12, "C": -4}
    assert is_over(play(closed, Ruling("A", 20, "The truck was knocked over.")))  # C has no points left either
    on = play(closed, Ruling("A", 20, "The truck was knocked over."), Ruling("C", 20, "C's, too."))
    assert (is_over(on), winners(on), awaiting(on)) == (False, (), {"B"})
    assert is_over(play(on, Ruling("B", -12, "Did it.")))
    assert winners(play(on, Ruling("B", -12, "Did it."))) == ("A",)


def test_a_ruling_in_a_round_ends_nothing_before_it_is_closed():  # PS-56
    assert not is_over(play(game(), Ruling("A", -100, "Cheated.")))  # PS-56: a game ends after a round.
    again = play(scored((0, 0, 0, 0, 2), (0, 0, 0, 0, 2), (2, 0, 0, 0, 2)), RoundClosed(), Rolled("B", DICE))
    assert not is_over(play(again, Ruling("A", -100, "Cheated.")))


def test_the_table_may_say_so_but_not_what_the_pieces_forbid():
    state = play(faces_up(), Taken("A", B1, "B"))
    assert play(state, Taken("B", B2, "B"), ruled=True).current.trucks["B"] == B2
    refused(state, Taken("B", B1, "A"), "is already in play or discarded", ruled=True)
    assert play(game(), Rolled("C", (9, 0, 0, 0, 0)), ruled=True).current.dice == {"C": (9, 0, 0, 0, 0)}
    refused(game(), Rolled("C", (31, 0, 0, 0, 0)), "The size 1 die has no 31", ruled=True)
    refused(game(), Loaded("A", NONE), "no boxes yet", ruled=True)
    refused(rolled(), Loaded("A", NONE), "no truck yet", ruled=True)
    late = holding(state, Reward.NEW_ORDER, "A")
    assert play(late, OrderRenewed("A", (1, 0, 0, 0, 0)), ruled=True).current.dice["A"] == (1, 0, 0, 0, 0)
    refused(
        play(late, Loaded("A", DICE), ruled=True),
        OrderRenewed("A", DICE),
        "Use New Order before you take a truck",
        ruled=True,
    )


def test_a_round_closed_by_the_table_counts_what_was_loaded_and_loses_no_card():
    state = play(rolled(), Taken("A", 1, "B"), RoundClosed(), ruled=True)
    assert score(state) == {"A": 75, "B": 75, "C": 75}
    assert state.pile.cards + state.pile.discarded == 36
    early = play(play(game(), StarterNamed("A")), Taken("A", 1, "B"), RoundClosed(), ruled=True)
    assert early.pile.cards + early.pile.discarded == 36


# pages, history, devices


NAMES = {"A": "Ann", "B": "Bob", "C": "Cy"}


def headline(state: State, player: str | None = None) -> Headline:
    first = GAME.pages.view(state, Viewer(player, NAMES))[0]
    assert isinstance(first, Headline)
    return first


def test_the_first_thing_on_a_page_says_whose_turn_it_is():
    state = play(game(), StarterNamed("B"))
    assert headline(state).title == "Bob rolls all five dice"
    assert headline(state, "A").title == "Bob rolls"
    assert headline(rolled(), "A").title == "Ann: which truck?"
    assert headline(play(rolled(), Taken("A", 1, "B"), Taken("B", 2, "C"))).title == "Cy draws the top card"
    assert headline(with_trucks(), "A").title == "Ann, load your truck"


def posted(state: State, player: str | None, **draft: str) -> list:
    """Every event that the page offers."""
    found = []
    for widget in GAME.pages.view(state, Viewer(player, {}, draft)):
        if isinstance(widget, Choice):
            found += [tap.event for tap in widget.taps if tap.event is not None]
        if isinstance(widget, Grid):
            found += [cell.tap.event for row in widget.rows for cell in row if cell.tap and cell.tap.event]
        if isinstance(widget, PictureChoice):
            found += [each.tap.event for each in widget.pictures if each.tap and not each.tap.refused]
    return found


def test_what_a_page_offers_is_what_the_rules_allow():
    dice = {f"d{size}": str(number) for size, number in enumerate(DICE, start=1)}
    situations = [
        (game(), None, {}),
        (play(game(), StarterNamed("A")), "A", dice),
        (rolled(), None, {"who": "B", "place": "pile"}),
        (rolled(), "B", {"place": "A"}),
        (rolled(), "B", {"place": "note"}),
        (faces_up(), "A", {}),
        (play(faces_up(), Taken("A", B1, "B"), Taken("B", A2, "A")), "C", {}),
        (with_trucks(), "A", {"l5": "2", "l3": "2"}),
        (perfect(), "A", {}),
        (holding(perfect(), Reward.VOUCHER), "B", {}),
        (holding(rolled(reward_cards=True), Reward.NEW_ORDER), "B", {"card": "New Order", **dice}),
        (holding(with_trucks(reward_cards=True), Reward.REPLACING), None, {"card": "Replacing a Truck"}),
        (scored(DICE, DICE, DICE), None, {}),
    ]
    for state, player, draft in situations:
        offered = posted(state, player, **draft)
        assert offered, (step(state), draft)
        allowed = {event for each in state.players for event in legal(state, each)}
        assert set(offered) <= allowed


def dice_rows(state: State, **draft: str) -> dict[str, list[str]]:
    """Prompt → labels of the taps, for each row in which dice are tapped."""
    widgets = GAME.pages.view(state, Viewer("A", NAMES, draft))
    return {w.prompt: [tap.label for tap in w.taps] for w in widgets if isinstance(w, Choice) and w.prompt}


def test_two_dice_are_tapped_at_once_where_they_show_few_pairs():
    state = play(game(), StarterNamed("A"))
    pairs = [f"{brown} · {purple}" for purple in range(3) for brown in range(4)]  # PS-05
    assert dice_rows(state)["Size 3, brown · Size 5, purple"] == pairs
    assert [len(taps) for taps in dice_rows(state).values()] == [5, 15, 12]
    four = {"d1": "2", "d2": "blank", "d3": "1", "d4": "2", "d5": "1"}
    assert posted(state, "A", **four) == []  # size 2 is missing
    assert posted(state, "A", **{**four, "d2": "0"}) == [Rolled("A", (2, 0, 1, 2, 1))]
    more = play(game(dice_faces=(*DICE_FACES[:3], (0, 1, 2, 3, 4), (0, 1, 2))), StarterNamed("A"))
    assert [len(taps) for taps in dice_rows(more).values()] == [5, 5, 5, 12]  # a phone has no room for 25 pairs


def test_the_last_die_enters_the_roll_by_itself():
    dice = {"d1": "2", "d2": "0", "d3": "1", "d4": "2", "d5": "1"}
    widgets = GAME.pages.view(play(game(), StarterNamed("A")), Viewer("A", NAMES, dice))
    (done,) = [tap for w in widgets if isinstance(w, Choice) for tap in w.taps if tap.event]
    assert done.at_once


@pytest.mark.parametrize(
    "value", ["", "x", "-1", "99", "A", "X", "pile", "note", "²", "New Order", "Replacing a Truck"]
)
def test_nonsense_in_a_draft_never_breaks_a_page(value):
    draft = dict.fromkeys(
        ("who", "place", "card", *(f"{letter}{size}" for letter in "dl" for size in range(1, 6))), value
    )
    for state in (game(), rolled(), faces_up(), with_trucks(), perfect(), holding(with_trucks(), Reward.REPLACING)):
        for player in (None, "A", "B"):
            assert set(posted(state, player, **draft)) <= {e for each in "ABC" for e in legal(state, each)}


def test_the_page_says_what_a_load_costs_before_it_is_entered():
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL)
    confirm = next(w for w in GAME.pages.view(state, Viewer("A", {}, {"l5": "2"})) if isinstance(w, Choice))
    assert confirm.taps[0].label == "Leave out 2 of size 5 (loss 20)"
    too_much = next(w for w in GAME.pages.view(state, Viewer("A", {}, {})) if isinstance(w, Choice))
    assert "holds 12" in too_much.taps[0].refused


def test_nobody_is_shown_a_best_load_while_somebody_packs():  # PS-40
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL)
    assert not any(isinstance(widget, Consult) for widget in GAME.pages.view(state, Viewer("A", {})))
    for advice in ADVICE:
        (notice,) = advice.answer(state, Viewer("A", {}))
        assert isinstance(notice, Notice)
        assert "You'll see the best loads when everybody has loaded" in notice.text


def test_after_the_round_a_player_sees_the_own_best_load_in_layers():
    state = scored((0, 0, 0, 0, 2), DICE, (0, 0, 0, 0, 2))
    *_everybody, verdict, first = answers.BEST_LOADS.answer(state, Viewer("A", NAMES))[: len(NAMES) + 2]
    assert isinstance(verdict, Notice)
    assert "Loss 20" in verdict.text
    assert "No load is better" in verdict.text
    assert first.title == "On the floor"


def test_after_the_round_everybody_hears_what_was_possible():
    state = scored((0, 0, 0, 0, 2), DICE, (0, 0, 0, 0, 2))
    said = [notice.text for notice in answers.BEST_LOADS.answer(state, Viewer(None, NAMES))]
    assert said[0] == "Ann lost 20. That was the best possible."
    assert said[1] == "Bob lost 56: 20 was possible."


def test_advice_out_of_its_time_says_so():
    for advice in ADVICE:
        (notice,) = advice.answer(game(), Viewer(None, {}))
        assert isinstance(notice, Notice)


def test_the_result_says_who_won():
    over = play(scored((0, 0, 0, 0, 2), (0, 0, 0, 0, 2), DICE, start_points=56), RoundClosed())
    page = GAME.pages.view(over, Viewer(None, NAMES))
    assert isinstance(page[0], Standings)
    assert page[0].title == "Ann and Bob win"
    assert isinstance(page[1], Seats)


def test_the_rolls_count_for_the_statistics_of_their_dice():  # PS-05
    assert interface.thrown(Rolled("A", (3, 0, 1, 2, 0)), Options())[1] == Thrown("size 2", DICE_FACES[1], 0)
    assert len(interface.thrown(OrderRenewed("A", (3, 0, 1, 2, 9)), Options())) == 4  # the printed die has no 9
    own = Options(dice_faces=((7, 8), *DICE_FACES[1:]))
    assert interface.thrown(Rolled("A", (7, 0, 1, 2, 0)), own)[0] == Thrown("size 1", (7, 8), 7)
    assert interface.thrown(RoundClosed(), Options()) == ()


def test_the_camera_cannot_read_digits():
    reading = DiceReading(640, 480, (), (ReadBox(9, 9, 40, 40),))
    assert GAME.sight.propose(rolled(), reading) is None


def test_the_confirm_button_puts_boxes_and_trucks_away():
    press = Signal(Device.CONFIRM, True, 1)
    assert interface.bind(scored(DICE, DICE, DICE), press) == RoundClosed()
    assert interface.bind(perfect(), press) is None  # a reward card is to be drawn
    assert interface.bind(rolled(), press) is None
