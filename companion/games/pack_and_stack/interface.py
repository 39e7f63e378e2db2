"""How Pack & Stack looks on a tablet.

Nobody types a truck before the grabbing, which takes seconds: afterwards each grab is entered in its order, by in front
of whom the card lay and its number. That is enough to referee (never one's own card, the last one draws, no card twice)
and to know the truck. A table that wants more notes the cards as they are turned up, one tap each.

What was tapped and not yet posted stands in the viewer's draft: `who` (on a tablet for everybody), `d1` … `d5` (the
dice), `place` (where the truck lay: a player, "pile", or "note" for a card nobody took), `l1` … `l5` (boxes left over),
`card` (the reward card about to be discarded).
"""

from collections.abc import Callable, Iterable

from companion.contract import Device, Light, Look, Phase, Preset, Signal, Thrown, Viewer
from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.pack_and_stack import loads, options, rewards, rules, scoring
from companion.games.pack_and_stack.best_loads import BEST_LOAD, BEST_LOADS
from companion.games.pack_and_stack.camera import eyes, propose
from companion.games.pack_and_stack.drawing import actor, boxes_words, colour_of, truck_grid, truck_words
from companion.games.pack_and_stack.events import (
    CardShown,
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
from companion.games.pack_and_stack.loads import NONE, SIZES, Counts, volume
from companion.games.pack_and_stack.rules import State
from companion.games.pack_and_stack.state import Phase as Step
from companion.games.pack_and_stack.state import is_last, lying, order, phase, truck_taken, unseen
from companion.games.rulings import Ruling
from companion.games.scores import best_first, score_lines
from companion.widgets import (
    Cell,
    Choice,
    Consult,
    Grid,
    Headline,
    Notice,
    ScoreLine,
    ScoreTable,
    SeatCard,
    Seats,
    Standings,
    Tap,
    Tone,
    Widget,
)
from companion.words import N_, _, _n, listed

__all__ = ["ADVICE", "PRESETS", "bind", "describe", "eyes", "look", "propose", "thrown", "view"]

PILE, NOTE = "pile", "note"  # places in the draft besides players
CARDS_A_ROW = 6  # large enough for a finger on a phone


# pages


def view(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """What is to be done now, then everybody's truck and load, then the points."""
    step = phase(state)
    if step is Step.OVER:
        return (_result(state, viewer), Seats(_seats(state, viewer)))
    widgets = _discarding(state, viewer) or {
        Step.NAMING: _naming,
        Step.ROLLING: _rolling,
        Step.TAKING: _taking,
        Step.LOADING: _loading,
        Step.SCORING: _scoring,
    }[step](state, viewer)
    return (*widgets, *_reward_taps(state, viewer), Seats(_seats(state, viewer)), _piles(state), _scores(state, viewer))


def _round(state: State) -> str:
    return _("Round {number}", number=len(state.past) + 1)


def _who(state: State, viewer: Viewer, prompt: str) -> tuple[Widget, ...]:
    """On a tablet for everybody: whose move is entered. Who is done keeps the place, so that nothing moves."""
    if viewer.player is not None:
        return ()
    chosen, waiting = actor(state, viewer), rules.awaiting(state)
    cleared = {"place": "", **{f"{letter}{size}": "" for letter in "dl" for size in SIZES}}
    taps = (
        Tap(
            viewer.name(each),
            draft={**cleared, "who": each},
            chosen=each == chosen,
            refused=""
            if each in waiting
            else _("{name} has done this: correct the entry if it is wrong.", name=viewer.name(each)),
        )
        for each in state.players
    )
    return (Choice(prompt, tuple(taps)),)


def _names(viewer: Viewer, players: Iterable[str]) -> str:
    return listed(map(viewer.name, players))


def _naming(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    taps = tuple(Tap(viewer.name(player), event=StarterNamed(player)) for player in state.players)
    return (
        Headline(_("Who is the youngest?"), _("The youngest player starts and gets the dice."), Tone.PRIMARY),
        Choice(_("Starting player"), taps),
    )


# the roll


def _rolling(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    player, waiting = actor(state, viewer), rules.awaiting(state)
    who = _who(state, viewer, _("Who rolled?")) if state.options.roll_together else ()
    if player is None:
        names = _names(viewer, (each for each in order(state) if each in waiting))
        return (
            Headline(
                _n("{names} rolls", "{names} roll", len(waiting), names=names),
                _("{round}. Each roll is one player's load.", round=_round(state)),
                Tone.PRIMARY,
            ),
            *who,
        )
    title = _("{name} rolls all five dice", name=viewer.name(player))
    return (
        Headline(
            title, _("{round}. Take as many boxes of each size as its die shows.", round=_round(state)), Tone.PRIMARY
        ),
        *who,
        *_dice_entry(state, viewer, lambda dice: Rolled(player, dice)),
    )


def _dice_entry(state: State, viewer: Viewer, event: Callable[[Counts], rules.Event]) -> tuple[Widget, ...]:
    """A row of digits for each die, and the tap that posts them."""
    typed = _typed(state, viewer)
    rows = tuple(
        Choice(
            _("Size {size}, {colour}", size=size, colour=_(colour)),
            tuple(
                Tap(str(face) if face else _("blank"), draft={f"d{size}": str(face)}, chosen=face == value)
                for face in sorted(set(faces))
            ),
        )
        for size, colour, faces, value in zip(
            SIZES, state.options.box_colours, state.options.dice_faces, typed, strict=True
        )
    )
    one, two, three, four, five = typed
    if one is None or two is None or three is None or four is None or five is None:
        missing = typed.count(None)
        words = _("Tap what each die shows") if missing == len(typed) else _("{missing} more to tap", missing=missing)
        return (Choice("", (Tap(words, tone=Tone.PRIMARY, refused=_("Tap what each of the dice shows.")),)), *rows)
    dice = (one, two, three, four, five)
    label = _("{dice} · volume {volume}", dice=" ".join(map(str, dice)), volume=volume(dice))
    return (Choice("", (Tap(label, event=event(dice), tone=Tone.PRIMARY),)), *rows)


def _typed(state: State, viewer: Viewer) -> list[int | None]:
    """What was tapped of the dice; what no die shows counts as not tapped."""
    faces = zip(SIZES, state.options.dice_faces, strict=True)
    return [_whole(viewer.draft.get(f"d{size}", ""), die) for size, die in faces]


def _whole(text: str, allowed: Iterable[int]) -> int | None:
    return {str(number): number for number in allowed}.get(text)


# the trucks


def _taking(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    player = actor(state, viewer)
    if player is None:
        if viewer.player is None:
            detail = _("In front of somebody else, or from the pile. Who was first comes first.")
            return (Headline(_("Grab a truck!"), detail, Tone.PRIMARY), *_who(state, viewer, _("Who took a truck?")))
        names = _names(viewer, (each for each in order(state) if each in rules.awaiting(state)))
        return (
            Headline(_("{names} still to grab", names=names), _("Then everybody loads.")),
            *_own_truck(state, viewer),
        )
    if is_last(state, player):
        head = Headline(
            _("{name} draws the top card", name=viewer.name(player)),
            _("The last one has no choice: tap its number."),
            Tone.PRIMARY,
        )
        return (head, *_who(state, viewer, _("Who took a truck?")), _cards(state, lambda card: Taken(player, card)))
    head = Headline(
        _("{name}: which truck?", name=viewer.name(player)),
        _("Never a card in front of yourself. Whoever was first, first."),
        Tone.PRIMARY,
    )
    place = viewer.draft.get("place", "")
    return (
        head,
        *_who(state, viewer, _("Who took a truck?")),
        _places(state, viewer, player, place),
        *_known(state, viewer, player, place),
        *_numbers(state, viewer, player, place),
    )


def _places(state: State, viewer: Viewer, player: str, place: str) -> Choice:
    """In front of whom the card lay (PS-32)."""
    taps = [
        Tap(
            _("In front of {name}", name=viewer.name(each)),
            draft={"place": each},
            chosen=each == place,
            refused="" if _left(state, each) else _("Nothing lies there any more: choose another place."),
        )
        for each in state.players
        if each != player
    ]
    taps.append(Tap(_("Draw pile"), draft={"place": PILE}, chosen=place == PILE))
    if _hidden(state, player):
        note = _("Only note a card in front of {name}", name=viewer.name(player))
        taps.append(Tap(note, draft={"place": NOTE}, chosen=place == NOTE, tone=Tone.DIM))
    return Choice(_("Where did it lie?"), tuple(taps))


def _left(state: State, owner: str) -> int:
    """How many cards still lie in front of a player."""
    return options.cards_each(state.players) - sum(each.owner == owner for each in state.current.taken)


def _hidden(state: State, owner: str) -> int:
    """How many cards in front of a player have no known number."""
    return options.cards_each(state.players) - len(state.current.shown.get(owner, ()))


def _known(state: State, viewer: Viewer, player: str, place: str) -> tuple[Widget, ...]:
    """The trucks that are known to lie there, one tap each; all of them while no place is chosen."""
    owners = [each for each in order(state) if each != player and place in ("", each)]
    taps = tuple(
        Tap(f"{truck_words(state, card)}, {viewer.name(owner)}", event=Taken(player, card, owner))
        for owner in owners
        for card in lying(state, owner)
    )
    return (Choice(_("Trucks that lie there"), taps),) if taps else ()


def _numbers(state: State, viewer: Viewer, player: str, place: str) -> tuple[Widget, ...]:
    """The numbers a card from there may have."""
    if place == PILE:
        return (_cards(state, lambda card: Taken(player, card)),)
    if place == NOTE and _hidden(state, player):
        return (_cards(state, lambda card: CardShown(player, card)),)
    if place in state.players and place != player and _hidden(state, place):
        return (_cards(state, lambda card: Taken(player, card, place)),)
    return ()


def _cards(state: State, event: Callable[[int], rules.Event]) -> Grid:
    """The numbers of all trucks; those that may still lie face down can be tapped."""
    hidden, last = unseen(state), len(options.trucks(state.options))

    def cell(card: int) -> Cell:
        if card > last:
            return Cell()
        if card not in hidden:
            return Cell(str(card), mark="crossed")
        return Cell(str(card), tap=Tap(truck_words(state, card), event=event(card)))

    rows = range(1, last + 1, CARDS_A_ROW)
    return Grid(
        _("Number on the card"), tuple(tuple(cell(card) for card in range(at, at + CARDS_A_ROW)) for at in rows)
    )


# the load


def _loading(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    player = actor(state, viewer)
    if player is None:
        names = _names(viewer, (each for each in order(state) if each in rules.awaiting(state)))
        who = _who(state, viewer, _("Who has loaded?"))
        return (
            Headline(
                _n("{names} loads", "{names} load", len(rules.awaiting(state)), names=names),
                _("There is no hurry now."),
                Tone.PRIMARY,
            ),
            *who,
            *_own_truck(state, viewer),
        )
    truck, dice = truck_taken(state, player), state.current.dice[player]
    return (
        Headline(
            _("{name}: load your truck", name=viewer.name(player)),
            _(
                "{truck_words}: room for {capacity}. Your boxes have volume {volume}.",
                truck_words=truck_words(state, state.current.trucks[player]),
                capacity=truck.capacity,
                volume=volume(dice),
            ),
            Tone.PRIMARY,
        ),
        *_who(state, viewer, _("Who has loaded?")),
        _confirm_load(state, viewer, player),
        _left_over(state, viewer, dice),
        _boxes_grid(state, dice),
        Consult(_("Show the best load"), BEST_LOAD.name),
        truck_grid(state, state.current.trucks[player]),
    )


def _rest(state: State, viewer: Viewer, dice: Counts) -> Counts:
    """What was tapped as left over; more than was rolled counts as not tapped."""
    one, two, three, four, five = (
        _whole(viewer.draft.get(f"l{size}", ""), range(number + 1)) or 0
        for size, number in zip(SIZES, dice, strict=True)
    )
    return one, two, three, four, five


def _confirm_load(state: State, viewer: Viewer, player: str) -> Choice:
    """The one tap that posts the load, with what it costs."""
    event = Loaded(player, _rest(state, viewer, state.current.dice[player]))
    try:
        after = rules.apply(state, event)
    except IllegalEvent as why:
        return Choice("", (Tap(_("Too much for this truck"), tone=Tone.PRIMARY, refused=str(why)),))
    lost = scoring.losses(after.options, after.current)[player]
    rest = (
        _("Everything is in")
        if event.unloaded == NONE
        else _("Left over: {boxes_words}", boxes_words=boxes_words(event.unloaded))
    )
    label = _("{rest} · loss {lost}", rest=rest, lost=lost)
    return Choice("", (Tap(label, event=event, tone=Tone.PRIMARY),))


def _left_over(state: State, viewer: Viewer, dice: Counts) -> Choice:
    """One tap for each box beside the truck; after the last one of a size it begins again."""
    rest = _rest(state, viewer, dice)
    taps = [
        Tap(
            _("Size {size}: {left} of {number}", size=size, left=left, number=number),
            draft={f"l{size}": str((left + 1) % (number + 1))},
            chosen=left > 0,
        )
        for size, number, left in zip(SIZES, dice, rest, strict=True)
        if number
    ]
    if rest != NONE:
        taps.append(Tap(_("None"), draft={f"l{size}": "" for size in SIZES}, tone=Tone.DIM))
    return Choice(_("What stays beside the truck?"), tuple(taps))


def _boxes_grid(state: State, counts: Counts) -> Grid:
    """How many boxes of each size were rolled, in their colours."""
    cells = tuple(
        Cell(str(number), colour_of(state, size) if number else "") for size, number in zip(SIZES, counts, strict=True)
    )
    return Grid(_("Boxes of each size"), (cells,), tuple(map(str, SIZES)))


def _own_truck(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    if viewer.player is None or viewer.player not in state.current.trucks:
        return ()
    return (truck_grid(state, state.current.trucks[viewer.player]),)


# scoring


def _scoring(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    lost = scoring.losses(state.options, state.current)
    best = _names(viewer, (player for player in state.players if player in scoring.smallest(lost)))
    due = rewards.reward_due(state)
    if due is not None:
        taps = tuple(Tap(_(reward), event=RewardDrawn(due, reward)) for reward in sorted(rewards.drawable(state)))
        return (
            Headline(
                _("{name} draws a reward card", name=viewer.name(due)),
                _("The only load without loss. Which one is it?"),
                Tone.PRIMARY,
            ),
            Choice(_("Reward card"), taps),
        )
    following = viewer.name(order(state)[1])
    ends = scoring.ends(rules.score(state))
    label = (
        _("The game is over: show the result")
        if ends
        else _("Boxes and trucks away: {following} starts", following=following)
    )
    return (
        Headline(
            _("{best}: {bonus} points for the smallest loss", best=best, bonus=scoring.BONUS),
            _("{round} is over. Somebody has no points left.", round=_round(state))
            if ends
            else _("{round} is over.", round=_round(state)),
            Tone.GOOD,
        ),
        Choice("", (Tap(label, event=RoundClosed(), tone=Tone.PRIMARY),)),
        Consult(_("What would have been the best loads?"), BEST_LOADS.name),
    )


# reward cards


def _usable(state: State, viewer: Viewer) -> dict[Reward, str]:
    """The reward cards that can be discarded now, and by whom, as far as this page may (PS-65)."""
    return {
        reward: owner
        for reward, owner in state.held.items()
        if viewer.player in (None, owner) and rewards.usable(state, reward)
    }


def _reward_taps(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The reward cards to discard; a roll or a card's number is asked next."""
    chosen = viewer.draft.get("card")
    taps = tuple(
        Tap(f"{viewer.name(player)}: {_(reward)}", event=VoucherUsed(player))
        if reward is Reward.VOUCHER
        else Tap(f"{viewer.name(player)}: {_(reward)}", draft={"card": reward}, chosen=reward == chosen)
        for reward, player in sorted(_usable(state, viewer).items())
    )
    return (Choice(_("Discard a reward card"), taps),) if taps else ()


def _discarding(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """The page while a reward card is being discarded; nothing when none is."""
    usable, chosen = _usable(state, viewer), viewer.draft.get("card")
    keep = Choice("", (Tap(_("Keep the card"), draft={"card": ""}, tone=Tone.DIM),))
    if chosen == Reward.NEW_ORDER and Reward.NEW_ORDER in usable:
        player = usable[Reward.NEW_ORDER]
        head = Headline(
            _("{name}: New Order", name=viewer.name(player)), _("All five dice again; the new load replaces the old.")
        )
        return (head, *_dice_entry(state, viewer, lambda dice: OrderRenewed(player, dice)), keep)
    if chosen == Reward.REPLACING and Reward.REPLACING in usable:
        player = usable[Reward.REPLACING]
        head = Headline(
            _("{name}: which truck instead?", name=viewer.name(player)), _("Draw the top card and tap its number.")
        )
        return (head, _cards(state, lambda card: TruckReplaced(player, card)), keep)
    return ()


# everybody


def _seats(state: State, viewer: Viewer) -> tuple[SeatCard, ...]:
    return tuple(_seat(state, viewer, player) for player in state.players)


def _seat(state: State, viewer: Viewer, player: str) -> SeatCard:
    """A player's truck, load and loss in this round."""
    current, waiting = state.current, rules.awaiting(state)
    words = [_("Starts")] if player == current.starter else []
    if player in current.dice:
        words.append(
            _(
                "Load {names}, volume {volume}",
                names=" ".join(map(str, current.dice[player])),
                volume=volume(current.dice[player]),
            )
        )
    if player in current.trucks:
        words.append(truck_words(state, current.trucks[player]))
    words += [_(reward) for reward, owner in state.held.items() if owner == player]
    name = viewer.name(player)
    detail = ". ".join(words)
    if player in current.unloaded:
        lost = scoring.losses(state.options, current)[player]
        return SeatCard(player, name, _("Loss {lost}", lost=lost), detail, Tone.GOOD)
    if player in waiting:
        return SeatCard(player, name, _doing(phase(state)), detail, Tone.PRIMARY)
    return SeatCard(player, name, _("Ready") if player in current.dice else _("Waits"), detail, Tone.DIM)


def _doing(step: Step) -> str:
    match step:
        case Step.ROLLING:
            return _("Rolls")
        case Step.TAKING:
            return _("Grabs")
        case Step.LOADING:
            return _("Loads")
    return _("Draws")


def _piles(state: State) -> Notice:
    """How the cards lie, and when to shuffle (PS-36)."""
    pile = state.pile
    words = _("Draw pile {cards}, discard pile {discarded}.", cards=pile.cards, discarded=pile.discarded)
    if pile.shuffled:
        return Notice(
            _("The draw pile ran out: shuffle the discard pile and go on with it. {words}", words=words), Tone.WARN
        )
    return Notice(words, Tone.DIM)


def _scores(state: State, viewer: Viewer) -> ScoreTable:
    return ScoreTable(_("If it ended now"), _lines(state, viewer))


def _result(state: State, viewer: Viewer) -> Standings:
    lines = best_first(_lines(state, viewer))
    names = [line.name for line in lines if line.winner]
    return Standings(_n("{names} wins", "{names} win", len(names), names=listed(names)), lines)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    return score_lines(
        state.players,
        viewer,
        lambda player: rules.explain(state, player),
        rules.awaiting(state),
        rules.winners(state),
    )


ADVICE = (BEST_LOAD, BEST_LOADS)

PRESETS = (
    Preset(
        "quick", N_("Quick"), N_("Everybody starts with 40 points: about half as many rounds."), {"start_points": 40}
    ),
    Preset("tournament", N_("Tournament"), N_("As printed, and the switches stay as they are."), {}, locked=True),
)


# the history


def describe(state: State, event: rules.Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    match event:
        case StarterNamed(starter):
            return _("{name} is the youngest and starts.", name=viewer.name(starter))
        case Rolled(player, dice):
            return _(
                "{name} rolled {dice}: volume {volume}.",
                name=viewer.name(player),
                dice=" ".join(map(str, dice)),
                volume=volume(dice),
            )
        case CardShown(player, card):
            return _("Truck {card} lies in front of {name}.", card=card, name=viewer.name(player))
        case Taken(player, card, owner):
            if owner is None:
                return _("{name} took truck {card} from the draw pile.", name=viewer.name(player), card=card)
            return _(
                "{name} took truck {card} in front of {owner}.",
                name=viewer.name(player),
                card=card,
                owner=viewer.name(owner),
            )
        case Loaded(player):
            return _loaded_words(state, event, viewer.name(player))
        case RoundClosed():
            return _("{round} was closed.", round=_round(state))
        case RewardDrawn(player, reward):
            return _("{name} drew the reward card {reward}.", name=viewer.name(player), reward=_(reward))
        case OrderRenewed(player, dice):
            return _(
                "{name} used New Order and rolled {names}: volume {volume}.",
                name=viewer.name(player),
                names=" ".join(map(str, dice)),
                volume=volume(dice),
            )
        case TruckReplaced(player, card):
            return _("{name} replaced the truck and drew truck {card}.", name=viewer.name(player), card=card)
        case VoucherUsed(player):
            return _("{name} used a voucher.", name=viewer.name(player))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    raise TypeError(event)


def _loaded_words(state: State, event: Loaded, name: str) -> str:
    """What was loaded, and what it costs where the truck and the roll are known and fit."""
    boxes = boxes_words(event.unloaded)
    try:
        truck = truck_taken(state, event.player)
        loss = loads.loss(truck, state.current.dice.get(event.player, NONE), event.unloaded)
    except IllegalEvent:
        if event.unloaded == NONE:
            return _("{name} loaded everything.", name=name)
        return _("{name} loaded all but {boxes}.", name=name, boxes=boxes)
    if event.unloaded == NONE:
        return _("{name} loaded everything, loss {loss}.", name=name, loss=loss)
    return _("{name} loaded all but {boxes}, loss {loss}.", name=name, boxes=boxes, loss=loss)


# dice, buttons, lights


SIZE_NAMES = (N_("size 1"), N_("size 2"), N_("size 3"), N_("size 4"), N_("size 5"))


def thrown(event: rules.Event, chosen: rules.Options) -> tuple[Thrown, ...]:
    """The five dice of a roll, with the faces this table's dice have."""
    if not isinstance(event, Rolled | OrderRenewed):
        return ()
    return tuple(
        Thrown(SIZE_NAMES[size - 1], faces, value)
        for size, faces, value in zip(SIZES, chosen.dice_faces, event.dice, strict=True)
        if value in faces  # a roll that the table said against its own dice tells nothing about them
    )


def bind(state: State, signal: Signal) -> rules.Event | None:
    """Confirm puts boxes and trucks away; the rest needs a number, which no button can say."""
    if signal.pressed and signal.device is Device.CONFIRM and phase(state) is Step.SCORING:
        return RoundClosed() if rewards.reward_due(state) is None else None
    return None


def look(state: State, now_us: int) -> Look:
    """A seat's light blinks while its player has something to do, fast while trucks are grabbed."""
    step, waiting = phase(state), rules.awaiting(state)
    blink = Light.FAST if step is Step.TAKING else Light.SLOW
    lights = tuple(blink if player in waiting else Light.OFF for player in state.players)
    if step is Step.OVER:
        return Look(Phase.OVER, lights)
    return Look(Phase.FINISHED if step is Step.SCORING else Phase.WAITING, lights)
