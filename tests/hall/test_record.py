"""What a hub keeps: codes that enrol once, letters on the disk before they are answered, and which one counts."""

import subprocess
import sys
from pathlib import Path

import pytest

from companion.errors import BadInput, NotAllowed, NotFound
from companion.hub import record as hub_record
from companion.hub.record import CODE_LIFETIME_US, Answer, HubRecord
from companion.journal.record import Row
from companion.letters.chain import pack, unpack
from companion.letters.envelope import make_envelope, seal
from companion.letters.people import Person, seal_person
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, ranks_of, struck

pytestmark = on_both

ROOT = Path(__file__).parents[2]


class Now:
    """A wall clock that a test sets."""

    us = NOON_US

    def __call__(self):
        return self.us


@pytest.fixture
def now():
    return Now()


@pytest.fixture
def record(tmp_path, now):
    record = HubRecord(tmp_path / "hub", now)
    yield record
    record.close()


def enrol(record, key=KEY, name="Table 1"):
    code = record.new_code()
    return record.enrol(code, key.public, key.sign(code.encode()), name)


def letter_of(chain, ranks=(), key=KEY, before=None):
    envelope = make_envelope(key, chain, before, ranks, {}, NOON_US, wall_sure=True)
    return envelope, seal(key, envelope, chain)


def take(record, chain, ranks=(), key=KEY, before=None):
    envelope, data = letter_of(chain, ranks, key, before)
    return record.take(envelope.session, envelope.head, data)


def test_a_code_enrols_one_table_once(record):
    code = record.new_code()
    table = record.enrol(code, KEY.public, KEY.sign(code.encode()), "Table 1")
    assert record.enrol(code, KEY.public, KEY.sign(code.encode()), "Table 1") == table  # its answer had got lost
    with pytest.raises(NotAllowed, match="used already"):
        record.enrol(code, OTHER_KEY.public, OTHER_KEY.sign(code.encode()), "Table 2")
    assert [(one["id"], one["name"]) for one in record.tables()] == [(KEY.id, "Table 1")]


def enrol_by(record, code):
    return record.enrol(code, KEY.public, KEY.sign(code.encode()), "Table 1")


def test_an_ended_code_stays_ended_when_the_clock_goes_back(record, now, monkeypatch):
    codes = record.new_code(), record.new_code()
    monkeypatch.setattr(hub_record, "boot_id", lambda: "another")
    now.us += CODE_LIFETIME_US + 1
    with pytest.raises(NotAllowed, match="doesn't count"):
        enrol_by(record, codes[0])
    now.us -= CODE_LIFETIME_US
    for code in codes:
        with pytest.raises(NotAllowed, match="doesn't count"):
            enrol_by(record, code)


def test_a_code_ends_by_the_kernels_uptime_whatever_the_clock_says(record, now, monkeypatch):
    code = record.new_code()
    now.us -= 7 * CODE_LIFETIME_US
    assert enrol_by(record, code)
    code, later_us = record.new_code(), hub_record.uptime_us() + CODE_LIFETIME_US + 1
    monkeypatch.setattr(hub_record, "uptime_us", lambda: later_us)
    with pytest.raises(NotAllowed, match="doesn't count"):
        enrol_by(record, code)


def test_in_another_boot_a_clock_that_is_behind_lets_nobody_in(record, now, monkeypatch):
    code = record.new_code()
    monkeypatch.setattr(hub_record, "boot_id", lambda: "another")
    now.us -= 60 * 60 * 1_000_000
    with pytest.raises(NotAllowed, match="doesn't count"):
        enrol_by(record, code)


def test_a_clock_that_is_set_right_ends_no_code(record, now):
    """A board without a clock chip starts in the past, until it hears the time from the network."""
    code = record.new_code()
    now.us += 400 * CODE_LIFETIME_US
    assert enrol_by(record, code)


def test_a_code_counts_for_a_day(record, now, monkeypatch):
    code = record.new_code()
    monkeypatch.setattr(hub_record, "boot_id", lambda: "another")
    now.us += CODE_LIFETIME_US + 1
    with pytest.raises(NotAllowed, match="companion hub code"):
        record.enrol(code, KEY.public, KEY.sign(code.encode()), "Table 1")


def test_nobody_enrols_a_key_that_they_do_not_have(record):
    code = record.new_code()
    with pytest.raises(NotAllowed, match="signature"):
        record.enrol(code, KEY.public, OTHER_KEY.sign(code.encode()), "Table 1")
    assert record.tables() == []


def test_a_finished_game_is_taken_once(record):
    enrol(record)
    chain = chain_of(QUICK)
    ranks = ranks_of(chain, QUICK)
    assert take(record, chain, ranks) is Answer.NEW
    assert take(record, chain, ranks) is Answer.KNOWN
    (game,) = record.games()
    assert (game["id"], game["head"], game["judged"]) == ("game-1", chain.head, True)
    assert game["ranks"] == [list(group) for group in ranks]


def test_a_stranger_is_refused_and_nothing_is_kept(record):
    with pytest.raises(NotAllowed, match="Enrol"):
        take(record, chain_of(QUICK))
    assert record.games() == []


def test_a_false_ranking_is_refused_and_nothing_is_kept(record):
    enrol(record)
    chain = chain_of(QUICK)
    with pytest.raises(BadInput, match="ranking isn't"):
        take(record, chain, ranks_of(chain, QUICK)[::-1])
    assert record.games() == []


def test_a_letter_at_another_address_is_refused(record):
    enrol(record)
    chain = chain_of(QUICK)
    _envelope, data = letter_of(chain, ranks_of(chain, QUICK))
    with pytest.raises(BadInput, match="address"):
        record.take("game-1", "0" * 64, data)


def test_rules_that_the_hub_does_not_have_are_kept_unjudged(record):
    enrol(record)
    chain = chain_of(QUICK, rules="ab" * 32)
    assert take(record, chain, ranks_of(chain, QUICK)) is Answer.UNJUDGED
    assert [game["judged"] for game in record.games()] == [False]


def test_a_correction_takes_the_place_of_the_result(record):
    enrol(record)
    whole, cut = chain_of(QUICK), chain_of(QUICK, cut=-1)
    before, _data = letter_of(cut)
    assert take(record, cut) is Answer.NEW
    assert take(record, whole, ranks_of(whole, QUICK), before=before) is Answer.NEW
    assert [game["head"] for game in record.games()] == [whole.head]
    assert [one["standing"] for one in record.letters("game-1")] == ["replaced", "counts"]


def test_an_older_state_that_comes_late_changes_nothing(record):
    enrol(record)
    whole, cut = chain_of(QUICK), chain_of(QUICK, cut=-1)
    take(record, whole, ranks_of(whole, QUICK))
    assert take(record, cut) is Answer.NEW
    assert [game["head"] for game in record.games()] == [whole.head]


def test_of_a_fork_both_are_kept_and_the_first_counts(record):
    enrol(record)
    length = len(chain_of(QUICK).rows)
    cut = chain_of(QUICK, cut=-1)
    one = chain_of(QUICK, cut=-1, more=[struck(length, length - 1, "one")])
    other = chain_of(QUICK, cut=-1, more=[struck(length, length - 1, "other")])
    assert cut.head in one.hashes
    assert cut.head in other.hashes
    first = take(record, one, ranks=(), key=KEY)
    assert first in (Answer.NEW, Answer.UNJUDGED)
    assert take(record, other, ranks=()) is Answer.FORK
    assert take(record, other, ranks=()) is Answer.FORK
    assert [game["head"] for game in record.games()] == [one.head]
    assert [letter["standing"] for letter in record.letters("game-1")] == ["counts", "fork"]


def test_another_table_cannot_replace_a_game(record):
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    whole, cut = chain_of(QUICK), chain_of(QUICK, cut=-1)
    take(record, cut)
    assert take(record, whole, ranks_of(whole, QUICK), key=OTHER_KEY) is Answer.FORK
    assert [game["table"] for game in record.games()] == [KEY.id]


def test_letters_that_never_came_are_told(record):
    enrol(record)
    chain = chain_of(QUICK)
    first, _data = letter_of(chain_of(QUICK, cut=1))
    second, _data = letter_of(chain_of(QUICK, cut=2), before=first)
    take(record, chain, ranks_of(chain, QUICK), before=second)
    (table,) = record.tables()
    assert (table["sent"], table["received"], table["missing"]) == (3, 1, 2)


def test_games_are_counted_by_kind(record):
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    assert record.kinds() == [{"id": "stack_dice", "games": 1, "judged": 1, "tables": 1}]


def test_a_game_that_nobody_sent_is_not_found(record):
    with pytest.raises(NotFound):
        record.letters("nothing")


def test_what_was_answered_outlives_a_kill(tmp_path, each_database):
    """A process that is killed as soon as it has taken the letter; another one then reads the record."""
    folder = tmp_path / "hub"
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from companion.hub.record import HubRecord\n"
        "from tests.hall.letters import QUICK, chain_of, ranks_of\n"
        "from tests.hall.test_record import enrol, take\n"
        "record = HubRecord(Path(sys.argv[1]), database=sys.argv[2])\n"
        "enrol(record)\n"
        "chain = chain_of(QUICK)\n"
        "print(take(record, chain, ranks_of(chain, QUICK)).value, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", script, str(folder), each_database(folder)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert (ended.stdout, ended.returncode) == (b"new\n", -9)
    record = HubRecord(folder)
    assert [game["head"] for game in record.games()] == [chain_of(QUICK).head]
    record.close()


def test_what_is_kept_is_the_letter_itself(record):
    """So that anybody can check the signature later, and a league be handed the same letter."""
    enrol(record)
    chain = chain_of(QUICK)
    _envelope, data = letter_of(chain, ranks_of(chain, QUICK))
    record.take("game-1", chain.head, data)
    assert unpack(data.split(b"\n", 2)[2]) == chain
    with record._database.engine.begin() as db:
        assert [bytes(row.letter) for row in db.exec_driver_sql("SELECT letter FROM letters")] == [data]


def forked(record):
    """Two courses of one game, the first of which counts; returns both."""
    enrol(record)
    length = len(chain_of(QUICK).rows)
    one = chain_of(QUICK, cut=-1, more=[struck(length, length - 1, "one")])
    other = chain_of(QUICK, cut=-1, more=[struck(length, length - 1, "other")])
    take(record, one)
    assert take(record, other) is Answer.FORK
    return one, other


def test_people_decide_which_course_counts(record):
    one, other = forked(record)
    assert [letter["id"] for letter in record.forks()] == [one.head, other.head]
    record.decide("game-1", other.head)
    assert [game["head"] for game in record.games()] == [other.head]
    assert [letter["standing"] for letter in record.letters("game-1")] == ["set aside", "counts"]
    assert record.forks() == []
    with pytest.raises(NotFound, match="nothing to decide"):
        record.decide("game-1", one.head)


def test_what_goes_on_from_a_course_that_was_set_aside_is_a_fork_again(record):
    _one, other = forked(record)
    record.decide("game-1", other.head)
    length = len(other.rows)
    again = chain_of(QUICK, cut=-1, more=[struck(length, length - 1, "one"), struck(length + 1, length - 2, "more")])
    assert take(record, again) is Answer.FORK
    assert [letter["id"] for letter in record.forks()] == [other.head, again.head]


def test_a_key_that_was_taken_away_counts_no_more_and_what_came_before_stays(record, now):
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    now.us += 1
    record.revoke(KEY.id)
    assert (record.public_of(KEY.id), record.enrolled()) == (None, [])
    with pytest.raises(NotAllowed, match="Enrol the table again"):
        take(record, chain_of(QUICK, cut=-1))
    assert [game["head"] for game in record.games()] == [chain.head]
    assert [table["revoked_us"] for table in record.tables()] == [now.us]
    with pytest.raises(NotFound):
        record.revoke(KEY.id)


def test_a_table_without_a_key_comes_back_with_a_new_one(record):
    enrol(record)
    record.revoke(KEY.id)
    enrol(record, OTHER_KEY, "")
    assert record.enrolled() == [{"id": OTHER_KEY.id, "name": "", "number": 2}]


@pytest.mark.parametrize(
    ("wall_sure", "received_us", "begun_us"),
    [
        (True, NOON_US + 1, NOON_US),
        (True, NOON_US + 7 * 86_400_000_000, NOON_US),  # after a week without a network
        (True, NOON_US - 86_400_000_000, NOON_US - 86_400_000_000),  # the table's clock is a day ahead
        (False, NOON_US + 1, NOON_US + 1),  # a board without a battery
    ],
)
def test_where_a_tables_clock_is_wrong_the_receipt_says_when_a_game_was_played(
    record, now, wall_sure, received_us, begun_us
):
    enrol(record)
    now.us = received_us
    chain = chain_of(QUICK)
    envelope = make_envelope(KEY, chain, None, ranks_of(chain, QUICK), {}, NOON_US, wall_sure=wall_sure)
    record.take(envelope.session, envelope.head, seal(KEY, envelope, chain))
    assert [game.created_us for game in record.league.games()] == [begun_us]


DAY_US = 86_400_000_000


def sent(record, session, made_us, before=None, begun_us=None, wall_sure=True):
    """Takes a game under this id whose letter was made then, and was begun an hour before; returns its envelope."""
    header, *contents = (chain_of(QUICK).header, *(row.content for row in chain_of(QUICK).rows))
    begun_us = made_us - 3_600_000_000 if begun_us is None else begun_us
    header = header.replace(f'"created_wall_us":{NOON_US}', f'"created_wall_us":{begun_us}')
    if not wall_sure:
        contents = [content.replace('"wall_us"', '"wall_sure":false,"wall_us"') for content in contents]
    rows = [Row(0, "", content.replace('"game-1"', f'"{session}"'), "") for content in contents]
    chain = unpack(pack(header.replace('"game-1"', f'"{session}"'), rows))
    envelope = make_envelope(KEY, chain, before, ranks_of(chain_of(QUICK), QUICK), {}, made_us, wall_sure=True)
    assert record.take(session, envelope.head, seal(KEY, envelope, chain)) is Answer.NEW
    return envelope


def dates(record):
    return {game.session: (game.created_us, game.clock) for game in record.league.games()}


def test_a_clock_before_the_enrolment_is_not_believed(record, now):
    """A table sends no game that ended before it was enrolled."""
    enrol(record)
    now.us += DAY_US
    sent(record, "early", NOON_US - DAY_US)
    sent(record, "crossing", NOON_US + 60_000_000, begun_us=NOON_US - DAY_US)
    assert dates(record) == {"early": (now.us, "before enrolment"), "crossing": (NOON_US - DAY_US, "")}


def test_a_clock_that_goes_backwards_is_not_believed(record, now):
    enrol(record)
    now.us += 7 * DAY_US
    first = sent(record, "first", NOON_US + 3 * DAY_US)
    second = sent(record, "second", NOON_US + 2 * DAY_US, before=first)  # a day early, which it was not
    sent(record, "third", NOON_US + 4 * DAY_US, before=second)
    hour_us = 3_600_000_000
    assert dates(record) == {
        "first": (NOON_US + 3 * DAY_US - hour_us, ""),
        "second": (now.us, "backwards"),
        "third": (NOON_US + 4 * DAY_US - hour_us, ""),
    }


def test_letters_that_waited_for_a_week_keep_their_days(record, now):
    """Each was made after the one before, though all come at once."""
    enrol(record)
    now.us += 7 * DAY_US
    before = None
    for day in range(1, 6):
        before = sent(record, f"day-{day}", NOON_US + day * DAY_US, before=before)
    assert [clock for _begun_us, clock in dates(record).values()] == [""] * 5


def test_a_clock_ahead_of_the_receipt_is_not_believed(record, now):
    """A game that is said to be begun before it came, and to be over after it."""
    enrol(record)
    now.us += DAY_US
    sent(record, "ahead", now.us + DAY_US, begun_us=NOON_US)
    assert dates(record) == {"ahead": (now.us, "ahead")}


def test_a_game_begun_by_a_clock_that_was_not_set_yet_is_dated_by_its_receipt(record, now):
    """A board without a battery is switched on, a game begins, and only then comes the time from the network."""
    enrol(record)
    now.us += DAY_US
    sent(record, "unset", now.us, begun_us=0, wall_sure=False)
    assert dates(record) == {"unset": (now.us, "unsure")}


@pytest.mark.parametrize("text", ["a\0b", "\0"])
def test_a_text_with_a_zero_is_refused_in_one_sentence(record, text):
    """PostgreSQL keeps no such text."""
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    with pytest.raises(BadInput, match="can't be kept"):
        record.orders.give(KEY.id, "game-1", "p1", -5, f"because {text}")
    person = Person(key=KEY.id, person="ann", name="Ann", players=(text,), at_us=1)
    with pytest.raises(BadInput, match="can't be kept"):
        record.meet("ann", seal_person(KEY, person))
    assert (record.orders.waiting(KEY.id), record.league.names()) == ((), {})


def test_a_game_with_an_impossible_name_is_refused(record):
    enrol(record)
    chain = chain_of(QUICK)
    for name in ("x" * 65, "a\\u0000b"):
        header = chain.header.replace('"game":"stack_dice"', f'"game":"{name}"')
        with pytest.raises(BadInput, match="can't be understood"):
            unpack(pack(header, chain.rows))


def test_a_correction_changes_nothing_about_when_a_game_was_played(record, now):
    enrol(record)
    now.us = NOON_US - 86_400_000_000
    first, data = letter_of(chain_of(QUICK, cut=-1))
    record.take(first.session, first.head, data)
    now.us += 60_000_000
    whole = chain_of(QUICK)
    take(record, whole, ranks_of(whole, QUICK), before=first)
    assert [game.created_us for game in record.league.games()] == [NOON_US - 86_400_000_000]
