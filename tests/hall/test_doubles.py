"""A game that was copied under new ids is kept, and counts nowhere until the staff decide; no real game is held."""

from functools import cache
from random import Random

import pytest

from companion.app.bench.rules import random_game
from companion.errors import BadInput, NotFound
from companion.hub.doubles import LEAST_TIMES, fingerprint
from companion.hub.record import Answer, HubRecord
from companion.journal.events import Entry, Posted, StoodIn
from companion.journal.record import Row, content_of, header_json
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Session, canonical_json
from companion.letters.chain import pack, unpack
from companion.letters.envelope import make_envelope, seal
from companion.shelf import GAMES
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY
from tests.hall.test_record import enrol

GAME = GAMES["swapstax"]


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    yield record
    record.close()


def pauses(seed, count):
    """How long people took before each entry, in µs: between half a second and twenty, as at a table."""
    chance = Random(seed)
    return [chance.randrange(500_000, 20_000_000) for _number in range(count)]


@cache
def course_of(seed, players):
    return random_game(GAME, seed, players)


def game_of(session, players=("ann", "ben"), seed=1, waits=None, more=(), source="tablet", begun_us=0):
    """A random game, which is the same for a seed; `waits` are the times before each entry, `more` further bodies."""
    one = course_of(seed, players)
    bodies = [*map(Posted, one.events), *more]
    waits = waits or pauses(seed, len(bodies))
    header = Session(
        session, GAME.rules.name, GAME.rules.options(), players, NOON_US - 10**9, rules=rules_digest(GAME.rules.name)
    )
    contents, at_us = [], begun_us
    for seq, (body, wait_us) in enumerate(zip(bodies, waits, strict=False), start=1):
        at_us += wait_us
        contents.append(content_of(session, Entry(seq, f"{session}-{seq}", body, at_us, NOON_US, source, "")))
    rows = [Row(0, "", content, "") for content in contents]
    return unpack(pack(canonical_json(header_json(header)), rows)), GAME.rules.ranking(one.states[-1])


def take(record, chain, ranks, key=KEY):
    envelope = make_envelope(key, chain, None, ranks, {}, NOON_US, wall_sure=True)
    return record.take(envelope.session, envelope.head, seal(key, envelope, chain))


def counting(record):
    return [game.session for game in record.league.games()]


@pytest.fixture
def copied(record):
    """A game, and its copy by another table under other ids of game, entries and players, at another time."""
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    assert take(record, *game_of("first")) is Answer.NEW
    copy = game_of("copy", ("eve", "mal"), begun_us=10**12)
    assert take(record, *copy, OTHER_KEY) is Answer.HELD
    return copy


@on_both
def test_a_copy_is_kept_and_counts_nowhere(record, copied):
    assert take(record, *copied, OTHER_KEY) is Answer.HELD  # its answer had got lost
    assert counting(record) == ["first"]
    assert [letter["standing"] for letter in record.letters("copy")] == ["held"]
    assert record.league.games_of(OTHER_KEY.id, 9) == []
    (double,) = record.doubles.all()
    assert (double.session, double.table) == ("copy", OTHER_KEY.id)
    assert (double.other, double.other_table) == ("first", KEY.id)
    assert "game first of Table 1" in record.doubles.sentence("copy", copied[0].head)


@on_both
@pytest.mark.parametrize(("which", "counts"), [("both", ["copy", "first"]), ("this", ["copy"]), ("other", ["first"])])
def test_the_staff_decide_which_counts(record, copied, which, counts):
    with pytest.raises(BadInput, match="Choose"):
        record.doubles.settle("copy", copied[0].head, "none")
    record.doubles.settle("copy", copied[0].head, which)
    assert sorted(counting(record)) == counts
    assert record.doubles.all() == []
    with pytest.raises(NotFound, match="nothing to decide"):
        record.doubles.settle("copy", copied[0].head, which)


GOES_ON = {"first": (("ann", "ben"), 0, KEY), "copy": (("eve", "mal"), 10**12, OTHER_KEY)}


@on_both
@pytest.mark.parametrize(
    ("which", "session", "answer"),
    [
        ("both", "first", Answer.NEW),
        ("both", "copy", Answer.NEW),
        ("this", "first", Answer.HELD),
        ("this", "copy", Answer.NEW),
        ("other", "first", Answer.NEW),
        ("other", "copy", Answer.HELD),
    ],
)
def test_what_goes_on_from_a_game_counts_as_the_staff_have_said_of_it(record, copied, which, session, answer):
    record.doubles.settle("copy", copied[0].head, which)
    players, begun_us, key = GOES_ON[session]
    waits = [*pauses(1, len(copied[0].rows)), 700_000]
    goes_on = game_of(session, players, waits=waits, more=[StoodIn(players[0], "")], begun_us=begun_us)
    assert take(record, *goes_on, key) is answer


@on_both
def test_a_copy_that_comes_in_two_parts_is_held(record):
    """First its beginning, which looks like no whole game."""
    enrol(record)
    whole, ranks = game_of("first")
    take(record, whole, ranks)
    begun, _ranks = game_of("copy", waits=pauses(1, len(whole.rows))[:5])
    assert take(record, begun, ()) is Answer.NEW
    assert take(record, *game_of("copy")) is Answer.HELD
    assert [letter["standing"] for letter in record.letters("copy")] == ["counts", "held"]


def test_the_ids_of_players_and_entries_and_the_day_change_no_fingerprint():
    first, copy = game_of("first")[0], game_of("copy", ("eve", "mal"), begun_us=10**12)[0]
    assert fingerprint(first) == fingerprint(copy) != ""


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},  # another course
        {"waits": pauses(7, 400)},  # the same course, played again
        {"players": ("ben", "ann", "cy")},
    ],
)
def test_another_game_has_another_fingerprint(other):
    assert fingerprint(game_of("first")[0]) != fingerprint(game_of("other", **other)[0])


def test_short_games_of_one_kind_never_collide():
    """2,000 games with one course of ten entries: people's times alone tell them apart."""
    found = [fingerprint(game_of(f"g{seed}", waits=pauses(seed, 10))[0]) for seed in range(2_000)]
    assert "" not in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "waits",
    [
        [1] * 400,  # microseconds: entered by a program
        [1_000_000] * 400,  # once a second: entered by a program
        [3_000_000, 4_000_000] * 200,
        pauses(1, LEAST_TIMES),  # too few entries: the first has no time before it
    ],
)
def test_times_that_say_nothing_make_no_fingerprint(waits):
    assert fingerprint(game_of("first", waits=waits)[0]) == ""


def test_what_the_clock_enters_says_nothing():
    assert fingerprint(game_of("first", source="clock")[0]) == ""


@on_both
def test_the_same_game_after_a_restore_is_no_copy(record):
    """A table comes back from a copy of its data, with a new key, and sends what it has."""
    enrol(record)
    enrol(record, OTHER_KEY, "Table 1")
    game = game_of("first")
    assert take(record, *game) is Answer.NEW
    assert take(record, *game, OTHER_KEY) is Answer.KNOWN
    assert record.doubles.all() == []
