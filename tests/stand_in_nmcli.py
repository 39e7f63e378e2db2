"""A stand-in for NetworkManager and its command: nmcli(1) as far as the table uses it, on a file that holds its world.

It refuses, and says so, as NetworkManager's documentation and its own library's messages do; it reads profiles by
nm-settings-keyfile(5): owned by nobody else's eyes, names as bytes, values escaped as GLib does.
"""

import configparser
import json
import os
import re
import sys
from pathlib import Path

FAILED, UNKNOWN, NOT_RUNNING = 4, 10, 8  # nmcli(1), "exit status"
TAKEN_ALL_THE_SAME = 0  # as NetworkManager 1.42 ends after a file that it does not take


class Refused(Exception):
    """What nmcli says, and the status it ends with."""


class World:
    """The air around the radio, and what NetworkManager keeps; a file, so that each call of the command sees it."""

    def __init__(self, file):
        self.file = Path(file)

    def read(self):
        return json.loads(self.file.read_text())

    def change(self, **parts):
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.read() | parts))
        new.replace(self.file)

    def hears(self, **networks):
        """What is in the air: name → password, "" for none, or (password, nmcli's words, gives addresses)."""
        air = {}
        for name, told in networks.items():
            password, words, gives = told if isinstance(told, tuple) else (told, "WPA2" if told else "", True)
            air[name.encode().hex()] = {
                "password": password,
                "words": words,
                "gives": gives,
                "signal": 90 - 20 * len(air),
            }
        self.change(air=air)

    def command(self, folder):
        """A program to call in the place of nmcli."""
        program = folder / "nmcli"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" "{self.file}" "$@"\n')
        program.chmod(0o755)
        return str(program)

    @property
    def calls(self):
        return self.read()["calls"]

    @property
    def profiles(self):
        return self.read()["profiles"]

    @property
    def active(self):
        """The name of the network that the radio is in or makes, "" for none."""
        world = self.read()
        return world["profiles"][world["active"]]["ssid"] if world["active"] else ""

    @classmethod
    def new(cls, file, radio="disconnected", cable="unavailable"):
        devices = [["eth0", "ethernet", cable], ["wlan0", "wifi", radio], ["lo", "loopback", "unmanaged"]]
        world = {"running": True, "devices": devices, "air": {}, "profiles": {}, "active": "", "calls": []}
        Path(file).write_text(json.dumps(world))
        return cls(file)


def unescaped(value):
    return re.sub(r"\\(.)", lambda found: {"s": " ", "\\": "\\", "n": "\n", "t": "\t"}[found[1]], value)


def read_profile(path):
    """A profile; raises Refused for a file that NetworkManager would not take."""
    if path.stat().st_mode & 0o077:
        raise Refused(f"Could not load file '{path}'", TAKEN_ALL_THE_SAME)
    file = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    file.read(path, encoding="utf-8")
    if file["connection"]["type"] != "wifi":
        raise Refused(f"Could not load file '{path}'", TAKEN_ALL_THE_SAME)
    ssid = bytes(map(int, file["wifi"]["ssid"].rstrip(";").split(";")))
    security = file["wifi-security"] if file.has_section("wifi-security") else {}
    password = unescaped(security["psk"]) if security else ""
    if security and security["key-mgmt"] == "wpa-psk" and not 8 <= len(password) <= 64:
        raise Refused(f"Could not load file '{path}'", TAKEN_ALL_THE_SAME)
    return file["connection"]["uuid"], {
        "file": str(path),
        "id": file["connection"]["id"],
        "ssid": ssid.decode("utf-8", "replace"),
        "hex": ssid.hex(),
        "mode": file["wifi"]["mode"],
        "hidden": file["wifi"].get("hidden", "false"),
        "method": file["ipv4"]["method"],
        "address": file["ipv4"].get("address1", ""),
        "key": security["key-mgmt"] if security else "",
        "password": password,
        "itself": file["connection"].get("autoconnect", "true") == "true",
    }


def terse(*fields):
    return ":".join(re.sub(r"([:\\])", r"\\\1", field) for field in fields)


def activate(world, uuid):
    """Raises Refused with the reason that libnm has for it."""
    profile = world["profiles"].get(uuid)
    if profile is None:
        raise Refused(f"Error: unknown connection '{uuid}'.", UNKNOWN)
    world["active"] = ""
    if profile["mode"] == "infrastructure":
        there = world["air"].get(profile["hex"])
        why = ""
        if there is None:
            why = "The Wi-Fi network could not be found"
        elif (there["password"], bool(there["words"])) != (profile["password"], bool(profile["key"])):
            why = "Secrets were required, but not provided"
        elif not there["gives"]:
            why = "IP configuration could not be reserved (no available address, timeout, etc.)"
        if why:
            radio(world)[2] = "disconnected"
            raise Refused(f"Error: Connection activation failed: {why}", FAILED)
    world["active"] = uuid
    radio(world)[2] = "connected"


def radio(world):
    return next(device for device in world["devices"] if device[1] == "wifi")


def heard(world):
    """Lines of the list of networks: one that makes its own network hears no other."""
    own = world["profiles"].get(world["active"])
    if own and own["mode"] == "ap":
        return [(True, own["hex"], 0, "WPA2")]
    joined = own["hex"] if own else ""
    return [(ssid == joined, ssid, each["signal"], each["words"]) for ssid, each in world["air"].items()]


def answer(world, words):
    """What a command says; changes the world."""
    if not world["running"]:
        raise Refused("Error: NetworkManager is not running.", NOT_RUNNING)
    match words:
        case ["--fields", "DEVICE,TYPE,STATE", "device", "status"]:
            return [terse(*device) for device in world["devices"]]
        case ["--fields", "UUID,NAME,TYPE,AUTOCONNECT", "connection", "show"]:
            return [
                terse(uuid, each["id"], "802-11-wireless", "yes" if each["itself"] else "no")
                for uuid, each in world["profiles"].items()
            ]
        case ["--fields", "SSID-HEX,SIGNAL,SECURITY", "device", "wifi", "list", "ifname", "wlan0", "--rescan", "yes"]:
            return [terse(ssid.upper(), str(signal), security) for _, ssid, signal, security in heard(world)]
        case ["--fields", "ACTIVE,SSID-HEX", "device", "wifi", "list", "ifname", "wlan0", "--rescan", "no"]:
            return [terse("yes" if active else "no", ssid.upper()) for active, ssid, *_ in heard(world)]
        case ["connection", "load", path]:
            uuid, profile = read_profile(Path(path))
            world["profiles"][uuid] = profile
        case ["--wait", _, "connection", "up", "uuid", uuid, "ifname", "wlan0"]:
            activate(world, uuid)
        case ["connection", "down", "uuid", uuid]:
            if world["active"] != uuid:
                raise Refused(f"Error: '{uuid}' is not an active connection.", UNKNOWN)
            world["active"], radio(world)[2] = "", "disconnected"
        case ["connection", "modify", "uuid", uuid, "connection.autoconnect", "yes"]:
            world["profiles"][uuid]["itself"] = True
        case ["connection", "delete", "uuid", uuid]:
            os.unlink(world["profiles"].pop(uuid)["file"])
        case _:
            raise Refused(f"Error: argument '{' '.join(words)}' not understood.", 2)
    return []


def main(file, *words):
    world = json.loads(Path(file).read_text())
    world["calls"].append(list(words))
    try:
        said, status = answer(world, list(words)[3:]), 0  # after --terse --colors no
    except Refused as refused:
        said, status = [], refused.args[1]
        print(refused.args[0], file=sys.stderr)
    World(file).change(**world)
    print(*said, sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
