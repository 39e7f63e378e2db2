"""The questions of the house as a value: what each step makes of them, without a table and without a disk."""

import threading
from dataclasses import replace

import pytest

from companion.changes import Live
from companion.clock import Clock
from companion.game.readings import CardReading, DiceReading, Kind, Settled, TowerReading
from companion.game.seeing import Proposed, Remark
from companion.games.sack_stackers.events import Rolled
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.proposals import proposal_of, without_patience
from companion.sensing.questions import MOST_SNAPSHOTS, LastLook, PendingLook, Questions, Snapshot, pending_look

CARD, DICE, TOWER = CardReading(640, 480, 7, "Card 7", 0.9, True), DiceReading(640, 480, ()), TowerReading(640, 480, ())


def settled(reading=CARD):
    return Settled(reading, 1, 2, b"frame", ())


def question(name, reading=CARD, roll=(1, 2), session="ours", asked_by=None, **proposed):
    """One whose id is its name."""
    meant = Proposed(Rolled(roll), **proposed)
    return replace(proposal_of(session, meant, settled(reading), (), name, 0, 0, asked_by), id=name)


def names(questions):
    return [each.id for each in questions.waiting]


@pytest.mark.parametrize(
    ("asked", "stays"),
    [
        (question("old"), False),
        (question("lasting", lasting=True), True),  # a stack that fell has fallen
        (question("a shout's", asked_by=3), True),
        (question("the other camera's", TOWER), True),
        (question("another game's", session="theirs"), True),
    ],
)
def test_a_look_replaces_what_the_same_camera_asked_at_rest(asked, stays):
    now = Questions((asked,)).looked_at("ours", Kind.CARD, question("new", roll=(6, 6)))
    assert names(now) == [asked.id, "new"] if stays else ["new"]
    assert names(Questions((asked,)).looked_at("ours", Kind.CARD, None)) == ([asked.id] if stays else [])


def test_the_same_question_keeps_its_id_unless_it_is_about_dice():
    for reading, kind, kept in ((CARD, Kind.CARD, "first"), (DICE, Kind.DICE, "second")):
        now = Questions((question("first", reading),)).looked_at("ours", kind, question("second", reading))
        assert (names(now), now.waiting[0].picture) == ([kept], "second")


def test_what_was_sent_away_stays_away_until_its_game_goes_on():
    now = Questions((question("first"),)).sent_away("first", lambda _snapshot: False)
    assert names(now) == []
    assert names(now.looked_at("ours", Kind.CARD, question("again"))) == []
    assert names(now.looked_at("theirs", Kind.CARD, question("again", session="theirs"))) == ["again"]
    now = now.with_nothing_declined("theirs")
    assert names(now.looked_at("ours", Kind.CARD, question("again"))) == []
    now = now.with_nothing_declined("ours")
    assert names(now.looked_at("ours", Kind.CARD, question("again"))) == ["again"]


def test_who_sends_a_question_away_ends_the_look_and_the_snapshots_that_it_answers():
    first, second = (Snapshot("ours", by, settled(TOWER)) for by in (3, 4))
    look = PendingLook("ours", settled(DICE), None)
    asked = Questions((question("at rest"), question("a shout's", asked_by=3)), (first, second), pending=look)
    now = asked.sent_away("a shout's", lambda snapshot: snapshot.asked_by == 3)
    assert (names(now), now.snapshots, now.pending) == (["at rest"], (second,), look)
    now = now.sent_away("at rest", lambda _snapshot: False)
    assert (names(now), now.snapshots, now.pending) == ([], (second,), None)
    assert now.sent_away("at rest", lambda _snapshot: True) == now  # once


def test_what_an_entry_leaves_of_the_questions_of_its_game():
    """One means nothing any more, one the same as before, and another game's is nobody's business."""
    asked = Questions((question("over"), question("the same"), question("theirs", session="theirs")))
    now = asked.reconsider("ours", lambda each: None if each.id != "the same" else replace(each, seq=5))
    assert [(each.id, each.seq) for each in now.waiting] == [("the same", 5), ("theirs", 0)]


def test_a_question_counts_by_itself_once_and_is_known_to_have_counted():
    asked = Questions((question("patient", patience_s=10, asked_by=3), question("never")))
    assert asked.due(9_999_999) == ()
    assert [each.id for each in asked.due(10_000_000)] == ["patient"]
    now = asked.counting(10_000_000)
    assert (now.due(10_000_000), now.counted) == ((), (("ours", 3),))
    assert now.waiting == (without_patience(asked.waiting[0]), asked.waiting[1])


def test_a_look_that_has_become_an_entry_is_closed_and_a_newer_one_is_not():
    look, newer = (PendingLook("ours", settled(reading), None) for reading in (DICE, CARD))
    assert Questions(pending=look).without_pending(look).pending is None
    assert Questions(pending=newer).without_pending(look).pending is newer
    assert Questions().with_pending(look).pending is look  # it shows more than what was entered
    assert Questions(pending=newer).with_pending(look).pending is newer


def test_the_newest_look_is_asked_about_again_only_by_its_game_and_only_while_nothing_is():
    look = pending_look("ours", settled(DICE), Remark("Too many dice."))
    asked = Questions((question("a shout's", asked_by=3), question("theirs", session="theirs")), pending=look)
    assert (asked.pending_of("ours"), asked.pending_of("theirs")) == (look, None)
    assert asked.asking(question("at rest")).pending_of("ours") is None


def test_a_card_says_nothing_more_after_an_entry_by_hand():
    assert pending_look("ours", settled(CARD), Remark("Not now.")) is None
    assert pending_look("ours", settled(DICE), Proposed(Rolled((1, 2)))).asked == {"table"}


def test_of_snapshots_the_oldest_go_first():
    now = Questions()
    for seq in range(MOST_SNAPSHOTS + 2):
        now = now.with_snapshot(Snapshot("ours", seq, settled(TOWER)))
    assert [each.asked_by for each in now.snapshots] == list(range(2, MOST_SNAPSHOTS + 2))


def test_pictures_of_a_game_are_forgotten_and_no_other_games():
    kept = Questions(
        (question("ours"), question("theirs", session="theirs")),
        (Snapshot("ours", 3, settled()), Snapshot("theirs", 3, settled())),
        pending=PendingLook("ours", settled(DICE), None),
        last_look=LastLook("theirs", Kind.CARD, b"frame"),
    )
    now = kept.without_pictures(lambda session: session == "ours")
    assert [each.picture for each in now.waiting] == [None, "theirs"]
    assert ([each.session for each in now.snapshots], now.pending, now.last_look) == (["theirs"], None, kept.last_look)
    assert kept.without_pictures(lambda session: session == "theirs").last_look is None


def test_a_step_that_another_change_overtakes_is_worked_out_again():
    """Also where that change has left everything as it was: it may have gone by what this step did not know yet."""
    open_questions, seen = OpenQuestions(Clock(0), Live()), []

    def step(questions):
        seen.append(names(questions))
        if len(seen) == 1:
            open_questions.change(lambda now: now)
        if len(seen) == 2:
            open_questions.change(lambda now: now.asking(question("another's")))
        return questions.asking(question("this one"))

    _before, after = open_questions.change(step)
    assert seen == [[], [], ["another's"]]
    assert names(after) == names(open_questions.now) == ["another's", "this one"]


def test_nobody_who_looks_waits_for_a_step():
    open_questions, looked = OpenQuestions(Clock(0), Live()), threading.Event()

    def look():
        open_questions.of("ours")
        open_questions.wait_after_move()
        looked.set()

    def step(questions):
        if not looked.is_set():
            threading.Thread(target=look, daemon=True).start()
            assert looked.wait(5)
        return questions

    open_questions.change(step)


def test_nothing_of_a_deleted_game_stays():
    event = Rolled((1, 2))
    kept = Questions(waiting=(question("a"),), declined=(("theirs", event),), counted=(("theirs", 3),))
    assert replace(kept, declined=(("ours", event), *kept.declined), counted=(("ours", None), *kept.counted)).without(
        "ours"
    ) == replace(kept, waiting=())
