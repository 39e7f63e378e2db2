"""Readings in a MaxStax round: the card that lies face up, and the stacks as they stand from the front.

Seat 1 builds in the first stacking space from the left, seat 2 in the second, and so on.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from companion.equipment.deck import OWN_DECK
from companion.errors import IllegalEvent
from companion.game.events import NOW_US
from companion.game.readings import CardReading, Kind, SpaceReading, Status, TowerReading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.maxstax import timer
from companion.games.maxstax.events import Judged, Shouted, ShoutRejected, Witnessed
from companion.games.maxstax.timer import Round, Stage
from companion.words import _, joined

PATIENCE_S = 10  # to object to what the camera says of a stack
NOTHING = Eyes(above=None)
SHUTTER_US = -200_000  # a picture's stamp may lie so far before the press that asked for it
AT_ONCE_US = 10_000_000  # a picture that comes later, from a camera that had to start, is none of the moment


def stacks(current: Round, cards: Mapping[str, int | None], players: tuple[str, ...], model: str = "") -> Eyes:
    """The stacks from the front while they are built and judged; before that nothing, but for a stack to be copied.

    cards       the card of our own deck that a player builds, None where its picture is not known
    model       whose stack the others copy, "" for none

    What a stack is compared with stands in the scene under "references": the space → {"card": its number} or
    {"space": the space of the stack that it copies}.
    """
    if timer.stage(current) is Stage.WAITING and not model:
        return NOTHING
    known = {player: {"card": card} for player, card in cards.items() if card in OWN_DECK.cards}
    if model:
        known |= {player: {"space": players.index(model) + 1} for player in current.builders if player != model}
    references = {str(players.index(player) + 1): reference for player, reference in known.items()}
    return Eyes(above=None, front=Kind.TOWER, knows={"references": references} if references else {})


def card(
    reading: CardReading,
    event_of: Callable[[int, int | None], Any],
    check: Callable[[Any], Any],
    by_stars: bool = False,
) -> Proposed | Remark | None:
    """The card on the card spot, when the rules allow it now; one that nobody knows has to be tapped.

    event_of    (number, stars where the camera was told them) → what it means
    check       applies the event; its refusal is what the players hear
    by_stars    True: a card is tapped by its stars, not by its number
    """
    if reading.card is None and reading.accepted:
        return None  # nothing lies there
    if reading.card is None and by_stars:
        return Remark(_("The camera does not know the card that lies there: tap its stars."))
    if reading.card is None:
        return Remark(_("The camera does not know the card that lies there: tap its number."))
    event = event_of(reading.card, reading.stars)
    try:
        check(event)
    except IllegalEvent as refusal:
        return Remark(refusal.sentence)
    if not reading.accepted:
        return Proposed(event, confirm=True, note=_("The camera is not sure: is this {card}?", card=_(reading.name)))
    return Proposed(event, note=_("The camera sees {card}.", card=_(reading.name)))


def verdict(
    current: Round, players: tuple[str, ...], event: object, reading: TowerReading, at_us: int
) -> Proposed | None:
    """What the picture that an event asked for says: of a shout its own stack, as what happens to it later does not
    matter (MX-21); where no shout is needed all that the table has not judged when the round is over (MX-20)."""
    if isinstance(event, Shouted) and current.shout_required:
        counts = current.shouts.get(event.player) == event.at_us and event.player not in current.witnessed
        return first_seen(current, players, (event.player,) if counts and is_of(event.at_us, at_us) else (), reading)
    over_us = timer.over_us(current)
    in_time = over_us is not None and is_of(over_us, at_us)
    return first_seen(current, players, timer.unjudged(current) if in_time else (), reading)


def is_of(moment_us: int, at_us: int) -> bool:
    """Whether a picture of `at_us` shows how things were at that moment."""
    return SHUTTER_US <= at_us - moment_us <= AT_ONCE_US


def first_seen(
    current: Round, players: tuple[str, ...], waiting: Iterable[str], reading: TowerReading
) -> Proposed | None:
    """What the picture says of the first of these players whose space it shows."""
    spaces = {space.space: space for space in reading.spaces}
    for player in waiting:
        space = spaces.get(players.index(player) + 1)
        if space is not None:
            return judged(current, player, space)
    return None


def judged(current: Round, player: str, space: SpaceReading) -> Proposed:
    """What the picture says of one stack; the table confirms it, or says the contrary."""
    exact = space.status is Status.STANDING and (space.match is None or space.match.same)
    stands = Judged(player, True) if not current.shout_required else Witnessed(player)
    fails = Judged(player, False) if not current.shout_required else ShoutRejected(player, NOW_US)
    yes, no = (_("It stands and matches"), stands), (_("It is not exact"), fails)
    event, other = (stands, no) if exact else (fails, yes)
    sure = space.accepted and (space.match.accepted if space.match else space.status is not Status.STANDING)
    return Proposed(event, confirm=True, note=seen(space), instead=(other,), patience_s=PATIENCE_S if sure else 0)


def seen(space: SpaceReading) -> str:
    """One sentence on what the picture shows in one space."""
    match space.status:
        case Status.EMPTY:
            return _("Nothing stands in space {space}.", space=space.space)
        case Status.COLLAPSED:
            return _("The stack in space {space} has fallen.", space=space.space)
    if space.match is None:
        return _("The stack in space {space} stands: look whether it matches.", space=space.space)
    if space.match.same:
        return _("The stack in space {space} stands and matches.", space=space.space)
    found = joined(space.match.differences, "; ") or _("it looks different")
    return _("The stack in space {space} stands, but: {found}.", space=space.space, found=found)
