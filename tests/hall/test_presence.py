"""Whether a table is there: after a restart, by the hub's own uptime, whatever any clock says; what it is given."""

import threading

import pytest

from companion.errors import BadInput, IllegalEvent, JournalUnusable
from companion.hub.presence import SILENT_S, Reason, clock_sentences
from companion.hub.record import HubRecord
from companion.letters.offer import Doing, veil_session
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import THREE, begun, now, send

pytestmark = on_both

HOUR_US = 3_600_000_000
SIX = [*THREE, "Dan", "Eve", "Flo"]
NAMES = {KEY.id: "Table 1", OTHER_KEY.id: "Table 2"}


class Hub:
    """A hub's record on one folder, with a clock and an uptime that a test sets; it can be started anew."""

    def __init__(self, folder):
        self.folder, self.us, self.s = folder, NOON_US, 1000.0
        self.record = None
        self.start()

    def start(self):
        if self.record:
            self.record.close()
        self.record = HubRecord(self.folder, lambda: self.us, now_s=lambda: self.s)

    def passes(self, seconds):
        self.s += seconds
        self.us += int(seconds * 1e6)

    def hear(self, key=KEY, session=None, over=False, ahead_us=0, **more):
        self.record.hear(key.id, Doing(session=session, over=over, wall_us=self.us + ahead_us), **more)

    def is_(self, key=KEY):
        return self.record.presences.all()[key.id].reason


@pytest.fixture
def hub(tmp_path):
    hub = Hub(tmp_path / "hub")
    enrol(hub.record)
    enrol(hub.record, OTHER_KEY, "Table 2")
    yield hub
    hub.record.close()


def test_a_table_is_there_while_it_gives_signs_of_life(hub):
    hub.hear()
    assert hub.is_() is Reason.HERE
    hub.passes(SILENT_S)
    assert hub.is_() is Reason.HERE
    hub.passes(1)
    assert hub.is_() is Reason.SILENT
    hub.hear()
    assert hub.is_() is Reason.HERE


@pytest.mark.parametrize("jump_us", [-400 * 24 * HOUR_US, -2 * HOUR_US, 2 * HOUR_US, 400 * 24 * HOUR_US])
def test_a_clock_that_jumps_makes_no_table_silent_and_no_silent_one_heard(hub, jump_us):
    hub.hear()
    hub.us += jump_us
    assert hub.is_() is Reason.HERE
    hub.passes(SILENT_S + 1)
    assert hub.is_() is Reason.SILENT
    hub.us -= jump_us
    assert hub.is_() is Reason.SILENT


def test_a_table_that_says_so_has_left_until_it_is_heard_again(hub):
    hub.hear(said_us=NOON_US)
    hub.hear(said_us=NOON_US + 1, has_left=True)
    assert hub.is_() is Reason.LEFT
    hub.hear()
    assert hub.is_() is Reason.HERE


def test_what_somebody_recorded_is_no_sign_of_life(hub):
    hub.hear(said_us=NOON_US)
    hub.hear(said_us=NOON_US + 1)
    hub.passes(SILENT_S + 1)
    hub.hear(said_us=NOON_US + 1)
    assert hub.is_() is Reason.SILENT
    hub.start()
    hub.hear(said_us=NOON_US)
    assert not hub.record.presences.all()[KEY.id].is_here
    hub.hear(said_us=hub.us)
    assert hub.is_() is Reason.HERE


def test_a_key_that_was_taken_away_is_of_no_table_that_is_there(hub):
    hub.hear()
    hub.record.revoke(KEY.id)
    assert hub.is_() is Reason.REVOKED
    assert hub.record.desk.free_tables() == [OTHER_KEY.id]


def test_after_a_restart_a_table_is_awaited_and_then_silent(hub):
    """It was heard half an hour ago at least, as the hub was down so long."""
    hub.hear(session="game-1")
    hub.passes(1800)
    hub.start()
    assert hub.is_() is Reason.AWAITED
    assert hub.record.presences.all()[KEY.id].has("game-1")
    hub.passes(SILENT_S + 1)
    assert hub.is_() is Reason.SILENT
    assert hub.is_(OTHER_KEY) is Reason.NEVER


def test_after_a_quick_restart_a_table_is_there(hub):
    hub.hear()
    hub.passes(20)
    hub.start()
    assert hub.is_() is Reason.HERE


def test_a_game_that_a_table_plays_is_not_given_away_by_a_hub_that_was_started_anew(hub):
    tournament = begun(hub.record)
    hub.record.desk.pair(tournament)
    offer = hub.record.desk.offer_for(KEY.id)
    hub.hear(session=offer.session)
    hub.passes(1800)
    hub.start()
    hub.hear(OTHER_KEY)
    playing = hub.record.desk.playing()
    assert playing == {offer.session}
    with pytest.raises(IllegalEvent, match="being played already"):
        hub.record.desk.call(tournament, 1, OTHER_KEY.id, playing)


def test_a_game_of_a_table_that_broke_down_can_be_given_to_another_one(hub):
    tournament = begun(hub.record)
    hub.record.desk.pair(tournament)
    hub.hear(session=hub.record.desk.offer_for(KEY.id).session)
    hub.passes(SILENT_S + 1)
    hub.hear(OTHER_KEY)
    hub.record.desk.call(tournament, 1, OTHER_KEY.id, hub.record.desk.playing())
    assert hub.record.desk.offer_for(OTHER_KEY.id).number == 1


def test_a_silent_table_gets_no_game_while_others_wait(hub):
    hub.hear(OTHER_KEY)
    hub.passes(SILENT_S + 1)
    hub.hear(OTHER_KEY)
    tournament = begun(hub.record, SIX)
    hub.record.desk.pair(tournament)
    assert [play.pairing.table for play in now(hub.record, tournament).state.newest.plays] == [OTHER_KEY.id, ""]
    with pytest.raises(BadInput, match="isn't heard"):
        hub.record.desk.call(tournament, 2, KEY.id, frozenset())
    hub.hear()  # it is switched on
    assert [play.pairing.table for play in now(hub.record, tournament).state.newest.plays] == [OTHER_KEY.id, KEY.id]


def test_a_table_in_peace_gets_a_game_before_one_that_plays_for_fun(hub):
    hub.hear(session="fun")
    hub.hear(OTHER_KEY)
    assert hub.record.desk.free_tables() == [OTHER_KEY.id, KEY.id]
    hub.hear(session="fun", over=True)
    assert hub.record.desk.free_tables() == [KEY.id, OTHER_KEY.id]


def test_another_tables_word_does_not_make_a_game_played(hub):
    tournament = begun(hub.record)
    hub.record.desk.pair(tournament)
    offer = hub.record.desk.offer_for(KEY.id)
    hub.hear(OTHER_KEY, session=offer.session)
    assert hub.record.desk.playing() == frozenset()
    hub.hear(session=veil_session(offer.session))  # as it is said where others listen
    assert hub.record.desk.playing() == {offer.session}


def test_a_letter_is_a_sign_of_life(hub):
    tournament = begun(hub.record)
    hub.record.desk.pair(tournament)
    offer = hub.record.desk.offer_for(KEY.id)
    hub.passes(SILENT_S + 1)
    assert hub.is_() is Reason.NEVER
    send(hub.record, offer)
    assert hub.is_() is Reason.HERE


def clocks(hub):
    return clock_sentences(hub.record.presences.all(), NAMES)


def test_a_clock_that_differs_is_said(hub):
    hub.hear(ahead_us=-2 * HOUR_US)
    hub.hear(OTHER_KEY, ahead_us=60_000_000)
    assert clocks(hub) == ["The clock of Table 1 is 2 hours behind the hub's. Set it right."]


@pytest.mark.parametrize(
    ("ahead_us", "said"),
    [
        (2 * HOUR_US, "The hub's clock is 2 hours behind the clocks of its tables. Set it right."),
        (-400 * 24 * HOUR_US, "The hub's clock is 400 days ahead of the clocks of its tables. Set it right."),
        (-600_000_000, "The hub's clock is 10 minutes ahead of the clocks of its tables. Set it right."),
    ],
)
def test_where_all_tables_differ_alike_the_hubs_own_clock_is_wrong(hub, ahead_us, said):
    for key in (KEY, OTHER_KEY):
        hub.hear(key, ahead_us=ahead_us)
    assert clocks(hub) == [said]


def test_a_table_that_is_not_there_says_nothing_of_clocks(hub):
    hub.hear(ahead_us=2 * HOUR_US)
    hub.passes(SILENT_S + 1)
    assert clocks(hub) == []


def test_who_writes_a_sign_of_life_keeps_nobody_who_has_the_database_waiting(hub):
    hearing = threading.Thread(target=hub.hear, kwargs={"session": "game-1"})
    with hub.record._database.changing() as db:
        hearing.start()
        while not hub.record.presences.all_in(db)[KEY.id].playing:
            pass
        assert hearing.is_alive()  # It waits for its turn to write, and the one who writes did not wait for it.
    hearing.join()
    hub.start()
    assert hub.record.presences.all()[KEY.id].playing == "game-1"


def test_a_sign_that_the_disk_did_not_take_is_written_with_the_next_one(hub, monkeypatch):
    with monkeypatch.context() as full:
        full.setattr(hub.record.presences, "_keep", lambda _table, _sign: False)
        hub.hear(session="game-1")
    hub.hear(session="game-1")
    hub.start()
    assert hub.record.presences.all()[KEY.id].playing == "game-1"


def test_a_full_disk_is_told_once_for_all_signs(hub, monkeypatch, caplog):
    def full():
        raise JournalUnusable("no room")

    with monkeypatch.context() as disk:
        disk.setattr(hub.record._database, "changing", full)
        for number in range(3):
            hub.record.presences.hear(KEY.id, Doing(session=f"game-{number}", wall_us=NOON_US))
    assert [one.levelname for one in caplog.records if "signs of life" in one.message] == ["WARNING"]
