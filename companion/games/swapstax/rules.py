"""SWAPSTAX by Rotree Corp.: the rulebook. Ids are those of the rule sheet (MX-… shared, SWP-… its own).

Everybody builds an own card at once, after the cards were swapped; points are the stars of the card. The timer
(MX-10 … MX-24) and the stack-off (MX-31, MX-32) are those of all MaxStax games, in `companion.games.maxstax`.

A card is a number with stars (MX-07): our own cards are drawn by their number and bring their stars along, those of
the bought deck are drawn by their stars.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from companion.contract import Due, option
from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.maxstax import deck, stack_off, timer
from companion.games.maxstax.deck import DECK_CHOICES, MOST_STARS, OWN_DECK, Deck
from companion.games.maxstax.stack_off import LIMIT_CHOICES
from companion.games.maxstax.timer import (
    BUMP_CHOICES,
    STACKING_US,
    Bump,
    Bumped,
    Collapsed,
    FalseStarted,
    Judged,
    Paused,
    Readied,
    Resumed,
    Round,
    RoundClosed,
    Shouted,
    ShoutRejected,
    Stage,
    Started,
    TimeRanOut,
)
from companion.games.rulings import Ruling

ROUNDS = 5  # SWP-02
SWAPS = 2  # SWP-01, MX-04: SWAP cards of each player for the whole game; eight for four players
STARS = (0, 10)  # what a card of any deck may have
MOST_STAR_POINTS = 1000


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet."""

    deck_subset: tuple[int, ...] = option(
        (), "Cards in play", "Numbers of the cards you play with; leave empty for all 45.", "MX-06"
    )
    stack_off_limit: int | None = option(
        120,
        "Stack-off",
        "How long a Speed-Stack-Off may last before the next card is turned up.",
        "MX-32",
        LIMIT_CHOICES,
    )
    shout_required: bool = option(
        True,
        "MAX STAX must be shouted",
        "Without it a stack that stands and matches when the time is up counts, and the table says which do.",
        "MX-20",
    )
    star_points: tuple[int, ...] = option(
        (1, 2, 3, 4, 5),
        "Points for stars",
        "The points for one star, two stars and so on; stars without an entry count one point each.",
        "SWP-40",
    )
    bump_rule: Bump = option(
        Bump.CONTINUES,
        "A stack knocked over by somebody else",
        "What happens when a stack falls through somebody else or the table.",
        "MX-24",
        BUMP_CHOICES,
    )
    tie_ms: int = option(
        1,
        "Ties within (ms)",
        "Presses closer together than this are a tie in a stack-off, from 0 to 100 milliseconds.",
        "SPD-04",
        low=0,
        high=timer.MOST_TIE_MS,
    )
    deck: Deck = option(
        Deck.OWN,
        "Deck",
        "Our own printed cards bring their stars along; those of others are asked.",
        "MX-07",
        DECK_CHOICES,
    )


# what may happen


@dataclass(frozen=True)
class ShufflerNamed:
    """A volunteer shuffles and handles the timer, and plays too; draws and swaps begin there (SWP-01)."""

    shuffler: str


@dataclass(frozen=True)
class Drew:
    """A player drew the top Stacker card and laid it face up (SWP-02).

    card        its number; needed for our own deck
    stars       its stars; needed for the bought deck, otherwise only where they differ from the deck's (MX-07)
    """

    player: str
    card: int | None = None
    stars: int | None = None


@dataclass(frozen=True)
class SwappedWithPlayer:
    """A player turned over a SWAP card and exchanged cards with another, who cannot refuse (SWP-11)."""

    player: str
    other: str


@dataclass(frozen=True)
class SwappedWithDeck:
    """A player turned over a SWAP card for the top card of the deck; the old card was discarded (SWP-12)."""

    player: str
    card: int | None = None
    stars: int | None = None


@dataclass(frozen=True)
class Passed:
    """A player did not swap when it was their turn to (SWP-13)."""

    player: str


@dataclass(frozen=True)
class CardTurned:
    """The Shuffler turned up the next card, for a stack-off (MX-31)."""

    card: int


Event = (
    ShufflerNamed
    | Drew
    | SwappedWithPlayer
    | SwappedWithDeck
    | Passed
    | CardTurned
    | Readied
    | Started
    | FalseStarted
    | Shouted
    | ShoutRejected
    | Collapsed
    | Bumped
    | Paused
    | Resumed
    | TimeRanOut
    | Judged
    | RoundClosed
    | Ruling
)
EVENTS = get_args(Event)


# what is on the table


@dataclass(frozen=True)
class Card:
    """A Stacker card: its stars, and its number where it is known."""

    stars: int
    number: int | None = None


@dataclass(frozen=True)
class Played:
    """A closed round: the stacks, and the card each player had built."""

    stacks: Round
    hands: Mapping[str, Card]


@dataclass(frozen=True)
class State:
    """`order` are the players clockwise from the Shuffler, empty until there is one.

    hands       the card that lies before each player in this round
    swaps_left  SWAP cards not yet turned over
    turn        how many turns to draw, swap or pass there have been in this round
    passes      how many of them were passes in a row
    discard     the common discard pile, the last card on top
    stack_offs  those that are closed; `turned` is the card of the one that is on
    """

    options: Options
    players: tuple[str, ...]
    current: Round
    order: tuple[str, ...] = ()
    hands: Mapping[str, Card] = field(default_factory=dict)
    swaps_left: Mapping[str, int] = field(default_factory=dict)
    turn: int = 0
    passes: int = 0
    discard: tuple[Card, ...] = ()
    past: tuple[Played, ...] = ()
    stack_offs: tuple[Round, ...] = ()
    turned: int | None = None
    rulings: tuple[Ruling, ...] = ()
    ended: bool = False


def start(options: Options, players: tuple[str, ...]) -> State:
    """Two SWAP cards for everybody (SWP-01), five rounds ahead (SWP-02)."""
    timer.check_table(players, "SWAPSTAX", options.tie_ms)
    stack_off.check_limit(options.stack_off_limit)
    deck.check_subset(options.deck_subset, ROUNDS * len(players), f"SWAPSTAX with {len(players)} players")  # MX-06
    if len(options.star_points) > STARS[1] or not all(0 <= each <= MOST_STAR_POINTS for each in options.star_points):
        raise IllegalEvent(f"Points for 1 to {STARS[1]} stars are 0 to {MOST_STAR_POINTS} each: correct the list.")
    return State(options, players, new_round(options, players), swaps_left=dict.fromkeys(players, SWAPS))


def new_round(options: Options, players: tuple[str, ...]) -> Round:
    """All build their own card at the same time, for two minutes (SWP-20, MX-10)."""
    return Round(players, STACKING_US, shout_required=options.shout_required)


# where the game stands


def stage(state: State) -> Stage:
    """What the timer waits for; draws and swaps come before it."""
    return Stage.OVER if state.ended else timer.stage(state.current)


def in_stack_off(state: State) -> bool:
    """The five rounds are played and a tie is being decided (MX-31)."""
    return len(state.past) >= ROUNDS


def drawing(state: State) -> str | None:
    """Who draws next: from the Shuffler clockwise (SWP-02); nobody when all cards lie face up."""
    if state.ended or in_stack_off(state):
        return None
    return next((player for player in state.order if player not in state.hands), None)


def swapping(state: State) -> str | None:
    """Whose turn it is to swap or pass; nobody once all have passed one after the other (SWP-13).

    Who has no SWAP card left can only pass and is not asked.
    """
    if state.ended or in_stack_off(state) or len(state.hands) < len(state.players) or state.current.go_us is not None:
        return None
    for skipped in range(len(state.order) - state.passes):
        player = state.order[(state.turn + skipped) % len(state.order)]
        if state.swaps_left[player]:
            return player
    return None


def awaiting(state: State) -> frozenset[str]:
    """Who draws, or swaps or passes; then who is not ready, still builds or has to be judged."""
    if state.ended:
        return frozenset()
    if not state.order:
        return frozenset(state.players)
    one = drawing(state) or swapping(state)
    return frozenset({one}) if one else timer.awaiting(state.current)


def due(state: State) -> Due | None:
    """The clock brings the end of the stacking time."""
    return None if state.ended else timer.due(state.current)


def known_cards(state: State) -> frozenset[int]:
    """Numbers of the cards that have left the deck."""
    numbers = (state.turned, *(card.number for card in (*state.discard, *state.hands.values())))
    return frozenset(number for number in numbers if number is not None)


def cards_left(state: State) -> int:
    """How many cards the deck still has."""
    gone = len(state.discard) + len(state.hands) + (state.turned is not None)
    return len(deck.in_play(state.options.deck_subset)) - gone


# what a round allows


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: order and deck are not asked, a late start, shout or end is taken as said
    """
    if isinstance(event, Ruling):
        return settled(replace(state, rulings=(*state.rulings, rulings.checked(event, state.players))))
    if state.ended:
        raise IllegalEvent("The game is over: start a new one.")
    match event:
        case ShufflerNamed(shuffler):
            return shuffler_named(state, shuffler)
        case Drew():
            return drew(state, event, ruled)
        case SwappedWithPlayer(player, other):
            return swapped_with_player(state, player, other, ruled)
        case SwappedWithDeck():
            return swapped_with_deck(state, event, ruled)
        case Passed(player):
            check_swapping(state, player, ruled)
            return replace(moved_on(state, player), passes=passes_before(state, player) + 1)
        case CardTurned(card):
            return card_turned(state, card, ruled)
        case RoundClosed():
            return round_closed(state)
        case Readied() | Started():
            check_cards_lie(state, ruled)
    return replace(state, current=timer.apply(state.current, event, state.options.bump_rule, ruled))


def shuffler_named(state: State, shuffler: str) -> State:
    """SWP-01: a volunteer, for the whole game."""
    if shuffler not in state.players:
        raise IllegalEvent("The Shuffler is one of the players: choose one.")
    if state.past or state.hands:
        raise IllegalEvent("Another player can be Shuffler in the next game: this one has begun.")
    at = state.players.index(shuffler)
    return replace(state, order=(*state.players[at:], *state.players[:at]))


def drew(state: State, event: Drew, ruled: bool) -> State:
    """SWP-02: from the Shuffler clockwise, each draws the top card and lays it face up."""
    if event.player not in state.players:
        raise IllegalEvent("That player is not in this game: choose one who is.")
    if not state.order:
        raise IllegalEvent("Nobody shuffles yet: name the Shuffler first.")
    if event.player in state.hands or in_stack_off(state):
        raise IllegalEvent("This player has a card for this round already: correct it, or swap it.")
    if drawing(state) != event.player and not ruled:
        raise IllegalEvent("Cards are drawn from the Shuffler clockwise: it is another player's turn to draw.")
    card = top_card(state, event.card, event.stars, ruled)
    return replace(state, hands={**state.hands, event.player: card})


def top_card(state: State, number: int | None, stars: int | None, ruled: bool) -> Card:
    """The card that was drawn: in play, not drawn before, with stars from our deck or as the table says (MX-07)."""
    if number is None and state.options.deck is Deck.OWN:
        raise IllegalEvent("Our own cards carry a number: enter it.")
    if number is not None and number not in deck.in_play(() if ruled else state.options.deck_subset):
        raise IllegalEvent(f"Card {number} is not in play: enter the number on the card.")
    if number in known_cards(state):
        raise IllegalEvent(f"Card {number} was drawn before: enter the number on the card.")
    if stars is None:
        if number is None or state.options.deck is not Deck.OWN:
            raise IllegalEvent("The stars of this card are not known: enter them from the scoring card.")
        stars = OWN_DECK.cards[number].stars
    if not STARS[0] <= stars <= STARS[1]:
        raise IllegalEvent(f"A card has {STARS[0]} to {STARS[1]} stars: enter those of the scoring card.")
    if cards_left(state) < 1:
        raise IllegalEvent("The deck is used up: no card can be drawn.")
    return Card(stars, number)


def swapped_with_player(state: State, player: str, other: str, ruled: bool) -> State:
    """SWP-11, SWP-14: with any other player, also one who has passed or has no SWAP card; back again too."""
    check_swapping(state, player, ruled)
    if other not in state.players or other == player:
        raise IllegalEvent("A card is swapped with another player or with the deck: choose one.")
    hands = {**state.hands, player: state.hands[other], other: state.hands[player]}
    return replace(swap_played(state, player), hands=hands)


def swapped_with_deck(state: State, event: SwappedWithDeck, ruled: bool) -> State:
    """SWP-11, SWP-12: for the top card of the deck; the old one is discarded. Cards for the next rounds must stay."""
    check_swapping(state, event.player, ruled)
    if not ruled and cards_left(state) <= still_to_draw(state):
        raise IllegalEvent("The cards that are left are needed for the next rounds: swap with a player, or pass.")
    card = top_card(state, event.card, event.stars, ruled)
    old = state.hands[event.player]
    after = replace(state, hands={**state.hands, event.player: card}, discard=(*state.discard, old))
    return swap_played(after, event.player)


def still_to_draw(state: State) -> int:
    """MX-06: one card for every player in each round that is to come."""
    return (ROUNDS - len(state.past) - 1) * len(state.players)


def check_swapping(state: State, player: str, ruled: bool) -> None:
    """SWP-10, SWP-13: raises IllegalEvent unless this player may play a SWAP or pass now."""
    if player not in state.players:
        raise IllegalEvent("That player is not in this game: choose one who is.")
    if state.current.go_us is not None:
        raise IllegalEvent("The stacking has started: SWAP cards are played before it.")
    if len(state.hands) < len(state.players):
        raise IllegalEvent("Not all cards lie face up yet: draw first, then swap.")
    if not state.swaps_left[player]:
        raise IllegalEvent("Both SWAP cards of this player are used up: another player may swap.")  # SWP-01
    if not ruled and swapping(state) is None:
        raise IllegalEvent("All have passed one after the other: get ready to stack.")
    if not ruled and swapping(state) != player:
        raise IllegalEvent("Swaps go from the Shuffler clockwise: it is another player's turn to swap or pass.")


def swap_played(state: State, player: str) -> State:
    """SWP-10: the SWAP card is turned over and used up."""
    return replace(
        moved_on(state, player),
        swaps_left={**state.swaps_left, player: state.swaps_left[player] - 1},
        passes=0,
        current=replace(state.current, ready=frozenset()),
    )


def moved_on(state: State, player: str) -> State:
    """SWP-13: the turn goes clockwise from this player."""
    return replace(state, turn=state.order.index(player) + 1)


def passes_before(state: State, player: str) -> int:
    """Passes in a row before this player's turn, those of players without a SWAP card included."""
    skipped = (state.order.index(player) - state.turn) % len(state.order)
    return state.passes + skipped


def check_cards_lie(state: State, ruled: bool) -> None:
    """SWP-10: stacking starts when all cards lie face up and nobody wants to swap any more."""
    if in_stack_off(state):
        return
    if len(state.hands) < len(state.players):
        raise IllegalEvent("Not all cards lie face up yet: draw first.")
    if swapping(state) is not None and not ruled:
        raise IllegalEvent("SWAP cards can still be played: swap or pass first.")


def card_turned(state: State, card: int, ruled: bool) -> State:
    """MX-31: the Shuffler turns up the next card for those tied; noted where the table wants its picture."""
    if not in_stack_off(state) or stage(state) is not Stage.WAITING:
        raise IllegalEvent("A common card is turned up before a stack-off only: draw your own cards.")
    in_play = deck.in_play(() if ruled else state.options.deck_subset)
    if card not in in_play:
        raise IllegalEvent(f"Card {card} is not in play: enter the number on the card.")
    gone = known_cards(state)
    if card == state.turned or (card in gone and not ruled and not gone >= frozenset(in_play)):
        raise IllegalEvent(f"Card {card} was drawn before: enter the number on the card.")
    return replace(state, turned=card)  # our reading of MX-06: with the last card used up, all are shuffled again


def round_closed(state: State) -> State:
    """SWP-30: the cards are discarded; the next round, a stack-off, or the end (MX-31, MX-32)."""
    timer.require_judged(state.current)
    if in_stack_off(state):
        turned = () if state.turned is None else (Card(0, state.turned),)  # it brings no points (reading 11)
        stack_offs = (*state.stack_offs, state.current)
        after = replace(state, stack_offs=stack_offs, discard=(*state.discard, *turned), turned=None)
    else:
        discard = (*state.discard, *(state.hands[player] for player in state.order))
        after = replace(state, past=(*state.past, Played(state.current, state.hands)), hands={}, discard=discard)
    return settled(replace(after, current=new_round(state.options, state.players), turn=0, passes=0))


def settled(state: State) -> State:
    """After the fifth round: over when one player leads, otherwise those tied have a stack-off (MX-31)."""
    if not in_stack_off(state) or timer.stage(state.current) is not Stage.WAITING:
        return state
    tied = contenders(state)
    if len(tied) == 1:
        return replace(state, ended=True)
    if state.current.builders == tied and state.current.first_wins and not state.ended:
        return state
    return replace(state, ended=False, current=stack_off.next_round(tied, state.options.stack_off_limit))


# points


def points_for(stars: int, options: Options) -> int:
    """SWP-40: as many points as stars, unless the table has another list."""
    return options.star_points[stars - 1] if 1 <= stars <= len(options.star_points) else stars


def scoring_rounds(state: State) -> tuple[Played, ...]:
    """The rounds that bring points: the five, the running one included; a stack-off brings none (reading 11)."""
    running = () if in_stack_off(state) or state.current.go_us is None else (Played(state.current, state.hands),)
    return (*state.past, *running)


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """A line for each round that has a result or is running."""
    lines = []
    for number, played in enumerate(scoring_rounds(state), start=1):
        stars = played.hands[player].stars
        complete = player in timer.completed(played.stacks)
        gained = points_for(stars, state.options) if complete else 0
        what = f"{stars} {'star' if stars == 1 else 'stars'}{'' if complete else ', not complete'}"
        lines.append((f"Round {number}, {what}", gained, "SWP-40"))
    return (*lines, *rulings.lines(state.rulings, player))


def score(state: State) -> dict[str, int]:
    """Sums over the rounds."""
    return {player: sum(gained for _, gained, _ in explain(state, player)) for player in state.players}


def contenders(state: State) -> tuple[str, ...]:
    """Who can still win after the rounds and stack-offs played: one, or those tied (MX-31, MX-32)."""
    return stack_off.contenders(score(state), state.stack_offs, state.options.tie_ms)


def winners(state: State) -> tuple[str, ...]:
    """Highest sum after round 5, a tie decided by the stack-off (MX-31)."""
    return contenders(state) if state.ended else ()


def is_over(state: State) -> bool:
    """Nothing more can happen."""
    return state.ended


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now from this player; instants are the earliest possible."""
    if state.ended:
        return ()
    named = () if state.past or state.hands else (ShufflerNamed(player),)
    if not state.order:
        return named
    if drawing(state):
        drawn = tuple(Drew(player, *card) for card in drawable(state)) if player == drawing(state) else ()
        return (*named, *drawn)
    if swapping(state):
        return swaps(state, player) if player == swapping(state) else ()
    rounds = (*(played.stacks for played in state.past), *state.stack_offs, state.current)
    events = timer.legal(state.current, player, timer.latest_us(rounds))
    match stage(state):
        case Stage.WAITING if in_stack_off(state):
            return (*events, *(CardTurned(card) for card in turnable(state)))
        case Stage.FINISHED:
            close = () if timer.unjudged(state.current) else (RoundClosed(),)
            return (*events, *timer.verdicts(state.current, player), *close)
    return events


def swaps(state: State, player: str) -> tuple[Event, ...]:
    """Pass, swap with another player, or with the deck where cards are left for it (SWP-11)."""
    others = tuple(SwappedWithPlayer(player, other) for other in state.players if other != player)
    spare = cards_left(state) > still_to_draw(state)
    return (Passed(player), *others, *(SwappedWithDeck(player, *card) for card in drawable(state) if spare))


def drawable(state: State) -> tuple[tuple[int | None, int | None], ...]:
    """(number, stars) of what the top card may be: our own cards by number, those of others by their stars."""
    if state.options.deck is Deck.BOUGHT:
        return tuple((None, stars) for stars in range(1, max(MOST_STARS, len(state.options.star_points)) + 1))
    gone = known_cards(state)
    return tuple((card, None) for card in deck.in_play(state.options.deck_subset) if card not in gone)


def turnable(state: State) -> tuple[int, ...]:
    """Numbers that may be on the next card for a stack-off."""
    in_play, gone = deck.in_play(state.options.deck_subset), known_cards(state)
    left = tuple(card for card in in_play if card not in gone)
    return left or tuple(card for card in in_play if card != state.turned)
