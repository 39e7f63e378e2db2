"""Consequences of mistakes in Stack: official penalties (ST-50 … ST-56) and house rules (ST-80, ST-81, ST-85)."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games.seats import check_player
from companion.games.stack_dice import events, stacks
from companion.games.stack_dice.options import OutOfTurn
from companion.games.stack_dice.stacks import DieId
from companion.games.stack_dice.state import (
    HOUSE_PENALTY,
    Accident,
    Decision,
    NoPlace,
    Stage,
    State,
    are_opponents,
    check_face,
    fined,
    stage,
)
from companion.games.stack_dice.turns import back_in_hand, check_turn, turn_over
from companion.words import N_, _

NOT_REBUILT = 10  # ST-51


def knocked_over(state: State, event: events.KnockedOver, ruled: bool) -> State:
    """ST-50: the turn is over, the die goes back to its old number, the stacks are rebuilt; a penalty roll follows.

    A roll without a place ends the turn by itself (ST-36), so this event may follow it until somebody plays. Our
    reading: only the die goes back; it was rolled, so the cost of a 2 (ST-82) stays. Our reading: a rival's die that
    was rolled by mistake costs both penalties, and its owner still chooses its number (ST-54).
    """
    if state.no_place and state.no_place.player == event.player:
        state = back_in_hand(state, state.no_place)
    if not is_culprit(state, event.player) or state.accident:
        check_turn(state, event.player, ruled)
    if not state.layout.stacks:
        raise IllegalEvent(_("There are no stacks on the table to knock over."))
    if state.hand and state.hand.was is not None:
        state = replace(state, layout=stacks.turned(state.layout, state.hand.die, state.hand.was))
    return replace(state, turn=event.player, hand=None, no_place=None, accident=Accident(event.player, event.rebuilt))


def penalty_rolled(state: State, event: events.PenaltyRolled) -> State:
    """ST-50: the face is subtracted; ST-51: a further 10 once, however many stacks could not be rebuilt."""
    accident = state.accident
    if accident is None or accident.player != event.player:
        raise IllegalEvent(_("Nobody has to roll for a penalty. That comes after a roll knocks over a stack."))
    check_face(event.value)
    price = state.options.penalty_one_value if event.value == 1 else event.value
    rule = "ST-52" if event.value == 1 else "ST-50"
    state = fined(state, (event.player,), price, N_("Knocked over a stack"), rule)
    if not accident.rebuilt:
        state = fined(state, (event.player,), NOT_REBUILT, N_("Stacks not rebuilt"), "ST-51")
    return settled(replace(state, accident=None), event.player)


def picked_up_wrong(state: State, event: events.PickedUpWrong, ruled: bool) -> State:
    """ST-53, ST-55: the turn is lost."""
    check_turn(state, event.player, ruled)
    check_rivals_die(state, event.player, event.die)
    return turn_over(state, event.player)


def rolled_wrong(state: State, event: events.RolledWrong, ruled: bool) -> State:
    """ST-54: the turn is lost, and the owner chooses the number that the die keeps."""
    if state.accident is None or state.accident.player != event.player or state.decision:
        check_turn(state, event.player, ruled)
    check_rivals_die(state, event.player, event.die)
    check_face(event.value)
    old = state.layout.faces[event.die]
    if event.value == old:  # There is nothing to choose.
        no_place = NoPlace(event.player, event.die, old, state.last_turns)
        state = settled(state, event.player)
        return state if state.accident else replace(state, no_place=no_place)
    decision = Decision(stacks.owner(event.die), event.player, event.die, old, event.value)
    return replace(state, turn=event.player, hand=None, no_place=None, decision=decision)


def check_rivals_die(state: State, player: str, die: DieId) -> None:
    """Raises IllegalEvent unless it is an opponent's die, stacked or not; a partner is no opponent (ST-53, ST-72)."""
    if die not in state.layout.faces or not are_opponents(state, player, stacks.owner(die)):
        raise IllegalEvent(_("The mistake is to pick up a rival's die. Choose which one."))


def is_culprit(state: State, player: str) -> bool:
    """Whether this player rolled a rival's die whose number is still to be chosen (ST-54)."""
    return state.decision is not None and state.decision.culprit == player


def settled(state: State, player: str) -> State:
    """The state after a mistake: the turn is over once neither a penalty roll nor a choice is left (ST-50, ST-54)."""
    return state if state.accident or state.decision else turn_over(state, player)


def number_chosen(state: State, event: events.NumberChosen) -> State:
    """ST-54: the die keeps the new number or the old one."""
    decision = state.decision
    if decision is None or decision.owner != event.player:
        raise IllegalEvent(_("This player can't choose a number. Only the owner of a die that a rival rolled can."))
    if event.value not in (decision.old, decision.new):
        raise IllegalEvent(
            _("The die showed {old} and now shows {new}. Choose one of the two.", old=decision.old, new=decision.new)
        )
    layout = stacks.turned(state.layout, decision.die, event.value)
    return settled(replace(state, layout=layout, decision=None), decision.culprit)


def played_out_of_turn(state: State, event: events.PlayedOutOfTurn, ruled: bool) -> State:
    """ST-56: the player loses the next own turn, in this round or a later one; some tables only warn."""
    check_player(state.players, event.player)
    if stage(state) is not Stage.TURNS:
        raise IllegalEvent(_("Nobody can play out of turn now, because no turns are being played."))
    if event.player == state.turn and not ruled:
        raise IllegalEvent(_("It's this player's turn, so they didn't play out of turn."))
    if state.options.lost_turn_out_of_turn is OutOfTurn.WARNING:
        return state
    return replace(state, skips={**state.skips, event.player: state.skips.get(event.player, 0) + 1})


def fell_off_table(state: State, event: events.FellOffTable) -> State:
    """ST-80: one point for each die, if the table plays that."""
    check_player(state.players, event.player)
    if not state.options.hr_die_off_table:
        raise IllegalEvent(_("At this table, dice that fall off cost nothing. Pick them up and play on."))
    return fined(state, (event.player,), HOUSE_PENALTY, N_("Die off the table"), "ST-80")


def swore(state: State, event: events.Swore) -> State:
    """ST-81: one point, if the table plays that."""
    check_player(state.players, event.player)
    if not state.options.hr_swearing:
        raise IllegalEvent(_("At this table, swearing costs nothing. Play on."))
    return fined(state, (event.player,), HOUSE_PENALTY, N_("Swore"), "ST-81")


def penalised(state: State, event: events.Penalised) -> State:
    """ST-85: one of the table's own penalties; written as 5 or as -5, it takes 5."""
    check_player(state.players, event.player)
    prices = dict(state.options.custom_penalties)
    if event.name not in prices:
        raise IllegalEvent(_("This table has no such penalty. Choose one that was set up at the start."))
    return fined(state, (event.player,), abs(prices[event.name]), event.name, "ST-85")
