"""MQTT messages about the table for home automation, with discovery for Home Assistant. Optional.

All messages are retained by the broker, except events, which are of the moment. Players are called by their seats,
"seat 1", or by their names if the host says so. Nothing here can hold up the table: messages that cannot be sent are
sent again when the broker answers.
"""

import datetime
import json
import logging
import math
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from companion.app.service.whole_table import WholeTable, moment
from companion.changes import Live
from companion.clock import wall_us
from companion.errors import BadInput
from companion.foreign import read_address
from companion.game.events import Due
from companion.game.players import PlayerId
from companion.house.host import Host
from companion.journal.events import Entry, Posted
from companion.journal.settings import MQTT_ID
from companion.letters.offer import veil_session
from companion.logs import only_logged
from companion.network.outgoing import line_to
from companion.packages import MQTT, install_command
from companion.periodic import PeriodicThread, spread
from companion.shelf import GAMES
from companion.table.table import Table
from companion.words import N_, _

PREFIX, DISCOVERY = "table-companion", "homeassistant"
PORTS = {"mqtt": 1883, "mqtts": 8883}
LOOK_S = 1.0  # The state changes by the clock alone, too: a countdown, the last seconds.
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 60.0
KEEPALIVE_S = 30  # A broker that accepts a line and says nothing has so long, too.
TURN_S = 1.0  # What is published ends it.
MOST_STATE = 255  # Home Assistant shows no longer one.
CONNECT_S = 5.0
NOTHING = "None"  # This is Home Assistant's word for "unknown".
# The topic `table` holds for HOLDS_US, and is said anew when RENEWED_US of that are left. A last will alone goes stale:
# a broker that dies together with the table never sends it, and keeps the old state for whoever asks.
HOLDS_US, RENEWED_US = 90_000_000, 60_000_000


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Broker:
    """The broker's address. `user` and `password` are "" for a broker that needs none.

    is_owners   whether the table's owner has named it, and not a hub alone
    """

    host: str
    port: int
    secure: bool
    user: str = ""
    password: str = ""
    is_owners: bool = True


def broker_of(url: str) -> Broker:
    """The broker of a URL, mqtt://user:password@host:1883, or mqtts:// for TLS.

    Raises BadInput, also if the client library is not installed.
    """
    try:
        parts = read_address(url)
        port = parts.port or PORTS[parts.scheme]
    except KeyError as error:
        raise BadInput(_("The broker's address starts with mqtt:// or mqtts://, as in mqtt://192.168.1.5.")) from error
    if not parts.hostname or parts.path not in ("", "/"):
        raise BadInput(_("The broker's address must be mqtt://HOST or mqtt://USER:PASSWORD@HOST:PORT. Correct it."))
    paho()
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Broker(parts.hostname, port, parts.scheme == "mqtts", user, password)


def paho() -> ModuleType:
    """The client library, which is an optional dependency; raises BadInput if it is not installed."""
    try:
        from paho.mqtt import client
    except ImportError as error:
        raise BadInput(
            _(
                "MQTT needs one more package. Install it with {command}",
                command=install_command(MQTT),
            )
        ) from error
    return client


def client_of(broker: Broker, client_id: str = "") -> Any:
    """A client of this broker, which is not connected yet; raises BadInput as `paho` does."""
    library = paho()
    client = library.Client(library.CallbackAPIVersion.VERSION2, client_id=client_id)
    client.suppress_exceptions = True  # One of ours would end the client's thread.
    client.enable_logger(log)
    if broker.secure:
        client.tls_set()
    if broker.user:
        client.username_pw_set(broker.user, broker.password)
    return client


class Line(PeriodicThread):
    """Keeps a client connected and calls its callbacks, from `start` to `stop`. Its own thread nobody would know."""

    def __init__(self, name: str, client: Any, broker: Broker) -> None:
        super().__init__(name, self._turn)
        self._client, self._retry_s = client, FIRST_RETRY_S
        client.on_socket_register_write = lambda *_: None  # What is published elsewhere is sent by this thread alone.
        client.connect_async(broker.host, broker.port, keepalive=KEEPALIVE_S)

    def stop(self) -> None:
        self._client.disconnect()
        super().stop()
        self._leave()

    def _leave(self) -> None:
        if self._client.socket():
            self._client.disconnect()
            self._client.loop_write()

    def _turn(self) -> float:
        """One round: sends and receives, or connects; returns the seconds until the next."""
        try:
            if self._client.socket() or not self._client.reconnect():
                if self.is_stopping:  # It was stopped while it connected, maybe long ago.
                    self._leave()
                    return 0.0
                is_lost = self._client.loop(TURN_S)
                if self._client.is_connected():
                    self._retry_s = FIRST_RETRY_S
                if not is_lost:
                    return 0.0
        except OSError as error:
            log.debug("the broker does not answer: %s", error)
            if on_fail := self._client.on_connect_fail:
                on_fail(self._client, None)
        wait_s, self._retry_s = spread(self._retry_s), min(2 * self._retry_s, LONGEST_RETRY_S)
        return wait_s


State = dict[str, Any]


class MqttPublisher(PeriodicThread):
    """Publishes the table's state and events to one broker, from `start` to `stop`."""

    PART = "mqtt"
    CONNECTED = N_("The MQTT broker is connected.")
    REFUSED = N_("The MQTT broker refused the table. Check the user and password.")
    LOST = N_("The MQTT broker doesn't answer. You can play on without it.")

    def __init__(
        self,
        host: Host,
        broker: Broker,
        *,
        names: bool = False,
        now_us: Callable[[], int] = wall_us,
        sign: Callable[[State], State] = lambda state: state,
    ) -> None:
        """
        names   whether players are called by their names instead of their seats
        now_us  gives the wall time
        sign    signs the topic `table`, for a table that a hub knows
        """
        super().__init__(self.PART, self._follow, hung_s=math.inf)
        self._host, self._names, self._now_us, self._sign = host, names, now_us, sign
        self._whole_table = WholeTable(host, self._who)
        house = MQTT_ID.of(host.journal)
        if not house:
            house = secrets.token_hex(4)
            MQTT_ID.put(host.journal, house)
        self._house, self._base = house, f"{PREFIX}/{house}"
        self._published: dict[str, str] = {}  # topic → the value that the broker retains
        self._whole: tuple[dict[str, Any], int] | None = None
        """What the topic `table` retains, and until when it holds."""
        self._lock = threading.Lock()
        self._is_leaving = False
        self._client = client_of(broker, f"{PREFIX}-{house}-{self.PART}")
        self._client.will_set(f"{self._base}/availability", "offline", qos=1, retain=True)
        self._client.on_connect = self._on_connect
        self._client.on_connect_fail = lambda _client, _data: self._host.status.set(self.PART, "down", _(self.LOST))
        self._client.on_disconnect = self._on_disconnect
        self._line = Line(f"{self.PART} line", self._client, broker)

    def start(self) -> None:
        """Connects, in the background, and begins to publish."""
        self._line.start()
        super().start()

    def stop(self) -> None:
        """Publishes that the table is offline, disconnects, and ends the thread."""
        with self._lock:
            self._is_leaving = True  # What was said after the farewell would take it back.
        if self._client.is_connected():
            self._say_farewell().wait_for_publish(timeout=1)
        self._line.stop()
        super().stop()

    def _say_farewell(self) -> Any:
        """Publishes that the table leaves, for a hub signed; returns the message on its way."""
        now_us = self._now_us()
        self._publish_whole({**self._whole_table.now(now_us), "left": True}, now_us)
        return self._client.publish(f"{self._base}/availability", "offline", qos=1, retain=True)

    def _on_connect(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self._host.status.set(self.PART, "down", _(self.REFUSED))
            return
        self._host.status.set(self.PART, "ok", _(self.CONNECTED))
        self._introduce(client)
        client.publish(f"{self._base}/availability", "online", qos=1, retain=True)
        with self._lock:
            self._published.clear()
            self._whole = None
        self._tell_state()

    def _introduce(self, client: Any) -> None:
        """Tells a home automation which entities there are."""
        for topic, config in discoveries(self._house):
            client.publish(topic, json.dumps(config), qos=1, retain=True)

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self._host.status.set(self.PART, "down", _(self.LOST))

    def _follow(self) -> float | None:
        """Publishes the changes of the active game, as long as it is active."""
        live, active = self._host.live, self._host.active.session
        table = self._host.table(active) if active else None
        since = table.seq if table else 0
        for _changed in changes_of(live, active):
            if table:
                for entry in table.entries_since(since):
                    since = entry.seq
                    self._tell_entry(table, entry)
            self._tell_state()
            if self.is_stopping or self._host.active.session != active:
                break
        return None if live.is_closed or self.is_stopping else 0.0

    def _tell_state(self) -> None:
        with only_logged("telling the broker"), self._lock:
            if self._is_leaving:
                return
            for topic, value in self._state().items():
                if self._published.get(topic) != value:
                    self._published[topic] = value
                    self._client.publish(f"{self._base}/{topic}", value, qos=0, retain=True)
            now_us = self._now_us()
            whole = self._whole_table.now(now_us)
            if self._whole is None or self._whole[0] != whole or not holds(self._whole[1], now_us):
                self._whole = (whole, now_us + HOLDS_US)
                self._publish_whole(whole, now_us)

    def _publish_whole(self, whole: State, now_us: int) -> Any:
        """Publishes the state of the whole table; returns the message on its way.

        It has no game's id: whoever listens could send a result under it.
        """
        session, until = whole["session"], moment(now_us + HOLDS_US)
        veiled = {**whole, "session": session and veil_session(session)}
        payload = self._sign({**veiled, "at": moment(now_us, "milliseconds"), "until": until})
        return self._client.publish(f"{self._base}/table", json.dumps(payload), qos=1, retain=True)

    def _state(self) -> dict[str, str]:
        active = self._host.active.session
        trouble = {"trouble": " ".join(self._host.status.troubles())[:MOST_STATE] or NOTHING}
        if active is None:
            return {"game": NOTHING, "state": "waiting", "turn": NOTHING, "clock": NOTHING, **trouble}
        table = self._host.table(active)
        now_us = table.now_us()
        turn = ", ".join(self._who(table, player_) for player_ in table.session.players if player_ in table.awaiting)
        return {
            "game": table.game.pages.title,
            "state": str(table.look(now_us).phase),
            "turn": turn or NOTHING,
            "clock": zero_of(table.due, now_us),
            **trouble,
        }

    def _tell_entry(self, table: Table, entry: Entry) -> None:
        """Publishes an entry, and the dice if any were rolled."""
        event = entry.body.event if isinstance(entry.body, Posted) else entry.body
        player = getattr(event, "player", None)
        message = {"event_type": type(event).__name__, "game": table.game.rules.name, "entry": entry.seq}
        if player is not None:
            message["player"] = self._who(table, player)
        self._client.publish(f"{self._base}/event", json.dumps(message), qos=0)
        thrown = table.game.rules.dice.thrown(event, table.session.options) if isinstance(entry.body, Posted) else ()
        if thrown:
            self._client.publish(f"{self._base}/roll", " ".join(str(die.value) for die in thrown), qos=0, retain=True)
            dice = [{"die": die.die, "value": die.value} for die in thrown]
            self._client.publish(f"{self._base}/dice", json.dumps(message | {"dice": dice}), qos=0)

    def _who(self, table: Table, player: PlayerId) -> str:
        if self._names:
            return table.names.get(player, "somebody")
        return f"seat {table.session.players.index(player) + 1}"


class HallPublisher(MqttPublisher):
    """Publishes the whole table, and nothing else, to the broker of the table's hub."""

    PART = "hall"
    CONNECTED = N_("The hall's board shows this table.")
    REFUSED = N_("The hall's board doesn't take this table. Ask the hub's staff.")
    LOST = N_("The hall's board doesn't hear this table. You can play on without it.")

    def __init__(self, host: Host, broker: Broker, **more: Any) -> None:
        super().__init__(host, broker, **more)
        # The library would look the name up by itself at each connection, and go wherever it leads by then.
        go_there = partial(line_to, broker.host, broker.port, CONNECT_S, is_owners=broker.is_owners)
        self._client._create_socket_connection = go_there

    def _introduce(self, client: Any) -> None:
        pass

    def _state(self) -> dict[str, str]:
        return {}

    def _tell_entry(self, table: Table, entry: Entry) -> None:
        pass


def holds(until_us: int, now_us: int) -> bool:
    """Whether a state that holds until then need not be said anew; it must where the clock was set back meanwhile."""
    return RENEWED_US < until_us - now_us <= HOLDS_US


def changes_of(live: Live, active: str | None) -> Iterator[str | None]:
    """Yields at once, then whenever something may be new about the table, and each second."""
    changes = live.changes(("status", *([f"session:{active}"] if active else [])), LOOK_S)
    yield None
    yield from changes


def zero_of(due: Due[object] | None, now_us: int) -> str:
    """When the running clock shows zero, in ISO 8601; NOTHING while none runs."""
    if due is None:
        return NOTHING
    zero = datetime.datetime.now(datetime.UTC) + datetime.timedelta(microseconds=due.at_us - now_us)
    return zero.replace(microsecond=0).isoformat()


def discoveries(house: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(topic, configuration) of each entity that Home Assistant shows by itself."""
    kinds = {kind.__name__ for game in GAMES.values() for kind in game.rules.events}
    entities: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("sensor", "game", "Game", {"icon": "mdi:dice-multiple"}),
        ("sensor", "state", "State", {"icon": "mdi:traffic-light"}),
        ("sensor", "turn", "Turn", {"icon": "mdi:account-arrow-right"}),
        ("sensor", "clock", "Clock shows zero", {"device_class": "timestamp"}),
        ("sensor", "trouble", "Trouble", {"icon": "mdi:alert"}),
        ("sensor", "roll", "Last roll", {"icon": "mdi:dice-5"}),
        (
            "event",
            "event",
            "Event",
            {"event_types": sorted(kinds | {"Undone", "Struck", "Amended", "EndedEarly", "StoodIn"})},
        ),
    )
    for component, topic, name, more in entities:
        yield (
            f"{DISCOVERY}/{component}/{PREFIX}-{house}/{topic}/config",
            {
                "name": name,
                "unique_id": f"{PREFIX}-{house}-{topic}",
                "state_topic": f"{PREFIX}/{house}/{topic}",
                "availability_topic": f"{PREFIX}/{house}/availability",
                "device": {"identifiers": [f"{PREFIX}-{house}"], "name": "Table", "manufacturer": "Table companion"},
                "origin": {"name": "Table companion"},
                **more,
            },
        )
