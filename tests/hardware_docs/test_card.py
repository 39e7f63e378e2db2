"""A bundle on a Raspberry Pi's card: what is written there, what of its owner's stays, what is refused."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hardware_docs.small_bundles import CAN_BE_MADE, ROOT
from tests.hardware_docs.small_cards import CMDLINE, FIRSTRUN, IMAGERS, OURS, card, put, puts, tree, trixie

pytestmark = CAN_BE_MADE


# what is written


def test_on_a_card_of_trixie_cloud_init_calls_it_and_every_file_stays_as_it_was(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    before = tree(boot)
    assert "table-companion/read-me.txt" in puts(made, boot)
    after = tree(boot)
    assert before.items() <= after.items()
    assert after.keys() - before.keys() == {
        "vendor-data",
        "table-companion/first-start",
        "table-companion/table-companion-2.0.tar",
    }
    assert after["table-companion/table-companion-2.0.tar"] == (made / "table-companion-2.0.tar").read_bytes()
    assert b"/boot/firmware/table-companion/first-start" in after["vendor-data"]
    puts(made, boot)
    assert tree(boot) == after


def test_a_newer_bundle_takes_the_older_ones_place(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    puts(made, boot, "1.0", "--key", made / "table-companion-1.0/maker.pem")
    assert (boot / "table-companion/maker.pem").exists()
    puts(made, boot)
    assert [path.name for path in (boot / "table-companion").glob("*.tar")] == ["table-companion-2.0.tar"]
    assert not (boot / "table-companion/maker.pem").exists()  # it was the older one's


@pytest.mark.parametrize("end", ["\n", "", "\r\n", " \n"])
def test_on_a_card_of_bookworm_its_one_line_gets_longer(made, tmp_path, end):
    boot = card(tmp_path / "bootfs", CMDLINE + end)
    before = tree(boot)
    puts(made, boot)
    puts(made, boot)
    assert (boot / "cmdline.txt").read_text().rstrip("\n") == CMDLINE + OURS
    assert tree(boot).keys() - before.keys() == {
        "table-companion/first-start",
        "table-companion/table-companion-2.0.tar",
    }


def test_what_the_imager_does_at_the_first_start_is_done_as_well(made, tmp_path):
    boot = card(tmp_path / "bootfs", IMAGERS + "\n", firstrun_sh=FIRSTRUN)
    puts(made, boot)
    puts(made, boot)
    lines = (boot / "firstrun.sh").read_text().splitlines()
    (ours,) = [line for line in lines if "table-companion" in line]
    assert lines.index(ours) == 1
    assert "\n".join(line for line in lines if line != ours) + "\n" == FIRSTRUN
    assert (boot / "cmdline.txt").read_text() == IMAGERS + "\n"


@pytest.mark.parametrize(
    "files", [{"vendor-data": "#cloud-config\n"}, {"user-data": "#cloud-config\nvendor_data: {enabled: false}\n"}]
)
def test_where_cloud_init_would_not_call_it_the_kernels_line_does(made, tmp_path, files):
    boot = trixie(tmp_path / "bootfs", **files)
    before = tree(boot)
    puts(made, boot)
    assert (boot / "cmdline.txt").read_text().rstrip().endswith(OURS)
    assert {name: text for name, text in before.items() if name != "cmdline.txt"}.items() <= tree(boot).items()


def test_where_cloud_init_calls_it_a_card_that_was_started_already_is_spoken_of(made, tmp_path):
    assert "already started" in puts(made, trixie(tmp_path / "trixie"))
    assert "already started" not in puts(made, card(tmp_path / "bookworm"))
    again = trixie(tmp_path / "again")
    puts(made, again)
    (again / "table-companion/read-me.txt").write_text("could not be installed")  # its unit looks at each start
    assert "already started" not in puts(made, again)


def test_what_lies_on_the_card_already_stays_there(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    ours = boot / "table-companion"
    ours.mkdir()
    for name in ("table-companion-1.0.tar", "table-companion-2.0.tar"):
        shutil.copy(made / name, ours)
    shutil.copy(made / "table-companion-2.0/maker.pem", ours)
    (ours / "table-companion-3.0.tar.new").write_text("half")  # of a card that was pulled out
    before = tree(boot)
    words = [made / "table-companion-2.0/put-on-card", ours / "table-companion-2.0.tar", boot]
    subprocess.run(["sh", *words, "--key", ours / "maker.pem"], check=True, timeout=60)
    after = tree(ours)
    assert after.keys() == {"first-start", "maker.pem", "table-companion-2.0.tar"}
    assert all(after[name] == before[f"table-companion/{name}"] for name in after.keys() - {"first-start"})


def test_a_bundle_of_another_ending_is_found_on_the_card(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    shutil.copy(made / "table-companion-2.0.tar", made / "table-companion-4.0.tar.download")
    command = [made / "table-companion-2.0/put-on-card", made / "table-companion-4.0.tar.download", boot]
    subprocess.run(["sh", *command], check=True, timeout=60)
    assert (boot / "table-companion/table-companion-4.0.tar.download.tar").exists()


# what is refused


def refused(made, where, *words, **environment):
    """The one sentence; nothing was changed."""
    before = tree(where)
    result = put(made, where, *words, **environment)
    assert (result.returncode, result.stderr.count("\n"), result.stdout) == (1, 1, "")
    assert tree(where) == before
    return result.stderr


def test_a_folder_that_is_no_boot_partition_is_refused(made, tmp_path):
    assert "no Raspberry Pi's boot partition" in refused(made, tmp_path)
    boot = card(tmp_path / "stub", "DO NOT EDIT THIS FILE\n")  # as the system's own partition has it
    assert "no Raspberry Pi's boot partition" in refused(made, boot)


def test_a_file_that_is_no_bundle_is_refused(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    (made / "table-companion-letter.tar").write_text("Dear all")
    assert "is no bundle" in refused(made, boot, "letter")
    assert "There is no file" in refused(made, boot, "3.0")
    assert "There is no file" in refused(made, boot, "2.0", "--key", "no.pem")


def test_a_card_without_room_is_refused(made, tmp_path):
    boot = trixie(tmp_path / "bootfs")
    (tmp_path / "df").write_text("#!/bin/sh\necho Filesystem; echo '/dev/sda1 522230 521206 1024 100% /media/bootfs'\n")
    (tmp_path / "df").chmod(0o755)
    said = refused(made, boot, env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert re.search(r"has 1 MB left, and the bundle needs \d", said)


def test_a_first_start_that_is_somebody_elses_is_refused(made, tmp_path):
    boot = card(tmp_path / "bootfs", CMDLINE + " systemd.run=/boot/firmware/theirs\n")
    assert "already somebody else's" in refused(made, boot)


def test_what_lies_on_the_card_is_plain_sh():
    scripts = ("put-on-card", "card/vendor-data", "card/table-companion/first-start")
    for script in scripts:
        assert (ROOT / "hardware" / script).read_bytes().startswith(b"#!/bin/sh\n")
        subprocess.run(["sh", "-n", str(Path(ROOT, "hardware", script))], check=True)
