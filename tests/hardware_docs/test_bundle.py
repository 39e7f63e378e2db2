"""A bundle: made here, installed into a folder in the place of /, killed anywhere, brought up to date, and taken off.

What is real in it and what stands in, `small_bundles` says.
"""

import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hardware.tools import bundle
from hardware.tools.wheels import SYSTEMS
from tests.hardware_docs.small_bundles import CAN_BE_MADE, ROOT, Machine, make_bundle, make_key
from tests.hardware_docs.small_bundles import wheel as small_wheel

KILLS = 4

pytestmark = CAN_BE_MADE


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return make_key(tmp_path_factory.mktemp("maker"), "maker")


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory, key):
    """Two versions, unpacked."""
    folder = tmp_path_factory.mktemp("bundles")
    return {version: make_bundle(folder, key, version) for version in ("1.0", "2.0")}


def test_it_is_installed_without_a_network_brought_up_to_date_gone_back_from_and_removed(machine, bundles, tmp_path):
    said = machine.installs(bundles["1.0"] / "install")
    assert re.search(r"signed by the key [0-9a-f]{16}\. Ask its maker", said)
    assert machine.version() == "1.0"
    assert "apt-get" not in machine.calls.read_text()
    (limit,) = machine.root.glob("etc/systemd/journald.conf.d/*.conf")
    assert "SystemMaxUse=64M" in limit.read_text()
    for unit in ("table-camera", "table-wifi", "table-companion"):
        assert f"restart {unit}" in machine.systemctl()
        installed = machine.root / f"etc/systemd/system/{unit}.service"
        assert installed.read_bytes() == (ROOT / f"hardware/systemd/{unit}.service").read_bytes()
    assert json.loads((machine.opt / "current/bundle.json").read_text())["version"] == "1.0"

    file = tmp_path / "2.0.tar"
    bundle.pack(bundles["2.0"], file, 0)
    other = make_bundle(tmp_path, make_key(tmp_path, "other"), "6.6")
    assert "is not signed by the key" in refused(machine, other)
    assert machine.run(other / "install", "--dry-run", "--new-maker").returncode == 0
    said = machine.installs(machine.opt / "current/install", file)
    assert "Ask its maker" not in said  # the key is known now
    assert machine.version() == "2.0"
    with closing(sqlite3.connect(machine.games / "before-upgrade.sqlite3")) as copy:
        assert copy.execute("SELECT value FROM settings WHERE name = 'a game'").fetchall()

    file.unlink()  # an installed table has no more than what is installed
    for now in ("1.0", "2.0"):
        assert "is back" in machine.installs(machine.opt / "current/install", "--back")
        assert machine.version() == now

    assert "The games are kept" in machine.installs(machine.opt / "current/uninstall.sh")
    assert not machine.opt.exists()
    assert not list((machine.root / "etc/systemd/system").iterdir())
    assert not limit.exists()
    assert machine.digest() == machine.before


def test_without_systemd_the_table_and_its_pin_are_made_all_the_same(machine, bundles):
    shutil.rmtree(machine.games)
    (machine.root / "run/systemd/system").rmdir()
    said = machine.installs(bundles["1.0"] / "install")
    assert "The host's PIN, shown this once: 4711" in said
    assert "sudo -u table-companion companion run --data" in said
    assert machine.games.stat().st_mode & 0o777 == 0o750
    assert (machine.games / "journal.sqlite3").exists()
    assert f"chown table-companion:table-companion {machine.games}" in machine.calls.read_text()
    again = machine.installs(bundles["2.0"] / "install")
    assert "PIN" not in again
    assert machine.version() == "2.0"


def test_going_back_to_a_version_without_a_wifi_of_its_own_takes_its_helper_along(machine, bundles, key, tmp_path):
    before = make_bundle(tmp_path, key, "0.5")
    for name in ("checkout/hardware/systemd/table-wifi.service", "MANIFEST", "MANIFEST.sig"):
        (before / name).unlink()
    bundle.sign(before, key)
    machine.installs(before / "install")
    helper = machine.root / "etc/systemd/system/table-wifi.service"
    assert not helper.exists()
    machine.installs(bundles["2.0"] / "install")
    assert helper.exists()
    machine.installs(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert (machine.version(), helper.exists()) == ("0.5", False)
    assert machine.systemctl()[-6:].count("stop table-wifi") == 1
    machine.installs(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert (machine.version(), helper.exists()) == ("2.0", True)


def commands_of(machine, script, *arguments):
    """How many commands a script runs from start to end, as `killed` counts them."""
    count = machine.root / "count"
    counting = machine.root / "counting.sh"
    counting.write_text(f"set -T\ntrap 'COUNT=$((COUNT + 1)); echo $COUNT >{count}' DEBUG\n")
    assert machine.run("bash", script, *arguments, BASH_ENV=counting).returncode == 0
    return int(count.read_text())


def killed(machine, at, script, *arguments):
    """Kills a script with all that it has started before its command number `at`."""
    killing = machine.root / "killing.sh"
    killing.write_text("set -T\ntrap 'COUNT=$((COUNT + 1)); [ $COUNT != $KILL_AT ] || kill -9 0' DEBUG\n")
    assert machine.run("bash", script, *arguments, BASH_ENV=killing, KILL_AT=at).returncode != 0


def test_killed_anywhere_there_is_one_whole_version_and_every_game(machine, bundles):
    machine.installs(bundles["1.0"] / "install")
    script, now = bundles["1.0"] / "checkout/hardware/install.sh", "2.0"
    most = commands_of(machine, script, "--bundle", bundles[now])
    for at in sorted(random.Random(1).sample(range(2, most), KILLS)):
        other = "1.0" if now == "2.0" else "2.0"
        killed(machine, at, script, "--bundle", bundles[other])
        now = machine.version()
        assert now in ("1.0", "2.0"), at
        assert machine.digest() == machine.before
    machine.installs(script, "--bundle", bundles["2.0"])
    assert machine.version() == "2.0"


def test_removing_that_is_killed_anywhere_keeps_every_game_and_goes_on(machine):
    def install():  # no more than what is to be removed
        for name in ("opt/table-companion/a/venv/bin/companion", "etc/systemd/system/table-companion.service"):
            (machine.root / name).parent.mkdir(parents=True, exist_ok=True)
            (machine.root / name).touch()

    uninstall = ROOT / "hardware/uninstall.sh"
    install()
    for at in range(2, commands_of(machine, uninstall)):
        install()
        killed(machine, at, uninstall)
        assert machine.digest() == machine.before
    machine.installs(uninstall)
    assert not machine.opt.exists()
    assert machine.digest() == machine.before


def test_what_does_not_start_gives_way_to_the_version_before(machine, bundles, key, tmp_path):
    machine.installs(bundles["1.0"] / "install")
    result = machine.run(make_bundle(tmp_path, key, "3.0", starts=False) / "install")
    assert (result.returncode, "what was installed before goes on" in result.stderr) == (1, True)
    assert machine.version() == "1.0"
    result = machine.run(bundles["1.0"] / "checkout/hardware/install.sh", "--back")
    assert result.stderr == "There is no version before this one to go back to.\n"  # half a version is none

    refuse = Path(f"{machine.calls}.refuse")
    refuse.write_text("2.0")
    result = machine.run(bundles["2.0"] / "install")  # it starts, and its service does not
    assert (result.returncode, machine.version()) == (1, "1.0")
    assert "the one before is back" in result.stderr


def test_every_install_goes_back_and_takes_nothing_else_for_it(machine, bundles):
    machine.installs(bundles["1.0"] / "install")
    machine.installs(bundles["2.0"] / "install")
    assert "mv -T" in machine.installs(machine.opt / "current/install", "--back", "--dry-run")
    assert machine.version() == "2.0"
    machine.installs(bundles["2.0"] / "install", "--back")
    assert machine.version() == "1.0"
    machine.installs(ROOT / "hardware/install", "--back")
    assert machine.version() == "2.0"
    result = machine.run(machine.opt / "current/install", "--back", "1.0.tar")
    assert (result.returncode, result.stderr.count("\n"), "leave 1.0.tar away" in result.stderr) == (1, 1, True)


def test_an_older_bundle_is_installed_by_back_alone(machine, key, tmp_path):
    folder = {number: make_bundle(tmp_path, key, f"0.{number}", number=number) for number in (9, 10, 11)}
    none = make_bundle(tmp_path, key, "0.8")
    file = tmp_path / "9.tar"
    bundle.pack(folder[9], file, 0)
    machine.installs(none / "install")
    machine.installs(folder[10] / "install")
    for older in (folder[9], none):
        said = refused(machine, older)
        assert "--back" in said
        assert "(0.10, number 10)" in said
    assert "--back" in refused(machine, machine.opt / "current", file)
    assert machine.version() == "0.10"
    machine.installs(folder[10] / "install")
    machine.installs(folder[11] / "install")
    machine.installs(machine.opt / "current/install", "--back")
    assert machine.version() == "0.10"
    machine.installs(machine.opt / "current/install", "--back", file)
    assert machine.version() == "0.9"
    machine.installs(folder[10] / "install")  # The number counts, and not what was here once.
    assert machine.version() == "0.10"


def test_the_numbers_of_two_makers_are_not_compared_and_a_new_maker_is_no_way_around(machine, key, tmp_path):
    machine.installs(make_bundle(tmp_path, key, "2.0", number=20) / "install")
    older = make_bundle(tmp_path, key, "1.0", number=10)
    assert "--back" in refused(machine, older, "--new-maker")
    other = make_bundle(tmp_path, make_key(tmp_path, "other"), "3.0", number=3)
    assert machine.run(other / "install", "--dry-run", "--new-maker").returncode == 0


def test_the_number_rises_from_commit_to_commit_whatever_the_clock_says(checkout, monkeypatch):
    before = bundle.number()
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    checkout("commit", "--allow-empty", "-m", "By a clock that was set back")
    assert bundle.number() == before + 1


def test_the_installer_of_an_installed_version_installs_nothing_without_a_bundle(machine, bundles):
    machine.installs(bundles["1.0"] / "install")
    machine.installs(bundles["2.0"] / "install")
    result = machine.run(machine.opt / "current/install.sh")
    assert (result.returncode, result.stderr.count("\n"), result.stdout) == (1, 1, "")
    assert "There is no checkout here" in result.stderr
    machine.installs(machine.opt / "current/install.sh", "--back")  # the other one is still whole
    assert machine.version() == "1.0"


def test_going_back_is_refused_where_the_games_are_newer(machine, bundles, key, tmp_path):
    machine.installs(make_bundle(tmp_path, key, "0.9", newest=0) / "install")
    machine.installs(bundles["2.0"] / "install")
    result = machine.run(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert (result.returncode, machine.version()) == (1, "2.0")
    assert "before-upgrade.sqlite3" in result.stderr


# what is not as its maker signed it


def refused(machine, folder, *options):
    """The one sentence that a bundle is refused with."""
    result = machine.run(folder / "install", "--dry-run", *options)
    assert (result.returncode, result.stderr.count("\n"), result.stdout) == (1, 1, "")
    return result.stderr


@pytest.fixture
def copy(bundles, tmp_path):
    return Path(shutil.copytree(bundles["1.0"], tmp_path / "copy"))


def test_a_bundle_that_is_as_it_was_signed_is_taken(machine, copy):
    assert machine.run(copy / "install", "--dry-run").returncode == 0


def test_a_file_that_was_changed_is_named(machine, copy):
    with (copy / "checkout/hardware/uninstall.sh").open("a") as file:
        file.write("# and something else\n")
    assert "./checkout/hardware/uninstall.sh" in refused(machine, copy)


def test_a_file_that_is_missing_or_came_along_is_refused(machine, copy):
    (copy / "wheels/more-1.0-py3-none-any.whl").touch()
    assert "did not sign" in refused(machine, copy)
    (copy / "wheels/more-1.0-py3-none-any.whl").unlink()
    (copy / "link").symlink_to("/etc/passwd")
    assert "did not sign" in refused(machine, copy)
    (copy / "link").unlink()
    (copy / "bundle.json").unlink()
    assert "Not every file" in refused(machine, copy)


def test_a_list_that_was_changed_is_no_longer_signed(machine, copy):
    with (copy / "MANIFEST").open("a") as file:
        file.write("\n")
    assert "signature is wrong" in refused(machine, copy)


def test_a_file_that_is_no_bundle_is_one_sentence(machine, tmp_path):
    (tmp_path / "letter.tar").write_text("Dear all")
    assert "cannot be unpacked" in refused(machine, ROOT / "hardware", tmp_path / "letter.tar")


# whose key is asked for


def public(key, path):
    """The public half of a key, as its maker hands it out."""
    bundle.openssl("pkey", "-in", key, "-pubout", "-out", path)
    return path


def test_the_makers_key_is_the_file_that_was_named_wherever_it_is_typed(machine, copy, key, tmp_path, monkeypatch):
    """Evil has the same names as the maker: its own maker.pem lies where the bundle is."""
    evil = make_bundle(tmp_path, make_key(tmp_path, "evil"), "6.6")
    bundle.pack(evil, tmp_path / "evil.tar", 0)
    bundle.pack(copy, tmp_path / "genuine.tar", 0)
    public(key, tmp_path / "maker.pem")
    monkeypatch.chdir(tmp_path)
    assert "is not signed by the key" in refused(machine, evil, "--key", "maker.pem")
    assert "is not signed by the key" in refused(machine, ROOT / "hardware", "evil.tar", "--key", "maker.pem")
    for bundles_own in (copy / "install", ROOT / "hardware/install"):
        file = [] if bundles_own.is_relative_to(copy) else ["genuine.tar"]
        machine.installs(bundles_own, "--dry-run", *file, "--key", "maker.pem")
    public(key, tmp_path / "from-the-maker").rename(copy.parent / "named-otherwise")
    monkeypatch.chdir(copy)
    machine.installs("./install", "--dry-run", "--key", "../named-otherwise")


def test_a_key_out_of_the_bundle_proves_nothing(machine, copy, tmp_path, monkeypatch):
    monkeypatch.chdir(copy)
    (tmp_path / "link").symlink_to(copy / "maker.pem")
    for named in ("maker.pem", "./checkout/../maker.pem", "../link"):
        said = refused(machine, copy, "--key", named)
        assert "has to come from the bundle's maker and not out of the bundle" in said


# making one


def test_every_part_of_a_bundle_is_in_the_locks():
    for python in SYSTEMS:
        for part in bundle.PARTS:
            lines = bundle.entries(python, part)
            assert lines, (python, part)
            assert all("--hash=sha256:" in line for line in lines)


def test_the_same_files_make_the_same_bytes(bundles, tmp_path):
    for name in ("one.tar", "two.tar"):
        bundle.pack(bundles["1.0"], tmp_path / name, 1_700_000_000)
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()


def test_without_a_key_it_is_said_how_to_make_one(tmp_path):
    command = [sys.executable, "-m", "hardware.tools.bundle", str(tmp_path / "no.pem")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (result.returncode, "openssl genpkey -algorithm ed25519" in result.stderr) == (1, True)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of one commit with this one's .gitignore, which `make bundle` takes for its own; its git."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    shutil.copy(ROOT / ".gitignore", folder)

    def git(*words):
        who = ["-c", "user.name=maker", "-c", "user.email=maker@localhost"]
        return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout

    git("init")
    git("add", ".gitignore")
    git("commit", "-m", "A checkout")
    monkeypatch.setattr(bundle, "ROOT", folder)
    monkeypatch.setattr(bundle, "FETCHED", tmp_path / "fetched")
    monkeypatch.chdir(folder)
    return git


def makes(monkeypatch, key):
    """What `make bundle` says where it refuses; the index has nothing."""
    monkeypatch.setattr(sys, "argv", ["bundle", str(key)])
    monkeypatch.setattr(bundle, "entries", lambda python, part: [f"dice=={python} --hash=sha256:{'0' * 64}"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SystemExit) as said:
        bundle.main()
    return said.value.code


def test_a_key_in_the_checkout_is_no_change_to_be_committed(checkout, monkeypatch):
    make_key(Path(), "maker-private")
    assert checkout("status", "--porcelain") == ""
    said = makes(monkeypatch, "maker-private.pem")
    assert (said.startswith("The bundle lacks a wheel for Python 3.11"), said[-10:]) == (True, "dice==3.11")


def test_a_folder_of_wheels_that_belongs_to_another_user_is_named(checkout, monkeypatch, tmp_path):
    monkeypatch.setattr(bundle.os, "access", lambda *_: False)  # as for whoever is not root, after sudo make test-arm
    said = makes(monkeypatch, make_key(tmp_path, "outside"))
    assert "belongs to another user" in said
    assert str(tmp_path / "fetched") in said


def test_a_key_that_git_tracks_is_refused_as_every_bundle_would_publish_it(checkout, monkeypatch, tmp_path):
    make_key(Path(), "maker-private")
    checkout("add", "--force", "maker-private.pem")
    (tmp_path / "link").symlink_to("checkout/maker-private.pem")
    for named in ("maker-private.pem", tmp_path / "link"):
        assert "is one of the files that git tracks" in makes(monkeypatch, named)
    checkout("commit", "-m", "What was asked for")
    said = makes(monkeypatch, "maker-private.pem")
    assert ("is one of the files that git tracks" in said, said.count("\n")) == (True, 0)
    outside = make_key(tmp_path, "outside")
    assert "The bundle lacks a wheel" in makes(monkeypatch, outside)


def test_of_the_wheels_that_lie_there_only_those_of_the_locks_are_taken(tmp_path, monkeypatch):
    kept, fetched = tmp_path / "kept", tmp_path / "fetched"
    kept.mkdir()
    fetched.mkdir()
    locked = small_wheel(kept, "dice", "1.0", {"dice.py": ""})
    small_wheel(kept, "dice", "0.9", {"dice.py": ""})  # of an older lock
    small_wheel(kept, "cups", "1.0", {"cups.py": "import somebody_elses"})  # of its name, and with other bytes
    lines = [f"dice==1.0 --hash=sha256:{bundle.digest(locked)}", f"cups==1.0 --hash=sha256:{'0' * 64}"]
    monkeypatch.setattr(bundle, "FETCHED", kept)
    monkeypatch.setattr(bundle, "entries", lambda _python, _part: lines)
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # They are enough without the index.
    with pytest.raises(SystemExit, match=r"cups==1\.0$"):
        bundle.fetch(fetched)
    lines.pop()
    bundle.fetch(fetched)
    assert [path.name for path in fetched.iterdir()] == [locked.name]
