"""What the staff can take back: the entries of a tournament's journal that may count no more."""

from collections.abc import Callable, Collection, Iterator, Sequence

from companion.errors import IllegalEvent
from companion.hub.tournament import events
from companion.hub.tournament.events import Event, TakenBack
from companion.hub.tournament.play import check_idle
from companion.hub.tournament.state import State, apply, first_act, fold, taken_back
from companion.words import _

ACTS = (
    *(events.Entered, events.Withdrawn, events.CameBack, events.RoundPaired, events.Swapped, events.Reseated),
    *(events.Opened, events.Ruled, events.Accepted, events.ResultLeft, events.Timed, events.Ended),
    events.TakenBack,
)
OF_A_ROUND = (
    *(events.Called, events.Swapped, events.Reseated, events.Opened, events.Ruled, events.Accepted, events.ResultTaken),
    events.Timed,
)
"""These change the newest round, or one that they name."""
MOST_SHOWN = 8


def take_back(journal: Sequence[Event], seq: int) -> TakenBack:
    """Takes back what the staff did with entry `seq`, a round with all that was done in it; raises IllegalEvent."""
    gone = taken_back(journal)
    event = journal[seq - 1] if 1 <= seq <= len(journal) else None
    if event is None or seq in gone or not (is_act(event) or isinstance(event, events.Suggested)):
        raise IllegalEvent(_("This was taken back already. Look again."))
    seqs: tuple[int, ...] = (seq,)
    if isinstance(event, events.RoundPaired):
        seqs += tuple(of_round(journal, seq, event.round, gone))
    if isinstance(event, events.Accepted):
        seqs += tuple(corrections_of(journal, seq, event.session, gone))
    seqs += tuple(handed_on(journal, seq, gone))
    return TakenBack(seqs=(*seqs, *what_no_longer_fits((*journal, TakenBack(seqs=seqs)))))


def is_act(event: Event) -> bool:
    """Whether the staff did this, and may take it back."""
    return isinstance(event, ACTS) or (
        isinstance(event, events.Called) and (event.by_hand or event.table == events.PLAIN)
    )


def check_played(journal: Sequence[Event], seq: int, before: State, after: State, playing: Collection[str]) -> None:
    """Raises IllegalEvent where taking back entry `seq` takes an open game from a table that plays it.

    A round alone takes its games with it, played or not.
    """
    if isinstance(journal[first_act(journal, seq) - 1], events.RoundPaired):
        return
    left = {session: play.pairing.table for session, (_round, play) in after.sessions().items()}
    for play in before.open:
        if left.get(play.pairing.session) != play.pairing.table:
            check_idle(play, playing)


def handed_on(journal: Sequence[Event], seq: int, gone: frozenset[int]) -> Iterator[int]:
    """The later entries by which the hub itself gave a game elsewhere that the staff had given to a table."""
    first = first_act(journal, seq)
    given = journal[first - 1]
    if not isinstance(given, events.Called):
        return
    for later in range(first + 1, len(journal) + 1):
        event = journal[later - 1]
        if later in gone or not isinstance(event, events.Called | events.RoundPaired):
            continue
        if isinstance(event, events.RoundPaired) or (event.number == given.number and is_act(event)):
            return
        if later > seq and event.number == given.number:
            yield later


def corrections_of(journal: Sequence[Event], seq: int, session: str, gone: frozenset[int]) -> Iterator[int]:
    """The later entries by which the table has corrected a result that was taken with entry `seq`."""
    for later in range(seq + 1, len(journal) + 1):
        event = journal[later - 1]
        if later not in gone and isinstance(event, events.ResultTaken) and event.session == session:
            yield later


def what_no_longer_fits(journal: Sequence[Event]) -> Iterator[int]:
    """The games that were given to tables, and what players said of them, which are none without what is taken back;
    raises IllegalEvent where anything else no longer fits.
    """
    state, gone = None, taken_back(journal)
    for seq, event in enumerate(journal, start=1):
        if seq in gone or isinstance(event, TakenBack):
            continue
        try:
            state = apply(state, event)
        except IllegalEvent as error:
            if not isinstance(event, events.Called | events.Suggested):
                raise IllegalEvent(_("What came later builds on this. Take that back first.")) from error
            yield seq


def of_round(journal: Sequence[Event], seq: int, number: int, gone: frozenset[int]) -> Iterator[int]:
    """The later entries that are about that round, which is the newest."""
    known = fold(journal[: seq - 1]).sessions() if seq > 1 else {}
    for later in range(seq + 1, len(journal) + 1):
        event = journal[later - 1]
        if later in gone or not isinstance(event, OF_A_ROUND):
            continue
        if isinstance(event, events.Ruled | events.Accepted | events.Timed) and event.round not in (0, number):
            continue
        if isinstance(event, events.ResultTaken) and event.session in known:
            continue
        yield later


def acts(journal: Sequence[Event]) -> list[int]:
    """The numbers of what can be taken back now, the newest first.

    Of each kind MOST_SHOWN at most, so that none hides another: what the staff did, what of that they took back, what
    players suggested, and the seating of rounds, with which all that was done in one goes.
    """
    kinds: tuple[Callable[[Event], bool], ...] = (
        lambda event: is_act(event) and not isinstance(event, (TakenBack, events.RoundPaired)),
        lambda event: isinstance(event, TakenBack),
        lambda event: isinstance(event, events.Suggested),
        lambda event: isinstance(event, events.RoundPaired),
    )
    return sorted((seq for is_listed in kinds for seq in shown_of(journal, is_listed)), reverse=True)


def shown_of(journal: Sequence[Event], is_listed: Callable[[Event], bool]) -> list[int]:
    gone = taken_back(journal)
    shown: list[int] = []
    for seq in range(len(journal), 0, -1):
        if len(shown) == MOST_SHOWN:
            break
        if seq in gone or not is_listed(journal[seq - 1]):
            continue
        try:
            take_back(journal, seq)
        except IllegalEvent:
            continue
        shown.append(seq)
    return shown
