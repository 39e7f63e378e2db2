"""SWAPSTAX by Rotree Corp.: the rulebook, with the ids of the rule sheet (MX-… shared, SWP-… its own).

After swapping cards, all players build their own card at once; its stars are the points. `state` has options, events
and state, `swaps` draws and swaps. All MaxStax games share the timer (MX-10 … MX-24) and the stack-off (MX-31, MX-32)
in `companion.games.maxstax`.
"""

from dataclasses import replace

from companion.equipment import deck
from companion.errors import IllegalEvent
from companion.game.events import Due
from companion.games import resting, rulings
from companion.games.maxstax import play, stack_off, timer
from companion.games.maxstax.events import Readied, RoundClosed, Started
from companion.games.maxstax.timer import STACKING_US, Round, Stage
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.games.seats import clockwise
from companion.games.swapstax import swaps
from companion.games.swapstax.state import (
    EVENTS,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    MOST_RATINGS,
    MOST_STAR_POINTS,
    ROUNDS,
    SWAPS,
    WHY_SEATS_STAY,
    Card,
    CardTurned,
    Drew,
    Event,
    Options,
    Passed,
    Played,
    ShufflerNamed,
    State,
    SwappedWithDeck,
    SwappedWithPlayer,
    awaiting,
    drawable,
    drawing,
    in_stack_off,
    known_cards,
    shuffled_anew,
    stage,
    swapping,
    turnable,
)
from companion.words import _, _n

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "score", "start", "winners"]


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state before the first of five rounds (SWP-02), with two SWAP cards a player (SWP-01).

    The deck has at least a card for every round and player (MX-06). Our reading of "plus swaps": with fewer than a
    card for every SWAP besides, a SWAP finds the deck used up, and the discards are shuffled for the next draws.

    Raises IllegalEvent for options that cannot be played.
    """
    timer.check_table(players, "SWAPSTAX", options.tie_ms)
    stack_off.check_limit(options.stack_off_limit)
    deck.check_subset(options.deck_subset, ROUNDS * len(players), _("SWAPSTAX with {n} players", n=len(players)))
    if len(options.star_points) > MOST_RATINGS or not all(
        0 <= points <= MOST_STAR_POINTS for points in options.star_points
    ):
        raise IllegalEvent(
            _(
                "Points for 1 to {most_ratings} stars are 0 to {most_star_points} each. Correct the list.",
                most_ratings=MOST_RATINGS,
                most_star_points=MOST_STAR_POINTS,
            )
        )
    return State(options, players, new_round(options, players), swaps_left=dict.fromkeys(players, SWAPS))


def new_round(options: Options, players: tuple[str, ...], resting: frozenset[str] = frozenset()) -> Round:
    """All build their own card at the same time, for two minutes (SWP-20, MX-10)."""
    return Round(players, STACKING_US, shout_required=options.shout_required, resting=resting)


def due(state: State) -> Due[Event] | None:
    """The end of the stacking time."""
    return None if state.ended else timer.due(state.current)


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: any order and card is accepted, and a late start, shout or end
    """
    if isinstance(event, Ruling):
        return decided(replace(state, rulings=rulings.added(state.rulings, event, state.players)))
    if state.ended:
        raise IllegalEvent(_("The game is over. Start a new one."))
    match event:
        case ShufflerNamed(shuffler):
            return shuffler_named(state, shuffler)
        case Drew():
            return swaps.drew(state, event, ruled)
        case SwappedWithPlayer(player, other):
            return swaps.swapped_with_player(state, player, other, ruled)
        case SwappedWithDeck():
            return swaps.swapped_with_deck(state, event, ruled)
        case Passed(player):
            return swaps.passed(state, player, ruled)
        case CardTurned(card):
            return card_turned(state, card, ruled)
        case RoundClosed():
            return round_closed(state, ruled)
        case Rested() | Returned():
            return rested(state, event)
        case Readied() | Started():
            swaps.check_cards_lie(state, ruled)
    return replace(state, current=play.apply(state.current, event, state.options.bump_rule, ruled))


def shuffler_named(state: State, shuffler: str) -> State:
    """SWP-01: a volunteer is Shuffler for the whole game."""
    if shuffler not in state.players:
        raise IllegalEvent(_("The Shuffler must be one of the players. Choose one."))
    if state.past or state.hands:
        raise IllegalEvent(_("This game has begun. Another player can be the Shuffler in the next one."))
    return replace(state, order=clockwise(state.players, state.players.index(shuffler)))


def rested(state: State, event: resting.Event) -> State:
    """Our reading of SWP-40 for a player who left for a while: the others draw, swap and build, and a stack that is not
    there earns nothing. Who is back after the start without a card builds from the next round on.
    """
    who = resting.changed(state.resting, event, state.players)
    has_started = state.current.go_us is not None and not in_stack_off(state)
    out = who.union(set(state.players) - set(state.hands)) if has_started else who
    return replace(state, resting=who, current=play.rested(state.current, out))


def card_turned(state: State, card: int, ruled: bool) -> State:
    """MX-31: the Shuffler turns up the next card for those tied; the table enters it only for its picture.

    Our reading: the card lies there until the stack-off is closed, so its number may be entered late.
    """
    if not in_stack_off(state) or (stage(state) is not Stage.WAITING and state.turned is not None):
        raise IllegalEvent(_("Only a stack-off uses one card for everyone. Draw your own cards."))
    in_play = deck.in_play(() if ruled else state.options.deck_subset)
    if card not in in_play:
        raise IllegalEvent(_("Card {card} isn't in play. Enter the number on the card.", card=card))
    gone = known_cards(state)
    if card == state.turned or (card in gone and not ruled and not gone >= frozenset(in_play)):
        raise IllegalEvent(_("Card {card} was already drawn. Enter the number on the card.", card=card))
    return replace(state, turned=card)  # our reading of MX-06: all are shuffled again when the last card is used up


def round_closed(state: State, ruled: bool) -> State:
    """SWP-30: the cards are discarded; then the next round, a stack-off, or the end (MX-31, MX-32)."""
    current = play.closed(state.current, ruled)
    if in_stack_off(state):
        turned = () if state.turned is None else (Card(0, state.turned),)  # it gives no points (reading 11)
        stack_offs = (*state.stack_offs, current)
        after = replace(state, stack_offs=stack_offs, discard=(*state.discard, *turned), turned=None)
    else:
        discard = (*state.discard, *(state.hands[player] for player in state.order if player in state.hands))
        after = replace(state, past=(*state.past, Played(current, state.hands)), hands={}, discard=discard)
    return decided(replace(after, current=new_round(state.options, state.players, state.resting), turn=0, passes=0))


def decided(state: State) -> State:
    """After the fifth round the game is over if one player leads; otherwise the tied have a stack-off (MX-31)."""
    if not in_stack_off(state) or timer.stage(state.current) is not Stage.WAITING:
        return state
    tied = contenders(state)
    if len(tied) == 1:
        return replace(state, ended=True)
    if state.current.builders == tied and state.current.first_wins and not state.ended:
        return state
    return replace(state, ended=False, current=stack_off.next_round(tied, state.options.stack_off_limit, state.resting))


def points_for(stars: int, options: Options) -> int:
    """The points for a card: its stars, unless the table has another list (SWP-40)."""
    return options.star_points[stars - 1] if 1 <= stars <= len(options.star_points) else stars


def scoring_rounds(state: State) -> tuple[Played, ...]:
    """The rounds that give points: all five, the current one included; a stack-off gives none (reading 11)."""
    running = () if in_stack_off(state) or state.current.go_us is None else (Played(state.current, state.hands),)
    return (*state.past, *running)


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """A line for each round that has a result or is running."""
    lines = []
    for number, played in enumerate(scoring_rounds(state), start=1):
        if player not in played.hands:
            lines.append((_("Round {number}, on a break", number=number), 0, "SWP-40"))
            continue
        stars = played.hands[player].stars
        complete = player in timer.completed(played.stacks)
        gained = points_for(stars, state.options) if complete else 0
        text = (
            _n("Round {number}, {n} star", "Round {number}, {n} stars", stars, number=number)
            if complete
            else _n(
                "Round {number}, {n} star, not complete",
                "Round {number}, {n} stars, not complete",
                stars,
                number=number,
            )
        )
        lines.append((text, gained, "SWP-40"))
    return (*lines, *rulings.lines(state.rulings, player))


def score(state: State) -> dict[str, int]:
    """Player → sum of all rounds and rulings."""
    return {player: sum(gained for _, gained, _ in explain(state, player)) for player in state.players}


def contenders(state: State) -> tuple[str, ...]:
    """The players who can still win: one, or those tied (MX-31, MX-32)."""
    return stack_off.contenders(score(state), state.stack_offs, state.options.tie_ms)


def winners(state: State) -> tuple[str, ...]:
    """The player with the highest sum after round 5, or of those tied the winner of the stack-off (MX-31)."""
    return contenders(state) if state.ended else ()


def is_over(state: State) -> bool:
    """Whether the game is over."""
    return state.ended


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The events that apply() accepts now from this player, at the earliest possible instants."""
    if state.ended:
        return ()
    named = () if state.past or state.hands else (ShufflerNamed(player),)
    if not state.order:
        return named
    if drawing(state):
        cards = drawable(shuffled_anew(state)) if player == drawing(state) else ()
        return (*named, *(Drew(player, *card) for card in cards))
    if swapping(state):
        return swaps.legal(state, player) if player == swapping(state) else ()
    rounds = (*(played.stacks for played in state.past), *state.stack_offs, state.current)
    events: tuple[Event, ...] = play.legal(state.current, player, timer.latest_us(rounds))
    if stage(state) is Stage.FINISHED:
        close = () if timer.unjudged(state.current) else (RoundClosed(),)
        events = (*events, *play.verdicts(state.current, player), *close)
    return (*events, *(CardTurned(card) for card in turnable(state)))
