"""SWAPSTAX against its rule sheet; the ids stand beside each test."""

import pytest

from companion.equipment.deck import OWN_DECK, Deck
from companion.errors import IllegalEvent
from companion.game.box import Device, Light, Phase, Signal
from companion.game.charts import Pictures
from companion.game.players import Viewer
from companion.game.widgets import Choice, Headline, PictureChoice, Seats
from companion.games.maxstax.events import (
    Bumped,
    Collapsed,
    Judged,
    Readied,
    RoundClosed,
    Shouted,
    ShoutRejected,
    Started,
    TimeRanOut,
)
from companion.games.maxstax.timer import COUNTDOWN_US, Bump, Stage
from companion.games.rulings import Ruling
from companion.games.swapstax import GAME, interface
from companion.games.swapstax.rules import apply, due, explain, is_over, legal, score, start, winners
from companion.games.swapstax.state import (
    ROUNDS,
    Card,
    CardTurned,
    Drew,
    Options,
    Passed,
    ShufflerNamed,
    SwappedWithDeck,
    SwappedWithPlayer,
    awaiting,
    cards_left,
    drawing,
    stage,
    swapping,
)

S = 1_000_000
GO = COUNTDOWN_US
BOUGHT = {"deck": Deck.BOUGHT}


def play(state, *events):
    for event in events:
        state = apply(state, event)
    return state


def shuffled(*players, shuffler="A", **options):
    return apply(start(Options(**options), players or ("A", "B", "C", "D")), ShufflerNamed(shuffler))


def drawn(stars, **options):
    """Everybody has a card of the bought deck, with so many stars, A being the Shuffler."""
    state = shuffled(*stars, **BOUGHT, **options)
    return play(state, *(Drew(player, stars=each) for player, each in stars.items()))


def all_pass(state):
    while (player := swapping(state)) is not None:
        state = apply(state, Passed(player))
    return state


def stacking(stars, at=0, **options):
    """The stacking runs from `at` + GO on."""
    return began(drawn(stars, **options), at)


def began(state, at=0):
    state = all_pass(state)
    return play(state, *map(Readied, state.current.builders), Started(at))


def shout(player, seconds):
    return Shouted(player, GO + round(seconds * S))


def played(state, *completed):
    """A whole round with the stars 1, 2, 3 … in the order of drawing, in which these complete their stacks."""
    at = 1000 * S * (len(state.past) + 1)
    for stars, player in enumerate(state.order, start=1):
        state = apply(state, Drew(player, stars=stars))
    state = began(state, at)
    for player in completed:
        state = apply(state, Shouted(player, at + GO + 1))
    if set(completed) != set(state.players):
        state = apply(state, TimeRanOut(at + GO + 120 * S))
    return apply(state, RoundClosed())


def test_everybody_has_two_swap_cards_for_the_game():  # SWP-01, MX-04
    assert start(Options(), ("A", "B", "C", "D")).swaps_left == {"A": 2, "B": 2, "C": 2, "D": 2}


def test_a_volunteer_shuffles_before_the_first_card():  # SWP-01
    state = start(Options(), ("A", "B", "C"))
    assert awaiting(state) == {"A", "B", "C"}
    with pytest.raises(IllegalEvent, match="There's no Shuffler yet"):
        apply(state, Drew("A", 1))
    with pytest.raises(IllegalEvent, match="one of the players"):
        apply(state, ShufflerNamed("Z"))
    state = apply(state, ShufflerNamed("B"))
    with pytest.raises(IllegalEvent, match="This game has begun"):
        play(state, Drew("B", 1), ShufflerNamed("C"))


def test_all_draw_from_the_shuffler_clockwise():  # SWP-02
    state = shuffled("A", "B", "C", shuffler="B")
    seen = []
    for card in (7, 8, 9):
        seen.append(drawing(state))
        state = apply(state, Drew(drawing(state), card))
    assert seen == ["B", "C", "A"]
    assert drawing(state) is None


def test_nobody_draws_out_of_turn_or_twice():  # SWP-02
    state = shuffled("A", "B")
    with pytest.raises(IllegalEvent, match="another player's turn"):
        apply(state, Drew("B", 1))
    with pytest.raises(IllegalEvent, match="already"):
        play(state, Drew("A", 1), Drew("A", 2))
    said = apply(state, Drew("B", 1), ruled=True)
    assert (said.hands, drawing(said)) == ({"B": Card(OWN_DECK.cards[1].stars, 1)}, "A")


def test_a_card_of_ours_brings_its_stars_along_and_they_can_be_changed():  # MX-07
    state = play(shuffled("A", "B"), Drew("A", 45), Drew("B", 44, 2))
    assert state.hands == {"A": Card(5, 45), "B": Card(2, 44)}


def test_a_bought_card_is_known_by_its_stars():  # MX-07
    state = apply(shuffled("A", "B", **BOUGHT), Drew("A", stars=4))
    assert state.hands == {"A": Card(4)}
    for nothing in (Drew("B"), Drew("B", card=3)):
        with pytest.raises(IllegalEvent, match="know this card's stars"):
            apply(state, nothing)
    with pytest.raises(IllegalEvent, match="0 to 100"):
        apply(state, Drew("B", stars=101))
    with pytest.raises(IllegalEvent, match="Our printed cards have a number"):
        apply(shuffled("A", "B"), Drew("A", stars=4))


def test_no_card_comes_twice_and_only_cards_in_play():  # SWP-30, MX-06
    state = apply(shuffled("A", "B", deck_subset=tuple(range(1, 15))), Drew("A", 3))
    with pytest.raises(IllegalEvent, match="was already drawn"):
        apply(state, Drew("B", 3))
    with pytest.raises(IllegalEvent, match="isn't in play"):
        apply(state, Drew("B", 15))
    with pytest.raises(IllegalEvent, match="isn't in play"):
        apply(state, Drew("B", 46), ruled=True)


@pytest.mark.parametrize(("players", "least"), [("AB", 10), ("ABC", 15), ("ABCD", 20)])
def test_five_rounds_need_five_cards_a_player(players, least):  # MX-06: "at least 5 × players"
    assert start(Options(deck_subset=tuple(range(1, least + 1))), tuple(players))
    with pytest.raises(IllegalEvent, match=f"at least {least}"):
        start(Options(deck_subset=tuple(range(1, least))), tuple(players))


def test_the_fewest_cards_are_enough_for_every_swap_with_the_deck():  # MX-06, MX-E20
    state, cards = shuffled("A", "B", deck_subset=tuple(range(1, 15))), iter(range(1, 15))
    for at in range(ROUNDS):
        state = play(state, Drew("A", next(cards)), Drew("B", next(cards)))
        if at == 0:
            for player in "ABAB":
                swap = SwappedWithDeck(player, next(cards))
                assert swap in legal(state, player)
                state = apply(state, swap)
        state = began(state, at * 1000 * S)
        state = play(state, TimeRanOut(at * 1000 * S + GO + 120 * S), RoundClosed())
    assert cards_left(state) == 0


@pytest.mark.parametrize("of", [{}, BOUGHT], ids=["own", "bought"])
def test_only_a_used_up_deck_refuses_a_swap_and_its_discards_are_drawn_again(of):  # MX-06, SWP-11
    state = shuffled("A", "B", deck_subset=tuple(range(1, 11)), **of)

    def top(player, kind):
        return next(event for event in legal(state, player) if isinstance(event, kind))

    for at in range(ROUNDS):
        while (player := drawing(state)) is not None:
            state = apply(state, top(player, Drew))
        if at == 3:  # eight cards lie: two are left
            for player in "AB":
                state = apply(state, top(player, SwappedWithDeck))
            assert cards_left(state) == 0
            assert not any(isinstance(event, SwappedWithDeck) for event in legal(state, "A"))
            with pytest.raises(IllegalEvent, match="The deck is empty"):
                apply(state, SwappedWithDeck("A", stars=1) if of else SwappedWithDeck("A", 1), ruled=True)
        state = began(state, at * 1000 * S)
        state = play(state, TimeRanOut(at * 1000 * S + GO + 120 * S), RoundClosed())
    assert len(state.past) == ROUNDS


# swaps


def test_no_swap_before_all_cards_lie_face_up():  # SWP-10
    with pytest.raises(IllegalEvent, match="Draw first"):
        play(shuffled("A", "B"), Drew("A", 1), Passed("A"))


def test_no_swap_once_the_timer_was_started():  # SWP-10, MX-E19
    with pytest.raises(IllegalEvent, match="Stacking has started"):
        apply(stacking({"A": 1, "B": 2}), SwappedWithPlayer("A", "B"))


def test_nobody_gets_ready_while_swaps_are_open():  # SWP-10
    with pytest.raises(IllegalEvent, match="Swap or pass first"):
        apply(drawn({"A": 1, "B": 2}), Readied("A"))
    with pytest.raises(IllegalEvent, match="Draw first"):
        apply(shuffled("A", "B"), Readied("A"))


def test_a_swap_exchanges_the_cards_and_uses_the_swap_card_up():  # SWP-10, SWP-11
    state = apply(drawn({"A": 3, "B": 1}), SwappedWithPlayer("A", "B"))
    assert state.hands == {"A": Card(1), "B": Card(3)}
    assert state.swaps_left == {"A": 1, "B": 2}


@pytest.mark.parametrize("other", ["A", "Z", ""])
def test_a_swap_is_with_somebody_else(other):  # SWP-11
    with pytest.raises(IllegalEvent, match="another player or with the deck"):
        apply(drawn({"A": 3, "B": 1}), SwappedWithPlayer("A", other))


def test_a_swap_with_the_deck_discards_the_old_card():  # SWP-11, SWP-12
    before = drawn({"A": 3, "B": 1})
    state = apply(before, SwappedWithDeck("A", stars=5))
    assert (state.hands["A"], state.discard) == (Card(5), (Card(3),))
    assert cards_left(state) == cards_left(before) - 1


def test_who_used_both_swap_cards_can_neither_refuse_nor_swap_back():  # SWP-11, MX-E18
    state = drawn({"A": 1, "B": 2, "C": 3, "D": 4})
    # C swaps twice in this round; that D comes in the third round changes nothing
    state = play(state, Passed("A"), Passed("B"), SwappedWithPlayer("C", "A"), Passed("D"), Passed("A"), Passed("B"))
    state = play(state, SwappedWithPlayer("C", "A"), SwappedWithPlayer("D", "C"))
    assert (state.hands["D"], state.hands["C"], state.swaps_left["C"]) == (Card(3), Card(4), 0)
    with pytest.raises(IllegalEvent, match="used both SWAP cards"):
        play(state, Passed("A"), Passed("B"), SwappedWithPlayer("C", "D"))


def test_both_swap_cards_may_be_used_in_one_round():  # SWP-13, SWP-14
    state = play(drawn({"A": 5, "B": 1}), SwappedWithPlayer("A", "B"), Passed("B"), SwappedWithPlayer("A", "B"))
    assert state.hands == {"A": Card(5), "B": Card(1)}
    assert state.swaps_left == {"A": 0, "B": 2}


def test_swaps_go_round_until_all_pass_one_after_the_other():  # SWP-13
    state = drawn({"A": 1, "B": 2, "C": 3})
    with pytest.raises(IllegalEvent, match="another player's turn"):
        apply(state, Passed("B"))
    state = play(state, Passed("A"), SwappedWithPlayer("B", "C"), Passed("C"))
    assert swapping(state) == "A"  # who passed may still swap
    assert swapping(play(state, Passed("A"))) == "B"  # The swap broke the row of passes.
    state = play(state, Passed("A"), Passed("B"))
    assert swapping(state) is None
    with pytest.raises(IllegalEvent, match="Everyone passed in a row"):
        apply(state, Passed("C"))


def test_who_has_no_swap_card_is_not_asked():  # SWP-13
    state = drawn({"A": 1, "B": 2})
    state = play(state, SwappedWithPlayer("A", "B"), Passed("B"), SwappedWithPlayer("A", "B"))
    assert swapping(state) == "B"
    assert swapping(apply(state, Passed("B"))) is None
    state = play(state, SwappedWithPlayer("B", "A"), SwappedWithPlayer("B", "A"))
    assert swapping(state) is None


def test_a_card_can_be_taken_from_who_has_passed():  # reading 8
    state = play(drawn({"A": 5, "B": 1}), Passed("A"), SwappedWithPlayer("B", "A"))
    assert state.hands == {"A": Card(1), "B": Card(5)}


def test_the_swaps_of_a_round_begin_with_the_shuffler():  # SWP-13
    state = play(shuffled("A", "B", "C", shuffler="C", **BOUGHT), *(Drew(player, stars=1) for player in "CAB"))
    assert awaiting(state) == {"C"}


def test_when_every_swap_card_is_used_on_the_deck_seventeen_cards_are_left():  # SWP-12, SWP-30, MX-E20
    state = shuffled(**BOUGHT)
    for number in range(ROUNDS):
        while (player := drawing(state)) is not None:
            state = apply(state, Drew(player, stars=1))
        while (player := swapping(state)) is not None:
            state = apply(state, SwappedWithDeck(player, stars=1))
        state = play(began(state, number * 1000 * S), TimeRanOut(number * 1000 * S + GO + 120 * S), RoundClosed())
    assert len(state.discard) == 28
    assert cards_left(state) == 17


# stacking


def test_all_build_their_own_card_in_two_minutes():  # SWP-20, MX-10
    state = stacking({"A": 3, "B": 1, "C": 2})
    assert due(state).at_us == GO + 120 * S
    assert awaiting(state) == {"A", "B", "C"}


def test_a_completed_stack_earns_its_stars_whoever_was_faster():  # SWP-20, SWP-40
    state = play(stacking({"A": 3, "B": 1, "C": 2}), shout("C", 10), shout("A", 99))
    assert score(state) == {"A": 3, "B": 0, "C": 2}
    assert explain(state, "B") == (("Round 1, 1 star, not complete", 0, "SWP-40"),)


def test_another_list_of_points():  # SWP-40
    state = stacking({"A": 5, "B": 1, "C": 7}, star_points=(2, 3, 5, 8, 12))
    assert score(play(state, *(shout(player, 9) for player in "ABC"))) == {"A": 12, "B": 2, "C": 7}
    with pytest.raises(IllegalEvent, match="Points for"):
        start(Options(star_points=(1, -2)), ("A", "B"))
    with pytest.raises(IllegalEvent, match="1 to 20"):
        start(Options(star_points=(1,) * 21), ("A", "B"))
    assert score(stacking({"A": 20, "B": 100}, star_points=(3,) * 20)) == {"A": 0, "B": 0}


def test_exactly_on_time_counts():  # MX-15
    state = apply(stacking({"A": 3, "B": 1}), shout("A", 120))
    assert score(state) == {"A": 3, "B": 0}
    with pytest.raises(IllegalEvent, match="Time ran out"):
        apply(state, Shouted("B", GO + 120 * S + 1))


def test_fallen_and_rejected_stacks():  # MX-21, MX-22, MX-23
    state = play(stacking({"A": 3, "B": 1}), Collapsed("A"), shout("A", 10), shout("B", 12), ShoutRejected("B"))
    assert score(state) == {"A": 3, "B": 0}
    with pytest.raises(IllegalEvent, match="This stack was complete before it fell"):
        apply(state, Collapsed("A"))


def test_without_the_shout_the_table_judges_the_stacks():  # MX-20
    state = play(stacking({"A": 3, "B": 1}, shout_required=False), shout("A", 10), TimeRanOut(GO + 120 * S))
    assert score(state) == {"A": 0, "B": 0}
    state = play(state, Judged("A", False), Judged("B", True))
    assert score(state) == {"A": 0, "B": 1}
    assert apply(state, RoundClosed()).past[0].hands == {"A": Card(3), "B": Card(1)}


def test_a_replayed_round_keeps_cards_and_swaps():  # MX-24
    state = apply(stacking({"A": 3, "B": 1}, bump_rule=Bump.REPLAY), Bumped("A"))
    assert (stage(state), swapping(state), awaiting(state)) == (Stage.WAITING, None, {"A", "B"})
    assert state.hands == {"A": Card(3), "B": Card(1)}
    assert score(apply(stacking({"A": 3, "B": 1}), Bumped("A"))) == {"A": 0, "B": 0}


def test_a_round_ends_early_and_its_cards_are_discarded():  # MX-14, SWP-30
    state = play(stacking({"A": 3, "B": 1}), shout("A", 10), shout("B", 11))
    assert stage(state) is Stage.FINISHED
    state = apply(state, RoundClosed())
    assert (state.hands, state.discard, drawing(state)) == ({}, (Card(3), Card(1)), "A")


# the end


def test_the_highest_sum_after_five_rounds_wins():  # SWP-02, MX-31
    state = shuffled("A", "B", **BOUGHT)
    for _ in range(ROUNDS):
        state = played(state, "A", "B")
    assert (is_over(state), score(state), winners(state)) == (True, {"A": 5, "B": 10}, ("B",))
    assert (legal(state, "A"), awaiting(state), due(state)) == ((), frozenset(), None)
    with pytest.raises(IllegalEvent, match="over"):
        apply(state, Drew("A", stars=1))


def tied():
    """After five rounds A and B have 4 each, C has nothing."""
    state = shuffled("A", "B", "C", **BOUGHT)
    for completed in ("AB", "A", "A", "B", "A"):
        state = played(state, *completed)
    state = apply(state, Ruling("A", 0, "noted"))
    assert score(state) == {"A": 4, "B": 4, "C": 0}
    return state


def test_equal_highest_sums_go_to_a_stack_off_with_a_common_card():  # MX-31, MX-32
    state = tied()
    assert (state.current.builders, winners(state), swapping(state), drawing(state)) == (("A", "B"), (), None, None)
    state = play(state, CardTurned(17), Readied("A"), Readied("B"), Started(9000 * S), Shouted("B", 9050 * S))
    assert winners(apply(state, RoundClosed())) == ("B",)
    assert score(apply(state, RoundClosed())) == {"A": 4, "B": 4, "C": 0}  # reading 11
    with pytest.raises(IllegalEvent, match="This player isn't in this round"):
        apply(tied(), Readied("C"))


def test_who_comes_into_the_tie_after_a_stack_off_takes_part_in_the_next():  # MX-31, MX-32
    state = play(tied(), CardTurned(17), Readied("A"), Readied("B"), Started(9000 * S), Shouted("B", 9050 * S))
    state = play(state, RoundClosed(), Ruling("C", 4, "counted again"))
    assert (stage(state), state.current.builders, winners(state)) == (Stage.WAITING, ("A", "B", "C"), ())


def test_a_stack_off_without_a_winner_is_repeated():  # MX-32
    state = play(tied(), Readied("A"), Readied("B"), Started(9000 * S), TimeRanOut(9000 * S + GO + 120 * S))
    state = apply(state, RoundClosed())
    assert (stage(state), state.current.builders) == (Stage.WAITING, ("A", "B"))
    same_moment = [Shouted("A", 9950 * S), Shouted("B", 9950 * S + 999)]
    state = play(state, Readied("A"), Readied("B"), Started(9900 * S), *same_moment, RoundClosed())
    assert (stage(state), len(state.stack_offs)) == (Stage.WAITING, 2)


def test_the_number_of_a_stack_off_card_may_be_noted_late_but_the_card_stays():  # MX-31, our reading
    state = play(tied(), Readied("A"), Readied("B"), Started(9000 * S))
    assert CardTurned(17) in legal(state, "A")
    noted = apply(state, CardTurned(17))
    assert noted.turned == 17
    with pytest.raises(IllegalEvent, match="Only a stack-off uses one card for everyone"):
        apply(noted, CardTurned(18))


def test_a_stack_off_card_is_a_new_one():  # MX-31
    state = shuffled("A", "B")
    for number in range(ROUNDS):
        state = play(state, Drew("A", 2 * number + 1), Drew("B", 2 * number + 2))
        at = 1000 * S * (number + 1)
        state = play(began(state, at), TimeRanOut(at + GO + 120 * S), RoundClosed())
    with pytest.raises(IllegalEvent, match="was already drawn"):
        apply(state, CardTurned(10))
    state = apply(state, CardTurned(11))
    assert state.turned == 11
    with pytest.raises(IllegalEvent, match="Only a stack-off uses one card for everyone"):
        apply(shuffled("A", "B"), CardTurned(3))


def test_a_ruling_can_make_and_undo_a_tie():
    state = shuffled("A", "B", **BOUGHT)
    for _ in range(ROUNDS):
        state = played(state, "A", "B")
    state = apply(state, Ruling("A", 5, "moved the table"))
    assert (winners(state), state.current.builders) == ((), ("A", "B"))
    assert winners(apply(state, Ruling("A", 1, "and again"))) == ("A",)


# buttons, lights, pages


def press(seat, at_us=7):
    return Signal(Device.SEAT, True, at_us, seat)


def test_before_the_stacking_the_button_of_whose_turn_it_is_passes():  # SWP-13
    state = drawn({"A": 1, "B": 2})
    assert interface.bind(state, press(1)) == Passed("A")
    assert interface.bind(state, press(2)) is None
    assert interface.bind(shuffled("A", "B"), press(1)) is None
    assert interface.bind(start(Options(), ("A", "B")), press(1)) is None
    assert interface.bind(all_pass(state), press(2)) == Readied("B")
    assert interface.bind(stacking({"A": 1, "B": 2}), press(2, GO + 5)) == Shouted("B", GO + 5)


def test_the_lights_say_whose_turn_it_is():
    assert interface.look(start(Options(), ("A", "B")), 0).lights == (Light.SLOW, Light.SLOW)
    assert interface.look(shuffled("A", "B"), 0).lights == (Light.SLOW, Light.OFF)
    assert interface.look(apply(drawn({"A": 1, "B": 2}), Passed("A")), 0).lights == (Light.OFF, Light.SLOW)
    assert interface.look(stacking({"A": 1, "B": 2}), 0).phase is Phase.COUNTDOWN


def widgets(state, kind, viewer=None, draft=()):
    seen = GAME.pages.view(state, Viewer(viewer, {"A": "Ann", "B": "Bob", "C": "Cy"}, dict(draft)))
    return [widget for widget in seen if isinstance(widget, kind)]


def taps(state, **draft):
    return [tap.event for choice in widgets(state, Choice, draft=draft) for tap in choice.taps]


def cards(state, **draft):
    """The events of the cards that can be tapped."""
    (choice,) = widgets(state, PictureChoice, draft=draft)
    return [each.tap.event for each in choice.pictures if each.tap and not each.tap.refused]


def test_the_page_asks_for_our_card_or_the_stars_of_a_bought_one():  # MX-07
    every = range(1, 46)
    assert cards(shuffled("A", "B")) == [Drew("A", card) for card in every]
    assert cards(shuffled("A", "B"), stars="4") == [Drew("A", card, 4) for card in every]
    assert cards(shuffled("A", "B"), stars="²") == [Drew("A", card) for card in every]
    assert Drew("B", 7) not in cards(play(shuffled("A", "B"), Drew("A", 7)))
    assert Drew("A", stars=5) in taps(shuffled("A", "B", **BOUGHT))


def test_the_page_says_who_swaps_and_what_they_may_do():  # SWP-11, SWP-13
    state = drawn({"A": 1, "B": 2})
    (headline,) = widgets(state, Headline)
    assert headline.title == "Ann: swap or pass"
    expected = {Passed("A"), SwappedWithPlayer("A", "B"), *(SwappedWithDeck("A", stars=each) for each in range(1, 6))}
    assert expected <= set(taps(state))
    own = play(shuffled("A", "B"), Drew("A", 1), Drew("B", 2))
    assert widgets(own, PictureChoice) == []  # a card that is tapped by mistake would swap
    assert cards(own, deck="1") == [SwappedWithDeck("A", card) for card in range(3, 46)]
    (seats,) = widgets(state, Seats)
    assert [card.detail for card in seats.cards] == ["2 SWAP cards", "2 SWAP cards"]


def test_a_players_sheet_shows_the_own_card_while_stacking():  # SWP-20
    state = began(play(shuffled("A", "B"), Drew("A", 1), Drew("B", 45)))
    (everybody,), (own,) = widgets(state, Pictures), widgets(state, Pictures, "B")
    assert len(everybody.pictures) == 2
    assert [picture.label for picture in own.pictures] == ["Bob: card 45 ★★★★★"]
    assert widgets(stacking({"A": 1, "B": 2}), Pictures) == []
