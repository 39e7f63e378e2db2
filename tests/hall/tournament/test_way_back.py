"""What is taken back in a tournament, and what tables hear of it."""

import pytest

from companion.errors import IllegalEvent
from companion.foreign import read_json
from companion.hub.record import HubRecord
from companion.hub.tournament.entry import Entry
from companion.hub.tournament.events import PLAIN, Called, Form
from companion.hub.tournament.taking_back import is_act
from companion.letters.offer import Doing
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY
from tests.hall.test_record import enrol
from tests.hall.tournament.stand_in import StandIn, believes
from tests.hall.tournament.test_tournament_desk import begun, now, ruled_all, send

pytestmark = on_both

FOUR = ["Ann", "Ben", "Cleo", "Dan"]


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    yield record
    record.close()


def newest(record, cup):
    return record.desk.acts(cup)[0].seq


def test_a_round_that_is_taken_back_is_offered_to_no_table_and_its_result_counts_nowhere(record):
    enrol(record)
    cup = begun(record)
    before = now(record, cup).state
    record.desk.pair(cup)
    offer = record.desk.offer_for(KEY.id)
    record.desk.take_back(cup, newest(record, cup))
    assert record.desk.offer_for(KEY.id) is None
    send(record, offer)
    assert now(record, cup).state == before
    record.desk.pair(cup)
    assert record.desk.offer_for(KEY.id).session != offer.session


def test_a_round_goes_with_its_results_and_only_the_newest_goes(record):
    enrol(record)
    cup = begun(record)
    record.desk.pair(cup)
    first = newest(record, cup)
    send(record, record.desk.offer_for(KEY.id))
    played = now(record, cup).state
    record.desk.pair(cup)
    with pytest.raises(IllegalEvent, match="What came later builds on this"):
        record.desk.take_back(cup, first)
    record.desk.take_back(cup, newest(record, cup))
    assert now(record, cup).state == played
    record.desk.take_back(cup, first)
    assert (now(record, cup).state.rounds, record.desk.offer_for(KEY.id)) == ((), None)


def test_a_ruling_taken_back_while_its_table_has_another_game_waits_for_a_free_table(record):
    """No table is ever offered two games."""
    enrol(record)
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one = now(record, cup).state.newest.plays[0]
    record.desk.rule(cup, 1, tuple((seat,) for seat in one.pairing.seats))
    assert record.desk.offer_for(KEY.id).number == 2
    record.desk.take_back(cup, newest(record, cup))
    assert [play.pairing.table for play in now(record, cup).state.open].count(KEY.id) == 1
    enrol(record, OTHER_KEY, "Table 2")
    record.desk.withdraw(cup, one.pairing.seats[0])  # whatever happens next calls a free table
    assert sorted(play.pairing.table for play in now(record, cup).state.open) == sorted([KEY.id, OTHER_KEY.id])


def test_a_game_is_played_again_and_the_first_result_comes_back(record):
    enrol(record)
    cup = begun(record)
    record.desk.pair(cup)
    send(record, record.desk.offer_for(KEY.id))
    done = now(record, cup).state
    record.desk.open_again(cup, 1)
    again = record.desk.offer_for(KEY.id)
    assert again is not None
    record.desk.take_back(cup, newest(record, cup))
    assert now(record, cup).state == done


def test_nobody_is_moved_out_of_a_game_that_is_played(record):
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    play = now(record, cup).state.newest.plays[0]
    playing, seat = frozenset({play.pairing.session}), play.pairing.seats[0]
    for act in (
        lambda: record.desk.move(cup, seat, 0, playing),
        lambda: record.desk.stay_away(cup, seat, playing),
    ):
        with pytest.raises(IllegalEvent, match="is being played already"):
            act()


def test_too_few_without_somebody_who_stays_away_win_their_game(record):
    """Pack & Stack needs three: the two who came tie; at a table of four, three play on."""
    cup = record.desk.begin("Cup", "pack_and_stack", "printed", Form.ROUNDS, 4, 0, [*FOUR, "Eve", "Flo", "Gus"]).id
    record.desk.pair(cup)
    large, small = sorted(now(record, cup).state.newest.plays, key=lambda play: -len(play.pairing.seats))
    for play in (large, small):
        record.desk.stay_away(cup, play.pairing.seats[0], frozenset())
    after = {play.pairing.number: play for play in now(record, cup).state.newest.plays}
    assert after[large.pairing.number].pairing.seats == large.pairing.seats[1:]
    assert not after[large.pairing.number].is_done
    assert after[small.pairing.number].ruled == (small.pairing.seats[1:], small.pairing.seats[:1])


def test_who_is_left_in_too_small_a_game_has_a_bye_until_moved(record):
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one, other = now(record, cup).state.newest.plays
    record.desk.move(cup, one.pairing.seats[0], 0, frozenset())
    state = now(record, cup).state
    assert (state.newest.plays, set(state.newest.byes)) == ((other,), set(one.pairing.seats))
    with pytest.raises(IllegalEvent, match="No game would be left"):
        record.desk.move(cup, other.pairing.seats[0], 0, frozenset())
    record.desk.move(cup, one.pairing.seats[1], 501, frozenset())
    state = now(record, cup).state
    assert (state.newest.byes, set(state.newest.plays[0].pairing.seats)) == ((), set(one.pairing.seats))


def test_a_late_comer_plays_whoever_has_the_bye(record):
    cup = begun(record, ["Ann", "Ben", "Cleo"], seats=2, form=Form.KNOCK_OUT)
    record.desk.pair(cup)
    (bye,) = now(record, cup).state.newest.byes
    record.desk.seat_late(cup, "Dan", 501, frozenset())
    state = now(record, cup).state
    assert state.newest.byes == ()
    assert {bye, state.entrants[-1]} in [set(play.pairing.seats) for play in state.newest.plays]
    ruled_all(record, cup)
    with pytest.raises(IllegalEvent, match="takes nobody new"):
        record.desk.seat_late(cup, "Eve", 0, frozenset())


def play_at(record, key, session):
    """The table says that it plays this game."""
    record.hear(key.id, Doing(session=session, wall_us=NOON_US))


def tables_in(record, cup):
    """(table, session) of the games of the newest round."""
    return [(play.pairing.table, play.pairing.session) for play in now(record, cup).state.newest.plays]


def test_a_game_that_was_given_to_another_table_goes_back(record):
    """The first table was heard no more, the game was given away, and it was the cable: it plays on."""
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    cup = begun(record)
    record.desk.pair(cup)
    before, listed = now(record, cup).state, len(record.desk.acts(cup))
    record.desk.call(cup, 1, OTHER_KEY.id, frozenset())
    given = now(record, cup).state
    assert len(record.desk.acts(cup)) == listed + 1
    play_at(record, KEY, before.newest.plays[0].pairing.session)
    record.desk.take_back(cup, newest(record, cup), record.desk.playing())
    assert now(record, cup).state == before
    assert (record.desk.offer_for(KEY.id).session, record.desk.offer_for(OTHER_KEY.id)) == (
        before.newest.plays[0].pairing.session,
        None,
    )
    with pytest.raises(IllegalEvent, match="Game 1 is being played already"):
        record.desk.take_back(cup, newest(record, cup), record.desk.playing())
    record.desk.take_back(cup, newest(record, cup))
    assert now(record, cup).state == given


def test_a_game_given_to_a_table_goes_there_again_though_the_hub_gave_it_elsewhere_meanwhile(record):
    """Its first table has another game by then, so the hub has it wait; the staff's word is the newer one."""
    enrol(record)
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    record.desk.call(cup, 1, PLAIN, frozenset())
    assert [table for table, _session in tables_in(record, cup)] == [PLAIN, KEY.id]
    given = now(record, cup).state.newest.plays[0]
    play_at(record, KEY, tables_in(record, cup)[1][1])
    record.desk.take_back(cup, newest(record, cup), record.desk.playing())
    assert [table for table, _session in tables_in(record, cup)] == ["", KEY.id]
    record.desk.take_back(cup, newest(record, cup), record.desk.playing())
    assert now(record, cup).state.newest.plays[0] == given


def test_what_a_table_plays_is_not_taken_from_it_by_taking_something_back(record):
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one, other = (play.pairing.seats[0] for play in now(record, cup).state.newest.plays)
    record.desk.rule(cup, 2, tuple((seat,) for seat in now(record, cup).state.newest.plays[1].pairing.seats))
    record.desk.call(cup, 1, OTHER_KEY.id, frozenset())
    record.desk.rule(cup, 2, ())
    record.desk.swap(cup, one, other, frozenset())
    play_at(record, OTHER_KEY, tables_in(record, cup)[0][1])
    before = now(record, cup).state
    swapped, given = (entry.seq for entry in record.desk.acts(cup)[:2])
    for seq in (swapped, given):
        with pytest.raises(IllegalEvent, match="Game 1 is being played already"):
            record.desk.take_back(cup, seq, record.desk.playing())
        assert now(record, cup).state == before


def test_a_game_that_comes_back_leaves_the_table_to_the_one_that_is_played_there(record):
    enrol(record)
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    one = now(record, cup).state.newest.plays[0]
    record.desk.rule(cup, 1, tuple((seat,) for seat in one.pairing.seats))
    played = record.desk.offer_for(KEY.id)
    play_at(record, KEY, played.session)
    record.desk.take_back(cup, newest(record, cup), record.desk.playing())
    (waiting, _session), second = tables_in(record, cup)
    assert (waiting, second) == ("", (KEY.id, played.session))


def test_a_game_that_goes_on_after_all_has_its_table_and_the_next_one_waits(record, monkeypatch):
    """Its table took back the last entry, when the hub had the next game for it already."""
    monkeypatch.setattr(record, "_judge", believes)
    table = StandIn(record, 1)
    cup = begun(record, FOUR, seats=2)
    record.desk.pair(cup)
    table.begin()
    (session,) = table.begun
    table.send(session, lambda ids: tuple((player,) for player in ids))
    table.say(over=True)
    assert record.desk.offer_for(table.key.id).number == 2
    table.send(session, lambda _ids: ())
    assert [where for where, _session in tables_in(record, cup)] == [table.key.id, ""]


def test_what_the_hub_gave_by_itself_is_no_act(record):
    cup = begun(record)
    record.desk.pair(cup)
    acts = record.desk.acts(cup)
    enrol(record)
    record.desk.seat_waiting()
    assert tables_in(record, cup)[0][0] == KEY.id
    assert record.desk.acts(cup) == acts


def test_a_game_given_in_an_older_journal_is_no_act():
    """The first versions of the entry do not say who gave a game to a table."""
    event = f'{{"number":1,"session":"s","table":"{KEY.id}","what":"called"}}'
    read = read_json(f'{{"event":{event},"seq":4,"tournament":"t","wall_us":1}}', Entry).event
    assert (read.by_hand, is_act(read), is_act(Called(number=1, table=PLAIN, session="s"))) == (False, False, True)


def test_a_tournament_of_an_older_journal_has_rounds_without_an_end():
    """The first versions of the entry name no minutes."""
    plan = '"form":"rounds","game":"stack_dice","least":2,"most":4,"preset":"printed","rounds":0,"through":2'
    text = f'{{"event":{{{plan},"what":"begun"}},"seq":1,"tournament":"t","wall_us":1}}'
    assert read_json(text, Entry).event.minutes == 0


def test_a_ruling_of_an_older_journal_is_of_the_newest_round(record):
    """Version 0 of the entry names no round."""
    text = '{"event":{"number":1,"ranks":[["a"],["b"]],"what":"ruled"},"seq":4,"tournament":"t","wall_us":1}'
    assert read_json(text, Entry).event.round == 0
