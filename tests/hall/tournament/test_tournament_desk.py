"""The tournament desk: what is entered, what comes back from tables, and that nothing of it is lost."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput, CompanionError, IllegalEvent, JournalUnusable, NotFound
from companion.hub.record import HubRecord
from companion.hub.tournament.events import PLAIN, Called, Form
from companion.hub.tournament.sessions import player_of
from companion.hub.tournament.state import fold
from companion.journal import codec
from companion.journal.events import Entry, Posted
from companion.journal.record import Row, content_of, header_json
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Session, canonical_json
from companion.letters.chain import pack, unpack
from companion.letters.envelope import make_envelope, seal
from companion.letters.offer import Player
from companion.shelf import GAMES
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK
from tests.hall.test_record import enrol
from tests.played import named, read

pytestmark = on_both

ROOT = Path(__file__).parents[3]
THREE = ["Ann", "Ben", "Cleo"]  # as many as QUICK is played by


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    yield record
    record.close()


def begun(record, names=THREE, seats=3, form=Form.ROUNDS, rounds=0):
    return record.desk.begin("Autumn Cup", "stack_dice", "printed", form, seats, rounds, names).id


def now(record, tournament):
    return record.desk.find(tournament)


def letter_of_offer(offer, key=KEY, cut=None):
    """The letter of a whole game that was worked out by hand, played by whom the hub has seated."""
    played, game = read(QUICK), GAMES["stack_dice"]
    ids = dict(zip(played.players, (player.id for player in offer.players), strict=True))
    options = codec.options_from_json(game, named(played.options, ids))
    session = Session(
        offer.session, game.rules.name, options, tuple(ids.values()), NOON_US, rules=rules_digest(game.rules.name)
    )
    state, contents = game.rules.start(session.options, session.players), []
    for seq, step in enumerate(played.steps[:cut], start=1):
        event = codec.event_from_json(game, named(step.event, ids))
        state = game.rules.apply(state, event, ruled=False)
        contents.append(content_of(session.id, Entry(seq, f"e{seq}", Posted(event), seq, NOON_US + seq, "tablet", "")))
    rows = [Row(0, "", content, "") for content in contents]
    chain = unpack(pack(canonical_json(header_json(session)), rows))
    ranks = game.rules.ranking(state) if game.rules.is_over(state) else ()
    envelope = make_envelope(key, chain, None, ranks, {}, NOON_US, wall_sure=True)
    return envelope, seal(key, envelope, chain)


def send(record, offer, key=KEY, cut=None):
    envelope, data = letter_of_offer(offer, key, cut)
    record.take(envelope.session, envelope.head, data)
    return envelope


def ruled_all(record, tournament):
    """Every open game of the newest round decided by the staff, as the seats are."""
    for play in now(record, tournament).state.newest.open:
        record.desk.rule(tournament, play.pairing.number, tuple((one,) for one in play.pairing.seats))


def test_a_result_comes_back_by_itself(record):
    enrol(record)
    tournament = begun(record)
    assert record.desk.offer_for(KEY.id) is None
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    assert (offer.game, offer.preset, offer.round, offer.number) == ("stack_dice", "printed", 1, 1)
    assert sorted(player.name for player in offer.players) == THREE
    envelope = send(record, offer)
    (play,) = now(record, tournament).state.newest.plays
    seats = {player_of(offer.session, one): one for one in play.pairing.seats}
    assert play.ranks == tuple(tuple(seats[player] for player in group) for group in envelope.ranks)
    assert now(record, tournament).state.newest.is_closed
    assert record.desk.offer_for(KEY.id) is None


def test_a_correction_takes_the_place_of_the_result(record):
    """A game that goes on opens its table again; the whole game closes it."""
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    send(record, offer, cut=-1)
    assert now(record, tournament).state.newest.open
    send(record, offer)
    assert now(record, tournament).state.newest.is_closed


def test_a_correction_after_the_next_round_changes_points_and_no_seat(record):
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    ruled_all(record, tournament)
    record.desk.pair(tournament)
    pairings = [play.pairing for play in now(record, tournament).state.newest.plays]
    send(record, offer, cut=-1)
    assert now(record, tournament).state.rounds[0].plays[0].ranks == ()
    send(record, offer)
    state = now(record, tournament).state
    assert state.rounds[0].plays[0].ranks
    assert [play.pairing for play in state.newest.plays] == pairings


def test_another_table_decides_nothing(record):
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    enrol(record, OTHER_KEY, "Table 2")
    send(record, offer, key=OTHER_KEY)
    assert now(record, tournament).state.newest.open


def test_a_game_that_others_played_decides_nothing(record):
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    strangers = tuple(Player(id=f"x{number}", name=one.name) for number, one in enumerate(offer.players))
    send(record, msgspec.structs.replace(offer, players=strangers))
    assert now(record, tournament).state.newest.open


def test_a_free_table_gets_the_next_game(record):
    enrol(record)
    tournament = begun(record, ["Ann", "Ben", "Cleo", "Dan", "Eve", "Flo"])
    record.desk.pair(tournament)
    tables = [play.pairing.table for play in now(record, tournament).state.newest.plays]
    assert tables == [KEY.id, ""]
    send(record, record.desk.offer_for(KEY.id))
    assert record.desk.offer_for(KEY.id).number == 2
    enrol(record, OTHER_KEY, "Table 2")
    record.desk.call(tournament, 2, OTHER_KEY.id, frozenset())
    assert record.desk.offer_for(KEY.id) is None
    assert record.desk.offer_for(OTHER_KEY.id).number == 2
    with pytest.raises(BadInput, match="isn't free"):
        record.desk.call(tournament, 2, "0" * 64, frozenset())


@pytest.mark.parametrize("table", [KEY.id, PLAIN])
def test_a_second_tap_gives_a_game_once(record, table):
    """The table may have shown the first one already: a new one would be another game there."""
    tournament = begun(record)
    record.desk.pair(tournament)
    enrol(record)
    for _tap in range(2):
        record.desk.call(tournament, 1, table, frozenset())
    called = [entry.event for entry in record.desk.entries(tournament) if isinstance(entry.event, Called)]
    assert [event.table for event in called] == [table]
    assert now(record, tournament).state.newest.plays[0].pairing.session == called[0].session


def test_two_tournaments_share_no_table(record):
    enrol(record)
    one, other = begun(record), begun(record, ["Dan", "Eve", "Flo"])
    record.desk.pair(one)
    record.desk.pair(other)
    assert [now(record, each).state.newest.plays[0].pairing.table for each in (one, other)] == [KEY.id, ""]
    ruled_all(record, one)
    record.desk.withdraw(other, now(record, other).state.entrants[0])  # whatever happens there next calls a table
    assert now(record, other).state.newest.plays[0].pairing.table == KEY.id


def test_two_change_seats_and_are_offered_anew(record):
    enrol(record)
    tournament = begun(record, ["Ann", "Ben", "Cleo", "Dan"], seats=2)
    record.desk.pair(tournament)
    before = record.desk.offer_for(KEY.id)
    one, two = (play.pairing.seats for play in now(record, tournament).state.newest.plays)
    record.desk.swap(tournament, one[0], two[1], frozenset())
    after = [play.pairing.seats for play in now(record, tournament).state.newest.plays]
    assert after == [(two[1], one[1]), (two[0], one[0])]
    assert record.desk.offer_for(KEY.id).session != before.session
    with pytest.raises(IllegalEvent, match="being played already"):
        record.desk.swap(tournament, one[0], two[1], frozenset({record.desk.offer_for(KEY.id).session}))
    with pytest.raises(IllegalEvent, match="two entrants"):
        record.desk.swap(tournament, one[0], one[0], frozenset())


def test_late_entries_and_withdrawals_count_from_the_next_round(record):
    tournament = begun(record, ["Ann", "Ben", "Cleo"], seats=2)
    record.desk.pair(tournament)
    record.desk.enter(tournament, ["Dan"])
    state = now(record, tournament).state
    record.desk.withdraw(tournament, state.entrants[0])
    assert len(state.newest.plays) == 1
    with pytest.raises(IllegalEvent, match="Missing: game 1"):
        record.desk.pair(tournament)
    ruled_all(record, tournament)
    record.desk.pair(tournament)
    state = now(record, tournament).state
    assert state.entrants[0] not in [one for play in state.newest.plays for one in play.pairing.seats]
    assert len(state.newest.byes) == 1
    record.desk.bring_back(tournament, state.entrants[0])
    ruled_all(record, tournament)
    record.desk.pair(tournament)
    assert len(now(record, tournament).state.newest.plays) == 2


def test_a_ruling_comes_before_the_result_and_can_be_taken_back(record):
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    send(record, offer)
    result = now(record, tournament).state.newest.plays[0].outcome
    record.desk.rule(tournament, 1, result[::-1])
    assert now(record, tournament).state.newest.plays[0].outcome == result[::-1]
    record.desk.rule(tournament, 1, ())
    assert now(record, tournament).state.newest.plays[0].outcome == result
    with pytest.raises(IllegalEvent, match="one place"):
        record.desk.rule(tournament, 1, result[:1])


def test_nobody_is_entered_twice(record):
    tournament = begun(record)
    with pytest.raises(BadInput, match="Two players are called"):
        record.desk.enter(tournament, ["ann"])
    assert len(now(record, tournament).state.entrants) == 3


def test_a_name_is_deleted_and_the_journal_stays_whole(record, tmp_path):
    tournament = begun(record)
    ann = now(record, tournament).state.entrants[0]
    entries = record.desk.entries(tournament)
    assert "Ann" not in "".join(entry.text for entry in entries)
    record.desk.forget(tournament, ann)
    assert now(record, tournament).name_of(ann) == "Entrant 1"
    assert record.desk.entries(tournament) == entries


def test_a_wrong_name_is_corrected_while_games_go_on(record):
    tournament = begun(record)
    record.desk.pair(tournament)
    ann, ben, _cleo = now(record, tournament).state.entrants
    entries = record.desk.entries(tournament)
    record.desk.rename(tournament, ann, "  Anna  Lee ")
    assert (now(record, tournament).name_of(ann), record.desk.entries(tournament)) == ("Anna Lee", entries)
    record.desk.rename(tournament, ann, "anna lee")  # The same name in other letters is no other's.
    for name, error in (("ben", BadInput), (" ", BadInput), ("x" * 50, BadInput)):
        with pytest.raises(error):
            record.desk.rename(tournament, ann, name)
    record.desk.forget(tournament, ben)
    for gone in (ben, "nobody"):
        with pytest.raises(NotFound):
            record.desk.rename(tournament, gone, "Ben")
    assert now(record, tournament).name_of(ann) == "anna lee"


def test_a_second_tap_seats_no_second_round(record):
    tournament = begun(record)
    record.desk.pair(tournament, 1)
    with pytest.raises(IllegalEvent, match="seated already"):
        record.desk.pair(tournament, 1)
    assert len(now(record, tournament).state.rounds) == 1


def test_an_ended_tournament_takes_corrections_alone(record):
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    with pytest.raises(IllegalEvent, match="isn't closed"):
        record.desk.end(tournament)
    ruled_all(record, tournament)
    record.desk.end(tournament)
    with pytest.raises(IllegalEvent, match="is over"):
        record.desk.enter(tournament, ["Dan"])
    send(record, offer)
    assert now(record, tournament).state.newest.plays[0].ranks


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"title": ""}, "Type a name"),
        ({"game": "chess"}, "no such game"),
        ({"preset": "mine"}, "Choose the rules again"),
        ({"seats": 9}, "is played by"),
        ({"names": ["Ann", "Ann"]}, "Two players"),
        ({"form": Form.KNOCK_OUT, "through": 3}, "Fewer go on"),
    ],
)
def test_what_cannot_be_begun_is_one_sentence_and_leaves_nothing(record, change, said):
    asked = {"title": "Cup", "game": "stack_dice", "preset": "printed", "form": Form.ROUNDS, "seats": 3, "rounds": 3,
             "names": THREE} | change  # fmt: skip
    with pytest.raises(CompanionError, match=said):
        record.desk.begin(**asked)
    assert record.desk.all() == []


def test_a_tournament_that_is_not_there(record):
    for ask in (record.desk.find, record.desk.entries, record.desk.pair, record.desk.end):
        with pytest.raises(NotFound):
            ask("nothing")


def test_a_changed_entry_is_said(record):
    tournament = begun(record)
    with record._database.changing() as db:
        db.exec_driver_sql("UPDATE happened SET content = replace(content, 'rounds', 'Rounds')")
    record.desk._folded.clear()
    with pytest.raises(JournalUnusable, match="Entry 1"):
        record.desk.find(tournament)


TAPS = ["pair", "rule", "enter", "withdraw", "back", "swap", "call", "end"]
MOVES = st.lists(st.tuples(st.sampled_from(TAPS), st.integers(0, 9)))


@given(moves=MOVES, form=st.sampled_from(Form), seats=st.integers(2, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_journal_replayed_is_the_same_tournament(record, moves, form, seats):
    """Whatever the staff tap: a refusal changes nothing, and the fold of the journal is the state."""
    desk = record.desk
    tournament = desk.begin("Cup", "stack_dice", "printed", form, seats, 0, [f"N{n}" for n in range(5)]).id
    for what, number in moves:
        one = desk.find(tournament)
        entrant = one.state.entrants[number % len(one.state.entrants)]
        other = one.state.entrants[(number * 3 + 1) % len(one.state.entrants)]
        plays = one.state.rounds[-1].plays if one.state.rounds else ()
        play = plays[number % len(plays)] if plays else None
        taps = {
            "pair": lambda: desk.pair(tournament),
            "rule": lambda play=play: (
                play and desk.rule(tournament, play.pairing.number, tuple((each,) for each in play.pairing.seats))
            ),
            "enter": lambda number=number: desk.enter(tournament, [f"Late {number}"]),
            "withdraw": lambda entrant=entrant: desk.withdraw(tournament, entrant),
            "back": lambda entrant=entrant: desk.bring_back(tournament, entrant),
            "swap": lambda entrant=entrant, other=other: desk.swap(tournament, entrant, other, frozenset()),
            "call": lambda number=number: desk.call(tournament, number, KEY.id, frozenset()),
            "end": lambda: desk.end(tournament),
        }
        try:
            taps[what]()
        except CompanionError:
            assert desk.find(tournament) == one
    entries = desk.entries(tournament)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert fold(entry.event for entry in entries) == desk.find(tournament).state


def test_a_stored_journal_keeps_the_names_of_its_fields(record):
    tournament = begun(record)
    record.desk.pair(tournament)
    stored = msgspec.to_builtins(record.desk.entries(tournament)[-1].event)
    assert stored.keys() == {"what", "round", "boards", "byes"}
    assert stored["boards"][0].keys() == {"number", "table", "session", "seats"}


KILLED = """
import os, random, signal, sys, threading, time
from pathlib import Path
from companion.hub.record import HubRecord
from tests.hall.tournament.test_tournament_desk import begun, now, ruled_all
record = HubRecord(Path(sys.argv[1]), database=sys.argv[3])
chance = random.Random(int(sys.argv[2]))
tournament = begun(record, [f"N{n}" for n in range(9)])
print(tournament, flush=True)
threading.Timer(chance.random() * 0.4, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
for number in range(10**6):
    record.desk.pair(tournament)
    print("entry", now(record, tournament).seq, flush=True)
    for play in now(record, tournament).state.newest.open:
        record.desk.rule(tournament, play.pairing.number, tuple((one,) for one in play.pairing.seats))
        print("entry", now(record, tournament).seq, flush=True)
"""


@pytest.mark.parametrize("seed", range(5))
def test_a_kill_at_any_moment_loses_nothing(tmp_path, seed, each_database):
    """A hub that is killed while rounds are seated and ruled: every entry that was told is there, and it goes on."""
    folder = tmp_path / "hub"
    command = [sys.executable, "-c", KILLED, str(folder), str(seed), each_database(folder)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True, env=os.environ)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    tournament, *told = ended.stdout.splitlines()
    record = HubRecord(tmp_path / "hub")
    whole = [line for line in told if line.startswith("entry ") and line[6:].isdigit()]
    assert len(record.desk.entries(tournament)) >= max((int(line[6:]) for line in whole), default=2)
    if now(record, tournament).state.rounds:  # it may have been killed before the first was seated
        ruled_all(record, tournament)
    record.desk.pair(tournament)
    record.close()


def test_a_kill_between_letter_and_result_is_no_moment(record, monkeypatch):
    """They are one transaction: if the result cannot be written, the letter is not taken, and is sent again."""
    enrol(record)
    tournament = begun(record)
    record.desk.pair(tournament)
    offer = record.desk.offer_for(KEY.id)
    with monkeypatch.context() as broken:
        broken.setattr(record.desk, "_call_waiting", lambda *_about: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            send(record, offer)
    assert (record.games(), len(now(record, tournament).state.newest.open)) == ([], 1)
    send(record, offer)
    assert now(record, tournament).state.newest.is_closed
