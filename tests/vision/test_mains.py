"""The frequency of the mains is told to the camera, by the command line or by where the machine is."""

import struct

import pytest

from companion.app.doctor.command import limits_of
from companion.cameras import devices, mains
from companion.cameras.mains import SETTING, hz_of, wanted_hz
from vision.cameras import v4l2
from vision.cameras.mains import pi_controls, tell_device
from vision.cameras.v4l2 import POWER_LINE, S_CTRL
from vision.cameras.webcam import Webcam

ADVERTISED = {"AeFlickerMode": (0, 1, 0), "AeFlickerPeriod": (100, 1_000_000, 10_000)}
LIST = (
    "# a comment\nDE\t+5230+01322\tEurope/Berlin\tmost areas\n"
    "US\t+404251-0740023\tAmerica/New_York\nJP\t+3\tAsia/Tokyo\n"
)


@pytest.fixture
def zones(tmp_path, monkeypatch):
    (tmp_path / "zone.tab").write_text(LIST)
    monkeypatch.setattr(mains.zoneinfo, "TZPATH", (str(tmp_path / "none"), str(tmp_path)))
    monkeypatch.delenv(SETTING, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("zone", "hz"), [("Europe/Berlin", 50), ("America/New_York", 60), ("Asia/Tokyo", None), ("Etc/UTC", 50), ("", 50)]
)
def test_the_time_zone_says_which_mains(zones, monkeypatch, zone, hz):
    monkeypatch.setenv("TZ", zone)
    monkeypatch.setattr(mains, "LOCALTIME", zones / "none")
    assert hz_of(zone) == hz
    assert wanted_hz() == hz


def test_the_machines_own_zone_counts_where_none_is_named(zones, monkeypatch):
    monkeypatch.delenv("TZ", raising=False)
    (zones / "zoneinfo" / "Europe").mkdir(parents=True)
    (zones / "zoneinfo" / "Europe" / "Berlin").touch()
    (zones / "localtime").symlink_to(zones / "zoneinfo" / "Europe" / "Berlin")
    monkeypatch.setattr(mains, "LOCALTIME", zones / "localtime")
    assert wanted_hz() == 50


@pytest.mark.parametrize(("said", "hz"), [("50", 50), ("60", 60), ("off", 0)])
def test_what_is_said_goes_before_the_zone(zones, monkeypatch, said, hz):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    monkeypatch.setenv(SETTING, said)
    assert wanted_hz() == hz


@pytest.mark.parametrize(("said", "value"), [("50", 1), ("60", 2), ("off", 0)])
def test_a_usb_camera_is_told_by_the_kernels_control(tmp_path, monkeypatch, said, value):
    """V4L2: V4L2_CID_POWER_LINE_FREQUENCY is 0 for disabled, 1 for 50 Hz and 2 for 60 Hz."""
    (tmp_path / "video3").touch()
    told = []
    monkeypatch.setenv(SETTING, said)
    monkeypatch.setattr(devices, "DEV", tmp_path)
    monkeypatch.setattr(v4l2.fcntl, "ioctl", lambda _handle, call, control: told.append((call, control)) or control)
    assert tell_device(3)
    assert told == [(S_CTRL, struct.pack("=Ii", POWER_LINE, value))]
    assert (0xC0000000 | 8 << 16 | ord("V") << 8 | 28, 0x00980900 + 24) == (S_CTRL, POWER_LINE)


def test_a_camera_without_that_control_or_that_is_gone_stays_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "video0").touch()  # no device: the kernel refuses the call
    monkeypatch.setenv(SETTING, "50")
    monkeypatch.setattr(devices, "DEV", tmp_path)
    assert not tell_device(0)
    assert not tell_device(1)


@pytest.mark.parametrize(
    ("said", "advertised", "controls"),
    [
        ("50", ADVERTISED, {"AeFlickerMode": 1, "AeFlickerPeriod": 10_000}),
        ("60", ADVERTISED, {"AeFlickerMode": 1, "AeFlickerPeriod": 8_333}),
        ("off", ADVERTISED, {"AeFlickerMode": 0}),
        ("50", {"AfMode": (0, 2, 0)}, None),
    ],
)
def test_the_pis_camera_is_told_if_it_can_be(monkeypatch, said, advertised, controls):
    """libcamera: AeFlickerPeriod is in microseconds of the light, which flickers twice a wave of the mains."""
    monkeypatch.setenv(SETTING, said)
    assert pi_controls(advertised) == controls


def test_doctor_says_of_a_camera_that_it_cannot_be_told():
    camera = Webcam(0)
    assert limits_of(camera) == ""
    camera.knows_mains = False
    assert "can't be told the mains frequency" in limits_of(camera)
