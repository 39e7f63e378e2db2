"""Meaning of readings in a MaxStax round: the card that lies face up, and the stacks seen from the front.

Seat 1 builds in the first stacking space from the left, seat 2 in the second, and so on.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from companion.equipment.deck import OWN_DECK
from companion.errors import IllegalEvent
from companion.game.events import NOW_US
from companion.game.readings import CardReading, Kind, SpaceReading, Status, TowerReading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.maxstax import timer
from companion.games.maxstax.events import Judged, Shouted, ShoutRejected, Witnessed
from companion.games.maxstax.timer import Round, Stage
from companion.words import _, joined

EventT = TypeVar("EventT")
Verdict = Judged | Witnessed | ShoutRejected

PATIENCE_S = 10  # The table may object to the camera's verdict for so long.
NOTHING = Eyes(above=None)
SHUTTER_US = -200_000  # A picture may be stamped this much before the press that asked for it.
MISPLACED_MM = 3.0  # Hands put a block so near to its place.
AT_ONCE_US = 10_000_000  # A later picture, from a camera that had to start first, no longer shows that moment.


def stacks(
    current: Round, cards: Mapping[str, int | None], players: tuple[str, ...], to_the_mm: bool, model: str = ""
) -> Eyes:
    """The cameras' task: the stacks from the front while they are built and judged, and a stack that is to be copied.

    to_the_mm   whether each shift counts that hands cannot have missed
    cards       player → the card of our own deck that the player builds, None where its picture is not known
    model       the player whose stack the others copy, "" for none

    Each stack is compared with its entry under "references" in the scene: space → {"card": number} or
    {"space": space of the stack that it copies}.
    """
    if timer.stage(current) is Stage.WAITING and not model:
        return NOTHING
    reference_of = {player: {"card": card} for player, card in cards.items() if card in OWN_DECK.cards}
    if model:
        reference_of |= {player: {"space": players.index(model) + 1} for player in current.builders if player != model}
    references = {str(players.index(player) + 1): reference for player, reference in reference_of.items()}
    knows: dict[str, Any] = {"references": references} if references else {}
    if to_the_mm:
        knows["misplaced_mm"] = MISPLACED_MM
    return Eyes(above=None, front=Kind.TOWER, judges=bool(awaiting_verdict(current)), knows=knows)


def awaiting_verdict(current: Round) -> tuple[str, ...]:
    """The players of a finished round whose stack the camera may still judge."""
    if timer.stage(current) is not Stage.FINISHED:
        return ()
    if current.shout_required:
        return tuple(player for player in current.shouts if player not in current.witnessed)
    return timer.unjudged(current)


def card_proposal(
    reading: CardReading,
    event_of: Callable[[int, int | None], EventT],
    check: Callable[[EventT], object],
    by_stars: bool = False,
) -> Proposed[EventT] | Remark | None:
    """The event for the card on the card spot, or a remark when the camera does not know it or the rules refuse it.

    event_of    (number, stars or None) → event
    check       raises IllegalEvent when the rules refuse the event
    by_stars    True: players tap the card's stars, not its number
    """
    if reading.card is None and reading.accepted:
        return None  # nothing lies there
    if reading.card is None and by_stars:
        return Remark(_("The camera doesn't know this card. Tap its stars."))
    if reading.card is None:
        return Remark(_("The camera doesn't know this card. Tap its number."))
    event = event_of(reading.card, reading.stars)
    try:
        check(event)
    except IllegalEvent as refusal:
        return Remark(refusal.sentence)
    if not reading.accepted:
        return Proposed(event, confirm=True, note=_("The camera is not sure: is this {card}?", card=_(reading.name)))
    return Proposed(event, note=_("The camera sees {card}.", card=_(reading.name)))


def of_shout(
    current: Round, players: tuple[str, ...], event: object, reading: TowerReading, at_us: int
) -> Proposed[Witnessed | ShoutRejected] | None:
    """The verdict on the stack of a player who has just shouted; later events do not change it (MX-21)."""
    match event:
        case Shouted(player, pressed_us) if current.shouts.get(player) == pressed_us and is_of(pressed_us, at_us):
            waiting = () if player in current.witnessed else (player,)
            return _first_verdict(players, waiting, reading, _shout_judged)
    return None


def _shout_judged(player: str, exact: bool) -> Witnessed | ShoutRejected:
    return Witnessed(player) if exact else ShoutRejected(player, NOW_US)


def verdict(
    current: Round, players: tuple[str, ...], event: object, reading: TowerReading, at_us: int
) -> Proposed[Verdict] | None:
    """The verdict from the picture that `event` asked for, or None when it shows nothing to judge.

    A required shout decides about its own stack; otherwise the end of the round decides about every stack (MX-20).
    """
    if current.shout_required:
        return of_shout(current, players, event, reading, at_us)
    over_us = timer.over_us(current)
    in_time = over_us is not None and is_of(over_us, at_us)
    return _first_verdict(players, timer.unjudged(current) if in_time else (), reading, Judged)


def is_of(moment_us: int, at_us: int) -> bool:
    """Whether a picture taken at `at_us` shows the table as it was at `moment_us`."""
    return SHUTTER_US <= at_us - moment_us <= AT_ONCE_US


def _first_verdict(
    players: tuple[str, ...], waiting: Iterable[str], reading: TowerReading, event_of: Callable[[str, bool], EventT]
) -> Proposed[EventT] | None:
    """The verdict on the first waiting player whose space is in the picture, for the table to confirm or reverse.

    event_of    (player, whether the stack is exact) → event
    """
    spaces = {space.space: space for space in reading.spaces}
    for player in waiting:
        space = spaces.get(players.index(player) + 1)
        if space is None:
            continue
        exact = space.status is Status.STANDING and (space.match is None or space.match.same)
        matches, fails = _("It stands and matches"), _failure(space)
        agree, label = (matches, fails) if exact else (fails, matches)
        sure = space.accepted and (space.match.accepted if space.match else space.status is not Status.STANDING)
        return Proposed(
            event_of(player, exact),
            confirm=True,
            note=space_sentence(space),
            instead=((label, event_of(player, not exact)),),
            patience_s=PATIENCE_S if sure else 0,
            agree=agree,
        )
    return None


def _failure(space: SpaceReading) -> str:
    """What is wrong with a stack, in words short enough for a button."""
    match space.status:
        case Status.EMPTY:
            return _("No stack there")
        case Status.COLLAPSED:
            return _("It fell")
    return _("It doesn't match")


def space_sentence(space: SpaceReading) -> str:
    """A sentence about one stacking space in the picture."""
    match space.status:
        case Status.EMPTY:
            return _("I can't see a stack in space {space}.", space=space.space)
        case Status.COLLAPSED:
            return _("The stack in space {space} fell.", space=space.space)
    if space.match is None:
        return _("The stack in space {space} stands. Check whether it matches.", space=space.space)
    if space.match.same:
        return _("The stack in space {space} stands and matches.", space=space.space)
    differences = joined(space.match.differences, "; ") or _("it looks different")
    return _("The stack in space {space} stands, but: {found}.", space=space.space, found=differences)
