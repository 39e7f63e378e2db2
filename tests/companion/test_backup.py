"""Copies of the journal: whole, verified, without what opens doors; rotation; and the way back."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta

import pytest

from companion.errors import BadInput
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.backup import Contents, DailyCopies, backup, days_to_keep, verified
from companion.journal.events import Origin
from companion.journal.files import daily_copies
from companion.journal.restore import restore
from companion.journal.schema import VERSION
from companion.journal.store import Journal
from companion.journal.tickets import all_tickets

DAY = date(2026, 11, 21)


def rolled(table):
    table.submit(Rolled((1, 4)), Origin(f"roll-{table.seq}"))


def changed(path, sql):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)
    db.close()


def test_a_copy_of_an_open_journal_holds_all_of_it(host, sack, tmp_path):
    rolled(sack)
    host.journal.add_picture(b"jpeg", 0)
    target = tmp_path / "copy.sqlite3"
    assert backup(host.journal.path, target) == Contents(1, 1, 1) == verified(target)
    assert target.stat().st_mode & 0o077 == 0  # names of people are in it
    copy = Host(Journal(target))
    assert copy.table(sack.session.id).state == sack.state
    assert copy.transfer.export(sack.session.id) == host.transfer.export(sack.session.id)
    copy.journal.close()


def test_a_copy_lets_nobody_in(host, sack, tmp_path):
    for name in ("secret", "pin"):
        host.journal.set_setting(name, "kept between us")
    host.journal.set_setting("auto_accept", "no")
    changed(host.journal.path, "INSERT INTO tickets VALUES ('t', 'host', NULL, NULL, 'kept between us', 0, 9, 0)")
    target = tmp_path / "copy.sqlite3"
    backup(host.journal.path, target)
    assert b"kept between us" not in target.read_bytes()
    copy = Journal(target)
    assert (copy.setting("pin", ""), copy.setting("auto_accept", ""), all_tickets(copy)) == ("", "no", ())
    copy.close()


def test_pictures_can_be_left_out(host, sack, tmp_path):
    host.journal.add_picture(b"a face", 0)
    target = tmp_path / "copy.sqlite3"
    assert backup(host.journal.path, target, pictures=False).pictures == 0
    assert b"a face" not in target.read_bytes()


def test_a_copy_overwrites_nothing(host, tmp_path):
    target = tmp_path / "copy.sqlite3"
    target.write_text("a letter")
    with pytest.raises(BadInput, match="already exists and won't be overwritten"):
        backup(host.journal.path, target)
    assert target.read_text() == "a letter"


@pytest.mark.parametrize("said", ["EPERM", "EOPNOTSUPP", "ENOSYS"])
def test_a_stick_that_knows_no_links_takes_a_copy(host, sack, tmp_path, monkeypatch, said):
    monkeypatch.setattr("os.link", failing(said))
    target = tmp_path / "copy.sqlite3"
    assert backup(host.journal.path, target) == Contents(1, 0, 0) == verified(target)
    assert target.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy.sqlite3"]


def test_without_links_a_copy_overwrites_nothing_either(host, tmp_path, monkeypatch):
    target = tmp_path / "copy.sqlite3"

    def somebody_was_first(part, target):
        target.write_text("a letter")
        failing("EPERM")()

    monkeypatch.setattr("os.link", somebody_was_first)
    with pytest.raises(BadInput, match="already exists and won't be overwritten"):
        backup(host.journal.path, target)
    assert target.read_text() == "a letter"


def test_a_stick_that_fails_at_the_last_step_keeps_no_empty_file(host, tmp_path, monkeypatch):
    monkeypatch.setattr("os.link", failing("EPERM"))
    monkeypatch.setattr("pathlib.Path.replace", failing("EIO"))
    with pytest.raises(BadInput, match="Choose another place"):
        backup(host.journal.path, tmp_path / "copy.sqlite3")
    assert not list(tmp_path.glob("copy*"))


def failing(said):
    """What the system answers to any call."""

    def call(*_arguments):
        raise OSError(getattr(errno, said), said)

    return call


def test_a_copy_that_does_not_verify_is_not_kept(host, sack, tmp_path):
    rolled(sack)
    changed(host.journal.path, "UPDATE entries SET content = replace(content, '[1,4]', '[4,1]')")
    with pytest.raises(BadInput, match="entry 1"):
        backup(host.journal.path, tmp_path / "copy.sqlite3")
    assert not list(tmp_path.glob("copy*"))


@pytest.mark.parametrize("where", ["missing/copy.sqlite3", "."])
def test_a_place_that_cannot_be_written_is_one_sentence(host, tmp_path, where):
    with pytest.raises(BadInput, match=r"\. Choose another (place|name)"):
        backup(host.journal.path, tmp_path / where)


def test_no_journal_is_one_sentence(tmp_path):
    with pytest.raises(BadInput, match="--data"):
        backup(tmp_path / "journal.sqlite3", tmp_path / "copy.sqlite3")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE entries SET hash = 'x'", "entry 1"),
        ("UPDATE entries SET seq = 2", "entry 1"),
        ("UPDATE sessions SET hash = 'x'", "entry 0"),
        ("UPDATE pictures SET jpeg = x'00'", "Picture"),
        (f"PRAGMA user_version={VERSION + 1}", "newer"),
        ("DROP TABLE entries", "isn't a copy"),
    ],
)
def test_what_is_no_sound_copy_is_one_sentence_and_not_restored(host, sack, tmp_path, sql, said):
    rolled(sack)
    host.journal.add_picture(b"jpeg", 0)
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    changed(copy, sql)
    with pytest.raises(BadInput, match=said):
        restore(copy, tmp_path / "elsewhere" / "journal.sqlite3", "before")
    assert not (tmp_path / "elsewhere" / "journal.sqlite3").exists()


def test_any_file_that_is_no_copy_is_one_sentence(tmp_path):
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(b"no database " * 1000)
    with pytest.raises(BadInput, match="isn't a copy of a journal"):
        verified(copy)


def test_restoring_moves_the_old_journal_aside_with_all_that_is_in_it(host, sack, tmp_path):
    rolled(sack)
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    sack.undo(Origin("undo"))  # still in the write-ahead log
    aside = restore(copy, host.journal.path, "before-noon", exactly=True).aside
    host.journal.close()
    back, old = Host(Journal(tmp_path / "journal.sqlite3")), Host(Journal(aside))
    assert back.table(sack.session.id).seq == 1
    assert old.table(sack.session.id).seq == 2
    back.journal.close()
    old.journal.close()


def test_two_journals_put_aside_at_the_same_moment_are_both_there(host, sack, tmp_path):
    copy, journal = tmp_path / "copy.sqlite3", tmp_path / "new" / "journal.sqlite3"
    backup(host.journal.path, copy)
    restore(copy, journal, "before")
    rolled(sack)
    for entries in (1, 2):
        newer = tmp_path / f"{entries}.sqlite3"
        backup(host.journal.path, newer)
        restore(newer, journal, "before-noon")
        sack.undo(Origin("undo"))
    aside = sorted(journal.parent.glob("*before-noon*"))
    assert [verified(path).entries for path in aside] == [0, 1]


def test_what_was_recorded_after_the_copy_is_added_to_it(host, sack, tmp_path):
    rolled(sack)
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    sack.undo(Origin("undo"))
    later = host.create("stack_dice", ["Cy", "Di"], {})
    host.journal.close()
    restore(copy, host.journal.path, "before-noon")
    back = Host(Journal(host.journal.path))
    assert back.table(sack.session.id).seq == 2
    assert sorted(back.table(later.session.id).names.values()) == ["Cy", "Di"]
    assert verified(host.journal.path) == Contents(2, 2, 0)
    back.journal.close()


def test_a_journal_is_restored_with_what_stands_in_its_write_ahead_log(host, sack, tmp_path):
    rolled(sack)
    host.journal.settle()
    sack.undo(Origin("undo"))
    lost_power = tmp_path / "card" / "journal.sqlite3"  # as the card of a table looks that lost its power now
    lost_power.parent.mkdir()
    for part in ("", "-wal"):
        shutil.copyfile(f"{host.journal.path}{part}", f"{lost_power}{part}")
    restored = tmp_path / "new" / "journal.sqlite3"
    restore(lost_power, restored, "before")
    assert [path.name for path in restored.parent.iterdir()] == ["journal.sqlite3"]
    assert verified(restored) == Contents(1, 2, 0)


def test_what_an_earlier_try_left_is_in_no_restored_journal(host, sack, tmp_path):
    copy, restored = tmp_path / "copy.sqlite3", tmp_path / "new" / "journal.sqlite3"
    backup(host.journal.path, copy)
    restored.parent.mkdir()
    for part in ("", "-wal", "-journal"):
        restored.with_name(f"journal.sqlite3.restoring{part}").write_text("half of it")
    restore(copy, restored, "before")
    assert [path.name for path in restored.parent.iterdir()] == ["journal.sqlite3"]
    assert verified(restored) == Contents(1, 0, 0)


@pytest.mark.parametrize("missing", [range(4, 8), range(4, 5), (5, 7), (4, 6, 8), range(2, 9), ()])
@pytest.mark.parametrize("tail_has", [(), range(4, 6), (5, 6, 8), range(1, 9)])
def test_what_lies_behind_a_gap_is_named_and_kept(host, sack, tmp_path, missing, tail_has):
    """Eight entries, a copy of the first three; of the others some rows and some lines of the tail are gone."""
    copy, journal = tmp_path / "copy.sqlite3", host.journal.path
    for number in range(8):
        if number == 3:
            backup(journal, copy)
        rolled(sack) if number % 2 == 0 else sack.undo(Origin(f"undo-{number}"))
    host.journal.settle()
    host.journal.close()
    lines = [json.loads(line) for line in journal.with_suffix(".tail").read_bytes().splitlines() if line.strip()]
    kept = [line for line in lines if not line.get("seq") or line["seq"] in tail_has]
    journal.with_suffix(".tail").write_bytes(b"".join(b"\n" + json.dumps(line).encode() for line in kept))
    journal.with_suffix(".tail.1").unlink(missing_ok=True)
    for seq in missing:
        changed(journal, f"DELETE FROM entries WHERE seq = {seq}")

    known = {1, 2, 3} | (set(range(1, 9)) - set(missing)) | set(tail_has)
    reached = next(seq for seq in range(4, 10) if seq not in known) - 1  # without a gap
    lost = len([seq for seq in known if seq > reached])
    if lost:
        with pytest.raises(BadInput, match=rf"^{lost} entr"):
            restore(copy, journal, "before")
        assert journal.is_file()
    done = restore(copy, journal, "before", incomplete=True)
    assert done.left_out == lost
    back = Host(Journal(journal))
    assert back.table(sack.session.id).seq == reached
    back.journal.close()
    if set(range(4, 9)) - set(missing):
        with closing(sqlite3.connect(done.aside)) as aside, aside:
            still = {seq for (seq,) in aside.execute("SELECT seq FROM entries")}
        assert set(range(1, 9)) - set(missing) <= still


def test_restoring_into_an_empty_folder_moves_nothing(host, sack, tmp_path):
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    assert restore(copy, tmp_path / "new" / "house" / "journal.sqlite3", "before").aside is None
    assert verified(restored := tmp_path / "new" / "house" / "journal.sqlite3").games == 1
    assert restored.stat().st_mode & 0o077 == 0


# the daily ones


def test_seven_days_and_four_weeks_are_kept():
    every_day = {DAY - timedelta(days=number) for number in range(100)}
    stay = sorted(days_to_keep(every_day), reverse=True)
    assert stay[:7] == [DAY - timedelta(days=number) for number in range(7)]
    assert [day.isoformat() for day in stay[7:]] == ["2026-11-14", "2026-11-08", "2026-11-01", "2026-10-25"]


def test_what_was_kept_stays_kept_until_it_is_old():
    """A year, a look each day: never fewer than there can be, and the oldest copy is more than three weeks old."""
    there = set()
    for number in range(365):
        there = days_to_keep(there | {DAY + timedelta(days=number)})
        assert len(there) <= 11
        if number > 40:
            assert len(there) == 11
            assert (DAY + timedelta(days=number) - min(there)).days >= 22


def test_a_house_that_plays_seldom_keeps_its_copies():
    monthly = {DAY - timedelta(days=30 * number) for number in range(9)}
    assert days_to_keep(monthly) == monthly


@pytest.fixture
def days():
    """The days on which it is looked, and what was said."""
    return [DAY], []


@pytest.fixture
def copies(host, days):
    today, said = days
    return DailyCopies(host.journal, lambda *words: said.append(words), lambda: today[-1])


def test_one_copy_a_day(host, sack, copies, days):
    first = copies.look()
    assert first.name == "journal-2026-11-21.sqlite3"
    assert verified(first).games == 1
    assert copies.look() is None
    days[0].append(DAY + timedelta(days=1))
    assert copies.look() is not None
    assert len(daily_copies(copies._journal.path)) == 2
    assert days[1] == []


def test_old_copies_go_and_files_of_others_stay(host, copies, days):
    for number in range(60):
        days[0].append(DAY + timedelta(days=number))
        copies.look()
    letter = copies._folder / "journal-of-my-holidays.sqlite3"
    letter.write_text("dear diary")
    days[0].append(DAY + timedelta(days=61))
    copies.look()
    assert len(daily_copies(copies._journal.path)) == 11
    assert letter.exists()


def test_the_copy_of_a_day_before_all_others_stays_until_the_day_is_over(host, copies, days):
    for number in range(60):
        days[0].append(DAY + timedelta(days=number))
        copies.look()
    days[0].append(DAY - timedelta(days=400))  # a clock that nothing has set
    assert copies.look() in daily_copies(copies._journal.path).values()
    assert copies.look() is None


def test_a_copy_that_fails_is_said_once_more_when_it_works_and_takes_no_good_one_away(host, sack, copies, days):
    rolled(sack)
    copies.look()
    changed(host.journal.path, "UPDATE entries SET content = replace(content, '[1,4]', '[4,1]')")
    days[0].append(DAY + timedelta(days=1))
    assert copies.look() is None
    assert days[1][0][0] == "down"
    assert list(daily_copies(copies._journal.path)) == [DAY]
    changed(host.journal.path, "UPDATE entries SET content = replace(content, '[4,1]', '[1,4]')")
    assert copies.look() is not None
    assert days[1][1:] == [("ok", "Today's copy of the journal was made.")]


def test_a_disk_without_room_is_said_and_not_filled(host, copies, days, monkeypatch):
    monkeypatch.setattr("companion.journal.files.LEAST_FREE", 10**15)
    assert copies.look() is None
    assert "no room" in days[1][0][1]
    assert daily_copies(copies._journal.path) == {}


def test_a_copy_that_fails_as_nobody_expected_is_said_too(host, copies, days, monkeypatch, caplog):
    def fails(*_arguments, **_named):
        raise ZeroDivisionError

    monkeypatch.setattr("companion.journal.backup.backup", fails)
    assert copies.look() is None
    assert "Look in the companion's log" in days[1][0][1]
    assert "ZeroDivisionError" in caplog.text


# the commands


def companion(*arguments):
    return subprocess.run([sys.executable, "-m", "companion", *arguments], capture_output=True, text=True, timeout=60)


def test_backup_and_restore_on_the_command_line(host, sack, tmp_path):
    rolled(sack)
    copy, house = str(tmp_path / "copy.sqlite3"), str(tmp_path / "house")
    done = companion("backup", copy, "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, f"{copy}: 1 games, 1 entries, 0 pictures; every hash chain holds.\n")
    assert companion("backup", copy, "--data", str(tmp_path)).returncode == 1
    assert companion("restore", copy, "--data", house).returncode == 0
    again = companion("restore", copy, "--data", house)
    assert "is now" in again.stdout
    kinds = sorted(name.partition(".before-")[0] for name in os.listdir(house))
    assert kinds == ["in-use", "journal.sqlite3", "journal.sqlite3", "journal.tail", "journal.tail"]
    letter = tmp_path / "letter"
    letter.write_text(json.dumps("dear diary"))
    refused = companion("restore", str(letter), "--data", house)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)


def test_nothing_is_restored_under_a_companion_that_runs(host, sack, tmp_path):
    from companion.journal.data_folder import claim

    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    with claim(tmp_path):
        refused = companion("restore", str(copy), "--data", str(tmp_path))
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "Another companion" in refused.stderr


def test_a_folder_that_cannot_be_made_is_one_sentence(host, sack, tmp_path):
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    refused = companion("restore", str(copy), "--data", str(copy / "below"))
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
