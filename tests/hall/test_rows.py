"""Each row of what comes up on an evening, in docs, is shown by a test with a real hub and real tables."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EVENING = "tests/hall/processes/test_hall_evening.py"
HUB = "tests/hall/processes/test_hub.py"
REHEARSAL = "tests/hall/rehearsal/test_rehearsal.py"
WHOLE = f"{REHEARSAL}::test_an_evening_in_which_twelve_things_go_wrong_has_the_standings_on_paper"
STAYS = f"{EVENING}::test_a_game_stays_where_it_is_played_until_its_table_breaks_down_and_no_result_is_lost"
PAGES = "tests/hall/processes/test_what_comes_up.py"

# What docs say that comes up → the test that shows it; several, where it has several cases.
SHOWN = {
    "docs/tournament.md": {
        "somebody comes late": (f"{PAGES}::test_somebody_comes_late", WHOLE),
        "somebody doesn't come": (f"{PAGES}::test_somebody_does_not_come", WHOLE),
        "somebody leaves": (
            f"{PAGES}::test_somebody_leaves",
            f"{PAGES}::test_somebody_leaves_a_game_that_has_begun",
        ),
        "the seating is wrong": f"{PAGES}::test_the_seating_is_wrong",
        "something was done by mistake": (
            f"{PAGES}::test_something_was_done_by_mistake",
            f"{PAGES}::test_a_game_was_given_to_the_wrong_table",
        ),
        "the number doesn't come out even": (
            f"{PAGES}::test_the_number_does_not_come_out_even",
            f"{PAGES}::test_a_bye_in_a_knock_out_gives_nothing",
        ),
        "two want to change seats": f"{PAGES}::test_two_want_to_change_seats",
        "a game must be played again": f"{PAGES}::test_a_game_must_be_played_again",
        "a result of an earlier round was wrong": f"{PAGES}::test_a_result_of_an_earlier_round_was_wrong",
        "a table breaks down": (STAYS, WHOLE),
        "its result comes all the same": WHOLE,
        "a table was enrolled anew meanwhile": f"{EVENING}::test_a_table_that_is_enrolled_anew_sends_what_waited",
        "the hub is started anew": STAYS,
        "the hub's disk dies": f"{EVENING}::test_a_hub_whose_disk_dies_is_back_from_its_copy_and_its_tables",
        "a game was ended early": f"{PAGES}::test_a_game_was_ended_early",
        "a game is played at a table without a companion": (
            f"{PAGES}::test_a_game_is_played_at_a_table_without_a_companion"
        ),
        "players contradict each other": f"{PAGES}::test_players_contradict_each_other",
        "a suggestion, or a result that you took or left, was wrong": (
            f"{PAGES}::test_a_suggestion_was_wrong",
            f"{PAGES}::test_a_result_that_was_left_or_taken_was_wrong",
        ),
        "somebody has another one's link": f"{PAGES}::test_somebody_has_another_ones_link",
        "a round takes too long": f"{PAGES}::test_a_round_takes_too_long",
        "two taps began two tournaments": f"{PAGES}::test_two_taps_began_two_tournaments",
        "the tournament has a wrong name, or was begun by mistake": f"{PAGES}::test_the_tournament_has_a_wrong_name",
        "a tie leaves open who goes on": f"{PAGES}::test_a_tie_leaves_open_who_goes_on",
        "there are fewer tables than games": f"{PAGES}::test_there_are_fewer_tables_than_games",
        "somebody plays in two tournaments at once": (
            f"{PAGES}::test_somebody_plays_in_two_tournaments_at_once",
            f"{PAGES}::test_a_game_of_somebody_who_plays_elsewhere_is_given_to_a_table",
        ),
        "a name is wrong": f"{PAGES}::test_a_name_is_wrong",
        "somebody wants their name gone": f"{PAGES}::test_somebody_wants_their_name_gone",
    },
    "docs/club-evening.md": {
        "the hub's computer breaks": f"{EVENING}::test_a_hub_whose_disk_dies_is_back_from_its_copy_and_its_tables",
        "a table was stolen": WHOLE,
        "two courses of one game are shown at `/staff`": f"{PAGES}::test_two_courses_of_one_game_are_shown",
        "there is no network at all": f"{HUB}::test_a_table_that_is_killed_sends_what_its_hub_missed",
    },
}


@pytest.mark.parametrize(
    ("document", "head"), [("docs/tournament.md", "it happens that"), ("docs/club-evening.md", "if")]
)
def test_each_row_of_what_comes_up_is_a_test(document, head):
    rows = rows_under(head, (ROOT / document).read_text())
    assert rows == list(SHOWN[document])
    for shown in SHOWN[document].values():
        for name in (shown,) if isinstance(shown, str) else shown:
            file, _, test = name.partition("::")
            assert f"\ndef {test}(" in (ROOT / file).read_text(), name


def rows_under(head, text):
    """The first cell of each row of the table with that head."""
    table = re.search(rf"^\| {head} \|.*\n\|.*\n((?:\|.*\n)+)", text, re.M)
    return [line.split(" | ")[0].removeprefix("| ") for line in table[1].splitlines()]
