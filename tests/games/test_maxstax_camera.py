"""What cameras mean to the MaxStax games: the card that lies there, the stacks as they stand, a model that fell."""

from dataclasses import replace

import pytest

from companion.equipment.deck import Deck, card_eyes
from companion.errors import IllegalEvent
from companion.game.events import NOW_US, wants_glance
from companion.game.players import Viewer
from companion.game.readings import CardReading, DiceReading, Kind, MatchReading, SpaceReading, Status, TowerReading
from companion.game.seeing import Remark
from companion.games.maxstax import camera, timer
from companion.games.maxstax.events import (
    Judged,
    Readied,
    Shouted,
    ShoutRejected,
    Started,
    TimeRanOut,
    Witnessed,
)
from companion.games.samestax.rules import CreatorChosen, CreatorStackFell, Restacked
from companion.games.speedstax.rules import CardTurned
from companion.games.swapstax.state import Drew, Passed, ShufflerNamed, SwappedWithDeck
from companion.shelf import GAMES

PLAYERS = ("ann", "bob", "cy")
GO_US = 10_000_000 + timer.COUNTDOWN_US


def card(number, accepted=True):
    return CardReading(640, 480, number, f"Card {number}", 0.99, accepted)


def tower(*spaces):
    """Standing and matching is True, standing and different a sentence, else a status."""
    return TowerReading(640, 480, tuple(space(number, what) for number, what in enumerate(spaces, start=1)))


def space(number, what):
    if isinstance(what, Status):
        return SpaceReading(number, what, 0.99, True)
    match = None if what is None else MatchReading(what is True, 0.99, True, () if what is True else (what,))
    return SpaceReading(number, Status.STANDING, 0.99, True, match=match)


def played(name, *events, **options):
    game = GAMES[name]
    state = game.rules.start(game.rules.options(**options), PLAYERS)
    for event in events:
        state = game.rules.apply(state, event)
    return game, state


def started():
    return (*map(Readied, PLAYERS), Started(10_000_000))


def shout(player, after_s):
    return Shouted(player, GO_US + round(after_s * 1e6))


def seen(game, state, reading, of="ann"):
    """What a picture means that was taken a tenth of a second after a player's shout."""
    at_us = state.current.shouts.get(of, GO_US)
    return game.sight.glanced(state, Shouted(of, at_us), reading, at_us + 100_000)


def test_a_shout_has_the_camera_look_at_once():
    assert wants_glance(Shouted("ann", 1))
    assert not wants_glance(Readied("ann"))


# cards


def test_speedstax_looks_for_a_card_then_for_stacks_like_it():  # SPD-02
    game, state = played("speedstax")
    assert game.sight.eyes(state) == card_eyes(Deck.OWN)
    assert game.sight.propose(state, card(7)).event == CardTurned(7)
    state = game.rules.apply(state, CardTurned(7))
    assert game.sight.eyes(state) == camera.NOTHING
    assert game.sight.propose(state, card(8)) is None  # it has been turned up
    for event in started():
        state = game.rules.apply(state, event)
    eyes = game.sight.eyes(state)
    assert (eyes.above, eyes.front) == (None, Kind.TOWER)
    assert eyes.knows["references"] == {"1": {"card": 7}, "2": {"card": 7}, "3": {"card": 7}}


def test_a_card_the_camera_is_not_sure_of_is_asked_and_one_out_of_play_is_refused():
    game, state = played("speedstax")
    asked = game.sight.propose(state, card(7, accepted=False))
    assert (asked.event, asked.confirm, "Card 7" in asked.note) == (CardTurned(7), True, True)
    assert game.sight.propose(state, card(None)) is None  # nothing lies there
    assert "Tap its number" in game.sight.propose(state, card(None, accepted=False)).text  # a card that nobody knows
    refused = game.sight.propose(state, card(99))
    assert isinstance(refused, Remark)
    assert "99" in refused.text


def test_in_swapstax_a_card_is_drawn_by_whose_turn_it_is():  # SWP-02
    game, state = played("swapstax")
    assert game.sight.propose(state, card(3)) is None  # Nobody is Shuffler yet.
    state = game.rules.apply(state, ShufflerNamed("bob"))
    assert game.sight.eyes(state) == card_eyes(Deck.OWN)
    assert game.sight.propose(state, card(3)).event == Drew("bob", 3)
    state = game.rules.apply(state, Drew("bob", 3))
    assert game.sight.propose(state, card(5)).event == Drew("cy", 5)
    assert isinstance(game.sight.propose(state, card(3)), Remark)  # it lies before Bob


def test_in_swapstax_a_card_swapped_from_the_deck_is_looked_for():  # SWP-11
    game, state = played("swapstax", ShufflerNamed("ann"), Drew("ann", 3), Drew("bob", 5), Drew("cy", 9))
    assert game.sight.eyes(state) == card_eyes(Deck.OWN)
    proposed = game.sight.propose(state, card(12))
    assert proposed.event == SwappedWithDeck("ann", 12)
    assert proposed.confirm  # that a SWAP card was turned over is not seen
    assert game.sight.propose(state, card(9)) is None  # Cy's, which still lies there
    after = game.rules.apply(state, proposed.event)
    assert game.sight.propose(after, card(12)) is None
    assert game.sight.propose(after, card(14)).event == SwappedWithDeck("bob", 14)
    assert "Tap its number" in game.sight.propose(after, card(None, accepted=False)).text
    for player in ("bob", "cy", "ann"):
        after = game.rules.apply(after, Passed(player))
    assert game.sight.eyes(after) == camera.NOTHING
    assert game.sight.propose(after, card(14)) is None


# a bought deck


def bought(number, stars, accepted=True):
    return replace(card(number, accepted), stars=stars)


def test_a_bought_deck_is_looked_for_as_it_was_shown():  # MX-07, MX-06
    game, state = played("speedstax", deck=Deck.BOUGHT)
    eyes = game.sight.eyes(state)
    assert (eyes.above, eyes.knows) == (Kind.CARD, {"deck": "bought", "cards_in_play": list(range(1, 46))})
    _, beginners = played("speedstax", deck=Deck.BOUGHT, deck_subset=(3, 5, 8, 13, 21))
    assert game.sight.eyes(beginners).knows["cards_in_play"] == [3, 5, 8, 13, 21]


def test_stacks_are_not_compared_with_our_card_of_the_same_number():  # nobody knows the blocks on a bought one
    game, state = played("speedstax", CardTurned(7), *started(), deck=Deck.BOUGHT)
    assert game.sight.eyes(state).knows == {}
    game, state = played("swapstax", ShufflerNamed("ann"), deck=Deck.BOUGHT)
    for player in PLAYERS:
        state = game.rules.apply(state, Drew(player, PLAYERS.index(player) + 1, 3))
    assert game.sight.eyes(replace(state, current=replace(state.current, go_us=GO_US))).knows == {}


def test_in_swapstax_a_bought_card_brings_the_stars_that_it_was_shown_with():  # SWP-02, MX-07
    game, state = played("swapstax", ShufflerNamed("ann"), deck=Deck.BOUGHT)
    assert game.sight.propose(state, bought(12, 4)).event == Drew("ann", 12, 4)
    assert "I don't know this card's stars" in game.sight.propose(state, bought(12, None)).text
    assert "Tap its stars" in game.sight.propose(state, bought(None, None, accepted=False)).text
    for player, number in zip(PLAYERS, (12, 30, 2), strict=True):
        state = game.rules.apply(state, Drew(player, number, 3))
    assert game.sight.propose(state, bought(2, 3)) is None  # Cy's, which still lies there
    assert game.sight.propose(state, bought(44, 5)).event == SwappedWithDeck("ann", 44, 5)  # SWP-11


def test_in_swapstax_a_card_is_no_new_one_while_one_before_a_player_has_no_number():  # it may be that one
    drawn = (Drew(player, stars=2) for player in ("ann", "bob", "cy"))
    game, state = played("swapstax", ShufflerNamed("ann"), *drawn, deck=Deck.BOUGHT)
    assert game.sight.propose(state, bought(9, 2)) is None
    assert game.sight.propose(state, bought(9, 2, accepted=False)) is None


def test_in_swapstax_each_stack_is_compared_with_the_card_before_it():
    game, state = played("swapstax", ShufflerNamed("ann"), Drew("ann", 3), Drew("bob", 5), Drew("cy", 9))
    state = replace(state, current=replace(state.current, go_us=GO_US))
    assert game.sight.eyes(state).knows["references"] == {"1": {"card": 3}, "2": {"card": 5}, "3": {"card": 9}}


# stacks


def test_a_stack_that_matches_is_shown_to_be_confirmed_and_the_contrary_is_one_tap():  # MX-20, MX-23
    game, state = played("speedstax", CardTurned(7), *started(), shout("bob", 30))
    proposed = seen(game, state, tower("the second block is turned", True, True), of="bob")
    assert proposed.event == Witnessed("bob")
    assert proposed.confirm
    assert [event for _, event in proposed.instead] == [ShoutRejected("bob", NOW_US)]
    after = game.rules.apply(state, Witnessed("bob"))
    assert game.rules.score(after) == game.rules.score(state)
    assert seen(game, after, tower(True, True, True), of="bob") is None
    assert seen(game, after, tower(True, True, True), of="ann") is None  # who has not shouted
    with pytest.raises(IllegalEvent, match="already"):
        game.rules.apply(after, Witnessed("bob"))


@pytest.mark.parametrize(
    ("stack", "sure"),
    [
        (space(1, True), True),
        (space(1, "the second block is turned"), True),
        (space(1, Status.COLLAPSED), True),
        (space(1, None), False),  # it stands, but nobody knows like what it is to be
        (replace(space(1, True), accepted=False), False),
        (replace(space(1, True), match=MatchReading(True, 0.9, False)), False),
    ],
)
def test_only_a_verdict_that_the_camera_is_sure_of_may_count_by_itself(stack, sure):
    game, state = played("speedstax", CardTurned(7), *started(), shout("ann", 30))
    asked = seen(game, state, TowerReading(640, 480, (stack,)))
    assert asked.confirm
    assert asked.patience_s == (camera.PATIENCE_S if sure else 0)


def test_a_stack_that_is_not_exact_says_why_and_the_shout_goes_back():  # MX-23
    game, state = played("speedstax", CardTurned(7), *started(), shout("ann", 30))
    proposed = seen(game, state, tower("the second block is turned", True, True))
    assert proposed.event == ShoutRejected("ann", NOW_US)
    assert "the second block is turned" in proposed.note
    assert [event for _, event in proposed.instead] == [Witnessed("ann")]


@pytest.mark.parametrize("what", [Status.COLLAPSED, Status.EMPTY])
def test_what_does_not_stand_is_not_exact(what):
    game, state = played("speedstax", CardTurned(7), *started(), shout("cy", 30))
    assert seen(game, state, tower(True, True, what), of="cy").event == ShoutRejected("cy", NOW_US)


def test_a_picture_is_of_the_shout_that_asked_for_it():  # MX-21
    game, state = played("speedstax", CardTurned(7), *started(), shout("cy", 30.002), shout("ann", 30.001))
    look = tower(True, None, Status.COLLAPSED)
    assert seen(game, state, look, of="ann").event == Witnessed("ann")
    assert seen(game, state, look, of="cy").event == ShoutRejected("cy", NOW_US)


def test_a_rejected_stack_is_looked_at_again_after_its_next_shout():
    game, state = played("speedstax", CardTurned(7), *started(), shout("ann", 30))
    state = game.rules.apply(state, Witnessed("ann"))
    state = game.rules.apply(state, ShoutRejected("ann", GO_US + 31_000_000))
    assert seen(game, state, tower(True, True, True)) is None
    state = game.rules.apply(state, shout("ann", 40))
    assert seen(game, state, tower(True, True, True)).event == Witnessed("ann")


@pytest.mark.parametrize("early", [True, False])
def test_where_no_shout_is_needed_every_stack_is_judged_once_time_is_up(early):  # MX-20
    game, state = played("samestax", CreatorChosen("ann"), Started(10_000_000), shout("ann", 20), shout_required=False)
    replication = state.current.replication
    assert replication is not None
    shouts = {"bob": GO_US + 9_000_000, "cy": GO_US + 8_000_000} if early else {}
    done = replace(replication, go_us=GO_US, ran_out=not early, shouts=shouts)
    state = replace(state, current=replace(state.current, replication=done))
    end_us = GO_US + (9_000_000 if early else 60_000_000)
    event = Shouted("bob", end_us) if early else TimeRanOut(end_us)
    look = tower(True, True, "one block is missing")
    first = game.sight.glanced(state, event, look, end_us + 100_000)
    assert first.event == Judged("bob", True)
    second = game.sight.glanced(game.rules.apply(state, first.event), event, look, end_us + 100_000)
    assert second.event == Judged("cy", False)
    assert [event for _, event in second.instead] == [Judged("cy", True)]
    if early:  # the picture of who was done before the others is not of the end
        assert game.sight.glanced(state, Shouted("cy", shouts["cy"]), look, shouts["cy"] + 100_000) is None
    assert game.sight.propose(state, look) is None  # nor is one that nobody asked for


def test_in_swapstax_a_picture_that_nobody_asked_for_judges_no_stack():  # MX-20
    drawn = (ShufflerNamed("ann"), Drew("ann", 3), Drew("bob", 5), Drew("cy", 9))
    game, state = played("swapstax", *drawn, shout_required=False)
    state = replace(state, current=replace(state.current, go_us=GO_US, ran_out=True))
    look, end_us = tower(True, True, True), GO_US + 120_000_000
    assert game.sight.glanced(state, TimeRanOut(end_us), look, end_us + 100_000).event == Judged("ann", True)
    assert game.sight.glanced(state, None, look, end_us + 100_000) is None


def test_a_stack_without_a_known_picture_only_stands():
    game, state = played("speedstax", CardTurned(7), *started(), shout("ann", 30))
    proposed = seen(game, state, tower(None))
    assert proposed.event == Witnessed("ann")
    assert "Check whether it matches" in proposed.note
    told = game.pages.describe(state, proposed.event, Viewer(None, {"ann": "Ann"}))
    assert told == "Photo of the shout checked: Ann's stack is correct."  # It does not say who shouted.


# the stack that is copied


@pytest.fixture
def copying():
    game, state = played("samestax", CreatorChosen("bob"), Started(10_000_000), shout("bob", 20))
    assert state.current.replication is not None
    running = replace(state.current.replication, go_us=GO_US + 60_000_000)
    return game, replace(state, current=replace(state.current, replication=running))


@pytest.mark.parametrize("what", [Status.COLLAPSED, Status.EMPTY])
@pytest.mark.parametrize("by_time", [True, False])
def test_a_creator_who_has_finished_over_a_heap_builds_again_or_is_faulty(what, by_time):  # SAM-07
    event = TimeRanOut(GO_US + 120_000_000) if by_time else shout("bob", 20)
    game, state = played("samestax", CreatorChosen("bob"), Started(10_000_000), event)
    assert game.sight.eyes(state).front == Kind.TOWER
    proposed = game.sight.glanced(state, event, tower(True, what, True), event.at_us + 100_000)
    at_us = event.at_us + 100_000
    assert proposed.event == (CreatorStackFell("bob") if by_time else Restacked("bob", at_us))  # SAM-03: time is left
    assert proposed.note == camera.space_sentence(space(2, what))
    assert game.rules.apply(state, proposed.event).current.faulty == by_time
    strict = replace(state, options=replace(state.options, restack=False))
    assert game.sight.glanced(strict, event, tower(True, what, True), at_us).event == CreatorStackFell("bob")
    assert (
        game.sight.glanced(state, event, tower(what, True, what), event.at_us + 100_000) is None
    )  # theirs need not stand
    assert game.sight.glanced(state, event, tower(True, what, True), event.at_us + 25_000_000) is None


def test_a_creators_stack_that_lies_there_when_the_minute_starts_is_faulty():  # SAM-06
    begin = Started(GO_US + 30_000_000)
    ready = (CreatorChosen("bob"), Started(10_000_000), shout("bob", 20), Readied("ann"), Readied("cy"))
    game, state = played("samestax", *ready, begin)
    assert wants_glance(begin)
    heap, stack = tower(None, Status.COLLAPSED, None), tower(None, None, None)
    assert game.sight.glanced(state, begin, heap, begin.at_us + 100_000).event == CreatorStackFell("bob")
    assert game.sight.glanced(state, begin, stack, begin.at_us + 100_000) is None
    assert game.sight.glanced(state, Started(10_000_000), heap, 10_100_000) is None  # nothing was built yet


def test_the_others_stacks_are_compared_with_the_creators(copying):
    game, state = copying
    assert game.sight.eyes(state).knows["references"] == {"1": {"space": 2}, "3": {"space": 2}}


def test_a_creators_stack_that_falls_is_told_with_the_picture():  # SAM-06
    game, state = played("samestax", CreatorChosen("bob"), Started(10_000_000))
    assert game.sight.propose(state, tower(True, Status.COLLAPSED, True)) is None  # SAM-03: one may rebuild in time.


def test_the_fall_comes_before_any_copy(copying):  # SAM-06
    game, state = copying
    proposed = game.sight.propose(state, tower(True, Status.COLLAPSED, True))
    assert proposed.event == CreatorStackFell("bob")
    assert game.rules.apply(state, proposed.event).current.faulty
    assert game.sight.propose(state, tower(True, True, True)) is None  # nobody has shouted
    assert game.sight.propose(state, DiceReading(640, 480, ())) is None
