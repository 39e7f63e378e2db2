"""Letters of games that were worked out by hand: the playthroughs, entered into chains."""

from companion.journal import codec
from companion.journal.events import Entry, Posted, Struck
from companion.journal.record import Row, content_of, header_json
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Session, canonical_json
from companion.letters.chain import Chain, pack, unpack
from companion.letters.keys import Key
from companion.shelf import GAMES
from tests.played import FILES, named, read

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(range(1, 33)))
NOON_US = 1_790_000_000_000_000
FINISHED = [path for path in FILES if read(path).winners]
QUICK = next(path for path in FINISHED if path.parent.name == "stack_dice")


def public_of(key_id):
    """The keys that a hub of these tests knows."""
    return {KEY.id: KEY.public}.get(key_id)


def session_of(path, rules=None):
    """The session of a playthrough, and the ids of its players."""
    played = read(path)
    game = GAMES[played.game]
    ids = {player: f"p{number}" for number, player in enumerate(played.players)}
    options = codec.options_from_json(game, named(played.options, ids))
    rules = rules_digest(game.rules.name) if rules is None else rules
    return Session("game-1", game.rules.name, options, tuple(ids.values()), NOON_US, rules=rules), ids


def contents_of(path, session, ids):
    """The texts of the entries."""
    game = GAMES[session.game]
    events = [codec.event_from_json(game, named(step.event, ids)) for step in read(path).steps]
    return [
        content_of(session.id, Entry(seq, f"e{seq}", Posted(event), seq, NOON_US + seq, "tablet", ""))
        for seq, event in enumerate(events, start=1)
    ]


def chain_of(path, rules=None, cut=None, more=()):
    """The chain of a playthrough; `cut` leaves out the entries after it, `more` are contents to follow."""
    session, ids = session_of(path, rules)
    contents = [*contents_of(path, session, ids)[:cut], *more]
    header = canonical_json(header_json(session))
    return unpack(pack(header, [Row(0, "", content, "") for content in contents]))


def struck(seq, target, name="late"):
    """The content of an entry `seq` that strikes the entry `target`."""
    return content_of("game-1", Entry(seq, name, Struck(target), 10**9, NOON_US + 10**9, "tablet", ""))


def ranks_of(chain: Chain, path):
    """The ranking by the rules, whose first group are the winners that the file names."""
    game = GAMES[chain.stored.game]
    session, ids = session_of(path)
    state = game.rules.start(session.options, session.players)
    for step in read(path).steps:
        state = game.rules.apply(state, codec.event_from_json(game, named(step.event, ids)), ruled=False)
    ranks = game.rules.ranking(state)
    assert set(ranks[0]) == {ids[winner] for winner in read(path).winners}
    return ranks
