"""The table's own Wi-Fi: when it opens, what is tried, what is told, against a stand-in for NetworkManager.

Of NetworkManager itself only what its own command makes of our files is shown here, where it is installed.
"""

import errno
import shutil
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import BadInput, HardwareUnavailable
from companion.network.wifi import profiles
from companion.network.wifi.card import LETTERS, card_text, issue_text, password_in
from companion.network.wifi.door import Do, Door, Wifi
from companion.network.wifi.keeper import NONE_KNOWN_S, OUT_OF_REACH_S, UNUSED_S, Close, Join, Keeper, Open
from companion.network.wifi.nmcli import ManagerSilent, NetworkManager, parts_of, security_of
from companion.network.wifi.values import Mode, Result, Security, check_choice
from tests.stand_in_nmcli import World

OWN = "abcd-efgh-jkmn"
HOME, HOMES = b"Home", "correct horse"


class Table:
    """A keeper in a world, with a clock that a test moves."""

    def __init__(self, folder: Path, **devices) -> None:
        self.now = 0.0
        self.world = World.new(folder / "world.json", **devices)
        self.world.hears(Home=HOMES, Cafe="", Firm=("x", "WPA2 802.1X", True), Next=("neighbour!", "WPA3", True))
        self.folders = profiles.Folders(folder / "lasting", folder / "passing", folder / "names")
        self.folders.names.mkdir()
        self.paused = []
        manager = NetworkManager(self.world.command(folder))
        self.keeper = Keeper(manager, self.folders, OWN, lambda: self.now, self.paused.append)

    def knows(self, ssid=HOME, password=HOMES) -> None:
        """Has a Wi-Fi of the house saved, as the Imager does."""
        uuid, file = profiles.write_chosen_network(self.folders, ssid, password, Security.PASSWORD, is_hidden=False)
        NetworkManager(self.world.command(self.folders.names.parent)).load(file)
        self.keeper._manager.keep(uuid)

    def after(self, seconds: float):
        """The state, so much later."""
        self.now += seconds
        self.keeper.look()
        return self.keeper.state

    def wants(self, wish):
        self.keeper.wish_for(wish)
        self.keeper.look()
        return self.keeper.state

    @property
    def leads(self) -> bool:
        """Whether phones in the table's own network are led to the table."""
        return (self.folders.names / "table-setup.conf").exists()


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path)


def test_without_a_network_it_opens_its_own_after_half_a_minute(table):
    assert table.after(NONE_KNOWN_S - 1).mode is Mode.WAITING
    assert table.world.active == ""
    state = table.after(1)
    assert (state.mode, table.world.active) == (Mode.SETUP, "table-setup")
    (own,) = table.world.profiles.values()
    assert (own["mode"], own["password"], own["key"]) == ("ap", OWN, "wpa-psk")  # never an open one
    assert (own["method"], own["address"], own["itself"]) == ("shared", "10.42.77.1/24", False)
    assert own["file"].startswith(str(table.folders.passing))  # a restart has forgotten it
    assert [network.name for network in state.networks] == ["Home", "Cafe", "Firm", "Next"]  # heard before
    assert table.leads


def test_with_a_cable_it_opens_none(tmp_path):
    table = Table(tmp_path, cable="connected")
    assert table.after(10 * OUT_OF_REACH_S).mode is Mode.ONLINE
    assert table.world.active == ""


def test_a_password_that_nobody_reads_stays_in_no_file(table, monkeypatch):
    def silent(_file):
        raise ManagerSilent("NetworkManager does not answer")

    monkeypatch.setattr(table.keeper._manager, "load", silent)
    table.wants(Join(HOME, HOMES))
    assert [path.read_text() for path in table.folders.lasting.iterdir()] == []


def test_where_it_knows_a_wifi_the_router_gets_time_to_start(table):
    table.knows()
    assert table.after(OUT_OF_REACH_S - 1).mode is Mode.WAITING
    assert table.after(1).mode is Mode.SETUP


def test_unused_it_goes_back_to_a_wifi_that_it_knows(table):
    table.knows()
    table.after(OUT_OF_REACH_S)
    assert table.after(UNUSED_S - 1).mode is Mode.SETUP
    table.keeper.visit()
    assert table.after(UNUSED_S - 1).mode is Mode.SETUP
    assert table.after(1).mode is Mode.WAITING
    assert (table.world.active, table.leads) == ("", False)
    assert table.after(OUT_OF_REACH_S - 1).mode is Mode.WAITING
    assert table.after(1).mode is Mode.SETUP  # and opens again, for the next who comes with a phone


def test_where_it_knows_none_it_stays_open(table):
    table.after(NONE_KNOWN_S)
    assert table.after(10 * UNUSED_S).mode is Mode.SETUP


def test_a_router_that_restarts_in_the_evening_opens_nothing(table):
    devices = table.world.read()["devices"]
    table.world.change(devices=[*devices[:1], ["wlan0", "wifi", "connected"], *devices[2:]])
    assert table.after(1).mode is Mode.ONLINE
    table.world.change(devices=devices)
    assert table.after(10 * OUT_OF_REACH_S).mode is Mode.WAITING
    assert table.world.active == ""


def test_the_chosen_wifi_is_joined_and_kept(table):
    table.after(NONE_KNOWN_S)
    state = table.wants(Join(HOME, HOMES))
    assert (state.mode, state.joined_name, state.tried.result) == (Mode.ONLINE, "Home", Result.JOINED)
    assert table.world.active == "Home"
    chosen = next(each for each in table.world.profiles.values() if each["ssid"] == "Home")
    assert chosen["itself"]  # by itself from the next start on
    assert chosen["file"].startswith(str(table.folders.lasting))
    assert table.paused == [3.0]  # the page went out first
    assert not table.leads


@pytest.mark.parametrize(
    ("ssid", "password", "result"),
    [
        (HOME, "wrong password", Result.WRONG_PASSWORD),
        (b"Elsewhere", "some password", Result.OUT_OF_REACH),
        (b"Full", "some password", Result.NO_ADDRESS),
    ],
)
def test_what_fails_is_told_and_its_own_network_comes_back(table, ssid, password, result):
    table.world.hears(Home=HOMES, Full=("some password", "WPA2", False))
    table.after(NONE_KNOWN_S)
    state = table.wants(Join(ssid, password))
    assert (state.mode, state.tried.ssid, state.tried.result) == (Mode.SETUP, ssid, result)
    assert table.world.active == "table-setup"
    assert table.leads
    assert [each["ssid"] for each in table.world.profiles.values()] == ["table-setup"]  # no wrong password is kept
    assert not list(table.folders.lasting.glob("*"))


def test_a_mistyped_new_password_loses_no_old_one(table):
    table.after(NONE_KNOWN_S)
    table.wants(Join(HOME, HOMES))
    table.wants(Join(HOME, "mistyped!"))
    assert [each["password"] for each in table.world.profiles.values() if each["ssid"] == "Home"] == [HOMES]
    assert table.keeper.state.mode is Mode.WAITING  # it goes back to what it was in, and opens nothing
    table.world.hears(Home="the new one")
    table.wants(Join(HOME, "the new one"))
    assert [each["password"] for each in table.world.profiles.values() if each["ssid"] == "Home"] == ["the new one"]


def test_a_wifi_that_shows_no_name_is_looked_for_by_it(table):
    table.after(NONE_KNOWN_S)
    table.world.hears(Hidden="quiet here")
    table.wants(Join(b"Hidden", "quiet here"))
    assert table.world.active == "Hidden"
    assert [each["hidden"] for each in table.world.profiles.values() if each["ssid"] == "Hidden"] == ["true"]


def test_each_kind_of_protection_is_asked_for_as_it_is(table):
    table.after(NONE_KNOWN_S)
    keys = {}
    for ssid, password in ((HOME, HOMES), (b"Cafe", ""), (b"Next", "neighbour!")):
        table.wants(Open())
        assert table.wants(Join(ssid, password)).tried.result is Result.JOINED
        keys |= {each["ssid"]: each["key"] for each in table.world.profiles.values() if each["mode"] != "ap"}
    assert keys == {"Home": "wpa-psk", "Cafe": "", "Next": "sae"}


def test_the_host_opens_and_closes_it(tmp_path):
    table = Table(tmp_path, cable="connected")
    assert table.wants(Open()).mode is Mode.SETUP
    assert table.wants(Close()).mode is Mode.WAITING
    assert table.world.active == ""
    table.wants(Open())
    assert table.after(UNUSED_S).mode is Mode.WAITING  # nobody came


def test_looking_again_hears_what_is_new(table):
    table.after(NONE_KNOWN_S)
    table.world.hears(New="", Home=HOMES)
    assert [network.name for network in table.wants(Open()).networks] == ["New", "Home"]
    assert table.world.active == "table-setup"


def test_its_own_network_that_somebody_ends_comes_back(table):
    table.after(NONE_KNOWN_S)
    table.keeper._manager.leave(profiles.OWN_UUID)
    assert table.after(1).mode is Mode.WAITING
    assert table.after(NONE_KNOWN_S).mode is Mode.SETUP


def test_without_radio_or_networkmanager_it_waits(tmp_path):
    table = Table(tmp_path, radio="unavailable")
    assert table.after(OUT_OF_REACH_S).mode is Mode.NO_RADIO
    table.world.change(running=False)
    assert table.after(1).mode is Mode.NO_RADIO
    devices = table.world.read()["devices"]
    table.world.change(running=True, devices=[devices[0], ["wlan0", "wifi", "disconnected"], devices[2]])
    assert table.after(1).mode is Mode.SETUP  # the country was set: no restart is needed


def test_an_answer_that_does_not_come_takes_nobody_off_the_page(table):
    table.after(NONE_KNOWN_S)
    table.world.change(running=False)
    assert table.after(1).mode is Mode.SETUP
    table.world.change(running=True)
    assert table.after(1).mode is Mode.SETUP


def test_no_password_is_ever_an_argument_or_readable_by_others(table):
    table.after(NONE_KNOWN_S)
    table.wants(Join(HOME, "wrong password"))
    table.wants(Join(HOME, HOMES))
    said = str(table.world.calls)
    assert not any(secret in said for secret in (OWN, HOMES, "wrong password"))
    files = [*table.folders.lasting.iterdir(), *table.folders.passing.iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert len(files) == 2


def test_where_the_disk_cannot_be_written_it_joins_until_the_next_restart(table):
    table.folders.lasting.write_text("a file in the place of the folder: nothing can be put there")
    table.after(NONE_KNOWN_S)
    assert table.wants(Join(HOME, HOMES)).joined_name == "Home"
    (file,) = [each["file"] for each in table.world.profiles.values() if each["ssid"] == "Home"]
    assert file.startswith(str(table.folders.passing))


def test_it_ends_with_its_own_network(table):
    table.after(NONE_KNOWN_S)
    table.keeper.end()
    assert (table.world.active, table.leads) == ("", False)


ODD = (b"a;b\\c ", b" =[x]\n#", "Süß ☕".encode(), b"\xff\x00\x01")


@pytest.mark.parametrize("ssid", ODD, ids=repr)
def test_no_name_or_password_breaks_out_of_its_line(table, ssid):
    table.world.change(air={ssid.hex(): {"password": r" a\s;b=#c ", "words": "WPA2", "gives": True, "signal": 50}})
    table.after(NONE_KNOWN_S)
    assert table.keeper.state.networks[0].ssid == ssid
    assert table.wants(Join(ssid, r" a\s;b=#c ")).tried.result is Result.JOINED


@pytest.mark.skipif(shutil.which("nmcli") is None, reason="NetworkManager is not there: it reads no file here")
@pytest.mark.parametrize("ssid", ODD, ids=repr)
def test_networkmanager_itself_reads_the_files(tmp_path, ssid):
    folders = profiles.Folders(tmp_path, tmp_path, tmp_path)
    _, chosen = profiles.write_chosen_network(folders, ssid, r" a\s;b=#c ", Security.PASSWORD, is_hidden=True)
    for file in (chosen, profiles.write_own_network(folders, "wlan0", OWN)):
        change = ["nmcli", "--offline", "connection", "modify", "connection.autoconnect", "yes"]
        told = subprocess.run(change, input=file.read_bytes(), capture_output=True, check=True).stdout
        again = subprocess.run(change, input=told, capture_output=True, check=True).stdout
        assert told == again  # whole, and what it writes itself
    assert rb"psk=\sa\\s;b=#c\s" in told or b"mode=ap" in told


def test_only_what_there_can_be_is_taken():
    for ssid, password, security in (
        (b"", "long enough", Security.PASSWORD),
        (b"x" * 33, "long enough", Security.PASSWORD),
        (HOME, "1234567", Security.PASSWORD),
        (HOME, "x" * 64, Security.PASSWORD),
        (HOME, "mit Ümlaut", Security.PASSWORD),
        (HOME, "line\nbreak", Security.PASSWORD),
        (HOME, "long enough", Security.OTHER),
    ):
        with pytest.raises(BadInput):
            check_choice(ssid, password, security)
    check_choice(b"x" * 32, "x" * 63, Security.PASSWORD)
    check_choice(HOME, "0123456789abcdef" * 4, Security.PASSWORD)  # a key
    check_choice(HOME, "", Security.OPEN)


def test_what_nmcli_says_is_read_as_its_manual_has_it():
    assert list(parts_of(r"a\:b:c\\d::e")) == ["a:b", r"c\d", "", "e"]
    words = {"": "open", "--": "open", "OWE": "open", "WPA1": "password", "WPA1 WPA2": "password",
             "WPA2 WPA3": "password", "WPA3": "password-3", "WEP": "other", "WPA2 802.1X": "other"}  # fmt: skip
    assert {said: security_of(said).value for said in words} == words


# the door


@pytest.fixture
def door(table, tmp_path):
    path = tmp_path / "socket"
    opened = Door(path, table.keeper)
    opened.start()
    yield path
    opened.stop()


def test_the_service_asks_through_a_socket_that_its_group_alone_can_open(table, door):
    assert stat.S_IMODE(door.stat().st_mode) == 0o660
    table.after(NONE_KNOWN_S)
    wifi = Wifi(door)
    assert wifi.is_there
    assert replace(wifi.ask(Do.TELL), threads=()) == table.keeper.state
    wifi.ask(Do.JOIN, HOME, HOMES)
    table.keeper.look()
    assert table.world.active == "Home"


@pytest.mark.parametrize(
    ("do", "ssid", "password"),
    [("join", b"", "long enough"), ("join", HOME, "a\nb=cdefgh"), ("join", HOME, ""), ("sudo", b"", "")],
)
def test_the_helper_believes_the_service_nothing(table, door, do, ssid, password):
    table.after(NONE_KNOWN_S)
    calls = len(table.world.calls)
    with pytest.raises(HardwareUnavailable):
        Wifi(door).ask(do, ssid, password)
    assert table.keeper.state.mode is Mode.SETUP
    table.keeper.look()
    assert len(table.world.calls) == calls + 1  # its own round, no wish
    assert Wifi(door).ask(Do.TELL).mode is Mode.SETUP  # and it goes on


def test_a_helper_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(HardwareUnavailable, match="doesn't answer"):
        Wifi(tmp_path / "nobody").ask(Do.TELL)
    assert not Wifi(tmp_path / "nobody").is_there


# the card


def test_the_password_is_made_once_by_chance_and_told_to_nobody_else(tmp_path):
    first = password_in(tmp_path)
    assert [len(word) for word in first.split("-")] == [4, 4, 4]
    assert set(first) <= {*LETTERS, "-"}
    assert password_in(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "password").stat().st_mode) == 0o600
    (tmp_path / "other").mkdir()
    assert password_in(tmp_path / "other") != first
    check_choice(b"table-setup", first, Security.PASSWORD)


def test_the_card_says_name_password_and_address_and_has_a_code():
    text = card_text(OWN)
    for said in ("table-setup", OWN, "http://10.42.77.1/wifi", "▀"):
        assert said in text
    assert issue_text(OWN).count("\\") == 1  # agetty takes each for an order
    assert "http://\\4 " in issue_text(OWN)


@pytest.mark.parametrize("is_left", [False, True])
def test_a_disk_that_cannot_be_written_does_not_keep_the_table_from_a_wifi_of_its_own(
    is_left: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:  # as Linux does, whether the file is there or not
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    folders = profiles.Folders(tmp_path, tmp_path, tmp_path)
    if is_left:
        profiles.lead_every_name_here(folders)
    monkeypatch.setattr(Path, "unlink", refuse)
    profiles.lead_nobody(folders)
    assert ("will be led to the table" in caplog.text) is is_left
