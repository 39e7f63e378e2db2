"""A timed round on tablet and box, and the meaning of its buttons: the same in all MaxStax games."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Never, TypeVar

from companion.equipment.deck import OWN_DECK, Card
from companion.equipment.pictures import stack_frame_mm, stack_shapes
from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.charts import PhotoFinish, Picture, Pictures, Press
from companion.game.events import NOW_US
from companion.game.players import Viewer
from companion.game.scores import best_first
from companion.game.widgets import (
    Choice,
    Clock,
    PictureChoice,
    PictureTap,
    ScoreLine,
    SeatCard,
    Standings,
    Tap,
    Tone,
    Widget,
)
from companion.games.maxstax import timer
from companion.games.maxstax.events import (
    Bumped,
    Collapsed,
    FalseStarted,
    GaveUp,
    Judged,
    Paused,
    Readied,
    Resumed,
    RoundClosed,
    Shouted,
    ShoutRejected,
    Started,
    TimerEvent,
)
from companion.games.maxstax.timer import Round, Stage
from companion.words import _, _n, listed, number, seconds

EventT = TypeVar("EventT")

LAST_US = 10_000_000  # In the last seconds the clock warns.
WRONG_US = 1_500_000  # The box shows a rejected shout for this long.
SECOND_US, CLOSE_US = 1_000_000, 100_000  # Smaller margins are given in tenths of milliseconds.
STAR = "★"
MOST_NAMED = 2  # A phone has two lines below its headline; the cards of the seats say who waits.


def clock(current: Round, title: str = "") -> tuple[Clock, ...]:
    """The clock of a round; none without a time limit, or once the round is over."""
    title = title or _("Time left")
    stage, left_us, deadline_us = timer.stage(current), timer.left_us(current), timer.deadline_us(current)
    if left_us is None or stage is Stage.FINISHED:
        return ()
    if stage is Stage.RUNNING and deadline_us is not None:
        assert current.limit_us is not None
        return (Clock(title, deadline_us - current.limit_us, deadline_us, left_us),)
    return (Clock(title, None, None, left_us, Tone.DIM),)


def table_taps(
    current: Round, viewer: Viewer, start: str = ""
) -> tuple[Choice[Started | Paused | Resumed | RoundClosed], ...]:
    """The taps for the whole table, which anybody may use.

    The page of the whole table starts the round for all: who taps there sees the others. A player's own page waits
    until each has pressed Ready.

    start       label of the tap that starts the round, "" for the usual one
    """
    match timer.stage(current):
        case Stage.WAITING:
            start = start or _("Start")
            if timer.awaiting(current) and viewer.player is None:
                everyone = _("{start}: everyone is ready", start=start)
                return (Choice("", (_next(everyone, Started(NOW_US, everyone=True), ""),)),)
            refused = _("Everyone has to press Ready first.") if timer.awaiting(current) else ""
            return (Choice("", (_next(start, Started(NOW_US), refused),)),)
        case Stage.RUNNING:
            return (Choice("", (Tap(_("Pause (everyone agrees)"), event=Paused(NOW_US), tone=Tone.DIM),)),)
        case Stage.PAUSED:
            return (Choice("", (Tap(_("Resume"), event=Resumed(NOW_US), tone=Tone.PRIMARY),)),)
        case Stage.FINISHED:
            refused = _("Does each stack stand and match? Say so for each.") if timer.unjudged(current) else ""
            is_shouted = current.shout_required and current.shouts
            close = _("All correct: close the round") if is_shouted else _("Close the round")
            return (Choice("", (_next(close, RoundClosed(), refused),)),)
    return ()


def _next(label: str, event: Started | RoundClosed, refused: str) -> Tap[Started | RoundClosed]:
    """The tap to the next step, in its place also while it is refused."""
    return Tap(label, event=event, tone=Tone.PRIMARY, refused=refused)


def photo_finish(current: Round, viewer: Viewer) -> tuple[PhotoFinish, ...]:
    """The order of the shouts in stacking time (MX-17), once a round with several shouts is over."""
    if timer.stage(current) is not Stage.FINISHED or len(current.shouts) < 2:
        return ()
    presses = (
        Press(player, viewer.name(player), timer.elapsed_us(current, at_us)) for player, at_us in current.shouts.items()
    )
    return (PhotoFinish(_("Photo finish"), tuple(presses)),)


def own_tap(cards: Iterable[SeatCard[EventT]], viewer: Viewer) -> tuple[Widget[EventT], ...]:
    """The viewer's own button, ready or MAX STAX, as a large tap."""
    taps = [card.taps[0] for card in cards if card.player == viewer.player and card.taps]
    return tuple(
        Choice("", (replace(tap, tone=Tone.PRIMARY),)) for tap in taps if isinstance(tap.event, Readied | Shouted)
    )


def watching(player: str, name: str) -> SeatCard[Never]:
    """The card of a player who does not take part in this round."""
    return SeatCard(player, name, _("Watching"), tone=Tone.DIM)


def seat(current: Round, player: str, name: str, done: str, tie_ms: int) -> SeatCard[TimerEvent]:
    """A player's card in a round: what the round awaits from the player, and the taps.

    done        the words for a complete stack ("1st", "Complete")
    tie_ms      presses closer together than this are a tie
    """
    stage = timer.stage(current)
    if player not in current.builders:
        return watching(player, name)
    if player in timer.away(current):
        return SeatCard(player, name, _("On a break"), tone=Tone.DIM)
    if stage is Stage.WAITING:
        if player in current.ready:
            return SeatCard(player, name, _("Ready"), tone=Tone.GOOD)
        return SeatCard(player, name, _("Not ready"), taps=(Tap(_("Ready"), event=Readied(player)),))
    if player in current.shouts:
        rejected = Tap(_("Not correct"), event=ShoutRejected(player, NOW_US), tone=Tone.DIM)
        fell = () if current.shout_required or stage is Stage.FINISHED else _falls(player)
        return SeatCard(player, name, done, times(current, player, tie_ms), Tone.GOOD, (rejected, *fell))
    detail = _mishaps(current, player)
    if player in current.gave_up:
        return SeatCard(player, name, _("Gave up"), detail, Tone.DIM)
    if stage is Stage.FINISHED:
        return SeatCard(player, name, _("Not complete"), detail, Tone.DIM)
    if stage is Stage.PAUSED:
        return SeatCard(player, name, _("Building"), detail, Tone.DIM, _falls(player))
    label = _("MAX STAX") if current.shout_required else _("Done")
    shout = Tap(label, event=Shouted(player, NOW_US), tone=Tone.PRIMARY)
    give_up = Tap[TimerEvent](_("Give up"), event=GaveUp(player, NOW_US), tone=Tone.DIM)
    taps = (shout, *_falls(player), give_up)
    return SeatCard(player, name, _("Building"), detail, taps=taps, before_go=_("Get ready"))


def _falls(player: str) -> tuple[Tap[TimerEvent], Tap[TimerEvent]]:
    return (
        Tap(_("It fell"), event=Collapsed(player), tone=Tone.DIM),
        Tap(_("Someone hit it"), event=Bumped(player), tone=Tone.DIM),
    )


def judged_seat(current: Round, player: str, name: str, done: str, tie_ms: int) -> SeatCard[TimerEvent | Judged]:
    """A player's card in a round, as `seat`; without the shout the table judges every stack after it (MX-20)."""
    is_in = player in current.builders and player not in timer.out(current)
    if timer.stage(current) is not Stage.FINISHED or current.shout_required or not is_in:
        return seat(current, player, name, done, tie_ms)
    complete = current.judged.get(player)
    yes = Tap(_("Matches"), event=Judged(player, True), tone=Tone.PRIMARY)
    no = Tap(_("Not complete"), event=Judged(player, False), tone=Tone.DIM)
    if complete is None:
        return SeatCard(player, name, _("Check it"), _mishaps(current, player), Tone.PRIMARY, (yes, no))
    if complete:
        return SeatCard(player, name, done, "", Tone.GOOD, (no,))
    return SeatCard(player, name, _("Not complete"), "", Tone.DIM, (Tap(yes.label, event=yes.event, tone=Tone.DIM),))


def _mishaps(current: Round, player: str) -> str:
    """The player's mishaps so far: "false start, fell twice, 1 shout not exact"."""
    fallen = current.collapses.count(player)
    rejected = sum(shouter == player for shouter, _ in current.rejections)
    words = (
        _("false start") if player in current.false_starts else "",
        _fell(fallen) if fallen else "",
        _n("{n} wrong shout", "{n} wrong shouts", rejected) if rejected else "",
    )
    return ", ".join(filter(None, words))


def _fell(times: int) -> str:
    match times:
        case 1:
            return _("fell once")
        case 2:
            return _("fell twice")
    return _("fell {times} times", times=times)


def times(current: Round, player: str, tie_ms: int) -> str:
    """The player's time and margin: "31.2 s, 4.0 ms ahead" for the first, "31.2 s, 4.0 ms behind" for the next."""
    mine_us, tie_us = current.shouts[player], tie_ms * 1_000
    others = [at_us for other, at_us in current.shouts.items() if other != player]
    spent = seconds(timer.elapsed_us(current, mine_us))
    if any(at_us == mine_us or abs(at_us - mine_us) < tie_us for at_us in others):
        return _("{time}, a tie", time=spent)
    before = [at_us for at_us in others if at_us < mine_us]
    after = [at_us for at_us in others if at_us > mine_us]
    if before:
        return _("{time}, {margin} behind", time=spent, margin=_margin(current, max(before), mine_us))
    return _("{time}, {margin} ahead", time=spent, margin=_margin(current, mine_us, min(after))) if after else spent


def round_name(number: int, rounds: int) -> str:
    """The name of a round; those after the last one are stack-offs."""
    return str(number) if number <= rounds else _("Speed-Stack-Off {number}", number=number - rounds)


def _margin(current: Round, earlier_us: int, later_us: int) -> str:
    margin_us = timer.elapsed_us(current, later_us) - timer.elapsed_us(current, earlier_us)
    if margin_us < SECOND_US:
        return _("{milliseconds} ms", milliseconds=number(margin_us / 1e3, 1 if margin_us < CLOSE_US else 0))
    return seconds(margin_us)


def place(rank: int) -> str:
    """The place in words: "1st", "2nd", "3rd", "4th"."""
    match rank:
        case 1:
            return _("1st")
        case 2:
            return _("2nd")
        case 3:
            return _("3rd")
    return _("{rank}th", rank=rank)


def press_ready(round_name: str, waiting: Iterable[str], viewer: Viewer) -> str:
    """What a round waits for: "Round 1 of 5. Ann and Bob: press your button when your blocks are ready."."""
    players = tuple(waiting)
    if len(players) > MOST_NAMED:
        return _("{round_name}. Press your buttons when your blocks are ready.", round_name=round_name)
    names = names_of(players, viewer)
    return _("{round_name}. {names}: press your button when your blocks are ready.", round_name=round_name, names=names)


def slap(round_name: str) -> str:
    """What everybody does who is done: "Round 1 of 5. Done? Slap your button."."""
    return _("{round_name}. Done? Slap your button.", round_name=round_name)


def names_of(players: Iterable[str], viewer: Viewer) -> str:
    """The players' names in a list: "Ann, Bob and Cy"."""
    return listed(map(viewer.name, players))


def pictures(title: str, captions: Iterable[tuple[Card, str]]) -> tuple[Pictures, ...]:
    """The pictures of (card, text below it), all to one scale; empty for no cards."""
    chosen = tuple(captions)
    if not chosen:
        return ()
    width = max(card.width_mm for card, _ in chosen)
    height = max(card.height_mm for card, _ in chosen)
    return (Pictures(title, tuple(_picture(card, words, width, height) for card, words in chosen)),)


def _picture(card: Card, words: str, width: float, height: float) -> Picture:
    return Picture(words, _spoken(card), width, height, stack_shapes(card, (width, height)))


def _spoken(card: Card) -> str:
    return _("{name}, a stack of {n} blocks", name=_(card.name), n=len(card.blocks))


def card_choice(
    prompt: str, event: Callable[[int], EventT], refused: Callable[[int], str], *, is_optional: bool = False
) -> PictureChoice[EventT]:
    """The cards of our own deck to choose from, as they are printed.

    refused     number of a card → why it cannot be the one, "" when it can
    """

    def tap(card: Card) -> Tap[EventT]:
        words = _n("{card}, {n} star", "{card}, {n} stars", card.stars, card=_spoken(card))
        numbered = _("Card {number}: {words}", number=card.number, words=words)
        return Tap(numbered, event=event(card.number), refused=refused(card.number))

    def picture(card: Card) -> Picture:
        frame_mm = stack_frame_mm(card)
        shapes = stack_shapes(card, frame_mm)
        return Picture("", _spoken(card), *frame_mm, shapes, number=str(card.number), mark=STAR * card.stars)

    cards = OWN_DECK.cards.values()
    return PictureChoice(prompt, tuple(PictureTap(picture(card), tap(card)) for card in cards), is_optional)


def card_words(number: int) -> str:
    """The name of a card of our own deck: "Card 17, Scales ★★"."""
    card = OWN_DECK.cards[number]
    return _("Card {number}, {name} {stars}", number=number, name=_(card.name), stars=STAR * card.stars)


def standings(lines: tuple[ScoreLine, ...]) -> Standings:
    """The winners, and all lines, best first."""
    ordered = best_first(lines)
    winners = [line.name for line in ordered if line.winner]
    if len(winners) == 1:
        return Standings(_("{name} wins", name=winners[0]), ordered)
    return Standings(_("{names} share the win", names=listed(winners)), ordered)


def bind(current: Round, players: tuple[str, ...], signal: Signal) -> TimerEvent | RoundClosed | None:
    """The event of a signal, or None: a seat's button is ready, then MAX STAX; start begins the countdown or ends a
    pause (only a page begins one); confirm closes the round.

    A button that is already down at the go gives no signal until it is released and pressed again.
    """
    if not signal.pressed:
        return None
    stage = timer.stage(current)
    match signal.device:
        case Device.SEAT:
            player = seated(players, signal)
            return None if player is None or player not in current.builders else _pressed(current, player, signal.at_us)
        case Device.START if stage is Stage.PAUSED:
            return Resumed(signal.at_us)
        case Device.START if stage is Stage.WAITING:
            return Started(signal.at_us)
        case Device.CONFIRM if stage is Stage.FINISHED:
            return RoundClosed()
    return None


def _pressed(current: Round, player: str, at_us: int) -> TimerEvent | None:
    if current.go_us is None:
        return Readied(player) if player not in current.ready else None
    if at_us < current.go_us:
        return FalseStarted(player, at_us)
    return Shouted(player, at_us) if player not in current.shouts else None


def seated(players: tuple[str, ...], signal: Signal) -> str | None:
    """The player at the seat of a button, or None."""
    if signal.seat is None or not 1 <= signal.seat <= len(players):
        return None
    return players[signal.seat - 1]


def look(current: Round, players: tuple[str, ...], now_us: int) -> BoxLook:
    """The box's appearance: the light of a ready or complete player shines, that of one who must still press blinks."""
    stage = timer.stage(current)
    done = current.ready if stage is Stage.WAITING else frozenset(current.shouts) | timer.completed(current)
    waiting = timer.awaiting(current)
    counting = is_counting(current, now_us)

    def light(player: str) -> Light:
        if player in done and not counting:
            return Light.ON
        if player not in waiting:
            return Light.OFF
        return Light.FAST if counting else Light.OFF if stage is Stage.RUNNING else Light.SLOW

    return BoxLook(_phase(current, stage, now_us), tuple(light(player) for player in players))


def is_counting(current: Round, now_us: int) -> bool:
    """Whether `now_us` is between start and go."""
    return timer.stage(current) is Stage.RUNNING and current.go_us is not None and now_us < current.go_us


def _phase(current: Round, stage: Stage, now_us: int) -> Phase:
    match stage:
        case Stage.WAITING:
            return Phase.WAITING
        case Stage.PAUSED:
            return Phase.PAUSED
        case Stage.FINISHED:
            return Phase.FINISHED
    if is_counting(current, now_us):
        return Phase.COUNTDOWN
    if any(0 <= at_us <= now_us < at_us + WRONG_US for _, at_us in current.rejections[-1:]):
        return Phase.WRONG
    deadline_us = timer.deadline_us(current)
    last = deadline_us is not None and deadline_us - now_us <= LAST_US
    return Phase.LAST_SECONDS if last else Phase.RUNNING
