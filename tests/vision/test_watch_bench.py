"""`make bench NAME=watch`: what its film shows is what it says, and what is told at the wrong moment is counted."""

import json
import shutil
from itertools import pairwise

import numpy as np
import pytest

from companion.app.bench.dice import OWN_SCENES
from companion.game.readings import DiceReading, DieReading, Settled
from tests.benches import watch
from tests.benches.tally import Tally
from tests.benches.watch import growth_figures, idle_figure, readings, round_figures, watch_of
from vision.training.drawn.rolls import FRAME_US, Film
from vision.training.filmed.by_hand import HandCamera, Lying
from vision.training.filmed.photographs import PhotoFilm, scene_of

SIZE_PX = (640, 480)
NOISE = 25  # levels that no pixel's noise reaches in two frames


def film(seed: int = 1, size_px: tuple[int, int] = SIZE_PX) -> Film:
    return Film(np.random.default_rng(seed), size_px)


def differ(one, other) -> bool:
    """Two frames show different things."""
    return bool((np.abs(one.frame.bgr.astype(int) - other.frame.bgr) > NOISE).any())


def test_dice_lie_still_from_the_moment_that_is_said():
    filmed = film()
    moments = list(filmed.throw(3))
    for before, after in pairwise(moments):
        assert after.die_moves is (after.frame.at_us < filmed.rested_us)
        if not before.die_moves:
            assert not differ(before, after)
    assert differ(moments[5], moments[-1])


def test_a_hand_is_in_the_pictures_that_are_said_to_have_one_and_in_no_other():
    filmed = film()
    (*_, still) = filmed.throw(2)
    moments = list(filmed.hover())
    assert [moment.hand_in_view for moment in moments] == [differ(still, moment) for moment in moments]
    assert not any(moment.die_moves for moment in moments)


def test_a_nudged_die_lies_elsewhere_and_a_hand_takes_as_many_as_are_said():
    filmed = film()
    list(filmed.throw(4))
    before = filmed.table.dice
    list(filmed.nudge())
    apart = [np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for a, b in zip(before, filmed.table.dice, strict=True)]
    assert sorted(apart)[:3] == [0, 0, 0]
    assert 8 <= max(apart) <= 24  # half a die to one and a half
    list(filmed.take(3))
    assert len(filmed.table.dice) == 1


@pytest.mark.parametrize("size_px", [(640, 480), (1280, 720), (1920, 1080)])
def test_a_roll_in_the_film_is_told_once_with_its_values_at_every_size(size_px):
    filmed = film(3, size_px)
    watch = watch_of(filmed)
    assert readings(watch, filmed.rest()) == []
    ((moment, settled),) = readings(watch, filmed.throw(4))
    assert (moment.die_moves, moment.frame.bgr.shape) == (False, (size_px[1], size_px[0], 3))
    assert sorted(die.value for die in settled.reading.dice) == sorted(die.value for die in filmed.table.dice)
    assert abs(settled.rested_us - filmed.rested_us) <= 2 * FRAME_US


class Chatterbox:
    """Tells something at every frame, 300 ms later."""

    def feed(self, frame):
        return Settled(DiceReading(*SIZE_PX, ()), frame.at_us, frame.at_us + 300_000, b"", ())


class Mute:
    """Tells nothing."""

    def feed(self, _frame):
        return None


def counts(monkeypatch, observer, rounds):
    monkeypatch.setattr(watch, "watch_of", lambda _film: observer)
    figures = round_figures(np.random.default_rng(1), SIZE_PX, rounds)
    return {figure.name: (figure.count, figure.total) for figure in figures if figure.total is not None}


def test_what_is_told_at_the_wrong_moment_is_counted_once_for_each_throw_and_hand(monkeypatch):
    assert counts(monkeypatch, Chatterbox(), 1) == {
        "throws told": (1, 1),
        "ready later than 250 ms, of throws told": (1, 1),
        "told while a die moved, of throws": (1, 1),
        "told with a hand in view, of hands": (3, 3),
        "the same, surely and as new, of hands": (3, 3),
        "hand taking dice told as a roll": (1, 1),
        "same dice told twice": (3, 3),
        "nudged die told": (1, 1),
    }


def test_who_tells_nothing_tells_nothing_wrong_and_nothing_at_all(monkeypatch):
    assert counts(monkeypatch, Mute(), 1) == {
        "throws told": (0, 1),
        "told while a die moved, of throws": (0, 1),
        "told with a hand in view, of hands": (0, 3),
        "the same, surely and as new, of hands": (0, 3),
        "hand taking dice told as a roll": (0, 1),
        "same dice told twice": (0, 3),
        "nudged die told": (0, 1),
    }


def test_what_watching_costs_has_its_rows():
    idle = idle_figure(np.random.default_rng(1), SIZE_PX, 3)
    assert (idle.name, idle.unit) == ("idle at 15 frames a second, 3 dice", "% of one core")
    median, worst = growth_figures(np.random.default_rng(1), 60, 1)
    assert (median.group, median.value) == ("1280 × 720, 60 dice", worst.value)


def test_throws_of_photographs_by_hand_have_a_group_for_each_size_and_hand(monkeypatch, tmp_path):
    entry = next(label for label in json.loads((OWN_SCENES / "labels.json").read_text()) if label["dice"])
    shutil.copy(OWN_SCENES / entry["image"], tmp_path)
    (tmp_path / "labels.json").write_text(json.dumps([entry]))
    monkeypatch.setattr(watch, "HELD_SIZES_PX", ((320, 576),))
    figures = watch.held_figures(tmp_path, tmp_path / "out")
    told = [(figure.group, figure.total) for figure in figures if figure.name == "throws told"]
    assert told == [("320 × 576, stays", 1), ("320 × 576, goes along", 1)]


def test_a_throw_that_nobody_tells_is_drawn(monkeypatch):
    monkeypatch.setattr(watch, "watch_held", Mute)
    photo_bgr = np.random.default_rng(1).integers(0, 255, (480, 640, 3), dtype=np.uint8)
    labels = [{"value": 2, "cx": 320.0, "cy": 240.0, "w": 40.0, "h": 40.0, "size_px": 40.0}]
    scene = scene_of(photo_bgr, photo_bgr, labels, SIZE_PX)
    rng = np.random.default_rng(1)
    filmed = PhotoFilm(rng, scene, HandCamera(rng, SIZE_PX, scene.bare_bgr.shape[1::-1]))
    tally = Tally()
    assert watch.count_throw(tally, filmed) is filmed.last_bgr
    assert next(figure.count for figure in tally.figures("") if figure.name == "throws told") == 0


def test_a_wrong_value_and_a_die_where_none_lies_are_counted():
    def die(value, cx, accepted=True):
        return DieReading(value, cx, 50.0, 20.0, 20.0, 0.0, None, 0.9, accepted, ((value, 0.9),))

    tally = Tally()
    reading = DiceReading(320, 576, (die(1, 50), die(3, 100), die(4, 150, accepted=False), die(5, 250)))
    watch.count_dice(tally, [Lying(1, 52, 50), Lying(2, 100, 50), Lying(4, 150, 50)], reading)
    assert {figure.name: (figure.count, figure.total) for figure in tally.figures("")} == {
        "dice read rightly, of throws told": (1, 3),
        "accepted wrong value": (1, 3),
        "accepted die where none lies": (1, 4),
        "asked about": (1, 4),
    }
