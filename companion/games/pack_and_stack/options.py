"""The options, dice, boxes and decks of Pack & Stack (PS-01 … PS-10)."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from companion.equipment.trucks import Truck, printed_decks, truck_of
from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, option
from companion.games.pack_and_stack.loads import SIZES, Counts
from companion.games.seats import check_seats
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = 3, 6  # PS-01
WHY_SEATS_STAY = N_(  # PS-10, PS-13
    "Everybody starts with the same points and loses some in each round: a newcomer would be ahead."
)
DICE_FACES = (  # PS-05: one die for each size; 0 is a blank
    (1, 1, 2, 3, 4, 5),
    (0, 1, 2, 2, 3, 4),
    (0, 1, 1, 2, 2, 3),
    (0, 0, 1, 1, 2, 2),
    (0, 0, 1, 1, 2, 2),
)
BOXES: Counts = (30, 24, 18, 12, 12)  # PS-06: these are in the common supply
BOX_COLOURS = ("white", "grey", "brown", "turquoise", "purple")  # PS-06
TOKENS = (50, 10, 10, 5)  # PS-07, PS-10: each player has these, and the scoreboard replaces them
START_POINTS = sum(TOKENS)
FEW_PLAYERS, CARDS_FOR_FEW, CARDS_FOR_MANY = 4, 2, 1  # PS-30
MOST_FACES = 6
MOST_CARDS = 200
MOST_START_POINTS = 1_000_000  # The sheet has no limit, neither above nor below zero.
COLOUR_LENGTH = 20


class Deck(StrEnum):
    """The deck of truck cards (PS-03)."""

    MANUAL = "manual-36"
    CLASSIC = "classic-30"
    OWN = "own"


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    truck_deck: Deck = option(
        Deck.MANUAL,
        N_("Truck cards"),
        N_("Which deck you use. Print ours, or enter your own cards below."),
        "PS-03",
        (
            OptionChoice(Deck.MANUAL, N_("36 cards, 1 to 3 high")),
            OptionChoice(Deck.CLASSIC, N_("30 cards, 1 to 4 high")),
            OptionChoice(Deck.OWN, N_("Our own cards")),
        ),
    )
    own_trucks: tuple[str, ...] = option(
        (),
        N_("Our own cards"),
        N_("One card per line: its height and the rows of its loading area, such as 2 ###/##./###."),
        "PS-04",
        editor="grid",
        examples=(("2 ###/##./###", "1 ####/####") * 20,),
    )
    dice_faces: tuple[tuple[int, ...], ...] = option(
        DICE_FACES,
        N_("Dice"),
        N_("The faces of the five dice, one die per line, size 1 first. A blank is 0."),
        "PS-05",
        examples=(((1, 2, 3), (0, 1, 2), (0, 1, 2), (0, 1), (1,)),),
    )
    box_colours: tuple[str, ...] = option(
        BOX_COLOURS, N_("Colours of the boxes"), N_("One colour per line, size 1 first."), "PS-06"
    )
    start_points: int = option(
        START_POINTS,
        N_("Points at the start"),
        N_("How many points everyone starts with."),
        "PS-10",
        (),
        -MOST_START_POINTS,
        MOST_START_POINTS,
    )
    roll_together: bool = option(
        False,
        N_("All roll together"),
        N_("Everyone rolls at the same time, for tables with more than one set of dice."),
        "PS-20",
    )
    floor_at_zero: bool = option(
        False,
        N_("Never below zero"),
        N_("Nobody's points go below zero. This is checked after the round's bonus."),
        "PS-54",
    )
    reward_cards: bool = option(
        False, N_("Reward cards"), N_("The only player with a perfect load draws a reward card."), "PS-60"
    )
    reward_recycle: bool = option(
        False, N_("Reward cards come back"), N_("Used reward cards are shuffled back under the pile."), "PS-66"
    )


def check_options(options: Options, players: tuple[str, ...]) -> None:
    """Raises IllegalEvent for the first option, or number of players, that cannot be played."""
    check_seats("Pack & Stack", players, FEWEST_PLAYERS, MOST_PLAYERS)  # PS-01
    check_dice(options.dice_faces, len(players))
    if abs(options.start_points) > MOST_START_POINTS:
        raise IllegalEvent(
            _(
                "Everyone starts with {what} to {most_start_points} points. Choose a number in that range.",
                what=-MOST_START_POINTS,
                most_start_points=MOST_START_POINTS,
            )
        )
    names = options.box_colours
    if len(names) != len(SIZES) or not all(1 <= len(name.strip()) <= COLOUR_LENGTH for name in names):
        raise IllegalEvent(
            _(
                "There are five box sizes. Name five colours of 1 to {colour_length} characters.",
                colour_length=COLOUR_LENGTH,
            )
        )
    if options.own_trucks and options.truck_deck is not Deck.OWN:
        raise IllegalEvent(_("You entered your own cards. Choose them as the deck, or clear the list."))
    most = len(players) * (cards_each(players) + 1)  # All players may take from the draw pile.
    cards = len(trucks(options))
    if not most <= cards <= MOST_CARDS:
        raise IllegalEvent(
            _(
                "{n} players need {most} to {most_cards} truck cards, not {cards}.",
                n=len(players),
                most=most,
                most_cards=MOST_CARDS,
                cards=cards,
            )
        )


def check_dice(faces: tuple[tuple[int, ...], ...], players: int) -> None:
    """Raises IllegalEvent unless there are five dice that never show more boxes than the supply has (PS-05, PS-06)."""
    if len(faces) != len(SIZES) or not all(1 <= len(die) <= MOST_FACES for die in faces):
        raise IllegalEvent(
            _(
                "Each of the five sizes has one die with 1 to {most_faces} faces. Enter five dice.",
                most_faces=MOST_FACES,
            )
        )
    for size, die, boxes in zip(SIZES, faces, BOXES, strict=True):
        if not all(0 <= face * players <= boxes for face in die):
            raise IllegalEvent(
                _(
                    "There are {boxes} boxes of size {size}, so with {players} players a face shows {number} at most.",
                    boxes=boxes,
                    size=size,
                    players=players,
                    number=boxes // players,
                )
            )


@lru_cache(maxsize=16)
def deck(name: Deck, own: tuple[str, ...]) -> tuple[Truck, ...]:
    """The trucks of a deck, card 1 first; raises IllegalEvent for a card of the own list that is not a truck."""
    return tuple(map(truck_of, own)) if name is Deck.OWN else printed_decks()[name]


def trucks(options: Options) -> tuple[Truck, ...]:
    """The trucks of this table, card 1 first."""
    return deck(options.truck_deck, options.own_trucks)


def cards_each(players: tuple[str, ...]) -> int:
    """The number of truck cards each player draws (PS-30)."""
    return CARDS_FOR_FEW if len(players) <= FEW_PLAYERS else CARDS_FOR_MANY
