"""The first start of a Pi with a bundle on its card: what it installs, tells and leaves, and where the power goes."""

import random
import shutil
import stat

import pytest

from hardware.tools import bundle
from tests.hardware_docs.small_bundles import CAN_BE_MADE, ROOT, make_key
from tests.hardware_docs.small_cards import CMDLINE, OURS, Pi, card, puts, tree, trixie

pytestmark = CAN_BE_MADE

KILLS = 6


def test_the_first_start_installs_it_and_tells_the_pin_on_the_card(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    before = tree(boot)
    puts(made, boot, "2.0", "--key", made / "table-companion-2.0/maker.pem")
    pi = Pi(tmp_path, boot)
    wanted = ["--quiet enable table-first-start", "daemon-reload", "start --no-block table-first-start"]
    assert pi.starts_first() == wanted
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"
    assert "apt-get" not in pi.calls.read_text()
    assert "The table companion is installed." in pi.said()
    assert "shown this once: 4711" in pi.said()
    left = {"table-companion/read-me.txt": pi.said().encode(), "table-companion/installed": b""}
    assert tree(boot) == before | left  # the bundle has made room
    assert not pi.unit.exists()
    assert "--quiet disable table-first-start" in pi.systemctl()
    assert not list((pi.root / "var").rglob("*first-start*"))  # nor does the PIN stay anywhere else


def test_a_newer_bundle_is_installed_from_a_card_for_which_cloud_init_has_done_its_part(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "1.0")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit().returncode == 0
    with_pin = pi.said()
    said = puts(made, boot)
    assert "update.txt" in said
    assert "read-me.txt" not in said
    assert not (boot / "vendor-data").exists()
    assert (boot / "cmdline.txt").read_text().rstrip().endswith(OURS)
    pi.installs("sh", pi.ours / "first-start")
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"
    assert "4711" in with_pin
    assert pi.said() == with_pin  # it is told once, and nobody can log in to every card
    assert (pi.ours / "update.txt").read_text().strip() == "The table companion is up to date. Its PIN is as before."


PINS = "[[seat]]\nbutton = 17\nled = 23\n"


def with_pins(made, tmp_path):
    """A machine that starts with a card on which its owner has named the pins, and where the table looks for them."""
    (tmp_path / "my pins.toml").write_text(PINS)
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "2.0", "--table", tmp_path / "my pins.toml")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    return pi, pi.games / "table.toml"


def test_the_pins_on_a_card_are_the_tables(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    assert pi.runs_the_unit().returncode == 0
    assert pins.read_text() == PINS
    assert stat.S_IMODE(pins.stat().st_mode) == 0o644
    assert pi.systemctl().count("restart table-companion") == 2  # once as it was installed, once with its pins
    assert not (pi.ours / "table.toml").exists()


def test_the_pins_that_a_table_has_are_kept_beside_those_of_the_card(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    pins.write_text("# mine\n")
    assert pi.runs_the_unit().returncode == 0
    assert pins.read_text() == PINS
    assert pins.with_name("table.toml.before").read_text() == "# mine\n"


def test_pins_that_are_wrong_are_said_and_not_used(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    (pi.ours / "table.toml").write_text("nonsense = 1\n")
    (pi.ours / "table.toml.txt").write_text(PINS)
    assert pi.runs_the_unit().returncode == 0
    assert not pins.exists()
    assert "table.toml are not used: There is an unknown key." in pi.said()
    assert "has to be called table.toml" in pi.said()  # as an Explorer that hides endings leaves it
    assert "4711" in pi.said()
    assert (pi.ours / "table.toml").exists()  # its owner mends it


def test_where_the_pins_cannot_be_put_in_place_the_pin_is_told(made, tmp_path):
    pi, pins = with_pins(made, tmp_path)
    (pi.tools / "cp").write_text(f'#!/bin/sh\n[ "$2" != "{pins}.new" ] || exit 1\nexec /bin/cp "$@"\n')
    (pi.tools / "cp").chmod(0o755)
    assert pi.runs_the_unit().returncode == 0
    assert not pins.exists()
    assert "could not be put in place" in pi.said()
    assert "4711" in pi.said()


def test_a_start_that_the_kernels_line_made_a_call_of_it_is_the_only_one(made, tmp_path):
    boot = card(tmp_path / "bootfs")
    before = tree(boot)
    puts(made, boot)
    pi = Pi(tmp_path, boot, (boot / "cmdline.txt").read_text())
    assert pi.starts_first() == ["--quiet enable table-first-start"]  # this start ends at once
    assert tree(boot)["cmdline.txt"] == before["cmdline.txt"]
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"


def killed(pi, at):
    """Switches the machine off before command number `at` of the unit; whether it came so far."""
    cutting = pi.root / "cutting.sh"  # its installer is no part of what is counted, and is killed with it
    cutting.write_text(
        "unset BASH_ENV\nset -T\ntrap 'COUNT=$((COUNT + 1)); [ $COUNT != $KILL_AT ] || kill -9 0' DEBUG\n"
    )
    script = pi.ours / "first-start"
    return pi.run("bash", script, "--install", BASH_ENV=cutting, KILL_AT=at).returncode != 0


def test_where_the_power_goes_the_next_start_goes_on(made, tmp_path):
    moments = random.Random(1).sample(range(25, 60), KILLS)
    cut = []
    for at in moments:
        folder = tmp_path / str(at)
        folder.mkdir()
        pi, pins = with_pins(made, folder)
        cut.append(killed(pi, at))
        if pi.unit.exists() and (pi.ours / "first-start").exists():
            assert pi.runs_the_unit().returncode == 0, at
        assert pi.version() == "2.0", at
        assert "4711" in pi.said(), at
        assert pins.read_text() == PINS, at
        update = pi.ours / "update.txt"  # where it was cut after all was told, it is installed once more
        assert not (update.exists() and "4711" in update.read_text()), at
        shutil.rmtree(folder)
    assert any(cut)


def test_what_cannot_be_installed_is_told_and_tried_again(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    other = make_key(tmp_path, "other")
    bundle.openssl("pkey", "-in", other, "-pubout", "-out", tmp_path / "other-public.pem")
    puts(made, boot, "2.0", "--key", tmp_path / "other-public.pem")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit().returncode == 1
    assert "could not be installed" in pi.said()
    assert "is not signed by the key" in pi.said()
    assert pi.unit.exists()
    assert not pi.opt.exists()
    (boot / "table-companion/maker.pem").unlink()
    assert pi.runs_the_unit().returncode == 0
    assert pi.version() == "2.0"
    assert "could not" not in pi.said().splitlines()[0]


def test_what_was_taken_off_does_not_install_itself_at_the_next_start(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot)
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit(TABLE_COMPANION_PYTHON="/bin/false").returncode == 1
    (pi.root / "var/tmp/table-first-start/unpacked").mkdir(parents=True)  # as where the power went
    pi.installs(ROOT / "hardware/uninstall.sh")
    assert not pi.unit.exists()
    assert [line for line in pi.systemctl() if "first-start" in line][-2:] == [
        "--quiet disable table-first-start",
        "stop table-first-start",
    ]
    assert not list((pi.root / "var").rglob("*first-start*"))


def test_a_table_whose_games_were_deleted_tells_its_new_pin(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "1.0")
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    assert pi.runs_the_unit().returncode == 0
    (pi.ours / "read-me.txt").unlink()  # as it asks for
    pi.installs(ROOT / "hardware/uninstall.sh", "--with-games")
    pi.games.mkdir()  # as useradd makes it
    puts(made, boot)
    pi.starts_first()
    assert pi.runs_the_unit().returncode == 0
    assert "4711" in pi.said()
    assert not (pi.ours / "update.txt").exists()


@pytest.mark.parametrize(
    "ours",
    [
        OURS.replace(" systemd", "  systemd"),
        " systemd.unit=kernel-command-line.target" + OURS.replace(" systemd.unit=kernel-command-line.target", ""),
    ],
)
def test_words_that_a_person_has_typed_are_taken_out_however_they_stand(made, tmp_path, ours):
    boot = card(tmp_path / "bootfs", CMDLINE + ours + "\r\n")
    puts(made, boot)
    Pi(tmp_path, boot, CMDLINE + ours).starts_first()
    assert (boot / "cmdline.txt").read_bytes().decode() == CMDLINE + "\r\n"


def test_without_a_bundle_it_says_so(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot)
    pi = Pi(tmp_path, boot)
    pi.starts_first()
    next(pi.ours.glob("*.tar")).unlink()
    assert pi.runs_the_unit().returncode == 1
    assert "There has to be one bundle" in pi.said()
