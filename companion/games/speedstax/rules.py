"""SPEEDSTAX by Rotree Corp.: the rulebook, with the ids of the rule sheet (MX-… shared, SPD-… its own).

All players copy one common card at once, five times; the order of finishing gives points. All MaxStax games share the
timer (MX-10 … MX-24) and the stack-off (MX-31, MX-32) in `companion.games.maxstax`.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, get_args

from companion.equipment import deck
from companion.equipment.deck import Deck
from companion.errors import IllegalEvent
from companion.game.events import Ask, Due
from companion.games import resting, rulings
from companion.games.maxstax import options as shared
from companion.games.maxstax import play, stack_off, timer
from companion.games.maxstax.events import RoundClosed, TimerEvent
from companion.games.maxstax.timer import STACKING_US, Bump, Round, Stage, places
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = timer.FEWEST_PLAYERS, timer.MOST_PLAYERS
WHY_SEATS_STAY = N_(  # SPD-02, SPD-03
    "The points of a round depend on how many players race, and a newcomer has missed some rounds."
)
ROUNDS = 5  # SPD-02


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    deck_subset: tuple[int, ...] = shared.deck_subset(N_("Numbers of the cards you play with. Leave empty for all 45."))
    stack_off_limit: int | None = shared.stack_off_limit()
    bump_rule: Bump = shared.bump_rule()
    tie_ms: int = shared.tie_ms(N_("Presses closer together than this are a tie, from 0 to 100 milliseconds."))
    to_the_mm: bool = shared.to_the_mm()
    deck: Deck = shared.which_deck(
        N_("With our printed cards you see the picture here, and the camera checks the stacks against it.")
    )


@dataclass(frozen=True)
class ShufflerNamed:
    """A volunteer shuffles, turns up the cards and handles the timer, and plays too (SPD-01)."""

    shuffler: str


@dataclass(frozen=True)
class CardTurned:
    """The Shuffler turned up a card for all (SPD-02). The table enters it only to see the picture of our own card."""

    part: ClassVar = "card"  # no tap relies on it; a shout must not become stale by it
    card: int


Event = ShufflerNamed | CardTurned | TimerEvent | RoundClosed | Rested | Returned | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


@dataclass(frozen=True)
class State:
    """The state of a game.

    past        closed rounds; from the sixth on they are stack-offs
    card        the card turned up now, None if unknown
    used        all known cards turned up since the last shuffle
    resting     players who left for a while: rounds do not wait for them
    """

    options: Options
    players: tuple[str, ...]
    current: Round
    past: tuple[Round, ...] = ()
    card: int | None = None
    used: tuple[int, ...] = ()
    shuffler: str | None = None
    rulings: tuple[Ruling, ...] = ()
    ended: bool = False
    resting: frozenset[str] = frozenset()


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state before the first of five rounds (SPD-02); raises IllegalEvent for options that cannot be played."""
    timer.check_table(players, "SPEEDSTAX", options.tie_ms)
    stack_off.check_limit(options.stack_off_limit)
    deck.check_subset(options.deck_subset, ROUNDS, "SPEEDSTAX")  # MX-06
    return State(options, players, Round(players, STACKING_US))  # MX-10


def stage(state: State) -> Stage:
    """The stage of the current round, or of the game once it is over."""
    return Stage.OVER if state.ended else timer.stage(state.current)


def in_stack_off(state: State) -> bool:
    """Whether the five rounds are played; then a tie is being decided (MX-31)."""
    return len(state.past) >= ROUNDS


def awaiting(state: State) -> frozenset[str]:
    """The players who are not ready before the round, or still build during it."""
    return frozenset() if state.ended else timer.awaiting(state.current)


def due(state: State) -> Due[Event] | None:
    """The end of the stacking time."""
    return None if state.ended else timer.due(state.current)


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: any card of the deck may come, and a late start, shout or end is accepted
    """
    if isinstance(event, Ruling):
        return decided(replace(state, rulings=rulings.added(state.rulings, event, state.players)))
    if state.ended:
        raise IllegalEvent(_("The game is over. Start a new one."))
    match event:
        case ShufflerNamed(shuffler):
            return shuffler_named(state, shuffler)
        case CardTurned(card):
            return card_turned(state, card, ruled)
        case RoundClosed():
            return round_closed(state, ruled)
        case Rested() | Returned():
            return rested(state, event)
    return replace(state, current=play.apply(state.current, event, state.options.bump_rule, ruled))


def shuffler_named(state: State, shuffler: str) -> State:
    """SPD-01: a volunteer is Shuffler for the whole game."""
    if shuffler not in state.players:
        raise IllegalEvent(_("The Shuffler must be one of the players. Choose one."))
    if state.past or stage(state) is not Stage.WAITING:
        raise IllegalEvent(_("This game has begun. Another player can be the Shuffler in the next one."))
    return replace(state, shuffler=shuffler)


def card_turned(state: State, card: int, ruled: bool) -> State:
    """SPD-02: the top card is turned up for all before the round; no card comes twice until the deck is used up.

    Our reading: the card lies there until the round is closed, so its number may be entered late.
    """
    if state.card is not None:
        play.require(
            state.current, Stage.WAITING, _("A card is turned up before the round starts. Finish this round first.")
        )
    in_play = deck.in_play(() if ruled else state.options.deck_subset)
    if card not in in_play:
        raise IllegalEvent(_("Card {card} isn't in play. Enter the number on the card.", card=card))
    used = tuple(number for number in state.used if number != state.card)
    if used_up(state, used, ruled):
        used = ()
    if card == state.card or (card in used and not ruled):
        raise IllegalEvent(_("Card {card} was already turned up. Enter the number on the card.", card=card))
    return replace(state, card=card, used=(*used, card))


def rested(state: State, event: resting.Event) -> State:
    """Our reading of SPD-03 for a player who left for a while: the others race, and a stack that is not there is not
    complete. The points of the places stay as for all players.
    """
    who = resting.changed(state.resting, event, state.players)
    return replace(state, resting=who, current=play.rested(state.current, who))


def used_up(state: State, used: tuple[int, ...], ruled: bool = False) -> bool:
    """Our reading of MX-06: all cards are shuffled again when the last one is used up."""
    return set(used) >= set(deck.in_play(() if ruled else state.options.deck_subset))


def round_closed(state: State, ruled: bool) -> State:
    """The next round, a stack-off, or the end (MX-31, MX-32)."""
    past = (*state.past, play.closed(state.current, ruled))
    return decided(replace(state, past=past, current=new_round(state), card=None))


def new_round(state: State) -> Round:
    """A round of all players who do not rest (MX-10)."""
    return Round(state.players, STACKING_US, resting=state.resting)


def decided(state: State) -> State:
    """After the fifth round the game is over if one player leads; the tied have a stack-off (SPD-05, MX-31)."""
    if not in_stack_off(state) or timer.stage(state.current) is not Stage.WAITING:
        return state
    tied = contenders(state)
    if len(tied) == 1:
        return replace(state, ended=True)
    if state.current.builders == tied and not state.ended and state.current.first_wins:
        return state
    return replace(state, ended=False, current=stack_off.next_round(tied, state.options.stack_off_limit, state.resting))


def points(players: tuple[str, ...], current: Round, tie_ms: int) -> dict[str, int]:
    """Player → points of a round (MX-30, SPD-03, SPD-04): n minus those strictly earlier; 0 if incomplete."""
    earlier = places(current, tie_ms)
    return {player: len(players) - earlier[player] if player in earlier else 0 for player in players}


def scoring_rounds(state: State) -> tuple[Round, ...]:
    """The rounds that give points: all five, the current one included; a stack-off gives none (reading 11)."""
    return (*state.past, state.current)[:ROUNDS]


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """A line for each round that has a result or is running."""
    tie_ms = state.options.tie_ms
    rounds = [
        (
            _("Round {number}, tie", number=number)
            if _is_tied(played, player, tie_ms)
            else _("Round {number}", number=number),
            points(state.players, played, tie_ms)[player],
            "SPD-03",
        )
        for number, played in enumerate(scoring_rounds(state), start=1)
        if played.go_us is not None
    ]
    return (*rounds, *rulings.lines(state.rulings, player))


def _is_tied(current: Round, player: str, tie_ms: int) -> bool:
    """Whether the player shares a place with another (SPD-04)."""
    earlier = places(current, tie_ms)
    return player in earlier and list(earlier.values()).count(earlier[player]) > 1


def score(state: State) -> dict[str, int]:
    """Player → sum of all rounds and rulings (SPD-05)."""
    return {player: sum(gained for _, gained, _ in explain(state, player)) for player in state.players}


def contenders(state: State) -> tuple[str, ...]:
    """The players who can still win: one, or those tied (MX-31, MX-32)."""
    return stack_off.contenders(score(state), state.past[ROUNDS:], state.options.tie_ms)


def winners(state: State) -> tuple[str, ...]:
    """The player with the highest sum after round 5, or of those tied the winner of the stack-off (SPD-05, MX-31)."""
    return contenders(state) if state.ended else ()


def is_over(state: State) -> bool:
    """Whether the game is over."""
    return state.ended


def legal(state: State, player: str) -> tuple[Event | Ask, ...]:
    """The events that apply() accepts now from this player, at the earliest possible instants."""
    if state.ended:
        return ()
    events: tuple[Event, ...] = play.legal(state.current, player, timer.latest_us((*state.past, state.current)))
    match stage(state):
        case Stage.WAITING if not state.past:
            events = (ShufflerNamed(player), *events)
        case Stage.FINISHED:
            events = (*events, RoundClosed())
    return (*events, *_card_asks(state))


def _card_asks(state: State) -> tuple[Ask, ...]:
    if stage(state) is not Stage.WAITING and state.card is not None:
        return ()
    return (Ask("CardTurned", "card", 1, deck.CARDS, _("Which card was turned up?")),)
