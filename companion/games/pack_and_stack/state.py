"""The state of a game of Pack & Stack: rounds, steps, and cards that may still lie face down."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.equipment.trucks import Truck
from companion.errors import IllegalEvent
from companion.games.pack_and_stack.events import Reward, Taken
from companion.games.pack_and_stack.loads import SIZES, Box, Counts
from companion.games.pack_and_stack.options import BOXES, Options, trucks
from companion.games.rulings import Ruling
from companion.games.seats import clockwise
from companion.words import _


@dataclass(frozen=True)
class Pile:
    """The truck cards that no player has.

    cards       number of cards in the draw pile
    discarded   number of cards in the discard pile
    known       discarded cards whose number was seen
    shuffled    True: the discard pile was shuffled into the draw pile in this round
    """

    cards: int
    discarded: int = 0
    known: frozenset[int] = frozenset()
    shuffled: bool = False

    def drawn(self, number: int) -> "Pile":
        """The piles after `number` cards were drawn; the discard pile replaces an empty draw pile (PS-36)."""
        left = self.cards - number
        if left > 0 or not self.discarded:
            return replace(self, cards=left)
        return Pile(left + self.discarded, shuffled=True)

    def discard(self, cards: Iterable[int], unseen: int = 0) -> "Pile":
        """The piles after these cards, and `unseen` unknown ones, were discarded."""
        numbers = frozenset(cards)
        return replace(self, discarded=self.discarded + len(numbers) + unseen, known=self.known | numbers)


@dataclass(frozen=True)
class Round:
    """One round.

    starter         the starting player, None until named
    dice            player → boxes received by the roll
    dealt           True: the cards lie in front of the players
    shown           player → the known cards that lie, or lay, in front of the player
    taken           the takings of trucks, in order
    trucks          player → the card that the player has now
    cleared         True: the cards that nobody took are discarded
    unloaded        player → boxes beside the truck, for players who have loaded
    packed          player → boxes in the truck, if entered
    rulings_before  player → number of rulings when the player loaded
    vouchers        players who used a voucher
    rewarded        the player who drew a reward card
    losses          player → loss, once the round is closed
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
    """The state of a game.

    past        closed rounds
    held        reward card → player who has it
    fresh       unused reward cards on the reward pile; `under`: used ones below them
    """

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
    """The current step (PS-12)."""
    current, players = state.current, len(state.players)
    if state.ended:
        return Step.OVER
    if current.starter is None:
        return Step.NAMING
    if len(current.dice) < players:
        return Step.ROLLING
    if len(current.trucks) < players:
        return Step.TAKING
    return Step.LOADING if len(current.unloaded) < players else Step.SCORING


def require(state: State, wanted: Step, sentence: str, ruled: bool) -> None:
    """Raises IllegalEvent with `sentence` unless the step is `wanted` or the table insists."""
    if step(state) is not wanted and not ruled:
        raise IllegalEvent(sentence)


def order(state: State) -> tuple[str, ...]:
    """The players clockwise from the starting player."""
    starter = state.current.starter
    return clockwise(state.players, state.players.index(starter) if starter in state.players else 0)


def truck_taken(state: State, player: str) -> Truck:
    """The truck that a player has; raises IllegalEvent before it was taken."""
    if player not in state.current.trucks:
        raise IllegalEvent(_("This player has no truck yet. Enter the one they took."))
    return trucks(state.options)[state.current.trucks[player] - 1]


def checked_dice(state: State, dice: Counts, ruled: bool) -> Counts:
    """The roll; raises IllegalEvent for one that the dice cannot show (PS-21), or with `ruled` the supply (PS-06)."""
    for size, face, faces, boxes in zip(SIZES, dice, state.options.dice_faces, BOXES, strict=True):
        if not 0 <= face <= boxes or (face not in faces and not ruled):
            likely = ", ".join(map(str, sorted(set(faces))))
            raise IllegalEvent(
                _(
                    "The size {size} die has no {shown}. Choose one of {likely}.",
                    size=size,
                    shown=face,
                    likely=likely,
                )
            )
    return dice


def is_last(state: State, player: str) -> bool:
    """Whether only this player has no truck yet (PS-33)."""
    return set(state.players) - set(state.current.trucks) == {player}


def lying(state: State, owner: str) -> tuple[int, ...]:
    """The known cards that still lie in front of a player."""
    gone = {taking.card for taking in state.current.taken}
    return tuple(card for card in state.current.shown.get(owner, ()) if card not in gone)


def unseen(state: State) -> frozenset[int]:
    """The cards that may lie face down, as far as the others are known."""
    current = state.current
    elsewhere = {*current.trucks.values(), *state.pile.known}
    if not current.cleared:
        elsewhere |= {card for owner in state.players for card in lying(state, owner)}
    return frozenset(range(1, len(trucks(state.options)) + 1)) - elsewhere


def check_unseen(state: State, card: int) -> None:
    """Raises IllegalEvent for a card that cannot have been face down until now."""
    if card not in unseen(state):
        last = len(trucks(state.options))
        if not 1 <= card <= last:
            raise IllegalEvent(_("Trucks are numbered 1 to {last}. Enter the number on the card.", last=last))
        raise IllegalEvent(_("Truck {card} is already in play or discarded. Check the number on the card.", card=card))
