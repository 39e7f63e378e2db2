"""Whether a game that arrived is what its table claims: played again by the rules of this program."""

from collections.abc import Callable
from multiprocessing.connection import Connection

from companion.errors import BadInput, IllegalEvent
from companion.foreign import read_json
from companion.game.game import AnyGame, State
from companion.journal.events import misdirected, timeline
from companion.journal.export import session_of
from companion.journal.record import entries_of
from companion.journal.rules_digest import rules_digest
from companion.letters.chain import unpack
from companion.letters.envelope import Envelope, Letter
from companion.shelf import GAMES
from companion.words import _

Judge = Callable[[Letter, bytes], None]
"""Raises BadInput as `judge` does; the bytes are the letter as it came."""

READY, YES, NO = b"ready", b"yes", b"no"


def can_judge(letter: Letter) -> bool:
    """Whether the game was begun by the very rules that this program has; any other is kept, and not ranked here."""
    game = letter.chain.stored.game
    return game in GAMES and letter.envelope.rules == rules_digest(game)


def judge(letter: Letter, _data: bytes = b"") -> None:
    """Raises BadInput if a game that `can_judge` was not played by its rules, or has another ranking than claimed."""
    game = GAMES[letter.chain.stored.game]
    ranks = game.rules.ranking(final_state(game, letter))
    claimed = tuple(frozenset(group) for group in letter.envelope.ranks)
    if tuple(map(frozenset, ranks)) != claimed:
        raise BadInput(_("The game's ranking isn't the one its table sent. Let the table send it again."))


def final_state(game: AnyGame, letter: Letter) -> State:
    session = session_of(letter.chain.header)
    entries = entries_of(game, letter.chain.rows, letter.chain.entries)
    if (seq := misdirected(entries)) is not None:
        raise BadInput(_("Entry {seq} of the game changes one that isn't there. The file is damaged.", seq=seq))
    try:
        state = game.rules.start(session.options, session.players)
    except IllegalEvent as error:
        raise BadInput(_("This game can't start with its options: {why}", why=error.sentence)) from error
    for step in timeline(entries):
        try:
            state = game.rules.apply(state, step.event, ruled=step.ruled)
        except IllegalEvent as error:
            raise BadInput(
                _("Entry {seq} of the game is against the rules: {why}", seq=step.seq, why=error.sentence)
            ) from error
    return state


def confirm_letters(line: Connection) -> None:
    """The main function of a process that judges beside the hub: READY, then YES or NO to each letter.

    The letters are some that the hub has opened: signatures are not checked again. Raises EOFError once the hub ends.
    """
    line.send_bytes(READY)
    while True:
        envelope, signature, chain = line.recv_bytes().split(b"\n", 2)
        opened = read_json(envelope, Envelope)
        try:
            judge(Letter(opened, bytes.fromhex(signature.decode()), unpack(chain)))
        except BadInput:
            line.send_bytes(NO)
        else:
            line.send_bytes(YES)
