"""Each thing that comes up on an evening, as docs say it, with a real hub and real tables; the staff tap its pages.

tests/hall/test_rows.py says which test is of which row.
"""

import shutil
import urllib.error
from urllib.parse import urlsplit

import pytest

from tests.hall.processes.test_hub import until
from tests.hall.rehearsal.__main__ import no_look
from tests.hall.rehearsal.evening import Evening, as_chosen
from tests.hall.rehearsal.staff import Account, Phone, Refused


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    """A hub and three tables that play on from test to test."""
    hall = Evening(tmp_path_factory.mktemp("hall"), 1, None, no_look, tables=3, game="sandpile_panic")
    try:
        hall.open_the_hall()
        yield hall
    finally:
        hall.close()


@pytest.fixture
def cup(hall):
    """Begins tournaments, and deletes them in the end; then no table offers a game of theirs to the next test."""
    begun = []

    def begin(names, seats=2, form="Rounds", title="Autumn Cup", seated=True):
        hall.begin_cup(names.split(), seats, form, title)
        begun.append(hall.cup)
        if seated:
            hall.organiser.tap("Seat round 1")
        return hall.organiser

    yield begin
    for path in begun:
        hall.organiser.follow(path)
        hall.organiser.tap("Delete this tournament")
    until(lambda: not any(table.offered() for table in hall.tables))


def table_of(hall, number):
    """The table of a game, by the tournament's page."""
    line = next(line for line in hall.lines() if line.attributes["data-keep"].endswith(f" {number}"))
    return next(table for table in hall.tables if table.name == next(line.all("strong")).text)


def seats_of(hall, number):
    """Who sits in a game, by the tournament's page."""
    line = next(line for line in hall.lines() if line.attributes["data-keep"].endswith(f" {number}"))
    return [next(item.all("span")).text for item in next(line.all("ol")).all("li")]


def play(hall, number):
    """A game is begun at its table and played to its end; who sat there, by place."""
    table = table_of(hall, number)
    return table.finish(table.begin(*table.games()))


def points(hall):
    return {name: row.points for name, row in hall.standings().items()}


def test_somebody_comes_late(hall, cup):
    phone = cup("Ann Ben Cleo")
    phone.tap("Seat this one now", chosen={"Name": "Zoe", "Where to": "a new game with those who have a bye"})
    for number in (1, 2):
        play(hall, number)
    phone.see("Round 1 is closed.")
    assert {name: row.games for name, row in hall.standings().items()} == dict.fromkeys(
        ("Ann", "Ben", "Cleo", "Zoe"), 1
    )


def test_somebody_does_not_come(hall, cup):
    phone = cup("Ann Ben")
    table = table_of(hall, 1)
    until(table.offered)
    phone.tap("Empty the chair", chosen={"Name": "Ben"})
    phone.see("Round 1 is closed.")
    until(lambda: not table.offered())
    assert points(hall) == {"Ann": 1, "Ben": 0}


def test_somebody_leaves(hall, cup):
    phone = cup("Ann Ben Cleo", 3)
    table = table_of(hall, 1)
    until(table.offered)
    phone.tap("Empty the chair", chosen={"Name": "Cleo"})
    phone.tap("Withdraw this one", chosen={"Name": "Cleo"})
    until(lambda: table.offers("Ann") and not table.offers("Cleo"))
    assert sorted(name for group in play(hall, 1) for name in group) == ["Ann", "Ben"]
    phone.see("Round 1 is closed.")
    phone.tap("Seat round 2")
    assert sorted(seats_of(hall, 1)) == ["Ann", "Ben"]


def test_somebody_leaves_a_game_that_has_begun(hall, cup):
    phone = cup("Ann Ben Cleo", 3)
    table = table_of(hall, 1)
    table.play(table.begin(*table.games()), 0.5)
    phone.tap("Rule these places", "game 1 1", {"Ann": "Place 1", "Ben": "Place 2", "Cleo": "Place 3"})
    assert points(hall) == {"Ann": 1, "Ben": 1 / 2, "Cleo": 0}  # the share of rivals whom one beats
    phone.tap("Withdraw this one", chosen={"Name": "Cleo"})
    phone.tap("Seat round 2")
    assert sorted(seats_of(hall, 1)) == ["Ann", "Ben"]


def test_the_seating_is_wrong(hall, cup):
    phone = cup("Ann Ben Cleo Dan Eve", 3)
    phone.tap("Move this one", chosen={"Name": "Ann", "Where to": "game 2: 2 sit there"})
    tables = [table_of(hall, number) for number in (1, 2)]
    until(
        lambda: all(table.offers() for table in tables) and [table.offers("Ann") for table in tables] == [False, True]
    )


def test_something_was_done_by_mistake(hall, cup):
    phone = cup("Ann Ben")
    table = table_of(hall, 1)
    until(table.offered)
    phone.tap("Take this back", "Round 1 was seated.")
    assert "2 entrants. No round yet." in phone.text
    until(lambda: not table.offered())
    phone.tap("Take this back", "Taken back: Round 1 was seated.")
    until(table.offered)


def test_a_game_was_given_to_the_wrong_table(hall, cup):
    phone = cup("Ann Ben")
    first = table_of(hall, 1)
    session = until(first.offered)
    wrong = next(table for table in hall.tables if table is not first)
    phone.tap("Give it to this table", "game 1 1", {"Table": wrong.name})
    until(wrong.offered)
    phone.tap("Take this back", f"Game 1 was given to {wrong.name}.")
    until(lambda: first.offered() == session and not wrong.offered())
    phone.tap("Take this back", f"Taken back: Game 1 was given to {wrong.name}.")
    wrong.finish(wrong.begin(*wrong.games()))
    phone.see("Round 1 is closed.")
    assert table_of(hall, 1) is wrong


def test_a_bye_in_a_knock_out_gives_nothing(hall, cup):
    phone = cup("Ann Ben Cleo", form="Knock-out")
    assert "Without a game this round: Ann" in phone.text  # whoever came in first counts as the best
    (row,) = [row for row in next(phone.page.all("table")).all("tr") if "Ann" in row.text]
    assert "–" in row.text  # no place at a last table


def test_the_number_does_not_come_out_even(hall, cup):
    phone = cup("Ann Ben Cleo")
    assert "Without a game this round: Cleo" in phone.text
    assert points(hall)["Cleo"] == 1
    play(hall, 1)
    phone.see("Round 1 is closed.")
    phone.tap("Seat round 2")
    assert "Without a game this round: Cleo" not in hall.newest().text


def test_two_want_to_change_seats(hall, cup):
    phone = cup("Ann Ben Cleo Dan")
    one, other = (seats_of(hall, number)[0] for number in (1, 2))
    tables = [table_of(hall, number) for number in (1, 2)]
    phone.tap("Change the seats", chosen={"This one": one, "With this one": other})
    until(lambda: tables[0].offers(other) and tables[1].offers(one))


def test_a_game_must_be_played_again(hall, cup):
    phone = cup("Ann Ben")
    play(hall, 1)
    phone.see("Round 1 is closed.")
    phone.tap("Have it played again")
    winners, _losers = play(hall, 1)
    phone.see("Round 1 is closed.")
    assert {name: (row.points, row.games) for name, row in hall.standings().items()} == {
        name: (int(name in winners), 1) for name in ("Ann", "Ben")
    }


def test_a_result_of_an_earlier_round_was_wrong(hall, cup):
    phone = cup("Ann Ben")
    winners, losers = play(hall, 1)
    phone.see("Round 1 is closed.")
    phone.tap("Seat round 2")
    phone.tap("Rule these places", "game 1 1", as_chosen((losers, winners)))
    assert "What follows from this ruling" in phone.text
    phone.tap("Rule these places")
    assert points(hall) == {losers[0]: 1, winners[0]: 0}
    assert len(hall.lines()) == 1  # The round that is seated stays.


def test_a_game_was_ended_early(hall, cup):
    phone = cup("Ann Ben")
    table = table_of(hall, 1)
    seated = table.begin(*table.games())
    table.play(seated, 0.5)
    phone.tap("Rule these places", "game 1 1", {"Ann": "Place 1", "Ben": "Place 1"})
    phone.see("Round 1 is closed.")
    assert {row.points for row in hall.standings().values()} == {1 / 2}
    phone.tap("Take the ruling back")
    winners, _losers = table.finish(seated)
    phone.see("Round 1 is closed.")
    assert points(hall)[winners[0]] == 1


@pytest.fixture
def plain(hall, cup):
    """Seats eight people at three tables, and the fourth game at a plain one; the phones of its two players."""
    phone = cup("Ann Ben Cleo Dan Eve Finn Gina Hugo")
    phone.tap("Play what waits at tables without a companion")
    names = seats_of(hall, 4)
    phone.tap_link("Links for the players' phones")
    links = {
        next(slip.all("strong")).text: next(slip.all("a")).attributes["href"]
        for slip in phone.page.all("li")
        if any(slip.all("strong"))
    }
    phone.follow(hall.cup)
    players = []
    for name in names:
        player = Phone(hall.hub.url, Account("a player"))
        player.follow(urlsplit(links[name]).path)
        players.append(player)
    return phone, dict(zip(names, players, strict=True))


def test_a_game_is_played_at_a_table_without_a_companion(hall, plain):
    _phone, players = plain
    (one, first), (_other, second) = players.items()
    first.tap("I won")
    second.see("said by " + one)
    second.tap("Yes, that's right")
    assert points(hall)[one] == 1


def test_players_contradict_each_other(hall, plain):
    phone, players = plain
    for player in players.values():
        player.tap("I won")
    phone.follow("/staff")
    phone.see("The players of game 4 don't agree")
    one = min(players)
    phone.tap("Take this result", f"said by {one}")
    phone.follow(hall.cup)
    assert points(hall)[one] == 1


def test_a_suggestion_was_wrong(hall, plain):
    phone, players = plain
    one, first = next(iter(players.items()))
    first.tap("I won")
    phone.see(f"{one} said:")
    phone.tap("Take this back", f"{one} said:")
    first.see("Say how it ended")
    assert "You say so, too." not in first.text


def test_a_result_that_was_left_or_taken_was_wrong(hall, cup):
    """The table plays on a game that was ruled and is to be played again, and sends that, too."""
    phone = cup("Ann Ben")
    table = table_of(hall, 1)
    seated = table.begin(*table.games())
    table.play(seated, 0.5)
    phone.tap("Rule these places", "game 1 1", {"Ann": "Place 1", "Ben": "Place 1"})
    phone.tap("Have it played again")
    winners, losers = table.finish(seated)
    line = f"{table.name} has sent a result of game 1. Take it?"
    for button, done, after in (
        ("Leave it", "was left.", {winners[0]: 0, losers[0]: 0}),
        ("Take this result", "was taken.", {winners[0]: 1, losers[0]: 0}),
    ):
        phone.follow("/staff")
        phone.see(line)
        phone.tap(button, line)
        assert line not in phone.look()
        phone.follow(hall.cup)
        assert points(hall) == after
        phone.tap("Take this back", f"The result that a table sent of game 1, round 1, {done}")
        assert points(hall) == {winners[0]: 0, losers[0]: 0}
    phone.follow("/staff")
    phone.see(line)
    phone.follow(hall.cup)


def test_somebody_has_another_ones_link(hall, plain):
    phone, players = plain
    one, first = next(iter(players.items()))
    phone.tap_link(one)
    phone.tap("Make another link")
    with pytest.raises(urllib.error.HTTPError):
        first.look()
    phone.follow(hall.cup)


def test_a_round_takes_too_long(hall, cup):
    phone = cup("Ann Ben")
    phone.tap("Start it now", chosen={"Minutes from now": "20"})
    board = Phone(hall.hub.url, Account("the board"))
    board.follow("/")
    clocks = [one for tag in ("p", "span", "strong", "div", "b") for one in board.page.all(tag)]
    left_us = next(int(one.attributes["data-left"]) for one in clocks if "data-left" in one.attributes)
    assert 0 < left_us <= 20 * 60 * 1_000_000


def test_two_taps_began_two_tournaments(hall, cup):
    cup("Ann Ben", title="Autumn Cup", seated=False)
    first = hall.cup
    phone = cup("Ann Ben Cleo", title="Autumn Cup", seated=False)
    phone.tap("Join them", chosen={"Tournament": "Autumn Cup"})
    assert "3 entrants" in phone.text
    phone.follow("/tournaments")
    phone.tap("Bring it back", "Autumn Cup")
    phone.follow(first)


def test_the_tournament_has_a_wrong_name(hall, cup):
    phone = cup("Ann Ben", title="Autum Cup")
    phone.tap("Rename it", chosen={"Name of the tournament": "Winter Cup"})
    table = table_of(hall, 1)
    until(lambda: table.offers("Winter Cup"))
    phone.tap("Delete this tournament")
    until(lambda: not table.offered())
    phone.tap("Bring it back", "Winter Cup")
    until(table.offered)


def test_a_tie_leaves_open_who_goes_on(hall, cup):
    phone = cup("Ann Ben Cleo Dan Eve Finn Gina Hugo", 4, "Knock-out")
    for number in (1, 2):
        places = dict(zip(seats_of(hall, number), ("Place 1", "Place 2", "Place 2", "Place 4"), strict=True))
        phone.tap("Rule these places", f"game 1 {number}", places)
    with pytest.raises(Refused, match="a tie leaves open who goes on"):
        phone.tap("Seat round 2")
    phone.look()
    for number in (1, 2):
        places = dict(zip(seats_of(hall, number), ("Place 1", "Place 2", "Place 3", "Place 4"), strict=True))
        phone.tap("Rule these places", f"game 1 {number}", places)
    phone.tap("Seat round 2")
    until(lambda: any(table.offered() for table in hall.tables))


def test_there_are_fewer_tables_than_games(hall, cup):
    phone = cup("Ann Ben Cleo Dan Eve Finn Gina Hugo")
    assert phone.text.count("waits for a free table") == 1
    first = table_of(hall, 1)
    before = first.begin(*first.games())
    first.finish(before)
    phone.see("Round 1: games 2, 3 and 4 are missing.")
    assert "waits for a free table" not in phone.text
    assert until(first.offered) != before.session


def test_somebody_plays_in_two_tournaments_at_once(hall, cup):
    cup("Ann Ben", title="Autumn Cup")
    first, autumn = table_of(hall, 1), hall.cup
    seated = first.begin(*first.games())
    phone = cup("ANN Cleo", title="Winter Cup")
    assert "waits for a free table" in phone.text
    phone.follow("/staff")
    phone.see(f"Waits for ANN: still at {first.name}.")
    first.finish(seated)
    phone.follow(autumn)
    phone.see("Round 1 is closed.")
    phone.follow(hall.cup)
    until(table_of(hall, 1).offered)


def test_a_game_of_somebody_who_plays_elsewhere_is_given_to_a_table(hall, cup):
    cup("Ann Ben", title="Autumn Cup")
    first = table_of(hall, 1)
    first.begin(*first.games())
    phone = cup("Ann Cleo", title="Winter Cup")
    second = next(table for table in hall.tables if table is not first)
    phone.tap("Give it to this table", "game 1 1", {"Table": second.name})
    until(lambda: second.offers("Cleo"))


def test_a_name_is_wrong(hall, cup):
    phone = cup("Ann Bne")
    phone.tap("Correct it", chosen={"Name": "Bne", "Its right name": "Ben"})
    table = table_of(hall, 1)
    until(lambda: table.offers("Ben"))
    assert "Bne" not in phone.text


def test_somebody_wants_their_name_gone(hall, cup):
    phone = cup("Ann Ben")
    play(hall, 1)
    phone.see("Round 1 is closed.")
    before = points(hall)
    phone.tap("Delete this name for good", chosen={"Name": "Ben"})
    assert "Ben" not in phone.text
    assert points(hall) == {"Ann": before["Ann"], "Entrant 2": before["Ben"]}


def test_two_courses_of_one_game_are_shown(hall, cup):
    """A table is set back to before the end of a game that was sent, and its people play that end anew."""
    phone = cup("Ann Ben")
    table = table_of(hall, 1)
    seated = table.begin(*table.games())
    table.play(seated, 0.5)
    table.stop()
    shutil.copytree(table.data, hall.folder / "early")
    table.start()
    table.finish(seated)
    phone.see("Round 1 is closed.")
    table.stop()
    shutil.rmtree(table.data)
    shutil.copytree(hall.folder / "early", table.data)
    table.start()
    table.finish(seated)
    phone.follow("/staff")
    phone.see("two courses of one game")
    phone.tap("Let this one count", "counts now")
    assert "two courses of one game" not in phone.text
    assert [letter["standing"] for letter in hall.hub.ask(f"/v1/games/{seated.session}")] == ["counts", "set aside"]
