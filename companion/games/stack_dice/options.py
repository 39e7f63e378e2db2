"""The options of Stack: variants, house rules, and our readings of unclear points, with the ids of the rule sheet."""

from dataclasses import dataclass
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, option
from companion.games.own_colours import check_colours
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = 2, 8  # ST-02: more than the box's four colours, as many as can be told apart
WHY_SEATS_STAY = N_(  # ST-12, ST-20, ST-60
    "Everybody drops their dice together, turns go clockwise, and the points of all rounds add up."
)
HIGHEST_TARGET = 1_000_000  # The sheet has no limit, neither above nor below zero.
# ST-01: each seat has a colour by the dice reader's names; those of the box come first
SEAT_COLOURS = ("red", "blue", "green", "purple", "yellow", "orange", "white", "black")
MOST_PENALTIES, PENALTY_NAME_LENGTH, PENALTY_POINTS = 20, 40, 1000


class Starter(StrEnum):
    """The choice of the starter of later rounds (ST-13)."""

    ROLL = "roll"
    ROTATE = "rotate"
    WINNER = "winner"
    LOSER = "loser"


class OutOfTurn(StrEnum):
    """The cost of playing out of turn (ST-56)."""

    SKIPPED = "next own turn is skipped"
    WARNING = "warning only"


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    target: int = option(
        200,
        N_("Points to pass"),
        N_("The game ends after the round in which somebody gets past this."),
        "ST-60",
        (),
        -HIGHEST_TARGET,
        HIGHEST_TARGET,
    )
    starter_each_round: Starter = option(
        Starter.ROLL,
        N_("Who starts later rounds"),
        N_("How to choose who starts each round after the first."),
        "ST-13",
        (
            OptionChoice(Starter.ROLL, N_("Roll again")),
            OptionChoice(Starter.ROTATE, N_("The next one clockwise")),
            OptionChoice(Starter.WINNER, N_("Whoever gained most in the last round")),
            OptionChoice(Starter.LOSER, N_("Whoever gained least in the last round")),
        ),
    )
    teams: int = option(
        0,
        N_("Teams"),
        N_(
            "Teams take alternate seats, so partners never sit side by side. Teams can be uneven. The smaller "
            "one then has fewer dice to score with."
        ),
        "ST-70",
        (
            OptionChoice(0, N_("No teams")),
            OptionChoice(2, N_("Two teams")),
            OptionChoice(3, N_("Three teams")),
            OptionChoice(4, N_("Four teams")),
        ),
    )
    team_stack_on_partner: bool = option(
        False,
        N_("Stack on a partner"),
        N_("You can stack on a partner's die as on a rival's. Covering a partner's last die doesn't end the round."),
        "ST-72",
    )
    partner_last_turn: bool = option(
        False,
        N_("A last turn for partners"),
        N_("The partner of the player who goes out gets a last turn too."),
        "ST-73",
    )
    penalty_one_value: int = option(
        10,
        N_("A 1 on the penalty roll"),
        N_("What a 1 costs the player who knocked over a stack."),
        "ST-52",
        (OptionChoice(10, N_("10 points")), OptionChoice(1, N_("1 point"))),
    )
    lost_turn_out_of_turn: OutOfTurn = option(
        OutOfTurn.SKIPPED,
        N_("Playing out of turn"),
        N_("What happens when somebody plays out of turn."),
        "ST-56",
        (
            OptionChoice(OutOfTurn.SKIPPED, N_("They lose their next turn")),
            OptionChoice(OutOfTurn.WARNING, N_("A warning")),
        ),
    )
    hr_die_off_table: bool = option(
        False, N_("Dice off the table"), N_("Each die that falls off the table costs its player a point."), "ST-80"
    )
    hr_swearing: bool = option(False, N_("Swearing"), N_("Swearing costs a point."), "ST-81")
    hr_rolled_two: bool = option(False, N_("Rolling a 2"), N_("A turn's roll that shows a 2 costs a point."), "ST-82")
    hr_capture_tax: bool = option(
        False, N_("Capture tax"), N_("When a stack is captured every other player loses a point."), "ST-83"
    )
    hr_double_four_high: bool = option(
        False, N_("Four high counts double"), N_("A four-high stack counts twice its top number."), "ST-84"
    )
    custom_penalties: tuple[tuple[str, int], ...] = option(
        (),
        N_("Your own penalties"),
        N_("One per line: a name, a colon and the points it costs, such as Spilled drink: 5."),
        "ST-85",
        examples=((("Spilled drink", 5),),),
    )
    dice_colours: tuple[str, ...] = option(
        SEAT_COLOURS,
        N_("Colours of the dice"),
        N_("The colour of each player's dice, in seating order."),
        "ST-02",
        tuple(OptionChoice(colour, colour) for colour in SEAT_COLOURS),
    )


def check_options(options: Options, players: int) -> None:
    """Raises IllegalEvent for options that cannot be played."""
    if abs(options.target) > HIGHEST_TARGET:
        raise IllegalEvent(
            _(
                "The points to pass are {what} to {highest_target}. Choose a number in that range.",
                what=-HIGHEST_TARGET,
                highest_target=HIGHEST_TARGET,
            )
        )
    if options.penalty_one_value not in (10, 1):
        raise IllegalEvent(_("A 1 on the penalty roll costs 10 points or 1. Choose one of them."))  # ST-52
    check_colours(options.dice_colours, players, SEAT_COLOURS)
    check_teams(options.teams, players)
    check_custom_penalties(options.custom_penalties)


def check_teams(teams: int, players: int) -> None:
    """Raises IllegalEvent unless partners are nowhere side by side, also where the circle closes (ST-71)."""
    if teams == 0:
        return
    if not 2 <= teams <= players:
        raise IllegalEvent(
            _(
                "{players} players can't make {teams} teams. Choose another number of teams, or none.",
                players=players,
                teams=teams,
            )
        )
    if (players - 1) % teams == 0:
        raise IllegalEvent(
            _(
                "With {players} players in {teams} teams, partners would sit side by side. Choose another "
                "number of teams, or none.",
                players=players,
                teams=teams,
            )
        )


def check_custom_penalties(penalties: tuple[tuple[str, int], ...]) -> None:
    """Raises IllegalEvent unless the table's own penalties have different names and sensible points (ST-85)."""
    if len(penalties) > MOST_PENALTIES:
        raise IllegalEvent(
            _(
                "You can have {most_penalties} penalties of your own at most. Leave some out.",
                most_penalties=MOST_PENALTIES,
            )
        )
    if any(not 1 <= len(name.strip()) <= PENALTY_NAME_LENGTH for name, _ in penalties):
        raise IllegalEvent(
            _(
                "A penalty's name has 1 to {penalty_name_length} characters. Change it.",
                penalty_name_length=PENALTY_NAME_LENGTH,
            )
        )
    if len({name for name, _ in penalties}) != len(penalties):
        raise IllegalEvent(_("Two penalties have the same name. Change one."))
    if any(not 1 <= abs(points) <= PENALTY_POINTS for _, points in penalties):
        raise IllegalEvent(
            _(
                "A penalty costs 1 to {penalty_points} points. Choose a number in that range.",
                penalty_points=PENALTY_POINTS,
            )
        )
