"""A game as a file: JSON lines that any companion can read, replay and verify.

The first line is the session's header. The second has the data outside the hash chain: the players' names, the reasons
of rulings, and the hashes of pictures that entries asked for. Then each entry has a line.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json
from companion.game.events import TABLE
from companion.game.game import AnyGame, State
from companion.ids import is_id
from companion.journal import codec
from companion.journal.events import Reason, Step, misdirected, timeline
from companion.journal.record import FORMAT, Row, StoredHeader, broken_link, read_rows
from companion.journal.session import Session, canonical_json
from companion.names import names_as_written
from companion.shelf import GAMES
from companion.words import _

MOST_LINES = 200_000  # No game has as many entries.


@dataclass(frozen=True)
class GameFile:
    """An exported game as read.

    header      the text that the hash chain begins with
    evidence    entry → hash of the picture that it asked for
    reasons     entry → what was typed for it
    broken_at   the first entry whose hash does not hold, None when all do
    """

    session: Session
    header: str
    names: Mapping[str, str]
    rows: tuple[Row, ...]
    broken_at: int | None
    evidence: Mapping[int, str]
    reasons: Mapping[int, Reason]


class Unchained(msgspec.Struct, omit_defaults=True):
    """The fields of a game file outside the chain."""

    names: dict[str, str]
    evidence: dict[int, Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]] = {}
    reasons: dict[int, Reason] = {}


def session_of(header: str) -> Session:
    """The session that a header describes; raises BadInput when it describes none."""
    try:
        stored = read_json(header, StoredHeader)
    except Unreadable as error:
        raise BadInput(_("This isn't a saved game. Choose a file that this program saved.")) from error
    if stored.format != FORMAT:
        raise BadInput(_("This game was saved by a newer companion. Update this one."))
    game = GAMES.get(stored.game)
    if game is None:
        if stored.package:
            raise BadInput(_("Its game comes with the package {package}. Install that again.", package=stored.package))
        raise BadInput(_("This companion doesn't know the game {game!r}. Update it.", game=stored.game[:40]))
    if len(set(stored.players)) != len(stored.players) or TABLE in stored.players:
        raise BadInput(_("Two players of the game can't be told apart. The file is damaged."))
    options = codec.options_from_json(game, stored.options)
    if stored.locked and not stored.preset:
        raise BadInput(_("A locked game must name its preset. The file is damaged."))
    players = tuple(stored.players)
    return Session(
        stored.session,
        stored.game,
        options,
        players,
        stored.created_wall_us,
        stored.preset,
        stored.locked,
        stored.rules,
        stored.package,
    )


def read_game_file(text: str) -> GameFile:
    """The game in the text of a game file; raises BadInput when the text is none."""
    lines = text.split("\n", MOST_LINES + 1)  # Without a limit a file of nothing but line ends would fill the memory.
    if not lines[-1]:
        lines.pop()
    if not lines or len(lines) > MOST_LINES:
        raise BadInput(_("This isn't a saved game. Choose a file that this program saved."))
    session = session_of(lines[0])
    if not all(map(is_id, (session.id, *session.players))):
        raise BadInput(_("An id in the game has characters that ours never have. The file is damaged."))
    try:
        unchained = read_json(lines[1], Unchained) if len(lines) > 1 else Unchained({})
        players = set(session.players)
        names = {player: name for player, name in unchained.names.items() if player in players}
        rows = []
        for line in lines[2:]:
            data = read_json(line)
            stored_hash = data.pop("hash")
            rows.append(Row(int(data["seq"]), str(data["id"]), canonical_json(data), str(stored_hash)))
        checked = names_as_written(list(names.values())) if names else ()
    except (Unreadable, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(_("A line of the game can't be understood. The file is damaged.")) from error
    if not all(is_id(row.id) for row in rows):
        raise BadInput(_("An id in the game has characters that ours never have. The file is damaged."))
    if len({row.id for row in rows}) != len(rows):
        raise BadInput(_("Two entries of the game have the same id. The file is damaged."))
    header = canonical_json(read_json(lines[0]))
    checked_names = dict(zip(names, checked, strict=True))
    evidence = {row.seq: unchained.evidence[row.seq] for row in rows if row.seq in unchained.evidence}
    typed = {row.seq: unchained.reasons[row.seq] for row in rows if row.seq in unchained.reasons}
    broken_at = broken_link(header, tuple(rows))
    if broken_at is None:
        _check_reasons(GAMES[session.game], tuple(rows), typed)
    return GameFile(session, header, checked_names, tuple(rows), broken_at, evidence, typed)


def _check_reasons(game: AnyGame, rows: tuple[Row, ...], typed: Mapping[int, Reason]) -> None:
    """Raises BadInput for a text that was not typed when its entry was made."""
    for entry in read_rows(game, tuple(row for row in rows if row.seq in typed), typed):
        if not entry.salt:
            raise BadInput(_("The reason in entry {seq} was changed after the game. Export it again.", seq=entry.seq))


def steps_of(game_file: GameFile) -> tuple[Step, ...]:
    """The events of a game file that count; raises BadInput for what is no entry, or about one that is not there."""
    entries = read_rows(GAMES[game_file.session.game], game_file.rows, game_file.reasons)
    if (seq := misdirected(entries)) is not None:
        raise BadInput(_("Entry {seq} of the game changes one that isn't there. The file is damaged.", seq=seq))
    return timeline(entries)


def replayed(game_file: GameFile, steps: Iterable[Step]) -> State:
    """The state a game file ends in, by its steps; raises IllegalEvent when it cannot be played."""
    game = GAMES[game_file.session.game]
    state = game.rules.start(game_file.session.options, game_file.session.players)
    for step in steps:
        state = game.rules.apply(state, step.event, ruled=step.ruled)
    return state


def write_game_file(
    header: str,
    names: Mapping[str, str],
    rows: Iterable[tuple[Row, ...]],
    evidence: Mapping[int, str],
    reasons: Mapping[int, Reason] = MappingProxyType({}),
) -> Iterator[str]:
    """The text of a game file with this stored header, in as many pieces as the rows come in, after the first lines."""
    unchained = Unchained(dict(names), dict(evidence), dict(reasons))
    yield _as_lines((read_json(header), msgspec.to_builtins(unchained)))
    for some in rows:
        yield _as_lines({**read_json(row.content), "hash": row.hash} for row in some)


def _as_lines(values: Iterable[object]) -> str:
    return "".join(f"{canonical_json(value)}\n" for value in values)
