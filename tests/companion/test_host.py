"""Readings, buttons and the clock: how they reach the game that holds the table."""

import gc
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

import companion.house.host
import companion.house.tables
import companion.house.transfer
from companion.changes import news
from companion.clock import Clock, Instant, boot_id, monotonic_us, wall_us
from companion.errors import BadInput, IllegalEvent, JournalUnusable, NotFound, StaleEvent
from companion.game.box import Device, Phase, Signal
from companion.game.events import DRAWN, Ask
from companion.game.readings import (
    ALWAYS_US,
    BoardReading,
    Box,
    CellReading,
    DiceReading,
    DieReading,
    Kind,
    Settled,
)
from companion.games.maxstax.events import Readied, Shouted, Started
from companion.games.maxstax.timer import COUNTDOWN_US, STACKING_US
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.events import Placed as BoardPlaced
from companion.games.stack_dice.events import Dropped, StartRolled
from companion.games.stack_dice.stacks import DICE
from companion.games.stack_dice.state import yet_to_drop
from companion.house.active_game import ActiveGame
from companion.house.host import Host
from companion.journal.events import Origin
from companion.journal.export import session_of
from companion.journal.store import Journal
from companion.sensing.answers import enter_answer
from companion.table.standing import thrown_us
from tests.parts import connect

A_SECOND_US = 1_000_000


def die(value, accepted=True, alternatives=None):
    return DieReading(value, 50, 50, 40, 40, 0, "white", 0.99, accepted, alternatives or ((value, 1.0),))


def settled(*dice, unread=()):
    crops = tuple(bytes([number]) * 10 for number in range(len(dice) + len(unread)))
    return Settled(DiceReading(640, 480, dice, unread), 1, 2, b"frame", crops)


def test_a_sure_reading_becomes_an_event_with_its_picture(host, sack):
    host.on_reading(settled(die(3), die(5)))
    assert sack.state.dice == (3, 5)
    (line,) = sack.history.lines()
    assert line.source == "camera"
    assert host.pictures.jpeg(line.picture) == b"frame"


def test_dice_that_may_have_lain_there_before_the_camera_looked_are_asked(host, sack):
    host.on_reading(replace(settled(die(3), die(5)), surely_new=False))
    assert sack.state.dice is None
    (proposal,) = host.questions.of(sack.session.id)
    assert (proposal.doubts, proposal.note) == ((), "Was it rolled?")
    host.confirm(proposal.id, {}, Origin("yes"))
    assert sack.state.dice == (3, 5)


def test_a_die_tapped_in_while_the_camera_reads_it_is_not_the_next_players_too(host):  # ST-10
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    rested_us = host.clock.now_us() - 1
    table.submit(StartRolled(((ann, 5),)), Origin("tap", 0))
    host.on_reading(replace(settled(die(5)), rested_us=rested_us))
    assert table.state.rolls == {ann: 5}
    (proposal,) = host.questions.of(table.session.id)
    assert proposal.note == "Was it rolled?"
    host.on_reading(replace(settled(die(3)), rested_us=host.clock.now_us() + 1))  # Bob's own, after the tap
    assert table.entries[-1].body.event == StartRolled(((bob, 3),))
    assert host.questions.of(table.session.id) == ()


def test_a_ruling_while_the_camera_reads_makes_no_roll_doubtful(host, sack):
    rested_us = host.clock.now_us() - 1
    sack.submit(Ruling(sack.session.players[1], 1, "tea"), Origin("tea", 0))
    for number in range(2):  # taken back, and given again
        sack.undo(Origin(f"undo-{number}"), seq=number + 1)
    host.on_reading(replace(settled(die(3), die(5)), rested_us=rested_us))
    assert sack.state.dice == (3, 5)


def test_a_board_is_compared_with_what_was_tapped_in_while_the_camera_read_it(host):  # SP-38
    table = host.create("sandpile_panic", ["Ann", "Bob"], {"opening": "none"})
    host.asking.set_accepts(Kind.BOARD, True)
    ann, bob = table.session.players
    rested_us = host.clock.now_us() - 1
    table.submit(BoardPlaced(ann, "r1c1"), Origin("tap", 0))
    after = table.game.rules.apply(table.state, BoardPlaced(bob, "r1c2")).board
    tops = boards.tops(after)
    cells = tuple(
        tuple(CellReading(boards.NAMES.get(tops[at]), None, 0.99, True) for at in line) for line in boards.rows(after)
    )
    host.on_reading(Settled(BoardReading(640, 480, cells), rested_us, rested_us + 1, b"board", ()))
    assert host.questions.of(table.session.id) == ()
    assert table.state.board == after


def test_what_the_camera_itself_entered_meanwhile_makes_no_reading_doubtful(host):
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    rested_us = host.clock.now_us() - 1
    table.submit(StartRolled(((ann, 5),)), Origin("seen", 0, source="camera"))
    host.on_reading(replace(settled(die(3)), rested_us=rested_us))
    assert table.entries[-1].body.event == StartRolled(((bob, 3),))


def test_a_doubtful_die_is_asked_with_its_picture(host, sack):
    host.on_reading(settled(die(3), die(5, False, ((5, 0.6), (6, 0.395), (2, 0.005)))))
    assert sack.state.dice is None
    (proposal,) = host.questions.of(sack.session.id)
    (doubt,) = proposal.doubts
    assert (doubt.path, doubt.alternatives) == ("dice.1", ((5, 0.6), (6, 0.395)))
    assert host.pictures.jpeg(doubt.picture) == bytes([1]) * 10
    host.confirm(proposal.id, {"dice.1": 6}, Origin("tap"))
    assert sack.state.dice == (3, 6)
    assert host.questions.of(sack.session.id) == ()
    assert sack.entries[0].reading["said"] == {"dice.1": 6}


def test_an_unread_die_is_asked_with_all_six_values(host, sack):
    host.on_reading(settled(die(3), unread=(Box(9, 9, 40, 40),)))
    (proposal,) = host.questions.of(sack.session.id)
    assert proposal.doubts[0].alternatives == ()
    with pytest.raises(BadInput, match="still needs a value"):
        host.confirm(proposal.id, {}, Origin("tap"))


def test_a_roll_typed_in_meanwhile_makes_the_question_go_away(host, sack):
    host.on_reading(settled(die(3), die(5, False, ((5, 0.6), (6, 0.4)))))
    (proposal,) = host.questions.of(sack.session.id)
    sack.submit(proposal.event, Origin("typed", 0))
    assert host.questions.of(sack.session.id) == ()
    with pytest.raises(NotFound, match="already"):
        host.confirm(proposal.id, {"dice.1": 6}, Origin("late"))


def coloured(body, values, sure=True):
    return [replace(die(value, sure), colour=body, cx=50 + 60 * at) for at, value in enumerate(values)]


def typed(table, *events):
    for event in events:
        table.submit(event, Origin(f"typed-{table.seq}", seen_seq=table.seq))


def test_dice_that_were_typed_in_are_no_later_roll_while_they_lie_there(host, sack):
    host.on_reading(settled(die(1), die(2, False, ((2, 0.6), (3, 0.4)))))
    typed(sack, Rolled((1, 2)))
    while sack.state.dice is not None:  # until the next player rolls
        player = next(iter(sack.game.rules.awaiting(sack.state)))
        typed(
            sack,
            next(event for event in sack.game.rules.legal(sack.state, player) if not isinstance(event, (Ask, Ruling))),
        )
        assert host.questions.of(sack.session.id) == ()
    assert [type(entry.body.event) for entry in sack.entries].count(Rolled) == 1


def test_a_roll_thrown_before_the_last_placement_was_entered_is_asked_about(host, sack):  # SS-10
    typed(sack, Rolled((1, 2)))
    host.on_reading(replace(settled(die(6), die(4)), rested_us=host.clock.now_us()))
    assert "Roll again" in host.remarks.of(sack.session.id).text
    while sack.state.dice is not None:
        assert host.questions.of(sack.session.id) == ()
        player = next(iter(sack.game.rules.awaiting(sack.state)))
        typed(
            sack,
            next(event for event in sack.game.rules.legal(sack.state, player) if not isinstance(event, (Ask, Ruling))),
        )
    (proposal,) = host.questions.of(sack.session.id)
    assert (proposal.event.dice, proposal.note) == ((6, 4), "Was it rolled?")
    seq = sack.seq
    host.confirm(proposal.id, {}, Origin("yes"))
    assert (sack.seq, host.questions.of(sack.session.id)) == (seq + 1, ())


def test_a_drop_that_was_typed_in_leaves_the_question_about_the_other_players_dice(host):  # ST-20
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    typed(table, StartRolled(((ann, 5), (bob, 3))))
    values = [1 + number % 6 for number in range(DICE)]
    doubtful = replace(die(2, False, ((2, 0.6), (3, 0.4))), colour="blue", cx=900)
    lying = [*coloured("red", values), *coloured("blue", values[1:]), doubtful]
    rested_us = host.clock.now_us()
    host.on_reading(replace(settled(*lying), rested_us=rested_us))
    typed(table, Dropped(ann, tuple(values)))
    (proposal,) = host.questions.of(table.session.id)
    assert [player for player, _values in proposal.event.dice] == [bob]
    (doubt,) = proposal.doubts
    host.confirm(proposal.id, {doubt.path: 3}, Origin("yes"))
    assert yet_to_drop(table.state) == ()
    assert host.questions.of(table.session.id) == ()


def test_an_answer_that_comes_too_late_leaves_the_question_about_the_rest(host):  # ST-20
    table = host.create("stack_dice", ["Ann", "Bob", "Cid"], {})
    ann, bob, cid = table.session.players
    typed(table, StartRolled(((ann, 5), (bob, 3), (cid, 2))))
    values = [1 + number % 6 for number in range(DICE)]
    doubtful = replace(die(2, False, ((2, 0.6), (3, 0.4))), cx=900)
    lying = [
        replace(each, colour=body)
        for body in ("red", "blue", "green")
        for each in (*coloured(body, values[1:]), doubtful)
    ]
    host.on_reading(replace(settled(*lying), rested_us=host.clock.now_us()))
    (asked,) = host.questions.of(table.session.id)
    typed(table, Dropped(ann, tuple(values)))
    with pytest.raises(StaleEvent):
        enter_answer(table, asked, dict.fromkeys((doubt.path for doubt in asked.doubts), 3), None, Origin("late"))
    typed(table, Dropped(bob, tuple(values)))
    (asked,) = host.questions.of(table.session.id)
    assert [player for player, _values in asked.event.dice] == [cid]


def test_a_borrowed_die_that_was_typed_in_is_not_the_next_players_too(host):  # ST-10
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, _bob = table.session.players
    host.on_reading(replace(settled(die(5, False, ((5, 0.6), (6, 0.4)))), rested_us=host.clock.now_us()))
    assert host.questions.of(table.session.id)
    typed(table, StartRolled(((ann, 5),)))
    assert host.questions.of(table.session.id) == ()


def test_what_a_hand_made_entry_leaves_unexplained_on_a_board_is_asked_about(host):  # SP-38
    table = host.create("sandpile_panic", ["Ann", "Bob"], {"opening": "none"})
    ann, bob = table.session.players
    first = table.game.rules.apply(table.state, BoardPlaced(ann, "r1c1"))
    after = table.game.rules.apply(first, BoardPlaced(bob, "r1c2")).board
    tops = boards.tops(after)
    cells = tuple(
        tuple(CellReading(boards.NAMES.get(tops[at]), None, 0.99, True) for at in line) for line in boards.rows(after)
    )
    host.on_reading(Settled(BoardReading(640, 480, cells), 1, 2, b"board", ()))
    assert host.questions.of(table.session.id) == ()  # two plays at once
    typed(table, BoardPlaced(ann, "r1c1"))
    (proposal,) = host.questions.of(table.session.id)
    host.confirm(proposal.id, {}, Origin("yes"))
    assert table.state.board == after
    assert host.questions.of(table.session.id) == ()


def test_the_table_may_want_to_confirm_every_reading(host, sack):
    host.asking.set_accepts(Kind.DICE, False)
    host.on_reading(settled(die(3), die(5)))
    (proposal,) = host.questions.of(sack.session.id)
    assert proposal.doubts == ()
    host.confirm(proposal.id, {}, Origin("tap"))
    assert sack.state.dice == (3, 5)


def test_too_many_dice_are_said_and_change_nothing(host, sack):
    host.on_reading(settled(die(3), die(5), die(5)))
    assert sack.state.dice is None
    assert "3 dice" in host.remarks.of(sack.session.id).text


def test_only_the_session_that_holds_the_table_hears_of_dice(host, sack):
    newer = host.create("sack_stackers", ["Eva"], {})
    host.on_reading(settled(die(3), die(5)))
    assert (sack.state.dice, newer.state.dice) == (None, (3, 5))
    host.active.hold(sack.session.id)
    host.on_reading(settled(die(1), die(2)))
    assert sack.state.dice == (1, 2)


def test_buttons_play_and_undo(host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    for seat in (1, 2):
        host.presses.hear(Signal(Device.SEAT, True, seat, seat))
    assert table.state.current.ready == {ann, bob}
    host.presses.hear(Signal(Device.UNDO, True, 9))
    assert table.state.current.ready == {ann}


def test_the_journal_keeps_the_raw_edges_of_a_press(host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    host.presses.hear(Signal(Device.SEAT, True, 1_000, 1, ((True, 1_000), (False, 1_090), (True, 1_300))))
    assert table.newest.reading == {"button": "seat-1", "trace": [[1, 1_000], [0, 1_090], [1, 1_300]]}
    assert '"trace":[[1,1000],[0,1090],[1,1300]]' in host.transfer.export(table.session.id)


def test_silence_is_kept_with_the_house(host):
    hushed = []
    connect(host, hush=hushed.append)
    assert not host.silent
    host.set_silent(True)
    assert (host.silent, hushed) == (True, [True])
    host.set_silent(False)
    assert (host.silent, hushed) == (False, [True, False])


def test_the_confirm_button_says_yes_to_a_reading(host, sack):
    host.asking.set_accepts(Kind.DICE, False)
    host.on_reading(settled(die(3), die(5)))
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + A_SECOND_US))
    assert sack.state.dice == (3, 5)


def test_a_press_meant_for_what_was_there_before_answers_no_question_that_just_came(host, sack):
    host.asking.set_accepts(Kind.DICE, False)
    host.on_reading(settled(die(3), die(5)))
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us()))
    assert sack.state.dice is None
    assert "press again" in host.remarks.of(sack.session.id).text
    assert len(host.questions.of(sack.session.id)) == 1


def test_the_confirm_button_answers_no_question_about_a_die(host, sack):
    host.on_reading(settled(die(3), die(5, False, ((5, 0.6), (6, 0.4)))))
    host.presses.hear(Signal(Device.CONFIRM, True, host.clock.now_us() + A_SECOND_US))
    assert sack.state.dice is None
    assert len(host.questions.of(sack.session.id)) == 1


def test_the_undo_button_sends_a_question_away_before_it_takes_anything_back(host, sack):
    sack.submit(Ruling(sack.session.players[0], 1, "early"), Origin("ruling", 0))
    host.on_reading(settled(die(3), die(5, False, ((5, 0.6), (6, 0.4)))))
    host.presses.hear(Signal(Device.UNDO, True, host.clock.now_us()))  # meant for what was there before
    assert "press again" in host.remarks.of(sack.session.id).text
    assert len(host.questions.of(sack.session.id)) == 1
    host.presses.hear(Signal(Device.UNDO, True, host.clock.now_us() + A_SECOND_US))
    assert (host.questions.of(sack.session.id), sack.seq) == ((), 1)
    host.presses.hear(Signal(Device.UNDO, True, host.clock.now_us() + A_SECOND_US))
    assert sack.state.rulings == ()


def test_the_box_asks_while_a_die_is_asked(host, sack):
    shown = []
    connect(host, show=shown.append)
    host.on_reading(settled(die(3), die(5, False, ((5, 0.6), (6, 0.4)))))
    host.active.refresh_look()
    assert shown[-1].phase is Phase.ASK
    host.dismiss(sack.session.id, host.questions.of(sack.session.id)[0].id)
    host.active.refresh_look()
    assert shown[-1].phase is Phase.WAITING


def test_a_refused_button_is_said(host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    host.presses.hear(Signal(Device.START, True, 1))
    assert "players to press Ready" in host.remarks.of(table.session.id).text
    assert host.remarks.of(table.session.id).source == "button"


def test_the_clock_ends_a_round_that_ran_out_while_the_service_was_down(host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for number, player in enumerate(table.session.players):
        table.submit(Readied(player), Origin(f"r{number}", source="button"))
    began = host.clock.now_us() - STACKING_US - COUNTDOWN_US - 5
    table.submit(Started(began), Origin("s", source="button"))
    done = threading.Event()
    for _ in host_changes(host, table, done):
        if table.state.current.ran_out:
            break
    assert table.entries[-1].source == "clock"
    assert table.entries[-1].body.event.at_us == began + COUNTDOWN_US + STACKING_US
    host.timers.stop()


def host_changes(host, table, done):
    changes = host.live.changes([f"session:{table.session.id}"], heartbeat_s=5)
    host.timers.start()
    yield None
    yield from changes


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ([], "not 0"),
        (["Ann", " "], "Player 2 has no name"),
        (["x" * 10_000], "10000 characters"),
        (["Ann", "ann"], "Two players"),
        (["a\x00b"], "Player 1's name has characters that can't be shown"),
    ],
)
def test_a_name_that_cannot_be_used_is_one_sentence(host, names, sentence):
    with pytest.raises(BadInput, match=sentence):
        host.create("sack_stackers", names, {})
    assert host.sessions() == ()


def test_options_that_make_no_game_are_one_sentence(host):
    with pytest.raises(IllegalEvent, match="0 to 100"):
        host.create("speedstax", ["Ann", "Bob"], {"tie_ms": 500})
    with pytest.raises(BadInput, match="no field"):
        host.create("speedstax", ["Ann", "Bob"], {"tie": 5})


def test_table_time_goes_on_within_one_boot():
    before = Instant(boot_id(), monotonic_us(), wall_us(), 42)
    assert Clock.resume(before).offset_us == 42


def test_table_time_goes_on_after_a_reboot_by_what_the_wall_clock_says():
    hour = 3_600_000_000
    before = Instant("another boot", 900 * hour, wall_us() - hour, 7)
    assert Clock.resume(before).now_us() == pytest.approx(901 * hour + 7, abs=5_000_000)


def test_two_starts_without_a_boot_id_are_not_taken_for_one(monkeypatch, tmp_path):
    monkeypatch.setattr("companion.clock.BOOT_ID", tmp_path / "none")
    hour = 3_600_000_000
    before = Instant("", 900 * hour, wall_us(), 0)
    assert Clock.resume(before).now_us() >= 900 * hour


def test_a_game_that_is_let_go_between_two_looks_at_it_is_no_error(host, sack, monkeypatch):
    sessions: list[str] = []
    now = property(lambda _self: sessions.pop() if sessions else None)
    monkeypatch.setattr(ActiveGame, "session", now, raising=False)
    sessions.append(sack.session.id)
    host.active.refresh_look()
    sessions.append(sack.session.id)
    host.on_reading(Settled(DiceReading(640, 480, ()), 1, 2, b"frame", ()))


def test_table_time_never_goes_back_when_the_wall_clock_does():
    hour = 3_600_000_000
    before = Instant("another boot", 900 * hour, wall_us() + 50 * hour, 0)
    assert Clock.resume(before).now_us() >= 900 * hour


def test_what_fails_after_an_entry_is_recorded_is_told_to_nobody_but_the_log(host, sack, monkeypatch, caplog):
    def fails(*_arguments):
        raise ZeroDivisionError

    for part, does in (
        (host.follow_up, "hear"),
        (host.learner, "look_again"),
        (host.active, "refresh_look"),
    ):
        monkeypatch.setattr(part, does, fails)
    connect(host, watch=fails)
    topic = f"session:{sack.session.id}"
    seen = host.live.counts
    receipt = sack.submit(Rolled((3, 5)), Origin("roll", 0))
    assert receipt == sack.submit(Rolled((3, 5)), Origin("roll", 0))
    assert news([topic], seen, host.live.counts) == [topic]
    assert len(caplog.records) == 4


def test_an_answer_counts_whatever_fails_after_it(host, sack, monkeypatch):
    def fails(*_arguments):
        raise ZeroDivisionError

    host.asking.set_accepts(Kind.DICE, False)
    host.on_reading(settled(die(3), die(5)))
    (proposal,) = host.questions.of(sack.session.id)
    monkeypatch.setattr(host.learner, "answer", fails)
    assert host.confirm(proposal.id, {}, Origin("yes")).seq == 1
    assert host.questions.of(sack.session.id) == ()


def test_games_that_nobody_looks_at_do_not_fill_the_memory(host, monkeypatch):
    monkeypatch.setattr(companion.house.tables, "MOST_FOLDED", 2)
    used = host.create("sack_stackers", ["Ann"], {})
    used.submit(Rolled((1, 4)), Origin("roll", 0))
    idle = [host.create("sack_stackers", ["Ann"], {}).session.id for _ in range(5)]
    gc.collect()
    assert len(host.tables._tables) == 3  # the two newest, and the one that is in use
    assert host.table(used.session.id) is used
    assert host.table(idle[0]).seq == 0
    state, session = used.state, used.session.id
    del used
    host.create("sack_stackers", ["Ann"], {})
    assert host.table(session).state == state


def test_long_games_that_nobody_looks_at_leave_the_memory_earlier(host, monkeypatch):
    monkeypatch.setattr(companion.house.tables, "MOST_FOLDED_LENGTH", 600)
    for _ in range(4):
        table = host.create("sack_stackers", ["Ann"], {})
        for number in range(2):
            table.submit(Rolled((1, 4)), Origin(f"roll-{number}"))
            table.undo(Origin(f"undo-{number}"))
    newest = table.session.id
    del table
    gc.collect()
    assert set(host.tables._tables) == {newest}  # four entries are too long already, and it is the last one


def test_games_that_grow_while_they_are_open_leave_the_memory_too(host, monkeypatch):
    tables = [host.create("sack_stackers", ["Ann"], {}) for _ in range(3)]
    monkeypatch.setattr(companion.house.tables, "MOST_FOLDED_LENGTH", 600)
    for number in range(4):
        tables[0].submit(Rolled((1, 4)), Origin(f"roll-{number}"))
        tables[0].undo(Origin(f"undo-{number}"))
    kept = {table.session.id for table in tables[1:]}
    del tables[0]
    gc.collect()
    assert set(host.tables._tables) == kept


def test_a_new_game_and_a_roll_of_the_same_moment_do_not_wait_for_each_other(host, sack, monkeypatch):
    entering, holding = threading.Event(), threading.Event()
    append, set_setting = host.journal.append, host.journal.set_setting

    def slow_append(*args):
        entering.set()
        assert holding.wait(5)
        append(*args)

    def telling_set_setting(*args):
        set_setting(*args)
        holding.set()

    monkeypatch.setattr(host.journal, "append", slow_append)
    monkeypatch.setattr(host.journal, "set_setting", telling_set_setting)
    camera = threading.Thread(target=host.on_reading, args=(settled(die(3), die(5)),), daemon=True)
    tablet = threading.Thread(target=host.create, args=("sack_stackers", ["Cy", "Dot"], {}), daemon=True)
    camera.start()
    assert entering.wait(5)
    tablet.start()
    for thread in (camera, tablet):
        thread.join(5)
        assert not thread.is_alive()
    assert sack.state.dice == (3, 5)


def begin(host, _old):
    host.create("stack_dice", ["Cy", "Dot"], {}, remember=["Cy", "Dot"])


def bring(host, old):
    host.transfer.take(old)


def go_back_to(host, old):
    host.table(session_of(old.partition("\n")[0]).id)


@pytest.mark.parametrize(
    ("act", "owner", "slow"),
    [
        (begin, Journal, "import_session"),
        (begin, Journal, "set_setting"),
        (bring, companion.house.transfer, "replayed"),
        (bring, Journal, "import_session"),
        (go_back_to, companion.house.tables, "Table"),
    ],
)
def test_nobody_who_looks_at_another_game_waits(host, tmp_path, monkeypatch, act, owner, slow):
    table, looked = host.create("sack_stackers", ["Ann", "Bob"], {}), threading.Event()
    table.submit(Rolled((1, 4)), Origin("roll", 0))
    old, house = host.transfer.export(table.session.id), Host(Journal(tmp_path / "other.sqlite3"))
    if act is go_back_to:
        house.transfer.take(old)
        house = Host(house.journal)  # as after a restart: nobody has opened it
    seen = house.create("sack_stackers", ["Eva", "Finn"], {}).session.id
    real = getattr(owner, slow)

    def while_somebody_looks(*arguments, **named):
        def look():
            house.table(seen)
            house.questions.of(seen)
            looked.set()

        threading.Thread(target=look, daemon=True).start()
        assert looked.wait(5)
        return real(*arguments, **named)

    monkeypatch.setattr(owner, slow, while_somebody_looks)
    act(house, old)
    assert looked.is_set()
    house.journal.close()


def test_a_game_begins_with_all_who_are_remembered_in_one_step(host):
    asked: list[str] = []
    host.journal._db.set_trace_callback(asked.append)
    table = host.create("sack_stackers", ["Ann", "Bob", "Cy", "Dot"], {}, remember=["Ann", "Bob", "Cy", "Dot"])
    assert asked.count("COMMIT") == 2  # and it has camera and box
    seated = host.people.seated()
    assert [seated[player].name for player in table.session.players] == ["Ann", "Bob", "Cy", "Dot"]
    assert len({seated[player].mark for player in table.session.players}) == 4


def test_of_a_game_that_cannot_be_recorded_nobody_is_remembered(host, monkeypatch):
    monkeypatch.setattr("companion.house.host.take_seats", lambda *_parts: (_ for _ in ()).throw(BadInput("no")))
    with pytest.raises(BadInput):
        host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann"])
    assert (host.games(), host.people.everybody()) == ((), ())
    assert list(host.journal.tail.lines()) == []


def test_a_request_that_is_repeated_while_the_game_begins_makes_no_other(host, monkeypatch):
    record, found = host.journal.import_session, []
    same = ("sack_stackers", ["Ann", "Bob"], {}, "made-by-the-tablet")
    repeated = threading.Thread(target=lambda: found.append(host.create(*same)), daemon=True)

    def slow(*arguments, **named):
        repeated.start()
        repeated.join(0.2)
        record(*arguments, **named)

    monkeypatch.setattr(host.journal, "import_session", slow)
    table = host.create(*same)
    repeated.join(5)
    assert found == [table]


def test_a_game_that_cannot_be_recorded_as_having_the_table_does_not_have_it(host, sack, monkeypatch):
    host.create("sack_stackers", ["Cy"], {})
    holder, told = host.active.session, []

    def full(_name, _value):
        raise JournalUnusable("The disk is full.")

    connect(host, demo=SimpleNamespace(put_away=lambda: told.append("put away")))
    monkeypatch.setattr(host.journal, "set_setting", full)
    with pytest.raises(JournalUnusable):
        host.active.hold(sack.session.id)
    assert (host.active.session, told) == (holder, [])
    with pytest.raises(JournalUnusable):
        host.active.release()
    assert host.active.session == holder


def test_after_a_restart_the_cameras_read_for_the_game_that_holds_them_and_no_old_shout_is_looked_at(host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    now_us = host.clock.now_us()
    ready = [Readied(player) for player in table.session.players]
    for number, event in enumerate((*ready, Started(now_us - 60 * A_SECOND_US), Shouted(ready[0].player, now_us))):
        table.submit(event, Origin(f"e{number}", source="button"))
    again = Host(host.journal)
    told, glances = [], []
    connect(again, watch=told.append, glance=glances.append)
    again.active.resume()
    assert [eyes.front for eyes in told] == [Kind.TOWER]
    assert glances == []
    again.live.close()


def look_at(*dice, since_us, at_us, unread=()):
    """A look that says since when each die, then each unread thing, lies there."""
    found = settled(*dice, unread=unread)
    return replace(found, reading=replace(found.reading, since_us=since_us), rested_us=at_us, read_us=at_us)


def test_an_earlier_throw_and_what_always_lay_there_are_no_part_of_the_next_throw(host):  # ST-10
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    first_us, token = host.clock.now_us(), Box(9, 9, 40, 40)
    host.on_reading(look_at(die(3), since_us=(first_us, ALWAYS_US), at_us=first_us, unread=(token,)))
    assert table.state.rolls == {ann: 3}
    then_us = host.clock.now_us() + 1
    host.on_reading(
        look_at(die(3), die(5, accepted=False), since_us=(first_us, then_us, ALWAYS_US), at_us=then_us, unread=(token,))
    )
    (question,) = host.questions.of(table.session.id)
    assert question.event == StartRolled(((bob, 5),))
    (doubt,) = question.doubts
    assert host.pictures.jpeg(doubt.picture) == bytes([1]) * 10  # of the second die of the picture


def test_a_throw_that_was_taken_back_is_to_be_read_again(host):  # ST-10
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    first_us = host.clock.now_us()
    host.on_reading(look_at(die(3), since_us=(first_us,), at_us=first_us))
    table.undo(Origin("undo"))
    then_us = host.clock.now_us() + 1
    host.on_reading(look_at(die(3), die(5), since_us=(first_us, then_us), at_us=then_us))
    (question,) = host.questions.of(table.session.id)
    assert question.event == StartRolled(((ann, 3), (bob, 5)))


def test_a_throw_drawn_by_the_program_leaves_the_dice_on_the_table_to_be_counted(host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    lie_us = host.clock.now_us()
    table.submit(Rolled((1, 1)), Origin("drawn", 0, source=DRAWN))
    assert thrown_us(table, host.clock.now_us()) == ALWAYS_US
    table.undo(Origin("undo"))
    host.on_reading(look_at(die(3), die(5), since_us=(lie_us, lie_us), at_us=host.clock.now_us() + 1))
    assert table.state.dice == (3, 5)
