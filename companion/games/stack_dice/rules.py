"""Stack by Jeffery L. Strunk: the rulebook, with the ids of the rule sheet (ST-…).

Each player owns the dice of one colour; a die is named by its owner and the face it showed when it was dropped.
The chapters: `options`, `events`, `stacks`, `state`, `turns`, `mistakes`, `scoring`.
"""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.seats import check_seats
from companion.games.stack_dice import events, mistakes, stacks, turns
from companion.games.stack_dice.events import EVENTS, Event
from companion.games.stack_dice.options import FEWEST_PLAYERS, MOST_PLAYERS, WHY_SEATS_STAY, Options, check_options
from companion.games.stack_dice.scoring import explain, is_over, ranked, score, winners
from companion.games.stack_dice.stacks import DICE, FACES
from companion.games.stack_dice.state import Stage, State, awaiting, stage, targets
from companion.words import _

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "ranked", "score", "start", "winners"]

SOME_DROPS = tuple(
    tuple((number * step + shift) % 6 + 1 for number in range(DICE)) for step in range(6) for shift in range(6)
)


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state before the roll for the first start (ST-10); raises IllegalEvent for options that cannot be played."""
    check_seats("Stack", players, FEWEST_PLAYERS, MOST_PLAYERS)  # ST-02
    check_options(options, len(players))
    return State(options, players, contenders=players)


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: whose turn it is and what may go on what is not checked
    """
    if isinstance(event, Ruling):
        return turns.decided(replace(state, rulings=rulings.added(state.rulings, event, state.players)))
    if state.ended:
        raise IllegalEvent(_("The game is over. Start a new one."))
    match event:
        case events.StartRolled(rolls):
            return turns.start_rolled(state, rolls)
        case events.Dropped(player, values):
            return turns.dropped(state, ((player, values),))
        case events.AllDropped(dice):
            return turns.dropped(state, dice)
        case events.PickedUp():
            return turns.picked_up(state, event, ruled)
        case events.Stacked():
            return turns.stacked(state, event, ruled)
        case events.Rolled():
            return turns.rolled(state, event, ruled)
        case events.KnockedOver():
            return mistakes.knocked_over(state, event, ruled)
        case events.PenaltyRolled():
            return mistakes.penalty_rolled(state, event)
        case events.PickedUpWrong():
            return mistakes.picked_up_wrong(state, event, ruled)
        case events.RolledWrong():
            return mistakes.rolled_wrong(state, event, ruled)
        case events.NumberChosen():
            return mistakes.number_chosen(state, event)
        case events.PlayedOutOfTurn():
            return mistakes.played_out_of_turn(state, event, ruled)
        case events.FellOffTable():
            return mistakes.fell_off_table(state, event)
        case events.Swore():
            return mistakes.swore(state, event)
        case events.Penalised():
            return mistakes.penalised(state, event)
        case events.RoundCounted():
            return turns.round_counted(state)
    raise IllegalEvent(_("That can't happen in Stack. Reload the page."))


def allows(state: State, event: Event) -> bool:
    """Whether apply() accepts the event now."""
    try:
        apply(state, event)
    except IllegalEvent:
        return False
    return True


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The events that apply() accepts now from this player, without mistakes.

    Of the 6¹⁴ possible drops the list has thirty-six, among them all dice alike.
    """
    current = stage(state)
    if current is Stage.COUNT:
        return (events.RoundCounted(),)
    if player not in awaiting(state):
        return ()
    if current is Stage.START_ROLL:
        return tuple(events.StartRolled(((player, face),)) for face in FACES)
    if current is Stage.DROP:
        return tuple(events.Dropped(player, values) for values in SOME_DROPS)
    if state.accident:
        return tuple(events.PenaltyRolled(player, face) for face in FACES)
    if state.decision:
        return events.NumberChosen(player, state.decision.old), events.NumberChosen(player, state.decision.new)
    return plays(state, player)


def plays(state: State, player: str) -> tuple[Event, ...]:
    """The moves of a turn: stack or roll an unstacked die (ST-30, ST-36); there is no pass (ST-38)."""
    hand, faces = state.hand, state.layout.faces
    dice = (hand.die,) if hand else stacks.unstacked(state.layout, player)
    places = {face: targets(state, player, face) for face in {faces[die] for die in dice}}
    stack = tuple(events.Stacked(player, die, target[-1]) for die in dice for target in places[faces[die]])
    roll = tuple(events.Rolled(player, die, face) for die in dice for face in FACES if hand is None or hand.was is None)
    pick_up = tuple(events.PickedUp(player, die) for die in dice if hand is None)
    return (*stack, *roll, *pick_up)
