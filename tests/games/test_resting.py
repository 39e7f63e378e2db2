"""A player who leaves for a while: whom each game waits for then, by its rule sheet. Sack Stackers has its own file."""

from random import Random

import pytest

from companion.equipment.deck import Deck
from companion.errors import IllegalEvent
from companion.game.events import Ask
from companion.game.players import Viewer
from companion.game.widgets import Seats
from companion.games import samestax, speedstax, swapstax
from companion.games.maxstax.events import Readied, RoundClosed, Shouted, Started, TimeRanOut
from companion.games.maxstax.timer import COUNTDOWN_US, Stage
from companion.games.resting import Rested, Returned
from companion.games.samestax.rules import CreatorChosen
from companion.games.swapstax.state import Drew, Passed, ShufflerNamed, SwappedWithPlayer, drawing, swapping
from companion.shelf import GAMES

S = 1_000_000
GO = COUNTDOWN_US
RESTS = ("dice_tray", "sack_stackers", "speedstax", "samestax", "swapstax")


def play(game, state, *events):
    for event in events:
        state = game.rules.apply(state, event)
    return state


def words_of(game, state, player):
    seats = next(widget for widget in game.pages.view(state, Viewer(None, {})) if isinstance(widget, Seats))
    return next(card.state for card in seats.cards if card.player == player)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.rules.name)
def test_each_game_lets_a_seat_rest_or_says_why_not(game):
    assert (
        (Rested in game.rules.events)
        == (Returned in game.rules.events)
        == (game.rules.name in RESTS)
        == (not game.rules.why_no_rest)
    )


# SPEEDSTAX

SPEED = speedstax.GAME


def speeding(*events):
    return play(SPEED, SPEED.rules.start(SPEED.rules.options(), ("A", "B", "C")), *events)


def test_a_race_starts_and_ends_without_who_rests():  # MX-12, MX-14, SPD-03
    state = speeding(Rested("C"), Readied("A"), Readied("B"))
    assert SPEED.rules.awaiting(state) == frozenset()
    assert words_of(SPEED, state, "C") == "On a break"
    state = play(SPEED, state, Started(0), Shouted("A", GO + 5 * S), Shouted("B", GO + 6 * S))
    assert speedstax.rules.stage(state) is Stage.FINISHED
    assert SPEED.rules.score(play(SPEED, state, RoundClosed())) == {"A": 3, "B": 2, "C": 0}


def test_who_leaves_in_a_race_ends_it_if_all_others_are_done():  # MX-14
    state = speeding(*map(Readied, "ABC"), Started(0), Shouted("A", GO + S), Shouted("B", GO + 2 * S), Rested("C"))
    assert speedstax.rules.stage(state) is Stage.FINISHED
    after = play(SPEED, state, Returned("C"), RoundClosed())  # C is too late for this round, in time for the next.
    assert SPEED.rules.awaiting(after) == {"A", "B", "C"}


def test_who_is_back_in_a_race_is_waited_for_and_who_rests_shouts_nothing():  # MX-21
    state = speeding(Rested("C"), Readied("A"), Readied("B"), Started(0))
    with pytest.raises(IllegalEvent, match="on a break"):
        SPEED.rules.apply(state, Shouted("C", GO + S))
    assert SPEED.rules.awaiting(SPEED.rules.apply(state, Returned("C"))) == {"A", "B", "C"}


def test_a_stack_off_waits_for_the_tied_if_all_of_them_rest():  # MX-32
    state = speeding(Rested("A"), Rested("B"))
    for number in range(5):
        at = 1000 * S * number
        state = play(SPEED, state, Readied("C"), Started(at), TimeRanOut(at + GO + 120 * S), RoundClosed())
    assert SPEED.rules.awaiting(state) == {"C"}  # of three tied at 0 points, C is there
    state = play(SPEED, state, Returned("A"), Rested("C"))
    assert SPEED.rules.awaiting(state) == {"A"}


# SAMESTAX

SAME = samestax.GAME


def copying(*players, before=()):
    state = play(
        SAME,
        SAME.rules.start(SAME.rules.options(), players),
        CreatorChosen("A"),
        *before,
        Started(0),
        Shouted("A", GO + S),
    )
    return state


def test_a_copy_that_is_not_built_has_failed_and_nobody_waits_for_it():  # SAM-05
    state = play(SAME, copying("A", "B", "C", before=(Rested("C"),)), Readied("B"))
    assert SAME.rules.awaiting(state) == {"A"}  # who starts the minute
    state = play(SAME, state, Started(10 * S), Shouted("B", 10 * S + GO + S))
    assert SAME.rules.score(play(SAME, state, RoundClosed())) == {"A": 1, "B": 1, "C": 0}


def test_the_round_of_a_creator_who_rests_waits():  # SAM-01
    state = play(SAME, SAME.rules.start(SAME.rules.options(), ("A", "B", "C")), CreatorChosen("A"), Rested("A"))
    assert SAME.rules.awaiting(state) == {"A"}
    assert SAME.rules.awaiting(play(SAME, state, Started(0))) == {"A"}


# SWAPSTAX

SWAP = swapstax.GAME


def swapping_table(*events):
    state = SWAP.rules.start(SWAP.rules.options(deck=Deck.BOUGHT), ("A", "B", "C"))
    return play(SWAP, state, ShufflerNamed("A"), *events)


def test_who_rests_draws_no_card_and_swaps_none():  # SWP-02, SWP-11, SWP-13
    state = swapping_table(Rested("B"), Drew("A", stars=2))
    assert drawing(state) == "C"
    state = play(SWAP, state, Drew("C", stars=4))
    assert swapping(state) == "A"
    with pytest.raises(IllegalEvent):
        SWAP.rules.apply(state, SwappedWithPlayer("A", "B"))
    assert SwappedWithPlayer("A", "B") not in SWAP.rules.legal(state, "A")
    state = play(SWAP, state, Passed("A"))
    assert swapping(state) == "C"
    assert SWAP.pages.view(state, Viewer(None, {}))
    state = play(SWAP, state, Passed("C"), Readied("A"), Readied("C"), Started(0))
    state = play(SWAP, state, Shouted("A", GO + S), Shouted("C", GO + 2 * S))
    assert words_of(SWAP, state, "B") == "On a break"
    after = play(SWAP, state, RoundClosed())
    assert SWAP.rules.score(after) == {"A": 2, "B": 0, "C": 4}
    assert drawing(play(SWAP, after, Returned("B"), Drew("A", stars=1))) == "B"


def test_who_is_back_before_the_start_draws_and_after_it_waits_for_the_next_round():  # SWP-02, SWP-20
    state = swapping_table(Rested("B"), Drew("A", stars=2), Drew("C", stars=4))
    assert drawing(SWAP.rules.apply(state, Returned("B"))) == "B"
    state = play(SWAP, state, Passed("A"), Passed("C"), Readied("A"), Readied("C"), Started(0), Returned("B"))
    assert SWAP.rules.awaiting(state) == {"A", "C"}
    state = play(SWAP, state, Shouted("A", GO + S), Shouted("C", GO + 2 * S), RoundClosed())
    assert SWAP.rules.score(state)["B"] == 0


def test_who_rests_with_a_card_is_skipped_and_may_lose_it_to_a_swap():  # SWP-11, SWP-13
    state = swapping_table(Drew("A", stars=1), Drew("B", stars=5), Drew("C", stars=2), Rested("B"))
    state = play(SWAP, state, SwappedWithPlayer("A", "B"))
    assert (state.hands["A"].stars, state.hands["B"].stars, swapping(state)) == (5, 1, "C")


@pytest.mark.parametrize("name", RESTS)
def test_whoever_comes_and_goes_the_game_stays_whole(name):
    game, chance = GAMES[name], Random(7)
    players = ("A", "B", "C")
    state = game.rules.start(game.rules.options(), players)
    for _ in range(120):
        choices = [
            event for player in players for event in game.rules.legal(state, player) if not isinstance(event, Ask)
        ]
        kinds = sorted({type(event).__name__ for event in choices})
        kind = chance.choice(kinds) if kinds else ""
        coming = [Rested(player) for player in players] + [Returned(player) for player in players]
        goes = chance.random() < 0.3
        event = chance.choice(coming if goes else [each for each in choices if type(each).__name__ == kind] or coming)
        try:
            state = game.rules.apply(state, event)
        except IllegalEvent:
            assert isinstance(event, Rested | Returned)  # what is legal is accepted, whoever rests
        assert game.pages.view(state, Viewer(None, {}))
        assert all(game.rules.explain(state, player) is not None for player in players)
        assert game.box.look(state, 0).lights
        assert game.rules.resting(state) < set(players)
        assert game.rules.is_over(state) or game.rules.awaiting(state) or choices
