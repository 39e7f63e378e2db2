"""A round of Pack & Stack: receive a load, take a truck, load, score, prepare the next (PS-11 … PS-45)."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games.pack_and_stack import loads
from companion.games.pack_and_stack.events import CardShown, Loaded, Rolled, StarterNamed, Taken
from companion.games.pack_and_stack.options import cards_each
from companion.games.pack_and_stack.rewards import reward_due
from companion.games.pack_and_stack.scoring import ends, losses, score
from companion.games.pack_and_stack.state import (
    Round,
    State,
    Step,
    check_unseen,
    checked_dice,
    is_last,
    lying,
    order,
    require,
    step,
    truck_taken,
)
from companion.words import _, listed


def awaiting(state: State) -> frozenset[str]:
    """The players who roll (PS-20), have no truck yet (PS-32), still load (PS-40) or draw a reward card (PS-61)."""
    current = state.current
    match step(state):
        case Step.ROLLING:
            waiting = [player for player in order(state) if player not in current.dice]
            return frozenset(waiting if state.options.roll_together else waiting[:1])
        case Step.TAKING:
            return frozenset(state.players) - frozenset(current.trucks)
        case Step.LOADING:
            return frozenset(state.players) - frozenset(current.unloaded)
        case Step.SCORING:
            due = reward_due(state)
            return frozenset() if due is None else frozenset({due})
    return frozenset()


def starter_named(state: State, event: StarterNamed, ruled: bool) -> State:
    """PS-11: named once, before the first roll; later the starting player changes clockwise (PS-13)."""
    require(
        state, Step.NAMING, _("The starting player is already known. Each round it's the next player clockwise."), ruled
    )
    if event.starter not in state.players:
        raise IllegalEvent(_("The starting player must be at this table. Choose one of the players."))
    return replace(state, current=replace(state.current, starter=event.starter))


def rolled(state: State, event: Rolled, ruled: bool) -> State:
    """PS-20, PS-21: all roll once, the starting player first; then the trucks are dealt (PS-30)."""
    current = state.current
    if event.player in current.dice:
        raise IllegalEvent(_("This player has already rolled. Correct the roll, or wait for the next round."))
    require(state, Step.ROLLING, _("It's not time to roll. First say who the youngest player is."), ruled)
    if event.player not in awaiting(state) and not ruled:
        raise IllegalEvent(_("The dice go clockwise from the starting player. Wait for your turn."))  # PS-20
    dice = {**current.dice, event.player: checked_dice(state, event.dice, ruled)}
    after = replace(state, current=replace(current, dice=dice))
    return dealt(after) if len(dice) == len(state.players) else after


def dealt(state: State) -> State:
    """The state with the cards dealt to the players (PS-30)."""
    if state.current.dealt:
        return state
    pile = state.pile.drawn(len(state.players) * cards_each(state.players))
    return replace(state, pile=pile, current=replace(state.current, dealt=True))


def card_shown(state: State, event: CardShown, ruled: bool) -> State:
    """PS-30, PS-31: all players' cards are turned up at the same moment."""
    require(state, Step.TAKING, _("It's not time to turn up trucks. Everyone rolls first."), ruled)
    state = dealt(state)
    check_unseen(state, event.card)
    return replace(state, current=with_face_up(state, event.player, event.card))


def with_face_up(state: State, owner: str, card: int) -> Round:
    """The round with one more known card in front of a player; raises IllegalEvent when all of them are known."""
    face_up = state.current.shown.get(owner, ())
    if len(face_up) == cards_each(state.players):
        cards = listed(map(str, face_up))
        raise IllegalEvent(
            _("This player had {cards} in front of them. Choose one of those, or correct the entry.", cards=cards)
        )
    return replace(state.current, shown={**state.current.shown, owner: (*face_up, card)})


def take(state: State, event: Taken, ruled: bool) -> State:
    """PS-32 … PS-34: another player's card or the top card of the draw pile; the first hand gets it (PS-37)."""
    require(state, Step.TAKING, _("It's not time to take a truck. Everyone rolls first."), ruled)
    if event.player in state.current.trucks:
        raise IllegalEvent(
            _("This player already has a truck and can't swap it. If it's wrong, correct the entry.")
        )  # PS-34
    if event.owner == event.player and not ruled:
        raise IllegalEvent(
            _("You can't take the card in front of you. Choose another player's, or the draw pile.")
        )  # PS-32
    if event.owner is not None and is_last(state, event.player) and not ruled:
        raise IllegalEvent(_("The last player takes the top card of the draw pile. Enter its number."))  # PS-33
    state = dealt(state)
    current, pile = state.current, state.pile
    if event.owner is None:
        check_unseen(state, event.card)
        pile = pile.drawn(1)
    elif event.card not in lying(state, event.owner):
        if event.owner not in state.players:
            raise IllegalEvent(_("Where was the card? Choose a player or the draw pile."))
        check_unseen(state, event.card)
        current = with_face_up(state, event.owner, event.card)
    current = replace(current, taken=(*current.taken, event), trucks={**current.trucks, event.player: event.card})
    after = replace(state, current=current, pile=pile)
    return cleared(after) if len(current.trucks) == len(state.players) else after


def cleared(state: State) -> State:
    """The state with the cards discarded that nobody took (PS-35)."""
    rest = [card for owner in state.players for card in lying(state, owner)]
    from_players = sum(taking.owner is not None for taking in state.current.taken)
    left = len(state.players) * cards_each(state.players) - from_players
    pile = state.pile.discard(rest, left - len(rest))
    return replace(state, pile=pile, current=replace(state.current, cleared=True))


def loaded(state: State, event: Loaded, ruled: bool) -> State:
    """PS-40 … PS-45: all load at the same time, without a time limit; boxes may stay outside on purpose."""
    require(state, Step.LOADING, _("It's not time to load. Everyone takes a truck first."), ruled)
    player, current = event.player, state.current
    if player in current.unloaded:
        raise IllegalEvent(_("This player has already loaded. If it's wrong, correct the entry."))
    if player not in current.dice:
        raise IllegalEvent(_("This player has no boxes yet. Enter the roll first."))
    truck = truck_taken(state, player)
    inside = loads.less(current.dice[player], event.unloaded)
    loads.empty(truck, inside)  # It refuses more than the truck can hold.
    if event.boxes:
        loads.check_packed(truck, event.boxes)
        if loads.counts_of(event.boxes) != inside:
            raise IllegalEvent(
                _("The boxes in the truck and the boxes left over don't add up to the roll. Count them again.")
            )
    return replace(
        state,
        current=replace(
            current,
            unloaded={**current.unloaded, player: event.unloaded},
            packed={**current.packed, player: event.boxes},
            rulings_before={**current.rulings_before, player: len(state.rulings)},
        ),
    )


def round_closed(state: State, ruled: bool) -> State:
    """PS-13: boxes go to the supply, trucks to the discard pile, the next player starts; or the game ends (PS-56)."""
    require(state, Step.SCORING, _("The round isn't over. Everyone loads first."), ruled)
    if reward_due(state) is not None and not ruled:
        raise IllegalEvent(_("The only player with no loss draws a reward card first. Enter which one."))  # PS-61
    current = state.current
    after = cleared(state) if current.dealt and not current.cleared else state
    pile = replace(after.pile, shuffled=False).discard(current.trucks.values())
    if not pile.cards:
        pile = pile.drawn(0)  # PS-36
    following = order(state)[1]
    played = replace(current, losses=losses(state.options, current))
    return decided(replace(after, past=(*state.past, played), current=Round(following), pile=pile))


def decided(state: State) -> State:
    """The state with `ended` set between two rounds: somebody has no points left (PS-56), which a ruling may change.

    Unchanged before the first round and in the middle of one.
    """
    if not state.past or state.current != Round(state.current.starter):
        return state
    return replace(state, ended=ends(score(state)))
