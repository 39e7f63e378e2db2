"""The dice tray: rolls of any dice, turn by turn; the rule sheet is docs/games/dice_tray.md (TR-…)."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

from companion.errors import IllegalEvent
from companion.game.dice import D6
from companion.game.players import PlayerId
from companion.games import resting, rulings
from companion.games.dice_tray import lying
from companion.games.dice_tray.lying import COLOURS, NO_COLOUR, Die, Stayed
from companion.games.dice_tray.options import FEWEST_PLAYERS, MOST_DICE, MOST_PLAYERS, SIX, WHY_SEATS_STAY, Options
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.games.seats import check_player, clockwise
from companion.words import _, _n

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "score", "start", "winners"]


@dataclass(frozen=True)
class Rolled:
    """A player rolled these dice; of the roll before, those that stayed were kept (TR-11, TR-12)."""

    throw: ClassVar = True
    player: str
    dice: tuple[Die, ...]
    kept: tuple[Stayed, ...] = ()


@dataclass(frozen=True)
class RolledAgain:
    """A player rolled one more die for each six of the newest roll (TR-14)."""

    throw: ClassVar = True
    player: str
    dice: tuple[Die, ...]


@dataclass(frozen=True)
class Counted:
    """A player let count what lies there, and the next one rolls (TR-13)."""

    player: str


@dataclass(frozen=True)
class Closed:
    """The table ended the game (TR-31)."""


Event = Rolled | RolledAgain | Counted | Closed | Rested | Returned | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


@dataclass(frozen=True)
class Turn:
    """A finished turn: whose, in which round, and the dice that counted."""

    player: str
    round: int
    dice: tuple[Die, ...]


@dataclass(frozen=True)
class State:
    """The state of a tray.

    turn    who rolls
    round   the round of that turn, from 1
    dice    what lies there in that turn, each die in its place
    rolls   how often its player has rolled
    fresh   how many dice of the newest roll show a six, while they may be rolled again
    turns   all finished turns
    """

    options: Options
    players: tuple[str, ...]
    turn: str
    round: int = 1
    dice: tuple[Die, ...] = ()
    rolls: int = 0
    fresh: int = 0
    turns: tuple[Turn, ...] = ()
    closed: bool = False
    resting: frozenset[str] = frozenset()
    rulings: tuple[Ruling, ...] = ()


def start(options: Options, players: tuple[str, ...]) -> State:
    """The first seat rolls first (TR-10); raises IllegalEvent for options that cannot be played (TR-01, TR-02)."""
    options.check(players)
    return State(options, players, players[0])


def round_of(state: State) -> int:
    """The round that is played, or the last one in which somebody rolled."""
    return state.turns[-1].round if is_over(state) and state.turns else state.round


def awaiting(state: State) -> frozenset[PlayerId]:
    """Who rolls."""
    return frozenset() if is_over(state) else frozenset({state.turn})


def may_close(state: State) -> bool:
    """Whether everybody has had as many turns, so that closing the game now is fair."""
    seats = [player for player in state.players if player not in state.resting]
    return bool(state.turns) and not state.dice and state.turn == seats[0]


def left_to_roll(state: State, kept: int) -> int | None:
    """How many dice are thrown in the next roll when so many are kept; None: any number (TR-02)."""
    if state.fresh:
        return state.fresh
    return state.options.dice - kept if state.options.dice else None


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now; it takes any other roll, too, and Closed at any time."""
    if player not in awaiting(state):
        return ()
    count = left_to_roll(state, 0) or 2
    rolls: list[Event] = [(RolledAgain if state.fresh else Rolled)(player, (Die(value),) * count) for value in D6]
    if state.dice and not state.fresh and len(state.dice) > 1:
        stayed = Stayed(1, state.dice[0].colour)
        rolls.append(Rolled(player, (Die(SIX),) * (len(state.dice) - 1), (stayed,)))
    return (*rolls, *((Counted(player),) if state.dice else ()), *((Closed(),) if may_close(state) else ()))


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the sheet forbids it.

    ruled   the table insists: somebody else rolled, or the game goes on after its end
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    if is_over(state) and not ruled:
        raise IllegalEvent(_("The game is over. Take that back in the history, or begin a new one."))
    if isinstance(event, Closed):
        return replace(state, closed=True)
    check_player(state.players, event.player)
    if isinstance(event, Rested | Returned):
        after = replace(state, resting=resting.changed(state.resting, event, state.players))
        return moved_on(after) if state.turn in after.resting else after  # TR-15
    resting.check_plays(state.resting, event.player)
    if event.player != state.turn:
        if not ruled:
            raise IllegalEvent(_("It's somebody else's roll. Wait for your turn."))
        state = replace(state, turn=event.player, dice=(), rolls=0, fresh=0)
    match event:
        case Rolled():
            return rolled(state, event)
        case RolledAgain():
            return rolled_again(state, event)
    if not state.dice:
        raise IllegalEvent(_("No dice lie there yet. Roll first."))
    return counted(state)


def rolled(state: State, event: Rolled) -> State:
    """TR-11, TR-12: a first roll, or one in which some dice stayed."""
    check_dice(event.dice)
    if state.fresh:
        raise IllegalEvent(_("This roll is made. Roll its sixes again, or let it count."))
    kept = {each.place for each in event.kept}
    lie_there = {(place, die.colour) for place, die in enumerate(state.dice, start=1)}
    if len(kept) != len(event.kept) or not {(each.place, each.colour) for each in event.kept} <= lie_there:
        raise IllegalEvent(_("A die that was kept doesn't lie there. Say again which ones you keep."))
    count = len(kept) + len(event.dice)
    if state.options.dice and count != state.options.dice:
        raise IllegalEvent(
            _n("A roll here has {n} die. Enter that.", "A roll here has {n} dice. Enter those.", state.options.dice)
        )
    if count > MOST_DICE:
        raise IllegalEvent(_("The tray holds {most} dice. Roll fewer.", most=MOST_DICE))
    dice = lying.after_roll(state.dice, kept, event.dice)
    after = replace(state, dice=dice, rolls=state.rolls + 1, fresh=sixes(state.options, event.dice, len(dice)))
    return after if after.fresh or after.rolls != state.options.rolls else counted(after)


def rolled_again(state: State, event: RolledAgain) -> State:
    """TR-14: one more die for each six."""
    check_dice(event.dice)
    if not state.fresh:
        raise IllegalEvent(_("No six lies there to roll again. Roll all dice, or let them count."))
    if len(event.dice) != state.fresh:
        raise IllegalEvent(
            _n("{n} six rolls again. Enter that die.", "{n} sixes roll again. Enter those dice.", state.fresh)
        )
    dice = (*state.dice, *event.dice)
    after = replace(state, dice=dice, fresh=sixes(state.options, event.dice, len(dice)))
    return after if after.fresh else counted(after)


def sixes(options: Options, thrown: Collection[Die], lie_there: int) -> int:
    """How many dice may be rolled for the sixes of a roll, as far as the tray holds them (TR-14, TR-02)."""
    return min(sum(die.value == SIX for die in thrown), MOST_DICE - lie_there) if options.again else 0


def check_dice(dice: Collection[Die]) -> None:
    """Raises IllegalEvent for dice that there cannot be (TR-02, TR-03)."""
    if not dice:
        raise IllegalEvent(_("A roll has one die or more. Enter what it shows."))
    if any(die.value not in D6 or die.colour not in (*COLOURS, NO_COLOUR) for die in dice):
        raise IllegalEvent(_("A die shows 1 to 6 and has a colour that the camera knows, or none. Enter it so."))


def counted(state: State) -> State:
    """TR-13: the dice count, and the next player rolls."""
    return moved_on(replace(state, turns=(*state.turns, Turn(state.turn, state.round, state.dice))))


def moved_on(state: State) -> State:
    """The next player clockwise who is there rolls; the round ends with the last seat (TR-10, TR-15)."""
    seat = state.players.index(state.turn)
    after = clockwise(state.players, seat + 1)
    next_ = next(player for player in after if player not in state.resting)
    is_new = state.players.index(next_) <= seat
    return replace(state, turn=next_, round=state.round + is_new, dice=(), rolls=0, fresh=0)


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of a player's points: all turns, the rulings (TR-26)."""
    own = [lying.points(state.options, turn.dice) for turn in state.turns if turn.player == player]
    turns = _n("{n} turn", "{n} turns", len(own))
    return ((turns, sum(own), "TR-26"), *rulings.lines(state.rulings, player))


def score(state: State) -> dict[PlayerId, int]:
    """Player → points."""
    return {player: sum(points for _text, points, _rule in explain(state, player)) for player in state.players}


def is_over(state: State) -> bool:
    """It is over after the number of rounds, or once the table says so (TR-30, TR-31)."""
    return state.closed or 0 < state.options.rounds < state.round


def winners(state: State) -> tuple[PlayerId, ...]:
    """Whoever has the most points; equals share the win (TR-32). Empty until it is over."""
    points = score(state)
    return tuple(player for player in points if is_over(state) and points[player] == max(points.values()))
