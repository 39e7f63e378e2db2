"""In the emulated ARM machine: the first start in a house, with NetworkManager and the kernel's simulated radios.

The table has one radio of `mac80211_hwsim`. A phone and each router of the neighbourhood have one of their own, in a
network namespace of their own, and are what they would be: wpa_supplicant, a client or a server of DHCP, HTTP. So what
is tried is the installed helper with its unit, NetworkManager and the page.
"""

import html
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOGS = Path("/run/report")
RUN = Path("/run/radios")
PASSWORD = Path("/var/lib/table-wifi/password")
COMPANION = Path("/opt/table-companion/current/venv/bin/companion")
MANAGED = """\
[keyfile]
unmanaged-devices=interface-name:wlan*;except:interface-name:wlan0
"""
OWN, OWN_ADDRESS = "table-setup", "10.42.77.1"
LED_ASTRAY = "captive.apple.com"  # what a phone asks for, to see whether there is the Internet
ASKS = "Which Wi-Fi is yours?"
TOOK_NOT, NO_ADDRESS = " didn't take that password", " let the table in but gave it no address"
SOON_S = 600.0  # a limit, never a pause
LOOK_S = 1.0
ANSWER_S = 20.0
NAME_ANSWERS_S = 5.0
# A client of DHCP leaves it to a script to set the address.
SET_ADDRESS = """\
#!/bin/sh
[ "$1" != bound ] || ip addr replace "$ip/$mask" dev "$interface"
"""


@dataclass
class Router:
    """A house's Wi-Fi.

    name        what it calls itself
    password    "" where it has none
    key         how it is protected, in wpa_supplicant's words
    number      of its addresses: 192.168.NUMBER.0/24
    gives       whether it gives addresses
    shows       whether it tells its name to whoever listens
    device      its radio, once it has one
    """

    name: str
    password: str
    key: str
    number: int
    gives: bool = True
    shows: bool = True
    device: str = ""
    programs: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def space(self) -> str:
        return f"house{self.number}"

    def start(self) -> None:
        """It is in the air from now on; raises TimeoutError."""
        words = ["mode=2", f"ssid={self.name.encode().hex()}", "frequency=2412", f"key_mgmt={self.key}"]
        words += [f'psk="{self.password}"', "proto=RSN", "pairwise=CCMP"] if self.password else []
        words += ["ieee80211w=2"] if self.key == "SAE" else []
        words += [] if self.shows else ["ignore_broadcast_ssid=1"]
        with within(self.space):
            call("ip", "addr", "add", f"192.168.{self.number}.1/24", "dev", self.device)
            self.programs.append(supplicant(self.space, self.device, words))
            if self.gives:
                addresses = f"192.168.{self.number}.50,192.168.{self.number}.90,1h"
                server = ["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--port=0", "--bind-interfaces"]
                server += ["--user=root"]
                server += [f"--interface={self.device}", f"--dhcp-range={addresses}", f"--dhcp-leasefile={self.leases}"]
                self.programs.append(begun(self.space, "dnsmasq", server))
        log = LOGS / f"{self.space}-wpa.log"
        after_s(f"{self.name} in the air", lambda: "AP-ENABLED" in log.read_text())

    def end(self) -> None:
        """It is switched off."""
        end(*self.programs)

    @property
    def leases(self) -> Path:
        return RUN / f"{self.space}.leases"

    def has(self) -> str:
        """The address of who is in it, "" for nobody: there is no other than the table."""
        lines = self.leases.read_text().splitlines() if self.leases.exists() else []
        return lines[-1].split()[2] if lines else ""

    def sees_the_table(self) -> bool:
        """Whether the table answers whoever is at home here, at its address."""
        with within(self.space):
            return bool(self.has()) and asked(f"http://{self.has()}/healthz")[0] == 200

    def finds_the_table(self) -> bool:
        """Whether `table.local` is the table's address for whoever asks, as tablets do."""
        with within(self.space):
            return bool(self.has()) and socket.inet_aton(self.has()) in told_of(
                "table.local", f"192.168.{self.number}.1"
            )


# Names and passwords as people have them; the third is WPA3 alone, the fifth gives no addresses.
ROUTERS = (
    Router("Home & Söhne", "correct horse", "WPA-PSK", 71),
    Router('Café ";1', "", "NONE", 72),
    Router("Next", r"a\b;c =#d", "SAE", 73),
    Router("Quiet", "nobody hears me", "WPA-PSK", 74, shows=False),
    Router("Empty", "no addresses here", "WPA-PSK", 75, gives=False),
)


class Phone:
    """A phone in the table's own Wi-Fi, which it joins again whenever that is there."""

    def __init__(self, device: str) -> None:
        self._device = device
        words = [f"ssid={OWN.encode().hex()}", f'psk="{PASSWORD.read_text().strip()}"', "key_mgmt=WPA-PSK"]
        with within("phone"):
            self._program = supplicant("phone", device, words)

    def ask_for_an_address(self) -> None:
        """As after joining."""
        script = RUN / "set-address"
        script.write_text(SET_ADDRESS)
        script.chmod(0o755)
        client = ["busybox", "udhcpc", "-i", self._device, "-n", "-q", "-f", "-t", "3", "-s", str(script)]
        with within("phone"), (LOGS / "phone-dhcp.log").open("ab") as log:
            subprocess.run(["ip", "addr", "flush", "dev", self._device], check=True)
            subprocess.run(client, stdout=log, stderr=log)

    def is_led(self) -> bool:
        """Whether any name is the table's, and any page leads to the one that chooses the Wi-Fi."""
        with within("phone"):
            command = ["busybox", "nslookup", LED_ASTRAY, OWN_ADDRESS]
            said = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_S).stdout
            there = re.findall(r"^Address[^:]*:\s+([0-9.]+)$", said, re.M)
            status, leads, _page = asked(f"http://{OWN_ADDRESS}/hotspot-detect.html", host=LED_ASTRAY)
        return OWN_ADDRESS in there and status == 302 and leads == f"http://{OWN_ADDRESS}/wifi"

    def sees(self) -> str:
        """The page as it reads; "" as long as the phone is not in the table's Wi-Fi."""
        with within("phone"):
            status, _leads, page = asked(f"http://{OWN_ADDRESS}/wifi")
        if status == 200:
            return read(page)
        self.ask_for_an_address()
        return ""

    def sees_all(self, names: list[str]) -> bool:
        """Whether the page has them all."""
        page = self.sees()
        return all(name in page for name in names)

    def chooses(self, router: Router, password: str) -> None:
        """Taps a Wi-Fi, types its password and taps *Connect the table*; raises ValueError if that is refused."""
        named = {"ssid": router.name.encode().hex()} if router.shows else {"name": router.name}
        with within("phone"):
            status, _leads, page = asked(f"http://{OWN_ADDRESS}/wifi/join", named | {"password": password})
        if status != 200:
            raise ValueError(f"{router.name} was refused with {status}: {read(page)}")

    def looks_again(self) -> None:
        """Taps *Look again*; raises ValueError if that is refused."""
        with within("phone"):
            status, _leads, page = asked(f"http://{OWN_ADDRESS}/wifi/listen", {})
        if status != 200:
            raise ValueError(f"looking again was refused with {status}: {read(page)}")

    def end(self) -> None:
        """It is switched off."""
        end(self._program)


@contextmanager
def within(space: str) -> Iterator[None]:
    """What is done meanwhile, by this thread and by what it starts, is done in that network namespace."""
    here, there = (os.open(path, os.O_RDONLY) for path in ("/proc/thread-self/ns/net", f"/run/netns/{space}"))
    try:
        os.setns(there, os.CLONE_NEWNET)
        yield
    finally:
        os.setns(here, os.CLONE_NEWNET)
        os.close(here)
        os.close(there)


def call(*words: str) -> None:
    """Runs a program; raises CalledProcessError."""
    subprocess.run(words, check=True, timeout=SOON_S)


def begun(space: str, name: str, words: list[str]) -> "subprocess.Popen[bytes]":
    """A program that stays."""
    with (LOGS / f"{space}-{name}.log").open("ab") as log:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def end(*programs: "subprocess.Popen[bytes]") -> None:
    """Ends programs, and waits for that."""
    for program in programs:
        program.terminate()
        program.wait(SOON_S)


def supplicant(space: str, device: str, network: list[str]) -> "subprocess.Popen[bytes]":
    """wpa_supplicant with one network."""
    settings = RUN / f"{space}.conf"
    settings.write_text("network={\n" + "".join(f"  {word}\n" for word in network) + "}\n")
    settings.chmod(0o600)
    return begun(space, "wpa", ["wpa_supplicant", "-D", "nl80211", "-i", device, "-c", str(settings)])


def asked(url: str, form: dict[str, str] | None = None, host: str = "") -> tuple[int, str, str]:
    """Status, where it leads and the page; status 0 where nobody answers."""
    data = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(url, data, {"Host": host} if host else {})
    try:
        with urllib.request.build_opener(StayHere).open(request, timeout=ANSWER_S) as answer:
            return answer.status, "", answer.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.headers.get("Location", ""), refusal.read().decode()
    except OSError:
        return 0, "", ""


class StayHere(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: where a page leads is what is to be seen."""

    def redirect_request(self, *_: Any) -> None:
        return None


def read(page: str) -> str:
    """What a page says, as it is read."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def told_of(name: str, from_address: str) -> bytes:
    """The answer of whoever in that network has a name, by multicast DNS (RFC 6762); b"" if nobody does."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    question = bytes([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + labels + bytes([0, 0, 1, 0x80, 1])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        asks.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(from_address))
        asks.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        asks.settimeout(NAME_ANSWERS_S)
        try:
            asks.sendto(question, ("224.0.0.251", 5353))
            return asks.recv(9000)
        except OSError:
            return b""


def hand_out() -> Phone:
    """A radio for each; what starts the phone's."""
    RUN.mkdir(exist_ok=True)
    settings = Path("/run/NetworkManager/conf.d")
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "radios.conf").write_text(MANAGED)
    call("systemctl", "reload", "NetworkManager")
    call("modprobe", "mac80211_hwsim", f"radios={len(ROUTERS) + 2}")
    call("udevadm", "settle")
    radios = sorted(Path("/sys/class/ieee80211").iterdir(), key=lambda radio: int(radio.name.removeprefix("phy")))
    devices = []
    for radio, space in zip(radios[1:], ["phone", *(router.space for router in ROUTERS)], strict=True):
        devices.append(next((radio / "device" / "net").iterdir()).name)
        call("ip", "netns", "add", space)
        call("iw", "phy", radio.name, "set", "netns", "name", space)
    for router, device in zip(ROUTERS, devices[1:], strict=True):
        router.device = device
    return Phone(devices[0])


def after_s(what: str, is_so: Callable[[], bool]) -> float:
    """The seconds until it is so; raises TimeoutError."""
    began_s = time.monotonic()
    while not is_so():
        if time.monotonic() - began_s > SOON_S:
            raise TimeoutError(f"{what}: not within {SOON_S:.0f} s")
        time.sleep(LOOK_S)
    return round(time.monotonic() - began_s, 1)


def first_start() -> dict[str, Any]:
    """A table without a network, and a power cut in its street that ends; the seconds of each step."""
    found: dict[str, Any] = {}
    phone = hand_out()
    try:
        choose(phone, found)
        return {"ok": True} | found
    except (ValueError, TimeoutError) as error:
        return {"ok": False, "why": str(error)} | found
    finally:
        phone.end()
        for router in ROUTERS:
            router.end()
        units = [word for unit in ("NetworkManager", "wpa_supplicant", "table-wifi") for word in ("-u", unit)]
        with (LOGS / "wifi.log").open("wb") as log:
            subprocess.run(["journalctl", "--no-pager", "-o", "short-monotonic", *units], stdout=log, timeout=SOON_S)


def choose(phone: Phone, found: dict[str, Any]) -> None:
    """Each Wi-Fi is chosen, two of them in vain; raises ValueError or TimeoutError where that goes otherwise.

    found       gets the seconds of each step
    """
    home, cafe, next_door, quiet, empty = ROUTERS
    found["opened"] = opened(phone)
    if not phone.is_led():
        raise ValueError("a phone that looks for the Internet is not led to the page")
    for router in ROUTERS:
        router.start()
    phone.looks_again()
    shown = [router.name for router in ROUTERS if router.shows]
    found["looked again"] = after_s(f"a page with {shown}", lambda: phone.sees_all(shown))
    for router, password, why in ((home, "mistyped", TOOK_NOT), (empty, empty.password, NO_ADDRESS)):
        phone.chooses(router, password)
        told = router.name + why
        found[told] = after_s(told, lambda told=told: told in phone.sees())
    for router in (cafe, next_door, quiet, home):
        if router is not cafe:
            call(str(COMPANION), "wifi", "open")
            found[f"opened before {router.name}"] = opened(phone)
        phone.chooses(router, router.password)
        found[f"in {router.name}"] = after_s(f"in {router.name}", router.sees_the_table)
    found["table.local"] = after_s("table.local", home.finds_the_table)
    for router in ROUTERS:
        if router.gives:
            router.leases.write_text("")  # dnsmasq has it open
    call("systemctl", "restart", "NetworkManager", "table-wifi")
    back = "back after a restart"
    found[back] = after_s(back, lambda: any(router.sees_the_table() for router in ROUTERS))


def opened(phone: Phone) -> float:
    """The seconds until a phone sees the page in the table's own Wi-Fi."""
    return after_s("opened", lambda: ASKS in phone.sees())
