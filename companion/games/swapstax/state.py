"""Options, events and state of SWAPSTAX.

A card has a number and stars (MX-07): for our own deck players enter the number, which determines the stars; for the
bought deck they enter the stars.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, get_args

from companion.equipment import deck
from companion.equipment.deck import MOST_STARS, Deck
from companion.game.options import option
from companion.games.maxstax import options as shared
from companion.games.maxstax import timer
from companion.games.maxstax.events import Judged, RoundClosed, TimerEvent
from companion.games.maxstax.timer import Bump, Round, Stage
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.words import N_

FEWEST_PLAYERS, MOST_PLAYERS = timer.FEWEST_PLAYERS, timer.MOST_PLAYERS
WHY_SEATS_STAY = N_(  # SWP-01, SWP-02
    "Everybody draws their SWAP cards for the whole game, cards are drawn clockwise, and a newcomer "
    "has missed some rounds."
)
ROUNDS = 5  # SWP-02
SWAPS = 2  # SWP-01, MX-04: each player has so many SWAP cards for the whole game; four players have eight
MOST_RATINGS = 20  # A table's own list of points has so many entries at most (SWP-40).
MOST_STAR_POINTS = 1000


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    deck_subset: tuple[int, ...] = shared.deck_subset(
        N_("Numbers of the cards you play with, at least five for each player. Leave empty for all 45.")
    )
    stack_off_limit: int | None = shared.stack_off_limit()
    shout_required: bool = shared.shout_required(
        N_("Without the shout, a stack counts if it stands and matches when time is up. The table decides.")
    )
    star_points: tuple[int, ...] = option(
        (1, 2, 3, 4, 5),
        N_("Points for stars"),
        N_(
            "The points for one star, two stars and so on; a star with no entry counts one point. Does your bought "
            "deck have more than five stars? Add an entry for each, and the page offers them."
        ),
        "SWP-40",
    )
    bump_rule: Bump = shared.bump_rule()
    tie_ms: int = shared.tie_ms(
        N_("Presses closer together than this are a tie in a stack-off, from 0 to 100 milliseconds.")
    )
    to_the_mm: bool = shared.to_the_mm()
    deck: Deck = shared.which_deck(
        N_("Our printed cards already know their stars. For other cards you're asked, unless the camera knows them.")
    )


@dataclass(frozen=True)
class ShufflerNamed:
    """A volunteer shuffles and handles the timer, and plays too; draws and swaps begin there (SWP-01)."""

    shuffler: str


@dataclass(frozen=True)
class Drew:
    """A player drew the top Stacker card and laid it face up (SWP-02).

    card        its number; required for our own deck
    stars       its stars; required for the bought deck, otherwise only if they differ from the deck's (MX-07)
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
    """A player did not swap in turn (SWP-13)."""

    player: str


@dataclass(frozen=True)
class CardTurned:
    """The Shuffler turned up the next card, for a stack-off (MX-31)."""

    part: ClassVar = "card"  # no tap relies on it; a shout must not become stale by it
    card: int


Event = (
    ShufflerNamed
    | Drew
    | SwappedWithPlayer
    | SwappedWithDeck
    | Passed
    | CardTurned
    | TimerEvent
    | Judged
    | RoundClosed
    | Rested
    | Returned
    | Ruling
)
EVENTS: tuple[type[Event], ...] = get_args(Event)


@dataclass(frozen=True)
class Card:
    """A Stacker card: its stars, and its number, None if unknown."""

    stars: int
    number: int | None = None


@dataclass(frozen=True)
class Played:
    """A closed round: the stacks, and each player's card."""

    stacks: Round
    hands: Mapping[str, Card]


@dataclass(frozen=True)
class State:
    """The state of a game.

    order       the players clockwise from the Shuffler, empty until there is one
    hands       player → card in this round
    swaps_left  player → SWAP cards not yet turned over
    turn        place in `order`, modulo its length, of the player who swaps or passes next
    passes      number of passes in a row
    discard     the common discard pile, the last card on top
    past        closed rounds
    stack_offs  closed stack-offs
    turned      the common card of the current stack-off, None if unknown
    resting     players who left for a while: they draw no card, and rounds do not wait for them
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
    resting: frozenset[str] = frozenset()


def stage(state: State) -> Stage:
    """The stage of the timer; draws and swaps come before it."""
    return Stage.OVER if state.ended else timer.stage(state.current)


def in_stack_off(state: State) -> bool:
    """Whether the five rounds are played; then a tie is being decided (MX-31)."""
    return len(state.past) >= ROUNDS


def drawing(state: State) -> str | None:
    """The player who draws next, from the Shuffler clockwise (SWP-02), or None when all cards lie face up."""
    if state.ended or in_stack_off(state):
        return None
    if state.current.go_us is not None:
        return None  # who is back after the start has no card in this round
    return next((player for player in state.order if player not in state.hands and player not in state.resting), None)


def all_lie(state: State) -> bool:
    """Whether the cards of all players who do not rest lie face up (SWP-10)."""
    return all(player in state.hands or player in state.resting for player in state.players)


def swapping(state: State) -> str | None:
    """The player who swaps or passes next, or None once all have passed one after the other (SWP-13).

    Players without a SWAP card can only pass and are skipped, as is who rests.
    """
    if state.ended or in_stack_off(state) or not all_lie(state) or state.current.go_us is not None:
        return None
    for skipped in range(len(state.order) - state.passes):
        player = state.order[(state.turn + skipped) % len(state.order)]
        if state.swaps_left[player] and player in state.hands and player not in state.resting:
            return player
    return None


def awaiting(state: State) -> frozenset[str]:
    """The player who draws, swaps or passes; then those who are not ready, still build or have to be judged."""
    if state.ended:
        return frozenset()
    if not state.order:
        return frozenset(state.players)
    actor = drawing(state) or swapping(state)
    return frozenset({actor}) if actor else timer.awaiting(state.current)


def known_cards(state: State) -> frozenset[int]:
    """The numbers of cards known to have left the deck."""
    numbers = (state.turned, *(card.number for card in (*state.discard, *state.hands.values())))
    return frozenset(number for number in numbers if number is not None)


def cards_left(state: State) -> int:
    """The number of cards left in the deck."""
    gone = len(state.discard) + len(state.hands) + (state.turned is not None)
    return len(deck.in_play(state.options.deck_subset)) - gone


def shuffled_anew(state: State) -> State:
    """The state in which a player can draw: our reading of MX-06, a used-up deck is made anew of the discards."""
    return state if cards_left(state) > 0 else replace(state, discard=())


def drawable(state: State) -> tuple[tuple[int | None, int | None], ...]:
    """(number, stars) of each possible top card: stars are None for our own deck, the number for the bought one."""
    if cards_left(state) < 1:
        return ()
    if state.options.deck is Deck.BOUGHT:
        return tuple((None, stars) for stars in range(1, max(MOST_STARS, len(state.options.star_points)) + 1))
    gone = known_cards(state)
    return tuple((card, None) for card in deck.in_play(state.options.deck_subset) if card not in gone)


def turnable(state: State) -> tuple[int, ...]:
    """The possible numbers of the common card of a stack-off; empty when its number is known and the round is on."""
    if not in_stack_off(state) or (stage(state) is not Stage.WAITING and state.turned is not None):
        return ()
    in_play, gone = deck.in_play(state.options.deck_subset), known_cards(state)
    left = tuple(card for card in in_play if card not in gone)
    return left or tuple(card for card in in_play if card != state.turned)
