"""The certificate of the house, judged by a TLS client that trusts its authority and nothing else."""

import contextlib
import datetime
import shutil
import socket
import ssl
import stat
import struct
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner

from companion.app.cli.cert import cert
from companion.app.doctor import command as doctor
from companion.app.doctor.command import Table, check_certificate
from companion.errors import BadInput
from companion.network import addresses, certificate
from companion.network.certificate import HouseCertificate
from companion.network.https import Https
from tests.service import Service, running

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
HOME = "192.168.1.20"


@pytest.fixture
def house(tmp_path: Path) -> HouseCertificate:
    found = HouseCertificate(tmp_path)
    found.make([HOME])
    return found


def shake_hands(house: HouseCertificate, name: str) -> ssl.SSLSocket:
    """A client that trusts only the authority talks to the table under `name`."""
    trusting = ssl.create_default_context(cafile=str(house.authority))
    here, there = socket.socketpair()
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(house.table)
    with there:
        server = threading.Thread(target=lambda: answer(serving, there))
        server.start()
        try:
            with trusting.wrap_socket(here, server_hostname=name) as client:
                return client
        finally:
            here.close()
            server.join()


def answer(serving: ssl.SSLContext, line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client refused; the test says whether it should have
        serving.wrap_socket(line, server_side=True).close()


@pytest.mark.parametrize("name", ["table.local", "table-2.local", HOME])
def test_a_client_that_trusts_the_house_trusts_the_table(house, name):
    shake_hands(house, name)


@pytest.mark.parametrize("name", ["bank.example", "192.168.1.21"])
def test_it_is_good_for_no_other_name(house, name):
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(house, name)


def test_the_authority_can_speak_for_no_site_of_the_internet(house, monkeypatch):
    monkeypatch.setattr(certificate, "names_of", lambda addresses: {"DNS:bank.example"})
    house.make([HOME])
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        shake_hands(house, "bank.example")


def test_public_addresses_are_left_out(tmp_path):
    house = HouseCertificate(tmp_path)
    house.make([HOME, "8.8.8.8", "127.0.0.1"])
    assert {name for name in house.names() if name.startswith("IP:")} == {f"IP:{HOME}"}


def test_keys_are_their_owners_alone(house):
    assert stat.S_IMODE(house.folder.stat().st_mode) == 0o700
    for path in house.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_it_is_renewed_before_it_ends_and_for_a_new_address_and_tablets_go_on_trusting_it(house, monkeypatch):
    trusted = house.authority.read_bytes()
    assert not house.renew([HOME])
    assert house.renew([HOME, "10.0.0.7"])
    assert "IP:10.0.0.7" in house.names()
    soon = house.ends() - datetime.timedelta(days=certificate.RENEWAL_DAYS - 1)
    monkeypatch.setattr(certificate, "now", lambda: soon)
    assert house.renew([HOME])
    assert house.authority.read_bytes() == trusted
    shake_hands(house, HOME)


def test_a_machine_without_openssl_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(certificate.shutil, "which", lambda name: None)
    with pytest.raises(BadInput, match="Install it"):
        HouseCertificate(tmp_path).make([HOME])
    assert not HouseCertificate(tmp_path).exists()


def test_a_certificate_that_cannot_be_renewed_serves_on(house, monkeypatch):
    def fails(*arguments: str) -> str:
        raise BadInput("openssl is ill.")

    monkeypatch.setattr(certificate, "openssl", fails)
    Https(house, lambda: [HOME]).start()
    shake_hands(house, HOME)


@contextlib.contextmanager
def asked(house: HouseCertificate, service: Service, path: str) -> Iterator[IO[bytes]]:
    """What the service answers over TLS to a GET of `path`, as it comes."""
    trusting = ssl.create_default_context(cafile=str(house.authority))
    address = ("127.0.0.1", int(service.secure_url.rsplit(":", 1)[1]))
    with (
        socket.create_connection(address, timeout=20) as plain,
        trusting.wrap_socket(plain, server_hostname="table.local") as line,
        line.makefile("rb") as said,
    ):
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        yield said


def test_the_service_serves_https_beside_http(tmp_path):
    house = HouseCertificate(tmp_path)
    house.make([])
    with running(tmp_path, "--camera", "none", "--https-port", "0") as service:
        assert service.call("/healthz")[0] == 200
        with asked(house, service, "/cert") as answer:
            said = answer.read().decode()
        assert said.startswith("HTTP/1.1 200 ")
        assert house.fingerprint() in said
        assert "so this device already trusts the table" in said  # the page knows that it came encrypted
        with urllib.request.urlopen(f"{service.url}/cert/authority.crt") as offered:
            assert offered.read() == ssl.PEM_cert_to_DER_cert(house.authority.read_text())
        _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann"], "options": {}})
        with asked(house, service, f"/api/sessions/{game['id']}/stream") as answer:
            beats = (line for line in answer if line.startswith(b"event: beat"))
            assert [next(beats) for _ in range(2)]  # the stream lives on after the thread that answered has gone


@pytest.mark.parametrize("what", ["no certificate at all", None])
def test_a_certificate_that_cannot_be_used_is_one_sentence(house, what):
    house.table.write_text(what) if what else house.table.unlink()
    with pytest.raises(BadInput, match="make a new one"):
        Https(house, lambda: [HOME])


def test_devices_that_go_away_or_say_nothing_hold_nobody_up(tmp_path, capfd):
    house = HouseCertificate(tmp_path)
    house.make([])
    with running(tmp_path, "--camera", "none", "--https-port", "0") as service, contextlib.ExitStack() as silent:
        _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann"], "options": {}})
        address = ("127.0.0.1", int(service.secure_url.rsplit(":", 1)[1]))
        for _ in range(50):
            with socket.create_connection(address) as gone:
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing is a reset
        for first_words in (b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"):
            silent.enter_context(socket.create_connection(address)).sendall(first_words)
        with asked(house, service, f"/api/sessions/{game['id']}") as answer:
            assert answer.readline().startswith(b"HTTP/1.1 200 ")
    assert capfd.readouterr().err == ""


def test_without_a_certificate_there_is_http_alone(tmp_path):
    with running(tmp_path, "--camera", "none", "--https-port", "0") as service:
        assert service.secure_url == ""
        with urllib.request.urlopen(f"{service.url}/cert") as page:
            assert "t need this to play." in page.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{service.url}/cert/authority.crt")
        refused.value.close()


def told(data: Path) -> tuple[str, str]:
    light, text = check_certificate(Table(data, None, None, 8000))
    return str(light), text


def test_doctor_says_until_when_it_holds(house, tmp_path, monkeypatch):
    ends = house.ends()
    assert told(tmp_path) == ("green", f"https until {ends:%Y-%m-%d}; a running table renews it 30 days before.")
    for days, word in ((10, "was not renewed"), (-1, "It ended on")):
        monkeypatch.setattr(doctor, "now", lambda days=days: ends - datetime.timedelta(days=days))
        light, text = told(tmp_path)
        assert light == "red"
        assert word in text


def test_doctor_misses_none_where_none_was_made(tmp_path):
    assert told(tmp_path)[0] == "off"


def test_a_hubs_people_are_told_the_hubs_own_address_and_page(tmp_path, monkeypatch):
    monkeypatch.setattr(addresses, "own_addresses", lambda: (HOME,))
    said_at_table = CliRunner().invoke(cert, ["--data", str(tmp_path)]).output
    assert ("table.local:8443" in said_at_table, "8543" in said_at_table) == (True, False)
    (tmp_path / "hub.sqlite3").touch()
    hub = CliRunner().invoke(cert, ["--data", str(tmp_path)]).output
    assert (f"https://{HOME}:8543" in hub, f"http://{HOME}:8100/cert" in hub) == (True, True)
    assert ("table" in hub, HouseCertificate(tmp_path).fingerprint() in hub) == (False, True)
    monkeypatch.chdir(tmp_path)
    usual = CliRunner().invoke(cert, ["--data", "instance/hub"]).output  # before the hub's first start
    assert (f"http://{HOME}:8100/cert" in usual, "table" in usual) == (True, False)


def test_a_file_in_the_place_of_the_data_folder_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"file cannot be used \(Not a directory\)"):
        CliRunner().invoke(cert, ["--data", str(tmp_path / "file")], catch_exceptions=False)
