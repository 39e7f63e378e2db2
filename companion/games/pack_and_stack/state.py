"""What lies on the table in Pack & Stack, where a round stands, and which cards may still lie face down."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.equipment.trucks import Truck
from companion.errors import IllegalEvent
from companion.games.pack_and_stack.events import Reward, Taken
from companion.games.pack_and_stack.loads import SIZES, Box, Counts
from companion.games.pack_and_stack.options import BOXES, Options, trucks
from companion.games.rulings import Ruling
from companion.words import _


@dataclass(frozen=True)
class Pile:
    """The truck cards that nobody has: how many lie face down, how many are discarded.

    known       those of the discarded whose number was seen
    shuffled    the discard pile was shuffled under the draw pile in this round
    """

    cards: int
    discarded: int = 0
    known: frozenset[int] = frozenset()
    shuffled: bool = False

    def drawn(self, number: int) -> "Pile":
        """After so many cards were drawn; an empty draw pile is the discard pile, shuffled (PS-36)."""
        left = self.cards - number
        if left > 0 or not self.discarded:
            return replace(self, cards=left)
        return Pile(left + self.discarded, shuffled=True)

    def discard(self, cards: Iterable[int], unseen: int = 0) -> "Pile":
        """After these cards, and so many that nobody noted, were discarded."""
        seen = frozenset(cards)
        return replace(self, discarded=self.discarded + len(seen) + unseen, known=self.known | seen)


@dataclass(frozen=True)
class Round:
    """One round.

    dice        boxes received by those who have rolled
    dealt       the cards lie in front of the players
    shown       the cards known to lie, or to have lain, in front of each player
    taken       who took which card from where, in this order
    trucks      the card each player has now
    unloaded    boxes beside the truck of those who have loaded; `packed` where the others lie, where it was noted
    cleared     the cards that nobody took are discarded
    rulings_before  how many rulings the referee had made when each player loaded
    losses      what each player lost, once the round is closed
    """

    starter: str | None
    dice: Mapping[str, Counts] = field(default_factory=dict)
    dealt: bool = False
    shown: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    taken: tuple[Taken, ...] = ()
    trucks: Mapping[str, int] = field(default_factory=dict)
    cleared: bool = False
    unloaded: Mapping[str, Counts] = field(default_factory=dict)
    packed: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)
    rulings_before: Mapping[str, int] = field(default_factory=dict)
    vouchers: frozenset[str] = frozenset()
    rewarded: str | None = None
    losses: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """`held` are the reward cards that players have; `fresh` lie on the reward pile, `under` are used ones below."""

    options: Options
    players: tuple[str, ...]
    current: Round
    pile: Pile
    past: tuple[Round, ...] = ()
    held: Mapping[Reward, str] = field(default_factory=dict)
    fresh: frozenset[Reward] = frozenset()
    under: frozenset[Reward] = frozenset()
    ended: bool = False
    rulings: tuple[Ruling, ...] = ()


class Step(StrEnum):
    """The steps of a round (PS-12)."""

    NAMING = "naming"
    ROLLING = "rolling"
    TAKING = "taking"
    LOADING = "loading"
    SCORING = "scoring"
    OVER = "over"


def step(state: State) -> Step:
    """What is to be done now (PS-12)."""
    current, everybody = state.current, len(state.players)
    if state.ended:
        return Step.OVER
    if current.starter is None:
        return Step.NAMING
    if len(current.dice) < everybody:
        return Step.ROLLING
    if len(current.trucks) < everybody:
        return Step.TAKING
    return Step.LOADING if len(current.unloaded) < everybody else Step.SCORING


def require(state: State, wanted: Step, why: str, ruled: bool) -> None:
    """Raises IllegalEvent(why) at another step than the wanted one, unless the table says so."""
    if step(state) is not wanted and not ruled:
        raise IllegalEvent(why)


def order(state: State) -> tuple[str, ...]:
    """The players clockwise, starting player first."""
    first = state.players.index(state.current.starter) if state.current.starter in state.players else 0
    return state.players[first:] + state.players[:first]


def truck_taken(state: State, player: str) -> Truck:
    """The truck that a player has; raises IllegalEvent before it was taken."""
    if player not in state.current.trucks:
        raise IllegalEvent(_("This player has no truck yet: enter which was taken."))
    return trucks(state.options)[state.current.trucks[player] - 1]


def checked_dice(state: State, dice: Counts, ruled: bool) -> Counts:
    """PS-21: what the dice can show; when the table says so, what the supply holds (PS-06)."""
    for size, shown, faces, boxes in zip(SIZES, dice, state.options.dice_faces, BOXES, strict=True):
        if not 0 <= shown <= boxes or (shown not in faces and not ruled):
            likely = ", ".join(map(str, sorted(set(faces))))
            raise IllegalEvent(
                _(
                    "The die of size {size} does not show {shown}: choose one of {likely}.",
                    size=size,
                    shown=shown,
                    likely=likely,
                )
            )
    return dice


def is_last(state: State, player: str) -> bool:
    """Everybody else has a truck (PS-33)."""
    return set(state.players) - set(state.current.trucks) == {player}


def lying(state: State, owner: str) -> tuple[int, ...]:
    """The known cards that still lie in front of a player."""
    gone = {each.card for each in state.current.taken}
    return tuple(card for card in state.current.shown.get(owner, ()) if card not in gone)


def unseen(state: State) -> frozenset[int]:
    """The cards that may lie face down, as far as the table has noted the others."""
    current = state.current
    seen = {*current.trucks.values(), *state.pile.known}
    if not current.cleared:
        seen |= {card for owner in state.players for card in lying(state, owner)}
    return frozenset(range(1, len(trucks(state.options)) + 1)) - seen


def check_unseen(state: State, card: int) -> None:
    """A card that was face down until now; raises IllegalEvent for one that lies elsewhere."""
    if card not in unseen(state):
        last = len(trucks(state.options))
        if not 1 <= card <= last:
            raise IllegalEvent(_("The trucks are numbered 1 to {last}: enter the number on the card.", last=last))
        raise IllegalEvent(
            _("Truck {card} lies elsewhere, in play or discarded: look at the number on the card.", card=card)
        )
