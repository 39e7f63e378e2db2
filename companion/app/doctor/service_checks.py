"""What the running table says of its parts: doctor asks it, as it has the pins and cameras itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from companion import machine
from companion.app.doctor.checks import Light, Table
from companion.app.doctor.host_checks import options_of_running, own_url
from companion.foreign import Unreadable, read_json
from companion.house.status import StatusLine, is_trouble
from companion.network import outgoing
from companion.words import joined, listed

PARTS_PATH = "/api/parts"
ANSWER_S = 2.0  # Each part has five seconds.
MOST_ANSWER_BYTES = 100_000
STRANGER = (
    "A table runs here, and tells strangers nothing: type this as the table's own user, "
    "sudo -u table-companion companion doctor …"
)
OLDER = "Something runs at this port that does not say how its parts are; it may be an older version."


@dataclass(frozen=True)
class Running:
    """What the table at a port says.

    lines   part → how it is
    silence why nothing could be seen, "" without a table
    is_demo whether its box is a simulated one
    """

    lines: Mapping[str, StatusLine] = field(default_factory=dict)
    silence: str = ""
    is_demo: bool = False

    def has(self, part: str) -> bool:
        return part in self.lines and self.lines[part].state != "off"

    def verdict(self, *parts: str) -> tuple[Light, str]:
        """How these parts are, in the table's own words."""
        lines = {part: self.lines[part] for part in parts if part in self.lines}
        light = Light.RED if any(is_trouble(part, line.state) for part, line in lines.items()) else Light.GREEN
        return light, f"The running table says: {' '.join(line.text for line in lines.values())}"


def ask_parts(port: int) -> Running:
    """How the parts of the table at this port are now."""
    try:
        url = own_url(port, PARTS_PATH)
        answer = outgoing.ask("GET", url, within_s=ANSWER_S, most_bytes=MOST_ANSWER_BYTES)
        if answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return Running(silence=STRANGER)
        if answer.status != HTTPStatus.OK:
            return Running(silence=OLDER)
        lines = {one["part"]: StatusLine(str(one["state"]), str(one["text"])) for one in read_json(answer.body)}
        return Running(lines, "" if lines else OLDER, bool(options_of_running(port).get("demo")))
    except OSError:
        return Running()
    except (Unreadable, KeyError, TypeError):
        return Running(silence=OLDER)


def check_running(table: Table) -> tuple[Light, str]:
    """Checks that every part of the running table works, by its own word."""
    running = ask_parts(table.port)
    if not running.lines:
        return Light.OFF, running.silence or f"No table runs at port {table.port}, so none was asked."
    troubles = [line.text for part, line in running.lines.items() if is_trouble(part, line.state)]
    if troubles:
        return Light.RED, f"The running table says: {' '.join(troubles)}"
    absent = listed(part for part in running.lines if not running.has(part))
    there = f" Not there: {absent}." if absent else ""
    return Light.GREEN, f"The running table has no trouble with any of its parts.{there}"


def check_buttons(running: Running) -> tuple[Light, str]:
    """How the box of the running table is; what nobody can measure is said."""
    parts = [part for part in running.lines if part.startswith(("box", "button", "lights", "status light", "buzzer"))]
    light, said = running.verdict(*parts)
    return light, f"{said} Only you can tell whether lamps light and the buzzer sounds: see “Set up the table”."


def check_power(table: Table) -> tuple[Light, str]:
    """Checks voltage, heat and the disk of this machine, as far as its kernel tells."""
    now, running = machine.look(table.data), ask_parts(table.port)
    told = running.lines.get("power")
    unseen = f"The kernel does not tell {listed(now.unseen)}." if now.unseen else ""
    if now.troubles or told:
        sentences = dict.fromkeys((now.told(), told.text if told else ""))
        return Light.RED, joined(filter(None, (*sentences, unseen)), " ")
    if not now.seen - {"card"}:
        return Light.OFF, unseen
    heat = f", {now.heat_c:.0f} °C" if now.heat_c is not None else ""
    return Light.GREEN, f"The kernel tells {listed(now.senses)}, and no trouble{heat}. {unseen}".strip()
