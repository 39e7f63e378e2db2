"""The people whom tables make known: what is believed, what replaces what, and that it can be taken back."""

import msgspec
import pytest

from companion.errors import BadInput, NotAllowed
from companion.hub.record import HubRecord
from companion.letters.people import Person, open_person, seal_person
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, public_of, ranks_of
from tests.hall.test_record import enrol, take

pytestmark = on_both


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub")
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    yield record
    record.close()


def ann(key=KEY, at_us=NOON_US, name="Ann", players=("p0",), person="ann-1"):
    return Person(key=key.id, person=person, name=name, players=players, at_us=at_us)


def tell(record, person, key=KEY):
    record.meet(person.person, seal_person(key, person))


def who(record):
    (game,) = record.league.games()
    names = record.league.names()
    return {player: names[who] for player, who in game.people.items()}


def test_a_person_is_who_played(record):
    tell(record, ann())
    assert who(record) == {"p0": "Ann"}


def test_the_newest_counts(record):
    tell(record, ann())
    tell(record, ann(at_us=NOON_US + 2, name="Anna", players=("p0", "p9")))
    tell(record, ann(at_us=NOON_US + 1, name="Old"))
    assert who(record) == {"p0": "Anna"}


def test_a_deleted_person_is_forgotten_and_does_not_come_back(record, tmp_path):
    tell(record, ann(name="Annabella"))
    tell(record, ann(at_us=NOON_US + 1, name="", players=()))
    tell(record, ann(name="Annabella"))
    assert (who(record), record.league.names()) == ({}, {})
    with record._database.engine.begin() as db:
        assert db.exec_driver_sql("SELECT * FROM seats").all() == []
        assert [row.name for row in db.exec_driver_sql("SELECT name FROM people")] == [""]


def test_a_seat_that_was_somebody_elses_is_this_persons_now(record):
    tell(record, ann())
    tell(record, ann(person="bo-1", name="Bo", players=("p0", "p1")))
    assert who(record) == {"p0": "Bo", "p1": "Bo"}


def test_a_table_says_nothing_of_another_tables_games(record):
    tell(record, ann(OTHER_KEY), OTHER_KEY)
    assert who(record) == {}


def test_two_houses_may_have_the_same_id(record):
    tell(record, ann())
    tell(record, ann(OTHER_KEY, name="Other"), OTHER_KEY)
    assert record.league.names() == {(KEY.id, "ann-1"): "Ann", (OTHER_KEY.id, "ann-1"): "Other"}


def test_another_address_is_refused(record):
    with pytest.raises(BadInput, match="another person"):
        record.meet("bo-1", seal_person(KEY, ann()))


@pytest.mark.parametrize(
    "data",
    [
        seal_person(OTHER_KEY, ann()),
        seal_person(KEY, ann()).replace(b"Ann", b"Bob"),
        ann().text.encode() + b"\n" + KEY.sign(ann().text.encode()).hex().encode(),  # signed for no purpose
    ],
)
def test_a_forgery_is_refused(data):
    with pytest.raises(NotAllowed):
        open_person(data, public_of)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n", b"{}\n" + b"0" * 128, b"[" * 9999 + b"\n" + b"0" * 128, b"x" * 2_000_001,
        seal_person(KEY, ann())[:-1], seal_person(KEY, ann(name="", players=("p0",))),
        seal_person(KEY, ann(players=())),
    ],
)  # fmt: skip
def test_nonsense_is_refused(data):
    with pytest.raises(BadInput):
        open_person(data, public_of)


def test_what_was_sealed_is_opened():
    assert open_person(seal_person(KEY, ann()), public_of) == ann()
    assert msgspec.json.decode(ann().text)["players"] == ["p0"]
