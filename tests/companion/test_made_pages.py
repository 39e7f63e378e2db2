"""What is made of a game's rules: entries and sentences for events of every shape."""

from dataclasses import dataclass

import pytest

from companion.game.box import BoxLook, Light, Phase
from companion.game.events import Ask
from companion.game.game import Game, Rules
from companion.game.players import Viewer
from companion.game.widgets import Choice, Headline, NumberEntry, ScoreTable, Standings
from companion.games.rulings import Ruling

NAMES = {"a": "Ann", "b": "Bob"}


@dataclass(frozen=True)
class Bid:
    player: str
    chips: int


@dataclass(frozen=True)
class GaveUp:
    player: str


@dataclass(frozen=True)
class SwappedCards:
    player: str
    cards: tuple[str, ...]
    rival: str
    face_up: bool = False


@dataclass(frozen=True)
class Dealt:
    at_us: int


def game(*legal, score=None, seats=(2, 2), winners=None):
    """A game in which the first player may do these things."""
    events, points = (Bid, GaveUp, SwappedCards, Dealt, Ruling), score or {"a": 3, "b": 0}
    own = {"winners": lambda _state: winners} if winners is not None else {}
    return Game(
        Rules(
            "bid_or_go",
            seats,
            events,
            start=lambda _options, _players: None,
            legal=lambda _state, player: legal if player == "a" else (),
            apply=lambda state, _event, ruled=False: state,
            score=lambda _state: points,
            **own,
        )
    )


def view(found, player=None, **viewer):
    return found.pages.view(None, Viewer(player, NAMES, **viewer))


def test_a_page_asks_for_what_is_legal_and_shows_the_points():
    ask = Ask("Bid", "chips", 1, 9, "How many chips?")
    headline, choice, entry, scores = view(game(GaveUp("a"), ask))
    assert headline == Headline("Ann to play")
    assert (choice.prompt, [(tap.label, tap.event) for tap in choice.taps]) == (
        "What did Ann do?",
        [("Gave up", GaveUp("a"))],
    )
    assert entry == NumberEntry("How many chips?", Bid("a", 1), "chips", 1, 9)
    assert [(line.name, line.points, line.active) for line in scores.lines] == [("Ann", 3, True), ("Bob", 0, False)]


@pytest.mark.parametrize(
    ("viewer", "kinds", "title"),
    [
        ({"player": "a"}, [Headline, Choice, ScoreTable], "Your turn"),
        ({"player": "b"}, [Headline, ScoreTable], "Ann to play"),
        ({"looks_on": True}, [Headline, ScoreTable], "Ann to play"),
    ],
)
def test_only_whoever_may_act_has_something_to_tap(viewer, kinds, title):
    found = view(game(GaveUp("a")), **viewer)
    assert [type(widget) for widget in found] == kinds
    assert found[0].title == title


@pytest.mark.parametrize(
    ("score", "winners", "title"),
    [
        ({"a": 3, "b": 0}, None, "Ann wins"),
        ({"a": 3, "b": 3}, None, "Ann and Bob win"),
        ({"a": 3, "b": 0}, (), "Nobody wins"),
    ],
)
def test_a_game_in_which_nobody_can_act_is_over(score, winners, title):
    found = game(score=score, winners=winners)
    assert found.rules.is_over(None)
    (standings,) = view(found)
    assert (type(standings), standings.title) == (Standings, title)
    assert found.box.look(None, 0) == BoxLook(Phase.OVER, (Light.OFF, Light.OFF))


def test_the_light_of_whoever_may_act_blinks():
    assert game(GaveUp("a")).box.look(None, 0) == BoxLook(Phase.WAITING, (Light.SLOW, Light.OFF))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Bid("a", 1200), "Ann bid 1,200."),
        (GaveUp("b"), "Bob gave up."),
        (SwappedCards("a", ("red", "blue"), "b"), "Ann swapped cards: cards red and blue, rival Bob."),
        (SwappedCards("a", (), "b", face_up=True), "Ann swapped cards: rival Bob, face up."),
        (Dealt(5), "Dealt."),
        (Ruling("a", -3, "A glass fell."), "Ruling for Ann: points −3, why A glass fell."),
        (Ruling("a", 0, "sha256:" + 64 * "0"), "Ruling for Ann: points 0, why the reason isn't kept here."),
    ],
)
def test_an_event_is_told_by_its_class_and_its_fields(event, sentence):
    assert game().pages.describe(None, event, Viewer(None, NAMES)) == sentence


def test_a_game_without_docstrings_is_taught_all_the_same():
    found = game(seats=(2, 2)).pages.how_to(None)
    assert found.set_up == ("For 2 players.",)
    assert all(topic.sentences for topic in (found.goal, found.turn, found.scoring))
    assert found.end
