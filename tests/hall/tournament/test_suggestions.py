"""What players suggest: a game without a table of ours is over once all of them say the same, or the staff take it."""

import pytest

from companion.errors import IllegalEvent, NotFound, StaleEvent
from companion.hub.record import HubRecord
from companion.hub.tournament.events import PLAIN, RoundPaired, Suggested
from companion.hub.tournament.state import apply
from companion.letters.offer import veil_session
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import begun, now, ruled_all

pytestmark = on_both

FOUR = ["Ann", "Ben", "Cleo", "Dan"]


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    yield record
    record.close()


@pytest.fixture
def cup(record):
    """A tournament of four at one table, in a hall without a table of ours."""
    cup = begun(record, FOUR, seats=4)
    record.desk.pair(cup)
    return cup


def game_of(record, cup):
    return now(record, cup).state.newest.plays[0]


def say(record, cup, player, ranks):
    record.desk.suggest(cup, player, veil_session(game_of(record, cup).pairing.session), ranks)


def in_order(seats):
    return tuple((seat,) for seat in seats)


def test_a_result_counts_once_every_player_says_the_same(record, cup):
    seats = game_of(record, cup).pairing.seats
    for player in seats[:-1]:
        say(record, cup, player, in_order(seats))
        assert not game_of(record, cup).is_done
    say(record, cup, seats[-1], in_order(seats))
    assert game_of(record, cup).outcome == in_order(seats)
    assert now(record, cup).state.newest.is_closed


def test_a_tie_is_the_same_in_whatever_order_it_is_said(record, cup):
    seats = game_of(record, cup).pairing.seats
    first, *rest = seats
    for turn, player in enumerate(seats):
        say(record, cup, player, ((first,), tuple(rest[turn:] + rest[:turn])))
    assert game_of(record, cup).outcome == ((first,), tuple(rest))


def test_who_contradicts_keeps_it_open_until_one_changes_their_mind(record, cup):
    seats = game_of(record, cup).pairing.seats
    other = in_order(seats[::-1])
    for player in seats:
        say(record, cup, player, other if player == seats[2] else in_order(seats))
    game = game_of(record, cup)
    assert not game.is_done
    assert {ranks: set(players) for ranks, players in game.suggestions.items()} == {
        in_order(seats): {seats[0], seats[1], seats[3]},
        other: {seats[2]},
    }
    say(record, cup, seats[2], in_order(seats))
    assert game_of(record, cup).outcome == in_order(seats)


def test_nobody_speaks_for_another_game(record):
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one, other = now(record, cup).state.newest.plays
    before = now(record, cup).state
    with pytest.raises(StaleEvent):
        record.desk.suggest(cup, one.pairing.seats[0], veil_session(other.pairing.session), in_order(one.pairing.seats))
    with pytest.raises(IllegalEvent):
        record.desk.suggest(cup, one.pairing.seats[0], veil_session(one.pairing.session), in_order(other.pairing.seats))
    assert now(record, cup).state == before


def test_no_journal_has_a_suggestion_of_somebody_else(record, cup):
    state = now(record, cup).state
    pairing = game_of(record, cup).pairing
    event = Suggested(session=pairing.session, by="somebody", ranks=in_order(pairing.seats))
    with pytest.raises(IllegalEvent, match="Only players of this game"):
        apply(state, event)


def test_a_table_of_ours_sends_the_result_itself(record):
    enrol(record)
    cup = begun(record, FOUR, seats=4)
    record.desk.pair(cup)
    seats = game_of(record, cup).pairing.seats
    assert game_of(record, cup).pairing.table == KEY.id
    with pytest.raises(IllegalEvent, match="sends the result of this game by itself"):
        say(record, cup, seats[0], in_order(seats))
    record.desk.call(cup, 1, PLAIN, frozenset())
    assert record.desk.offer_for(KEY.id) is None
    say(record, cup, seats[0], in_order(seats))
    assert len(game_of(record, cup).said) == 1


def test_a_free_table_is_given_no_game_that_was_played_already(record):
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one, other = now(record, cup).state.newest.plays
    record.desk.suggest(cup, one.pairing.seats[0], veil_session(one.pairing.session), in_order(one.pairing.seats))
    enrol(record)
    record.desk.seat_waiting()
    assert [play.pairing.table for play in now(record, cup).state.newest.plays] == ["", KEY.id]
    assert record.desk.offer_for(KEY.id).number == other.pairing.number


def test_all_that_waits_is_played_at_plain_tables_by_one_tap(record):
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    record.desk.call_plain(cup)
    enrol(record)
    record.desk.seat_waiting()
    assert [play.pairing.table for play in now(record, cup).state.newest.plays] == [PLAIN, PLAIN]
    with pytest.raises(IllegalEvent, match="No game waits"):
        record.desk.call_plain(cup)


def test_what_was_said_stays_at_a_plain_table_and_goes_where_the_game_begins_anew(record, cup):
    seats = game_of(record, cup).pairing.seats
    say(record, cup, seats[0], in_order(seats))
    record.desk.call_plain(cup)
    assert game_of(record, cup).said == {seats[0]: in_order(seats)}
    enrol(record)
    record.desk.call(cup, 1, KEY.id, frozenset())
    assert (game_of(record, cup).said, record.desk.offer_for(KEY.id).number) == ({}, 1)


def test_a_round_that_is_taken_back_takes_what_was_said_with_it(record, cup):
    seats = game_of(record, cup).pairing.seats
    say(record, cup, seats[0], in_order(seats))
    seated = next(entry.seq for entry in record.desk.entries(cup) if isinstance(entry.event, RoundPaired))
    record.desk.take_back(cup, seated)
    assert now(record, cup).state.rounds == ()
    record.desk.take_back(cup, record.desk.acts(cup)[0].seq)
    assert game_of(record, cup).said == {seats[0]: in_order(seats)}


def test_what_was_said_goes_with_the_seats_that_were_changed_before(record):
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one, other = now(record, cup).state.newest.plays
    record.desk.swap(cup, one.pairing.seats[0], other.pairing.seats[0], frozenset())
    swapped = record.desk.acts(cup)[0].seq
    seats = game_of(record, cup).pairing.seats
    say(record, cup, seats[0], in_order(seats))
    said = now(record, cup).state
    record.desk.take_back(cup, swapped)
    assert now(record, cup).state.newest.plays == (one, other)
    record.desk.take_back(cup, record.desk.acts(cup)[0].seq)
    assert now(record, cup).state == said


def test_a_round_goes_with_its_clock(record, cup):
    record.desk.set_clock(cup, 40)
    seated = next(entry.seq for entry in record.desk.entries(cup) if isinstance(entry.event, RoundPaired))
    record.desk.take_back(cup, seated)
    assert now(record, cup).state.rounds == ()


def test_what_players_said_hides_nothing_that_the_staff_did(record):
    cup = begun(record, FOUR, seats=4)
    record.desk.pair(cup)
    seats = game_of(record, cup).pairing.seats
    for turn in range(12):
        say(record, cup, seats[turn % 3], in_order(seats if turn % 2 else seats[::-1]))
    kinds = [type(entry.event).__name__ for entry in record.desk.acts(cup)]
    assert (kinds.count("Suggested"), "RoundPaired" in kinds, "Entered" in kinds) == (8, True, False)


def test_a_round_can_be_taken_back_however_much_was_done_in_it_and_taken_back(record):
    cup = begun(record, [f"Player {number}" for number in range(1, 19)], seats=2)
    record.desk.pair(cup)
    record.desk.call_plain(cup)
    for _turn in range(9):
        listed = record.desk.acts(cup)
        assert "RoundPaired" in {type(entry.event).__name__ for entry in listed}
        called = [entry for entry in listed if type(entry.event).__name__ == "Called"]
        record.desk.take_back(cup, called[0].seq)
    (seated,) = [entry for entry in record.desk.acts(cup) if type(entry.event).__name__ == "RoundPaired"]
    record.desk.take_back(cup, seated.seq)
    assert now(record, cup).state.rounds == ()


def test_after_forty_sayings_the_staff_decide(record, cup):
    seats = game_of(record, cup).pairing.seats
    for turn in range(40):
        say(record, cup, seats[0], in_order(seats if turn % 2 else seats[::-1]))
    with pytest.raises(IllegalEvent, match="the staff decide it"):
        say(record, cup, seats[1], in_order(seats))
    ruled_all(record, cup)
    assert game_of(record, cup).is_done


def test_a_link_is_of_one_entrant_and_ends_with_the_name(record, cup):
    links = record.links.of(cup)
    assert len(set(links.values())) == 4
    ann, ben = now(record, cup).state.entrants[:2]
    assert record.links.find(links[ann]) == (cup, ann)
    record.links.renew(cup, ann)
    for gone in (links[ann], "", "nobody"):
        with pytest.raises(NotFound):
            record.links.find(gone)
    record.desk.forget(cup, ben)
    with pytest.raises(NotFound):
        record.links.find(links[ben])
    record.desk.delete(cup)
    with pytest.raises(NotFound):
        record.links.find(record.links.of(cup)[ann])
