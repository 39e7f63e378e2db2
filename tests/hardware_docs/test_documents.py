"""Pages and drawings are what their data says, and the data is what it claims to be."""

import re
import xml.etree.ElementTree as ET

import pytest

from companion.app.cli.wiring.circuit import circuit
from firmware.plan import plan_from, read_plan, usual_plan
from hardware.tools import bill, camera_table, lengths
from hardware.tools.documents import HARDWARE, documents
from hardware.tools.wheels import locked

ROOT = HARDWARE.parent


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_what_follows_from_data_is_up_to_date(path):
    assert path.read_text() == documents()[path], "run make hardware"


@pytest.mark.parametrize("page", ["README.md", "bill-of-materials.md"])
def test_every_link_of_a_page_leads_somewhere(page):
    text = (HARDWARE / page).read_text()
    headings = {
        "#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target in headings
        elif not target.startswith("https://"):
            assert (HARDWARE / target).exists(), target


def test_every_drawing_is_a_drawing():
    for drawing in (HARDWARE / "pictures").glob("*.svg"):
        ET.parse(drawing)


# the camera table, by hand: 2 × 70 cm × tan 33° = 90.9 cm, 2 × 70 cm × tan 20.5° = 52.3 cm; 2304 pixels over 909 mm


def camera(name):
    return next(each for each in camera_table.cameras() if each.name == name)


def test_module_3_at_70_cm():
    module = camera("Camera Module 3")
    wide, tall = module.view_cm(70)
    assert wide == pytest.approx(90.9, abs=0.1)
    assert tall == pytest.approx(51.1, abs=0.1)  # 16:9 of the width: a little less than the 52.3 of the angle
    assert module.die_px(70) == pytest.approx(16 * 2304 / 909, abs=0.1)


def test_a_lens_and_a_sensor_give_the_angle():
    # 6.287 mm behind 6 mm: 60 cm away 62.9 cm are in view
    assert camera("HQ Camera, 6 mm lens").view_cm(60)[0] == pytest.approx(62.87, abs=0.01)


def test_a_corner_to_corner_angle_gives_the_width():
    wide, tall = camera("USB camera, 1080p, 78° corner to corner").view_cm(100)
    assert (wide**2 + tall**2) ** 0.5 == pytest.approx(200 * 0.8098, abs=0.1)  # tan 39°
    assert wide / tall == pytest.approx(16 / 9)


# 78° corner to corner: 2 tan 39° = 1.6196; 16:9 makes 1.4116 of it wide, 4:3 makes 1.2957


@pytest.mark.parametrize(
    ("name", "read_px", "wide"),
    [
        ("Camera Module 3", 2304, 1.2988),  # 2 tan 33°
        ("Camera Module 3 Wide", 2304, 2.4698),  # 2 tan 51°
        ("USB camera, 1080p, 78° corner to corner", 1920, 1.4116),
        ("USB camera, 960 lines, 78° corner to corner", 1280, 1.2957),
    ],
)
def test_the_table_has_the_size_that_each_camera_is_asked_for(name, read_px, wide):
    assert camera(name).read_px == read_px
    assert camera(name).wide == pytest.approx(wide, abs=0.0002)
    line = next(line for line in (HARDWARE / "README.md").read_text().splitlines() if line.startswith(f"| {name} |"))
    widths_px = [float(px) for px in re.findall(r"(\d+) px", line)]
    assert widths_px == pytest.approx([1.6 / (wide * height) * read_px for height in (50, 60, 70, 80, 90)], abs=0.51)


# how long the cables are


def test_every_cable_reaches():
    assert lengths.too_short() == {}


def test_a_ribbon_of_50_cm_reaches_from_the_arm_and_not_from_under_the_table():
    ribbon = lengths.cables()[0]
    # level tube of 40 cm; the Pi begins 4.5 + 2.1 cm from the upright's axis; 2.5 cm from tray to tube, 6 cm of bends
    assert ribbon.way_cm == pytest.approx(40 - 6.6 + 2.5 + 6, abs=0.1)
    assert ribbon.sold_cm == 50
    assert lengths.ribbon_under_table_cm() > 100


def test_a_longer_arm_is_told_of(monkeypatch):
    monkeypatch.setattr(lengths, "LEVEL_CM", 60.0)
    assert list(lengths.too_short()) == ["camera's ribbon, from the Pi on the arm to the plate"]


def test_the_list_of_parts_asks_for_what_was_reckoned():
    ask = {part.name: part.ask for part in bill.parts()}
    assert f"{lengths.UPRIGHT_CM:g} cm upright, {lengths.LEVEL_CM:g} cm level" in ask["tubes"]
    assert ask["camera cable"].startswith("50 cm")
    assert "up to 5 m" in ask["cable to a seat"]
    assert "1.5 m" in ask["cable to the table's box"]


def test_what_is_too_small_is_in_brackets():
    line = next(line for line in camera_table.markdown().splitlines() if line.startswith("| Camera Module 3 Wide"))
    cells = line.split("|")[2:-1]
    assert [cell.strip().endswith(")") for cell in cells] == [False, False, False, True, True]


# the list of parts


def needed(plan, name, build="box"):
    return sum(part.needed(plan) for part in bill.parts() if part.name == name and build in part.builds)


def test_parts_are_counted_by_the_circuit():
    plan = read_plan(ROOT / "firmware/table.example.toml")
    assert needed(plan, "seat button") == needed(plan, "seat LED") == needed(plan, "plug of a seat") == 4
    assert needed(plan, "start, undo and confirm button") == 3
    assert needed(plan, "resistor 330 ohm") == 4 + 3
    assert needed(plan, "resistor 1 kohm") == 7 + 1
    assert needed(plan, "protection against static") == 7
    assert needed(plan, "screws M3 × 12") == 5 * 4


def test_what_a_plan_leaves_out_need_not_be_bought():
    plan = plan_from({"seat": [{"button": 17, "led": 23}, {"button": 27, "led": 24}]})
    assert needed(plan, "seat button") == 2
    assert needed(plan, "resistor 330 ohm") == 2
    for name in (
        "buzzer",
        "resistor 68 ohm",
        "status light",
        "start, undo and confirm button",
        "plug of the table's box",
    ):
        assert needed(plan, name) == 0


def test_eight_seats_need_two_drivers():
    assert needed(usual_plan(8), "driver") == needed(usual_plan(8), "socket for the driver") == 2


def test_every_kind_of_the_circuit_is_bought():
    bought = {part.per for part in bill.parts()}
    assert {str(part.kind) for part in circuit(usual_plan(8))} - {"Raspberry Pi"} <= bought


def test_every_part_has_a_range_of_price_and_a_build():
    for part in bill.parts():
        least, most = part.euro
        assert 0 < least < most
        assert part.builds
        assert set(part.builds) <= set(bill.BUILDS)


def test_each_build_adds_up():
    plan = read_plan(ROOT / "firmware/table.example.toml")
    # the scoreboard by hand: Zero 2 WH 18 to 26, supply 9 to 15, card 8 to 14
    assert bill.total("scoreboard", plan, lean=False) == pytest.approx((35, 55))
    for build in bill.BUILDS:
        (lean_least, lean_most), (least, most) = (bill.total(build, plan, lean=lean) for lean in (True, False))
        assert lean_least <= least <= most
        assert lean_most <= most
    assert "**reckoned in November 2026**" in bill.markdown()


# wheels for a Pi

LOCK = """\
# made by a tool
click==8.5.1 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
lgpio==0.2.2.0 ; python_full_version < '3.13' and platform_machine == 'aarch64' \\
    --hash=sha256:cc
colorama==0.4 ; sys_platform == 'win32' \\
    --hash=sha256:dd
"""


def test_the_lock_is_read_as_a_pi_reads_it():
    assert list(locked(LOCK, "3.11")) == [
        "click==8.5.1 --hash=sha256:aa --hash=sha256:bb",
        "lgpio==0.2.2.0 --hash=sha256:cc",
    ]
    assert list(locked(LOCK, "3.13")) == ["click==8.5.1 --hash=sha256:aa --hash=sha256:bb"]


def test_the_real_lock_can_be_read():
    names = {entry.partition("==")[0] for entry in locked((ROOT / "requirements-run.lock").read_text(), "3.11")}
    assert {"flask", "h11", "gpiozero", "lgpio", "zeroconf"} <= names
    assert not names & {"numpy", "opencv-python-headless"}  # from the distribution
