"""`companion new-game` writes a package that works, and `companion check-game` says what is wrong with a game."""

import ast
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import count
from unittest import mock

import pytest
from click.testing import CliRunner

from companion.app.authors.check_game import check_game
from companion.app.authors.new_game import new_game
from companion.app.authors.trial import Trial, lines
from companion.errors import BadInput, IllegalEvent
from companion.game.game import Pages
from companion.game.options import AS_PRINTED, OptionChoice, Preset, option
from companion.games.rulings import Ruling
from companion.packages import installer
from companion.shelf import GAMES
from tests.recipes.ten_steps import GAME, Walked

RULES = GAME.rules


def test_a_new_game_works_as_it_is(tmp_path):
    done = CliRunner().invoke(new_game, ["coin_race", "--into", str(tmp_path)])
    assert done.exit_code == 0, done.output
    folder = tmp_path / "coin_race"
    assert f"\n    {installer()} --editable {folder}\n    companion check-game coin_race\n" in done.output
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "tests"]
    ran = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True)
    assert "4 passed" in ran.stdout, ran.stdout + ran.stderr
    assert lines_of_functions(folder / "coin_race_game/rules.py") <= 16  # A maker reads them in one look.


def lines_of_functions(path):
    """How many lines of a module stand within its functions, without their docstrings."""
    functions = [part for part in ast.parse(path.read_text()).body if isinstance(part, ast.FunctionDef)]
    assert {one.name for one in functions} == {"start", "legal", "apply", "score"}
    return sum(one.end_lineno - one.lineno + 1 - (ast.get_docstring(one) is not None) for one in functions)


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


@dataclass(frozen=True)
class Switches:
    """Of a game that cannot be played with long == True, nor with goal == 99."""

    goal: int = option(10, "Goal", "So many steps.", "", low=2, high=99)
    long: bool = option(False, "Long", "It takes longer.", "")
    way: str = option("left", "Way", "Where to.", "", choices=(OptionChoice("left", ""), OptionChoice("right", "")))


def start_with(options, players):
    if options.goal == 99:
        raise IllegalEvent("That is too far.")
    if options.long:
        raise KeyError("long")
    return RULES.start(options, players)


def test_the_values_of_each_option_are_played_and_the_first_one_that_fails_is_named():
    begun = set()

    def start(options, players):
        begun.add((options, len(players)))
        return start_with(options, players)

    trial = Trial(ruled(start=start, options=Switches), seed=1)
    for number in range(40):
        trial.play(number)
    assert Switches() in {options for options, _count in begun}
    assert {options.way for options, _count in begun} == {"left", "right"}
    assert {2, 10, 99} < {options.goal for options, _count in begun}
    assert {count for options, count in begun if options.way == "right"} == {2, 3, 4}
    assert trial.refused == {"goal = 99": "That is too far."}
    fault, refused = lines(trial)
    assert fault.startswith("start() fails with KeyError: 'long' (test_authors.py, line")
    assert "first with" in fault
    assert "long = True" in fault
    assert refused == "No game began with these options, as start() refuses them: goal = 99 (That is too far.)"


@dataclass(frozen=True)
class Entangled:
    """Of a game whose goal 50 goes with the way back alone, and its four legs with a preset and four players alone."""

    goal: int = option(10, "Goal", "So many steps.", "", choices=(OptionChoice(10, ""), OptionChoice(50, "")))
    way: str = option("out", "Way", "Where to.", "", choices=(OptionChoice("out", ""), OptionChoice("back", "")))
    legs: int = option(1, "Legs", "How many legs.", "", choices=(OptionChoice(1, ""), OptionChoice(4, "")))
    names: tuple[str, ...] = option((), "Names", "One for each leg.", "")


def test_options_that_go_together_with_others_alone_are_played_with_those():
    begun = set()

    def start(options, players):
        if options.goal == 50 and options.way != "back":
            raise IllegalEvent("So far you can only go back.")
        if options.way == "back" and options.goal != 50:
            raise IllegalEvent("The way back has 50 steps.")
        if options.legs != max(1, len(options.names)) or (options.legs > 1 and len(players) < 4):
            raise IllegalEvent("Each leg has a name, and a player.")
        begun.add((options, len(players)))
        return RULES.start(options, players)

    relay = Preset("relay", "", "", {"legs": 4, "names": ("a", "b", "c", "d")})
    game = ruled(start=start, options=Entangled)
    trial = Trial(replace(game, pages=replace(game.pages, presets=(AS_PRINTED, relay))), seed=1)
    for number in range(12):
        trial.play(number)
    assert (Entangled(legs=4, names=("a", "b", "c", "d")), 4) in begun  # the preset as it is
    assert {(50, "back"), (10, "out")} == {(options.goal, options.way) for options, _count in begun}
    assert trial.refused == {}
    assert trial.faults == {}


@dataclass(frozen=True)
class ManyWays:
    """Of a game that is told one way more than the first games that are looked at have."""

    way: int = option(0, "Way", "Where to.", "", choices=tuple(OptionChoice(way, "") for way in range(15)))


def test_the_pages_of_every_value_are_looked_at_also_of_the_last_of_many():
    def start(options, players):
        return replace(RULES.start(options, players), walks=100 * options.way)

    def describe(state, event, viewer):
        return GAME.pages.describe(state, event, viewer) if state.walks < 1400 else "walked"

    broken = replace(ruled(options=ManyWays, start=start), pages=replace(GAME.pages, describe=describe))
    trial = Trial(broken, seed=1)
    for number in range(1 + 15):  # The first game has the options of a new game.
        trial.play(number)
    (fault,) = trial.faults
    assert fault.startswith("describe() says 'walked'")
    assert trial.first[fault] == "way = 14"


def test_a_game_that_other_options_make_long_is_left_and_that_is_said():
    endless = ruled(
        options=Switches,
        start=lambda options, players: replace(RULES.start(options, players), walks=10**6 * (options.goal == 99)),
        legal=lambda state, player: (Walked(player, 0),) if state.walks >= 10**6 else RULES.legal(state, player),
        is_over=lambda state: state.walks < 10**6 and RULES.is_over(state),
        apply=lambda state, event, ruled=False: RULES.apply(state, event, ruled) if event.steps else state,
    )
    trial = Trial(endless, seed=1)
    for number in range(8):
        trial.play(number)
    assert trial.left > 0
    assert trial.faults == {}


def check(*words):
    with mock.patch.dict(GAMES, {RULES.name: ruled(options=Switches, start=start_with) if "broken" in words else GAME}):
        return CliRunner().invoke(check_game, [RULES.name, *(word for word in words if word != "broken")])


def test_the_command_says_what_was_played_and_by_which_seed():
    done = check("--games", "20", "--seed", "7")
    assert (done.exit_code, done.exception) == (0, None)
    said = done.stdout.strip().splitlines()[-1]
    assert said.startswith("Nothing is wrong. Played: 20 games of Ten Steps, with ")
    assert said.endswith(" events, by seed 7.")
    assert check("--games", "20", "--seed", "7").stdout == done.stdout
    assert check("--games", "20", "--seed", "8").stdout.replace("seed 8", "seed 7") != done.stdout


def test_the_command_ends_with_1_where_something_is_wrong_and_names_the_seed_all_the_same():
    done = check("broken", "--games", "20")
    assert done.exit_code == 1
    *_faults, last = done.stdout.strip().splitlines()
    assert "start() fails with KeyError: 'long'" in done.stdout
    assert last.startswith("Played: 20 games of Ten Steps, with ")
    assert last.endswith("by seed 1.")


def test_a_game_that_is_not_there_is_one_sentence():
    done = CliRunner().invoke(check_game, ["no_such_game"])
    assert isinstance(done.exception, BadInput)
    assert str(done.exception).startswith("There is no game no_such_game")
