"""SPEEDSTAX on a tablet, and the meaning of readings and buttons to it."""

from companion.equipment import deck
from companion.equipment.deck import OWN_DECK, Deck, card_eyes
from companion.errors import IllegalEvent
from companion.game.box import BoxLook, Phase, Signal
from companion.game.options import AS_PRINTED, Preset
from companion.game.players import Viewer
from companion.game.readings import CardReading, Reading, TowerReading
from companion.game.scores import score_lines
from companion.game.seeing import Eyes, Proposed, Remark
from companion.game.widgets import (
    Choice,
    Headline,
    Notice,
    NumberEntry,
    ScoreLine,
    ScoreTable,
    SeatCard,
    Seats,
    Tap,
    Tone,
    Widget,
)
from companion.games.maxstax import camera, round_view, timer, wording
from companion.games.maxstax.events import RoundClosed, TimerEvent
from companion.games.maxstax.options import TOURNAMENT
from companion.games.maxstax.timer import Stage
from companion.games.speedstax import rules
from companion.games.speedstax.rules import CardTurned, ShufflerNamed, State
from companion.words import N_, _

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick",
        N_("Quick"),
        N_("The printed cards with one or two stars: small stacks, short rounds."),
        {"deck_subset": deck.cards_with_stars((1, 2))},
    ),
    TOURNAMENT,
)


def view(state: State, viewer: Viewer) -> tuple[Widget[rules.Event], ...]:
    """Clock, seats and points; a player's own page adds the player's button."""
    stage = rules.stage(state)
    if stage is Stage.OVER:
        return (round_view.standings(_lines(state, viewer)),)
    seats = tuple(_seat(state, viewer, player) for player in state.players)
    return (
        _headline(state, viewer, stage),
        *_shuffler(state, viewer, stage),
        *round_view.clock(state.current),
        *_picture(state),
        Seats(seats),
        *round_view.own_tap(seats, viewer),
        *round_view.table_taps(state.current, viewer),
        *round_view.photo_finish(state.current, viewer),
        *_card_number(state, stage),
        ScoreTable(_("Points"), _lines(state, viewer)),
    )


def _round_name(state: State) -> str:
    if rules.in_stack_off(state):
        return _("Speed-Stack-Off {number}", number=len(state.past) - rules.ROUNDS + 1)
    return _("Round {number} of {rounds}", number=len(state.past) + 1, rounds=rules.ROUNDS)


def _headline(state: State, viewer: Viewer, stage: Stage) -> Headline:
    name = _round_name(state)
    match stage:
        case Stage.WAITING:
            waiting = [player for player in state.current.builders if player in rules.awaiting(state)]
            if waiting:
                press = round_view.press_ready(name, waiting, viewer)
                return Headline(_turn_up(state, viewer), press, Tone.PRIMARY)
            return Headline(_("Everyone's ready"), _("{round_name}. Press Start.", round_name=name), Tone.PRIMARY)
        case Stage.RUNNING:
            return Headline(_("Build what the card shows"), round_view.slap(name), Tone.GOOD)
        case Stage.PAUSED:
            return Headline(_("{name}: paused", name=name), _("The clock is stopped."), Tone.WARN)
    return Headline(_("{name} is over", name=name), _("Check the stacks. Does every one match?"), Tone.PRIMARY)


def _turn_up(state: State, viewer: Viewer) -> str:
    """What comes first before a round: the card, then the blocks."""
    if state.card is not None:
        return _("Who's ready?")
    return _("{name}, turn up a card", name=viewer.name(state.shuffler)) if state.shuffler else _("Turn up a card")


def _picture(state: State) -> tuple[Widget[rules.Event], ...]:
    """The picture of the common card, if its number is known."""
    if state.card is None or state.options.deck is not Deck.OWN:
        return ()
    return round_view.pictures("", ((OWN_DECK.cards[state.card], round_view.card_words(state.card)),))


def _seat(state: State, viewer: Viewer, player: str) -> SeatCard[rules.Event]:
    earlier = timer.places(state.current, state.options.tie_ms).get(player, 0)
    return round_view.seat(
        state.current, player, viewer.name(player), round_view.place(earlier + 1), state.options.tie_ms
    )


def _card_number(state: State, stage: Stage) -> tuple[Widget[rules.Event], ...]:
    """The entry for the card: before the round, and later if it is not known yet."""
    if stage is not Stage.WAITING and state.card is not None:
        return ()
    entry: Widget[rules.Event]
    if state.options.deck is Deck.OWN:
        entry = round_view.card_choice(
            _("Which card number?"), CardTurned, lambda card: _not_on_top(state, card), is_optional=True
        )
    else:
        prompt = _("Which card number? (for the record)")
        entry = NumberEntry(prompt, CardTurned(1), "card", 1, deck.CARDS, _("Show"))
    if state.card is None and rules.used_up(state, state.used):
        return (Notice(_("Every card in play has been turned up. Shuffle them and go on.")), entry)
    return (entry,)


def _not_on_top(state: State, card: int) -> str:
    """Why this cannot be the card that is turned up, "" when it can."""
    try:
        rules.card_turned(state, card, ruled=False)
    except IllegalEvent as why:
        return str(why)
    return ""


def _shuffler(state: State, viewer: Viewer, stage: Stage) -> tuple[Widget[rules.Event], ...]:
    """The choice of the Shuffler, before the first round. It stays until the start: nothing moves under a finger."""
    if stage is not Stage.WAITING or state.past:
        return ()
    taps = tuple(
        Tap(viewer.name(player), event=ShufflerNamed(player), chosen=player == state.shuffler, tone=Tone.DIM)
        for player in state.players
    )
    return (Choice(_("Who shuffles? They turn up the cards and run the timer."), taps),)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: rules.explain(state, player) for player in state.players}
    return score_lines(explained, viewer, rules.winners(state), rules.awaiting(state))


def describe(state: State, event: rules.Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    match event:
        case ShufflerNamed(player):
            return _("{name} is the Shuffler.", name=viewer.name(player))
        case CardTurned(card):
            return _("Card {card} turned up.", card=card)
    return wording.describe(state.current, event, viewer.name, _round_name(state))


def eyes(state: State) -> Eyes:
    """The card before the round (SPD-02), then the stacks, which are compared with it."""
    if rules.is_over(state):
        return camera.NOTHING
    if rules.stage(state) is Stage.WAITING and state.card is None:
        return card_eyes(state.options.deck, state.options.deck_subset)
    cards = dict.fromkeys(state.players, state.card) if state.options.deck is Deck.OWN else {}
    return camera.stacks(state.current, cards, state.players, state.options.to_the_mm)


def propose(state: State, reading: Reading) -> Proposed[rules.Event] | Remark | None:
    """The card that was turned up, unless its number is known; the stacks wait for a shout (see `glanced`)."""
    match reading:
        case CardReading() if not rules.is_over(state) and state.card is None:
            return camera.card_proposal(
                reading, lambda number, _stars: CardTurned(number), lambda event: rules.apply(state, event)
            )
    return None


def glanced(state: State, event: rules.Event | None, reading: Reading, at_us: int) -> Proposed[rules.Event] | None:
    """The verdict on the stack of a player who shouted."""
    if not isinstance(reading, TowerReading) or rules.is_over(state):
        return None
    return camera.of_shout(state.current, state.players, event, reading, at_us)


def bind(state: State, signal: Signal) -> TimerEvent | RoundClosed | None:
    """The event of a signal: a seat's button is ready, then MAX STAX; start starts, confirm closes the round."""
    return None if rules.is_over(state) else round_view.bind(state.current, state.players, signal)


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance, as in every round."""
    box = round_view.look(state.current, state.players, now_us)
    return BoxLook(Phase.OVER, box.lights) if rules.is_over(state) else box
