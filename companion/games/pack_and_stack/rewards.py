"""The reward cards of Pack & Stack, which a table may play with (PS-60 … PS-66)."""

from collections.abc import Mapping
from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games.pack_and_stack.events import OrderRenewed, Reward, RewardDrawn, TruckReplaced, VoucherUsed
from companion.games.pack_and_stack.scoring import losses
from companion.games.pack_and_stack.state import State, Step, check_unseen, checked_dice, require, step, truck_taken
from companion.words import _


def reward_due(state: State) -> str | None:
    """The player who draws a reward card now, the only one with a loss of 0, or None (PS-61)."""
    if step(state) is not Step.SCORING or state.current.rewarded or not drawable(state):
        return None
    return only_perfect(losses(state.options, state.current, vouchers=False))


def only_perfect(without_vouchers: Mapping[str, int]) -> str | None:
    """The only player with a loss of 0, or None; a voucher does not help (PS-61, reading 8)."""
    perfect = [player for player, lost in without_vouchers.items() if lost == 0]
    return perfect[0] if len(perfect) == 1 else None


def drawable(state: State) -> frozenset[Reward]:
    """The possible top cards of the reward pile; used cards lie below the others (PS-66)."""
    return state.fresh or state.under


def usable(state: State, reward: Reward) -> bool:
    """Whether its owner may discard a reward card now (PS-62 … PS-64)."""
    current, owner = state.current, state.held.get(reward)
    match reward:
        case Reward.NEW_ORDER:
            return owner in current.dice and not current.taken and not state.ended
        case Reward.REPLACING:
            return owner in current.trucks and owner not in current.unloaded
        case Reward.VOUCHER:
            return owner is not None and step(state) is Step.SCORING and current.rewarded is None


def reward_drawn(state: State, event: RewardDrawn, ruled: bool) -> State:
    """PS-61: the card ends the scoring, so it can be used from the next round on (reading 9)."""
    if event.player != reward_due(state) and not ruled:
        raise IllegalEvent(_("Only the one player with a loss of 0 draws a reward card, once a round. Don't draw one."))
    if event.reward not in (state.fresh | state.under if ruled else drawable(state)):
        raise IllegalEvent(_("That reward card isn't in the pile. Choose the one that was drawn."))
    return replace(
        state,
        held={**state.held, event.reward: event.player},
        fresh=state.fresh - {event.reward},
        under=state.under - {event.reward},
        current=replace(state.current, rewarded=event.player),
    )


def order_renewed(state: State, event: OrderRenewed, ruled: bool) -> State:
    """PS-62: after the own roll and before anybody takes a truck (our reading); all five dice are rolled again."""
    if event.player not in state.current.dice:
        raise IllegalEvent(_("New Order replaces a load. Roll first."))
    if event.player in state.current.unloaded or (state.current.taken and not ruled):
        raise IllegalEvent(_("Use New Order before you take a truck. Keep it for the next round."))
    after = discarded(state, Reward.NEW_ORDER, event.player)
    dice = {**state.current.dice, event.player: checked_dice(state, event.dice, ruled)}
    return replace(after, current=replace(state.current, dice=dice))


def truck_replaced(state: State, event: TruckReplaced, ruled: bool) -> State:
    """PS-63: after taking a truck and before loading; the truck is discarded, then the top card is drawn."""
    current, player = state.current, event.player
    truck_taken(state, player)
    if player in current.unloaded:
        raise IllegalEvent(_("Replace a truck before you load. Keep the card for the next round."))
    after = discarded(state, Reward.REPLACING, player)
    old = current.trucks[player]
    remaining = {other: card for other, card in current.trucks.items() if other != player}
    pile = state.pile.discard([old])
    pile = pile.drawn(0) if not pile.cards else pile
    after = replace(after, pile=pile, current=replace(current, trucks=remaining))
    check_unseen(after, event.card)
    return replace(after, pile=pile.drawn(1), current=replace(current, trucks={**current.trucks, player: event.card}))


def voucher_used(state: State, event: VoucherUsed, ruled: bool) -> State:
    """PS-64: when scoring, before a reward card is drawn (reading 9)."""
    require(state, Step.SCORING, _("You use a voucher when the round is scored. Everyone loads first."), ruled)
    if state.current.rewarded and not ruled:
        raise IllegalEvent(_("Scoring is over. Keep the voucher for the next round."))
    after = discarded(state, Reward.VOUCHER, event.player)
    return replace(after, current=replace(state.current, vouchers=state.current.vouchers | {event.player}))


def discarded(state: State, reward: Reward, player: str) -> State:
    """The state after a reward card was used: it is out of the game, or under the pile (PS-66).

    Several may be used in a round (PS-65).
    """
    if state.held.get(reward) != player:
        raise IllegalEvent(
            _("This player doesn't have the card {reward}. Only its owner can use it.", reward=_(reward))
        )
    owners = {card: owner for card, owner in state.held.items() if card is not reward}
    return replace(state, held=owners, under=state.under | {reward} if state.options.reward_recycle else state.under)
