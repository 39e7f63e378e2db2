"""Which addresses other devices reach: in network namespaces of eight kinds, and by what the kernel lists."""

import ipaddress
import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from companion.app.service.server import by_ipv6
from companion.network import addresses
from companion.network.addresses import in_url, is_in_own_network, is_reachable, own_address, own_addresses, reachable
from companion.network.links import LOOPBACK, POINT_TO_POINT, RUNNING, UP, Interface

ROOT = Path(__file__).parents[2]
# A macvlan counts as a card: there are no cards in a namespace of its own.
CARD = (
    "ip link add c{0} type veth peer name p{0}; ip link set c{0} up; ip link set p{0} up; "
    "ip link add {0} link c{0} type macvlan; ip link set {0} up; "
)
HOME = CARD.format("eth0") + "ip addr add 192.168.1.20/24 dev eth0; ip route add default via 192.168.1.1; "
DOCKER = (
    "ip link add docker0 type bridge; ip link add v0 type veth peer name v1; ip link set v0 master docker0; "
    "ip link set v0 up; ip link set v1 up; ip link set docker0 up; ip addr add 172.17.0.1/16 dev docker0; "
    "ip addr add 169.254.9.9/16 dev v1; "
)
VPN = "ip tuntap add tun0 mode tun; ip link set tun0 up; ip addr add 10.8.0.2/24 dev tun0; "
SETTLED = "sleep 2; "  # The kernel first asks whether somebody else has an address of IPv6.
KINDS = {
    "home": (HOME, ["192.168.1.20"]),
    "Docker": (DOCKER + HOME, ["192.168.1.20"]),
    "VPN that takes the default route": (
        HOME + VPN + "ip route del default; ip route add default dev tun0; ",
        ["192.168.1.20"],
    ),
    "VPN beside the default route": (HOME + VPN + "ip route add 0.0.0.0/1 dev tun0; ", ["192.168.1.20"]),
    "two cards": (
        CARD.format("wlan0")
        + "ip addr add 10.0.0.7/24 dev wlan0; ip route add default via 10.0.0.1 metric 600; "
        + CARD.format("eth0")
        + "ip addr add 192.168.1.20/24 dev eth0; ip route add default via 192.168.1.1 metric 100; ",
        ["192.168.1.20", "10.0.0.7"],
    ),
    "no router": (CARD.format("eth0") + "ip addr add 192.168.5.5/24 dev eth0; ", ["192.168.5.5"]),
    "hotspot": (
        CARD.format("wlan0") + DOCKER + "ip addr add 10.42.0.1/24 dev wlan0; ",
        ["10.42.0.1"],
    ),
    "hotspot in a bridge": (
        CARD.format("wlan0")
        + "ip link add br0 type bridge; ip link set wlan0 master br0; ip link set br0 up; "
        + "ip addr add 10.42.0.1/24 dev br0; ",
        ["10.42.0.1"],
    ),
    "none": (DOCKER, []),
    "nobody who gives out addresses": (CARD.format("eth0") + "ip addr add 169.254.33.7/16 dev eth0; ", []),
    "IPv6 only": (
        CARD.format("eth0")
        + "ip -6 addr add fd12::20/64 dev eth0; ip -6 addr add 2001:db8:1::20/64 dev eth0 preferred_lft 0; "
        + "ip -6 route add default via fe80::1 dev eth0; "
        + SETTLED,
        ["fd12::20"],
    ),
}
ASK = """
import json
from companion.app.doctor.checks import Table
from companion.app.doctor.command import check_network
from companion.network.addresses import own_address, own_addresses
from pathlib import Path
light, text = check_network(Table(Path("nowhere"), None, None, 21399))
print(json.dumps([own_addresses(), own_address(), light.value, text]))
"""


def in_namespace(words: str, *command: str) -> subprocess.CompletedProcess[str]:
    script = f'set -e; ip link set lo up; {words}exec "$@"'
    return subprocess.run(
        ["unshare", "-rn", "sh", "-c", script, "sh", *command], capture_output=True, text=True, cwd=ROOT, timeout=60
    )


@pytest.fixture(scope="module")
def namespaces() -> None:
    if not (shutil.which("unshare") and shutil.which("ip")):
        pytest.skip("unshare or ip is not installed")
    if (tried := in_namespace(CARD.format("eth0") + VPN + DOCKER, "true")).returncode:
        pytest.skip(f"this system lets nobody make a network of their own: {tried.stderr.strip()}")


@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize("kind", KINDS)
def test_only_what_another_device_reaches_counts_and_doctor_knows(kind: str):
    words, expected = KINDS[kind]
    done = in_namespace(words, sys.executable, "-c", ASK)
    assert done.returncode == 0, done.stderr
    found, first, light, text = json.loads(done.stdout)
    assert found == expected
    assert first == (expected[0] if expected else None)
    if expected:
        assert (light, f"http://{in_url(expected[0])}:21399" in text) == ("green", True)
    else:
        assert (light, "join a Wi-Fi" in text) == ("red", True)


def card(index: int, *own: str, kind: str = "", flags: int = UP | RUNNING, **more: int) -> Interface:
    return Interface(index, f"i{index}", kind, flags, addresses=tuple(map(ipaddress.ip_interface, own)), **more)


@pytest.mark.parametrize(
    ("all_", "expected"),
    [
        ([card(1, "192.168.1.20/24", flags=UP), card(2, "10.0.0.7/24")], ["10.0.0.7"]),  # one has no cable
        ([card(1, "192.168.1.20/24", flags=UP)], ["192.168.1.20"]),
        ([card(1, "172.17.0.2/16", kind="veth", metric=0)], ["172.17.0.2"]),  # within a container
        ([card(1, "100.64.0.3/32", kind="tun", flags=UP | RUNNING | POINT_TO_POINT)], ["100.64.0.3"]),
        ([card(1, "10.64.0.3/32", kind="ppp", flags=UP | RUNNING | POINT_TO_POINT)], []),  # the provider's side
        ([card(1, "10.1.1.1/24", "172.17.0.1/16", "127.0.0.1/8", flags=UP | RUNNING | LOOPBACK)], ["10.1.1.1"]),
        ([card(1, "fd12::5/64", "192.168.1.20/24")], ["192.168.1.20"]),
        ([card(1, "2a02:1::5/64", "fd12::5/64", "fe80::5/64")], ["fd12::5", "2a02:1::5"]),
        ([card(1, "10.0.0.1/24", kind="bridge"), card(2, kind="veth", master=1), card(3, master=1)], ["10.0.0.1"]),
        ([card(1, "10.0.0.1/24", kind="bridge"), card(2, kind="tun", master=1)], []),  # virtual machines
    ],
)
def test_the_best_interfaces_alone_count(all_, expected):
    assert [str(address.ip) for address in reachable(all_)] == expected


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "169.254.33.7", "fe80::1%eth0", "0.0.0.0", "224.0.0.251"])
def test_only_addresses_that_others_reach_count(address):
    assert is_reachable("192.168.1.20")
    assert is_reachable("fd12::5")
    assert not is_reachable(address)


def test_where_the_system_tells_no_kinds_the_addresses_still_count(monkeypatch):
    def refused():
        raise OSError("no rtnetlink here")

    told = set(own_addresses())
    monkeypatch.setattr(addresses, "interfaces", refused)
    assert told <= set(own_addresses())
    assert (own_address() is None) == (not own_addresses())


def test_a_device_on_the_same_cable_has_a_public_address_of_ipv6_and_is_near_all_the_same(monkeypatch):
    vpn = card(2, "2a02:2::5/64", kind="wireguard", flags=UP | RUNNING | POINT_TO_POINT)
    wide, one = card(3, "2a02:4::5/32"), card(4, "2a02:5::5/128")
    monkeypatch.setattr(addresses, "interfaces", lambda: (card(1, "2a02:1::5/64", "8.8.8.8/8"), vpn, wide, one))
    near = ("2a02:1::77", "2a02:4::77")  # A house has one /64, however short the prefix of its interface is.
    far = ("2a02:2::77", "2a02:3::1", "8.8.8.9", "2a02:4:0:1::5", "2a02:5::6", "2a02:1:0:1::77")
    assert [is_in_own_network(ipaddress.ip_address(address)) for address in near + far] == [True] * 2 + [False] * 6


def test_a_table_that_listens_everywhere_listens_by_ipv6_at_the_same_port():
    with socket.create_server(("0.0.0.0", 0)) as everywhere, socket.create_server(("127.0.0.1", 0)) as here:
        port = everywhere.getsockname()[1]
        beside = by_ipv6(everywhere)
        if not beside:
            pytest.skip("this machine has no IPv6")
        with beside[0], socket.create_connection(("::1", port), timeout=5) as visitor:
            assert visitor.getpeername()[:2] == ("::1", port)
            assert by_ipv6(everywhere) == []  # The port is taken by now.
        assert by_ipv6(here) == []
