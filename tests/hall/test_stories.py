"""A key that tells two stories is told of, both letters are kept, and the staff decide; a question is answered once."""

import msgspec
import pytest

from companion.errors import BadInput, NotAllowed, NotFound
from companion.hub.record import Answer, HubRecord
from companion.letters.counting import COUNT_DIGITS, LEAP, MOST_AHEAD, challenge_of, count_of
from companion.letters.envelope import MOST_LETTERS, make_envelope, seal
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY
from tests.hall.test_doubles import game_of
from tests.hall.test_record import enrol

pytestmark = on_both


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    enrol(record)
    yield record
    record.close()


def letter(seed, before=None, key=KEY):
    """(envelope, letter) of a game of its own, made after another."""
    chain, ranks = game_of(f"game-{seed}", seed=seed)
    envelope = make_envelope(key, chain, before, ranks, {}, NOON_US, wall_sure=True)
    return envelope, seal(key, envelope, chain)


def story(first_seed, before=None, length=3):
    """The letters of one table, one after the other."""
    letters = []
    for seed in range(first_seed, first_seed + length):
        letters.append(letter(seed, before))
        before = letters[-1][0]
    return letters


def send(record, *letters):
    for envelope, data in letters:
        assert record.take(envelope.session, envelope.head, data) is Answer.NEW


def told(record):
    return [(two.first.session, two.other.session) for two in record.stories.all()]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2), (2, 0)])
def test_one_story_is_none_in_whatever_order_it_comes(record, order):
    letters = story(1)
    send(record, *(letters[at] for at in order))
    assert told(record) == []


def test_two_letters_of_one_number_are_both_named_and_kept(record):
    common = story(1, length=1)
    one, other = story(10, common[0][0]), story(20, common[0][0])
    send(record, *common, one[0], other[0], one[1], other[1])
    assert told(record) == [("game-10", "game-20")]
    assert len(record.games()) == 5
    record.stories.settle(KEY.id)
    assert told(record) == []
    with pytest.raises(NotFound, match="nothing to decide"):
        record.stories.settle(KEY.id)
    send(record, one[2], other[2])
    assert told(record) == []  # Each goes on as the staff know it.


@pytest.mark.parametrize("order", ["abababab", "bbbbaaaa", "aaaabbbb", "abbbbaaa"])
def test_two_settled_stories_go_on_untold_and_a_third_is_told(record, order):
    one, other = story(10, length=5), story(20, length=5)
    send(record, one[0], other[0])
    record.stories.settle(KEY.id)
    more = {"a": iter(one[1:]), "b": iter(other[1:])}
    for which in order:
        send(record, next(more[which]))
        assert told(record) == []
    third = story(30, other[2][0], length=2)
    send(record, third[0])
    assert told(record) == [("game-23", "game-30")]
    record.stories.settle(KEY.id)
    send(record, third[1])
    assert told(record) == []


def made_again(of, before=None):
    """The same letter as a table makes it again, minutes later."""
    chain, ranks = game_of(of[0].session, seed=int(of[0].session[5:]))
    envelope = make_envelope(KEY, chain, before, ranks, {}, NOON_US + 300_000_000, wall_sure=True)
    return envelope, seal(KEY, envelope, chain)


@pytest.mark.parametrize("times", [1, 2])
def test_a_letter_that_a_power_cut_took_back_and_that_came_again_is_no_other_story(record, times):
    letters = story(1, length=2)
    send(record, *letters)
    again = made_again(letters[1], letters[0][0])
    assert again[1] != letters[1][1]
    for _time in range(times):
        assert record.take(again[0].session, again[0].head, again[1]) is Answer.KNOWN
    after = story(3, again[0], length=2)
    send(record, *after)
    assert told(record) == []
    send(record, letter(9, letters[1][0]))  # Whoever goes on from the first is another table.
    assert told(record) == [("game-3", "game-9")]


def test_a_key_that_was_taken_away_is_decided(record):
    send(record, letter(1), letter(2))
    assert told(record) == [("game-1", "game-2")]
    record.revoke(KEY.id)
    assert told(record) == []
    assert len(record.games()) == 2


@pytest.mark.parametrize("late", [0, 1])
def test_a_letter_that_follows_one_that_nobody_knows_contradicts_the_one_that_is_known(record, late):
    one, other = story(1, length=2), story(10, length=2)
    pair = [one[0], other[1]]
    send(record, pair[late], pair[1 - late])
    assert told(record) == [tuple(envelope.session for envelope, _data in (pair[late], pair[1 - late]))]


def test_the_letters_of_two_keys_are_never_compared(record):
    enrol(record, OTHER_KEY, "Table 2")
    send(record, letter(1), letter(2, key=OTHER_KEY))
    assert told(record) == []


@pytest.mark.parametrize("n", [2**53 - 1, MOST_LETTERS + 1])
def test_a_number_that_no_table_reaches_is_refused(record, n):
    chain, ranks = game_of("game-1")
    envelope = make_envelope(KEY, chain, None, ranks, {}, NOON_US, wall_sure=True)
    envelope = msgspec.structs.replace(envelope, n=n)
    with pytest.raises(BadInput, match="so many games"):
        record.take(envelope.session, envelope.head, seal(KEY, envelope, chain))
    assert [table["missing"] for table in record.tables()] == [0]


def test_a_question_is_answered_once_also_after_a_restart(record, tmp_path):
    questions = [challenge_of(count) for count in (1, 2, 3, 5)]
    for question in questions:
        record.questions.hear(KEY.id, question)
    again = HubRecord(tmp_path / "hub", lambda: NOON_US)
    for hub in (record, again):
        for question in questions:
            with pytest.raises(NotAllowed, match="answered once"):
                hub.questions.hear(KEY.id, question)
    again.questions.hear(KEY.id, challenge_of(6 + LEAP))
    with pytest.raises(NotAllowed):  # The other process has gone on from there.
        record.questions.hear(KEY.id, challenge_of(6 + LEAP))
    again.close()


def test_a_table_that_does_not_count_yet_is_answered_once_too(record):
    assert count_of("ab" * 16) is None
    assert count_of(challenge_of(MOST_AHEAD - 1)) == MOST_AHEAD - 1
    record.questions.hear(KEY.id, "ab" * 16)
    record.questions.hear(OTHER_KEY.id, "ab" * 16)
    with pytest.raises(NotAllowed):
        record.questions.hear(KEY.id, "ab" * 16)


def test_chance_hardly_ever_reads_as_a_count(record):
    assert MOST_AHEAD / 16**COUNT_DIGITS <= 2**-40
    for mark in (0, 7 + LEAP):
        far = challenge_of(mark + MOST_AHEAD)
        record.questions.hear(KEY.id, far)
        with pytest.raises(NotAllowed):
            record.questions.hear(KEY.id, far)
        record.questions.hear(KEY.id, challenge_of(mark + 7))  # The count is where it was.
    record.questions.hear(KEY.id, challenge_of(MOST_AHEAD - 1))  # Chance has read as a count: it goes on from there.
    record.questions.hear(KEY.id, challenge_of(MOST_AHEAD + 2 * LEAP))
    with pytest.raises(NotAllowed):
        record.questions.hear(KEY.id, challenge_of(MOST_AHEAD + LEAP))
    for digits in ("ffffff", "800000", "000080", "000001", "00000010"):  # However many zeros it has by chance.
        assert count_of(digits.ljust(32, "0")) is None
