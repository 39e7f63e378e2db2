"""Whom the table that runs on this machine takes for the host, and what stands between: asked of the table itself.

What it was started with stands in its command line, as the kernel lists it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.app.cli.run import run
from companion.app.doctor.checks import Light, Table
from companion.foreign import Unreadable, read_json
from companion.network import outgoing, peers
from companion.network.addresses import in_url
from companion.network.peers import Address, Grounds

NOT_RUNNING: Mapping[str, Any] = MappingProxyType({})
SEEN_PATH = "/api/seen"
ANSWER_S = 4.0  # The part has five seconds.
MOST_ANSWER_BYTES = 10_000
EVERY_ADDRESS = "0.0.0.0"
SENTENCES = {
    Grounds.OWN: "It takes this terminal for the host: nothing stands between, and who asks is the table's own user.",
    Grounds.SCREEN: "It takes this terminal for the host: nothing stands between, and who asks is its screen's user.",
    Grounds.OTHER_USER: "It takes this terminal for a stranger, as the table runs as another user of this machine.",
    Grounds.SPEAKS_FOR_OTHERS: "It takes this terminal for a stranger, as others could be asking through this program.",
    Grounds.NAME: "It takes this terminal for a stranger, as the name that it listens at may be somebody else's.",
    Grounds.UNSEEN: "It takes this terminal for a stranger, as it cannot see which program asks; "
    "a table in a container never can.",
}


@dataclass(frozen=True)
class Sighting:
    """What the table says of a request of this program.

    role        None if it takes this terminal for a stranger
    heard_from  where it sees the request come from
    here        where this program asked from
    """

    role: str | None
    grounds: Grounds
    heard_from: Address
    here: Address


def check_host(table: Table) -> tuple[Light, str]:
    """Says who is taken for the host without showing anything, this terminal above all, and which proxies count."""
    options = options_of_running(table.port)
    if not peers.can_tell():
        who = "This system does not tell who asks, so the start prints a one-time link for this machine's browser"
    else:
        who = "Browsers of the table's own user on this machine"
        if options.get("screen_user"):
            who += f", and the screen of {options['screen_user']}"
    light, sentence = ask(options.get("address", EVERY_ADDRESS), table.port)
    if options is NOT_RUNNING and not sentence:
        return Light.GREEN, f"{who}. No table runs at port {table.port}, so none names a proxy."
    if options is NOT_RUNNING:
        proxies = "Whether it names a proxy can only be seen where it was started."
    elif options["proxies"]:
        proxies = f"Proxies named: {', '.join(options['proxies'])}."
    else:
        proxies = "No proxy is named."
    return light, f"{who}. {sentence or 'It gives no answer just now.'} {proxies}"


def ask(address: str, port: int) -> tuple[Light, str]:
    """What the table at a port takes this program for, in one sentence; "" if nobody answers there.

    address     on which it listens
    """
    try:
        url = url_at(address, port, SEEN_PATH)
        answer = outgoing.ask("GET", url, within_s=ANSWER_S, most_bytes=MOST_ANSWER_BYTES)
        if answer.status != HTTPStatus.OK:
            return Light.GREEN, "What answers there does not say whom it sees; it may be an older version."
        fields = read_json(answer.body)
        sighting = Sighting(
            fields["role"], Grounds(fields["grounds"]), (fields["address"], fields["port"]), peers.plain(answer.here)
        )
    except OSError:
        return Light.GREEN, ""
    except (Unreadable, ValueError, KeyError, TypeError):
        return Light.GREEN, "What answers there is no table companion."
    return verdict_of(sighting)


def own_url(port: int, path: str) -> str:
    """Where this machine asks the table at a port."""
    return url_at(options_of_running(port).get("address", EVERY_ADDRESS), port, path)


def url_at(address: str, port: int, path: str) -> str:
    return f"http://{'127.0.0.1' if address == EVERY_ADDRESS else in_url(address)}:{port}{path}"


def verdict_of(sighting: Sighting) -> tuple[Light, str]:
    """The sentence on whom the table sees, and on what stands between."""
    adds_headers = sighting.grounds in (Grounds.HEADERS, Grounds.NAMED_PROXY)
    between = adds_headers or sighting.heard_from != sighting.here
    if between and sighting.role is not None:
        return Light.RED, (
            "A program stands between this terminal and the table and passes requests on, and whoever comes through it "
            "is the host: stop it, or run it as another user."
        )
    if adds_headers:
        return Light.GREEN, "A proxy stands between this terminal and the table; who comes through it is a stranger."
    if between and sighting.grounds is Grounds.ADDRESS:
        return Light.GREEN, (
            f"It hears this terminal from {sighting.heard_from[0]}: a container or a forwarder stands between, and who "
            "comes that way is a stranger."
        )
    if between:
        return Light.GREEN, "A forwarder stands between this terminal and the table; who comes through is a stranger."
    if sighting.grounds is Grounds.ADDRESS:
        return Light.GREEN, (
            f"It takes this terminal for a stranger, as it listens at {sighting.heard_from[0]} alone: to have this "
            "machine as the host, leave --host away."
        )
    return Light.GREEN, SENTENCES[sighting.grounds]


def options_of_running(port: int) -> Mapping[str, Any]:
    """The options of the table at a port, by the names of `run`; NOT_RUNNING if none is seen."""
    for words in command_lines():
        names = [Path(word).name for word in words]
        for at in range(1, len(names)):
            if names[at - 1 : at + 1] == ["companion", "run"]:
                options = run.make_context("run", words[at + 1 :], resilient_parsing=True).params
                if options["port"] == port:
                    return options
    return NOT_RUNNING


def command_lines() -> Iterator[list[str]]:
    """The command lines of all programs that this user may look at."""
    for path in peers.PROC.glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().decode(errors="replace").split("\0")[:-1]
        except OSError:  # The program has ended.
            continue
