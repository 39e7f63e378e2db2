"""What comes up on an evening, with a real hub and real tables: a restart, a table that breaks down, a dead laptop."""

import html
import re
import shutil
import subprocess
import sys
import urllib.error

import pytest

from tests.hall.processes.test_hall_tournament import begin_offered, begun, finish, page_of, play_offered, post
from tests.hall.processes.test_hub import PATIENCE_S, Hub, first_page, heads, play, starts, table, until

BRISK = "tests.hall.processes.brisk:main"


@pytest.fixture
def hub(tmp_path):
    hub = Hub(tmp_path / "hub", "--no-mqtt", program=BRISK)
    hub.start()
    yield hub
    hub.stop()


def staff(hub):
    """An opener with an organiser's ticket, which outlives a restart of the hub."""
    if not hasattr(hub, "opener"):
        hub.opener = hub.come_in()
    return hub.opener


def floor(hub):
    return " ".join(page_of(f"{hub.url}/staff/floor", staff(hub)).split())


def enrolled(hub, folder):
    return table(folder, "--hub", hub.url, "--enrol", hub.code())


def keys(hub):
    return [one["id"] for one in hub.ask("/v1/tables")]


def give(opener, cup, key):
    """Gives the first game to another table; what the page says then."""
    try:
        return post(f"{cup}/games/1/call", opener, table=key)[1]
    except urllib.error.HTTPError as refusal:
        return html.unescape(refusal.read().decode())


def take_result(hub):
    """Taps the first “Take this result” of the staff's page."""
    post(hub.url + re.search(r'action="(/staff/results/[^"]+/take)"', floor(hub))[1], staff(hub))


def test_a_game_stays_where_it_is_played_until_its_table_breaks_down_and_no_result_is_lost(hub, tmp_path):
    """Nothing is heard live, and the hub is killed meanwhile."""
    first = enrolled(hub, tmp_path / "first")
    with first as service:
        (owner,) = until(lambda: keys(hub))
        cup = begun(hub, ["Ann", "Ben"])
        session = begin_offered(service)
        with enrolled(hub, tmp_path / "second") as other:
            (another,) = until(lambda: set(keys(hub)) - {owner})
            until(lambda: "is played" in page_of(cup))
            hub.kill()
            hub.start()
            assert "is being played already" in give(staff(hub), cup, another)
            assert "Not heard of yet" not in page_of(f"{hub.url}/staff", staff(hub))
            assert "is being played already" in give(staff(hub), cup, another)
            service.process.kill()  # The table breaks down.
            until(lambda: "is being played already" not in give(staff(hub), cup, another))
            until(lambda: "Begin this game" in first_page(other))
            with table(tmp_path / "first") as again:  # It comes back, and its players had gone on.
                finish(again, session)
                until(lambda: "has sent a result of game 1. Take it?" in floor(hub))
                assert heads(hub) == {}
                take_result(hub)
                assert list(heads(hub)) == [session]
                assert "Round 1 is closed." in page_of(cup)
                until(lambda: "Begin this game" not in first_page(other))


def test_a_table_that_is_enrolled_anew_sends_what_waited(hub, tmp_path):
    with enrolled(hub, tmp_path / "table") as service:
        until(lambda: keys(hub))
        cup = begun(hub, ["Ann", "Ben"])
        session = begin_offered(service)
        hub.kill()
        finish(service, session)
        fun = play(service)
    hub.start()
    post(f"{hub.url}/staff/tables/{keys(hub)[0]}/revoke", staff(hub))
    with enrolled(hub, tmp_path / "table"):
        until(lambda: fun in heads(hub))
        until(lambda: "has sent a result of game 1. Take it?" in floor(hub))
        take_result(hub)
        assert "Round 1 is closed." in page_of(cup)
        assert sorted(heads(hub)) == sorted([session, fun])


def test_a_hub_whose_disk_dies_is_back_from_its_copy_and_its_tables(tmp_path):
    """The copy is from before the games were over: what it lacks the tables send again."""
    stick = tmp_path / "stick"
    stick.mkdir()
    hub = Hub(tmp_path / "hub", "--no-mqtt", "--copies", str(stick), program=BRISK)
    hub.start()
    try:
        with enrolled(hub, tmp_path / "table") as service:
            until(lambda: keys(hub))
            cup = begun(hub, ["Ann", "Ben"])
            until(lambda: copied(stick, tmp_path / "early"))
            session = play_offered(service)
            until(lambda: session in heads(hub))
            fun = play(service)
            until(lambda: fun in heads(hub))
            hub.kill()
            shutil.rmtree(hub.folder)
            hub.folder, hub.arguments = tmp_path / "new", ("--no-mqtt",)
            said = restored(tmp_path / "early", hub.folder)
            assert (said.returncode, "tournaments: 1, games: 0, tables: 1" in said.stdout) == (0, True), said
            assert re.search(r"The copy is of \d\d:\d\d\. What staff did after that is to be done again\.", said.stdout)
            again = restored(tmp_path / "early", hub.folder)
            assert (again.returncode, "has a hub's record already" in again.stderr) == (1, True)
            hub.start()
            assert "Nothing is copied. Start the hub with --copies FOLDER" in floor(hub)
            assert heads(hub) == {}
            until(lambda: sorted(heads(hub)) == sorted([session, fun]))
            assert "Round 1 is closed." in page_of(cup)
            assert [(one["received"], one["missing"]) for one in hub.ask("/v1/tables")] == [(2, 0)]
    finally:
        hub.stop()


def test_a_new_hub_gives_way_to_the_copy_and_its_evening_comes_along(tmp_path):
    """The disk dies, and somebody begins anew, with another key: the tournament is only in the copy."""
    stick = tmp_path / "stick"
    stick.mkdir()
    hub = Hub(tmp_path / "hub", "--no-mqtt", "--copies", str(stick), program=BRISK)
    hub.start()
    try:
        with enrolled(hub, tmp_path / "table") as service:
            until(lambda: keys(hub))
            cup = begun(hub, ["Ann", "Ben"])
            session = begin_offered(service)
            until(lambda: copied(stick, tmp_path / "early"))
            hub.kill()
            shutil.rmtree(hub.folder)
        hub.folder = tmp_path / "new"
        status, said = starts(hub, "--no-mqtt", "--copies", str(tmp_path / "early"))
        assert (status, "Put it back with “companion hub restore" in said) == (1, True), said
        hub.start("--no-mqtt")  # Somebody doesn't.
        with enrolled(hub, tmp_path / "table") as service:
            finish(service, session)
            until(lambda: session in heads(hub))
            assert "There's no tournament yet." in page_of(f"{hub.url}/tournaments")
        hub.stop()
        said = restored(tmp_path / "early", hub.folder)
        assert (said.returncode, "move that folder away, and put the copy back" in said.stderr) == (1, True), said
        hub.folder.rename(tmp_path / "away")
        assert restored(tmp_path / "early", hub.folder).returncode == 0
        hub.start("--no-mqtt")
        with enrolled(hub, tmp_path / "table"):
            until(lambda: "has sent a result of game 1. Take it?" in floor(hub))
            take_result(hub)
            assert "Round 1 is closed." in page_of(cup)
            assert list(heads(hub)) == [session]
    finally:
        hub.stop()


def test_a_start_that_was_refused_stands_in_no_copys_way(hub, tmp_path):
    """Whoever names the stick first at a new computer is told to put its copy back, and does."""
    stick, new = tmp_path / "stick", tmp_path / "new"
    stick.mkdir()
    hub.stop()
    hub.start("--no-mqtt", "--copies", str(stick))
    other = Hub(new)
    status, said = starts(other, "--no-mqtt", "--copies", str(stick))
    assert (status, "Put it back with “companion hub restore" in said) == (1, True), said
    assert restored(stick, new).returncode == 0


def copied(stick, target):
    """Keeps the copy of this moment, once it has a seated round."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(stick, target)
    return b"round paired" in (target / "hub.sqlite3").read_bytes()


def restored(folder, data):
    command = [sys.executable, "-m", "companion", "hub", "restore", str(folder), "--data", str(data)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def test_a_start_that_could_overwrite_a_copy_is_refused(hub, tmp_path):
    stick = tmp_path / "stick"
    stick.mkdir()
    hub.stop()
    hub.start("--no-mqtt", "--copies", str(stick))
    assert (stick / "hub.sqlite3").exists()
    assert "The copies lie on the hub's own disk. On a stick they outlive it." in floor(hub)
    assert "Nothing is copied" not in floor(hub)
    other = [sys.executable, "-m", "companion", "hub", "--port", "0", "--data", str(tmp_path / "other")]
    ended = subprocess.run(
        [*other, "--copy", str(stick)], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ended.returncode, "copy of another hub" in ended.stderr) == (1, True), ended.stderr  # by its older name


def test_postgresql_makes_its_own_copies(tmp_path):
    pytest.importorskip("psycopg", reason="the extra `postgresql` is not installed: see docs/hall.md")
    status, said = starts(Hub(tmp_path), "--database", "postgresql://localhost/hall", "--copies", str(tmp_path))
    assert (status, "PostgreSQL makes its own copies" in said) == (1, True), said
