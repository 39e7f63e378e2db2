"""Season tables, worked out by hand: places, ties, and which games count."""

from fractions import Fraction

from companion.game.parts.rules import by_points
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.house.outcomes import stored_outcome
from companion.house.seasons import Outcome, Played, counts, places, season_points, standings, undecided
from companion.journal.events import Origin
from companion.shelf import GAMES
from web.render.charts import figure

SEATED = {"a1": "Ann", "b1": "Bob", "c1": "Cy", "a2": "Ann", "b2": "Bob"}


def outcome(over, score, winners):
    return Outcome(over, score, winners, by_points(score, winners) if over else ())


def game(number, over, winners, **score):
    return Played(f"s{number}", "sack", tuple(score), number, outcome(over, score, winners))


def test_the_winner_is_first_then_points_decide_and_the_alike_share_their_places():
    ended = outcome(True, {"a": 10, "b": 7, "c": 7, "d": 1}, ("a",))
    assert places(ended) == {"a": 1, "b": 2.5, "c": 2.5, "d": 4}
    assert season_points(ended) == {"a": 3, "b": 1.5, "c": 1.5, "d": 0}


def test_a_tie_that_a_rule_broke_is_broken_and_one_that_it_left_is_shared():
    assert places(outcome(True, {"a": 10, "b": 10}, ("b",))) == {"a": 2, "b": 1}
    assert places(outcome(True, {"a": 10, "b": 10}, ("a", "b"))) == {"a": 1.5, "b": 1.5}
    assert places(outcome(True, {"a": 10, "b": 10}, ())) == {"a": 1.5, "b": 1.5}


def test_whoever_wins_is_first_whatever_their_points():
    assert places(outcome(True, {"a": 3, "b": 10}, ("a",))) == {"a": 1, "b": 2}


def test_every_game_gives_all_its_points():
    for score in ({"a": 1, "b": 2, "c": 3}, {"a": 5, "b": 5, "c": 5}, {"a": 0, "b": 0, "c": 9}):
        assert sum(season_points(outcome(True, score, ())).values()) == 3  # three pairs of rivals


def test_a_season_adds_up():
    table = standings(
        (
            game(1, True, ("a1",), a1=30, b1=20, c1=10),  # Ann 2, Bob 1, Cy 0
            game(2, True, (), a2=5, b2=5),  # half a point each
            game(3, False, (), a1=99, b1=0),  # not finished
            game(4, True, ("a2",), a2=41),  # alone: a best, and no more
        ),
        SEATED,
    )
    assert [(line.person, line.points, line.games, line.wins, line.place) for line in table] == [
        ("Ann", 2.5, 2, 1, 1.25),
        ("Bob", 1.5, 2, 0, 1.75),
        ("Cy", 0, 1, 0, 3),
    ]
    assert [table[0].bests["sack"].points, table[0].bests["sack"].session] == [41, "s4"]
    assert table[1].bests["sack"].points == 20


def test_mean_places_that_differ_are_told_apart():
    alike = [game(number, True, ("a1",), a1=2, b1=1) for number in range(100)]
    ann = standings([*alike, game(100, True, ("b1",), a1=1, b1=2)], SEATED)[0].place
    more = standings([*alike, *alike[:2], game(100, True, ("b1",), a1=1, b1=2)], SEATED)[0].place
    assert (ann, more) == (Fraction(102, 101), Fraction(104, 103))
    assert figure(ann) != figure(more)


def test_a_game_without_an_order_counts_nothing_since_another_one_is_played():  # SP-42
    tied = Played("s2", "sandpile_panic", ("a2", "b2"), 2, Outcome(True, {"a2": 4, "b2": 4}, (), ()))
    table = standings((game(1, True, ("a1",), a1=3, b1=2), tied), SEATED)
    assert [(line.person, line.points, line.games, line.place) for line in table] == [
        ("Ann", 1, 1, 1),
        ("Bob", 0, 1, 2),
    ]
    assert (counts(tied), undecided(tied)) == (False, True)


def test_partners_who_lost_are_placed_alike_whatever_each_of_them_made():  # ST-70
    ranking = (("a", "c"), ("b", "d"))
    teams = Outcome(True, {"a": 120, "b": 90, "c": 90, "d": 10}, ("a", "c"), ranking)
    assert places(teams) == {"a": 1.5, "c": 1.5, "b": 3.5, "d": 3.5}
    assert season_points(teams) == {"a": 2.5, "c": 2.5, "b": 0.5, "d": 0.5}


def test_guests_are_rivals_and_have_no_line():
    (line,) = standings((game(1, True, ("x",), a1=3, x=4, y=1),), SEATED)
    assert (line.points, line.place) == (1, 2)


def test_an_outcome_is_worked_out_anew_when_the_game_goes_on(host, sack):
    assert started_again(host).outcomes.all()[0].outcome.over is False
    kept = host.journal.select("SELECT of FROM outcomes")
    assert host.outcomes.all()[0].outcome.score == dict(sack.game.rules.score(sack.state))
    assert host.journal.select("SELECT of FROM outcomes") == kept
    sack.submit(Rolled((3, 5)), Origin("roll"))
    assert started_again(host).outcomes.all()
    assert host.journal.select("SELECT of FROM outcomes") != kept


def started_again(host):
    """The same house after a start: no game of it is folded."""
    return Host(host.journal)


def test_whoever_looks_at_a_game_that_is_played_writes_nothing(host, sack):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    assert (host.sessions()[0].seq, host.outcomes.all()[0].outcome.over) == (1, False)
    assert host.journal.select("SELECT of FROM outcomes") == []


def test_a_game_that_is_open_is_worked_out_once_for_each_of_its_entries(host, sack, monkeypatch):
    worked_out = []
    monkeypatch.setattr(
        "companion.house.outcomes.stored_outcome", lambda table: worked_out.append(table.seq) or stored_outcome(table)
    )
    player = sack.session.players[0]
    first = sack.game.rules.score(sack.state)[player]
    for points, seq in ((3, 1), (4, 2)):
        sack.submit(Ruling(player, points, "why"), Origin(f"rule-{seq}"))
        assert host.sessions() == host.sessions()
    assert (host.sessions()[0].score[player], worked_out) == (first + 7, [1, 2])
    sack.undo(Origin("undo"))
    assert (host.sessions()[0].score[player], worked_out) == (first + 3, [1, 2, 3])


def test_a_game_asked_for_by_name_is_listed_as_in_the_list_and_no_other_is_worked_out(host, sack):
    stack = host.create("stack_dice", ["Bob", "Cy"], {})
    again = started_again(host)
    assert again.games_named([sack.session.id, "none of this house"]) == host.games()[1:]
    assert host.journal.select("SELECT session FROM outcomes") == [(sack.session.id,)]
    assert again.games_named([sack.session.id, stack.session.id]) == host.games()


def test_an_outcome_of_other_rules_is_not_believed(host, sack):
    assert started_again(host).outcomes.all()
    with host.journal.changing() as db:
        db.execute("UPDATE outcomes SET of = 'other rules', outcome = ?", ('{"over":true,"score":{},"winners":[]}',))
    assert started_again(host).outcomes.all()[0].outcome.over is False


def test_a_list_says_of_a_game_that_is_not_folded_what_it_says_of_one_that_is(host):
    for name in GAMES:
        host.create(name, ["Ann", "Bob", "Cy"], {}, remember=["Bob"])
    folded = host.sessions()
    assert started_again(host).sessions() == folded  # worked out and kept
    assert started_again(host).sessions() == folded  # as it was kept
