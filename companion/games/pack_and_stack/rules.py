"""Pack & Stack by Bernd Eisenstein: the rulebook, with the ids of the rule sheet (PS-…).

A truck is named by the number of its card in the deck (1, 2, …), which our printed cards show; a card that lies face
down has no name. The chapters: `options`, `events`, `loads` (boxes in trucks), `state`, `rounds`, `scoring`, `rewards`;
the trucks are in `companion.equipment.trucks`.
"""

from dataclasses import replace
from functools import lru_cache
from itertools import product

from companion.equipment.trucks import Truck
from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.pack_and_stack import rewards, rounds
from companion.games.pack_and_stack.events import (
    EVENTS,
    CardShown,
    Event,
    Loaded,
    OrderRenewed,
    Reward,
    RewardDrawn,
    Rolled,
    RoundClosed,
    StarterNamed,
    Taken,
    TruckReplaced,
    VoucherUsed,
)
from companion.games.pack_and_stack.loads import Counts, as_counts, volume
from companion.games.pack_and_stack.options import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    WHY_SEATS_STAY,
    Options,
    cards_each,
    check_options,
    trucks,
)
from companion.games.pack_and_stack.rewards import drawable, reward_due, usable
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.scoring import explain, is_over, score, winners
from companion.games.pack_and_stack.state import Pile, Round, State, Step, is_last, lying, step, truck_taken, unseen
from companion.games.rulings import Ruling
from companion.games.seats import check_player
from companion.words import _

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "score", "start", "winners"]


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state with shuffled trucks, the start points (PS-10), and reward cards if the table plays with them (PS-60).

    Raises IllegalEvent for options that cannot be played.
    """
    check_options(options, players)
    fresh = frozenset(Reward) if options.reward_cards else frozenset()
    return State(options, players, Round(None), Pile(len(trucks(options))), fresh=fresh)


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: turns and permissions are not checked, only what the pieces allow
    """
    if isinstance(event, Ruling):
        return rounds.decided(replace(state, rulings=rulings.added(state.rulings, event, state.players)))
    if state.ended:
        raise IllegalEvent(_("The game is over. Start a new one."))
    check_player(state.players, getattr(event, "player", state.players[0]))
    match event:
        case StarterNamed():
            return rounds.starter_named(state, event, ruled)
        case Rolled():
            return rounds.rolled(state, event, ruled)
        case CardShown():
            return rounds.card_shown(state, event, ruled)
        case Taken():
            return rounds.take(state, event, ruled)
        case Loaded():
            return rounds.loaded(state, event, ruled)
        case RoundClosed():
            return rounds.round_closed(state, ruled)
        case RewardDrawn():
            return rewards.reward_drawn(state, event, ruled)
        case OrderRenewed():
            return rewards.order_renewed(state, event, ruled)
        case TruckReplaced():
            return rewards.truck_replaced(state, event, ruled)
        case VoucherUsed():
            return rewards.voucher_used(state, event, ruled)
    raise IllegalEvent(_("That can't happen in Pack & Stack. Reload the page."))


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The events that apply() accepts now from this player; loads are listed without the places of boxes."""
    events: list[Event] = []
    match step(state):
        case Step.NAMING:
            events += [StarterNamed(starter) for starter in state.players]
        case Step.ROLLING if player in awaiting(state):
            events += [Rolled(player, dice) for dice in possible_rolls(state.options.dice_faces)]
        case Step.TAKING:
            events += takings(state, player)
        case Step.LOADING if player in awaiting(state):
            truck, dice = truck_taken(state, player), state.current.dice[player]
            events += [Loaded(player, unloaded) for unloaded in possible_rests(truck, dice)]
        case Step.SCORING:
            due = reward_due(state)
            events += [RewardDrawn(player, reward) for reward in sorted(drawable(state))] if due == player else []
            events += [RoundClosed()] if due is None else []
    return (*events, *discardings(state, player))


def discardings(state: State, player: str) -> list[Event]:
    """The events with which a player may discard a reward card now (PS-62 … PS-64)."""
    events: list[Event] = []
    for reward in (reward for reward, owner in state.held.items() if owner == player and usable(state, reward)):
        match reward:
            case Reward.NEW_ORDER:
                events += [OrderRenewed(player, dice) for dice in possible_rolls(state.options.dice_faces)]
            case Reward.REPLACING:
                events += [TruckReplaced(player, card) for card in sorted(unseen(state))]
            case Reward.VOUCHER:
                events.append(VoucherUsed(player))
    return events


def takings(state: State, player: str) -> list[Event]:
    """The events with which a player may take or show a truck: known cards, and any unseen one where one is unknown."""
    dealt, hidden = cards_each(state.players), sorted(unseen(state))
    unknown = {owner for owner in state.players if len(state.current.shown.get(owner, ())) < dealt}
    events: list[Event] = [CardShown(player, card) for card in hidden] if player in unknown else []
    if player in state.current.trucks:
        return events
    if not is_last(state, player):
        for owner in state.players:
            if owner != player:
                cards = (*lying(state, owner), *(hidden if owner in unknown else ()))
                events += [Taken(player, card, owner) for card in cards]
    return [*events, *(Taken(player, card) for card in hidden)]


@lru_cache(maxsize=16)
def possible_rolls(faces: tuple[tuple[int, ...], ...]) -> tuple[Counts, ...]:
    """All rolls of the five dice; as printed, they have a volume of 1 to 40 (PS-09)."""
    return tuple(map(as_counts, product(*(sorted(set(die)) for die in faces))))


@lru_cache(maxsize=64)
def possible_rests(truck: Truck, rolled: Counts) -> tuple[Counts, ...]:
    """All choices of boxes to leave beside the truck such that it can hold the volume of the others."""
    rests = map(as_counts, product(*(range(number + 1) for number in rolled)))
    return tuple(rest for rest in rests if volume(rolled) - volume(rest) <= truck.capacity)
