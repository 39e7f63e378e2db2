"""The options of Sandpile Panic: players, board, opening, scoring, pieces (SP-01 … SP-05, SP-11, SP-40, SP-50)."""

from dataclasses import dataclass
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, option
from companion.games.own_colours import check_colours
from companion.games.sandpile_panic.board import COLOURS
from companion.games.sandpile_panic.islands import Scoring, Special
from companion.games.seats import check_seats
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = 2, 8  # SP-01
WHY_SEATS_STAY = N_(  # SP-03, SP-14
    "The number of players decides the size of the board and the order of the turns."
)
SMALLEST_BOARD, LARGEST_BOARD = 4, 10  # SP-03
FIRST_TIME_SIZE = {2: 5, 3: 5, 4: 7, 5: 8, 6: 8, 7: 8, 8: 8}  # SP-02, SP-03: the sheet marks them so
SHORT_AND_LONG_SIZE = {2: (4, 5), 3: (5, 6), 4: (6, 7), 5: (7, 8), 6: (7, 8), 7: (8, 9), 8: (8, 10)}  # SP-03
TALL = 8  # SP-39: the manual expects no higher pile, which is a hint, not a rule
MOST_PIECES = 999


class Opening(StrEnum):
    """The way to balance the advantage of the first move (SP-11)."""

    PIE = "pie"
    FAIR_SHARE = "fair_share"
    NONE = "none"


class Length(StrEnum):
    """The length of game that a board is recommended for (SP-03)."""

    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    board_size: int | None = option(
        None,
        N_("Spaces along a side"),
        N_("From 4 to 10. Leave it empty for the size for first-time players."),
        "SP-03",
        low=SMALLEST_BOARD,
        high=LARGEST_BOARD,
    )
    length: Length | None = option(
        None,
        N_("Recommended board"),
        N_("The recommended size for this many players. It's used when no size is chosen."),
        "SP-03",
        (
            OptionChoice(None, N_("For first-time players")),
            OptionChoice(Length.SHORT, N_("For a short game")),
            OptionChoice(Length.LONG, N_("For a long game")),
        ),
    )
    opening: Opening | None = option(
        None,
        N_("Opening"),
        N_("How to make the first move fair. With three or more players it's always shared."),
        "SP-11",
        (
            OptionChoice(None, N_("Pie rule for two, fair share for more")),
            OptionChoice(Opening.PIE, N_("Pie rule")),
            OptionChoice(Opening.FAIR_SHARE, N_("Fair share")),
            OptionChoice(Opening.NONE, N_("Nothing. The first player simply begins")),
        ),
    )
    first_seat: int | None = option(
        None,
        N_("Seat that begins"),
        N_("The player in this seat goes first and takes the first colour. Play again moves it on by one seat."),
        "SP-10",
        low=1,
        high=MOST_PLAYERS,
    )
    scoring: Scoring = option(
        Scoring.REGULAR,
        N_("Scoring"),
        N_("What decides the game. Landgrab gives a ranking too."),
        "SP-40",
        (
            OptionChoice(Scoring.REGULAR, N_("Regular: the largest island")),
            OptionChoice(Scoring.LANDGRAB, N_("Landgrab: squares of the islands")),
            OptionChoice(Scoring.NO_SMALL_ISLANDS, N_("No small islands: squares minus 6 for each island")),
        ),
    )
    special_piece: Special = option(
        Special.NONE,
        N_("Hot pink piece"),
        N_("One pink piece for each player. It helps everyone, or spoils what it touches."),
        "SP-50",
        (
            OptionChoice(Special.NONE, N_("Not in the game")),
            OptionChoice(Special.WILDCARD, N_("Wildcard: counts for everybody")),
            OptionChoice(Special.PENALTY, N_("Penalty: its islands score nothing")),
        ),
    )
    piece_supply: int | None = option(
        None,
        N_("Pieces for each player"),
        N_("How many pieces there are of each colour. Leave it empty if there are always enough."),
        "SP-05",
        low=1,
        high=MOST_PIECES,
    )
    piece_colours: tuple[str, ...] = option(
        tuple(COLOURS.values()),
        N_("Colours of the pieces"),
        N_("The colour of each player's pieces, starting with the player who goes first."),
        "SP-01",
        tuple(OptionChoice(colour, colour) for colour in COLOURS.values()),
    )


def piece_letters(options: Options) -> tuple[str, ...]:
    """The letters of the players' pieces in the order of the first turns, as in board.COLOURS (SP-01)."""
    letters = {colour: letter for letter, colour in COLOURS.items()}
    return tuple(letters[colour] for colour in options.piece_colours)


def board_size(options: Options, players: int) -> int:
    """The spaces along a side: as chosen, else as recommended for so many players (SP-03)."""
    if options.board_size is not None:
        return options.board_size
    if options.length is None:
        return FIRST_TIME_SIZE[players]
    return SHORT_AND_LONG_SIZE[players][options.length is Length.LONG]


def check_options(options: Options, players: tuple[str, ...]) -> None:
    """Raises IllegalEvent for the first option, or number of players, that cannot be played."""
    check_seats("Sandpile Panic", players, FEWEST_PLAYERS, MOST_PLAYERS)  # SP-01
    check_colours(options.piece_colours, len(players), tuple(COLOURS.values()))
    if options.board_size is not None and not SMALLEST_BOARD <= options.board_size <= LARGEST_BOARD:
        raise IllegalEvent(
            _(
                "A board has {smallest_board} to {largest_board} spaces along each side. Choose one of those sizes.",
                smallest_board=SMALLEST_BOARD,
                largest_board=LARGEST_BOARD,
            )
        )
    if options.first_seat is not None and not 1 <= options.first_seat <= len(players):
        raise IllegalEvent(_("One of the players begins. Choose a seat from 1 to {seats}.", seats=len(players)))
    if len(players) > 2 and options.opening not in (None, Opening.FAIR_SHARE):
        raise IllegalEvent(_("Three or more players use the fair share opening. Choose that one."))  # SP-14
    if options.piece_supply is not None and not 1 <= options.piece_supply <= MOST_PIECES:
        raise IllegalEvent(
            _("Each player has 1 to {most_pieces} pieces. Choose how many, or leave it empty.", most_pieces=MOST_PIECES)
        )
