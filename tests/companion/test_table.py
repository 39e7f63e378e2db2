"""The one door: what is recorded, refused, undone and corrected."""

import json
import threading

import pytest

from companion.errors import BadInput, IllegalEvent, NotFound, StaleEvent
from companion.game.events import NOW_US
from companion.games.maxstax.events import Collapsed, Readied, RoundClosed, Shouted, Started
from companion.games.maxstax.timer import COUNTDOWN_US
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Mark, Placed, Rolled, Unplaced, YoungestNamed
from companion.games.swapstax.state import Drew, Passed, ShufflerNamed
from companion.journal import codec
from companion.journal.events import Origin, Step, Undone, earliest_line, undo_target
from companion.journal.export import read_game_file
from companion.journal.session import canonical_json
from companion.table.fold import CHECKPOINT_EVERY, Fold
from tests.parts import altered
from tests.played import FOLDER, named, read


def post(table, event, event_id, seen_seq=None, source="tablet"):
    return table.submit(event, Origin(event_id, seen_seq=seen_seq, source=source))


def rolled_and_placed(table):
    """A roll of 1 and 4; Ann placed gift 1 into column 4, Bob gift 4 into column 1."""
    ann, bob = table.session.players
    post(table, Rolled((1, 4)), "roll")
    post(table, Placed(ann, 1, 1, "I", "I", 4), "ann")
    post(table, Placed(bob, 2, 4, "O", "O", 1), "bob")
    return ann, bob


def round_with_one_shout(host):
    """A running round of SPEEDSTAX, started at 0, in which Ann shouted at 50 s."""
    table = host.create("speedstax", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    data = (
        {"kind": "Readied", "player": ann},
        {"kind": "Readied", "player": bob},
        {"kind": "Started", "at_us": 0},
        {"kind": "Shouted", "player": ann, "at_us": 50_000_000},
    )
    for number, event in enumerate(data):
        post(table, codec.event_from_json(table.game, event), f"e{number}")
    return table, ann, bob


def test_the_history_says_what_an_entry_was_and_what_changed_it(sack):
    rolled_and_placed(sack)
    sack.amend(1, Rolled((1, 5)), Origin("fix", 3), also=(2, 3))
    _, ann, roll = sack.history.lines()
    assert ("1 and 5" in roll.sentence, "1 and 4" in roll.was, roll.changed.seq) == (True, True, 4)
    assert (ann.status, ann.was, ann.changed.seq) == ("struck", "", 4)
    sack.undo(Origin("no", 4))
    assert [(line.was, line.changed) for line in sack.history.lines()] == [("", None)] * 3


def test_what_was_corrected_and_then_struck_is_told_as_it_stood_last(sack):
    post(sack, Rolled((1, 4)), "roll")
    sack.amend(1, Rolled((1, 5)), Origin("fix", 1))
    sack.strike(1, Origin("out", 2))
    (roll,) = sack.history.lines()
    assert ("1 and 5" in roll.sentence, roll.status, roll.was) == (True, "struck", "")
    sack.undo(Origin("no", 3))
    sack.undo(Origin("nor", 4))
    (roll,) = sack.history.lines()
    assert ("1 and 4" in roll.sentence, roll.status) == (True, "")


def test_a_correction_that_changes_nothing_is_the_last_one_all_the_same(sack):
    post(sack, Rolled((1, 4)), "roll")
    changes = []
    for number in range(2):
        sack.amend(1, Rolled((2, 2)), Origin(f"fix{number}", seen_seq=1 + number))
        changes.append(sack.history.lines()[0].changed.seq)
    sack.undo(Origin("no", 3))
    changes.append(sack.history.lines()[0].changed.seq)
    assert changes == [2, 3, 2]


def test_a_long_chain_of_undos_of_undos_is_looked_through_at_once(sack):
    post(sack, Rolled((1, 4)), "roll")
    for seq in range(1, 1500):
        sack.undo(Origin(f"no{seq}"), seq=seq)
    assert earliest_line(sack.entries, Undone(1500, (1499, 1498))) == 1


def test_the_state_is_the_fold_of_the_journal_after_a_restart(host, sack):
    ann, _ = rolled_and_placed(sack)
    host.tables._tables.clear()
    again = host.table(sack.session.id)
    assert again.state == sack.state
    assert again.state.sheets[ann].sack[3] == "I"
    assert again.seq == 3


def test_the_same_id_gives_the_same_answer_also_after_a_restart(host, sack):
    first = post(sack, Rolled((1, 4)), "roll", seen_seq=0)
    assert post(sack, Rolled((1, 4)), "roll", seen_seq=0) == first
    host.tables._tables.clear()
    assert post(host.table(sack.session.id), Rolled((1, 4)), "roll", seen_seq=0) == first
    assert sack.seq == 1


def test_one_id_for_two_different_events_is_refused(sack):
    post(sack, Rolled((1, 4)), "roll")
    with pytest.raises(BadInput, match="another event"):
        post(sack, Rolled((1, 5)), "roll")


def test_a_refused_event_changes_nothing_and_is_refused_again(sack):
    before = sack.state
    for _ in range(2):
        with pytest.raises(IllegalEvent):
            post(sack, Rolled((1, 7)), "bad")
    assert (sack.state, sack.seq) == (before, 0)


def test_a_tap_on_a_stale_page_is_refused_an_independent_one_is_not(sack):
    ann, bob = sack.session.players
    post(sack, Rolled((1, 4)), "roll")
    post(sack, Placed(ann, 1, 1, "I", "I", 4), "ann", seen_seq=1)
    post(sack, Placed(bob, 1, 1, "I", "I", 4), "bob", seen_seq=1)  # saw nothing of Ann's move, and need not
    with pytest.raises(StaleEvent):
        post(sack, Rolled((2, 2)), "stale", seen_seq=0)  # the roll of entry 1 came in between


def test_a_page_that_saw_the_future_is_refused(sack):
    with pytest.raises(BadInput, match="0 entries"):
        post(sack, Rolled((1, 4)), "roll", seen_seq=5)


@pytest.mark.parametrize("event_id", ["", "x" * 65, "a b", "<b>"])
def test_an_event_id_is_short_and_plain(sack, event_id):
    with pytest.raises(BadInput, match="event id"):
        post(sack, Rolled((1, 4)), event_id)


def test_the_course_scores_no_state_twice_and_is_that_of_what_counts(sack):
    ann, bob = sack.session.players
    scored = []
    game = altered(sack.game, score=lambda state: scored.append(state) or sack.game.rules.score(state))
    steps = [Step(seq, Ruling((ann, bob)[seq % 2], seq, "why")) for seq in range(1, 151)]

    def expected(steps):
        points = sack.game.rules.score(sack.state)
        course = [(points[ann], points[bob])]
        for step in steps:
            points[step.event.player] += step.event.points
            course.append((points[ann], points[bob]))
        return tuple(course)

    fold = Fold(game, sack.session)
    for step in steps:
        fold.add(step, fold.after(step.event))
        if step.seq % 3 == 0:
            assert fold.course() == expected(steps[: step.seq])
    assert (fold.course(), len(scored)) == (fold.course(), 151)
    del steps[139]
    corrected = fold.with_steps(steps)
    assert corrected.course() == expected(steps)
    assert len(scored) == 151 + 150 - (2 * CHECKPOINT_EVERY + 1)  # what was before the correction has its points


def test_undo_gives_back_the_earlier_state_exactly_and_can_be_undone(sack):
    ann, _ = sack.session.players
    post(sack, Rolled((1, 4)), "roll")
    before = sack.state
    post(sack, Placed(ann, 1, 1, "I", "I", 4), "ann")
    after = sack.state
    undo = sack.undo(Origin("undo", 2))
    assert sack.state == before
    sack.undo(Origin("redo", 3), seq=undo.seq)
    assert sack.state == after
    assert sack.seq == 4


def test_undo_goes_on_backwards_to_the_beginning(sack):
    start = sack.state
    rolled_and_placed(sack)
    for number in range(3):
        sack.undo(Origin(f"undo-{number}", source="button"))
    assert sack.state == start
    with pytest.raises(IllegalEvent, match="nothing to undo"):
        sack.undo(Origin("too-many", source="button"))


def test_what_undo_takes_back_is_found_without_going_through_the_whole_game(sack):
    for number in range(50):
        post(sack, Ruling(sack.session.players[0], 1, "why"), f"e{number}")
    sack.undo(Origin("no"))
    looked_at = []

    class Watched(tuple):
        def __reversed__(self):
            return (looked_at.append(entry.seq) or entry for entry in self[::-1])

    assert undo_target(Watched(sack.entries)) == Undone(49)
    assert looked_at == [51, 50, 49]


def test_undoing_something_else_than_was_seen_is_refused(sack):
    rolled_and_placed(sack)
    with pytest.raises(StaleEvent):
        sack.undo(Origin("undo", 2))


def test_an_amended_event_takes_the_old_ones_place(sack):
    ann, _ = rolled_and_placed(sack)
    preview = sack.preview(2, Placed(ann, 1, 1, "T", "T", 4))
    assert preview.misfits == ()
    sack.amend(2, Placed(ann, 1, 1, "T", "T", 4), Origin("fix", 3))
    assert sack.state.sheets[ann].sack[3] == "T"
    assert [line.status for line in sack.history.lines()] == ["", "corrected", ""]


def test_a_correction_names_the_entries_that_no_longer_fit_and_both_ways_on_work(sack):
    ann, bob = rolled_and_placed(sack)
    roll = Rolled((1, 5))
    assert [misfit.seq for misfit in sack.preview(1, roll).misfits] == [2, 3]
    with pytest.raises(IllegalEvent, match="2 later entries"):
        sack.amend(1, roll, Origin("fix", 3))
    sack.amend(1, roll, Origin("fix2", 3), also=(2,), ruled=(3,))
    assert sack.state.sheets[ann].sack == ("",) * 6
    assert sack.state.sheets[bob].sack[0] == "O"  # the table says so
    assert sack.state.dice == (1, 5)


def test_striking_takes_an_event_out_and_its_undo_brings_it_back(sack):
    ann, _ = rolled_and_placed(sack)
    whole = sack.state
    sack.strike(2, Origin("strike", 3))
    assert sack.state.sheets[ann].sack == ("",) * 6
    sack.undo(Origin("undo", 4))
    assert sack.state == whole


def test_an_illegal_correction_changes_nothing(sack):
    ann, _ = rolled_and_placed(sack)
    before = sack.state
    with pytest.raises(IllegalEvent):
        sack.amend(2, Placed(ann, 1, 2, "T", "T", 4), Origin("fix", 3))
    assert (sack.state, sack.seq) == (before, 3)


@pytest.mark.parametrize("seq", [0, 9])
def test_what_does_not_count_cannot_be_corrected(sack, seq):
    rolled_and_placed(sack)
    with pytest.raises(NotFound):
        sack.preview(seq, None)


def test_undo_takes_the_clocks_entries_with_it(host):
    table, _, bob = round_with_one_shout(host)
    before = table.state
    post(table, codec.event_from_json(table.game, {"kind": "Shouted", "player": bob, "at_us": 123_000_000}), "late")
    table.undo(Origin("u", source="button"))
    assert table.state == before
    post(table, table.game.rules.due(before).event, "due", source="clock")
    table.undo(Origin("u2", source="button"))
    assert table.state.current.shouts == {}
    assert not table.state.current.ran_out


def test_every_kind_of_event_survives_the_journal(host):
    table = host.create("sack_stackers", ["Ann"], {"voluntary_coal": True})
    (ann,) = table.session.players
    post(table, Rolled((6, 2)), "roll")
    data = {
        "kind": "Unplaced",
        "player": ann,
        "marks": [{"die": 1, "step": 1}],
        "coal": [{"column": 3, "when": "before"}],
    }
    event = codec.event_from_json(table.game, data)
    assert isinstance(event, Unplaced)
    post(table, event, "coal")
    host.tables._tables.clear()
    assert host.table(table.session.id).state == table.state
    assert YoungestNamed in table.game.rules.events


def test_a_corrected_press_keeps_the_time_of_the_old_one(host):
    table, ann, bob = round_with_one_shout(host)
    other = codec.event_from_json(table.game, {"kind": "Shouted", "player": bob, "at_us": -1})
    assert table.preview(4, other).after == {ann: 0, bob: 2}
    table.amend(4, other, Origin("fix", 4))
    assert table.state.current.shouts == {bob: 50_000_000}


def test_a_fall_corrected_into_a_shout_happened_when_the_fall_was_told(host):  # MX-21
    table, ann, bob = round_with_one_shout(host)
    host.clock.offset_us += 60_000_000 - host.clock.now_us()
    post(table, Collapsed(bob), "fell")
    told_us = table.entries[-1].at_us
    host.clock.offset_us += 200_000_000  # noticed when the round is long over
    table.amend(5, Shouted(bob, NOW_US), Origin("fix", 5))
    assert table.state.current.shouts == {ann: 50_000_000, bob: told_us}


def test_an_undo_can_be_undone_when_the_clock_has_gone_on(host):
    table, *_ = round_with_one_shout(host)
    due = table.game.rules.due(table.state).event
    post(table, due, "due", source="clock")
    before = table.state
    table.undo(Origin("mistake", 5))
    assert table.state.current.shouts == {}
    post(table, due, "due-again", source="clock")
    assert table.redo == Undone(6, (7,))
    table.undo(Origin("redo", 7), seq=6)
    assert table.state == before
    post(table, RoundClosed(), "closed")
    assert table.redo is None
    with pytest.raises(IllegalEvent, match="newest entry"):
        table.undo(Origin("late", 9), seq=6)


def redo(table):
    return table.undo(Origin(f"redo-{table.seq}", seen_seq=table.seq), seq=table.redo.seq)


def undo(table):
    return table.undo(Origin(f"undo-{table.seq}", seen_seq=table.seq))


def test_two_undos_are_redone_one_after_the_other(sack):
    start, (ann, _) = sack.state, sack.session.players
    post(sack, Rolled((1, 4)), "roll")
    rolled = sack.state
    post(sack, Placed(ann, 1, 1, "I", "I", 4), "ann")
    placed = sack.state
    undo(sack)
    undo(sack)
    assert sack.state == start
    redo(sack)
    assert sack.state == rolled
    undo(sack)  # what came back can be taken back and brought back again
    assert sack.state == start
    redo(sack)
    redo(sack)
    assert sack.state == placed
    assert sack.redo is None  # nothing that was undone is left
    undo(sack)
    assert sack.state == rolled


def test_what_was_undone_before_something_new_is_not_brought_back(sack):
    post(sack, Rolled((1, 4)), "roll")
    undo(sack)
    post(sack, Rolled((2, 2)), "again")
    undo(sack)
    redo(sack)
    assert sack.state.dice == (2, 2)
    assert sack.redo is None


def test_a_game_in_which_a_redo_was_taken_back_can_still_be_redone(host, sack):
    """Tables of before wrote that: their redo took back what it had just brought back."""
    ann, _ = sack.session.players
    post(sack, Rolled((1, 4)), "roll")
    post(sack, Placed(ann, 1, 1, "I", "I", 4), "ann")
    placed = sack.state
    undo(sack)
    undo(sack)
    redo(sack)
    sack._commit(Undone(0), lambda: Undone(5), Origin("of-before"))
    assert sack.state.dice is None
    host.tables._tables.clear()
    table = host.table(sack.session.id)
    redo(table)
    redo(table)
    assert table.state == placed


def test_what_the_clock_brought_between_two_redoes_goes_with_the_second_and_only_once(host):
    table, *_ = round_with_one_shout(host)
    due = table.game.rules.due(table.state).event
    post(table, due, "due", source="clock")
    post(table, RoundClosed(), "closed")
    before = table.state
    undo(table)  # the round is open again
    undo(table)  # the time and the shout before it
    post(table, due, "due-again", source="clock")
    redo(table)
    assert table.entries[-1].body == Undone(8, (9,))
    redo(table)
    assert table.entries[-1].body == Undone(7)
    assert table.state == before


def test_a_tap_is_judged_by_when_it_came_and_not_by_how_long_it_waited_for_the_disk(host, monkeypatch):  # MX-15
    table, ann, bob = round_with_one_shout(host)
    host.clock.offset_us += 119_900_000 + COUNTDOWN_US - host.clock.now_us()
    tapping = threading.Thread(target=lambda: post(table, Shouted(bob, NOW_US), "tap", seen_seq=4))
    came, now_us = threading.Event(), host.clock.now_us

    def told_us() -> int:
        if threading.current_thread() is tapping:
            came.set()
        return now_us()

    monkeypatch.setattr(host.clock, "now_us", told_us)
    with table.lock:  # as long as another entry is being written
        tapping.start()
        assert came.wait(5)
        host.clock.offset_us += 200_000
        post(table, table.game.rules.due(table.state).event, "due", source="clock")
    tapping.join()
    assert set(table.state.current.shouts) == {ann, bob}


def test_what_stands_because_the_table_said_so_can_be_corrected(sack):
    _, bob = rolled_and_placed(sack)
    sack.amend(1, Rolled((1, 5)), Origin("fix", 3), ruled=(2, 3))
    typed = sack.event(3)
    meant = Placed(bob, 2, 4, "T", "T", 1)
    assert typed != meant
    sack.amend(3, meant, Origin("box", 4))
    assert sack.state.sheets[bob].sack[0] == "T"


@pytest.mark.parametrize("way", [{"also": (4,)}, {"ruled": (4,)}, {"also": (1,)}])
def test_a_correction_cannot_name_what_has_not_happened_yet(sack, way):
    rolled_and_placed(sack)
    with pytest.raises(BadInput, match="later entries"):
        sack.strike(2, Origin("s", 3), **way)


@pytest.mark.parametrize("at_us", [-2, 10**15, 10**400])
def test_a_time_that_has_not_come_is_refused(host, at_us):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for number, player in enumerate(table.session.players):
        post(table, codec.event_from_json(table.game, {"kind": "Readied", "player": player}), f"r{number}")
    with pytest.raises(BadInput, match=r"time|number"):
        post(table, codec.event_from_json(table.game, {"kind": "Started", "at_us": at_us}), "s")
    assert table.seq == 2


def test_a_preview_can_be_asked_with_a_way_on(sack):
    rolled_and_placed(sack)
    preview = sack.preview(1, Rolled((1, 5)), also=(2,), ruled=(3,))
    assert preview.misfits == ()


def test_a_forgotten_circle_keeps_everybodys_later_turns(sack):  # SS-23: which circle brings coal shifts
    ann, bob = sack.session.players
    events = (
        Rolled((1, 2)), Placed(ann, 1, 1, "I", "I", 2), Placed(bob, 1, 1, "I", "I", 2),
        Rolled((3, 4)), Placed(ann, 1, 3, "I", "I", 5, (Mark(2, 1),)), Placed(bob, 1, 3, "I", "I", 4),
        Rolled((5, 6)), Placed(ann, 1, 5, "I", "I", 6), Placed(bob, 1, 5, "I", "I", 6),
    )  # fmt: skip
    for number, event in enumerate(events):
        post(sack, event, f"e{number}")
    _strike, keep = sack.ways(2, Placed(ann, 1, 1, "I", "I", 3, (Mark(2, 1),)))
    assert (keep.also, keep.ruled) == ((), (5,))


@pytest.mark.parametrize("name", ["speedstax", "swapstax"])
def test_a_shout_of_an_earlier_round_is_struck_and_the_later_rounds_stay(host, name):  # MX-14, MX-23
    table = host.create(name, ["Ann", "Bob"], {})
    ann, bob = table.session.players
    now_us, seconds_us, wrong = host.clock.now_us() - 10**9, 1_000_000, 0
    for number in range(3):
        begins_us = now_us + number * 200 * seconds_us
        before = (ShufflerNamed(ann),) if name == "swapstax" and not number else ()
        cards = (Drew(ann, 2 * number + 1), Drew(bob, 2 * number + 2)) if name == "swapstax" else ()
        passes = (Passed(ann), Passed(bob)) if name == "swapstax" else ()
        ready = (Readied(ann), Readied(bob), Started(begins_us))
        shouts = (Shouted(ann, begins_us + 10 * seconds_us), Shouted(bob, begins_us + 12 * seconds_us))
        for event in (*before, *cards, *passes, *ready, *shouts, RoundClosed()):
            post(table, event, f"e{table.seq}")
            if event is shouts[1] and not number:
                wrong = table.seq
    score = table.game.rules.score(table.state)
    _strike, keep = table.ways(wrong, None)
    assert (keep.also, keep.ruled) == ((), (wrong + 1,))
    assert keep.after[ann] == score[ann]
    assert keep.after[bob] < score[bob]


def test_where_players_share_a_board_any_play_makes_an_older_tap_stale(host):
    table = host.create("sandpile_panic", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    post(table, codec.event_from_json(table.game, {"kind": "Placed", "player": ann, "at": "r3c3"}), "ann")
    late = codec.event_from_json(table.game, {"kind": "Left", "player": bob})
    with pytest.raises(StaleEvent):
        post(table, late, "bob", seen_seq=0)
    post(table, late, "bob-again", seen_seq=1)


def test_a_session_of_a_version_with_fewer_options_still_has_its_chain(host, tmp_path):
    """The chain begins with the header's own text, not with what this version would write."""
    table = host.create("sack_stackers", ["Ann"], {})
    exported = host.transfer.export(table.session.id).splitlines()
    header = json.loads(exported[0])
    del header["options"]["voluntary_coal"]  # as if it had not been invented yet
    header["session"] = "an-older-session"
    older = canonical_json(header) + "\n" + exported[1] + "\n"
    imported = host.transfer.take(older)
    post(imported, Rolled((3, 5)), "roll")
    text = host.transfer.export("an-older-session")
    assert "voluntary_coal" not in text
    assert read_game_file(text).broken_at is None


def test_a_remembered_refusal_keeps_no_request_in_memory(sack):
    for _ in range(2):
        with pytest.raises(IllegalEvent) as refused:
            sack.undo(Origin("nothing-to-undo"))
    ((_, kept),) = sack._receipts._refusals.values()
    assert kept.__traceback__ is None
    assert str(kept) == str(refused.value)


def long_game(host):
    """Two rounds of Stack: striking its start leaves most of what follows without a place."""
    played = read(FOLDER / "stack_dice/two-rounds.txt")
    table = host.create(played.game, list(played.players), played.options)
    ids = dict(zip(played.players, table.session.players, strict=True))
    for number, step in enumerate(played.steps):
        post(table, codec.event_from_json(table.game, named(step.event, ids)), f"step-{number}")
    return table


@pytest.mark.parametrize("keep", [False, True])
def test_the_ways_on_settle_one_misfit_after_the_other(host, keep):
    table = long_game(host)
    for seq in (1, 2, table.seq // 2):
        also, ruled = set(), set()
        while misfits := table.preview(seq, None, tuple(also), tuple(ruled)).misfits:
            first = misfits[0].seq
            (ruled if keep and first not in ruled else also).add(first)
            ruled -= also
        way = table.ways(seq, None)[-1 if keep else 0]
        assert (set(way.also), set(way.ruled)) == (also, ruled)


def test_the_ways_on_take_as_many_steps_as_the_game_has_and_nobody_waits_for_them(host):
    table = long_game(host)
    steps, waited = [], []

    class Counted:
        def __getattr__(self, name):
            return getattr(game, name)

        def apply(self, *args, **kwargs):
            steps.append(1)
            other = threading.Thread(target=table.state_before, args=(2,))  # takes the table's lock
            other.start()
            other.join(5)
            waited.append(other.is_alive())
            return game.rules.apply(*args, **kwargs)

    game, table.game = table.game, Counted()
    table.ways(1, None)
    assert len(steps) <= 3 * table.seq + 64  # and those from the state that is kept to the entry
    assert not any(waited)


def test_a_preview_is_of_one_moment_while_others_play_on(host, monkeypatch):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    post(table, Rolled((1, 4)), "roll")
    post(table, Placed(ann, 1, 1, "I", "I", 4), "ann")
    before = Fold.state_before

    def busy(fold, seq):
        if table.seq == 2:
            post(table, Placed(bob, 2, 4, "O", "O", 1), "bob")
        return before(fold, seq)

    monkeypatch.setattr(Fold, "state_before", busy)
    preview = table.preview(1, Rolled((1, 4)))
    assert table.seq == 3
    assert preview.before == preview.after
