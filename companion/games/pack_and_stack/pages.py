"""The pages of Pack & Stack on a tablet.

The grabbing takes seconds, so trucks are entered after it: each grab in order, by the place of the card and its number.
This is enough to check the rules (never an own card, the last player draws, no card twice) and to know the truck. A
table that wants more enters the cards as they are turned up, with one tap each.

Draft fields: `place` (of the truck: a player, "pile", or "note" for a card that nobody took) and `card` (the reward
card to be discarded); `entry` has further fields.
"""

from collections.abc import Iterable

from companion.errors import IllegalEvent
from companion.game.players import Viewer
from companion.game.widgets import Choice, Consult, Headline, Notice, Seats, Tap, Tone, Widget
from companion.games.pack_and_stack import options, rewards, rules, scoring
from companion.games.pack_and_stack.answers import BEST_LOADS
from companion.games.pack_and_stack.drawing import (
    actor,
    boxes_grid,
    boxes_words,
    loaded_trucks,
    round_name,
    truck_picture,
    truck_taps,
    truck_words,
)
from companion.games.pack_and_stack.entry import card_choice, dice_entry, left_beside, left_over, who_taps
from companion.games.pack_and_stack.events import (
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
from companion.games.pack_and_stack.loads import NONE, volume
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.scoring import score
from companion.games.pack_and_stack.standings import result, scores, seats
from companion.games.pack_and_stack.state import State, Step, is_last, lying, order, step, truck_taken
from companion.words import _, _n, listed

PILE, NOTE = "pile", "note"  # The draft may have these as a place, besides a player.


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The next step, then all trucks and loads, then the points."""
    now = step(state)
    if now is Step.OVER:
        return (result(state, viewer), Seats(seats(state, viewer)))
    widgets = _discarding(state, viewer) or {
        Step.NAMING: _naming,
        Step.ROLLING: _rolling,
        Step.TAKING: _taking,
        Step.LOADING: _loading,
        Step.SCORING: _scoring,
    }[now](state, viewer)
    return (*widgets, *_reward_taps(state, viewer), Seats(seats(state, viewer)), _piles(state), scores(state, viewer))


def _names(viewer: Viewer, players: Iterable[str]) -> str:
    return listed(map(viewer.name, players))


def _naming(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    taps = tuple(Tap(viewer.name(player), event=StarterNamed(player)) for player in state.players)
    return (
        Headline(_("Who is the youngest?"), _("The youngest player starts and gets the dice."), Tone.PRIMARY),
        Choice(_("Starting player"), taps),
    )


def _rolling(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    player, waiting = actor(state, viewer), awaiting(state)
    who = who_taps(state, viewer, _("Who rolled?")) if state.options.roll_together else ()
    if player is None:
        names = _names(viewer, (other for other in order(state) if other in waiting))
        return (
            Headline(
                _n("{names} rolls", "{names} roll", len(waiting), names=names),
                _("{round}. Each roll is one player's load.", round=round_name(state)),
                Tone.PRIMARY,
            ),
            *who,
        )
    title = _("{name} rolls all five dice", name=viewer.name(player))
    return (
        Headline(
            title,
            _("{round}. Take as many boxes of each size as its die shows.", round=round_name(state)),
            Tone.PRIMARY,
        ),
        *who,
        *dice_entry(state, viewer, lambda dice: Rolled(player, dice)),
    )


def _taking(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    player = actor(state, viewer)
    if player is None:
        return _grabbing(state, viewer)
    if is_last(state, player):
        head = Headline(
            _("{name} draws the top card", name=viewer.name(player)),
            "" if viewer.looks_on else _("You get what's left. Tap your card."),
            Tone.PRIMARY,
        )
        return (
            head,
            *who_taps(state, viewer, _("Who took a truck?")),
            card_choice(state, lambda card: Taken(player, card)),
            *loaded_trucks(state, viewer, order(state)),
        )
    name = viewer.name(player)
    head = Headline(
        _("Grab a truck! Which one did {name} take?", name=name)
        if viewer.player is None
        else _("{name}: which truck?", name=name),
        _("You can't take the truck in front of you. First to grab it keeps it."),
        Tone.PRIMARY,
    )
    place = viewer.draft.get("place", "")
    return (
        head,
        *who_taps(state, viewer, _("Who took a truck?")),
        _places(state, viewer, player, place),
        *_trucks_on_table(state, viewer, player, place),
        *_hidden_cards(state, viewer, player, place),
        *loaded_trucks(state, viewer, order(state)),
    )


def _grabbing(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page without a player to act for: it asks who took a truck, or names those who have none yet."""
    if viewer.player is None:
        detail = _("Take one from in front of another player, or from the pile. First come, first served.")
        return (
            Headline(_("Grab a truck!"), detail, Tone.PRIMARY),
            *who_taps(state, viewer, _("Who took a truck?")),
            *_own_truck(state, viewer),
        )
    names = _names(viewer, (player for player in order(state) if player in awaiting(state)))
    return (
        Headline(_("Waiting for {names} to grab", names=names), _("Then everyone loads.")),
        *_own_truck(state, viewer),
    )


def _places(state: State, viewer: Viewer, player: str, place: str) -> Choice[Event]:
    """The choice of the player in front of whom the card lay, or the draw pile (PS-32)."""
    taps: list[Tap[Event]] = [
        Tap(
            _("In front of {name}", name=viewer.name(owner)),
            draft={"place": owner},
            chosen=owner == place,
            refused="" if _left(state, owner) else _("There's no card there now. Choose another place."),
        )
        for owner in state.players
        if owner != player
    ]
    taps.append(Tap(_("Draw pile"), draft={"place": PILE}, chosen=place == PILE))
    if _hidden(state, player):
        note = _("Just record the truck in front of {name}", name=viewer.name(player))
        taps.append(Tap(note, draft={"place": NOTE}, chosen=place == NOTE, tone=Tone.DIM))
    return Choice(_("Where was it?"), tuple(taps))


def _left(state: State, owner: str) -> int:
    """The number of cards that still lie in front of a player."""
    return options.cards_each(state.players) - sum(taking.owner == owner for taking in state.current.taken)


def _hidden(state: State, owner: str) -> int:
    """The number of cards in front of a player whose numbers are unknown."""
    return options.cards_each(state.players) - len(state.current.shown.get(owner, ()))


def _trucks_on_table(state: State, viewer: Viewer, player: str, place: str) -> tuple[Widget[Event], ...]:
    """A tap for each truck known to lie in the chosen place, or in any place while none is chosen."""
    owners = [owner for owner in order(state) if owner != player and place in ("", owner)]
    choices = [
        (truck_picture(state, card, viewer.name(owner)), Taken(player, card, owner), "")
        for owner in owners
        for card in lying(state, owner)
    ]
    return (truck_taps(_("Trucks on the table"), choices),) if choices else ()


def _hidden_cards(state: State, viewer: Viewer, player: str, place: str) -> tuple[Widget[Event], ...]:
    """The cards that may lie face down in the chosen place."""
    if place == PILE:
        return (card_choice(state, lambda card: Taken(player, card)),)
    if place == NOTE and _hidden(state, player):
        return (card_choice(state, lambda card: CardShown(player, card)),)
    if place in state.players and place != player and _hidden(state, place):
        return (card_choice(state, lambda card: Taken(player, card, place)),)
    return ()


def _loading(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    player = actor(state, viewer)
    if player is None:
        names = _names(viewer, (other for other in order(state) if other in awaiting(state)))
        who = who_taps(state, viewer, _("Who has loaded?"))
        return (
            Headline(
                _n("{names} loads", "{names} load", len(awaiting(state)), names=names),
                _("Take your time."),
                Tone.PRIMARY,
            ),
            *who,
            *_own_truck(state, viewer),
        )
    truck, dice = truck_taken(state, player), state.current.dice[player]
    return (
        Headline(
            _("{name}, load your truck", name=viewer.name(player)),
            _(
                "{truck_words}: room for {capacity}. Your boxes take {volume}.",
                truck_words=truck_words(state, state.current.trucks[player]),
                capacity=truck.capacity,
                volume=volume(dice),
            ),
            Tone.PRIMARY,
        ),
        _confirm_load(state, viewer, player),
        left_over(state, viewer, dice),
        *loaded_trucks(state, viewer, (player,)),
        Notice(
            _("A box that sticks out of the truck or has a gap below it can't stay. Count it as left over."), Tone.DIM
        ),  # PS-41, PS-43
        *who_taps(state, viewer, _("Who has loaded?")),
        boxes_grid(state, dice),
    )


def _confirm_load(state: State, viewer: Viewer, player: str) -> Choice[Event]:
    """The tap that posts the load, with its loss."""
    event = Loaded(player, left_beside(state, viewer, state.current.dice[player]))
    try:
        after = rules.apply(state, event)
    except IllegalEvent as refusal:
        return Choice("", (Tap(_("Too much for this truck"), tone=Tone.PRIMARY, refused=str(refusal)),))
    lost = scoring.losses(after.options, after.current)[player]
    label = (
        _("Load everything (loss {lost})", lost=lost)
        if event.unloaded == NONE
        else _("Leave out {boxes_words} (loss {lost})", boxes_words=boxes_words(event.unloaded), lost=lost)
    )
    return Choice("", (Tap(label, event=event, tone=Tone.PRIMARY),))


def _own_truck(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The player's truck; on the page of the whole table all trucks that were taken."""
    return loaded_trucks(state, viewer, order(state) if viewer.player is None else (viewer.player,))


def _scoring(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    lost = scoring.losses(state.options, state.current)
    best = _names(viewer, (player for player in state.players if player in scoring.smallest(lost)))
    due = rewards.reward_due(state)
    if due is not None:
        taps = tuple(Tap(_(reward), event=RewardDrawn(due, reward)) for reward in sorted(rewards.drawable(state)))
        return (
            Headline(
                _("{name} draws a reward card", name=viewer.name(due)),
                _("The only perfect load! Which card is it?"),
                Tone.PRIMARY,
            ),
            Choice(_("Reward card"), taps),
            *_voucher_first(state, viewer),
        )
    following = viewer.name(order(state)[1])
    ends = scoring.ends(score(state))
    label = (
        _("Game over! Show the result")
        if ends
        else _("Clear the boxes and trucks. {following} starts.", following=following)
    )
    return (
        Headline(
            _("{best}: {bonus} points for the smallest loss", best=best, bonus=scoring.BONUS),
            _("{round} is over. Someone has no points left.", round=round_name(state))
            if ends
            else _("{round} is over.", round=round_name(state)),
            Tone.GOOD,
        ),
        *_voucher_first(state, viewer),
        Choice("", (Tap(label, event=RoundClosed(), tone=Tone.PRIMARY),)),
        Consult(_("Show the best loads"), BEST_LOADS.name),
        *loaded_trucks(state, viewer, order(state)),
    )


def _voucher_first(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """A notice while the voucher can still be used: neither a drawn card nor a closed round waits for its owner."""
    if not rewards.usable(state, Reward.VOUCHER):
        return ()
    name = viewer.name(state.held[Reward.VOUCHER])
    return (Notice(_("{name} has the voucher. Use it now, or save it for a later round.", name=name)),)


def _usable(state: State, viewer: Viewer) -> dict[Reward, str]:
    """Reward card → owner, for those that this page may discard now (PS-65)."""
    return {
        reward: owner
        for reward, owner in state.held.items()
        if viewer.player in (None, owner) and rewards.usable(state, reward)
    }


def _reward_taps(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The taps that discard reward cards; two of them lead to a page for a roll or a card's number."""
    chosen = viewer.draft.get("card")
    taps = tuple(
        Tap(f"{viewer.name(player)}: {_(reward)}", event=VoucherUsed(player))
        if reward is Reward.VOUCHER
        else Tap(f"{viewer.name(player)}: {_(reward)}", draft={"card": reward}, chosen=reward == chosen)
        for reward, player in sorted(_usable(state, viewer).items())
    )
    return (Choice(_("Discard a reward card"), taps),) if taps else ()


def _discarding(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page while a reward card is being discarded, otherwise empty."""
    usable, chosen = _usable(state, viewer), viewer.draft.get("card")
    keep: Choice[Event] = Choice("", (Tap(_("Keep the card"), draft={"card": ""}, tone=Tone.DIM),))
    if chosen == Reward.NEW_ORDER and Reward.NEW_ORDER in usable:
        player = usable[Reward.NEW_ORDER]
        head = Headline(
            _("{name}: New Order", name=viewer.name(player)),
            _("Roll all five dice again. Your new load replaces the old one."),
        )
        return (head, *dice_entry(state, viewer, lambda dice: OrderRenewed(player, dice)), keep)
    if chosen == Reward.REPLACING and Reward.REPLACING in usable:
        player = usable[Reward.REPLACING]
        head = Headline(_("{name}: which truck instead?", name=viewer.name(player)), _("Draw the top card and tap it."))
        return (head, card_choice(state, lambda card: TruckReplaced(player, card)), keep)
    return ()


def _piles(state: State) -> Notice:
    """A notice about the piles of cards, and when to shuffle (PS-36)."""
    pile = state.pile
    words = _("Draw pile {cards}, discard pile {discarded}.", cards=pile.cards, discarded=pile.discarded)
    if pile.shuffled:
        return Notice(
            _("The draw pile ran out. Shuffle the discard pile and use that. {words}", words=words), Tone.WARN
        )
    return Notice(words, Tone.DIM)
