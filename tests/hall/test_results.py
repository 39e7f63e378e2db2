"""Results that a tournament had not asked for: each has a line, the staff take or leave it, and never do both count."""

import msgspec
import pytest
import sqlalchemy as sa

from companion.errors import IllegalEvent, NotFound
from companion.hub import record as hub_record
from companion.hub.database import HAPPENED, SESSIONS
from companion.hub.record import Answer, HubRecord
from companion.hub.tournament.events import Accepted, ResultLeft, TakenBack
from companion.hub.tournament.sessions import offer_of
from companion.letters.envelope import make_envelope, seal
from companion.letters.keys import Key
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, ranks_of
from tests.hall.test_record import enrol, letter_of
from tests.hall.tournament.test_tournament_desk import THREE, begun, letter_of_offer, now, ruled_all

pytestmark = on_both

NEW_KEY = Key(bytes(range(2, 34)))


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    yield record
    record.close()


def take(record, offer, key=KEY, cut=None):
    """(the hub's answer, the envelope) of a letter with a whole game, or of one that goes on."""
    envelope, data = letter_of_offer(offer, key, cut)
    return record.take(envelope.session, envelope.head, data), envelope


def given_away(record):
    """A tournament whose game was given from one table to another; what either was offered."""
    tournament = begun(record)
    record.desk.pair(tournament)
    first = record.desk.offer_for(KEY.id)
    record.desk.call(tournament, 1, OTHER_KEY.id, frozenset())
    return tournament, first, record.desk.offer_for(OTHER_KEY.id)


def counting(record):
    return [game["id"] for game in record.games()]


def heads_in(record, tournament):
    """The session, whose result the tournament has, of its newest round."""
    return [(play.pairing.session, bool(play.ranks)) for play in now(record, tournament).state.newest.plays]


def lines(record):
    return [(result.session, result.table, result.number) for result in record.results.all() if not result.is_left]


def test_a_game_that_was_given_away_and_comes_all_the_same_has_a_line(record):
    tournament, first, second = given_away(record)
    answer, envelope = take(record, first)
    assert answer is Answer.WAITS
    assert lines(record) == [(first.session, KEY.id, 1)]
    assert (counting(record), heads_in(record, tournament)) == ([], [(second.session, False)])
    record.results.take(first.session, envelope.head)
    assert (counting(record), heads_in(record, tournament)) == ([first.session], [(first.session, True)])
    assert (lines(record), record.desk.offer_for(OTHER_KEY.id)) == ([], None)


def test_of_two_results_of_one_game_one_counts(record):
    """Played again at the other table: the first table's result comes last. The staff may change their mind."""
    tournament, first, second = given_away(record)
    assert take(record, second, OTHER_KEY)[0] is Answer.NEW
    answer, envelope = take(record, first)
    assert (answer, lines(record)) == (Answer.WAITS, [(first.session, KEY.id, 1)])
    assert counting(record) == [second.session]
    assert len(record.league.games()) == 1
    record.results.take(first.session, envelope.head)
    assert (counting(record), heads_in(record, tournament)) == ([first.session], [(first.session, True)])
    (other,) = [result for result in record.results.all() if result.is_left]
    assert other.session == second.session
    record.results.take(other.session, other.head)
    assert (counting(record), heads_in(record, tournament)) == ([second.session], [(second.session, True)])
    assert len(record.league.games()) == 1


def test_a_result_that_is_left_counts_nowhere_and_can_be_taken_later(record):
    tournament, first, second = given_away(record)
    _answer, envelope = take(record, first)
    record.results.leave(first.session, envelope.head)
    assert (lines(record), counting(record), heads_in(record, tournament)) == ([], [], [(second.session, False)])
    assert take(record, first)[0] is Answer.KNOWN  # its table had not heard the answer
    take(record, second, OTHER_KEY)
    assert counting(record) == [second.session]
    record.results.take(first.session, envelope.head)
    assert counting(record) == [first.session]


def test_a_correction_of_a_result_that_was_taken_counts_by_itself(record):
    tournament, first, _second = given_away(record)
    _answer, envelope = take(record, first)
    record.results.take(first.session, envelope.head)
    longer = letter_of_offer(first)
    assert longer[0].head == envelope.head
    cut, _data = letter_of_offer(first, cut=-1)
    assert record.take(cut.session, cut.head, _data) is Answer.NEW  # an older course: it changes nothing
    assert heads_in(record, tournament) == [(first.session, True)]


def test_a_result_in_a_closed_round_can_be_taken(record):
    tournament, first, _second = given_away(record)
    ruled_all(record, tournament)
    record.desk.pair(tournament)
    _answer, envelope = take(record, first)
    record.results.take(first.session, envelope.head)
    state = now(record, tournament).state
    assert state.rounds[0].plays[0].pairing.session == first.session
    assert (state.rounds[0].plays[0].ruled, bool(state.rounds[0].plays[0].ranks)) == ((), True)


def test_another_tables_result_never_blocks_the_right_one(record):
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    assert take(record, offer, OTHER_KEY)[0] is Answer.FOREIGN
    assert (lines(record), counting(record)) == ([(offer.session, OTHER_KEY.id, 1)], [])
    assert take(record, offer)[0] is Answer.NEW  # the very same course, signed by whom it was given to
    assert heads_in(record, tournament) == [(offer.session, True)]
    assert ([game["table"] for game in record.games()], lines(record)) == ([KEY.id], [])
    assert take(record, offer, OTHER_KEY)[0] is Answer.KNOWN
    assert len(record.league.games()) == 1


def test_another_course_from_another_table_waits_beside_the_right_one(record):
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    take(record, offer)
    assert take(record, offer, OTHER_KEY, cut=-1)[0] is Answer.FOREIGN
    assert (record.forks(), counting(record)) == ([], [offer.session])
    assert lines(record) == []  # it is not over, so there's nothing to take


def test_a_table_that_was_enrolled_anew_has_a_line(record):
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    record.revoke(KEY.id)
    enrol(record, NEW_KEY, "Table 1")
    answer, envelope = take(record, offer, NEW_KEY)
    assert (answer, lines(record)) == (Answer.FOREIGN, [(offer.session, NEW_KEY.id, 1)])
    record.results.take(offer.session, envelope.head)
    assert heads_in(record, tournament) == [(offer.session, True)]
    assert now(record, tournament).state.newest.plays[0].pairing.table == NEW_KEY.id


def test_what_a_table_sends_again_by_a_new_key_is_known_and_none_is_missing(record):
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    take(record, offer)
    enrol(record, NEW_KEY, "Table 1")
    assert take(record, offer, NEW_KEY)[0] is Answer.KNOWN
    table = record.tables()[-1]
    assert (table["id"], table["received"], table["missing"]) == (NEW_KEY.id, 1, 0)
    assert (lines(record), counting(record), len(record.league.games())) == ([], [offer.session], 1)


def test_a_game_whose_seating_was_lost_is_known_by_its_players(record):
    """The hub's disk died right after the round was seated, and its copy knows nothing of the round."""
    tournament = begun(record)
    record.desk.pair(tournament)
    lost = record.desk.offer_for(KEY.id)
    with record._database.changing() as db:
        db.execute(sa.delete(SESSIONS))
        db.execute(sa.delete(HAPPENED).where(HAPPENED.c.seq == 3))
    record.desk._folded.clear()
    record.desk.pair(tournament)  # the staff seat it again
    answer, envelope = take(record, lost)
    assert (answer, lines(record)) == (Answer.WAITS, [(lost.session, KEY.id, 1)])
    assert [result.is_lost for result in record.results.all()] == [True]
    record.results.take(lost.session, envelope.head)
    assert heads_in(record, tournament) == [(lost.session, True)]


def test_a_result_of_people_who_sit_elsewhere_now_has_a_line_and_cannot_be_taken(record):
    tournament = begun(record, [*THREE, "Dan", "Eve", "Flo"])
    record.desk.pair(tournament)
    state = now(record, tournament).state
    offer = offer_of(now(record, tournament), state.newest.plays[0])
    first, second = (play.pairing.seats[0] for play in state.newest.plays)
    record.desk.swap(tournament, first, second, frozenset())
    _answer, envelope = take(record, offer, KEY if state.newest.plays[0].pairing.table == KEY.id else OTHER_KEY)
    (result,) = record.results.all()
    assert result.why_not.startswith("Other people sit in that game now")
    with pytest.raises(IllegalEvent, match="Other people sit"):
        record.results.take(offer.session, envelope.head)
    assert counting(record) == []


def test_a_game_by_rules_that_the_hub_does_not_have_can_be_taken(record, monkeypatch):
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    monkeypatch.setattr(hub_record, "can_judge", lambda _letter: False)
    answer, envelope = take(record, offer)
    assert (answer, heads_in(record, tournament)) == (Answer.UNJUDGED, [(offer.session, False)])
    assert lines(record) == [(offer.session, KEY.id, 1)]
    record.results.take(offer.session, envelope.head)
    assert heads_in(record, tournament) == [(offer.session, True)]


def test_a_longer_course_of_a_result_that_waits_takes_its_place(record):
    _tournament, first, _second = given_away(record)
    take(record, first, cut=-1)
    _answer, envelope = take(record, first)
    assert [letter["standing"] for letter in record.letters(first.session)] == ["replaced", "waits"]
    assert [result.head for result in record.results.all()] == [envelope.head]


def test_nothing_to_decide_is_one_sentence(record):
    for decide in (record.results.take, record.results.leave):
        with pytest.raises(NotFound, match="nothing to decide"):
            decide("game-1", "0" * 64)


def test_a_game_for_fun_waits_for_nobody(record):
    begun(record)
    chain = chain_of(QUICK)
    envelope, data = letter_of(chain, ranks_of(chain, QUICK))
    assert record.take(envelope.session, envelope.head, data) is Answer.NEW
    assert counting(record) == [envelope.session]


def test_the_hub_says_which_letters_it_lacks(record):
    chain = chain_of(QUICK)
    before = make_envelope(KEY, chain, None, (), {}, NOON_US, wall_sure=True)
    envelope = make_envelope(
        KEY, chain, msgspec.structs.replace(before, n=2), ranks_of(chain, QUICK), {}, NOON_US, wall_sure=True
    )
    record.take(envelope.session, envelope.head, seal(KEY, envelope, chain))
    assert (envelope.n, record.lacking(KEY.id, 3)) == (3, (2, 1))
    assert record.lacking(OTHER_KEY.id, 0) == ()


def statements_of(record, act):
    """How many statements the database gets while something is done."""
    said = []
    heard = (record._database.engine, "before_cursor_execute", lambda *_about: said.append(1))
    sa.event.listen(*heard)
    try:
        act()
    finally:
        sa.event.remove(*heard)
    return len(said)


def test_tournaments_that_are_over_make_no_letter_dearer(record):
    def take_one():
        tournament = begun(record)
        record.desk.pair(tournament)
        offer = record.desk.offer_for(KEY.id)
        return tournament, statements_of(record, lambda: take(record, offer))

    record.desk.end(take_one()[0])  # Then the hub has heard of the table.
    tournament, first = take_one()
    record.desk.end(tournament)
    for _number in range(5):
        record.desk.end(take_one()[0])
    assert take_one()[1] == first


def test_a_result_that_was_taken_is_taken_back_where_it_is_listed_and_taken_once_more(record):
    """Of the two results of one game one counts at each moment; what is taken back has its line again."""
    tournament, first, second = given_away(record)
    take(record, second, OTHER_KEY)
    _answer, envelope = take(record, first)
    before = now(record, tournament).state
    record.results.take(first.session, envelope.head)
    taken = now(record, tournament).state
    (accepted,) = [entry for entry in record.desk.acts(tournament) if isinstance(entry.event, Accepted)]
    for seq, state, counts, waits in (
        (accepted.seq, before, second.session, [(first.session, KEY.id, 1)]),
        (accepted.seq + 1, taken, first.session, []),
        (accepted.seq + 2, before, second.session, [(first.session, KEY.id, 1)]),
    ):
        record.desk.take_back(tournament, seq)
        assert now(record, tournament).state == state
        assert (counting(record), lines(record)) == ([counts], waits)
        assert len(record.league.games()) == 1


def test_a_result_that_was_left_is_listed_and_waits_again_where_that_is_taken_back(record):
    tournament, first, second = given_away(record)
    _answer, envelope = take(record, first)
    record.results.leave(first.session, envelope.head)
    record.results.leave(first.session, envelope.head)  # a second tap
    (left,) = [entry for entry in record.desk.acts(tournament) if isinstance(entry.event, ResultLeft)]
    assert (lines(record), left.event.round, left.event.number) == ([], 1, 1)
    record.desk.take_back(tournament, left.seq)
    assert lines(record) == [(first.session, KEY.id, 1)]
    assert [one.is_left for one in record.results.all()] == [False]
    back = record.desk.acts(tournament)[0]
    assert isinstance(back.event, TakenBack)
    record.desk.take_back(tournament, back.seq)
    assert (lines(record), [one.is_left for one in record.results.all()]) == ([], [True])
    record.results.take(first.session, envelope.head)  # Once it is taken, what became of leaving it says nothing.
    for seq in (left.seq, now(record, tournament).seq + 1):
        record.desk.take_back(tournament, seq)
        assert (counting(record), heads_in(record, tournament)) == ([first.session], [(first.session, True)])
    take(record, second, OTHER_KEY)
    assert lines(record) == [(second.session, OTHER_KEY.id, 1)]


def test_a_result_of_other_players_that_was_left_counts_as_a_game_again(record):
    """It was a game of its own, and no result of the tournament."""
    tournament, _first, second = given_away(record)
    others = msgspec.structs.replace(
        second,
        players=tuple(
            msgspec.structs.replace(player, id=f"{number:024x}") for number, player in enumerate(second.players)
        ),
    )
    _answer, envelope = take(record, others, OTHER_KEY)
    assert counting(record) == [second.session]
    record.results.leave(second.session, envelope.head)
    assert counting(record) == []
    for counts in ([second.session], []):
        record.desk.take_back(tournament, record.desk.acts(tournament)[0].seq)
        assert counting(record) == counts
    take(record, second, OTHER_KEY)  # those who sit there
    record.desk.take_back(tournament, record.desk.acts(tournament)[0].seq)
    assert (counting(record), len(lines(record))) == ([second.session], 1)


def test_a_result_that_was_taken_goes_with_its_corrections_when_it_is_taken_back(record):
    tournament, first, second = given_away(record)
    cut, data = letter_of_offer(first, cut=-1)
    record.take(cut.session, cut.head, data)
    assert lines(record) == []  # It goes on, so there is nothing to take yet.
    _answer, envelope = take(record, first)
    record.results.take(first.session, envelope.head)
    record.desk.take_back(tournament, record.desk.acts(tournament)[0].seq)
    assert (counting(record), heads_in(record, tournament)) == ([], [(second.session, False)])
    assert lines(record) == [(first.session, KEY.id, 1)]
    assert record.desk.offer_for(OTHER_KEY.id).session == second.session


def test_a_result_of_a_deleted_tournament_waits_until_it_is_brought_back(record):
    tournament, first, _second = given_away(record)
    take(record, first)
    before = lines(record)
    record.desk.delete(tournament)
    assert (len(before), lines(record)) == (1, [])
    record.desk.restore(tournament)
    assert lines(record) == before


def test_a_second_tap_takes_a_result_once(record):
    tournament, first, _second = given_away(record)
    _answer, sent = take(record, first)
    before = now(record, tournament).state
    for _tap in range(2):
        record.results.take(first.session, sent.head)
    record.desk.take_back(tournament, record.desk.acts(tournament)[0].seq)
    assert now(record, tournament).state == before
    assert lines(record) == [(first.session, KEY.id, 1)]
