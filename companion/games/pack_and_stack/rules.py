"""Pack & Stack by Bernd Eisenstein: the rulebook. Ids are those of the rule sheet (PS-…).

Trucks are named by the number of their card in the deck (1, 2, …), which our printed cards show. What lies face down
has no name until it is turned up or drawn. Where boxes may lie stands in loads.py, the cards in decks.py.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from itertools import product

from companion.contract import Choice, option
from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.pack_and_stack import decks, loads
from companion.games.pack_and_stack.loads import NONE, SIZES, Box, Counts, Truck, volume
from companion.games.rulings import Ruling

FEWEST_PLAYERS, MOST_PLAYERS = 3, 6  # PS-01
DICE_FACES = (  # PS-05: one die for each size; 0 is a blank
    (1, 1, 2, 3, 4, 5),
    (0, 1, 2, 2, 3, 4),
    (0, 1, 1, 2, 2, 3),
    (0, 0, 1, 1, 2, 2),
    (0, 0, 1, 1, 2, 2),
)
BOXES: Counts = (30, 24, 18, 12, 12)  # PS-06: what the common supply holds of each size
BOX_COLOURS = ("white", "grey", "brown", "turquoise", "purple")  # PS-06
TOKENS = (50, 10, 10, 5)  # PS-07, PS-10: what each player gets; the scoreboard counts in their place
START_POINTS = sum(TOKENS)
BONUS = 10  # PS-53
FEW_PLAYERS, CARDS_FOR_FEW, CARDS_FOR_MANY = 4, 2, 1  # PS-30: up to so many players draw two cards each
MOST_FACES = 6
MOST_CARDS = 200  # a table's own list
MOST_START_POINTS = 1000
COLOUR_LENGTH = 20


class Deck(StrEnum):
    """Which trucks are played with (PS-03)."""

    MANUAL = "manual-36"
    CLASSIC = "classic-30"
    OWN = "own"


class Reward(StrEnum):
    """The reward cards, one of each (PS-08)."""

    NEW_ORDER = "New Order"
    REPLACING = "Replacing a Truck"
    VOUCHER = "Voucher"


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet."""

    truck_deck: Deck = option(
        Deck.MANUAL,
        "Truck cards",
        "Which deck lies on the table; print ours, or enter your own cards below.",
        "PS-03",
        (
            Choice(Deck.MANUAL, "36 cards, 1 to 3 high"),
            Choice(Deck.CLASSIC, "30 cards, 1 to 4 high"),
            Choice(Deck.OWN, "Our own cards"),
        ),
    )
    own_trucks: tuple[str, ...] = option(
        (),
        "Our own cards",
        "One card a line: its height and the rows of its loading area, such as 2 ###/##./###.",
        "PS-04",
        editor="grid",
    )
    dice_faces: tuple[tuple[int, ...], ...] = option(
        DICE_FACES, "Dice", "The faces of the five dice, one die a line, size 1 first; a blank is 0.", "PS-05"
    )
    box_colours: tuple[str, ...] = option(
        BOX_COLOURS, "Colours of the boxes", "One colour a line, size 1 first.", "PS-06"
    )
    start_points: int = option(
        START_POINTS, "Points at the start", "How many points everybody begins with.", "PS-10", (), 1, MOST_START_POINTS
    )
    roll_together: bool = option(
        False,
        "All roll together",
        "Everybody rolls at the same time: for tables with more than one set of dice.",
        "PS-20",
    )
    floor_at_zero: bool = option(
        False, "Never below zero", "Nobody's points go below zero, counted after the bonus of a round.", "PS-54"
    )
    reward_cards: bool = option(
        False, "Reward cards", "Who alone loads perfectly draws one of three reward cards.", "PS-60"
    )
    reward_recycle: bool = option(
        False, "Reward cards come back", "Used reward cards are shuffled back under the pile.", "PS-66"
    )


# what may happen


@dataclass(frozen=True)
class StarterNamed:
    """The table said who is the youngest: the first starting player (PS-11)."""

    starter: str


@dataclass(frozen=True)
class Rolled:
    """A player rolled the five dice and took so many boxes of each size, size 1 first (PS-20, PS-21)."""

    player: str
    dice: Counts


@dataclass(frozen=True)
class CardShown:
    """A truck lies face up in front of a player (PS-31), where the table notes it before anybody takes it."""

    player: str
    card: int


@dataclass(frozen=True)
class Taken:
    """A player took a truck (PS-32); `owner`: in front of whom it lay, None for the top card of the draw pile."""

    player: str
    card: int
    owner: str | None = None


@dataclass(frozen=True)
class Loaded:
    """A player finished loading; `unloaded` boxes of each size, size 1 first, stay beside the truck (PS-45).

    boxes       where each loaded box lies, where the table notes it; otherwise empty
    """

    player: str
    unloaded: Counts
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class RoundClosed:
    """The table has seen the losses; boxes and trucks are put away (PS-13)."""


@dataclass(frozen=True)
class RewardDrawn:
    """The only player without loss drew a reward card (PS-61)."""

    player: str
    reward: Reward


@dataclass(frozen=True)
class OrderRenewed:
    """A player discarded New Order and rolled all dice again (PS-62)."""

    player: str
    dice: Counts


@dataclass(frozen=True)
class TruckReplaced:
    """A player discarded Replacing a Truck and drew `card` instead of the truck taken (PS-63)."""

    player: str
    card: int


@dataclass(frozen=True)
class VoucherUsed:
    """A player discarded Voucher: boxes left over cost half in this round (PS-64)."""

    player: str


Event = (
    StarterNamed
    | Rolled
    | CardShown
    | Taken
    | Loaded
    | RoundClosed
    | RewardDrawn
    | OrderRenewed
    | TruckReplaced
    | VoucherUsed
    | Ruling
)
EVENTS = (
    StarterNamed,
    Rolled,
    CardShown,
    Taken,
    Loaded,
    RoundClosed,
    RewardDrawn,
    OrderRenewed,
    TruckReplaced,
    VoucherUsed,
    Ruling,
)


# what is on the table


@dataclass(frozen=True)
class Pile:
    """The truck cards that nobody has: how many lie face down, how many are discarded.

    known       those of the discarded whose number was seen
    shuffled    the discard pile was shuffled under the draw pile in this round
    """

    cards: int
    discarded: int = 0
    known: frozenset[int] = frozenset()
    shuffled: bool = False

    def drawn(self, number: int) -> "Pile":
        """After so many cards were drawn; an empty draw pile is the discard pile, shuffled (PS-36)."""
        left = self.cards - number
        if left > 0 or not self.discarded:
            return replace(self, cards=left)
        return Pile(left + self.discarded, shuffled=True)

    def discard(self, cards: Iterable[int], unseen: int = 0) -> "Pile":
        """After these cards, and so many that nobody noted, were discarded."""
        seen = frozenset(cards)
        return replace(self, discarded=self.discarded + len(seen) + unseen, known=self.known | seen)


@dataclass(frozen=True)
class Round:
    """One round.

    dice        boxes received by those who have rolled
    dealt       the cards lie in front of the players
    shown       the cards known to lie, or to have lain, in front of each player
    taken       who took which card from where, in this order
    trucks      the card each player has now
    unloaded    boxes beside the truck of those who have loaded; `packed` where the others lie, where it was noted
    cleared     the cards that nobody took are discarded
    losses      what each player lost, once the round is closed
    """

    starter: str | None
    dice: Mapping[str, Counts] = field(default_factory=dict)
    dealt: bool = False
    shown: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    taken: tuple[Taken, ...] = ()
    trucks: Mapping[str, int] = field(default_factory=dict)
    cleared: bool = False
    unloaded: Mapping[str, Counts] = field(default_factory=dict)
    packed: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)
    vouchers: frozenset[str] = frozenset()
    rewarded: str | None = None
    losses: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """`held` are the reward cards that players have; `fresh` lie on the reward pile, `under` are used ones below."""

    options: Options
    players: tuple[str, ...]
    current: Round
    pile: Pile
    past: tuple[Round, ...] = ()
    held: Mapping[Reward, str] = field(default_factory=dict)
    fresh: frozenset[Reward] = frozenset()
    under: frozenset[Reward] = frozenset()
    ended: bool = False
    rulings: tuple[Ruling, ...] = ()


class Phase(StrEnum):
    """The steps of a round (PS-12)."""

    NAMING = "naming"
    ROLLING = "rolling"
    TAKING = "taking"
    LOADING = "loading"
    SCORING = "scoring"
    OVER = "over"


def start(options: Options, players: tuple[str, ...]) -> State:
    """The trucks are shuffled, everybody has the points to begin with (PS-10); the reward cards lie ready (PS-60)."""
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise IllegalEvent(f"Pack & Stack is for {FEWEST_PLAYERS} to {MOST_PLAYERS} players: choose as many.")  # PS-01
    check_dice(options.dice_faces, len(players))
    if not 1 <= options.start_points <= MOST_START_POINTS:
        raise IllegalEvent(f"Everybody starts with 1 to {MOST_START_POINTS} points: choose a number of that range.")
    names = options.box_colours
    if len(names) != len(SIZES) or not all(1 <= len(name) <= COLOUR_LENGTH for name in names):
        raise IllegalEvent(f"There are five sizes of boxes: name five colours of 1 to {COLOUR_LENGTH} characters.")
    if options.own_trucks and options.truck_deck is not Deck.OWN:
        raise IllegalEvent("You entered your own cards: choose them as the deck, or clear the list.")
    most = len(players) * (cards_each(players) + 1)  # everybody may take from the draw pile
    cards = len(trucks(options))
    if not most <= cards <= MOST_CARDS:
        raise IllegalEvent(
            f"{len(players)} players need {most} to {MOST_CARDS} truck cards, not {cards}: enter as many."
        )
    rewards = frozenset(Reward) if options.reward_cards else frozenset()
    return State(options, players, Round(None), Pile(cards), fresh=rewards)


def check_dice(faces: tuple[tuple[int, ...], ...], players: int) -> None:
    """PS-05, PS-06: five dice, and never more boxes than the supply holds; raises IllegalEvent."""
    if len(faces) != len(SIZES) or not all(1 <= len(die) <= MOST_FACES for die in faces):
        raise IllegalEvent(f"There is one die for each of the five sizes, with 1 to {MOST_FACES} faces: enter five.")
    for size, die, boxes in zip(SIZES, faces, BOXES, strict=True):
        if not all(0 <= face * players <= boxes for face in die):
            raise IllegalEvent(
                f"There are {boxes} boxes of size {size}: with {players} players a face shows at most "
                f"{boxes // players}."
            )


@lru_cache(maxsize=16)
def deck(name: Deck, own: tuple[str, ...]) -> tuple[Truck, ...]:
    """The trucks of a deck, card 1 first; raises IllegalEvent for a card of the own list that is none."""
    return tuple(map(loads.truck_of, own)) if name is Deck.OWN else decks.printed()[name]


def trucks(options: Options) -> tuple[Truck, ...]:
    """The trucks that are played with, card 1 first."""
    return deck(options.truck_deck, options.own_trucks)


def cards_each(players: tuple[str, ...]) -> int:
    """PS-30: how many truck cards each player draws."""
    return CARDS_FOR_FEW if len(players) <= FEW_PLAYERS else CARDS_FOR_MANY


# where a round stands


def phase(state: State) -> Phase:
    """What is to be done now (PS-12)."""
    current, everybody = state.current, len(state.players)
    if state.ended:
        return Phase.OVER
    if current.starter is None:
        return Phase.NAMING
    if len(current.dice) < everybody:
        return Phase.ROLLING
    if len(current.trucks) < everybody:
        return Phase.TAKING
    return Phase.LOADING if len(current.unloaded) < everybody else Phase.SCORING


def order(state: State) -> tuple[str, ...]:
    """The players clockwise, starting player first."""
    first = state.players.index(state.current.starter) if state.current.starter in state.players else 0
    return state.players[first:] + state.players[:first]


def awaiting(state: State) -> frozenset[str]:
    """Who rolls (PS-20), has no truck yet (PS-32), still loads (PS-40), or draws a reward card (PS-61)."""
    current = state.current
    match phase(state):
        case Phase.ROLLING:
            waiting = [player for player in order(state) if player not in current.dice]
            return frozenset(waiting if state.options.roll_together else waiting[:1])
        case Phase.TAKING:
            return frozenset(state.players) - frozenset(current.trucks)
        case Phase.LOADING:
            return frozenset(state.players) - frozenset(current.unloaded)
        case Phase.SCORING:
            due = reward_due(state)
            return frozenset() if due is None else frozenset({due})
    return frozenset()


def truck_taken(state: State, player: str) -> Truck:
    """The truck that a player has; raises IllegalEvent before it was taken."""
    if player not in state.current.trucks:
        raise IllegalEvent("This player has no truck yet: enter which was taken.")
    return trucks(state.options)[state.current.trucks[player] - 1]


# a round


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: neither whose turn it is nor who may is asked, only what the pieces allow
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=(*state.rulings, rulings.checked(event, state.players)))
    if state.ended:
        raise IllegalEvent("The game is over: start a new one.")
    if getattr(event, "player", state.players[0]) not in state.players:
        raise IllegalEvent("That player is not in this game: choose one who is.")
    match event:
        case StarterNamed():
            return starter_named(state, event, ruled)
        case Rolled():
            return rolled(state, event, ruled)
        case CardShown():
            return card_shown(state, event, ruled)
        case Taken():
            return taken(state, event, ruled)
        case Loaded():
            return loaded(state, event, ruled)
        case RoundClosed():
            return round_closed(state, ruled)
        case RewardDrawn():
            return reward_drawn(state, event, ruled)
        case OrderRenewed():
            return order_renewed(state, event, ruled)
        case TruckReplaced():
            return truck_replaced(state, event, ruled)
        case VoucherUsed():
            return voucher_used(state, event, ruled)
    raise IllegalEvent("Pack & Stack knows no such event.")


def require(state: State, wanted: Phase, why: str, ruled: bool) -> None:
    """Raises IllegalEvent(why) in another phase than the wanted one, unless the table says so."""
    if phase(state) is not wanted and not ruled:
        raise IllegalEvent(why)


def starter_named(state: State, event: StarterNamed, ruled: bool) -> State:
    """PS-11: once, before the first roll; later the starting player goes round (PS-13)."""
    require(state, Phase.NAMING, "The starting player is known: in each round it is the next one clockwise.", ruled)
    if event.starter not in state.players:
        raise IllegalEvent("The starting player sits at this table: choose one of the players.")
    return replace(state, current=replace(state.current, starter=event.starter))


def rolled(state: State, event: Rolled, ruled: bool) -> State:
    """PS-20, PS-21: everybody once, the starting player first; when all have, the trucks are dealt (PS-30)."""
    current = state.current
    if event.player in current.dice:
        raise IllegalEvent("This player has rolled: correct the roll, or wait for the next round.")
    require(state, Phase.ROLLING, "Nobody rolls now: name the youngest player first.", ruled)
    if event.player not in awaiting(state) and not ruled:
        raise IllegalEvent("The dice go round from the starting player, clockwise: wait for them.")  # PS-20
    dice = {**current.dice, event.player: checked_dice(state, event.dice, ruled)}
    after = replace(state, current=replace(current, dice=dice))
    return dealt(after) if len(dice) == len(state.players) else after


def dealt(state: State) -> State:
    """PS-30: each player's cards lie in front of them."""
    if state.current.dealt:
        return state
    pile = state.pile.drawn(len(state.players) * cards_each(state.players))
    return replace(state, pile=pile, current=replace(state.current, dealt=True))


def checked_dice(state: State, dice: Counts, ruled: bool) -> Counts:
    """PS-21: what the dice can show; when the table says so, what the supply holds (PS-06)."""
    for size, shown, faces, boxes in zip(SIZES, dice, state.options.dice_faces, BOXES, strict=True):
        if not 0 <= shown <= boxes or (shown not in faces and not ruled):
            likely = ", ".join(map(str, sorted(set(faces))))
            raise IllegalEvent(f"The die of size {size} does not show {shown}: choose one of {likely}.")
    return dice


def card_shown(state: State, event: CardShown, ruled: bool) -> State:
    """PS-30, PS-31: each player's cards, turned up at the same moment."""
    require(state, Phase.TAKING, "No trucks are turned up now: that comes when all have rolled.", ruled)
    state = dealt(state)
    check_unseen(state, event.card)
    return replace(state, current=with_shown(state, event.player, event.card))


def with_shown(state: State, owner: str, card: int) -> Round:
    """The round with one more card known in front of a player; raises IllegalEvent when there is no place for it."""
    shown = state.current.shown.get(owner, ())
    if len(shown) == cards_each(state.players):
        cards = " and ".join(map(str, shown))
        raise IllegalEvent(f"In front of this player lay {cards}: choose one of these, or correct the entry.")
    return replace(state.current, shown={**state.current.shown, owner: (*shown, card)})


def taken(state: State, event: Taken, ruled: bool) -> State:
    """PS-32 … PS-34: a card of another player or the top card of the draw pile; the first hand has it (PS-37)."""
    require(state, Phase.TAKING, "No truck is taken now: that comes when all have rolled.", ruled)
    if event.player in state.current.trucks:
        raise IllegalEvent("This player has a truck, and a choice is final: correct the entry if it is wrong.")  # PS-34
    if event.owner == event.player and not ruled:
        raise IllegalEvent(
            "Nobody takes a card in front of oneself: choose another player's or the draw pile."
        )  # PS-32
    if event.owner is not None and is_last(state, event.player) and not ruled:
        raise IllegalEvent("The last player takes the top card of the draw pile: enter its number.")  # PS-33
    state = dealt(state)
    current, pile = state.current, state.pile
    if event.owner is None:
        check_unseen(state, event.card)
        pile = pile.drawn(1)
    elif event.card not in lying(state, event.owner):
        if event.owner not in state.players:
            raise IllegalEvent("The card lay in front of a player: choose who, or the draw pile.")
        check_unseen(state, event.card)
        current = with_shown(state, event.owner, event.card)
    current = replace(current, taken=(*current.taken, event), trucks={**current.trucks, event.player: event.card})
    after = replace(state, current=current, pile=pile)
    return cleared(after) if len(current.trucks) == len(state.players) else after


def is_last(state: State, player: str) -> bool:
    """Everybody else has a truck (PS-33)."""
    return set(state.players) - set(state.current.trucks) == {player}


def lying(state: State, owner: str) -> tuple[int, ...]:
    """The known cards that still lie in front of a player."""
    gone = {each.card for each in state.current.taken}
    return tuple(card for card in state.current.shown.get(owner, ()) if card not in gone)


def check_unseen(state: State, card: int) -> None:
    """A card that was face down until now; raises IllegalEvent for one that lies elsewhere."""
    if card not in unseen(state):
        last = len(trucks(state.options))
        if not 1 <= card <= last:
            raise IllegalEvent(f"The trucks are numbered 1 to {last}: enter the number on the card.")
        raise IllegalEvent(f"Truck {card} lies elsewhere, in play or discarded: look at the number on the card.")


def unseen(state: State) -> frozenset[int]:
    """The cards that may lie face down, as far as the table has noted the others."""
    current = state.current
    seen = {*current.trucks.values(), *state.pile.known}
    if not current.cleared:
        seen |= {card for owner in state.players for card in lying(state, owner)}
    return frozenset(range(1, len(trucks(state.options)) + 1)) - seen


def cleared(state: State) -> State:
    """PS-35: the cards that nobody took are discarded."""
    rest = [card for owner in state.players for card in lying(state, owner)]
    from_players = sum(each.owner is not None for each in state.current.taken)
    left = len(state.players) * cards_each(state.players) - from_players
    pile = state.pile.discard(rest, left - len(rest))
    return replace(state, pile=pile, current=replace(state.current, cleared=True))


def loaded(state: State, event: Loaded, ruled: bool) -> State:
    """PS-40 … PS-45: at the same time, without a time limit; boxes may stay outside, on purpose too."""
    require(state, Phase.LOADING, "Nobody loads now: that comes when all have a truck.", ruled)
    player, current = event.player, state.current
    if player in current.unloaded:
        raise IllegalEvent("This player has loaded: correct the entry if something is wrong.")
    truck = truck_taken(state, player)
    inside = loads.less(current.dice.get(player, NONE), event.unloaded)
    loads.empty(truck, inside)  # refuses more than the truck holds
    if event.boxes:
        loads.check_packed(truck, event.boxes)
        if loads.counts_of(event.boxes) != inside:
            raise IllegalEvent("The boxes in the truck are not those rolled and not left over: count them again.")
    return replace(
        state,
        current=replace(
            current,
            unloaded={**current.unloaded, player: event.unloaded},
            packed={**current.packed, player: event.boxes},
        ),
    )


def round_closed(state: State, ruled: bool) -> State:
    """PS-13: boxes to the supply, trucks to the discard pile, the next player clockwise starts; or the end (PS-56)."""
    require(state, Phase.SCORING, "The round is not over: everybody loads first.", ruled)
    if reward_due(state) is not None and not ruled:
        raise IllegalEvent("The only player without loss draws a reward card first: enter which.")  # PS-61
    current = state.current
    after = cleared(state) if current.dealt and not current.cleared else state
    pile = replace(after.pile, shuffled=False).discard(current.trucks.values())
    if not pile.cards:
        pile = pile.drawn(0)  # PS-36
    following = order(state)[1]
    played = replace(current, losses=losses(state.options, current))
    closed = replace(after, past=(*state.past, played), current=Round(following), pile=pile)
    return replace(closed, ended=ends(score(closed)))


# reward cards


def reward_due(state: State) -> str | None:
    """PS-61: who draws a reward card now: the only player with a loss of 0, if any is left to draw."""
    if phase(state) is not Phase.SCORING or state.current.rewarded or not drawable(state):
        return None
    return only_perfect(losses(state.options, state.current, vouchers=False))


def only_perfect(without_vouchers: Mapping[str, int]) -> str | None:
    """PS-61: the only player with a loss of 0; a voucher does not help (reading 8)."""
    perfect = [player for player, lost in without_vouchers.items() if lost == 0]
    return perfect[0] if len(perfect) == 1 else None


def drawable(state: State) -> frozenset[Reward]:
    """What the top card of the reward pile may be: used cards lie below the others (PS-66)."""
    return state.fresh or state.under


def reward_drawn(state: State, event: RewardDrawn, ruled: bool) -> State:
    """PS-61; the scoring is over then, so it is of use from the next round on (reading 9)."""
    if event.player != reward_due(state) and not ruled:
        raise IllegalEvent("Only who alone has a loss of 0 draws a reward card, once a round.")
    if event.reward not in (state.fresh | state.under if ruled else drawable(state)):
        raise IllegalEvent("This reward card is not on the pile: choose the one that was drawn.")
    return replace(
        state,
        held={**state.held, event.reward: event.player},
        fresh=state.fresh - {event.reward},
        under=state.under - {event.reward},
        current=replace(state.current, rewarded=event.player),
    )


def order_renewed(state: State, event: OrderRenewed, ruled: bool) -> State:
    """PS-62: after the own roll and before a truck is taken (our reading: by anybody); all five dice again."""
    if event.player not in state.current.dice:
        raise IllegalEvent("New Order replaces a load: roll first.")
    if event.player in state.current.trucks or (state.current.taken and not ruled):
        raise IllegalEvent("New Order is discarded before a truck is taken: keep it for the next round.")
    after = discarded(state, Reward.NEW_ORDER, event.player)
    dice = {**state.current.dice, event.player: checked_dice(state, event.dice, ruled)}
    return replace(after, current=replace(state.current, dice=dice))


def truck_replaced(state: State, event: TruckReplaced, ruled: bool) -> State:
    """PS-63: after taking a truck and before loading; it is discarded, then the top card is drawn."""
    current, player = state.current, event.player
    truck_taken(state, player)
    if player in current.unloaded:
        raise IllegalEvent("A truck is replaced before loading: keep the card for the next round.")
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
    require(state, Phase.SCORING, "A voucher is discarded when the round is scored: everybody loads first.", ruled)
    if state.current.rewarded and not ruled:
        raise IllegalEvent("The scoring is over: keep the voucher for the next round.")
    after = discarded(state, Reward.VOUCHER, event.player)
    return replace(after, current=replace(state.current, vouchers=state.current.vouchers | {event.player}))


def discarded(state: State, reward: Reward, player: str) -> State:
    """A used reward card is out of the game, or goes under the pile (PS-66); several may be used a round (PS-65)."""
    if state.held.get(reward) != player:
        raise IllegalEvent(f"This player does not have the card {reward}: only its owner discards it.")
    held = {card: owner for card, owner in state.held.items() if card is not reward}
    return replace(state, held=held, under=state.under | {reward} if state.options.reward_recycle else state.under)


# what is allowed


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now from this player; a load is listed without where its boxes lie."""
    current = state.current
    now = phase(state)
    found: list[Event] = []
    mine = {reward for reward, owner in state.held.items() if owner == player}
    if now is Phase.NAMING:
        found += [StarterNamed(each) for each in state.players]
    if now is Phase.ROLLING and player in awaiting(state):
        found += [Rolled(player, dice) for dice in possible_rolls(state.options.dice_faces)]
    if now in (Phase.ROLLING, Phase.TAKING) and Reward.NEW_ORDER in mine and player in current.dice:
        found += (
            [] if current.taken else [OrderRenewed(player, dice) for dice in possible_rolls(state.options.dice_faces)]
        )
    if now is Phase.TAKING:
        found += takings(state, player)
    may_replace = player in current.trucks and player not in current.unloaded
    if now in (Phase.TAKING, Phase.LOADING) and Reward.REPLACING in mine and may_replace:
        found += [TruckReplaced(player, card) for card in sorted(unseen(state))]
    if now is Phase.LOADING and player in awaiting(state):
        truck = truck_taken(state, player)
        found += [Loaded(player, unloaded) for unloaded in possible_rests(truck, current.dice[player])]
    if now is Phase.SCORING:
        due = reward_due(state)
        found += [RewardDrawn(player, reward) for reward in sorted(drawable(state))] if due == player else []
        found += [VoucherUsed(player)] if Reward.VOUCHER in mine and not current.rewarded else []
        found += [RoundClosed()] if due is None else []
    return tuple(found)


def takings(state: State, player: str) -> list[Event]:
    """The trucks that a player may take or note: numbers that are known, and any that may lie where one is not."""
    each, hidden = cards_each(state.players), sorted(unseen(state))
    unknown = {owner for owner in state.players if len(state.current.shown.get(owner, ())) < each}
    found: list[Event] = [CardShown(player, card) for card in hidden] if player in unknown else []
    if player in state.current.trucks:
        return found
    if not is_last(state, player):
        for owner in state.players:
            if owner != player:
                cards = (*lying(state, owner), *(hidden if owner in unknown else ()))
                found += [Taken(player, card, owner) for card in cards]
    return [*found, *(Taken(player, card) for card in hidden)]


@lru_cache(maxsize=16)
def possible_rolls(faces: tuple[tuple[int, ...], ...]) -> tuple[Counts, ...]:
    """Everything that the five dice may show; as printed 1 to 40 units of volume, never nothing (PS-09)."""
    return tuple(
        (one, two, three, four, five) for one, two, three, four, five in product(*(sorted(set(die)) for die in faces))
    )


@lru_cache(maxsize=64)
def possible_rests(truck: Truck, rolled: Counts) -> tuple[Counts, ...]:
    """Every choice of boxes to leave beside the truck so that it holds the volume of the others."""
    return tuple(
        (one, two, three, four, five)
        for one, two, three, four, five in product(*(range(number + 1) for number in rolled))
        if volume(rolled) - volume((one, two, three, four, five)) <= truck.capacity
    )


# scoring


def losses(options: Options, played: Round, vouchers: bool = True) -> dict[str, int]:
    """PS-52: what each player who has loaded loses in a round; `vouchers` as they were used (PS-64)."""
    return {
        player: loads.loss(
            trucks(options)[played.trucks[player] - 1],
            played.dice.get(player, NONE),
            unloaded,
            vouchers and player in played.vouchers,
        )
        for player, unloaded in played.unloaded.items()
    }


def smallest(lost: Mapping[str, int]) -> tuple[str, ...]:
    """PS-53: everybody with the smallest loss of the round."""
    return tuple(player for player, points in lost.items() if points == min(lost.values()))


def settled(before: int, lost: int, bonus: bool, floor_at_zero: bool) -> int:
    """PS-55: the loss, then the bonus; then, as a house rule, never below zero (PS-54, our reading of when)."""
    after = before - lost + (BONUS if bonus else 0)
    return max(0, after) if floor_at_zero else after


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The points to begin with, then each round; the running one as far as it is known."""
    points = state.options.start_points
    lines = [("Points at the start", points, "PS-10")]
    for number, played in enumerate((*state.past, state.current), start=1):
        closed = number <= len(state.past)
        lost = played.losses if closed else losses(state.options, played)
        if player not in lost:
            continue
        complete = closed or len(lost) == len(state.players)
        bonus = complete and player in smallest(lost)
        lines.append((f"Round {number}: {loss_words(state.options, played, player)}", -lost[player], "PS-52"))
        if bonus:
            lines.append((f"Round {number}: smallest loss", BONUS, "PS-53"))
        after = settled(points, lost[player], bonus, state.options.floor_at_zero)
        below = after - (points - lost[player] + (BONUS if bonus else 0))
        if below:
            lines.append((f"Round {number}: never below zero", below, "PS-54"))
        points = after
    return (*lines, *rulings.lines(state.rulings, player))


def loss_words(options: Options, played: Round, player: str) -> str:
    """What a loss is made of: "5 empty, left over 4"."""
    truck = trucks(options)[played.trucks[player] - 1]
    rolled_boxes, rest = played.dice.get(player, NONE), played.unloaded[player]
    empty = loads.empty(truck, loads.less(rolled_boxes, rest))
    voucher = " with voucher" if player in played.vouchers else ""
    return f"{empty} empty, {volume(rest)} left over{voucher}" if volume(rest) else f"{empty} empty"


def score(state: State) -> dict[str, int]:
    """Everybody's points, if it ended now."""
    return {player: sum(points for _, points, _ in explain(state, player)) for player in state.players}


def is_over(state: State) -> bool:
    """Nothing more can happen but rulings."""
    return state.ended


def ends(points: Mapping[str, int]) -> bool:
    """PS-56: somebody has 0 or fewer points after a round."""
    return any(each <= 0 for each in points.values())


def highest(points: Mapping[str, int]) -> tuple[str, ...]:
    """PS-57: the most points; equal ones share the victory."""
    return tuple(player for player, each in points.items() if each == max(points.values()))


def winners(state: State) -> tuple[str, ...]:
    """Nobody until it is over."""
    return highest(score(state)) if state.ended else ()
