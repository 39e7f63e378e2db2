"""The runner of worked cases: what it understands, what it refuses, and that nothing in a file stops the others."""

import pytest

from tests.rulebook.__main__ import main
from tests.rulebook.runner import run_block, run_case, run_file

ORDER = {"id": "order", "kind": "sand_order", "players": 3, "turns": 3, "expect": {"order": [1, 2, 3]}}
TURN = {
    "id": "turn",
    "kind": "sack_turn",
    "sack": ["", "", "", "", "", ""],
    "dice": [1, 4],
    "move": {"gift_die": 1, "gift": "T", "column_die": 2},
    "circles_before": 0,
    "expect": {"legal": True},
}
ABLE = {
    "kind": "sack_able",
    "full_columns": [],
    "empty_sections": [],
    "dice": [1, 6],
    "expect": {"able": True},
}
SCORE = {"kind": "stack_score", "table": ["5:XW"], "expect": {"W": 5}}
LOAD = {
    "kind": "pack_load",
    "truck": {"footprint": ["###"], "height": 1},
    "rolled": {1: 3},
    "expect": {"loss": 0},
}
SPEED = {"kind": "speed_round", "players": 2, "times": {"A": 1, "B": 2}, "expect": {"points": {"A": 2, "B": 1}}}
SWAP = {"kind": "swap_round", "stars": {"A": 3, "B": 1}, "completed": ["A"], "expect": {"points": {"A": 3, "B": 0}}}
GOOD = "- {id: good, kind: sand_order, players: 3, turns: 1, expect: {order: [1]}}\n"


def why(case, **changed):
    """Why a case failed, "" when it passed; always one line."""
    result = run_case({**case, **changed})
    assert (result.outcome == "passed") == (not result.why)
    assert "\n" not in result.why
    return result.why


def outcomes(text):
    return [result.outcome for result in run_block("a file", text)]


def moved(**changed):
    return why(TURN, move={**TURN["move"], **changed})


# files


@pytest.mark.parametrize(
    "text",
    [
        f"```yaml\n{GOOD}```\n",
        f"```yaml  \n{GOOD}```  \n",
        f"1. A list\n\n   ```yaml\n   {GOOD}   ```\n",
        f"~~~ yml\n{GOOD}~~~\n",
        f"```yaml\r\n{GOOD}```\r\n",
        f"```python\nprint()\n```\n````yaml\n{GOOD}````",
    ],
)
def test_yaml_blocks_of_markdown_are_read_however_they_are_fenced(tmp_path, text):
    path = tmp_path / "sheet.md"
    path.write_bytes(text.encode())
    assert [result.outcome for result in run_file(path)] == ["passed"]


def test_an_open_fence_is_a_failure_and_the_blocks_before_it_are_run(tmp_path):
    path = tmp_path / "sheet.md"
    path.write_text(f"```yaml\n{GOOD}```\n\n```yaml\n{GOOD}", encoding="utf-8")
    passed, failed = run_file(path)
    assert (passed.outcome, failed.outcome) == ("passed", "failed")
    assert "not closed" in failed.why


def test_a_broken_block_is_one_failure_and_the_others_are_run(tmp_path):
    path = tmp_path / "sheet.md"
    path.write_text(f"```yaml\n- {{id: a\n```\n```yaml\n{GOOD}```\n", encoding="utf-8")
    assert [result.outcome for result in run_file(path)] == ["failed", "passed"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "cases: []",
        "- words",
        "title: x",
        "- {id: a",
        "- {[1]: 2}",
        "[" * 4000,
        "- !!python/object/apply:os.system [ls]",
        "a: 1\n---\nb: 2",
        "\x00",
    ],
)
def test_a_file_that_has_no_cases_is_one_failure_in_one_line(tmp_path, capsys, text):
    path = tmp_path / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    good = tmp_path / "good.yaml"
    good.write_text(GOOD, encoding="utf-8")
    assert main([str(path), str(good)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1] == "1 passed, 1 failed, 0 skipped"


def test_files_that_cannot_be_read_are_failures(tmp_path, capsys):
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe")
    assert main([str(tmp_path), str(tmp_path / "binary.yaml"), str(tmp_path / "missing.yaml")]) == 1
    assert capsys.readouterr().out.endswith("0 passed, 3 failed, 0 skipped\n")


def test_markdown_without_cases_goes_with_others_and_is_nothing_alone(tmp_path, capsys):
    text, good = tmp_path / "README.md", tmp_path / "good.yaml"
    text.write_text("# Rules\n", encoding="utf-8")
    good.write_text(GOOD, encoding="utf-8")
    assert main([str(text), str(good)]) == 0
    assert "README.md: no cases" in capsys.readouterr().err
    assert main([str(text)]) == 1
    assert main([]) == 2


def test_a_key_that_stands_twice_fails_its_case_alone():
    twice = "- {id: bad, kind: sand_order, players: 3, players: 4, turns: 1, expect: {order: [1]}}\n"
    deep = "- {id: bad, kind: sand_order, players: 3, turns: 1, options: {scoring: regular, scoring: landgrab}}\n"
    assert outcomes(twice + GOOD + deep) == ["failed", "passed", "failed"]
    merged = "- &one {id: good, kind: sand_order, players: 3, turns: 2, expect: {order: [1, 2]}}\n- {<<: *one, id: b}\n"
    assert outcomes(merged) == ["passed", "passed"]


# cases


@pytest.mark.parametrize(
    "changed",
    [
        {"expect": None},
        {"expect": {}},
        {"expect": {"reason": "because"}},
        {"expect": [1]},
        {"expect": "none"},
        {"expect": {"order": [1, 2, 3], "speed": 1}},
        {"kind": ["a"]},
        {"kind": {"a": 1}},
        {"kind": None},
        {"kind": "chess"},
        {"colour": "red"},
        {"players": None},
        {"players": "many"},
        {"players": float("inf")},
        {"turns": 10**12},
        {"players": 10**30},
        {"options": []},
        {"options": "regular"},
        {"options": {"mirror": False}},
        {"options": {1: 2, "mirror": 3}},
        {"options": {"board_size": 3}},
    ],
)
def test_whatever_is_wrong_with_a_case_is_its_failure(changed):
    assert why(ORDER, **changed)


@pytest.mark.parametrize("changed", [{"rolled": {1: 10**30}}, {"truck": {"footprint": ["#"], "height": 10**30}}])
def test_numbers_beyond_any_table_are_failures_at_once(changed):
    assert why(LOAD, **changed)
    assert why(LOAD, kind="pack_fit", expect={"best_loss": 0}, **changed)


def test_keys_of_any_kind_may_be_wrong():
    result = run_case({**ORDER, 1: 2, "foo": 3, None: 4})
    assert "unknown keys ['1', 'None', 'foo']" in result.why


def test_a_failure_is_one_line_however_long_and_strange():
    result = run_case({**ORDER, "id": "two\nlines", "kind": "\ud800" * 5000})
    assert (result.case, result.outcome) == ("two lines", "failed")
    assert len(result.why.encode()) < 1000


def test_notes_are_no_expectations_and_words_are_skipped():
    assert not why(ORDER, note="x", expect={**ORDER["expect"], "reason": "y", "note": "z"})
    assert run_case({"kind": "words", "text": "x", "anything": 1}).outcome == "skipped"


@pytest.mark.parametrize("case", [ABLE, TURN, ORDER, SCORE, LOAD, SPEED, SWAP], ids=lambda case: case["kind"])
def test_an_unknown_option_fails_for_every_kind(case):
    assert not why(case)
    assert "foo" in why(case, options={"foo": 1})


@pytest.mark.parametrize(
    ("case", "changed"),
    [
        (TURN, {"move": {**TURN["move"], "coal": [{"column": 1, "when": "after", "foo": 1}]}}),
        (TURN, {"move": {**TURN["move"], "foo": 1}}),
        (LOAD, {"truck": {"footprint": ["###"], "height": 1, "foo": 1}}),
        (LOAD, {"kind": "pack_legal", "rolled": None, "boxes": [{"size": 1, "cells": [[1, 1, 1]], "foo": 1}]}),
        (SWAP, {"swaps": [{"by": "A", "with": "B", "foo": 1}]}),
    ],
)
def test_unknown_keys_further_inside_are_failures(case, changed):
    assert "unknown keys" in why(case, **changed)


def test_uses_are_compared_whatever_their_order_and_that_of_their_keys():
    uses = [{"column": 1, "section": 6}, {"section": 1, "column": 6}]
    assert not why(ABLE, expect={"uses": uses})
    assert why(ABLE, expect={"uses": uses[:1]})
    assert why(ABLE, expect={"uses": [*uses, 1]})


def test_true_is_not_one():
    assert why(ABLE, expect={"able": 1})
    assert why(ABLE, expect={"coal": False})
    assert not why(ABLE, expect={"coal": 0.0})


@pytest.mark.parametrize("nothing", [None, "none", []])
def test_nothing_may_be_written_as_none(nothing):
    assert not why(ABLE, full_columns=nothing, empty_sections=nothing, expect={"coal": 0})
    assert not why(ABLE, full_columns=[1, 6], expect={"uses": nothing, "coal": 1})
    assert not moved(coal=nothing, alter=nothing or {})
    assert not why(SCORE, table=nothing, expect={"R": 0})
    assert not why(ORDER, turns=0, expect={"order": nothing})
    compared = {"kind": "sand_compare", "sizes": {"W": nothing, "B": [1]}}
    assert not run_case({**compared, "expect": {"regular_winner": "B", "sizes": {"W": nothing, "B": [1]}}}).why
    assert not why(SWAP, swaps=nothing, completed=nothing, expect={"points": nothing or {}})
    ended = {"kind": "stack_end", "players": ["R", "B", "G"], "event": {"by": "R", "own_unstacked_left": 2}}
    assert not run_case({**ended, "expect": {"out": nothing, "last_turns": nothing}}).why


def test_nothing_is_lost_with_vouchers_that_are_none():
    case = {"kind": "pack_round", "before": {"A": 5, "B": 5}, "losses": {"A": 1, "B": 2}}
    for nothing in (None, "none"):
        expected = {"bonus": "A", "winners": nothing, "reward": nothing}
        assert not run_case({**case, "losses_after_vouchers": nothing, "expect": expected}).why


@pytest.mark.parametrize(
    ("case", "options"),
    [
        (ORDER, {"piece_supply": "unlimited"}),
        (ORDER, {"piece_supply": None}),
        (ORDER, {"piece_supply": "none"}),
        (ORDER, {"piece_supply": 20, "special_piece": "none", "scoring": "no_small_islands"}),
        (ORDER, {"special_piece": None}),
        (ORDER, "none"),
        (ORDER, None),
        (SPEED, {"stack_off_limit": "no limit", "deck_subset": "all"}),
        (SPEED, {"stack_off_limit": None, "deck_subset": "all 45 cards", "tie_ms": 0}),
        (SPEED, {"stack_off_limit": "none", "deck_subset": [1, 2, 3, 4, 5], "bump_rule": "replay round"}),
        (SWAP, {"deck_subset": [1, 2, 3], "star_points": "none", "shout_required": False}),
        (TURN, {"pattern_map": {"stripes": "I"}}),
        (TURN, {"pattern_map": {"a": "I", "b": "O", "c": "T", "d": "L", "e": "S"}}),
        (TURN, {"pattern_map": {"I": "a", "O": "b", "T": "c", "L": "d", "S": "e"}}),
        (TURN, {"pattern_map": [["a", "I"], ["b", "O"], ["c", "T"], ["d", "L"], ["e", "S"]]}),
        (TURN, {"pattern_map": ["I", "T", "O", "L", "S"]}),
        (LOAD, {"dice_faces": [[1, 2], [0, 1], [1], [1], [1]]}),
        (LOAD, {"dice_faces": {1: [1, 2], "2": ["blank", 1]}}),
        (LOAD, {"box_colours": ["green", "yellow", "red", "orange", "blue"]}),
        (LOAD, {"box_colours": {1: "green", "5": "blue"}}),
        (LOAD, {"truck_deck": "classic-30", "start_points": -3}),
        (LOAD, {"truck_deck": [{"footprint": ["###", "##."], "height": 2}, "1 ###"]}),
        (SCORE, {"custom_penalties": [{"name": "late", "points": 3}], "target": -50}),
        (SCORE, {"custom_penalties": [["late", 3]], "starter_each_round": "loser"}),
        (SCORE, {"custom_penalties": {"late": 3}}),
        (SCORE, {"custom_penalties": "none"}),
    ],
)
def test_options_as_the_table_of_switches_writes_them(case, options):
    assert not why(case, options=options)


@pytest.mark.parametrize(
    ("case", "options"),
    [
        (ORDER, {"piece_supply": "many"}),
        (SPEED, {"deck_subset": [1, 2, 3]}),
        (SPEED, {"tie_ms": 101}),
        (SPEED, {"shout_required": True}),
        (SWAP, {"deck_subset": [99]}),
        (SWAP, {"star_points": {1: 1, "1": 2}}),
        (TURN, {"pattern_map": {"a": "I", "b": "I"}}),
        (LOAD, {"dice_faces": {6: [1]}}),
        (LOAD, {"truck_deck": ["a truck"]}),
        (LOAD, {"truck_deck": [{"footprint": ["#"], "height": 1, "foo": 2}]}),
        (SCORE, {"custom_penalties": [{"name": "late", "foo": 3}]}),
        (SCORE, {"target": "none"}),
    ],
)
def test_options_that_no_table_has(case, options):
    assert why(case, options=options)


def test_a_table_of_stars_names_some():
    points = {"A": 6, "B": 1}
    for table in ({3: 6}, {"3": 6}, [1, 2, 6]):
        assert not why(SWAP, options={"star_points": table}, completed=["A", "B"], expect={"points": points})


def test_numbers_may_be_quoted_keys():
    assert not why(TURN, move={**TURN["move"], "alter": {"2": 1}}, expect={"column": 5})
    assert not why(LOAD, rolled={"1": 3})
    assert why(LOAD, rolled={"1": 3, 1: 2})


def test_one_die_for_both_is_refused_and_the_answer_is_complete():
    refused = {"legal": False, "section": "none", "column": None, "sack": TURN["sack"], "circles": 0}
    assert not why(TURN, move={"gift_die": 1, "gift": "T", "column_die": 1}, expect=refused)
    assert not why(TURN, move={**TURN["move"], "alter": {3: 1}}, expect=refused)


def test_who_places_nothing_needs_no_dice():
    column = ["", "", "TTTTTT", "", "", ""]
    move = {"gift": "none", "coal": [{"column": 1, "when": "after"}]}
    assert not why(TURN, sack=column, dice=[3, 3], move=move)


def test_the_coal_of_a_full_sack_is_forfeited():  # SS-35
    assert not why(ABLE, full_columns=[1, 2, 3, 4, 5, 6], expect={"able": False, "coal": 0})


def test_a_sack_is_six_columns_of_gifts_and_coal_however_high():
    assert why(TURN, sack=["", "", ""])
    assert why(TURN, sack=["X", "", "", "", "", ""])
    assert not why(TURN, sack=["", "", "", "CCCCCCC", "", ""], expect={"legal": False})


def test_who_is_not_named_has_nothing():
    assert not why(SCORE, expect={"Q": 0, "W": 5, "X": 0})
    assert why(SCORE, expect={"Q": 1})
    assert why(SCORE, expect={"points": 5})
    assert not why(SWAP, expect={"points": {"A": 3}})
    assert why(SWAP, expect={"points": {"B": 0}})


def test_coal_that_takes_no_place_makes_nobody_unable():  # SS-34
    move = {
        "gift_die": 1,
        "gift": "none",
        "column_die": 2,
        "alter": {1: 1, 2: 1},
        "coal": [{"column": 6, "when": "before"}, {"column": 5, "when": "after"}],
    }
    assert not why(TURN, sack=["", "", "T" * 6, "T" * 6, "", ""], dice=[2, 3], move=move, expect={"legal": False})
