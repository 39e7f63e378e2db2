"""`companion new-game` writes a package that works, and `companion check-game` says what is wrong with a game."""

import subprocess
import sys
from dataclasses import replace
from itertools import count
from unittest import mock

import pytest
from click.testing import CliRunner

from companion.app.authors.new_game import new_game
from companion.app.authors.trial import Trial
from companion.errors import BadInput
from companion.game.game import Pages
from companion.games.rulings import Ruling
from companion.shelf import GAMES
from tests.recipes.ten_steps import GAME

RULES = GAME.rules


def test_a_new_game_works_as_it_is(tmp_path):
    done = CliRunner().invoke(new_game, ["coin_race", "--into", str(tmp_path)])
    assert done.exit_code == 0, done.output
    folder = tmp_path / "coin_race"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "tests"]
    ran = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True)
    assert "4 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", ["Farkle", "9lives", "../up", "a" * 41, "stack_dice", ""])
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(tmp_path, name):
    done = CliRunner().invoke(new_game, [name, "--into", str(tmp_path)])
    assert isinstance(done.exception, BadInput)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "coin_race").mkdir()
    done = CliRunner().invoke(new_game, ["coin_race", "--into", str(tmp_path)])
    assert isinstance(done.exception, BadInput)
    assert list((tmp_path / "coin_race").iterdir()) == []


def faults(game, games=3):
    trial = Trial(game, seed=1)
    for number in range(games):
        trial.play(number)
    return " ".join(trial.faults)


def ruled(**changes):
    return replace(GAME, rules=replace(RULES, **changes))


def forgets_the_third_step(state, event, ruled=False):
    if getattr(event, "steps", 0) == 3:
        raise KeyError("three")
    return RULES.apply(state, event, ruled)


def changes_in_place(state, event, ruled=False):
    state.places[event.player] += 1
    return RULES.apply(state, event, ruled)


CALLS = count()


def counts_calls(state, event, ruled=False):
    return replace(RULES.apply(state, event, ruled), rulings=(Ruling("Ann", 0, f"{next(CALLS)}"),))


@pytest.mark.parametrize(
    ("game", "says"),
    [
        (ruled(apply=forgets_the_third_step), "apply() fails with KeyError: 'three' (test_authors.py, line"),
        (ruled(apply=changes_in_place), "apply() changed the state that it was given"),
        (ruled(apply=counts_calls), "The same events gave another state"),
        (ruled(is_over=lambda state: False), "Nobody can do anything"),
        (ruled(legal=lambda state, player: RULES.legal(state, state.players[0]) and ()), "Nobody can do anything"),
        (ruled(score=lambda state: {"Ann": 1}), "score() has to give every player's points"),
        (ruled(explain=lambda state, player: (("Steps", 1, ""),)), "The lines of explain() don't add up to score()."),
        (ruled(winners=lambda state: ("Zoe",)), "winners() names somebody who didn't play."),
        (replace(GAME, pages=Pages(describe=lambda *_: "walked")), "describe() says 'walked'"),
        (replace(GAME, pages=Pages(view=lambda *_: 1 / 0)), "view() fails with ZeroDivisionError"),
    ],
)
def test_what_is_wrong_with_a_game_is_said(game, says):
    assert says in faults(game)


def test_pages_and_undo_are_tried_at_a_table():
    trial = Trial(GAME, seed=1)
    with mock.patch.dict(GAMES, {RULES.name: GAME}):
        trial.draw()
    assert trial.faults == {}
    broken = replace(GAME, pages=replace(GAME.pages, view=lambda state, viewer: (7,)))
    trial = Trial(broken, seed=1)
    with mock.patch.dict(GAMES, {RULES.name: broken}):
        trial.draw()
    assert trial.faults != {}


def test_nothing_is_wrong_with_games_that_are_played():
    assert faults(GAME, 20) == ""
    assert faults(GAMES["swapstax"], 1) == ""
