"""The pages of SWAPSTAX on a tablet: draw, swap, stack.

Draft fields: `stars` (stars that were changed by hand) and `deck` (a swap with the deck is being entered).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from companion.equipment import deck
from companion.equipment.deck import OWN_DECK, STARS, Deck
from companion.errors import IllegalEvent
from companion.game.players import Viewer
from companion.game.scores import score_lines
from companion.game.widgets import (
    Choice,
    Headline,
    Notice,
    NumberEntry,
    PictureChoice,
    ScoreLine,
    ScoreTable,
    SeatCard,
    Seats,
    Tap,
    Tone,
    Widget,
)
from companion.games.maxstax import round_view, timer
from companion.games.maxstax.round_view import STAR
from companion.games.maxstax.timer import Stage
from companion.games.swapstax import rules, swaps
from companion.games.swapstax.state import (
    CardTurned,
    Drew,
    Event,
    Passed,
    ShufflerNamed,
    State,
    SwappedWithDeck,
    SwappedWithPlayer,
    awaiting,
    cards_left,
    drawable,
    drawing,
    in_stack_off,
    shuffled_anew,
    stage,
    swapping,
    turnable,
)
from companion.games.swapstax.wording import round_name
from companion.words import _, _n


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """Draw, swap, stack; a player's own page has the player's card and button."""
    if rules.is_over(state):
        return (round_view.standings(_lines(state, viewer)),)
    scores = ScoreTable(_("Score so far"), _lines(state, viewer))
    drawer, swapper = drawing(state), swapping(state)
    if not state.order:
        return (
            Headline(_("Who shuffles?"), _("They run the timer, draw first and play too."), Tone.PRIMARY),
            _shuffler(state, viewer),
            scores,
        )
    if drawer is not None:
        shuffler = () if state.past or state.hands else (_shuffler(state, viewer),)
        return (*_drawing(state, viewer, drawer), *_hands(state, viewer), *shuffler, scores)
    if swapper is not None:
        return (*_swapping(state, viewer, swapper), *_hands(state, viewer), scores)
    seats = tuple(_seat(state, viewer, player) for player in state.players)
    pictures = _pictures(state, viewer)
    # What is judged stands higher than the card that it is judged by.
    is_first = (in_stack_off(state) or viewer.player in state.hands) and stage(state) is not Stage.FINISHED
    return (
        _headline(state, viewer),
        *round_view.clock(state.current),
        *(pictures if is_first else ()),
        Seats(seats),
        *round_view.own_tap(seats, viewer),
        *round_view.table_taps(state.current, viewer),
        *round_view.photo_finish(state.current, viewer),
        *(() if is_first else pictures),
        *_turned(state),
        scores,
    )


def _acts_for(viewer: Viewer, player: str) -> bool:
    """Whether this page acts for the player: it is the player's own, or that of the whole table."""
    return viewer.player in (None, player)


def _shuffler(state: State, viewer: Viewer) -> Choice[Event]:
    named = state.order[0] if state.order else None
    taps = tuple(
        Tap(
            viewer.name(player),
            event=ShufflerNamed(player),
            tone=Tone.DIM if named else Tone.PRIMARY,
            refused=_("Already the Shuffler.") if player == named else "",
        )
        for player in state.players
    )
    return Choice(_("Shuffler"), taps)


def _drawing(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    """The entry of a drawn card (SWP-02): our own by its number, one of the bought deck by its stars."""
    name, stars = viewer.name(player), _stars_of(viewer.draft)
    if not _acts_for(viewer, player):
        return (Headline(_("{name} draws", name=name), round_name(state)),)
    headline = Headline(
        _("{name} draws", name=name),
        _("{round_name}: put your top card face up.", round_name=round_name(state)),
        Tone.PRIMARY,
    )
    if state.options.deck is Deck.BOUGHT:
        taps = tuple(Tap(_stars(rating), event=Drew(player, stars=rating)) for rating in _ratings(state))
        return (headline, Choice(_("Stars of {name}'s card, from the scoring card", name=name), taps))
    title = _("Number of {name}'s card", name=name)
    return (headline, _cards(shuffled_anew(state), title, lambda card: Drew(player, card, stars)))


def _cards(state: State, prompt: str, event: Callable[[int], Event]) -> PictureChoice[Event]:
    """Our own cards, with taps on those that may be on top of the deck now."""

    def refused(card: int) -> str:
        try:
            swaps.top_card(state, card, None, ruled=False)
        except IllegalEvent as why:
            return str(why)
        return ""

    return round_view.card_choice(prompt, event, refused)


def _swapping(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    """The choice to swap with a player or with the deck, or to pass (SWP-11, SWP-13)."""
    name, left, stars = viewer.name(player), state.swaps_left[player], _stars_of(viewer.draft)
    if not _acts_for(viewer, player):
        return (Headline(_("{name}: swap or pass", name=name), round_name(state)),)
    headline = Headline(
        _("{name}: swap or pass", name=name),
        _n("{n} SWAP card left. Press your button to pass.", "{n} SWAP cards left. Press your button to pass.", left),
        Tone.PRIMARY,
    )
    others = tuple(
        Tap(
            _("Swap with {name} {stars}", name=viewer.name(other), stars=_stars(state.hands[other].stars)),
            event=SwappedWithPlayer(player, other),
        )
        for other in state.order
        if other in state.hands and other != player
    )
    choice: Choice[Event] = Choice("", (Tap(_("Pass"), event=Passed(player), tone=Tone.PRIMARY), *others))
    if state.options.deck is Deck.BOUGHT:
        taps = tuple(Tap(_stars(rating), event=SwappedWithDeck(player, stars=rating)) for rating in _ratings(state))
        return (headline, choice, Choice(_("Swap with the deck: stars of the new card"), taps))
    if not viewer.draft.get("deck"):
        return (headline, replace(choice, taps=(*choice.taps, _with_deck(state))))
    title = _("Swap with the deck: new card number")
    keep: Choice[Event] = Choice("", (Tap(_("Don't swap with the deck"), draft={"deck": ""}, tone=Tone.DIM),))
    return (headline, choice, _cards(state, title, lambda card: SwappedWithDeck(player, card, stars=stars)), keep)


def _with_deck(state: State) -> Tap[Event]:
    """The tap that asks for the number of the deck's top card."""
    refused = "" if drawable(state) else _("The deck is empty. No card can be drawn.")
    return Tap(_("Swap with the deck"), draft={"deck": "1"}, refused=refused)


def _other_stars(state: State, chosen: int | None) -> Choice[Event]:
    """The choice of stars other than the printed ones (MX-07)."""
    printed: Tap[Event] = Tap(_("As printed"), draft={"stars": ""}, chosen=chosen is None, tone=Tone.DIM)
    taps: tuple[Tap[Event], ...] = tuple(
        Tap(_stars(rating), draft={"stars": str(rating)}, chosen=rating == chosen, tone=Tone.DIM)
        for rating in _ratings(state)
    )
    return Choice(_("Stars of the new card"), (printed, *taps))


def _stars_of(draft: Mapping[str, str]) -> int | None:
    """The stars chosen by hand, or None when there are none or they cannot be read."""
    text = draft.get("stars", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None
    return number if number is not None and STARS[0] <= number <= STARS[1] else None


def _ratings(state: State) -> range:
    """The numbers of stars that a card at this table may have."""
    return range(1, max(deck.MOST_STARS, len(state.options.star_points)) + 1)


def _stars(number: int) -> str:
    return STAR * number or _("no star")


def _hands(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """All players' cards and SWAP cards before the stacking, and the rest of the deck."""
    turn = drawing(state) or swapping(state)
    seats = Seats(tuple(_hand(state, viewer, player, turn) for player in state.players))
    left = _(
        "Deck: {left} cards left, {discarded} discarded.", left=max(0, cards_left(state)), discarded=len(state.discard)
    )
    is_ours = state.options.deck is not Deck.BOUGHT and turn is not None and _acts_for(viewer, turn)
    stars = (_other_stars(state, _stars_of(viewer.draft)),) if is_ours else ()
    return (seats, *_pictures(state, replace(viewer, player=None)), Notice(left, Tone.DIM), *stars)


def _hand(state: State, viewer: Viewer, player: str, turn: str | None) -> SeatCard[Event]:
    left, card = state.swaps_left[player], state.hands.get(player)
    swaps = _n("{n} SWAP card", "{n} SWAP cards", left)
    tone = Tone.PRIMARY if player == turn else Tone.PLAIN
    none = _("On a break") if player in state.resting else _("No card yet")
    return SeatCard(player, viewer.name(player), _stars(card.stars) if card else none, swaps, tone)


def _headline(state: State, viewer: Viewer) -> Headline:
    name = round_name(state)
    match stage(state):
        case Stage.WAITING:
            waiting = awaiting(state)
            if waiting:
                press = round_view.press_ready(name, (player for player in state.players if player in waiting), viewer)
                if in_stack_off(state):
                    everyone = _("The next card is for everyone.")
                    return Headline(_("Turn up a card"), f"{press} {everyone}", Tone.PRIMARY)
                return Headline(_("Who's ready?"), press, Tone.PRIMARY)
            start = _("{round_name}. {name}, press Start.", round_name=name, name=viewer.name(state.order[0]))
            return Headline(_("Everyone's ready"), start, Tone.PRIMARY)
        case Stage.RUNNING:
            build = _("Build what the card shows") if in_stack_off(state) else _("Build your card's stack")
            return Headline(build, round_view.slap(name), Tone.GOOD)
        case Stage.PAUSED:
            return Headline(_("{name}: paused", name=name), _("The clock is stopped."), Tone.WARN)
    if timer.unjudged(state.current):
        return Headline(_("{name} is over", name=name), _("Which stacks stand and match?"), Tone.PRIMARY)
    return Headline(_("{name} is over", name=name), _("Check the stacks. Does every one match?"), Tone.PRIMARY)


def _pictures(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """Pictures of the printed cards: all players', only the viewer's own, or the common one in a stack-off."""
    if state.options.deck is not Deck.OWN:
        return ()
    if in_stack_off(state):
        card = () if state.turned is None else ((OWN_DECK.cards[state.turned], round_view.card_words(state.turned)),)
        return round_view.pictures("", card)
    own = viewer.player if viewer.player in state.hands else None
    players = [player for player in state.players if player in state.hands and own in (None, player)]
    numbers = [(player, number) for player in players if (number := state.hands[player].number) is not None]
    return round_view.pictures(
        "",
        (
            (
                OWN_DECK.cards[number],
                _(
                    "{name}: card {number} {stars}",
                    name=viewer.name(player),
                    number=number,
                    stars=_stars(state.hands[player].stars),
                ),
            )
            for player, number in numbers
        ),
    )


def _seat(state: State, viewer: Viewer, player: str) -> SeatCard[Event]:
    current, name = state.current, viewer.name(player)
    if in_stack_off(state):
        earlier = timer.places(current, state.options.tie_ms).get(player, 0)
        return round_view.seat(current, player, name, round_view.place(earlier + 1), state.options.tie_ms)
    card = round_view.judged_seat(current, player, name, _("Complete"), state.options.tie_ms)
    stars = _stars(state.hands[player].stars) if player in state.hands else ""
    return replace(card, detail=", ".join(filter(None, (stars, card.detail))))


def _turned(state: State) -> tuple[Widget[Event], ...]:
    """The entry for the common card of a stack-off (MX-31), for a table that wants its picture."""
    possible = turnable(state)
    if not possible:
        return ()
    prompt = _("Which card number?")
    if state.options.deck is Deck.BOUGHT:
        return (NumberEntry(prompt, CardTurned(1), "card", 1, deck.CARDS, _("Show")),)

    def refused(card: int) -> str:
        return (
            "" if card in possible else _("Card {number} was already drawn. Enter the number on the card.", number=card)
        )

    return (round_view.card_choice(prompt, CardTurned, refused, is_optional=True),)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: rules.explain(state, player) for player in state.players}
    active = awaiting(state) if state.order else ()
    return score_lines(explained, viewer, rules.winners(state), active)
