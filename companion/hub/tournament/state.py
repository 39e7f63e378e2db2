"""The state of a tournament: the fold of its journal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.errors import IllegalEvent
from companion.hub.tournament import events
from companion.hub.tournament.events import MOST_ENTRANTS, MOST_ROUNDS, PLAIN, Event, Form, Pairing, Ranks
from companion.hub.tournament.play import Play, Round
from companion.words import _

MOST_SAYINGS = 40  # of one game: eight players who change their minds four times


@dataclass(frozen=True)
class State:
    """A tournament after some events; `entrants` in the order in which they came in."""

    plan: events.Begun
    entrants: tuple[str, ...] = ()
    withdrawn: frozenset[str] = frozenset()
    rounds: tuple[Round, ...] = ()
    is_ended: bool = False

    @property
    def newest(self) -> Round:
        """The newest round; raises IllegalEvent before the first."""
        if not self.rounds:
            raise IllegalEvent(_("No round is seated yet. Seat the first one."))
        return self.rounds[-1]

    @property
    def open(self) -> tuple[Play, ...]:
        """The games that are neither over nor ruled; () before the first round and after the end."""
        return self.rounds[-1].open if self.rounds and not self.is_ended else ()

    @property
    def present(self) -> tuple[str, ...]:
        """Those who have not withdrawn."""
        return tuple(entrant for entrant in self.entrants if entrant not in self.withdrawn)

    def sessions(self) -> dict[str, tuple[int, Play]]:
        """Session → number of the round and the game, of every game that counts here."""
        return {play.pairing.session: (round_.number, play) for round_ in self.rounds for play in round_.plays}


def fold(journal: Iterable[Event]) -> State:
    """The state after these events; raises IllegalEvent for a journal that does not begin at the beginning."""
    state: State | None = None
    events_ = tuple(journal)
    gone = taken_back(events_)
    for seq, event in enumerate(events_, start=1):
        if seq not in gone and not isinstance(event, events.TakenBack):
            state = apply(state, event)
    if state is None:
        raise IllegalEvent(_("There's no such tournament. Choose one from the list."))
    return state


def taken_back(journal: Sequence[Event]) -> frozenset[int]:
    """The numbers of the entries that count no more."""
    gone: set[int] = set()
    for seq in range(len(journal), 0, -1):
        event = journal[seq - 1]
        if isinstance(event, events.TakenBack) and seq not in gone:
            gone.update(event.seqs)
    return frozenset(gone)


def first_act(journal: Sequence[Event], seq: int) -> int:
    """The number of the entry that entry `seq` takes back, or has count again; its own where it takes nothing back."""
    while isinstance(event := journal[seq - 1], events.TakenBack):
        seq = event.seqs[0]
    return seq


def apply(state: State | None, event: Event) -> State:
    """The state after the event, which takes nothing back; raises IllegalEvent for one that cannot happen now."""
    if state is None or isinstance(event, events.Begun):
        return begin(state, event)
    if state.is_ended and not isinstance(event, events.ResultTaken | events.Accepted | events.ResultLeft):
        raise IllegalEvent(_("This tournament is over. Begin a new one."))
    match event:
        case events.Entered():
            return enter(state, event)
        case events.Withdrawn(entrant=entrant):
            if entrant not in state.present:
                raise IllegalEvent(_("That entrant isn't in any more. Look again."))
            return replace(state, withdrawn=state.withdrawn | {entrant})
        case events.CameBack(entrant=entrant):
            return bring_back(state, entrant)
        case events.RoundPaired():
            return seat_round(state, event)
        case events.Called(number=number, table=table, session=session):
            play = play_at(state, number)
            called = new_play(play, table=table, session=session)
            return with_plays(state, {number: replace(called, sayings=play.sayings) if table == PLAIN else called})
        case events.Swapped():
            return swap(state, event)
        case events.ResultTaken():
            return take_result(state, event)
        case events.Accepted():
            return accept_result(state, event)
        case events.ResultLeft():
            return state
        case events.Ruled():
            return rule(state, event)
        case events.Suggested():
            return suggest(state, event)
        case events.Timed(round=number):
            if number != state.newest.number:
                raise IllegalEvent(_("This round is over. Look again."))
            return state
        case events.Reseated():
            return reseat(state, event)
        case events.Opened():
            return open_again(state, event)
        case events.Ended():
            return end(state)
    raise IllegalEvent(_("This can't be taken back here. Look again."))


def begin(state: State | None, event: Event) -> State:
    """The state in which a tournament begins."""
    if state is not None or not isinstance(event, events.Begun):
        raise IllegalEvent(_("A tournament begins once, and first of all."))
    if event.least > event.most or event.through >= event.most:
        raise IllegalEvent(
            _("Fewer go on than sit at a table, and a table has as many seats as its game. Change that.")
        )
    return State(event)


def enter(state: State, event: events.Entered) -> State:
    """The state with more entrants."""
    entrants = (*state.entrants, *event.entrants)
    if len(set(entrants)) != len(entrants):
        raise IllegalEvent(_("Somebody would be in this tournament twice. Look again."))
    if len(entrants) > MOST_ENTRANTS:
        raise IllegalEvent(_("A tournament has {most_entrants} entrants at most.", most_entrants=MOST_ENTRANTS))
    if state.plan.form is Form.KNOCK_OUT and state.rounds and not is_first_round_open(state):
        raise IllegalEvent(_("A knock-out that has begun takes nobody new. Begin another tournament for them."))
    return replace(state, entrants=entrants)


def is_first_round_open(state: State) -> bool:
    """Whether the first round is seated and not closed."""
    return len(state.rounds) == 1 and not state.newest.is_closed


def bring_back(state: State, entrant: str) -> State:
    """The state in which somebody is in again."""
    if entrant not in state.withdrawn:
        raise IllegalEvent(_("That entrant is in already. Look again."))
    if state.plan.form is Form.KNOCK_OUT and state.rounds:
        raise IllegalEvent(_("A knock-out that has begun takes nobody back. Begin another tournament for them."))
    return replace(state, withdrawn=state.withdrawn - {entrant})


def seat_round(state: State, event: events.RoundPaired) -> State:
    """The state with one more round, in which each entrant sits at most once."""
    if event.round != len(state.rounds) + 1 or event.round > MOST_ROUNDS:
        raise IllegalEvent(_("This round is seated already. Look again."))
    if state.rounds and not state.newest.is_closed:
        raise IllegalEvent(_("The round before isn't closed yet. Look who is missing."))
    seated = [entrant for pairing in event.pairings for entrant in pairing.seats] + list(event.byes)
    if len(set(seated)) != len(seated) or not set(seated) <= set(state.present):
        raise IllegalEvent(_("Each entrant who is in sits once in a round, or has a bye. Seat it again."))
    if any(len(pairing.seats) > state.plan.most for pairing in event.pairings):
        raise IllegalEvent(_("A table has more players than seats. Seat the round again."))
    sessions = [pairing.session for pairing in event.pairings]
    numbers = [pairing.number for pairing in event.pairings]
    if numbers != list(range(1, len(numbers) + 1)) or has_session(state, sessions):
        raise IllegalEvent(_("This round is seated already. Look again."))
    return replace(state, rounds=(*state.rounds, Round(event.round, tuple(map(Play, event.pairings)), event.byes)))


def swap(state: State, event: events.Swapped) -> State:
    """The state in which two entrants have changed seats, at one table or two that are both not done."""
    first, second = play_of(state, event.first), play_of(state, event.second)
    if event.first == event.second or {number for number, _session in event.sessions} != {
        first.pairing.number,
        second.pairing.number,
    }:
        raise IllegalEvent(_("Choose two entrants who sit in this round."))
    other = {event.first: event.second, event.second: event.first}
    sessions = dict(event.sessions)
    pairings = {
        play.pairing.number: new_play(
            play,
            seats=tuple(other.get(entrant, entrant) for entrant in play.pairing.seats),
            session=sessions[play.pairing.number],
        )
        for play in (first, second)
    }
    return with_plays(state, pairings)


def reseat(state: State, event: events.Reseated) -> State:
    """The state in which the newest round is seated so; games that are done stay as they are."""
    newest, changed = state.newest, {pairing.number: Play(pairing) for pairing in event.pairings}
    plays = {play.pairing.number: play for play in newest.plays}
    for number in {*changed, *event.dissolved} & plays.keys():
        play_at(state, number)
    plays = {number: play for number, play in plays.items() if number not in event.dissolved} | changed
    seated = [entrant for play in plays.values() for entrant in play.pairing.seats] + list(event.byes)
    may_sit = {*state.present, *newest.byes, *(entrant for play in newest.plays for entrant in play.pairing.seats)}
    if not plays or len(set(seated)) != len(seated) or not set(seated) <= may_sit:
        raise IllegalEvent(_("Each entrant who is in sits once in a round, or has a bye. Seat it again."))
    if any(len(pairing.seats) > state.plan.most for pairing in event.pairings):
        raise IllegalEvent(_("A table has more players than seats. Seat the round again."))
    if has_session(state, [pairing.session for pairing in event.pairings]):
        raise IllegalEvent(_("This round is seated already. Look again."))
    round_ = Round(newest.number, tuple(plays[number] for number in sorted(plays)), event.byes)
    return replace(state, rounds=(*state.rounds[:-1], round_))


def open_again(state: State, event: events.Opened) -> State:
    """The state in which a game that was done is to be played again."""
    play = find_play(state, event.number)
    if not play.is_done or has_session(state, [event.session]):
        raise IllegalEvent(_("This game is open already. Look again."))
    return with_plays(state, {event.number: new_play(play, table="", session=event.session)})


def take_result(state: State, event: events.ResultTaken) -> State:
    """The state in which a game has that result. In a round that is over an unfinished game changes nothing."""
    number, play = state.sessions().get(event.session, (0, None))
    if play is None:
        raise IllegalEvent(_("This game isn't one of the tournament."))
    if not event.ranks and (number < len(state.rounds) or state.is_ended):
        return state
    check_ranks(play, event.ranks)
    return with_plays(state, {play.pairing.number: replace(play, head=event.head, ranks=event.ranks)}, number)


def accept_result(state: State, event: events.Accepted) -> State:
    """The state in which a game is the one whose result the staff have taken."""
    found = (round_.plays for round_ in state.rounds if round_.number == event.round)
    play = next((one for plays in found for one in plays if one.pairing.number == event.number), None)
    if play is None or (event.session != play.pairing.session and has_session(state, [event.session])):
        raise IllegalEvent(_("This game isn't one of the tournament."))
    check_ranks(play, event.ranks)
    accepted = replace(new_play(play, table=event.table, session=event.session), head=event.head, ranks=event.ranks)
    return with_plays(state, {event.number: accepted}, event.round)


def rule(state: State, event: events.Ruled) -> State:
    """The state in which the staff have decided a game, or have taken that back."""
    play = find_play(state, event.number, event.round)
    if not event.ranks and not play.ruled:
        raise IllegalEvent(_("Nothing is ruled in this game. Look again."))
    check_ranks(play, event.ranks)
    return with_plays(state, {event.number: replace(play, ruled=event.ranks)}, event.round)


def suggest(state: State, event: events.Suggested) -> State:
    """The state in which a player has said how an open game of the newest round ended."""
    number, play = state.sessions().get(event.session, (0, None))
    if play is None or number != len(state.rounds) or play.is_done:
        raise IllegalEvent(_("This game is decided already, or isn't in this round. Look again."))
    if event.by not in play.pairing.seats:
        raise IllegalEvent(_("Only players of this game may say how it ended."))
    if play.is_at_ours:
        raise IllegalEvent(_("The table sends the result of this game by itself."))
    if len(play.sayings) >= MOST_SAYINGS:
        raise IllegalEvent(_("So much was suggested for this game that the staff decide it. Ask them."))
    check_ranks(play, event.ranks)
    return with_plays(state, {play.pairing.number: replace(play, sayings=(*play.sayings, (event.by, event.ranks)))})


def end(state: State) -> State:
    """The state in which it is over."""
    if state.rounds and not state.newest.is_closed:
        raise IllegalEvent(_("The round before isn't closed yet. Look who is missing."))
    return replace(state, is_ended=True)


def check_ranks(play: Play, ranks: Ranks) -> None:
    """Raises IllegalEvent unless each player of the game has one place, or nobody has any."""
    placed = [entrant for group in ranks for entrant in group]
    if ranks and (sorted(placed) != sorted(play.pairing.seats) or () in ranks):
        raise IllegalEvent(_("Each player of the game needs one place. Choose them again."))


def find_play(state: State, number: int, round_: int = 0) -> Play:
    """The game with that number in a round, 0 for the newest one; raises IllegalEvent."""
    at = state.newest if not round_ else state.rounds[round_ - 1] if round_ <= len(state.rounds) else None
    for play in at.plays if at else ():
        if play.pairing.number == number:
            return play
    raise IllegalEvent(_("There's no such game in this round. Look again."))


def play_at(state: State, number: int) -> Play:
    """The game with that number in the newest round, which is not done; raises IllegalEvent."""
    play = next((candidate for candidate in state.newest.plays if candidate.pairing.number == number), None)
    if play is None or play.is_done:
        raise IllegalEvent(_("This game is decided already, or isn't in this round. Look again."))
    return play


def play_of(state: State, entrant: str) -> Play:
    """The game in which somebody sits in the newest round, which is not done; raises IllegalEvent."""
    play = next((candidate for candidate in state.newest.plays if entrant in candidate.pairing.seats), None)
    if play is None or play.is_done:
        raise IllegalEvent(_("Only players of a game that isn't decided yet can change seats. Choose somebody else."))
    return play


def new_play(play: Play, **changes: object) -> Play:
    """The game as a new one, of which nothing is known."""
    fields = {name: getattr(play.pairing, name) for name in play.pairing.__struct_fields__}
    return Play(Pairing(**{**fields, **changes}))


def with_plays(state: State, changed: dict[int, Play], number: int = 0) -> State:
    """The state with some games of a round changed, by their numbers; 0 for the newest round."""
    number = number or len(state.rounds)

    def changed_play(play: Play) -> Play:
        return changed.get(play.pairing.number, play)

    rounds = tuple(
        replace(round_, plays=tuple(map(changed_play, round_.plays))) if round_.number == number else round_
        for round_ in state.rounds
    )
    return replace(state, rounds=rounds)


def has_session(state: State, sessions: Iterable[str]) -> bool:
    """Whether one of these ids is taken already."""
    return not state.sessions().keys().isdisjoint(sessions)
