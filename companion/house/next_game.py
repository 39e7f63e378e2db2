"""From one game to the next: another game with the same players, putting a game aside, and the next group."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from companion.clock import wall_us
from companion.errors import BadInput, NotFound
from companion.game.players import PlayerId
from companion.house.host import Host
from companion.journal.codec import options_to_json
from companion.journal.devices import Role
from companion.journal.session import Session, canonical_json, digest
from companion.journal.settings import CLEARED_WALL_US
from companion.letters.offer import Offer
from companion.names import alike
from companion.shelf import GAMES
from companion.table.table import Table
from companion.words import _, language, languages, speak

MOST_SEATS = 100
NEXT_ID_LENGTH = 24


def begin_again(host: Host, session_id: str, game_name: str, maker: str = "") -> Table:
    """The next game with the same players.

    game_name   the same game, set up alike; or another game of its family, set up as printed

    Everybody keeps the seat, and with it button, space and dice. Where the game has a switch for who begins, the next
    seat does, unless the switches are locked.
    maker       as in `Host.create`

    A second tap, on any tablet, makes no second game. Devices that play for one seat move along with their player.
    Raises BadInput for a game of another family.
    """
    before = host.table(session_id)
    new_session_id = next_id(host, before, game_name)
    order = before.session.players
    if game_name == before.game.rules.name:
        options = {} if before.session.locked else next_options(before)
        preset = before.session.preset
    elif game_name in GAMES and before.game.rules.family and GAMES[game_name].rules.family == before.game.rules.family:
        options, preset = {}, GAMES[game_name].pages.presets[0].name
    else:
        raise BadInput(_("These players can only change to a game of the same family. Start a new game for another."))
    if host.journal.header(new_session_id) is not None:
        table = host.table(new_session_id)
    else:
        spare = (name for name in map(nobody, itertools.count(1)) if name not in before.names.values())
        names = [before.names.get(player) or next(spare) for player in order]  # A deleted player has no name.
        table = host.create(game_name, names, options, new_session_id, preset, maker=maker)
    # A second tap does it, too: at the first a full disk may have refused this.
    take_along(host, session_id, table, dict(zip(order, table.session.players, strict=True)))
    return table


def take_along(host: Host, session_id: str, table: Table, players: Mapping[PlayerId, PlayerId]) -> None:
    """Has the devices that play for these seats go on at the next table: player of the game before → player there."""
    host.access.tickets.move(session_id, table.session.id, players)
    host.status.changed()  # A page that asked while the game was made heard where its seat was before.


def begin_offered(host: Host, session_id: str, maker: str = "") -> Table:
    """The game that the hub has for this table, with its players; a second tap makes no second one.

    session_id  as it was offered; raises NotFound if the hub has another one by now, or none
    maker       as in `Host.create`, which says what else is raised
    """
    offer = host.offered
    if offer is None or offer.session != session_id:
        raise NotFound(_("The hall has no such game for this table any more. Look at the first page again."))
    names, ids = [player.name for player in offer.players], [player.id for player in offer.players]
    return host.create(offer.game, names, {}, offer.session, offer.preset, maker=maker, ids=ids)


def open_offer(host: Host) -> Offer | None:
    """The game that the hub has for this table and that was not begun here yet, None for none."""
    offer = host.offered
    if offer is None or host.journal.header(offer.session) is not None or host.journal.is_deleted(offer.session):
        return None
    return offer


@dataclass(frozen=True)
class NextSeat:
    """Somebody at a seat of the next game, and the player of the game before who stays there, "" for a new one."""

    name: str
    player: PlayerId


def begin_with_others(host: Host, before: Table, seats: Sequence[NextSeat], session_id: str, maker: str = "") -> Table:
    """The same game with other players, or in another order, set up as the game before.

    Whoever stays keeps their mark, and the devices that play for that seat move along. A player whose name was typed
    over does not stay.

    session_id, maker   as in `Host.create`

    Raises BadInput or IllegalEvent, as `Host.create` does, if these players cannot play it; then nothing has changed.
    """
    session, marks = before.session, host.marks(before)
    options = {} if session.locked else dict(options_to_json(session.options))
    if (which := before.game.rules.first_seat) in options and options[which] and options[which] > len(seats):
        options[which] = 1  # The seat that began is not there any more.
    table = host.create(session.game, [seat.name for seat in seats], options, session_id, session.preset, maker=maker)
    pairs = zip(seats, table.session.players, strict=True)
    staying = {
        seat.player: player
        for seat, player in pairs
        if seat.player in marks and alike(before.names.get(seat.player, "")) == alike(seat.name)
    }
    host.people.keep_marks({player: marks[old] for old, player in staying.items()})
    take_along(host, session.id, table, staying)
    return table


def next_options(before: Table) -> dict[str, object]:
    """The options of a game for the next one, in which the next seat begins if a switch says who does."""
    options = dict(options_to_json(before.session.options))
    if which := before.game.rules.first_seat:
        options[which] = (options[which] or 1) % len(before.session.players) + 1
    return options


def next_id(host: Host, before: Table, game_name: str) -> str:
    """The id of the game that comes after another: the same for every tablet that asks.

    It changes when the game before is corrected, and when the next game is over or put aside: then the players have
    come back to play from there once more.
    """
    parts = [before.session.id, game_name, before.fingerprint]
    ids = (digest(canonical_json([*parts, number]))[:NEXT_ID_LENGTH] for number in itertools.count(1))
    return next(id_ for id_ in ids if not is_behind(host, id_))


def is_behind(host: Host, session_id: str) -> bool:
    """Whether there is a game with that id and it is over, ended early or put aside, or there was one."""
    if host.journal.is_deleted(session_id):
        return True
    if host.journal.header(session_id) is None:
        return False
    table = host.table(session_id)
    return not table.is_played or is_put_aside(host, table.session)


def nobody(seat: int) -> str:
    """The name of a seat while nobody has typed one."""
    return _("Player {seat}", seat=seat)


def is_nobody(name: str) -> bool:
    """Whether a name is only that of a seat, in any language: another tablet's form may have filled it in."""
    return name in _seat_names()


def in_own_words(name: str) -> str:
    """The name, translated into the current language if it is only a seat's."""
    return nobody(_seat_names()[name]) if is_nobody(name) else name


@cache
def _seat_names() -> Mapping[str, int]:
    """Name of a seat, in every language → the seat."""
    spoken = language()
    names: dict[str, int] = {}
    try:
        for code in languages():
            speak(code)
            names |= {str(nobody(seat)): seat for seat in range(1, MOST_SEATS + 1)}
    finally:
        speak(spoken)
    return names


def last_names(host: Host) -> tuple[str, ...]:
    """The names of those who played last, by seat; empty without games, or if the table was cleared since."""
    for summary in host.sessions(1):
        if not is_put_aside(host, summary.session):
            return tuple(summary.known_names.values())
    return ()


def is_put_aside(host: Host, session: Session) -> bool:
    """Whether a game began before the table was last cleared and is not the active game."""
    return session.id != host.active.session and session.created_wall_us <= CLEARED_WALL_US.of(host.journal)


def clear(host: Host) -> None:
    """Clears the table for the next group: puts every game aside and revokes the tickets of players and watchers."""
    CLEARED_WALL_US.put(host.journal, wall_us())
    host.active.release()
    host.access.tickets.show_out(Role.PLAYER, Role.WATCHER)
