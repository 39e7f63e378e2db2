"""Readings of every kind: which a game looks for, what waits to be confirmed, and what was seen at a glance."""

import threading
from dataclasses import dataclass, replace
from functools import partial
from unittest.mock import ANY

import pytest

from companion import shelf
from companion.errors import BadInput, IllegalEvent, StaleEvent
from companion.game.box import Device, Signal
from companion.game.readings import (
    BoardReading,
    CardReading,
    CellReading,
    DiceReading,
    DieReading,
    Kind,
    Settled,
    SpaceReading,
    Status,
    TowerReading,
)
from companion.game.seeing import Eyes, Proposed
from companion.games.maxstax.events import (
    Bumped,
    Judged,
    Paused,
    Readied,
    RoundClosed,
    Shouted,
    ShoutRejected,
    Started,
    TimeRanOut,
)
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Placed as SackPlaced
from companion.games.sack_stackers.events import Rolled
from companion.games.samestax.rules import CreatorChosen, CreatorStackFell
from companion.games.sandpile_panic.events import Placed
from companion.games.speedstax.rules import CardTurned
from companion.journal.events import Origin
from companion.journal.export import read_game_file
from companion.sensing.answers import enter_answer
from tests.parts import altered, connect


def card(number, accepted=True):
    return Settled(CardReading(640, 480, number, f"Card {number}", 0.875, accepted), 1, 2, b"frame", ())


def tower(*standing):
    spaces = tuple(
        SpaceReading(number, Status.STANDING if stands else Status.COLLAPSED, 0.99, True)
        for number, stands in enumerate(standing, start=1)
    )
    return Settled(TowerReading(640, 480, spaces), 1, 2, b"side", ())


def asked_by(table):
    """The token of a glance that something asked for which happened a moment ago."""
    table.submit(Ruling(table.session.players[0], 0, "look"), Origin("asks", 0))
    return f"{table.session.id}:1"


@dataclass(frozen=True)
class GlancedRoll(Rolled):
    """A roll that the camera at table height is to look at."""

    glance = True


@dataclass(frozen=True)
class SharedRoll(Rolled):
    """A roll of these players' dice."""

    concerns: tuple[str, ...] = ()


@pytest.fixture
def looking(monkeypatch, host):
    """A game whose roll is read from cards and towers, and which says what it looks for."""

    def propose(state, reading):
        if state.dice is not None:
            return None
        sure = Rolled((1, 2))
        return Proposed(sure, confirm=False, note="By the picture.", instead=(("Two sixes", Rolled((6, 6))),))

    def eyes(state):
        return Eyes(above=Kind.CARD, front=Kind.TOWER if state.dice else None, knows={"unit_mm": 12})

    sack = shelf.GAMES["sack_stackers"]
    monkeypatch.setitem(
        shelf.GAMES,
        "sack_stackers",
        altered(
            sack,
            propose=propose,
            glanced=lambda state, event, reading, _at_us: event and propose(state, reading),
            eyes=eyes,
            events=(*sack.rules.events, GlancedRoll, SharedRoll),
        ),
    )
    return host.create("sack_stackers", ["Ann", "Bob"], {})


def test_a_reading_other_than_dice_waits_for_a_tap_unless_the_house_says_otherwise(host, looking):
    host.on_reading(card(7))
    (proposal,) = host.questions.of(looking.session.id)
    assert (proposal.kind, proposal.doubts, proposal.note) == (Kind.CARD, (), "By the picture.")
    assert host.pictures.jpeg(proposal.picture) == b"frame"
    host.dismiss(proposal.session, proposal.id)
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7, accepted=False))
    assert looking.state.dice is None  # never what the camera is not sure of
    host.on_reading(card(7))
    assert looking.state.dice == (1, 2)


def test_which_of_several_it_was_is_never_taken_by_itself(host, looking, monkeypatch):
    either = Proposed(Rolled((1, 2)), instead=(("Two sixes", Rolled((6, 6))),), which=True)
    monkeypatch.setattr(looking, "game", altered(looking.game, propose=lambda _state, _reading: either))
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7))
    assert looking.state.dice is None
    assert len(host.questions.of(looking.session.id)) == 1


@pytest.fixture
def patient(host, looking, monkeypatch):
    """The same game with a question that may count by itself after ten seconds."""
    asked = Proposed(Rolled((1, 2)), confirm=True, note="By the picture.", patience_s=10)
    propose = lambda state, _reading: None if state.dice else asked  # noqa: E731
    monkeypatch.setattr(looking, "game", altered(looking.game, propose=propose))
    return looking


def pass_time(host, seconds):
    host.clock.offset_us += round(seconds * 1e6)
    host.count_due()


def test_a_question_counts_by_itself_once_nobody_answered_in_its_time_where_the_house_wants_that(host, patient):
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7))
    assert [each.patience_s for each in host.questions.of(patient.session.id)] == [10]
    pass_time(host, 9)
    assert patient.state.dice is None
    pass_time(host, 2)
    assert (patient.state.dice, patient.newest.source) == ((1, 2), "camera")
    assert host.questions.of(patient.session.id) == ()


def test_without_the_houses_wish_a_question_waits_for_ever(host, patient):
    host.on_reading(card(7))
    assert [each.patience_s for each in host.questions.of(patient.session.id)] == [0]
    pass_time(host, 3600)
    assert patient.state.dice is None
    assert len(host.questions.of(patient.session.id)) == 1


def test_whoever_touches_the_table_has_the_whole_time_again(host, patient):
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7))
    pass_time(host, 9)
    host.on_reading(card(7))  # something was moved, and it came to rest again
    pass_time(host, 9)
    assert patient.state.dice is None
    pass_time(host, 2)
    assert patient.state.dice == (1, 2)


def test_a_question_that_was_sent_away_or_may_be_old_does_not_count(host, patient):
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7))
    host.dismiss(patient.session.id, host.questions.of(patient.session.id)[0].id)
    pass_time(host, 60)
    host.on_reading(replace(card(8), surely_new=False))  # it lay there when the camera began
    pass_time(host, 60)
    assert patient.state.dice is None


@pytest.mark.parametrize("what", ["a hand", "the house says no", "an entry by hand", "another game"])
def test_what_happens_meanwhile_keeps_a_question_from_counting(host, patient, what):
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7))
    match what:
        case "a hand":
            host.questions.wait_after_move()
        case "the house says no":
            host.asking.set_accepts(Kind.CARD, False)
        case "an entry by hand":
            ruled = Ruling(patient.session.players[0], 0, "look")
            patient.submit(ruled, Origin("rules"))
        case "another game":
            host.create("sandpile_panic", ["Cy", "Di"], {})
    pass_time(host, 60)
    assert patient.state.dice is None
    assert [each.patience_s for each in host.questions.of(patient.session.id)] == [0]


def test_a_hand_keeps_no_verdict_about_a_shout_from_counting_and_undo_does(host, race):  # MX-21
    host.asking.set_accepts(Kind.TOWER, True)
    token, at_us = race.shout(race.ann, 100)
    host.on_glance(token, tower_at(at_us, False, True))
    other, other_us = race.shout(race.bob, 100.5)
    host.on_glance(other, tower_at(other_us, False, True))
    host.questions.wait_after_move()  # the others still build
    assert race.question.patience_s == 10
    pass_time(host, 11)
    assert (race.table.newest.body.event, race.table.newest.source) == (ShoutRejected(race.ann, ANY), "camera")
    race.table.undo(Origin("no", source="button"))
    host.confirm(race.question.id, {}, Origin("bobs"))  # which was asked meanwhile
    assert race.asked() == [("ShoutRejected", race.ann)]
    pass_time(host, 60)
    assert race.asked() == [("ShoutRejected", race.ann)]  # it waits for a tap now


def test_one_that_the_rules_refuse_by_then_is_said_once_and_stays_a_question(host, patient, monkeypatch):
    host.asking.set_accepts(Kind.CARD, True)
    host.on_reading(card(7))

    def refused(*_arguments, **_more):
        raise IllegalEvent("The round is over.")

    monkeypatch.setattr(patient, "submit", refused)
    pass_time(host, 11)
    assert host.remarks.of(patient.session.id).text == "The round is over."
    monkeypatch.undo()
    pass_time(host, 60)
    assert patient.state.dice is None
    assert [each.patience_s for each in host.questions.of(patient.session.id)] == [0]


def test_what_is_about_how_the_table_lay_shows_the_picture_of_the_look_before(host, looking, monkeypatch):
    """A card other than 7 stands for stacks that fell."""

    def propose(_state, reading):
        return None if reading.card == 7 else Proposed(Rolled((1, 2)), confirm=True, of_before=True)

    monkeypatch.setattr(looking, "game", altered(looking.game, propose=propose))
    host.on_reading(replace(card(8), frame_jpeg=b"at first"))
    assert [each.before for each in host.questions.of(looking.session.id)] == [None]  # nothing was seen before
    host.on_reading(replace(card(7), frame_jpeg=b"standing"))
    assert host.questions.of(looking.session.id) == ()
    for now in (b"fallen", b"fallen, and a hand was there"):
        host.on_reading(replace(card(8), frame_jpeg=now))
        (asked,) = host.questions.of(looking.session.id)
        assert host.pictures.jpeg(asked.before) == b"standing"
    host.looks.forget_pictures()
    assert [each.before for each in host.questions.of(looking.session.id)] == [None]
    host.on_reading(replace(card(8), frame_jpeg=b"later"))
    assert [each.before for each in host.questions.of(looking.session.id)] == [None]


def test_a_question_sent_away_is_not_asked_again_before_the_game_goes_on(host, looking):
    host.on_reading(card(7))
    host.dismiss(looking.session.id, host.questions.of(looking.session.id)[0].id)
    host.on_reading(card(7))
    assert host.questions.of(looking.session.id) == ()
    looking.submit(Rolled((3, 4)), Origin("roll"))
    looking.undo(Origin("back"))
    host.on_reading(card(7))
    assert len(host.questions.of(looking.session.id)) == 1


def test_the_same_question_seen_again_stays_the_same_for_a_tap_that_is_on_its_way(host, looking):
    host.on_reading(card(7))
    (shown,) = host.questions.of(looking.session.id)
    host.on_reading(replace(card(7), frame_jpeg=b"newer"))
    (again,) = host.questions.of(looking.session.id)
    assert (again.id, again.created_us, host.pictures.jpeg(again.picture)) == (shown.id, shown.created_us, b"newer")
    host.dismiss(shown.session, shown.id)
    assert host.questions.of(looking.session.id) == ()


@pytest.mark.parametrize("theirs", [True, False])
def test_no_picture_of_a_game_stays_in_memory_once_it_is_to_be_forgotten(host, looking, theirs):
    forgotten, token = {looking.session.id if theirs else "another game"}, asked_by(looking)
    host.on_reading(card(7))
    host.looks.forget_pictures(forgotten)
    (question,) = host.questions.of(looking.session.id)
    assert (question.picture is None) is theirs
    looking.submit(Rolled((3, 4)), Origin("roll"))
    host.on_glance(token, card(7))
    host.looks.forget_pictures(forgotten)
    looking.undo(Origin("back"))  # what was seen at a glance is asked about now
    assert (host.questions.of(looking.session.id) == ()) is theirs


def test_the_answer_to_a_question_whose_pictures_were_deleted_names_none(host, looking):
    host.on_reading(card(7))
    (asked,) = host.questions.of(looking.session.id)
    assert asked.reading["picture"] == asked.picture
    host.delete_pictures()
    host.confirm(asked.id, {}, Origin("tap"))
    assert looking.entries[0].reading == {**asked.reading, "picture": None, "question": asked.id, "said": {}}


def meanwhile(monkeypatch, owner, name, act):
    """Something happens the first time that the disk is written to so."""
    write = getattr(owner, name)

    def slow(*arguments, **named):
        monkeypatch.setattr(owner, name, write)
        act()
        return write(*arguments, **named)

    monkeypatch.setattr(owner, name, slow)


def look_on(host, table, also=lambda: None):
    """Somebody else looks at the sheet, and does not wait."""
    looked = threading.Event()

    def look():
        host.questions.of(table.session.id)
        host.remarks.of(table.session.id)
        also()
        looked.set()

    threading.Thread(target=look, daemon=True).start()
    assert looked.wait(5)


@pytest.mark.parametrize(("accepts", "written"), [(False, "add_pictures"), (True, "add_pictures"), (True, "append")])
def test_nobody_who_looks_waits_for_what_a_reading_writes(host, looking, monkeypatch, accepts, written):
    host.asking.set_accepts(Kind.CARD, accepts)
    looks = []
    meanwhile(monkeypatch, host.journal, written, lambda: looks.append(look_on(host, looking)))
    host.on_reading(card(7))
    assert (len(looks), looking.seq) == (1, int(accepts))


def test_nobody_who_looks_waits_for_what_a_glance_or_the_learner_writes(host, looking, monkeypatch):
    looks, token = [], asked_by(looking)
    meanwhile(
        monkeypatch, host.journal, "add_pictures", lambda: looks.append(look_on(host, looking, looking.history.lines))
    )
    host.on_glance(token, tower(True, False))
    host.asking.set_accepts(Kind.CARD, True)
    meanwhile(monkeypatch, host.learner, "enter", lambda: looks.append(look_on(host, looking)))
    host.on_reading(card(7))
    assert len(looks) == 2


def test_all_pictures_of_a_question_are_kept_in_one_step(host, looking):
    asked: list[str] = []
    host.journal._db.set_trace_callback(asked.append)
    host.on_reading(replace(card(7), crops_jpeg=(b"one", b"two", b"three")))
    assert asked.count("COMMIT") == 1
    assert len(host.questions.of(looking.session.id)) == 1


@pytest.mark.parametrize("how", ["sent away", "answered", "dealt with"])
def test_a_question_that_is_over_while_its_newer_pictures_are_kept_is_not_asked_again(host, looking, monkeypatch, how):
    host.on_reading(card(7))
    (asked,) = host.questions.of(looking.session.id)
    acts = {
        "sent away": lambda: host.dismiss(asked.session, asked.id),
        "answered": lambda: host.confirm(asked.id, {}, Origin("tap")),
        "dealt with": lambda: looking.submit(Rolled((3, 4)), Origin("tap", 0)),
    }
    meanwhile(monkeypatch, host.journal, "add_pictures", acts[how])
    host.on_reading(replace(card(7), frame_jpeg=b"newer"))
    assert host.questions.of(looking.session.id) == ()


def test_a_question_is_there_while_its_newer_pictures_are_kept(host, looking, monkeypatch):
    host.on_reading(card(7))
    seen = []
    meanwhile(monkeypatch, host.journal, "add_pictures", lambda: seen.extend(host.questions.of(looking.session.id)))
    host.on_reading(replace(card(7), frame_jpeg=b"newer"))
    assert [each.id for each in seen] == [each.id for each in host.questions.of(looking.session.id)]


def test_the_confirm_button_says_yes_to_the_likeliest(host, looking):
    host.on_reading(card(7))
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + 1_000_000))
    assert looking.state.dice == (1, 2)


def test_what_it_might_be_as_well_is_one_tap_too_and_is_kept_with_the_reading(host, looking):
    host.on_reading(card(7))
    (proposal,) = host.questions.of(looking.session.id)
    assert [label for label, _ in proposal.instead] == ["Two sixes"]
    host.confirm(proposal.id, {}, Origin("tap"), instead=0)
    assert looking.state.dice == (6, 6)
    kept = looking.entries[0].reading
    assert kept["kind"] == "card"
    assert (kept["read"]["card"], kept["read"]["confidence_ppm"]) == (7, 875_000)  # whole numbers have one text
    assert kept["said"] == {"instead": 0}


def test_an_answer_that_the_question_does_not_have_is_refused_in_a_sentence(host, looking):
    host.on_reading(card(7))
    (proposal,) = host.questions.of(looking.session.id)
    with pytest.raises(BadInput, match="no such answer"):
        host.confirm(proposal.id, {}, Origin("tap"), instead=1)
    assert looking.seq == 0


def test_the_cameras_hear_what_the_game_looks_for_now(host, looking):
    told = []
    connect(host, watch=told.append)
    host.active.hold(looking.session.id)
    looking.submit(Rolled((1, 2)), Origin("a", 0))
    assert [(eyes.above, eyes.front, eyes.knows) for eyes in told] == [
        (Kind.CARD, None, {"unit_mm": 12}),
        (Kind.CARD, Kind.TOWER, {"unit_mm": 12}),
    ]


def test_an_event_that_wants_a_glance_asks_for_one_only_once(host, looking):
    asked = []
    connect(host, glance=lambda _token: asked.append(looking.seq))
    looking.submit(GlancedRoll((1, 2)), Origin("a", 0, source="button"))
    host.active.hold(looking.session.id)  # looked at again, and nothing new has happened
    assert asked == [1]
    looking.undo(Origin("b"))
    assert asked == [1]


def test_of_two_shouts_at_once_each_gets_its_look(host, race, monkeypatch):
    asked = []
    connect(host, glance=asked.append)
    hear = host.follow_up.hear

    def overtaken(table, entry):
        monkeypatch.setattr(host.follow_up, "hear", hear)
        race.shout(race.bob, 30.001)  # while nobody has heard of Ann's
        hear(table, entry)

    monkeypatch.setattr(host.follow_up, "hear", overtaken)
    race.shout(race.ann, 30)
    assert asked == [f"{race.table.session.id}:{seq}" for seq in (4, 5)]


def test_a_game_that_takes_the_table_again_asks_for_no_look_at_what_has_passed(host, race):
    asked = []
    connect(host, glance=asked.append)
    host.create("sack_stackers", ["Ann", "Bob"], {})
    race.shout(race.ann, 30)
    host.active.hold(race.table.session.id)
    assert asked == []
    race.shout(race.bob, 31)
    assert asked == [f"{race.table.session.id}:5"]


def test_the_cameras_never_read_for_a_game_that_has_just_lost_the_table(host, race, looking, monkeypatch):
    told, asked = [], []
    host.active.hold(race.table.session.id)
    connect(host, watch=told.append, glance=asked.append)
    refreshed = host.active.refresh_look

    def overtaken():
        monkeypatch.setattr(host.active, "refresh_look", refreshed)
        host.active.hold(looking.session.id)  # when Ann's shout has found its game holding the table
        refreshed()

    monkeypatch.setattr(host.active, "refresh_look", overtaken)
    race.shout(race.ann, 30)
    assert [eyes.above for eyes in told] == [Kind.CARD]
    assert asked == []


def test_what_was_seen_at_a_glance_is_asked_about_while_the_game_means_something_by_it(host, looking):
    host.on_glance(asked_by(looking), tower(True, False))
    (first,) = host.questions.of(looking.session.id)
    looking.submit(Rolled((3, 4)), Origin("typed", 0))
    assert host.questions.of(looking.session.id) == ()  # answered by hand
    looking.undo(Origin("back"))
    (again,) = host.questions.of(looking.session.id)  # the answer was a mistake
    assert (again.event, again.picture) == (first.event, first.picture)


def board(*put_down):
    """A board of 5 × 5 with these spaces covered, by colour."""
    tops = dict(put_down)
    cells = tuple(
        tuple(CellReading(tops.get(f"r{row}c{column}"), None, 0.99, True) for column in range(1, 6))
        for row in range(1, 6)
    )
    return Settled(BoardReading(640, 480, cells), 1, 2, b"board", ())


def test_once_a_piece_that_nobody_entered_is_the_one_after_it_is_asked_about(host):
    """SP-21: a piece on one's own colour changes no top. Nothing moves after the second piece, so no look follows."""
    table = host.create("sandpile_panic", ["Ann", "Bob"], {"opening": "none"})
    ann, bob = table.session.players
    table.submit(Placed(ann, "r1c1"), Origin("ann", 0))
    table.submit(Placed(bob, "r3c3"), Origin("bob", 1))
    host.on_reading(board(("r1c1", "white"), ("r3c3", "black"), ("r5c5", "black")))
    (first,) = host.questions.of(table.session.id)
    assert (first.event.player, first.event.at) == (ann, "r1c1")
    enter_answer(table, first, {}, None, Origin("yes"))
    assert table.state.board["r1c1"] == "WW"
    (second,) = host.questions.of(table.session.id)
    assert (second.event.player, second.event.at) == (bob, "r5c5")
    enter_answer(table, second, {}, None, Origin("yes-too"))
    assert (table.state.board["r5c5"], host.questions.of(table.session.id)) == ("B", ())


def test_who_enters_by_hand_what_the_camera_asks_about_has_answered_it(host):
    """SP-13: in a fair share the second player has two turns in a row, so the same move would be legal once more."""
    table = host.create("sandpile_panic", ["Ann", "Bob"], {"opening": "fair_share"})
    ann, bob = table.session.players
    table.submit(Placed(ann, "r1c1"), Origin("ann", 0))
    host.on_reading(board(("r1c1", "white"), ("r3c3", "black")))
    (asked,) = host.questions.of(table.session.id)
    assert asked.event.at == "r3c3"
    table.submit(Placed(bob, "r3c3"), Origin("bob", 1))
    assert host.questions.of(table.session.id) == ()
    with pytest.raises(StaleEvent):  # a tap that was on its way
        enter_answer(table, asked, {}, None, Origin("late"))
    assert table.state.board["r3c3"] == "B"


@pytest.mark.parametrize("by_itself", [True, False])
def test_a_move_tapped_in_while_the_camera_thinks_about_it_is_one_move(host, monkeypatch, by_itself):
    table = host.create("sandpile_panic", ["Ann", "Bob"], {"opening": "fair_share"})
    ann, bob = table.session.players
    table.submit(Placed(ann, "r1c1"), Origin("ann", 0))
    host.asking.set_accepts(Kind.BOARD, by_itself)
    think = table.game.sight.propose

    def slowly(state, reading):
        meant = think(state, reading)
        if table.seq == 1:
            table.submit(Placed(bob, "r3c3"), Origin("bob", 1))
        return meant

    monkeypatch.setattr(table, "game", altered(table.game, propose=slowly))
    host.on_reading(board(("r1c1", "white"), ("r3c3", "black")))
    assert host.questions.of(table.session.id) == ()
    assert table.state.board["r3c3"] == "B"


def test_a_question_that_something_else_overtook_while_the_camera_thought_can_be_answered(host, looking, monkeypatch):
    ann = looking.session.players[0]
    think = looking.game.sight.propose

    def slowly(state, reading):
        if looking.seq == 0:
            looking.submit(Ruling(ann, 1, "she said so"), Origin("ruling", 0))
            looking.submit(Ruling(ann, 1, "again"), Origin("again", 1))
            looking.undo(Origin("back"))
        return think(state, reading)

    monkeypatch.setattr(looking, "game", altered(looking.game, propose=slowly))
    monkeypatch.setattr(Ruling, "whole_table", True, raising=False)
    host.on_reading(card(7))
    (asked,) = host.questions.of(looking.session.id)
    host.confirm(asked.id, {}, Origin("yes"))
    assert looking.state.dice == (1, 2)


def test_a_question_stays_while_something_else_happens_that_changes_nothing_of_it(host, looking):
    host.on_reading(card(7))
    (asked,) = host.questions.of(looking.session.id)
    ann = looking.session.players[0]
    looking.history.rename({ann: "Anna"})
    looking.submit(Rolled((3, 4)), Origin("roll", 0))
    looking.undo(Origin("back"))
    assert host.questions.of(looking.session.id) == ()  # a roll was there meanwhile
    host.on_reading(card(7))
    (again,) = host.questions.of(looking.session.id)
    assert again.event == asked.event
    host.confirm(again.id, {}, Origin("yes"))
    assert looking.state.dice == (1, 2)


def test_where_the_camera_cannot_tell_which_it_was_the_confirm_button_is_no_answer(host, looking, monkeypatch):
    game = shelf.GAMES["sack_stackers"]
    either = Proposed(Rolled((1, 2)), confirm=True, instead=(("Two sixes", Rolled((6, 6))),), which=True)
    monkeypatch.setattr(looking, "game", altered(game, propose=lambda state, _reading: None if state.dice else either))
    host.on_reading(card(7))
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + 1_000_000))
    assert looking.seq == 0
    assert len(host.questions.of(looking.session.id)) == 1


def test_a_question_whose_other_answers_have_changed_is_another_question(host, looking, monkeypatch):
    host.on_reading(card(7))
    (first,) = host.questions.of(looking.session.id)
    other = Proposed(Rolled((1, 2)), note="By the picture.", instead=(("Two fives", Rolled((5, 5))),))
    monkeypatch.setattr(looking, "game", altered(looking.game, propose=lambda _state, _reading: other))
    host.on_reading(card(7))
    (second,) = host.questions.of(looking.session.id)
    assert second.id != first.id  # a tap on "two sixes" that is on its way must not mean two fives


# the pictures of shouts


def tower_at(at_us, *standing):
    return replace(tower(*standing), rested_us=at_us)


class Race:
    """A race between Ann and Bob whose clock began 200 s ago."""

    def __init__(self, host):
        self.host, self.table = host, host.create("speedstax", ["Ann", "Bob"], {})
        self.ann, self.bob = self.table.session.players
        self.go_us = host.clock.now_us() - 200_000_000
        self.enter(Readied(self.ann), Readied(self.bob), Started(self.go_us - 3_000_000))

    def enter(self, *events, source="button"):
        for event in events:
            self.table.submit(event, Origin(f"e{self.table.seq}", source=source))

    def shout(self, player, after_s):
        """The player shouts; gives the token of the glance that this asks for, and when it was."""
        at_us = self.go_us + round(after_s * 1e6)
        self.enter(Shouted(player, at_us))
        return f"{self.table.session.id}:{self.table.seq}", at_us

    def asked(self):
        return [
            (type(each.event).__name__, each.event.player) for each in self.host.questions.of(self.table.session.id)
        ]

    @property
    def question(self):
        return self.host.questions.of(self.table.session.id)[0]


@pytest.fixture
def race(host):
    return Race(host)


def test_what_happens_to_a_stack_after_its_shout_no_longer_matters(host, race):  # MX-21
    token, at_us = race.shout(race.ann, 30)
    host.on_glance(token, tower_at(at_us + 100_000, True, False))
    assert race.asked() == [("Witnessed", race.ann)]
    host.on_reading(tower_at(at_us + 20_000_000, False, False))  # the blocks are taken apart
    assert race.asked() == [("Witnessed", race.ann)]
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + 1_000_000))
    assert race.table.state.current.witnessed == {race.ann}
    assert race.table.state.current.rejections == ()


def test_a_shout_that_is_taken_back_while_its_pictures_are_kept_is_not_asked_about(host, race, monkeypatch):
    token, at_us = race.shout(race.ann, 30)

    def take_back():
        race.table.undo(Origin("back"))

    meanwhile(monkeypatch, host.journal, "add_pictures", take_back)
    host.on_glance(token, tower_at(at_us + 100_000, True, False))
    assert race.asked() == []


def test_without_a_picture_of_the_moment_a_shout_is_not_asked_about(host, race):  # MX-21
    token, at_us = race.shout(race.ann, 30)
    host.on_reading(tower_at(at_us + 500_000, False, False))
    host.on_glance(token, tower_at(at_us + 25_000_000, False, False))
    assert race.asked() == []


@pytest.mark.parametrize("dismissed", [True, False])
def test_the_picture_of_a_shout_is_kept_with_it_though_nobody_answers(host, race, dismissed):
    token, at_us = race.shout(race.ann, 30)
    assert race.table.history.lines()[0].picture is None
    host.on_glance(token, tower_at(at_us + 100_000, True, False))
    if dismissed:
        host.dismiss(race.table.session.id, race.question.id)
    else:
        race.shout(race.bob, 31)
        race.enter(RoundClosed())
    line = race.table.history.line(4)
    assert (line.event, host.pictures.jpeg(line.picture)) == (Shouted(race.ann, at_us), b"side")
    exported = host.transfer.export(race.table.session.id)
    assert line.picture in exported
    assert read_game_file(exported).evidence == {4: line.picture}


def test_the_picture_of_a_shout_that_comes_while_all_are_deleted_is_nowhere_then(host, race, monkeypatch):
    token, at_us = race.shout(race.ann, 30)
    deleting = threading.Thread(target=host.delete_pictures)

    class Turn:
        """After it the pictures are deleted."""

        def __enter__(self):
            real.__enter__()

        def __exit__(self, *why):
            real.__exit__(*why)
            monkeypatch.setattr(host.asking, "turn", real)
            deleting.start()
            deleting.join()

    real = host.asking.turn
    monkeypatch.setattr(host.asking, "turn", Turn())
    host.on_glance(token, tower_at(at_us + 100_000, True, False))
    assert host.journal.select("SELECT count(*) FROM pictures") == [(0,)]
    assert race.asked() == []


@pytest.mark.parametrize("later_s", [0.05, 3, 15])
def test_each_shout_is_judged_by_its_own_picture_in_their_order(host, race, later_s):  # MX-21
    anns, ann_us = race.shout(race.ann, 30)
    bobs, bob_us = race.shout(race.bob, 30 + later_s)
    host.on_glance(anns, tower_at(ann_us + 100_000, True, False))
    host.on_glance(bobs, tower_at(bob_us + 100_000, False, True))  # Ann's has fallen meanwhile
    assert race.asked() == [("Witnessed", race.ann)]
    host.confirm(race.question.id, {}, Origin("yes"))
    assert race.asked() == [("Witnessed", race.bob)]


@pytest.mark.parametrize("later_s", [0.05, 3, 15])
def test_a_question_about_one_shout_that_is_sent_away_leaves_the_next(host, race, later_s):
    anns, ann_us = race.shout(race.ann, 30)
    bobs, bob_us = race.shout(race.bob, 30 + later_s)
    host.on_glance(anns, tower_at(ann_us + 100_000, True, False))
    host.on_glance(bobs, tower_at(bob_us + 100_000, False, True))
    host.dismiss(race.table.session.id, race.question.id)
    assert race.asked() == [("Witnessed", race.bob)]
    host.dismiss(race.table.session.id, race.question.id)
    assert race.asked() == []


def test_a_second_press_of_confirm_closes_no_round_over_the_next_question(host, race):
    for player, after_s in ((race.ann, 30), (race.bob, 31)):
        token, at_us = race.shout(player, after_s)
        host.on_glance(token, tower_at(at_us + 100_000, True, True))
    pressed_us = host.clock.now_us() + 1_000_000
    host.presses.hear(Signal(Device.CONFIRM, True, pressed_us))
    host.presses.hear(Signal(Device.CONFIRM, True, race.question.created_us + 300_000))
    assert race.asked() == [("Witnessed", race.bob)]
    assert "The question just appeared" in host.remarks.of(race.table.session.id).text
    host.presses.hear(Signal(Device.CONFIRM, True, pressed_us + 1_000_000))
    assert race.table.state.current.witnessed == {race.ann, race.bob}


def test_a_round_that_was_closed_by_mistake_comes_back_with_its_questions(host, race):
    for player, after_s in ((race.ann, 30), (race.bob, 31)):
        token, at_us = race.shout(player, after_s)
        host.on_glance(token, tower_at(at_us + 100_000, True, True))
    host.dismiss(race.table.session.id, race.question.id)
    race.enter(RoundClosed())
    assert race.asked() == []
    race.table.undo(Origin("back"))
    assert race.asked() == [("Witnessed", race.bob)]  # Ann's was sent away


def test_the_picture_of_a_shout_that_was_taken_back_is_of_no_shout(host, race):
    token, at_us = race.shout(race.ann, 30)
    race.table.undo(Origin("back"))
    host.on_glance(token, tower_at(at_us + 100_000, True, False))
    assert race.asked() == []


def test_a_card_nobody_answered_for_is_still_asked_about_once_the_round_runs(host):  # SPD-02: it lies there all round
    table = host.create("speedstax", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    host.on_reading(card(7))
    start_us = host.clock.now_us() - 60_000_000
    for number, event in enumerate((Readied(ann), Readied(bob), Started(start_us))):
        table.submit(event, Origin(f"e{number}", source="button"))
    host.on_reading(tower(True, False))  # the other camera looks at other things
    (asked,) = host.questions.of(table.session.id)
    assert asked.event == CardTurned(7)
    drawn_seq = table.seq
    host.confirm(asked.id, {}, Origin("yes"))
    assert table.state.card == 7
    shout = Shouted(ann, start_us + 30_000_000)
    table.submit(shout, Origin("slap", seen_seq=drawn_seq))  # its page was a moment older
    assert ann in table.state.current.shouts


def copying(host, **options):
    """SAMESTAX: Ann's stack is there, Bob and Cy copy it; the table, and when their minute began."""
    table = host.create("samestax", ["Ann", "Bob", "Cy"], options)
    ann, bob, cy = table.session.players
    start_us = host.clock.now_us() - 200_000_000
    begun = (CreatorChosen(ann), Started(start_us), Shouted(ann, start_us + 20_000_000))
    for number, event in enumerate((*begun, Readied(bob), Readied(cy), Started(start_us + 30_000_000))):
        table.submit(event, Origin(f"e{number}", source="button"))
    return table, start_us + 33_000_000


def test_where_no_shout_is_needed_the_picture_of_the_end_is_of_every_stack(host):  # MX-20
    table, go_us = copying(host, shout_required=False)
    asked = []
    connect(host, glance=asked.append)
    end_us = go_us + 60_000_000
    table.submit(TimeRanOut(end_us), Origin("end", source="clock"))
    assert asked == [f"{table.session.id}:{table.seq}"]
    host.on_glance(asked[0], tower_at(end_us + 100_000, True, True, False))
    for player, complete in zip(table.session.players[1:], (True, False), strict=True):
        (question,) = host.questions.of(table.session.id)
        assert question.event == Judged(player, complete)
        host.confirm(question.id, {}, Origin(f"yes-{player}"))
    assert host.questions.of(table.session.id) == ()


def test_the_end_of_the_time_takes_no_question_away(host):  # SAM-06: it fell before the end
    table, go_us = copying(host)
    host.on_reading(tower_at(go_us + 55_000_000, False, False, False))
    table.submit(TimeRanOut(go_us + 60_000_000), Origin("end", source="clock"))
    (asked,) = host.questions.of(table.session.id)
    assert type(asked.event).__name__ == "CreatorStackFell"
    host.confirm(asked.id, {}, Origin("yes"))
    assert table.state.current.faulty


@pytest.mark.parametrize("early", [True, False])
def test_a_fall_before_the_end_of_the_minute_counts_although_it_is_told_after_it(host, early):  # SAM-06
    table, go_us = copying(host)
    _ann, bob, cy = table.session.players
    end_us = go_us + (50_000_000 if early else 60_000_000)
    ends = (Shouted(bob, end_us - 1), Shouted(cy, end_us)) if early else (TimeRanOut(end_us),)
    for event in ends:
        table.submit(event, Origin(f"end-{table.seq}", source="button" if early else "clock"))
    host.on_reading(tower_at(end_us + 10_000, False, True, True))
    assert host.questions.of(table.session.id) == ()
    host.on_reading(tower_at(end_us - 290_000, False, True, True))
    (asked,) = host.questions.of(table.session.id)
    assert type(asked.event).__name__ == "CreatorStackFell"
    host.on_reading(tower_at(end_us + 1_000_000, False, False, False))  # the blocks are taken apart
    host.confirm(asked.id, {}, Origin("yes"))
    assert table.state.current.faulty


def test_a_second_press_of_undo_sends_no_question_away_that_waited_behind_the_first(host):
    table, go_us = copying(host)
    _ann, bob, _cy = table.session.players
    host.on_reading(tower_at(go_us + 1_000_000, False, True, True))
    table.submit(Shouted(bob, go_us + 2_000_000), Origin("shout", source="button"))
    host.on_glance(f"{table.session.id}:{table.seq}", tower_at(go_us + 2_000_000, False, True, True))
    host.clock.offset_us += 1_000_000  # both have been read
    left = []
    for after_us in (0, 300_000, 600_000):
        host.presses.hear(Signal(Device.UNDO, True, host.clock.now_us() + after_us))
        left.append([type(each.event).__name__ for each in host.questions.of(table.session.id)])
    assert left == [["Witnessed"], ["Witnessed"], []]


def test_no_later_look_takes_the_fall_of_the_creators_stack_away(host):  # SAM-06
    table, go_us = copying(host)
    ann, bob, _cy = table.session.players
    for after_s, look in enumerate([(False, True, True), (False, True, False), (True, True, True)], start=1):
        host.on_reading(tower_at(go_us + after_s * 1_000_000, *look))
        (asked,) = host.questions.of(table.session.id)
        assert asked.event == CreatorStackFell(ann)
    table.submit(Shouted(bob, go_us + 5_000_000), Origin("shout", source="button"))
    table.submit(Paused(go_us + 6_000_000), Origin("pause"))
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + 1_000_000))
    assert table.state.current.faulty
    assert host.questions.of(table.session.id) == ()


@pytest.mark.parametrize("dealt_with", [Bumped, CreatorStackFell])
def test_a_fall_that_was_dealt_with_by_hand_is_asked_about_no_more(host, dealt_with):  # MX-24, SAM-06
    table, go_us = copying(host)
    host.on_reading(tower_at(go_us + 1_000_000, False, True, True))
    table.submit(dealt_with(table.session.players[0]), Origin("by-hand"))
    assert host.questions.of(table.session.id) == ()


@pytest.mark.parametrize("time_is_up", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_no_ruling_takes_the_fall_of_the_creators_stack_away(host, seat, time_is_up):  # SAM-06
    table, go_us = copying(host)
    host.on_reading(tower_at(go_us + 1_000_000, False, True, True))
    if time_is_up:
        table.submit(TimeRanOut(go_us + 60_000_000), Origin("end", source="clock"))
    ruling = Ruling(table.session.players[seat], -1, "rude")
    table.submit(ruling, Origin("ruling"))
    for number in range(2):  # taken back, and given again
        assert len(host.questions.of(table.session.id)) == 1
        table.undo(Origin(f"undo-{number}"), seq=table.seq)
    (asked,) = host.questions.of(table.session.id)
    host.confirm(asked.id, {}, Origin("yes"))
    assert table.state.current.faulty


def test_a_fall_that_nobody_answered_is_asked_about_until_the_round_is_closed(host):  # SAM-06
    table, go_us = copying(host)
    host.on_reading(tower_at(go_us + 1_000_000, False, True, True))
    table.submit(TimeRanOut(go_us + 60_000_000), Origin("end", source="clock"))
    host.on_reading(tower_at(go_us + 61_000_000, True, True, True))
    assert len(host.questions.of(table.session.id)) == 1
    table.submit(RoundClosed(), Origin("close"))
    assert host.questions.of(table.session.id) == ()


def test_an_answer_among_several_that_was_entered_by_hand_ends_the_question(host, looking, monkeypatch):
    """Whose truck was it, say: who enters the own load has answered, and no other gets the same boxes."""
    ann, bob = (SackPlaced(player, 1, 1, "T", "T", 2) for player in looking.session.players)
    seen = iter([Proposed(ann, confirm=True, instead=(("Bob", bob),), which=True), None])
    monkeypatch.setattr(looking, "game", altered(looking.game, propose=lambda _state, _reading: next(seen)))
    looking.submit(Rolled((1, 2)), Origin("roll", 0))
    host.on_reading(card(7))
    assert len(host.questions.of(looking.session.id)) == 1
    looking.submit(bob, Origin("bob", 1))
    assert host.questions.of(looking.session.id) == ()


def test_who_says_that_the_stack_stands_is_asked_once_though_two_pictures_doubt_it(host):  # SAM-06, SAM-07
    table, go_us = copying(host)
    for seq, at_us in ((3, go_us - 13_000_000), (6, go_us - 3_000_000)):  # the creation is over, the others begin
        host.on_glance(f"{table.session.id}:{seq}", tower_at(at_us + 100_000, False, True, True))
    (asked,) = host.questions.of(table.session.id)
    assert type(asked.event).__name__ == "CreatorStackFell"
    host.dismiss(table.session.id, asked.id)
    assert host.questions.of(table.session.id) == ()


@pytest.mark.parametrize(("how", "left"), [("answered", 0), ("entered by the camera", 0), ("typed in", 1)])
def test_what_has_become_an_entry_is_looked_at_again_only_where_it_was_typed_in(host, looking, monkeypatch, how, left):
    """As if the same dice said something of Bob, too, once they are rolled."""
    ann, bob = looking.session.players

    def propose(state, _reading):
        rolled = Proposed(SharedRoll((1, 2), (ann, bob)), confirm=how != "entered by the camera")
        return rolled if state.dice is None else Proposed(Ruling(bob, 1, "his die"))

    monkeypatch.setattr(looking, "game", altered(looking.game, propose=propose))
    die = DieReading(1, 50, 50, 40, 40, 0, "white", 0.99, True, ((1, 1.0),))
    host.on_reading(Settled(DiceReading(640, 480, (die,)), 1, 2, b"frame", (b"die",)))
    if how == "answered":
        host.confirm(host.questions.of(looking.session.id)[0].id, {}, Origin("tap"))
    elif how == "typed in":
        looking.submit(SharedRoll((1, 2), (ann,)), Origin("tap", 0))
    looking.submit(Ruling(ann, 1, "early"), Origin("ruling", 1))
    assert [each.event.player for each in host.questions.of(looking.session.id)] == [bob] * left


@pytest.mark.parametrize("glanced", [True, False])
def test_an_answered_question_is_over_though_the_look_means_the_same_still(host, looking, monkeypatch, glanced):
    same = Proposed(Ruling(looking.session.players[0], 1, "the card says so"), confirm=True)
    always = altered(looking.game, propose=lambda *_seen: same, glanced=lambda *_seen: same)
    monkeypatch.setattr(looking, "game", always)
    look = partial(host.on_glance, asked_by(looking), card(7)) if glanced else partial(host.on_reading, card(7))
    look()
    host.confirm(host.questions.of(looking.session.id)[0].id, {}, Origin("yes"))
    assert host.questions.of(looking.session.id) == ()
    looking.undo(Origin("back"))
    assert host.questions.of(looking.session.id) == ()
    look()
    assert len(host.questions.of(looking.session.id)) == 1  # seen anew, and something was entered since


def test_dismissing_forgets_the_look(host, looking):
    host.on_glance(asked_by(looking), tower(True))
    host.dismiss(looking.session.id, host.questions.of(looking.session.id)[0].id)
    looking.submit(Rolled((3, 4)), Origin("typed", 0))
    looking.undo(Origin("back"))
    assert host.questions.of(looking.session.id) == ()
