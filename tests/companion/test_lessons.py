"""What is kept of answers and corrections, and only with the house's consent: labelled pictures outside every chain."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing

import cv2
import numpy as np
import pytest

from companion.cameras.dice_colours import lessons_of, take_back, teach
from companion.errors import JournalUnusable
from companion.game.readings import Box, DiceReading, DieReading, Settled
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.backup import backup
from companion.journal.events import Origin
from companion.journal.store import Journal

CROP = cv2.imencode(".jpg", np.full((160, 170, 3), 90, np.uint8))[1].tobytes()


def die(value, confidence=0.999, accepted=True, needs=0.97):
    chances = ((value, confidence), (value % 6 + 1, 1 - confidence))
    return DieReading(value, 50, 50, 40, 40, 0, "red", confidence, accepted, chances, needs, (180.0, 30.0, 40.0))


def doubtful(value, confidence=0.9):
    return die(value, confidence, accepted=False)


def settled(*dice, unread=()):
    return Settled(DiceReading(640, 480, dice, unread), 1, 2, b"frame", (CROP,) * (len(dice) + len(unread)))


@pytest.fixture
def consent(host):
    """A house that wants its camera to learn; hears what the camera is told."""
    told = []
    host.learner.set_keeps(True)
    host.learner.on_change = told.append
    return told


def kept(host):
    with closing(sqlite3.connect(host.learner.lessons.path)) as db, db:
        found = db.execute("SELECT seq, path, read, said FROM dice ORDER BY seq, path").fetchall()
    db.close()
    return found


def correct(table, *dice):
    table.amend(1, Rolled(dice), Origin(f"correct-{table.seq}"))


def answer(host, table, said):
    (proposal,) = host.questions.of(table.session.id)
    return host.confirm(proposal.id, said, Origin(f"answer-{table.seq}"))


def test_without_consent_nothing_is_kept_and_nothing_learnt(host, sack):
    host.on_reading(settled(die(3), die(5)))
    correct(sack, 3, 6)
    assert not host.learner.lessons.path.exists()
    assert host.learner.strictness == 1


def test_an_answer_is_kept_with_the_die_it_is_about_and_no_other(host, sack, consent):
    host.on_reading(settled(die(3), doubtful(5)))
    answer(host, sack, {"dice.1": 6})
    assert kept(host) == [(1, "dice.1", 5, 6)]
    (game,) = host.learner.lessons.games()
    assert (game.accepted, len(game.answers), game.answers[0].wrong) == (1, 1, True)
    assert game.answers[0].usual == pytest.approx(0.03)
    assert host.learner.lessons.path.stat().st_mode & 0o077 == 0


def test_a_die_that_could_not_be_read_is_kept_but_says_nothing_about_confidence(host, sack, consent):
    host.on_reading(settled(die(3), unread=(Box(9, 9, 40, 40),)))
    answer(host, sack, {"dice.1": 4})
    assert kept(host) == [(1, "dice.1", None, 4)]
    assert host.learner.lessons.games()[0].answers == ()


def test_a_correction_makes_the_camera_stricter_and_undoing_it_unlearns(host, sack, consent):
    host.on_reading(settled(die(3), die(5)))
    assert kept(host) == []
    correct(sack, 3, 6)
    assert kept(host) == [(1, "dice.1", 5, 6)]
    assert consent[-1] > 1.5
    sack.undo(Origin("undo"))
    assert kept(host) == []
    assert consent[-1] == 1
    sack.undo(Origin("redo"), seq=sack.seq)
    assert kept(host) == [(1, "dice.1", 5, 6)]
    sack.strike(1, Origin("strike"))
    assert kept(host) == []


def test_what_was_corrected_is_taken_back_without_consent_too(host, sack, consent):
    host.on_reading(settled(die(3), die(5)))
    correct(sack, 3, 6)
    host.learner.set_keeps(False)
    sack.submit(Ruling(sack.session.players[0], 1, "A fair move"), Origin("on"))
    assert kept(host) == [(1, "dice.1", 5, 6)]  # until somebody deletes it, or says otherwise
    sack.undo(Origin("off"))
    sack.undo(Origin("undo"))
    assert kept(host) == []
    assert consent[-1] == 1
    sack.undo(Origin("redo"), seq=sack.seq)
    assert kept(host) == []


def test_a_label_that_was_changed_without_consent_is_not_left_as_it_was(host, sack, consent):
    host.on_reading(settled(die(3), die(5)))
    correct(sack, 3, 6)
    host.learner.set_keeps(False)
    correct(sack, 3, 2)
    assert kept(host) == []
    assert consent[-1] == 1


def test_an_event_that_is_only_added_is_compared_with_nothing(host, sack, consent, monkeypatch):
    host.on_reading(settled(die(3), die(5)))
    correct(sack, 3, 6)
    looked = []
    monkeypatch.setattr(sack, "event", looked.append)
    monkeypatch.setattr(host.learner.lessons, "said_values", lambda _session: looked.append("the file") or {})
    sack.submit(Ruling(sack.session.players[0], 1, "A fair move"), Origin("on"))
    assert looked == []
    sack.undo(Origin("undo"))
    assert looked == [1, "the file"]


def test_a_correction_is_learnt_from_although_another_tap_came_before_it_was_looked_at(
    host, sack, consent, monkeypatch
):
    host.on_reading(settled(die(3), die(5)))
    with monkeypatch.context() as later:
        later.setattr(host.learner, "look_again", lambda _table: None)
        correct(sack, 3, 6)
    sack.submit(Ruling(sack.session.players[0], 1, "A fair move"), Origin("on"))
    assert kept(host) == [(1, "dice.1", 5, 6)]


def test_the_same_dice_in_another_order_and_another_roll_are_no_corrections(host, sack, consent):
    host.on_reading(settled(die(3), die(5)))
    correct(sack, 5, 3)
    assert kept(host) == []
    correct(sack, 1, 1)
    assert kept(host) == []
    assert host.learner.strictness == 1


def test_an_answer_that_is_corrected_after_a_restart_is_forgotten(host, sack, consent, tmp_path):
    host.on_reading(settled(die(3), doubtful(5)))
    answer(host, sack, {"dice.1": 6})
    host.journal.close()
    again = Host(Journal(tmp_path / "journal.sqlite3"))
    again.clock.offset_us = host.clock.offset_us
    correct(again.table(sack.session.id), 3, 5)
    assert len(again.learner.lessons) == 0
    again.live.close()
    again.journal.close()


def test_nothing_of_it_is_in_a_chain_an_export_or_a_copy(host, sack, consent, tmp_path):
    host.on_reading(settled(die(3), doubtful(5)))
    answer(host, sack, {"dice.1": 6})
    assert "body_rgb" not in host.transfer.export(sack.session.id)
    backup(host.journal.path, tmp_path / "copy.sqlite3")
    host.journal.delete_pictures()
    backup(host.journal.path, tmp_path / "later.sqlite3")
    assert (
        CROP in (tmp_path / "copy.sqlite3").read_bytes()
    )  # a backup has pictures of questions as long as they are kept
    assert CROP not in (tmp_path / "later.sqlite3").read_bytes()
    assert CROP in host.learner.lessons.path.read_bytes()


def test_deleting_all_pictures_and_deleting_a_person_reach_it(host, sack, consent):
    host.on_reading(settled(die(3), doubtful(5)))
    answer(host, sack, {"dice.1": 6})
    profile = host.people.add("Ann")
    assert len(host.learner.lessons) == 1
    host.erase_person(profile.id)
    assert len(host.learner.lessons) == 0
    assert consent[-1] == 1
    host.on_reading(settled(die(1), die(2)))
    host.delete_pictures()
    assert not host.learner.lessons.path.exists()


def test_a_question_that_is_answered_after_a_person_was_deleted_teaches_nothing(host, sack, consent):
    host.on_reading(settled(die(3), doubtful(5)))
    host.erase_person(host.people.add("Ann").id)
    answer(host, sack, {"dice.1": 6})
    assert not host.learner.lessons.path.exists()


def test_a_damaged_file_holds_up_no_game_and_can_be_deleted(host, sack, consent, caplog):
    host.learner.lessons.path.write_bytes(b"no database at all, but long enough to be looked at" * 99)
    host.on_reading(settled(die(3), die(5)))
    assert sack.state.dice == (3, 5)
    assert "nothing is learnt" in caplog.text
    assert host.learner.pictures_kept is None
    assert host.learner.strictness == 1
    host.learner.delete_all()
    assert host.learner.pictures_kept == 0


def test_a_file_that_cannot_be_removed_is_said_in_a_sentence(host):
    host.learner.lessons.path.mkdir()
    with pytest.raises(JournalUnusable, match=r"can't be deleted \(Is a directory\)\. Delete .* by hand"):
        host.delete_pictures()


def test_the_export_is_a_set_of_labelled_photos(host, sack, consent):
    host.on_reading(settled(die(3), doubtful(5)))
    answer(host, sack, {"dice.1": 6})
    with zipfile.ZipFile(io.BytesIO(host.learner.lessons.export())) as archive:
        (label,) = json.loads(archive.read("labels.json"))
        assert archive.read(label["image"]) == CROP
    assert (label["width"], label["height"]) == (170, 160)
    (shown,) = label["dice"]
    assert (shown["value"], shown["cx"], shown["cy"], shown["colour"]) == (6, 85, 80, "red")
    assert label["read"] == 5


RED, BLUE = (190.0, 30.0, 40.0), (30.0, 60.0, 170.0)


def test_a_lesson_about_a_colour_can_be_taken_back():
    scene = teach({"die_size_mm": 16}, "red", [RED])
    assert scene["colour_rgb"] == {"red": list(RED)}
    twice = teach(scene, "red", [BLUE, BLUE])
    assert take_back(twice, "red") == scene
    assert take_back(scene, "red") == {"die_size_mm": 16, "colour_rgb": {}, "colours_said": {}}
    thrice = teach(twice, "red", [RED])
    assert take_back(thrice, "red", 2, [[BLUE], [RED]]) == teach(teach(scene, "red", [BLUE]), "red", [RED])


def test_what_calibration_found_comes_back_when_every_lesson_is_taken_back():
    calibrated = {"colour_rgb": {"red": list(RED)}}
    lamp = teach(calibrated, "red", [(210.0, 90.0, 20.0), (212.0, 88.0, 24.0)])
    assert lamp["colour_rgb"]["red"] != list(RED)
    assert take_back(lamp, "red")["colour_rgb"] == {"red": list(RED)}


def test_a_scene_that_somebody_damaged_by_hand_teaches_nothing():
    assert lessons_of({"colours_said": {"red": {"lessons": "many"}}}, "red").lessons == ()
    assert lessons_of({"colours_said": 7}, "red").lessons == ()
