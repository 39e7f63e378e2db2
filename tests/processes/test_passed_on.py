"""Who comes through a proxy of this machine is a stranger, whichever proxy it is and whoever runs it."""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.network import peers
from companion.network.addresses import own_address
from tests.service import Service, running

pytestmark = pytest.mark.skipif(not peers.can_tell(), reason="this kernel does not tell who holds a connection")

EVERYBODYS = shutil.which("python3", path="/usr/bin:/bin")  # the tests' own may lie in a home that is closed to others
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")

# Hands everything on, both ways. It listens for its visitor, or calls out to where a visitor waits, as `ssh -R` does.
FORWARDER = """
import socket, sys, threading
way, service, other = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def to(port):
    return socket.create_connection(("127.0.0.1", port))
def hand_on(one, two):
    while data := one.recv(65536):
        two.sendall(data)
    two.shutdown(socket.SHUT_WR)
first = to(service) if way == "connects first" else None
if way == "calls out":
    visitor = to(other)
else:
    heard = socket.create_server(("127.0.0.1", 0))
    print(heard.getsockname()[1], flush=True)
    visitor, _ = heard.accept()
    if way == "stops listening":
        heard.close()
asked = first or to(service)
threading.Thread(target=hand_on, args=(visitor, asked), daemon=True).start()
hand_on(asked, visitor)
"""
# Passes on what its visitors ask through a program that talks with the service alone, as `nc -l | nc` does.
RELAY = """
import socket, subprocess, sys, threading
CALLER = '''
import os, socket, sys, threading
service = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def ask():
    while data := os.read(0, 65536):
        service.sendall(data)
threading.Thread(target=ask, daemon=True).start()
while data := service.recv(65536):
    os.write(1, data)
'''
heard = socket.create_server(("127.0.0.1", 0))
print(heard.getsockname()[1], flush=True)
visitor, _ = heard.accept()
piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
caller = subprocess.Popen([sys.executable, "-S", "-c", CALLER, sys.argv[1]], **piped)
def ask():
    while data := visitor.recv(65536):
        caller.stdin.write(data)
threading.Thread(target=ask, daemon=True).start()
while data := caller.stdout.read(65536):
    visitor.sendall(data)
"""
ASKED = b"GET /house HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("passed-on"), "--demo") as found:
        yield found


def port_of(service: Service) -> int:
    return int(service.url.rsplit(":", 1)[1])


def status_at(url: str, body: bytes | None = None) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def status_over(visitor: socket.socket) -> int:
    """The status of /house, asked over a connection that leads to the service by some way."""
    with visitor, visitor.makefile("rb") as answer:
        visitor.settimeout(60)
        visitor.sendall(ASKED)
        return int(answer.readline().split()[1])


def test_the_machine_itself_is_the_host(service):
    assert status_at(f"{service.url}/house") == 200


@pytest.mark.parametrize("user", [None, "nobody"])
@pytest.mark.parametrize("way", ["listens", "connects first", "stops listening", "calls out"])
def test_who_comes_through_a_plain_forwarder_is_a_stranger(service, way, user):
    if user and (os.getuid() != 0 or not EVERYBODYS):
        pytest.skip("only root may start a program as another user")
    python = EVERYBODYS if user else sys.executable
    with socket.create_server(("127.0.0.1", 0)) as outside:
        command = [str(python), "-S", "-c", FORWARDER, way, str(port_of(service)), str(outside.getsockname()[1])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, user=user) as forwarder:
            try:
                assert forwarder.stdout
                if way == "calls out":
                    outside.settimeout(60)
                    visitor, _ = outside.accept()
                else:
                    visitor = socket.create_connection(("127.0.0.1", int(forwarder.stdout.readline())))
                assert status_over(visitor) == 403
            finally:
                forwarder.kill()
    assert status_at(f"{service.url}/house") == 200


# what doctor says of it


def doctors(port: int, address: str = "0.0.0.0") -> str:
    """The light and the sentence on whom the table at a port sees, asked by a program of its own as doctor is."""
    asked = "import sys; from companion.app.doctor.host_checks import ask; print(*ask(sys.argv[2], int(sys.argv[1])))"
    command = [sys.executable, "-c", asked, str(port), address]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.strip()


@contextlib.contextmanager
def passing_on(program: str, *words: str, user: str | None = None) -> Iterator[int]:
    """A program that passes its visitors on; gives the port at which it listens."""
    python = EVERYBODYS if user else sys.executable
    command = [str(python), "-S", "-c", program, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, user=user) as process:
        try:
            assert process.stdout
            yield int(process.stdout.readline())
        finally:
            process.kill()


def test_doctor_says_that_the_terminal_is_the_hosts(service):
    said = doctors(port_of(service))
    assert said.startswith("green It takes this terminal for the host: nothing stands between")
    assert doctors(free_port()) == "green"  # nobody is there to say anything


def test_doctor_says_that_a_forwarder_stands_between(service):
    with passing_on(FORWARDER, "listens", str(port_of(service)), "0") as port:
        said = doctors(port)
    assert said == "green A forwarder stands between this terminal and the table; who comes through is a stranger."


def test_doctor_is_red_where_a_relay_of_the_same_user_makes_everybody_the_host(service):
    with passing_on(RELAY, str(port_of(service))) as port:
        said = doctors(port)
    assert said.startswith("red A program stands between this terminal and the table")
    assert "whoever comes through it is the host" in said


@pytest.mark.skipif(not NGINX, reason="nginx is not installed: make packages")
@pytest.mark.parametrize(
    ("extra", "kind"), [("", "A forwarder"), ("proxy_set_header X-Real-IP $remote_addr;", "A proxy")]
)
def test_doctor_says_that_a_proxy_stands_between(service, tmp_path, extra, kind):
    with nginx(tmp_path, service, "root", extra=extra) as url:
        said = doctors(int(url.rsplit(":", 1)[1]))
    assert said.startswith(f"green {kind} stands between this terminal and the table")


def test_doctor_says_that_the_table_listens_in_the_network_alone(tmp_path):
    address = own_address()
    if address is None:
        pytest.skip("this machine has no address in a network, and every one of 127.0.0.0/8 is loopback")
    with running(tmp_path / "data", "--camera", "none", "--host", address) as there:
        said = doctors(port_of(there), address)
    assert said.startswith(f"green It takes this terminal for a stranger, as it listens at {address} alone")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextlib.contextmanager
def nginx(
    folder: Path, service: Service, user: str, location: str = "location /", extra: str = "", tls: str = ""
) -> Iterator[str]:
    """nginx with nothing but `proxy_pass`; gives its address.

    location    what it passes on; below a path with a "/" after the service's address, so that it takes the path away
    extra       further lines for the location; `tls` likewise for the server
    """
    port = free_port()
    to = f"http://127.0.0.1:{port_of(service)}{'' if location == 'location /' else '/'}"
    server = (
        f"server {{ listen 127.0.0.1:{port}{' ssl' if tls else ''}; {tls}\n{location} {{ proxy_pass {to}; {extra} }} }}"
    )
    with started(nginx_with(folder, server, user), port):
        yield f"http{'s' if tls else ''}://127.0.0.1:{port}"


def nginx_with(folder: Path, server: str, user: str = "root") -> list[str]:
    """The command of an nginx that has this one server and writes into that folder alone."""
    (folder / "nginx.conf").write_text(
        f"user {user};\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n"
        f"client_body_temp_path {folder}/body;\nproxy_temp_path {folder}/proxy;\nfastcgi_temp_path {folder}/f;\n"
        f"uwsgi_temp_path {folder}/u;\nscgi_temp_path {folder}/s;\n{server}\n}}\n"
    )
    return [str(NGINX), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]


@contextlib.contextmanager
def started(command: list[str], port: int) -> Iterator[None]:
    """A server that stays in the foreground, from when it listens to the end of the context."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end_s = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            assert process.poll() is None, "it ended at once"
            assert time.monotonic() < end_s
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@pytest.mark.skipif(not NGINX, reason="nginx is not installed: make packages")
@pytest.mark.parametrize("user", ["www-data", "root"])
def test_who_comes_through_nginx_with_its_defaults_is_a_stranger(service, tmp_path, user):
    if os.getuid() != 0 and user == "www-data":
        pytest.skip("only root may start a program as another user")
    with nginx(tmp_path, service, user) as url:
        assert status_at(f"{url}/") == 200
        assert status_at(f"{url}/house") == 403
        assert status_at(f"{url}/house/pin", b"") == 403


@pytest.fixture
def tls(tmp_path) -> str:
    """nginx's lines for a certificate that was made for this test alone."""
    key, certificate = certified(tmp_path)
    return f"ssl_certificate {certificate}; ssl_certificate_key {key};"


def certified(folder: Path) -> tuple[Path, Path]:
    """(key, certificate) of games.example, signed by itself."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl here")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=games.example"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return key, certificate


def posted(url: str, **headers: str) -> tuple[int, str]:
    """(status, text) of a PIN that is typed on a page which has these headers."""
    return over_tls(url, "POST", "/pin", {"Content-Type": "application/x-www-form-urlencoded", **headers})


def over_tls(url: str, method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """(status, text) of a request to a proxy whose certificate nobody has signed."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    line = http.client.HTTPSConnection(url.removeprefix("https://"), timeout=60, context=trusting)
    with contextlib.closing(line):
        line.request(method, path, "pin=wrong" if method == "POST" else None, headers)
        answer = line.getresponse()
        return answer.status, answer.read().decode()


@pytest.mark.skipif(not NGINX, reason="nginx is not installed: make packages")
@pytest.mark.parametrize("kept", ["", "proxy_set_header Host $http_host;"], ids=["its own Host", "the Host kept"])
def test_where_nginx_ends_tls_posts_are_taken_and_those_of_other_sites_refused(service, tmp_path, tls, kept):
    with nginx(tmp_path, service, "root", extra=kept, tls=tls) as url:
        own = {"Origin": url, "Sec-Fetch-Site": "same-origin"}
        assert "Wrong PIN" in posted(url, **own)[1]
        if kept:
            assert "Wrong PIN" in posted(url, Origin=url)[1]  # a browser without Sec-Fetch-Site
        for other in (
            {"Origin": "https://evil.example"},
            {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        ):
            status, text = posted(url, **other)
            assert status == 403
            assert "Wrong PIN" not in text


NAMING = (
    "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; "
    "proxy_set_header X-Forwarded-Proto $scheme;"
)


@pytest.mark.skipif(not NGINX, reason="nginx is not installed: make packages")
def test_a_named_nginx_ends_tls_and_its_visitor_is_no_host(tmp_path, tls):
    with running(tmp_path / "data", "--camera", "none", "--proxy", "127.0.0.1") as named:
        assert status_at(f"{named.url}/house") == 200  # the machine itself, beside the proxy
        with nginx(tmp_path, named, "root", extra=NAMING, tls=tls) as url:
            assert over_tls(url, "GET", "/", {})[0] == 200
            assert over_tls(url, "GET", "/house", {})[0] == 403
            assert over_tls(url, "GET", "/house", {"X-Forwarded-For": "127.0.0.1"})[0] == 403
            assert "Wrong PIN" in posted(url, Origin=url)[1]
            other = posted(url, Origin="https://evil.example")
            assert other[0] == 403
            assert "Wrong PIN" not in other[1]
