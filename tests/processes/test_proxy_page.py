"""docs/proxies.md is true: each block of it, in the real proxy, leads visitors to the table as what they are."""

import contextlib
import http.client
import json
import os
import re
import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from companion.network import peers
from tests.processes.test_passed_on import NGINX, certified, free_port, nginx_with, port_of, started
from tests.service import Service, running

pytestmark = pytest.mark.skipif(not peers.can_tell(), reason="this kernel does not tell who holds a connection")

PAGE = (Path(__file__).parents[2] / "docs" / "proxies.md").read_text()
BLOCKS = re.findall(r"```(nginx|caddy|apache)\n(.*?)```", PAGE, re.S)
PATH = f"/usr/sbin:/sbin:{os.environ.get('PATH', '')}"
CADDY, APACHE = shutil.which("caddy", path=PATH), shutil.which("apache2", path=PATH)
INSTALLED = {"nginx": NGINX, "caddy": CADDY, "apache": APACHE}
NAME = "games.example"
# What a visitor might write to be somebody else, or to be led elsewhere.
FORGED = {
    "Forwarded": "for=10.8.8.8;proto=https", "X-Forwarded-For": "10.9.9.9", "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil",
}  # fmt: skip


def test_the_page_has_two_blocks_for_each_proxy():
    assert [kind for kind, _block in BLOCKS] == ["nginx"] * 2 + ["caddy"] * 2 + ["apache"] * 2


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Service]:
    data = tmp_path_factory.mktemp("behind") / "data"
    with running(data, "--camera", "none", "--proxy", "127.0.0.1", "--allow-host", NAME) as found:
        yield found


@contextlib.contextmanager
def proxy(kind: str, block: str, service: Service, folder: Path) -> Iterator[int]:
    """The proxy with a block of the page, its addresses and files put right for this test; gives its port."""
    port = free_port()
    block = block.replace("192.168.1.5:8000", f"127.0.0.1:{port_of(service)}")
    if kind == "nginx":
        if "ssl" in block:
            key, certificate = certified(folder)
            block = block.replace("/etc/ssl/games.pem", str(certificate)).replace("/etc/ssl/games.key", str(key))
        block = re.sub(r"listen \d+", f"listen 127.0.0.1:{port}", block)
        command = nginx_with(folder, block)
    elif kind == "caddy":
        settings = f"{{\nadmin off\nauto_https off\nstorage file_system {folder}\ndefault_bind 127.0.0.1\n}}\n"
        block = block.replace(f"{NAME} {{", f"http://{NAME}:{port} {{")  # its certificates come from the Internet
        (folder / "Caddyfile").write_text(settings + block)
        command = [str(CADDY), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    else:
        modules = Path(str(APACHE)).parents[1] / "lib" / "apache2" / "modules"
        wanted = ("mpm_event", "authz_core", "proxy", "proxy_http", "headers")
        loaded = "".join(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in wanted)
        (folder / "apache.conf").write_text(
            f"ServerRoot {folder}\nServerName {NAME}\nListen 127.0.0.1:{port}\nPidFile {folder}/pid\n"
            f"ErrorLog {folder}/error.log\n{loaded}User www-data\nGroup www-data\n{block}"
        )
        command = [str(APACHE), "-f", str(folder / "apache.conf"), "-DFOREGROUND"]
    with started(command, port):
        yield port


def connected(scheme: str, port: int, visitor: str) -> http.client.HTTPConnection:
    """A connection to the proxy from an address of the visitor's own; nobody has signed the proxy's certificate."""
    if scheme == "http":
        return http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(visitor, 0))
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=60, source_address=(visitor, 0), context=trusting)


@pytest.mark.parametrize(("at", "kind", "block"), [(at, *each) for at, each in enumerate(BLOCKS)])
def test_a_visitor_is_led_to_the_table_as_who_they_are(service, tmp_path, at, kind, block):
    if not INSTALLED[kind]:
        pytest.skip(f"{kind} is not installed: that its block is right is not shown here")
    root, scheme, visitor = (
        "/table" if "/table" in block else "",
        "https" if "ssl" in block else "http",
        f"127.0.0.{20 + at}",
    )

    with proxy(kind, block, service, tmp_path) as port:

        def ask(path: str, method: str = "GET", body: str | None = None, **headers: str) -> tuple[int, str]:
            """(status, text) of a request from an address of the visitor's own."""
            line = connected(scheme, port, visitor)
            with contextlib.closing(line):
                line.request(method, root + path, body, {"Host": NAME, **headers})
                answer = line.getresponse()
                return answer.status, answer.read().decode()

        for forged in ({}, FORGED):
            seen = json.loads(ask("/api/seen", **forged)[1])
            assert (seen["role"], seen["grounds"], seen["address"]) == (None, "named proxy", visitor)
            status, page = ask("/", **forged)
            assert status == 200
            addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
            assert addresses
            assert [one for one in addresses if not one.startswith(f"{root}/") or one.startswith("/evil")] == []
            assert 'class="bare"' not in page or not root
        style = next(one for one in addresses if ".css" in one)
        assert ask(style.removeprefix(root))[0] == 200
        typed = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"{scheme}://{NAME}"}
        assert "Wrong PIN" in ask("/pin", "POST", urlencode({"pin": "wrong"}), **typed)[1]
        assert ask("/pin", "POST", urlencode({"pin": "wrong"}), **typed | {"Origin": "https://evil.example"})[0] == 403
